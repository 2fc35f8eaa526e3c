//! A small software rasteriser: assembled primitives as a shaded, depth-tested picture to look at.
//!
//! It shows what a draw made; it is no part of the pipeline, and knows nothing of shaders or draws.

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

/// What is drawn.
pub struct Scene {
    /// Clip-space position of each row.
    pub positions: Vec<Vec4>,
    /// Colour of each row (0 to 1), where there is one; otherwise faces are shaded by their slope.
    pub colors: Option<Vec<Vec3>>,
    /// Row numbers of each primitive: 1 a point, 2 a line, 3 a triangle.
    pub primitives: Vec<Vec<u32>>,
}

/// Pixels, three bytes each, row after row from the top.
pub struct Picture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green, blue.
    pub pixels: Vec<u8>,
}

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;
const BACKGROUND_TOP: Vec3 = Vec3::new(0.16, 0.18, 0.22);
const BACKGROUND_BOTTOM: Vec3 = Vec3::new(0.30, 0.33, 0.38);
const PLAIN: Vec3 = Vec3::new(0.86, 0.82, 0.75);

impl Scene {
    /// Replaces positions that are not in clip space: fits their bounds into the picture, seen along z.
    pub fn fit(&mut self) {
        let finite = || {
            self.positions
                .iter()
                .map(|p| p.xyz())
                .filter(|p| p.is_finite())
        };
        let (low, high) = (
            finite().fold(Vec3::MAX, Vec3::min),
            finite().fold(Vec3::MIN, Vec3::max),
        );
        let scale = 1.8 / (high - low).max_element().max(f32::MIN_POSITIVE);
        let middle = (low + high) / 2.0;
        for p in &mut self.positions {
            let q = (p.xyz() - middle) * scale;
            *p = Vec4::new(q.x, q.y, 0.5 - q.z / 4.0, 1.0);
        }
    }

    /// Draws the scene.
    pub fn render(&self, width: usize, height: usize) -> Picture {
        let mut canvas = Canvas::new(width * SAMPLES, height * SAMPLES);
        for primitive in &self.primitives {
            let corners: Option<Vec<Corner>> = primitive
                .iter()
                .map(|row| self.corner(*row as usize))
                .collect();
            let Some(mut corners) = corners else { continue };
            if self.colors.is_none() && corners.len() == 3 {
                let shade = slope_shade([
                    corners[0].position,
                    corners[1].position,
                    corners[2].position,
                ]);
                corners.iter_mut().for_each(|c| c.color = PLAIN * shade);
            }
            let clipped = clip_near(&corners);
            match corners.len() {
                1 => clipped.iter().for_each(|c| canvas.point(c)),
                2 if clipped.len() >= 2 => canvas.line(&clipped[0], &clipped[1]),
                3 => (2..clipped.len())
                    .for_each(|i| canvas.triangle([&clipped[0], &clipped[i - 1], &clipped[i]])),
                _ => {}
            }
        }
        canvas.picture(width, height)
    }

    /// The corner of a primitive; None where its position is no number.
    fn corner(&self, row: usize) -> Option<Corner> {
        let position = *self.positions.get(row)?;
        let color = self
            .colors
            .as_ref()
            .map_or(Some(PLAIN), |c| c.get(row).copied())?;
        position.is_finite().then_some(Corner { position, color })
    }
}

impl Picture {
    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(bytes)
    }
}

#[derive(Clone, Copy)]
struct Corner {
    position: Vec4,
    color: Vec3,
}

impl Corner {
    fn between(&self, other: &Corner, t: f32) -> Corner {
        Corner {
            position: self.position.lerp(other.position, t),
            color: self.color.lerp(other.color, t),
        }
    }
}

/// How bright a face is: x, y and w of clip space are the view's axes up to scale where the projection is a
/// perspective; without one (equal w), z takes w's place.
fn slope_shade(corners: [Vec4; 3]) -> f32 {
    let flat = corners.iter().all(|c| c.w == corners[0].w);
    let axis = |c: Vec4| Vec3::new(c.x, c.y, if flat { c.z } else { c.w });
    let [a, b, c] = corners.map(axis);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let toward_viewer = if normal.z > 0.0 { -normal } else { normal };
    0.25 + 0.75 * toward_viewer.dot(Vec3::new(-0.35, 0.55, -0.76)).max(0.0)
}

