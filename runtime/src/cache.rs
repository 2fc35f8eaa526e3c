//! A bounded cache that makes each thing once, even when many threads ask for it at the same time; the least
//! recently used goes.

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
    state: Mutex<State<K, V>>,
}

#[derive(Debug)]
struct State<K, V> {
    entries: HashMap<K, Entry<V>>,
    clock: u64,
    statistics: CacheStatistics,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<OnceLock<V>>,
    used: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    /// An empty cache of at least one entry.
    pub fn new(capacity: usize) -> Cache<K, V> {
        Cache {
            capacity: capacity.max(1),
            state: Mutex::new(State {
                entries: HashMap::new(),
                clock: 0,
                statistics: CacheStatistics::default(),
            }),
        }
    }

    /// The value of `key`, made by `make` if it is not there. Who asks meanwhile waits for it; other keys do not.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> V) -> V {
        let slot = self.slot(key);
        slot.get_or_init(make).clone()
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
            let oldest = (state.entries.iter().min_by_key(|(_, entry)| entry.used))
                .map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                state.entries.remove(&oldest);
                state.statistics.evictions += 1;
            }
        }
        let value = Arc::new(OnceLock::new());
        let entry = Entry {
            value: value.clone(),
            used: now,
        };
        state.entries.insert(key.clone(), entry);
        value
    }

    fn lock(&self) -> MutexGuard<'_, State<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn many_threads_make_a_thing_once() {
        let cache = Cache::new(4);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        made.fetch_add(1, Ordering::Relaxed)
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
        let cache = Cache::new(2);
        let ask = |key: u32| cache.get_or_make(&key, || key * 10);
        assert_eq!([ask(1), ask(2), ask(1), ask(3)], [10, 20, 10, 30]);
        assert_eq!(cache.get_or_make(&1, || 11), 10);
        assert_eq!(cache.get_or_make(&2, || 22), 22);
        let statistics = cache.statistics();
        assert_eq!((statistics.evictions, statistics.entries), (2, 2));
    }
}
