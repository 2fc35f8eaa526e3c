//! The workloads as scenes: shader, layout, buffers, draw, and what is written by hand beside them.
//!
//! Must not know how time is measured.

use crate::hand::{self, Input};
use fuseline::{
    Buffer, Device, DeviceOptions, DrawCall, DrawOptions, DrawState, Engine, Format,
    IndexBufferView, InputClassification, InputElementDesc, Pipeline, PipelineDesc, Register,
    RowStorage, Threads, Topology, VertexBufferView, ViewInstancing, ViewLocation,
};

/// Bytes of an instance of the workload `instanced`.
const INSTANCE: usize = 68;

/// Numbers that look random, always the same.
pub struct Random(u64);

impl Random {
    fn next(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 40) as f32 / 16_777_216.0)
    }

    fn byte(&mut self) -> u8 {
        self.next(0.0, 256.0) as u8
    }
}

/// A function that does by hand what a scene's shader does.
pub type ByHand = fn(&Input<'_>, &mut [f32]);

/// A workload: what is drawn, and by which shader.
#[derive(Clone)]
pub struct Scene {
    pub name: &'static str,
    pub shader: String,
    pub profile: &'static str,
    pub layout: Vec<InputElementDesc>,
    /// Stride and bytes of slots 0 and 1.
    pub streams: Vec<(u32, Vec<u8>)>,
    /// What `b0` and `b1` hold.
    pub constants: Vec<Vec<f32>>,
    pub indices: Option<Vec<u32>>,
    pub topology: Topology,
    pub vertices: u32,
    pub instances: u32,
    /// How many views there are, and which are enabled.
    pub views: Option<(usize, u32)>,
    pub storage: RowStorage,
    /// Floats of a row.
    pub row: usize,
    /// The same as a plain loop over glam's types.
    pub plain: Option<ByHand>,
}

impl Scene {
    /// Vertices that the draw shades where each is shaded once.
    fn shaded(&self) -> usize {
        self.indices
            .as_deref()
            .map_or(self.vertices as usize, unique)
    }

    /// Rows that come out.
    pub fn rows(&self) -> usize {
        let places = match self.storage {
            RowStorage::Shared => self.shaded(),
            RowStorage::Expanded => self.vertices as usize,
        };
        places * self.instances as usize
    }

    /// Bytes that the draw reads and writes.
    pub fn bytes(&self) -> usize {
        let stream = |(slot, (stride, bytes)): (usize, &(u32, Vec<u8>))| match slot {
            0 if self.indices.is_some() => self.shaded() * *stride as usize,
            _ => bytes.len(),
        };
        let streams: usize = self.streams.iter().enumerate().map(stream).sum();
        streams + self.indices.as_ref().map_or(0, |i| i.len() * 4) + self.written()
    }

    /// Bytes of full rows.
    pub fn written(&self) -> usize {
        self.rows() * self.row * 4
    }

    /// What the hand-written versions read.
    pub fn input(&self) -> Input<'_> {
        Input {
            vertices: &self.streams[0].1,
            instances: self.streams.get(1).map_or(&[], |(_, bytes)| bytes),
            constants: &self.constants[0],
            count: self.vertices as usize,
        }
    }

    /// The scene with fewer vertices, or instances where those are what it has many of.
    pub fn shortened(&self, rows: u32) -> Scene {
        let mut few = self.clone();
        if few.vertices > rows {
            few.vertices = rows;
            few.instances = 1;
        } else {
            few.instances = (rows / few.vertices).min(few.instances);
        }
        if let Some(indices) = &mut few.indices {
            indices.truncate(few.vertices as usize);
        }
        few
    }

    pub fn pipeline(&self, threads: Threads) -> Pipeline {
        let options = DeviceOptions {
            threads,
            ..DeviceOptions::default()
        };
        let device = Device::new(options).expect("a device");
        let program =
            fuseline::compile(&self.shader, "main", self.profile).expect("the shader compiles");
        let mut desc = PipelineDesc::new(program, &self.layout);
        if let Some((views, _)) = self.views {
            desc.view_instancing = ViewInstancing {
                views: vec![ViewLocation::default(); views],
                masking: true,
            };
        }
        device.create_pipeline(&desc).expect("the layout fits")
    }

    pub fn state(&self) -> DrawState {
        let mut state = DrawState::new(self.topology);
        for (slot, (stride, bytes)) in self.streams.iter().enumerate() {
            let view = VertexBufferView::new(&Buffer::new(bytes), *stride);
            state = state.vertex_buffer(slot as u32, view);
        }
        for (register, values) in self.constants.iter().enumerate() {
            let bytes = Buffer::from_slice(values);
            state = state.constant_bytes(Register::b(register as u32), &bytes);
        }
        if let Some(indices) = &self.indices {
            state = state.index_buffer(IndexBufferView::from_u32(indices));
        }
        match self.views {
            Some((_, mask)) => state.view_mask(mask),
            None => state,
        }
    }

    pub fn call(&self) -> DrawCall {
        match &self.indices {
            Some(_) => DrawCall::indexed_instanced(self.vertices, self.instances),
            None => DrawCall::instanced(self.vertices, self.instances),
        }
    }

    pub fn options(&self, engine: Engine) -> DrawOptions {
        DrawOptions {
            storage: self.storage,
            ..DrawOptions::engine(engine)
        }
    }

    /// What is written by hand must compute what is compiled; a benchmark of something else would mean nothing.
    pub fn check(&self, by: &str, rows: &[f32]) {
        let options = DrawOptions {
            storage: RowStorage::Expanded,
            ..DrawOptions::engine(Engine::Jit)
        };
        let results = (self.pipeline(Threads::None))
            .draw_with(&self.state(), &self.call(), &options)
            .expect("it draws");
        // The last rows are the likeliest to be wrong; all would take longer than measuring does.
        let count = rows.len() / self.row;
        for i in (0..count).filter(|i| i % 61 == 0 || count - i < 64) {
            let row = &rows[i * self.row..][..self.row];
            let compiled = results.row(i).expect("as many rows").map(f32::from_bits);
            for (by_hand, compiled) in row.iter().zip(compiled) {
                let near = (by_hand - compiled).abs() <= 1e-4 * compiled.abs().max(1.0);
                assert!(
                    near,
                    "{}, {by}, row {i}: {by_hand} by hand, {compiled} compiled",
                    self.name
                );
            }
        }
    }
}

