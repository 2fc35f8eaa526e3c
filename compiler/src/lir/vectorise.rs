//! From staged Kir to Lir: one vertex to groups of four or eight.
//!
//! A value that varies with the vertex becomes one vector per chain; any other one vector with equal lanes. What an
//! outer stage computes and an inner one uses goes through a slot. Loads, stores, constants and control flow are in
//! files of their own. Must not know Cranelift.

use super::build::Builder;
use super::gather::Gathers;
use super::op::Op as L;
use super::{Function, Input, Inst as LInst, Slot, StageKind, Type, Value as LValue, outputs};
use crate::kernel::{OutputMap, Rate, RowLayout, StreamInfo};
use crate::kir::{Inst, InstId, Region, Source, Value};
use crate::stage::Staged;
use fuseline_numerics::op::{Kind, Op};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// A vertex or instance element as far as loading it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Vertex buffer slot.
    pub slot: u32,
    /// Bytes from the start of a vertex.
    pub offset: u32,
    /// Bytes between vertices.
    pub stride: u32,
    /// Bytes of the element.
    pub bytes: u32,
    /// Per-instance data: its step rate.
    pub step_rate: Option<u32>,
    /// It has a stream of its own.
    pub own_stream: bool,
}

/// What a kernel is planned from.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// What happens to a vertex.
    pub staged: &'a Staged,
    /// By layout element, as `Source::Word` numbers them; None where nothing is bound.
    pub elements: &'a [Option<Element>],
    /// Number of components of each output element.
    pub outputs: &'a [u8],
    /// Positions find their vertices through `KernelArgs::fetch`.
    pub gathered: bool,
    /// Which blocks the outputs are stored in.
    pub rows: &'a RowLayout,
    /// Vectors in a group: 1 or 2.
    pub chains: u32,
    /// The machine has a fused multiply-add.
    pub fma: bool,
    /// The machine is an x86-64.
    pub x86: bool,
    /// Denormals flush.
    pub flush: bool,
}

/// A planned kernel.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What it does.
    pub function: Function,
    /// Vertex streams.
    pub streams: Vec<StreamInfo>,
    /// Slots of the per-instance streams.
    pub instance_slots: Vec<u32>,
    /// Where results go.
    pub outputs: OutputMap,
    /// Groups of vertices must be shaded for each instance.
    pub groups_per_instance: bool,
    /// It reads SV_ViewID, or stores rows for each view.
    pub reads_view: bool,
}

/// A Kir value in lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// One vector with equal lanes.
    Uniform(LValue),
    /// One vector for each chain.
    Each(SmallVec<[LValue; 2]>),
}

/// Which lanes are running: one mask per chain; None: all.
pub(super) type Mask = Option<SmallVec<[LValue; 2]>>;

/// The state of planning.
pub(super) struct Vectoriser<'a> {
    pub plan: Plan<'a>,
    pub b: Builder,
    /// Values known in the stage.
    pub env: FxHashMap<Value, Lanes>,
    /// Where values that inner stages use are kept.
    slots: FxHashMap<Value, Slot>,
    /// Which Kir values anything uses.
    used: Vec<bool>,
    /// Which Kir values are needed in lanes.
    pub computed: Vec<bool>,
    /// The defining instruction of each Kir value.
    pub defs: Vec<Option<InstId>>,
    pub kind: StageKind,
    pub streams: Vec<StreamInfo>,
    pub instance_slots: Vec<u32>,
    pub output_map: OutputMap,
    /// Byte offsets, in scratch memory behind the slots, of local arrays.
    pub arrays: Vec<u32>,
    /// Words of vertex elements, loaded at the start of the group.
    pub words: FxHashMap<(u32, u8, u8), Lanes>,
    /// Constants read at varying addresses.
    pub gathers: Gathers,
}

/// The stage in which instructions of a rate run.
pub(super) fn stage_kind(rate: Rate) -> StageKind {
    match (rate.vertex, rate.instance, rate.view) {
        (true, _, false) => StageKind::Group,
        (true, _, true) => StageKind::GroupView,
        (false, false, false) => StageKind::Draw,
        (false, false, true) => StageKind::View,
        (false, true, false) => StageKind::Instance,
        (false, true, true) => StageKind::InstanceView,
    }
}

