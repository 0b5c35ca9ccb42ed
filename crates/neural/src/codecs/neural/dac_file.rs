//! DAC's container: the processing of descript-audio-codec around its model.
//!
//! ```text
//! sound -> the model's rate -> -16 LUFS, peak at most 1 -> chunks -> codes
//! codes -> chunks -> sound -> the loudness that it had -> its rate and length
//! ```
//!
//! A sound of at most a second is one chunk, with zeros beyond it. The channels of a sound keep their balance, whereas
//! the package scales each channel separately to the loudness of all when it decodes.

use std::iter::repeat;

use super::runner::Run;
use super::{NeuralCodec, Voice, check_channels, chunks, context};
use crate::codecs::unit_files::DacFile;
use crate::codecs::{Coded, Payload, Sound, Units, check_format};
use crate::models::{Chunks, Cutting};
use analysis::compare::MAX_SAMPLES;
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::{SampleRate, gain_from_db};
use dsp::device::DeviceReport;
use dsp::measure::loudness::integrated_lufs;

/// The loudness at which a sound is coded, in LUFS.
const CODED_LUFS: f64 = -16.0;
/// The least loudness that is measured, in LUFS; silence counts as this.
const LEAST_LUFS: f64 = -70.0;
/// The most that a file may state, in LUFS.
const MOST_LUFS: f64 = 60.0;

impl NeuralCodec {
    /// Encodes a sound at the model's rate into DAC's container, which also stores the rate and length of the original
    /// recording. Progress counts the frames of each channel.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a model that has no such container; [`Error::Cancelled`] within 200 ms.
    pub fn encode_dac(
        &self,
        sound: &Sound,
        (own_rate, own_frames): (SampleRate, u64),
        progress: &Progress,
    ) -> Result<(DacFile, Option<DeviceReport>)> {
        let chunks = self.dac_chunks()?;
        check_format(self, sound)?;
        let rate = self.facts().rate;
        let (frames, channels) = (sound.frames() as usize, sound.samples.channels());
        let input_db = loudness(sound, progress)?;
        let levelled = limited(&amplified(&sound.samples, CODED_LUFS - input_db));
        let mut run = self.runner.begin((frames * channels) as u64);
        let is_short = frames <= rate.hz() as usize;
        let code = |channel: &Vec<f32>| {
            progress.check()?;
            if !is_short {
                return chunks::encode(&mut run, self.books, chunks, channel, progress);
            }
            let sound = [channel.clone()];
            Ok(context::encode(&mut run, self.books, self.encoder_context(), &sound, progress)?.books)
        };
        let books = levelled.iter().map(code).collect::<Result<Vec<_>>>()?;
        let length = books.first().and_then(|books| books.first()).map_or(0, Vec::len);
        let bits = self.facts().bits;
        let file = DacFile {
            channels: books.into_iter().map(|books| Units::new(bits, books)).collect::<Result<_>>()?,
            chunk_length: if is_short { length as u64 } else { chunks.codes as u64 },
            original_length: own_frames,
            input_db: input_db as f32,
            sample_rate: own_rate.hz(),
            padding: is_short,
        };
        Ok((file, run.into_report()))
    }

    /// Decodes DAC's container to a sound at the rate and of the length that it states. Counts the frames of each channel
    /// at the model's rate.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a model without this container; [`Error::Cancelled`] within 200 ms.
    pub fn decode_dac(&self, file: &DacFile, progress: &Progress) -> Result<(Sound, Option<DeviceReport>)> {
        self.dac_chunks()?;
        let rate = SampleRate::new(file.sample_rate)?;
        let input_db = f64::from(file.input_db);
        if !(LEAST_LUFS..=MOST_LUFS).contains(&input_db) {
            let allowed = format!("{LEAST_LUFS} to {MOST_LUFS} LUFS");
            return Err(Error::invalid("loudness in a .dac file", format!("{input_db} LUFS"), allowed));
        }
        let coded = self.coded_dac(file)?;
        let voices = self.parts(&coded)?;
        let mut run = self.runner.begin(coded.frames * voices.len() as u64);
        let length = usize::try_from(file.chunk_length).unwrap_or(usize::MAX);
        let channels = voices.iter().map(|voice| {
            progress.check()?;
            if file.padding {
                self.decode_padded(&mut run, length, voice, progress)
            } else {
                chunks::decode(&mut run, length, voice, progress)
            }
        });
        let channels = channels.collect::<Result<Vec<_>>>()?;
        let sound = Sound::new(self.facts().rate, AudioBuffer::from_channels(channels));
        let levelled = amplified(&sound.samples, input_db - loudness(&sound, progress)?);
        let levelled = Sound::new(sound.rate, AudioBuffer::from_channels(levelled));
        let converted = levelled.converted(rate, MAX_SAMPLES, progress)?;
        let wanted = usize::try_from(file.original_length).unwrap_or(usize::MAX);
        // A decoder with an odd ratio ends some frames early: silence is there.
        let spare = (self.facts().hop as u64 * u64::from(rate.hz())).div_ceil(self.facts().rate.hz().into());
        let most = converted.frames() + spare;
        if file.original_length > most {
            let allowed = format!("at most {most}, which the codes give");
            return Err(Error::invalid("frames of a .dac file", file.original_length.to_string(), allowed));
        }
        let resized = |channel: &[f32]| channel.iter().copied().chain(repeat(0.0)).take(wanted).collect();
        let cut = converted.samples.iter().map(resized).collect();
        Ok((Sound::new(rate, AudioBuffer::from_channels(cut)), run.into_report()))
    }

