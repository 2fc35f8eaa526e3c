//! Which function of several a call means (hlsl-vs-semantics.md section 2, *Overload ranking*).

use super::convert::{Rank, Reshape};
use super::function::SigParam;
use super::scope::Overload;
use super::value::{Value, ValueKind};
use super::{Checker, R, Reported};
use crate::ast::TemplateArg;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::FuncId;
use crate::span::Span;
use crate::types::{Scalar, Type};

/// Why a candidate does not fit.
enum Misfit {
    /// It takes another number of arguments.
    Count { least: usize, most: usize },
    /// The argument of that index does not convert.
    Argument(usize),
    /// Its template parameters cannot be found from the arguments.
    Deduction,
    /// Its declaration has an error.
    Broken(Reported),
}

/// A candidate that fits, with how well each argument does.
struct Fit {
    function: FuncId,
    is_instance: bool,
    ranks: Vec<Rank>,
    /// Which component type each literal argument takes; smaller is more natural.
    preferences: Vec<u8>,
    /// Arguments of `half` for a `float`, or the other way round.
    changes_precision: usize,
}

impl Fit {
    /// An argument loses components.
    fn cuts(&self) -> bool {
        self.ranks.iter().any(|r| *r >= Rank::Truncation)
    }
}

/// A chosen function.
pub(super) struct Chosen {
    /// Which.
    pub function: FuncId,
    /// All arguments have the parameters' types.
    pub is_exact: bool,
}

