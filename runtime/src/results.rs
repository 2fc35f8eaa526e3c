//! Results of a draw: its rows, and their values in strided arrays over view × instance × position.

use crate::memory::Memory;
use crate::sequence::Places;
use fuseline_compiler::kernel::{OutputMap, OutputPlace};
use fuseline_hlsl::hir::SignatureElement;
use std::ops::Deref;

pub use crate::output::{Output, ResultError, RowValue, Rows, Strided};
pub use crate::primitives::{Primitive, Primitives};
pub use crate::result_layout::{Coordinates, ResultLayout, RowLocation};

/// The results of one draw: a [`ResultLayout`] with values.
#[derive(Debug)]
pub struct Results {
    pub(crate) layout: ResultLayout,
    pub(crate) map: OutputMap,
    pub(crate) blocks: Vec<Memory>,
}

impl Deref for Results {
    type Target = ResultLayout;

    fn deref(&self) -> &ResultLayout {
        &self.layout
    }
}

impl Results {
    /// Bytes that the results take in memory.
    pub fn stored_bytes(&self) -> usize {
        self.blocks
            .iter()
            .map(|block| block.words().len() * 4)
            .sum()
    }

    /// An output by semantic (case-insensitive, without digits) and index.
    ///
    /// # Errors
    /// When the shader has no such output.
    pub fn output(&self, semantic: &str, index: u32) -> Result<Output<'_>, ResultError> {
        let wanted =
            |e: &SignatureElement| e.semantic.eq_ignore_ascii_case(semantic) && e.index == index;
        let element = (self.program.outputs.iter().position(wanted))
            .ok_or_else(|| ResultError::no_output(&self.program.outputs, semantic, index))?;
        Ok(Output::new(self, element))
    }

    /// All outputs, in the order of the signature.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = Output<'_>> {
        (0..self.program.outputs.len()).map(|element| Output::new(self, element))
    }

    /// The bits of a full row: every component of every output, in the order of the signature. None past the last.
    pub fn row(&self, row: usize) -> Option<impl Iterator<Item = u32>> {
        let at = self.coordinates(row)?;
        Some(self.outputs().flat_map(move |output| output.bits_at(at)))
    }

    /// Whether arrays with these word strides hold the rows one behind the other, in row order.
    pub(crate) fn in_row_order(&self, strides: [usize; 3], components: usize) -> bool {
        let in_place = matches!(
            self.plan.sequence.places,
            Places::Counted | Places::Expanded { .. }
        );
        let rows = [
            (self.shape.views.len(), self.rows_per_view()),
            (self.shape.instances as usize, self.rows_per_instance()),
            (self.shape.positions as usize, 1),
        ];
        let right = |((extent, rows), stride): ((usize, usize), usize)| {
            extent <= 1 || stride == rows * components
        };
        in_place && rows.into_iter().zip(strides).all(right)
    }

    /// The strided array of one component.
    pub(crate) fn strided(&self, place: OutputPlace) -> Option<Strided<'_>> {
        let block = self.map.blocks.get(place.block as usize)?;
        let words = self.blocks.get(place.block as usize)?.words();
        let strides = self.shape.strides(block.rate, block.stride as usize)?;
        Some(Strided::new(words, place.offset, strides))
    }
}
