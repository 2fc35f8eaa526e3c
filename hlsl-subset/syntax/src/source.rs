//! All source text of one run, and what a [`Span`] means: file, line, column, macro expansion, include stack.
//!
//! Must not know tokens, diagnostics or where files come from.

mod encoding;

use crate::span::Span;
use std::{collections::HashMap, fmt, ops::Range, sync::Arc};

/// A file of a [`SourceMap`]. A file that is included twice is two of these: each has its own include stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// All source text of one run.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The last file of each name.
    by_name: HashMap<Arc<str>, FileId>,
    expansions: Vec<Expansion>,
    max_bytes: u32,
}

impl Default for SourceMap {
    fn default() -> SourceMap {
        SourceMap::new()
    }
}

/// One file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    base: u32,
    content: Arc<Content>,
    included_from: Option<Span>,
    line_directives: Vec<LineDirective>,
}

/// The text of a file, shared by all its inclusions.
#[derive(Debug)]
struct Content {
    /// As people see it.
    shown: Arc<str>,
    /// As it is lexed: lines that end with a backslash joined with the next.
    lexed: Arc<str>,
    /// Seams of `lexed`: offset, and how many bytes `shown` has more from there on.
    seams: Vec<(u32, u32)>,
    /// Offsets in `shown` at which lines start.
    line_starts: Vec<u32>,
}

/// A `#line`: from the line `from` of the file on, lines are reported as `reported`, `reported + 1`, …
#[derive(Clone, Debug)]
struct LineDirective {
    from: u32,
    reported: u32,
    name: Option<Arc<str>>,
}

/// One macro invocation.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// Name of the macro.
    pub macro_name: Arc<str>,
    /// Its name in the `#define`; for predefined macros the same as `call_site`.
    pub definition: Span,
    /// The invocation, from the name to the closing parenthesis; it may itself stand in an expansion.
    pub call_site: Span,
}

/// A place as it is reported: `#line` counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A step on the way from a piece of text back to the file that invoked the macro it came out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroStep {
    /// Name of the macro.
    pub macro_name: Arc<str>,
    /// The text in the macro's definition (or the definition itself, for text that stands nowhere).
    pub text: Span,
}

/// Why a text could not become part of a [`SourceMap`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTooLarge {
    /// Name of the file.
    pub file: String,
    /// Most bytes that all files may have together.
    pub max_bytes: u32,
}

impl fmt::Display for SourceTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "with '{}' the source text is larger than {} bytes",
            self.file, self.max_bytes
        )
    }
}

impl std::error::Error for SourceTooLarge {}

