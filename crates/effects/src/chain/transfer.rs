//! The static curve of effects that control the level by the level: compressor, expander, gate, limiter.

use super::graph::{Node, NodeKind};

/// The range of input levels of a curve in dB, one dB apart.
const LEVELS_DB: std::ops::RangeInclusive<i32> = -80..=6;

/// Returns the output level for each steady input level as `[in, out]` in dB. `None` for a group, for a bypassed node,
/// for an effect that cannot be built and for one without a static curve. The node's mix is ignored.
pub fn node_transfer(node: &Node) -> Option<Vec<[f64; 2]>> {
    let NodeKind::Effect { effect, arguments } = &node.kind else { return None };
    if node.bypass {
        return None;
    }
    let effect = crate::find(effect)?.make(arguments).ok()?;
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
