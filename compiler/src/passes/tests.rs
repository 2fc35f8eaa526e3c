//! Passes on text, and all of them together on random functions.

use super::{canon, dead, hoist, if_convert, rates, rebuild, split};
use crate::format::Format;
use crate::kernel::{DrawKind, FetchElement, KernelKey, Rate, RowLayout};
use crate::kir::eval::{Inputs, Nan, eval, eval_staged};
use crate::kir::parse::parse;
use crate::kir::{Function, Source, verify};
use fuseline_numerics::scalar::Denorm;
use std::fmt::Write;

/// Element 0 per vertex, element 1 per instance.
fn key() -> KernelKey {
    let element = |input, step_rate| FetchElement {
        input,
        format: Format::from_name("R32G32B32A32_FLOAT").unwrap(),
        slot: Some(input),
        offset: 0,
        stride: 16,
        step_rate,
        own_stream: false,
    };
    KernelKey {
        elements: vec![element(0, None), element(1, Some(1))],
        draw: DrawKind::Sequential,
        flush: true,
        long_runs: true,
        count_loops: false,
        rows: RowLayout::ByRate,
    }
}

fn parsed(text: &str) -> Function {
    let function = parse(text).unwrap();
    verify::verify(&function).unwrap();
    function
}

fn canonical(text: &str) -> String {
    let mut function = parsed(text);
    canon::insert(&mut function);
    verify::verify(&function).unwrap();
    dead::remove(&function).to_string()
}

#[test]
fn arithmetic_is_made_canonical_where_it_is_stored_and_inputs_are_not() {
    let text = "v0: i32 = read word 0+0 w4
v1: f32 = asfloat v0
v2: f32 = fadd v1, 1.0
store o0.0 = v1
store o0.1 = v2
";
    assert_eq!(
        canonical(text),
        "v0: i32 = read word 0+0 w4
v1: f32 = asfloat v0
v2: f32 = fadd v1, 1.0
v3: f32 = canon v2
store o0.0 = v1
store o0.1 = v3
"
    );
}

#[test]
fn what_is_no_nan_needs_no_canon() {
    let text = "v0: f32 = cload c0[+0]
v1: f32 = fadd v0, 1.0
v2: f32 = fmax v1, 0.0
v3: f32 = fmin v2, 1.0
store o0.0 = v3
";
    assert_eq!(canonical(text), text);
}

#[test]
fn a_choice_between_arithmetic_and_an_input_is_made_after_the_canon() {
    let text = "v0: f32 = cload c0[+0]
v1: bool = flt v0, 0.0
v2: f32 = fadd v0, 1.0
v3: f32 = fselect v1, v2, v0
v4: f32 = fselect v1, v2, 2.0
v5: f32 = fadd v4, 2.0
store o0.0 = v3
store o0.1 = v5
";
    assert_eq!(
        canonical(text),
        "v0: f32 = cload c0[+0]
v1: bool = flt v0, 0.0
v2: f32 = fadd v0, 1.0
v3: f32 = canon v2
v4: f32 = fselect v1, v3, v0
v5: f32 = fselect v1, v2, 2.0
v6: f32 = fadd v5, 2.0
v7: f32 = canon v6
store o0.0 = v4
store o0.1 = v7
"
    );
}

#[test]
fn what_a_loop_carries_is_made_canonical_where_it_is_seen() {
    let text = "v0: f32 = cload c0[+0]
v1: i32 = cload c0[+4]
v2: f32, v3: i32 = loop (v4: f32 = v0, v5: i32 = 0) {
  v6: f32 = fmul v4, v4
  v7: i32 = iadd v5, 1
  v8: bool = slt v7, v1
  yield v8, v6, v7
}
store o0.0 = v2
";
    // Canonical behind the loop, not in it.
    for text in [text, &text.replace("v4: f32 = v0", "v4: f32 = 0.0")] {
        let text = canonical(text);
        assert_eq!(text.matches("canon").count(), 1, "{text}");
        let (_, behind) = text.split_once("}\n").expect("a loop");
        assert!(behind.contains("canon"), "{text}");
    }
    // The bits of what is carried count the iterations: those of the input are its own, all others canonical.
    let seen = canonical(&text.replace(
        "v7: i32 = iadd v5, 1",
        "v9: i32 = asint v4\n  v7: i32 = iadd v5, v9",
    ));
    let (inside, behind) = seen.split_once("}\n").expect("a loop");
    assert!(
        inside.contains("canon") && !behind.contains("canon"),
        "{seen}"
    );
}

