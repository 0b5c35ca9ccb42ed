//! The fields of tags, and where each format has them: one table that all readers and writers follow.
//!
//! Sources: the Xiph wiki and the tag mapping of `MusicBrainz` Picard for Vorbis comments; `ID3v2.4.0` and iTunes for
//! frames; the iTunes metadata list; Microsoft's RIFF INFO; Apple's AIFF 1.3; the Matroska tag specifications.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::genres::GENRES;

/// A kind of tag that has names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagKind {
    /// Vorbis comments.
    Vorbis,
    /// Frames of `ID3v2`, and descriptions of its user texts.
    Id3,
    /// Items of the iTunes list.
    Mp4,
    /// Keys of APE tags.
    Ape,
    /// Parts of a RIFF INFO list.
    Info,
    /// Text chunks of AIFF.
    Aiff,
    /// Names of Matroska that differ from those of Vorbis comments, on every level.
    Matroska,
}

/// The place of a field in an `ID3v2.4` tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id3Place {
    /// A text frame.
    Text(&'static str),
    /// A text frame with a whole number.
    Whole(&'static str),
    /// The number of a frame such as "3/12".
    Number(&'static str),
    /// The total of a frame such as "3/12".
    Total(&'static str),
    /// A user text, `TXXX`, with this description.
    User(&'static str),
    /// A link.
    Link(&'static str),
    /// The names of people with this role in `TIPL`.
    Role(&'static str),
    /// Musicians with their instruments, `TMCL`: "Name (instrument)".
    Musicians,
    /// A comment, `COMM`.
    Comment,
    /// Lyrics, `USLT`.
    Lyrics,
    /// The identifier of the recording at `MusicBrainz`, `UFID`.
    Recording,
    /// A rating from 0 to 100, `POPM` without an address.
    Rating,
    /// A whole `POPM`: "address|0 to 255|counter".
    Popularimeter,
}

impl Id3Place {
    /// Returns the identifier of the frame.
    pub fn frame(self) -> &'static str {
        match self {
            Self::Text(id) | Self::Whole(id) | Self::Number(id) | Self::Total(id) | Self::Link(id) => id,
            Self::User(_) => "TXXX",
            Self::Role(_) => "TIPL",
            Self::Musicians => "TMCL",
            Self::Comment => "COMM",
            Self::Lyrics => "USLT",
            Self::Recording => "UFID",
            Self::Rating | Self::Popularimeter => "POPM",
        }
    }

    /// Returns the place in words: "TIT2", "TXXX:BARCODE", "TIPL: producer".
    pub fn words(self) -> String {
        match self {
            Self::User(description) => format!("TXXX:{description}"),
            Self::Role(role) => format!("TIPL: {role}"),
            Self::Total(id) => format!("{id} after /"),
            other => other.frame().to_owned(),
        }
    }
}

/// A field of tags.
#[derive(Debug)]
pub struct Field {
    /// Its name in Vorbis comments and in this program, then other spellings that are kept.
    pub names: &'static [&'static str],
    /// Its place in `ID3v2`; `None` if it is a user text of its own name.
    pub id3: Option<Id3Place>,
    /// Its atoms in MP4; a free one has its name after `----:com.apple.iTunes:`.
    pub mp4: &'static [&'static str],
    /// Its keys in APE tags.
    pub ape: &'static [&'static str],
    /// Its parts of RIFF INFO; the first is written.
    pub info: &'static [&'static str],
    /// Its chunks in AIFF.
    pub aiff: &'static [&'static str],
    /// Its further names in Matroska; a name before a slash has the other within it.
    pub mkv: &'static [&'static str],
}

