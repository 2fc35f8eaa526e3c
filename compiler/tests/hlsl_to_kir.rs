//! From HLSL to staged Kir: what a shader becomes once it is fused with its input layout.

use fuseline_compiler::format::Format;
use fuseline_compiler::kernel::{DrawKind, FetchElement, KernelKey, RowLayout};
use fuseline_compiler::{lower, passes};
use fuseline_hlsl::compile::compile;
use fuseline_hlsl::options::CompileOptions;
use fuseline_hlsl::preprocess::NoIncludes;

/// The stages of a shader whose inputs have these formats, all in slot 0; `instance` ones step per instance.
fn staged(text: &str, formats: &[&str], instance: &[u32]) -> String {
    let options = CompileOptions {
        profile: "vs_6_1".parse().unwrap(),
        ..CompileOptions::default()
    };
    let compiled = compile("test.hlsl", text.as_bytes(), &options, &mut NoIncludes)
        .unwrap_or_else(|failed| panic!("{:?}", failed.diagnostics));
    let elements = formats
        .iter()
        .zip(0..)
        .map(|(name, input)| FetchElement {
            input,
            format: Format::from_name(name).unwrap(),
            slot: Some(0).filter(|_| !text.contains("// unbound")),
            offset: 16 * input,
            stride: 64,
            step_rate: instance.contains(&input).then_some(1),
            own_stream: false,
        })
        .collect();
    let key = KernelKey {
        elements,
        draw: DrawKind::Sequential,
        flush: true,
        long_runs: true,
        count_loops: false,
        rows: RowLayout::ByRate,
    };
    let lowered = lower::lower(&compiled.program, key.denorm(), false).unwrap();
    passes::run(&lowered, &compiled.program, &key, &mut ()).to_string()
}

/// The part of a text that runs at a rate.
fn stage<'a>(text: &'a str, rate: &str) -> &'a str {
    let begin = text
        .find(&format!("; per {rate}\n"))
        .unwrap_or_else(|| panic!("no stage {rate}:\n{text}"));
    let rest = &text[begin + 1..];
    &rest[..rest.find("; per").unwrap_or(rest.len())]
}

#[test]
fn the_formats_default_w_makes_the_translation_an_addition() {
    let text = staged(
        "float4 row; float main(float4 p : P) : R { return dot(row, p); }",
        &["R32G32B32_FLOAT"],
        &[],
    );
    assert_eq!(
        text,
        "; per {}
v3: f32 {} = cload c0[+0]
v4: f32 {} = cload c0[+4]
v5: f32 {} = cload c0[+8]
v6: f32 {} = cload c0[+12]
; per {vertex}
v0: i32 {vertex} = read word 0+0 w4
v1: i32 {vertex} = read word 0+4 w4
v2: i32 {vertex} = read word 0+8 w4
v7: f32 {vertex} = asfloat v0
v8: f32 {vertex} = asfloat v1
v9: f32 {vertex} = asfloat v2
v10: f32 {vertex} = fmul v3, v7
v11: f32 {vertex} = fma v4, v8, v10
v12: f32 {vertex} = fma v5, v9, v11
v13: f32 {vertex} = fadd v6, v12
v14: f32 {vertex} = canon v13
store o0.0 = v14
"
    );
}

#[test]
fn components_that_nobody_uses_are_not_fetched() {
    let text = staged(
        "float main(float4 p : P, float4 q : Q) : R { float4 a = p * q; return a.y; }",
        &["R32G32B32A32_FLOAT", "R32G32B32A32_FLOAT"],
        &[],
    );
    assert_eq!(text.matches("read word").count(), 2, "{text}");
    assert!(
        text.contains("word 0+4") && text.contains("word 1+4"),
        "{text}"
    );
}

#[test]
fn a_slot_with_nothing_bound_reads_zero_and_folds() {
    let text = staged(
        "float main(float4 p : P) : R { return p.w + 2; } // unbound",
        &["R32G32B32_FLOAT"],
        &[],
    );
    assert_eq!(text, "; per {}\nstore o0.0 = 2.0\n");
}

#[test]
fn matrices_of_constants_are_multiplied_once_per_draw() {
    let text = staged(
        "float4x4 view, projection; float4 main(float3 p : P) : SV_Position
         { return mul(mul(projection, view), float4(p, 1)); }",
        &["R32G32B32_FLOAT"],
        &[],
    );
    assert_eq!(stage(&text, "{}").matches(" = fma ").count(), 48, "{text}");
    assert_eq!(
        stage(&text, "{vertex}").matches(" = fma ").count(),
        8,
        "{text}"
    );
}

#[test]
fn only_what_depends_on_the_view_runs_per_view() {
    let text = staged(
        "float4x4 world, projections[4]; struct Out { float4 p : SV_Position; float3 w : W; };
         Out main(float3 p : P, uint view : SV_ViewID) {
           Out o; float4 w = mul(world, float4(p, 1)); o.w = w.xyz; o.p = mul(projections[view], w); return o; }",
        &["R32G32B32_FLOAT"],
        &[],
    );
    assert_eq!(
        stage(&text, "{view}").matches("cload").count(),
        16,
        "{text}"
    );
    assert!(stage(&text, "{vertex}").contains("store o1.2"), "{text}");
    let per_view = stage(&text, "{view,vertex}");
    assert_eq!(per_view.matches(" = f").count(), 16, "{text}");
}

#[test]
fn per_instance_rows_are_decoded_once_per_instance() {
    let text = staged(
        "float4 main(float4 p : P, float4 t : T) : SV_Position { return p + t * 2; }",
        &["R32G32B32A32_FLOAT", "R8G8B8A8_UNORM"],
        &[1],
    );
    let instance = stage(&text, "{instance}");
    assert!(
        instance.contains("read word 1+0 w4") && instance.contains("stof"),
        "{text}"
    );
    assert_eq!(
        stage(&text, "{instance,vertex}").matches(" = fma ").count(),
        4,
        "{text}"
    );
}

#[test]
fn short_loops_over_lights_are_unrolled_with_their_addresses() {
    let text = staged(
        "float4 lights[3]; float main(float3 n : N) : R
         { float sum = 0; for (int i = 0; i < 3; i++) sum += dot(lights[i].xyz, n); return sum; }",
        &["R32G32B32_FLOAT"],
        &[],
    );
    assert!(
        !text.contains("loop") && text.contains("cload c0[+40]"),
        "{text}"
    );
}

#[test]
fn a_loop_of_a_uniform_length_keeps_a_uniform_counter() {
    let text = staged(
        "float4 lights[8]; int count; float main(float3 n : N) : R
         { float sum = 0; for (int i = 0; i < count; i++) sum += dot(lights[i].xyz, n); return sum; }",
        &["R32G32B32_FLOAT"],
        &[],
    );
    let loop_ = &text[text.find("loop (").expect("a loop")..];
    assert!(loop_.contains(": i32 {} = 0"), "{text}");
    assert!(loop_.contains(": f32 {} = cload c0[v"), "{text}");
}
