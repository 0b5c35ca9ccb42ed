//! Playback: transport, outputs, meters.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::chain::NodeId;
use crate::document::TrackId;
use crate::playback::{Side, Transport};
use crate::window::compare::types::ComparisonHeard;
use crate::window::library::types::AuditionView;
use crate::window::moment::Moment;
use crate::window::stems::types::StemsHeard;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;

/// The state of playback.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TransportView {
    /// When this view was taken.
    pub moment: Moment,
    /// The document that is loaded.
    pub document: Option<DocumentId>,
    /// The library audition that is loaded. No document is loaded then, and frames count in the audition's common time.
    pub audition: Option<AuditionView>,
    /// The versions that are loaded. No document is loaded then, and frames count on their timeline.
    pub comparison: Option<ComparisonHeard>,
    /// The recording that is heard while it is being separated. No document is loaded then, and frames count in the
    /// recording.
    pub stems: Option<StemsHeard>,
    /// The side of documents that is heard, now or when one is played next. While an audition is heard, its side
    /// differs.
    pub documents_side: Side,
    /// The documents whose loudness is matched.
    pub matched_documents: Vec<DocumentId>,
    /// The state of the player, in the document's frames.
    #[serde(flatten)]
    pub player: Transport,
}

/// The levels of the sound that is heard, over about the last 50 ms.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct Meters {
    /// Sample peak of each channel in dBFS; null for silence.
    pub peak_db: Vec<Option<f64>>,
    /// RMS of each channel in dBFS; null for silence.
    pub rms_db: Vec<Option<f64>>,
    /// The number of samples beyond full scale since playback started.
    pub clipped: u64,
    /// The current gain reduction of the chain's nodes in dB, 0 or more.
    pub reductions: BTreeMap<NodeId, f64>,
    /// Sample peak in dBFS of each track that is heard, as it enters the sum; null for silence. Empty without several
    /// tracks.
    pub tracks: BTreeMap<TrackId, Option<f64>>,
}
