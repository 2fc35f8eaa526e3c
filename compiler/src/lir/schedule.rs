//! The order of instructions: early enough to hide latencies, late enough that values stay in registers.
//!
//! Between branches and loops, instructions are first put in an order that keeps few values alive: depth first from
//! each store or other end, in the order of the source. A list scheduler then walks that order with a window before
//! it: while registers are left, it takes what is ready and has the longest way to the end; when they run out, the
//! first of the order. Cranelift keeps the order (`opt_level=none`), and its register allocator does the rest.
//!
//! Must not know what the instructions are for.

use super::{Address, Function, Inst, InstId, Memory, Region, StageKind, Value};
use rustc_hash::FxHashMap;

/// Vectors that may be alive before pressure decides: of 16 registers some are needed for operands on their way.
const REGISTERS: usize = 13;

/// The same where instructions wait for each other more than for the machine: spilling is cheaper then.
const MANY_REGISTERS: usize = 40;

/// How far the scheduler looks ahead of the first instruction not yet placed.
const WINDOW: usize = 160;

/// Instructions that a machine starts in one cycle, roughly.
const WIDTH: u32 = 3;

/// Orders all regions of all stages.
pub fn run(f: &mut Function) {
    let mut stages = std::mem::take(&mut f.stages);
    for region in &mut stages {
        schedule(f, region);
    }
    f.stages = stages;
}

fn schedule(f: &mut Function, region: &mut Region) {
    let insts = std::mem::take(&mut region.insts);
    let mut straight = Vec::new();
    let mut ordered = Vec::with_capacity(insts.len());
    let uses = uses_in(f, &insts, &region.yields);
    for id in insts {
        let index = id.0 as usize;
        if !matches!(f.insts[index].inst, Inst::If { .. } | Inst::Loop { .. }) {
            straight.push(id);
            continue;
        }
        // Branches and loops stay where they are in relation to everything else.
        Straight::new(f, &straight, &uses).place(&mut ordered);
        straight.clear();
        let mut inst = std::mem::replace(&mut f.insts[index].inst, Inst::Scalar(0));
        match &mut inst {
            Inst::If { then, els, .. } => {
                schedule(f, then);
                schedule(f, els);
            }
            Inst::Loop { body, .. } => schedule(f, body),
            _ => {}
        }
        f.insts[index].inst = inst;
        ordered.push(id);
    }
    Straight::new(f, &straight, &uses).place(&mut ordered);
    region.insts = ordered;
}

/// How often each value is used in a region, those inside it and its yields included.
fn uses_in(f: &Function, insts: &[InstId], yields: &[Value]) -> FxHashMap<Value, u32> {
    let mut uses = FxHashMap::default();
    let mut open: Vec<InstId> = insts.to_vec();
    let mut count = |v: Value| *uses.entry(v).or_insert(0) += 1;
    yields.iter().copied().for_each(&mut count);
    while let Some(id) = open.pop() {
        f.inst(id).for_each_operand(&mut count);
        for region in f.inst(id).regions() {
            region.yields.iter().copied().for_each(&mut count);
            open.extend_from_slice(&region.insts);
        }
    }
    uses
}

/// An instruction of a straight run.
#[derive(Clone, Default)]
struct Node {
    /// Nodes that must come before, those whose values it uses among them.
    before: Vec<u32>,
    /// Nodes that must come after it.
    after: Vec<u32>,
    /// Cycles until its result is there.
    latency: u32,
    /// Cycles from its start to the end of everything that waits for it.
    path: u32,
    /// Vector values of this run that it uses, by node.
    operands: Vec<u32>,
    /// It defines a vector.
    vector: bool,
    /// Uses of its result outside this run.
    escapes: bool,
}

struct Straight<'a> {
    insts: &'a [InstId],
    /// Instructions that have no place in the order.
    remade: Vec<InstId>,
    ids: Vec<InstId>,
    nodes: Vec<Node>,
}

