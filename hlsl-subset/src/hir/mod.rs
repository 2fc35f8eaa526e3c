//! Hir: a checked shader entry, typed and structured, with spans.
//!
//! Hir is what both engines start from: the interpreter runs it, the compiler lowers it. Everything that the
//! language leaves implicit is explicit here: conversions, splats, truncations, the choice of an overload, the
//! layout of constants, which additions are fused with a product, which NaNs are made canonical.
//!
//! **Components.** Every value is a flat list of 32-bit components: a scalar has one, a vector N, a matrix R x C
//! (row by row, whatever its storage), an array or struct those of its parts in order (resources take none).
//! A variable is that many *slots*.
//!
//! **Invariants** (checked by [`crate::hir::verify`] in tests and debug builds)
//! - An expression's `ty` tells how many components it has; `Op` and `Math` work component by component and all
//!   their arguments have as many components as the result (scalars are splatted by an explicit [`ExprKind::Splat`]).
//! - Index expressions in a [`Place`] and in [`ConstantLoad`] are free of side effects and cheap: the checker puts
//!   anything else into a temporary first. They are of kind I32, one component.
//! - Statements and expressions are evaluated in the order written, operands left to right; an assignment
//!   evaluates its place's indices, then its value, then stores.
//! - Functions do not recurse; `functions` is ordered so that a callee stands before its callers.
//! - No condition, loop or `Switch` has more than one component.
//!
//! Hir must not know engines, buffers, layouts of vertex buffers, or files.

mod print;
pub mod verify;
pub mod visit;

use crate::span::Span;
use crate::types::Type;
use fuseline_numerics::{builtin::Builtin, math::MathFn, op::Op};

/// A variable of the program (parameter, local, temporary, static): index into [`Program::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// Index into [`Program::constant_buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantBufferId(pub u32);

/// One entry of a file, with all it reaches and nothing else.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the entry function.
    pub entry_name: String,
    /// Shader stage and model that the entry was checked for.
    pub profile: crate::profile::Profile,
    /// Inputs in declaration order: one [`SignatureElement`] per register.
    pub inputs: Vec<SignatureElement>,
    /// Outputs likewise.
    pub outputs: Vec<SignatureElement>,
    /// Constant buffers, tbuffers and `$Globals`/`$Params` that the reached code reads.
    pub constant_buffers: Vec<crate::reflection::ConstantBuffer>,
    /// Whether a product may be fused (false under `precise` and strict float; already carried out in the code,
    /// here for `Dot` and `MatMul` and for readers).
    pub fused: bool,
    /// All variables: statics, parameters, locals, temporaries.
    pub vars: Vec<Var>,
    /// Statics in the order of their initialisation; all are set (zero or their initialiser) before the entry runs.
    pub statics: Vec<Static>,
    /// Functions, callees first; the entry is the last one.
    pub functions: Vec<Function>,
    /// How the entry's parameters are filled from `inputs`, before it runs.
    pub entry_inputs: Vec<EntryBinding>,
    /// How `outputs` are filled from the entry's out parameters and return value, after it ran.
    pub entry_outputs: Vec<EntryBinding>,
    /// Variable that receives the entry's return value, if it has one.
    pub entry_return: Option<VarId>,
}

/// One register of a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct SignatureElement {
    /// Semantic name as the shader writes it, without the trailing digits.
    pub semantic: String,
    /// Semantic index.
    pub index: u32,
    /// What the pipeline makes of it.
    pub system_value: Option<crate::semantics::SystemValue>,
    /// Component type.
    pub scalar: crate::types::Scalar,
    /// Number of components, 1 to 4.
    pub components: u8,
    /// Register number in the signature (inputs: one each, in order; not in the signature, as SV_ViewID: None).
    pub register: Option<u32>,
    /// Where in its register the element begins, 0 to 3. Always 0 for inputs; outputs share registers.
    pub first_component: u8,
    /// Interpolation modifiers and the like, as written; outputs only.
    pub interpolation: Vec<String>,
    /// Where the semantic is written.
    pub span: Span,
}

impl SignatureElement {
    /// Whether the pipeline makes a vertex shader's input of this kind itself (FS 4.4.4); all others come from vertex
    /// buffers.
    pub fn is_generated(&self) -> bool {
        use crate::semantics::SystemValue as Sv;
        matches!(
            self.system_value,
            Some(
                Sv::VertexId
                    | Sv::InstanceId
                    | Sv::ViewId
                    | Sv::StartVertexLocation
                    | Sv::StartInstanceLocation
            )
        )
    }
}

