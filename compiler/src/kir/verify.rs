//! Checks the invariants of [`super`]: after every pass in tests and debug builds.

use super::{Function, Inst, InstData, Region, Source, Value};
use fuseline_numerics::op::Kind;

/// The first thing that is wrong with the function's own body, as text for people who write passes.
pub fn verify(function: &Function) -> Result<(), String> {
    let mut checker = Checker::new(function);
    checker.region(&function.body, true)
}

/// The same for a function in stages, which run one after the other.
pub fn verify_staged(staged: &crate::stage::Staged) -> Result<(), String> {
    let mut checker = Checker::new(&staged.function);
    for (i, stage) in staged.stages.iter().enumerate() {
        checker.seen_by = Some((stage.rate, i));
        checker.region(&stage.region, true)?;
    }
    checker.stages(staged)
}

struct Checker<'a> {
    function: &'a Function,
    /// Whether each value may be used here.
    defined: Vec<bool>,
    /// Whether it was defined anywhere.
    ever: Vec<bool>,
    /// Stage of each value, in a staged function.
    stage_of: Vec<usize>,
    seen_by: Option<(crate::kernel::Rate, usize)>,
    /// Uses of one stage's value in another: (user's stage, value).
    crossings: Vec<(usize, Value)>,
    stored: Vec<(u32, u8)>,
}

