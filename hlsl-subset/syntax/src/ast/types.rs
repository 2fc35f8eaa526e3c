//! The tree's types and modifiers. Must not know what a name refers to.

use super::{Expr, Ident, Name, Path, StructDecl};
use crate::span::Span;

/// A type as written, without the dimensions that stand behind the declared name.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// For matrices: what the last `#pragma pack_matrix` before this type says; a majorness modifier goes before it.
    pub packing: Option<Majorness>,
    /// Where it stands.
    pub span: Span,
    pub(crate) height: u16,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `void`.
    Void,
    /// `string`: effect files only.
    String,
    /// `float`.
    Scalar(ScalarName),
    /// `float3`: 1 to 4 components.
    Vector(ScalarName, u8),
    /// `float3x4`: rows, columns.
    Matrix(ScalarName, u8, u8),
    /// `vector`, `vector<float, 3>`.
    VectorTemplate(Vec<TemplateArg>),
    /// `matrix`, `matrix<float, 3, 4>`.
    MatrixTemplate(Vec<TemplateArg>),
    /// `Texture2D<float4>`, `SamplerState`, `StructuredBuffer<S>`, `ConstantBuffer<S>`, `InputPatch<S, 3>`, …
    Object(Name, Vec<TemplateArg>),
    /// A struct, enum, typedef, template parameter, or a name nobody knows.
    Named(Path, Vec<TemplateArg>),
    /// `struct { … }`, `struct S { … }` where a type is wanted.
    Struct(Box<StructDecl>),
    /// `enum E { … }` where a type is wanted.
    Enum(Box<super::EnumDecl>),
    /// `float[3][2]` where no name follows (casts, `using`, template arguments).
    Array(Box<Type>, Vec<ArrayDim>),
}

/// Names of component types. What is not supported is here, too, so that the checker can say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarName {
    /// `bool`
    Bool,
    /// `int`, `int32_t`, `signed int`
    Int,
    /// `uint`, `dword`, `uint32_t`, `unsigned int`, `unsigned`
    Uint,
    /// `float`, `float32_t`
    Float,
    /// `half`
    Half,
    /// `double`, `float64_t`
    Double,
    /// `min16float`
    Min16Float,
    /// `min10float`
    Min10Float,
    /// `min16int`
    Min16Int,
    /// `min12int`
    Min12Int,
    /// `min16uint`
    Min16Uint,
    /// `float16_t`
    Float16,
    /// `int16_t`
    Int16,
    /// `uint16_t`
    Uint16,
    /// `int64_t`
    Int64,
    /// `uint64_t`
    Uint64,
}

impl ScalarName {
    /// The name that messages use.
    pub fn as_str(self) -> &'static str {
        match self {
            ScalarName::Bool => "bool",
            ScalarName::Int => "int",
            ScalarName::Uint => "uint",
            ScalarName::Float => "float",
            ScalarName::Half => "half",
            ScalarName::Double => "double",
            ScalarName::Min16Float => "min16float",
            ScalarName::Min10Float => "min10float",
            ScalarName::Min16Int => "min16int",
            ScalarName::Min12Int => "min12int",
            ScalarName::Min16Uint => "min16uint",
            ScalarName::Float16 => "float16_t",
            ScalarName::Int16 => "int16_t",
            ScalarName::Uint16 => "uint16_t",
            ScalarName::Int64 => "int64_t",
            ScalarName::Uint64 => "uint64_t",
        }
    }
}

/// An argument between `<` and `>`.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateArg {
    /// `float4`, with the modifiers before it (`row_major`, `unorm`).
    Type(Vec<Modifier>, Type),
    /// `3`, `N`, `N + 1`. A name that is no known type is an expression.
    Expr(Expr),
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateParam {
    /// What it takes.
    pub kind: TemplateParamKind,
    /// Its name; one may leave it out.
    pub name: Option<Ident>,
    /// Where it stands.
    pub span: Span,
}

/// What a template parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateParamKind {
    /// `typename T`, `class T`, with its default.
    Type(Option<Type>),
    /// `int N`, with its default.
    Value(Type, Option<Expr>),
}

/// `[4]`, `[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDim {
    /// Length; none: `[]`.
    pub len: Option<Expr>,
    /// With the brackets.
    pub span: Span,
}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Majorness {
    /// `row_major`.
    Row,
    /// `column_major`.
    Column,
}

/// A word before (or after) a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Modifier {
    /// Which.
    pub kind: ModifierKind,
    /// Where it stands.
    pub span: Span,
}

/// Words that modify a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModifierKind {
    /// `const`
    Const,
    /// `static`
    Static,
    /// `uniform`
    Uniform,
    /// `extern`
    Extern,
    /// `volatile`
    Volatile,
    /// `shared`
    Shared,
    /// `groupshared`
    Groupshared,
    /// `globallycoherent`
    Globallycoherent,
    /// `precise`
    Precise,
    /// `inline`
    Inline,
    /// `export`
    Export,
    /// `row_major`
    RowMajor,
    /// `column_major`
    ColumnMajor,
    /// `snorm`
    Snorm,
    /// `unorm`
    Unorm,
    /// `nointerpolation`
    Nointerpolation,
    /// `linear`
    Linear,
    /// `centroid`
    Centroid,
    /// `noperspective`
    Noperspective,
    /// `sample`
    Sample,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    Inout,
    /// `point`
    Point,
    /// `line`
    Line,
    /// `triangle`
    Triangle,
    /// `lineadj`
    Lineadj,
    /// `triangleadj`
    Triangleadj,
    /// `vertices` of a mesh shader
    Vertices,
    /// `indices` of a mesh shader
    Indices,
    /// `primitives` of a mesh shader
    Primitives,
    /// `payload` of a mesh shader
    Payload,
}

impl ModifierKind {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            ModifierKind::Const => "const",
            ModifierKind::Static => "static",
            ModifierKind::Uniform => "uniform",
            ModifierKind::Extern => "extern",
            ModifierKind::Volatile => "volatile",
            ModifierKind::Shared => "shared",
            ModifierKind::Groupshared => "groupshared",
            ModifierKind::Globallycoherent => "globallycoherent",
            ModifierKind::Precise => "precise",
            ModifierKind::Inline => "inline",
            ModifierKind::Export => "export",
            ModifierKind::RowMajor => "row_major",
            ModifierKind::ColumnMajor => "column_major",
            ModifierKind::Snorm => "snorm",
            ModifierKind::Unorm => "unorm",
            ModifierKind::Nointerpolation => "nointerpolation",
            ModifierKind::Linear => "linear",
            ModifierKind::Centroid => "centroid",
            ModifierKind::Noperspective => "noperspective",
            ModifierKind::Sample => "sample",
            ModifierKind::In => "in",
            ModifierKind::Out => "out",
            ModifierKind::Inout => "inout",
            ModifierKind::Point => "point",
            ModifierKind::Line => "line",
            ModifierKind::Triangle => "triangle",
            ModifierKind::Lineadj => "lineadj",
            ModifierKind::Triangleadj => "triangleadj",
            ModifierKind::Vertices => "vertices",
            ModifierKind::Indices => "indices",
            ModifierKind::Primitives => "primitives",
            ModifierKind::Payload => "payload",
        }
    }
}
