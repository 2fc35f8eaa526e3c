//! Instructions, and the regions that they are in.
//!
//! Constants, kept values and inputs are made anew at each use, so that Cranelift can turn them into memory operands.
//! Must not know the loops around the stages.

use super::cuts::Cuts;
use super::rodata::Rodata;
use crate::lir::{Address, Function, Input, Inst, InstId, Memory, Region, Slot, Type, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{self, BlockArg, Endianness, InstBuilder, MemFlagsData};
use cranelift_frontend::FunctionBuilder;
use fuseline_numerics::scalar::CANONICAL_NAN;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Where the kernel keeps things, as Cranelift's values.
#[derive(Clone, Copy, Debug)]
pub struct Bases {
    /// The argument struct.
    pub args: ir::Value,
    /// Scratch memory.
    pub scratch: ir::Value,
    /// Constant data.
    pub rodata: ir::Value,
    /// Shared slots end, and view slots begin, here in scratch memory (bytes).
    pub view_slots: i32,
    /// Where local arrays begin in scratch memory.
    pub arrays: i32,
    /// Where iterations not yet counted against the budget are counted.
    pub spent: i32,
}

/// Emits the instructions of one function.
pub struct Emitter<'a, 'b> {
    /// Cranelift's builder.
    pub b: FunctionBuilder<'b>,
    /// What is emitted.
    pub f: &'a Function,
    /// Constant data so far.
    pub rodata: &'a mut Rodata,
    /// Offsets of the function's tables.
    pub tables: Vec<i32>,
    /// Where things are.
    pub bases: Bases,
    /// The machine is an x86-64.
    pub x86: bool,
    /// What each of Lir's values is; casts are made at each use.
    values: Vec<Option<ir::Value>>,
    /// The value that each is but for casts.
    roots: Vec<Value>,
    /// The definitions of those that are made at each use.
    remade: Vec<Option<InstId>>,
    /// Where blocks are cut so that loads become memory operands.
    cuts: Cuts,
    /// Conditions as comparisons left them (I8), for branches.
    pub(super) conditions: FxHashMap<Value, ir::Value>,
    /// Inputs of the stage.
    pub inputs: FxHashMap<Input, ir::Value>,
    /// Address of vertex 0 of each vertex stream.
    pub stream_bases: FxHashMap<u32, ir::Value>,
    /// By output block, for the instance whose groups run: the row of the group's first vertex in the first view, and
    /// the bytes between views.
    pub group_blocks: FxHashMap<u32, (ir::Value, Option<ir::Value>)>,
    /// By vertex stream, in Sequential kernels: the address of the group's first vertex.
    pub group_streams: FxHashMap<u32, ir::Value>,
    /// Slots of the view that the stage runs for.
    pub view_scratch: Option<ir::Value>,
}

/// Reads of memory that nothing changes, aligned or not.
fn read_only() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_readonly()
}

fn clif_type(ty: Type) -> ir::Type {
    match ty {
        Type::F32X4 => F32X4,
        Type::I32X4 => I32X4,
        Type::F64X2 => F64X2,
        Type::I64X2 => I64X2,
        Type::I32 => I32,
        Type::I64 => I64,
    }
}

impl<'a, 'b> Emitter<'a, 'b> {
    /// An emitter into `b`.
    pub fn new(
        b: FunctionBuilder<'b>,
        f: &'a Function,
        rodata: &'a mut Rodata,
        bases: Bases,
        x86: bool,
    ) -> Emitter<'a, 'b> {
        let tables = f.tables.iter().map(|t| rodata.table(t)).collect();
        let mut remade = vec![None; f.types.len()];
        for (i, data) in f.insts.iter().enumerate() {
            if data.inst.is_remade() {
                for v in &data.results {
                    remade[v.0 as usize] = Some(InstId(i as u32));
                }
            }
        }
        let roots = f.roots();
        Emitter {
            cuts: Cuts::new(f, &roots),
            roots,
            b,
            f,
            rodata,
            tables,
            bases,
            x86,
            values: vec![None; f.types.len()],
            remade,
            conditions: FxHashMap::default(),
            inputs: FxHashMap::default(),
            stream_bases: FxHashMap::default(),
            group_blocks: FxHashMap::default(),
            group_streams: FxHashMap::default(),
            view_scratch: None,
        }
    }

    /// A new block; what is inside something that rarely runs rarely runs, too.
    pub(super) fn new_block(&mut self) -> ir::Block {
        let block = self.b.create_block();
        let here = self.b.current_block();
        if here.is_some_and(|here| self.b.func.layout.is_cold(here)) {
            self.b.set_cold_block(block);
        }
        block
    }

