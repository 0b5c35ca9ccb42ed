//! Detects the format of a file by its content. Its name is not used.

use std::sync::Arc;

use super::container::{adts, caf, flac, mkv, mp4, mpeg, ogg};
use super::container::{aiff, w64, wav};
use super::probed::ProbedFile;
use super::source::{FileWindow, SourceFile};
use super::unread::skip_tags;
use base::error::{Error, Result};

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
    if let Some((what, reason)) = known_but_unsupported(&head) {
        return Err(Error::unsupported(what, format!("{reason}: {}", source.path().display())));
    }
    if let Some(opened) = adts::open(source)? {
        return Ok(opened);
    }
    if let Some(opened) = mpeg::open(source)? {
        return Ok(opened);
    }
    Err(source.malformed("this is not audio that can be recognised"))
}

/// Recognises formats that cannot be read. Returns the format's name and the reason.
fn known_but_unsupported(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const CONVERT: &str = "there is no decoder for it here; convert it to FLAC or WAV with ffmpeg and open that";
    Some(match head {
        [b'w', b'v', b'p', b'k', ..] => {
            ("WavPack", "there is no decoder for it here; unpack it to WAV with `wvunpack` and open that")
        }
        [b'M', b'A', b'C', b' ', ..] => ("Monkey's Audio", CONVERT),
        [b'M', b'P', b'C', b'K', ..] | [b'M', b'P', b'+', ..] => ("Musepack", CONVERT),
        [b'T', b'T', b'A', b'1' | b'2', ..] => ("True Audio", CONVERT),
        [b'D', b'S', b'D', b' ', ..] | [b'F', b'R', b'M', b'8', ..] => ("DSD audio", CONVERT),
        [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, ..] => ("Windows Media Audio", CONVERT),
        [b'.', b's', b'n', b'd', ..] => ("Sun/NeXT audio", CONVERT),
        [b'#', b'!', b'A', b'M', b'R', ..] => ("AMR speech", CONVERT),
        [b'M', b'T', b'h', b'd', ..] => ("MIDI", "it holds notes, not sound; render it to WAV with a synthesiser"),
        [0x0b, 0x77, ..] => ("Dolby Digital (AC-3)", CONVERT),
        [0x7f, 0xfe, 0x80, 0x01, ..] => ("DTS", CONVERT),
        _ => return None,
    })
}
