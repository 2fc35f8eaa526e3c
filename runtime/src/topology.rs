//! Primitive topologies: how the vertices of a run become primitives (primitive-topology.md sections 1 and 2).
//!
//! A *run* is what lies between two cuts of one instance; places in it are counted from 0. Must not know draws,
//! buffers or results.

use std::fmt;

/// `D3D_PRIMITIVE_TOPOLOGY`, without UNDEFINED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Each vertex is a point.
    PointList,
    /// Two vertices per line.
    LineList,
    /// Each vertex but the first ends a line.
    LineStrip,
    /// Three vertices per triangle.
    TriangleList,
    /// Each vertex but the first two ends a triangle; odd ones are (i, i+2, i+1).
    TriangleStrip,
    /// Four vertices per line: the inner two are the line.
    LineListAdj,
    /// A line strip with one more vertex at each end.
    LineStripAdj,
    /// Six vertices per triangle: the even ones are the triangle.
    TriangleListAdj,
    /// A triangle strip whose odd vertices are the neighbours.
    TriangleStripAdj,
    /// Patches of 1 to 32 control points.
    PatchList(ControlPoints),
}

/// Number of control points of a patch, 1 to 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ControlPoints(u8);

impl ControlPoints {
    /// `count` control points; None where D3D has no such patch.
    pub fn new(count: u32) -> Option<ControlPoints> {
        (1..=32)
            .contains(&count)
            .then_some(ControlPoints(count as u8))
    }

    /// How many.
    pub fn get(self) -> u32 {
        u32::from(self.0)
    }
}

/// `D3D12_PRIMITIVE_TOPOLOGY_TYPE`: what a pipeline can be made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TopologyType {
    /// Points.
    Point,
    /// Lines, adjacency or not.
    Line,
    /// Triangles, adjacency or not.
    Triangle,
    /// Patches.
    Patch,
}

impl fmt::Display for TopologyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TopologyType::Point => "POINT",
            TopologyType::Line => "LINE",
            TopologyType::Triangle => "TRIANGLE",
            TopologyType::Patch => "PATCH",
        })
    }
}

/// Most corners that a primitive has: a patch of 32 control points.
const MAX_CORNERS: usize = 32;

const NAMES: [(Topology, &str, u32); 9] = [
    (Topology::PointList, "POINTLIST", 1),
    (Topology::LineList, "LINELIST", 2),
    (Topology::LineStrip, "LINESTRIP", 3),
    (Topology::TriangleList, "TRIANGLELIST", 4),
    (Topology::TriangleStrip, "TRIANGLESTRIP", 5),
    (Topology::LineListAdj, "LINELIST_ADJ", 10),
    (Topology::LineStripAdj, "LINESTRIP_ADJ", 11),
    (Topology::TriangleListAdj, "TRIANGLELIST_ADJ", 12),
    (Topology::TriangleStripAdj, "TRIANGLESTRIP_ADJ", 13),
];

const PATCH_SUFFIX: &str = "_CONTROL_POINT_PATCHLIST";

impl fmt::Display for Topology {
    /// D3D's name without `D3D_PRIMITIVE_TOPOLOGY_`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topology::PatchList(points) => write!(f, "{}{PATCH_SUFFIX}", points.get()),
            other => match NAMES.iter().find(|(topology, ..)| topology == other) {
                Some((_, name, _)) => f.write_str(name),
                None => Ok(()),
            },
        }
    }
}

impl Topology {
    /// The topology of that name, with or without `D3D_PRIMITIVE_TOPOLOGY_`.
    pub fn from_name(name: &str) -> Option<Topology> {
        let name = name.strip_prefix("D3D_PRIMITIVE_TOPOLOGY_").unwrap_or(name);
        if let Some(count) = name.strip_suffix(PATCH_SUFFIX) {
            let plain = !count.starts_with(['0', '+']);
            return (plain.then(|| count.parse().ok()).flatten())
                .and_then(ControlPoints::new)
                .map(Topology::PatchList);
        }
        (NAMES.iter().find(|(_, known, _)| *known == name)).map(|(topology, ..)| *topology)
    }

    /// The topology of that `D3D_PRIMITIVE_TOPOLOGY` value. 0 (undefined), the reserved ones and the triangle fan
    /// (6: order not settled by Direct3D 11 or 12) give None.
    pub fn from_d3d(value: u32) -> Option<Topology> {
        if (33..=64).contains(&value) {
            return ControlPoints::new(value - 32).map(Topology::PatchList);
        }
        (NAMES.iter().find(|(.., known)| *known == value)).map(|(topology, ..)| *topology)
    }