    /// The same bits as another vector type.
    pub(super) fn cast(&mut self, v: ir::Value, ty: ir::Type) -> ir::Value {
        if self.b.func.dfg.value_type(v) == ty {
            return v;
        }
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        self.b.ins().bitcast(ty, flags, v)
    }

    /// A vector constant: made in a register where that is one instruction, else read from memory.
    fn lanes(&mut self, words: [u32; 4], ty: ir::Type) -> ir::Value {
        if words == [0; 4] || words == [u32::MAX; 4] {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let constant = self.b.func.dfg.constants.insert(bytes.into());
            return self.b.ins().vconst(ty, constant);
        }
        let offset = self.rodata.vector(words);
        let flags = read_only().with_aligned();
        self.b.ins().load(ty, flags, self.bases.rodata, offset)
    }

    fn slot(&self, slot: Slot) -> (ir::Value, i32) {
        match slot {
            Slot::Shared(n) => (self.bases.scratch, 16 * n as i32),
            Slot::Spilled(n) => (self.bases.scratch, 16 * (self.f.shared_slots + n) as i32),
            Slot::PerView(n) => (
                self.view_scratch.unwrap_or(self.bases.scratch),
                16 * n as i32,
            ),
        }
    }

    /// The value of an operand.
    pub fn get(&mut self, v: Value) -> ir::Value {
        self.get_as(v, clif_type(self.f.ty(v)))
    }

    /// The bytes of a vector.
    fn bytes(&mut self, v: Value) -> ir::Value {
        self.get_as(v, I8X16)
    }

    fn get_as(&mut self, v: Value, ty: ir::Type) -> ir::Value {
        let root = self.roots[v.0 as usize].0 as usize;
        let f = self.f;
        if let Some(known) = self.values[root] {
            return self.cast(known, ty);
        }
        // What is remade has no value of its own; everything else was emitted before its uses.
        match self.remade[root].map(|id| f.inst(id)) {
            Some(Inst::Lanes(words)) => self.lanes(*words, ty),
            Some(Inst::Scalar(n)) => self.b.ins().iconst(ty, *n),
            Some(Inst::Kept(slot)) => {
                let (base, offset) = self.slot(*slot);
                let flags = match slot {
                    Slot::Spilled(_) => MemFlagsData::new().with_notrap(),
                    _ => read_only(),
                };
                self.b.ins().load(ty, flags.with_aligned(), base, offset)
            }
            Some(Inst::Input(input)) if self.inputs.contains_key(input) => self.inputs[input],
            _ => unreachable!("the verifier finds values that are used before they are defined"),
        }
    }

    /// Whether instructions after the one being emitted use a value, or may.
    pub(super) fn is_needed_later(&self, v: Value) -> bool {
        self.cuts.is_needed_later(self.roots[v.0 as usize])
    }

    fn set(&mut self, v: Value, to: ir::Value) {
        self.values[v.0 as usize] = Some(to);
    }

    /// A branch condition: the comparison itself where there is one.
    pub(super) fn condition(&mut self, v: Value) -> ir::Value {
        match self.conditions.get(&v) {
            Some(&c) => c,
            None => self.get(v),
        }
    }

    /// Emits a region's instructions; the yields are for the caller.
    pub fn region(&mut self, region: &Region) {
        for &id in &region.insts {
            if self.f.inst(id).is_remade() || self.f.inst(id).is_cast() {
                continue;
            }
            if self.cuts.wanted_before(self.f, &self.roots, id) {
                self.cut();
            }
            self.inst(id);
            self.cuts.emitted(self.f, &self.roots, &self.remade, id);
        }
        self.cuts.end_region();
    }

    /// Begins a new block that gets the values waiting for it as parameters (see [`super::cuts`]).
    fn cut(&mut self) {
        let waiting = self.cuts.take();
        let arguments = self.arguments(&waiting);
        let (block, never) = (self.new_block(), self.new_block());
        self.b.set_cold_block(never);
        let always = self.bases.scratch;
        self.b.ins().brif(always, block, &arguments, never, &[]);
        self.b.switch_to_block(never);
        let zeros: Vec<BlockArg> = waiting
            .iter()
            .map(|&v| BlockArg::Value(self.lanes([0; 4], clif_type(self.f.ty(v)))))
            .collect();
        self.b.ins().jump(block, &zeros);
        self.b.switch_to_block(block);
        for v in waiting {
            let param = self.b.append_block_param(block, clif_type(self.f.ty(v)));
            self.set(v, param);
        }
    }

