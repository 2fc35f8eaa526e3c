//! What converts to and from enums, and what does not: as dxc does it.

use super::cases;

cases! {
    an_enum_is_a_number_where_one_is_wanted, V2021,
        "enum E { A, B = 3 };
        static const E known = B;
        float f(E e) { int i = e; float x = B + 1.5; x += e; return max(e, 2) + i + x + !e + ~e; }
        float g(int k) { return k; }
        float h() { float a[B] = { 1, 2, 3 }; return f(A) + g(B) + a[A] + (known < B ? 1 : 0); }"
        =>
        "";

    an_enum_class_is_compared_and_switched_over, V2021,
        "enum class E : uint { A, B };
        struct S { E e; };
        float f(E e)
        {
            S s = (S)0;
            s.e = e == E::A ? E::B : E::A;
            switch (s.e) { case E::A: return 1; default: break; }
            return e != E::B ? (int)e : uint(s.e);
        }"
        =>
        "";

    no_number_becomes_an_enum, V2021,
        "enum E { A };
        void f(int i)
        {
            E a = 0;
            E b = i;
            E c = (E)i;
            c += 1;
        }"
        =>
        "4:11 error F0301: cannot convert `int` to `E` to initialise `a`
          hint: write the cast `(E)` if that is meant
        5:11 error F0301: cannot convert `int` to `E` to initialise `b`
          hint: write the cast `(E)` if that is meant
        7:5 error F0301: cannot convert `int` to `E`
          hint: write the cast `(E)` if that is meant";

    no_enum_becomes_another, V2021,
        "enum E { A };
        enum F { B };
        void f() { E e = B; }"
        =>
        "3:18 error F0301: cannot convert `F` to `E` to initialise `e`
          hint: write the cast `(E)` if that is meant";

    an_enum_class_is_no_number, V2021,
        "enum class E { A };
        float f(float x) { return x; }
        float g(E e) { return f(e); }
        float h(E e) { return e + 1; }
        float i(E e) { if (e) return 1; return !e; }
        bool j(E e) { return e < E::A; }"
        =>
        "3:25 error F0305: `f`: argument 1 is `E`, which does not convert to `float`
          2:7 it is `float f(float x)`
        4:23 error F0301: cannot convert `E` to `int`
          hint: write the cast `(int)` if that is meant
        5:20 error F0301: cannot convert `E` to `bool`
          hint: write the cast `(bool)` if that is meant
        5:41 error F0301: cannot convert `E` to `int`
          hint: write the cast `(int)` if that is meant
        6:22 error F0301: cannot convert `E` to `int`
          hint: write the cast `(int)` if that is meant";

    enums_do_not_step, V2021,
        "enum E { A };
        void f(E e) { e++; }"
        =>
        "2:15 error F0302: `++` cannot be applied to `E`";

    labels_over_an_enum_class_are_its_values, V2021,
        "enum class E { A };
        float f(E e) { switch (e) { case 0: return 1; default: return 2; } }"
        =>
        "2:34 error F0301: cannot convert `int` to `E`
          hint: write the cast `(E)` if that is meant";

    overloads_by_enum, V2021,
        "enum E { A };
        enum class F { B };
        int f(E e) { return 1; }
        float f(F e) { return 2; }
        float2 f(int i) { return 3; }
        void g() { int a = f(A); float b = f(F::B); float2 c = f(1); }"
        =>
        "";
}
