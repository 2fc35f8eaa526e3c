//! What fxc and dxc both refuse, and what looks like it but is not: exact texts.

use super::cases;

cases! {
    sums_into_a_bool, V2018,
        "void f(bool b, int i) { b += i; b &= i; b <<= 1; }"
        =>
        "1:25 error F0302: `+=` cannot be applied to `bool`
        1:41 error F0302: `<<=` cannot be applied to `bool`";

    matrices_of_which_neither_holds_the_other, V2018,
        "float2x1 f(float1x2 a, float2x1 b, float2x2 c) { return c + b; }
        float1x2 g(float1x2 a, float2x1 b) { return a + b; }"
        =>
        "1:57 warning F1201: implicit truncation of `float2x2` to `float2x1`
        2:45 error F0302: `+` cannot be applied to `float1x2` and `float2x1`
          hint: the operands' dimensions do not fit";

    registers_of_the_wrong_class, V2018,
        "cbuffer A : register(t0) { float a; }
        cbuffer B : register(cb1) { float b; }
        tbuffer C : register(b2) { float c; }
        Texture2D d : register(b0);
        SamplerState e : register(u0);
        RWBuffer<float> g : register(t0);
        StructuredBuffer<float> h : register(t1);"
        =>
        "1:13 error F0215: this is bound to a register like `b0`, not to `t0`
        3:13 error F0215: this is bound to a register like `t2`, not to `b2`
        4:15 error F0215: this is bound to a register like `t0` or `s0`, not to `b0`
        5:18 error F0215: this is bound to a register like `s0` or `t0`, not to `u0`
        6:21 error F0215: this is bound to a register like `u0`, not to `t0`";

    two_registers, V2018,
        "Texture2D a : register(t0) : register(t1);
        SamplerState b : register(ps, s0) : register(vs, s1);
        SamplerState c : register(xx, s0);"
        =>
        "1:30 error F0215: a second register of the same class
          1:15 the first one is here
        3:27 error F0215: `xx` is no register
          hint: registers are `b0`, `t0`, `s0`, `u0` and `c0`, a space is `space1`";

    packoffset_outside_of_buffers, V2018,
        "float4 a : packoffset(c0);"
        =>
        "1:12 error F0215: only members of constant buffers have a packoffset";

    majorness_of_a_vector, V2018,
        "row_major float2 a; row_major float2x3 b[2]; float2x3 row_major c;"
        =>
        "1:1 error F0213: `row_major` is for matrices, not for `float2`
        1:55 error F0213: `row_major` stands before the type";

    snorm_of_an_int, V2018,
        "snorm int a; unorm float4 b;"
        =>
        "1:1 error F0213: `snorm` is for floats, not for `int`";

    modifiers_of_a_typedef, V2018,
        "typedef static float A; typedef uniform float B; typedef linear float C; typedef const float D;"
        =>
        "1:9 error F0213: `static` is no modifier of a typedef
        1:33 error F0213: `uniform` is no modifier of a typedef
        1:58 error F0213: `linear` is no modifier of a typedef";

    modifiers_of_fields_and_functions, V2018,
        "struct S { uniform float a; }; extern float f() { return 1; }"
        =>
        "1:12 error F0213: `uniform` is no modifier of a field
        1:32 error F0213: `extern` is no modifier of a function";

    semantics_of_locals_and_typedefs, V2018,
        "typedef float T : COLOR;
        void f() { float a : COLOR = 1; }"
        =>
        "1:19 error F0214: a typedef has no semantic, so no `COLOR`
        2:22 error F0214: a local variable has no semantic, so no `COLOR`";

    texels_by_the_wrong_number_of_coordinates, V2018,
        "Texture2D t; TextureCube c; Buffer<float4> b; float4 f(uint2 p, uint i) { return t[p] + t[i] + c[p] + b[p] + b[i]; }"
        =>
        "1:91 error F0313: `Texture2D<float4>` is indexed with `uint2`, not with `uint`
        1:96 error F0313: `TextureCube<float4>` cannot be indexed
        1:105 error F0313: `Buffer<float4>` is indexed with `uint`, not with `uint2`";

    out_argument_of_another_width, V2018,
        "void three(out int3 x) { x = 1; }
        int2 f() { int2 a; three(a); return a; }
        int4 g() { int4 a; three(a); return a; }"
        =>
        "2:26 error F0305: `three`: argument 1 is `int2`, which does not convert to `int3`
          1:6 it is `void three(out int3 x)`
        3:26 error F0305: `three`: argument 1 is `int4`, which does not convert to `int3`
          1:6 it is `void three(out int3 x)`";

    two_defaults, V2018,
        "int f(int a = 3);
        int f(int a = 3) { return a; }"
        =>
        "2:5 error F0203: the parameter `a` has a default already
          1:5 it is declared here";

    half_has_its_own_overloads, V2018,
        "int f(half x) { return 1; }
        int f(float x) { return 2; }
        int f(half y) { return 3; }"
        =>
        "1:7 note F1208: `half` is computed and stored with 32 bits, as `float`
        3:5 error F0203: `int f(float y)` has a body already
          1:5 it is defined here";

    a_static_member_as_a_bound, V2018,
        "struct S { static const uint N = 2; struct Inner { uint n; S outer(); }; float x[N]; };
        S S::Inner::outer() { return (S)n; }
        float f(S s) { float sum = 0; for (uint i = 0; i < S::N; ++i) sum += s.x[i]; return sum; }"
        =>
        "";
}
