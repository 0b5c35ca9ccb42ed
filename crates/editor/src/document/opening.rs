//! Opens recordings as documents and as their sources.

use audio::{AudioFile, AudioFormat};
use base::error::Result;

use super::{Document, DocumentMarkers, Source, SourceSummary};

/// Creates the document of an opened file, with the markers that the file has.
pub fn document_of(file: &AudioFile) -> Result<Document> {
    Ok(Document { markers: DocumentMarkers::from(file.markers()), ..Document::of_source(source_of(file)?) })
}

/// Creates the source entry for an opened file.
pub fn source_of(file: &AudioFile) -> Result<Source> {
    let info = file.info();
    let summary = SourceSummary {
        container: info.format.clone(),
        codec: info.codec.clone(),
        format: info.audio,
        frames: info.frames,
    };
    Source::open(file.path(), summary)
}

/// Opens the recordings of a document. Returns, for each one that cannot be read, the reason.
pub fn open_files(document: &Document) -> Vec<Result<AudioFile, String>> {
    document.sources.iter().map(open_source).collect()
}

/// Opens the recording of a source, or returns the reason why it cannot be read.
pub fn open_source(source: &Source) -> Result<AudioFile, String> {
    if let Some(problem) = source.state().problem() {
        return Err(problem);
    }
    let file = AudioFile::open(&source.path).map_err(|error| error.sentences())?;
    let (info, known) = (file.info(), &source.summary);
    // A project may claim anything about a file. Older projects do not store the layout.
    let shape = |format: AudioFormat, frames| (format.rate, format.channels, frames);
    if shape(info.audio, info.frames) == shape(known.format, known.frames) {
        Ok(file)
    } else {
        Err("Its format or length is no longer that of the document".into())
    }
}
