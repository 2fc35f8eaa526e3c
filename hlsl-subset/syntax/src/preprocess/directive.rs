//! What directives do: dispatch, conditionals, `#line`, `#error`.
//!
//! Must not know how macros expand; `#define` is in `define`, `#include` in `include`, `#pragma` in `pragma`.

use super::{Kind, Piece, Preprocessor, files::Conditional, literal};
use crate::{
    diagnostic::{Code, Diagnostic},
    span::Span,
    token::Tok,
};

/// The names of all directives, for "did you mean".
const DIRECTIVES: [&str; 13] = [
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line",
    "pragma", "undef", "warning",
];

impl Preprocessor<'_> {
    /// Carries out the directive whose `#` was just read, in text that is not left out.
    pub(super) fn directive(&mut self, hash: Piece) {
        let name = self.lex_piece();
        let span = hash.span.to(name.span);
        match name.kind {
            Kind::Newline | Kind::End => return,
            Kind::Number => return self.line_directive(span, Some(name)),
            _ => {}
        }
        match self.text(name) {
            "define" => self.define(span),
            "undef" => self.undef(span),
            "include" => self.include(span),
            "pragma" => self.pragma(span),
            "line" => self.line_directive(span, None),
            "error" => self.message_directive(span, Code::ErrorDirective),
            "warning" => self.message_directive(span, Code::WarningDirective),
            "if" => {
                let taken = self.condition(span);
                self.open_conditional(span, taken);
            }
            "ifdef" => {
                let defined = self.is_defined_on_line(span);
                self.open_conditional(span, defined == Some(true));
            }
            "ifndef" => {
                let defined = self.is_defined_on_line(span);
                self.open_conditional(span, defined == Some(false));
            }
            // The group before it was taken, or this would not have been read.
            "elif" | "else" => {
                let text = self.text(name).to_owned();
                if !self.next_group(&text, span) {
                    self.skip_false_groups();
                }
            }
            "endif" => self.close_conditional(span),
            _ => self.unknown_directive(name, span),
        }
    }

    fn unknown_directive(&mut self, name: Piece, span: Span) {
        let text = self.text(name);
        let message = format!("there is no directive #{text}");
        let mut diagnostic = Diagnostic::new(Code::UnknownDirective, span, message);
        if let Some(near) = crate::diagnostic::nearest(text, DIRECTIVES) {
            diagnostic = diagnostic.hint(format!("did you mean #{near}?"));
        }
        self.diagnose(diagnostic);
        self.skip_line();
    }

    /// Passes over groups until one is taken or the conditional ends.
    fn skip_false_groups(&mut self) {
        while let Some(hash) = self.skip_group() {
            let name = self.lex_piece();
            let span = hash.span.to(name.span);
            let text = self.text(name).to_owned();
            if text == "endif" {
                return self.close_conditional(span);
            }
            if self.next_group(&text, span) || self.stopped {
                return;
            }
        }
    }

    fn open_conditional(&mut self, span: Span, taken: bool) {
        if let Some(file) = self.files.last_mut() {
            file.conditionals.push(Conditional {
                span,
                taken,
                other: None,
            });
        }
        if !taken {
            self.skip_false_groups();
        }
    }

    /// An `#elif` or `#else`: whether the group that it begins is taken.
    fn next_group(&mut self, name: &str, span: Span) -> bool {
        let Some(open) = self
            .files
            .last_mut()
            .and_then(|f| f.conditionals.last_mut())
        else {
            self.unmatched(name, span);
            self.skip_line();
            return true;
        };
        let was_taken = open.taken;
        if let Some(other) = open.other {
            let message = format!("#{name} after #else");
            let diagnostic = Diagnostic::new(Code::UnmatchedConditional, span, message);
            self.diagnose(diagnostic.note(other, "the #else is here"));
            self.skip_line();
            return false;
        }
        if name == "else" {
            open.other = Some(span);
            open.taken = true;
            self.nothing_more("#else");
            return !was_taken;
        }
        if was_taken {
            self.skip_line();
            return false;
        }
        let taken = self.condition(span);
        if let Some(open) = self
            .files
            .last_mut()
            .and_then(|f| f.conditionals.last_mut())
        {
            open.taken = taken;
        }
        taken
    }

    fn close_conditional(&mut self, span: Span) {
        let open = self.files.last_mut().and_then(|f| f.conditionals.pop());
        if open.is_none() {
            self.unmatched("endif", span);
        }
        self.nothing_more("#endif");
    }

    fn unmatched(&mut self, name: &str, span: Span) {
        let message = format!("this #{name} belongs to no #if");
        self.report(Code::UnmatchedConditional, span, message);
    }

    /// The operand of `#ifdef` and `#ifndef`; None after an error.
    fn is_defined_on_line(&mut self, span: Span) -> Option<bool> {
        let name = self.macro_name(span)?;
        self.nothing_more("the name");
        Some(self.is_defined(name.sym))
    }

    /// The macro name that must follow a directive.
    pub(super) fn macro_name(&mut self, span: Span) -> Option<Piece> {
        let piece = self.lex_piece();
        if piece.kind == Kind::Ident {
            return Some(piece);
        }
        let directive = self.map.text(span).replace([' ', '\t'], "");
        if matches!(piece.kind, Kind::Newline | Kind::End) {
            let message = format!("{directive} needs a macro's name");
            self.report(Code::BadDirective, span, message);
        } else {
            let message = format!(
                "{directive} needs a macro's name, and '{}' is none",
                self.text(piece)
            );
            self.report(Code::BadDirective, piece.span, message);
            self.skip_line();
        }
        None
    }

    /// Warns where something stands before the end of the line.
    pub(super) fn nothing_more(&mut self, after: &str) {
        let rest = self.line();
        if let Some((first, last)) = rest.first().zip(rest.last()) {
            let message = format!("what follows {after} has no effect");
            let diagnostic = Diagnostic::new(Code::ExtraTokens, first.span.to(last.span), message);
            self.diagnose(diagnostic.hint("write it behind // if it is a comment"));
        }
    }

    fn message_directive(&mut self, span: Span, code: Code) {
        let (text, text_span) = self.raw_line();
        let message = if text.is_empty() {
            self.map.text(span).to_owned()
        } else {
            text
        };
        self.report(code, span.to(text_span), message);
    }

    /// `#line 10 "file"`, or `# 10 "file"` as other preprocessors write it; then `number` was already read.
    fn line_directive(&mut self, span: Span, number: Option<Piece>) {
        let mut pieces: Vec<_> = number.into_iter().collect();
        pieces.extend(self.line());
        let pieces = self.expand_fully(pieces);
        let mut operands = pieces.iter();
        let number = operands.next().filter(|p| p.kind == Kind::Number);
        let number = number.and_then(|p| match literal::number(self.names.get(p.sym)) {
            Ok(Tok::Int(literal)) => u32::try_from(literal.value).ok(),
            _ => None,
        });
        let Some(number) = number else {
            let place = pieces.first().map_or(span, |p| p.span);
            return self.report(Code::BadLine, place, "#line needs a line number");
        };
        let name = match operands.next() {
            None => None,
            Some(p) if p.kind == Kind::Str => literal::string(self.names.get(p.sym))
                .ok()
                .or_else(|| Some(self.names.get(p.sym).trim_matches('"').to_owned())),
            Some(p) => {
                let message = "a file name in quotes must follow the line number";
                return self.report(Code::BadLine, p.span, message);
            }
        };
        if let Some(file) = self.files.last() {
            let next_line = self.map.file(file.id).line_at(file.base + file.at as u32);
            self.map
                .set_line(file.id, next_line, number, name.map(Into::into));
        }
    }
}