    /// Its `D3D_PRIMITIVE_TOPOLOGY` value. (FS 8.1.2 prints 17 as the first patch value; the headers have 33.)
    pub fn to_d3d(self) -> u32 {
        match self {
            Topology::PatchList(points) => 32 + points.get(),
            other => (NAMES.iter().find(|(topology, ..)| *topology == other))
                .map_or(0, |(.., value)| *value),
        }
    }

    /// What a pipeline must be made for to draw it.
    pub fn topology_type(self) -> TopologyType {
        match self {
            Topology::PointList => TopologyType::Point,
            Topology::LineList
            | Topology::LineStrip
            | Topology::LineListAdj
            | Topology::LineStripAdj => TopologyType::Line,
            Topology::TriangleList
            | Topology::TriangleStrip
            | Topology::TriangleListAdj
            | Topology::TriangleStripAdj => TopologyType::Triangle,
            Topology::PatchList(_) => TopologyType::Patch,
        }
    }

    /// Whether neighbouring primitives share vertices: the topologies that cut indices apply to.
    pub fn is_strip(self) -> bool {
        matches!(
            self,
            Topology::LineStrip
                | Topology::TriangleStrip
                | Topology::LineStripAdj
                | Topology::TriangleStripAdj
        )
    }

    /// Number of vertices of a primitive, adjacent ones included.
    pub fn corners(self) -> usize {
        match self {
            Topology::PointList => 1,
            Topology::LineList | Topology::LineStrip => 2,
            Topology::TriangleList | Topology::TriangleStrip => 3,
            Topology::LineListAdj | Topology::LineStripAdj => 4,
            Topology::TriangleListAdj | Topology::TriangleStripAdj => 6,
            Topology::PatchList(points) => points.get() as usize,
        }
    }

    /// Which corners are the primitive itself; the others are adjacent vertices.
    pub fn interior(self) -> &'static [usize] {
        const ALL: [usize; MAX_CORNERS] = {
            let mut all = [0; MAX_CORNERS];
            let mut i = 0;
            while i < MAX_CORNERS {
                all[i] = i;
                i += 1;
            }
            all
        };
        match self {
            Topology::LineListAdj | Topology::LineStripAdj => &[1, 2],
            Topology::TriangleListAdj | Topology::TriangleStripAdj => &[0, 2, 4],
            other => ALL.split_at(other.corners()).0,
        }
    }

    /// Number of complete primitives in a run of `vertices` vertices.
    pub fn primitives(self, vertices: u64) -> u64 {
        match self {
            Topology::PointList => vertices,
            Topology::LineList => vertices / 2,
            Topology::LineStrip => vertices.saturating_sub(1),
            Topology::TriangleList => vertices / 3,
            Topology::TriangleStrip => vertices.saturating_sub(2),
            Topology::LineListAdj => vertices / 4,
            Topology::LineStripAdj => vertices.saturating_sub(3),
            Topology::TriangleListAdj => vertices / 6,
            Topology::TriangleStripAdj if vertices < 6 => 0,
            Topology::TriangleStripAdj => vertices / 2 - 2,
            Topology::PatchList(points) => vertices / u64::from(points.get()),
        }
    }

    /// Corner `k` of primitive `i` of a run that has `count` primitives, as a place in the run. `i` must be below `count`,
    /// and `k` below [`Topology::corners`].
    #[inline]
    pub fn corner(self, i: u32, count: u32, k: u32) -> u32 {
        match self {
            Topology::LineStrip | Topology::LineStripAdj => i + k,
            // Odd triangles keep their first vertex, and swap the others.
            Topology::TriangleStrip if i % 2 == 1 && k > 0 => i + 3 - k,
            Topology::TriangleStrip => i + k,
            Topology::TriangleStripAdj => strip_adjacency(i, i + 1 == count, k),
            _ => i * self.corners() as u32 + k,
        }
    }
}

/// primitive-topology.md section 2 (FS 13.10): corners 0, 2, 4 are the triangle, 1, 3, 5 its neighbours across the
/// edges 0-2, 2-4, 4-0.
fn strip_adjacency(i: u32, last: bool, k: u32) -> u32 {
    let v = 2 * i;
    match (k, i, i % 2) {
        (0, ..) => v,
        (1, 0, _) => 1,
        (1, _, 0) => v - 2,
        (1, ..) => v + 3,
        (2, _, 0) => v + 2,
        (2, ..) => v + 4,
        (3, ..) => v + if last { 5 } else { 6 },
        (4, _, 0) => v + 4,
        (4, ..) => v + 2,
        (_, _, 0) => v + 3,
        _ => v - 2,
    }
}

