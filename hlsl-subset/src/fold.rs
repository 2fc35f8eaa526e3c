//! The value of a Hir expression that is known before anything runs.
//!
//! Only what is the same whatever a device is asked for counts as known: a value that depends on denormals being
//! flushed, or on sums being fused that Hir has not fused yet, is not. Must not know why somebody asks.

use crate::hir::{Expr, ExprKind, Place, VarId};
use crate::types::Scalar as Component;
use fuseline_numerics::builtin::builtin;
use fuseline_numerics::machine::Machine;
use fuseline_numerics::math;
use fuseline_numerics::op::Op;
use fuseline_numerics::scalar::{Denorm, Scalar};

/// The bits of each component of `value`, if they are known. `known` gives the slots of variables that are constants.
pub fn fold<'a>(value: &Expr, known: &dyn Fn(VarId) -> Option<&'a [u32]>) -> Option<Vec<u32>> {
    if let ExprKind::Constant(bits) = &value.kind {
        return Some(bits.clone());
    }
    let with = |denorm| {
        Folder {
            known,
            machine: Scalar { denorm },
        }
        .expr(value)
    };
    let bits = with(Denorm::Flush)?;
    (with(Denorm::Preserve)? == bits).then_some(bits)
}

struct Folder<'f, 'a> {
    known: &'f dyn Fn(VarId) -> Option<&'a [u32]>,
    machine: Scalar,
}

