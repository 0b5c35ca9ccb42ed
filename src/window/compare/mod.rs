//! The page that compares versions of a recording.
//!
//! ```text
//! dialogs, drops, documents -> versions -> compared one after another as a job (run) -> table, curves, export
//!           `-> kept on disk      `-> sounds on the reference's timeline -> player, pictures
//! ```

#![allow(clippy::result_large_err, reason = "failures are kept with their versions, not handed up")]

mod blind;
pub mod commands;
mod export;
mod list;
mod pictures;
mod playing;
mod run;
mod sounds;
mod stored;
pub mod types;
mod version;
mod view;

pub(super) use blind::BlindVersion;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use sounds::Sound;
use version::{Opened, Version};

use self::types::{CompareSound, CompareView};
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::compare::{Comparison, Lay};
use crate::error::{Error, Failure, Result};
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::editor::spectrograms::SpectrogramTiles;
use crate::window::event::Event;
use crate::window::jobs::JobId;
use crate::window::playback::{Laid, PlaybackPage};

/// The greatest number of versions.
const MAX_VERSIONS: usize = 64;
/// The gain of differences, in dB.
const DIFFERENCE_GAIN_DB: std::ops::RangeInclusive<f64> = -40.0..=80.0;

/// The page of comparisons.
pub struct ComparePage {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    spectrograms: Arc<SpectrogramTiles>,
    playback: Arc<PlaybackPage>,
    state: Mutex<State>,
    /// Whether the list of the last start was restored.
    restored: Mutex<bool>,
    /// Whether dropped files become versions because the page is shown.
    takes_drops: AtomicBool,
    /// The progress of tile requests that have not been answered yet, by the numbers that the window gave them.
    tiles: Mutex<HashMap<u32, Progress>>,
}

/// The versions and their results.
struct State {
    versions: Vec<Version>,
    reference: Option<u32>,
    /// Whether versions are brought to the level of the reference before they are measured.
    match_level: bool,
    /// The results of comparisons, kept so that going back to an earlier reference or level setting needs no new
    /// comparison.
    pairs: HashMap<Pairing, Result<Arc<Compared>, Failure>>,
    /// The job and the version that it compares now.
    running: Option<(JobId, Option<u32>)>,
    matched: bool,
    difference_gain_db: f64,
    heard: Option<CompareSound>,
    laid: Option<Laid>,
    /// Counts changes of the sounds.
    revision: u32,
    sounds: HashMap<CompareSound, Arc<Sound>>,
    next: u32,
}

/// The values that a comparison depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pairing {
    reference: u32,
    version: u32,
    match_level: bool,
}

/// A version that was compared with a reference.
struct Compared {
    comparison: Comparison,
    lay: Lay,
    /// The frames of the timeline for which the version has frames.
    common: Range<u64>,
    /// The integrated loudness of the reference and of the version on its timeline, in LUFS.
    lufs: [Option<f64>; 2],
}

impl ComparePage {
    /// Creates the page, without versions.
    pub fn new(
        workspace: Arc<Workspace>,
        jobs: Arc<Jobs>,
        spectrograms: Arc<SpectrogramTiles>,
        playback: Arc<PlaybackPage>,
    ) -> Self {
        let state = State {
            versions: Vec::new(),
            reference: None,
            match_level: false,
            pairs: HashMap::new(),
            running: None,
            matched: true,
            difference_gain_db: 0.0,
            heard: None,
            laid: None,
            revision: 0,
            sounds: HashMap::new(),
            next: 1,
        };
        let (takes_drops, tiles) = (AtomicBool::new(false), Mutex::default());
        Self {
            workspace,
            jobs,
            spectrograms,
            playback,
            state: Mutex::new(state),
            restored: Mutex::default(),
            takes_drops,
            tiles,
        }
    }

    /// Whether dropped files become versions.
    pub fn takes_drops(&self) -> bool {
        self.takes_drops.load(Ordering::Relaxed)
    }

