//! Drops what no output depends on: instructions, results of Ifs, values that loops carry for nobody, stores to arrays that
//! nobody reads. What is left is numbered anew: in order, constants last (they show no number in print).

use crate::kir::{Function, Inst, InstData, InstId, Region, Value};
use fuseline_numerics::op::Kind;

/// The live part of a function.
pub fn remove(function: &Function) -> Function {
    let mut liveness = Liveness::new(function);
    liveness.scan(&function.body, None);
    liveness.spread();
    let is_live = |v: &Value| liveness.live_value[v.index()];
    let live = (0..function.kinds.len() as u32)
        .map(Value)
        .filter(is_live)
        .count();
    let constants = function
        .insts
        .iter()
        .filter(|data| matches!(data.inst, Inst::Constant(_)) && data.results.iter().all(is_live))
        .count();
    let mut copy = Copy {
        old: function,
        live: &liveness,
        new: Function {
            kinds: vec![Kind::F32; live],
            tables: function.tables.clone(),
            arrays: function.arrays.clone(),
            count_loops: function.count_loops,
            ..Function::default()
        },
        values: vec![Value(u32::MAX); function.kinds.len()],
        next: 0,
        next_constant: (live - constants) as u32,
    };
    let body = copy.region(&function.body, |_| true);
    copy.new.body = body;
    copy.new
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Origin {
    None,
    Result(InstId, u32),
    Param(InstId, u32),
}

struct Liveness<'a> {
    function: &'a Function,
    origins: Vec<Origin>,
    /// The instruction in whose region each one stands.
    parents: Vec<Option<InstId>>,
    /// Stores of each array.
    stores: Vec<Vec<InstId>>,
    live_value: Vec<bool>,
    live_inst: Vec<bool>,
    live_array: Vec<bool>,
    /// Live values whose origin is still to be looked at.
    queue: Vec<Value>,
}

impl<'a> Liveness<'a> {
    fn new(function: &'a Function) -> Self {
        Liveness {
            function,
            origins: vec![Origin::None; function.kinds.len()],
            parents: vec![None; function.insts.len()],
            stores: vec![Vec::new(); function.arrays.len()],
            live_value: vec![false; function.kinds.len()],
            live_inst: vec![false; function.insts.len()],
            live_array: vec![false; function.arrays.len()],
            queue: Vec::new(),
        }
    }

    /// Notes where everything stands, and what lives by itself: outputs, and loops that may end the draw.
    fn scan(&mut self, region: &Region, parent: Option<InstId>) {
        let function = self.function;
        for &id in &region.insts {
            self.parents[id.index()] = parent;
            let data = &function.insts[id.index()];
            for (k, v) in data.results.iter().enumerate() {
                self.origins[v.index()] = Origin::Result(id, k as u32);
            }
            for inner in data.inst.regions() {
                for (k, v) in inner.params.iter().enumerate() {
                    self.origins[v.index()] = Origin::Param(id, k as u32);
                }
                self.scan(inner, Some(id));
            }
            match &data.inst {
                Inst::ArrayStore { array, .. } => self.stores[*array as usize].push(id),
                Inst::Store { .. } | Inst::Loop { bound: None, .. } => self.inst(id),
                _ => {}
            }
        }
    }

    fn value(&mut self, v: Value) {
        if !std::mem::replace(&mut self.live_value[v.index()], true) {
            self.queue.push(v);
        }
    }

    /// An instruction must run, and so must those around it.
    fn inst(&mut self, id: InstId) {
        let mut next = Some(id);
        while let Some(id) = next {
            if std::mem::replace(&mut self.live_inst[id.index()], true) {
                return;
            }
            let function = self.function;
            match &function.insts[id.index()].inst {
                // What a loop carries lives if somebody uses it.
                Inst::Loop { body, .. } => self.value(body.yields[0]),
                inst => inst.for_each_operand(|v| self.value(v)),
            }
            if let Inst::ArrayLoad { array, .. } = function.insts[id.index()].inst
                && !std::mem::replace(&mut self.live_array[array as usize], true)
            {
                for store in std::mem::take(&mut self.stores[array as usize]) {
                    self.inst(store);
                }
            }
            next = self.parents[id.index()];
        }
    }

    fn spread(&mut self) {
        let function = self.function;
        while let Some(v) = self.queue.pop() {
            let (id, k) = match self.origins[v.index()] {
                Origin::None => continue,
                Origin::Result(id, k) | Origin::Param(id, k) => (id, k as usize),
            };
            self.inst(id);
            let data = &function.insts[id.index()];
            match &data.inst {
                Inst::If { then, els, .. } => {
                    self.value(then.yields[k]);
                    self.value(els.yields[k]);
                }
                Inst::Loop { init, body, .. } => {
                    self.value(init[k]);
                    self.value(body.yields[k + 1]);
                    self.value(body.params[k]);
                    self.value(data.results[k]);
                }
                _ => {}
            }
        }
    }
}

