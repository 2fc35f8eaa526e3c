//! Conversions between types: which there are, how good they are, and how they are carried out
//! (hlsl-vs-semantics.md section 2).

use super::build;
use super::value::{Value, ValueKind, leaves, same_type};
use super::{Checker, MAX_COMPONENTS, R};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::fmt::Display;

/// How good an implicit conversion is, best first; the table of section 2. A literal's ranks stand between the exact
/// match and the promotions: it takes any component type without loss of standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The same type.
    Exact,
    /// Splat of the same component type.
    Extension,
    /// To a wider type: only bool to int, in 32 bits.
    Promotion,
    /// Promotion and splat.
    PromotionExtension,
    /// Between component types otherwise.
    Conversion,
    /// Conversion and splat.
    ConversionExtension,
    /// Components cut off.
    Truncation,
    /// Promotion and components cut off.
    PromotionTruncation,
    /// Conversion and components cut off.
    ConversionTruncation,
}

/// What a conversion does to the components' number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshape {
    /// As many, in the same order.
    Keep,
    /// One becomes many.
    Splat,
    /// Some are cut off.
    Cut,
}

/// An implicit conversion that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// How good it is.
    pub rank: Rank,
    /// What happens to the components.
    pub reshape: Reshape,
}

impl Checker<'_, '_> {
    /// The implicit conversion from one type to another, if there is one.
    pub(super) fn implicit(&self, from: &Type, to: &Type) -> Option<Conversion> {
        if let (Type::Enum(_), _) | (_, Type::Enum(_)) = (from, to)
            && !same_type(from, to)
        {
            return self.enum_to_number(from, to);
        }
        let (reshape, is_same_shape) = self.shape_change(from, to)?;
        let change = match (from.scalar(), to.scalar()) {
            (Some(a), Some(b)) if a == b => 0,
            (Some(Scalar::Bool), Some(Scalar::Int)) => 1,
            (Some(_), Some(_)) => 2,
            // A struct or array, or a splat to one.
            _ if same_type(from, to) => 0,
            _ => 2,
        };
        use Rank::*;
        let rank = match (reshape, change) {
            (Reshape::Keep, 0) if is_same_shape => Exact,
            (Reshape::Keep, 0) => Extension,
            (Reshape::Keep, 1) => Promotion,
            (Reshape::Keep, _) => Conversion,
            (Reshape::Splat, 0) => Extension,
            (Reshape::Splat, 1) => PromotionExtension,
            (Reshape::Splat, _) => ConversionExtension,
            (Reshape::Cut, 0) => Truncation,
            (Reshape::Cut, 1) => PromotionTruncation,
            (Reshape::Cut, _) => ConversionTruncation,
        };
        Some(self::Conversion { rank, reshape })
    }

    /// From an enum that is no `enum class` to whatever its values convert to. To an enum there is no way but a cast.
    fn enum_to_number(&self, from: &Type, to: &Type) -> Option<Conversion> {
        let (Type::Enum(e), false) = (from, matches!(to, Type::Enum(_))) else {
            return None;
        };
        if e.is_scoped {
            return None;
        }
        let conversion = self.implicit(&Type::Scalar(e.scalar), to)?;
        let rank = match conversion.rank {
            Rank::Exact => Rank::Promotion,
            Rank::Extension => Rank::PromotionExtension,
            other => other,
        };
        Some(Conversion { rank, ..conversion })
    }

