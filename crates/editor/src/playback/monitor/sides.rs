//! The side that is not heard, at the moments that are.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::deck::Decks;
use super::super::output::OutputInfo;
use super::super::source::{PlaybackSource, Side};
use super::scene::{HeardSegment, Scene};
use audio::AudioBuffer;
use base::error::{Error, Result};
use effects::chain::{Chain, MeasuredMap, TimeMapping};

/// Reads the unheard side through separate decks.
#[derive(Default)]
pub(super) struct OtherSide {
    source: Option<Arc<dyn PlaybackSource>>,
    output: Option<OutputInfo>,
    opened: Option<u64>,
    chain: Chain,
    measured: MeasuredMap,
    changes: u64,
    gain: f32,
    heard: VecDeque<HeardSegment>,
    decks: Option<Decks>,
    /// The number of chain changes that the decks have applied.
    applied: u64,
    /// The settings that each deck is configured for.
    configured: [Option<(HeardSegment, f32)>; 2],
    failed: bool,
    block: AudioBuffer,
}

impl OtherSide {
    /// Takes over the engine's source and settings.
    pub fn follow(&mut self, scene: &Scene) {
        if self.opened != Some(scene.opened) {
            self.opened = Some(scene.opened);
            self.source.clone_from(&scene.source);
            self.output.clone_from(&scene.output);
            self.decks = None;
            self.failed = false;
        }
        if self.changes != scene.changes || self.decks.is_none() {
            self.changes = scene.changes;
            self.chain.clone_from(&scene.chain);
            self.measured.clone_from(&scene.measured);
            self.failed = false;
        }
        self.gain = scene.processed_gain;
        if self.heard != scene.heard {
            self.heard.clone_from(&scene.heard);
        }
    }

    /// Returns whether the recording is mono.
    pub fn is_mono(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.format().channels == 1)
    }

    /// Returns whether the other side could be read.
    pub fn is_there(&self) -> bool {
        self.decks.is_some() && !self.failed
    }

    /// Returns the side that is heard at a clock, and the clock up to which that holds.
    pub fn at(&self, clock: u64) -> (Side, u64) {
        let next = self.heard.iter().find(|heard| heard.clock > clock).map_or(u64::MAX, |heard| heard.clock);
        (self.heard_at(clock).map_or(Side::default(), |heard| heard.side), next)
    }

    fn heard_at(&self, clock: u64) -> Option<&HeardSegment> {
        self.heard.iter().rev().find(|heard| heard.clock <= clock)
    }

    /// Reads `frames` frames of the other side from a clock on, fewer where it ends. Returns an empty buffer if it
    /// cannot be read.
    pub fn read(&mut self, clock: u64, frames: usize, channels: usize) -> &AudioBuffer {
        self.block.resize(channels, 0);
        self.block.clear();
        if !self.failed
            && let Some(heard) = self.heard_at(clock).cloned()
        {
            self.failed = self.try_read(&heard, clock, frames).is_err();
        }
        &self.block
    }

    fn try_read(&mut self, heard: &HeardSegment, clock: u64, frames: usize) -> Result<()> {
        let (Some(source), Some(output)) = (&self.source, &self.output) else { return Ok(()) };
        let decks = match &mut self.decks {
            Some(decks) => decks,
            none => {
                self.applied = self.changes;
                self.configured = [None, None];
                none.insert(Decks::new(source.as_ref(), &self.chain, &self.measured, output)?.0)
            }
        };
        // If a chain maps time differently, the other side has no corresponding moment.
        if heard.timeline.mapping != TimeMapping::IDENTITY {
            return Err(no_such_moment());
        }
        let (side, gain) = match heard.side {
            Side::Original => (Side::Processed, self.gain),
            Side::Processed => (Side::Original, 1.0),
        };
        let frame = heard.timeline.output_frame(clock);
        let place = usize::from(side == Side::Processed);
        let mut moved = decks.position(side) != frame;
        if !self.configured[place].as_ref().is_some_and(|(known, at)| known == heard && *at == gain) {
            decks.configure(side, heard.timeline.repeat.clone(), heard.end, gain);
            self.configured[place] = Some((heard.clone(), gain));
            moved = true;
        }
        if side == Side::Processed && self.applied != self.changes {
            self.applied = self.changes;
            // As in playback, a chain that cannot run leaves the previous one in force.
            let _ = decks.set_chain(&self.chain, &self.measured, frame);
            moved = true;
        }
        if decks.time_mapping(side) != TimeMapping::IDENTITY {
            return Err(no_such_moment());
        }
        if moved {
            decks.seek(side, frame)?;
        }
        decks.read(side, frames, &mut self.block)
    }
}

fn no_such_moment() -> Error {
    Error::unsupported("Switching sides at the same moment", "The chain changes the length")
}
