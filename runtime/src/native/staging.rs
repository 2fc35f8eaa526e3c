//! Vertices that cannot be fetched in place: copied element by element, zeros where Direct3D reads out of bounds, and
//! shaded by a gathering kernel.
//!
//! Copies stand far enough apart that no element overlaps one of another vertex. Runs shorter than a group are filled
//! up with repetitions of their last vertex; their results go to memory of their own, and the real rows are copied.

use super::blocks::Blocks;
use super::bounds::VertexStream;
use super::pieces::Piece;
use super::{Call, Crew, Job, Loaded};
use crate::error::DrawError;
use crate::memory::Memory;
use crate::result_layout::Shape;
use fuseline_compiler::abi::BlockStrides;
use fuseline_compiler::kernel::OutputMap;
use std::ops::Range;

/// Most instances whose padded rows are kept at once.
const PADDED_INSTANCES: u32 = 1024;

/// Most positions staged at once.
const POSITIONS: u64 = 1024;

/// Most bytes of the copies of a stream, unless a single vertex takes more.
const BYTES: u64 = 1 << 20;

/// How many positions may be staged at once: enough to make it worth it, but no more memory than is fair.
pub(super) fn at_once(job: &Job<'_>, loaded: &Loaded) -> u64 {
    let streams = super::vertex_streams(job, loaded);
    let apart = streams.iter().map(steps).max().unwrap_or(1);
    let stride = streams
        .iter()
        .map(|stream| stream.view.stride)
        .max()
        .unwrap_or(0);
    let step = u64::from(apart) * u64::from(stride);
    (BYTES / step.max(1)).clamp(1, POSITIONS)
}

/// Copies of the vertices of a piece.
struct Staged {
    memory: Vec<Memory>,
    /// Address of local vertex 0 of each stream.
    bases: Vec<*const u8>,
    /// SV_VertexID of each position, filled up.
    ids: Vec<u32>,
    /// Local vertex of each position, filled up.
    fetch: Vec<u32>,
}

/// Shades a piece through copies.
pub(super) fn run(crew: &Crew<'_, '_>, piece: &Piece, loaded: &Loaded) -> Result<(), DrawError> {
    let least = loaded.kernel.info().min_vertices.max(1);
    let staged = stage(crew, piece, loaded, least)?;
    if piece.positions.len() as u64 >= u64::from(least) {
        return direct(crew, piece, loaded, &staged);
    }
    let mut start = piece.instances.start;
    while start < piece.instances.end {
        let end = piece
            .instances
            .end
            .min(start.saturating_add(PADDED_INSTANCES));
        padded(crew, piece, start..end, loaded, &staged)?;
        start = end;
    }
    Ok(())
}

fn stage(
    crew: &Crew<'_, '_>,
    piece: &Piece,
    loaded: &Loaded,
    least: u32,
) -> Result<Staged, DrawError> {
    let streams = super::vertex_streams(crew.job, loaded);
    let apart = streams.iter().map(steps).max().unwrap_or(1);
    let plan = crew.job.plan;
    let count = piece.positions.len().max(least as usize);
    let (mut ids, mut fetch) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (position, local) in piece.positions.clone().zip(0u32..) {
        ids.push(plan.vertex(position).0);
        fetch.push(local * apart);
    }
    ids.resize(count, ids.last().copied().unwrap_or(0));
    fetch.resize(count, fetch.last().copied().unwrap_or(0));
    let mut memory = Vec::with_capacity(streams.len());
    for stream in &streams {
        memory.push(copies(crew, piece, stream, apart)?);
    }
    // The first byte that is read stands at the start of the copy, not the vertex's address.
    let bases = (memory.iter_mut().zip(&streams))
        .map(|(copy, stream)| {
            copy.bytes_mut()
                .as_ptr()
                .wrapping_sub(stream.read.start as usize)
        })
        .collect();
    Ok(Staged {
        memory,
        bases,
        ids,
        fetch,
    })
}

/// How many strides a vertex takes up, so that the next one overlaps nothing of it.
fn steps(stream: &VertexStream<'_>) -> u32 {
    let bytes = stream.read.end - stream.read.start;
    bytes.div_ceil(stream.view.stride.max(1)).max(1)
}

/// One stream's copies: what is read of local vertex `i` at `i * apart * stride`.
fn copies(
    crew: &Crew<'_, '_>,
    piece: &Piece,
    stream: &VertexStream<'_>,
    apart: u32,
) -> Result<Memory, DrawError> {
    let step = stream.view.stride as usize * apart as usize;
    let end = (piece.positions.len().saturating_sub(1)) * step
        + (stream.read.end - stream.read.start) as usize;
    let mut memory = crew.job.pool.take(end)?;
    let bytes = memory.bytes_mut();
    // With stride 0 all vertices are the same one.
    let different = if step == 0 { 1 } else { piece.positions.len() };
    for (position, local) in piece.positions.clone().zip(0..different) {
        let vertex = crew.job.plan.vertex(position).1;
        if let Some(to) = bytes.get_mut(local * step..) {
            stream.copy_vertex(vertex, to);
        }
    }
    Ok(memory)
}

