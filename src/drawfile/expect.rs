//! `[[expect]]`: what a draw must give, as the file says it. Comparing is in [`crate::drawfile::judge`].

use super::{
    needed, number,
    reader::{Entry, FileError, Number, Table},
    split_semantic,
};

/// One expectation.
#[derive(Debug)]
pub struct Expect {
    /// Which draw; None: not said (draw 0, or for errors any).
    pub draw: Option<usize>,
    /// What is expected.
    pub kind: Kind,
    /// Where it stands.
    pub place: FileError,
}

/// What is expected.
#[derive(Debug)]
pub enum Kind {
    /// Rows of an output.
    Rows {
        /// Semantic name.
        semantic: String,
        /// Semantic index.
        index: u32,
        /// The rows.
        rows: Vec<Vec<Want>>,
        /// Only rows from here are compared.
        first_row: Option<usize>,
        /// Absolute tolerance.
        abs: Option<f64>,
        /// Tolerance in units in the last place.
        ulp: Option<u32>,
    },
    /// The complete list of primitives.
    Primitives(Vec<Primitive>),
    /// Counters by D3D's names.
    Statistics(Vec<(String, u64)>),
    /// A refusal.
    Error {
        /// Text that a diagnostic's message holds, in any case.
        contains: String,
        /// Line of the shader.
        line: Option<u32>,
    },
}

/// A wanted component.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    /// Rounded to binary32.
    pub float: f32,
    /// Written as an integer.
    pub integer: Option<i64>,
}

/// A wanted primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// SV_ViewID.
    pub view: u32,
    /// SV_InstanceID.
    pub instance: u32,
    /// SV_PrimitiveID.
    pub id: u32,
    /// SV_VertexID of each corner.
    pub vertices: Vec<u32>,
}

impl Expect {
    pub(super) fn read(table: Table<'_>) -> Result<Expect, FileError> {
        let mut kinds = Vec::new();
        if let Some(output) = table.string("output")? {
            kinds.push(rows(&table, &output)?);
        }
        if let Some(entry) = table.entry("primitives")? {
            kinds.push(Kind::Primitives(
                entry
                    .elements()?
                    .iter()
                    .map(primitive)
                    .collect::<Result<_, _>>()?,
            ));
        }
        if let Some(counters) = table.table("statistics")? {
            let counters = counters
                .pairs()?
                .into_iter()
                .map(|(k, v)| Ok((k.to_owned(), v.integer()?)));
            kinds.push(Kind::Statistics(
                counters.collect::<Result<_, FileError>>()?,
            ));
        }
        if table.has("stream_output") {
            return Err(table.error_at("stream_output", "`stream_output` is not supported yet"));
        }
        if let Some(error) = table.table("error")? {
            let contains = needed(&error, "contains", error.string("contains")?)?;
            kinds.push(Kind::Error {
                contains,
                line: error.integer("line")?,
            });
            error.finish()?;
        }
        let draw = table.integer::<u32>("draw")?.map(|d| d as usize);
        let place = table.error("");
        let needs_one = table.error(
            "[[expect]] holds exactly one of `output`, `primitives`, `statistics` and `error`",
        );
        table.finish()?;
        match <[Kind; 1]>::try_from(kinds) {
            Ok([kind]) => Ok(Expect { draw, kind, place }),
            Err(_) => Err(needs_one),
        }
    }

    pub(super) fn check_draw(&self, draws: usize) -> Result<(), FileError> {
        match self.draw {
            Some(draw) if draw >= draws => Err(FileError {
                message: format!(
                    "`draw` is {draw}, but the file has {draws} draws (counted from 0)"
                ),
                ..self.place.clone()
            }),
            _ => Ok(()),
        }
    }
}

fn rows(table: &Table<'_>, output: &str) -> Result<Kind, FileError> {
    let (semantic, digits) = split_semantic(output);
    let index = if digits.is_empty() {
        Ok(0)
    } else {
        digits.parse()
    };
    let index =
        index.map_err(|_| table.error_at("output", "the semantic's index is out of range"))?;
    let entry = needed(table, "rows", table.entry("rows")?)?;
    let rows = entry
        .elements()?
        .iter()
        .map(|row| {
            row.elements()?
                .iter()
                .map(want)
                .collect::<Result<Vec<_>, _>>()
        })
        .collect::<Result<Vec<_>, FileError>>()?;
    let abs = table.entry("abs")?.map(|e| tolerance(&e)).transpose()?;
    Ok(Kind::Rows {
        semantic: semantic.to_owned(),
        index,
        rows,
        first_row: table.integer::<u32>("first_row")?.map(|r| r as usize),
        abs,
        ulp: table.integer("ulp")?,
    })
}

fn tolerance(entry: &Entry<'_>) -> Result<f64, FileError> {
    let value = match entry.number()? {
        Number::Integer(i) => i as f64,
        Number::Float(text) => text
            .replace('_', "")
            .parse()
            .map_err(|_| entry.error("a tolerance is a finite number"))?,
    };
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(entry.error("a tolerance is not negative"))
    }
}

fn want(entry: &Entry<'_>) -> Result<Want, FileError> {
    if let Some(truth) = entry.as_boolean() {
        return Ok(Want {
            float: f32::from(u8::from(truth)),
            integer: Some(i64::from(truth)),
        });
    }
    let written = entry.number()?;
    let float = number::to_f32(written)
        .ok_or_else(|| entry.error("the number is too large for a float"))?;
    Ok(Want {
        float,
        integer: if let Number::Integer(i) = written {
            Some(i)
        } else {
            None
        },
    })
}

fn primitive(entry: &Entry<'_>) -> Result<Primitive, FileError> {
    let table = entry.table()?;
    let vertices = needed(&table, "vertices", table.entry("vertices")?)?;
    let primitive = Primitive {
        view: table.integer("view")?.unwrap_or(0),
        instance: table.integer("instance")?.unwrap_or(0),
        id: table.integer("id")?.unwrap_or(0),
        vertices: vertices
            .elements()?
            .iter()
            .map(Entry::integer)
            .collect::<Result<_, _>>()?,
    };
    table.finish()?;
    Ok(primitive)
}
