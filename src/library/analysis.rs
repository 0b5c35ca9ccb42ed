//! The result of analysing a file, and the analysis itself as a function supplied by the caller.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::audio::FileInfo;
use crate::error::Result;
use crate::features::dimensions::Features;
use crate::library::questions::encodings::Bandwidth;
use crate::progress::Progress;

/// Versions of the code that made an analysis. A track analysed by other versions is analysed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Version of the features.
    pub features: u32,
    /// Version of the fingerprints.
    pub fingerprint: u32,
}

/// A small curve or picture for a track's page: loudness, chroma, tempogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name, such as "chroma".
    pub name: String,
    /// Unit of the values, such as "LUFS"; empty for dimensionless values.
    pub unit: String,
    /// Time of the first step in seconds.
    pub start_s: f64,
    /// Duration of a step in seconds.
    pub step_s: f64,
    /// Values per step: 1 for a curve, 12 for chroma.
    pub width: u32,
    /// The values, step by step.
    pub values: Vec<f32>,
}

/// The result of analysing one file.
#[derive(Clone, Debug)]
pub struct TrackAnalysis {
    /// Format, length, tags and pictures.
    pub info: FileInfo,
    /// The 25 dimensions, with the reasons for missing values.
    pub features: Features,
    /// The musical key, such as "Am".
    pub key: Option<String>,
    /// The bandwidth and how the spectrum ends; `None` for silence.
    pub bandwidth: Option<Bandwidth>,
    /// The raw Chromaprint fingerprint.
    pub chromaprint: Vec<u32>,
    /// The encoded landmarks.
    pub landmarks: Vec<u8>,
    /// The encoded sketch of the landmarks, which finds candidates among very many tracks.
    pub sketch: Vec<u8>,
    /// Curves and pictures for the track's page.
    pub series: Vec<Series>,
    /// Problems while reading, in addition to [`FileInfo::warnings`].
    pub warnings: Vec<String>,
    /// Time spent in each stage.
    pub seconds: StageSeconds,
}

/// Time spent in each stage of an analysis, in seconds of the thread or device that did the work.
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
    /// Adds the times of another analysis.
    pub fn add(&mut self, other: Self) {
        self.decode += other.decode;
        self.analysis += other.analysis;
        self.gpu += other.gpu;
    }
}

/// Analyses one file. The function is called from several threads at once, counts frames on its [`Progress`], and stops
/// within 200 ms of a cancellation.
pub type Analyse = dyn Fn(&Path, &Progress) -> Result<TrackAnalysis> + Send + Sync;

/// An analysis function and the versions of its results.
#[derive(Clone)]
pub struct Analyser {
    /// The versions recorded with the results.
    pub versions: Versions,
    /// The function that analyses a file.
    pub analyse: Arc<Analyse>,
}

impl Analyser {
    /// Creates an analyser of the given versions.
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
