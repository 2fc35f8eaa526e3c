//! The workloads by hand with AVX2 and FMA: eight vertices at a time, transposed in registers.
//!
//! Every function wants AVX2 and FMA, and slices as long as [`super::Input`] promises.

use super::{Input, LIGHTS};
use std::arch::x86_64::*;

type V = __m256;

/// The workload of that name.
pub fn version(workload: &str) -> Option<super::Hand> {
    Some(match workload {
        "transform" => transform,
        "skin" => skin,
        "lit" => lit,
        "instanced" => instanced,
        _ => return None,
    })
}

/// Eight rows of eight floats become eight columns.
#[inline(always)]
unsafe fn transpose(r: [V; 8]) -> [V; 8] {
    // SAFETY: the callers have AVX2.
    unsafe {
        let t: [V; 8] = [
            _mm256_unpacklo_ps(r[0], r[1]),
            _mm256_unpackhi_ps(r[0], r[1]),
            _mm256_unpacklo_ps(r[2], r[3]),
            _mm256_unpackhi_ps(r[2], r[3]),
            _mm256_unpacklo_ps(r[4], r[5]),
            _mm256_unpackhi_ps(r[4], r[5]),
            _mm256_unpacklo_ps(r[6], r[7]),
            _mm256_unpackhi_ps(r[6], r[7]),
        ];
        let u: [V; 8] = [
            _mm256_shuffle_ps(t[0], t[2], 0x44),
            _mm256_shuffle_ps(t[0], t[2], 0xEE),
            _mm256_shuffle_ps(t[1], t[3], 0x44),
            _mm256_shuffle_ps(t[1], t[3], 0xEE),
            _mm256_shuffle_ps(t[4], t[6], 0x44),
            _mm256_shuffle_ps(t[4], t[6], 0xEE),
            _mm256_shuffle_ps(t[5], t[7], 0x44),
            _mm256_shuffle_ps(t[5], t[7], 0xEE),
        ];
        [
            _mm256_permute2f128_ps(u[0], u[4], 0x20),
            _mm256_permute2f128_ps(u[1], u[5], 0x20),
            _mm256_permute2f128_ps(u[2], u[6], 0x20),
            _mm256_permute2f128_ps(u[3], u[7], 0x20),
            _mm256_permute2f128_ps(u[0], u[4], 0x31),
            _mm256_permute2f128_ps(u[1], u[5], 0x31),
            _mm256_permute2f128_ps(u[2], u[6], 0x31),
            _mm256_permute2f128_ps(u[3], u[7], 0x31),
        ]
    }
}

/// Eight floats of each of eight vertices, `stride` bytes apart.
#[inline(always)]
unsafe fn rows(from: *const u8, stride: usize) -> [V; 8] {
    // SAFETY: the callers read inside their buffers.
    unsafe { std::array::from_fn(|i| _mm256_loadu_ps(from.add(i * stride).cast())) }
}

#[inline(always)]
unsafe fn splat(x: f32) -> V {
    // SAFETY: the callers have AVX2.
    unsafe { _mm256_set1_ps(x) }
}

/// Row of a matrix stored by columns, times (x, y, z, 1).
#[inline(always)]
unsafe fn point(m: &[f32], row: usize, p: [V; 3]) -> V {
    // SAFETY: the callers have FMA.
    unsafe {
        let s = _mm256_mul_ps(splat(m[row]), p[0]);
        let s = _mm256_fmadd_ps(splat(m[4 + row]), p[1], s);
        let s = _mm256_fmadd_ps(splat(m[8 + row]), p[2], s);
        _mm256_add_ps(s, splat(m[12 + row]))
    }
}

/// Row of a matrix's upper left 3 x 3, times a vector.
#[inline(always)]
unsafe fn vector(m: &[f32], row: usize, n: [V; 3]) -> V {
    // SAFETY: the callers have FMA.
    unsafe {
        let s = _mm256_mul_ps(splat(m[row]), n[0]);
        let s = _mm256_fmadd_ps(splat(m[4 + row]), n[1], s);
        _mm256_fmadd_ps(splat(m[8 + row]), n[2], s)
    }
}

#[inline(always)]
unsafe fn dot(a: [V; 3], b: [V; 3]) -> V {
    // SAFETY: the callers have FMA.
    unsafe {
        let s = _mm256_mul_ps(a[0], b[0]);
        let s = _mm256_fmadd_ps(a[1], b[1], s);
        _mm256_fmadd_ps(a[2], b[2], s)
    }
}

/// Stores eight columns as the first floats of eight rows, `stride` floats apart.
#[inline(always)]
unsafe fn store(columns: [V; 8], out: *mut f32, stride: usize) {
    // SAFETY: the callers write inside their buffers.
    unsafe {
        for (i, row) in transpose(columns).into_iter().enumerate() {
            _mm256_storeu_ps(out.add(i * stride), row);
        }
    }
}

