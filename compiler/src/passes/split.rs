//! Sorts a function's outermost instructions into stages by how often they must run.

use super::hoist::whole_rate;
use crate::kernel::Rate;
use crate::kir::{Function, Inst, InstId, Region};
use crate::stage::{Stage, Staged};

/// The function in stages; `rates` are its values'.
pub fn split(mut function: Function, rates: Vec<Rate>) -> Staged {
    let body = std::mem::take(&mut function.body);
    let mut splitter = Splitter {
        placed: rates.clone(),
        arrays: vec![Rate::DRAW; function.arrays.len()],
        function: &function,
        rates: &rates,
        changed: true,
    };
    let mut places = vec![Rate::DRAW; body.insts.len()];
    // What touches an array decides where all that touches it runs, earlier instructions included.
    while std::mem::take(&mut splitter.changed) {
        for (place, id) in places.iter_mut().zip(&body.insts) {
            *place = splitter.place(*id);
        }
    }
    let mut stages = Vec::new();
    for rate in Rate::ALL {
        let insts: Vec<InstId> = places
            .iter()
            .zip(&body.insts)
            .filter(|(place, _)| **place == rate)
            .map(|(_, id)| *id)
            .collect();
        if !insts.is_empty() {
            stages.push(Stage {
                rate,
                region: Region {
                    insts,
                    ..Region::default()
                },
            });
        }
    }
    Staged {
        function,
        stages,
        rates,
    }
}

struct Splitter<'a> {
    function: &'a Function,
    rates: &'a [Rate],
    /// The stage that computes each value: varies with all that the value varies with, and perhaps more.
    placed: Vec<Rate>,
    arrays: Vec<Rate>,
    changed: bool,
}

impl Splitter<'_> {
    /// The stage of an outermost instruction, as far as it is known.
    fn place(&mut self, id: InstId) -> Rate {
        let mut rate = whole_rate(self.function, id, self.rates);
        let mut arrays = Vec::new();
        self.gather(id, &mut rate, &mut arrays);
        for &a in &arrays {
            rate = rate.union(self.arrays[a]);
        }
        for a in arrays {
            self.changed |= self.arrays[a] != rate;
            self.arrays[a] = rate;
        }
        self.placed_at(id, rate);
        rate
    }

    /// Adds where the operands are computed, and the arrays that are touched.
    fn gather(&self, id: InstId, rate: &mut Rate, arrays: &mut Vec<usize>) {
        let inst = &self.function.insts[id.index()].inst;
        inst.for_each_operand(|v| *rate = rate.union(self.placed[v.index()]));
        if let Inst::ArrayLoad { array, .. } | Inst::ArrayStore { array, .. } = inst {
            arrays.push(*array as usize);
        }
        for region in inst.regions() {
            for v in &region.yields {
                *rate = rate.union(self.placed[v.index()]);
            }
            for inner in &region.insts {
                self.gather(*inner, rate, arrays);
            }
        }
    }

    /// Notes where the values of an instruction, and inside it, are computed.
    fn placed_at(&mut self, id: InstId, rate: Rate) {
        let data = &self.function.insts[id.index()];
        for v in &data.results {
            self.changed |= self.placed[v.index()] != rate && !self.arrays.is_empty();
            self.placed[v.index()] = rate;
        }
        for region in data.inst.regions() {
            for p in &region.params {
                self.placed[p.index()] = rate;
            }
            for inner in &region.insts {
                self.placed_at(*inner, rate);
            }
        }
    }
}
