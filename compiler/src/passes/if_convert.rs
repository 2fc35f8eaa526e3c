//! Ifs whose sides are cheap become selects: both sides run, always.

use super::rebuild::{Rewrite, rebuild};
use crate::kernel::Rate;
use crate::kir::{Function, Inst, Region, Value};
use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::op::Op;
use fuseline_numerics::scalar::Denorm;

/// Most that both sides together may cost where the condition differs between vertices: less than the masks and the jump
/// that would skip a side.
const VARYING: u32 = 20;
/// The same where it does not, and a jump does: what a jump costs.
const UNIFORM: u32 = 6;
/// The same where the shader asks for a branch, and where it asks for none.
const BRANCH: u32 = 3;
const FLATTEN: u32 = 400;

/// The function without cheap Ifs; `rates` are its values'.
pub fn convert(function: &Function, rates: &[Rate], denorm: Denorm) -> Function {
    rebuild(function, denorm, &mut Converter { function, rates })
}

struct Converter<'a> {
    function: &'a Function,
    rates: &'a [Rate],
}

impl Rewrite for Converter<'_> {
    fn flatten(&mut self, cond: Value, then: &Region, els: &Region, hint: BranchHint) -> bool {
        let most = match hint {
            BranchHint::Branch => BRANCH,
            BranchHint::Flatten => FLATTEN,
            BranchHint::None if self.rates[cond.index()].vertex => VARYING,
            BranchHint::None => UNIFORM,
        };
        let cost = |region| region_cost(self.function, region, most);
        cost(then)
            .zip(cost(els))
            .is_some_and(|(t, e)| t + e <= most)
    }
}

/// What running a region costs, about in vector instructions; None if it is more than `most`, or must not run without
/// need.
fn region_cost(function: &Function, region: &Region, most: u32) -> Option<u32> {
    let mut cost = 0;
    for id in &region.insts {
        cost += match &function.insts[id.index()].inst {
            Inst::Op(op, _) => op_cost(*op),
            Inst::Constant(_) | Inst::Read(_) | Inst::ConstantLoad { address: None, .. } => 0,
            Inst::ConstantLoad { .. } | Inst::TableLoad { .. } | Inst::ArrayLoad { .. } => 6,
            Inst::If { then, els, .. } => {
                let yields = then.yields.len() as u32;
                region_cost(function, then, most)? + region_cost(function, els, most)? + yields
            }
            Inst::ArrayStore { .. } | Inst::Loop { .. } | Inst::Store { .. } => return None,
        };
        if cost > most {
            return None;
        }
    }
    Some(cost)
}

fn op_cost(op: Op) -> u32 {
    match op {
        Op::AsInt | Op::AsFloat | Op::NumBits => 0,
        Op::FDiv | Op::FSqrt => 6,
        Op::FMin | Op::FMax | Op::FToS | Op::UToF | Op::Canon => 3,
        Op::FToU => 6,
        Op::IShl | Op::SShr | Op::UShr => 3,
        Op::SDiv | Op::SRem | Op::UDiv | Op::URem => 40,
        _ => 1,
    }
}
