//! A draw from its arguments to its results: checks, plan, engine.

use crate::device::Engine;
use crate::error::DrawError;
use crate::limits::{CancelToken, Limits};
use crate::memory::Memory;
use crate::native::{self, Job, Kernels, Loaded};
use crate::pipeline::Pipeline;
use crate::plan::arguments::Arguments;
use crate::plan::{Plan, Sharing};
use crate::primitives;
use crate::reference::{self, Reference};
use crate::results::{Results, Shape};
use crate::state::{DrawCall, DrawState, Register};
use crate::statistics::Statistics;
use crate::topology::Topology;
use fuseline_compiler::abi::Span;
use fuseline_compiler::kernel::{DrawKind, FetchElement, KernelKey, OutputMap};
use fuseline_compiler::layout::MAX_SLOTS;
use std::sync::Arc;

/// `D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`.
const MAX_STRIDE: u32 = 2048;

/// `D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT` vectors of 16 bytes.
const MAX_CONSTANTS: usize = 4096 * 16;

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

/// Carries out a draw.
pub(crate) fn draw(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    options: &DrawOptions,
) -> Result<Results, DrawError> {
    let mut arguments = Arguments::of(call)?;
    if arguments.instances == 0 {
        // Nothing is assembled: the indices need not be looked at.
        arguments.count = 0;
    }
    let topology = check_topology(pipeline, state, call)?;
    check_bindings(pipeline, state, &arguments)?;
    let views = pipeline.enabled_views(state.view_mask);
    let limits = Limits::new(pipeline.device().options(), &options.cancel);
    let rows = views.len() as u128 * u128::from(arguments.instances) * u128::from(arguments.count);
    let places = if arguments.indexed {
        u64::from(arguments.count)
    } else {
        0
    };
    limits.check_rows(call.name(), rows, places)?;
    let request = Request {
        pipeline,
        state,
        call: call.name(),
        arguments,
        topology,
        views,
        limits,
        options,
    };
    let sharing = match options.storage {
        RowStorage::Shared => Sharing::Ranges,
        RowStorage::Expanded => Sharing::None,
    };
    match request.run(sharing) {
        // The loop may have been that of a vertex in a hole of a range, which no row refers to.
        Err(DrawError::LoopLimit(_) | DrawError::Budget(_)) if request.has_holes(sharing)? => {
            request.limits.restart();
            request.run(Sharing::Exact)
        }
        done => done,
    }
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

/// What the Direct3D debug layer refuses, and what 32-bit addresses cannot reach.
fn check_bindings(
    pipeline: &Pipeline,
    state: &DrawState,
    arguments: &Arguments,
) -> Result<(), DrawError> {
    let addressable = |what: &dyn Fn() -> String, len: usize| match u32::try_from(len) {
        Ok(_) => Ok(()),
        Err(_) => Err(DrawError::BufferTooLarge { what: what(), len }),
    };
    for (&slot, view) in &state.vertex_buffers {
        if slot >= MAX_SLOTS {
            return Err(DrawError::VertexBufferSlot(slot));
        }
        if view.stride > MAX_STRIDE {
            return Err(DrawError::Stride {
                slot,
                stride: view.stride,
            });
        }
        addressable(&|| format!("vertex buffer slot {slot}"), view.buffer.len())?;
    }
    if let Some(view) = state.index_buffer.as_ref().filter(|_| arguments.indexed) {
        addressable(&|| "index buffer".to_string(), view.buffer.len())?;
    }
    for desc in &pipeline.program().constant_buffers {
        let register = Register::of(desc);
        match state.constants.get(&register) {
            Some(buffer) if buffer.len() > MAX_CONSTANTS => {
                return Err(DrawError::ConstantBufferTooLarge {
                    register: register.to_string(),
                    len: buffer.len(),
                });
            }
            _ => {}
        }
    }
    Ok(())
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

impl Request<'_> {
    fn plan(&self, sharing: Sharing) -> Result<Arc<Plan>, DrawError> {
        let cut = self.state.strip_cut.unwrap_or(self.pipeline.strip_cut());
        let indices = self.state.index_buffer.as_ref();
        let cut = indices.and_then(|view| cut.cut_value(self.topology, view.format.all_ones()));
        let plans = self.pipeline.device().plans();
        plans.plan(&self.arguments, indices, cut, sharing)
    }

    fn has_holes(&self, sharing: Sharing) -> Result<bool, DrawError> {
        if sharing != Sharing::Ranges || !self.arguments.indexed {
            return Ok(false);
        }
        let plan = self.plan(sharing)?;
        Ok(plan.distinct < plan.positions)
    }

    fn run(&self, sharing: Sharing) -> Result<Results, DrawError> {
        let plan = self.plan(sharing)?;
        let shape = Shape {
            views: self.views.clone(),
            instances: self.arguments.instances,
            positions: plan.positions,
        };
        let nothing = shape.views.is_empty() || shape.instances == 0 || shape.positions == 0;
        let (map, blocks) = if nothing {
            (OutputMap::default(), Vec::new())
        } else {
            self.shade(&plan, &shape)?
        };
        let statistics = self.statistics(&plan);
        Ok(Results {
            program: self.pipeline.program().clone(),
            map,
            blocks,
            shape,
            plan,
            topology: self.topology,
            statistics,
        })
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

    fn shade(&self, plan: &Plan, shape: &Shape) -> Result<(OutputMap, Vec<Memory>), DrawError> {
        let elements = self.pipeline.fetch_elements(self.state);
        match self.options.engine {
            Engine::Interpreter => reference::shade(&Reference {
                program: self.pipeline.program(),
                call: self.call,
                plan,
                arguments: &self.arguments,
                elements: &elements,
                slots: &self.state.vertex_buffers,
                constants: &self.constants(),
                shape,
                reads_view: self.pipeline.reads_view(),
                limits: &self.limits,
                flush: self.pipeline.device().options().flush_denormals,
            }),
            Engine::Jit => {
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
                    plan,
                    arguments: &self.arguments,
                    slots: &self.state.vertex_buffers,
                    constants: &constants,
                    shape,
                    limits: &self.limits,
                    threads: &self.pipeline.device().options().threads,
                    pool: self.pipeline.device().pool(),
                };
                native::shade(
                    &job,
                    &Compiled {
                        request: self,
                        elements: &elements,
                    },
                )
            }
        }
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
    request: &'a Request<'a>,
    elements: &'a [FetchElement],
}

impl Kernels for Compiled<'_> {
    fn get(&self, draw: DrawKind, long_runs: bool, apart: bool) -> Result<Loaded, DrawError> {
        let mut elements = self.elements.to_vec();
        if apart {
            native::separate(&mut elements);
        }
        let pipeline = self.request.pipeline;
        let key = KernelKey {
            elements,
            draw,
            flush: pipeline.device().options().flush_denormals,
            long_runs,
            count_loops: pipeline.device().options().counts_all_loops(),
            full_rows: self.request.options.storage == RowStorage::Expanded,
        };
        let elements = Arc::from(key.elements.as_slice());
        let kernel = pipeline.device().kernel(pipeline.program(), key)?;
        Ok(Loaded { kernel, elements })
    }
}