/// The part of a point, line or triangle in front of the viewer: D3D's near plane z >= 0, and w > 0.
fn clip_near(corners: &[Corner]) -> Vec<Corner> {
    let distances: [fn(&Corner) -> f32; 2] = [|c| c.position.w - 1e-6, |c| c.position.z];
    let mut kept = corners.to_vec();
    for distance in distances {
        if kept.len() < 2 {
            kept.retain(|c| distance(c) >= 0.0);
            continue;
        }
        let mut next = Vec::with_capacity(kept.len() + 1);
        for (i, a) in kept.iter().enumerate() {
            let closing = i + 1 == kept.len();
            let (from, b) = (distance(a), &kept[(i + 1) % kept.len()]);
            if from >= 0.0 {
                next.push(*a);
            }
            // A line has no edge back to its start.
            if !(closing && corners.len() == 2) && (from >= 0.0) != (distance(b) >= 0.0) {
                next.push(a.between(b, from / (from - distance(b))));
            }
        }
        kept = next;
    }
    kept
}

struct Canvas {
    width: usize,
    height: usize,
    depth: Vec<f32>,
    color: Vec<Vec3>,
}

/// A corner on the canvas: x and y in samples, z, and 1/w for perspective.
#[derive(Clone, Copy)]
struct Spot {
    at: Vec2,
    z: f32,
    inverse_w: f32,
    color: Vec3,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        let color = (0..width * height)
            .map(|i| BACKGROUND_TOP.lerp(BACKGROUND_BOTTOM, (i / width) as f32 / height as f32))
            .collect();
        Canvas {
            width,
            height,
            depth: vec![f32::INFINITY; width * height],
            color,
        }
    }

    /// The viewport transform: the smaller side spans -1 to 1 of the axis it shows only where both do; as in D3D
    /// both axes span the whole picture.
    fn spot(&self, corner: &Corner) -> Spot {
        let inverse_w = 1.0 / corner.position.w;
        let ndc = corner.position.xyz() * inverse_w;
        let size = Vec2::new(self.width as f32, self.height as f32);
        let at = (Vec2::new(ndc.x, -ndc.y) * 0.5 + 0.5) * size;
        Spot {
            at,
            z: ndc.z,
            inverse_w,
            color: corner.color,
        }
    }

    fn set(&mut self, x: i64, y: i64, z: f32, color: Vec3) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 || z > 1.0 {
            return;
        }
        let i = y as usize * self.width + x as usize;
        if z <= self.depth[i] {
            self.depth[i] = z;
            self.color[i] = color;
        }
    }

    fn point(&mut self, corner: &Corner) {
        let spot = self.spot(corner);
        let (x, y) = (spot.at.x.floor() as i64, spot.at.y.floor() as i64);
        let reach = SAMPLES as i64;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                if dx * dx + dy * dy <= reach * reach {
                    self.set(
                        x.saturating_add(dx),
                        y.saturating_add(dy),
                        spot.z,
                        spot.color,
                    );
                }
            }
        }
    }

    fn line(&mut self, a: &Corner, b: &Corner) {
        let (a, b) = (self.spot(a), self.spot(b));
        let Some((from, to)) = self.visible(a.at, b.at) else {
            return;
        };
        let longest = (self.width + self.height) as f32;
        let steps = ((b.at - a.at) * (to - from))
            .abs()
            .max_element()
            .ceil()
            .clamp(1.0, longest);
        for i in 0..=steps as i64 {
            let t = from + (to - from) * i as f32 / steps;
            let at = a.at.lerp(b.at, t);
            let (z, color) = (a.z + (b.z - a.z) * t, a.color.lerp(b.color, t));
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                self.set(at.x.floor() as i64 + dx, at.y.floor() as i64 + dy, z, color);
            }
        }
    }

    /// The part of a line (as parameters from 0 to 1) that lies on the canvas: however long a line is, drawing it
    /// takes no more steps than the canvas has samples along its sides.
    fn visible(&self, a: Vec2, b: Vec2) -> Option<(f32, f32)> {
        let (mut from, mut to) = (0.0f32, 1.0f32);
        for (start, end, size) in [
            (a.x, b.x, self.width as f32),
            (a.y, b.y, self.height as f32),
        ] {
            let (low, high) = ((-start) / (end - start), (size - start) / (end - start));
            if start == end {
                if start < 0.0 || start > size {
                    return None;
                }
            } else {
                from = from.max(low.min(high));
                to = to.min(low.max(high));
            }
        }
        (from <= to && (b - a).is_finite()).then_some((from, to))
    }

    fn triangle(&mut self, corners: [&Corner; 3]) {
        let [a, b, c] = corners.map(|c| self.spot(c));
        let area = (b.at - a.at).perp_dot(c.at - a.at);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let low = a.at.min(b.at).min(c.at).max(Vec2::ZERO);
        let high =
            a.at.max(b.at)
                .max(c.at)
                .min(Vec2::new(self.width as f32, self.height as f32));
        for y in low.y as i64..high.y.ceil() as i64 {
            for x in low.x as i64..high.x.ceil() as i64 {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let weights = Vec3::new(
                    (c.at - b.at).perp_dot(p - b.at),
                    (a.at - c.at).perp_dot(p - c.at),
                    (b.at - a.at).perp_dot(p - a.at),
                ) / area;
                if weights.min_element() >= 0.0 {
                    let z = weights.dot(Vec3::new(a.z, b.z, c.z));
                    let w = weights * Vec3::new(a.inverse_w, b.inverse_w, c.inverse_w);
                    let color = (a.color * w.x + b.color * w.y + c.color * w.z) / w.element_sum();
                    self.set(x, y, z, color);
                }
            }
        }
    }

    /// Averages the samples of each pixel.
    fn picture(&self, width: usize, height: usize) -> Picture {
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let samples = (0..SAMPLES * SAMPLES).map(|s| {
                    self.color[(y * SAMPLES + s / SAMPLES) * self.width + x * SAMPLES + s % SAMPLES]
                });
                let mean = samples.sum::<Vec3>() / (SAMPLES * SAMPLES) as f32;
                let bytes = mean.clamp(Vec3::ZERO, Vec3::ONE) * 255.0 + 0.5;
                pixels.extend(bytes.to_array().map(|c| c as u8));
            }
        }
        Picture {
            width,
            height,
            pixels,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
        let i = (y * picture.width + x) * 3;
        [
            picture.pixels[i],
            picture.pixels[i + 1],
            picture.pixels[i + 2],
        ]
    }

    fn scene(positions: &[[f32; 4]], colors: &[[f32; 3]], primitives: &[&[u32]]) -> Scene {
        Scene {
            positions: positions.iter().map(|p| Vec4::from_array(*p)).collect(),
            colors: Some(colors.iter().map(|c| Vec3::from_array(*c)).collect()),
            primitives: primitives.iter().map(|p| p.to_vec()).collect(),
        }
    }

    #[test]
    fn the_nearer_of_two_triangles_hides_the_other_whatever_the_order() {
        let positions = [
            [-1.0, -3.0, 0.2, 1.0],
            [-1.0, 3.0, 0.2, 1.0],
            [3.0, 0.0, 0.2, 1.0],
            [-1.0, -3.0, 0.8, 1.0],
            [-1.0, 3.0, 0.8, 1.0],
            [3.0, 0.0, 0.8, 1.0],
        ];
        let colors = [
            [1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0],
        ];
        for order in [[&[0, 1, 2][..], &[3, 4, 5]], [&[3, 4, 5], &[0, 1, 2]]] {
            assert_eq!(
                at(&scene(&positions, &colors, &order).render(16, 16), 4, 8),
                [255, 0, 0]
            );
        }
    }

    #[test]
    fn what_is_behind_the_viewer_is_cut_away_and_the_rest_stays() {
        let positions = [
            [0.0, -1.0, 0.5, 1.0],
            [0.0, 1.0, 0.5, 1.0],
            [9.0, 0.0, -9.0, -8.0],
        ];
        let picture = scene(&positions, &[[0.0, 1.0, 0.0]; 3], &[&[0, 1, 2]]).render(16, 16);
        assert_eq!(at(&picture, 9, 8), [0, 255, 0]);
        assert_ne!(at(&picture, 2, 8), [0, 255, 0]);
    }

    #[test]
    fn positions_that_are_no_numbers_draw_nothing_and_endless_lines_end() {
        let at_x = |x: f32| [x, 0.0, 0.5, 1.0];
        let positions = [
            at_x(f32::NAN),
            at_x(1e3),
            at_x(-1e3),
            at_x(3e38),
            at_x(-3e38),
        ];
        let picture = scene(
            &positions,
            &[[0.0, 1.0, 0.0]; 5],
            &[&[0, 1, 2], &[1, 2], &[3, 4], &[1]],
        )
        .render(8, 8);
        assert_eq!(at(&picture, 4, 4), [0, 255, 0]);
        assert_ne!(at(&picture, 4, 1), [0, 255, 0]);
    }
}
