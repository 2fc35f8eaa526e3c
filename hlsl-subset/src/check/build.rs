//! Making Hir expressions: constants, splats, picks, conversions of components. Simplifies where that loses nothing,
//! so that Hir stays small. Must not know syntax, names or diagnostics.

use crate::hir::{ConstantLoad, Expr, ExprKind, Place, VarId};
use crate::span::Span;
use crate::types::{Scalar, Type};
use fuseline_numerics::op::{Kind, Op};
use std::sync::Arc;

/// An expression.
pub fn expr(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// Known bits.
pub fn constant(bits: Vec<u32>, ty: Type, span: Span) -> Expr {
    expr(ExprKind::Constant(bits), ty, span)
}

/// All components zero.
pub fn zero(ty: &Type, span: Span) -> Expr {
    constant(vec![0; ty.components() as usize], ty.clone(), span)
}

/// One in each component of a numeric type: what `++` adds.
pub fn one(ty: &Type, span: Span) -> Expr {
    let bits = match ty.scalar() {
        Some(Scalar::Float) => 1f32.to_bits(),
        _ => 1,
    };
    constant(vec![bits; ty.components() as usize], ty.clone(), span)
}

/// A primitive operation on whole values; the type's component kind is the operation's result.
pub fn op(op: Op, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
    expr(ExprKind::Op(op, args), ty, span)
}

/// Reads all of a variable.
pub fn load(var: VarId, ty: &Type, span: Span) -> Expr {
    expr(ExprKind::Load(whole(var, ty)), ty.clone(), span)
}

/// All of a variable.
pub fn whole(var: VarId, ty: &Type) -> Place {
    Place {
        var,
        offset: 0,
        dynamic: Vec::new(),
        components: (0..ty.components()).collect(),
    }
}

/// Stores into all of a variable.
pub fn assign(var: VarId, value: Expr) -> Expr {
    let (ty, span) = (value.ty.clone(), value.span);
    let kind = ExprKind::Assign {
        place: whole(var, &ty),
        value: Box::new(value),
    };
    expr(kind, ty, span)
}

/// The same bits as another type with as many components.
pub fn retype(mut value: Expr, ty: Type) -> Expr {
    debug_assert_eq!(value.ty.components(), ty.components());
    value.ty = ty;
    value
}

/// One component, as often as `ty` has.
pub fn splat(value: Expr, ty: &Type) -> Expr {
    let n = ty.components() as usize;
    let span = value.span;
    match value.kind {
        _ if n == 1 => retype(value, ty.clone()),
        ExprKind::Constant(bits) if bits.len() == 1 => constant(vec![bits[0]; n], ty.clone(), span),
        ExprKind::Splat(one) => expr(ExprKind::Splat(one), ty.clone(), span),
        kind => expr(
            ExprKind::Splat(Box::new(expr(kind, value.ty, span))),
            ty.clone(),
            span,
        ),
    }
}

/// Components of a value, by number; every number is below the value's count.
pub fn pick(value: Expr, components: Vec<u32>, ty: Type) -> Expr {
    let span = value.span;
    let is_identity = components.len() == value.ty.components() as usize
        && components.iter().enumerate().all(|(i, c)| i as u32 == *c);
    if is_identity {
        return retype(value, ty);
    }
    let select = |from: &[u32]| components.iter().map(|c| from[*c as usize]).collect();
    let kind = match value.kind {
        ExprKind::Constant(bits) => ExprKind::Constant(select(&bits)),
        ExprKind::Load(place) => ExprKind::Load(Place {
            components: select(&place.components),
            ..place
        }),
        ExprKind::ConstantLoad(load) => ExprKind::ConstantLoad(ConstantLoad {
            components: select(&load.components),
            ..load
        }),
        ExprKind::Pick(inner, from) => ExprKind::Pick(inner, select(&from)),
        ExprKind::Splat(one) if components.len() == 1 => return retype(*one, ty),
        ExprKind::Splat(one) => ExprKind::Splat(one),
        kind => ExprKind::Pick(Box::new(expr(kind, value.ty, value.span)), components),
    };
    expr(kind, ty, span)
}

/// `count` components from `first` on.
pub fn slice(value: Expr, first: u32, count: u32, ty: Type) -> Expr {
    pick(value, (first..first + count).collect(), ty)
}

/// The parts' components one after the other.
pub fn concat(mut parts: Vec<Expr>, ty: Type, span: Span) -> Expr {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return retype(only, ty);
    }
    if parts
        .iter()
        .all(|p| matches!(p.kind, ExprKind::Constant(_)))
    {
        let bits = parts
            .into_iter()
            .flat_map(|p| match p.kind {
                ExprKind::Constant(bits) => bits,
                _ => Vec::new(),
            })
            .collect();
        return constant(bits, ty, span);
    }
    expr(ExprKind::Concat(parts), ty, span)
}

