//! The loops around the stages: draw; views; instances; instances and views; groups of vertices; views of a group.
//!
//! Here alone the argument struct is read. Must not know what the stages compute.

use super::Frame;
use super::inst::{Bases, Emitter};
use crate::abi::{BlockStrides, InstanceStream, KernelArgs, Span, Status};
use crate::lir::{
    Extended, FixedConstants, Function, Input, Inst, InstData, Limit, Region, StageKind,
};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{self, AtomicRmwOp, BlockArg, InstBuilder, MemFlagsData};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashSet;
use std::mem::offset_of;

/// Iterations that are counted in the kernel before the draw's budget is touched.
const SPEND_BATCH: i64 = 1 << 16;

/// Values of the loops around a stage, as far as they are inside.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    /// I64: number of the enabled view.
    view: Option<ir::Value>,
    /// I32: instance.
    instance: Option<ir::Value>,
    /// I64: position.
    position: Option<ir::Value>,
}

/// Where scratch memory is divided, in bytes: view slots, arrays, the counter of iterations, the end. Shared slots
/// are at its beginning, spilled ones behind them.
pub fn scratch_layout(f: &Function) -> [usize; 4] {
    let views = 16 * (f.shared_slots + f.spilled_slots) as usize;
    let arrays = views + 4 * 16 * f.view_slots as usize;
    let spent = arrays + f.array_bytes as usize;
    [views, arrays, spent, spent + 16]
}

/// Where constant data and arguments are, before anything is emitted.
pub fn bases(
    b: &mut FunctionBuilder<'_>,
    f: &Function,
    args: ir::Value,
    rodata: ir::GlobalValue,
) -> Bases {
    let flags = MemFlagsData::trusted().with_readonly();
    let scratch = b
        .ins()
        .load(I64, flags, args, offset_of!(KernelArgs, scratch) as i32);
    let rodata = b.ins().symbol_value(I64, rodata);
    let [view_slots, arrays, spent, _] = scratch_layout(f).map(|n| n as i32);
    Bases {
        args,
        scratch,
        rodata,
        view_slots,
        arrays,
        spent,
    }
}

/// All inputs that a region and those inside it use.
fn inputs_of(f: &Function, region: &Region, found: &mut FxHashSet<Input>) {
    let mut regions = vec![region];
    while let Some(region) = regions.pop() {
        for &id in &region.insts {
            if let Inst::Input(input) = f.inst(id) {
                found.insert(*input);
            }
            regions.extend(f.inst(id).regions());
        }
    }
}

