//! What is planned: the order of instructions, how many chains there are, what is kept in memory, where NaNs are looked
//! for.

use super::harness::{Case, vertex_stage};
use crate::isa::{Isa, LONG};
use crate::kernel::RowLayout;
use crate::kir::parse;
use crate::lir::op::Op;
use crate::lir::vectorise::{Plan, vectorise};
use crate::lir::{Function, Inst, StageKind, Value, dead, schedule, spill};
use std::collections::HashMap;
use std::fmt::Write;

/// The planned function of one stage in which everything varies with the vertex; word `n` of a vertex is `wn`.
fn planned(words: u32, text: &str, outputs: &[u8], chains: u32) -> Function {
    let mut all = String::new();
    for n in 0..words {
        let _ = writeln!(all, "r{n}: i32 = read word 0+{} w4", 4 * n);
        let _ = writeln!(all, "w{n}: f32 = asfloat r{n}");
    }
    let case = Case::new("", outputs).with_words(&[words], &[0; 64]);
    let isa = Isa::host().expect("a machine");
    let mut planned = vectorise(Plan {
        staged: &vertex_stage(parse::parse(&(all + text)).expect("Kir text")),
        elements: &case.elements,
        outputs,
        gathered: false,
        chains,
        fma: isa.has_fma(),
        x86: cfg!(target_arch = "x86_64"),
        flush: true,
        rows: &RowLayout::ByRate,
    });
    dead::run(&mut planned.function);
    planned.function
}

/// `sums` sums, each of `terms` square roots one of the other.
fn roots(sums: u32, terms: u32) -> String {
    let mut text = String::new();
    for s in 0..sums {
        let _ = writeln!(text, "s{s}_0: f32 = fadd w0, w1");
        for t in 0..terms {
            let _ = writeln!(text, "q{s}_{t}: f32 = fsqrt s{s}_{t}");
            let _ = writeln!(text, "s{s}_{}: f32 = fadd q{s}_{t}, w{}", t + 1, s % 2);
        }
        let _ = writeln!(text, "store o{}.{} = s{s}_{terms}", s / 4, s % 4);
    }
    text
}

#[test]
fn chains_take_turns_where_long_runs_wait_for_results() {
    let long = planned(2, &roots(1, 150), &[1], 1);
    assert!(schedule::wants_two_chains(&long));
}

#[test]
fn one_chain_is_enough_for_short_runs_and_for_much_at_once() {
    let short = planned(2, &roots(1, 40), &[1], 1);
    assert!(
        !schedule::wants_two_chains(&short),
        "the next group overlaps"
    );
    let mut wide = String::new();
    for n in 0..240 {
        let _ = writeln!(wide, "p{n}: f32 = fmul w{}, {}.5", n % 4, n);
        let _ = writeln!(
            wide,
            "q{n}: f32 = fadd p{n}, {}",
            if n < 8 {
                "w0".into()
            } else {
                format!("q{}", n - 8)
            }
        );
    }
    for n in 0..8 {
        let _ = writeln!(wide, "store o{}.{} = q{}", n / 4, n % 4, 232 + n);
    }
    let wide = planned(4, &wide, &[4, 4], 1);
    assert!(
        !schedule::wants_two_chains(&wide),
        "it keeps the machine busy"
    );
}

/// The instructions of the groups, those that are made at each use left out.
fn group(f: &Function) -> Vec<&Inst> {
    let region = &f.stages[StageKind::Group.index()];
    let insts = region.insts.iter().map(|&id| f.inst(id));
    insts.filter(|i| !i.is_remade() && !i.is_cast()).collect()
}

#[test]
fn two_chains_go_on_side_by_side() {
    let mut f = planned(2, &roots(1, 150), &[1], 2);
    schedule::run(&mut f);
    // How many square roots each value is behind.
    let mut depth: HashMap<Value, u32> = HashMap::new();
    let mut depths = Vec::new();
    for &id in &f.stages[StageKind::Group.index()].insts {
        let mut most = 0;
        f.inst(id)
            .for_each_operand(|v| most = most.max(*depth.get(&v).unwrap_or(&0)));
        if matches!(f.inst(id), Inst::Op(Op::FSqrt, _)) {
            most += 1;
            depths.push(most);
        }
        depth.extend(f.insts[id.0 as usize].results.iter().map(|&r| (r, most)));
    }
    let side_by_side: Vec<u32> = (1..=150).flat_map(|d| [d, d]).collect();
    assert_eq!(depths, side_by_side);
}

/// Sums of products, all of which are needed again in the end, in the other order.
fn many_values(count: u32) -> String {
    let mut text = String::new();
    for n in 0..count {
        let _ = writeln!(text, "p{n}: f32 = fmul w{}, w{}", n % 4, (n / 4 + n) % 4);
        let before = if n == 0 {
            "w0".into()
        } else {
            format!("t{}", n - 1)
        };
        let _ = writeln!(text, "t{n}: f32 = fma p{n}, {n}.25, {before}");
    }
    let mut sum = format!("t{}", count - 1);
    for n in (0..count).rev() {
        let _ = writeln!(text, "u{n}: f32 = fma p{n}, {sum}, t{n}");
        sum = format!("u{n}");
    }
    text + &format!("store o0.0 = {sum}")
}

