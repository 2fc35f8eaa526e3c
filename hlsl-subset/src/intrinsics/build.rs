//! Hir of the intrinsics that are not HLSL text. Each function gets arguments of the types that were chosen.
//!
//! A call is not a product as far as fusing goes (decisions.md, *Numbers*), so a result that would be a bare product
//! is wrapped in an identity pick. No argument is used twice: Hir has no way to name a value.

use crate::check::intrinsic_call::BuildCall;
use crate::hir::{Expr, ExprKind};
use crate::span::Span;
use crate::types::{Scalar, Type};
use fuseline_numerics::builtin::Builtin;
use fuseline_numerics::math::MathFn;
use fuseline_numerics::op::Op;

fn expr(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// The same bits in every component of `ty`.
fn constant(bits: u32, ty: &Type, span: Span) -> Expr {
    expr(
        ExprKind::Constant(vec![bits; ty.components() as usize]),
        ty.clone(),
        span,
    )
}

fn float(value: f32, ty: &Type, span: Span) -> Expr {
    constant(value.to_bits(), ty, span)
}

/// `op` on all arguments.
pub(super) fn op(op: Op, call: BuildCall) -> Expr {
    expr(ExprKind::Op(op, call.args), call.ret, call.span)
}

pub(super) fn math(function: MathFn, call: BuildCall) -> Expr {
    expr(ExprKind::Math(function, call.args), call.ret, call.span)
}

/// The argument's bits, as the result's type.
pub(super) fn identity(call: BuildCall) -> Expr {
    let BuildCall {
        args, ret, span, ..
    } = call;
    match first(args) {
        Some(value) => keep(value, ret, span),
        None => constant(0, &ret, span),
    }
}

/// An identity pick: `value`'s bits as type `ty`, and no longer a product.
fn keep(value: Expr, ty: Type, span: Span) -> Expr {
    let all = (0..ty.components()).collect();
    expr(ExprKind::Pick(Box::new(value), all), ty, span)
}

fn first(args: Vec<Expr>) -> Option<Expr> {
    args.into_iter().next()
}

/// Applies `make` to the only argument.
fn unary(call: BuildCall, make: impl FnOnce(Expr, &Type, Span) -> ExprKind) -> Expr {
    let BuildCall {
        args, ret, span, ..
    } = call;
    match first(args) {
        Some(value) => expr(make(value, &ret, span), ret, span),
        None => constant(0, &ret, span),
    }
}

pub(super) fn builtin(builtin: Builtin, call: BuildCall) -> Expr {
    unary(call, |value, _, _| {
        ExprKind::Builtin(builtin, Box::new(value))
    })
}

/// `f32tof16`: a NaN is the canonical one first, as for [`bits`].
pub(super) fn half_bits(builtin: Builtin, call: BuildCall) -> Expr {
    unary(call, |value, _, _| {
        ExprKind::Builtin(builtin, Box::new(canonical(value)))
    })
}

/// `asuint`, `asint` of a float.
pub(super) fn bits(call: BuildCall) -> Expr {
    unary(call, |value, _, _| {
        ExprKind::Op(Op::AsInt, vec![canonical(value)])
    })
}

/// `value` with one face for NaN, unless it is written directly as something whose bits are its own (decisions.md,
/// row *NaN*). What a parameter holds is made canonical here; where the function turns out to be the entry, selecting
/// it takes that back ([`crate::entry`]).
fn canonical(value: Expr) -> Expr {
    if keeps_bits(&value) {
        return value;
    }
    let (ty, span) = (value.ty.clone(), value.span);
    expr(ExprKind::Op(Op::Canon, vec![value]), ty, span)
}

fn keeps_bits(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Pick(inner, _) => keeps_bits(inner),
        ExprKind::ConstantLoad(_) | ExprKind::Op(Op::AsFloat, _) => true,
        _ => false,
    }
}

/// `1 / x`.
pub(super) fn reciprocal(call: BuildCall) -> Expr {
    unary(call, |value, ty, span| {
        ExprKind::Op(Op::FDiv, vec![float(1.0, ty, span), value])
    })
}

/// `1 / sqrt(x)`, two roundings.
pub(super) fn reciprocal_root(call: BuildCall) -> Expr {
    unary(call, |value, ty, span| {
        let root = expr(ExprKind::Op(Op::FSqrt, vec![value]), ty.clone(), span);
        ExprKind::Op(Op::FDiv, vec![float(1.0, ty, span), root])
    })
}

/// `x * factor`.
pub(super) fn scale(factor: f32, call: BuildCall) -> Expr {
    let (ty, span) = (call.ret.clone(), call.span);
    let product = unary(call, |value, ty, span| {
        ExprKind::Op(Op::FMul, vec![value, float(factor, ty, span)])
    });
    keep(product, ty, span)
}