fn unique(indices: &[u32]) -> usize {
    let mut sorted = indices.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

fn columns(rows: [f32; 16]) -> [f32; 16] {
    std::array::from_fn(|i| rows[i % 4 * 4 + i / 4])
}

const VIEW_PROJECTION: [f32; 16] = [
    1.2, 0.0, 0.1, 0.3, 0.0, 1.6, -0.2, 0.1, 0.2, 0.1, -1.01, 4.0, 0.1, 0.05, -1.0, 5.0,
];
const WORLD: [f32; 16] = [
    0.8, -0.6, 0.0, 0.5, 0.6, 0.8, 0.0, -0.25, 0.0, 0.0, 1.0, 0.75, 0.0, 0.0, 0.0, 1.0,
];

fn matrices() -> Vec<f32> {
    [columns(VIEW_PROJECTION), columns(WORLD)].concat()
}

/// Position, normal and texture coordinates in 32 bytes, and what `tail` adds.
fn vertices(r: &mut Random, count: u32, mut tail: impl FnMut(&mut Random) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        let ranges = [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.5, 0.5];
        bytes.extend(ranges.iter().flat_map(|x| r.next(-x, *x).to_le_bytes()));
        bytes.extend(tail(r));
    }
    bytes
}

fn base_layout() -> Vec<InputElementDesc> {
    vec![
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
    ]
}

fn per_instance(name: &str, index: u32, format: Format, slot: u32) -> InputElementDesc {
    InputElementDesc {
        input_slot: slot,
        input_slot_class: InputClassification::PerInstanceData,
        instance_data_step_rate: 1,
        ..InputElementDesc::new(name, index, format)
    }
}

/// 32-byte vertices, a position by a 4x4 matrix, a normal by a 3x3 one.
pub fn transform(rows: u32) -> Scene {
    Scene {
        name: "transform",
        shader: include_str!("transform.hlsl").to_owned(),
        profile: "vs_5_0",
        layout: base_layout(),
        streams: vec![(32, vertices(&mut Random(1), rows, |_| Vec::new()))],
        constants: vec![matrices()],
        indices: None,
        topology: Topology::TriangleList,
        vertices: rows,
        instances: 1,
        views: None,
        storage: RowStorage::Shared,
        row: 9,
        plain: Some(hand::plain::transform),
    }
}

