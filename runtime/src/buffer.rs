//! Buffers, and how the Input Assembler sees them.
//!
//! Must not know draws.

use bytemuck::{NoUninit, Pod, Zeroable};
use std::sync::Arc;

/// Memory comes in pieces of this many bytes, so that wide loads are aligned with cache lines.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; BLOCK_BYTES]);

pub(crate) const BLOCK_BYTES: usize = 64;

/// Bytes for the Input Assembler and for constants. A clone is the same memory; writing to a buffer that was cloned
/// copies it first, so that a draw under way never sees the change.
#[derive(Clone)]
pub struct Buffer {
    blocks: Arc<[Block]>,
    len: usize,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer::new(&[])
    }
}

impl<T: NoUninit> From<&[T]> for Buffer {
    fn from(values: &[T]) -> Self {
        Buffer::from_slice(values)
    }
}

impl Buffer {
    /// Zero bytes that may be read behind the end of every buffer; they are never a value of anything.
    pub const PADDING: usize = BLOCK_BYTES;

    /// A copy of `bytes`.
    pub fn new(bytes: &[u8]) -> Buffer {
        let whole = bytes.len() / BLOCK_BYTES;
        let (body, tail) = bytes.split_at(whole * BLOCK_BYTES);
        let mut last = Block::zeroed();
        for (to, from) in last.0.iter_mut().zip(tail) {
            *to = *from;
        }
        let body = body.chunks_exact(BLOCK_BYTES).map(|piece| {
            let mut block = Block::zeroed();
            block.0.copy_from_slice(piece);
            block
        });
        Buffer {
            blocks: body.chain([last, Block::zeroed()]).collect(),
            len: bytes.len(),
        }
    }

    /// A copy of the bytes of `values`: vertices, indices, constants laid out by the caller.
    pub fn from_slice<T: NoUninit>(values: &[T]) -> Buffer {
        Buffer::new(bytemuck::cast_slice(values))
    }

    /// `len` zero bytes.
    pub fn zeroed(len: usize) -> Buffer {
        let blocks = len / BLOCK_BYTES + 2;
        Buffer {
            blocks: std::iter::repeat_n(Block::zeroed(), blocks).collect(),
            len,
        }
    }

    /// Number of bytes (D3D's ByteWidth), the padding not counted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.padded().split_at(self.len).0
    }

    /// The bytes and at least [`Buffer::PADDING`] zero ones behind them.
    pub(crate) fn padded(&self) -> &[u8] {
        bytemuck::cast_slice(&self.blocks)
    }

    /// Overwrites the bytes from `offset` on (`UpdateSubresource`).
    ///
    /// # Errors
    /// When `bytes` would end past the end of the buffer; nothing is written then.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), WriteError> {
        let error = WriteError {
            offset,
            count: bytes.len(),
            len: self.len,
        };
        let end = offset.checked_add(bytes.len()).ok_or(error)?;
        if end > self.len {
            return Err(error);
        }
        (self.bytes_mut().get_mut(offset..end).ok_or(error)?).copy_from_slice(bytes);
        Ok(())
    }

    /// The bytes to write to; copied first where a clone shares them.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let all: &mut [u8] = bytemuck::cast_slice_mut(Arc::make_mut(&mut self.blocks));
        all.split_at_mut(self.len).0
    }
}

/// A write past the end of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("writing {count} bytes at offset {offset} passes the end of a buffer of {len} bytes")]
pub struct WriteError {
    /// Where the write begins.
    pub offset: usize,
    /// How many bytes.
    pub count: usize,
    /// Size of the buffer.
    pub len: usize,
}

/// What `IASetVertexBuffers` binds to one slot.
#[derive(Clone, Debug)]
pub struct VertexBufferView {
    /// The bytes.
    pub buffer: Buffer,
    /// Where the first structure begins: the lower bound of valid addresses (FS 8.19.2).
    pub offset: u32,
    /// Bytes between structures; 0 to 2048, need not cover the elements.
    pub stride: u32,
}

impl VertexBufferView {
    /// A whole buffer of structures `stride` bytes apart.
    pub fn new(buffer: &Buffer, stride: u32) -> VertexBufferView {
        VertexBufferView {
            buffer: buffer.clone(),
            offset: 0,
            stride,
        }
    }

    /// A new buffer that holds these vertices, one after the other.
    pub fn from_slice<T: NoUninit>(vertices: &[T]) -> VertexBufferView {
        let stride = u32::try_from(size_of::<T>()).unwrap_or(u32::MAX);
        VertexBufferView::new(&Buffer::from_slice(vertices), stride)
    }
}

/// `DXGI_FORMAT_R16_UINT` or `R32_UINT`: the only index formats (input-assembler.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// 16 bits.
    R16Uint,
    /// 32 bits.
    R32Uint,
}

impl IndexFormat {
    /// Bytes per index.
    pub fn bytes(self) -> u32 {
        match self {
            IndexFormat::R16Uint => 2,
            IndexFormat::R32Uint => 4,
        }
    }

    /// The value with all bits set, Direct3D 11's strip cut.
    pub fn all_ones(self) -> u32 {
        match self {
            IndexFormat::R16Uint => 0xFFFF,
            IndexFormat::R32Uint => u32::MAX,
        }
    }
}

/// What `IASetIndexBuffer` binds.
#[derive(Clone, Debug)]
pub struct IndexBufferView {
    /// The bytes.
    pub buffer: Buffer,
    /// Bytes per index.
    pub format: IndexFormat,
    /// Where index 0 is.
    pub offset: u32,
}

impl IndexBufferView {
    /// A whole buffer of indices.
    pub fn new(buffer: &Buffer, format: IndexFormat) -> IndexBufferView {
        IndexBufferView {
            buffer: buffer.clone(),
            format,
            offset: 0,
        }
    }

    /// A new buffer of 16-bit indices.
    pub fn from_u16(indices: &[u16]) -> IndexBufferView {
        IndexBufferView::new(&Buffer::from_slice(indices), IndexFormat::R16Uint)
    }

    /// A new buffer of 32-bit indices.
    pub fn from_u32(indices: &[u32]) -> IndexBufferView {
        IndexBufferView::new(&Buffer::from_slice(indices), IndexFormat::R32Uint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_its_bytes_with_zeros_behind() {
        for len in [0, 1, 63, 64, 65, 200] {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8 | 1).collect();
            let buffer = Buffer::new(&bytes);
            assert_eq!(buffer.as_bytes(), bytes);
            assert!(buffer.padded().len() >= len + Buffer::PADDING);
            assert!(buffer.padded()[len..].iter().all(|b| *b == 0));
        }
    }

    #[test]
    fn writing_leaves_clones_alone() {
        let first = Buffer::new(&[1, 2, 3, 4]);
        let mut second = first.clone();
        second.write(1, &[9, 9]).expect("inside");
        assert_eq!(first.as_bytes(), [1, 2, 3, 4]);
        assert_eq!(second.as_bytes(), [1, 9, 9, 4]);
    }

    #[test]
    fn writing_past_the_end_is_refused_whole() {
        let mut buffer = Buffer::new(&[1, 2, 3, 4]);
        let error = buffer.write(3, &[9, 9]).expect_err("one byte too many");
        assert_eq!(
            error.to_string(),
            "writing 2 bytes at offset 3 passes the end of a buffer of 4 bytes"
        );
        assert_eq!(buffer.as_bytes(), [1, 2, 3, 4]);
    }
}
