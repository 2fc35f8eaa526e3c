//! First step of the classifier: brackets are made to match, and each brace learns what it encloses. Every repair is
//! reported; what comes out is balanced. Must not know types.

use super::{OperatorName, words};
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    span::Span,
    token::{Tok, Tokens},
};

/// What a pair of braces encloses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brace {
    /// Statements.
    Block,
    /// The values of an initialiser.
    Init,
    /// Members of a struct, class or interface.
    Struct,
    /// Values of an enum.
    Enum,
    /// Members of a cbuffer or tbuffer.
    Buffer,
    /// Declarations.
    Namespace,
}

/// A token with what is known about it after this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub tok: &'t Tok,
    pub span: Span,
    /// For braces: what they enclose. Meaningless for other tokens.
    pub brace: Brace,
}

struct Open<'t> {
    tok: &'t Tok,
    span: Span,
    brace: Brace,
    /// For `(`: semicolons that may still come in it (`for`).
    semicolons: u8,
}

struct Balancer<'t, 'd> {
    out: Vec<Piece<'t>>,
    open: Vec<Open<'t>>,
    /// Index in `out` of the first token of the current statement or declaration.
    start: usize,
    /// A repair has closed blocks that the text may close again.
    closed_early: bool,
    end: Span,
    diagnostics: &'d mut Diagnostics,
}

/// Makes brackets match.
pub(super) fn balance<'t>(
    tokens: &'t Tokens,
    operators: &'t [OperatorName],
    diagnostics: &mut Diagnostics,
) -> Vec<Piece<'t>> {
    let mut balancer = Balancer {
        out: Vec::with_capacity(tokens.list.len() + 8),
        open: Vec::new(),
        start: 0,
        closed_early: false,
        end: tokens.end,
        diagnostics,
    };
    let mut operators = operators.iter().peekable();
    let mut at = 0;
    while let Some(token) = tokens.list.get(at) {
        if let Some(operator) = operators.next_if(|o| o.token == at) {
            balancer.step(&operator.name, tokens.span(at, at + operator.len));
            at += operator.len;
        } else {
            balancer.step(&token.kind, token.span);
            at += 1;
        }
    }
    balancer.finish();
    balancer.out
}

/// The bracket that closes `open`.
fn closer(open: &Tok) -> &'static Tok {
    match open {
        Tok::LParen => &Tok::RParen,
        Tok::LBracket => &Tok::RBracket,
        _ => &Tok::RBrace,
    }
}

