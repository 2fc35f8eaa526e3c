//! Which vertices a kernel may fetch in place (ARCHITECTURE.md, *Bounds*).
//!
//! Direct3D's address of an element is `offset + stride * vertex + element offset` in wrapping 32-bit arithmetic, and
//! the element reads as zero unless it lies wholly between the binding's offset and the end of the buffer
//! (input-assembler.md sections 3 and 4.1). A kernel computes 64-bit addresses and checks nothing. Must not know
//! kernels' arguments.

use crate::buffer::VertexBufferView;
use fuseline_compiler::kernel::StreamInfo;
use smallvec::SmallVec;
use std::ops::Range;

/// One past the largest 32-bit address.
const WRAP: i64 = 1 << 32;

/// A stream of per-vertex data.
#[derive(Clone, Debug)]
pub(crate) struct VertexStream<'a> {
    /// What is bound.
    pub view: &'a VertexBufferView,
    /// Offset and size of each element.
    pub elements: SmallVec<[(u32, u32); 8]>,
    /// What the kernel reads, from the vertex's address, over-reads of wide loads included.
    pub read: Range<u32>,
}

/// Vertices fetched in place, one run of positions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SafeRun {
    /// The positions.
    pub positions: Range<u32>,
    /// For each stream, how often the 32-bit address wrapped on the way there.
    pub wraps: SmallVec<[i64; 4]>,
}

impl<'a> VertexStream<'a> {
    /// The stream of a kernel on a binding; `elements` are those that it fetches.
    pub fn new(
        view: &'a VertexBufferView,
        info: &StreamInfo,
        elements: impl Iterator<Item = (u32, u32)>,
    ) -> VertexStream<'a> {
        VertexStream {
            view,
            elements: elements.collect(),
            read: info.read_begin..info.read_end,
        }
    }

    /// Least and greatest address that a vertex may have so that all its elements are inside, and nothing is read
    /// that is not memory of the buffer.
    fn limits(&self) -> (i64, i64) {
        let len = self.view.buffer.len() as i64;
        let memory = self.view.buffer.padded().len() as i64;
        let mut low = -i64::from(self.read.start);
        let mut high = memory - i64::from(self.read.end);
        for &(offset, bytes) in &self.elements {
            low = low.max(i64::from(self.view.offset) - i64::from(offset));
            high = high.min(len - i64::from(offset) - i64::from(bytes));
        }
        (low, high)
    }

    /// The runs among `count` vertices from `first` on that can be fetched in place, with how often their addresses
    /// wrapped.
    pub fn safe_runs(&self, first: u32, count: u32) -> Vec<(Range<u32>, i64)> {
        let (low, high) = self.limits();
        let stride = i64::from(self.view.stride);
        let begin = i64::from(self.view.offset) + stride * i64::from(first);
        if count == 0 || low > high {
            return Vec::new();
        }
        if stride == 0 {
            let inside = (low..=high).contains(&begin);
            return if inside {
                vec![(0..count, 0)]
            } else {
                Vec::new()
            };
        }
        let last = begin + stride * i64::from(count - 1);
        let wraps = div_ceil(begin - high, WRAP)..=(last - low).div_euclid(WRAP);
        let run = |wrap: i64| {
            let from = div_ceil(low + wrap * WRAP - begin, stride).max(0);
            let to = (high + wrap * WRAP - begin).div_euclid(stride) + 1;
            let to = to.min(i64::from(count));
            (from < to).then_some((from as u32..to as u32, wrap))
        };
        wraps.filter_map(run).collect()
    }

    /// The vertices that can be fetched in place by a kernel that is given their numbers.
    pub fn safe_vertices(&self) -> Range<u64> {
        let (low, high) = self.limits();
        let stride = i64::from(self.view.stride);
        let begin = i64::from(self.view.offset);
        if low > high || (stride == 0 && !(low..=high).contains(&begin)) {
            return 0..0;
        }
        if stride == 0 {
            return 0..WRAP as u64;
        }
        let from = div_ceil(low - begin, stride).max(0);
        let to = ((high - begin).div_euclid(stride) + 1).clamp(from, WRAP);
        from as u64..to as u64
    }

    /// Copies what the kernel reads of the elements of a vertex, zeros for elements that are not wholly in bounds; `to`
    /// begins with the first byte that is read, which may lie inside an element.
    pub fn copy_vertex(&self, vertex: u32, to: &mut [u8]) {
        let view = self.view;
        let begin = view.offset.wrapping_add(view.stride.wrapping_mul(vertex));
        let bytes = view.buffer.as_bytes();
        for &(offset, size) in &self.elements {
            let read = offset.max(self.read.start)..(offset + size).min(self.read.end);
            let (at, len) = (
                read.start.saturating_sub(self.read.start) as usize,
                read.len(),
            );
            let Some(place) = to.get_mut(at..at + len) else {
                continue;
            };
            let (from, size) = (begin.wrapping_add(offset), size as usize);
            let element = bytes
                .get(from as usize..from as usize + size)
                .filter(|_| from >= view.offset);
            let skipped = read.start.saturating_sub(offset) as usize;
            match element.and_then(|element| element.get(skipped..skipped + len)) {
                Some(part) => place.copy_from_slice(part),
                None => place.fill(0),
            }
        }
    }

    /// The address of the vertex that `offset` bytes from the start of the buffer stand for; may lie outside.
    pub fn address(&self, vertex: u32, wraps: i64) -> *const u8 {
        let from = i64::from(self.view.offset) + i64::from(self.view.stride) * i64::from(vertex)
            - wraps * WRAP;
        let base = self.view.buffer.padded().as_ptr();
        base.wrapping_offset(from as isize)
    }
}

