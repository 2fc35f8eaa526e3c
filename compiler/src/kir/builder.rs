//! Appends Kir: folds constants, simplifies, and gives a value that is there already instead of computing it again.
//!
//! Everything that makes Kir goes through here, so that lowering, decoding and passes all get value numbering and the
//! rules of [`crate::passes::simplify`]. Must not know Hir.

use super::{Function, Inst, InstData, InstId, Region, Source, Value};
use crate::passes::{simplify, trip_count};
use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::machine::Machine;
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar::{self, Denorm};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What makes two pure instructions the same one: a tag for what they do, and their operands.
type Key = [u32; 4];

/// A region under construction.
#[derive(Debug, Default)]
struct Open {
    region: Region,
    /// Length of `log` where it began.
    log: usize,
    /// Length of `facts` where it began.
    facts: usize,
}

/// A function under construction.
///
/// Constants, reads and constant-buffer loads at known addresses are collected at the function's start, wherever they
/// are asked for: they cost nothing there, and every region can share them.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    defs: Vec<Option<InstId>>,
    /// How many regions deep each value is defined.
    depths: Vec<u16>,
    /// Whether each instruction, or one inside it, does more than give its results.
    effects: Vec<bool>,
    denorm: Denorm,
    prologue: Vec<InstId>,
    open: Vec<Open>,
    seen: FxHashMap<Key, Value>,
    /// Keys in `seen` of values in open regions, in order.
    log: Vec<Key>,
    /// Keys in `seen` of values in the prologue, in order.
    prologue_log: Vec<Key>,
    /// Truth values that are known inside the open regions.
    facts: Vec<(Value, bool)>,
    work: u64,
}

/// A state of a builder to which [`Builder::roll_back`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint {
    insts: usize,
    values: usize,
    tables: usize,
    arrays: usize,
    prologue: usize,
    prologue_log: usize,
    open: usize,
    in_region: usize,
    log: usize,
    facts: usize,
}

impl Builder {
    /// An empty function in which arithmetic is folded with `denorm`, and loops are counted or not
    /// ([`Function::count_loops`]).
    pub fn new(denorm: Denorm, count_loops: bool) -> Builder {
        Builder::with_room(0, denorm, count_loops)
    }

    /// The same with room for so many instructions.
    pub fn with_room(insts: usize, denorm: Denorm, count_loops: bool) -> Builder {
        Builder {
            function: Function {
                insts: Vec::with_capacity(insts),
                kinds: Vec::with_capacity(insts),
                count_loops,
                ..Function::default()
            },
            defs: Vec::with_capacity(insts),
            depths: Vec::with_capacity(insts),
            effects: Vec::new(),
            denorm,
            prologue: Vec::new(),
            open: vec![Open::default()],
            seen: FxHashMap::default(),
            log: Vec::new(),
            prologue_log: Vec::new(),
            facts: Vec::new(),
            work: 0,
        }
    }

    /// The function; all regions but the outermost must be closed.
    pub fn finish(mut self) -> Function {
        debug_assert_eq!(self.open.len(), 1, "a region is still open");
        let mut body = self.open.swap_remove(0).region;
        self.prologue.append(&mut body.insts);
        body.insts = self.prologue;
        self.function.body = body;
        self.function
    }

    /// Number of instructions made so far; does not go down when some are rolled back.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Number of instructions that are there, dead ones included.
    pub fn len(&self) -> usize {
        self.function.insts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.function.insts.is_empty()
    }

    /// Number of regions around what is appended next, the function's own not counted.
    pub fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// How floats are folded.
    pub fn denorm(&self) -> Denorm {
        self.denorm
    }

    /// What kind of value it is.
    pub fn kind(&self, v: Value) -> Kind {
        self.function.kinds[v.index()]
    }

    /// What defines it; None for parameters of loop bodies.
    pub fn inst(&self, v: Value) -> Option<&Inst> {
        let inst = self.defs[v.index()]?;
        Some(&self.function.insts[inst.index()].inst)
    }

    /// An instruction by number.
    pub fn inst_data(&self, inst: InstId) -> &InstData {
        &self.function.insts[inst.index()]
    }

    /// The bits of a constant.
    pub fn bits(&self, v: Value) -> Option<u32> {
        match self.inst(v)? {
            Inst::Constant(bits) => Some(*bits),
            _ => None,
        }
    }

    /// The operation that defines a value, and its operands.
    pub fn operation(&self, v: Value) -> Option<(Op, &[Value])> {
        match self.inst(v)? {
            Inst::Op(op, args) => Some((*op, args)),
            _ => None,
        }
    }