    /// What an implicit conversion does to the shape; also whether the shape is exactly the same.
    fn shape_change(&self, from: &Type, to: &Type) -> Option<(Reshape, bool)> {
        use Reshape::*;
        if same_type(from, to) {
            return Some((Keep, true));
        }
        let (n, m) = (from.components(), to.components());
        Some(match (from, to) {
            (Type::Scalar(_), Type::Scalar(_)) => (Keep, true),
            (Type::Vector(_, a), Type::Vector(_, b)) if a == b => (Keep, true),
            (Type::Matrix(_, r, c), Type::Matrix(_, r2, c2)) if r == r2 && c == c2 => (Keep, true),
            // A derived struct to its base.
            (Type::Struct(derived), Type::Struct(base)) if self.derives(derived.id, base.id) => {
                (Cut, false)
            }
            // A constant buffer to a parameter.
            (Type::Struct(_), Type::Object(to))
                if to.class == "ConstantBuffer"
                    && to.element.as_ref().is_some_and(|e| same_type(e, from)) =>
            {
                (Keep, false)
            }
            // A descriptor from a heap to what it is used as.
            (Type::Object(from), Type::Object(to))
                if super::heap::becomes(&from.class, &to.class) =>
            {
                (Keep, false)
            }
            // As with fxc, structs that are made of the same components.
            (Type::Struct(_), Type::Struct(_)) if n == m && is_made_alike(from, to) => {
                (Keep, false)
            }
            _ if !from.is_numeric() => return None,
            // To structs and arrays only a cast splats: fxc and dxc agree in this.
            _ if !to.is_numeric() => return None,
            _ if n == 1 && m == 1 => (Keep, false),
            _ if n == 1 => (Splat, false),
            _ if m == 1 => (Cut, false),
            (Type::Vector(_, a), Type::Vector(_, b)) if a > b => (Cut, false),
            (Type::Matrix(_, r, c), Type::Matrix(_, r2, c2)) if r >= r2 && c >= c2 => (Cut, false),
            (Type::Vector(..), Type::Matrix(..)) | (Type::Matrix(..), Type::Vector(..))
                if n == m =>
            {
                (Keep, false)
            }
            (Type::Matrix(_, 1, _) | Type::Matrix(_, _, 1), Type::Vector(..)) if n > m => {
                (Cut, false)
            }
            _ => return None,
        })
    }

    /// Converts implicitly, with the warnings that go with it, or says why not. `what` goes on "cannot convert" as
    /// in "to initialise `x`".
    pub(super) fn convert(&mut self, value: Value, to: &Type, what: impl Display) -> R<Expr> {
        let Some(conversion) = self.implicit(&value.ty, to) else {
            return Err(self.cannot_convert(&value, to, &what.to_string()));
        };
        self.warn_of_loss(&value, to, conversion);
        Ok(self.apply(value, to, conversion))
    }

    /// Says that there is no implicit conversion.
    fn cannot_convert(&mut self, value: &Value, to: &Type, what: &str) -> super::Reported {
        let from = &value.ty;
        let mut message = format!("cannot convert `{from}` to `{to}`");
        if !what.is_empty() {
            message = format!("{message} {what}");
        }
        let mut diagnostic = Diagnostic::new(Code::CannotConvert, value.span, message)
            .label(format!("this is `{from}`"));
        let is_widening =
            from.is_numeric() && to.is_numeric() && from.components() < to.components();
        if is_widening && let (Type::Vector(..), Type::Vector(..)) = (from, to) {
            let missing = vec!["0"; (to.components() - from.components()) as usize].join(", ");
            diagnostic = diagnostic.hint(format!(
                "components are never added by themselves; write `{to}(…, {missing})`"
            ));
        } else if self.explicit_reshape(from, to).is_some() {
            diagnostic = diagnostic.hint(format!("write the cast `({to})` if that is meant"));
        }
        self.report(diagnostic)
    }

    fn warn_of_loss(&mut self, value: &Value, to: &Type, conversion: Conversion) {
        let from = &value.ty;
        if conversion.reshape == Reshape::Cut && from.is_numeric() {
            self.warn(
                Code::ImplicitTruncation,
                value.span,
                format!("implicit truncation of `{from}` to `{to}`"),
            );
        }
        if let (Some(Scalar::Float), Some(Scalar::Int | Scalar::Uint)) =
            (from.scalar(), to.scalar())
        {
            let known = match &value.kind {
                ValueKind::Computed(ExprKind::Constant(bits)) => Some(bits),
                _ => None,
            };
            let is_exact =
                known.is_some_and(|bits| bits.iter().all(|b| f32::from_bits(*b).fract() == 0.0));
            if !is_exact {
                self.warn(
                    Code::PrecisionLoss,
                    value.span,
                    format!("conversion from `{from}` to `{to}` drops the fraction"),
                );
            }
        }
    }

