//! The upper half of the input: what macros expand to, and how.
//!
//! Must not know directives.

use super::{
    Kind, Piece, Preprocessor,
    define::{Definition, Macro, OwnMacro, Role},
    lex, limit,
    names::Sym,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::Expansion,
    span::Span,
};
use std::rc::Rc;

/// Pieces that are read before anything below them.
pub(super) struct Stream {
    pieces: Vec<Piece>,
    at: usize,
    /// The macro that these came out of, and that is not expanded while they are read.
    macro_name: Option<Sym>,
    /// Nothing below is read through it: its end is an `End`.
    barrier: bool,
}

/// What follows the name of a macro with parameters.
enum Call {
    /// No opening parenthesis: the name stands for itself.
    None,
    /// Arguments as they are written, and the closing parenthesis.
    Closed(Vec<Vec<Piece>>, Span),
    /// No closing parenthesis; that was reported.
    Open,
}

/// The arguments of one macro call.
struct Arguments {
    /// As they are written.
    raw: Vec<Vec<Piece>>,
    /// Expanded, where that was asked for.
    expanded: Vec<Option<Rc<[Piece]>>>,
}

impl Preprocessor<'_> {
    /// The next piece with no macro left in it.
    pub(super) fn next_expanded(&mut self) -> Piece {
        loop {
            let mut piece = self.next_piece();
            if piece.kind != Kind::Ident || piece.blocked {
                return piece;
            }
            let Some(slot) = self.macros.get(piece.sym.index()) else {
                return piece;
            };
            let Some(definition) = slot.definition.clone() else {
                return piece;
            };
            if slot.active > 0 {
                piece.blocked = true;
                return piece;
            }
            match definition {
                Definition::Text(text) => {
                    if !self.expand(piece, &text) {
                        return piece;
                    }
                }
                Definition::Own(own) => return self.expand_own(piece, own),
            }
        }
    }

    /// Expands all macros in a list of pieces.
    pub(super) fn expand_fully(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        self.within(pieces, |preprocessor| {
            let mut expanded = Vec::new();
            loop {
                let piece = preprocessor.next_expanded();
                if piece.kind == Kind::End {
                    return expanded;
                }
                expanded.push(piece);
            }
        })
    }

    /// Does something while `pieces` are all the input that there is.
    pub(super) fn within<T>(&mut self, pieces: Vec<Piece>, read: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.streams.len();
        self.streams.push(Stream {
            pieces,
            at: 0,
            macro_name: None,
            barrier: true,
        });
        let result = read(self);
        self.streams.truncate(depth);
        result
    }

    /// The next piece, macros left alone.
    pub(super) fn next_piece(&mut self) -> Piece {
        if self.stopped {
            return Piece::end(Span::default());
        }
        while let Some(stream) = self.streams.last_mut() {
            if let Some(piece) = stream.pieces.get(stream.at) {
                stream.at += 1;
                return *piece;
            }
            if stream.barrier {
                return Piece::end(Span::default());
            }
            if let Some(name) = self.streams.pop().and_then(|s| s.macro_name) {
                self.slot(name).active -= 1;
            }
        }
        self.file_piece()
    }

    /// `__LINE__` and its like.
    fn expand_own(&mut self, name: Piece, own: OwnMacro) -> Piece {
        // In a macro they tell about the place where the outermost macro was invoked: its end, as with GCC and Clang.
        let (place, steps) = self.map.resolve(name.span);
        let place = match steps.is_empty() {
            true => place,
            false => Span {
                lo: place.hi.saturating_sub(1).max(place.lo),
                ..place
            },
        };
        let (kind, text) = match own {
            OwnMacro::Line => (Kind::Number, self.map.location(place).line.to_string()),
            OwnMacro::File => (Kind::Str, quoted(&self.map.location(place).file)),
            OwnMacro::Counter => {
                self.counter = self.counter.wrapping_add(1);
                (Kind::Number, self.counter.wrapping_sub(1).to_string())
            }
        };
        Piece {
            kind,
            sym: self.names.intern(&text),
            ..name
        }
    }

    /// Puts the expansion of a macro before the rest of the input. False: this is no call of it.
    fn expand(&mut self, name: Piece, definition: &Rc<Macro>) -> bool {
        let mut call_site = name.span;
        let mut written = Some(Vec::new());
        if definition.parameters.is_some() {
            self.collecting += 1;
            let call = self.call(name, definition);
            self.collecting -= 1;
            match call {
                Call::None => return false,
                Call::Open => written = None,
                Call::Closed(arguments, close) => {
                    call_site = call_site.to(close);
                    written = Some(arguments);
                }
            }
        }
        let arguments = written.and_then(|w| self.fit_arguments(call_site, definition, w));
        let pieces = match arguments {
            Some(arguments) => {
                let number = self.map.add_expansion(Expansion {
                    macro_name: self.names.get(name.sym).clone(),
                    definition: definition.name.span,
                    call_site,
                });
                let mut pieces = self.substitute(definition, arguments, number);
                if let Some(first) = pieces.first_mut() {
                    first.spaced = name.spaced;
                }
                pieces
            }
            // Something has to stand there, or the grammar would complain as well.
            None => vec![Piece {
                kind: Kind::Number,
                sym: self.names.intern("0"),
                span: call_site,
                ..name
            }],
        };
        self.expanded += pieces.len() + 1;
        if self.expanded > limit::EXPANDED_TOKENS {
            let most = limit::EXPANDED_TOKENS;
            let message = format!("macros expand to more than {most} tokens");
            self.stop(Code::ExpansionTooLarge, call_site, message);
            return true;
        }
        self.slot(name.sym).active += 1;
        self.streams.push(Stream {
            pieces,
            at: 0,
            macro_name: Some(name.sym),
            barrier: false,
        });
        true
    }

    /// Reads what follows the name of a macro with parameters.
    fn call(&mut self, name: Piece, definition: &Macro) -> Call {
        let open = self.next_piece();
        if open.kind != Kind::LParen {
            if open.kind != Kind::End {
                self.streams.push(Stream {
                    pieces: vec![open],
                    at: 0,
                    macro_name: None,
                    barrier: false,
                });
            }
            return Call::None;
        }
        let fixed = match &definition.parameters {
            Some(p) if p.variadic => p.names.len(),
            _ => usize::MAX,
        };
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let piece = self.next_piece();
            match piece.kind {
                Kind::End => {
                    if !self.stopped {
                        let name_text = self.text(name);
                        let message = format!("the arguments of '{name_text}' are not closed");
                        let diagnostic = Diagnostic::new(
                            Code::UnterminatedMacroCall,
                            name.span.to(open.span),
                            message,
                        );
                        self.diagnose(
                            diagnostic.note(definition.name.span, "the macro is defined here"),
                        );
                    }
                    return Call::Open;
                }
                Kind::RParen if depth == 0 => return Call::Closed(arguments, piece.span),
                Kind::Comma if depth == 0 && arguments.len() <= fixed => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::LParen => depth += 1,
                Kind::RParen => depth -= 1,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(piece);
            }
        }
    }

    /// Checks the number of arguments; None after an error.
    fn fit_arguments(
        &mut self,
        call_site: Span,
        definition: &Macro,
        mut raw: Vec<Vec<Piece>>,
    ) -> Option<Arguments> {
        let (wanted, variadic) = match &definition.parameters {
            None => (0, false),
            Some(p) => (p.names.len(), p.variadic),
        };
        if wanted == 0 && raw.len() == 1 && raw[0].is_empty() {
            raw.clear();
        }
        if variadic && raw.len() == wanted {
            raw.push(Vec::new());
        }
        let total = wanted + usize::from(variadic);
        if raw.len() != total {
            let name = self.text(definition.name);
            let least = if variadic { "at least " } else { "" };
            let plural = if wanted == 1 { "" } else { "s" };
            let given = raw.len();
            let message = format!(
                "the macro '{name}' takes {least}{wanted} argument{plural}, and is given {given}"
            );
            let diagnostic = Diagnostic::new(Code::MacroArguments, call_site, message);
            self.diagnose(diagnostic.note(definition.name.span, "the macro is defined here"));
            return None;
        }
        let expanded = vec![None; total];
        Some(Arguments { raw, expanded })
    }

    /// The text of a macro with its arguments in it.
    fn substitute(
        &mut self,
        definition: &Macro,
        mut arguments: Arguments,
        number: u32,
    ) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::with_capacity(definition.body.len());
        // Where the left operand of a ## begins, and whether one waits for its right operand.
        let mut operand = 0;
        let mut pasting = false;
        for item in &definition.body {
            let mut piece = item.piece;
            piece.span.expansion = number;
            let start = pieces.len();
            match item.role {
                Role::Paste => {
                    pasting = true;
                    continue;
                }
                Role::Text => pieces.push(piece),
                Role::RawArgument(i) => pieces.extend_from_slice(&arguments.raw[i]),
                Role::Argument(i) => {
                    let expanded = self.expanded_argument(&mut arguments, i);
                    pieces.extend_from_slice(&expanded);
                }
                Role::String(i) => {
                    let text = quoted(&self.spelled(&arguments.raw[i]));
                    piece.kind = Kind::Str;
                    piece.sym = self.made_text(&text);
                    pieces.push(piece);
                }
                Role::Char(i) => {
                    let text = self.spelled(&arguments.raw[i]);
                    piece.kind = Kind::Char;
                    piece.sym = self.made_text(&format!("'{}'", escaped(&text, '\'')));
                    pieces.push(piece);
                }
            }
            if let Some(first) = pieces.get_mut(start) {
                first.spaced = piece.spaced;
            }
            if pasting {
                pasting = false;
                let is_rest = definition.is_rest(item.role);
                self.paste(&mut pieces, operand, start, is_rest);
            } else {
                operand = start;
            }
            // The final check is where the pieces are put before the input: here only memory is at stake.
            if self.expanded + pieces.len() > limit::EXPANDED_TOKENS {
                break;
            }
        }
        pieces
    }

    /// An argument with its macros expanded, as if it were all there is.
    fn expanded_argument(&mut self, arguments: &mut Arguments, i: usize) -> Rc<[Piece]> {
        if let Some(expanded) = &arguments.expanded[i] {
            return expanded.clone();
        }
        let raw = arguments.raw[i].clone();
        let may_expand = |p: &Piece| p.kind == Kind::Ident && self.is_defined(p.sym);
        let expanded: Rc<[Piece]> = match raw.iter().find(|p| may_expand(p)) {
            None => raw.into(),
            Some(first) if self.nesting >= limit::NESTING => {
                let most = limit::NESTING;
                let message = format!("macro calls are nested more than {most} deep");
                self.stop(Code::ExpansionTooLarge, first.span, message);
                Rc::default()
            }
            Some(_) => {
                self.nesting += 1;
                let expanded = self.expand_fully(raw);
                self.nesting -= 1;
                expanded.into()
            }
        };
        arguments.expanded[i] = Some(expanded.clone());
        expanded
    }

    /// Joins what stands before and after `middle` to one piece. `operand`: where the left operand begins. An empty
    /// operand leaves the other as it is; a comma before empty `__VA_ARGS__` goes (as GCC, Clang and dxc have it).
    fn paste(&mut self, pieces: &mut Vec<Piece>, operand: usize, middle: usize, is_rest: bool) {
        if middle == operand {
            return;
        }
        let left = pieces[middle - 1];
        if is_rest && left.kind == Kind::Comma {
            if pieces.len() == middle {
                pieces.truncate(middle - 1);
            }
            return;
        }
        let Some(&right) = pieces.get(middle) else {
            return;
        };
        let text = format!("{}{}", self.text(left), self.text(right));
        let joined = lex::next(&text, 0);
        let is_piece = !matches!(joined.kind, Kind::End | Kind::OpenQuote | Kind::OpenComment);
        if is_piece && (joined.start, joined.end) == (0, text.len()) {
            pieces[middle - 1] = Piece {
                kind: joined.kind,
                blocked: false,
                sym: self.made_text(&text),
                span: left.span.to(right.span),
                ..left
            };
            pieces.remove(middle);
        } else {
            let message = format!("'{text}' is not one token, ## has no effect");
            let diagnostic = Diagnostic::new(Code::BadPaste, left.span.to(right.span), message);
            self.diagnose(diagnostic.hint("write the two without ##"));
            pieces[middle].spaced = false;
        }
    }

    /// The number of a text that stands in no file. Long ones count as many tokens: macros can double them, too.
    fn made_text(&mut self, text: &str) -> Sym {
        self.expanded += text.len() / 4;
        self.names.intern(text)
    }

    /// The text of pieces, white space between them as one space each.
    fn spelled(&self, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for (i, piece) in pieces.iter().enumerate() {
            if i > 0 && piece.spaced {
                text.push(' ');
            }
            text.push_str(self.text(*piece));
        }
        text
    }
}

impl Macro {
    /// Whether this is `__VA_ARGS__`.
    fn is_rest(&self, role: Role) -> bool {
        match (&self.parameters, role) {
            (Some(p), Role::RawArgument(i)) => p.variadic && i == p.names.len(),
            _ => false,
        }
    }
}

/// A text as a string literal.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, '"'))
}

fn escaped(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\\' || c == quote {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