/// Component `component` of element `element` is slot `slot` of variable `var`.
///
/// An input of type bool is true where any bit is set; an output of type bool is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryBinding {
    /// Index into `inputs` or `outputs`.
    pub element: u32,
    /// Component of the element, from 0 whatever its `first_component`.
    pub component: u8,
    /// The variable.
    pub var: VarId,
    /// The slot in it.
    pub slot: u32,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name, or a made-up one for temporaries (`%3`).
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Number of slots.
    pub slots: u32,
    /// Declaration.
    pub span: Span,
}

/// A variable that lives through one invocation: `static` globals and `static` locals.
#[derive(Clone, Debug)]
pub struct Static {
    /// The variable.
    pub var: VarId,
    /// Its value where it never changes and is known (`static const` tables): one entry per slot.
    pub constant: Option<Vec<u32>>,
    /// Otherwise its initialiser, evaluated before the entry runs; none: zero.
    pub init: Option<Expr>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, qualified (`N::f`), for people.
    pub name: String,
    /// Parameters.
    pub params: Vec<Param>,
    /// Type of its value.
    pub ret: Type,
    /// Variables that belong to it besides the parameters (each zero on every call unless set).
    pub locals: Vec<VarId>,
    /// Body.
    pub body: Vec<Stmt>,
    /// Where it is defined.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The variable that holds it inside.
    pub var: VarId,
    /// Copied in at the call.
    pub is_in: bool,
    /// Copied out after the call. `out` alone starts as zero.
    pub is_out: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A local comes into being: zero, or the value. Runs each time control passes.
    Declare(VarId, Option<Expr>),
    /// Evaluate for its effects.
    Expr(Expr),
    /// `if`.
    If {
        /// One Bool component.
        cond: Expr,
        /// Runs where it is true.
        then: Vec<Stmt>,
        /// Runs where it is false.
        els: Vec<Stmt>,
        /// Attribute.
        hint: BranchHint,
    },
    /// `for`, `while`, `do`: `loop { if test_first && !cond break; body; step; if !test_first && !cond break; }`;
    /// `continue` goes to `step`. A `for`'s initialiser stands before the loop.
    Loop {
        /// One Bool component; none: always true.
        cond: Option<Expr>,
        /// Whether the condition stands before the body (`for`, `while`) or after it (`do`).
        test_first: bool,
        /// The body.
        body: Vec<Stmt>,
        /// What a `for` does after each iteration.
        step: Vec<Stmt>,
        /// Attribute.
        hint: LoopHint,
    },
    /// `switch` on an I32: the first arm that lists the value, else the arm with `default`, runs; arms do not
    /// fall through (empty cases are merged into the arm they fall into). `Break` inside leaves the switch.
    Switch {
        /// One I32 component.
        value: Expr,
        /// At most one of them is the default.
        arms: Vec<SwitchArm>,
        /// Attribute.
        hint: BranchHint,
    },
    /// Leaves the innermost loop or switch.
    Break,
    /// Next iteration of the innermost loop.
    Continue,
    /// Leaves the function.
    Return(Option<Expr>),
    /// A block of its own.
    Block(Vec<Stmt>),
}

/// An arm of a switch.
#[derive(Clone, Debug)]
pub struct SwitchArm {
    /// The values (bits) that lead here.
    pub values: Vec<u32>,
    /// Also for every value that no arm lists.
    pub default: bool,
    /// The statements, trailing `break` included where it was written.
    pub body: Vec<Stmt>,
}

/// What was asked for with an attribute; never changes results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchHint {
    /// Nothing.
    #[default]
    None,
    /// `[branch]`.
    Branch,
    /// `[flatten]`.
    Flatten,
}

