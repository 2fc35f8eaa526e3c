//! Lir, the lane IR: four vertices in a vector, one or two vectors side by side, structured control flow.
//!
//! A Lir [`Function`] is what a kernel does, cut into [`StageKind`]s: straight runs of [`Inst`]s with `If` and `Loop`
//! the only instructions that hold regions. The loops over views, instances and groups of vertices around the stages
//! are the same for all kernels and are made by [`crate::emit`].
//!
//! **Invariants** (see `verify`)
//! - A value is defined before it is used: in the same region, an enclosing one, or, for `GroupView`, in `Group`.
//! - Operands have the types that the instructions say. Masks are I32X4 whose lanes are all ones or all zeros.
//! - Only memory instructions, `Spend` and `Exit` have effects, and they keep their order where they touch the same
//!   [`Memory`].
//!
//! Lir must not know Kir, HLSL or Cranelift.

pub mod build;
pub mod constants;
pub mod control;
pub mod dead;
pub mod extents;
pub mod fetch;
pub mod gather;
pub mod int_ops;
pub mod op;
pub mod ops;
pub mod outputs;
pub mod print;
pub mod schedule;
pub mod spill;
pub mod store;
pub mod vectorise;
pub mod verify;

use crate::abi::Status;
use op::Op;
use smallvec::SmallVec;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Four floats.
    F32X4,
    /// Four integers, or a mask.
    I32X4,
    /// Two doubles, inside the expansion of an operation only.
    F64X2,
    /// Two 64-bit integers, likewise.
    I64X2,
    /// A scalar: condition, index, counter.
    I32,
    /// An address.
    I64,
}

impl Type {
    /// Lives in a vector register.
    pub const fn is_vector(self) -> bool {
        !matches!(self, Type::I32 | Type::I64)
    }

    /// Its name in printed Lir.
    pub const fn text(self) -> &'static str {
        match self {
            Type::F32X4 => "f32x4",
            Type::I32X4 => "i32x4",
            Type::F64X2 => "f64x2",
            Type::I64X2 => "i64x2",
            Type::I32 => "i32",
            Type::I64 => "i64",
        }
    }
}

/// An SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// An instruction: index into [`Function::insts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(pub u32);

/// Something that the loops around a stage supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the fields are explained with the inputs")]
pub enum Input {
    /// I32: position of the group's first vertex.
    Position,
    /// I32: SV_InstanceID.
    Instance,
    /// I32: SV_ViewID.
    View,
    /// I32: SV_VertexID of position 0.
    FirstVertexId,
    /// I32: SV_StartVertexLocation.
    StartVertex,
    /// I32: SV_StartInstanceLocation.
    StartInstance,
    /// I32: most iterations of a loop.
    LoopLimit,
    /// I32: whether what varies with vertices, but not with instances, is stored this time.
    StoreVertexRate,
    /// I64: address of the SV_VertexID of the group's first vertex (Gathered kernels).
    Ids,
    /// I64: address of the group's vertex `lane` in a stream (Sequential kernels: lane 0 only).
    Stream { stream: u32, lane: u32 },
    /// I64: address of the current row of an output block: the group's first vertex, this instance, this view.
    Row(u32),
    /// I64: first byte of a constant buffer, or of zeros where it holds less than four bytes.
    ConstantBase(u32),
    /// I64: first byte of a constant buffer that is [`Extended`].
    Extended(u32),
    /// I64: number of bytes of a constant buffer.
    ConstantSize(u32),
    /// I64: first byte of the buffer of a per-instance stream.
    InstanceBase(u32),
    /// I32: lower bound of its valid addresses.
    InstanceOffset(u32),
    /// I32: end of its valid addresses.
    InstanceEnd(u32),
    /// I64: the memory for local arrays.
    Arrays,
    /// I64: sixteen zero bytes.
    Zeros,
    /// I64: a table of constant data (index into [`Function::tables`]); four zero bytes follow its end.
    Table(u32),
}

/// A kind of memory: accesses to different kinds never overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// Nothing stores to it while the kernel runs.
    ReadOnly,
    /// A local array of the shader.
    Array(u32),
    /// Result rows.
    Output,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// I64.
    pub base: Value,
    /// Bytes from there.
    pub offset: i32,
    /// What lies there.
    pub memory: Memory,
}

