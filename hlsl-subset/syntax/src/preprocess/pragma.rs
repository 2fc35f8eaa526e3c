//! `#pragma`.
//!
//! Must not know which warnings there are: it hands numbers on.

use super::{Kind, Piece, Preprocessor, literal};
use crate::{
    diagnostic::{Code, Diagnostic, WarningChange, nearest},
    span::Span,
    token::{Tok, Token},
};

/// The pragmas that have an effect, for "did you mean".
const PRAGMAS: [&str; 4] = ["message", "once", "pack_matrix", "warning"];

impl Preprocessor<'_> {
    pub(super) fn pragma(&mut self, span: Span) {
        let name = self.lex_piece();
        if matches!(name.kind, Kind::Newline | Kind::End) {
            return self.report(Code::UnknownPragma, span, "#pragma without a name");
        }
        match self.text(name) {
            "once" => {
                self.nothing_more("#pragma once");
                if let Some(file) = self.files.last() {
                    self.once.insert(self.map.file(file.id).name().clone());
                }
            }
            "pack_matrix" => self.pack_matrix(span.to(name.span)),
            "message" => self.pragma_message(span.to(name.span)),
            "warning" => self.pragma_warning(span.to(name.span)),
            // A register of Direct3D 9, folding for editors, and dxc's choice of its own warnings.
            "def" | "region" | "endregion" | "dxc" => self.skip_line(),
            text => {
                let message = format!("#pragma {text} is not known and has no effect");
                let mut diagnostic = Diagnostic::new(Code::UnknownPragma, name.span, message);
                if let Some(near) = nearest(text, PRAGMAS) {
                    diagnostic = diagnostic.hint(format!("did you mean {near}?"));
                }
                self.diagnose(diagnostic);
                self.skip_line();
            }
        }
    }

    /// `pack_matrix(row_major)`: the grammar has to know where it stands.
    fn pack_matrix(&mut self, span: Span) {
        let line = self.line();
        let order = match line.as_slice() {
            [open, order, close, ..] if (open.kind, close.kind) == (Kind::LParen, Kind::RParen) => {
                match self.text(*order) {
                    "row_major" => Some(true),
                    "column_major" => Some(false),
                    _ => None,
                }
            }
            _ => None,
        };
        let place = line.last().map_or(span, |last| span.to(last.span));
        match order {
            Some(row_major) => self.output.push(Token {
                kind: Tok::PackMatrix(row_major),
                span: place,
            }),
            None => {
                let message = "pack_matrix takes (row_major) or (column_major)";
                self.report(Code::BadPragma, place, message);
            }
        }
    }

    /// `message("text")` or `message "text"`.
    fn pragma_message(&mut self, span: Span) {
        let line = self.line();
        let pieces = self.expand_fully(line);
        let mut text = String::new();
        for piece in pieces.iter().filter(|p| p.kind == Kind::Str) {
            let literal = self.names.get(piece.sym);
            text +=
                &literal::string(literal).unwrap_or_else(|_| literal.trim_matches('"').to_owned());
        }
        match text.is_empty() {
            true => self.report(Code::BadPragma, span, "message takes a text in quotes"),
            false => self.report(Code::PragmaMessage, span, text),
        }
    }

    /// `warning(disable: 3206; error: 3578)`, `warning(push)`, `warning(pop)`. Like Microsoft's compilers this is lenient:
    /// what it does not understand has no effect.
    fn pragma_warning(&mut self, span: Span) {
        let line = self.line();
        let inner = match line.as_slice() {
            [open, inner @ .., close]
                if (open.kind, close.kind) == (Kind::LParen, Kind::RParen) =>
            {
                inner
            }
            _ => {
                let message = "warning takes (disable: NUMBERS), (push) or (pop)";
                return self.report(Code::BadPragma, span, message);
            }
        };
        for clause in inner.split(|p| p.kind == Kind::Semi) {
            self.warning_clause(span, clause);
        }
    }

    fn warning_clause(&mut self, span: Span, clause: &[Piece]) {
        let Some((verb, operands)) = clause.split_first() else {
            return;
        };
        let change = match self.text(*verb) {
            "push" => return self.diagnostics.change_warnings(span, WarningChange::Push),
            "pop" => return self.diagnostics.change_warnings(span, WarningChange::Pop),
            "disable" => WarningChange::Disable,
            "error" => WarningChange::Error,
            "default" | "once" => WarningChange::Default,
            _ => return,
        };
        for operand in operands {
            let text = self.text(*operand);
            for code in Code::for_pragma(text) {
                self.diagnostics.change_warnings(span, change(code));
            }
        }
    }
}
