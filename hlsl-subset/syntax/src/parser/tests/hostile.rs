//! Nothing is too long, too deep or too wrong for the parser.

use super::said;

/// Everything with its own part of a deep nesting is refused with one message.
fn too_deep(text: &str) {
    let said = said(text);
    assert!(
        said.iter()
            .any(|s| s.contains("nested more than 256 levels deep")),
        "{said:?}"
    );
}

fn repeat(before: &str, part: &str, times: usize, after: &str) -> String {
    format!("{before}{}{after}", part.repeat(times))
}

#[test]
fn deep_nesting_is_refused() {
    let n = 20_000;
    too_deep(&repeat("void f() { x = ", "-", n, "1; }"));
    too_deep(&repeat("void f() { x = 1", "+ a", n, "; }"));
    too_deep(&repeat("void f() { x = ", "a = ", n, "1; }"));
    too_deep(&repeat("void f() { x", ".x", n, "; }"));
    too_deep(&repeat("void f() { ", "if (a) ", n, "; }"));
    too_deep(&repeat("void f() { ", "a ? b : ", n, "c; }"));
    let nest = |before: &str, open: &str, close: &str, after: &str| {
        format!("{before}{}{}{after}", open.repeat(n), close.repeat(n))
    };
    too_deep(&nest("void f() { x = ", "f(", ")", "; }"));
    too_deep(&nest("void f() { ", "{", "}", "}"));
    too_deep(&nest("float a = ", "{", "}", ";"));
    too_deep(&nest("", "struct S {", "};", ""));
    too_deep(&nest("", "namespace N {", "}", ""));
    too_deep(&nest("", "vector<", ">", " x;"));
}

#[test]
fn parentheses_that_group_nothing_may_be_nested() {
    let text = format!("float a = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(said(&text), Vec::<String>::new());
}

#[test]
fn long_chains_are_accepted() {
    assert_eq!(
        said(&repeat("void f() { x = 1", "+ a", 500, "; }")),
        Vec::<String>::new()
    );
    assert_eq!(
        said(&repeat("void f() { ", "if (a) b; else ", 100_000, "; }")),
        Vec::<String>::new()
    );
}

#[test]
fn open_brackets_without_end_are_reported() {
    for open in [
        "(", "[", "{", "f(", "a[", "= {", "struct {", "vector<", "for (",
    ] {
        assert!(!said(&open.repeat(20_000)).is_empty(), "{open}");
    }
}

/// Words and punctuation of all kinds.
const SOUP: &[&str] = &[
    "float4",
    "x",
    "S",
    "struct",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ">>",
    ";",
    ",",
    ":",
    "::",
    ".",
    "=",
    "+",
    "-",
    "*",
    "&",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "break",
    "template",
    "typename",
    "typedef",
    "using",
    "namespace",
    "cbuffer",
    "register",
    "packoffset",
    "enum",
    "class",
    "operator",
    "const",
    "sample",
    "static",
    "1",
    "2.5f",
    "\"s\"",
    "technique",
    "pass",
    "SamplerState",
    "sampler_state",
    "compile",
    "vector",
    "?",
    "++",
    "!",
    "->",
    "@",
    "#",
    "in",
    "T",
    "sizeof",
    "static_assert",
    "this",
    "unsigned",
    "string",
    "retrun",
    "\n#pragma pack_matrix(row_major)\n",
];

#[test]
fn soup_of_tokens_is_survived() {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..1000 {
        let length = next(120);
        let words: Vec<&str> = (0..length).map(|_| SOUP[next(SOUP.len())]).collect();
        said(&words.join(" "));
    }
}

/// A shader from which tokens are left out, doubled or swapped is nearly right: repairs of all kinds are tried.
#[test]
fn damaged_shaders_are_survived() {
    let words: Vec<&str> = "struct S { float4 p : SV_Position ; float f ( ) { return p . x ; } } ; cbuffer B : register ( b0 ) { \
        float4x4 m ; } ; template < typename T > T g ( T a ) { return a ; } S main ( float4 p : POSITION , uint i : ID ) { S s = ( S ) 0 ; \
        for ( int k = 0 ; k < 3 ; k ++ ) { if ( i > 2 ) { s . p += mul ( p , m ) ; } else s . p = g < float > ( 1 ) ; } \
        switch ( i ) { case 1 : break ; default : return s ; } float a [ 2 ] = { 1 , 2 } ; return s ; }"
        .split_whitespace()
        .collect();
    for i in 0..words.len() {
        let mut without = words.clone();
        without.remove(i);
        assert!(without.len() < words.len());
        said(&without.join(" "));
        let mut doubled = words.clone();
        doubled.insert(i, words[i]);
        said(&doubled.join(" "));
        let mut swapped = words.clone();
        swapped.swap(i, (i * 7 + 3) % words.len());
        said(&swapped.join(" "));
        said(&words[..i].join(" "));
    }
}