impl<'t> Balancer<'t, '_> {
    fn step(&mut self, tok: &'t Tok, span: Span) {
        match tok {
            Tok::LParen | Tok::LBracket => {
                let is_for = matches!(self.previous(), Some(Tok::For));
                self.push_open(tok, span, Brace::Block, if is_for { 2 } else { 0 });
            }
            Tok::LBrace => self.open_brace(tok, span),
            Tok::RParen | Tok::RBracket => self.close(tok, span),
            Tok::RBrace => self.close_brace(tok, span),
            Tok::Semi => self.semicolon(tok, span),
            _ => self.emit(tok, span, Brace::Block),
        }
    }

    fn emit(&mut self, tok: &'t Tok, span: Span, brace: Brace) {
        self.out.push(Piece { tok, span, brace });
    }

    fn previous(&self) -> Option<&'t Tok> {
        self.out.last().map(|p| p.tok)
    }

    /// The empty place behind the last token.
    fn behind(&self) -> Span {
        self.out.last().map_or(self.end, |p| Span {
            lo: p.span.hi,
            ..p.span
        })
    }

    fn push_open(&mut self, tok: &'t Tok, span: Span, brace: Brace, semicolons: u8) {
        self.open.push(Open {
            tok,
            span,
            brace,
            semicolons,
        });
        self.emit(tok, span, brace);
    }

    fn semicolon(&mut self, tok: &'t Tok, span: Span) {
        if let Some(open) = self.open.last_mut()
            && *open.tok == Tok::LParen
            && open.semicolons > 0
        {
            open.semicolons -= 1;
            self.emit(tok, span, Brace::Block);
            return;
        }
        let in_value = |o: &Open<'_>| *o.tok != Tok::LBrace || o.brace == Brace::Init;
        while self.open.last().is_some_and(in_value) {
            self.close_missing("`;`");
        }
        self.emit(tok, span, Brace::Block);
        self.start = self.out.len();
    }

    /// Closes `(` and `[` that are open inside the innermost brace: `before` cannot stand in them.
    fn close_round(&mut self, before: &str) {
        while self.open.last().is_some_and(|o| *o.tok != Tok::LBrace) {
            self.close_missing(before);
        }
    }

    /// Reports that the innermost bracket is not closed, and closes it.
    fn close_missing(&mut self, before: &str) {
        let Some(open) = self.open.pop() else { return };
        let (opener, closer) = (open.tok, closer(open.tok));
        self.diagnostics.push(
            Diagnostic::new(
                Code::UnmatchedBracket,
                self.behind(),
                format!("expected `{closer}` before {before}"),
            )
            .label(format!("`{closer}` is missing here"))
            .note(open.span, format!("this `{opener}` is not closed")),
        );
        self.emit(closer, self.behind(), open.brace);
    }

    fn close(&mut self, tok: &'t Tok, span: Span) {
        let inner = self
            .open
            .iter()
            .rev()
            .take_while(|o| *o.tok != Tok::LBrace)
            .position(|o| closer(o.tok) == tok);
        let Some(missing) = inner else {
            let opener = if *tok == Tok::RParen { "(" } else { "[" };
            self.diagnostics.push(
                Diagnostic::new(Code::UnmatchedBracket, span, format!("unmatched `{tok}`"))
                    .label(format!("no `{opener}` belongs to it")),
            );
            return;
        };
        for _ in 0..missing {
            self.close_missing(&format!("`{tok}`"));
        }
        self.open.pop();
        self.emit(tok, span, Brace::Block);
    }

    fn open_brace(&mut self, tok: &'t Tok, span: Span) {
        let in_init = self
            .open
            .last()
            .is_some_and(|o| *o.tok != Tok::LBrace || o.brace == Brace::Init);
        let starts_value = matches!(
            self.previous(),
            Some(Tok::Assign | Tok::Comma | Tok::LParen | Tok::LBrace | Tok::Return)
        );
        let is_init = (self.previous() == Some(&Tok::Assign) || (in_init && starts_value))
            && !self.declares_effect_object();
        if is_init {
            self.push_open(tok, span, Brace::Init, 0);
            return;
        }
        if self.open.last().is_some_and(|o| *o.tok != Tok::LBrace) {
            self.close_round("`{`");
        }
        let brace = self.brace_kind();
        self.close_before_declaration(brace);
        self.push_open(tok, span, brace, 0);
        self.start = self.out.len();
    }

    /// The current declaration is one of state objects, whose values are made of assignments.
    fn declares_effect_object(&self) -> bool {
        matches!(self.out.get(self.start).map(|p| p.tok),
            Some(Tok::Ident(class)) if words::is_effect_object(class))
    }

    /// What a brace that comes now encloses, by the words since the start of its declaration.
    fn brace_kind(&self) -> Brace {
        let mut is_function = false;
        let mut kind = Brace::Block;
        let mut depth = 0usize;
        for piece in &self.out[self.start..] {
            match piece.tok {
                Tok::LParen => {
                    is_function |= depth == 0;
                    depth += 1;
                }
                Tok::LBracket => depth += 1,
                Tok::RParen | Tok::RBracket => depth = depth.saturating_sub(1),
                Tok::Cbuffer | Tok::Tbuffer => return Brace::Buffer,
                Tok::Namespace => return Brace::Namespace,
                Tok::Enum => kind = Brace::Enum,
                Tok::Struct | Tok::Class | Tok::Interface if kind != Brace::Enum => {
                    kind = Brace::Struct;
                }
                _ => {}
            }
        }
        if is_function { Brace::Block } else { kind }
    }

    /// A function, constant buffer or namespace that begins inside a function: what is missing is a `}` before it.
    fn close_before_declaration(&mut self, brace: Brace) {
        let Some(open) = self.open.last() else { return };
        let Some(what) = self.file_level_declaration(brace) else {
            return;
        };
        if open.brace != Brace::Block {
            return;
        }
        let name = self.out[self.start..].iter().find(|p| {
            !matches!(
                p.tok,
                Tok::LBracket | Tok::RBracket | Tok::LParen | Tok::RParen
            )
        });
        let place = name.map_or(self.end, |p| p.span);
        self.diagnostics.push(
            Diagnostic::new(
                Code::UnmatchedBracket,
                place,
                format!("{what} inside a function: expected `}}` before it"),
            )
            .note(open.span, "this `{` is not closed")
            .hint("functions cannot be nested; close the function above with `}`"),
        );
        let place = Span {
            hi: place.lo,
            ..place
        };
        let mut closers = Vec::new();
        while let Some(open) = self.open.pop_if(|o| o.brace == Brace::Block) {
            closers.push(Piece {
                tok: &Tok::RBrace,
                span: place,
                brace: open.brace,
            });
        }
        let count = closers.len();
        self.out.splice(self.start..self.start, closers);
        self.start += count;
        self.closed_early = true;
    }

    /// The current declaration, whose brace comes now, is one that stands at file level only.
    fn file_level_declaration(&self, brace: Brace) -> Option<&'static str> {
        match brace {
            Brace::Buffer => return Some("a constant buffer"),
            Brace::Namespace => return Some("a namespace"),
            Brace::Block => {}
            _ => return None,
        }
        let head = &self.out[self.start..];
        let paren = head.iter().position(|p| *p.tok == Tok::LParen)?;
        let before = head.get(paren.checked_sub(2)?..paren)?;
        let are_names = before.iter().all(|p| matches!(p.tok, Tok::Ident(_)));
        are_names.then_some("a function")
    }

    fn close_brace(&mut self, tok: &'t Tok, span: Span) {
        self.close_round("`}`");
        let Some(open) = self.open.pop() else {
            if !self.closed_early {
                self.diagnostics.push(
                    Diagnostic::new(Code::UnmatchedBracket, span, "unmatched `}`")
                        .label("no `{` belongs to it"),
                );
            }
            return;
        };
        self.emit(tok, span, open.brace);
        if open.brace != Brace::Init {
            self.start = self.out.len();
        }
    }

    fn finish(&mut self) {
        let mut unclosed = Vec::new();
        while let Some(open) = self.open.pop() {
            self.emit(closer(open.tok), self.end, open.brace);
            unclosed.push(open);
        }
        let Some(innermost) = unclosed.first() else {
            return;
        };
        let missing: String = unclosed
            .iter()
            .take(8)
            .map(|o| format!("{} ", closer(o.tok)))
            .collect();
        let mut diagnostic = Diagnostic::new(
            Code::UnmatchedBracket,
            self.end,
            format!(
                "expected `{}` before the end of the file",
                missing.trim_end()
            ),
        )
        .note(
            innermost.span,
            format!("this `{}` is not closed", innermost.tok),
        );
        for open in unclosed.iter().skip(1).take(2) {
            diagnostic = diagnostic.note(open.span, format!("nor is this `{}`", open.tok));
        }
        self.diagnostics.push(diagnostic);
    }
}
