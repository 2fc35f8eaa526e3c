//! Between the preprocessor and the grammar: tokens become terminals that a conflict-free grammar can tell apart.
//!
//! HLSL declares before use, so one forward scan with scopes knows which names are types, which `<` opens template
//! arguments and which brace holds what. It also makes brackets match, passes over effect syntax and reports what
//! other languages have and HLSL lacks. Must not know the tree.

mod brackets;
mod effects;
mod names;
mod scan;
mod words;

pub(crate) use words::{foreign_word, misspelt_head};

use crate::{
    ast::{BinaryOp, Majorness, ModifierKind, ScalarName, Skipped, StructKind, UnaryOp},
    diagnostic::Diagnostics,
    span::Span,
    token::{FloatLiteral, IntLiteral, Name, Tok, Tokens},
};

/// What the grammar reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Terminal<'t> {
    /// A name that means no type here.
    Name(&'t Name),
    /// A name before `::`.
    Scope(&'t Name),
    /// A type.
    Type(TypeWord<'t>),
    /// A number, `true` or `false`.
    Literal(Constant),
    /// A string.
    Str(&'t Name),
    /// `const`, `in`, `row_major`, …
    Modifier(ModifierKind),
    /// `struct` before a name that it declares, or before its body.
    Struct(StructKind),
    /// `enum` likewise.
    Enum,
    /// `typename`, or `class` among template parameters.
    Typename,
    /// `static_assert`.
    StaticAssert,
    /// `<` before template arguments.
    TemplateOpen,
    /// `>` behind them.
    TemplateClose,
    /// `{` of an initialiser.
    InitOpen,
    /// `}` of an initialiser.
    InitClose,
    /// `+` and `-`.
    Sign(BinaryOp),
    /// An operator with two operands that is no sign.
    Binary(BinaryOp),
    /// `!` and `~`.
    Prefix(UnaryOp),
    /// `++` (true) and `--`.
    Step(bool),
    /// `+=` and its kin.
    AssignOp(BinaryOp),
    /// Any other reserved word or punctuation.
    Plain(Plain),
    /// What an earlier attempt could not parse: index into the parser's list.
    Bad(usize),
    /// What is nowhere right.
    Stray(&'t Tok),
}

/// A literal that is no string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Bool(bool),
    Int(IntLiteral),
    Float(FloatLiteral),
}

/// The word that means a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TypeWord<'t> {
    Void,
    String,
    Scalar(ScalarName),
    Vector(ScalarName, u8),
    Matrix(ScalarName, u8, u8),
    VectorTemplate,
    MatrixTemplate,
    Object(&'t Name),
    /// Declared by the shader, or unknown where only a type makes sense.
    User(&'t Name),
}

macro_rules! plain {
    ($($name:ident)*) => {
        /// Tokens that are terminals as they are.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub(crate) enum Plain { $($name,)* }

        impl Plain {
            fn of(tok: &Tok) -> Option<Plain> {
                match tok {
                    $(Tok::$name => Some(Plain::$name),)*
                    _ => None,
                }
            }

            /// Its text.
            pub fn text(self) -> &'static str {
                match self {
                    $(Plain::$name => Tok::$name.fixed_text().unwrap_or_default(),)*
                }
            }
        }
    };
}

plain! {
    Break Case Cbuffer Continue Default Discard Do Else For If Namespace Packoffset Register Return Sizeof Switch
    Tbuffer Template Typedef Using While
    LParen RParen LBracket RBracket LBrace RBrace Comma Semi Colon ColonColon Dot Question Assign
}

/// A terminal and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lexeme<'t> {
    pub terminal: Terminal<'t>,
    pub span: Span,
}

/// All terminals of a translation unit.
#[derive(Debug, Default)]
pub(crate) struct Lexemes<'t> {
    /// In order; brackets match.
    pub list: Vec<Lexeme<'t>>,
    /// `#pragma pack_matrix`: from the lexeme of that index on.
    pub packing: Vec<(usize, Majorness)>,
    /// Effect syntax passed over.
    pub skipped: Vec<Skipped>,
    /// The empty span at the end of the main file.
    pub end: Span,
}

/// An operator function's name (`operator+`), made of more than one token.
pub(crate) struct OperatorName {
    /// Index of the token `operator`.
    token: usize,
    /// The whole name as one token.
    name: Tok,
    /// Number of tokens it is made of.
    len: usize,
}

/// Names of operator functions. They are made beforehand because terminals borrow their names.
pub(crate) fn operator_names(tokens: &Tokens) -> Vec<OperatorName> {
    let text = |i: usize| tokens.list.get(i).and_then(|t| t.kind.fixed_text());
    let is_operator =
        |(i, t): &(usize, &crate::token::Token)| (t.kind == Tok::Operator).then_some(*i);
    tokens
        .list
        .iter()
        .enumerate()
        .filter_map(|pair| is_operator(&pair))
        .filter_map(|token| {
            let first =
                text(token + 1).filter(|t| !t.starts_with(|c: char| c.is_ascii_alphabetic()))?;
            let second = match first {
                "(" => Some(")"),
                "[" => Some("]"),
                _ => None,
            };
            if second.is_some() && text(token + 2) != second {
                return None;
            }
            Some(OperatorName {
                token,
                name: Tok::Ident(format!("operator{first}{}", second.unwrap_or_default()).into()),
                len: 2 + usize::from(second.is_some()),
            })
        })
        .collect()
}

/// Classifies all tokens of a translation unit.
pub(crate) fn classify<'t>(
    tokens: &'t Tokens,
    operators: &'t [OperatorName],
    diagnostics: &mut Diagnostics,
) -> Lexemes<'t> {
    let pieces = brackets::balance(tokens, operators, diagnostics);
    scan::Scanner::new(pieces, tokens.end, diagnostics).run()
}
