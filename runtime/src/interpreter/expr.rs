//! Expressions: each leaves its components on top of the stack.

use super::{Interpreter, Result};
use fuseline_hlsl::hir::{Expr, ExprKind};
use fuseline_hlsl::types::Scalar;
use fuseline_numerics::builtin::builtin;
use fuseline_numerics::math::{integer_power, math};
use fuseline_numerics::op::Op;
use fuseline_numerics::scalar::{self, eval};

impl Interpreter<'_> {
    pub(super) fn eval(&mut self, expr: &Expr) -> Result {
        self.enter(expr.span)?;
        let base = self.stack.len();
        match &expr.kind {
            ExprKind::Constant(bits) => self.stack.extend_from_slice(bits),
            ExprKind::Load(place) => self.load(place)?,
            ExprKind::ConstantLoad(load) => self.constant_load(load, &expr.ty)?,
            ExprKind::Op(op, args) => {
                let denorm = self.options.denorm;
                self.each(args, |args| eval(*op, args, denorm))?;
            }
            ExprKind::Math(function, args) => {
                let mut machine = self.machine();
                self.each(args, |args| math(&mut machine, *function, args))?;
            }
            ExprKind::Builtin(function, arg) => {
                let mut machine = self.machine();
                self.eval(arg)?;
                let values = &mut self.stack[base..];
                values
                    .iter_mut()
                    .for_each(|x| *x = builtin(&mut machine, *function, *x));
            }
            ExprKind::IntegerPower(arg, exponents) => {
                let mut machine = self.machine();
                self.eval(arg)?;
                for (x, n) in self.stack[base..].iter_mut().zip(exponents) {
                    *x = integer_power(&mut machine, *x, i32::from(*n));
                }
            }
            ExprKind::Splat(arg) => {
                self.eval(arg)?;
                let value = self.pop();
                self.stack
                    .resize(base + expr.ty.components() as usize, value);
            }
            ExprKind::Pick(arg, components) => {
                self.eval(arg)?;
                let top = self.stack.len();
                for component in components {
                    self.stack.push(self.stack[base + *component as usize]);
                }
                self.stack.drain(base..top);
            }
            ExprKind::Concat(parts) => self.eval_all(parts)?,
            ExprKind::Index {
                base: value,
                index,
                stride,
                len,
            } => self.index(value, index, *stride, *len)?,
            ExprKind::Dot(a, b) => self.mat_mul(a, b, [1, 0, 1])?,
            ExprKind::MatMul {
                a,
                b,
                rows,
                inner,
                columns,
            } => self.mat_mul(a, b, [*rows, *inner, *columns].map(usize::from))?,
            ExprKind::Reduce { all, value } => {
                self.eval(value)?;
                let values = &self.stack[base..];
                let result = if *all {
                    values.iter().all(|b| *b != 0)
                } else {
                    values.iter().any(|b| *b != 0)
                };
                self.stack.truncate(base);
                self.stack.push(u32::from(result));
            }
            ExprKind::Branch { cond, then, els } => {
                self.eval(cond)?;
                let chosen = if self.pop() != 0 { then } else { els };
                self.eval(chosen)?;
            }
            ExprKind::Call { function, args } => self.call(*function, args)?,
            ExprKind::Assign { place, value } => {
                let at = self.resolve(place)?;
                self.eval(value)?;
                self.store(place, at);
            }
            ExprKind::Sequence(first, last) => {
                self.eval_all(first)?;
                self.stack.truncate(base);
                self.eval(last)?;
            }
        }
        self.nesting -= 1;
        Ok(())
    }

    fn eval_all(&mut self, exprs: &[Expr]) -> Result {
        exprs.iter().try_for_each(|e| self.eval(e))
    }

    fn machine(&self) -> scalar::Scalar {
        scalar::Scalar {
            denorm: self.options.denorm,
        }
    }

    /// `f` on the first components of all arguments, on the second ones, and so on.
    fn each(&mut self, args: &[Expr], mut f: impl FnMut(&[u32]) -> u32) -> Result {
        let base = self.stack.len();
        self.eval_all(args)?;
        let values = &mut self.stack[base..];
        let count = values.len() / args.len().max(1);
        // Results take the place of the first argument.
        for k in 0..count {
            let mut operands = [0; 3];
            for (operand, of_argument) in operands.iter_mut().zip(values.chunks_exact(count)) {
                *operand = of_argument[k];
            }
            values[k] = f(&operands[..args.len()]);
        }
        self.stack.truncate(base + count);
        Ok(())
    }

    fn index(&mut self, value: &Expr, index: &Expr, stride: u32, len: u32) -> Result {
        let base = self.stack.len();
        self.eval(value)?;
        self.eval(index)?;
        let index = self.pop();
        let stride = stride as usize;
        if index < len {
            let from = base + index as usize * stride;
            self.stack.copy_within(from..from + stride, base);
        } else {
            self.stack[base..base + stride].fill(0);
        }
        self.stack.truncate(base + stride);
        Ok(())
    }

    /// A matrix product. A dot product is that of one row and one column, however long.
    fn mat_mul(&mut self, a: &Expr, b: &Expr, [rows, inner, columns]: [usize; 3]) -> Result {
        let base = self.stack.len();
        self.eval(a)?;
        let of_b = self.stack.len();
        self.eval(b)?;
        let top = self.stack.len();
        let inner = if inner == 0 { of_b - base } else { inner };
        let is_float = a.ty.scalar() == Some(Scalar::Float);
        for row in 0..rows {
            for column in 0..columns {
                let pairs = (0..inner).map(|i| {
                    let (x, y) = (base + row * inner + i, of_b + i * columns + column);
                    (self.stack[x], self.stack[y])
                });
                let sum = self.sum_of_products(pairs, is_float);
                self.stack.push(sum);
            }
        }
        self.stack.drain(base..top);
        Ok(())
    }

    /// First product, then one multiply-add per further pair (decisions.md, *Numbers*).
    fn sum_of_products(&self, mut pairs: impl Iterator<Item = (u32, u32)>, is_float: bool) -> u32 {
        let denorm = self.options.denorm;
        let (multiply, add) = if is_float {
            (Op::FMul, Op::FAdd)
        } else {
            (Op::IMul, Op::IAdd)
        };
        let product = |(x, y)| eval(multiply, &[x, y], denorm);
        let Some(first) = pairs.next() else {
            return 0;
        };
        pairs.fold(product(first), |sum, (x, y)| {
            if is_float && self.program.fused {
                eval(Op::Fma, &[x, y, sum], denorm)
            } else {
                eval(add, &[sum, product((x, y))], denorm)
            }
        })
    }
}
