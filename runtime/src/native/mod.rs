//! Running kernels: which vertices in place and which from staging, in what pieces, on which threads.
//!
//! Must not know how kernels are made.

mod ahead;
pub(crate) mod blocks;
pub(crate) mod bounds;
pub(crate) mod parallel;
mod pieces;
mod staging;

use crate::buffer::VertexBufferView;
use crate::device::Threads;
use crate::error::DrawError;
use crate::limits::Limits;
use crate::memory::{Memory, Pool};
use crate::plan::arguments::Arguments;
use crate::plan::{Plan, Vertices};
use crate::result_layout::Shape;
use ahead::Lookahead;
use blocks::{Blocks, Store};
use bounds::{SafeRun, VertexStream};
use fuseline_compiler::abi::{Ahead, InstanceStream, KernelArgs, Span, Status};
use fuseline_compiler::kernel::{DrawKind, FetchElement, Kernel, KernelInfo};
use pieces::{Piece, Source};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Fewest vertices in a group: shorter runs go through padded staging.
const GROUP: u32 = 4;

/// A compiled kernel.
pub(crate) trait Native: Send + Sync {
    /// What it reads and writes.
    fn info(&self) -> &KernelInfo;

    /// Runs it.
    ///
    /// # Safety
    /// What `fuseline_compiler::abi` says that the caller promises.
    unsafe fn run(&self, args: &mut KernelArgs) -> Status;
}

impl Native for Kernel {
    fn info(&self) -> &KernelInfo {
        self.info()
    }

    unsafe fn run(&self, args: &mut KernelArgs) -> Status {
        // SAFETY: the caller promises the same.
        unsafe { self.run(args) }
    }
}

/// A kernel with the elements that it was made for.
#[derive(Clone)]
pub(crate) struct Loaded {
    /// The code.
    pub kernel: Arc<dyn Native>,
    /// `KernelKey::elements`.
    pub elements: Arc<[FetchElement]>,
}

/// Where kernels come from.
pub(crate) trait Kernels {
    /// The kernel for a kind of draw. `apart`: elements that overlap have streams of their own.
    fn get(&self, draw: DrawKind, long_runs: bool, apart: bool) -> Result<Loaded, DrawError>;
}

/// All that shading a draw needs to know.
pub(crate) struct Job<'a> {
    pub call: &'static str,
    pub plan: &'a Plan,
    pub arguments: &'a Arguments,
    pub slots: &'a BTreeMap<u32, VertexBufferView>,
    pub constants: &'a [Span],
    pub shape: &'a Shape,
    pub limits: &'a Limits,
    pub threads: &'a Threads,
    pub pool: &'a Arc<Pool>,
}

// SAFETY: the only parts that are not `Sync` of themselves are the pointers in `constants`; they point into buffers
// that the caller of `shade` keeps alive and nobody writes to.
unsafe impl Sync for Job<'_> {}

/// Shades all positions of a draw in all instances and views.
pub(crate) fn shade(
    job: &Job<'_>,
    kernels: &dyn Kernels,
    store: &mut dyn Store,
) -> Result<(), DrawError> {
    let positions = job.plan.positions;
    let draw = match job.plan.vertices {
        Vertices::Counted { .. } => DrawKind::Sequential,
        Vertices::Listed { .. } => DrawKind::Gathered,
    };
    let in_place = if positions >= GROUP {
        let loaded = kernels.get(draw, positions >= 2 * GROUP, false)?;
        Some(InPlace::new(job, loaded))
    } else {
        None
    };
    let safe = in_place.as_ref().map_or(Vec::new(), |it| it.runs(job));
    let covered: u64 = safe.iter().map(|run| run.positions.len() as u64).sum();
    let staged = if covered < u64::from(positions) {
        Some(kernels.get(DrawKind::Gathered, false, true)?)
    } else {
        None
    };
    let loaded = (in_place.as_ref().map(|it| &it.loaded)).or(staged.as_ref());
    let Some(info) = loaded.map(|loaded| loaded.kernel.info().clone()) else {
        return Ok(());
    };
    let crew = Crew {
        job,
        in_place,
        staged,
        safe: &safe,
        blocks: store.blocks(job, &info.outputs)?,
        scratch: Mutex::new(Vec::new()),
    };
    let least = info.min_vertices.max(1);
    let at_once = crew
        .staged
        .as_ref()
        .map_or(1, |loaded| staging::at_once(job, loaded));
    let instances = if info.per_instance {
        job.shape.instances
    } else {
        1
    };
    let pieces = pieces::cut(job, instances, &safe, least, at_once);
    parallel::each(job.threads, &pieces, |piece| crew.run(piece))
}

