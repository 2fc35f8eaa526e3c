//! What small entries become.

use super::{check, dedent};
use crate::diagnostic::Diagnostics;
use crate::entry::{Request, select};
use crate::hir::verify::verify;
use crate::profile::{HlslVersion, Profile};

/// The statements that `float4 main(float4 p : P, uint i : I) : SV_Position` with this body becomes.
fn body(declarations: &str, body: &str, version: HlslVersion) -> String {
    let text =
        format!("{declarations}\nfloat4 main(float4 p : P, uint i : I) : SV_Position {{ {body} }}");
    let (module, said) = check(&text, version);
    assert!(!said.contains("error"), "{said}");
    let request = Request {
        entry: "main",
        profile: Profile::VS_5_0,
        strict_float: false,
        run: false,
    };
    let selected = select(&module, &request, &mut Diagnostics::new()).expect("an entry");
    assert_eq!(verify(&selected.program), []);
    let text = selected.program.to_string();
    let main = text.find("float4 main(").expect("the entry is printed");
    let lines = text[main..].lines().skip(1).take_while(|l| *l != "}");
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// One test per row: declarations before the entry, its body, and the Hir of that.
macro_rules! rows {
    ($($name:ident, $version:ident, $declarations:expr, $body:expr => $hir:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(body($declarations, $body, HlslVersion::$version), dedent($hir));
        }
    )*};
}

