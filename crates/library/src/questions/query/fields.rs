//! The fields of a query: one table, used for parsing, SQL, completion and help.

use std::sync::LazyLock;

use serde::Serialize;

use crate::tracks::columns::{self, Column};

/// A field of a query.
#[derive(Debug, PartialEq, Serialize)]
pub struct Field {
    /// The canonical name.
    pub name: &'static str,
    /// The column in the database.
    pub column: &'static str,
    /// Other accepted names, including that of the column.
    pub aliases: Vec<&'static str>,
    /// The type of its values.
    pub kind: Kind,
    /// The unit of a number written without one, for display.
    pub unit: &'static str,
    /// An example of a test.
    pub example: &'static str,
    /// A description.
    pub help: &'static str,
}

/// The type of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Text of any kind.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A musical key.
    Key,
    /// A number, optionally with one of these units.
    Number(&'static [Unit]),
    /// Seconds, also written as a clock time.
    Duration,
    /// A year, month or day in UTC; the column holds milliseconds since 1970.
    Date,
}

/// A unit that may follow a number.
#[derive(Debug, PartialEq, Serialize)]
pub struct Unit {
    /// The name as printed.
    pub name: &'static str,
    /// Other spellings; case is ignored.
    pub also: &'static [&'static str],
    /// The factor that converts a number to the unit of the column.
    pub factor: f64,
}

impl Unit {
    pub(super) fn is_called(&self, text: &str) -> bool {
        std::iter::once(&self.name).chain(self.also).any(|name| name.eq_ignore_ascii_case(text))
    }
}

