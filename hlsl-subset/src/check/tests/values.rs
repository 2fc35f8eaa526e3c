//! Exact texts of what is said about conversions, operators, calls and other expressions.

use super::cases;

cases! {
    braces_where_no_variable_is_initialised, V2018,
        "float f(float2 a) { return a.x; }
        float g() { return f({ 1, 2 }); }
        struct S { float a = 1; };"
        =>
        "2:22 error F0318: braces initialise variables only
          hint: a value is made with its type's name, as in `float2(a, b)`
        3:22 error F0318: fields of a struct have no initialisers";

    a_constant_without_a_value, V2018,
        "void f() { const float k; }"
        =>
        "1:24 error F0217: the constant `k` has no initialiser";

    a_failed_static_assertion, V2018,
        r#"_Static_assert(sizeof(float4) == 12, "float4 is small");"#
        =>
        "1:16 error F0218: static assertion failed: float4 is small";

    a_missing_component, V2018,
        "float3 f(float2 p) { float3 q = p; return q; }"
        =>
        "1:33 error F0301: cannot convert `float2` to `float3` to initialise `q`
          hint: components are never added by themselves; write `float3(…, 0)`";

    a_struct_as_a_float, V2018,
        "struct S { float a; float b; };
        float f(S s) { return s; }"
        =>
        "2:23 error F0301: cannot convert `S` to `float` to return it
          hint: write the cast `(float)` if that is meant";

    a_cast_to_more, V2018,
        "float4x4 f(float3x3 m) { return (float4x4)m; }"
        =>
        "1:33 error F0301: cannot cast `float3x3` to `float4x4`
          hint: `float4x4` has 16 components, `float3x3` only 9";

    adding_structs, V2018,
        "struct S { float a; };
        S f(S a, S b) { return a + b; }"
        =>
        "2:24 error F0302: `+` cannot be applied to `S` and `S`";

    bits_of_floats, V2018,
        "float f(float a) { return a & 1; }"
        =>
        "1:27 error F0302: `&` cannot be applied to `float` and `int`
          hint: it is for integers; convert the operands with `int(…)` or `asuint(…)`";

    multiplying_a_matrix_by_a_vector, V2018,
        "float4 f(float4x4 m, float4 v) { return m * v; }"
        =>
        "1:41 error F0302: `*` cannot be applied to `float4x4` and `float4`
          hint: `mul(a, b)` multiplies matrices and vectors";

    assigning_a_constant, V2018,
        "cbuffer B { float4 k; };
        void f() { k = 1; }"
        =>
        "2:12 error F0303: a constant cannot be assigned: loose globals and members of constant buffers are only read
          hint: copy it to a local variable, or declare the global `static`";

    assigning_a_const, V2018,
        "void f() { const int n = 1; n++; }"
        =>
        "1:29 error F0303: `n` cannot be assigned: it is `const`
          1:22 it is declared here";

    assigning_a_value, V2018,
        "void f(float a) { a + 1 = 2; }"
        =>
        "1:19 error F0303: this cannot be assigned: it is a computed value, no variable";

    assigning_a_swizzle_twice, V2018,
        "void f(float4 v) { v.xx = 1; }"
        =>
        "1:20 error F0311: a swizzle that names a component twice cannot be assigned";

    too_many_arguments, V2018,
        "float f(float a) { return a; }
        float g() { return f(1, 2); }"
        =>
        "2:20 error F0304: `f` takes 1 argument, not 2
          1:7 it is `float f(float a)`";

    an_argument_that_does_not_fit, V2018,
        "float f(float3 a) { return a.x; }
        float g(float2 v) { return f(v); }"
        =>
        "2:30 error F0305: `f`: argument 1 is `float2`, which does not convert to `float3`
          1:7 it is `float f(float3 a)`";

    no_overload_fits, V2018,
        "float f(float3 a) { return a.x; }
        float f(float a, float b) { return a; }
        float g(float2 v) { return f(v); }"
        =>
        "3:28 error F0305: no overload of `f` takes (float2)
          1:7 `float f(float3 a)`: argument 1 is `float2`, which does not convert to `float3`
          2:7 `float f(float a, float b)`: takes 2 arguments, not 1";

    an_ambiguous_call, V2018,
        "float f(int a, float b) { return 1; }
        float f(float a, int b) { return 2; }
        float g() { return f(1u, 1u); }"
        =>
        "3:20 error F0306: the call `f(uint, uint)` is ambiguous
          1:7 it may be `float f(int a, float b)`
          2:7 it may be `float f(float a, int b)`
          hint: convert an argument, so that one of them fits best";

    an_out_argument_that_is_no_variable, V2018,
        "void f(out float a) { a = 1; }
        void g() { f(1.0); }"
        =>
        "2:14 error F0303: this cannot be passed as `out`: it is a computed value, no variable";

    calling_a_variable, V2018,
        "float f(float x) { return x(1); }"
        =>
        "1:27 error F0307: `x` is no function";

    an_intrinsic_with_too_few_arguments, V2018,
        "float f(float x) { return max(x); }"
        =>
        "1:27 error F0304: `max` takes 2 arguments, not 1";

    an_intrinsic_of_the_wrong_kind, V2018,
        "struct S { float a; };
        float f(S s) { return sin(s); }"
        =>
        "2:27 error F0305: argument 1 of `sin` must be a scalar, vector or matrix, it is `S`";

    a_constructor_with_too_little, V2018,
        "float4 f(float2 v) { return float4(v, 1); }"
        =>
        "1:29 error F0308: `float4` takes 4 components, not 3";

    a_list_that_is_too_short, V2018,
        "static float3 v = { 1, 2 };"
        =>
        "1:19 error F0309: too few values to initialise `v`: `float3` has 3 components, the list 2
          hint: `(float3)0` makes all components zero";

    a_list_that_does_not_divide, V2018,
        "static float2 v[] = { 1, 2, 3 };"
        =>
        "1:21 error F0309: the list has 3 components, an element `float2` has 2";

    dividing_by_zero, V2018,
        "int f(int a) { return a / 0; }"
        =>
        "1:23 error F0310: integer division by zero";

    a_component_that_is_not_there, V2018,
        "float f(float2 p) { return p.z; }"
        =>
        "1:30 error F0311: `float2` has nothing for the swizzle `z`";

    mixed_swizzles, V2018,
        "float2 f(float4 p) { return p.xg; }"
        =>
        "1:31 error F0311: the swizzle `xg` mixes two ways of naming components";

    no_swizzle, V2018,
        "float f(float4 p) { return p.foo; }"
        =>
        "1:30 error F0311: `foo` is no swizzle of `float4`
          hint: components are `xyzw` or `rgba`";

    no_matrix_swizzle, V2018,
        "float f(float3x3 m) { return m._m33; }"
        =>
        "1:32 error F0311: `float3x3` has nothing for the swizzle `_m33`";

    an_index_out_of_range, V2018,
        "float f() { float a[4]; return a[4]; }"
        =>
        "1:34 error F0312: the index 4 is out of range: `float[4]` has 4 of them";

    a_negative_index, V2018,
        "float f(float3 v) { return v[-1]; }"
        =>
        "1:30 error F0312: the index -1 is out of range: `float3` has 3 of them";

    indexing_a_float, V2018,
        "float f(float x) { return x[0]; }"
        =>
        "1:27 error F0313: `float` cannot be indexed";

    indexing_with_a_vector, V2018,
        "float f(float2 i) { float a[4]; return a[i]; }"
        =>
        "1:42 error F0313: an index is an integer, not `float2`";

    vector_logic, V2021,
        "bool2 f(bool2 a, bool2 b) { return a && b; }"
        =>
        "1:36 error F0315: `&&` takes scalars in HLSL 2021, not `bool2`
          hint: `and(a, b)` works component by component";

    a_vector_choice, V2021,
        "float2 f(bool2 c, float2 a, float2 b) { return c ? a : b; }"
        =>
        "1:48 error F0315: the condition of `?:` is a scalar in HLSL 2021, not `bool2`
          hint: `select(cond, a, b)` works component by component";

    a_vector_condition, V2018,
        "float f(float2 v) { if (v < 0) return 1; return 0; }"
        =>
        "1:25 error F0316: a condition is a scalar, not `bool2`
          hint: `any(…)` or `all(…)` makes one bool of several";

    a_list_in_an_expression, V2018,
        "float2 f() { return { 1, 2 }; }"
        =>
        "1:21 error F0110: expected `;` or an expression, found `{`";

    recursion, V2018,
        "float f(float x);
        float g(float x) { return f(x); }
        float f(float x) { return g(x); }"
        =>
        "2:27 error F0320: the call is recursive: `f` calls `g` calls `f`
          3:27 the call in `f`
          hint: a shader has no stack; use a loop";

    a_misplaced_break, V2018,
        "void f() { break; }"
        =>
        "1:12 error F0401: `break` stands in no loop or switch";

    a_scalar_as_a_struct, V2018,
        "struct S { float a; float b; };
        void f() { S s = 0; S t = (S)0; }"
        =>
        "2:18 error F0301: cannot convert `int` to `S` to initialise `s`
          hint: write the cast `(S)` if that is meant";

    a_small_struct_as_a_larger_one, V2018,
        "struct A { float a; }; struct B { float a; float b; };
        B f(A a) { return (B)a; }"
        =>
        "2:19 error F0301: cannot cast `A` to `B`
          hint: `B` has 2 components, `A` only 1";

    a_matrix_of_other_dimensions, V2018,
        "float2x1 f(float1x2 m) { return (float2x1)m; }"
        =>
        "1:33 error F0301: cannot cast `float1x2` to `float2x1`";
}
