//! Fuseline's runtime: devices, buffers, pipelines, draws, primitives, results, and the reference interpreter.
//!
//! Must not know CLIF.

mod cache;
mod memory;
mod native;
mod output;
mod output_buffer;
mod plan;
mod reference;
mod result_layout;
mod sequence;

pub mod buffer;
pub mod clip;
pub mod commands;
pub mod compare;
pub mod constants;
pub mod device;
pub mod draw;
pub mod error;
mod expand;
pub mod interpreter;
pub mod limits;
pub mod pipeline;
pub mod primitives;
pub mod query;
pub mod results;
pub mod state;
pub mod statistics;
pub mod topology;
pub mod warnings;

pub use buffer::{Buffer, IndexBufferView, IndexFormat, VertexBufferView};
pub use cache::CacheStatistics;
pub use clip::{ClipStatistics, MOST_CLIPPED};
pub use commands::{Bundle, CommandError, CommandList};
pub use compare::{Difference, compare};
pub use constants::{Constant, ConstantBuffer, ConstantError, ConstantValue, Number};
pub use device::{Device, DeviceOptions, Engine, Threads, ViewInstancingTier};
pub use draw::{DrawOptions, RowStorage};
pub use error::{DrawError, PipelineError};
pub use limits::CancelToken;
pub use output_buffer::{OutputBuffer, OutputBufferError};
pub use pipeline::{Pipeline, PipelineDesc, ViewInstancing, ViewLocation};
pub use primitives::{Primitive, Primitives};
pub use query::{PipelineStatistics, QueryHeap};
pub use results::{Coordinates, Output, ResultError, ResultLayout, Results, RowLocation, RowValue};
pub use state::{DrawCall, DrawState, Register};
pub use statistics::Statistics;
pub use topology::{ControlPoints, StripCut, Topology, TopologyType};
pub use warnings::{DrawReport, DrawWarning};
