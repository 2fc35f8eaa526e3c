//! What the sink keeps, and how diagnostics look, to the letter.

use super::*;
use crate::source::Expansion;

/// The span of `what` in the text, which holds it once.
fn find(map: &SourceMap, what: &str) -> Span {
    for position in 0.. {
        let span = Span {
            lo: position,
            hi: position + what.len() as u32,
            expansion: 0,
        };
        if map.text(span) == what {
            return span;
        }
        assert!(position < 100_000, "'{what}' is not in the text");
    }
    unreachable!()
}

fn one_file(text: &str) -> SourceMap {
    let mut map = SourceMap::new();
    map.add("a.hlsl", text.as_bytes(), None).unwrap();
    map
}

#[track_caller]
fn shows(map: &SourceMap, diagnostic: Diagnostic, expected: &str) {
    assert_eq!(diagnostic.render_text(map, false), expected);
}

#[test]
fn the_line_is_shown_with_label_note_and_hint() {
    let map = one_file("float x;\n\tfloat größe = y;\n");
    let diagnostic = Diagnostic::new(Code::BadNumber, find(&map, "y"), "no such thing")
        .label("here")
        .note(find(&map, "x"), "something like it")
        .hint("did you mean x?");
    shows(
        &map,
        diagnostic,
        "\
error[F0104]: no such thing
 --> a.hlsl:2:16
  |
2 |     float größe = y;
  |                   ^ here
  |
  = help: did you mean x?
note: something like it
 --> a.hlsl:1:7
  |
1 | float x;
  |       ^",
    );
}

#[test]
fn the_end_of_the_file_is_shown() {
    let map = one_file("float x");
    let end = Span {
        lo: 7,
        hi: 7,
        expansion: 0,
    };
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, end, "the file ends too early"),
        "\
error[F0104]: the file ends too early
 --> a.hlsl:1:8
  |
1 | float x
  |        ^",
    );
}

#[test]
fn ranges_of_several_lines_and_joined_lines() {
    let map = one_file("a = b +\n  c \\\n  + d;");
    let span = find(&map, "b +\n  c   + d");
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, span, "long"),
        "\
error[F0104]: long
 --> a.hlsl:1:5
  |
1 |   a = b +
  |  _____^
2 | |   c \\
3 | |   + d;
  | |_____^",
    );
}

#[test]
fn a_very_long_range_is_shown_by_its_first_line() {
    let map = one_file(&"line;\n".repeat(1000));
    let span = Span {
        lo: 2,
        hi: 5000,
        expansion: 0,
    };
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, span, "long"),
        "\
error[F0104]: long
 --> a.hlsl:1:3
  |
1 | line;
  |   ^^^",
    );
}

#[test]
fn a_very_long_line_is_cut_and_its_column_is_right() {
    let map = one_file(&format!("{}!{}", "ä ".repeat(10_000), " ö".repeat(10_000)));
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, find(&map, "!"), "far out"),
        "\
error[F0104]: far out
 --> a.hlsl:1:20001
  |
1 | …ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ä ! ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö ö…
  |                                          ^",
    );
}

#[test]
fn control_characters_cannot_harm_the_terminal() {
    let map = one_file("a\u{1B}[31m b\u{7} \u{202E} c");
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, find(&map, "c"), "odd \u{1B}[0m text"),
        "\
error[F0104]: odd ␛[0m text
 --> a.hlsl:1:13
  |
1 | a␛[31m b␇ � c
  |             ^",
    );
}

/// `main.hlsl` includes `a.hlsli`, where `SQUARE` is invoked in `AREA`.
fn included_macros() -> (SourceMap, Diagnostic) {
    let mut map = SourceMap::new();
    let main = "// main\n#include \"a.hlsli\"\n";
    map.add("main.hlsl", main.as_bytes(), None).unwrap();
    let from = find(&map, "\"a.hlsli\"");
    let text = "#define SQUARE(x) (x * wrong)\n#define AREA SQUARE(2)\nfloat y = AREA;\n";
    map.add("a.hlsli", text.as_bytes(), Some(from)).unwrap();
    let text_of = |map: &SourceMap, what: &str, extra: u32| Span {
        lo: find(map, what).lo,
        hi: find(map, what).lo + extra,
        expansion: 0,
    };
    let outer = Expansion {
        macro_name: "AREA".into(),
        definition: text_of(&map, "AREA SQ", 4),
        call_site: text_of(&map, "AREA;", 4),
    };
    let outer = map.add_expansion(outer);
    let inner = Expansion {
        macro_name: "SQUARE".into(),
        definition: text_of(&map, "SQUARE(x", 6),
        call_site: Span {
            expansion: outer,
            ..find(&map, "SQUARE(2)")
        },
    };
    let inner = map.add_expansion(inner);
    let span = Span {
        expansion: inner,
        ..find(&map, "wrong")
    };
    let diagnostic =
        Diagnostic::new(Code::BadNumber, span, "'wrong' is wrong").hint("make it right");
    (map, diagnostic)
}

#[test]
fn macros_and_includes_are_told_about() {
    let (map, diagnostic) = included_macros();
    shows(
        &map,
        diagnostic,
        "\
error[F0104]: 'wrong' is wrong
 --> a.hlsli:3:11
  |
3 | float y = AREA;
  |           ^^^^
  |
  = note: included from main.hlsl:2:10
  = help: make it right
note: in the expansion of the macro 'SQUARE'
 --> a.hlsli:1:24
  |
1 | #define SQUARE(x) (x * wrong)
  |                        ^^^^^
note: in the expansion of the macro 'AREA'
 --> a.hlsli:2:14
  |
2 | #define AREA SQUARE(2)
  |              ^^^^^^^^^",
    );
}

