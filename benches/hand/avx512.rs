//! The workloads by hand with AVX-512: sixteen vertices at a time, transposed in registers.
//!
//! Every function wants AVX-512 F and VL, and slices as long as [`super::Input`] promises.

use super::{Input, LIGHTS};
use std::arch::x86_64::*;

type V = __m512;

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

/// Eight registers of four 4-float lanes: rows of 4 x 4 blocks become columns, lane by lane, in two halves.
#[inline(always)]
unsafe fn blocks(r: [V; 8]) -> ([V; 4], [V; 4]) {
    // SAFETY: the callers have AVX-512.
    unsafe {
        let half = |a, b, c, d| {
            let (ab, cd) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
            let (ab2, cd2) = (_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
            [
                _mm512_shuffle_ps(ab, cd, 0x44),
                _mm512_shuffle_ps(ab, cd, 0xEE),
                _mm512_shuffle_ps(ab2, cd2, 0x44),
                _mm512_shuffle_ps(ab2, cd2, 0xEE),
            ]
        };
        (half(r[0], r[1], r[2], r[3]), half(r[4], r[5], r[6], r[7]))
    }
}

/// Eight floats of each of sixteen vertices, `stride` bytes apart, as columns. The vertices stand in the columns in
/// the order 0-3, 8-11, 4-7, 12-15: one shuffle less than in order, and [`store`] puts them back.
#[inline(always)]
unsafe fn columns(from: *const u8, stride: usize) -> [V; 8] {
    // SAFETY: the callers read inside their buffers.
    unsafe {
        let rows = std::array::from_fn(|i| {
            let low = _mm256_loadu_ps(from.add(i * stride).cast());
            let high = _mm256_loadu_pd(from.add((i + 8) * stride).cast());
            _mm512_castpd_ps(_mm512_insertf64x4(
                _mm512_castps_pd(_mm512_castps256_ps512(low)),
                high,
                1,
            ))
        });
        let (a, b) = blocks(rows);
        std::array::from_fn(|i| match i {
            0..4 => _mm512_shuffle_f32x4(a[i], b[i], 0x88),
            _ => _mm512_shuffle_f32x4(a[i - 4], b[i - 4], 0xDD),
        })
    }
}

#[inline(always)]
unsafe fn splat(x: f32) -> V {
    // SAFETY: the callers have AVX-512.
    unsafe { _mm512_set1_ps(x) }
}

/// Row of a matrix stored by columns, times (x, y, z, 1).
#[inline(always)]
unsafe fn point(m: &[f32], row: usize, p: [V; 3]) -> V {
    // SAFETY: the callers have AVX-512.
    unsafe {
        let s = _mm512_mul_ps(splat(m[row]), p[0]);
        let s = _mm512_fmadd_ps(splat(m[4 + row]), p[1], s);
        let s = _mm512_fmadd_ps(splat(m[8 + row]), p[2], s);
        _mm512_add_ps(s, splat(m[12 + row]))
    }
}

/// Row of a matrix's upper left 3 x 3, times a vector.
#[inline(always)]
unsafe fn vector(m: &[f32], row: usize, n: [V; 3]) -> V {
    // SAFETY: the callers have AVX-512.
    unsafe {
        let s = _mm512_mul_ps(splat(m[row]), n[0]);
        let s = _mm512_fmadd_ps(splat(m[4 + row]), n[1], s);
        _mm512_fmadd_ps(splat(m[8 + row]), n[2], s)
    }
}

#[inline(always)]
unsafe fn dot(a: [V; 3], b: [V; 3]) -> V {
    // SAFETY: the callers have AVX-512.
    unsafe {
        let s = _mm512_mul_ps(a[0], b[0]);
        let s = _mm512_fmadd_ps(a[1], b[1], s);
        _mm512_fmadd_ps(a[2], b[2], s)
    }
}

/// Stores eight columns as the first floats of sixteen rows, `stride` floats apart.
#[inline(always)]
unsafe fn store(columns: [V; 8], out: *mut f32, stride: usize) {
    // SAFETY: the callers write inside their buffers.
    unsafe {
        let (a, b) = blocks(columns);
        // Lane l of a[k] and b[k] is half a row each of vertex k of the lane's four.
        let lower = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        let upper = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        for k in 0..4 {
            let (a, b) = (_mm512_castps_pd(a[k]), _mm512_castps_pd(b[k]));
            let pairs = [
                _mm512_permutex2var_pd(a, lower, b),
                _mm512_permutex2var_pd(a, upper, b),
            ];
            for (pair, first) in pairs.into_iter().zip([0, 4]) {
                // Lanes stand for vertices 0-3, 8-11, 4-7, 12-15.
                _mm256_storeu_pd(
                    out.add((first + k) * stride).cast(),
                    _mm512_castpd512_pd256(pair),
                );
                _mm256_storeu_pd(
                    out.add((first + 8 + k) * stride).cast(),
                    _mm512_extractf64x4_pd(pair, 1),
                );
            }
        }
    }
}

/// Copies the texture coordinates (8 bytes) of sixteen vertices.
#[inline(always)]
unsafe fn copy_uv(from: *const u8, stride: usize, out: *mut f32, out_stride: usize) {
    // SAFETY: the callers stay inside their buffers.
    unsafe {
        for i in 0..16 {
            let uv = from.add(i * stride).cast::<u64>().read_unaligned();
            out.add(i * out_stride).cast::<u64>().write_unaligned(uv);
        }
    }
}

/// Position by a 4x4, normal by a 3x3, texture coordinates through.
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub unsafe fn transform(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, world) = input.constants.split_at(16);
    for g in 0..input.count / 16 {
        // SAFETY: group g lies inside both buffers.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 16 * 32);
            let to = out.as_mut_ptr().add(g * 16 * 9);
            let [px, py, pz, nx, ny, nz, u, _] = columns(from, 32);
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
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub unsafe fn skin(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, rest) = input.constants.split_at(16);
    let (world, bones) = rest.split_at(16);
    let inverse = _mm_set1_ps(255.0);
    for g in 0..input.count / 16 {
        // SAFETY: group g lies inside both buffers; bone numbers are below 64 and the palette has 64.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 16 * 48);
            let to = out.as_mut_ptr().add(g * 16 * 9);
            // The three blended rows of each vertex's matrix: twelve floats, the last lane unused.
            let blended: [V; 16] = std::array::from_fn(|i| {
                let vertex = from.add(i * 48);
                let bone = vertex.add(32).cast::<[u8; 4]>().read_unaligned();
                let weights = _mm_cvtepu8_epi32(_mm_loadu_si32(vertex.add(36).cast()));
                let weights: [f32; 4] =
                    std::mem::transmute(_mm_div_ps(_mm_cvtepi32_ps(weights), inverse));
                let mut sum = splat(0.0);
                for k in 0..4 {
                    let m = bones.as_ptr().add(usize::from(bone[k]) * 12);
                    sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(0x0FFF, m), splat(weights[k]), sum);
                }
                sum
            });
            // Rows r of vertices 4q..4q+4 as columns, one lane per r; then the lanes of one r together.
            let quads: [[V; 4]; 4] = std::array::from_fn(|q| {
                let v = &blended[[0, 8, 4, 12][q]..];
                blocks([v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]]).0
            });
            let matrix: [[V; 4]; 3] = std::array::from_fn(|r| {
                std::array::from_fn(|c| {
                    let lane: [__m128; 4] = std::array::from_fn(|q| match r {
                        0 => _mm512_extractf32x4_ps(quads[q][c], 0),
                        1 => _mm512_extractf32x4_ps(quads[q][c], 1),
                        _ => _mm512_extractf32x4_ps(quads[q][c], 2),
                    });
                    let all = _mm512_castps128_ps512(lane[0]);
                    let all = _mm512_insertf32x4(all, lane[1], 1);
                    let all = _mm512_insertf32x4(all, lane[2], 2);
                    _mm512_insertf32x4(all, lane[3], 3)
                })
            });
            let [px, py, pz, nx, ny, nz, u, _] = columns(from, 48);
            let (p, n) = ([px, py, pz], [nx, ny, nz]);
            let sp: [V; 3] = matrix.map(|r| _mm512_add_ps(dot([r[0], r[1], r[2]], p), r[3]));
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
    // SAFETY: the callers have AVX-512.
    unsafe {
        let r = _mm512_div_ps(splat(1.0), _mm512_sqrt_ps(dot(v, v)));
        v.map(|c| _mm512_mul_ps(c, r))
    }
}

