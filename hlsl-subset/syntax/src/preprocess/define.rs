//! Macro definitions: `#define`, `#undef`, those of the command line and those that are always there.
//!
//! Must not know how macros expand.

use super::{Kind, Options, Piece, Preprocessor, names::Sym};
use crate::{
    diagnostic::{Code, Diagnostic},
    profile::Stage,
    span::Span,
};
use std::{fmt::Write, rc::Rc};

/// What a name stands for.
#[derive(Clone, Default)]
pub(super) struct MacroSlot {
    pub definition: Option<Definition>,
    /// Expansions of it that are being read: while there are any it is not expanded.
    pub active: u32,
}

/// A macro.
#[derive(Clone)]
pub(super) enum Definition {
    Text(Rc<Macro>),
    Own(OwnMacro),
}

/// A macro whose text depends on where it stands.
#[derive(Clone, Copy)]
pub(super) enum OwnMacro {
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__COUNTER__`: 0, 1, 2, …
    Counter,
}

/// A macro that stands for text.
pub(super) struct Macro {
    /// Its name in the `#define`.
    pub name: Piece,
    /// Parameters; None: it is not called.
    pub parameters: Option<Parameters>,
    pub body: Vec<BodyPiece>,
}

/// Parameters of a macro. `__VA_ARGS__` is the last one of a variadic macro.
#[derive(PartialEq)]
pub(super) struct Parameters {
    pub names: Vec<Sym>,
    pub variadic: bool,
}

/// A piece of a macro's text.
pub(super) struct BodyPiece {
    pub piece: Piece,
    pub role: Role,
}

/// What becomes of a piece of a macro's text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// It stays.
    Text,
    /// The argument of this number takes its place, expanded.
    Argument(usize),
    /// The argument of this number takes its place, as it is: it stands beside `##`.
    RawArgument(usize),
    /// `#x`: the text of the argument as a string.
    String(usize),
    /// `#@x`: the text of the argument as a character.
    Char(usize),
    /// `##`
    Paste,
}

