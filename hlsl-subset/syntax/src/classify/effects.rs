//! What the classifier passes over: techniques, annotations, state blocks and the values of effect objects
//! (decisions.md, *Language*). Must not know what they say.

use super::{Plain, scan::Scanner, words};
use crate::{
    ast::{Skipped, SkippedKind},
    span::Span,
    token::{Name, Tok},
};

/// Names that begin the value of an effect object.
const EFFECT_VALUES: &[&str] = &[
    "sampler_state",
    "stateblock_state",
    "compile",
    "compileshader",
];

/// Most tokens that the heads of techniques and annotations have.
const LOOK_AHEAD: usize = 4096;

impl Scanner<'_, '_> {
    /// `technique T < … > { … }`; the word is the current token.
    pub(super) fn technique(&mut self, name: &Name, span: Span) -> bool {
        if !self.fresh || !words::is_technique(name) || !self.at_file_level() {
            return false;
        }
        let starts = match self.peek(0) {
            Some(Tok::LBrace | Tok::Less) => true,
            Some(Tok::Ident(_)) => matches!(self.peek(1), Some(Tok::LBrace | Tok::Less)),
            _ => false,
        };
        let Some(open) = self.pieces[self.at..]
            .iter()
            .take(LOOK_AHEAD)
            .position(|p| *p.tok == Tok::LBrace)
            .filter(|_| starts)
        else {
            return false;
        };
        self.at += open + 1;
        self.skip_braces();
        if self.peek(0) == Some(&Tok::Semi) {
            self.at += 1;
        }
        self.skipped(SkippedKind::Technique, span);
        self.end_statement();
        true
    }

    /// `SamplerState s { … }`; the brace is the current token.
    pub(super) fn state_block(&mut self, span: Span) -> bool {
        if self.statement.object.is_none() || !self.statement.declares || !self.at_statement_depth()
        {
            return false;
        }
        self.skip_braces();
        self.skipped(SkippedKind::StateBlock, span);
        self.end_value();
        true
    }

    /// `= sampler_state { … }`, `= compile vs_5_0 F()`; the sign is the current token.
    pub(super) fn effect_value(&mut self, span: Span) -> bool {
        let Some(class) = self.statement.object else {
            return false;
        };
        let by_word = matches!(self.peek(0), Some(Tok::Ident(word))
            if EFFECT_VALUES.iter().any(|v| word.eq_ignore_ascii_case(v)));
        if !self.statement.declares || !(by_word || words::is_effect_object(class)) {
            return false;
        }
        let mut depth = 0usize;
        while let Some(tok) = self.peek(0) {
            match tok {
                Tok::LParen | Tok::LBracket | Tok::LBrace => depth += 1,
                Tok::RParen | Tok::RBracket | Tok::RBrace if depth == 0 => break,
                Tok::RParen | Tok::RBracket => depth -= 1,
                Tok::RBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        break;
                    }
                }
                Tok::Semi | Tok::Comma if depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        self.skipped(SkippedKind::EffectInitializer, span);
        self.end_value();
        true
    }

    /// `< string UIName = "x"; >` behind a variable; the `<` is the current token.
    pub(super) fn annotation(&mut self, span: Span) -> bool {
        if !self.may_annotate() {
            return false;
        }
        let starts = match (self.peek(0), self.peek(1), self.peek(2)) {
            (Some(Tok::Greater), ..) => true,
            (Some(Tok::Ident(_)), Some(Tok::Ident(_)), Some(next)) => {
                matches!(next, Tok::Assign | Tok::LBracket | Tok::Semi)
            }
            _ => false,
        };
        if !starts {
            return false;
        }
        // Nothing else has `;` before `>`.
        let rest = &self.pieces[self.at..];
        let ends = |i: &usize| {
            *rest[*i].tok == Tok::Greater && (*i == 0 || *rest[*i - 1].tok == Tok::Semi)
        };
        let Some(close) = (0..rest.len()).take(LOOK_AHEAD).find(ends) else {
            return false;
        };
        self.at += close + 1;
        self.skipped(SkippedKind::Annotation, span);
        true
    }

    /// Goes behind the brace that closes the one before the current token.
    fn skip_braces(&mut self) {
        let mut depth = 1usize;
        while let Some(tok) = self.peek(0)
            && depth > 0
        {
            match tok {
                Tok::LBrace => depth += 1,
                Tok::RBrace => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Goes behind `[…]`, which begins at the current token.
    pub(super) fn skip_brackets(&mut self) {
        let mut depth = 0usize;
        while let Some(tok) = self.peek(0) {
            self.at += 1;
            match tok {
                Tok::LBracket => depth += 1,
                Tok::RBracket if depth <= 1 => break,
                Tok::RBracket => depth -= 1,
                _ => {}
            }
        }
    }

    /// Records what lies between `from` and the current token.
    fn skipped(&mut self, kind: SkippedKind, from: Span) {
        let last = self.pieces.get(self.at.saturating_sub(1));
        let span = last.map_or(from, |p| from.to(p.span));
        self.out.skipped.push(Skipped { kind, span });
    }

    /// A declaration whose value was passed over ends here even where its `;` is missing.
    fn end_value(&mut self) {
        if !matches!(self.peek(0), Some(Tok::Semi | Tok::Comma | Tok::Less)) {
            let span = self
                .pieces
                .get(self.at.saturating_sub(1))
                .map_or(self.out.end, |p| p.span);
            self.plain(
                Plain::Semi,
                Span {
                    lo: span.hi,
                    ..span
                },
            );
            self.end_statement();
        }
    }
}
