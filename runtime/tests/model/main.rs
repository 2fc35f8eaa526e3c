//! Random draws through both engines and through an oracle written from the specification.

mod oracle;
mod support;

use fuseline_compiler::format::Format;
use fuseline_compiler::layout::{InputClassification, InputElementDesc};
use fuseline_hlsl::semantics::SystemValue;
use fuseline_runtime::*;
use oracle::{Arguments, Binding, Element, Indices};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

const FORMATS: [&str; 24] = [
    "R32G32B32A32_FLOAT",
    "R32G32B32_FLOAT",
    "R32G32_UINT",
    "R32_SINT",
    "R16G16B16A16_FLOAT",
    "R16G16_FLOAT",
    "R16_FLOAT",
    "R16G16B16A16_SNORM",
    "R16G16_UNORM",
    "R16G16B16A16_UINT",
    "R16_SINT",
    "R16G16_SINT",
    "R8G8B8A8_UNORM",
    "R8G8B8A8_SNORM",
    "R8G8_UINT",
    "R8_SNORM",
    "R8G8B8A8_SINT",
    "R10G10B10A2_UNORM",
    "R10G10B10A2_UINT",
    "R11G11B10_FLOAT",
    "B8G8R8A8_UNORM",
    "B8G8R8X8_UNORM",
    "B5G5R5A1_UNORM",
    "B4G4R4A4_UNORM",
];

/// The bit of `Case::shared` for the index buffer.
const INDEX_BUFFER: u32 = 4;

/// A draw as the test makes it up.
#[derive(Clone, Debug)]
struct Case {
    elements: Vec<Element>,
    slots: BTreeMap<u32, Binding>,
    indices: Option<Indices>,
    arguments: Arguments,
    topology: u32,
    cut: StripCut,
    views: usize,
    masking: bool,
    mask: u32,
    reads_view: bool,
    threads: usize,
    /// Words before, between and behind outputs in memory of the caller's.
    gaps: [u32; 3],
    views_inside: bool,
    /// A bit for each slot that has the buffer of slot 0; the last one for the index buffer.
    shared: u32,
    form: Form,
}

/// How the arguments are passed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `DrawInstanced`, `DrawIndexedInstanced`.
    Instanced,
    /// `Draw`, `DrawIndexed`: one instance, from 0.
    Plain,
    /// The indirect forms; so many words before the arguments.
    Indirect(u32),
}

fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let with = |threads| {
            Device::new(DeviceOptions {
                threads,
                ..DeviceOptions::default()
            })
            .expect("a device")
        };
        let pool = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .expect("threads")
        };
        let pools = (1..=8).map(|n| with(Threads::Pool(Arc::new(pool(n)))));
        std::iter::once(with(Threads::None)).chain(pools).collect()
    })
}

fn pipeline(case: &Case) -> Pipeline {
    let mut shader = support::Builder::default();
    let mut layout = Vec::new();
    for (i, element) in case.elements.iter().enumerate() {
        let input = shader.attribute("E", i as u32);
        shader.output("E", i as u32, &[input]);
        let mut desc = InputElementDesc::new(
            "E",
            i as u32,
            Format::from_name(element.format).expect("a format"),
        );
        desc.input_slot = element.slot;
        desc.aligned_byte_offset = element.offset;
        if let Some(rate) = element.step_rate {
            desc.input_slot_class = InputClassification::PerInstanceData;
            desc.instance_data_step_rate = rate;
        }
        layout.push(desc);
    }
    let vertex = shader.generated(SystemValue::VertexId);
    let instance = shader.generated(SystemValue::InstanceId);
    let start_vertex = shader.generated(SystemValue::StartVertexLocation);
    let start_instance = shader.generated(SystemValue::StartInstanceLocation);
    shader.output("VERTEX", 0, &[vertex]);
    shader.output("INSTANCE", 0, &[instance]);
    shader.output("START_VERTEX", 0, &[start_vertex]);
    shader.output("START_INSTANCE", 0, &[start_instance]);
    if case.reads_view {
        let view = shader.generated(SystemValue::ViewId);
        shader.output("VIEW", 0, &[view]);
        shader.output("ALL", 0, &[vertex, instance, view]);
    }
    let mut desc = PipelineDesc::new(Arc::new(shader.program()), &layout);
    desc.view_instancing = ViewInstancing {
        views: vec![ViewLocation::default(); case.views],
        masking: case.masking,
    };
    devices()[case.threads]
        .create_pipeline(&desc)
        .expect("a good pipeline")
}

