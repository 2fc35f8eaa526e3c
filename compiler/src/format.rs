//! The one table of vertex formats: what lies where in an element, and what it means.
//!
//! Source: input-assembler.md section 5 (the Direct3D format tables, column "Input Assembler Vertex Buffer"). Must not
//! know how elements are loaded; [`crate::decode`] says what the bits become.

use fuseline_hlsl::diagnostic::nearest;
use fuseline_numerics::op::Kind;
use thiserror::Error;

mod constants;
mod names;

/// What the components of a format are; also what stands in for those that it lacks (FS 19.1.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    /// Floats of 32, 16, 11 or 10 bits.
    Float,
    /// Unsigned fractions: all bits set is 1.
    Unorm,
    /// Signed fractions: the two smallest codes are -1.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
}

impl Numeric {
    /// The kind of the decoded components.
    pub const fn kind(self) -> Kind {
        match self {
            Numeric::Float | Numeric::Unorm | Numeric::Snorm => Kind::F32,
            Numeric::Uint | Numeric::Sint => Kind::I32,
        }
    }

    /// The bits of the component w where the format has none.
    pub const fn one(self) -> u32 {
        match self.kind() {
            Kind::F32 => 0x3F80_0000,
            _ => 1,
        }
    }
}

/// Where a component lies: a run of bits in the element, read as one little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its lowest bit.
    pub bit: u32,
    /// Number of bits; a field never crosses a multiple of 32.
    pub width: u32,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    dxgi: u32,
    bytes: u32,
    numeric: Numeric,
    fields: [Option<Field>; 4],
}

const fn field(bit: u32, width: u32) -> Option<Field> {
    Some(Field { bit, width })
}

/// A format of `count` components of `width` bits, one after the other.
const fn array(name: &'static str, dxgi: u32, count: u32, width: u32, numeric: Numeric) -> Row {
    let mut fields = [None; 4];
    let mut i = 0;
    while i < count {
        fields[i as usize] = field(i * width, width);
        i += 1;
    }
    Row {
        name,
        dxgi,
        bytes: count * width / 8,
        numeric,
        fields,
    }
}

/// A format of bit fields in one word: those of x, y, z, w as (bit, width), width 0 for none.
const fn packed(
    name: &'static str,
    dxgi: u32,
    bytes: u32,
    numeric: Numeric,
    at: [(u32, u32); 4],
) -> Row {
    let mut fields = [None; 4];
    let mut i = 0;
    while i < 4 {
        if at[i].1 != 0 {
            fields[i] = field(at[i].0, at[i].1);
        }
        i += 1;
    }
    Row {
        name,
        dxgi,
        bytes,
        numeric,
        fields,
    }
}

#[rustfmt::skip]
const TABLE: &[Row] = &{
    use Numeric::{Float, Sint, Snorm, Uint, Unorm};
    [
        array("R32G32B32A32_FLOAT", 2, 4, 32, Float),
        array("R32G32B32A32_UINT", 3, 4, 32, Uint),
        array("R32G32B32A32_SINT", 4, 4, 32, Sint),
        array("R32G32B32_FLOAT", 6, 3, 32, Float),
        array("R32G32B32_UINT", 7, 3, 32, Uint),
        array("R32G32B32_SINT", 8, 3, 32, Sint),
        array("R16G16B16A16_FLOAT", 10, 4, 16, Float),
        array("R16G16B16A16_UNORM", 11, 4, 16, Unorm),
        array("R16G16B16A16_UINT", 12, 4, 16, Uint),
        array("R16G16B16A16_SNORM", 13, 4, 16, Snorm),
        array("R16G16B16A16_SINT", 14, 4, 16, Sint),
        array("R32G32_FLOAT", 16, 2, 32, Float),
        array("R32G32_UINT", 17, 2, 32, Uint),
        array("R32G32_SINT", 18, 2, 32, Sint),
        packed("R10G10B10A2_UNORM", 24, 4, Unorm, [(0, 10), (10, 10), (20, 10), (30, 2)]),
        packed("R10G10B10A2_UINT", 25, 4, Uint, [(0, 10), (10, 10), (20, 10), (30, 2)]),
        packed("R11G11B10_FLOAT", 26, 4, Float, [(0, 11), (11, 11), (22, 10), (0, 0)]),
        array("R8G8B8A8_UNORM", 28, 4, 8, Unorm),
        array("R8G8B8A8_UINT", 30, 4, 8, Uint),
        array("R8G8B8A8_SNORM", 31, 4, 8, Snorm),
        array("R8G8B8A8_SINT", 32, 4, 8, Sint),
        array("R16G16_FLOAT", 34, 2, 16, Float),
        array("R16G16_UNORM", 35, 2, 16, Unorm),
        array("R16G16_UINT", 36, 2, 16, Uint),
        array("R16G16_SNORM", 37, 2, 16, Snorm),
        array("R16G16_SINT", 38, 2, 16, Sint),
        array("R32_FLOAT", 41, 1, 32, Float),
        array("R32_UINT", 42, 1, 32, Uint),
        array("R32_SINT", 43, 1, 32, Sint),
        array("R8G8_UNORM", 49, 2, 8, Unorm),
        array("R8G8_UINT", 50, 2, 8, Uint),
        array("R8G8_SNORM", 51, 2, 8, Snorm),
        array("R8G8_SINT", 52, 2, 8, Sint),
        array("R16_FLOAT", 54, 1, 16, Float),
        array("R16_UNORM", 56, 1, 16, Unorm),
        array("R16_UINT", 57, 1, 16, Uint),
        array("R16_SNORM", 58, 1, 16, Snorm),
        array("R16_SINT", 59, 1, 16, Sint),
        array("R8_UNORM", 61, 1, 8, Unorm),
        array("R8_UINT", 62, 1, 8, Uint),
        array("R8_SNORM", 63, 1, 8, Snorm),
        array("R8_SINT", 64, 1, 8, Sint),
        packed("B5G6R5_UNORM", 85, 2, Unorm, [(11, 5), (5, 6), (0, 5), (0, 0)]),
        packed("B5G5R5A1_UNORM", 86, 2, Unorm, [(10, 5), (5, 5), (0, 5), (15, 1)]),
        packed("B8G8R8A8_UNORM", 87, 4, Unorm, [(16, 8), (8, 8), (0, 8), (24, 8)]),
        packed("B8G8R8X8_UNORM", 88, 4, Unorm, [(16, 8), (8, 8), (0, 8), (0, 0)]),
        packed("B4G4R4A4_UNORM", 115, 2, Unorm, [(8, 4), (4, 4), (0, 4), (12, 4)]),
    ]
};