    fn inst(&mut self, id: InstId) {
        let f = self.f;
        let data = &f.insts[id.0 as usize];
        match &data.inst {
            Inst::Op(op, args) => {
                let value = self.op(*op, args, data.results.first().copied());
                self.set_result(id, value);
            }
            Inst::Shuffle(a, b, lanes) => {
                let (a, b) = (self.bytes(*a), self.bytes(*b));
                let value = self.shuffle(a, b, *lanes);
                self.set_result(id, value);
            }
            Inst::Extract(a, lane) => {
                let a = self.get(*a);
                let value = self.b.ins().extractlane(a, *lane);
                self.set_result(id, value);
            }
            Inst::Insert(a, lane, x) => {
                let (a, x) = (self.get(*a), self.get(*x));
                let value = self.b.ins().insertlane(a, x, *lane);
                self.set_result(id, value);
            }
            Inst::Keep(slot, v) => {
                let v = self.get(*v);
                let (base, offset) = self.slot(*slot);
                let flags = MemFlagsData::new().with_notrap().with_aligned();
                self.b.ins().store(flags, v, base, offset);
            }
            Inst::Exit(cond, status) => {
                let cond = self.condition(*cond);
                self.exit(cond, *status as u32);
            }
            Inst::Spend(count) => {
                let count = self.get(*count);
                self.spend(count);
            }
            Inst::Rows { .. } => self.rows(id),
            Inst::Canonicalise { table, address } => {
                let base = self.get(address.base);
                self.canonicalise(*table, base);
            }
            Inst::If { cond, then, els } => self.branch(id, *cond, then, els),
            Inst::Loop { init, body } => self.repeat(id, init, body),
            // Loads and stores; what is made at each use accesses nothing.
            _ => self.memory(id),
        }
    }

    fn set_result(&mut self, id: InstId, value: ir::Value) {
        if let Some(result) = self.f.result(id) {
            self.set(result, value);
        }
    }

    /// Lanes of I8X16.
    fn shuffle(&mut self, a: ir::Value, b: ir::Value, lanes: [u8; 4]) -> ir::Value {
        let bytes: Vec<u8> = lanes
            .iter()
            .flat_map(|&lane| (0..4).map(move |byte| 4 * lane + byte))
            .collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        self.b.ins().shuffle(a, b, mask)
    }

    /// Loads and stores.
    fn memory(&mut self, id: InstId) {
        let f = self.f;
        let inst = f.inst(id);
        let Some((address, _)) = inst.access() else {
            return;
        };
        let base = self.get(address.base);
        let flags = self.flags(address);
        let offset = address.offset;
        let result_type = f.result(id).map(|r| clif_type(f.ty(r)));
        let value = match inst {
            Inst::Load(_) => {
                let ty = result_type.unwrap_or(I32X4);
                Some(self.b.ins().load(ty, flags, base, offset))
            }
            Inst::LoadLow(bytes, _) => {
                let (scalar, vector) = if *bytes == 4 {
                    (F32, F32X4)
                } else {
                    (F64, F64X2)
                };
                let low = self.b.ins().load(scalar, flags, base, offset);
                let wide = self.b.ins().scalar_to_vector(vector, low);
                Some(self.cast(wide, result_type.unwrap_or(vector)))
            }
            Inst::LoadSplat(_) => {
                let ty = result_type.unwrap_or(I32X4);
                let one = self.b.ins().load(ty.lane_type(), flags, base, offset);
                Some(self.b.ins().splat(ty, one))
            }
            Inst::LoadLane(v, lane, _) => {
                let v = self.get(*v);
                let one = self.b.ins().load(I32, flags, base, offset);
                Some(self.b.ins().insertlane(v, one, *lane))
            }
            Inst::LoadScalar(bytes, _) => Some(match bytes {
                1 => {
                    let ty = result_type.unwrap_or(I32);
                    self.b.ins().uload8(ty, flags, base, offset)
                }
                2 => {
                    let ty = result_type.unwrap_or(I32);
                    self.b.ins().uload16(ty, flags, base, offset)
                }
                4 if result_type == Some(I64) => self.b.ins().uload32(flags, base, offset),
                4 => self.b.ins().load(I32, flags, base, offset),
                _ => self.b.ins().load(I64, flags, base, offset),
            }),
            Inst::Store(v, _) | Inst::StoreScalar(v, _) => {
                let v = self.get(*v);
                self.b.ins().store(flags, v, base, offset);
                None
            }
            Inst::StoreLanes {
                value, lane, bytes, ..
            } => {
                let v = self.get(*value);
                let part = if *bytes == 4 {
                    let v = if *lane == 0 {
                        self.cast(v, F32X4)
                    } else {
                        self.cast(v, I32X4)
                    };
                    self.b.ins().extractlane(v, *lane)
                } else {
                    let v = self.cast(v, F64X2);
                    self.b.ins().extractlane(v, *lane / 2)
                };
                self.b.ins().store(flags, part, base, offset);
                None
            }
            Inst::Clear(count, _) => {
                self.clear(*count, base, offset);
                None
            }
            _ => None,
        };
        if let Some(value) = value {
            self.set_result(id, value);
        }
    }

