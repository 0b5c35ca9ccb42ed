//! Separating recordings into stems: requests, and what is known in advance.

use serde::{Deserialize, Serialize};

use crate::device::DeviceReport;
use crate::document::TrackId;
use crate::window::moment::Moment;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;
use base::stem::StemKind;

/// The recordings to separate.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StemsSource {
    /// A track of a document before its rack; null for the one in front.
    Document {
        /// The document.
        document: DocumentId,
        /// The track.
        track: Option<TrackId>,
    },
    /// Tracks of the library.
    Tracks {
        /// Their IDs.
        tracks: Vec<i64>,
    },
}

/// A model that separates.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct StemsModel {
    /// The handle.
    pub id: String,
    /// The name.
    pub title: String,
    /// A sentence on the results to expect.
    pub note: String,
    /// The sets of stems that it produces. Only stems of one set can be requested together.
    pub sets: Vec<Vec<StemKind>>,
    /// The available qualities, the default first; empty if there is no choice.
    pub qualities: Vec<String>,
}

/// The details of a separation that are known before it begins.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct StemsOutlook {
    /// The number of recordings.
    pub recordings: usize,
    /// The name of the first recording.
    pub name: String,
    /// The length of all recordings in seconds.
    pub seconds: f64,
    /// The number of recordings whose stems are in the cache.
    pub cached: usize,
    /// The device that it will run on, and why.
    pub device: DeviceReport,
    /// The expected time in seconds at the speed of the last runs; null if none was measured.
    pub expected_s: Option<f64>,
    /// Why it cannot begin; null if it can.
    pub problem: Option<String>,
    /// Warnings: files that cannot be read, a recording that is too short.
    pub warnings: Vec<String>,
}

/// The handle of a recording in the queue, waiting or in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StemsTask(pub u32);

base::declared_as!(StemsTask, u32);

/// The recordings to separate, one after the other, or one on each of several devices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct StemsQueue {
    /// When this view was taken.
    pub moment: Moment,
    /// The separation in progress; of several, the one that started first. It can be played.
    pub running: Option<StemsRunning>,
    /// The others in progress.
    pub beside: Vec<StemsRunning>,
    /// The waiting recordings, in order.
    pub waiting: Vec<StemsWaiting>,
}

/// A recording that waits to be separated.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct StemsWaiting {
    /// The handle.
    pub task: StemsTask,
    /// The name.
    pub name: String,
    /// The length in seconds.
    pub seconds: f64,
}

/// The recording that is being separated.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct StemsRunning {
    /// The handle.
    pub task: StemsTask,
    /// The name.
    pub name: String,
    /// The resulting stems, in the order of its parts.
    pub stems: Vec<StemKind>,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The length in frames.
    pub frames: u64,
    /// The number of frames whose stems are computed and can be played.
    pub settled_frames: u64,
    /// Why it cannot be played before it is done; null if it can.
    pub problem: Option<String>,
}

/// A recording that is heard while it is being separated.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct StemsHeard {
    /// The recording.
    pub task: StemsTask,
    /// The stems that are heard.
    pub stems: Vec<StemKind>,
    /// Whether playback stopped where the stems are not computed yet.
    pub held: bool,
}
