//! Time: which frame of the recording belongs to which frame of the output.
//!
//! There are three frame counts. The *clock* counts the frames that the output has consumed since it was opened. An
//! *unrolled* frame is a frame of the recording as if its loop were written out: up to the end of the loop it is a
//! frame of the recording, then the loop repeats endlessly. If a chain changes the length, unrolled frames count the
//! chain's output, and a [`TimeMapping`] maps them to the recording. An *output frame* is an unrolled frame at the
//! output's rate, so that a rate conversion runs through the seams of a loop as through any other position.

use std::ops::Range;

use audio::{AudioBuffer, AudioFormat, AudioReader, ChannelMix};
use base::error::Result;
use effects::chain::TimeMapping;

/// The number of unrolled frames of a loop: more than sixteen days at any rate.
const ENDLESS: u64 = 1 << 41;
/// Loops up to this length in frames are kept in memory, so that a short loop does not seek constantly.
const CACHED_LOOP: u64 = 1 << 14;

/// The time map from one jump to the next: output frame `frame` is heard at `clock`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timeline {
    pub clock: u64,
    pub frame: u64,
    pub recording_rate: u32,
    pub output_rate: u32,
    /// The loop range in frames of the side that is heard.
    pub repeat: Option<Range<u64>>,
    /// The map between that side's frames and the recording's.
    pub mapping: TimeMapping,
}

impl Timeline {
    /// Returns the output frame at a clock.
    pub fn output_frame(&self, clock: u64) -> u64 {
        self.frame + clock.saturating_sub(self.clock)
    }

    /// Returns the output frame nearest to an unrolled frame.
    pub fn output_from_unrolled(unrolled: u64, recording_rate: u32, output_rate: u32) -> u64 {
        let (from, to) = (u128::from(recording_rate), u128::from(output_rate));
        ((2 * u128::from(unrolled) * to + from) / (2 * from)) as u64
    }

    /// Returns the recording's frame at a clock.
    pub fn recording_frame(&self, clock: u64) -> u64 {
        let (from, to) = (u128::from(self.recording_rate), u128::from(self.output_rate));
        let unrolled = (2 * u128::from(self.output_frame(clock)) * from + to) / (2 * to);
        self.mapping.input(fold(unrolled as u64, self.repeat.as_ref()))
    }

    /// Returns whether the unrolled frame at a clock still lies before the end of the loop's first pass.
    pub fn is_before_seam(&self, clock: u64) -> bool {
        let unrolled = u128::from(self.output_frame(clock)) * u128::from(self.recording_rate);
        self.repeat.as_ref().is_none_or(|range| unrolled < u128::from(range.end) * u128::from(self.output_rate))
    }
}

/// Returns the timeline from a change on; `seek` and `repeat` are in frames of the recording.
pub(super) fn next_timeline(
    last: Option<&Timeline>,
    seek: Option<u64>,
    at: u64,
    repeat: Option<&Range<u64>>,
    (recording_rate, output_rate): (u32, u32),
    mapping: TimeMapping,
) -> Timeline {
    let heard_repeat = repeat.map(|range| mapping.heard_range(range));
    let place = |frame: u64| {
        let frame = repeat.filter(|range| frame >= range.end).map_or(frame, |range| range.start);
        let frame = Timeline::output_from_unrolled(mapping.heard(frame), recording_rate, output_rate);
        Timeline { clock: at, frame, recording_rate, output_rate, repeat: heard_repeat.clone(), mapping }
    };
    match (last, seek) {
        (_, Some(frame)) => place(frame),
        (None, None) => place(0),
        (Some(last), None) if last.repeat == heard_repeat && last.mapping == mapping => last.clone(),
        (Some(last), None) => {
            let frame = last.recording_frame(at);
            let stays =
                last.mapping == mapping && last.is_before_seam(at) && repeat.is_none_or(|range| frame < range.end);
            // As long as the loop has not wrapped, both timelines count alike, and no fraction of a frame is lost.
            if stays {
                Timeline { clock: at, frame: last.output_frame(at), repeat: heard_repeat, ..*last }
            } else {
                place(frame)
            }
        }
    }
}

fn fold(unrolled: u64, repeat: Option<&Range<u64>>) -> u64 {
    match repeat {
        Some(range) if unrolled >= range.end => range.start + (unrolled - range.end) % (range.end - range.start),
        _ => unrolled,
    }
}

/// A recording unrolled, mixed to the output's channels and scaled by a gain, at its own rate.
pub(super) struct Unrolled<R: AudioReader + ?Sized> {
    inner: Box<R>,
    mix: ChannelMix,
    gain: f32,
    repeat: Option<Range<u64>>,
    /// The frames of the loop, once they were needed.
    cached: Option<AudioBuffer>,
    end: u64,
    position: u64,
    block: AudioBuffer,
    mixed: AudioBuffer,
}

