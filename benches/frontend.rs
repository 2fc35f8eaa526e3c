//! How long the front end takes for a shader of two thousand lines: preprocessing (which lexes), parsing, checking,
//! and all of it.
//!
//! ```text
//! cargo bench --bench frontend
//! ```
//!
//! The grammar's own step, LALRPOP's, takes a tenth of a second; the parser that it writes is compiled with the crate
//! `fuseline-hlsl-syntax`, which takes some 20 seconds on one core:
//!
//! ```text
//! touch hlsl-subset/syntax/src/grammar.lalrpop
//! cargo build --timings
//! ```

use criterion::{Criterion, criterion_group, criterion_main};
use fuseline_hlsl::{
    check::check_module,
    diagnostic::Diagnostics,
    options::{CompileOptions, Options},
    parser::parse,
    preprocess::{self, NoIncludes, preprocess},
    source::SourceMap,
    token::Tokens,
};
use std::{fmt::Write, hint::black_box};

/// Lines of the shader.
const LINES: usize = 2000;

/// A shader as people write them: constants, structs, helpers with macros, loops and conditions, and an entry that
/// calls all of them.
fn shader() -> String {
    let mut text = String::from(
        "#define SCALE 0.25f
#define SQUARE(x) ((x) * (x))
#pragma pack_matrix(row_major)
struct Light { float4 position; float3 color; float range; };
cbuffer Frame : register(b0)
{
    float4x4 viewProjection;
    float4x4 world;
    Light lights[8];
    float3 eye;
    float time;
};
struct VSIn { float3 position : POSITION; float3 normal : NORMAL; float2 uv : TEXCOORD0; uint id : SV_VertexID; };
struct VSOut { float4 position : SV_Position; float3 normal : NORMAL; float4 color : COLOR0; float2 uv : TEXCOORD0; };
",
    );
    let mut functions = 0;
    while text.lines().count() + 40 < LINES {
        let n = functions;
        functions += 1;
        let _ = write!(
            text,
            "
/* Lights a vertex; this is helper {n} of many. */
float4 shade{n}(float3 position, float3 normal, inout float2 uv, uint id, const float bias = 0.5)
{{
    float3 sum = float3(0.1, 0.2f, {n}.0) * SCALE;
    static const float weights[4] = {{ 0.1, 0.2, 0.3, 0.4 }};
    [unroll]
    for (int i = 0; i < 8; ++i)
    {{
        float3 delta = lights[i].position.xyz - position;
        float distance2 = dot(delta, delta) + SQUARE(bias);
        if (distance2 > lights[i].range * lights[i].range && i != {n} % 8)
            continue;
        float lambert = saturate(dot(normalize(delta), normal)); // the usual
        sum += lights[i].color * lambert * rsqrt(distance2) * weights[i & 3];
    }}
    if ((id >> 2) % 3 == 1)
    {{
        uv.xy = uv.yx * 2 - 1;
        sum.zy = sum.yz;
    }}
    else
        uv += float2(sin(time + {n}), cos(time)) * 0.01;
    return float4(lerp(sum, pow(abs(sum), 2.2), bias), id ? 1 : 0);
}}
"
        );
    }
    text.push_str("VSOut main(VSIn v)\n{\n    VSOut o = (VSOut)0;\n    o.uv = v.uv;\n");
    for n in 0..functions {
        let _ = writeln!(
            text,
            "    o.color += shade{n}(v.position, v.normal, o.uv, v.id);"
        );
        if text.lines().count() + 4 >= LINES {
            break;
        }
    }
    text.push_str(
        "    o.position = mul(mul(float4(v.position, 1), world), viewProjection);\n    return o;\n}\n",
    );
    text
}

/// Text to tokens.
fn tokens(text: &str) -> (Tokens, Diagnostics) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let options = CompileOptions::default();
    let main = sources
        .add("bench.hlsl", text.as_bytes(), None)
        .expect("the text is small");
    let options = preprocess::Options {
        defines: Vec::new(),
        hlsl_version: options.version(),
        profile: options.profile,
    };
    let tokens = preprocess(
        &mut sources,
        main,
        &options,
        &mut NoIncludes,
        &mut diagnostics,
    );
    (tokens, diagnostics)
}

/// Text to a module; the shader is right, or the measurement would mean nothing.
fn whole(text: &str) {
    let (tokens, mut diagnostics) = tokens(text);
    let unit = parse(&tokens, &mut diagnostics);
    black_box(check_module(&unit, &Options::default(), &mut diagnostics));
    let error = diagnostics.iter().next();
    assert!(!diagnostics.has_errors(), "{error:?}");
}

fn frontend(criterion: &mut Criterion) {
    let text = shader();
    whole(&text);
    let (tokens_of_text, _) = tokens(&text);
    let unit = parse(&tokens_of_text, &mut Diagnostics::new());
    let mut group = criterion.benchmark_group(format!("frontend/{} lines", text.lines().count()));
    group.bench_function("preprocess", |b| b.iter(|| tokens(black_box(&text))));
    group.bench_function("parse", |b| {
        b.iter(|| parse(black_box(&tokens_of_text), &mut Diagnostics::new()))
    });
    group.bench_function("check", |b| {
        b.iter(|| {
            check_module(
                black_box(&unit),
                &Options::default(),
                &mut Diagnostics::new(),
            )
        })
    });
    group.bench_function("all", |b| b.iter(|| whole(black_box(&text))));
    group.finish();
}

criterion_group!(benches, frontend);
criterion_main!(benches);
