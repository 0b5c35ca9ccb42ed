//! The input of both fingerprints: one channel at 11,025 Hz.
//!
//! Chromaprint is defined on what `fpcalc` makes of a file, so this stage produces what `FFmpeg`'s `swresample`
//! produces there. Channels are mixed to one, then converted to 11,025 Hz by a short windowed sinc (`bank`). Samples of
//! 16 bits or less stay integers throughout, with integer coefficients and rounding to integers. Other samples are
//! `f32`.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

mod bank;
mod mix;
mod resampler;

use audio::{AudioFormat, Layout};
use base::error::{Error, Result};
use base::simd::{Lanes, Simd, Task};
use base::units::SampleRate;

use mix::Mix;
use resampler::{Resampler, Sample};

/// The sample rate at which fingerprints are computed, in Hz.
pub const RATE_HZ: u32 = 11_025;

/// Frames per mixing block.
const BLOCK: usize = 4096;

/// The properties of a stream that the first stage needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFormat {
    /// Frames per second.
    pub rate: SampleRate,
    /// Number of channels.
    pub channels: usize,
    /// The loudspeakers of the channels, if they are known.
    pub layout: Option<Layout>,
    /// Whether samples are integer multiples of 1/32768, as from 8-bit and 16-bit PCM, FLAC and ALAC. `fpcalc` computes
    /// with integers for these.
    pub sixteen_bits: bool,
}

impl SourceFormat {
    /// Creates a source from the information of a file. `bits` is the size of a stored sample, for codecs that have
    /// one.
    pub fn new(rate: SampleRate, channels: usize, bits: Option<u32>) -> Self {
        Self::of(AudioFormat::new(rate, channels), bits)
    }

    /// Creates a source from the format of a stream. `bits` is the size of a stored sample, for codecs that have one.
    pub fn of(format: AudioFormat, bits: Option<u32>) -> Self {
        let sixteen_bits = bits.is_some_and(|bits| bits <= 16);
        Self { rate: format.rate, channels: format.channels, layout: format.layout(), sixteen_bits }
    }
}

/// Mixes to one channel and converts to [`RATE_HZ`], block by block. The result does not depend on the block
/// boundaries, bit for bit.
///
/// `N` frames at rate `R` become `ceil(N 11025 / R)` frames, and the first output frame is at the time of the first
/// input frame: the delay of the filter is compensated. Samples that the filter needs beyond the ends are mirrored.
pub struct Front {
    mix: Mix,
    mono: Vec<f32>,
    converter: Converter,
}

enum Converter {
    /// 16-bit samples at another rate.
    Integer { resampler: Resampler<i16>, mixed: Vec<i16>, out: Vec<i16> },
    /// `f32` samples at another rate.
    Float(Resampler<f32>),
    /// Samples that are already at 11,025 Hz.
    None { sixteen_bits: bool },
}

impl Front {
    /// Plans the conversion.
    pub fn new(source: SourceFormat) -> Result<Self> {
        if source.channels == 0 {
            return Err(Error::invalid("channels", "0", "1 or more"));
        }
        let rate = source.rate.hz();
        let converter = match (rate == RATE_HZ, source.sixteen_bits) {
            (true, sixteen_bits) => Converter::None { sixteen_bits },
            (false, true) => {
                Converter::Integer { resampler: Resampler::new(rate, RATE_HZ), mixed: Vec::new(), out: Vec::new() }
            }
            (false, false) => Converter::Float(Resampler::new(rate, RATE_HZ)),
        };
        Ok(Self { mix: Mix::new(source.channels, source.layout), mono: Vec::new(), converter })
    }

    /// Returns the number of channels that blocks must have.
    pub fn channels(&self) -> usize {
        self.mix.channels()
    }

    /// Takes the next frames, one slice per channel, and appends the output frames that they complete to `out`.
    pub fn push(&mut self, planes: &[&[f32]], out: &mut Vec<f32>) -> Result<()> {
        let frames = planes.first().map_or(0, |plane| plane.len());
        if planes.len() != self.channels() || planes.iter().any(|plane| plane.len() != frames) {
            let lengths: Vec<usize> = planes.iter().map(|plane| plane.len()).collect();
            return Err(Error::invalid(
                "block of samples",
                format!("channels of {lengths:?} frames"),
                format!("{} channels of one length", self.channels()),
            ));
        }
        let mut start = 0;
        while start < frames {
            let end = frames.min(start + BLOCK);
            self.mix.planar(planes, start..end, &mut self.mono);
            self.convert(out);
            start = end;
        }
        Ok(())
    }

    /// Same as [`Front::push`], for interleaved samples.
    pub fn push_interleaved(&mut self, samples: &[f32], out: &mut Vec<f32>) -> Result<()> {
        let channels = self.channels();
        if !samples.len().is_multiple_of(channels) {
            return Err(Error::invalid(
                "block of samples",
                format!("{} samples", samples.len()),
                format!("a multiple of {channels} channels"),
            ));
        }
        for block in samples.chunks(BLOCK * channels) {
            self.mix.interleaved(block, &mut self.mono);
            self.convert(out);
        }
        Ok(())
    }

    /// Ends the stream and appends the remaining output frames to `out`.
    pub fn finish(self, out: &mut Vec<f32>) {
        match self.converter {
            Converter::Integer { resampler, out: mut integers, .. } => {
                integers.clear();
                resampler.finish(&mut integers);
                out.extend(integers.iter().map(|&x| x.to_f32()));
            }
            Converter::Float(resampler) => resampler.finish(out),
            Converter::None { .. } => {}
        }
    }

    fn convert(&mut self, out: &mut Vec<f32>) {
        match &mut self.converter {
            Converter::Integer { resampler, mixed, out: integers } => {
                mixed.resize(self.mono.len(), 0);
                Simd::best().dispatch(ToIntegers { samples: &self.mono, to: mixed });
                integers.clear();
                resampler.push(mixed, integers);
                out.extend(integers.iter().map(|&x| x.to_f32()));
            }
            Converter::Float(resampler) => resampler.push(&self.mono, out),
            Converter::None { sixteen_bits: true } => out.extend(self.mono.iter().map(|&x| i16::from_f32(x).to_f32())),
            Converter::None { sixteen_bits: false } => out.extend_from_slice(&self.mono),
        }
    }
}

/// Converts samples to integers in SIMD code.
struct ToIntegers<'a> {
    samples: &'a [f32],
    to: &'a mut [i16],
}

impl Task for ToIntegers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (to, &sample) in self.to.iter_mut().zip(self.samples) {
            *to = i16::from_f32(sample);
        }
    }
}
