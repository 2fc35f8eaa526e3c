//! The workloads: compiled kernels on one and on all threads, beside hand-written code, a plain glam loop, the
//! interpreter, and a copy of the same bytes; then their ratios as a table. `cargo bench --bench workloads`; a filter
//! (`-- skin`) measures some of them. Read ratios within one run.

#[path = "hand/mod.rs"]
mod hand;
#[path = "measured/mod.rs"]
mod measured;
#[path = "measured/memory.rs"]
mod memory;
#[path = "workloads/ratios.rs"]
mod ratios;
#[path = "workloads/scene.rs"]
mod scene;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use fuseline::compiler::{compile, isa::Isa};
use fuseline::{Engine, Threads};
use scene::Scene;
use std::{hint::black_box, path::Path, process::Command, time::Duration};

/// Rows of each workload: whole triangles, and a multiple of 16 vertices. More than any cache holds.
const ROWS: u32 = 1_048_560;
/// Rows for which threads must already pay.
const FEW_ROWS: u32 = 65_520;
/// Rows that the interpreter shades in one measurement.
const INTERPRETED: u32 = 4_080;

fn scenes() -> Vec<Scene> {
    vec![
        scene::transform(ROWS),
        scene::skin(ROWS),
        scene::lit(ROWS),
        scene::instanced(ROWS),
        scene::indexed(ROWS),
        scene::indexed_expanded(ROWS),
        scene::sparse(ROWS),
        scene::packed(ROWS),
        scene::packed_premultiplied(ROWS),
        scene::unpacked(ROWS),
        scene::billboards(ROWS),
        scene::views("views, 1", ROWS, 1, 1),
        scene::views("views, 1 of 4", ROWS, 4, 1),
        scene::views("views, 2", ROWS, 2, 2),
        scene::views("views, 4", ROWS, 4, 4),
    ]
}

/// Copies of as many bytes as the draw moves, and of as many as it writes.
fn copies(group: &mut BenchmarkGroup<'_, WallTime>, scene: &Scene) {
    for (name, bytes) in [
        ("copy", scene.bytes() / 2),
        ("copy of output", scene.written()),
    ] {
        let (from, mut to) = (vec![1u8; bytes], vec![0u8; bytes]);
        group.bench_function(name, |b| {
            b.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)))
        });
    }
}

fn by_hand(group: &mut BenchmarkGroup<'_, WallTime>, scene: &Scene) {
    let Some(plain) = scene.plain else { return };
    let mut out = vec![0.0f32; scene.rows() * scene.row];
    for (name, run) in hand::versions(scene.name) {
        // SAFETY: the machine has what the version needs, and input and output are as long as it promises.
        unsafe { run(&scene.input(), &mut out) };
        scene.check(name, &out);
        group.bench_function(name, |b| {
            // SAFETY: as above.
            b.iter(|| unsafe { run(&scene.input(), black_box(&mut out)) });
        });
    }
    group.bench_function("glam", |b| {
        b.iter(|| plain(&scene.input(), black_box(&mut out)))
    });
    scene.check("glam", &out);
}

/// Rows that exist already, put where the indices want them.
fn gathered(group: &mut BenchmarkGroup<'_, WallTime>, scene: &Scene) {
    let Some(indices) = &scene.indices else {
        return;
    };
    let rows = vec![[1.0f32; 9]; scene.streams[0].1.len() / 32];
    let mut out = vec![[0.0f32; 9]; indices.len()];
    group.bench_function("gathering rows", |b| {
        b.iter(|| {
            for (to, &index) in black_box(&mut out).iter_mut().zip(indices) {
                *to = rows[index as usize];
            }
        })
    });
}

fn compiled(group: &mut BenchmarkGroup<'_, WallTime>, scene: &Scene) {
    let (state, call) = (scene.state(), scene.call());
    let options = scene.options(Engine::Jit);
    for (name, threads) in [
        ("jit", Threads::None),
        ("jit, all threads", Threads::Global),
    ] {
        let pipeline = scene.pipeline(threads);
        group.bench_function(name, |b| {
            b.iter(|| {
                pipeline
                    .draw_with(&state, &call, &options)
                    .expect("it draws")
            })
        });
    }
}

