//! Fetching, storing, constants, tables and local arrays.

use super::harness::Case;
use super::ops::random;
use crate::kernel::RowLayout;
use crate::lir::vectorise::Element;
use std::fmt::Write;

/// Reads every word of elements of these sizes, computes with those that `computed` picks, stores all.
fn pass(elements: &[u32], computed: impl Fn(u32) -> bool) -> String {
    let mut text = String::new();
    let mut n = 0;
    for (e, &words) in elements.iter().enumerate() {
        for w in 0..words {
            let _ = writeln!(text, "w{n}: i32 = read word {e}+{} w4", 4 * w);
            let mut value = format!("w{n}");
            if computed(n) {
                let _ = writeln!(text, "c{n}: i32 = iadd w{n}, 1");
                value = format!("c{n}");
            }
            let _ = writeln!(text, "store o{e}.{w} = {value}");
            n += 1;
        }
    }
    text
}

fn words(n: usize) -> Vec<u32> {
    let mut next = random(11);
    (0..n).map(|_| next()).collect()
}

#[test]
fn rows_of_every_width_computed_and_passed_through() {
    for total in 1..=13u32 {
        for pattern in 0..8u32 {
            let elements: Vec<u32> = (0..total).step_by(4).map(|i| (total - i).min(4)).collect();
            let text = pass(&elements, |n| (pattern >> (n % 3)) & 1 != 0);
            let outputs: Vec<u8> = elements.iter().map(|&n| n as u8).collect();
            for vertices in [4, 5, 8, 11] {
                let data = words((vertices * total) as usize);
                let mut case = Case::new(&text, &outputs).with_words(&elements, &data);
                case.check();
                case.long_runs = vertices >= 8;
                case.check();
                case.rows = RowLayout::Full;
                case.check();
            }
        }
    }
}

#[test]
fn gathered_vertices() {
    let elements = [3, 3, 2];
    let text = pass(&elements, |n| n < 7) + "id: i32 = read vertex_id\n store o3.0 = id";
    let mut case = Case::new(&text, &[3, 3, 2, 1]).with_words(&elements, &words(8 * 50));
    case.fetch = Some(vec![3, 49, 0, 7, 7, 12, 31, 1, 2, 40, 48]);
    case.vertices = 11;
    case.check();
    case.long_runs = true;
    case.check();
}

#[test]
fn narrow_words_at_every_byte() {
    let mut text = String::new();
    for byte in 0..8 {
        let _ = writeln!(text, "a{byte}: i32 = read word 0+{byte} w1");
        let _ = writeln!(text, "store o{}.{} = a{byte}", byte / 4, byte % 4);
    }
    for half in 0..4 {
        let _ = writeln!(text, "b{half}: i32 = read word 0+{} w2", 2 * half);
        let _ = writeln!(text, "store o2.{half} = b{half}");
    }
    let case = Case::new(&text, &[4, 4, 4]).with_words(&[2], &words(2 * 9));
    case.check();
}

#[test]
fn elements_at_odd_offsets_and_strides() {
    let text = "a: i32 = read word 0+0 w2
                b: i32 = read word 0+2 w2
                c: i32 = read word 1+0 w4
                d: i32 = read word 1+4 w4
                e: i32 = iadd c, d
                store o0.0 = a
                store o0.1 = b
                store o1.0 = c
                store o1.1 = e";
    let element = |offset, bytes| Element {
        slot: 0,
        offset,
        stride: 15,
        bytes,
        step_rate: None,
        own_stream: false,
    };
    let mut case = Case::new(text, &[2, 2]);
    case.elements = vec![Some(element(1, 4)), Some(element(6, 8))];
    case.buffers = vec![(0..15 * 9).collect()];
    case.vertices = 9;
    case.check();
}

#[test]
fn streams_tell_what_they_read() {
    let element = |offset, bytes| Element {
        slot: 0,
        offset,
        stride: 32,
        bytes,
        step_rate: None,
        own_stream: false,
    };
    let text = "a: i32 = read word 0+0 w4
                b: i32 = read word 0+4 w4
                c: i32 = iadd a, b
                store o0.0 = c";
    let range = |offset| {
        let mut case = Case::new(text, &[1]);
        case.elements = vec![Some(element(offset, 8))];
        case.buffers = vec![vec![0; 320]];
        let kernel = case.compile();
        let stream = &kernel.info().vertex_streams[0];
        (stream.read_begin, stream.read_end)
    };
    assert_eq!(range(4), (4, 20), "two words are loaded as four");
    assert_eq!(
        range(24),
        (16, 32),
        "at the end of a vertex, the four before it"
    );
}

