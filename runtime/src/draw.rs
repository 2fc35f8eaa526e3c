//! A draw from its arguments to its results: checks, plan, engine.

use crate::buffer::Buffer;
use crate::device::Engine;
use crate::error::DrawError;
use crate::expand;
use crate::limits::{self, CancelToken, Limits};
use crate::native::blocks::{Pooled, Store};
use crate::native::{self, Job, Kernels, Loaded};
use crate::output_buffer::{Bound, OutputBuffer};
use crate::pipeline::Pipeline;
use crate::plan::arguments::Arguments;
use crate::plan::{Plan, Sharing};
use crate::primitives;
use crate::reference::{self, FullRows, Reference};
use crate::result_layout::{ResultLayout, Shape};
use crate::results::Results;
use crate::state::{DrawCall, DrawState, Register};
use crate::statistics::Statistics;
use crate::topology::Topology;
use fuseline_compiler::abi::Span;
use fuseline_compiler::compile::check_rows;
use fuseline_compiler::kernel::{DrawKind, FetchElement, KernelKey, RowLayout};
use fuseline_compiler::layout::MAX_SLOTS;
use std::sync::Arc;

/// `D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`.
const MAX_STRIDE: u32 = 2048;

/// `D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT` vectors of 16 bytes.
const MAX_CONSTANTS: usize = 4096 * 16;

/// `D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT`.
const MAX_CONSTANT_BUFFERS: u32 = 14;

/// How results are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowStorage {
    /// Each vertex shaded once, each output stored as often as it varies.
    #[default]
    Shared,
    /// One full row per view, instance and place, one behind the other.
    Expanded,
}

/// What may differ from draw to draw and is no Direct3D state.
#[derive(Clone, Debug, Default)]
pub struct DrawOptions {
    /// What runs the shader.
    pub engine: Engine,
    /// How results are stored.
    pub storage: RowStorage,
    /// Stops the draw from another thread.
    pub cancel: CancelToken,
}

impl DrawOptions {
    /// The defaults with an engine.
    pub fn engine(engine: Engine) -> DrawOptions {
        DrawOptions {
            engine,
            ..DrawOptions::default()
        }
    }
}

/// Carries out a draw, its results in memory of its own.
pub(crate) fn draw(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    options: &DrawOptions,
) -> Result<Results, DrawError> {
    let request = Request::new(pipeline, state, call, options)?;
    let mut own = Own::default();
    let layout = request.run(&mut own)?;
    Ok(Results {
        layout,
        map: own.0.map,
        blocks: own.0.memory,
    })
}

