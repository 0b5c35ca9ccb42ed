//! Versions of a recording on the reference's timeline, as streams to play and draw while comparing.
//!
//! A [`LaidReader`] reads a version in step with the reference: its frame `n` is the version at the time of the
//! reference's frame `n`, with offset, drift, channel order and polarity undone. Its frames are bit-identical to those
//! that were compared. A [`DifferenceReader`] reads what is left of a version after the reference is subtracted. Both
//! read a file in pieces, so that its length does not matter.

use std::ops::Range;

use super::align::line::Line;
use super::align::{Alignment, MAX_DRIFT_PPM, warp::Interpolator};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::Result;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// The maximum number of frames that are read at once.
const PIECE: usize = 1 << 15;
/// No offset of a stored place is larger, in frames.
const MAX_OFFSET: f64 = (1u64 << 53) as f64;

/// Where a version lies on the reference's timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Lay {
    rate: SampleRate,
    frames: u64,
    line: Line,
    sign: f32,
    /// For each channel, the channel of the version; empty to keep the version's order.
    order: Vec<usize>,
}

impl Lay {
    /// The place of a version on the timeline of a reference with this rate and length. Without an alignment the
    /// version begins with the reference.
    pub fn new(rate: SampleRate, frames: u64, alignment: Option<&Alignment>) -> Self {
        Self {
            rate,
            frames,
            line: alignment.map_or(Line { offset: 0.0, slope: 1.0 }, Alignment::line),
            sign: alignment.map_or(1.0, |alignment| f32::from(alignment.polarity)),
            order: alignment.map_or_else(Vec::new, |alignment| alignment.channel_order.clone()),
        }
    }

    /// Returns the frames of the reference, at its rate, for which a version of this format and length has frames.
    pub fn common(&self, format: AudioFormat, frames: u64) -> Range<u64> {
        let others = if format.rate == self.rate {
            frames
        } else {
            ResamplePlan::new(format.rate, self.rate).frames_out(frames)
        };
        let common = self.line.common(self.frames as usize, others as usize);
        common.start as u64..common.end as u64
    }

    /// Returns whether it is on the timeline of a reference with this rate and length.
    pub fn is_of(&self, rate: SampleRate, frames: u64) -> bool {
        (self.rate, self.frames) == (rate, frames)
    }

    /// Returns a text that is the same for the same place.
    pub fn key(&self) -> String {
        let Self { rate, frames, line, sign, order } = self;
        format!("{rate:?}|{frames}|{}|{}|{sign}|{order:?}", line.offset.to_bits(), line.slope.to_bits())
    }

    /// Returns the place that has this key, if there can be one.
    pub fn of_key(key: &str) -> Option<Self> {
        let parts: Vec<&str> = key.split('|').collect();
        let [rate, frames, offset, slope, sign, order] = parts[..] else { return None };
        let number = |bits: &str| bits.parse().ok().map(f64::from_bits);
        let line = Line { offset: number(offset)?, slope: number(slope)? };
        let order = order.strip_prefix('[')?.strip_suffix(']')?.split(", ").filter(|channel| !channel.is_empty());
        let lay = Self {
            rate: SampleRate::new(rate.strip_prefix("SampleRate(")?.strip_suffix(')')?.parse().ok()?).ok()?,
            frames: frames.parse().ok()?,
            line,
            sign: sign.parse().ok().filter(|sign: &f32| sign.abs() == 1.0)?,
            order: order.map(str::parse).collect::<Result<_, _>>().ok()?,
        };
        let can_be = line.offset.abs() < MAX_OFFSET && (line.slope - 1.0).abs() <= 1e-6 * MAX_DRIFT_PPM;
        can_be.then_some(lay)
    }

    /// Lays a version, which may have any rate, on the timeline.
    pub fn reader(&self, version: Box<dyn AudioReader>) -> LaidReader {
        let from = version.format().rate;
        let inner: Box<dyn AudioReader> = if from == self.rate {
            version
        } else {
            Box::new(ResampledReader::new(version, &ResamplePlan::new(from, self.rate)))
        };
        let channels = inner.format().channels;
        let mut lay = self.clone();
        // An order that does not fit is from a comparison of the means of the channels.
        if lay.order.len() != channels || lay.order.iter().any(|&channel| channel >= channels) {
            lay.order = (0..channels).collect();
        }
        let held = AudioBuffer::new(channels, 0);
        LaidReader { inner, lay, position: 0, held, held_from: 0, block: AudioBuffer::default() }
    }
}