    /// Cancels all drawing, and ends its threads.
    pub fn stop(&self) {
        lock(&self.tiles).values().for_each(Progress::cancel);
        let sounds = std::mem::take(&mut lock(&self.state).sounds);
        drop(sounds);
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn tell(&self) {
        let compare: CompareView = self.locked().view();
        self.workspace.host.emit(Event::Compare { compare });
    }
}

impl State {
    fn version(&self, id: u32) -> Result<&Version> {
        let found = self.versions.iter().find(|version| version.id == id);
        found.ok_or_else(|| Error::NotFound { what: "version", name: id.to_string() })
    }

    /// Returns a version that can be read.
    fn opened(&self, id: u32) -> Result<&Opened> {
        let version = self.version(id)?;
        let failed = |failure: &Failure| Error::impossible(format!("{}: {}", version.name, failure.message));
        version.opened.as_ref().map_err(failed)
    }

    /// Returns the reference, if it can be read.
    fn reference(&self) -> Option<(u32, &Opened)> {
        let id = self.reference?;
        self.opened(id).ok().map(|opened| (id, opened))
    }

    /// Returns the result of comparing a version with the reference.
    fn compared(&self, id: u32) -> Option<&Result<Arc<Compared>, Failure>> {
        self.pairs.get(&self.pairing(self.reference?, id))
    }

    /// Returns a comparison from which to read a version's alignment, which does not depend on the levels.
    fn aligned(&self, id: u32) -> Option<&Result<Arc<Compared>, Failure>> {
        let other = Pairing { match_level: !self.match_level, ..self.pairing(self.reference?, id) };
        self.compared(id).or_else(|| self.pairs.get(&other))
    }

    fn pairing(&self, reference: u32, version: u32) -> Pairing {
        Pairing { reference, version, match_level: self.match_level }
    }

    /// Returns the next version to be compared, with the reference.
    fn next_waiting(&self) -> Option<Pairing> {
        self.waiting().next()
    }

    /// Returns the comparisons with the reference that are still to be made.
    fn waiting(&self) -> impl Iterator<Item = Pairing> {
        let reference = self.reference().map(|(id, _)| id);
        let readable = self.versions.iter().filter(|version| version.opened.is_ok());
        let pairs = readable.filter_map(move |version| Some(self.pairing(reference?, version.id)));
        pairs.filter(|pair| pair.version != pair.reference && !self.pairs.contains_key(pair))
    }

    /// Updates the state that depends on the list: the reference is a readable version, and the data of removed
    /// versions is dropped. Returns the removed sounds. Drop them without the lock, because that ends their threads.
    fn settle(&mut self) -> Vec<Arc<Sound>> {
        if self.reference.is_none_or(|id| self.opened(id).is_err()) {
            self.reference = self.versions.iter().find(|version| version.opened.is_ok()).map(|version| version.id);
        }
        let ids: Vec<u32> = self.versions.iter().map(|version| version.id).collect();
        self.pairs.retain(|pair, _| ids.contains(&pair.reference) && ids.contains(&pair.version));
        if self.heard.is_none_or(|sound| !ids.contains(&sound.version())) {
            self.heard = self.reference.map(|version| CompareSound::Version { version });
        }
        let laid = self.reference.zip(self.timeline());
        let laid = laid.map(|(reference, timeline)| Laid { reference, channels: timeline.channels });
        let stays = laid == self.laid;
        if !stays {
            self.laid = laid;
            self.revision += 1;
            self.heard = self.reference.map(|version| CompareSound::Version { version });
        }
        self.drop_sounds(|sound| stays && ids.contains(&sound.version()))
    }

    /// Removes the sounds that are not `kept`.
    fn drop_sounds(&mut self, kept: impl Fn(&CompareSound) -> bool) -> Vec<Arc<Sound>> {
        let gone: Vec<CompareSound> = self.sounds.keys().filter(|sound| !kept(sound)).copied().collect();
        gone.iter().filter_map(|sound| self.sounds.remove(sound)).collect()
    }
}
