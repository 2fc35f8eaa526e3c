//! The scan's part for `<` and `>`: brackets of templates, or comparisons.

use super::{Angle, Scanner};
use crate::{
    ast::BinaryOp,
    classify::{Plain, Terminal, names::Meaning, words},
    span::Span,
    token::Tok,
};

impl<'t> Scanner<'t, '_> {
    pub(super) fn less(&mut self, span: Span) {
        match self.last() {
            Some(Terminal::Type(_)) => {
                self.at -= 1;
                self.template_open(true, false);
            }
            Some(Terminal::Plain(Plain::Template)) => {
                self.at -= 1;
                self.statement.template = true;
                self.template_open(false, true);
            }
            Some(Terminal::Name(_)) if self.statement.template && self.at_statement_depth() => {
                self.at -= 1;
                self.template_open(false, false);
            }
            Some(Terminal::Name(_) | Terminal::Plain(Plain::RParen | Plain::RBracket))
                if self.annotation(span) => {}
            Some(Terminal::Name(_)) if self.opens_call_arguments() => {
                self.at -= 1;
                self.template_open(false, false);
            }
            _ => self.emit(Terminal::Binary(BinaryOp::Lt), span),
        }
    }

    /// The next token is a `<` that opens arguments or parameters.
    pub(super) fn template_open(&mut self, of_type: bool, parameters: bool) {
        let span = self.pieces[self.at].span;
        self.at += 1;
        self.angles.push(Angle {
            depth: self.rounds.len(),
            of_type,
            parameters,
        });
        self.emit(Terminal::TemplateOpen, span);
    }

    /// `Load<float4>(0)`: what follows the `<` is a type and neither a constructor nor the scope of a value.
    pub(super) fn opens_call_arguments(&self) -> bool {
        let Some(Tok::Ident(name)) = self.peek(0) else {
            return false;
        };
        let mut entry = self.lookup(name);
        let mut is_type = match entry {
            Some(entry) => entry.meaning == Meaning::Type,
            None => words::builtin_type(name).is_some(),
        };
        let mut next = 1;
        while let (Some(Tok::ColonColon), Some(Tok::Ident(name))) =
            (self.peek(next), self.peek(next + 1))
        {
            let scope = entry.and_then(|e| e.scope);
            entry = scope.and_then(|scope| self.names.member(scope, name));
            is_type = entry.is_some_and(|e| e.meaning == Meaning::Type);
            next += 2;
        }
        is_type && self.peek(next) != Some(&Tok::LParen)
    }

    pub(super) fn greater(&mut self, tok: &'t Tok, span: Span) {
        if *tok == Tok::Greater {
            if !self.template_close(span) {
                self.emit(Terminal::Binary(BinaryOp::Gt), span);
            }
            return;
        }
        // `>>` closes two, or one before another `>`.
        let middle = span.lo + (span.hi - span.lo).min(1);
        let (left, right) = (Span { hi: middle, ..span }, Span { lo: middle, ..span });
        if !self.template_close(left) {
            self.emit(Terminal::Binary(BinaryOp::Shr), span);
        } else if !self.template_close(right) {
            self.emit(Terminal::Binary(BinaryOp::Gt), right);
        }
    }

    pub(super) fn template_close(&mut self, span: Span) -> bool {
        let depth = self.rounds.len();
        let Some(angle) = self.angles.pop_if(|a| a.depth == depth) else {
            return false;
        };
        self.emit(Terminal::TemplateClose, span);
        self.after_type = angle.of_type;
        self.fresh = angle.parameters;
        true
    }
}
