//! Operators on values: the usual arithmetic conversions, and which primitive operation each operator is
//! (hlsl-vs-semantics.md sections 2 and 8).

use super::value::{Value, same_type};
use super::{Checker, R, build};
use crate::ast::{BinaryOp, UnaryOp};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind};
use crate::span::Span;
use crate::types::{Scalar, Type};
use fuseline_numerics::op::Op;

/// The shape that two operands are brought to: the smaller one, a scalar counting for any; as a type of `scalar`.
pub(super) fn common_shape(a: &Type, b: &Type, scalar: Scalar) -> Option<Type> {
    use Type::{Matrix, Vector};
    Some(match (a, b) {
        (a, b) if !a.is_numeric() || !b.is_numeric() => return None,
        (Type::Scalar(_), other) | (other, Type::Scalar(_)) => other.with_scalar(scalar),
        (a, other) | (other, a) if a.components() == 1 => other.with_scalar(scalar),
        (Vector(_, n), Vector(_, m)) => Vector(scalar, *n.min(m)),
        (Matrix(_, r, c), Matrix(_, r2, c2)) if (r <= r2) == (c <= c2) || r == r2 || c == c2 => {
            Matrix(scalar, *r.min(r2), *c.min(c2))
        }
        (Matrix(..), Matrix(..)) => return None,
        (a, b) if a.components() == b.components() => Vector(scalar, a.components() as u8),
        _ => return None,
    })
}

/// The component type that two operands are brought to.
pub(super) fn common_scalar(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Float, _) | (_, Scalar::Float) => Scalar::Float,
        (Scalar::Uint, _) | (_, Scalar::Uint) => Scalar::Uint,
        _ => Scalar::Int,
    }
}

