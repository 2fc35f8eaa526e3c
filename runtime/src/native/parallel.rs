//! Running the pieces of a draw on several threads.
//!
//! Must not know what a piece is.

use crate::device::Threads;
use crate::error::DrawError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many threads work on a draw, the calling one among them.
pub(crate) fn count(threads: &Threads) -> usize {
    match threads {
        Threads::None => 1,
        Threads::Global => rayon::current_num_threads(),
        Threads::Pool(pool) => pool.current_num_threads(),
    }
}

/// Does `work` for all items, taken in order by whichever thread is free, and gives the first item's error among those
/// that failed. The calling thread works along: it need not be woken, and a small draw is done before others are.
pub(crate) fn each<T: Sync>(
    threads: &Threads,
    items: &[T],
    work: impl Fn(&T) -> Result<(), DrawError> + Sync,
) -> Result<(), DrawError> {
    let helpers = count(threads).min(items.len()).saturating_sub(1);
    if helpers == 0 {
        return items.iter().try_for_each(work);
    }
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, DrawError)>> = Mutex::new(None);
    let take = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else {
                break;
            };
            if let Err(error) = work(item) {
                // Nothing more is begun.
                next.store(items.len(), Ordering::Relaxed);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| number < *other) {
                    *failed = Some((number, error));
                }
            }
        }
    };
    match threads {
        Threads::Pool(pool) => pool.in_place_scope(|scope| together(scope, helpers, &take)),
        Threads::None | Threads::Global => {
            rayon::in_place_scope(|scope| together(scope, helpers, &take));
        }
    }
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Does `work` on so many threads of a pool, and on the calling one.
fn together<'s>(scope: &rayon::Scope<'s>, helpers: usize, work: &'s (impl Fn() + Sync)) {
    for _ in 0..helpers {
        scope.spawn(|_| work());
    }
    work();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn pool(threads: usize) -> Threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Threads::Pool(Arc::new(pool.expect("threads")))
    }

    #[test]
    fn every_item_is_done_once() {
        for threads in [Threads::None, Threads::Global, pool(1), pool(5)] {
            let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
            let all = each(&threads, &done, |item| {
                item.fetch_add(1, Ordering::Relaxed);
                Ok(())
            });
            assert_eq!(all, Ok(()));
            assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [Threads::None, pool(3)] {
            let items: Vec<usize> = (0..1_000_000).collect();
            let done = AtomicUsize::new(0);
            let outcome = each(&threads, &items, |item| {
                done.fetch_add(1, Ordering::Relaxed);
                if *item == 5 {
                    Err(DrawError::Cancelled)
                } else {
                    Ok(())
                }
            });
            assert_eq!(outcome, Err(DrawError::Cancelled));
            assert!(done.load(Ordering::Relaxed) < items.len());
        }
    }
}
