//! Lir to CLIF.
//!
//! [`inst`] turns instructions into Cranelift's, [`nest`] puts the loops over views, instances and groups of vertices
//! around the stages, [`rodata`] collects constants. Order and register pressure were settled before
//! ([`crate::lir::schedule`]); nothing is optimised here. Must not know Kir or HLSL.

pub mod ahead;
mod cuts;
pub mod inst;
pub mod nest;
pub mod op;
pub mod rodata;

use crate::kernel::{OutputBlock, StreamInfo};

/// What the loops around the stages must know besides the function itself.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Output blocks, for the addresses of rows.
    pub blocks: &'a [OutputBlock],
    /// Vertex streams, for the addresses of vertices.
    pub streams: &'a [StreamInfo],
    /// Vertices are fetched by `KernelArgs::fetch`.
    pub gathered: bool,
    /// What the stages for groups of vertices compute varies with the instance.
    pub groups_per_instance: bool,
}
