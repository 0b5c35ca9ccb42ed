//! Detects the format of a file by its content. Its name is not used.

use std::sync::Arc;

use super::container::{adts, caf, flac, mkv, mp4, mpeg, ogg};
use super::container::{aiff, w64, wav};
use super::probed::ProbedFile;
use super::refused_kinds;
use super::source::{FileWindow, SourceFile};
use super::unread::skip_tags;
use base::error::Result;

/// Returns the byte at which the container of a file begins: after any tags in front of a container that stores tags
/// elsewhere, otherwise 0.
pub(crate) fn origin(source: &Arc<SourceFile>) -> Result<u64> {
    let mut window = FileWindow::new(source);
    let start = skip_tags(&mut window, 0, source.bytes())?;
    let head = window.bytes(start, 64)?;
    let kinds = [wav::is_wav, w64::is_w64, aiff::is_aiff, ogg::is_ogg, caf::is_caf, mkv::is_mkv, mp4::is_mp4];
    Ok(if kinds.iter().any(|is_kind| is_kind(head)) { start } else { 0 })
}

/// Reads the head of a file and opens it with the module for its format.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let head = window.bytes(0, 64)?.to_vec();
    if wav::is_wav(&head) {
        return wav::open(source);
    }
    if w64::is_w64(&head) {
        return w64::open(source);
    }
    if aiff::is_aiff(&head) {
        return aiff::open(source);
    }
    if ogg::is_ogg(&head) {
        return ogg::open(source);
    }
    if caf::is_caf(&head) {
        return caf::open(source);
    }
    if mkv::is_mkv(&head) {
        return mkv::open(source);
    }
    if mp4::is_mp4(&head) {
        return mp4::open(source);
    }
    if let Some(start) = flac::find(&mut window)? {
        return flac::open(source, start);
    }
    let start = skip_tags(&mut window, 0, source.bytes())?;
    if let Some(refusal) = refused_kinds::refusal(&mut window, start)? {
        return Err(refusal);
    }
    if let Some(opened) = adts::open(source)? {
        return Ok(opened);
    }
    if let Some(opened) = mpeg::open(source)? {
        return Ok(opened);
    }
    Err(refused_kinds::unrecognised(&mut window, start)?)
}
