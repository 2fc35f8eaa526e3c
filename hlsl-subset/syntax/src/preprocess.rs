//! The preprocessor: files in, one sequence of tokens out (C's translation phases, as fxc and dxc have them).
//!
//! Must not know grammar or types, nor files: an [`IncludeHandler`] reads them.
//!
//! Two kinds of input lie on each other: below a stack of files (`files`), above a stack of token lists that macros
//! expanded to (`streams`). A macro is not expanded again while a stream that it made is there.

mod condition;
mod define;
mod directive;
mod expand;
mod files;
mod include;
mod lex;
mod literal;
mod names;
mod pragma;

pub use include::{IncludeError, IncludeFile, IncludeHandler, NoIncludes};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    profile::{HlslVersion, Profile},
    source::{FileId, SourceMap},
    span::Span,
    token::{Tok, Token, Tokens},
};
use define::MacroSlot;
use lex::Kind;
use names::{Names, Sym};
use std::{collections::HashSet, sync::Arc};

/// What the preprocessor wants to know of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Macros as `-D NAME=VALUE` gives them: name (or `NAME(a, b)`) and value.
    pub defines: Vec<(String, String)>,
    /// The value of `__HLSL_VERSION`.
    pub hlsl_version: HlslVersion,
    /// Sets `__SHADER_TARGET_STAGE`, `__SHADER_TARGET_MAJOR` and `__SHADER_TARGET_MINOR`, and `__hlsl_dx_compiler` for 6.x.
    pub profile: Profile,
}

/// Bounds on what a shader may ask for, so that every run ends soon.
mod limit {
    /// Tokens that macros may expand to in one run.
    pub(super) const EXPANDED_TOKENS: usize = 4_000_000;
    /// Tokens in the result.
    pub(super) const TOKENS: usize = 8_000_000;
    /// Files within files.
    pub(super) const INCLUDE_DEPTH: usize = 200;
    /// Inclusions in one run.
    pub(super) const INCLUDES: usize = 10_000;
    /// Macro calls in arguments of macro calls, and operators in operators of a condition: these recurse.
    pub(super) const NESTING: usize = 200;
}

/// Preprocesses the file `main` of `map`, with all it includes. Whatever is wrong goes to `diagnostics`; the tokens
/// are as good as they can be made then.
pub fn preprocess(
    map: &mut SourceMap,
    main: FileId,
    options: &Options,
    includes: &mut dyn IncludeHandler,
    diagnostics: &mut Diagnostics,
) -> Tokens {
    let end = map.file(main).base() + map.file(main).text().len() as u32;
    let mut preprocessor = Preprocessor {
        map,
        diagnostics,
        includes,
        names: Names::new(),
        macros: Vec::new(),
        files: Vec::new(),
        streams: Vec::new(),
        collecting: 0,
        nesting: 0,
        expanded: 0,
        included: 0,
        counter: 0,
        once: HashSet::new(),
        stopped: false,
        output: Vec::new(),
    };
    preprocessor.enter(main);
    preprocessor.predefine(options);
    preprocessor.run();
    Tokens {
        list: preprocessor.output,
        end: Span {
            lo: end,
            hi: end,
            expansion: 0,
        },
    }
}

/// A token while macros may still change it. Its text is that of `sym` where `kind` does not say it all.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    kind: Kind,
    /// White space stands before it.
    spaced: bool,
    /// The name of a macro that must never be expanded, as it came up in the macro's own expansion.
    blocked: bool,
    sym: Sym,
    span: Span,
}

