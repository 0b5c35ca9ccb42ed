//! Deltas: the original of a file as copies of ranges of the new file and the bytes that are not in it.
//!
//! The audio of both files is the same and lies in known ranges. What lies between them, tags and pictures, is compared
//! by content. In Ogg files the headers of the audio's pages differ in number and checksum; these bytes are kept.
//!
//! A delta is a sequence of instructions: 1, position and length of bytes of the new file; or 2, length, and the bytes.
//! Numbers are 64-bit little-endian.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::files::AudioExtents;
use base::error::{Error, Result};

/// The largest part outside the audio that is compared, in bytes.
const MAX_GAP_BYTES: u64 = 64 << 20;
/// The bytes that are looked up at a time.
const BLOCK: usize = 32;
/// The bytes of audio read at a time.
const PIECE: usize = 1 << 20;
/// The shortest equal stretch worth an instruction.
const MIN_EQUAL: usize = 24;

const COPY: u8 = 1;
const LITERAL: u8 = 2;

/// Returns the delta that makes the file at `original` from the file at `new`.
///
/// # Errors
/// [`Error::Limit`] if a part outside the audio exceeds 64 MiB.
pub fn make(original: &Path, new: &Path) -> Result<Vec<u8>> {
    let (mut old, mut from) = (Side::open(original)?, Side::open(new)?);
    let same_shape = old.ranges.len() == from.ranges.len()
        && old.ranges.iter().zip(&from.ranges).all(|(a, b)| a.1 - a.0 == b.1 - b.0);
    let pairs: Vec<_> =
        if same_shape { old.ranges.iter().copied().zip(from.ranges.iter().copied()).collect() } else { Vec::new() };
    let mut delta = Delta::default();
    let (mut old_at, mut new_at) = (0, 0);
    for ((old_start, old_end), (new_start, new_end)) in pairs {
        // Ranges in another order than in the file are compared as gaps, up to their limit.
        if old_start < old_at || new_start < new_at {
            continue;
        }
        delta.gap(&old.bytes(old_at, old_start)?, &from.bytes(new_at, new_start)?, new_at);
        delta.aligned(&mut old, &mut from, (old_start, new_start, old_end - old_start))?;
        (old_at, new_at) = (old_end, new_end);
    }
    delta.gap(&old.bytes(old_at, old.length)?, &from.bytes(new_at, from.length)?, new_at);
    Ok(delta.finish())
}

/// Writes the original to `out`, made from the new file and the delta.
///
/// # Errors
/// An error of the kind [`io::ErrorKind::InvalidData`] if the delta is damaged.
pub fn apply(delta: &[u8], new: &mut File, out: &mut impl Write) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the delta is damaged");
    let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)).ok_or_else(damaged);
    let mut rest = delta;
    while let Some((&kind, after)) = rest.split_first() {
        let first = number(after)?;
        let after = &after[8..];
        match kind {
            COPY => {
                let length = number(after)?;
                new.seek(SeekFrom::Start(first))?;
                if io::copy(&mut Read::by_ref(new).take(length), out)? != length {
                    return Err(damaged());
                }
                rest = &after[8..];
            }
            LITERAL => {
                let length = usize::try_from(first).map_err(|_| damaged())?;
                out.write_all(after.get(..length).ok_or_else(damaged)?)?;
                rest = &after[length..];
            }
            _ => return Err(damaged()),
        }
    }
    Ok(())
}

/// One of the two files.
struct Side<'a> {
    file: File,
    path: &'a Path,
    length: u64,
    ranges: Vec<(u64, u64)>,
}

