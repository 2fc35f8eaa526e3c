//! What is said where the grammar could not go on: what was found, what would have fitted in plain words, and what
//! was probably meant. Must not know how the parser goes on.

use super::{Failure, recover::place};
use crate::{
    ast::{BinaryOp, UnaryOp},
    classify::{Constant, Lexemes, Plain, Terminal, TypeWord, foreign_word, misspelt_head},
    diagnostic::{Code, Diagnostic},
    span::Span,
    token::Tok,
};

/// A `;` is missing before the failure.
pub(super) fn missing_semicolon(lexemes: &Lexemes<'_>, failure: &Failure) -> Diagnostic {
    let before = failure.at.saturating_sub(1);
    let end = place(lexemes, before);
    let behind = Span { lo: end.hi, ..end };
    let text = text_at(lexemes, before);
    Diagnostic::new(
        Code::MissingSemicolon,
        behind,
        format!(
            "expected `;` after `{text}`, found {}",
            found(lexemes, failure.at)
        ),
    )
    .label("`;` is missing here")
}

/// A word of C or C++ is behind the failure.
pub(super) fn foreign(lexemes: &Lexemes<'_>, failure: &Failure) -> Option<Diagnostic> {
    let before = failure.at.checked_sub(1);
    before.into_iter().chain([failure.at]).find_map(|index| {
        let Some(Terminal::Name(name)) = at(lexemes, index) else {
            return None;
        };
        let hint = foreign_word(name)?;
        let message = format!("HLSL has no `{name}`");
        Some(Diagnostic::new(Code::NotHlsl, place(lexemes, index), message).hint(hint))
    })
}

/// Any other failure.
pub(super) fn syntax_error(lexemes: &Lexemes<'_>, failure: &Failure) -> Diagnostic {
    special_case(lexemes, failure).unwrap_or_else(|| {
        let found = found(lexemes, failure.at);
        let message = match expected(&failure.expected) {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => format!("{found} cannot stand here"),
        };
        let mut diagnostic =
            Diagnostic::new(Code::SyntaxError, place(lexemes, failure.at), message);
        diagnostic.hint = hint(lexemes, failure);
        diagnostic
    })
}

fn at<'t>(lexemes: &Lexemes<'t>, index: usize) -> Option<Terminal<'t>> {
    lexemes.list.get(index).map(|l| l.terminal)
}

/// Mistakes that have a message of their own.
fn special_case(lexemes: &Lexemes<'_>, failure: &Failure) -> Option<Diagnostic> {
    let before = failure.at.checked_sub(1).and_then(|i| at(lexemes, i));
    if let (Some(Terminal::Modifier(word)), true) = (before, has(&failure.expected, "name")) {
        let span = place(lexemes, failure.at - 1);
        let message = format!("`{}` is a reserved word, no name", word.as_str());
        return Some(Diagnostic::new(Code::SyntaxError, span, message));
    }
    let span = place(lexemes, failure.at);
    let wants_operand = has(&failure.expected, "literal");
    match at(lexemes, failure.at)? {
        Terminal::Binary(BinaryOp::Mul) if wants_operand => Some(
            Diagnostic::new(
                Code::NotHlsl,
                span,
                "HLSL has no pointers: nothing can be dereferenced",
            )
            .hint("name the value itself"),
        ),
        Terminal::Binary(BinaryOp::BitAnd) if wants_operand => Some(
            Diagnostic::new(
                Code::NotHlsl,
                span,
                "HLSL has no pointers: nothing has an address",
            )
            .hint("a parameter that the function changes is written `inout float4 x`"),
        ),
        Terminal::Plain(Plain::Else) => Some(Diagnostic::new(
            Code::SyntaxError,
            span,
            "`else` without an `if` before it",
        )),
        Terminal::Plain(word @ (Plain::Case | Plain::Default)) => Some(Diagnostic::new(
            Code::SyntaxError,
            span,
            format!("`{}` stands outside of a `switch`", word.text()),
        )),
        _ => None,
    }
}

fn hint(lexemes: &Lexemes<'_>, failure: &Failure) -> Option<String> {
    if let Some(Terminal::Type(word)) = failure.at.checked_sub(1).and_then(|i| at(lexemes, i))
        && !has(&failure.expected, "name")
    {
        return Some(format!("`{}` is a type", type_text(word)));
    }
    match at(lexemes, failure.at)? {
        Terminal::Plain(Plain::LBrace) => {
            let head = head_of_call(lexemes, failure.at)?;
            misspelt_head(head)
                .map(|keyword| format!("did you mean `{keyword}` instead of `{head}`?"))
        }
        Terminal::Plain(Plain::Assign) if has(&failure.expected, "literal") => {
            Some("a comparison is written `==`".into())
        }
        Terminal::Type(_) if has(&failure.expected, "name") => {
            Some(format!("`{}` is a type", text_at(lexemes, failure.at)))
        }
        Terminal::Plain(word) if is_word(word.text()) && has(&failure.expected, "name") => {
            Some(reserved(word.text()))
        }
        Terminal::Modifier(word) if has(&failure.expected, "name") => Some(reserved(word.as_str())),
        _ => None,
    }
}

