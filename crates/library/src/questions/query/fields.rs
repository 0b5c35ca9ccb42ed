//! The fields of a query: one table, used for parsing, SQL, completion and help.

use std::sync::LazyLock;

use serde::Serialize;

use analysis::features::dimensions::DIMENSIONS;

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

type Described = (&'static str, &'static str, &'static [&'static str], Kind, &'static str, &'static str, &'static str);

/// Name, column, other names, kind, unit, example, help.
const TAGS: [Described; 20] = [
    ("title", "title", &["name", "song"], Kind::Text, "", "title:blue", "the title, from the tags"),
    ("artist", "artist", &["by", "performer"], Kind::Text, "", "artist:\"Miles Davis\"", "the artist, from the tags"),
    ("album", "album", &["release"], Kind::Text, "", "album:\"Kind of Blue\"", "the album, from the tags"),
    ("album_artist", "album_artist", &["albumartist"], Kind::Text, "", "album_artist:various", "the album's artist"),
    ("genre", "genre", &["style"], Kind::Text, "", "-genre:live", "the genre, from the tags"),
    ("path", "path", &["file", "folder"], Kind::Text, "", "path:downloads", "the file's path"),
    ("year", "year", &["date"], Kind::Number(&[]), "", "year:1959..1965", "the year, from the tags"),
    ("track", "track_no", &["number"], Kind::Number(&[]), "", "track:1", "the number on the album"),
    ("key", "key", &["tonality"], Kind::Key, "", "key:Am", "the key; C#m and Dbm are one, 8A is Am"),
    ("duration", "duration_s", &["length", "time"], Kind::Duration, "s", "duration:>3:00", "the length"),
    ("rate", "rate_hz", &["samplerate", "sample_rate"], Kind::Number(HERTZ), "Hz", "rate:44.1k", "the sample rate"),
    ("channels", "channels", &["ch"], Kind::Number(&[]), "", "channels:1", "the number of channels"),
    ("format", "format", &["container", "type"], Kind::Text, "", "format:flac,wav", "the kind of file"),
    ("codec", "codec", &[], Kind::Text, "", "codec:aac", "the codec"),
    ("bitrate", "bit_rate", &[], Kind::Number(BITS_PER_SECOND), "bit/s", "bitrate:<192k", "the mean bit rate"),
    ("bits", "bits", &["depth", "bit_depth"], Kind::Number(BITS), "bit", "bits:24", "bits per sample"),
    ("bandwidth", "bandwidth_hz", &["cutoff"], Kind::Number(HERTZ), "Hz", "bandwidth:<16.5k", "the bandwidth"),
    ("added", "added_at", &[], Kind::Date, "", "added:2026-03", "the date it was added"),
    ("state", "state", &["status"], Kind::Choice(STATES), "", "state:failed", "the state of its analysis"),
    ("id", "id", &[], Kind::Number(&[]), "", "id:42", "its number in the library"),
];

type Named = (&'static str, &'static str, &'static [&'static str], &'static [Unit], &'static str);

/// Column, names, units and example of each dimension. Their meaning is documented where they are defined.
const FEATURES: [Named; 25] = [
    ("sub_bass", "band_sub_bass", &["sub"], SHARE, "sub_bass:>10%"),
    ("bass", "band_bass", &[], SHARE, "bass:>40%"),
    ("low_mid", "band_low_mid", &["lowmid"], SHARE, "low_mid:<20%"),
    ("mid", "band_mid", &[], SHARE, "mid:>30%"),
    ("upper_mid", "band_upper_mid", &["uppermid"], SHARE, "upper_mid:>5%"),
    ("presence", "band_presence", &[], SHARE, "presence:>2%"),
    ("air", "band_air", &[], SHARE, "air:>1%"),
    ("loudness", "loudness_lufs", &["lufs", "volume"], LUFS, "loudness:<-14"),
    ("crest", "crest_db", &[], DECIBELS, "crest:>12dB"),
    ("bass_mid", "bass_mid_ratio_db", &["bass_mid_ratio"], DECIBELS, "bass_mid:>0"),
    ("bpm", "tempo_bpm", &["tempo"], BEATS, "bpm:118..122"),
    ("rhythm", "rhythm_stability", &["steadiness"], SHARE, "rhythm:>0.9"),
    ("transients", "transient_density", &["onsets"], PER_SECOND, "transients:>4"),
    ("silence", "silence_ratio", &[], SHARE, "silence:<5%"),
    ("centroid", "centroid_hz", &["brightness"], HERTZ, "centroid:>3k"),
    ("rolloff", "rolloff_hz", &[], HERTZ, "rolloff:<8k"),
    ("flatness", "flatness", &["noisiness"], SHARE, "flatness:>0.3"),
    ("harmonic", "harmonic_ratio", &[], SHARE, "harmonic:>80%"),
    ("pitch", "pitch_stability", &[], SHARE, "pitch:>0.8"),
    ("chroma", "chroma_energy", &[], SHARE, "chroma:>0.5"),
    ("dynamics", "dynamic_range_variation", &[], SHARE, "dynamics:>0.5"),
    ("loudness_variation", "loudness_variation_db", &[], DECIBELS, "loudness_variation:>3dB"),
    ("peaks", "peak_consistency", &[], SHARE, "peaks:>0.9"),
    ("width", "stereo_width", &["stereo"], SHARE, "width:>20%"),
    ("correlation", "phase_correlation", &["phase"], &[], "correlation:<0"),
];

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let with_column = |name: &str, column: &'static str, others: &[&'static str]| {
        let own = (column != name).then_some(column);
        own.into_iter().chain(others.iter().copied()).collect()
    };
    let tags = TAGS.iter().map(|&(name, column, others, kind, unit, example, help)| Field {
        name,
        column,
        aliases: with_column(name, column, others),
        kind,
        unit,
        example,
        help,
    });
    let features = FEATURES.iter().filter_map(|&(name, column, others, units, example)| {
        let dimension = DIMENSIONS.iter().find(|dimension| dimension.name == column)?;
        let aliases = with_column(name, column, others);
        let (unit, help) = (dimension.unit, dimension.meaning);
        Some(Field { name, column, aliases, kind: Kind::Number(units), unit, example, help })
    });
    tags.chain(features).collect()
});

/// Returns all fields, those of the tags first.
pub fn fields() -> &'static [Field] {
    &FIELDS
}

/// Returns the field with this name or alias; case is ignored.
pub fn field(name: &str) -> Option<&'static Field> {
    fields().iter().find(|field| field.names().any(|own| own.eq_ignore_ascii_case(name)))
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
