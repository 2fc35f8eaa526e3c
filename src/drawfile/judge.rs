//! Whether what came out is what an `[[expect]]` asks for; a failure says what was expected and what came.

use super::expect::{Expect, Kind, Primitive, Want};
use crate::output::component;
use fuseline_hlsl::types::Scalar;
use fuseline_runtime::results::{Output, Results};

/// How many differing rows are told.
const TOLD: usize = 3;

/// Compares the results of the expectation's draw. Errors are judged elsewhere.
pub fn judge(expect: &Expect, results: &Results) -> Result<(), String> {
    match &expect.kind {
        Kind::Rows {
            semantic,
            index,
            rows,
            first_row,
            abs,
            ulp,
        } => {
            let output = results
                .output(semantic, *index)
                .map_err(|e| e.to_string())?;
            let tolerance = Tolerance {
                abs: *abs,
                ulp: *ulp,
            };
            judge_rows(&output, results.rows(), rows, *first_row, &tolerance)
        }
        Kind::Primitives(wanted) => judge_primitives(results, wanted),
        Kind::Statistics(wanted) => judge_statistics(results, wanted),
        Kind::Error { contains, .. } => Err(format!(
            "expected an error that contains {contains:?}, but the draw ran"
        )),
    }
}

struct Tolerance {
    abs: Option<f64>,
    ulp: Option<u32>,
}

fn judge_rows(
    output: &Output<'_>,
    have: usize,
    rows: &[Vec<Want>],
    first_row: Option<usize>,
    tolerance: &Tolerance,
) -> Result<(), String> {
    let name = output.name();
    let first = first_row.unwrap_or(0);
    let right_number = if first_row.is_some() {
        first.saturating_add(rows.len()) <= have
    } else {
        rows.len() == have
    };
    if !right_number {
        return Err(format!(
            "{name}: expected {} rows from row {first}, got {have} in all",
            rows.len()
        ));
    }
    let scalar = output.signature().scalar;
    let mut wrong = Vec::new();
    for (i, wanted) in rows.iter().enumerate() {
        let got = output.bits(first + i).unwrap_or_default();
        if wanted.len() != got.len() {
            return Err(format!(
                "{name}: row {i} of the file has {} components, {name} has {}",
                wanted.len(),
                got.len()
            ));
        }
        if !wanted
            .iter()
            .zip(&got)
            .all(|(want, got)| tolerance.accepts(scalar, *want, *got))
        {
            wrong.push((first + i, wanted, got));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let mut text = format!("{name}: {} of {} rows differ", wrong.len(), rows.len());
    for (row, wanted, got) in wrong.iter().take(TOLD) {
        let wanted = wanted
            .iter()
            .map(|w| w.text(scalar))
            .collect::<Vec<_>>()
            .join(", ");
        let got = got
            .iter()
            .map(|g| told(scalar, *g))
            .collect::<Vec<_>>()
            .join(", ");
        text += &format!("\n  row {row}: expected [{wanted}], got [{got}]");
    }
    Err(text)
}

impl Want {
    fn text(&self, scalar: Scalar) -> String {
        match (scalar, self.integer) {
            (Scalar::Float, _) | (_, None) => told(Scalar::Float, self.float.to_bits()),
            (_, Some(integer)) => integer.to_string(),
        }
    }
}

/// A value for people: floats with their bits, since two may look alike.
fn told(scalar: Scalar, bits: u32) -> String {
    let text = component::text(scalar, bits);
    if scalar == Scalar::Float {
        format!("{text} ({bits:#010X})")
    } else {
        text
    }
}

impl Tolerance {
    fn accepts(&self, scalar: Scalar, want: Want, got: u32) -> bool {
        match scalar {
            Scalar::Float => self.accepts_float(want.float, f32::from_bits(got)),
            Scalar::Int => self.accepts_integer(want, i64::from(got as i32)),
            Scalar::Uint => self.accepts_integer(want, i64::from(got)),
            Scalar::Bool => self.accepts_integer(want, i64::from(got != 0)),
        }
    }

    fn accepts_integer(&self, want: Want, got: i64) -> bool {
        let near = |want: i64| self.abs.is_some_and(|abs| (got - want).abs() as f64 <= abs);
        match want.integer {
            Some(want) => got == want || near(want),
            None => got as f64 == f64::from(want.float),
        }
    }

    fn accepts_float(&self, want: f32, got: f32) -> bool {
        if got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()) {
            return true;
        }
        if got.is_nan() || want.is_nan() {
            return false;
        }
        let near = |abs| (f64::from(got) - f64::from(want)).abs() <= abs;
        let few = |ulp| ordinal(got).abs_diff(ordinal(want)) <= u64::from(ulp);
        self.abs.is_some_and(near) || self.ulp.is_some_and(few)
    }
}

/// Floats in order, neighbours one apart; both zeros are 0.
fn ordinal(x: f32) -> i64 {
    let magnitude = i64::from(x.to_bits() & 0x7FFF_FFFF);
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

fn judge_primitives(results: &Results, wanted: &[Primitive]) -> Result<(), String> {
    let got = results.primitives();
    if got.len() != wanted.len() as u64 {
        return Err(format!(
            "expected {} primitives, got {}",
            wanted.len(),
            got.len()
        ));
    }
    for (i, (primitive, want)) in got.iter().zip(wanted).enumerate() {
        let ids = primitive
            .rows()
            .filter_map(|row| results.location(row))
            .map(|at| at.vertex_id)
            .collect();
        let got = Primitive {
            view: primitive.view,
            instance: primitive.instance,
            id: primitive.id,
            vertices: ids,
        };
        if got != *want {
            return Err(format!(
                "primitive {i}: expected {}, got {}",
                want.text(),
                got.text()
            ));
        }
    }
    Ok(())
}

impl Primitive {
    fn text(&self) -> String {
        let Primitive {
            view,
            instance,
            id,
            vertices,
        } = self;
        format!("view {view}, instance {instance}, id {id}, vertices {vertices:?}")
    }
}

/// The clipper's counters, which are counted only for those who ask; false: it is another one.
fn judge_clipper(results: &Results, name: &str, want: u64) -> Result<bool, String> {
    let got = match name {
        "CInvocations" => Some(results.clip_statistics().c_invocations),
        "CPrimitives" => results.clip_statistics().c_primitives,
        _ => return Ok(false),
    };
    match got {
        Some(got) if got == want => Ok(true),
        Some(got) => Err(format!("{name}: expected {want}, got {got}")),
        None => Err(format!(
            "{name}: expected {want}, but primitives cross the clip volume's border: it depends on the guard band"
        )),
    }
}

fn judge_statistics(results: &Results, wanted: &[(String, u64)]) -> Result<(), String> {
    let have = crate::output::json::statistics(results);
    for (name, want) in wanted {
        if judge_clipper(results, name, *want)? {
            continue;
        }
        match have.get(name).and_then(serde_json::Value::as_u64) {
            Some(got) if got == *want => {}
            Some(got) => return Err(format!("{name}: expected {want}, got {got}")),
            None => {
                return Err(format!(
                    "there is no counter {name}; those there are: {have}"
                ));
            }
        }
    }
    Ok(())
}
