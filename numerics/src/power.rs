//! Integer powers of floats: what HLSL's `pow` is where the exponent is a known integer (decisions.md, *Numbers*).

use crate::machine::Machine;
use crate::op::{Kind, Op};

/// `x` to the `exponent`, by binary powering: the squares of x that the exponent's bits name, multiplied from the
/// lowest on; for a negative exponent the reciprocal of that. The zeroth power is 1 even of NaN.
pub fn integer_power<M: Machine>(machine: &mut M, x: M::Value, exponent: i8) -> M::Value {
    if exponent == 1 {
        // A product all the same, so that it flushes as every power does.
        let one = machine.constant(Kind::F32, 1f32.to_bits());
        return machine.op(Op::FMul, &[x, one]);
    }
    let mut rest = exponent.unsigned_abs();
    let mut square = x;
    let mut product = None;
    while rest != 0 {
        if rest & 1 != 0 {
            product = Some(match product {
                None => square,
                Some(product) => machine.op(Op::FMul, &[product, square]),
            });
        }
        rest >>= 1;
        if rest != 0 {
            square = machine.op(Op::FMul, &[square, square]);
        }
    }
    match product {
        None => machine.constant(Kind::F32, 1f32.to_bits()),
        Some(power) if exponent < 0 => {
            let one = machine.constant(Kind::F32, 1f32.to_bits());
            machine.op(Op::FDiv, &[one, power])
        }
        Some(power) => power,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Scalar;

    fn power(x: f32, exponent: i8) -> f32 {
        f32::from_bits(integer_power(&mut Scalar::default(), x.to_bits(), exponent))
    }

    #[test]
    fn small_powers_are_exact_and_keep_the_sign() {
        assert_eq!(power(-2.0, 3), -8.0);
        assert_eq!(power(3.0, 5), 243.0);
        assert_eq!(power(-2.0, 6), 64.0);
        assert_eq!(power(7.0, 1), 7.0);
        assert_eq!(power(2.0, 64), 2f32.powi(64));
    }

    #[test]
    fn the_zeroth_power_is_one_and_negative_ones_are_reciprocals() {
        assert_eq!(power(f32::NAN, 0), 1.0);
        assert_eq!(power(2.0, -3), 0.125);
        assert_eq!(power(-0.0, -1), f32::NEG_INFINITY);
    }

    #[test]
    fn the_first_power_flushes_like_the_others() {
        assert_eq!(power(f32::from_bits(1), 1), 0.0);
    }

    #[test]
    fn factors_are_multiplied_from_the_lowest_bit_on() {
        let x = 1.1f32;
        assert_eq!(power(x, 7), x * (x * x) * ((x * x) * (x * x)));
    }
}
