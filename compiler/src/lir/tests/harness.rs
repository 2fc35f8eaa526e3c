//! Compiles Kir text, runs it over a draw and compares every output component with the evaluator's.

use crate::abi::{BlockStrides, InstanceStream, KernelArgs, Span, Status};
use crate::compile::{Target, assemble, plan_with};
use crate::format::Format;
use crate::isa::{Features, Isa};
use crate::kernel::{DrawKind, FetchElement, Kernel, KernelKey, OutputBlock, Rate, RowLayout};
use crate::kir::eval::{Inputs, Nan, eval_staged};
use crate::kir::{Function, Source, parse};
use crate::lir::vectorise::Element;
use crate::passes;
use crate::stage::{Stage, Staged};
use fuseline_numerics::scalar::Denorm;
use std::sync::atomic::{AtomicI64, AtomicU32};

/// A draw, and how to compile for it.
#[derive(Clone)]
pub struct Case {
    pub staged: Staged,
    pub elements: Vec<Option<Element>>,
    /// Bytes of each vertex buffer slot.
    pub buffers: Vec<Vec<u8>>,
    pub constants: Vec<Vec<u8>>,
    pub outputs: Vec<u8>,
    pub vertices: u32,
    pub instances: u32,
    pub views: Vec<u32>,
    pub first_vertex_id: u32,
    pub start_instance: u32,
    /// Gathered: the vertex of each position.
    pub fetch: Option<Vec<u32>>,
    pub flush: bool,
    pub long_runs: bool,
    pub rows: RowLayout,
    pub features: Features,
    pub loop_limit: u32,
    pub budget: i64,
    pub cancelled: bool,
}

/// Everything in one stage that varies with the vertex.
pub fn vertex_stage(function: Function) -> Staged {
    let mut function = function;
    let region = std::mem::take(&mut function.body);
    let rates = vec![Rate::VERTEX; function.kinds.len()];
    Staged {
        function,
        stages: vec![Stage {
            rate: Rate::VERTEX,
            region,
        }],
        rates,
    }
}

impl Case {
    /// A case with everything in the vertex stage, seven vertices, and no buffers.
    pub fn new(text: &str, outputs: &[u8]) -> Case {
        let function = parse::parse(text).expect("Kir text");
        Case {
            staged: vertex_stage(function),
            elements: Vec::new(),
            buffers: Vec::new(),
            constants: Vec::new(),
            outputs: outputs.to_vec(),
            vertices: 7,
            instances: 1,
            views: vec![0],
            first_vertex_id: 0,
            start_instance: 0,
            fetch: None,
            flush: true,
            long_runs: false,
            rows: RowLayout::ByRate,
            features: Features::Native,
            loop_limit: 1 << 20,
            budget: 1 << 36,
            cancelled: false,
        }
    }

    /// With tightly packed elements of so many words each in slot 0, filled from `words`.
    pub fn with_words(mut self, elements: &[u32], words: &[u32]) -> Case {
        let stride = elements.iter().sum::<u32>() * 4;
        let mut offset = 0;
        self.elements = elements
            .iter()
            .map(|&n| {
                offset += 4 * n;
                Some(Element {
                    slot: 0,
                    offset: offset - 4 * n,
                    stride,
                    bytes: 4 * n,
                    step_rate: None,
                    own_stream: false,
                })
            })
            .collect();
        self.buffers = vec![words.iter().flat_map(|w| w.to_le_bytes()).collect()];
        self.vertices = (words.len() as u32 * 4) / stride;
        self
    }

    /// Sorts the instructions into stages, as the compiler's passes do.
    pub fn sort_into_stages(&mut self) {
        let format = Format::from_name("R32_UINT").expect("a format");
        let element = |e: &Option<Element>| FetchElement {
            input: 0,
            format,
            slot: e.map(|e| e.slot),
            offset: 0,
            stride: 0,
            step_rate: e.and_then(|e| e.step_rate),
            own_stream: false,
        };
        let key = KernelKey {
            elements: self.elements.iter().map(element).collect(),
            draw: DrawKind::Sequential,
            flush: self.flush,
            long_runs: self.long_runs,
            rows: self.rows.clone(),
            count_loops: false,
        };
        let mut function = self.staged.function.clone();
        function.body.insts = self
            .staged
            .stages
            .iter()
            .flat_map(|s| s.region.insts.iter().copied())
            .collect();
        let rates = passes::rates::rates(&function, &key);
        passes::hoist::hoist(&mut function, &rates);
        passes::canon::insert(&mut function);
        let rates = passes::rates::rates(&function, &key);
        self.staged = passes::split::split(function, rates);
    }

