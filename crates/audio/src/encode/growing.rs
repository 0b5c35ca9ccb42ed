//! A WAV file that can be read while it is being written, even if the program is killed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::quantize::{QuantizeLevels, Quantizer, cleaned};
use super::{Dither, SampleFormat, wav};
use crate::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::files;

/// The maximum size in bytes of a header that [`repair`] reads.
const HEAD_BYTES: usize = 256;

/// A growing WAV file under its final name. After each [`GrowingWav::renew`], it is complete with all frames written
/// before: the header is rewritten by a single call. Beyond 4 GiB it becomes an RF64 in place.
///
/// Samples are written as they are: without dither, because inputs have 24 bits at most.
#[derive(Debug)]
pub struct GrowingWav {
    file: File,
    path: PathBuf,
    sample: SampleFormat,
    format: AudioFormat,
    header: u64,
    data: u64,
    riff_limit: u64,
    quantizer: Quantizer,
    planar: Vec<Vec<i32>>,
    bytes: Vec<u8>,
    /// The number of bytes that may be written before a fault is injected.
    room: u64,
}

impl GrowingWav {
    /// Creates the file, which must not exist.
    ///
    /// # Errors
    /// [`Error::Limit`] if a frame has more than 65,535 bytes.
    pub fn create(path: &Path, sample: SampleFormat, format: AudioFormat) -> Result<Self> {
        let align = format.channels * sample.bytes();
        if align > usize::from(u16::MAX) || format.channels == 0 {
            return Err(Error::Limit {
                what: "the number of channels of a WAV file".into(),
                got: format.channels.to_string(),
                limit: (usize::from(u16::MAX) / sample.bytes()).to_string(),
            });
        }
        files::check_target(path, false, &files::Protected::default())?;
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| Error::io("create", path, source))?;
        let mut wav = Self {
            file,
            path: path.to_path_buf(),
            sample,
            format,
            header: wav::header_bytes(sample, format),
            data: 0,
            riff_limit: u64::from(u32::MAX),
            quantizer: Quantizer::new(sample.bits(), Dither::None, 0, format.rate.hz(), format.channels),
            planar: vec![Vec::new(); format.channels],
            bytes: Vec::new(),
            room: u64::MAX,
        };
        if let Err(error) = wav.renew() {
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(wav)
    }

    /// Makes writes fail after `bytes` more bytes as on a full disk, so that tests see what becomes of the file.
    pub fn fail_after(&mut self, bytes: u64) {
        self.room = bytes;
    }