fn staged_text(text: &str) -> String {
    let mut function = parsed(text);
    let of = rates::rates(&function, &key());
    hoist::hoist(&mut function, &of);
    let staged = split::split(function, of);
    verify::verify_staged(&staged).unwrap();
    staged.to_string()
}

#[test]
fn each_value_runs_as_often_as_it_must() {
    let text = "v0: i32 = read word 0+0 w4
v1: i32 = read word 1+0 w4
v2: f32 = cload c0[+0]
v3: f32 = cload c0[+4]
v4: f32 = fmul v2, v3
v5: f32 = asfloat v1
v6: f32 = fmul v5, v4
v7: f32 = asfloat v0
v8: f32 = fmul v7, v6
v9: i32 = read view_id
store o0.0 = v8
store o0.1 = v6
store o1.0 = v9
";
    assert_eq!(
        staged_text(text),
        "; per {}
v2: f32 {} = cload c0[+0]
v3: f32 {} = cload c0[+4]
v4: f32 {} = fmul v2, v3
; per {view}
v9: i32 {view} = read view_id
store o1.0 = v9
; per {instance}
v1: i32 {instance} = read word 1+0 w4
v5: f32 {instance} = asfloat v1
v6: f32 {instance} = fmul v5, v4
store o0.1 = v6
; per {vertex}
v0: i32 {vertex} = read word 0+0 w4
v7: f32 {vertex} = asfloat v0
; per {instance,vertex}
v8: f32 {instance,vertex} = fmul v7, v6
store o0.0 = v8
"
    );
}

#[test]
fn uniform_work_leaves_a_varying_if() {
    let text = "v0: i32 = read vertex_id
v1: i32 = cload c0[+0]
v2: bool = slt v0, 3
v3: i32 = if v2 {
  v4: i32 = sdiv v1, 7
  v5: i32 = iadd v4, v0
  yield v5
} else {
  yield v0
}
store o0.0 = v3
";
    assert_eq!(
        staged_text(text),
        "; per {}
v1: i32 {} = cload c0[+0]
v5: i32 {} = sdiv v1, 7
; per {vertex}
v0: i32 {vertex} = read vertex_id
v3: bool {vertex} = slt v0, 3
v7: i32 {vertex} = if v3 {
  v6: i32 {vertex} = iadd v5, v0
  yield v6
} else {
  yield v0
}
store o0.0 = v7
"
    );
}

#[test]
fn a_loops_result_varies_with_its_length_and_its_counter_does_not() {
    let text = "v0: i32 = read vertex_id
v1: i32 = loop (v2: i32 = 0) {
  v3: i32 = iadd v2, 1
  v4: bool = slt v3, v0
  yield v4, v3
}
store o0.0 = v1
";
    let text = staged_text(text);
    assert!(
        text.contains("{} = iadd v2, 1") && text.contains("{vertex} = loop ("),
        "{text}"
    );
}

#[test]
fn loop_invariants_stand_before_the_loop() {
    let text = "v0: i32 = read vertex_id
v1: i32 = loop (v2: i32 = 0) bound 8 {
  v5: i32 = imul v0, 7
  v3: i32 = iadd v2, v5
  v4: bool = slt v3, 100
  yield v4, v3
}
store o0.0 = v1
";
    let text = staged_text(text);
    let (product, loop_) = (text.find("imul").unwrap(), text.find("loop").unwrap());
    assert!(product < loop_, "{text}");
}

fn converted(text: &str) -> String {
    let function = parsed(text);
    let of = rates::rates(&function, &key());
    let function = if_convert::convert(&function, &of, Denorm::Flush);
    dead::remove(&function).to_string()
}

#[test]
fn cheap_sides_are_selected_and_dear_ones_are_not() {
    let text = |op: &str, hint: &str| {
        format!(
            "v0: i32 = read vertex_id
v1: bool = slt v0, 3
v2: i32 = if v1{hint} {{
  v3: i32 = {op} v0, 7
  yield v3
}} else {{
  yield v0
}}
store o0.0 = v2
"
        )
    };
    assert!(converted(&text("iadd", "")).contains("iselect"));
    assert!(converted(&text("sdiv", "")).contains("if v1"));
    assert!(converted(&text("sdiv", " flatten")).contains("iselect"));
}

