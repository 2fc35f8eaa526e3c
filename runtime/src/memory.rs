//! Aligned memory for results, scratch and staging: allocation that can fail instead of ending the process.

use crate::buffer::{BLOCK_BYTES, Block};
use crate::error::DrawError;

/// Bytes, 64-aligned, with padding behind them.
pub(crate) struct Memory {
    blocks: Box<[Block]>,
    len: usize,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len)
    }
}

impl Memory {
    /// `len` zero bytes, a multiple of 4 of which is used.
    pub fn zeroed(len: usize) -> Result<Memory, DrawError> {
        let blocks = bytemuck::allocation::try_zeroed_slice_box(len / BLOCK_BYTES + 2)
            .map_err(|()| DrawError::OutOfMemory(len))?;
        Ok(Memory { blocks, len })
    }

    /// Number of bytes, the padding not counted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Its 32-bit words.
    pub fn words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.blocks).split_at(self.len / 4).0
    }

    /// Its 32-bit words, to write.
    pub fn words_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.blocks)
            .split_at_mut(self.len / 4)
            .0
    }

    /// Its bytes and the padding, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.blocks)
    }
}
