//! One output of a draw: as strided arrays, as bits, as typed rows, as a slice where it lies like one.

use crate::constants::list;
use crate::results::{Coordinates, Results};
use bytemuck::AnyBitPattern;
use fuseline_hlsl::hir::SignatureElement;
use fuseline_hlsl::types::Scalar;
use smallvec::SmallVec;
use std::marker::PhantomData;

/// Why a result cannot be read so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// The shader writes no such output.
    #[error("the shader has no output {semantic}{index}; it writes {known}")]
    NoOutput {
        /// What was asked for.
        semantic: String,
        /// Its index.
        index: u32,
        /// Those there are.
        known: String,
    },
    /// The output is of another type.
    #[error("output {output} is {have}, not {want}")]
    Type {
        /// The output.
        output: String,
        /// Its type.
        have: String,
        /// What was asked for.
        want: String,
    },
}

impl ResultError {
    pub(crate) fn no_output(
        outputs: &[SignatureElement],
        semantic: &str,
        index: u32,
    ) -> ResultError {
        let names: Vec<String> = outputs.iter().map(element_name).collect();
        ResultError::NoOutput {
            semantic: semantic.to_string(),
            index,
            known: list(names.iter().map(String::as_str)),
        }
    }
}

/// The semantic with its index where that is not 0.
pub(crate) fn element_name(element: &SignatureElement) -> String {
    match element.index {
        0 => element.semantic.clone(),
        index => format!("{}{index}", element.semantic),
    }
}

/// One output register of a draw's results.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    results: &'a Results,
    element: usize,
}

impl<'a> Output<'a> {
    pub(crate) fn new(results: &'a Results, element: usize) -> Output<'a> {
        Output { results, element }
    }

    /// Its semantic, type and interpolation.
    pub fn signature(&self) -> &'a SignatureElement {
        &self.results.program.outputs[self.element]
    }

    /// Semantic name as the shader writes it, with its index where that is not 0.
    pub fn name(&self) -> String {
        element_name(self.signature())
    }

    /// Its type as HLSL has it: `float4`.
    pub fn type_name(&self) -> String {
        let signature = self.signature();
        type_name(signature.scalar, usize::from(signature.components))
    }

    /// Number of components, 1 to 4.
    pub fn components(&self) -> usize {
        usize::from(self.signature().components)
    }

    /// The strided array of a component, as it is stored.
    pub fn component(&self, component: usize) -> Option<Strided<'a>> {
        let places = self.results.map.places.get(self.element)?;
        self.results.strided(*places.get(component)?)
    }

    fn strided(&self) -> SmallVec<[Strided<'a>; 4]> {
        (0..self.components())
            .filter_map(|c| self.component(c))
            .collect()
    }

    /// The bits of its components at a place in the arrays; components outside are left out.
    pub(crate) fn bits_at(&self, at: Coordinates) -> SmallVec<[u32; 4]> {
        self.strided()
            .iter()
            .filter_map(|array| array.get(at))
            .collect()
    }

    /// The bits of its components in a row; None past the last row.
    pub fn bits(&self, row: usize) -> Option<SmallVec<[u32; 4]>> {
        Some(self.bits_at(self.results.coordinates(row)?))
    }

    /// All rows in order, as values of a type that has the output's components: `[f32; 4]`, `glam::Vec4`, `u32`.
    ///
    /// # Errors
    /// When the type is not the output's.
    pub fn rows<T: RowValue>(&self) -> Result<Rows<'a, T>, ResultError> {
        let signature = self.signature();
        if T::COMPONENTS != self.components() || !T::SCALARS.contains(&signature.scalar) {
            let want = T::SCALARS.first().copied().unwrap_or(signature.scalar);
            return Err(ResultError::Type {
                output: self.name(),
                have: self.type_name(),
                want: type_name(want, T::COMPONENTS),
            });
        }
        Ok(Rows {
            results: self.results,
            arrays: self.strided(),
            view: 0,
            instance: 0,
            place: 0,
            left: self.results.rows(),
            value: PhantomData,
        })
    }

    /// The value in one row; None past the last row.
    ///
    /// # Errors
    /// When the type is not the output's.
    pub fn get<T: RowValue>(&self, row: usize) -> Result<Option<T>, ResultError> {
        self.rows::<T>()?;
        Ok(self.bits(row).map(|bits| T::from_bits(&bits)))
    }

    /// The rows without copying, where they lie one behind the other in memory: the only output of its block, each
    /// vertex shaded in its place. `T` is any plain type of the output's size.
    pub fn as_slice<T: AnyBitPattern>(&self) -> Option<&'a [T]> {
        let arrays = self.strided();
        let first = arrays.first()?;
        let bytes = 4 * self.components();
        let together = (arrays.iter().zip(0..)).all(|(array, i)| {
            array.words.len() == first.words.len()
                && array.offset == first.offset + i
                && array.strides == first.strides
        });
        let rows = self.results.rows();
        let in_order = self.results.in_row_order(first.strides, self.components());
        if !together || size_of::<T>() != bytes || !in_order {
            return None;
        }
        let words = first
            .words
            .get(first.offset..first.offset + rows * self.components())?;
        bytemuck::try_cast_slice(words).ok()
    }
}