/// A version on the reference's timeline, with the version's channels. It is silent where the version has no frames.
pub struct LaidReader {
    /// The version at the reference's rate.
    inner: Box<dyn AudioReader>,
    lay: Lay,
    position: u64,
    /// Frames of the version from `held_from` on, silent beyond its ends.
    held: AudioBuffer,
    held_from: i64,
    block: AudioBuffer,
}

impl LaidReader {
    /// Returns the frames of the version from which `count` frames of the timeline, from `first` on, are computed.
    fn needed(&self, first: u64, count: usize) -> Range<i64> {
        let line = &self.lay.line;
        if let Some(offset) = line.whole_offset() {
            let start = first as i64 + offset;
            return start..start + count as i64;
        }
        let reach = Interpolator::HALF as i64;
        let last = first as f64 + (count - 1) as f64;
        (line.at(first as f64).floor() as i64 - reach)..(line.at(last).floor() as i64 + reach + 1)
    }

    /// Fills `held` with the frames of a range. Frames already there are not read again.
    fn hold(&mut self, range: &Range<i64>) -> Result<()> {
        let held = self.held_from..self.held_from + self.held.frames() as i64;
        if range.start >= held.start && range.start <= held.end {
            self.held.drop_front((range.start - held.start) as usize);
        } else {
            self.held.clear();
        }
        self.held_from = range.start;
        let inner_frames = i64::try_from(self.inner.frames()).unwrap_or(i64::MAX);
        let wanted = (range.end - range.start) as usize;
        while self.held.frames() < wanted {
            let at = range.start + self.held.frames() as i64;
            let missing = wanted - self.held.frames();
            if at < 0 {
                let silent = missing.min(usize::try_from(-at).unwrap_or(missing));
                let frames = self.held.frames() + silent;
                self.held.resize(self.held.channels(), frames);
                continue;
            }
            let there = missing.min(usize::try_from(inner_frames - at).unwrap_or(0));
            if there > 0 {
                if self.inner.position() != at as u64 {
                    self.inner.seek(at as u64)?;
                }
                self.inner.read(&mut self.block, there)?;
            }
            // The version is at its end, or ends before its stated length.
            if there == 0 || self.block.is_empty() {
                break;
            }
            // Not finite counts as silence, as in the comparison.
            for channel in self.block.iter_mut() {
                channel.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
            }
            let count = self.block.frames().min(there);
            self.held.extend_from(&self.block, 0..count);
        }
        self.held.resize(self.held.channels(), wanted);
        Ok(())
    }

    /// Appends `count` frames of the timeline from `first` on.
    fn append(&mut self, first: u64, count: usize, out: &mut AudioBuffer) -> Result<()> {
        let range = self.needed(first, count);
        self.hold(&range)?;
        let Self { lay: Lay { line, sign, order, .. }, held, .. } = self;
        let done = out.frames();
        out.resize(order.len(), done + count);
        for (to, &from) in out.iter_mut().zip(order.iter()) {
            let (to, source) = (&mut to[done..], held.channel(from));
            if line.whole_offset().is_some() {
                to.copy_from_slice(source);
            } else {
                // The difference of a place and a whole number is exact, so that the place within a frame stays the same.
                let place = |n: usize| line.at((first + n as u64) as f64) - range.start as f64;
                Interpolator::shared().fill(source, place, to);
            }
            if *sign < 0.0 {
                to.iter_mut().for_each(|sample| *sample = -*sample);
            }
        }
        Ok(())
    }
}

impl AudioReader for LaidReader {
    fn format(&self) -> AudioFormat {
        self.inner.format().with_rate(self.lay.rate)
    }

