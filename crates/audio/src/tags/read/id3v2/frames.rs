//! Interprets the frames of an `ID3v2` tag.

use lofty::id3::v1::GENRES;
use lofty::tag::TagType;

use crate::markers::MAX_TEXT_BYTES;
use crate::tags::read::collect::{Collected, vorbis_name};
use crate::tags::read::limits::MAX_FIELD_BYTES;
use crate::tags::read::picture::picture;
use crate::text::{id3v2 as decoded, latin1, split_id3v2};

/// The maximum size of a description in bytes.
const MAX_DESCRIPTION_BYTES: usize = 60 << 10;

/// The kind of a frame that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Text,
    Picture,
    Chapter,
}

/// Returns how a frame is read; `None` if it is ignored.
pub(super) fn wanted(id: &str) -> Option<FrameKind> {
    match id {
        "APIC" => Some(FrameKind::Picture),
        "CHAP" => Some(FrameKind::Chapter),
        "COMM" | "USLT" | "UFID" | "TXXX" | "TIPL" | "TDAT" | "TIME" => Some(FrameKind::Text),
        _ => (id.starts_with('T') && vorbis_name(TagType::Id3v2, id).is_some() || matches!(id, "MVNM" | "MVIN"))
            .then_some(FrameKind::Text),
    }
}

/// Returns the maximum number of content bytes that are read.
pub(super) fn limit(wanted: FrameKind, collected: &Collected) -> usize {
    match wanted {
        // UTF-16 may take twice as many bytes as UTF-8.
        FrameKind::Text => 2 * MAX_FIELD_BYTES,
        FrameKind::Picture => collected.picture_room(),
        // Its texts; the room of every frame's head is enough for the rest.
        FrameKind::Chapter => MAX_TEXT_BYTES,
    }
}

/// Year, day and month, and time, which version 2.3 stores in separate frames.
#[derive(Default)]
pub(super) struct Dates {
    year: Option<String>,
    day_month: Option<String>,
    time: Option<String>,
}

impl Dates {
    /// Adds the combined date.
    pub(super) fn add(self, collected: &mut Collected) {
        let digits = |text: &Option<String>| {
            text.as_ref().and_then(|text| {
                (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.clone())
            })
        };
        let Some(mut date) = self.year else { return };
        if let Some(day_month) = digits(&self.day_month).filter(|_| date.len() == 4) {
            date = format!("{date}-{}-{}", &day_month[2..], &day_month[..2]);
            if let Some(time) = digits(&self.time) {
                date = format!("{date}T{}:{}", &time[..2], &time[2..]);
            }
        }
        collected.add("DATE", &date);
    }
}

/// Adds the contents of a frame. `content` is already synchronised and inflated.
pub(super) fn read_frame(id: &str, version: u8, content: Vec<u8>, dates: &mut Dates, collected: &mut Collected) {
    match id {
        "APIC" => return add_picture(version, content, collected),
        "CHAP" => return collected.markers.id3.add(version, &content),
        "UFID" => {
            let (owner, identifier) = split_id3v2(0, &content);
            if owner == b"http://musicbrainz.org" {
                collected.add("MUSICBRAINZ_TRACKID", &latin1(identifier));
            }
            return;
        }
        _ => {}
    }
    let Some((&encoding, content)) = content.split_first() else { return };
    match id {
        "TXXX" => {
            let (name, text) = split_id3v2(encoding, content);
            let name = decoded(encoding, name);
            let key = vorbis_name(TagType::Id3v2, &name).map_or(name.as_str(), |key| key);
            decoded(encoding, text).split('\0').for_each(|value| collected.add(key, value));
        }
        "COMM" | "USLT" => {
            // The first three bytes are the language.
            let (description, text) = split_id3v2(encoding, content.get(3..).unwrap_or_default());
            let description = decoded(encoding, &description[..description.len().min(64)]);
            // iTunes stores technical data in comments.
            if !description.starts_with("iTun") {
                decoded(encoding, text).split('\0').for_each(|value| collected.add_native(TagType::Id3v2, id, value));
            }
        }
        _ => add_text(id, version, &decoded(encoding, content), dates, collected),
    }
}

