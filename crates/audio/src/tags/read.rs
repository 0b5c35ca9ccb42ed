//! Reads tags, pictures and markers of all formats that have them.
//!
//! All tag readers are implemented here because tags are untrusted input. A text or a picture is read only up to the
//! [`limits`], whatever length it claims and however far it would inflate.

mod aiff;
mod ape;
mod collect;
mod comments;
mod id3v1;
mod id3v2;
mod matroska;
mod mp4;
mod picture;
mod riff;
mod span;

pub mod limits;

pub(super) use id3v2::identifier as id3v2_identifier;

use std::sync::Arc;

use self::collect::Collected;
use super::Tags;
use crate::MarkerList;
use crate::container::flac;
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

/// Reads all readable tags and markers. Errors become warnings, because audio without its title is still useful.
pub(crate) fn read(source: &Arc<SourceFile>, opened: &ProbedFile, warnings: &mut Vec<String>) -> (Tags, MarkerList) {
    let mut collected = Collected::default();
    if let Err(error) = read_into(&mut collected, source, opened).and_then(|()| read_before(&mut collected, source)) {
        collected.warn(format!("the tags could not be read to their end: {error}"));
    }
    let (tags, found, told) = collected.finish();
    warnings.extend(told);
    (tags, found.finish(opened.audio.rate, opened.frames))
}

/// Reads the tags in front of a container, which only add fields that the container's tags lack.
fn read_before(collected: &mut Collected, source: &Arc<SourceFile>) -> Result<()> {
    if source.origin() > 0 {
        let whole = Arc::new(source.starting_at(0));
        id3v2::read_all(&mut FileWindow::new(&whole), 0, collected)?;
    }
    Ok(())
}

fn read_into(collected: &mut Collected, source: &Arc<SourceFile>, opened: &ProbedFile) -> Result<()> {
    let mut window = FileWindow::new(source);
    match (opened.format.as_str(), opened.codec.as_str()) {
        ("WAV" | "RF64" | "BW64", _) => riff::read(&mut window, opened.audio.rate, collected),
        ("AIFF" | "AIFF-C", _) => aiff::read(&mut window, collected),
        ("FLAC", _) => match flac::find(&mut window)? {
            Some(start) => comments::read_flac(&mut window, start, collected),
            None => Ok(()),
        },
        ("MP3" | "MP2" | "MPEG layer 1" | "ADTS", _) => {
            // The most detailed tags come first. Later tags only add fields that the earlier ones lack.
            let end = id3v2::read_all(&mut window, 0, collected)?;
            ape::read(&mut window, end, collected)?;
            id3v1::read(&mut window, collected)
        }
        ("Matroska", _) => match &opened.matroska {
            Some(description) => matroska::read(&mut window, description, collected),
            None => Ok(()),
        },
        ("MP4", _) => mp4::read(&mut window, opened.audio.rate, collected),
        ("Ogg", codec) => match opened.body.ogg_serial() {
            Some(serial) if codec.starts_with("FLAC") => comments::read_ogg_flac(&mut window, serial, collected),
            Some(serial) => comments::read_ogg(&mut window, serial, collected),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}
