//! The tree as text: one declaration or statement per line, indented by nesting; expressions in prefix form, so that
//! what binds to what can be seen.

use super::*;
use std::fmt::{Display, Formatter, Result, Write};

impl Display for TranslationUnit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut out = Printer { out: f, indent: 0 };
        self.items.iter().try_for_each(|item| out.item(item))?;
        for skipped in &self.skipped {
            out.line(format_args!("skipped {:?}", skipped.kind))?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    out: &'a mut dyn Write,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl Display) -> Result {
        writeln!(self.out, "{:width$}{text}", "", width = self.indent * 2)
    }

    fn nested(&mut self, print: impl FnOnce(&mut Self) -> Result) -> Result {
        self.indent += 1;
        let result = print(self);
        self.indent -= 1;
        result
    }

    fn attributes(&mut self, attributes: &[Attribute]) -> Result {
        attributes.iter().try_for_each(|a| self.line(a))
    }

    fn item(&mut self, item: &Item) -> Result {
        self.attributes(&item.attributes)?;
        match &item.kind {
            ItemKind::Function(f) => self.function(f),
            ItemKind::Variables(decl) => self.variables("var", decl),
            ItemKind::Struct(decl) => self.structure(decl),
            ItemKind::Forward(kind, name) => {
                self.line(format_args!("{} {}", kind.as_str(), name.name))
            }
            ItemKind::Buffer(decl) => {
                let word = if decl.is_tbuffer {
                    "tbuffer"
                } else {
                    "cbuffer"
                };
                self.line(format_args!(
                    "{word}{}{}",
                    Named(&decl.name),
                    Bindings(&decl.bindings)
                ))?;
                self.members(&decl.members)
            }
            ItemKind::Typedef(decl) => self.variables("typedef", decl),
            ItemKind::Alias(a) => self.line(format_args!(
                "{}using {} = {}{}",
                Template(&a.template),
                a.name.name,
                Modifiers(&a.modifiers),
                a.ty
            )),
            ItemKind::UsingNamespace(path) => self.line(format_args!("using namespace {path}")),
            ItemKind::UsingName(path) => self.line(format_args!("using {path}")),
            ItemKind::Enum(decl) => self.enumeration(decl),
            ItemKind::Namespace(decl) => {
                self.line(format_args!("namespace{}", Named(&decl.name)))?;
                self.members(&decl.items)
            }
            ItemKind::StaticAssert(cond, text) => match text {
                Some(text) => self.line(format_args!("static_assert {cond} {text:?}")),
                None => self.line(format_args!("static_assert {cond}")),
            },
            ItemKind::Empty => Ok(()),
            ItemKind::Error(names) => self.error(names),
        }
    }

    fn members(&mut self, items: &[Item]) -> Result {
        self.nested(|p| items.iter().try_for_each(|item| p.item(item)))
    }

    fn error(&mut self, names: &[Name]) -> Result {
        self.line(format_args!("error [{}]", names.join(" ")))
    }

    /// One line per declarator; a struct that is defined here comes first.
    fn variables(&mut self, word: &str, decl: &VarDecl) -> Result {
        match &decl.ty.kind {
            TypeKind::Struct(s) => self.structure(s)?,
            TypeKind::Enum(e) => self.enumeration(e)?,
            _ => {}
        }
        for d in &decl.declarators {
            let modifiers = Modifiers(&decl.modifiers);
            self.line(format_args!("{word} {modifiers}{} {d}", decl.ty))?;
        }
        Ok(())
    }

    fn structure(&mut self, decl: &StructDecl) -> Result {
        let bases = Prefixed(" : ", &decl.bases);
        let (template, word) = (Template(&decl.template), decl.kind.as_str());
        self.line(format_args!("{template}{word}{}{bases}", Named(&decl.name)))?;
        self.members(&decl.members)
    }

    fn enumeration(&mut self, decl: &EnumDecl) -> Result {
        let class = if decl.is_class { " class" } else { "" };
        let base = Prefixed(" : ", decl.base.as_slice());
        self.line(format_args!("enum{class}{}{base}", Named(&decl.name)))?;
        self.nested(|p| {
            decl.values
                .iter()
                .try_for_each(|(name, value)| match value {
                    Some(value) => p.line(format_args!("{} = {value}", name.name)),
                    None => p.line(&name.name),
                })
        })
    }

    fn function(&mut self, f: &FunctionDecl) -> Result {
        self.line(format_args!(
            "{}function {}{} {}{}{}",
            Template(&f.template),
            Modifiers(&f.modifiers),
            f.ret,
            f.name,
            if f.is_const { " const" } else { "" },
            Bindings(&f.bindings)
        ))?;
        self.nested(|p| {
            f.params.iter().try_for_each(|param| {
                p.attributes(&param.attributes)?;
                p.line(format_args!("param {param}"))
            })?;
            f.body.iter().try_for_each(|body| p.block(body))
        })
    }

    fn block(&mut self, block: &Block) -> Result {
        self.line("block")?;
        self.stmts(&block.stmts)
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Result {
        self.nested(|p| stmts.iter().try_for_each(|s| p.stmt(s)))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result {
        self.attributes(&stmt.attributes)?;
        match &stmt.kind {
            StmtKind::Empty => self.line("empty"),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Expr(e) => self.line(e),
            StmtKind::Variables(decl) => self.variables("var", decl),
            StmtKind::Item(item) => self.item(item),
            StmtKind::If(chain) => {
                for (i, arm) in chain.arms.iter().enumerate() {
                    self.attributes(&arm.attributes)?;
                    let word = if i == 0 { "if" } else { "else if" };
                    self.line(format_args!("{word} {}", arm.cond))?;
                    self.nested(|p| p.stmt(&arm.then))?;
                }
                if let Some(otherwise) = &chain.otherwise {
                    self.line("else")?;
                    self.nested(|p| p.stmt(otherwise))?;
                }
                Ok(())
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let (cond, step) = (Part("cond", cond), Part("step", step));
                self.line(format_args!("for{cond}{step}"))?;
                self.nested(|p| p.stmt(init).and_then(|()| p.stmt(body)))
            }
            StmtKind::While { cond, body } => {
                self.line(format_args!("while {cond}"))?;
                self.nested(|p| p.stmt(body))
            }
            StmtKind::DoWhile { body, cond } => {
                self.line(format_args!("do while {cond}"))?;
                self.nested(|p| p.stmt(body))
            }
            StmtKind::Switch { value, arms } => self.switch(value, arms),
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Return(Some(e)) => self.line(format_args!("return {e}")),
            StmtKind::Return(None) => self.line("return"),
            StmtKind::Discard => self.line("discard"),
            StmtKind::Error(names) => self.error(names),
        }
    }

    fn switch(&mut self, value: &Expr, arms: &[SwitchArm]) -> Result {
        self.line(format_args!("switch {value}"))?;
        self.nested(|p| {
            for arm in arms {
                for label in &arm.labels {
                    match &label.value {
                        Some(value) => p.line(format_args!("case {value}"))?,
                        None => p.line("default")?,
                    }
                }
                p.stmts(&arm.stmts)?;
            }
            Ok(())
        })
    }
}

/// ` name`, or nothing.
struct Named<'a>(&'a Option<Ident>);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.iter().try_for_each(|n| write!(f, " {}", n.name))
    }
}

