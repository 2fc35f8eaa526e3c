//! The scalar machine against the processor: with FTZ and DAZ set, and without, both give the same bits.
#![cfg(target_arch = "x86_64")]

use core::arch::asm;
use fuseline_numerics::op::Op;
use fuseline_numerics::scalar::{self, Denorm};

/// All exceptions masked, round to nearest.
const IEEE: u32 = 0x1F80;
/// The same with FTZ (bit 15) and DAZ (bit 6).
const FLUSH: u32 = 0x9FC0;

fn mode(denorm: Denorm) -> u32 {
    match denorm {
        Denorm::Flush => FLUSH,
        Denorm::Preserve => IEEE,
    }
}

/// One instruction between setting and restoring the mode register.
macro_rules! on_hardware {
    ($name:ident, $instruction:literal) => {
        fn $name(a: u32, b: u32, c: u32, denorm: Denorm) -> u32 {
            let (set, mut saved) = (mode(denorm), 0u32);
            let (mut x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            // SAFETY: the mode register is as before when the block ends; the memory operands are our own locals.
            unsafe {
                asm!(
                    "stmxcsr [{saved}]",
                    "ldmxcsr [{set}]",
                    $instruction,
                    "ldmxcsr [{saved}]",
                    saved = in(reg) &mut saved,
                    set = in(reg) &set,
                    x = inout(xmm_reg) x,
                    y = in(xmm_reg) y,
                    z = in(xmm_reg) z,
                );
            }
            x.to_bits()
        }
    };
}

on_hardware!(add, "addss {x}, {y} /* {z} */");
on_hardware!(sub, "subss {x}, {y} /* {z} */");
on_hardware!(mul, "mulss {x}, {y} /* {z} */");
on_hardware!(div, "divss {x}, {y} /* {z} */");
on_hardware!(sqrt, "sqrtss {x}, {x} /* {y} {z} */");
on_hardware!(min, "minss {x}, {y} /* {z} */");
on_hardware!(max, "maxss {x}, {y} /* {z} */");
on_hardware!(fma, "vfmadd213ss {x}, {y}, {z}");
on_hardware!(floor, "roundss {x}, {x}, 9 /* {y} {z} */");
on_hardware!(ceil, "roundss {x}, {x}, 10 /* {y} {z} */");
on_hardware!(trunc, "roundss {x}, {x}, 11 /* {y} {z} */");
on_hardware!(round, "roundss {x}, {x}, 8 /* {y} {z} */");
on_hardware!(less, "cmpss {x}, {y}, 1 /* {z} */");
on_hardware!(equal, "cmpss {x}, {y}, 0 /* {z} */");

/// Values where something changes, and neighbours of the smallest normal number.
fn edges() -> Vec<u32> {
    let magnitudes = [
        0x0000_0000u32,
        0x0000_0001,
        0x0000_0002,
        0x003F_FFFF,
        0x0040_0000,
        0x007F_FFFE,
        0x007F_FFFF,
        0x0080_0000,
        0x0080_0001,
        0x00FF_FFFF,
        0x0100_0000,
        0x1F80_0000,
        0x2000_0000,
        0x3300_0000,
        0x337F_FFFF,
        0x3380_0000,
        0x3EFF_FFFF,
        0x3F00_0000,
        0x3F00_0001,
        0x3F7F_FFFE,
        0x3F7F_FFFF,
        0x3F80_0000,
        0x3F80_0001,
        0x3FC0_0000,
        0x4000_0000,
        0x4020_0000,
        0x4B00_0000,
        0x4B00_0001,
        0x4EFF_FFFF,
        0x4F00_0000,
        0x5F00_0000,
        0x7F7F_FFFF,
        0x7F80_0000,
        0x7F80_0001,
        0x7FC0_0000,
        0x7FC1_2345,
    ];
    magnitudes
        .iter()
        .flat_map(|&m| [m, m | 0x8000_0000])
        .collect()
}

/// A small generator of bits; the same sequence every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u32
    }

    /// A float with a magnitude of 2^low to 2^high, now and then with a short mantissa.
    fn float(&mut self, low: i32, high: i32) -> u32 {
        let exponent = low + (self.next() % (high - low) as u32) as i32;
        let mantissa = self.next()
            & [0x007F_FFFF, 0x007F_FFFF, 0x0070_0007, 0x0000_0003][self.next() as usize % 4];
        (self.next() & 0x8000_0000) | ((exponent + 127).max(0) as u32) << 23 | mantissa
    }
}

