//! Templates of intrinsics' types, and how arguments fill them (hlsl-vs-semantics.md section 2, *Intrinsic typing*).
//!
//! The parameters of one group share a component type, found by the usual arithmetic conversions, and the smallest
//! dimensions of those that are not scalars. Must not know any particular intrinsic.

use super::{How, Intrinsic, Overloads, Signature};
use crate::check::intrinsic_call::{ArgInfo, Meaning, Resolved, ResolvedParam, Unresolved};
use crate::options::Options;
use crate::types::{Scalar, Type};

/// Component types that a group may have. Others are converted: to float, or bool to int.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `float`.
    Float,
    /// `float`, `int`, `uint`.
    Numeric,
    /// `int`, `uint`; a float does not fit.
    Integer,
    /// Those of `Numeric` and `bool`.
    Any,
}

/// Dimensions that a group may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dims {
    /// Scalar, vector or matrix.
    Any,
    /// Scalar.
    Scalar,
    /// Vector, or a scalar as a vector of one.
    Vector,
    /// Matrix.
    Matrix,
    /// Matrix of so many rows and columns.
    Square(u8),
}

/// A parameter's component type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// The group's.
    Group,
    /// This one.
    Fixed(Scalar),
}

/// A parameter's dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The group's.
    Group,
    /// Scalar.
    Scalar,
    /// Vector of so many components.
    Vector(u8),
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub component: Component,
    pub shape: Shape,
    pub out: bool,
}

impl Param {
    pub const fn of(component: Component, shape: Shape) -> Param {
        Param {
            component,
            shape,
            out: false,
        }
    }
}

/// A result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ret {
    Void,
    /// As a parameter would be.
    Value(Component, Shape),
    /// The group's matrix with rows and columns exchanged.
    Transposed,
}

impl Ret {
    /// The type of the result where no argument is looked at: a group counts as `float`.
    pub fn alone(self) -> Type {
        Group {
            scalar: Scalar::Float,
            dims: Dim::Scalar,
        }
        .ret(self)
    }
}

/// Dimensions of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dim {
    Scalar,
    Vector(u8),
    Matrix(u8, u8),
}

impl Dim {
    fn of(ty: &Type) -> Option<Dim> {
        Some(match ty {
            Type::Scalar(_) => Dim::Scalar,
            Type::Vector(_, n) => Dim::Vector(*n),
            Type::Matrix(_, r, c) => Dim::Matrix(*r, *c),
            _ => return None,
        })
    }

    fn with(self, scalar: Scalar) -> Type {
        match self {
            Dim::Scalar => Type::Scalar(scalar),
            Dim::Vector(n) => Type::Vector(scalar, n),
            Dim::Matrix(r, c) => Type::Matrix(scalar, r, c),
        }
    }

    /// Whether a value of these dimensions becomes any others by repetition.
    fn splats(self) -> bool {
        matches!(self, Dim::Scalar | Dim::Vector(1))
    }

    /// The dimensions to which both fit; `None` for a vector and a matrix.
    fn meet(self, other: Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Vector(a), Dim::Vector(b)) if a > 1 && b > 1 => Some(Dim::Vector(a.min(b))),
            (Dim::Matrix(r, c), Dim::Matrix(s, d)) => Some(Dim::Matrix(r.min(s), c.min(d))),
            (a, b) if b.splats() && (a != Dim::Scalar) => Some(a),
            (a, b) if a.splats() => Some(b),
            _ => None,
        }
    }
}

/// What the group's parameters have in common.
#[derive(Clone, Copy, Debug)]
struct Group {
    scalar: Scalar,
    dims: Dim,
}

impl Group {
    fn value(self, component: Component, shape: Shape) -> Type {
        let scalar = match component {
            Component::Group => self.scalar,
            Component::Fixed(scalar) => scalar,
        };
        match shape {
            Shape::Group => self.dims.with(scalar),
            Shape::Scalar => Type::Scalar(scalar),
            Shape::Vector(n) => Type::Vector(scalar, n),
        }
    }

    fn ret(self, ret: Ret) -> Type {
        match (ret, self.dims) {
            (Ret::Void, _) => Type::Void,
            (Ret::Value(component, shape), _) => self.value(component, shape),
            (Ret::Transposed, Dim::Matrix(r, c)) => Type::Matrix(self.scalar, c, r),
            (Ret::Transposed, dims) => dims.with(self.scalar),
        }
    }

    fn text(self, template: &str) -> String {
        let name = |scalar| self.dims.with(scalar).to_string();
        template
            .replace("$T", &name(self.scalar))
            .replace("$F", &name(Scalar::Float))
            .replace("$I", &name(Scalar::Int))
            .replace("$U", &name(Scalar::Uint))
            .replace("$B", &name(Scalar::Bool))
    }

    fn meaning(self, how: How, options: &Options) -> Meaning {
        match how {
            How::Build(build) => Meaning::Build(build),
            How::Text(template) => Meaning::Text(self.text(template)),
            How::ByKind(float, signed, unsigned) => {
                let how = match self.scalar {
                    Scalar::Float => float,
                    Scalar::Int | Scalar::Bool => signed,
                    Scalar::Uint => unsigned,
                };
                self.meaning(*how, options)
            }
            How::Rounding(toward_zero, nearest) => Meaning::Build(if options.f32tof16_nearest {
                nearest
            } else {
                toward_zero
            }),
        }
    }
}