/// ` (word expression)`, or nothing.
struct Part<'a>(&'a str, &'a Option<Expr>);

impl Display for Part<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.1
            .iter()
            .try_for_each(|e| write!(f, " ({} {e})", self.0))
    }
}

/// A list with commas and something before it; nothing if it is empty.
struct Prefixed<'a, T>(&'a str, &'a [T]);

impl<T: Display> Display for Prefixed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut before = self.0;
        for part in self.1 {
            write!(f, "{before}{part}")?;
            before = ", ";
        }
        Ok(())
    }
}

struct Modifiers<'a>(&'a [Modifier]);

impl Display for Modifiers<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0
            .iter()
            .try_for_each(|m| write!(f, "{} ", m.kind.as_str()))
    }
}

struct Bindings<'a>(&'a [Binding]);

impl Display for Bindings<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for binding in self.0 {
            match binding {
                Binding::Semantic(name) => write!(f, " : {}", name.name)?,
                Binding::Register(r) => {
                    let words: Vec<&str> = r.words.iter().map(|w| &*w.name).collect();
                    write!(f, " : register({}", words.join(", "))?;
                    r.offset.iter().try_for_each(|e| write!(f, "[{e}]"))?;
                    f.write_str(")")?;
                }
                Binding::PackOffset(p) => {
                    write!(f, " : packoffset({}", p.register.name)?;
                    p.component
                        .iter()
                        .try_for_each(|c| write!(f, ".{}", c.name))?;
                    f.write_str(")")?;
                }
            }
        }
        Ok(())
    }
}

struct Template<'a>(&'a [TemplateParam]);

impl Display for Template<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "template{}> ", Prefixed("<", self.0))
    }
}

impl Display for TemplateParam {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            TemplateParamKind::Type(default) => {
                write!(
                    f,
                    "typename{}{}",
                    Named(&self.name),
                    Prefixed(" = ", default.as_slice())
                )
            }
            TemplateParamKind::Value(ty, default) => {
                write!(
                    f,
                    "{ty}{}{}",
                    Named(&self.name),
                    Prefixed(" = ", default.as_slice())
                )
            }
        }
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (open, close) = if self.double {
            ("[[", "]]")
        } else {
            ("[", "]")
        };
        write!(f, "{open}{}", self.name)?;
        if !self.args.is_empty() {
            write!(f, "{})", Prefixed("(", &self.args))?;
        }
        f.write_str(close)
    }
}