/// Results straight to their rows.
fn direct(
    crew: &Crew<'_, '_>,
    piece: &Piece,
    loaded: &Loaded,
    staged: &Staged,
) -> Result<(), DrawError> {
    debug_assert_eq!(staged.memory.len(), staged.bases.len());
    let before = piece.positions.start as usize;
    let call = Call {
        streams: &staged.bases,
        outputs: &crew.blocks,
        ids: staged.ids.as_ptr().wrapping_sub(before),
        fetch: staged.fetch.as_ptr().wrapping_sub(before),
        ahead: std::ptr::null(),
        positions: piece.positions.clone(),
        instances: piece.instances.clone(),
    };
    // SAFETY: the copies hold every vertex of the piece, padding behind them; the lists have an entry for each of
    // its positions; the piece is as long as the kernel needs; blocks were allocated for the whole shape.
    unsafe { crew.call(&*loaded.kernel, call) }
}

/// Results of a run shorter than a group.
fn padded(
    crew: &Crew<'_, '_>,
    piece: &Piece,
    instances: Range<u32>,
    loaded: &Loaded,
    staged: &Staged,
) -> Result<(), DrawError> {
    let map = &loaded.kernel.info().outputs;
    let shape = Shape {
        views: crew.job.shape.views.clone(),
        instances: instances.len() as u32,
        positions: staged.ids.len() as u32,
    };
    let mut memory = Vec::with_capacity(map.blocks.len());
    for block in &map.blocks {
        let bytes = (shape.rows(block.rate) * u128::from(block.stride)) as usize;
        memory.push(crew.job.pool.take(bytes)?);
    }
    let mut outputs = Blocks::packed(&mut memory, map, &shape)?;
    for (base, strides) in outputs.bases.iter_mut().zip(&outputs.strides) {
        // Instance numbers begin at the first of these; the kernel counts rows from instance 0.
        let before = strides.instance as usize * instances.start as usize;
        *base = base.wrapping_sub(before);
    }
    let call = Call {
        streams: &staged.bases,
        outputs: &outputs,
        ids: staged.ids.as_ptr(),
        fetch: staged.fetch.as_ptr(),
        ahead: std::ptr::null(),
        positions: 0..shape.positions,
        instances: instances.clone(),
    };
    // SAFETY: as in `direct`; these blocks were allocated for these instances and the positions filled up.
    unsafe { crew.call(&*loaded.kernel, call) }?;
    for (i, rows) in memory.iter().enumerate() {
        let rows = Rows {
            map,
            block: i,
            words: rows.words(),
            shape: &shape,
            strides: outputs.strides[i],
        };
        rows.copy(crew, piece, &instances);
    }
    Ok(())
}

/// Rows of one block that were stored by themselves.
struct Rows<'a> {
    map: &'a OutputMap,
    block: usize,
    words: &'a [u32],
    shape: &'a Shape,
    strides: BlockStrides,
}

impl Rows<'_> {
    /// Copies the rows of the real positions to where they belong: the words of outputs, nothing between them.
    fn copy(&self, crew: &Crew<'_, '_>, piece: &Piece, instances: &Range<u32>) {
        let blocks = &crew.blocks;
        let (Some(info), Some(to), Some(to_strides)) = (
            self.map.blocks.get(self.block),
            blocks.bases.get(self.block),
            blocks.strides.get(self.block),
        ) else {
            return;
        };
        if !info.rate.instance && instances.start > 0 {
            return;
        }
        let words = self.words_of_a_row();
        let stride = info.stride as usize;
        let extent = |varies: bool, n: usize| if varies { n } else { 1 };
        let [first_instance, first_position] = [instances.start, piece.positions.start];
        let at = |strides: &BlockStrides, [v, i, p]: [usize; 3]| {
            let vertex = if info.rate.vertex { stride } else { 0 };
            let instance = if info.rate.instance {
                strides.instance
            } else {
                0
            };
            v * strides.view as usize + i * instance as usize + p * vertex
        };
        for v in 0..extent(info.rate.view, self.shape.views.len()) {
            for i in 0..extent(info.rate.instance, self.shape.instances as usize) {
                for p in 0..extent(info.rate.vertex, piece.positions.len()) {
                    let from = at(&self.strides, [v, i, p]) / 4;
                    let place = [v, i + first_instance as usize, p + first_position as usize];
                    let row = to.wrapping_add(at(to_strides, place)).cast::<u32>();
                    for &word in &words {
                        if let Some(value) = self.words.get(from + word) {
                            // SAFETY: the row is one of this piece's, inside the block, which has room for the whole
                            // shape; rows that do not vary with the vertex get the same bytes from all threads.
                            unsafe { row.wrapping_add(word).write(*value) };
                        }
                    }
                }
            }
        }
    }

    /// The words of a row that an output has.
    fn words_of_a_row(&self) -> Vec<usize> {
        let places = self.map.places.iter().flatten();
        let mut words: Vec<usize> = places
            .filter(|place| place.block as usize == self.block)
            .map(|place| place.offset as usize / 4)
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}
