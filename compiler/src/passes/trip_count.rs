//! How often loops run: which of them need no counting.

use crate::abi::MIN_LOOP_LIMIT;
use crate::kir::{Builder, Inst, Region, Value};
use crate::passes::simplify;
use fuseline_numerics::op::Op;
use fuseline_numerics::scalar;

/// Most times that a body can run, if that is known and no more than what is run uncounted, loops inside included.
pub fn bound(b: &Builder, init: &[Value], body: &Region) -> Option<u32> {
    let trips = trips(b, init, body, body.yields[0])?;
    let inside = uncounted_inside(b, body);
    (trips.saturating_mul(inside.saturating_add(1)) <= MIN_LOOP_LIMIT).then_some(trips)
}

/// How often a body runs if `again` decides, or a part of it that must hold: a comparison of a counter, a parameter that
/// starts known and gains the same in each iteration, with a constant.
fn trips(b: &Builder, init: &[Value], body: &Region, again: Value) -> Option<u32> {
    let (op, args) = b.operation(again)?;
    if op == Op::BAnd {
        return trips(b, init, body, args[0]).or_else(|| trips(b, init, body, args[1]));
    }
    let integer = matches!(
        op,
        Op::SLt | Op::SLe | Op::ULt | Op::ULe | Op::IEq | Op::INe
    );
    if !integer {
        return None;
    }
    let (counted, limit, counter_first) = match (b.bits(args[0]), b.bits(args[1])) {
        (None, Some(limit)) => (args[0], limit, true),
        (Some(limit), None) => (args[1], limit, false),
        _ => return None,
    };
    let counter = counter(b, body, counted)?;
    let start = b.bits(init[counter.param])?;
    (1..=MIN_LOOP_LIMIT).find(|trip| {
        let gains = counter.gain.wrapping_mul(trip - 1 + counter.early);
        let value = start.wrapping_add(gains);
        let args = if counter_first {
            [value, limit]
        } else {
            [limit, value]
        };
        scalar::eval(op, &args, b.denorm()) == 0
    })
}

/// What the condition counts.
struct Counter {
    /// Number of the parameter.
    param: usize,
    /// What each iteration that is not the last adds.
    gain: u32,
    /// Whether the condition sees it after this iteration's gain (1) or before (0).
    early: u32,
}

fn counter(b: &Builder, body: &Region, seen: Value) -> Option<Counter> {
    for (k, &param) in body.params.iter().enumerate() {
        let next = going_on(b, body.yields[0], body.yields[k + 1]);
        let early = match seen {
            v if v == param => 0,
            v if v == next => 1,
            _ => continue,
        };
        let Some((Op::IAdd, &[p, gain])) = b.operation(next) else {
            return None;
        };
        return (p == param).then_some(Counter {
            param: k,
            gain: b.bits(gain)?,
            early,
        });
    }
    None
}

/// What a yield is if the loop runs again: one with exits hands on a choice, of which one side ends it.
fn going_on(b: &Builder, again: Value, next: Value) -> Value {
    match b.operation(next) {
        Some((Op::ISelect, &[leaves, _, next])) if rules_out(b, again, leaves, true) => next,
        Some((Op::ISelect, &[stays, next, _])) if rules_out(b, again, stays, false) => next,
        _ => next,
    }
}

/// Whether `again` is false wherever `cond` is `value`.
fn rules_out(b: &Builder, again: Value, cond: Value, value: bool) -> bool {
    if again == cond {
        return !value;
    }
    if value && simplify::are_opposites(b, again, cond) {
        return true;
    }
    match b.operation(again) {
        Some((Op::BAnd, &[x, y])) => rules_out(b, x, cond, value) || rules_out(b, y, cond, value),
        _ => false,
    }
}

/// Most body runs of the loops with a bound inside a region, for one run of it.
fn uncounted_inside(b: &Builder, region: &Region) -> u32 {
    region.insts.iter().fold(0u32, |sum, id| {
        let inst = &b.inst_data(*id).inst;
        let inside = inst
            .regions()
            .map(|r| uncounted_inside(b, r))
            .fold(0, u32::saturating_add);
        let own = match inst {
            Inst::Loop { bound, .. } => bound.map_or(0, |n| n.saturating_mul(inside + 1)),
            _ => inside,
        };
        sum.saturating_add(own)
    })
}
