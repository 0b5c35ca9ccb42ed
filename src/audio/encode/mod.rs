//! Writing audio files: WAV and FLAC, dithered, counted, and never in the way of another file.

pub mod dither;
mod flac;
mod quantize;
mod safe;
mod tagging;
mod wav;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::audio::{AudioBuffer, AudioFormat, Tags};
use crate::error::{Error, Result};

pub use dither::Dither;
pub use safe::{SafeFile, UNFINISHED_PREFIX};

use flac::FlacWriter;
use quantize::{Levels, Quantizer, cleaned};
use tagging::TagBytes;
use wav::WavWriter;

/// A file format that can be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// WAV; RF64 beyond 4 GiB.
    #[default]
    Wav,
    /// FLAC.
    Flac,
}

impl FileFormat {
    /// The usual ending of file names, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }
}

/// A sample format that can be written. FLAC has the first two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum SampleFormat {
    Int16,
    #[default]
    Int24,
    Int32,
    Float32,
}

impl SampleFormat {
    /// Bytes of a sample.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Int16 => 2,
            Self::Int24 => 3,
            Self::Int32 | Self::Float32 => 4,
        }
    }

    /// Bits of a sample.
    pub const fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodeSettings {
    /// The file format.
    pub format: FileFormat,
    /// The sample format.
    pub sample: SampleFormat,
    /// What is done against the distortion of rounding; nothing is done at 32 bits, which hold all that an `f32` says.
    pub dither: Dither,
    /// Seeds the dither: the same audio and the same seed give the same file.
    pub seed: u64,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// Frames.
    pub frames: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Samples beyond full scale, which integers cut to it (floats keep them), and samples that were not numbers.
    pub clipped: u64,
    /// The greatest absolute value before cutting; full scale is 1.0.
    pub peak: f64,
    /// What was not as wished.
    pub warnings: Vec<String>,
}

/// A file being written. [`Encoder::finish`] gives it its name; dropping the encoder leaves nothing.
pub struct Encoder {
    file: SafeFile,
    settings: EncodeSettings,
    format: AudioFormat,
    container: Container,
    quantizer: Quantizer,
    levels: Levels,
    frames: u64,
    planar: Vec<Vec<i32>>,
    bytes: Vec<u8>,
}

enum Container {
    Wav(WavWriter),
    Flac(Box<FlacWriter>),
}

/// Bytes that are collected before they are handed to the system.
const WRITE_BYTES: usize = 1 << 20;

impl Encoder {
    /// Begins the file that is to stand at `target` and carry audio of `format`. An existing file is replaced only if
    /// `overwrite`; one of `inputs` never is, by whatever path or link.
    ///
    /// # Errors
    /// [`Error::Refused`] when a file would be harmed, [`Error::Unsupported`] or [`Error::Limit`] when the file format
    /// cannot carry this audio, [`Error::Io`] when the folder is missing or cannot be written to.
    pub fn create(
        target: &Path,
        settings: &EncodeSettings,
        format: AudioFormat,
        overwrite: bool,
        inputs: &[PathBuf],
    ) -> Result<Self> {
        let mut file = SafeFile::create(target, overwrite, inputs)?;
        let bits = settings.sample.bits();
        let container = match (settings.format, settings.sample) {
            (FileFormat::Wav, _) => Container::Wav(WavWriter::begin(&mut file, settings.sample, format)?),
            (FileFormat::Flac, SampleFormat::Int16 | SampleFormat::Int24) => {
                Container::Flac(Box::new(FlacWriter::begin(&mut file, bits, format)?))
            }
            (FileFormat::Flac, _) => {
                return Err(Error::unsupported("FLAC of 32 bits", "choose 16 or 24 bits, or WAV"));
            }
        };
        Ok(Self {
            file,
            settings: *settings,
            format,
            container,
            quantizer: Quantizer::new(bits, settings.dither, settings.seed, format.rate.hz(), format.channels),
            levels: Levels::default(),
            frames: 0,
            planar: vec![Vec::new(); format.channels],
            bytes: Vec::with_capacity(WRITE_BYTES + (1 << 16)),
        })
    }

    /// Lets the disk be full after so many more bytes.
    #[cfg(test)]
    pub(crate) fn fail_after(&mut self, bytes: u64) {
        self.file.room = Some(bytes);
    }

    /// Appends all frames of `audio`.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the channels differ from the format's; [`Error::Io`], such as a full disk.
    pub fn write(&mut self, audio: &AudioBuffer) -> Result<()> {
        if audio.channels() != self.format.channels {
            return Err(Error::invalid(
                "channels of a block to write",
                audio.channels().to_string(),
                self.format.channels.to_string(),
            ));
        }
        let frames = audio.frames();
        let mut start = 0;
        while start < frames {
            let count = self.quantizer.run(start, frames);
            if self.settings.sample == SampleFormat::Float32 {
                self.pack_floats(audio, start, count);
            } else {
                self.quantizer.quantize(audio, start, count, &mut self.planar, &mut self.levels);
                match &mut self.container {
                    Container::Wav(_) => wav::pack_integers(self.settings.sample, &self.planar, &mut self.bytes),
                    Container::Flac(flac) => flac.append(&mut self.file, &self.planar)?,
                }
            }
            if self.bytes.len() >= WRITE_BYTES {
                self.flush()?;
            }
            start += count;
        }
        self.quantizer.advance(frames);
        self.frames += frames as u64;
        Ok(())
    }