impl Folder<'_, '_> {
    fn expr(&mut self, e: &Expr) -> Option<Vec<u32>> {
        match &e.kind {
            ExprKind::Constant(bits) => Some(bits.clone()),
            ExprKind::Load(place) => self.load(place),
            ExprKind::Op(op, args) => {
                self.by_component(args, |machine, values| machine.op(*op, values))
            }
            ExprKind::Math(function, args) => self.by_component(args, |machine, values| {
                math::math(machine, *function, values)
            }),
            ExprKind::Builtin(which, value) => {
                let bits = self.expr(value)?;
                Some(
                    bits.iter()
                        .map(|x| builtin(&mut self.machine, *which, *x))
                        .collect(),
                )
            }
            ExprKind::IntegerPower(value, exponents) => {
                let bits = self.expr(value)?;
                let powers = bits.iter().zip(exponents);
                Some(
                    powers
                        .map(|(x, n)| math::integer_power(&mut self.machine, *x, i32::from(*n)))
                        .collect(),
                )
            }
            ExprKind::Splat(value) => {
                let bits = *self.expr(value)?.first()?;
                Some(vec![bits; e.ty.components() as usize])
            }
            ExprKind::Pick(value, components) => {
                let bits = self.expr(value)?;
                components
                    .iter()
                    .map(|c| bits.get(*c as usize).copied())
                    .collect()
            }
            ExprKind::Concat(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.expr(part)?);
                }
                Some(all)
            }
            ExprKind::Index {
                base,
                index,
                stride,
                len,
            } => {
                let base = self.expr(base)?;
                let index = *self.expr(index)?.first()?;
                if index >= *len {
                    return Some(vec![0; *stride as usize]);
                }
                let first = index as usize * *stride as usize;
                base.get(first..first + *stride as usize)
                    .map(<[u32]>::to_vec)
            }
            ExprKind::Dot(a, b) => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                Some(vec![self.dot(a.ty.scalar(), x.iter().copied().zip(y))?])
            }
            ExprKind::MatMul {
                a,
                b,
                inner,
                columns,
                rows,
            } => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                let (inner, columns) = (usize::from(*inner), usize::from(*columns));
                let mut product = Vec::with_capacity(usize::from(*rows) * columns);
                for row in x.chunks_exact(inner.max(1)) {
                    for column in 0..columns {
                        let pairs = row
                            .iter()
                            .copied()
                            .zip(y.iter().skip(column).step_by(columns).copied());
                        product.push(self.dot(a.ty.scalar(), pairs)?);
                    }
                }
                Some(product)
            }
            ExprKind::Reduce { all, value } => {
                let bits = self.expr(value)?;
                let holds = if *all {
                    bits.iter().all(|b| *b != 0)
                } else {
                    bits.iter().any(|b| *b != 0)
                };
                Some(vec![u32::from(holds)])
            }
            ExprKind::Branch { cond, then, els } => {
                let chosen = if *self.expr(cond)?.first()? != 0 {
                    then
                } else {
                    els
                };
                self.expr(chosen)
            }
            ExprKind::ConstantLoad(_)
            | ExprKind::Call { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Sequence(..) => None,
        }
    }

    fn by_component(
        &mut self,
        args: &[Expr],
        apply: impl Fn(&mut Scalar, &[u32]) -> u32,
    ) -> Option<Vec<u32>> {
        let args: Vec<Vec<u32>> = args.iter().map(|a| self.expr(a)).collect::<Option<_>>()?;
        let components = args.first()?.len();
        let mut values = Vec::with_capacity(args.len());
        (0..components)
            .map(|i| {
                values.clear();
                for arg in &args {
                    values.push(*arg.get(i)?);
                }
                Some(apply(&mut self.machine, &values))
            })
            .collect()
    }

    fn load(&mut self, place: &Place) -> Option<Vec<u32>> {
        let slots = (self.known)(place.var)?;
        let mut first = place.offset as usize;
        for d in &place.dynamic {
            let index = *self.expr(&d.index)?.first()?;
            if index >= d.len {
                return Some(vec![0; place.components.len()]);
            }
            first += index as usize * d.stride as usize;
        }
        place
            .components
            .iter()
            .map(|c| slots.get(first + *c as usize).copied())
            .collect()
    }

    /// The sum of products, if it is the same fused and not fused.
    fn dot(
        &mut self,
        scalar: Option<Component>,
        pairs: impl Iterator<Item = (u32, u32)>,
    ) -> Option<u32> {
        let float = scalar == Some(Component::Float);
        let (multiply, add) = if float {
            (Op::FMul, Op::FAdd)
        } else {
            (Op::IMul, Op::IAdd)
        };
        let mut sums = None;
        for (x, y) in pairs {
            let product = self.machine.op(multiply, &[x, y]);
            sums = Some(match sums {
                None => (product, product),
                Some((fused, plain)) if float => (
                    self.machine.op(Op::Fma, &[x, y, fused]),
                    self.machine.op(add, &[plain, product]),
                ),
                Some((sum, _)) => {
                    let sum = self.machine.op(add, &[sum, product]);
                    (sum, sum)
                }
            });
        }
        sums.and_then(|(fused, plain)| (fused == plain).then_some(fused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::DynamicIndex;
    use crate::span::Span;
    use crate::types::Type;

    const FLOAT: Type = Type::Scalar(Component::Float);

    fn expr(kind: ExprKind, ty: Type) -> Expr {
        Expr {
            kind,
            ty,
            span: Span::default(),
        }
    }

    fn floats(values: &[f32]) -> Expr {
        let ty = Type::Vector(Component::Float, values.len() as u8);
        expr(
            ExprKind::Constant(values.iter().map(|v| v.to_bits()).collect()),
            ty,
        )
    }

    fn value(e: &Expr) -> Option<Vec<f32>> {
        let table = [1f32.to_bits(), 2f32.to_bits(), 3f32.to_bits()];
        let known = |var: VarId| (var == VarId(7)).then_some(&table[..]);
        fold(e, &known).map(|bits| bits.iter().map(|b| f32::from_bits(*b)).collect())
    }

    fn sum(a: Expr, b: Expr) -> Expr {
        let ty = a.ty.clone();
        expr(ExprKind::Op(Op::FAdd, vec![a, b]), ty)
    }

    #[test]
    fn operations_of_constants_are_known() {
        assert_eq!(
            value(&sum(floats(&[1.0, 2.0]), floats(&[0.5, 0.25]))),
            Some(vec![1.5, 2.25])
        );
    }

    #[test]
    fn what_depends_on_flushing_is_not() {
        let tiny = f32::from_bits(1);
        assert_eq!(value(&sum(floats(&[tiny]), floats(&[tiny]))), None);
        assert_eq!(value(&floats(&[tiny])), Some(vec![tiny]));
    }

    #[test]
    fn what_depends_on_fusing_is_not() {
        let dot = |a: Expr, b: Expr| expr(ExprKind::Dot(Box::new(a), Box::new(b)), FLOAT);
        assert_eq!(
            value(&dot(floats(&[1.0, 2.0]), floats(&[3.0, 4.0]))),
            Some(vec![11.0])
        );
        assert_eq!(value(&dot(floats(&[0.1, 0.3]), floats(&[0.1, 0.3]))), None);
    }

    #[test]
    fn tables_are_read_and_past_their_end_is_zero() {
        let at = |index: i32| {
            let index = expr(
                ExprKind::Constant(vec![index as u32]),
                Type::Scalar(Component::Int),
            );
            let dynamic = vec![DynamicIndex {
                index,
                stride: 1,
                len: 3,
            }];
            let place = Place {
                var: VarId(7),
                offset: 0,
                dynamic,
                components: vec![0],
            };
            value(&expr(ExprKind::Load(place), FLOAT))
        };
        assert_eq!(at(1), Some(vec![2.0]));
        assert_eq!(at(3), Some(vec![0.0]));
        assert_eq!(at(-1), Some(vec![0.0]));
    }

    #[test]
    fn other_variables_are_not_known() {
        let place = Place {
            var: VarId(1),
            offset: 0,
            dynamic: Vec::new(),
            components: vec![0],
        };
        assert_eq!(value(&expr(ExprKind::Load(place), FLOAT)), None);
    }

    #[test]
    fn a_matrix_product_takes_rows_by_columns() {
        let product = ExprKind::MatMul {
            a: Box::new(floats(&[1.0, 2.0])),
            b: Box::new(floats(&[1.0, 2.0, 3.0, 4.0])),
            rows: 1,
            inner: 2,
            columns: 2,
        };
        assert_eq!(
            value(&expr(product, Type::Vector(Component::Float, 2))),
            Some(vec![7.0, 10.0])
        );
    }
}
