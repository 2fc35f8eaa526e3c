//! What a shader asks of its surroundings: signatures, constant buffers with every member's place, resources.
//!
//! Must not know how any of it was found.

mod json;
#[cfg(test)]
mod tests;

use crate::hir::SignatureElement;
use crate::profile::Profile;
use crate::semantics::SystemValue;
use crate::types::{Scalar, Type};

/// All that a caller of an entry may want to know, also of what the entry does not use.
#[derive(Clone, Debug, PartialEq)]
pub struct Reflection {
    /// Name of the entry function.
    pub entry: String,
    /// The profile that it was checked for.
    pub profile: Profile,
    /// The lowest profile of that stage that has what the entry uses.
    pub required_profile: Profile,
    /// Inputs, one per register, then those that are not in the signature.
    pub inputs: Vec<SignatureElement>,
    /// Outputs likewise.
    pub outputs: Vec<SignatureElement>,
    /// Every constant buffer of the file, in order of declaration.
    pub constant_buffers: Vec<BufferUse>,
    /// Every resource and sampler of the file, in order of declaration.
    pub resources: Vec<ResourceUse>,
    /// The system values that come in or go out, each once.
    pub system_values: Vec<SystemValue>,
}

/// A constant buffer, and whether the entry reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferUse {
    /// The buffer. Where the entry does not read it and no register is written, its register is one that is free.
    pub buffer: ConstantBuffer,
    /// Whether code that the entry reaches reads it.
    pub used: bool,
}

/// A resource or sampler, and whether the entry uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// Its name.
    pub name: String,
    /// Its type, as HLSL writes it.
    pub ty: String,
    /// `t`, `s` or `u`.
    pub class: char,
    /// Number of its first register.
    pub register: u32,
    /// Register space.
    pub space: u32,
    /// Number of registers; 0 for an array without bounds.
    pub count: u32,
    /// Structured buffers: how an element lies in memory. Its size is the stride that the buffer must have.
    pub element: Option<Layout>,
    /// Whether code that the entry reaches names it.
    pub used: bool,
}

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
