//! Checks the invariants of Lir: for tests and debug builds.

use super::op::Op;
use super::{Function, Inst, InstId, Region, StageKind, Type, Value};

/// What is wrong with a function, where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stage}, instruction {inst}: {message}")]
pub struct Invalid {
    /// Name of the stage.
    pub stage: &'static str,
    /// Number of the instruction.
    pub inst: u32,
    /// What is wrong with it.
    pub message: String,
}

/// Checks a function.
pub fn verify(f: &Function) -> Result<(), Invalid> {
    let mut verifier = Verifier {
        f,
        defined: vec![false; f.types.len()],
        stage: StageKind::Draw,
        at: InstId(0),
    };
    for kind in StageKind::ALL {
        verifier.stage = kind;
        let region = &f.stages[kind.index()];
        let outer = verifier.defined.clone();
        verifier.region(region)?;
        // Only the views of a group see what the group computed.
        if kind != StageKind::Group {
            verifier.defined = outer;
        }
    }
    Ok(())
}

struct Verifier<'a> {
    f: &'a Function,
    defined: Vec<bool>,
    stage: StageKind,
    at: InstId,
}

impl Verifier<'_> {
    fn fail(&self, message: impl Into<String>) -> Result<(), Invalid> {
        Err(Invalid {
            stage: self.stage.text(),
            inst: self.at.0,
            message: message.into(),
        })
    }

    fn expect(&self, v: Value, ty: Type) -> Result<(), Invalid> {
        if self.f.ty(v) == ty {
            return Ok(());
        }
        self.fail(format!(
            "v{} is {}, not {}",
            v.0,
            self.f.ty(v).text(),
            ty.text()
        ))
    }

    fn region(&mut self, region: &Region) -> Result<(), Invalid> {
        for p in &region.params {
            self.defined[p.0 as usize] = true;
        }
        for &id in &region.insts {
            self.at = id;
            self.inst(id)?;
            for r in &self.f.insts[id.0 as usize].results {
                self.defined[r.0 as usize] = true;
            }
        }
        for y in &region.yields {
            if !self.defined[y.0 as usize] {
                return self.fail(format!("yields v{} before it is defined", y.0));
            }
        }
        Ok(())
    }

    fn inst(&mut self, id: InstId) -> Result<(), Invalid> {
        let f = self.f;
        let data = &f.insts[id.0 as usize];
        let mut early = None;
        data.inst.for_each_operand(|v| {
            if !self.defined[v.0 as usize] {
                early = Some(v);
            }
        });
        if let Some(v) = early {
            return self.fail(format!("uses v{} before it is defined", v.0));
        }
        let results: Vec<Type> = data.results.iter().map(|&r| f.ty(r)).collect();
        if let Some((address, _)) = data.inst.access() {
            self.expect(address.base, Type::I64)?;
        }
        match &data.inst {
            Inst::Op(op, args) => self.op(*op, args, &results)?,
            Inst::Shuffle(a, b, lanes) => {
                self.expect(*b, f.ty(*a))?;
                if lanes.iter().any(|&l| l > 7) {
                    return self.fail("shuffles a lane that is not there");
                }
            }
            Inst::Extract(a, _) | Inst::LoadLane(a, ..) => self.expect(*a, Type::I32X4)?,
            Inst::Insert(a, _, b) => {
                self.expect(*a, Type::I32X4)?;
                self.expect(*b, Type::I32)?;
            }
            Inst::Store(v, _) if !f.ty(*v).is_vector() => return self.fail("stores a scalar"),
            Inst::Exit(v, _) | Inst::Spend(v) => self.expect(*v, Type::I32)?,
            Inst::If { cond, then, els } => {
                self.expect(*cond, Type::I32)?;
                for side in [then, els] {
                    self.region(side)?;
                    self.yields(&side.yields, &results)?;
                }
            }
            Inst::Loop { init, body } => {
                self.yields(init, &results)?;
                self.yields(&body.params, &results)?;
                self.region(body)?;
                let Some((&again, carried)) = body.yields.split_first() else {
                    return self.fail("a loop's body yields no condition");
                };
                self.expect(again, Type::I32)?;
                self.yields(carried, &results)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn op(&self, op: Op, args: &[Value], results: &[Type]) -> Result<(), Invalid> {
        if args.len() != op.operands().len() {
            return self.fail(format!("{} has {} operands", op.text(), args.len()));
        }
        for (&a, &ty) in args.iter().zip(op.operands()) {
            self.expect(a, ty)?;
        }
        if results != [op.result()] {
            return self.fail(format!("{} has the wrong result", op.text()));
        }
        Ok(())
    }

    fn yields(&self, values: &[Value], types: &[Type]) -> Result<(), Invalid> {
        if values.len() != types.len() {
            return self.fail(format!("{} values for {}", values.len(), types.len()));
        }
        values
            .iter()
            .zip(types)
            .try_for_each(|(&v, &ty)| self.expect(v, ty))
    }
}