/// The kernel that fetches from the bound buffers themselves.
struct InPlace<'a> {
    loaded: Loaded,
    streams: Vec<VertexStream<'a>>,
    /// Vertex fetched at each position, where they are listed and the base vertex is not 0.
    fetch: Option<Vec<u32>>,
}

/// Most bytes of a vertex that are copied as one.
const COPIED: u64 = 4096;

/// Gives elements streams of their own where another element of their slot overlaps them (one could be inside its
/// buffer and the other not, which no copy of both can say) or is far away from them (copies would be large).
pub(crate) fn separate(elements: &mut [FetchElement]) {
    let extent = |e: &FetchElement| {
        let begin = u64::from(e.offset);
        begin..begin + u64::from(e.format.bytes())
    };
    let all = elements.to_vec();
    for (i, e) in elements.iter_mut().enumerate() {
        let own = extent(e);
        let apart = |(j, other): (usize, &FetchElement)| {
            let theirs = extent(other);
            let overlap = theirs.start < own.end && own.start < theirs.end && theirs != own;
            let span = own.end.max(theirs.end) - own.start.min(theirs.start);
            let same_slot = other.step_rate.is_none() && other.slot == e.slot;
            j != i && same_slot && (overlap || span > COPIED)
        };
        e.own_stream = e.step_rate.is_none() && all.iter().enumerate().any(apart);
    }
}

/// The vertex streams of a kernel.
fn vertex_streams<'a>(job: &Job<'a>, loaded: &Loaded) -> Vec<VertexStream<'a>> {
    let stream = |info: &fuseline_compiler::kernel::StreamInfo| {
        let view = job.slots.get(&info.slot)?;
        let belongs = |(i, e): &(u32, &FetchElement)| {
            e.step_rate.is_none()
                && match info.element {
                    Some(element) => *i == element,
                    None => e.slot == Some(info.slot) && !e.own_stream,
                }
        };
        let elements = (0u32..).zip(loaded.elements.iter()).filter(belongs);
        let extent = elements.map(|(_, e)| (e.offset, e.format.bytes()));
        Some(VertexStream::new(view, info, extent))
    };
    loaded
        .kernel
        .info()
        .vertex_streams
        .iter()
        .filter_map(stream)
        .collect()
}

impl<'a> InPlace<'a> {
    fn new(job: &Job<'a>, loaded: Loaded) -> InPlace<'a> {
        let streams = vertex_streams(job, &loaded);
        let fetch = match job.plan.vertices {
            Vertices::Listed { base, .. } if base != 0 => Some(
                job.plan
                    .ids()
                    .iter()
                    .map(|id| base.wrapping_add(*id))
                    .collect(),
            ),
            _ => None,
        };
        InPlace {
            loaded,
            streams,
            fetch,
        }
    }

    /// The runs that it may shade: provably inside all buffers, and as long as it needs.
    fn runs(&self, job: &Job<'a>) -> Vec<SafeRun> {
        let mut runs = match job.plan.vertices {
            Vertices::Counted { first_vertex, .. } => {
                bounds::consecutive(&self.streams, first_vertex, job.plan.positions)
            }
            Vertices::Listed { extent, .. } => {
                let wraps: smallvec::SmallVec<[i64; 4]> = self.streams.iter().map(|_| 0).collect();
                let fetch = self.fetch.as_deref().unwrap_or(job.plan.ids());
                (bounds::listed(&self.streams, fetch, extent).into_iter())
                    .map(|positions| SafeRun {
                        positions,
                        wraps: wraps.clone(),
                    })
                    .collect()
            }
        };
        let least = self.loaded.kernel.info().min_vertices.max(1);
        runs.retain(|run| run.positions.len() >= least as usize);
        runs
    }

    /// Address of the vertex at position 0 of each stream; listed: of vertex 0.
    fn bases(&self, job: &Job<'_>, run: &SafeRun) -> Vec<*const u8> {
        let first = match job.plan.vertices {
            Vertices::Counted { first_vertex, .. } => first_vertex,
            Vertices::Listed { .. } => 0,
        };
        (self.streams.iter().zip(&run.wraps))
            .map(|(stream, wraps)| stream.address(first, *wraps))
            .collect()
    }
}

/// What the threads share while a draw runs.
struct Crew<'a, 'j> {
    job: &'j Job<'a>,
    in_place: Option<InPlace<'a>>,
    staged: Option<Loaded>,
    safe: &'j [SafeRun],
    blocks: Blocks,
    scratch: Mutex<Vec<Memory>>,
}

/// What one call of a kernel is given besides what all calls have in common.
struct Call<'c> {
    streams: &'c [*const u8],
    outputs: &'c Blocks,
    ids: *const u32,
    fetch: *const u32,
    ahead: *const Ahead,
    positions: Range<u32>,
    instances: Range<u32>,
}

