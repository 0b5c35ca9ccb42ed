//! The other version read on the reference's timeline, and the difference of both, in pieces.

use super::align::line::Line;
use super::align::{Alignment, warp::Interpolator};
use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::error::Result;
use crate::measure::resample::{ResamplePlan, ResampledReader};

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 14;
/// Frames on either side that the interpolation needs.
const MARGIN: i64 = Interpolator::REACH as i64;

/// The other version of a recording, read on the reference's timeline: frame `n` corresponds to frame `n` of the
/// reference. It has the reference's rate, length, order of channels and polarity; where the other has nothing, it is
/// silent. A channel that is inverted against the rest stays so, as in the measures. If the numbers of channels differ, it has one: the mean, as in [`super::Material`]. The level is the
/// other's own. A read holds no more than a block in memory, and gives the same bits wherever reading began.
pub struct AlignedReader<R> {
    source: AtRate<R>,
    format: AudioFormat,
    frames: u64,
    position: u64,
    line: Line,
    /// The channel of the source for each channel; empty for the mean of all.
    channels: Vec<usize>,
    sign: f32,
    block: AudioBuffer,
    held: Held,
}

/// Frames of the source that were read last.
#[derive(Default)]
struct Held {
    /// The first frame; negative before the source's beginning.
    first: i64,
    planes: Vec<Vec<f32>>,
}

enum AtRate<R> {
    Own(R),
    Converted(Box<ResampledReader<R>>),
}

impl<R: AudioReader> AtRate<R> {
    fn reader(&mut self) -> &mut dyn AudioReader {
        match self {
            Self::Own(reader) => reader,
            Self::Converted(reader) => reader.as_mut(),
        }
    }
}

impl<R: AudioReader> AlignedReader<R> {
    /// Reads `other` as `alignment` has it against a reference of a format and a length in frames.
    pub fn new(other: R, alignment: &Alignment, reference: AudioFormat, frames: u64) -> Self {
        let format = other.format();
        let source = if format.rate == reference.rate {
            AtRate::Own(other)
        } else {
            let plan = ResamplePlan::new(format.rate, reference.rate);
            AtRate::Converted(Box::new(ResampledReader::new(other, &plan)))
        };
        let is_mean = format.channels != reference.channels;
        let count = if is_mean { 1 } else { reference.channels };
        Self {
            source,
            format: AudioFormat { rate: reference.rate, channels: count },
            frames,
            position: 0,
            line: alignment.line(),
            channels: if is_mean { Vec::new() } else { alignment.channel_order.clone() },
            sign: f32::from(alignment.polarity),
            block: AudioBuffer::default(),
            held: Held::default(),
        }
    }

    /// Makes the frames `first..end` of the source available in `held`, with silence outside the source. Only frames that
    /// are not held yet are read.
    fn hold(&mut self, first: i64, end: i64) -> Result<()> {
        let source = self.source.reader();
        let planes = if self.channels.is_empty() { 1 } else { self.channels.len() };
        let held_end = self.held.first + self.held.planes.first().map_or(0, Vec::len) as i64;
        if self.held.planes.len() != planes || first < self.held.first || first > held_end {
            self.held = Held { first, planes: vec![Vec::new(); planes] };
        } else {
            let gone = (first - self.held.first) as usize;
            self.held.planes.iter_mut().for_each(|plane| drop(plane.drain(..gone)));
            self.held.first = first;
        }
        let total = source.frames() as i64;
        loop {
            let at = first + self.held.planes[0].len() as i64;
            if at >= end {
                return Ok(());
            }
            if at < 0 || at >= total {
                let silent = if at < 0 { end.min(0) - at } else { end - at } as usize;
                self.held.planes.iter_mut().for_each(|plane| plane.resize(plane.len() + silent, 0.0));
                continue;
            }
            if source.position() != at as u64 {
                source.seek(at as u64)?;
            }
            source.read(&mut self.block, (end.min(total) - at) as usize)?;
            if self.block.is_empty() {
                // A stream shorter than it says.
                let missing = (end - at) as usize;
                self.held.planes.iter_mut().for_each(|plane| plane.resize(plane.len() + missing, 0.0));
                continue;
            }
            let finite = |sample: f32| if sample.is_finite() { sample } else { 0.0 };
            if self.channels.is_empty() {
                let scale = f64::from(self.sign) / self.block.channels().max(1) as f64;
                let mean = |n: usize| {
                    (self.block.iter().map(|channel| f64::from(finite(channel[n]))).sum::<f64>() * scale) as f32
                };
                self.held.planes[0].extend((0..self.block.frames()).map(mean));
            } else {
                for (plane, &from) in self.held.planes.iter_mut().zip(&self.channels) {
                    plane.extend(self.block.channel(from).iter().map(|&sample| finite(sample) * self.sign));
                }
            }
        }
    }

