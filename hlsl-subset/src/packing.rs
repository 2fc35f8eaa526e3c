//! Where members lie in constant buffers (legacy packing, hlsl-vs-semantics.md section 6) and structured buffers.
//!
//! Turns types into [`Layout`]s and lists of declarations into placed [`Member`]s. Must not know syntax trees,
//! registers or who asks: a caller names a type, its majorness and perhaps a fixed offset.

use crate::diagnostic::{Code, Diagnostic};
use crate::reflection::{Layout, Member};
use crate::span::Span;
use crate::types::{Scalar, Type};

/// Bytes of one constant register.
pub const REGISTER: u32 = 16;

/// Largest constant buffer in bytes: 4096 registers.
pub const MAX_CONSTANT_BUFFER: u32 = 65536;

/// Which rules place the parts of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Constant buffers and tbuffers: 16-byte registers.
    Constant,
    /// Structured buffers: as C does with 4-byte members.
    Structured,
}

/// A declaration to be placed.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub ty: &'a Type,
    /// `row_major` or `column_major` where it is written or a `pack_matrix` pragma is in force.
    pub row_major: Option<bool>,
    /// Byte offset asked for by `packoffset` or `register(cN)`.
    pub at: Option<u32>,
    /// Where it is declared.
    pub span: Span,
}

/// Declarations with their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// The members, in order of declaration. Objects take no space and are left out.
    pub members: Vec<Member>,
    /// Bytes up to the end of the last one, not rounded up.
    pub end: u32,
    /// The first declaration without a fixed offset where others have one; D3D's compilers complain of that.
    pub mixed: Option<Span>,
}

/// Why declarations cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackingError {
    /// The end of this declaration is past the limit.
    TooLarge {
        /// The declaration that crosses the limit.
        span: Span,
        /// Where it would end, in bytes (saturated).
        end: u32,
        /// The limit in bytes.
        limit: u32,
    },
    /// A fixed offset at which the declaration may not lie.
    Misaligned {
        /// The declaration.
        span: Span,
        /// The offset asked for.
        at: u32,
        /// The next offset that would do.
        next: u32,
    },
}

impl PackingError {
    /// What to tell the user.
    pub fn diagnostic(&self) -> Diagnostic {
        match *self {
            PackingError::TooLarge { span, end, limit } => {
                let message = match end {
                    u32::MAX => {
                        format!("the constant buffer is larger than its limit of {limit} bytes")
                    }
                    end => {
                        format!("the constant buffer ends at byte {end}, past its limit of {limit}")
                    }
                };
                Diagnostic::new(Code::ConstantBufferTooLarge, span, message)
                    .hint("use several buffers, or arrays of float4, which waste no space")
            }
            PackingError::Misaligned { span, at, next } => {
                let message = format!("the member may not lie at {}", register_text(at));
                Diagnostic::new(Code::MisalignedOffset, span, message)
                    .hint(format!("the next place for it is {}", register_text(next)))
            }
        }
    }
}

/// A byte offset as `packoffset` writes it.
fn register_text(offset: u32) -> String {
    let register = offset / REGISTER;
    match offset % REGISTER / 4 {
        0 => format!("c{register}"),
        component => format!("c{register}.{}", ["x", "y", "z", "w"][component as usize]),
    }
}

/// How a value of type `ty` lies in memory. `row_major` is what is written at its own declaration, `default` what
/// holds where nothing is. `None` for void and objects, which take no space.
pub fn layout(ty: &Type, row_major: Option<bool>, default: bool, rules: Rules) -> Option<Layout> {
    Some(match ty {
        Type::Void | Type::Object(_) => return None,
        Type::Scalar(scalar) => Layout::Vector {
            scalar: *scalar,
            components: 1,
        },
        Type::Enum(e) => Layout::Vector {
            scalar: e.scalar,
            components: 1,
        },
        Type::Vector(scalar, n) => Layout::Vector {
            scalar: *scalar,
            components: *n,
        },
        Type::Matrix(scalar, rows, columns) => matrix(
            *scalar,
            *rows,
            *columns,
            row_major.unwrap_or(default),
            rules,
        ),
        Type::Array(element, len) => {
            let element = layout(element, row_major, default, rules)?;
            let stride = match rules {
                Rules::Constant => round_up(element.size(), REGISTER),
                Rules::Structured => element.size(),
            };
            Layout::Array {
                element: Box::new(element),
                len: *len,
                stride,
            }
        }
        Type::Struct(s) => {
            let mut members = Vec::with_capacity(s.fields.len());
            let mut end = 0;
            for field in &s.fields {
                if let Some(layout) = layout(&field.ty, field.row_major, default, rules) {
                    let offset = place(end, &layout, rules);
                    end = offset.saturating_add(layout.size());
                    members.push(Member {
                        name: field.name.clone(),
                        offset,
                        layout,
                        ty: field.ty.clone(),
                    });
                }
            }
            Layout::Struct(members)
        }
    })
}

fn matrix(scalar: Scalar, rows: u8, columns: u8, row_major: bool, rules: Rules) -> Layout {
    let vector = if row_major { columns } else { rows };
    let line = match rules {
        Rules::Constant => REGISTER,
        Rules::Structured => 4 * u32::from(vector),
    };
    let (row_stride, column_stride) = if row_major { (line, 4) } else { (4, line) };
    Layout::Matrix {
        scalar,
        rows,
        columns,
        row_major,
        row_stride,
        column_stride,
    }
}