fn interpreted(group: &mut BenchmarkGroup<'_, WallTime>, scene: &Scene) {
    let few = scene.shortened(INTERPRETED);
    let (state, call) = (few.state(), few.call());
    let options = few.options(Engine::Interpreter);
    let pipeline = few.pipeline(Threads::None);
    group.throughput(Throughput::Elements(few.rows() as u64));
    group.bench_function("interpreter", |b| {
        b.iter(|| {
            pipeline
                .draw_with(&state, &call, &options)
                .expect("it draws")
        });
    });
}

/// How this program calls itself to measure memory: a process keeps some of what it gave back.
const MEMORY: &str = "--memory-of";

/// MiB that drawing a scene takes at most, besides what is bound and the results, in a process of its own. Below zero
/// where memory came in handy that making the scene had left.
fn memory(scene: &Scene) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let done = Command::new(program).args([MEMORY, scene.name]).output();
    String::from_utf8(done.ok()?.stdout)
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The same in this one.
fn memory_here(scene: &Scene) -> Option<f64> {
    let (state, call, options) = (scene.state(), scene.call(), scene.options(Engine::Jit));
    let pipeline = scene.pipeline(Threads::None);
    let bytes = memory::beyond(|| {
        let results = pipeline.draw_with(&state, &call, &options);
        results.expect("it draws").stored_bytes()
    });
    bytes.map(|bytes| bytes / f64::from(1 << 20))
}

fn workloads(c: &mut Criterion) {
    for scene in scenes() {
        let mut group = c.benchmark_group(scene.name);
        group.throughput(Throughput::Elements(scene.rows() as u64));
        copies(&mut group, &scene);
        by_hand(&mut group, &scene);
        if scene.name == "indexed, expanded" {
            gathered(&mut group, &scene);
        }
        compiled(&mut group, &scene);
        interpreted(&mut group, &scene);
    }
}

fn threads(c: &mut Criterion) {
    for scene in [scene::transform, scene::skin, scene::lit, scene::instanced] {
        let scene = scene(FEW_ROWS);
        let mut group = c.benchmark_group(format!("{}, 65,520 rows", scene.name));
        group.throughput(Throughput::Elements(scene.rows() as u64));
        compiled(&mut group, &scene);
    }
}

/// From text to a kernel that can be called, and from the start of the process to the first row.
fn code_generation(c: &mut Criterion) {
    let isa = Isa::host().expect("this machine is known");
    let mut group = c.benchmark_group("code generation");
    for scene in scenes() {
        let key = scene.pipeline(Threads::None).kernel_key(&scene.state());
        group.bench_function(scene.name, |b| {
            b.iter(|| {
                let program =
                    fuseline::compile(&scene.shader, "main", scene.profile).expect("it compiles");
                compile::compile(&program, &key, &isa, &mut ()).expect("there is a kernel")
            });
        });
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/draws/indirect.draw.toml");
    group.bench_function("process", |b| {
        b.iter(|| {
            let done = Command::new(env!("CARGO_BIN_EXE_fuseline"))
                .args(["draw"])
                .arg(&file)
                .output()
                .expect("it starts");
            assert!(
                done.status.success(),
                "{}",
                String::from_utf8_lossy(&done.stderr)
            );
        });
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, name] = &arguments[..]
        && flag == MEMORY
    {
        let scene = scenes().into_iter().find(|scene| scene.name == name);
        if let Some(mib) = scene.as_ref().and_then(memory_here) {
            println!("{mib}");
        }
        return;
    }
    let mut criterion = Criterion::default()
        .output_directory(&measured::home())
        .without_plots()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    let started = std::time::SystemTime::now();
    code_generation(&mut criterion);
    threads(&mut criterion);
    workloads(&mut criterion);
    criterion.final_summary();
    let rows = |scene: &Scene| ratios::Rows {
        name: scene.name,
        all: scene.rows() as f64,
        interpreted: scene.shortened(INTERPRETED).rows() as f64,
        memory: memory(scene),
    };
    let rows: Vec<_> = scenes().iter().map(rows).collect();
    println!("{}", ratios::tables(started, &rows));
}
