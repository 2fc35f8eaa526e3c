//! Hostile texts end soon, with an error where they are wrong, and never with a panic.

use super::check;
use crate::profile::HlslVersion;

fn said(text: &str) -> String {
    check(text, HlslVersion::V2021).1
}

fn first_line(text: &str) -> String {
    said(text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn nested_structs_of_arrays_do_not_overflow() {
    let mut text = "struct S0 { float4 a[200]; };\n".to_owned();
    for i in 1..20 {
        text += &format!("struct S{i} {{ S{} a[200]; }};\n", i - 1);
    }
    assert!(said(&text).contains("error F0208"));
}

#[test]
fn templates_that_double_are_cut_off() {
    let text =
        "template<int N> int f() { return f<N + 1>() + f<N + 2>(); }\nint g() { return f<0>(); }";
    assert!(
        first_line(text).contains("more than 1000 instances"),
        "{}",
        said(text)
    );
}

#[test]
fn long_chains_of_calls_are_fine() {
    let mut text = "float f0(float x) { return x; }\n".to_owned();
    for i in 1..3000 {
        text += &format!("float f{i}(float x) {{ return f{}(x); }}\n", i - 1);
    }
    assert_eq!(said(&text), "");
}

#[test]
fn deep_expressions_are_fine() {
    let deep = format!(
        "float f(float x) {{ return {}x{}; }}",
        "sin(".repeat(200),
        ")".repeat(200)
    );
    assert_eq!(said(&deep), "");
    let long = format!("float f(float x) {{ return x{}; }}", " + x".repeat(400));
    assert_eq!(said(&long), "");
}

#[test]
fn a_loose_global_in_a_namespace_inside_a_struct_is_survived() {
    said("struct S { namespace N { float4 q; float f() { return q.x; } } float a; };");
    said("cbuffer C { namespace N { float4 q; } };");
}

#[test]
fn chains_of_else_if_have_no_end() {
    let links: String = (0..5000)
        .map(|i| format!("if (x == {i}) r = {i}.5; else "))
        .collect();
    let text = format!("float f(int x) {{ float r; {links} r = 0; return r; }}");
    assert_eq!(said(&text), "");
}

#[test]
fn what_a_long_chain_of_else_if_leaves_unset_is_seen() {
    let links: String = (0..100)
        .map(|i| format!("if (x == {i}) r = {i}.5; else "))
        .collect();
    let text = format!("float f(int x) {{ float r; {links} ; return r; }}");
    assert!(
        first_line(&text).contains("F1202: `r` is read before it is assigned"),
        "{}",
        said(&text)
    );
    let links = links.replace("r =", "return");
    let text = format!("float f(int x) {{ {links} return 0; }}");
    assert_eq!(said(&text), "");
}

#[test]
fn every_prefix_of_a_text_is_survived() {
    let text = "cbuffer B : register(b0) { row_major float4x4 m; struct { float3 d; } l[4]; };\n\
                namespace N { enum E { A = 1, B }; template<typename T> T id(T x) { return x; } }\n\
                struct S : T { float4 p : P; void f(inout float x[2]) { x[0] += p.x; this.p.xy = x[1]; } };\n\
                static const float2 t[] = { { 1, 2 }, float2(3, 4) };\n\
                float4 main(S s, uint i : I, out float o : O) : SV_Position {\n\
                for (int k = 0; k < N::B; k++) { switch (k) { case 0: continue; default: break; } }\n\
                o = N::id<float>(t[i].y) * (float)(m._m00_m11.x % 2); return mul(m, s.p.xyzw) ? 1 : (float4)0; }";
    for end in 0..text.len() {
        said(&text[..end]);
    }
}

#[test]
fn every_lost_word_of_a_text_is_survived() {
    let text = "struct S { float4 p ; float a [ 2 ] ; float get ( ) { return a [ 1 ] ; } } ; \
                Texture2D < float4 > t ; SamplerState s ; cbuffer C { S c [ 3 ] ; int n ; } ; \
                float4 main ( S v , float4 w : W ) : SV_Position { S q = v ; q . a [ n ] = v . get ( ) ; \
                w . xy = t . SampleLevel ( s , w . xy , 0 ) . zw ; \
                return c [ n + 1 ] . p + ( n > 1 ? w : q . p ) * float4 ( w . xyz , 1 ) ; }";
    let words: Vec<&str> = text.split(' ').collect();
    for lost in 0..words.len() {
        let mut rest = words.clone();
        rest.remove(lost);
        said(&rest.join(" "));
        rest.insert(lost, words[(lost * 7 + 3) % words.len()]);
        said(&rest.join(" "));
    }
}
