//! Full rows for every index, where most indices name vertices that others name too: each vertex is shaded once, and its
//! row copied to all its places.
//!
//! Must not know kernels, only the rows that they stored.

use crate::device::Threads;
use crate::error::DrawError;
use crate::memory::{Memory, Pool};
use crate::native::blocks::Pooled;
use crate::native::parallel;
use crate::result_layout::Shape;
use crate::sequence::{Places, Sequence};
use fuseline_compiler::kernel::OutputBlock;
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes of rows that are shaded to be copied, all views and instances together.
const MOST_BYTES: u128 = 48 << 20;

/// Places whose rows a thread copies at a time.
const PLACES: usize = 1 << 14;

/// Whether it pays: copying a row costs about as much as shading one does in the simplest shaders.
pub(crate) fn pays(distinct: u32, places: u32) -> bool {
    distinct <= places / 2
}

/// Whether rows of each vertex, of that many components, take little enough memory beside the results.
pub(crate) fn fits(shape: &Shape, components: usize) -> bool {
    let rows: u128 = shape.extents().iter().map(|n| *n as u128).product();
    rows * 4 * components as u128 <= MOST_BYTES
}

/// The rows of all places, `to` of them, from those of each position: `shape` and `sequence` are what was shaded.
pub(crate) fn expand(
    rows: &Pooled,
    shape: &Shape,
    sequence: &Sequence,
    to: &Shape,
    threads: &Threads,
    pool: &Arc<Pool>,
) -> Result<Pooled, DrawError> {
    let mut memory = Vec::with_capacity(rows.memory.len());
    for (block, from) in rows.map.blocks.iter().zip(&rows.memory) {
        let bytes = to.rows(block.rate) * u128::from(block.stride);
        let mut all = pool.take(bytes as usize)?;
        if block.rate.vertex {
            spread(block, from, shape, sequence, &mut all, threads)?;
        } else {
            all.words_mut().copy_from_slice(from.words());
        }
        memory.push(all);
    }
    Ok(Pooled {
        map: rows.map.clone(),
        memory,
    })
}

/// A block's rows of each view and instance to their places.
fn spread(
    block: &OutputBlock,
    from: &Memory,
    shape: &Shape,
    sequence: &Sequence,
    to: &mut Memory,
    threads: &Threads,
) -> Result<(), DrawError> {
    let words = block.stride as usize / 4;
    let (positions, places) = (shape.positions as usize, sequence.len as usize);
    if words == 0 || positions == 0 || places == 0 {
        return Ok(());
    }
    let arrays = from.words().chunks_exact(positions * words);
    let mut pieces = Vec::new();
    for (all, rows) in to.words_mut().chunks_exact_mut(places * words).zip(arrays) {
        for (part, start) in all.chunks_mut(PLACES * words).zip((0..).step_by(PLACES)) {
            // Locked once, by the thread that takes it.
            pieces.push((Mutex::new(part), start, rows));
        }
    }
    parallel::each(threads, &pieces, |(part, start, rows)| {
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        copy_places(&mut part, rows, words, sequence, *start);
        Ok(())
    })
}

/// The rows of the places from `start` on, `words` each, as many as `to` has room for.
fn copy_places(to: &mut [u32], rows: &[u32], words: usize, sequence: &Sequence, start: usize) {
    let end = start + to.len() / words;
    match &sequence.places {
        Places::Dense { indices, first } => {
            let indices = indices.get(start..end).unwrap_or(&[]).iter();
            copy(
                to,
                rows,
                words,
                indices.map(|index| index.wrapping_sub(*first)),
            );
        }
        Places::Listed { positions, .. } => {
            let positions = positions.get(start..end).unwrap_or(&[]).iter();
            copy(to, rows, words, positions.copied());
        }
        Places::Counted | Places::Expanded { .. } => {
            copy(to, rows, words, start as u32..end as u32)
        }
    }
}

/// Copies rows of any length; the short ones by code that knows how long they are.
fn copy(to: &mut [u32], rows: &[u32], words: usize, positions: impl Iterator<Item = u32>) {
    macro_rules! by_length {
        ($($n:literal)*) => {
            match words {
                $($n => copy_known::<$n>(to, rows, positions),)*
                _ => {
                    for (to, position) in to.chunks_exact_mut(words).zip(positions) {
                        let at = position as usize * words;
                        if let Some(row) = rows.get(at..at + words) {
                            to.copy_from_slice(row);
                        }
                    }
                }
            }
        };
    }
    by_length!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
}

fn copy_known<const N: usize>(to: &mut [u32], rows: &[u32], positions: impl Iterator<Item = u32>) {
    let (to, _) = to.as_chunks_mut::<N>();
    let (rows, _) = rows.as_chunks::<N>();
    for (to, position) in to.iter_mut().zip(positions) {
        if let Some(row) = rows.get(position as usize) {
            *to = *row;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_length_come_to_their_places() {
        for words in 1..40 {
            let rows: Vec<u32> = (0..5 * words as u32).collect();
            let mut to = vec![u32::MAX; 3 * words];
            copy(&mut to, &rows, words, [4, 0, 4].into_iter());
            for (row, position) in to.chunks_exact(words).zip([4, 0, 4]) {
                assert_eq!(row, &rows[position * words..][..words]);
            }
        }
    }
}