fn reserved(word: &str) -> String {
    format!("`{word}` is a reserved word")
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// `name (…)` before the lexeme: the name.
fn head_of_call<'t>(lexemes: &Lexemes<'t>, index: usize) -> Option<&'t str> {
    let mut depth = 0usize;
    for i in (0..index).rev() {
        match lexemes.list[i].terminal {
            Terminal::Plain(Plain::RParen) => depth += 1,
            Terminal::Plain(Plain::LParen) => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return match at(lexemes, i.checked_sub(1)?)? {
                        Terminal::Name(name) => Some(name),
                        _ => None,
                    };
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The lexeme in a message.
fn found(lexemes: &Lexemes<'_>, index: usize) -> String {
    match at(lexemes, index) {
        None => "the end of the file".into(),
        Some(Terminal::Str(_)) => "a string".into(),
        Some(_) => format!("`{}`", text_at(lexemes, index)),
    }
}

/// The lexeme's text.
fn text_at(lexemes: &Lexemes<'_>, index: usize) -> String {
    at(lexemes, index).map(text).unwrap_or_default()
}

fn text(terminal: Terminal<'_>) -> String {
    match terminal {
        Terminal::Name(name) | Terminal::Scope(name) => name.to_string(),
        Terminal::Str(text) => format!("{text:?}"),
        Terminal::Type(word) => type_text(word),
        Terminal::Literal(Constant::Bool(value)) => value.to_string(),
        Terminal::Literal(Constant::Int(value)) => Tok::Int(value).to_string(),
        Terminal::Literal(Constant::Float(value)) => Tok::Float(value).to_string(),
        Terminal::Modifier(word) => word.as_str().into(),
        Terminal::Struct(kind) => kind.as_str().into(),
        Terminal::Stray(tok) => tok.to_string(),
        Terminal::Plain(plain) => plain.text().into(),
        Terminal::Sign(op) | Terminal::Binary(op) => op.as_str().into(),
        Terminal::AssignOp(op) => format!("{}=", op.as_str()),
        Terminal::Prefix(op) => op.as_str().into(),
        Terminal::Step(true) => UnaryOp::PreInc.as_str().into(),
        Terminal::Step(false) => UnaryOp::PreDec.as_str().into(),
        Terminal::Enum => "enum".into(),
        Terminal::Typename => "typename".into(),
        Terminal::StaticAssert => "static_assert".into(),
        Terminal::TemplateOpen => "<".into(),
        Terminal::TemplateClose => ">".into(),
        Terminal::InitOpen => "{".into(),
        Terminal::InitClose => "}".into(),
        Terminal::Bad(_) => String::new(),
    }
}

fn type_text(word: TypeWord<'_>) -> String {
    match word {
        TypeWord::User(name) | TypeWord::Object(name) => name.to_string(),
        TypeWord::Void => "void".into(),
        TypeWord::String => "string".into(),
        TypeWord::VectorTemplate => "vector".into(),
        TypeWord::MatrixTemplate => "matrix".into(),
        TypeWord::Scalar(s) => s.as_str().into(),
        TypeWord::Vector(s, n) => format!("{}{n}", s.as_str()),
        TypeWord::Matrix(s, r, c) => format!("{}{r}x{c}", s.as_str()),
    }
}

fn has(expected: &[String], terminal: &str) -> bool {
    expected.iter().any(|e| e.trim_matches('"') == terminal)
}

/// Groups of terminals in plain words: the first one that is there stands for all of them.
const PHRASES: &[(&str, &str, &[&str])] = &[
    (
        "return",
        "a statement",
        &[
            "literal",
            "string",
            "name",
            "scope",
            "type",
            "modifier",
            "struct",
            "enum",
            "typedef",
            "using",
            "static_assert",
            "sign",
            "prefix",
            "step",
            "bad",
            "break",
            "continue",
            "discard",
            "do",
            "for",
            "if",
            "return",
            "sizeof",
            "switch",
            "while",
            "(",
            "[",
            "{",
            "::",
            ";",
            "template",
            "case",
            "default",
        ],
    ),
    (
        "namespace",
        "a declaration",
        &[
            "scope",
            "type",
            "modifier",
            "struct",
            "enum",
            "typedef",
            "using",
            "static_assert",
            "bad",
            "cbuffer",
            "tbuffer",
            "namespace",
            "template",
            "[",
            "::",
            ";",
        ],
    ),
    (
        "literal",
        "an expression",
        &[
            "literal", "string", "name", "scope", "type", "sign", "prefix", "step", "sizeof", "(",
            "::", "init{", "modifier",
        ],
    ),
    (
        "binary",
        "an operator",
        &["binary", "sign", "step", "op=", "=", "?", "[", ".", "("],
    ),
    (
        "struct",
        "a type",
        &["struct", "enum", "type", "scope", "::", "modifier"],
    ),
    ("type", "a type", &["type", "scope", "::", "modifier"]),
    ("name", "a name", &["name", "scope", "::"]),
];

/// What would have fitted, in plain words; None where that would be a long list.
fn expected(terminals: &[String]) -> Option<String> {
    let mut left: Vec<&str> = terminals.iter().map(|t| t.trim_matches('"')).collect();
    let mut phrases: Vec<String> = Vec::new();
    for (sign, phrase, group) in PHRASES {
        if left.contains(sign) {
            left.retain(|t| !group.contains(t));
            phrases.push((*phrase).into());
        }
    }
    left.retain(|t| !matches!(*t, "bad" | "stray" | "step" | "modifier"));
    // What may follow a declared name says less than what ends the declaration.
    if [";", ",", ")"].iter().any(|end| left.contains(end)) && left.contains(&":") {
        left.retain(|t| !matches!(*t, "[" | ":" | "=" | "(" | "::"));
    }
    let order = [";", ")", "]", "}", "init}", ",", ">"];
    left.sort_by_key(|t| order.iter().position(|o| o == t).unwrap_or(order.len()));
    let punctuation = left.into_iter().map(|t| match t {
        "init{" => "`{`".into(),
        "init}" => "`}`".into(),
        "string" => "a string".into(),
        other => format!("`{other}`"),
    });
    let all: Vec<String> = punctuation.chain(phrases).collect();
    match all.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [most @ .., last] if most.len() < 5 => Some(format!("{} or {last}", most.join(", "))),
        _ => None,
    }
}