const fn unit(name: &'static str, also: &'static [&'static str], factor: f64) -> Unit {
    Unit { name, also, factor }
}

const HERTZ: &[Unit] = &[unit("Hz", &[], 1.0), unit("k", &["kHz"], 1000.0)];
const BITS_PER_SECOND: &[Unit] = &[unit("k", &["kbps", "kbit/s"], 1000.0), unit("M", &["Mbps", "Mbit/s"], 1e6)];
const BITS: &[Unit] = &[unit("bit", &["bits"], 1.0)];
const LUFS: &[Unit] = &[unit("LUFS", &["LKFS", "LU", "dB"], 1.0)];
const DECIBELS: &[Unit] = &[unit("dB", &[], 1.0)];
const BEATS: &[Unit] = &[unit("BPM", &[], 1.0)];
const SHARE: &[Unit] = &[unit("%", &[], 0.01)];
const PER_SECOND: &[Unit] = &[unit("/s", &[], 1.0)];

/// The states of a track in the database.
const STATES: &[&str] = &["waiting", "analysing", "done", "failed", "vanished"];

type Named = (&'static str, &'static str, &'static [&'static str], Kind, &'static str);

/// Name, column, other names, kind, example. Units and meanings are those of the columns.
const NAMED: [Named; 45] = {
    use Kind::{Choice, Date, Duration, Key, Number, Text};
    [
        ("title", "title", &["name", "song"], Text, "title:blue"),
        ("artist", "artist", &["by", "performer"], Text, "artist:\"Miles Davis\""),
        ("album", "album", &["release"], Text, "album:\"Kind of Blue\""),
        ("album_artist", "album_artist", &["albumartist"], Text, "album_artist:various"),
        ("genre", "genre", &["style"], Text, "-genre:live"),
        ("path", "path", &["file", "folder"], Text, "path:downloads"),
        ("year", "year", &["date"], Number(&[]), "year:1959..1965"),
        ("track", "track_no", &["number"], Number(&[]), "track:1"),
        ("key", "key", &["tonality"], Key, "key:Am"),
        ("duration", "duration_s", &["length", "time"], Duration, "duration:>3:00"),
        ("rate", "rate_hz", &["samplerate", "sample_rate"], Number(HERTZ), "rate:44.1k"),
        ("channels", "channels", &["ch"], Number(&[]), "channels:1"),
        ("format", "format", &["container", "type"], Text, "format:flac,wav"),
        ("codec", "codec", &[], Text, "codec:aac"),
        ("bitrate", "bit_rate", &[], Number(BITS_PER_SECOND), "bitrate:<192k"),
        ("bits", "bits", &["depth", "bit_depth"], Number(BITS), "bits:24"),
        ("bandwidth", "bandwidth_hz", &["cutoff"], Number(HERTZ), "bandwidth:<16.5k"),
        ("added", "added_at", &[], Date, "added:2026-03"),
        ("state", "state", &["status"], Choice(STATES), "state:failed"),
        ("id", "id", &[], Number(&[]), "id:42"),
        ("sub_bass", "band_sub_bass", &["sub"], Number(SHARE), "sub_bass:>10%"),
        ("bass", "band_bass", &[], Number(SHARE), "bass:>40%"),
        ("low_mid", "band_low_mid", &["lowmid"], Number(SHARE), "low_mid:<20%"),
        ("mid", "band_mid", &[], Number(SHARE), "mid:>30%"),
        ("upper_mid", "band_upper_mid", &["uppermid"], Number(SHARE), "upper_mid:>5%"),
        ("presence", "band_presence", &[], Number(SHARE), "presence:>2%"),
        ("air", "band_air", &[], Number(SHARE), "air:>1%"),
        ("loudness", "loudness_lufs", &["lufs", "volume"], Number(LUFS), "loudness:<-14"),
        ("crest", "crest_db", &[], Number(DECIBELS), "crest:>12dB"),
        ("bass_mid", "bass_mid_ratio_db", &["bass_mid_ratio"], Number(DECIBELS), "bass_mid:>0"),
        ("bpm", "tempo_bpm", &["tempo"], Number(BEATS), "bpm:118..122"),
        ("rhythm", "rhythm_stability", &["steadiness"], Number(SHARE), "rhythm:>0.9"),
        ("transients", "transient_density", &["onsets"], Number(PER_SECOND), "transients:>4"),
        ("silence", "silence_ratio", &[], Number(SHARE), "silence:<5%"),
        ("centroid", "centroid_hz", &["brightness"], Number(HERTZ), "centroid:>3k"),
        ("rolloff", "rolloff_hz", &[], Number(HERTZ), "rolloff:<8k"),
        ("flatness", "flatness", &["noisiness"], Number(SHARE), "flatness:>0.3"),
        ("harmonic", "harmonic_ratio", &[], Number(SHARE), "harmonic:>80%"),
        ("pitch", "pitch_stability", &[], Number(SHARE), "pitch:>0.8"),
        ("chroma", "chroma_energy", &[], Number(SHARE), "chroma:>0.5"),
        ("dynamics", "dynamic_range_variation", &[], Number(SHARE), "dynamics:>0.5"),
        ("loudness_variation", "loudness_variation_db", &[], Number(DECIBELS), "loudness_variation:>3dB"),
        ("peaks", "peak_consistency", &[], Number(SHARE), "peaks:>0.9"),
        ("width", "stereo_width", &["stereo"], Number(SHARE), "width:>20%"),
        ("correlation", "phase_correlation", &["phase"], Number(&[]), "correlation:<0"),
    ]
};

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let field = |&(name, column, others, kind, example): &Named| {
        let Column { unit, meaning: help, .. } = columns::all().find(|known| known.name == column)?;
        let aliases = (column != name).then_some(column).into_iter().chain(others.iter().copied()).collect();
        Some(Field { name, column, aliases, kind, unit, example, help })
    };
    NAMED.iter().filter_map(field).collect()
});

/// Returns all fields, those of the tags first.
pub fn fields() -> &'static [Field] {
    &FIELDS
}

/// Returns the field with this name or alias; case is ignored.
pub fn field(name: &str) -> Option<&'static Field> {
    fields().iter().find(|field| field.names().any(|spelling| spelling.eq_ignore_ascii_case(name)))
}

impl Field {
    /// Returns its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// Returns the name most similar to the given one, if one is similar enough.
pub fn nearest_name<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    base::suggestion::nearest(written, names)
}