fn add_text(id: &str, version: u8, text: &str, dates: &mut Dates, collected: &mut Collected) {
    let first = || Some(text.split('\0').next().unwrap_or_default().trim().to_owned());
    match id {
        "TDRC" if version < 4 => dates.year = first(),
        "TDAT" => dates.day_month = first(),
        "TIME" => dates.time = first(),
        "TCON" => text.split('\0').flat_map(genres).for_each(|genre| collected.add("GENRE", &genre)),
        "TIPL" => {
            let mut parts = text.split('\0');
            while let (Some(role), Some(name)) = (parts.next(), parts.next()) {
                let key = match role.to_ascii_lowercase().as_str() {
                    "producer" => "PRODUCER",
                    "arranger" => "ARRANGER",
                    "engineer" => "ENGINEER",
                    "dj-mix" => "DJMIXER",
                    "mix" => "MIXER",
                    _ => continue,
                };
                collected.add(key, name);
            }
        }
        "TRCK" => add_pair(text, "TRACKNUMBER", "TRACKTOTAL", collected),
        "TPOS" => add_pair(text, "DISCNUMBER", "DISCTOTAL", collected),
        "MVIN" => add_pair(text, "MOVEMENT", "MOVEMENTTOTAL", collected),
        _ => text.split('\0').for_each(|value| collected.add_native(TagType::Id3v2, id, value)),
    }
}

/// Adds a number and, if present, the total.
fn add_pair(text: &str, number_key: &str, total_key: &str, collected: &mut Collected) {
    let mut parts = text.split(['/', '\0']);
    collected.add(number_key, parts.next().unwrap_or_default());
    collected.add(total_key, parts.next().unwrap_or_default());
}

/// Returns the genres in one value: names, numbers of the `ID3v1` list, or both as in version 2.3: `(17)(4)Eurodisco`.
fn genres(mut text: &str) -> Vec<String> {
    let named = |number: &str| match number {
        "RX" => Some("Remix".to_owned()),
        "CR" => Some("Cover".to_owned()),
        _ => number.parse::<usize>().ok().and_then(|number| GENRES.get(number)).map(|&name| name.to_owned()),
    };
    let mut found = Vec::new();
    text = text.trim();
    while let Some((number, rest)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        let Some(name) = named(number) else { break };
        found.push(name);
        text = rest.trim();
    }
    // In version 2.3, a name that begins with a parenthesis has it doubled.
    let rest = if text.starts_with("((") { &text[1..] } else { text };
    let rest = if found.is_empty() { named(rest).unwrap_or_else(|| rest.to_owned()) } else { rest.to_owned() };
    if !rest.is_empty() && !found.contains(&rest) {
        found.push(rest);
    }
    found
}

fn add_picture(version: u8, mut content: Vec<u8>, collected: &mut Collected) {
    let Some((&encoding, rest)) = content.split_first() else { return };
    let (mime, rest) = if version == 2 {
        let Some((format, rest)) = rest.split_at_checked(3) else { return };
        (if format == b"-->" { "-->".to_owned() } else { format!("image/{}", latin1(format).to_lowercase()) }, rest)
    } else {
        let (mime, rest) = split_id3v2(0, rest);
        (latin1(&mime[..mime.len().min(64)]), rest)
    };
    let Some((&kind, rest)) = rest.split_first() else { return };
    let (description, data) = split_id3v2(encoding, rest);
    // Links to pictures are not followed.
    if mime == "-->" || description.len() > MAX_DESCRIPTION_BYTES {
        return;
    }
    let start = content.len() - data.len();
    content.drain(..start);
    collected.add_picture(picture(&mime, kind, content));
}

#[cfg(test)]
mod tests {
    use super::genres;

    #[test]
    fn genres_of_every_spelling() {
        for (text, expected) in [
            ("Jazz", &["Jazz"][..]),
            ("17", &["Rock"]),
            ("(17)", &["Rock"]),
            ("(4)Eurodisco", &["Disco", "Eurodisco"]),
            ("(31)(39)", &["Trance", "Noise"]),
            ("((foo) bar", &["(foo) bar"]),
            ("(RX)", &["Remix"]),
            ("(999)", &["(999)"]),
            ("(17)Rock", &["Rock"]),
            ("", &[]),
        ] {
            assert_eq!(genres(text), expected, "{text}");
        }
    }
}
