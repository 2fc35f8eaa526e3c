//! Bit operations and half floats, against the standard library and the definitions of the specifications.

use fuseline_numerics::builtin::{Builtin, builtin};
use fuseline_numerics::half;
use fuseline_numerics::scalar::{Denorm, Scalar};

fn run(b: Builtin, x: u32) -> u32 {
    let flushed = builtin(
        &mut Scalar {
            denorm: Denorm::Flush,
        },
        b,
        x,
    );
    let preserved = builtin(
        &mut Scalar {
            denorm: Denorm::Preserve,
        },
        b,
        x,
    );
    assert_eq!(
        flushed, preserved,
        "{b:?} {x:08x} depends on how denormals are treated"
    );
    flushed
}

/// Numbers with every highest and lowest bit, and many between.
fn integers() -> impl Iterator<Item = u32> {
    let shaped = (0..32).flat_map(|i| (0..32).map(move |j| (1u32 << i) | (1 << j)));
    let runs = (0..32).flat_map(|i| [u32::MAX >> i, u32::MAX << i, (1u32 << i).wrapping_sub(1)]);
    let spread = (0..100_000u32).map(|i| i.wrapping_mul(0x9E37_79B1) >> (i % 32));
    shaped.chain(runs).chain(spread).chain([0, u32::MAX])
}

#[test]
fn bit_counts_and_positions_are_those_of_the_integer() {
    for x in integers() {
        assert_eq!(
            run(Builtin::CountBits, x),
            x.count_ones(),
            "countbits({x:08x})"
        );
        assert_eq!(
            run(Builtin::ReverseBits, x),
            x.reverse_bits(),
            "reversebits({x:08x})"
        );
        let low = if x == 0 { u32::MAX } else { x.trailing_zeros() };
        assert_eq!(run(Builtin::FirstBitLow, x), low, "firstbitlow({x:08x})");
        let high = |x: u32| 31u32.wrapping_sub(x.leading_zeros());
        assert_eq!(
            run(Builtin::FirstBitHighU, x),
            high(x),
            "firstbithigh({x:08x})"
        );
        let signed = if (x as i32) < 0 { !x } else { x };
        assert_eq!(
            run(Builtin::FirstBitHighS, x),
            high(signed),
            "firstbithigh(int {x:08x})"
        );
    }
}

#[test]
fn bit_positions_are_those_that_d3d_gives() {
    let table = [
        (0x0000_000F, 4, 0, 3, 3),
        (0x8000_000F, 5, 0, 31, 30),
        (0x0008_0000, 1, 19, 19, 19),
        (0x1111_1C11, 9, 0, 28, 28),
        (0, 0, u32::MAX, u32::MAX, u32::MAX),
        (u32::MAX, 32, 0, 31, u32::MAX),
    ];
    for (x, count, low, high, signed) in table {
        assert_eq!(run(Builtin::CountBits, x), count);
        assert_eq!(run(Builtin::FirstBitLow, x), low);
        assert_eq!(run(Builtin::FirstBitHighU, x), high);
        assert_eq!(run(Builtin::FirstBitHighS, x), signed);
    }
}

#[test]
fn every_half_becomes_its_float() {
    for h in 0..=u16::MAX {
        let got = run(Builtin::F16ToF32, u32::from(h) | 0xABCD_0000);
        let want = ::half::f16::from_bits(h);
        if want.is_nan() {
            assert_eq!(got, 0x7FC0_0000, "{h:04x}");
            let fetched = half::half_to_float(&mut Scalar::default(), u32::from(h));
            let payload = u32::from(h & 0x3FF) << 13 | 0x7FC0_0000 | u32::from(h & 0x8000) << 16;
            assert_eq!(fetched, payload, "{h:04x}");
        } else {
            assert_eq!(got, want.to_f32().to_bits(), "{h:04x}");
        }
    }
}

