//! Pipelines: a vertex shader with its input layout and fixed state, checked once, drawn often.

use crate::constants::{ConstantBuffer, ConstantError, list};
use crate::device::{Device, ViewInstancingTier};
use crate::draw::{self, DrawOptions};
use crate::error::{DrawError, PipelineError};
use crate::output_buffer::OutputBuffer;
use crate::result_layout::ResultLayout;
use crate::results::Results;
use crate::state::{DrawCall, DrawState};
use crate::topology::{StripCut, TopologyType};
use fuseline_compiler::format::Format;
use fuseline_compiler::kernel::{DrawKind, FetchElement, KernelKey, RowLayout};
use fuseline_compiler::layout::{InputElementDesc, InputLayout, LayoutWarning};
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::profile::Stage;
use fuseline_hlsl::semantics::SystemValue;
use std::sync::Arc;

/// `D3D12_MAX_VIEW_INSTANCE_COUNT`.
pub const MAX_VIEWS: usize = 4;

/// `D3D12_VIEW_INSTANCE_LOCATION`: what is added to the shader's array indices, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ViewLocation {
    /// Added to SV_ViewportArrayIndex.
    pub viewport_array_index: u32,
    /// Added to SV_RenderTargetArrayIndex.
    pub render_target_array_index: u32,
}

impl ViewLocation {
    /// The viewport that a view's primitives go to, of `viewports`: `written` is SV_ViewportArrayIndex of the leading
    /// vertex, 0 where the shader writes none. Sums wrap; those that are out of range select 0 (ViewInstancing.md).
    pub fn viewport(self, written: u32, viewports: u32) -> u32 {
        select(self.viewport_array_index, written, viewports)
    }

    /// The slice of the render target likewise, from SV_RenderTargetArrayIndex.
    pub fn render_target(self, written: u32, slices: u32) -> u32 {
        select(self.render_target_array_index, written, slices)
    }
}

fn select(offset: u32, written: u32, count: u32) -> u32 {
    let sum = offset.wrapping_add(written);
    if sum < count { sum } else { 0 }
}

/// `D3D12_VIEW_INSTANCING_DESC`. No views is the same as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewInstancing {
    /// One per view, at most four.
    pub views: Vec<ViewLocation>,
    /// `D3D12_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING`: the view mask counts, and is 0 unless set.
    pub masking: bool,
}

/// What a pipeline is made of.
#[derive(Clone, Debug)]
pub struct PipelineDesc<'a> {
    /// The vertex shader.
    pub vertex_shader: Arc<Program>,
    /// Its input layout.
    pub input_layout: &'a [InputElementDesc],
    /// What it draws; None: anything, as in Direct3D 11.
    pub topology_type: Option<TopologyType>,
    /// Views.
    pub view_instancing: ViewInstancing,
    /// Which indices cut; a draw may override it.
    pub strip_cut: StripCut,
}

impl<'a> PipelineDesc<'a> {
    /// A shader with a layout, everything else at its default.
    pub fn new(
        vertex_shader: Arc<Program>,
        input_layout: &'a [InputElementDesc],
    ) -> PipelineDesc<'a> {
        PipelineDesc {
            vertex_shader,
            input_layout,
            topology_type: None,
            view_instancing: ViewInstancing::default(),
            strip_cut: StripCut::default(),
        }
    }
}

/// A shader input that comes from a vertex buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundElement {
    /// Index into `Program::inputs`.
    pub input: u32,
    pub format: Format,
    pub slot: u32,
    pub offset: u32,
    pub step_rate: Option<u32>,
}

/// A pipeline: cheap to clone, usable from many threads at once. Its kernels are compiled by the first draws that
/// need them.
#[derive(Clone, Debug)]
pub struct Pipeline {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    device: Device,
    program: Arc<Program>,
    elements: Vec<BoundElement>,
    warnings: Vec<LayoutWarning>,
    topology_type: Option<TopologyType>,
    view_instancing: ViewInstancing,
    strip_cut: StripCut,
    reads_view: bool,
}

