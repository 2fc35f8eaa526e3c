//! Runs Kir for one vertex: the oracle for passes and for Lir's tests.

use super::{Function, Inst, Region, Source, Value};
use crate::stage::Staged;
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar::{self, Denorm};
use std::collections::BTreeMap;

/// What the draw supplies.
pub struct Inputs<'a> {
    /// Bits of a source.
    pub read: &'a dyn Fn(Source) -> u32,
    /// Bytes of each constant buffer.
    pub constants: &'a [Vec<u8>],
    /// What happens to denormal floats.
    pub denorm: Denorm,
    /// Most times that a body may run in one execution of its loop.
    pub loop_limit: u32,
    /// Which NaN arithmetic gives.
    pub nan: Nan,
}

/// Which NaN arithmetic gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// The canonical one, as [`scalar`] says.
    Canonical,
    /// As a processor does: the operand's, made quiet, or a negative one. Right results need `Canon` where bits show.
    Machine,
}

/// The NaN that `op` gives for `args` on x86, if `result` is one.
fn machine_nan(op: Op, args: &[u32], result: u32) -> u32 {
    match op {
        Op::FNeg => args[0] ^ 0x8000_0000,
        Op::FAbs => args[0] & 0x7FFF_FFFF,
        Op::Canon | Op::FSelect | Op::AsFloat => result,
        _ if op.result() != Kind::F32 || !scalar::is_nan(result) => result,
        _ => args
            .iter()
            .find(|a| scalar::is_nan(**a))
            .map_or(0xFFC0_0000, |a| a | 0x0040_0000),
    }
}

/// The outputs, by element and component; None where a loop ran too long.
pub type Outputs = Option<BTreeMap<(u32, u8), u32>>;

/// Runs the function's own body.
pub fn eval(function: &Function, inputs: &Inputs) -> Outputs {
    Evaluator::new(function, inputs).run([&function.body])
}

/// Runs the stages in order.
pub fn eval_staged(staged: &Staged, inputs: &Inputs) -> Outputs {
    Evaluator::new(&staged.function, inputs).run(staged.stages.iter().map(|s| &s.region))
}

struct Evaluator<'a> {
    function: &'a Function,
    inputs: &'a Inputs<'a>,
    values: Vec<u32>,
    arrays: Vec<Vec<u32>>,
    stored: BTreeMap<(u32, u8), u32>,
}

impl<'a> Evaluator<'a> {
    fn new(function: &'a Function, inputs: &'a Inputs<'a>) -> Self {
        Evaluator {
            function,
            inputs,
            values: vec![0; function.kinds.len()],
            arrays: function
                .arrays
                .iter()
                .map(|n| vec![0; *n as usize])
                .collect(),
            stored: BTreeMap::new(),
        }
    }

    fn run(mut self, regions: impl IntoIterator<Item = &'a Region>) -> Outputs {
        for region in regions {
            self.region(region)?;
        }
        Some(self.stored)
    }

    fn get(&self, v: Value) -> u32 {
        self.values[v.index()]
    }

    fn set(&mut self, values: &[Value], bits: &[u32]) {
        for (v, bits) in values.iter().zip(bits) {
            self.values[v.index()] = *bits;
        }
    }

    fn region(&mut self, region: &'a Region) -> Option<Vec<u32>> {
        for &id in &region.insts {
            let function = self.function;
            let data = &function.insts[id.index()];
            let bits = match &data.inst {
                Inst::If {
                    cond, then, els, ..
                } => self.region(if self.get(*cond) != 0 { then } else { els })?,
                Inst::Loop { init, body, .. } => self.loop_(init, body)?,
                inst => vec![self.simple(inst)],
            };
            self.set(&data.results, &bits);
        }
        Some(region.yields.iter().map(|v| self.get(*v)).collect())
    }

    fn loop_(&mut self, init: &[Value], body: &'a Region) -> Option<Vec<u32>> {
        let mut carried: Vec<u32> = init.iter().map(|v| self.get(*v)).collect();
        for _ in 0..self.inputs.loop_limit {
            self.set(&body.params, &carried);
            let yields = self.region(body)?;
            carried = yields[1..].to_vec();
            if yields[0] == 0 {
                return Some(carried);
            }
        }
        None
    }

    fn simple(&mut self, inst: &Inst) -> u32 {
        match inst {
            Inst::Constant(bits) => *bits,
            Inst::Op(op, args) => {
                let args: Vec<u32> = args.iter().map(|v| self.get(*v)).collect();
                let result = scalar::eval(*op, &args, self.inputs.denorm);
                match self.inputs.nan {
                    Nan::Canonical => result,
                    Nan::Machine => machine_nan(*op, &args, result),
                }
            }
            Inst::Read(source) => (self.inputs.read)(*source),
            Inst::ConstantLoad {
                buffer,
                address,
                offset,
            } => {
                let address = address.map_or(0, |a| self.get(a)).wrapping_add(*offset) as usize;
                let bytes = self.inputs.constants.get(*buffer as usize);
                bytes
                    .and_then(|b| b.get(address..address + 4))
                    .map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }
            Inst::TableLoad { table, index } => {
                let table = &self.function.tables[*table as usize];
                table.get(self.get(*index) as usize).copied().unwrap_or(0)
            }
            Inst::ArrayLoad { array, index } => {
                let array = &self.arrays[*array as usize];
                array.get(self.get(*index) as usize).copied().unwrap_or(0)
            }
            Inst::ArrayStore {
                array,
                index,
                value,
            } => {
                let (index, value) = (self.get(*index) as usize, self.get(*value));
                if let Some(slot) = self.arrays[*array as usize].get_mut(index) {
                    *slot = value;
                }
                0
            }
            Inst::Store {
                element,
                component,
                value,
            } => {
                self.stored.insert((*element, *component), self.get(*value));
                0
            }
            Inst::If { .. } | Inst::Loop { .. } => unreachable!("handled by the caller"),
        }
    }
}
