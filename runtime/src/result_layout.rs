//! The rows of a draw without their values: how many there are, what each is about, which primitives they make.
//!
//! **Rows** are the contract (draw-file.md): by view (enabled ones, ascending), then instance, then place in the
//! vertex or index sequence, cut indices left out. **Positions** are what was shaded: each different vertex once.
//! A row is at its view's number, its instance, and the position of its place.

use crate::plan::Plan;
use crate::primitives::Primitives;
use crate::statistics::Statistics;
use crate::topology::Topology;
use fuseline_compiler::kernel::Rate;
use fuseline_hlsl::hir::{Program, SignatureElement};
use std::sync::Arc;

/// Which rows a draw has and what they are about.
#[derive(Clone, Debug)]
pub struct ResultLayout {
    pub(crate) program: Arc<Program>,
    pub(crate) shape: Shape,
    pub(crate) plan: Arc<Plan>,
    pub(crate) topology: Topology,
    pub(crate) statistics: Statistics,
}

/// Extents of the arrays.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    /// SV_ViewID of each enabled view, ascending.
    pub views: Vec<u32>,
    /// Instances.
    pub instances: u32,
    /// Positions shaded per instance and view.
    pub positions: u32,
}

impl Shape {
    /// Distances between neighbours along view, instance and position in a block of rows `stride` apart; 0 where
    /// it does not vary. None where that passes what this machine can address.
    pub fn strides(&self, rate: Rate, stride: usize) -> Option<[usize; 3]> {
        let vertex = if rate.vertex { stride } else { 0 };
        let after_vertex = extend(stride, rate.vertex, self.positions)?;
        let instance = if rate.instance { after_vertex } else { 0 };
        let after_instance = extend(after_vertex, rate.instance, self.instances)?;
        let view = if rate.view { after_instance } else { 0 };
        Some([view, instance, vertex])
    }

    /// Numbers of views, instances and positions.
    pub fn extents(&self) -> [usize; 3] {
        [
            self.views.len(),
            self.instances as usize,
            self.positions as usize,
        ]
    }

    /// Rows of a block of that rate.
    pub fn rows(&self, rate: Rate) -> u128 {
        let factor = |varies: bool, n: usize| if varies { n as u128 } else { 1 };
        factor(rate.view, self.views.len())
            * factor(rate.instance, self.instances as usize)
            * factor(rate.vertex, self.positions as usize)
    }
}

fn extend(size: usize, varies: bool, count: u32) -> Option<usize> {
    if varies {
        size.checked_mul(count as usize)
    } else {
        Some(size)
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLocation {
    /// SV_ViewID.
    pub view: u32,
    /// SV_InstanceID.
    pub instance: u32,
    /// Place in the vertex or index sequence, cuts not counted.
    pub place: u32,
    /// SV_VertexID.
    pub vertex_id: u32,
}

/// Where a row's values are in the strided arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Number of the view among the enabled ones.
    pub view: usize,
    /// The instance.
    pub instance: usize,
    /// The position.
    pub position: usize,
}

impl ResultLayout {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows_per_view() * self.shape.views.len()
    }

    pub(crate) fn rows_per_view(&self) -> usize {
        self.rows_per_instance() * self.shape.instances as usize
    }

    /// Number of rows that an output buffer without gaps has: views × instances × positions.
    pub fn stored_rows(&self) -> usize {
        self.shape
            .extents()
            .into_iter()
            .fold(1, usize::saturating_mul)
    }

    /// Number of rows of each instance in each view: vertices or indices of the draw, cuts left out.
    pub fn rows_per_instance(&self) -> usize {
        self.plan.sequence.len as usize
    }

    /// SV_ViewID of each enabled view, ascending.
    pub fn views(&self) -> &[u32] {
        &self.shape.views
    }

    /// Number of instances.
    pub fn instances(&self) -> u32 {
        self.shape.instances
    }

    /// Number of positions: the extent of strided arrays along the vertex.
    pub fn positions(&self) -> u32 {
        self.shape.positions
    }

    /// The position of each place in the sequence, where results are not simply in that order: the index buffer for
    /// who draws from the strided arrays.
    pub fn position_of(&self, place: u32) -> Option<u32> {
        self.plan.sequence.position(place)
    }

    /// The topology drawn.
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// Counters of the draw.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What the shader writes: one element per register.
    pub fn signature(&self) -> &[SignatureElement] {
        &self.program.outputs
    }

    /// What a row is about; None past the last row.
    pub fn location(&self, row: usize) -> Option<RowLocation> {
        let (view, rest) = split(row, self.rows_per_view())?;
        let (instance, place) = split(rest, self.rows_per_instance())?;
        Some(RowLocation {
            view: *self.shape.views.get(view)?,
            instance: instance as u32,
            place: place as u32,
            vertex_id: self.plan.sequence.vertex_id(place as u32)?,
        })
    }

    /// Where a row's values are in the strided arrays; None past the last row.
    pub fn coordinates(&self, row: usize) -> Option<Coordinates> {
        let (view, rest) = split(row, self.rows_per_view())?;
        let (instance, place) = split(rest, self.rows_per_instance())?;
        if view >= self.shape.views.len() {
            return None;
        }
        Some(Coordinates {
            view,
            instance,
            position: self.plan.sequence.position(place as u32)? as usize,
        })
    }

    /// Components of a full row, all outputs one after the other.
    pub fn row_components(&self) -> usize {
        (self.program.outputs.iter())
            .map(|e| usize::from(e.components))
            .sum()
    }

    /// The assembled primitives.
    pub fn primitives(&self) -> Primitives<'_> {
        Primitives::new(self)
    }
}

/// Quotient and remainder; None by zero.
fn split(n: usize, by: usize) -> Option<(usize, usize)> {
    Some((n.checked_div(by)?, n.checked_rem(by)?))
}