impl<'a> Side<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let failed = |source| Error::io("read", path, source);
        let mut file = base::files::open(path)?;
        let length = file.metadata().map_err(failed)?.len();
        let ranges = AudioExtents::find(&mut file, length).map_err(failed)?.ranges;
        Ok(Self { file, path, length, ranges })
    }

    fn bytes(&mut self, from: u64, to: u64) -> Result<Vec<u8>> {
        let count = to.saturating_sub(from);
        if count > MAX_GAP_BYTES {
            return Err(Error::Limit {
                what: "what a file has besides its audio, where it is kept for undo,".into(),
                got: format!("{count} bytes"),
                limit: format!("{MAX_GAP_BYTES} bytes"),
            });
        }
        let mut bytes = vec![0; count as usize];
        self.read(from, &mut bytes)?;
        Ok(bytes)
    }

    fn read(&mut self, from: u64, bytes: &mut [u8]) -> Result<()> {
        let read = self.file.seek(SeekFrom::Start(from)).and_then(|_| self.file.read_exact(bytes));
        read.map_err(|source| Error::io("read", self.path, source))
    }
}

/// A delta in the making. The last instruction is kept open.
#[derive(Default)]
struct Delta {
    bytes: Vec<u8>,
    /// A copy's position and length.
    copy: (u64, u64),
    literal: Vec<u8>,
}

impl Delta {
    fn copy(&mut self, position: u64, length: u64) {
        if length == 0 {
            return;
        }
        if self.copy.1 > 0 && self.literal.is_empty() && self.copy.0 + self.copy.1 == position {
            self.copy.1 += length;
            return;
        }
        self.flush();
        self.copy = (position, length);
    }

    /// A literal always follows the open copy.
    fn literal(&mut self, bytes: &[u8]) {
        self.literal.extend_from_slice(bytes);
    }

