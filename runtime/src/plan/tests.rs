//! Plans of whole draws: ids, fetched vertices, runs.

use super::*;
use crate::state::DrawCall;
use crate::topology::{StripCut, Topology};

fn plan(call: &DrawCall, indices: Option<&IndexBufferView>, topology: Topology) -> Plan {
    let arguments = Arguments::of(call).expect("a good call");
    let all_ones = indices.map(|view| view.format.all_ones());
    let cut = all_ones.and_then(|ones| StripCut::AllOnes.cut_value(topology, ones));
    Plan::new(&arguments, indices, cut, Sharing::Exact).expect("small")
}

/// (SV_VertexID, vertex fetched) of each row of an instance.
fn rows(plan: &Plan) -> Vec<(u32, u32)> {
    (0..plan.sequence.len)
        .map(|place| plan.vertex(plan.sequence.position(place).expect("a place")))
        .collect()
}

#[test]
fn the_vertex_id_leaves_start_and_base_out() {
    // system-values.md, examples 3: DrawInstanced(3, 1, 3, 16), DrawIndexedInstanced(3, 1, 3, 9, 7).
    let call = DrawCall::DrawInstanced {
        vertex_count: 3,
        instance_count: 1,
        start_vertex: 3,
        start_instance: 16,
    };
    assert_eq!(
        rows(&plan(&call, None, Topology::PointList)),
        [(0, 3), (1, 4), (2, 5)]
    );
    let call = DrawCall::DrawIndexedInstanced {
        index_count: 3,
        instance_count: 1,
        start_index: 3,
        base_vertex: 9,
        start_instance: 7,
    };
    let indices = IndexBufferView::from_u16(&[6, 7, 8, 0, 1, 2]);
    let plan = plan(&call, Some(&indices), Topology::PointList);
    assert_eq!(rows(&plan), [(0, 9), (1, 10), (2, 11)]);
}

#[test]
fn base_vertex_is_added_in_32_bits() {
    // input-assembler.md, examples 24 and 25.
    let at = |index: u16, base_vertex| {
        let call = DrawCall::DrawIndexed {
            index_count: 1,
            start_index: 0,
            base_vertex,
        };
        let indices = IndexBufferView::from_u16(&[index]);
        rows(&plan(&call, Some(&indices), Topology::PointList))
    };
    assert_eq!(at(0xFFFE, 4), [(65534, 65538)]);
    assert_eq!(at(5, -3), [(5, 2)]);
    assert_eq!(at(2, -3), [(2, 0xFFFF_FFFF)]);
}

#[test]
fn an_unbound_index_buffer_draws_the_base_vertex() {
    // input-assembler.md, example 28.
    let call = DrawCall::DrawIndexed {
        index_count: 3,
        start_index: 1,
        base_vertex: 1,
    };
    let plan = plan(&call, None, Topology::PointList);
    assert_eq!(rows(&plan), [(0, 1), (0, 1), (0, 1)]);
    assert_eq!(plan.distinct, 1);
}

#[test]
fn the_example_of_the_specification() {
    // FS 8.21, system-values.md example 2.
    let cut = u16::MAX;
    let mut indices = vec![50u16, 51, 52];
    indices.extend([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, cut, 2, 10, 5, 4, 6, 11]);
    let call = DrawCall::DrawIndexedInstanced {
        index_count: 17,
        instance_count: 3,
        start_index: 3,
        base_vertex: 2,
        start_instance: 6,
    };
    let view = IndexBufferView::from_u16(&indices);
    let plan = plan(&call, Some(&view), Topology::TriangleStripAdj);
    let ids: Vec<u32> = rows(&plan).iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 10, 5, 4, 6, 11]);
    assert_eq!(plan.distinct, 12);
    let primitives: Vec<u64> = (plan.sequence.runs())
        .map(|run| Topology::TriangleStripAdj.primitives(run.len() as u64))
        .collect();
    assert_eq!(primitives, [3, 1]);
}

#[test]
fn a_list_keeps_the_cut_value_as_a_vertex() {
    // primitive-topology.md, example 5.
    let m = u32::MAX;
    let indices = IndexBufferView::from_u32(&[0, 1, m, 9, m, m, 2000, 3000, 4000]);
    let list = plan(
        &DrawCall::indexed(9),
        Some(&indices),
        Topology::TriangleList,
    );
    assert_eq!(list.sequence.len, 9);
    assert_eq!(list.sequence.vertex_id(2), Some(m));
    let strip = plan(
        &DrawCall::indexed(9),
        Some(&indices),
        Topology::TriangleStrip,
    );
    let counts: Vec<u64> = (strip.sequence.runs())
        .map(|run| Topology::TriangleStrip.primitives(run.len() as u64))
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 1);
    assert_eq!(strip.sequence.len, 6);
}
