//! Aligned memory for results, scratch and staging: allocation that can fail instead of ending the process, and a pool
//! that hands memory on from one draw to the next.

use crate::buffer::{BLOCK_BYTES, Block};
use crate::error::DrawError;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes, 64-aligned, with padding behind them.
pub(crate) struct Memory {
    blocks: Box<[Block]>,
    len: usize,
    /// Where the memory goes in the end.
    pool: Option<Arc<Pool>>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len)
    }
}

impl Memory {
    /// `len` zero bytes.
    pub fn zeroed(len: usize) -> Result<Memory, DrawError> {
        let blocks = bytemuck::allocation::try_zeroed_slice_box(blocks_for(len))
            .map_err(|()| DrawError::OutOfMemory(len))?;
        Ok(Memory {
            blocks,
            len,
            pool: None,
        })
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

fn blocks_for(len: usize) -> usize {
    len / BLOCK_BYTES + 2
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            pool.give(std::mem::take(&mut self.blocks));
        }
    }
}

/// Memory that draws are done with. Fresh memory costs more than shading does: the system zeroes every page.
#[derive(Default)]
pub(crate) struct Pool {
    /// Most bytes kept.
    capacity: usize,
    kept: Mutex<Vec<Box<[Block]>>>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool(up to {} bytes)", self.capacity)
    }
}

/// Most pieces of memory kept, whatever their size.
const PIECES: usize = 64;

impl Pool {
    /// A pool that keeps at most `capacity` bytes.
    pub fn new(capacity: usize) -> Pool {
        Pool {
            capacity,
            kept: Mutex::default(),
        }
    }

    /// `len` bytes that hold anything.
    pub fn take(self: &Arc<Pool>, len: usize) -> Result<Memory, DrawError> {
        let wanted = blocks_for(len);
        let fits = |size: usize| size >= wanted && size / 2 <= wanted;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept
            .iter()
            .position(|blocks| fits(blocks.len()))
            .map(|i| kept.swap_remove(i));
        drop(kept);
        let mut memory = match found {
            Some(blocks) => Memory {
                blocks,
                len,
                pool: None,
            },
            None => Memory::zeroed(len)?,
        };
        memory.pool = Some(self.clone());
        Ok(memory)
    }

    /// Keeps memory, in place of the oldest where there is too much.
    fn give(&self, blocks: Box<[Block]>) {
        let bytes = |blocks: &[Block]| size_of_val(blocks);
        if bytes(&blocks) > self.capacity {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(blocks);
        let mut total: usize = kept.iter().map(|blocks| bytes(blocks)).sum();
        while total > self.capacity || kept.len() > PIECES {
            total -= bytes(&kept.remove(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_handed_on() {
        let pool = Arc::new(Pool::new(1 << 20));
        let mut first = pool.take(1000).expect("small");
        first.words_mut()[0] = 7;
        let address = first.words().as_ptr();
        drop(first);
        let second = pool.take(900).expect("small");
        assert_eq!((second.words().as_ptr(), second.words()[0]), (address, 7));
        assert_ne!(pool.take(1000).expect("small").words().as_ptr(), address);
    }

    #[test]
    fn a_pool_keeps_no_more_than_it_may() {
        let pool = Arc::new(Pool::new(4096));
        drop(pool.take(100_000));
        assert!(pool.kept.lock().expect("not poisoned").is_empty());
        let pieces: Vec<_> = (0..8).map(|_| pool.take(1000)).collect();
        drop(pieces);
        let kept = pool.kept.lock().expect("not poisoned").len();
        assert!((1..=4).contains(&kept), "{kept}");
    }
}
