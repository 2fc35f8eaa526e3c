//! The math functions against double precision, and their special cases (decisions.md, *Numbers*).

use fuseline_numerics::math::{MathFn, integer_power, math};
use fuseline_numerics::scalar::{Denorm, Scalar};

const MODES: [Denorm; 2] = [Denorm::Flush, Denorm::Preserve];

fn run(f: MathFn, args: &[f32], denorm: Denorm) -> f32 {
    let bits: Vec<u32> = args.iter().map(|x| x.to_bits()).collect();
    f32::from_bits(math(&mut Scalar { denorm }, f, &bits))
}

/// The reference for one argument.
fn reference(f: MathFn, x: f64) -> f64 {
    match f {
        MathFn::Exp => x.exp(),
        MathFn::Exp2 => x.exp2(),
        MathFn::Log => x.ln(),
        MathFn::Log2 => x.log2(),
        MathFn::Log10 => x.log10(),
        MathFn::Sin => x.sin(),
        MathFn::Cos => x.cos(),
        MathFn::Tan => x.tan(),
        MathFn::Asin => x.asin(),
        MathFn::Acos => x.acos(),
        MathFn::Atan => x.atan(),
        MathFn::Sinh => x.sinh(),
        MathFn::Cosh => x.cosh(),
        MathFn::Tanh => x.tanh(),
        MathFn::Pow | MathFn::Atan2 => unreachable!("two arguments"),
    }
}

/// The distance in units of the last place of `want` as a binary32.
fn ulps(got: f32, want: f64) -> f64 {
    let exponent = want.abs().log2().floor().max(-126.0);
    let got = if got.is_infinite() {
        got.signum() as f64 * 128f64.exp2()
    } else {
        f64::from(got)
    };
    (got - want).abs() / (exponent - 23.0).exp2()
}

/// About `count` floats between two, evenly spread over their bits.
fn between(low: f32, high: f32, count: u32) -> impl Iterator<Item = f32> {
    let (low, high) = (low.to_bits(), high.to_bits());
    let step = ((high - low) / count).max(1) | 1;
    (low..=high).step_by(step as usize).map(f32::from_bits)
}

/// Floats of all magnitudes and both signs.
fn everywhere(count: u32) -> impl Iterator<Item = f32> {
    between(0.0, f32::MAX, count).flat_map(|x| [x, -x])
}

