//! What a shader asks of its surroundings: constant buffers with every member's place.

use crate::types::{Scalar, Type};

/// How a buffer of constants is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferClass {
    /// `cbuffer`, `ConstantBuffer<T>`, `$Globals`, `$Params`: a `b` register.
    Constant,
    /// `tbuffer`, `TextureBuffer<T>`: a `t` register.
    Texture,
}

/// A constant buffer (also `$Globals`, `$Params`, tbuffers).
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantBuffer {
    /// Its name.
    pub name: String,
    /// How it is bound.
    pub class: BufferClass,
    /// Register number, `b` or `t` by class.
    pub register: u32,
    /// Register space.
    pub space: u32,
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// Members in order.
    pub members: Vec<Member>,
}

/// A member of a constant buffer, or of a struct in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Name.
    pub name: String,
    /// Bytes from the start of the buffer (members of structs: of the struct).
    pub offset: u32,
    /// How it lies in memory.
    pub layout: Layout,
    /// Its type.
    pub ty: Type,
}

/// How a value lies in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Components of 4 bytes, one after the other.
    Vector {
        /// Component type.
        scalar: Scalar,
        /// 1 to 4.
        components: u8,
    },
    /// A matrix: element (r, c) is at `r * row_stride + c * column_stride`.
    Matrix {
        /// Component type.
        scalar: Scalar,
        /// Rows.
        rows: u8,
        /// Columns.
        columns: u8,
        /// Whether its lines in memory are rows.
        row_major: bool,
        /// Bytes between rows.
        row_stride: u32,
        /// Bytes between columns.
        column_stride: u32,
    },
    /// Elements at multiples of `stride`.
    Array {
        /// How each element lies.
        element: Box<Layout>,
        /// How many.
        len: u32,
        /// Bytes between elements.
        stride: u32,
    },
    /// Members at their offsets.
    Struct(Vec<Member>),
}
