//! The order of instructions: early enough to hide latencies, late enough that values stay in registers.
//!
//! Between branches and loops, instructions are first put in an order that keeps few values alive: depth first from
//! each store or other end, in the order of the source. A list scheduler then walks that order with a window before
//! it: while registers are left, it takes what is ready and has the longest way to the end; when they run out, the
//! first of the order. Cranelift keeps the order (`opt_level=none`), and its register allocator does the rest.
//!
//! Must not know what the instructions are for.

mod order;

use super::{Address, Function, Inst, InstId, Memory, Region, StageKind, Value};
use smallvec::SmallVec;

/// Vectors that may be alive before pressure decides: of 16 registers some are needed for operands on their way.
const VECTORS: i32 = 16;

/// The same where instructions wait for each other more than for the machine: memory operands ([`super::spill`]) are
/// cheaper then.
const MANY_VECTORS: i32 = 40;

/// Scalars that may be alive: the others of 15 registers hold what the loops around the stages need.
const SCALARS: i32 = 7;

/// How far the scheduler looks ahead of the first instruction not yet placed.
const WINDOW: usize = 160;

/// Instructions that a machine starts in one cycle, roughly.
const WIDTH: u32 = 3;

/// Orders all regions of all stages.
pub fn run(f: &mut Function) {
    let mut values = Values::new(f);
    let mut stages = std::mem::take(&mut f.stages);
    for region in &mut stages {
        schedule(f, &mut values, region);
    }
    f.stages = stages;
}

fn schedule(f: &mut Function, values: &mut Values, region: &mut Region) {
    let insts = std::mem::take(&mut region.insts);
    let mut straight = Vec::new();
    let mut ordered = Vec::with_capacity(insts.len());
    for id in insts {
        let index = id.0 as usize;
        if !matches!(f.insts[index].inst, Inst::If { .. } | Inst::Loop { .. }) {
            straight.push(id);
            continue;
        }
        // Branches and loops stay where they are in relation to everything else.
        Straight::new(f, &straight, values).place(f.chains, &mut ordered);
        straight.clear();
        let mut inst = std::mem::replace(&mut f.insts[index].inst, Inst::Scalar(0));
        match &mut inst {
            Inst::If { then, els, .. } => {
                schedule(f, values, then);
                schedule(f, values, els);
            }
            Inst::Loop { body, .. } => schedule(f, values, body),
            _ => {}
        }
        f.insts[index].inst = inst;
        ordered.push(id);
    }
    Straight::new(f, &straight, values).place(f.chains, &mut ordered);
    region.insts = ordered;
}

/// What is known of the values of a function.
struct Values {
    /// How often each is used.
    uses: Vec<u32>,
    /// The node that defines it in the run that is being looked at; [`NOWHERE`] for all others.
    defined: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Values {
    fn new(f: &Function) -> Values {
        let mut uses = vec![0; f.types.len()];
        let mut open: Vec<&Region> = f.stages.iter().collect();
        while let Some(region) = open.pop() {
            region.yields.iter().for_each(|v| uses[v.0 as usize] += 1);
            for &id in &region.insts {
                f.inst(id).for_each_operand(|v| uses[v.0 as usize] += 1);
                open.extend(f.inst(id).regions());
            }
        }
        Values {
            defined: vec![NOWHERE; uses.len()],
            uses,
        }
    }

    fn definition(&self, v: Value) -> Option<u32> {
        let node = self.defined[v.0 as usize];
        (node != NOWHERE).then_some(node)
    }
}

/// An instruction of a straight run, with the casts of its result.
#[derive(Clone, Default)]
struct Node {
    /// Nodes that must come before, those whose values it uses among them.
    before: SmallVec<[u32; 4]>,
    /// Nodes that must come after it.
    after: SmallVec<[u32; 4]>,
    /// Cycles until its result is there.
    latency: u32,
    /// Cycles from its start to the end of everything that waits for it.
    path: u32,
    /// Nodes of this run whose values it uses.
    operands: SmallVec<[u32; 4]>,
    /// What it defines.
    class: Option<Class>,
    /// Uses of its result outside this run.
    escapes: bool,
    /// Casts of its result, which take no time and no register.
    casts: SmallVec<[InstId; 2]>,
    /// A load of what nothing changes: it is placed with the first node that uses it, which waits for the address.
    on_demand: bool,
}

/// The kind of registers that a value lives in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Vector,
    Scalar,
}