/// Copies the texture coordinates (8 bytes) of eight vertices.
#[inline(always)]
unsafe fn copy_uv(from: *const u8, stride: usize, out: *mut f32, out_stride: usize) {
    // SAFETY: the callers stay inside their buffers.
    unsafe {
        for i in 0..8 {
            let uv = from.add(i * stride).cast::<u64>().read_unaligned();
            out.add(i * out_stride).cast::<u64>().write_unaligned(uv);
        }
    }
}

/// Position by a 4x4, normal by a 3x3, texture coordinates through.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn transform(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, world) = input.constants.split_at(16);
    for g in 0..input.count / 8 {
        // SAFETY: group g lies inside both buffers.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 8 * 32);
            let to = out.as_mut_ptr().add(g * 8 * 9);
            let [px, py, pz, nx, ny, nz, u, _] = transpose(rows(from, 32));
            let (p, n) = ([px, py, pz], [nx, ny, nz]);
            let clip: [V; 4] = std::array::from_fn(|r| point(mvp, r, p));
            let normal: [V; 3] = std::array::from_fn(|r| vector(world, r, n));
            store(
                [
                    clip[0], clip[1], clip[2], clip[3], normal[0], normal[1], normal[2], u,
                ],
                to,
                9,
            );
            copy_uv(from.add(24), 32, to.add(7), 9);
        }
    }
}

/// Four bones from a palette of row-major 3x4 matrices.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn skin(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, rest) = input.constants.split_at(16);
    let (world, bones) = rest.split_at(16);
    let inverse = _mm_set1_ps(255.0);
    for g in 0..input.count / 8 {
        // SAFETY: group g lies inside both buffers; bone numbers are below 64 and the palette has 64.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 8 * 48);
            let to = out.as_mut_ptr().add(g * 8 * 9);
            // The three blended rows of each vertex's matrix, four floats each.
            let mut low: [V; 8] = [_mm256_setzero_ps(); 8];
            let mut high: [__m128; 8] = [_mm_setzero_ps(); 8];
            for i in 0..8 {
                let vertex = from.add(i * 48);
                let bone = vertex.add(32).cast::<[u8; 4]>().read_unaligned();
                let weights = _mm_cvtepu8_epi32(_mm_loadu_si32(vertex.add(36).cast()));
                let weights: [f32; 4] =
                    std::mem::transmute(_mm_div_ps(_mm_cvtepi32_ps(weights), inverse));
                for k in 0..4 {
                    let m = bones.as_ptr().add(usize::from(bone[k]) * 12);
                    let (two, one) = (_mm256_loadu_ps(m), _mm_loadu_ps(m.add(8)));
                    low[i] = _mm256_fmadd_ps(two, splat(weights[k]), low[i]);
                    high[i] = _mm_fmadd_ps(one, _mm_set1_ps(weights[k]), high[i]);
                }
            }
            let m = transpose(low);
            let upper = std::array::from_fn(|i| _mm256_castps128_ps256(high[i]));
            let last = transpose(upper);
            let matrix = [
                [m[0], m[1], m[2], m[3]],
                [m[4], m[5], m[6], m[7]],
                [last[0], last[1], last[2], last[3]],
            ];
            let [px, py, pz, nx, ny, nz, u, _] = transpose(rows(from, 48));
            let (p, n) = ([px, py, pz], [nx, ny, nz]);
            let sp: [V; 3] = matrix.map(|r| _mm256_add_ps(dot([r[0], r[1], r[2]], p), r[3]));
            let sn: [V; 3] = matrix.map(|r| dot([r[0], r[1], r[2]], n));
            let clip: [V; 4] = std::array::from_fn(|r| point(mvp, r, sp));
            let normal: [V; 3] = std::array::from_fn(|r| vector(world, r, sn));
            store(
                [
                    clip[0], clip[1], clip[2], clip[3], normal[0], normal[1], normal[2], u,
                ],
                to,
                9,
            );
            copy_uv(from.add(24), 48, to.add(7), 9);
        }
    }
}

#[inline(always)]
unsafe fn normalize(v: [V; 3]) -> [V; 3] {
    // SAFETY: the callers have FMA.
    unsafe {
        let r = _mm256_div_ps(splat(1.0), _mm256_sqrt_ps(dot(v, v)));
        v.map(|c| _mm256_mul_ps(c, r))
    }
}

#[inline(always)]
unsafe fn saturate(x: V) -> V {
    // SAFETY: the callers have AVX2.
    unsafe { _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), splat(1.0)) }
}

