//! Measures the loudness of a written file, and writes into it the gain that players apply.

use std::fs;
use std::path::Path;

use crate::audio::encode::UNFINISHED_PREFIX;
use crate::audio::tags::{EditedTag, TagFormat, edit};
use crate::audio::{AudioFile, read_ahead};
use crate::error::{Error, Result};
use crate::measure::loudness::{Blocks, LoudnessCurve};
use crate::measure::replay_gain::{r128_gain, replay_gain_text};
use crate::progress::Progress;

/// The number of frames read at once.
const FRAMES_AT_ONCE: usize = 1 << 16;

/// Measures the file and writes the gain and peak of `ReplayGain` 2.0 into it; for an Opus file, the gain of RFC 7845.
/// Returns its new size in bytes. On failure the file is unchanged.
///
/// # Errors
/// [`Error::Impossible`] for a sound without a loudness; [`Error::Limit`] for a file over 2 GiB.
pub(super) fn write(target: &Path, progress: &Progress) -> Result<u64> {
    let file = AudioFile::open(target)?;
    let info = file.info();
    let format = TagFormat::of(info).ok_or_else(|| {
        Error::unsupported(format!("Writing tags into {}", info.format), "It has none that can be edited")
    })?;
    let (lufs, peak) = measured(&file, progress)?;
    let lufs = lufs.ok_or_else(|| Error::impossible("The sound is too short or too quiet to have a loudness."))?;
    let fields = if format == TagFormat::Opus {
        vec![(EditedTag::R128TrackGain, r128_gain(lufs).to_string())]
    } else {
        vec![(EditedTag::TrackGain, replay_gain_text(lufs)), (EditedTag::TrackPeak, format!("{peak:.6}"))]
    };
    // The tags of a copy are edited, because editing may fail half-way.
    let failed = |source| Error::io("write the tags of", target, source);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let copy = tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempfile_in(folder).map_err(failed)?;
    fs::copy(target, copy.path()).map_err(failed)?;
    edit(copy.path(), format, &fields)?;
    if AudioFile::open(copy.path())?.info().frames != file.info().frames {
        return Err(Error::Internal("a file with new tags is not as long as before".into()));
    }
    copy.as_file().sync_all().map_err(failed)?;
    let bytes = fs::metadata(copy.path()).map_err(failed)?.len();
    drop(file);
    copy.persist(target).map_err(|error| failed(error.error))?;
    Ok(bytes)
}

/// Returns the integrated loudness in LUFS, if there is one, and the largest magnitude of a sample.
fn measured(file: &AudioFile, progress: &Progress) -> Result<(Option<f64>, f32)> {
    let mut reader = file.reader()?;
    let (mut blocks, mut curve, mut peak) = (Blocks::new(reader.format())?, LoudnessCurve::default(), 0f32);
    read_ahead(reader.as_mut(), FRAMES_AT_ONCE, |audio| {
        progress.check()?;
        let planes: Vec<&[f32]> = audio.iter().collect();
        peak = planes.iter().copied().flatten().fold(peak, |peak, sample| peak.max(sample.abs()));
        blocks.add(&planes, |energy| curve.push(energy))?;
        Ok(true)
    })?;
    Ok((curve.summary().integrated, peak))
}