#[test]
fn a_counter_with_an_exit_has_a_bound_once_the_exit_is_a_choice() {
    let text = "v0: i32 = read vertex_id
v1: i32, v2: i32 = loop (v3: i32 = 0, v4: i32 = 1) {
  v5: i32 = imul v4, v0
  v6: bool = slt v5, 0
  v7: bool, v8: i32 = if v6 {
    yield false, v3
  } else {
    v9: i32 = iadd v3, 1
    v10: bool = slt v9, 16
    yield v10, v9
  }
  yield v7, v8, v5
}
store o0.0 = v1
store o0.1 = v2
";
    assert!(converted(text).contains("bound 16"), "{}", converted(text));
}

/// A random function: arithmetic, comparisons, choices, Ifs and short loops.
struct Random {
    state: u64,
    text: String,
    next: u32,
}

#[derive(Clone, Default)]
struct Scope {
    floats: Vec<String>,
    ints: Vec<String>,
    bools: Vec<String>,
}

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        (self.state >> 33) as usize % n
    }

    fn pick(&mut self, from: &[String]) -> String {
        let i = self.below(from.len());
        from[i].clone()
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn operand(&mut self, scope: &Scope, kind: &str) -> String {
        let constants: &[&str] = match kind {
            "f32" => &[
                "0.0",
                "-0.0",
                "1.0",
                "-1.0",
                "0.5",
                "1e-40",
                "nan(7fc12345)",
                "nan(7fc00000)",
                "inf",
            ],
            "i32" => &["0", "1", "-1", "8", "31", "-2147483648"],
            _ => &["true", "false"],
        };
        if self.below(4) == 0 {
            let i = self.below(constants.len());
            return constants[i].to_string();
        }
        match kind {
            "f32" => self.pick(&scope.floats),
            "i32" => self.pick(&scope.ints),
            _ => self.pick(&scope.bools),
        }
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize) {
        use fuseline_numerics::op::{Kind, Op};
        match self.below(12) {
            0 if depth < 3 => self.if_(scope, depth),
            1 if depth < 2 => self.loop_(scope, depth),
            _ => {
                let kind = |k| match k {
                    Kind::F32 => "f32",
                    Kind::I32 => "i32",
                    Kind::Bool => "bool",
                };
                let op = Op::ALL[self.below(Op::ALL.len())];
                if op == Op::NumBits {
                    return;
                }
                let args: Vec<String> = op
                    .operands()
                    .iter()
                    .map(|k| self.operand(scope, kind(*k)))
                    .collect();
                let name = self.name();
                let result = kind(op.result());
                let _ = writeln!(
                    self.text,
                    "{name}: {result} = {} {}",
                    op.text(),
                    args.join(", ")
                );
                match op.result() {
                    Kind::F32 => scope.floats.push(name),
                    Kind::I32 => scope.ints.push(name),
                    Kind::Bool => scope.bools.push(name),
                }
            }
        }
    }

    fn block(&mut self, scope: &Scope, depth: usize) -> Scope {
        let mut inner = scope.clone();
        for _ in 0..self.below(5) {
            self.statement(&mut inner, depth + 1);
        }
        inner
    }

    fn if_(&mut self, scope: &mut Scope, depth: usize) {
        let cond = self.operand(scope, "bool");
        let results = [self.name(), self.name(), self.name()];
        let [f, i, b] = &results;
        let _ = writeln!(self.text, "{f}: f32, {i}: i32, {b}: bool = if {cond} {{");
        for side in 0..2 {
            let inner = self.block(scope, depth);
            let yields = ["f32", "i32", "bool"].map(|k| self.operand(&inner, k));
            let end = if side == 0 { "} else {" } else { "}" };
            let _ = writeln!(self.text, "yield {}\n{end}", yields.join(", "));
        }
        let [f, i, b] = results;
        scope.floats.push(f);
        scope.ints.push(i);
        scope.bools.push(b);
    }

    fn loop_(&mut self, scope: &mut Scope, depth: usize) {
        let [f, i, n, pf, pi, pn] = [(); 6].map(|()| self.name());
        let init = [self.operand(scope, "f32"), self.operand(scope, "i32")];
        let _ = writeln!(
            self.text,
            "{f}: f32, {i}: i32, {n}: i32 = loop ({pf}: f32 = {}, {pi}: i32 = {}, {pn}: i32 = 0) {{",
            init[0], init[1]
        );
        let mut inner = scope.clone();
        inner.floats.push(pf);
        inner.ints.push(pi);
        inner.ints.push(pn.clone());
        let inner = self.block(&inner, depth);
        let [next, stays, again] = [(); 3].map(|()| self.name());
        let cond = self.operand(&inner, "bool");
        let yields = ["f32", "i32"].map(|k| self.operand(&inner, k));
        let _ = writeln!(
            self.text,
            "{next}: i32 = iadd {pn}, 1\n{stays}: bool = slt {next}, 3\n{again}: bool = band {stays}, {cond}\n\
             yield {again}, {}, {next}\n}}",
            yields.join(", ")
        );
        scope.floats.push(f);
        scope.ints.extend([i, n]);
    }

    fn function(seed: u64) -> String {
        let mut random = Random {
            state: seed,
            text: String::new(),
            next: 0,
        };
        let mut scope = Scope::default();
        for (kind, source) in [
            ("i32", "read word 0+0 w4"),
            ("i32", "read word 1+0 w4"),
            ("i32", "read view_id"),
            ("f32", "cload c0[+0]"),
            ("f32", "cload c0[+4]"),
        ] {
            let name = random.name();
            let _ = writeln!(random.text, "{name}: {kind} = {source}");
            if kind == "f32" {
                scope.floats.push(name);
            } else {
                scope.ints.push(name);
            }
        }
        let [a, b] = [random.name(), random.name()];
        let _ = writeln!(random.text, "{a}: f32 = asfloat v1\n{b}: bool = slt v2, v3");
        scope.floats.push(a);
        scope.bools.push(b);
        for _ in 0..30 {
            random.statement(&mut scope, 0);
        }
        for k in 0..3 {
            let v = random.pick(&scope.floats);
            let _ = writeln!(random.text, "store o0.{k} = {v}");
            let v = random.pick(&scope.ints);
            let _ = writeln!(random.text, "store o1.{k} = {v}");
        }
        random.text
    }
}

