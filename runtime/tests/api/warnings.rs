//! What the debug layer warns about.

use crate::*;
use fuseline_compiler::layout::InputClassification;

fn texts(state: &DrawState, call: &DrawCall) -> Vec<String> {
    let text = "
        cbuffer C : register(b3) { float4 X; };
        float4 main(float4 v : V) : SV_Position { return v + X; }";
    let pipeline = pipeline(&device(), text);
    let report = pipeline.check(state, call);
    assert_eq!(report.errors, []);
    report.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_draw_as_it_should_be_warns_of_nothing() {
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(4))
        .index_buffer(IndexBufferView::from_u16(&[0, 1, 2]))
        .constant_bytes(Register::b(3), &Buffer::zeroed(16));
    assert_eq!(texts(&state, &DrawCall::draw(4)), [""; 0]);
    assert_eq!(texts(&state, &DrawCall::indexed(3)), [""; 0]);
}

#[test]
fn what_is_not_bound_reads_zero() {
    assert_eq!(
        texts(&DrawState::new(Topology::PointList), &DrawCall::indexed(3)),
        [
            "slot 0: nothing is bound, V0 reads zero in all components",
            "no index buffer is bound: every index is 0",
            "constant buffer b3 (C): nothing is bound, its members read zero",
        ]
    );
}

#[test]
fn what_is_too_small_or_misaligned_is_named() {
    let odd = VertexBufferView {
        offset: 2,
        stride: 15,
        ..vertices(4)
    };
    let indices = IndexBufferView {
        offset: 1,
        ..IndexBufferView::from_u16(&[0, 1])
    };
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, odd)
        .index_buffer(indices)
        .constant_bytes(Register::b(3), &Buffer::zeroed(8));
    assert_eq!(
        texts(&state, &DrawCall::draw(4))[..4],
        [
            "slot 0: offset 2 does not keep V0 aligned to 4 bytes (FS 4.4.6: undefined); the bytes are read as they are",
            "slot 0: stride 15 does not keep V0 aligned to 4 bytes (FS 4.4.6: undefined); the bytes are read as they are",
            "slot 0: stride 15 is less than 16, where V0 ends: neighbouring elements overlap",
            "constant buffer b3 (C): 8 bytes are bound, the shader declares 16: the rest reads zero",
        ]
    );
    assert_eq!(
        texts(&state, &DrawCall::draw(5))[3],
        "slot 0: V0 of vertex 4 ends at byte 78 of a buffer of 64 bytes: out of bounds reads give 0"
    );
    assert_eq!(
        texts(&state, &DrawCall::indexed(2))[4..6],
        [
            "index buffer: offset 1 is no multiple of the index size 2 (FS 4.4.6: undefined); the bytes are read as they are",
            "index buffer: the last index ends at byte 5 of a buffer of 4 bytes: out of bounds indices are 0",
        ]
    );
}

#[test]
fn addresses_that_wrap_into_the_buffer_are_in_bounds() {
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(4))
        .index_buffer(IndexBufferView::from_u16(&[0, 1, 2]))
        .constant_bytes(Register::b(3), &Buffer::zeroed(16));
    let wrapped = DrawCall::DrawInstanced {
        vertex_count: 3,
        instance_count: 1,
        start_vertex: 1 << 28,
        start_instance: 0,
    };
    assert_eq!(texts(&state, &wrapped), [""; 0]);
    let below_zero = DrawCall::DrawIndexed {
        index_count: 3,
        start_index: 0,
        base_vertex: -1,
    };
    assert_eq!(
        texts(&state, &below_zero),
        [
            "slot 0: V0 of vertex 4294967295 ends at byte 4294967296 of a buffer of 64 bytes: out of bounds reads give 0"
        ]
    );
    let start_wraps = DrawCall::DrawIndexed {
        index_count: 3,
        start_index: 1 << 31,
        base_vertex: 0,
    };
    assert_eq!(texts(&state, &start_wraps), [""; 0]);
}

#[test]
fn vertices_that_indices_lead_past_the_end_are_named() {
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(4))
        .constant_bytes(Register::b(3), &Buffer::zeroed(16));
    let base = |base_vertex| DrawCall::DrawIndexed {
        index_count: 3,
        start_index: 0,
        base_vertex,
    };
    // A dense range, and a list.
    for indices in [[1, 2, 3], [0, 3, 3]] {
        let state = state
            .clone()
            .index_buffer(IndexBufferView::from_u16(&indices));
        assert_eq!(texts(&state, &base(0)), [""; 0]);
        assert_eq!(
            texts(&state, &base(2)),
            [
                "slot 0: V0 of vertex 5 ends at byte 96 of a buffer of 64 bytes: out of bounds reads give 0"
            ]
        );
    }
}

