//! The models that separate, and what is wanted of them.

use crate::app::api::{StemsModel, StemsWish};
use crate::app::stem_files::device_for;
use crate::audio::AudioFormat;
use crate::chain::Placement;
use crate::device::DeviceReport;
use crate::document::TrackContent;
use crate::error::{Error, Result};
use crate::stems::{QuickSplit, StemKind};

/// The handle of the model without weights.
const QUICK: &str = "quick";
/// Changes whenever the quick split gives other samples, so that the cache does not give the former ones.
const QUICK_VERSION: u32 = 1;

/// A model with the stems that are wanted of it.
pub(super) struct Chosen {
    /// How it is separated.
    pub split: QuickSplit,
    /// The wanted stems; with the residual as the last one, if it is kept.
    pub stems: Vec<StemKind>,
    /// The model and its version, by which its results and its speed are told from those of others.
    pub key: String,
}

impl Chosen {
    /// Returns the model that a wish names.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown model; [`Error::Invalid`] or [`Error::Impossible`] for stems and qualities
    /// that it does not have.
    pub(super) fn of(wish: &StemsWish) -> Result<Self> {
        if wish.model != QUICK {
            return Err(Error::NotFound { what: "model", name: wish.model.clone() });
        }
        if let Some(quality) = &wish.quality {
            return Err(Error::invalid("quality", quality.as_str(), "none: the quick split has no choice"));
        }
        let mut stems = wish.stems.iter().map(|content| kind_of(*content)).collect::<Result<Vec<_>>>()?;
        if stems.is_empty() {
            return Err(Error::invalid("stems", "none", "one or more"));
        }
        if let Some(twice) = (1..stems.len()).find(|&at| stems[..at].contains(&stems[at])) {
            return Err(Error::invalid("stems", stems[twice].name(), "each once"));
        }
        let split = QuickSplit::of(&stems)?;
        if wish.residual {
            stems.push(StemKind::Residual);
        }
        Ok(Self { split, stems, key: format!("{QUICK} {QUICK_VERSION} {}", split.stems()[0].name()) })
    }

    /// Checks whether recordings of this format can be separated.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the reason.
    pub(super) fn check(&self, format: AudioFormat) -> Result<()> {
        self.split.check(format)
    }

    /// Returns what to know of the stems of a recording of this format and length.
    pub(super) fn warning(&self, format: AudioFormat, frames: u64) -> Option<String> {
        self.split.warning(format, frames)
    }

    /// Returns the device that recordings of so many channels will be separated on, and why.
    pub(super) fn device(&self, channels: usize, placement: &Placement) -> DeviceReport {
        device_for(channels, placement)
    }
}

/// Returns the models that separate.
pub(super) fn models() -> Vec<StemsModel> {
    let set = |split: QuickSplit| split.stems().into_iter().map(content_of).collect();
    vec![StemsModel {
        id: QUICK.to_owned(),
        title: "Quick split".to_owned(),
        note:
            "Rough. It needs no weights: it hears what repeats, what lasts and where a sound stands, but not what an \
               instrument is."
                .to_owned(),
        sets: QuickSplit::ALL.into_iter().map(set).collect(),
        qualities: Vec::new(),
    }]
}

/// Returns the kind of stem that a track of this content is.
fn kind_of(content: TrackContent) -> Result<StemKind> {
    StemKind::named(content.name())
}

/// Returns what a track of such a stem contains.
pub(super) fn content_of(kind: StemKind) -> TrackContent {
    TrackContent::named(kind.name()).unwrap_or(TrackContent::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_stem_has_a_content_of_its_own() {
        for kind in StemKind::ALL {
            assert_eq!(content_of(kind).name(), kind.name());
            assert_eq!(kind_of(content_of(kind)).unwrap(), kind);
        }
    }

    #[test]
    fn a_wish_is_checked() {
        let wish = |stems: &[TrackContent]| StemsWish { stems: stems.to_vec(), ..StemsWish::default() };
        let refused = |wish: &StemsWish| Chosen::of(wish).map(drop).unwrap_err().to_string();
        assert_eq!(Chosen::of(&StemsWish::default()).unwrap().split, QuickSplit::Voice);
        let hits = Chosen::of(&StemsWish { residual: true, ..wish(&[TrackContent::Hits]) }).unwrap();
        assert_eq!((hits.split, hits.stems), (QuickSplit::Tones, vec![StemKind::Hits, StemKind::Residual]));
        assert!(refused(&wish(&[])).contains("one or more"));
        assert!(refused(&wish(&[TrackContent::Voice, TrackContent::Voice])).contains("each once"));
        assert!(refused(&wish(&[TrackContent::Voice, TrackContent::Hits])).contains("voice,accompaniment"));
        assert!(refused(&StemsWish { model: "kazoo".into(), ..StemsWish::default() }).contains("kazoo"));
        let quality = Some("best".to_owned());
        assert!(refused(&StemsWish { quality, ..StemsWish::default() }).contains("no choice"));
    }
}
