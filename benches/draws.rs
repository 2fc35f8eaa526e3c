//! What the Input Assembler costs: formats, index reuse, threads. `cargo bench --bench draws`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fuseline::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

const TRANSFORM: &str = "
    cbuffer C { float4x4 mvp; float4x4 world; };
    struct In { float3 p : POSITION; float3 n : NORMAL; float2 uv : TEXCOORD; };
    struct Out { float4 p : SV_Position; float3 n : NORMAL; float2 uv : TEXCOORD; };
    Out main(In v) {
        Out o;
        o.p = mul(mvp, float4(v.p, 1));
        o.n = mul((float3x3)world, v.n);
        o.uv = v.uv;
        return o;
    }";

const COUNT: u32 = 100_000;

/// Position, normal and texture coordinates in 32 bytes.
fn transform(threads: Threads) -> (Pipeline, DrawState) {
    let options = DeviceOptions {
        threads,
        ..DeviceOptions::default()
    };
    let device = Device::new(options).expect("a device");
    let layout = [
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
    ];
    let shader = compile(TRANSFORM, "main", "vs_5_0").expect("a good shader");
    let pipeline = device
        .create_pipeline(&PipelineDesc::new(shader, &layout))
        .expect("it fits");
    let vertices: Vec<f32> = (0..8 * COUNT).map(|i| (i % 1013) as f32 * 0.01).collect();
    let mut constants = pipeline.constants("C").expect("there");
    constants
        .set("mvp", glam::Mat4::from_translation(glam::Vec3::ONE))
        .expect("it fits");
    let state = DrawState::new(Topology::TriangleList)
        .vertex_buffer(0, VertexBufferView::new(&Buffer::from_slice(&vertices), 32))
        .constants(&constants);
    (pipeline, state)
}

fn formats(c: &mut Criterion) {
    let device = Device::new(DeviceOptions::default()).expect("a device");
    let text = "float4 main(float4 v : V) : SV_Position { return v; }";
    let shader = compile(text, "main", "vs_5_0").expect("a good shader");
    let buffer = Buffer::from_slice(&(0..4 * COUNT).collect::<Vec<u32>>());
    let mut group = c.benchmark_group("formats");
    group.throughput(Throughput::Elements(COUNT.into()));
    for format in Format::all() {
        let layout = [InputElementDesc::new("V", 0, format)];
        let desc = PipelineDesc::new(shader.clone(), &layout);
        let pipeline = device.create_pipeline(&desc).expect("it fits");
        let view = VertexBufferView::new(&buffer, format.bytes());
        let state = DrawState::new(Topology::PointList).vertex_buffer(0, view);
        group.bench_function(format.name(), |b| {
            b.iter(|| {
                black_box(
                    pipeline
                        .draw(&state, &DrawCall::draw(COUNT))
                        .expect("drawn"),
                )
            });
        });
    }
}

fn index_reuse(c: &mut Criterion) {
    let (pipeline, state) = transform(Threads::None);
    // A grid: each vertex is used by six triangles.
    let side = 300;
    let corner = |x: u32, y: u32| y * side + x;
    let cell = |(x, y): (u32, u32)| {
        let [a, b, c, d] = [
            corner(x, y),
            corner(x + 1, y),
            corner(x, y + 1),
            corner(x + 1, y + 1),
        ];
        [a, b, c, c, b, d]
    };
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y)));
    let dense: Vec<u32> = cells.flat_map(cell).collect();
    let sparse: Vec<u32> = dense.iter().map(|i| i / 5 * 5).collect();
    let mut group = c.benchmark_group("indexed");
    for (name, indices) in [("grid", &dense), ("every fifth vertex", &sparse)] {
        let state = state
            .clone()
            .index_buffer(IndexBufferView::from_u32(indices));
        let call = DrawCall::indexed(indices.len() as u32);
        group.throughput(Throughput::Elements(indices.len() as u64));
        for storage in [RowStorage::Shared, RowStorage::Expanded] {
            let options = DrawOptions {
                storage,
                ..DrawOptions::default()
            };
            group.bench_function(BenchmarkId::new(name, format!("{storage:?}")), |b| {
                b.iter(|| black_box(pipeline.draw_with(&state, &call, &options).expect("drawn")));
            });
        }
        // The first draw of an index buffer also finds out what is shared.
        group.bench_function(BenchmarkId::new(name, "first draw"), |b| {
            b.iter_batched(
                || {
                    state
                        .clone()
                        .index_buffer(IndexBufferView::from_u32(indices))
                },
                |state| black_box(pipeline.draw(&state, &call).expect("drawn")),
                criterion::BatchSize::LargeInput,
            );
        });
    }
}

fn threads(c: &mut Criterion) {
    let mut group = c.benchmark_group("threads");
    group.throughput(Throughput::Elements(COUNT.into()));
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let mut count = 0;
    while count <= most {
        let threads = match count {
            0 => Threads::None,
            n => Threads::Pool(Arc::new(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(n)
                    .build()
                    .expect("threads"),
            )),
        };
        let (pipeline, state) = transform(threads);
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| {
                black_box(
                    pipeline
                        .draw(&state, &DrawCall::draw(COUNT))
                        .expect("drawn"),
                )
            });
        });
        count = (count * 2).max(1);
    }
}

fn small(c: &mut Criterion) {
    let (pipeline, state) = transform(Threads::None);
    let mut group = c.benchmark_group("small draws");
    for count in [3, 24, 300] {
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| {
                black_box(
                    pipeline
                        .draw(&state, &DrawCall::draw(count))
                        .expect("drawn"),
                )
            });
        });
    }
    let options = DrawOptions::engine(Engine::Interpreter);
    group.bench_function("interpreter, 300", |b| {
        b.iter(|| black_box(pipeline.draw_with(&state, &DrawCall::draw(300), &options)));
    });
}

/// Short: there are many, and differences of a few percent do not matter here.
fn quick() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .sample_size(20)
        .without_plots()
}

criterion_group! {
    name = benches;
    config = quick();
    targets = small, threads, index_reuse, formats
}
criterion_main!(benches);
