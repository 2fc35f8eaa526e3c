//! Exact texts of what is said about names, types and declarations.

use super::cases;

cases! {
    names_of_other_languages, V2018,
        "mat3 m;
        float3 f(vec2 v) { return 0; }
        float g(float x) { return mix(x, x, x) + fract(x) + mod(x, 2); }"
        =>
        "1:1 error F0202: there is no type `mat3`
          hint: `mat3` is GLSL's; write `float3x3`
        2:10 error F0202: there is no type `vec2`
          hint: `vec2` is GLSL's; write `float2`
        3:27 error F0201: there is no function `mix`
          hint: this is GLSL's; write `lerp(a, b, t)`
        3:42 error F0201: there is no function `fract`
          hint: this is GLSL's; write `frac(x)`
        3:53 error F0201: there is no function `mod`
          hint: this is GLSL's; write `x - y * floor(x / y)`; `fmod(x, y)` has the sign of `x` instead";

    specialisations, V2021,
        "template<typename T> T f(T x) { return x; }
        template<> float f(float x) { return 1; }
        template<> int f<int>(int x) { return 2; }
        template<> int f<int>(int x) { return 3; }
        template<> int g<int>(int x) { return x; }
        float h<int>(int x) { return 1; }
        float i() { return f(1.0f) + f<int>(2) + f(3u); }"
        =>
        "4:16 error F0203: `f` is declared already
          3:16 it is declared here
        5:16 error F0212: there is no template `g` that this specialises
          hint: the template stands before it, with parameters that fit these
        6:7 error F0212: template arguments stand here in specialisations only
          hint: write `template<>` before it";

    an_unknown_name, V2018,
        "float f(float scale) { return scael; }"
        =>
        "1:31 error F0201: `scael` is not declared
          hint: did you mean `scale`?";

    an_unknown_function, V2018,
        "float f(float x) { return saturat(x); }"
        =>
        "1:27 error F0201: there is no function `saturat`
          hint: did you mean `saturate`?";

    a_type_where_a_value_is_wanted, V2018,
        "struct S { float a; };
        float f() { return S; }"
        =>
        "2:21 error F0110: expected `(`, found `;`
          hint: `S` is a type";

    an_unknown_member, V2018,
        "struct Light { float3 color; float range; };
        float f(Light l) { return l.rang; }"
        =>
        "2:29 error F0209: `Light` has no member `rang`
          hint: did you mean `range`?";

    an_unknown_method, V2018,
        "struct S { float a; };
        float f(S s) { return s.get(); }"
        =>
        "2:25 error F0209: `S` has no method `get`";

    an_unknown_namespace, V2018,
        "namespace Util { float f() { return 1; } }
        float g() { return Utl::f(); }"
        =>
        "2:20 error F0201: there is no namespace or struct `Utl`
          hint: did you mean `Util`?";

    a_redefined_variable, V2018,
        "void f() { float a = 1; float b = a; int a = 2; }"
        =>
        "1:42 error F0203: `a` is declared already
          1:18 it is declared here";

    a_redefined_function, V2018,
        "float f(float x) { return x; }
        float f(float y) { return y; }"
        =>
        "2:7 error F0203: `float f(float y)` has a body already
          1:7 it is defined here";

    another_return_type, V2018,
        "float f(float x);
        int f(float x) { return 1; }"
        =>
        "2:5 error F0203: `f` returns `int` here, but `float` where it is declared first
          1:7 it is declared here";

    a_use_before_the_declaration, V2018,
        "float f() { return g(); }
        float g() { return 1; }"
        =>
        "1:20 error F0204: `g` is used before its declaration
          2:7 it is declared here
          hint: declare it above its first use; a function may have a prototype there";

    a_double, V2018,
        "double d(float x) { return x; }
        static double k = 1;"
        =>
        "2:8 error F0205: the type `double` is not supported
          hint: use `float`";

    a_64_bit_literal, V2018,
        "static int k = 1ll;"
        =>
        "1:16 error F0205: the type `int64_t` is not supported
          hint: integers have 32 bits";

    a_huge_literal, V2018,
        "static uint k = 4294967296;"
        =>
        "1:17 error F0314: 4294967296 does not fit 32 bits
          hint: the largest is 4294967295; add `.0` for a float";

    a_void_variable, V2018,
        "void f() { void x; }"
        =>
        "1:12 error F0206: the variable `x` cannot be `void`";

    a_vector_of_five, V2018,
        "vector<float, 5> v;"
        =>
        "1:1 error F0206: a `vector` has 1 to 4 components each way, not 5";

    a_buffer_of_nothing, V2018,
        "StructuredBuffer b;"
        =>
        "1:1 error F0206: `StructuredBuffer` needs the type of its elements, as in `StructuredBuffer<float4>`";

    an_array_length_of_zero, V2018,
        "static float a[0];"
        =>
        "1:16 error F0207: the length of an array is at least 1, not 0";

    an_array_length_that_is_not_known, V2018,
        "int n;
        float f() { float a[n]; return 0; }"
        =>
        "2:21 error F0216: the value must be known when the shader is compiled
          hint: use literals, enum values and `static const` or `const` variables with such initialisers";

    an_array_without_length, V2018,
        "void f() { float a[]; }"
        =>
        "1:19 error F0207: the length of the array is missing";

    a_huge_array, V2018,
        "static float4 a[100000000];"
        =>
        "1:16 error F0208: the type has 400000000 components, 65536 are the most";

    a_huge_struct, V2018,
        "struct A { float4 a[10000]; };
        struct B { A a[1000]; };"
        =>
        "2:15 error F0208: the type has 40000000 components, 65536 are the most";

    a_struct_in_itself, V2018,
        "struct S { float a; S next; };"
        =>
        "1:21 error F0210: the struct `S` is not complete here
          1:8 it is declared here";

    inheriting_from_a_float, V2018,
        "struct S : float { float a; };"
        =>
        "1:12 error F0211: a struct inherits from structs, not from `float`";

    no_template, V2018,
        "struct S { float a; };
        S<float> s;"
        =>
        "2:1 error F0212: `S` is no template";

    too_few_template_arguments, V2021,
        "template<typename T, int N> struct S { T a[N]; };
        static S<float> s;"
        =>
        "2:8 error F0212: the template `S` takes 2 arguments, not 1";

    endless_templates, V2021,
        "template<int N> struct S { S<N + 1> next; };
        static S<0> s;"
        =>
        "1:28 error F0212: instances of `S` are nested without end";

    an_unknown_register, V2018,
        "cbuffer B : register(q0) { float4 a; };"
        =>
        "1:22 error F0215: `q0` is no register
          hint: registers are `b0`, `t0`, `s0`, `u0` and `c0`, a space is `space1`";

    a_wrong_packoffset, V2018,
        "cbuffer B { float4 a : packoffset(c0.q); };"
        =>
        "1:24 error F0215: a packoffset is written as `packoffset(c2.y)`";

    modifiers_that_do_not_fit, V2018,
        "row_major column_major float4x4 m;
        void f(static float x, out out float y) { y = x; inline float z = 1; }"
        =>
        "1:11 error F0213: `row_major` and `column_major` exclude each other
        2:8 error F0213: `static` is no modifier of a parameter
        2:28 error F0213: `out` stands twice
        2:50 error F0213: `inline` is no modifier of a local variable";

    an_operator_outside_of_a_struct, V2021,
        "struct V { float2 v; void operator+=(V o) { v += o.v; } };
        V operator+(V a, V b) { return a; }"
        =>
        "1:27 error F0214: the operator `+=` cannot be defined
        2:3 error F0214: the operator `+` is defined outside of a struct
          hint: make it a method of its first operand's struct";
}
