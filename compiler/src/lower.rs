//! Hir to Kir: inlines all calls, takes vectors apart, turns variables into SSA values and every way out of a statement
//! into conditions; unrolls loops whose course is known.
//!
//! The result reads input registers ([`crate::kir::Source::Input`]); it knows no formats, layouts or draws.
//!
//! | file | what it turns into Kir |
//! |---|---|
//! | `env` | variables: which value each slot has at the moment |
//! | `expr` | expressions |
//! | `place` | parts of variables, indexed at run time or not; constant buffers |
//! | `stmt` | statement lists, `if`, `switch`, and the flags for what has been left |
//! | `loops` | loops, unrolled or not |
//! | `assigned` | which slots a loop can change |
//! | `call` | calls |

mod assigned;
mod call;
mod env;
mod expr;
mod loops;
mod place;
mod stmt;
#[cfg(test)]
mod tests;

use crate::kir::{Builder, Function, Source, Value};
use env::Env;
use fuseline_hlsl::diagnostic::{Code, Diagnostic};
use fuseline_hlsl::hir::{EntryBinding, Expr, Program, VarId};
use fuseline_hlsl::span::Span;
use fuseline_hlsl::types::{Scalar, Type};
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar::Denorm;
use smallvec::SmallVec;

/// Most instructions a function may have after inlining and unrolling.
pub const MAX_INSTRUCTIONS: usize = 1 << 17;
/// Most instructions made on the way, those of unrollings that were given up included.
const MAX_WORK: u64 = 8 * MAX_INSTRUCTIONS as u64;
/// Most statements, expressions and calls inside each other, calls followed.
const MAX_NESTING: usize = 600;
/// Most regions inside each other.
const MAX_REGIONS: usize = 150;
/// Most components of all variables together.
const MAX_SLOTS: u32 = 1 << 18;

/// Why a program cannot be compiled: what the front end cannot know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct LowerError {
    /// The call, loop or expression at which it showed.
    pub span: Span,
    /// What it is.
    pub kind: LowerErrorKind,
}

impl LowerError {
    /// As the front end would say it.
    pub fn diagnostic(&self) -> Diagnostic {
        let hint = match self.kind {
            LowerErrorKind::TooLarge => {
                "shorten loops, or keep them from being unrolled with `[loop]`"
            }
            LowerErrorKind::TooDeep => "split it up with variables",
            LowerErrorKind::TooManyRegions => "join conditions with `&&`, or use a `switch`",
            LowerErrorKind::TooManyVariables => "make arrays shorter",
        };
        Diagnostic::new(Code::TooLargeToCompile, self.span, self.to_string()).hint(hint)
    }
}

/// What is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerErrorKind {
    /// More than [`MAX_INSTRUCTIONS`].
    #[error(
        "the shader has more than {MAX_INSTRUCTIONS} operations once calls are inlined and loops unrolled"
    )]
    TooLarge,
    /// More than 600 levels.
    #[error(
        "calls, statements and expressions are nested more than {MAX_NESTING} deep, calls followed"
    )]
    TooDeep,
    /// More than 150 conditions or loops inside each other.
    #[error(
        "conditions, loops and early exits are nested more than {MAX_REGIONS} deep, calls followed"
    )]
    TooManyRegions,
    /// More than 2^18 components.
    #[error("the shader's variables have more than {MAX_SLOTS} components together")]
    TooManyVariables,
}

/// Why lowering stops: for good, or only the attempt to unroll a loop.
enum Stop {
    Error(LowerError),
    /// The loop's course is not known, or too long.
    NotUnrollable,
}

impl From<LowerError> for Stop {
    fn from(e: LowerError) -> Stop {
        Stop::Error(e)
    }
}

type Result<T = (), E = Stop> = std::result::Result<T, E>;

/// The components of a value.
type Values = SmallVec<[Value; 16]>;

/// Where a variable lives.
#[derive(Clone, Copy)]
enum Storage<'a> {
    /// In the environment, from this slot on.
    Slots(u32),
    /// Nowhere: it never changes.
    Constant(&'a [u32]),
    /// In a local array of the function.
    Array(u32),
}