/// Plans a kernel.
pub fn vectorise(plan: Plan<'_>) -> Planned {
    let staged = plan.staged;
    let output_map = outputs::plan(staged, plan.outputs, plan.rows);
    let stages = staged.stages.iter().map(|s| s.rate);
    let rates = || {
        stages
            .clone()
            .chain(output_map.blocks.iter().map(|b| b.rate))
    };
    let reads_view = rates().any(|rate| rate.view);
    let groups_per_instance = rates().any(|rate| rate.instance && rate.vertex);
    let room = 2 * staged.function.insts.len() * plan.chains as usize;
    let mut v = Vectoriser {
        plan,
        b: Builder::new(room, plan.chains, plan.fma, plan.x86, plan.flush),
        env: FxHashMap::default(),
        slots: FxHashMap::default(),
        used: vec![false; staged.function.kinds.len()],
        computed: vec![false; staged.function.kinds.len()],
        defs: staged.function.definitions(),
        kind: StageKind::Draw,
        streams: Vec::new(),
        instance_slots: Vec::new(),
        output_map,
        arrays: Vec::new(),
        words: FxHashMap::default(),
        gathers: Gathers::default(),
    };
    v.b.function().tables = staged.function.tables.clone();
    v.find_computed();
    v.assign_slots();
    v.assign_arrays();
    for kind in StageKind::ALL {
        v.stage(kind, groups_per_instance);
    }
    v.place_copies();
    Planned {
        function: v.b.finish(),
        streams: v.streams,
        instance_slots: v.instance_slots,
        outputs: v.output_map,
        groups_per_instance,
        reads_view,
    }
}

impl<'a> Vectoriser<'a> {
    /// Gives every value that another stage than its own uses a slot. Constants are known everywhere; constants of
    /// buffers at fixed addresses are filled in before any stage.
    fn assign_slots(&mut self) {
        let staged = self.plan.staged;
        let mut home: FxHashMap<Value, StageKind> = FxHashMap::default();
        for stage in &staged.stages {
            let kind = stage_kind(stage.rate);
            let mut uses = Vec::new();
            for id in &stage.region.insts {
                let data = &staged.function.insts[id.index()];
                home.extend(data.results.iter().map(|&r| (r, kind)));
                all_operands(staged, *id, &mut uses);
            }
            for used in uses {
                self.used[used.index()] = true;
                let Some(&from) = home.get(&used) else {
                    continue;
                };
                if from != kind && !from.is_group() && !self.is_known_everywhere(used) {
                    self.slot_for(used, from);
                }
            }
        }
        // Outputs are stored by the stage of their block, which may be further in.
        for kind in StageKind::ALL {
            for (_, _, value) in self.stores_of(kind) {
                if let Some(&from) = home.get(&value)
                    && from != kind
                    && !from.is_group()
                    && !self.is_known_everywhere(value)
                {
                    self.slot_for(value, from);
                }
            }
        }
    }

    fn slot_for(&mut self, value: Value, from: StageKind) {
        if self.slots.contains_key(&value) {
            return;
        }
        let f = self.b.function();
        let slot = if from.is_view() {
            f.view_slots += 1;
            Slot::PerView(f.view_slots - 1)
        } else {
            f.shared_slots += 1;
            Slot::Shared(f.shared_slots - 1)
        };
        self.slots.insert(value, slot);
    }

    /// Whether anything uses a value.
    pub fn is_used(&self, value: Value) -> bool {
        self.used[value.index()]
    }

