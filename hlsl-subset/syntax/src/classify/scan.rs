//! Second step of the classifier: the forward scan that turns tokens into terminals. It knows scopes and which names
//! are types; it knows of declarations only what it needs for that.

mod angles;
mod declare;
mod word;

use super::{
    Constant, Lexeme, Lexemes, Plain, Terminal,
    brackets::{Brace, Piece},
    names::{Entry, Mark, Meaning, Names, ScopeId},
    words,
};
use crate::{
    ast::{BinaryOp, Majorness, UnaryOp},
    diagnostic::{Code, Diagnostic, Diagnostics},
    span::Span,
    token::{Name, Tok},
};

/// A bracket that is open.
#[derive(Clone, Copy, PartialEq)]
enum Round {
    Paren,
    /// The head of a `for`: declarations in it are like those of a statement.
    For,
    /// An attribute: what follows it still is the start of a declaration.
    Attribute,
    Bracket,
}

/// A `<` that is open.
struct Angle {
    depth: usize,
    /// It belongs to a type, which its `>` completes.
    of_type: bool,
    /// It holds template parameters.
    parameters: bool,
}

/// What is known about the current statement or declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct Statement<'t> {
    /// Open round brackets when it began.
    depth: usize,
    typedef: bool,
    /// A variable has been declared: a comma comes before another one.
    pub(super) declares: bool,
    /// It is a template.
    template: bool,
    /// The struct, enum or namespace whose body comes.
    head: Option<Head<'t>>,
    /// Class of the variables that it declares, if that is a resource or effect object.
    pub(super) object: Option<&'t Name>,
}

#[derive(Clone, Copy)]
enum Head<'t> {
    Struct(Option<&'t Name>),
    Enum,
    /// Its scopes are entered already; the mark is that of before. An unnamed one has none and leaves no trace.
    Namespace(Option<Mark>),
    Buffer,
}

/// An open brace.
struct Frame<'t> {
    brace: Brace,
    /// Where the names go back to at its end.
    mark: Option<Mark>,
    /// The statement that the brace stands in.
    outer: Statement<'t>,
}

/// The scan.
pub(super) struct Scanner<'t, 'd> {
    pub(super) pieces: Vec<Piece<'t>>,
    /// The next piece.
    pub(super) at: usize,
    pub(super) out: Lexemes<'t>,
    names: Names<'t>,
    frames: Vec<Frame<'t>>,
    rounds: Vec<Round>,
    angles: Vec<Angle>,
    pub(super) statement: Statement<'t>,
    /// The last terminals were a type (and modifiers): a name that follows is declared.
    after_type: bool,
    /// A declaration or statement may begin here.
    pub(super) fresh: bool,
    /// Declared by the head of a function, template or loop: known in the body that follows.
    pending: Vec<(&'t str, Entry)>,
    pub(super) diagnostics: &'d mut Diagnostics,
}

impl<'t, 'd> Scanner<'t, 'd> {
    pub fn new(pieces: Vec<Piece<'t>>, end: Span, diagnostics: &'d mut Diagnostics) -> Self {
        let list = Vec::with_capacity(pieces.len());
        Scanner {
            pieces,
            at: 0,
            out: Lexemes {
                list,
                end,
                ..Lexemes::default()
            },
            names: Names::default(),
            frames: Vec::new(),
            rounds: Vec::new(),
            angles: Vec::new(),
            statement: Statement::default(),
            after_type: false,
            fresh: true,
            pending: Vec::new(),
            diagnostics,
        }
    }

    pub fn run(mut self) -> Lexemes<'t> {
        while let Some(piece) = self.pieces.get(self.at).copied() {
            self.at += 1;
            self.step(piece);
        }
        self.out
    }

