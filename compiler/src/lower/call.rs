//! Calls: copied in where they stand.

use super::place::Place;
use super::{Frame, Lower, Result, Storage, Values};
use fuseline_hlsl::hir::{Arg, FuncId, Function, VarId};
use fuseline_hlsl::span::Span;

impl<'a> Lower<'a> {
    /// A call: arguments left to right (of each, its value, then the indices of where it goes), the body, then the outs
    /// left to right.
    pub(super) fn call(&mut self, function: FuncId, args: &'a [Arg], span: Span) -> Result<Values> {
        let function = &self.program.functions[function.0 as usize];
        let mut params: Vec<Values> = Vec::with_capacity(args.len());
        let mut places: Vec<Option<Place<'a>>> = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&function.params) {
            params.push(match &arg.input {
                Some(input) => self.expr(input)?,
                None => self.zeros(&self.program.vars[param.var.0 as usize].ty),
            });
            places.push(match &arg.output {
                Some(place) => Some(self.place(place)?),
                None => None,
            });
        }
        let site = std::mem::replace(&mut self.site, span);
        let (value, outs) = self.inline(function, params)?;
        self.site = site;
        for (place, out) in places.iter().zip(&outs) {
            if let Some(place) = place {
                self.store(place, out);
            }
        }
        Ok(value)
    }

    /// The body of a function with its parameters' values: its own value, and what its parameters have become.
    pub(super) fn inline(
        &mut self,
        function: &'a Function,
        params: Vec<Values>,
    ) -> Result<(Values, Vec<Values>)> {
        self.enter()?;
        for local in &function.locals {
            let zeros = self.zeros(&self.program.vars[local.0 as usize].ty);
            self.set_var(*local, &zeros);
        }
        for (param, values) in function.params.iter().zip(params) {
            self.set_var(param.var, &values);
        }
        let no = self.b.bool(false);
        let zeros = self.zeros(&function.ret);
        let returned = self.env.push(no);
        let value = self.env.len();
        for zero in &zeros {
            self.env.push(*zero);
        }
        let frame = Frame {
            returned,
            value,
            components: zeros.len(),
        };
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        let outer_exits = std::mem::replace(&mut self.exits, vec![returned]);
        let outer_flags = (self.break_flag.take(), self.continue_flag.take());

        self.list(&function.body)?;

        (self.break_flag, self.continue_flag) = outer_flags;
        self.exits = outer_exits;
        self.frame = outer_frame;
        let result: Values = self.env.range(value, zeros.len()).into();
        self.env.truncate(returned);
        let outs = function
            .params
            .iter()
            .map(|p| self.whole_var(p.var))
            .collect();
        self.forget(
            function
                .params
                .iter()
                .map(|p| p.var)
                .chain(function.locals.iter().copied()),
        );
        self.leave();
        Ok((result, outs))
    }

    /// Resets variables that nobody reads any more, so that what they held is not merged.
    fn forget(&mut self, vars: impl Iterator<Item = VarId>) {
        if self.b.depth() == 0 {
            return;
        }
        for var in vars {
            if let Storage::Slots(first) = self.storage(var) {
                let zeros = self.zeros(&self.program.vars[var.0 as usize].ty);
                for (k, zero) in zeros.iter().enumerate() {
                    self.env.set(first as usize + k, *zero);
                }
            }
        }
    }
}