impl Field {
    const fn new(names: &'static [&'static str]) -> Self {
        Self { names, id3: None, mp4: &[], ape: &[], info: &[], aiff: &[], mkv: &[] }
    }

    const fn text(self, frame: &'static str) -> Self {
        self.at(Id3Place::Text(frame))
    }

    const fn user(self, description: &'static str) -> Self {
        self.at(Id3Place::User(description))
    }

    const fn link(self, frame: &'static str) -> Self {
        self.at(Id3Place::Link(frame))
    }

    const fn role(self, role: &'static str) -> Self {
        self.at(Id3Place::Role(role))
    }

    const fn at(self, place: Id3Place) -> Self {
        Self { id3: Some(place), ..self }
    }

    const fn mp4(self, mp4: &'static [&'static str]) -> Self {
        Self { mp4, ..self }
    }

    const fn ape(self, ape: &'static [&'static str]) -> Self {
        Self { ape, ..self }
    }

    const fn info(self, info: &'static [&'static str]) -> Self {
        Self { info, ..self }
    }

    const fn aiff(self, aiff: &'static [&'static str]) -> Self {
        Self { aiff, ..self }
    }

    const fn mkv(self, mkv: &'static [&'static str]) -> Self {
        Self { mkv, ..self }
    }

    /// Returns the name of the field in this program.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Returns its names in a kind of tag.
    pub fn names_in(&self, kind: TagKind) -> Vec<&'static str> {
        match kind {
            TagKind::Vorbis => self.names.to_vec(),
            TagKind::Id3 => match self.id3 {
                Some(Id3Place::User(description)) => vec![description],
                // Several fields share these frames, or they are read as a whole.
                Some(Id3Place::Role(_) | Id3Place::Musicians | Id3Place::Total(_) | Id3Place::Popularimeter) | None => {
                    Vec::new()
                }
                Some(place) => vec![place.frame()],
            },
            TagKind::Mp4 => self.mp4.to_vec(),
            TagKind::Ape => self.ape.to_vec(),
            TagKind::Info => self.info.to_vec(),
            TagKind::Aiff => self.aiff.to_vec(),
            TagKind::Matroska => self.mkv.to_vec(),
        }
    }
}

macro_rules! fields {
    ($($field:expr;)*) => {
        /// The fields, in the order in which they take frames that several of them use. A field that is not here keeps
        /// its name: as a Vorbis comment, a user text of `ID3v2`, a free atom of MP4, a key of an APE tag.
        pub static FIELDS: &[Field] = &[$($field,)*];
    };
}

