//! Why pipelines and draws are refused, in Direct3D's terms.

use crate::topology::{Topology, TopologyType};
use fuseline_compiler::compile::CompileError;
use fuseline_compiler::isa::IsaError;
use fuseline_compiler::layout::LayoutError;
use std::fmt;
use std::sync::Arc;

/// Why a pipeline was not made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PipelineError {
    /// The layout breaks Direct3D's rules, or the shader's inputs find no element in it.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Layout(Vec<LayoutError>),
    /// Not a vertex shader.
    #[error("`{entry}` was compiled for {profile}; a pipeline starts with a vertex shader")]
    NotAVertexShader {
        /// Entry function.
        entry: String,
        /// Its profile.
        profile: String,
    },
    /// `D3D12_MAX_VIEW_INSTANCE_COUNT` is 4.
    #[error(
        "view instancing with {0} views: at most 4 are possible (D3D12_MAX_VIEW_INSTANCE_COUNT)"
    )]
    TooManyViews(usize),
    /// The device's tier is NotSupported.
    #[error(
        "the pipeline asks for view instancing ({0}), which this device does not have (D3D12_VIEW_INSTANCING_TIER_NOT_SUPPORTED)"
    )]
    ViewInstancingNotSupported(&'static str),
}

impl PipelineError {
    /// One message for each reason.
    pub fn messages(&self) -> Vec<String> {
        match self {
            PipelineError::Layout(errors) => errors.iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        }
    }
}

/// Why there is no kernel for a shader. Two are equal when they say the same.
#[derive(Clone, Debug)]
pub struct KernelError(Arc<CompileError>);

impl KernelError {
    /// What the compiler says.
    pub fn error(&self) -> &CompileError {
        &self.0
    }
}

impl From<CompileError> for KernelError {
    fn from(error: CompileError) -> KernelError {
        KernelError(Arc::new(error))
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for KernelError {
    fn eq(&self, other: &KernelError) -> bool {
        self.to_string() == other.to_string()
    }
}

/// Why a draw was refused, or stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DrawError {
    /// No topology was set.
    #[error("{call}: the primitive topology is UNDEFINED; set one before drawing")]
    TopologyUndefined {
        /// The call.
        call: &'static str,
    },
    /// The topology is not of the pipeline's type.
    #[error("{call}: topology {topology} does not match the pipeline's topology type {want}")]
    TopologyMismatch {
        /// The call.
        call: &'static str,
        /// What is set.
        topology: Topology,
        /// What the pipeline was made for.
        want: TopologyType,
    },
    /// A slot that Direct3D does not have.
    #[error(
        "vertex buffer slot {0} is past the last one, 31 (D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT)"
    )]
    VertexBufferSlot(u32),
    /// A stride that Direct3D does not have.
    #[error(
        "vertex buffer slot {slot}: stride {stride} is too large, at most 2048 bytes are possible (D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES)"
    )]
    Stride {
        /// The slot.
        slot: u32,
        /// The stride.
        stride: u32,
    },
    /// A buffer that 32-bit addresses do not reach into.
    #[error("{what}: a buffer of {len} bytes cannot be addressed with 32 bits")]
    BufferTooLarge {
        /// Where it is bound.
        what: String,
        /// Its size.
        len: usize,
    },
    /// A register that Direct3D does not have.
    #[error(
        "constant buffer {0} is past the last one, b13 (D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT)"
    )]
    ConstantBufferSlot(String),
    /// A constant buffer past 4096 vectors.
    #[error(
        "constant buffer {register}: {len} bytes are bound, at most 65536 are possible (D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT)"
    )]
    ConstantBufferTooLarge {
        /// `b` or `t` register.
        register: String,
        /// Bytes bound.
        len: usize,
    },
    /// Arguments outside their buffer (FS 8.7: undefined there).
    #[error("{call}: the arguments at offset {offset} pass the end of a buffer of {len} bytes")]
    IndirectOutOfBounds {
        /// The call.
        call: &'static str,
        /// Where the arguments begin.
        offset: u32,
        /// Bytes of the buffer.
        len: usize,
    },
    /// Arguments at an odd place.
    #[error("{call}: AlignedByteOffsetForArgs {offset} is no multiple of 4")]
    IndirectMisaligned {
        /// The call.
        call: &'static str,
        /// Where the arguments begin.
        offset: u32,
    },
    /// Needs stream output.
    #[error("DrawAuto is not supported yet: it needs stream output")]
    DrawAuto,
    /// More results than may be stored.
    #[error(
        "{call}: {rows} rows take {bytes} bytes, more than the {limit} that the results of a draw may take (DeviceOptions::result_limit)"
    )]
    TooLarge {
        /// The call.
        call: &'static str,
        /// Rows asked for.
        rows: u128,
        /// Bytes that the draw needs.
        bytes: u128,
        /// Bytes that it may have.
        limit: u64,
    },
    /// More rows than can be counted out in any time.
    #[error("{call}: {rows} rows are more than the {max} that a draw may have", max = crate::limits::MAX_ROWS)]
    TooManyRows {
        /// The call.
        call: &'static str,
        /// Rows asked for.
        rows: u128,
    },
    /// The machine has less memory than the limit allows.
    #[error("out of memory: {0} bytes for the results of a draw")]
    OutOfMemory(usize),
    /// A loop ran too long.
    #[error("a loop of the shader took more than {0} iterations in one invocation")]
    LoopLimit(u32),
    /// All loops together ran too long.
    #[error("the loops of the draw took more than {0} iterations in all")]
    Budget(u64),
    /// The caller's memory does not fit.
    #[error(transparent)]
    OutputBuffer(#[from] crate::output_buffer::OutputBufferError),
    /// No code can be made for this machine; the interpreter runs on it.
    #[error("{0}; Engine::Interpreter runs everywhere")]
    NoNativeCode(IsaError),
    /// The shader cannot be compiled to native code.
    #[error("{0}")]
    Kernel(KernelError),
    /// The interpreter ran out of levels.
    #[error("{0}")]
    TooDeep(String),
    /// Another thread stopped the draw.
    #[error("the draw was cancelled")]
    Cancelled,
}
