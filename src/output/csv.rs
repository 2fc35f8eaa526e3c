//! Results as CSV: one line per row, columns `draw,view,instance,vertex,SEMANTICi.x…` (command-line.md).

use super::component::{self, Quotes};
use fuseline_hlsl::hir::SignatureElement;
use fuseline_runtime::results::Results;
use std::io::{self, Write};

/// Writes the results of all draws. `vertex` is SV_VertexID.
pub fn write(out: &mut impl Write, draws: &[Results]) -> io::Result<()> {
    let signature: &[SignatureElement] = draws.first().map_or(&[], |d| d.signature());
    out.write_all(b"draw,view,instance,vertex")?;
    for element in signature {
        for component in "xyzw".chars().take(usize::from(element.components)) {
            write!(out, ",{}{}.{component}", element.semantic, element.index)?;
        }
    }
    out.write_all(b"\n")?;
    for (draw, results) in draws.iter().enumerate() {
        write_rows(out, draw, results)?;
    }
    Ok(())
}

fn write_rows(out: &mut impl Write, draw: usize, results: &Results) -> io::Result<()> {
    for row in 0..results.rows() {
        let Some(at) = results.location(row) else {
            continue;
        };
        write!(out, "{draw},{},{},{}", at.view, at.instance, at.vertex_id)?;
        for output in results.outputs() {
            let scalar = output.signature().scalar;
            for bits in output.bits(row).unwrap_or_default() {
                out.write_all(b",")?;
                component::write(out, scalar, bits, Quotes::None)?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
