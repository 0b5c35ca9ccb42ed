//! Builds chains in Rust with the operators of the notation: `|` in series, `+` in parallel.
//!
//! A [`Wave`] holds sound in memory. Applying a chain to it gives another wave:
//!
//! ```
//! use effects::chain::operators::{Wave, effect};
//!
//! let wave = Wave::from_channels(48_000, vec![vec![0.5; 4800]; 2])?;
//! let split = effect("highpass").with("cutoff", 80.0) + effect("lowpass").with("cutoff", 200.0);
//! let out = wave | split | effect("reverb").with("room", 0.7).mix(0.2);
//! let wave = out.render()?;
//! assert_eq!(wave.audio.frames(), 4800);
//! # Ok::<(), base::error::Error>(())
//! ```
//!
//! Effects and their parameters have the names of the notation; values are in hertz, seconds and decibels, shares from 0
//! to 1, and words or notes as text. The resulting chain equals the one parsed from the corresponding text:
//!
//! ```
//! use effects::chain::Chain;
//! use effects::chain::operators::effect;
//!
//! let low_cut = effect("highpass").with("cutoff", 80.0).with("order", 4);
//! let echo = effect("delay").with("time", "1/8d").with("bpm", 96.0).with("mode", "ping_pong");
//! let chain = (low_cut | (echo + effect("gain").with("gain", -6.0).mix(0.4)) | effect("normalize")).chain()?;
//! let text = "highpass(80 Hz, order=4) | (delay(1/8d, bpm=96, mode=ping_pong) + mix(40 %, gain(-6 dB))) | normalize";
//! assert_eq!(chain, text.parse::<Chain>()?);
//! # Ok::<(), base::error::Error>(())
//! ```
//!
//! Nothing is checked before [`ChainBuilder::chain`] or [`Through::render`].

#[cfg(test)]
mod tests;
mod wave;

pub use wave::{Through, Wave};

use std::ops::{Add, BitOr};

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use super::wrap::{Attribute, tidied, wrap};
use crate::{Arguments, Unit, Value, known};
use base::error::{Error, Result};

/// A part of a chain.
#[derive(Clone, Debug)]
#[must_use]
pub struct ChainBuilder {
    node: Node,
    /// Whether it is bracketed, so that a further operator does not extend its group.
    closed: bool,
}

impl ChainBuilder {
    fn of(kind: NodeKind) -> Self {
        Self { node: Node::new(NodeId(0), kind), closed: false }
    }

    /// Sets an argument by name.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let NodeKind::Effect { arguments, .. } = &mut self.node.kind {
            arguments.set(name, value);
        }
        self
    }

    /// Bypasses it.
    pub fn off(self) -> Self {
        self.wrapped(Attribute::Off)
    }

    /// Mixes this share of it, 0..=1, with its input: `mix(40 %, ...)`. Where an effect has a parameter `mix` itself, such
    /// as a reverb, that one is set by `with("mix", ...)`.
    pub fn mix(self, share: f64) -> Self {
        self.wrapped(Attribute::Mix(share))
    }

    /// Labels it.
    pub fn label(self, label: &str) -> Self {
        self.wrapped(Attribute::Label(label.to_owned()))
    }

    /// Lets it act on a part of the recording, in seconds, with the usual cross-fades: `during(12.4 s, 15.2 s, ...)`.
    pub fn during(self, from_s: f64, to_s: f64) -> Self {
        let nodes = match (self.closed, self.node) {
            (false, Node { kind: NodeKind::Series { nodes }, .. }) => nodes,
            (_, node) => vec![node],
        };
        Self { node: Node::new(NodeId(0), NodeKind::During { span: TimeSpan::new(from_s, to_s), nodes }), closed: true }
    }

    /// Puts it in brackets: `(a | b).group() | c` is `(a | b) | c`, a group and a node.
    pub fn group(mut self) -> Self {
        self.closed = true;
        self
    }

    fn wrapped(self, attribute: Attribute) -> Self {
        Self { node: wrap(self.node, attribute, NodeId(0)), closed: true }
    }

    /// Returns the chain, checked like its text.
    pub fn chain(self) -> Result<Chain> {
        let nodes = match (self.closed, self.node) {
            (false, Node { kind: NodeKind::Series { nodes }, .. }) => nodes,
            (_, node) => vec![node],
        };
        let mut chain = Chain::new(tidied(nodes));
        complete(&mut chain.nodes)?;
        check_depth(&chain)?;
        chain.renumber(NodeId(1));
        Ok(chain)
    }
}

impl BitOr for ChainBuilder {
    type Output = Self;

    fn bitor(self, next: Self) -> Self {
        let mut nodes = match self {
            Self { closed: false, node: Node { kind: NodeKind::Series { nodes }, .. } } => nodes,
            other => vec![other.node],
        };
        nodes.push(next.node);
        Self::of(NodeKind::Series { nodes })
    }
}

impl Add for ChainBuilder {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let mut nodes = match self {
            Self { closed: false, node: Node { kind: NodeKind::Parallel { nodes }, .. } } => nodes,
            other => vec![other.node],
        };
        nodes.push(other.node);
        Self::of(NodeKind::Parallel { nodes })
    }
}

fn complete(nodes: &mut [Node]) -> Result<()> {
    for node in nodes {
        if !(0.0..=1.0).contains(&node.mix) {
            return Err(Error::invalid("wet/dry", Unit::Percent.written(node.mix), "0 % to 100 %"));
        }
        if let NodeKind::Effect { effect, arguments } = &mut node.kind {
            *arguments = known(effect)?.arguments(arguments)?;
        }
        if let NodeKind::During { span, .. } = &node.kind {
            span.check()?;
        }
        if let Some(children) = node.children_mut() {
            complete(children)?;
        }
    }
    Ok(())
}

/// Returns an effect by its name in the notation, without arguments.
pub fn effect(name: &str) -> ChainBuilder {
    ChainBuilder::of(NodeKind::Effect { effect: name.to_owned(), arguments: Arguments::default() })
}
