//! What the clipper would be given, and how many primitives would come out of it, where that does not depend on the
//! hardware's guard band (FS 20.4.7; primitive-topology.md section 5).

use crate::results::{Coordinates, Output, Results, Strided};
use crate::topology::Topology;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Most primitives that [`Results::clip_statistics`] looks at: a draw of a few bytes can have 2^40, and nothing could stop
/// the counting.
pub const MOST_CLIPPED: u64 = 1 << 24;

/// `CInvocations` and `CPrimitives` of `D3D11_QUERY_DATA_PIPELINE_STATISTICS`, without a geometry shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipStatistics {
    /// Primitives sent to the clipper: in all views and instances.
    pub c_invocations: u64,
    /// Primitives that come out of it. None where one crosses the clip volume's border or has a position that is no
    /// number: then it depends on the hardware. None, too, where there are more than [`MOST_CLIPPED`] to look at.
    pub c_primitives: Option<u64>,
}

impl ClipStatistics {
    /// Nothing was sent.
    pub const NONE: ClipStatistics = ClipStatistics {
        c_invocations: 0,
        c_primitives: Some(0),
    };
}

impl Default for ClipStatistics {
    fn default() -> ClipStatistics {
        ClipStatistics::NONE
    }
}

impl Add for ClipStatistics {
    type Output = ClipStatistics;

    fn add(self, other: ClipStatistics) -> ClipStatistics {
        ClipStatistics {
            c_invocations: self.c_invocations.wrapping_add(other.c_invocations),
            c_primitives: (self.c_primitives.zip(other.c_primitives))
                .map(|(a, b)| a.wrapping_add(b)),
        }
    }
}

impl AddAssign for ClipStatistics {
    fn add_assign(&mut self, other: ClipStatistics) {
        *self = *self + other;
    }
}

impl Sum for ClipStatistics {
    fn sum<I: Iterator<Item = ClipStatistics>>(iter: I) -> ClipStatistics {
        iter.fold(ClipStatistics::NONE, Add::add)
    }
}

/// What becomes of one primitive.
enum Clipped {
    Inside,
    Outside,
    Depends,
}

/// Where a vertex is, a bit for each plane.
#[derive(Clone, Copy)]
struct Place {
    /// Beyond the plane.
    outside: u32,
    /// Not on its inner side: beyond it, or no number.
    not_inside: u32,
    /// Distances that are no number: the primitive is dropped (FS 15.4).
    dropped: bool,
    /// A bit for each cull distance below zero, or no number.
    culled: u32,
}

/// The planes of the clip volume; clip distances have the bits above.
const PLANES: u32 = 6;

impl Results {
    /// What the clipper would do with the primitives, depth clipping enabled. Nothing is sent to it where the shader writes
    /// no SV_Position (rasterisation is off), and patches never are.
    pub fn clip_statistics(&self) -> ClipStatistics {
        let clipper = match (self.topology(), Clipper::new(self)) {
            (Topology::PatchList(_), _) | (_, None) => return ClipStatistics::NONE,
            (_, Some(clipper)) => clipper,
        };
        let all = self.primitives().len();
        let mut count = (all <= MOST_CLIPPED).then_some(0);
        for primitive in self.primitives().iter() {
            if count.is_none() {
                break;
            }
            let rows = primitive.interior_rows();
            let places = rows.filter_map(|row| Some(clipper.place(self.coordinates(row)?)));
            count = match outcome(places) {
                Clipped::Inside => count.map(|n| n + 1),
                Clipped::Outside => count,
                Clipped::Depends => None,
            };
        }
        ClipStatistics {
            c_invocations: all,
            c_primitives: count,
        }
    }
}

fn outcome(corners: impl Iterator<Item = Place>) -> Clipped {
    let all = Place {
        outside: u32::MAX,
        not_inside: 0,
        dropped: false,
        culled: u32::MAX,
    };
    let all = corners.fold(all, |all, place| Place {
        outside: all.outside & place.outside,
        not_inside: all.not_inside | place.not_inside,
        dropped: all.dropped | place.dropped,
        culled: all.culled & place.culled,
    });
    if all.dropped || all.outside != 0 || all.culled != 0 {
        Clipped::Outside
    } else if all.not_inside == 0 {
        Clipped::Inside
    } else {
        Clipped::Depends
    }
}

/// The outputs that clipping looks at.
struct Clipper<'a> {
    position: [Strided<'a>; 4],
    clip: Vec<Strided<'a>>,
    cull: Vec<Strided<'a>>,
}

impl<'a> Clipper<'a> {
    fn new(results: &'a Results) -> Option<Clipper<'a>> {
        let position = results.output("SV_Position", 0).ok()?;
        let component = |c| position.component(c);
        let distances = |semantic: &str| {
            let named = |o: &Output<'_>| o.signature().semantic.eq_ignore_ascii_case(semantic);
            let outputs = results.outputs().filter(named);
            outputs
                .flat_map(|o| (0..o.components()).filter_map(move |c| o.component(c)))
                .collect()
        };
        Some(Clipper {
            position: [component(0)?, component(1)?, component(2)?, component(3)?],
            clip: distances("SV_ClipDistance"),
            cull: distances("SV_CullDistance"),
        })
    }

    fn place(&self, at: Coordinates) -> Place {
        let value = |array: &Strided<'_>| f32::from_bits(array.get(at).unwrap_or(0));
        let [x, y, z, w] = self.position.each_ref().map(value);
        // Signed distances to the planes -w <= x <= w, -w <= y <= w, 0 <= z <= w.
        let planes = [(-w, x), (x, w), (-w, y), (y, w), (0.0, z), (z, w)];
        let mut place = Place {
            outside: 0,
            not_inside: 0,
            dropped: false,
            culled: 0,
        };
        for (plane, (low, high)) in planes.into_iter().enumerate() {
            place.outside |= u32::from(low > high) << plane;
            let inside = low <= high;
            place.not_inside |= u32::from(!inside) << plane;
        }
        for (plane, distance) in (PLANES..).zip(self.clip.iter().map(value)) {
            place.dropped |= distance.is_nan();
            place.outside |= u32::from(distance < 0.0) << plane;
            place.not_inside |= u32::from(distance < 0.0) << plane;
        }
        for (plane, distance) in self.cull.iter().map(value).enumerate() {
            place.culled |= u32::from(distance < 0.0 || distance.is_nan()) << plane;
        }
        place
    }
}