impl Device {
    /// Makes a pipeline.
    ///
    /// # Errors
    /// With Direct3D's reasons, when layout and shader do not fit or the device cannot do what is asked for.
    pub fn create_pipeline(&self, desc: &PipelineDesc<'_>) -> Result<Pipeline, PipelineError> {
        let program = &desc.vertex_shader;
        if program.profile.stage != Stage::Vertex {
            return Err(PipelineError::NotAVertexShader {
                entry: program.entry_name.clone(),
                profile: program.profile.to_string(),
            });
        }
        self.check_views(&desc.view_instancing)?;
        let layout = InputLayout::new(desc.input_layout).map_err(PipelineError::Layout)?;
        let matching = layout.matching(program).map_err(PipelineError::Layout)?;
        let bound = |feed: &fuseline_compiler::layout::Feed| {
            let element = layout.elements().get(feed.element)?;
            Some(BoundElement {
                input: feed.input as u32,
                format: element.format,
                slot: element.slot,
                offset: element.offset,
                step_rate: element.step_rate,
            })
        };
        Ok(Pipeline {
            inner: Arc::new(Inner {
                device: self.clone(),
                program: program.clone(),
                elements: matching.feeds.iter().filter_map(bound).collect(),
                warnings: matching.warnings,
                topology_type: desc.topology_type,
                view_instancing: desc.view_instancing.clone(),
                strip_cut: desc.strip_cut,
                reads_view: (program.inputs.iter())
                    .any(|input| input.system_value == Some(SystemValue::ViewId)),
            }),
        })
    }

    fn check_views(&self, desc: &ViewInstancing) -> Result<(), PipelineError> {
        if desc.views.len() > MAX_VIEWS {
            return Err(PipelineError::TooManyViews(desc.views.len()));
        }
        if self.options().view_instancing == ViewInstancingTier::NotSupported {
            if desc.views.len() > 1 {
                return Err(PipelineError::ViewInstancingNotSupported(
                    "more than one view",
                ));
            }
            if desc.masking {
                return Err(PipelineError::ViewInstancingNotSupported(
                    "the masking flag",
                ));
            }
        }
        Ok(())
    }
}

impl Pipeline {
    /// Draws with the device's JIT and the default options.
    ///
    /// # Errors
    /// When Direct3D would refuse the draw, the results would be too large, or a loop runs too long.
    pub fn draw(&self, state: &DrawState, call: &DrawCall) -> Result<Results, DrawError> {
        self.draw_with(state, call, &DrawOptions::default())
    }

    /// Draws.
    ///
    /// # Errors
    /// As [`Pipeline::draw`], or when the draw is cancelled.
    pub fn draw_with(
        &self,
        state: &DrawState,
        call: &DrawCall,
        options: &DrawOptions,
    ) -> Result<Results, DrawError> {
        draw::draw(self, state, call, options)
    }

