//! Makes `examples/grass/blades.bin`: where thirty thousand blades of grass stand, how high they are, and their colour.
//!
//! `cargo run --example sow_grass`. A blade is 16 bytes: x, y and height (3 floats), colour (4 bytes). Only additions and
//! multiplications of numbers that floats hold exactly, or that are rounded once: the bytes are the same on every machine.

use std::{fs, path::Path};

const BLADES: usize = 30_000;

/// Numbers that look random, always the same.
struct Random(u64);

impl Random {
    /// From 0 to 1, 1 left out.
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 16_777_216.0
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }
}

/// All blades, one after the other.
fn sow() -> Vec<u8> {
    let mut random = Random(7);
    let mut blades = Vec::with_capacity(16 * BLADES);
    for _ in 0..BLADES {
        let (x, y) = (random.between(-14.0, 14.0), random.between(-8.0, 22.0));
        // Middling heights are the most frequent.
        let height = 0.375 + 0.5 * (random.next() + random.next());
        // Dry blades are redder, and a little bluer, than fresh ones.
        let (dry, bright) = (random.next(), random.next());
        let tint = [
            (70.0 + 110.0 * dry) as u8,
            (140.0 + 80.0 * bright) as u8,
            (50.0 + 40.0 * dry) as u8,
            255,
        ];
        blades.extend([x, y, height].into_iter().flat_map(f32::to_le_bytes));
        blades.extend(tint);
    }
    blades
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/grass/blades.bin")
}

fn main() -> std::io::Result<()> {
    fs::write(path(), sow())?;
    println!("{BLADES} blades");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meadow_in_the_repository_is_what_is_sown() {
        let kept = fs::read(path()).expect("it is in the repository");
        assert!(kept == sow());
    }
}
