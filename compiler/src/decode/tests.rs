//! Decoding, against the definitions of the functional specification, written out here a second time in doubles.

use super::*;
use fuseline_numerics::scalar::{Denorm, Scalar};

/// The components of an element, bits.
fn decoded(name: &str, element: &[u8]) -> [u32; 4] {
    let format = Format::from_name(name).expect("a format of the table");
    let words: Vec<u32> = format
        .words()
        .iter()
        .map(|&(byte, width)| {
            let bytes = &element[usize::from(byte)..usize::from(byte + width)];
            bytes
                .iter()
                .rev()
                .fold(0, |word, &b| word << 8 | u32::from(b))
        })
        .collect();
    let flushed = decode(
        &mut Scalar {
            denorm: Denorm::Flush,
        },
        format,
        &words,
    );
    let preserved = decode(
        &mut Scalar {
            denorm: Denorm::Preserve,
        },
        format,
        &words,
    );
    assert_eq!(flushed, preserved, "{name}");
    flushed
}

fn unorm(code: u32, bits: u32) -> u32 {
    // Double rounding is harmless: a quotient of such small integers is never so near to the middle of two floats.
    ((f64::from(code) / f64::from((1u32 << bits) - 1)) as f32).to_bits()
}

fn snorm(code: i32, bits: u32) -> u32 {
    let value = f64::from(code) / f64::from((1i32 << (bits - 1)) - 1);
    (value.max(-1.0) as f32).to_bits()
}

const ONE: u32 = 0x3F80_0000;

#[test]
fn every_8_bit_code_decodes_to_its_value() {
    for b in 0..=u8::MAX {
        let element = [b, !b, b ^ 0x55, b.wrapping_add(7)];
        let of = |f: &dyn Fn(u8) -> u32| element.map(f);
        let integer = |b: u8| b as i8 as i32;
        assert_eq!(
            decoded("R8G8B8A8_UNORM", &element),
            of(&|b| unorm(b.into(), 8))
        );
        assert_eq!(
            decoded("R8G8B8A8_SNORM", &element),
            of(&|b| snorm(integer(b), 8))
        );
        assert_eq!(decoded("R8G8B8A8_UINT", &element), of(&|b| b.into()));
        assert_eq!(
            decoded("R8G8B8A8_SINT", &element),
            of(&|b| integer(b) as u32)
        );
        let [x, y, z, w] = of(&|b| unorm(b.into(), 8));
        assert_eq!(decoded("B8G8R8A8_UNORM", &element), [z, y, x, w]);
        assert_eq!(decoded("B8G8R8X8_UNORM", &element), [z, y, x, ONE]);
        assert_eq!(decoded("R8G8_UNORM", &element), [x, y, 0, ONE]);
        assert_eq!(decoded("R8_UNORM", &element), [x, 0, 0, ONE]);
        assert_eq!(decoded("R8_SNORM", &element)[0], snorm(integer(b), 8));
        assert_eq!(decoded("R8_UINT", &element), [b.into(), 0, 0, 1]);
        assert_eq!(
            decoded("R8G8_SINT", &element),
            [integer(b) as u32, integer(!b) as u32, 0, 1]
        );
        assert_eq!(decoded("R8_SINT", &element)[0], integer(b) as u32);
    }
}

#[test]
fn every_16_bit_code_decodes_to_its_value() {
    for code in 0..=u16::MAX {
        let codes = [code, !code, code.rotate_left(5), code ^ 0x8000];
        let element: Vec<u8> = codes.iter().flat_map(|c| c.to_le_bytes()).collect();
        let of = |f: &dyn Fn(u16) -> u32| codes.map(f);
        let integer = |c: u16| c as i16 as i32;
        assert_eq!(
            decoded("R16G16B16A16_UNORM", &element),
            of(&|c| unorm(c.into(), 16))
        );
        assert_eq!(
            decoded("R16G16B16A16_SNORM", &element),
            of(&|c| snorm(integer(c), 16))
        );
        assert_eq!(decoded("R16G16B16A16_UINT", &element), of(&|c| c.into()));
        assert_eq!(
            decoded("R16G16B16A16_SINT", &element),
            of(&|c| integer(c) as u32)
        );
        assert_eq!(
            decoded("R16_UNORM", &element),
            [unorm(code.into(), 16), 0, 0, ONE]
        );
        assert_eq!(
            decoded("R16G16_SNORM", &element),
            [snorm(integer(code), 16), snorm(integer(!code), 16), 0, ONE]
        );
        assert_eq!(
            decoded("R16_SINT", &element),
            [integer(code) as u32, 0, 0, 1]
        );
    }
}

