//! "Did you mean": the name that was probably meant.
//!
//! Must not know what the names stand for.

/// The candidate that differs least from `name`, if one is so near that it may be a slip: a third of the letters may
/// be wrong, missing, too many or swapped; letters of the other case count little.
pub fn nearest<T: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = T>) -> Option<T> {
    let length = name.chars().count();
    // Names that long are made by machines, and comparing them with everything takes time.
    if length > 64 {
        return None;
    }
    let most = (length * 2).div_ceil(3).max(2);
    candidates
        .into_iter()
        .filter(|c| c.as_ref() != name && c.as_ref().len() <= 96)
        .map(|c| (distance(name, c.as_ref()), c))
        .filter(|(d, _)| *d <= most)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Twice the number of letters to change, add, drop or swap to make `a` of `b`; a change of case only counts 1.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let change = |x: char, y: char| match x == y {
        true => 0,
        false if x.eq_ignore_ascii_case(&y) => 1,
        false => 2,
    };
    // Three rows of the table of distances between prefixes: a swap looks two rows back.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).map(|j| 2 * j).collect();
    for i in 1..=a.len() {
        let mut row = vec![2 * i];
        for j in 1..=b.len() {
            let mut best = (last[j - 1] + change(a[i - 1], b[j - 1]))
                .min(last[j] + 2)
                .min(row[j - 1] + 2);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 2);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let names = ["position", "normal", "WorldViewProj", "mul"];
        assert_eq!(nearest("postion", names), Some("position"));
        assert_eq!(nearest("Noraml", names), Some("normal"));
        assert_eq!(nearest("worldViewProj", names), Some("WorldViewProj"));
        assert_eq!(nearest("mull", names), Some("mul"));
    }

    #[test]
    fn what_is_far_off_is_not_offered() {
        assert_eq!(nearest("colour", ["position", "normal"]), None);
        assert_eq!(nearest("x", ["mul"]), None);
        assert_eq!(nearest("mul", ["mul"]), None);
    }
}
