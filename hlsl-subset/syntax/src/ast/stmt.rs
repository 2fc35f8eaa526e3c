//! The tree's statements.

use super::{Attribute, Expr, Item, Name, VarDecl};
use crate::span::Span;
use std::collections::VecDeque;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// `[unroll]`, `[branch]`, …
    pub attributes: Vec<Attribute>,
    /// What it is.
    pub kind: StmtKind,
    /// Without the attributes.
    pub span: Span,
    pub(crate) height: u16,
}

/// `{ … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// With the braces.
    pub span: Span,
    pub(crate) height: u16,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `{ … }`: a scope of its own.
    Block(Block),
    /// `f(x);`
    Expr(Expr),
    /// `float a = 1, b[2];`
    Variables(VarDecl),
    /// A struct, typedef, using, enum or static assertion inside a function.
    Item(Box<Item>),
    /// `if (a) … else if (b) … else …`.
    If(Box<IfChain>),
    /// `for (init; cond; step) body`.
    For {
        /// Expression, declaration or empty statement.
        init: Box<Stmt>,
        /// Condition; none: always.
        cond: Option<Expr>,
        /// After each round.
        step: Option<Expr>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `while (cond) body`.
    While {
        /// Condition.
        cond: Expr,
        /// Body.
        body: Box<Stmt>,
    },
    /// `do body while (cond);`
    DoWhile {
        /// Body.
        body: Box<Stmt>,
        /// Condition.
        cond: Expr,
    },
    /// `switch (value) { … }`.
    Switch {
        /// What is looked at.
        value: Expr,
        /// Groups of labels with the statements behind them.
        arms: Vec<SwitchArm>,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
    /// `discard;`
    Discard,
    /// Something that could not be parsed; a diagnostic has been given. The names in it: what is unknown later and
    /// among them may have been declared here.
    Error(Vec<Name>),
}

/// `if (a) … else if (b) … else …`: as flat as it is written, however long.
#[derive(Clone, Debug, PartialEq)]
pub struct IfChain {
    /// At least one. The first arm's attributes are those of the statement.
    pub arms: VecDeque<IfArm>,
    /// Taken when no condition holds.
    pub otherwise: Option<Box<Stmt>>,
    /// Height of the highest part.
    pub(crate) height: u16,
}

impl IfChain {
    /// Most links of a chain that may become statements inside each other; longer ones are carried out in pieces.
    pub const MAX_NESTED: usize = 32;
}

/// One condition of an [`IfChain`].
#[derive(Clone, Debug, PartialEq)]
pub struct IfArm {
    /// `else [branch] if`.
    pub attributes: Vec<Attribute>,
    /// Condition.
    pub cond: Expr,
    /// Taken when it holds.
    pub then: Stmt,
}

/// `case 1: case 2: …`.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchArm {
    /// At least one.
    pub labels: Vec<CaseLabel>,
    /// Up to the next label.
    pub stmts: Vec<Stmt>,
    /// From the first label to the last statement.
    pub span: Span,
}

/// `case 1:`, `default:`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseLabel {
    /// The value; none: `default`.
    pub value: Option<Expr>,
    /// With the colon.
    pub span: Span,
}
