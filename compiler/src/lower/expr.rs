//! Expressions: component by component, operands left to right.

use super::{Lower, Result, Values};
use crate::kir::Value;
use fuseline_hlsl::hir::{BranchHint, Expr, ExprKind};
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::{builtin, math};
use smallvec::SmallVec;

impl<'a> Lower<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Result<Values> {
        self.enter()?;
        let values = match &expr.kind {
            ExprKind::Constant(bits) => self.constants(bits, expr),
            ExprKind::Load(place) => {
                let place = self.place(place)?;
                self.load(&place)
            }
            ExprKind::ConstantLoad(load) => self.constant_load(load, expr)?,
            ExprKind::Op(op, args) => {
                let args = self.exprs(args)?;
                self.each(expr, &args, |s, args| s.b.op(*op, args))
            }
            ExprKind::Math(function, args) => {
                let args = self.exprs(args)?;
                self.each(expr, &args, |s, args| math::math(&mut s.b, *function, args))
            }
            ExprKind::Builtin(function, arg) => {
                let arg = self.expr(arg)?;
                arg.iter()
                    .map(|x| builtin::builtin(&mut self.b, *function, *x))
                    .collect()
            }
            ExprKind::IntegerPower(base, exponents) => {
                let base = self.expr(base)?;
                base.iter()
                    .zip(exponents)
                    .map(|(x, n)| math::integer_power(&mut self.b, *x, i32::from(*n)))
                    .collect()
            }
            ExprKind::Splat(value) => {
                let value = self.scalar(value)?;
                SmallVec::from_elem(value, expr.ty.components() as usize)
            }
            ExprKind::Pick(value, components) => {
                let values = self.expr(value)?;
                components.iter().map(|c| values[*c as usize]).collect()
            }
            ExprKind::Concat(parts) => {
                let mut all = Values::new();
                for part in parts {
                    all.extend(self.expr(part)?);
                }
                all
            }
            ExprKind::Index {
                base,
                index,
                stride,
                len,
            } => self.index(base, index, *stride, *len)?,
            ExprKind::Dot(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let dot = self.dot(a.iter().copied().zip(b));
                SmallVec::from_slice(&[dot])
            }
            ExprKind::MatMul {
                a,
                b,
                rows,
                inner,
                columns,
            } => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.mat_mul(&a, &b, [*rows, *inner, *columns].map(usize::from))
            }
            ExprKind::Reduce { all, value } => {
                let values = self.expr(value)?;
                let op = if *all { Op::BAnd } else { Op::BOr };
                let mut result = self.b.bool(*all);
                for v in values {
                    result = self.b.op(op, &[result, v]);
                }
                SmallVec::from_slice(&[result])
            }
            ExprKind::Branch { cond, then, els } => {
                let cond = self.scalar(cond)?;
                self.branch(cond, BranchHint::None, |s| s.expr(then), |s| s.expr(els))?
            }
            ExprKind::Call { function, args } => self.call(*function, args, expr.span)?,
            ExprKind::Assign { place, value } => {
                let place = self.place(place)?;
                let values = self.expr(value)?;
                self.store(&place, &values);
                values
            }
            ExprKind::Sequence(first, last) => {
                for e in first {
                    self.expr(e)?;
                }
                self.expr(last)?
            }
        };
        self.leave();
        Ok(values)
    }

    fn exprs(&mut self, exprs: &'a [Expr]) -> Result<SmallVec<[Values; 3]>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn constants(&mut self, bits: &[u32], expr: &Expr) -> Values {
        let mut values = Values::new();
        super::for_each_kind(&expr.ty, &mut |kind| {
            let bits = bits.get(values.len()).copied().unwrap_or(0);
            values.push(self.b.constant(kind, bits));
        });
        values
    }

    /// `f` on the first components of all arguments, on the second ones, and so on.
    fn each(
        &mut self,
        expr: &Expr,
        args: &[Values],
        f: impl Fn(&mut Self, &[Value]) -> Value,
    ) -> Values {
        (0..expr.ty.components() as usize)
            .map(|k| {
                let operands: SmallVec<[Value; 3]> = args.iter().map(|a| a[k]).collect();
                f(self, &operands)
            })
            .collect()
    }

    /// First product, then one multiply-add per further pair (decisions.md, *Numbers*).
    fn dot(&mut self, pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
        let mut sum = None;
        for (a, b) in pairs {
            let float = self.b.kind(a) == Kind::F32;
            let (multiply, add) = if float {
                (Op::FMul, Op::FAdd)
            } else {
                (Op::IMul, Op::IAdd)
            };
            sum = Some(match sum {
                Some(sum) if float && self.program.fused => self.b.op(Op::Fma, &[a, b, sum]),
                Some(sum) => {
                    let product = self.b.op(multiply, &[a, b]);
                    self.b.op(add, &[sum, product])
                }
                None => self.b.op(multiply, &[a, b]),
            });
        }
        sum.unwrap_or_else(|| self.b.constant(Kind::F32, 0))
    }

    fn mat_mul(&mut self, a: &[Value], b: &[Value], [rows, inner, columns]: [usize; 3]) -> Values {
        let mut result = Values::new();
        for row in 0..rows {
            for column in 0..columns {
                let pairs = (0..inner).map(|i| (a[row * inner + i], b[i * columns + column]));
                result.push(self.dot(pairs));
            }
        }
        result
    }
}
