//! Two results of the same draw, bit for bit.

use crate::results::{Output, Results};
use std::fmt;

/// The first place where two results differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Numbers of rows.
    Rows {
        /// Of the first.
        first: usize,
        /// Of the second.
        second: usize,
    },
    /// Counters.
    Statistics,
    /// A component.
    Value {
        /// The row.
        row: usize,
        /// The output's semantic and index.
        output: String,
        /// The component.
        component: usize,
        /// Bits in the first.
        first: u32,
        /// Bits in the second.
        second: u32,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Rows { first, second } => write!(f, "{first} rows and {second} rows"),
            Difference::Statistics => f.write_str("the statistics differ"),
            Difference::Value {
                row,
                output,
                component,
                first,
                second,
            } => {
                let name = b"xyzw".get(*component).map_or('?', |c| char::from(*c));
                write!(
                    f,
                    "row {row}, {output}.{name}: {first:#010x} ({}) and {second:#010x} ({})",
                    f32::from_bits(*first),
                    f32::from_bits(*second)
                )
            }
        }
    }
}

/// The first difference between the results of the same draw by two engines, in row order; None where all rows and
/// the statistics are equal.
pub fn compare(first: &Results, second: &Results) -> Option<Difference> {
    if first.rows() != second.rows() {
        return Some(Difference::Rows {
            first: first.rows(),
            second: second.rows(),
        });
    }
    for row in 0..first.rows() {
        if let Some(difference) = compare_row(first, second, row) {
            return Some(difference);
        }
    }
    (first.statistics() != second.statistics()).then_some(Difference::Statistics)
}

fn compare_row(first: &Results, second: &Results, row: usize) -> Option<Difference> {
    let (at, other) = (first.coordinates(row)?, second.coordinates(row)?);
    let outputs = first.outputs().zip(second.outputs());
    for (a, b) in outputs {
        let (left, right) = (a.bits_at(at), b.bits_at(other));
        let components = left.iter().zip(&right).enumerate();
        for (component, (first, second)) in components {
            if first != second {
                return Some(difference(row, &a, component, *first, *second));
            }
        }
    }
    None
}

fn difference(
    row: usize,
    output: &Output<'_>,
    component: usize,
    first: u32,
    second: u32,
) -> Difference {
    Difference::Value {
        row,
        output: output.name(),
        component,
        first,
        second,
    }
}