impl SourceMap {
    /// Most bytes that all files of a map may have together; each inclusion of a file counts.
    pub const MAX_BYTES: u32 = 1 << 28;

    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap {
            files: Vec::new(),
            by_name: HashMap::new(),
            expansions: Vec::new(),
            max_bytes: Self::MAX_BYTES,
        }
    }

    /// Adds a file. `bytes` may be in any of the encodings that shader files come in: UTF-8, UTF-16 or UTF-32 with
    /// a mark, UTF-8 or UTF-16 without, else Latin-1. `included_from`: the `#include` that asked for it.
    pub fn add(
        &mut self,
        name: impl Into<Arc<str>>,
        bytes: &[u8],
        included_from: Option<Span>,
    ) -> Result<FileId, SourceTooLarge> {
        let name = name.into();
        // Each file has one position more than it has bytes: its end is a place of its own.
        let base = self.files.last().map_or(0, |f| f.end() + 1);
        let room = self.max_bytes.saturating_sub(base) as usize;
        let too_large = || SourceTooLarge {
            file: name.to_string(),
            max_bytes: self.max_bytes,
        };
        if bytes.len() > room {
            return Err(too_large());
        }
        let earlier = self.by_name.get(&name).map(|id| self.file(*id));
        let content = match earlier {
            Some(file) if file.content.shown.as_bytes() == bytes => file.content.clone(),
            _ => Arc::new(Content::new(bytes)),
        };
        // Decoding may have made it larger.
        if content.shown.len() > room {
            return Err(too_large());
        }
        let id = FileId(self.files.len() as u32);
        self.by_name.insert(name.clone(), id);
        self.files.push(SourceFile {
            name,
            base,
            content,
            included_from,
            line_directives: Vec::new(),
        });
        Ok(id)
    }

    /// A file of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The file that a position lies in; None only in a map without files.
    pub fn file_at(&self, position: u32) -> Option<FileId> {
        let after = self.files.partition_point(|f| f.base <= position);
        after.checked_sub(1).map(|i| FileId(i as u32))
    }

    /// The text of a span, backslash-newlines taken out; empty where the span does not lie in one file.
    pub fn text(&self, span: Span) -> &str {
        self.file_at(span.lo)
            .map(|id| self.file(id))
            .and_then(|f| {
                let range = span.lo.checked_sub(f.base)?..span.hi.checked_sub(f.base)?;
                f.content
                    .lexed
                    .get(range.start as usize..range.end as usize)
            })
            .unwrap_or_default()
    }

    /// Records a macro invocation; its number goes into the spans of the tokens that come out of it.
    pub fn add_expansion(&mut self, expansion: Expansion) -> u32 {
        self.expansions.push(expansion);
        self.expansions.len() as u32
    }

    /// The invocation of that number; None for 0.
    pub fn expansion(&self, number: u32) -> Option<&Expansion> {
        self.expansions.get(number.checked_sub(1)? as usize)
    }

    /// From line `from` of `file` on (as the file counts), lines are reported as `reported` and following, in a file
    /// called `name` where that is given.
    pub fn set_line(&mut self, file: FileId, from: u32, reported: u32, name: Option<Arc<str>>) {
        let directives = &mut self.files[file.0 as usize].line_directives;
        let name = name.or_else(|| directives.last().and_then(|d| d.name.clone()));
        directives.push(LineDirective {
            from,
            reported,
            name,
        });
    }

    /// Where a person should look for this text, and how it got there: text out of a macro's definition stands where
    /// the outermost macro was invoked. The steps lead from the text outwards.
    pub fn resolve(&self, span: Span) -> (Span, Vec<MacroStep>) {
        let mut place = span;
        let mut steps = Vec::new();
        while let Some(expansion) = self.expansion(place.expansion) {
            steps.push(MacroStep {
                macro_name: expansion.macro_name.clone(),
                text: Span {
                    expansion: 0,
                    ..place
                },
            });
            place = expansion.call_site;
        }
        (place, steps)
    }

    /// The innermost macro invocation that has this text among its arguments.
    pub fn argument_of(&self, span: Span) -> Option<&Expansion> {
        let has_argument = |e: &&Expansion| {
            let call = e.call_site;
            call.expansion == span.expansion && call.lo < span.lo && span.hi <= call.hi
        };
        self.expansions
            .iter()
            .filter(has_argument)
            .min_by_key(|e| e.call_site.hi - e.call_site.lo)
    }

    /// File, line and column of the start of a span, seen from outside of all macros ([`SourceMap::resolve`]).
    pub fn location(&self, span: Span) -> Location {
        self.location_at(self.resolve(span).0.lo)
    }

    /// File, line and column of a position.
    pub fn location_at(&self, position: u32) -> Location {
        let Some(id) = self.file_at(position) else {
            return Location {
                file: "".into(),
                line: 1,
                column: 1,
            };
        };
        let file = self.file(id);
        let offset = file.shown_offset(position);
        let line = file.line_of(offset);
        let (name, reported) = file.reported(line);
        let before = &file.shown()[file.line_range(line).start..offset];
        Location {
            file: name.clone(),
            line: reported,
            column: before.chars().count() as u32 + 1,
        }
    }

    /// The `#include`s that led to this text, innermost first.
    pub fn include_stack(&self, span: Span) -> Vec<Span> {
        let mut stack = Vec::new();
        let mut position = self.resolve(span).0.lo;
        while let Some(from) = self
            .file_at(position)
            .and_then(|id| self.file(id).included_from)
        {
            stack.push(from);
            position = from.lo;
        }
        stack
    }

    /// A key that sorts spans in the order in which the preprocessor meets them: the text of an included file comes
    /// between what stands before and after its `#include`.
    pub fn order_key(&self, span: Span) -> Vec<u32> {
        let (place, _) = self.resolve(span);
        let mut key = vec![place.lo];
        // One `#include` brings in one file, so its position is enough.
        key.extend(self.include_stack(place).iter().map(|from| from.lo));
        key.reverse();
        key
    }
}

