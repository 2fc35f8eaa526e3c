//! The workloads: compiled kernels on one and on all threads, beside hand-written code, a plain glam loop, the
//! interpreter, and a copy of the same bytes. `cargo bench --bench workloads`; read ratios within one run.

#[path = "hand/mod.rs"]
mod hand;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use fuseline::{
    Buffer, Device, DeviceOptions, DrawCall, DrawOptions, DrawState, Engine, Format,
    InputClassification, InputElementDesc, Pipeline, PipelineDesc, Register, RowStorage, Threads,
    Topology, VertexBufferView,
};
use hand::Input;
use std::{hint::black_box, time::Duration};

/// Rows of each workload: a multiple of 16 vertices, and of whole triangles.
const ROWS: usize = 65_520;
/// Vertices that the interpreter shades in one measurement.
const INTERPRETED: u32 = 4_080;
const INSTANCES: usize = 16;

/// Numbers that look random, always the same.
struct Random(u64);

impl Random {
    fn next(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 40) as f32 / 16_777_216.0)
    }
}

/// A workload's shader, layout and data.
struct Workload {
    name: &'static str,
    shader: &'static str,
    layout: Vec<InputElementDesc>,
    stride: u32,
    vertices: Vec<u8>,
    instances: Vec<u8>,
    constants: Vec<f32>,
    /// Floats of a row.
    row: usize,
    plain: fn(&Input<'_>, &mut [f32]),
}

impl Workload {
    fn count(&self) -> usize {
        self.vertices.len() / self.stride as usize
    }

    fn rows(&self) -> usize {
        self.count() * (self.instances.len() / 68).max(1)
    }

    fn input(&self) -> Input<'_> {
        Input {
            vertices: &self.vertices,
            instances: &self.instances,
            constants: &self.constants,
            count: self.count(),
        }
    }

    fn pipeline(&self, threads: Threads) -> Pipeline {
        let device = Device::new(DeviceOptions {
            threads,
            ..DeviceOptions::default()
        })
        .expect("a device");
        let program =
            fuseline::compile(self.shader, "main", "vs_5_0").expect("the shader compiles");
        device
            .create_pipeline(&PipelineDesc::new(program, &self.layout))
            .expect("the layout fits")
    }

    fn state(&self) -> DrawState {
        let bytes: Vec<u8> = self
            .constants
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let state = DrawState::new(Topology::TriangleList)
            .vertex_buffer(
                0,
                VertexBufferView::new(&Buffer::new(&self.vertices), self.stride),
            )
            .constant_bytes(Register::b(0), &Buffer::new(&bytes));
        if self.instances.is_empty() {
            return state;
        }
        state.vertex_buffer(1, VertexBufferView::new(&Buffer::new(&self.instances), 68))
    }

    fn call(&self, vertices: u32) -> DrawCall {
        DrawCall::instanced(vertices, (self.instances.len() / 68).max(1) as u32)
    }
}

fn columns(rows: [f32; 16]) -> [f32; 16] {
    std::array::from_fn(|i| rows[i % 4 * 4 + i / 4])
}

fn workloads() -> Vec<Workload> {
    let mut r = Random(1);
    let mvp = [
        1.2, 0.0, 0.1, 0.3, 0.0, 1.6, -0.2, 0.1, 0.2, 0.1, -1.01, 4.0, 0.1, 0.05, -1.0, 5.0,
    ];
    let world = [
        0.8, -0.6, 0.0, 0.5, 0.6, 0.8, 0.0, -0.25, 0.0, 0.0, 1.0, 0.75, 0.0, 0.0, 0.0, 1.0,
    ];
    let matrices = [columns(mvp), columns(world)].concat();
    let base = |r: &mut Random, count: usize, tail: &dyn Fn(&mut Random) -> Vec<u8>| {
        let mut bytes = Vec::new();
        for _ in 0..count {
            let ranges = [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.5, 0.5];
            bytes.extend(ranges.iter().flat_map(|x| r.next(-x, *x).to_le_bytes()));
            bytes.extend(tail(r));
        }
        bytes
    };
    let layout = vec![
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
    ];
    let lights: Vec<f32> = (0..32)
        .map(|i| match (i < 16, i % 4) {
            (true, 3) => 1.0,
            (true, _) => r.next(-4.0, 4.0),
            (false, 3) => 0.1,
            (false, _) => r.next(0.2, 1.0),
        })
        .chain([0.0, 1.0, 6.0, 1.0])
        .collect();
    let bones = (0..64).flat_map(|k| {
        let (s, c) = (k as f32 * 0.1).sin_cos();
        [
            c,
            -s,
            0.0,
            k as f32 * 0.01,
            s,
            c,
            0.0,
            -(k as f32) * 0.02,
            0.0,
            0.0,
            1.0,
            0.1,
        ]
    });
    let skinned = |r: &mut Random| -> Vec<u8> {
        let bones = (0..4).map(|_| r.next(0.0, 64.0) as u8).collect::<Vec<_>>();
        [&bones[..], &[100, 80, 50, 25], &[0; 8]].concat()
    };
    let per_instance = |k: usize| -> Vec<u8> {
        let (s, c) = (k as f32 * 0.3).sin_cos();
        let rows = [
            c, -s, 0.0, 0.1, s, c, 0.0, -0.2, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 0.0, 1.0,
        ];
        rows.iter()
            .flat_map(|x| x.to_le_bytes())
            .chain([k as u8, 200, 128, 255])
            .collect()
    };
    let extended = |more: &[InputElementDesc]| [&layout[..], more].concat();
    let instance = |name: &str, index: u32, format| InputElementDesc {
        input_slot: 1,
        input_slot_class: InputClassification::PerInstanceData,
        instance_data_step_rate: 1,
        ..InputElementDesc::new(name, index, format)
    };
    let instance_layout: Vec<_> = (0..4)
        .map(|i| instance("XFORM", i, Format::R32G32B32A32_FLOAT))
        .chain([instance("TINT", 0, Format::R8G8B8A8_UNORM)])
        .collect();
    let none = |_: &mut Random| Vec::new();
    vec![
        Workload {
            name: "transform",
            shader: include_str!("workloads/transform.hlsl"),
            layout: layout.clone(),
            stride: 32,
            vertices: base(&mut r, ROWS, &none),
            instances: Vec::new(),
            constants: matrices.clone(),
            row: 9,
            plain: hand::plain::transform,
        },
        Workload {
            name: "skin",
            shader: include_str!("workloads/skin.hlsl"),
            layout: extended(&[
                InputElementDesc::new("BLENDINDICES", 0, Format::R8G8B8A8_UINT),
                InputElementDesc::new("BLENDWEIGHT", 0, Format::R8G8B8A8_UNORM),
            ]),
            stride: 48,
            vertices: base(&mut r, ROWS, &skinned),
            instances: Vec::new(),
            constants: matrices.iter().copied().chain(bones).collect(),
            row: 9,
            plain: hand::plain::skin,
        },
        Workload {
            name: "lit",
            shader: include_str!("workloads/lit.hlsl"),
            layout: layout.clone(),
            stride: 32,
            vertices: base(&mut r, ROWS, &none),
            instances: Vec::new(),
            constants: [&matrices[..], &lights].concat(),
            row: 13,
            plain: hand::plain::lit,
        },
        Workload {
            name: "instanced",
            shader: include_str!("workloads/instanced.hlsl"),
            layout: extended(&instance_layout),
            stride: 32,
            vertices: base(&mut r, ROWS / INSTANCES / 48 * 48, &none),
            instances: (0..INSTANCES).flat_map(per_instance).collect(),
            constants: matrices,
            row: 13,
            plain: hand::plain::instanced,
        },
    ]
}

