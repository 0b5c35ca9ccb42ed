//! The inputs of an export that are named by path: recordings, and projects with their chains.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Extent, Tagging};
use crate::audio::tags::Processing;
use crate::audio::{AudioFile, AudioFormat, AudioReader, FileInfo, MarkerList, RangeReader, Tags};
use crate::chain::{Chain, Placement, Rendered, Seeking};
use crate::document::project::{self, FILE_KIND};
use crate::document::{Document, FrameRange, MixMeasurements, MixRender, OpenSource, Project, document_of, open_files};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::{Protected, Protection};
use crate::progress::Progress;

/// A recording, or the document of a project.
pub struct ExportInput {
    path: PathBuf,
    /// The first recording, whose tags the output gets.
    file: AudioFile,
    project: Option<(Document, Vec<AudioFile>)>,
    /// The measurements of whole signals that the chains of a project's tracks need.
    measured: MixMeasurements,
}

impl ExportInput {
    /// Opens a recording or a project, whose chains may read and run what the permission allows.
    ///
    /// # Errors
    /// [`Error::NotFound`] with the name of each recording of a project that is missing or changed.
    pub fn open(path: &Path, permission: &Permission) -> Result<Self> {
        if project::is_project(path) {
            Self::of_project(path, project::read(path)?, permission)
        } else {
            Ok(Self {
                path: path.to_path_buf(),
                file: AudioFile::open(path)?,
                project: None,
                measured: MixMeasurements::default(),
            })
        }
    }

    fn of_project(path: &Path, project: Project, permission: &Permission) -> Result<Self> {
        let document = Document::clone(project.history.document()).limited_to(permission);
        let opened = document.sources.iter().zip(open_files(&document));
        let mut files = Vec::new();
        let mut lost = Vec::new();
        for (source, file) in opened {
            match file {
                Ok(file) => files.push(file),
                Err(reason) => lost.push(format!("{}: {reason}", source.path.display())),
            }
        }
        match (files.first().cloned(), lost.is_empty()) {
            (Some(file), true) => Ok(Self {
                path: path.to_path_buf(),
                file,
                project: Some((document, files)),
                measured: MixMeasurements::default(),
            }),
            _ => Err(Error::NotFound { what: "recording of the project", name: lost.join("; ") }),
        }
    }

    /// Returns the document to edit, which is the project's or a new one of the recording, with its opened recordings
    /// by path.
    pub fn document(&self) -> Result<(Document, BTreeMap<PathBuf, AudioFile>)> {
        if let Some((document, files)) = &self.project {
            let paths = document.sources.iter().map(|source| source.path.clone());
            return Ok((document.clone(), paths.zip(files.iter().cloned()).collect()));
        }
        let document = document_of(&self.file)?;
        let path = document.sources.iter().map(|source| source.path.clone());
        let files = path.map(|path| (path, self.file.clone())).collect();
        Ok((document, files))
    }

    /// Returns the file that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the input is a project.
    pub fn is_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the name of the input's kind of file.
    pub fn kind(&self) -> &str {
        if self.project.is_some() { FILE_KIND.name } else { &self.file.info().format }
    }

    /// Returns the recording; `None` for a project.
    pub fn recording(&self) -> Option<&AudioFile> {
        if self.project.is_some() { None } else { Some(&self.file) }
    }

    /// Returns the facts of the recording, or of the project's first recording.
    pub fn info(&self) -> &FileInfo {
        self.file.info()
    }

    /// Returns the sample rate and channels before the chain.
    pub fn format(&self) -> AudioFormat {
        let mix = self.project.as_ref().and_then(|(document, _)| document.mix().ok().flatten());
        mix.map_or(self.file.info().audio, |mix| mix.format)
    }

    /// Returns the length in frames before the chain.
    pub fn frames(&self) -> u64 {
        self.project.as_ref().map_or(self.file.info().frames, |(document, _)| document.frames())
    }

    /// Returns the tags and covers to carry over.
    pub fn tags(&self) -> &Tags {
        &self.file.info().tags
    }

    /// Returns the tags to carry over, with a project's edits of the tags of its first recording.
    pub fn tagging(&self) -> Result<Tagging> {
        let done =
            self.project.as_ref().map_or_else(|| Ok(Processing::default()), |(document, _)| document.processing())?;
        Ok(Tagging { done, ..Tagging::from(self.tags().clone()) })
    }

