//! Which sums are fused with a product (decisions.md, *Numbers*).
//!
//! A float `+` or `-` with a product as a direct operand becomes one fused multiply-add; of two products the right one
//! is fused. An implicit splat between does not matter, an explicit cast, a call or a variable does. Must not know
//! whether fusing is wanted: the caller does.

use crate::hir::visit;
use crate::hir::{Expr, ExprKind, Place, Static, Stmt, Var, VarId};
use crate::span::Span;
use crate::types::Type;
use fuseline_numerics::op::Op;

/// Fuses in all of `body`; temporaries that keep the order of evaluation are added to `vars` and given back.
pub fn fuse_body(body: &mut [Stmt], vars: &mut Vec<Var>) -> Vec<VarId> {
    let mut temporaries = Vec::new();
    visit::walk_mut(body, &mut |e| fuse(e, vars, &mut temporaries));
    temporaries
}

/// Fuses in the initialiser of a static.
pub fn fuse_static(value: &mut Static, vars: &mut Vec<Var>) {
    let mut temporaries = Vec::new();
    if let Some(init) = &mut value.init {
        init.walk_mut(&mut |e| fuse(e, vars, &mut temporaries));
    }
}

/// Fuses one sum whose operands have been looked at.
fn fuse(e: &mut Expr, vars: &mut Vec<Var>, temporaries: &mut Vec<VarId>) {
    let ExprKind::Op(sum @ (Op::FAdd | Op::FSub), args) = &mut e.kind else {
        return;
    };
    let sum = *sum;
    let Ok([left, right]) = <[Expr; 2]>::try_from(std::mem::take(args)) else {
        return;
    };
    let span = e.span;
    let (ty, kind) = (e.ty.clone(), &mut e.kind);
    *kind = match factors(right) {
        Ok((c, d)) => {
            let c = if sum == Op::FSub { negated(c) } else { c };
            right_product(left, c, d, &ty, span, vars, temporaries)
        }
        Err(right) => match factors(left) {
            Ok((a, b)) => {
                let right = if sum == Op::FSub {
                    negated(right)
                } else {
                    right
                };
                ExprKind::Op(Op::Fma, vec![a, b, right])
            }
            Err(left) => ExprKind::Op(sum, vec![left, right]),
        },
    };
}

/// `left + c * d`. A fused multiply-add has the addend last, but `left` is evaluated first: where that can be told,
/// it goes through a temporary.
fn right_product(
    left: Expr,
    c: Expr,
    d: Expr,
    ty: &Type,
    span: Span,
    vars: &mut Vec<Var>,
    temporaries: &mut Vec<VarId>,
) -> ExprKind {
    if !has_effects(&left) && !has_effects(&c) && !has_effects(&d) {
        return ExprKind::Op(Op::Fma, vec![c, d, left]);
    }
    let var = VarId(vars.len() as u32);
    temporaries.push(var);
    let slots = left.ty.components();
    vars.push(Var {
        name: format!("%{}", var.0),
        ty: left.ty.clone(),
        slots,
        span,
    });
    let place = Place {
        var,
        offset: 0,
        dynamic: Vec::new(),
        components: (0..slots).collect(),
    };
    let again = Expr {
        kind: ExprKind::Load(place.clone()),
        ty: left.ty.clone(),
        span: left.span,
    };
    let keep = Expr {
        ty: left.ty.clone(),
        span: left.span,
        kind: ExprKind::Assign {
            place,
            value: Box::new(left),
        },
    };
    let fused = Expr {
        kind: ExprKind::Op(Op::Fma, vec![c, d, again]),
        ty: ty.clone(),
        span,
    };
    ExprKind::Sequence(vec![keep], Box::new(fused))
}

/// The factors of a product, with a splat of the product pushed into them; the expression itself if it is none.
fn factors(e: Expr) -> Result<(Expr, Expr), Expr> {
    let Expr { kind, ty, span } = e;
    match kind {
        ExprKind::Op(Op::FMul, args) => match <[Expr; 2]>::try_from(args) {
            Ok([a, b]) => Ok((a, b)),
            Err(args) => Err(Expr {
                kind: ExprKind::Op(Op::FMul, args),
                ty,
                span,
            }),
        },
        ExprKind::Splat(inner) => match factors(*inner) {
            Ok((a, b)) => {
                let splat = |e: Expr| Expr {
                    span: e.span,
                    kind: ExprKind::Splat(Box::new(e)),
                    ty: ty.clone(),
                };
                Ok((splat(a), splat(b)))
            }
            Err(inner) => Err(Expr {
                kind: ExprKind::Splat(Box::new(inner)),
                ty,
                span,
            }),
        },
        kind => Err(Expr { kind, ty, span }),
    }
}

fn negated(e: Expr) -> Expr {
    Expr {
        ty: e.ty.clone(),
        span: e.span,
        kind: ExprKind::Op(Op::FNeg, vec![e]),
    }
}

/// Whether evaluating it may change a variable.
fn has_effects(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Assign { .. } | ExprKind::Call { .. }));
    found
}

#[cfg(test)]
mod tests;
