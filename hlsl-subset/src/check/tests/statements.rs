//! Exact texts of what is said about statements, resources, and of warnings and notes.

use super::cases;

cases! {
    a_misplaced_continue, V2018,
        "void f(int a) { switch (a) { case 0: continue; } }"
        =>
        "1:38 error F0401: `continue` stands in no loop";

    falling_through, V2018,
        "int f(int a) { int r = 0; switch (a) { case 0: r = 1; case 1: r = 2; break; } return r; }"
        =>
        "1:55 error F0402: the case before this one falls through into it
          1:40 this is the case
          hint: end it with `break`; only empty cases may fall through";

    a_case_twice, V2018,
        "int f(int a) { switch (a) { case 1: return 1; case 1: return 2; } return 0; }"
        =>
        "1:47 error F0403: this case exists already
          1:29 it is here";

    a_missing_return_value, V2018,
        "float f() { return; }"
        =>
        "1:13 error F0404: the function returns `float`; a value is missing here";

    a_return_value_too_much, V2018,
        "void f() { return 1; }"
        =>
        "1:19 error F0404: the function returns `void`, so no value can be returned";

    loop_and_unroll, V2018,
        "void f() { [loop] [unroll] for (int i = 0; i < 4; i++) { } }"
        =>
        "1:19 error F0405: `[loop]` and `[unroll]` exclude each other";

    a_loop_variable_after_its_loop_2021, V2021,
        "int f() { for (int i = 0; i < 4; i++) { } return i; }"
        =>
        "1:50 error F0201: `i` belongs to a loop that has ended
          1:20 it is declared here
          hint: declare it before the loop";

    sampling_in_an_unreached_function, V2018,
        "Texture2D t; SamplerState s;
        float4 f(float2 p) { return t.Sample(s, p); }"
        =>
        "";

    an_unknown_resource_method, V2018,
        "Texture2D t; SamplerState s;
        float4 f(float2 p) { return t.SampleLevl(s, p, 0); }"
        =>
        "2:31 error F0209: `Texture2D<float4>` has no method `SampleLevl`
          hint: did you mean `SampleLevel`?";

    a_sampler_that_is_none, V2018,
        "Texture2D t;
        float4 f(float2 p) { return t.SampleLevel(t, p, 0); }"
        =>
        "2:43 error F0301: `SampleLevel` takes a sampler here, not `Texture2D<float4>`";

    a_static_local_that_reads_a_parameter, V2018,
        "float f(float x) { static float y = x; return y; }"
        =>
        "1:37 error F0216: the initialiser of a static variable cannot read the local `x`
          hint: it runs once, before the entry; assign the value in a statement of its own";

    void_as_a_value, V2018,
        "void f() { }
        float g() { return f() + 1; }"
        =>
        "2:20 error F0302: this has no value: the function returns `void`";

    truncation, V2018,
        "float3 f(float4 v) { return v; }"
        =>
        "1:29 warning F1201: implicit truncation of `float4` to `float3`";

    losing_the_fraction, V2018,
        "int f(float x) { return x; }"
        =>
        "1:25 warning F1204: conversion from `float` to `int` drops the fraction";

    an_uninitialised_read, V2018,
        "float f() { float x; return x; }"
        =>
        "1:29 warning F1202: `x` is read before it is assigned; it counts as zero
          1:19 it is declared here";

    a_struct_that_is_not_filled, V2018,
        "struct S { float4 p; float2 uv; };
        S f() { S s; s.p = 1; return s; }"
        =>
        "2:30 warning F1202: `s.uv` is read before it is assigned; it counts as zero
          2:11 it is declared here";

    an_out_parameter_that_is_not_set, V2018,
        "void f(bool c, out float x) { if (c) x = 1; }"
        =>
        "1:26 warning F1202: the `out` parameter `x` is not assigned on every path; it counts as zero there";

    unreachable_code, V2018,
        "float f() { return 1; float x = 2; }"
        =>
        "1:23 warning F1203: this statement is never reached";

    unreachable_behind_an_if_whose_sides_both_leave, V2018,
        "float f(bool b) { if (b) return 1; else { return 2; } return 3; }"
        =>
        "1:55 warning F1203: this statement is never reached";

    an_unused_result, V2018,
        "void f(int a) { a == 1; }"
        =>
        "1:17 warning F1205: this expression has no effect
          hint: `==` compares; did you mean `=`?";

    an_unknown_attribute, V2018,
        "void f() { [fast] if (true) { } }"
        =>
        "1:12 warning F1206: the attribute `fast` is not known and has no effect";

    a_loop_variable_after_its_loop, V2018,
        "int f() { for (int i = 0; i < 4; i++) { } return i; }"
        =>
        "1:50 warning F1207: `i` is used after its loop; HLSL 2021 does not allow this
          1:20 it is declared here";

    half, V2018,
        "half f(half x) { return x * 2; }"
        =>
        "1:1 note F1208: `half` is computed and stored with 32 bits, as `float`";

    a_path_without_a_return, V2018,
        "float f(bool c) { if (c) return 1; }"
        =>
        "1:7 warning F1209: `f` does not return a value on every path; it counts as zero there";

    the_value_of_a_loose_global, V2018,
        "float4 tint = 1;"
        =>
        "1:15 warning F1210: the value of `tint` comes from a constant buffer; this initialiser has no effect
          hint: declare it `static const` for a constant of the shader";

    cascades_are_suppressed, V2018,
        "float4 f() { float4 a = nothing; float4 b = a.foo + a; return b * a; }"
        =>
        "1:25 error F0201: `nothing` is not declared";

    several_errors_in_one_run, V2018,
        "void f() { x = 1; y = 2; int z = w; }"
        =>
        "1:12 error F0201: `x` is not declared
        1:19 error F0201: `y` is not declared
        1:34 error F0201: `w` is not declared";
}