/// The usual arithmetic conversions over a list of arguments; an unsuffixed literal does not make an integer unsigned
/// or signed where another argument says which it is.
pub(super) fn common_scalar<'a>(args: impl Iterator<Item = &'a ArgInfo> + Clone) -> Option<Scalar> {
    let most = |literal: bool| {
        args.clone()
            .filter(|a| a.literal == literal)
            .filter_map(|a| a.ty.scalar())
            .max()
    };
    match (most(false), most(true)) {
        (Some(typed), Some(Scalar::Float)) => Some(typed.max(Scalar::Float)),
        (Some(Scalar::Bool), Some(literal)) => Some(literal),
        (Some(typed), _) => Some(typed),
        (None, literal) => literal,
    }
}

impl Intrinsic {
    /// Chooses the overload for these arguments.
    pub fn resolve(&self, args: &[ArgInfo], options: &Options) -> Result<Resolved, Unresolved> {
        let mut failure = None;
        match self.overloads {
            Overloads::Special(count, choose) if count == args.len() => return choose(args),
            Overloads::Special(..) => {}
            Overloads::Templates(signatures) => {
                for signature in signatures.iter().filter(|s| s.params.len() == args.len()) {
                    match signature.fill(args, options) {
                        Ok(resolved) => return Ok(resolved),
                        Err(why) => failure = Some(why),
                    }
                }
            }
        }
        Err(failure.unwrap_or_else(|| Unresolved::Count(self.count())))
    }

    /// How many arguments there must be, in words.
    fn count(&self) -> String {
        let (least, most) = match self.overloads {
            Overloads::Special(count, _) => (count, count),
            Overloads::Templates(signatures) => {
                let counts = || signatures.iter().map(|s| s.params.len());
                (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
            }
        };
        match (least, most) {
            (1, 1) => "1 argument".to_owned(),
            (n, m) if n == m => format!("{n} arguments"),
            (n, m) => format!("{n} to {m} arguments"),
        }
    }
}

impl Signature {
    fn fill(&self, args: &[ArgInfo], options: &Options) -> Result<Resolved, Unresolved> {
        let group = self.group(args)?;
        Ok(Resolved {
            params: self
                .params
                .iter()
                .map(|p| ResolvedParam {
                    ty: group.value(p.component, p.shape),
                    is_out: p.out,
                })
                .collect(),
            ret: group.ret(self.ret),
            meaning: group.meaning(self.meaning, options),
        })
    }

    fn group(&self, args: &[ArgInfo]) -> Result<Group, Unresolved> {
        let inputs = || {
            self.params
                .iter()
                .zip(args)
                .enumerate()
                .filter(|(_, (p, _))| !p.out)
        };
        let mut dims = Dim::Scalar;
        for (i, (param, arg)) in self.params.iter().zip(args).enumerate() {
            let Some(own) = Dim::of(&arg.ty) else {
                return Err(Unresolved::Argument(
                    i,
                    "must be a scalar, vector or matrix".to_owned(),
                ));
            };
            if param.shape == Shape::Group && !param.out {
                dims = dims.meet(own).ok_or_else(|| {
                    Unresolved::Argument(
                        i,
                        "must have the dimensions of the other arguments".to_owned(),
                    )
                })?;
            }
        }
        let first = inputs()
            .find(|(_, (p, _))| p.shape == Shape::Group)
            .map_or(0, |(i, _)| i);
        if let Some(why) = self.dims.refuses(dims) {
            return Err(Unresolved::Argument(first, why.to_owned()));
        }
        let members = inputs().filter(|(_, (p, _))| p.component == Component::Group);
        let scalar = match (
            self.class,
            common_scalar(members.clone().map(|(_, (_, a))| a)),
        ) {
            (Class::Float, _) | (_, None) => Scalar::Float,
            (Class::Integer, Some(Scalar::Float)) => {
                let float = members
                    .clone()
                    .find(|(_, (_, a))| a.ty.scalar() == Some(Scalar::Float));
                return Err(Unresolved::Argument(
                    float.map_or(0, |(i, _)| i),
                    "must be an integer".to_owned(),
                ));
            }
            (Class::Numeric | Class::Integer, Some(Scalar::Bool)) => Scalar::Int,
            (_, Some(scalar)) => scalar,
        };
        Ok(Group { scalar, dims })
    }
}

impl Dims {
    fn refuses(self, dims: Dim) -> Option<&'static str> {
        match (self, dims) {
            (Dims::Any, _) => None,
            (Dims::Scalar, d) if d.splats() => None,
            (Dims::Scalar, _) => Some("must be a scalar"),
            (Dims::Vector, Dim::Matrix(..)) => Some("must be a vector"),
            (Dims::Vector, _) => None,
            (Dims::Matrix, Dim::Matrix(..)) => None,
            (Dims::Matrix, _) => Some("must be a matrix"),
            (Dims::Square(n), Dim::Matrix(r, c)) if r == n && c == n => None,
            (Dims::Square(_), _) => Some("must be a square matrix"),
        }
    }
}
