//! Sound in memory, and sound on its way through a chain.

use std::ops::BitOr;
use std::path::Path;

use super::Piece;
use crate::audio::encode::{EncodeSettings, Encoded, Encoder, FileFormat, SampleFormat};
use crate::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader};
use crate::chain::{Placement, Rendered, Seeking, measure_whole};
use crate::error::Result;
use crate::progress::Progress;
use crate::units::SampleRate;

/// Frames that are moved at a time.
const BLOCK: usize = 1 << 16;

/// Sound in memory. What is too long for that is read and rendered as a stream: see [`AudioFile`] and [`Rendered`].
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// The samples.
    pub audio: AudioBuffer,
    /// Frames per second.
    pub rate: SampleRate,
}

impl Wave {
    /// The samples of channels at a rate in hertz.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for a rate that is none.
    pub fn from_channels(rate_hz: u32, channels: Vec<Vec<f32>>) -> Result<Self> {
        Ok(Self { audio: AudioBuffer::from_channels(channels), rate: SampleRate::new(rate_hz)? })
    }

    /// All of a file.
    ///
    /// # Errors
    /// As [`AudioFile::open`] and its readers.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let mut reader = AudioFile::open(path.as_ref())?.reader()?;
        read_all(reader.as_mut())
    }

    /// Writes a WAV file of 32-bit floats. A file that stands there already is left alone.
    ///
    /// # Errors
    /// As [`Encoder::create`] and [`Encoder::finish`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Encoded> {
        let settings =
            EncodeSettings { format: FileFormat::Wav, sample: SampleFormat::Float32, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(path.as_ref(), &settings, self.format(), false, &[])?;
        encoder.write(&self.audio)?;
        encoder.finish()
    }

    /// Rate and channels.
    pub fn format(&self) -> AudioFormat {
        AudioFormat { rate: self.rate, channels: self.audio.channels() }
    }
}

/// A wave on its way through a chain, which [`Through::render`] computes.
#[derive(Clone, Debug)]
#[must_use]
pub struct Through {
    wave: Wave,
    piece: Piece,
}

impl Through {
    /// The whole output, on the CPU. What effects must know of the whole signal is measured first.
    ///
    /// # Errors
    /// As [`Piece::chain`] and [`crate::chain::Plan::new`].
    pub fn render(self) -> Result<Wave> {
        self.render_on(&Placement::cpu())
    }

    /// The whole output, computed where the placement says.
    ///
    /// # Errors
    /// As [`Through::render`].
    pub fn render_on(self, placement: &Placement) -> Result<Wave> {
        let chain = self.piece.chain()?;
        let mut source = InMemory { wave: self.wave, position: 0 };
        let measured = measure_whole(&chain, &mut source, "", placement, &Progress::new())?;
        let mut rendered = Rendered::new(&chain, Box::new(source), placement, &measured, Seeking::Exact)?;
        read_all(&mut rendered)
    }
}

impl BitOr<Piece> for Wave {
    type Output = Through;

    fn bitor(self, piece: Piece) -> Through {
        Through { wave: self, piece }
    }
}

impl BitOr<Piece> for Through {
    type Output = Self;

    fn bitor(self, piece: Piece) -> Self {
        Self { wave: self.wave, piece: self.piece | piece }
    }
}

fn read_all(reader: &mut dyn AudioReader) -> Result<Wave> {
    let format = reader.format();
    let mut audio = AudioBuffer::new(format.channels, 0);
    let mut block = AudioBuffer::default();
    loop {
        reader.read(&mut block, BLOCK)?;
        if block.is_empty() {
            return Ok(Wave { audio, rate: format.rate });
        }
        audio.extend_from(&block, 0..block.frames());
    }
}

/// A wave as a stream.
struct InMemory {
    wave: Wave,
    position: usize,
}

impl AudioReader for InMemory {
    fn format(&self) -> AudioFormat {
        self.wave.format()
    }

    fn frames(&self) -> u64 {
        self.wave.audio.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = usize::try_from(frame).map_or(self.wave.audio.frames(), |at| at.min(self.wave.audio.frames()));
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.clear();
        out.resize(self.wave.audio.channels(), 0);
        let end = self.wave.audio.frames().min(self.position.saturating_add(frames));
        out.extend_from(&self.wave.audio, self.position..end);
        self.position = end;
        Ok(())
    }
}
