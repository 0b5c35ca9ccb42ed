//! Measures a signal block by block, for effects that need to know the whole signal.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Measured, MeasuredPart, NoiseProfile, WholeSignal};
use audio::{AudioBuffer, AudioFormat};
use base::error::Result;
use base::units::gain_from_db;
use dsp::kernels::signal::peak::peak;
use dsp::measure::levels::Levels;
use dsp::measure::loudness::{Blocks, LoudnessCurve};
use dsp::measure::magnitudes::Magnitudes;
use dsp::measure::true_peak::TruePeaks;

/// A measurement in progress.
pub(super) struct WholeSignalMeter {
    what: WholeSignal,
    part: Option<MeasuredPart>,
    /// The frames that count.
    range: Range<u64>,
    frames: u64,
    channels: usize,
    inner: Inner,
}

enum Inner {
    SamplePeak(Vec<f32>),
    TruePeak(TruePeaks),
    Rms(Levels),
    Percentile(f64, Vec<Magnitudes>),
    Loudness(Vec<Loudness>, Option<TruePeaks>),
    /// The threshold as a gain; the first frame above it and the frame after the last.
    Sound(f32, Option<(u64, u64)>),
    Noise(NoiseProfile),
    Nothing,
}

impl WholeSignalMeter {
    /// Creates a meter that has measured nothing yet.
    pub fn new(what: WholeSignal, part: Option<MeasuredPart>, format: AudioFormat) -> Result<Self> {
        let channels = format.channels;
        let frames = |seconds| format.rate.frames_from_seconds(seconds);
        let range = part.map_or(0..u64::MAX, |part| frames(part.from_s)..frames(part.to_s));
        let inner = match what {
            WholeSignal::SamplePeak => Inner::SamplePeak(vec![0.0; channels]),
            WholeSignal::TruePeak => Inner::TruePeak(TruePeaks::new(format)),
            WholeSignal::Rms => Inner::Rms(Levels::new(channels)),
            WholeSignal::Percentile(share) => Inner::Percentile(share, vec![Magnitudes::default(); channels]),
            WholeSignal::Loudness => Inner::Loudness(Loudness::all(format)?, None),
            WholeSignal::LoudnessAndPeak => Inner::Loudness(Loudness::all(format)?, Some(TruePeaks::new(format))),
            WholeSignal::Sound(above) => Inner::Sound(above as f32, None),
            WholeSignal::Noise { from_s, to_s } => Inner::Noise(NoiseProfile::new(from_s, to_s, format)?),
            WholeSignal::Frames => Inner::Nothing,
        };
        Ok(Self { what, part, range, frames: 0, channels, inner })
    }

    /// Adds the next frames.
    pub fn add(&mut self, block: &AudioBuffer) -> Result<()> {
        let (start, end) = (self.frames, self.frames + block.frames() as u64);
        let heard = self.range.start.clamp(start, end)..self.range.end.clamp(start, end);
        if heard == (start..end) {
            self.measure(block)?;
        } else if !heard.is_empty() {
            let mut part = AudioBuffer::new(block.channels(), 0);
            part.extend_from(block, (heard.start - start) as usize..(heard.end - start) as usize);
            self.measure(&part)?;
        }
        self.frames = end;
        Ok(())
    }

    /// Measures frames that count.
    fn measure(&mut self, block: &AudioBuffer) -> Result<()> {
        match &mut self.inner {
            Inner::SamplePeak(peaks) => {
                for (most, samples) in peaks.iter_mut().zip(block.iter()) {
                    let here = peak(samples);
                    // A `NaN` of any block is the peak, so that it can be reported.
                    *most = if here.is_nan() || most.is_nan() { f32::NAN } else { most.max(here) };
                }
            }
            Inner::TruePeak(peaks) => peaks.add(&block.iter().collect::<Vec<_>>()),
            Inner::Rms(levels) => levels.add(block),
            Inner::Percentile(_, channels) => {
                let planes: Vec<&[f32]> = block.iter().collect();
                channels.par_iter_mut().zip(planes).for_each(|(magnitudes, samples)| magnitudes.add(samples));
            }
            Inner::Loudness(meters, peaks) => {
                let planes: Vec<&[f32]> = block.iter().collect();
                if let Some(peaks) = peaks {
                    peaks.add(&planes);
                }
                meters.par_iter_mut().try_for_each(|meter| meter.add(&planes))?;
            }
            Inner::Sound(above, found) => {
                let first = (0..block.frames()).find(|&frame| sounds(block, frame, *above));
                let last = first.and_then(|_| (0..block.frames()).rev().find(|&frame| sounds(block, frame, *above)));
                if let (Some(first), Some(last)) = (first, last) {
                    let begun = found.map_or(self.frames + first as u64, |(begun, _)| begun);
                    *found = Some((begun, self.frames + last as u64 + 1));
                }
            }
            Inner::Noise(profile) => profile.add(block, self.frames)?,
            Inner::Nothing => {}
        }
        Ok(())
    }

