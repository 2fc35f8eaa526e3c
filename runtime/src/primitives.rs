//! The assembled primitives of a draw: ids, and the rows of their corners, without storing any of it.

use crate::result_layout::ResultLayout;
use crate::topology::Topology;
use std::ops::Range;

/// The primitives of a draw, in order: by view, instance, id. Incomplete ones are not among them (FS 8.13).
#[derive(Clone, Copy, Debug)]
pub struct Primitives<'a> {
    results: &'a ResultLayout,
    per_instance: u64,
}

impl<'a> Primitives<'a> {
    pub(crate) fn new(results: &'a ResultLayout) -> Primitives<'a> {
        Primitives {
            results,
            per_instance: count(&results.plan.sequence, results.topology),
        }
    }

    /// Number of primitives in all views and instances.
    pub fn len(&self) -> u64 {
        self.per_instance * u64::from(self.results.instances()) * self.results.views().len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of primitives in each instance and view.
    pub fn per_instance(&self) -> u64 {
        self.per_instance
    }

    /// Corners of each primitive, adjacent vertices included.
    pub fn corners(&self) -> usize {
        self.results.topology.corners()
    }

    /// The places of the corners of all primitives of one instance, one primitive after the other. Every instance
    /// and view has the same; the rows of view number v (among the enabled ones) and instance i begin at
    /// `(v * instances + i) * rows_per_instance`.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        let topology = self.results.topology;
        let corners = topology.corners() as u32;
        self.of_instance().flat_map(move |(run, i, count)| {
            (0..corners).map(move |k| run.start + topology.corner(i, count, k))
        })
    }

    /// All primitives.
    pub fn iter(&self) -> impl Iterator<Item = Primitive> + use<'a> {
        let this = *self;
        let results = self.results;
        let per_instance = results.rows_per_instance();
        results
            .views()
            .iter()
            .enumerate()
            .flat_map(move |(v, view)| {
                (0..results.instances()).flat_map(move |instance| {
                    let first =
                        (v * results.instances() as usize + instance as usize) * per_instance;
                    (this.of_instance().zip(0u32..)).map(move |((run, place, count), id)| {
                        Primitive {
                            view: *view,
                            instance,
                            id,
                            topology: results.topology,
                            place,
                            count,
                            first_row: first + run.start as usize,
                        }
                    })
                })
            })
    }

    /// Run, number in the run, and number of primitives in it, of each primitive of an instance.
    fn of_instance(&self) -> impl Iterator<Item = (Range<u32>, u32, u32)> + use<'a> {
        let topology = self.results.topology;
        self.results.plan.sequence.runs().flat_map(move |run| {
            let count = topology.primitives(run.len() as u64) as u32;
            (0..count).map(move |i| (run.clone(), i, count))
        })
    }
}

/// Number of primitives of one instance.
pub(crate) fn count(sequence: &crate::sequence::Sequence, topology: Topology) -> u64 {
    (sequence.runs())
        .map(|run| topology.primitives(run.len() as u64))
        .sum()
}

/// One primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// SV_ViewID.
    pub view: u32,
    /// SV_InstanceID.
    pub instance: u32,
    /// SV_PrimitiveID: from 0 in each instance, counting on over cuts.
    pub id: u32,
    topology: Topology,
    place: u32,
    count: u32,
    first_row: usize,
}

impl Primitive {
    /// The rows of its corners, in Direct3D's order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = usize> + use<> {
        let this = *self;
        (0..self.topology.corners() as u32).map(move |k| {
            let place = this.topology.corner(this.place, this.count, k);
            this.first_row + place as usize
        })
    }

    /// The same without adjacent vertices: what a rasteriser gets where there is no geometry shader.
    pub fn interior_rows(&self) -> impl ExactSizeIterator<Item = usize> + use<> {
        let this = *self;
        self.topology.interior().iter().map(move |k| {
            let place = this.topology.corner(this.place, this.count, *k as u32);
            this.first_row + place as usize
        })
    }
}
