//! Loops: run while lowering where their course is known, and as Kir loops otherwise.

use super::{Frame, Lower, Result, Stop, Storage, Values};
use crate::abi::MIN_LOOP_LIMIT;
use crate::kir::Value;
use fuseline_hlsl::hir::{BranchHint, Expr, LoopHint, Stmt};
use fuseline_hlsl::span::Span;
use fuseline_numerics::op::Kind;

/// Most iterations that are unrolled without being asked for.
const SHORT: u32 = 32;
/// Most iterations that are unrolled without being asked for where one of them may be the last.
const SHORT_WITH_EXITS: u32 = 8;
/// Most instructions made for a loop that is unrolled without being asked for, and for one where that is asked for.
const SMALL: u64 = 700;
const LARGE: u64 = 20_000;

/// A loop of Hir.
#[derive(Clone, Copy)]
pub(super) struct Loop<'a> {
    pub(super) cond: Option<&'a Expr>,
    pub(super) test_first: bool,
    pub(super) body: &'a [Stmt],
    pub(super) step: &'a [Stmt],
    pub(super) hint: LoopHint,
}

/// The flags of the loop around, put back when an inner one is done.
struct Outer {
    exits: Vec<usize>,
    break_flag: Option<usize>,
    continue_flag: Option<usize>,
    site: Span,
    flag: usize,
}

impl<'a> Lower<'a> {
    pub(super) fn loop_stmt(&mut self, l: &Loop<'a>, span: Span) -> Result {
        self.enter()?;
        let outer = self.open_loop(span);
        if l.hint == LoopHint::Loop || self.count_loops || !self.try_unrolling(l)? {
            self.clear_exits();
            self.dynamic_loop(l)?;
        }
        self.close_loop(outer);
        self.leave();
        Ok(())
    }

    /// Makes the flags of a loop.
    fn open_loop(&mut self, span: Span) -> Outer {
        let no = self.b.bool(false);
        let flag = self.env.push(no);
        let continue_flag = self.env.push(no);
        let exits = vec![self.frame.returned, flag, continue_flag];
        Outer {
            exits: std::mem::replace(&mut self.exits, exits),
            break_flag: self.break_flag.replace(flag),
            continue_flag: self.continue_flag.replace(continue_flag),
            site: std::mem::replace(&mut self.site, span),
            flag,
        }
    }

    fn close_loop(&mut self, outer: Outer) {
        self.env.truncate(outer.flag);
        self.exits = outer.exits;
        self.break_flag = outer.break_flag;
        self.continue_flag = outer.continue_flag;
        self.site = outer.site;
    }

    /// Lowers the iterations one after the other. False, and nothing done, if it shows that the loop's course is not
    /// known, or is too long.
    fn try_unrolling(&mut self, l: &Loop<'a>) -> Result<bool> {
        let budget = if l.hint == LoopHint::Unroll {
            LARGE
        } else {
            SMALL
        };
        let checkpoint = self.b.checkpoint();
        let mark = self.env.mark();
        let state = (
            self.exits.clone(),
            self.break_flag,
            self.continue_flag,
            self.site,
            self.nesting,
            self.frame,
        );
        let outer_limit = self.trial_limit;
        let limit = self.b.work() + budget;
        self.trial_limit = Some(outer_limit.map_or(limit, |outer| outer.min(limit)));
        let done = self.iterations(l, 0);
        self.trial_limit = outer_limit;
        match done {
            Ok(()) => Ok(true),
            Err(Stop::NotUnrollable) => {
                self.b.roll_back(checkpoint);
                self.env.take_back(mark);
                (
                    self.exits,
                    self.break_flag,
                    self.continue_flag,
                    self.site,
                    self.nesting,
                    self.frame,
                ) = state;
                Ok(false)
            }
            Err(e) => Err(e),
        }
    }

