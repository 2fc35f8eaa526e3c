//! The inverse trigonometric functions.

use super::exp::odd_polynomial;
use super::signum;
use crate::code::Code;
use crate::machine::Machine;
use std::f32::consts::{FRAC_PI_2, PI};

/// (asin(y) / y - 1) / y² in y², for 0 <= y <= 1/2: relative error of the arc sine 2^-27.
const ASIN: [f32; 5] = [0.16666754, 0.07495252, 0.04547604, 0.024152089, 0.042211812];

/// (atan(t) / t - 1) / t² in t², for |t| <= 1: relative error of the arc tangent 2^-26.
const ATAN: [f32; 8] = [
    -0.33333153,
    0.19993767,
    -0.14211002,
    0.10665773,
    -0.075516984,
    0.043205827,
    -0.016364418,
    0.0029198963,
];

/// Arc sine of y, or of sqrt((1 - |x|) / 2), by which larger |x| are brought below 1/2.
struct HalfAsin<V> {
    /// |x| > 1/2. A Bool.
    is_large: V,
    /// The arc sine; a NaN where |x| > 1.
    value: V,
}

fn half_asin<M: Machine>(o: &Code<M>, x: M::Value) -> HalfAsin<M::Value> {
    let a = o.abs(x);
    let is_large = o.flt(o.f(0.5), a);
    let reduced = o.sqrt(o.fma(a, o.f(-0.5), o.f(0.5)));
    let y = o.fselect(is_large, reduced, a);
    HalfAsin {
        is_large,
        value: odd_polynomial(o, y, &ASIN),
    }
}

/// Arc sine: for large |x|, pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
pub(super) fn asin<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let HalfAsin { is_large, value } = half_asin(o, x);
    let large = o.fma(value, o.f(-2.0), o.f(FRAC_PI_2));
    o.mul(o.fselect(is_large, large, value), signum(o, x))
}

/// Arc cosine: for large |x|, 2 asin(sqrt((1 - |x|) / 2)) or pi minus that; otherwise pi/2 - asin(x).
pub(super) fn acos<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let HalfAsin { is_large, value } = half_asin(o, x);
    let negative = o.flt(x, o.f(0.0));
    let signed = o.mul(value, signum(o, x));
    let factor = o.fselect(is_large, o.f(2.0), o.f(-1.0));
    let base_large = o.fselect(negative, o.f(PI), o.f(0.0));
    let base = o.fselect(is_large, base_large, o.f(FRAC_PI_2));
    o.fma(signed, factor, base)
}

/// Arc tangent: for large |x|, pi/2 + atan(-1 / |x|).
pub(super) fn atan<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    o.mul(first_quadrant(o, o.abs(x), o.f(1.0)), signum(o, x))
}

/// Arc tangent of y / x in the right quadrant (hlsl-vs-semantics.md section 10): from x = 0 on to the left, the sign
/// is that of `y < 0`, so atan2(-0, -1) is +pi; (0, 0) gives pi/2.
pub(super) fn atan2<M: Machine>(o: &Code<M>, y: M::Value, x: M::Value) -> M::Value {
    let zero = o.f(0.0);
    let (ay, ax) = (o.abs(y), o.abs(x));
    let angle = first_quadrant(o, ay, ax);
    let angle = o.fselect(o.flt(x, zero), o.sub(o.f(PI), angle), angle);
    let is_origin = o.feq(o.add(ay, ax), zero);
    let angle = o.fselect(is_origin, o.f(FRAC_PI_2), angle);
    // The sum makes a +0 of -0.
    let side = o.fselect(o.flt(zero, x), y, o.add(y, zero));
    o.mul(angle, signum(o, side))
}

/// Arc tangent of y / x for y, x >= 0, by one division: of y / x, or of -x / y, from pi/2.
fn first_quadrant<M: Machine>(o: &Code<M>, y: M::Value, x: M::Value) -> M::Value {
    let is_steep = o.flt(x, y);
    let numerator = o.fselect(is_steep, o.neg(x), y);
    let t = o.div(numerator, o.fselect(is_steep, y, x));
    let base = o.fselect(is_steep, o.f(FRAC_PI_2), o.f(0.0));
    o.add(odd_polynomial(o, t, &ATAN), base)
}