    fn flush(&mut self) {
        let (position, length) = std::mem::take(&mut self.copy);
        if length > 0 {
            self.bytes.push(COPY);
            self.bytes.extend_from_slice(&position.to_le_bytes());
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        if !self.literal.is_empty() {
            self.bytes.push(LITERAL);
            self.bytes.extend_from_slice(&(self.literal.len() as u64).to_le_bytes());
            self.bytes.append(&mut self.literal);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    /// Adds a part that may have anything moved, inserted or removed. `new_at` is where `new` begins in its file.
    fn gap(&mut self, old: &[u8], new: &[u8], new_at: u64) {
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        for (index, block) in new.chunks_exact(BLOCK).enumerate() {
            places.entry(block).or_insert(index * BLOCK);
        }
        // `at` is where the next block is looked up; what lies from `done` on is not described yet.
        let (mut at, mut done) = (0, 0);
        while let Some(block) = old.get(at..at + BLOCK) {
            let Some(&place) = places.get(block) else {
                at += 1;
                continue;
            };
            let before = old[done..at].iter().rev().zip(new[..place].iter().rev()).take_while(|(a, b)| a == b).count();
            let after = old[at..].iter().zip(&new[place..]).take_while(|(a, b)| a == b).count();
            self.literal(&old[done..at - before]);
            self.copy(new_at + (place - before) as u64, (before + after) as u64);
            at += after;
            done = at;
        }
        self.literal(&old[done..]);
    }

    /// Adds a range of audio, which is equal but for some bytes in place.
    fn aligned(
        &mut self,
        old: &mut Side<'_>,
        new: &mut Side<'_>,
        (old_at, new_at, length): (u64, u64, u64),
    ) -> Result<()> {
        let (mut old_piece, mut new_piece) = (vec![0; PIECE], vec![0; PIECE]);
        let mut done = 0;
        while done < length {
            let count = (length - done).min(PIECE as u64) as usize;
            let (old_piece, new_piece) = (&mut old_piece[..count], &mut new_piece[..count]);
            old.read(old_at + done, old_piece)?;
            new.read(new_at + done, new_piece)?;
            if old_piece == new_piece {
                self.copy(new_at + done, count as u64);
            } else {
                self.piece(old_piece, new_piece, new_at + done);
            }
            done += count as u64;
        }
        Ok(())
    }

    fn piece(&mut self, old: &[u8], new: &[u8], new_at: u64) {
        let mut at = 0;
        while at < old.len() {
            let equal = old[at..].iter().zip(&new[at..]).take_while(|(a, b)| a == b).count();
            if equal >= MIN_EQUAL || at + equal == old.len() && equal > 0 {
                self.copy(new_at + at as u64, equal as u64);
                at += equal;
                continue;
            }
            // The equal bytes, and the one that differs.
            let end = (at + equal + 1).min(old.len());
            self.literal(&old[at..end]);
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuilt(delta: &[u8], new: &Path) -> Vec<u8> {
        let mut out = Vec::new();
        apply(delta, &mut File::open(new).unwrap(), &mut out).unwrap();
        out
    }

    fn noise(seed: u64, bytes: usize) -> Vec<u8> {
        let mut random = seed | 1;
        let next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 40) as u8
        };
        std::iter::repeat_with(next).take(bytes).collect()
    }

    #[test]
    fn an_original_is_rebuilt_whatever_was_moved_and_little_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        let (picture, audio) = (noise(1, 100_000), noise(2, 50_000));
        let cases: [(Vec<u8>, Vec<u8>, usize); 6] = [
            (
                [b"head".as_slice(), &picture, &audio].concat(),
                [b"longer head".as_slice(), &picture, &audio].concat(),
                100,
            ),
            ([&audio[..], &picture].concat(), [&picture[..], &audio, b"end"].concat(), 100),
            (audio.clone(), [b"new tags".as_slice(), &audio].concat(), 100),
            ([b"gone".as_slice(), &audio].concat(), audio.clone(), 100),
            (vec![0; 10_000], vec![0; 5_000], 10_000),
            (audio.clone(), picture.clone(), audio.len() + 100),
        ];
        for (case, (before, after, most)) in cases.into_iter().enumerate() {
            std::fs::write(&old, &before).unwrap();
            std::fs::write(&new, &after).unwrap();
            let delta = make(&old, &new).unwrap();
            assert_eq!(rebuilt(&delta, &new), before, "case {case}");
            assert!(delta.len() <= most, "case {case}: {} bytes", delta.len());
        }
        for empty in [(&b""[..], &b"x"[..]), (b"x", b""), (b"", b"")] {
            std::fs::write(&old, empty.0).unwrap();
            std::fs::write(&new, empty.1).unwrap();
            assert_eq!(rebuilt(&make(&old, &new).unwrap(), &new), empty.0);
        }
    }

    #[test]
    fn bytes_that_differ_in_place_are_kept_alone() {
        let (mut old, new) = (noise(3, 10_000), noise(3, 10_000));
        for page in (18..10_000).step_by(1000) {
            old[page..page + 8].copy_from_slice(&noise(page as u64, 8));
        }
        let mut delta = Delta::default();
        delta.piece(&old, &new, 0);
        let delta = delta.finish();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("new"), &new).unwrap();
        assert_eq!(rebuilt(&delta, &folder.path().join("new")), old);
        assert!(delta.len() < 10 * 50, "{}", delta.len());
    }

    #[test]
    fn a_damaged_delta_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new");
        std::fs::write(&new, noise(4, 1000)).unwrap();
        let mut made = Delta::default();
        made.copy(10, 500);
        made.literal(b"some text");
        let delta = made.finish();
        let apply = |delta: &[u8]| apply(delta, &mut File::open(&new).unwrap(), &mut io::sink());
        apply(&delta).unwrap();
        for end in [1, 5, 12, 16, 18, 25, delta.len() - 1] {
            assert!(apply(&delta[..end]).is_err(), "cut at {end}");
        }
        for (at, byte) in [(0, 3), (2, 255), (10, 255), (16, 255), (18, 255)] {
            let mut spoiled = delta.clone();
            spoiled[at] = byte;
            assert!(apply(&spoiled).is_err(), "byte {at}");
        }
    }
}
