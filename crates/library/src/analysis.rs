//! The result of analysing a file, and the analysis itself as a function supplied by the caller.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::encodings::Bandwidth;
use analysis::features::dimensions::Features;
use audio::FileInfo;
use base::declared::TS;
use base::error::Result;
use base::progress::Progress;

/// Versions of the code that made an analysis. A track analysed by other versions is analysed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Version of the features.
    pub features: u32,
    /// Version of the fingerprints.
    pub fingerprint: u32,
}

/// A curve (width 1) or an image (rows of `width` values) over a track's time.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "SeriesView")]
pub struct Series {
    /// `chroma`, `tempogram`, `loudness`, ...
    pub name: String,
    /// The unit of the values, such as "LUFS"; empty if they have none.
    pub unit: String,
    /// The time of the first row, in seconds.
    pub start_s: f64,
    /// The time from one row to the next, in seconds.
    pub step_s: f64,
    /// The number of values in a row.
    pub width: u32,
    /// The values, row after row; not finite, and null in JSON, where there is no value.
    #[ts(as = "Vec<Option<f32>>")]
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
    pub seconds: AnalysisSeconds,
}

/// Time spent in each stage of an analysis, in seconds of the thread or device that did the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisSeconds {
    /// Decoding.
    pub decode: f64,
    /// Analysis on the CPU.
    pub analysis: f64,
    /// Work on the GPU.
    pub gpu: f64,
}

impl AnalysisSeconds {
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
