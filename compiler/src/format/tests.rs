//! The table of formats, and refusing what is not in it.

use super::*;

#[test]
fn fields_lie_inside_their_element_and_in_one_word() {
    for format in Format::all() {
        for field in format.fields().into_iter().flatten() {
            assert!(field.bit + field.width <= format.bytes() * 8, "{format}");
            assert_eq!(
                field.bit / 32,
                (field.bit + field.width - 1) / 32,
                "{format}"
            );
        }
    }
}

#[test]
fn words_cover_the_element() {
    for format in Format::all() {
        let mut end = 0;
        for &(byte, width) in format.words() {
            assert_eq!(u32::from(byte), end, "{format}");
            end += u32::from(width);
        }
        assert_eq!(end, format.bytes(), "{format}");
    }
}

#[test]
fn a_format_is_found_by_name_and_by_number() {
    for format in Format::all() {
        assert_eq!(Format::from_name(format.name()), Ok(format));
        assert_eq!(Format::from_dxgi(format.dxgi()), Ok(format));
    }
    assert_eq!(
        Format::from_name("DXGI_FORMAT_R8_UINT").map(Format::dxgi),
        Ok(62)
    );
}

#[test]
fn every_dxgi_format_is_known_once() {
    let mut numbers: Vec<u32> = Format::all()
        .map(Format::dxgi)
        .chain(names::OTHERS.iter().map(|o| o.0))
        .collect();
    numbers.sort_unstable();
    let expected: Vec<u32> = (0..=115).chain(130..=132).chain(189..=191).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn alignment_is_the_size_up_to_four() {
    let alignment = |name| Format::from_name(name).map(Format::alignment);
    for (name, want) in [
        ("R8_UINT", 1),
        ("R8G8_UNORM", 2),
        ("R16_UINT", 2),
        ("B5G6R5_UNORM", 2),
        ("R16G16_FLOAT", 4),
        ("R11G11B10_FLOAT", 4),
        ("R32G32B32_FLOAT", 4),
        ("R32G32B32A32_UINT", 4),
    ] {
        assert_eq!(alignment(name), Ok(want), "{name}");
    }
}

#[test]
fn refusals_say_why() {
    let text = |name: &str| Format::from_name(name).map_err(|e| e.to_string());
    assert_eq!(
        text("R8G8B8A8_UNORM_SRGB"),
        Err("INCOMPATIBLEFORMAT: DXGI_FORMAT_R8G8B8A8_UNORM_SRGB cannot be the format of a vertex element; use a \
             format such as R32G32B32A32_FLOAT, R16G16_SNORM or R8G8B8A8_UNORM"
            .to_owned())
    );
    assert_eq!(
        text("R10G10B10A2_SNORM"),
        Err("INVALIDFORMAT: 'R10G10B10A2_SNORM' is not a DXGI_FORMAT; did you mean R10G10B10A2_UNORM?".to_owned())
    );
    assert_eq!(
        text("float3"),
        Err("INVALIDFORMAT: 'float3' is not a DXGI_FORMAT".to_owned())
    );
    let number = Format::from_dxgi(120).map_err(|e| e.to_string());
    assert_eq!(
        number,
        Err("INVALIDFORMAT: '120' is not a DXGI_FORMAT".to_owned())
    );
}
