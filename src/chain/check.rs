//! Checks whether a chain can run, as far as this is known before it runs.

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeKind};
use crate::audio::AudioFormat;
use crate::effects;
use crate::error::{Error, Result};
use crate::units::SampleRate;

impl Chain {
    /// Checks that every node, bypassed or not, can run on a stream of this format, and that the nodes fit together.
    ///
    /// # Errors
    /// The first problem found, with the name of the node.
    pub fn check(&self, format: AudioFormat) -> Result<()> {
        check_depth(self)?;
        series(&self.nodes, format).map(|_| ())
    }
}

/// Returns the format that nodes in series put out.
fn series(nodes: &[Node], format: AudioFormat) -> Result<AudioFormat> {
    nodes.iter().try_fold(format, |format, node| {
        let out = kind(node, format).map_err(|error| named(node, error))?;
        let dry_is_heard = node.bypass || node.mix != 1.0;
        if node.mix != 1.0 && out != format {
            let allowed = format!("as much as goes in, {}", shape(format));
            return Err(named(node, Error::invalid("mix with what comes out", shape(out), allowed)));
        }
        if !(0.0..=1.0).contains(&node.mix) {
            return Err(named(node, Error::invalid("mix", node.mix.to_string(), "0 to 1")));
        }
        Ok(if dry_is_heard { format } else { out })
    })
}

fn kind(node: &Node, format: AudioFormat) -> Result<AudioFormat> {
    match &node.kind {
        NodeKind::Effect { effect, arguments } => {
            let effect = effects::known(effect)?.make(arguments)?;
            effect.stage(format, None)?;
            let hz = format.rate.as_f64() * effect.time_map(format).rate_ratio;
            Ok(AudioFormat {
                rate: SampleRate::new(hz.round() as u32)?,
                channels: effect.channels_out(format.channels)?,
            })
        }
        NodeKind::Series { nodes } if nodes.is_empty() => Err(empty()),
        NodeKind::Series { nodes } => series(nodes, format),
        NodeKind::Parallel { nodes } => {
            let mut out = None;
            for node in nodes {
                let branch = series(std::slice::from_ref(node), format)?;
                let first = *out.get_or_insert(branch);
                if first != branch {
                    return Err(named(node, Error::invalid("branch of a sum", shape(branch), shape(first))));
                }
            }
            out.ok_or_else(empty)
        }
    }
}

fn empty() -> Error {
    Error::invalid("group", "no nodes", "at least one node")
}

fn shape(format: AudioFormat) -> String {
    format!("{} channels at {}", format.channels, format.rate)
}

/// Prefixes an error with the node's label. Without a label, prefixes it with the effect's name unless it starts with
/// it.
fn named(node: &Node, error: Error) -> Error {
    match (&node.label, error) {
        (Some(label), Error::Invalid { what, got, allowed }) => {
            Error::invalid(format!("\u{201c}{label}\u{201d}: {what}"), got, allowed)
        }
        (None, Error::Invalid { what, got, allowed }) if !what.starts_with(node.name()) => {
            Error::invalid(format!("{}: {what}", node.name()), got, allowed)
        }
        (_, error) => error,
    }
}