/// `min(max(x, 0), 1)`: NaN gives 0.
pub(super) fn saturate(call: BuildCall) -> Expr {
    unary(call, |value, ty, span| {
        let low = expr(
            ExprKind::Op(Op::FMax, vec![value, float(0.0, ty, span)]),
            ty.clone(),
            span,
        );
        ExprKind::Op(Op::FMin, vec![low, float(1.0, ty, span)])
    })
}

/// `min(max(x, lo), hi)`.
pub(super) fn clamp(max: Op, min: Op, mut call: BuildCall) -> Expr {
    let high = call.args.pop();
    let low = expr(ExprKind::Op(max, call.args), call.ret.clone(), call.span);
    let args = std::iter::once(low).chain(high).collect();
    expr(ExprKind::Op(min, args), call.ret, call.span)
}

/// Integer `a * b + c`.
pub(super) fn multiply_add(mut call: BuildCall) -> Expr {
    let addend = call.args.pop();
    let product = expr(
        ExprKind::Op(Op::IMul, call.args),
        call.ret.clone(),
        call.span,
    );
    let args = std::iter::once(product).chain(addend).collect();
    expr(ExprKind::Op(Op::IAdd, args), call.ret, call.span)
}

/// `x >= edge ? 1 : 0`; arguments `edge`, `x`.
pub(super) fn step(call: BuildCall) -> Expr {
    let BuildCall {
        args, ret, span, ..
    } = call;
    let reached = expr(
        ExprKind::Op(Op::FLe, args),
        ret.with_scalar(Scalar::Bool),
        span,
    );
    let choice = vec![reached, float(1.0, &ret, span), float(0.0, &ret, span)];
    expr(ExprKind::Op(Op::FSelect, choice), ret, span)
}

/// `any` and `all`.
pub(super) fn reduce(all: bool, call: BuildCall) -> Expr {
    unary(call, |value, _, _| ExprKind::Reduce {
        all,
        value: Box::new(value),
    })
}

/// `select`.
pub(super) fn select(call: BuildCall) -> Expr {
    let choose = match call.ret.scalar() {
        Some(Scalar::Bool) => Op::BSelect,
        Some(Scalar::Float) => Op::FSelect,
        _ => Op::ISelect,
    };
    op(choose, call)
}

/// `transpose`.
pub(super) fn transpose(call: BuildCall) -> Expr {
    unary(call, |value, ty, _| {
        let (rows, columns) = match ty {
            Type::Matrix(_, r, c) => (u32::from(*r), u32::from(*c)),
            _ => (1, ty.components()),
        };
        let order = (0..rows)
            .flat_map(|r| (0..columns).map(move |c| c * rows + r))
            .collect();
        ExprKind::Pick(Box::new(value), order)
    })
}

/// `dot`.
pub(super) fn dot(call: BuildCall) -> Expr {
    let BuildCall {
        args, ret, span, ..
    } = call;
    match <[Expr; 2]>::try_from(args) {
        Ok([a, b]) => expr(ExprKind::Dot(Box::new(a), Box::new(b)), ret, span),
        Err(_) => constant(0, &ret, span),
    }
}

/// `mul` where one side was a scalar: by component.
pub(super) fn product(call: BuildCall) -> Expr {
    let (ty, span) = (call.ret.clone(), call.span);
    let multiply = if ty.scalar() == Some(Scalar::Float) {
        Op::FMul
    } else {
        Op::IMul
    };
    keep(op(multiply, call), ty, span)
}

/// `mul` with a matrix and no scalar.
pub(super) fn matrix_product(call: BuildCall) -> Expr {
    let BuildCall {
        args, ret, span, ..
    } = call;
    let Ok([a, b]) = <[Expr; 2]>::try_from(args) else {
        return constant(0, &ret, span);
    };
    let (rows, inner) = match a.ty {
        Type::Matrix(_, r, c) => (r, c),
        _ => (1, a.ty.components() as u8),
    };
    let columns = match b.ty {
        Type::Matrix(_, _, c) => c,
        _ => 1,
    };
    expr(
        ExprKind::MatMul {
            a: Box::new(a),
            b: Box::new(b),
            rows,
            inner,
            columns,
        },
        ret,
        span,
    )
}

/// `pow`: integer powers where every component of the exponent is known to be an integer from -64 to 64.
pub(super) fn pow(mut call: BuildCall) -> Expr {
    let exponents = call
        .args
        .get(1)
        .and_then(|e| (call.fold)(e))
        .and_then(|bits| {
            bits.iter()
                .map(|&b| small_integer(f32::from_bits(b)))
                .collect::<Option<Vec<i8>>>()
        });
    match exponents {
        Some(exponents) => {
            call.args.truncate(1);
            unary(call, |value, _, _| {
                ExprKind::IntegerPower(Box::new(value), exponents)
            })
        }
        None => math(MathFn::Pow, call),
    }
}

fn small_integer(value: f32) -> Option<i8> {
    (value.fract() == 0.0 && value.abs() <= 64.0).then_some(value as i8)
}