fields! {
    // Titles.
    Field::new(&["TITLE"]).text("TIT2").mp4(&["\u{a9}nam"]).ape(&["Title"]).info(&["INAM"]).aiff(&["NAME"]);
    Field::new(&["SUBTITLE"]).text("TIT3").mp4(&["SUBTITLE"]).ape(&["Subtitle"]);
    Field::new(&["ALBUM"]).text("TALB").mp4(&["\u{a9}alb"]).ape(&["Album"]).info(&["IPRD"]);
    Field::new(&["DISCSUBTITLE"]).text("TSST").mp4(&["DISCSUBTITLE"]).ape(&["DiscSubtitle"]);
    Field::new(&["GROUPING"]).text("TIT1").mp4(&["\u{a9}grp"]).ape(&["Grouping"]);
    Field::new(&["APPLEGROUPING"]).text("GRP1");
    Field::new(&["WORK"]).user("WORK").mp4(&["\u{a9}wrk"]).ape(&["WORKTITLE"]);
    Field::new(&["MOVEMENTNAME"]).text("MVNM").mp4(&["\u{a9}mvn"]).ape(&["MOVEMENTNAME"]);
    Field::new(&["MOVEMENT"]).at(Id3Place::Number("MVIN")).mp4(&["\u{a9}mvi"]).ape(&["MOVEMENT"]);
    Field::new(&["MOVEMENTTOTAL"]).at(Id3Place::Total("MVIN")).mp4(&["\u{a9}mvc"]).ape(&["MOVEMENTTOTAL"]);
    Field::new(&["SHOW"]).user("SHOW").mp4(&["tvsh"]);
    Field::new(&["ORIGINALALBUM"]).text("TOAL");
    Field::new(&["TITLESORT"]).text("TSOT").mp4(&["sonm"]).ape(&["TITLESORT"]).mkv(&["TITLE/SORT_WITH"]);
    Field::new(&["ALBUMSORT"]).text("TSOA").mp4(&["soal"]).ape(&["ALBUMSORT"]);
    Field::new(&["ARTISTSORT"]).text("TSOP").mp4(&["soar"]).ape(&["ARTISTSORT"]).mkv(&["ARTIST/SORT_WITH"]);
    Field::new(&["ALBUMARTISTSORT"]).text("TSO2").mp4(&["soaa"]).ape(&["ALBUMARTISTSORT"]);
    Field::new(&["COMPOSERSORT"]).text("TSOC").mp4(&["soco"]);
    Field::new(&["SHOWSORT"]).user("SHOWSORT").mp4(&["sosn"]);
    // People.
    Field::new(&["ARTIST"]).text("TPE1").mp4(&["\u{a9}ART"]).ape(&["Artist"]).info(&["IART"]).aiff(&["AUTH"]);
    Field::new(&["ARTISTS"]).user("ARTISTS").mp4(&["ARTISTS"]).ape(&["Artists"]);
    Field::new(&["ALBUMARTIST", "ALBUM ARTIST"])
        .text("TPE2")
        .mp4(&["aART"])
        .ape(&["Album Artist", "ALBUMARTIST"])
        .mkv(&["ALBUM_ARTIST"]);
    Field::new(&["ALBUMARTISTS", "ALBUM ARTISTS"])
        .user("ALBUMARTISTS")
        .mp4(&["ALBUMARTISTS"])
        .ape(&["ALBUMARTISTS", "ALBUM ARTISTS"]);
    Field::new(&["COMPOSER"]).text("TCOM").mp4(&["\u{a9}wrt"]).ape(&["Composer"]).info(&["IMUS"]);
    Field::new(&["LYRICIST"]).text("TEXT").mp4(&["LYRICIST"]).ape(&["Lyricist"]);
    Field::new(&["AUTHOR", "WRITER"]).text("TEXT").ape(&["Writer"]).info(&["IWRI"]);
    Field::new(&["CONDUCTOR"]).text("TPE3").mp4(&["CONDUCTOR"]).ape(&["Conductor"]);
    Field::new(&["REMIXER", "MIXARTIST"]).text("TPE4").mp4(&["REMIXER"]).ape(&["MixArtist"]).mkv(&["REMIXED_BY"]);
    Field::new(&["PERFORMER"]).at(Id3Place::Musicians).ape(&["Performer"]).mkv(&["LEAD_PERFORMER"]);
    Field::new(&["PRODUCER"]).role("producer").mp4(&["PRODUCER"]).ape(&["Producer"]).info(&["IPRO"]);
    Field::new(&["ARRANGER"]).role("arranger").ape(&["Arranger"]);
    Field::new(&["ENGINEER"])
        .role("engineer")
        .mp4(&["ENGINEER"])
        .ape(&["Engineer"])
        .info(&["IENG"])
        .mkv(&["SOUND_ENGINEER"]);
    Field::new(&["DJMIXER"]).role("DJ-mix").mp4(&["DJMIXER"]).ape(&["DjMixer"]);
    Field::new(&["MIXER"]).role("mix").mp4(&["MIXER"]).ape(&["Mixer"]).mkv(&["MIXED_BY"]);
    Field::new(&["DIRECTOR"]).user("DIRECTOR").mp4(&["\u{a9}dir"]).ape(&["Director"]);
    Field::new(&["PUBLISHER"]).text("TPUB");
    Field::new(&["LABEL", "ORGANIZATION"]).text("TPUB").mp4(&["LABEL"]).ape(&["Label"]);
    Field::new(&["ORIGINALARTIST"]).text("TOPE");
    Field::new(&["ORIGINALLYRICIST"]).text("TOLY");
    Field::new(&["FILEOWNER"]).text("TOWN");
    Field::new(&["RADIOSTATION"]).text("TRSN");
    Field::new(&["RADIOSTATIONOWNER"]).text("TRSO");
    // Numbers.
    Field::new(&["TRACKNUMBER"]).at(Id3Place::Number("TRCK")).mp4(&["trkn"]).ape(&["Track"]).info(&["IPRT", "ITRK"]);
    Field::new(&["TRACKTOTAL", "TOTALTRACKS"])
        .at(Id3Place::Total("TRCK"))
        .mp4(&["trkn"])
        .ape(&["Track"])
        .info(&["IFRM"]);
    Field::new(&["DISCNUMBER"]).at(Id3Place::Number("TPOS")).mp4(&["disk"]).ape(&["Disc"]);
    Field::new(&["DISCTOTAL", "TOTALDISCS"]).at(Id3Place::Total("TPOS")).mp4(&["disk"]).ape(&["Disc"]);
    Field::new(&["RATING"]).at(Id3Place::Rating).mp4(&["rate"]).ape(&["Rating"]).info(&["IRTD"]);
    Field::new(&["POPULARIMETER"]).at(Id3Place::Popularimeter);
    Field::new(&["ITUNESADVISORY"]).user("ITUNESADVISORY").mp4(&["rtng"]);
    // Dates.
    Field::new(&["DATE"]).text("TDRC").mp4(&["\u{a9}day"]).ape(&["Year"]).info(&["ICRD"]).mkv(&["DATE_RELEASED"]);
    Field::new(&["YEAR"]).text("TDRC");
    Field::new(&["ORIGINALDATE", "ORIGINALYEAR"]).text("TDOR").mp4(&["ORIGINALDATE"]).ape(&["ORIGINALYEAR"]);
    Field::new(&["RELEASEDATE"]).text("TDRL").mp4(&["RELEASEDATE"]).ape(&["RELEASEDATE"]);
    Field::new(&["TAGGINGTIME"]).text("TDTG");
    // Style and sound.
    Field::new(&["GENRE"]).text("TCON").mp4(&["\u{a9}gen", "gnre"]).ape(&["Genre"]).info(&["IGNR"]);
    Field::new(&["MOOD"]).text("TMOO").mp4(&["MOOD"]).ape(&["Mood"]);
    Field::new(&["COLOR"]).user("COLOR").mp4(&["COLOR"]).ape(&["Color"]);
    Field::new(&["BPM"]).at(Id3Place::Whole("TBPM")).mp4(&["tmpo", "BPM"]).ape(&["BPM"]);
    Field::new(&["INITIALKEY", "KEY"]).text("TKEY").mp4(&["initialkey"]).mkv(&["INITIAL_KEY"]);
    Field::new(&["LANGUAGE"]).text("TLAN").mp4(&["LANGUAGE"]).ape(&["language"]).info(&["ILNG"]);
    Field::new(&["SCRIPT"]).user("SCRIPT").mp4(&["SCRIPT"]).ape(&["Script"]);
    Field::new(&["LYRICS"]).at(Id3Place::Lyrics).mp4(&["\u{a9}lyr"]).ape(&["Lyrics"]);
    Field::new(&["UNSYNCEDLYRICS"]).at(Id3Place::Lyrics).ape(&["UnsyncedLyrics"]);
    Field::new(&["COMMENT"])
        .at(Id3Place::Comment)
        .mp4(&["\u{a9}cmt"])
        .ape(&["Comment"])
        .info(&["ICMT"])
        .aiff(&["ANNO", "COMT"]);
    Field::new(&["DESCRIPTION"]).user("DESCRIPTION").mp4(&["desc"]);
    Field::new(&["SUBJECT"]).user("SUBJECT").info(&["ISBJ"]);
    Field::new(&["KEYWORDS"]).user("KEYWORDS").info(&["IKEY"]);
    Field::new(&["SOURCE"]).user("SOURCE").info(&["ISRC"]);
    // Rights, identifiers and links.
    Field::new(&["COPYRIGHT"]).text("TCOP").mp4(&["cprt"]).ape(&["Copyright"]).info(&["ICOP"]).aiff(&["(c) "]);
    Field::new(&["PRODUCEDNOTICE"]).text("TPRO");
    Field::new(&["LICENSE"]).link("WCOP").mp4(&["LICENSE"]);
    Field::new(&["ISRC"]).text("TSRC").mp4(&["ISRC"]).ape(&["ISRC"]);
    Field::new(&["BARCODE"]).user("BARCODE").mp4(&["BARCODE"]).ape(&["Barcode"]);
    Field::new(&["CATALOGNUMBER"])
        .user("CATALOGNUMBER")
        .mp4(&["CATALOGNUMBER"])
        .ape(&["CatalogNumber"])
        .mkv(&["CATALOG_NUMBER"]);
    Field::new(&["LABELCODE"]).mkv(&["LABEL_CODE"]);
    Field::new(&["MEDIA"]).text("TMED").mp4(&["MEDIA"]).ape(&["Media"]).info(&["ISRF", "IMED"]);
    Field::new(&["RELEASECOUNTRY"])
        .user("MusicBrainz Album Release Country")
        .mp4(&["MusicBrainz Album Release Country"])
        .ape(&["RELEASECOUNTRY"])
        .info(&["ICNT"]);
    Field::new(&["RELEASETYPE"])
        .user("MusicBrainz Album Type")
        .mp4(&["MusicBrainz Album Type"])
        .ape(&["MUSICBRAINZ_ALBUMTYPE"]);
    Field::new(&["MUSICBRAINZ_TRACKID"])
        .at(Id3Place::Recording)
        .mp4(&["MusicBrainz Track Id"])
        .ape(&["MUSICBRAINZ_TRACKID"]);
    Field::new(&["MUSICBRAINZ_RELEASETRACKID"])
        .user("MusicBrainz Release Track Id")
        .mp4(&["MusicBrainz Release Track Id"])
        .ape(&["MUSICBRAINZ_RELEASETRACKID"]);
    Field::new(&["MUSICBRAINZ_ALBUMID"])
        .user("MusicBrainz Album Id")
        .mp4(&["MusicBrainz Album Id"])
        .ape(&["MUSICBRAINZ_ALBUMID"]);
    Field::new(&["MUSICBRAINZ_RELEASEGROUPID"])
        .user("MusicBrainz Release Group Id")
        .mp4(&["MusicBrainz Release Group Id"])
        .ape(&["MUSICBRAINZ_RELEASEGROUPID"]);
    Field::new(&["MUSICBRAINZ_ARTISTID"])
        .user("MusicBrainz Artist Id")
        .mp4(&["MusicBrainz Artist Id"])
        .ape(&["MUSICBRAINZ_ARTISTID"]);
    Field::new(&["MUSICBRAINZ_ALBUMARTISTID"])
        .user("MusicBrainz Album Artist Id")
        .mp4(&["MusicBrainz Album Artist Id"])
        .ape(&["MUSICBRAINZ_ALBUMARTISTID"]);
    Field::new(&["MUSICBRAINZ_WORKID"])
        .user("MusicBrainz Work Id")
        .mp4(&["MusicBrainz Work Id"])
        .ape(&["MUSICBRAINZ_WORKID"]);
    Field::new(&["ACOUSTID_ID"]).user("Acoustid Id").mp4(&["Acoustid Id"]).ape(&["ACOUSTID_ID"]);
    Field::new(&["ACOUSTID_FINGERPRINT"])
        .user("Acoustid Fingerprint")
        .mp4(&["Acoustid Fingerprint"])
        .ape(&["ACOUSTID_FINGERPRINT"]);
    Field::new(&["WEBSITE"]).link("WOAR");
    Field::new(&["AUDIOFILEURL"]).link("WOAF");
    Field::new(&["AUDIOSOURCEURL"]).link("WOAS");
    Field::new(&["COMMERCIALURL"]).link("WCOM");
    Field::new(&["RADIOSTATIONURL"]).link("WORS");
    Field::new(&["PAYMENTURL"]).link("WPAY");
    Field::new(&["PUBLISHERURL"]).link("WPUB");
    Field::new(&["WWW"]).link("WXXX");
    // Flags and podcasts.
    Field::new(&["COMPILATION"]).text("TCMP").mp4(&["cpil"]).ape(&["Compilation"]);
    Field::new(&["PODCAST"]).user("PODCAST").mp4(&["pcst"]);
    Field::new(&["PODCASTURL"]).link("WFED").mp4(&["purl"]);
    Field::new(&["PODCASTID"]).text("TGID").mp4(&["egid"]);
    Field::new(&["PODCASTDESC"]).text("TDES").mp4(&["ldes"]);
    Field::new(&["PODCASTCATEGORY"]).text("TCAT").mp4(&["catg"]);
    Field::new(&["PODCASTKEYWORDS"]).text("TKWD").mp4(&["keyw"]);
    // The former file.
    Field::new(&["ENCODEDBY", "ENCODED-BY", "ENCODED_BY"])
        .text("TENC")
        .mp4(&["\u{a9}enc"])
        .ape(&["EncodedBy"])
        .info(&["ITCH"]);
    Field::new(&["ENCODING", "ENCODERSETTINGS"]).text("TSSE").mkv(&["ENCODER_SETTINGS"]);
    Field::new(&["ENCODER"]).text("TSSE").mp4(&["\u{a9}too"]).info(&["ISFT"]);
    Field::new(&["ENCODINGTIME"]).text("TDEN");
    Field::new(&["ORIGINALFILENAME"]).text("TOFN");
    Field::new(&["FILETYPE"]).text("TFLT");
    Field::new(&["LENGTH"]).text("TLEN").info(&["TLEN"]);
    // Gains.
    Field::new(&["REPLAYGAIN_TRACK_GAIN"])
        .user("REPLAYGAIN_TRACK_GAIN")
        .mp4(&["replaygain_track_gain"])
        .ape(&["REPLAYGAIN_TRACK_GAIN"]);
    Field::new(&["REPLAYGAIN_TRACK_PEAK"])
        .user("REPLAYGAIN_TRACK_PEAK")
        .mp4(&["replaygain_track_peak"])
        .ape(&["REPLAYGAIN_TRACK_PEAK"]);
    Field::new(&["REPLAYGAIN_ALBUM_GAIN"])
        .user("REPLAYGAIN_ALBUM_GAIN")
        .mp4(&["replaygain_album_gain"])
        .ape(&["REPLAYGAIN_ALBUM_GAIN"]);
    Field::new(&["REPLAYGAIN_ALBUM_PEAK"])
        .user("REPLAYGAIN_ALBUM_PEAK")
        .mp4(&["replaygain_album_peak"])
        .ape(&["REPLAYGAIN_ALBUM_PEAK"]);
    Field::new(&["R128_TRACK_GAIN"]);
    Field::new(&["R128_ALBUM_GAIN"]);
}

