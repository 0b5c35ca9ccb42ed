//! Compares a copy with new tags with its original: the same sound, all other tags kept, the new ones as written.

use std::collections::HashMap;
use std::path::Path;

use super::heard::Heard;
use super::plan::{Plan, refused};
use super::structure::{FilePart, parts};
use crate::files::AudioKey;
use audio::tags::{EditedTag, TagText};
use audio::{AudioFile, FileInfo, Tags};
use base::error::Result;
use base::progress::Progress;

/// Verifies the copy for a plan.
///
/// # Errors
/// [`base::error::Error::Refused`] with what would be lost.
pub(super) fn verify(plan: &Plan, copy: &Path, progress: &Progress) -> Result<()> {
    let original = plan.target.as_path();
    let lost =
        |what: &str| refused(&format!("The file was left as it is: its new tags would have changed {what}"), original);
    // The audio of the original and of the copy must be the analysed audio.
    if AudioKey::of_file(original, progress)?.0 != plan.audio_key {
        return refused("The audio of the file is no longer the one that was analysed. Scan it again", original);
    }
    if AudioKey::of_file(copy, progress)?.0 != plan.audio_key {
        return lost("its audio");
    }
    let (before, after) = (AudioFile::open(original)?, AudioFile::open(copy)?);
    if let Some(what) = difference(plan, before.info(), after.info()) {
        return lost(&what);
    }
    if before.markers() != after.markers() {
        return lost("its markers or chapters");
    }
    if let Some(what) = lost_part(plan, original, copy)? {
        return lost(&what);
    }
    let sound = match plan.heard {
        Some(heard) => heard,
        None => Heard::of(&before, progress)?,
    };
    if Heard::of(&after, progress)? != sound {
        return lost("its sound");
    }
    Ok(())
}

/// Returns a difference other than the tags to write, or a tag that is not as written.
fn difference(plan: &Plan, before: &FileInfo, after: &FileInfo) -> Option<String> {
    let format = |info: &FileInfo| (info.format.clone(), info.codec.clone(), info.bits, info.audio, info.frames);
    if format(before) != format(after) {
        return Some("its format or length".to_owned());
    }
    for (tag, value) in &plan.edits {
        let read = after.tags.items.get(tag.name()).map(TagText::as_str);
        if read != Some(value.as_str()) {
            let read = read.unwrap_or("nothing");
            return Some(format!("`{}` to `{read}` and not to `{value}`", tag.name()));
        }
    }
    let is_written = |name: &str| plan.edits.iter().any(|(tag, _): &(EditedTag, String)| tag.name() == name);
    let others = |tags: &Tags| -> Vec<(String, TagText)> {
        tags.items.clone().into_iter().filter(|(name, _)| !is_written(name)).collect()
    };
    let (old, new) = (others(&before.tags), others(&after.tags));
    if let Some((name, _)) =
        old.iter().find(|item| !new.contains(item)).or_else(|| new.iter().find(|item| !old.contains(item)))
    {
        return Some(format!("the tag `{name}`"));
    }
    if before.tags.pictures != after.tags.pictures {
        return Some("its pictures".to_owned());
    }
    (without_places(&before.warnings) != without_places(&after.warnings)).then(|| "how it can be read".to_owned())
}

/// Returns warnings without the byte positions in them, which move with the tags in front of them.
fn without_places(warnings: &[String]) -> Vec<String> {
    let without = |warning: &String| {
        let mut parts = warning.split("byte ");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + "byte " + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
    };
    warnings.iter().map(without).collect()
}

/// Returns a part of the file that is there only before or only after.
fn lost_part(plan: &Plan, original: &Path, copy: &Path) -> Result<Option<String>> {
    let edited: Vec<EditedTag> = plan.edits.iter().map(|(tag, _)| *tag).collect();
    let before = parts(original, plan.format, &edited)?;
    let mut after = parts(copy, plan.format, &edited)?;
    let is_new = |part: &FilePart| MADE.contains(&part.name.as_str()) && before.iter().all(|old| old.name != part.name);
    after.retain(|part| !is_new(part));
    let part = missing(&before, &after).or_else(|| missing(&after, &before));
    Ok(part.map(|part| format!("its part `{}`", part.name)))
}

/// Parts that a file gets with its first tag.
const MADE: [&str; 3] = ["ID3 header", "vendor", "/moov/udta/meta/hdlr"];

/// Returns a part that is more often in `these` than in `others`.
fn missing<'a>(these: &'a [FilePart], others: &[FilePart]) -> Option<&'a FilePart> {
    let mut counts: HashMap<&FilePart, usize> = HashMap::new();
    others.iter().for_each(|part| *counts.entry(part).or_default() += 1);
    these.iter().find(|part| match counts.get_mut(part) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_bytes_are_not_compared() {
        let told = |text: &str| vec![text.to_owned()];
        let of = |bytes: u32, at: u32| told(&format!("{bytes} bytes of the file, from byte {at} on, are not read."));
        assert_eq!(without_places(&of(7, 100)), without_places(&of(7, 2100)));
        assert_ne!(without_places(&of(7, 100)), without_places(&of(8, 100)));
        assert_eq!(without_places(&told("no place")), ["no place"]);
    }
}
