//! Results in the caller's memory.

use crate::*;
use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;

/// What a renderer might keep of a vertex, with room for something of its own.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Vertex {
    flags: u32,
    position: [f32; 4],
    own: u32,
    tint: [f32; 2],
}

const SHADER: &str = "
    struct Out { float4 p : SV_Position; float2 tint : TINT; uint copy : COPY; };
    Out main(float4 v : V, uint i : SV_InstanceID) {
        Out o; o.p = v + 1; o.tint = float2(i, 0.5); o.copy = i; return o;
    }";

fn options(engine: Engine, storage: RowStorage) -> DrawOptions {
    DrawOptions {
        engine,
        storage,
        ..DrawOptions::default()
    }
}

/// Five vertices, of which eight indices refer to four.
fn indexed() -> DrawState {
    DrawState::new(Topology::TriangleList)
        .vertex_buffer(0, vertices(5))
        .index_buffer(IndexBufferView::from_u16(&[1, 2, 4, 4, 2, 1, 3, 3]))
}

/// Draws eight indices of two instances into these; the error's text.
fn drawn(engine: Engine, buffers: &mut [OutputBuffer<'_>]) -> Result<ResultLayout, String> {
    let options = options(engine, RowStorage::Shared);
    let call = DrawCall::indexed_instanced(8, 2);
    (pipeline(&device(), SHADER).draw_into(&indexed(), &call, &options, buffers))
        .map_err(|e| e.to_string())
}

fn refusal(buffers: &mut [OutputBuffer<'_>]) -> String {
    let by = |engine, buffers: &mut [OutputBuffer<'_>]| match drawn(engine, buffers) {
        Ok(_) => "drawn".to_string(),
        Err(text) => text,
    };
    let text = by(Engine::Jit, buffers);
    assert_eq!(by(Engine::Interpreter, buffers), text);
    text
}

#[test]
fn the_callers_vertices_get_outputs_and_keep_what_is_theirs() {
    let mine = Vertex {
        flags: 7,
        own: 9,
        ..Vertex::zeroed()
    };
    for engine in [Engine::Jit, Engine::Interpreter] {
        let mut to = [mine; 8];
        let buffer = OutputBuffer::new(&mut to)
            .element("sv_position", 0, offset_of!(Vertex, position))
            .element("TINT", 0, offset_of!(Vertex, tint));
        let layout = drawn(engine, &mut [buffer]).expect("drawn");
        assert_eq!((layout.positions(), layout.stored_rows()), (4, 8));
        for row in 0..layout.rows() {
            let at = layout.coordinates(row).expect("a row");
            let vertex = layout.location(row).expect("a row").vertex_id;
            let wanted = Vertex {
                position: [vertex as f32 + 1.0; 4],
                tint: [at.instance as f32, 0.5],
                ..mine
            };
            assert_eq!(to[at.instance * 4 + at.position], wanted);
        }
    }
}

#[test]
fn expanded_rows_are_in_row_order() {
    let pipeline = pipeline(&device(), SHADER);
    let call = DrawCall::indexed_instanced(8, 2);
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = options(engine, RowStorage::Expanded);
        let layout = (pipeline.result_layout(&indexed(), &call, &options)).expect("a layout");
        let mut to = vec![[0f32; 4]; layout.stored_rows()];
        let buffer = OutputBuffer::new(&mut to).element("SV_Position", 0, 0);
        (pipeline.draw_into(&indexed(), &call, &options, &mut [buffer])).expect("drawn");
        let rows: Vec<f32> = to.iter().map(|p| p[3]).collect();
        let instance = [2.0, 3.0, 5.0, 5.0, 3.0, 2.0, 4.0, 4.0];
        assert_eq!(rows, [instance, instance].concat());
    }
}

#[test]
fn strides_of_zero_are_for_what_does_not_vary() {
    for engine in [Engine::Jit, Engine::Interpreter] {
        // Positions once for all instances, tints once for all vertices, 16 bytes apart.
        let (mut positions, mut tints) = ([[0f32; 4]; 4], [-1f32; 8]);
        let buffers = &mut [
            OutputBuffer::new(&mut positions)
                .element("SV_Position", 0, 0)
                .strides(0, 0, 16),
            OutputBuffer::new(&mut tints)
                .element("TINT", 0, 4)
                .strides(0, 16, 0)
                .offset(4),
        ];
        drawn(engine, buffers).expect("drawn");
        assert_eq!(positions.map(|p| p[0]), [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(tints, [-1.0, -1.0, 0.0, 0.5, -1.0, -1.0, 1.0, 0.5]);
    }
    let mut tints = [[0f32; 2]; 4];
    let buffer = OutputBuffer::new(&mut tints)
        .element("TINT", 0, 0)
        .strides(0, 0, 8);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: TINT varies with the instance, but the instance stride is 0"
    );
}

#[test]
fn instances_may_lie_between_vertices() {
    let mut to = [[0u32; 1]; 8];
    let buffer = OutputBuffer::new(&mut to)
        .element("COPY", 0, 0)
        .strides(0, 4, 8);
    drawn(Engine::Jit, &mut [buffer]).expect("drawn");
    assert_eq!(to.concat(), [0, 1, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn views_that_nothing_varies_with_are_filled_too() {
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(SHADER), &elements);
    desc.view_instancing = ViewInstancing {
        views: vec![ViewLocation::default(); 3],
        masking: true,
    };
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(9))
        .view_mask(0b101);
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = options(engine, RowStorage::Shared);
        let mut to = [[0f32; 4]; 18];
        let buffer = OutputBuffer::new(&mut to).element("SV_Position", 0, 0);
        (pipeline.draw_into(&state, &DrawCall::draw(9), &options, &mut [buffer])).expect("drawn");
        let wanted: Vec<f32> = (1..10).map(|i| i as f32).collect();
        assert_eq!(to.map(|p| p[0]).to_vec(), [&wanted[..], &wanted].concat());
    }
}

#[test]
fn memory_that_is_too_small_is_refused() {
    let mut to = [[0f32; 4]; 7];
    let buffer = OutputBuffer::new(&mut to).element("SV_Position", 0, 0);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: the rows of 1 views, 2 instances and 4 vertices end at byte 128, the buffer has 112"
    );
    // The last row need not fill its stride.
    let mut to = [0u32; 8 * 3 - 2];
    let buffer = OutputBuffer::new(&mut to)
        .element("COPY", 0, 0)
        .strides(0, 48, 12);
    assert_eq!(refusal(&mut [buffer]), "drawn");
    let buffer = OutputBuffer::new(&mut to)
        .element("COPY", 0, 0)
        .strides(0, usize::MAX - 3, 12);
    assert!(refusal(&mut [buffer]).contains("end at byte 18446744073709551652, the buffer has 88"));
}

#[test]
fn rows_and_elements_that_overlap_are_refused() {
    let mut to = [0u32; 64];
    let buffer = OutputBuffer::new(&mut to)
        .element("SV_Position", 0, 0)
        .element("TINT", 0, 12)
        .strides(0, 128, 32);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: SV_Position and TINT overlap in a row"
    );
    let buffer = OutputBuffer::new(&mut to)
        .element("SV_Position", 0, 0)
        .strides(0, 128, 12);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: vertex stride 12 is less than the 16 bytes that lie between: rows overlap"
    );
    let buffer = OutputBuffer::new(&mut to)
        .element("SV_Position", 0, 0)
        .strides(0, 60, 16);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: instance stride 60 is less than the 64 bytes that lie between: rows overlap"
    );
}

