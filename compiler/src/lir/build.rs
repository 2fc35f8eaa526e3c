//! Appends instructions to regions, once for each different value.
//!
//! Must not know what is built.

use super::op::Op;
use super::{Address, Function, Input, Inst, InstData, InstId, Memory, Region, Slot, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::{SmallVec, smallvec};
use std::hash::BuildHasher;

/// How many operations of a float are looked at to find out how large it can be.
const DEPTH: u32 = 6;

/// A region under construction.
#[derive(Default)]
struct Scope {
    params: Vec<Value>,
    insts: Vec<InstId>,
    /// Pure values by the hash of what defines them.
    known: FxHashMap<u64, SmallVec<[Value; 1]>>,
}

/// Builds a [`Function`].
pub struct Builder {
    f: Function,
    scopes: Vec<Scope>,
    /// The instruction that defines each value; None for parameters.
    defs: Vec<Option<InstId>>,
    /// The machine has a fused multiply-add.
    pub fma: bool,
    /// The machine converts floats to integers as x86 does.
    pub x86: bool,
    /// Denormals flush.
    pub flush: bool,
    /// Kept values that are never NaN, never denormal.
    not_nan: Vec<Slot>,
    not_denormal: Vec<Slot>,
}

impl Builder {
    /// For kernels with so many vectors in a group, with room for so many instructions.
    pub fn new(insts: usize, chains: u32, fma: bool, x86: bool, flush: bool) -> Builder {
        Builder {
            f: Function {
                insts: Vec::with_capacity(insts),
                types: Vec::with_capacity(insts),
                chains,
                ..Function::default()
            },
            scopes: Vec::new(),
            defs: Vec::with_capacity(insts),
            fma,
            x86,
            flush,
            not_nan: Vec::new(),
            not_denormal: Vec::new(),
        }
    }

    /// The function so far.
    pub fn function(&mut self) -> &mut Function {
        &mut self.f
    }

    /// The finished function.
    pub fn finish(self) -> Function {
        self.f
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.f.ty(v)
    }

    /// What defines a value.
    pub fn def(&self, v: Value) -> Option<&Inst> {
        self.defs[v.0 as usize].map(|id| self.f.inst(id))
    }

    /// A new value without a definition: a parameter.
    fn value(&mut self, ty: Type) -> Value {
        let v = Value(self.f.types.len() as u32);
        self.f.types.push(ty);
        self.defs.push(None);
        v
    }

    /// Begins a region with parameters of these types; instructions go there until [`Builder::close`].
    pub fn open(&mut self, params: &[Type]) -> Vec<Value> {
        let params: Vec<Value> = params.iter().map(|&ty| self.value(ty)).collect();
        self.scopes.push(Scope {
            params: params.clone(),
            ..Scope::default()
        });
        params
    }

    /// Ends the region.
    pub fn close(&mut self, yields: Vec<Value>) -> Region {
        let scope = self.scopes.pop().unwrap_or_default();
        Region {
            params: scope.params,
            insts: scope.insts,
            yields,
        }
    }

    /// Appends an instruction with results of these types.
    pub fn push_many(&mut self, inst: Inst, types: &[Type]) -> SmallVec<[Value; 1]> {
        let results: SmallVec<[Value; 1]> = types.iter().map(|&ty| self.value(ty)).collect();
        let id = InstId(self.f.insts.len() as u32);
        for r in &results {
            self.defs[r.0 as usize] = Some(id);
        }
        self.f.insts.push(InstData {
            inst,
            results: results.clone(),
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insts.push(id);
        }
        results
    }

    /// Appends an instruction with one result, or finds the value if it is pure and known already.
    pub fn push(&mut self, inst: Inst, ty: Type) -> Value {
        let pure = inst.is_pure();
        if pure {
            let hash = FxBuildHasher.hash_one((&inst, ty));
            let mut alike = self
                .scopes
                .iter()
                .rev()
                .flat_map(|s| s.known.get(&hash))
                .flatten();
            if let Some(&v) = alike.find(|&&v| self.ty(v) == ty && self.def(v) == Some(&inst)) {
                return v;
            }
            let v = self.push_many(inst, &[ty])[0];
            if let Some(scope) = self.scopes.last_mut() {
                scope.known.entry(hash).or_default().push(v);
            }
            return v;
        }
        self.push_many(inst, &[ty])[0]
    }

    /// Appends an instruction without a result.
    pub fn effect(&mut self, inst: Inst) {
        self.push_many(inst, &[]);
    }

    /// A pure operation.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.push(Inst::Op(op, SmallVec::from_slice(args)), op.result())
    }

    /// An operation with one operand.
    pub fn op1(&mut self, op: Op, a: Value) -> Value {
        if let (Op::BitsI, Some(Inst::Op(Op::BitsF, args)))
        | (Op::BitsF, Some(Inst::Op(Op::BitsI, args))) = (op, self.def(a))
        {
            return args[0];
        }
        if let (Op::BitsI | Op::BitsF, Some(&Inst::Lanes(l))) = (op, self.def(a)) {
            return self.push(Inst::Lanes(l), op.result());
        }
        self.push(Inst::Op(op, smallvec![a]), op.result())
    }

    /// An operation with two operands.
    pub fn op2(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.push(Inst::Op(op, smallvec![a, b]), op.result())
    }

    /// An operation with three operands.
    pub fn op3(&mut self, op: Op, a: Value, b: Value, c: Value) -> Value {
        self.push(Inst::Op(op, smallvec![a, b, c]), op.result())
    }

    /// The same float bits in every lane.
    pub fn float(&mut self, bits: u32) -> Value {
        self.push(Inst::Lanes([bits; 4]), Type::F32X4)
    }

    /// The same integer in every lane.
    pub fn int(&mut self, bits: u32) -> Value {
        self.push(Inst::Lanes([bits; 4]), Type::I32X4)
    }

    /// A known scalar.
    pub fn scalar(&mut self, value: i64, ty: Type) -> Value {
        self.push(Inst::Scalar(value), ty)
    }

    /// Something from around the stage.
    pub fn input(&mut self, input: Input) -> Value {
        self.push(Inst::Input(input), input.ty())
    }

    /// A kept value.
    pub fn kept(&mut self, slot: Slot, ty: Type) -> Value {
        self.push(Inst::Kept(slot), ty)
    }

    /// Keeps a value.
    pub fn keep(&mut self, slot: Slot, value: Value) {
        if self.never_nan(value) {
            self.not_nan.push(slot);
        }
        if self.never_denormal(value) {
            self.not_denormal.push(slot);
        }
        self.effect(Inst::Keep(slot, value));
    }

    /// Lanes of two vectors.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: [u8; 4]) -> Value {
        let ty = self.ty(a);
        self.push(Inst::Shuffle(a, b, lanes), ty)
    }

    /// A lane as a scalar.
    pub fn extract(&mut self, a: Value, lane: u8) -> Value {
        if let Some(&Inst::Lanes(l)) = self.def(a) {
            return self.scalar(i64::from(l[usize::from(lane)]), Type::I32);
        }
        if let Some(Inst::Op(Op::Splat, args)) = self.def(a) {
            return args[0];
        }
        self.push(Inst::Extract(a, lane), Type::I32)
    }

    /// The lanes of an I32X4 as I64, zero-extended.
    pub fn four_addresses(&mut self, v: Value) -> [Value; 4] {
        let [low, high] = [Op::Low64, Op::High64].map(|half| self.op1(half, v));
        [
            self.op1(Op::LowHalf, low),
            self.op1(Op::HighHalf, low),
            self.op1(Op::LowHalf, high),
            self.op1(Op::HighHalf, high),
        ]
    }

    /// An address in read-only memory.
    pub fn at(&self, base: Value, offset: i32) -> Address {
        Address {
            base,
            offset,
            memory: Memory::ReadOnly,
        }
    }

    /// A value seen as F32X4.
    pub fn as_float(&mut self, v: Value) -> Value {
        if self.ty(v) == Type::F32X4 {
            v
        } else {
            self.op1(Op::BitsF, v)
        }
    }

    /// A value seen as I32X4.
    pub fn as_int(&mut self, v: Value) -> Value {
        if self.ty(v) == Type::I32X4 {
            v
        } else {
            self.op1(Op::BitsI, v)
        }
    }

    /// Lanes that are known.
    pub fn lanes(&self, v: Value) -> Option<[u32; 4]> {
        match self.def(v) {
            Some(&Inst::Lanes(l)) => Some(l),
            _ => None,
        }
    }

    /// No lane can be a NaN.
    pub fn never_nan(&self, v: Value) -> bool {
        match self.def(v) {
            Some(Inst::Lanes(l)) => l.iter().all(|&b| !f32::from_bits(b).is_nan()),
            Some(Inst::Kept(slot)) => self.not_nan.contains(slot),
            Some(Inst::Op(op, args)) => match op {
                Op::Lesser | Op::Greater => self.never_nan(args[1]),
                Op::FNeg | Op::FAbs | Op::Floor | Op::Ceil | Op::Trunc | Op::Nearest => {
                    self.never_nan(args[0])
                }
                _ => self.magnitude(v, DEPTH).is_some_and(f64::is_finite),
            },
            _ => false,
        }
    }

    /// No lane is larger than this, whatever its sign; no lane is a NaN. Infinite if it may be that.
    fn magnitude(&self, v: Value, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let most = match self.def(v)? {
            Inst::Lanes(l) => {
                let most = |l: &u32| f64::from(f32::from_bits(*l)).abs();
                let lanes = l.map(|l| most(&l));
                if lanes.iter().any(|x| x.is_nan()) {
                    return None;
                }
                lanes.into_iter().fold(0.0, f64::max)
            }
            Inst::Op(op, args) => {
                let of = |i: usize| self.magnitude(args[i], depth).filter(|x| x.is_finite());
                match op {
                    Op::SToF => self.largest(args[0]),
                    Op::FMul => of(0)? * of(1)?,
                    Op::FAdd | Op::FSub => of(0)? + of(1)?,
                    Op::Fma => of(0)? * of(1)? + of(2)?,
                    Op::FNeg | Op::FAbs => of(0)?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        // Rounding may add a little to each result.
        let rounded = most * 1.000_001;
        Some(if rounded < f64::from(f32::MAX) {
            rounded
        } else {
            f64::INFINITY
        })
    }

    /// No lane of an I32X4 is further from zero than this.
    fn largest(&self, v: Value) -> f64 {
        let mask = match self.def(v) {
            Some(Inst::Op(Op::IAnd, args)) => args.iter().find_map(|&a| self.lanes(a)),
            _ => None,
        };
        match mask {
            Some(l) if l.iter().all(|&l| l as i32 >= 0) => {
                l.into_iter().map(f64::from).fold(0.0, f64::max)
            }
            _ => -f64::from(i32::MIN),
        }
    }

    /// No lane can be a denormal, flushed as they are.
    pub fn never_denormal(&self, v: Value) -> bool {
        if !self.flush {
            return false;
        }
        match self.def(v) {
            Some(Inst::Lanes(l)) => l.iter().all(|&b| !f32::from_bits(b).is_subnormal()),
            Some(Inst::Kept(slot)) => self.not_denormal.contains(slot),
            Some(Inst::Op(op, args)) => match op {
                Op::FAdd
                | Op::FSub
                | Op::FMul
                | Op::FDiv
                | Op::Fma
                | Op::FSqrt
                | Op::Floor
                | Op::Ceil
                | Op::Trunc
                | Op::Nearest
                | Op::SToF
                | Op::Demote => true,
                Op::Lesser | Op::Greater => args.iter().all(|&a| self.never_denormal(a)),
                Op::FBlend => args[1..].iter().all(|&a| self.never_denormal(a)),
                Op::FNeg | Op::FAbs => self.never_denormal(args[0]),
                _ => false,
            },
            _ => false,
        }
    }

    /// No lane is negative as a signed integer.
    pub fn never_negative(&self, v: Value) -> bool {
        match self.def(v) {
            Some(Inst::Lanes(l)) => l.iter().all(|&b| b as i32 >= 0),
            Some(Inst::Op(op, args)) => match op {
                Op::IAnd => args.iter().any(|&a| self.never_negative(a)),
                Op::UShr => {
                    matches!(self.def(args[1]), Some(Inst::Scalar(n)) if n & 31 != 0)
                        || self.never_negative(args[0])
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl Input {
    /// The type of the value.
    pub fn ty(self) -> Type {
        match self {
            Input::Position
            | Input::Instance
            | Input::View
            | Input::FirstVertexId
            | Input::StartVertex
            | Input::StartInstance
            | Input::LoopLimit
            | Input::StoreVertexRate
            | Input::InstanceOffset(_)
            | Input::InstanceEnd(_) => Type::I32,
            Input::Ids
            | Input::Stream { .. }
            | Input::Row(_)
            | Input::ConstantBase(_)
            | Input::Extended(_)
            | Input::ConstantSize(_)
            | Input::InstanceBase(_)
            | Input::Arrays
            | Input::Zeros
            | Input::Table(_) => Type::I64,
        }
    }
}