    pub fn definition(&self, value: Value) -> Option<&'a Inst> {
        let id = self.defs.get(value.index()).copied().flatten()?;
        Some(&self.plan.staged.function.insts[id.index()].inst)
    }

    fn is_known_everywhere(&self, value: Value) -> bool {
        matches!(
            self.definition(value),
            Some(Inst::Constant(_) | Inst::ConstantLoad { address: None, .. })
        )
    }

    /// All instructions of Kir that belong to a stage of Lir, and the stage itself.
    fn stage(&mut self, kind: StageKind, groups_per_instance: bool) {
        self.kind = kind;
        if kind != StageKind::GroupView {
            self.env.clear();
        }
        self.b.open(&[]);
        let staged = self.plan.staged;
        let stages = staged.stages.iter().filter(|s| stage_kind(s.rate) == kind);
        if kind == StageKind::Group {
            self.load_words();
        }
        for stage in stages {
            self.clear_arrays(&stage.region);
            self.find_gathers(&stage.region.insts);
            for &id in &stage.region.insts {
                match &staged.function.insts[id.index()].inst {
                    Inst::Store { .. } => {}
                    _ => self.inst(id, &None),
                }
            }
        }
        let stores = self.stores_of(kind);
        self.store(&stores, groups_per_instance);
        if kind == StageKind::Group {
            let later = staged.stages.iter();
            let later = later.filter(|s| stage_kind(s.rate) == StageKind::GroupView);
            for id in later.flat_map(|s| &s.region.insts) {
                self.gather_for(*id);
            }
        }
        let region = self.b.close(Vec::new());
        self.b.function().stages[kind.index()] = region;
    }

    /// What a stage stores: the components whose blocks have its rate, by element, component and value.
    fn stores_of(&self, kind: StageKind) -> Vec<(u32, u8, Value)> {
        let staged = self.plan.staged;
        let insts = staged.stages.iter().flat_map(|s| &s.region.insts);
        let stores = insts.filter_map(|id| match staged.function.insts[id.index()].inst {
            Inst::Store {
                element,
                component,
                value,
            } => Some((element, component, value)),
            _ => None,
        });
        let map = &self.output_map;
        let here = |&(element, component, _): &(u32, u8, Value)| {
            let places = map.places.get(element as usize);
            let place = places.and_then(|e| e.get(usize::from(component)));
            let block = place.and_then(|place| map.blocks.get(place.block as usize));
            block.is_some_and(|block| stage_kind(block.rate) == kind)
        };
        stores.filter(here).collect()
    }

    /// The chains of a stage: only groups of vertices have more than one.
    pub fn chains(&self) -> usize {
        if self.kind.is_group() {
            self.plan.chains as usize
        } else {
            1
        }
    }

    /// Whether the lanes of a value may differ here.
    pub fn varies(&self, value: Value) -> bool {
        self.kind.is_group() && self.plan.staged.rates[value.index()].vertex
    }

    /// A value's lanes.
    pub fn lanes(&mut self, value: Value) -> Lanes {
        if let Some(known) = self.env.get(&value) {
            return known.clone();
        }
        if let Some(gathered) = self.gathered(value) {
            return gathered;
        }
        let ty = self.ty(value);
        let made = match (self.definition(value), self.slots.get(&value)) {
            (Some(&Inst::Constant(bits)), _) => self.constant(value, bits),
            (
                Some(&Inst::ConstantLoad {
                    buffer,
                    address: None,
                    offset,
                }),
                _,
            ) => {
                let slot = self.fixed_constant(buffer, offset);
                self.b.kept(slot, ty)
            }
            (_, Some(&slot)) => self.b.kept(slot, ty),
            // Kir's verifier finds uses before definitions.
            _ => self.constant(value, 0),
        };
        Lanes::Uniform(made)
    }

    /// The vector of a value for one chain.
    pub fn get(&mut self, value: Value, chain: usize) -> LValue {
        match self.lanes(value) {
            Lanes::Uniform(v) => v,
            Lanes::Each(vs) => vs[chain],
        }
    }

    fn constant(&mut self, value: Value, bits: u32) -> LValue {
        match self.plan.staged.function.kinds[value.index()] {
            Kind::F32 => self.b.float(bits),
            Kind::I32 => self.b.int(bits),
            Kind::Bool => self.b.int(if bits != 0 { u32::MAX } else { 0 }),
        }
    }

    /// The vector type of a value.
    pub fn ty(&self, value: Value) -> Type {
        match self.plan.staged.function.kinds[value.index()] {
            Kind::F32 => Type::F32X4,
            Kind::I32 | Kind::Bool => Type::I32X4,
        }
    }

    /// Makes `make(chain)` the value of `result`: once, or for each chain.
    pub fn define(&mut self, result: Value, mut make: impl FnMut(&mut Self, usize) -> LValue) {
        let lanes = if self.varies(result) {
            Lanes::Each((0..self.chains()).map(|chain| make(self, chain)).collect())
        } else {
            Lanes::Uniform(make(self, 0))
        };
        self.bind(result, lanes);
    }

    /// Binds a value, and keeps it where inner stages need it.
    pub fn bind(&mut self, result: Value, lanes: Lanes) {
        if let (Lanes::Uniform(v), Some(&slot)) = (&lanes, self.slots.get(&result)) {
            self.b.keep(slot, *v);
        }
        self.env.insert(result, lanes);
    }

    /// A region's instructions.
    pub fn region(&mut self, region: &Region, mask: &Mask) {
        self.find_gathers(&region.insts);
        for &id in &region.insts {
            self.inst(id, mask);
        }
    }

    fn inst(&mut self, id: InstId, mask: &Mask) {
        let staged = self.plan.staged;
        let data = &staged.function.insts[id.index()];
        let result = data.results.first().copied();
        if !matches!(data.inst, Inst::If { .. } | Inst::Loop { .. }) {
            if result.is_some_and(|r| self.gathers.holds(r)) {
                return;
            }
        } else {
            self.gather_for(id);
        }
        match (&data.inst, result) {
            (Inst::Op(Op::Canon, _), Some(result)) if self.deferred_canon(result).is_some() => {}
            (Inst::Op(op, args), Some(result)) => {
                let uniform = !self.varies(result);
                self.define(result, |v, chain| {
                    let args: SmallVec<[LValue; 3]> =
                        args.iter().map(|&a| v.get(a, chain)).collect();
                    v.b.numeric(*op, &args, uniform)
                });
            }
            (Inst::Read(source), Some(result)) => self.read(result, *source),
            (
                Inst::ConstantLoad {
                    buffer,
                    address: Some(address),
                    offset,
                },
                Some(result),
            ) => self.constant_load(result, *buffer, *address, *offset),
            (Inst::TableLoad { table, index }, Some(result)) => {
                self.table_load(result, *table, *index);
            }
            (Inst::ArrayLoad { array, index }, Some(result)) => {
                self.array_load(result, *array, *index);
            }
            (
                Inst::ArrayStore {
                    array,
                    index,
                    value,
                },
                _,
            ) => self.array_store(*array, *index, *value, mask),
            (
                Inst::If {
                    cond, then, els, ..
                },
                _,
            ) => self.branch(&data.results, *cond, then, els, mask),
            (Inst::Loop { init, body, bound }, _) => {
                self.repeat(&data.results, init, body, bound.is_none(), mask);
            }
            // Constants are made where they are used; outputs are stored at the end of the stage.
            _ => {}
        }
    }

    /// Makes the parts of quads that an instruction uses, those inside it included, here and now.
    fn gather_for(&mut self, id: InstId) {
        let mut uses = Vec::new();
        all_operands(self.plan.staged, id, &mut uses);
        for v in uses {
            if self.gathers.holds(v) {
                self.lanes(v);
            }
        }
    }

    fn read(&mut self, result: Value, source: Source) {
        match source {
            Source::Word {
                element,
                byte,
                width,
            } => {
                let per_instance = self.element(element).is_some_and(|e| e.step_rate.is_some());
                let lanes = match self.words.get(&(element, byte, width)) {
                    Some(lanes) => lanes.clone(),
                    None if per_instance => {
                        Lanes::Uniform(self.instance_word(element, byte, width))
                    }
                    None => Lanes::Uniform(self.b.int(0)),
                };
                self.bind(result, lanes);
            }
            Source::VertexId => self.define(result, |v, chain| v.vertex_id(chain)),
            Source::InstanceId => self.splat_input(result, Input::Instance),
            Source::ViewId => self.splat_input(result, Input::View),
            Source::StartVertex => self.splat_input(result, Input::StartVertex),
            Source::StartInstance => self.splat_input(result, Input::StartInstance),
            // Gone after fusing.
            Source::Input { .. } => {
                let zero = self.constant(result, 0);
                self.bind(result, Lanes::Uniform(zero));
            }
        }
    }

    /// A layout element that something is bound to.
    pub fn element(&self, element: u32) -> Option<Element> {
        self.plan.elements.get(element as usize).copied().flatten()
    }

    fn splat_input(&mut self, result: Value, input: Input) {
        let scalar = self.b.input(input);
        let vector = self.b.op1(L::Splat, scalar);
        self.bind(result, Lanes::Uniform(vector));
    }

    fn vertex_id(&mut self, chain: usize) -> LValue {
        if self.plan.gathered {
            let ids = self.b.input(Input::Ids);
            let address = self.b.at(ids, 16 * chain as i32);
            return self.b.push(LInst::Load(address), Type::I32X4);
        }
        let first = self.b.input(Input::FirstVertexId);
        let position = self.b.input(Input::Position);
        let id = self.b.op2(L::Add, first, position);
        let id = self.b.op1(L::Splat, id);
        let lane = 4 * chain as u32;
        let steps = [lane, lane + 1, lane + 2, lane + 3];
        let steps = self.b.push(LInst::Lanes(steps), Type::I32X4);
        self.b.op2(L::IAdd, id, steps)
    }

    /// The same vector for each chain, where lanes are wanted per chain.
    pub fn each(&mut self, value: Value) -> SmallVec<[LValue; 2]> {
        match self.lanes(value) {
            Lanes::Uniform(v) => smallvec![v; self.chains()],
            Lanes::Each(vs) => vs,
        }
    }
}

/// Everything that an instruction uses, its regions included.
fn all_operands(staged: &Staged, id: InstId, uses: &mut Vec<Value>) {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let inst = &staged.function.insts[id.index()].inst;
        inst.for_each_operand(|v| uses.push(v));
        for region in inst.regions() {
            uses.extend_from_slice(&region.yields);
            open.extend_from_slice(&region.insts);
        }
    }
}
