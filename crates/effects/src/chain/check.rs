//! Checks whether a chain can run, as far as this is known before it runs.

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeKind};
use crate::Permission;
use audio::AudioFormat;
use base::error::{Error, Result};
use base::units::SampleRate;

impl Chain {
    /// Checks that every node, bypassed or not, can run on a stream of this format, and that the nodes fit together.
    ///
    /// # Errors
    /// The first problem found, with the name of the node.
    pub fn check(&self, format: AudioFormat) -> Result<()> {
        check_depth(self)?;
        series(&self.nodes, format, self.permission()).map(|_| ())
    }
}

/// Returns the format that nodes in series put out.
fn series(nodes: &[Node], format: AudioFormat, permission: &Permission) -> Result<AudioFormat> {
    nodes.iter().try_fold(format, |format, node| {
        let out = kind(node, format, permission).map_err(|error| named(node, error))?;
        let dry_is_heard = node.bypass || node.mix != 1.0;
        if node.mix != 1.0 && out != format {
            let problem = format!("Wet/dry must be 100 %, as {} becomes {}", shape(format), shape(out));
            return Err(Error::setting(title(node), problem));
        }
        if !(0.0..=1.0).contains(&node.mix) {
            return Err(Error::setting(title(node), "Wet/dry must be 0 % to 100 %"));
        }
        Ok(if dry_is_heard { format } else { out })
    })
}

fn kind(node: &Node, format: AudioFormat, permission: &Permission) -> Result<AudioFormat> {
    match &node.kind {
        NodeKind::Effect { effect, arguments } => {
            let effect = crate::known(effect)?.make_with(arguments, permission)?;
            effect.stage(format, None)?;
            let hz = format.rate.as_f64() * effect.time_map(format).rate_ratio;
            let out = AudioFormat::new(SampleRate::new(hz.round() as u32)?, effect.channels_out(format.channels)?);
            Ok(out.with_layout(effect.layout_out(format)))
        }
        NodeKind::Series { nodes } | NodeKind::During { nodes, .. } if nodes.is_empty() => Err(empty()),
        NodeKind::Series { nodes } => series(nodes, format, permission),
        NodeKind::Parallel { nodes } => {
            let mut out = None;
            for node in nodes {
                let branch = series(std::slice::from_ref(node), format, permission)?;
                let first = *out.get_or_insert(branch);
                if first != branch {
                    let problem = format!(
                        "All branches of a parallel group must put out {}, as the first one does, not {}",
                        shape(first),
                        shape(branch)
                    );
                    return Err(Error::setting(title(node), problem));
                }
            }
            out.ok_or_else(empty)
        }
        NodeKind::During { span, nodes } => {
            span.check()?;
            if nodes.iter().any(holds_part) {
                return Err(Error::setting(title(node), "It cannot hold another part"));
            }
            let out = series(nodes, format, permission)?;
            if out == format {
                return Ok(out);
            }
            let problem = format!("What acts on a part must put out {}, not {}", shape(format), shape(out));
            Err(Error::setting(title(node), problem))
        }
    }
}

fn holds_part(node: &Node) -> bool {
    matches!(node.kind, NodeKind::During { .. }) || node.children().iter().any(holds_part)
}

fn empty() -> Error {
    Error::impossible("A group of the chain is empty. Remove it, or put an effect into it.")
}

fn shape(format: AudioFormat) -> String {
    format!("{} channels at {}", format.channels, format.rate)
}

/// Returns the user's name of the node, or the title of its effect.
fn title(node: &Node) -> String {
    match &node.label {
        Some(label) => format!("\u{201c}{label}\u{201d}"),
        None if matches!(node.kind, NodeKind::During { .. }) => "Part".to_owned(),
        None => crate::find(node.name()).map_or("Group", |spec| spec.title).to_owned(),
    }
}

/// Names the owner of a problem by the node's label. Without a label, the effect's title stays.
fn named(node: &Node, error: Error) -> Error {
    match error {
        Error::Setting { problem, .. } if node.label.is_some() => Error::setting(title(node), problem),
        Error::Invalid { .. } => Error::setting(title(node), error.sentences()),
        other => other,
    }
}
