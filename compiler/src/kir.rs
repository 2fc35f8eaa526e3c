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
//! - All instructions but `ArrayStore`, `Store` and a `Loop` without `bound` are pure and total: they may be moved to
//!   any place where their operands are known, executed without need, or dropped. `ArrayLoad` and `ArrayStore` of one
//!   array keep their order. (A `Loop` without `bound` may end the draw: how often it runs can be seen.)
//! - `Store` stands in the function's own region only, at its end, at most once for each component.
//! - An `If` yields as many values from both sides as it has results. A `Loop` runs its body at least once; the
//!   body's first yield (Bool) says whether it runs again, the others are the next parameters; when it says no,
//!   they are the results.
//!
//! Kir must not know lanes, registers, Cranelift, threads or draws.

mod builder;
#[cfg(test)]
pub mod eval;
pub mod parse;
mod text;
pub mod verify;

pub use builder::{Builder, Checkpoint};
pub use text::{Printed, declarations, print};

use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::op::{Kind, Op};
use smallvec::SmallVec;

/// An SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// As an index into arenas.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instruction: index into [`Function::insts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(pub u32);

impl InstId {
    /// As an index into arenas.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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
    /// Every iteration of every loop is counted: no loop has a bound, so that none is unrolled, moved or dropped.
    pub count_loops: bool,
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
        /// Index into `Program::constant_buffers`.
        buffer: u32,
        /// I32, bytes.
        address: Option<Value>,
        /// Bytes.
        offset: u32,
    },
    /// Entry `index` of a table; zero out of range.
    TableLoad {
        /// Index into [`Function::tables`].
        table: u32,
        /// I32, as unsigned.
        index: Value,
    },
    /// Component `index` of a local array; zero out of range.
    ArrayLoad {
        /// Index into [`Function::arrays`].
        array: u32,
        /// I32, as unsigned.
        index: Value,
    },
    /// Sets component `index` of a local array; dropped out of range.
    ArrayStore {
        /// Index into [`Function::arrays`].
        array: u32,
        /// I32, as unsigned.
        index: Value,
        /// F32 or I32; all accesses of one component use the same.
        value: Value,
    },
    /// Choice between two regions.
    If {
        /// Bool.
        cond: Value,
        /// Runs where it is true.
        then: Region,
        /// Runs where it is false.
        els: Region,
        /// What the shader asks for.
        hint: BranchHint,
    },
    /// Repetition. `bound`: most times that the body can run, where that is known and no iterations need to be
    /// counted ([`crate::abi::MIN_LOOP_LIMIT`]).
    Loop {
        /// The first iteration's parameters.
        init: Vec<Value>,
        /// What is repeated.
        body: Region,
        /// Most times that it runs.
        bound: Option<u32>,
    },
    /// Sets an output component.
    Store {
        /// Index into `Program::outputs`.
        element: u32,
        /// Component of the register.
        component: u8,
        /// F32 or I32.
        value: Value,
    },
}

impl Inst {
    /// Calls `f` with every operand that the instruction itself uses; operands inside its regions and their yields
    /// are not among them.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Inst::Constant(_) | Inst::Read(_) => {}
            Inst::Op(_, args) => args.iter().copied().for_each(f),
            Inst::ConstantLoad { address, .. } => address.iter().copied().for_each(f),
            Inst::TableLoad { index, .. } | Inst::ArrayLoad { index, .. } => f(*index),
            Inst::ArrayStore { index, value, .. } => {
                f(*index);
                f(*value);
            }
            Inst::If { cond, .. } => f(*cond),
            Inst::Loop { init, .. } => init.iter().copied().for_each(f),
            Inst::Store { value, .. } => f(*value),
        }
    }

    /// The same for changing them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Inst::Constant(_) | Inst::Read(_) => {}
            Inst::Op(_, args) => args.iter_mut().for_each(f),
            Inst::ConstantLoad { address, .. } => address.iter_mut().for_each(f),
            Inst::TableLoad { index, .. } | Inst::ArrayLoad { index, .. } => f(index),
            Inst::ArrayStore { index, value, .. } => {
                f(index);
                f(value);
            }
            Inst::If { cond, .. } => f(cond),
            Inst::Loop { init, .. } => init.iter_mut().for_each(f),
            Inst::Store { value, .. } => f(value),
        }
    }

    /// The regions it holds: none, a loop's body, or both sides of an If.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        let (a, b) = match self {
            Inst::If { then, els, .. } => (Some(then), Some(els)),
            Inst::Loop { body, .. } => (Some(body), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }
}

impl Function {
    /// The instruction that defines each value; None for parameters of loop bodies. Values that belong to nothing
    /// reachable are None, too.
    pub fn definitions(&self) -> Vec<Option<InstId>> {
        let mut defs = vec![None; self.kinds.len()];
        for (i, data) in self.insts.iter().enumerate() {
            for &v in &data.results {
                defs[v.index()] = Some(InstId(i as u32));
            }
        }
        defs
    }

    /// The bits of a value that a `Constant` defines.
    pub fn constant(&self, defs: &[Option<InstId>], v: Value) -> Option<u32> {
        match self.insts[defs[v.index()]?.index()].inst {
            Inst::Constant(bits) => Some(bits),
            _ => None,
        }
    }
}

/// Something that the draw supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Component of an input register: index into `Program::inputs`. Gone after `fuse`.
    Input {
        /// Index into `Program::inputs`.
        element: u32,
        /// Component of the register.
        component: u8,
    },
    /// Raw bits of a vertex or instance element, zero-extended to 32 bits: layout element, byte within it, and
    /// width in bytes (1, 2, 4). Put in by `fuse`; how it is loaded is Lir's business.
    Word {
        /// Index into [`crate::kernel::KernelKey::elements`].
        element: u32,
        /// First byte, from the start of the element.
        byte: u8,
        /// Bytes.
        width: u8,
    },
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
