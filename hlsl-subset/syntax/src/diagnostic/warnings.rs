//! What `#pragma warning` does to warnings.
//!
//! Must not know how the pragma is written.

use super::{Code, Diagnostic, Diagnostics, Severity};
use crate::{source::SourceMap, span::Span};
use std::collections::HashMap;

/// What a `#pragma warning` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningChange {
    /// Warnings of this code are left out from here on.
    Disable(Code),
    /// They are errors from here on.
    Error(Code),
    /// They are warnings again.
    Default(Code),
    /// Remember how it is.
    Push,
    /// As it was at the last [`WarningChange::Push`].
    Pop,
}

/// None: left out.
type State = HashMap<Code, Option<Severity>>;

impl Diagnostics {
    /// Most changes that are kept.
    const MAX_CHANGES: usize = 10_000;

    /// Records that warnings are treated otherwise after the text at `span`.
    pub fn change_warnings(&mut self, span: Span, change: WarningChange) {
        if self.warning_changes.len() < Self::MAX_CHANGES {
            self.warning_changes.push((span, change));
        }
    }

    /// Carries out the recorded changes on the warnings collected so far: to be called once, when all is checked.
    pub fn apply_warning_changes(&mut self, map: &SourceMap) {
        if self.warning_changes.is_empty() {
            return;
        }
        let changes = std::mem::take(&mut self.warning_changes);
        let changes = changes
            .into_iter()
            .map(|(span, change)| (map.order_key(span), change));
        let mut diagnostics: Vec<_> = std::mem::take(&mut self.list)
            .into_iter()
            .map(|d| (map.order_key(d.span), d))
            .collect();
        diagnostics.sort_by(|(a, _), (b, _)| a.cmp(b));

        let mut changes = changes.peekable();
        let mut state = State::new();
        let mut stack = Vec::new();
        for (place, diagnostic) in diagnostics {
            while let Some((_, change)) = changes.next_if(|(at, _)| *at <= place) {
                apply(change, &mut state, &mut stack);
            }
            self.keep(diagnostic, &state);
        }
    }

    fn keep(&mut self, mut diagnostic: Diagnostic, state: &State) {
        if diagnostic.severity == Severity::Warning {
            match state.get(&diagnostic.code) {
                Some(None) => return,
                Some(Some(Severity::Error)) => {
                    diagnostic.severity = Severity::Error;
                    self.errors += 1;
                }
                _ => {}
            }
        }
        self.list.push(diagnostic);
    }
}

fn apply(change: WarningChange, state: &mut State, stack: &mut Vec<State>) {
    match change {
        WarningChange::Disable(code) => {
            state.insert(code, None);
        }
        WarningChange::Error(code) => {
            state.insert(code, Some(Severity::Error));
        }
        WarningChange::Default(code) => {
            state.remove(&code);
        }
        WarningChange::Push => stack.push(state.clone()),
        WarningChange::Pop => *state = stack.pop().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_count_from_their_place_on() {
        let mut map = SourceMap::new();
        map.add("a", &[b' '; 100], None).unwrap();
        let at = |lo| Span {
            lo,
            hi: lo,
            expansion: 0,
        };
        let mut sink = Diagnostics::new();
        for lo in [5, 15, 25, 35, 45] {
            sink.report(Code::MacroRedefined, at(lo), lo.to_string());
        }
        let code = Code::MacroRedefined;
        sink.change_warnings(at(10), WarningChange::Push);
        sink.change_warnings(at(10), WarningChange::Disable(code));
        sink.change_warnings(at(20), WarningChange::Default(code));
        sink.change_warnings(at(30), WarningChange::Error(code));
        sink.change_warnings(at(40), WarningChange::Pop);
        sink.apply_warning_changes(&map);
        let kept: Vec<_> = sink
            .iter()
            .map(|d| (d.message.as_str(), d.severity))
            .collect();
        use Severity::{Error, Warning};
        assert_eq!(
            kept,
            [
                ("5", Warning),
                ("25", Warning),
                ("35", Error),
                ("45", Warning)
            ]
        );
        assert_eq!(sink.error_count(), 1);
    }
}
