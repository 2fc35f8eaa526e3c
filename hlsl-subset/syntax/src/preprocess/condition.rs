//! Conditions of `#if` and `#elif`: integer expressions as in C.
//!
//! Must not know what a conditional leaves out.

use super::{Kind, Piece, Preprocessor, limit, literal};
use crate::{
    diagnostic::{Code, Diagnostic},
    span::Span,
    token::Tok,
};

/// A value of a condition: 64 bits, signed or not.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn int(bits: i64) -> Value {
        Value {
            bits,
            unsigned: false,
        }
    }

    fn truth(value: bool) -> Value {
        Value::int(value.into())
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

impl Preprocessor<'_> {
    /// Reads and evaluates the condition on the rest of the line; false after an error.
    pub(super) fn condition(&mut self, directive: Span) -> bool {
        let line = self.line();
        let pieces = self.within(line, Self::condition_pieces);
        if self.stopped {
            return false;
        }
        let value = pieces.and_then(|pieces| {
            let mut reader = Reader {
                preprocessor: self,
                pieces: &pieces,
                at: 0,
                depth: 0,
                directive,
            };
            let value = reader.conditional(true)?;
            match reader.peek() {
                None => Ok(value),
                Some(piece) => Err(reader.unexpected(piece)),
            }
        });
        match value {
            Ok(value) => value.is_true(),
            Err(error) => {
                self.diagnose(error);
                false
            }
        }
    }

    /// The pieces of a condition, macros expanded and `defined` answered, also where a macro contains it.
    fn condition_pieces(&mut self) -> Result<Vec<Piece>, Diagnostic> {
        let mut pieces = Vec::new();
        loop {
            let piece = self.next_expanded();
            if piece.kind == Kind::End {
                return Ok(pieces);
            }
            let is_defined = piece.kind == Kind::Ident && self.text(piece) == "defined";
            pieces.push(match is_defined {
                true => self.defined_operator(piece)?,
                false => piece,
            });
        }
    }

    /// `defined NAME` or `defined(NAME)`, as the number that it stands for.
    fn defined_operator(&mut self, operator: Piece) -> Result<Piece, Diagnostic> {
        let open = self.next_piece();
        let name = match open.kind {
            Kind::LParen => self.next_piece(),
            _ => open,
        };
        if name.kind != Kind::Ident {
            let message = "'defined' needs a macro's name";
            return Err(bad(operator.span, message));
        }
        if open.kind == Kind::LParen {
            let close = self.next_piece();
            if close.kind != Kind::RParen {
                let message = format!("')' must follow 'defined({}'", self.text(name));
                return Err(bad(name.span, message));
            }
        }
        let text = if self.is_defined(name.sym) { "1" } else { "0" };
        Ok(Piece {
            kind: Kind::Number,
            sym: self.names.intern(text),
            ..name
        })
    }
}

fn bad(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::BadCondition, span, message)
}

/// Reads an expression by recursive descent, and evaluates it on the way. `live`: the value is needed, so a division
/// by zero counts.
struct Reader<'p, 'a> {
    preprocessor: &'p Preprocessor<'a>,
    pieces: &'p [Piece],
    at: usize,
    depth: usize,
    directive: Span,
}

type Read<T> = Result<T, Diagnostic>;

impl Reader<'_, '_> {
    fn peek(&self) -> Option<Piece> {
        self.pieces.get(self.at).copied()
    }

    fn take(&mut self, kind: Kind) -> bool {
        let found = self.peek().is_some_and(|p| p.kind == kind);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, piece: Piece) -> Diagnostic {
        let text = self.preprocessor.text(piece);
        let before = self.at.checked_sub(1).map(|i| self.pieces[i]);
        match before {
            Some(name) if name.kind == Kind::Ident && piece.kind == Kind::LParen => {
                let name_text = self.preprocessor.text(name);
                let message = format!("the macro '{name_text}' is not defined");
                bad(name.span, message).hint(format!(
                    "test for it with defined({name_text}) on a line before"
                ))
            }
            _ => bad(
                piece.span,
                format!("'{text}' cannot stand here in a condition"),
            ),
        }
    }