    /// What a truth value is known to be here: a constant, or the condition of a region around.
    pub fn truth(&self, v: Value) -> Option<bool> {
        if let Some(bits) = self.bits(v) {
            return Some(bits != 0);
        }
        let fact = |v| self.facts.iter().rev().find(|(f, _)| *f == v).map(|f| f.1);
        match self.operation(v) {
            Some((Op::BNot, &[inner])) => fact(v).or_else(|| fact(inner).map(|known| !known)),
            _ => fact(v),
        }
    }

    /// A value known now. A Bool is 0 or 1.
    pub fn constant(&mut self, kind: Kind, bits: u32) -> Value {
        let key = [1 + kind as u32, bits, 0, 0];
        self.in_prologue(key, Inst::Constant(bits), kind)
    }

    /// A Bool constant.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(Kind::Bool, u32::from(value))
    }

    /// An I32 constant.
    pub fn int(&mut self, bits: u32) -> Value {
        self.constant(Kind::I32, bits)
    }

    /// A primitive operation.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        debug_assert!(
            op.operands()
                .iter()
                .eq(args.iter().map(|a| &self.function.kinds[a.index()])),
            "operands of {}",
            op.text()
        );
        if let Some(bits) = self.fold(op, args) {
            return self.constant(op.result(), bits);
        }
        let mut args = SmallVec::from_slice(args);
        if let Some(v) = simplify::simplify(self, op, &mut args) {
            return v;
        }
        let arg = |i: usize| args.get(i).map_or(u32::MAX, |a: &Value| a.0);
        let key = [0x100 + op as u32, arg(0), arg(1), arg(2)];
        self.shared(key, Inst::Op(op, args), op.result())
    }

    fn fold(&self, op: Op, args: &[Value]) -> Option<u32> {
        let mut bits: SmallVec<[u32; 3]> = SmallVec::new();
        for &a in args {
            bits.push(self.bits(a)?);
        }
        Some(scalar::eval(op, &bits, self.denorm))
    }

    /// `cond ? a : b` on values of one kind.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let op = match self.kind(a) {
            Kind::F32 => Op::FSelect,
            Kind::I32 => Op::ISelect,
            Kind::Bool => Op::BSelect,
        };
        self.op(op, &[cond, a, b])
    }

    /// Something that the draw supplies.
    pub fn read(&mut self, kind: Kind, source: Source) -> Value {
        let k = 4 * kind as u32;
        let key = match source {
            Source::Input { element, component } => [0x40 + k, element, component.into(), 0],
            Source::Word {
                element,
                byte,
                width,
            } => [0x41 + k, element, byte.into(), width.into()],
            Source::VertexId => [0x42 + k, 0, 0, 0],
            Source::InstanceId => [0x42 + k, 1, 0, 0],
            Source::ViewId => [0x42 + k, 2, 0, 0],
            Source::StartVertex => [0x42 + k, 3, 0, 0],
            Source::StartInstance => [0x42 + k, 4, 0, 0],
        };
        self.in_prologue(key, Inst::Read(source), kind)
    }

    /// 32 bits of constant buffer `buffer` at byte `address + offset`.
    pub fn constant_load(
        &mut self,
        kind: Kind,
        buffer: u32,
        mut address: Option<Value>,
        mut offset: u32,
    ) -> Value {
        while let Some(a) = address {
            if let Some(bits) = self.bits(a) {
                offset = offset.wrapping_add(bits);
                address = None;
            } else if let Some((Op::IAdd, &[rest, k])) = self.operation(a)
                && let Some(bits) = self.bits(k)
            {
                offset = offset.wrapping_add(bits);
                address = Some(rest);
            } else {
                break;
            }
        }
        let key = [
            0x20 + kind as u32,
            buffer,
            address.map_or(u32::MAX, |a| a.0),
            offset,
        ];
        let inst = Inst::ConstantLoad {
            buffer,
            address,
            offset,
        };
        match address {
            None => self.in_prologue(key, inst, kind),
            Some(_) => self.shared(key, inst, kind),
        }
    }

    /// A read-only table of `bits`; the same one for the same bits.
    pub fn table(&mut self, bits: Vec<u32>) -> u32 {
        let tables = &mut self.function.tables;
        let at = tables.iter().position(|t| *t == bits).unwrap_or_else(|| {
            tables.push(bits);
            tables.len() - 1
        });
        at as u32
    }

    /// Entry `index` of a table.
    pub fn table_load(&mut self, kind: Kind, table: u32, index: Value) -> Value {
        if let Some(i) = self.bits(index) {
            let entries = &self.function.tables[table as usize];
            let bits = entries.get(i as usize).copied().unwrap_or(0);
            return self.constant(kind, bits);
        }
        let key = [0x30 + kind as u32, table, index.0, 0];
        self.shared(key, Inst::TableLoad { table, index }, kind)
    }

    /// A local array of `len` components, all zero.
    pub fn array(&mut self, len: u32) -> u32 {
        self.function.arrays.push(len);
        (self.function.arrays.len() - 1) as u32
    }

    /// Component `index` of a local array, as it is now.
    pub fn array_load(&mut self, kind: Kind, array: u32, index: Value) -> Value {
        let inst = Inst::ArrayLoad { array, index };
        let id = self.push(inst, &[kind], false);
        self.here().insts.push(id);
        self.function.insts[id.index()].results[0]
    }

    /// Sets a component of a local array.
    pub fn array_store(&mut self, array: u32, index: Value, value: Value) {
        let inst = Inst::ArrayStore {
            array,
            index,
            value,
        };
        let id = self.push(inst, &[], true);
        self.here().insts.push(id);
    }

    /// Sets an output component; in the outermost region only.
    pub fn store(&mut self, element: u32, component: u8, value: Value) {
        let inst = Inst::Store {
            element,
            component,
            value,
        };
        let id = self.push(inst, &[], true);
        self.here().insts.push(id);
    }

    /// Opens a region with parameters of these kinds; what is appended goes there until [`Builder::close`].
    pub fn open(&mut self, params: impl IntoIterator<Item = Kind>) -> Vec<Value> {
        self.open.push(Open {
            region: Region::default(),
            log: self.log.len(),
            facts: self.facts.len(),
        });
        let params: Vec<Value> = params
            .into_iter()
            .map(|k| self.new_value(k, None))
            .collect();
        self.here().params.clone_from(&params);
        params
    }

    /// Opens the side of an If on which `cond` is `holds`.
    pub fn open_side(&mut self, cond: Value, holds: bool) {
        self.open([]);
        self.facts.push((cond, holds));
        if let Some((Op::BNot, &[inner])) = self.operation(cond) {
            self.facts.push((inner, !holds));
        }
    }

    /// Ends the innermost region.
    pub fn close(&mut self, yields: Vec<Value>) -> Region {
        let open = self.open.pop().expect("a region is open");
        self.forget(open.log);
        self.facts.truncate(open.facts);
        let mut region = open.region;
        region.yields = yields;
        region
    }

    /// Appends an If of two closed regions and gives its results. What both sides know outside is chosen by a select
    /// instead, and an If of which nothing is left is none.
    pub fn if_(&mut self, cond: Value, then: Region, els: Region, hint: BranchHint) -> Vec<Value> {
        let (mut then, mut els) = (then, els);
        let pairs: Vec<(Value, Value)> = std::mem::take(&mut then.yields)
            .into_iter()
            .zip(std::mem::take(&mut els.yields))
            .collect();
        let outer = self.depth() as u16;
        let mut kept: FxHashMap<(Value, Value), usize> = FxHashMap::default();
        let mut kinds = Vec::new();
        // Either a value that is known already, or the number of a result.
        let mut choice: Vec<Result<Value, usize>> = Vec::with_capacity(pairs.len());
        for (t, e) in pairs {
            let t = self.on_side(t, cond, true);
            let e = self.on_side(e, cond, false);
            if self.depths[t.index()] <= outer && self.depths[e.index()] <= outer {
                choice.push(Ok(self.select(cond, t, e)));
                continue;
            }
            let number = *kept.entry((t, e)).or_insert_with(|| {
                then.yields.push(t);
                els.yields.push(e);
                kinds.push(self.function.kinds[t.index()]);
                kinds.len() - 1
            });
            choice.push(Err(number));
        }
        let effect = self.has_effect(&then) || self.has_effect(&els);
        if kinds.is_empty() && !effect {
            return choice.into_iter().filter_map(Result::ok).collect();
        }
        let inst = Inst::If {
            cond,
            then,
            els,
            hint,
        };
        let id = self.push(inst, &kinds, effect);
        self.here().insts.push(id);
        let results = &self.function.insts[id.index()].results;
        choice
            .into_iter()
            .map(|c| c.unwrap_or_else(|n| results[n]))
            .collect()
    }

    /// What a yield is, given that the side where it stands is taken.
    fn on_side(&mut self, v: Value, cond: Value, holds: bool) -> Value {
        if v == cond {
            return self.bool(holds);
        }
        match self.operation(v) {
            Some((Op::FSelect | Op::ISelect | Op::BSelect, &[c, a, b])) if c == cond => {
                if holds {
                    a
                } else {
                    b
                }
            }
            _ => v,
        }
    }

    /// Appends a loop of a closed body, and gives its results. The bound is found here where it is not known.
    pub fn loop_(&mut self, init: Vec<Value>, body: Region, bound: Option<u32>) -> Vec<Value> {
        let bound = if self.function.count_loops {
            None
        } else {
            bound.or_else(|| trip_count::bound(self, &init, &body))
        };
        let kinds: Vec<Kind> = init.iter().map(|v| self.kind(*v)).collect();
        let effect = bound.is_none() || self.has_effect(&body);
        let id = self.push(Inst::Loop { init, body, bound }, &kinds, effect);
        self.here().insts.push(id);
        self.function.insts[id.index()].results.to_vec()
    }

    /// Whether anything in a region does more than give its results.
    pub fn has_effect(&self, region: &Region) -> bool {
        region.insts.iter().any(|i| self.effects[i.index()])
    }

    /// Marks the present state.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            insts: self.function.insts.len(),
            values: self.function.kinds.len(),
            tables: self.function.tables.len(),
            arrays: self.function.arrays.len(),
            prologue: self.prologue.len(),
            prologue_log: self.prologue_log.len(),
            open: self.open.len(),
            in_region: self.open.last().map_or(0, |o| o.region.insts.len()),
            log: self.log.len(),
            facts: self.facts.len(),
        }
    }

    /// Takes back everything since the checkpoint, in the region that was innermost then or inside it.
    pub fn roll_back(&mut self, to: Checkpoint) {
        self.forget(to.log);
        for key in self.prologue_log.drain(to.prologue_log..) {
            self.seen.remove(&key);
        }
        self.facts.truncate(to.facts);
        self.prologue.truncate(to.prologue);
        self.open.truncate(to.open);
        self.here().insts.truncate(to.in_region);
        self.function.insts.truncate(to.insts);
        self.effects.truncate(to.insts);
        self.function.tables.truncate(to.tables);
        self.function.arrays.truncate(to.arrays);
        self.function.kinds.truncate(to.values);
        self.defs.truncate(to.values);
        self.depths.truncate(to.values);
    }

    fn forget(&mut self, log: usize) {
        for key in self.log.drain(log..) {
            self.seen.remove(&key);
        }
    }

    fn here(&mut self) -> &mut Region {
        &mut self.open.last_mut().expect("a region is open").region
    }

    fn new_value(&mut self, kind: Kind, def: Option<InstId>) -> Value {
        let v = Value(self.function.kinds.len() as u32);
        self.function.kinds.push(kind);
        self.defs.push(def);
        self.depths.push(self.depth() as u16);
        v
    }

    fn push(&mut self, inst: Inst, results: &[Kind], effect: bool) -> InstId {
        self.work += 1;
        let id = InstId(self.function.insts.len() as u32);
        let results = results
            .iter()
            .map(|k| self.new_value(*k, Some(id)))
            .collect();
        self.function.insts.push(InstData { inst, results });
        self.effects.push(effect);
        id
    }

    /// The value of a pure instruction, in this region or one around it.
    fn shared(&mut self, key: Key, inst: Inst, kind: Kind) -> Value {
        if let Some(v) = self.seen.get(&key) {
            return *v;
        }
        let id = self.push(inst, &[kind], false);
        self.here().insts.push(id);
        let v = self.function.insts[id.index()].results[0];
        self.seen.insert(key, v);
        self.log.push(key);
        v
    }

    /// The value of an instruction without operands.
    fn in_prologue(&mut self, key: Key, inst: Inst, kind: Kind) -> Value {
        if let Some(v) = self.seen.get(&key) {
            return *v;
        }
        let id = self.push(inst, &[kind], false);
        self.prologue.push(id);
        let v = self.function.insts[id.index()].results[0];
        self.depths[v.index()] = 0;
        self.seen.insert(key, v);
        self.prologue_log.push(key);
        v
    }
}

impl Machine for Builder {
    type Value = Value;

    fn constant(&mut self, kind: Kind, bits: u32) -> Value {
        Builder::constant(self, kind, bits)
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        Builder::op(self, op, args)
    }
}
