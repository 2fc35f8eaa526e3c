//! What the checker hands on: everything in a file, checked, before an entry is chosen.
//!
//! A [`Module`] has every function with its Hir body, whether or not some entry reaches it. Choosing an entry keeps
//! what it reaches, renumbers, binds the signature and fuses. Must not know stages, profiles or engines.

use crate::diagnostic::Diagnostic;
use crate::hir::{ConstantBufferId, FuncId, Function, Static, Var, VarId};
use crate::reflection::Member;
use crate::span::Span;
use crate::types::{ObjectType, Type};
use std::sync::Arc;

/// A checked file. Ids in Hir bodies index the vectors here: [`VarId`] `vars`, [`FuncId`] `functions`,
/// [`ConstantBufferId`] `buffers`.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Every variable of the file: statics, parameters, locals, temporaries.
    pub vars: Vec<Var>,
    /// Statics in the order of their initialisation.
    pub statics: Vec<ModuleStatic>,
    /// Every function, prototypes without a body included, in order of first declaration. Not ordered by calls.
    pub functions: Vec<ModuleFunction>,
    /// Constant buffers in order of declaration. `$Globals`, if there is one, comes first.
    pub buffers: Vec<BufferDecl>,
    /// Resources and samplers in order of declaration.
    pub objects: Vec<ObjectDecl>,
    /// Matrices without majorness of their own are stored row by row.
    pub default_row_major: bool,
    /// Some body had an error: no entry may be made from this module.
    pub has_errors: bool,
}

/// A static with what its initialiser needs.
#[derive(Clone, Debug)]
pub struct ModuleStatic {
    /// For Hir. `constant` is left to the choosing of an entry: what is fused must be decided before it is folded.
    pub hir: Static,
    /// Temporaries of the initialiser.
    pub temporaries: Vec<VarId>,
    /// What the initialiser uses.
    pub uses: Uses,
    /// Declared `const`: nothing writes it after its initialisation, so that it is a constant if its value is known.
    pub is_const: bool,
}

/// A function, as an entry candidate or as something to be called.
#[derive(Clone, Debug)]
pub struct ModuleFunction {
    /// Parameters, locals and body. The body of a function that is only declared is empty.
    pub hir: Function,
    /// Whether it has a body.
    pub defined: bool,
    /// Whether it could be an entry: a function of its own, not a method, a template or part of an intrinsic.
    pub entry_candidate: bool,
    /// Each of `hir.params` as the source declares it. A method's `this` comes first.
    pub params: Vec<ParamDecl>,
    /// How the return value leaves an entry.
    pub ret: ValueDecl,
    /// `[numthreads(8, 8, 1)]`, `[shader("vertex")]`, …: name and arguments as written.
    pub attributes: Vec<FunctionAttribute>,
    /// What the body uses.
    pub uses: Uses,
}

/// An attribute of a function, not interpreted.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionAttribute {
    /// Name as written.
    pub name: String,
    /// Arguments: integers folded, strings without quotes, anything else left out.
    pub args: Vec<AttributeArg>,
    /// Where it stands.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeArg {
    /// An integer constant.
    Int(i64),
    /// A string.
    Text(String),
}

/// A value at the border of an entry: a parameter or the return value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDecl {
    /// Its type; the semantics of struct members are in it.
    pub ty: Type,
    /// Semantic as written, and where.
    pub semantic: Option<(String, Span)>,
    /// Majorness where it is written or a `pack_matrix` pragma is in force.
    pub row_major: Option<bool>,
    /// Interpolation modifiers as written.
    pub interpolation: Vec<String>,
    /// Where it is declared (return value: its type).
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamDecl {
    /// Name; empty where the source gives none.
    pub name: String,
    /// Type, semantic and the like.
    pub value: ValueDecl,
    /// Declared `uniform`: on an entry it is a member of `$Params`.
    pub uniform: bool,
    /// Of a primitive type for a geometry shader (`triangle`, `line`, …), as written.
    pub primitive: Option<String>,
}

/// A constant buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferDecl {
    /// Its name; `$Globals` for loose globals; element `i` of an array of buffers is `name[i]`.
    pub name: String,
    /// How it is declared.
    pub kind: BufferKind,
    /// Members with their places.
    pub members: Vec<Member>,
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// `register(bN, spaceM)` where it is written.
    pub register: Option<Register>,
    /// Where it is declared.
    pub span: Span,
}

/// How a constant buffer is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// `cbuffer` or `ConstantBuffer<T>`: a `b` register.
    Constant,
    /// `tbuffer` or `TextureBuffer<T>`: a `t` register.
    Texture,
    /// Loose globals: `$Globals`.
    Globals,
}

/// A register as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its class in lower case: `b`, `t`, `s`, `u`, `c`, `i`.
    pub class: char,
    /// Its number.
    pub number: u32,
    /// Its space.
    pub space: u32,
    /// Where it is written.
    pub span: Span,
}

/// Index into [`Module::objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A resource or sampler at global scope.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectDecl {
    /// Name.
    pub name: String,
    /// What it is.
    pub ty: Arc<ObjectType>,
    /// Number of array elements: 1 for a single one, 0 for an unbounded array.
    pub count: u32,
    /// `register(tN, spaceM)` where it is written.
    pub register: Option<Register>,
    /// Where it is declared.
    pub span: Span,
}

/// What a body reaches directly.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Functions that it calls, each with the place of its first call.
    pub calls: Vec<(FuncId, Span)>,
    /// Constant buffers that it reads.
    pub buffers: Vec<ConstantBufferId>,
    /// Statics that it reads or writes.
    pub statics: Vec<VarId>,
    /// Resources and samplers that it names.
    pub objects: Vec<ObjectId>,
    /// Some declaration in it is `precise`.
    pub precise: bool,
    /// What stands in the way of some or all entries that reach it.
    pub obstacles: Vec<Obstacle>,
}

/// Something in a body that is no error by itself, but one for an entry that reaches it.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// For which entries.
    pub when: When,
    /// What to tell.
    pub diagnostic: Diagnostic,
}

/// When an [`Obstacle`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always, and where no entry is asked for, too: the project does not support it.
    Always,
    /// Where a vertex shader reaches it.
    Vertex,
    /// When code is to be made from it; checking alone accepts it.
    Codegen,
}
