//! The driver against a kernel written in Rust that keeps to `abi.rs` and copies what it fetches, and an oracle that
//! fetches by the rules of input-assembler.md.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all that the kernel in this file does relies on the one promise of abi.rs"
)]

use super::*;
use crate::buffer::{Buffer, IndexBufferView};
use crate::device::DeviceOptions;
use crate::limits::CancelToken;
use crate::plan::Sharing;
use crate::state::DrawCall;
use blocks::Pooled;
use fuseline_compiler::format::Format;
use fuseline_compiler::kernel::{
    InstanceStreamInfo, OutputBlock, OutputMap, OutputPlace, Rate, StreamInfo,
};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stores, by rate: {vertex} the id and every byte of the vertex elements; {instance} the element of the first
/// per-instance stream; {instance, vertex} id and instance mixed; {view, vertex} id and view mixed; {} StartVertex.
struct Copier {
    info: KernelInfo,
    elements: Arc<[FetchElement]>,
    gathered: bool,
    shaded: Arc<AtomicU64>,
}

const MIX: u32 = 0x0101_0101;

fn words(elements: &[FetchElement]) -> u32 {
    (elements.iter().filter(|e| e.step_rate.is_none()))
        .map(|e| e.format.bytes() / 4)
        .sum()
}

impl Copier {
    fn new(
        elements: Arc<[FetchElement]>,
        draw: DrawKind,
        group: u32,
        shaded: Arc<AtomicU64>,
    ) -> Copier {
        let mut vertex_streams: Vec<StreamInfo> = Vec::new();
        for (e, i) in elements
            .iter()
            .zip(0..)
            .filter(|(e, _)| e.step_rate.is_none())
        {
            let (begin, end) = (e.offset, e.offset + e.format.bytes() + 12);
            let shared = (vertex_streams.iter_mut())
                .find(|s| Some(s.slot) == e.slot && s.element.is_none() && !e.own_stream);
            match (shared, e.slot) {
                (Some(stream), _) => {
                    stream.read_begin = stream.read_begin.min(begin);
                    stream.read_end = stream.read_end.max(end);
                }
                (None, Some(slot)) => vertex_streams.push(StreamInfo {
                    slot,
                    element: e.own_stream.then_some(i),
                    stride: e.stride,
                    read_begin: begin,
                    read_end: end,
                }),
                _ => {}
            }
        }
        let instance_streams = (elements.iter().filter(|e| e.step_rate.is_some()))
            .filter_map(|e| e.slot.map(|slot| InstanceStreamInfo { slot }))
            .collect();
        let block = |view, instance, vertex, words: u32| OutputBlock {
            rate: Rate::new(view, instance, vertex),
            stride: 4 * words,
        };
        let blocks = vec![
            block(false, false, true, 1 + words(&elements)),
            block(false, true, false, 4),
            block(false, true, true, 1),
            block(true, false, true, 1),
            block(false, false, false, 1),
        ];
        let words = |(block, of): (u32, &OutputBlock)| {
            (0..of.stride / 4)
                .map(|word| OutputPlace {
                    block,
                    offset: 4 * word,
                })
                .collect()
        };
        let places = (0..).zip(&blocks).map(words).collect();
        Copier {
            info: KernelInfo {
                vertex_streams,
                instance_streams,
                outputs: OutputMap { blocks, places },
                scratch_bytes: 128,
                min_vertices: group,
                reads_view: true,
                per_instance: true,
                code_bytes: 0,
            },
            elements,
            gathered: draw == DrawKind::Gathered,
            shaded,
        }
    }