impl Content {
    fn new(bytes: &[u8]) -> Content {
        let decoded = encoding::decode(bytes);
        let line_starts = std::iter::once(0)
            .chain(decoded.shown.match_indices('\n').map(|(i, _)| i as u32 + 1))
            .collect();
        let shown: Arc<str> = decoded.shown.into();
        let (lexed, seams) = match decoded.joined {
            Some(joined) => (joined.text.into(), joined.seams),
            None => (shown.clone(), Vec::new()),
        };
        Content {
            shown,
            lexed,
            seams,
            line_starts,
        }
    }
}

impl SourceFile {
    /// Its name as it was added; `#line` does not matter here.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Position of its first byte in the map.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Position of its end in the map: one past its last byte.
    pub fn end(&self) -> u32 {
        // `shown` is the longer text, and spans only ever count in `lexed`.
        self.base + self.content.shown.len() as u32
    }

    /// The text that is lexed and that spans count in.
    pub fn text(&self) -> &Arc<str> {
        &self.content.lexed
    }

    /// The text that is shown to people: lines are as they are in the file.
    pub fn shown(&self) -> &str {
        &self.content.shown
    }

    /// The `#include` that asked for it.
    pub fn included_from(&self) -> Option<Span> {
        self.included_from
    }

    /// The offset in [`SourceFile::shown`] of a position of the map.
    pub fn shown_offset(&self, position: u32) -> usize {
        let offset = position
            .saturating_sub(self.base)
            .min(self.content.lexed.len() as u32);
        let seams = &self.content.seams;
        let after = seams.partition_point(|(at, _)| *at <= offset);
        let missing = after.checked_sub(1).map_or(0, |i| seams[i].1);
        let mut shown = (offset + missing) as usize;
        // Only a span that was not made by the lexer can point into a character.
        while !self.shown().is_char_boundary(shown) {
            shown -= 1;
        }
        shown
    }

    /// The line, counted from 1 as the file has them, of an offset in [`SourceFile::shown`].
    pub fn line_of(&self, offset: usize) -> u32 {
        self.content
            .line_starts
            .partition_point(|start| *start as usize <= offset) as u32
    }

    /// The line, counted from 1 as the file has them, of a position of the map.
    pub fn line_at(&self, position: u32) -> u32 {
        self.line_of(self.shown_offset(position))
    }

    /// Where a line lies in [`SourceFile::shown`], without its end; empty past the last one.
    pub fn line_range(&self, line: u32) -> Range<usize> {
        let starts = &self.content.line_starts;
        let len = self.shown().len();
        let start = |line: u32| starts.get(line as usize).map(|s| *s as usize);
        let lo = start(line.saturating_sub(1)).unwrap_or(len);
        let hi = start(line).map_or(len, |next| next - 1);
        lo..hi.max(lo)
    }