#[test]
fn per_instance_elements() {
    let text = "a: i32 = read word 0+0 w4
                b: i32 = read word 1+0 w4
                c: i32 = read word 1+4 w2
                i: i32 = read instance_id
                d: i32 = iadd a, b
                e: i32 = iadd d, c
                store o0.0 = d
                store o0.1 = e
                store o0.2 = i";
    for rate in [0, 1, 2, 3] {
        let mut case = Case::new(text, &[3]).with_words(&[1], &words(5));
        case.elements.push(Some(Element {
            slot: 1,
            offset: 4,
            stride: 12,
            bytes: 8,
            step_rate: Some(rate),
            own_stream: false,
        }));
        // Too short for the last instances: those read zero.
        case.buffers.push((0..60).collect());
        case.instances = 6;
        case.start_instance = 1;
        case.staged.rates =
            vec![crate::kernel::Rate::new(false, true, true); case.staged.rates.len()];
        case.staged.stages[0].rate = crate::kernel::Rate::new(false, true, true);
        case.check();
    }
}

#[test]
fn constants_at_fixed_and_varying_addresses() {
    let text = "w: i32 = read word 0+0 w4
                a: f32 = cload c0[+4]
                b: i32 = cload c0[+60]
                c: i32 = cload c0[+61]
                d: i32 = cload c1[+0]
                e: i32 = cload c0[w + 8]
                f: i32 = cload c1[w + 0]
                store o0.0 = a
                store o0.1 = b
                store o0.2 = c
                store o0.3 = d
                store o1.0 = e
                store o1.1 = f";
    let addresses = [
        0,
        4,
        48,
        51,
        52,
        53,
        56,
        60,
        64,
        0xFFFF_FFF8,
        0xFFFF_FFFF,
        1 << 31,
        3,
    ];
    for sizes in [(64, 0), (64, 3), (64, 4), (3, 64)] {
        let mut case = Case::new(text, &[4, 2]).with_words(&[1], &addresses);
        case.constants = vec![
            (0..sizes.0).map(|i: u8| i.wrapping_mul(37)).collect(),
            (0..sizes.1).map(|i: u8| i.wrapping_mul(91)).collect(),
        ];
        case.check();
    }
}

/// Reads a palette of 48-byte entries at an index that cannot be large, one word by itself and seven neighbours, and
/// adds two rows of different entries.
fn palette(index: &str) -> String {
    let mut text =
        format!("w: i32 = read word 0+0 w4\n{index}\n x: i32 = imul i, 48\n y: i32 = imul j, 48\n");
    for word in 0..8 {
        let _ = writeln!(text, "a{word}: f32 = cload c0[x + {}]", 16 + 4 * word);
        let _ = writeln!(text, "b{word}: f32 = cload c0[y + {}]", 16 + 4 * word);
        let _ = writeln!(text, "s{word}: f32 = fadd a{word}, b{word}");
        let _ = writeln!(text, "store o{}.{} = s{word}", word / 4, word % 4);
    }
    text + "z: i32 = ishl j, 2\n lone: i32 = cload c1[z + 4]\n store o2.0 = lone"
}

#[test]
fn palettes_read_by_an_index_of_one_byte_end_in_zeros() {
    let bytes = "i: i32 = iand w, 255
                 k: i32 = ushr w, 16
                 j: i32 = iand k, 255";
    let words = "i: i32 = read word 0+1 w1
                 j: i32 = read word 0+3 w1";
    let lanes = "i: i32 = iand w, 15
                 k: i32 = ushr w, 28
                 j: i32 = iadd k, 3";
    let indices = [
        0,
        0x0102_0304,
        0xFFFF_FFFF,
        0x00FF_0005,
        0x0605_0201,
        0x0706_0504,
        0x8040_2010,
    ];
    for index in [bytes, words, lanes] {
        for entries in [0usize, 1, 5, 300] {
            let floats = (0..entries * 12 + entries % 2).map(|i| i as f32 * 0.5);
            let mut case = Case::new(&palette(index), &[4, 4, 1]).with_words(&[1], &indices);
            let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
            case.constants = vec![
                bytes.clone(),
                bytes[..bytes.len().saturating_sub(3)].to_vec(),
            ];
            case.check();
            case.vertices = 8;
            case.fetch = Some(vec![6, 5, 4, 3, 2, 1, 0, 2]);
            case.long_runs = true;
            case.check();
        }
    }
}

#[test]
fn tables_and_arrays_by_index() {
    let text = "array a0[5]
                table t0 = [10, 20, 30]
                w: i32 = read word 0+0 w4
                t: i32 = tload t0[w]
                astore a0[w] = t
                k: i32 = iand w, 3
                c: bool = slt w, 3
                if c {
                  astore a0[k] = w
                  astore a0[4] = 77
                }
                x: i32 = aload a0[w]
                y: i32 = aload a0[4]
                z: i32 = aload a0[k]
                store o0.0 = t
                store o0.1 = x
                store o0.2 = y
                store o0.3 = z";
    let mut case =
        Case::new(text, &[4]).with_words(&[1], &[0, 1, 2, 3, 4, 5, 6, 7, u32::MAX, 8, 100]);
    case.check();
    case.long_runs = true;
    case.check();
}
