//! Interprets the frames of an `ID3v2` tag.

use crate::markers::MAX_TEXT_BYTES;
use crate::tags::fields::{self, Id3Place, TagKind, field};
use crate::tags::rating::{self, Popularimeter};
use crate::tags::read::collect::Collected;
use crate::tags::read::limits::MAX_FIELD_BYTES;
use crate::tags::read::picture::{MAX_DESCRIPTION_BYTES as KEPT_DESCRIPTION_BYTES, picture};
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

/// Frames that only describe the former file, or that other frames make superfluous.
const OF_THE_FILE: [&str; 9] = ["CTOC", "RBUF", "SEEK", "ASPI", "MLLT", "TSIZ", "SIGN", "ENCR", "GRID"];

/// Returns whether a frame says nothing that a written file lacks without it.
pub(super) fn is_of_the_file(id: &str) -> bool {
    OF_THE_FILE.contains(&id)
}

/// Returns how a frame is read; `None` if it is ignored.
pub(super) fn wanted(id: &str) -> Option<FrameKind> {
    match id {
        "APIC" => Some(FrameKind::Picture),
        "CHAP" => Some(FrameKind::Chapter),
        "TXXX" | "TIPL" | "TMCL" | "TDAT" | "TIME" | "TYER" | "PCST" => Some(FrameKind::Text),
        _ => field(TagKind::Id3, id)?.id3.filter(|place| place.frame() == id).map(|_| FrameKind::Text),
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

/// What several frames say together.
#[derive(Default)]
pub(super) struct JoinedFrames {
    /// The date of recording in one frame, and in those of version 2.3: year, day and month, and time.
    recorded: Option<String>,
    year: Option<String>,
    day_month: Option<String>,
    time: Option<String>,
    /// The first rating.
    rating: Option<u8>,
}

impl JoinedFrames {
    /// Adds the date and the rating.
    pub(super) fn finish(self, collected: &mut Collected) {
        let rating = self.rating.and_then(rating::percent);
        if let Some(date) = self.date().filter(|_| !collected.has("DATE")) {
            collected.add("DATE", &date);
        }
        // A text says it more exactly.
        if let Some(percent) = rating.filter(|_| !collected.has("RATING")) {
            collected.add("RATING", &percent.to_string());
        }
    }

    fn date(self) -> Option<String> {
        let digits = |text: &Option<String>| {
            text.as_ref().and_then(|text| {
                (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.clone())
            })
        };
        if let Some(date) = self.recorded.filter(|date| date.len() > 4 || self.year.is_none()) {
            return Some(date);
        }
        let mut date = self.year?;
        if let Some(day_month) = digits(&self.day_month).filter(|_| date.len() == 4) {
            date = format!("{date}-{}-{}", &day_month[2..], &day_month[..2]);
            if let Some(time) = digits(&self.time) {
                date = format!("{date}T{}:{}", &time[..2], &time[2..]);
            }
        }
        Some(date)
    }
}

/// Adds the contents of a frame. `content` is already synchronised and inflated.
pub(super) fn read_frame(
    id: &str,
    version: u8,
    content: Vec<u8>,
    joined: &mut JoinedFrames,
    collected: &mut Collected,
) {
    match id {
        "APIC" => return add_picture(version, content, collected),
        "CHAP" => return collected.markers.id3.add(version, &content),
        "UFID" => {
            let (owner, identifier) = split_id3v2(0, &content);
            if owner == b"http://musicbrainz.org" {
                collected.add("MUSICBRAINZ_TRACKID", &latin1(identifier));
            } else {
                collected.not_kept("ID3 frame", id.as_bytes());
            }
            return;
        }
        "POPM" => return add_rating(&content, joined, collected),
        "PCST" => return collected.add("PODCAST", "1"),
        "WXXX" => {
            let Some((&encoding, content)) = content.split_first() else { return };
            return collected.add("WWW", &latin1(split_id3v2(encoding, content).1));
        }
        _ if id.starts_with('W') => {
            // Some programs write an encoding in front of it.
            let link = content.strip_prefix(&[0]).unwrap_or(&content[..]);
            collected.add_native(TagKind::Id3, id, &latin1(split_id3v2(0, link).0));
            return;
        }
        _ => {}
    }
    let Some((&encoding, content)) = content.split_first() else { return };
    match id {
        "TXXX" => {
            let (name, text) = split_id3v2(encoding, content);
            let name = decoded(encoding, name);
            let known = field(TagKind::Id3, &name).filter(|field| matches!(field.id3, Some(Id3Place::User(_))));
            let key = known.map_or(name.as_str(), |field| field.name());
            collected.add(key, &decoded(encoding, text));
        }
        "COMM" | "USLT" => {
            // The first three bytes are the language.
            let (description, text) = split_id3v2(encoding, content.get(3..).unwrap_or_default());
            let description = decoded(encoding, &description[..description.len().min(64)]);
            // iTunes stores technical data in comments.
            if !description.starts_with("iTun") {
                collected.add_native(TagKind::Id3, id, &decoded(encoding, text));
            }
        }
        _ => add_text(id, version, &decoded(encoding, content), joined, collected),
    }
}

fn add_text(id: &str, version: u8, text: &str, joined: &mut JoinedFrames, collected: &mut Collected) {
    let first = || Some(text.split('\0').next().unwrap_or_default().trim().to_owned());
    match id {
        "TDRC" if version < 4 => joined.recorded = first(),
        "TYER" => joined.year = first(),
        "TDAT" => joined.day_month = first(),
        "TIME" => joined.time = first(),
        "TCON" => text.split('\0').flat_map(genres).for_each(|genre| collected.add("GENRE", &genre)),
        "TIPL" | "TMCL" => {
            let mut parts = text.split('\0');
            while let (Some(role), Some(name)) = (parts.next(), parts.next()) {
                match fields::field_of_role(role.trim()) {
                    Some(field) if id == "TIPL" => collected.add(field.name(), name),
                    _ if matches!(role.trim(), "" | "performer") => collected.add("PERFORMER", name),
                    _ => collected.add("PERFORMER", &format!("{} ({})", name.trim(), role.trim())),
                }
            }
        }
        "TRCK" => add_pair(text, "TRACKNUMBER", "TRACKTOTAL", collected),
        "TPOS" => add_pair(text, "DISCNUMBER", "DISCTOTAL", collected),
        "MVIN" => add_pair(text, "MOVEMENT", "MOVEMENTTOTAL", collected),
        _ => {
            collected.add_native(TagKind::Id3, id, text);
        }
    }
}

/// Adds numbers and, if present, their totals.
fn add_pair(text: &str, number_key: &str, total_key: &str, collected: &mut Collected) {
    for value in text.split('\0') {
        let (number, total) = value.split_once('/').unwrap_or((value, ""));
        collected.add(number_key, number);
        collected.add(total_key, total);
    }
}

/// Adds a rating: all of it, unless it says no more than the field in percent.
fn add_rating(content: &[u8], joined: &mut JoinedFrames, collected: &mut Collected) {
    let Some(popularimeter) = Popularimeter::read(content) else { return };
    if popularimeter.rating > 0 {
        joined.rating = joined.rating.or(Some(popularimeter.rating));
    }
    if !popularimeter.is_plain() {
        collected.add("POPULARIMETER", &popularimeter.text());
    }
}

/// Returns the genres in one value: names, numbers of the `ID3v1` list, or both as in version 2.3: `(17)(4)Eurodisco`.
fn genres(mut text: &str) -> Vec<String> {
    let named = |number: &str| match number {
        "RX" => Some("Remix".to_owned()),
        "CR" => Some("Cover".to_owned()),
        _ => number.parse::<usize>().ok().and_then(fields::genre).map(str::to_owned),
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
    // iTunes gave pictures of version 2.2 another head, or the same.
    let has_format = version == 2 && !rest.starts_with(b"image/");
    let (mime, rest) = if has_format {
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
    let mut description = decoded(encoding, description);
    description.truncate(description.floor_char_boundary(KEPT_DESCRIPTION_BYTES));
    let start = content.len() - data.len();
    content.drain(..start);
    collected.add_picture(picture(&mime, kind, description, content));
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