    /// The name and number under which a line of the file is reported.
    pub fn reported(&self, line: u32) -> (&Arc<str>, u32) {
        let after = self.line_directives.partition_point(|d| d.from <= line);
        match after.checked_sub(1).map(|i| &self.line_directives[i]) {
            Some(d) => (
                d.name.as_ref().unwrap_or(&self.name),
                d.reported.saturating_add(line - d.from),
            ),
            None => (&self.name, line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(lo: u32, hi: u32) -> Span {
        Span {
            lo,
            hi,
            expansion: 0,
        }
    }

    fn place(map: &SourceMap, span: Span) -> (String, u32, u32) {
        let Location { file, line, column } = map.location(span);
        (file.to_string(), line, column)
    }

    #[test]
    fn columns_count_characters_and_lines_count_joined_ones() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "äx\\\ny\nz".as_bytes(), None).unwrap();
        assert_eq!(map.text(at(2, 4)), "xy");
        assert_eq!(place(&map, at(2, 3)), ("a.hlsl".into(), 1, 2));
        assert_eq!(place(&map, at(3, 4)), ("a.hlsl".into(), 2, 1));
        assert_eq!(place(&map, at(5, 6)), ("a.hlsl".into(), 3, 1));
    }

    #[test]
    fn the_end_of_a_file_is_a_place_in_it() {
        let mut map = SourceMap::new();
        let a = map.add("a", b"ab", None).unwrap();
        let b = map.add("b", b"cd", None).unwrap();
        assert_eq!(map.file_at(2), Some(a));
        assert_eq!(map.file_at(3), Some(b));
        assert_eq!(place(&map, at(2, 2)), ("a".into(), 1, 3));
    }

    #[test]
    fn line_directives_change_what_is_reported() {
        let mut map = SourceMap::new();
        let a = map.add("a", b"1\n2\n3\n4\n", None).unwrap();
        map.set_line(a, 2, 100, Some("gen.fx".into()));
        map.set_line(a, 4, 7, None);
        assert_eq!(place(&map, at(0, 1)), ("a".into(), 1, 1));
        assert_eq!(place(&map, at(4, 5)), ("gen.fx".into(), 101, 1));
        assert_eq!(place(&map, at(6, 7)), ("gen.fx".into(), 7, 1));
    }

    #[test]
    fn text_of_a_macro_stands_where_the_outermost_macro_is_invoked() {
        let mut map = SourceMap::new();
        let text = "#define F(x) x + y\n#define G F(1)\nG;\n";
        map.add("a", text.as_bytes(), None).unwrap();
        let outer = map.add_expansion(Expansion {
            macro_name: "G".into(),
            definition: at(27, 28),
            call_site: at(34, 35),
        });
        let inner = map.add_expansion(Expansion {
            macro_name: "F".into(),
            definition: at(8, 9),
            call_site: Span {
                expansion: outer,
                ..at(29, 33)
            },
        });
        let y = Span {
            expansion: inner,
            ..at(17, 18)
        };
        let step = |name: &str, text| MacroStep {
            macro_name: name.into(),
            text,
        };
        let steps = vec![step("F", at(17, 18)), step("G", at(29, 33))];
        assert_eq!(map.resolve(y), (at(34, 35), steps));
        let argument = Span {
            expansion: outer,
            ..at(31, 32)
        };
        assert_eq!(&*map.argument_of(argument).unwrap().macro_name, "F");
    }

    #[test]
    fn spans_sort_by_the_order_of_inclusion() {
        let mut map = SourceMap::new();
        map.add("main", b"a\n#include\nb", None).unwrap();
        map.add("inc", b"i", Some(at(2, 10))).unwrap();
        let mut spans = [at(11, 12), at(13, 14), at(0, 1)];
        spans.sort_by_key(|s| map.order_key(*s));
        assert_eq!(spans, [at(0, 1), at(13, 14), at(11, 12)]);
        assert_eq!(map.include_stack(at(13, 14)), [at(2, 10)]);
    }

    #[test]
    fn a_file_included_again_shares_its_text() {
        let mut map = SourceMap::new();
        let a = map.add("a", b"text", None).unwrap();
        let b = map.add("a", b"text", Some(at(0, 1))).unwrap();
        assert!(Arc::ptr_eq(map.file(a).text(), map.file(b).text()));
    }

    #[test]
    fn too_much_text_is_refused() {
        let mut map = SourceMap::new();
        map.max_bytes = 10;
        map.add("a", b"12345", None).unwrap();
        let error = map.add("b", b"12345", None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "with 'b' the source text is larger than 10 bytes"
        );
        map.add("c", b"1234", None).unwrap();
    }
}