impl<R: AudioReader + ?Sized> Unrolled<R> {
    /// Unrolls all of `inner` for an output of `channels` channels.
    pub fn new(inner: Box<R>, channels: usize) -> Self {
        let format = inner.format();
        Self {
            mix: ChannelMix::new(format, format.with_channels(channels)),
            gain: 1.0,
            repeat: None,
            cached: None,
            end: inner.frames(),
            position: 0,
            block: AudioBuffer::default(),
            mixed: AudioBuffer::default(),
            inner,
        }
    }

    /// Sets what is heard from now on: a loop, or everything up to `end`, with a gain.
    pub fn configure(&mut self, repeat: Option<Range<u64>>, end: u64, gain: f32) {
        self.cached = None;
        self.repeat = repeat;
        self.end = end.min(self.inner.frames());
        self.gain = gain;
    }

    /// The reader that is unrolled.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// Mutable access to the reader, positioned at an unrolled frame.
    pub fn inner_at(&mut self, unrolled: u64) -> Result<&mut R> {
        self.cached = None;
        self.inner.seek(fold(unrolled, self.repeat.as_ref()))?;
        Ok(&mut self.inner)
    }

    /// Fills `self.mixed` with frames `start..start + frames` of the recording. Frames that cannot be read are silent.
    fn read_mixed(&mut self, start: u64, frames: usize) -> Result<()> {
        if self.inner.position() != start {
            self.inner.seek(start)?;
        }
        let format = self.inner.format();
        // A chain can change its number of output channels.
        if self.mix.inputs() != format.channels {
            self.mix = ChannelMix::new(format, format.with_channels(self.mix.outputs()));
        }
        let mut mixed_whole: Option<AudioBuffer> = None;
        let mut left = frames;
        while left > 0 {
            self.inner.read(&mut self.block, left)?;
            if self.block.is_empty() {
                break;
            }
            left -= self.block.frames().min(left);
            self.mix.apply(&self.block, self.gain, &mut self.mixed);
            if left == 0 && mixed_whole.is_none() {
                return Ok(());
            }
            let whole = mixed_whole.get_or_insert_with(|| AudioBuffer::new(self.mix.outputs(), 0));
            whole.extend_from(&self.mixed, 0..self.mixed.frames());
        }
        self.mixed = mixed_whole.unwrap_or_else(|| AudioBuffer::new(self.mix.outputs(), 0));
        self.mixed.resize(self.mix.outputs(), frames);
        Ok(())
    }
}

impl<R: AudioReader + ?Sized> AudioReader for Unrolled<R> {
    fn format(&self) -> AudioFormat {
        self.inner.format().with_channels(self.mix.outputs())
    }

    fn frames(&self) -> u64 {
        if self.repeat.is_some() { ENDLESS } else { self.end }
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.resize(self.mix.outputs(), 0);
        out.clear();
        let mut left = (frames as u64).min(self.frames() - self.position) as usize;
        while left > 0 {
            let start = fold(self.position, self.repeat.as_ref());
            let count = match self.repeat.clone() {
                None => left,
                Some(range) => {
                    let count = (range.end - start).min(left as u64) as usize;
                    if range.contains(&start) && range.end - range.start <= CACHED_LOOP {
                        if self.cached.is_none() {
                            self.read_mixed(range.start, (range.end - range.start) as usize)?;
                            self.cached = Some(self.mixed.clone());
                        }
                        if let Some(cached) = &self.cached {
                            let from = (start - range.start) as usize;
                            out.extend_from(cached, from..from + count);
                        }
                        self.position += count as u64;
                        left -= count;
                        continue;
                    }
                    count
                }
            };
            self.read_mixed(start, count)?;
            out.extend_from(&self.mixed, 0..count);
            self.position += count as u64;
            left -= count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::virtual_output::Ramp;
    use super::*;

    #[test]
    fn a_loop_repeats_exactly_whatever_the_pieces() {
        for repeat in [3..7, 3..4, 0..10, 5..20_000] {
            let mut unrolled = Unrolled::new(Box::new(Ramp::new(48_000, 1, 30_000)), 1);
            unrolled.configure(Some(repeat.clone()), 30_000, 1.0);
            let mut out = AudioBuffer::default();
            let mut got = Vec::new();
            for piece in [1, 2, 3, 5000, 40_000, 7] {
                unrolled.read(&mut out, piece).unwrap();
                got.extend_from_slice(out.channel(0));
            }
            let (start, end) = (repeat.start as usize, repeat.end as usize);
            for (n, sample) in got.iter().enumerate() {
                let frame = if n < end { n } else { start + (n - end) % (end - start) };
                assert_eq!(*sample, Ramp::value(frame as u64, 0), "{repeat:?} at {n}");
            }
        }
    }

    #[test]
    fn times_map_there_and_back() {
        let timeline = Timeline {
            clock: 1000,
            frame: 480,
            recording_rate: 44_100,
            output_rate: 48_000,
            repeat: Some(0..441),
            mapping: TimeMapping::IDENTITY,
        };
        assert_eq!(timeline.recording_frame(1000), 0);
        assert!(!timeline.is_before_seam(1000));
        assert_eq!(timeline.recording_frame(1000 + 240), 221, "half-way through the second pass, rounded");
        assert_eq!(Timeline::output_from_unrolled(441, 44_100, 48_000), 480);
    }
}
