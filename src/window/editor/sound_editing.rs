//! Edits of the sound of documents, and the clipboard.

use std::path::Path;
use std::sync::Arc;

use crate::audio::AudioFile;
use crate::document::{
    Clip, Document, EditList, Excerpt, FrameRange, Join, Moves, SoundEdit, nearest_zero_crossing, open_source,
    source_of,
};
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::copied::CopiedSound;
use crate::window::workspace::types::{ClipView, DocumentId, DocumentView};

/// The greatest number of zero crossings per call: more than the edges of any drag.
const MOST_CROSSINGS: usize = 16;

impl App {
    pub(in crate::window) fn edit_sound(&self, document: DocumentId, edit: SoundEdit) -> Result<DocumentView> {
        let copied = self.workspace.state().copied.clone();
        self.edit_sound_with(document, edit, copied.as_deref(), None)
    }

    /// Applies an edit with the copied sound, as a step named `label` if that is set.
    fn edit_sound_with(
        &self,
        document: DocumentId,
        edit: SoundEdit,
        copied: Option<&CopiedSound>,
        label: Option<&str>,
    ) -> Result<DocumentView> {
        let (former, moves) = {
            let mut state = self.workspace.state();
            let joins = state.settings.joins;
            let open = state.document_mut(document)?;
            let former = open.history.shared();
            let crossfade = joins.crossfade(former.format()?.rate);
            let excerpt = copied.map(|copied| &copied.excerpt);
            let edited = former.edited(edit, open.cursor_frame, excerpt, crossfade)?;
            for (source, file) in copied.into_iter().flat_map(|copied| &copied.files) {
                open.spare_files.insert(source.path.clone(), file.clone());
            }
            open.history.end_gesture();
            if open.history.apply(label.unwrap_or(edited.label), None, edited.document) {
                open.revision += 1;
            }
            open.cursor_frame = edited.cursor_frame;
            (former, edited.moves)
        };
        self.changed_from(document, &former, moves.as_ref())
    }

    pub(in crate::window) fn insert_file(&self, document: DocumentId) -> Result<DocumentView> {
        let choice = FileChoice::recording("Insert file");
        let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() else {
            return self.view(document);
        };
        self.paste_file(document, &path, "Insert file")
    }

    /// Inserts a whole file at the cursor, or in place of the selection, as a step named `label`.
    pub(in crate::window) fn paste_file(&self, document: DocumentId, path: &Path, label: &str) -> Result<DocumentView> {
        let file = AudioFile::open(path)?;
        let source = source_of(&file)?;
        let edits = EditList { clips: vec![Clip::whole(0, source.summary.frames)] };
        let markers = file.markers().clone();
        let excerpt =
            Excerpt { format: source.summary.format, sources: vec![source.clone()], edits, markers, channels: None };
        let inserted = CopiedSound::of_file(excerpt, source, file);
        self.edit_sound_with(document, SoundEdit::Paste, Some(&inserted), Some(label))
    }

    pub(in crate::window) fn clips(&self, document: DocumentId) -> Result<Vec<ClipView>> {
        let now = self.workspace.state().document(document)?.history.shared();
        let lengths = now.source_frames();
        let joins = now.edits.crossfades(&lengths);
        let view = |index: usize, clip: &Clip, join: &Join| ClipView {
            source: clip.source,
            frames: clip.frames(),
            gain_db: clip.gain_db,
            fade_in: clip.fade_in.length().min(clip.frames()),
            fade_out: clip.fade_out.length().min(clip.frames()),
            reversed: clip.reversed,
            before: clip.before(&lengths),
            after: clip.after(&lengths),
            crossfade: clip.crossfade,
            continues: index.checked_sub(1).is_some_and(|before| now.edits.clips[before].continues_in(clip)),
            fades_before: join.before,
            fades_after: join.after,
        };
        let clips = now.edits.clips.iter().zip(&joins).enumerate();
        Ok(clips.map(|(index, (clip, join))| view(index, clip, join)).collect())
    }

    pub(in crate::window) fn zero_crossings(&self, document: DocumentId, frames: Vec<u64>) -> Result<Vec<u64>> {
        let readers = self.workspace.state().document(document)?.readers()?;
        let mut reader = readers()?;
        frames.into_iter().take(MOST_CROSSINGS).map(|frame| nearest_zero_crossing(reader.as_mut(), frame)).collect()
    }

