//! The scan's part for all other names: is it a type, a modifier, a name that is declared here, a slip of a keyword?

use super::{Head, Round, Scanner, type_entry};
use crate::{
    ast::ModifierKind,
    classify::{
        Plain, Terminal, TypeWord,
        brackets::{Brace, Piece},
        names::{Entry, Meaning, ScopeId},
        words,
    },
    diagnostic::{Code, Diagnostic},
    span::Span,
    token::{Name, Tok},
};

impl<'t> Scanner<'t, '_> {
    pub(super) fn word(&mut self, name: &'t Name, span: Span) {
        if matches!(self.last(), Some(Terminal::Plain(Plain::Dot))) {
            return self.emit(Terminal::Name(name), span);
        }
        if self.technique(name, span) {
            return;
        }
        if &**name == "shared" && matches!(self.peek(0), Some(Tok::Cbuffer | Tok::Tbuffer)) {
            return;
        }
        if let Some(modifier) = self.modifier(name) {
            return self.emit(Terminal::Modifier(modifier), span);
        }
        if self.fresh
            && self.peek(0) == Some(&Tok::LParen)
            && matches!(&**name, "static_assert" | "_Static_assert")
        {
            return self.emit(Terminal::StaticAssert, span);
        }
        self.path_or_word(name, span, false);
    }

    /// The word modifies the declaration that it stands in.
    pub(super) fn modifier(&self, name: &Name) -> Option<ModifierKind> {
        let modifier = words::contextual_modifier(name)?;
        let next = self.peek(0)?;
        let goes_on = matches!(next, Tok::Ident(_) | Tok::Struct | Tok::Class | Tok::Enum)
            || words::reserved_modifier(next).is_some();
        goes_on.then_some(modifier)
    }

    /// A name, alone or at the head of `A::B::c`. `is_type`: only a type makes sense here.
    pub(super) fn path_or_word(&mut self, name: &'t Name, span: Span, is_type: bool) {
        let (mut name, mut span) = (name, span);
        let declared = self.after_type;
        let fresh = self.fresh;
        let mut scope: Option<ScopeId> = None;
        let mut qualified = self.last_is(Plain::ColonColon);
        while self.peek(0) == Some(&Tok::ColonColon) && matches!(self.peek(1), Some(Tok::Ident(_)))
        {
            let entry = match scope {
                Some(scope) => self.names.member(scope, name),
                None if !qualified => self.lookup(name),
                None => None,
            };
            scope = entry.and_then(|e| e.scope);
            qualified = true;
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
            match self.take_name() {
                Some(next) => (name, span) = next,
                None => return,
            }
        }
        self.after_type = declared;
        self.fresh = fresh;
        let entry = match scope {
            Some(scope) => self.names.member(scope, name),
            None if !qualified || self.last_is(Plain::ColonColon) => self.lookup(name),
            None => None,
        };
        self.classified(name, span, entry, is_type, qualified);
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Entry> {
        self.pending
            .iter()
            .rev()
            .find(|(n, _)| *n == name)
            .map(|(_, entry)| *entry)
            .or_else(|| self.names.lookup(name))
    }

    pub(super) fn classified(
        &mut self,
        name: &'t Name,
        span: Span,
        entry: Option<Entry>,
        is_type: bool,
        qualified: bool,
    ) {
        let next_is_word = matches!(self.peek(0), Some(Tok::Ident(_)));
        if self.after_type && !is_type && !next_is_word {
            return self.declared(name, span, qualified);
        }
        let is_type = is_type
            || (self.fresh && self.last_is(Plain::Typedef))
            || matches!(self.statement.head, Some(Head::Struct(_) | Head::Enum));
        let builtin = match entry {
            None if !qualified => words::builtin_type(name),
            _ => None,
        };
        if let Some(builtin) = builtin
            && !self.binds()
        {
            return self.builtin(builtin, &**name == "unsigned", span);
        }
        let is_type =
            is_type || (!self.binds() && entry.is_some_and(|e| e.meaning == Meaning::Type));
        if is_type {
            return self.user_type(name, span);
        }
        let unknown_at_start = entry.is_none() && self.fresh && self.may_declare();
        if unknown_at_start && !qualified && self.misspelt(name, span) {
            return;
        }
        // Two names in a row where a declaration may begin: the first one has to be a type.
        let before_name =
            next_is_word || (self.peek(0) == Some(&Tok::Less) && self.is_type_with_arguments());
        let is_declared = unknown_at_start && before_name;
        let is_cast = entry.is_none() && self.is_cast(qualified);
        if (is_declared || is_cast) && words::foreign_word(name).is_none() {
            return self.user_type(name, span);
        }
        let is_template = entry.is_some_and(|e| e.meaning == Meaning::TemplateFunction);
        self.emit(Terminal::Name(name), span);
        if is_template && self.peek(0) == Some(&Tok::Less) {
            self.template_open(false, false);
        }
    }

    /// The unknown name stands alone in parentheses, an operand before which an operator would have to stand follows,
    /// and the parenthesis begins an operand.
    pub(super) fn is_cast(&self, qualified: bool) -> bool {
        let operand = matches!(
            self.peek(1),
            Some(Tok::Ident(_) | Tok::Int(_) | Tok::Float(_) | Tok::True | Tok::False)
        );
        if qualified || self.peek(0) != Some(&Tok::RParen) || !operand {
            return false;
        }
        let mut before = self.out.list.iter().rev().map(|l| l.terminal);
        before.next() == Some(Terminal::Plain(Plain::LParen))
            && matches!(
                before.next(),
                Some(
                    Terminal::Sign(_)
                        | Terminal::Binary(_)
                        | Terminal::Prefix(_)
                        | Terminal::AssignOp(_)
                        | Terminal::Plain(
                            Plain::Assign
                                | Plain::Comma
                                | Plain::LParen
                                | Plain::Question
                                | Plain::Return
                        )
                )
            )
    }

    /// An unknown name with `<`: `>` and a name follow, so it is a type.
    pub(super) fn is_type_with_arguments(&self) -> bool {
        let mut depth = 0usize;
        for (i, piece) in self.pieces[self.at..].iter().take(32).enumerate() {
            match piece.tok {
                Tok::Less => depth += 1,
                Tok::Greater if depth == 1 => {
                    return matches!(self.peek(i + 1), Some(Tok::Ident(_)));
                }
                Tok::Greater => depth -= 1,
                Tok::Ident(_) | Tok::Comma | Tok::Int(_) | Tok::ColonColon => {}
                _ => return false,
            }
        }
        false
    }

    /// A declaration may stand here: of a parameter, if brackets are open.
    pub(super) fn may_declare(&self) -> bool {
        let brace = self.frames.last().map(|f| f.brace);
        let at_depth = self.at_statement_depth();
        match brace {
            Some(Brace::Enum | Brace::Init) => false,
            Some(Brace::Block) => at_depth,
            _ => at_depth || !self.rounds.contains(&Round::Attribute),
        }
    }

    /// The word is a semantic, not a type: it follows a colon and what comes next ends a declarator.
    pub(super) fn binds(&self) -> bool {
        if !self.last_is(Plain::Colon) || self.statement.head.is_some() {
            return false;
        }
        (self.peek(0) == Some(&Tok::Less) && self.may_annotate())
            || matches!(
                self.peek(0),
                Some(Tok::Comma | Tok::Semi | Tok::RParen | Tok::LBrace | Tok::Assign | Tok::Colon)
                    | None
            )
    }

    pub(super) fn builtin(&mut self, word: TypeWord<'t>, is_unsigned: bool, span: Span) {
        let mut word = word;
        let mut span = span;
        if is_unsigned
            && let Some(Tok::Ident(next)) = self.peek(0)
            && let Some(unsigned) = words::unsigned(next)
        {
            word = unsigned;
            span = span.to(self.pieces[self.at].span);
            self.at += 1;
        }
        if let TypeWord::Object(class) = &mut word
            && self.at_statement_depth()
        {
            self.statement.object = Some(class);
        }
        self.emit(Terminal::Type(word), span);
    }

    pub(super) fn user_type(&mut self, name: &'t Name, span: Span) {
        let is_sign = &**name == "signed";
        if is_sign && matches!(self.peek(0), Some(Tok::Ident(n)) if words::unsigned(n).is_some()) {
            return;
        }
        self.emit(Terminal::Type(TypeWord::User(name)), span);
    }

    /// A name behind a type.
    pub(super) fn declared(&mut self, name: &'t Name, span: Span, qualified: bool) {
        let at_depth = self.at_statement_depth();
        let before_paren = self.peek(0) == Some(&Tok::LParen);
        self.emit(Terminal::Name(name), span);
        let is_special = self.statement.template && at_depth && self.peek(0) == Some(&Tok::Less);
        if qualified || is_special {
            return;
        }
        if at_depth {
            self.statement.declares = !before_paren;
        }
        let hides = self.lookup(name).is_some() || words::builtin_type(name).is_some();
        if self.statement.typedef && at_depth {
            self.names.declare(name, type_entry(None));
        } else if before_paren && at_depth && self.statement.template {
            self.names.declare(
                name,
                Entry {
                    meaning: Meaning::TemplateFunction,
                    scope: None,
                },
            );
        } else if hides {
            let entry = Entry {
                meaning: Meaning::Other,
                scope: None,
            };
            if self.rounds.len() > self.statement.depth || !self.angles.is_empty() {
                self.pending.push((name, entry));
            } else {
                self.names.declare(name, entry);
            }
        }
    }

    /// A keyword with a slip in it is reported and taken for the keyword.
    pub(super) fn misspelt(&mut self, name: &'t Name, span: Span) -> bool {
        let follows = matches!(
            self.peek(0),
            Some(Tok::Ident(_) | Tok::Int(_) | Tok::Float(_) | Tok::LBrace | Tok::If)
        );
        if !follows || !self.at_statement_depth() {
            return false;
        }
        let Some((keyword, tok)) = words::misspelt_keyword(name) else {
            return false;
        };
        self.diagnostics.push(
            Diagnostic::new(
                Code::MisspeltKeyword,
                span,
                format!("`{name}` is no keyword and no known name"),
            )
            .hint(format!("did you mean `{keyword}`?")),
        );
        self.step(Piece {
            tok,
            span,
            brace: Brace::Block,
        });
        true
    }

    /// `float* p`, `float& r`: reported and dropped.
    pub(super) fn pointer_or_reference(&mut self, tok: &'t Tok, span: Span) -> bool {
        let (what, hint) = match tok {
            Tok::Star => ("pointers", "pass an index, or the value itself"),
            Tok::Amp | Tok::AmpAmp => (
                "references",
                "a parameter that the function changes is written `inout float4 x`",
            ),
            _ => return false,
        };
        self.diagnostics
            .push(Diagnostic::new(Code::NotHlsl, span, format!("HLSL has no {what}")).hint(hint));
        true
    }

    /// The current declaration is one that may have annotations: a variable outside of functions.
    pub(in crate::classify) fn may_annotate(&self) -> bool {
        self.statement.declares
            && self.at_statement_depth()
            && self.frames.last().is_none_or(|f| f.brace != Brace::Block)
    }
}
