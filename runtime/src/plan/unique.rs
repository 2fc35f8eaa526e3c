//! Which vertices a list of indices refers to, and how to shade each of them once.

use super::indices::reserve;
use crate::error::DrawError;

/// How to shade what indices refer to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shading {
    /// All vertices `first..first + len`; position `index - first`.
    Range {
        /// Smallest index.
        first: u32,
        /// Number of vertices.
        len: u32,
        /// How many of them are referred to.
        distinct: u32,
    },
    /// A list.
    List {
        /// Position of each index.
        positions: Vec<u32>,
        /// Different indices, ascending: one per position.
        ids: Vec<u32>,
    },
}

/// How to shade what `indices` refer to. `holes`: a range may be shaded straight through although some of its vertices
/// are not referred to, where that costs less than gathering (which takes about half as long again per vertex).
pub(crate) fn find(indices: &[u32], holes: bool) -> Result<Shading, DrawError> {
    let Some((first, range)) = span(indices) else {
        return Ok(Shading::Range {
            first: 0,
            len: 0,
            distinct: 0,
        });
    };
    if !fits_bitmap(range, indices.len()) {
        return sorted(indices);
    }
    let bits = bitmap(indices, first, range)?;
    let distinct: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
    let dense = distinct == range || (holes && range - distinct <= distinct / 2);
    match u32::try_from(range) {
        Ok(len) if dense => Ok(Shading::Range {
            first,
            len,
            distinct: distinct as u32,
        }),
        _ => ranked(indices, first, &bits, distinct as usize),
    }
}

/// How many different indices there are.
pub(crate) fn count(indices: &[u32]) -> Result<u32, DrawError> {
    let Some((first, range)) = span(indices) else {
        return Ok(0);
    };
    if fits_bitmap(range, indices.len()) {
        let bits = bitmap(indices, first, range)?;
        return Ok(bits.iter().map(|word| word.count_ones()).sum());
    }
    Ok(distinct_sorted(indices)?.len() as u32)
}

/// Smallest index, and how many there are from it to the largest.
fn span(indices: &[u32]) -> Option<(u32, u64)> {
    let first = *indices.iter().min()?;
    let last = *indices.iter().max()?;
    Some((first, u64::from(last) - u64::from(first) + 1))
}

/// A bit per vertex of the range takes no more memory than the indices themselves, or little.
fn fits_bitmap(range: u64, indices: usize) -> bool {
    range <= 32 * indices as u64 + 65536
}

/// A bit for each vertex of the range: referred to or not.
fn bitmap(indices: &[u32], first: u32, range: u64) -> Result<Vec<u64>, DrawError> {
    let words = range as usize / 64 + 1;
    let mut bits = Vec::new();
    bits.try_reserve_exact(words)
        .map_err(|_| DrawError::OutOfMemory(words * 8))?;
    bits.resize(words, 0u64);
    for index in indices {
        let at = index.wrapping_sub(first);
        bits[at as usize / 64] |= 1 << (at % 64);
    }
    Ok(bits)
}

/// Positions by counting the bits before each index.
fn ranked(
    indices: &[u32],
    first: u32,
    bits: &[u64],
    distinct: usize,
) -> Result<Shading, DrawError> {
    let mut before = reserve(bits.len())?;
    let mut ids = reserve(distinct)?;
    for (i, word) in bits.iter().enumerate() {
        let base = (i as u32).wrapping_mul(64);
        before.push(ids.len() as u32);
        let mut left = *word;
        while left != 0 {
            ids.push(first.wrapping_add(base).wrapping_add(left.trailing_zeros()));
            left &= left - 1;
        }
    }
    let mut positions = reserve(indices.len())?;
    positions.extend(indices.iter().map(|index| {
        let at = index.wrapping_sub(first);
        let below = bits[at as usize / 64] & ((1u64 << (at % 64)) - 1);
        before[at as usize / 64] + below.count_ones()
    }));
    Ok(Shading::List { positions, ids })
}

fn distinct_sorted(indices: &[u32]) -> Result<Vec<u32>, DrawError> {
    let mut ids = reserve(indices.len())?;
    ids.extend_from_slice(indices);
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Positions by search, for few indices far apart.
fn sorted(indices: &[u32]) -> Result<Shading, DrawError> {
    let ids = distinct_sorted(indices)?;
    let mut positions = reserve(indices.len())?;
    positions.extend((indices.iter()).map(|index| ids.partition_point(|id| id < index) as u32));
    Ok(Shading::List { positions, ids })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_range_is_shaded_straight_through() {
        assert_eq!(
            find(&[12, 10, 11, 11, 13, 10], false),
            Ok(Shading::Range {
                first: 10,
                len: 4,
                distinct: 4
            })
        );
    }

    #[test]
    fn a_few_holes_are_shaded_along_if_allowed() {
        let indices = [0, 1, 2, 3, 5];
        assert_eq!(
            find(&indices, true),
            Ok(Shading::Range {
                first: 0,
                len: 6,
                distinct: 5
            })
        );
        assert_eq!(
            find(&indices, false),
            Ok(Shading::List {
                positions: vec![0, 1, 2, 3, 4],
                ids: indices.to_vec()
            })
        );
    }

    #[test]
    fn far_apart_vertices_are_listed() {
        assert_eq!(
            find(&[u32::MAX, 0, 7, u32::MAX], true),
            Ok(Shading::List {
                positions: vec![2, 0, 1, 2],
                ids: vec![0, 7, u32::MAX]
            })
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_index_is_found_at_its_position(
            indices in prop::collection::vec(prop_oneof![0..40u32, 0..200_000u32, any::<u32>()], 0..60),
            holes: bool,
        ) {
            let mut distinct = indices.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(count(&indices), Ok(distinct.len() as u32));
            match find(&indices, holes).expect("small") {
                Shading::Range { first, len, distinct: n } => {
                    prop_assert_eq!(n as usize, distinct.len());
                    prop_assert!(indices.iter().all(|i| i.wrapping_sub(first) < len));
                    prop_assert!(holes || len == n);
                }
                Shading::List { positions, ids } => {
                    prop_assert_eq!(&ids, &distinct);
                    let found: Vec<u32> = positions.iter().map(|p| ids[*p as usize]).collect();
                    prop_assert_eq!(found, indices);
                }
            }
        }
    }
}