/// Arithmetic only: any NaN of the processor is the canonical one.
fn check(op: Op, hardware: fn(u32, u32, u32, Denorm) -> u32, args: [u32; 3]) {
    for denorm in [Denorm::Flush, Denorm::Preserve] {
        let got = scalar::eval(op, &args, denorm);
        let want = scalar::canon(hardware(args[0], args[1], args[2], denorm));
        assert_eq!(
            got, want,
            "{op:?} {denorm:?} {:08x?}: got {got:08x}, want {want:08x}",
            args
        );
    }
}

#[test]
fn arithmetic_agrees_on_every_pair_of_edge_values() {
    let edges = edges();
    for &a in &edges {
        for (op, run) in [
            (Op::FSqrt, sqrt as fn(_, _, _, _) -> _),
            (Op::FFloor, floor),
            (Op::FCeil, ceil),
            (Op::FTrunc, trunc),
            (Op::FRound, round),
        ] {
            check(op, run, [a, 0, 0]);
        }
        for &b in &edges {
            for (op, run) in [
                (Op::FAdd, add as fn(_, _, _, _) -> _),
                (Op::FSub, sub),
                (Op::FMul, mul),
                (Op::FDiv, div),
            ] {
                check(op, run, [a, b, 0]);
            }
        }
    }
}

#[test]
fn results_around_the_smallest_normal_number_agree() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for _ in 0..300_000 {
        let a = random.float(-70, -56);
        let b = random.float(-70, -56);
        check(Op::FMul, mul, [a, b, 0]);
        let b = random.float(56, 70);
        check(Op::FDiv, div, [a, b, 0]);
        let a = random.float(-126, -120);
        let b = random.float(-126, -120);
        check(Op::FAdd, add, [a, b, 0]);
        check(Op::FSub, sub, [a, b, 0]);
    }
}

#[test]
fn fused_multiply_adds_agree() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    let edges = edges();
    for &a in &edges {
        for &b in &edges {
            for &c in &edges {
                check(Op::Fma, fma, [a, b, c]);
            }
        }
    }
    let mut random = Random(0x0F0F_1234_5678_9ABD);
    for _ in 0..300_000 {
        let (a, b) = (random.float(-70, -56), random.float(-70, -56));
        let c = random.float(-150, -120);
        check(Op::Fma, fma, [a, b, c]);
        let (a, b, c) = (
            random.float(-30, 30),
            random.float(-30, 30),
            random.float(-60, 60),
        );
        check(Op::Fma, fma, [a, b, c]);
        // The product nearly cancels the addend.
        let product = f32::from_bits(a) * f32::from_bits(b);
        check(Op::Fma, fma, [a, b, (-product).to_bits()]);
    }
}

/// `x < y ? x : y`, from which compiled code builds its FMin. Whether the instruction also flushes the operand that it
/// passes on is left open: compiled code does that itself.
#[test]
fn minimum_and_maximum_of_numbers_agree() {
    let numbers: Vec<u32> = edges()
        .into_iter()
        .filter(|&x| !scalar::is_nan(x))
        .collect();
    for denorm in [Denorm::Flush, Denorm::Preserve] {
        let flushed = |x: u32| scalar::eval(Op::FAdd, &[x, 0x8000_0000], denorm);
        for &a in &numbers {
            for &b in &numbers {
                let least = scalar::eval(Op::FMin, &[a, b], denorm);
                assert_eq!(least, flushed(min(a, b, 0, denorm)), "min {a:08x} {b:08x}");
                let most = scalar::eval(Op::FMax, &[a, b], denorm);
                assert_eq!(most, flushed(max(a, b, 0, denorm)), "max {a:08x} {b:08x}");
            }
        }
    }
}

#[test]
fn comparisons_agree() {
    for denorm in [Denorm::Flush, Denorm::Preserve] {
        for &a in &edges() {
            for &b in &edges() {
                let lt = scalar::eval(Op::FLt, &[a, b], denorm);
                assert_eq!(
                    lt,
                    less(a, b, 0, denorm) & 1,
                    "{a:08x} < {b:08x} {denorm:?}"
                );
                let eq = scalar::eval(Op::FEq, &[a, b], denorm);
                assert_eq!(
                    eq,
                    equal(a, b, 0, denorm) & 1,
                    "{a:08x} == {b:08x} {denorm:?}"
                );
            }
        }
    }
}