impl Emitter<'_, '_> {
    /// Emits the whole kernel and seals it.
    pub fn kernel(mut self, frame: Frame<'_>, config: TargetFrontendConfig) {
        self.prologue();
        for constants in &self.f.fixed {
            self.fixed_constants(constants);
        }
        for limit in &self.f.limits {
            self.limit(limit);
        }
        let outermost = Counters::default();
        self.stage(frame, StageKind::Draw, outermost);
        self.each_view(frame, StageKind::View, outermost);
        let has = |kind: StageKind| !self.f.stages[kind.index()].insts.is_empty();
        let groups = has(StageKind::Group) || has(StageKind::GroupView);
        let instances = has(StageKind::Instance)
            || has(StageKind::InstanceView)
            || (groups && frame.groups_per_instance);
        if instances {
            self.each_instance(frame, groups && frame.groups_per_instance);
        }
        if groups && !frame.groups_per_instance {
            let wanted = self.arg32(offset_of!(KernelArgs, store_vertex_rate));
            let (run, after) = (self.new_block(), self.new_block());
            self.b.ins().brif(wanted, run, &[], after, &[]);
            self.b.switch_to_block(run);
            self.each_group(frame, outermost);
            self.b.ins().jump(after, &[]);
            self.b.switch_to_block(after);
        }
        if self.counts_iterations() {
            let flags = MemFlagsData::trusted();
            let (scratch, at) = (self.bases.scratch, self.bases.spent);
            let spent = self.b.ins().load(I64, flags, scratch, at);
            self.settle(spent);
        }
        let done = self.b.ins().iconst(I32, i64::from(Status::Done as u32));
        self.b.ins().return_(&[done]);
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    fn trusted(&self) -> MemFlagsData {
        MemFlagsData::trusted().with_readonly()
    }

    fn arg32(&mut self, offset: usize) -> ir::Value {
        let flags = self.trusted();
        self.b
            .ins()
            .load(I32, flags, self.bases.args, offset as i32)
    }

    fn arg64(&mut self, offset: usize) -> ir::Value {
        let flags = self.trusted();
        self.b
            .ins()
            .load(I64, flags, self.bases.args, offset as i32)
    }

    /// Inputs that are the same for the whole call, and the counter of iterations.
    fn prologue(&mut self) {
        let mut used = FxHashSet::default();
        for stage in &self.f.stages {
            inputs_of(self.f, stage, &mut used);
        }
        let mut used: Vec<Input> = used.into_iter().collect();
        used.sort_unstable();
        for input in used {
            if let Some(value) = self.call_input(input) {
                self.inputs.insert(input, value);
            }
            if let Input::Stream { stream, .. } = input
                && !self.stream_bases.contains_key(&stream)
            {
                let flags = self.trusted();
                let streams = self.arg64(offset_of!(KernelArgs, vertex_streams));
                let base = self.b.ins().load(I64, flags, streams, 8 * stream as i32);
                self.stream_bases.insert(stream, base);
            }
        }
        if self.counts_iterations() {
            let zero = self.b.ins().iconst(I64, 0);
            let flags = MemFlagsData::trusted();
            self.b
                .ins()
                .store(flags, zero, self.bases.scratch, self.bases.spent);
        }
    }

    fn counts_iterations(&self) -> bool {
        let spends = |data: &InstData| matches!(data.inst, Inst::Spend(_));
        self.f.insts.iter().any(spends)
    }

    /// An input that does not change during the call.
    fn call_input(&mut self, input: Input) -> Option<ir::Value> {
        let flags = self.trusted();
        Some(match input {
            Input::FirstVertexId => self.arg32(offset_of!(KernelArgs, first_vertex_id)),
            Input::StartVertex => self.arg32(offset_of!(KernelArgs, start_vertex)),
            Input::StartInstance => self.arg32(offset_of!(KernelArgs, start_instance)),
            Input::LoopLimit => self.arg32(offset_of!(KernelArgs, loop_limit)),
            Input::Arrays => {
                let offset = i64::from(self.bases.arrays);
                self.b.ins().iadd_imm_s(self.bases.scratch, offset)
            }
            Input::Zeros => self.zeros(),
            Input::Table(t) => {
                let offset = self.tables[t as usize];
                self.b
                    .ins()
                    .iadd_imm_s(self.bases.rodata, i64::from(offset))
            }
            Input::ConstantSize(c) => self.span(c).1,
            Input::Extended(c) => {
                let extended = self.f.extended.iter().find(|e| e.buffer == c)?;
                self.extended(extended)
            }
            Input::ConstantBase(c) => {
                let (base, size) = self.span(c);
                let zeros = self.zeros();
                let small = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, size, 4);
                self.b.ins().select(small, zeros, base)
            }
            Input::InstanceBase(s) | Input::InstanceOffset(s) | Input::InstanceEnd(s) => {
                let streams = self.arg64(offset_of!(KernelArgs, instance_streams));
                let at = s as usize * size_of::<InstanceStream>();
                let (ty, field) = match input {
                    Input::InstanceBase(_) => (I64, offset_of!(InstanceStream, base)),
                    Input::InstanceOffset(_) => (I32, offset_of!(InstanceStream, offset)),
                    _ => (I32, offset_of!(InstanceStream, end)),
                };
                self.b.ins().load(ty, flags, streams, (at + field) as i32)
            }
            _ => return None,
        })
    }

    /// The address of sixteen zero bytes.
    pub(super) fn zeros(&mut self) -> ir::Value {
        let offset = self.rodata.vector([0; 4]);
        self.b
            .ins()
            .iadd_imm_s(self.bases.rodata, i64::from(offset))
    }

