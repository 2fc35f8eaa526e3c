//! Draws large enough for several threads: the same bits for every number of them, and from many threads at once.

use crate::*;

const COUNT: u32 = 30_000;

const SHADER: &str = "
    struct Out { float4 p : SV_Position; float3 n : NORMAL; uint id : ID; };
    Out main(float4 v : V, uint id : SV_VertexID, uint instance : SV_InstanceID, uint view : SV_ViewID) {
        Out o;
        o.p = float4(sin(v.xy), id * 0.25, instance + 1);
        o.n = 0;
        [loop] for (uint i = 0; i < id % 7; ++i) o.n += cross(o.p.xyz, v.xyz + i);
        o.id = id ^ (view << 20);
        return o;
    }";

fn pipeline_on(threads: Threads) -> Pipeline {
    let device = Device::new(DeviceOptions {
        threads,
        ..DeviceOptions::default()
    })
    .expect("a device");
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(SHADER), &elements);
    desc.view_instancing.views = vec![ViewLocation::default(); 2];
    device.create_pipeline(&desc).expect("a good pipeline")
}

fn pool(threads: usize) -> Threads {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Threads::Pool(Arc::new(pool.expect("threads")))
}

/// A draw straight through, past the end of its buffer, and one by indices far apart.
fn draws() -> Vec<(DrawState, DrawCall)> {
    let state = DrawState::new(Topology::TriangleStrip).vertex_buffer(0, vertices(COUNT - 1000));
    let indices: Vec<u32> = (0..COUNT).map(|i| i * 7919 % 1_000_003).collect();
    vec![
        (state.clone(), DrawCall::instanced(COUNT, 2)),
        (
            state.index_buffer(IndexBufferView::from_u32(&indices)),
            DrawCall::indexed_instanced(COUNT, 2),
        ),
    ]
}

/// All rows of all draws, and the same in the caller's memory.
fn bits(pipeline: &Pipeline) -> Vec<u32> {
    let mut all = Vec::new();
    for (state, call) in draws() {
        let options = DrawOptions::default();
        let results = pipeline.draw(&state, &call).expect("drawn");
        for output in results.outputs() {
            let rows = (0..results.rows()).filter_map(|row| output.bits(row));
            all.extend(rows.flatten());
        }
        let mut rows = vec![[0u32; 8]; results.stored_rows()];
        let buffer = OutputBuffer::new(&mut rows)
            .element("SV_Position", 0, 0)
            .element("NORMAL", 0, 20)
            .element("ID", 0, 16);
        (pipeline.draw_into(&state, &call, &options, &mut [buffer])).expect("drawn");
        all.extend(rows.concat());
    }
    all
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let wanted = bits(&pipeline_on(Threads::None));
    let pools = (1..=8).map(pool).chain([Threads::Global]);
    for threads in pools {
        let name = format!("{threads:?}");
        assert!(bits(&pipeline_on(threads)) == wanted, "{name}");
    }
}

#[test]
fn a_pipeline_draws_from_many_threads_at_once() {
    let wanted = bits(&pipeline_on(Threads::None));
    let pipeline = pipeline_on(pool(3));
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| bits(&pipeline))).collect();
        for one in all {
            assert!(one.join().expect("no panic") == wanted);
        }
    });
}

#[test]
fn a_draw_from_inside_its_own_pool_comes_to_its_end() {
    let wanted = bits(&pipeline_on(Threads::None));
    let own = Arc::new(
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .expect("threads"),
    );
    let pipeline = pipeline_on(Threads::Pool(own.clone()));
    let (one, other) = own.install(|| rayon::join(|| bits(&pipeline), || bits(&pipeline)));
    assert!(one == wanted && other == wanted);
}
