//! What a draw has to shade: the vertex sequence, each different vertex once, and where its vertices come from.
//!
//! Both engines work from the same plan. Must not know kernels.

pub(crate) mod arguments;
pub(crate) mod cached;
pub(crate) mod indices;
pub(crate) mod unique;

use crate::buffer::IndexBufferView;
use crate::error::DrawError;
use crate::sequence::{Places, Sequence};
use arguments::Arguments;
use std::sync::Arc;
use unique::Shading;

/// What a draw has to shade, per instance and view.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The vertex sequence.
    pub sequence: Sequence,
    /// Number of positions to shade.
    pub positions: u32,
    /// How many of them some row refers to: fewer where a dense range has holes.
    pub distinct: u32,
    /// Where positions come from.
    pub vertices: Vertices,
}

/// Which vertex stands at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vertices {
    /// SV_VertexID `first_id + position`, fetched from vertex `first_vertex + position`.
    Counted {
        /// SV_VertexID of position 0.
        first_id: u32,
        /// Vertex of position 0.
        first_vertex: u32,
    },
    /// SV_VertexID from the sequence's list, fetched from vertex `base + SV_VertexID`.
    Listed {
        /// BaseVertexLocation.
        base: u32,
        /// The least and the greatest vertex that is fetched; anything where there is none.
        extent: (u32, u32),
    },
}

/// How vertices are to be shared between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sharing {
    /// Dense ranges straight through, even where some vertices in them are not referred to.
    Ranges,
    /// Only what is referred to, each once.
    Exact,
    /// Each row shaded by itself.
    None,
}

impl Plan {
    /// Plans a draw; `cut` is the index value that cuts, if one does.
    pub fn new(
        arguments: &Arguments,
        index_buffer: Option<&IndexBufferView>,
        cut: Option<u32>,
        sharing: Sharing,
    ) -> Result<Plan, DrawError> {
        if !arguments.indexed {
            return Ok(Plan::counted(arguments));
        }
        let stream = indices::read(index_buffer, arguments.start, arguments.count, cut)?;
        let indices = Arc::new(stream.indices);
        Plan::indexed(indices, stream.run_ends, arguments.base_vertex, sharing)
    }

    /// The plan of the same draw with another sharing, of a plan without any; its indices are shared, not read again.
    pub fn sharing(&self, sharing: Sharing) -> Option<Result<Plan, DrawError>> {
        match (&self.sequence.places, self.vertices) {
            (Places::Expanded { indices }, Vertices::Listed { base, .. }) => {
                let run_ends = self.sequence.run_ends.clone();
                Some(Plan::indexed(indices.clone(), run_ends, base, sharing))
            }
            _ => None,
        }
    }

    fn counted(arguments: &Arguments) -> Plan {
        Plan {
            sequence: Sequence {
                len: arguments.count,
                places: Places::Counted,
                run_ends: Vec::new(),
            },
            positions: arguments.count,
            distinct: arguments.count,
            vertices: Vertices::Counted {
                first_id: 0,
                first_vertex: arguments.start,
            },
        }
    }

    fn indexed(
        indices: Arc<Vec<u32>>,
        run_ends: Vec<u32>,
        base: u32,
        sharing: Sharing,
    ) -> Result<Plan, DrawError> {
        let len = indices.len() as u32;
        let shading = match sharing {
            Sharing::None => None,
            Sharing::Ranges => Some(unique::find(&indices, true)?),
            Sharing::Exact => Some(unique::find(&indices, false)?),
        };
        let listed = |ids: &[u32]| {
            let fetched = || ids.iter().map(|id| base.wrapping_add(*id));
            let extent = fetched().min().zip(fetched().max()).unwrap_or_default();
            Vertices::Listed { base, extent }
        };
        let (places, positions, distinct, vertices) = match shading {
            None => {
                let distinct = unique::count(&indices)?;
                let vertices = listed(&indices);
                (Places::Expanded { indices }, len, distinct, vertices)
            }
            Some(Shading::Range {
                first,
                len,
                distinct,
            }) => (
                Places::Dense { indices, first },
                len,
                distinct,
                Vertices::Counted {
                    first_id: first,
                    first_vertex: base.wrapping_add(first),
                },
            ),
            Some(Shading::List { positions, ids }) => {
                let count = ids.len() as u32;
                let vertices = listed(&ids);
                (Places::Listed { positions, ids }, count, count, vertices)
            }
        };
        Ok(Plan {
            sequence: Sequence {
                len,
                places,
                run_ends,
            },
            positions,
            distinct,
            vertices,
        })
    }

    /// Bytes of its lists.
    pub fn bytes(&self) -> usize {
        let lists = match &self.sequence.places {
            Places::Counted => 0,
            Places::Dense { indices, .. } | Places::Expanded { indices } => indices.capacity(),
            Places::Listed { positions, ids } => positions.capacity() + ids.capacity(),
        };
        4 * (lists + self.sequence.run_ends.capacity())
    }

    /// SV_VertexID of each position, where they are listed.
    pub fn ids(&self) -> &[u32] {
        match &self.sequence.places {
            Places::Listed { ids, .. } => ids,
            Places::Expanded { indices } => indices,
            Places::Counted | Places::Dense { .. } => &[],
        }
    }

    /// SV_VertexID at a position, and the vertex that is fetched for it.
    #[inline]
    pub fn vertex(&self, position: u32) -> (u32, u32) {
        match self.vertices {
            Vertices::Counted {
                first_id,
                first_vertex,
            } => (
                first_id.wrapping_add(position),
                first_vertex.wrapping_add(position),
            ),
            Vertices::Listed { base, .. } => {
                let id = self.ids().get(position as usize).copied().unwrap_or(0);
                (id, base.wrapping_add(id))
            }
        }
    }
}

#[cfg(test)]
mod tests;
