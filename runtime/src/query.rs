//! Pipeline statistics queries (`D3D12_QUERY_TYPE_PIPELINE_STATISTICS`): counters summed between two commands.
//!
//! Must not know command lists.

use crate::clip::ClipStatistics;
use crate::results::Results;
use crate::statistics::Statistics;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

/// `D3D12_QUERY_DATA_PIPELINE_STATISTICS`, as far as there are stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Of the Input Assembler and the vertex shader.
    pub shading: Statistics,
    /// Of the clipper.
    pub clipping: ClipStatistics,
}

impl From<&Results> for PipelineStatistics {
    fn from(results: &Results) -> PipelineStatistics {
        PipelineStatistics {
            shading: results.statistics(),
            clipping: results.clip_statistics(),
        }
    }
}

impl AddAssign for PipelineStatistics {
    fn add_assign(&mut self, other: PipelineStatistics) {
        self.shading += other.shading;
        self.clipping += other.clipping;
    }
}

/// `ID3D12QueryHeap` of pipeline statistics: a number of queries, and what each counted when it last ended. A clone is
/// the same heap.
#[derive(Clone, Debug)]
pub struct QueryHeap(Arc<Mutex<Vec<Option<PipelineStatistics>>>>);

impl QueryHeap {
    /// A heap of so many queries, none of which has a result.
    pub fn new(count: u32) -> QueryHeap {
        QueryHeap(Arc::new(Mutex::new(vec![None; count as usize])))
    }

    /// Number of queries.
    pub fn count(&self) -> u32 {
        self.with(|queries| queries.len() as u32)
    }

    /// `ResolveQueryData`: what a query counted; None where it has not ended yet, or there is no such query.
    pub fn statistics(&self, index: u32) -> Option<PipelineStatistics> {
        self.with(|queries| queries.get(index as usize).copied().flatten())
    }

    pub(crate) fn set(&self, index: u32, statistics: PipelineStatistics) {
        self.with(|queries| {
            if let Some(query) = queries.get_mut(index as usize) {
                *query = Some(statistics);
            }
        });
    }

    fn with<T>(&self, f: impl FnOnce(&mut Vec<Option<PipelineStatistics>>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn is(&self, other: &QueryHeap) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