/// Carries out a draw, its results in the caller's memory.
pub(crate) fn draw_into(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    options: &DrawOptions,
    buffers: &mut [OutputBuffer<'_>],
) -> Result<ResultLayout, DrawError> {
    let request = Request::new(pipeline, state, call, options)?;
    request.run(&mut Callers(buffers))
}

/// The rows that a draw would have.
pub(crate) fn layout(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    options: &DrawOptions,
) -> Result<ResultLayout, DrawError> {
    let request = Request::new(pipeline, state, call, options)?;
    let plan = request.plan(request.sharing(), None)?;
    Ok(request.layout(plan))
}

/// Every reason to refuse a draw that its arguments and bindings give.
pub(crate) fn errors(pipeline: &Pipeline, state: &DrawState, call: &DrawCall) -> Vec<DrawError> {
    let mut errors = Vec::new();
    errors.extend(check_topology(pipeline, state, call).err());
    check_vertex_buffers(state, &mut errors);
    check_constants(pipeline, state, &mut errors);
    match arguments(call) {
        Ok(arguments) => check_arguments(pipeline, state, call, &arguments, &mut errors),
        Err(error) => errors.push(error),
    }
    errors
}

/// The arguments of a call; where nothing is drawn, no indices either.
fn arguments(call: &DrawCall) -> Result<Arguments, DrawError> {
    let mut arguments = Arguments::of(call)?;
    if arguments.instances == 0 {
        arguments.count = 0;
    }
    Ok(arguments)
}

fn check_topology(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
) -> Result<Topology, DrawError> {
    let call = call.name();
    let topology = state
        .topology
        .ok_or(DrawError::TopologyUndefined { call })?;
    match pipeline.topology_type() {
        Some(want) if want != topology.topology_type() => Err(DrawError::TopologyMismatch {
            call,
            topology,
            want,
        }),
        _ => Ok(topology),
    }
}

/// A buffer that 32-bit addresses do not reach into.
fn too_large(what: impl FnOnce() -> String, buffer: &Buffer) -> Option<DrawError> {
    let len = buffer.len();
    let error = |_| DrawError::BufferTooLarge { what: what(), len };
    u32::try_from(len).err().map(error)
}

fn check_vertex_buffers(state: &DrawState, errors: &mut Vec<DrawError>) {
    for (&slot, view) in &state.vertex_buffers {
        if slot >= MAX_SLOTS {
            errors.push(DrawError::VertexBufferSlot(slot));
        }
        if view.stride > MAX_STRIDE {
            errors.push(DrawError::Stride {
                slot,
                stride: view.stride,
            });
        }
        errors.extend(too_large(
            || format!("vertex buffer slot {slot}"),
            &view.buffer,
        ));
    }
}

fn check_constants(pipeline: &Pipeline, state: &DrawState, errors: &mut Vec<DrawError>) {
    let program = pipeline.program();
    let profile = (program.profile.major, program.profile.minor);
    for (register, buffer) in &state.constants {
        // From 5.1 on register numbers are free: root signatures say what they mean.
        if !register.texture && register.number >= MAX_CONSTANT_BUFFERS && profile < (5, 1) {
            errors.push(DrawError::ConstantBufferSlot(register.to_string()));
        }
        let reads = (program.constant_buffers.iter()).any(|desc| Register::of(desc) == *register);
        if reads && buffer.len() > MAX_CONSTANTS {
            errors.push(DrawError::ConstantBufferTooLarge {
                register: register.to_string(),
                len: buffer.len(),
            });
        }
    }
}

fn check_arguments(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    arguments: &Arguments,
    errors: &mut Vec<DrawError>,
) {
    if let Some(view) = state.index_buffer.as_ref().filter(|_| arguments.indexed) {
        errors.extend(too_large(|| "index buffer".to_string(), &view.buffer));
    }
    let views = pipeline.enabled_views(state.view_mask).len();
    let rows = views as u128 * u128::from(arguments.instances) * u128::from(arguments.count);
    let places = if arguments.indexed {
        u64::from(arguments.count)
    } else {
        0
    };
    let result_limit = pipeline.device().options().result_limit;
    errors.extend(limits::check_rows(call.name(), rows, places, result_limit).err());
}

/// A checked draw.
struct Request<'a> {
    pipeline: &'a Pipeline,
    state: &'a DrawState,
    call: &'static str,
    arguments: Arguments,
    topology: Topology,
    /// Enabled views.
    views: Vec<u32>,
    limits: Limits,
    options: &'a DrawOptions,
}

/// Where the results of a draw go.
trait Destination {
    /// Shades what `layout` says.
    fn shade(&mut self, request: &Request<'_>, layout: &ResultLayout) -> Result<(), DrawError>;
}

/// The device's memory.
#[derive(Default)]
struct Own(Pooled);

impl Destination for Own {
    fn shade(&mut self, request: &Request<'_>, layout: &ResultLayout) -> Result<(), DrawError> {
        let elements = request.pipeline.fetch_elements(request.state);
        match request.options.engine {
            Engine::Interpreter => request.interpret(layout, &elements, |draw| {
                let mut rows = FullRows::new(draw)?;
                reference::shade(draw, &mut rows)?;
                self.0 = Pooled {
                    map: rows.map,
                    memory: vec![rows.memory],
                };
                Ok(())
            }),
            Engine::Jit => match request.options.storage {
                RowStorage::Shared => {
                    request.compiled(layout, &elements, RowLayout::ByRate, &mut self.0)
                }
                RowStorage::Expanded => match request.once(layout)? {
                    Some(once) => {
                        self.0 = request.expanded(layout, &once, &elements)?;
                        Ok(())
                    }
                    None => request.compiled(layout, &elements, RowLayout::Full, &mut self.0),
                },
            },
        }
    }
}

/// The caller's memory.
struct Callers<'c, 'm>(&'c mut [OutputBuffer<'m>]);

