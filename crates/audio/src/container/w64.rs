//! Sony Wave64: the chunks of a WAV file with identifiers of 16 bytes and sizes of 64 bits.

use std::sync::Arc;

use super::chunks::MAX_CHUNKS;
use super::wav::{self, Chunks};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile};
use crate::unread::skip_zeros;
use base::error::Result;

const RIFF: [u8; 16] = *b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0";
/// The end of the identifiers of `wave` and of the chunks that WAV files have too.
const COMMON: [u8; 12] = *b"\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a";
/// The size of an identifier and a size, which a chunk's size includes.
const HEAD_BYTES: u64 = 24;
/// Chunks begin at multiples of this many bytes.
const ALIGNMENT: u64 = 8;

/// Returns whether the first bytes are those of a Wave64 file.
pub(crate) fn is_w64(head: &[u8]) -> bool {
    head.starts_with(&RIFF) && head.get(24..28) == Some(b"wave") && head.get(28..40) == Some(&COMMON)
}

/// A chunk: the first letters of its identifier if it is one that WAV files have, and the byte range of its contents as it
/// is stated.
struct Chunk {
    id: Option<[u8; 4]>,
    start: u64,
    end: u64,
}

impl Chunk {
    fn read(window: &mut FileWindow, at: u64) -> Result<Option<Self>> {
        let Some(head) = window.array::<{ HEAD_BYTES as usize }>(at)? else { return Ok(None) };
        let (id, size) = head.split_at(16);
        let size = size.first_chunk().copied().map_or(0, u64::from_le_bytes);
        let start = at + HEAD_BYTES;
        let id = id.first_chunk().copied().filter(|_| id[4..] == COMMON);
        // A size without its own header is no size. All ones are one that was never filled in.
        let end = if size < HEAD_BYTES { start } else { at.saturating_add(size) };
        Ok(Some(Self { id, start, end }))
    }

    /// Returns the byte at which the next chunk begins.
    fn after(&self) -> u64 {
        self.end.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
    }
}

/// Opens a Wave64 file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let (mut format, mut fact_frames) = (None, None);
    let mut at = 40;
    for _ in 0..MAX_CHUNKS {
        let Some(chunk) = Chunk::read(&mut window, at)? else { break };
        match chunk.id.as_ref() {
            Some(b"fmt ") => format = Some(wav::read_format(&mut window, chunk.start, chunk.end - chunk.start, false)?),
            Some(b"fact") => fact_frames = window.array::<8>(chunk.start)?.map(u64::from_le_bytes),
            Some(b"data") => {
                let Some(format) = format else {
                    return Err(
                        source.malformed(format!("the Wave64 has its data at byte {at} before any `fmt ` chunk"))
                    );
                };
                let declared_bytes = stated_bytes(&mut window, &chunk)?;
                let present = source.bytes().saturating_sub(chunk.start);
                let data_bytes = declared_bytes.map_or(present, |stated| stated.min(present));
                let chunks = Chunks {
                    big_endian: false,
                    format,
                    data_start: chunk.start,
                    data_bytes,
                    declared_bytes,
                    wrapped: false,
                    fact_frames,
                    end: chunks_end(&mut window, chunk.start + data_bytes)?,
                };
                return wav::open_chunks(source, "Wave64", &chunks);
            }
            _ => {}
        }
        at = chunk.after();
    }
    Err(source.malformed(if format.is_some() {
        "the Wave64 ends before any `data` chunk: there is no audio in it"
    } else {
        "the Wave64 has no `fmt ` chunk: it cannot be told what is in it"
    }))
}

/// Returns the size of the data that the file states; `None` if its writer left it open, because it could not seek back or
/// stopped before it did.
fn stated_bytes(window: &mut FileWindow, data: &Chunk) -> Result<Option<u64>> {
    let end = window.source().bytes();
    let whole = window.array::<8>(16)?.map_or(0, u64::from_le_bytes);
    let is_open = whole <= data.start || whole > i64::MAX.cast_unsigned();
    let is_empty = data.end == data.start && is_open && skip_zeros(window, data.start, end)? < end;
    Ok((!is_empty && data.end <= i64::MAX.cast_unsigned()).then_some(data.end - data.start))
}

/// Returns the byte after the last whole chunk of those behind the data that ends at `at`.
fn chunks_end(window: &mut FileWindow, at: u64) -> Result<u64> {
    let file_end = window.source().bytes();
    let mut end = at.next_multiple_of(ALIGNMENT).min(file_end);
    for _ in 0..MAX_CHUNKS {
        let Some(chunk) = Chunk::read(window, end)? else { break };
        // Another file begins like a chunk.
        if is_w64(window.bytes(end, 40)?) || chunk.end <= chunk.start || chunk.end > file_end {
            break;
        }
        // The last chunk's padding may be missing.
        end = chunk.after().min(file_end);
    }
    Ok(end)
}
