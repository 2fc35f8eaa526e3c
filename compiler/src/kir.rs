//! Kir, the kernel IR: one vertex, scalar components, structured SSA.
//!
//! A Kir [`Function`] says what happens to *one* vertex of one instance in one view. There are no calls (inlined),
//! no vectors (scalarised), no variables (SSA values), no `break`, `continue` or early `return` (turned into
//! conditions); what is left is [`Inst`]s in [`Region`]s, with `If` and `Loop` the only instructions that hold
//! regions. How four or eight vertices run at once is decided later ([`crate::lir`]).
//!
//! **Invariants** (see `verify`)
//! - A value is defined before it is used, in the same region or an enclosing one.
//! - `Op` operands have the kinds that [`Op::operands`] names.
//! - All instructions but `ArrayStore` and `Store` are pure and total: they may be moved to any place where
//!   their operands are known, executed without need, or dropped. `ArrayLoad` and `ArrayStore` of one array keep
//!   their order.
//! - An `If` yields as many values from both sides as it has results. A `Loop` runs its body at least once; the
//!   body's first yield (Bool) says whether it runs again, the others are the next parameters; when it says no,
//!   they are the results.
//!
//! Kir must not know lanes, registers, Cranelift, threads or draws.

use fuseline_numerics::op::{Kind, Op};
use smallvec::SmallVec;

/// An SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// An instruction: index into [`Function::insts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(pub u32);

/// A function: arenas, and the region where it begins.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The kind of each value.
    pub kinds: Vec<Kind>,
    /// All instructions, reachable or not.
    pub insts: Vec<InstData>,
    /// What runs.
    pub body: Region,
    /// Read-only tables: bits of each entry (`static const` arrays).
    pub tables: Vec<Vec<u32>>,
    /// Local arrays that are indexed at run time: number of components each. They start as zero.
    pub arrays: Vec<u32>,
}

/// An instruction and its results.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it does.
    pub inst: Inst,
    /// What it defines.
    pub results: SmallVec<[Value; 1]>,
}

/// A straight run of instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Loop bodies: the carried values.
    pub params: Vec<Value>,
    /// In order.
    pub insts: Vec<InstId>,
    /// What the region hands to the instruction that holds it.
    pub yields: Vec<Value>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Inst {
    /// Known bits (Bool: 0 or 1).
    Constant(u32),
    /// A primitive operation.
    Op(Op, SmallVec<[Value; 3]>),
    /// Something that the draw supplies.
    Read(Source),
    /// 32 bits of a constant buffer (index into `Program::constant_buffers`) at byte `address + offset`, wrapping;
    /// zero where the component is not wholly inside. `address` None: the address is `offset`. Result F32 or I32.
    ConstantLoad {
        buffer: u32,
        address: Option<Value>,
        offset: u32,
    },
    /// Entry `index` of a table; zero out of range.
    TableLoad { table: u32, index: Value },
    /// Component `index` of a local array; zero out of range.
    ArrayLoad { array: u32, index: Value },
    /// Sets component `index` of a local array; dropped out of range.
    ArrayStore {
        array: u32,
        index: Value,
        value: Value,
    },
    /// Choice between two regions.
    If {
        cond: Value,
        then: Region,
        els: Region,
        hint: fuseline_hlsl::hir::BranchHint,
    },
    /// Repetition. `bound`: most iterations that it can take, where that is known (then no budget is counted).
    Loop {
        init: Vec<Value>,
        body: Region,
        bound: Option<u32>,
    },
    /// Sets an output component.
    Store {
        element: u32,
        component: u8,
        value: Value,
    },
}

/// Something that the draw supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Component of an input register: index into `Program::inputs`. Gone after `fuse`.
    Input { element: u32, component: u8 },
    /// Raw bits of a vertex or instance element, zero-extended to 32 bits: layout element, byte within it, and
    /// width in bytes (1, 2, 4). Put in by `fuse`; how it is loaded is Lir's business.
    Word { element: u32, byte: u8, width: u8 },
    /// SV_VertexID.
    VertexId,
    /// SV_InstanceID.
    InstanceId,
    /// SV_ViewID.
    ViewId,
    /// SV_StartVertexLocation.
    StartVertex,
    /// SV_StartInstanceLocation.
    StartInstance,
}
