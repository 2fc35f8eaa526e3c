//! The memory that kernels store to: the draw's own, or the caller's.

use super::Job;
use crate::error::DrawError;
use crate::memory::Memory;
use crate::result_layout::Shape;
use fuseline_compiler::abi::BlockStrides;
use fuseline_compiler::kernel::OutputMap;

/// Where results go. Asked once, when the kernel is there.
pub(crate) trait Store {
    /// Memory for the blocks of an output map, all rows of the job's shape in it.
    fn blocks(&mut self, job: &Job<'_>, outputs: &OutputMap) -> Result<Blocks, DrawError>;
}

/// Memory from the device's pool, as the kernel lays it out.
#[derive(Debug, Default)]
pub(crate) struct Pooled {
    /// Where outputs are.
    pub map: OutputMap,
    /// By block.
    pub memory: Vec<Memory>,
}

impl Store for Pooled {
    fn blocks(&mut self, job: &Job<'_>, outputs: &OutputMap) -> Result<Blocks, DrawError> {
        job.limits
            .check_size(job.call, job.shape, &job.plan.sequence, outputs)?;
        self.map = outputs.clone();
        self.memory = Vec::with_capacity(outputs.blocks.len());
        for block in &outputs.blocks {
            let bytes = job.shape.rows(block.rate) * u128::from(block.stride);
            self.memory.push(job.pool.take(bytes as usize)?);
        }
        Blocks::packed(&mut self.memory, outputs, job.shape)
    }
}

/// First bytes and strides of output blocks.
pub(crate) struct Blocks {
    /// First byte of each.
    pub bases: Vec<*mut u8>,
    /// Bytes between views and instances.
    pub strides: Vec<BlockStrides>,
}

// SAFETY: kernels on different threads write different rows, except for rows that do not vary with the vertex: those
// get the same bytes from all of them, by plain machine stores.
unsafe impl Sync for Blocks {}

impl Blocks {
    /// Blocks that fill their memory, rows one behind the other.
    pub fn packed(
        memory: &mut [Memory],
        outputs: &OutputMap,
        shape: &Shape,
    ) -> Result<Blocks, DrawError> {
        let mut strides = Vec::with_capacity(outputs.blocks.len());
        for block in &outputs.blocks {
            let [view, instance, _] = (shape.strides(block.rate, block.stride as usize))
                .ok_or(DrawError::OutOfMemory(usize::MAX))?;
            strides.push(BlockStrides {
                view: view as u64,
                instance: instance as u64,
            });
        }
        Ok(Blocks {
            strides,
            bases: memory
                .iter_mut()
                .map(|block| block.bytes_mut().as_mut_ptr())
                .collect(),
        })
    }
}
