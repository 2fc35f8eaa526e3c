//! Keeps in memory what does not fit in registers.
//!
//! Cranelift's register allocator stores and loads whole values around the instructions that use them. Nearly all of
//! these could use a value where it lies, as a memory operand. So wherever more vectors are alive than there are
//! registers, the one that is needed last is kept in scratch memory ([`Slot::Spilled`]) from its definition on, and
//! later uses read it there.
//!
//! Must not know what instructions are for.

use super::{Function, Inst, InstData, InstId, Region, Slot, StageKind, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Vectors that may be alive between two instructions: one register more is needed for operands on their way.
const REGISTERS: usize = 15;

/// Keeps values of all stages for groups of vertices in memory where registers run out.
pub fn run(f: &mut Function) {
    let roots = f.roots();
    let mut stages = std::mem::take(&mut f.stages);
    for kind in [StageKind::Group, StageKind::GroupView] {
        let mut rest = Vec::new();
        if kind == StageKind::Group {
            rest.push(std::mem::take(&mut stages[StageKind::GroupView.index()]));
        }
        spill(f, &roots, &mut stages[kind.index()], &mut rest);
        if let Some(views) = rest.pop() {
            stages[StageKind::GroupView.index()] = views;
        }
    }
    f.stages = stages;
}

/// A vector that a region defines.
struct Live<'a> {
    root: Value,
    /// Position of its definition.
    defined: usize,
    /// Positions of its uses to come, descending: the next one is last.
    uses: &'a [u32],
}

/// A value to keep in memory.
struct Victim {
    root: Value,
    defined: usize,
    /// Uses from this position on read memory.
    from: usize,
}

/// `rest`: regions that run after this one and see its values.
fn spill(f: &mut Function, roots: &[Value], region: &mut Region, rest: &mut [Region]) {
    for i in 0..region.insts.len() {
        let index = region.insts[i].0 as usize;
        let mut inst = std::mem::replace(&mut f.insts[index].inst, Inst::Scalar(0));
        match &mut inst {
            Inst::If { then, els, .. } => {
                spill(f, roots, then, &mut []);
                spill(f, roots, els, &mut []);
            }
            Inst::Loop { body, .. } => spill(f, roots, body, &mut []),
            _ => {}
        }
        f.insts[index].inst = inst;
    }
    let victims = victims(f, roots, region, rest);
    if victims.is_empty() {
        return;
    }
    keep(f, roots, region, rest, &victims);
}

/// What a value is but for casts; values made here are no casts.
fn root(roots: &[Value], v: Value) -> Value {
    roots.get(v.0 as usize).copied().unwrap_or(v)
}

/// Positions of the uses of roots in a region, descending for each; what regions inside it use is used where they stand.
struct Uses {
    positions: Vec<u32>,
    /// Where those of each root begin and end.
    ranges: FxHashMap<Value, (u32, u32)>,
}

impl Uses {
    fn new(f: &Function, roots: &[Value], region: &Region, rest: &[Region]) -> Uses {
        let mut all: Vec<(Value, u32)> = Vec::with_capacity(3 * region.insts.len());
        let end = region.insts.len() as u32;
        let mut note = |v: Value, at: u32| all.push((root(roots, v), at));
        for later in rest {
            each_use(f, later, &mut |v| note(v, end + 1));
        }
        region.yields.iter().for_each(|&v| note(v, end));
        for (at, &id) in region.insts.iter().enumerate() {
            let inst = f.inst(id);
            if !inst.is_cast() {
                inst.for_each_operand(|v| note(v, at as u32));
                for inner in inst.regions() {
                    each_use(f, inner, &mut |v| note(v, at as u32));
                }
            }
        }
        all.sort_unstable_by_key(|&(v, at)| (v, std::cmp::Reverse(at)));
        all.dedup();
        let mut ranges = FxHashMap::default();
        let mut begin = 0;
        for of_one in all.chunk_by(|a, b| a.0 == b.0) {
            let end = begin + of_one.len() as u32;
            ranges.insert(of_one[0].0, (begin, end));
            begin = end;
        }
        Uses {
            positions: all.into_iter().map(|(_, at)| at).collect(),
            ranges,
        }
    }
}

/// Every use in a region and those inside it.
fn each_use(f: &Function, region: &Region, note: &mut dyn FnMut(Value)) {
    let mut open = vec![region];
    while let Some(region) = open.pop() {
        region.yields.iter().for_each(|&v| note(v));
        for &id in &region.insts {
            let inst = f.inst(id);
            if !inst.is_cast() {
                inst.for_each_operand(&mut *note);
            }
            open.extend(inst.regions());
        }
    }
}