rows! {
    a_scalar_is_splatted_and_a_product_fused, V2018, "",
        "return p * 2 + p.w;"
        =>
        "return fma(p#0, (2.0, 2.0, 2.0, 2.0), splat4(p#0[3]))";

    an_explicit_cast_keeps_a_sum_from_fusing, V2018, "",
        "return (float4)(p * p) + p;"
        =>
        "return fadd(fmul(p#0, p#0).[0, 1, 2, 3], p#0)";

    a_compound_assignment_fuses, V2018, "",
        "p += p * p; return p;"
        =>
        "(p#0 = fma(p#0, p#0, p#0))
        return p#0";

    integers_convert_by_their_sign, V2018, "",
        "int s = -1; return float4(i, s, i / 2u, s >> 1);"
        =>
        "int s#2 = -1
        return concat(utof(i#1), stof(s#2), utof(udiv(i#1, 2u)), stof(sshr(s#2, 1)))";

    an_index_is_evaluated_once, V2018, "",
        "float a[4] = { 1, 2, 3, 4 }; a[i++] += 1; return a[0];"
        =>
        "float[4] a#2 = (1.0, 2.0, 3.0, 4.0)
        ((%2#4 = ((%1#3 = i#1); (i#1 = iadd(%1#3, 1u)); %1#3)); (a#2[0 + %2#4 of 4 * 1][0] = fadd(a#2[0 + %2#4 of 4 * 1][0], 1.0)))
        return splat4(a#2[0])";

    a_swizzle_is_a_place, V2018, "",
        "p.xy = p.yx; p.wz[1] = 3; return p;"
        =>
        "(p#0[0, 1] = p#0[1, 0])
        (p#0[2] = 3.0)
        return p#0";

    a_row_and_an_element_of_a_matrix_are_places, V2018, "float4x4 m;",
        "float4x4 n = m; n[1] = p; n[i][2] = 1; n._m01_m10 = p.xy; return n[i];"
        =>
        "float4x4 n#2 = $Globals[0, 16, 32, 48, 4, 20, 36, 52, 8, 24, 40, 56, 12, 28, 44, 60]
        (n#2[4, 5, 6, 7] = p#0)
        (n#2[0 + i#1 of 4 * 4][2] = 1.0)
        (n#2[1, 4] = p#0[0, 1])
        return n#2[0 + i#1 of 4 * 4][0, 1, 2, 3]";

    a_constant_is_loaded_by_its_bytes, V2018, "cbuffer B { float a; row_major float2x3 m; float4x4 c[4]; };",
        "return float4(m[1], a) + c[i][2];"
        =>
        "return fadd(concat(B[16][16, 20, 24], B[0]), B[48 + i#1 of 4 * 64][8, 24, 40, 56])";

    both_sides_run_in_2018, V2018, "static int n;",
        "float x = p.x > 0 ? n++ : n--; return x;"
        =>
        "float x#5 = stof(iselect(flt(0.0, p#1[0]), ((%1#3 = n#0); (n#0 = iadd(%1#3, 1)); %1#3), ((%2#4 = n#0); (n#0 = isub(%2#4, 1)); %2#4)))
        return splat4(x#5)";

    only_one_side_runs_in_2021, V2021, "static int n;",
        "float x = p.x > 0 ? n++ : n--; return p.y > 0 && n++ > 1;"
        =>
        "float x#5 = stof((flt(0.0, p#1[0]) ? ((%1#3 = n#0); (n#0 = iadd(%1#3, 1)); %1#3) : ((%2#4 = n#0); (n#0 = isub(%2#4, 1)); %2#4)))
        return splat4(stof(btoi((flt(0.0, p#1[1]) ? ((%4#7 = ((%3#6 = n#0); (n#0 = iadd(%3#6, 1)); %3#6)); slt(1, %4#7)) : false))))";

    arguments_are_copied_in_and_out, V2018, "void f(inout int a, out float b) { b = a; a = 2; }",
        "float a[2]; int k = 1; f(k, a[i]); return a[0] + k;"
        =>
        "float[2] a#4
        int k#5 = 1
        ((%2#7 = k#5); (%1#6 = i#3); f(%2#7 -> k#5, -> a#4[0 + %1#6 of 2 * 1][0]))
        return splat4(fadd(a#4[0], stof(k#5)))";

    an_out_argument_of_another_type_goes_through_a_temporary, V2018, "void f(out int a, out int b) { a = 1; b = 2; }",
        "int k; float x; f(x, k); return x + k;"
        =>
        "int k#4
        float x#5
        (f(-> %1#6, -> %2#7); (x#5 = stof(%1#6)); (k#4 = %2#7); ())
        return splat4(fadd(x#5, stof(k#4)))";

    a_method_changes_its_object, V2018, "struct S { float a; void add(float x) { a += x; } float get() { return a; } };",
        "S s; s.a = 1; s.add(2); return s.get();"
        =>
        "S s#5
        (s#5 = 1.0)
        S::add(s#5 -> s#5, 2.0)
        return splat4(S::get(s#5 -> s#5))";

    a_derived_struct_has_its_bases_methods, V2018, "struct A { float a; float get() { return a; } }; struct B : A { float b; };",
        "B s = { 1, 2 }; return s.get() + s.b;"
        =>
        "B s#3 = (0x3f800000, 0x40000000)
        return splat4(fadd(A::get(s#3[0] -> s#3[0]), s#3[1][0]))";

    a_comma_gives_its_last, V2018, "",
        "float4 v = (0, 0, 0, 1); return v;"
        =>
        "float4 v#2 = (1.0, 1.0, 1.0, 1.0)
        return v#2";

    braces_are_taken_apart, V2018, "struct S { float2 a; int b[2]; };",
        "S s = { p.x, { 1, 2.5, 3 } }; return s.a.y + s.b[1];"
        =>
        "S s#2 = concat(p#0[0], 1.0, 2, 3)
        return splat4(fadd(s#2[1], stof(s#2[3][0])))";

    a_zero_cast_fills_a_struct, V2018, "struct S { float2 a; int b[2]; };",
        "S s = (S)0; return s.b[0];"
        =>
        "S s#2 = (0x00000000, 0x00000000, 0x00000000, 0x00000000)
        return splat4(stof(s#2[2][0]))";

    enums_and_constants_are_known, V2018, "enum E { A, B = 4, C }; static const int N = C * 2;",
        "float a[N]; a[9] = 1; return a[9] + B;"
        =>
        "float[10] a#3
        (a#3[9][0] = 1.0)
        return splat4(fadd(a#3[9][0], 4.0))";

    a_switch_merges_empty_cases, V2018, "",
        "float r = 0; switch (i) { case 0: case 1: r = 1; break; default: r = 2; } return r;"
        =>
        "float r#2 = 0.0
        switch i#1 {
        case 0 case 1 {
        (r#2 = 1.0)
        break
        }
        default {
        (r#2 = 2.0)
        break
        }
        }
        return splat4(r#2)";

    a_do_loop_tests_last, V2018, "",
        "int n = 0; do { n++; if (n == 2) continue; } while (n < 4); return n;"
        =>
        "int n#2 = 0
        loop {
        (n#2 = iadd(n#2, 1))
        if ieq(n#2, 2) {
        continue
        }
        } while slt(n#2, 4)
        return splat4(stof(n#2))";

    comparisons_keep_the_order_of_evaluation, V2018, "static int n; int f() { return ++n; } int g() { return n; }",
        "return f() > g();"
        =>
        "return splat4(stof(btoi(((%1#3 = f()); slt(g(), %1#3)))))";

    postfix_gives_the_old_value, V2018, "",
        "int n = 1; int k = n++ * 2; n--; return k + n;"
        =>
        "int n#2 = 1
        int k#4 = imul(((%1#3 = n#2); (n#2 = iadd(%1#3, 1)); %1#3), 2)
        (n#2 = isub(n#2, 1))
        return splat4(stof(iadd(k#4, n#2)))";

    float_remainder_is_fmod, V2018, "",
        "return p % 2;"
        =>
        "return fmod(p#6, (2.0, 2.0, 2.0, 2.0))";

    operators_of_structs_are_called, V2021, "struct V { float2 v; V operator+(V o) { V r; r.v = v + o.v; return r; } };",
        "V a = { 1, 2 }; V b = a + a; return b.v.x;"
        =>
        "V a#5 = (0x3f800000, 0x40000000)
        V b#6 = V::operator+(a#5 -> a#5, a#5)
        return splat4(b#6[0])";

    templates_are_instantiated_by_type, V2021, "template<typename T> T twice(T x) { return x + x; }",
        "return twice(p) + twice(i);"
        =>
        "return fadd(twice(p#2), splat4(utof(twice(i#3))))";

    a_literal_takes_the_overload_of_its_own_type, V2018, "float f(uint x) { return 1; } float f(int x) { return 2; } float f(float x) { return 3; }",
        "return f(1) + f(1.0) + f(1u);"
        =>
        "return splat4(fadd(fadd(f(1), f(1.0)), f(1u)))";

    a_static_local_keeps_its_value, V2018, "float f() { static float n = 2; n += 1; return n; }",
        "return f() + f();"
        =>
        "return splat4(fadd(f(), f()))";

    a_struct_of_constants_is_loaded_by_parts, V2018, "struct L { float3 d; float r; }; ConstantBuffer<L> a[2] : register(b1); cbuffer B { L ls[4]; };",
        "L l = ls[i]; return l.r + a[1].r;"
        =>
        "L l#2 = B[0 + i#1 of 4 * 16][0, 4, 8, 12]
        return splat4(fadd(l#2[3][0], a[1][12][0]))";
}
