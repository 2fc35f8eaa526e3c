//! The worked examples of hlsl-vs-semantics.md and decisions.md: HLSL text in, bits out, folded and at run time, by both
//! engines.

use fuseline_hlsl::options::CompileOptions;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_runtime::{
    Buffer, Device, DeviceOptions, DrawCall, DrawOptions, DrawState, Engine, PipelineDesc,
    Register, Topology,
};
use std::sync::Arc;

/// Most examples that one shader computes: an output register each.
const BATCH: usize = 30;

/// Operands stand in `F()`, `I()`, `U()`: constants, or the same numbers mixed with a constant that is zero.
const OPERANDS: [&str; 2] = [
    "#define F(x) (x)\n#define I(x) ((int)(x))\n#define U(x) ((uint)(x))\n",
    "cbuffer C : register(b0) { uint zero; };\n#define F(x) asfloat(asuint((float)(x)) ^ zero)\n\
     #define I(x) asint((uint)(x) ^ zero)\n#define U(x) ((uint)(x) ^ zero)\n",
];

/// A shader with one output per expression.
fn shader(operands: &str, expressions: &[&str]) -> String {
    let mut text = format!("{operands}struct Out {{\n");
    for i in 0..expressions.len() {
        text += &format!("  uint e{i} : E{i};\n");
    }
    text += "};\nOut main() {\n  Out o;\n";
    for (i, expression) in expressions.iter().enumerate() {
        text += &format!("  o.e{i} = {expression};\n");
    }
    text + "  return o;\n}\n"
}

/// The bits of every expression.
fn evaluate(operands: &str, expressions: &[&str], engine: Engine) -> Vec<u32> {
    let text = shader(operands, expressions);
    let compiled = fuseline_hlsl::compile(
        "examples.hlsl",
        text.as_bytes(),
        &CompileOptions::default(),
        &mut NoIncludes,
    )
    .unwrap_or_else(|failed| panic!("{:#?}\n{text}", failed.diagnostics));
    let device = Device::new(DeviceOptions::default()).expect("a device");
    let pipeline = device
        .create_pipeline(&PipelineDesc::new(Arc::new(compiled.program), &[]))
        .expect("a pipeline");
    let state =
        DrawState::new(Topology::PointList).constant_bytes(Register::b(0), &Buffer::new(&[0; 16]));
    let results = pipeline
        .draw_with(&state, &DrawCall::draw(1), &DrawOptions::engine(engine))
        .expect("a draw");
    results.row(0).expect("a row").collect()
}

/// Expressions of type uint, and their bits.
fn check(examples: &[(&str, u32)]) {
    check_with(&OPERANDS, examples);
}

fn check_with(ways: &[&str], examples: &[(&str, u32)]) {
    for operands in ways {
        for engine in [Engine::Interpreter, Engine::Jit] {
            for batch in examples.chunks(BATCH) {
                let expressions: Vec<&str> = batch.iter().map(|e| e.0).collect();
                let got = evaluate(operands, &expressions, engine);
                for ((expression, want), got) in batch.iter().zip(got) {
                    assert_eq!(
                        got, *want,
                        "{expression} by {engine:?} gives {got:08x}, not {want:08x}; with\n{operands}"
                    );
                }
            }
        }
    }
}

/// Float expressions and their values; a NaN is the canonical one.
fn check_floats(examples: &[(&str, f32)]) {
    let texts: Vec<String> = examples
        .iter()
        .map(|e| format!("asuint(float({}))", e.0))
        .collect();
    let bits = |x: f32| if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() };
    let rows: Vec<(&str, u32)> = texts
        .iter()
        .zip(examples)
        .map(|(t, e)| (t.as_str(), bits(e.1)))
        .collect();
    check(&rows);
}

const INF: &str = "F(asfloat(0x7F800000u))";
const NAN: &str = "F(asfloat(0x7FC00000u))";

