//! Makes `examples/teapot/teapot.vb` and `teapot.ib` from the Bézier patches in `examples/teapot/patches.txt`.
//!
//! `cargo run --example tessellate_teapot [SEGMENTS]`: each patch becomes a grid of SEGMENTS × SEGMENTS cells (24 by
//! default). A vertex is 32 bytes: position (3 floats), normal (3), texture coordinates (2); indices are 16 bits wide.

use glam::{DVec2, DVec3};
use std::{error::Error, fs, path::Path};

/// Sixteen control points, row after row, and whether the surface is seen from inside as it stands.
struct Patch {
    points: [DVec3; 16],
    mirrored: bool,
}

/// Vertices (position, normal, texture coordinates) and a triangle list.
type Mesh = (Vec<[f32; 8]>, Vec<u16>);

/// Cells along each side of a patch.
const SEGMENTS: usize = 24;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/teapot")
}

fn main() -> Result<(), Box<dyn Error>> {
    let segments = std::env::args()
        .nth(1)
        .map_or(Ok(SEGMENTS), |a| a.parse())?;
    let (vertices, indices) = teapot(segments)?;
    println!(
        "{} vertices, {} triangles",
        vertices.len() / 32,
        indices.len() / 6
    );
    fs::write(folder().join("teapot.vb"), vertices)?;
    fs::write(folder().join("teapot.ib"), indices)?;
    Ok(())
}

/// The bytes of the vertex buffer and the index buffer.
fn teapot(segments: usize) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let patches = fs::read_to_string(folder().join("patches.txt"))?;
    let (vertices, indices) = tessellate(&patches, segments)?;
    Ok((
        vertices
            .iter()
            .flatten()
            .flat_map(|x| x.to_le_bytes())
            .collect(),
        indices.iter().flat_map(|i| i.to_le_bytes()).collect(),
    ))
}

/// The mesh of all patches in `text`.
fn tessellate(text: &str, segments: usize) -> Result<Mesh, Box<dyn Error>> {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        for patch in patches(line)? {
            let first = vertices.len();
            for i in 0..=segments {
                for j in 0..=segments {
                    vertices.push(vertex(
                        &patch,
                        DVec2::new(i as f64, j as f64) / segments as f64,
                    ));
                }
            }
            for i in 0..segments {
                for j in 0..segments {
                    let a = first + i * (segments + 1) + j;
                    let (b, c, d) = (a + 1, a + segments + 1, a + segments + 2);
                    let cell = if patch.mirrored {
                        [a, c, b, b, c, d]
                    } else {
                        [a, b, c, b, d, c]
                    };
                    for v in cell {
                        indices.push(
                            u16::try_from(v).map_err(|_| "too many vertices for 16-bit indices")?,
                        );
                    }
                }
            }
        }
    }
    Ok((vertices, indices))
}

/// The patch of a line and its mirror images.
fn patches(line: &str) -> Result<Vec<Patch>, Box<dyn Error>> {
    let mut words = line.split_whitespace();
    let (_name, mirrors) = (
        words.next(),
        words.next().ok_or("a patch names its mirrors")?,
    );
    let points = words
        .map(|w| {
            let mut xyz = w.split(',').map(str::parse::<f64>);
            let mut next = || xyz.next().ok_or("a point has three coordinates");
            Ok(DVec3::new(next()??, next()??, next()??))
        })
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let points: [DVec3; 16] = points
        .try_into()
        .map_err(|_| "a patch has sixteen points")?;
    let signs: &[(f64, f64)] = if mirrors == "xy" {
        &[(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
    } else {
        &[(1.0, 1.0), (1.0, -1.0)]
    };
    Ok(signs
        .iter()
        .map(|&(x, y)| Patch {
            points: points.map(|p| p * DVec3::new(x, y, 1.0)),
            mirrored: x * y < 0.0,
        })
        .collect())
}

/// The surface at `uv`, its normal, and `uv` itself.
fn vertex(patch: &Patch, uv: DVec2) -> [f32; 8] {
    let position = surface(patch, uv);
    // Where a row of control points falls into one (the knob's top, the middle of the bottom) a partial derivative
    // vanishes; a step inside the patch it does not.
    let inside = uv.clamp(DVec2::splat(1e-4), DVec2::splat(1.0 - 1e-4));
    let step = 1e-5;
    let du = surface(patch, inside + DVec2::X * step) - surface(patch, inside - DVec2::X * step);
    let dv = surface(patch, inside + DVec2::Y * step) - surface(patch, inside - DVec2::Y * step);
    let normal = if patch.mirrored {
        du.cross(dv)
    } else {
        dv.cross(du)
    }
    .normalize_or(DVec3::Z);
    let [p, n, t] = [
        position.as_vec3(),
        normal.as_vec3(),
        uv.as_vec2().extend(0.0),
    ];
    [p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y]
}

fn surface(patch: &Patch, uv: DVec2) -> DVec3 {
    let (u, v) = (bernstein(uv.x), bernstein(uv.y));
    (0..16).map(|k| patch.points[k] * u[k / 4] * v[k % 4]).sum()
}

fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_teapot_in_the_repository_is_what_is_made() {
        let (vertices, indices) = teapot(SEGMENTS).expect("the patches are in the repository");
        let kept = |name| fs::read(folder().join(name)).expect("it is in the repository");
        assert!(kept("teapot.vb") == vertices);
        assert!(kept("teapot.ib") == indices);
    }
}
