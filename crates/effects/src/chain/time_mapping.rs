//! Maps the time of a chain's input to that of its output when effects skip a beginning or change the length. Both
//! times are counted in frames at the input's rate, whatever the output rate is.

use std::ops::Range;

use super::graph::{Chain, Node, NodeKind};
use super::plan::Plan;
use crate::Permission;
use audio::AudioFormat;

/// Frame `f` of the input is heard as frame `(f - skipped) * ratio` of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeMapping {
    /// Input frames skipped at the beginning.
    pub skipped: f64,
    /// The output length divided by the length of the input it is made from.
    pub ratio: f64,
}

impl TimeMapping {
    /// The identity: output frame `n` corresponds to input frame `n`.
    pub const IDENTITY: Self = Self { skipped: 0.0, ratio: 1.0 };

    /// Returns the output frame at which an input frame is heard. Frames skipped at the beginning map to 0.
    pub fn heard(&self, input: u64) -> u64 {
        if *self == Self::IDENTITY {
            return input;
        }
        ((input as f64 - self.skipped) * self.ratio).round().max(0.0) as u64
    }

    /// Returns the input frame heard at an output frame.
    pub fn input(&self, heard: u64) -> u64 {
        if *self == Self::IDENTITY {
            return heard;
        }
        (heard as f64 / self.ratio + self.skipped).round().max(0.0) as u64
    }

    /// Returns the output range in which an input range is heard. It is never empty.
    pub fn heard_range(&self, input: &Range<u64>) -> Range<u64> {
        let start = self.heard(input.start);
        start..self.heard(input.end).max(start + 1)
    }
}

impl Chain {
    /// Returns the output length divided by the input length. Bypassed effects do not count; 1 if nothing stretches
    /// time.
    pub fn length_ratio(&self, format: AudioFormat) -> f64 {
        length_ratio(&self.nodes, format, self.permission())
    }
}

// Branches of a sum and parts keep time; those that change it are rejected when planning.
fn length_ratio(nodes: &[Node], format: AudioFormat, permission: &Permission) -> f64 {
    let of = |node: &Node| match &node.kind {
        _ if node.bypass => 1.0,
        NodeKind::Effect { effect, arguments } => {
            let made = crate::known(effect).and_then(|spec| spec.make_with(arguments, permission));
            made.map_or(1.0, |effect| effect.time_map(format).duration_ratio)
        }
        NodeKind::Series { nodes } => length_ratio(nodes, format, permission),
        NodeKind::Parallel { .. } | NodeKind::During { .. } => 1.0,
    };
    nodes.iter().map(of).product()
}

impl Plan {
    /// Returns how the time of the input maps to the time of the output.
    pub fn time_mapping(&self) -> TimeMapping {
        let ratio = self.frames_ratio * self.input.rate.as_f64() / self.output.rate.as_f64();
        // A change of rate alone does not change time.
        let ratio = if (ratio - 1.0).abs() < 1e-9 { 1.0 } else { ratio };
        TimeMapping { skipped: self.skipped_frames, ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::MeasuredMap;
    use base::units::SampleRate;

    fn mapping(chain: &str) -> TimeMapping {
        let format = AudioFormat::new(SampleRate::new(44_100).unwrap(), 2);
        let chain: Chain = chain.parse().unwrap();
        let mapping = Plan::new(&chain, format, &MeasuredMap::default()).unwrap().time_mapping();
        assert!((chain.length_ratio(format) - mapping.ratio).abs() < 1e-9, "{chain}");
        mapping
    }

    #[test]
    fn a_chain_tells_how_time_goes_through_it() {
        assert_eq!(mapping("gain(-3 dB) | limiter(-1 dB)"), TimeMapping::IDENTITY);
        assert_eq!(mapping("resample(96 kHz) | gain(1 dB)"), TimeMapping::IDENTITY, "a rate is no time");
        assert_eq!(mapping("resample(11.025 kHz)"), TimeMapping::IDENTITY);
        assert_eq!(mapping("off(time_stretch(150 %)) | (gain(1 dB) | gain(2 dB))"), TimeMapping::IDENTITY);
        assert!((mapping("time_stretch(150 %)").ratio - 1.5).abs() < 1e-12);
        let both = mapping("time_stretch(200 %) | resample(48 kHz) | time_stretch(75 %)");
        assert!((both.ratio - 1.5).abs() < 1e-9, "{both:?}");
    }

    #[test]
    fn frames_are_found_there_and_back() {
        let mapping = TimeMapping { skipped: 1000.0, ratio: 1.5 };
        assert_eq!((mapping.heard(1000), mapping.heard(3000), mapping.heard(10)), (0, 3000, 0));
        assert_eq!((mapping.input(0), mapping.input(3000)), (1000, 3000));
        for frame in [1000, 1234, 99_999] {
            assert!(mapping.input(mapping.heard(frame)).abs_diff(frame) <= 1);
        }
        assert_eq!(mapping.heard_range(&(1000..3000)), 0..3000);
        assert_eq!(mapping.heard_range(&(0..500)), 0..1, "all of it left out");
        assert_eq!(TimeMapping::IDENTITY.heard((1 << 60) + 1), (1 << 60) + 1, "no bit is lost");
    }
}