struct Straight<'a> {
    insts: &'a [InstId],
    /// Instructions that have no place in the order, and casts of what was defined before.
    first: Vec<InstId>,
    ids: Vec<InstId>,
    nodes: Vec<Node>,
}

impl<'a> Straight<'a> {
    fn new(f: &Function, insts: &'a [InstId], values: &mut Values) -> Straight<'a> {
        let mut straight = Straight {
            insts,
            first: Vec::new(),
            nodes: Vec::with_capacity(insts.len()),
            ids: Vec::with_capacity(insts.len()),
        };
        straight.values(f, values);
        for &id in insts {
            for r in &f.insts[id.0 as usize].results {
                values.defined[r.0 as usize] = NOWHERE;
            }
        }
        straight.effects(f);
        for node in (0..straight.nodes.len()).rev() {
            let n = &straight.nodes[node];
            let rest = n.after.iter().map(|&s| straight.nodes[s as usize].path);
            straight.nodes[node].path = n.latency + rest.max().unwrap_or(0);
        }
        straight
    }

    /// Nodes, and edges from definitions to uses.
    fn values(&mut self, f: &Function, values: &mut Values) {
        // Uses that nodes make of each other's values, and all uses.
        let mut inside: Vec<u32> = Vec::new();
        let mut total: Vec<u32> = Vec::new();
        for &id in self.insts {
            let data = &f.insts[id.0 as usize];
            let used = |v: &Value| values.uses[v.0 as usize];
            if data.inst.is_remade() {
                self.first.push(id);
                continue;
            }
            if let (Inst::Op(_, args), [result]) = (&data.inst, data.results.as_slice())
                && data.inst.is_cast()
            {
                match values.definition(args[0]) {
                    Some(d) => {
                        self.nodes[d as usize].casts.push(id);
                        inside[d as usize] += 1;
                        total[d as usize] += used(result);
                        values.defined[result.0 as usize] = d;
                    }
                    None => self.first.push(id),
                }
                continue;
            }
            let node = self.nodes.len() as u32;
            let mut operands: SmallVec<[u32; 4]> = SmallVec::new();
            data.inst.for_each_operand(|v| {
                if let Some(d) = values.definition(v) {
                    inside[d as usize] += 1;
                    operands.push(d);
                }
            });
            operands.sort_unstable();
            operands.dedup();
            let class = match data.results.first() {
                Some(&r) if f.ty(r).is_vector() => Some(Class::Vector),
                Some(_) => Some(Class::Scalar),
                None => None,
            };
            let on_demand =
                is_load(&data.inst) && !operands.iter().any(|&d| self.nodes[d as usize].on_demand);
            self.ids.push(id);
            self.nodes.push(Node {
                operands: operands.clone(),
                latency: latency(&data.inst),
                class,
                on_demand,
                ..Node::default()
            });
            inside.push(0);
            total.push(data.results.iter().map(used).sum());
            for &d in &operands {
                if self.nodes[d as usize].on_demand {
                    for address in self.nodes[d as usize].operands.clone() {
                        self.edge(address, node);
                    }
                } else if !on_demand {
                    self.edge(d, node);
                }
            }
            for &r in &data.results {
                values.defined[r.0 as usize] = node;
            }
        }
        for (node, (total, inside)) in self.nodes.iter_mut().zip(total.iter().zip(&inside)) {
            node.escapes = total > inside;
        }
    }

    /// Edges between accesses to the same memory, and around what may leave the kernel.
    fn effects(&mut self, f: &Function) {
        let mut accesses: Vec<(u32, Address, u32, bool)> = Vec::new();
        let mut all: Vec<u32> = Vec::new();
        let mut barrier: Option<u32> = None;
        for i in 0..self.ids.len() as u32 {
            let inst = f.inst(self.ids[i as usize]);
            if inst.is_pure() {
                continue;
            }
            if let Some(b) = barrier {
                self.edge(b, i);
            }
            match inst.access() {
                Some((address, stores)) => {
                    let bytes = access_bytes(inst);
                    let mut covers = stores;
                    for &(earlier, other, n, stored) in &accesses {
                        if may_overlap(address, bytes, other, n) {
                            if stores || stored {
                                self.edge(earlier, i);
                            }
                        } else if other.memory == address.memory {
                            covers = false;
                        }
                    }
                    // What comes behind this store comes behind all that this store comes behind.
                    if covers {
                        accesses.retain(|(_, other, ..)| other.memory != address.memory);
                    }
                    accesses.push((i, address, bytes, stores));
                }
                None if matches!(inst, Inst::Keep(..)) => {}
                None => {
                    for &earlier in &all {
                        self.edge(earlier, i);
                    }
                    barrier = Some(i);
                    accesses.clear();
                    all.clear();
                }
            }
            all.push(i);
        }
    }

    fn edge(&mut self, from: u32, to: u32) {
        if self.nodes[to as usize].before.last() != Some(&from) {
            self.nodes[to as usize].before.push(from);
            self.nodes[from as usize].after.push(to);
        }
    }

    /// Appends the instructions in their new order.
    fn place(self, chains: u32, ordered: &mut Vec<InstId>) {
        ordered.extend_from_slice(&self.first);
        let order = order::low_pressure(&self.nodes, chains);
        for node in List::new(&self.nodes, &order, chains).run() {
            ordered.push(self.ids[node as usize]);
            ordered.extend_from_slice(&self.nodes[node as usize].casts);
        }
    }
}

/// Registers for vectors and for scalars.
#[derive(Clone, Copy, Default)]
struct Registers {
    vectors: i32,
    scalars: i32,
}

impl Registers {
    fn of(&mut self, class: Class) -> &mut i32 {
        match class {
            Class::Vector => &mut self.vectors,
            Class::Scalar => &mut self.scalars,
        }
    }
}

/// The list scheduler's state.
struct List<'a> {
    nodes: &'a [Node],
    order: &'a [u32],
    /// First place in `order` not yet taken.
    first: usize,
    /// Places in `order` of what can be taken, ascending.
    ready: Vec<u32>,
    /// The place in `order` of each node.
    places: Vec<u32>,
    taken: Vec<bool>,
    /// Nodes before it that are not placed yet.
    waiting: Vec<u32>,
    /// Cycle in which all operands are there.
    ready_at: Vec<u32>,
    /// Uses not placed yet.
    uses: Vec<u32>,
    /// Values alive.
    alive: Registers,
    /// Most that should be.
    most: Registers,
    cycle: u32,
    started: u32,
}

