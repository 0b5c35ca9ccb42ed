//! Codecs of neural networks: EnCodec, DAC and Mimi behind the interface of all codecs.
//!
//! ```text
//! PATH@KBPS -> Opened (model, weights' identity) -> NeuralCodec
//! sound at the model's rate -> runs (stream, segments, context) -> codes, scales -> Units
//! ```
//!
//! A mono model codes each channel separately; a stereo model takes a mono sound in both channels and returns their
//! mean. Samples that are not finite count as silence.

mod chunks;
mod context;
mod dac_file;
mod flow;
mod known;
mod opened;
mod runner;
mod segments;
mod stream;
mod voices;

use std::path::Path;
use std::sync::Arc;

pub use flow::Flow;
pub use known::{Described, describe, share};
pub use opened::Opened;
use voices::Voices;
pub use voices::mean;

use super::coded::{Coded, Payload, Units};
use super::{Codec, Sound, check_format};
use crate::models::{CodecKind, Cutting, Facts, ModelKind};
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::device::{DeviceReport, DeviceRequest, Devices};
use runner::Runner;

/// The most channels that a mono model codes one by one.
const MAX_CHANNELS: usize = 8;

/// A model at a bandwidth.
#[derive(Debug)]
pub struct NeuralCodec {
    runner: Runner,
    identity: String,
    books: usize,
    setting: String,
}

/// Checks that a model codes sounds of `channels` channels.
pub fn check_channels(facts: &Facts, channels: usize) -> Result<()> {
    let most = if facts.channels == 1 { MAX_CHANNELS } else { facts.channels };
    if (1..=most).contains(&channels) {
        return Ok(());
    }
    Err(Error::Limit {
        what: format!("channels for {}", facts.kind.title()),
        got: channels.to_string(),
        limit: most.to_string(),
    })
}

/// The codes of one voice: the channels that a model codes together.
#[derive(Clone, Debug, Default, PartialEq)]
struct Voice {
    /// Codes, a series for each book.
    books: Vec<Vec<i32>>,
    /// The scale of each segment, for models that divide by it.
    scales: Vec<f32>,
}

impl NeuralCodec {
    /// Creates a codec from an opened model. Without a bandwidth in kbit/s it uses all books.
    pub fn new(opened: &Opened, kbps: Option<f64>) -> Result<Self> {
        let facts = opened.model().facts();
        let books = facts.books_for(kbps)?;
        Self::with_books(opened, books)
    }

    /// Creates a codec from an opened model that uses `books` books.
    pub fn with_books(opened: &Opened, books: usize) -> Result<Self> {
        let facts = opened.model().facts();
        if !(facts.fewest_books..=facts.books).contains(&books) {
            let allowed = format!("{} to {}", facts.fewest_books, facts.books);
            return Err(Error::invalid(
                format!("books of this {} model", facts.kind.title()),
                books.to_string(),
                allowed,
            ));
        }
        // Precise enough that it gives the same number of books when it is read again.
        let kbps = (facts.kbps(books) * 1e4).round() / 1e4;
        let setting = format!("{}@{kbps}", opened.path().display());
        Ok(Self { runner: opened.runner(), identity: opened.identity().to_owned(), books, setting })
    }

    /// Reads `PATH@KBPS,KBPS...` or `PATH` as codecs of one model, which must be of kind `kind`.
    pub fn from_settings(kind: CodecKind, settings: &str) -> Result<Vec<Self>> {
        let (path, bandwidths) = split(settings);
        if path.is_empty() {
            let allowed = format!("a path and bandwidths, such as {}:PATH@6,12", kind.name());
            return Err(Error::invalid(format!("setting of `{}`", kind.name()), settings, allowed));
        }
        let opened = Opened::open(Path::new(path))?;
        let found = opened.model().facts().kind;
        if found != kind {
            return Err(Error::invalid(format!("model of `{}`", kind.name()), found.title(), kind.title()));
        }
        match bandwidths {
            None => Ok(vec![Self::new(&opened, None)?]),
            Some(bandwidths) => bandwidths
                .split(',')
                .map(|word| {
                    let kbps = word.trim().parse::<f64>().ok().filter(|kbps| kbps.is_finite());
                    let wrong =
                        || Error::invalid(format!("bandwidth of `{}`", kind.name()), word, "a number of kbit/s");
                    Self::new(&opened, Some(kbps.ok_or_else(wrong)?))
                })
                .collect(),
        }
    }

    /// Returns the properties of the model's input and output.
    pub fn facts(&self) -> &Facts {
        self.runner.model().facts()
    }

    /// Returns the number of books that are used.
    pub fn books(&self) -> usize {
        self.books
    }