/// What was asked for with an attribute; never changes results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopHint {
    /// Nothing.
    #[default]
    None,
    /// `[unroll]` or `[unroll(n)]`.
    Unroll,
    /// `[loop]`.
    Loop,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type; `Type::Void` only for calls of void functions.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Known bits, one per component (Bool: 0 or 1).
    Constant(Vec<u32>),
    /// Reads a variable.
    Load(Place),
    /// Reads a constant buffer.
    ConstantLoad(ConstantLoad),
    /// A primitive operation, component by component.
    Op(Op, Vec<Expr>),
    /// A math function, component by component.
    Math(MathFn, Vec<Expr>),
    /// An operation on bits, component by component.
    Builtin(Builtin, Box<Expr>),
    /// Integer powers of floats, one exponent per component ([`fuseline_numerics::math::integer_power`]): what
    /// `pow` is where the exponent is known to be an integer from -64 to 64.
    IntegerPower(Box<Expr>, Vec<i8>),
    /// One component, repeated as often as the type has components.
    Splat(Box<Expr>),
    /// Components of one expression, by number: swizzles, members, rows, constant indices of values, truncation,
    /// transposition, casts that keep the bits. (An identity pick is an explicit cast; it keeps sums from fusing.)
    Pick(Box<Expr>, Vec<u32>),
    /// The components of several expressions, one after the other: constructors, initialisers.
    Concat(Vec<Expr>),
    /// A value indexed at run time: `len` parts of `stride` components; out of range reads zero. The index is
    /// evaluated after the base.
    Index {
        /// The value: `stride * len` components.
        base: Box<Expr>,
        /// One I32 component.
        index: Box<Expr>,
        /// Components of a part.
        stride: u32,
        /// Number of parts.
        len: u32,
    },
    /// Dot product of two vectors of floats or integers: first product, then multiply-adds in component order,
    /// fused for floats where `Program::fused`.
    Dot(Box<Expr>, Box<Expr>),
    /// Matrix product (rows x inner) * (inner x columns), vectors being matrices of one row or column; each
    /// component is a `Dot`. `a` is evaluated first.
    MatMul {
        /// `rows * inner` components.
        a: Box<Expr>,
        /// `inner * columns` components.
        b: Box<Expr>,
        /// Rows of `a` and of the result.
        rows: u8,
        /// Columns of `a`, rows of `b`.
        inner: u8,
        /// Columns of `b` and of the result.
        columns: u8,
    },
    /// Any (false) or all (true) of the components of a Bool expression.
    Reduce {
        /// All of them, or any.
        all: bool,
        /// The Bool components.
        value: Box<Expr>,
    },
    /// Short-circuit choice on one component: only the chosen side is evaluated (HLSL 2021 `?:`, `&&`, `||`).
    Branch {
        /// One Bool component.
        cond: Box<Expr>,
        /// Evaluated where it is true.
        then: Box<Expr>,
        /// Evaluated where it is false.
        els: Box<Expr>,
    },
    /// Calls a function. Arguments are evaluated left to right, of each its value, then the indices of the place where
    /// it goes; after the call the outs are written back left to right.
    Call {
        /// The function.
        function: FuncId,
        /// One per parameter.
        args: Vec<Arg>,
    },
    /// Stores, and gives the value stored. `value` has as many components as `place`.
    Assign {
        /// Where to.
        place: Place,
        /// What.
        value: Box<Expr>,
    },
    /// Evaluates the first ones for their effects, in order, and gives the last.
    Sequence(Vec<Expr>, Box<Expr>),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Value copied in (`in`, `inout`).
    pub input: Option<Expr>,
    /// Where the parameter is copied to after the call (`out`, `inout`); same number of components.
    pub output: Option<Place>,
}

/// Some components of a variable.
///
/// Component k is slot `offset + sum(index_i * stride_i) + components[k]`. If any index, as unsigned, is not below
/// its `len`, the whole place reads zero and drops writes.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub var: VarId,
    /// First slot, from constant indices and members.
    pub offset: u32,
    /// Indices known only at run time.
    pub dynamic: Vec<DynamicIndex>,
    /// Slot of each component, from there.
    pub components: Vec<u32>,
}

/// An index known only at run time. `stride` is in slots for a [`Place`], in bytes for a [`ConstantLoad`].
#[derive(Clone, Debug)]
pub struct DynamicIndex {
    /// The index: one I32 component.
    pub index: Expr,
    /// Distance between neighbours.
    pub stride: u32,
    /// Number of elements.
    pub len: u32,
}

/// A read of a constant buffer.
///
/// The byte address of component k is `offset + sum(index_i * stride_i) + components[k]`, all in wrapping 32-bit
/// arithmetic (FS 7.5: an overrun inside the buffer reads its neighbour; `len` is not looked at). A component that
/// is not wholly inside the bound buffer reads zero. A component of type bool is true where any bit is set.
#[derive(Clone, Debug)]
pub struct ConstantLoad {
    /// Which buffer.
    pub buffer: ConstantBufferId,
    /// First byte, from constant indices and members.
    pub offset: u32,
    /// Indices known only at run time.
    pub dynamic: Vec<DynamicIndex>,
    /// Byte of each component, from there.
    pub components: Vec<u32>,
}
