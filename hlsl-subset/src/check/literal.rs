//! Literals (decisions.md, *literals*).

use super::value::Value;
use super::{Checker, R, build};
use crate::ast::{Literal, ScalarName};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::token::{FloatLiteral, FloatSuffix, IntLiteral};
use crate::types::{Scalar, Type};

impl Checker<'_, '_> {
    pub(super) fn literal(&mut self, literal: &Literal, span: Span) -> R<Value> {
        let (bits, scalar, is_untyped) = match literal {
            Literal::Bool(b) => (u32::from(*b), Scalar::Bool, false),
            Literal::Int(int) => self.int_literal(*int, span)?,
            Literal::Float(FloatLiteral { value, suffix }) => {
                match suffix {
                    FloatSuffix::Double => {
                        self.scalar(ScalarName::Double, span)?;
                    }
                    FloatSuffix::Half => {
                        self.scalar(ScalarName::Half, span)?;
                    }
                    FloatSuffix::None | FloatSuffix::Float => {}
                }
                (value.to_bits(), Scalar::Float, *suffix == FloatSuffix::None)
            }
            Literal::String(_) => return Err(self.text_as_value(span)),
        };
        Ok(Value {
            literal: is_untyped,
            ..Value::computed(build::constant(vec![bits], Type::Scalar(scalar), span))
        })
    }

    /// A string stands where a value is wanted.
    pub(super) fn text_as_value(&mut self, span: Span) -> super::Reported {
        let message = "strings are no values; they exist in attributes and effect syntax only";
        self.error(Code::BadType, span, message)
    }

    fn int_literal(&mut self, int: IntLiteral, span: Span) -> R<(u32, Scalar, bool)> {
        if int.longs > 1 {
            let name = match int.unsigned {
                true => ScalarName::Uint64,
                false => ScalarName::Int64,
            };
            self.scalar(name, span)?;
        }
        let Ok(bits) = u32::try_from(int.value) else {
            let message = format!("{} does not fit 32 bits", int.value);
            let diagnostic = Diagnostic::new(Code::LiteralTooLarge, span, message)
                .hint("the largest is 4294967295; add `.0` for a float");
            return Err(self.report(diagnostic));
        };
        // The magnitude of INT_MIN is written as a decimal that does not fit `int`; as `uint` its bits are right.
        let is_int = !int.unsigned && i32::try_from(bits).is_ok();
        let scalar = if is_int { Scalar::Int } else { Scalar::Uint };
        Ok((bits, scalar, !int.unsigned))
    }
}
