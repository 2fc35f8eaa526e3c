//! Draw calls boiled down to one form, indirect ones read from their buffers.

use crate::error::DrawError;
use crate::state::DrawCall;

/// The arguments of any draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Vertices come through the index buffer.
    pub indexed: bool,
    /// Vertices or indices per instance.
    pub count: u32,
    /// InstanceCount.
    pub instances: u32,
    /// StartVertexLocation, or StartIndexLocation where indexed.
    pub start: u32,
    /// BaseVertexLocation; 0 where not indexed.
    pub base_vertex: u32,
    /// StartInstanceLocation.
    pub start_instance: u32,
}

impl Arguments {
    /// The arguments of a call: an uninstanced draw is an instanced one with one instance (FS 8.3.1).
    pub fn of(call: &DrawCall) -> Result<Arguments, DrawError> {
        Ok(match *call {
            DrawCall::Draw {
                vertex_count,
                start_vertex,
            } => Arguments {
                count: vertex_count,
                instances: 1,
                start: start_vertex,
                ..Arguments::default()
            },
            DrawCall::DrawInstanced {
                vertex_count,
                instance_count,
                start_vertex,
                start_instance,
            } => Arguments {
                count: vertex_count,
                instances: instance_count,
                start: start_vertex,
                start_instance,
                ..Arguments::default()
            },
            DrawCall::DrawIndexed {
                index_count,
                start_index,
                base_vertex,
            } => Arguments {
                indexed: true,
                count: index_count,
                instances: 1,
                start: start_index,
                base_vertex: base_vertex as u32,
                start_instance: 0,
            },
            DrawCall::DrawIndexedInstanced {
                index_count,
                instance_count,
                start_index,
                base_vertex,
                start_instance,
            } => Arguments {
                indexed: true,
                count: index_count,
                instances: instance_count,
                start: start_index,
                base_vertex: base_vertex as u32,
                start_instance,
            },
            DrawCall::DrawInstancedIndirect { .. } => {
                let [count, instances, start, start_instance] = indirect(call)?;
                Arguments {
                    count,
                    instances,
                    start,
                    start_instance,
                    ..Arguments::default()
                }
            }
            DrawCall::DrawIndexedInstancedIndirect { .. } => {
                let [count, instances, start, base_vertex, start_instance] = indirect(call)?;
                Arguments {
                    indexed: true,
                    count,
                    instances,
                    start,
                    base_vertex,
                    start_instance,
                }
            }
            DrawCall::DrawAuto => return Err(DrawError::DrawAuto),
        })
    }

    /// SV_StartVertexLocation: BaseVertexLocation or StartVertexLocation (system-values.md section 4).
    pub fn start_vertex_location(&self) -> u32 {
        if self.indexed {
            self.base_vertex
        } else {
            self.start
        }
    }
}

/// `N` little-endian words of an argument buffer (FS 8.7, 8.8).
fn indirect<const N: usize>(call: &DrawCall) -> Result<[u32; N], DrawError> {
    let (DrawCall::DrawInstancedIndirect { args, offset }
    | DrawCall::DrawIndexedInstancedIndirect { args, offset }) = call
    else {
        return Ok([0; N]);
    };
    if offset % 4 != 0 {
        return Err(DrawError::IndirectMisaligned {
            call: call.name(),
            offset: *offset,
        });
    }
    let from = *offset as usize;
    let words = (args.as_bytes().get(from..))
        .and_then(|bytes| bytes.get(..4 * N))
        .ok_or(DrawError::IndirectOutOfBounds {
            call: call.name(),
            offset: *offset,
            len: args.len(),
        })?;
    let mut out = [0; N];
    for (word, bytes) in out.iter_mut().zip(words.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    #[test]
    fn indirect_arguments_are_those_of_the_direct_call() {
        let args = Buffer::from_slice(&[7u32, 36, 2, 3, -5i32 as u32, 9]);
        let indexed = DrawCall::DrawIndexedInstancedIndirect {
            args: args.clone(),
            offset: 4,
        };
        let direct = DrawCall::DrawIndexedInstanced {
            index_count: 36,
            instance_count: 2,
            start_index: 3,
            base_vertex: -5,
            start_instance: 9,
        };
        assert_eq!(Arguments::of(&indexed), Arguments::of(&direct));
        let plain = DrawCall::DrawInstancedIndirect { args, offset: 0 };
        let direct = DrawCall::DrawInstanced {
            vertex_count: 7,
            instance_count: 36,
            start_vertex: 2,
            start_instance: 3,
        };
        assert_eq!(Arguments::of(&plain), Arguments::of(&direct));
    }

    #[test]
    fn indirect_arguments_outside_their_buffer_are_refused() {
        let call = |offset| DrawCall::DrawInstancedIndirect {
            args: Buffer::zeroed(16),
            offset,
        };
        assert!(Arguments::of(&call(0)).is_ok());
        assert_eq!(
            Arguments::of(&call(4)).map_err(|e| e.to_string()),
            Err("DrawInstancedIndirect: the arguments at offset 4 pass the end of a buffer of 16 bytes".into())
        );
        assert_eq!(
            Arguments::of(&call(2)).map_err(|e| e.to_string()),
            Err("DrawInstancedIndirect: AlignedByteOffsetForArgs 2 is no multiple of 4".into())
        );
    }
}
