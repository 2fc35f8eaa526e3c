//! Direct3D's Input Assembler and Vertex Shader on the CPU: HLSL compiled by Cranelift together with its vertex fetch.
//!
//! A vertex shader written in HLSL, an input layout and buffers go in, as Direct3D 11 and 12 know them; out come the
//! shaded vertices as strided arrays, the primitives they form, and statistics. One native function per pipeline key
//! fetches, decodes, shades and stores, four or eight vertices at a time; a reference interpreter gives the same bits.
//!
//! ```
#![doc = include_str!("../examples/embed.rs")]
//! ```
//!
//! | to | see |
//! |---|---|
//! | compile a shader | [`compile()`], or [`hlsl::compile()`] with macros, includes, diagnostics and reflection |
//! | make a pipeline | [`Device::create_pipeline`], [`PipelineDesc`], [`InputElementDesc`] |
//! | set constants | [`Pipeline::constants`], [`ConstantBuffer::set`] |
//! | draw | [`Pipeline::draw`], [`DrawState`], [`DrawCall`]; later, [`CommandList`] and [`Bundle`] |
//! | read results | [`Results`], [`Output`](runtime::Output), [`Primitives`](runtime::Primitives) |
//! | compare engines | [`Engine`], [`compare()`] |

pub mod drawfile;
pub mod includes;
pub mod output;
mod shader;

pub use fuseline_compiler as compiler;
pub use fuseline_hlsl as hlsl;
pub use fuseline_numerics as numerics;
pub use fuseline_runtime as runtime;

pub use fuseline_compiler::format::Format;
pub use fuseline_compiler::layout::{
    APPEND_ALIGNED_ELEMENT, InputClassification, InputElementDesc,
};
pub use fuseline_runtime::*;
pub use shader::{ShaderError, compile};
