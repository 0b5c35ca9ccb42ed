//! The mix from a recording's channels to others.

use super::{AudioBuffer, AudioFormat, Layout, Speaker};

/// The gain of half the power, -3 dB.
const HALF_POWER: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A channel mix: the gain of each input in each output.
///
/// - The same layout: each channel unchanged.
/// - Mono: to front left and front right, unchanged.
/// - Stereo to mono: the average.
/// - More to fewer: a channel without its loudspeaker goes to the neighbouring ones as in ITU-R BS.775 (the centre and
///   the surrounds at -3 dB to the front; the LFE is dropped). To mono: the average of that stereo mix.
/// - Fewer to more: each channel to its loudspeaker; the others stay silent.
/// - An unknown layout of up to eight channels is taken for the usual one. Beyond, to stereo, the odd channels are
///   averaged on the left and the even ones on the right; otherwise each channel goes to the output of the same number,
///   if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelMix {
    /// `gains[output][input]`.
    gains: Vec<Vec<f32>>,
    inputs: usize,
}

impl ChannelMix {
    /// Creates the mix from one format to another. Their rates do not matter.
    pub fn new(from: AudioFormat, to: AudioFormat) -> Self {
        let (inputs, outputs) = (from.channels, to.channels);
        let mut gains = vec![vec![0.0; inputs]; outputs];
        let known = from.assumed_layout().zip(to.assumed_layout());
        match known {
            // An unknown layout becomes any other of as many channels.
            _ if inputs == outputs
                && from.layout().is_none_or(|layout| to.layout().is_none_or(|other| layout == other)) =>
            {
                (0..inputs).for_each(|channel| gains[channel][channel] = 1.0);
            }
            _ if outputs == 1 => {
                let stereo = Self::new(from, from.with_layout(None).with_channels(2));
                for (input, gain) in gains[0].iter_mut().enumerate() {
                    *gain = 0.5 * (stereo.gains[0][input] + stereo.gains[1][input]);
                }
            }
            _ if inputs == 1 => (0..outputs.min(2)).for_each(|output| gains[output][0] = 1.0),
            Some((from, to)) => {
                for (input, speaker) in from.speakers().enumerate() {
                    for (place, gain) in places(speaker, to) {
                        if let Some(output) = to.speakers().position(|speaker| speaker == place) {
                            gains[output][input] = gain;
                        }
                    }
                }
            }
            _ if outputs == 2 => {
                for (side, gains) in gains.iter_mut().enumerate() {
                    let share = 1.0 / ((inputs + 1 - side) / 2) as f32;
                    gains.iter_mut().skip(side).step_by(2).for_each(|gain| *gain = share);
                }
            }
            _ => (0..inputs.min(outputs)).for_each(|channel| gains[channel][channel] = 1.0),
        }
        Self { gains, inputs }
    }

    /// Creates the mix for sound that becomes part of a recording of another format: as [`Self::new`], except that one
    /// channel goes to all. `None` if the channels stay as they are.
    pub fn into_recording(from: AudioFormat, to: AudioFormat) -> Option<Self> {
        let mut mix = Self::new(from, to);
        if from.channels == 1 {
            mix.gains.fill(vec![1.0]);
        }
        let is_unchanged = |(output, gains): (usize, &Vec<f32>)| {
            gains.iter().enumerate().all(|(input, gain)| *gain == f32::from(u8::from(input == output)))
        };
        let stays = from.channels == to.channels && mix.gains.iter().enumerate().all(is_unchanged);
        (!stays).then_some(mix)
    }

    /// The gain of each input, for each output.
    pub fn gains(&self) -> &[Vec<f32>] {
        &self.gains
    }

    /// The number of input channels.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of output channels.
    pub fn outputs(&self) -> usize {
        self.gains.len()
    }

    /// Replaces `out` by the mix of `block`, scaled by `gain`.
    pub fn apply(&self, block: &AudioBuffer, gain: f32, out: &mut AudioBuffer) {
        debug_assert_eq!(block.channels(), self.inputs);
        out.resize(self.outputs(), 0);
        out.clear();
        out.resize(self.outputs(), block.frames());
        for (to, gains) in out.iter_mut().zip(&self.gains) {
            let mut first = true;
            for (from, &share) in block.iter().zip(gains) {
                if share == 0.0 {
                    continue;
                }
                let share = share * gain;
                // The first contribution is stored, not added, so that -0.0 and single contributions are preserved.
                if first {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = share * from);
                } else {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += share * from);
                }
                first = false;
            }
        }
    }
}