    /// Every byte that the kernel may read of a vertex, then the elements' bytes.
    unsafe fn fetch(&self, args: &KernelArgs, vertex: u32) -> Vec<u32> {
        let mut out = Vec::new();
        for e in self.elements.iter().filter(|e| e.step_rate.is_none()) {
            let Some(slot) = e.slot else {
                out.resize(out.len() + e.format.bytes() as usize / 4, 0);
                continue;
            };
            let index = self
                .elements
                .iter()
                .position(|o| std::ptr::eq(o, e))
                .map(|i| i as u32);
            let (s, stream) = (self.info.vertex_streams.iter().enumerate())
                .find(|(_, s)| s.slot == slot && s.element == e.own_stream.then_some(()).and(index))
                .expect("a stream");
            unsafe {
                let base = (*args.vertex_streams.add(s))
                    .wrapping_add(vertex as usize * stream.stride as usize);
                for byte in stream.read_begin..stream.read_end {
                    base.wrapping_add(byte as usize).read_volatile();
                }
                let element = base.wrapping_add(e.offset as usize).cast::<u32>();
                for word in 0..e.format.bytes() as usize / 4 {
                    out.push(element.wrapping_add(word).read_unaligned());
                }
            }
        }
        out
    }

    unsafe fn instance(&self, args: &KernelArgs, instance: u32) -> [u32; 4] {
        let mut out = [0; 4];
        let Some(e) = self
            .elements
            .iter()
            .find(|e| e.step_rate.is_some() && e.slot.is_some())
        else {
            return out;
        };
        let stream = unsafe { *args.instance_streams };
        let step = instance.checked_div(e.step_rate.unwrap_or(0)).unwrap_or(0);
        let address = (stream.offset)
            .wrapping_add(
                e.stride
                    .wrapping_mul(args.start_instance.wrapping_add(step)),
            )
            .wrapping_add(e.offset);
        let end = u64::from(address) + u64::from(e.format.bytes());
        if address >= stream.offset && end <= u64::from(stream.end) {
            for (i, word) in out
                .iter_mut()
                .enumerate()
                .take(e.format.bytes() as usize / 4)
            {
                let at = unsafe { stream.base.add(address as usize) }.cast::<u32>();
                *word = unsafe { at.add(i).read_unaligned() };
            }
        }
        out
    }
}

impl Native for Copier {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    unsafe fn run(&self, args: &mut KernelArgs) -> Status {
        assert!(args.vertex_end - args.vertex_begin >= self.info.min_vertices);
        let store = |block: usize, [view, instance, position]: [u32; 3], values: &[u32]| unsafe {
            let strides = *args.output_strides.add(block);
            let row = u64::from(view) * strides.view
                + u64::from(instance) * strides.instance
                + u64::from(position) * u64::from(self.info.outputs.blocks[block].stride);
            let to = (*args.outputs.add(block))
                .wrapping_add(row as usize)
                .cast::<u32>();
            for (i, value) in values.iter().enumerate() {
                to.wrapping_add(i).write(*value);
            }
        };
        unsafe { args.scratch.write_bytes(7, self.info.scratch_bytes) };
        for instance in args.instance_begin..args.instance_end {
            store(1, [0, instance, 0], &unsafe {
                self.instance(args, instance)
            });
            for position in args.vertex_begin..args.vertex_end {
                let at = position as usize;
                let (id, vertex) = if self.gathered {
                    unsafe { (*args.ids.wrapping_add(at), *args.fetch.wrapping_add(at)) }
                } else {
                    (args.first_vertex_id.wrapping_add(position), position)
                };
                store(
                    2,
                    [0, instance, position],
                    &[id ^ instance.wrapping_mul(MIX)],
                );
                if args.store_vertex_rate != 0 && instance == args.instance_begin {
                    let mut values = vec![id];
                    values.extend(unsafe { self.fetch(args, vertex) });
                    store(0, [0, 0, position], &values);
                    for view in 0..args.view_count {
                        let mixed = id ^ args.views[view as usize].wrapping_mul(MIX);
                        store(3, [view, 0, position], &[mixed]);
                    }
                    store(4, [0; 3], &[args.start_vertex]);
                }
                self.shaded.fetch_add(1, Ordering::Relaxed);
            }
        }
        Status::Done
    }
}

