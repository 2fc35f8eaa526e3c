//! Cutting a draw into pieces that threads can take one by one.

use super::Job;
use super::bounds::SafeRun;
use std::ops::Range;

/// Fewest shader runs of a draw that are worth waking another thread for.
const WORTH: u64 = 4096;

/// Fewest shader runs of a piece that is handed to another thread.
const SMALL: u64 = 1024;

/// Pieces for each thread: a thread that comes late, or is held up, finds less to do.
const PER_THREAD: u64 = 8;

/// Most shader runs of a piece, so that cancelling does not wait long.
const LARGE: u64 = 1 << 20;

/// A part of a draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// How its vertices are fetched.
    pub source: Source,
    /// Its positions.
    pub positions: Range<u32>,
    /// Its instances.
    pub instances: Range<u32>,
}

/// How vertices are fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// From the buffers; number of the safe run.
    InPlace(usize),
    /// Through copies.
    Staged,
}

/// All pieces of a draw of so many instances. Positions in no safe run are staged, `staged` at once; pieces in place have at least `least`
/// positions.
pub(super) fn cut(
    job: &Job<'_>,
    instances: u32,
    safe: &[SafeRun],
    least: u32,
    staged: u64,
) -> Vec<Piece> {
    let threads = super::parallel::count(job.threads) as u64;
    let views = job.shape.views.len() as u64;
    let per_instance = u64::from(job.plan.positions) * views;
    let total = per_instance.saturating_mul(u64::from(instances));
    let share = if threads == 1 || total <= WORTH {
        LARGE
    } else {
        (total / (PER_THREAD * threads)).clamp(SMALL, LARGE)
    };
    let vertices = (share / views.max(1)).next_multiple_of(64);
    let mut pieces = Vec::new();
    let mut add = |source, positions: Range<u32>, at_once: u64, least: u32| {
        for positions in split(positions, at_once, least) {
            let work = positions.len() as u64 * views;
            let at_once = (share / work.max(1)).max(1);
            for instances in split(0..instances, at_once, 1) {
                pieces.push(Piece {
                    source,
                    positions: positions.clone(),
                    instances,
                });
            }
        }
    };
    let mut done = 0;
    for (i, run) in safe.iter().enumerate() {
        add(Source::Staged, done..run.positions.start, staged, 1);
        add(Source::InPlace(i), run.positions.clone(), vertices, least);
        done = run.positions.end;
    }
    add(Source::Staged, done..job.plan.positions, staged, 1);
    pieces
}

/// Parts of `range` of `size` each; a last one shorter than `least` is added to the one before.
fn split(range: Range<u32>, size: u64, least: u32) -> impl Iterator<Item = Range<u32>> {
    let size = u32::try_from(size).unwrap_or(u32::MAX).max(least).max(1);
    let mut start = range.start;
    std::iter::from_fn(move || {
        if start >= range.end {
            return None;
        }
        let left = range.end - start;
        let take = if left - left.min(size) < least {
            left
        } else {
            size
        };
        let part = start..start + take;
        start += take;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_rest_joins_the_part_before() {
        let parts: Vec<_> = split(10..30, 8, 4).collect();
        assert_eq!(parts, [10..18, 18..26, 26..30]);
        let parts: Vec<_> = split(10..29, 8, 4).collect();
        assert_eq!(parts, [10..18, 18..29]);
        assert!(split(0..3, 8, 4).eq(std::iter::once(0..3)));
        assert_eq!(split(3..3, 8, 4).count(), 0);
    }
}