    /// Returns the project's or the recording's markers to carry over, at frames before the chain.
    pub fn markers(&self) -> MarkerList {
        self.project.as_ref().map_or_else(|| self.file.markers().clone(), |(document, _)| document.markers.list())
    }

    /// Returns the problems of the files that do not prevent their use.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let (first, files) = match &self.project {
            Some((_, files)) => (None, files.as_slice()),
            None => (Some(&self.file), [].as_slice()),
        };
        first.into_iter().chain(files).flat_map(|file| file.info().warnings.iter().map(String::as_str))
    }

    /// Creates a reader of the sound before the chain. For a project with several tracks this is the sum of the tracks,
    /// each through its rack on the device that `placement` requests.
    pub fn reader(&self, placement: &Placement, progress: &Progress) -> Result<Box<dyn AudioReader>> {
        let Some((document, files)) = &self.project else { return self.file.reader() };
        let by_path: BTreeMap<PathBuf, AudioFile> =
            document.sources.iter().map(|source| source.path.clone()).zip(files.iter().cloned()).collect();
        let open: OpenSource = Arc::new(move |source| match by_path.get(&source.path) {
            Some(file) => file.reader(),
            None => Err(Error::NotFound { what: "recording", name: source.path.display().to_string() }),
        });
        let how = MixRender { placement, measured: &self.measured, seeking: Seeking::Exact, measures: Some(progress) };
        document.whole_reader(&open, &how)
    }

    /// Returns the sound of a recording, or of a project through its chain.
    pub fn sound(&self, placement: &Placement, progress: &Progress) -> Result<Box<dyn AudioReader>> {
        let source = self.reader(placement, progress)?;
        match self.own_chain() {
            Some(chain) if !chain.nodes.is_empty() => {
                let progress = progress.uncounted();
                Ok(Box::new(Rendered::measured(chain, source, placement, Seeking::Exact, &progress)?))
            }
            _ => Ok(source),
        }
    }

    /// Returns a part of [`ExportInput::sound`] and its markers, as a separate recording. The range is in frames before
    /// the chain.
    pub fn excerpt(
        &self,
        range: FrameRange,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<(Box<dyn AudioReader>, MarkerList)> {
        let extent = Extent::new(Some(range), self.frames(), false)?;
        let source = self.reader(placement, progress)?;
        let chain = self.own_chain().cloned().unwrap_or_default();
        let rendered = Rendered::measured(&chain, source, placement, Seeking::Exact, &progress.uncounted())?;
        let plan = rendered.renderer().plan();
        let (heard, markers) = (extent.heard(plan), extent.markers(&self.markers(), plan, plan.output.rate));
        Ok((Box::new(RangeReader::new(rendered, heard.start, heard.end)?), markers))
    }

    /// Returns the project's chain, or with several tracks the chain of their sum; `None` for a recording.
    pub fn own_chain(&self) -> Option<&Chain> {
        self.project.as_ref().map(|(document, _)| document.whole_chain())
    }

    /// Returns the chain that the sound goes through: the project's chain, then `next`.
    pub fn chain(&self, next: &Chain) -> Chain {
        self.own_chain().map_or_else(|| next.clone(), |chain| chain.followed_by(next))
    }

    /// Returns, for a project, a text that changes with the sound before the chain and with the markers; empty for a
    /// recording, which is identified by its file.
    pub fn content_key(&self) -> String {
        let key = |document: &Document| {
            let sound = document.mix().ok().flatten().map_or_else(|| document.content_key(), |mix| mix.content_key());
            format!("{}{}", sound.as_str(), document.markers.key())
        };
        self.project.as_ref().map_or_else(String::new, |(document, _)| key(document))
    }
}

/// Returns the files that no output of these inputs may replace: the inputs, and the files that projects among them
/// use.
pub fn protected(inputs: &[PathBuf]) -> Protected {
    Protected::new(inputs).and(Protection::ReadByProject, read_by_projects(inputs))
}

/// Returns the files that the projects among some inputs use: their recordings, and the files that their chains read. A
/// project that cannot be read adds nothing; it fails later.
pub fn read_by_projects(inputs: &[PathBuf]) -> Vec<PathBuf> {
    let projects = inputs.iter().filter(|path| project::is_project(path)).filter_map(|path| project::read(path).ok());
    let read = projects.flat_map(|project| {
        let document = project.history.document();
        let sources = document.sources.iter().map(|source| source.path.clone());
        sources.chain(document.all_chains().flat_map(Chain::named_files)).collect::<Vec<_>>()
    });
    read.collect()
}
