//! The worked examples of hlsl-vs-semantics.md, sections 8 to 10: HLSL text through the front end and the
//! reference interpreter, bit for bit.

use fuseline_hlsl::{
    compile, hir::verify::verify, options::CompileOptions, preprocess::NoIncludes,
};
use fuseline_numerics::scalar::Denorm;
use fuseline_runtime::interpreter::{Interpreter, Options};

/// The bits of a `uint4` expression; `f` and `u` are four floats and four uints that come in.
fn bits(expression: &str, f: [f32; 4], u: [u32; 4], options: &CompileOptions) -> [u32; 4] {
    let text = format!("uint4 main(float4 f : F, uint4 u : U) : R {{ return {expression}; }}");
    let program = match compile("t.hlsl", text.as_bytes(), options, &mut NoIncludes) {
        Ok(compiled) => compiled.program,
        Err(failed) => panic!("{}", failed.diagnostics.render_text(&failed.sources, false)),
    };
    assert_eq!(verify(&program), []);
    let run = Options {
        denorm: Denorm::Flush,
        loop_limit: 1000,
    };
    let mut outputs = [[0; 4]];
    let inputs = [f.map(f32::to_bits), u];
    Interpreter::new(&program, &[], run)
        .shade(&inputs, &mut outputs)
        .expect("no loop runs away");
    outputs[0]
}

fn uints(expression: &str, u: [u32; 4]) -> [u32; 4] {
    bits(expression, [0.0; 4], u, &CompileOptions::default())
}

/// The value of a uint expression of the uints in `u`.
fn uint(expression: &str, u: [u32; 4]) -> u32 {
    uints(&format!("(uint)({expression})"), u)[0]
}

/// The value of a float expression of the floats in `f`.
fn float(expression: &str, f: [f32; 4]) -> f32 {
    f32::from_bits(float_bits(expression, f))
}

fn float_bits(expression: &str, f: [f32; 4]) -> u32 {
    bits(
        &format!("asuint((float)({expression}))"),
        f,
        [0; 4],
        &CompileOptions::default(),
    )[0]
}

/// The value of a float expression of one float, `f.x`.
fn of(expression: &str, x: f32) -> f32 {
    float(expression, [x, 0.0, 0.0, 0.0])
}

fn floats<const N: usize>(expression: &str) -> [f32; N] {
    std::array::from_fn(|i| float(&format!("({expression})[{i}]"), [0.0; 4]))
}

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

#[test]
fn floats_to_integers_saturate() {
    let unsigned = |x| {
        bits(
            "(uint)f.x",
            [x, 0.0, 0.0, 0.0],
            [0; 4],
            &CompileOptions::default(),
        )[0]
    };
    assert_eq!(
        [NAN, -1.0, INF, 4294967040.0, -1.5].map(unsigned),
        [0, 0, 0xFFFF_FFFF, 0xFFFF_FF00, 0]
    );
    let signed = |x| {
        bits(
            "(uint)(int)f.x",
            [x, 0.0, 0.0, 0.0],
            [0; 4],
            &CompileOptions::default(),
        )[0] as i32
    };
    assert_eq!(
        [3e9, -3e9, -1.9, NAN].map(signed),
        [i32::MAX, i32::MIN, -1, 0]
    );
}

#[test]
fn counting_and_finding_bits() {
    let all = |x| {
        uints(
            "uint4(countbits(u.x), firstbitlow(u.x), firstbithigh(u.x), firstbithigh((int)u.x))",
            [x; 4],
        )
    };
    assert_eq!(all(0x0000_000F), [4, 0, 3, 3]);
    assert_eq!(all(0x8000_000F), [5, 0, 31, 30]);
    assert_eq!(all(0x0008_0000), [1, 19, 19, 19]);
    // The document counts 8 here; seven digits 1 and a C have 9.
    assert_eq!(all(0x1111_1C11), [9, 0, 28, 28]);
    assert_eq!(all(0), [0, u32::MAX, u32::MAX, u32::MAX]);
    assert_eq!(uint("firstbithigh(-1)", [0; 4]), u32::MAX);
    assert_eq!(uint("reversebits(u.x)", [1; 4]), 0x8000_0000);
}

