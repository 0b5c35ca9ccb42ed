//! The markers and regions of a document: the list, its changes, and where they go when the sound is edited.

use std::collections::BTreeSet;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContentKey;
use super::moves::Moves;
use audio::markers::{MAX_MARKERS, limited};
use audio::{Marker, MarkerList};
use base::declared::TS;
use base::error::{Error, Result};

/// The number of a marker, which stays the same while it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MarkerId(pub u32);

base::declared_as!(MarkerId, u32);

/// The largest number that a stored marker keeps, so that others can follow.
const LAST_ID: MarkerId = MarkerId(u32::MAX / 2);

/// A marker or region of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentMarker {
    /// Its number within the document.
    pub id: MarkerId,
    /// The place or range, at frames of the document, and the name.
    #[serde(flatten)]
    pub marker: Marker,
}

/// An undoable change of the markers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MarkerEdit {
    /// Adds a marker.
    Add {
        /// The frame at which it is, or begins.
        start_frame: u64,
        /// The frame after the region; null for a place.
        end_frame: Option<u64>,
        /// The name.
        name: String,
    },
    /// Gives a marker another name.
    Rename {
        /// The marker.
        id: MarkerId,
        /// The name.
        name: String,
    },
    /// Puts a marker elsewhere.
    Place {
        /// The marker.
        id: MarkerId,
        /// The frame at which it is, or begins.
        start_frame: u64,
        /// The frame after the region; null for a place.
        end_frame: Option<u64>,
    },
    /// Deletes markers.
    Delete {
        /// The markers. Those that do not exist are ignored.
        ids: Vec<MarkerId>,
    },
}

/// The markers of a document, by their starts. States of a history share the list.
#[derive(Clone, Debug, Default)]
pub struct DocumentMarkers {
    list: Arc<[DocumentMarker]>,
    key: OnceLock<String>,
}

impl PartialEq for DocumentMarkers {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.list, &other.list) || self.list == other.list
    }
}

impl Deref for DocumentMarkers {
    type Target = [DocumentMarker];

    fn deref(&self) -> &[DocumentMarker] {
        &self.list
    }
}

impl Serialize for DocumentMarkers {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        (**self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for DocumentMarkers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Vec::deserialize(from).map(Self::from)
    }
}

impl From<Vec<DocumentMarker>> for DocumentMarkers {
    /// Sorts the markers, and keeps the limits of [`MarkerList`]. Of several markers of one number, all but the first get
    /// another one, and so do markers with a number beyond [`LAST_ID`]. A region without length becomes a place.
    fn from(markers: Vec<DocumentMarker>) -> Self {
        let mut markers = limited(markers, |known| &mut known.marker);
        let mut next = next_id(&markers);
        let mut seen = BTreeSet::new();
        for known in &mut markers {
            known.marker.end_frame = known.marker.end_frame.filter(|end| *end > known.marker.start_frame);
            if known.id > LAST_ID || !seen.insert(known.id) {
                known.id = MarkerId(next);
                next += 1;
            }
        }
        markers.sort_by_key(|known| (known.marker.start_frame, known.id));
        Self { list: markers.into(), key: OnceLock::new() }
    }
}

impl From<&MarkerList> for DocumentMarkers {
    fn from(list: &MarkerList) -> Self {
        Self::default().with(list)
    }
}

impl DocumentMarkers {
    /// Returns whether there are no markers.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns a key that other markers do not have; empty if there are none.
    pub fn key(&self) -> &str {
        self.key.get_or_init(|| {
            if self.is_empty() {
                return String::new();
            }
            let text = serde_json::to_string(self).unwrap_or_default();
            ContentKey::of_parts([text.as_str()]).as_str().to_owned()
        })
    }

    /// Returns the markers without their numbers, as files have them.
    pub fn list(&self) -> MarkerList {
        self.iter().map(|known| known.marker.clone()).collect::<Vec<_>>().into()
    }

    /// Returns the markers with others added.
    #[must_use]
    pub fn with(&self, added: &[Marker]) -> Self {
        let first = next_id(self);
        let added =
            added.iter().zip(first..).map(|(marker, id)| DocumentMarker { id: MarkerId(id), marker: marker.clone() });
        self.iter().cloned().chain(added).collect::<Vec<_>>().into()
    }

