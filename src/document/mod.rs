//! Documents: sources, edit list, chain, selection; history; the session on disk.

mod clip;
mod history;
mod racks;
mod reader;
pub mod session;
mod source;
mod state;
pub(crate) mod stored_path;

pub use clip::{Clip, EditList};
pub use history::{History, MAX_STEPS, Step};
pub use racks::Rack;
pub use reader::DocumentReader;
pub use source::{ContentKey, FileStamp, Source, SourceState, SourceSummary};

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::audio::{AudioFormat, AudioReader};
use crate::chain::Chain;
use crate::error::{Error, Result};

/// What the user works on: recordings, the ranges of them that are heard, and the chain they go through. Everything in
/// it is undone and done again together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The recordings.
    pub sources: Vec<Source>,
    /// What is heard of them.
    pub edits: EditList,
    /// What it goes through: the rack that is heard and edited.
    pub chain: Chain,
    /// Which of the two racks that is.
    #[serde(default)]
    pub rack: Rack,
    /// The other rack, to compare with.
    #[serde(default)]
    pub resting: Chain,
    /// Selected frames of the document, the end excluded.
    #[serde(default)]
    pub selection: Option<FrameRange>,
    /// Selected frequencies in that range; none is all of them.
    #[serde(default)]
    pub band: Option<Band>,
}

/// A frequency band, `low_hz < high_hz`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(rename = "FrequencyBand")]
pub struct Band {
    /// The lower edge in hertz.
    pub low_hz: f64,
    /// The upper edge in hertz.
    pub high_hz: f64,
}

/// A half-open range of frames; `start < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "Selection")]
pub struct FrameRange {
    /// The first frame.
    pub start: u64,
    /// One past the last frame.
    pub end: u64,
}

impl From<Range<u64>> for FrameRange {
    fn from(Range { start, end }: Range<u64>) -> Self {
        Self { start, end }
    }
}

impl Document {
    /// A document of one whole recording with an empty chain.
    pub fn of_source(source: Source) -> Self {
        let frames = source.summary.frames;
        Self {
            sources: vec![source],
            edits: EditList { clips: vec![Clip::whole(0, frames)] },
            chain: Chain::default(),
            rack: Rack::A,
            resting: Chain::default(),
            selection: None,
            band: None,
        }
    }

    /// Rate and channels of its sources.
    ///
    /// # Errors
    /// [`Error::Invalid`] without a source.
    pub fn format(&self) -> Result<AudioFormat> {
        let first =
            self.sources.first().ok_or_else(|| Error::invalid("sources of a document", "none", "one or more"))?;
        Ok(first.summary.format)
    }

    /// Whether it is one recording from beginning to end as it is.
    pub fn is_whole(&self) -> bool {
        matches!((&*self.sources, &*self.edits.clips), ([source], [clip]) if *clip == Clip::whole(0, source.summary.frames))
    }

    /// Its length in frames.
    pub fn frames(&self) -> u64 {
        self.edits.frames()
    }

    /// Reads what is heard before the chain; `open` opens a source.
    ///
    /// # Errors
    /// What `open` fails with; [`Error::Unsupported`] for sources of different formats; [`Error::Invalid`] when the
    /// edit list does not fit what was opened.
    pub fn reader(&self, mut open: impl FnMut(&Source) -> Result<Box<dyn AudioReader>>) -> Result<DocumentReader> {
        let sources = self.sources.iter().map(&mut open).collect::<Result<Vec<_>>>()?;
        DocumentReader::new(sources, self.edits.clone())
    }

    /// What tells this sound before its chain from any other, as the key of what is computed from it: the contents of
    /// the sources, their files' lengths and times of change, and the edit list.
    pub fn content_key(&self) -> ContentKey {
        let mut parts = vec![serde_json::to_string(&self.edits).unwrap_or_default()];
        for source in &self.sources {
            parts.push(source.content_key.as_str().to_owned());
            parts.push(format!("{} {}", source.stamp.bytes, source.stamp.modified_ns));
        }
        ContentKey::of_parts(parts.iter().map(String::as_str))
    }
}