const BITS: [u32; 10] = [
    0,
    1,
    0x8000_0000,
    0x3F80_0000,
    0xC040_0000,
    0x7F80_0000,
    0xFF80_0001,
    0x7FC1_2345,
    0x0080_0000,
    0xFFFF_FFFF,
];

#[test]
fn no_pass_changes_a_result() {
    for seed in 0..400 {
        let text = Random::function(seed);
        let function = parsed(&text);
        let denorm = if seed % 2 == 0 {
            Denorm::Flush
        } else {
            Denorm::Preserve
        };
        let of = rates::rates(&function, &key());
        let steps = [
            rebuild::rebuild(&function, denorm, &mut rebuild::Keep),
            dead::remove(&function),
            if_convert::convert(&function, &of, denorm),
        ];
        let mut last = dead::remove(&if_convert::convert(
            &steps[0],
            &rates::rates(&steps[0], &key()),
            denorm,
        ));
        let of = rates::rates(&last, &key());
        hoist::hoist(&mut last, &of);
        verify::verify(&last).unwrap();
        let mut last = dead::remove(&rebuild::rebuild(&last, denorm, &mut rebuild::Keep));
        canon::insert(&mut last);
        let of = rates::rates(&last, &key());
        let staged = split::split(last.clone(), of);
        for step in steps.iter().chain([&last]) {
            verify::verify(step).unwrap_or_else(|e| panic!("{e}\n{text}\n{step}"));
        }
        verify::verify_staged(&staged).unwrap_or_else(|e| panic!("{e}\n{text}\n{staged}"));
        for round in 0..8u64 {
            let bits = |i: u64| BITS[((seed * 7 + round * 13 + i * (round + 3)) % 10) as usize];
            let constants: Vec<u8> = [bits(0), bits(1)]
                .iter()
                .flat_map(|b| b.to_le_bytes())
                .collect();
            let constants = [constants];
            let read = |source| match source {
                Source::Word { element, .. } => bits(2 + u64::from(element)),
                _ => round as u32,
            };
            let inputs = |nan| Inputs {
                read: &read,
                constants: &constants,
                denorm,
                loop_limit: 100,
                nan,
            };
            let expected = eval(&function, &inputs(Nan::Canonical));
            for step in &steps {
                assert_eq!(
                    eval(step, &inputs(Nan::Canonical)),
                    expected,
                    "{text}\n{step}"
                );
            }
            let machine = eval_staged(&staged, &inputs(Nan::Machine));
            assert_eq!(machine, expected, "seed {seed}\n{text}\n{staged}");
        }
    }
}

#[test]
fn all_rates_stand_after_those_they_contain() {
    for (i, a) in Rate::ALL.iter().enumerate() {
        assert!(Rate::ALL[..i].iter().all(|b| !b.contains(*a)));
    }
}