    /// Returns the units of DAC's container, channel after channel.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a model without this container, another number of books, or codes beyond a book.
    pub fn coded_dac(&self, file: &DacFile) -> Result<Coded> {
        self.dac_chunks()?;
        let books: Vec<Vec<i32>> = file.channels.iter().flat_map(|units| units.books().iter().cloned()).collect();
        let channels = file.channels.len();
        check_channels(self.facts(), channels)?;
        let codes = books.first().map_or(0, Vec::len) as u64;
        let format = AudioFormat::new(self.facts().rate, channels);
        let units = Units::new(self.facts().bits, books)?;
        let coded = Coded { format, frames: codes * self.facts().hop as u64, payload: Payload::Units(units) };
        self.parts(&coded)?;
        Ok(coded)
    }

    /// Decodes chunks with zeros beyond each.
    fn decode_padded(&self, run: &mut Run<'_>, length: usize, voice: &Voice, progress: &Progress) -> Result<Vec<f32>> {
        let Cutting::Context { decoder, .. } = self.runner.model().cutting() else { return Err(self.no_container()) };
        let all = voice.books.first().map_or(0, Vec::len);
        let mut sound = Vec::new();
        for start in (0..all).step_by(length.max(1)) {
            let end = start.saturating_add(length).min(all);
            let books = voice.books.iter().map(|book| book[start..end].to_vec()).collect();
            let chunk = Voice { books, scales: Vec::new() };
            sound.extend(context::decode(run, decoder, &chunk, progress)?.into_iter().next().unwrap_or_default());
        }
        Ok(sound)
    }

    fn encoder_context(&self) -> usize {
        match self.runner.model().cutting() {
            Cutting::Context { encoder, .. } => encoder,
            Cutting::Stream { .. } | Cutting::Segments { .. } => 0,
        }
    }

    fn dac_chunks(&self) -> Result<Chunks> {
        self.runner.model().chunks().ok_or_else(|| self.no_container())
    }

    fn no_container(&self) -> Error {
        Error::invalid("model of a .dac file", self.facts().kind.title(), "DAC")
    }
}

/// Returns the loudness of all channels in LUFS, of half a second at least.
fn loudness(sound: &Sound, progress: &Progress) -> Result<f64> {
    let least = sound.rate.hz() as usize / 2;
    let long = sound.samples.iter().map(|channel| {
        let mut channel: Vec<f32> = channel.iter().map(|&x| if x.is_finite() { x } else { 0.0 }).collect();
        channel.resize(channel.len().max(least), 0.0);
        channel
    });
    let long = Sound::new(sound.rate, AudioBuffer::from_channels(long.collect()));
    let measured = integrated_lufs(&mut long.reader(), &progress.uncounted())?;
    Ok(measured.unwrap_or(LEAST_LUFS).max(LEAST_LUFS))
}

/// Returns channels with a gain; samples that are not finite count as silence.
fn amplified(samples: &AudioBuffer, db: f64) -> Vec<Vec<f32>> {
    let gain = gain_from_db(db) as f32;
    let one = |&x: &f32| if x.is_finite() { x * gain } else { 0.0 };
    samples.iter().map(|channel| channel.iter().map(one).collect()).collect()
}

/// Returns channels with the greatest peak of all at 1 if it is beyond.
fn limited(channels: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let peak = channels.iter().flatten().fold(0.0f32, |peak, x| peak.max(x.abs()));
    if peak <= 1.0 {
        return channels.to_vec();
    }
    channels.iter().map(|channel| channel.iter().map(|x| x / peak).collect()).collect()
}