impl<'a> Checker<'a, '_> {
    /// Chooses one of `overloads`. None where none fits and `report` is not asked for.
    pub(super) fn choose(
        &mut self,
        name: &str,
        overloads: &[Overload],
        template_args: &'a [TemplateArg],
        args: &[Value],
        span: Span,
        report: bool,
    ) -> R<Option<Chosen>> {
        let mut fits: Vec<Fit> = Vec::new();
        let mut misfits: Vec<(Overload, Misfit)> = Vec::new();
        for overload in overloads {
            match self.fit(*overload, template_args, args, span)? {
                None => {}
                Some(Ok(fit)) if fits.iter().any(|f| f.function == fit.function) => {}
                Some(Ok(fit)) => fits.push(fit),
                Some(Err(misfit)) => misfits.push((*overload, misfit)),
            }
        }
        if fits.is_empty() {
            for (overload, misfit) in &misfits {
                if let Misfit::Broken(reported) = misfit {
                    // The caller depends on what stands in the way of the callee.
                    if let Overload::Plain(id) = overload {
                        self.use_function(*id, span);
                    }
                    let reported = *reported;
                    return Err(self.again(reported));
                }
            }
            return match report {
                true => Err(self.none_fits(name, &misfits, args, span)),
                false => Ok(None),
            };
        }
        let best = self.best(name, &fits, args, span)?;
        Ok(Some(Chosen {
            function: best.function,
            is_exact: best.ranks.iter().all(|r| *r == Rank::Exact),
        }))
    }

    /// How an overload fits; None where it is not visible yet.
    fn fit(
        &mut self,
        overload: Overload,
        template_args: &'a [TemplateArg],
        args: &[Value],
        span: Span,
    ) -> R<Option<Result<Fit, Misfit>>> {
        let function = match overload {
            Overload::Plain(_) if !template_args.is_empty() => {
                return Ok(Some(Err(Misfit::Deduction)));
            }
            Overload::Plain(id) => id,
            Overload::Template(index) => {
                if self.templates[index].order > self.now {
                    return Ok(None);
                }
                match self.instantiate_function(index, template_args, args, span)? {
                    Some(id) => id,
                    None => return Ok(Some(Err(Misfit::Deduction))),
                }
            }
        };
        let signature = &self.signatures[function.0 as usize];
        let is_visible = signature.order <= self.now || signature.this.is_some() || self.in_text;
        if !is_visible {
            return Ok(None);
        }
        if let Some(reported) = signature.broken {
            return Ok(Some(Err(Misfit::Broken(reported))));
        }
        let params = &*signature.params;
        let least = params.iter().take_while(|p| !p.has_default).count();
        if args.len() < least || args.len() > params.len() {
            return Ok(Some(Err(Misfit::Count {
                least,
                most: params.len(),
            })));
        }
        let mut ranks = Vec::with_capacity(args.len());
        let mut preferences = Vec::new();
        for (i, (arg, param)) in args.iter().zip(params).enumerate() {
            let Some(rank) = self.rank(arg, param) else {
                return Ok(Some(Err(Misfit::Argument(i))));
            };
            ranks.push(rank);
            if arg.literal {
                preferences.push(preference(&arg.ty, &param.ty));
            }
        }
        let changes_precision = args
            .iter()
            .zip(params)
            .filter(|(arg, param)| self.is_low_precision(arg) != param.is_low)
            .count();
        let is_instance = matches!(overload, Overload::Template(_));
        Ok(Some(Ok(Fit {
            changes_precision,
            function,
            is_instance,
            ranks,
            preferences,
        })))
    }

    /// Whether an argument is a variable that is declared with `half` or a `min…` type.
    fn is_low_precision(&self, arg: &Value) -> bool {
        matches!(&arg.kind, ValueKind::Variable(v) if self.low_precision.contains(&v.var))
    }

    /// How well an argument converts to its parameter, and back where it is written.
    fn rank(&self, arg: &Value, param: &SigParam) -> Option<Rank> {
        let there = || {
            let conversion = self.implicit(&arg.ty, &param.ty)?;
            Some(match (arg.literal, conversion.reshape) {
                (true, Reshape::Keep) => Rank::Exact,
                (true, Reshape::Splat) => Rank::Extension,
                _ => conversion.rank,
            })
        };
        let back = || self.implicit(&param.ty, &arg.ty).map(|c| c.rank);
        match (param.is_in, param.is_out) {
            (_, false) => there(),
            // What is written must fit the variable, and the variable's shape be that of what is written.
            (false, true) => there().and(back()),
            (true, true) => Some(there()?.max(back()?)),
        }
    }

    fn best<'f>(&mut self, name: &str, fits: &'f [Fit], args: &[Value], span: Span) -> R<&'f Fit> {
        let beats = |f: &Fit, g: &Fit| {
            f.ranks != g.ranks && f.ranks.iter().zip(&g.ranks).all(|(a, b)| a <= b)
        };
        let mut best: Vec<&Fit> = fits
            .iter()
            .filter(|f| !fits.iter().any(|g| beats(g, f)))
            .collect();
        // Cutting components off is the last resort: whatever needs it falls behind what does without.
        if best.len() > 1 && best.iter().any(|f| !f.cuts()) {
            best.retain(|f| !f.cuts());
        }
        // A literal decides only between what is equal otherwise, and then always.
        if best.len() > 1 && best.iter().all(|f| f.ranks == best[0].ranks) {
            let least = best.iter().map(|f| &f.preferences).min().cloned();
            best.retain(|f| Some(&f.preferences) == least.as_ref());
        }
        // What differs in nothing but precision, which is one here, is told apart by how the arguments are declared.
        if best.len() > 1 && best.iter().all(|f| f.ranks == best[0].ranks) {
            let least = best.iter().map(|f| f.changes_precision).min();
            best.retain(|f| Some(f.changes_precision) == least);
        }
        // Of equals a function of its own beats an instance of a template.
        if best.len() > 1 && best.iter().any(|f| !f.is_instance) {
            best.retain(|f| !f.is_instance);
        }
        match best[..] {
            [only] => Ok(only),
            _ => {
                let types: Vec<String> = args.iter().map(|a| a.ty.to_string()).collect();
                let message = format!("the call `{name}({})` is ambiguous", types.join(", "));
                let mut diagnostic = Diagnostic::new(Code::AmbiguousCall, span, message)
                    .hint("convert an argument, so that one of them fits best");
                for fit in &best {
                    let signature = &self.signatures[fit.function.0 as usize];
                    diagnostic = diagnostic.note(
                        signature.span,
                        format!("it may be `{}`", signature.describe()),
                    );
                }
                Err(self.report(diagnostic))
            }
        }
    }

    fn none_fits(
        &mut self,
        name: &str,
        misfits: &[(Overload, Misfit)],
        args: &[Value],
        span: Span,
    ) -> Reported {
        if let [(overload, misfit)] = misfits {
            return self.only_one_misfits(name, *overload, misfit, args, span);
        }
        let types: Vec<String> = args.iter().map(|a| a.ty.to_string()).collect();
        let message = format!("no overload of `{name}` takes ({})", types.join(", "));
        let mut diagnostic = Diagnostic::new(Code::NoMatchingOverload, span, message);
        for (overload, misfit) in misfits.iter().take(8) {
            let (declared, what) = self.describe(*overload);
            let why = self.why(*overload, misfit, args);
            diagnostic = diagnostic.note(declared, format!("`{what}`: {why}"));
        }
        self.report(diagnostic)
    }

    fn only_one_misfits(
        &mut self,
        name: &str,
        overload: Overload,
        misfit: &Misfit,
        args: &[Value],
        span: Span,
    ) -> Reported {
        let (declared, what) = self.describe(overload);
        let why = self.why(overload, misfit, args);
        let (at, message) = match misfit {
            Misfit::Argument(i) => (args[*i].span, format!("`{name}`: {why}")),
            _ => (span, format!("`{name}` {why}")),
        };
        let code = match misfit {
            Misfit::Count { .. } => Code::ArgumentCount,
            _ => Code::NoMatchingOverload,
        };
        let diagnostic =
            Diagnostic::new(code, at, message).note(declared, format!("it is `{what}`"));
        self.report(diagnostic)
    }

    fn describe(&self, overload: Overload) -> (Span, String) {
        match overload {
            Overload::Plain(id) => {
                let signature = &self.signatures[id.0 as usize];
                (signature.span, signature.describe())
            }
            Overload::Template(index) => {
                let template = &self.templates[index];
                (template.span, format!("template {}", template.name))
            }
        }
    }

    fn why(&self, overload: Overload, misfit: &Misfit, args: &[Value]) -> String {
        match misfit {
            Misfit::Count { least, most } => {
                let takes = match (least, most) {
                    (0, 0) => "no arguments".to_owned(),
                    (1, 1) => "1 argument".to_owned(),
                    (a, b) if a == b => format!("{a} arguments"),
                    (a, b) => format!("{a} to {b} arguments"),
                };
                format!("takes {takes}, not {}", args.len())
            }
            Misfit::Argument(i) => {
                let to = match overload {
                    Overload::Plain(id) => self.signatures[id.0 as usize].params[*i].ty.to_string(),
                    Overload::Template(_) => "its parameter".to_owned(),
                };
                format!(
                    "argument {} is `{}`, which does not convert to `{to}`",
                    i + 1,
                    args[*i].ty
                )
            }
            Misfit::Deduction => "does not take these template or call arguments".to_owned(),
            Misfit::Broken(_) => "its declaration has an error".to_owned(),
        }
    }
}

/// Which component types a literal likes best: its own, then those that keep its value.
fn preference(literal: &Type, param: &Type) -> u8 {
    let order = match literal.scalar() {
        Some(Scalar::Float) => [Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Bool],
        Some(Scalar::Uint) => [Scalar::Uint, Scalar::Int, Scalar::Float, Scalar::Bool],
        _ => [Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Bool],
    };
    let wanted = param.scalar();
    order
        .iter()
        .position(|s| Some(*s) == wanted)
        .map_or(4, |i| i as u8)
}