/// The Kir of a program, floats folded with `denorm`. Where `count_loops`, loops stay loops, so that each iteration can be
/// counted.
pub fn lower(program: &Program, denorm: Denorm, count_loops: bool) -> Result<Function, LowerError> {
    // Variables that turn out to be indexed at run time, and too long to choose among their slots, get an array: found
    // by trying, since an index may become known when a loop is unrolled.
    let mut arrays = vec![false; program.vars.len()];
    loop {
        let mut lower = Lower::new(program, denorm, count_loops, arrays)?;
        match lower.program() {
            // An attempt to unroll is given up where it was begun.
            Ok(()) | Err(Stop::NotUnrollable) => {}
            Err(Stop::Error(e)) => return Err(e),
        }
        if !lower.array_missing {
            return Ok(lower.b.finish());
        }
        arrays = lower.in_array;
    }
}

/// A function being inlined.
#[derive(Clone, Copy)]
struct Frame {
    /// Slot of the Bool that says whether it has returned.
    returned: usize,
    /// First slot of its value.
    value: usize,
    /// Components of its value.
    components: usize,
}

struct Lower<'a> {
    program: &'a Program,
    b: Builder,
    env: Env,
    storage: Vec<Storage<'a>>,
    /// Variables that must live in an array.
    in_array: Vec<bool>,
    /// One was added: what is being made is not right, and must be made again.
    array_missing: bool,
    frame: Frame,
    /// Slots of the flags that say that the statements here have been left.
    exits: Vec<usize>,
    /// Slot of the flag that a `break` sets.
    break_flag: Option<usize>,
    /// Slot of the flag that a `continue` sets.
    continue_flag: Option<usize>,
    /// Statics that each function, and what it calls, assigns to; empty until asked for.
    assigned: assigned::Summaries,
    /// The innermost call or loop.
    site: Span,
    nesting: usize,
    /// Statements, calls and expressions lowered so far, again and again where they are inlined.
    entered: u64,
    /// Where trying to unroll ends.
    trial_limit: Option<u64>,
    /// No loop is unrolled.
    count_loops: bool,
}