impl<'a> List<'a> {
    fn new(nodes: &'a [Node], order: &'a [u32], chains: u32) -> List<'a> {
        let mut uses = vec![0; nodes.len()];
        for node in nodes {
            for &o in &node.operands {
                uses[o as usize] += 1;
            }
        }
        let mut places = vec![0; nodes.len()];
        for (place, &n) in order.iter().enumerate() {
            places[n as usize] = place as u32;
        }
        let ready = (0..order.len() as u32)
            .filter(|&p| nodes[order[p as usize] as usize].before.is_empty())
            .collect();
        List {
            nodes,
            order,
            first: 0,
            ready,
            places,
            taken: vec![false; nodes.len()],
            waiting: nodes.iter().map(|n| n.before.len() as u32).collect(),
            ready_at: vec![0; nodes.len()],
            uses,
            alive: Registers::default(),
            most: Registers {
                vectors: if latency_bound(nodes.len(), path(nodes), chains, false) {
                    MANY_VECTORS
                } else {
                    VECTORS
                },
                scalars: SCALARS,
            },
            cycle: 0,
            started: 0,
        }
    }

    fn run(mut self) -> Vec<u32> {
        let mut placed = Vec::with_capacity(self.nodes.len());
        while let Some(node) = self.choose() {
            for &o in &self.nodes[node as usize].operands {
                if self.nodes[o as usize].on_demand && !self.taken[o as usize] {
                    self.take(o);
                    placed.push(o);
                }
            }
            self.take(node);
            placed.push(node);
        }
        // Loads that only what follows uses.
        placed.extend((0..self.nodes.len() as u32).filter(|&n| !self.taken[n as usize]));
        placed
    }

    /// Values alive after a node, less those alive before.
    fn growth(&self, node: u32) -> Registers {
        let n = &self.nodes[node as usize];
        let mut growth = Registers::default();
        if let Some(class) = n.class {
            *growth.of(class) += 1;
        }
        for &o in &n.operands {
            let operand = &self.nodes[o as usize];
            if operand.on_demand && !self.taken[o as usize] {
                if let Some(class) = operand.class
                    && (self.uses[o as usize] > 1 || operand.escapes)
                {
                    *growth.of(class) += 1;
                }
                continue;
            }
            if let (Some(class), 1, false) = (operand.class, self.uses[o as usize], operand.escapes)
            {
                *growth.of(class) -= 1;
            }
        }
        growth
    }

    /// Whether registers run out with a node.
    fn is_too_much(&self, node: u32) -> bool {
        let (full, scalars_full) = (
            self.alive.vectors >= self.most.vectors,
            self.alive.scalars >= self.most.scalars,
        );
        if !full && !scalars_full {
            return false;
        }
        let growth = self.growth(node);
        (full && growth.vectors > 0) || (scalars_full && growth.scalars > 0)
    }

    /// What is ready and near the first instruction not yet placed, in order.
    fn near(&self) -> impl Iterator<Item = u32> {
        let end = (self.first + WINDOW) as u32;
        let near = self.ready.iter().take_while(move |&&place| place < end);
        near.map(|&place| self.order[place as usize])
    }

    fn choose(&mut self) -> Option<u32> {
        loop {
            while self.first < self.order.len() && self.taken[self.order[self.first] as usize] {
                self.first += 1;
            }
            let front = self.order[*self.ready.first()? as usize];
            if self.is_too_much(front) {
                return Some(self.relief(front));
            }
            let mut best: Option<(u32, u32)> = None;
            let mut soonest = u32::MAX;
            for node in self.near() {
                let ready = self.ready_at[node as usize];
                let path = self.nodes[node as usize].path;
                if ready <= self.cycle && best.is_some_and(|(p, _)| path <= p) {
                    continue;
                }
                if self.is_too_much(node) {
                    continue;
                }
                if ready > self.cycle {
                    soonest = soonest.min(ready);
                } else {
                    best = Some((path, node));
                }
            }
            match best {
                Some((_, node)) => return Some(node),
                None if soonest != u32::MAX => {
                    self.cycle = soonest;
                    self.started = 0;
                }
                None => return Some(front),
            }
        }
    }

    /// Something that frees a register, if there is anything near; else the first of the order.
    fn relief(&self, front: u32) -> u32 {
        let frees = |&n: &u32| {
            let growth = self.growth(n);
            (growth.vectors < 0 && growth.scalars <= 0)
                || (growth.vectors <= 0 && growth.scalars < 0)
        };
        self.near().find(frees).unwrap_or(front)
    }

    fn take(&mut self, node: u32) {
        let n = &self.nodes[node as usize];
        let growth = self.growth(node);
        self.alive.vectors += growth.vectors;
        self.alive.scalars += growth.scalars;
        self.taken[node as usize] = true;
        if !n.on_demand {
            let place = self.places[node as usize];
            let at = self.ready.partition_point(|&p| p < place);
            self.ready.remove(at);
        }
        for &o in &n.operands {
            self.uses[o as usize] -= 1;
        }
        self.cycle = self.cycle.max(self.ready_at[node as usize]);
        for &s in &n.after {
            self.waiting[s as usize] -= 1;
            if self.waiting[s as usize] == 0 {
                let place = self.places[s as usize];
                let at = self.ready.partition_point(|&p| p < place);
                self.ready.insert(at, place);
            }
            let ready = self.cycle + n.latency;
            self.ready_at[s as usize] = self.ready_at[s as usize].max(ready);
        }
        self.started += 1;
        if self.started >= WIDTH {
            self.started = 0;
            self.cycle += 1;
        }
    }
}