/// Where a value that is computed once and used in inner stages is kept, equal in all lanes: number of its 16 bytes
/// in scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// One for the draw or instance.
    Shared(u32),
    /// One for each enabled view.
    PerView(u32),
    /// One for the group that is shaded (see [`spill`]).
    Spilled(u32),
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the fields are explained with the instructions"
)]
pub enum Inst {
    /// Known lanes; as many of the four words as the type has.
    Lanes([u32; 4]),
    /// A known I32 or I64.
    Scalar(i64),
    /// Something from around the stage.
    Input(Input),
    /// A value kept in scratch memory.
    Kept(Slot),
    /// Keeps a value there.
    Keep(Slot, Value),
    /// A pure operation.
    Op(Op, SmallVec<[Value; 3]>),
    /// Lanes of two vectors, 0-3 of the first, 4-7 of the second.
    Shuffle(Value, Value, [u8; 4]),
    /// A lane of an I32X4 as I32.
    Extract(Value, u8),
    /// An I32X4 with one lane replaced by an I32.
    Insert(Value, u8, Value),
    /// 16 bytes.
    Load(Address),
    /// The low 4 or 8 bytes of a vector, zeros above.
    LoadLow(u8, Address),
    /// 4 bytes in every lane.
    LoadSplat(Address),
    /// A vector (I32X4) with one lane replaced from memory.
    LoadLane(Value, u8, Address),
    /// 1, 2 or 4 bytes as I32 or I64, or 8 as I64, zero-extended.
    LoadScalar(u8, Address),
    /// Stores 16 bytes.
    Store(Value, Address),
    /// Stores one lane, or (8 bytes) lanes 2k and 2k+1 for an even `lane` of 2k.
    StoreLanes {
        value: Value,
        lane: u8,
        bytes: u8,
        address: Address,
    },
    /// Stores an I32 or I64.
    StoreScalar(Value, Address),
    /// Stores zeros: so many 16 bytes.
    Clear(u32, Address),
    /// Makes NaNs among floats in memory canonical: those at the byte offsets that a table lists.
    Canonicalise { table: u32, address: Address },
    /// A base (I64) and, for each vector of addresses, a vector of offsets from there: where `span` bytes are to be read
    /// that begin `begin` bytes behind `base + addresses[..][lane]` (wrapping at 2^32). The offsets are the addresses;
    /// but where some lane is `outside` (I32), the words of all lanes are first copied, those not wholly inside `size`
    /// bytes as zeros, to the `copy`th byte after `arrays`, and the results say where the copies are, `begin` bytes
    /// before them.
    Rows {
        outside: Value,
        addresses: SmallVec<[Value; 4]>,
        base: Value,
        size: Value,
        arrays: Value,
        begin: u32,
        span: u32,
        copy: u32,
    },
    /// Leaves the kernel where the condition (I32) is not zero.
    Exit(Value, Status),
    /// Counts iterations (I32) against the draw's budget, and looks whether the draw is to be stopped, now and then.
    Spend(Value),
    /// Runs one of two regions; the condition is an I32.
    If {
        cond: Value,
        then: Region,
        els: Region,
    },
    /// Runs its body, whose first yield (I32) says whether it runs again; the others are the next parameters, and in
    /// the end the results.
    Loop { init: Vec<Value>, body: Region },
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// Loop bodies: the carried values.
    pub params: Vec<Value>,
    /// In order.
    pub insts: Vec<InstId>,
    /// What it hands to the instruction that holds it.
    pub yields: Vec<Value>,
}

/// When a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StageKind {
    /// Once per call.
    Draw,
    /// Once per enabled view.
    View,
    /// Once per instance.
    Instance,
    /// Once per instance and view.
    InstanceView,
    /// For each group of vertices.
    Group,
    /// For each group of vertices, once per view, after `Group`.
    GroupView,
}

impl StageKind {
    /// All, outermost first.
    pub const ALL: [StageKind; 6] = [
        StageKind::Draw,
        StageKind::View,
        StageKind::Instance,
        StageKind::InstanceView,
        StageKind::Group,
        StageKind::GroupView,
    ];

