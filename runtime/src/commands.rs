//! Command lists and bundles: state and draws recorded now, carried out later, with Direct3D 12's rules of
//! inheritance.
//!
//! A command list begins with nothing set. A bundle inherits its caller's buffers and constants, but neither pipeline
//! nor topology nor view mask: those begin unset, undefined and 0. Whatever a bundle sets stays set in its caller.

use crate::buffer::{Buffer, IndexBufferView, VertexBufferView};
use crate::constants::ConstantBuffer;
use crate::draw::DrawOptions;
use crate::error::DrawError;
use crate::pipeline::Pipeline;
use crate::query::{PipelineStatistics, QueryHeap};
use crate::results::Results;
use crate::state::{DrawCall, DrawState, Register};
use crate::topology::{StripCut, Topology};
use std::sync::Arc;

/// Why a command was not recorded or carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// Recording after `close`.
    #[error("{call}: the list is closed; reset it before recording")]
    Closed {
        /// The call.
        call: &'static str,
    },
    /// `reset` or execution before `close`.
    #[error("{call}: the list is still recording; close it first")]
    Recording {
        /// The call.
        call: &'static str,
    },
    /// Executing a bundle before it is closed.
    #[error("{call}: the bundle is still recording; close it first")]
    BundleRecording {
        /// The call.
        call: &'static str,
    },
    /// A query that the heap does not have.
    #[error("{call}: query {index} is past the end of a heap of {count}")]
    NoSuchQuery {
        /// The call.
        call: &'static str,
        /// The query.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// A query begun again before it ended.
    #[error("BeginQuery: query {0} has begun already; end it first")]
    QueryBegun(u32),
    /// A query ended that has not begun.
    #[error("EndQuery: query {0} has not begun")]
    QueryNotBegun(u32),
    /// A query that would never end.
    #[error("Close: query {0} has begun, but not ended")]
    QueryNotEnded(u32),
    /// A draw with no pipeline set.
    #[error("command {command}, {call}: no pipeline is set{}", if *.in_bundle { " (bundles inherit none)" } else { "" })]
    NoPipeline {
        /// Number of the command, from 0; a bundle counts as one.
        command: usize,
        /// The call.
        call: &'static str,
        /// It stands in a bundle.
        in_bundle: bool,
    },
    /// A draw was refused or stopped.
    #[error("command {command}: {error}")]
    Draw {
        /// Number of the command, from 0; a bundle counts as one.
        command: usize,
        /// Why.
        error: DrawError,
    },
}

#[derive(Clone, Debug)]
enum Command {
    Pipeline(Pipeline),
    Topology(Topology),
    VertexBuffer(u32, Option<VertexBufferView>),
    IndexBuffer(Option<IndexBufferView>),
    Constants(Register, Option<Buffer>),
    ViewMask(u32),
    StripCut(StripCut),
    Draw(DrawCall),
    Bundle(Arc<[Command]>),
    BeginQuery(QueryHeap, u32),
    EndQuery(QueryHeap, u32),
}

/// What both kinds of list record.
#[derive(Clone, Debug, Default)]
struct Recorder {
    commands: Vec<Command>,
    closed: bool,
    /// Queries that have begun and not ended, in the order in which they began.
    open: Vec<(QueryHeap, u32)>,
}

impl Recorder {
    fn push(&mut self, call: &'static str, command: Command) -> Result<(), CommandError> {
        if self.closed {
            return Err(CommandError::Closed { call });
        }
        self.commands.push(command);
        Ok(())
    }

    fn close(&mut self) -> Result<(), CommandError> {
        if self.closed {
            return Err(CommandError::Closed { call: "Close" });
        }
        if let Some((_, index)) = self.open.first() {
            return Err(CommandError::QueryNotEnded(*index));
        }
        self.closed = true;
        Ok(())
    }
}

