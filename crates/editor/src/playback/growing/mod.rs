//! Sound that is still being computed, as a playback source: synchronous parts of equal length, whose first frames are
//! settled.
//!
//! The parts are in an unnamed file, which the system removes with its last handle, even after a crash. It has the
//! samples of all parts, frame by frame. The sum of the chosen parts is heard; the choice is applied where a chain
//! would be, so that playback cross-fades to it at the same frame. The engine renders no further than
//! [`PlaybackSource::settled_frames`] and stops there.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::source::{MatchingGain, PlaybackSource, PreviewRender};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::files;
use base::progress::Progress;
use effects::chain::{Chain, MeasuredMap};

/// The bytes of a sample.
const SAMPLE_BYTES: usize = 4;
/// The most parts: a bit of the choice for each.
pub const MAX_PARTS: usize = 64;
/// The most frames that are read at once.
const READ_FRAMES: usize = 1 << 14;

/// Parts of a sound that is still being computed. One thread appends to it, any number reads.
#[derive(Debug)]
pub struct Growing {
    file: File,
    format: AudioFormat,
    parts: usize,
    frames: u64,
    settled: AtomicU64,
    /// The parts that are heard, a bit for each.
    heard: AtomicU64,
}

impl Growing {
    /// Begins a sound of `parts` parts, all of them heard, with `frames` frames each. Its file is made in `folder`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no parts, or more than [`MAX_PARTS`].
    pub fn begin(folder: &Path, format: AudioFormat, parts: usize, frames: u64) -> Result<Self> {
        if !(1..=MAX_PARTS).contains(&parts) {
            return Err(Error::invalid("number of parts", parts.to_string(), format!("1 to {MAX_PARTS}")));
        }
        let file =
            tempfile::tempfile_in(folder).map_err(|source| Error::io("write into the folder", folder, source))?;
        let heard = AtomicU64::new(u64::MAX >> (MAX_PARTS - parts));
        Ok(Self { file, format, parts, frames, settled: AtomicU64::new(0), heard })
    }

    /// Returns the sample rate and channels of each part.
    pub fn format(&self) -> AudioFormat {
        self.format
    }

    /// Returns the length of each part once all is there.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the number of frames that are there and do not change any more.
    pub fn settled_frames(&self) -> u64 {
        self.settled.load(Ordering::Acquire)
    }

    /// Returns whether a part is heard.
    pub fn is_heard(&self, part: usize) -> bool {
        part < self.parts && self.heard.load(Ordering::Relaxed) >> part & 1 == 1
    }

    /// Chooses the parts that are heard. It is taken up with the next [`super::Player::set_chain`].
    pub fn hear(&self, is_heard: impl Fn(usize) -> bool) {
        let bits = (0..self.parts).filter(|part| is_heard(*part)).fold(0, |bits, part| bits | 1 << part);
        self.heard.store(bits, Ordering::Relaxed);
    }

    /// Appends the next frames of all parts. Frames beyond the length are left out.
    ///
    /// # Errors
    /// [`Error::Internal`] for blocks of other parts, channels or unequal lengths. After any error nothing of the
    /// blocks is settled.
    pub fn append(&self, blocks: &[&AudioBuffer]) -> Result<()> {
        let count = blocks.first().map_or(0, |block| block.frames());
        let fits = |block: &&AudioBuffer| block.channels() == self.format.channels && block.frames() == count;
        if blocks.len() != self.parts || !blocks.iter().all(fits) {
            return Err(Error::Internal("blocks of another sound".to_owned()));
        }
        let settled = self.settled.load(Ordering::Relaxed);
        let count = (count as u64).min(self.frames - settled) as usize;
        let mut bytes = Vec::with_capacity(count * self.stride());
        for frame in 0..count {
            for channel in blocks.iter().flat_map(|block| block.iter()) {
                bytes.extend_from_slice(&channel[frame].to_le_bytes());
            }
        }
        let failed = |source| Error::io("write", Path::new("the part that is heard before all is done"), source);
        files::write_at(&self.file, settled * self.stride() as u64, &bytes).map_err(failed)?;
        self.settled.store(settled + count as u64, Ordering::Release);
        Ok(())
    }

    /// Returns the bytes of a frame of all parts.
    fn stride(&self) -> usize {
        self.parts * self.format.channels * SAMPLE_BYTES
    }

    /// Adds the parts in `heard`, from `frame` on, to the frames of `out`. The frames must be settled.
    fn add(&self, frame: u64, heard: u64, bytes: &mut [u8], out: &mut [Vec<f32>], from: usize) -> Result<()> {
        let failed = |source| Error::io("read", Path::new("the part that is heard before all is done"), source);
        let (stride, channels) = (self.stride(), self.format.channels);
        let got = files::read_at(&self.file, frame * stride as u64, bytes).map_err(failed)?;
        for (n, samples) in bytes[..got].chunks_exact(stride).enumerate() {
            let (samples, _) = samples.as_chunks::<SAMPLE_BYTES>();
            for (place, sample) in samples.iter().enumerate() {
                if heard >> (place / channels) & 1 == 1 {
                    out[place % channels][from + n] += f32::from_le_bytes(*sample);
                }
            }
        }
        Ok(())
    }
}

/// A growing sound that can be played.
pub struct GrowingSource(Arc<Growing>);

impl GrowingSource {
    /// Creates a source of a growing sound.
    pub fn new(growing: Arc<Growing>) -> Self {
        Self(growing)
    }

    fn reader(&self, heard: u64) -> GrowingReader {
        GrowingReader { growing: Arc::clone(&self.0), heard, position: 0, bytes: Vec::new() }
    }
}

impl PlaybackSource for GrowingSource {
    fn format(&self) -> AudioFormat {
        self.0.format
    }

    fn frames(&self) -> u64 {
        self.0.frames
    }

    fn settled_frames(&self) -> u64 {
        self.0.settled_frames()
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        Ok(Box::new(self.reader(u64::MAX)))
    }

    fn processed(&self, _: &Chain, _: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        Ok(Box::new(self.reader(self.0.heard.load(Ordering::Relaxed))))
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }

    // All of it would have to be there.
    fn matching_gain(&self) -> MatchingGain {
        MatchingGain::Exact(0.0)
    }
}

/// The sum of the parts that are heard. Frames that are not settled are silent.
struct GrowingReader {
    growing: Arc<Growing>,
    heard: u64,
    position: u64,
    bytes: Vec<u8>,
}

impl AudioReader for GrowingReader {
    fn format(&self) -> AudioFormat {
        self.growing.format
    }

    fn frames(&self) -> u64 {
        self.growing.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.growing.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.growing.frames - self.position) as usize;
        out.clear();
        out.resize(self.growing.format.channels, count);
        let settled = self.growing.settled_frames().saturating_sub(self.position).min(count as u64) as usize;
        let mut done = 0;
        while done < settled {
            let some = READ_FRAMES.min(settled - done);
            self.bytes.resize(some * self.growing.stride(), 0);
            let at = self.position + done as u64;
            self.growing.add(at, self.heard, &mut self.bytes, out.as_mut_vecs(), done)?;
            done += some;
        }
        self.position += count as u64;
        Ok(())
    }
}

impl PreviewRender for GrowingReader {
    fn set_chain(&mut self, _: &Chain, _: &MeasuredMap) -> Result<()> {
        self.heard = self.growing.heard.load(Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
