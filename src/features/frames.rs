//! How a recording is divided for analysis: windows on a grid that depends on the rate, and blocks of windows with the
//! samples around them.
//!
//! A [`Layout`] holds the window length and the hop. [`WindowBlocks`] reads a stream from start to end in blocks of
//! windows. A [`Block`] holds each channel's own frames, for sums over time, and the mean of the channels with a margin
//! on both sides, for the stages that work on windows. Memory use is that of one block, however long the stream is.

use std::ops::Range;

use crate::audio::{AudioBuffer, AudioReader};
use crate::design::Window;
use crate::error::{Error, Result};
use crate::kernels::stft::{Samples, StftPlan, StftSpec};

/// The target length of a window, in seconds.
const WINDOW_S: f64 = 0.046;
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
    ///
    /// # Errors
    /// [`Error::Invalid`] for a size that the transform does not accept.
    pub fn plan(self) -> Result<StftPlan> {
        StftPlan::new(StftSpec { window: Window::Hann, size: self.size, padding: 1, hop: self.hop })
    }
}

/// A range of windows of a stream and the samples from which they are computed.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The windows, on the stream's grid.
    pub windows: Range<u64>,
    /// The block's own frames, `windows.start * hop..windows.end * hop`, cut at the stream's end. Together the blocks
    /// cover the stream without gap or overlap.
    pub own: Range<u64>,
    /// The channels: `lead` frames from before the block (silence before the stream) and the block's own frames.
    pub channels: AudioBuffer,
    /// The number of frames in `channels` before the block's own.
    pub lead: usize,
    mono: Vec<f32>,
    mono_first: i64,
}

impl Block {
    /// Returns the mean of all channels around the block: its own frames and the margins given to
    /// [`WindowBlocks::new`], as far as the stream reaches.
    pub fn mono(&self) -> Samples<'_> {
        Samples { samples: &self.mono, first_frame: self.mono_first }
    }

    /// Returns one channel's frames, without the lead.
    pub fn own_channel(&self, channel: usize) -> &[f32] {
        &self.channels.channel(channel)[self.lead..]
    }

    /// Returns the mean of all channels over the block's own frames.
    pub fn own_mono(&self) -> &[f32] {
        let from = (self.own.start as i64 - self.mono_first) as usize;
        &self.mono[from..][..(self.own.end - self.own.start) as usize]
    }
}

/// How a stream is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpec {
    /// Windows per block, 1 or more.
    pub windows: usize,
    /// Margin of the mean of the channels on both sides of a block, in frames.
    pub margin: usize,
    /// Frames of every channel before the block's own.
    pub lead: usize,
}

/// Reads a stream block by block. Non-finite samples are replaced by silence and counted.
pub struct WindowBlocks<'a> {
    reader: &'a mut dyn AudioReader,
    layout: Layout,
    cut: BlockSpec,
    frames: u64,
    next_window: u64,
    not_finite: u64,
    buffer: AudioBuffer,
    /// The channels from `start` on, and their mean.
    channels: AudioBuffer,
    mono: Vec<f32>,
    start: i64,
    ended: bool,
    /// Recycled blocks, whose memory is reused.
    spare: Vec<Block>,
}

impl<'a> WindowBlocks<'a> {
    /// Creates a reader of blocks and seeks to the start of the stream.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `cut.windows` is 0 or the stream has no channels; any error of seeking.
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
            channels: AudioBuffer::new(channels, 0),
            mono: Vec::new(),
            start: 0,
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
    ///
    /// # Errors
    /// Any error of reading.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        let hop = self.layout.hop as u64;
        let first = self.next_window;
        let own_start = first * hop;
        let own_end = own_start + self.cut.windows as u64 * hop;
        // The length is certain only once the samples after the block have been requested.
        self.read_up_to(own_end as i64 + self.cut.margin as i64)?;
        let total = self.layout.windows(self.frames);
        if first >= total {
            return Ok(None);
        }
        let end = total.min(first + self.cut.windows as u64);
        let own = own_start.min(self.frames)..(end * hop).min(self.frames);
        self.forget_before(own_start as i64 - self.cut.margin.max(self.cut.lead) as i64);
        let lead_start = own.start as i64 - self.cut.lead as i64;
        let Block { mut channels, mut mono, .. } = self.spare.pop().unwrap_or_default();
        channels.resize(self.channels.channels(), 0);
        for (plane, channel) in channels.as_mut_vecs().iter_mut().zip(self.channels.iter()) {
            plane.clear();
            Samples { samples: channel, first_frame: self.start }.extract(lead_start..own.end as i64, plane);
        }
        let mono_first = (own.start as i64 - self.cut.margin as i64).max(0);
        let mono_end = (own_end as i64 + self.cut.margin as i64).min(self.frames as i64);
        mono.clear();
        mono.extend_from_slice(&self.mono[(mono_first - self.start) as usize..(mono_end - self.start) as usize]);
        self.next_window = end;
        Ok(Some(Block { windows: first..end, own, channels, lead: self.cut.lead, mono, mono_first }))
    }

    /// Takes back a finished block, so that a later one reuses its memory.
    pub fn recycle(&mut self, block: Block) {
        self.spare.push(block);
    }

    fn forget_before(&mut self, frame: i64) {
        let count = (frame - self.start).clamp(0, self.mono.len() as i64) as usize;
        self.channels.drop_front(count);
        self.mono.drain(..count);
        self.start += count as i64;
    }

    fn read_up_to(&mut self, end: i64) -> Result<()> {
        loop {
            let known = self.start + self.mono.len() as i64;
            let wanted = end.min(self.frames as i64) - known;
            if self.ended || wanted <= 0 {
                return Ok(());
            }
            self.reader.read(&mut self.buffer, wanted as usize)?;
            if self.buffer.is_empty() {
                self.ended = true;
                self.frames = known as u64;
                return Ok(());
            }
            self.not_finite += silence_broken(&mut self.buffer);
            let frames = self.buffer.frames();
            self.channels.extend_from(&self.buffer, 0..frames);
            extend_mean(&self.buffer, &mut self.mono);
        }
    }
}

/// Replaces non-finite samples by silence and returns how many there were.
fn silence_broken(buffer: &mut AudioBuffer) -> u64 {
    let mut all = 0;
    for channel in buffer.iter_mut() {
        // Counts first, because almost all blocks have none.
        let broken = channel.iter().filter(|sample| !sample.is_finite()).count();
        if broken > 0 {
            all += broken as u64;
            channel.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
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
    let from = mono.len();
    mono.extend_from_slice(buffer.channel(0));
    let channels = buffer.channels();
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
