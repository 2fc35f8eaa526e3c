//! What is done to the text where the grammar could not go on: a semicolon is put in, or the statement or declaration
//! around the place is replaced by one bad terminal. Brackets match before and after. Must not know messages.

use super::Failure;
use crate::{
    ast::Name,
    classify::{Lexeme, Lexemes, Plain, Terminal},
    span::Span,
};
use std::ops::Range;

/// The lexeme stands for text that has been given up before: an error there is only its consequence.
pub(super) fn is_bad(lexemes: &Lexemes<'_>, at: usize) -> bool {
    matches!(terminal(lexemes, at), Some(Terminal::Bad(_)))
}

/// Where the lexeme stands.
pub(super) fn place(lexemes: &Lexemes<'_>, at: usize) -> Span {
    lexemes.list.get(at).map_or(lexemes.end, |l| l.span)
}

fn terminal<'t>(lexemes: &Lexemes<'t>, at: usize) -> Option<Terminal<'t>> {
    lexemes.list.get(at).map(|l| l.terminal)
}

/// A `;` before the lexeme would let the grammar go on, and what follows looks like a new statement or declaration.
pub(super) fn lacks_semicolon(lexemes: &Lexemes<'_>, failure: &Failure) -> bool {
    let fits = failure.expected.iter().any(|e| e == "\";\"");
    let Some(before) = failure.at.checked_sub(1).and_then(|i| terminal(lexemes, i)) else {
        return false;
    };
    // Where a declaration or statement may begin, an empty one would fit, too.
    let at_start = failure
        .expected
        .iter()
        .any(|e| e == "\"namespace\"" || e == "\"return\"");
    if !fits || at_start {
        return false;
    }
    match terminal(lexemes, failure.at) {
        None => true,
        // `float4 a b(…)` outside of functions is something else.
        Some(Terminal::Name(_) | Terminal::Scope(_)) => {
            !matches!(
                before,
                Terminal::Name(_) | Terminal::Type(_) | Terminal::Modifier(_)
            ) || failure.expected.iter().any(|e| e == "\"binary\"")
        }
        Some(Terminal::Type(_) | Terminal::Modifier(_) | Terminal::Struct(_) | Terminal::Enum) => {
            true
        }
        Some(Terminal::Plain(p)) => matches!(
            p,
            Plain::RBrace
                | Plain::Break
                | Plain::Cbuffer
                | Plain::Continue
                | Plain::Discard
                | Plain::Do
                | Plain::For
                | Plain::If
                | Plain::Namespace
                | Plain::Return
                | Plain::Switch
                | Plain::Tbuffer
                | Plain::Template
                | Plain::Typedef
                | Plain::Using
                | Plain::While
        ),
        _ => false,
    }
}

/// Puts a `;` before the lexeme.
pub(super) fn insert_semicolon(lexemes: &mut Lexemes<'_>, at: usize) {
    let before = place(lexemes, at.saturating_sub(1));
    let semicolon = Lexeme {
        terminal: Terminal::Plain(Plain::Semi),
        span: Span {
            lo: before.hi,
            ..before
        },
    };
    replace(lexemes, at..at, semicolon);
}

/// Replaces the statement or declaration around the lexeme.
pub(super) fn cut_out(lexemes: &mut Lexemes<'_>, bad: &mut Vec<Vec<Name>>, at: usize) {
    let range = smallest_range(lexemes, at);
    replace_by_bad(lexemes, bad, range);
}

/// Replaces everything from the declaration at file level around the lexeme on.
pub(super) fn give_up(lexemes: &mut Lexemes<'_>, bad: &mut Vec<Vec<Name>>, at: usize) {
    let from = open_at(lexemes, at).first().copied().unwrap_or(at);
    let start = start_of(lexemes, from);
    replace_by_bad(lexemes, bad, start..lexemes.list.len());
}

