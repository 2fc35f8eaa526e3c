//! Constant buffers filled by member name: values of Rust and glam types packed where the shader's reflection says.
//!
//! Must not know draws.

use crate::buffer::Buffer;
use fuseline_hlsl::reflection::{self, Layout, Member};
use fuseline_hlsl::types::Scalar;
use std::fmt;
use std::sync::Arc;

/// A constant buffer of one shader: its bytes, writable by member name. Members never set are zero.
#[derive(Clone)]
pub struct ConstantBuffer {
    desc: Arc<reflection::ConstantBuffer>,
    bytes: Buffer,
}

impl fmt::Debug for ConstantBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reflection::ConstantBuffer { name, size, .. } = &*self.desc;
        write!(f, "ConstantBuffer({name}, {size} bytes)")
    }
}

impl ConstantBuffer {
    /// All zero.
    pub fn new(desc: Arc<reflection::ConstantBuffer>) -> ConstantBuffer {
        let bytes = Buffer::zeroed(desc.size as usize);
        ConstantBuffer { desc, bytes }
    }

    /// Where its members lie.
    pub fn desc(&self) -> &reflection::ConstantBuffer {
        &self.desc
    }

    /// Its bytes, as the shader sees them.
    pub fn buffer(&self) -> &Buffer {
        &self.bytes
    }

    /// Sets a member, named by a path: `Tint`, `Lights[2].position`, `Lights[2]`, `Lights`.
    ///
    /// A matrix value means its mathematical rows and columns, and is written right whatever the member's
    /// majorness. Arrays may be given short: the elements after them stay as they are.
    ///
    /// # Errors
    /// When the shader has no such member, or the value does not fit it. The buffer may then hold a part of the value.
    pub fn set(
        &mut self,
        path: &str,
        value: impl ConstantValue,
    ) -> Result<&mut ConstantBuffer, ConstantError> {
        let (layout, offset) = find(&self.desc, path)?;
        value.pack(&mut Target {
            layout,
            offset,
            path: PathNode::Root(path),
            bytes: self.bytes.bytes_mut(),
        })?;
        Ok(self)
    }
}

/// Why a value was not written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConstantError {
    /// No constant buffer of that name.
    #[error("the shader reads no constant buffer `{name}`; it reads {known}")]
    NoSuchBuffer {
        /// What was asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// No member of that name.
    #[error("`{buffer}` has no member `{path}`{}", hint(.known))]
    NoSuchMember {
        /// The constant buffer, or the struct member looked into.
        buffer: String,
        /// What was asked for.
        path: String,
        /// Those there are.
        known: String,
    },
    /// An index that the array does not have.
    #[error("`{path}`: index {index} is past the array's {len} elements")]
    IndexOutOfRange {
        /// The array.
        path: String,
        /// The index.
        index: u64,
        /// Elements that it has.
        len: u32,
    },
    /// A value of another shape.
    #[error("`{path}` is {want}, the value is {got}")]
    Shape {
        /// The member.
        path: String,
        /// What the shader declares.
        want: String,
        /// What was given.
        got: String,
    },
    /// A number that the component type cannot hold.
    #[error("`{path}` is {want}: {got} does not fit")]
    Number {
        /// The member.
        path: String,
        /// Its component type.
        want: &'static str,
        /// The number.
        got: String,
    },
}

fn hint(known: &str) -> String {
    if known.is_empty() {
        String::new()
    } else {
        format!("; it has {known}")
    }
}

/// Names for people: `` `a`, `b` ``.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_string(),
        _ => names.join(", "),
    }
}

/// A number of any kind; what it is written as, the member decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Rounded once, to nearest even, where the member is a float.
    Float(f64),
    /// Bits kept where the member is a float, NaN payloads included.
    F32(f32),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Float(v) => write!(f, "{v}"),
            Number::F32(v) => write!(f, "{v}"),
            Number::Int(v) => write!(f, "{v}"),
            Number::Bool(v) => write!(f, "{v}"),
        }
    }
}

macro_rules! numbers {
    ($($ty:ty => $make:expr;)*) => { $(
        impl From<$ty> for Number {
            fn from(value: $ty) -> Number { $make(value) }
        }
        impl ConstantValue for $ty {
            fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
                target.vector(&[Number::from(*self)])
            }
        }
    )* };
}

numbers! {
    f64 => Number::Float;
    f32 => Number::F32;
    i64 => Number::Int;
    i32 => |v| Number::Int(i64::from(v));
    u32 => |v| Number::Int(i64::from(v));
    bool => Number::Bool;
}

