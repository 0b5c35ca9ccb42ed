//! Makes a document of the stems of a recording.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::StemsPage;
use super::cache::{Entry, stem_path};
use super::recordings::Recording;
use crate::audio::{AudioFile, Tags};
use crate::document::{Document, source_of};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::window::workspace::Workspace;
use crate::window::workspace::open_document::OpenDocument;
use crate::window::workspace::types::{DocumentId, DocumentView};
use crate::work::batch::naming::{Template, TemplateValues};
use base::stem::StemKind;

/// The number of bytes copied at once.
const PIECE_BYTES: usize = 1 << 20;

impl StemsPage {
    /// Opens the stems in `folder` as a new document, with the stems that are not heard muted, and activates it. On an
    /// error, nothing of it is left.
    pub(super) fn opened(
        &self,
        recording: &Recording,
        folder: &Path,
        entry: &Entry,
        is_heard: impl Fn(StemKind) -> bool,
        progress: &Progress,
    ) -> Result<DocumentView> {
        let workspace = &self.workspace;
        let mut made = Made { workspace, paths: Vec::new(), is_kept: false };
        let (mut stems, mut files) = (Vec::new(), Vec::new());
        // The tracks and their files are in the same order.
        for content in StemKind::ALL {
            if !entry.stems.iter().any(|stem| stem.content == content) {
                continue;
            }
            let path = workspace.new_recording(&file_stem(&recording.name, content)?)?;
            made.paths.push(path.clone());
            link(&stem_path(folder, content), &path, progress)?;
            let file = AudioFile::open(&path)?;
            stems.push((content, title(content).to_owned(), source_of(&file)?));
            files.push(file);
        }
        let mut document = Document {
            markers: recording.markers.clone(),
            ..Document::of_stems(format!("{} - stems", recording.name), stems)?
        };
        document.mute_stems(is_heard);
        let id = DocumentId(workspace.fresh());
        workspace.take_in(OpenDocument::of_document(id, document, files, &workspace.permission))?;
        made.is_kept = true;
        let key = {
            let mut state = workspace.state();
            state.active = Some(id);
            state.keys.get(&id).copied()
        };
        workspace.session().set_active(key)?;
        self.chain_files.view(id)
    }
}

/// Files made for a document. They are removed again unless the document is completed.
struct Made<'a> {
    workspace: &'a Workspace,
    paths: Vec<PathBuf>,
    is_kept: bool,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        for path in &self.paths {
            let _ = fs::remove_file(path);
            self.workspace.no_recording(path);
        }
    }
}

/// Returns the name of a stem's file without its extension, free of characters that file systems refuse.
fn file_stem(name: &str, content: StemKind) -> Result<String> {
    let mut tags = Tags::default();
    tags.items.insert("TITLE".to_owned(), format!("{name} - {}", content.name()).into());
    let (input, folder) = (Path::new("stem"), Path::new(""));
    let values = TemplateValues { input, folder, number: 1, extension: "", tags: &tags };
    Ok(Template::parse("{title}")?.apply(&values)?.to_string_lossy().into_owned())
}

/// Returns the name of a track.
const fn title(content: StemKind) -> &'static str {
    match content {
        StemKind::Voice => "Voice",
        StemKind::Vocals => "Vocals",
        StemKind::Drums => "Drums",
        StemKind::Bass => "Bass",
        StemKind::Guitar => "Guitar",
        StemKind::Piano => "Piano",
        StemKind::Other => "Other",
        StemKind::Accompaniment => "Accompaniment",
        StemKind::Tones => "Tones",
        StemKind::Hits => "Hits",
        StemKind::Centre => "Centre",
        StemKind::Sides => "Sides",
        StemKind::Residual => "Residual",
    }
}

/// Gives a file another name that shares its bytes on disk. Where the file system does not support that, the file is
/// copied.
fn link(from: &Path, to: &Path, progress: &Progress) -> Result<()> {
    progress.check()?;
    match fs::hard_link(from, to) {
        Ok(()) => return Ok(()),
        Err(source) if source.kind() == ErrorKind::NotFound => return Err(Error::io("read", from, source)),
        Err(_) => {}
    }
    copy(from, to, progress)
}

fn copy(from: &Path, to: &Path, progress: &Progress) -> Result<()> {
    let mut source = crate::files::open(from)?;
    let mut target = File::create_new(to).map_err(|source| Error::io("write", to, source))?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        progress.check()?;
        let read = source.read(&mut piece).map_err(|source| Error::io("read", from, source))?;
        if read == 0 {
            return target.sync_all().map_err(|source| Error::io("write", to, source));
        }
        target.write_all(&piece[..read]).map_err(|source| Error::io("write", to, source))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_track_becomes_one_of_a_file() {
        assert_eq!(file_stem("01. Song", StemKind::Voice).unwrap(), "01. Song - voice");
        let odd = file_stem("a/b:c\n", StemKind::Drums).unwrap();
        assert!(odd.ends_with("- drums") && !odd.contains(['/', '\n']), "{odd}");
        let long = file_stem(&"x".repeat(1000), StemKind::Bass).unwrap();
        assert!(long.len() <= 200, "{}", long.len());
    }

    #[test]
    fn a_copy_is_the_same_and_stops_at_a_cancel() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to, other] = ["from", "to", "other"].map(|name| folder.path().join(name));
        let bytes: Vec<u8> = (0..PIECE_BYTES + 5).map(|at| at as u8).collect();
        fs::write(&from, &bytes).unwrap();
        copy(&from, &to, &Progress::new()).unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes);
        assert!(copy(&from, &to, &Progress::new()).is_err(), "nothing is replaced");
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(matches!(copy(&from, &other, &cancelled), Err(Error::Cancelled)));
        assert!(matches!(link(&from, &other, &cancelled), Err(Error::Cancelled)));
        assert!(matches!(link(&folder.path().join("none"), &other, &Progress::new()), Err(Error::Io { .. })));
    }
}
