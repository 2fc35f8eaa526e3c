//! The lower half of the input: open files, their lines, and the parts that a conditional leaves out.
//!
//! Must not know what a directive does.

use super::{Kind, Piece, Preprocessor, lex};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::FileId,
    span::Span,
};
use std::sync::Arc;

/// A file that is being read.
pub(super) struct OpenFile {
    pub id: FileId,
    pub base: u32,
    pub text: Arc<str>,
    /// Offset in `text` of what comes next.
    pub at: usize,
    /// Nothing but white space stands between the start of the line and `at`.
    pub line_start: bool,
    pub conditionals: Vec<Conditional>,
}

/// An `#if` whose `#endif` is still to come.
pub(super) struct Conditional {
    /// The `#if`.
    pub span: Span,
    /// One of its groups was taken: the others are left out.
    pub taken: bool,
    /// The `#else`, once it was there.
    pub other: Option<Span>,
}

impl OpenFile {
    /// The span of a range of the text.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span {
            lo: self.base + start as u32,
            hi: self.base + end as u32,
            expansion: 0,
        }
    }
}

impl Preprocessor<'_> {
    /// Starts to read a file.
    pub(super) fn enter(&mut self, id: FileId) {
        let file = self.map.file(id);
        self.files.push(OpenFile {
            id,
            base: file.base(),
            text: file.text().clone(),
            at: 0,
            line_start: true,
            conditionals: Vec::new(),
        });
    }

    /// Goes back to the including file.
    fn leave(&mut self) {
        let conditionals = self.files.pop().map(|f| f.conditionals);
        for open in conditionals.unwrap_or_default() {
            let mut diagnostic = Diagnostic::new(
                Code::UnterminatedConditional,
                open.span,
                "this conditional has no #endif",
            );
            if let Some(other) = open.other {
                diagnostic = diagnostic.note(other, "its #else is here");
            }
            self.diagnose(diagnostic);
        }
    }

    /// The next piece of the files, directives carried out. `End` at the end of the last one, and of any while
    /// arguments are being collected.
    pub(super) fn file_piece(&mut self) -> Piece {
        loop {
            let Some(file) = self.files.last_mut() else {
                return Piece::end(Span::default());
            };
            let first = file.line_start;
            let piece = self.lex_piece();
            match piece.kind {
                Kind::Newline => {}
                Kind::End if self.collecting > 0 || self.files.is_empty() => return piece,
                Kind::End => self.leave(),
                Kind::Hash if first => self.directive(piece),
                _ => return piece,
            }
            if self.stopped {
                return Piece::end(piece.span);
            }
        }
    }

    /// The rest of the line, macros left alone.
    pub(super) fn line(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        loop {
            let piece = self.lex_piece();
            match piece.kind {
                Kind::Newline | Kind::End => return pieces,
                _ => pieces.push(piece),
            }
        }
    }

    /// The rest of the line as it is written, up to a comment; what follows the text is not consumed.
    pub(super) fn raw_line(&mut self) -> (String, Span) {
        let Some(file) = self.files.last_mut() else {
            return Default::default();
        };
        let rest = &file.text[file.at..];
        let line = rest.split('\n').next().unwrap_or_default();
        let comment = [line.find("//"), line.find("/*")]
            .into_iter()
            .flatten()
            .min();
        let line = &line[..comment.unwrap_or(line.len())];
        let text = line.trim();
        let start = file.at + (line.len() - line.trim_start().len());
        let span = file.span(start, start + text.len());
        file.at += line.len();
        (text.to_owned(), span)
    }

    /// Passes over the rest of the line.
    pub(super) fn skip_line(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.at = line_end(&file.text, file.at);
        }
    }

    /// The next piece of the top file, ends of line included; complains about quotes and comments that stay open.
    pub(super) fn lex_piece(&mut self) -> Piece {
        loop {
            let Some(file) = self.files.last_mut() else {
                return Piece::end(Span::default());
            };
            let found = lex::next(&file.text, file.at);
            let span = file.span(found.start, found.end);
            let spaced = file.line_start || found.start > file.at;
            file.at = found.end;
            file.line_start = found.kind == Kind::Newline;
            match found.kind {
                Kind::OpenComment => {
                    file.at = file.text.len();
                    let message = "this comment is not closed";
                    self.report(Code::UnterminatedComment, span, message);
                }
                Kind::OpenQuote => {
                    let rest = &file.text[found.end..];
                    file.at = found.end + rest.find('\n').unwrap_or(rest.len());
                    let quote = &file.text[found.start..found.end];
                    let message = format!("a closing {quote} is missing on this line");
                    self.report(Code::UnterminatedString, span, message);
                }
                kind => {
                    let sym = match kind.punctuation() {
                        Some(_) => Default::default(),
                        None => self.names.intern(&file.text[found.start..found.end]),
                    };
                    return Piece {
                        kind,
                        spaced,
                        blocked: false,
                        sym,
                        span,
                    };
                }
            }
        }
    }

    /// Passes over lines that a conditional leaves out, up to the `#` of the directive that ends them; None at the
    /// end of the file. Conditionals inside of them are passed over, too. They need not be good HLSL.
    pub(super) fn skip_group(&mut self) -> Option<Piece> {
        let file = self.files.last_mut()?;
        let mut depth = 0usize;
        let mut from = match file.line_start {
            true => file.at,
            false => line_end(&file.text, file.at),
        };
        loop {
            let Some(hash) = next_hash(&file.text, from) else {
                file.at = file.text.len();
                return None;
            };
            let name = lex::next(&file.text, hash + 1);
            match &file.text[name.start..name.end] {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "elif" | "else" | "endif" if depth == 0 => {
                    file.at = hash;
                    return Some(self.lex_piece());
                }
                _ => {}
            }
            from = line_end(&file.text, hash + 1);
        }
    }
}

impl Piece {
    pub(super) fn end(span: Span) -> Piece {
        Piece {
            kind: Kind::End,
            spaced: false,
            blocked: false,
            sym: Default::default(),
            span: Span {
                lo: span.hi,
                ..span
            },
        }
    }
}

/// The offset of the `\n` that ends the line at `from` (or of the end): comments may hold others.
fn line_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        at = match (byte, bytes.get(at + 1)) {
            (b'\n', _) => return at,
            (b'/', Some(b'*')) => comment_end(text, at),
            (b'/', Some(b'/')) => find(text, at, "\n").unwrap_or(text.len()),
            (b'"', _) => string_end(bytes, at),
            _ => at + 1,
        };
    }
    at
}

/// The offset of the next `#` that is the first on its line, from an end of line on.
fn next_hash(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'#' => return Some(at),
            b' ' | b'\t' | b'\x0B' | b'\x0C' | b'\n' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = comment_end(text, at),
            _ => at = line_end(text, at),
        }
    }
}

fn comment_end(text: &str, from: usize) -> usize {
    find(text, from + 2, "*/").map_or(text.len(), |end| end + 2)
}

/// One past the closing quote of the string at `from`, or the end of its line.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'"' => return at + 1,
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    at
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    text.as_bytes()[from.min(text.len())..]
        .windows(what.len())
        .position(|w| w == what.as_bytes())
        .map(|i| from + i)
}
