//! `ID3v2.4` tags.

use std::collections::BTreeMap;

use super::{known, whole_tempo};
use crate::markers::id3::synchsafe;
use crate::tags::fields::{FIELDS, Id3Place};
use crate::tags::rating::{self, Popularimeter};
use crate::tags::{TagText, Tags};

/// Padding in bytes, for tags that are later added in place.
const PADDING: usize = 1024;
/// The largest size that a tag can state, in bytes.
const MAX_BYTES: usize = (1 << 28) - 1;
const UTF8: u8 = 3;
/// The language of comments and lyrics: unknown.
const LANGUAGE: &[u8] = b"XXX";
/// Whose identifier of the recording it is.
pub(crate) const MUSICBRAINZ: &[u8] = b"http://musicbrainz.org";

/// Returns the bytes of a tag for the start of an MP3 file; empty if there are no tags.
pub(crate) fn id3(tags: &Tags) -> Vec<u8> {
    tag(tags, PADDING)
}

/// Returns the bytes of a tag; empty if there are no tags.
pub(super) fn tag(tags: &Tags, padding: usize) -> Vec<u8> {
    let mut frames = Frames::default();
    frames.fields(tags);
    for picture in &tags.pictures {
        let mut content = vec![UTF8];
        content.extend_from_slice(picture.mime.replace('\0', "").as_bytes());
        content.extend_from_slice(&[0, picture.kind]);
        content.extend_from_slice(picture.description.replace('\0', " ").as_bytes());
        content.push(0);
        content.extend_from_slice(&picture.data);
        if frames.out.len() + content.len() + 10 + padding <= MAX_BYTES {
            frames.frame("APIC", &content);
        }
    }
    if frames.out.is_empty() {
        return Vec::new();
    }
    frames.out.resize(frames.out.len() + padding, 0);
    let size = synchsafe(frames.out.len());
    [b"ID3\x04\0\0", &size[..], &frames.out].concat()
}

#[derive(Default)]
struct Frames<'a> {
    out: Vec<u8>,
    /// The places that are taken, with what is there.
    taken: BTreeMap<Id3Place, &'a TagText>,
}

impl<'a> Frames<'a> {
    fn frame(&mut self, id: &str, content: &[u8]) {
        self.out.extend_from_slice(id.as_bytes());
        self.out.extend_from_slice(&synchsafe(content.len()));
        self.out.extend_from_slice(&[0, 0]);
        self.out.extend_from_slice(content);
    }

    fn text<T: AsRef<str>>(&mut self, id: &str, values: impl IntoIterator<Item = T>) {
        let values: Vec<String> = values.into_iter().map(|value| value.as_ref().replace('\0', " ")).collect();
        let content = [&[UTF8], values.join("\0").as_bytes()].concat();
        self.frame(id, &content);
    }