#[inline(always)]
unsafe fn saturate(x: V) -> V {
    // SAFETY: the callers have AVX-512.
    unsafe { _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), splat(1.0)) }
}

/// Transform, and four point lights; the power of 32 by squaring five times.
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
pub unsafe fn lit(input: &Input<'_>, out: &mut [f32]) {
    let c = input.constants;
    let (mvp, world, lights, colors, eye) =
        (&c[..16], &c[16..32], &c[32..48], &c[48..64], &c[64..68]);
    for g in 0..input.count / 16 {
        // SAFETY: group g lies inside both buffers; the stores of a row end with the row.
        unsafe {
            let from = input.vertices.as_ptr().add(g * 16 * 32);
            let to = out.as_mut_ptr().add(g * 16 * 13);
            let [px, py, pz, nx, ny, nz, u, v] = columns(from, 32);
            let (p, n) = ([px, py, pz], [nx, ny, nz]);
            let clip: [V; 4] = std::array::from_fn(|r| point(mvp, r, p));
            let wp: [V; 3] = std::array::from_fn(|r| point(world, r, p));
            let n = normalize(std::array::from_fn(|r| vector(world, r, n)));
            let view = normalize(std::array::from_fn(|i| _mm512_sub_ps(splat(eye[i]), wp[i])));
            let mut color = [splat(0.05); 3];
            for l in 0..LIGHTS {
                let (light, tint) = (&lights[l * 4..], &colors[l * 4..]);
                let d: [V; 3] = std::array::from_fn(|i| _mm512_sub_ps(splat(light[i]), wp[i]));
                let d2 = dot(d, d);
                let inverse = _mm512_div_ps(splat(1.0), _mm512_sqrt_ps(d2));
                let dir = d.map(|x| _mm512_mul_ps(x, inverse));
                let att =
                    _mm512_div_ps(splat(1.0), _mm512_fmadd_ps(splat(tint[3]), d2, splat(1.0)));
                let nl = saturate(dot(n, dir));
                let half = normalize(std::array::from_fn(|i| _mm512_add_ps(dir[i], view[i])));
                let mut power = saturate(dot(n, half));
                for _ in 0..5 {
                    power = _mm512_mul_ps(power, power);
                }
                let light = _mm512_mul_ps(att, _mm512_add_ps(nl, power));
                for i in 0..3 {
                    color[i] = _mm512_fmadd_ps(splat(tint[i]), light, color[i]);
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
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
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
        for g in 0..input.count / 16 {
            // SAFETY: group g lies inside both buffers; the stores of a row end with the row.
            unsafe {
                let from = input.vertices.as_ptr().add(g * 16 * 32);
                let to = out.as_mut_ptr().add((k * input.count + g * 16) * 13);
                let [px, py, pz, nx, ny, nz, u, v] = columns(from, 32);
                let row = |r: usize, p: [V; 3]| {
                    let s = _mm512_mul_ps(splat(w[4 * r]), p[0]);
                    let s = _mm512_fmadd_ps(splat(w[4 * r + 1]), p[1], s);
                    _mm512_fmadd_ps(splat(w[4 * r + 2]), p[2], s)
                };
                let p: [V; 4] = std::array::from_fn(|r| {
                    _mm512_add_ps(row(r, [px, py, pz]), splat(w[4 * r + 3]))
                });
                let n: [V; 3] = std::array::from_fn(|r| row(r, [nx, ny, nz]));
                let clip: [V; 4] = std::array::from_fn(|r| {
                    let s = _mm512_mul_ps(splat(mvp[r]), p[0]);
                    let s = _mm512_fmadd_ps(splat(mvp[4 + r]), p[1], s);
                    let s = _mm512_fmadd_ps(splat(mvp[8 + r]), p[2], s);
                    _mm512_fmadd_ps(splat(mvp[12 + r]), p[3], s)
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
