//! Diagnostics for people: the source line, underlined, with notes on how the text got there.
//!
//! Must not know how spans resolve; drawing is annotate-snippets' business.

use super::{Diagnostic, Diagnostics, Severity};
use crate::{source::SourceMap, span::Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// Longer ranges are shown by their first line.
const MAX_LINES: u32 = 8;
/// Longer lines (in bytes) are cut around the text in question.
const MAX_LINE: usize = 600;
/// What is left of them on either side.
const AROUND: usize = 60;
/// Longer stacks of macros or includes are cut in the middle.
const MAX_STACK: usize = 5;

impl Diagnostics {
    /// All of them by place, for a terminal; with ANSI colours if asked for.
    pub fn render_text(&self, map: &SourceMap, colour: bool) -> String {
        let mut text = String::new();
        for diagnostic in self.sorted(map) {
            text += &diagnostic.render_text(map, colour);
            text += "\n\n";
        }
        if self.left_out > 0 {
            text += &format!("{} more are not shown\n", self.left_out);
        }
        text
    }
}

impl Diagnostic {
    /// This diagnostic for a terminal, without an end of line; with ANSI colours if asked for.
    pub fn render_text(&self, map: &SourceMap, colour: bool) -> String {
        let (place, steps) = map.resolve(self.span);
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level
            .primary_title(self.message.as_str())
            .id(self.code.number());
        let excerpt = Excerpt::new(map, place);
        let mut primary = title.element(excerpt.snippet(self.label.as_deref()));
        for note in abridged(&map.include_stack(place), |from| {
            let at = map.location(*from);
            format!("included from {}:{}:{}", at.file, at.line, at.column)
        }) {
            primary = primary.element(Level::NOTE.message(note));
        }
        if let Some(hint) = &self.hint {
            primary = primary.element(Level::HELP.message(hint.as_str()));
        }

        let mut notes: Vec<(String, Option<Excerpt>)> = Vec::new();
        for (span, text) in &self.notes {
            notes.push((text.clone(), Some(Excerpt::new(map, map.resolve(*span).0))));
        }
        if let (true, Some(call)) = (steps.is_empty(), map.argument_of(place)) {
            let at = map.location(call.definition);
            let name = &call.macro_name;
            let text = format!(
                "in an argument of the macro '{name}', defined at {}:{}:{}",
                at.file, at.line, at.column
            );
            notes.push((text, None));
        }
        let texts = abridged(&steps, |s| {
            format!("in the expansion of the macro '{}'", s.macro_name)
        });
        let abridged_from = if steps.len() > MAX_STACK {
            MAX_STACK - 1
        } else {
            usize::MAX
        };
        for (i, text) in texts.into_iter().enumerate() {
            let excerpt = steps.get(i).filter(|_| i < abridged_from);
            notes.push((text, excerpt.map(|s| Excerpt::new(map, s.text))));
        }

        let mut report = vec![primary];
        for (text, excerpt) in &notes {
            let mut group = Group::with_title(Level::NOTE.secondary_title(text.as_str()));
            if let Some(excerpt) = excerpt {
                group = group.element(excerpt.snippet(None));
            }
            report.push(group);
        }
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut text = renderer.render(&report);
        for excerpt in notes
            .iter()
            .filter_map(|(_, e)| e.as_ref())
            .chain([&excerpt])
        {
            excerpt.correct_column(&mut text);
        }
        text
    }
}

/// The texts of a stack's steps; of a long one, the first few and how many are left out.
fn abridged<T>(stack: &[T], text: impl Fn(&T) -> String) -> Vec<String> {
    if stack.len() <= MAX_STACK {
        return stack.iter().map(text).collect();
    }
    let shown = MAX_STACK - 1;
    let mut texts: Vec<_> = stack[..shown].iter().map(text).collect();
    texts.push(format!("and {} steps more", stack.len() - shown));
    texts
}

/// The lines around a piece of text.
struct Excerpt {
    file: String,
    line: usize,
    /// The lines, or a part of one.
    source: String,
    /// The text in question, in `source`.
    range: Range<usize>,
    /// The real column, and the one in `source`.
    columns: (usize, usize),
}

impl Excerpt {
    /// `place` must be resolved.
    fn new(map: &SourceMap, place: Span) -> Excerpt {
        let Some(id) = map.file_at(place.lo) else {
            return Excerpt {
                file: String::new(),
                line: 1,
                source: String::new(),
                range: 0..0,
                columns: (1, 1),
            };
        };
        let file = map.file(id);
        let lo = file.shown_offset(place.lo);
        let first = file.line_of(lo);
        let first_line = file.line_range(first);
        let hi = file.shown_offset(place.hi).max(lo);
        let last = file.line_of(hi.saturating_sub(1).max(lo));
        let is_short =
            last - first < MAX_LINES && file.line_range(last).end - first_line.start <= MAX_LINE;
        let end = match is_short && place.hi <= file.end() {
            true => file.line_range(last).end,
            false => first_line.end,
        };
        let hi = hi.min(end).max(lo);
        let (name, reported) = file.reported(first);
        let column = |text: &str| text.chars().count() + 1;
        let mut excerpt = Excerpt {
            file: name.to_string(),
            line: reported as usize,
            source: file.shown()[first_line.start..end].to_owned(),
            range: lo - first_line.start..hi - first_line.start,
            columns: Default::default(),
        };
        excerpt.columns.0 = column(&excerpt.source[..excerpt.range.start]);
        if excerpt.source.len() > MAX_LINE {
            excerpt.cut();
        }
        excerpt.columns.1 = column(&excerpt.source[..excerpt.range.start]);
        excerpt
    }

    /// Leaves only the surroundings of the text in question.
    fn cut(&mut self) {
        const CUT: &str = "…";
        let Range { start, end } = self.range;
        let end = self
            .source
            .floor_char_boundary(end.min(start + MAX_LINE / 2));
        let from = self
            .source
            .floor_char_boundary(start.saturating_sub(AROUND));
        let to = self
            .source
            .ceil_char_boundary((end + AROUND).min(self.source.len()));
        let before = if from > 0 { CUT } else { "" };
        let after = if to < self.source.len() { CUT } else { "" };
        let shift = |offset: usize| offset - from + before.len();
        self.range = shift(start)..shift(end);
        self.source = format!("{before}{}{after}", &self.source[from..to]);
    }

    fn snippet<'a>(
        &'a self,
        label: Option<&'a str>,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.source.as_str())
            .path(self.file.as_str())
            .line_start(self.line)
            .annotation(
                AnnotationKind::Primary
                    .span(self.range.clone())
                    .label(label),
            )
    }

    /// Where the line was cut, the column that annotate-snippets has counted is not the real one.
    fn correct_column(&self, text: &mut String) {
        if self.columns.0 != self.columns.1 {
            let place = |column| format!("{}:{}:{column}", self.file, self.line);
            *text = text.replacen(&place(self.columns.1), &place(self.columns.0), 1);
        }
    }
}
