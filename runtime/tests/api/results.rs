//! Reading results: typed, strided, as slices.

use crate::*;

fn drawn(storage: RowStorage) -> Results {
    let text = "
        struct Out { float4 p : SV_Position; int2 n[2] : N; bool b : B; };
        Out main(float4 v : V, uint i : SV_InstanceID) {
            Out o; o.p = v; o.n[0] = int2(-1, i); o.n[1] = 5; o.b = i == 1; return o;
        }";
    let pipeline = pipeline(&device(), text);
    let state = DrawState::new(Topology::LineList).vertex_buffer(0, vertices(8));
    let options = DrawOptions {
        storage,
        ..DrawOptions::default()
    };
    pipeline
        .draw_with(&state, &DrawCall::instanced(8, 2), &options)
        .expect("drawn")
}

#[test]
fn outputs_are_found_by_semantic_and_index() {
    let results = drawn(RowStorage::Shared);
    let second: Vec<[i32; 2]> = results
        .output("n", 1)
        .expect("there")
        .rows()
        .expect("int2")
        .collect();
    assert_eq!(second, [[5, 5]; 16]);
    assert_eq!(
        results
            .output("N", 2)
            .map(|_| ())
            .map_err(|e| e.to_string()),
        Err("the shader has no output N2; it writes `SV_Position`, `N`, `N1`, `B`".to_string())
    );
}

#[test]
fn rows_are_typed() {
    let results = drawn(RowStorage::Shared);
    let first = results.output("N", 0).expect("there");
    assert_eq!(first.get::<glam::IVec2>(9), Ok(Some(glam::ivec2(-1, 1))));
    assert_eq!(first.get::<[u32; 2]>(16), Ok(None));
    assert_eq!(
        first
            .rows::<glam::Vec2>()
            .map(|_| ())
            .map_err(|e| e.to_string()),
        Err("output N is int2, not float2".to_string())
    );
    let flags: Vec<bool> = results
        .output("B", 0)
        .expect("there")
        .rows()
        .expect("bool")
        .collect();
    assert_eq!(flags.iter().filter(|b| **b).count(), 8);
}

#[test]
fn what_varies_with_nothing_is_stored_once() {
    let results = drawn(RowStorage::Shared);
    let stride = |name, index| {
        let output = results.output(name, index).expect("there");
        output.component(0).expect("one").strides()
    };
    let [_, instance, vertex] = stride("SV_Position", 0);
    assert_eq!((instance, vertex > 0), (0, true));
    let [_, instance, vertex] = stride("B", 0);
    assert_eq!((instance > 0, vertex), (true, 0));
    assert_eq!(stride("N", 1), [0; 3]);
}

#[test]
fn expanded_rows_lie_one_behind_the_other() {
    let shared = drawn(RowStorage::Shared);
    let expanded = drawn(RowStorage::Expanded);
    assert_eq!(compare(&shared, &expanded), None);
    let strides = expanded
        .output("B", 0)
        .expect("there")
        .component(0)
        .expect("one")
        .strides();
    assert_eq!(strides[1], 8 * strides[2]);
    assert_eq!(expanded.row_components(), 9);
    let row: Vec<u32> = expanded.row(9).expect("a row").collect();
    assert_eq!(
        row,
        [1.0f32.to_bits(); 4]
            .into_iter()
            .chain([u32::MAX, 1, 5, 5, 1])
            .collect::<Vec<_>>()
    );
}

#[test]
fn rows_of_shared_vertices_are_copied_to_every_place() {
    let text = "float4 main(float4 v : V, uint i : SV_InstanceID) : SV_Position { return v + i; }";
    let indices: Vec<u16> = (0..20_000).map(|i| (i % 7 * 3) as u16).collect();
    let state = DrawState::new(Topology::TriangleList)
        .vertex_buffer(0, vertices(19))
        .index_buffer(IndexBufferView::from_u16(&indices));
    let call = DrawCall::indexed_instanced(20_000, 2);
    let drawn = |engine, threads| {
        let options = DeviceOptions {
            threads,
            ..DeviceOptions::default()
        };
        let device = Device::new(options).expect("a device");
        let options = DrawOptions {
            engine,
            storage: RowStorage::Expanded,
            ..DrawOptions::default()
        };
        (pipeline(&device, text).draw_with(&state, &call, &options)).expect("drawn")
    };
    let reference = drawn(Engine::Interpreter, Threads::None);
    for threads in [Threads::None, Threads::Global] {
        let results = drawn(Engine::Jit, threads);
        assert_eq!(compare(&results, &reference), None);
        assert_eq!(results.statistics(), reference.statistics());
        assert_eq!(results.positions(), 20_000);
    }
}

#[test]
fn a_single_output_is_a_slice() {
    let text = "float4 main(float4 v : V) : SV_Position { return v * 2; }";
    let pipeline = pipeline(&device(), text);
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(8));
    let results = pipeline.draw(&state, &DrawCall::draw(8)).expect("drawn");
    let slice = results
        .output("SV_Position", 0)
        .expect("there")
        .as_slice::<[f32; 4]>();
    assert_eq!(slice.map(|s| s[7]), Some([14.0; 4]));
    let indexed = state.index_buffer(IndexBufferView::from_u16(&[1, 0, 2, 3]));
    let results = pipeline
        .draw(&indexed, &DrawCall::indexed(4))
        .expect("drawn");
    assert_eq!(
        results
            .output("SV_Position", 0)
            .expect("there")
            .as_slice::<[f32; 4]>(),
        None
    );
}

#[test]
fn rows_know_what_they_are_about() {
    let results = drawn(RowStorage::Shared);
    let location = results.location(13).expect("a row");
    assert_eq!(
        (
            location.view,
            location.instance,
            location.place,
            location.vertex_id
        ),
        (0, 1, 5, 5)
    );
    assert_eq!(results.location(16), None);
    let lines: Vec<_> = results
        .primitives()
        .iter()
        .map(|p| (p.instance, p.id))
        .collect();
    assert_eq!(lines[4], (1, 0));
    let places: Vec<u32> = results.primitives().places().collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_difference_names_row_output_and_component() {
    let one = pipeline(
        &device(),
        "float4 main(float4 v : V) : SV_Position { return v; }",
    );
    let other = pipeline(
        &device(),
        "float4 main(float4 v : V) : SV_Position { return v + float4(0, 0, v.x == 3, 0); }",
    );
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(8));
    let draw = |p: &Pipeline| p.draw(&state, &DrawCall::draw(8)).expect("drawn");
    let difference = compare(&draw(&one), &draw(&other)).expect("a difference");
    assert_eq!(
        difference.to_string(),
        "row 3, SV_Position.z: 0x40400000 (3) and 0x40800000 (4)"
    );
}
