//! How a recording is divided for analysis: windows on a grid that depends on the rate, and blocks of windows with the
//! samples around them.
//!
//! A [`Layout`] holds the window length and the hop. [`WindowBlocks`] reads a stream from start to end in blocks of
//! windows, several at a time. A [`Block`] has the frames of each channel, for sums over time, and the mean of the
//! channels with a margin on both sides, for the stages that work on windows. Memory use depends on the blocks that are
//! read at a time and their margins, not on the length of the stream.

use std::ops::Range;
use std::sync::Arc;

use audio::{AudioBuffer, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::design::Window;
use dsp::kernels::signal::peak::peak;
use dsp::kernels::signal::stft::{Samples, StftPlan, StftSpec};

/// The target length of a window, in seconds.
const WINDOW_S: f64 = 0.046;
/// The maximum number of frames read at once, so that they are copied while they are in the cache.
const READ_FRAMES: usize = 1 << 14;
/// The maximum number of frames for which room is made before they are read.
const RESERVED_FRAMES: i64 = 1 << 20;
/// Hops per window: windows overlap by three quarters.
const HOPS_PER_WINDOW: usize = 4;

/// The analysis windows. Window `k` is centred on frame `k hop` and covers `size` frames, zero beyond the ends of the
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Frames of a window, a power of two.
    pub size: usize,
    /// Frames from the centre of one window to that of the next.
    pub hop: usize,
}

impl Layout {
    /// Returns the layout for a rate: the power of two nearest to 46 ms by ratio, at least 64 and at most 65,536 frames
    /// (2048 at 44.1 and 48 kHz, 1024 at 22.05 kHz, 4096 at 96 kHz), with a hop of a quarter window.
    pub fn of_rate(rate_hz: f64) -> Self {
        let sizes = StftSpec::SIZES;
        let size = (WINDOW_S * rate_hz).log2().round().exp2();
        let size = (size as usize).clamp(*sizes.start(), *sizes.end());
        Self { size, hop: size / HOPS_PER_WINDOW }
    }

    /// Returns the number of windows centred within a stream or on its end: `1 + frames / hop`, or 0 for an empty
    /// stream.
    pub fn windows(self, frames: u64) -> u64 {
        if frames == 0 { 0 } else { 1 + frames / self.hop as u64 }
    }

    /// Returns the frame on which a window is centred.
    pub fn centre(self, window: u64) -> u64 {
        window * self.hop as u64
    }

    /// Plans the short-time transform of these windows, with a periodic Hann window.
    pub fn plan(self) -> Result<StftPlan> {
        StftPlan::new(StftSpec { window: Window::Hann, size: self.size, padding: 1, hop: self.hop })
    }
}

/// A range of windows of a stream and the samples from which they are computed. Blocks that were read together share
/// their samples.
#[derive(Clone, Debug)]
pub struct Block {
    /// The windows, on the stream's grid.
    pub windows: Range<u64>,
    /// The block's frames without margins, `windows.start * hop..windows.end * hop`, cut at the stream's end. Together
    /// the blocks cover the stream without gap or overlap.
    pub frames: Range<u64>,
    cut: BlockSpec,
    /// The frames of `mono`.
    around: Range<i64>,
    stretch: Arc<Stretch>,
}

/// The samples of several blocks, and those around them.
#[derive(Debug, Default)]
struct Stretch {
    channels: AudioBuffer,
    /// The mean of all channels.
    mono: Vec<f32>,
    /// The frame of the first sample: negative at the start of the stream, which silence precedes.
    start: i64,
}

impl Stretch {
    fn places(&self, frames: Range<i64>) -> Range<usize> {
        (frames.start - self.start) as usize..(frames.end - self.start) as usize
    }

    /// The frame after the last sample.
    fn end(&self) -> i64 {
        self.start + self.mono.len() as i64
    }
}