fn div_ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

/// The runs of consecutive vertices that all streams can fetch in place.
pub(crate) fn consecutive(streams: &[VertexStream<'_>], first: u32, count: u32) -> Vec<SafeRun> {
    let mut runs = vec![SafeRun {
        positions: 0..count,
        wraps: SmallVec::new(),
    }];
    for stream in streams {
        let safe = stream.safe_runs(first, count);
        runs = intersect(&runs, &safe);
    }
    runs.retain(|run| !run.positions.is_empty());
    runs
}

/// Both lists ascend.
fn intersect(runs: &[SafeRun], safe: &[(Range<u32>, i64)]) -> Vec<SafeRun> {
    let mut out = Vec::new();
    let (mut a, mut b) = (0, 0);
    while let (Some(run), Some((range, wrap))) = (runs.get(a), safe.get(b)) {
        let from = run.positions.start.max(range.start);
        let to = run.positions.end.min(range.end);
        if from < to {
            let mut wraps = run.wraps.clone();
            wraps.push(*wrap);
            out.push(SafeRun {
                positions: from..to,
                wraps,
            });
        }
        if run.positions.end <= range.end {
            a += 1;
        } else {
            b += 1;
        }
    }
    out
}

/// The runs of positions whose listed vertices all streams can fetch in place; `extent`: the least and the greatest of them.
pub(crate) fn listed(
    streams: &[VertexStream<'_>],
    fetch: &[u32],
    extent: (u32, u32),
) -> Vec<Range<u32>> {
    let safe = streams.iter().fold(0..WRAP as u64, |all, stream| {
        let own = stream.safe_vertices();
        all.start.max(own.start)..all.end.min(own.end)
    });
    let inside = |vertex: &u32| safe.contains(&u64::from(*vertex));
    let count = fetch.len() as u32;
    if inside(&extent.0) && inside(&extent.1) {
        return (count > 0).then_some(0..count).into_iter().collect();
    }
    let mut runs: Vec<Range<u32>> = Vec::new();
    for (vertex, position) in fetch.iter().zip(0u32..) {
        match runs.last_mut() {
            _ if !inside(vertex) => {}
            Some(run) if run.end == position => run.end += 1,
            _ => runs.push(position..position + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use proptest::prelude::*;

    fn view(len: usize, offset: u32, stride: u32) -> VertexBufferView {
        let bytes: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        VertexBufferView {
            buffer: Buffer::new(&bytes),
            offset,
            stride,
        }
    }

    fn stream<'a>(view: &'a VertexBufferView, elements: &[(u32, u32)]) -> VertexStream<'a> {
        let end = elements.iter().map(|(o, b)| o + b).max().unwrap_or(0);
        VertexStream {
            view,
            elements: elements.iter().copied().collect(),
            read: elements.iter().map(|(o, _)| *o).min().unwrap_or(0)..end,
        }
    }

    #[test]
    fn the_last_vertex_need_not_fill_its_stride() {
        // pitfalls.md 17: stride 16, element of 12 bytes, 28 bytes: vertex 1 is whole.
        let view = view(28, 0, 16);
        assert_eq!(stream(&view, &[(0, 12)]).safe_runs(0, 5), [(0..2, 0)]);
    }

    #[test]
    fn the_specifications_example_ends_at_the_buffers_end() {
        // input-assembler.md, example 23: offset 8, stride 28, 400 bytes: vertex 13 is the last one.
        let view = view(400, 8, 28);
        let stream = stream(&view, &[(0, 16), (16, 12)]);
        assert_eq!(stream.safe_runs(2, 20), [(0..12, 0)]);
        assert_eq!(stream.safe_vertices(), 0..14);
    }

    #[test]
    fn addresses_below_the_binding_are_outside() {
        // input-assembler.md section 4.1: the address wraps to 0, the binding begins at 16.
        let view = view(64, 16, 16);
        let stream = stream(&view, &[(0, 16)]);
        assert_eq!(stream.safe_runs(u32::MAX, 3), [(1..3, 16)]);
        assert_eq!(
            stream.address(u32::MAX, 16).wrapping_add(16),
            stream.address(0, 0)
        );
    }

    #[test]
    fn an_address_that_wraps_back_inside_is_read() {
        // 2^28 vertices of 16 bytes are 2^32 bytes: vertex 2^28 is vertex 0 again.
        let view = view(32, 0, 16);
        let stream = stream(&view, &[(0, 16)]);
        assert_eq!(
            stream.safe_runs(0, (1 << 28) + 5),
            [(0..2, 0), (1 << 28..(1 << 28) + 2, 1)]
        );
    }

    #[test]
    fn stride_zero_is_all_or_nothing() {
        let view = view(20, 4, 0);
        assert_eq!(stream(&view, &[(0, 16)]).safe_runs(9, 7), [(0..7, 0)]);
        assert!(stream(&view, &[(4, 16)]).safe_runs(9, 7).is_empty());
    }

    #[test]
    fn wide_loads_may_reach_into_the_padding_and_no_further() {
        let view = view(60, 0, 4);
        let mut stream = stream(&view, &[(0, 4)]);
        stream.read = 0..128;
        assert_eq!(stream.safe_runs(0, 16), [(0..1, 0)]);
        stream.read = 0..4 + 60;
        assert_eq!(stream.safe_runs(0, 16), [(0..15, 0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The runs hold exactly the vertices whose elements are inside by 32-bit arithmetic.
        #[test]
        fn runs_agree_with_the_rule(
            len in 0usize..200,
            offset in prop_oneof![0..40u32, (u32::MAX - 40)..=u32::MAX],
            stride in prop_oneof![0..20u32, Just(2048u32)],
            elements in prop::collection::vec((0..24u32, 1..17u32), 1..4),
            first in prop_oneof![0..20u32, (u32::MAX - 20)..=u32::MAX, (1u32 << 21) - 10..(1 << 21) + 10],
            count in 0u32..60,
        ) {
            let view = view(len, offset, stride);
            let stream = stream(&view, &elements);
            let inside = |vertex: u32| elements.iter().all(|(element, bytes)| {
                let address = offset.wrapping_add(stride.wrapping_mul(vertex)).wrapping_add(*element);
                address >= offset && u64::from(address) + u64::from(*bytes) <= len as u64
            });
            let runs = stream.safe_runs(first, count);
            for position in 0..count {
                let vertex = first.wrapping_add(position);
                let run = runs.iter().find(|(run, _)| run.contains(&position));
                let same_wrap = elements.iter().map(|(element, _)| {
                    (i64::from(offset) + i64::from(stride) * (i64::from(first) + i64::from(position))
                        + i64::from(*element)).div_euclid(WRAP)
                }).collect::<std::collections::BTreeSet<i64>>().len() == 1;
                prop_assert_eq!(run.is_some(), inside(vertex) && same_wrap);
                if let Some((_, wraps)) = run {
                    let address = stream.address(first, *wraps).wrapping_add((stride as usize) * position as usize);
                    let base = view.buffer.padded().as_ptr() as i64;
                    for (element, _) in &elements {
                        let want = offset.wrapping_add(stride.wrapping_mul(vertex)).wrapping_add(*element);
                        prop_assert_eq!(address as i64 + i64::from(*element) - base, i64::from(want));
                    }
                }
            }
        }
    }
}
