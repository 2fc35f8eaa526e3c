//! The types of `mul`: nine overloads of scalars, vectors and matrices (hlsl-vs-semantics.md section 4).

use super::build;
use super::signature::common_scalar;
use crate::check::intrinsic_call::{
    ArgInfo, BuildFn, Meaning, Resolved, ResolvedParam, Unresolved,
};
use crate::types::{Scalar, Type};

/// Chooses for two arguments.
pub(super) fn resolve(args: &[ArgInfo]) -> Result<Resolved, Unresolved> {
    let [x, y] = args else {
        return Err(Unresolved::Count("2 arguments".to_owned()));
    };
    for (i, arg) in args.iter().enumerate() {
        if !arg.ty.is_numeric() {
            return Err(Unresolved::Argument(
                i,
                "must be a scalar, vector or matrix".to_owned(),
            ));
        }
    }
    let scalar = common_scalar(args.iter()).map_or(Scalar::Float, |s| s.max(Scalar::Int));
    let chosen = |x: Type, y: Type, ret: Type, build: BuildFn| {
        let params = [x, y]
            .into_iter()
            .map(|ty| ResolvedParam { ty, is_out: false })
            .collect();
        Ok(Resolved {
            params,
            ret,
            meaning: Meaning::Build(build),
        })
    };
    let vector = |n| Type::Vector(scalar, n);
    let matrix = |r, c| Type::Matrix(scalar, r, c);
    match (&x.ty, &y.ty) {
        (Type::Vector(_, n), Type::Vector(_, m)) if (*n > 1) == (*m > 1) => {
            let both = vector(*n.min(m));
            chosen(both.clone(), both, Type::Scalar(scalar), build::dot)
        }
        (Type::Vector(_, n), Type::Matrix(_, r, c)) if *n > 1 => {
            let k = *n.min(r);
            chosen(vector(k), matrix(k, *c), vector(*c), build::matrix_product)
        }
        (Type::Matrix(_, r, c), Type::Vector(_, n)) if *n > 1 => {
            let k = *c.min(n);
            chosen(matrix(*r, k), vector(k), vector(*r), build::matrix_product)
        }
        (Type::Matrix(_, r, c), Type::Matrix(_, s, d)) => {
            let k = *c.min(s);
            chosen(
                matrix(*r, k),
                matrix(k, *d),
                matrix(*r, *d),
                build::matrix_product,
            )
        }
        (Type::Scalar(_) | Type::Vector(_, 1), other) => {
            let both = other.with_scalar(scalar);
            chosen(both.clone(), both.clone(), both, build::product)
        }
        (other, _) => {
            let both = other.with_scalar(scalar);
            chosen(both.clone(), both.clone(), both, build::product)
        }
    }
}