impl Preprocessor<'_> {
    /// Defines what is defined before the main file begins. The texts are files of their own, so that messages can
    /// show them.
    pub(super) fn predefine(&mut self, options: &Options) {
        let mut command_line = String::new();
        for (name, value) in &options.defines {
            let value = value.replace(['\r', '\n'], " ");
            // Writing to a String cannot fail.
            let _ = writeln!(command_line, "#define {name} {value}");
        }
        // The file entered last is read first.
        for (name, text) in [
            ("<command line>", command_line),
            ("<built-in>", built_in(options)),
        ] {
            match self.map.add(name, text.as_bytes(), None) {
                Ok(id) => self.enter(id),
                Err(error) => self.stop(Code::SourceTooLarge, Span::default(), error.to_string()),
            }
        }
        for (name, definition) in [
            ("__LINE__", OwnMacro::Line),
            ("__FILE__", OwnMacro::File),
            ("__COUNTER__", OwnMacro::Counter),
        ] {
            let sym = self.names.intern(name);
            self.slot(sym).definition = Some(Definition::Own(definition));
        }
    }

    pub(super) fn is_defined(&self, sym: Sym) -> bool {
        self.definition(sym).is_some()
    }

    pub(super) fn definition(&self, sym: Sym) -> Option<&Definition> {
        self.macros.get(sym.index())?.definition.as_ref()
    }

    pub(super) fn slot(&mut self, sym: Sym) -> &mut MacroSlot {
        if self.macros.len() <= sym.index() {
            self.macros.resize(sym.index() + 1, MacroSlot::default());
        }
        &mut self.macros[sym.index()]
    }

    pub(super) fn undef(&mut self, span: Span) {
        if let Some(name) = self.macro_name(span) {
            self.slot(name.sym).definition = None;
            self.nothing_more("the name");
        }
    }

    pub(super) fn define(&mut self, span: Span) {
        let Some(name) = self.macro_name(span) else {
            return;
        };
        let line = self.line();
        match self.parse_definition(name, &line) {
            Ok(new) => self.install(new),
            Err(error) => self.diagnose(error),
        }
    }

    fn parse_definition(&self, name: Piece, line: &[Piece]) -> Result<Macro, Diagnostic> {
        if self.text(name) == "defined" {
            let message = "'defined' cannot be a macro";
            return Err(bad(name.span, message));
        }
        let (parameters, body) = match line {
            [open, rest @ ..] if open.kind == Kind::LParen && !open.spaced => {
                let (parameters, body) = self.parse_parameters(open.span, rest)?;
                (Some(parameters), body)
            }
            body => (None, body),
        };
        let body = self.parse_body(parameters.as_ref(), body)?;
        Ok(Macro {
            name,
            parameters,
            body,
        })
    }

    /// Parameters up to the closing parenthesis, and what follows it.
    fn parse_parameters<'p>(
        &self,
        open: Span,
        line: &'p [Piece],
    ) -> Result<(Parameters, &'p [Piece]), Diagnostic> {
        let mut parameters = Parameters {
            names: Vec::new(),
            variadic: false,
        };
        let mut rest = line;
        if let [close, body @ ..] = rest
            && close.kind == Kind::RParen
        {
            return Ok((parameters, body));
        }
        loop {
            let [name, separator, after @ ..] = rest else {
                return Err(bad(open, "the parameter list of this macro is not closed"));
            };
            match name.kind {
                Kind::Ident if parameters.names.contains(&name.sym) => {
                    let message = format!("two parameters are called '{}'", self.text(*name));
                    return Err(bad(name.span, message));
                }
                Kind::Ident => parameters.names.push(name.sym),
                Kind::Ellipsis => parameters.variadic = true,
                _ => {
                    let message = format!("'{}' cannot be a parameter", self.text(*name));
                    return Err(bad(name.span, message));
                }
            }
            match separator.kind {
                Kind::RParen => return Ok((parameters, after)),
                Kind::Comma if !parameters.variadic => rest = after,
                _ if parameters.variadic => {
                    return Err(bad(separator.span, "')' must follow '...'"));
                }
                _ => {
                    let message = "',' or ')' must follow a parameter";
                    return Err(bad(separator.span, message));
                }
            }
        }
    }

    fn parse_body(
        &self,
        parameters: Option<&Parameters>,
        pieces: &[Piece],
    ) -> Result<Vec<BodyPiece>, Diagnostic> {
        let index = |piece: &Piece| match (parameters, piece.kind) {
            (Some(p), Kind::Ident) => match p.names.iter().position(|n| *n == piece.sym) {
                None if p.variadic && self.text(*piece) == "__VA_ARGS__" => Some(p.names.len()),
                found => found,
            },
            _ => None,
        };
        let mut body: Vec<BodyPiece> = Vec::with_capacity(pieces.len());
        let mut rest = pieces;
        while let [piece, after @ ..] = rest {
            rest = after;
            let beside_paste = body.last().is_some_and(|b| b.role == Role::Paste)
                || after.first().is_some_and(|p| p.kind == Kind::HashHash);
            let mut piece = *piece;
            let role = match piece.kind {
                Kind::HashHash if body.is_empty() || after.is_empty() => {
                    return Err(bad(piece.span, "## stands between two pieces of text"));
                }
                Kind::HashHash => Role::Paste,
                Kind::Hash | Kind::HashAt if parameters.is_some() => {
                    let Some((argument, i)) = after.first().and_then(|p| Some((p, index(p)?)))
                    else {
                        let message = format!("{} stands before a parameter", self.text(piece));
                        return Err(bad(piece.span, message));
                    };
                    rest = &after[1..];
                    piece.span = piece.span.to(argument.span);
                    match piece.kind {
                        Kind::Hash => Role::String(i),
                        _ => Role::Char(i),
                    }
                }
                _ => match index(&piece) {
                    Some(i) if beside_paste => Role::RawArgument(i),
                    Some(i) => Role::Argument(i),
                    None => Role::Text,
                },
            };
            body.push(BodyPiece { piece, role });
        }
        Ok(body)
    }

    /// Makes a definition count; warns where it replaces another.
    fn install(&mut self, new: Macro) {
        let name = new.name;
        let warning = match self.definition(name.sym) {
            Some(Definition::Text(old)) if !old.is_same(&new) => {
                let message = format!("the macro '{}' is defined again", self.text(name));
                let warning = Diagnostic::new(Code::MacroRedefined, name.span, message);
                Some(warning.note(old.name.span, "it was defined here"))
            }
            Some(Definition::Text(_)) | None => None,
            Some(Definition::Own(_)) => {
                let message = format!("'{}' has a meaning of its own", self.text(name));
                Some(Diagnostic::new(Code::MacroRedefined, name.span, message))
            }
        };
        if let Some(warning) = warning {
            self.diagnose(warning);
        }
        self.slot(name.sym).definition = Some(Definition::Text(Rc::new(new)));
    }
}

fn bad(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::BadMacroDefinition, span, message)
}

impl Macro {
    /// Whether two definitions are the same but for the amount of white space.
    fn is_same(&self, other: &Macro) -> bool {
        let same_piece = |(i, (a, b)): (usize, (&BodyPiece, &BodyPiece))| {
            a.role == b.role
                && a.piece.kind == b.piece.kind
                && a.piece.sym == b.piece.sym
                && (i == 0 || a.piece.spaced == b.piece.spaced)
        };
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self
                .body
                .iter()
                .zip(&other.body)
                .enumerate()
                .all(same_piece)
    }
}

/// The macros that dxc predefines, and that shaders ask for.
fn built_in(options: &Options) -> String {
    /// Stages by their number in DXIL's `ShaderKind`.
    const STAGES: [(&str, u32); 9] = [
        ("PIXEL", 0),
        ("VERTEX", 1),
        ("GEOMETRY", 2),
        ("HULL", 3),
        ("DOMAIN", 4),
        ("COMPUTE", 5),
        ("LIBRARY", 6),
        ("MESH", 13),
        ("AMPLIFICATION", 14),
    ];
    let mut text = String::new();
    let mut define = |name: &str, value: u32| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "#define {name} {value}");
    };
    for (stage, number) in STAGES {
        define(&format!("__SHADER_STAGE_{stage}"), number);
    }
    let profile = options.profile;
    let stage = match profile.stage {
        Stage::Vertex => 1,
        Stage::Geometry => 2,
    };
    define("__SHADER_TARGET_STAGE", stage);
    define("__SHADER_TARGET_MAJOR", profile.major.into());
    define("__SHADER_TARGET_MINOR", profile.minor.into());
    define("__HLSL_VERSION", options.hlsl_version.year());
    if profile.major >= 6 {
        define("__hlsl_dx_compiler", 1);
    }
    text
}
