//! Results as geometry: the assembled primitives with their positions, for Wavefront OBJ files and for pictures.

use super::picture::{Picture, Scene};
use fuseline_hlsl::types::Scalar;
use fuseline_runtime::results::{Output, Primitive, Results};
use glam::{Vec3, Vec4};
use std::io::{self, Write};

/// Why results are no geometry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No such output.
    #[error("the shader writes no {0}; name the output that holds the position with --position")]
    NoPosition(String),
    /// Positions are not numbers to draw.
    #[error("{0} is no position: it has to be float2, float3 or float4")]
    NotAPosition(String),
}

/// Width and height of pictures.
const PICTURE: (usize, usize) = (960, 720);

/// The output that holds the position: the one named, or SV_Position.
fn position<'a>(results: &'a Results, semantic: Option<&str>) -> Result<Output<'a>, ModelError> {
    let written = semantic.unwrap_or("SV_Position");
    let (name, digits) = crate::drawfile::split_semantic(written);
    let output = results
        .output(name, digits.parse().unwrap_or(0))
        .map_err(|_| ModelError::NoPosition(written.to_owned()))?;
    if output.signature().scalar != Scalar::Float || output.components() < 2 {
        return Err(ModelError::NotAPosition(written.to_owned()));
    }
    Ok(output)
}

fn vec4(output: &Output<'_>, row: usize) -> Vec4 {
    let mut value = Vec4::W;
    for (i, bits) in output.bits(row).unwrap_or_default().into_iter().enumerate() {
        value[i] = f32::from_bits(bits);
    }
    value
}

/// Corner rows of each primitive, without adjacent vertices.
fn primitives(results: &Results) -> impl Iterator<Item = Vec<u32>> + '_ {
    let rows = |p: Primitive| p.interior_rows().map(|row| row as u32).collect();
    results.primitives().iter().map(rows)
}

/// Writes all draws as one OBJ: positions (divided by w for a float4), and faces, lines or points.
pub fn write_obj(
    out: &mut impl Write,
    draws: &[Results],
    semantic: Option<&str>,
) -> Result<io::Result<()>, ModelError> {
    let outputs = draws
        .iter()
        .map(|d| position(d, semantic))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(write_obj_draws(out, draws, &outputs))
}

fn write_obj_draws(
    out: &mut impl Write,
    draws: &[Results],
    outputs: &[Output<'_>],
) -> io::Result<()> {
    let mut first = 1;
    for (draw, (results, output)) in draws.iter().zip(outputs).enumerate() {
        writeln!(out, "o draw{draw}")?;
        for row in 0..results.rows() {
            let p = vec4(output, row);
            let [x, y, z] = if output.components() == 4 {
                (p / p.w).truncate()
            } else {
                p.truncate()
            }
            .to_array();
            writeln!(out, "v {x:?} {y:?} {z:?}")?;
        }
        for corners in primitives(results) {
            out.write_all(match corners.len() {
                1 => b"p",
                2 => b"l",
                _ => b"f",
            })?;
            for row in corners {
                write!(out, " {}", first + row as usize)?;
            }
            out.write_all(b"\n")?;
        }
        first += results.rows();
    }
    Ok(())
}

/// All draws in one picture.
pub fn picture(draws: &[Results], semantic: Option<&str>) -> Result<Picture, ModelError> {
    let mut scene = Scene {
        positions: Vec::new(),
        colors: Some(Vec::new()),
        primitives: Vec::new(),
    };
    for results in draws {
        let output = position(results, semantic)?;
        let color = results
            .output("COLOR", 0)
            .ok()
            .filter(|c| c.signature().scalar == Scalar::Float && c.components() >= 3);
        let first = scene.positions.len() as u32;
        for row in 0..results.rows() {
            scene.positions.push(vec4(&output, row));
            match (&mut scene.colors, &color) {
                (Some(colors), Some(color)) => {
                    colors.push(vec4(color, row).truncate().clamp(Vec3::ZERO, Vec3::ONE))
                }
                (colors, _) => *colors = None,
            }
        }
        scene
            .primitives
            .extend(primitives(results).map(|p| p.into_iter().map(|row| first + row).collect()));
    }
    if semantic.is_some_and(|s| !s.eq_ignore_ascii_case("SV_Position")) {
        scene.fit();
    }
    Ok(scene.render(PICTURE.0, PICTURE.1))
}