/// 48-byte vertices, four bones of 64 each.
pub fn skin(rows: u32) -> Scene {
    let bones = (0..64).flat_map(|k| {
        let (s, c) = (k as f32 * 0.1).sin_cos();
        let (x, y) = (k as f32 * 0.01, k as f32 * -0.02);
        [c, -s, 0.0, x, s, c, 0.0, y, 0.0, 0.0, 1.0, 0.1]
    });
    let tail = |r: &mut Random| {
        let bones: Vec<u8> = (0..4).map(|_| r.next(0.0, 64.0) as u8).collect();
        [&bones[..], &[100, 80, 50, 25], &[0; 8]].concat()
    };
    let mut layout = base_layout();
    layout.extend([
        InputElementDesc::new("BLENDINDICES", 0, Format::R8G8B8A8_UINT),
        InputElementDesc::new("BLENDWEIGHT", 0, Format::R8G8B8A8_UNORM),
    ]);
    Scene {
        name: "skin",
        shader: include_str!("skin.hlsl").to_owned(),
        layout,
        streams: vec![(48, vertices(&mut Random(2), rows, tail))],
        constants: vec![matrices().into_iter().chain(bones).collect()],
        plain: Some(hand::plain::skin),
        ..transform(rows)
    }
}

/// Transform, and four point lights with a power each.
pub fn lit(rows: u32) -> Scene {
    let mut r = Random(3);
    let lights = (0..32).map(|i| match (i < 16, i % 4) {
        (true, 3) => 1.0,
        (true, _) => r.next(-4.0, 4.0),
        (false, 3) => 0.1,
        (false, _) => r.next(0.2, 1.0),
    });
    let constants = (matrices().into_iter().chain(lights)).chain([0.0, 1.0, 6.0, 1.0]);
    Scene {
        name: "lit",
        shader: include_str!("lit.hlsl").to_owned(),
        constants: vec![constants.collect()],
        row: 13,
        plain: Some(hand::plain::lit),
        ..transform(rows)
    }
}

/// 256 instances with a matrix and a tint each.
pub fn instanced(rows: u32) -> Scene {
    const INSTANCES: u32 = 256;
    let instance = |k: u32| -> Vec<u8> {
        let (s, c) = (k as f32 * 0.3).sin_cos();
        let rows = [
            c, -s, 0.0, 0.1, s, c, 0.0, -0.2, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 0.0, 1.0,
        ];
        let floats = rows.iter().flat_map(|x| x.to_le_bytes());
        floats.chain([k as u8, 200, 128, 255]).collect()
    };
    let mut scene = transform(rows / INSTANCES / 48 * 48);
    scene
        .layout
        .extend((0..4).map(|i| per_instance("XFORM", i, Format::R32G32B32A32_FLOAT, 1)));
    scene
        .layout
        .push(per_instance("TINT", 0, Format::R8G8B8A8_UNORM, 1));
    (scene.streams).push((INSTANCE as u32, (0..INSTANCES).flat_map(instance).collect()));
    Scene {
        name: "instanced",
        shader: include_str!("instanced.hlsl").to_owned(),
        instances: INSTANCES,
        row: 13,
        plain: Some(hand::plain::instanced),
        ..scene
    }
}

/// A grid of triangles over the vertices of `transform`: each vertex is named about six times.
pub fn indexed(rows: u32) -> Scene {
    let side = rows.isqrt();
    let cell = |(x, y): (u32, u32)| {
        let v = y * side + x;
        [v, v + 1, v + side, v + 1, v + side + 1, v + side]
    };
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y)));
    let indices: Vec<u32> = cells.flat_map(cell).collect();
    Scene {
        name: "indexed",
        vertices: indices.len() as u32,
        indices: Some(indices),
        plain: None,
        ..transform(rows)
    }
}

/// As `indexed`, a full row for every index.
pub fn indexed_expanded(rows: u32) -> Scene {
    Scene {
        name: "indexed, expanded",
        storage: RowStorage::Expanded,
        ..indexed(rows)
    }
}

/// A twentieth of the triangles of `indexed`, in shuffled order.
pub fn sparse(rows: u32) -> Scene {
    let scene = indexed(rows);
    let all = scene.indices.as_deref().unwrap_or(&[]);
    let mut triangles: Vec<usize> = (0..all.len() / 60).collect();
    let mut r = Random(4);
    for i in (1..triangles.len()).rev() {
        triangles.swap(i, r.next(0.0, (i + 1) as f32) as usize);
    }
    let corners = |k: &usize| all[k * 60..][..3].to_vec();
    let indices: Vec<u32> = triangles.iter().flat_map(corners).collect();
    Scene {
        name: "sparse",
        vertices: indices.len() as u32,
        indices: Some(indices),
        ..scene
    }
}

