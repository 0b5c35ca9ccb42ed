//! Edits that are rendered to a new recording: mixing, and edits of some of the channels.

use std::sync::{Arc, mpsc};

use crate::audio::{AudioFile, AudioReader};
use crate::document::{Excerpt, Rendering, SoundEdit, Source, source_of};
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::jobs::JobPurpose;
use crate::window::workspace::copied::CopiedSound;
use crate::window::workspace::made_files::write;
use crate::window::workspace::types::{DocumentId, DocumentView};

impl App {
    /// Makes any edit of the sound. For edits that clips cannot express, a job renders the result, and this function
    /// waits for it.
    pub(in crate::window) fn render_sound(&self, document: DocumentId, edit: SoundEdit) -> Result<DocumentView> {
        let copied = self.workspace.state().copied.clone();
        let wanted = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            let now = open.document();
            let crossfade = state.settings.joins.crossfade(now.format()?.rate);
            let excerpt = copied.as_deref().map(|copied| &copied.excerpt);
            let rendering = now.rendering(edit, open.cursor_frame, excerpt, crossfade)?;
            rendering.map(|rendering| Ok::<_, Error>((rendering, open.open_source()?))).transpose()?
        };
        let Some((rendering, open)) = wanted else {
            if let Some(copied) = copied.filter(|_| matches!(edit, SoundEdit::Paste | SoundEdit::PasteOver)) {
                self.write_copied(&copied)?;
            }
            return self.edit_sound(document, edit);
        };
        let open_copied = copied.as_deref().map_or_else(|| Arc::clone(&open), CopiedSound::opener);
        let reader = rendering.reader(&open, &open_copied)?;
        let (source, file) = self.written(rendering.label(), reader)?;
        let laid = self.lay(document, &rendering, &source, file);
        if laid.is_err() && !self.uses(document, &source) {
            let _ = std::fs::remove_file(&source.path);
            self.workspace.no_recording(&source.path);
        }
        laid
    }

    /// Returns whether a document now uses a recording.
    fn uses(&self, document: DocumentId, source: &Source) -> bool {
        let state = self.workspace.state();
        state.document(document).is_ok_and(|open| open.document().sources.contains(source))
    }

    /// Places a recording over the part that it was rendered from, as one step.
    fn lay(
        &self,
        document: DocumentId,
        rendering: &Rendering,
        source: &Source,
        file: AudioFile,
    ) -> Result<DocumentView> {
        let former = {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let former = open.history.shared();
            let edited = former.rendered(rendering, source)?;
            open.spare_files.insert(source.path.clone(), file);
            open.history.end_gesture();
            if open.history.apply(edited.label, None, edited.document) {
                open.revision += 1;
            }
            open.cursor_frame = edited.cursor_frame;
            former
        };
        self.changed_from(document, &former, None)
    }

    /// Writes a copy of some of the channels to a new recording, which can then be pasted like any other.
    fn write_copied(&self, copied: &Arc<CopiedSound>) -> Result<()> {
        let excerpt = &copied.excerpt;
        if excerpt.channels.is_none() {
            return Ok(());
        }
        let reader = excerpt.reader(&copied.opener())?;
        let (source, file) = self.written("Copy of channels", reader)?;
        let written: Excerpt = excerpt.written_to(source.clone());
        let mut state = self.workspace.state();
        // Something else may have been copied in the meantime.
        if state.copied.as_ref().is_some_and(|now| Arc::ptr_eq(now, copied)) {
            state.copied = Some(Arc::new(CopiedSound::of_file(written, source, file)));
        }
        Ok(())
    }

    /// Writes a stream to a recording as a job, and waits for it.
    fn written(&self, stem: &'static str, mut reader: Box<dyn AudioReader>) -> Result<(Source, AudioFile)> {
        let path = self.workspace.new_recording(stem)?;
        let (told, heard) = mpsc::channel();
        let target = path.clone();
        self.jobs.start(JobPurpose::Sound, stem.to_owned(), move |progress| {
            let done = write(reader.as_mut(), &target, progress);
            let failed = done.as_ref().err().is_some_and(|error| !matches!(error, Error::Cancelled));
            // The command reports the error.
            let end = if done.is_ok() || failed { Ok(None) } else { Err(Error::Cancelled) };
            let _ = told.send(done);
            end
        });
        let opened = heard
            .recv()
            .unwrap_or_else(|_| Err(Error::Internal("the sound could not be rendered".into())))
            .and_then(|()| AudioFile::open(&path))
            .and_then(|file| Ok((source_of(&file)?, file)));
        if opened.is_err() {
            self.workspace.no_recording(&path);
        }
        opened
    }
}
