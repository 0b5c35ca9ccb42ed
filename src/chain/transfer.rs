//! The static curve of what acts on the level by the level: a compressor, an expander, a gate, a limiter.

use super::graph::{Node, NodeKind};

/// The levels of a curve, in dB: from here to there, one dB apart.
const LEVELS_DB: std::ops::RangeInclusive<i32> = -80..=6;

/// What comes out of a node for each steady level that goes in, as `[in, out]` in dB; none for a node that is a group, is
/// passed over, cannot be made or does not act on the level by the level. Wet against dry is not counted.
pub fn node_transfer(node: &Node) -> Option<Vec<[f64; 2]>> {
    let NodeKind::Effect { effect, arguments } = &node.kind else { return None };
    if node.bypass {
        return None;
    }
    let effect = crate::effects::find(effect)?.make(arguments).ok()?;
    LEVELS_DB.map(|level| Some([f64::from(level), effect.transfer_db(f64::from(level))?])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Chain;
    use super::*;

    #[test]
    fn what_acts_on_the_level_has_a_curve_and_nothing_else_has() {
        let chain: Chain = "compressor(-20 dB, 4, knee=0 dB) | gain(3 dB) | off(limiter(-1 dB))".parse().unwrap();
        let curves: Vec<_> = chain.nodes.iter().map(node_transfer).collect();
        let compressor = curves[0].as_ref().unwrap();
        assert_eq!((compressor[0], compressor[80]), ([-80.0, -80.0], [0.0, -15.0]));
        assert!(curves[1].is_none() && curves[2].is_none());
    }
}