fn victims(f: &Function, roots: &[Value], region: &Region, rest: &[Region]) -> Vec<Victim> {
    let uses = Uses::new(f, roots, region, rest);
    let mut alive: Vec<Live> = Vec::new();
    let mut victims = Vec::new();
    for (at, &id) in region.insts.iter().enumerate() {
        for value in &mut alive {
            while let Some((&next, rest)) = value.uses.split_last()
                && next as usize <= at
            {
                value.uses = rest;
            }
        }
        alive.retain(|value| !value.uses.is_empty());
        let data = &f.insts[id.0 as usize];
        if data.inst.is_remade() || data.inst.is_cast() {
            continue;
        }
        for &r in &data.results {
            if f.ty(r).is_vector()
                && let Some(&(begin, end)) = uses.ranges.get(&r)
            {
                alive.push(Live {
                    root: r,
                    defined: at,
                    uses: &uses.positions[begin as usize..end as usize],
                });
            }
        }
        while alive.len() > REGISTERS {
            let next = |l: &Live| l.uses.last().copied();
            let Some(last) = (0..alive.len()).max_by_key(|&i| next(&alive[i])) else {
                break;
            };
            let value = alive.swap_remove(last);
            victims.push(Victim {
                root: value.root,
                defined: value.defined,
                from: at + 1,
            });
        }
    }
    victims
}

/// Keeps the victims behind their definitions, and puts what reads memory in place of their later uses.
fn keep(
    f: &mut Function,
    roots: &[Value],
    region: &mut Region,
    rest: &mut [Region],
    victims: &[Victim],
) {
    let mut kept: FxHashMap<Value, (usize, [Value; 2])> = FxHashMap::default();
    let mut behind: FxHashMap<usize, SmallVec<[InstId; 3]>> = FxHashMap::default();
    for victim in victims {
        let slot = Slot::Spilled(f.spilled_slots);
        f.spilled_slots += 1;
        let mut insts: SmallVec<[InstId; 3]> = SmallVec::new();
        insts.push(push(f, Inst::Keep(slot, victim.root), &[]).0);
        let values = [Type::F32X4, Type::I32X4].map(|ty| {
            let (id, value) = push(f, Inst::Kept(slot), &[ty]);
            insts.push(id);
            value
        });
        kept.insert(victim.root, (victim.from, values));
        behind.entry(victim.defined).or_default().extend(insts);
    }
    let types: Vec<Type> = f.types.clone();
    let at_use = |v: &mut Value, at: usize| {
        if let Some((from, [float, int])) = kept.get(&root(roots, *v))
            && at >= *from
        {
            match types[v.0 as usize] {
                Type::F32X4 => *v = *float,
                Type::I32X4 => *v = *int,
                _ => {}
            }
        }
    };
    let end = region.insts.len();
    for later in rest {
        substitute(f, later, &mut |v| at_use(v, end + 1));
    }
    region.yields.iter_mut().for_each(|v| at_use(v, end));
    let mut insts = Vec::with_capacity(end + 3 * victims.len());
    for (at, id) in std::mem::take(&mut region.insts).into_iter().enumerate() {
        substitute_inst(f, id, &mut |v| at_use(v, at));
        insts.push(id);
        insts.extend(behind.remove(&at).into_iter().flatten());
    }
    region.insts = insts;
}

/// A new instruction, and its result if it has one.
fn push(f: &mut Function, inst: Inst, types: &[Type]) -> (InstId, Value) {
    let id = InstId(f.insts.len() as u32);
    let value = Value(f.types.len() as u32);
    f.types.extend_from_slice(types);
    let results = types.iter().map(|_| value).collect();
    f.insts.push(InstData { inst, results });
    (id, value)
}

fn substitute(f: &mut Function, region: &mut Region, change: &mut dyn FnMut(&mut Value)) {
    region.yields.iter_mut().for_each(&mut *change);
    for &id in &region.insts {
        substitute_inst(f, id, change);
    }
}

fn substitute_inst(f: &mut Function, id: InstId, change: &mut dyn FnMut(&mut Value)) {
    let index = id.0 as usize;
    let mut inst = std::mem::replace(&mut f.insts[index].inst, Inst::Scalar(0));
    if !inst.is_cast() {
        inst.for_each_operand_mut(&mut *change);
    }
    match &mut inst {
        Inst::If { then, els, .. } => {
            substitute(f, then, change);
            substitute(f, els, change);
        }
        Inst::Loop { body, .. } => substitute(f, body, change),
        _ => {}
    }
    f.insts[index].inst = inst;
}
