//! How high nodes are, by the heights of their parts ([`MAX_HEIGHT`] says in which units). Must not recurse.

use crate::ast::*;

/// Height of a node whose parts are this high.
pub(super) fn over(parts: impl IntoIterator<Item = u16>) -> u16 {
    parts.into_iter().max().map_or(0, |h| h + 2)
}

/// Height of the highest length.
pub(super) fn dims_height(dims: &[ArrayDim]) -> u16 {
    let lengths = dims.iter().filter_map(|d| d.len.as_ref());
    lengths.map(|e| e.height).max().unwrap_or(0)
}

/// Height of an expression of that kind.
pub(super) fn expr_height(kind: &ExprKind) -> u16 {
    match kind {
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::This | ExprKind::Error => 0,
        ExprKind::Unary(_, x) | ExprKind::Member(x, _) | ExprKind::SizeOfExpr(x) => x.height + 2,
        ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => (a.height + 1).max(b.height + 2),
        ExprKind::Assign(_, a, b) | ExprKind::Index(a, b) => a.height.max(b.height) + 2,
        ExprKind::Conditional(cond, yes, no) => {
            (cond.height.max(yes.height) + 2).max(no.height + 1)
        }
        ExprKind::Cast(ty, x) => ty.height.max(x.height) + 2,
        ExprKind::SizeOfType(ty) => ty.height + 2,
        ExprKind::Construct(ty, args) => over(args.iter().map(|a| a.height).chain([ty.height])),
        ExprKind::InitList(values) => over(values.iter().map(|a| a.height)),
        ExprKind::Call(call) => over(
            call.args
                .iter()
                .map(|a| a.height)
                .chain(args_height(&call.template_args)),
        ),
        ExprKind::MethodCall(call) => over(
            call.args
                .iter()
                .map(|a| a.height)
                .chain(args_height(&call.template_args))
                .chain([call.object.height]),
        ),
    }
}

/// Heights of the arguments.
pub(super) fn args_height(args: &[TemplateArg]) -> impl Iterator<Item = u16> {
    args.iter().map(|a| match a {
        TemplateArg::Type(_, ty) => ty.height,
        TemplateArg::Expr(e) => e.height,
    })
}

/// Height of a statement of that kind.
pub(super) fn stmt_height(kind: &StmtKind) -> u16 {
    match kind {
        StmtKind::Block(block) => block.height,
        StmtKind::Variables(decl) => decl.ty.height,
        StmtKind::Item(item) => item.height + 2,
        StmtKind::If(chain) => {
            // What is made of a chain is nested by at most that many of its links.
            let links = chain.arms.len().min(IfChain::MAX_NESTED) as u16;
            chain.height + 1 + links
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => body.height + 2,
        StmtKind::Switch { arms, .. } => {
            over(arms.iter().flat_map(|a| a.stmts.iter().map(|s| s.height)))
        }
        _ => 0,
    }
}

/// Height of a declaration of that kind.
pub(super) fn item_height(kind: &ItemKind) -> u16 {
    let members = |items: &[Item]| over(items.iter().map(|i| i.height));
    match kind {
        ItemKind::Function(f) => f.body.as_ref().map_or(0, |b| b.height + 2),
        ItemKind::Variables(decl) | ItemKind::Typedef(decl) => decl.ty.height,
        ItemKind::Struct(decl) => members(&decl.members),
        ItemKind::Buffer(decl) => members(&decl.members),
        ItemKind::Namespace(decl) => members(&decl.items),
        _ => 0,
    }
}
