//! The front end on whole files: what an entry becomes, and what it is told where it cannot be one.

use super::*;
use crate::hir::verify::verify;
use crate::preprocess::NoIncludes;
use crate::profile::HlslVersion;

fn with(options: CompileOptions, text: &str) -> Result<Compiled, Box<Failed>> {
    let compiled = compile("t.hlsl", text.as_bytes(), &options, &mut NoIncludes)?;
    assert_eq!(verify(&compiled.program), []);
    Ok(compiled)
}

fn for_profile(profile: &str) -> CompileOptions {
    CompileOptions {
        profile: profile.parse().expect("a profile"),
        ..CompileOptions::default()
    }
}

fn good(text: &str) -> Compiled {
    match with(CompileOptions::default(), text) {
        Ok(compiled) => compiled,
        Err(failed) => panic!("{}", failed.diagnostics.render_text(&failed.sources, false)),
    }
}

/// `line: code message`, and the hint, of each diagnostic.
fn said(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut out = String::new();
    for d in diagnostics.sorted(sources) {
        let line = sources.location(d.span).line;
        out += &format!("{line}: {} {}\n", d.code.number(), d.message);
        if let Some(hint) = &d.hint {
            out += &format!("   {hint}\n");
        }
    }
    out
}

fn errors_with(options: CompileOptions, text: &str) -> String {
    match with(options, text) {
        Ok(_) => "accepted".to_owned(),
        Err(failed) => said(&failed.diagnostics, &failed.sources),
    }
}

fn errors(text: &str) -> String {
    errors_with(CompileOptions::default(), text)
}

fn warnings(text: &str) -> String {
    let compiled = good(text);
    said(&compiled.diagnostics, &compiled.sources)
}

/// The expression that a float entry of four float inputs returns.
fn returned(expression: &str) -> String {
    let text = format!(
        "float main(float a : A, float b : B, float c : C, float d : D) : R {{ return {expression}; }}"
    );
    let program = good(&text).program;
    let text = program.to_string();
    let line = text.lines().find_map(|l| l.trim().strip_prefix("return "));
    line.unwrap_or_default().to_owned()
}

#[test]
fn sums_are_fused_with_their_right_product() {
    assert_eq!(returned("a * b + c"), "fma(a#0, b#1, c#2)");
    assert_eq!(
        returned("a * b - c * d"),
        "fma(fneg(c#2), d#3, fmul(a#0, b#1))"
    );
    assert_eq!(returned("(a * b) + (c)"), "fma(a#0, b#1, c#2)");
    assert_eq!(
        returned("(float)(a * b) + c"),
        "fadd(fmul(a#0, b#1).[0], c#2)"
    );
    assert_eq!(returned("mul(a, b) + c"), "fadd(fmul(a#0, b#1).[0], c#2)");
    assert_eq!(returned("mad(a, b, c)"), "fma(a#0, b#1, c#2)");
}

#[test]
fn a_compound_assignment_is_fused_and_a_variable_is_in_the_way() {
    let text = "float main(float a : A, float b : B, float s : S) : R { float p = a * b; s += a * b; return s + p; }";
    let printed = good(text).program.to_string();
    assert!(printed.contains("(s#2 = fma(a#0, b#1, s#2))"), "{printed}");
    assert!(printed.contains("return fadd(s#2, p#3)"), "{printed}");
}

#[test]
fn precise_and_strict_float_fuse_nothing() {
    let precise =
        "float main(float a : A, float b : B) : R { precise float r = a * b + a; return r; }";
    let program = good(precise).program;
    assert!(
        !program.fused && !program.to_string().contains("fma("),
        "{program}"
    );
    let strict = CompileOptions {
        strict_float: true,
        ..CompileOptions::default()
    };
    let program = with(strict, &precise.replace("precise ", ""))
        .expect("right")
        .program;
    assert!(
        !program.fused && !program.to_string().contains("fma("),
        "{program}"
    );
}

#[test]
fn precise_in_code_that_is_not_reached_changes_nothing() {
    let text = "float f(float x) { precise float y = x * x; return y; }
        float main(float a : A) : R { return a * a + a; }";
    assert!(good(text).program.fused);
}

