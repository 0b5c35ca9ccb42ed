//! Mixes surround sound down to fewer loudspeakers.

use super::matrix::Matrix;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::{AudioFormat, ChannelMix, Layout, Speaker};
use base::error::{Error, Result};

/// -3 dB, the coefficient of ITU-R BS.775.
const HALF_POWER: f64 = std::f64::consts::FRAC_1_SQRT_2;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "downmix",
    title: "Downmix",
    purpose: Purpose::Image,
    summary: "Mixes surround sound down to fewer loudspeakers.",
    documentation: "\
Mixes to the layout `to` with the coefficients of ITU-R BS.775, by the loudspeakers that the channels are for. For 5.1 \
to stereo, with `C` the centre and `Ls` and `Rs` the surrounds:\n\
\n\
- `L' = L + 0.7071 C + 0.7071 Ls`\n\
- `R' = R + 0.7071 C + 0.7071 Rs`\n\
\n\
and to mono `M = 0.7071 L + 0.7071 R + C + 0.5 Ls + 0.5 Rs`. Side and rear channels are surrounds alike; a single back \
channel goes to both sides with 0.5; channels beside the centre go to their front channel with 1, and height channels \
with 0.7071 to where the channel below them goes. Channels whose loudspeaker is in `to` keep it. The low-frequency \
effects are left out; `lfe=on` adds them to both sides with 0.7071, and to mono with 1.\n\
\n\
Nothing is scaled, so loud sound can exceed full scale: a limiter or `normalize` may follow. A recording with no more \
channels than `to` has is unchanged. Channels of which is not known what loudspeakers they are for count as the usual \
ones for their number; more than eight are refused. No latency.",
    source: "ITU-R BS.775-4, annex 4, table 2.",
    parameters: &[
        Parameter {
            name: "to",
            title: "To",
            help: "Layout to mix to: front is 3.0, five 5.0, five_one 5.1.",
            kind: ParameterKind::Choice {
                options: &["stereo", "mono", "front", "quad", "five", "five_one"],
                default: "stereo",
            },
            ..PLAIN
        },
        Parameter {
            name: "lfe",
            title: "Low frequencies",
            help: "Whether the low-frequency effects are mixed in if the layout has no channel for them.",
            kind: ParameterKind::Choice { options: &["off", "on"], default: "off" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "surround 5.1 7.1 stereo fold down itu bs.775 layout channels centre rear",
    aliases: &["fold_down", "surround_to_stereo"],
    selection: None,
    example: "downmix(mono, lfe=on)",
    largest_output: 8.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let to = match arguments.checked_text("to")? {
        "front" => "3.0",
        "five" => "5.0",
        "five_one" => "5.1",
        name => name,
    };
    Ok(Box::new(Downmix { to: to.parse()?, lfe: arguments.checked_text("lfe")? == "on" }))
}

#[derive(Debug)]
struct Downmix {
    to: Layout,
    lfe: bool,
}

impl Downmix {
    /// Returns the weight of each channel of a layout, for each channel of the output.
    fn weights(&self, input: AudioFormat, layout: Layout) -> Vec<Vec<f64>> {
        let is_mono = self.to == Layout::MONO;
        let to = if is_mono { Layout::STEREO } else { self.to };
        let to_format = AudioFormat::new(input.rate, to.channels()).with_layout(Some(to));
        let mix = ChannelMix::new(input.with_layout(Some(layout)), to_format);
        let mut weights: Vec<Vec<f64>> =
            mix.gains().iter().map(|gains| gains.iter().map(|gain| f64::from(*gain)).collect()).collect();
        let low = layout.speakers().position(|speaker| speaker == Speaker::LowFrequency);
        if let Some(low) = low.filter(|_| self.lfe && !to.has(Speaker::LowFrequency)) {
            weights[..2].iter_mut().for_each(|weights| weights[low] = HALF_POWER);
        }
        if is_mono {
            let sum = |(left, right): (&f64, &f64)| HALF_POWER * (left + right);
            weights = vec![weights[0].iter().zip(&weights[1]).map(sum).collect()];
        }
        weights
    }
}

impl Effect for Downmix {
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        Ok(channels_in.min(self.to.channels()))
    }

    fn layout_out(&self, input: AudioFormat) -> Option<Layout> {
        if input.channels > self.to.channels() { Some(self.to) } else { input.layout() }
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if input.channels <= self.to.channels() {
            return Ok(Stage::Process(Box::new(Matrix::of_channels(0..input.channels))));
        }
        let Some(layout) = input.assumed_layout() else {
            let problem = format!("It is not known what loudspeakers the {} channels are for", input.channels);
            return Err(Error::setting(SPEC.title, problem));
        };
        let weights = self.weights(input, layout);
        Ok(Stage::Process(Box::new(Matrix::new(
            weights.into_iter().map(|weights| weights.into_iter().enumerate().collect()).collect(),
        ))))
    }
}
