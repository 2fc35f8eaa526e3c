//! How much memory this process has had at most. Linux alone tells.

use std::fs;

/// Bytes that are resident beyond what was before and what `work` says that it made, at the worst moment of it. None
/// where the system does not tell.
pub fn beyond(work: impl FnOnce() -> usize) -> Option<f64> {
    // 5: forget the peak.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS:")?;
    let made = work() as f64;
    Some(status("VmHWM:")? - before - made)
}

/// A figure of `/proc/self/status`, in bytes.
fn status(key: &str) -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0)
}
