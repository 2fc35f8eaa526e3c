//! Puts in a `Canon` wherever the bits of a NaN that arithmetic gave could be seen (ARCHITECTURE.md, *NaN*).
//!
//! Compiled arithmetic gives whatever NaN the machine gives; [`fuseline_numerics::scalar`] says that it is the canonical
//! one. The two agree once the value passed a `Canon`, which is needed at stores and bit casts, and where the value meets
//! one whose bits are its own, because afterwards nobody can tell which of them it is; but not if nothing that comes
//! from there is ever seen.

use crate::kir::{Function, Inst, InstData, InstId, Region, Value};
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar;
use smallvec::smallvec;

/// What is known of a value's bits, each including the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// No NaN.
    Number,
    /// A NaN, if it is one, came out of arithmetic: the machine's bits may differ from the canonical ones.
    Arithmetic,
    /// The machine's bits are right as they are, a NaN's own included.
    Own,
}

/// Puts the `Canon`s in, each directly behind what defines the value.
pub fn insert(function: &mut Function) {
    let mut classes = Classes {
        function,
        of: vec![Class::Number; function.kinds.len()],
        arrays: vec![Class::Number; function.arrays.len()],
        changed: false,
    };
    loop {
        classes.changed = false;
        classes.region(&function.body);
        if !classes.changed || function.arrays.is_empty() {
            break;
        }
    }
    let (mut of, arrays) = (classes.of, classes.arrays);
    // A constant is what it is, the canonical NaN included.
    for data in &function.insts {
        if let (Inst::Constant(_), Some(v)) = (&data.inst, data.results.first()) {
            of[v.index()] = Class::Own;
        }
    }
    let seen = seen(function);
    let mut inserter = Inserter {
        canon_of: vec![None; function.kinds.len()],
        function,
        of,
        arrays,
        seen,
    };
    let mut body = std::mem::take(&mut inserter.function.body);
    inserter.uses(&mut body);
    inserter.place(&mut body);
    inserter.function.body = body;
}

struct Classes<'a> {
    function: &'a Function,
    of: Vec<Class>,
    arrays: Vec<Class>,
    changed: bool,
}

impl Classes<'_> {
    fn get(&self, v: Value) -> Class {
        self.of[v.index()]
    }

    fn set(&mut self, v: Value, class: Class) {
        if class > self.get(v) && self.function.kinds[v.index()] == Kind::F32 {
            self.of[v.index()] = class;
            self.changed = true;
        }
    }

    fn region(&mut self, region: &Region) {
        let function = self.function;
        for id in &region.insts {
            self.inst(&function.insts[id.index()]);
        }
    }

    fn inst(&mut self, data: &InstData) {
        let class = match &data.inst {
            Inst::Constant(bits) if !scalar::is_nan(*bits) => Class::Number,
            Inst::Constant(scalar::CANONICAL_NAN) => Class::Arithmetic,
            Inst::Constant(_) | Inst::Read(_) | Inst::ConstantLoad { .. } => Class::Own,
            Inst::TableLoad { .. } => Class::Own,
            Inst::Op(op, args) => self.op(*op, args),
            Inst::ArrayLoad { array, .. } => self.arrays[*array as usize],
            Inst::ArrayStore { array, value, .. } => {
                let class = self.get(*value);
                let array = &mut self.arrays[*array as usize];
                self.changed |= class > *array;
                *array = class.max(*array);
                return;
            }
            Inst::Store { .. } => return,
            Inst::If { then, els, .. } => {
                self.region(then);
                self.region(els);
                for (k, v) in data.results.iter().enumerate() {
                    self.set(*v, self.get(then.yields[k]).max(self.get(els.yields[k])));
                }
                return;
            }
            Inst::Loop { init, body, .. } => return self.loop_(data, init, body),
        };
        for v in &data.results {
            self.set(*v, class);
        }
    }

    fn op(&self, op: Op, args: &[Value]) -> Class {
        match op {
            Op::AsFloat | Op::Canon => Class::Own,
            Op::SToF | Op::UToF => Class::Number,
            Op::FSelect => self.get(args[1]).max(self.get(args[2])),
            Op::FMin | Op::FMax if args.iter().any(|a| self.get(*a) == Class::Number) => {
                Class::Number
            }
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::FNeg | Op::FAbs
                if self.get(args[0]) == Class::Number =>
            {
                Class::Number
            }
            _ => Class::Arithmetic,
        }
    }

    fn loop_(&mut self, data: &InstData, init: &[Value], body: &Region) {
        let mut any = std::mem::take(&mut self.changed);
        loop {
            self.changed = false;
            for (k, p) in body.params.iter().enumerate() {
                self.set(*p, self.get(init[k]).max(self.get(body.yields[k + 1])));
            }
            self.region(body);
            any |= self.changed;
            if !self.changed {
                break;
            }
        }
        self.changed = any;
        for (y, v) in body.yields[1..].iter().zip(&data.results) {
            self.set(*v, self.get(*y));
        }
    }
}