/// Transform, and four point lights; the power of 32 by squaring five times.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn lit(input: &Input<'_>, out: &mut [f32]) {
    let c = input.constants;
    let (mvp, world, lights, colors, eye) =
        (&c[..16], &c[16..32], &c[32..48], &c[48..64], &c[64..68]);
    for g in 0..input.count / 8 {
        // SAFETY: group g lies inside both buffers; the stores of a row end with the row.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 8 * 32);
            let to = out.as_mut_ptr().add(g * 8 * 13);
            let [px, py, pz, nx, ny, nz, u, v] = transpose(rows(from, 32));
            let (p, n) = ([px, py, pz], [nx, ny, nz]);
            let clip: [V; 4] = std::array::from_fn(|r| point(mvp, r, p));
            let wp: [V; 3] = std::array::from_fn(|r| point(world, r, p));
            let n = normalize(std::array::from_fn(|r| vector(world, r, n)));
            let view = normalize(std::array::from_fn(|i| _mm256_sub_ps(splat(eye[i]), wp[i])));
            let mut color = [splat(0.05); 3];
            for l in 0..LIGHTS {
                let (light, tint) = (&lights[l * 4..], &colors[l * 4..]);
                let d: [V; 3] = std::array::from_fn(|i| _mm256_sub_ps(splat(light[i]), wp[i]));
                let d2 = dot(d, d);
                let inverse = _mm256_div_ps(splat(1.0), _mm256_sqrt_ps(d2));
                let dir = d.map(|x| _mm256_mul_ps(x, inverse));
                let att =
                    _mm256_div_ps(splat(1.0), _mm256_fmadd_ps(splat(tint[3]), d2, splat(1.0)));
                let nl = saturate(dot(n, dir));
                let half = normalize(std::array::from_fn(|i| _mm256_add_ps(dir[i], view[i])));
                let mut power = saturate(dot(n, half));
                for _ in 0..5 {
                    power = _mm256_mul_ps(power, power);
                }
                let light = _mm256_mul_ps(att, _mm256_add_ps(nl, power));
                for i in 0..3 {
                    color[i] = _mm256_fmadd_ps(splat(tint[i]), light, color[i]);
                }
            }
            let color = color.map(|x| saturate(x));
            store(
                [clip[0], clip[1], clip[2], clip[3], n[0], n[1], n[2], u],
                to,
                13,
            );
            // The last five floats are stored as eight that begin with three already there.
            store(
                [n[1], n[2], u, v, color[0], color[1], color[2], splat(1.0)],
                to.add(5),
                13,
            );
        }
    }
}

/// Per-instance matrix rows and tint.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn instanced(input: &Input<'_>, out: &mut [f32]) {
    let mvp = &input.constants[..16];
    for (k, instance) in input.instances.chunks_exact(68).enumerate() {
        let float = |i: usize| {
            f32::from_le_bytes([
                instance[i],
                instance[i + 1],
                instance[i + 2],
                instance[i + 3],
            ])
        };
        let w: [f32; 16] = std::array::from_fn(|i| float(i * 4));
        let tint: [f32; 4] = std::array::from_fn(|i| f32::from(instance[64 + i]) / 255.0);
        for g in 0..input.count / 8 {
            // SAFETY: group g lies inside both buffers; the stores of a row end with the row.
            unsafe {
                let from = input.vertices.as_ptr().add(g * 8 * 32);
                let to = out.as_mut_ptr().add((k * input.count + g * 8) * 13);
                let [px, py, pz, nx, ny, nz, u, v] = transpose(rows(from, 32));
                let row = |r: usize, p: [V; 3]| {
                    let s = _mm256_mul_ps(splat(w[4 * r]), p[0]);
                    let s = _mm256_fmadd_ps(splat(w[4 * r + 1]), p[1], s);
                    _mm256_fmadd_ps(splat(w[4 * r + 2]), p[2], s)
                };
                let p: [V; 4] = std::array::from_fn(|r| {
                    _mm256_add_ps(row(r, [px, py, pz]), splat(w[4 * r + 3]))
                });
                let n: [V; 3] = std::array::from_fn(|r| row(r, [nx, ny, nz]));
                let clip: [V; 4] = std::array::from_fn(|r| {
                    let s = _mm256_mul_ps(splat(mvp[r]), p[0]);
                    let s = _mm256_fmadd_ps(splat(mvp[4 + r]), p[1], s);
                    let s = _mm256_fmadd_ps(splat(mvp[8 + r]), p[2], s);
                    _mm256_fmadd_ps(splat(mvp[12 + r]), p[3], s)
                });
                store(
                    [clip[0], clip[1], clip[2], clip[3], n[0], n[1], n[2], u],
                    to,
                    13,
                );
                let t = tint.map(|x| splat(x));
                store([n[1], n[2], u, v, t[0], t[1], t[2], t[3]], to.add(5), 13);
            }
        }
    }
}
