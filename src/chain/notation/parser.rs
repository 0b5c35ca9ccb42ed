//! Parses tokens into a chain by recursive descent.

use super::arguments::{Given, checked};
use super::lexer::{Kind, Token, error_at, tokens};
use super::{MAX_DEPTH, MAX_NODES};
use crate::chain::graph::{Chain, Node, NodeId, NodeKind};
use crate::chain::wrap::{Attribute, wrap};
use crate::effects::{self, EffectSpec, Note, Unit, parse_decimal};
use crate::error::NotationError;

type Parsed<T> = Result<T, NotationError>;

/// Words that are followed by a bracket but are not effects.
const WRAPPERS: [&str; 3] = ["off", "mix", "label"];

pub(super) fn parse(text: &str) -> Parsed<Chain> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, depth: 0 };
    if parser.peek().kind == Kind::End {
        return Ok(Chain::default());
    }
    let nodes = parser.series()?;
    if parser.peek().kind != Kind::End {
        return Err(parser.unexpected("Expected `|`, `+` or the end of the chain", &["|", "+", "the end"]));
    }
    let mut chain = Chain { nodes };
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
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let allowed = vec![format!("at most {MAX_DEPTH} levels of brackets")];
            let token = self.peek();
            return Err(error_at(self.text, token.start, token.end, "Brackets are nested too deeply", allowed));
        }
        let nodes = self.series()?;
        self.expect(')', "A bracket is not closed", &["|", "+"])?;
        self.depth -= 1;
        Ok(grouped(nodes, |nodes| NodeKind::Series { nodes }))
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
            word => match effects::find(word) {
                Some(spec) => self.effect(&name, spec),
                None => Err(self.unknown_effect(&name)),
            },
        }
    }

    fn unknown_effect(&self, name: &Token) -> NotationError {
        let word = self.written(name);
        let names = || effects::all().iter().map(|spec| spec.name).chain(WRAPPERS);
        let allowed = names().map(str::to_owned).collect();
        let mut error = error_at(self.text, name.start, name.end, format!("There is no effect `{word}`"), allowed);
        error.nearest = effects::nearest(word, names()).map(str::to_owned);
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
            } else if let Kind::Name | Kind::Sign('%') = self.peek().kind {
                unit = Some(self.next());
            }
        }
        Ok(Given { name, value, unit })
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

/// Returns the power of ten of a unit's spelling, ignoring case; `None` if it is not a spelling of the unit.
pub(super) fn unit_power(unit: Unit, spelling: &str) -> Option<i32> {
    unit.spellings().iter().find(|(known, _)| known.eq_ignore_ascii_case(spelling)).map(|(_, power)| *power)
}
