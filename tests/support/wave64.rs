//! Writes Wave64 files.

#![allow(dead_code, reason = "each test uses its part")]

/// The end of the identifiers of `wave` and of the chunks that WAV files have too.
pub const COMMON: &[u8] = b"\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a";
pub const HEAD: &[u8] = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0";

/// Returns a chunk that states `size`, which includes its head of 24 bytes.
pub fn chunk(id: &[u8], size: u64, body: &[u8]) -> Vec<u8> {
    let mut chunk = [id, COMMON, &size.to_le_bytes(), body].concat();
    chunk.resize(chunk.len().next_multiple_of(8), 0);
    chunk
}

/// Returns a file of chunks that states `size`; its own if that is `None`.
pub fn file(chunks: &[u8], size: Option<u64>) -> Vec<u8> {
    let size = size.unwrap_or(40 + chunks.len() as u64);
    [HEAD, &size.to_le_bytes(), b"wave", COMMON, chunks].concat()
}