    /// Returns the number of voices of a sound of `channels` channels.
    pub fn voices(&self, channels: usize) -> usize {
        if self.facts().channels == 1 { channels } else { 1 }
    }

    /// Returns the units of codes from elsewhere, books x time for each voice, and the frames that they decode to.
    pub fn coded(&self, channels: usize, books: Vec<Vec<i32>>, scales: Vec<f32>) -> Result<Coded> {
        let (facts, voices) = (self.facts(), self.voices(channels));
        if books.len() != self.books * voices {
            let got = format!("{} series", books.len());
            return Err(Error::invalid("units", got, format!("{} books of {voices} voices", self.books)));
        }
        let size = facts.book_size as i32;
        if let Some(wrong) = books.iter().flatten().find(|code| !(0..size).contains(*code)) {
            return Err(Error::invalid("code", wrong.to_string(), format!("0 to {}", size - 1)));
        }
        // Models without scales ignore them.
        let is_scaled = matches!(self.runner.model().cutting(), Cutting::Segments { is_scaled: true, .. });
        let units = Units::new(facts.bits, books)?.with_scales(if is_scaled { scales } else { Vec::new() })?;
        let codes = units.books().first().map_or(0, Vec::len);
        if is_scaled && units.scales().is_empty() && codes > 0 {
            return Err(Error::impossible(
                "The units have no scales, and the model needs one for each segment. They are in a file beside the units, \
                 whose name ends in .scales.npy.",
            ));
        }
        let frames = match self.runner.model().cutting() {
            Cutting::Segments { frames, stride, is_scaled } => {
                let segments =
                    if is_scaled { units.scales().len() / voices } else { segments::count(codes, frames, facts.hop) };
                segments::frames_of(codes, segments, [frames, stride], facts.hop)? as u64
            }
            Cutting::Stream { .. } | Cutting::Context { .. } => codes as u64 * facts.hop as u64,
        };
        let coded = Coded { format: AudioFormat::new(facts.rate, channels), frames, payload: Payload::Units(units) };
        self.parts(&coded)?;
        Ok(coded)
    }

    /// Runs it on the requested device, or on the CPU, with the reason. Without this it runs on the CPU.
    #[must_use]
    pub fn on(mut self, devices: Arc<Devices>, request: DeviceRequest) -> Self {
        self.runner.place(devices, request);
        self
    }

    /// Encodes as [`Codec::encode`] does, counts the frames of each voice that are done, and says where it ran.
    pub fn encode_counted(&self, sound: &Sound, progress: &Progress) -> Result<(Coded, Option<DeviceReport>)> {
        check_format(self, sound)?;
        let facts = self.facts();
        let mut run = self.runner.begin(sound.frames() * self.voices(sound.samples.channels()) as u64);
        let mut voice = Voices::of(&sound.samples, facts.channels);
        let (mut books, mut scales) = (Vec::new(), Vec::new());
        for channels in &mut voice {
            progress.check()?;
            let made = match self.runner.model().cutting() {
                Cutting::Stream { first_codes } => {
                    stream::encode(&mut run, self.books, first_codes, &channels, progress)?
                }
                Cutting::Segments { frames, stride, is_scaled } => {
                    segments::encode(&mut run, self.books, [frames, stride], is_scaled, &channels, progress)?
                }
                Cutting::Context { encoder, .. } => {
                    context::encode(&mut run, self.books, encoder, &channels, progress)?
                }
            };
            books.extend(made.books);
            scales.extend(made.scales);
        }
        let units = Units::new(facts.bits, books)?.with_scales(scales)?;
        let coded = Coded { format: sound.format(), frames: sound.frames(), payload: Payload::Units(units) };
        Ok((coded, run.into_report()))
    }

    /// Decodes as [`Codec::decode`] does, counts the frames of each voice that are done, and says where it ran.
    pub fn decode_counted(&self, coded: &Coded, progress: &Progress) -> Result<(Sound, Option<DeviceReport>)> {
        let frames = usize::try_from(coded.frames).unwrap_or(usize::MAX);
        let mut channels: Vec<Vec<f32>> = Vec::new();
        let voices = self.parts(coded)?;
        let mut run = self.runner.begin(coded.frames * voices.len() as u64);
        for voice in voices {
            progress.check()?;
            let made = match self.runner.model().cutting() {
                Cutting::Stream { first_codes } => stream::decode(&mut run, first_codes, &voice, progress)?,
                Cutting::Segments { frames: length, stride, is_scaled } => {
                    segments::decode(&mut run, [length, stride], is_scaled, &voice, frames, progress)?
                }
                Cutting::Context { decoder, .. } => context::decode(&mut run, decoder, &voice, progress)?,
            };
            channels.extend(made);
        }
        if coded.format.channels < channels.len() {
            channels = vec![voices::mean(&channels)];
        }
        // DAC's decoder returns fewer frames than a hop for the last code if a ratio is odd: silence fills the rest.
        channels.iter_mut().for_each(|channel| channel.resize(frames, 0.0));
        Ok((Sound::new(self.facts().rate, AudioBuffer::from_channels(channels)), run.into_report()))
    }