impl<'a> Lower<'a> {
    fn new(
        program: &'a Program,
        denorm: Denorm,
        count_loops: bool,
        in_array: Vec<bool>,
    ) -> Result<Lower<'a>, LowerError> {
        let mut b = Builder::new(denorm, count_loops);
        let mut env = Env::new();
        let slots = program
            .vars
            .iter()
            .fold(0u32, |n, v| n.saturating_add(v.slots));
        if slots > MAX_SLOTS {
            let span = program
                .vars
                .iter()
                .max_by_key(|v| v.slots)
                .map_or(Span::default(), |v| v.span);
            return Err(LowerError {
                span,
                kind: LowerErrorKind::TooManyVariables,
            });
        }
        let mut storage = Vec::with_capacity(program.vars.len());
        for (var, in_array) in program.vars.iter().zip(&in_array) {
            if *in_array {
                storage.push(Storage::Array(b.array(var.slots)));
                continue;
            }
            storage.push(Storage::Slots(env.len() as u32));
            for_each_kind(&var.ty, &mut |kind| {
                let zero = b.constant(kind, 0);
                env.push(zero);
            });
        }
        for s in &program.statics {
            if let Some(bits) = &s.constant {
                storage[s.var.0 as usize] = Storage::Constant(bits);
            }
        }
        Ok(Lower {
            program,
            b,
            env,
            storage,
            in_array,
            array_missing: false,
            frame: Frame {
                returned: 0,
                value: 0,
                components: 0,
            },
            exits: Vec::new(),
            break_flag: None,
            continue_flag: None,
            assigned: assigned::Summaries::new(program),
            site: Span::default(),
            nesting: 0,
            entered: 0,
            trial_limit: None,
            count_loops,
        })
    }

    fn program(&mut self) -> Result {
        let program = self.program;
        for s in &program.statics {
            if let (None, Some(init)) = (&s.constant, &s.init) {
                let values = self.expr(init)?;
                self.set_var(s.var, &values);
            }
        }
        let Some(entry) = program.functions.last() else {
            return Ok(());
        };
        let mut params: Vec<Values> = entry
            .params
            .iter()
            .map(|p| self.zeros(&program.vars[p.var.0 as usize].ty))
            .collect();
        for input in &program.entry_inputs {
            if let Some(at) = entry.params.iter().position(|p| p.var == input.var) {
                params[at][input.slot as usize] = self.input(input);
            }
        }
        let (value, outs) = self.inline(entry, params)?;
        for binding in &program.entry_outputs {
            let slot = binding.slot as usize;
            let v = if program.entry_return == Some(binding.var) {
                value[slot]
            } else if let Some(at) = entry.params.iter().position(|p| p.var == binding.var) {
                outs[at][slot]
            } else {
                self.read_slot(binding.var, binding.slot)
            };
            let v = match self.b.kind(v) {
                Kind::Bool => self.b.op(Op::BToI, &[v]),
                _ => v,
            };
            self.b.store(binding.element, binding.component, v);
        }
        Ok(())
    }

    /// A component of an input register.
    fn input(&mut self, input: &EntryBinding) -> Value {
        let source = Source::Input {
            element: input.element,
            component: input.component,
        };
        match self.program.inputs[input.element as usize].scalar {
            Scalar::Bool => {
                let bits = self.b.read(Kind::I32, source);
                self.is_set(bits)
            }
            scalar => self.b.read(scalar.kind(), source),
        }
    }

    /// Whether any bit of an integer is set: how a bool lies in memory.
    fn is_set(&mut self, bits: Value) -> Value {
        let zero = self.b.int(0);
        self.b.op(Op::INe, &[bits, zero])
    }

    fn zeros(&mut self, ty: &Type) -> Values {
        let mut zeros = Values::new();
        for_each_kind(ty, &mut |kind| zeros.push(self.b.constant(kind, 0)));
        zeros
    }

    /// Counts one more level of nesting and checks that there is not too much of anything; [`Lower::leave`] undoes it.
    fn enter(&mut self) -> Result {
        self.nesting += 1;
        // Calls whose results are known already make no instructions, but take their time.
        self.entered += 1;
        let kind = if self.nesting > MAX_NESTING {
            LowerErrorKind::TooDeep
        } else if self.b.depth() > MAX_REGIONS {
            LowerErrorKind::TooManyRegions
        } else if self.b.len() > MAX_INSTRUCTIONS
            || self.b.work() > MAX_WORK
            || self.entered > MAX_WORK
        {
            LowerErrorKind::TooLarge
        } else if self.trial_limit.is_some_and(|limit| self.b.work() > limit) {
            return Err(Stop::NotUnrollable);
        } else {
            return Ok(());
        };
        // Rolled out it may be too much where it is not in a loop.
        if self.trial_limit.is_some() {
            return Err(Stop::NotUnrollable);
        }
        Err(Stop::Error(LowerError {
            span: self.site,
            kind,
        }))
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// The storage of a variable.
    fn storage(&self, var: VarId) -> Storage<'a> {
        self.storage[var.0 as usize]
    }

    /// A one-component expression.
    fn scalar(&mut self, expr: &'a Expr) -> Result<Value> {
        Ok(self.expr(expr)?[0])
    }
}

/// Calls `f` with the kind of each component of a type, in order.
fn for_each_kind(ty: &Type, f: &mut impl FnMut(Kind)) {
    match ty {
        Type::Array(element, len) => (0..*len).for_each(|_| for_each_kind(element, f)),
        Type::Struct(s) => s
            .fields
            .iter()
            .for_each(|field| for_each_kind(&field.ty, f)),
        _ => {
            if let Some(scalar) = ty.scalar() {
                (0..ty.components()).for_each(|_| f(scalar.kind()));
            }
        }
    }
}
