//! Decimals rounded once to a float type, to nearest even (draw-file.md, DATA).

use super::reader::Number;

/// The nearest binary32; None where a finite number is too large for the type.
pub fn to_f32(number: Number<'_>) -> Option<f32> {
    let value = match number {
        // Rust's conversion rounds once, to nearest even.
        Number::Integer(i) => i as f32,
        Number::Float(text) => {
            special(text).map_or_else(|| plain(text).parse().ok(), |x| Some(x as f32))?
        }
    };
    (value.is_finite() || is_special(number)).then_some(value)
}

/// The nearest binary16; None where a finite number is too large for the type.
pub fn to_f16(number: Number<'_>) -> Option<half::f16> {
    let value = match number {
        // A binary32 holds every integer that a binary16 can be near to.
        Number::Integer(i) => half::f16::from_f32(i.clamp(-100_000, 100_000) as f32),
        Number::Float(text) => match special(text) {
            Some(x) => half::f16::from_f32(x as f32),
            None => half::f16::from_f32(odd_f32(&plain(text))?),
        },
    };
    (value.is_finite() || is_special(number)).then_some(value)
}

fn is_special(number: Number<'_>) -> bool {
    matches!(number, Number::Float(text) if special(text).is_some())
}

fn special(text: &str) -> Option<f64> {
    let (negative, word) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let value = match word {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| *c != '_').collect()
}

/// A binary32 from which a shorter float is rounded as from the decimal itself: the nearest one where it is exact,
/// else of the two neighbours the one whose last bit is odd. (A tie between shorter floats has an even last bit, so
/// this never lands on one by rounding.)
fn odd_f32(text: &str) -> Option<f32> {
    let near: f32 = text.parse().ok()?;
    if near == 0.0 || !near.is_finite() {
        return Some(near);
    }
    // A binary32 has at most 149 decimals.
    let exact = format!("{near:.149}");
    let order = Decimal::new(text.trim_start_matches(['-', '+']))
        .cmp(&Decimal::new(exact.trim_start_matches('-')));
    let odd = near.to_bits() & 1 == 1;
    Some(match order {
        std::cmp::Ordering::Equal => near,
        _ if odd => near,
        std::cmp::Ordering::Less => f32::from_bits(near.to_bits() - 1),
        std::cmp::Ordering::Greater => f32::from_bits(near.to_bits() + 1),
    })
}

/// A positive decimal: `0.d1d2d3… * 10^exponent`, d1 not zero, no zeros at the end.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decimal {
    exponent: i64,
    digits: String,
}

impl Decimal {
    fn new(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let leading = all.len() - all.trim_start_matches('0').len();
        let digits = all.trim_matches('0').to_owned();
        let exponent = exponent.parse::<i64>().unwrap_or(0) + whole.len() as i64 - leading as i64;
        Decimal { exponent, digits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_just_past_a_tie_of_halves_rounds_away_from_it() {
        // 1 + 2^-11 lies half-way between two halves; the text is nearer to it than any double.
        let tie = "1.00048828125";
        assert_eq!(
            to_f16(Number::Float(tie)).map(half::f16::to_bits),
            Some(0x3C00)
        );
        let past = format!("{tie}{}1", "0".repeat(40));
        assert_eq!(
            to_f16(Number::Float(&past)).map(half::f16::to_bits),
            Some(0x3C01)
        );
    }

    #[test]
    fn a_decimal_just_past_a_tie_of_floats_rounds_away_from_it() {
        // 1 + 2^-24, and a bit more: through a double this would round to 1.
        let past = format!("1.000000059604644775390625{}1", "0".repeat(30));
        assert_eq!(
            to_f32(Number::Float(&past)).map(f32::to_bits),
            Some(0x3F80_0001)
        );
    }

    #[test]
    fn numbers_past_the_largest_are_refused_and_infinities_are_not() {
        assert_eq!(to_f32(Number::Float("1e39")), None);
        assert_eq!(to_f32(Number::Float("-inf")), Some(f32::NEG_INFINITY));
        assert_eq!(to_f16(Number::Integer(70000)), None);
        assert!(to_f16(Number::Float("nan")).is_some_and(half::f16::is_nan));
    }
}
