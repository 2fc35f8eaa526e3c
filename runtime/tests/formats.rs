//! Every code of every format through compiled kernels, beside the scalar decoding that the compiler's tests prove right.

use fuseline_compiler::format::Format;
use fuseline_compiler::layout::InputElementDesc;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_runtime::*;
use std::sync::Arc;

/// The bytes of elements in which every component takes every value that it can, up to 16 bits; of 32-bit components
/// all exponents with many fractions. `size`: bytes of an element.
fn elements(size: usize, wide: bool) -> Vec<u8> {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let count: u64 = if size == 1 { 256 } else { 1 << 16 };
    let code = |i: u64| -> [u8; 16] {
        let mut bytes = [0; 16];
        for (k, part) in bytes.chunks_exact_mut(4).enumerate() {
            let mixed = i.wrapping_add(k as u64).wrapping_mul(SPREAD);
            // Each half takes all values of 16 bits, one not as the other.
            let low = (i as u16) ^ (k as u16).wrapping_mul(0x5555);
            let high = (i as u16).wrapping_mul(0x9E37);
            let word = if wide {
                (i as u32) << 16 | (mixed >> 48) as u32
            } else {
                u32::from(low) | u32::from(high) << 16
            };
            part.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    };
    (0..count)
        .flat_map(|i| code(i).into_iter().take(size))
        .collect()
}

fn shader() -> Arc<fuseline_hlsl::hir::Program> {
    let text = b"uint4 main(uint4 v : V) : P { return v; }";
    let options = Default::default();
    let compiled = fuseline_hlsl::compile("test.hlsl", text, &options, &mut NoIncludes)
        .unwrap_or_else(|_| panic!("a good shader"));
    Arc::new(compiled.program)
}

fn drawn(format: Format, slot_stride: u32, bytes: &[u8], engine: Engine) -> Vec<[u32; 4]> {
    let device = Device::new(DeviceOptions::default()).expect("a device");
    let layout = [InputElementDesc::new("V", 0, format)];
    let desc = PipelineDesc::new(shader(), &layout);
    let pipeline = device.create_pipeline(&desc).expect("a good pipeline");
    let view = VertexBufferView::new(&Buffer::new(bytes), slot_stride);
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, view);
    let call = DrawCall::draw(bytes.len() as u32 / slot_stride);
    let results = (pipeline.draw_with(&state, &call, &DrawOptions::engine(engine))).expect("drawn");
    let output = results.output("P", 0).expect("an output");
    output.rows().expect("uint4").collect()
}

/// For formats whose names a test picks.
fn agree(which: impl Fn(&str) -> bool) {
    let mut some = false;
    for format in Format::all().filter(|format| which(format.name())) {
        let bytes = elements(format.bytes() as usize, format.name().contains("32"));
        let draw = |engine| drawn(format, format.bytes(), &bytes, engine);
        let (got, wanted) = (draw(Engine::Jit), draw(Engine::Interpreter));
        let different = got
            .iter()
            .zip(&wanted)
            .position(|(got, wanted)| got != wanted);
        assert_eq!(different, None, "{}", format.name());
        some = true;
    }
    assert!(some);
}

#[test]
fn bytes() {
    agree(|name| name.contains('8'));
}

#[test]
fn halves_of_words() {
    agree(|name| name.contains("16"));
}

#[test]
fn bit_fields() {
    agree(|name| !["8", "16", "32"].iter().any(|width| name.contains(width)));
}

#[test]
fn words() {
    agree(|name| name.contains("32"));
}

#[test]
fn the_elements_take_every_code() {
    let codes = |size: usize, at: usize, shift: u32, bits: u32| {
        let all = elements(size, false);
        let field = |element: &[u8]| {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(&element[at..]) {
                *to = *from;
            }
            u32::from_le_bytes(word) >> shift & ((1 << bits) - 1)
        };
        let seen: std::collections::BTreeSet<u32> = all.chunks(size).map(field).collect();
        seen.len()
    };
    // 8 and 16 bits in every place, then the fields of R10G10B10A2 and R11G11B10.
    for at in 0..4 {
        assert_eq!(codes(4, at, 0, 8), 256);
    }
    for at in [0, 2, 4, 6] {
        assert_eq!(codes(8, at, 0, 16), 1 << 16);
    }
    for (shift, bits) in [
        (0, 10),
        (10, 10),
        (20, 10),
        (30, 2),
        (0, 11),
        (11, 11),
        (22, 10),
    ] {
        assert_eq!(codes(4, 0, shift, bits), 1 << bits);
    }
}
