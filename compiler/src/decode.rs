//! From the bits of a vertex element to the four components of a shader input register.
//!
//! Written once over any machine: the interpreter and the staging copy run it on numbers, the compiler on code. Must not
//! know where the bits come from.

use crate::format::{Field, Format, Numeric};
use fuseline_numerics::half::{half_to_float, unsigned_small_float};
use fuseline_numerics::machine::Machine;
use fuseline_numerics::op::{Kind, Op};

/// Decodes an element. `words` holds the zero-extended pieces that [`Format::words`] names; the result is x, y, z, w, of
/// the kind of [`Numeric::kind`]. Components that the format lacks get their defaults (FS 19.1.3.3).
///
/// Integers convert to floats correctly rounded (FS 3.2.3.2); the bits of 32-bit components stay as they are.
pub fn decode<M: Machine>(machine: &mut M, format: Format, words: &[M::Value]) -> [M::Value; 4] {
    let numeric = format.numeric();
    let fields = format.fields();
    std::array::from_fn(|i| match fields[i] {
        Some(field) => component(machine, format, field, words[field.bit as usize / 32]),
        None => machine.constant(numeric.kind(), if i == 3 { numeric.one() } else { 0 }),
    })
}

/// One component, from the word that holds it.
fn component<M: Machine>(m: &mut M, format: Format, field: Field, word: M::Value) -> M::Value {
    // Bits of the word that can be set; those above are zero.
    let word_bits = (format.bytes() * 8).min(32);
    match (format.numeric(), field.width) {
        (Numeric::Float, 32) => m.op(Op::AsFloat, &[word]),
        (Numeric::Float, 16) => {
            let bits = shift(m, Op::UShr, word, field.bit % 32);
            half_to_float(m, bits)
        }
        (Numeric::Float, width) => {
            let bits = unsigned(m, field, word, word_bits);
            unsigned_small_float(m, bits, width - 5)
        }
        (Numeric::Uint, _) => unsigned(m, field, word, word_bits),
        (Numeric::Sint, _) => signed(m, field, word),
        (Numeric::Unorm, width) => {
            let code = unsigned(m, field, word, word_bits);
            fraction(m, code, (1 << width) - 1)
        }
        (Numeric::Snorm, width) => {
            // The smallest code counts as its neighbour.
            let one = (1i32 << (width - 1)) - 1;
            let code = signed(m, field, word);
            let least = m.constant(Kind::I32, -one as u32);
            let code = m.op(Op::SMax, &[code, least]);
            fraction(m, code, one as u32)
        }
    }
}

/// `code / one`, correctly rounded for every code of magnitude up to `one` (the tests try them all): a product with
/// the reciprocal in two floats.
fn fraction<M: Machine>(m: &mut M, code: M::Value, one: u32) -> M::Value {
    let float = m.op(Op::SToF, &[code]);
    if one == 1 {
        return float;
    }
    let reciprocal = 1.0 / f64::from(one);
    let high = reciprocal as f32;
    let low = (reciprocal - f64::from(high)) as f32;
    let high = m.constant(Kind::F32, high.to_bits());
    let low = m.constant(Kind::F32, low.to_bits());
    let rest = m.op(Op::FMul, &[float, low]);
    m.op(Op::Fma, &[float, high, rest])
}

/// The field, zero-extended.
fn unsigned<M: Machine>(m: &mut M, field: Field, word: M::Value, word_bits: u32) -> M::Value {
    let bit = field.bit % 32;
    let low = shift(m, Op::UShr, word, bit);
    if bit + field.width == word_bits {
        return low;
    }
    let mask = m.constant(Kind::I32, (1 << field.width) - 1);
    m.op(Op::IAnd, &[low, mask])
}

/// The field, sign-extended.
fn signed<M: Machine>(m: &mut M, field: Field, word: M::Value) -> M::Value {
    let high = shift(m, Op::IShl, word, 32 - field.bit % 32 - field.width);
    shift(m, Op::SShr, high, 32 - field.width)
}

fn shift<M: Machine>(m: &mut M, op: Op, value: M::Value, bits: u32) -> M::Value {
    if bits == 0 {
        return value;
    }
    let bits = m.constant(Kind::I32, bits);
    m.op(op, &[value, bits])
}

#[cfg(test)]
mod tests;
