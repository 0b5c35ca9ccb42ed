//! Writes audio files: WAV and FLAC, with dither; Ogg Vorbis, Opus and, where the system has LAME, MP3. Counts clipped
//! samples. Replaces an existing file only if the caller asks for it.

pub mod dither;
mod flac;
mod forecast;
mod growing;
mod lame;
mod lossy;
mod mp3;
mod ogg;
mod output;
mod quantize;
mod settings;
mod stretches;
pub(crate) mod tagging;
#[cfg(test)]
mod tests;
mod wav;

use std::path::Path;

use crate::markers::{self, MarkerList};
use crate::tags;
use crate::{AudioBuffer, AudioFormat, Tags};
use base::error::{Error, Result};
use base::units::db_from_gain;

pub use crate::file_format::FileFormat;
pub use base::files::{Protected, SafeFile, UNFINISHED_PREFIX};
pub use dither::Dither;
pub use forecast::{FileSize, size, tag_limits};
pub use growing::{GrowingWav, repair, written_format};
pub use lossy::{LossySettings, MP3_KBPS, OpusApplication};
pub use quantize::QuantizeLevels;
pub use settings::{EncodeSettings, SampleFormat};
pub use stretches::Stretches;

use flac::FlacWriter;
use ogg::opus::OpusWriter;
use ogg::vorbis::VorbisWriter;
use output::EncodeOutput;
use quantize::{Quantizer, cleaned};
use wav::WavWriter;

/// The result of writing a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The number of frames.
    pub frames: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The number of samples that were clipped: those beyond full scale, of integers.
    pub clipped: u64,
    /// The peak absolute value before clipping; full scale is 1.0.
    pub peak: f64,
    /// Human-readable warnings.
    pub warnings: Vec<String>,
}

/// A file being written. [`Encoder::finish`] gives it its final name. Dropping the encoder removes the file.
pub struct Encoder {
    file: EncodeOutput,
    settings: EncodeSettings,
    /// The tags given at the beginning.
    tags: Tags,
    markers: MarkerList,
    warnings: Vec<String>,
    format: AudioFormat,
    container: Container,
    quantizer: Quantizer,
    /// Frames for which it is not yet decided whether they are dithered.
    undecided: AudioBuffer,
    levels: QuantizeLevels,
    frames: u64,
    planar: Vec<Vec<i32>>,
    bytes: Vec<u8>,
}

enum Container {
    Wav(WavWriter),
    Flac(Box<FlacWriter>),
    Vorbis(Box<VorbisWriter>),
    Opus(Box<OpusWriter>),
    Mp3(Box<mp3::Mp3Writer>),
}

/// The number of bytes that are buffered before they are written to the file.
const WRITE_BYTES: usize = 1 << 20;
/// The frames of floats that are packed at a time.
const FLOAT_FRAMES: usize = 1024;
/// The largest absolute sample passed to lossy encoders, 18 dB above full scale. Far higher levels break their
/// psychoacoustic models.
const LOSSY_MAX: f32 = 8.0;

impl Encoder {
    /// Creates the file that will appear at `target` with audio of `format`. An existing file is replaced only if
    /// `overwrite` is set. A file among `inputs` is never replaced, whatever path or link leads to it.
    pub fn create(
        target: &Path,
        settings: &EncodeSettings,
        format: AudioFormat,
        overwrite: bool,
        inputs: impl Into<Protected>,
    ) -> Result<Self> {
        Self::create_tagged(target, settings, format, overwrite, inputs, &Tags::default())
    }

    /// Like [`Encoder::create`], with the tags and pictures of the file. The lossy formats store them at the beginning.
    /// For the others, tags may also be given at the end ([`Encoder::finish_with`]).
    pub fn create_tagged(
        target: &Path,
        settings: &EncodeSettings,
        format: AudioFormat,
        overwrite: bool,
        inputs: impl Into<Protected>,
        tags: &Tags,
    ) -> Result<Self> {
        Self::create_marked(target, settings, format, overwrite, inputs, tags, &MarkerList::default(), None)
    }