    fn flags(&self, address: Address) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap();
        if address.memory == Memory::ReadOnly {
            flags.with_readonly()
        } else {
            flags
        }
    }

    /// Zeros `count` times 16 bytes: one by one, or in a loop where they are many.
    pub(super) fn clear(&mut self, count: u32, base: ir::Value, offset: i32) {
        const UNROLLED: u32 = 16;
        let zero = self.lanes([0; 4], I32X4);
        let flags = MemFlagsData::new().with_notrap().with_aligned();
        if count <= UNROLLED {
            for i in 0..count as i32 {
                self.b.ins().store(flags, zero, base, offset + 16 * i);
            }
            return;
        }
        let begin = self.b.ins().iadd_imm_s(base, i64::from(offset));
        let end = self.b.ins().iadd_imm_s(begin, 16 * i64::from(count));
        let (header, after) = (self.new_block(), self.new_block());
        let at = self.b.append_block_param(header, I64);
        self.b.ins().jump(header, &[BlockArg::Value(begin)]);
        self.b.switch_to_block(header);
        self.b.ins().store(flags, zero, at, 0);
        let next = self.b.ins().iadd_imm_s(at, 16);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b
            .ins()
            .brif(more, header, &[BlockArg::Value(next)], after, &[]);
        self.b.switch_to_block(after);
    }

    /// Addresses of rows of a constant buffer; see [`Inst::Rows`].
    fn rows(&mut self, id: InstId) {
        let f = self.f;
        let Inst::Rows {
            outside,
            addresses,
            base,
            size,
            arrays,
            begin: first,
            span,
            copy,
        } = f.inst(id)
        else {
            return;
        };
        let outside = self.condition(*outside);
        let [base, size, arrays] = [*base, *size, *arrays].map(|v| self.get(v));
        let addresses: SmallVec<[ir::Value; 4]> = addresses.iter().map(|&v| self.get(v)).collect();
        let (copied, after) = (self.new_block(), self.new_block());
        self.b.set_cold_block(copied);
        for &r in &f.insts[id.0 as usize].results {
            let param = self.b.append_block_param(after, clif_type(f.ty(r)));
            self.set(r, param);
        }
        let there = std::iter::once(base).chain(addresses.iter().copied());
        let there: Vec<BlockArg> = there.map(BlockArg::Value).collect();
        self.b.ins().brif(outside, copied, &[], after, &there);
        self.b.switch_to_block(copied);
        let at = self.b.ins().iadd_imm_s(arrays, i64::from(*copy));
        let flags = MemFlagsData::new().with_notrap();
        for (k, &addresses) in addresses.iter().enumerate() {
            self.b.ins().store(flags, addresses, at, 16 * k as i32);
        }
        let span = i64::from(*span);
        let copies = self.b.ins().iadd_imm_s(at, 16 * addresses.len() as i64);
        let zeros = self.zeros();
        self.count_up(None, 4 * addresses.len() as i64, |e, row| {
            let four = e.b.ins().imul_imm_s(row, 4);
            let address = e.b.ins().iadd(at, four);
            let begin = e.b.ins().load(I32, flags, address, 0);
            let bytes = e.b.ins().imul_imm_s(row, span);
            let to = e.b.ins().iadd(copies, bytes);
            e.count_up(None, span / 4, |e, word| {
                let offset = e.b.ins().imul_imm_s(word, 4);
                let low = e.b.ins().ireduce(I32, offset);
                let low = e.b.ins().iadd_imm_s(low, i64::from(*first as i32));
                let address = e.b.ins().iadd(begin, low);
                let address = e.b.ins().uextend(I64, address);
                let end = e.b.ins().iadd_imm_s(address, 4);
                let inside = e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, size);
                let from = e.b.ins().iadd(base, address);
                let from = e.b.ins().select(inside, from, zeros);
                let value = e.b.ins().load(I32, flags, from, 0);
                let to = e.b.ins().iadd(to, offset);
                e.b.ins().store(flags, value, to, 0);
            });
        });
        let copies = self.b.ins().iadd_imm_s(copies, -i64::from(*first));
        let mut here = vec![BlockArg::Value(copies)];
        for k in 0..addresses.len() as u32 {
            let lanes = [0, 1, 2, 3].map(|lane| (4 * k + lane) * span as u32);
            here.push(BlockArg::Value(self.lanes(lanes, I32X4)));
        }
        self.b.ins().jump(after, &here);
        self.b.switch_to_block(after);
    }

    /// Makes the floats at `base` plus the offsets in a table canonical, one by one.
    fn canonicalise(&mut self, table: u32, base: ir::Value) {
        let count = self.f.tables[table as usize].len() as i64;
        let offset = i64::from(self.tables[table as usize]);
        let table = self.b.ins().iadd_imm_s(self.bases.rodata, offset);
        self.count_up(None, count, |e, i| {
            let four = e.b.ins().imul_imm_s(i, 4);
            let entry = e.b.ins().iadd(table, four);
            let offset = e.b.ins().uload32(read_only(), entry, 0);
            let at = e.b.ins().iadd(base, offset);
            let flags = MemFlagsData::new().with_notrap();
            let bits = e.b.ins().load(I32, flags, at, 0);
            let magnitude = e.b.ins().band_imm_u(bits, 0x7FFF_FFFF);
            let nan =
                e.b.ins()
                    .icmp_imm_u(IntCC::UnsignedGreaterThan, magnitude, 0x7F80_0000);
            let canonical = e.b.ins().iconst(I32, i64::from(CANONICAL_NAN));
            let bits = e.b.ins().select(nan, canonical, bits);
            e.b.ins().store(flags, bits, at, 0);
        });
    }

    /// Leaves the kernel with `status` where `cond` is not zero.
    pub fn exit(&mut self, cond: ir::Value, status: u32) {
        let (leave, stay) = (self.new_block(), self.new_block());
        self.b.set_cold_block(leave);
        self.b.ins().brif(cond, leave, &[], stay, &[]);
        self.b.switch_to_block(leave);
        let status = self.b.ins().iconst(I32, i64::from(status));
        self.b.ins().return_(&[status]);
        self.b.switch_to_block(stay);
    }

    fn branch(&mut self, id: InstId, cond: Value, then: &Region, els: &Region) {
        let f = self.f;
        let cond = self.condition(cond);
        let blocks = [self.new_block(), self.new_block()];
        if self.is_rare(then) {
            self.b.set_cold_block(blocks[0]);
        }
        let after = self.new_block();
        for &r in &f.insts[id.0 as usize].results {
            let param = self.b.append_block_param(after, clif_type(f.ty(r)));
            self.set(r, param);
        }
        self.b.ins().brif(cond, blocks[0], &[], blocks[1], &[]);
        for (block, region) in blocks.into_iter().zip([then, els]) {
            self.b.switch_to_block(block);
            self.region(region);
            let yields = self.arguments(&region.yields);
            self.b.ins().jump(after, &yields);
        }
        self.b.switch_to_block(after);
    }

    /// NaNs to be made canonical are rare.
    fn is_rare(&self, region: &Region) -> bool {
        let mut insts = region.insts.iter().map(|&id| self.f.inst(id));
        insts.any(|inst| matches!(inst, Inst::Canonicalise { .. }))
    }

    fn repeat(&mut self, id: InstId, init: &[Value], body: &Region) {
        let f = self.f;
        let (header, after) = (self.new_block(), self.new_block());
        let init = self.arguments(init);
        self.b.ins().jump(header, &init);
        for &p in &body.params {
            let param = self.b.append_block_param(header, clif_type(f.ty(p)));
            self.set(p, param);
        }
        for &r in &f.insts[id.0 as usize].results {
            let param = self.b.append_block_param(after, clif_type(f.ty(r)));
            self.set(r, param);
        }
        self.b.switch_to_block(header);
        self.region(body);
        let Some((&again, carried)) = body.yields.split_first() else {
            return;
        };
        let again = self.condition(again);
        let carried = self.arguments(carried);
        self.b.ins().brif(again, header, &carried, after, &carried);
        self.b.switch_to_block(after);
    }

    fn arguments(&mut self, values: &[Value]) -> Vec<BlockArg> {
        values
            .iter()
            .map(|&v| BlockArg::Value(self.get(v)))
            .collect()
    }
}