impl Crew<'_, '_> {
    fn run(&self, piece: &Piece) -> Result<(), DrawError> {
        self.job.limits.check_cancel()?;
        match (piece.source, &self.in_place, &self.staged) {
            (Source::InPlace(run), Some(in_place), _) => match self.safe.get(run) {
                Some(run) => self.run_in_place(piece, in_place, run),
                None => Ok(()),
            },
            (Source::Staged, _, Some(staged)) => staging::run(self, piece, staged),
            _ => Ok(()),
        }
    }

    fn run_in_place(
        &self,
        piece: &Piece,
        in_place: &InPlace<'_>,
        run: &SafeRun,
    ) -> Result<(), DrawError> {
        let ids = self.job.plan.ids();
        let fetch = in_place.fetch.as_deref().unwrap_or(ids);
        let streams = in_place.bases(self.job, run);
        let ahead = Lookahead::new(&in_place.streams, &streams, fetch);
        let call = Call {
            streams: &streams,
            outputs: &self.blocks,
            ids: ids.as_ptr(),
            fetch: fetch.as_ptr(),
            ahead: ahead.as_ref().map_or(std::ptr::null(), Lookahead::as_ptr),
            positions: piece.positions.clone(),
            instances: piece.instances.clone(),
        };
        // SAFETY: `run` holds only positions whose fetches lie in their buffers (`bounds`), `pieces` makes pieces of
        // at least `min_vertices` positions, and the blocks were allocated for the whole shape.
        unsafe { self.call(&*in_place.loaded.kernel, call) }
    }

    /// Calls a kernel.
    ///
    /// # Safety
    /// Streams, lists and outputs must reach as far as the kernel's description and the call say.
    unsafe fn call(&self, kernel: &dyn Native, call: Call<'_>) -> Result<(), DrawError> {
        let info = kernel.info();
        let job = self.job;
        let mut scratch = self.take_scratch(info.scratch_bytes)?;
        let instance_streams: Vec<InstanceStream> = (info.instance_streams.iter())
            .map(|stream| instance_stream(job.slots.get(&stream.slot)))
            .collect();
        let mut views = [0; 4];
        for (to, from) in views.iter_mut().zip(&job.shape.views) {
            *to = *from;
        }
        let first_vertex_id = match job.plan.vertices {
            Vertices::Counted { first_id, .. } => first_id,
            Vertices::Listed { .. } => 0,
        };
        let mut args = KernelArgs {
            vertex_streams: call.streams.as_ptr(),
            instance_streams: instance_streams.as_ptr(),
            constants: job.constants.as_ptr(),
            outputs: call.outputs.bases.as_ptr(),
            output_strides: call.outputs.strides.as_ptr(),
            ids: call.ids,
            fetch: call.fetch,
            ahead: call.ahead,
            scratch: scratch.bytes_mut().as_mut_ptr(),
            first_vertex_id,
            vertex_begin: call.positions.start,
            vertex_end: call.positions.end,
            instance_begin: call.instances.start,
            instance_end: call.instances.end,
            start_instance: job.arguments.start_instance,
            start_vertex: job.arguments.start_vertex_location(),
            view_count: if info.reads_view {
                job.shape.views.len() as u32
            } else {
                1
            },
            views,
            store_vertex_rate: u32::from(call.instances.start == 0),
            loop_limit: job.limits.loop_limit,
            budget: job.limits.budget(),
            cancel: job.limits.cancel(),
        };
        // SAFETY: the caller promises what this call adds; buffers, constants and scratch live until it returns.
        let status = unsafe { kernel.run(&mut args) };
        self.give_back(scratch);
        job.limits.result(status)
    }

    fn take_scratch(&self, bytes: usize) -> Result<Memory, DrawError> {
        let kept = self
            .scratch
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        match kept {
            Some(memory) if memory.len() >= bytes => Ok(memory),
            _ => self.job.pool.take(bytes),
        }
    }

    fn give_back(&self, scratch: Memory) {
        self.scratch
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(scratch);
    }
}

/// A per-instance stream; nothing bound: empty, so that everything is out of bounds.
fn instance_stream(view: Option<&VertexBufferView>) -> InstanceStream {
    match view {
        Some(view) => InstanceStream {
            base: view.buffer.padded().as_ptr(),
            offset: view.offset,
            end: u32::try_from(view.buffer.len()).unwrap_or(u32::MAX),
        },
        None => InstanceStream {
            base: std::ptr::NonNull::dangling().as_ptr(),
            offset: 0,
            end: 0,
        },
    }
}

#[cfg(test)]
mod tests;