#[test]
fn every_code_of_bit_fields_decodes_to_its_value() {
    for code in 0..1024u32 {
        let word = code | (1023 - code) << 10 | (code ^ 0x155) << 20 | (code & 3) << 30;
        let fields = [code, 1023 - code, code ^ 0x155, code & 3];
        let [x, y, z, w] = fields;
        let want = [unorm(x, 10), unorm(y, 10), unorm(z, 10), unorm(w, 2)];
        assert_eq!(decoded("R10G10B10A2_UNORM", &word.to_le_bytes()), want);
        assert_eq!(decoded("R10G10B10A2_UINT", &word.to_le_bytes()), fields);
    }
    for code in 0..=u16::MAX {
        let c = u32::from(code);
        let element = code.to_le_bytes();
        let want = [
            unorm(c >> 11, 5),
            unorm(c >> 5 & 63, 6),
            unorm(c & 31, 5),
            ONE,
        ];
        assert_eq!(decoded("B5G6R5_UNORM", &element), want);
        let want = [
            unorm(c >> 10 & 31, 5),
            unorm(c >> 5 & 31, 5),
            unorm(c & 31, 5),
            unorm(c >> 15, 1),
        ];
        assert_eq!(decoded("B5G5R5A1_UNORM", &element), want);
        let want = [
            unorm(c >> 8 & 15, 4),
            unorm(c >> 4 & 15, 4),
            unorm(c & 15, 4),
            unorm(c >> 12, 4),
        ];
        assert_eq!(decoded("B4G4R4A4_UNORM", &element), want);
    }
}

#[test]
fn examples_of_the_specification() {
    let e = |name, bytes: &[u8], want: [u32; 4]| {
        assert_eq!(decoded(name, bytes), want, "{name} {bytes:02x?}")
    };
    e(
        "R8G8B8A8_UNORM",
        &[0x00, 0x80, 0xFF, 0x01],
        [0, 0x3F00_8081, ONE, 0x3B80_8081],
    );
    e(
        "R8G8B8A8_SNORM",
        &[0x80, 0x81, 0x7F, 0x01],
        [0xBF80_0000, 0xBF80_0000, ONE, 0x3C01_0204],
    );
    e("R8_SNORM", &[0xC0], [0xBF01_0204, 0, 0, ONE]);
    e("R16_SNORM", &[0x00, 0x80], [0xBF80_0000, 0, 0, ONE]);
    e("R16_SNORM", &[0x01, 0x00], [0x3800_0100, 0, 0, ONE]);
    e("R16_SNORM", &[0x00, 0xC0], [0xBF00_0100, 0, 0, ONE]);
    e("R16_UNORM", &[0x00, 0x80], [0x3F00_0080, 0, 0, ONE]);
    e("R16_SINT", &[0xFF, 0xFF], [0xFFFF_FFFF, 0, 0, 1]);
    e("R16G16_UINT", &[1, 0, 2, 0], [1, 2, 0, 1]);
    e(
        "R10G10B10A2_UNORM",
        &0xE000_07FFu32.to_le_bytes(),
        [ONE, 0x3A80_2008, 0x3F00_2008, ONE],
    );
    e(
        "R10G10B10A2_UINT",
        &0xE000_07FFu32.to_le_bytes(),
        [1023, 1, 512, 3],
    );
    e(
        "R11G11B10_FLOAT",
        &0x781E_03C0u32.to_le_bytes(),
        [ONE, ONE, ONE, ONE],
    );
    e(
        "R11G11B10_FLOAT",
        &1u32.to_le_bytes(),
        [0x3580_0000, 0, 0, ONE],
    );
    for (half, float) in [
        (0x3C00u16, ONE),
        (0x0001, 0x3380_0000),
        (0x0400, 0x3880_0000),
        (0x7BFF, 65504f32.to_bits()),
        (0xFC00, 0xFF80_0000),
        (0x8000, 0x8000_0000),
        (0x83FF, 0xB87F_C000),
    ] {
        e("R16_FLOAT", &half.to_le_bytes(), [float, 0, 0, ONE]);
    }
    e(
        "B8G8R8A8_UNORM",
        &[0xFF, 0, 0, 0x80],
        [0, 0, ONE, 0x3F00_8081],
    );
    e("B8G8R8X8_UNORM", &[0xFF, 0, 0, 0x80], [0, 0, ONE, ONE]);
}

#[test]
fn the_bits_of_32_bit_components_stay_as_they_are() {
    for bits in [
        1u32,
        0x8000_0001,
        0x7F80_0001,
        0xFFC1_2345,
        0x7F80_0000,
        0x3F80_0000,
    ] {
        let element: Vec<u8> = (0..4).flat_map(|i| (bits ^ i).to_le_bytes()).collect();
        let all = [bits, bits ^ 1, bits ^ 2, bits ^ 3];
        for class in ["FLOAT", "UINT", "SINT"] {
            let one = if class == "FLOAT" { ONE } else { 1 };
            assert_eq!(decoded(&format!("R32G32B32A32_{class}"), &element), all);
            assert_eq!(
                decoded(&format!("R32G32B32_{class}"), &element),
                [all[0], all[1], all[2], one]
            );
            assert_eq!(
                decoded(&format!("R32G32_{class}"), &element),
                [all[0], all[1], 0, one]
            );
            assert_eq!(
                decoded(&format!("R32_{class}"), &element),
                [all[0], 0, 0, one]
            );
        }
    }
}

#[test]
fn zero_bits_decode_to_zero_in_every_format() {
    for format in Format::all() {
        let words = vec![0u32; format.words().len()];
        let got = decode(&mut Scalar::default(), format, &words);
        for (i, field) in format.fields().iter().enumerate() {
            assert!(field.is_none() || got[i] == 0, "{format}");
        }
    }
}