/// `INF` and `NAN` written out.
fn spell(examples: &[(&str, f32)]) {
    let texts: Vec<String> = examples
        .iter()
        .map(|e| e.0.replace("NAN", NAN).replace("INF", INF))
        .collect();
    let rows: Vec<(&str, f32)> = texts
        .iter()
        .zip(examples)
        .map(|(t, e)| (t.as_str(), e.1))
        .collect();
    check_floats(&rows);
}

#[test]
fn integers_divide_and_shift_as_d3d_says() {
    // A divisor that is known to be zero is refused.
    check_with(
        &OPERANDS[1..],
        &[
            ("U(7) / U(0)", u32::MAX),
            ("U(7) % U(0)", u32::MAX),
            ("asuint(I(7) / I(0))", u32::MAX),
            ("asuint(I(7) % I(0))", u32::MAX),
        ],
    );
    check(&[
        ("asuint(I(0x80000000) / I(-1))", 0x8000_0000),
        ("asuint(I(0x80000000) % I(-1))", 0),
        ("asuint(I(-7) / I(2))", -3i32 as u32),
        ("asuint(I(-7) % I(2))", -1i32 as u32),
        ("U(1) << U(33)", 2),
        ("asuint(I(-8) >> I(1))", -4i32 as u32),
        ("U(0x80000000) >> U(31)", 1),
        ("U(5) - U(6)", u32::MAX),
        ("asuint(-I(0x80000000))", 0x8000_0000),
        ("asuint(abs(I(0x80000000)))", 0x8000_0000),
        ("asuint(mad(I(3), I(-4), I(5)))", -7i32 as u32),
    ]);
}

#[test]
fn floats_convert_to_integers_with_saturation() {
    let text = |expression: &str| expression.replace("NAN", NAN).replace("INF", INF);
    let examples = [
        ("uint(NAN)", 0),
        ("uint(F(-1.0))", 0),
        ("uint(INF)", u32::MAX),
        ("uint(F(4294967040.0))", 0xFFFF_FF00),
        ("asuint(int(F(3e9)))", 0x7FFF_FFFF),
        ("asuint(int(F(-3e9)))", 0x8000_0000),
        ("asuint(int(F(-1.9)))", u32::MAX),
        ("uint(F(-1.5))", 0),
        ("uint(bool(NAN))", 1),
        ("uint(bool(F(-0.0)))", 0),
    ];
    let texts: Vec<String> = examples.iter().map(|e| text(e.0)).collect();
    let rows: Vec<(&str, u32)> = texts
        .iter()
        .zip(&examples)
        .map(|(t, e)| (t.as_str(), e.1))
        .collect();
    check(&rows);
}

#[test]
fn bits_are_counted_and_found() {
    check(&[
        ("countbits(U(0x8000000F))", 5),
        ("firstbitlow(U(0x00080000))", 19),
        ("firstbitlow(U(0))", u32::MAX),
        ("firstbithigh(U(0x8000000F))", 31),
        ("asuint(firstbithigh(I(0x8000000F)))", 30),
        ("asuint(firstbithigh(I(-1)))", u32::MAX),
        ("firstbithigh(U(0))", u32::MAX),
        ("reversebits(U(1))", 0x8000_0000),
        ("f32tof16(F(666.0))", 0x6134),
        ("f32tof16(F(1.0009))", 0x3C00),
        ("f32tof16(F(65520.0))", 0x7BFF),
        ("asuint(f16tof32(U(0xFFFF3C00)))", 0x3F80_0000),
        ("asuint(f16tof32(U(0x5640)))", 100f32.to_bits()),
        ("asuint(f16tof32(U(0x7C01)))", 0x7FC0_0000),
        (
            "msad4(U(0x01020304), uint2(U(0x05060708), U(0)), uint4(0, 0, 0, 0)).x",
            16,
        ),
    ]);
}

