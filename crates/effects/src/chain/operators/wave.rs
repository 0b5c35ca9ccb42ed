//! Sound in memory, and sound to be rendered through a chain.

use std::ops::BitOr;
use std::path::Path;

use super::ChainBuilder;
use crate::chain::{Placement, Rendered, Seeking};
use audio::encode::{EncodeSettings, Encoded, Encoder, FileFormat, SampleFormat};
use audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, Layout, MemoryReader};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;

/// The number of frames moved at a time.
const BLOCK: usize = 1 << 16;

/// Sound in memory. To process sound that does not fit into memory, stream it: see [`AudioFile`] and [`Rendered`].
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// The samples.
    pub audio: AudioBuffer,
    /// Frames per second.
    pub rate: SampleRate,
    /// The loudspeakers of the channels; `None` if they are not known.
    pub layout: Option<Layout>,
}

impl Wave {
    /// Creates a wave from the samples of channels at a rate in Hz.
    pub fn from_channels(rate_hz: u32, channels: Vec<Vec<f32>>) -> Result<Self> {
        let (audio, rate) = (AudioBuffer::from_channels(channels), SampleRate::new(rate_hz)?);
        Ok(Self { layout: AudioFormat::new(rate, audio.channels()).layout(), audio, rate })
    }

    /// Reads a whole file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let mut reader = AudioFile::open(path.as_ref())?.reader()?;
        read_all(reader.as_mut())
    }

    /// Writes a WAV file of 32-bit floats. Does not overwrite an existing file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Encoded> {
        let settings =
            EncodeSettings { format: FileFormat::Wav, sample: SampleFormat::Float32, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(path.as_ref(), &settings, self.format(), false, &[])?;
        encoder.write(&self.audio)?;
        encoder.finish()
    }

    /// Returns the sample rate and the channels.
    pub fn format(&self) -> AudioFormat {
        AudioFormat::new(self.rate, self.audio.channels()).with_layout(self.layout)
    }
}

/// A wave and the chain to render it through. [`Through::render`] computes the result.
#[derive(Clone, Debug)]
#[must_use]
pub struct Through {
    wave: Wave,
    piece: ChainBuilder,
}

impl Through {
    /// Renders the whole output on the CPU. Measures first what effects need to know of the whole signal.
    pub fn render(self) -> Result<Wave> {
        self.render_on(&Placement::cpu())
    }

    /// Renders the whole output on the device that the placement chooses.
    pub fn render_on(self, placement: &Placement) -> Result<Wave> {
        let chain = self.piece.chain()?;
        let source = Box::new(MemoryReader::new(self.wave.rate, self.wave.audio).with_layout(self.wave.layout));
        read_all(&mut Rendered::measured(&chain, source, placement, Seeking::Exact, &Progress::new())?)
    }
}

impl BitOr<ChainBuilder> for Wave {
    type Output = Through;

    fn bitor(self, piece: ChainBuilder) -> Through {
        Through { wave: self, piece }
    }
}

impl BitOr<ChainBuilder> for Through {
    type Output = Self;

    fn bitor(self, piece: ChainBuilder) -> Self {
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
            return Ok(Wave { audio, rate: format.rate, layout: format.layout() });
        }
        audio.extend_from(&block, 0..block.frames());
    }
}
