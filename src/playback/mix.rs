//! The mix from a recording's channels to an output's.

use crate::audio::AudioBuffer;

/// A loudspeaker position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Left,
    Right,
    Center,
    Lfe,
    RearLeft,
    RearRight,
    SideLeft,
    SideRight,
    RearCenter,
}

use Speaker::{Center, Left, Lfe, RearCenter, RearLeft, RearRight, Right, SideLeft, SideRight};

/// The gain of half the power, -3 dB.
const HALF_POWER: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A channel mix: the gain of each input in each output.
///
/// - Equal counts: each channel unchanged.
/// - Mono: to front left and front right, unchanged.
/// - Stereo to mono: the average.
/// - More to fewer: a channel without its loudspeaker goes to the neighbouring ones as in ITU-R BS.775 (the centre and
///   the surrounds at -3 dB to the front; the LFE is dropped). To mono: the average of that stereo mix.
/// - Fewer to more: each channel to its own loudspeaker; the others stay silent.
/// - Beyond eight channels there is no standard order. To stereo, the odd channels are averaged on the left and the
///   even ones on the right; otherwise each channel goes to the output of the same number, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// `gains[output][input]`.
    gains: Vec<Vec<f32>>,
    inputs: usize,
}

impl Mix {
    /// Creates the mix from `inputs` to `outputs` channels.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        let mut gains = vec![vec![0.0; inputs]; outputs];
        match (layout(inputs), layout(outputs)) {
            _ if inputs == outputs => (0..inputs).for_each(|channel| gains[channel][channel] = 1.0),
            (_, _) if outputs == 1 => {
                let stereo = Self::new(inputs, 2);
                let front = if inputs == 1 { 1.0 } else { 0.5 };
                for (input, gain) in gains[0].iter_mut().enumerate() {
                    *gain = front * (stereo.gains[0][input] + stereo.gains[1][input]);
                }
            }
            (_, Some(_) | None) if inputs == 1 => (0..2).for_each(|output| gains[output][0] = 1.0),
            (Some(from), Some(to)) => {
                for (input, &speaker) in from.iter().enumerate() {
                    for (place, gain) in places(speaker, to) {
                        if let Some(output) = to.iter().position(|&speaker| speaker == place) {
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

/// Returns the loudspeakers of a number of channels, in the order of WAV and FLAC.
fn layout(channels: usize) -> Option<&'static [Speaker]> {
    Some(match channels {
        1 => &[Center],
        2 => &[Left, Right],
        3 => &[Left, Right, Center],
        4 => &[Left, Right, RearLeft, RearRight],
        5 => &[Left, Right, Center, RearLeft, RearRight],
        6 => &[Left, Right, Center, Lfe, RearLeft, RearRight],
        7 => &[Left, Right, Center, Lfe, RearCenter, SideLeft, SideRight],
        8 => &[Left, Right, Center, Lfe, RearLeft, RearRight, SideLeft, SideRight],
        _ => return None,
    })
}

/// Returns the loudspeakers that a channel goes to, of those available, with their gains.
fn places(speaker: Speaker, there: &[Speaker]) -> Vec<(Speaker, f32)> {
    if there.contains(&speaker) {
        return vec![(speaker, 1.0)];
    }
    let has = |speaker| there.contains(&speaker);
    match speaker {
        Center => vec![(Left, HALF_POWER), (Right, HALF_POWER)],
        RearLeft if has(SideLeft) => vec![(SideLeft, 1.0)],
        SideLeft if has(RearLeft) => vec![(RearLeft, 1.0)],
        RearRight if has(SideRight) => vec![(SideRight, 1.0)],
        SideRight if has(RearRight) => vec![(RearRight, 1.0)],
        RearLeft | SideLeft => vec![(Left, HALF_POWER)],
        RearRight | SideRight => vec![(Right, HALF_POWER)],
        RearCenter if has(RearLeft) => vec![(RearLeft, HALF_POWER), (RearRight, HALF_POWER)],
        RearCenter if has(SideLeft) => vec![(SideLeft, HALF_POWER), (SideRight, HALF_POWER)],
        RearCenter => vec![(Left, 0.5), (Right, 0.5)],
        Left | Right | Lfe => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(inputs: usize, outputs: usize) -> Vec<Vec<f32>> {
        Mix::new(inputs, outputs).gains
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
                Mix::new(inputs, outputs).apply(&AudioBuffer::new(inputs, 3), 1.0, &mut out);
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
        Mix::new(2, 2).apply(&block, 1.0, &mut out);
        for (got, wanted) in out.iter().flatten().zip(block.iter().flatten()) {
            assert_eq!(got.to_bits(), wanted.to_bits());
        }
    }
}