    /// Guards a recursion.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= limit::NESTING {
            let message = format!("this condition is nested more than {} deep", limit::NESTING);
            let code = Code::ConditionalTooDeep;
            return Err(Diagnostic::new(code, self.directive, message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// `a ? b : c` and all that binds tighter.
    fn conditional(&mut self, live: bool) -> Read<Value> {
        self.deeper(|r| {
            let condition = r.binary(0, live)?;
            if !r.take(Kind::Question) {
                return Ok(condition);
            }
            let yes = r.conditional(live && condition.is_true())?;
            if !r.take(Kind::Colon) {
                return Err(match r.peek() {
                    Some(piece) => r.unexpected(piece),
                    None => bad(r.directive, "the ':' of a '?' is missing in this condition"),
                });
            }
            let no = r.conditional(live && !condition.is_true())?;
            Ok(Value {
                bits: if condition.is_true() {
                    yes.bits
                } else {
                    no.bits
                },
                unsigned: yes.unsigned || no.unsigned,
            })
        })
    }

    /// Binary operators that bind at least as tight as `least`.
    fn binary(&mut self, least: u8, live: bool) -> Read<Value> {
        let mut left = self.unary(live)?;
        while let Some(operator) = self.peek() {
            let Some(binding) = binding(operator.kind).filter(|b| *b >= least) else {
                break;
            };
            self.at += 1;
            let needed = match operator.kind {
                Kind::AmpAmp => left.is_true(),
                Kind::PipePipe => !left.is_true(),
                _ => true,
            };
            let right = self.binary(binding + 1, live && needed)?;
            left = match apply(operator.kind, left, right) {
                Some(value) => value,
                None if live => return Err(bad(operator.span, "division by zero in a condition")),
                None => Value::int(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Read<Value> {
        let Some(piece) = self.peek() else {
            let message = match self.at {
                0 => "the condition is missing",
                _ => "the condition ends too early",
            };
            return Err(bad(self.directive, message));
        };
        self.at += 1;
        match piece.kind {
            Kind::Plus => self.deeper(|r| r.unary(live)),
            Kind::Minus => {
                let value = self.deeper(|r| r.unary(live))?;
                let bits = value.bits.wrapping_neg();
                Ok(Value { bits, ..value })
            }
            Kind::Tilde => {
                let value = self.deeper(|r| r.unary(live))?;
                let bits = !value.bits;
                Ok(Value { bits, ..value })
            }
            Kind::Not => Ok(Value::truth(!self.deeper(|r| r.unary(live))?.is_true())),
            Kind::LParen => {
                let value = self.conditional(live)?;
                match (self.take(Kind::RParen), self.peek()) {
                    (true, _) => Ok(value),
                    (false, Some(other)) => Err(self.unexpected(other)),
                    (false, None) => Err(bad(piece.span, "this '(' is not closed")),
                }
            }
            Kind::Ident => Ok(Value::truth(self.preprocessor.text(piece) == "true")),
            Kind::Number | Kind::Char => self.number(piece),
            _ => {
                self.at -= 1;
                Err(self.unexpected(piece))
            }
        }
    }

    fn number(&self, piece: Piece) -> Read<Value> {
        let text = self.preprocessor.text(piece);
        let literal = match piece.kind {
            Kind::Char => literal::character(text),
            _ => literal::number(text),
        };
        match literal {
            Ok(Tok::Int(int)) => Ok(Value {
                bits: int.value as i64,
                unsigned: int.unsigned || i64::try_from(int.value).is_err(),
            }),
            Ok(_) => Err(bad(piece.span, format!("'{text}' is not an integer"))
                .hint("conditions are about integers only")),
            Err(error) => Err(bad(piece.span, error.message)),
        }
    }
}

/// How tight a binary operator binds.
fn binding(operator: Kind) -> Option<u8> {
    Some(match operator {
        Kind::PipePipe => 1,
        Kind::AmpAmp => 2,
        Kind::Pipe => 3,
        Kind::Caret => 4,
        Kind::Amp => 5,
        Kind::EqualEqual | Kind::NotEqual => 6,
        Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => 7,
        Kind::Shl | Kind::Shr => 8,
        Kind::Plus | Kind::Minus => 9,
        Kind::Star | Kind::Slash | Kind::Percent => 10,
        _ => return None,
    })
}

/// The value of a binary operator; None: division by zero.
fn apply(operator: Kind, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (ua, ub) = (a as u64, b as u64);
    let less = if unsigned { ua < ub } else { a < b };
    let bits = match operator {
        Kind::PipePipe => return Some(Value::truth(left.is_true() || right.is_true())),
        Kind::AmpAmp => return Some(Value::truth(left.is_true() && right.is_true())),
        Kind::EqualEqual => return Some(Value::truth(a == b)),
        Kind::NotEqual => return Some(Value::truth(a != b)),
        Kind::Less => return Some(Value::truth(less)),
        Kind::GreaterEqual => return Some(Value::truth(!less)),
        Kind::Greater => return Some(Value::truth(!less && a != b)),
        Kind::LessEqual => return Some(Value::truth(less || a == b)),
        Kind::Shl => {
            let bits = a.wrapping_shl(b as u32);
            return Some(Value { bits, ..left });
        }
        Kind::Shr => {
            let bits = match left.unsigned {
                true => ua.wrapping_shr(b as u32) as i64,
                false => a.wrapping_shr(b as u32),
            };
            return Some(Value { bits, ..left });
        }
        Kind::Pipe => a | b,
        Kind::Caret => a ^ b,
        Kind::Amp => a & b,
        Kind::Plus => a.wrapping_add(b),
        Kind::Minus => a.wrapping_sub(b),
        Kind::Star => a.wrapping_mul(b),
        _ if b == 0 => return None,
        Kind::Slash if unsigned => (ua / ub) as i64,
        Kind::Slash => a.wrapping_div(b),
        _ if unsigned => (ua % ub) as i64,
        _ => a.wrapping_rem(b),
    };
    Some(Value { bits, unsigned })
}