    /// Carries out an implicit conversion without a word.
    pub(super) fn apply(&mut self, value: Value, to: &Type, conversion: Conversion) -> Expr {
        match conversion.reshape {
            Reshape::Splat => {
                let scalar = to.scalar().unwrap_or(Scalar::Float);
                let one = build::convert_components(value.into_expr(), scalar);
                build::splat(one, to)
            }
            Reshape::Cut if value.ty.is_numeric() => {
                let span = value.span;
                let picked = upper_left(&value.ty, to);
                let ty = to.with_scalar(value.ty.scalar().unwrap_or(Scalar::Float));
                let cut = value.swizzle(&picked, ty, span).into_expr();
                build::convert_components(cut, to.scalar().unwrap_or(Scalar::Float))
            }
            Reshape::Cut => {
                let span = value.span;
                value.base(to.clone(), span).into_expr()
            }
            Reshape::Keep if matches!(to, Type::Object(_)) => build::zero(to, value.span),
            Reshape::Keep => match to.scalar() {
                Some(scalar) => build::retype(
                    build::convert_components(value.into_expr(), scalar),
                    to.clone(),
                ),
                None => build::retype(value.into_expr(), to.clone()),
            },
        }
    }

    /// Explicit conversion: everything implicit, and casts between whatever has enough components.
    pub(super) fn cast(&mut self, value: Value, to: &Type, span: Span) -> R<Expr> {
        if matches!(to, Type::Void) {
            return Ok(build::sequence(
                vec![value.into_expr()],
                build::constant(Vec::new(), Type::Void, span),
            ));
        }
        let Some(reshape) = self.explicit_reshape(&value.ty, to) else {
            let from = &value.ty;
            let message = format!("cannot cast `{from}` to `{to}`");
            let mut diagnostic = Diagnostic::new(Code::CannotConvert, span, message);
            if from.components() < to.components() && to.components() > 0 {
                diagnostic = diagnostic.hint(format!(
                    "`{to}` has {} components, `{from}` only {}",
                    to.components(),
                    from.components()
                ));
            }
            return Err(self.report(diagnostic));
        };
        let cast = match reshape {
            Some(conversion) => {
                let is_same = same_type(&value.ty, to);
                let done = self.apply(value, to, conversion);
                if is_same { build::opaque(done) } else { done }
            }
            None => self.flatten_cast(value, to),
        };
        Ok(Expr { span, ..cast })
    }

    /// How an explicit cast goes: Some(None) by flattening.
    fn explicit_reshape(&self, from: &Type, to: &Type) -> Option<Option<Conversion>> {
        if let Some(conversion) = self.implicit(from, to) {
            return Some(Some(conversion));
        }
        let (n, m) = (from.components(), to.components());
        let flattens = match (from, to) {
            (Type::Void | Type::Object(_), _) | (_, Type::Void | Type::Object(_)) => false,
            (Type::Matrix(..), Type::Matrix(..)) => false,
            // Between vectors and matrices only what has the same size.
            _ if from.is_numeric() && to.is_numeric() => n == m,
            _ if holds_object(to) => false,
            _ => n > 0 && (n >= m || n == 1 && from.is_numeric()),
        };
        flattens.then_some(None)
    }

    /// Component by component, in order.
    fn flatten_cast(&mut self, value: Value, to: &Type) -> Expr {
        let span = value.span;
        if value.ty.components() == 1 && value.ty.is_numeric() && !to.is_numeric() {
            return self.splat_to_aggregate(value, to);
        }
        let mut to_leaves = Vec::new();
        leaves(to, &mut to_leaves);
        let mut from_leaves = Vec::new();
        leaves(&value.ty, &mut from_leaves);
        from_leaves.truncate(to_leaves.len());
        let whole = value.into_expr();
        let parts = self.retarget(whole, &from_leaves, &to_leaves);
        build::concat(parts, to.clone(), span)
    }