macro_rules! recording {
    ($list:ident) => {
        impl $list {
            /// `SetPipelineState`.
            ///
            /// # Errors
            /// When the list is closed, as with every command.
            pub fn set_pipeline_state(&mut self, pipeline: &Pipeline) -> Result<(), CommandError> {
                self.0
                    .push("SetPipelineState", Command::Pipeline(pipeline.clone()))
            }

            /// `IASetPrimitiveTopology`.
            pub fn ia_set_primitive_topology(
                &mut self,
                topology: Topology,
            ) -> Result<(), CommandError> {
                self.0
                    .push("IASetPrimitiveTopology", Command::Topology(topology))
            }

            /// `IASetVertexBuffers` for one slot; None unbinds it.
            pub fn ia_set_vertex_buffer(
                &mut self,
                slot: u32,
                view: Option<VertexBufferView>,
            ) -> Result<(), CommandError> {
                self.0
                    .push("IASetVertexBuffers", Command::VertexBuffer(slot, view))
            }

            /// `IASetIndexBuffer`; None unbinds it.
            pub fn ia_set_index_buffer(
                &mut self,
                view: Option<IndexBufferView>,
            ) -> Result<(), CommandError> {
                self.0.push("IASetIndexBuffer", Command::IndexBuffer(view))
            }

            /// `IASetIndexBufferStripCutValue`: until the next pipeline is set.
            pub fn ia_set_index_buffer_strip_cut_value(
                &mut self,
                cut: StripCut,
            ) -> Result<(), CommandError> {
                self.0
                    .push("IASetIndexBufferStripCutValue", Command::StripCut(cut))
            }

            /// Binds the bytes of a constant buffer (`SetGraphicsRootConstantBufferView`); None unbinds it.
            pub fn set_constant_buffer(
                &mut self,
                register: Register,
                bytes: Option<&Buffer>,
            ) -> Result<(), CommandError> {
                let command = Command::Constants(register, bytes.cloned());
                self.0.push("SetGraphicsRootConstantBufferView", command)
            }

            /// Binds constants, as they are now, where their shader expects them.
            pub fn set_constants(
                &mut self,
                constants: &ConstantBuffer,
            ) -> Result<(), CommandError> {
                self.set_constant_buffer(Register::of(constants.desc()), Some(constants.buffer()))
            }

            /// `SetViewInstanceMask`.
            pub fn set_view_instance_mask(&mut self, mask: u32) -> Result<(), CommandError> {
                self.0.push("SetViewInstanceMask", Command::ViewMask(mask))
            }

            /// A draw of any kind. Its arguments are checked when it is carried out.
            pub fn draw(&mut self, call: DrawCall) -> Result<(), CommandError> {
                self.0.push(call.name(), Command::Draw(call))
            }

            /// `Close`: nothing can be recorded after it.
            pub fn close(&mut self) -> Result<(), CommandError> {
                self.0.close()
            }
        }
    };
}

/// A direct command list.
#[derive(Clone, Debug, Default)]
pub struct CommandList(Recorder);

/// A bundle: recorded once, executed from command lists.
#[derive(Clone, Debug, Default)]
pub struct Bundle(Recorder);

recording!(CommandList);
recording!(Bundle);

impl Bundle {
    /// An empty bundle, recording.
    pub fn new() -> Bundle {
        Bundle::default()
    }
}

impl CommandList {
    /// An empty list, recording.
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// `ExecuteBundle`.
    ///
    /// # Errors
    /// When this list is closed, or the bundle is not.
    pub fn execute_bundle(&mut self, bundle: &Bundle) -> Result<(), CommandError> {
        let call = "ExecuteBundle";
        if !bundle.0.closed {
            return Err(CommandError::BundleRecording { call });
        }
        let commands = Arc::from(bundle.0.commands.as_slice());
        self.0.push(call, Command::Bundle(commands))
    }

    /// `BeginQuery`: pipeline statistics of what is drawn from here on are summed for this query. Queries may overlap;
    /// bundles have none, but what they draw is counted (`D3D12_COMMAND_LIST_TYPE_BUNDLE`).
    ///
    /// # Errors
    /// When the list is closed, the heap has no such query, or it has begun already.
    pub fn begin_query(&mut self, heap: &QueryHeap, index: u32) -> Result<(), CommandError> {
        let call = "BeginQuery";
        check_query(call, heap, index)?;
        if self.open_query(heap, index).is_some() {
            return Err(CommandError::QueryBegun(index));
        }
        self.0
            .push(call, Command::BeginQuery(heap.clone(), index))?;
        self.0.open.push((heap.clone(), index));
        Ok(())
    }

    /// `EndQuery`: [`QueryHeap::statistics`] has the sum once the list was executed.
    ///
    /// # Errors
    /// When the list is closed, the heap has no such query, or it has not begun in this list.
    pub fn end_query(&mut self, heap: &QueryHeap, index: u32) -> Result<(), CommandError> {
        let call = "EndQuery";
        check_query(call, heap, index)?;
        let begun = self.open_query(heap, index);
        let begun = begun.ok_or(CommandError::QueryNotBegun(index))?;
        self.0.push(call, Command::EndQuery(heap.clone(), index))?;
        self.0.open.remove(begun);
        Ok(())
    }

    fn open_query(&self, heap: &QueryHeap, index: u32) -> Option<usize> {
        let is = |(other, i): &(QueryHeap, u32)| other.is(heap) && *i == index;
        self.0.open.iter().position(is)
    }

    /// `Reset`: empties the list, to be recorded anew.
    ///
    /// # Errors
    /// When it is not closed.
    pub fn reset(&mut self) -> Result<(), CommandError> {
        if !self.0.closed {
            return Err(CommandError::Recording { call: "Reset" });
        }
        self.0 = Recorder::default();
        Ok(())
    }