#[test]
fn an_argument_is_shown_where_it_is_written() {
    let mut map = one_file("#define F(x) x\ny = F(wrong);");
    let span = |lo, hi| Span {
        lo,
        hi,
        expansion: 0,
    };
    map.add_expansion(Expansion {
        macro_name: "F".into(),
        definition: span(8, 9),
        call_site: span(19, 27),
    });
    shows(
        &map,
        Diagnostic::new(Code::BadNumber, find(&map, "wrong"), "wrong"),
        "\
error[F0104]: wrong
 --> a.hlsl:2:7
  |
2 | y = F(wrong);
  |       ^^^^^
  |
note: in an argument of the macro 'F', defined at a.hlsl:1:9",
    );
}

#[test]
fn long_stacks_are_abridged() {
    let mut map = one_file("#define M M\nM");
    let mut call_site = find(&map, "\nM");
    call_site.lo += 1;
    let text = Span {
        lo: 10,
        hi: 11,
        expansion: 0,
    };
    for _ in 0..50 {
        call_site = Span {
            expansion: map.add_expansion(Expansion {
                macro_name: "M".into(),
                definition: text,
                call_site,
            }),
            ..text
        };
    }
    let diagnostic = Diagnostic::new(Code::BadNumber, call_site, "deep");
    let text = diagnostic.render_text(&map, false);
    assert_eq!(text.matches("in the expansion of the macro 'M'").count(), 4);
    assert!(text.ends_with("note: and 46 steps more"), "{text}");
}

#[test]
fn the_form_of_microsofts_compilers() {
    let (map, diagnostic) = included_macros();
    let mut sink = Diagnostics::new();
    sink.push(diagnostic);
    sink.report(Code::MacroRedefined, find(&map, "main"), "two\nlines");
    assert_eq!(
        sink.render_msvc(&map),
        "\
main.hlsl(1,4): warning F1001: two lines
a.hlsli(3,11): error F0104: 'wrong' is wrong
a.hlsli(1,24): note: in the expansion of the macro 'SQUARE'
a.hlsli(2,14): note: in the expansion of the macro 'AREA'
main.hlsl(2,10): note: included from here
a.hlsli(3,11): note: make it right
"
    );
}

#[test]
fn json_has_all_places() {
    let (map, diagnostic) = included_macros();
    let mut sink = Diagnostics::new();
    sink.push(diagnostic);
    let json: serde_json::Value = serde_json::from_str(&sink.render_json(&map)).unwrap();
    let place = |file: &str, line, column, end_column| {
        serde_json::json!({
            "file": file, "line": line, "column": column, "end_line": line, "end_column": end_column
        })
    };
    let with = |mut object: serde_json::Value, more: serde_json::Value| {
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object
    };
    let expected = with(
        place("a.hlsli", 3, 11, 15),
        serde_json::json!({
            "code": "F0104",
            "severity": "error",
            "message": "'wrong' is wrong",
            "hint": "make it right",
            "notes": [],
            "macros": [
                with(place("a.hlsli", 1, 24, 29), serde_json::json!({"message": "SQUARE"})),
                with(place("a.hlsli", 2, 14, 23), serde_json::json!({"message": "AREA"})),
            ],
            "included_from": [place("main.hlsl", 2, 10, 19)],
        }),
    );
    assert_eq!(json, serde_json::Value::Array(vec![expected]));
}

#[test]
fn a_sink_renders_by_place() {
    let map = one_file("a b");
    let mut sink = Diagnostics::new();
    sink.report(Code::BadNumber, find(&map, "b"), "second");
    sink.report(Code::BadNumber, find(&map, "a"), "first");
    let text = sink.render_text(&map, false);
    assert_eq!(
        text,
        "\
error[F0104]: first
 --> a.hlsl:1:1
  |
1 | a b
  | ^

error[F0104]: second
 --> a.hlsl:1:3
  |
1 | a b
  |   ^

"
    );
}

fn at(lo: u32) -> Span {
    Span {
        lo,
        hi: lo + 1,
        expansion: 0,
    }
}

#[test]
fn one_error_per_text() {
    let mut sink = Diagnostics::new();
    sink.report(Code::UnknownCharacter, at(1), "first");
    sink.report(Code::BadNumber, at(1), "second");
    sink.report(Code::MacroRedefined, at(1), "a warning stays");
    let messages: Vec<_> = sink.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["first", "a warning stays"]);
}

#[test]
fn a_macro_is_complained_about_once() {
    let mut sink = Diagnostics::new();
    let in_expansion = |expansion| Span { expansion, ..at(1) };
    sink.report(Code::BadNumber, in_expansion(1), "wrong");
    sink.report(Code::BadNumber, in_expansion(2), "wrong");
    sink.report(Code::BadNumber, in_expansion(3), "otherwise wrong");
    let messages: Vec<_> = sink.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["wrong", "otherwise wrong"]);
}

#[test]
fn past_the_limit_errors_are_only_counted() {
    let mut sink = Diagnostics::new();
    for i in 0..150 {
        sink.report(Code::UnknownCharacter, at(i), "error");
    }
    sink.report(Code::MacroRedefined, at(0), "a warning has its own limit");
    assert_eq!(sink.error_count(), 150);
    assert_eq!(sink.left_out(), 50);
    assert_eq!(sink.iter().count(), 101);
    assert!(sink.is_full());
}
