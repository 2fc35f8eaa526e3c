//! What ends a draw before it is done: loops that run too long, another thread, too many results.

use crate::error::DrawError;
use crate::result_layout::Shape;
use crate::sequence::Sequence;
use fuseline_compiler::abi::Status;
use fuseline_compiler::kernel::OutputMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Stops draws from another thread.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU32>);

impl CancelToken {
    /// A token that stops nothing yet.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// Stops every draw that was given this token, soon.
    pub fn cancel(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// Whether it was used.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }
}

/// Most rows of a draw, however little memory they take.
pub(crate) const MAX_ROWS: u128 = 1 << 40;

/// Refuses draws with more rows or places than there can be memory for, before anything is allocated.
pub(crate) fn check_rows(
    call: &'static str,
    rows: u128,
    places: u64,
    result_limit: u64,
) -> Result<(), DrawError> {
    let bytes = u128::from(places) * 8;
    if bytes > u128::from(result_limit) {
        return Err(DrawError::TooLarge {
            call,
            rows,
            bytes,
            limit: result_limit,
        });
    }
    if rows > MAX_ROWS {
        return Err(DrawError::TooManyRows { call, rows });
    }
    Ok(())
}

/// The limits of one draw.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Most iterations of one execution of a loop.
    pub loop_limit: u32,
    /// Iterations that the whole draw may take.
    total: u64,
    left: AtomicI64,
    cancel: CancelToken,
    /// Most bytes of results.
    result_limit: u64,
}

impl Limits {
    /// The limits that a device sets.
    pub fn new(options: &crate::device::DeviceOptions, cancel: &CancelToken) -> Limits {
        let total = options.draw_loop_budget.min(i64::MAX as u64);
        Limits {
            loop_limit: options.loop_limit,
            total,
            left: AtomicI64::new(total as i64),
            cancel: cancel.clone(),
            result_limit: options.result_limit,
        }
    }

    /// Gives a draw that is run again its whole budget.
    pub fn restart(&self) {
        self.left.store(self.total as i64, Ordering::Relaxed);
    }

    /// Iterations left.
    pub fn budget(&self) -> &AtomicI64 {
        &self.left
    }

    /// Not 0: stop.
    pub fn cancel(&self) -> &AtomicU32 {
        &self.cancel.0
    }

    /// An error if the draw was cancelled.
    pub fn check_cancel(&self) -> Result<(), DrawError> {
        if self.cancel.is_cancelled() {
            Err(DrawError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// What a kernel's status means.
    pub fn result(&self, status: Status) -> Result<(), DrawError> {
        match status {
            Status::Done => Ok(()),
            status => Err(self.error(status)),
        }
    }

    /// What stopped a draw that did not come to its end.
    pub fn error(&self, status: Status) -> DrawError {
        match status {
            Status::LoopLimit => DrawError::LoopLimit(self.loop_limit),
            _ if self.cancel.is_cancelled() => DrawError::Cancelled,
            _ => DrawError::Budget(self.total),
        }
    }

    /// Refuses results that take more memory than they may.
    pub fn check_size(
        &self,
        call: &'static str,
        shape: &Shape,
        sequence: &Sequence,
        outputs: &OutputMap,
    ) -> Result<(), DrawError> {
        let block = |block: &fuseline_compiler::kernel::OutputBlock| {
            shape.rows(block.rate) * u128::from(block.stride)
        };
        let bytes: u128 = outputs.blocks.iter().map(block).sum();
        if bytes > u128::from(self.result_limit) {
            let rows =
                shape.views.len() as u128 * u128::from(shape.instances) * u128::from(sequence.len);
            return Err(DrawError::TooLarge {
                call,
                rows,
                bytes,
                limit: self.result_limit,
            });
        }
        Ok(())
    }
}
