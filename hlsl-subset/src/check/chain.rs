//! `if … else if … else …`, as long as it may be.

use super::stmt::Hints;
use super::{Checker, build};
use crate::ast::IfChain;
use crate::hir::{BranchHint, Expr, Stmt, StmtKind, VarId};
use crate::span::Span;
use crate::types::{Scalar, Type};

/// A checked link.
struct Link {
    cond: Expr,
    then: Vec<Stmt>,
    hint: BranchHint,
    span: Span,
}

/// `if (cond) then else els`, one in the other.
fn nested(links: impl DoubleEndedIterator<Item = Link>, els: Vec<Stmt>) -> Vec<Stmt> {
    links.rev().fold(els, |els, link| {
        let kind = StmtKind::If {
            cond: link.cond,
            then: link.then,
            els,
            hint: link.hint,
        };
        let span = link.span;
        vec![Stmt { kind, span }]
    })
}

impl<'a> Checker<'a, '_> {
    /// A chain. Links are nested, but only so many: what is left of a long chain comes behind them, as an `if` on a
    /// variable that says that none of them was taken.
    pub(super) fn if_chain(
        &mut self,
        chain: &'a IfChain,
        hints: Hints,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut links = Vec::with_capacity(chain.arms.len());
        for (i, arm) in chain.arms.iter().enumerate() {
            let (hint, span) = match i {
                0 => (hints.branch(), span),
                _ => (self.hints(&arm.attributes).branch(), arm.cond.span.to(span)),
            };
            let cond = self.operand(&arm.cond).and_then(|c| self.condition(c));
            let then = self.scoped(&arm.then);
            if let Ok(cond) = cond {
                links.push(Link {
                    cond,
                    then,
                    hint,
                    span,
                });
            }
        }
        let otherwise = chain.otherwise.as_ref();
        let mut otherwise = otherwise.map(|s| self.scoped(s)).unwrap_or_default();
        let mut links = links.into_iter().peekable();
        let mut none_taken: Option<VarId> = None;
        while links.peek().is_some() {
            let piece: Vec<Link> = links.by_ref().take(IfChain::MAX_NESTED).collect();
            let (next, els) = match links.peek() {
                None => (None, std::mem::take(&mut otherwise)),
                Some(_) => {
                    let (var, els) = self.taken_by_none(span, out);
                    (Some(var), els)
                }
            };
            let piece = nested(piece.into_iter(), els);
            match none_taken {
                None => out.extend(piece),
                Some(var) => out.push(Stmt {
                    kind: StmtKind::If {
                        cond: build::load(var, &Type::Scalar(Scalar::Bool), span),
                        then: piece,
                        els: Vec::new(),
                        hint: BranchHint::None,
                    },
                    span,
                }),
            }
            none_taken = next;
        }
    }

    /// Declares a variable that is false, and gives it with what makes it true.
    fn taken_by_none(&mut self, span: Span, out: &mut Vec<Stmt>) -> (VarId, Vec<Stmt>) {
        let truth = |value| build::constant(vec![value], Type::Scalar(Scalar::Bool), span);
        self.temporaries += 1;
        let name = format!("%{}", self.temporaries);
        let var = self.new_local(name, Type::Scalar(Scalar::Bool), span);
        self.body.chain_ends.push(var);
        out.push(Stmt {
            kind: StmtKind::Declare(var, Some(truth(0))),
            span,
        });
        let set = Stmt {
            kind: StmtKind::Expr(build::assign(var, truth(1))),
            span,
        };
        (var, vec![set])
    }
}