#[test]
fn bits_of_inputs_and_constants_keep_their_nans() {
    let text = "cbuffer C { float k; };
        struct In { float4 p : P; };
        uint4 main(In i, float a : A) : R {
            float copy = a;
            return uint4(asuint(a), asuint(i.p.zy).x, asuint(k), asuint(copy));
        }";
    let printed = good(text).program.to_string();
    assert_eq!(printed.matches("canon(").count(), 1, "{printed}");
    assert!(printed.contains("asint(canon(copy#"), "{printed}");
}

#[test]
fn only_what_the_entry_reaches_is_kept() {
    let text = "cbuffer Unused { float u; }; cbuffer Used { float k; };
        static float s = 3; static float t = 4;
        float g(float x) { return x * u * t; }
        float f(float x) { return x * k * s; }
        float main(float a : A) : R { s = 2; return f(a); }";
    let compiled = good(text);
    let program = &compiled.program;
    assert_eq!(
        program
            .functions
            .iter()
            .map(|f| f.name.as_str())
            .collect::<Vec<_>>(),
        ["f", "main"]
    );
    assert_eq!(
        program
            .constant_buffers
            .iter()
            .map(|b| b.name.as_str())
            .collect::<Vec<_>>(),
        ["Used"]
    );
    assert_eq!(program.statics.len(), 1);
    let buffers = &compiled.reflection.constant_buffers;
    let found: Vec<_> = buffers
        .iter()
        .map(|b| (b.buffer.name.as_str(), b.buffer.register, b.used))
        .collect();
    assert_eq!(found, [("Unused", 1, false), ("Used", 0, true)]);
}

#[test]
fn constants_that_are_known_are_tables() {
    let text = "static const float2 T[2] = { { 1, 2 }, { 0.5 + 1, 4 } };
        static const float S = T[1].x * 2 + 1;
        float main(uint i : I) : R { return T[i].x + S; }";
    let printed = good(text).program.to_string();
    assert!(
        printed.contains("= constant (1.0, 2.0, 1.5, 4.0)"),
        "{printed}"
    );
    assert!(printed.contains("= constant 4.0"), "{printed}");
}

#[test]
fn registers_that_are_free_go_by_order_of_declaration() {
    let text = "float loose;
        cbuffer A { float a; }; cbuffer B : register(b1) { float b; }; cbuffer C { float c; };
        float main(uint i : I) : R { return loose + a + b + c + i; }";
    let found: Vec<_> = good(text)
        .program
        .constant_buffers
        .iter()
        .map(|b| (b.name.clone(), b.register))
        .collect();
    let expected = [("$Globals", 0), ("A", 2), ("B", 1), ("C", 3)].map(|(n, r)| (n.to_owned(), r));
    assert_eq!(found, expected);
}

#[test]
fn two_buffers_at_one_register_are_an_error_only_if_both_are_used() {
    let both = |body: &str| {
        errors(&format!(
            "cbuffer A : register(b2) {{ float a; }};\ncbuffer B : register(b2) {{ float b; }};\n\
             float main(uint i : I) : R {{ return {body} + i; }}"
        ))
    };
    assert_eq!(both("a"), "accepted");
    assert_eq!(both("a + b"), "2: F0513 `B` and `A` are both bound to b2\n");
}

#[test]
fn spaces_came_with_shader_model_5_1() {
    let text = "cbuffer A : register(b1, space2) { float a; };\nfloat main(uint i : I) : R { return a + i; }";
    assert_eq!(
        errors(text),
        "1: F0215 `A` is bound to space2, but vs_5_0 has no register spaces\n   compile for vs_5_1 or later, or leave \
         the space out\n"
    );
    assert_eq!(errors_with(for_profile("vs_5_1"), text), "accepted");
}

#[test]
fn later_models_have_any_number_of_registers() {
    let text = "cbuffer A : register(b20) { float a; };\nTexture2D t : register(t4000, space7);\n\
                float main(uint i : I) : R { return a + i; }";
    assert_eq!(errors_with(for_profile("vs_5_1"), text), "accepted");
}