    /// One converted component for every leaf of a struct or array.
    fn splat_to_aggregate(&mut self, value: Value, to: &Type) -> Expr {
        let span = value.span;
        let mut to_leaves = Vec::new();
        leaves(to, &mut to_leaves);
        let from = value.ty.scalar().unwrap_or(Scalar::Int);
        let one = value.into_expr();
        if let ExprKind::Constant(bits) = &one.kind
            && let Some(bits) = bits.first()
        {
            let bits = to_leaves
                .iter()
                .map(|leaf| build::convert_bits(*bits, from, *leaf))
                .collect();
            return build::constant(bits, to.clone(), span);
        }
        let (before, one) = self.reusable(one);
        let parts = to_leaves
            .iter()
            .map(|leaf| build::convert_components(one.clone(), *leaf))
            .collect();
        build::sequence(before, build::concat(parts, to.clone(), span))
    }

    /// The first components of `value`, of the types `from`, converted to the types `to`: runs of the same types
    /// become one part each. A value that is needed for several parts is evaluated once.
    pub(super) fn retarget(&mut self, value: Expr, from: &[Scalar], to: &[Scalar]) -> Vec<Expr> {
        debug_assert!(from.len() == to.len());
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for i in 0..to.len() {
            match runs.last_mut() {
                Some((first, count)) if (from[*first], to[*first]) == (from[i], to[i]) => {
                    *count += 1
                }
                _ => runs.push((i, 1)),
            }
        }
        let (mut before, value) = match runs.len() {
            0 | 1 => (Vec::new(), value),
            _ => self.reusable(value),
        };
        let mut parts = Vec::with_capacity(runs.len());
        let mut value = Some(value);
        let last = runs.len().saturating_sub(1);
        for (i, (first, count)) in runs.into_iter().enumerate() {
            let whole = if i == last {
                value.take()
            } else {
                value.clone()
            };
            let Some(whole) = whole else { break };
            let part = numeric_run(whole, from[first], first as u32, count as u32);
            let part = build::convert_components(part, to[first]);
            parts.push(build::sequence(std::mem::take(&mut before), part));
        }
        parts
    }
}

/// Whether a resource or sampler is part of it.
fn holds_object(ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => holds_object(element),
        Type::Struct(s) => s.fields.iter().any(|f| holds_object(&f.ty)),
        Type::Object(_) => true,
        _ => false,
    }
}

/// Whether two types consist of the same scalars, vectors and matrices in the same order, whatever structs and arrays
/// hold them. Types with more components than a variable may have are not compared.
fn is_made_alike(a: &Type, b: &Type) -> bool {
    fn parts<'t>(ty: &'t Type, out: &mut Vec<&'t Type>) {
        match ty {
            Type::Struct(s) => s.fields.iter().for_each(|field| parts(&field.ty, out)),
            Type::Array(element, _) if element.components() == 0 => {}
            Type::Array(element, n) => (0..*n).for_each(|_| parts(element, out)),
            ty => out.push(ty),
        }
    }
    if a.components() > MAX_COMPONENTS || b.components() > MAX_COMPONENTS {
        return false;
    }
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    parts(a, &mut of_a);
    parts(b, &mut of_b);
    of_a.len() == of_b.len() && of_a.iter().zip(&of_b).all(|(a, b)| same_type(a, b))
}

/// Components `first..first + count` of any value as a value whose type has the component type `scalar`. Runs longer
/// than a vector are typed as arrays are: by an array of the scalar when they need no conversion, else in pieces.
fn numeric_run(value: Expr, scalar: Scalar, first: u32, count: u32) -> Expr {
    let ty = match count {
        1..=4 => Type::of_components(scalar, count as u8),
        _ => Type::Array(std::sync::Arc::new(Type::Scalar(scalar)), count),
    };
    build::slice(value, first, count, ty)
}

/// The components of `from` that a cut to `to` keeps.
fn upper_left(from: &Type, to: &Type) -> Vec<u32> {
    match (from, to) {
        (Type::Matrix(_, _, columns), Type::Matrix(_, r, c)) => (0..u32::from(*r))
            .flat_map(|row| (0..u32::from(*c)).map(move |col| row * u32::from(*columns) + col))
            .collect(),
        _ => (0..to.components()).collect(),
    }
}