    /// Like [`Encoder::create_tagged`], with markers at frames of the file. `frames` is the length of the file, if it is
    /// known: in MP3, the last chapter ends there.
    #[allow(clippy::too_many_arguments, reason = "a file is all of these")]
    pub fn create_marked(
        target: &Path,
        settings: &EncodeSettings,
        format: AudioFormat,
        overwrite: bool,
        inputs: impl Into<Protected>,
        tags: &Tags,
        markers: &MarkerList,
        frames: Option<u64>,
    ) -> Result<Self> {
        settings.check(format)?;
        let file = EncodeOutput::File(SafeFile::create(target, overwrite, inputs)?);
        Self::begin(file, settings, format, tags, markers, frames)
    }

    /// Creates a file in memory, without tags, that [`Encoder::finish_in_memory`] returns.
    pub fn in_memory(settings: &EncodeSettings, format: AudioFormat) -> Result<Self> {
        settings.check(format)?;
        let file = EncodeOutput::Memory(Vec::new());
        Self::begin(file, settings, format, &Tags::default(), &MarkerList::default(), None)
    }

    fn begin(
        mut file: EncodeOutput,
        settings: &EncodeSettings,
        format: AudioFormat,
        tags: &Tags,
        markers: &MarkerList,
        frames: Option<u64>,
    ) -> Result<Self> {
        let kind = settings.format;
        let bits = settings.sample.bits();
        let mut bytes = Vec::with_capacity(WRITE_BYTES + (1 << 16));
        let mut warnings = markers::file_limits(kind, markers);
        warnings.extend(kind.layout_limit(format));
        let commented = tags_with_chapters(tags, markers, format);
        let container = match (kind, settings.sample) {
            (FileFormat::Wav, _) => {
                let chunks = tags::sound_chunks(tags);
                Container::Wav(WavWriter::begin(&mut file, settings.sample, format, &chunks)?)
            }
            (FileFormat::Flac, SampleFormat::Int16 | SampleFormat::Int24) => {
                Container::Flac(Box::new(FlacWriter::begin(&mut file, bits, format)?))
            }
            (FileFormat::Flac, _) => {
                return Err(Error::unsupported("FLAC of 32 bits", "Choose 16 or 24 bits, or WAV"));
            }
            (FileFormat::Vorbis, _) => {
                Container::Vorbis(Box::new(VorbisWriter::begin(&settings.lossy, format, &commented)?))
            }
            (FileFormat::Opus, _) => {
                let mut writer = OpusWriter::new(&settings.lossy, format)?;
                writer.head(settings.source_rate, &commented, &mut bytes);
                Container::Opus(Box::new(writer))
            }
            (FileFormat::Mp3, _) => {
                let chapters = markers::id3::frames(markers, format.rate, frames, 4);
                let id3 = markers::id3::tag_with(&chapters, &tags::id3(tags));
                Container::Mp3(Box::new(mp3::Mp3Writer::begin(&mut file, &settings.lossy, format, &id3)?))
            }
        };
        Ok(Self {
            file,
            settings: *settings,
            tags: tags.clone(),
            markers: markers.clone(),
            warnings,
            format,
            container,
            quantizer: Quantizer::new(bits, settings.dither, settings.seed, format.rate.hz(), format.channels),
            undecided: AudioBuffer::new(format.channels, 0),
            levels: QuantizeLevels::default(),
            frames: 0,
            planar: vec![Vec::new(); format.channels],
            bytes,
        })
    }

    /// Makes writes to a file fail after `bytes` more bytes as on a full disk, so that tests see what becomes of it.
    pub fn fail_after(&mut self, bytes: u64) {
        if let EncodeOutput::File(file) = &mut self.file {
            file.fail_after(bytes);
        }
    }