    fn piece(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let start = self.position;
        if let Some(offset) = self.line.whole_offset() {
            let first = start as i64 + offset;
            self.hold(first, first + frames as i64)?;
            for (to, held) in out.as_mut_vecs().iter_mut().zip(&self.held.planes) {
                to.extend_from_slice(&held[..frames]);
            }
        } else {
            let [from, to] = [start, start + frames as u64].map(|frame| self.line.at(frame as f64));
            self.hold(from.floor() as i64 - MARGIN, to.ceil() as i64 + MARGIN)?;
            let first = self.held.first as f64;
            for (to, held) in out.as_mut_vecs().iter_mut().zip(&self.held.planes) {
                let before = to.len();
                to.resize(before + frames, 0.0);
                let line = self.line;
                let place = |n: usize| line.at((start + n as u64) as f64) - first;
                Interpolator::shared().fill(held, place, &mut to[before..]);
            }
        }
        self.position += frames as u64;
        Ok(())
    }
}

impl<R: AudioReader> AudioReader for AlignedReader<R> {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.resize(self.format.channels, 0);
        out.clear();
        let mut left = (frames as u64).min(self.frames - self.position) as usize;
        while left > 0 {
            let count = left.min(BLOCK_FRAMES);
            self.piece(out, count)?;
            left -= count;
        }
        Ok(())
    }
}

/// What the other version has that the reference has not, and the reverse: `(gain o - r) level`, on the reference's
/// timeline. Silent for equal recordings.
pub struct DifferenceReader<A, R> {
    reference: A,
    other: AlignedReader<R>,
    gain: f32,
    level: f32,
    block: AudioBuffer,
}

impl<A: AudioReader, R: AudioReader> DifferenceReader<A, R> {
    /// Subtracts `reference` from `other`, an [`AlignedReader`] for it. `gain` is applied to the other (the inverse of the
    /// alignment's gain to compare at equal levels, 1 to hear the change of the level), `level` to the difference.
    pub fn new(reference: A, other: AlignedReader<R>, gain: f32, level: f32) -> Self {
        Self { reference, other, gain, level, block: AudioBuffer::default() }
    }

    /// Changes the gain of the other and the level of the difference.
    pub fn set_gains(&mut self, gain: f32, level: f32) {
        (self.gain, self.level) = (gain, level);
    }
}

impl<A: AudioReader, R: AudioReader> AudioReader for DifferenceReader<A, R> {
    fn format(&self) -> AudioFormat {
        self.other.format()
    }

    fn frames(&self) -> u64 {
        self.other.frames()
    }

    fn position(&self) -> u64 {
        self.other.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.other.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let start = self.other.position();
        self.other.read(out, frames)?;
        let mut done = 0;
        while done < out.frames() {
            let at = start + done as u64;
            if self.reference.position() != at {
                self.reference.seek(at)?;
            }
            self.reference.read(&mut self.block, out.frames() - done)?;
            let count = self.block.frames().min(out.frames() - done);
            if count == 0 {
                break;
            }
            let channels = self.block.channels();
            // The mean of the channels, if the other has it.
            let is_mean = out.channels() != channels;
            for (index, to) in out.iter_mut().enumerate() {
                for (n, to) in to[done..done + count].iter_mut().enumerate() {
                    let finite = |channel: usize| {
                        let sample = self.block.channel(channel)[n];
                        if sample.is_finite() { f64::from(sample) } else { 0.0 }
                    };
                    let reference =
                        if is_mean { (0..channels).map(finite).sum::<f64>() / channels as f64 } else { finite(index) };
                    *to = (*to * self.gain - reference as f32) * self.level;
                }
            }
            done += count;
        }
        // What the reference turned out not to have is silence there.
        let (gain, level) = (self.gain, self.level);
        out.iter_mut().for_each(|to| to[done..].iter_mut().for_each(|to| *to *= gain * level));
        Ok(())
    }
}