    /// Uses RF64 for files of more than `bytes`, so that tests need not write 4 GiB.
    #[cfg(test)]
    pub(crate) fn set_riff_limit(&mut self, bytes: u64) {
        self.riff_limit = bytes;
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the format.
    pub fn format(&self) -> AudioFormat {
        self.format
    }

    /// Returns the number of frames written.
    pub fn frames(&self) -> u64 {
        self.data / self.frame_bytes()
    }

    /// Returns the bytes of a frame.
    pub fn frame_bytes(&self) -> u64 {
        (self.format.channels * self.sample.bytes()) as u64
    }

    /// Returns another handle of the file, through which another thread can sync it to the disk.
    pub fn sync_handle(&self) -> Result<File> {
        self.file.try_clone().map_err(|source| Error::io("write", &self.path, source))
    }

    /// Appends all frames of `audio`. If that fails, for example on a full disk, the frames that were written whole
    /// stay.
    pub fn write(&mut self, audio: &AudioBuffer) -> Result<()> {
        self.bytes.clear();
        if self.sample == SampleFormat::Float32 {
            let mut clean = vec![Vec::new(); audio.channels()];
            let channels: Vec<&[f32]> = audio.iter().zip(&mut clean).map(|(c, clean)| cleaned(c, clean)).collect();
            wav::pack_floats(&channels, &mut self.bytes);
        } else {
            let (frames, mut start) = (audio.frames(), 0);
            let mut levels = QuantizeLevels::default();
            while start < frames {
                let count = self.quantizer.run(start, frames);
                self.quantizer.quantize(audio, start, count, &mut self.planar, &mut levels);
                wav::pack_integers(self.sample, &self.planar, &mut self.bytes);
                start += count;
            }
            self.quantizer.advance(frames);
        }
        let bytes = std::mem::take(&mut self.bytes);
        let written = self.append(&bytes);
        self.data += bytes.len() as u64;
        self.bytes = bytes;
        let Err(source) = written else { return Ok(()) };
        let end = self.file.metadata().map_or(self.header, |found| found.len()).min(self.header + self.data);
        self.data = end.saturating_sub(self.header) / self.frame_bytes() * self.frame_bytes();
        let _ = self.file.set_len(self.header + self.data);
        // The header's place is on the disk already.
        let _ = self.renew();
        Err(Error::io("write", &self.path, source))
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = (bytes.len() as u64).min(self.room);
        self.room -= written;
        self.file.write_all(&bytes[..written as usize])?;
        if written < bytes.len() as u64 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Renews the header, so that the file is complete with all frames written so far.
    pub fn renew(&mut self) -> Result<()> {
        // A pad byte after an odd number of bytes would have to be removed again.
        let head = wav::sized_head(self.sample, self.format, self.data, self.header - 8 + self.data, self.riff_limit);
        write_head(&mut self.file, &head).map_err(|source| Error::io("write", &self.path, source))
    }

    /// Renews the header and syncs the file. Returns the number of frames.
    pub fn finish(mut self) -> Result<u64> {
        self.renew()?;
        if self.data % 2 == 1 {
            // Not vital: readers accept its absence at the end.
            let head =
                wav::sized_head(self.sample, self.format, self.data, self.header - 7 + self.data, self.riff_limit);
            if self.file.write_all(&[0]).is_ok() {
                write_head(&mut self.file, &head).map_err(|source| Error::io("write", &self.path, source))?;
            }
        }
        self.file.sync_all().map_err(|source| Error::io("write", &self.path, source))?;
        Ok(self.frames())
    }
}

fn write_head(file: &mut File, head: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(head)?;
    file.seek(SeekFrom::End(0)).map(drop)
}

/// Gives a file that a killed program left the header of all whole frames in it. Returns their number. The header may
/// lag behind by what was written after it was last renewed.
///
/// # Errors
/// [`Error::Malformed`] if it is not a file of [`GrowingWav`].
pub fn repair(path: &Path) -> Result<u64> {
    let mut file = files::open_with(OpenOptions::new().read(true).write(true), path)?;
    let GrowingFile { sample, format, header, frames } = read_written(&mut file, path)?;
    let data = frames * (format.channels * sample.bytes()) as u64;
    let failed = |source| Error::io("write", path, source);
    file.set_len(header + data).map_err(failed)?;
    let head = wav::sized_head(sample, format, data, header - 8 + data, u64::from(u32::MAX));
    write_head(&mut file, &head).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    Ok(frames)
}

/// Returns the format and the number of all whole frames in a file of [`GrowingWav`], whatever its header says of them.
pub fn written_format(path: &Path) -> Result<(AudioFormat, u64)> {
    let GrowingFile { format, frames, .. } = read_written(&mut files::open(path)?, path)?;
    Ok((format, frames))
}

/// The format and the length of a file of [`GrowingWav`].
struct GrowingFile {
    sample: SampleFormat,
    format: AudioFormat,
    header: u64,
    frames: u64,
}

fn read_written(file: &mut File, path: &Path) -> Result<GrowingFile> {
    let failed = |source| Error::io("read", path, source);
    let mut bytes = Vec::new();
    file.take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    let Some((sample, format, header)) = wav::read_head(&bytes) else {
        return Err(Error::malformed("this is not a recording of this program", path));
    };
    let data = file.metadata().map_err(failed)?.len().saturating_sub(header);
    Ok(GrowingFile { sample, format, header, frames: data / (format.channels * sample.bytes()) as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AudioFile;
    use base::units::SampleRate;

    fn format(channels: usize) -> AudioFormat {
        AudioFormat::new(SampleRate::new(48_000).unwrap(), channels)
    }

    /// Values with 24 bits.
    fn audio(from: usize, frames: usize, channels: usize) -> AudioBuffer {
        let sample = |n: usize| ((n * 2_654_435_761) % (1 << 24)) as f32 / (1 << 23) as f32 - 1.0;
        let of = |channel: usize| (from..from + frames).map(|n| sample(7 * n + channel)).collect();
        AudioBuffer::from_channels((0..channels).map(of).collect())
    }

    fn read(path: &Path) -> AudioBuffer {
        let file = AudioFile::open(path).unwrap();
        // Warnings may only be about samples written since the last renewal.
        assert!(file.info().warnings.iter().all(|warning| warning.contains("are not read")));
        let mut back = AudioBuffer::default();
        file.reader().unwrap().read(&mut back, usize::MAX).unwrap();
        assert_eq!(back.frames() as u64, file.info().frames);
        back
    }

    #[test]
    fn after_each_renewal_the_file_holds_everything_before_it() {
        let folder = tempfile::tempdir().unwrap();
        for (sample, channels) in
            [(SampleFormat::Int24, 1), (SampleFormat::Int24, 2), (SampleFormat::Float32, 2), (SampleFormat::Float32, 6)]
        {
            for limit in [4_000, u64::from(u32::MAX)] {
                let path = folder.path().join("growing.wav");
                let mut wav = GrowingWav::create(&path, sample, format(channels)).unwrap();
                wav.set_riff_limit(limit);
                let mut written = 0;
                for frames in [1, 333, 1_000, 17] {
                    wav.write(&audio(written, frames, channels)).unwrap();
                    wav.renew().unwrap();
                    written += frames;
                    assert_eq!(read(&path), audio(0, written, channels), "{sample:?} {channels} {limit}");
                    let magic = &std::fs::read(&path).unwrap()[..4];
                    let long = written as u64 * wav.frame_bytes() + wav.header - 8 > limit;
                    assert_eq!(magic, if long { b"RF64" } else { b"RIFF" });
                }
                assert_eq!(wav.finish().unwrap(), written as u64);
                assert_eq!(read(&path), audio(0, written, channels));
                std::fs::remove_file(&path).unwrap();
            }
        }
    }

    #[test]
    fn what_was_written_after_the_last_renewal_is_found_by_a_repair() {
        let folder = tempfile::tempdir().unwrap();
        for sample in [SampleFormat::Int24, SampleFormat::Float32] {
            let path = folder.path().join("killed.wav");
            let mut wav = GrowingWav::create(&path, sample, format(2)).unwrap();
            wav.write(&audio(0, 1_000, 2)).unwrap();
            wav.renew().unwrap();
            wav.write(&audio(1_000, 500, 2)).unwrap();
            // Killed in the middle of a frame.
            wav.file.write_all(&[1, 2, 3]).unwrap();
            drop(wav);
            assert_eq!(read(&path), audio(0, 1_000, 2), "readable as it is");
            assert_eq!(repair(&path).unwrap(), 1_500);
            assert_eq!(read(&path), audio(0, 1_500, 2));
            std::fs::remove_file(&path).unwrap();
        }
        let other = folder.path().join("other.wav");
        std::fs::write(&other, b"RIFF\x24\0\0\0WAVEfmt ").unwrap();
        assert!(matches!(repair(&other), Err(Error::Malformed { .. })));
        assert_eq!(std::fs::read(&other).unwrap(), b"RIFF\x24\0\0\0WAVEfmt ", "and it is left alone");
    }

    #[test]
    fn on_a_full_disk_all_that_was_written_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        for room in [600, 1_234, 6_001] {
            let path = folder.path().join("full.wav");
            let mut wav = GrowingWav::create(&path, SampleFormat::Int24, format(2)).unwrap();
            wav.fail_after(room);
            let blocks = (0..20).map(|n| wav.write(&audio(n * 100, 100, 2)));
            let failed = blocks.into_iter().find_map(Result::err).unwrap();
            assert!(failed.to_string().starts_with("The disk is full."), "{failed}");
            assert_eq!(wav.frames(), room / 6);
            assert_eq!(read(&path), audio(0, (room / 6) as usize, 2));
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn an_existing_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there.wav");
        std::fs::write(&path, "mine").unwrap();
        let refused = GrowingWav::create(&path, SampleFormat::Int24, format(1));
        assert!(matches!(refused, Err(Error::Refused { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
