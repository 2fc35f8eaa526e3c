//! The exact texts of syntax errors.

use super::{parsed, said};

#[test]
fn a_missing_semicolon_is_put_in() {
    assert_eq!(
        said("float a = 1\nfloat b = 2;\nstruct S { float x }\nfloat4 f() { g(1) return a\n}"),
        [
            "1:12 expected `;` after `1`, found `float`",
            "3:19 expected `;` after `x`, found `}`",
            "3:21 expected `;` after `}`, found `float4`",
            "4:18 expected `;` after `)`, found `return`",
            "4:27 expected `;` after `a`, found `}`",
        ]
    );
    assert_eq!(
        said("float f() { for (int i = 0 i < 3; i++) x = a b; }"),
        [
            "1:27 expected `;` after `0`, found `i`",
            "1:45 expected `;` after `a`, found `b`",
        ]
    );
    assert_eq!(
        said("float g"),
        ["1:8 expected `;` after `g`, found the end of the file"]
    );
}

#[test]
fn operands_and_operators_that_are_missing() {
    assert_eq!(
        said("float f() { x = ; y = 1 +; z = 2 * / 3; if (x = ) y; }"),
        [
            "1:17 expected an expression, found `;`",
            "1:26 expected an expression, found `;`",
            "1:36 expected an expression, found `/`",
            "1:49 expected an expression, found `)`",
        ]
    );
    assert_eq!(
        said("float g() { vector<float, 3 x; return lerp(a, b c); }"),
        [
            "1:29 expected `,`, `>` or an operator, found `x`",
            "1:49 expected `)`, `,`, `<` or an operator, found `c`",
        ]
    );
    assert_eq!(
        said("float f() { x = float4; }"),
        ["1:23 expected `(`, found `;` (`float4` is a type)"]
    );
}

#[test]
fn an_error_in_one_place_leaves_the_rest() {
    let (tree, said) = parsed(
        "float4 f(float a float b) { return 1; }\nfloat g() { int a = 1, ; return a; }\nfloat h;",
    );
    assert_eq!(
        said,
        [
            "1:18 expected `)` or `,`, found `float`",
            "2:24 expected a name, found `;`",
        ]
    );
    assert_eq!(
        tree,
        "error [a b f]\nfunction float g\n  block\n    error [a]\n    return a\nvar float h\n"
    );
}

#[test]
fn brackets_without_a_partner() {
    assert_eq!(
        said("float4 main(float4 p : POSITION) : SV_Position { return p;\n"),
        ["2:1 expected `}` before the end of the file"]
    );
    assert_eq!(
        said("namespace N { float f() { return (1"),
        ["1:36 expected `) } }` before the end of the file"]
    );
    assert_eq!(
        said("float f() { return 1; } }\nfloat g;"),
        ["1:25 unmatched `}`"]
    );
    assert_eq!(
        said("float f() { x = (1 + 2; y = a[3; g(1)); float b[2] = {1, 2; return x; }"),
        [
            "1:23 expected `)` before `;`",
            "1:32 expected `]` before `;`",
            "1:38 unmatched `)`",
            "1:59 expected `}` before `;`",
        ]
    );
}

#[test]
fn a_function_inside_a_function_is_a_forgotten_brace() {
    let (tree, said) = parsed(
        "float f() { if (a) { return p; }\nfloat4 main(float4 p : P) : SV_Position { return p; }",
    );
    assert_eq!(
        said,
        ["2:1 a function inside a function: expected `}` before it \
          (functions cannot be nested; close the function above with `}`)"]
    );
    assert!(
        tree.contains("\nfunction float4 main : SV_Position\n"),
        "{tree}"
    );
}

#[test]
fn misspelt_keywords_are_recognised() {
    let (tree, said) =
        parsed("strcut S { float x; };\nfloat f() { retrun 1; whlie (x) { y = 1; } }");
    assert_eq!(
        said,
        [
            "1:1 `strcut` is no keyword and no known name (did you mean `struct`?)",
            "2:13 `retrun` is no keyword and no known name (did you mean `return`?)",
            "2:33 expected `;`, `,` or an operator, found `{` (did you mean `while` instead of `whlie`?)",
        ]
    );
    assert!(tree.starts_with("struct S\n  var float x\n"), "{tree}");
}

#[test]
fn what_other_languages_have() {
    assert_eq!(
        said("float f(float* p, inout float& r) { p->x = 1; goto end; *p = 3; y = &p; }"),
        [
            "1:14 HLSL has no pointers (pass an index, or the value itself)",
            "1:30 HLSL has no references (a parameter that the function changes is written `inout float4 x`)",
            "1:38 HLSL has no `->` (there are no pointers; members are reached with `.`)",
            "1:47 HLSL has no `goto` (use loops, conditions and `return`)",
            "1:57 HLSL has no pointers: nothing can be dereferenced (name the value itself)",
            "1:69 HLSL has no pointers: nothing has an address \
             (a parameter that the function changes is written `inout float4 x`)",
        ]
    );
    assert_eq!(
        said("class A { public: int x; }; union U { int a; };\nstruct S { float a : 3; };"),
        [
            "1:11 HLSL has no `public` (all members are public)",
            "1:29 HLSL has no `union` (use `asfloat`, `asint` and `asuint` to look at the same bits as another type)",
            "2:22 bit fields are not supported (use a `uint` with shifts and masks)",
        ]
    );
}

#[test]
fn statements_and_declarations_out_of_place() {
    assert_eq!(
        said("float f() { else x = 1; case 1: y = 2; switch (x) { y = 1; case 1: break; } }"),
        [
            "1:13 `else` without an `if` before it",
            "1:25 `case` stands outside of a `switch`",
            "1:53 expected `case` or `default`: no statement of a `switch` can stand before its first label",
        ]
    );
    assert_eq!(
        said(
            "f(1);\nfloat;\nfloat g() { float in = 1; }\nenum E { A B };\ntemplate<typename T> cbuffer X {};"
        ),
        [
            "1:1 expected a declaration, found `f`",
            "2:1 this declares nothing: expected a name behind the type",
            "3:19 `in` is a reserved word, no name",
            "4:12 expected `}`, `,` or `=`, found `B`",
            "5:22 expected `using` or a type, found `cbuffer`",
        ]
    );
}

#[test]
fn after_twenty_errors_the_rest_is_left_alone() {
    let text = "float f() { x = ; }\n".repeat(50) + "float last;";
    let (tree, said) = parsed(&text);
    assert_eq!(said.len(), 21);
    assert_eq!(
        said[20],
        "21:17 too many syntax errors: the rest of the file is not looked at"
    );
    assert!(tree.ends_with("error [f last x]\n"), "{tree}");
}
