//! What is parsed as what.

use super::{parsed, tree};

/// The tree of an expression.
fn expr(text: &str) -> String {
    let tree = tree(&format!("void f() {{ {text}; }}"));
    let line = tree.lines().nth(2).unwrap_or_default();
    line.trim().to_owned()
}

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(expr("a + b * c - d"), "(- (+ a (* b c)) d)");
    assert_eq!(expr("a << 1 + b & c == d"), "(& (<< a (+ 1 b)) (== c d))");
    assert_eq!(
        expr("a || b && c | d ^ e & f"),
        "(|| a (&& b (| c (^ d (& e f)))))"
    );
    assert_eq!(expr("a = b += c"), "(= a (+= b c))");
    assert_eq!(expr("a ? b : c ? d : e"), "(? a b (? c d e))");
    assert_eq!(expr("a = b ? c : d, e"), "(, (= a (? b c d)) e)");
    assert_eq!(expr("-a.x++ * !b[1]"), "(* (- (post++ a.x)) (! b[1]))");
    assert_eq!(expr("(a + b) * c"), "(* (+ a b) c)");
    assert_eq!(expr("a - -b"), "(- a (- b))");
}

#[test]
fn casts_and_constructors_are_known_by_their_type() {
    assert_eq!(expr("(float3)a.xyz * b"), "(* (cast float3 a.xyz) b)");
    assert_eq!(expr("(a) - b"), "(- a b)");
    assert_eq!(expr("(int) - b"), "(cast int (- b))");
    assert_eq!(expr("float4(a, 0.xx, 1.0f)"), "float4(a, 0.xx, 1.0f)");
    assert_eq!(expr("(float[2])a"), "(cast float[2] a)");
    assert_eq!(
        expr("sizeof(float4) + sizeof(a)"),
        "(+ (sizeof float4) (sizeof a))"
    );
    assert_eq!(expr("vector<float, 3>(a)"), "vector<float, 3>(a)");
    assert_eq!(
        expr("(unsigned int)a + (unsigned int2)b"),
        "(+ (cast uint a) (cast uint2 b))"
    );
    assert_eq!(expr("x = (Unknown)0"), "(= x (cast Unknown 0))");
}

#[test]
fn less_than_is_no_bracket() {
    assert_eq!(expr("a < b && c > d"), "(&& (< a b) (> c d))");
    assert_eq!(expr("f(a < b, c > (d))"), "f((< a b), (> c d))");
    assert_eq!(expr("a < float(b) > c"), "(> (< a float(b)) c)");
    assert_eq!(expr("a >> b"), "(>> a b)");
    assert_eq!(expr("b.Load<float4>(0).x < 1"), "(< b.Load<float4>(0).x 1)");
    assert_eq!(
        expr("b.Load<vector<float, 3> >(0)"),
        "b.Load<vector<float, 3>>(0)"
    );
    assert_eq!(
        expr("b.Load<vector<float, 3>>(0)"),
        "b.Load<vector<float, 3>>(0)"
    );
    assert_eq!(expr("v.x < w.y"), "(< v.x w.y)");
}

#[test]
fn template_arguments_may_hold_comparisons_in_parentheses() {
    let text = "vector<float, (1 > 2) ? 3 : 2> v;";
    assert_eq!(tree(text), "var vector<float, (? (> 1 2) 3 2)> v\n");
}

#[test]
fn a_whole_vertex_shader() {
    insta::assert_snapshot!(tree(
        r#"
        #pragma pack_matrix(row_major)
        cbuffer Frame : register(b0, space1)
        {
            float4x4 world : packoffset(c0);
            column_major float3x4 bones[MAX] : packoffset(c4.x);
            struct Light { float3 direction, color; } lights[2];
        };
        #pragma pack_matrix(column_major)
        Texture2D<unorm float4> t[4] : register(t0[2]);
        SamplerState s : register(s0);
        static const float weights[] = { 1, 2.5, { 3 }, };
        struct VSIn { float3 p : POSITION; [[vk::location(1)]] nointerpolation uint4 j : BLENDINDICES; };
        struct Base { float4 p : SV_Position; };
        struct VSOut : Base
        {
            float2 uv : TEXCOORD0;
            float3 normal() const { return this.p.xyz; }
            VSOut operator+(VSOut o) { return o; }
        };
        float3 skin(in VSIn v, out float w = 1, inout uint n);
        [RootSignature("a" "b")]
        VSOut main(VSIn v, uniform bool lit, uint id : SV_VertexID)
        {
            VSOut o = (VSOut)0;
            [unroll(4)] for (int i = 0, j = 2; i < 4; ++i, --j)
                o.p += mul(float4(v.p, 1), bones[v.j[i]]);
            [branch] if (lit) discard; else if (id > 3) { return o; } else ;
            do { --id; } while (id);
            while (true) break;
            switch (id) { case 0: case 1: o.p = 0; break; default: continue; }
            const float a = 1, b[2] = { 1, 2 };
            return o;
        }
        "#
    ));
}