struct Copiers {
    elements: Vec<FetchElement>,
    shaded: Arc<AtomicU64>,
    group: u32,
}

impl Kernels for Copiers {
    fn get(&self, draw: DrawKind, long_runs: bool, apart: bool) -> Result<Loaded, DrawError> {
        let mut elements = self.elements.clone();
        if apart {
            separate(&mut elements);
        }
        let elements: Arc<[FetchElement]> = elements.into();
        let group = if long_runs {
            self.group
        } else {
            self.group.min(4)
        };
        let copier = Copier::new(elements.clone(), draw, group, self.shaded.clone());
        Ok(Loaded {
            kernel: Arc::new(copier),
            elements,
        })
    }
}

/// A draw as the test makes it up.
#[derive(Clone, Debug)]
struct Case {
    elements: Vec<FetchElement>,
    slots: BTreeMap<u32, VertexBufferView>,
    call: DrawCall,
    indices: Option<IndexBufferView>,
    views: Vec<u32>,
    threads: usize,
    sharing: Sharing,
    group: u32,
}

/// `words`: 0 to 3 for one to four words.
fn element(slot: Option<u32>, words: u8, offset: u32, step_rate: Option<u32>) -> FetchElement {
    let names = [
        "R32_UINT",
        "R32G32_UINT",
        "R32G32B32_UINT",
        "R32G32B32A32_UINT",
    ];
    FetchElement {
        input: 0,
        format: Format::from_name(names[usize::from(words)]).expect("a format"),
        slot,
        offset,
        stride: 0,
        step_rate,
        own_stream: false,
    }
}

/// The words of an element by the rules: input-assembler.md sections 3 and 4.1.
fn oracle(case: &Case, e: &FetchElement, number: u32) -> Vec<u32> {
    let zero = vec![0; e.format.bytes() as usize / 4];
    let Some(view) = e.slot.and_then(|slot| case.slots.get(&slot)) else {
        return zero;
    };
    let address = view
        .offset
        .wrapping_add(view.stride.wrapping_mul(number))
        .wrapping_add(e.offset);
    let bytes = view.buffer.as_bytes();
    let end = u64::from(address) + u64::from(e.format.bytes());
    if address < view.offset || end > bytes.len() as u64 {
        return zero;
    }
    (bytes[address as usize..end as usize].chunks(4))
        .map(|b| u32::from_ne_bytes(b.try_into().expect("four")))
        .collect()
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let arguments = Arguments::of(&case.call).expect("a good call");
    let plan = Plan::new(&arguments, case.indices.as_ref(), None, case.sharing).expect("small");
    let shape = Shape {
        views: case.views.clone(),
        instances: arguments.instances,
        positions: plan.positions,
    };
    let threads = match case.threads {
        0 => Threads::None,
        n => Threads::Pool(Arc::new(
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .expect("threads"),
        )),
    };
    let mut elements = case.elements.clone();
    for e in &mut elements {
        let view = e.slot.and_then(|slot| case.slots.get(&slot));
        e.stride = view.map_or(0, |view| view.stride);
    }
    let kernels = Copiers {
        elements: elements.clone(),
        shaded: Arc::new(AtomicU64::new(0)),
        group: case.group,
    };
    let job = Job {
        call: case.call.name(),
        plan: &plan,
        arguments: &arguments,
        slots: &case.slots,
        constants: &[],
        shape: &shape,
        limits: &Limits::new(&DeviceOptions::default(), &CancelToken::new()),
        threads: &threads,
        pool: &Arc::new(Pool::new(1 << 20)),
    };
    let mut results = Pooled::default();
    shade(&job, &kernels, &mut results).expect("done");
    let Pooled { map, memory } = results;
    if plan.positions == 0 || shape.instances == 0 {
        return Ok(());
    }
    let word = |block: usize, [v, i, p]: [usize; 3], k: usize| {
        let info = &map.blocks[block];
        let strides = shape
            .strides(info.rate, info.stride as usize)
            .expect("small");
        memory[block].words()[(v * strides[0] + i * strides[1] + p * strides[2]) / 4 + k]
    };
    for place in 0..plan.sequence.len {
        let position = plan.sequence.position(place).expect("a place");
        let (id, vertex) = plan.vertex(position);
        let at = position as usize;
        prop_assert_eq!(word(0, [0, 0, at], 0), id);
        let fetched = (elements.iter().filter(|e| e.step_rate.is_none()))
            .flat_map(|e| oracle(case, e, vertex));
        for (k, want) in fetched.enumerate() {
            prop_assert_eq!(
                word(0, [0, 0, at], 1 + k),
                want,
                "vertex {} word {}",
                vertex,
                k
            );
        }
        for i in 0..shape.instances {
            prop_assert_eq!(word(2, [0, i as usize, at], 0), id ^ i.wrapping_mul(MIX));
        }
        for (v, view) in shape.views.iter().enumerate() {
            prop_assert_eq!(word(3, [v, 0, at], 0), id ^ view.wrapping_mul(MIX));
        }
    }
    if let Some(e) = elements
        .iter()
        .find(|e| e.step_rate.is_some() && e.slot.is_some())
    {
        for i in 0..shape.instances {
            let step = i.checked_div(e.step_rate.unwrap_or(0)).unwrap_or(0);
            let want = oracle(case, e, arguments.start_instance.wrapping_add(step));
            for (k, want) in want.into_iter().enumerate() {
                prop_assert_eq!(word(1, [0, i as usize, 0], k), want);
            }
        }
    }
    prop_assert_eq!(word(4, [0; 3], 0), arguments.start_vertex_location());
    Ok(())
}