    /// Base and size of a constant buffer.
    fn span(&mut self, buffer: u32) -> (ir::Value, ir::Value) {
        let flags = self.trusted();
        let spans = self.arg64(offset_of!(KernelArgs, constants));
        let at = buffer as usize * size_of::<Span>();
        let base = self
            .b
            .ins()
            .load(I64, flags, spans, (at + offset_of!(Span, base)) as i32);
        let size = self
            .b
            .ins()
            .load(I64, flags, spans, (at + offset_of!(Span, size)) as i32);
        (base, size)
    }

    /// Fills the slots of constants at fixed addresses, in a loop over a table of the addresses. What is not wholly
    /// inside the buffer is zero.
    fn fixed_constants(&mut self, constants: &FixedConstants) {
        let (base, size) = self.span(constants.buffer);
        let zeros = self.zeros();
        let table = self.rodata.table(&constants.addresses);
        let table = self.b.ins().iadd_imm_s(self.bases.rodata, i64::from(table));
        let slots = self
            .b
            .ins()
            .iadd_imm_s(self.bases.scratch, 16 * i64::from(constants.first_slot));
        let count = constants.addresses.len() as i64;
        let flags = self.trusted();
        self.count_up(None, count, |e, i| {
            let four = e.b.ins().imul_imm_s(i, 4);
            let entry = e.b.ins().iadd(table, four);
            let address = e.b.ins().uload32(flags, entry, 0);
            let end = e.b.ins().iadd_imm_s(address, 4);
            let inside = e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, size);
            let there = e.b.ins().iadd(base, address);
            let from = e.b.ins().select(inside, there, zeros);
            let from_flags = MemFlagsData::new().with_notrap().with_readonly();
            let word = e.b.ins().load(I32, from_flags, from, 0);
            let vector = e.b.ins().splat(I32X4, word);
            let sixteen = e.b.ins().imul_imm_s(i, 16);
            let slot = e.b.ins().iadd(slots, sixteen);
            e.b.ins().store(MemFlagsData::trusted(), vector, slot, 0);
        });
    }

    /// The first byte of a constant buffer behind which zeros can be read.
    fn extended(&mut self, extended: &Extended) -> ir::Value {
        let (base, size) = self.span(extended.buffer);
        let bytes = i64::from(extended.bytes);
        let (copied, after) = (self.new_block(), self.new_block());
        let found = self.b.append_block_param(after, I64);
        let large = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, size, bytes);
        let there = [BlockArg::Value(base)];
        self.b.ins().brif(large, after, &there, copied, &[]);
        self.b.switch_to_block(copied);
        let at = i64::from(self.bases.arrays) + i64::from(extended.copy);
        let copy = self.b.ins().iadd_imm_s(self.bases.scratch, at);
        self.clear(extended.bytes / 16, copy, 0);
        let flags = MemFlagsData::new().with_notrap();
        let words = self.b.ins().ushr_imm_u(size, 2);
        self.count_up(Some(words), 0, |e, i| {
            let four = e.b.ins().imul_imm_s(i, 4);
            let from = e.b.ins().iadd(base, four);
            let word = e.b.ins().load(I32, flags, from, 0);
            let to = e.b.ins().iadd(copy, four);
            e.b.ins().store(flags, word, to, 0);
        });
        self.b.ins().jump(after, &[BlockArg::Value(copy)]);
        self.b.switch_to_block(after);
        found
    }

    /// Fills the slot of a [`Limit`].
    fn limit(&mut self, limit: &Limit) {
        let (_, size) = self.span(limit.buffer);
        let bytes = i64::from(limit.bytes);
        let count = self.b.ins().iadd_imm_s(size, 1 - bytes);
        let holds = self
            .b
            .ins()
            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
        let zero = self.b.ins().iconst(I64, 0);
        let count = self.b.ins().select(holds, count, zero);
        let count = self.b.ins().ireduce(I32, count);
        let vector = self.b.ins().splat(I32X4, count);
        let offset = 16 * limit.slot as i32;
        let flags = MemFlagsData::trusted();
        self.b
            .ins()
            .store(flags, vector, self.bases.scratch, offset);
    }

    /// Runs `body` for 0, 1, … below `count` (or `fixed`, which is at least one).
    pub(super) fn count_up(
        &mut self,
        count: Option<ir::Value>,
        fixed: i64,
        body: impl FnOnce(&mut Self, ir::Value),
    ) {
        let (header, after) = (self.new_block(), self.new_block());
        let i = self.b.append_block_param(header, I64);
        let zero = self.b.ins().iconst(I64, 0);
        match count {
            Some(count) => self
                .b
                .ins()
                .brif(count, header, &[BlockArg::Value(zero)], after, &[]),
            None => self.b.ins().jump(header, &[BlockArg::Value(zero)]),
        };
        self.b.switch_to_block(header);
        body(self, i);
        let next = self.b.ins().iadd_imm_s(i, 1);
        let more = match count {
            Some(count) => self.b.ins().icmp(IntCC::UnsignedLessThan, next, count),
            None => self
                .b
                .ins()
                .icmp_imm_u(IntCC::UnsignedLessThan, next, fixed),
        };
        self.b
            .ins()
            .brif(more, header, &[BlockArg::Value(next)], after, &[]);
        self.b.switch_to_block(after);
    }

    /// Emits a stage where the counters stand.
    fn stage(&mut self, frame: Frame<'_>, kind: StageKind, counters: Counters) {
        let f = self.f;
        let region = &f.stages[kind.index()];
        let mut used = FxHashSet::default();
        inputs_of(f, region, &mut used);
        let mut used: Vec<Input> = used.into_iter().collect();
        used.sort_unstable();
        for input in used {
            if let Some(value) = self.stage_input(frame, input, counters) {
                self.inputs.insert(input, value);
            }
        }
        self.region(region);
    }

    /// An input that changes between the runs of a stage.
    fn stage_input(
        &mut self,
        frame: Frame<'_>,
        input: Input,
        counters: Counters,
    ) -> Option<ir::Value> {
        let flags = self.trusted();
        Some(match input {
            Input::Position => {
                let position = counters.position?;
                self.b.ins().ireduce(I32, position)
            }
            Input::Instance => counters.instance?,
            Input::StoreVertexRate => self.store_vertex_rate(counters),
            Input::View => {
                let four = self.b.ins().imul_imm_s(counters.view?, 4);
                let at = self.b.ins().iadd(self.bases.args, four);
                self.b
                    .ins()
                    .load(I32, flags, at, offset_of!(KernelArgs, views) as i32)
            }
            Input::Ids => {
                let ids = self.arg64(offset_of!(KernelArgs, ids));
                self.element(ids, counters.position?, 4)
            }
            Input::Stream { stream, lane } => {
                if let Some(&first) = self.group_streams.get(&stream) {
                    return Some(first);
                }
                let base = self.stream_bases[&stream];
                let stride = i64::from(frame.streams[stream as usize].stride);
                let fetch = self.arg64(offset_of!(KernelArgs, fetch));
                let at = self.element(fetch, counters.position?, 4);
                let vertex = self.b.ins().uload32(flags, at, 4 * lane as i32);
                self.element(base, vertex, stride)
            }
            Input::Row(block) if counters.position.is_some() => self.group_row(block, counters)?,
            Input::Row(block) => self.row(frame, block, counters),
            _ => return None,
        })
    }

    /// `base + index * size`, of I64.
    fn element(&mut self, base: ir::Value, index: ir::Value, size: i64) -> ir::Value {
        let bytes = self.b.ins().imul_imm_s(index, size);
        self.b.ins().iadd(base, bytes)
    }

    /// The first instance of the call, if the caller wants what varies with vertices only.
    fn store_vertex_rate(&mut self, counters: Counters) -> ir::Value {
        let wanted = self.arg32(offset_of!(KernelArgs, store_vertex_rate));
        let Some(instance) = counters.instance else {
            return wanted;
        };
        let begin = self.arg32(offset_of!(KernelArgs, instance_begin));
        let first = self.b.ins().icmp(IntCC::Equal, instance, begin);
        let zero = self.b.ins().iconst(I32, 0);
        self.b.ins().select(first, wanted, zero)
    }

    /// Address of a block's row (see [`crate::kernel::OutputBlock`]) outside of groups.
    fn row(&mut self, frame: Frame<'_>, block: u32, counters: Counters) -> ir::Value {
        let (base, view_bytes) = self.block_of_instance(frame, block, counters);
        match (counters.view, view_bytes) {
            (Some(view), Some(bytes)) => {
                let offset = self.b.ins().imul(view, bytes);
                self.b.ins().iadd(base, offset)
            }
            _ => base,
        }
    }

    /// The same inside, from what was computed before the loop over groups.
    fn group_row(&mut self, block: u32, counters: Counters) -> Option<ir::Value> {
        let (mut row, view_bytes) = *self.group_blocks.get(&block)?;
        if let (Some(view), Some(bytes)) = (counters.view, view_bytes) {
            let offset = self.b.ins().imul(view, bytes);
            row = self.b.ins().iadd(row, offset);
        }
        Some(row)
    }

    /// The first row of a block for an instance and the first view, and the bytes between views where it varies with
    /// those.
    fn block_of_instance(
        &mut self,
        frame: Frame<'_>,
        block: u32,
        counters: Counters,
    ) -> (ir::Value, Option<ir::Value>) {
        let flags = self.trusted();
        let rate = frame.blocks[block as usize].rate;
        let blocks = self.arg64(offset_of!(KernelArgs, outputs));
        let mut base = self.b.ins().load(I64, flags, blocks, 8 * block as i32);
        let strides = self.arg64(offset_of!(KernelArgs, output_strides));
        let stride = |e: &mut Self, field: usize| {
            let at = block as usize * size_of::<BlockStrides>() + field;
            e.b.ins().load(I64, flags, strides, at as i32)
        };
        if let Some(instance) = counters.instance.filter(|_| rate.instance) {
            let bytes = stride(self, offset_of!(BlockStrides, instance));
            let instance = self.b.ins().uextend(I64, instance);
            let offset = self.b.ins().imul(instance, bytes);
            base = self.b.ins().iadd(base, offset);
        }
        let view = rate
            .view
            .then(|| stride(self, offset_of!(BlockStrides, view)));
        (base, view)
    }

    fn each_view(&mut self, frame: Frame<'_>, kind: StageKind, counters: Counters) {
        if self.f.stages[kind.index()].insts.is_empty() {
            return;
        }
        let count = self.arg32(offset_of!(KernelArgs, view_count));
        let count = self.b.ins().uextend(I64, count);
        self.count_up(Some(count), 0, |e, view| {
            let bytes = e.b.ins().imul_imm_s(view, 16 * i64::from(e.f.view_slots));
            let at = e.b.ins().iadd(e.bases.scratch, bytes);
            let at = e.b.ins().iadd_imm_s(at, i64::from(e.bases.view_slots));
            e.view_scratch = Some(at);
            let view = Some(view);
            e.stage(frame, kind, Counters { view, ..counters });
        });
    }

    fn each_instance(&mut self, frame: Frame<'_>, groups: bool) {
        let begin = self.arg32(offset_of!(KernelArgs, instance_begin));
        let end = self.arg32(offset_of!(KernelArgs, instance_end));
        let (header, after) = (self.new_block(), self.new_block());
        let instance = self.b.append_block_param(header, I32);
        let any = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
        self.b
            .ins()
            .brif(any, header, &[BlockArg::Value(begin)], after, &[]);
        self.b.switch_to_block(header);
        let counters = Counters {
            instance: Some(instance),
            ..Counters::default()
        };
        self.stage(frame, StageKind::Instance, counters);
        self.each_view(frame, StageKind::InstanceView, counters);
        if groups {
            self.each_group(frame, counters);
        }
        let next = self.b.ins().iadd_imm_s(instance, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b
            .ins()
            .brif(more, header, &[BlockArg::Value(next)], after, &[]);
        self.b.switch_to_block(after);
    }

    /// Groups of vertices; the last one is moved back so that it ends with the last vertex.
    fn each_group(&mut self, frame: Frame<'_>, counters: Counters) {
        let mut used = FxHashSet::default();
        for kind in [StageKind::Group, StageKind::GroupView] {
            inputs_of(self.f, &self.f.stages[kind.index()], &mut used);
        }
        let begin = self.arg32(offset_of!(KernelArgs, vertex_begin));
        let begin = self.b.ins().uextend(I64, begin);
        let end = self.arg32(offset_of!(KernelArgs, vertex_end));
        let end = self.b.ins().uextend(I64, end);
        let group = i64::from(self.f.group());
        let last = self.b.ins().iadd_imm_s(end, -group);
        let asking = (frame.gathered && !frame.streams.is_empty()).then(|| self.asking());
        // The position, and pointers that go with it.
        let mut at = vec![BlockArg::Value(begin)];
        let mut strides = Vec::new();
        let (header, after) = (self.new_block(), self.new_block());
        let position = self.b.append_block_param(header, I64);
        for block in 0..frame.blocks.len() as u32 {
            if !used.contains(&Input::Row(block)) {
                continue;
            }
            let (mut row, view_bytes) = self.block_of_instance(frame, block, counters);
            if frame.blocks[block as usize].rate.vertex {
                let stride = i64::from(frame.blocks[block as usize].stride);
                at.push(BlockArg::Value(self.element(row, begin, stride)));
                strides.push(stride);
                row = self.b.append_block_param(header, I64);
            }
            self.group_blocks.insert(block, (row, view_bytes));
        }
        for (stream, info) in frame.streams.iter().enumerate().filter(|_| !frame.gathered) {
            let stream = stream as u32;
            if let Some(&base) = self.stream_bases.get(&stream) {
                let stride = i64::from(info.stride);
                at.push(BlockArg::Value(self.element(base, begin, stride)));
                strides.push(stride);
                let first = self.b.append_block_param(header, I64);
                self.group_streams.insert(stream, first);
            }
        }
        self.b.ins().jump(header, &at);
        self.b.switch_to_block(header);
        if let Some(asking) = asking {
            self.ask_ahead(asking, begin, position);
        }
        let counters = Counters {
            position: Some(position),
            ..counters
        };
        self.stage(frame, StageKind::Group, counters);
        self.each_view(frame, StageKind::GroupView, counters);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, position, last);
        let latch = self.new_block();
        self.b.ins().brif(more, latch, &[], after, &[]);
        self.b.switch_to_block(latch);
        let next = self.b.ins().iadd_imm_s(position, group);
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, next, last);
        let next = self.b.ins().select(over, last, next);
        let step = self.b.ins().isub(next, position);
        let params = self.b.block_params(header)[1..].to_vec();
        let mut at = vec![BlockArg::Value(next)];
        for (pointer, stride) in params.into_iter().zip(strides) {
            at.push(BlockArg::Value(self.element(pointer, step, stride)));
        }
        self.b.ins().jump(header, &at);
        self.b.switch_to_block(after);
    }

    /// Counts iterations; now and then takes them from the budget and looks whether to stop.
    pub(super) fn spend(&mut self, count: ir::Value) {
        let flags = MemFlagsData::trusted();
        let (scratch, at) = (self.bases.scratch, self.bases.spent);
        let count = self.b.ins().uextend(I64, count);
        let before = self.b.ins().load(I64, flags, scratch, at);
        let spent = self.b.ins().iadd(before, count);
        self.b.ins().store(flags, spent, scratch, at);
        let (settle, after) = (self.new_block(), self.new_block());
        self.b.set_cold_block(settle);
        let much = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, spent, SPEND_BATCH);
        self.b.ins().brif(much, settle, &[], after, &[]);
        self.b.switch_to_block(settle);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().store(flags, zero, scratch, at);
        self.settle(spent);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }

    /// Takes iterations from the draw's budget; leaves the kernel if it is used up or the draw is cancelled.
    fn settle(&mut self, spent: ir::Value) {
        let flags = MemFlagsData::trusted();
        let budget = self.arg64(offset_of!(KernelArgs, budget));
        let left = self
            .b
            .ins()
            .atomic_rmw(I64, flags, AtomicRmwOp::Sub, budget, spent);
        let gone = self.b.ins().icmp(IntCC::SignedLessThan, left, spent);
        self.exit(gone, Status::Stopped as u32);
        let cancel = self.arg64(offset_of!(KernelArgs, cancel));
        let cancel = self.b.ins().atomic_load(I32, flags, cancel);
        self.exit(cancel, Status::Stopped as u32);
    }
}