    /// Takes the units of coded sound apart by voices, and checks that they are of this codec.
    fn parts(&self, coded: &Coded) -> Result<Vec<Voice>> {
        let (facts, voices) = (self.facts(), self.voices(coded.format.channels));
        let Payload::Units(units) = &coded.payload else {
            return Err(Error::invalid("coded sound", "the bytes of a file", "units"));
        };
        let scales = units.scales().len();
        let series = self.books * voices;
        if units.bits() != facts.bits || units.books().len() != series || !scales.is_multiple_of(voices.max(1)) {
            let got = format!("{} series of {} bits", units.books().len(), units.bits());
            return Err(Error::invalid("units", got, format!("{series} of {} bits", facts.bits)));
        }
        let size = facts.book_size as i32;
        if let Some(wrong) = units.books().iter().flatten().find(|code| !(0..size).contains(*code)) {
            return Err(Error::invalid("code", wrong.to_string(), format!("0 to {}", size - 1)));
        }
        let codes = units.books().first().map_or(0, Vec::len) as u64;
        // A segment has its codes twice at most, where it overlaps others.
        let needed = coded.frames.div_ceil(facts.hop as u64);
        if codes < needed {
            return Err(Error::invalid("units", format!("{codes} codes"), format!("at least {needed} for the frames")));
        }
        let of_voice = scales / voices.max(1);
        Ok((0..voices)
            .map(|n| Voice {
                books: units.books()[n * self.books..(n + 1) * self.books].to_vec(),
                scales: units.scales()[n * of_voice..(n + 1) * of_voice].to_vec(),
            })
            .collect())
    }
}

/// Splits a path from the bandwidths after its last `@`. What follows `@` belongs to the path if it contains a slash or
/// backslash, or if a file has the whole name.
fn split(settings: &str) -> (&str, Option<&str>) {
    match settings.rsplit_once('@') {
        _ if Path::new(settings.trim()).exists() => (settings.trim(), None),
        Some((path, rest)) if !rest.contains(['/', '\\']) => (path.trim(), Some(rest)),
        _ => (settings.trim(), None),
    }
}

impl Codec for NeuralCodec {
    fn family(&self) -> &str {
        self.facts().kind.name()
    }

    fn setting(&self) -> &str {
        &self.setting
    }

    fn model(&self) -> Option<ModelKind> {
        let facts = self.facts();
        Some(ModelKind::of_codec(facts.kind, facts.rate))
    }

    fn recipe(&self) -> String {
        let (kind, books) = (self.family(), self.books);
        format!(
            "{} {kind} with {books} books of {} undertone {}",
            self.name(),
            self.identity,
            env!("CARGO_PKG_VERSION")
        )
    }

    fn format_for(&self, format: AudioFormat) -> Result<AudioFormat> {
        check_channels(self.facts(), format.channels)?;
        Ok(format.with_rate(self.facts().rate))
    }

    fn latency_frames(&self, _format: AudioFormat) -> Result<u64> {
        Ok(self.runner.model().latency_frames() as u64)
    }

    fn nominal_kbps(&self, format: AudioFormat) -> Option<f64> {
        Some(self.facts().kbps(self.books) * self.voices(format.channels) as f64)
    }

    fn encode(&self, sound: &Sound, progress: &Progress) -> Result<Coded> {
        // The caller counts something else, such as the cells of a grid.
        Ok(self.encode_counted(sound, &progress.uncounted())?.0)
    }

    fn decode(&self, coded: &Coded, progress: &Progress) -> Result<Sound> {
        Ok(self.decode_counted(coded, &progress.uncounted())?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn bandwidths_follow_the_last_at_sign() {
        assert_eq!(split("/models/encodec@6,12"), ("/models/encodec", Some("6,12")));
        assert_eq!(split("C:\\models\\a b@1.5"), ("C:\\models\\a b", Some("1.5")));
        assert_eq!(split("/home/me@work/model"), ("/home/me@work/model", None));
        assert_eq!(split("/home/me@work/model@6"), ("/home/me@work/model", Some("6")));
        assert_eq!(split("model"), ("model", None));
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model@v2.safetensors").display().to_string();
        assert_eq!(split(&model).1, Some("v2.safetensors"));
        std::fs::write(&model, "").unwrap();
        assert_eq!(split(&model), (model.as_str(), None));
        assert_eq!(split(&format!("{model}@6")), (model.as_str(), Some("6")));
    }
}