#[test]
fn halves_round_toward_zero_or_to_the_nearest() {
    let nearest = CompileOptions {
        f32tof16_nearest: true,
        ..CompileOptions::default()
    };
    let half =
        |x, options: &CompileOptions| bits("f32tof16(f.x)", [x, 0.0, 0.0, 0.0], [0; 4], options)[0];
    let zero = |x| half(x, &CompileOptions::default());
    assert_eq!([666.0, -1.0, 0.1].map(zero), [0x6134, 0xBC00, 0x2E66]);
    assert_eq!(
        [1.0009, 2051.0, 65520.0, 1e6].map(zero),
        [0x3C00, 0x6801, 0x7BFF, 0x7BFF]
    );
    assert_eq!(
        [1.0009, 2051.0, 65520.0, 1e6].map(|x| half(x, &nearest)),
        [0x3C01, 0x6802, 0x7C00, 0x7C00]
    );
    assert_eq!(float("f16tof32(0x5640)", [0.0; 4]), 100.0);
    assert_eq!(float("f16tof32(0xFFFF3C00)", [0.0; 4]), 1.0);
}

#[test]
fn fmod_is_direct3ds() {
    assert_eq!(float("fmod(f.x, f.y)", [5.3, -2.0, 0.0, 0.0]), 1.300_000_2);
    assert_eq!(float("fmod(f.x, f.y)", [-5.3, 2.0, 0.0, 0.0]), -1.300_000_2);
    assert_eq!(float("fmod(f.x, f.y)", [1.0, 0.1, 0.0, 0.0]), 0.0);
    assert_eq!(float("f.x % f.y", [-1.0, 3.0, 0.0, 0.0]), -1.0);
    assert!(float("fmod(f.x, f.y)", [1.0, INF, 0.0, 0.0]).is_nan());
}

#[test]
fn integer_arithmetic_is_total() {
    assert_eq!(uint("u.x / u.y", [7, 0, 0, 0]), u32::MAX);
    assert_eq!(uint("u.x % u.y", [7, 0, 0, 0]), u32::MAX);
    assert_eq!(uint("1 << u.x", [33, 0, 0, 0]), 2);
    assert_eq!(uint("-7 / (int)u.x", [2, 0, 0, 0]) as i32, -3);
    assert_eq!(uint("-7 % (int)u.x", [2, 0, 0, 0]) as i32, -1);
    assert_eq!(uint("5u - u.x", [6, 0, 0, 0]), u32::MAX);
    assert_eq!(uint("mad(u.x, u.y, u.z)", [0x8000_0001, 2, 3, 0]), 5);
    assert_eq!(uint("abs((int)u.x)", [0x8000_0000, 0, 0, 0]), 0x8000_0000);
    assert_eq!(
        uint("sign(u.x) + 2 * sign((int)u.y)", [7, -3i32 as u32, 0, 0]) as i32,
        -1
    );
}

#[test]
fn denormals_flush_in_arithmetic_only() {
    assert_eq!(float_bits("asfloat(1) * 1.0", [0.0; 4]), 0);
    assert_eq!(uint("asuint(asfloat(1))", [0; 4]), 1);
    assert_eq!(
        float_bits("asfloat(0x80000001) * 1.0", [0.0; 4]),
        0x8000_0000
    );
}

#[test]
fn nans_lose_in_min_max_and_clamp() {
    assert_eq!(of("max(f.x, 2)", NAN), 2.0);
    assert_eq!(of("saturate(f.x)", NAN), 0.0);
    assert_eq!(of("clamp(f.x, 3, 5)", NAN), 3.0);
    assert_eq!(of("step(1, f.x)", NAN), 0.0);
    assert_eq!(of("sign(f.x)", NAN), 0.0);
}