impl Block {
    /// Returns the mean of all channels around the block: its frames and the margins given to [`WindowBlocks::new`], as
    /// far as the stream reaches.
    pub fn mono(&self) -> Samples<'_> {
        self.stretch_mono(self.around.clone())
    }

    /// Returns the mean of all channels around blocks that were read together; `None` if they were not.
    pub(in crate::features) fn mono_of(blocks: &[Self]) -> Option<Samples<'_>> {
        let (first, last) = (blocks.first()?, blocks.last()?);
        let together = blocks.iter().all(|block| Arc::ptr_eq(&block.stretch, &first.stretch));
        together.then(|| first.stretch_mono(first.around.start..last.around.end))
    }

    fn stretch_mono(&self, frames: Range<i64>) -> Samples<'_> {
        Samples { first_frame: frames.start, samples: &self.stretch.mono[self.stretch.places(frames)] }
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.stretch.channels.channels()
    }

    /// Returns one channel's frames.
    pub fn own_channel(&self, channel: usize) -> &[f32] {
        &self.channel_with_lead(channel)[self.cut.lead..]
    }

    /// Returns one channel's frames after `lead` frames from before the block, silence before the stream.
    pub fn channel_with_lead(&self, channel: usize) -> &[f32] {
        let frames = self.frames.start as i64 - self.cut.lead as i64..self.frames.end as i64;
        &self.stretch.channels.channel(channel)[self.stretch.places(frames)]
    }

    /// Returns the mean of all channels over the block's frames, without margins.
    pub fn own_mono(&self) -> &[f32] {
        &self.stretch.mono[self.stretch.places(self.frames.start as i64..self.frames.end as i64)]
    }
}

/// How a stream is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpec {
    /// Windows per block, 1 or more.
    pub windows: usize,
    /// Margin of the mean of the channels on both sides of a block, in frames.
    pub margin: usize,
    /// The number of frames of every channel before the block's first.
    pub lead: usize,
}

/// Reads a stream in blocks. Non-finite samples are replaced by silence and counted.
pub struct WindowBlocks<'a> {
    reader: &'a mut dyn AudioReader,
    layout: Layout,
    cut: BlockSpec,
    frames: u64,
    next_window: u64,
    not_finite: u64,
    buffer: AudioBuffer,
    /// The samples of the next blocks, as far as they are read.
    stretch: Stretch,
    ended: bool,
    /// The memory of recycled blocks.
    spare: Vec<Stretch>,
}

impl<'a> WindowBlocks<'a> {
    /// Creates a reader of blocks and seeks to the start of the stream.
    pub fn new(reader: &'a mut dyn AudioReader, layout: Layout, cut: BlockSpec) -> Result<Self> {
        let channels = reader.format().channels;
        if channels == 0 || cut.windows == 0 {
            let got = format!("{channels} channels in blocks of {} windows", cut.windows);
            return Err(Error::invalid("blocks of a stream", got, "one channel and one window or more"));
        }
        reader.seek(0)?;
        Ok(Self {
            frames: reader.frames(),
            reader,
            layout,
            cut,
            next_window: 0,
            not_finite: 0,
            buffer: AudioBuffer::default(),
            stretch: Stretch {
                channels: AudioBuffer::new(channels, cut.lead),
                mono: vec![0.0; cut.lead],
                start: -(cut.lead as i64),
            },
            ended: false,
            spare: Vec::new(),
        })
    }

    /// Returns the number of non-finite samples read so far.
    pub fn not_finite(&self) -> u64 {
        self.not_finite
    }