    /// Returns the markers after a change in a document of `frames` frames, and the name of the change in the history.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`MAX_MARKERS`] markers.
    pub fn edited(&self, edit: MarkerEdit, frames: u64) -> Result<(Self, String)> {
        let word = |marker: &Marker, place: &str, region: &str| {
            if marker.end_frame.is_some() { region.to_owned() } else { place.to_owned() }
        };
        match edit {
            MarkerEdit::Add { start_frame, end_frame, name } => {
                check_place(start_frame, end_frame, frames)?;
                if self.len() >= MAX_MARKERS {
                    let got = (self.len() + 1).to_string();
                    return Err(Error::Limit { what: "number of markers".into(), got, limit: MAX_MARKERS.to_string() });
                }
                let marker = Marker { start_frame, end_frame, name, ..Marker::default() };
                Ok((self.with(std::slice::from_ref(&marker)), word(&marker, "Add marker", "Add region")))
            }
            MarkerEdit::Rename { id, name } => {
                let (markers, changed) = self.changed(id, |marker| marker.name = name)?;
                Ok((markers, word(&changed, "Rename marker", "Rename region")))
            }
            MarkerEdit::Place { id, start_frame, end_frame } => {
                check_place(start_frame, end_frame, frames)?;
                let place = |marker: &mut Marker| (marker.start_frame, marker.end_frame) = (start_frame, end_frame);
                let (markers, changed) = self.changed(id, place)?;
                Ok((markers, word(&changed, "Move marker", "Move region")))
            }
            MarkerEdit::Delete { ids } => {
                let ids: BTreeSet<MarkerId> = ids.into_iter().collect();
                let (gone, kept): (Vec<_>, Vec<_>) = self.iter().cloned().partition(|known| ids.contains(&known.id));
                let label = match gone.as_slice() {
                    [one] => word(&one.marker, "Delete marker", "Delete region"),
                    several => format!("Delete {} markers", several.len()),
                };
                Ok((kept.into(), label))
            }
        }
    }

    /// Returns the markers with one of them changed, and the changed one.
    fn changed(&self, id: MarkerId, change: impl FnOnce(&mut Marker)) -> Result<(Self, Marker)> {
        let mut markers = self.to_vec();
        let found = markers.iter_mut().find(|known| known.id == id);
        let found = found.ok_or_else(|| Error::NotFound { what: "marker", name: id.0.to_string() })?;
        change(&mut found.marker);
        let changed = found.marker.clone();
        Ok((markers.into(), changed))
    }

    /// Returns the markers after an edit of the sound of a document that had `before` frames and has `after`. A place
    /// moves with its frame, and a region spans its remaining frames; markers whose sound was deleted are removed. A
    /// place at the end of the document stays at the end.
    #[must_use]
    pub(super) fn moved(&self, moves: &Moves, before: u64, after: u64) -> Self {
        let place = |marker: &Marker| match marker.end_frame {
            Some(end) => moves.of(&(marker.start_frame..end)).map(|range| (range.start, Some(range.end))),
            None if marker.start_frame >= before => Some((after, None)),
            None => moves.of(&(marker.start_frame..marker.start_frame + 1)).map(|range| (range.start, None)),
        };
        let moved = self.iter().filter_map(|known| {
            let (start_frame, end_frame) = place(&known.marker)?;
            Some(DocumentMarker { id: known.id, marker: Marker { start_frame, end_frame, ..known.marker.clone() } })
        });
        moved.collect::<Vec<_>>().into()
    }

    /// Returns the markers that would be gone if frames `range` were deleted, counted from its start.
    pub(super) fn within(&self, range: &Range<u64>) -> Vec<Marker> {
        let inside = self.iter().filter(|known| {
            let Marker { start_frame: start, end_frame: end, .. } = known.marker;
            range.start <= start && end.map_or(start < range.end, |end| end <= range.end)
        });
        inside.map(|known| shifted(&known.marker, |frame| frame - range.start)).collect()
    }

    /// Returns the markers with those beyond a document of `frames` frames left out, and regions cut to it.
    #[must_use]
    pub(super) fn fitted(&self, frames: u64) -> Self {
        let is_inside = |marker: &Marker| marker.end_frame.unwrap_or(marker.start_frame) <= frames;
        if self.iter().all(|known| is_inside(&known.marker)) {
            return self.clone();
        }
        let inside = self.iter().filter(|known| known.marker.start_frame <= frames).cloned().map(|mut known| {
            known.marker.end_frame = known.marker.end_frame.map(|end| end.min(frames));
            known
        });
        inside.collect::<Vec<_>>().into()
    }
}

/// Returns a marker with its frames changed.
pub(super) fn shifted(marker: &Marker, to: impl Fn(u64) -> u64) -> Marker {
    Marker { start_frame: to(marker.start_frame), end_frame: marker.end_frame.map(to), ..marker.clone() }
}