#[test]
fn a_register_past_the_last_one_is_refused() {
    let text =
        "cbuffer A : register(b14) { float a; };\nfloat main(uint i : I) : R { return a + i; }";
    assert_eq!(
        errors(text),
        "1: F0514 `A` does not fit into the registers b0 to b13 of vs_5_0\n"
    );
    assert_eq!(errors_with(for_profile("vs_5_1"), text), "accepted");
}

#[test]
fn uniform_parameters_are_a_buffer_of_their_own() {
    let text = "float main(uniform float3 k, float a : A, uniform row_major float2x2 m) : R { return a * k.y + m._m10; }";
    let program = good(text).program;
    let buffer = &program.constant_buffers[0];
    assert_eq!((buffer.name.as_str(), buffer.size), ("$Params", 48));
    assert_eq!(
        buffer
            .members
            .iter()
            .map(|m| (m.name.as_str(), m.offset))
            .collect::<Vec<_>>(),
        [("k", 0), ("m", 16)]
    );
    assert_eq!(program.functions[0].params.len(), 1);
    let printed = program.to_string();
    assert!(printed.contains("(k#0 = $Params[0, 4, 8])"), "{printed}");
    assert!(
        printed.contains("(m#2 = $Params[16][0, 4, 16, 20])"),
        "{printed}"
    );
}

#[test]
fn out_parameters_and_the_return_value_are_outputs() {
    let text = "float4 main(float4 p : POSITION, out float2 uv : TEXCOORD3, inout float k : K) : SV_Position \
                { uv = p.xy; return p; }";
    let program = good(text).program;
    let names = |list: &[crate::hir::SignatureElement]| {
        list.iter()
            .map(|e| format!("{}{}", e.semantic, e.index))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&program.inputs), ["POSITION0", "K0"]);
    assert_eq!(names(&program.outputs), ["TEXCOORD3", "K0", "SV_Position0"]);
}

#[test]
fn an_entry_that_is_not_there_is_suggested_or_listed() {
    let text = "float VSMain(uint i : I) : R { return i; }\nfloat other(float x) { return x; }";
    assert_eq!(
        errors(text),
        "1: F0501 there is no function `main` to be the entry\n   the file defines `VSMain`, `other`\n"
    );
    let misspelt = CompileOptions {
        entry: "VSMian".to_owned(),
        ..CompileOptions::default()
    };
    assert_eq!(
        errors_with(misspelt, text),
        "1: F0501 there is no function `VSMian` to be the entry\n   did you mean `VSMain`?\n"
    );
}

#[test]
fn overloads_of_the_entry_cannot_be_told_apart() {
    let text =
        "float main(float a : A) : R { return a; }\nfloat main(float2 a : A) : R { return a.x; }";
    assert_eq!(
        errors(text),
        "1: F0502 there are several functions `main`: which one is the entry cannot be told\n"
    );
}

#[test]
fn a_function_without_a_body_is_an_error_where_it_is_reached() {
    let text = "float f(float x);\nfloat g(float x) { return f(x); }\nfloat main(float a : A) : R { return g(a); }";
    assert_eq!(errors(text), "2: F0516 `f` is called, but has no body\n");
    assert_eq!(errors(&text.replace("return g(a)", "return a")), "accepted");
}

#[test]
fn an_unfinished_function_is_an_error_where_it_is_reached() {
    let text = "float4 unfinished() { }\nfloat4 main() : SV_Position { return 0; }";
    assert_eq!(
        warnings(text),
        warnings("float4 main() : SV_Position { return 0; }").replace("1:", "2:")
    );
    assert_eq!(
        errors(&text.replace("return 0", "return unfinished()")),
        "1: F0404 `unfinished` returns `float4`, but has no `return`\n"
    );
}

#[test]
fn types_of_64_bits_are_an_error_where_they_are_used() {
    let text = "struct Tile { uint64_t mask; float4 p; struct Inner { double d; }; void clear(); };
typedef double real;
void Tile::clear() { mask = 0; }
float unreached(Tile tile, Tile::Inner inner, real r) { return tile.p.x; }
float4 main(float4 p : P) : SV_Position { return p; }";
    good(text);
    let told = "1: F0205 the type `uint64_t` is not supported\n   integers have 32 bits\n";
    let used = text.replace("return p;", "Tile tile; tile.p = p; return tile.p;");
    assert_eq!(errors(&used), told);
    let kept = text.replace("float4 main", "struct { real r; } kept; float4 main");
    let told = "2: F0205 the type `double` is not supported\n   use `float`\n";
    assert_eq!(errors(&kept), told);
}