/// Checks `f` on `samples`: within `limit` ulp or within `absolute`, wherever the result is a normal number.
fn check(f: MathFn, samples: impl Iterator<Item = f32>, limit: f64, absolute: f64) {
    let mut worst = (0.0, 0.0f32);
    for x in samples {
        let want = reference(f, f64::from(x));
        for denorm in MODES {
            let got = run(f, &[x], denorm);
            if want.is_nan() {
                assert_eq!(got.to_bits(), 0x7FC0_0000, "{f:?}({x:e})");
                continue;
            }
            if want.abs() > f64::from(f32::MAX) {
                assert!(
                    got.abs() >= f32::MAX && got.is_sign_positive() == (want > 0.0),
                    "{f:?}({x:e}) = {got:e}, want {want:e}"
                );
                continue;
            }
            let error = ulps(got, want);
            if (f64::from(got) - want).abs() <= absolute {
                continue;
            }
            if want.abs() < f64::from(f32::MIN_POSITIVE) {
                assert!(
                    got.abs() <= f32::MIN_POSITIVE,
                    "{f:?}({x:e}) = {got:e}, want {want:e}"
                );
                continue;
            }
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    println!("{f:?}: {worst:?}");
    assert!(
        worst.0 <= limit,
        "{f:?}({:e}) is {} ulp off",
        worst.1,
        worst.0
    );
}

#[test]
fn exponentials_are_within_4_ulp() {
    for f in [MathFn::Exp, MathFn::Exp2] {
        check(f, everywhere(100_000), 4.0, 0.0);
        check(
            f,
            between(0.01, 130.0, 300_000).flat_map(|x| [x, -x]),
            4.0,
            0.0,
        );
    }
}

#[test]
fn logarithms_are_within_4_ulp() {
    for f in [MathFn::Log, MathFn::Log2, MathFn::Log10] {
        let positive = between(f32::MIN_POSITIVE, f32::MAX, 300_000);
        check(f, positive, 4.0, 0.0);
        check(f, between(0.5, 2.0, 300_000), 4.0, 0.0);
    }
}

#[test]
fn sine_and_cosine_are_within_2_to_the_minus_20_up_to_2_to_the_16() {
    let absolute = (-20f64).exp2();
    for f in [MathFn::Sin, MathFn::Cos] {
        check(
            f,
            everywhere(100_000).filter(|x| x.abs() <= 65536.0),
            0.0,
            absolute,
        );
        check(
            f,
            between(0.1, 65536.0, 500_000).flat_map(|x| [x, -x]),
            0.0,
            absolute,
        );
    }
}

#[test]
fn small_sines_are_within_4_ulp() {
    check(
        MathFn::Sin,
        between(f32::MIN_POSITIVE, 1.5, 300_000),
        4.0,
        0.0,
    );
    check(
        MathFn::Tan,
        between(f32::MIN_POSITIVE, 0.78, 300_000),
        4.0,
        0.0,
    );
}

#[test]
fn tangent_is_within_2_to_the_minus_20_away_from_poles() {
    let away = |x: &f32| f64::from(*x).cos().abs() > 0.5;
    check(
        MathFn::Tan,
        between(1e-6, 65536.0, 500_000)
            .filter(away)
            .flat_map(|x| [x, -x]),
        0.0,
        (-20f64).exp2(),
    );
}

#[test]
fn sines_of_large_numbers_stay_within_one() {
    for f in [MathFn::Sin, MathFn::Cos] {
        for x in everywhere(1_000_000).chain(between(1.57, 1.571, 20_000)) {
            let y = run(f, &[x], Denorm::Flush);
            assert!((-1.0..=1.0).contains(&y), "{f:?}({x:e}) = {y:e}");
        }
    }
}

#[test]
fn inverse_functions_are_within_8_ulp() {
    let unit = || {
        everywhere(300_000)
            .filter(|x| x.abs() <= 1.0)
            .chain(between(0.4, 1.0, 200_000))
    };
    check(MathFn::Asin, unit(), 8.0, 0.0);
    check(MathFn::Acos, unit(), 8.0, 0.0);
    check(MathFn::Atan, everywhere(300_000), 8.0, 0.0);
    for y in everywhere(700) {
        for x in everywhere(700).filter(|&x| x != 0.0) {
            let want = f64::from(y).atan2(f64::from(x));
            let got = run(MathFn::Atan2, &[y, x], Denorm::Preserve);
            if y == 0.0 || want.abs() < f64::from(f32::MIN_POSITIVE) {
                continue;
            }
            assert!(
                ulps(got, want) <= 8.0,
                "atan2({y:e}, {x:e}) = {got:e}, want {want:e}"
            );
        }
    }
}

#[test]
fn hyperbolic_functions_are_within_8_ulp() {
    for f in [MathFn::Sinh, MathFn::Cosh, MathFn::Tanh] {
        check(f, everywhere(300_000), 8.0, 0.0);
        check(
            f,
            between(0.1, 91.0, 300_000).flat_map(|x| [x, -x]),
            8.0,
            0.0,
        );
    }
}

#[test]
fn powers_are_within_32_ulp_where_normal() {
    let mut worst = (0.0, 0.0, 0.0);
    let near_one = between(0.7, 1.42, 900);
    for x in between(f32::MIN_POSITIVE, f32::MAX, 900).chain(near_one) {
        // Exponents that reach from the smallest to the largest result.
        let log = f64::from(x).log2();
        for i in -400..=400 {
            let y = (f64::from(i) * 128.0 / 400.0 / log) as f32;
            let want = f64::from(x).powf(f64::from(y));
            if !(f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&want) {
                continue;
            }
            for denorm in MODES {
                let error = ulps(run(MathFn::Pow, &[x, y], denorm), want);
                if error > worst.0 {
                    worst = (error, x, y);
                }
            }
        }
    }
    println!("pow: {worst:?}");
    assert!(worst.0 <= 32.0, "{worst:?}");
}

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Equal bits; NaNs canonical.
fn exactly(f: MathFn, args: &[f32], want: f32) {
    for denorm in MODES {
        let got = run(f, args, denorm);
        let want = if want.is_nan() {
            0x7FC0_0000
        } else {
            want.to_bits()
        };
        assert_eq!(got.to_bits(), want, "{f:?}{args:?} = {got:e}");
    }
}

#[test]
fn special_cases_of_one_argument() {
    use MathFn::*;
    let table = [
        (Exp, 0.0, 1.0),
        (Exp, -0.0, 1.0),
        (Exp, INF, INF),
        (Exp, -INF, 0.0),
        (Exp, 1000.0, INF),
        (Exp, -1000.0, 0.0),
        (Exp2, 0.0, 1.0),
        (Exp2, 10.0, 1024.0),
        (Exp2, -3.0, 0.125),
        (Exp2, 127.0, 2f32.powi(127)),
        (Exp2, 128.0, INF),
        (Exp2, -126.0, f32::MIN_POSITIVE),
        (Exp2, INF, INF),
        (Exp2, -INF, 0.0),
        (Exp2, -1e30, 0.0),
        (Log, 1.0, 0.0),
        (Log, 0.0, -INF),
        (Log, -0.0, -INF),
        (Log, -1.0, NAN),
        (Log, INF, INF),
        (Log, -INF, NAN),
        (Log2, 1.0, 0.0),
        (Log2, 1024.0, 10.0),
        (Log2, 0.0, -INF),
        (Log2, -0.0, -INF),
        (Log2, -1.0, NAN),
        (Log2, INF, INF),
        (Log10, 1.0, 0.0),
        (Log10, 0.0, -INF),
        (Log10, -5.0, NAN),
        (Log10, INF, INF),
        (Sin, 0.0, 0.0),
        (Sin, -0.0, -0.0),
        (Sin, INF, NAN),
        (Sin, -INF, NAN),
        (Cos, 0.0, 1.0),
        (Cos, -0.0, 1.0),
        (Cos, INF, NAN),
        (Tan, -0.0, -0.0),
        (Tan, 0.0, 0.0),
        (Tan, INF, NAN),
        (Asin, -0.0, -0.0),
        (Asin, 0.0, 0.0),
        (Asin, 1.0, std::f32::consts::FRAC_PI_2),
        (Asin, 1.5, NAN),
        (Asin, INF, NAN),
        (Acos, 1.0, 0.0),
        (Acos, 0.0, std::f32::consts::FRAC_PI_2),
        (Acos, -1.0, std::f32::consts::PI),
        (Acos, -1.0001, NAN),
        (Acos, -INF, NAN),
        (Atan, -0.0, -0.0),
        (Atan, INF, std::f32::consts::FRAC_PI_2),
        (Atan, -INF, -std::f32::consts::FRAC_PI_2),
        (Sinh, -0.0, -0.0),
        (Sinh, INF, INF),
        (Sinh, -INF, -INF),
        (Cosh, 0.0, 1.0),
        (Cosh, -INF, INF),
        (Tanh, -0.0, -0.0),
        (Tanh, INF, 1.0),
        (Tanh, -INF, -1.0),
        (Tanh, 50.0, 1.0),
    ];
    for (f, x, want) in table {
        exactly(f, &[x], want);
    }
    for &f in MathFn::ALL.iter().filter(|f| f.arity() == 1) {
        exactly(f, &[NAN], NAN);
        exactly(f, &[f32::from_bits(0xFF80_0001)], NAN);
    }
}

#[test]
fn special_cases_of_pow() {
    let table = [
        (0.0, 2.0, 0.0),
        (-0.0, 2.0, 0.0),
        (0.0, -1.0, INF),
        (0.0, 0.0, NAN),
        (2.0, 0.0, 1.0),
        (1.0, 5.0, 1.0),
        (1.0, INF, NAN),
        (-2.0, 3.0, NAN),
        (-2.0, 2.0, NAN),
        (INF, 2.0, INF),
        (INF, -2.0, 0.0),
        (INF, 0.0, NAN),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (2.0, INF, INF),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (2.0, NAN, NAN),
        (10.0, 40.0, INF),
        (10.0, -60.0, 0.0),
        (2.0, 10.0, 1024.0),
        (4.0, 0.5, 2.0),
        (2.0, 3e38, INF),
        (1.5, -3e38, 0.0),
        (-INF, 2.0, NAN),
    ];
    for (x, y, want) in table {
        exactly(MathFn::Pow, &[x, y], want);
    }
}

#[test]
fn special_cases_of_atan2() {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let table = [
        (0.0, 0.0, FRAC_PI_2),
        (-0.0, 0.0, FRAC_PI_2),
        (0.0, -0.0, FRAC_PI_2),
        (1.0, 0.0, FRAC_PI_2),
        (-1.0, 0.0, -FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (0.0, -1.0, PI),
        (-0.0, -1.0, PI),
        (0.0, 1.0, 0.0),
        (-0.0, 1.0, -0.0),
        (1.0, 1.0, FRAC_PI_4),
        (-1.0, 1.0, -FRAC_PI_4),
        (1.0, -1.0, 3.0 * FRAC_PI_4),
        (INF, 1.0, FRAC_PI_2),
        (-INF, 1.0, -FRAC_PI_2),
        (1.0, INF, 0.0),
        (1.0, -INF, PI),
        (-1.0, -INF, -PI),
        (NAN, 0.0, NAN),
        (0.0, NAN, NAN),
        (NAN, NAN, NAN),
        (1.0, NAN, NAN),
        (INF, INF, NAN),
    ];
    for (y, x, want) in table {
        exactly(MathFn::Atan2, &[y, x], want);
    }
}

#[test]
fn denormals_are_zeros_to_the_functions_when_they_flush() {
    let tiny = f32::from_bits(0x0030_0000);
    for (f, want) in [
        (MathFn::Log2, -INF),
        (MathFn::Sin, 0.0),
        (MathFn::Tan, 0.0),
        (MathFn::Tanh, 0.0),
        (MathFn::Atan, 0.0),
        (MathFn::Exp, 1.0),
    ] {
        assert_eq!(run(f, &[tiny], Denorm::Flush), want, "{f:?}");
    }
    assert_eq!(
        run(MathFn::Log2, &[f32::from_bits(1)], Denorm::Preserve),
        -149.0
    );
    assert_eq!(run(MathFn::Sin, &[tiny], Denorm::Preserve), tiny);
    assert_eq!(
        run(MathFn::Exp2, &[-149.0], Denorm::Preserve),
        f32::from_bits(1)
    );
    assert_eq!(run(MathFn::Exp2, &[-149.0], Denorm::Flush), 0.0);
}

#[test]
fn integer_powers_multiply_repeatedly() {
    let power =
        |x: f32, n, denorm| f32::from_bits(integer_power(&mut Scalar { denorm }, x.to_bits(), n));
    for denorm in MODES {
        assert_eq!(power(-3.0, 2, denorm), 9.0);
        assert_eq!(power(-3.0, 3, denorm), -27.0);
        assert_eq!(power(2.0, -2, denorm), 0.25);
        assert_eq!(power(NAN, 0, denorm), 1.0);
        assert_eq!(power(0.0, -1, denorm), INF);
        assert_eq!(
            power(f32::from_bits(0xFF80_0001), 1, denorm).to_bits(),
            0x7FC0_0000
        );
        let x = 1.1f32;
        assert_eq!(power(x, 5, denorm), x * ((x * x) * (x * x)));
        assert_eq!(power(x, 6, denorm), (x * x) * ((x * x) * (x * x)));
    }
    assert_eq!(power(f32::from_bits(1), 1, Denorm::Flush), 0.0);
    assert_eq!(
        power(f32::from_bits(1), 1, Denorm::Preserve),
        f32::from_bits(1)
    );
}
