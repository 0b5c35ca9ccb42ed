//! Tags and pictures of any format that lofty reads.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::file::{AudioFile, FileType, TaggedFileExt};
use lofty::flac::FlacFile;
use lofty::id3::v2::{Frame, Id3v2Tag};
use lofty::iff::aiff::AiffFile;
use lofty::iff::wav::WavFile;
use lofty::mpeg::MpegFile;
use lofty::ogg::tag::VorbisComments;
use lofty::ogg::{OggPictureStorage, OpusFile, VorbisFile};
use lofty::probe::Probe;
use lofty::tag::{Tag, TagType};

use super::{Picture, Tags};

/// No single item of a tag is read beyond this, a cover picture included.
const MAX_ITEM_BYTES: usize = 16 << 20;
/// Not more than this much of pictures is kept of one file.
const MAX_PICTURES_BYTES: usize = 32 << 20;
/// Not more text fields than this are kept.
const MAX_ITEMS: usize = 4096;

/// Reads what can be read; what goes wrong becomes a warning, since audio without its title is still audio.
pub(crate) fn read(path: &Path, format: &str, codec: &str, warnings: &mut Vec<String>) -> Tags {
    let kind = match (format, codec) {
        ("WAV", _) => FileType::Wav,
        ("AIFF" | "AIFF-C", _) => FileType::Aiff,
        ("FLAC", _) => FileType::Flac,
        ("MP3" | "MP2" | "MPEG layer 1", _) => FileType::Mpeg,
        ("ADTS", _) => FileType::Aac,
        ("MP4", _) => FileType::Mp4,
        ("Ogg", "Vorbis") => FileType::Vorbis,
        ("Ogg", "Opus") => FileType::Opus,
        _ => return Tags::default(),
    };
    // The parser is given hostile files too: a fault of its own must not take the program down.
    match catch_unwind(AssertUnwindSafe(|| read_with_lofty(path, kind))) {
        Ok(Ok(tags)) => tags,
        Ok(Err(error)) => {
            warnings.push(format!("the tags could not be read: {error}"));
            Tags::default()
        }
        Err(_) => {
            warnings.push("the tags could not be read: they are malformed".to_owned());
            Tags::default()
        }
    }
}

fn read_with_lofty(path: &Path, kind: FileType) -> Result<Tags, Box<dyn std::error::Error>> {
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_ITEM_BYTES));
    let options = ParseOptions::new().read_properties(false);
    let mut reader = BufReader::new(crate::files::open(path)?);
    let mut tags = Tags::default();
    // The formats whose fields have free names are read in their own terms, so that no field is lost.
    match kind {
        FileType::Flac => {
            let file = FlacFile::read_from(&mut reader, options)?;
            file.vorbis_comments().into_iter().for_each(|comments| tags.add_comments(comments));
            file.pictures().iter().for_each(|(picture, _)| tags.add_picture(picture));
        }
        FileType::Vorbis => tags.add_comments(VorbisFile::read_from(&mut reader, options)?.vorbis_comments()),
        FileType::Opus => tags.add_comments(OpusFile::read_from(&mut reader, options)?.vorbis_comments()),
        FileType::Mpeg => {
            let file = MpegFile::read_from(&mut reader, options)?;
            file.id3v2().into_iter().for_each(|tag| tags.add_user_text(tag));
            rest(&mut tags, reader, kind, options)?;
        }
        FileType::Wav => {
            let file = WavFile::read_from(&mut reader, options)?;
            file.id3v2().into_iter().for_each(|tag| tags.add_user_text(tag));
            rest(&mut tags, reader, kind, options)?;
        }
        FileType::Aiff => {
            let file = AiffFile::read_from(&mut reader, options)?;
            file.id3v2().into_iter().for_each(|tag| tags.add_user_text(tag));
            rest(&mut tags, reader, kind, options)?;
        }
        _ => rest(&mut tags, reader, kind, options)?,
    }
    Ok(tags)
}

fn rest<R: Read + Seek>(
    tags: &mut Tags,
    mut reader: R,
    kind: FileType,
    options: ParseOptions,
) -> Result<(), Box<dyn std::error::Error>> {
    reader.rewind()?;
    let file = Probe::with_file_type(reader, kind).options(options).read()?;
    // The primary tag is the last word; what only another one has is taken from that.
    let mut ordered: Vec<&Tag> = file.primary_tag().into_iter().collect();
    ordered.extend(file.tags().iter().filter(|tag| Some(tag.tag_type()) != file.primary_tag().map(Tag::tag_type)));
    for tag in ordered {
        let mut items = BTreeMap::new();
        for item in tag.items() {
            let (Some(key), Some(text)) = (item.key().map_key(TagType::VorbisComments), item.value().text()) else {
                continue;
            };
            add(&mut items, key, text);
        }
        for (key, text) in items {
            tags.items.entry(key).or_insert(text);
        }
        if tags.pictures.is_empty() {
            tag.pictures().iter().for_each(|picture| tags.add_picture(picture));
        }
    }
    Ok(())
}

/// Adds one value to those that the field has.
fn add(items: &mut BTreeMap<String, String>, key: &str, text: &str) {
    let (key, text) = (key.to_uppercase(), text.trim_end_matches('\0').trim());
    if text.is_empty() || (items.len() >= MAX_ITEMS && !items.contains_key(&key)) {
        return;
    }
    items
        .entry(key)
        .and_modify(|known| {
            known.push_str("; ");
            known.push_str(text);
        })
        .or_insert_with(|| text.to_owned());
}

impl Tags {
    fn add_comments(&mut self, comments: &VorbisComments) {
        comments.items().for_each(|(key, value)| add(&mut self.items, key, value));
        comments.pictures().iter().for_each(|(picture, _)| self.add_picture(picture));
    }

    fn add_user_text(&mut self, tag: &Id3v2Tag) {
        for frame in tag {
            if let Frame::UserText(text) = frame {
                text.content.split('\0').for_each(|value| add(&mut self.items, &text.description, value));
            }
        }
    }

    fn add_picture(&mut self, picture: &lofty::picture::Picture) {
        let kept: usize = self.pictures.iter().map(|picture| picture.data.len()).sum();
        if kept + picture.data().len() <= MAX_PICTURES_BYTES {
            self.pictures.push(Picture {
                mime: picture.mime_type().map_or_else(String::new, ToString::to_string),
                kind: picture.pic_type().as_u8(),
                data: picture.data().to_vec(),
            });
        }
    }
}
