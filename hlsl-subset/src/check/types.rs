//! From types as written to types: built-in ones, names, arrays, template arguments. Must not know values but
//! constant ones.

use super::scope::TypeSymbol;
use super::{Checker, MAX_COMPONENTS, R, Reported};
use crate::ast::{
    self, ArrayDim, Majorness, Modifier, ModifierKind, ScalarName, TemplateArg, TypeKind,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::sync::Arc;

/// Built-in type names that a misspelt one is compared with.
pub(super) const BUILT_IN: &[&str] = &[
    "bool",
    "bool2",
    "bool3",
    "bool4",
    "int",
    "int2",
    "int3",
    "int4",
    "uint",
    "uint2",
    "uint3",
    "uint4",
    "half",
    "half2",
    "half3",
    "half4",
    "float",
    "float2",
    "float3",
    "float4",
    "float2x2",
    "float3x3",
    "float4x4",
    "float4x3",
    "float3x4",
    "matrix",
    "vector",
    "Texture2D",
    "Texture3D",
    "TextureCube",
    "Texture2DArray",
    "SamplerState",
    "SamplerComparisonState",
    "StructuredBuffer",
    "ByteAddressBuffer",
    "ConstantBuffer",
    "Buffer",
];

/// A type with the majorness that is written with it or that a pragma sets.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// The type.
    pub ty: Type,
    /// `row_major` or `column_major`, in the text or by a pragma; matrices only.
    pub row_major: Option<bool>,
}

/// The majorness that modifiers ask for.
pub(super) fn majorness(modifiers: &[Modifier]) -> Option<bool> {
    modifiers.iter().rev().find_map(|m| match m.kind {
        ModifierKind::RowMajor => Some(true),
        ModifierKind::ColumnMajor => Some(false),
        _ => None,
    })
}

/// Whether a type is written as `half` or one of the `min…` types, which have 32 bits but their own overloads.
pub(super) fn is_low_precision(ty: &ast::Type) -> bool {
    use ScalarName::*;
    match &ty.kind {
        TypeKind::Scalar(name) | TypeKind::Vector(name, _) | TypeKind::Matrix(name, ..) => {
            matches!(
                name,
                Half | Min16Float | Min10Float | Min16Int | Min12Int | Min16Uint
            )
        }
        _ => false,
    }
}

fn is_majorness(kind: ModifierKind) -> bool {
    matches!(kind, ModifierKind::RowMajor | ModifierKind::ColumnMajor)
}

/// Whether a modifier says what the type is, not what the variable is for.
fn is_of_type(kind: ModifierKind) -> bool {
    use ModifierKind::*;
    is_majorness(kind)
        || matches!(
            kind,
            Snorm | Unorm | Point | Line | Triangle | Lineadj | Triangleadj
        )
}

/// The matrix inside of arrays, if that is what a type is made of.
fn holds_matrix(ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => holds_matrix(element),
        Type::Matrix(..) => true,
        _ => false,
    }
}