/// One of several values of the type `ty`, by an index known only at run time: one I32 component. Past the last: zeros.
pub fn element_of(values: Vec<Expr>, index: Expr, ty: Type, span: Span) -> Expr {
    let len = values.len() as u32;
    let all = Type::Array(Arc::new(ty.clone()), len);
    let kind = ExprKind::Index {
        base: Box::new(concat(values, all, span)),
        index: Box::new(index),
        stride: ty.components(),
        len,
    };
    expr(kind, ty, span)
}

/// An explicit cast that keeps the bits: an identity pick, which keeps sums from fusing across it.
pub fn opaque(value: Expr) -> Expr {
    if !matches!(value.kind, ExprKind::Op(..) | ExprKind::Splat(_)) {
        return value;
    }
    let (ty, span) = (value.ty.clone(), value.span);
    let all = (0..ty.components()).collect();
    expr(ExprKind::Pick(Box::new(value), all), ty, span)
}

/// `first` evaluated for their effects, then `last`.
pub fn sequence(first: Vec<Expr>, last: Expr) -> Expr {
    if first.is_empty() {
        return last;
    }
    let (ty, span) = (last.ty.clone(), last.span);
    expr(ExprKind::Sequence(first, Box::new(last)), ty, span)
}

/// The component type of a scalar, vector, matrix or array of such.
fn component_type(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Array(element, _) => component_type(element),
        other => other.scalar(),
    }
}

/// The same with another component type.
fn with_component_type(ty: &Type, to: Scalar) -> Type {
    match ty {
        Type::Array(element, len) => Type::Array(Arc::new(with_component_type(element, to)), *len),
        other => other.with_scalar(to),
    }
}

/// A scalar, vector, matrix or array of such with its components converted (hlsl-vs-semantics.md section 2).
pub fn convert_components(value: Expr, to: Scalar) -> Expr {
    let Some(from) = component_type(&value.ty) else {
        return value;
    };
    let ty = with_component_type(&value.ty, to);
    if from.kind() == to.kind() {
        return retype(value, ty);
    }
    if let ExprKind::Constant(bits) = value.kind {
        let bits = bits
            .into_iter()
            .map(|b| convert_bits(b, from, to))
            .collect();
        return constant(bits, ty, value.span);
    }
    // A splat is converted once, before it is splatted.
    if let ExprKind::Splat(one) = value.kind {
        return splat(convert_components(*one, to), &ty);
    }
    let span = value.span;
    let zeros = |ty: &Type| zero(ty, span);
    match (from, to) {
        (Scalar::Bool, Scalar::Float) => {
            let ints = with_component_type(&value.ty, Scalar::Int);
            op(
                Op::SToF,
                vec![op(Op::BToI, vec![value], ints, span)],
                ty,
                span,
            )
        }
        (Scalar::Bool, _) => op(Op::BToI, vec![value], ty, span),
        (Scalar::Float, Scalar::Bool) => {
            let other = zeros(&value.ty);
            op(Op::FNe, vec![value, other], ty, span)
        }
        (_, Scalar::Bool) => {
            let other = zeros(&value.ty);
            op(Op::INe, vec![value, other], ty, span)
        }
        (Scalar::Int, _) => op(Op::SToF, vec![value], ty, span),
        (Scalar::Uint, _) => op(Op::UToF, vec![value], ty, span),
        (Scalar::Float, Scalar::Int) => op(Op::FToS, vec![value], ty, span),
        (Scalar::Float, _) => op(Op::FToU, vec![value], ty, span),
    }
}

