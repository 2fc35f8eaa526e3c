//! What the grammar's actions do: nodes with their spans and heights. Must not know terminals beyond what the actions
//! hand over, nor how errors are recovered from.

use super::height::{args_height, dims_height, expr_height, item_height, over, stmt_height};
use crate::{
    ast::*,
    classify::{Constant, Lexemes, TypeWord},
    diagnostic::{Code, Diagnostic},
    span::Span,
};
use std::collections::VecDeque;

/// Puts nodes together.
pub(crate) struct Builder<'t> {
    lexemes: &'t Lexemes<'t>,
    bad: &'t [Vec<Name>],
    /// What the actions have to say; counts only if the parse succeeds.
    pub diagnostics: Vec<Diagnostic>,
    too_deep: bool,
}

/// The words before what is declared.
pub(crate) struct Specs {
    pub modifiers: Vec<Modifier>,
    pub ty: Type,
}

impl Specs {
    /// With what is declared.
    pub fn declare(self, declarators: Vec<Declarator>) -> VarDecl {
        VarDecl {
            modifiers: self.modifiers,
            ty: self.ty,
            declarators,
        }
    }
}

/// A function from its name on.
pub(crate) struct FunctionTail {
    pub name: Path,
    pub args: Option<Vec<TemplateArg>>,
    pub params: Vec<Param>,
    pub modifiers: Vec<Modifier>,
    pub bindings: Vec<Binding>,
    pub header: usize,
    pub body: Option<Block>,
}

/// Operands with operators between them, in the order written.
pub(crate) struct Flat {
    first: Box<Expr>,
    rest: Vec<(BinaryOp, Box<Expr>)>,
}

impl Flat {
    pub fn new(first: Box<Expr>) -> Flat {
        Flat {
            first,
            rest: Vec::new(),
        }
    }

    pub fn push(mut self, op: BinaryOp, next: Box<Expr>) -> Flat {
        self.rest.push((op, next));
        self
    }
}

