//! Macros: expansion, rescanning, `#` and `##`.

use super::*;

#[test]
fn a_macro_is_its_text() {
    becomes("#define A 1 + 2\nA * A", "1 + 2 * 1 + 2");
    becomes("#define A\nx A y", "x y");
    becomes("#define float half\nfloat in", "half in");
    becomes("#define in out\nin", "out");
}

#[test]
fn the_value_counts_where_the_macro_is_used() {
    becomes(
        "#define A B\n#define B 1\nA\n#undef B\n#define B 2\nA",
        "1 2",
    );
}

#[test]
fn arguments_take_the_place_of_parameters() {
    becomes("#define F(a, b) b - a\nF(1, x + y)", "x + y - 1");
    becomes("#define F(a) [a]\nF((1, 2))F({3)", "[ ( 1 , 2 ) ] [ { 3 ]");
    becomes("#define F(a) [a]\nF()", "[ ]");
    becomes("#define F() f\nF() F ( )", "f f");
    becomes("#define F(a, b) a|b\nF(,) F(1,)", "| 1 |");
}

#[test]
fn a_space_before_the_parenthesis_makes_it_text() {
    becomes("#define F (a)\nF(b)", "( a ) ( b )");
}

#[test]
fn without_parentheses_it_is_no_call() {
    becomes("#define F(a) a\nF; F +\nF", "F ; F + F");
    becomes("#define F(a) a\n#define G F\nG(1)", "1");
    becomes("#define F(a) a\n#define EMPTY\nF EMPTY (1)", "F ( 1 )");
    becomes("#define F(a) a\n#define ID(x) x\nID(F)(1)", "1");
}

#[test]
fn a_call_may_go_over_lines_and_directives() {
    becomes("#define F(a, b) a b\nF\n(1,\n  2 // one\n)", "1 2");
    becomes(
        "#define F(a) a\nF(1\n#ifdef X\n+ 2\n#else\n+ 3\n#endif\n)",
        "1 + 3",
    );
}

#[test]
fn a_macro_is_not_expanded_in_its_own_expansion() {
    becomes("#define f f(1) + g\n#define g f\nf", "f ( 1 ) + f");
    becomes(
        "#define x (4 + y)\n#define y (2 * x)\nx",
        "( 4 + ( 2 * x ) )",
    );
    becomes("#define f(x) f(x + 1)\nf(f(2))", "f ( f ( 2 + 1 ) + 1 )");
}

// The example of C11 6.10.3.5, paragraph 5.
#[test]
fn rescanning_as_the_standard_has_it() {
    let text = "#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };";
    let expected = "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % \
f ( 2 * ( 0 ) ) + t ( 1 ) ; \
f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & \
f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; \
int i [ ] = { 1 , 23 , 4 , 5 , } ;";
    becomes(text, expected);
}

#[test]
fn paste_makes_one_token_of_two() {
    becomes(
        "#define P(a, b) a##b\nP(TEX, COORD0) P(1, 2) P(t, 3) P(<, =) P(in, out)",
        "TEXCOORD0 12 t3 <= inout",
    );
    becomes(
        "#define T(d) Texture##d\nT(2D) T(2DArray)",
        "Texture2D Texture2DArray",
    );
    becomes(
        "#define P(a, b) a ## b ## _t\nP(x, y) P(, y) P(x,) P(,)",
        "xy_t y_t x_t _t",
    );
    becomes("#define V 4##2\nV", "42");
}

#[test]
fn beside_paste_arguments_are_not_expanded_but_the_result_is() {
    becomes("#define N 3\n#define P(a) t##a\nP(N)", "tN");
    becomes(
        "#define N 3\n#define P(a) P_(a)\n#define P_(a) t##a\nP(N)",
        "t3",
    );
    becomes("#define xy 7\n#define P(a, b) a##b\nP(x, y)", "7");
    becomes("#define P(a, b) a##b\nP(x y, z w)", "x yz w");
}

#[test]
fn a_pasted_hash_is_no_operator() {
    let text = "#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
join(x, y)";
    becomes(text, "\"x ## y\"");
}

