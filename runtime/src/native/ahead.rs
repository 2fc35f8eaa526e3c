//! Vertices that lie far apart in large buffers are asked for before a kernel fetches them.
//!
//! A processor has dozens of fetches under way at once if it knows of them, but sees only a few groups of vertices ahead of
//! where it waits. Must not know what kernels compute.

use super::bounds::VertexStream;
use fuseline_compiler::abi::{AHEAD_STEP, Ahead};
use smallvec::SmallVec;

/// Buffers smaller than this are soon near the processor anyway, bytes.
const LARGE: usize = 1 << 20;

/// How far to look ahead, positions: as long as memory takes to answer.
const DISTANCE: u32 = 4 * AHEAD_STEP;

/// Bytes that memory gives at once.
const LINE: u32 = 64;

/// Most lines of a vertex that are asked for.
const LINES: u32 = 4;

/// A stream of large data.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Address of the first byte that is read of vertex 0; may lie outside.
    base: *const u8,
    stride: u32,
    bytes: u32,
}

/// What is asked for.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Lookahead<'a> {
    ahead: Ahead,
    fetch: &'a [u32],
    streams: SmallVec<[Stream; 4]>,
}

impl<'a> Lookahead<'a> {
    /// For `fetch`, the vertex of each position; `bases` has the address of vertex 0 of each stream. None where nothing
    /// is gained.
    pub fn new(
        streams: &[VertexStream<'_>],
        bases: &[*const u8],
        fetch: &'a [u32],
    ) -> Option<Lookahead<'a>> {
        if fetch.is_empty() || cfg!(not(target_arch = "x86_64")) {
            return None;
        }
        let far = |(stream, base): (&VertexStream<'_>, &*const u8)| {
            let large = stream.view.stride > 0 && stream.view.buffer.len() >= LARGE;
            large.then(|| Stream {
                base: base.wrapping_add(stream.read.start as usize),
                stride: stream.view.stride,
                bytes: stream.read.end - stream.read.start,
            })
        };
        let streams: SmallVec<[Stream; 4]> = streams.iter().zip(bases).filter_map(far).collect();
        let ahead = Ahead { bring };
        (!streams.is_empty()).then_some(Lookahead {
            ahead,
            fetch,
            streams,
        })
    }

    /// For `KernelArgs::ahead`.
    pub fn as_ptr(&self) -> *const Ahead {
        std::ptr::from_ref(self).cast()
    }

    fn bring(&self, position: u64) {
        let from = (position as usize).saturating_add(DISTANCE as usize);
        let to = from
            .saturating_add(AHEAD_STEP as usize)
            .min(self.fetch.len());
        for vertex in self.fetch.get(from..to).unwrap_or(&[]) {
            for stream in &self.streams {
                let offset = *vertex as usize * stream.stride as usize;
                let first = stream.base.wrapping_add(offset);
                for line in 0..stream.bytes.div_ceil(LINE).min(LINES) {
                    touch(first.wrapping_add((line * LINE) as usize));
                }
                touch(first.wrapping_add(stream.bytes as usize - 1));
            }
        }
    }
}

/// Asks for the line of an address. Any address will do: nothing is read.
#[cfg(target_arch = "x86_64")]
#[inline]
fn touch(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch neither faults nor changes anything, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn touch(_: *const u8) {}

/// [`Lookahead::bring`] as kernels call it.
#[cfg(target_arch = "x86_64")]
unsafe extern "sysv64" fn bring(ahead: *const Ahead, position: u64) {
    // SAFETY: the kernel passes on the address that `as_ptr` gave, of a `Lookahead` that lives during the call.
    unsafe { &*ahead.cast::<Lookahead<'_>>() }.bring(position);
}

#[cfg(not(target_arch = "x86_64"))]
unsafe extern "C" fn bring(ahead: *const Ahead, position: u64) {
    // SAFETY: the kernel passes on the address that `as_ptr` gave, of a `Lookahead` that lives during the call.
    unsafe { &*ahead.cast::<Lookahead<'_>>() }.bring(position);
}
