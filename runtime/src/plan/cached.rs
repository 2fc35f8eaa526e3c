//! Plans of indexed draws, remembered: most index buffers are drawn many times.

use super::arguments::Arguments;
use super::{Plan, Sharing};
use crate::buffer::{Buffer, IndexBufferView, IndexFormat};
use crate::cache::Cache;
use crate::error::DrawError;
use std::sync::Arc;

/// Plans by what they were made from.
#[derive(Debug)]
pub(crate) struct PlanCache(Cache<Key, Entry>);

/// What a plan of an indexed draw depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// Address of the buffer's bytes.
    buffer: usize,
    format: IndexFormat,
    offset: u32,
    start: u32,
    count: u32,
    base_vertex: u32,
    cut: Option<u32>,
    sharing: Sharing,
}

/// A plan, and the buffer whose address is its key: as long as the entry holds it, nobody can write to it, and no
/// other buffer can have its address.
#[derive(Clone, Debug)]
struct Entry {
    _buffer: Buffer,
    plan: Result<Arc<Plan>, DrawError>,
}

impl PlanCache {
    /// Remembers at most `capacity` plans of at most `bytes` together.
    pub fn new(capacity: usize, bytes: usize) -> PlanCache {
        PlanCache(Cache::new(capacity, bytes))
    }

    /// The plan of a draw; `cut` is the index value that cuts, if one does; `unshared` a plan of the same draw without
    /// sharing, if there is one.
    pub fn plan(
        &self,
        arguments: &Arguments,
        index_buffer: Option<&IndexBufferView>,
        cut: Option<u32>,
        sharing: Sharing,
        unshared: Option<&Plan>,
    ) -> Result<Arc<Plan>, DrawError> {
        let make = || {
            (unshared.and_then(|plan| plan.sharing(sharing)))
                .unwrap_or_else(|| Plan::new(arguments, index_buffer, cut, sharing))
                .map(Arc::new)
        };
        let Some(view) = index_buffer.filter(|_| arguments.indexed) else {
            return make();
        };
        let key = Key {
            buffer: view.buffer.as_bytes().as_ptr() as usize,
            format: view.format,
            offset: view.offset,
            start: arguments.start,
            count: arguments.count,
            base_vertex: arguments.base_vertex,
            cut,
            sharing,
        };
        let entry = self.0.get_or_make(&key, || {
            let plan = make();
            let bytes = plan.as_ref().ok().map(|plan| plan.bytes());
            let entry = Entry {
                _buffer: view.buffer.clone(),
                plan,
            };
            (entry, bytes)
        });
        entry.plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::DrawCall;

    #[test]
    fn a_buffer_written_anew_is_planned_anew() {
        let cache = PlanCache::new(4, 1000);
        let arguments = Arguments::of(&DrawCall::indexed(3)).expect("a good call");
        let mut view = IndexBufferView::from_u16(&[0, 1, 2]);
        let plan = |view: &IndexBufferView| {
            (cache.plan(&arguments, Some(view), None, Sharing::Exact, None)).expect("small")
        };
        let first = plan(&view);
        assert!(Arc::ptr_eq(&first, &plan(&view)));
        view.buffer.write(0, &[9, 0]).expect("inside");
        assert_eq!(plan(&view).sequence.vertex_id(0), Some(9));
        assert_eq!(first.sequence.vertex_id(0), Some(0));
    }
}