#[test]
fn stringizing_keeps_spelling_and_single_spaces() {
    becomes("#define S(a) #a\nS(  x   +/**/y )", r#""x + y""#);
    becomes("#define S(a) #a\nS()", r#""""#);
    becomes("#define S(a) #a\nS(\"a\\n\" 'b')", r#""\"a\\n\" 'b'""#);
    becomes(
        "#define N 3\n#define S(a) #a\n#define X(a) S(a)\nS(N) X(N)",
        r#""N" "3""#,
    );
    becomes("#define S(a) #@a\nS(x)", "120");
}

#[test]
fn variadic_macros() {
    becomes(
        "#define F(...) f(__VA_ARGS__)\nF() F(1) F(1, 2)",
        "f ( ) f ( 1 ) f ( 1 , 2 )",
    );
    becomes(
        "#define F(a, ...) a: __VA_ARGS__\nF(1) F(1,) F(1, 2, 3)",
        "1 : 1 : 1 : 2 , 3",
    );
    becomes(
        "#define F(a, ...) f(a, ## __VA_ARGS__)\nF(1) F(1, 2)",
        "f ( 1 ) f ( 1 , 2 )",
    );
    becomes("#define F(...) #__VA_ARGS__\nF(a,b , c)", r#""a,b , c""#);
}

#[test]
fn line_and_file_tell_where_the_outermost_macro_is_invoked() {
    becomes("__LINE__\n__LINE__ __FILE__", "1 2 \"m\"");
    becomes("#define L __LINE__\n#define M L\n\nM", "4");
    becomes("#define F(a) a __LINE__\nF(\n__LINE__\n)", "3 4");
    becomes("#define S(a) #a\n#define X(a) S(a)\nX(__LINE__)", "\"3\"");
    becomes(
        "#define P(a, b) P_(a, b)\n#define P_(a, b) a##b\nP(v, __LINE__)",
        "v3",
    );
    becomes("__COUNTER__ __COUNTER__", "0 1");
}

#[test]
fn a_macro_may_be_defined_again_the_same_way() {
    becomes("#define A  1 + x\n#define A 1  +  x // same\nA", "1 + x");
    becomes("#define F(a) a\n#define F(a)  a\nF(1)", "1");
}

#[test]
fn predefined_macros() {
    let text = "__HLSL_VERSION __SHADER_TARGET_STAGE __SHADER_STAGE_VERTEX __SHADER_TARGET_MAJOR __SHADER_TARGET_MINOR
#ifdef __hlsl_dx_compiler
dxc
#endif";
    becomes(text, "2018 1 1 5 0");
    let mut six = options();
    six.profile.major = 6;
    six.profile.minor = 7;
    six.hlsl_version = HlslVersion::V2021;
    becomes_with(&six, &[("m", text)], "2021 1 1 6 7 dxc");
}

#[test]
fn macros_of_the_command_line() {
    let mut with = options();
    for (name, value) in [("BONES", "64"), ("EMPTY", ""), ("F(x)", "x + 1")] {
        with.defines.push((name.into(), value.into()));
    }
    becomes_with(&with, &[("m", "BONES EMPTY F(2)")], "64 2 + 1");
}

#[test]
fn literals_become_values() {
    becomes(
        "0x10 017 1u 2LL 1.50 .5f 1e3h",
        "16 15 1u 2ll 1.5 0.5f 1000.0h",
    );
    becomes("0.xxx 1.0f.xxxx 3.rrr", "0 . xxx 1.0f . xxxx 3 . rrr");
    becomes(r#""a\tb" "" 'a'"#, r#""a\tb" "" 97"#);
}

#[test]
fn text_from_a_macro_and_from_arguments_has_spans_of_its_own() {
    let run = run_with(&options(), &[("m", "#define F(x) x + body\n  F(arg);")]);
    let places: Vec<_> = run
        .tokens
        .list
        .iter()
        .map(|t| {
            let at = run.map.location(t.span);
            (run.map.text(t.span), at.line, at.column)
        })
        .collect();
    assert_eq!(
        places,
        [("arg", 2, 5), ("+", 2, 3), ("body", 2, 3), (";", 2, 9)]
    );
}
