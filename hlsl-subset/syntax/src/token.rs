//! Tokens as the preprocessor hands them to the grammar, and the table of all reserved words and operators.
//!
//! Must not know how text becomes tokens (that is `preprocess`), nor which names are types (that is the classifier
//! before the grammar).

use crate::span::Span;
use std::sync::Arc;

/// A name; equal names of one run share one allocation.
pub type Name = Arc<str>;

/// One token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Tok,
    /// Where it is written, and out of which macro expansion it came.
    pub span: Span,
}

/// A preprocessed translation unit.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// All tokens in order.
    pub list: Vec<Token>,
    /// The empty span at the end of the main file: the place of "unexpected end of file".
    pub end: Span,
}

impl Tokens {
    /// The span of the tokens `lo..hi`, which is how LALRPOP locations are counted here: by token.
    /// An empty range is the start of the token at `lo`.
    pub fn span(&self, lo: usize, hi: usize) -> Span {
        let at = |i: usize| self.list.get(i).map_or(self.end, |t| t.span);
        if hi <= lo {
            let start = at(lo);
            return Span {
                hi: start.lo,
                ..start
            };
        }
        at(lo).to(at(hi - 1))
    }

    /// The tokens as LALRPOP wants them: each between its own index and the next.
    pub fn spanned(&self) -> impl Iterator<Item = (usize, Tok, usize)> + '_ {
        self.list
            .iter()
            .enumerate()
            .map(|(i, t)| (i, t.kind.clone(), i + 1))
    }
}

/// An integer literal as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntLiteral {
    /// Its value. Larger ones are refused by the lexer.
    pub value: u64,
    /// Written in decimal; hexadecimal and octal ones become `uint` where they do not fit `int`.
    pub decimal: bool,
    /// Has the suffix `u`.
    pub unsigned: bool,
    /// Has the suffix `l` (once: no effect in HLSL, `int` is 32 bits) or `ll` (twice: a 64-bit literal).
    pub longs: u8,
}

/// A float literal as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatLiteral {
    /// Its value, rounded once from the decimal text.
    pub value: f32,
    /// The suffix.
    pub suffix: FloatSuffix,
}

/// What stands behind a float literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// Nothing.
    None,
    /// `f`
    Float,
    /// `h`
    Half,
    /// `l`: a `double`.
    Double,
}

macro_rules! tokens {
    (
        reserved { $($reserved:ident $rtext:literal)* }
        punctuation { $($punct:ident $ptext:literal)* }
    ) => {
        /// The kind of a token.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Tok {
            /// A name that is not reserved. Built-in types and intrinsics are names too.
            Ident(Name),
            /// An integer.
            Int(IntLiteral),
            /// A float.
            Float(FloatLiteral),
            /// A string, without its quotes and with its escapes resolved.
            Str(Name),
            /// `#pragma pack_matrix(row_major)` (true) or `(column_major)` (false), in the place where it stands.
            PackMatrix(bool),
            $(#[doc = concat!("`", $rtext, "`")] $reserved,)*
            $(#[doc = concat!("`", $ptext, "`")] $punct,)*
        }

        /// The reserved words. The lexer never makes an [`Tok::Ident`] of these.
        pub const RESERVED: &[(&str, Tok)] = &[$(($rtext, Tok::$reserved)),*];

        /// Operators and punctuation.
        pub const PUNCTUATION: &[(&str, Tok)] = &[$(($ptext, Tok::$punct)),*];

        impl Tok {
            /// The text of a word or operator; None for names and literals, whose text varies.
            pub fn fixed_text(&self) -> Option<&'static str> {
                match self {
                    $(Tok::$reserved => Some($rtext),)*
                    $(Tok::$punct => Some($ptext),)*
                    _ => None,
                }
            }
        }
    };
}

/// Hands the table of words and operators to a macro: to that which makes [`Tok`], and to that which makes the lexer.
macro_rules! token_table {
    ($then:ident) => {
        $then! {
            reserved {
                Break "break"
                Case "case"
                Cbuffer "cbuffer"
                Class "class"
                ColumnMajor "column_major"
                Const "const"
                Continue "continue"
                Default "default"
                Discard "discard"
                Do "do"
                Else "else"
                Enum "enum"
                Extern "extern"
                False "false"
                For "for"
                Groupshared "groupshared"
                If "if"
                In "in"
                Inline "inline"
                Inout "inout"
                Interface "interface"
                Namespace "namespace"
                Nointerpolation "nointerpolation"
                Noperspective "noperspective"
                Operator "operator"
                Out "out"
                Packoffset "packoffset"
                Register "register"
                Return "return"
                RowMajor "row_major"
                Sizeof "sizeof"
                Static "static"
                Struct "struct"
                Switch "switch"
                Tbuffer "tbuffer"
                Template "template"
                True "true"
                Typedef "typedef"
                Typename "typename"
                Uniform "uniform"
                Using "using"
                Volatile "volatile"
                While "while"
            }
            punctuation {
                LParen "("
                RParen ")"
                LBracket "["
                RBracket "]"
                LBrace "{"
                RBrace "}"
                Comma ","
                Semi ";"
                Colon ":"
                ColonColon "::"
                Dot "."
                Ellipsis "..."
                Arrow "->"
                Question "?"
                Tilde "~"
                Not "!"
                Plus "+"
                Minus "-"
                Star "*"
                Slash "/"
                Percent "%"
                Amp "&"
                Pipe "|"
                Caret "^"
                Less "<"
                Greater ">"
                Assign "="
                EqualEqual "=="
                NotEqual "!="
                LessEqual "<="
                GreaterEqual ">="
                AmpAmp "&&"
                PipePipe "||"
                PlusPlus "++"
                MinusMinus "--"
                PlusAssign "+="
                MinusAssign "-="
                StarAssign "*="
                SlashAssign "/="
                PercentAssign "%="
                AmpAssign "&="
                PipeAssign "|="
                CaretAssign "^="
                Shl "<<"
                Shr ">>"
                ShlAssign "<<="
                ShrAssign ">>="
            }
        }
    };
}
pub(crate) use token_table;

token_table!(tokens);

impl std::fmt::Display for Tok {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tok::Ident(name) => f.write_str(name),
            Tok::Int(literal) => {
                write!(f, "{}", literal.value)?;
                f.write_str(if literal.unsigned { "u" } else { "" })?;
                f.write_str(["", "l", "ll"][usize::from(literal.longs.min(2))])
            }
            Tok::Float(literal) => {
                write!(f, "{:?}", literal.value)?;
                f.write_str(match literal.suffix {
                    FloatSuffix::None => "",
                    FloatSuffix::Float => "f",
                    FloatSuffix::Half => "h",
                    FloatSuffix::Double => "l",
                })
            }
            Tok::Str(text) => write!(f, "{text:?}"),
            Tok::PackMatrix(row_major) => {
                let order = if *row_major {
                    "row_major"
                } else {
                    "column_major"
                };
                write!(f, "#pragma pack_matrix({order})")
            }
            other => f.write_str(other.fixed_text().unwrap_or_default()),
        }
    }
}