impl Layout {
    /// Bytes from the start of the value to the end of its last component; nothing is padded at its end.
    /// Saturates, so that what is too large stays so.
    pub fn size(&self) -> u32 {
        match self {
            Layout::Vector { components, .. } => 4 * u32::from(*components),
            Layout::Matrix {
                rows,
                columns,
                row_stride,
                column_stride,
                ..
            } => {
                let last = |n: &u8| u32::from(*n).saturating_sub(1);
                last(rows) * row_stride + last(columns) * column_stride + 4
            }
            Layout::Array {
                element,
                len,
                stride,
            } => match (len, element.size()) {
                (0, _) | (_, 0) => 0,
                (len, size) => stride.saturating_mul(len - 1).saturating_add(size),
            },
            Layout::Struct(members) => members
                .iter()
                .map(|m| m.offset.saturating_add(m.layout.size()))
                .max()
                .unwrap_or(0),
        }
    }

    /// Whether the value begins a new register even where it would fit into the current one.
    fn starts_register(&self) -> bool {
        match self {
            Layout::Vector { .. } => false,
            Layout::Matrix {
                rows,
                columns,
                row_major,
                ..
            } => *(if *row_major { rows } else { columns }) > 1,
            Layout::Array { .. } | Layout::Struct(_) => true,
        }
    }

    /// Byte of each component from the start of the value, in Hir's order of components (matrices row by row).
    pub fn component_offsets(&self) -> Vec<u32> {
        let mut offsets = Vec::new();
        self.push_offsets(0, &mut offsets);
        offsets
    }

    fn push_offsets(&self, base: u32, out: &mut Vec<u32>) {
        match self {
            Layout::Vector { components, .. } => {
                out.extend((0..u32::from(*components)).map(|i| base + 4 * i));
            }
            Layout::Matrix {
                rows,
                columns,
                row_stride,
                column_stride,
                ..
            } => {
                for r in 0..u32::from(*rows) {
                    out.extend(
                        (0..u32::from(*columns)).map(|c| base + r * row_stride + c * column_stride),
                    );
                }
            }
            Layout::Array { element, .. } if element.size() == 0 => {}
            Layout::Array {
                element,
                len,
                stride,
            } => {
                for i in 0..*len {
                    element.push_offsets(base + i * stride, out);
                }
            }
            Layout::Struct(members) => {
                for m in members {
                    m.layout.push_offsets(base + m.offset, out);
                }
            }
        }
    }
}

/// The first byte at or after `offset` where a value may begin.
fn place(offset: u32, layout: &Layout, rules: Rules) -> u32 {
    let used = offset % REGISTER;
    match rules {
        Rules::Structured => offset,
        Rules::Constant if used == 0 => offset,
        Rules::Constant if layout.starts_register() || layout.size() > REGISTER - used => {
            round_up(offset, REGISTER)
        }
        Rules::Constant => offset,
    }
}

fn round_up(offset: u32, to: u32) -> u32 {
    offset.checked_next_multiple_of(to).unwrap_or(u32::MAX)
}

/// Places the members of one constant buffer.
///
/// With `fixed_first`, as in `$Globals`, declarations without a fixed offset follow the end of all that have one;
/// without, as in a `cbuffer`, each follows the highest end of those before it.
pub fn pack(
    declared: &[Declared],
    default_row_major: bool,
    fixed_first: bool,
) -> Result<Packed, PackingError> {
    let mut packed = Packed {
        members: Vec::with_capacity(declared.len()),
        end: 0,
        mixed: None,
    };
    let layouts: Vec<Option<Layout>> = declared
        .iter()
        .map(|d| layout(d.ty, d.row_major, default_row_major, Rules::Constant))
        .collect();
    if fixed_first {
        for (d, layout) in declared.iter().zip(&layouts) {
            if let (Some(at), Some(layout)) = (d.at, layout) {
                packed.end = packed.end.max(end_of(d, at, layout)?);
            }
        }
    }
    for (d, layout) in declared.iter().zip(layouts) {
        let Some(layout) = layout else { continue };
        let offset = match d.at {
            Some(at) => aligned(d, at, &layout)?,
            None => place(packed.end, &layout, Rules::Constant),
        };
        packed.end = packed.end.max(end_of(d, offset, &layout)?);
        packed.members.push(Member {
            name: d.name.to_owned(),
            offset,
            layout,
            ty: d.ty.clone(),
        });
    }
    if declared.iter().any(|d| d.at.is_some()) {
        packed.mixed = declared.iter().find(|d| d.at.is_none()).map(|d| d.span);
    }
    Ok(packed)
}

fn aligned(d: &Declared, at: u32, layout: &Layout) -> Result<u32, PackingError> {
    let next = place(at, layout, Rules::Constant);
    if next == at {
        Ok(at)
    } else {
        Err(PackingError::Misaligned {
            span: d.span,
            at,
            next,
        })
    }
}

fn end_of(d: &Declared, offset: u32, layout: &Layout) -> Result<u32, PackingError> {
    let end = offset.saturating_add(layout.size());
    if end > MAX_CONSTANT_BUFFER {
        return Err(PackingError::TooLarge {
            span: d.span,
            end,
            limit: MAX_CONSTANT_BUFFER,
        });
    }
    Ok(end)
}

impl Packed {
    /// Size of the constant buffer: the end, rounded up to whole registers.
    pub fn size(&self) -> u32 {
        round_up(self.end, REGISTER)
    }
}

#[cfg(test)]
mod tests;
