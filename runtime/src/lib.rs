//! Fuseline's runtime: devices, buffers, pipelines, draws, primitives, results, and the reference interpreter.
//!
//! Must not know CLIF.

mod memory;
mod output;
mod sequence;

pub mod buffer;
pub mod constants;
pub mod device;
pub mod error;
pub mod primitives;
pub mod results;
pub mod state;
pub mod statistics;
pub mod topology;

pub use buffer::{Buffer, IndexBufferView, IndexFormat, VertexBufferView};
pub use constants::{Constant, ConstantBuffer, ConstantError, ConstantValue, Number};
pub use device::{Device, DeviceOptions, Engine, Threads, ViewInstancingTier};
pub use error::{DrawError, PipelineError};
pub use primitives::{Primitive, Primitives};
pub use results::{Output, ResultError, Results, RowValue};
pub use state::{DrawCall, DrawState, Register};
pub use statistics::Statistics;
pub use topology::{ControlPoints, StripCut, Topology, TopologyType};