impl<'t> Builder<'t> {
    /// `bad`: the names in each [`crate::classify::Terminal::Bad`].
    pub fn new(lexemes: &'t Lexemes<'t>, bad: &'t [Vec<Name>]) -> Builder<'t> {
        Builder {
            lexemes,
            bad,
            diagnostics: Vec::new(),
            too_deep: false,
        }
    }

    /// The text of the lexemes `lo..hi`.
    pub fn span(&self, lo: usize, hi: usize) -> Span {
        let at = |i: usize| {
            self.lexemes
                .list
                .get(i)
                .map_or(self.lexemes.end, |l| l.span)
        };
        if hi > lo {
            at(lo).to(at(hi - 1))
        } else {
            Span {
                hi: at(lo).lo,
                ..at(lo)
            }
        }
    }

    pub fn bad(&self, index: usize) -> Vec<Name> {
        self.bad.get(index).cloned().unwrap_or_default()
    }

    /// A node must not be that high: reported once.
    fn is_too_high(&mut self, height: u16, span: Span) -> bool {
        if height <= MAX_HEIGHT {
            return false;
        }
        if !self.too_deep {
            self.too_deep = true;
            self.diagnostics.push(
                Diagnostic::new(
                    Code::NestedTooDeep,
                    Span {
                        hi: span.lo.saturating_add(1).min(span.hi),
                        ..span
                    },
                    format!(
                        "what begins here is nested more than {} levels deep, or is a chain of more than {} operators",
                        MAX_HEIGHT / 2,
                        MAX_HEIGHT
                    ),
                )
                .hint("split it up with variables or functions"),
            );
        }
        true
    }

    // Names

    pub fn ident(&self, name: &Name, lo: usize, hi: usize) -> Ident {
        Ident {
            name: name.clone(),
            span: self.span(lo, hi),
        }
    }

    pub fn type_ident(&self, word: TypeWord<'_>, lo: usize, hi: usize) -> Ident {
        let name = match word {
            TypeWord::User(name) | TypeWord::Object(name) => name.clone(),
            TypeWord::Void => "void".into(),
            TypeWord::String => "string".into(),
            TypeWord::VectorTemplate => "vector".into(),
            TypeWord::MatrixTemplate => "matrix".into(),
            TypeWord::Scalar(s) => s.as_str().into(),
            TypeWord::Vector(s, n) => format!("{}{n}", s.as_str()).into(),
            TypeWord::Matrix(s, r, c) => format!("{}{r}x{c}", s.as_str()).into(),
        };
        Ident {
            name,
            span: self.span(lo, hi),
        }
    }

    // Types

    fn ty(&mut self, kind: TypeKind, height: u16, lo: usize, hi: usize) -> Type {
        let span = self.span(lo, hi);
        let packing = match kind {
            TypeKind::Matrix(..) | TypeKind::MatrixTemplate(_) => self.packing_at(lo),
            _ => None,
        };
        if self.is_too_high(height, span) {
            return Type {
                kind: TypeKind::Void,
                packing,
                span,
                height: 0,
            };
        }
        Type {
            kind,
            packing,
            span,
            height,
        }
    }

    /// What the last `#pragma pack_matrix` before the lexeme says.
    fn packing_at(&self, index: usize) -> Option<Majorness> {
        let packing = &self.lexemes.packing;
        let before = packing.partition_point(|(from, _)| *from <= index);
        before.checked_sub(1).map(|i| packing[i].1)
    }

    pub fn type_word(
        &mut self,
        scopes: Option<(bool, Vec<Ident>)>,
        word: TypeWord<'_>,
        args: Option<Vec<TemplateArg>>,
        lo: usize,
        hi: usize,
    ) -> Box<Type> {
        let args = args.unwrap_or_default();
        let height = over(args_height(&args));
        let kind = match (scopes, word) {
            (None, TypeWord::VectorTemplate) => TypeKind::VectorTemplate(args),
            (None, TypeWord::MatrixTemplate) => TypeKind::MatrixTemplate(args),
            (None, TypeWord::Object(class)) => TypeKind::Object(class.clone(), args),
            (None, TypeWord::Void) if args.is_empty() => TypeKind::Void,
            (None, TypeWord::String) if args.is_empty() => TypeKind::String,
            (None, TypeWord::Scalar(s)) if args.is_empty() => TypeKind::Scalar(s),
            (None, TypeWord::Vector(s, n)) if args.is_empty() => TypeKind::Vector(s, n),
            (None, TypeWord::Matrix(s, r, c)) if args.is_empty() => TypeKind::Matrix(s, r, c),
            (scopes, word) => {
                // The last part of the path is one lexeme; its place is behind the scopes, two lexemes each.
                let (global, scopes) = scopes.unwrap_or_default();
                let at = lo + usize::from(global) + 2 * scopes.len();
                let path = Path {
                    global,
                    scopes,
                    name: self.type_ident(word, at, at + 1),
                    span: self.span(lo, at + 1),
                };
                TypeKind::Named(path, args)
            }
        };
        Box::new(self.ty(kind, height, lo, hi))
    }

    pub fn array_type(&mut self, ty: Type, dims: Vec<ArrayDim>, lo: usize, hi: usize) -> Type {
        if dims.is_empty() {
            return ty;
        }
        let height = over([ty.height, dims_height(&dims)]);
        self.ty(TypeKind::Array(Box::new(ty), dims), height, lo, hi)
    }

    pub fn struct_type(&mut self, decl: Box<StructDecl>, lo: usize, hi: usize) -> Type {
        let height = over(decl.members.iter().map(|m| m.height));
        self.ty(TypeKind::Struct(decl), height, lo, hi)
    }

    pub fn enum_type(&mut self, decl: Box<EnumDecl>, lo: usize, hi: usize) -> Type {
        self.ty(TypeKind::Enum(decl), 0, lo, hi)
    }

    // Declarations

    pub fn item(
        &mut self,
        attributes: Vec<Attribute>,
        kind: ItemKind,
        lo: usize,
        hi: usize,
    ) -> Item {
        let span = self.span(lo, hi);
        let height = item_height(&kind);
        let kind = if self.is_too_high(height, span) {
            ItemKind::Error(Vec::new())
        } else {
            kind
        };
        Item {
            attributes,
            height: item_height(&kind),
            kind,
            span,
        }
    }

    /// A declaration that declares at most a type.
    pub fn lone_type(&mut self, specs: Specs, lo: usize, hi: usize) -> ItemKind {
        match specs.ty.kind {
            TypeKind::Struct(decl) if decl.name.is_some() => ItemKind::Struct(decl),
            TypeKind::Enum(decl) => ItemKind::Enum(decl),
            TypeKind::Struct(_) => ItemKind::Variables(specs.declare(Vec::new())),
            _ => {
                self.diagnostics.push(Diagnostic::new(
                    Code::SyntaxError,
                    self.span(lo, hi),
                    "this declares nothing: expected a name behind the type",
                ));
                ItemKind::Error(Vec::new())
            }
        }
    }

    pub fn template_struct(
        &mut self,
        template: Vec<TemplateParam>,
        specs: Specs,
        lo: usize,
        hi: usize,
    ) -> ItemKind {
        match self.lone_type(specs, lo, hi) {
            ItemKind::Struct(mut decl) => {
                decl.template = template;
                ItemKind::Struct(decl)
            }
            ItemKind::Error(names) => ItemKind::Error(names),
            _ => {
                self.diagnostics.push(Diagnostic::new(
                    Code::SyntaxError,
                    self.span(lo, hi),
                    "only functions, structs with a name and `using` can be templates",
                ));
                ItemKind::Error(Vec::new())
            }
        }
    }

    pub fn alias(&mut self, template: Vec<TemplateParam>, name: Ident, specs: Specs) -> ItemKind {
        ItemKind::Alias(AliasDecl {
            template,
            name,
            modifiers: specs.modifiers,
            ty: specs.ty,
        })
    }

    pub fn function(
        &mut self,
        template: Option<Vec<TemplateParam>>,
        specs: Specs,
        tail: FunctionTail,
        lo: usize,
    ) -> ItemKind {
        let header = self.span(lo, tail.header);
        let is_special = template.as_ref().is_some_and(Vec::is_empty);
        if !is_special && tail.args.is_some() {
            let message = "template arguments stand here in specialisations only";
            let diagnostic = Diagnostic::new(Code::BadTemplate, tail.name.span, message);
            self.diagnostics
                .push(diagnostic.hint("write `template<>` before it"));
        }
        let mut params = tail.params;
        // `f(void)` takes nothing.
        if let [only] = params.as_slice()
            && only.ty.kind == TypeKind::Void
            && only.name.is_none()
        {
            params.clear();
        }
        for odd in tail
            .modifiers
            .iter()
            .filter(|m| m.kind != ModifierKind::Const)
        {
            self.diagnostics.push(Diagnostic::new(
                Code::SyntaxError,
                odd.span,
                format!("`{}` cannot stand behind the parameters", odd.kind.as_str()),
            ));
        }
        ItemKind::Function(Box::new(FunctionDecl {
            template: template.unwrap_or_default(),
            special: is_special.then(|| tail.args.unwrap_or_default()),
            modifiers: specs.modifiers,
            ret: specs.ty,
            name: tail.name,
            params,
            is_const: !tail.modifiers.is_empty(),
            bindings: tail.bindings,
            header,
            body: tail.body,
        }))
    }

    pub fn namespace(
        &mut self,
        scopes: Vec<Ident>,
        name: Option<Ident>,
        items: Vec<Item>,
        lo: usize,
        hi: usize,
    ) -> ItemKind {
        let span = self.span(lo, hi);
        let mut decl = NamespaceDecl { name, items };
        for scope in scopes.into_iter().rev() {
            let kind = ItemKind::Namespace(decl);
            let height = item_height(&kind);
            let kind = if self.is_too_high(height, span) {
                ItemKind::Error(Vec::new())
            } else {
                kind
            };
            let inner = Item {
                attributes: Vec::new(),
                height: item_height(&kind),
                kind,
                span,
            };
            decl = NamespaceDecl {
                name: Some(scope),
                items: vec![inner],
            };
        }
        ItemKind::Namespace(decl)
    }

    pub fn bit_field(&mut self, lo: usize, hi: usize) {
        self.diagnostics.push(
            Diagnostic::new(
                Code::BitField,
                self.span(lo, hi),
                "bit fields are not supported",
            )
            .hint("use a `uint` with shifts and masks"),
        );
    }

    /// The list with the attributes of one pair of brackets.
    pub fn attributes(
        &self,
        list: Vec<Attribute>,
        names: Vec<(Path, Option<Vec<Expr>>)>,
        double: bool,
        lo: usize,
        hi: usize,
    ) -> Vec<Attribute> {
        let mut list = list;
        list.extend(names.into_iter().map(|(name, args)| Attribute {
            name,
            args: args.unwrap_or_default(),
            double,
            span: self.span(lo, hi),
        }));
        list
    }

    // Statements

    pub fn block(&mut self, stmts: Vec<Stmt>, lo: usize, hi: usize) -> Block {
        Block {
            height: over(stmts.iter().map(|s| s.height)),
            stmts,
            span: self.span(lo, hi),
        }
    }

    pub fn stmt(
        &mut self,
        attributes: Vec<Attribute>,
        kind: StmtKind,
        lo: usize,
        hi: usize,
    ) -> Box<Stmt> {
        let span = self.span(lo, hi);
        let height = stmt_height(&kind);
        let too_high = self.is_too_high(height, span);
        Box::new(Stmt {
            attributes,
            kind: if too_high {
                StmtKind::Error(Vec::new())
            } else {
                kind
            },
            span,
            height: if too_high { 0 } else { height },
        })
    }

    /// `if` with what belongs to it. An `if` behind the `else` becomes part of the chain.
    pub fn if_else(&self, cond: Expr, then: Stmt, otherwise: Option<Stmt>) -> StmtKind {
        let height = then.height;
        let arm = IfArm {
            attributes: Vec::new(),
            cond,
            then,
        };
        match otherwise {
            Some(Stmt {
                attributes,
                kind: StmtKind::If(mut chain),
                ..
            }) => {
                if let Some(next) = chain.arms.front_mut() {
                    next.attributes = attributes;
                }
                chain.arms.push_front(arm);
                chain.height = chain.height.max(height);
                StmtKind::If(chain)
            }
            otherwise => StmtKind::If(Box::new(IfChain {
                arms: VecDeque::from([arm]),
                height: otherwise.as_ref().map_or(height, |s| s.height.max(height)),
                otherwise: otherwise.map(Box::new),
            })),
        }
    }

    pub fn item_stmt(&mut self, kind: ItemKind, lo: usize, hi: usize) -> StmtKind {
        match kind {
            ItemKind::Error(names) => StmtKind::Error(names),
            kind => StmtKind::Item(Box::new(self.item(Vec::new(), kind, lo, hi))),
        }
    }

    /// The arms of a switch with one more label: a new arm, unless labels follow each other.
    pub fn label(
        &self,
        arms: Vec<SwitchArm>,
        value: Option<Expr>,
        lo: usize,
        hi: usize,
    ) -> Vec<SwitchArm> {
        let mut arms = arms;
        let span = self.span(lo, hi);
        let label = CaseLabel { value, span };
        match arms.last_mut() {
            Some(arm) if arm.stmts.is_empty() => {
                arm.span = arm.span.to(span);
                arm.labels.push(label);
            }
            _ => arms.push(SwitchArm {
                labels: vec![label],
                stmts: Vec::new(),
                span,
            }),
        }
        arms
    }

    /// The arms of a switch with one more statement in the last one.
    pub fn stmt_of_switch(&mut self, arms: Vec<SwitchArm>, stmt: Stmt) -> Vec<SwitchArm> {
        let mut arms = arms;
        match arms.last_mut() {
            Some(arm) => {
                arm.span = arm.span.to(stmt.span);
                arm.stmts.push(stmt);
            }
            None => self.diagnostics.push(Diagnostic::new(
                Code::SyntaxError,
                stmt.span,
                "expected `case` or `default`: no statement of a `switch` can stand before its first label",
            )),
        }
        arms
    }

    // Expressions

    pub fn expr(&mut self, kind: ExprKind, lo: usize, hi: usize) -> Box<Expr> {
        let span = self.span(lo, hi);
        self.expr_at(kind, span)
    }

    fn expr_at(&mut self, kind: ExprKind, span: Span) -> Box<Expr> {
        let height = expr_height(&kind);
        if self.is_too_high(height, span) {
            return Box::new(Expr {
                kind: ExprKind::Error,
                span,
                height: 0,
            });
        }
        Box::new(Expr { kind, span, height })
    }

    pub fn parenthesised(&self, mut inner: Box<Expr>, lo: usize, hi: usize) -> Box<Expr> {
        inner.span = self.span(lo, hi);
        inner
    }

    pub fn literal(&mut self, value: Constant, lo: usize, hi: usize) -> Box<Expr> {
        let literal = match value {
            Constant::Bool(v) => Literal::Bool(v),
            Constant::Int(v) => Literal::Int(v),
            Constant::Float(v) => Literal::Float(v),
        };
        self.expr(ExprKind::Literal(literal), lo, hi)
    }

    pub fn text(&self, parts: Vec<&Name>) -> Name {
        match parts.as_slice() {
            [only] => (*only).clone(),
            parts => parts.iter().map(|p| &***p).collect::<String>().into(),
        }
    }

    pub fn name(&mut self, path: Path, lo: usize, hi: usize) -> Box<Expr> {
        let is_this = path.as_plain().is_some_and(|p| &*p.name == "this");
        let kind = if is_this {
            ExprKind::This
        } else {
            ExprKind::Name(path)
        };
        self.expr(kind, lo, hi)
    }

    pub fn call(
        &mut self,
        callee: Path,
        template_args: Option<Vec<TemplateArg>>,
        args: Vec<Expr>,
        lo: usize,
        hi: usize,
    ) -> Box<Expr> {
        let call = Call {
            callee,
            template_args: template_args.unwrap_or_default(),
            args,
        };
        self.expr(ExprKind::Call(Box::new(call)), lo, hi)
    }

    pub fn method_call(
        &mut self,
        object: Expr,
        method: Ident,
        template_args: Option<Vec<TemplateArg>>,
        args: Vec<Expr>,
        lo: usize,
        hi: usize,
    ) -> Box<Expr> {
        let call = MethodCall {
            object,
            method,
            template_args: template_args.unwrap_or_default(),
            args,
        };
        self.expr(ExprKind::MethodCall(Box::new(call)), lo, hi)
    }

    pub fn sign(&mut self, sign: BinaryOp, x: Box<Expr>, lo: usize, hi: usize) -> Box<Expr> {
        let op = if sign == BinaryOp::Add {
            UnaryOp::Plus
        } else {
            UnaryOp::Neg
        };
        self.expr(ExprKind::Unary(op, x), lo, hi)
    }

    pub fn comma(&mut self, first: Box<Expr>, then: Box<Expr>) -> Box<Expr> {
        let span = first.span.to(then.span);
        self.expr_at(ExprKind::Comma(first, then), span)
    }

    pub fn assign(&mut self, op: Option<BinaryOp>, target: Flat, value: Box<Expr>) -> Box<Expr> {
        let target = self.fold(target);
        let span = target.span.to(value.span);
        self.expr_at(ExprKind::Assign(op, target, value), span)
    }

    pub fn conditional(&mut self, cond: Flat, yes: Box<Expr>, no: Box<Expr>) -> Box<Expr> {
        let cond = self.fold(cond);
        let span = cond.span.to(no.span);
        self.expr_at(ExprKind::Conditional(cond, yes, no), span)
    }

    /// Makes a tree by precedence.
    pub fn fold(&mut self, flat: Flat) -> Box<Expr> {
        if flat.rest.is_empty() {
            return flat.first;
        }
        let mut rest = flat.rest.into_iter().peekable();
        self.climb(flat.first, &mut rest, 0)
    }

    /// Takes operators that bind tighter than `above`; recursion is bounded by the number of precedences.
    fn climb(
        &mut self,
        first: Box<Expr>,
        rest: &mut std::iter::Peekable<std::vec::IntoIter<(BinaryOp, Box<Expr>)>>,
        above: u8,
    ) -> Box<Expr> {
        let mut left = first;
        while let Some((op, next)) = rest.next_if(|(op, _)| op.precedence() > above) {
            let right = self.climb(next, rest, op.precedence());
            let span = left.span.to(right.span);
            left = self.expr_at(ExprKind::Binary(op, left, right), span);
        }
        left
    }
}
