//! Rules that replace an operation by something simpler with the same bits, whatever the operands are.
//!
//! "The same bits" means what [`fuseline_numerics::scalar`] says, denormals, NaNs and signs of zeros included. What looks
//! like an identity may be none: `x * 1` flushes a denormal x and makes a NaN canonical, `x + 0` turns -0 into 0, and
//! `x * 0` is a NaN for an infinite x. Rules that need more of an operand ask for it: see [`is_settled`].
//!
//! The rules see one operation and what defines its operands; they must not look at uses.

use crate::kir::{Builder, Inst, Value};
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar;
use smallvec::SmallVec;

/// How far the questions about a value follow its operands.
const DEPTH: u32 = 4;

const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;

/// The value of `op` on `args`, not all of which are constants, where a rule finds it simpler; otherwise None, with the
/// operands of operations that do not care for order in a fixed one (constants last).
pub fn simplify(b: &mut Builder, op: Op, args: &mut SmallVec<[Value; 3]>) -> Option<Value> {
    order(b, op, args);
    let (x, y, z) = match args[..] {
        [x] => (x, x, x),
        [x, y] => (x, y, y),
        [x, y, z] => (x, y, z),
        _ => return None,
    };
    match op {
        Op::FAdd | Op::FSub => add(b, op, x, y),
        Op::FMul => multiply(b, x, y),
        Op::FDiv => divide(b, x, y),
        Op::Fma => multiply_add(b, x, y, z),
        Op::FMin | Op::FMax => (x == y && is_settled(b, x, DEPTH)).then_some(x),
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound => is_integral(b, x).then_some(x),
        Op::FNeg | Op::FAbs => sign(b, op, x),
        Op::Canon => canon(b, x),
        Op::AsInt | Op::NumBits => inner(b, x, Op::AsFloat),
        Op::AsFloat => inner(b, x, Op::AsInt).or_else(|| inner(b, x, Op::NumBits)),
        Op::FLt => (x == y).then(|| b.bool(false)),
        Op::IAdd | Op::ISub | Op::IMul | Op::IAnd | Op::IOr | Op::IXor => integer(b, op, x, y),
        Op::IShl | Op::SShr | Op::UShr => (b.bits(y)? & 31 == 0).then_some(x),
        Op::UDiv | Op::URem | Op::SDiv | Op::SRem => integer_division(b, op, x, y),
        Op::SMin | Op::SMax | Op::UMin | Op::UMax => (x == y).then_some(x),
        Op::IEq | Op::INe | Op::SLt | Op::SLe | Op::ULt | Op::ULe => compare(b, op, x, y),
        Op::BAnd | Op::BOr | Op::BXor => logic(b, op, x, y),
        Op::BNot => not(b, x),
        Op::FSelect | Op::ISelect | Op::BSelect => select(b, op, x, y, z),
        _ => None,
    }
}

/// Puts the operands of a commutative operation in order: by number, constants last. (Which NaN two NaNs give cannot be
/// seen.)
fn order(b: &Builder, op: Op, args: &mut SmallVec<[Value; 3]>) {
    let commutative = matches!(
        op,
        Op::FAdd
            | Op::FMul
            | Op::Fma
            | Op::FEq
            | Op::FNe
            | Op::IAdd
            | Op::IMul
            | Op::IAnd
            | Op::IOr
            | Op::IXor
            | Op::SMin
            | Op::SMax
            | Op::UMin
            | Op::UMax
            | Op::IEq
            | Op::INe
            | Op::BAnd
            | Op::BOr
            | Op::BXor
    );
    if commutative {
        let key = |v: Value| (b.bits(v).is_some(), v);
        if key(args[0]) > key(args[1]) {
            args.swap(0, 1);
        }
    }
}