    fn target<'a>(&'a self, isa: &'a Isa) -> Target<'a> {
        Target {
            isa,
            elements: &self.elements,
            outputs: &self.outputs,
            gathered: self.fetch.is_some(),
            flush: self.flush,
            long_runs: self.long_runs,
            rows: &self.rows,
        }
    }

    /// The kernel.
    pub fn compile(&self) -> Kernel {
        let isa = Isa::with_features(self.features).expect("host");
        let target = self.target(&isa);
        let chains = if self.long_runs { 2 } else { 1 };
        let planned = plan_with(&self.staged, &target, chains);
        if std::env::var_os("FUSELINE_PRINT").is_some() {
            eprintln!("{}", crate::lir::print::print(&planned.function));
        }
        assemble(planned, &target).expect("code")
    }

    /// Runs the kernel: how it ended, and the blocks.
    pub fn run(&self, kernel: &Kernel) -> (Status, Vec<Vec<u8>>) {
        const GUARD: usize = 64;
        let info = kernel.info();
        // Buffers with room for what wide loads read too much.
        let padded: Vec<Vec<u8>> = self
            .buffers
            .iter()
            .map(|b| [vec![0xA5; GUARD], b.clone(), vec![0xA5; GUARD]].concat())
            .collect();
        let streams: Vec<*const u8> = info
            .vertex_streams
            .iter()
            .map(|s| padded[s.slot as usize][GUARD..].as_ptr())
            .collect();
        let instance_streams: Vec<InstanceStream> = info
            .instance_streams
            .iter()
            .map(|s| InstanceStream {
                base: self.buffers[s.slot as usize].as_ptr(),
                offset: 0,
                end: self.buffers[s.slot as usize].len() as u32,
            })
            .collect();
        let constants: Vec<Span> = self
            .constants
            .iter()
            .map(|c| Span {
                base: c.as_ptr(),
                size: c.len() as u64,
            })
            .collect();
        let mut blocks: Vec<Vec<u8>> = info
            .outputs
            .blocks
            .iter()
            .map(|b| vec![0xEE; self.rows(b) * b.stride as usize + GUARD])
            .collect();
        let outputs: Vec<*mut u8> = blocks.iter_mut().map(|b| b.as_mut_ptr()).collect();
        let strides: Vec<BlockStrides> = info
            .outputs
            .blocks
            .iter()
            .map(|b| self.strides(b))
            .collect();
        let fetch = self.fetch.clone().unwrap_or_default();
        let ids: Vec<u32> = fetch.iter().map(|v| v.wrapping_add(1000)).collect();
        let mut scratch = vec![0u128; info.scratch_bytes.div_ceil(16) + 1];
        let budget = AtomicI64::new(self.budget);
        let cancel = AtomicU32::new(u32::from(self.cancelled));
        let mut views = [0; 4];
        views[..self.views.len()].copy_from_slice(&self.views);
        let mut args = KernelArgs {
            vertex_streams: streams.as_ptr(),
            instance_streams: instance_streams.as_ptr(),
            constants: constants.as_ptr(),
            outputs: outputs.as_ptr(),
            output_strides: strides.as_ptr(),
            ids: ids.as_ptr(),
            fetch: fetch.as_ptr(),
            ahead: std::ptr::null(),
            scratch: scratch.as_mut_ptr().cast(),
            first_vertex_id: self.first_vertex_id,
            vertex_begin: 0,
            vertex_end: self.vertices,
            instance_begin: 0,
            instance_end: self.instances,
            start_instance: self.start_instance,
            start_vertex: 17,
            view_count: self.views.len() as u32,
            views,
            store_vertex_rate: 1,
            loop_limit: self.loop_limit,
            budget: &budget,
            cancel: &cancel,
        };
        // SAFETY: all pointers are to memory that is alive and large enough, as the kernel's description asks.
        let status = unsafe { kernel.run(&mut args) };
        for (block, info) in blocks.iter_mut().zip(&info.outputs.blocks) {
            let end = self.rows(info) * info.stride as usize;
            assert!(
                block[end..].iter().all(|&b| b == 0xEE),
                "stored behind the last row"
            );
            block.truncate(end);
        }
        (status, blocks)
    }

