//! What the preprocessor complains about, to the letter.

use super::*;

#[test]
fn an_include_that_is_not_there() {
    complains(
        "#include \"nowhere.hlsli\"\na",
        "a",
        "m:1:10 F0002 the included file 'nowhere.hlsli' was not found
  searched: shaders/nowhere.hlsli, common/nowhere.hlsli",
    );
}

#[test]
fn an_include_that_cannot_be_read() {
    complains_with(
        &[("m", "#include <b>"), ("b", "?")],
        "",
        "m:1:10 F0003 the included file 'b' cannot be read: it is a folder",
    );
}

#[test]
fn an_include_without_a_name() {
    complains(
        "#include\n#include foo\n#include \"\"\n#include <a",
        "",
        "m:1:1 F0005 #include needs a file name in quotes or <>
m:2:10 F0005 #include needs a file name in quotes or <>
m:3:10 F0005 the file name is empty
m:4:10 F0005 #include needs a file name in quotes or <>",
    );
}

#[test]
fn a_file_that_includes_itself() {
    let run = run_with(&options(), &[("m", "#include \"m\"\n#include \"m\"\na")]);
    assert_eq!(
        run.complaints(),
        "m:1:1 F0004 files include each other more than 200 deep"
    );
}

#[test]
fn too_many_inclusions() {
    let mut files: Vec<(&'static str, String)> = vec![("m", String::new())];
    let names = ["a", "b", "c", "d", "e"];
    for pair in names.windows(2) {
        files.push((pair[0], format!("#include \"{}\"\n", pair[1]).repeat(11)));
    }
    files.push(("e", String::new()));
    files[0].1 = "#include \"a\"".into();
    let files: Vec<_> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let run = run_with(&options(), &files);
    assert_eq!(
        run.complaints(),
        "d:4:1 F0004 more than 10000 files are included"
    );
}

#[test]
fn directives_that_do_not_exist() {
    complains(
        "#defin A\n#foo\na",
        "a",
        "m:1:1 F0006 there is no directive #defin
  did you mean #define?
m:2:1 F0006 there is no directive #foo",
    );
}

#[test]
fn directives_without_a_name() {
    complains(
        "#define\n#undef 1\n#ifdef\na\n#endif\n#ifndef +\nb\n#endif",
        "",
        "m:1:1 F0007 #define needs a macro's name
m:2:8 F0007 #undef needs a macro's name, and '1' is none
m:3:1 F0007 #ifdef needs a macro's name
m:6:9 F0007 #ifndef needs a macro's name, and '+' is none",
    );
}

#[test]
fn conditionals_that_are_not_closed() {
    complains(
        "a\n#if 1\n# ifdef A\n#else\nb",
        "a b",
        "m:2:1 F0008 this conditional has no #endif
m:3:1 F0008 this conditional has no #endif
  m:4:1 its #else is here",
    );
    complains_with(
        &[("m", "#include \"b\"\n#endif\na"), ("b", "#if 1")],
        "a",
        "b:1:1 F0008 this conditional has no #endif
m:2:1 F0009 this #endif belongs to no #if",
    );
}

#[test]
fn parts_of_a_conditional_where_there_is_none() {
    complains(
        "#else\na\n#elif 1\nb\n#endif\nc\n#if 0\n#else\n#else\nd\n#elif 1\n#endif",
        "a b c",
        "m:1:1 F0009 this #else belongs to no #if
m:3:1 F0009 this #elif belongs to no #if
m:5:1 F0009 this #endif belongs to no #if
m:9:1 F0009 #else after #else
  m:8:1 the #else is here
m:11:1 F0009 #elif after #else
  m:8:1 the #else is here",
    );
}

#[track_caller]
fn bad_condition(condition: &str, complaint: &str) {
    complains(&format!("#if {condition}\na\n#endif"), "", complaint);
}

#[test]
fn conditions_that_are_wrong() {
    bad_condition("", "m:1:1 F0010 the condition is missing");
    bad_condition("1 +", "m:1:1 F0010 the condition ends too early");
    bad_condition("(1", "m:1:5 F0010 this '(' is not closed");
    bad_condition("(1 2)", "m:1:8 F0010 '2' cannot stand here in a condition");
    bad_condition(
        "1 ? 2",
        "m:1:1 F0010 the ':' of a '?' is missing in this condition",
    );
    bad_condition("1 = 1", "m:1:7 F0010 '=' cannot stand here in a condition");
    bad_condition(
        "\"a\"",
        "m:1:5 F0010 '\"a\"' cannot stand here in a condition",
    );
    bad_condition("1 / 0", "m:1:7 F0010 division by zero in a condition");
    bad_condition("1 % (1 - 1)", "m:1:7 F0010 division by zero in a condition");
    bad_condition(
        "1.5",
        "m:1:5 F0010 '1.5' is not an integer\n  conditions are about integers only",
    );
    bad_condition("defined", "m:1:5 F0010 'defined' needs a macro's name");
    bad_condition("defined(A", "m:1:13 F0010 ')' must follow 'defined(A'");
    bad_condition(
        "VERSION(1, 2)",
        "m:1:5 F0010 the macro 'VERSION' is not defined
  test for it with defined(VERSION) on a line before",
    );
}

#[test]
fn conditions_without_end() {
    let deep = "(".repeat(10_000);
    bad_condition(
        &deep,
        "m:1:1 F0019 this condition is nested more than 200 deep",
    );
    let deep = "!".repeat(10_000);
    bad_condition(
        &deep,
        "m:1:1 F0019 this condition is nested more than 200 deep",
    );
    let deep = "1 ? ".repeat(10_000);
    bad_condition(
        &deep,
        "m:1:1 F0019 this condition is nested more than 200 deep",
    );
}

#[test]
fn error_and_warning_say_what_their_author_wants() {
    complains(
        "#error don't use \"this\" // really\n#warning  slow /* */\n#error\na",
        "a",
        "m:1:1 F0011 don't use \"this\"
m:2:1 F1003 slow
m:3:1 F0011 #error",
    );
}

#[test]
fn definitions_that_are_wrong() {
    complains(
        "#define defined 1
#define F(a, b
#define F(a, a) a
#define F(a + b) a
#define F(1) a
#define F(..., a) a
#define F(a) #b
#define F(a) #
#define A ## b
#define A a ##
#define F(",
        "",
        "m:1:9 F0012 'defined' cannot be a macro
m:2:10 F0012 the parameter list of this macro is not closed
m:3:14 F0012 two parameters are called 'a'
m:4:13 F0012 ',' or ')' must follow a parameter
m:5:11 F0012 '1' cannot be a parameter
m:6:14 F0012 ')' must follow '...'
m:7:14 F0012 # stands before a parameter
m:8:14 F0012 # stands before a parameter
m:9:11 F0012 ## stands between two pieces of text
m:10:13 F0012 ## stands between two pieces of text
m:11:10 F0012 the parameter list of this macro is not closed",
    );
}

#[test]
fn another_number_of_arguments_than_parameters() {
    complains(
        "#define F(a, b) a\n#define G() 1\n#define V(a, ...) a\nx = F(1) + F(1, 2, 3) + G(1);",
        "x = 0 + 0 + 0 ;",
        "m:4:5 F0013 the macro 'F' takes 2 arguments, and is given 1
  m:1:9 the macro is defined here
m:4:12 F0013 the macro 'F' takes 2 arguments, and is given 3
  m:1:9 the macro is defined here
m:4:25 F0013 the macro 'G' takes 0 arguments, and is given 1
  m:2:9 the macro is defined here",
    );
}

#[test]
fn arguments_that_are_not_closed() {
    complains(
        "#define F(a) a\nb F(1, (2)",
        "b 0",
        "m:2:3 F0014 the arguments of 'F' are not closed
  m:1:9 the macro is defined here",
    );
    complains_with(
        &[("m", "#define F(a) a\n#include \"b\"\n)"), ("b", "F(1")],
        "0 )",
        "b:1:1 F0014 the arguments of 'F' are not closed
  m:1:9 the macro is defined here",
    );
}

#[test]
fn a_paste_that_gives_no_token() {
    complains(
        "#define P(a, b) a##b\nP(tex, .Load) P(1, +)",
        "tex . Load 1 +",
        "m:2:3 F1006 'tex.' is not one token, ## has no effect
  write the two without ##
m:2:17 F1006 '1+' is not one token, ## has no effect
  write the two without ##",
    );
}

#[test]
fn macros_that_explode() {
    let mut bomb = String::from("#define A0 x x\n");
    for i in 1..64 {
        bomb += &format!("#define A{i} A{0} A{0}\n", i - 1);
    }
    bomb += "A63\nend";
    let run = run_with(&options(), &[("m", &bomb)]);
    assert_eq!(
        run.complaints(),
        "m:65:1 F0016 macros expand to more than 4000000 tokens"
    );
}

#[test]
fn strings_that_explode() {
    let text = format!(
        "#define S(x) #x\n#define X(x) S(x)\n{}\"\\\\\"{}",
        "X(".repeat(100),
        ")".repeat(100)
    );
    let run = run_with(&options(), &[("m", &text)]);
    assert_eq!(
        run.complaints(),
        "m:3:159 F0016 macros expand to more than 4000000 tokens"
    );
}

#[test]
fn calls_in_calls_without_end() {
    let text = format!(
        "#define F(x) x\n{}1{}",
        "F(".repeat(10_000),
        ")".repeat(10_000)
    );
    let run = run_with(&options(), &[("m", &text)]);
    assert_eq!(
        run.complaints(),
        "m:2:403 F0016 macro calls are nested more than 200 deep"
    );
}

#[test]
fn line_without_a_number() {
    complains(
        "#line\n#line x\n#line 1 2\n#line 5000000000\na",
        "a",
        "m:1:1 F0017 #line needs a line number
m:2:7 F0017 #line needs a line number
m:3:9 F0017 a file name in quotes must follow the line number
m:4:7 F0017 #line needs a line number",
    );
}

#[test]
fn pragmas_that_are_wrong() {
    complains(
        "#pragma pack_matrix(row)\n#pragma message\n#pragma warning disable",
        "",
        "m:1:1 F0018 pack_matrix takes (row_major) or (column_major)
m:2:1 F0018 message takes a text in quotes
m:3:1 F0018 warning takes (disable: NUMBERS), (push) or (pop)",
    );
}

#[test]
fn pragmas_that_are_not_known() {
    complains(
        "#pragma packmatrix(row_major)\n#pragma multi_compile A B\n#pragma\n#pragma message(\"built \" \"late\")",
        "",
        "m:1:9 F1002 #pragma packmatrix is not known and has no effect
  did you mean pack_matrix?
m:2:9 F1002 #pragma multi_compile is not known and has no effect
m:3:1 F1002 #pragma without a name
m:4:1 F1005 built late",
    );
}

#[test]
fn comments_and_strings_that_are_not_closed() {
    complains("a /* b\nc", "a", "m:1:3 F0102 this comment is not closed");
    complains(
        "a \"b\nc 'd\n'' e",
        "a c",
        "m:1:3 F0103 a closing \" is missing on this line
m:2:3 F0103 a closing ' is missing on this line
m:3:1 F0103 a closing ' is missing on this line",
    );
}

#[test]
fn characters_that_hlsl_does_not_have() {
    complains(
        "a @ b # c \u{A0} d \u{201C} e größe \0 f \\ g \u{2212} \u{200B}",
        "a b c d e gr e f g",
        "m:1:3 F0101 '@' is not part of HLSL
  names consist of ASCII letters, digits and _
m:1:7 F0101 '#' is not part of HLSL
  a directive stands first on its line; # and ## work only inside of a #define with parameters
m:1:11 F0101 U+00A0 is not part of HLSL
  this is a special space; write an ordinary one
m:1:15 F0101 U+201C is not part of HLSL
  this is a typographic quote; write \" instead
m:1:21 F0101 'öß' is not part of HLSL
  names consist of ASCII letters, digits and _
m:1:25 F0101 U+0000 is not part of HLSL
  this is a control character; is the file a text?
m:1:29 F0101 '\\' is not part of HLSL
  names consist of ASCII letters, digits and _
m:1:33 F0101 U+2212 is not part of HLSL
  this is a typographic dash; write - instead
m:1:35 F0101 U+200B is not part of HLSL
  this is an invisible character; delete it",
    );
}

#[test]
fn literals_that_are_wrong() {
    complains(
        "a = 1.5q + 0x + 089 + 1e99 + 99999999999999999999 + \"\\q\" + 'ab'",
        "a = 0 + 0 + 0 + 0 + 0 + \"\" + 0",
        "m:1:5 F0104 'q' cannot follow the number '1.5'
  suffixes are u and l for integers, f, h and l for floats; names do not begin with a digit
m:1:12 F0104 '0x' is not a hexadecimal number
m:1:17 F0104 '089' is not an octal number
  a number that begins with 0 is octal and has no digits 8 and 9
m:1:23 F0105 '1e99' does not fit a float
  the largest float is 3.40282347e38; infinity is written 1.#INF
m:1:30 F0105 '99999999999999999999' does not fit 64 bits
m:1:53 F0106 '\\q' is not an escape
  a backslash itself is written \\\\
m:1:60 F0106 'ab' is more than one character
  text is written in double quotes",
    );
}

#[test]
fn macros_that_are_defined_again() {
    complains(
        "#define A 1\n#define A 2\n#define F(a) a\n#define F(b) b\n#define __LINE__ 1\nA",
        "2",
        "m:2:9 F1001 the macro 'A' is defined again
  m:1:9 it was defined here
m:4:9 F1001 the macro 'F' is defined again
  m:3:9 it was defined here
m:5:9 F1001 '__LINE__' has a meaning of its own",
    );
}

#[test]
fn what_follows_a_directive() {
    complains(
        "#ifdef A B\n#else C D\n#endif A\n#undef A B\n#pragma once 1\n#include \"b\" c",
        "",
        "m:1:10 F1004 what follows the name has no effect
  write it behind // if it is a comment
m:2:7 F1004 what follows #else has no effect
  write it behind // if it is a comment
m:3:8 F1004 what follows #endif has no effect
  write it behind // if it is a comment
m:4:10 F1004 what follows the name has no effect
  write it behind // if it is a comment
m:5:14 F1004 what follows #pragma once has no effect
  write it behind // if it is a comment
m:6:10 F0002 the included file 'b' was not found
  searched: shaders/b, common/b
m:6:14 F1004 what follows the file name has no effect
  write it behind // if it is a comment",
    );
}

#[test]
fn a_file_that_is_no_shader() {
    let noise: String = (0..100_000)
        .map(|i| if i % 2 == 0 { '@' } else { '\u{1}' })
        .collect();
    let run = run_with(&options(), &[("m", &noise)]);
    assert_eq!(run.diagnostics.error_count(), Diagnostics::MAX_KEPT);
}
