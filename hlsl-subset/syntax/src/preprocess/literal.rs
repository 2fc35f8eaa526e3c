//! What numbers, strings and characters mean.
//!
//! Must not know where they stand: errors are a code and a message, the caller adds the place.

use crate::{
    diagnostic::Code,
    token::{FloatLiteral, FloatSuffix, IntLiteral, Tok},
};

/// The token for 0.
pub(super) const ZERO: Tok = Tok::Int(IntLiteral {
    value: 0,
    decimal: true,
    unsigned: false,
    longs: 0,
});

/// Why a literal is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LiteralError {
    pub code: Code,
    pub message: String,
    pub hint: Option<&'static str>,
}

fn error(code: Code, message: String, hint: Option<&'static str>) -> LiteralError {
    LiteralError {
        code,
        message,
        hint,
    }
}

/// The value of a number as the lexer takes it.
pub(super) fn number(text: &str) -> Result<Tok, LiteralError> {
    let has_radix = matches!(text.as_bytes(), [b'0', b'x' | b'X' | b'b' | b'B', ..]);
    let is_float = !has_radix && text.contains(['.', 'e', 'E', 'f', 'F', 'h', 'H']);
    if is_float {
        float(text).map(Tok::Float)
    } else {
        integer(text).map(Tok::Int)
    }
}

fn float(text: &str) -> Result<FloatLiteral, LiteralError> {
    let special = text.strip_prefix("1.#").map(|name| match name.get(..3) {
        Some("INF") => f32::INFINITY,
        _ => f32::NAN,
    });
    let (digits, suffix) = match text.as_bytes().last() {
        Some(b'F') if text.ends_with("#INF") => (text, FloatSuffix::None),
        Some(b'f' | b'F') => (&text[..text.len() - 1], FloatSuffix::Float),
        Some(b'h' | b'H') => (&text[..text.len() - 1], FloatSuffix::Half),
        Some(b'l' | b'L') => (&text[..text.len() - 1], FloatSuffix::Double),
        _ => (text, FloatSuffix::None),
    };
    let value = if let Some(value) = special {
        value
    } else {
        let value: f32 = digits
            .parse()
            .map_err(|_| error(Code::BadNumber, format!("'{text}' is not a number"), None))?;
        if value.is_infinite() {
            let hint = "the largest float is 3.40282347e38; infinity is written 1.#INF";
            let message = format!("'{text}' does not fit a float");
            return Err(error(Code::NumberTooLarge, message, Some(hint)));
        }
        value
    };
    Ok(FloatLiteral { value, suffix })
}

fn integer(text: &str) -> Result<IntLiteral, LiteralError> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = &text[digits.len()..];
    let (radix, body) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let value = u64::from_str_radix(body, radix).map_err(|e| match e.kind() {
        std::num::IntErrorKind::PosOverflow => {
            let message = format!("'{text}' does not fit 64 bits");
            error(Code::NumberTooLarge, message, None)
        }
        _ => {
            let message = format!("'{text}' is not an octal number");
            let hint = "a number that begins with 0 is octal and has no digits 8 and 9";
            error(Code::BadNumber, message, Some(hint))
        }
    })?;
    Ok(IntLiteral {
        value,
        decimal: radix == 10,
        unsigned: suffix.contains(['u', 'U']),
        longs: suffix.matches(['l', 'L']).count() as u8,
    })
}

/// Why a text that begins like a number is none.
pub(super) fn bad_number(text: &str) -> LiteralError {
    let digits = text
        .find(|c: char| c.is_ascii_alphabetic() || c == '_')
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    if number == "0" && rest.starts_with(['x', 'X']) {
        let message = format!("'{text}' is not a hexadecimal number");
        return error(Code::BadNumber, message, None);
    }
    let message = format!("'{rest}' cannot follow the number '{number}'");
    let hint =
        "suffixes are u and l for integers, f, h and l for floats; names do not begin with a digit";
    error(Code::BadNumber, message, Some(hint))
}

/// The text of a string with its quotes, escapes resolved.
pub(super) fn string(quoted: &str) -> Result<String, LiteralError> {
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted
        .get(1..quoted.len().saturating_sub(1))
        .unwrap_or_default()
        .chars();
    while let Some(c) = rest.next() {
        text.push(if c == '\\' { escape(&mut rest)? } else { c });
    }
    Ok(text)
}