/// What is written by hand must compute what is compiled; a benchmark of something else would mean nothing.
fn check(workload: &Workload, name: &str, rows: &[f32]) {
    let options = DrawOptions {
        storage: RowStorage::Expanded,
        ..DrawOptions::engine(Engine::Jit)
    };
    let call = workload.call(workload.count() as u32);
    let results = workload
        .pipeline(Threads::None)
        .draw_with(&workload.state(), &call, &options)
        .expect("it draws");
    for (i, row) in rows.chunks_exact(workload.row).enumerate() {
        let compiled = results.row(i).expect("as many rows").map(f32::from_bits);
        for (by_hand, compiled) in row.iter().zip(compiled) {
            let near = (by_hand - compiled).abs() <= 1e-4 * compiled.abs().max(1.0);
            assert!(
                near,
                "{}, {name}, row {i}: {by_hand} by hand, {compiled} compiled",
                workload.name
            );
        }
    }
}

fn by_hand(group: &mut BenchmarkGroup<'_, WallTime>, workload: &Workload) {
    let mut out = vec![0.0f32; workload.rows() * workload.row];
    for (name, run) in hand::versions(workload.name) {
        // SAFETY: the machine has what the version needs, and input and output are as long as it promises.
        unsafe { run(&workload.input(), &mut out) };
        check(workload, name, &out);
        group.bench_function(name, |b| {
            // SAFETY: as above.
            b.iter(|| unsafe { run(&workload.input(), black_box(&mut out)) });
        });
    }
    group.bench_function("glam", |b| {
        b.iter(|| (workload.plain)(&workload.input(), black_box(&mut out)))
    });
    check(workload, "glam", &out);
}

fn bench(c: &mut Criterion) {
    for workload in workloads() {
        let mut group = c.benchmark_group(workload.name);
        group.throughput(Throughput::Elements(workload.rows() as u64));
        group
            .measurement_time(Duration::from_secs(2))
            .warm_up_time(Duration::from_millis(500));
        let bytes =
            workload.vertices.len() + workload.instances.len() + workload.rows() * workload.row * 4;
        let (from, mut to) = (vec![1u8; bytes / 2], vec![0u8; bytes / 2]);
        group.bench_function("copy", |b| {
            b.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)))
        });
        by_hand(&mut group, &workload);
        let state = workload.state();
        let call = workload.call(workload.count() as u32);
        for (name, threads) in [
            ("jit", Threads::None),
            ("jit, all threads", Threads::Global),
        ] {
            let pipeline = workload.pipeline(threads);
            group.bench_function(name, |b| {
                b.iter(|| pipeline.draw(&state, &call).expect("it draws"))
            });
        }
        let few = INTERPRETED.min(workload.count() as u32);
        let call = workload.call(few);
        let pipeline = workload.pipeline(Threads::None);
        let options = DrawOptions::engine(Engine::Interpreter);
        group.throughput(Throughput::Elements(
            u64::from(few) * (workload.rows() / workload.count()) as u64,
        ));
        group.sample_size(10);
        group.bench_function("interpreter", |b| {
            b.iter(|| {
                pipeline
                    .draw_with(&state, &call, &options)
                    .expect("it draws")
            });
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