impl<'a> Checker<'a, '_> {
    /// The type that a declaration with these modifiers has, before the dimensions behind its name.
    pub(super) fn declared_type(
        &mut self,
        ty: &'a ast::Type,
        modifiers: &[Modifier],
    ) -> R<Written> {
        let written = self.written_type(ty)?;
        self.note_precise(&written.ty);
        let is_late = |m: &&Modifier| is_of_type(m.kind) && m.span.lo > ty.span.lo;
        if let Some(modifier) = modifiers.iter().find(is_late) {
            let message = format!("`{}` stands before the type", modifier.kind.as_str());
            self.error(Code::BadModifier, modifier.span, message);
        }
        let is_norm = |m: &&Modifier| matches!(m.kind, ModifierKind::Snorm | ModifierKind::Unorm);
        if let Some(modifier) = modifiers.iter().find(is_norm)
            && written
                .ty
                .scalar()
                .is_some_and(|scalar| scalar != Scalar::Float)
        {
            let message = format!(
                "`{}` is for floats, not for `{}`",
                modifier.kind.as_str(),
                written.ty
            );
            self.error(Code::BadModifier, modifier.span, message);
        }
        if let Some(modifier) = modifiers.iter().find(|m| is_majorness(m.kind))
            && !holds_matrix(&written.ty)
        {
            let message = format!(
                "`{}` is for matrices, not for `{}`",
                modifier.kind.as_str(),
                written.ty
            );
            self.error(Code::BadModifier, modifier.span, message);
        }
        let row_major = majorness(modifiers).or(written.row_major);
        let row_major = row_major.filter(|_| holds_matrix(&written.ty));
        Ok(Written {
            row_major,
            ..written
        })
    }

    /// A declaration of a type with `precise` fields is one of a precise variable.
    pub(super) fn note_precise(&mut self, ty: &Type) {
        let mut part = ty;
        while let Type::Array(element, _) = part {
            part = element;
        }
        if let Type::Struct(s) = part {
            self.body.uses.precise |= self.structs[s.id as usize].precise;
        }
    }

    /// A type that must be known and no void.
    pub(super) fn value_type(&mut self, ty: &'a ast::Type) -> R<Type> {
        let span = ty.span;
        match self.written_type(ty)?.ty {
            Type::Void => Err(self.error(Code::BadType, span, "`void` is no type of a value")),
            ty => Ok(ty),
        }
    }

    /// A type as written.
    pub(super) fn written_type(&mut self, ty: &'a ast::Type) -> R<Written> {
        let packing = ty.packing.map(|m| m == Majorness::Row);
        let plain = |ty| {
            Ok(Written {
                ty,
                row_major: packing,
            })
        };
        match &ty.kind {
            TypeKind::Void => plain(Type::Void),
            TypeKind::String => {
                Err(self.unsupported_type("string", ty.span, "strings exist in effect files only"))
            }
            TypeKind::Scalar(name) => {
                let scalar = self.scalar(*name, ty.span)?;
                plain(Type::Scalar(scalar))
            }
            TypeKind::Vector(name, n) => {
                let scalar = self.scalar(*name, ty.span)?;
                plain(Type::Vector(scalar, *n))
            }
            TypeKind::Matrix(name, r, c) => {
                let scalar = self.scalar(*name, ty.span)?;
                plain(Type::Matrix(scalar, *r, *c))
            }
            TypeKind::VectorTemplate(args) => {
                let (scalar, [n, _]) = self.numeric_template("vector", args, 1, ty.span)?;
                plain(Type::Vector(scalar, n))
            }
            TypeKind::MatrixTemplate(args) => {
                let (scalar, [r, c]) = self.numeric_template("matrix", args, 2, ty.span)?;
                plain(Type::Matrix(scalar, r, c))
            }
            TypeKind::Object(name, args) => plain(self.object_type(name, args, ty.span)?),
            TypeKind::Named(path, args) => {
                let mut written = self.named_type(path, args, ty.span)?;
                written.row_major = written.row_major.or(packing);
                Ok(written)
            }
            TypeKind::Struct(decl) => match self.declare_struct(decl) {
                Ok(ty) => plain(ty),
                Err(symbol) => Err(self.lost_type(symbol)),
            },
            TypeKind::Enum(decl) => plain(self.declare_enum(decl)?),
            TypeKind::Array(element, dims) => {
                let element = self.written_type(element)?;
                let ty = self.array_type(element.ty, dims, false)?;
                Ok(Written {
                    ty,
                    row_major: element.row_major.or(packing),
                })
            }
        }
    }

    /// A component type, refused where it has other than 32 bits.
    pub(super) fn scalar(&mut self, name: ScalarName, span: Span) -> R<Scalar> {
        let scalar = match name {
            ScalarName::Bool => return Ok(Scalar::Bool),
            ScalarName::Int => return Ok(Scalar::Int),
            ScalarName::Uint => return Ok(Scalar::Uint),
            ScalarName::Float => return Ok(Scalar::Float),
            ScalarName::Half | ScalarName::Min16Float | ScalarName::Min10Float => Scalar::Float,
            ScalarName::Min16Int | ScalarName::Min12Int => Scalar::Int,
            ScalarName::Min16Uint => Scalar::Uint,
            ScalarName::Double => {
                return Err(self.unsupported_type("double", span, "use `float`"));
            }
            ScalarName::Int64 | ScalarName::Uint64 => {
                return Err(self.unsupported_type(name.as_str(), span, "integers have 32 bits"));
            }
            ScalarName::Float16 | ScalarName::Int16 | ScalarName::Uint16 => {
                let hint =
                    "native 16-bit types are not there; `half` and the `min16` types have 32 bits";
                return Err(self.unsupported_type(name.as_str(), span, hint));
            }
        };
        if !self.noted_min_precision && !self.in_text {
            self.noted_min_precision = true;
            let message = format!(
                "`{}` is computed and stored with 32 bits, as `{scalar}`",
                name.as_str()
            );
            self.warn(Code::MinPrecision, span, message);
        }
        Ok(scalar)
    }

    /// Refuses a type that exists, but not here.
    /// A type is used that its declaration could not make.
    pub(super) fn lost_type(&mut self, symbol: TypeSymbol<'a>) -> Reported {
        match symbol {
            TypeSymbol::Unsupported(diagnostic) => self.unsupported((*diagnostic).clone()),
            _ => self.again(Reported(())),
        }
    }

    pub(super) fn unsupported_type(&mut self, name: &str, span: Span, hint: &str) -> Reported {
        let message = format!("the type `{name}` is not supported");
        let diagnostic = Diagnostic::new(Code::UnsupportedType, span, message).hint(hint);
        self.unsupported(diagnostic)
    }

    /// The arguments of `vector<…>` and `matrix<…>`; what is left out is float and 4.
    fn numeric_template(
        &mut self,
        word: &str,
        args: &'a [TemplateArg],
        sizes: usize,
        span: Span,
    ) -> R<(Scalar, [u8; 2])> {
        if args.len() > 1 + sizes {
            let message = format!("`{word}` takes a component type and {sizes} sizes at most");
            return Err(self.error(Code::BadType, span, message));
        }
        let scalar = match args.first() {
            None => Scalar::Float,
            Some(arg) => match self.type_argument(arg)? {
                Type::Scalar(scalar) => scalar,
                other => {
                    let message =
                        format!("`{word}` has components of a scalar type, not `{other}`");
                    return Err(self.error(Code::BadType, span, message));
                }
            },
        };
        let mut size = [4u8; 2];
        for (slot, arg) in size.iter_mut().zip(args.iter().skip(1)) {
            let n = self.int_argument(arg)?;
            *slot = match u8::try_from(n) {
                Ok(n @ 1..=4) => n,
                _ => {
                    let message = format!("a `{word}` has 1 to 4 components each way, not {n}");
                    return Err(self.error(Code::BadType, span, message));
                }
            };
        }
        Ok((scalar, size))
    }

    /// A template argument that must be a type.
    pub(super) fn type_argument(&mut self, arg: &'a TemplateArg) -> R<Type> {
        match arg {
            TemplateArg::Type(_, ty) => self.value_type(ty),
            TemplateArg::Expr(e) => match &e.kind {
                ast::ExprKind::Name(path) if self.find_type(&path.name.name).is_none() => {
                    Err(self.unknown_type(path))
                }
                _ => Err(self.error(Code::BadType, e.span, "a type is wanted here")),
            },
        }
    }

    /// A template argument that must be an integer.
    pub(super) fn int_argument(&mut self, arg: &'a TemplateArg) -> R<i64> {
        match arg {
            TemplateArg::Type(_, ty) => {
                Err(self.error(Code::BadType, ty.span, "a number is wanted here"))
            }
            TemplateArg::Expr(e) => self.constant_int(e),
        }
    }

    fn named_type(
        &mut self,
        path: &'a ast::Path,
        args: &'a [TemplateArg],
        span: Span,
    ) -> R<Written> {
        let entry = self.type_of_path(path)?;
        let refuse_args = |checker: &mut Self| match args.is_empty() {
            true => Ok(()),
            false => {
                let message = format!("`{path}` is no template");
                Err(checker.error(Code::BadTemplate, span, message))
            }
        };
        match entry.symbol {
            TypeSymbol::Type(ty, row_major) => {
                refuse_args(self)?;
                Ok(Written { ty, row_major })
            }
            TypeSymbol::Enum(_, ty) => {
                refuse_args(self)?;
                Ok(Written {
                    ty,
                    row_major: None,
                })
            }
            TypeSymbol::StructTemplate(index) => {
                let ty = self.instantiate_struct(index, args, span)?;
                Ok(Written {
                    ty,
                    row_major: None,
                })
            }
            TypeSymbol::AliasTemplate(decl, scope) => {
                self.instantiate_alias(decl, scope, args, span)
            }
            TypeSymbol::Incomplete => {
                let diagnostic = Diagnostic::new(
                    Code::IncompleteType,
                    path.span,
                    format!("the struct `{path}` is not complete here"),
                )
                .note(entry.span, "it is declared here");
                Err(self.report(diagnostic))
            }
            TypeSymbol::Namespace(_) => {
                let message = format!("`{path}` is a namespace, no type");
                Err(self.error(Code::UnknownType, path.span, message))
            }
            symbol @ (TypeSymbol::Unsupported(_) | TypeSymbol::Error(_)) => {
                Err(self.lost_type(symbol))
            }
        }
    }

    /// `element` with dimensions around it, outermost first. A first dimension without a length gives length 0,
    /// where that is allowed: the initialiser says how long it is.
    pub(super) fn array_type(
        &mut self,
        element: Type,
        dims: &'a [ArrayDim],
        may_be_open: bool,
    ) -> R<Type> {
        let mut ty = element;
        if let (Type::Void, Some(dim)) = (&ty, dims.first()) {
            return Err(self.error(Code::BadType, dim.span, "there are no arrays of `void`"));
        }
        for (depth, dim) in dims.iter().enumerate().rev() {
            let len = match &dim.len {
                None if may_be_open && depth == 0 => 0,
                None => {
                    let message = match depth {
                        0 => "the length of the array is missing",
                        _ => "only the first dimension of an array may be left open",
                    };
                    return Err(self.error(Code::ArrayLength, dim.span, message));
                }
                Some(len) => {
                    let n = self.constant_int(len)?;
                    match u32::try_from(n) {
                        Ok(n @ 1..) => n,
                        _ => {
                            let message = format!("the length of an array is at least 1, not {n}");
                            return Err(self.error(Code::ArrayLength, len.span, message));
                        }
                    }
                }
            };
            ty = Type::Array(Arc::new(ty), len);
            self.refuse_huge(&ty, dim.span)?;
        }
        Ok(ty)
    }

    /// Refuses types with more components than [`MAX_COMPONENTS`].
    pub(super) fn refuse_huge(&mut self, ty: &Type, span: Span) -> R<()> {
        let n = weight(ty);
        if n <= MAX_COMPONENTS {
            return Ok(());
        }
        let message = format!(
            "the type has {} components, {MAX_COMPONENTS} are the most",
            if n == u32::MAX {
                "more than 4 billion".to_owned()
            } else {
                n.to_string()
            }
        );
        Err(self.error(Code::TooLarge, span, message))
    }

    /// The value of an integer constant expression.
    pub(super) fn constant_int(&mut self, e: &'a ast::Expr) -> R<i64> {
        let value = self.expr(e)?;
        let scalar = match value.ty {
            Type::Scalar(s @ (Scalar::Int | Scalar::Uint | Scalar::Bool)) => s,
            Type::Scalar(Scalar::Float) => Scalar::Int,
            Type::Enum(ref e) => e.scalar,
            _ => {
                let message = format!("an integer is wanted here, not `{}`", value.ty);
                return Err(self.error(Code::NotConstant, e.span, message));
            }
        };
        let to = Type::Scalar(if scalar == Scalar::Uint {
            Scalar::Uint
        } else {
            Scalar::Int
        });
        let computed = self.convert(value, &to, "")?;
        match self.fold(&computed).as_deref() {
            Some([bits]) if scalar == Scalar::Uint => Ok(i64::from(*bits)),
            Some([bits]) => Ok(i64::from(*bits as i32)),
            _ => {
                let diagnostic = Diagnostic::new(
                    Code::NotConstant,
                    e.span,
                    "the value must be known when the shader is compiled",
                )
                .hint("use literals, enum values and `static const` or `const` variables with such initialisers");
                Err(self.report(diagnostic))
            }
        }
    }
}

/// Number of components, where what has none (an object, a struct without members) counts as one: how much walking
/// through a value of the type costs.
fn weight(ty: &Type) -> u32 {
    match ty {
        Type::Array(element, n) => n.saturating_mul(weight(element)),
        Type::Struct(s) => {
            let fields = s.fields.iter().map(|f| weight(&f.ty));
            fields.fold(0, u32::saturating_add).max(1)
        }
        _ => ty.components().max(1),
    }
}
