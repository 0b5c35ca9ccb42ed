//! Versions of one recording as a playback source: any number of them, one of which is heard.
//!
//! All have the same rate, channels and length, and frame `n` of each is the same moment. The choice is applied where a
//! chain would be, so that playback cross-fades from one version to the other at the same frame, without a gap.

use std::collections::HashMap;
use std::sync::Arc;

use super::lock::Mutex;
use super::preview::OpenReader;
use super::source::{MatchingGain, PlaybackSource, PreviewRender};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;
use effects::chain::{Chain, MeasuredMap};

/// The version that is heard, by its place in the list, and its gain, linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeardVersion {
    /// Its place in the list.
    pub version: usize,
    /// The gain, linear.
    pub gain: f32,
}

/// Versions of one recording. The first one is the original side.
pub struct VersionsSource {
    shared: Arc<Shared>,
    format: AudioFormat,
    frames: u64,
}

struct Shared {
    versions: Mutex<Vec<OpenReader>>,
    heard: Mutex<HeardVersion>,
}

impl Shared {
    fn open(&self, version: usize) -> Result<Box<dyn AudioReader>> {
        let (found, count) = {
            let versions = self.versions.lock();
            (versions.get(version).cloned(), versions.len())
        };
        let none = || Error::invalid("version to hear", version.to_string(), format!("below {count}"));
        found.ok_or_else(none)?()
    }
}

impl VersionsSource {
    /// Creates a source and opens the version that is heard.
    pub fn new(versions: Vec<OpenReader>, heard: HeardVersion) -> Result<Self> {
        let shared = Arc::new(Shared { versions: Mutex::new(versions), heard: Mutex::new(heard) });
        let opened = shared.open(heard.version)?;
        let (format, frames) = (opened.format(), opened.frames());
        Ok(Self { shared, format, frames })
    }

    /// Adds a version behind the others. It must have their rate, channels and length.
    pub fn add(&self, version: OpenReader) {
        self.shared.versions.lock().push(version);
    }

    /// Chooses the version to hear, from the next [`super::Player::set_chain`] on.
    pub fn hear(&self, heard: HeardVersion) {
        *self.shared.heard.lock() = heard;
    }
}

impl PlaybackSource for VersionsSource {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        self.shared.open(0)
    }

    fn processed(&self, _: &Chain, _: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        let mut preview = VersionsPreview {
            shared: Arc::clone(&self.shared),
            readers: HashMap::new(),
            heard: *self.shared.heard.lock(),
            format: self.format,
            frames: self.frames,
            position: 0,
        };
        preview.take_up(preview.heard)?;
        Ok(Box::new(preview))
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }

    // Each version has its gain already.
    fn matching_gain(&self) -> MatchingGain {
        MatchingGain::Exact(0.0)
    }
}

/// The version that is heard, as a stream that changes to another one at its position.
struct VersionsPreview {
    shared: Arc<Shared>,
    /// Those that were heard so far.
    readers: HashMap<usize, Box<dyn AudioReader>>,
    heard: HeardVersion,
    format: AudioFormat,
    frames: u64,
    position: u64,
}

impl VersionsPreview {
    /// Changes to a version. On an error the one before stays.
    fn take_up(&mut self, heard: HeardVersion) -> Result<()> {
        if !self.readers.contains_key(&heard.version) {
            let reader = self.shared.open(heard.version)?;
            let (format, frames) = (reader.format(), reader.frames());
            if (format, frames) != (self.format, self.frames) {
                let got = format!("{format:?}, {frames} frames");
                return Err(Error::Internal(format!("versions must be laid on one timeline, but one has {got}")));
            }
            self.readers.insert(heard.version, reader);
        }
        self.heard = heard;
        Ok(())
    }
}

impl AudioReader for VersionsPreview {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let HeardVersion { version, gain } = self.heard;
        let reader = self.readers.get_mut(&version);
        let reader = reader.ok_or_else(|| Error::Internal("a version that is heard is not open".to_owned()))?;
        if reader.position() != self.position {
            reader.seek(self.position)?;
        }
        reader.read(out, frames)?;
        self.position += out.frames() as u64;
        if gain != 1.0 {
            out.iter_mut().flatten().for_each(|sample| *sample *= gain);
        }
        Ok(())
    }
}

impl PreviewRender for VersionsPreview {
    fn set_chain(&mut self, _: &Chain, _: &MeasuredMap) -> Result<()> {
        let wanted = *self.shared.heard.lock();
        self.take_up(wanted)
    }
}

#[cfg(test)]
mod tests;
