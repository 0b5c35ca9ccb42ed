//! Changes to the tags of a recording for a file that is written; the recording itself is never changed.

use std::collections::BTreeMap;

use super::{Picture, TagText, Tags};

/// The number of `ID3v2` and FLAC for the front cover.
pub const FRONT_COVER: u8 = 3;

/// The changes to the recording's tags in a written file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagChanges {
    /// Text by field, in the names of [`Tags::items`]. An empty text removes the field. Other fields are kept. One value
    /// in the place of several is divided as they are shown, at `"; "`.
    pub items: BTreeMap<String, TagText>,
    /// The change to the cover.
    pub cover: CoverChange,
    /// Whether the gain of the track is measured anew of what is written. Whoever writes does that.
    pub replay_gain: bool,
}

/// The change to the pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CoverChange {
    /// All pictures are kept.
    #[default]
    Keep,
    /// All pictures are removed.
    Remove,
    /// This picture takes the place of the cover. Other pictures are kept.
    Replace(Picture),
}

impl TagChanges {
    /// Returns `tags` with the changes.
    #[must_use]
    pub fn apply(&self, tags: &Tags) -> Tags {
        let mut changed = tags.clone();
        for (name, text) in &self.items {
            let had_several =
                tags.items.iter().any(|(known, text)| known.eq_ignore_ascii_case(name) && text.has_several());
            // A field of another spelling would otherwise stay beside the new one.
            changed.items.retain(|known, _| !known.eq_ignore_ascii_case(name));
            let separator = if had_several { TagText::BETWEEN } else { "\0" };
            let values = text.values().flat_map(|value| value.split(separator)).map(str::trim);
            if let Some(text) = TagText::of(values.filter(|value| !value.is_empty())) {
                changed.items.insert(name.clone(), text);
            }
        }
        match &self.cover {
            CoverChange::Keep => {}
            CoverChange::Remove => changed.pictures.clear(),
            CoverChange::Replace(picture) => {
                let new = Picture { kind: FRONT_COVER, ..picture.clone() };
                match changed.cover_index() {
                    Some(index) => changed.pictures[index] = new,
                    None => changed.pictures.insert(0, new),
                }
            }
        }
        changed
    }
}

impl Tags {
    /// Returns the picture that players show: the front cover, otherwise the first picture.
    pub fn cover(&self) -> Option<&Picture> {
        self.pictures.get(self.cover_index()?)
    }

    fn cover_index(&self) -> Option<usize> {
        let front = self.pictures.iter().position(|picture| picture.kind == FRONT_COVER);
        front.or((!self.pictures.is_empty()).then_some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(kind: u8, byte: u8) -> Picture {
        Picture { mime: "image/png".into(), kind, data: vec![byte], ..Picture::default() }
    }

    #[test]
    fn fields_are_replaced_removed_and_kept() {
        let items = [("TITLE", "old"), ("Artist", "someone"), ("MOOD", "calm")];
        let items = items.map(|(name, text)| (name.to_owned(), text.into()));
        let pictures = vec![picture(4, 1), picture(FRONT_COVER, 2)];
        let tags = Tags { items: items.into(), pictures, ..Tags::default() };
        let items = [("TITLE", " new "), ("ARTIST", ""), ("GENRE", "Jazz"), ("COMMENT", " ")];
        let items = items.map(|(name, text)| (name.to_owned(), text.into()));
        let changes =
            TagChanges { items: items.into(), cover: CoverChange::Replace(picture(0, 9)), ..TagChanges::default() };
        let changed = changes.apply(&tags);
        let expected = [("GENRE", "Jazz"), ("MOOD", "calm"), ("TITLE", "new")];
        assert_eq!(changed.items, expected.map(|(name, text)| (name.to_owned(), text.into())).into());
        assert_eq!(changed.pictures, [picture(4, 1), picture(FRONT_COVER, 9)]);
        assert_eq!(TagChanges::default().apply(&tags), tags);
        let removed = TagChanges { cover: CoverChange::Remove, ..TagChanges::default() };
        assert!(removed.apply(&tags).pictures.is_empty() && removed.apply(&tags).cover().is_none());
    }
    #[test]
    fn several_values_stay_several() {
        let of = |values: &[&str]| TagText::of(values).unwrap();
        let items = [("ARTIST".to_owned(), of(&["One", "Two"])), ("GENRE".to_owned(), "Rock; Pop".into())];
        let tags = Tags { items: items.into(), ..Tags::default() };
        let typed = |name: &str, text: TagText| {
            let changes = TagChanges { items: [(name.to_owned(), text)].into(), ..TagChanges::default() };
            changes.apply(&tags).items.remove(&name.to_uppercase())
        };
        assert_eq!(typed("ARTIST", "One; Two; Three".into()), Some(of(&["One", "Two", "Three"])));
        assert_eq!(typed("ARTIST", "Three".into()), Some("Three".into()));
        assert_eq!(typed("GENRE", "Rock; Folk".into()), Some("Rock; Folk".into()), "it was one value");
        assert_eq!(typed("MOOD", of(&["calm", "", " sad "])), Some(of(&["calm", "sad"])));
    }
}
