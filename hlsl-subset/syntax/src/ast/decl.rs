//! The tree's declarations. Must not know what registers, semantics or modifiers mean.

use super::{
    ArrayDim, Attribute, Block, Expr, Ident, Modifier, ModifierKind, Name, Path, TemplateArg,
    TemplateParam, Type,
};
use crate::span::Span;

/// A declaration: at file scope, in a namespace, in a struct, in a constant buffer, or inside a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// `[shader("vertex")]`, `[[vk::binding(1)]]`.
    pub attributes: Vec<Attribute>,
    /// What it is.
    pub kind: ItemKind,
    /// All of it, without the attributes.
    pub span: Span,
    pub(crate) height: u16,
}

/// What a declaration is.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// A function, method or prototype.
    Function(Box<FunctionDecl>),
    /// Globals, fields of a struct, members of a constant buffer.
    Variables(VarDecl),
    /// `struct S { … };`
    Struct(Box<StructDecl>),
    /// `struct S;`, with the word before the name.
    Forward(StructKind, Ident),
    /// `cbuffer`, `tbuffer`.
    Buffer(BufferDecl),
    /// `typedef float4 Color, Colors[2];`
    Typedef(VarDecl),
    /// `using Color = float4;`, or a template of one.
    Alias(AliasDecl),
    /// `using namespace N;`
    UsingNamespace(Path),
    /// `using N::x;`
    UsingName(Path),
    /// `enum E { A, B };`
    Enum(Box<EnumDecl>),
    /// `namespace N { … }`; `namespace A::B` is two.
    Namespace(NamespaceDecl),
    /// `_Static_assert(cond, "message");`, `static_assert`.
    StaticAssert(Expr, Option<Name>),
    /// `;`
    Empty,
    /// Something that could not be parsed; a diagnostic has been given. The names in it: what is unknown later and
    /// among them may have been declared here.
    Error(Vec<Name>),
}

/// Variables declared together.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// `static`, `const`, `row_major`, …
    pub modifiers: Vec<Modifier>,
    /// Their common type.
    pub ty: Type,
    /// At least one, except `struct S { … };` as a field without a name.
    pub declarators: Vec<Declarator>,
}

impl VarDecl {
    /// The modifier is there.
    pub fn has(&self, kind: ModifierKind) -> bool {
        self.modifiers.iter().any(|m| m.kind == kind)
    }
}

/// `name[2] : SEMANTIC : register(b0) = init`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Name.
    pub name: Ident,
    /// Dimensions, outermost first.
    pub dims: Vec<ArrayDim>,
    /// What follows colons.
    pub bindings: Vec<Binding>,
    /// Initialiser: an expression or an [`super::ExprKind::InitList`].
    pub init: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// What follows a colon.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// `: SV_Position`.
    Semantic(Ident),
    /// `: register(vs_5_0, b0[2], space1)`.
    Register(Register),
    /// `: packoffset(c1.y)`.
    PackOffset(PackOffset),
}

impl Binding {
    /// Where it stands, without the colon.
    pub fn span(&self) -> Span {
        match self {
            Binding::Semantic(s) => s.span,
            Binding::Register(r) => r.span,
            Binding::PackOffset(p) => p.span,
        }
    }
}

/// The arguments of `register(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Words in order: a profile (`vs_5_0`), a register (`b0`), a space (`space1`).
    pub words: Vec<Ident>,
    /// `[2]` behind the register.
    pub offset: Option<Expr>,
    /// From the word `register`.
    pub span: Span,
}

/// The arguments of `packoffset(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct PackOffset {
    /// `c1`.
    pub register: Ident,
    /// `y`.
    pub component: Option<Ident>,
    /// From the word `packoffset`.
    pub span: Span,
}

/// A function, method or prototype.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// Template parameters; empty for plain functions.
    pub template: Vec<TemplateParam>,
    /// `template<> float f<float>(float x)`: the arguments, as far as they are written, that this is the template for.
    pub special: Option<Vec<TemplateArg>>,
    /// `static`, `inline`, `precise`, …
    pub modifiers: Vec<Modifier>,
    /// Return type.
    pub ret: Type,
    /// Name, qualified where a method is defined outside its struct. An operator's name is `operator+`,
    /// `operator[]`, `operator()`.
    pub name: Path,
    /// Parameters; `(void)` is none.
    pub params: Vec<Param>,
    /// `const` behind the parameters.
    pub is_const: bool,
    /// Semantic of the return value.
    pub bindings: Vec<Binding>,
    /// Body; a prototype has none.
    pub body: Option<Block>,
    /// Up to the body.
    pub header: Span,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// `[[vk::location(0)]]`.
    pub attributes: Vec<Attribute>,
    /// `in`, `out`, `uniform`, interpolation.
    pub modifiers: Vec<Modifier>,
    /// Type.
    pub ty: Type,
    /// Name; prototypes may leave it out.
    pub name: Option<Ident>,
    /// Dimensions, outermost first.
    pub dims: Vec<ArrayDim>,
    /// Semantics.
    pub bindings: Vec<Binding>,
    /// Default value.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// Which word a struct is declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructKind {
    /// `struct`
    Struct,
    /// `class`
    Class,
    /// `interface`
    Interface,
}

impl StructKind {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            StructKind::Struct => "struct",
            StructKind::Class => "class",
            StructKind::Interface => "interface",
        }
    }
}

/// A struct with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct StructDecl {
    /// Template parameters; empty for plain structs.
    pub template: Vec<TemplateParam>,
    /// The word.
    pub kind: StructKind,
    /// Name; `struct { … } x;` has none.
    pub name: Option<Ident>,
    /// What it inherits from.
    pub bases: Vec<Type>,
    /// Fields ([`ItemKind::Variables`]), methods, nested types, in order.
    pub members: Vec<Item>,
    /// All of it.
    pub span: Span,
}

/// `cbuffer B : register(b0) { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferDecl {
    /// `tbuffer`.
    pub is_tbuffer: bool,
    /// Name.
    pub name: Option<Ident>,
    /// `register(b0)`.
    pub bindings: Vec<Binding>,
    /// Members, and structs declared among them.
    pub members: Vec<Item>,
}

/// `using Color = float4;`.
#[derive(Clone, Debug, PartialEq)]
pub struct AliasDecl {
    /// Template parameters; mostly empty.
    pub template: Vec<TemplateParam>,
    /// Name.
    pub name: Ident,
    /// Modifiers before the type.
    pub modifiers: Vec<Modifier>,
    /// What it stands for.
    pub ty: Type,
}

/// `enum class E : uint { A = 1, B }`.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumDecl {
    /// `enum class`, `enum struct`: its values need `E::`.
    pub is_class: bool,
    /// Name.
    pub name: Option<Ident>,
    /// Type behind the colon.
    pub base: Option<Type>,
    /// Values in order, with what stands behind `=`.
    pub values: Vec<(Ident, Option<Expr>)>,
    /// All of it.
    pub span: Span,
}

/// `namespace N { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamespaceDecl {
    /// Name; an unnamed one is transparent.
    pub name: Option<Ident>,
    /// What is in it.
    pub items: Vec<Item>,
}