struct Preprocessor<'a> {
    map: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    includes: &'a mut dyn IncludeHandler,
    names: Names,
    /// By [`Sym`]; shorter than the number of names.
    macros: Vec<MacroSlot>,
    files: Vec<files::OpenFile>,
    streams: Vec<expand::Stream>,
    /// How many argument lists are being collected: they do not reach beyond the end of their file.
    collecting: usize,
    nesting: usize,
    /// Tokens that macros have expanded to so far.
    expanded: usize,
    /// Inclusions so far.
    included: usize,
    /// Next value of `__COUNTER__`.
    counter: u32,
    /// Names of the files with `#pragma once`.
    once: HashSet<Arc<str>>,
    /// A limit was passed: nothing more is read.
    stopped: bool,
    output: Vec<Token>,
}

impl Preprocessor<'_> {
    fn run(&mut self) {
        loop {
            let piece = self.next_expanded();
            if piece.kind == Kind::End {
                return;
            }
            self.emit(piece);
        }
    }

    /// Appends a piece to the output as the token that it is.
    fn emit(&mut self, piece: Piece) {
        if self.output.len() >= limit::TOKENS {
            let message = format!("the shader has more than {} tokens", limit::TOKENS);
            self.stop(Code::SourceTooLarge, piece.span, message);
            return;
        }
        let text = self.names.get(piece.sym);
        let kind = match piece.kind {
            Kind::Ident => Ok(self.names.word(piece.sym)),
            Kind::Number => literal::number(text),
            Kind::BadNumber => Err(literal::bad_number(text)),
            Kind::Char => literal::character(text),
            Kind::Str => literal::string(text).map(|text| Tok::Str(text.into())),
            kind => match kind.punctuation() {
                Some(operator) => Ok(operator),
                None => return self.unknown(piece),
            },
        };
        let kind = match kind {
            Ok(kind) => kind,
            Err(error) => {
                let mut diagnostic = Diagnostic::new(error.code, piece.span, error.message);
                diagnostic.hint = error.hint.map(str::to_owned);
                self.diagnose(diagnostic);
                // Something has to stand there, or the grammar would complain as well.
                match piece.kind {
                    Kind::Str => Tok::Str("".into()),
                    _ => literal::ZERO,
                }
            }
        };
        self.output.push(Token {
            kind,
            span: piece.span,
        });
    }

    /// Complains about something that no token begins with.
    fn unknown(&mut self, piece: Piece) {
        let text = self.text(piece).to_owned();
        let first = text.chars().next().unwrap_or_default();
        let shown = match first {
            ' '..='~' => format!("'{text}'"),
            c if c.is_alphanumeric() => format!("'{text}'"),
            c => format!("U+{:04X}", u32::from(c)),
        };
        let hint = match first {
            '#' => {
                "a directive stands first on its line; # and ## work only inside of a #define with parameters"
            }
            '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{3000}' => {
                "this is a special space; write an ordinary one"
            }
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => {
                "this is an invisible character; delete it"
            }
            '\u{2018}'..='\u{201F}' => "this is a typographic quote; write \" instead",
            '\u{2010}'..='\u{2015}' | '\u{2212}' => "this is a typographic dash; write - instead",
            '\0'..='\x1F' => "this is a control character; is the file a text?",
            _ => "names consist of ASCII letters, digits and _",
        };
        let message = format!("{shown} is not part of HLSL");
        self.diagnose(Diagnostic::new(Code::UnknownCharacter, piece.span, message).hint(hint));
    }

    /// The text of a piece.
    fn text(&self, piece: Piece) -> &str {
        match piece.kind.punctuation() {
            Some(operator) => operator.fixed_text().unwrap_or_default(),
            None => self.names.get(piece.sym),
        }
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnose(Diagnostic::new(code, span, message));
    }

    /// Reports, and gives up where so much is wrong that more would not be shown: the file is no shader then.
    fn diagnose(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.is_full() {
            self.halt();
        }
    }

    /// Reports that a limit is passed, and ends the run.
    fn stop(&mut self, code: Code, span: Span, message: String) {
        if !self.stopped {
            self.report(code, span, message);
            self.halt();
        }
    }

    fn halt(&mut self) {
        self.stopped = true;
    }
}

#[cfg(test)]
mod tests;