    /// The token `ahead` behind the current one.
    pub(super) fn peek(&self, ahead: usize) -> Option<&'t Tok> {
        self.pieces.get(self.at + ahead).map(|p| p.tok)
    }

    fn last(&self) -> Option<Terminal<'t>> {
        self.out.list.last().map(|l| l.terminal)
    }

    fn last_is(&self, plain: Plain) -> bool {
        self.last() == Some(Terminal::Plain(plain))
    }

    /// Only namespaces are open.
    pub(super) fn at_file_level(&self) -> bool {
        self.rounds.is_empty() && self.frames.iter().all(|f| f.brace == Brace::Namespace)
    }

    fn emit(&mut self, terminal: Terminal<'t>, span: Span) {
        self.after_type = match terminal {
            Terminal::Type(_) => true,
            Terminal::Modifier(_) => self.after_type,
            _ => false,
        };
        self.fresh = match terminal {
            Terminal::Modifier(_) => self.fresh,
            Terminal::Plain(p) => matches!(
                p,
                Plain::Semi
                    | Plain::LBrace
                    | Plain::RBrace
                    | Plain::LParen
                    | Plain::Comma
                    | Plain::Typedef
                    | Plain::Else
                    | Plain::Do
            ),
            _ => false,
        };
        self.out.list.push(Lexeme { terminal, span });
    }

    pub(super) fn plain(&mut self, plain: Plain, span: Span) {
        self.emit(Terminal::Plain(plain), span);
    }

    fn step(&mut self, piece: Piece<'t>) {
        let span = piece.span;
        match piece.tok {
            Tok::Ident(name) => self.word(name, span),
            Tok::Int(i) => self.emit(Terminal::Literal(Constant::Int(*i)), span),
            Tok::Float(f) => self.emit(Terminal::Literal(Constant::Float(*f)), span),
            Tok::True => self.emit(Terminal::Literal(Constant::Bool(true)), span),
            Tok::False => self.emit(Terminal::Literal(Constant::Bool(false)), span),
            Tok::Str(s) => self.emit(Terminal::Str(s), span),
            Tok::PackMatrix(row_major) => {
                let majorness = if *row_major {
                    Majorness::Row
                } else {
                    Majorness::Column
                };
                self.out.packing.push((self.out.list.len(), majorness));
            }
            Tok::LParen | Tok::LBracket | Tok::RParen | Tok::RBracket => {
                self.round(piece.tok, span);
            }
            Tok::LBrace => self.open_brace(piece),
            Tok::RBrace => self.close_brace(piece),
            Tok::Semi => {
                self.plain(Plain::Semi, span);
                if self.rounds.len() <= self.statement.depth {
                    self.end_statement();
                }
            }
            Tok::Less => self.less(span),
            Tok::Greater | Tok::Shr => self.greater(piece.tok, span),
            Tok::Struct | Tok::Class | Tok::Interface | Tok::Enum | Tok::Typename => {
                self.type_keyword(piece.tok, span);
            }
            Tok::Assign if self.effect_value(span) => {}
            _ => self.other(piece.tok, span),
        }
    }

    fn other(&mut self, tok: &'t Tok, span: Span) {
        if let Some(modifier) = words::reserved_modifier(tok) {
            return self.emit(Terminal::Modifier(modifier), span);
        }
        if let Some(operator) = operator(tok) {
            if self.after_type && self.pointer_or_reference(tok, span) {
                return;
            }
            return self.emit(operator, span);
        }
        match tok {
            Tok::Namespace => self.namespace(span),
            Tok::Cbuffer | Tok::Tbuffer => self.buffer(tok, span),
            Tok::Using => self.using(span),
            Tok::Arrow => {
                self.diagnostics.push(
                    Diagnostic::new(Code::NotHlsl, span, "HLSL has no `->`")
                        .hint("there are no pointers; members are reached with `.`"),
                );
                self.plain(Plain::Dot, span);
            }
            Tok::Typedef => {
                self.statement.typedef = true;
                self.plain(Plain::Typedef, span);
            }
            Tok::ColonColon => {
                self.plain(Plain::ColonColon, span);
            }
            Tok::Comma => {
                self.plain(Plain::Comma, span);
                // The name behind it is declared like the one before it.
                if self.statement.declares && self.at_statement_depth() {
                    self.after_type = true;
                }
            }
            _ => match Plain::of(tok) {
                Some(plain) => self.plain(plain, span),
                None => self.emit(Terminal::Stray(tok), span),
            },
        }
    }

    /// No bracket is open that the statement did not begin in; the head of a `for` counts as none.
    pub(super) fn at_statement_depth(&self) -> bool {
        let inside = &self.rounds[self.statement.depth.min(self.rounds.len())..];
        let in_value = self.frames.last().is_some_and(|f| f.brace == Brace::Init);
        !in_value && self.angles.is_empty() && matches!(inside, [] | [Round::For])
    }

    pub(super) fn end_statement(&mut self) {
        self.statement = Statement {
            depth: self.rounds.len(),
            ..Statement::default()
        };
        self.angles.clear();
        self.pending.clear();
        self.fresh = true;
    }

    fn round(&mut self, tok: &'t Tok, span: Span) {
        match tok {
            Tok::LParen => {
                let is_for = self.last_is(Plain::For);
                self.rounds
                    .push(if is_for { Round::For } else { Round::Paren });
                self.plain(Plain::LParen, span);
            }
            Tok::LBracket => {
                let is_attribute = self.fresh;
                self.rounds.push(if is_attribute {
                    Round::Attribute
                } else {
                    Round::Bracket
                });
                self.plain(Plain::LBracket, span);
                self.fresh = is_attribute;
            }
            _ => {
                let closed = self.rounds.pop();
                let plain = if *tok == Tok::RParen {
                    Plain::RParen
                } else {
                    Plain::RBracket
                };
                self.plain(plain, span);
                self.fresh = closed == Some(Round::Attribute);
                self.angles.retain(|a| a.depth <= self.rounds.len());
            }
        }
    }

    // Braces

    fn open_brace(&mut self, piece: Piece<'t>) {
        if piece.brace != Brace::Init && self.state_block(piece.span) {
            return;
        }
        let terminal = match piece.brace {
            Brace::Init => Terminal::InitOpen,
            _ => Terminal::Plain(Plain::LBrace),
        };
        let head = self.statement.head.take();
        let mark = match (piece.brace, head) {
            (Brace::Init | Brace::Buffer | Brace::Enum, _) => None,
            (_, Some(Head::Namespace(mark))) => mark,
            _ => Some(self.names.mark()),
        };
        self.frames.push(Frame {
            brace: piece.brace,
            mark,
            outer: self.statement,
        });
        self.emit(terminal, piece.span);
        match (piece.brace, head) {
            (Brace::Struct, Some(Head::Struct(Some(name)))) => {
                let scope = self.names.scope_of(name, Meaning::Type);
                self.names.enter(scope);
            }
            (Brace::Struct | Brace::Block, _) => self.names.enter_block(),
            _ => {}
        }
        if piece.brace != Brace::Init {
            for (name, entry) in std::mem::take(&mut self.pending) {
                self.names.declare(name, entry);
            }
            self.statement = Statement {
                depth: self.rounds.len(),
                ..Statement::default()
            };
            self.angles.clear();
        }
    }

    fn close_brace(&mut self, piece: Piece<'t>) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if let Some(mark) = frame.mark {
            self.names.leave(mark);
        }
        if piece.brace == Brace::Init {
            return self.emit(Terminal::InitClose, piece.span);
        }
        self.plain(Plain::RBrace, piece.span);
        if matches!(frame.brace, Brace::Struct | Brace::Enum) {
            // Variables of that type, or a typedef's names, may follow.
            self.statement = frame.outer;
            self.statement.head = None;
            self.after_type = true;
        } else {
            self.statement = Statement {
                depth: self.rounds.len(),
                ..Statement::default()
            };
        }
    }
}

