//! Tags as bytes, for every format that is written. Which field goes where is the matter of [`super::FIELDS`].

mod comments;
mod file;
mod id3;
mod limits;
mod picture;
mod riff;

pub(crate) use comments::{comments, flac_blocks};
pub use file::write;
pub(crate) use id3::id3;
pub use limits::{TagLimits, limits_of};
pub(crate) use riff::{riff_chunks, sound_chunks};

use super::fields::{FIELDS, Field};
use super::{TagText, Tags};

/// Returns the fields of `tags` that the table has, in its order, with the names that they have in `tags`.
fn known(tags: &Tags) -> impl Iterator<Item = (&'static Field, &'static str, &TagText)> {
    let names = FIELDS.iter().flat_map(|field| field.names.iter().map(move |name| (field, *name)));
    names.filter_map(|(field, name)| Some((field, name, text_of(tags, name)?)))
}

fn text_of<'a>(tags: &'a Tags, wanted: &str) -> Option<&'a TagText> {
    tags.items.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, text)| text)
}

/// Returns a tempo as a whole number, as `ID3v2` holds it (`ID3v2.4`, 4.2.3); `None` for a text that is no tempo.
fn whole_tempo(text: &str) -> Option<String> {
    let bpm: f64 = text.trim().replace(',', ".").parse().ok()?;
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (0.5..1e6).contains(&bpm);
    fits.then(|| if is_whole { text.to_owned() } else { bpm.round().to_string() })
}