/// A DXGI format that the Input Assembler accepts for vertex elements: index into the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format(u8);

/// Why something is no vertex format. The texts begin with the name of D3D's debug message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// Not a DXGI_FORMAT at all.
    #[error("INVALIDFORMAT: '{name}' is not a DXGI_FORMAT{}", hint(.nearest))]
    Invalid {
        /// What was given: a name without `DXGI_FORMAT_`, or a number.
        name: String,
        /// The vertex format whose name is most like it.
        nearest: Option<&'static str>,
    },
    /// A DXGI_FORMAT without the capability "Input Assembler vertex buffer".
    #[error(
        "INCOMPATIBLEFORMAT: DXGI_FORMAT_{name} cannot be the format of a vertex element; use a format such as \
         R32G32B32A32_FLOAT, R16G16_SNORM or R8G8B8A8_UNORM"
    )]
    Incompatible {
        /// Its name without `DXGI_FORMAT_`.
        name: &'static str,
    },
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

impl Format {
    /// Every format, in the order of their numbers.
    pub fn all() -> impl ExactSizeIterator<Item = Format> {
        (0..TABLE.len()).map(|i| Format(i as u8))
    }

    /// The format of a name, with or without `DXGI_FORMAT_`, in capitals as D3D writes it.
    pub fn from_name(name: &str) -> Result<Format, FormatError> {
        let name = name.strip_prefix("DXGI_FORMAT_").unwrap_or(name);
        if let Some(format) = Format::all().find(|f| f.name() == name) {
            return Ok(format);
        }
        Err(match names::OTHERS.iter().find(|other| other.1 == name) {
            Some(&(_, name)) => FormatError::Incompatible { name },
            None => FormatError::Invalid {
                name: name.to_owned(),
                nearest: nearest(&name.to_ascii_uppercase(), TABLE.iter().map(|row| row.name)),
            },
        })
    }

    /// The format of a DXGI_FORMAT's number.
    pub fn from_dxgi(number: u32) -> Result<Format, FormatError> {
        if let Some(format) = Format::all().find(|f| f.dxgi() == number) {
            return Ok(format);
        }
        Err(match names::OTHERS.iter().find(|other| other.0 == number) {
            Some(&(_, name)) => FormatError::Incompatible { name },
            None => FormatError::Invalid {
                name: number.to_string(),
                nearest: None,
            },
        })
    }

    fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    /// Its name without `DXGI_FORMAT_`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The number of the DXGI_FORMAT.
    pub fn dxgi(self) -> u32 {
        self.row().dxgi
    }

    /// Size of an element in bytes: 1, 2, 4, 8, 12 or 16.
    pub fn bytes(self) -> u32 {
        self.row().bytes
    }

    /// What element offsets must be multiples of: the size, at most 4 (FS 4.4.6).
    pub fn alignment(self) -> u32 {
        self.bytes().min(4)
    }

    /// What its components are.
    pub fn numeric(self) -> Numeric {
        self.row().numeric
    }

    /// Where the components x, y, z, w lie; None: the format lacks it.
    pub fn fields(self) -> [Option<Field>; 4] {
        self.row().fields
    }

    /// The pieces that [`crate::decode::decode`] takes, as (first byte, width in bytes): words of 4 bytes where the
    /// size allows, otherwise the whole element as one of 2 or 1.
    pub fn words(self) -> &'static [(u8, u8)] {
        match self.bytes() {
            1 => &[(0, 1)],
            2 => &[(0, 2)],
            4 => &[(0, 4)],
            8 => &[(0, 4), (4, 4)],
            12 => &[(0, 4), (4, 4), (8, 4)],
            _ => &[(0, 4), (4, 4), (8, 4), (12, 4)],
        }
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
