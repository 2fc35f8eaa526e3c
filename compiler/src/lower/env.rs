//! Which value each slot of each variable has at the moment, and what has changed since when.
//!
//! Must not know what slots mean.

use crate::kir::Value;

/// The slots, and a log of all assignments that lets regions see and undo theirs.
pub(super) struct Env {
    slots: Vec<Value>,
    /// Slot and the value that it had before.
    log: Vec<(usize, Value)>,
}

/// A point in time.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    log: usize,
    slots: usize,
}

impl Env {
    pub(super) fn new() -> Env {
        Env {
            slots: Vec::new(),
            log: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// A new slot, the last one, until [`Env::truncate`].
    pub(super) fn push(&mut self, value: Value) -> usize {
        self.slots.push(value);
        self.slots.len() - 1
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.slots.truncate(len);
    }

    pub(super) fn get(&self, slot: usize) -> Value {
        self.slots[slot]
    }

    pub(super) fn range(&self, first: usize, len: usize) -> &[Value] {
        &self.slots[first..first + len]
    }

    pub(super) fn set(&mut self, slot: usize, value: Value) {
        let old = std::mem::replace(&mut self.slots[slot], value);
        if old != value {
            self.log.push((slot, old));
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            log: self.log.len(),
            slots: self.slots.len(),
        }
    }

    /// Undoes everything since the mark and gives what the slots that were there then had become: by slot, those
    /// assigned to only.
    pub(super) fn take_back(&mut self, mark: Mark) -> Vec<(usize, Value)> {
        let mut changed: Vec<(usize, Value)> = self.log[mark.log..]
            .iter()
            .filter(|(slot, _)| *slot < mark.slots)
            .map(|(slot, _)| (*slot, self.slots[*slot]))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        self.slots.truncate(mark.slots);
        for (slot, old) in self.log.drain(mark.log..).rev() {
            if slot < mark.slots {
                self.slots[slot] = old;
            }
        }
        changed
    }
}
