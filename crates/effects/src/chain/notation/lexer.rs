//! Splits the text of a chain into tokens with their positions.

use crate::pitch_length;
use base::error::NotationError;

/// The micro sign, in the unit of microseconds.
const MICRO: char = '\u{b5}';

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A name: letters, digits, underscores; or a pitch such as `C#3`.
    Name,
    /// A decimal number, including a sign before it.
    Number,
    /// A note in canonical form: two numbers separated by a slash and an optional letter. The parser assembles it.
    Note(String),
    /// A ratio such as `4:1`, as a number. The parser assembles it.
    Ratio(f64),
    /// A quoted string with escapes resolved.
    Text(String),
    /// One of `| + ( ) , = / % :`.
    Sign(char),
    /// The end of the text.
    End,
}

/// A token: its kind and its position in bytes.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Splits a text into tokens. The last one is always [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, NotationError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip(char::is_whitespace);
        let token = lexer.token(tokens.last())?;
        let last = token.kind == Kind::End;
        tokens.push(token);
        if last {
            return Ok(tokens);
        }
    }
}

/// Creates an error at a position of the text.
pub(super) fn error_at(
    text: &str,
    start: usize,
    end: usize,
    message: impl Into<String>,
    allowed: Vec<String>,
) -> NotationError {
    let got = text.get(start..end).unwrap_or_default().to_owned();
    NotationError { message: message.into(), start, end, got, allowed, nearest: None }
}

/// Returns whether a value may stand after this token.
fn value_expected(previous: Option<&Token>) -> bool {
    previous.is_some_and(|token| matches!(token.kind, Kind::Sign('(' | ',' | '=')))
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_after(&self, count: usize) -> Option<char> {
        self.rest().chars().nth(count)
    }

    /// Skips characters while `takes` accepts them.
    fn skip(&mut self, takes: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !takes(c)).unwrap_or(rest.len());
    }

    fn token(&mut self, previous: Option<&Token>) -> Result<Token, NotationError> {
        let start = self.at;
        let kind = match self.peek() {
            None => Kind::End,
            Some(_) if value_expected(previous) && pitch_length(self.rest()) > 0 => {
                self.at += pitch_length(self.rest());
                Kind::Name
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == MICRO => {
                self.skip(|c| c.is_ascii_alphanumeric() || c == '_' || c == MICRO);
                Kind::Name
            }
            Some(c) if self.begins_number(c, previous) => {
                self.number();
                Kind::Number
            }
            Some('"') => Kind::Text(self.string()?),
            Some(c @ ('|' | '+' | '(' | ')' | ',' | '=' | '/' | '%' | ':')) => {
                self.at += 1;
                Kind::Sign(c)
            }
            Some(c) => {
                let end = start + c.len_utf8();
                let allowed = ["an effect's name", "a number", "a quoted string", "| + ( ) , ="];
                let message = format!("`{}` has no meaning here", c.escape_debug());
                return Err(error_at(self.text, start, end, message, allowed.map(str::to_owned).to_vec()));
            }
        };
        Ok(Token { kind, start, end: self.at })
    }

    /// Returns whether a number begins here. A sign belongs to a number only where a value is expected, so that a
    /// missing bracket before `+` does not read as a number.
    fn begins_number(&self, c: char, previous: Option<&Token>) -> bool {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        match c {
            '0'..='9' => true,
            '.' => is_digit(self.peek_after(1)),
            '+' | '-' | '\u{2212}' => {
                let next = self.peek_after(1);
                value_expected(previous) && (is_digit(next) || (next == Some('.') && is_digit(self.peek_after(2))))
            }
            _ => false,
        }
    }

    fn number(&mut self) {
        if let Some(sign @ ('+' | '-' | '\u{2212}')) = self.peek() {
            self.at += sign.len_utf8();
        }
        let digit = |c: char| c.is_ascii_digit();
        self.skip(digit);
        if self.peek() == Some('.') {
            self.at += 1;
            self.skip(digit);
        }
        // `e` belongs to the number only if digits follow.
        if let Some('e' | 'E') = self.peek() {
            let signed = matches!(self.peek_after(1), Some('+' | '-'));
            if self.peek_after(1 + usize::from(signed)).is_some_and(digit) {
                self.at += 1 + usize::from(signed);
                self.skip(digit);
            }
        }
    }

    /// Reads a string in double quotes with the escapes `\" \\ \n \r \t \u{...}`.
    fn string(&mut self) -> Result<String, NotationError> {
        let start = self.at;
        self.at += 1;
        let mut value = String::new();
        loop {
            let Some(c) = self.peek() else {
                let message = "The quotation mark is not closed";
                return Err(error_at(self.text, start, self.text.len(), message, vec!["\"".to_owned()]));
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(value),
                '\\' => value.push(self.escape()?),
                other => value.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, NotationError> {
        let start = self.at - 1;
        let next = self.peek();
        self.at += next.map_or(0, char::len_utf8);
        let meant = match next {
            Some(c @ ('"' | '\\')) => Some(c),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('u') => self.code_point(),
            _ => None,
        };
        meant.ok_or_else(|| {
            let allowed = ["\\\"", "\\\\", "\\n", "\\r", "\\t", "\\u{1F50A}"].map(str::to_owned).to_vec();
            error_at(self.text, start, self.at, "This escape has no meaning", allowed)
        })
    }

    /// Reads the character of `{...}` after `\u`.
    fn code_point(&mut self) -> Option<char> {
        let digits = self.rest().strip_prefix('{')?;
        let length = digits.find(|c: char| !c.is_ascii_hexdigit())?;
        let code =
            digits.get(..length).filter(|code| (1..=6).contains(&code.len()) && digits[length..].starts_with('}'))?;
        let meant = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        self.at += 1 + length + 1;
        meant
    }
}
