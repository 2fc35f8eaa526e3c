//! Branches and loops that lanes disagree on, and loops that run too long.

use super::harness::Case;
use super::ops::random;
use crate::abi::Status;

/// Words 0 to 99 in no order, `n` vertices of one.
fn small_words(n: usize) -> Vec<u32> {
    let mut next = random(3);
    (0..n).map(|_| next() % 100).collect()
}

fn check_all(text: &str, outputs: &[u8]) {
    for vertices in 4..=21 {
        let mut case = Case::new(text, outputs).with_words(&[1], &small_words(vertices));
        case.check();
        if vertices >= 8 {
            case.long_runs = true;
            case.check();
        }
    }
}

#[test]
fn both_sides_of_a_divergent_branch() {
    check_all(
        "w: i32 = read word 0+0 w4
         c: bool = slt w, 50
         r: i32, s: i32 = if c {
           a: i32 = udiv w, 7
           a2: i32 = udiv a, 3
           yield a2, w
         } else {
           b: i32 = urem w, 7
           b2: i32 = udiv w, 9
           yield b, b2
         }
         store o0.0 = r
         store o0.1 = s",
        &[2],
    );
}

#[test]
fn one_empty_side() {
    check_all(
        "w: i32 = read word 0+0 w4
         c: bool = slt w, 10
         r: i32 = if c {
           a: i32 = udiv 1000, w
           b: i32 = udiv a, 3
           yield b
         } else {
           yield w
         }
         store o0.0 = r",
        &[1],
    );
}

#[test]
fn nested_branches() {
    check_all(
        "w: i32 = read word 0+0 w4
         c: bool = slt w, 50
         r: i32 = if c {
           d: bool = slt w, 20
           x: i32 = if d {
             a: i32 = udiv 1000, w
             yield a
           } else {
             b: i32 = urem 1000, w
             e: bool = ieq b, 0
             y: i32 = if e { yield 7 } else { yield b }
             yield y
           }
           yield x
         } else {
           yield w
         }
         store o0.0 = r",
        &[1],
    );
}

#[test]
fn lanes_leave_a_loop_one_by_one() {
    check_all(
        "w: i32 = read word 0+0 w4
         n: i32, s: i32, x: f32 = loop (i: i32 = 0, t: i32 = 1, y: f32 = 0.5) {
           j: i32 = iadd i, 1
           u: i32 = imul t, 3
           z: f32 = fmul y, 1.5
           m: bool = slt j, w
           yield m, j, u, z
         }
         store o0.0 = n
         store o0.1 = s
         store o0.2 = x",
        &[3],
    );
}

#[test]
fn loops_in_branches_in_loops() {
    check_all(
        "w: i32 = read word 0+0 w4
         n: i32, s: i32 = loop (i: i32 = 0, t: i32 = 1) {
           bit: i32 = iand i, 1
           odd: bool = ine bit, 0
           lim: i32 = iand w, 7
           k: i32 = if odd {
             a: i32, b: i32 = loop (p: i32 = 0, q: i32 = t) {
               p2: i32 = iadd p, 1
               q2: i32 = iadd q, i
               e: bool = slt p2, lim
               yield e, p2, q2
             }
             yield b
           } else {
             f: bool = sle lim, i
             h: i32 = if f { g: i32 = iadd t, 100  yield g } else { yield t }
             yield h
           }
           j: i32 = iadd i, 1
           m: bool = slt j, w
           yield m, j, k
         }
         store o0.0 = n
         store o0.1 = s",
        &[2],
    );
}

#[test]
fn a_loop_may_take_its_limit_and_no_more() {
    let text = "w: i32 = read word 0+0 w4
         n: i32 = loop (i: i32 = 0) {
           j: i32 = iadd i, 1
           m: bool = slt j, w
           yield m, j
         }
         store o0.0 = n";
    let mut case = Case::new(text, &[1]).with_words(&[1], &[3, 2000, 5, 6, 7]);
    case.loop_limit = 2000;
    case.check();
    case.loop_limit = 1999;
    let (status, _) = case.run(&case.compile());
    assert_eq!(status, Status::LoopLimit);
    case.check();
}

#[test]
fn a_draw_that_is_cancelled_stops() {
    let text = "w: i32 = read word 0+0 w4
         n: i32 = loop (i: i32 = 0) {
           j: i32 = iadd i, 1
           m: bool = slt j, w
           yield m, j
         }
         store o0.0 = n";
    let mut case = Case::new(text, &[1]).with_words(&[1], &[300_000; 4]);
    case.cancelled = true;
    let (status, _) = case.run(&case.compile());
    assert_eq!(status, Status::Stopped);
}

#[test]
fn a_draw_that_has_used_its_budget_stops() {
    let text = "w: i32 = read word 0+0 w4
         n: i32 = loop (i: i32 = 0) {
           j: i32 = iadd i, 1
           m: bool = slt j, w
           yield m, j
         }
         store o0.0 = n";
    let mut case = Case::new(text, &[1]).with_words(&[1], &[1000; 40]);
    case.budget = 100_000;
    assert_eq!(case.run(&case.compile()).0, Status::Done);
    case.budget = 9_000;
    assert_eq!(case.run(&case.compile()).0, Status::Stopped);
}
