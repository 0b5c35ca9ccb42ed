//! Both fingerprints in one pass over a stream.

use super::chromaprint::Items;
use super::front::{Front, Source};
use super::landmark::{Landmarks, Listening};
use crate::error::Result;

/// What a recording is known again by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprints {
    /// Chromaprint's items.
    pub chromaprint: Vec<u32>,
    /// The landmarks.
    pub landmarks: Landmarks,
}

/// Takes a stream's fingerprints, block after block.
pub struct Listener {
    front: Front,
    items: Items,
    landmarks: Listening,
    mono: Vec<f32>,
}

impl Listener {
    /// Of a stream; Chromaprint's of its first `length_s` seconds, 0 being all.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for no channel.
    pub fn new(source: Source, length_s: f64) -> Result<Self> {
        Ok(Self {
            front: Front::new(source)?,
            items: Items::new(length_s),
            landmarks: Listening::default(),
            mono: Vec::new(),
        })
    }

    /// Takes the next frames, one slice a channel.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for another number of channels, or channels of different lengths.
    pub fn push(&mut self, planes: &[&[f32]]) -> Result<()> {
        self.mono.clear();
        self.front.push(planes, &mut self.mono)?;
        self.heard()
    }

    /// As [`Listener::push`], of frames whose samples stand side by side.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for a length that is no multiple of the channels.
    pub fn push_interleaved(&mut self, samples: &[f32]) -> Result<()> {
        self.mono.clear();
        self.front.push_interleaved(samples, &mut self.mono)?;
        self.heard()
    }

    fn heard(&mut self) -> Result<()> {
        self.items.push(&self.mono)?;
        self.landmarks.push(&self.mono)
    }

    /// The fingerprints.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when a transform refuses, which it never does.
    pub fn finish(mut self) -> Result<Fingerprints> {
        self.mono.clear();
        let Self { front, mut items, mut landmarks, mut mono } = self;
        front.finish(&mut mono);
        items.push(&mono)?;
        landmarks.push(&mono)?;
        Ok(Fingerprints { chromaprint: items.finish(), landmarks: landmarks.finish() })
    }
}
