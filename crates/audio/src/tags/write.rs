//! Writes tags and pictures to finished WAV and FLAC files.

use std::borrow::Cow;
use std::path::Path;

use lofty::TextEncoding;
use lofty::config::WriteOptions;
use lofty::file::FileType;
use lofty::id3::v2::{Frame, FrameId, Id3v2Tag, TextInformationFrame};
use lofty::ogg::OggPictureStorage;
use lofty::ogg::tag::VorbisComments;
use lofty::picture::{MimeType, PictureInformation, PictureType};
use lofty::probe::Probe;
use lofty::tag::{ItemKey, ItemValue, Tag, TagExt, TagItem, TagType};

use super::Tags;
use base::error::{Error, Result};

/// Writes `tags` to the finished file at `path` and replaces its existing tags. A WAV file gets an `ID3v2` chunk, and a
/// RIFF INFO list of the fields that it can hold; a FLAC file gets Vorbis comments and picture blocks. Returns
/// human-readable warnings about tags that could not be kept.
pub fn write(path: &Path, tags: &Tags) -> Result<Vec<String>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    let kind = Probe::open(path)
        .map_err(|error| failed(path, &error))?
        .guess_file_type()
        .map_err(|source| Error::io("read", path, source))?
        .file_type();
    match kind {
        Some(FileType::Flac) => write_flac(path, tags),
        Some(FileType::Wav) => write_wav(path, tags),
        _ => Err(Error::unsupported("Writing tags into this kind of file", "WAV and FLAC can have tags")),
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::io("write the tags of", path, std::io::Error::other(error.to_string()))
}

fn pictures(tags: &Tags) -> impl Iterator<Item = lofty::picture::Picture> {
    tags.pictures.iter().map(|picture| {
        lofty::picture::Picture::unchecked(picture.data.clone())
            .pic_type(PictureType::from_u8(picture.kind))
            .mime_type(MimeType::from_str(&picture.mime))
            .build()
    })
}

/// The largest picture of a FLAC file in bytes: a metadata block has a length of 24 bits, and holds its description too.
const MAX_FLAC_PICTURE: usize = (1 << 24) - (1 << 10);

/// Returns the comments and pictures of a FLAC file, and warnings about tags that it cannot hold.
pub(crate) fn flac_comments(tags: &Tags) -> (VorbisComments, Vec<String>) {
    let mut warnings = Vec::new();
    let mut comments = VorbisComments::new();
    for (key, value) in &tags.items {
        // The Vorbis comment specification allows printable ASCII without `=` in field names.
        if key.is_empty() || !key.bytes().all(|byte| (0x20..=0x7d).contains(&byte) && byte != b'=') {
            warnings.push(format!("The tag `{key}` was not written: FLAC does not allow its name."));
            continue;
        }
        comments.push(key.clone(), value.clone());
    }
    for picture in pictures(tags) {
        if picture.data().len() > MAX_FLAC_PICTURE {
            warnings.push("A picture was not written: FLAC holds pictures of up to 16 MiB.".to_owned());
            continue;
        }
        let information = PictureInformation::from_picture(&picture).unwrap_or_default();
        if comments.insert_picture(picture, Some(information)).is_err() {
            warnings.push("A picture was not written: its format is unknown.".to_owned());
        }
    }
    (comments, warnings)
}

fn write_flac(path: &Path, tags: &Tags) -> Result<Vec<String>> {
    let (comments, warnings) = flac_comments(tags);
    comments.save_to_path(path, WriteOptions::default()).map_err(|error| failed(path, &error))?;
    Ok(warnings)
}

/// Returns what of `tags` a WAV file holds only in its `ID3v2` chunk, which not every program reads, and not in its RIFF
/// INFO list: names of fields, and whether there are pictures.
pub(crate) fn only_in_id3(tags: &Tags) -> (Vec<String>, bool) {
    let in_info = |key: &String| {
        ItemKey::from_key(TagType::VorbisComments, key).is_some_and(|item| item.map_key(TagType::RiffInfo).is_some())
    };
    (tags.items.keys().filter(|key| !in_info(key)).cloned().collect(), !tags.pictures.is_empty())
}

