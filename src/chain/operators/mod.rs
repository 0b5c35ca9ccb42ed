//! Chains written in Rust, with the operators of the notation: `|` in series, `+` in parallel.
//!
//! A [`Wave`] is sound in memory; through a chain it becomes another one:
//!
//! ```
//! use undertone::chain::operators::{Wave, highpass, lowpass, reverb};
//!
//! let wave = Wave::from_channels(48_000, vec![vec![0.5; 4800]; 2])?;
//! let out = wave | (highpass(80.0) + lowpass(200.0)) | reverb().room(0.7).effect_mix(0.2);
//! let wave = out.render()?;
//! assert_eq!(wave.audio.frames(), 4800);
//! # Ok::<(), undertone::Error>(())
//! ```
//!
//! Every effect has a constructor here, whose arguments are what must be given, and every parameter a method; a chain of
//! them is the one that its text is:
//!
//! ```
//! use undertone::chain::Chain;
//! use undertone::chain::operators::{gain, highpass, normalize, peaking};
//!
//! let chain = (highpass(80.0).order(4) | (peaking(1000.0, 2.0, 3.0) + gain(-6.0).mix(0.4)) | normalize()).chain()?;
//! let text = "highpass(80 Hz, order=4) | (peaking(1 kHz, q=2, gain=3 dB) + mix(40 %, gain(-6 dB))) | normalize";
//! assert_eq!(chain, text.parse::<Chain>()?);
//! # Ok::<(), undertone::Error>(())
//! ```
//!
//! Nothing is checked until [`Piece::chain`] or [`Through::render`].

mod effects;
mod parameters;
#[cfg(test)]
mod tests;
mod wave;

pub use effects::*;
pub use wave::{Through, Wave};

use std::ops::{Add, BitOr};

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeId, NodeKind};
use super::wrap::{Attribute, tidied, wrap};
use crate::effects::{Arguments, Unit, Value, known};
use crate::error::{Error, Result};

/// A part of a chain.
#[derive(Clone, Debug)]
#[must_use]
pub struct Piece {
    node: Node,
    /// Whether brackets are closed around it, so that a further operator does not reach inside.
    closed: bool,
}

impl Piece {
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

    /// Passes it over.
    pub fn off(self) -> Self {
        self.wrapped(Attribute::Off)
    }

    /// So much of it, 0..1, the rest its input: `mix(40 %, ...)`. The parameter `mix` of an effect itself, as a reverb has
    /// it, is set by [`Piece::effect_mix`].
    pub fn mix(self, share: f64) -> Self {
        self.wrapped(Attribute::Mix(share))
    }

    /// Names it.
    pub fn label(self, label: &str) -> Self {
        self.wrapped(Attribute::Label(label.to_owned()))
    }

    /// Brackets around it: `(a | b).group() | c` is `(a | b) | c`, a group and a node.
    pub fn group(mut self) -> Self {
        self.closed = true;
        self
    }

    fn wrapped(self, attribute: Attribute) -> Self {
        Self { node: wrap(self.node, attribute, NodeId(0)), closed: true }
    }

    /// The chain, checked as its text would be.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an argument that is not allowed, [`Error::Limit`] for too deep a nesting.
    pub fn chain(self) -> Result<Chain> {
        let nodes = match (self.closed, self.node) {
            (false, Node { kind: NodeKind::Series { nodes }, .. }) => nodes,
            (_, node) => vec![node],
        };
        let mut chain = Chain { nodes: tidied(nodes) };
        complete(&mut chain.nodes)?;
        check_depth(&chain)?;
        chain.renumber(NodeId(1));
        Ok(chain)
    }
}

impl BitOr for Piece {
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

impl Add for Piece {
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
            return Err(Error::invalid("mix", Unit::Percent.written(node.mix), "0 % to 100 %"));
        }
        if let NodeKind::Effect { effect, arguments } = &mut node.kind {
            *arguments = known(effect)?.arguments(arguments)?;
        }
        if let Some(children) = node.children_mut() {
            complete(children)?;
        }
    }
    Ok(())
}

/// Any effect by its name in the notation, with no arguments yet.
pub fn effect(name: &str) -> Piece {
    Piece::of(NodeKind::Effect { effect: name.to_owned(), arguments: Arguments::default() })
}
