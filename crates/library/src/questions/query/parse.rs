//! The parser of queries.

use super::fields::{Field, Kind, field, fields, nearest_name};
use super::{Key, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Number, Query, Test};
use base::error::NotationError;

type Result<T> = std::result::Result<T, NotationError>;

/// Comparison operators. Longer ones come first, because some share a prefix.
const COMPARISONS: [&str; 5] = ["<=", ">=", "<", ">", "="];

pub(super) fn parse(text: &str) -> Result<Query> {
    let mut parser = Parser { text, at: 0, terms: 0 };
    if text.len() > MAX_LENGTH {
        let start = text.floor_char_boundary(MAX_LENGTH);
        return Err(parser.error(start, text.len(), format!("The query is longer than {MAX_LENGTH} bytes"), &[]));
    }
    parser.skip_space();
    let query = if parser.peek().is_none() { Query::all() } else { parser.either(0)? };
    match parser.peek() {
        None => Ok(query),
        Some(_) => Err(parser.error(parser.at, parser.at + 1, "This bracket closes nothing", &["a word", "a field"])),
    }
}

/// A value in the text.
struct Raw {
    start: usize,
    end: usize,
    text: String,
    quoted: bool,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    terms: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Makes an error for a range of the text, whose end is moved to a character boundary.
    fn error(&self, start: usize, end: usize, message: impl Into<String>, allowed: &[&str]) -> NotationError {
        let end = self.text.ceil_char_boundary(end);
        NotationError {
            message: message.into(),
            start,
            end,
            got: self.text.get(start..end).unwrap_or_default().to_owned(),
            allowed: allowed.iter().map(|&allowed| allowed.to_owned()).collect(),
            nearest: None,
        }
    }

    /// Consumes a keyword such as `or`, if it is the next word.
    fn takes_keyword(&mut self, keyword: &str) -> bool {
        let word = self.bare(is_delimiter);
        let taken = word.eq_ignore_ascii_case(keyword);
        if taken {
            self.at += word.len();
            self.skip_space();
        }
        taken
    }

    fn either(&mut self, depth: usize) -> Result<Query> {
        let mut parts = vec![self.both(depth)?];
        loop {
            if self.peek() == Some('|') {
                self.at += 1;
                self.skip_space();
            } else if !self.takes_keyword("or") {
                return Ok(Query::either(parts));
            }
            parts.push(self.both(depth)?);
        }
    }

    fn both(&mut self, depth: usize) -> Result<Query> {
        let mut parts = vec![self.term(depth)?];
        loop {
            let asked = self.takes_keyword("and");
            let ends = matches!(self.peek(), None | Some(')' | '|')) || self.is_at_or();
            if ends && !asked {
                return Ok(Query::both(parts));
            }
            // A dash by itself, as between artist and title, is ignored.
            if !asked && self.skips_dashes() {
                continue;
            }
            parts.push(self.term(depth)?);
        }
    }

    fn is_at_or(&self) -> bool {
        self.bare(is_delimiter).eq_ignore_ascii_case("or")
    }

    fn skips_dashes(&mut self) -> bool {
        let dashes = self.bare(is_delimiter).len();
        let skipped =
            dashes > 0 && self.rest()[..dashes].bytes().all(|b| b == b'-') && !self.negates_what_follows(dashes);
        if skipped {
            self.at += dashes;
            self.skip_space();
        }
        skipped
    }

    fn negates_what_follows(&self, dashes: usize) -> bool {
        matches!(self.rest()[dashes..].chars().next(), Some('(' | '"'))
    }

