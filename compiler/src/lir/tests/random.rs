//! Random programs: graphs of operations with constants, branches and loops among them.

use super::harness::Case;
use super::ops::random;
use crate::isa::Features;
use fuseline_numerics::op::{Kind, Op};
use std::fmt::Write;

/// Writes Kir at random; values in scope are kept by kind.
struct Writer<R: FnMut() -> u32> {
    next: R,
    text: String,
    names: u32,
}

type Scope = [Vec<String>; 3];

fn slot(kind: Kind) -> usize {
    match kind {
        Kind::F32 => 0,
        Kind::I32 => 1,
        Kind::Bool => 2,
    }
}

const KINDS: [Kind; 3] = [Kind::F32, Kind::I32, Kind::Bool];

fn kind_name(kind: Kind) -> &'static str {
    ["f32", "i32", "bool"][slot(kind)]
}

impl<R: FnMut() -> u32> Writer<R> {
    fn below(&mut self, n: usize) -> usize {
        (self.next)() as usize % n
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn operand(&mut self, scope: &Scope, kind: Kind) -> String {
        let known = &scope[slot(kind)];
        if !known.is_empty() && self.below(8) > 0 {
            // Recent values more often, so that chains get long.
            let back = self.below(known.len().min(12));
            return known[known.len() - 1 - back].clone();
        }
        match kind {
            Kind::F32 => {
                ["0.0", "-0.0", "1.0", "-2.5", "0.001", "65536.0", "1e-40"][self.below(7)].into()
            }
            Kind::I32 => ["0", "1", "-1", "7", "255", "65536", "-2147483648"][self.below(7)].into(),
            Kind::Bool => ["true", "false"][self.below(2)].into(),
        }
    }

    fn op(&mut self, scope: &mut Scope) {
        let op = loop {
            let op = Op::ALL[self.below(Op::ALL.len())];
            // Which NaN these see is nobody's business.
            if !matches!(op, Op::NumBits | Op::AsInt) {
                break op;
            }
        };
        let args: Vec<String> = op
            .operands()
            .iter()
            .map(|&k| self.operand(scope, k))
            .collect();
        let name = self.name();
        let kind = kind_name(op.result());
        let _ = writeln!(
            self.text,
            "{name}: {kind} = {} {}",
            op.text(),
            args.join(", ")
        );
        scope[slot(op.result())].push(name);
    }

    fn block(&mut self, scope: &mut Scope, size: usize, depth: u32) {
        for _ in 0..size {
            match self.below(20) {
                0 if depth < 3 => self.branch(scope, depth),
                1 if depth < 3 => self.repeat(scope, depth),
                _ => self.op(scope),
            }
        }
    }

    fn branch(&mut self, scope: &mut Scope, depth: u32) {
        let cond = self.operand(scope, Kind::Bool);
        let results: Vec<(String, Kind)> = (0..1 + self.below(3))
            .map(|_| (self.name(), KINDS[self.below(3)]))
            .collect();
        let list: Vec<String> = results
            .iter()
            .map(|(n, k)| format!("{n}: {}", kind_name(*k)))
            .collect();
        let _ = writeln!(self.text, "{} = if {cond} {{", list.join(", "));
        for side in 0..2 {
            let mut inner = scope.clone();
            let size = self.below(12);
            self.block(&mut inner, size, depth + 1);
            let yields: Vec<String> = results
                .iter()
                .map(|(_, k)| self.operand(&inner, *k))
                .collect();
            let end = if side == 0 { "} else {" } else { "}" };
            let _ = writeln!(self.text, "yield {}\n{end}", yields.join(", "));
        }
        for (name, kind) in results {
            scope[slot(kind)].push(name);
        }
    }

    fn repeat(&mut self, scope: &mut Scope, depth: u32) {
        let (count, counter, next) = (self.name(), self.name(), self.name());
        let limit = self.operand(scope, Kind::I32);
        let (result, carried, kind) = (self.name(), self.name(), KINDS[self.below(3)]);
        let init = self.operand(scope, kind);
        let k = kind_name(kind);
        let small = self.name();
        let _ = writeln!(self.text, "{small}: i32 = iand {limit}, 7");
        let _ = writeln!(
            self.text,
            "{count}: i32, {result}: {k} = loop ({counter}: i32 = 0, {carried}: {k} = {init}) {{"
        );
        let mut inner = scope.clone();
        inner[1].push(counter.clone());
        inner[slot(kind)].push(carried);
        let size = 1 + self.below(10);
        self.block(&mut inner, size, depth + 1);
        let again = self.name();
        let value = self.operand(&inner, kind);
        let _ = writeln!(self.text, "{next}: i32 = iadd {counter}, 1");
        let _ = writeln!(self.text, "{again}: bool = slt {next}, {small}");
        let _ = writeln!(self.text, "yield {again}, {next}, {value}\n}}");
        scope[1].push(count);
        scope[slot(kind)].push(result);
    }
}

/// A program with inputs and outputs of all kinds, and where its floats are canonical before they are seen.
fn program(seed: u64) -> String {
    let mut w = Writer {
        next: random(seed),
        text: String::new(),
        names: 0,
    };
    let mut scope: Scope = Default::default();
    for i in 0..4 {
        let _ = writeln!(w.text, "w{i}: i32 = read word 0+{} w4", 4 * i);
        let _ = writeln!(w.text, "f{i}: f32 = asfloat w{i}");
        let _ = writeln!(w.text, "b{i}: bool = slt w{i}, 1000000");
        // A number, since the canonical NaN comes of arithmetic only.
        let _ = writeln!(w.text, "g{i}: f32 = fmul f{i}, 1.0");
        for (list, name) in scope.iter_mut().zip(["g", "w", "b"]) {
            list.push(format!("{name}{i}"));
        }
    }
    let _ = writeln!(w.text, "cc: f32 = cload c0[+8]\nci: i32 = cload c0[+12]");
    let _ = writeln!(w.text, "cm: f32 = fmul cc, 1.0");
    scope[0].push("cm".into());
    scope[1].push("ci".into());
    let size = 20 + w.below(60);
    w.block(&mut scope, size, 0);
    for i in 0..3 {
        let number = w.operand(&scope, Kind::F32);
        let _ = writeln!(
            w.text,
            "o{i}: f32 = fmul {number}, 1.0\ncanon{i}: f32 = canon o{i}"
        );
        let integer = w.operand(&scope, Kind::I32);
        let truth = w.operand(&scope, Kind::Bool);
        let _ = writeln!(
            w.text,
            "store o0.{i} = canon{i}\nstore o1.{i} = {integer}\nstore o2.{i} = {truth}"
        );
    }
    w.text
}

fn check(seed: u64) {
    let mut next = random(seed ^ 0xABCD);
    let words: Vec<u32> = (0..4 * 11)
        .map(|_| match next() % 4 {
            0 => next() % 100,
            1 => (next() & 0x83FF_FFFF) | 0x3D00_0000,
            2 => next(),
            _ => (next() % 3).wrapping_sub(1),
        })
        .collect();
    let mut case = Case::new(&program(seed), &[3, 3, 3]).with_words(&[4], &words);
    case.constants = vec![(0..32).map(|i: u8| i.wrapping_mul(59)).collect()];
    case.flush = !seed.is_multiple_of(3);
    case.long_runs = seed.is_multiple_of(2);
    case.features = [Features::Native, Features::Sse41][usize::from(seed.is_multiple_of(5))];
    if seed % 4 < 2 {
        case.sort_into_stages();
    }
    case.check();
}

#[test]
fn random_programs_give_the_same_bits() {
    for seed in 1..=250 {
        if let Err(panic) = std::panic::catch_unwind(|| check(seed)) {
            eprintln!("seed {seed}:\n{}", program(seed));
            std::panic::resume_unwind(panic);
        }
    }
}