    /// Appends all frames of `audio`.
    pub fn write(&mut self, audio: &AudioBuffer) -> Result<()> {
        if audio.channels() != self.format.channels {
            return Err(Error::invalid(
                "channels of a block to write",
                audio.channels().to_string(),
                self.format.channels.to_string(),
            ));
        }
        self.frames += audio.frames() as u64;
        if self.settings.format.is_lossy() {
            return self.write_lossy(audio);
        }
        if self.settings.sample == SampleFormat::Float32 {
            return self.write_floats(audio);
        }
        if !self.quantizer.dithers() {
            return self.write_integers(audio, audio.frames());
        }
        let mut undecided = std::mem::take(&mut self.undecided);
        undecided.extend_from(audio, 0..audio.frames());
        let decided = self.quantizer.look_at(audio);
        self.write_integers(&undecided, decided)?;
        undecided.drop_front(decided);
        self.undecided = undecided;
        Ok(())
    }

    /// Writes the first `frames` frames, for which it is decided where they are dithered.
    fn write_integers(&mut self, audio: &AudioBuffer, frames: usize) -> Result<()> {
        let mut start = 0;
        while start < frames {
            let count = self.quantizer.run(start, frames);
            self.quantizer.quantize(audio, start, count, &mut self.planar, &mut self.levels);
            match &mut self.container {
                Container::Wav(_) => wav::pack_integers(self.settings.sample, &self.planar, &mut self.bytes),
                Container::Flac(flac) => flac.append(&mut self.file, &self.planar)?,
                _ => return Err(Error::Internal("a lossy format was given integers".into())),
            }
            if self.bytes.len() >= WRITE_BYTES {
                self.flush()?;
            }
            start += count;
        }
        self.quantizer.advance(frames);
        Ok(())
    }

    fn write_floats(&mut self, audio: &AudioBuffer) -> Result<()> {
        let frames = audio.frames();
        let mut start = 0;
        while start < frames {
            let count = FLOAT_FRAMES.min(frames - start);
            self.pack_floats(audio, start, count);
            if self.bytes.len() >= WRITE_BYTES {
                self.flush()?;
            }
            start += count;
        }
        Ok(())
    }

    fn write_lossy(&mut self, audio: &AudioBuffer) -> Result<()> {
        let mut clean = Vec::new();
        let mut channels: Vec<&[f32]> = audio.iter().collect();
        let mut strange = false;
        for channel in &channels {
            strange |= self.levels.count(channel) || self.levels.peak > f64::from(LOSSY_MAX);
        }
        if strange {
            let tame = |samples: &&[f32]| -> Vec<f32> {
                let mut tame = Vec::new();
                cleaned(samples, &mut tame);
                tame.iter_mut().for_each(|sample| *sample = sample.clamp(-LOSSY_MAX, LOSSY_MAX));
                tame
            };
            clean.extend(channels.iter().map(tame));
            channels = clean.iter().map(Vec::as_slice).collect();
        }
        match &mut self.container {
            Container::Vorbis(vorbis) => vorbis.append(&channels, &mut self.bytes)?,
            Container::Opus(opus) => opus.append(&channels, &mut self.bytes)?,
            Container::Mp3(mp3) => mp3.append(&mut self.file, &channels)?,
            Container::Wav(_) | Container::Flac(_) => {}
        }
        if self.bytes.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
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
        match &mut self.container {
            Container::Wav(wav) => wav.append(&mut self.file, &self.bytes)?,
            _ => self.file.append(&self.bytes)?,
        }
        self.bytes.clear();
        Ok(())
    }

    /// Completes the file with the tags given at the beginning, syncs it and gives it its final name. Tags that cannot
    /// be written cause warnings.
    ///
    /// # Errors
    /// [`Error::Refused`] if a file has appeared at the target in the meantime. No file is left behind.
    pub fn finish(self) -> Result<Encoded> {
        let tags = self.tags.clone();
        self.finish_with(&tags)
    }

    /// Completes the file with tags and pictures, syncs it and gives it its final name. Tags that cannot be written
    /// cause warnings.
    pub fn finish_with(self, tags: &Tags) -> Result<Encoded> {
        let (encoded, file) = self.end(tags)?;
        match file {
            EncodeOutput::File(file) => Ok(Encoded { bytes: file.commit()?, ..encoded }),
            EncodeOutput::Memory(_) => Err(Error::Internal("a file in memory was finished as one on disk".into())),
        }
    }

