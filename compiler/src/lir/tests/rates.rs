//! Stages: what is computed once per draw, view or instance, and the blocks that outputs are stored in.

use super::harness::Case;
use super::ops::random;
use crate::kernel::{OutputBlock, OutputMap, OutputPlace, Rate, RowLayout};
use crate::lir::outputs;
use crate::lir::vectorise::Element;
use std::sync::Arc;

/// Values of every rate, and an output for each.
const ALL_RATES: &str = "
    w: i32 = read word 0+0 w4
    x: f32 = stof w
    i: i32 = read instance_id
    v: i32 = read view_id
    p: f32 = cload c0[+4]
    q: f32 = cload c0[+8]
    d: f32 = fmul p, q
    v4: i32 = imul v, 16
    cv: f32 = cload c0[v4 + 12]
    vd: f32 = fadd cv, d
    fi: f32 = stof i
    id: f32 = fmul fi, d
    iv: f32 = fmul id, vd
    a: i32 = read word 1+0 w4
    ia: i32 = iadd a, i
    xd: f32 = fma x, d, p
    xi: f32 = fma x, id, xd
    xv: f32 = fma x, vd, xd
    xiv: f32 = fma xi, vd, iv
    store o0.0 = d
    store o0.1 = vd
    store o0.2 = id
    store o0.3 = iv
    store o1.0 = xd
    store o1.1 = xi
    store o1.2 = xv
    store o1.3 = xiv
    store o2.0 = w
    store o2.1 = ia
    store o2.2 = xiv";

fn case(text: &str, outputs: &[u8], vertices: usize) -> Case {
    let mut next = random(5);
    let words: Vec<u32> = (0..vertices).map(|_| next() % 1000).collect();
    let mut case = Case::new(text, outputs).with_words(&[1], &words);
    case.elements.push(Some(Element {
        slot: 1,
        offset: 0,
        stride: 4,
        bytes: 4,
        step_rate: Some(2),
        own_stream: false,
    }));
    case.buffers.push((0..64).collect());
    case.constants = vec![
        (0..60u32)
            .flat_map(|i| (i as f32 * 0.25).to_le_bytes())
            .collect(),
    ];
    case
}

#[test]
fn values_of_every_rate() {
    for vertices in [4, 7, 8, 17] {
        for (views, instances) in [
            (vec![0], 1),
            (vec![1, 3], 1),
            (vec![2], 3),
            (vec![0, 1, 3], 4),
        ] {
            let mut case = case(ALL_RATES, &[4, 4, 3], vertices);
            case.views = views;
            case.instances = instances;
            case.sort_into_stages();
            for rows in [RowLayout::ByRate, RowLayout::Full] {
                case.rows = rows;
                case.long_runs = vertices >= 8;
                case.check();
            }
        }
    }
}

#[test]
fn each_rate_has_a_block() {
    let mut case = case(ALL_RATES, &[4, 4, 3], 4);
    case.sort_into_stages();
    let kernel = case.compile();
    let blocks: Vec<(Rate, u32)> = kernel
        .info()
        .outputs
        .blocks
        .iter()
        .map(|b| (b.rate, b.stride))
        .collect();
    let strides = [4, 4, 8, 4, 8, 4, 4, 8];
    assert_eq!(
        blocks,
        Rate::ALL.into_iter().zip(strides).collect::<Vec<_>>()
    );
    case.rows = RowLayout::Full;
    let kernel = case.compile();
    assert_eq!(kernel.info().outputs.blocks.len(), 1);
    assert_eq!(kernel.info().outputs.blocks[0].stride, 44);
}

#[test]
fn rows_of_the_callers_leave_what_is_between_alone() {
    // Block 0: o2 at byte 4 of 40, o0 at byte 24; block 1: o1 in rows of 20 bytes.
    let place = |block, first: u32, count: u32| -> Vec<OutputPlace> {
        (0..count)
            .map(|c| OutputPlace {
                block,
                offset: first + 4 * c,
            })
            .collect()
    };
    for (vertices, rate) in [
        (4, Rate::new(true, true, true)),
        (17, Rate::new(true, true, true)),
    ] {
        let mut case = case(ALL_RATES, &[4, 4, 3], vertices);
        case.views = vec![1, 2];
        case.instances = 3;
        case.sort_into_stages();
        case.rows = RowLayout::Placed(Arc::new(OutputMap {
            blocks: vec![
                OutputBlock { rate, stride: 40 },
                OutputBlock { rate, stride: 20 },
            ],
            places: vec![place(0, 24, 4), place(1, 0, 4), place(0, 4, 3)],
        }));
        case.long_runs = vertices >= 8;
        case.check();
        let (_, blocks) = case.run(&case.compile());
        for row in blocks[0].chunks(40) {
            assert_eq!((&row[..4], &row[16..24]), (&[0xEE; 4][..], &[0xEE; 8][..]));
        }
        for row in blocks[1].chunks(20) {
            assert_eq!(row[16..], [0xEE; 4]);
        }
    }
}

