//! Which modifiers fit which declarations, and which exclude each other.

use super::Checker;
use crate::ast::{self, Modifier, ModifierKind};
use crate::diagnostic::{Code, Diagnostic};

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Global,
    Local,
    Field,
    Parameter,
    Function,
    Typedef,
}

impl Place {
    fn text(self) -> &'static str {
        match self {
            Place::Global => "a global variable",
            Place::Local => "a local variable",
            Place::Field => "a field",
            Place::Parameter => "a parameter",
            Place::Function => "a function",
            Place::Typedef => "a typedef",
        }
    }

    /// Whether a modifier may stand there. What has no effect is taken, as other compilers do.
    fn takes(self, modifier: ModifierKind) -> bool {
        use ModifierKind::*;
        match modifier {
            In | Out | Inout | Point | Line | Triangle | Lineadj | Triangleadj => {
                self == Place::Parameter
            }
            Static => !matches!(self, Place::Parameter | Place::Typedef),
            Extern => self == Place::Global,
            Groupshared | Shared => matches!(self, Place::Global | Place::Function),
            Uniform => matches!(self, Place::Global | Place::Parameter),
            Inline | Export => self == Place::Function,
            Linear | Noperspective | Centroid | Sample => self != Place::Typedef,
            _ => true,
        }
    }
}

/// Modifiers that exclude each other.
const EXCLUSIVE: &[(ModifierKind, ModifierKind)] = {
    use ModifierKind::*;
    &[
        (RowMajor, ColumnMajor),
        (Snorm, Unorm),
        (Static, Extern),
        (Static, Uniform),
        (Extern, Groupshared),
        (Uniform, Groupshared),
        (Uniform, Out),
        (Uniform, Inout),
        (Nointerpolation, Linear),
        (Nointerpolation, Noperspective),
        (Nointerpolation, Centroid),
        (Nointerpolation, Sample),
    ]
};

impl Checker<'_, '_> {
    /// Refuses a semantic where no value comes from outside or goes there.
    pub(super) fn refuse_semantic(&mut self, declarator: &ast::Declarator, place: &str) {
        if let Some((semantic, span)) = super::function::semantic(&declarator.bindings) {
            let message = format!("{place} has no semantic, so no `{semantic}`");
            self.error(Code::BadDeclaration, span, message);
        }
    }

    /// Refuses modifiers that do not fit.
    pub(super) fn check_modifiers(&mut self, modifiers: &[Modifier], place: Place) {
        for (i, modifier) in modifiers.iter().enumerate() {
            let word = modifier.kind.as_str();
            if !place.takes(modifier.kind) {
                let message = format!("`{word}` is no modifier of {}", place.text());
                self.error(Code::BadModifier, modifier.span, message);
                continue;
            }
            let is_usage = matches!(
                modifier.kind,
                ModifierKind::In | ModifierKind::Out | ModifierKind::Inout
            );
            for before in &modifiers[..i] {
                let pair = (before.kind, modifier.kind);
                let excludes = EXCLUSIVE
                    .iter()
                    .any(|(a, b)| pair == (*a, *b) || pair == (*b, *a));
                if excludes || (is_usage && before.kind == modifier.kind) {
                    let message = match excludes {
                        true => {
                            format!("`{}` and `{word}` exclude each other", before.kind.as_str())
                        }
                        false => format!("`{word}` stands twice"),
                    };
                    let diagnostic = Diagnostic::new(Code::BadModifier, modifier.span, message);
                    self.report(diagnostic);
                }
            }
        }
    }
}