    /// Writes a text with a name of its own.
    fn user<T: AsRef<str>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter().map(|value| value.as_ref().replace('\0', " "));
        let parts: Vec<String> = std::iter::once(name.to_owned()).chain(values).collect();
        self.text_of_parts("TXXX", &parts);
    }

    fn text_of_parts(&mut self, id: &str, parts: &[String]) {
        let content = [&[UTF8], parts.join("\0").as_bytes()].concat();
        self.frame(id, &content);
    }

    fn fields(&mut self, tags: &'a Tags) {
        let mut in_table = Vec::new();
        for (field, name, text) in known(tags) {
            in_table.push(name);
            let place = field.id3.unwrap_or(Id3Place::User(name));
            match self.taken.get(&place).copied() {
                Some(first) if first == text => {}
                // Another spelling has the frame.
                Some(_) => self.user(name, text.values()),
                None => {
                    self.taken.insert(place, text);
                    self.place(place, name, text, tags);
                }
            }
        }
        let totals: Vec<(&'static str, &TagText)> = self.totals_alone();
        for (name, text) in totals {
            self.user(name, text.values());
        }
        self.people();
        for (name, text) in &tags.items {
            if !in_table.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                self.user(name, text.values());
            }
        }
    }

    fn place(&mut self, place: Id3Place, name: &str, text: &'a TagText, tags: &Tags) {
        match place {
            Id3Place::Text(id) => self.text(id, text.values()),
            Id3Place::Whole(id) => match text.values().map(whole_tempo).collect::<Option<Vec<_>>>() {
                Some(whole) => self.text(id, whole),
                None => self.user(name, text.values()),
            },
            Id3Place::Number(id) => {
                let total = total_of(id, tags).filter(|total| !text.contains('/') && !total.has_several());
                let mut values: Vec<String> = text.values().map(str::to_owned).collect();
                if let (Some(total), Some(first)) = (total, values.first_mut()) {
                    *first = format!("{first}/{total}");
                }
                self.text(id, values);
            }
            // After all numbers are known.
            Id3Place::Total(_) | Id3Place::Role(_) | Id3Place::Musicians => {}
            Id3Place::User(description) => self.user(description, text.values()),
            Id3Place::Link(id) if text.values().all(is_link) => {
                for link in text.values() {
                    // The link of the user has an encoding and a description before it.
                    let head: &[u8] = if id == "WXXX" { &[0, 0] } else { &[] };
                    self.frame(id, &[head, link.as_bytes()].concat());
                }
            }
            Id3Place::Link(_) => self.user(name, text.values()),
            Id3Place::Comment => {
                let values: Vec<String> = text.values().map(|value| value.replace('\0', " ")).collect();
                self.frame("COMM", &[&[UTF8], LANGUAGE, b"\0", values.join("\0").as_bytes()].concat());
            }
            Id3Place::Lyrics => {
                for (number, value) in (1..).zip(text.values()) {
                    // Frames of one language have different descriptions.
                    let description = if number == 1 { String::new() } else { format!("{number}") };
                    let text = value.replace('\0', " ");
                    self.frame("USLT", &[&[UTF8], LANGUAGE, description.as_bytes(), b"\0", text.as_bytes()].concat());
                }
            }
            Id3Place::Recording => {
                let mut values = text.values();
                if let Some(first) = values.next() {
                    self.frame("UFID", &[MUSICBRAINZ, b"\0", first.as_bytes()].concat());
                }
                // There is one frame for each owner.
                let more: Vec<&str> = values.collect();
                if !more.is_empty() {
                    self.user(name, more);
                }
            }
            Id3Place::Rating => self.rating(name, text, tags),
            Id3Place::Popularimeter => {
                for value in text.values() {
                    match Popularimeter::from_text(value).and_then(|popularimeter| popularimeter.frame()) {
                        Some(content) => self.frame("POPM", &content),
                        None => self.user(name, [value]),
                    }
                }
            }
        }
    }

    /// Writes a rating: as a frame, unless a whole one says the same, and as text if the frame says it otherwise.
    fn rating(&mut self, name: &str, text: &TagText, tags: &Tags) {
        let whole = tags.items.get("POPULARIMETER").and_then(|text| Popularimeter::from_text(text.values().next()?));
        let byte = match &whole {
            Some(whole) => Some(whole.rating),
            None => rating::byte(text).filter(|_| !text.has_several()),
        };
        if let (Some(byte), None) = (byte, &whole) {
            self.frame("POPM", &[0, byte]);
        }
        let said = byte.and_then(rating::percent).map(|percent| percent.to_string());
        if said.as_deref() != Some(text.as_str()) {
            self.user(name, text.values());
        }
    }

    /// Returns the totals that no frame has after its number, with the names of their fields.
    fn totals_alone(&self) -> Vec<(&'static str, &'a TagText)> {
        let totals = self.taken.iter().filter_map(|(place, total)| {
            let Id3Place::Total(id) = place else { return None };
            let field = FIELDS.iter().find(|field| field.id3 == Some(*place))?;
            let number = self.taken.get(&Id3Place::Number(id));
            let is_said = number.is_some_and(|number| match number.split_once('/') {
                Some((_, said)) => said == total.as_str(),
                None => !total.has_several(),
            });
            (!is_said).then_some((field.name(), *total))
        });
        totals.collect()
    }

    /// Writes the frames that hold the names of several fields with their roles.
    fn people(&mut self) {
        let (mut people, mut musicians) = (Vec::new(), Vec::new());
        for (place, text) in &self.taken {
            match place {
                Id3Place::Role(role) => {
                    people.extend(text.values().flat_map(|name| [(*role).to_owned(), name.replace('\0', " ")]));
                }
                Id3Place::Musicians => {
                    for value in text.values().map(|value| value.replace('\0', " ")) {
                        // "Name (instrument)", in one pair of parentheses at the end.
                        let parts = value.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
                        let is_named = |(name, instrument): &(&str, &str)| !name.is_empty() && !instrument.is_empty();
                        let (name, instrument) = parts.filter(is_named).unwrap_or((&value, ""));
                        musicians.extend([instrument.to_owned(), name.to_owned()]);
                    }
                }
                _ => {}
            }
        }
        for (id, parts) in [("TIPL", people), ("TMCL", musicians)] {
            if !parts.is_empty() {
                self.text_of_parts(id, &parts);
            }
        }
    }
}

/// Returns the total that belongs to the number in a frame.
fn total_of<'a>(id: &'static str, tags: &'a Tags) -> Option<&'a TagText> {
    known(tags).find(|(field, ..)| field.id3 == Some(Id3Place::Total(id))).map(|(.., text)| text)
}

/// Returns whether a text is a link that a frame of links holds.
fn is_link(text: &str) -> bool {
    text.is_ascii() && text.contains("://") && !text.bytes().any(|byte| byte <= b' ')
}
