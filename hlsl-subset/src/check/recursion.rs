//! Finding functions that call themselves, directly or through others.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::FuncId;
use crate::span::Span;

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

impl Checker<'_, '_> {
    /// Reports every cycle of calls once, naming the functions in it.
    pub(super) fn find_recursion(&mut self) {
        let count = self.module.functions.len();
        let mut states = vec![State::New; count];
        let mut found = Vec::new();
        for start in 0..count {
            if states[start] == State::New {
                self.walk_calls(start, &mut states, &mut found);
            }
        }
        for cycle in found {
            self.report_cycle(&cycle);
        }
    }

    /// Depth first, with a stack of its own: call chains may be long.
    fn walk_calls(&self, start: usize, states: &mut [State], found: &mut Vec<Vec<(usize, Span)>>) {
        // Function, its next call, and the call that led to it.
        let mut stack: Vec<(usize, usize, Span)> = vec![(start, 0, Span::default())];
        states[start] = State::Open;
        while let Some((function, next, _)) = stack.last_mut() {
            let calls = &self.module.functions[*function].uses.calls;
            let Some((FuncId(callee), span)) = calls.get(*next).copied() else {
                states[*function] = State::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let callee = callee as usize;
            match states[callee] {
                State::Done => {}
                State::New => {
                    states[callee] = State::Open;
                    stack.push((callee, 0, span));
                }
                State::Open => {
                    let from = stack.iter().position(|(f, _, _)| *f == callee).unwrap_or(0);
                    // Each function with the call that leads on from it.
                    let mut cycle: Vec<(usize, Span)> = Vec::new();
                    for (i, (f, _, _)) in stack.iter().enumerate().skip(from) {
                        let leads_on = stack.get(i + 1).map_or(span, |(_, _, s)| *s);
                        cycle.push((*f, leads_on));
                    }
                    found.push(cycle);
                }
            }
        }
    }

    fn report_cycle(&mut self, cycle: &[(usize, Span)]) {
        let name = |f: usize| self.module.functions[f].hir.name.clone();
        let Some((first, _)) = cycle.first() else {
            return;
        };
        let mut names: Vec<String> = cycle
            .iter()
            .map(|(f, _)| format!("`{}`", name(*f)))
            .collect();
        names.push(format!("`{}`", name(*first)));
        let message = format!("the call is recursive: {}", names.join(" calls "));
        let at = cycle.last().map_or_else(Span::default, |(_, span)| *span);
        let mut diagnostic =
            Diagnostic::new(Code::Recursion, at, message).hint("a shader has no stack; use a loop");
        for (f, span) in &cycle[..cycle.len() - 1] {
            diagnostic = diagnostic.note(*span, format!("the call in `{}`", name(*f)));
        }
        self.report(diagnostic);
    }
}
