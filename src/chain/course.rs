//! How the time of a chain's output goes with that of its input, where effects leave out a beginning or change how long
//! it all is. Both are counted in frames of the input's rate, whatever rate the chain puts out.

use std::ops::Range;

use super::graph::{Chain, Node, NodeKind};
use super::plan::Plan;
use crate::audio::AudioFormat;
use crate::effects;

/// Frame `f` of the input is heard as frame `(f - skipped) * ratio` of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Frames of the input that are left out at its beginning.
    pub skipped: f64,
    /// Length of what comes out over the length of what it is made of.
    pub ratio: f64,
}

impl Course {
    /// Output and input go together.
    pub const IDENTITY: Self = Self { skipped: 0.0, ratio: 1.0 };

    /// Where a frame of the input is heard; one that is left out at the beginning is not heard before the first.
    pub fn heard(&self, input: u64) -> u64 {
        if *self == Self::IDENTITY {
            return input;
        }
        ((input as f64 - self.skipped) * self.ratio).round().max(0.0) as u64
    }

    /// Which frame of the input is heard there.
    pub fn input(&self, heard: u64) -> u64 {
        if *self == Self::IDENTITY {
            return heard;
        }
        (heard as f64 / self.ratio + self.skipped).round().max(0.0) as u64
    }

    /// Where a range of the input is heard; it is never empty.
    pub fn heard_range(&self, input: &Range<u64>) -> Range<u64> {
        let start = self.heard(input.start);
        start..self.heard(input.end).max(start + 1)
    }
}

impl Chain {
    /// The length of what comes out over that of what goes in, where effects that are not bypassed stretch time; else 1.
    pub fn length_ratio(&self, format: AudioFormat) -> f64 {
        length_ratio(&self.nodes, format)
    }
}

// Branches of a sum keep time, or they are refused.
fn length_ratio(nodes: &[Node], format: AudioFormat) -> f64 {
    let of = |node: &Node| match &node.kind {
        _ if node.bypass => 1.0,
        NodeKind::Effect { effect, arguments } => {
            let made = effects::known(effect).and_then(|spec| spec.make(arguments));
            made.map_or(1.0, |effect| effect.time_map(format).duration_ratio)
        }
        NodeKind::Series { nodes } => length_ratio(nodes, format),
        NodeKind::Parallel { .. } => 1.0,
    };
    nodes.iter().map(of).product()
}

impl Plan {
    /// How its output's time goes with its input's.
    pub fn course(&self) -> Course {
        let ratio = self.frames_ratio * self.input.rate.as_f64() / self.output.rate.as_f64();
        // A change of rate alone is none of time.
        let ratio = if (ratio - 1.0).abs() < 1e-9 { 1.0 } else { ratio };
        Course { skipped: self.skipped_frames, ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::MeasuredMap;
    use crate::units::SampleRate;

    fn course(chain: &str) -> Course {
        let format = AudioFormat { rate: SampleRate::new(44_100).unwrap(), channels: 2 };
        let chain: Chain = chain.parse().unwrap();
        let course = Plan::new(&chain, format, &MeasuredMap::default()).unwrap().course();
        assert!((chain.length_ratio(format) - course.ratio).abs() < 1e-9, "{chain}");
        course
    }

    #[test]
    fn a_chain_tells_how_time_goes_through_it() {
        assert_eq!(course("gain(-3 dB) | limiter(-1 dB)"), Course::IDENTITY);
        assert_eq!(course("resample(96 kHz) | gain(1 dB)"), Course::IDENTITY, "a rate is no time");
        assert_eq!(course("resample(11.025 kHz)"), Course::IDENTITY);
        assert_eq!(course("off(time_stretch(150 %)) | (gain(1 dB) | gain(2 dB))"), Course::IDENTITY);
        assert!((course("time_stretch(150 %)").ratio - 1.5).abs() < 1e-12);
        let both = course("time_stretch(200 %) | resample(48 kHz) | time_stretch(75 %)");
        assert!((both.ratio - 1.5).abs() < 1e-9, "{both:?}");
    }

    #[test]
    fn frames_are_found_there_and_back() {
        let course = Course { skipped: 1000.0, ratio: 1.5 };
        assert_eq!((course.heard(1000), course.heard(3000), course.heard(10)), (0, 3000, 0));
        assert_eq!((course.input(0), course.input(3000)), (1000, 3000));
        for frame in [1000, 1234, 99_999] {
            assert!(course.input(course.heard(frame)).abs_diff(frame) <= 1);
        }
        assert_eq!(course.heard_range(&(1000..3000)), 0..3000);
        assert_eq!(course.heard_range(&(0..500)), 0..1, "all of it left out");
        assert_eq!(Course::IDENTITY.heard((1 << 60) + 1), (1 << 60) + 1, "no bit is lost");
    }
}
