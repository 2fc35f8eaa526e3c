//! The vertex sequence of one instance: which vertex stands at each place, where it was shaded, where runs end.
//!
//! A *place* counts vertices or indices of the draw, cut indices left out; a *position* counts what was shaded.

use std::sync::Arc;

/// A sequence of vertices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sequence {
    /// Number of places.
    pub len: u32,
    /// What stands at each place.
    pub places: Places,
    /// Ends of the runs that cuts leave, ascending; the last is `len`. Empty: one run.
    pub run_ends: Vec<u32>,
}

/// What stands at each place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Places {
    /// Not indexed: place, position and SV_VertexID are one.
    Counted,
    /// Position `index - first`.
    Dense {
        /// Index at each place.
        indices: Arc<Vec<u32>>,
        /// The smallest index.
        first: u32,
    },
    /// A list of different indices.
    Listed {
        /// Position of each place.
        positions: Vec<u32>,
        /// Index of each position.
        ids: Vec<u32>,
    },
    /// Each place is shaded by itself.
    Expanded {
        /// Index at each place.
        indices: Arc<Vec<u32>>,
    },
}

impl Sequence {
    /// Where the vertex at a place was shaded.
    #[inline]
    pub fn position(&self, place: u32) -> Option<u32> {
        match &self.places {
            Places::Counted | Places::Expanded { .. } => (place < self.len).then_some(place),
            Places::Dense { indices, first } => indices
                .get(place as usize)
                .map(|index| index.wrapping_sub(*first)),
            Places::Listed { positions, .. } => positions.get(place as usize).copied(),
        }
    }

    /// SV_VertexID of the vertex at a place.
    pub fn vertex_id(&self, place: u32) -> Option<u32> {
        match &self.places {
            Places::Counted => (place < self.len).then_some(place),
            Places::Dense { indices, .. } | Places::Expanded { indices } => {
                indices.get(place as usize).copied()
            }
            Places::Listed { positions, ids } => {
                ids.get(*positions.get(place as usize)? as usize).copied()
            }
        }
    }

    /// The runs, as ranges of places. Empty ones are among them where cuts follow one another.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<u32>> + Clone {
        let ends = if self.run_ends.is_empty() {
            std::slice::from_ref(&self.len)
        } else {
            &self.run_ends
        };
        ends.iter().scan(0, |start, end| {
            let run = *start..*end;
            *start = *end;
            Some(run)
        })
    }
}
