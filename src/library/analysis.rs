//! What the analysis of a file gives the library, and the analysis itself as a function that is handed in.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::audio::FileInfo;
use crate::error::Result;
use crate::features::dimensions::Features;
use crate::library::questions::encodings::Bandwidth;
use crate::progress::Progress;

/// The versions of the code that made an analysis. A track of other versions is done again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Of the features.
    pub features: u32,
    /// Of the fingerprints.
    pub fingerprint: u32,
}

/// A small curve or picture for a track's page: loudness, chroma, tempogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is: "chroma".
    pub name: String,
    /// The unit of its values: "LUFS"; empty for plain numbers.
    pub unit: String,
    /// The time of the first step in seconds.
    pub start_s: f64,
    /// From one step to the next, in seconds.
    pub step_s: f64,
    /// Values of a step: 1 for a curve, 12 for chroma.
    pub width: u32,
    /// The values, step after step.
    pub values: Vec<f32>,
}

/// What was found out about one file.
#[derive(Clone, Debug)]
pub struct TrackAnalysis {
    /// Format, length, tags and pictures.
    pub info: FileInfo,
    /// The 25 dimensions, and why some have no value.
    pub features: Features,
    /// The musical key: "Am".
    pub key: Option<String>,
    /// Up to where there is sound, and how it ends there; none for silence.
    pub bandwidth: Option<Bandwidth>,
    /// The Chromaprint-compatible fingerprint, raw.
    pub chromaprint: Vec<u32>,
    /// The landmarks, in their own compact form.
    pub landmarks: Vec<u8>,
    /// The sketch of the landmarks by which it is told among very many tracks, in its own compact form.
    pub sketch: Vec<u8>,
    /// Curves and pictures for the track's page.
    pub series: Vec<Series>,
    /// What was wrong while it was read, beside [`FileInfo::warnings`].
    pub warnings: Vec<String>,
    /// Where the time went.
    pub seconds: StageSeconds,
}

/// Where the time of an analysis went, in seconds of the thread or device that did it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageSeconds {
    /// Decoding.
    pub decode: f64,
    /// Analysis on the CPU.
    pub analysis: f64,
    /// Work on the GPU.
    pub gpu: f64,
}

impl StageSeconds {
    /// Adds another's.
    pub fn add(&mut self, other: Self) {
        self.decode += other.decode;
        self.analysis += other.analysis;
        self.gpu += other.gpu;
    }
}

/// The analysis of one file: called from several threads at once, it counts frames on its [`Progress`] and stops within
/// 200 ms of a cancel.
pub type Analyse = dyn Fn(&Path, &Progress) -> Result<TrackAnalysis> + Send + Sync;

/// An analysis and the versions of what it makes.
#[derive(Clone)]
pub struct Analyser {
    /// What its results are marked with.
    pub versions: Versions,
    /// What is done to a file.
    pub analyse: Arc<Analyse>,
}

impl Analyser {
    /// An analyser of these versions.
    pub fn new(
        versions: Versions,
        analyse: impl Fn(&Path, &Progress) -> Result<TrackAnalysis> + Send + Sync + 'static,
    ) -> Self {
        Self { versions, analyse: Arc::new(analyse) }
    }
}

impl std::fmt::Debug for Analyser {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Analyser").field("versions", &self.versions).finish_non_exhaustive()
    }
}
