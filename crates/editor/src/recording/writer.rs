//! The file of a running recording.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Journal, LostPart, Take};
use audio::encode::GrowingWav;
use audio::{AudioBuffer, AudioFormat};
use base::error::Result;

/// How often the header is renewed while frames come. A killed program loses at most what came since.
const RENEW_EVERY: Duration = Duration::from_millis(400);
/// How often the file is synced and the free space is read.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// The most lost parts whose places are kept.
const MAX_LOST: usize = 1_000;
/// Frames of silence written at once.
const SILENCE_FRAMES: u64 = 1 << 16;
/// The free space before it was read for the first time.
const UNKNOWN: u64 = u64::MAX;

/// Writes a recording. The file is synced by another thread, because a disk may take seconds for that.
pub(super) struct Writer {
    wav: GrowingWav,
    journal: Option<Journal>,
    /// The frames until it has its length.
    rest: u64,
    renewed: (Instant, u64),
    free_bytes: Arc<AtomicU64>,
    _syncs: Sender<()>,
    pub lost: Vec<LostPart>,
    pub losses: u64,
}

impl Writer {
    /// Creates the file. `data` is the folder of the journal.
    pub fn begin(take: &Take, format: AudioFormat, data: Option<&Path>, input: &str) -> Result<Self> {
        let wav = GrowingWav::create(&take.path, take.sample, format)?;
        let journal = data.map(|data| Journal::begin(data, &take.path, input, take.belongs.as_ref())).transpose();
        let opened = journal.and_then(|journal| Ok((journal, wav.sync_handle()?)));
        let (journal, file) = opened.inspect_err(|_| drop(fs::remove_file(&take.path)))?;
        let free_bytes = Arc::new(AtomicU64::new(UNKNOWN));
        let (syncs, ended) = channel::<()>();
        let path = std::path::absolute(&take.path).unwrap_or_else(|_| take.path.clone());
        let folder = path.parent().map_or_else(|| path.clone(), Path::to_path_buf);
        let free = Arc::clone(&free_bytes);
        thread::spawn(move || {
            loop {
                if let Ok(bytes) = fs4::available_space(&folder) {
                    free.store(bytes, Ordering::Relaxed);
                }
                if ended.recv_timeout(SYNC_EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                // The next write reports a failure.
                let _ = file.sync_data();
            }
        });
        let rest = take.length_s.map_or(u64::MAX, |seconds| format.rate.frames_from_seconds(seconds));
        let renewed = (Instant::now(), 0);
        Ok(Self { wav, journal, rest, renewed, free_bytes, _syncs: syncs, lost: Vec::new(), losses: 0 })
    }

    pub fn frames(&self) -> u64 {
        self.wav.frames()
    }

    /// Returns whether it has its length.
    pub fn is_full(&self) -> bool {
        self.rest == 0
    }

    /// Returns the seconds for which the disk has space; `None` if that is not known.
    pub fn left_s(&self) -> Option<f64> {
        let free = self.free_bytes.load(Ordering::Relaxed);
        let per_second = self.wav.frame_bytes() as f64 * self.wav.format().rate.as_f64();
        (free != UNKNOWN).then(|| free as f64 / per_second)
    }

    /// Simulates a full disk after `bytes` more bytes.
    #[cfg(test)]
    pub fn fail_after(&mut self, bytes: u64) {
        self.wav.fail_after(bytes);
    }

    /// Appends the frames of a block, up to the length.
    pub fn write(&mut self, block: &AudioBuffer) -> Result<()> {
        let frames = (block.frames() as u64).min(self.rest);
        self.rest -= if self.rest == u64::MAX { 0 } else { frames };
        if frames == block.frames() as u64 {
            return self.wav.write(block);
        }
        let mut part = block.clone();
        part.truncate(frames as usize);
        self.wav.write(&part)
    }

    /// Notes that samples were lost here, and writes silence of their length.
    pub fn lose(&mut self, frames: Option<u64>) -> Result<()> {
        self.losses += 1;
        if self.lost.len() < MAX_LOST {
            let at_s = self.wav.format().rate.seconds_from_frames(self.frames());
            self.lost.push(LostPart { at_s, frames });
        }
        let mut left = frames.unwrap_or(0);
        while left > 0 && !self.is_full() {
            let piece = left.min(SILENCE_FRAMES);
            self.write(&AudioBuffer::new(self.wav.format().channels, piece as usize))?;
            left -= piece;
        }
        Ok(())
    }

    /// Renews the header if that is due.
    pub fn keep_readable(&mut self) -> Result<()> {
        let (at, frames) = self.renewed;
        if at.elapsed() < RENEW_EVERY || frames == self.frames() {
            return Ok(());
        }
        self.renewed = (Instant::now(), self.frames());
        self.wav.renew()
    }

    /// Completes the file and returns its frames. A file without any is removed.
    pub fn end(self) -> Result<u64> {
        let path = self.wav.path().to_path_buf();
        let frames = self.wav.finish();
        if let Some(journal) = self.journal {
            journal.end();
        }
        if matches!(frames, Ok(0)) {
            let _ = fs::remove_file(&path);
        }
        frames
    }
}
