//! The tags of an export: the recording's, with the user's changes.

use std::sync::Arc;

use super::types::{CoverEdit, ExportTags, TagEdits};
use crate::audio::{CoverChange, Picture, TagChanges, Tags};
use crate::error::{Error, Result};
use crate::window::host::FileChoice;
use crate::window::workspace::types::{CoverId, DocumentId};
use crate::window::{App, excerpt};
use crate::work::cover::{self, CoverView};

/// The number of chosen pictures that are kept; the oldest are dropped.
const COVERS_KEPT: usize = 8;

impl App {
    pub(in crate::window) fn export_tags(&self, document: DocumentId) -> Result<ExportTags> {
        let tags = self.source_tags(document)?;
        Ok(ExportTags { items: excerpt::fields(&tags.items), cover: tags.cover().map(cover::view) })
    }

    pub(in crate::window) fn choose_cover(&self) -> Result<Option<(CoverId, CoverView)>> {
        let choice = FileChoice {
            title: "Choose a cover".into(),
            kind: "Pictures",
            extensions: &["jpg", "jpeg", "png", "gif", "webp"],
            several: false,
        };
        let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() else { return Ok(None) };
        let picture = cover::read(&path)?;
        let view = cover::view(&picture);
        let id = CoverId(self.workspace.fresh());
        let mut state = self.workspace.state();
        state.covers.insert(id, Arc::new(picture));
        while state.covers.len() > COVERS_KEPT {
            state.covers.pop_first();
        }
        Ok(Some((id, view)))
    }

    /// Returns the tags of a document's recording.
    pub(in crate::window) fn source_tags(&self, document: DocumentId) -> Result<Tags> {
        let state = self.workspace.state();
        let file = state.document(document)?.files.first().and_then(|file| file.as_ref().ok());
        Ok(file.map(|file| file.info().tags.clone()).unwrap_or_default())
    }

    /// Replaces the handle of a chosen cover by the picture.
    pub(in crate::window) fn tag_changes(&self, edits: Option<TagEdits>) -> Result<TagChanges> {
        let TagEdits { items, cover, replay_gain } = edits.unwrap_or_default();
        let cover = match cover {
            CoverEdit::Keep => CoverChange::Keep,
            CoverEdit::Remove => CoverChange::Remove,
            CoverEdit::Replace { cover } => {
                let picture = self.workspace.state().covers.get(&cover).cloned();
                let picture = picture.ok_or_else(|| Error::NotFound { what: "cover", name: cover.0.to_string() })?;
                CoverChange::Replace(Picture::clone(&picture))
            }
        };
        let items = items.into_iter().map(|(name, text)| (name, text.into())).collect();
        Ok(TagChanges { items, cover, replay_gain })
    }
}
