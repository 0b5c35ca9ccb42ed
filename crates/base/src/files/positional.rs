//! Reads and writes at offsets of a file, regardless of its current position.

use std::fs::File;
use std::io::{ErrorKind, Result};

/// Fills `buffer` from byte `offset` on. Returns the number of bytes read, which is smaller only at the end of the file.
pub fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match read_some(file, &mut buffer[done..], offset.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Writes all of `bytes` from byte `offset` on.
pub fn write_at(file: &File, offset: u64, bytes: &[u8]) -> Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match write_some(file, &bytes[done..], offset.saturating_add(done as u64)) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(unix)]
fn write_some(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(windows)]
fn write_some(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_at_a_place_is_read_there() {
        let file = tempfile::tempfile().unwrap();
        write_at(&file, 3, b"defg").unwrap();
        write_at(&file, 0, b"abc").unwrap();
        let mut read = [0; 10];
        assert_eq!(read_at(&file, 1, &mut read[..3]).unwrap(), 3);
        assert_eq!(&read[..3], b"bcd");
        assert_eq!(read_at(&file, 5, &mut read).unwrap(), 2, "up to the end");
        assert_eq!(read_at(&file, 99, &mut read).unwrap(), 0);
    }
}
