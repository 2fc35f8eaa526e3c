//! One component of a result as text: the same in JSON, CSV, tables and messages but for NaN and infinities.

use fuseline_hlsl::types::Scalar;
use std::io::{self, Write};

/// How a float that is no number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// As a JSON string: `"NaN"`.
    Json,
    /// Bare.
    None,
}

/// Writes a component. Reading a float back, as binary32 or through binary64, gives the same bits (any NaN for a NaN).
pub fn write(out: &mut impl Write, scalar: Scalar, bits: u32, quotes: Quotes) -> io::Result<()> {
    match scalar {
        Scalar::Float => write_float(out, f32::from_bits(bits), quotes),
        Scalar::Int => write!(out, "{}", bits as i32),
        Scalar::Uint => write!(out, "{bits}"),
        Scalar::Bool => write!(out, "{}", u32::from(bits != 0)),
    }
}

fn write_float(out: &mut impl Write, value: f32, quotes: Quotes) -> io::Result<()> {
    if value.is_finite() {
        // The shortest decimal that a binary32 reader takes for this value; a reader through binary64 rounds twice,
        // and in a rare case needs all the digits.
        let short = format!("{value:?}");
        let through_double = short.parse::<f64>().map(|x| x as f32);
        return match through_double {
            Ok(back) if back.to_bits() == value.to_bits() => out.write_all(short.as_bytes()),
            _ => write!(out, "{:?}", f64::from(value)),
        };
    }
    let quote = if quotes == Quotes::Json { "\"" } else { "" };
    let word = match value {
        f32::INFINITY => "Infinity",
        f32::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    };
    write!(out, "{quote}{word}{quote}")
}

/// A component as a string.
pub fn text(scalar: Scalar, bits: u32) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut bytes, scalar, bits, Quotes::None);
    String::from_utf8_lossy(&bytes).into_owned()
}
