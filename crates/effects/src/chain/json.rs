//! Chains as versioned JSON, the format of presets and sessions.
//!
//! ```json
//! {"version": 2, "chain": {"nodes": [{"id": 1, "bypass": false, "mix": 1.0, "label": "low cut",
//!     "kind": "effect", "effect": "highpass", "arguments": {"cutoff": 80.0, "order": 4.0, "design": "butterworth"}}]}}
//! ```

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::edit::check_depth;
use super::graph::{Chain, Node, NodeKind};
use super::wrap::tidied;
use base::error::{Error, Result};

/// The version that is written, and the latest version that is read. Version 1 had no parts (`during`).
pub const VERSION: u32 = 2;

/// The highest identity accepted when reading.
const MAX_ID: u32 = 1 << 30;

#[derive(Serialize)]
struct WrittenChain<'a> {
    version: u32,
    chain: &'a Chain,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

#[derive(Deserialize)]
struct Read {
    chain: Chain,
}

/// Writes the chain as a JSON document of [`VERSION`], including the identities of its nodes.
pub fn to_json(chain: &Chain) -> Result<String> {
    serde_json::to_string(&WrittenChain { version: VERSION, chain })
        .map_err(|error| Error::Internal(format!("a chain could not be written as JSON: {error}")))
}

/// Reads a chain from a JSON document and checks it: every effect is known, arguments are valid, identities are unique.
/// Fills in defaults.
pub fn from_json(text: &str) -> Result<Chain> {
    let stored = |error: serde_json::Error| Error::Stored(format!("This is not a chain: {error}"));
    let Version { version } = serde_json::from_str(text).map_err(stored)?;
    if version == 0 {
        return Err(Error::Stored("This is not a chain: there is no format 0".to_owned()));
    }
    if version > VERSION {
        return Err(Error::Stored(format!(
            "A newer version of Undertone wrote this chain (format {version}, this one knows {VERSION}). Update Undertone"
        )));
    }
    let Read { mut chain } = serde_json::from_str(text).map_err(stored)?;
    check(&mut chain).map_err(|error| match error {
        Error::Stored(message) => Error::Stored(message),
        other => Error::Stored(other.to_string()),
    })?;
    Ok(chain)
}

/// Checks a chain that was read, and fills in its defaults.
pub fn check(chain: &mut Chain) -> Result<()> {
    let mut seen = HashSet::new();
    if let Some(twice) = chain.walk().find(|node| !seen.insert(node.id)) {
        return Err(Error::Stored(format!("Two effects of the chain have the number {}", twice.id.0)));
    }
    // Leave room above for the identities of later edits.
    if let Some(beyond) = chain.walk().find(|node| node.id.0 > MAX_ID) {
        return Err(Error::Stored(format!("An effect of the chain has the number {}, above {MAX_ID}", beyond.id.0)));
    }
    complete(&mut chain.nodes)?;
    chain.nodes = tidied(std::mem::take(&mut chain.nodes));
    check_depth(chain)
}

/// Checks every node and fills in its defaults.
fn complete(nodes: &mut [Node]) -> Result<()> {
    for node in nodes {
        if !(0.0..=1.0).contains(&node.mix) {
            return Err(Error::invalid(format!("wet/dry of {}", node.name()), node.mix.to_string(), "0 to 1"));
        }
        if let NodeKind::Effect { effect, arguments } = &mut node.kind {
            *arguments = crate::known(effect)?.arguments(arguments)?;
        } else if node.children().is_empty() {
            return Err(Error::impossible(format!("A group ({}) is empty. Put an effect into it.", node.name())));
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