struct Copy<'a> {
    old: &'a Function,
    live: &'a Liveness<'a>,
    new: Function,
    /// The new number of each value.
    values: Vec<Value>,
    next: u32,
    next_constant: u32,
}

impl Copy<'_> {
    fn define(&mut self, v: Value, constant: bool) -> Value {
        let counter = if constant {
            &mut self.next_constant
        } else {
            &mut self.next
        };
        let new = Value(*counter);
        *counter += 1;
        self.new.kinds[new.index()] = self.old.kinds[v.index()];
        self.values[v.index()] = new;
        new
    }

    fn region(&mut self, region: &Region, yields: impl Fn(usize) -> bool) -> Region {
        let old = self.old;
        let mut new = Region::default();
        for &p in &region.params {
            if self.live.live_value[p.index()] {
                let p = self.define(p, false);
                new.params.push(p);
            }
        }
        for &id in &region.insts {
            if self.live.live_inst[id.index()] {
                let id = self.inst(&old.insts[id.index()]);
                new.insts.push(id);
            }
        }
        new.yields = region
            .yields
            .iter()
            .enumerate()
            .filter(|(k, _)| yields(*k))
            .map(|(_, v)| self.values[v.index()])
            .collect();
        new
    }

    fn inst(&mut self, data: &InstData) -> InstId {
        let live = |k: usize| self.live.live_value[data.results[k].index()];
        let inst = match &data.inst {
            Inst::If {
                cond,
                then,
                els,
                hint,
            } => Inst::If {
                cond: self.values[cond.index()],
                then: self.region(then, live),
                els: self.region(els, live),
                hint: *hint,
            },
            Inst::Loop { init, body, bound } => Inst::Loop {
                init: (0..init.len())
                    .filter(|k| live(*k))
                    .map(|k| self.values[init[k].index()])
                    .collect(),
                body: self.region(body, |k| k == 0 || live(k - 1)),
                bound: *bound,
            },
            inst => {
                let mut inst = inst.clone();
                inst.for_each_operand_mut(|v| *v = self.values[v.index()]);
                inst
            }
        };
        let constant = matches!(inst, Inst::Constant(_));
        let results = data
            .results
            .iter()
            .filter(|v| self.live.live_value[v.index()])
            .map(|v| self.define(*v, constant))
            .collect();
        let id = InstId(self.new.insts.len() as u32);
        self.new.insts.push(InstData { inst, results });
        id
    }
}

#[cfg(test)]
mod tests {
    use crate::kir::parse::parse;

    fn removed(text: &str) -> String {
        super::remove(&parse(text).unwrap()).to_string()
    }

    #[test]
    fn results_of_an_if_go_one_by_one() {
        let text = "x: f32 = cload c0[+0]
c: bool = flt x, 0.0
p: f32, q: f32 = if c {
  a: f32 = fneg x
  b: f32 = fadd x, 1.0
  yield a, b
} else {
  yield x, x
}
store o0.0 = q
";
        assert_eq!(
            removed(text),
            "v0: f32 = cload c0[+0]
v1: bool = flt v0, 0.0
v3: f32 = if v1 {
  v2: f32 = fadd v0, 1.0
  yield v2
} else {
  yield v0
}
store o0.0 = v3
"
        );
    }

    #[test]
    fn a_loop_drops_what_only_feeds_itself() {
        let text = "p: i32, q: i32 = loop (i: i32 = 0, j: i32 = 5) bound 4 {
  i1: i32 = iadd i, 1
  j1: i32 = imul j, 3
  c: bool = slt i1, 4
  yield c, i1, j1
}
store o0.0 = p
";
        assert_eq!(
            removed(text),
            "v3: i32 = loop (v0: i32 = 0) bound 4 {
  v1: i32 = iadd v0, 1
  v2: bool = slt v1, 4
  yield v2, v1
}
store o0.0 = v3
"
        );
    }

    #[test]
    fn a_loop_that_may_run_too_long_stays_though_nobody_uses_it() {
        let text = "v0: i32 = cload c0[+0]
loop () {
  v1: bool = slt v0, 4
  yield v1
}
";
        assert_eq!(removed(text).lines().count(), 5);
    }

    #[test]
    fn stores_live_where_their_array_is_read() {
        let text = "array a0[4]
array a1[4]
i: i32 = cload c0[+0]
astore a0[i] = 1
astore a1[i] = 2
x: i32 = aload a0[2]
store o0.0 = x
";
        let text = removed(text);
        assert!(
            text.contains("astore a0[") && !text.contains("astore a1["),
            "{text}"
        );
    }
}