impl Destination for Callers<'_, '_> {
    fn shade(&mut self, request: &Request<'_>, layout: &ResultLayout) -> Result<(), DrawError> {
        let pipeline = request.pipeline;
        let reads_view = pipeline.reads_view();
        let program = pipeline.program();
        let mut bound = Bound::new(self.0, program, &layout.shape, reads_view)?;
        let elements = pipeline.fetch_elements(request.state);
        let rows = RowLayout::Placed(bound.map.clone());
        match request.options.engine {
            Engine::Interpreter => {
                if !bound.all_vary(reads_view) {
                    let mut key = pipeline.kernel_key(request.state);
                    key.rows = rows;
                    check_rows(program, &key).map_err(|error| {
                        match bound.varies(program, &error) {
                            Some(error) => error.into(),
                            None => DrawError::Kernel(error.into()),
                        }
                    })?;
                }
                request.interpret(layout, &elements, |draw| reference::shade(draw, &mut bound))
            }
            Engine::Jit => {
                let done = request.compiled(layout, &elements, rows, &mut bound);
                done.map_err(|error| match &error {
                    DrawError::Kernel(kernel) => {
                        (bound.varies(program, kernel.error())).map_or(error, DrawError::from)
                    }
                    _ => error,
                })
            }
        }
    }
}