/// The buffers of the slots, and of the index buffer where it shares slot 0's: clones where they are shared.
fn buffers(case: &Case) -> (BTreeMap<u32, Buffer>, Option<Buffer>) {
    let first = case
        .slots
        .get(&0)
        .map(|binding| Buffer::new(&binding.bytes));
    let is_shared = |slot: u32| case.shared >> slot & 1 != 0;
    let of = |slot: u32, bytes: &[u8]| match &first {
        Some(first) if slot == 0 || is_shared(slot) => first.clone(),
        _ => Buffer::new(bytes),
    };
    let slots = case
        .slots
        .iter()
        .map(|(slot, b)| (*slot, of(*slot, &b.bytes)));
    let indices = case.indices.as_ref().map(|i| of(INDEX_BUFFER, &i.bytes));
    (slots.collect(), indices)
}

fn state(case: &Case) -> DrawState {
    let (buffers, index_buffer) = buffers(case);
    let mut state = DrawState::new(Topology::from_d3d(case.topology).expect("a topology"))
        .strip_cut(case.cut)
        .view_mask(case.mask);
    for (slot, binding) in &case.slots {
        let view = VertexBufferView {
            buffer: buffers[slot].clone(),
            offset: binding.offset,
            stride: binding.stride,
        };
        state = state.vertex_buffer(*slot, view);
    }
    if let Some((indices, buffer)) = case.indices.as_ref().zip(index_buffer) {
        state = state.index_buffer(IndexBufferView {
            buffer,
            format: if indices.wide {
                IndexFormat::R32Uint
            } else {
                IndexFormat::R16Uint
            },
            offset: indices.offset,
        });
    }
    state
}

fn call(arguments: &Arguments, form: Form) -> DrawCall {
    if let Form::Indirect(before) = form {
        return indirect(arguments, before);
    }
    let Arguments {
        count,
        instances: instance_count,
        start,
        base_vertex,
        start_instance,
        ..
    } = *arguments;
    match (form, arguments.indexed) {
        (Form::Plain, true) => DrawCall::DrawIndexed {
            index_count: count,
            start_index: start,
            base_vertex,
        },
        (Form::Plain, false) => DrawCall::Draw {
            vertex_count: count,
            start_vertex: start,
        },
        (_, true) => DrawCall::DrawIndexedInstanced {
            index_count: count,
            instance_count,
            start_index: start,
            base_vertex,
            start_instance,
        },
        (_, false) => DrawCall::DrawInstanced {
            vertex_count: count,
            instance_count,
            start_vertex: start,
            start_instance,
        },
    }
}

/// input-assembler.md section 3.1.
fn indirect(arguments: &Arguments, before: u32) -> DrawCall {
    let mut words = vec![0xABAB_ABAB; before as usize];
    words.extend([arguments.count, arguments.instances, arguments.start]);
    if arguments.indexed {
        words.push(arguments.base_vertex as u32);
    }
    words.push(arguments.start_instance);
    let (args, offset) = (Buffer::from_slice(&words), 4 * before);
    if arguments.indexed {
        DrawCall::DrawIndexedInstancedIndirect { args, offset }
    } else {
        DrawCall::DrawInstancedIndirect { args, offset }
    }
}