/// Returns the loudspeakers that a channel goes to, of those available, with their gains.
fn places(speaker: Speaker, to: Layout) -> Vec<(Speaker, f32)> {
    use Speaker::{
        BackCentre, BackLeft, BackRight, FrontCentre, FrontLeft, FrontLeftOfCentre, FrontRight, FrontRightOfCentre,
        LowFrequency, SideLeft, SideRight, TopBackCentre, TopBackLeft, TopBackRight, TopCentre, TopFrontCentre,
        TopFrontLeft, TopFrontRight,
    };
    if to.has(speaker) {
        return vec![(speaker, 1.0)];
    }
    // A height channel goes where the one below it does.
    let below = |speaker| -> Vec<(Speaker, f32)> {
        places(speaker, to).into_iter().map(|(place, gain)| (place, HALF_POWER * gain)).collect()
    };
    match speaker {
        FrontCentre => vec![(FrontLeft, HALF_POWER), (FrontRight, HALF_POWER)],
        FrontLeftOfCentre => vec![(FrontLeft, 1.0)],
        FrontRightOfCentre => vec![(FrontRight, 1.0)],
        BackLeft if to.has(SideLeft) => vec![(SideLeft, 1.0)],
        SideLeft if to.has(BackLeft) => vec![(BackLeft, 1.0)],
        BackRight if to.has(SideRight) => vec![(SideRight, 1.0)],
        SideRight if to.has(BackRight) => vec![(BackRight, 1.0)],
        BackLeft | BackRight | SideLeft | SideRight if to.has(BackCentre) => vec![(BackCentre, HALF_POWER)],
        BackLeft | SideLeft => vec![(FrontLeft, HALF_POWER)],
        BackRight | SideRight => vec![(FrontRight, HALF_POWER)],
        BackCentre if to.has(BackLeft) => vec![(BackLeft, HALF_POWER), (BackRight, HALF_POWER)],
        BackCentre if to.has(SideLeft) => vec![(SideLeft, HALF_POWER), (SideRight, HALF_POWER)],
        BackCentre | TopCentre => vec![(FrontLeft, 0.5), (FrontRight, 0.5)],
        TopFrontLeft => below(FrontLeft),
        TopFrontCentre => below(FrontCentre),
        TopFrontRight => below(FrontRight),
        TopBackLeft => below(BackLeft),
        TopBackCentre => below(BackCentre),
        TopBackRight => below(BackRight),
        FrontLeft | FrontRight | LowFrequency => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SampleRate;

    fn mix(inputs: usize, outputs: usize) -> ChannelMix {
        let format = |channels| AudioFormat::new(SampleRate::new(48_000).unwrap(), channels);
        ChannelMix::new(format(inputs), format(outputs))
    }

    fn mixed(inputs: usize, outputs: usize) -> Vec<Vec<f32>> {
        mix(inputs, outputs).gains
    }

    fn named(from: &str, to: &str) -> Vec<Vec<f32>> {
        let format = |name: &str| {
            let layout: Layout = name.parse().unwrap();
            AudioFormat::new(SampleRate::new(48_000).unwrap(), layout.channels()).with_layout(Some(layout))
        };
        ChannelMix::new(format(from), format(to)).gains
    }

    #[test]
    fn channels_go_to_their_own_loudspeakers_of_another_layout() {
        let h = HALF_POWER;
        assert_eq!(named("2.1", "stereo"), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(named("3.0", "stereo"), [[1.0, 0.0, h], [0.0, 1.0, h]]);
        assert_eq!(named("2.1", "3.0"), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]]);
        assert_eq!(named("4.0", "stereo"), [[1.0, 0.0, h, 0.5], [0.0, 1.0, h, 0.5]]);
        assert_eq!(named("5.1(side)", "5.1")[4], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(named("7.1(wide)", "stereo")[0], [1.0, 0.0, h, 0.0, h, 0.0, 1.0, 0.0]);
        assert_eq!(named("5.1.4", "stereo")[1][6..], [0.0, h, 0.0, h * h]);
        assert_eq!(named("3.1", "mono"), [[0.5, 0.5, h, 0.0]]);
    }

    #[test]
    fn mono_goes_to_both_fronts_and_stereo_to_their_average() {
        assert_eq!(mixed(1, 1), [[1.0]]);
        assert_eq!(mixed(1, 2), [[1.0], [1.0]]);
        assert_eq!(mixed(1, 6)[..3], [[1.0], [1.0], [0.0]]);
        assert_eq!(mixed(2, 1), [[0.5, 0.5]]);
    }

    #[test]
    fn five_one_folds_down_as_in_bs_775() {
        let h = HALF_POWER;
        assert_eq!(mixed(6, 2), [[1.0, 0.0, h, 0.0, h, 0.0], [0.0, 1.0, h, 0.0, 0.0, h]]);
        assert_eq!(mixed(6, 1)[0][..2], [0.5, 0.5]);
        assert_eq!(mixed(8, 6)[4], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(mixed(7, 4)[2], [0.0, 0.0, 0.0, 0.0, h, 1.0, 0.0]);
    }

    #[test]
    fn stereo_stays_in_front_of_a_surround_set() {
        let gains = mixed(2, 8);
        assert_eq!((&gains[0][..], &gains[1][..]), (&[1.0, 0.0][..], &[0.0, 1.0][..]));
        assert!(gains[2..].iter().flatten().all(|&gain| gain == 0.0));
    }

    #[test]
    fn no_mix_of_any_size_fails_or_drops_a_full_range_channel_to_stereo() {
        for inputs in 1..24 {
            for outputs in 1..24 {
                let mut out = AudioBuffer::default();
                mix(inputs, outputs).apply(&AudioBuffer::new(inputs, 3), 1.0, &mut out);
                assert_eq!((out.channels(), out.frames()), (outputs, 3));
            }
            let gains = mixed(inputs, 2);
            let unheard = (0..inputs).filter(|&input| gains[0][input] == 0.0 && gains[1][input] == 0.0).count();
            assert_eq!(unheard, usize::from((6..=8).contains(&inputs)), "{inputs} channels");
        }
    }

    #[test]
    fn equal_counts_keep_every_bit() {
        let block = AudioBuffer::from_channels(vec![vec![-0.0, f32::MIN_POSITIVE / 4.0], vec![1.5, -1.0]]);
        let mut out = AudioBuffer::default();
        mix(2, 2).apply(&block, 1.0, &mut out);
        for (got, wanted) in out.iter().flatten().zip(block.iter().flatten()) {
            assert_eq!(got.to_bits(), wanted.to_bits());
        }
    }
}
