//! A vertex shader that reads constants and ids only, run by both engines.

use fuseline::hlsl::compile::Compiled;
use fuseline::hlsl::diagnostic::{Diagnostics, Severity};
use fuseline::hlsl::options::CompileOptions;
use fuseline::hlsl::preprocess::IncludeHandler;
use fuseline::hlsl::reflection::{ConstantBuffer, Layout};
use fuseline::hlsl::source::SourceMap;
use fuseline::{
    Buffer, Device, DeviceOptions, DrawCall, DrawState, Engine, InputElementDesc, PipelineDesc,
    Register, Results, Topology, VertexBufferView, compare, draw::DrawOptions,
};
use std::sync::Arc;

/// Compiles; the error is the errors' text.
pub fn compile(
    name: &str,
    text: &[u8],
    options: &CompileOptions,
    includes: &mut dyn IncludeHandler,
) -> Result<Compiled, String> {
    fuseline::hlsl::compile(name, text, options, includes)
        .map_err(|failed| errors(&failed.diagnostics, &failed.sources))
}

/// The errors alone, as a user would read them.
pub fn errors(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut errors = Diagnostics::new();
    for diagnostic in diagnostics.iter().filter(|d| d.severity == Severity::Error) {
        errors.push(diagnostic.clone());
    }
    errors.render_text(sources, false)
}

/// What a draw reads.
#[derive(Default)]
pub struct Bindings<'a> {
    /// Bytes of constant buffers; those left out read zero.
    pub constants: Vec<(&'a ConstantBuffer, Vec<u8>)>,
    /// The input layout, and the one vertex buffer that holds its elements one behind the other, 16 bytes each.
    pub layout: Vec<InputElementDesc>,
    /// Words of that buffer.
    pub vertices: Vec<u32>,
}

/// Draws points by both engines.
///
/// # Errors
/// When the draw is refused or stopped, or the engines differ in a bit.
pub fn draw(
    compiled: &Compiled,
    bindings: &Bindings<'_>,
    vertices: u32,
    instances: u32,
) -> Result<Results, String> {
    let device = Device::new(DeviceOptions::default()).map_err(|e| e.to_string())?;
    let program = Arc::new(compiled.program.clone());
    let pipeline = device
        .create_pipeline(&PipelineDesc::new(program, &bindings.layout))
        .map_err(|e| e.to_string())?;
    let mut state = DrawState::new(Topology::PointList);
    for (desc, bytes) in &bindings.constants {
        state
            .constants
            .insert(Register::of(desc), Buffer::new(bytes));
    }
    if !bindings.layout.is_empty() {
        let buffer = Buffer::from_slice(&bindings.vertices);
        let stride = bindings.layout.len() as u32 * 16;
        state
            .vertex_buffers
            .insert(0, VertexBufferView::new(&buffer, stride));
    }
    let call = DrawCall::DrawInstanced {
        vertex_count: vertices,
        instance_count: instances,
        start_vertex: 0,
        start_instance: 0,
    };
    let run = |engine| {
        pipeline
            .draw_with(&state, &call, &DrawOptions::engine(engine))
            .map_err(|e| format!("{engine:?}: {e}"))
    };
    let (jit, interpreter) = (run(Engine::Jit)?, run(Engine::Interpreter)?);
    match compare(&jit, &interpreter) {
        None => Ok(jit),
        Some(place) => Err(format!("the engines differ: {place} (the JIT's first)")),
    }
}

/// Where the components of a value lie, in the order of a structured buffer, which packs them without gaps.
pub fn leaves(layout: &Layout, offset: u32, out: &mut Vec<u32>) {
    match layout {
        Layout::Vector { components, .. } => {
            out.extend((0..u32::from(*components)).map(|c| offset + c * 4));
        }
        Layout::Matrix {
            rows,
            columns,
            row_major,
            row_stride,
            column_stride,
            ..
        } => {
            let (rows, columns) = (
                (u32::from(*rows), *row_stride),
                (u32::from(*columns), *column_stride),
            );
            let (lines, slots) = if *row_major {
                (rows, columns)
            } else {
                (columns, rows)
            };
            for line in 0..lines.0 {
                out.extend((0..slots.0).map(|slot| offset + line * lines.1 + slot * slots.1));
            }
        }
        Layout::Array {
            element,
            len,
            stride,
        } => (0..*len).for_each(|i| leaves(element, offset + i * stride, out)),
        Layout::Struct(members) => members
            .iter()
            .for_each(|m| leaves(&m.layout, offset + m.offset, out)),
    }
}