/// Whether the machine waits for results more than results wait for it: a run is so long that its end is not seen while
/// it begins, or it is repeated and each time needs the last one's results; and its longest way takes more than half of
/// the cycles that one instruction after the other would. `size` and `path` are those of all `chains` together.
fn latency_bound(size: usize, path: usize, chains: u32, repeated: bool) -> bool {
    const SEEN: usize = 200;
    let chains = chains as usize;
    (repeated || size > SEEN * chains) && 2 * path * chains > size
}

/// Whether a function shades two vectors of vertices in less time than one after the other: while one waits for
/// results, the other goes on.
pub fn wants_two_chains(f: &Function) -> bool {
    let mut regions: Vec<(&Region, bool)> = vec![
        (&f.stages[StageKind::Group.index()], false),
        (&f.stages[StageKind::GroupView.index()], false),
    ];
    let mut values = Values::new(f);
    let mut longest = (0, 0, false);
    while let Some((region, repeated)) = regions.pop() {
        let run = Straight::new(f, &region.insts, &mut values);
        let size = run.nodes.len();
        if size > longest.0 {
            longest = (size, path(&run.nodes), repeated);
        }
        for &id in &region.insts {
            let repeated = repeated || matches!(f.inst(id), Inst::Loop { .. });
            regions.extend(f.inst(id).regions().map(|r| (r, repeated)));
        }
    }
    let (size, path, repeated) = longest;
    latency_bound(size, path, f.chains, repeated)
}