    /// Iterations from number `n` on, until the loop is left.
    fn iterations(&mut self, l: &Loop<'a>, mut n: u32) -> Result {
        self.enter()?;
        let most = match l.hint {
            LoopHint::Unroll => MIN_LOOP_LIMIT,
            _ => SHORT,
        };
        loop {
            if l.test_first && !self.known_test(l)? {
                break;
            }
            if n == most {
                return Err(Stop::NotUnrollable);
            }
            n += 1;
            self.list(l.body)?;
            self.continued();
            let left = self.left();
            match self.b.truth(left) {
                Some(true) => break,
                Some(false) => self.list(l.step)?,
                None => {
                    if l.hint != LoopHint::Unroll && n > SHORT_WITH_EXITS {
                        return Err(Stop::NotUnrollable);
                    }
                    self.unless(left, |s| {
                        s.list(l.step)?;
                        if l.test_first || s.known_test(l)? {
                            s.iterations(l, n)?;
                        }
                        Ok(())
                    })?;
                    break;
                }
            }
            if !l.test_first && !self.known_test(l)? {
                break;
            }
        }
        self.leave();
        Ok(())
    }

    /// The loop's condition, which must be known.
    fn known_test(&mut self, l: &Loop<'a>) -> Result<bool> {
        let test = self.test(l)?;
        self.b.truth(test).ok_or(Stop::NotUnrollable)
    }

    fn test(&mut self, l: &Loop<'a>) -> Result<Value> {
        match l.cond {
            Some(cond) => self.scalar(cond),
            None => Ok(self.b.bool(true)),
        }
    }

    /// Control has come to the step, `continue` or not.
    fn continued(&mut self) {
        if let Some(flag) = self.continue_flag {
            let no = self.b.bool(false);
            self.env.set(flag, no);
        }
    }

    fn dynamic_loop(&mut self, l: &Loop<'a>) -> Result {
        let enters = if l.test_first {
            self.test(l)?
        } else {
            self.b.bool(true)
        };
        let inside = |s: &mut Self| {
            s.kir_loop(l)?;
            Ok(Values::new())
        };
        self.branch(enters, BranchHint::None, inside, |_| Ok(Values::new()))?;
        Ok(())
    }

    /// A Kir loop, whose first iteration runs.
    fn kir_loop(&mut self, l: &Loop<'a>) -> Result {
        let carried = self.carried(l);
        let init: Vec<Value> = carried.iter().map(|slot| self.env.get(*slot)).collect();
        let kinds: Vec<Kind> = init.iter().map(|v| self.b.kind(*v)).collect();
        let mark = self.env.mark();
        let params = self.b.open(kinds);
        for (slot, p) in carried.iter().zip(&params) {
            self.env.set(*slot, *p);
        }
        self.clear_exits();
        self.list(l.body)?;
        self.continued();
        let left = self.left();
        let no = self.b.bool(false);
        let again = self.branch(
            left,
            BranchHint::None,
            |_| Ok(Values::from_slice(&[no])),
            |s| {
                s.clear_exits();
                s.list(l.step)?;
                let again = s.test(l)?;
                Ok(Values::from_slice(&[again]))
            },
        )?[0];
        let mut yields = vec![again];
        yields.extend(carried.iter().map(|slot| self.env.get(*slot)));
        self.env.take_back(mark);
        let body = self.b.close(yields);
        let results = self.b.loop_(init, body, None);
        for (slot, v) in carried.iter().zip(results) {
            self.env.set(*slot, v);
        }
        Ok(())
    }

    /// The slots that an iteration hands to the next, or to what follows the loop.
    fn carried(&mut self, l: &Loop<'a>) -> Vec<usize> {
        let assigned = self
            .assigned
            .of_loop(self.program, [l.body, l.step], l.cond);
        let mut carried: Vec<usize> = assigned
            .slots
            .iter()
            .filter_map(|(var, slot)| match self.storage(*var) {
                Storage::Slots(first) => Some((first + slot) as usize),
                Storage::Constant(_) | Storage::Array(_) => None,
            })
            .collect();
        if assigned.returns {
            let Frame {
                returned,
                value,
                components,
            } = self.frame;
            carried.push(returned);
            carried.extend(value..value + components);
        }
        carried
    }
}