impl Number {
    /// Its bits as a component of that type; None where it does not fit.
    fn bits(self, scalar: Scalar) -> Option<u32> {
        match (scalar, self) {
            (Scalar::Float, Number::Float(v)) => Some((v as f32).to_bits()),
            (Scalar::Float, Number::F32(v)) => Some(v.to_bits()),
            (Scalar::Float, Number::Int(v)) => Some((v as f32).to_bits()),
            (Scalar::Bool, Number::Bool(v)) => Some(u32::from(v)),
            (Scalar::Bool, Number::Int(v)) => Some(u32::from(v != 0)),
            (Scalar::Int, Number::Int(v)) => i32::try_from(v).ok().map(|v| v as u32),
            (Scalar::Uint, Number::Int(v)) => u32::try_from(v).ok(),
            _ => None,
        }
    }
}

/// Something that can be a constant: numbers, vectors, matrices, arrays, and whatever a caller makes of them by
/// calling the methods of [`Target`].
pub trait ConstantValue {
    /// Writes itself.
    ///
    /// # Errors
    /// When it does not fit the member.
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError>;
}

impl<T: ConstantValue + ?Sized> ConstantValue for &T {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        (**self).pack(target)
    }
}

/// A member, or part of one, that is about to be written.
pub struct Target<'a> {
    layout: &'a Layout,
    offset: usize,
    path: PathNode<'a>,
    bytes: &'a mut [u8],
}

/// The path of a target, spelled out only for messages.
#[derive(Clone, Copy)]
enum PathNode<'a> {
    Root(&'a str),
    Index(&'a PathNode<'a>, u32),
    Member(&'a PathNode<'a>, &'a str),
}

impl fmt::Display for PathNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathNode::Root(path) => f.write_str(path),
            PathNode::Index(base, index) => write!(f, "{base}[{index}]"),
            PathNode::Member(base, name) => write!(f, "{base}.{name}"),
        }
    }
}

impl Target<'_> {
    /// How the member lies in memory.
    pub fn layout(&self) -> &Layout {
        self.layout
    }

    /// Writes a scalar or vector: as many numbers as it has components.
    ///
    /// # Errors
    /// When the member is something else, or a number does not fit.
    pub fn vector(&mut self, numbers: &[Number]) -> Result<(), ConstantError> {
        match *self.layout {
            Layout::Vector { scalar, components } if usize::from(components) == numbers.len() => {
                for (i, number) in numbers.iter().enumerate() {
                    self.component(scalar, 4 * i, *number)?;
                }
                Ok(())
            }
            // A vector given for an array of scalars is the array's elements.
            Layout::Array { .. } => {
                self.array(numbers.len(), |i, target| target.vector(&numbers[i..=i]))
            }
            _ => Err(self.shape(count("component", numbers.len()))),
        }
    }

    /// Writes a matrix of mathematical rows and columns.
    ///
    /// # Errors
    /// When the member is something else, or a number does not fit.
    pub fn matrix(
        &mut self,
        (rows, columns): (usize, usize),
        at: impl Fn(usize, usize) -> Number,
    ) -> Result<(), ConstantError> {
        match *self.layout {
            Layout::Matrix {
                scalar,
                rows: r,
                columns: c,
                row_stride,
                column_stride,
                ..
            } if (usize::from(r), usize::from(c)) == (rows, columns) => {
                for row in 0..rows {
                    for column in 0..columns {
                        let byte = row * row_stride as usize + column * column_stride as usize;
                        self.component(scalar, byte, at(row, column))?;
                    }
                }
                Ok(())
            }
            _ => Err(self.shape(format!("a {rows}x{columns} matrix"))),
        }
    }

    /// Writes the first `len` elements of an array.
    ///
    /// # Errors
    /// When the member is no array or has fewer elements, or as `element` fails.
    pub fn array(
        &mut self,
        len: usize,
        mut element: impl FnMut(usize, &mut Target<'_>) -> Result<(), ConstantError>,
    ) -> Result<(), ConstantError> {
        match self.layout {
            Layout::Array {
                element: layout,
                len: have,
                stride,
            } if len <= *have as usize => {
                for (i, number) in (0..len).zip(0u32..) {
                    element(
                        i,
                        &mut Target {
                            layout,
                            offset: self.offset + i * *stride as usize,
                            path: PathNode::Index(&self.path, number),
                            bytes: self.bytes,
                        },
                    )?;
                }
                Ok(())
            }
            _ => Err(self.shape(format!("a list of {}", count("element", len)))),
        }
    }

    /// Writes a member of a struct.
    ///
    /// # Errors
    /// When this is no struct or has no such member, or as `value` fails.
    pub fn member(&mut self, name: &str, value: &dyn ConstantValue) -> Result<(), ConstantError> {
        let Layout::Struct(members) = self.layout else {
            return Err(self.shape("a struct".to_string()));
        };
        let Some(member) = members.iter().find(|m| m.name == name) else {
            return Err(ConstantError::NoSuchMember {
                buffer: self.path.to_string(),
                path: name.to_string(),
                known: list(members.iter().map(|m| m.name.as_str())),
            });
        };
        value.pack(&mut Target {
            layout: &member.layout,
            offset: self.offset + member.offset as usize,
            path: PathNode::Member(&self.path, &member.name),
            bytes: self.bytes,
        })
    }

    fn component(
        &mut self,
        scalar: Scalar,
        byte: usize,
        number: Number,
    ) -> Result<(), ConstantError> {
        let bits = number.bits(scalar).ok_or_else(|| ConstantError::Number {
            path: self.path.to_string(),
            want: scalar_name(scalar),
            got: number.to_string(),
        })?;
        let at = self.offset + byte;
        match self.bytes.get_mut(at..at + 4) {
            Some(place) => {
                place.copy_from_slice(&bits.to_le_bytes());
                Ok(())
            }
            None => Err(self.shape("past the end of its buffer".to_string())),
        }
    }

    fn shape(&self, got: String) -> ConstantError {
        ConstantError::Shape {
            path: self.path.to_string(),
            want: describe(self.layout),
            got,
        }
    }
}