    /// Its name in printed Lir.
    pub const fn text(self) -> &'static str {
        match self {
            StageKind::Draw => "draw",
            StageKind::View => "view",
            StageKind::Instance => "instance",
            StageKind::InstanceView => "instance_view",
            StageKind::Group => "group",
            StageKind::GroupView => "group_view",
        }
    }

    /// As an index into [`Function::stages`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Shades vertices, a group at a time.
    pub const fn is_group(self) -> bool {
        matches!(self, StageKind::Group | StageKind::GroupView)
    }

    /// Runs for each view.
    pub const fn is_view(self) -> bool {
        matches!(
            self,
            StageKind::View | StageKind::InstanceView | StageKind::GroupView
        )
    }
}

/// Components of a constant buffer that are read at fixed addresses: one shared slot each, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedConstants {
    /// Index into `Program::constant_buffers`.
    pub buffer: u32,
    /// Slot of the first one.
    pub first_slot: u32,
    /// Byte address of each.
    pub addresses: Vec<u32>,
}

/// How many addresses of a constant buffer have so many bytes from there on: zero where it is smaller than that. Kept
/// in a shared slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Index into `Program::constant_buffers`.
    pub buffer: u32,
    /// Bytes, at least one.
    pub bytes: u32,
    /// The slot.
    pub slot: u32,
}

/// A constant buffer behind which zeros can be read: where it is smaller than that, a copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended {
    /// Index into `Program::constant_buffers`.
    pub buffer: u32,
    /// Bytes that can be read, a multiple of 16.
    pub bytes: u32,
    /// Where the copy is, bytes behind [`Input::Arrays`].
    pub copy: u32,
}

/// A whole kernel.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The type of each value.
    pub types: Vec<Type>,
    /// All instructions, reachable or not.
    pub insts: Vec<InstData>,
    /// What runs in each stage.
    pub stages: [Region; 6],
    /// Number of vectors of four vertices in a group.
    pub chains: u32,
    /// Read-only tables.
    pub tables: Vec<Vec<u32>>,
    /// Constants read at fixed addresses.
    pub fixed: Vec<FixedConstants>,
    /// Constant buffers behind which zeros can be read.
    pub extended: Vec<Extended>,
    /// Bounds of accesses at varying addresses.
    pub limits: Vec<Limit>,
    /// Number of [`Slot::Shared`].
    pub shared_slots: u32,
    /// Number of [`Slot::PerView`].
    pub view_slots: u32,
    /// Number of [`Slot::Spilled`].
    pub spilled_slots: u32,
    /// Bytes of scratch memory behind the slots, for local arrays.
    pub array_bytes: u32,
}

impl Function {
    /// The vertices of a group.
    pub fn group(&self) -> u32 {
        4 * self.chains
    }

    /// An instruction.
    pub fn inst(&self, id: InstId) -> &Inst {
        &self.insts[id.0 as usize].inst
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.types[v.0 as usize]
    }

    /// What each value is but for casts: the value that holds its bits.
    pub fn roots(&self) -> Vec<Value> {
        let mut roots: Vec<Value> = (0..self.types.len() as u32).map(Value).collect();
        for data in &self.insts {
            if let (Inst::Op(op, args), &[result]) = (&data.inst, data.results.as_slice())
                && op.is_cast()
            {
                roots[result.0 as usize] = roots[args[0].0 as usize];
            }
        }
        roots
    }

    /// The only result of an instruction that has one.
    pub fn result(&self, id: InstId) -> Option<Value> {
        self.insts[id.0 as usize].results.first().copied()
    }
}

