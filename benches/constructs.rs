//! What costs what: one construct of HLSL, one intrinsic or one vertex format at a time, by both engines, as a table of
//! nanoseconds per vertex. `cargo bench --bench constructs`; a filter (`-- format`) measures some of them.

#[path = "measured/mod.rs"]
mod measured;

use criterion::{Criterion, Throughput};
use fuseline::hlsl::hir::Program;
use fuseline::{
    Buffer, Device, DeviceOptions, DrawCall, DrawOptions, DrawState, Engine, Format,
    InputElementDesc, PipelineDesc, Register, Threads, Topology, VertexBufferView,
};
use measured::{Medians, number, table};
use std::{hint::black_box, sync::Arc, time::Duration, time::SystemTime};

/// Vertices of a draw: results and data stay near the processor.
const VERTICES: u32 = 4096;
/// Vertices that the interpreter shades.
const INTERPRETED: u32 = 64;

/// What is measured.
struct Construct {
    group: &'static str,
    name: String,
    program: Arc<Program>,
    /// What `V` is read as.
    format: Format,
}

/// A shader of two inputs and a result: `v` a float4 in [0, 1), `i` a uint4 that differs from vertex to vertex.
fn shader(statements: &str) -> Option<Arc<Program>> {
    let text = format!(
        "cbuffer C : register(b0) {{ float4 k[64]; row_major float4x4 m[16]; }};
        float4 main(float4 v : V, uint4 i : I) : SV_Position {{
            float4 r = v, s = v.wzyx; {statements} return r;
        }}"
    );
    fuseline::compile(&text, "main", "vs_5_0").ok()
}

/// Statements that a user would write, with a name for each.
const STATEMENTS: &[(&str, &str, &str)] = &[
    ("arithmetic", "nothing", ""),
    ("arithmetic", "float4 + float4", "r = v + s;"),
    ("arithmetic", "float4 * float4", "r = v * s;"),
    ("arithmetic", "float4 * float4 + float4", "r = v * s + v;"),
    ("arithmetic", "float4 / float4", "r = v / s;"),
    ("arithmetic", "float4 % float4", "r = v % s;"),
    ("arithmetic", "uint4 + uint4", "r = asfloat(i + i.wzyx);"),
    ("arithmetic", "uint4 * uint4", "r = asfloat(i * i.wzyx);"),
    ("arithmetic", "uint4 / uint4", "r = asfloat(i / i.wzyx);"),
    (
        "arithmetic",
        "int4 % int4",
        "r = asfloat(int4(i) % int4(i.wzyx));",
    ),
    ("arithmetic", "uint4 << uint4", "r = asfloat(i << i.wzyx);"),
    ("arithmetic", "uint4 to float4", "r = i;"),
    (
        "arithmetic",
        "float4 to uint4",
        "r = asfloat(uint4(v * 100));",
    ),
    (
        "arithmetic",
        "float4 < float4 ? float4 : float4",
        "r = v < s ? v : s;",
    ),
    ("matrices", "mul(float4x4, float4)", "r = mul(m[0], v);"),
    (
        "matrices",
        "mul(float3x3, float3)",
        "r.xyz = mul((float3x3)m[0], v.xyz);",
    ),
    (
        "matrices",
        "mul(float4x4, float4x4) once per draw",
        "r = mul(mul(m[0], m[1]), v);",
    ),
    (
        "matrices",
        "transpose(float4x4)",
        "r = mul(transpose(m[0]), v);",
    ),
    (
        "matrices",
        "inverse by determinant",
        "r = v / determinant(m[0]);",
    ),
    ("constants", "at a fixed index", "r = k[3] + v;"),
    (
        "constants",
        "at an index of the vertex's",
        "r = k[i.x & 63] + v;",
    ),
    (
        "constants",
        "a matrix at an index of the vertex's",
        "r = mul(m[i.x & 15], v);",
    ),
    (
        "arrays",
        "a local array at an index of the vertex's",
        "float4 a[4] = { v, s, v + s, v * s }; r = a[i.x & 3];",
    ),
    (
        "branches",
        "nobody takes it",
        "[branch] if (i.x > 1000000) r = sin(cos(exp(v)));",
    ),
    (
        "branches",
        "everybody takes it",
        "[branch] if (i.x < 1000000) r = sin(cos(exp(v)));",
    ),
    (
        "branches",
        "1 of 64 takes it",
        "[branch] if ((i.x & 63) == 0) r = sin(cos(exp(v)));",
    ),
    (
        "branches",
        "1 of 8 takes it",
        "[branch] if ((i.x & 7) == 0) r = sin(cos(exp(v)));",
    ),
    (
        "branches",
        "every other takes it",
        "[branch] if (i.x & 1) r = sin(cos(exp(v)));",
    ),
    (
        "branches",
        "two sides",
        "[branch] if (i.x & 1) r = sin(exp(v)); else r = cos(log(v));",
    ),
    (
        "loops",
        "16 times, unrolled",
        "[unroll] for (int n = 0; n < 16; ++n) r = r * s + v;",
    ),
    (
        "loops",
        "16 times",
        "[loop] for (int n = 0; n < 16; ++n) r = r * s + v;",
    ),
    (
        "loops",
        "16 times, as a constant says",
        "[loop] for (int n = 0; n < int(k[0].x); ++n) r = r * s + v;",
    ),
    (
        "loops",
        "12 to 19 times, by vertex",
        "[loop] for (uint n = 0; n < 12 + (i.x & 7); ++n) r = r * s + v;",
    ),
    (
        "loops",
        "1 to 32 times, by vertex",
        "[loop] for (uint n = 0; n <= (i.x & 31); ++n) r = r * s + v;",
    ),
];

