//! Sine, cosine, tangent.
//!
//! The argument is reduced with pi in two floats: exact enough up to 2^16 and well beyond; the results stay in bounds
//! everywhere.

use super::exp::odd_polynomial;
use super::{ONE, ROUNDER, limit, rounded};
use crate::code::Code;
use crate::machine::Machine;
use std::f32::consts::{FRAC_1_PI, FRAC_2_PI};

/// The largest float below pi, and what it lacks. (Both positive, so that -0 stays -0.)
const PI: [f32; 2] = [3.1415925, 1.509958e-7];

/// (sin(r) / r - 1) / r² in r², for |r| <= pi / 2: relative error of the sine 2^-27.
const SIN_HALF: [f32; 4] = [-0.16666661, 0.008333103, -0.00019811995, 2.6105959e-06];

/// The same for |r| <= pi / 4: 2^-28.
const SIN_QUARTER: [f32; 3] = [-0.16666655, 0.008332192, -0.00019518788];

/// cos(r) in r², for |r| <= pi / 4: error 2^-33.
const COS_QUARTER: [f32; 5] = [1.0, -0.5, 0.041666646, -0.0013887301, 2.4430668e-05];

/// Sine: x = n pi + r, sin(x) = (-1)^n sin(r).
pub(super) fn sin<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let (n, integer) = rounded(o, o.fma_f(x, FRAC_1_PI, o.f(ROUNDER)));
    let sine = sin_of_rest(o, x, n);
    let sign = o.or_i(o.shl_i(integer, 31), ONE);
    o.mul(sine, o.as_float(sign))
}

/// Cosine: x = (n + 1/2) pi + r, cos(x) = -(-1)^n sin(r).
pub(super) fn cos<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let turns = o.fma_f(x, FRAC_1_PI, o.f(-0.5));
    let (n, integer) = rounded(o, o.add(turns, o.f(ROUNDER)));
    let sine = sin_of_rest(o, x, o.add(n, o.f(0.5)));
    let sign = o.xor(o.shl_i(integer, 31), o.i(0x8000_0000 | ONE));
    o.mul(sine, o.as_float(sign))
}

/// sin(x - n pi), for what is left of x.
fn sin_of_rest<M: Machine>(o: &Code<M>, x: M::Value, n: M::Value) -> M::Value {
    let r = o.fma_f(n, -PI[0], x);
    let r = o.fma_f(n, -PI[1], r);
    // Rounding, or an r that is far too large, could lead beyond 1.
    limit(o, odd_polynomial(o, r, &SIN_HALF), -1.0, 1.0)
}

/// Tangent: x = n pi / 2 + r; sin(r) / cos(r), or cos(r) / -sin(r) for odd n.
pub(super) fn tan<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let (n, integer) = rounded(o, o.fma_f(x, FRAC_2_PI, o.f(ROUNDER)));
    let r = o.fma_f(n, PI[0] / -2.0, x);
    let r = o.fma_f(n, PI[1] / -2.0, r);
    let r = limit(o, r, -1.0, 1.0);
    let sine = odd_polynomial(o, r, &SIN_QUARTER);
    let cosine = o.polynomial(o.mul(r, r), &COS_QUARTER);
    let odd = o.ine(o.and_i(integer, 1), o.i(0));
    let numerator = o.fselect(odd, cosine, sine);
    let denominator = o.fselect(odd, o.neg(sine), cosine);
    o.div(numerator, denominator)
}