#[test]
fn denormals_flush_in_arithmetic_and_nowhere_else() {
    check(&[
        ("asuint(F(asfloat(1u)))", 1),
        ("asuint(F(asfloat(1u)) * F(1.0))", 0),
        ("asuint(F(asfloat(0x80000001u)) * F(1.0))", 0x8000_0000),
        ("asuint(-F(asfloat(1u)))", 0x8000_0001),
        ("asuint(abs(F(asfloat(0x80000001u))))", 1),
        ("asuint(max(F(asfloat(1u)), F(0.0)))", 0),
        ("asuint(floor(F(asfloat(0x80000001u))))", 0x8000_0000),
        ("uint(F(asfloat(1u)) == F(0.0))", 1),
        ("asuint(F(1.17549435e-38) * F(0.5))", 0),
        ("asuint(sqrt(F(asfloat(0x80000001u))))", 0x8000_0000),
    ]);
}

#[test]
fn comparisons_choices_and_signs_of_nans_and_zeros() {
    spell(&[
        ("max(NAN, F(2.0))", 2.0),
        ("min(F(2.0), NAN)", 2.0),
        ("max(NAN, NAN)", f32::NAN),
        ("min(F(0.0), F(-0.0))", -0.0),
        ("max(F(0.0), F(-0.0))", -0.0),
        ("max(F(-0.0), F(0.0))", 0.0),
        ("saturate(NAN)", 0.0),
        ("saturate(F(1.5))", 1.0),
        ("clamp(NAN, F(3.0), F(5.0))", 3.0),
        ("clamp(F(4.0), F(5.0), F(3.0))", 3.0),
        ("sign(F(-0.0))", 0.0),
        ("sign(F(-2.5))", -1.0),
        ("sign(NAN)", 0.0),
        ("step(F(1.0), F(1.0))", 1.0),
        ("step(F(1.0), NAN)", 0.0),
        ("float(isnan(NAN))", 1.0),
        ("float(isinf(-INF))", 1.0),
        ("float(isfinite(NAN))", 0.0),
        ("float(NAN == NAN)", 0.0),
        ("float(NAN != NAN)", 1.0),
        ("float(any(NAN))", 1.0),
        ("INF - INF", f32::NAN),
        ("F(0.0) * INF", f32::NAN),
        ("F(1.0) / F(-0.0)", f32::NEG_INFINITY),
        ("-NAN", f32::NAN),
    ]);
}

#[test]
fn roundings_and_remainders() {
    spell(&[
        ("round(F(0.5))", 0.0),
        ("round(F(1.5))", 2.0),
        ("round(F(2.5))", 2.0),
        ("round(F(-0.5))", -0.0),
        ("trunc(F(-0.5))", -0.0),
        ("floor(F(-0.5))", -1.0),
        ("ceil(F(-0.5))", -0.0),
        ("frac(F(-0.25))", 0.75),
        ("frac(F(-1e-9))", f32::from_bits(0x3F7F_FFFF)),
        ("frac(INF)", f32::NAN),
        ("fmod(F(5.3), F(-2.0))", 1.3000002),
        ("fmod(F(-5.3), F(2.0))", -1.3000002),
        ("fmod(F(1.0), F(0.1))", 0.0),
        ("fmod(F(1.0), F(0.0))", f32::NAN),
        ("fmod(F(1.0), INF)", f32::NAN),
        ("F(5.5) % F(2.0)", 1.5),
    ]);
}