fn bytes(len: usize) -> Buffer {
    let all: Vec<u8> = (0..len).map(|i| (i * 7 % 255 + 1) as u8).collect();
    Buffer::new(&all)
}

fn any_start() -> impl Strategy<Value = u32> {
    prop_oneof![0..30u32, (u32::MAX - 30)..=u32::MAX, any::<u32>()]
}

fn any_view() -> impl Strategy<Value = VertexBufferView> {
    let offset = prop_oneof![0..40u32, any::<u32>()];
    let stride = prop_oneof![Just(0u32), Just(4), 1..40u32, Just(2048)];
    (0..600usize, offset, stride).prop_map(|(len, offset, stride)| VertexBufferView {
        buffer: bytes(len),
        offset,
        stride,
    })
}

fn any_element() -> impl Strategy<Value = FetchElement> {
    let step_rate = prop_oneof![3 => Just(None), 1 => (0..4u32).prop_map(Some)];
    (
        0..3u32,
        0..4u8,
        prop_oneof![4 => 0..40u32, 1 => any::<u32>()],
        step_rate,
    )
        .prop_map(|(slot, format, offset, step_rate)| {
            let slot = if step_rate.is_some() { 3 } else { slot };
            element(Some(slot), format, offset.min(u32::MAX - 64), step_rate)
        })
}

fn any_call() -> impl Strategy<Value = DrawCall> {
    let draw = (0..300u32, 1..6u32, any_start(), any_start()).prop_map(
        |(vertex_count, instance_count, start_vertex, start_instance)| DrawCall::DrawInstanced {
            vertex_count,
            instance_count,
            start_vertex,
            start_instance,
        },
    );
    let indexed = (0..80u32, 1..6u32, 0..8u32, any_start(), any_start()).prop_map(
        |(index_count, instance_count, start_index, base, start_instance)| {
            DrawCall::DrawIndexedInstanced {
                index_count,
                instance_count,
                start_index,
                base_vertex: base as i32,
                start_instance,
            }
        },
    );
    prop_oneof![draw, indexed]
}