fn count(what: &str, n: usize) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Float => "float",
    }
}

fn describe(layout: &Layout) -> String {
    match layout {
        Layout::Vector {
            scalar,
            components: 1,
        } => scalar_name(*scalar).to_string(),
        Layout::Vector { scalar, components } => format!("{}{components}", scalar_name(*scalar)),
        Layout::Matrix {
            scalar,
            rows,
            columns,
            ..
        } => format!("{}{rows}x{columns}", scalar_name(*scalar)),
        Layout::Array { element, len, .. } => format!("{}[{len}]", describe(element)),
        Layout::Struct(_) => "a struct".to_string(),
    }
}

/// Follows `Name`, `Name[3]`, `Name.member[2].x…`.
fn find<'a>(
    desc: &'a reflection::ConstantBuffer,
    path: &str,
) -> Result<(&'a Layout, usize), ConstantError> {
    let (first, mut rest) = split_name(path);
    let mut member = find_member(&desc.members, first, &desc.name, path)?;
    let mut offset = member.offset as usize;
    let mut layout = &member.layout;
    while !rest.is_empty() {
        let walked = &path[..path.len() - rest.len()];
        let step;
        (step, rest) = split_step(rest).ok_or_else(|| no_member(&desc.name, path))?;
        match (step, layout) {
            (
                Step::Index(index),
                Layout::Array {
                    element,
                    len,
                    stride,
                },
            ) => {
                if index >= u64::from(*len) {
                    return Err(ConstantError::IndexOutOfRange {
                        path: walked.to_string(),
                        index,
                        len: *len,
                    });
                }
                offset += index as usize * *stride as usize;
                layout = element;
            }
            (Step::Member(name), Layout::Struct(members)) => {
                member = find_member(members, name, walked, name)?;
                offset += member.offset as usize;
                layout = &member.layout;
            }
            _ => return Err(no_member(&desc.name, path)),
        }
    }
    Ok((layout, offset))
}

enum Step<'a> {
    Index(u64),
    Member(&'a str),
}

fn split_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(['.', '[']).unwrap_or(text.len()))
}

fn split_step(rest: &str) -> Option<(Step<'_>, &str)> {
    if let Some(after) = rest.strip_prefix('[') {
        let (index, after) = after.split_once(']')?;
        return Some((Step::Index(index.trim().parse().ok()?), after));
    }
    let (name, after) = split_name(rest.strip_prefix('.')?);
    Some((Step::Member(name), after))
}

fn find_member<'a>(
    members: &'a [Member],
    name: &str,
    within: &str,
    path: &str,
) -> Result<&'a Member, ConstantError> {
    (members.iter().find(|m| m.name == name)).ok_or_else(|| ConstantError::NoSuchMember {
        buffer: within.to_string(),
        path: path.to_string(),
        known: list(members.iter().map(|m| m.name.as_str())),
    })
}

fn no_member(buffer: &str, path: &str) -> ConstantError {
    ConstantError::NoSuchMember {
        buffer: buffer.to_string(),
        path: path.to_string(),
        known: String::new(),
    }
}

