//! Documents in the structure of Essentia's music extractor, as used by `AcousticBrainz`
//! (<https://essentia.upf.edu/streaming_extractor_music.html>).
//!
//! Numbers that Essentia defines as we do have its names: length, rates, codec, tags, tempo, key by the profiles of
//! Krumhansl, and integrated loudness. All others are under `undertone`: Essentia, for example, measures the spectral
//! centroid on a mono mix at 44.1 kHz.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::TaggedTrack;
use crate::questions::query::Key;
use analysis::features::dimensions::DIMENSIONS;
use audio::is_lossless;
use base::date::moment;

/// Returns the document of a track. Unknown values are left out.
pub(super) fn document(track: &TaggedTrack) -> Value {
    let mut document = Map::new();
    let metadata = json!({
        "audio_properties": properties(track),
        "tags": tags(track),
        "version": { "software": "undertone", "undertone": env!("CARGO_PKG_VERSION") },
    });
    document.insert("metadata".to_owned(), metadata);
    let mut lowlevel = Map::new();
    // Essentia measures two channels, and other numbers of them after a mix.
    if let (Some(lufs), Some(2)) = (track.loudness_lufs(), track.row.channels) {
        lowlevel.insert("loudness_ebu128".to_owned(), json!({ "integrated": lufs }));
    }
    document.insert("lowlevel".to_owned(), lowlevel.into());
    let mut rhythm = Map::new();
    put(&mut rhythm, "bpm", track.feature("tempo_bpm"));
    document.insert("rhythm".to_owned(), rhythm.into());
    document.insert("tonal".to_owned(), tonal(track).into());
    document.insert("undertone".to_owned(), undertone(track).into());
    document.into()
}

fn put(map: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(name.to_owned(), value.into());
    }
}

fn properties(track: &TaggedTrack) -> Map<String, Value> {
    let row = &track.row;
    let mut map = Map::new();
    put(&mut map, "length", row.duration_s.filter(|seconds| seconds.is_finite()));
    put(&mut map, "sample_rate", row.rate_hz);
    put(&mut map, "number_channels", row.channels);
    put(&mut map, "bit_rate", row.bit_rate);
    // The names of FFmpeg. Those of PCM say more than the library knows.
    let codec = match track.codec() {
        codec @ ("MP3" | "AAC" | "ALAC" | "FLAC" | "Vorbis" | "Opus") => Some(codec.to_ascii_lowercase()),
        _ => None,
    };
    put(&mut map, "codec", codec);
    put(&mut map, "lossless", row.codec.as_deref().map(is_lossless));
    map
}

/// Tags have lists of values and names in lower case.
fn tags(track: &TaggedTrack) -> Map<String, Value> {
    let mut map: Map<String, Value> =
        track.tags.iter().map(|(name, value)| (name.to_lowercase(), json!([value]))).collect();
    put(&mut map, "file_name", Some(track.path_part(Path::file_name)).filter(|name| !name.is_null()));
    map
}

fn tonal(track: &TaggedTrack) -> Map<String, Value> {
    let mut map = Map::new();
    if let Some(key) = track.row.key.as_deref().and_then(Key::read) {
        let name = key.to_string();
        let (tonic, scale) = match name.strip_suffix('m') {
            Some(tonic) => (tonic, "minor"),
            None => (name.as_str(), "major"),
        };
        put(&mut map, "key_key", Some(tonic));
        put(&mut map, "key_scale", Some(scale));
        put(&mut map, "key_krumhansl", Some(json!({ "key": tonic, "scale": scale })));
    }
    map
}

fn undertone(track: &TaggedTrack) -> Map<String, Value> {
    let row = &track.row;
    let mut map = Map::new();
    put(&mut map, "id", Some(row.id));
    put(&mut map, "path", Some(row.path.as_str()));
    put(&mut map, "state", Some(row.state.name()));
    put(&mut map, "added_at", Some(moment(row.added_at)));
    put(&mut map, "format", row.format.as_deref());
    put(&mut map, "codec", row.codec.as_deref());
    put(&mut map, "bits", row.bits);
    put(&mut map, "bandwidth_hz", row.bandwidth_hz.filter(|hz| hz.is_finite()));
    put(&mut map, "key", row.key.as_deref());
    let features: Map<String, Value> = DIMENSIONS
        .iter()
        .filter_map(|dimension| Some((dimension.name.to_owned(), track.feature(dimension.name)?.into())))
        .collect();
    put(&mut map, "features", Some(features).filter(|features| !features.is_empty()));
    map
}
