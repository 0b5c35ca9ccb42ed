//! Chains written in Rust, with the operators of the notation: `|` in series, `+` in parallel.
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
//! Nothing is checked until [`Piece::chain`].

use std::ops::{Add, BitOr};

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeId, NodeKind};
use super::wrap::{Attribute, tidied, wrap};
use crate::effects::{self, Arguments, Unit, Value};
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

    /// Sets the order.
    pub fn order(self, order: u32) -> Self {
        self.with("order", f64::from(order))
    }

    /// Sets Q.
    pub fn q(self, q: f64) -> Self {
        self.with("q", q)
    }

    /// Passes it over.
    pub fn off(self) -> Self {
        self.wrapped(Attribute::Off)
    }

    /// So much of it, 0..1, the rest its input.
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
            *arguments = effects::known(effect)?.arguments(arguments)?;
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

/// Butterworth low-pass; the order is 2 until it is set.
pub fn lowpass(cutoff_hz: f64) -> Piece {
    effect("lowpass").with("cutoff", cutoff_hz)
}

/// Butterworth high-pass; the order is 2 until it is set.
pub fn highpass(cutoff_hz: f64) -> Piece {
    effect("highpass").with("cutoff", cutoff_hz)
}

/// Butterworth band-pass; the prototype's order is 2 until it is set.
pub fn bandpass(low_hz: f64, high_hz: f64) -> Piece {
    effect("bandpass").with("low", low_hz).with("high", high_hz)
}

/// Butterworth band-stop; the prototype's order is 2 until it is set.
pub fn bandstop(low_hz: f64, high_hz: f64) -> Piece {
    effect("bandstop").with("low", low_hz).with("high", high_hz)
}

/// The cookbook's low-pass; Q is 0.7071 until it is set.
pub fn rbj_lowpass(cutoff_hz: f64) -> Piece {
    effect("rbj_lowpass").with("cutoff", cutoff_hz)
}

/// The cookbook's high-pass; Q is 0.7071 until it is set.
pub fn rbj_highpass(cutoff_hz: f64) -> Piece {
    effect("rbj_highpass").with("cutoff", cutoff_hz)
}

/// The cookbook's band-pass, its skirts kept; `.with("peak", "unity")` keeps its peak.
pub fn rbj_bandpass(center_hz: f64, q: f64) -> Piece {
    effect("rbj_bandpass").with("center", center_hz).q(q)
}

/// Notch.
pub fn notch(center_hz: f64, q: f64) -> Piece {
    effect("notch").with("center", center_hz).q(q)
}

/// All-pass.
pub fn allpass(center_hz: f64, q: f64) -> Piece {
    effect("allpass").with("center", center_hz).q(q)
}

/// Peaking equaliser.
pub fn peaking(center_hz: f64, q: f64, gain_db: f64) -> Piece {
    effect("peaking").with("center", center_hz).q(q).with("gain", gain_db)
}

/// Low shelf; Q is 0.7071 until it is set.
pub fn low_shelf(cutoff_hz: f64, gain_db: f64) -> Piece {
    effect("low_shelf").with("cutoff", cutoff_hz).with("gain", gain_db)
}

/// High shelf; Q is 0.7071 until it is set.
pub fn high_shelf(cutoff_hz: f64, gain_db: f64) -> Piece {
    effect("high_shelf").with("cutoff", cutoff_hz).with("gain", gain_db)
}

/// Gain.
pub fn gain(gain_db: f64) -> Piece {
    effect("gain").with("gain", gain_db)
}

/// Normalise to a peak of -1 dB, all channels by one gain; `.with("target", -3.0)` and `.with("mode", "per_channel")`
/// change that.
pub fn normalize() -> Piece {
    effect("normalize")
}