fn any_indices() -> impl Strategy<Value = Option<IndexBufferView>> {
    let index = prop_oneof![8 => 0..40u32, 1 => any::<u32>()];
    prop::option::of(
        prop::collection::vec(index, 0..70).prop_map(|all| IndexBufferView::from_u32(&all)),
    )
}

prop_compose! {
    fn any_case()(
        elements in prop::collection::vec(any_element(), 0..5),
        views in prop::collection::vec(any_view(), 4),
        bound in 0..16u32,
        call in any_call(),
        indices in any_indices(),
        masks in 1..16u32,
        threads in 0..4usize,
        sharing in prop_oneof![Just(Sharing::Ranges), Just(Sharing::Exact), Just(Sharing::None)],
        group in prop_oneof![Just(1u32), Just(4), Just(8)],
    ) -> Case {
        let slots: BTreeMap<u32, VertexBufferView> =
            (0..4).zip(views).filter(|(slot, _)| bound >> slot & 1 != 0).collect();
        let mut elements = elements;
        for e in &mut elements {
            e.slot = e.slot.filter(|slot| slots.contains_key(slot));
        }
        Case {
            elements,
            slots,
            call,
            indices,
            views: (0..4).filter(|v| masks >> v & 1 != 0).collect(),
            threads,
            sharing,
            group,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_draw_every_row_is_what_the_rules_say(case in any_case()) {
        check(&case)?;
    }
}

fn one_slot(view: VertexBufferView, call: DrawCall) -> Case {
    Case {
        elements: vec![element(Some(0), 3, 0, None)],
        slots: BTreeMap::from([(0, view)]),
        call,
        indices: None,
        views: vec![0],
        threads: 0,
        sharing: Sharing::Ranges,
        group: 8,
    }
}

#[test]
fn a_draw_past_the_end_of_its_buffer_reads_zeros_there() {
    let view = VertexBufferView::new(&bytes(16 * 50 + 8), 16);
    check(&one_slot(view, DrawCall::draw(100))).expect("zeros");
}

#[test]
fn elements_that_overlap_are_told_apart_at_the_end() {
    // The first element of the last vertex is inside, the second, which overlaps it, is not.
    let mut case = one_slot(
        VertexBufferView::new(&bytes(16 * 20), 16),
        DrawCall::draw(20),
    );
    case.elements = vec![element(Some(0), 3, 0, None), element(Some(0), 3, 4, None)];
    check(&case).expect("told apart");
}

#[test]
fn vertices_that_overlap_are_told_apart_at_the_end() {
    let view = VertexBufferView::new(&bytes(60), 4);
    check(&one_slot(view, DrawCall::draw(30))).expect("told apart");
}

#[test]
fn a_draw_of_less_than_a_group_is_filled_up_in_memory_of_its_own() {
    for count in 0..10 {
        let view = VertexBufferView::new(&bytes(16 * 10), 16);
        check(&one_slot(view, DrawCall::instanced(count, 3000))).expect("filled up");
    }
}

#[test]
fn a_cancelled_draw_is_an_error() {
    let plan = Plan::new(
        &Arguments::of(&DrawCall::draw(9)).expect("a good call"),
        None,
        None,
        Sharing::Exact,
    )
    .expect("small");
    let shape = Shape {
        views: vec![0],
        instances: 1,
        positions: 9,
    };
    let cancel = CancelToken::new();
    cancel.cancel();
    let job = Job {
        call: "Draw",
        plan: &plan,
        arguments: &Arguments::default(),
        slots: &BTreeMap::new(),
        constants: &[],
        shape: &shape,
        limits: &Limits::new(&DeviceOptions::default(), &cancel),
        threads: &Threads::None,
        pool: &Arc::new(Pool::new(0)),
    };
    let kernels = Copiers {
        elements: Vec::new(),
        shaded: Arc::default(),
        group: 4,
    };
    let mut results = Pooled::default();
    assert_eq!(
        shade(&job, &kernels, &mut results),
        Err(DrawError::Cancelled)
    );
}