    /// Draws, and writes results to memory of the caller's, the same bits for every number of threads. Outputs that no
    /// buffer asks for are not stored. Gives all about the rows but their values.
    ///
    /// When it fails, `buffers` may have been written to in part. Positions that no row refers to (indices that are left
    /// out of a dense range) hold anything.
    ///
    /// ```
    /// # use fuseline_runtime::*;
    /// # use fuseline_compiler::{format::Format, layout::InputElementDesc};
    /// # use std::sync::Arc;
    /// # let text = b"struct O { float4 p : SV_Position; float2 uv : TEXCOORD; };
    /// #     O main(float2 v : V) { O o; o.p = float4(v, 0, 1); o.uv = v * 0.5; return o; }";
    /// # let options = Default::default();
    /// # let includes = &mut fuseline_hlsl::preprocess::NoIncludes;
    /// # let compiled = fuseline_hlsl::compile("s.hlsl", text, &options, includes).unwrap();
    /// # let shader = Arc::new(compiled.program);
    /// # let device = Device::new(DeviceOptions::default())?;
    /// # let layout = [InputElementDesc::new("V", 0, Format::R32G32_FLOAT)];
    /// # let pipeline = device.create_pipeline(&PipelineDesc::new(shader, &layout))?;
    /// # let state = DrawState::new(Topology::TriangleList)
    /// #     .vertex_buffer(0, VertexBufferView::from_slice(&[[0.0f32, 0.0], [2.0, 0.0], [0.0, 4.0]]))
    /// #     .index_buffer(IndexBufferView::from_u16(&[0, 2, 1, 1, 2, 0]));
    /// let call = DrawCall::indexed(6);
    /// let options = DrawOptions::default();
    /// // Three vertices that six indices share.
    /// let rows = pipeline.result_layout(&state, &call, &options)?.stored_rows();
    /// assert_eq!(rows, 3);
    /// let mut positions = vec![[0f32; 4]; rows];
    /// let mut texcoords = vec![[0f32; 2]; rows];
    /// let drawn = pipeline.draw_into(&state, &call, &options, &mut [
    ///     OutputBuffer::new(&mut positions).element("SV_Position", 0, 0),
    ///     OutputBuffer::new(&mut texcoords).element("TEXCOORD", 0, 0),
    /// ])?;
    /// let corner = drawn.position_of(1).unwrap() as usize;
    /// assert_eq!(positions[corner], [0.0, 4.0, 0.0, 1.0]);
    /// assert_eq!(texcoords[corner], [0.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pipeline::draw_with`], or when a buffer is too small, its rows or elements overlap or are not aligned, or a
    /// stride is 0 along an axis that its outputs vary with.
    pub fn draw_into(
        &self,
        state: &DrawState,
        call: &DrawCall,
        options: &DrawOptions,
        buffers: &mut [OutputBuffer<'_>],
    ) -> Result<ResultLayout, DrawError> {
        draw::draw_into(self, state, call, options, buffers)
    }

    /// The rows that a draw would have, without shading any.
    ///
    /// # Errors
    /// As [`Pipeline::draw_with`], as far as the arguments tell.
    pub fn result_layout(
        &self,
        state: &DrawState,
        call: &DrawCall,
        options: &DrawOptions,
    ) -> Result<ResultLayout, DrawError> {
        draw::layout(self, state, call, options)
    }

    /// Constants for the shader's constant buffer of that name, all zero.
    ///
    /// # Errors
    /// When the shader reads no such buffer.
    pub fn constants(&self, name: &str) -> Result<ConstantBuffer, ConstantError> {
        let buffers = &self.inner.program.constant_buffers;
        match buffers.iter().find(|buffer| buffer.name == name) {
            Some(buffer) => Ok(ConstantBuffer::new(Arc::new(buffer.clone()))),
            None => Err(ConstantError::NoSuchBuffer {
                name: name.to_string(),
                known: list(buffers.iter().map(|buffer| buffer.name.as_str())),
            }),
        }
    }

    /// The device that it was made by.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// The vertex shader.
    pub fn program(&self) -> &Arc<Program> {
        &self.inner.program
    }

    /// What was accepted, but is perhaps not meant.
    pub fn warnings(&self) -> &[LayoutWarning] {
        &self.inner.warnings
    }

    /// Where each view goes; one view where there is no view instancing.
    pub fn view_locations(&self) -> &[ViewLocation] {
        match self.inner.view_instancing.views.as_slice() {
            [] => &[ViewLocation {
                viewport_array_index: 0,
                render_target_array_index: 0,
            }],
            views => views,
        }
    }

    /// The key of the kernel that draws consecutive vertices, eight or more, with these buffers bound: for looking at
    /// what the compiler makes of it.
    pub fn kernel_key(&self, state: &DrawState) -> KernelKey {
        KernelKey {
            elements: self.fetch_elements(state),
            draw: DrawKind::Sequential,
            flush: self.device().options().flush_denormals,
            long_runs: true,
            count_loops: self.device().options().counts_all_loops(),
            rows: RowLayout::ByRate,
        }
    }

    /// Where each shader input comes from with these buffers bound.
    pub(crate) fn fetch_elements(&self, state: &DrawState) -> Vec<FetchElement> {
        let element = |e: &BoundElement| {
            let view = state.vertex_buffers.get(&e.slot);
            FetchElement {
                input: e.input,
                format: e.format,
                slot: view.map(|_| e.slot),
                offset: e.offset,
                stride: view.map_or(0, |view| view.stride),
                step_rate: e.step_rate,
                own_stream: false,
            }
        };
        self.elements().iter().map(element).collect()
    }

    pub(crate) fn elements(&self) -> &[BoundElement] {
        &self.inner.elements
    }

    pub(crate) fn topology_type(&self) -> Option<TopologyType> {
        self.inner.topology_type
    }

    pub(crate) fn strip_cut(&self) -> StripCut {
        self.inner.strip_cut
    }

    /// The shader declares SV_ViewID: it runs once for each view.
    pub(crate) fn reads_view(&self) -> bool {
        self.inner.reads_view
    }

    /// SV_ViewID of the views that a draw with this mask shades: bits past the last view are ignored (decisions.md).
    pub(crate) fn enabled_views(&self, mask: u32) -> Vec<u32> {
        let views = 0..self.view_locations().len() as u32;
        let masking = self.inner.view_instancing.masking;
        views
            .filter(|view| !masking || mask >> view & 1 != 0)
            .collect()
    }
}
