//! HLSL types as the checker and Hir see them, and how many components each has.

use std::fmt;
use std::sync::Arc;

/// A component type. All are 32 bits wide; `half` and the `min…` types are [`Scalar::Float`], [`Scalar::Int`] or
/// [`Scalar::Uint`] (decisions.md, *Language*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`, `dword`.
    Uint,
    /// `float`.
    Float,
}

impl Scalar {
    /// What its 32 bits are to an operation.
    pub fn kind(self) -> fuseline_numerics::op::Kind {
        use fuseline_numerics::op::Kind;
        match self {
            Scalar::Bool => Kind::Bool,
            Scalar::Int | Scalar::Uint => Kind::I32,
            Scalar::Float => Kind::F32,
        }
    }

    /// As HLSL writes it.
    pub const fn text(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Float => "float",
        }
    }

    /// `int` or `uint`.
    pub const fn is_integer(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Uint)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// One component.
    Scalar(Scalar),
    /// `float3` and the like; `float1` is a vector of length 1.
    Vector(Scalar, u8),
    /// `float3x4`: rows, columns. Majorness is a matter of storage and stands with the storage.
    Matrix(Scalar, u8, u8),
    /// Element type and length.
    Array(Arc<Type>, u32),
    /// A struct.
    Struct(Arc<StructType>),
    /// An enum: one component.
    Enum(Arc<EnumType>),
    /// A resource or sampler object: takes no component.
    Object(Arc<ObjectType>),
}

/// A struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// Name, qualified; made up for anonymous ones.
    pub name: String,
    /// Unique number: two structs of the same shape are different types.
    pub id: u32,
    /// Members; those of a base struct first.
    pub fields: Vec<Field>,
}

/// A member of a struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// A matrix member (or array of them) is stored row by row; None: the packing in force decides.
    pub row_major: Option<bool>,
    /// Semantic as written (`TEXCOORD3`), if any.
    pub semantic: Option<String>,
    /// Interpolation modifiers as written.
    pub interpolation: Vec<String>,
    /// Where it is declared.
    pub span: crate::span::Span,
}

/// An enum. Its values are stored as those of `scalar`; conversions to and from it are the checker's matter.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// Name, qualified; made up for anonymous ones.
    pub name: String,
    /// Unique number among enums: two enums with the same values are different types.
    pub id: u32,
    /// What its values are.
    pub scalar: Scalar,
    /// `enum class`: nothing converts implicitly from it.
    pub is_scoped: bool,
}

/// A resource or sampler.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ObjectType {
    /// `Texture2D`, `SamplerState`, …
    pub class: String,
    /// Element type (`float4`, a struct), where it has one.
    pub element: Option<Type>,
}

impl ObjectType {
    /// The class of registers that it is bound to: `b`, `t`, `s` or `u`.
    pub fn register_class(&self) -> char {
        let class = self.class.as_str();
        let is = |prefixes: &[&str]| prefixes.iter().any(|p| class.starts_with(p));
        if class == "ConstantBuffer" {
            'b'
        } else if is(&["Sampler", "sampler"]) {
            's'
        } else if is(&["RW", "RasterizerOrdered", "Append", "Consume", "Feedback"]) {
            'u'
        } else {
            't'
        }
    }
}

impl Type {
    /// Number of 32-bit components. Saturates: the checker refuses what is too large before anything allocates.
    pub fn components(&self) -> u32 {
        match self {
            Type::Void | Type::Object(_) => 0,
            Type::Scalar(_) | Type::Enum(_) => 1,
            Type::Vector(_, n) => u32::from(*n),
            Type::Matrix(_, r, c) => u32::from(*r) * u32::from(*c),
            Type::Array(t, n) => t.components().saturating_mul(*n),
            Type::Struct(s) => s
                .fields
                .iter()
                .fold(0u32, |a, f| a.saturating_add(f.ty.components())),
        }
    }

    /// Component type of a scalar, enum, vector or matrix.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Enum(e) => Some(e.scalar),
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, _, _) => Some(*s),
            _ => None,
        }
    }

    /// The same shape with another component type; arrays, structs and objects stay as they are.
    pub fn with_scalar(&self, scalar: Scalar) -> Type {
        match self {
            Type::Scalar(_) | Type::Enum(_) => Type::Scalar(scalar),
            Type::Vector(_, n) => Type::Vector(scalar, *n),
            Type::Matrix(_, r, c) => Type::Matrix(scalar, *r, *c),
            other => other.clone(),
        }
    }

    /// Scalar, enum, vector or matrix.
    pub fn is_numeric(&self) -> bool {
        self.scalar().is_some()
    }

    /// A vector of `n` components, or a scalar for 1.
    pub fn of_components(scalar: Scalar, n: u8) -> Type {
        match n {
            1 => Type::Scalar(scalar),
            n => Type::Vector(scalar, n),
        }
    }
}

/// As HLSL writes it: `float4x3`, `Light[8][2]`, `Texture2D<float4>`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Scalar(s) => write!(f, "{s}"),
            Type::Vector(s, n) => write!(f, "{s}{n}"),
            Type::Matrix(s, r, c) => write!(f, "{s}{r}x{c}"),
            Type::Array(..) => {
                let mut element = self;
                while let Type::Array(inner, _) = element {
                    element = inner;
                }
                write!(f, "{element}")?;
                let mut part = self;
                while let Type::Array(inner, len) = part {
                    write!(f, "[{len}]")?;
                    part = inner;
                }
                Ok(())
            }
            Type::Struct(s) => f.write_str(&s.name),
            Type::Enum(e) => f.write_str(&e.name),
            Type::Object(o) => match &o.element {
                Some(element) => write!(f, "{}<{element}>", o.class),
                None => f.write_str(&o.class),
            },
        }
    }
}
