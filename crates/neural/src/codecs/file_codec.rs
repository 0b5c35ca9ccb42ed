//! The codecs of the files that this program writes: Opus, Vorbis, MP3 and FLAC. A sound becomes the bytes of such a
//! file, in memory.

use std::path::Path;

use super::coded::{Coded, Payload};
use super::sound::BLOCK_FRAMES;
use super::{Codec, Sound, check_format, latency};
use audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, LossySettings, MP3_KBPS, SampleFormat};
use audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;

/// A codec whose coded sound is a file.
#[derive(Debug)]
pub struct FileCodec {
    family: &'static str,
    setting: String,
    settings: EncodeSettings,
    /// FLAC: whether 16 bits are used where they hold the sound exactly.
    is_narrowed: bool,
}

impl FileCodec {
    fn new(family: &'static str, setting: String, format: FileFormat, lossy: LossySettings) -> Self {
        let settings = EncodeSettings { format, lossy, dither: Dither::None, ..EncodeSettings::default() };
        Self { family, setting, settings, is_narrowed: false }
    }

    /// Opus of a bit rate in kbit/s of all channels.
    pub fn opus(setting: &str) -> Result<Box<dyn Codec>> {
        let kbps = setting.parse().ok().filter(|kbps| (6..=2048).contains(kbps));
        let allowed = "6 to 256 for each channel, in kbit/s of all channels";
        let kbps: u32 = kbps.ok_or_else(|| Error::invalid("bit rate of `opus`", setting, allowed))?;
        let lossy = LossySettings { opus_kbps: Some(kbps), ..LossySettings::default() };
        Ok(Box::new(Self::new("opus", kbps.to_string(), FileFormat::Opus, lossy)))
    }

    /// Vorbis of a quality: `q4` or `4`.
    pub fn vorbis(setting: &str) -> Result<Box<dyn Codec>> {
        let quality = setting.strip_prefix('q').unwrap_or(setting).parse::<f64>().ok();
        let quality = quality.filter(|quality| (-1.0..=10.0).contains(quality));
        let quality = quality.ok_or_else(|| Error::invalid("quality of `vorbis`", setting, "q-1 to q10"))?;
        // No negative zero.
        let quality = quality + 0.0;
        let lossy = LossySettings { vorbis_quality: quality, ..LossySettings::default() };
        Ok(Box::new(Self::new("vorbis", format!("q{quality}"), FileFormat::Vorbis, lossy)))
    }

    /// MP3 of a constant bit rate in kbit/s, or of a quality from `v0` to `v9` with a variable one.
    pub fn mp3(setting: &str) -> Result<Box<dyn Codec>> {
        let wrong = || {
            let rates = MP3_KBPS.map(|kbps| kbps.to_string()).join(", ");
            Error::invalid("setting of `mp3`", setting, format!("one of {rates} (kbit/s), or v0 to v9"))
        };
        let (setting, lossy) = if let Some(quality) = setting.strip_prefix(['v', 'V']) {
            let mp3_quality = quality.parse().ok().filter(|quality| *quality <= 9).ok_or_else(wrong)?;
            (format!("v{mp3_quality}"), LossySettings { mp3_quality, ..LossySettings::default() })
        } else {
            let kbps = setting.parse().ok().filter(|kbps| MP3_KBPS.contains(kbps)).ok_or_else(wrong)?;
            (kbps.to_string(), LossySettings { mp3_kbps: Some(kbps), ..LossySettings::default() })
        };
        Ok(Box::new(Self::new("mp3", setting, FileFormat::Mp3, lossy)))
    }

    /// FLAC of 16 or 24 bits; without a setting, of 16 bits if they hold the sound exactly, else of 24.
    pub fn flac(setting: &str) -> Result<Box<dyn Codec>> {
        let sample = match setting {
            "16" => SampleFormat::Int16,
            "" | "24" => SampleFormat::Int24,
            _ => return Err(Error::invalid("bits of `flac`", setting, "16, 24, or nothing for what the sound needs")),
        };
        let mut codec = Self::new("flac", setting.to_owned(), FileFormat::Flac, LossySettings::default());
        codec.settings.sample = sample;
        codec.is_narrowed = setting.is_empty();
        Ok(Box::new(codec))
    }

    fn settings_for(&self, sound: &Sound) -> EncodeSettings {
        let mut settings = self.settings;
        if self.is_narrowed && holds_16_bits(&sound.samples) {
            settings.sample = SampleFormat::Int16;
        }
        settings
    }
}

impl Codec for FileCodec {
    fn family(&self) -> &'static str {
        self.family
    }

    fn setting(&self) -> &str {
        &self.setting
    }

    fn format_for(&self, format: AudioFormat) -> Result<AudioFormat> {
        let kind = self.settings.format;
        kind.check_encoder()?;
        kind.check_layout(format)?;
        self.settings.lossy.check(kind, format.channels)?;
        Ok(format.with_rate(kind.rate_for(format.rate)))
    }

    fn latency_frames(&self, format: AudioFormat) -> Result<u64> {
        latency::of_file(&self.settings, format)
    }

    fn nominal_kbps(&self, format: AudioFormat) -> Option<f64> {
        let lossy = &self.settings.lossy;
        let kbps = match self.settings.format {
            FileFormat::Opus => Some(lossy.opus_kbps(format.channels)),
            FileFormat::Mp3 => lossy.mp3_kbps,
            _ => None,
        };
        kbps.map(f64::from)
    }

    fn encode(&self, sound: &Sound, progress: &Progress) -> Result<Coded> {
        check_format(self, sound)?;
        let format = sound.format();
        let mut encoder = Encoder::in_memory(&self.settings_for(sound), format)?;
        let (mut reader, mut block) = (sound.reader(), AudioBuffer::default());
        loop {
            progress.check()?;
            reader.read(&mut block, BLOCK_FRAMES)?;
            if block.is_empty() {
                break;
            }
            encoder.write(&block)?;
        }
        let (encoded, bytes) = encoder.finish_in_memory()?;
        Ok(Coded { format, frames: encoded.frames, payload: Payload::File(bytes.into()) })
    }

    fn decode(&self, coded: &Coded, progress: &Progress) -> Result<Sound> {
        let bytes = coded.file()?;
        let file = AudioFile::from_bytes(bytes.clone(), Path::new(&format!("sound coded by {}", self.name())))?;
        // Damage could claim any length.
        let expected = (coded.frames + BLOCK_FRAMES as u64).saturating_mul(coded.format.channels as u64);
        Sound::read(file.reader()?.as_mut(), expected, progress)
    }
}

/// Whether every sample is an integer of 16 bits.
fn holds_16_bits(samples: &AudioBuffer) -> bool {
    let is_one = |&sample: &f32| {
        let scaled = sample * 32_768.0;
        scaled.fract() == 0.0 && (-32_768.0..=32_767.0).contains(&scaled)
    };
    samples.iter().all(|channel| channel.iter().all(is_one))
}
