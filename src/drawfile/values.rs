//! Values of constant buffer members as a draw file writes them: numbers, lists and tables.

use super::{
    number,
    reader::{Entry, FileError, Number, Table},
};

/// A value, not yet fitted to a member.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number: as a float, and as an integer where it is written as one.
    Number {
        /// Rounded to binary32.
        float: f32,
        /// Written without a point.
        integer: Option<i64>,
    },
    /// A truth value.
    Bool(bool),
    /// A vector, a matrix's rows, or an array.
    List(Vec<Value>),
    /// A struct.
    Struct(Vec<(String, Value)>),
}

/// The members that a `values` table sets.
pub fn members(table: &Table<'_>) -> Result<Vec<(String, Value)>, FileError> {
    table
        .pairs()?
        .into_iter()
        .map(|(name, entry)| Ok((name.to_owned(), value(&entry)?)))
        .collect()
}

fn value(entry: &Entry<'_>) -> Result<Value, FileError> {
    if let Some(truth) = entry.as_boolean() {
        Ok(Value::Bool(truth))
    } else if entry.is_array() {
        Ok(Value::List(
            entry
                .elements()?
                .iter()
                .map(value)
                .collect::<Result<_, _>>()?,
        ))
    } else if entry.is_table() {
        Ok(Value::Struct(members(&entry.table()?)?))
    } else {
        let written = entry.number()?;
        let float = number::to_f32(written)
            .ok_or_else(|| entry.error("the number is too large for a float"))?;
        let integer = if let Number::Integer(i) = written {
            Some(i)
        } else {
            None
        };
        Ok(Value::Number { float, integer })
    }
}