impl<'a> Checker<'a, '_> {
    /// `-x`, `!x` and the like; increments are assignments and stand elsewhere.
    pub(super) fn unary(&mut self, op: UnaryOp, value: Value, span: Span) -> R<Value> {
        if let Some(result) = self.user_unary(op, &value, span)? {
            return Ok(result);
        }
        let Some(scalar) = value.ty.scalar() else {
            let message = format!("`{}` cannot be applied to `{}`", op.as_str(), value.ty);
            return Err(self.error(Code::BadOperands, span, message));
        };
        let value = self.without_enum(value)?;
        let literal = value.literal;
        let to = match (op, scalar) {
            (UnaryOp::Not, _) => Scalar::Bool,
            (UnaryOp::BitNot, Scalar::Float) => {
                let diagnostic = Diagnostic::new(
                    Code::BadOperands,
                    span,
                    format!("`~` cannot be applied to `{}`", value.ty),
                )
                .hint("it is for integers; `asuint` gives a float's bits");
                return Err(self.report(diagnostic));
            }
            (_, Scalar::Bool) => Scalar::Int,
            (_, scalar) => scalar,
        };
        let ty = value.ty.with_scalar(to);
        let operand = build::convert_components(value.into_expr(), to);
        let result = match (op, to) {
            (UnaryOp::Not, _) => build::op(Op::BNot, vec![operand], ty, span),
            (UnaryOp::BitNot, _) => {
                let ones =
                    build::constant(vec![u32::MAX; ty.components() as usize], ty.clone(), span);
                build::op(Op::IXor, vec![operand, ones], ty, span)
            }
            (UnaryOp::Neg, Scalar::Float) => negated(
                operand,
                ty,
                span,
                |b| b ^ 0x8000_0000,
                |x, ty| build::op(Op::FNeg, vec![x], ty, span),
            ),
            (UnaryOp::Neg, _) => negated(operand, ty, span, u32::wrapping_neg, |x, ty| {
                let zero = build::zero(&ty, span);
                build::op(Op::ISub, vec![zero, x], ty, span)
            }),
            _ => operand,
        };
        Ok(Value {
            literal,
            span,
            ..Value::computed(Expr { span, ..result })
        })
    }

    /// `a op b`, short-circuit operators excepted.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> R<Value> {
        if let Some(result) = self.user_binary(op, &a, &b, span)? {
            return Ok(result);
        }
        let (Some(sa), Some(sb)) = (a.ty.scalar(), b.ty.scalar()) else {
            return Err(self.bad_operands(op, &a, &b, span));
        };
        let are_compared = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let (a, b) = match are_compared && same_type(&a.ty, &b.ty) {
            true => (number_of(a), number_of(b)),
            false => (a, b),
        };
        let is_bits = matches!(
            op,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr
        );
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if is_bits && (sa == Scalar::Float || sb == Scalar::Float) {
            return Err(self.bad_operands(op, &a, &b, span));
        }
        let are_bools = sa == Scalar::Bool && sb == Scalar::Bool;
        let scalar = match op {
            BinaryOp::Eq | BinaryOp::Ne if are_bools => Scalar::Bool,
            _ if is_shift => common_scalar(sa, sa),
            _ => common_scalar(sa, sb),
        };
        let Some(ty) = common_shape(&a.ty, &b.ty, scalar) else {
            return Err(self.bad_operands(op, &a, &b, span));
        };
        let literal = a.literal && b.literal;
        let a = self.convert(a, &ty, "")?;
        let b = self.convert(b, &ty, "")?;
        let result = self.primitive(op, scalar, a, b, ty, span)?;
        Ok(Value {
            literal,
            ..Value::computed(result)
        })
    }

    /// An enum's value as a number; one of an `enum class` needs a cast for that.
    fn without_enum(&mut self, value: Value) -> R<Value> {
        match &value.ty {
            Type::Enum(e) => {
                let to = Type::Scalar(e.scalar);
                Ok(Value::computed(self.convert(value, &to, "")?))
            }
            _ => Ok(value),
        }
    }

    fn bad_operands(&mut self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> super::Reported {
        let message = format!(
            "`{}` cannot be applied to `{}` and `{}`",
            op.as_str(),
            a.ty,
            b.ty
        );
        let mut diagnostic = Diagnostic::new(Code::BadOperands, span, message);
        let is_matrix_product = op == BinaryOp::Mul && a.ty.is_numeric() && b.ty.is_numeric();
        if is_matrix_product {
            diagnostic = diagnostic.hint("`mul(a, b)` multiplies matrices and vectors");
        } else if a.ty.is_numeric() && b.ty.is_numeric() {
            diagnostic = match (a.ty.scalar(), b.ty.scalar()) {
                (Some(Scalar::Float), _) | (_, Some(Scalar::Float))
                    if common_shape(&a.ty, &b.ty, Scalar::Int).is_some() =>
                {
                    diagnostic.hint(
                        "it is for integers; convert the operands with `int(…)` or `asuint(…)`",
                    )
                }
                _ => diagnostic.hint("the operands' dimensions do not fit"),
            };
        }
        self.report(diagnostic)
    }

    /// The operation on converted operands of type `ty`, whose components are of type `scalar`.
    fn primitive(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: Expr,
        b: Expr,
        ty: Type,
        span: Span,
    ) -> R<Expr> {
        use BinaryOp::*;
        if matches!(op, Div | Rem) && scalar != Scalar::Float {
            self.refuse_zero_divisor(&b, span)?;
        }
        let by = |float: Op, int: Op, uint: Op| match scalar {
            Scalar::Float => float,
            Scalar::Uint => uint,
            _ => int,
        };
        let truth = ty.with_scalar(Scalar::Bool);
        let plain = |op: Op, ty: Type, a: Expr, b: Expr| Ok(build::op(op, vec![a, b], ty, span));
        match op {
            Add => plain(by(Op::FAdd, Op::IAdd, Op::IAdd), ty, a, b),
            Sub => plain(by(Op::FSub, Op::ISub, Op::ISub), ty, a, b),
            Mul => plain(by(Op::FMul, Op::IMul, Op::IMul), ty, a, b),
            Div => plain(by(Op::FDiv, Op::SDiv, Op::UDiv), ty, a, b),
            Rem if scalar == Scalar::Float => self.float_remainder(a, b, span),
            Rem => plain(by(Op::SRem, Op::SRem, Op::URem), ty, a, b),
            Shl => plain(Op::IShl, ty, a, b),
            Shr => plain(by(Op::SShr, Op::SShr, Op::UShr), ty, a, b),
            BitAnd => plain(Op::IAnd, ty, a, b),
            BitXor => plain(Op::IXor, ty, a, b),
            BitOr => plain(Op::IOr, ty, a, b),
            Eq | Ne if scalar == Scalar::Bool => {
                let differs = build::op(Op::BXor, vec![a, b], truth.clone(), span);
                Ok(match op {
                    Ne => differs,
                    _ => build::op(Op::BNot, vec![differs], truth, span),
                })
            }
            Eq => plain(by(Op::FEq, Op::IEq, Op::IEq), truth, a, b),
            Ne => plain(by(Op::FNe, Op::INe, Op::INe), truth, a, b),
            Lt => plain(by(Op::FLt, Op::SLt, Op::ULt), truth, a, b),
            Le => plain(by(Op::FLe, Op::SLe, Op::ULe), truth, a, b),
            Gt => Ok(self.swapped(by(Op::FLt, Op::SLt, Op::ULt), a, b, truth, span)),
            Ge => Ok(self.swapped(by(Op::FLe, Op::SLe, Op::ULe), a, b, truth, span)),
            And | Or => Ok(self.logical(op == And, a, b, truth, span)),
        }
    }

    /// `op(b, a)` with `a` evaluated first.
    fn swapped(&mut self, op: Op, a: Expr, b: Expr, ty: Type, span: Span) -> Expr {
        if build::is_pure(&a) && build::is_pure(&b) {
            return build::op(op, vec![b, a], ty, span);
        }
        let (a_ty, a_span) = (a.ty.clone(), a.span);
        let (var, fill) = self.temporary(a);
        let a = build::load(var, &a_ty, a_span);
        build::sequence(vec![fill], build::op(op, vec![b, a], ty, span))
    }

    fn refuse_zero_divisor(&mut self, divisor: &Expr, span: Span) -> R<()> {
        match self.fold(divisor) {
            Some(bits) if bits.contains(&0) => {
                Err(self.error(Code::DivisionByZero, span, "integer division by zero"))
            }
            _ => Ok(()),
        }
    }

    /// `%` on floats is `fmod`.
    fn float_remainder(&mut self, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let args = vec![Value::computed(a), Value::computed(b)];
        let result = self.intrinsic_by_name("fmod", args, span)?;
        Ok(result.into_expr())
    }

    /// `a && b` (`is_and`) or `a || b` on converted operands.
    fn logical(&mut self, is_and: bool, a: Expr, b: Expr, ty: Type, span: Span) -> Expr {
        if !self.is_2021() || build::is_pure(&b) {
            let op = if is_and { Op::BAnd } else { Op::BOr };
            return build::op(op, vec![a, b], ty, span);
        }
        let known = build::constant(vec![u32::from(!is_and)], ty.clone(), span);
        let (then, els) = if is_and { (b, known) } else { (known, b) };
        let kind = ExprKind::Branch {
            cond: Box::new(a),
            then: Box::new(then),
            els: Box::new(els),
        };
        build::expr(kind, ty, span)
    }

    /// `a && b`, `a || b`.
    pub(super) fn logic(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> R<Value> {
        for side in [&a, &b] {
            if !side.ty.is_numeric() {
                return Err(self.bad_operands(op, &a, &b, span));
            }
            if self.is_2021() && side.ty.components() != 1 {
                let word = if op == BinaryOp::And { "and" } else { "or" };
                let diagnostic = Diagnostic::new(
                    Code::VectorLogic,
                    side.span,
                    format!(
                        "`{}` takes scalars in HLSL 2021, not `{}`",
                        op.as_str(),
                        side.ty
                    ),
                )
                .hint(format!("`{word}(a, b)` works component by component"));
                return Err(self.report(diagnostic));
            }
        }
        let Some(ty) = common_shape(&a.ty, &b.ty, Scalar::Bool) else {
            return Err(self.bad_operands(op, &a, &b, span));
        };
        let a = self.convert(a, &ty, "")?;
        let b = self.convert(b, &ty, "")?;
        Ok(Value::computed(self.logical(
            op == BinaryOp::And,
            a,
            b,
            ty,
            span,
        )))
    }

    /// `cond ? a : b`.
    pub(super) fn conditional(&mut self, cond: Value, a: Value, b: Value, span: Span) -> R<Value> {
        let Some(_) = cond.ty.scalar() else {
            let message = format!("a condition is a bool, not `{}`", cond.ty);
            return Err(self.error(Code::ConditionType, cond.span, message));
        };
        let (arms, literal) = match (a.ty.scalar(), b.ty.scalar()) {
            (Some(sa), Some(sb)) if !same_type(&a.ty, &b.ty) => {
                let scalar = if sa == sb { sa } else { common_scalar(sa, sb) };
                (common_shape(&a.ty, &b.ty, scalar), a.literal && b.literal)
            }
            _ => {
                let common = same_type(&a.ty, &b.ty).then(|| a.ty.clone());
                (common, a.literal && b.literal)
            }
        };
        let Some(arms) = arms else {
            let message = format!("the sides of `?:` have the types `{}` and `{}`", a.ty, b.ty);
            return Err(self.error(Code::BadOperands, span, message));
        };
        if cond.ty.components() == 1 {
            let result = self.scalar_choice(cond, a, b, arms, span)?;
            return Ok(Value {
                literal,
                ..Value::computed(result)
            });
        }
        if self.is_2021() {
            let diagnostic = Diagnostic::new(
                Code::VectorLogic,
                cond.span,
                format!(
                    "the condition of `?:` is a scalar in HLSL 2021, not `{}`",
                    cond.ty
                ),
            )
            .hint("`select(cond, a, b)` works component by component");
            return Err(self.report(diagnostic));
        }
        let scalar = arms.scalar().unwrap_or(Scalar::Float);
        let Some(ty) = common_shape(&arms, &cond.ty, scalar) else {
            let message = format!(
                "a condition of type `{}` does not fit sides of type `{arms}`",
                cond.ty
            );
            return Err(self.error(Code::BadOperands, span, message));
        };
        let cond = self.convert(cond, &ty.with_scalar(Scalar::Bool), "")?;
        let a = self.convert(a, &ty, "")?;
        let b = self.convert(b, &ty, "")?;
        let op = build::select_op(scalar.kind());
        Ok(Value::computed(build::op(op, vec![cond, a, b], ty, span)))
    }

    fn scalar_choice(&mut self, cond: Value, a: Value, b: Value, ty: Type, span: Span) -> R<Expr> {
        let cond = self.convert(cond, &Type::Scalar(Scalar::Bool), "")?;
        let mut a = self.convert(a, &ty, "")?;
        let mut b = self.convert(b, &ty, "")?;
        let are_pure = build::is_pure(&a) && build::is_pure(&b);
        if let Some(scalar) = ty.scalar()
            && (are_pure || !self.is_2021())
        {
            let cond = build::splat(cond, &ty.with_scalar(Scalar::Bool));
            let op = build::select_op(scalar.kind());
            return Ok(build::op(op, vec![cond, a, b], ty, span));
        }
        let mut before = Vec::new();
        let mut cond = cond;
        if !are_pure && !self.is_2021() {
            // Both sides run, whatever the condition is.
            for side in [&mut cond, &mut a, &mut b] {
                let (side_ty, side_span) = (side.ty.clone(), side.span);
                let value = std::mem::replace(side, build::zero(&side_ty, side_span));
                let (var, fill) = self.temporary(value);
                before.push(fill);
                *side = build::load(var, &side_ty, side_span);
            }
        }
        let kind = ExprKind::Branch {
            cond: Box::new(cond),
            then: Box::new(a),
            els: Box::new(b),
        };
        Ok(build::sequence(before, build::expr(kind, ty, span)))
    }

    /// A condition of `if`, a loop and the like: a scalar, as a Bool.
    pub(super) fn condition(&mut self, value: Value) -> R<Expr> {
        if value.ty.is_numeric() && value.ty.components() == 1 {
            return self.convert(value, &Type::Scalar(Scalar::Bool), "");
        }
        let message = format!("a condition is a scalar, not `{}`", value.ty);
        let mut diagnostic = Diagnostic::new(Code::ConditionType, value.span, message);
        if value.ty.is_numeric() {
            diagnostic = diagnostic.hint("`any(…)` or `all(…)` makes one bool of several");
        }
        Err(self.report(diagnostic))
    }
}

/// The same value, an enum's as a number.
pub(super) fn number_of(value: Value) -> Value {
    let ty = match &value.ty {
        Type::Enum(e) => Type::Scalar(e.scalar),
        other => other.clone(),
    };
    Value { ty, ..value }
}

/// The negative of a value: of a constant at once.
fn negated(
    value: Expr,
    ty: Type,
    span: Span,
    of_bits: fn(u32) -> u32,
    otherwise: impl FnOnce(Expr, Type) -> Expr,
) -> Expr {
    match value.kind {
        ExprKind::Constant(bits) => {
            build::constant(bits.into_iter().map(of_bits).collect(), ty, span)
        }
        kind => otherwise(build::expr(kind, value.ty, value.span), ty),
    }
}
