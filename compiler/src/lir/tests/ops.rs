//! Every operation, lane by lane, against its definition.

use super::harness::Case;
use crate::isa::Features;
use fuseline_numerics::op::{Kind, Op};
use std::fmt::Write;

/// Bits that operations find hard.
const HARD: &[u32] = &[
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x3F80_0000,
    0xBF80_0000,
    0x3F00_0000,
    0x3FC0_0000,
    0x4020_0000,
    0x4B00_0001,
    0x4EFF_FFFF,
    0x4F00_0000,
    0xCF00_0000,
    0xCF00_0001,
    0x4F7F_FFFF,
    0x4F80_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F80_0001,
    0xFFBF_FFFF,
    2,
    3,
    5,
    7,
    10,
    31,
    32,
    33,
    63,
    0x7FFF_FFFF,
    0xFFFF_FFFF,
    0xFFFF_FFFE,
    0x0001_0000,
    0x1234_5678,
];

/// A stream of numbers without a pattern.
pub fn random(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u32
    }
}

/// Operands for one operation: all pairs of hard ones, and some that are random.
fn operands(arity: usize) -> Vec<u32> {
    let mut next = random(7);
    let mut words = Vec::new();
    for &a in HARD {
        for &b in HARD {
            let c = HARD[next() as usize % HARD.len()];
            words.extend_from_slice(&[a, b, c][..arity]);
        }
    }
    for _ in 0..4001 {
        let near = next() & 0x1F;
        for i in 0..arity {
            let bits = next();
            // Floats of like size, so that sums and products do not all vanish or overflow.
            words.push(if near > 8 {
                (bits & 0x81FF_FFFF) | 0x3C00_0000 | (near << 23)
            } else if near > 4 {
                bits % 100 + i as u32
            } else {
                bits
            });
        }
    }
    words
}

/// Kir that reads the operands of `op`, carries it out and stores the result.
fn text(op: Op) -> String {
    let mut text = String::new();
    let mut args = Vec::new();
    for (i, kind) in op.operands().iter().enumerate() {
        let _ = writeln!(text, "w{i}: i32 = read word 0+{} w4", 4 * i);
        match kind {
            Kind::I32 => args.push(format!("w{i}")),
            Kind::F32 => {
                let _ = writeln!(text, "f{i}: f32 = asfloat w{i}");
                args.push(format!("f{i}"));
            }
            Kind::Bool => {
                let _ = writeln!(text, "m{i}: i32 = iand w{i}, 1");
                let _ = writeln!(text, "b{i}: bool = ine m{i}, 0");
                args.push(format!("b{i}"));
            }
        }
    }
    let kind = match op.result() {
        Kind::F32 => "f32",
        Kind::I32 => "i32",
        Kind::Bool => "bool",
    };
    let _ = writeln!(text, "r: {kind} = {} {}", op.text(), args.join(", "));
    let shown = match op {
        // What shows its own bits has no Canon.
        Op::AsFloat | Op::FSelect | Op::Canon => "r",
        // It does not matter which NaN's bits these give.
        _ if op.result() != Kind::F32 => "r",
        _ => {
            let _ = writeln!(text, "c: f32 = canon r");
            "c"
        }
    };
    let _ = writeln!(text, "store o0.0 = {shown}");
    text
}

fn check(op: Op, features: Features, flush: bool, long_runs: bool) {
    let arity = op.operands().len();
    let mut case = Case::new(&text(op), &[1]).with_words(&[arity as u32], &operands(arity));
    case.features = features;
    case.flush = flush;
    case.long_runs = long_runs;
    case.check();
}

/// Operations whose result for a NaN depends on which NaN hardware made are left to Canon.
fn shows_nan_bits(op: Op) -> bool {
    matches!(op, Op::NumBits)
}

#[test]
fn every_operation_gives_what_its_definition_says() {
    for &op in Op::ALL.iter().filter(|&&op| !shows_nan_bits(op)) {
        check(op, Features::Native, true, true);
    }
}

#[test]
fn every_operation_preserves_denormals_where_asked() {
    for &op in Op::ALL.iter().filter(|&&op| !shows_nan_bits(op)) {
        check(op, Features::Native, false, false);
    }
}

#[test]
fn every_operation_gives_the_same_bits_without_avx_and_fma() {
    for &op in Op::ALL.iter().filter(|&&op| !shows_nan_bits(op)) {
        check(op, Features::Sse41, true, false);
        check(op, Features::Sse41, false, true);
    }
}