impl Display for ArrayDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.len {
            Some(len) => write!(f, "[{len}]"),
            None => f.write_str("[]"),
        }
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.name.name)?;
        self.dims.iter().try_for_each(|d| write!(f, "{d}"))?;
        let init = Prefixed(" = ", self.init.as_slice());
        write!(f, "{}{init}", Bindings(&self.bindings))
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(
            f,
            "{}{}{}",
            Modifiers(&self.modifiers),
            self.ty,
            Named(&self.name)
        )?;
        self.dims.iter().try_for_each(|d| write!(f, "{d}"))?;
        let default = Prefixed(" = ", self.default.as_slice());
        write!(f, "{}{default}", Bindings(&self.bindings))
    }
}

impl Display for TemplateArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TemplateArg::Type(modifiers, ty) => write!(f, "{}{ty}", Modifiers(modifiers)),
            TemplateArg::Expr(e) => write!(f, "{e}"),
        }
    }
}

/// `<a, b>`, or nothing.
fn angles(f: &mut Formatter<'_>, args: &[TemplateArg]) -> Result {
    match args {
        [] => Ok(()),
        args => write!(f, "{}>", Prefixed("<", args)),
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            TypeKind::Void => f.write_str("void"),
            TypeKind::String => f.write_str("string"),
            TypeKind::Scalar(s) => f.write_str(s.as_str()),
            TypeKind::Vector(s, n) => write!(f, "{}{n}", s.as_str()),
            TypeKind::Matrix(s, r, c) => write!(f, "{}{r}x{c}", s.as_str()),
            TypeKind::VectorTemplate(args) => f.write_str("vector").and_then(|()| angles(f, args)),
            TypeKind::MatrixTemplate(args) => f.write_str("matrix").and_then(|()| angles(f, args)),
            TypeKind::Object(class, args) => f.write_str(class).and_then(|()| angles(f, args)),
            TypeKind::Named(path, args) => write!(f, "{path}").and_then(|()| angles(f, args)),
            TypeKind::Struct(decl) => write!(f, "{}{}", decl.kind.as_str(), Named(&decl.name)),
            TypeKind::Enum(decl) => write!(f, "enum{}", Named(&decl.name)),
            TypeKind::Array(element, dims) => {
                write!(f, "{element}")?;
                dims.iter().try_for_each(|d| write!(f, "{d}"))
            }
        }?;
        match self.packing {
            Some(Majorness::Row) => f.write_str("/row_major"),
            Some(Majorness::Column) => f.write_str("/column_major"),
            None => Ok(()),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Int(value) => write!(f, "{}", crate::token::Tok::Int(*value)),
            Literal::Float(value) => write!(f, "{}", crate::token::Tok::Float(*value)),
            Literal::String(text) => write!(f, "{text:?}"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ExprKind::Literal(literal) => write!(f, "{literal}"),
            ExprKind::Name(path) => write!(f, "{path}"),
            ExprKind::This => f.write_str("this"),
            ExprKind::Unary(op @ (UnaryOp::PostInc | UnaryOp::PostDec), x) => {
                write!(f, "(post{} {x})", op.as_str())
            }
            ExprKind::Unary(op, x) => write!(f, "({} {x})", op.as_str()),
            ExprKind::Binary(op, a, b) => write!(f, "({} {a} {b})", op.as_str()),
            ExprKind::Assign(op, a, b) => {
                write!(f, "({}= {a} {b})", op.map_or("", BinaryOp::as_str))
            }
            ExprKind::Conditional(cond, yes, no) => write!(f, "(? {cond} {yes} {no})"),
            ExprKind::Comma(a, b) => write!(f, "(, {a} {b})"),
            ExprKind::Cast(ty, x) => write!(f, "(cast {ty} {x})"),
            ExprKind::Construct(ty, args) => write!(f, "{ty}({})", Prefixed("", args)),
            ExprKind::Call(call) => {
                write!(f, "{}", call.callee)?;
                angles(f, &call.template_args)?;
                write!(f, "({})", Prefixed("", &call.args))
            }
            ExprKind::MethodCall(call) => {
                write!(f, "{}.{}", call.object, call.method.name)?;
                angles(f, &call.template_args)?;
                write!(f, "({})", Prefixed("", &call.args))
            }
            ExprKind::Member(x, name) => write!(f, "{x}.{}", name.name),
            ExprKind::Index(x, index) => write!(f, "{x}[{index}]"),
            ExprKind::InitList(values) => write!(f, "{{{}}}", Prefixed("", values)),
            ExprKind::SizeOfType(ty) => write!(f, "(sizeof {ty})"),
            ExprKind::SizeOfExpr(x) => write!(f, "(sizeof {x})"),
            ExprKind::Error => f.write_str("error"),
        }
    }
}
