//! The formats as constants: `Format::R32G32B32_FLOAT` and so on.

use super::{Format, TABLE};

macro_rules! named {
    ($($name:ident)*) => {
        impl Format {
            $(
                #[doc = concat!("DXGI_FORMAT_", stringify!($name), ".")]
                pub const $name: Format = named(stringify!($name));
            )*
        }

        #[cfg(test)]
        const NAMED: &[Format] = &[$(Format::$name),*];
    };
}

/// The format of that name, found while this is compiled.
const fn named(name: &str) -> Format {
    let mut i = 0;
    while i < TABLE.len() {
        if equal(TABLE[i].name.as_bytes(), name.as_bytes()) {
            return Format(i as u8);
        }
        i += 1;
    }
    panic!("no such format in the table")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

named! {
    R32G32B32A32_FLOAT R32G32B32A32_UINT R32G32B32A32_SINT R32G32B32_FLOAT R32G32B32_UINT
    R32G32B32_SINT R16G16B16A16_FLOAT R16G16B16A16_UNORM R16G16B16A16_UINT R16G16B16A16_SNORM
    R16G16B16A16_SINT R32G32_FLOAT R32G32_UINT R32G32_SINT R10G10B10A2_UNORM R10G10B10A2_UINT
    R11G11B10_FLOAT R8G8B8A8_UNORM R8G8B8A8_UINT R8G8B8A8_SNORM R8G8B8A8_SINT R16G16_FLOAT
    R16G16_UNORM R16G16_UINT R16G16_SNORM R16G16_SINT R32_FLOAT R32_UINT R32_SINT R8G8_UNORM
    R8G8_UINT R8G8_SNORM R8G8_SINT R16_FLOAT R16_UNORM R16_UINT R16_SNORM R16_SINT R8_UNORM R8_UINT
    R8_SNORM R8_SINT B5G6R5_UNORM B5G5R5A1_UNORM B8G8R8A8_UNORM B8G8R8X8_UNORM B4G4R4A4_UNORM
}

#[test]
fn every_format_has_its_constant() {
    assert!(Format::all().eq(NAMED.iter().copied()));
}