#[test]
fn rows_that_vary_less_than_their_outputs_are_refused() {
    let rates = vec![vec![Rate::VERTEX; 2], vec![Rate::INSTANCE]];
    let map = |rate| OutputMap {
        blocks: vec![OutputBlock { rate, stride: 12 }],
        places: vec![
            vec![
                OutputPlace {
                    block: 0,
                    offset: 0
                };
                2
            ],
            vec![OutputPlace {
                block: 0,
                offset: 8,
            }],
        ],
    };
    let text = |rate| outputs::check(&rates, &map(rate)).map_err(|e| e.to_string());
    assert_eq!(text(Rate::new(false, true, true)), Ok(()));
    assert_eq!(
        text(Rate::VERTEX),
        Err("output 1 varies with {instance}, its block with {vertex}".to_string())
    );
}

#[test]
fn what_varies_with_instances_only_needs_no_vertices_stored() {
    let text = "
        i: i32 = read instance_id
        w: i32 = read word 0+0 w4
        j: i32 = imul i, 3
        x: i32 = imul w, 5
        store o0.0 = j
        store o1.0 = x
        store o1.1 = w";
    let mut case = case(text, &[1, 2], 9);
    case.instances = 5;
    case.sort_into_stages();
    case.check();
}

#[test]
fn uniform_branches_and_loops_among_vertices() {
    let text = "
        w: i32 = read word 0+0 w4
        n: i32 = cload c0[+0]
        k: i32 = cload c1[+0]
        odd: bool = ine k, 0
        a: i32, b: i32 = if odd {
          u: i32 = iadd w, 7
          yield u, k
        } else {
          t: i32 = imul w, w
          yield t, n
        }
        s: i32, c: i32 = loop (i: i32 = 0, r: i32 = w) {
          j: i32 = iadd i, 1
          x: i32 = imul j, 4
          y: i32 = cload c1[x + 0]
          q: i32 = iadd r, y
          z: i32 = iadd q, a
          m: bool = slt j, k
          yield m, j, z
        }
        store o0.0 = a
        store o0.1 = b
        store o0.2 = s
        store o0.3 = c";
    for k in [0, 1, 2, 9] {
        let mut case = case(text, &[4], 11);
        case.constants.push(
            [k, 5, 6, 7, 8, 9]
                .iter()
                .flat_map(|w: &u32| w.to_le_bytes())
                .collect(),
        );
        case.sort_into_stages();
        case.check();
        case.long_runs = true;
        case.check();
    }
}

/// Weighted sums of matrices from a palette, as in skinning.
fn palette(members: u32) -> String {
    let mut text = String::new();
    for b in 0..2 {
        text += &format!("i{b}: i32 = read word 0+{b} w1\n a{b}: i32 = imul i{b}, 48\n");
        text += &format!(
            "w{b}: i32 = read word 0+{} w4\n f{b}: f32 = asfloat w{b}\n",
            4 + 4 * b
        );
    }
    let mut sums = Vec::new();
    for row in 0..2 {
        for c in 0..members {
            let offset = 16 + 16 * row + 4 * c;
            text += &format!("x{row}{c}: f32 = cload c0[a0 + {offset}]\n");
            text += &format!("y{row}{c}: f32 = cload c0[a1 + {offset}]\n");
            text += &format!("p{row}{c}: f32 = fmul x{row}{c}, f0\n");
            text += &format!("s{row}{c}: f32 = fma y{row}{c}, f1, p{row}{c}\n");
            text += &format!("c{row}{c}: f32 = canon s{row}{c}\n");
            sums.push(format!("c{row}{c}"));
        }
    }
    text += "both: f32 = fadd x00, s01\n cb: f32 = canon both\n store o2.0 = cb\n";
    for (i, s) in sums.iter().enumerate() {
        text += &format!(
            "store o{}.{} = {s}\n",
            i as u32 / members,
            i as u32 % members
        );
    }
    text
}

#[test]
fn rows_gathered_from_constants_and_summed() {
    for members in [2, 3, 4] {
        let mut next = random(9);
        for size in [0, 3, 40, 48 * 5 + 48, 4096] {
            let words: Vec<u32> = (0..3 * 13)
                .map(|i| match i % 3 {
                    0 => next() & 0x0707,
                    _ => (next() & 0x007F_FFFF) | 0x3F00_0000,
                })
                .collect();
            let outputs = [members as u8, members as u8, 1];
            let mut case = Case::new(&palette(members), &outputs).with_words(&[3], &words);
            let constants = (0..size).map(|i: u32| ((i % 4 == 3) as u8) * 0x40 + (i % 7) as u8);
            case.constants = vec![constants.collect()];
            case.check();
            case.long_runs = true;
            case.check();
        }
    }
}
