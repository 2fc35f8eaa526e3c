//! Powers.

use super::exp::exp2_of_sum;
use super::log::{Reduced, reduce, with_special_cases};
use crate::code::Code;
use crate::machine::Machine;

/// log2 e in two floats.
const LOG2_E: [f32; 2] = [std::f32::consts::LOG2_E, 1.925963e-8];

/// (ln(1 + f) - f + f² / 2) / f³, for 1 + f between sqrt(1/2) and sqrt(2): error of the logarithm 2^-27, relative.
const LN: [f32; 8] = [
    0.3333333,
    -0.25000823,
    0.20001227,
    -0.16623357,
    0.14201751,
    -0.13160184,
    0.12761621,
    -0.07634547,
];

/// `exp2(y * log2(x))`, the logarithm and the product in two floats each.
pub(super) fn pow<M: Machine>(o: &Code<M>, x: M::Value, y: M::Value) -> M::Value {
    let (high, low) = log2(o, x);
    let high = with_special_cases(o, x, high);
    let product = o.mul(y, high);
    let rest = o.fma(y, high, o.neg(product));
    let rest = o.fma(y, low, rest);
    let power = exp2_of_sum(o, product, rest);
    // Beyond these the power has long left the floats, and where the product is infinite it is no number.
    let power = o.fselect(o.flt(o.f(129.0), product), o.f(f32::INFINITY), power);
    o.fselect(o.flt(product, o.f(-151.0)), o.f(0.0), power)
}

/// Logarithm of a positive finite `x` in two floats, together good to 2^-26.
fn log2<M: Machine>(o: &Code<M>, x: M::Value) -> (M::Value, M::Value) {
    let Reduced { e, f } = reduce(o, x);
    // ln(1 + f) = f - f² / 2 + …, the first two terms exactly as a + b.
    let minus_half = o.f(-0.5);
    let square = o.mul(f, f);
    let square_rest = o.fma(f, f, o.neg(square));
    let a = o.fma(minus_half, square, f);
    let b = o.fma(minus_half, square, o.sub(f, a));
    let b = o.fma(minus_half, square_rest, b);
    let b = o.fma(o.mul(f, square), o.polynomial(f, &LN), b);
    let (a, b) = fast_two_sum(o, a, b);
    // To base 2.
    let high = o.mul(a, o.f(LOG2_E[0]));
    let low = o.fma_f(a, LOG2_E[0], o.neg(high));
    let low = o.fma_f(a, LOG2_E[1], low);
    let low = o.fma_f(b, LOG2_E[0], low);
    // The exponent is zero or larger than the rest.
    let (high, lost) = fast_two_sum(o, e, high);
    (high, o.add(low, lost))
}

/// `a + b`, and what its rounding lost, for |a| >= |b| or a = 0.
fn fast_two_sum<M: Machine>(o: &Code<M>, a: M::Value, b: M::Value) -> (M::Value, M::Value) {
    let sum = o.add(a, b);
    (sum, o.sub(b, o.sub(sum, a)))
}

/// `x` to a power known beforehand, by repeated multiplication: squares of x, multiplied together from the lowest
/// bit of |n| up; for a negative n the reciprocal of that. `x^0` is 1 for every x.
pub fn integer_power<M: Machine>(machine: &mut M, x: M::Value, n: i32) -> M::Value {
    let o = Code::new(machine);
    let one = o.f(1.0);
    let mut bits = n.unsigned_abs();
    let mut square = x;
    let mut power = None;
    while bits > 1 {
        if bits & 1 == 1 {
            power = Some(power.map_or(square, |p| o.mul(p, square)));
        }
        square = o.mul(square, square);
        bits >>= 1;
    }
    let power = match (bits, power) {
        (0, _) => one,
        (_, Some(p)) => o.mul(p, square),
        // A product even of one factor flushes, and has the canonical NaN.
        (_, None) if n == 1 => o.mul(one, square),
        (_, None) => square,
    };
    if n < 0 { o.div(one, power) } else { power }
}
