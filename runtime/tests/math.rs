//! Every math function, both engines: equal bits for floats of all kinds, denormals flushed or not, with the
//! instructions of this machine and with the fewest.

use fuseline_compiler::format::Format;
use fuseline_compiler::isa::Features;
use fuseline_compiler::layout::InputElementDesc;
use fuseline_hlsl::options::CompileOptions;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_runtime::{
    Buffer, Device, DeviceOptions, DrawCall, DrawOptions, DrawState, Engine, PipelineDesc,
    Topology, VertexBufferView,
};
use std::sync::Arc;

const SHADERS: [&str; 2] = [
    "struct O { float4 a : A; float4 b : B; float4 c : C; float3 d : D; };
     O main(float2 v : V) {
        float x = v.x;
        O o;
        o.a = float4(exp(x), exp2(x), log(x), log2(x));
        o.b = float4(log10(x), sin(x), cos(x), tan(x));
        o.c = float4(asin(x), acos(x), atan(x), sinh(x));
        o.d = float3(cosh(x), tanh(x), pow(x, 5));
        return o;
     }",
    "struct O { float4 a : A; uint4 b : B; uint4 c : C; float4 d : D; };
     O main(float2 v : V) {
        uint n = asuint(v.x);
        O o;
        o.a = float4(pow(v.x, v.y), atan2(v.x, v.y), fmod(v.x, v.y), frac(v.x));
        o.b = uint4(countbits(n), firstbithigh(n), firstbitlow(n), reversebits(n));
        o.c = uint4(firstbithigh(asint(v.y)), f32tof16(v.x), uint(v.y), asuint(int(v.x)));
        o.d = float4(f16tof32(n), round(v.y), min(v.x, v.y), smoothstep(v.x, v.y, 0.5));
        return o;
     }",
];

/// Pairs of floats: ones where something changes with each other, and many of all magnitudes.
fn vertices() -> Vec<u32> {
    let edges = [
        0u32,
        1,
        0x007F_FFFF,
        0x0080_0000,
        0x3380_0000,
        0x3EFF_FFFF,
        0x3F00_0000,
        0x3F35_04F3,
        0x3F80_0000,
        0x3F80_0001,
        0x3FC9_0FDB,
        0x4000_0000,
        0x42B1_7218,
        0x42B2_0000,
        0x4300_0000,
        0x4316_0000,
        0x4780_0000,
        0x4B00_0000,
        0x4F00_0000,
        0x5F00_0000,
        0x7F7F_FFFF,
        0x7F80_0000,
        0x7F80_0001,
        0x7FC1_2345,
    ];
    let edges: Vec<u32> = edges.iter().flat_map(|e| [*e, e | 0x8000_0000]).collect();
    let pairs = edges
        .iter()
        .flat_map(|x| edges.iter().flat_map(move |y| [*x, *y]));
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as u32
    };
    // Half of them of moderate size.
    let spread = (0..12_000).map(|i| {
        let bits = random();
        if i % 4 < 2 {
            bits
        } else {
            (bits & 0x83FF_FFFF) + 0x3E00_0000
        }
    });
    pairs.chain(spread).collect()
}

#[test]
fn both_engines_give_the_same_bits() {
    let vertices = vertices();
    let count = vertices.len() as u32 / 2;
    let layout = [InputElementDesc::new(
        "V",
        0,
        Format::from_name("R32G32_FLOAT").expect("a format"),
    )];
    let state = DrawState::new(Topology::PointList).vertex_buffer(
        0,
        VertexBufferView {
            buffer: Buffer::from_slice(&vertices),
            offset: 0,
            stride: 8,
        },
    );
    for text in SHADERS {
        let compiled = fuseline_hlsl::compile(
            "math.hlsl",
            text.as_bytes(),
            &CompileOptions::default(),
            &mut NoIncludes,
        )
        .unwrap_or_else(|failed| panic!("{:#?}", failed.diagnostics));
        let program = Arc::new(compiled.program);
        for (flush_denormals, features) in [
            (true, Features::Native),
            (false, Features::Native),
            #[cfg(target_arch = "x86_64")]
            (true, Features::Sse41),
        ] {
            let device = Device::new(DeviceOptions {
                flush_denormals,
                features,
                ..DeviceOptions::default()
            })
            .expect("a device");
            let pipeline = device
                .create_pipeline(&PipelineDesc::new(program.clone(), &layout))
                .expect("a pipeline");
            let draw = |engine| {
                let options = DrawOptions::engine(engine);
                pipeline
                    .draw_with(&state, &DrawCall::draw(count), &options)
                    .expect("a draw")
            };
            let (jit, reference) = (draw(Engine::Jit), draw(Engine::Interpreter));
            for row in 0..reference.rows() {
                let bits = |results: &fuseline_runtime::Results| {
                    results.row(row).map(|r| r.collect::<Vec<u32>>())
                };
                let (got, want) = (bits(&jit), bits(&reference));
                let vertex = &vertices[2 * row..2 * row + 2];
                assert!(
                    got == want,
                    "{vertex:08x?} flush {flush_denormals}: {got:08x?}, want {want:08x?}"
                );
            }
        }
    }
}