impl<T: ConstantValue> ConstantValue for [T] {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        target.array(self.len(), |i, target| match self.get(i) {
            Some(value) => value.pack(target),
            None => Ok(()),
        })
    }
}

impl<T: ConstantValue> ConstantValue for Vec<T> {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        self.as_slice().pack(target)
    }
}

/// A fixed array is a vector where the member is one, else an array.
impl<T: ConstantValue + Copy + Into<Number>, const N: usize> ConstantValue for [T; N] {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        match target.layout() {
            Layout::Array { .. } => self.as_slice().pack(target),
            _ => target.vector(&self.map(Into::into)),
        }
    }
}

/// A fixed array of fixed arrays is a matrix by rows where the member is one, else an array.
impl<T: ConstantValue + Copy + Into<Number>, const R: usize, const C: usize> ConstantValue
    for [[T; C]; R]
{
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        match target.layout() {
            Layout::Array { .. } => self.as_slice().pack(target),
            _ => target.matrix((R, C), |r, c| self[r][c].into()),
        }
    }
}

macro_rules! glam_vectors {
    ($($ty:ty)*) => { $(
        impl ConstantValue for $ty {
            fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
                self.to_array().pack(target)
            }
        }
    )* };
}

glam_vectors! { glam::Vec2 glam::Vec3 glam::Vec3A glam::Vec4 glam::IVec2 glam::IVec3 glam::IVec4 glam::UVec2 glam::UVec3 glam::UVec4 glam::Quat }

macro_rules! glam_matrices {
    ($($ty:ty, $n:literal;)*) => { $(
        impl ConstantValue for $ty {
            fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
                let columns = self.to_cols_array_2d();
                target.matrix(($n, columns.len()), |r, c| columns[c][r].into())
            }
        }
    )* };
}

glam_matrices! {
    glam::Mat2, 2;
    glam::Mat3, 3;
    glam::Mat3A, 3;
    glam::Mat4, 4;
    glam::Affine2, 2;
    glam::Affine3A, 3;
}

/// A value known only at run time, as a draw file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A scalar.
    Number(Number),
    /// A vector, a matrix by rows, or an array: the member decides. A flat list for a matrix is its rows in a row.
    List(Vec<Constant>),
    /// Members of a struct; those not named stay as they are.
    Struct(Vec<(String, Constant)>),
}

impl ConstantValue for Constant {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        match self {
            Constant::Number(number) => target.vector(&[*number]),
            Constant::Struct(members) => {
                if members.is_empty() && !matches!(target.layout(), Layout::Struct(_)) {
                    return Err(target.shape("a struct".to_string()));
                }
                (members.iter()).try_for_each(|(name, value)| target.member(name, value))
            }
            Constant::List(items) => match target.layout() {
                Layout::Vector { .. } => target.vector(&flat(items, target)?),
                Layout::Matrix { rows, columns, .. } => {
                    let (r, c) = (usize::from(*rows), usize::from(*columns));
                    let numbers = matrix_numbers(items, (r, c), target)?;
                    target.matrix((r, c), |row, column| numbers[row * c + column])
                }
                _ => items.as_slice().pack(target),
            },
        }
    }
}

/// The numbers of a list of nothing else.
fn flat(items: &[Constant], target: &Target<'_>) -> Result<Vec<Number>, ConstantError> {
    let number = |item: &Constant| match item {
        Constant::Number(number) => Ok(*number),
        Constant::List(_) => Err(target.shape("a list of lists".to_string())),
        Constant::Struct(_) => Err(target.shape("a list of structs".to_string())),
    };
    items.iter().map(number).collect()
}

/// Row by row: from `rows` lists of `columns` numbers, or from one flat list.
fn matrix_numbers(
    items: &[Constant],
    (rows, columns): (usize, usize),
    target: &Target<'_>,
) -> Result<Vec<Number>, ConstantError> {
    let numbers = if items.iter().all(|item| matches!(item, Constant::Number(_))) {
        flat(items, target)?
    } else {
        let mut numbers = Vec::with_capacity(rows * columns);
        for item in items {
            match item {
                Constant::List(row) if row.len() == columns => numbers.extend(flat(row, target)?),
                Constant::List(row) => {
                    return Err(target.shape(format!("a row of {}", count("number", row.len()))));
                }
                _ => return Err(target.shape("rows and other things mixed".to_string())),
            }
        }
        numbers
    };
    if numbers.len() == rows * columns {
        Ok(numbers)
    } else {
        Err(target.shape(count("number", numbers.len())))
    }
}

#[cfg(test)]
#[path = "constants_tests.rs"]
mod tests;
