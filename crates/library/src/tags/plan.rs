//! The plan for one file: which tags would change, from which value to which, and whether the file may be replaced.

use std::fs;
use std::path::{Path, PathBuf};

use super::albums::Albums;
use super::heard::Heard;
use super::values::{AnalysisResults, TagChange, TagField, TagValue, says_the_same, values};
use crate::files::stamp;
use crate::{Track, TrackState};
use analysis::features::dimensions::index_of;
use audio::AudioFile;
use audio::tags::{EditedTag, TagFormat};
use base::error::{Error, Result};
use base::progress::Progress;

/// The planned changes of one file's tags.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The track.
    pub id: i64,
    /// The track's path, which may be a link.
    pub path: PathBuf,
    /// The changes; empty if all tags say so already.
    pub changes: Vec<TagChange>,
    /// The tags of the chosen fields that keep their value.
    pub kept: Vec<TagValue>,
    /// The file itself.
    pub(super) target: PathBuf,
    pub(super) format: TagFormat,
    /// The tags that change, with their new values.
    pub(super) edits: Vec<(EditedTag, String)>,
    pub(super) bytes: u64,
    pub(super) modified_ns: i64,
    pub(super) audio_key: [u8; 32],
    /// The sound, if its peak was needed.
    pub(super) heard: Option<Heard>,
    /// Why the tags of the album are left out; `None` if they are not, or were not asked for.
    pub left_out: Option<&'static str>,
}

impl Plan {
    /// Returns the file itself, with links resolved.
    pub fn target(&self) -> &Path {
        &self.target
    }
}

/// Why there is no plan for a file.
#[derive(Debug)]
pub enum Unplanned {
    /// There is nothing to write, for this reason, and nothing is wrong with the file.
    Nothing(&'static str),
    /// The file cannot be written.
    Failed(Error),
}

impl From<Error> for Unplanned {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Plans what to write to the file of a track. With `only_missing`, tags that have a value keep it. Writing the
/// loudness decodes the file for its peak; writing the album's decodes all tracks of the album, once.
pub fn plan(
    track: &Track,
    fields: &[TagField],
    only_missing: bool,
    albums: &mut Albums<'_>,
    progress: &Progress,
) -> std::result::Result<Plan, Unplanned> {
    let (TrackState::Done, Some(audio_key)) = (track.row.state, track.audio_key) else {
        return Err(Unplanned::Nothing("it is not analysed; scan it first"));
    };
    let path = &track.path;
    let target = fs::canonicalize(path).map_err(|source| Error::io("find", path, source))?;
    check(&target, (track.row.bytes, track.modified_ns))?;
    let file = AudioFile::open(&target)?;
    let info = file.info();
    let Some(format) = TagFormat::of(info) else {
        return Err(Unplanned::Nothing(
            "tags are written to FLAC, MP3, MP4, Ogg (Vorbis, Opus, FLAC), WAV and AIFF files only",
        ));
    };
    let feature = |name| index_of(name).and_then(|index| track.row.features.get(index).copied().flatten());
    let mut found = AnalysisResults {
        key: track.row.key.as_deref(),
        tempo_bpm: feature("tempo_bpm"),
        loudness_lufs: feature("loudness_lufs"),
        ..AnalysisResults::default()
    };
    let mut left_out = None;
    if fields.contains(&TagField::Album) {
        match albums.of(track, progress)? {
            Ok(album) => (found.album_lufs, found.album_peak) = (album.loudness_lufs, Some(album.peak)),
            Err(reason) if fields == [TagField::Album] => return Err(Unplanned::Nothing(reason)),
            Err(reason) => left_out = Some(reason),
        }
    }
    let mut heard = albums.take_heard(track.row.id);
    if fields.contains(&TagField::Loudness) && found.loudness_lufs.is_some() && format != TagFormat::Opus {
        let sound = heard.map_or_else(|| Heard::of(&file, progress), Ok)?;
        (heard, found.peak) = (Some(sound), Some(sound.peak));
    }
    let old = |tag: EditedTag| info.tags.items.get(tag.name()).map(|text| text.as_str().to_owned());
    let changes =
        |(tag, new): &(EditedTag, String)| old(*tag).is_none_or(|old| !only_missing && !says_the_same(*tag, &old, new));
    let (edits, stays): (Vec<_>, Vec<_>) = values(format, fields, &found).into_iter().partition(changes);
    let kept = |(tag, _): &(EditedTag, String)| Some(TagValue { tag: tag.name().to_owned(), value: old(*tag)? });
    let change = |(tag, new): &(EditedTag, String)| TagChange {
        tag: tag.name().to_owned(),
        old: old(*tag),
        new: Some(new.clone()),
    };
    Ok(Plan {
        id: track.row.id,
        path: path.clone(),
        changes: edits.iter().map(change).collect(),
        kept: stays.iter().filter_map(kept).collect(),
        target,
        format,
        edits,
        bytes: track.row.bytes,
        modified_ns: track.modified_ns,
        audio_key,
        heard,
        left_out,
    })
}

/// Refuses a file that is no longer the one that was analysed, or must not be replaced.
pub(super) fn check(target: &Path, known: (u64, i64)) -> Result<()> {
    let metadata = fs::metadata(target).map_err(|source| Error::io("read", target, source))?;
    if stamp(&metadata) != known {
        return refused("The file has changed since it was analysed. Scan it again", target);
    }
    check_replaceable(&metadata, target)
}

/// Refuses a file that must not be replaced: one that is write-protected, or has several names, of which only one would
/// get the new tags.
pub(super) fn check_replaceable(metadata: &fs::Metadata, target: &Path) -> Result<()> {
    if !metadata.is_file() {
        return refused("This is not a regular file", target);
    }
    if metadata.permissions().readonly() {
        return refused("The file is write-protected. Allow writing to it first", target);
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(metadata) > 1 {
        let names = std::os::unix::fs::MetadataExt::nlink(metadata);
        let reason = format!("The file has {names} names (hard links), of which only one would get the new tags");
        return refused(&reason, target);
    }
    Ok(())
}

/// Returns an error that refuses to touch a file.
pub(super) fn refused<T>(reason: &str, path: &Path) -> Result<T> {
    Err(Error::Refused { reason: reason.to_owned(), path: path.to_path_buf() })
}