#[test]
fn buffers_that_are_not_supported_are_an_error_where_they_are_read() {
    let text = "struct Tile { double d; }; struct Draw { float4 tint; };
StructuredBuffer<Tile> tiles;
ConstantBuffer<Draw> draws[];
float4 main(float4 p : P) : SV_Position { return p; }";
    good(text);
    let told = "4: F0601 code that reads a constant buffer which is passed around, or taken from a heap, is not generated \
                yet\n   name the global constant buffer itself\n";
    assert_eq!(
        errors(&text.replace("return p", "return draws[0].tint")),
        told
    );
    let told = "1: F0205 the type `double` is not supported\n   use `float`\n";
    assert_eq!(errors(&text.replace("return p", "return tiles[0].d")), told);
}

#[test]
fn structs_of_the_same_components_convert() {
    good(
        "struct Row { float4 a; }; struct Two { Row rows[2]; }; struct In { float4 p : P; float4 q : Q; };
float4 main(In v) : SV_Position { Two two = v; return two.rows[1].a; }",
    );
}

#[test]
fn what_pixel_shaders_do_is_no_error_until_it_is_reached() {
    let text = "float4 PS(float4 p : SV_Position) : SV_Target { clip(p.x); return ddx(p); }\n\
                float main(float a : A) : R { return a; }";
    assert_eq!(errors(text), "accepted");
    let reached = text.replace("return a;", "return ddx(a);");
    assert_eq!(
        errors(&reached).lines().next(),
        Some(
            "2: F0317 `ddx` needs derivatives across a 2x2 block of pixels, which only pixel shaders have; in a vertex \
             shader compute the difference yourself"
        )
    );
}

#[test]
fn resources_are_reflected_and_checked_but_not_run() {
    let text = "Texture2D<float4> t : register(t3); SamplerState s;\n\
                float4 main(float2 p : P) : R { return t.SampleLevel(s, p, 0); }";
    assert!(errors(text).contains("2: "), "{}", errors(text));
    let checked = check_entry(
        "t.hlsl",
        text.as_bytes(),
        &CompileOptions::default(),
        &mut NoIncludes,
    );
    assert!(
        !checked.diagnostics.has_errors(),
        "{}",
        checked.diagnostics.render_text(&checked.sources, false)
    );
    let reflection = checked.reflection.expect("right");
    let found: Vec<_> = reflection
        .resources
        .iter()
        .map(|r| (r.name.as_str(), r.class, r.register, r.used))
        .collect();
    assert_eq!(found, [("t", 't', 3, true), ("s", 's', 0, true)]);
}

#[test]
fn geometry_shaders_are_checked_but_not_run() {
    let text = "struct V { float4 p : SV_Position; };\n\
                [maxvertexcount(3)] void main(triangle V v[3], uint id : SV_PrimitiveID, inout TriangleStream<V> s) {\n\
                    for (uint i = 0; i < 3; ++i) { s.Append(v[i]); }\n\
                }";
    let gs = for_profile("gs_5_0");
    let checked = check_entry("t.hlsl", text.as_bytes(), &gs, &mut NoIncludes);
    assert!(
        !checked.diagnostics.has_errors(),
        "{}",
        checked.diagnostics.render_text(&checked.sources, false)
    );
    let reflection = checked.reflection.expect("right");
    assert_eq!(
        reflection
            .inputs
            .iter()
            .map(|e| e.semantic.as_str())
            .collect::<Vec<_>>(),
        ["SV_Position", "SV_PrimitiveID"]
    );
    assert_eq!(
        reflection
            .outputs
            .iter()
            .map(|e| e.semantic.as_str())
            .collect::<Vec<_>>(),
        ["SV_Position"]
    );
    assert!(errors_with(gs, text).contains("F0517 `main` is a geometry shader, which is not run"));
}