#[test]
fn powers_roots_and_exponentials() {
    spell(&[
        ("pow(F(-3.0), 2)", 9.0),
        ("pow(F(-3.0), 3.0)", -27.0),
        ("pow(F(2.0), -2)", 0.25),
        ("pow(F(-2.0), F(2.5))", f32::NAN),
        ("pow(F(0.0), F(2.5))", 0.0),
        ("pow(F(0.0), F(-1.5))", f32::INFINITY),
        ("pow(F(1.0), INF)", f32::NAN),
        ("sqrt(F(-0.0))", -0.0),
        ("sqrt(F(-1.0))", f32::NAN),
        ("rsqrt(F(-0.0))", f32::NEG_INFINITY),
        ("rsqrt(F(4.0))", 0.5),
        ("rcp(F(3.0))", 1.0 / 3.0),
        ("exp2(-INF)", 0.0),
        ("exp2(F(10.0))", 1024.0),
        ("log2(F(0.0))", f32::NEG_INFINITY),
        ("log2(F(-1.0))", f32::NAN),
        ("log2(F(8.0))", 3.0),
        ("sin(F(-0.0))", -0.0),
        ("cos(INF)", f32::NAN),
        ("atan2(F(0.0), F(0.0))", std::f32::consts::FRAC_PI_2),
        ("atan2(F(-0.0), F(-1.0))", std::f32::consts::PI),
        ("acos(F(1.5))", f32::NAN),
        ("ldexp(F(3.0), F(2.0))", 12.0),
        ("length(float2(F(3.0), F(4.0)))", 5.0),
        ("normalize(float2(F(0.0), F(0.0))).x", f32::NAN),
    ]);
}

#[test]
fn vectors_and_matrices() {
    spell(&[
        ("mul(float2(F(1), F(2)), float2x2(1, 2, 3, 4)).x", 7.0),
        ("mul(float2(F(1), F(2)), float2x2(1, 2, 3, 4)).y", 10.0),
        ("mul(float2x2(1, 2, 3, 4), float2(F(1), F(2))).x", 5.0),
        ("mul(float2x2(1, 2, 3, 4), float2(F(1), F(2))).y", 11.0),
        ("lerp(F(1.0), F(3.0), F(0.25))", 1.5),
        ("float4(F(1), 2, 3, 4).wzyx.x", 4.0),
        ("float2x2(F(1), F(2), 3, 4)._m01", 2.0),
        ("float2x2(F(1), 2, F(3), 4)._21", 3.0),
        ("float2x2(F(1), 2, F(3), 4)[1].y", 4.0),
        ("smoothstep(F(0.0), F(1.0), F(0.5))", 0.5),
        ("smoothstep(F(1.0), F(1.0), F(1.0))", 0.0),
        ("determinant(float2x2(F(1), 2, 3, F(4)))", -2.0),
        ("cross(float3(F(1), 0, 0), float3(0, F(1), 0)).z", 1.0),
        ("reflect(float2(F(1), -1), float2(0, F(1))).y", 1.0),
        ("refract(float2(F(1), 0), float2(0, F(1)), F(2.0)).x", 0.0),
        (
            "faceforward(float2(0, F(1)), float2(F(1), 0), float2(0, F(1))).y",
            -1.0,
        ),
        (
            "dst(float4(0, F(2), F(3), 0), float4(0, F(5), 0, F(7))).y",
            10.0,
        ),
        ("lit(F(0.5), F(0.5), 2).z", 0.25),
        ("lit(F(-1), F(0.5), 2).z", 0.0),
        ("D3DCOLORtoUBYTE4(float4(F(1), 0.5, 0, 0)).z", 255.0),
        ("degrees(F(3.14159274))", 180.0),
    ]);
}

#[test]
fn a_sum_with_a_product_is_fused_and_an_explicit_cast_keeps_it_apart() {
    let (a, b) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON);
    let text = |e: &str| {
        e.replace('A', "F(1.00000012)")
            .replace('B', "F(0.99999988)")
    };
    let examples = [
        ("A * B - F(1.0)", a.mul_add(b, -1.0)),
        ("float(A * B) - F(1.0)", a * b - 1.0),
        ("F(1.0) - A * B", (-a).mul_add(b, 1.0)),
        ("mad(A, B, F(-1.0))", a.mul_add(b, -1.0)),
        (
            "dot(float2(F(-1.0), A), float2(F(1.0), B))",
            a.mul_add(b, -1.0),
        ),
    ];
    let texts: Vec<String> = examples.iter().map(|e| text(e.0)).collect();
    let rows: Vec<(&str, f32)> = texts
        .iter()
        .zip(&examples)
        .map(|(t, e)| (t.as_str(), e.1))
        .collect();
    check_floats(&rows);
}