/// Which indices cut, and where (`CutPolicy` of primitive-topology.md section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StripCut {
    /// Strips, at the all-ones value of the index format: Direct3D 11's behaviour as every driver has it.
    #[default]
    AllOnes,
    /// Never (`D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_DISABLED`).
    Off,
    /// Strips, at this value, compared with the zero-extended index: Direct3D 12's 0xFFFF and 0xFFFFFFFF.
    Value(u32),
    /// Lists too, at the all-ones value of the index format: FS 8.12 to the letter.
    ListsToo,
}

impl StripCut {
    /// The index value that cuts, if any does, for a topology and an all-ones value of the index format.
    pub fn cut_value(self, topology: Topology, all_ones: u32) -> Option<u32> {
        match self {
            StripCut::AllOnes => topology.is_strip().then_some(all_ones),
            StripCut::Off => None,
            StripCut::Value(value) => topology.is_strip().then_some(value),
            StripCut::ListsToo => Some(all_ones),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(topology: Topology, vertices: u64) -> Vec<Vec<u32>> {
        let count = topology.primitives(vertices) as u32;
        (0..count)
            .map(|i| {
                let corners = 0..topology.corners() as u32;
                corners.map(|k| topology.corner(i, count, k)).collect()
            })
            .collect()
    }

    #[test]
    fn odd_strip_triangles_keep_their_leading_vertex() {
        let triangles = all(Topology::TriangleStrip, 5);
        assert_eq!(triangles, [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    }

    #[test]
    fn incomplete_list_primitives_are_dropped() {
        assert_eq!(all(Topology::TriangleList, 5), [[0, 1, 2]]);
        assert!(all(Topology::LineStripAdj, 3).is_empty());
    }

    #[test]
    fn line_strip_with_adjacency_slides_by_one() {
        let lines = all(Topology::LineStripAdj, 6);
        assert_eq!(lines, [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]);
    }

    #[test]
    fn triangle_strip_with_adjacency_follows_the_figures() {
        let strip = |n| all(Topology::TriangleStripAdj, n);
        assert_eq!(strip(6), [[0, 1, 2, 5, 4, 3]]);
        assert_eq!(strip(8), [[0, 1, 2, 6, 4, 3], [2, 5, 6, 7, 4, 0]]);
        let ten = [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 9, 8, 7]];
        assert_eq!(strip(10), ten);
        assert_eq!(strip(11), ten);
        let twelve = strip(12);
        assert_eq!(twelve[2], [4, 2, 6, 10, 8, 7]);
        assert_eq!(twelve[3], [6, 9, 10, 11, 8, 4]);
    }

    #[test]
    fn primitives_of_adjacent_strips_by_vertex_count() {
        // system-values.md, example 5.
        let counts: Vec<u64> = (5..=12)
            .map(|n| Topology::TriangleStripAdj.primitives(n))
            .collect();
        assert_eq!(counts, [0, 1, 1, 2, 2, 3, 3, 4]);
        assert_eq!(Topology::TriangleListAdj.primitives(36), 6);
    }

    #[test]
    fn patches_take_their_control_points_in_order() {
        let patch = Topology::from_d3d(36).expect("a patch list");
        assert_eq!(all(patch, 11), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    }

    #[test]
    fn without_a_geometry_shader_the_interior_is_left() {
        let inner: Vec<Vec<u32>> = all(Topology::TriangleStripAdj, 8)
            .iter()
            .map(|p| (Topology::TriangleStripAdj.interior().iter().map(|c| p[*c])).collect())
            .collect();
        assert_eq!(inner, [[0, 2, 4], [2, 6, 4]]);
    }

    #[test]
    fn names_and_values_go_both_ways() {
        for value in 0..70 {
            if let Some(topology) = Topology::from_d3d(value) {
                assert_eq!(topology.to_d3d(), value);
                assert_eq!(Topology::from_name(&topology.to_string()), Some(topology));
            }
        }
        assert_eq!(Topology::from_name("33_CONTROL_POINT_PATCHLIST"), None);
        assert_eq!(Topology::from_name("04_CONTROL_POINT_PATCHLIST"), None);
        assert_eq!(Topology::from_d3d(6), None);
    }

    #[test]
    fn only_strips_cut_unless_lists_too_are_asked_for() {
        let list = Topology::TriangleList;
        let strip = Topology::LineStrip;
        assert_eq!(StripCut::AllOnes.cut_value(list, 0xFFFF), None);
        assert_eq!(StripCut::AllOnes.cut_value(strip, 0xFFFF), Some(0xFFFF));
        assert_eq!(StripCut::ListsToo.cut_value(list, 0xFFFF), Some(0xFFFF));
        assert_eq!(
            StripCut::Value(0xFFFF).cut_value(strip, u32::MAX),
            Some(0xFFFF)
        );
        assert_eq!(StripCut::Off.cut_value(strip, 0xFFFF), None);
    }
}