#[test]
fn signs_and_roundings() {
    assert_eq!(of("sign(f.x)", -0.0), 0.0);
    assert_eq!(
        [2.5, 0.5, -0.5, 1.5].map(|x| of("round(f.x)", x)),
        [2.0, 0.0, 0.0, 2.0]
    );
    assert_eq!(float_bits("frac(f.x)", [-1e-9, 0.0, 0.0, 0.0]), 0x3F7F_FFFF);
    assert!(of("frac(f.x)", INF).is_nan());
    assert_eq!(of("trunc(f.x)", -1.75), -1.0);
}

#[test]
fn frexp_keeps_the_sign_and_ldexp_undoes_it() {
    let text = |x: f32| {
        let call = "float e; float m = frexp(f.x, e); return uint4(asuint(m), asuint(e), asuint(ldexp(m, e)), 0)";
        let function = format!("uint4 main(float4 f : F, uint4 u : U) : R {{ {call}; }}");
        let program = compile(
            "t.hlsl",
            function.as_bytes(),
            &CompileOptions::default(),
            &mut NoIncludes,
        );
        let program = program.expect("right").program;
        let mut outputs = [[0; 4]];
        let run = Options {
            denorm: Denorm::Flush,
            loop_limit: 1,
        };
        let inputs = [[x.to_bits(), 0, 0, 0], [0; 4]];
        Interpreter::new(&program, &[], run)
            .shade(&inputs, &mut outputs)
            .expect("no loop");
        outputs[0].map(f32::from_bits)
    };
    assert_eq!(text(8.0), [0.5, 4.0, 8.0, 0.0]);
    assert_eq!(text(-3.0), [-0.75, 2.0, -3.0, 0.0]);
    assert_eq!(text(0.0), [0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn smoothstep_lerp_and_lit() {
    assert_eq!(of("smoothstep(0, 1, f.x)", 0.5), 0.5);
    assert_eq!(of("smoothstep(1, 1, f.x)", 1.0), 0.0);
    assert_eq!(of("smoothstep(1, 1, f.x)", 1.5), 1.0);
    assert_eq!(of("lerp(1, 3, f.x)", 0.25), 1.5);
    assert_eq!(floats("lit(0.5, 0.5, 2)"), [1.0, 0.5, 0.25, 1.0]);
    assert_eq!(floats("lit(-0.5, 0.5, 2)"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        floats("dst(float4(1, 2, 3, 4), float4(5, 6, 7, 8))"),
        [1.0, 12.0, 3.0, 8.0]
    );
}

#[test]
fn powers() {
    assert!(float("pow(f.x, f.y)", [-2.0, 3.0, 0.0, 0.0]).is_nan());
    assert_eq!(of("pow(f.x, 3)", -2.0), -8.0);
    assert_eq!(of("pow(f.x, 1 + 1)", -3.0), 9.0);
    assert_eq!(of("pow(f.x, -1)", 4.0), 0.25);
    assert_eq!(of("pow(f.xx, float2(2, 3)).y", 3.0), 27.0);
}

#[test]
fn vectors() {
    assert!(of("normalize(float3(0, 0, f.x)).x", 0.0).is_nan());
    assert_eq!(floats("normalize(float3(0, 0, 2))"), [0.0, 0.0, 1.0]);
    assert_eq!(
        floats("cross(float3(1, 0, 0), float3(0, 1, 0))"),
        [0.0, 0.0, 1.0]
    );
    assert_eq!(float("length(float3(2, 3, 6))", [0.0; 4]), 7.0);
    assert_eq!(float("distance(float2(1, 1), float2(4, 5))", [0.0; 4]), 5.0);
    assert_eq!(of("length(f.x)", -3.0), 3.0);
    assert_eq!(floats("reflect(float2(1, -1), float2(0, 1))"), [1.0, 1.0]);
    assert_eq!(
        floats("refract(float2(0, -1), float2(0, 1), 0.5)"),
        [0.0, -1.0]
    );
    assert_eq!(
        floats("refract(float2(0.8, -0.6), float2(0, 1), 2)"),
        [0.0, 0.0]
    );
    assert_eq!(
        floats("faceforward(float2(0, 1), float2(0, -1), float2(0, 1))"),
        [0.0, 1.0]
    );
    assert_eq!(
        floats("faceforward(float2(0, 1), float2(1, 0), float2(0, 1))"),
        [0.0, -1.0]
    );
    assert_eq!(floats("float4(1, 2, 3, 4).wzyx"), [4.0, 3.0, 2.0, 1.0]);
    assert_eq!(floats("float3(1, 2, 3) + float2(10, 20)"), [11.0, 22.0]);
    assert_eq!(
        floats::<3>("D3DCOLORtoUBYTE4(float4(0.25, 0.5, 1, 0)).xyz"),
        [255.0, 127.0, 63.0]
    );
}

#[test]
fn matrices() {
    assert_eq!(
        floats("mul(float2(1, 2), float2x2(1, 2, 3, 4))"),
        [7.0, 10.0]
    );
    assert_eq!(
        floats("mul(float2x2(1, 2, 3, 4), float2(1, 2))"),
        [5.0, 11.0]
    );
    assert_eq!(
        floats("mul(float2x2(1, 2, 3, 4), float2x2(5, 6, 7, 8))[1]"),
        [43.0, 50.0]
    );
    assert_eq!(float("float2x2(1, 2, 3, 4)._m01", [0.0; 4]), 2.0);
    assert_eq!(float("float2x2(1, 2, 3, 4)._21", [0.0; 4]), 3.0);
    assert_eq!(
        floats("transpose(float2x3(1, 2, 3, 4, 5, 6))[2]"),
        [3.0, 6.0]
    );
    assert_eq!(float("determinant(float2x2(1, 2, 3, 4))", [0.0; 4]), -2.0);
    assert_eq!(
        float("determinant(float3x3(2, 0, 1, 1, 3, 2, 1, 1, 4))", [0.0; 4]),
        18.0
    );
    let four = "determinant(float4x4(1, 0, 2, -1, 3, 0, 0, 5, 2, 1, 4, -3, 1, 0, 5, 0))";
    assert_eq!(float(four, [0.0; 4]), 30.0);
}

#[test]
fn classes_of_floats() {
    let classes = "uint4(isnan(f.x), isinf(f.x), isfinite(f.x), any(f.x))";
    let of = |x| {
        bits(
            classes,
            [x, 0.0, 0.0, 0.0],
            [0; 4],
            &CompileOptions::default(),
        )
    };
    assert_eq!(of(NAN), [1, 0, 0, 1]);
    assert_eq!(of(-INF), [0, 1, 0, 1]);
    assert_eq!(of(1.0), [0, 0, 1, 1]);
    assert_eq!(of(-0.0), [0, 0, 1, 0]);
    assert_eq!(uint("isnan(asfloat(0x7FC00000))", [0; 4]), 1);
}

#[test]
fn choices() {
    assert_eq!(
        floats("select(bool2(true, false), float2(1, 2), float2(3, 4))"),
        [1.0, 4.0]
    );
    assert_eq!(floats("select(true, float2(1, 2), 0)"), [1.0, 2.0]);
    assert_eq!(uint("and(true, u.x > 1) ? 1 : 0", [2; 4]), 1);
    assert_eq!(uint("all(u > 1) && any(u == 3)", [2, 2, 3, 2]), 1);
}

#[test]
fn masked_sums_of_differences() {
    // Reference bytes 1, 0 (masked), 3, 4 from the lowest; source bytes 2, 9, 1, 4, 5, 6, 7, 8.
    let sums = uints(
        "msad4(0x04030001, uint2(0x04010902, 0x08070605), u)",
        [0, 0, 0, 100],
    );
    assert_eq!(sums, [1 + 2, 8 + 1 + 1, 2 + 2, 3 + 3 + 3 + 100]);
}
