//! The grammar of conditions, from loose to tight: `or`, `and`, `not`, comparison.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use turnwise_config::diagnostic::{Diagnostic, Span, suggestion};
use turnwise_config::document::{Kind, Value};

use crate::units::Counted;

use super::tokens::{Token, tokens};
use super::{Condition, Operand, Scope};

/// Reads the condition `text`, which is the content of the TOML string at `span`.
pub(super) fn condition(text: &str, span: Span, scope: Scope<'_>) -> Result<Condition, Diagnostic> {
    let opening = opening(span, text);
    let place = |range: Range<usize>| match opening {
        Some(opening) => {
            let offset = |inner: usize| span.start + (opening + inner) as u32;
            Span::new(span.source, offset(range.start), offset(range.end))
        }
        None => span,
    };
    let tokens = tokens(text).map_err(|mistake| mistake.moved(|range| Some(place(range))))?;
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        end: text.len()..text.len(),
        place: &place,
        scope,
        depth: 0,
    };
    let condition = parser.any()?;
    match parser.tokens.next() {
        None => Ok(condition),
        Some((Token::Compare(_), range)) => {
            let error = Diagnostic::at(place(range), "a comparison has two sides");
            Err(error.with_help("write `a < b and b < c`"))
        }
        Some((_, range)) => {
            let message = format!("`{}` does not belong here", &text[range.clone()]);
            let error = Diagnostic::at(place(range), message);
            Err(error.with_help("conditions are joined by `and` and `or`"))
        }
    }
}

/// How many bytes open a string whose content is `text`, if its length tells: escapes
/// hide it, and then the whole string has to do as the place of a mistake.
fn opening(span: Span, text: &str) -> Option<usize> {
    let written = span.end.saturating_sub(span.start) as usize;
    let plain = !text.contains(['"', '\\']);
    match written.checked_sub(text.len())? {
        0 => Some(0),
        2 => Some(1),
        6 if plain => Some(3),
        7 if plain => Some(4),
        _ => None,
    }
}

/// Deeper nesting than anyone writes; it keeps the recursion from using up the stack.
const DEEPEST: usize = 64;

struct Parser<'a> {
    tokens: Peekable<IntoIter<(Token<'a>, Range<usize>)>>,
    end: Range<usize>,
    place: &'a dyn Fn(Range<usize>) -> Span,
    scope: Scope<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn any(&mut self) -> Result<Condition, Diagnostic> {
        let mut parts = vec![self.all()?];
        while self.accept(&Token::Or) {
            parts.push(self.all()?);
        }
        Ok(Condition::Any(parts))
    }

    fn all(&mut self) -> Result<Condition, Diagnostic> {
        let mut parts = vec![self.factor()?];
        while self.accept(&Token::And) {
            parts.push(self.factor()?);
        }
        Ok(Condition::All(parts))
    }

    fn factor(&mut self) -> Result<Condition, Diagnostic> {
        let Some((token, range)) = self.tokens.peek().cloned() else {
            return Err(self.error(self.end.clone(), "the condition has no end"));
        };
        if !matches!(token, Token::Not | Token::Open) {
            return self.comparison();
        }
        self.tokens.next();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(range, "the condition is nested too deeply"));
        }
        let inner = if token == Token::Not {
            Condition::Not(Box::new(self.factor()?))
        } else {
            let inner = self.any()?;
            if !self.accept(&Token::Close) {
                return Err(self.error(range, "this parenthesis is never closed"));
            }
            inner
        };
        self.depth -= 1;
        Ok(inner)
    }

    fn comparison(&mut self) -> Result<Condition, Diagnostic> {
        let of = self.peeked_name();
        let (mut left, start) = self.operand()?;
        let Some((Token::Compare(operator), range)) = self.tokens.peek().cloned() else {
            return Ok(Condition::Is(left, (self.place)(start)));
        };
        self.tokens.next();
        let beside = self.peeked_name();
        let (mut right, _) = self.operand()?;
        self.count(&mut right, of)?;
        self.count(&mut left, beside)?;
        Ok(Condition::Compare {
            left,
            operator,
            right,
            place: (self.place)(range),
        })
    }

    fn operand(&mut self) -> Result<(Operand, Range<usize>), Diagnostic> {
        let Some((token, range)) = self.tokens.next() else {
            return Err(self.error(self.end.clone(), "the condition has no end"));
        };
        let kind = match token {
            Token::Name("true") => Kind::Boolean(true),
            Token::Name("false") => Kind::Boolean(false),
            Token::Integer(number) => Kind::Integer(number),
            Token::Float(number) => Kind::Float(number),
            Token::Text(text) => Kind::String(text.to_owned()),
            Token::Name(name) => return Ok((self.look_up(name, range.clone())?, range)),
            _ => return Err(self.error(range, "a name or a value is missing here")),
        };
        let constant = Operand::Constant(Value::new((self.place)(range.clone()), kind));
        Ok((constant, range))
    }

    /// The name that comes next, if one does.
    fn peeked_name(&mut self) -> Option<&'a str> {
        match self.tokens.peek() {
            Some((Token::Name(name), _)) => Some(name),
            _ => None,
        }
    }

    /// Counts a constant with a unit as the field would that it is compared with.
    fn count(&self, operand: &mut Operand, field: Option<&str>) -> Result<(), Diagnostic> {
        let (Operand::Constant(value), Some(field)) = (operand, field) else {
            return Ok(());
        };
        let mut counted = Counted::default();
        *value = self.scope.units.counted(field, value, &mut counted);
        counted.errors.into_iter().next().map_or(Ok(()), Err)
    }

    /// A name means the swept field, or else the value that all points share.
    fn look_up(&self, name: &str, range: Range<usize>) -> Result<Operand, Diagnostic> {
        let Scope { axes, base, .. } = self.scope;
        if let Some((axis, rest)) = axes.around(name) {
            return Ok(Operand::Swept { axis, rest });
        }
        match base.at_path(name) {
            Some(value) => Ok(Operand::Constant(value.clone())),
            None => {
                let keys = || axes.iter().map(|axis| axis.key.name.as_str());
                let help = suggestion(name, "the swept keys are", keys(), keys());
                let message = format!("`{name}` is neither swept nor written in the study");
                Err(self.error(range, &message).with_help(help))
            }
        }
    }

    fn accept(&mut self, wanted: &Token<'_>) -> bool {
        self.tokens.next_if(|(token, _)| token == wanted).is_some()
    }

    fn error(&self, range: Range<usize>, message: &str) -> Diagnostic {
        Diagnostic::at((self.place)(range), message)
    }
}
