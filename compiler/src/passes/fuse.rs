//! Joins a shader with an input layout: reads of input registers become reads of the elements' bits and the code that
//! decodes them, or system values.

use super::rebuild::{Rewrite, rebuild};
use crate::decode::decode;
use crate::kernel::KernelKey;
use crate::kir::{Builder, Function, Inst, Source, Value};
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::semantics::SystemValue;
use fuseline_numerics::op::{Kind, Op};
use smallvec::SmallVec;

/// The function with its inputs fetched as `key` says. Elements at slots where nothing is bound read zero, the defaults
/// of missing components included (FS 8.20); so do registers that nothing feeds. Words that no component needs are not
/// read.
pub fn fuse(function: &Function, program: &Program, key: &KernelKey) -> Function {
    let mut fetch = Fetch {
        program,
        key,
        decoded: vec![None; program.inputs.len()],
    };
    rebuild(function, key.denorm(), &mut fetch)
}

struct Fetch<'a> {
    program: &'a Program,
    key: &'a KernelKey,
    /// The components of each input register that was read.
    decoded: Vec<Option<[Value; 4]>>,
}

impl Rewrite for Fetch<'_> {
    fn read(&mut self, b: &mut Builder, inst: &Inst, kind: Kind) -> Option<Value> {
        let &Inst::Read(Source::Input { element, component }) = inst else {
            return None;
        };
        let components = match self.decoded[element as usize] {
            Some(components) => components,
            None => {
                let components = self.register(b, element);
                *self.decoded[element as usize].insert(components)
            }
        };
        let v = components[usize::from(component).min(3)];
        // The layout decides the bits, the shader how it reads them.
        Some(match (b.kind(v), kind) {
            (Kind::I32, Kind::F32) => b.op(Op::AsFloat, &[v]),
            (Kind::F32, Kind::I32) => b.op(Op::AsInt, &[v]),
            _ => v,
        })
    }
}

impl Fetch<'_> {
    fn register(&self, b: &mut Builder, input: u32) -> [Value; 4] {
        let zero = b.int(0);
        let element = self.key.elements.iter().position(|e| e.input == input);
        let Some(at) = element else {
            let source = match self.program.inputs[input as usize].system_value {
                Some(SystemValue::VertexId) => Source::VertexId,
                Some(SystemValue::InstanceId) => Source::InstanceId,
                Some(SystemValue::ViewId) => Source::ViewId,
                Some(SystemValue::StartVertexLocation) => Source::StartVertex,
                Some(SystemValue::StartInstanceLocation) => Source::StartInstance,
                _ => return [zero; 4],
            };
            return [b.read(Kind::I32, source), zero, zero, zero];
        };
        let fetched = &self.key.elements[at];
        if fetched.slot.is_none() {
            return [zero; 4];
        }
        let words: SmallVec<[Value; 4]> = fetched
            .format
            .words()
            .iter()
            .map(|&(byte, width)| {
                let source = Source::Word {
                    element: at as u32,
                    byte,
                    width,
                };
                b.read(Kind::I32, source)
            })
            .collect();
        decode(b, fetched.format, &words)
    }
}
