//! Parses tokens into a chain by recursive descent.

use super::arguments::{Given, checked};
use super::lexer::{Kind, Token, error_at, tokens};
use super::{MAX_DEPTH, MAX_NODES};
use crate::chain::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use crate::chain::wrap::{Attribute, wrap};
use crate::{EffectSpec, Note, Unit, number_in, parse_decimal};
use base::error::NotationError;

type Parsed<T> = Result<T, NotationError>;

/// Words that are followed by a bracket but are not effects.
const WRAPPERS: [&str; 4] = ["off", "mix", "label", "during"];

pub(super) fn parse(text: &str) -> Parsed<Chain> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, depth: 0 };
    if parser.peek().kind == Kind::End {
        return Ok(Chain::default());
    }
    let nodes = parser.series()?;
    if parser.peek().kind != Kind::End {
        return Err(parser.unexpected("Expected `|`, `+` or the end of the chain", &["|", "+", "the end"]));
    }
    let mut chain = Chain::new(nodes);
    if chain.walk().count() > MAX_NODES {
        let allowed = vec![format!("at most {MAX_NODES} effects and groups")];
        return Err(error_at(text, text.len(), text.len(), "The chain is too long", allowed));
    }
    chain.renumber(NodeId(1));
    Ok(chain)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &Token {
        // The last token is `End`; nothing moves past it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn written(&self, token: &Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn takes(&mut self, sign: char) -> bool {
        let there = self.peek().kind == Kind::Sign(sign);
        if there {
            self.next();
        }
        there
    }

    fn unexpected(&self, message: &str, allowed: &[&str]) -> NotationError {
        let token = self.peek();
        let allowed = allowed.iter().map(|&word| word.to_owned()).collect();
        error_at(self.text, token.start, token.end, message, allowed)
    }

    fn expect(&mut self, sign: char, message: &str, also: &[&str]) -> Parsed<()> {
        if self.takes(sign) {
            return Ok(());
        }
        let sign = sign.to_string();
        let allowed: Vec<&str> = std::iter::once(sign.as_str()).chain(also.iter().copied()).collect();
        Err(self.unexpected(message, &allowed))
    }

    fn series(&mut self) -> Parsed<Vec<Node>> {
        let mut nodes = vec![self.sum()?];
        while self.takes('|') {
            nodes.push(self.sum()?);
        }
        Ok(nodes)
    }

    fn sum(&mut self) -> Parsed<Node> {
        let mut nodes = vec![self.item()?];
        while self.takes('+') {
            nodes.push(self.item()?);
        }
        Ok(grouped(nodes, |nodes| NodeKind::Parallel { nodes }))
    }

    /// Parses a bracketed series. The opening bracket is already consumed.
    fn bracketed(&mut self) -> Parsed<Node> {
        Ok(grouped(self.enclosed()?, |nodes| NodeKind::Series { nodes }))
    }

    /// Parses a series up to its closing bracket.
    fn enclosed(&mut self) -> Parsed<Vec<Node>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let allowed = vec![format!("at most {MAX_DEPTH} levels of brackets")];
            let token = self.peek();
            return Err(error_at(self.text, token.start, token.end, "Brackets are nested too deeply", allowed));
        }
        let nodes = self.series()?;
        self.expect(')', "A bracket is not closed", &["|", "+"])?;
        self.depth -= 1;
        Ok(nodes)
    }

    fn item(&mut self) -> Parsed<Node> {
        if self.takes('(') {
            return self.bracketed();
        }
        if self.peek().kind != Kind::Name {
            return Err(self.unexpected("Expected an effect or a bracket", &["an effect's name", "("]));
        }
        let name = self.next();
        match self.written(&name) {
            "off" => {
                self.expect('(', "`off` needs the effect to bypass: off(...)", &[])?;
                Ok(wrapped(self.bracketed()?, Attribute::Off))
            }
            "mix" => {
                self.expect('(', "`mix` needs a percentage and an effect: mix(40 %, ...)", &[])?;
                let mix = self.share()?;
                self.expect(',', "Expected an effect after the percentage: mix(40 %, ...)", &[])?;
                Ok(wrapped(self.bracketed()?, Attribute::Mix(mix)))
            }
            "label" => {
                self.expect('(', "`label` needs a name and an effect: label(\"low cut\", ...)", &[])?;
                let Kind::Text(label) = self.peek().kind.clone() else {
                    return Err(self.unexpected("The label must be in quotes", &["\"...\""]));
                };
                self.next();
                self.expect(',', "Expected an effect after the name: label(\"low cut\", ...)", &[])?;
                Ok(wrapped(self.bracketed()?, Attribute::Label(label)))
            }
            "during" => {
                self.expect('(', "`during` needs two times and an effect: during(12.4 s, 15.2 s, ...)", &[])?;
                self.during()
            }
            word => match crate::find_by_any_name(word) {
                Some(spec) => self.effect(&name, spec),
                None => Err(self.unknown_effect(&name)),
            },
        }
    }

    /// Parses the times and the series of a part. The opening bracket is already consumed.
    fn during(&mut self) -> Parsed<Node> {
        let start = self.peek().start;
        let mut span = TimeSpan::new(self.time()?, 0.0);
        self.expect(',', "Expected the end of the part: during(12.4 s, 15.2 s, ...)", &[])?;
        span.to_s = self.time()?;
        self.expect(',', "Expected an effect after the times: during(12.4 s, 15.2 s, ...)", &[])?;
        let follows = self.tokens.get(self.at + 1).map(|token| &token.kind) == Some(&Kind::Sign('='));
        if follows && self.written(self.peek()) == "fade" {
            self.next();
            self.next();
            span.fade_s = self.time()?;
            self.expect(',', "Expected an effect after the fade: during(12.4 s, 15.2 s, fade=10 ms, ...)", &[])?;
        }
        let end = self.tokens[self.at - 1].start;
        span.check()
            .map_err(|error| error_at(self.text, start, end, error.sentences().trim_end_matches('.'), Vec::new()))?;
        let nodes = self.enclosed()?;
        Ok(Node::new(NodeId(0), NodeKind::During { span, nodes }))
    }

    /// Parses a time, `12.4 s` or `12.4`.
    fn time(&mut self) -> Parsed<f64> {
        if self.peek().kind != Kind::Number {
            return Err(self.unexpected("The part needs a time", &["12.4 s"]));
        }
        let number = self.next();
        let digits = plain(self.written(&number));
        let seconds = if self.peek().kind == Kind::Name {
            let unit = self.next();
            let allowed = ["s", "ms", "min"].map(str::to_owned).to_vec();
            number_in(Unit::Seconds, &digits, self.written(&unit))
                .ok_or_else(|| error_at(self.text, unit.start, unit.end, "This is not a unit of time", allowed))?
        } else {
            parse_decimal(&digits, 0)
        };
        seconds
            .ok_or_else(|| error_at(self.text, number.start, number.end, "The time is not a finite number", Vec::new()))
    }

    fn unknown_effect(&self, name: &Token) -> NotationError {
        let word = self.written(name);
        let names = || crate::all().iter().map(|spec| spec.name).chain(WRAPPERS);
        let allowed = names().map(str::to_owned).collect();
        let mut error = error_at(self.text, name.start, name.end, format!("There is no effect `{word}`"), allowed);
        // A word for what an effect does, or a mistyped name.
        let meant = (word.len() > 2).then(|| crate::matching(word).first().map(|spec| spec.name)).flatten();
        error.nearest = meant.or_else(|| base::suggestion::nearest(word, names())).map(str::to_owned);
        error
    }

    /// Parses a share, `40 %` or `0.4`.
    fn share(&mut self) -> Parsed<f64> {
        let start = self.peek().start;
        let share = if self.peek().kind == Kind::Number {
            let number = self.next();
            let percent = self.takes('%');
            if !percent && self.peek().kind == Kind::Name {
                return Err(self.unexpected("The mix is in per cent: mix(40 %, ...)", &["%", ","]));
            }
            parse_decimal(&plain(self.written(&number)), if percent { -2 } else { 0 })
        } else {
            return Err(self.unexpected("The mix must be a number", &["0 % to 100 %"]));
        };
        let end = self.tokens[self.at - 1].end;
        share
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or_else(|| error_at(self.text, start, end, "The mix is out of range", vec!["0 % to 100 %".to_owned()]))
    }

    /// Parses an effect. Its name is already consumed.
    fn effect(&mut self, name: &Token, spec: &'static EffectSpec) -> Parsed<Node> {
        let mut given = Vec::new();
        if self.takes('(') && !self.takes(')') {
            loop {
                given.push(self.argument()?);
                if self.takes(')') {
                    break;
                }
                self.expect(',', "Expected `,` or `)` after the argument", &[")"])?;
            }
        }
        let end = self.tokens[self.at - 1].end;
        let arguments = checked(self.text, spec, (name.start, end), &given)?;
        Ok(Node::new(NodeId(0), NodeKind::Effect { effect: spec.name.to_owned(), arguments }))
    }

    fn argument(&mut self) -> Parsed<Given> {
        let mut name = None;
        let following = self.tokens.get(self.at + 1).map(|token| &token.kind);
        if self.peek().kind == Kind::Name && following == Some(&Kind::Sign('=')) {
            name = Some(self.next());
            self.next();
        }
        let mut value = self.next();
        if !matches!(value.kind, Kind::Name | Kind::Number | Kind::Text(_)) {
            let allowed = ["a number", "a word", "a quoted string"].map(str::to_owned).to_vec();
            return Err(error_at(self.text, value.start, value.end, "Expected a value", allowed));
        }
        let mut unit = None;
        if value.kind == Kind::Number {
            if self.takes('/') {
                value = self.note(&value)?;
            } else if self.takes(':') {
                value = self.ratio(&value)?;
            } else if let Kind::Name | Kind::Sign('%') = self.peek().kind {
                unit = Some(self.next());
            }
        }
        Ok(Given { name, value, unit })
    }

    /// Parses the rest of a ratio such as `4:1`. The colon is already consumed.
    fn ratio(&mut self, above: &Token) -> Parsed<Token> {
        let below = self.next();
        let number = |token: &Token| (token.kind == Kind::Number).then(|| self.written(token).parse::<f64>().ok());
        match (number(above).flatten(), number(&below).flatten()) {
            (Some(above_value), Some(below_value)) if below_value > 0.0 => {
                let kind = Kind::Ratio(above_value / below_value);
                Ok(Token { kind, start: above.start, end: below.end })
            }
            _ => {
                let allowed = vec!["4:1".to_owned()];
                Err(error_at(self.text, above.start, below.end, "This is not a ratio", allowed))
            }
        }
    }

    /// Parses the rest of a note that begins with the number `above`. The slash is already consumed.
    fn note(&mut self, above: &Token) -> Parsed<Token> {
        let mut end = self.peek().end;
        let mut note = None;
        if self.peek().kind == Kind::Number {
            let below = self.next();
            let mut letter = "";
            if self.peek().kind == Kind::Name {
                let token = self.next();
                (letter, end) = (self.written(&token), token.end);
            }
            note = Note::new(self.written(above), self.written(&below), letter);
        }
        let Some(note) = note else {
            let allowed = ["1/8", "1/8d (dotted)", "1/8t (triplet)"].map(str::to_owned).to_vec();
            return Err(error_at(self.text, above.start, end, "This is not a note", allowed));
        };
        Ok(Token { kind: Kind::Note(note.to_string()), start: above.start, end })
    }
}

/// Returns a single node as it is, several nodes as a group.
fn grouped(mut nodes: Vec<Node>, group: fn(Vec<Node>) -> NodeKind) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        last => {
            nodes.extend(last);
            Node::new(NodeId(0), group(nodes))
        }
    }
}

fn wrapped(node: Node, attribute: Attribute) -> Node {
    wrap(node, attribute, NodeId(0))
}

/// Replaces the typographic minus sign in a number by ASCII `-`.
pub(super) fn plain(number: &str) -> String {
    number.replace('\u{2212}', "-")
}
