//! Computes both fingerprints in one pass over a stream.

use super::chromaprint::Items;
use super::front::{Front, SourceFormat};
use super::landmark::{LandmarkExtractor, Landmarks};
use base::error::Result;

/// The fingerprints of one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprints {
    /// Chromaprint's items.
    pub chromaprint: Vec<u32>,
    /// The landmarks.
    pub landmarks: Landmarks,
}

/// Computes both fingerprints of a stream, block by block.
pub struct Listener {
    front: Front,
    items: Items,
    landmarks: LandmarkExtractor,
    mono: Vec<f32>,
}

impl Listener {
    /// Creates a listener for a stream. The Chromaprint fingerprint covers the first `length_s` seconds, or the whole
    /// stream if `length_s` is 0.
    pub fn new(source: SourceFormat, length_s: f64) -> Result<Self> {
        Ok(Self {
            front: Front::new(source)?,
            items: Items::new(length_s),
            landmarks: LandmarkExtractor::default(),
            mono: Vec::new(),
        })
    }

    /// Takes the next frames, one slice per channel.
    pub fn push(&mut self, planes: &[&[f32]]) -> Result<()> {
        self.mono.clear();
        self.front.push(planes, &mut self.mono)?;
        self.heard();
        Ok(())
    }

    /// Same as [`Listener::push`], for interleaved samples.
    pub fn push_interleaved(&mut self, samples: &[f32]) -> Result<()> {
        self.mono.clear();
        self.front.push_interleaved(samples, &mut self.mono)?;
        self.heard();
        Ok(())
    }

    fn heard(&mut self) {
        self.items.push(&self.mono);
        self.landmarks.push(&self.mono);
    }

    /// Ends the stream and returns the fingerprints.
    pub fn finish(mut self) -> Fingerprints {
        self.mono.clear();
        let Self { front, mut items, mut landmarks, mut mono } = self;
        front.finish(&mut mono);
        items.push(&mono);
        landmarks.push(&mono);
        Fingerprints { chromaprint: items.finish(), landmarks: landmarks.finish() }
    }
}