    fn frames(&self) -> u64 {
        self.lay.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.lay.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let end = self.position + (frames as u64).min(self.lay.frames - self.position);
        out.resize(self.lay.order.len(), 0);
        out.clear();
        while self.position < end {
            let count = ((end - self.position) as usize).min(PIECE);
            self.append(self.position, count, out)?;
            self.position += count as u64;
        }
        Ok(())
    }
}

/// The difference between a version and the reference: `gain version - reference`, where the version has frames, and
/// silence elsewhere. If both have different numbers of channels, it is the difference of their means.
pub struct DifferenceReader {
    reference: Box<dyn AudioReader>,
    version: LaidReader,
    common: Range<u64>,
    gain: f32,
    channels: usize,
    blocks: [AudioBuffer; 2],
}

impl DifferenceReader {
    /// Creates the difference. `version` lies on the timeline of `reference`, and has frames for those of `common`.
    pub fn new(reference: Box<dyn AudioReader>, version: LaidReader, common: Range<u64>, gain: f32) -> Self {
        let [channels, others] = [reference.format().channels, version.format().channels];
        let channels = if channels == others { channels } else { 1 };
        Self { reference, version, common, gain, channels, blocks: Default::default() }
    }
}

impl AudioReader for DifferenceReader {
    fn format(&self) -> AudioFormat {
        self.reference.format().with_channels(self.channels)
    }

    fn frames(&self) -> u64 {
        self.version.frames()
    }

    fn position(&self) -> u64 {
        self.version.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.version.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let first = self.version.position();
        let [reference, version] = &mut self.blocks;
        self.version.read(version, frames)?;
        let count = version.frames();
        if self.reference.position() != first {
            self.reference.seek(first)?;
        }
        reference.resize(self.reference.format().channels, 0);
        reference.clear();
        let mut block = AudioBuffer::default();
        while reference.frames() < count {
            self.reference.read(&mut block, count - reference.frames())?;
            if block.is_empty() {
                break;
            }
            reference.extend_from(&block, 0..block.frames());
        }
        reference.resize(reference.channels(), count);
        out.resize(self.channels, 0);
        out.clear();
        out.resize(self.channels, count);
        let within = |n: usize| self.common.contains(&(first + n as u64));
        let is_mean = reference.channels() != version.channels();
        for (channel, to) in out.iter_mut().enumerate() {
            for (n, to) in to.iter_mut().enumerate().filter(|(n, _)| within(*n)) {
                let of = |buffer: &AudioBuffer| {
                    if is_mean { mean(buffer, n) } else { f64::from(buffer.channel(channel)[n]) }
                };
                let sample = of(reference);
                let sample = if sample.is_finite() { sample } else { 0.0 };
                *to = (of(version) * f64::from(self.gain) - sample) as f32;
            }
        }
        Ok(())
    }
}

fn mean(buffer: &AudioBuffer, frame: usize) -> f64 {
    let sum: f64 = buffer.iter().map(|channel| f64::from(channel[frame])).sum();
    sum / buffer.channels().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_known_by_its_key() {
        for (offset, slope, sign, order) in
            [(0.25, 1.0, 1.0, vec![]), (-1e6, 1.0002, -1.0, vec![1, 0]), (-0.0, 0.9999, 1.0, vec![0])]
        {
            let rate = SampleRate::new(44_100).unwrap();
            let lay = Lay { rate, frames: 882_000, line: Line { offset, slope }, sign, order };
            assert_eq!(Lay::of_key(&lay.key()), Some(lay));
        }
    }

    #[test]
    fn no_place_is_made_of_what_is_no_key() {
        let key =
            |offset: f64, slope: f64| format!("SampleRate(44100)|9|{}|{}|1|[0, 1]", offset.to_bits(), slope.to_bits());
        assert!(Lay::of_key(&key(1.0, 1.0)).is_some());
        for (offset, slope) in
            [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1e300, 1.0), (0.0, f64::NAN), (0.0, 0.0), (0.0, -1.0)]
        {
            assert_eq!(Lay::of_key(&key(offset, slope)), None, "{offset} {slope}");
        }
        for key in ["", "|||||", "SampleRate(0)|9|0|0|1|[]", "SampleRate(44100)|9|0|4607182418800017408|2|[]"] {
            assert_eq!(Lay::of_key(key), None, "{key}");
        }
    }
}