/// The value of a character with its quotes: that of its only character.
pub(super) fn character(quoted: &str) -> Result<Tok, LiteralError> {
    let text = string(quoted)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(Tok::Int(IntLiteral {
            value: u64::from(u32::from(c)),
            decimal: true,
            unsigned: false,
            longs: 0,
        })),
        _ => {
            let message = format!("{quoted} is more than one character");
            let hint = "text is written in double quotes";
            Err(error(Code::BadEscape, message, Some(hint)))
        }
    }
}

/// What follows a backslash.
fn escape(rest: &mut std::str::Chars) -> Result<char, LiteralError> {
    let bad = |text: String| {
        let message = format!("'\\{text}' is not an escape");
        error(
            Code::BadEscape,
            message,
            Some("a backslash itself is written \\\\"),
        )
    };
    let numeric = |digits: &str, radix| {
        u32::from_str_radix(digits, radix)
            .ok()
            .and_then(char::from_u32)
    };
    let Some(c) = rest.next() else {
        return Err(bad(String::new()));
    };
    Ok(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0C',
        'v' => '\x0B',
        '\\' | '"' | '\'' | '?' => c,
        'x' => {
            let digits = take_digits(rest, 16, 8);
            numeric(&digits, 16).ok_or_else(|| bad(format!("x{digits}")))?
        }
        '0'..='7' => {
            let digits = c.to_string() + &take_digits(rest, 8, 2);
            numeric(&digits, 8).ok_or_else(|| bad(digits))?
        }
        other => return Err(bad(other.to_string())),
    })
}

fn take_digits(rest: &mut std::str::Chars, radix: u32, most: usize) -> String {
    let digits: String = rest
        .as_str()
        .chars()
        .take_while(|c| c.is_digit(radix))
        .take(most)
        .collect();
    *rest = rest.as_str()[digits.len()..].chars();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn float_is(text: &str, value: f32, suffix: FloatSuffix) {
        assert_eq!(number(text), Ok(Tok::Float(FloatLiteral { value, suffix })));
    }

    #[track_caller]
    fn int_is(text: &str, value: u64, decimal: bool, unsigned: bool, longs: u8) {
        let literal = IntLiteral {
            value,
            decimal,
            unsigned,
            longs,
        };
        assert_eq!(number(text), Ok(Tok::Int(literal)));
    }

    #[test]
    fn floats_are_rounded_once() {
        float_is("1.", 1.0, FloatSuffix::None);
        float_is(".5h", 0.5, FloatSuffix::Half);
        float_is("1e-3f", 1e-3, FloatSuffix::Float);
        float_is("2f", 2.0, FloatSuffix::Float);
        float_is("1.5L", 1.5, FloatSuffix::Double);
        // Just above the middle between two floats: by way of a double it would become the middle and round to even.
        float_is("1.00000005960464478", 1.0 + f32::EPSILON, FloatSuffix::None);
        float_is("1.#INF", f32::INFINITY, FloatSuffix::None);
        float_is("1.#INFf", f32::INFINITY, FloatSuffix::Float);
        assert!(matches!(number("1.#QNAN"), Ok(Tok::Float(f)) if f.value.to_bits() == 0x7FC0_0000));
        float_is("1e-60", 0.0, FloatSuffix::None);
    }

    #[test]
    fn integers_of_every_base() {
        int_is("0", 0, true, false, 0);
        int_is("017", 15, false, false, 0);
        int_is("0xFFFFFFFFu", 0xFFFF_FFFF, false, true, 0);
        int_is("0b101", 5, false, false, 0);
        int_is("1ull", 1, true, true, 2);
        int_is("18446744073709551615", u64::MAX, true, false, 0);
    }

    #[track_caller]
    fn message<T: std::fmt::Debug>(result: Result<T, LiteralError>) -> String {
        result.unwrap_err().message
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(message(number("1e39")), "'1e39' does not fit a float");
        assert_eq!(message(number("089")), "'089' is not an octal number");
        assert_eq!(
            message(number("0x10000000000000000")),
            "'0x10000000000000000' does not fit 64 bits"
        );
        assert_eq!(
            bad_number("1.5q").message,
            "'q' cannot follow the number '1.5'"
        );
        assert_eq!(
            bad_number("0xg").message,
            "'0xg' is not a hexadecimal number"
        );
        assert_eq!(message(string(r#""\q""#)), r"'\q' is not an escape");
        assert_eq!(
            message(character("'ab'")),
            "'ab' is more than one character"
        );
    }

    #[test]
    fn escapes() {
        assert_eq!(string(r#""a\n\x41\101\\\"""#).unwrap(), "a\nAA\\\"");
        assert_eq!(character(r"'\0'").unwrap().to_string(), "0");
    }
}
