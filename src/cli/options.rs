//! Options that several commands share: the chain, the device, the format of the output, its tags.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;

use super::arguments::{ChainChoice, Lossy, TagWords};
use super::output::Output;
use crate::audio::encode::{Dither, FileFormat, LossySettings, OpusApplication, SampleFormat};
use crate::audio::tags::TagText;
use crate::audio::{CoverChange, TagChanges};
use crate::chain::Chain;
use crate::device::{DeviceReport, DeviceRequest, Devices};
use crate::error::{Error, Result};
use crate::work::export::ExportInput;
use crate::work::{Directories, cover, presets, settings};

/// Returns the chain given as text or preset, or the empty chain if neither is given. Marks the position of an error in
/// the text.
pub fn chain(choice: &ChainChoice, output: &Output) -> Result<Chain> {
    match (&choice.chain, &choice.preset) {
        (Some(text), _) => chain_from_text(text, output),
        (None, Some(path)) => {
            let chain = presets::read_chain(path)?;
            if !choice.allow_files {
                check_files(&chain, path)?;
            }
            Ok(chain)
        }
        (None, None) => Ok(Chain::default()),
    }
}

/// Refuses a project whose chain names files, unless that is allowed.
pub fn check_own_chain(choice: &ChainChoice, input: &ExportInput) -> Result<()> {
    match input.own_chain() {
        Some(chain) if !choice.allow_files => check_files(chain, input.path()),
        _ => Ok(()),
    }
}

/// Refuses a preset or a project whose chain names files: it may come from an untrusted source, and the files may be any
/// of the user's.
fn check_files(chain: &Chain, file: &Path) -> Result<()> {
    let named: Vec<String> = chain.named_files().iter().map(|file| file.display().to_string()).collect();
    if named.is_empty() {
        return Ok(());
    }
    let reason = format!("Its chain reads {}. Add --allow-files to allow it", named.join(", "));
    Err(Error::Refused { reason, path: file.to_path_buf() })
}

/// Parses a chain. If the text has an error, marks the position below it.
pub fn chain_from_text(text: &str, output: &Output) -> Result<Chain> {
    text.parse().map_err(|error| {
        output.point_at(text, &error);
        Error::Notation(error)
    })
}

/// Returns all devices, and the requested device: `device` if given, otherwise the one from the settings.
pub fn devices_and_request(device: Option<DeviceRequest>) -> Result<(Arc<Devices>, DeviceRequest)> {
    let directories = Directories::of_this_user()?;
    let request = match device {
        Some(request) => request,
        None => settings::load(directories.config())?.0.device,
    };
    Ok((Arc::new(Devices::new(Some(directories.config().to_path_buf()))), request))
}

/// Notes if another device was used than requested.
pub fn say_fallback(device: &DeviceReport, output: &Output) {
    if device.fallback {
        let DeviceReport { requested, used, reason, .. } = device;
        output.note(&format!("undertone: {requested} is not used, but {used}: {reason}"));
    }
}

/// Returns the requested dither; by default triangular dither for 16 bits, which applies only to samples that do not
/// fit. Lossy formats get none.
pub fn dither_for(asked: Option<Dither>, format: FileFormat, bits: SampleFormat) -> Dither {
    match asked {
        _ if format.is_lossy() => Dither::None,
        Some(dither) => dither,
        None if bits == SampleFormat::Int16 => Dither::Tpdf,
        None => Dither::None,
    }
}

/// Returns the settings of a format from the options. The same two options for quality and bit rate apply to every format
/// that supports them.
pub fn lossy_settings(words: &Lossy, format: FileFormat) -> Result<LossySettings> {
    let &Lossy { quality, bitrate, constrained, complexity, speech } = words;
    let mut settings =
        LossySettings { opus_constrained: constrained, opus_complexity: complexity, ..Default::default() };
    if speech {
        settings.opus_application = OpusApplication::Speech;
    }
    let has_none = |what: &str, got: String, allowed: &str| Err(Error::invalid(what, got, allowed.to_owned()));
    match (format, quality) {
        (_, None) => {}
        (FileFormat::Vorbis, Some(quality)) => settings.vorbis_quality = quality,
        (FileFormat::Mp3, Some(quality)) if quality.fract() == 0.0 && (0.0..=9.0).contains(&quality) => {
            settings.mp3_quality = quality as u8;
        }
        (FileFormat::Mp3, Some(quality)) => {
            return has_none("--quality", quality.to_string(), "a whole number from 0 to 9 for MP3");
        }
        (_, Some(quality)) => {
            let problem =
                format!("--quality {quality} is for Vorbis and MP3. Use --bitrate for Opus, --bits for WAV and FLAC.");
            return Err(Error::impossible(problem));
        }
    }
    match (format, bitrate) {
        (_, None) => {}
        (FileFormat::Opus, kbps) => settings.opus_kbps = kbps,
        (FileFormat::Mp3, kbps) => settings.mp3_kbps = kbps,
        (_, Some(kbps)) => {
            let problem = format!("--bitrate {kbps} is for Opus and MP3. Use --quality for Vorbis.");
            return Err(Error::impossible(problem));
        }
    }
    Ok(settings)
}

/// Returns the given format, or the one of the output's extension.
pub fn file_format(given: Option<FileFormat>, target: &Path) -> Result<FileFormat> {
    if let Some(format) = given {
        return Ok(format);
    }
    let extension = target.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("wav" | "wave" | "rf64") => Ok(FileFormat::Wav),
        Some("flac") => Ok(FileFormat::Flac),
        Some("ogg" | "oga") => Ok(FileFormat::Vorbis),
        Some("opus") => Ok(FileFormat::Opus),
        Some("mp3") => Ok(FileFormat::Mp3),
        other => {
            let allowed = "wav, flac, ogg, opus or mp3, or given by --format";
            Err(Error::invalid("the output's extension", other.unwrap_or_default(), allowed))
        }
    }
}

/// Returns the changes of tags that the options ask for.
pub fn tag_changes(words: &TagWords) -> Result<TagChanges> {
    let TagWords { tags, cover, no_cover } = words;
    let mut items = BTreeMap::new();
    for tag in tags {
        let parts = tag.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let (name, text) =
            parts.ok_or_else(|| Error::invalid("tag", tag.as_str(), "NAME=TEXT, such as TITLE=Nocturne"))?;
        // A field that is given more than once has several values.
        match items.entry(name.trim().to_uppercase()) {
            Entry::Vacant(field) => drop(field.insert(TagText::from(text))),
            Entry::Occupied(mut field) => field.get_mut().push(text),
        }
    }
    let cover = match cover {
        Some(path) => CoverChange::Replace(cover::read(path)?),
        None if *no_cover => CoverChange::Remove,
        None => CoverChange::Keep,
    };
    Ok(TagChanges { items, cover, ..TagChanges::default() })
}
