//! The workloads as plain glam loops, one vertex at a time.

use super::{Input, LIGHTS};
use glam::{Mat3, Mat4, Vec3, Vec4};

fn matrix(constants: &[f32], at: usize) -> Mat4 {
    Mat4::from_cols_slice(&constants[at * 16..at * 16 + 16])
}

fn floats<const N: usize>(bytes: &[u8]) -> [f32; N]
where
    [f32; N]: bytemuck::Pod,
{
    bytemuck::pod_read_unaligned(&bytes[..N * 4])
}

/// Writes a row: clip position, normal, texture coordinates, and what follows.
fn put(row: &mut [f32], clip: Vec4, normal: Vec3, uv: [f32; 2], rest: &[f32]) {
    row[..4].copy_from_slice(&clip.to_array());
    row[4..7].copy_from_slice(&normal.to_array());
    row[7..9].copy_from_slice(&uv);
    row[9..].copy_from_slice(rest);
}

pub fn transform(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, world) = (
        matrix(input.constants, 0),
        Mat3::from_mat4(matrix(input.constants, 1)),
    );
    for (vertex, row) in input.vertices.chunks_exact(32).zip(out.chunks_exact_mut(9)) {
        let [px, py, pz, nx, ny, nz, u, v] = floats::<8>(vertex);
        put(
            row,
            mvp * Vec4::new(px, py, pz, 1.0),
            world * Vec3::new(nx, ny, nz),
            [u, v],
            &[],
        );
    }
}

pub fn skin(input: &Input<'_>, out: &mut [f32]) {
    let (mvp, world) = (
        matrix(input.constants, 0),
        Mat3::from_mat4(matrix(input.constants, 1)),
    );
    let bones = &input.constants[32..];
    for (vertex, row) in input.vertices.chunks_exact(48).zip(out.chunks_exact_mut(9)) {
        let [px, py, pz, nx, ny, nz, u, v] = floats::<8>(vertex);
        let mut rows = [Vec4::ZERO; 3];
        for k in 0..4 {
            let bone = usize::from(vertex[32 + k]) * 12;
            let weight = f32::from(vertex[36 + k]) / 255.0;
            for (r, sum) in rows.iter_mut().enumerate() {
                *sum += Vec4::from_slice(&bones[bone + r * 4..]) * weight;
            }
        }
        let p = Vec4::new(px, py, pz, 1.0);
        let n = Vec4::new(nx, ny, nz, 0.0);
        let position = Vec4::new(rows[0].dot(p), rows[1].dot(p), rows[2].dot(p), 1.0);
        let normal = Vec3::new(rows[0].dot(n), rows[1].dot(n), rows[2].dot(n));
        put(row, mvp * position, world * normal, [u, v], &[]);
    }
}

pub fn lit(input: &Input<'_>, out: &mut [f32]) {
    let c = input.constants;
    let (mvp, world) = (matrix(c, 0), matrix(c, 1));
    let rotation = Mat3::from_mat4(world);
    let eye = Vec3::from_slice(&c[64..]);
    for (vertex, row) in input
        .vertices
        .chunks_exact(32)
        .zip(out.chunks_exact_mut(13))
    {
        let [px, py, pz, nx, ny, nz, u, v] = floats::<8>(vertex);
        let p = Vec4::new(px, py, pz, 1.0);
        let wp = (world * p).truncate();
        let n = (rotation * Vec3::new(nx, ny, nz)).normalize();
        let view = (eye - wp).normalize();
        let mut color = Vec3::splat(0.05);
        for l in 0..LIGHTS {
            let (light, tint) = (&c[32 + l * 4..], &c[48 + l * 4..]);
            let d = Vec3::from_slice(light) - wp;
            let d2 = d.dot(d);
            let dir = d * d2.sqrt().recip();
            let att = 1.0 / (1.0 + tint[3] * d2);
            let nl = n.dot(dir).clamp(0.0, 1.0);
            let power = n.dot((dir + view).normalize()).clamp(0.0, 1.0).powf(32.0);
            color += Vec3::from_slice(tint) * (att * (nl + power));
        }
        let color = color.clamp(Vec3::ZERO, Vec3::ONE);
        put(row, mvp * p, n, [u, v], &[color.x, color.y, color.z, 1.0]);
    }
}

pub fn instanced(input: &Input<'_>, out: &mut [f32]) {
    let mvp = matrix(input.constants, 0);
    let rows = out.chunks_exact_mut(13 * input.count);
    for (instance, rows) in input.instances.chunks_exact(68).zip(rows) {
        let w = Mat4::from_cols_array(&floats::<16>(instance)).transpose();
        let rotation = Mat3::from_mat4(w);
        let tint: [f32; 4] = std::array::from_fn(|i| f32::from(instance[64 + i]) / 255.0);
        for (vertex, row) in input
            .vertices
            .chunks_exact(32)
            .zip(rows.chunks_exact_mut(13))
        {
            let [px, py, pz, nx, ny, nz, u, v] = floats::<8>(vertex);
            let p = Vec4::new(px, py, pz, 1.0);
            put(
                row,
                mvp * (w * p),
                rotation * Vec3::new(nx, ny, nz),
                [u, v],
                &tint,
            );
        }
    }
}