    fn term(&mut self, depth: usize) -> Result<Query> {
        if depth > MAX_DEPTH {
            return Err(self.error(
                self.at,
                self.at + 1,
                format!("Brackets are nested more than {MAX_DEPTH} deep"),
                &[],
            ));
        }
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
            let follows = self.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, ')' | '|'));
            if !follows {
                return Err(self.error(start, start + 1, "Nothing follows this", &["a word", "a field", "("]));
            }
            return self.negated(start, depth);
        }
        if self.takes_keyword("not") {
            return self.negated(start, depth);
        }
        match self.peek() {
            Some('(') => self.group(depth),
            Some('"') => {
                let text = self.quoted()?;
                self.count(start)?;
                self.skip_space();
                Query::text(text).ok_or_else(|| self.error(start, self.at, "This text is empty", &["text"]))
            }
            None | Some(')' | '|') => Err(self.nothing()),
            Some(_) if self.is_at_or() || self.bare(is_delimiter).eq_ignore_ascii_case("and") => Err(self.nothing()),
            Some(_) => self.word(),
        }
    }

    fn nothing(&self) -> NotationError {
        let word = self.bare(is_delimiter).len().max(usize::from(self.peek().is_some()));
        let message =
            if self.peek().is_none() { "The query ends too early" } else { "Something is missing before this" };
        self.error(self.at, self.at + word, message, &["a word", "text in quotes", "a field", "("])
    }

    fn negated(&mut self, start: usize, depth: usize) -> Result<Query> {
        let term = self.term(depth + 1)?;
        term.negated().ok_or_else(|| self.error(start, self.at, "This would find nothing", &["a word", "a field"]))
    }

    fn group(&mut self, depth: usize) -> Result<Query> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let inner = self.either(depth + 1)?;
        if self.peek() != Some(')') {
            return Err(self.error(start, start + 1, "This bracket is not closed", &[")"]));
        }
        self.at += 1;
        self.skip_space();
        Ok(inner)
    }

    fn count(&mut self, start: usize) -> Result<()> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(self.error(
                start,
                self.text.len(),
                format!("The query has more than {MAX_TERMS} words and tests"),
                &[],
            ));
        }
        Ok(())
    }

    /// Returns the text up to the first character for which `ends` is true.
    fn bare(&self, ends: impl Fn(char) -> bool) -> &str {
        let rest = self.rest();
        &rest[..rest.find(ends).unwrap_or(rest.len())]
    }

    /// Parses a field's test or free text.
    fn word(&mut self) -> Result<Query> {
        let start = self.at;
        let name_length = self.bare(|c| !(c.is_ascii_alphanumeric() || c == '_')).len();
        let name = self.rest()[..name_length].to_owned();
        let follows = self.rest()[name_length..].chars().next();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && follows == Some(':') {
            let Some(field) = field(&name) else { return Err(self.unknown(start, start + name_length, &name)) };
            self.at += name_length + 1;
            return self.tests(field);
        }
        if let (true, Some('<' | '>' | '='), Some(field)) = (is_name, follows, field(&name)) {
            self.at += name_length;
            return self.tests(field);
        }
        let text = self.bare(is_delimiter).to_owned();
        self.at += text.len();
        self.count(start)?;
        self.skip_space();
        Query::text(text).ok_or_else(|| self.nothing())
    }

    fn unknown(&self, start: usize, end: usize, name: &str) -> NotationError {
        let names: Vec<&str> = fields().iter().map(|field| field.name).collect();
        let mut error =
            self.error(start, end, format!("There is no field `{name}`. Text with a colon goes in quotes"), &names);
        let folded = name.to_ascii_lowercase();
        error.nearest = nearest_name(&folded, fields().iter().flat_map(Field::names)).map(str::to_owned);
        error
    }

    fn tests(&mut self, field: &'static Field) -> Result<Query> {
        let start = self.at;
        let mut tests = Vec::new();
        loop {
            self.count(self.at)?;
            tests.push(self.test(field)?);
            if self.peek() != Some(',') {
                break;
            }
            self.at += 1;
        }
        self.skip_space();
        Query::field(field, tests).ok_or_else(|| self.error(start, self.at, "This does not fit the field", &[]))
    }

    fn test(&mut self, field: &'static Field) -> Result<Test> {
        let start = self.at;
        let comparison = COMPARISONS.into_iter().find(|sign| self.rest().starts_with(sign));
        self.at += comparison.map_or(0, str::len);
        let raw = self.value(field)?;
        let keyword = |word: &str| comparison.is_none() && !raw.quoted && raw.text.eq_ignore_ascii_case(word);
        if keyword("none") {
            return Ok(Test::Missing);
        }
        if keyword("any") {
            return Ok(Test::Known);
        }
        let orders = comparison.is_some_and(|sign| sign != "=");
        match field.kind {
            Kind::Text | Kind::Choice(_) | Kind::Key if orders => {
                let message = format!("`{}` is not a number and has no order", field.name);
                Err(self.error(start, raw.start, message, &["=", "a value"]))
            }
            Kind::Text if comparison.is_some() => Ok(Test::Is(raw.text)),
            Kind::Text => Ok(Test::Contains(raw.text)),
            Kind::Choice(options) => self.choice(field, options, &raw),
            Kind::Key => Key::read(&raw.text).map(Test::Key).ok_or_else(|| {
                let message = format!("`{}` is not a key", raw.text.escape_debug());
                self.error(raw.start, raw.end, message, &["A to G with # or b", "m for minor", "1A to 12B"])
            }),
            Kind::Number(_) | Kind::Duration | Kind::Date => self.numbers(field, comparison, &raw),
        }
    }

    fn choice(&self, field: &Field, options: &[&str], raw: &Raw) -> Result<Test> {
        if let Some(&option) = options.iter().find(|option| option.eq_ignore_ascii_case(&raw.text)) {
            return Ok(Test::Is(option.to_owned()));
        }
        let message = format!("`{}` cannot be `{}`", field.name, raw.text.escape_debug());
        let mut error = self.error(raw.start, raw.end, message, options);
        error.nearest = nearest_name(&raw.text.to_ascii_lowercase(), options.iter().copied()).map(str::to_owned);
        Err(error)
    }

    fn numbers(&self, field: &Field, comparison: Option<&str>, raw: &Raw) -> Result<Test> {
        let number = |text: &str, offset: usize| {
            Number::read(text, field).ok_or_else(|| {
                // For a quoted value the whole value is marked, because escapes shift positions within it.
                let (start, end) = if raw.quoted {
                    (raw.start, raw.end)
                } else {
                    (raw.start + offset, raw.start + offset + text.len())
                };
                let message = if text.trim().is_empty() {
                    format!("`{}` needs a value here", field.name)
                } else {
                    format!("`{}` is not a value of `{}`", text.escape_debug(), field.name)
                };
                let allowed = written(field);
                self.error(start, end, message, &allowed.iter().map(String::as_str).collect::<Vec<_>>())
            })
        };
        if let Some(sign) = comparison {
            let number = number(&raw.text, 0)?;
            return Ok(match sign {
                "<" => Test::Below(number),
                "<=" => Test::AtMost(number),
                ">" => Test::Above(number),
                ">=" => Test::AtLeast(number),
                _ => Test::Equal(number),
            });
        }
        let Some((from, to)) = raw.text.split_once("..") else { return number(&raw.text, 0).map(Test::Equal) };
        let second = from.len() + 2;
        if to.is_empty() && !from.is_empty() {
            return number(from, 0).map(Test::AtLeast);
        }
        if from.is_empty() && !to.is_empty() {
            return number(to, second).map(Test::AtMost);
        }
        let (from, to) = (number(from, 0)?, number(to, second)?);
        if from.value() > to.value() {
            let allowed = format!("{to}..{from}");
            return Err(self.error(raw.start, raw.end, "This range ends before it starts", &[&allowed]));
        }
        Ok(Test::Between(from, to))
    }

    /// Parses a value: quoted, or up to the next space, bracket, quote, bar or comma.
    fn value(&mut self, field: &Field) -> Result<Raw> {
        let start = self.at;
        let quoted = self.peek() == Some('"');
        let text = if quoted {
            self.quoted()?
        } else {
            let text = self.bare(|c| is_delimiter(c) || c == ',').to_owned();
            self.at += text.len();
            text
        };
        if text.trim().is_empty() {
            let allowed = [field.example, "none", "any"];
            let end = self.at.max(start + usize::from(self.peek().is_some()));
            return Err(self.error(start, end, format!("`{}` needs a value here", field.name), &allowed));
        }
        Ok(Raw { start, end: self.at, text, quoted })
    }

    /// Parses quoted text, starting at its opening quote. A backslash that escapes nothing is literal, as in Windows
    /// paths.
    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start + 1..].char_indices().peekable();
        while let Some((offset, c)) = characters.next() {
            match (c, characters.peek()) {
                ('"', _) => {
                    self.at = start + 1 + offset + 1;
                    return Ok(text);
                }
                ('\\', Some(&(_, escaped @ ('"' | '\\')))) => {
                    characters.next();
                    text.push(escaped);
                }
                _ => text.push(c),
            }
        }
        Err(self.error(start, self.text.len(), "The quotation mark is not closed", &["\""]))
    }
}

/// Returns whether a character ends a word.
fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '"' | '|')
}

/// Returns examples of how the values of a field may be written.
fn written(field: &Field) -> Vec<String> {
    match field.kind {
        Kind::Duration => ["3:00", "1:02:03", "90s", "2.5min", "1h"].map(str::to_owned).to_vec(),
        Kind::Date => ["2026", "2026-03", "2026-03-14"].map(str::to_owned).to_vec(),
        Kind::Number(units) => {
            let units = units.iter().map(|unit| format!("a number in {}", unit.name));
            std::iter::once("a number".to_owned()).chain(units).chain([field.example.to_owned()]).collect()
        }
        Kind::Text | Kind::Choice(_) | Kind::Key => vec![field.example.to_owned()],
    }
}