/// primitive-topology.md section 3.
fn cut_value(case: &Case) -> Option<u32> {
    let strip = matches!(case.topology, 3 | 5 | 11 | 13);
    let all_ones = if case.indices.as_ref()?.wide {
        u32::MAX
    } else {
        0xFFFF
    };
    match case.cut {
        StripCut::Off => None,
        StripCut::AllOnes => strip.then_some(all_ones),
        StripCut::Value(value) => strip.then_some(value),
        StripCut::ListsToo => Some(all_ones),
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let pipeline = pipeline(case);
    let state = state(case);
    let call = call(&case.arguments, case.form);
    prop_assert_eq!(pipeline.check(&state, &call).errors, []);
    let draw = |engine, storage| {
        let options = DrawOptions {
            engine,
            storage,
            ..DrawOptions::default()
        };
        pipeline
            .draw_with(&state, &call, &options)
            .expect("a good draw")
    };
    let reference = draw(Engine::Interpreter, RowStorage::Shared);
    let (ids, runs) = oracle::sequence(&case.arguments, case.indices.as_ref(), cut_value(case));
    let views: Vec<u32> = (0..case.views.max(1) as u32)
        .filter(|view| !case.masking || case.mask >> view & 1 != 0)
        .collect();
    let slot = |slot| case.slots.get(&slot).cloned();
    let rows = oracle::rows(&case.elements, slot, &case.arguments, &ids, &views);
    check_rows(case, &reference, &rows)?;
    check_primitives(case, &reference, &ids, &runs, &views)?;
    for storage in [RowStorage::Shared, RowStorage::Expanded] {
        prop_assert_eq!(compare(&draw(Engine::Jit, storage), &reference), None);
        for engine in [Engine::Jit, Engine::Interpreter] {
            let options = DrawOptions {
                engine,
                storage,
                ..DrawOptions::default()
            };
            check_buffers(case, &rows, |buffers| {
                match buffers {
                    Some(buffers) => pipeline.draw_into(&state, &call, &options, buffers),
                    None => pipeline.result_layout(&state, &call, &options),
                }
                .expect("a good draw")
            })?;
        }
    }
    Ok(())
}

/// What the caller's memory holds before a draw.
const UNTOUCHED: u32 = 0xEEEE_1234;

/// The same rows in memory of the caller's, `case.gaps` words between what is stored, which stay as they are.
fn check_buffers(
    case: &Case,
    rows: &[oracle::Row],
    draw: impl Fn(Option<&mut [OutputBuffer<'_>]>) -> ResultLayout,
) -> Result<(), TestCaseError> {
    let [before, inside, after] = case.gaps.map(|gap| 4 * gap as usize);
    let layout = draw(None);
    let extents = [
        layout.views().len(),
        layout.instances() as usize,
        layout.positions() as usize,
    ];
    // One row: a gap, element after element with a gap behind each, a gap.
    let count = case.elements.len();
    let vertex = before + count * (16 + inside) + after;
    let strides = if case.views_inside {
        // Views are the innermost axis.
        let vertex = vertex * extents[0];
        [vertex / extents[0].max(1), vertex * extents[2], vertex]
    } else {
        let instance = vertex * extents[2];
        [instance * extents[1], instance, vertex]
    };
    if strides[2] > 2048 {
        return Ok(());
    }
    let mut memory = vec![UNTOUCHED; vertex / 4 * layout.stored_rows()];
    let mut ids = vec![[UNTOUCHED; 2]; layout.stored_rows()];
    let mut buffer = OutputBuffer::new(&mut memory).strides(strides[0], strides[1], strides[2]);
    let offset = |i: usize| before + i * (16 + inside);
    for i in 0..count {
        buffer = buffer.element("E", i as u32, offset(i));
    }
    let ids_buffer = OutputBuffer::new(&mut ids)
        .element("VERTEX", 0, 0)
        .element("INSTANCE", 0, 4);
    let layout = draw(Some(&mut [buffer, ids_buffer]));
    prop_assert_eq!(layout.rows(), rows.len());
    let mut seen = vec![false; memory.len()];
    for (number, row) in rows.iter().enumerate() {
        let at = layout.coordinates(number).expect("a row");
        let first = at.view * strides[0] + at.instance * strides[1] + at.position * strides[2];
        for (i, want) in row.elements.iter().enumerate() {
            let word = (first + offset(i)) / 4;
            prop_assert_eq!(&memory[word..word + 4], want);
            seen[word..word + 4].fill(true);
        }
        let index = (at.view * extents[1] + at.instance) * extents[2] + at.position;
        prop_assert_eq!(ids[index], [row.vertex_id, row.instance]);
    }
    // Vertices that no index refers to may be shaded along; what lies between elements never is.
    let is_gap = |word: usize| {
        let byte = word * 4 % vertex.max(1);
        (0..count).all(|i| !(offset(i)..offset(i) + 16).contains(&byte))
    };
    for (word, value) in memory.iter().enumerate() {
        prop_assert!(seen[word] || !is_gap(word) || *value == UNTOUCHED);
    }
    Ok(())
}

fn check_rows(case: &Case, results: &Results, rows: &[oracle::Row]) -> Result<(), TestCaseError> {
    prop_assert_eq!(results.rows(), rows.len());
    if rows.is_empty() {
        return Ok(());
    }
    let one = |name: &str| -> Vec<u32> {
        let output = results.output(name, 0).expect("an output");
        output.rows::<u32>().expect("uint").collect()
    };
    let wanted = |f: fn(&oracle::Row) -> u32| rows.iter().map(f).collect::<Vec<u32>>();
    prop_assert_eq!(one("VERTEX"), wanted(|row| row.vertex_id));
    prop_assert_eq!(one("INSTANCE"), wanted(|row| row.instance));
    prop_assert_eq!(one("START_VERTEX"), wanted(|row| row.start_vertex));
    prop_assert_eq!(one("START_INSTANCE"), wanted(|row| row.start_instance));
    if case.reads_view {
        prop_assert_eq!(one("VIEW"), wanted(|row| row.view));
        prop_assert_eq!(
            one("ALL"),
            wanted(|row| row.vertex_id ^ row.instance ^ row.view)
        );
    }
    for i in 0..case.elements.len() {
        let output = results.output("E", i as u32).expect("an output");
        let got: Vec<[u32; 4]> = output.rows().expect("uint4").collect();
        let want: Vec<[u32; 4]> = rows.iter().map(|row| row.elements[i]).collect();
        prop_assert_eq!(got, want, "element {}", i);
    }
    Ok(())
}

fn check_primitives(
    case: &Case,
    results: &Results,
    ids: &[u32],
    runs: &[usize],
    views: &[u32],
) -> Result<(), TestCaseError> {
    let mut corners = Vec::new();
    let mut start = 0;
    for run in runs {
        for primitive in oracle::primitives(case.topology, *run) {
            corners.push(primitive.iter().map(|k| start + k).collect::<Vec<usize>>());
        }
        start += run;
    }
    let instances = case.arguments.instances;
    let mut wanted = Vec::new();
    for (v, view) in views.iter().enumerate() {
        for instance in 0..instances {
            let first = (v * instances as usize + instance as usize) * ids.len();
            for (id, corners) in corners.iter().enumerate() {
                let rows = corners.iter().map(|k| first + k).collect::<Vec<usize>>();
                wanted.push((*view, instance, id as u32, rows));
            }
        }
    }
    let got: Vec<_> = (results.primitives().iter())
        .map(|p| (p.view, p.instance, p.id, p.rows().collect::<Vec<usize>>()))
        .collect();
    prop_assert_eq!(got.len() as u64, results.primitives().len());
    prop_assert_eq!(got, wanted);
    let mut different = ids.to_vec();
    different.sort_unstable();
    different.dedup();
    let shaded_views = if case.reads_view {
        views.len()
    } else {
        views.len().min(1)
    };
    let statistics = Statistics {
        ia_vertices: ids.len() as u64 * u64::from(instances),
        ia_primitives: corners.len() as u64 * u64::from(instances),
        vs_invocations: different.len() as u64 * u64::from(instances) * shaded_views as u64,
    };
    prop_assert_eq!(results.statistics(), statistics);
    Ok(())
}

fn any_element() -> impl Strategy<Value = Element> {
    let rate = prop_oneof![3 => Just(false), 1 => Just(true)];
    let offset = prop_oneof![8 => 0..24u32, 1 => (1u32 << 28) - 20..(1 << 28) - 3];
    (0..FORMATS.len(), 0..3u32, offset, rate).prop_map(|(format, slot, offset, instance)| {
        let format = FORMATS[format];
        let alignment = oracle::size(format).min(4);
        Element {
            format,
            slot: if instance { 3 } else { slot },
            offset: offset * alignment,
            step_rate: instance.then_some(0),
        }
    })
}

fn any_place() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..24u32, 1 => (u32::MAX - 24)..=u32::MAX, 1 => any::<u32>()]
}

fn any_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

fn any_binding() -> impl Strategy<Value = Binding> {
    let offset = prop_oneof![6 => 0..20u32, 1 => any::<u32>()];
    let stride = prop_oneof![Just(0u32), 1..9u32, 4..64u32, Just(2048u32)];
    (any_bytes(900), offset, stride).prop_map(|(bytes, offset, stride)| Binding {
        bytes,
        offset,
        stride,
    })
}

fn any_indices() -> impl Strategy<Value = Indices> {
    let index = prop_oneof![12 => 0..30u32, 2 => Just(u32::MAX), 1 => any::<u32>()];
    let all = prop::collection::vec(index, 0..60);
    (all, any::<bool>(), 0..6u32, 0..4usize).prop_map(|(indices, wide, offset, extra)| {
        let word = |index: &u32| {
            if wide {
                index.to_le_bytes().to_vec()
            } else {
                index.to_le_bytes()[..2].to_vec()
            }
        };
        let mut bytes: Vec<u8> = indices.iter().flat_map(word).collect();
        bytes.resize(bytes.len() + extra, 3);
        Indices {
            bytes,
            offset,
            wide,
        }
    })
}

fn any_arguments() -> impl Strategy<Value = Arguments> {
    let count = prop_oneof![0..70u32, 0..9u32, 300..600u32];
    // Many instances make draws that are worth several threads.
    let instances = prop_oneof![8 => 0..5u32, 1 => 30..60u32];
    (
        any::<bool>(),
        count,
        instances,
        any_place(),
        any_place(),
        any_place(),
    )
        .prop_map(
            |(indexed, count, instances, start, base, start_instance)| Arguments {
                indexed,
                count,
                instances,
                start: if indexed { start % 40 } else { start },
                base_vertex: base as i32,
                start_instance,
            },
        )
}

fn any_topology() -> impl Strategy<Value = u32> {
    prop_oneof![1..6u32, 10..14u32, 33..65u32]
}

fn any_cut() -> impl Strategy<Value = StripCut> {
    prop_oneof![
        Just(StripCut::AllOnes),
        Just(StripCut::Off),
        Just(StripCut::ListsToo),
        Just(StripCut::Value(0xFFFF)),
        Just(StripCut::Value(u32::MAX)),
    ]
}

fn any_form() -> impl Strategy<Value = Form> {
    prop_oneof![
        3 => Just(Form::Instanced),
        1 => Just(Form::Plain),
        2 => (0..4u32).prop_map(Form::Indirect),
    ]
}

prop_compose! {
    fn any_case()(
        mut elements in prop::collection::vec(any_element(), 0..5),
        rate in 0..4u32,
        bindings in prop::collection::vec(any_binding(), 4),
        bound in prop_oneof![3 => Just(15u32), 1 => 0..16u32],
        indices in prop::option::weighted(0.8, any_indices()),
        mut arguments in any_arguments(),
        topology in any_topology(),
        cut in any_cut(),
        (views, masking, mask, reads_view) in (0..5usize, any::<bool>(), any::<u32>(), any::<bool>()),
        threads in 0..9usize,
        gaps in prop::array::uniform3(0..3u32),
        views_inside: bool,
        shared in prop_oneof![2 => Just(0), 1 => 0..32u32],
        form in any_form(),
    ) -> Case {
        for element in &mut elements {
            element.step_rate = element.step_rate.map(|_| rate);
        }
        if form == Form::Plain {
            arguments.instances = 1;
            arguments.start_instance = 0;
        }
        let bound = |slot: &u32| bound >> slot & 1 != 0;
        let mut slots: BTreeMap<u32, Binding> =
            (0..4).zip(bindings).filter(|(slot, _)| bound(slot)).collect();
        let mut indices = indices;
        if let Some(first) = slots.get(&0).map(|binding| binding.bytes.clone()) {
            for (slot, binding) in &mut slots {
                if shared >> slot & 1 != 0 {
                    binding.bytes.clone_from(&first);
                }
            }
            if let Some(indices) = indices.as_mut().filter(|_| shared >> INDEX_BUFFER & 1 != 0) {
                indices.bytes = first;
            }
        }
        Case {
            elements,
            slots,
            indices,
            arguments,
            topology,
            cut,
            views,
            masking,
            mask,
            reads_view,
            threads,
            gaps,
            views_inside,
            shared,
            form,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_give_what_the_specification_says(case in any_case()) {
        check(&case)?;
    }
}