    fn strides(&self, block: &OutputBlock) -> BlockStrides {
        let factor = |varies, n: u32| if varies { u64::from(n) } else { 1 };
        let instance = u64::from(block.stride) * factor(block.rate.vertex, self.vertices);
        BlockStrides {
            view: instance * factor(block.rate.instance, self.instances),
            instance,
        }
    }

    fn rows(&self, block: &OutputBlock) -> usize {
        let factor = |varies, n: usize| if varies { n } else { 1 };
        factor(block.rate.view, self.views.len())
            * factor(block.rate.instance, self.instances as usize)
            * factor(block.rate.vertex, self.vertices as usize)
    }

    /// What the evaluator reads.
    fn read(&self, source: Source, view: u32, instance: u32, position: u32) -> u32 {
        let vertex = self
            .fetch
            .as_ref()
            .map_or(position, |f| f[position as usize]);
        match source {
            Source::Word {
                element,
                byte,
                width,
            } => {
                let Some(e) = self.elements[element as usize] else {
                    return 0;
                };
                let index = match e.step_rate {
                    None => vertex,
                    Some(0) => self.start_instance,
                    Some(n) => self.start_instance + instance / n,
                };
                let buffer = &self.buffers[e.slot as usize];
                let begin = (index * e.stride + e.offset) as usize;
                if begin + e.bytes as usize > buffer.len() {
                    return 0;
                }
                let mut word = [0; 4];
                let begin = begin + usize::from(byte);
                word[..usize::from(width)].copy_from_slice(&buffer[begin..][..usize::from(width)]);
                u32::from_le_bytes(word)
            }
            Source::VertexId if self.fetch.is_some() => vertex.wrapping_add(1000),
            Source::VertexId => self.first_vertex_id.wrapping_add(position),
            Source::InstanceId => instance,
            Source::ViewId => view,
            Source::StartVertex => 17,
            Source::StartInstance => self.start_instance,
            Source::Input { .. } => 0,
        }
    }

    /// Compiles, runs, and compares everything.
    pub fn check(&self) {
        let kernel = self.compile();
        let (status, blocks) = self.run(&kernel);
        let mut ended = false;
        let denorm = if self.flush {
            Denorm::Flush
        } else {
            Denorm::Preserve
        };
        for (v, &view) in self.views.iter().enumerate() {
            for instance in 0..self.instances {
                for position in 0..self.vertices {
                    let read = |s| self.read(s, view, instance, position);
                    let inputs = Inputs {
                        read: &read,
                        constants: &self.constants,
                        denorm,
                        loop_limit: self.loop_limit,
                        nan: Nan::Canonical,
                    };
                    let Some(expected) = eval_staged(&self.staged, &inputs) else {
                        ended = true;
                        continue;
                    };
                    if status == Status::LoopLimit {
                        continue;
                    }
                    assert_eq!(status, Status::Done);
                    for ((element, component), want) in expected {
                        let place =
                            kernel.info().outputs.places[element as usize][usize::from(component)];
                        let block = &kernel.info().outputs.blocks[place.block as usize];
                        let row = self.row_of(block, v, instance, position);
                        let at = row * block.stride as usize + place.offset as usize;
                        let bytes = &blocks[place.block as usize][at..at + 4];
                        let got = u32::from_le_bytes(bytes.try_into().expect("four"));
                        assert_eq!(
                            got, want,
                            "output {element}.{component}, view {view}, instance {instance}, \
                             vertex {position}: got {got:#x}, want {want:#x}"
                        );
                    }
                }
            }
        }
        assert_eq!(ended, status == Status::LoopLimit);
    }

    fn row_of(&self, block: &OutputBlock, view: usize, instance: u32, position: u32) -> usize {
        let mut row = 0;
        if block.rate.view {
            row = view;
        }
        if block.rate.instance {
            row = row * self.instances as usize + instance as usize;
        }
        if block.rate.vertex {
            row = row * self.vertices as usize + position as usize;
        }
        row
    }
}
