//! Checks whether a chain can run live.

use audio::AudioFormat;
use base::error::{Error, Result};
use effects;
use effects::chain::{Chain, MeasuredMap, Node, NodeKind, Plan};

/// Checks that a chain can run live: it knows nothing of the whole signal and keeps time and rate.
///
/// # Errors
/// [`Error::Impossible`] with the effect that cannot run live, and why.
pub fn check_live(chain: &Chain, input: AudioFormat) -> Result<()> {
    let is_part = |node: &Node| matches!(node.kind, NodeKind::During { .. });
    if find(&chain.nodes, &is_part).is_some() {
        return Err(Error::impossible(
            "Effects on a part of a recording have no time in live sound, so they cannot run live. Remove or bypass them",
        ));
    }
    let plan = Plan::new(chain, input, &MeasuredMap::default())?;
    if let Some(need) = plan.needs.first() {
        let name = find(&chain.nodes, &|node| node.id == need.node).map_or("An effect", title);
        return Err(Error::impossible(format!(
            "{name} has to know the whole recording before its first sample, so it cannot run live. Remove or bypass it"
        )));
    }
    if plan.keeps_time && plan.length.is_none() && plan.output.rate == input.rate {
        return Ok(());
    }
    let changes = |node: &Node| {
        let alone = chain.with_nodes(vec![node.clone()]);
        node.children().is_empty()
            && Plan::new(&alone, input, &MeasuredMap::default())
                .is_ok_and(|plan| !plan.keeps_time || plan.length.is_some() || plan.output.rate != input.rate)
    };
    let name = find(&chain.nodes, &changes).map_or("An effect", title);
    Err(Error::impossible(format!(
        "{name} changes the length or the rate of the sound, so it cannot run live. Remove or bypass it"
    )))
}

/// Returns the first node that is wanted, of those that are not bypassed.
fn find<'a>(nodes: &'a [Node], wanted: &dyn Fn(&Node) -> bool) -> Option<&'a Node> {
    let mut active = nodes.iter().filter(|node| !node.bypass);
    active.find_map(|node| if wanted(node) { Some(node) } else { find(node.children(), wanted) })
}

fn title(node: &Node) -> &str {
    match &node.kind {
        NodeKind::Effect { effect, .. } => effects::find(effect).map_or(effect, |spec| spec.title),
        _ => node.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    fn checked(chain: &str) -> Result<()> {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
        check_live(&chain.parse().unwrap(), format)
    }

    #[test]
    fn what_needs_the_whole_signal_or_changes_time_is_refused_by_name() {
        for fits in [
            "",
            "highpass(80 Hz) | gain(-3 dB)",
            "off(normalize(-1 dB))",
            "off(during(1 s, 2 s, gain(1 dB)))",
            "limiter(-1 dB) + delay(20 ms)",
        ] {
            checked(fits).unwrap();
        }
        for (chain, name) in [
            ("gain(-3 dB) | normalize(-1 dB)", "normali"),
            ("highpass(80 Hz) | (gain(1 dB) | time_stretch(2))", "stretch"),
            ("resample(44100 Hz)", "rate"),
            ("gain(1 dB) | during(1 s, 2 s, gain(-3 dB))", "part"),
        ] {
            let told = checked(chain).unwrap_err().to_string();
            assert!(told.to_lowercase().contains(name) && told.contains("cannot run live"), "{chain}: {told}");
        }
    }
}