    /// Completes a file in memory and returns its bytes.
    pub fn finish_in_memory(self) -> Result<(Encoded, Vec<u8>)> {
        let (encoded, file) = self.end(&Tags::default())?;
        match file {
            EncodeOutput::Memory(bytes) => Ok((Encoded { bytes: bytes.len() as u64, ..encoded }, bytes)),
            EncodeOutput::File(_) => Err(Error::Internal("a file on disk was finished as one in memory".into())),
        }
    }

    /// Completes the file's contents. The size is still to be filled in.
    fn end(mut self, tags: &Tags) -> Result<(Encoded, EncodeOutput)> {
        self.quantizer.look_at_end();
        let undecided = std::mem::take(&mut self.undecided);
        self.write_integers(&undecided, undecided.frames())?;
        self.flush()?;
        let mut warnings = std::mem::take(&mut self.warnings);
        if self.levels.not_numbers > 0 {
            warnings.push(format!("{} samples were not numbers and count as silence.", self.levels.not_numbers));
        }
        let lossy = self.settings.format.is_lossy();
        if lossy && *tags != self.tags {
            warnings.push("The tags were not written: in this format they come before the sound.".to_owned());
        }
        if !lossy && self.settings.dither == Dither::Shaped && self.quantizer.dithers() && !self.quantizer.shapes() {
            let rate = self.format.rate;
            warnings.push(format!("Noise shaping does not work at {rate}. Triangular dither was used instead."));
        }
        warnings.extend(tags::limits_of(self.settings.format, if lossy { &self.tags } else { tags }).lost);
        let mut tagged = Vec::new();
        match &self.container {
            Container::Wav(_) => {
                // Chunks of the tags that were given at the beginning are in front of the sound.
                if tags.chunks != self.tags.chunks {
                    tagged.extend(tags::sound_chunks(tags));
                }
                tagged.extend(tags::riff_chunks(tags));
                tagged.extend(markers::riff::chunks(&self.markers));
            }
            Container::Flac(flac) => {
                // A player that takes chapters from both keeps the names of the later ones.
                tagged.extend(markers::flac_cuesheet::block(&self.markers, flac.frames()).unwrap_or_default());
                let commented = tags_with_chapters(tags, &self.markers, self.format);
                tagged.extend(tagging::flac_blocks(&commented, self.format));
            }
            _ => {}
        }
        match self.container {
            Container::Wav(wav) => wav.end(&mut self.file, &tagged)?,
            Container::Flac(flac) => flac.end(&mut self.file, &tagged)?,
            Container::Vorbis(mut vorbis) => {
                vorbis.end(&mut self.bytes)?;
                self.file.append(&self.bytes)?;
            }
            Container::Opus(mut opus) => {
                opus.end(&mut self.bytes)?;
                self.file.append(&self.bytes)?;
            }
            Container::Mp3(mp3) => mp3.end(&mut self.file)?,
        }
        let QuantizeLevels { clipped, not_numbers, peak } = self.levels;
        if lossy && peak > 1.0 {
            let over = db_from_gain(peak);
            warnings.push(format!("Peaks reach {over:.2} dB over full scale. Most players clip them."));
        }
        let clipped = if self.settings.format.clips(self.settings.sample) { clipped - not_numbers } else { 0 };
        Ok((Encoded { frames: self.frames, bytes: 0, clipped, peak, warnings }, self.file))
    }
}

/// Returns `tags` with the chapters of Vorbis comments in the place of those that they may have.
fn tags_with_chapters(tags: &Tags, markers: &MarkerList, format: AudioFormat) -> Tags {
    let mut tags = tags.clone();
    if !markers.is_empty() {
        tags.items.retain(|field, _| !markers::chapters::is_chapter(field));
        tags.items.extend(markers::chapters::comments(markers, format.rate).map(|(name, text)| (name, text.into())));
    }
    tags
}
