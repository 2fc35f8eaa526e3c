//! The parser: tokens in, tree out. It runs the grammar, and where that fails it reports, repairs the text and runs it
//! again, so that one run shows all syntax errors. Must not know what names mean beyond the classifier's answers.

pub(crate) mod build;
mod height;
mod message;
mod recover;
#[cfg(test)]
mod tests;

use crate::{
    ast::{Item, Name, Skipped, SkippedKind, TranslationUnit},
    classify::{self, Lexemes},
    diagnostic::{Code, Diagnostic, Diagnostics},
    token::Tokens,
};
use build::Builder;
use lalrpop_util::{ParseError, lalrpop_mod};

lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unused)]
    grammar
);

/// Most syntax errors that are reported; each costs one more run of the grammar.
const MAX_SYNTAX_ERRORS: usize = 20;

/// Parses a preprocessed translation unit. What could not be parsed is reported and stands in the tree as an error
/// node, so that the rest can be checked.
pub fn parse(tokens: &Tokens, diagnostics: &mut Diagnostics) -> TranslationUnit {
    let operators = classify::operator_names(tokens);
    let mut lexemes = classify::classify(tokens, &operators, diagnostics);
    note_effects(&lexemes.skipped, diagnostics);
    let items = parse_with_repairs(&mut lexemes, diagnostics);
    TranslationUnit {
        items,
        skipped: lexemes.skipped,
    }
}

/// A place where the grammar could not go on.
struct Failure {
    /// Index of the lexeme that does not fit; the number of lexemes: the end.
    at: usize,
    /// Names of the terminals that would have fitted.
    expected: Vec<String>,
}

fn parse_with_repairs(lexemes: &mut Lexemes<'_>, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut bad: Vec<Vec<Name>> = Vec::new();
    let mut reported = 0;
    // Each repair shortens the text, but for inserted semicolons, which are reported and thereby counted.
    for _ in 0..=lexemes.list.len() {
        let failure = match run(lexemes, &bad) {
            Ok((items, said)) => {
                said.into_iter().for_each(|d| diagnostics.push(d));
                return items;
            }
            Err(failure) => failure,
        };
        let is_new = !recover::is_bad(lexemes, failure.at);
        if is_new && reported == MAX_SYNTAX_ERRORS {
            diagnostics.push(Diagnostic::new(
                Code::TooManySyntaxErrors,
                recover::place(lexemes, failure.at),
                "too many syntax errors: the rest of the file is not looked at",
            ));
            recover::give_up(lexemes, &mut bad, failure.at);
            continue;
        }
        reported += usize::from(is_new);
        if let Some(foreign) = message::foreign(lexemes, &failure).filter(|_| is_new) {
            diagnostics.push(foreign);
            recover::cut_out(lexemes, &mut bad, failure.at);
        } else if recover::lacks_semicolon(lexemes, &failure) {
            diagnostics.push(message::missing_semicolon(lexemes, &failure));
            recover::insert_semicolon(lexemes, failure.at);
        } else {
            if is_new {
                diagnostics.push(message::syntax_error(lexemes, &failure));
            }
            recover::cut_out(lexemes, &mut bad, failure.at);
        }
    }
    Vec::new()
}

/// Runs the grammar once.
fn run(lexemes: &Lexemes<'_>, bad: &[Vec<Name>]) -> Result<(Vec<Item>, Vec<Diagnostic>), Failure> {
    let mut builder = Builder::new(lexemes, bad);
    let input = lexemes.list.iter().enumerate();
    let input = input.map(|(i, l)| Ok((i, l.terminal, i + 1)));
    match grammar::UnitParser::new().parse(&mut builder, input) {
        Ok(items) => Ok((items, builder.diagnostics)),
        Err(error) => Err(match error {
            ParseError::UnrecognizedToken {
                token: (at, ..),
                expected,
            } => Failure { at, expected },
            ParseError::ExtraToken { token: (at, ..) } => Failure {
                at,
                expected: Vec::new(),
            },
            ParseError::UnrecognizedEof { expected, .. } => Failure {
                at: lexemes.list.len(),
                expected,
            },
            ParseError::InvalidToken { location } => Failure {
                at: location,
                expected: Vec::new(),
            },
            ParseError::User { .. } => Failure {
                at: lexemes.list.len(),
                expected: Vec::new(),
            },
        }),
    }
}

/// One note for all effect syntax of a file; annotations alone are not worth one.
fn note_effects(skipped: &[Skipped], diagnostics: &mut Diagnostics) {
    let Some(first) = skipped.iter().find(|s| s.kind != SkippedKind::Annotation) else {
        return;
    };
    diagnostics.push(
        Diagnostic::new(
            Code::EffectSyntaxSkipped,
            first.span,
            "techniques, state blocks and other effect syntax have no effect here",
        )
        .hint("name the entry function and its profile instead, as in `-E main -T vs_5_0`"),
    );
}