    /// Returns the result.
    pub fn finish(self) -> Measured {
        let part = self.part;
        Measured { part, ..self.measured() }
    }

    fn measured(self) -> Measured {
        let Self { what, frames, channels, inner, .. } = self;
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let (levels, together) = match inner {
            Inner::SamplePeak(peaks) => return Measured::peaks(frames, peaks.into_iter().map(f64::from).collect()),
            Inner::TruePeak(peaks) => {
                let levels = peaks.finish();
                let together = most(&levels);
                (levels, together)
            }
            Inner::Rms(levels) => ((0..channels).map(|channel| levels.channel_rms(channel)).collect(), levels.rms()),
            Inner::Percentile(share, magnitudes) => {
                let levels = magnitudes.iter().map(|magnitudes| magnitudes.percentile(share)).collect();
                let mut all = Magnitudes::default();
                magnitudes.iter().for_each(|magnitudes| all.merge(magnitudes));
                (levels, all.percentile(share))
            }
            Inner::Loudness(meters, peaks) => {
                let mut levels: Vec<f64> = meters.iter().map(Loudness::gain).collect();
                let together = levels.pop().unwrap_or(0.0);
                // The level of a single channel is the level of the whole.
                let levels = if channels == 1 { vec![together] } else { levels };
                let true_peaks = peaks.map(TruePeaks::finish).unwrap_or_default();
                return Measured { true_peaks, ..Measured::levels(what, frames, levels, together) };
            }
            Inner::Sound(_, found) => {
                let sound = found.map(|(start, end)| start..end);
                return Measured { what, sound, ..Measured::length(frames) };
            }
            Inner::Noise(profile) => {
                let profile = profile.finish();
                let together = most(&profile);
                (profile, together)
            }
            Inner::Nothing => return Measured::length(frames),
        };
        Measured::levels(what, frames, levels, together)
    }
}

fn sounds(block: &AudioBuffer, frame: usize, above: f32) -> bool {
    block.iter().any(|samples| samples[frame].abs() > above)
}

/// Loudness of one channel, or of all channels together.
struct Loudness {
    /// The index of the channel, or `None` for all channels.
    channel: Option<usize>,
    blocks: Blocks,
    curve: LoudnessCurve,
}

impl Loudness {
    /// Creates one meter per channel followed by one for all together. A mono signal needs only the latter.
    fn all(format: AudioFormat) -> Result<Vec<Self>> {
        let alone = (0..format.channels).filter(|_| format.channels > 1).map(Some);
        alone
            .chain([None])
            .map(|channel| {
                // A channel alone is measured as mono.
                let blocks = Blocks::new(channel.map_or(format, |_| format.with_channels(1)))?;
                Ok(Self { channel, blocks, curve: LoudnessCurve::default() })
            })
            .collect()
    }

    fn add(&mut self, planes: &[&[f32]]) -> Result<()> {
        let curve = &mut self.curve;
        let planes = match self.channel {
            Some(channel) => &planes[channel..=channel],
            None => planes,
        };
        self.blocks.add(planes, |energy| curve.push(energy))
    }

    /// Returns the gain whose value in decibels is the integrated loudness.
    fn gain(&self) -> f64 {
        self.curve.summary().integrated.map_or(0.0, gain_from_db)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    #[test]
    fn a_sample_that_is_no_number_is_the_peak_in_whichever_block_it_is() {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
        for broken in 0..3 {
            let mut meter = WholeSignalMeter::new(WholeSignal::SamplePeak, None, format).unwrap();
            for block in 0..3 {
                let left = if block == broken { f32::NAN } else { 0.25 };
                meter.add(&AudioBuffer::from_channels(vec![vec![0.1, left], vec![-0.5, 0.2]])).unwrap();
            }
            let measured = meter.finish();
            assert!(measured.channels[0].is_nan() && measured.together.is_nan(), "block {broken}: {measured:?}");
            assert_eq!(measured.channels[1], 0.5);
        }
    }
}