fn next_id(markers: &[DocumentMarker]) -> u32 {
    markers.iter().map(|known| known.id).filter(|id| *id <= LAST_ID).max().map_or(1, |last| last.0 + 1)
}

fn check_place(start: u64, end: Option<u64>, frames: u64) -> Result<()> {
    if start > frames {
        return Err(Error::invalid("place of a marker", format!("frame {start}"), format!("up to frame {frames}")));
    }
    if let Some(end) = end.filter(|end| *end <= start || *end > frames) {
        let allowed = format!("behind its start at frame {start}, up to frame {frames}");
        return Err(Error::invalid("end of a region", format!("frame {end}"), allowed));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(markers: &DocumentMarkers) -> Vec<(u32, u64, Option<u64>)> {
        markers.iter().map(|known| (known.id.0, known.marker.start_frame, known.marker.end_frame)).collect()
    }

    fn three() -> DocumentMarkers {
        let list = vec![Marker::point(50, "b"), Marker::point(10, "a"), Marker::region(20, 80, "c")];
        DocumentMarkers::from(&MarkerList::from(list))
    }

    #[test]
    fn each_change_is_named_and_refuses_what_does_not_fit() {
        let markers = three();
        assert_eq!(places(&markers), [(1, 10, None), (2, 20, Some(80)), (3, 50, None)]);
        let edit = |edit| markers.edited(edit, 100).map(|(markers, label)| (places(&markers), label));
        let add = |start_frame, end_frame| MarkerEdit::Add { start_frame, end_frame, name: "new".into() };
        let (added, label) = edit(add(100, None)).unwrap();
        assert_eq!((added[3], label.as_str()), ((4, 100, None), "Add marker"));
        assert_eq!(edit(add(5, Some(6))).unwrap().1, "Add region");
        assert!(edit(add(101, None)).is_err() && edit(add(5, Some(5))).is_err() && edit(add(5, Some(101))).is_err());
        let place = MarkerEdit::Place { id: MarkerId(1), start_frame: 60, end_frame: Some(61) };
        let (moved, label) = edit(place).unwrap();
        assert_eq!((moved[2], label.as_str()), ((1, 60, Some(61)), "Move region"));
        assert!(edit(MarkerEdit::Rename { id: MarkerId(9), name: String::new() }).is_err());
        let (renamed, label) = markers.edited(MarkerEdit::Rename { id: MarkerId(3), name: "x".into() }, 100).unwrap();
        assert_eq!((renamed[2].marker.name.as_str(), label.as_str()), ("x", "Rename marker"));
        assert_ne!(renamed.key(), markers.key());
        let delete = |ids: &[u32]| MarkerEdit::Delete { ids: ids.iter().map(|id| MarkerId(*id)).collect() };
        assert_eq!(edit(delete(&[2, 77])).unwrap(), (vec![(1, 10, None), (3, 50, None)], "Delete region".into()));
        let (none, label) = markers.edited(delete(&[1, 2, 3]), 100).unwrap();
        assert_eq!((none.key(), label.as_str()), ("", "Delete 3 markers"));
    }

    #[test]
    fn the_ends_of_a_deleted_range() {
        let markers = three();
        let cut = |range: Range<u64>| places(&markers.moved(&Moves::replaced(range, 0), 100, 90));
        assert_eq!(cut(10..20), [(2, 10, Some(70)), (3, 40, None)], "a place at the first deleted frame is gone");
        assert_eq!(cut(0..10), [(1, 0, None), (2, 10, Some(70)), (3, 40, None)], "one behind the last is not");
        let end = DocumentMarkers::from(&MarkerList::from(vec![Marker::point(100, "end")]));
        assert_eq!(places(&end.moved(&Moves::trimmed(10..100), 100, 90)), [(1, 90, None)]);
        assert_eq!(places(&end.moved(&Moves::reversed(0..100), 100, 100)), [(1, 100, None)]);
        assert_eq!(markers.within(&(10..80)).len(), 3);
        assert_eq!(markers.within(&(11..79)).iter().map(|marker| marker.start_frame).collect::<Vec<_>>(), [39]);
    }

    #[test]
    fn a_stored_list_that_does_not_fit_is_mended() {
        let text = r#"[{"id": 1, "start_frame": 70, "end_frame": 60, "name": "a"}, {"id": 1, "start_frame": 5, "end_frame": 500, "name": ""}]"#;
        let markers: DocumentMarkers = serde_json::from_str(text).unwrap();
        assert_eq!(places(&markers), [(2, 5, Some(500)), (1, 70, None)]);
        assert_eq!(places(&markers.fitted(60)), [(2, 5, Some(60))]);
    }
}
