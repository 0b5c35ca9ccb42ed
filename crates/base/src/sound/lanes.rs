//! Mixes of the channels of a recording, one lane each, as pictures and spectra show them.

use serde::{Deserialize, Serialize};

use crate::declared::TS;

use super::AudioBuffer;

/// Which lanes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "LaneChannels")]
pub enum Lanes {
    /// One lane for each channel.
    #[default]
    Each,
    /// One lane: the mean of all channels.
    Mix,
    /// Two lanes, mid and side: half the sum and half the difference of the first two channels.
    MidSide,
}

impl Lanes {
    /// Returns the number of lanes for `channels` channels. Mid and side of a single channel are that channel alone.
    pub fn count(self, channels: usize) -> usize {
        match self {
            Self::Each => channels,
            Self::Mix => 1,
            Self::MidSide => channels.min(2),
        }
    }

    /// Returns the samples of one lane.
    pub fn samples(self, audio: &AudioBuffer, lane: usize) -> Vec<f32> {
        let pair = |sign: f32| {
            audio.channel(0).iter().zip(audio.channel(1)).map(|(left, right)| 0.5 * (left + sign * right)).collect()
        };
        match self {
            Self::MidSide if audio.channels() > 1 => pair(if lane == 0 { 1.0 } else { -1.0 }),
            Self::Each | Self::MidSide => audio.channel(lane).to_vec(),
            Self::Mix => {
                let mut sum = audio.channel(0).to_vec();
                for channel in 1..audio.channels() {
                    sum.iter_mut().zip(audio.channel(channel)).for_each(|(sum, sample)| *sum += sample);
                }
                let share = 1.0 / audio.channels() as f32;
                sum.iter_mut().for_each(|sample| *sample *= share);
                sum
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_what_they_are_called() {
        let stereo = AudioBuffer::from_channels(vec![vec![1.0, 2.0], vec![3.0, -2.0]]);
        assert_eq!([Lanes::Each, Lanes::Mix, Lanes::MidSide].map(|lanes| lanes.count(2)), [2, 1, 2]);
        assert_eq!(Lanes::Each.samples(&stereo, 1), [3.0, -2.0]);
        assert_eq!(Lanes::Mix.samples(&stereo, 0), [2.0, 0.0]);
        assert_eq!(Lanes::MidSide.samples(&stereo, 0), [2.0, 0.0]);
        assert_eq!(Lanes::MidSide.samples(&stereo, 1), [-1.0, 2.0]);
        let mono = AudioBuffer::from_channels(vec![vec![0.5]]);
        assert_eq!(Lanes::MidSide.count(1), 1);
        assert_eq!(Lanes::MidSide.samples(&mono, 0), [0.5]);
    }
}