impl<'a> Request<'a> {
    /// Checks a draw.
    fn new(
        pipeline: &'a Pipeline,
        state: &'a DrawState,
        call: &DrawCall,
        options: &'a DrawOptions,
    ) -> Result<Request<'a>, DrawError> {
        let mut errors = errors(pipeline, state, call);
        if !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
        let arguments = arguments(call)?;
        // A draw that was checked has a topology.
        let topology = check_topology(pipeline, state, call)?;
        let views = pipeline.enabled_views(state.view_mask);
        let limits = Limits::new(pipeline.device().options(), &options.cancel);
        Ok(Request {
            pipeline,
            state,
            call: call.name(),
            arguments,
            topology,
            views,
            limits,
            options,
        })
    }

    fn sharing(&self) -> Sharing {
        match self.options.storage {
            RowStorage::Shared => Sharing::Ranges,
            RowStorage::Expanded => Sharing::None,
        }
    }

    /// The plan of the draw; `unshared`: one without sharing, if there is one.
    fn plan(&self, sharing: Sharing, unshared: Option<&Plan>) -> Result<Arc<Plan>, DrawError> {
        let cut = self.state.strip_cut.unwrap_or(self.pipeline.strip_cut());
        let indices = self.state.index_buffer.as_ref();
        let cut = indices.and_then(|view| cut.cut_value(self.topology, view.format.all_ones()));
        let plans = self.pipeline.device().plans();
        plans.plan(&self.arguments, indices, cut, sharing, unshared)
    }

    fn layout(&self, plan: Arc<Plan>) -> ResultLayout {
        ResultLayout {
            program: self.pipeline.program().clone(),
            shape: Shape {
                views: self.views.clone(),
                instances: self.arguments.instances,
                positions: plan.positions,
            },
            topology: self.topology,
            statistics: self.statistics(&plan),
            plan,
        }
    }

    fn run(&self, to: &mut dyn Destination) -> Result<ResultLayout, DrawError> {
        let sharing = self.sharing();
        let plan = self.plan(sharing, None)?;
        let has_holes = sharing == Sharing::Ranges && plan.distinct < plan.positions;
        match self.shade(plan, to) {
            // The loop may have been that of a vertex in a hole of a range, which no row refers to.
            Err(DrawError::LoopLimit(_) | DrawError::Budget(_)) if has_holes => {
                self.limits.restart();
                self.shade(self.plan(Sharing::Exact, None)?, to)
            }
            done => done,
        }
    }

    fn shade(&self, plan: Arc<Plan>, to: &mut dyn Destination) -> Result<ResultLayout, DrawError> {
        let layout = self.layout(plan);
        if layout.shape.extents().iter().all(|extent| *extent > 0) {
            to.shade(self, &layout)?;
        }
        Ok(layout)
    }

    fn statistics(&self, plan: &Plan) -> Statistics {
        let instances = u64::from(self.arguments.instances);
        let views = match self.views.len() as u64 {
            views if self.pipeline.reads_view() => views,
            views => views.min(1),
        };
        Statistics {
            ia_vertices: u64::from(plan.sequence.len) * instances,
            ia_primitives: primitives::count(&plan.sequence, self.topology) * instances,
            vs_invocations: u64::from(plan.distinct) * instances * views,
        }
    }

    /// The layout in which each vertex is shaded once, where a draw of one row per index is better made from that.
    fn once(&self, layout: &ResultLayout) -> Result<Option<ResultLayout>, DrawError> {
        let Plan {
            distinct,
            positions,
            ..
        } = *layout.plan;
        if !self.arguments.indexed || !expand::pays(distinct, positions) {
            return Ok(None);
        }
        let once = self.layout(self.plan(Sharing::Exact, Some(&layout.plan))?);
        Ok(expand::fits(&once.shape, once.row_components()).then_some(once))
    }

    /// The rows of `layout`, copied from those of `once`.
    fn expanded(
        &self,
        layout: &ResultLayout,
        once: &ResultLayout,
        elements: &[FetchElement],
    ) -> Result<Pooled, DrawError> {
        let mut rows = Pooled::default();
        self.compiled(once, elements, RowLayout::Full, &mut rows)?;
        self.limits
            .check_size(self.call, &layout.shape, &layout.plan.sequence, &rows.map)?;
        let device = self.pipeline.device();
        let (threads, pool) = (&device.options().threads, device.pool());
        expand::expand(
            &rows,
            &once.shape,
            &once.plan.sequence,
            &layout.shape,
            threads,
            pool,
        )
    }

    fn interpret(
        &self,
        layout: &ResultLayout,
        elements: &[FetchElement],
        shade: impl FnOnce(&Reference<'_>) -> Result<(), DrawError>,
    ) -> Result<(), DrawError> {
        shade(&Reference {
            program: self.pipeline.program(),
            call: self.call,
            plan: &layout.plan,
            arguments: &self.arguments,
            elements,
            slots: &self.state.vertex_buffers,
            constants: &self.constants(),
            shape: &layout.shape,
            reads_view: self.pipeline.reads_view(),
            limits: &self.limits,
            flush: self.pipeline.device().options().flush_denormals,
        })
    }

    fn compiled(
        &self,
        layout: &ResultLayout,
        elements: &[FetchElement],
        rows: RowLayout,
        store: &mut dyn Store,
    ) -> Result<(), DrawError> {
        let constants: Vec<Span> = self
            .constants()
            .iter()
            .map(|bytes| Span {
                base: bytes.as_ptr(),
                size: bytes.len() as u64,
            })
            .collect();
        let job = Job {
            call: self.call,
            plan: &layout.plan,
            arguments: &self.arguments,
            slots: &self.state.vertex_buffers,
            constants: &constants,
            shape: &layout.shape,
            limits: &self.limits,
            threads: &self.pipeline.device().options().threads,
            pool: self.pipeline.device().pool(),
        };
        let kernels = Compiled {
            pipeline: self.pipeline,
            elements,
            rows,
        };
        native::shade(&job, &kernels, store)
    }

    /// The bytes bound to each of the shader's constant buffers; unbound: none.
    fn constants(&self) -> Vec<&[u8]> {
        let bound = |desc| self.state.constants.get(&Register::of(desc));
        (self.pipeline.program().constant_buffers.iter())
            .map(|desc| bound(desc).map_or(&[][..], |buffer| buffer.as_bytes()))
            .collect()
    }
}

/// The kernels of a draw, from the device's cache.
struct Compiled<'a> {
    pipeline: &'a Pipeline,
    elements: &'a [FetchElement],
    rows: RowLayout,
}

impl Kernels for Compiled<'_> {
    fn get(&self, draw: DrawKind, long_runs: bool, apart: bool) -> Result<Loaded, DrawError> {
        let mut elements = self.elements.to_vec();
        if apart {
            native::separate(&mut elements);
        }
        let options = self.pipeline.device().options();
        let key = KernelKey {
            elements,
            draw,
            flush: options.flush_denormals,
            long_runs,
            count_loops: options.counts_all_loops(),
            rows: self.rows.clone(),
        };
        let elements = Arc::from(key.elements.as_slice());
        let kernel = self
            .pipeline
            .device()
            .kernel(self.pipeline.program(), key)?;
        Ok(Loaded { kernel, elements })
    }
}
