//! The scan's part for words that introduce names: structs, enums, namespaces, constant buffers, `using`.

use super::{Head, Scanner, type_entry};
use crate::{
    ast::StructKind,
    classify::{
        Plain, Terminal,
        names::{Meaning, ScopeId},
    },
    span::Span,
    token::{Name, Tok},
};

impl<'t> Scanner<'t, '_> {
    pub(super) fn type_keyword(&mut self, tok: &'t Tok, span: Span) {
        let in_parameters = self
            .angles
            .last()
            .is_some_and(|a| a.parameters && a.depth == self.rounds.len());
        if in_parameters && matches!(tok, Tok::Class | Tok::Typename) {
            self.emit(Terminal::Typename, span);
            if let Some((name, span)) = self.take_name() {
                self.pending.push((name, type_entry(None)));
                self.emit(Terminal::Name(name), span);
            }
            return;
        }
        if *tok == Tok::Typename {
            // Before a name that depends on a template parameter: a type.
            if let Some((name, span)) = self.take_name() {
                self.path_or_word(name, span, true);
            }
            return;
        }
        if self.peek(0) == Some(&Tok::LBracket) {
            // `struct [raypayload] P`
            self.skip_brackets();
        }
        let keyword = match tok {
            Tok::Class => Terminal::Struct(StructKind::Class),
            Tok::Interface => Terminal::Struct(StructKind::Interface),
            Tok::Enum => Terminal::Enum,
            _ => Terminal::Struct(StructKind::Struct),
        };
        let mut scoped = None;
        if *tok == Tok::Enum && matches!(self.peek(0), Some(Tok::Class | Tok::Struct)) {
            scoped = Some(self.pieces[self.at].span);
            self.at += 1;
        }
        let name = match self.peek(0) {
            Some(Tok::Ident(name)) => Some(name),
            _ => None,
        };
        let defines = matches!(
            self.peek(usize::from(name.is_some())),
            Some(Tok::LBrace | Tok::Colon | Tok::Semi)
        );
        if let (Some(name), false) = (name, defines) {
            // `struct S s`: the keyword adds nothing.
            let span = self.pieces[self.at].span;
            self.at += 1;
            self.path_or_word(name, span, true);
            return;
        }
        self.emit(keyword, span);
        if let Some(span) = scoped {
            self.emit(Terminal::Struct(StructKind::Class), span);
        }
        if let Some((name, span)) = self.take_name() {
            self.emit(Terminal::Name(name), span);
            self.names.scope_of(name, Meaning::Type);
        }
        self.statement.head = Some(if *tok == Tok::Enum {
            Head::Enum
        } else {
            Head::Struct(name)
        });
    }

    /// The next token, if it is a name.
    pub(super) fn take_name(&mut self) -> Option<(&'t Name, Span)> {
        let piece = self.pieces.get(self.at)?;
        let Tok::Ident(name) = piece.tok else {
            return None;
        };
        self.at += 1;
        Some((name, piece.span))
    }

    pub(super) fn namespace(&mut self, span: Span) {
        self.plain(Plain::Namespace, span);
        if self.out.list.len() >= 2
            && self.out.list[self.out.list.len() - 2].terminal == Terminal::Plain(Plain::Using)
        {
            let scope = self.named_scope();
            if let Some(scope) = scope {
                self.names.import(scope);
            }
            return;
        }
        // `namespace A::B {`: each is declared in the one before.
        let mut before = None;
        while let Some((name, span)) = self.take_name() {
            let scope = self.names.scope_of(name, Meaning::Other);
            before.get_or_insert(self.names.mark());
            self.names.enter(scope);
            if self.peek(0) != Some(&Tok::ColonColon) {
                self.emit(Terminal::Name(name), span);
                break;
            }
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
        }
        self.statement.head = Some(Head::Namespace(before));
    }

    /// The path behind `using namespace`; its last part is a name for the grammar.
    pub(super) fn named_scope(&mut self) -> Option<ScopeId> {
        let mut scope: Option<ScopeId> = None;
        let mut first = true;
        while let Some((name, span)) = self.take_name() {
            let entry = match scope {
                Some(scope) => self.names.member(scope, name),
                None if first => self.names.lookup(name),
                None => None,
            };
            scope = entry.and_then(|e| e.scope);
            first = false;
            if self.peek(0) != Some(&Tok::ColonColon) {
                self.emit(Terminal::Name(name), span);
                break;
            }
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
        }
        scope
    }

    pub(super) fn buffer(&mut self, tok: &'t Tok, span: Span) {
        self.plain(
            if *tok == Tok::Cbuffer {
                Plain::Cbuffer
            } else {
                Plain::Tbuffer
            },
            span,
        );
        self.statement.head = Some(Head::Buffer);
        // The name of a constant buffer is no value and hides nothing.
        if let Some((name, span)) = self.take_name() {
            self.emit(Terminal::Name(name), span);
        }
    }

    pub(super) fn using(&mut self, span: Span) {
        self.plain(Plain::Using, span);
        if self.peek(1) == Some(&Tok::Assign)
            && let Some((name, span)) = self.take_name()
        {
            self.emit(Terminal::Name(name), span);
            self.names.declare(name, type_entry(None));
            if let Some(piece) = self.pieces.get(self.at) {
                self.plain(Plain::Assign, piece.span);
                self.at += 1;
            }
            if let Some((name, span)) = self.take_name() {
                self.path_or_word(name, span, true);
            }
        }
    }
}
