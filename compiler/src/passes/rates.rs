//! What each value varies with: the view, the instance, the vertex.

use crate::kernel::{KernelKey, Rate};
use crate::kir::{Function, Inst, InstData, Region, Source, Value};

/// The rate of each value of a fused function, by [`Value`].
///
/// Parameters of loops vary with their initial and following values alone; results also with what decides how often the
/// loop runs. What is inside an If does not vary with its condition (it is what it would be if it ran); the results do.
pub fn rates(function: &Function, key: &KernelKey) -> Vec<Rate> {
    let mut analysis = Analysis {
        function,
        key,
        rates: vec![Rate::DRAW; function.kinds.len()],
        arrays: vec![Rate::DRAW; function.arrays.len()],
        changed: false,
    };
    loop {
        analysis.changed = false;
        analysis.region(&function.body, Rate::DRAW);
        // Rates only grow, and only arrays pass them on against the order of instructions.
        if !analysis.changed || function.arrays.is_empty() {
            return analysis.rates;
        }
    }
}

/// What something that the draw supplies varies with.
pub fn source_rate(source: Source, key: &KernelKey) -> Rate {
    match source {
        Source::Input { .. } | Source::VertexId => Rate::VERTEX,
        Source::Word { element, .. } => {
            match key.elements.get(element as usize).and_then(|e| e.step_rate) {
                None => Rate::VERTEX,
                // A step rate of zero never steps: the data of StartInstanceLocation for all instances.
                Some(0) => Rate::DRAW,
                Some(_) => Rate::INSTANCE,
            }
        }
        Source::InstanceId => Rate::INSTANCE,
        Source::ViewId => Rate::VIEW,
        Source::StartVertex | Source::StartInstance => Rate::DRAW,
    }
}

struct Analysis<'a> {
    function: &'a Function,
    key: &'a KernelKey,
    rates: Vec<Rate>,
    arrays: Vec<Rate>,
    changed: bool,
}

impl Analysis<'_> {
    fn get(&self, v: Value) -> Rate {
        self.rates[v.index()]
    }

    fn all(&self, values: &[Value]) -> Rate {
        values.iter().fold(Rate::DRAW, |r, v| r.union(self.get(*v)))
    }

    fn set(&mut self, v: Value, rate: Rate) {
        let new = self.get(v).union(rate);
        if new != self.get(v) {
            self.rates[v.index()] = new;
            self.changed = true;
        }
    }

    /// `control`: what it varies with whether the region runs.
    fn region(&mut self, region: &Region, control: Rate) {
        let function = self.function;
        for id in &region.insts {
            self.inst(&function.insts[id.index()], control);
        }
    }

    fn inst(&mut self, data: &InstData, control: Rate) {
        let rate = match &data.inst {
            Inst::If {
                cond, then, els, ..
            } => {
                let cond = self.get(*cond);
                self.region(then, control.union(cond));
                self.region(els, control.union(cond));
                for (k, v) in data.results.iter().enumerate() {
                    let rate = cond.union(self.all(&[then.yields[k], els.yields[k]]));
                    self.set(*v, rate);
                }
                return;
            }
            Inst::Loop { init, body, .. } => return self.loop_(data, init, body, control),
            Inst::ArrayStore {
                array,
                index,
                value,
            } => {
                let array = &mut self.arrays[*array as usize];
                let rate = control
                    .union(self.rates[index.index()])
                    .union(self.rates[value.index()]);
                let new = array.union(rate);
                self.changed |= new != *array;
                *array = new;
                return;
            }
            Inst::ArrayLoad { array, index } => {
                self.arrays[*array as usize].union(self.get(*index))
            }
            Inst::Read(source) => source_rate(*source, self.key),
            inst => {
                let mut rate = Rate::DRAW;
                inst.for_each_operand(|v| rate = rate.union(self.get(v)));
                rate
            }
        };
        for v in &data.results {
            self.set(*v, rate);
        }
    }

    fn loop_(&mut self, data: &InstData, init: &[Value], body: &Region, control: Rate) {
        let outer = std::mem::take(&mut self.changed);
        let mut any = false;
        loop {
            self.changed = false;
            for (k, p) in body.params.iter().enumerate() {
                let next = body.yields[k + 1];
                let rate = self.all(&[init[k], next]);
                self.set(*p, rate);
            }
            let again = self.get(body.yields[0]);
            self.region(body, control.union(again));
            if !self.changed {
                break;
            }
            any = true;
        }
        self.changed = outer || any;
        let again = self.get(body.yields[0]);
        for (k, v) in data.results.iter().enumerate() {
            let rate = again.union(self.get(body.yields[k + 1]));
            self.set(*v, rate);
        }
    }
}