#[test]
fn the_lowest_profile_that_will_do_is_told() {
    let needs = |profile: &str, text: &str| match with(for_profile(profile), text) {
        Ok(compiled) => compiled.reflection.required_profile.to_string(),
        Err(failed) => panic!("{}", failed.diagnostics.render_text(&failed.sources, false)),
    };
    assert_eq!(
        needs("vs_5_0", "float main(float a : A) : R { return a; }"),
        "vs_4_0"
    );
    assert_eq!(
        needs("vs_5_0", "float main(float a[17] : A) : R { return a[3]; }"),
        "vs_4_1"
    );
    assert_eq!(
        needs("vs_6_8", "float main(uint v : SV_ViewID) : R { return v; }"),
        "vs_6_1"
    );
    assert_eq!(
        needs(
            "vs_6_8",
            "float main(int v : SV_StartVertexLocation) : R { return v; }"
        ),
        "vs_6_8"
    );
}

#[test]
fn inputs_that_are_never_read_are_warned_of() {
    assert_eq!(
        warnings(
            "struct In { float4 p : POSITION; float4 n : NORMAL; };\nfloat4 main(In i) : R { return i.p; }"
        ),
        "1: F1502 input `NORMAL0` is never read\n"
    );
    assert_eq!(
        warnings(
            "struct In { float4 p : POSITION; float4 n : NORMAL; };\nfloat4 main(In i) : R { In j = i; return j.p; }"
        ),
        ""
    );
    assert_eq!(
        warnings("float main(float a[4] : A, uint i : I) : R { return a[i]; }"),
        ""
    );
}

#[test]
fn an_entry_without_inputs_is_warned_of() {
    assert_eq!(
        warnings("float4 main() : SV_Position { return 1; }"),
        "1: F1503 entry `main` has no input: it does the same for every vertex\n"
    );
}

#[test]
fn the_edition_of_the_language_goes_with_the_profile() {
    let text = "float2 main(float2 a : A) : R { return a > 0 ? a : -a; }";
    assert_eq!(errors(text), "accepted");
    assert_ne!(errors_with(for_profile("vs_6_0"), text), "accepted");
    let asked = CompileOptions {
        hlsl: Some(HlslVersion::V2018),
        ..for_profile("vs_6_0")
    };
    assert_eq!(errors_with(asked, text), "accepted");
}

#[test]
fn halves_are_rounded_as_asked() {
    let text = "uint main(float a : A) : R { return f32tof16(a); }";
    let printed = |f32tof16_nearest| {
        let options = CompileOptions {
            f32tof16_nearest,
            ..CompileOptions::default()
        };
        with(options, text).expect("right").program.to_string()
    };
    assert!(printed(false).contains("f32tof16(a#0)"));
    assert!(printed(true).contains("f32tof16_nearest(a#0)"));
}

#[test]
fn a_file_can_be_checked_without_an_entry() {
    let checked = |text: &str| {
        let checked = check(
            "t.hlsl",
            text.as_bytes(),
            &CompileOptions::default(),
            &mut NoIncludes,
        );
        said(&checked.diagnostics, &checked.sources)
    };
    assert_eq!(checked("float f(float x) { return ddx(x); }"), "");
    assert_eq!(
        checked("float f(float x) { return y; }"),
        "1: F0201 `y` is not declared\n"
    );
    assert!(
        checked("float f(float x) { double y = x; return x; }")
            .contains("the type `double` is not supported")
    );
}

#[test]
fn a_constant_buffer_past_its_limit_is_refused() {
    let text = "cbuffer C {\n float a[4097]; };\nfloat main(uint i : I) : R { return i; }";
    assert_eq!(
        errors(text),
        "2: F0511 the constant buffer ends at byte 65540, past its limit of 65536\n   use several buffers, or arrays of \
         float4, which waste no space\n"
    );
}

#[test]
fn structs_that_double_in_size_are_refused_even_where_they_are_empty() {
    let doubling: String = (1..60)
        .map(|i| format!("struct S{i} {{ S{0} a; S{0} b; }};\n", i - 1))
        .collect();
    let text = format!(
        "struct S0 {{}};\n{doubling}float main(S59 x : X, float a : A) : R {{ return a; }}"
    );
    let first = errors(&text).lines().next().map(str::to_owned);
    assert_eq!(
        first.as_deref(),
        Some("18: F0208 the type has 131072 components, 65536 are the most")
    );
}