/// 20-byte vertices in four packed formats, three matrices multiplied in the shader.
pub fn packed(rows: u32) -> Scene {
    let mut r = Random(5);
    let mut bytes = Vec::new();
    for _ in 0..rows {
        for _ in 0..3 {
            bytes.extend((r.next(-32767.0, 32767.0) as i16).to_le_bytes());
        }
        bytes.extend(32767i16.to_le_bytes());
        let normal = (0..3).fold(3 << 30, |n, i| n | (r.next(0.0, 1024.0) as u32) << (10 * i));
        bytes.extend(normal.to_le_bytes());
        for exponent in [0x3800u16, 0x3400] {
            bytes.extend((exponent + r.next(0.0, 1024.0) as u16).to_le_bytes());
        }
        bytes.extend([r.byte(), r.byte(), r.byte(), r.byte()]);
    }
    let more = [2.0, 2.0, 2.0, 0.0, 0.1, 0.2, 0.3, 0.0];
    Scene {
        name: "packed",
        shader: include_str!("packed.hlsl").to_owned(),
        layout: vec![
            InputElementDesc::new("POSITION", 0, Format::R16G16B16A16_SNORM),
            InputElementDesc::new("NORMAL", 0, Format::R10G10B10A2_UNORM),
            InputElementDesc::new("TEXCOORD", 0, Format::R16G16_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
        ],
        streams: vec![(20, bytes)],
        constants: vec![
            [&columns(WORLD)[..], &more].concat(),
            [columns(WORLD), columns(VIEW_PROJECTION)].concat(),
        ],
        row: 13,
        plain: None,
        ..transform(rows)
    }
}

/// `packed`, its matrices multiplied beforehand: the two in `b1` count as one, already times `World`.
pub fn packed_premultiplied(rows: u32) -> Scene {
    let scene = packed(rows);
    Scene {
        name: "packed, premultiplied",
        shader: scene
            .shader
            .replace("mul(Projection, mul(View, World))", "Projection"),
        ..scene
    }
}

/// `packed` without its formats: what is left is arithmetic and full floats.
pub fn unpacked(rows: u32) -> Scene {
    let mut r = Random(6);
    let floats = (0..rows * 14).flat_map(|_| r.next(0.0, 1.0).to_le_bytes());
    Scene {
        name: "packed, as floats",
        layout: vec![
            InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("NORMAL", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R32G32B32A32_FLOAT),
        ],
        streams: vec![(56, floats.collect())],
        ..packed(rows)
    }
}

/// Quads: four vertices of each of many instances.
pub fn billboards(rows: u32) -> Scene {
    let mut r = Random(7);
    let mut bytes = Vec::new();
    for _ in 0..rows / 4 {
        let floats = [
            r.next(-9.0, 9.0),
            r.next(-9.0, 9.0),
            r.next(-9.0, 9.0),
            r.next(0.1, 1.0),
        ];
        bytes.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([r.byte(), r.byte(), r.byte(), r.byte()]);
    }
    let axes = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    Scene {
        name: "billboards",
        shader: include_str!("billboards.hlsl").to_owned(),
        layout: vec![
            per_instance("CENTRE", 0, Format::R32G32B32A32_FLOAT, 0),
            per_instance("TINT", 0, Format::R8G8B8A8_UNORM, 0),
        ],
        streams: vec![(20, bytes)],
        constants: vec![[&columns(VIEW_PROJECTION)[..], &axes].concat()],
        topology: Topology::TriangleStrip,
        vertices: 4,
        instances: rows / 4,
        row: 10,
        plain: None,
        ..transform(4)
    }
}

/// `enabled` of `views` views, each with a matrix of its own.
pub fn views(name: &'static str, rows: u32, views: usize, enabled: u32) -> Scene {
    let of_view = |k: usize| {
        let mut m = VIEW_PROJECTION;
        m[3] += 0.06 * k as f32;
        columns(m)
    };
    Scene {
        name,
        shader: include_str!("views.hlsl").to_owned(),
        profile: "vs_6_1",
        constants: vec![(0..4).flat_map(of_view).chain(columns(WORLD)).collect()],
        views: Some((views, (1 << enabled) - 1)),
        plain: None,
        ..transform(rows)
    }
}