/// Cycles that the longest way through a run takes.
fn path(nodes: &[Node]) -> usize {
    nodes.iter().map(|n| n.path).max().unwrap_or(0) as usize
}

/// Cycles until the result of an instruction can be used, roughly.
fn latency(inst: &Inst) -> u32 {
    const LOAD: u32 = 5;
    match inst {
        Inst::Op(op, _) => op.latency(),
        Inst::Shuffle(..) => 1,
        Inst::Extract(..) | Inst::Insert(..) => 3,
        Inst::Load(_) | Inst::LoadLow(..) | Inst::LoadSplat(_) | Inst::LoadScalar(..) => LOAD,
        Inst::Rows { .. } => 5,
        _ => 1,
    }
}

/// A load of what nothing changes.
fn is_load(inst: &Inst) -> bool {
    let loads = matches!(
        inst,
        Inst::Load(_) | Inst::LoadLow(..) | Inst::LoadSplat(_) | Inst::LoadScalar(..)
    );
    loads && inst.is_pure()
}

/// Bytes that a load or store touches.
fn access_bytes(inst: &Inst) -> u32 {
    match inst {
        Inst::LoadLow(n, _) | Inst::LoadScalar(n, _) => u32::from(*n),
        Inst::LoadSplat(_) | Inst::LoadLane(..) => 4,
        Inst::StoreLanes { bytes, .. } => u32::from(*bytes),
        Inst::StoreScalar(..) => 8,
        Inst::Clear(n, _) => 16 * n,
        _ => 16,
    }
}

/// Whether two accesses may touch the same bytes. Rows of different blocks do not overlap.
fn may_overlap(a: Address, a_bytes: u32, b: Address, b_bytes: u32) -> bool {
    if a.memory != b.memory {
        return false;
    }
    if a.base != b.base {
        return a.memory != Memory::Output;
    }
    let (a_begin, b_begin) = (i64::from(a.offset), i64::from(b.offset));
    a_begin < b_begin + i64::from(b_bytes) && b_begin < a_begin + i64::from(a_bytes)
}