/// Most vectors alive between two instructions of the groups.
fn most_alive(f: &Function) -> usize {
    let roots = f.roots();
    let insts = &f.stages[StageKind::Group.index()].insts;
    let mut last: HashMap<Value, usize> = HashMap::new();
    for (at, &id) in insts
        .iter()
        .enumerate()
        .filter(|(_, id)| !f.inst(**id).is_cast())
    {
        f.inst(id).for_each_operand(|v| {
            last.insert(roots[v.0 as usize], at);
        });
    }
    let defined = |v: &Value| {
        insts
            .iter()
            .position(|&id| f.insts[id.0 as usize].results.contains(v))
    };
    let ranges: Vec<(usize, usize)> = last
        .iter()
        .filter(|(v, _)| f.ty(**v).is_vector())
        .filter_map(|(v, &end)| Some((defined(v)?, end)))
        .filter(|&(at, _)| !f.inst(insts[at]).is_remade())
        .collect();
    let alive = |at: usize| {
        ranges
            .iter()
            .filter(|&&(begin, end)| begin <= at && at < end)
            .count()
    };
    (0..insts.len()).map(alive).max().unwrap_or(0)
}

#[test]
fn what_does_not_fit_in_registers_is_an_operand_in_memory() {
    let text = many_values(40);
    let mut f = planned(4, &text, &[1], 1);
    schedule::run(&mut f);
    assert!(most_alive(&f) > 16, "there is too much");
    spill::run(&mut f);
    assert!(most_alive(&f) <= 15, "{} alive", most_alive(&f));
    let kept = group(&f)
        .iter()
        .filter(|i| matches!(i, Inst::Keep(..)))
        .count();
    assert_eq!(kept as u32, f.spilled_slots);

    let mut text = String::new();
    for n in 0..4 {
        let _ = writeln!(
            text,
            "r{n}: i32 = read word 0+{} w4\n w{n}: f32 = asfloat r{n}",
            4 * n
        );
    }
    let words: Vec<u32> = (0..44).map(|i| (0.5 + i as f32 / 64.0).to_bits()).collect();
    let mut case = Case::new(&(text + &many_values(40)), &[1]).with_words(&[4], &words);
    case.check();
    case.long_runs = true;
    case.check();
}

#[test]
fn what_is_kept_inside_branches_and_loops_is_read_there() {
    let mut text = String::new();
    for n in 0..4 {
        let _ = writeln!(
            text,
            "r{n}: i32 = read word 0+{} w4\n w{n}: f32 = asfloat r{n}",
            4 * n
        );
    }
    for n in 0..24 {
        let _ = writeln!(text, "p{n}: f32 = fmul w{}, {}.5", n % 4, n + 1);
    }
    text += "c: bool = flt w0, w1\n x: f32 = if c {\n";
    let sum = |text: &mut String, name: &str| {
        let _ = writeln!(text, "{name}0: f32 = fadd p0, w1");
        for n in 1..24 {
            let _ = writeln!(
                text,
                "{name}{n}: f32 = fma p{n}, {name}{}, w{}",
                n - 1,
                n % 4
            );
        }
    };
    sum(&mut text, "a");
    text += "yield a23\n } else {\n";
    sum(&mut text, "b");
    text += "yield w2\n }\n";
    sum(&mut text, "d");
    text += "y: f32 = fadd x, d23\n store o0.0 = y";
    let words: Vec<u32> = (0..28).map(|i| (0.25 * (i % 9) as f32).to_bits()).collect();
    Case::new(&text, &[1]).with_words(&[4], &words).check();
}

#[test]
fn decoded_bytes_are_not_looked_at_for_nans() {
    let bytes = "a: i32 = iand r0, 255
                 x: f32 = stof a
                 y: f32 = fma x, 0.003921569, -0.5
                 c: f32 = canon y
                 store o0.0 = c";
    let looks = |f: &Function| {
        let nan = |i: &&Inst| matches!(i, Inst::Op(Op::FUno | Op::FOrd, _));
        group(f).iter().any(nan)
    };
    assert!(!looks(&planned(1, bytes, &[1], 1)));
    let any = "y: f32 = fma w0, 0.003921569, -0.5
               c: f32 = canon y
               store o0.0 = c";
    assert!(looks(&planned(1, any, &[1], 1)));
}

#[test]
fn nans_are_found_among_infinities_and_numbers() {
    let text = "r0: i32 = read word 0+0 w4
                r1: i32 = read word 0+4 w4
                r2: i32 = read word 0+8 w4
                w0: f32 = asfloat r0
                w1: f32 = asfloat r1
                w2: f32 = asfloat r2
                x: f32 = fmul w0, w1
                y: f32 = fadd w1, w2
                z: f32 = fsub w2, w0
                cx: f32 = canon x
                cy: f32 = canon y
                cz: f32 = canon z
                store o0.0 = cx
                store o0.1 = cy
                store o0.2 = cz";
    let special = [
        0.0,
        1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN,
    ];
    let mut words = Vec::new();
    for a in special {
        for b in special {
            words.extend([a, b, -a * 0.5].map(|x| x.to_bits() ^ u32::from(x.is_nan())));
        }
    }
    let mut case = Case::new(text, &[3]).with_words(&[3], &words);
    case.check();
    case.long_runs = true;
    case.check();
}

#[test]
fn very_long_functions_are_the_same_though_registers_are_found_in_one_go() {
    let mut text = String::from("r0: i32 = read word 0+0 w4\n x0: f32 = asfloat r0\n");
    for n in 0..LONG {
        let _ = writeln!(text, "x{}: f32 = fma x{n}, 0.75, {}.5", n + 1, n % 64);
    }
    let _ = writeln!(
        text,
        "c: bool = flt x{LONG}, x{}\n y: f32 = if c {{\n",
        LONG / 2
    );
    let _ = writeln!(
        text,
        "z: f32 = fsqrt x7\n yield z\n }} else {{\n yield x9\n }}\n store o0.0 = y"
    );
    let words: Vec<u32> = (0..7).map(|i| (i as f32).to_bits()).collect();
    Case::new(&text, &[1]).with_words(&[1], &words).check();
}
