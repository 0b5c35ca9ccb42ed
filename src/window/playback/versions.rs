//! Versions of a recording in the player, for comparisons and blind tests.

use std::ops::Range;
use std::sync::Arc;

use super::{ListeningMode, PlayRequest, PlaybackPage};
use crate::chain::Chain;
use crate::lock::lock;
use crate::playback::{HeardVersion, OpenReader, Side, VersionsSource};
use crate::window::compare::types::{CompareSound, ComparisonHeard};

/// Versions of a recording, of which one is heard.
pub struct Comparison {
    /// The versions.
    pub source: Arc<VersionsSource>,
    /// The values that the versions depend on; `None` for a blind test, which the page does not change.
    pub laid: Option<Laid>,
    /// The part that is repeated, regardless of loop and selection.
    pub passage: Option<Range<u64>>,
    /// The sound of each version of the source.
    pub sounds: Vec<PlayedSound>,
    /// The sound that is heard, and its timeline.
    pub heard: ComparisonHeard,
}

impl PlaybackPage {
    /// Loads versions and plays them from a frame of their timeline, if the request is still the latest.
    pub(in crate::window) fn load_comparison(&self, wish: PlayRequest, comparison: Comparison, from: u64) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        // Versions are heard as the processed side, and have separate gains.
        self.inner.listen(&mut loaded, ListeningMode { side: Side::Processed, matched: false });
        loaded.let_go();
        let source = Arc::clone(&comparison.source);
        loaded.comparison = Some(comparison);
        loaded.load = self.inner.player.load_at(Some(source), Chain::default(), from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        self.inner.play(from, None);
    }

    /// Returns the values that the loaded comparison depends on.
    pub(in crate::window) fn comparison(&self) -> Option<Laid> {
        lock(&self.inner.loaded).comparison.as_ref().and_then(|comparison| comparison.laid)
    }

    /// Chooses the version that is heard, and its gain. `open` is added to the versions if this one is not among them.
    /// Returns `false` if no versions on this timeline are loaded.
    pub(in crate::window) fn hear_comparison(
        &self,
        laid: Laid,
        (sound, gain): (PlayedSound, f32),
        open: OpenReader,
    ) -> bool {
        let mut loaded = lock(&self.inner.loaded);
        let Some(comparison) = loaded.comparison.as_mut().filter(|comparison| comparison.laid == Some(laid)) else {
            return false;
        };
        let known = comparison.sounds.iter().position(|played| *played == sound);
        let version = known.unwrap_or(comparison.sounds.len());
        if known.is_none() {
            comparison.source.add(open);
            comparison.sounds.push(sound);
        }
        comparison.heard.sound = Some(sound.0);
        comparison.source.hear(HeardVersion { version, gain });
        self.inner.player.set_chain(Chain::default());
        true
    }

    /// Chooses which of a blind test's sounds is heard, by its index. Returns `false` if no blind test is loaded.
    pub(in crate::window) fn hear_blind(&self, heard: HeardVersion) -> bool {
        let loaded = lock(&self.inner.loaded);
        let Some(comparison) = loaded.comparison.as_ref().filter(|comparison| comparison.laid.is_none()) else {
            return false;
        };
        comparison.source.hear(heard);
        self.inner.player.set_chain(Chain::default());
        true
    }

    /// Unloads the versions.
    pub(in crate::window) fn end_comparison(&self) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.comparison.take().is_some() {
            loaded.load = self.inner.player.load(None, Chain::default());
            loaded.from = 0;
        }
    }
}

/// The values that all sounds depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laid {
    /// The reference, whose timeline they use.
    pub reference: u32,
    /// Their channels.
    pub channels: usize,
}

/// A sound in the player, and whether a difference is taken at equal levels.
pub type PlayedSound = (CompareSound, bool);
