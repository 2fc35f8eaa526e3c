//! Conditionals and their conditions.

use super::*;

#[test]
fn one_group_is_taken() {
    let text = "#if A == 1\none\n#elif A == 2\ntwo\n#elif A == 2\nagain\n#else\nother\n#endif\nend";
    becomes(&format!("#define A 1\n{text}"), "one end");
    becomes(&format!("#define A 2\n{text}"), "two end");
    becomes(&format!("#define A 3\n{text}"), "other end");
}

#[test]
fn ifdef_and_ifndef() {
    becomes(
        "#define A\n#ifdef A\nyes\n#endif\n#ifndef A\nno\n#endif",
        "yes",
    );
    becomes("#ifdef __LINE__\nyes\n#endif", "yes");
}

#[test]
fn what_is_left_out_need_not_be_hlsl() {
    let text = "#if 0
don't \"open @ $ /* \" #endif
#include <nowhere>
#bogus
#if what is this(
#else
#endif
// #endif
/* #endif
#endif */
#elif 1
yes
#else
#error not reached
#endif";
    becomes(text, "yes");
}

#[test]
fn conditions_of_groups_that_cannot_be_taken_are_not_looked_at() {
    becomes("#if 1\na\n#elif 1 / 0\n#elif garbage (\n#endif", "a");
    becomes("#if 0\n#if 1 / 0\n#endif\n#endif\nb", "b");
}

#[track_caller]
fn holds(condition: &str, expected: bool) {
    let text = format!("#define ONE 1\n#define EMPTY\n#if {condition}\n1\n#else\n0\n#endif");
    becomes(&text, if expected { "1" } else { "0" });
}

#[test]
fn conditions_are_expressions_of_c() {
    holds("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9", true);
    holds("7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1", true);
    holds(
        "1 << 4 == 16 && 0xF0 >> 4 == 0xF && (5 & 3 | 8 ^ 1) == 9",
        true,
    );
    holds("!0 && ~0 == -1 && +1 == - -1", true);
    holds("0 ? 1 : 2 ? 3 : 4", true);
    holds("1 || 1 / 0", true);
    holds("0 && 1 / 0", false);
    holds("-1 > 0u && -1 < 0", true);
    holds("'A' == 65", true);
    holds("1 < 2 == 1", true);
    holds("9223372036854775807 + 1 < 0", true);
    holds(
        "-9223372036854775807 - 1 == (-9223372036854775807 - 1) / -1",
        true,
    );
}

#[test]
fn names_that_are_no_macros_count_zero() {
    holds("UNKNOWN", false);
    holds("UNKNOWN == 0 && ONE", true);
    holds("true && !false", true);
}

#[test]
fn defined_with_and_without_parentheses_and_out_of_macros() {
    holds("defined ONE && defined(EMPTY) && !defined ( NONE )", true);
    becomes(
        "#define HAS defined(X) && defined Y\n#define X 0\n#define Y 0\n#if HAS\n1\n#endif",
        "1",
    );
}

#[test]
fn macros_with_parameters_in_conditions() {
    becomes(
        "#define AT_LEAST(a, b) (VERSION >= a * 10 + b)\n#define VERSION 51\n#if AT_LEAST(5, 1)\n1\n#endif",
        "1",
    );
}

#[test]
fn conditions_may_go_over_joined_lines() {
    becomes("#if 1 && \\\n  1 /* and\n */ && 1\nyes\n#endif", "yes");
}