#[test]
fn per_instance_data_is_checked_by_steps() {
    let text = "float4 main(float4 v : V) : SV_Position { return v; }";
    let mut elements = layout();
    elements[0].input_slot_class = InputClassification::PerInstanceData;
    elements[0].instance_data_step_rate = 3;
    let desc = PipelineDesc::new(shader(text), &elements);
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(4));
    let warnings = |instance_count| {
        let call = DrawCall::DrawInstanced {
            vertex_count: 1,
            instance_count,
            start_vertex: 0,
            start_instance: 2,
        };
        pipeline.check(&state, &call).warnings.len()
    };
    assert_eq!((warnings(6), warnings(7)), (0, 1));
}

#[test]
fn a_strip_cut_of_the_other_index_format_is_named() {
    let state = |topology, cut| {
        DrawState::new(topology)
            .vertex_buffer(0, vertices(4))
            .constant_bytes(Register::b(3), &Buffer::zeroed(16))
            .strip_cut(StripCut::Value(cut))
    };
    let short = IndexBufferView::from_u16(&[0, 1]);
    let long = IndexBufferView::from_u32(&[0, 1]);
    let of = |topology, cut, view: &IndexBufferView| {
        let state = state(topology, cut).index_buffer(view.clone());
        texts(&state, &DrawCall::indexed(2))
    };
    assert_eq!(
        of(Topology::LineStrip, u32::MAX, &short),
        ["strip cut 0xffffffff with 16-bit indices: no index can equal it"]
    );
    assert_eq!(
        of(Topology::LineStrip, 0xFFFF, &long),
        ["strip cut 0xffff with 32-bit indices: index 65535 cuts, 0xffffffff does not"]
    );
    assert_eq!(of(Topology::LineList, u32::MAX, &short), [""; 0]);
    assert_eq!(of(Topology::LineStrip, 0xFFFF, &short), [""; 0]);
}

#[test]
fn every_reason_to_refuse_a_draw_is_collected() {
    let text = "float4 main(float4 v : V) : SV_Position { return v; }";
    let options = CompileOptions {
        profile: "vs_5_0".parse().expect("a profile"),
        ..CompileOptions::default()
    };
    let compiled = fuseline_hlsl::compile("s.hlsl", text.as_bytes(), &options, &mut NoIncludes)
        .unwrap_or_else(|_| panic!("a good shader"));
    let elements = layout();
    let desc = PipelineDesc::new(Arc::new(compiled.program), &elements);
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let wide = VertexBufferView {
        stride: 4000,
        ..vertices(1)
    };
    let state = DrawState::default()
        .vertex_buffer(0, wide)
        .vertex_buffer(40, vertices(1))
        .constant_bytes(Register::b(99), &Buffer::zeroed(16));
    let call = DrawCall::DrawInstancedIndirect {
        args: Buffer::zeroed(12),
        offset: 0,
    };
    let report = pipeline.check(&state, &call);
    let errors: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "DrawInstancedIndirect: the primitive topology is UNDEFINED; set one before drawing",
            "vertex buffer slot 0: stride 4000 is too large, at most 2048 bytes are possible (D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES)",
            "vertex buffer slot 40 is past the last one, 31 (D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT)",
            "constant buffer b99 is past the last one, b13 (D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT)",
            "DrawInstancedIndirect: the arguments at offset 0 pass the end of a buffer of 12 bytes",
        ]
    );
    // The draw is refused with the first.
    let refusal = pipeline.draw(&state, &call).map(|_| ());
    assert_eq!(refusal, Err(report.errors[0].clone()));
}

#[test]
fn warnings_say_by_which_rule() {
    let pipeline = pass(&device());
    let report = pipeline.check(&DrawState::new(Topology::PointList), &DrawCall::indexed(1));
    let rules: Vec<&str> = report.warnings.iter().map(DrawWarning::rule).collect();
    assert_eq!(
        rules,
        [
            "DEVICE_DRAW_VERTEX_BUFFER_NOT_SET",
            "DEVICE_DRAW_INDEX_BUFFER_NOT_SET"
        ]
    );
}