fn replace_by_bad(lexemes: &mut Lexemes<'_>, bad: &mut Vec<Vec<Name>>, range: Range<usize>) {
    let text = &lexemes.list[range.clone()];
    let mut names: Vec<Name> = Vec::new();
    for lexeme in text {
        match lexeme.terminal {
            Terminal::Name(name) => names.push(name.clone()),
            Terminal::Bad(index) => {
                names.extend(bad.get_mut(index).map(std::mem::take).unwrap_or_default())
            }
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    let span = match text {
        [first, .., last] => first.span.to(last.span),
        [only] => only.span,
        [] => lexemes.end,
    };
    let terminal = Terminal::Bad(bad.len());
    bad.push(names);
    replace(lexemes, range, Lexeme { terminal, span });
}

fn replace<'t>(lexemes: &mut Lexemes<'t>, range: Range<usize>, by: Lexeme<'t>) {
    for (from, _) in &mut lexemes.packing {
        if *from >= range.end {
            *from = *from + 1 - range.len();
        } else if *from > range.start {
            *from = range.start + 1;
        }
    }
    lexemes.list.splice(range, [by]);
}

/// The smallest statement or declaration around the lexeme whose replacement changes anything.
fn smallest_range(lexemes: &Lexemes<'_>, at: usize) -> Range<usize> {
    let mut open = open_at(lexemes, at);
    let mut at = at.min(lexemes.list.len().saturating_sub(1));
    loop {
        while open
            .pop_if(|o| !is_block(lexemes, *o))
            .inspect(|o| at = *o)
            .is_some()
        {}
        let range = start_of(lexemes, at)..end_of(lexemes, at);
        let lone_bad = range.len() <= 1 && is_bad(lexemes, range.start);
        if !lone_bad && !range.is_empty() {
            return range;
        }
        if let Some(start) = start_before(lexemes, range.start) {
            return start..range.end;
        }
        // Nothing before it at this level: what encloses it.
        match open.pop() {
            Some(brace) => at = brace,
            None => return range.start..lexemes.list.len(),
        }
    }
}

/// Indices of the brackets that are open before the lexeme, outermost first.
fn open_at(lexemes: &Lexemes<'_>, at: usize) -> Vec<usize> {
    let mut open = Vec::new();
    for (i, lexeme) in lexemes.list.iter().enumerate().take(at) {
        if is_opener(lexeme.terminal) {
            open.push(i);
        } else if is_closer(lexeme.terminal) {
            open.pop();
        }
    }
    open
}

fn is_opener(terminal: Terminal<'_>) -> bool {
    matches!(
        terminal,
        Terminal::InitOpen | Terminal::Plain(Plain::LParen | Plain::LBracket | Plain::LBrace)
    )
}

fn is_closer(terminal: Terminal<'_>) -> bool {
    matches!(
        terminal,
        Terminal::InitClose | Terminal::Plain(Plain::RParen | Plain::RBracket | Plain::RBrace)
    )
}

/// The lexeme opens a brace that holds statements or declarations.
fn is_block(lexemes: &Lexemes<'_>, at: usize) -> bool {
    terminal(lexemes, at) == Some(Terminal::Plain(Plain::LBrace))
}

/// Where the statement begins that `at` lies in; no bracket but braces of blocks is open there.
fn start_of(lexemes: &Lexemes<'_>, at: usize) -> usize {
    let mut start = at;
    while let Some(before) = start.checked_sub(1) {
        match lexemes.list[before].terminal {
            Terminal::Plain(Plain::Semi | Plain::LBrace | Plain::RBrace) | Terminal::Bad(_) => {
                break;
            }
            t if is_closer(t) => start = opener_of(lexemes, before),
            _ => start = before,
        }
    }
    behind_label(lexemes, start, at)
}

/// A label at the start of a statement is no part of it.
fn behind_label(lexemes: &Lexemes<'_>, start: usize, at: usize) -> usize {
    let is_label = matches!(
        terminal(lexemes, start),
        Some(Terminal::Plain(Plain::Case | Plain::Default))
    );
    let colon = (start..at).find(|i| lexemes.list[*i].terminal == Terminal::Plain(Plain::Colon));
    match colon {
        Some(colon) if is_label => colon + 1,
        _ => start,
    }
}

/// The start of what stands before `start` in the same brace, if there is anything.
fn start_before(lexemes: &Lexemes<'_>, start: usize) -> Option<usize> {
    let before = start.checked_sub(1)?;
    match lexemes.list[before].terminal {
        Terminal::Plain(Plain::LBrace) => None,
        Terminal::Plain(Plain::RBrace) => Some(start_of(lexemes, opener_of(lexemes, before))),
        Terminal::Bad(_) => Some(before),
        _ => Some(start_of(lexemes, before)),
    }
}

/// The bracket that the one at `close` closes.
fn opener_of(lexemes: &Lexemes<'_>, close: usize) -> usize {
    let mut depth = 0usize;
    for i in (0..=close).rev() {
        if is_closer(lexemes.list[i].terminal) {
            depth += 1;
        } else if is_opener(lexemes.list[i].terminal) {
            depth -= 1;
            if depth == 0 {
                return i;
            }
        }
    }
    0
}

/// Behind the end of the statement that `at` lies in: its `;` or its braces, with an `else` that follows.
fn end_of(lexemes: &Lexemes<'_>, at: usize) -> usize {
    let mut depth = 0usize;
    let mut i = at;
    while let Some(t) = terminal(lexemes, i) {
        if is_opener(t) {
            depth += 1;
        } else if is_closer(t) {
            if depth == 0 {
                return i;
            }
            depth -= 1;
        }
        i += 1;
        if depth > 0 {
            continue;
        }
        match t {
            Terminal::Plain(Plain::Semi) | Terminal::Bad(_) => return i,
            Terminal::Plain(Plain::RBrace) => match terminal(lexemes, i) {
                Some(Terminal::Plain(Plain::Else)) => {}
                Some(Terminal::Plain(Plain::Semi)) => return i + 1,
                _ => return i,
            },
            _ => {}
        }
    }
    i
}
