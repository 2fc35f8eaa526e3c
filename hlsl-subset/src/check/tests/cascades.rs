//! One mistake, one error: what depends on it is silent.

use super::cases;

cases! {
    a_lost_global, V2018,
        "uniform vec4 tint;
        float4 main(float4 p : POSITION) : SV_Position { return p * tint; }"
        =>
        "1:9 error F0202: there is no type `vec4`
          hint: `vec4` is GLSL's; write `float4`";

    a_lost_parameter, V2018,
        "struct O { float4 p : SV_Position; };
        float4 f(Foo x) { return x.a; }
        O main(float4 p : POSITION) { O o; o.p = f(p); return o; }"
        =>
        "2:10 error F0202: there is no type `Foo`";

    a_lost_field, V2018,
        "struct O { float4 p : SV_Position; Foo x : X; };
        O main(float4 p : POSITION) { O o; o.p = p; o.x = 3; return o; }"
        =>
        "1:36 error F0202: there is no type `Foo`";

    a_lost_header, V2018,
        "float4 f(float4 a float b) { return a; }
        float4 main(float4 p : POSITION) : SV_Position { return f(p, 1); }"
        =>
        "1:19 error F0110: expected `)` or `,`, found `float`";

    a_struct_with_a_comma, V2018,
        "struct O { float4 p : SV_Position, float2 t : T; };
        O main(float4 p : POSITION) { O o; o.p = p; o.t = 1; return o; }"
        =>
        "1:36 error F0110: expected a name, found `float2`
          hint: `float2` is a type";

    a_lost_return_value, V2018,
        "float4 main(float4 p : POSITION) : SV_Position { float4 q; return q * scale; }"
        =>
        "1:71 error F0201: `scale` is not declared";

    no_warnings_beside_syntax_errors, V2018,
        "float4 main(float4 p : POSITION) : SV_Position { float4 a = p p; return a; }"
        =>
        "1:62 error F0112: expected `;` after `p`, found `p`";

    a_lost_typedef, V2018,
        "typedef Foo Bar;
        Bar f(Bar b) { Bar c = b; return c; }
        float g() { return f(1); }"
        =>
        "1:9 error F0202: there is no type `Foo`";

    an_operator_that_cannot_be, V2021,
        "struct V { float a; void operator+=(V o) { a += o.a; } };
        float f() { V v; v.a = 1; v += v; return v.a; }"
        =>
        "1:26 error F0214: the operator `+=` cannot be defined";
}
