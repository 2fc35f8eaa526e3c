//! The tree's expressions. Must not know types of values.

use super::{Ident, Name, Path, TemplateArg, Type};
use crate::span::Span;
use crate::token::{FloatLiteral, IntLiteral};

/// An expression. Parentheses leave no node; they widen the span.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
    pub(crate) height: u16,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `1`, `0x1Fu`, `1.5h`, `true`, `"text"`.
    Literal(Literal),
    /// `x`, `N::x`, `E::A`.
    Name(Path),
    /// `this`.
    This,
    /// `-x`, `x++`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, `a && b`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b`; with an operator `a += b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `(float3)x`, `(row_major float4x4)m` (modifiers are dropped), `(float[4])x`.
    Cast(Box<Type>, Box<Expr>),
    /// `float3(a, b)`, `S(a)`: a type called.
    Construct(Box<Type>, Vec<Expr>),
    /// `f(x)`, `N::f(x)`, `f<3>(x)`.
    Call(Box<Call>),
    /// `t.Load(x)`, `b.Load<float4>(x)`.
    MethodCall(Box<MethodCall>),
    /// `v.xyz`, `s.member`, `m._m00_m11`.
    Member(Box<Expr>, Ident),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `{ a, { b, c } }`: initialisers only.
    InitList(Vec<Expr>),
    /// `sizeof(float4)`.
    SizeOfType(Box<Type>),
    /// `sizeof(x)`.
    SizeOfExpr(Box<Expr>),
    /// Something that could not be parsed; a diagnostic has been given.
    Error,
}

/// A call of a function by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function.
    pub callee: Path,
    /// What stands between `<` and `>`.
    pub template_args: Vec<TemplateArg>,
    /// Arguments.
    pub args: Vec<Expr>,
}

/// A call of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodCall {
    /// What stands before the dot.
    pub object: Expr,
    /// The method.
    pub method: Ident,
    /// What stands between `<` and `>`.
    pub template_args: Vec<TemplateArg>,
    /// Arguments.
    pub args: Vec<Expr>,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// Integer.
    Int(IntLiteral),
    /// Floating point.
    Float(FloatLiteral),
    /// Adjacent strings are one.
    String(Name),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+x`
    Plus,
    /// `-x`
    Neg,
    /// `!x`
    Not,
    /// `~x`
    BitNot,
    /// `++x`
    PreInc,
    /// `--x`
    PreDec,
    /// `x++`
    PostInc,
    /// `x--`
    PostDec,
}

impl UnaryOp {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
            UnaryOp::PreInc | UnaryOp::PostInc => "++",
            UnaryOp::PreDec | UnaryOp::PostDec => "--",
        }
    }
}

/// Operators with two operands, assignments and the comma aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// How tightly it binds, as in C; higher is tighter. All are left-associative.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => 7,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::BitAnd => 5,
            BinaryOp::BitXor => 4,
            BinaryOp::BitOr => 3,
            BinaryOp::And => 2,
            BinaryOp::Or => 1,
        }
    }
}
