//! Where to begin new blocks so that Cranelift folds loads into the instructions that use them.
//!
//! Cranelift turns a load into a memory operand only if the load's value is used once, *directly and indirectly*: a sum
//! that is used twice keeps all loads below it, through any number of operations, out of their instructions. Parameters
//! of blocks end that search. So values that are used more than once, and have enough to fold below them, are passed to
//! a new block as parameters before their first use. The parameters keep their registers. (The block must have a second
//! way in with other values, or Cranelift would see through it: one that is never taken.)
//!
//! Must not know Cranelift.

use crate::lir::{Function, Inst, InstId, Region, Value};

/// So many loads must become operands for a block to be worth its branch.
const WORTH: u32 = 6;

/// Finds the places.
#[derive(Debug)]
pub struct Cuts {
    /// How often each value is used.
    uses: Vec<u32>,
    /// The same, less the uses that were emitted.
    left: Vec<u32>,
    /// How many loads there are to fold below a value.
    folds: Vec<u16>,
    /// Values to be passed to the next block.
    waiting: Vec<Value>,
}

impl Cuts {
    /// For a function about to be emitted. Here values stand for all their casts, their `roots`.
    pub fn new(f: &Function, roots: &[Value]) -> Cuts {
        let mut uses = vec![0; f.types.len()];
        let mut regions: Vec<&Region> = f.stages.iter().collect();
        while let Some(region) = regions.pop() {
            for y in &region.yields {
                uses[roots[y.0 as usize].0 as usize] += 1;
            }
            for &id in region.insts.iter().filter(|&&id| !f.inst(id).is_cast()) {
                f.inst(id)
                    .for_each_operand(|v| uses[roots[v.0 as usize].0 as usize] += 1);
                regions.extend(f.inst(id).regions());
            }
        }
        Cuts {
            left: uses.clone(),
            uses,
            folds: vec![0; f.types.len()],
            waiting: Vec::new(),
        }
    }

    /// Whether a block should begin before an instruction.
    pub fn wanted_before(&mut self, f: &Function, roots: &[Value], id: InstId) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let inst = f.inst(id);
        // What is defined outside a region must not be passed on inside it: that would not reach what follows.
        let enters = matches!(inst, Inst::If { .. } | Inst::Loop { .. });
        let mut used = enters;
        inst.for_each_operand(|v| used |= self.waiting.contains(&roots[v.0 as usize]));
        if !used {
            return false;
        }
        let folds: u32 = self
            .waiting
            .iter()
            .map(|v| u32::from(self.folds[v.0 as usize]))
            .sum();
        if folds >= WORTH {
            return true;
        }
        if enters {
            self.take();
            return false;
        }
        // What is used now is lost; the others may still be worth a block later.
        let Cuts { waiting, folds, .. } = self;
        inst.for_each_operand(|v| {
            let root = roots[v.0 as usize];
            folds[root.0 as usize] = 0;
            waiting.retain(|&w| w != root);
        });
        false
    }

    /// The values to pass; they have nothing below them any more.
    pub fn take(&mut self) -> Vec<Value> {
        for v in &self.waiting {
            self.folds[v.0 as usize] = 0;
        }
        std::mem::take(&mut self.waiting)
    }

    /// Whether a value is used after the instruction that is about to be emitted.
    pub fn is_needed_later(&self, root: Value) -> bool {
        self.left[root.0 as usize] > 1
    }

    /// Takes note of an instruction.
    pub fn emitted(
        &mut self,
        f: &Function,
        roots: &[Value],
        remade: &[Option<InstId>],
        id: InstId,
    ) {
        f.inst(id)
            .for_each_operand(|v| self.left[roots[v.0 as usize].0 as usize] -= 1);
        let (Inst::Op(..) | Inst::Shuffle(..), Some(result)) = (f.inst(id), f.result(id)) else {
            return;
        };
        if !f.ty(result).is_vector() {
            return;
        }
        // An instruction has one memory operand at most.
        let mut own = 0;
        let mut folds: u16 = 0;
        f.inst(id).for_each_operand(|v| {
            let root = roots[v.0 as usize].0 as usize;
            match remade[root].map(|id| f.inst(id)) {
                Some(Inst::Kept(_)) => own = 1,
                Some(Inst::Lanes(words)) if *words != [0; 4] && *words != [u32::MAX; 4] => own = 1,
                _ => folds = folds.saturating_add(self.folds[root]),
            };
        });
        let folds = folds.saturating_add(own);
        self.folds[result.0 as usize] = folds;
        if folds > 0 && self.uses[result.0 as usize] > 1 {
            self.waiting.push(result);
        }
    }

    /// Values of a region that ends cannot be passed on from there.
    pub fn end_region(&mut self) {
        self.waiting.clear();
    }
}
