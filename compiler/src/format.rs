//! The one table of vertex formats.

/// A DXGI format that the Input Assembler accepts for vertex elements: index into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format(pub u8);