/// Whether arithmetic leaves the value as it is: it is no denormal where those flush, and a NaN only where it came out of
/// arithmetic, which is the canonical one as far as anyone can see.
pub fn is_settled(b: &Builder, v: Value, depth: u32) -> bool {
    match b.inst(v) {
        Some(Inst::Constant(bits)) => {
            let exponent = bits & 0x7F80_0000;
            (exponent != 0 && exponent != 0x7F80_0000)
                || bits & 0x7FFF_FFFF == 0
                || bits & 0x7FFF_FFFF == 0x7F80_0000
                || *bits == scalar::CANONICAL_NAN
        }
        Some(Inst::Op(op, args)) => match op {
            Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::Fma
            | Op::FSqrt
            | Op::FFloor
            | Op::FCeil
            | Op::FTrunc
            | Op::FRound
            | Op::FMin
            | Op::FMax
            | Op::SToF
            | Op::UToF => true,
            Op::FNeg | Op::FAbs | Op::Canon if depth > 0 => is_settled(b, args[0], depth - 1),
            Op::FSelect if depth > 0 => {
                is_settled(b, args[1], depth - 1) && is_settled(b, args[2], depth - 1)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the value is never a NaN.
pub fn is_number(b: &Builder, v: Value, depth: u32) -> bool {
    match b.inst(v) {
        Some(Inst::Constant(bits)) => !scalar::is_nan(*bits),
        Some(Inst::Op(op, args)) => match op {
            Op::SToF | Op::UToF => true,
            // A NaN operand gives the other one.
            Op::FMin | Op::FMax if depth > 0 => {
                is_number(b, args[0], depth - 1) || is_number(b, args[1], depth - 1)
            }
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::FNeg | Op::FAbs if depth > 0 => {
                is_number(b, args[0], depth - 1)
            }
            Op::FSelect if depth > 0 => {
                is_number(b, args[1], depth - 1) && is_number(b, args[2], depth - 1)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether rounding to an integer leaves the value as it is.
fn is_integral(b: &Builder, v: Value) -> bool {
    matches!(
        b.operation(v),
        Some((
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::SToF | Op::UToF,
            _
        ))
    )
}

/// The operand of `v`, if `op` defines it.
fn inner(b: &Builder, v: Value, op: Op) -> Option<Value> {
    match b.operation(v)? {
        (o, &[x]) if o == op => Some(x),
        _ => None,
    }
}

fn add(b: &mut Builder, op: Op, x: Value, y: Value) -> Option<Value> {
    let opposite = if op == Op::FAdd { Op::FSub } else { Op::FAdd };
    if let Some(y) = inner(b, y, Op::FNeg) {
        return Some(b.op(opposite, &[x, y]));
    }
    if op == Op::FAdd
        && let Some(x) = inner(b, x, Op::FNeg)
    {
        return Some(b.op(Op::FSub, &[y, x]));
    }
    // x + -0 and x - 0 keep the sign of a zero x; the others do not.
    let neutral = if op == Op::FAdd { MINUS_ZERO } else { 0 };
    (b.bits(y) == Some(neutral) && is_settled(b, x, DEPTH)).then_some(x)
}

fn multiply(b: &mut Builder, x: Value, y: Value) -> Option<Value> {
    if let (Some(x), Some(y)) = (inner(b, x, Op::FNeg), inner(b, y, Op::FNeg)) {
        return Some(b.op(Op::FMul, &[x, y]));
    }
    match b.bits(y)? {
        ONE if is_settled(b, x, DEPTH) => Some(x),
        MINUS_ONE if is_settled(b, x, DEPTH) => Some(b.op(Op::FNeg, &[x])),
        _ => None,
    }
}

fn divide(b: &mut Builder, x: Value, y: Value) -> Option<Value> {
    let divisor = b.bits(y)?;
    let exponent = divisor >> 23 & 0xFF;
    // A power of two whose reciprocal is normal, too: both are exact but for the one rounding at the bottom.
    if divisor & 0x007F_FFFF == 0 && (1..=253).contains(&exponent) {
        let reciprocal = b.constant(Kind::F32, divisor & MINUS_ZERO | (254 - exponent) << 23);
        return Some(b.op(Op::FMul, &[x, reciprocal]));
    }
    None
}

/// `x * y + z` where the product is exact: one rounding, as the sum has.
fn multiply_add(b: &mut Builder, x: Value, y: Value, z: Value) -> Option<Value> {
    if let (Some(x), Some(y)) = (inner(b, x, Op::FNeg), inner(b, y, Op::FNeg)) {
        return Some(b.op(Op::Fma, &[x, y, z]));
    }
    match b.bits(y) {
        Some(ONE) => return Some(b.op(Op::FAdd, &[x, z])),
        Some(MINUS_ONE) => return Some(b.op(Op::FSub, &[z, x])),
        _ => {}
    }
    if b.bits(z) == Some(MINUS_ZERO) {
        return Some(b.op(Op::FMul, &[x, y]));
    }
    None
}

fn sign(b: &mut Builder, op: Op, x: Value) -> Option<Value> {
    let (inner_op, args) = b.operation(x)?;
    let &[y] = args else {
        return None;
    };
    match (op, inner_op) {
        (Op::FAbs, Op::FNeg | Op::FAbs) => Some(b.op(Op::FAbs, &[y])),
        (Op::FNeg, Op::FNeg) if is_settled(b, y, DEPTH) || is_number(b, y, DEPTH) => Some(y),
        _ => None,
    }
}

fn canon(b: &Builder, x: Value) -> Option<Value> {
    let stays = is_number(b, x, DEPTH) || matches!(b.operation(x), Some((Op::Canon, _)));
    stays.then_some(x)
}

fn integer(b: &mut Builder, op: Op, x: Value, y: Value) -> Option<Value> {
    if x == y {
        match op {
            Op::ISub | Op::IXor => return Some(b.int(0)),
            Op::IAnd | Op::IOr => return Some(x),
            _ => {}
        }
    }
    let k = b.bits(y)?;
    match (op, k) {
        (Op::IAdd | Op::ISub | Op::IOr | Op::IXor, 0) => return Some(x),
        (Op::IMul, 1) | (Op::IAnd, u32::MAX) => return Some(x),
        (Op::IMul | Op::IAnd, 0) => return Some(b.int(0)),
        (Op::IOr, u32::MAX) => return Some(y),
        (Op::ISub, _) => {
            let minus = b.int(k.wrapping_neg());
            return Some(b.op(Op::IAdd, &[x, minus]));
        }
        (Op::IMul, _) if k.is_power_of_two() => {
            let shift = b.int(k.trailing_zeros());
            return Some(b.op(Op::IShl, &[x, shift]));
        }
        _ => {}
    }
    // (x op k1) op k2 = x op (k1 op k2), wrapping.
    let (inner_op, args) = b.operation(x)?;
    let &[x, k1] = args else {
        return None;
    };
    if inner_op == op && b.bits(k1).is_some() {
        let k = b.op(op, &[k1, y]);
        return Some(b.op(op, &[x, k]));
    }
    None
}

/// Division by a power of two.
fn integer_division(b: &mut Builder, op: Op, x: Value, y: Value) -> Option<Value> {
    let k = b.bits(y)?;
    // 2^31 is negative as a signed divisor.
    if !k.is_power_of_two() || (matches!(op, Op::SDiv | Op::SRem) && k == 1 << 31) {
        return None;
    }
    let shift = k.trailing_zeros();
    match (op, shift) {
        (Op::UDiv | Op::SDiv, 0) => return Some(x),
        (Op::URem | Op::SRem, 0) => return Some(b.int(0)),
        _ => {}
    }
    let (shift, below, mask) = (b.int(shift), b.int(32 - shift), b.int(k - 1));
    match op {
        Op::UDiv => Some(b.op(Op::UShr, &[x, shift])),
        Op::URem => Some(b.op(Op::IAnd, &[x, mask])),
        _ => {
            // Toward zero: a negative dividend is rounded up.
            let last = b.int(31);
            let sign = b.op(Op::SShr, &[x, last]);
            let bias = b.op(Op::UShr, &[sign, below]);
            let biased = b.op(Op::IAdd, &[x, bias]);
            if op == Op::SDiv {
                return Some(b.op(Op::SShr, &[biased, shift]));
            }
            let upper = b.int(!(k - 1));
            let multiple = b.op(Op::IAnd, &[biased, upper]);
            Some(b.op(Op::ISub, &[x, multiple]))
        }
    }
}

fn compare(b: &mut Builder, op: Op, x: Value, y: Value) -> Option<Value> {
    if x == y {
        return Some(b.bool(matches!(op, Op::IEq | Op::SLe | Op::ULe)));
    }
    let k = b.bits(y)?;
    match (op, k) {
        (Op::ULt, 0) => return Some(b.bool(false)),
        (Op::ULe, u32::MAX) => return Some(b.bool(true)),
        _ => {}
    }
    // A comparison of what a truth value was turned into: decide it for both truths.
    let (cond, when_true, when_false) = match b.operation(x)? {
        (Op::BToI, &[c]) => (c, 1, 0),
        (Op::ISelect, &[c, t, e]) => (c, b.bits(t)?, b.bits(e)?),
        _ => return None,
    };
    let decide = |bits| scalar::eval(op, &[bits, k], b.denorm()) != 0;
    match (decide(when_true), decide(when_false)) {
        (true, false) => Some(cond),
        (false, true) => Some(b.op(Op::BNot, &[cond])),
        (known, _) => Some(b.bool(known)),
    }
}

fn logic(b: &mut Builder, op: Op, x: Value, y: Value) -> Option<Value> {
    if x == y {
        return Some(if op == Op::BXor { b.bool(false) } else { x });
    }
    if let Some(known) = b.truth(y) {
        return Some(logic_known(b, op, x, known));
    }
    if let Some(known) = b.truth(x) {
        return Some(logic_known(b, op, y, known));
    }
    if are_opposites(b, x, y) {
        return Some(b.bool(op != Op::BAnd));
    }
    // x && (x || z) and x || (x && z) are x.
    let dual = match op {
        Op::BAnd => Op::BOr,
        Op::BOr => Op::BAnd,
        _ => return None,
    };
    [(x, y), (y, x)]
        .into_iter()
        .find_map(|(kept, other)| match b.operation(other) {
            Some((o, args)) if o == dual && args.contains(&kept) => Some(kept),
            _ => None,
        })
}

fn logic_known(b: &mut Builder, op: Op, x: Value, known: bool) -> Value {
    match (op, known) {
        (Op::BAnd, true) | (Op::BOr | Op::BXor, false) => x,
        (Op::BXor, true) => b.op(Op::BNot, &[x]),
        _ => b.bool(known),
    }
}

fn not(b: &mut Builder, x: Value) -> Option<Value> {
    let (op, args) = b.operation(x)?;
    if op == Op::BNot {
        return Some(args[0]);
    }
    let (opposite, swapped) = opposite(op)?;
    let (p, q) = (args[0], args[1]);
    Some(b.op(opposite, &if swapped { [q, p] } else { [p, q] }))
}

/// Whether one of two truth values is true where the other is false, as far as their definitions show.
pub fn are_opposites(b: &Builder, x: Value, y: Value) -> bool {
    if inner(b, x, Op::BNot) == Some(y) || inner(b, y, Op::BNot) == Some(x) {
        return true;
    }
    let (Some((op, &[p, q])), Some((other, args))) = (b.operation(x), b.operation(y)) else {
        return false;
    };
    opposite(op).is_some_and(|(opposite, swapped)| {
        other == opposite && args == if swapped { [q, p] } else { [p, q] }
    })
}

/// The comparison that is true where this one is false, and whether its operands change places. There is none where a
/// NaN makes both false.
fn opposite(op: Op) -> Option<(Op, bool)> {
    Some(match op {
        Op::IEq => (Op::INe, false),
        Op::INe => (Op::IEq, false),
        Op::FEq => (Op::FNe, false),
        Op::FNe => (Op::FEq, false),
        Op::SLt => (Op::SLe, true),
        Op::SLe => (Op::SLt, true),
        Op::ULt => (Op::ULe, true),
        Op::ULe => (Op::ULt, true),
        _ => return None,
    })
}

fn select(b: &mut Builder, op: Op, c: Value, x: Value, y: Value) -> Option<Value> {
    if x == y {
        return Some(x);
    }
    if let Some(known) = b.truth(c) {
        return Some(if known { x } else { y });
    }
    if let Some(c) = inner(b, c, Op::BNot) {
        return Some(b.op(op, &[c, y, x]));
    }
    // The same choice again inside one of the sides is made already.
    if let Some((o, &[c2, x2, _])) = b.operation(x)
        && o == op
        && c2 == c
    {
        return Some(b.op(op, &[c, x2, y]));
    }
    if let Some((o, &[c2, _, y2])) = b.operation(y)
        && o == op
        && c2 == c
    {
        return Some(b.op(op, &[c, x, y2]));
    }
    match (op, b.bits(x), b.bits(y)) {
        (Op::ISelect, Some(1), Some(0)) => Some(b.op(Op::BToI, &[c])),
        (Op::BSelect, Some(1), _) => Some(b.op(Op::BOr, &[c, y])),
        (Op::BSelect, Some(_), _) => {
            let not = b.op(Op::BNot, &[c]);
            Some(b.op(Op::BAnd, &[not, y]))
        }
        (Op::BSelect, None, Some(0)) => Some(b.op(Op::BAnd, &[c, x])),
        (Op::BSelect, None, Some(_)) => {
            let not = b.op(Op::BNot, &[c]);
            Some(b.op(Op::BOr, &[not, x]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::kir::parse::parse;
    use crate::passes::rebuild::{Keep, rebuild};
    use fuseline_numerics::scalar::Denorm;

    /// What is left of a function's text after rebuilding it.
    fn simplified(text: &str) -> String {
        let function = parse(text).unwrap();
        let function = rebuild(&function, Denorm::Flush, &mut Keep);
        crate::passes::dead::remove(&function).to_string()
    }

    /// The text of the value stored by a function of `x: f32`, `i: i32` and `b: bool`, all that is known being their
    /// kinds.
    fn value(lines: &str) -> String {
        let text = format!(
            "x: f32 = cload c0[+0]\ni: i32 = cload c0[+4]\nj: i32 = cload c0[+8]\nb: bool = ine j, 0\n{lines}"
        );
        let text = simplified(&text);
        let kept: Vec<&str> = text.lines().filter(|l| !l.contains("cload")).collect();
        kept.join("; ")
    }

    #[test]
    fn times_one_stays_for_a_value_that_may_be_denormal() {
        assert_eq!(
            value("y: f32 = fmul x, 1.0\nstore o0.0 = y"),
            "v1: f32 = fmul v0, 1.0; store o0.0 = v1"
        );
    }

    #[test]
    fn times_one_goes_after_arithmetic() {
        assert_eq!(
            value("y: f32 = fadd x, x\nz: f32 = fmul 1.0, y\nstore o0.0 = z"),
            "v1: f32 = fadd v0, v0; store o0.0 = v1"
        );
    }

    #[test]
    fn adding_a_product_with_one_is_an_addition() {
        assert_eq!(
            value("y: f32 = fma 1.0, x, 2.5\nstore o0.0 = y"),
            "v1: f32 = fadd v0, 2.5; store o0.0 = v1"
        );
    }

    #[test]
    fn adding_zero_stays_because_of_minus_zero() {
        assert_eq!(
            value("y: f32 = fmul x, x\nz: f32 = fadd y, 0.0\nstore o0.0 = z"),
            "v1: f32 = fmul v0, v0; v2: f32 = fadd v1, 0.0; store o0.0 = v2"
        );
        assert_eq!(
            value("y: f32 = fmul x, x\nz: f32 = fsub y, 0.0\nstore o0.0 = z"),
            "v1: f32 = fmul v0, v0; store o0.0 = v1"
        );
    }

    #[test]
    fn a_power_of_two_divides_as_a_multiplication() {
        assert_eq!(
            value("y: f32 = fdiv x, 4.0\nstore o0.0 = y"),
            "v1: f32 = fmul v0, 0.25; store o0.0 = v1"
        );
        assert_eq!(
            value("y: f32 = fdiv x, 3.0\nstore o0.0 = y"),
            "v1: f32 = fdiv v0, 3.0; store o0.0 = v1"
        );
    }

    #[test]
    fn signed_division_by_a_power_of_two_shifts() {
        assert_eq!(
            value("y: i32 = sdiv i, 8\nstore o0.0 = y"),
            "v1: i32 = sshr v0, 31; v2: i32 = ushr v1, 29; v3: i32 = iadd v0, v2; v4: i32 = sshr v3, 3; \
             store o0.0 = v4"
        );
    }

    #[test]
    fn constants_of_nested_integer_sums_meet() {
        assert_eq!(
            value("y: i32 = iadd 4, i\nz: i32 = isub y, 16\nstore o0.0 = z"),
            "v1: i32 = iadd v0, -12; store o0.0 = v1"
        );
    }

    #[test]
    fn a_test_of_a_chosen_constant_is_the_choice() {
        assert_eq!(
            value("y: i32 = iselect b, 7, 9\nz: bool = slt y, 8\nstore o0.0 = z"),
            "v1: bool = ine v0, 0; store o0.0 = v1"
        );
    }

    #[test]
    fn not_turns_integer_comparisons_but_no_float_order() {
        assert_eq!(
            value("y: bool = slt i, 3\nz: bool = bnot y\nstore o0.0 = z"),
            "v1: bool = sle 3, v0; store o0.0 = v1"
        );
        assert_eq!(
            value("y: bool = flt x, 3.0\nz: bool = bnot y\nstore o0.0 = z"),
            "v1: bool = flt v0, 3.0; v2: bool = bnot v1; store o0.0 = v2"
        );
    }
}