fn type_name(scalar: Scalar, components: usize) -> String {
    let scalar = match scalar {
        Scalar::Bool => "bool",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Float => "float",
    };
    match components {
        1 => scalar.to_string(),
        n => format!("{scalar}{n}"),
    }
}

/// One component of an output over view × instance × position, as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    words: &'a [u32],
    offset: usize,
    strides: [usize; 3],
}

impl<'a> Strided<'a> {
    /// `offset` and `strides` in bytes.
    pub(crate) fn new(words: &'a [u32], offset: u32, strides: [usize; 3]) -> Strided<'a> {
        Strided {
            words,
            offset: offset as usize / 4,
            strides: strides.map(|stride| stride / 4),
        }
    }

    /// The memory that it lies in, other components between.
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// Index of the first value in [`Strided::words`].
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Words between neighbours along view, instance and position; 0 where the component does not vary.
    pub fn strides(&self) -> [usize; 3] {
        self.strides
    }

    /// The bits at a place.
    #[inline]
    pub fn get(&self, at: Coordinates) -> Option<u32> {
        let [view, instance, position] = self.strides;
        let index = self.offset + at.view * view + at.instance * instance + at.position * position;
        self.words.get(index).copied()
    }
}

/// All rows of an output in order, typed.
#[derive(Clone, Debug)]
pub struct Rows<'a, T> {
    results: &'a Results,
    arrays: SmallVec<[Strided<'a>; 4]>,
    view: usize,
    instance: u32,
    place: u32,
    left: usize,
    value: PhantomData<T>,
}

impl<T: RowValue> Iterator for Rows<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        let at = Coordinates {
            view: self.view,
            instance: self.instance as usize,
            position: self.results.plan.sequence.position(self.place)? as usize,
        };
        let mut bits = [0; 4];
        for (bits, array) in bits.iter_mut().zip(&self.arrays) {
            *bits = array.get(at)?;
        }
        self.left -= 1;
        self.place += 1;
        if self.place == self.results.plan.sequence.len {
            self.place = 0;
            self.instance += 1;
            if self.instance == self.results.shape.instances {
                self.instance = 0;
                self.view += 1;
            }
        }
        Some(T::from_bits(&bits))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: RowValue> ExactSizeIterator for Rows<'_, T> {}

/// A value that the components of an output can become.
pub trait RowValue: Sized {
    /// How many components.
    const COMPONENTS: usize;
    /// The component types that it can hold.
    const SCALARS: &'static [Scalar];
    /// From the bits of the components; those missing are 0.
    fn from_bits(bits: &[u32]) -> Self;
}

#[inline]
fn bit(bits: &[u32], i: usize) -> u32 {
    bits.get(i).copied().unwrap_or(0)
}

macro_rules! row_values {
    ($($ty:ty, $scalars:expr, $from:expr;)*) => { $(
        impl RowValue for $ty {
            const COMPONENTS: usize = 1;
            const SCALARS: &'static [Scalar] = $scalars;
            #[inline]
            fn from_bits(bits: &[u32]) -> Self { $from(bit(bits, 0)) }
        }
        impl<const N: usize> RowValue for [$ty; N] {
            const COMPONENTS: usize = N;
            const SCALARS: &'static [Scalar] = $scalars;
            #[inline]
            fn from_bits(bits: &[u32]) -> Self { std::array::from_fn(|i| $from(bit(bits, i))) }
        }
    )* };
}

row_values! {
    f32, &[Scalar::Float], f32::from_bits;
    u32, &[Scalar::Uint, Scalar::Int, Scalar::Bool], |bits| bits;
    i32, &[Scalar::Int, Scalar::Uint], |bits| bits as i32;
    bool, &[Scalar::Bool], |bits| bits != 0;
}

macro_rules! glam_row_values {
    ($($ty:ty, $array:ty;)*) => { $(
        impl RowValue for $ty {
            const COMPONENTS: usize = <$array>::COMPONENTS;
            const SCALARS: &'static [Scalar] = <$array>::SCALARS;
            #[inline]
            fn from_bits(bits: &[u32]) -> Self { <$ty>::from_array(<$array>::from_bits(bits)) }
        }
    )* };
}

glam_row_values! {
    glam::Vec2, [f32; 2];
    glam::Vec3, [f32; 3];
    glam::Vec3A, [f32; 3];
    glam::Vec4, [f32; 4];
    glam::UVec2, [u32; 2];
    glam::UVec3, [u32; 3];
    glam::UVec4, [u32; 4];
    glam::IVec2, [i32; 2];
    glam::IVec3, [i32; 3];
    glam::IVec4, [i32; 4];
}