/// The floats whose bits something shows: those that are stored or cast, and those that become one of them unchanged.
fn seen(function: &Function) -> Vec<bool> {
    let mut seen = vec![false; function.kinds.len()];
    // What each value is, unchanged, if it is one of these.
    let mut from: Vec<(Value, Value)> = Vec::new();
    let mut regions = vec![&function.body];
    while let Some(region) = regions.pop() {
        for id in &region.insts {
            let data = &function.insts[id.index()];
            match &data.inst {
                Inst::Op(Op::AsInt, args) => seen[args[0].index()] = true,
                Inst::Store { value, .. } | Inst::ArrayStore { value, .. } => {
                    seen[value.index()] = true;
                }
                Inst::Op(Op::FSelect, args) => {
                    from.extend(
                        data.results
                            .iter()
                            .flat_map(|&r| [(r, args[1]), (r, args[2])]),
                    );
                }
                Inst::If { then, els, .. } => {
                    let yields = then.yields.iter().zip(&els.yields);
                    let results = data.results.iter().zip(yields);
                    from.extend(results.flat_map(|(&r, (&a, &b))| [(r, a), (r, b)]));
                }
                Inst::Loop { init, body, .. } => {
                    let carried = body.params.iter().zip(&data.results);
                    let values = init.iter().zip(&body.yields[1..]);
                    from.extend(
                        carried
                            .zip(values)
                            .flat_map(|((&p, &r), (&i, &y))| [(p, i), (p, y), (r, y)]),
                    );
                }
                _ => {}
            }
            regions.extend(data.inst.regions());
        }
    }
    from.sort_unstable();
    let mut open: Vec<Value> = (0..seen.len() as u32).map(Value).collect();
    open.retain(|v| seen[v.index()]);
    while let Some(v) = open.pop() {
        let begin = from.partition_point(|&(to, _)| to < v);
        for &(_, source) in from[begin..].iter().take_while(|&&(to, _)| to == v) {
            if !std::mem::replace(&mut seen[source.index()], true) {
                open.push(source);
            }
        }
    }
    seen
}

struct Inserter<'a> {
    function: &'a mut Function,
    of: Vec<Class>,
    arrays: Vec<Class>,
    /// Whether anything shows its bits, by value.
    seen: Vec<bool>,
    /// The canonical form of each value, where one is needed.
    canon_of: Vec<Option<(InstId, Value)>>,
}

impl Inserter<'_> {
    fn class(&self, v: Value) -> Class {
        self.of.get(v.index()).copied().unwrap_or(Class::Own)
    }

    fn is_own_and_seen(&self, v: Value) -> bool {
        self.class(v) == Class::Own && self.seen.get(v.index()).is_none_or(|&seen| seen)
    }

    /// The value with the right bits.
    fn right(&mut self, v: Value) -> Value {
        if self.class(v) != Class::Arithmetic {
            return v;
        }
        if let Some((_, canon)) = self.canon_of[v.index()] {
            return canon;
        }
        let canon = Value(self.function.kinds.len() as u32);
        self.function.kinds.push(Kind::F32);
        let id = InstId(self.function.insts.len() as u32);
        self.function.insts.push(InstData {
            inst: Inst::Op(Op::Canon, smallvec![v]),
            results: smallvec![canon],
        });
        self.canon_of[v.index()] = Some((id, canon));
        canon
    }

    /// Goes through all places that need the right bits.
    fn uses(&mut self, region: &mut Region) {
        for id in region.insts.clone() {
            let mut data = std::mem::replace(
                &mut self.function.insts[id.index()],
                InstData {
                    inst: Inst::Constant(0),
                    results: smallvec![],
                },
            );
            self.inst(&mut data);
            self.function.insts[id.index()] = data;
        }
    }

    fn inst(&mut self, data: &mut InstData) {
        match &mut data.inst {
            Inst::Op(Op::AsInt, args) => args[0] = self.right(args[0]),
            Inst::Op(Op::FSelect, args) if self.is_own_and_seen(data.results[0]) => {
                args[1] = self.right(args[1]);
                args[2] = self.right(args[2]);
            }
            Inst::Store { value, .. } => *value = self.right(*value),
            Inst::ArrayStore { array, value, .. } if self.arrays[*array as usize] == Class::Own => {
                *value = self.right(*value);
            }
            Inst::If { then, els, .. } => {
                self.uses(then);
                self.uses(els);
                for (k, v) in data.results.iter().enumerate() {
                    if self.is_own_and_seen(*v) {
                        then.yields[k] = self.right(then.yields[k]);
                        els.yields[k] = self.right(els.yields[k]);
                    }
                }
            }
            Inst::Loop { init, body, .. } => {
                self.uses(body);
                for (k, v) in body.params.clone().into_iter().enumerate() {
                    if self.is_own_and_seen(v) {
                        init[k] = self.right(init[k]);
                        body.yields[k + 1] = self.right(body.yields[k + 1]);
                        self.of[data.results[k].index()] = Class::Own;
                    }
                }
            }
            _ => {}
        }
    }

    /// Places what [`Inserter::right`] made.
    fn place(&mut self, region: &mut Region) {
        let mut insts = Vec::with_capacity(region.insts.len());
        let made = |of: &[Option<(InstId, Value)>], v: Value| of.get(v.index()).copied().flatten();
        insts.extend(
            region
                .params
                .iter()
                .filter_map(|p| Some(made(&self.canon_of, *p)?.0)),
        );
        for id in std::mem::take(&mut region.insts) {
            insts.push(id);
            let mut inst =
                std::mem::replace(&mut self.function.insts[id.index()].inst, Inst::Constant(0));
            match &mut inst {
                Inst::If { then, els, .. } => {
                    self.place(then);
                    self.place(els);
                }
                Inst::Loop { body, .. } => self.place(body),
                _ => {}
            }
            let data = &mut self.function.insts[id.index()];
            data.inst = inst;
            insts.extend(
                data.results
                    .iter()
                    .filter_map(|v| Some(made(&self.canon_of, *v)?.0)),
            );
        }
        region.insts = insts;
    }
}