impl Inst {
    /// Calls `f` with every operand that the instruction itself uses, those inside its regions left out.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Inst::Lanes(_) | Inst::Scalar(_) | Inst::Input(_) | Inst::Kept(_) => {}
            Inst::Op(_, args) => args.iter().copied().for_each(f),
            Inst::Shuffle(a, b, _) | Inst::Insert(a, _, b) => {
                f(*a);
                f(*b);
            }
            Inst::Keep(_, v) | Inst::Extract(v, _) | Inst::Exit(v, _) | Inst::Spend(v) => f(*v),
            Inst::Load(a)
            | Inst::LoadLow(_, a)
            | Inst::LoadSplat(a)
            | Inst::LoadScalar(_, a)
            | Inst::Canonicalise { address: a, .. }
            | Inst::Clear(_, a) => f(a.base),
            Inst::LoadLane(v, _, a)
            | Inst::Store(v, a)
            | Inst::StoreScalar(v, a)
            | Inst::StoreLanes {
                value: v,
                address: a,
                ..
            } => {
                f(*v);
                f(a.base);
            }
            Inst::Rows {
                outside,
                addresses,
                base,
                size,
                arrays,
                ..
            } => {
                [outside, base, size, arrays]
                    .into_iter()
                    .for_each(|&v| f(v));
                addresses.iter().copied().for_each(f);
            }
            Inst::If { cond, .. } => f(*cond),
            Inst::Loop { init, .. } => init.iter().copied().for_each(f),
        }
    }

    /// The same for changing them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Inst::Lanes(_) | Inst::Scalar(_) | Inst::Input(_) | Inst::Kept(_) => {}
            Inst::Op(_, args) => args.iter_mut().for_each(f),
            Inst::Shuffle(a, b, _) | Inst::Insert(a, _, b) => {
                f(a);
                f(b);
            }
            Inst::Keep(_, v) | Inst::Extract(v, _) | Inst::Exit(v, _) | Inst::Spend(v) => f(v),
            Inst::Load(a)
            | Inst::LoadLow(_, a)
            | Inst::LoadSplat(a)
            | Inst::LoadScalar(_, a)
            | Inst::Canonicalise { address: a, .. }
            | Inst::Clear(_, a) => f(&mut a.base),
            Inst::LoadLane(v, _, a)
            | Inst::Store(v, a)
            | Inst::StoreScalar(v, a)
            | Inst::StoreLanes {
                value: v,
                address: a,
                ..
            } => {
                f(v);
                f(&mut a.base);
            }
            Inst::Rows {
                outside,
                addresses,
                base,
                size,
                arrays,
                ..
            } => {
                [outside, base, size, arrays].into_iter().for_each(&mut f);
                addresses.iter_mut().for_each(f);
            }
            Inst::If { cond, .. } => f(cond),
            Inst::Loop { init, .. } => init.iter_mut().for_each(f),
        }
    }

    /// The regions it holds.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        let (a, b) = match self {
            Inst::If { then, els, .. } => (Some(then), Some(els)),
            Inst::Loop { body, .. } => (Some(body), None),
            _ => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The same bits as its operand, in the same register.
    pub fn is_cast(&self) -> bool {
        matches!(self, Inst::Op(op, _) if op.is_cast())
    }

    /// Costs nothing to repeat at each use (a constant, a memory operand, something already in a register), so that
    /// it has no place in the order of a region.
    pub fn is_remade(&self) -> bool {
        matches!(
            self,
            Inst::Lanes(_) | Inst::Scalar(_) | Inst::Input(_) | Inst::Kept(_)
        )
    }

    /// The place that a memory instruction touches, and whether it stores.
    pub fn access(&self) -> Option<(Address, bool)> {
        match self {
            Inst::Load(a)
            | Inst::LoadLow(_, a)
            | Inst::LoadSplat(a)
            | Inst::LoadLane(_, _, a)
            | Inst::LoadScalar(_, a) => Some((*a, false)),
            Inst::Store(_, a)
            | Inst::StoreScalar(_, a)
            | Inst::Clear(_, a)
            | Inst::StoreLanes { address: a, .. } => Some((*a, true)),
            _ => None,
        }
    }

    /// Equal instructions of this sort give equal values wherever they stand, and may be dropped when unused.
    pub fn is_pure(&self) -> bool {
        match self {
            Inst::Lanes(_)
            | Inst::Scalar(_)
            | Inst::Input(_)
            | Inst::Kept(_)
            | Inst::Op(..)
            | Inst::Shuffle(..)
            | Inst::Extract(..)
            | Inst::Insert(..)
            | Inst::Rows { .. } => true,
            _ => matches!(self.access(), Some((a, false)) if a.memory == Memory::ReadOnly),
        }
    }
}

#[cfg(test)]
mod tests;
