//! Pipeline statistics of a draw (`D3D11_QUERY_DATA_PIPELINE_STATISTICS`, as far as the Input Assembler and the
//! vertex shader are concerned).

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Counters of one draw, or summed over several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices that the Input Assembler made, as if nothing were reused: those of incomplete primitives count, cut
    /// indices do not; per instance, not per view.
    pub ia_vertices: u64,
    /// Complete primitives; per instance, not per view.
    pub ia_primitives: u64,
    /// Different (vertex index, instance, view) triples shaded; a shader that reads no SV_ViewID counts one view
    /// (decisions.md, *VSInvocations, exactly*).
    pub vs_invocations: u64,
}

impl Add for Statistics {
    type Output = Statistics;

    fn add(self, other: Statistics) -> Statistics {
        Statistics {
            ia_vertices: self.ia_vertices.wrapping_add(other.ia_vertices),
            ia_primitives: self.ia_primitives.wrapping_add(other.ia_primitives),
            vs_invocations: self.vs_invocations.wrapping_add(other.vs_invocations),
        }
    }
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        *self = *self + other;
    }
}

impl Sum for Statistics {
    fn sum<I: Iterator<Item = Statistics>>(iter: I) -> Statistics {
        iter.fold(Statistics::default(), Add::add)
    }
}