impl<'a> Checker<'a> {
    fn new(function: &'a Function) -> Checker<'a> {
        Checker {
            function,
            defined: vec![false; function.kinds.len()],
            ever: vec![false; function.kinds.len()],
            stage_of: vec![0; function.kinds.len()],
            seen_by: None,
            crossings: Vec::new(),
            stored: Vec::new(),
        }
    }

    fn stages(&self, staged: &crate::stage::Staged) -> Result<(), String> {
        for &(user, v) in &self.crossings {
            let definer = self.stage_of[v.index()];
            let (to, from) = (staged.stages[user].rate, staged.stages[definer].rate);
            if user != definer && !to.contains(from) {
                return Err(format!("v{} of stage {from} is used in stage {to}", v.0));
            }
        }
        Ok(())
    }

    fn kind(&self, v: Value) -> Result<Kind, String> {
        let kind = self.function.kinds.get(v.index());
        kind.copied()
            .ok_or_else(|| format!("v{} does not exist", v.0))
    }

    fn used(&mut self, v: Value) -> Result<Kind, String> {
        let kind = self.kind(v)?;
        if !self.defined[v.index()] {
            return Err(format!("v{} is used where it is not defined", v.0));
        }
        if let Some((_, stage)) = self.seen_by {
            self.crossings.push((stage, v));
        }
        Ok(kind)
    }

    fn use_as(&mut self, v: Value, kind: Kind) -> Result<(), String> {
        match self.used(v)? {
            k if k == kind => Ok(()),
            k => Err(format!("v{} is {k:?}, {kind:?} is wanted", v.0)),
        }
    }

    fn define(&mut self, v: Value) -> Result<(), String> {
        self.kind(v)?;
        if std::mem::replace(&mut self.ever[v.index()], true) {
            return Err(format!("v{} is defined twice", v.0));
        }
        self.defined[v.index()] = true;
        if let Some((_, stage)) = self.seen_by {
            self.stage_of[v.index()] = stage;
        }
        Ok(())
    }

    /// Values stay defined after an outermost region only.
    fn region(&mut self, region: &Region, outermost: bool) -> Result<(), String> {
        let mut here = Vec::new();
        for &p in &region.params {
            self.define(p)?;
            here.push(p);
        }
        for &id in &region.insts {
            let function = self.function;
            let Some(data) = function.insts.get(id.index()) else {
                return Err(format!("instruction {} does not exist", id.0));
            };
            self.inst(data, outermost)?;
            for &v in &data.results {
                self.define(v)?;
                here.push(v);
            }
        }
        for &v in &region.yields {
            self.used(v)?;
        }
        if !outermost {
            for v in here {
                self.defined[v.index()] = false;
            }
        }
        Ok(())
    }

    fn inst(&mut self, data: &InstData, outermost: bool) -> Result<(), String> {
        let mut operands = Vec::new();
        data.inst.for_each_operand(|v| operands.push(v));
        for v in operands {
            self.used(v)?;
        }
        let expected: &[Kind] = match &data.inst {
            Inst::If { .. } | Inst::Loop { .. } => return self.nest(data),
            Inst::Op(op, args) => {
                if args.len() != op.operands().len() {
                    return Err(format!("{} has {} operands", op.text(), args.len()));
                }
                for (a, k) in args.iter().zip(op.operands()) {
                    self.use_as(*a, *k)
                        .map_err(|e| format!("{}: {e}", op.text()))?;
                }
                &[op.result()]
            }
            Inst::Store {
                element, component, ..
            } => {
                if !outermost {
                    return Err(format!("o{element}.{component} is stored inside a region"));
                }
                if self.stored.contains(&(*element, *component)) {
                    return Err(format!("o{element}.{component} is stored twice"));
                }
                self.stored.push((*element, *component));
                &[]
            }
            Inst::ArrayStore { array, index, .. } => {
                self.array(*array)?;
                self.use_as(*index, Kind::I32)?;
                &[]
            }
            Inst::ArrayLoad { array, index } => {
                self.array(*array)?;
                self.use_as(*index, Kind::I32)?;
                return one_result(data);
            }
            Inst::TableLoad { table, index } => {
                if *table as usize >= self.function.tables.len() {
                    return Err(format!("t{table} does not exist"));
                }
                self.use_as(*index, Kind::I32)?;
                return one_result(data);
            }
            Inst::ConstantLoad { address, .. } => {
                if let Some(a) = address {
                    self.use_as(*a, Kind::I32)?;
                }
                return one_result(data);
            }
            Inst::Read(Source::Input { .. }) | Inst::Constant(_) => return one_result(data),
            Inst::Read(_) => &[Kind::I32],
        };
        let kinds: Vec<Kind> = data
            .results
            .iter()
            .map(|v| self.kind(*v))
            .collect::<Result<_, _>>()?;
        if kinds == expected {
            Ok(())
        } else {
            Err(format!("results are {kinds:?}, {expected:?} is right"))
        }
    }

    fn array(&self, array: u32) -> Result<(), String> {
        if (array as usize) < self.function.arrays.len() {
            return Ok(());
        }
        Err(format!("a{array} does not exist"))
    }

    fn nest(&mut self, data: &InstData) -> Result<(), String> {
        let results: Vec<Kind> = data
            .results
            .iter()
            .map(|v| self.kind(*v))
            .collect::<Result<_, _>>()?;
        match &data.inst {
            Inst::If {
                cond, then, els, ..
            } => {
                self.use_as(*cond, Kind::Bool)?;
                for side in [then, els] {
                    self.region(side, false)?;
                    self.kinds_are(&side.yields, &results, "if")?;
                }
                Ok(())
            }
            Inst::Loop { init, body, .. } => {
                self.kinds_are(init, &results, "loop: initial values")?;
                self.kinds_are(&body.params, &results, "loop: parameters")?;
                self.region(body, false)?;
                let mut yields = vec![Kind::Bool];
                yields.extend(results);
                self.kinds_are(&body.yields, &yields, "loop: yields")
            }
            _ => Ok(()),
        }
    }

    fn kinds_are(&self, values: &[Value], kinds: &[Kind], what: &str) -> Result<(), String> {
        let found: Vec<Kind> = values
            .iter()
            .map(|v| self.kind(*v))
            .collect::<Result<_, _>>()?;
        if found == kinds {
            return Ok(());
        }
        Err(format!("{what}: {found:?}, {kinds:?} is right"))
    }
}

fn one_result(data: &InstData) -> Result<(), String> {
    match data.results.len() {
        1 => Ok(()),
        n => Err(format!("{n} results, 1 is right")),
    }
}
