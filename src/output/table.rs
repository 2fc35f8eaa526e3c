//! The first rows of a draw as a table for people.

use super::component;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use fuseline_runtime::results::Results;

/// How many rows are shown.
const ROWS: usize = 8;

/// The table, and a line that says how many rows there are.
pub fn first_rows(draw: usize, results: &Results) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Disabled);
    let heads = ["view", "instance", "vertex"].map(str::to_owned);
    table.set_header(heads.into_iter().chain(results.outputs().map(|o| o.name())));
    for row in 0..results.rows().min(ROWS) {
        let Some(at) = results.location(row) else {
            continue;
        };
        let place = [at.view, at.instance, at.vertex_id].map(|n| n.to_string());
        let values = results.outputs().map(|output| {
            let scalar = output.signature().scalar;
            let bits = output.bits(row).unwrap_or_default();
            bits.into_iter()
                .map(|b| component::text(scalar, b))
                .collect::<Vec<_>>()
                .join("  ")
        });
        table.add_row(place.into_iter().chain(values));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let rows = results.rows();
    let shown = if rows > ROWS {
        format!(", the first {ROWS} shown")
    } else {
        String::new()
    };
    let primitives = results.primitives().len();
    format!(
        "draw {draw}: {rows} rows{shown}, {primitives} primitives ({})\n{table}",
        results.topology()
    )
}