/// One component's conversion, on known bits. No flushing enters into it: a denormal is as good as zero to an
/// integer, and to a bool under the default mode, which is the one that literals are checked in.
pub fn convert_bits(bits: u32, from: Scalar, to: Scalar) -> u32 {
    use fuseline_numerics::scalar::{Denorm, eval};
    let run = |op: Op, args: &[u32]| eval(op, args, Denorm::Flush);
    match (from, to) {
        _ if from.kind() == to.kind() => bits,
        (Scalar::Bool, Scalar::Float) => run(Op::SToF, &[bits]),
        (Scalar::Bool, _) => bits,
        (Scalar::Float, Scalar::Bool) => run(Op::FNe, &[bits, 0]),
        (_, Scalar::Bool) => run(Op::INe, &[bits, 0]),
        (Scalar::Int, _) => run(Op::SToF, &[bits]),
        (Scalar::Uint, _) => run(Op::UToF, &[bits]),
        (Scalar::Float, Scalar::Int) => run(Op::FToS, &[bits]),
        (Scalar::Float, _) => run(Op::FToU, &[bits]),
    }
}

/// The operation that chooses between two values of a kind.
pub fn select_op(kind: Kind) -> Op {
    match kind {
        Kind::F32 => Op::FSelect,
        Kind::I32 => Op::ISelect,
        Kind::Bool => Op::BSelect,
    }
}

/// Whether evaluating it changes nothing, so that it may be left out, moved past other pure ones or done twice.
pub fn is_pure(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Load(p) => p.dynamic.iter().all(|d| is_pure(&d.index)),
        ExprKind::ConstantLoad(c) => c.dynamic.iter().all(|d| is_pure(&d.index)),
        ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
            args.iter().all(is_pure)
        }
        ExprKind::Builtin(_, a)
        | ExprKind::IntegerPower(a, _)
        | ExprKind::Splat(a)
        | ExprKind::Pick(a, _) => is_pure(a),
        ExprKind::Index { base, index, .. } => is_pure(base) && is_pure(index),
        ExprKind::Dot(a, b) | ExprKind::MatMul { a, b, .. } => is_pure(a) && is_pure(b),
        ExprKind::Reduce { value, .. } => is_pure(value),
        ExprKind::Branch { cond, then, els } => is_pure(cond) && is_pure(then) && is_pure(els),
        ExprKind::Call { .. } | ExprKind::Assign { .. } | ExprKind::Sequence(..) => false,
    }
}

/// Whether it is so cheap that evaluating it twice beats a temporary: a constant, a plain variable, or one operation
/// on such.
pub fn is_cheap(value: &Expr) -> bool {
    fn at_most(value: &Expr, depth: u32) -> bool {
        match &value.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Load(p) => p.dynamic.is_empty(),
            ExprKind::ConstantLoad(c) => c.dynamic.is_empty(),
            ExprKind::Op(_, args) => depth > 0 && args.iter().all(|a| at_most(a, depth - 1)),
            ExprKind::Splat(a) | ExprKind::Pick(a, _) => at_most(a, depth),
            _ => false,
        }
    }
    at_most(value, 2)
}

/// Calls `f` with each place of a variable that an expression reads or writes.
pub fn places(value: &Expr, f: &mut dyn FnMut(&Place)) {
    let place = |p: &Place, f: &mut dyn FnMut(&Place)| {
        f(p);
        p.dynamic.iter().for_each(|d| places(&d.index, f));
    };
    match &value.kind {
        ExprKind::Constant(_) => {}
        ExprKind::Load(p) => place(p, f),
        ExprKind::ConstantLoad(c) => c.dynamic.iter().for_each(|d| places(&d.index, f)),
        ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
            args.iter().for_each(|a| places(a, f));
        }
        ExprKind::Builtin(_, a)
        | ExprKind::IntegerPower(a, _)
        | ExprKind::Splat(a)
        | ExprKind::Pick(a, _)
        | ExprKind::Reduce { value: a, .. } => places(a, f),
        ExprKind::Index {
            base: a, index: b, ..
        }
        | ExprKind::Dot(a, b)
        | ExprKind::MatMul { a, b, .. } => {
            places(a, f);
            places(b, f);
        }
        ExprKind::Branch { cond, then, els } => {
            for side in [cond, then, els] {
                places(side, f);
            }
        }
        ExprKind::Call { args, .. } => {
            for arg in args {
                arg.input.iter().for_each(|a| places(a, f));
                arg.output.iter().for_each(|p| place(p, f));
            }
        }
        ExprKind::Assign { place: p, value } => {
            place(p, f);
            places(value, f);
        }
        ExprKind::Sequence(first, last) => {
            first.iter().for_each(|a| places(a, f));
            places(last, f);
        }
    }
}