impl<'a> Straight<'a> {
    fn new(f: &Function, insts: &'a [InstId], uses: &FxHashMap<Value, u32>) -> Straight<'a> {
        let (remade, ids): (Vec<InstId>, Vec<InstId>) =
            insts.iter().partition(|&&id| f.inst(id).is_remade());
        let mut straight = Straight {
            insts,
            remade,
            nodes: vec![Node::default(); ids.len()],
            ids,
        };
        straight.values(f, uses);
        straight.effects(f);
        for node in (0..straight.nodes.len()).rev() {
            let n = &straight.nodes[node];
            let rest = n.after.iter().map(|&s| straight.nodes[s as usize].path);
            straight.nodes[node].path = n.latency + rest.max().unwrap_or(0);
        }
        straight
    }

    /// Edges from definitions to uses.
    fn values(&mut self, f: &Function, uses: &FxHashMap<Value, u32>) {
        let mut defined: FxHashMap<Value, u32> = FxHashMap::default();
        let mut inside: Vec<u32> = vec![0; self.ids.len()];
        for (i, id) in self.ids.clone().into_iter().enumerate() {
            let mut operands = Vec::new();
            f.inst(id).for_each_operand(|v| {
                if let Some(&d) = defined.get(&v) {
                    inside[d as usize] += 1;
                    operands.push(d);
                }
            });
            operands.sort_unstable();
            operands.dedup();
            for &d in &operands {
                self.edge(d, i as u32);
            }
            operands.retain(|&d| self.nodes[d as usize].vector);
            let node = &mut self.nodes[i];
            node.operands = operands;
            node.latency = latency(f.inst(id));
            for &r in &f.insts[id.0 as usize].results {
                node.vector |= f.ty(r).is_vector();
                defined.insert(r, i as u32);
            }
        }
        let mut total = vec![0; self.ids.len()];
        for (v, d) in defined {
            total[d as usize] += uses.get(&v).copied().unwrap_or(0);
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
                    for &(earlier, other, n, stored) in &accesses {
                        if (stores || stored) && may_overlap(address, bytes, other, n) {
                            self.edge(earlier, i);
                        }
                    }
                    accesses.push((i, address, bytes, stores));
                }
                None if matches!(inst, Inst::Keep(..)) => {}
                None => {
                    for &earlier in &all {
                        self.edge(earlier, i);
                    }
                    barrier = Some(i);
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

    /// Depth first from the ends: of the operands of an instruction the one with the longest way behind it first.
    fn low_pressure_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for end in 0..self.nodes.len() as u32 {
            if !self.nodes[end as usize].after.is_empty() || seen[end as usize] {
                continue;
            }
            seen[end as usize] = true;
            stack.push((end, 0));
            while let Some((node, next)) = stack.last_mut() {
                let before = &self.nodes[*node as usize].before;
                if let Some(&b) = before.get(*next) {
                    *next += 1;
                    if !seen[b as usize] {
                        seen[b as usize] = true;
                        stack.push((b, 0));
                    }
                } else {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order
    }

    /// Appends the instructions in their new order.
    fn place(self, ordered: &mut Vec<InstId>) {
        debug_assert_eq!(self.insts.len(), self.ids.len() + self.remade.len());
        ordered.extend_from_slice(&self.remade);
        let order = self.low_pressure_order();
        let placed = List::new(&self.nodes, &order).run();
        ordered.extend(placed.into_iter().map(|n| self.ids[n as usize]));
    }
}

/// The list scheduler's state.
struct List<'a> {
    nodes: &'a [Node],
    order: &'a [u32],
    /// First place in `order` not yet taken.
    first: usize,
    taken: Vec<bool>,
    /// Nodes before it that are not placed yet.
    waiting: Vec<u32>,
    /// Cycle in which all operands are there.
    ready_at: Vec<u32>,
    /// Uses not placed yet.
    uses: Vec<u32>,
    /// Vectors alive.
    alive: usize,
    cycle: u32,
    started: u32,
    registers: usize,
}

impl<'a> List<'a> {
    fn new(nodes: &'a [Node], order: &'a [u32]) -> List<'a> {
        let mut uses = vec![0; nodes.len()];
        for node in nodes {
            for &o in &node.operands {
                uses[o as usize] += 1;
            }
        }
        List {
            nodes,
            order,
            first: 0,
            taken: vec![false; nodes.len()],
            waiting: nodes.iter().map(|n| n.before.len() as u32).collect(),
            ready_at: vec![0; nodes.len()],
            uses,
            alive: 0,
            cycle: 0,
            started: 0,
            registers: if latency_bound(nodes) {
                MANY_REGISTERS
            } else {
                REGISTERS
            },
        }
    }

    fn run(mut self) -> Vec<u32> {
        let mut placed = Vec::with_capacity(self.order.len());
        while let Some(node) = self.choose() {
            self.take(node);
            placed.push(node);
        }
        placed
    }

    /// Vectors alive after a node, less those alive before.
    fn growth(&self, node: u32) -> i32 {
        let n = &self.nodes[node as usize];
        let dies = |&&o: &&u32| self.uses[o as usize] == 1 && !self.nodes[o as usize].escapes;
        i32::from(n.vector) - n.operands.iter().filter(dies).count() as i32
    }

    fn choose(&mut self) -> Option<u32> {
        while self.first < self.order.len() && self.taken[self.order[self.first] as usize] {
            self.first += 1;
        }
        let front = *self.order.get(self.first)?;
        if self.alive >= self.registers && self.growth(front) > 0 {
            return Some(self.relief(front));
        }
        let window = &self.order[self.first..(self.first + WINDOW).min(self.order.len())];
        let mut best: Option<(u32, u32)> = None;
        let mut soonest = u32::MAX;
        for &node in window {
            if self.taken[node as usize] || self.waiting[node as usize] > 0 {
                continue;
            }
            if self.alive >= self.registers && self.growth(node) > 0 {
                continue;
            }
            let ready = self.ready_at[node as usize];
            if ready > self.cycle {
                soonest = soonest.min(ready);
                continue;
            }
            let path = self.nodes[node as usize].path;
            if best.is_none_or(|(p, _)| path > p) {
                best = Some((path, node));
            }
        }
        match best {
            Some((_, node)) => Some(node),
            None if soonest != u32::MAX => {
                self.cycle = soonest;
                self.started = 0;
                self.choose()
            }
            None => Some(front),
        }
    }

    /// Something that frees a register, if there is anything near; else the first of the order.
    fn relief(&self, front: u32) -> u32 {
        let window = &self.order[self.first..(self.first + WINDOW).min(self.order.len())];
        window
            .iter()
            .copied()
            .find(|&n| {
                !self.taken[n as usize] && self.waiting[n as usize] == 0 && self.growth(n) < 0
            })
            .unwrap_or(front)
    }

    fn take(&mut self, node: u32) {
        let n = &self.nodes[node as usize];
        self.alive = self.alive.saturating_add_signed(self.growth(node) as isize);
        self.taken[node as usize] = true;
        for &o in &n.operands {
            self.uses[o as usize] -= 1;
        }
        self.cycle = self.cycle.max(self.ready_at[node as usize]);
        for &s in &n.after {
            self.waiting[s as usize] -= 1;
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

/// Whether a run is so long that the machine does not see its end while it begins, and its longest chain of instructions
/// takes longer than all of them would.
fn latency_bound(nodes: &[Node]) -> bool {
    const SEEN: usize = 200;
    let path = nodes.iter().map(|n| n.path).max().unwrap_or(0) as usize;
    nodes.len() > SEEN && 3 * path > nodes.len()
}

/// Whether a function shades two vectors of vertices in less time than one after the other: where most of its
/// instructions wait for the one before them.
pub fn wants_two_chains(f: &Function) -> bool {
    const LONG: usize = 60;
    let mut regions: Vec<&Region> = vec![
        &f.stages[StageKind::Group.index()],
        &f.stages[StageKind::GroupView.index()],
    ];
    let mut longest: Option<(usize, usize)> = None;
    while let Some(region) = regions.pop() {
        let uses = uses_in(f, &region.insts, &region.yields);
        let run = Straight::new(f, &region.insts, &uses);
        let path = run.nodes.iter().map(|n| n.path).max().unwrap_or(0) as usize;
        let size = run.nodes.len();
        if longest.is_none_or(|(s, _)| size > s) {
            longest = Some((size, path));
        }
        for &id in &region.insts {
            regions.extend(f.inst(id).regions());
        }
    }
    longest.is_some_and(|(size, path)| size > LONG && 4 * path > 3 * size)
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
