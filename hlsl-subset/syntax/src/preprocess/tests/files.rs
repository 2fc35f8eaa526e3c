//! Files: includes, `#line`, pragmas, encodings.

use super::*;

#[track_caller]
fn files_become(files: &[(&'static str, &str)], expected: &str) {
    becomes_with(&options(), files, expected);
}

#[test]
fn includes_stand_where_they_are_asked_for() {
    let files = [("m", "a\n#include \"b.hlsli\"\nc"), ("b.hlsli", "b")];
    files_become(&files, "a b c");
    let files = [("m", "#include <sub\\b.hlsli>\nc"), ("sub/b.hlsli", "b")];
    files_become(&files, "b c");
    let files = [("m", "# include\"b\" // comment\nc"), ("b", "b")];
    files_become(&files, "b c");
}

#[test]
fn macros_may_name_the_file() {
    let files = [("m", "#define FILE \"b\"\n#include FILE\n"), ("b", "b")];
    files_become(&files, "b");
    let files = [("m", "#define D sub\n#include <D/b.x>\n"), ("D/b.x", "b")];
    files_become(&files, "b");
    let files = [("m", "#define D <sub/b.x>\n#include D\n"), ("sub/b.x", "b")];
    files_become(&files, "b");
    let files = [
        ("m", "#define S(x) #x\n#define F(n) S(n.h)\n#include F(b)\n"),
        ("b.h", "b"),
    ];
    files_become(&files, "b");
}

#[test]
fn macros_of_an_included_file_count_afterwards() {
    files_become(&[("m", "#include \"b\"\nA"), ("b", "#define A 1")], "1");
}

#[test]
fn once_means_once() {
    let main = "#include \"b\"\n#include \"b\"\n#include \"c\"";
    files_become(
        &[
            ("m", main),
            ("b", "#pragma once\nb"),
            ("c", "#include \"b\"\nc"),
        ],
        "b c",
    );
    let guarded = "#ifndef B\n#define B\nb\n#endif";
    files_become(
        &[("m", main), ("b", guarded), ("c", "#include \"b\"\nc")],
        "b c",
    );
}

#[test]
fn a_conditional_of_an_included_file_is_its_own() {
    files_become(
        &[
            ("m", "#if 1\n#include \"b\"\n#endif\nend"),
            ("b", "#if 0\n#endif\nb"),
        ],
        "b end",
    );
}

#[test]
fn line_changes_what_line_and_file_give() {
    becomes("#line 100\n__LINE__\n__LINE__ __FILE__", "100 101 \"m\"");
    becomes(
        "#line 7 \"a\\\\b.fx\"\n__LINE__ __FILE__\n#line 1\n__LINE__ __FILE__",
        "7 \"a\\\\b.fx\" 1 \"a\\\\b.fx\"",
    );
    becomes("# 33 \"x\"\n__LINE__", "33");
    becomes("#define N 20\n#line N\n__LINE__", "20");
}

#[test]
fn lines_of_an_included_file_are_its_own() {
    let files = [
        ("m", "#line 50\n#include \"b\"\n__LINE__ __FILE__"),
        ("b", "__LINE__ __FILE__"),
    ];
    files_become(&files, "1 \"b\" 51 \"m\"");
}

#[test]
fn pack_matrix_reaches_the_grammar() {
    becomes(
        "#pragma pack_matrix(row_major)\na\n#pragma pack_matrix ( column_major )\nb",
        "#pragma pack_matrix(row_major) a #pragma pack_matrix(column_major) b",
    );
}

#[test]
fn known_pragmas_without_effect_are_passed_over() {
    becomes(
        "#pragma def (vs_4_0, c0, 1, 2, 3, 4)\n#pragma warning(disable : 3206 4000)\n#pragma region don't\n#pragma endregion\na",
        "a",
    );
}

#[test]
fn pragma_warning_reaches_the_warnings() {
    let text = "#define A 1\n#pragma warning(push)\n#pragma warning(disable: F1001)\n#define A 2\n#pragma warning(pop)\n#define A 3";
    let mut run = run_with(&options(), &[("m", text)]);
    run.diagnostics.apply_warning_changes(&run.map);
    assert_eq!(
        run.complaints(),
        "m:6:9 F1001 the macro 'A' is defined again\n  m:4:9 it was defined here"
    );
}

#[test]
fn every_encoding_and_end_of_line() {
    let text = "#define A 1\r\n\r\nA // größe\rA";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
    for bytes in [text.as_bytes(), &utf16, &latin1] {
        let mut map = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let main = map.add("m", bytes, None).unwrap();
        let tokens = preprocess(
            &mut map,
            main,
            &options(),
            &mut NoIncludes,
            &mut diagnostics,
        );
        let lines: Vec<_> = tokens
            .list
            .iter()
            .map(|t| map.location(t.span).line)
            .collect();
        assert_eq!(lines, [3, 4]);
    }
}

#[test]
fn a_null_directive_and_an_empty_file() {
    becomes("#\n # // nothing\na\n#", "a");
    becomes("", "");
    becomes("\n\n", "");
}

#[test]
fn the_end_is_that_of_the_main_file() {
    let run = run_with(&options(), &[("m", "a\n#include \"b\"\nc\n"), ("b", "b")]);
    let end = run.map.location(run.tokens.end);
    assert_eq!((&*end.file, end.line, end.column), ("m", 4, 1));
}
