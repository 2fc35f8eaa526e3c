//! Moves code outwards: out of loops what does not change in them, and to the outermost region what varies with less than
//! the Ifs and loops around it, so that it runs once per draw, view or instance instead of once per vertex.

use crate::kernel::Rate;
use crate::kir::{Function, Inst, InstId, Region, Value};

/// Moves what may move; `rates` are the function's values'.
pub fn hoist(function: &mut Function, rates: &[Rate]) {
    let body = std::mem::take(&mut function.body);
    let mut hoister = Hoister {
        depths: vec![0; function.kinds.len()],
        function,
        rates,
        levels: vec![Level {
            insts: Vec::with_capacity(body.insts.len()),
            is_loop: false,
        }],
        whole: Rate::DRAW,
    };
    for id in &body.insts {
        hoister.whole = whole_rate(hoister.function, *id, rates);
        hoister.inst(*id);
    }
    let insts = hoister.levels.swap_remove(0).insts;
    function.body = Region { insts, ..body };
}

/// What an instruction and all that it holds vary with.
pub fn whole_rate(function: &Function, id: InstId, rates: &[Rate]) -> Rate {
    let data = &function.insts[id.index()];
    let of = |values: &[Value]| {
        values
            .iter()
            .fold(Rate::DRAW, |r, v| r.union(rates[v.index()]))
    };
    let mut rate = of(&data.results);
    data.inst
        .for_each_operand(|v| rate = rate.union(rates[v.index()]));
    for region in data.inst.regions() {
        rate = rate.union(of(&region.params)).union(of(&region.yields));
        for inner in &region.insts {
            rate = rate.union(whole_rate(function, *inner, rates));
        }
    }
    rate
}

/// A region under construction.
struct Level {
    insts: Vec<InstId>,
    is_loop: bool,
}

struct Hoister<'a> {
    function: &'a mut Function,
    rates: &'a [Rate],
    /// The level at which each value is defined now.
    depths: Vec<u16>,
    levels: Vec<Level>,
    /// The rate of the outermost instruction that is being walked through.
    whole: Rate,
}

/// What keeps an instruction where it is.
struct Tie {
    /// The innermost level that defines something that it uses.
    depth: u16,
    /// It accesses an array, or may end the draw.
    fixed: bool,
}

impl Hoister<'_> {
    fn inst(&mut self, id: InstId) -> Tie {
        let mut inst =
            std::mem::replace(&mut self.function.insts[id.index()].inst, Inst::Constant(0));
        let mut tie = Tie {
            depth: 0,
            fixed: matches!(
                inst,
                Inst::ArrayLoad { .. }
                    | Inst::ArrayStore { .. }
                    | Inst::Store { .. }
                    | Inst::Loop { bound: None, .. }
            ),
        };
        inst.for_each_operand(|v| tie.depth = tie.depth.max(self.depths[v.index()]));
        match &mut inst {
            Inst::If { then, els, .. } => {
                self.region(then, false, &mut tie);
                self.region(els, false, &mut tie);
            }
            Inst::Loop { body, .. } => self.region(body, true, &mut tie),
            _ => {}
        }
        self.function.insts[id.index()].inst = inst;
        let target = self.target(id, &tie);
        self.levels[target].insts.push(id);
        for v in &self.function.insts[id.index()].results {
            self.depths[v.index()] = target as u16;
        }
        tie
    }

    /// Walks through a region; adds what it uses from outside to the ties of the instruction that holds it.
    fn region(&mut self, region: &mut Region, is_loop: bool, tie: &mut Tie) {
        let depth = self.levels.len() as u16;
        self.levels.push(Level {
            insts: Vec::with_capacity(region.insts.len()),
            is_loop,
        });
        for p in &region.params {
            self.depths[p.index()] = depth;
        }
        let mut outside = |used: u16| {
            if used < depth {
                tie.depth = tie.depth.max(used);
            }
        };
        for id in &region.insts {
            let inner = self.inst(*id);
            outside(inner.depth);
            tie.fixed |= inner.fixed;
        }
        region
            .yields
            .iter()
            .for_each(|v| outside(self.depths[v.index()]));
        if let Some(level) = self.levels.pop() {
            region.insts = level.insts;
        }
    }

    /// The level where the instruction goes.
    fn target(&self, id: InstId, tie: &Tie) -> usize {
        let here = self.levels.len() - 1;
        if tie.fixed || here == 0 {
            return here;
        }
        // Running it without need costs nothing to speak of where it runs less often.
        let rate = whole_rate(self.function, id, self.rates);
        if tie.depth == 0 && rate != self.whole {
            return 0;
        }
        let mut target = here;
        while target > usize::from(tie.depth) && self.levels[target].is_loop {
            target -= 1;
        }
        target
    }
}
