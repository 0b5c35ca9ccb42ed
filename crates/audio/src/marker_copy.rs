//! Copies a recording with other markers. The audio is copied byte for byte, without decoding; only the parts of the file
//! that have markers are written anew.

mod flac;
mod mp3;
mod ogg;
mod wav;

use std::path::Path;

use crate::AudioFile;
use crate::file_format::FileFormat;
use crate::markers::{MarkerList, file_limits};
use crate::source::SourceFile;
use base::error::{Error, Result};
use base::files::{Protected, SafeFile};
use base::progress::Progress;

/// The bytes that are copied at once.
const STEP_BYTES: usize = 1 << 20;

/// Returns the format of a file whose markers can be replaced; `None` for others, which have to be encoded anew.
pub fn own_format(file: &AudioFile) -> Option<FileFormat> {
    let info = file.info();
    // Tags in front of a container would be lost.
    if file.source().origin() > 0 {
        return None;
    }
    match (info.format.as_str(), info.codec.as_str()) {
        ("WAV" | "RF64" | "BW64", _) => Some(FileFormat::Wav),
        ("FLAC", _) => Some(FileFormat::Flac),
        ("MP3", _) => Some(FileFormat::Mp3),
        ("Ogg", "Vorbis") => Some(FileFormat::Vorbis),
        ("Ogg", "Opus") => Some(FileFormat::Opus),
        _ => None,
    }
}

/// Copies `file` to `target` and replaces its markers by `markers`, which are at frames of its sample rate. An existing
/// file is replaced only if `overwrite` is set, and a file among `inputs` never. Progress counts bytes. Returns the
/// size of the copy in bytes, and human-readable warnings about what the format cannot hold.
///
/// # Errors
/// [`Error::Unsupported`] for a format without [`own_format`], and for tags that cannot be changed in place. No file is
/// left behind.
pub fn copy(
    file: &AudioFile,
    markers: &MarkerList,
    target: &Path,
    overwrite: bool,
    inputs: impl Into<Protected>,
    progress: &Progress,
) -> Result<(u64, Vec<String>)> {
    let Some(format) = own_format(file) else {
        let what = format!("Changing the markers of {}", file.info().format);
        return Err(Error::unsupported(what, "WAV, FLAC, MP3, Ogg Vorbis and Opus can be changed"));
    };
    progress.set_total(file.source().bytes());
    let mut copy =
        Copy { source: file.source(), target: SafeFile::create(target, overwrite, inputs)?, written: 0, progress };
    match (format, file.opened().body.ogg_serial()) {
        (FileFormat::Wav, _) => wav::copy(&mut copy, markers)?,
        (FileFormat::Flac, _) => flac::copy(&mut copy, markers, file.info())?,
        (FileFormat::Mp3, _) => mp3::copy(&mut copy, markers, file.info())?,
        (FileFormat::Vorbis | FileFormat::Opus, Some(serial)) => {
            ogg::copy(&mut copy, markers, serial, file.info().audio.rate)?;
        }
        _ => return Err(Error::Internal("an Ogg file has no stream".to_owned())),
    }
    Ok((copy.target.commit()?, file_limits(format, markers)))
}

/// A copy being written.
struct Copy<'a> {
    source: &'a std::sync::Arc<SourceFile>,
    target: SafeFile,
    /// The bytes written so far.
    written: u64,
    progress: &'a Progress,
}

impl Copy<'_> {
    /// Appends new bytes.
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        self.target.append(bytes)
    }

    /// Appends a range of the source, as far as it is there.
    fn range(&mut self, start: u64, end: u64) -> Result<()> {
        let mut at = start;
        let mut bytes = Vec::new();
        while at < end {
            self.progress.check()?;
            bytes.resize(STEP_BYTES.min((end - at) as usize), 0);
            let got = self.source.read_at(at, &mut bytes)?;
            if got == 0 {
                break;
            }
            self.put(&bytes[..got])?;
            at += got as u64;
            self.progress.advance(got as u64)?;
        }
        Ok(())
    }
}
