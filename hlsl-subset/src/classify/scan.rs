//! Second step of the classifier: the forward scan that turns tokens into terminals. It knows scopes and which names
//! are types; it knows of declarations only what it needs for that.

use super::{
    Constant, Lexeme, Lexemes, Plain, Terminal, TypeWord,
    brackets::{Brace, Piece},
    names::{Entry, Mark, Meaning, Names, ScopeId},
    words,
};
use crate::{
    ast::{BinaryOp, Majorness, ModifierKind, StructKind, UnaryOp},
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

    // Words that introduce names

    fn type_keyword(&mut self, tok: &'t Tok, span: Span) {
        let in_parameters = self
            .angles
            .last()
            .is_some_and(|a| a.parameters && a.depth == self.rounds.len());
        if in_parameters && matches!(tok, Tok::Class | Tok::Typename) {
            self.emit(Terminal::Typename, span);
            if let Some((name, span)) = self.take_name() {
                self.pending.push((name, type_entry(None)));
                self.emit(Terminal::Name(name), span);
            }
            return;
        }
        if *tok == Tok::Typename {
            // Before a name that depends on a template parameter: a type.
            if let Some((name, span)) = self.take_name() {
                self.path_or_word(name, span, true);
            }
            return;
        }
        let keyword = match tok {
            Tok::Class => Terminal::Struct(StructKind::Class),
            Tok::Interface => Terminal::Struct(StructKind::Interface),
            Tok::Enum => Terminal::Enum,
            _ => Terminal::Struct(StructKind::Struct),
        };
        let mut scoped = None;
        if *tok == Tok::Enum && matches!(self.peek(0), Some(Tok::Class | Tok::Struct)) {
            scoped = Some(self.pieces[self.at].span);
            self.at += 1;
        }
        let name = match self.peek(0) {
            Some(Tok::Ident(name)) => Some(name),
            _ => None,
        };
        let defines = matches!(
            self.peek(usize::from(name.is_some())),
            Some(Tok::LBrace | Tok::Colon | Tok::Semi)
        );
        if let (Some(name), false) = (name, defines) {
            // `struct S s`: the keyword adds nothing.
            let span = self.pieces[self.at].span;
            self.at += 1;
            self.path_or_word(name, span, true);
            return;
        }
        self.emit(keyword, span);
        if let Some(span) = scoped {
            self.emit(Terminal::Struct(StructKind::Class), span);
        }
        if let Some((name, span)) = self.take_name() {
            self.emit(Terminal::Name(name), span);
            self.names.scope_of(name, Meaning::Type);
        }
        self.statement.head = Some(if *tok == Tok::Enum {
            Head::Enum
        } else {
            Head::Struct(name)
        });
    }

    /// The next token, if it is a name.
    fn take_name(&mut self) -> Option<(&'t Name, Span)> {
        let piece = self.pieces.get(self.at)?;
        let Tok::Ident(name) = piece.tok else {
            return None;
        };
        self.at += 1;
        Some((name, piece.span))
    }

    fn namespace(&mut self, span: Span) {
        self.plain(Plain::Namespace, span);
        if self.out.list.len() >= 2
            && self.out.list[self.out.list.len() - 2].terminal == Terminal::Plain(Plain::Using)
        {
            let scope = self.named_scope();
            if let Some(scope) = scope {
                self.names.import(scope);
            }
            return;
        }
        // `namespace A::B {`: each is declared in the one before.
        let mut before = None;
        while let Some((name, span)) = self.take_name() {
            let scope = self.names.scope_of(name, Meaning::Other);
            before.get_or_insert(self.names.mark());
            self.names.enter(scope);
            if self.peek(0) != Some(&Tok::ColonColon) {
                self.emit(Terminal::Name(name), span);
                break;
            }
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
        }
        self.statement.head = Some(Head::Namespace(before));
    }

    /// The path behind `using namespace`; its last part is a name for the grammar.
    fn named_scope(&mut self) -> Option<ScopeId> {
        let mut scope: Option<ScopeId> = None;
        let mut first = true;
        while let Some((name, span)) = self.take_name() {
            let entry = match scope {
                Some(scope) => self.names.member(scope, name),
                None if first => self.names.lookup(name),
                None => None,
            };
            scope = entry.and_then(|e| e.scope);
            first = false;
            if self.peek(0) != Some(&Tok::ColonColon) {
                self.emit(Terminal::Name(name), span);
                break;
            }
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
        }
        scope
    }

    fn buffer(&mut self, tok: &'t Tok, span: Span) {
        self.plain(
            if *tok == Tok::Cbuffer {
                Plain::Cbuffer
            } else {
                Plain::Tbuffer
            },
            span,
        );
        self.statement.head = Some(Head::Buffer);
        // The name of a constant buffer is no value and hides nothing.
        if let Some((name, span)) = self.take_name() {
            self.emit(Terminal::Name(name), span);
        }
    }

    fn using(&mut self, span: Span) {
        self.plain(Plain::Using, span);
        if self.peek(1) == Some(&Tok::Assign)
            && let Some((name, span)) = self.take_name()
        {
            self.emit(Terminal::Name(name), span);
            self.names.declare(name, type_entry(None));
            if let Some(piece) = self.pieces.get(self.at) {
                self.plain(Plain::Assign, piece.span);
                self.at += 1;
            }
            if let Some((name, span)) = self.take_name() {
                self.path_or_word(name, span, true);
            }
        }
    }

    // Names

    fn word(&mut self, name: &'t Name, span: Span) {
        if matches!(self.last(), Some(Terminal::Plain(Plain::Dot))) {
            return self.emit(Terminal::Name(name), span);
        }
        if self.technique(name, span) {
            return;
        }
        if &**name == "shared" && matches!(self.peek(0), Some(Tok::Cbuffer | Tok::Tbuffer)) {
            return;
        }
        if let Some(modifier) = self.modifier(name) {
            return self.emit(Terminal::Modifier(modifier), span);
        }
        if self.fresh
            && self.peek(0) == Some(&Tok::LParen)
            && matches!(&**name, "static_assert" | "_Static_assert")
        {
            return self.emit(Terminal::StaticAssert, span);
        }
        self.path_or_word(name, span, false);
    }

    /// The word modifies the declaration that it stands in.
    fn modifier(&self, name: &Name) -> Option<ModifierKind> {
        let modifier = words::contextual_modifier(name)?;
        let next = self.peek(0)?;
        let goes_on = matches!(next, Tok::Ident(_) | Tok::Struct | Tok::Class | Tok::Enum)
            || words::reserved_modifier(next).is_some();
        goes_on.then_some(modifier)
    }

    /// A name, alone or at the head of `A::B::c`. `is_type`: only a type makes sense here.
    fn path_or_word(&mut self, name: &'t Name, span: Span, is_type: bool) {
        let (mut name, mut span) = (name, span);
        let declared = self.after_type;
        let fresh = self.fresh;
        let mut scope: Option<ScopeId> = None;
        let mut qualified = self.last_is(Plain::ColonColon);
        while self.peek(0) == Some(&Tok::ColonColon) && matches!(self.peek(1), Some(Tok::Ident(_)))
        {
            let entry = match scope {
                Some(scope) => self.names.member(scope, name),
                None if !qualified => self.lookup(name),
                None => None,
            };
            scope = entry.and_then(|e| e.scope);
            qualified = true;
            self.emit(Terminal::Scope(name), span);
            self.plain(Plain::ColonColon, self.pieces[self.at].span);
            self.at += 1;
            match self.take_name() {
                Some(next) => (name, span) = next,
                None => return,
            }
        }
        self.after_type = declared;
        self.fresh = fresh;
        let entry = match scope {
            Some(scope) => self.names.member(scope, name),
            None if !qualified || self.last_is(Plain::ColonColon) => self.lookup(name),
            None => None,
        };
        self.classified(name, span, entry, is_type, qualified);
    }

    fn lookup(&self, name: &str) -> Option<Entry> {
        self.pending
            .iter()
            .rev()
            .find(|(n, _)| *n == name)
            .map(|(_, entry)| *entry)
            .or_else(|| self.names.lookup(name))
    }

    fn classified(
        &mut self,
        name: &'t Name,
        span: Span,
        entry: Option<Entry>,
        is_type: bool,
        qualified: bool,
    ) {
        let next_is_word = matches!(self.peek(0), Some(Tok::Ident(_)));
        if self.after_type && !is_type && !next_is_word {
            return self.declared(name, span, qualified);
        }
        let is_type = is_type
            || (self.fresh && self.last_is(Plain::Typedef))
            || matches!(self.statement.head, Some(Head::Struct(_) | Head::Enum));
        let builtin = match entry {
            None if !qualified => words::builtin_type(name),
            _ => None,
        };
        if let Some(builtin) = builtin
            && !self.binds()
        {
            return self.builtin(builtin, &**name == "unsigned", span);
        }
        let is_type =
            is_type || (!self.binds() && entry.is_some_and(|e| e.meaning == Meaning::Type));
        if is_type {
            return self.user_type(name, span);
        }
        let unknown_at_start = entry.is_none() && self.fresh && self.may_declare();
        if unknown_at_start && !qualified && self.misspelt(name, span) {
            return;
        }
        // Two names in a row where a declaration may begin: the first one has to be a type.
        let before_name =
            next_is_word || (self.peek(0) == Some(&Tok::Less) && self.is_type_with_arguments());
        let is_declared = unknown_at_start && before_name;
        let is_cast = entry.is_none() && self.is_cast(qualified);
        if (is_declared || is_cast) && words::foreign_word(name).is_none() {
            return self.user_type(name, span);
        }
        let is_template = entry.is_some_and(|e| e.meaning == Meaning::TemplateFunction);
        self.emit(Terminal::Name(name), span);
        if is_template && self.peek(0) == Some(&Tok::Less) {
            self.template_open(false, false);
        }
    }

    /// The unknown name stands alone in parentheses, an operand before which an operator would have to stand follows,
    /// and the parenthesis begins an operand.
    fn is_cast(&self, qualified: bool) -> bool {
        let operand = matches!(
            self.peek(1),
            Some(Tok::Ident(_) | Tok::Int(_) | Tok::Float(_) | Tok::True | Tok::False)
        );
        if qualified || self.peek(0) != Some(&Tok::RParen) || !operand {
            return false;
        }
        let mut before = self.out.list.iter().rev().map(|l| l.terminal);
        before.next() == Some(Terminal::Plain(Plain::LParen))
            && matches!(
                before.next(),
                Some(
                    Terminal::Sign(_)
                        | Terminal::Binary(_)
                        | Terminal::Prefix(_)
                        | Terminal::AssignOp(_)
                        | Terminal::Plain(
                            Plain::Assign
                                | Plain::Comma
                                | Plain::LParen
                                | Plain::Question
                                | Plain::Return
                        )
                )
            )
    }

    /// An unknown name with `<`: `>` and a name follow, so it is a type.
    fn is_type_with_arguments(&self) -> bool {
        let mut depth = 0usize;
        for (i, piece) in self.pieces[self.at..].iter().take(32).enumerate() {
            match piece.tok {
                Tok::Less => depth += 1,
                Tok::Greater if depth == 1 => {
                    return matches!(self.peek(i + 1), Some(Tok::Ident(_)));
                }
                Tok::Greater => depth -= 1,
                Tok::Ident(_) | Tok::Comma | Tok::Int(_) | Tok::ColonColon => {}
                _ => return false,
            }
        }
        false
    }

    /// A declaration may stand here: of a parameter, if brackets are open.
    fn may_declare(&self) -> bool {
        let brace = self.frames.last().map(|f| f.brace);
        let at_depth = self.at_statement_depth();
        match brace {
            Some(Brace::Enum | Brace::Init) => false,
            Some(Brace::Block) => at_depth,
            _ => at_depth || !self.rounds.contains(&Round::Attribute),
        }
    }

    /// The word is a semantic, not a type: it follows a colon and what comes next ends a declarator.
    fn binds(&self) -> bool {
        if !self.last_is(Plain::Colon) || self.statement.head.is_some() {
            return false;
        }
        (self.peek(0) == Some(&Tok::Less) && self.may_annotate())
            || matches!(
                self.peek(0),
                Some(Tok::Comma | Tok::Semi | Tok::RParen | Tok::LBrace | Tok::Assign | Tok::Colon)
                    | None
            )
    }

    fn builtin(&mut self, word: TypeWord<'t>, is_unsigned: bool, span: Span) {
        let mut word = word;
        let mut span = span;
        if is_unsigned
            && let Some(Tok::Ident(next)) = self.peek(0)
            && let Some(unsigned) = words::unsigned(next)
        {
            word = unsigned;
            span = span.to(self.pieces[self.at].span);
            self.at += 1;
        }
        if let TypeWord::Object(class) = &mut word
            && self.at_statement_depth()
        {
            self.statement.object = Some(class);
        }
        self.emit(Terminal::Type(word), span);
    }

    fn user_type(&mut self, name: &'t Name, span: Span) {
        let is_sign = &**name == "signed";
        if is_sign && matches!(self.peek(0), Some(Tok::Ident(n)) if words::unsigned(n).is_some()) {
            return;
        }
        self.emit(Terminal::Type(TypeWord::User(name)), span);
    }

    /// A name behind a type.
    fn declared(&mut self, name: &'t Name, span: Span, qualified: bool) {
        let at_depth = self.at_statement_depth();
        let before_paren = self.peek(0) == Some(&Tok::LParen);
        self.emit(Terminal::Name(name), span);
        if qualified {
            return;
        }
        if at_depth {
            self.statement.declares = !before_paren;
        }
        let hides = self.lookup(name).is_some() || words::builtin_type(name).is_some();
        if self.statement.typedef && at_depth {
            self.names.declare(name, type_entry(None));
        } else if before_paren && at_depth && self.statement.template {
            self.names.declare(
                name,
                Entry {
                    meaning: Meaning::TemplateFunction,
                    scope: None,
                },
            );
        } else if hides {
            let entry = Entry {
                meaning: Meaning::Other,
                scope: None,
            };
            if self.rounds.len() > self.statement.depth || !self.angles.is_empty() {
                self.pending.push((name, entry));
            } else {
                self.names.declare(name, entry);
            }
        }
    }

    /// A keyword with a slip in it is reported and taken for the keyword.
    fn misspelt(&mut self, name: &'t Name, span: Span) -> bool {
        let follows = matches!(
            self.peek(0),
            Some(Tok::Ident(_) | Tok::Int(_) | Tok::Float(_) | Tok::LBrace | Tok::If)
        );
        if !follows || !self.at_statement_depth() {
            return false;
        }
        let Some((keyword, tok)) = words::misspelt_keyword(name) else {
            return false;
        };
        self.diagnostics.push(
            Diagnostic::new(
                Code::MisspeltKeyword,
                span,
                format!("`{name}` is no keyword and no known name"),
            )
            .hint(format!("did you mean `{keyword}`?")),
        );
        self.step(Piece {
            tok,
            span,
            brace: Brace::Block,
        });
        true
    }

    /// `float* p`, `float& r`: reported and dropped.
    fn pointer_or_reference(&mut self, tok: &'t Tok, span: Span) -> bool {
        let (what, hint) = match tok {
            Tok::Star => ("pointers", "pass an index, or the value itself"),
            Tok::Amp | Tok::AmpAmp => (
                "references",
                "a parameter that the function changes is written `inout float4 x`",
            ),
            _ => return false,
        };
        self.diagnostics
            .push(Diagnostic::new(Code::NotHlsl, span, format!("HLSL has no {what}")).hint(hint));
        true
    }

    /// The current declaration is one that may have annotations: a variable outside of functions.
    pub(super) fn may_annotate(&self) -> bool {
        self.statement.declares
            && self.at_statement_depth()
            && self.frames.last().is_none_or(|f| f.brace != Brace::Block)
    }

    // Angle brackets

    fn less(&mut self, span: Span) {
        match self.last() {
            Some(Terminal::Type(_)) => {
                self.at -= 1;
                self.template_open(true, false);
            }
            Some(Terminal::Plain(Plain::Template)) => {
                self.at -= 1;
                self.statement.template = true;
                self.template_open(false, true);
            }
            Some(Terminal::Name(_) | Terminal::Plain(Plain::RParen | Plain::RBracket))
                if self.annotation(span) => {}
            Some(Terminal::Name(_)) if self.opens_call_arguments() => {
                self.at -= 1;
                self.template_open(false, false);
            }
            _ => self.emit(Terminal::Binary(BinaryOp::Lt), span),
        }
    }

    /// The next token is a `<` that opens arguments or parameters.
    fn template_open(&mut self, of_type: bool, parameters: bool) {
        let span = self.pieces[self.at].span;
        self.at += 1;
        self.angles.push(Angle {
            depth: self.rounds.len(),
            of_type,
            parameters,
        });
        self.emit(Terminal::TemplateOpen, span);
    }

    /// `Load<float4>(0)`: what follows the `<` is a type and not a constructor.
    fn opens_call_arguments(&self) -> bool {
        let Some(Tok::Ident(name)) = self.peek(0) else {
            return false;
        };
        let is_type = match self.lookup(name) {
            Some(entry) => entry.meaning == Meaning::Type,
            None => words::builtin_type(name).is_some(),
        };
        is_type && self.peek(1) != Some(&Tok::LParen)
    }

    fn greater(&mut self, tok: &'t Tok, span: Span) {
        if *tok == Tok::Greater {
            if !self.template_close(span) {
                self.emit(Terminal::Binary(BinaryOp::Gt), span);
            }
            return;
        }
        // `>>` closes two, or one before another `>`.
        let middle = span.lo + (span.hi - span.lo).min(1);
        let (left, right) = (Span { hi: middle, ..span }, Span { lo: middle, ..span });
        if !self.template_close(left) {
            self.emit(Terminal::Binary(BinaryOp::Shr), span);
        } else if !self.template_close(right) {
            self.emit(Terminal::Binary(BinaryOp::Gt), right);
        }
    }

    fn template_close(&mut self, span: Span) -> bool {
        let depth = self.rounds.len();
        let Some(angle) = self.angles.pop_if(|a| a.depth == depth) else {
            return false;
        };
        self.emit(Terminal::TemplateClose, span);
        self.after_type = angle.of_type;
        self.fresh = angle.parameters;
        true
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