/// Splits the fields into those with an `ID3v2` frame and the others. Of several spellings of one field the first one has
/// the frame.
fn common_items(tags: &Tags) -> (Tag, Vec<(&String, &String)>) {
    let mut common = Tag::new(TagType::Id3v2);
    let mut free = Vec::new();
    for (key, value) in &tags.items {
        match id3_item(key, value) {
            Some((item, text)) => match common.get_string(item) {
                None => common.push_unchecked(TagItem::new(item, ItemValue::Text(text.into_owned()))),
                Some(first) if first == text => {}
                Some(_) => free.push((key, value)),
            },
            None => free.push((key, value)),
        }
    }
    (common, free)
}

/// Returns the item that an `ID3v2` frame holds of a field, and its text; `None` if there is no such frame.
fn id3_item<'a>(key: &str, value: &'a str) -> Option<(ItemKey, Cow<'a, str>)> {
    let item = match ItemKey::from_key(TagType::VorbisComments, key)? {
        ItemKey::Bpm => return Some((ItemKey::IntegerBpm, whole_tempo(value)?)),
        ItemKey::Lyrics => ItemKey::UnsyncLyrics,
        // POPM holds an address, a byte and a counter, and no text.
        ItemKey::Popularimeter => return None,
        item => item,
    };
    item.map_key(TagType::Id3v2).is_some().then_some((item, Cow::Borrowed(value)))
}

/// Returns a tempo as a whole number, as TBPM holds it (`ID3v2.4`, 4.2.3); `None` for a text that is no tempo.
fn whole_tempo(text: &str) -> Option<Cow<'_, str>> {
    let bpm: f64 = text.trim().replace(',', ".").parse().ok()?;
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (0.5..1e6).contains(&bpm);
    fits.then(|| if is_whole { Cow::Borrowed(text) } else { Cow::Owned(bpm.round().to_string()) })
}

/// Returns the tempo, and the whole number that an `ID3v2` tag holds of it, if they differ.
pub(crate) fn rounded_tempo(tags: &Tags) -> Option<(&str, String)> {
    let text = tags.items.get("BPM")?;
    let whole = whole_tempo(text)?;
    let differs = text.trim().replace(',', ".").parse::<f64>().ok()? != whole.parse::<f64>().ok()?;
    differs.then(|| (text.as_str(), whole.into_owned()))
}

fn id3v2(mut common: Tag, free: Vec<(&String, &String)>, tags: &Tags) -> Id3v2Tag {
    pictures(tags).for_each(|picture| common.push_picture(picture));
    let mut id3 = Id3v2Tag::from(common);
    for (key, value) in free {
        id3.insert_user_text(key.clone(), value.clone());
    }
    for (frame, number, totals) in NUMBERS {
        if let Some(value) = number_of_total(tags, number, totals) {
            let id = FrameId::Valid(Cow::Borrowed(frame));
            id3.insert(Frame::Text(TextInformationFrame::new(id, TextEncoding::UTF8, value)));
        }
    }
    id3
}

/// The `ID3v2` frames of the form "3/12", with the fields of the number and of the total. Lofty keeps only plain numbers.
const NUMBERS: [(&str, &str, [&str; 2]); 2] =
    [("TRCK", "TRACKNUMBER", ["TRACKTOTAL", "TOTALTRACKS"]), ("TPOS", "DISCNUMBER", ["DISCTOTAL", "TOTALDISCS"])];

fn number_of_total(tags: &Tags, number: &str, totals: [&str; 2]) -> Option<String> {
    let number = tags.items.get(number)?;
    let total = totals.into_iter().find_map(|total| tags.items.get(total)).filter(|_| !number.contains('/'));
    Some(total.map_or_else(|| number.clone(), |total| format!("{number}/{total}")))
}

/// Returns the bytes of an `ID3v2` tag for the start of an MP3 file; empty if there are no tags.
pub fn id3(tags: &Tags) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if !tags.is_empty() {
        let (common, free) = common_items(tags);
        id3v2(common, free, tags)
            .dump_to(&mut bytes, WriteOptions::default())
            .map_err(|error| Error::Internal(error.to_string()))?;
    }
    Ok(bytes)
}

fn write_wav(path: &Path, tags: &Tags) -> Result<Vec<String>> {
    let (common, free) = common_items(tags);
    let mut info = common.clone();
    info.re_map(TagType::RiffInfo);
    let id3 = id3v2(common, free, tags);
    let options = WriteOptions::default();
    if !info.is_empty() {
        info.save_to_path(path, options).map_err(|error| failed(path, &error))?;
    }
    id3.save_to_path(path, options).map_err(|error| failed(path, &error))?;
    Ok(Vec::new())
}