#[test]
fn small_unsigned_floats_are_their_definition() {
    for (bits, mantissa_bits) in [(11u32, 6u32), (10, 5)] {
        for code in 0..1u32 << bits {
            for denorm in [Denorm::Flush, Denorm::Preserve] {
                let got = half::unsigned_small_float(&mut Scalar { denorm }, code, mantissa_bits);
                let (exponent, mantissa) =
                    (code >> mantissa_bits, code & ((1 << mantissa_bits) - 1));
                let fraction = f64::from(mantissa) / f64::from(1u32 << mantissa_bits);
                let want = match (exponent, mantissa) {
                    (31, 0) => f64::INFINITY,
                    (31, _) => f64::NAN,
                    (0, _) => fraction * 2f64.powi(-14),
                    _ => (1.0 + fraction) * 2f64.powi(exponent as i32 - 15),
                };
                if want.is_nan() {
                    let quiet = got & 0x7FC0_0000 == 0x7FC0_0000
                        && got & 0x003F_FFFF == (mantissa << (23 - mantissa_bits)) & 0x003F_FFFF;
                    assert!(quiet, "{code:03x}: {got:08x}");
                } else {
                    assert_eq!(got, (want as f32).to_bits(), "{code:03x}");
                }
            }
        }
    }
}

/// Every half, both of its neighbours in binary32, and the middle to the next half with its neighbours.
fn floats_around_halves() -> impl Iterator<Item = u32> {
    (0..0x7C01u32).flat_map(|h| {
        let bits = |h: u32| ::half::f16::from_bits(h as u16).to_f32();
        let here = bits(h);
        let middle = if h < 0x7BFF {
            (here + bits(h + 1)) / 2.0
        } else {
            65520.0
        };
        [here, middle].into_iter().flat_map(|x| {
            let b = x.to_bits();
            [b.saturating_sub(1), b, b + 1]
                .into_iter()
                .flat_map(|b| [b, b | 0x8000_0000])
        })
    })
}

#[test]
fn rounding_to_the_nearest_half_is_ieee() {
    for x in floats_around_halves().filter(|&x| !f32::from_bits(x).is_nan()) {
        let want = u32::from(::half::f16::from_f32(f32::from_bits(x)).to_bits());
        assert_eq!(run(Builtin::F32ToF16Nearest, x), want, "{x:08x}");
    }
}

#[test]
fn rounding_toward_zero_gives_the_largest_half_not_beyond() {
    for x in floats_around_halves().filter(|&x| !f32::from_bits(x).is_nan()) {
        let got = run(Builtin::F32ToF16, x);
        assert_eq!(got >> 15, x >> 31);
        let x = f32::from_bits(x).abs();
        let half = ::half::f16::from_bits(got as u16 & 0x7FFF);
        if x.is_infinite() {
            assert_eq!(half, ::half::f16::INFINITY);
            continue;
        }
        let next = ::half::f16::from_bits(half.to_bits() + 1).to_f32();
        assert!(half.to_f32() <= x && half.is_finite(), "{x}");
        assert!(x < next || half == ::half::f16::MAX, "{x}");
    }
}

#[test]
fn halves_of_the_specification() {
    let both = [
        (666.0f32, 0x6134, 0x6134),
        (-1.0, 0xBC00, 0xBC00),
        (0.1, 0x2E66, 0x2E66),
        (1.0009, 0x3C00, 0x3C01),
        (2051.0, 0x6801, 0x6802),
        (65520.0, 0x7BFF, 0x7C00),
        (1e6, 0x7BFF, 0x7C00),
    ];
    for (x, toward_zero, nearest) in both {
        assert_eq!(run(Builtin::F32ToF16, x.to_bits()), toward_zero, "{x}");
        assert_eq!(run(Builtin::F32ToF16Nearest, x.to_bits()), nearest, "{x}");
    }
    for b in [Builtin::F32ToF16, Builtin::F32ToF16Nearest] {
        assert_eq!(run(b, 0x7FC0_0000), 0x7E00);
        assert_eq!(
            run(b, 0xFF80_0001),
            0xFE00,
            "a NaN whose payload does not fit stays a NaN"
        );
    }
}
