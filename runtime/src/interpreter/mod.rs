//! The reference interpreter: one invocation of a shader, straight from Hir.
//!
//! It is as plain as it can be, because compiled code is compared with it, bit for bit. Values are lists of 32-bit
//! components on one stack; variables are slots in one array. With compiled code it shares Hir and `numerics`, nothing
//! else. Must not know buffers, layouts, draws or kernels.

use fuseline_hlsl::hir::{Program, Static, VarId};
use fuseline_hlsl::span::Span;
use fuseline_hlsl::types::Scalar;
use fuseline_numerics::scalar::Denorm;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

mod call;
mod expr;
mod place;
mod stmt;

/// Most levels of statements, expressions and calls inside each other: what fits on the stack of a thread.
const MAX_NESTING: u32 = 2048;

/// After so many iterations of loops the budget is charged, and somebody's wish to stop is noticed.
const CHARGE: u32 = 256;

/// How an interpreter runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What happens to denormal floats.
    pub denorm: Denorm,
    /// Most executions of its body that one execution of a loop may take in one invocation.
    pub loop_limit: u32,
}

/// What a whole draw shares: the iterations of loops that are left, and the wish to stop (not 0).
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// Counted down in steps; below zero: stop.
    pub iterations: &'a AtomicI64,
    /// Set by another thread.
    pub cancel: &'a AtomicU32,
}

/// Why an invocation did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShadeError {
    /// A loop took too many iterations.
    #[error("a loop took more than {limit} iterations in one invocation")]
    LoopLimit {
        /// [`Options::loop_limit`].
        limit: u32,
        /// The loop.
        span: Span,
    },
    /// The [`Budget`] was used up, or somebody cancelled.
    #[error("stopped before the end")]
    Stopped,
    /// Calls and expressions inside each other go too deep.
    #[error("statements, expressions and calls are nested more than {MAX_NESTING} levels deep")]
    TooDeep {
        /// The innermost.
        span: Span,
    },
}

type Result<T = ()> = std::result::Result<T, ShadeError>;

/// Runs invocations of one program, one after the other, with the same constants.
pub struct Interpreter<'a> {
    program: &'a Program,
    /// The bytes bound to each of [`Program::constant_buffers`]; none: nothing is bound.
    constants: &'a [&'a [u8]],
    options: Options,
    budget: Option<Budget<'a>>,
    /// Iterations not charged yet.
    uncharged: u32,
    /// Levels that are being run.
    nesting: u32,
    /// All variables.
    slots: Vec<u32>,
    /// Where in `slots` each variable begins.
    first: Vec<usize>,
    /// The components of values that are being computed.
    stack: Vec<u32>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter for `program`. `constants` holds the bytes that are bound to each of its constant buffers;
    /// those that are missing read zero.
    pub fn new(program: &'a Program, constants: &'a [&'a [u8]], options: Options) -> Self {
        let mut first = Vec::with_capacity(program.vars.len());
        let mut count = 0;
        for var in &program.vars {
            first.push(count);
            count += var.slots as usize;
        }
        let mut interpreter = Interpreter {
            program,
            constants,
            options,
            budget: None,
            uncharged: 0,
            nesting: 0,
            slots: vec![0; count],
            first,
            stack: Vec::new(),
        };
        for Static { var, constant, .. } in &program.statics {
            if let Some(bits) = constant {
                interpreter.variable_mut(*var).copy_from_slice(bits);
            }
        }
        interpreter
    }

    /// Charges the iterations of loops to `budget`.
    pub fn with_budget(mut self, budget: Budget<'a>) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Runs the entry. `inputs` holds the components of each of [`Program::inputs`], system values included; those of
    /// each of [`Program::outputs`] come out in `outputs` (Bool: 0 or 1; what nobody writes: 0).
    pub fn shade(&mut self, inputs: &[[u32; 4]], outputs: &mut [[u32; 4]]) -> Result {
        self.stack.clear();
        self.nesting = 0;
        self.initialise_statics()?;
        let Some(entry) = self.program.functions.last() else {
            return Ok(());
        };
        for param in &entry.params {
            self.variable_mut(param.var).fill(0);
        }
        self.bind_inputs(inputs);
        self.body(entry)?;
        if let Some(var) = self.program.entry_return {
            self.pop_into(var);
        }
        self.collect_outputs(outputs);
        Ok(())
    }

    fn initialise_statics(&mut self) -> Result {
        for Static {
            var,
            constant,
            init,
        } in &self.program.statics
        {
            match (constant, init) {
                (Some(_), _) => {}
                (None, None) => self.variable_mut(*var).fill(0),
                (None, Some(init)) => {
                    self.eval(init)?;
                    self.pop_into(*var);
                }
            }
        }
        Ok(())
    }

    fn bind_inputs(&mut self, inputs: &[[u32; 4]]) {
        let program = self.program;
        for binding in &program.entry_inputs {
            let element = binding.element as usize;
            let bits = inputs[element][usize::from(binding.component)];
            let is_bool = program.inputs[element].scalar == Scalar::Bool;
            let value = if is_bool { u32::from(bits != 0) } else { bits };
            self.variable_mut(binding.var)[binding.slot as usize] = value;
        }
    }

    fn collect_outputs(&self, outputs: &mut [[u32; 4]]) {
        outputs.fill([0; 4]);
        for binding in &self.program.entry_outputs {
            let value = self.slots[self.first[binding.var.0 as usize] + binding.slot as usize];
            outputs[binding.element as usize][usize::from(binding.component)] = value;
        }
    }

    /// The slots of a variable.
    fn variable_mut(&mut self, var: VarId) -> &mut [u32] {
        let first = self.first[var.0 as usize];
        let count = self.program.vars[var.0 as usize].slots as usize;
        &mut self.slots[first..first + count]
    }

    /// Moves the components on top of the stack into all slots of a variable.
    fn pop_into(&mut self, var: VarId) {
        let count = self.program.vars[var.0 as usize].slots as usize;
        let from = self.stack.len() - count;
        let first = self.first[var.0 as usize];
        self.slots[first..first + count].copy_from_slice(&self.stack[from..]);
        self.stack.truncate(from);
    }

    /// The one component on top of the stack.
    fn pop(&mut self) -> u32 {
        self.stack.pop().unwrap_or(0)
    }

    /// One level deeper; undone by `self.nesting -= 1`.
    fn enter(&mut self, span: Span) -> Result {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(ShadeError::TooDeep { span });
        }
        Ok(())
    }

    /// Counts an iteration of a loop.
    fn charge(&mut self) -> Result {
        self.uncharged += 1;
        if self.uncharged < CHARGE {
            return Ok(());
        }
        let charge = i64::from(std::mem::take(&mut self.uncharged));
        let Some(budget) = self.budget else {
            return Ok(());
        };
        let left = budget.iterations.fetch_sub(charge, Ordering::Relaxed) - charge;
        if left < 0 || budget.cancel.load(Ordering::Relaxed) != 0 {
            return Err(ShadeError::Stopped);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