    pub(in crate::window) fn snap_to_zero(&self, document: DocumentId) -> Result<DocumentView> {
        let (readers, selection, band, channels, cursor) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            let now = open.document();
            (open.readers()?, now.selection, now.band, now.channels.clone(), open.cursor_frame)
        };
        let mut reader = readers()?;
        let mut nearest = |frame| nearest_zero_crossing(reader.as_mut(), frame);
        let Some(range) = selection else {
            let cursor = nearest(cursor)?;
            {
                let mut state = self.workspace.state();
                let open = state.document_mut(document)?;
                open.cursor_frame = cursor;
                open.revision += 1;
            }
            return self.view(document);
        };
        let snapped = FrameRange { start: nearest(range.start)?, end: nearest(range.end)? };
        // A selection shorter than a period stays.
        let snapped = if snapped.start < snapped.end { snapped } else { range };
        self.set_selection(document, Some(snapped), band, channels)
    }

    pub(in crate::window) fn copy_sound(&self, document: DocumentId, cut: bool) -> Result<DocumentView> {
        {
            let mut state = self.workspace.state();
            let open = state.document(document)?;
            let now = open.history.shared();
            if cut && now.channels.is_some() {
                return Err(Error::impossible("A cut acts on all channels. Copy, then delete, where some are chosen."));
            }
            let range = now.selection.ok_or_else(|| Error::impossible("Select a part of the recording first."))?;
            let excerpt = now.excerpt(range.start..range.end, cut)?;
            let opened = now.sources.iter().zip(&open.files);
            let files = opened
                .filter(|(source, _)| excerpt.sources.contains(source))
                .filter_map(|(source, file)| Some((source.clone(), file.as_ref().ok()?.clone())))
                .collect();
            state.copied = Some(Arc::new(CopiedSound { excerpt, files }));
        }
        if cut { self.edit_sound(document, SoundEdit::Delete) } else { self.view(document) }
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn copied_sound(&self) -> Result<Option<bool>> {
        let copied = self.workspace.state().copied.clone();
        Ok(copied.map(|copied| copied.excerpt.channels.is_some()))
    }

    /// Writes a changed document to disk and, if its sound has changed, updates everything that shows or plays it.
    /// `moves` says where the playing sound has moved.
    pub(in crate::window) fn changed_from(
        &self,
        id: DocumentId,
        former: &Document,
        moves: Option<&Moves>,
    ) -> Result<DocumentView> {
        let missing = {
            let mut state = self.workspace.state();
            let open = state.document_mut(id)?;
            let now = open.history.shared();
            if now.sounds_like(former) {
                None
            } else {
                let frames = now.frames();
                open.cursor_frame = open.cursor_frame.min(frames);
                open.sound += 1;
                Some(open.arrange_files(&former.sources))
            }
        };
        let Some(missing) = missing else {
            self.changed_mix(id, former)?;
            return self.changed(id);
        };
        for source in missing {
            let opened = open_source(&source);
            let mut state = self.workspace.state();
            let open = state.document_mut(id)?;
            let place = open.document().sources.iter().position(|known| known.path == source.path);
            if let Some(place) = place.and_then(|place| open.files.get_mut(place)) {
                *place = opened;
            }
        }
        self.workspace.keep(id)?;
        self.workspace.start_waveform(id);
        self.reload_document(id, moves)?;
        self.view(id)
    }

    /// Updates what is played after a change of the tracks' mix, or of the chosen track.
    fn changed_mix(&self, id: DocumentId, former: &Document) -> Result<()> {
        let (now, keeps_choice) = {
            let state = self.workspace.state();
            let now = state.document(id)?.history.shared();
            (Arc::clone(&now), now.chosen() == former.chosen())
        };
        if now.tracks == former.tracks {
            return Ok(());
        }
        let follows = match now.mix()? {
            Some(mix) => keeps_choice && self.playback.set_mix(id, mix, &now.chain),
            None => false,
        };
        if follows { Ok(()) } else { self.reload_document(id, None) }
    }
}
