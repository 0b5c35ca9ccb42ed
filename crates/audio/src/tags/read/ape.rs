//! APE tags, version 2, at the beginning or the end of a file.

use std::io::{self, BufReader, Read};

use super::collect::Collected;
use super::id3v1;
use super::limits::{MAX_FIELD_BYTES, MAX_NAME_BYTES};
use super::picture::picture;
use super::span::{Span, array, read_up_to, skip};
use crate::source::FileWindow;
use crate::tags::fields::TagKind;
use crate::text::utf8_or_latin1;
use base::error::{Error, Result};

/// The size of a header or a footer in bytes.
const HEAD_BYTES: u64 = 32;

/// Reads the tag that begins at `begin`, or the one at the end of the file.
pub(super) fn read(window: &mut FileWindow, begin: u64, collected: &mut Collected) -> Result<()> {
    let end = id3v1::find(window)?.unwrap_or(window.source().bytes());
    if let Some(head) = Head::read(window, begin)? {
        read_items(window, begin + HEAD_BYTES, head, collected)?;
    } else if let Some(at) = end.checked_sub(HEAD_BYTES)
        && let Some(head) = Head::read(window, at)?
        && let Some(start) = end.checked_sub(head.bytes)
    {
        read_items(window, start, head, collected)?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Head {
    /// The size of items and footer in bytes.
    bytes: u64,
    items: u32,
}

impl Head {
    fn read(window: &mut FileWindow, at: u64) -> Result<Option<Self>> {
        let Some(head) = window.array::<32>(at)?.filter(|head| head.starts_with(b"APETAGEX")) else { return Ok(None) };
        let le32 = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        Ok(Some(Self { bytes: u64::from(le32(12)), items: le32(16) }))
    }
}

fn read_items(window: &mut FileWindow, start: u64, head: Head, collected: &mut Collected) -> Result<()> {
    collected.next_tag();
    let path = window.source().path().to_owned();
    let end = start.saturating_add(head.bytes.saturating_sub(HEAD_BYTES));
    let mut reader = BufReader::with_capacity(32 << 10, Span::new(window, start, end));
    let mut read = || -> io::Result<()> {
        for _ in 0..head.items {
            let (Some(bytes), Some(flags)) = (array(&mut reader)?, array(&mut reader)?) else { break };
            let (bytes, flags) = (u64::from(u32::from_le_bytes(bytes)), u32::from_le_bytes(flags));
            if !collected.part() {
                break;
            }
            let mut key = Vec::new();
            while key.len() <= MAX_NAME_BYTES
                && let Some([byte]) = array(&mut reader)?
                && byte != 0
            {
                key.push(byte);
            }
            let mut item = (&mut reader).take(bytes);
            read_item(&utf8_or_latin1(&key), flags >> 1 & 3, &mut item, collected)?;
            let left = item.limit();
            if skip(&mut reader, left)? < left {
                break;
            }
        }
        Ok(())
    };
    read().map_err(|error| Error::io("read the tags", &path, error))
}

fn read_item(key: &str, kind: u32, item: &mut io::Take<impl Read>, collected: &mut Collected) -> io::Result<()> {
    let cover = key.get(..9).is_some_and(|begin| begin.eq_ignore_ascii_case("Cover Art"));
    match kind {
        0 => {
            let (value, _) = read_up_to(item, MAX_FIELD_BYTES + 4)?;
            let text = utf8_or_latin1(&value);
            for value in text.split('\0') {
                // A number, optionally followed by a slash and the total.
                let total = match key.to_ascii_lowercase().as_str() {
                    "track" => Some(("TRACKNUMBER", "TRACKTOTAL")),
                    "disc" => Some(("DISCNUMBER", "DISCTOTAL")),
                    _ => None,
                };
                if let Some((number_key, total_key)) = total {
                    let (number, total) = value.split_once('/').unwrap_or((value, ""));
                    collected.add(number_key, number);
                    collected.add(total_key, total);
                } else if !collected.add_native(TagKind::Ape, key, value) {
                    collected.add(key, value);
                }
            }
        }
        1 if cover => {
            if item.limit() > (collected.picture_room() + MAX_NAME_BYTES) as u64 {
                collected.leave_out_picture(item.limit());
                return Ok(());
            }
            let (mut data, _) = read_up_to(item, collected.picture_room() + MAX_NAME_BYTES)?;
            // The picture is preceded by its file name.
            let name = data.iter().take(MAX_NAME_BYTES).position(|byte| *byte == 0).map_or(0, |end| end + 1);
            data.drain(..name);
            let lower = key.to_ascii_lowercase();
            let kind = if lower.contains("front") { 3 } else { u8::from(lower.contains("back")) * 4 };
            collected.add_picture(picture("", kind, String::new(), data));
        }
        _ => collected.not_kept("APE item", key.as_bytes()),
    }
    Ok(())
}
