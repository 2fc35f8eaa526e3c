//! What a draw needs besides its pipeline: bound buffers and fixed state, and the draw calls with their arguments.
//!
//! Must not know how draws are carried out.

use crate::buffer::{Buffer, IndexBufferView, VertexBufferView};
use crate::constants::ConstantBuffer;
use crate::topology::{StripCut, Topology};
use fuseline_hlsl::reflection::BufferClass;
use std::collections::BTreeMap;
use std::fmt;

/// A `b` or `t` register with its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// `t` instead of `b`: tbuffers.
    pub texture: bool,
    /// Register space.
    pub space: u32,
    /// Number.
    pub number: u32,
}

impl fmt::Display for Register {
    /// `b3`, `t0`, `b1 of space 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.texture { 't' } else { 'b' };
        write!(f, "{kind}{}", self.number)?;
        match self.space {
            0 => Ok(()),
            space => write!(f, " of space {space}"),
        }
    }
}

impl Register {
    /// `bN` of space 0.
    pub fn b(number: u32) -> Register {
        Register {
            texture: false,
            space: 0,
            number,
        }
    }

    /// The same in another space.
    pub fn space(self, space: u32) -> Register {
        Register { space, ..self }
    }

    /// Where a shader's buffer is bound.
    pub fn of(desc: &fuseline_hlsl::reflection::ConstantBuffer) -> Register {
        Register {
            texture: desc.class == BufferClass::Texture,
            space: desc.space,
            number: desc.register,
        }
    }
}

/// The state that a draw reads: everything unset is Direct3D's default. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct DrawState {
    /// `IASetPrimitiveTopology`; None is UNDEFINED, which no draw accepts.
    pub topology: Option<Topology>,
    /// `IASetVertexBuffers`, by slot. A slot that is not here is unbound: its elements read zero in all components,
    /// without defaults (FS 8.20).
    pub vertex_buffers: BTreeMap<u32, VertexBufferView>,
    /// `IASetIndexBuffer`; unbound, every index is 0 (FS 8.20).
    pub index_buffer: Option<IndexBufferView>,
    /// Constant buffers; a register with nothing bound reads zero.
    pub constants: BTreeMap<Register, Buffer>,
    /// `SetViewInstanceMask`; counts only with pipelines that have the masking flag. Default 0: nothing is drawn.
    pub view_mask: u32,
    /// `IASetIndexBufferStripCutValue`: None is what the pipeline says.
    pub strip_cut: Option<StripCut>,
}

impl DrawState {
    /// Nothing bound.
    pub fn new(topology: Topology) -> DrawState {
        DrawState {
            topology: Some(topology),
            ..DrawState::default()
        }
    }

    /// Binds a vertex buffer.
    pub fn vertex_buffer(mut self, slot: u32, view: VertexBufferView) -> DrawState {
        self.vertex_buffers.insert(slot, view);
        self
    }

    /// Binds the index buffer.
    pub fn index_buffer(mut self, view: IndexBufferView) -> DrawState {
        self.index_buffer = Some(view);
        self
    }

    /// Binds constants where the shader that they were made for expects them.
    pub fn constants(mut self, constants: &ConstantBuffer) -> DrawState {
        let register = Register::of(constants.desc());
        self.constants.insert(register, constants.buffer().clone());
        self
    }

    /// Binds raw bytes as a constant buffer.
    pub fn constant_bytes(mut self, register: Register, bytes: &Buffer) -> DrawState {
        self.constants.insert(register, bytes.clone());
        self
    }

    /// Sets the view mask.
    pub fn view_mask(mut self, mask: u32) -> DrawState {
        self.view_mask = mask;
        self
    }

    /// Overrides the pipeline's strip cut.
    pub fn strip_cut(mut self, cut: StripCut) -> DrawState {
        self.strip_cut = Some(cut);
        self
    }
}

/// A draw call with Direct3D's arguments. Whatever they are, address arithmetic is 32-bit and wraps (FS 8.19.1).
#[derive(Clone, Debug)]
pub enum DrawCall {
    /// `Draw`.
    Draw {
        /// VertexCount.
        vertex_count: u32,
        /// StartVertexLocation.
        start_vertex: u32,
    },
    /// `DrawIndexed`.
    DrawIndexed {
        /// IndexCount.
        index_count: u32,
        /// StartIndexLocation.
        start_index: u32,
        /// BaseVertexLocation.
        base_vertex: i32,
    },
    /// `DrawInstanced`.
    DrawInstanced {
        /// VertexCountPerInstance.
        vertex_count: u32,
        /// InstanceCount.
        instance_count: u32,
        /// StartVertexLocation.
        start_vertex: u32,
        /// StartInstanceLocation, in elements of the per-instance buffers; not divided by step rates.
        start_instance: u32,
    },
    /// `DrawIndexedInstanced`.
    DrawIndexedInstanced {
        /// IndexCountPerInstance.
        index_count: u32,
        /// InstanceCount.
        instance_count: u32,
        /// StartIndexLocation.
        start_index: u32,
        /// BaseVertexLocation.
        base_vertex: i32,
        /// StartInstanceLocation.
        start_instance: u32,
    },
    /// `DrawInstancedIndirect`: four words (FS 8.7).
    DrawInstancedIndirect {
        /// The argument buffer.
        args: Buffer,
        /// AlignedByteOffsetForArgs, a multiple of 4.
        offset: u32,
    },
    /// `DrawIndexedInstancedIndirect`: five words (FS 8.8).
    DrawIndexedInstancedIndirect {
        /// The argument buffer.
        args: Buffer,
        /// AlignedByteOffsetForArgs, a multiple of 4.
        offset: u32,
    },
    /// `DrawAuto`: as many vertices as stream output wrote to slot 0. Not supported yet.
    DrawAuto,
}

impl DrawCall {
    /// `Draw(vertex_count, 0)`.
    pub fn draw(vertex_count: u32) -> DrawCall {
        DrawCall::Draw {
            vertex_count,
            start_vertex: 0,
        }
    }

    /// `DrawIndexed(index_count, 0, 0)`.
    pub fn indexed(index_count: u32) -> DrawCall {
        DrawCall::DrawIndexed {
            index_count,
            start_index: 0,
            base_vertex: 0,
        }
    }

    /// `DrawInstanced(vertex_count, instance_count, 0, 0)`.
    pub fn instanced(vertex_count: u32, instance_count: u32) -> DrawCall {
        DrawCall::DrawInstanced {
            vertex_count,
            instance_count,
            start_vertex: 0,
            start_instance: 0,
        }
    }

    /// `DrawIndexedInstanced(index_count, instance_count, 0, 0, 0)`.
    pub fn indexed_instanced(index_count: u32, instance_count: u32) -> DrawCall {
        DrawCall::DrawIndexedInstanced {
            index_count,
            instance_count,
            start_index: 0,
            base_vertex: 0,
            start_instance: 0,
        }
    }

    /// D3D's name of the call.
    pub fn name(&self) -> &'static str {
        match self {
            DrawCall::Draw { .. } => "Draw",
            DrawCall::DrawIndexed { .. } => "DrawIndexed",
            DrawCall::DrawInstanced { .. } => "DrawInstanced",
            DrawCall::DrawIndexedInstanced { .. } => "DrawIndexedInstanced",
            DrawCall::DrawInstancedIndirect { .. } => "DrawInstancedIndirect",
            DrawCall::DrawIndexedInstancedIndirect { .. } => "DrawIndexedInstancedIndirect",
            DrawCall::DrawAuto => "DrawAuto",
        }
    }
}
