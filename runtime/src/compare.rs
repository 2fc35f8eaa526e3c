//! Two results of the same draw, bit for bit.

use crate::results::{Coordinates, Output, Results, Strided};
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
    let columns: Vec<Column<'_>> = first
        .outputs()
        .zip(second.outputs())
        .map(Column::new)
        .collect();
    for row in 0..first.rows() {
        let (Some(at), Some(other)) = (first.coordinates(row), second.coordinates(row)) else {
            break;
        };
        if let Some(difference) = columns
            .iter()
            .find_map(|column| column.differ(row, at, other))
        {
            return Some(difference);
        }
    }
    (first.statistics() != second.statistics()).then_some(Difference::Statistics)
}

/// The components of an output in both results.
struct Column<'a> {
    output: Output<'a>,
    components: Vec<(Strided<'a>, Strided<'a>)>,
}

impl<'a> Column<'a> {
    fn new((first, second): (Output<'a>, Output<'a>)) -> Column<'a> {
        let component = |c| Some((first.component(c)?, second.component(c)?));
        Column {
            output: first,
            components: (0..first.components()).filter_map(component).collect(),
        }
    }

    fn differ(&self, row: usize, at: Coordinates, other: Coordinates) -> Option<Difference> {
        let bits = self
            .components
            .iter()
            .map(|(a, b)| (a.get(at), b.get(other)));
        let (component, (first, second)) = bits.enumerate().find(|(_, (a, b))| a != b)?;
        Some(Difference::Value {
            row,
            output: self.output.name(),
            component,
            first: first?,
            second: second?,
        })
    }
}
