//! The result file (draw-file.md, *Result file*), written row by row so that its size costs no memory.

use super::component::{self, Quotes};
use fuseline_runtime::results::{Output, Results};
use serde_json::json;
use std::io::{self, Write};

/// Writes the results of all draws.
pub fn write(out: &mut impl Write, draws: &[Results]) -> io::Result<()> {
    out.write_all(b"{\"draws\":[")?;
    for (i, results) in draws.iter().enumerate() {
        separate(out, i)?;
        write_draw(out, results)?;
    }
    out.write_all(b"]}\n")
}

fn write_draw(out: &mut impl Write, results: &Results) -> io::Result<()> {
    write!(out, "{{\"rows\":{},\"outputs\":[", results.rows())?;
    for (i, output) in results.outputs().enumerate() {
        separate(out, i)?;
        write_output(out, results, &output)?;
    }
    out.write_all(b"],\"primitives\":")?;
    write_primitives(out, results)?;
    write!(out, ",\"statistics\":{}}}", statistics(results))
}

/// The counters under D3D's names.
pub fn statistics(results: &Results) -> serde_json::Value {
    let s = results.statistics();
    json!({ "IAVertices": s.ia_vertices, "IAPrimitives": s.ia_primitives, "VSInvocations": s.vs_invocations })
}

fn write_output(out: &mut impl Write, results: &Results, output: &Output<'_>) -> io::Result<()> {
    let signature = output.signature();
    let head = json!({ "semantic": signature.semantic, "index": signature.index, "type": output.type_name() });
    let head = head.to_string();
    write!(out, "{},\"values\":[", head.trim_end_matches('}'))?;
    for row in 0..results.rows() {
        separate(out, row)?;
        out.write_all(b"[")?;
        for (i, bits) in output.bits(row).unwrap_or_default().into_iter().enumerate() {
            separate(out, i)?;
            component::write(out, signature.scalar, bits, Quotes::Json)?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"]}")
}

fn write_primitives(out: &mut impl Write, results: &Results) -> io::Result<()> {
    let primitives = results.primitives();
    let topology = json!(results.topology().to_string());
    write!(
        out,
        "{{\"topology\":{topology},\"corners\":{}",
        primitives.corners()
    )?;
    for key in ["view", "instance", "id"] {
        write!(out, ",\"{key}\":[")?;
        for (i, primitive) in primitives.iter().enumerate() {
            separate(out, i)?;
            let value = match key {
                "view" => primitive.view,
                "instance" => primitive.instance,
                _ => primitive.id,
            };
            write!(out, "{value}")?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b",\"rows\":[")?;
    for (i, primitive) in primitives.iter().enumerate() {
        separate(out, i)?;
        out.write_all(b"[")?;
        for (k, row) in primitive.rows().enumerate() {
            separate(out, k)?;
            write!(out, "{row}")?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"]}")
}

fn separate(out: &mut impl Write, i: usize) -> io::Result<()> {
    if i > 0 { out.write_all(b",") } else { Ok(()) }
}