fn type_entry(scope: Option<ScopeId>) -> Entry {
    Entry {
        meaning: Meaning::Type,
        scope,
    }
}

/// The terminal of an operator token.
fn operator<'t>(tok: &Tok) -> Option<Terminal<'t>> {
    use BinaryOp::*;
    Some(match tok {
        Tok::Plus => Terminal::Sign(Add),
        Tok::Minus => Terminal::Sign(Sub),
        Tok::Not => Terminal::Prefix(UnaryOp::Not),
        Tok::Tilde => Terminal::Prefix(UnaryOp::BitNot),
        Tok::PlusPlus => Terminal::Step(true),
        Tok::MinusMinus => Terminal::Step(false),
        Tok::Star => Terminal::Binary(Mul),
        Tok::Slash => Terminal::Binary(Div),
        Tok::Percent => Terminal::Binary(Rem),
        Tok::Shl => Terminal::Binary(Shl),
        Tok::LessEqual => Terminal::Binary(Le),
        Tok::GreaterEqual => Terminal::Binary(Ge),
        Tok::EqualEqual => Terminal::Binary(Eq),
        Tok::NotEqual => Terminal::Binary(Ne),
        Tok::Amp => Terminal::Binary(BitAnd),
        Tok::Caret => Terminal::Binary(BitXor),
        Tok::Pipe => Terminal::Binary(BitOr),
        Tok::AmpAmp => Terminal::Binary(And),
        Tok::PipePipe => Terminal::Binary(Or),
        Tok::PlusAssign => Terminal::AssignOp(Add),
        Tok::MinusAssign => Terminal::AssignOp(Sub),
        Tok::StarAssign => Terminal::AssignOp(Mul),
        Tok::SlashAssign => Terminal::AssignOp(Div),
        Tok::PercentAssign => Terminal::AssignOp(Rem),
        Tok::AmpAssign => Terminal::AssignOp(BitAnd),
        Tok::PipeAssign => Terminal::AssignOp(BitOr),
        Tok::CaretAssign => Terminal::AssignOp(BitXor),
        Tok::ShlAssign => Terminal::AssignOp(Shl),
        Tok::ShrAssign => Terminal::AssignOp(Shr),
        _ => return None,
    })
}