    fn pack_floats(&mut self, audio: &AudioBuffer, start: usize, count: usize) {
        let levels = &mut self.levels;
        let mut strange = false;
        let channels: Vec<&[f32]> = audio.iter().map(|channel| &channel[start..start + count]).collect();
        for channel in &channels {
            strange |= levels.count(channel);
        }
        if strange {
            let mut clean = vec![Vec::new(); channels.len()];
            let channels: Vec<&[f32]> = channels.iter().zip(&mut clean).map(|(c, clean)| cleaned(c, clean)).collect();
            wav::pack_floats(&channels, &mut self.bytes);
        } else {
            wav::pack_floats(&channels, &mut self.bytes);
        }
    }

    fn flush(&mut self) -> Result<()> {
        if let Container::Wav(wav) = &mut self.container {
            wav.append(&mut self.file, &self.bytes)?;
        }
        self.bytes.clear();
        Ok(())
    }

    /// Completes the file with `tags`, syncs it and gives it its name. Tags that cannot be written are told as warnings.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Refused`] when something came to stand at the target in the meantime. Nothing is left.
    pub fn finish(self) -> Result<Encoded> {
        self.finish_with(&Tags::default())
    }

    /// Completes the file with tags and pictures, syncs it and gives it its name. What could not be kept of the tags is
    /// among the warnings.
    ///
    /// # Errors
    /// As [`Encoder::finish`].
    pub fn finish_with(mut self, tags: &Tags) -> Result<Encoded> {
        self.flush()?;
        let mut warnings = Vec::new();
        if self.levels.not_numbers > 0 {
            warnings
                .push(format!("{} samples were not numbers; silence was written for them", self.levels.not_numbers));
        }
        if self.settings.dither == Dither::Shaped && self.settings.sample.bits() < 32 && !self.quantizer.shapes() {
            let rate = self.format.rate;
            warnings.push(format!("at {rate} noise cannot be moved out of hearing; plain triangular dither was used"));
        }
        let folder = self.file.folder();
        let tagged = match &self.container {
            Container::Wav(_) => tagging::wav_chunks(tags, folder),
            Container::Flac(_) => tagging::flac_blocks(Some(tags), folder).or_else(|error| {
                warnings.push(format!("the tags could not be kept: {error}"));
                tagging::flac_blocks(None, folder)
            }),
        };
        let tagged = tagged.unwrap_or_else(|error| TagBytes {
            bytes: Vec::new(),
            warnings: vec![format!("the tags could not be kept: {error}")],
        });
        warnings.extend(tagged.warnings);
        match self.container {
            Container::Wav(wav) => wav.end(&mut self.file, &tagged.bytes)?,
            Container::Flac(flac) => flac.end(&mut self.file, &tagged.bytes)?,
        }
        let bytes = self.file.commit()?;
        Ok(Encoded { frames: self.frames, bytes, clipped: self.levels.clipped, peak: self.levels.peak, warnings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::AudioFile;
    use crate::units::SampleRate;

    fn audio(frames: usize) -> AudioBuffer {
        let sample = |n: usize| ((n * 2_654_435_761) % 65_536) as f32 / 32_768.0 - 1.0;
        AudioBuffer::from_channels(vec![(0..frames).map(sample).collect(), (1..=frames).map(sample).collect()])
    }

    fn encoder(target: &Path, format: FileFormat) -> Result<Encoder> {
        let settings = EncodeSettings { format, sample: SampleFormat::Int16, dither: Dither::None, seed: 0 };
        let format = AudioFormat { rate: SampleRate::new(48_000)?, channels: 2 };
        Encoder::create(target, &settings, format, true, &[])
    }

    #[test]
    fn beyond_the_limit_of_riff_the_file_is_rf64_and_reads_the_same() -> Result<()> {
        let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
        let path = folder.path().join("long.wav");
        let audio = audio(5001);
        let mut tags = Tags::default();
        tags.items.insert("TITLE".into(), "Long".into());
        for (limit, id) in [(10_000, b"RF64"), (1 << 20, b"RIFF")] {
            let mut encoder = encoder(&path, FileFormat::Wav)?;
            if let Container::Wav(wav) = &mut encoder.container {
                wav.set_riff_limit(limit);
            }
            encoder.write(&audio)?;
            encoder.finish_with(&tags)?;
            let bytes = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
            assert_eq!(&bytes[..4], id);
            if id == b"RF64" {
                assert_eq!(&bytes[4..8], &[0xff; 4]);
                assert_eq!(&bytes[12..16], b"ds64");
                assert_eq!(bytes[20..28], (bytes.len() as u64 - 8).to_le_bytes());
                assert_eq!(bytes[28..36], (5001u64 * 4).to_le_bytes());
                assert_eq!(bytes[36..44], 5001u64.to_le_bytes());
            }
            let file = AudioFile::open(&path)?;
            assert_eq!((file.info().frames, file.info().warnings.len()), (5001, 0), "{:?}", file.info().warnings);
            let mut back = AudioBuffer::default();
            file.reader()?.read(&mut back, 6000)?;
            assert_eq!(back, audio);
        }
        Ok(())
    }

    #[test]
    fn a_full_disk_is_told_with_the_files_name_and_leaves_nothing() -> Result<()> {
        let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
        let audio = audio(200_000);
        for format in [FileFormat::Wav, FileFormat::Flac] {
            // In the middle of the sound, and in the last bytes of it.
            for room in [0, 100, 300_000, 700_000] {
                let path = folder.path().join("full");
                let mut encoder = encoder(&path, format)?;
                encoder.file.room = Some(room);
                let written = (0..4).try_for_each(|_| encoder.write(&audio)).and_then(|()| encoder.finish());
                let message = written.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(message.starts_with("cannot write") && message.ends_with("full"), "{room}: {message}");
                assert_eq!(std::fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(0));
            }
        }
        Ok(())
    }
}
