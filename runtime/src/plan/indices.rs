//! Reading the index buffer: out-of-bounds indices are 0, cut indices end runs (input-assembler.md section 3,
//! primitive-topology.md section 3).

use crate::buffer::{IndexBufferView, IndexFormat};
use crate::error::DrawError;

/// The indices of one instance, cuts left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IndexStream {
    /// Zero-extended indices, before BaseVertexLocation.
    pub indices: Vec<u32>,
    /// Where runs end; empty without cuts.
    pub run_ends: Vec<u32>,
}

/// An empty list with room for `count` entries.
pub(crate) fn reserve(count: usize) -> Result<Vec<u32>, DrawError> {
    let mut list = Vec::new();
    list.try_reserve_exact(count)
        .map_err(|_| DrawError::OutOfMemory(count.saturating_mul(4)))?;
    Ok(list)
}

/// Reads `count` indices from StartIndexLocation `start` on.
pub(crate) fn read(
    view: Option<&IndexBufferView>,
    start: u32,
    count: u32,
    cut: Option<u32>,
) -> Result<IndexStream, DrawError> {
    let mut indices = reserve(count as usize)?;
    match view {
        Some(view) => fill(&mut indices, view, start, count),
        None => indices.resize(count as usize, 0),
    }
    let mut stream = IndexStream {
        indices,
        run_ends: Vec::new(),
    };
    if let Some(cut) = cut.filter(|cut| stream.indices.contains(cut)) {
        stream.split(cut);
    }
    Ok(stream)
}

/// Appends the indices: straight from the bytes as far as they lie inside the buffer one after the other, the rest
/// one by one with wrapping addresses.
fn fill(indices: &mut Vec<u32>, view: &IndexBufferView, start: u32, count: u32) {
    let size = view.format.bytes();
    let bytes = view.buffer.as_bytes();
    let address = |i: u32| (view.offset).wrapping_add(size.wrapping_mul(start.wrapping_add(i)));
    let first = address(0);
    let body = if first >= view.offset {
        let room = u64::from(u32::MAX) + 1 - u64::from(first);
        let wanted =
            (u64::from(count) * u64::from(size)).min(room / u64::from(size) * u64::from(size));
        let end = (u64::from(first) + wanted).min(bytes.len() as u64);
        bytes.get(first as usize..end as usize).unwrap_or(&[])
    } else {
        &[]
    };
    match view.format {
        IndexFormat::R16Uint => {
            let pairs = body.as_chunks().0.iter();
            indices.extend(pairs.map(|b| u32::from(u16::from_le_bytes(*b))));
        }
        IndexFormat::R32Uint => {
            let words = body.as_chunks().0.iter();
            indices.extend(words.map(|b| u32::from_le_bytes(*b)));
        }
    }
    let rest = indices.len() as u32..count;
    indices.extend(rest.map(|i| index_at(view, bytes, address(i))));
}

/// The index at a byte address: 0 where it is not wholly inside the buffer and the binding (FS 8.19.2).
fn index_at(view: &IndexBufferView, bytes: &[u8], address: u32) -> u32 {
    let at = address as usize;
    if address < view.offset {
        return 0;
    }
    let index = match view.format {
        IndexFormat::R16Uint => (bytes.get(at..at + 2))
            .and_then(|b| b.try_into().ok())
            .map(|b| u32::from(u16::from_le_bytes(b))),
        IndexFormat::R32Uint => (bytes.get(at..at + 4))
            .and_then(|b| b.try_into().ok())
            .map(u32::from_le_bytes),
    };
    index.unwrap_or(0)
}

impl IndexStream {
    /// Takes the cut indices out, in place, and notes where runs end.
    fn split(&mut self, cut: u32) {
        let mut kept = 0;
        for i in 0..self.indices.len() {
            let index = self.indices[i];
            if index == cut {
                self.run_ends.push(kept as u32);
            } else {
                self.indices[kept] = index;
                kept += 1;
            }
        }
        self.indices.truncate(kept);
        self.run_ends.push(kept as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    fn u16s(values: &[u16], offset: u32) -> IndexBufferView {
        IndexBufferView {
            offset,
            ..IndexBufferView::from_u16(values)
        }
    }

    fn all(view: &IndexBufferView, start: u32, count: u32) -> Vec<u32> {
        read(Some(view), start, count, None).expect("small").indices
    }

    #[test]
    fn indices_past_the_end_are_zero() {
        assert_eq!(all(&u16s(&[2, 1], 0), 0, 4), [2, 1, 0, 0]);
        assert_eq!(all(&u16s(&[2, 1], 0), 1, 2), [1, 0]);
        let odd = IndexBufferView::new(&Buffer::new(&[1, 0, 0, 0, 2, 0, 0]), IndexFormat::R32Uint);
        assert_eq!(all(&odd, 0, 2), [1, 0]);
    }

    #[test]
    fn addresses_wrap_and_may_come_back_inside() {
        // offset 2, size 2: index 0xFFFF_FFFF is at 0, below the binding; index 0x8000_0000 is at 2 again.
        let view = u16s(&[9, 5, 6], 2);
        assert_eq!(all(&view, u32::MAX, 3), [0, 5, 6]);
        assert_eq!(all(&view, 0x8000_0000, 2), [5, 6]);
        assert_eq!(all(&view, 0x7FFF_FFFE, 4), [0, 0, 5, 6]);
    }

    #[test]
    fn without_an_index_buffer_every_index_is_zero() {
        assert_eq!(read(None, 7, 3, None).expect("small").indices, [0, 0, 0]);
    }

    #[test]
    fn cuts_split_runs_and_give_no_place() {
        let view = u16s(&[0, 1, 0xFFFF, 0xFFFF, 2, 3, 4, 0xFFFF], 0);
        let stream = read(Some(&view), 0, 8, Some(0xFFFF)).expect("small");
        assert_eq!(stream.indices, [0, 1, 2, 3, 4]);
        assert_eq!(stream.run_ends, [2, 2, 5, 5]);
        let whole = read(Some(&view), 0, 2, Some(0xFFFF)).expect("small");
        assert_eq!((whole.indices, whole.run_ends), (vec![0, 1], vec![]));
    }

    #[test]
    fn indices_may_be_unaligned() {
        let view = IndexBufferView {
            buffer: Buffer::new(&[0, 1, 0, 2, 0]),
            format: IndexFormat::R16Uint,
            offset: 1,
        };
        assert_eq!(all(&view, 0, 3), [1, 2, 0]);
    }
}
