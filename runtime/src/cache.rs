//! A cache, bounded in number and weight, that makes each thing once, even when many threads ask for it at the same time;
//! the least recently used goes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How a cache was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Found.
    pub hits: u64,
    /// Made.
    pub misses: u64,
    /// Dropped to make room.
    pub evictions: u64,
    /// There now.
    pub entries: usize,
}

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    capacity: usize,
    /// Most that all entries may weigh together.
    bearable: usize,
    state: Mutex<State<K, V>>,
}

#[derive(Debug)]
struct State<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// What the entries weigh together.
    weight: usize,
    clock: u64,
    statistics: CacheStatistics,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<OnceLock<V>>,
    used: u64,
    weight: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    /// An empty cache of at least one entry, whose entries weigh no more than `bearable` together.
    pub fn new(capacity: usize, bearable: usize) -> Cache<K, V> {
        Cache {
            capacity: capacity.max(1),
            bearable,
            state: Mutex::new(State {
                entries: HashMap::new(),
                weight: 0,
                clock: 0,
                statistics: CacheStatistics::default(),
            }),
        }
    }

    /// The value of `key`, made by `make` with its weight if it is not there. Who asks meanwhile waits for it; other keys
    /// do not. What has no weight is not kept.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> (V, Option<usize>)) -> V {
        let slot = self.slot(key);
        let mut made = None;
        let value = slot.get_or_init(|| {
            let (value, weight) = make();
            made = Some(weight);
            value
        });
        if let Some(weight) = made {
            self.weigh(key, &slot, weight);
        }
        value.clone()
    }

    /// Notes what a new entry weighs, and lets entries go, the least recently used first, as long as all are too heavy.
    fn weigh(&self, key: &K, slot: &Arc<OnceLock<V>>, weight: Option<usize>) {
        let mut state = self.lock();
        let entry = state.entries.get_mut(key);
        // It may be gone already, or another one in its place.
        let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.value, slot)) else {
            return;
        };
        match weight {
            Some(weight) if weight <= self.bearable => {
                entry.weight = weight;
                state.weight += weight;
            }
            _ => {
                state.entries.remove(key);
            }
        }
        while state.weight > self.bearable && state.evict() {}
    }

    /// How it was used.
    pub fn statistics(&self) -> CacheStatistics {
        let state = self.lock();
        CacheStatistics {
            entries: state.entries.len(),
            ..state.statistics
        }
    }

    fn slot(&self, key: &K) -> Arc<OnceLock<V>> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        if let Some(entry) = state.entries.get_mut(key) {
            entry.used = now;
            let value = entry.value.clone();
            state.statistics.hits += 1;
            return value;
        }
        state.statistics.misses += 1;
        if state.entries.len() >= self.capacity {
            state.evict();
        }
        let value = Arc::new(OnceLock::new());
        let entry = Entry {
            value: value.clone(),
            used: now,
            weight: 0,
        };
        state.entries.insert(key.clone(), entry);
        value
    }

    fn lock(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone, V> State<K, V> {
    /// Lets the least recently used entry go; false where there is none.
    fn evict(&mut self) -> bool {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
            return false;
        };
        if let Some(entry) = self.entries.remove(&oldest) {
            self.weight -= entry.weight;
            self.statistics.evictions += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn many_threads_make_a_thing_once() {
        let cache = Cache::new(4, 0);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        (made.fetch_add(1, Ordering::Relaxed), Some(0))
                    };
                    assert_eq!(cache.get_or_make(&"key", make), 0);
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        let statistics = cache.statistics();
        assert_eq!((statistics.hits, statistics.misses), (7, 1));
    }

    #[test]
    fn the_least_recently_used_goes() {
        let cache = Cache::new(2, 0);
        let ask = |key: u32| cache.get_or_make(&key, || (key * 10, Some(0)));
        assert_eq!([ask(1), ask(2), ask(1), ask(3)], [10, 20, 10, 30]);
        assert_eq!(cache.get_or_make(&1, || (11, Some(0))), 10);
        assert_eq!(cache.get_or_make(&2, || (22, Some(0))), 22);
        let statistics = cache.statistics();
        assert_eq!((statistics.evictions, statistics.entries), (2, 2));
    }

    #[test]
    fn entries_are_no_heavier_than_may_be() {
        let cache = Cache::new(10, 100);
        let ask = |key: u32, weight| cache.get_or_make(&key, || (key, weight));
        ask(1, Some(40));
        ask(2, Some(40));
        ask(1, Some(0));
        ask(3, Some(60));
        // 2 was the least recently used: 1 and 3 weigh 100.
        assert_eq!(cache.statistics().entries, 2);
        assert_eq!(cache.get_or_make(&1, || (9, Some(1))), 1);
        // Too heavy at all, or not to be kept: made anew each time.
        for weight in [Some(101), None] {
            assert_eq!((ask(4, weight), cache.statistics().entries), (4, 2));
        }
    }
}