#[test]
fn names_of_types_by_scope() {
    insta::assert_snapshot!(tree(
        r#"
        struct Light { float3 c; struct Inner { int i; }; };
        typedef struct { float x; } Anon, Many[2];
        typedef float4 Color;
        using Index = uint;
        enum class Mode : uint { A, B = 3, };
        enum Plain { C, D };
        namespace N { struct S { float a; }; namespace M { typedef int T; S make() { S s; return s; } } }
        namespace N::M { T twice(T t) { return (T)t; } }
        Light light(Light Light) { return Light; }
        void g(N::S s, Light::Inner i)
        {
            float Light = 1;
            Light * 2;
            { Mode m = Mode::A; Color c = (Color)0; Many q; }
            (Light) - 1;
            for (int Color = 0; Color < 3; Color++) (Color) + 1;
            Color d = ::N::make((N::M::T)1);
            struct Light l;
            int sample = 0, point = 1, line = sample;
            using namespace N;
            S t;
        }
        Light again;
        sample float4 centroid;
        void N::S::method() {}
        "#
    ));
}

#[test]
fn unknown_names_where_only_a_type_makes_sense() {
    assert_eq!(
        tree(
            "Unknown a; using X = vk::Some<int, 3>; typedef Other<2> Y; Box<float> f(Thing t, out Box<int> b);"
        ),
        "var Unknown a\nusing X = vk::Some<int, 3>\ntypedef Other<2> Y\nfunction Box<float> f\n  param Thing t\n  \
         param out Box<int> b\n"
    );
}

#[test]
fn values_of_initialisers_are_not_declared() {
    let text = "static const float2 a[2] = { float2(0, 1), float2(1, 1) }, b; float2 c;";
    assert!(tree(text).ends_with("var float2 c\n"));
}

#[test]
fn words_of_other_stages() {
    let text = "[shader(\"mesh\")] [[vk::a(1), vk::b]] void m(out vertices V v[3], in payload P p) {} shared cbuffer B { float x; };";
    insta::assert_snapshot!(tree(text));
}

#[test]
fn templates() {
    insta::assert_snapshot!(tree(
        r#"
        template<typename T, int N = 2> struct Box { T values[N]; T get(int i) { return values[i]; } };
        template <class T> T twice(T a) { return a + (T)1; }
        template<typename T> using Pair = vector<T, 2>;
        Box<float3, 2> box;
        float f(Box<Box<float, 1>> b) { return twice<float>(b.get(0)) + twice<2>(3) < 4; }
        "#
    ));
}

#[test]
fn effect_syntax_is_passed_over() {
    let (tree, said) = parsed(
        r#"
        float4x4 wvp : WORLDVIEWPROJECTION < string UIWidget = "none"; int n = 3; > = 1;
        texture diffuse < string ResourceName = "a.dds"; >;
        sampler2D smp = sampler_state { Texture = <diffuse>; MinFilter = LINEAR; };
        SamplerState lin { Filter = MIN_MAG_MIP_LINEAR; AddressU = Wrap; };
        RasterizerState r[2] { CullMode = NONE; }
        VertexShader vs = CompileShader(vs_4_0, f());
        float4 f() : SV_Position { return wvp[0]; }
        technique11 T < bool b = true; > { pass P { SetVertexShader(vs); VertexShader = compile vs_2_0 f(); } }
        Technique { pass { } };
        float after;
        "#,
    );
    insta::assert_snapshot!(tree);
    assert_eq!(
        said,
        [
            "4:23 note: techniques, state blocks and other effect syntax have no effect here \
             (name the entry function and its profile instead, as in `-E main -T vs_5_0`)"
        ]
    );
}

#[test]
fn an_else_belongs_to_the_nearest_if() {
    assert_eq!(
        tree("void f() { if (a) if (b) c; else d; }"),
        "function void f\n  block\n    if a\n      if b\n        c\n      else\n        d\n"
    );
}