    /// Returns the number of frames of the stream. It is final once the stream has been read to its end: a damaged file
    /// can be shorter than it states.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Reads the next block. Returns `None` after the last.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        Ok(self.next_blocks(1, &Progress::new())?.pop())
    }

    /// Reads at most `count` blocks. Returns none after the last.
    pub fn next_blocks(&mut self, count: usize, progress: &Progress) -> Result<Vec<Block>> {
        let hop = self.layout.hop as u64;
        let (first, windows) = (self.next_window, self.cut.windows as u64);
        let margin = self.cut.margin as i64;
        let end = first.saturating_add(windows.saturating_mul(count as u64));
        // The length is certain only once the samples after the blocks have been requested.
        self.read_up_to(end.saturating_mul(hop).min(i64::MAX as u64 / 2) as i64 + margin, progress)?;
        let end = end.min(self.layout.windows(self.frames));
        if first >= end {
            return Ok(Vec::new());
        }
        let stretch = self.take_stretch((end * hop) as i64 - margin.max(self.cut.lead as i64));
        let cut_at = |frame: u64| frame.min(self.frames);
        let block = |first: u64| {
            let windows = first..end.min(first + windows);
            let frames = cut_at(windows.start * hop)..cut_at(windows.end * hop);
            let (from, to) = (frames.start as i64, (windows.end * hop) as i64);
            let around = (from - margin).max(0)..(to + margin).min(self.frames as i64);
            Block { windows, frames, cut: self.cut, around, stretch: Arc::clone(&stretch) }
        };
        let blocks = (first..end).step_by(self.cut.windows).map(block).collect();
        self.next_window = end;
        Ok(blocks)
    }

    /// Takes back finished blocks, so that later ones reuse their memory.
    pub fn recycle(&mut self, blocks: Vec<Block>) {
        self.spare.extend(blocks.into_iter().filter_map(|block| Arc::into_inner(block.stretch)));
    }

    /// Returns what is read, and begins the next stretch with the samples from the frame `keep` on.
    fn take_stretch(&mut self, keep: i64) -> Arc<Stretch> {
        let keep = keep.clamp(self.stretch.start, self.stretch.end());
        let Stretch { mut channels, mut mono, .. } = self.spare.pop().unwrap_or_default();
        let kept = self.stretch.places(keep..self.stretch.end());
        channels.resize(self.stretch.channels.channels(), 0);
        channels.extend_from(&self.stretch.channels, kept.clone());
        mono.clear();
        mono.extend_from_slice(&self.stretch.mono[kept]);
        Arc::new(std::mem::replace(&mut self.stretch, Stretch { channels, mono, start: keep }))
    }

    fn read_up_to(&mut self, end: i64, progress: &Progress) -> Result<()> {
        // The stated length may be wrong, so the room that it asks for is limited.
        let expected = (end.min(self.frames as i64) - self.stretch.end()).clamp(0, RESERVED_FRAMES) as usize;
        self.stretch.channels.reserve(expected);
        self.stretch.mono.reserve(expected);
        loop {
            progress.check()?;
            let known = self.stretch.end();
            let wanted = end.min(self.frames as i64) - known;
            if self.ended || wanted <= 0 {
                return Ok(());
            }
            self.reader.read(&mut self.buffer, (wanted as usize).min(READ_FRAMES))?;
            if self.buffer.is_empty() {
                self.ended = true;
                self.frames = known as u64;
                return Ok(());
            }
            self.not_finite += silence_broken(&mut self.buffer);
            let frames = self.buffer.frames();
            self.stretch.channels.extend_from(&self.buffer, 0..frames);
            extend_mean(&self.buffer, &mut self.stretch.mono);
        }
    }
}

/// Replaces non-finite samples by silence and returns how many there were.
fn silence_broken(buffer: &mut AudioBuffer) -> u64 {
    let mut all = 0;
    for channel in buffer.iter_mut() {
        // Almost all blocks have none.
        if peak(channel).is_finite() {
            continue;
        }
        for sample in channel.iter_mut().filter(|sample| !sample.is_finite()) {
            *sample = 0.0;
            all += 1;
        }
    }
    all
}

/// The mean of the channels over part of a stream, computed as in [`WindowBlocks`].
#[derive(Default)]
pub(super) struct Mean {
    pub samples: Vec<f32>,
    buffer: AudioBuffer,
}

impl Mean {
    /// Reads the given frames, as far as the stream has them.
    pub fn read(&mut self, reader: &mut dyn AudioReader, frames: Range<u64>) -> Result<()> {
        self.samples.clear();
        let end = frames.end.min(reader.frames());
        if frames.start >= end {
            return Ok(());
        }
        if reader.position() != frames.start {
            reader.seek(frames.start)?;
        }
        let wanted = (end - frames.start) as usize;
        while self.samples.len() < wanted {
            reader.read(&mut self.buffer, wanted - self.samples.len())?;
            if self.buffer.is_empty() {
                break;
            }
            silence_broken(&mut self.buffer);
            extend_mean(&self.buffer, &mut self.samples);
        }
        Ok(())
    }
}

/// Appends the mean of all channels, summed in channel order.
fn extend_mean(buffer: &AudioBuffer, mono: &mut Vec<f32>) {
    let channels = buffer.channels();
    if channels == 2 {
        mono.extend(buffer.channel(0).iter().zip(buffer.channel(1)).map(|(left, right)| (left + right) * 0.5));
        return;
    }
    let from = mono.len();
    mono.extend_from_slice(buffer.channel(0));
    if channels == 1 {
        return;
    }
    let mean = &mut mono[from..];
    for channel in 1..channels {
        for (sum, x) in mean.iter_mut().zip(buffer.channel(channel)) {
            *sum += x;
        }
    }
    let share = 1.0 / channels as f32;
    for sum in mean {
        *sum *= share;
    }
}