/// How intrinsics are called: the first way that compiles is measured.
const CALLS: &[&str] = &[
    "r = NAME(v);",
    "r = NAME(v, s);",
    "r = NAME(v, s, r);",
    "r = NAME(v.xyz, s.xyz).xyzz;",
    "r = asfloat(NAME(i));",
    "r = asfloat(NAME(i, i.wzyx));",
    "r = asfloat(NAME(i, i.wzyx, i));",
    "r = NAME(v, s) + s;",
    "NAME(v, r, s); r += s;",
    "r = mul(NAME(m[i.x & 15]), v);",
    "r = NAME(m[i.x & 15]) * v;",
    "r = mul(NAME(v, s.x, s.y), v);",
    "r = NAME(v.x, v.y, s.x);",
    "r = NAME(v.x, v.y, s.x, s.y);",
    "r = NAME(i.x, i.y, v).xyzw;",
    "r = NAME(i.xyz, i.x);",
    "uint4 q = NAME(i.x, i.y, i.z); r = asfloat(q);",
];

fn constructs() -> Vec<Construct> {
    let float4 = Format::R32G32B32A32_FLOAT;
    let statements = STATEMENTS.iter().map(|(group, name, text)| Construct {
        group,
        name: (*name).to_owned(),
        program: shader(text).expect("the shader compiles"),
        format: float4,
    });
    let intrinsics = fuseline::hlsl::intrinsics::all().filter_map(|intrinsic| {
        let call = |form: &&str| shader(&form.replace("NAME", intrinsic.name));
        Some(Construct {
            group: "intrinsics",
            name: intrinsic.name.to_owned(),
            program: CALLS.iter().find_map(call)?,
            format: float4,
        })
    });
    let formats = Format::all().map(|format| Construct {
        group: "formats",
        name: format.name().to_owned(),
        program: shader("").expect("the shader compiles"),
        format,
    });
    statements.chain(intrinsics).chain(formats).collect()
}

/// The draw of a construct, of so many vertices.
fn draw(construct: &Construct, engine: Engine, vertices: u32) -> impl Fn() {
    let device = Device::new(DeviceOptions {
        threads: Threads::None,
        ..DeviceOptions::default()
    });
    let layout = [
        InputElementDesc::new("V", 0, construct.format),
        InputElementDesc {
            input_slot: 1,
            ..InputElementDesc::new("I", 0, Format::R32G32B32A32_UINT)
        },
    ];
    let pipeline = (device.expect("a device"))
        .create_pipeline(&PipelineDesc::new(construct.program.clone(), &layout))
        .expect("the layout fits");
    // Floats in [0, 1) where they are floats; any bits will do for the other formats.
    let floats: Vec<f32> = (0..4 * vertices)
        .map(|n| (n * 7919 % 4096) as f32 / 4096.0)
        .collect();
    let numbers: Vec<u32> = (0..4 * vertices)
        .map(|n| n / 4 * 37 % 509 + n % 4)
        .collect();
    let constants: Vec<f32> = (0..512)
        .map(|n| if n == 0 { 16.0 } else { n as f32 / 512.0 })
        .collect();
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, VertexBufferView::new(&Buffer::from_slice(&floats), 16))
        .vertex_buffer(1, VertexBufferView::new(&Buffer::from_slice(&numbers), 16))
        .constant_bytes(Register::b(0), &Buffer::from_slice(&constants));
    let options = DrawOptions::engine(engine);
    move || {
        let results = pipeline.draw_with(&state, &DrawCall::draw(vertices), &options);
        black_box(results.expect("it draws"));
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .output_directory(&measured::home())
        .without_plots()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200))
        .configure_from_args();
    let started = SystemTime::now();
    let constructs = constructs();
    for c in &constructs {
        let mut group = criterion.benchmark_group(format!("{}: {}", c.group, c.name));
        for (name, engine, vertices) in [
            ("jit", Engine::Jit, VERTICES),
            ("interpreter", Engine::Interpreter, INTERPRETED),
        ] {
            group.throughput(Throughput::Elements(vertices.into()));
            let draw = draw(c, engine, vertices);
            group.bench_function(name, |b| b.iter(&draw));
        }
    }
    criterion.final_summary();
    println!("{}", report(&constructs, &Medians::since(started)));
}

/// All that was measured; times include fetching `V` and `I` and storing a float4, which is the line `nothing`.
fn report(constructs: &[Construct], medians: &Medians) -> String {
    let mut report = table(&["ns per vertex", "jit", "interpreter", "times as fast"]);
    for c in constructs {
        let name = format!("{}: {}", c.group, c.name);
        let per = |function: &str, vertices: u32| {
            (medians.get(&name, function)).map(|ns| ns / f64::from(vertices))
        };
        let (jit, interpreter) = (per("jit", VERTICES), per("interpreter", INTERPRETED));
        if jit.is_some() || interpreter.is_some() {
            let ratio = interpreter.zip(jit).map(|(slow, fast)| slow / fast);
            report.add_row([name, number(jit), number(interpreter), number(ratio)]);
        }
    }
    report.to_string()
}
