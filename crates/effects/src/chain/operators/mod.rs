//! Builds chains in Rust with the operators of the notation: `|` in series, `+` in parallel.
//!
//! A [`Wave`] holds sound in memory. Applying a chain to it gives another wave:
//!
//! ```
//! use effects::chain::operators::{Wave, highpass, lowpass, reverb};
//!
//! let wave = Wave::from_channels(48_000, vec![vec![0.5; 4800]; 2])?;
//! let out = wave | (highpass(80.0) + lowpass(200.0)) | reverb().room(0.7).effect_mix(0.2);
//! let wave = out.render()?;
//! assert_eq!(wave.audio.frames(), 4800);
//! # Ok::<(), base::error::Error>(())
//! ```
//!
//! Every effect has a constructor here that takes the required arguments, and every parameter has a method. Both are
//! generated from the registry of effects. The resulting chain equals the one parsed from the corresponding text:
//!
//! ```
//! use effects::chain::Chain;
//! use effects::chain::operators::{gain, highpass, normalize, peaking};
//!
//! let chain = (highpass(80.0).order(4) | (peaking(1000.0, 2.0, 3.0) + gain(-6.0).mix(0.4)) | normalize()).chain()?;
//! let text = "highpass(80 Hz, order=4) | (peaking(1 kHz, q=2, gain=3 dB) + mix(40 %, gain(-6 dB))) | normalize";
//! assert_eq!(chain, text.parse::<Chain>()?);
//! # Ok::<(), base::error::Error>(())
//! ```
//!
//! Parameters are set by methods with their names:
//!
//! ```
//! # use effects::chain::{Chain, operators::*};
//! let chain = (highpass(80.0).order(4) | lowpass(12_000.0).design("bessel")).chain()?;
//! assert_eq!(chain, "highpass(80 Hz, order=4) | lowpass(12 kHz, design=bessel)".parse::<Chain>()?);
//! let chain = delay("1/8d").bpm(96.0).feedback(0.5).mode("ping_pong").chain()?;
//! assert_eq!(chain, "delay(1/8d, bpm=96, feedback=50 %, mode=ping_pong)".parse::<Chain>()?);
//! # Ok::<(), base::error::Error>(())
//! ```
//!
//! Nothing is checked before [`ChainBuilder::chain`] or [`Through::render`].

#[allow(clippy::doc_markdown, reason = "the documentation of effects is quoted")]
mod generated;
mod macros;
#[cfg(test)]
mod tests;
mod wave;

pub use generated::*;
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

    /// Mixes this share of it, 0..=1, with its input: `mix(40 %, ...)`. [`ChainBuilder::effect_mix`] sets the parameter `mix`
    /// that an effect such as a reverb has itself.
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
        let mut chain = Chain { nodes: tidied(nodes) };
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