#[test]
fn what_cannot_be_placed_is_named() {
    let (mut to, mut more) = ([0u32; 64], [0u32; 64]);
    let buffer = OutputBuffer::new(&mut to).element("COPY", 1, 0);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: the shader has no output COPY1; it writes `SV_Position`, `TINT`, `COPY`"
    );
    let buffers = &mut [
        OutputBuffer::new(&mut to).element("COPY", 0, 0),
        OutputBuffer::new(&mut more).element("COPY", 0, 0),
    ];
    assert_eq!(
        refusal(buffers),
        "output buffer 1: COPY is already stored in output buffer 0"
    );
    let buffer = OutputBuffer::new(&mut to).element("COPY", 0, 2);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: offset 2 is no multiple of 4"
    );
    let buffer = OutputBuffer::new(&mut to)
        .element("COPY", 0, 0)
        .strides(0, 64, 6);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: vertex stride 6 is no multiple of 4"
    );
    let buffer = OutputBuffer::new(&mut to)
        .element("COPY", 0, 0)
        .strides(0, 0, 2052);
    assert_eq!(
        refusal(&mut [buffer]),
        "output buffer 0: vertex stride 2052 is too large, at most 2048 bytes are possible (D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES)"
    );
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut to);
    let buffer = OutputBuffer::new(&mut bytes[1..])
        .element("COPY", 0, 0)
        .strides(0, 64, 4);
    assert!(refusal(&mut [buffer]).starts_with("output buffer 0: the address "));
}