/// The first field of each name in each kind of tag.
static BY_NAME: LazyLock<HashMap<(TagKind, String), &'static Field>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for kind in
        [TagKind::Vorbis, TagKind::Id3, TagKind::Mp4, TagKind::Ape, TagKind::Info, TagKind::Aiff, TagKind::Matroska]
    {
        for field in FIELDS {
            for name in field.names_in(kind) {
                by_name.entry((kind, name.to_uppercase())).or_insert(field);
            }
        }
    }
    by_name
});

/// The longest name in the table, in bytes.
const MAX_KNOWN_BYTES: usize = 64;

/// Returns the field of a name in a kind of tag, in any case of letters; the first in the table if several have it.
pub fn field(kind: TagKind, name: &str) -> Option<&'static Field> {
    if name.len() > MAX_KNOWN_BYTES {
        return None;
    }
    BY_NAME.get(&(kind, name.to_uppercase())).copied()
}

/// Returns the field with this role in `TIPL`.
pub(super) fn field_of_role(role: &str) -> Option<&'static Field> {
    let has_role =
        |field: &&Field| matches!(field.id3, Some(Id3Place::Role(known)) if known.eq_ignore_ascii_case(role));
    FIELDS.iter().find(has_role)
}

/// Returns the name of a number in the list of genres of `ID3v1`, as its list has it today.
pub(super) fn genre(number: usize) -> Option<&'static str> {
    GENRES.get(number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_one_field() {
        for (at, field) in FIELDS.iter().enumerate() {
            for name in field.names {
                let owner = super::field(TagKind::Vorbis, name).unwrap();
                assert!(std::ptr::eq(owner, &raw const FIELDS[at]), "{name} is a name of {} too", owner.name());
                assert!(name.len() <= MAX_KNOWN_BYTES && *name == name.to_uppercase());
            }
        }
    }

    #[test]
    fn names_of_other_tags_lead_to_their_fields() {
        for (kind, name, expected) in [
            (TagKind::Id3, "TIT2", Some("TITLE")),
            (TagKind::Id3, "TEXT", Some("LYRICIST")),
            (TagKind::Id3, "TPUB", Some("PUBLISHER")),
            (TagKind::Id3, "TDRC", Some("DATE")),
            (TagKind::Id3, "TBPM", Some("BPM")),
            (TagKind::Id3, "USLT", Some("LYRICS")),
            (TagKind::Id3, "MusicBrainz Album Id", Some("MUSICBRAINZ_ALBUMID")),
            (TagKind::Id3, "musicbrainz album id", Some("MUSICBRAINZ_ALBUMID")),
            (TagKind::Id3, "TXXX", None),
            (TagKind::Mp4, "\u{a9}art", Some("ARTIST")),
            (TagKind::Mp4, "\u{a9}alb", Some("ALBUM")),
            (TagKind::Ape, "year", Some("DATE")),
            (TagKind::Info, "ICMT", Some("COMMENT")),
            (TagKind::Aiff, "(c) ", Some("COPYRIGHT")),
            (TagKind::Vorbis, "totaltracks", Some("TRACKTOTAL")),
            (TagKind::Matroska, "ALBUM_ARTIST", Some("ALBUMARTIST")),
        ] {
            assert_eq!(field(kind, name).map(Field::name), expected, "{kind:?} {name}");
        }
        assert_eq!(field_of_role("dj-MIX").map(Field::name), Some("DJMIXER"));
        assert_eq!((genre(17), genre(133), genre(192)), (Some("Rock"), Some("Afro-Punk"), None));
    }
}
