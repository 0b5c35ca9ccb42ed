//! The tags and variables of `MusicBrainz` Picard (<https://picard-docs.musicbrainz.org>, `picard/util/tags.py`), as
//! its scripts see them. The names of variables, which are not written to files, begin with `_`.

use std::path::Path;

use serde_json::Value;

use super::{Column, TaggedTrack, rounded};
use dsp::measure::replay_gain::{r128_gain, replay_gain_text};

pub(super) const COLUMNS: &[Column] = &[
    ("title", |track| track.row.title.clone().into()),
    ("artist", |track| track.row.artist.clone().into()),
    ("album", |track| track.row.album.clone().into()),
    ("albumartist", |track| track.row.album_artist.clone().into()),
    ("genre", |track| track.row.genre.clone().into()),
    ("date", |track| track.tag("DATE")),
    ("tracknumber", |track| track.row.track_no.into()),
    ("discnumber", |track| track.row.disc_no.into()),
    ("bpm", |track| rounded(track.feature("tempo_bpm"), 1)),
    ("key", |track| track.row.key.clone().into()),
    // As written in tags, such as "-7.03 dB".
    ("replaygain_track_gain", |track| track.loudness_lufs().filter(|_| !track.is_opus()).map(replay_gain_text).into()),
    ("replaygain_track_peak", |track| track.tag("REPLAYGAIN_TRACK_PEAK")),
    // As written in the tags of Opus files, in 1/256 dB.
    ("r128_track_gain", |track| track.loudness_lufs().filter(|_| track.is_opus()).map(r128_gain).into()),
    // Files name the recording's number after the track.
    ("musicbrainz_recordingid", |track| track.tag("MUSICBRAINZ_TRACKID")),
    ("musicbrainz_trackid", |track| track.tag("MUSICBRAINZ_RELEASETRACKID")),
    ("musicbrainz_albumid", |track| track.tag("MUSICBRAINZ_ALBUMID")),
    ("musicbrainz_artistid", |track| track.tag("MUSICBRAINZ_ARTISTID")),
    ("musicbrainz_albumartistid", |track| track.tag("MUSICBRAINZ_ALBUMARTISTID")),
    ("musicbrainz_releasegroupid", |track| track.tag("MUSICBRAINZ_RELEASEGROUPID")),
    ("acoustid_id", |track| track.tag("ACOUSTID_ID")),
    ("isrc", |track| track.tag("ISRC")),
    ("_filename", |track| track.path_part(Path::file_stem)),
    ("_extension", |track| track.path_part(Path::extension)),
    ("_dirname", |track| track.path_part(|path| path.parent().map(Path::as_os_str))),
    ("_filepath", |track| track.row.path.as_str().into()),
    ("_length", length),
    // Kilobits per second.
    ("_bitrate", |track| rounded(track.row.bit_rate.map(|bits| bits as f64 / 1000.0), 3)),
    ("_sample_rate", |track| track.row.rate_hz.into()),
    ("_channels", |track| track.row.channels.into()),
    ("_bits_per_sample", |track| track.row.bits.into()),
];

/// Minutes and seconds: "3:07".
fn length(track: &TaggedTrack) -> Value {
    let seconds = track.row.duration_s.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    seconds.map(|seconds| seconds.round() as u64).map(|seconds| format!("{}:{:02}", seconds / 60, seconds % 60)).into()
}