    /// `ExecuteCommandLists`: carries out all commands in order, and gives the results of each draw.
    ///
    /// # Errors
    /// When the list is not closed, and with the first draw that is refused or stopped.
    pub fn execute(&self, options: &DrawOptions) -> Result<Vec<Results>, CommandError> {
        if !self.0.closed {
            let call = "ExecuteCommandLists";
            return Err(CommandError::Recording { call });
        }
        let mut execution = Execution {
            options,
            current: Current::default(),
            results: Vec::new(),
            queries: Vec::new(),
        };
        for (number, command) in self.0.commands.iter().enumerate() {
            match command {
                Command::Bundle(commands) => execution.bundle(number, commands)?,
                command => execution.command(number, command, false)?,
            }
        }
        Ok(execution.results)
    }
}

/// What is set while a list is carried out.
#[derive(Clone, Debug, Default)]
struct Current {
    pipeline: Option<Pipeline>,
    state: DrawState,
}

struct Execution<'a> {
    options: &'a DrawOptions,
    current: Current,
    results: Vec<Results>,
    /// Queries that count, and their sums.
    queries: Vec<(QueryHeap, u32, PipelineStatistics)>,
}

impl Execution<'_> {
    fn bundle(&mut self, number: usize, commands: &[Command]) -> Result<(), CommandError> {
        let pipeline = self.current.pipeline.take();
        let topology = self.current.state.topology.take();
        let cut = self.current.state.strip_cut.take();
        let mask = std::mem::take(&mut self.current.state.view_mask);
        for command in commands {
            self.command(number, command, true)?;
        }
        let sets = |what: fn(&Command) -> bool| commands.iter().any(what);
        if !sets(|command| matches!(command, Command::Pipeline(_))) {
            self.current.pipeline = pipeline;
            self.current.state.strip_cut = self.current.state.strip_cut.or(cut);
        }
        if !sets(|command| matches!(command, Command::Topology(_))) {
            self.current.state.topology = topology;
        }
        if !sets(|command| matches!(command, Command::ViewMask(_))) {
            self.current.state.view_mask = mask;
        }
        Ok(())
    }

    fn command(
        &mut self,
        number: usize,
        command: &Command,
        in_bundle: bool,
    ) -> Result<(), CommandError> {
        let Current { pipeline, state } = &mut self.current;
        match command {
            Command::Pipeline(new) => {
                *pipeline = Some(new.clone());
                // A pipeline overwrites a strip cut set before it (VK12).
                state.strip_cut = None;
            }
            Command::Topology(topology) => state.topology = Some(*topology),
            Command::VertexBuffer(slot, view) => {
                bind(&mut state.vertex_buffers, *slot, view.as_ref());
            }
            Command::IndexBuffer(view) => state.index_buffer.clone_from(view),
            Command::Constants(register, bytes) => {
                bind(&mut state.constants, *register, bytes.as_ref());
            }
            Command::ViewMask(mask) => state.view_mask = *mask,
            Command::StripCut(cut) => state.strip_cut = Some(*cut),
            Command::Draw(call) => {
                let pipeline = pipeline.as_ref().ok_or(CommandError::NoPipeline {
                    command: number,
                    call: call.name(),
                    in_bundle,
                })?;
                let drawn = pipeline.draw_with(state, call, self.options);
                let results = drawn.map_err(|error| CommandError::Draw {
                    command: number,
                    error,
                })?;
                if !self.queries.is_empty() {
                    let statistics = PipelineStatistics::from(&results);
                    for (.., sum) in &mut self.queries {
                        *sum += statistics;
                    }
                }
                self.results.push(results);
            }
            Command::BeginQuery(heap, index) => {
                let query = (heap.clone(), *index, PipelineStatistics::default());
                self.queries.push(query);
            }
            Command::EndQuery(heap, index) => {
                let is = |(other, i, _): &(QueryHeap, u32, PipelineStatistics)| {
                    other.is(heap) && i == index
                };
                if let Some(query) = self.queries.iter().position(is) {
                    let (heap, index, sum) = self.queries.remove(query);
                    heap.set(index, sum);
                }
            }
            // Bundles hold no bundles: only lists can record them.
            Command::Bundle(_) => {}
        }
        Ok(())
    }
}

fn check_query(call: &'static str, heap: &QueryHeap, index: u32) -> Result<(), CommandError> {
    let count = heap.count();
    if index < count {
        Ok(())
    } else {
        Err(CommandError::NoSuchQuery { call, index, count })
    }
}

fn bind<K: Ord, V: Clone>(map: &mut std::collections::BTreeMap<K, V>, key: K, value: Option<&V>) {
    match value {
        Some(value) => {
            map.insert(key, value.clone());
        }
        None => {
            map.remove(&key);
        }
    }
}
