//! A byte range of a file as a stream, and bounded reads from streams.

use std::io::{self, Read};

use crate::source::FileWindow;

/// The maximum number of bytes by which the buffer grows at once.
const STEP_BYTES: usize = 1 << 20;

/// A reader of the bytes `at..end` of a file.
pub(super) struct Span<'a> {
    window: &'a mut FileWindow,
    pub(super) at: u64,
    pub(super) end: u64,
}

impl<'a> Span<'a> {
    /// Creates a reader of the part of `at..end` that is within the file.
    pub(super) fn new(window: &'a mut FileWindow, at: u64, end: u64) -> Self {
        let end = end.min(window.source().bytes());
        Self { window, at: at.min(end), end }
    }

    /// Returns up to `count` bytes at a place of the file, within the range, without reading on.
    pub(super) fn peek(&self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.end.saturating_sub(at).min(count) as usize];
        let got = self.window.source().read_at(at, &mut bytes).map_err(io::Error::other)?;
        bytes.truncate(got);
        Ok(bytes)
    }
}

impl Read for Span<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Large reads bypass the window's buffer.
        const LARGE: usize = 64 << 10;
        let count = (buffer.len() as u64).min(self.end - self.at) as usize;
        let got = if count > LARGE {
            self.window.source().read_at(self.at, &mut buffer[..count]).map_err(io::Error::other)?
        } else {
            let bytes = self.window.bytes(self.at, count).map_err(io::Error::other)?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            bytes.len()
        };
        self.at += got as u64;
        Ok(got)
    }
}

/// Undoes `ID3v2` unsynchronisation: removes the zero byte inserted after each 0xff.
pub(super) struct Synchronised<R> {
    inner: R,
    after_ff: bool,
}

impl<R: Read> Synchronised<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, after_ff: false }
    }
}

impl<R: Read> Read for Synchronised<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let got = self.inner.read(buffer)?;
            let mut kept = 0;
            for at in 0..got {
                let byte = buffer[at];
                if !(self.after_ff && byte == 0) {
                    buffer[kept] = byte;
                    kept += 1;
                }
                self.after_ff = byte == 0xff;
            }
            // A read of 0 bytes would signal the end, so the loop continues if all bytes were removed.
            if kept > 0 || got == 0 {
                return Ok(kept);
            }
        }
    }
}

/// Reads up to `limit` bytes. Also returns whether there are more. Memory grows with the data, not with `limit`.
pub(super) fn read_up_to(reader: &mut impl Read, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    loop {
        let held = bytes.len();
        let want = (held / 2).clamp(4096, STEP_BYTES).min(limit - held);
        if want == 0 {
            return Ok((bytes, reader.read(&mut [0])? > 0));
        }
        bytes.reserve_exact(want);
        if reader.take(want as u64).read_to_end(&mut bytes)? < want {
            return Ok((bytes, false));
        }
    }
}

/// Reads exactly `N` bytes; `None` if there are fewer.
pub(super) fn array<const N: usize>(reader: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    match reader.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Skips up to `count` bytes. Returns the number of bytes skipped.
pub(super) fn skip(reader: &mut impl Read, count: u64) -> io::Result<u64> {
    io::copy(&mut reader.take(count), &mut io::sink())
}
