//! The fields of an item of beets (<https://beets.readthedocs.io>, `beets/library/models.py`), with their types.

use serde_json::Value;

use super::{Column, TaggedTrack, rounded};
use dsp::measure::replay_gain::{R128_LUFS, replay_gain_db};

pub(super) const COLUMNS: &[Column] = &[
    ("path", |track| track.row.path.as_str().into()),
    ("title", |track| track.row.title.clone().into()),
    ("artist", |track| track.row.artist.clone().into()),
    ("album", |track| track.row.album.clone().into()),
    ("albumartist", |track| track.row.album_artist.clone().into()),
    ("genre", |track| track.row.genre.clone().into()),
    ("year", |track| track.row.year.into()),
    ("track", |track| track.row.track_no.into()),
    ("disc", |track| track.row.disc_no.into()),
    // Whole beats per minute.
    ("bpm", |track| track.feature("tempo_bpm").map(|bpm| bpm.round() as i64).into()),
    ("initial_key", |track| track.row.key.clone().into()),
    // Seconds.
    ("length", |track| track.row.duration_s.into()),
    // dB relative to -18 LUFS.
    ("rg_track_gain", |track| gain(track, false, replay_gain_db)),
    ("rg_track_peak", peak),
    // dB relative to -23 LUFS; beets converts it to the whole numbers of the tag.
    ("r128_track_gain", |track| gain(track, true, |lufs| R128_LUFS - lufs)),
    ("format", format),
    // Bits per second.
    ("bitrate", |track| track.row.bit_rate.into()),
    // Hertz.
    ("samplerate", |track| track.row.rate_hz.into()),
    ("bitdepth", |track| track.row.bits.into()),
    ("channels", |track| track.row.channels.into()),
    // beets calls the ID of the recording `mb_trackid`.
    ("mb_trackid", |track| track.tag("MUSICBRAINZ_TRACKID")),
    ("mb_releasetrackid", |track| track.tag("MUSICBRAINZ_RELEASETRACKID")),
    ("mb_albumid", |track| track.tag("MUSICBRAINZ_ALBUMID")),
    ("mb_artistid", |track| track.tag("MUSICBRAINZ_ARTISTID")),
    ("mb_albumartistid", |track| track.tag("MUSICBRAINZ_ALBUMARTISTID")),
    ("mb_releasegroupid", |track| track.tag("MUSICBRAINZ_RELEASEGROUPID")),
    ("acoustid_id", |track| track.tag("ACOUSTID_ID")),
    ("isrc", |track| track.tag("ISRC")),
];

/// Returns a gain for Opus files if `opus` is set, otherwise for all other files; `null` for the rest.
fn gain(track: &TaggedTrack, opus: bool, gain_db: fn(f64) -> f64) -> Value {
    rounded(track.loudness_lufs().filter(|_| track.is_opus() == opus).map(gain_db), 2)
}

/// Returns the peak from the file's tags, because the library does not store it.
fn peak(track: &TaggedTrack) -> Value {
    let peak = track.tags.get("REPLAYGAIN_TRACK_PEAK").and_then(|peak| peak.trim().parse::<f64>().ok());
    rounded(peak.filter(|peak| peak.is_finite()), 6)
}

/// Returns the name that beets has for the format.
fn format(track: &TaggedTrack) -> Value {
    let container = track.row.format.as_deref().unwrap_or_default();
    match (container, track.codec()) {
        ("WAV", _) => "WAVE".into(),
        ("AIFF" | "AIFF-C", _) => "AIFF".into(),
        ("Ogg", "Vorbis") => "OGG".into(),
        (_, codec @ ("MP3" | "AAC" | "ALAC" | "FLAC" | "Opus")) => codec.into(),
        _ => Value::Null,
    }
}
