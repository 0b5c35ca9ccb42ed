//! Replaces a range of a file by other bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// The bytes that are moved at once.
const STEP_BYTES: u64 = 1 << 20;

/// Replaces `range` of the file by `new`. What follows is moved.
pub(super) fn replace(file: &mut File, range: Range<u64>, new: &[u8]) -> io::Result<()> {
    let (old, end) = (range.end - range.start, file.metadata()?.len());
    let distance = (new.len() as u64).abs_diff(old);
    let mut step = vec![0; STEP_BYTES.min(end - range.end) as usize];
    if new.len() as u64 > old {
        // From the end, so that nothing is overwritten before it is moved.
        let mut at = end;
        while at > range.end {
            let count = STEP_BYTES.min(at - range.end);
            at -= count;
            move_bytes(file, at, at + distance, &mut step[..count as usize])?;
        }
    } else if distance > 0 {
        let mut at = range.end;
        while at < end {
            let count = STEP_BYTES.min(end - at);
            move_bytes(file, at, at - distance, &mut step[..count as usize])?;
            at += count;
        }
        file.set_len(end - distance)?;
    }
    write_at(file, range.start, new)
}

/// Writes bytes at a place.
pub(super) fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

fn move_bytes(file: &mut File, from: u64, to: u64, step: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(step)?;
    write_at(file, to, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_moved_in_both_directions() {
        let bytes: Vec<u8> = (0..3 * STEP_BYTES as u32 + 17).map(|n| (n * 7 / 3) as u8).collect();
        for (range, new) in [
            (5..5, &b"grown"[..]),
            (0..4, b"same"),
            (3..3 + STEP_BYTES + 9, b"shrunk"),
            (bytes.len() as u64..bytes.len() as u64, b"at the end"),
            (10..bytes.len() as u64, b""),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            replace(&mut file, range.clone(), new).unwrap();
            let mut expected = bytes.clone();
            drop(expected.splice(range.start as usize..range.end as usize, new.iter().copied()));
            let mut found = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut found).unwrap();
            assert!(found == expected, "{range:?}");
        }
    }
}
