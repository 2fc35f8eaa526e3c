//! Float arithmetic as decisions.md, *Numbers*, has it: an exact rational result, rounded once to nearest even, flushed.

use num_bigint::{BigInt, Sign};
use num_rational::Ratio;

/// The one arithmetic NaN.
pub const NAN: u32 = 0x7FC0_0000;
const INFINITY: u32 = 0x7F80_0000;
const SIGN: u32 = 0x8000_0000;

/// What the bits of an operand mean.
enum Number {
    NaN,
    Infinity(bool),
    /// Zero, or a denormal, which is read as zero.
    Zero(bool),
    Finite(Ratio<BigInt>),
}

impl Number {
    fn of(bits: u32) -> Number {
        let negative = bits & SIGN != 0;
        let fraction = bits & 0x007F_FFFF;
        match (bits >> 23) & 0xFF {
            0 => Number::Zero(negative),
            255 if fraction == 0 => Number::Infinity(negative),
            255 => Number::NaN,
            exponent => {
                let magnitude = scaled(BigInt::from(fraction | 0x0080_0000), exponent as i32 - 150);
                Number::Finite(if negative { -magnitude } else { magnitude })
            }
        }
    }

    fn negative(&self) -> bool {
        match self {
            Number::NaN => false,
            Number::Infinity(negative) | Number::Zero(negative) => *negative,
            Number::Finite(value) => value.numer().sign() == Sign::Minus,
        }
    }
}

/// `mantissa * 2^exponent`.
fn scaled(mantissa: BigInt, exponent: i32) -> Ratio<BigInt> {
    let power = BigInt::from(1) << exponent.unsigned_abs();
    if exponent < 0 {
        Ratio::new(mantissa, power)
    } else {
        Ratio::from_integer(mantissa * power)
    }
}

fn zero(negative: bool) -> u32 {
    if negative { SIGN } else { 0 }
}

/// Rounds a value that is not zero to 24 bits, ties to even; too small for a normal float is zero, too large infinite.
pub fn rounded(value: &Ratio<BigInt>) -> u32 {
    let sign = zero(value.numer().sign() == Sign::Minus);
    let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
    // value / 2^exponent has 24 or 25 bits before the point; with 25, the exponent is one more.
    let mut exponent = numerator.bits() as i64 - denominator.bits() as i64 - 24;
    loop {
        let shift = exponent.unsigned_abs();
        let (n, d) = if exponent < 0 {
            (numerator << shift, denominator.clone())
        } else {
            (numerator.clone(), denominator << shift)
        };
        let (mut quotient, twice) = (&n / &d, (&n % &d) << 1u32);
        if quotient.bits() < 24 {
            exponent -= 1;
            continue;
        }
        if quotient.bits() > 24 {
            exponent += 1;
            continue;
        }
        if twice > d || (twice == d && quotient.bit(0)) {
            quotient += 1u32;
        }
        if quotient.bits() > 24 {
            quotient >>= 1u32;
            exponent += 1;
        }
        let mantissa = u32::try_from(&quotient).expect("24 bits");
        return match exponent + 150 {
            i64::MIN..=0 => sign,
            biased @ 1..=254 => sign | (biased as u32) << 23 | (mantissa & 0x007F_FFFF),
            _ => sign | INFINITY,
        };
    }
}

/// A float of an integer.
pub fn from_integer(value: i64) -> u32 {
    if value == 0 {
        return 0;
    }
    rounded(&Ratio::from_integer(BigInt::from(value)))
}

/// An integer of a float: toward zero, held within the bounds, NaN gives 0.
pub fn to_integer(bits: u32, least: i64, greatest: i64) -> i64 {
    match Number::of(bits) {
        Number::NaN | Number::Zero(_) => 0,
        Number::Infinity(negative) => {
            if negative {
                least
            } else {
                greatest
            }
        }
        Number::Finite(value) => {
            let whole = value.trunc().to_integer();
            let held = whole.clamp(BigInt::from(least), BigInt::from(greatest));
            i64::try_from(held).expect("held within 64 bits")
        }
    }
}

/// The bits with the other sign; a NaN is the one NaN.
pub fn negate(x: u32) -> u32 {
    match Number::of(x) {
        Number::NaN => NAN,
        _ => x ^ SIGN,
    }
}

pub fn add(x: u32, y: u32) -> u32 {
    sum(Number::of(x), Number::of(y))
}

fn sum(x: Number, y: Number) -> u32 {
    match (x, y) {
        (Number::NaN, _) | (_, Number::NaN) => NAN,
        (Number::Infinity(x), Number::Infinity(y)) if x != y => NAN,
        (Number::Infinity(negative), _) | (_, Number::Infinity(negative)) => {
            zero(negative) | INFINITY
        }
        (Number::Zero(x), Number::Zero(y)) => zero(x && y),
        (Number::Zero(_), Number::Finite(value)) | (Number::Finite(value), Number::Zero(_)) => {
            rounded(&value)
        }
        (Number::Finite(x), Number::Finite(y)) => {
            let value = x + y;
            match value.numer().sign() {
                Sign::NoSign => 0,
                _ => rounded(&value),
            }
        }
    }
}

/// The exact product.
fn product(x: u32, y: u32) -> Number {
    let (x, y) = (Number::of(x), Number::of(y));
    let negative = x.negative() != y.negative();
    match (x, y) {
        (Number::NaN, _) | (_, Number::NaN) => Number::NaN,
        (Number::Infinity(_), Number::Zero(_)) | (Number::Zero(_), Number::Infinity(_)) => {
            Number::NaN
        }
        (Number::Infinity(_), _) | (_, Number::Infinity(_)) => Number::Infinity(negative),
        (Number::Zero(_), _) | (_, Number::Zero(_)) => Number::Zero(negative),
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(x * y),
    }
}

fn bits_of(number: &Number) -> u32 {
    match number {
        Number::NaN => NAN,
        Number::Infinity(negative) => zero(*negative) | INFINITY,
        Number::Zero(negative) => zero(*negative),
        Number::Finite(value) => rounded(value),
    }
}

pub fn multiply(x: u32, y: u32) -> u32 {
    bits_of(&product(x, y))
}

/// `x * y + z` with one rounding.
pub fn fused(x: u32, y: u32, z: u32) -> u32 {
    sum(product(x, y), Number::of(z))
}

pub fn divide(x: u32, y: u32) -> u32 {
    let (x, y) = (Number::of(x), Number::of(y));
    let negative = x.negative() != y.negative();
    bits_of(&match (x, y) {
        (Number::NaN, _) | (_, Number::NaN) => Number::NaN,
        (Number::Infinity(_), Number::Infinity(_)) | (Number::Zero(_), Number::Zero(_)) => {
            Number::NaN
        }
        (Number::Infinity(_), _) | (_, Number::Zero(_)) => Number::Infinity(negative),
        (Number::Zero(_), _) | (_, Number::Infinity(_)) => Number::Zero(negative),
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(x / y),
    })
}
