//! Calls of functions.

use super::Interpreter;
use super::Result;
use super::stmt::Flow;
use fuseline_hlsl::hir::{Arg, FuncId, Function};

impl Interpreter<'_> {
    /// A call: the arguments left to right (of each its value, then where it goes), the body, then what goes out, left
    /// to right. Nothing is put into parameters before all arguments are known, since they may call the same function.
    pub(super) fn call(&mut self, function: FuncId, args: &[Arg]) -> Result {
        let function = &self.program.functions[function.0 as usize];
        let base = self.stack.len();
        for arg in args {
            if let Some(input) = &arg.input {
                self.eval(input)?;
            }
            if let Some(output) = &arg.output {
                // Resolved now, used after the body. No place begins at the last slot there could be.
                let at = self.resolve(output)?;
                self.stack.push(at.map_or(u32::MAX, |at| at as u32));
            }
        }
        self.fill_parameters(function, args, base);
        let value = self.stack.len();
        self.body(function)?;
        self.write_back(function, args, base);
        // The value moves down to where the arguments began.
        self.stack.drain(base..value);
        Ok(())
    }

    fn fill_parameters(&mut self, function: &Function, args: &[Arg], base: usize) {
        let mut from = base;
        for (arg, param) in args.iter().zip(&function.params) {
            let first = self.first[param.var.0 as usize];
            let count = self.program.vars[param.var.0 as usize].slots as usize;
            let slots = &mut self.slots[first..first + count];
            if arg.input.is_some() {
                slots.copy_from_slice(&self.stack[from..from + count]);
                from += count;
            } else {
                slots.fill(0);
            }
            from += usize::from(arg.output.is_some());
        }
    }

    fn write_back(&mut self, function: &Function, args: &[Arg], base: usize) {
        let mut from = base;
        for (arg, param) in args.iter().zip(&function.params) {
            let first = self.first[param.var.0 as usize];
            if arg.input.is_some() {
                from += self.program.vars[param.var.0 as usize].slots as usize;
            }
            let Some(output) = &arg.output else {
                continue;
            };
            let at = self.stack[from];
            from += 1;
            if at == u32::MAX {
                continue;
            }
            for (k, component) in output.components.iter().enumerate() {
                self.slots[at as usize + *component as usize] = self.slots[first + k];
            }
        }
    }

    /// Runs a function whose parameters are set; leaves its value on the stack (zero where control falls out of it).
    pub(super) fn body(&mut self, function: &Function) -> Result {
        for local in &function.locals {
            self.variable_mut(*local).fill(0);
        }
        if self.block(&function.body)? != Flow::Return {
            let count = function.ret.components() as usize;
            self.stack.resize(self.stack.len() + count, 0);
        }
        Ok(())
    }
}
