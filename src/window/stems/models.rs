//! The models that separate, and the stems wanted from them.

use std::sync::Arc;

use super::networks::{Networks, found};
use super::types::StemsModel;
use crate::audio::AudioFormat;
use crate::chain::Placement;
use crate::device::DeviceReport;
use crate::document::ContentKey;
use crate::error::{Error, Result};
use crate::stems::demucs::{Demucs, Options};
use crate::stems::{QuickSplit, ResidualUse, Separation, StemKind};
use crate::work::settings::{ModelSettings, StemsWish};

/// The handle of the model without weights.
pub(super) const QUICK: &str = "quick";
/// Changes whenever the quick split gives different samples, so that the cache does not return the old ones.
const QUICK_VERSION: u32 = 1;
/// Changes whenever a network gives different samples, for the same reason.
const NETWORK_VERSION: u32 = 1;

/// A model with the stems wanted from it.
pub(super) struct Chosen {
    /// How it is separated.
    pub split: Separation,
    /// The wanted stems; if the residual is kept, it is the last one.
    pub stems: Vec<StemKind>,
    /// Whether each stem takes a share of the remainder.
    pub spread: bool,
    /// A key of the model and its version, for its results and its speed.
    pub key: String,
}

/// The quality of a network's separation, and its cost in time.
struct Quality {
    name: &'static str,
    overlap: f64,
    shifts: usize,
}

/// The qualities of networks, the default first.
const QUALITIES: [Quality; 3] = [
    Quality { name: "Usual", overlap: 0.25, shifts: 0 },
    Quality { name: "Fast", overlap: 0.1, shifts: 0 },
    Quality { name: "Fine, six times as long", overlap: 0.5, shifts: 4 },
];

impl Chosen {
    /// Opens the model that a wish names.
    pub(super) fn of(wish: &StemsWish, networks: &Networks, settings: &ModelSettings) -> Result<Self> {
        let mut stems = wish.stems.clone();
        if stems.is_empty() {
            return Err(Error::invalid("stems", "none", "one or more"));
        }
        if let Some(twice) = (1..stems.len()).find(|&at| stems[..at].contains(&stems[at])) {
            return Err(Error::invalid("stems", stems[twice].name(), "each once"));
        }
        let (split, key) = if wish.model == QUICK {
            if let Some(quality) = &wish.quality {
                return Err(Error::invalid("quality", quality.as_str(), "none: the quick split has no choice"));
            }
            let split = QuickSplit::of(&stems)?;
            (split.into(), format!("{QUICK} {QUICK_VERSION} {}", split.stems()[0].name()))
        } else {
            network(wish, &stems, networks.open(&wish.model, settings)?)?
        };
        split.check_residual(&stems, wish.residual)?;
        let key = match wish.residual {
            ResidualUse::Spread => format!("{key} spread"),
            ResidualUse::Own | ResidualUse::LeftOut => key,
        };
        stems.extend((wish.residual == ResidualUse::Own).then_some(StemKind::Residual));
        Ok(Self { split, stems, spread: wish.residual == ResidualUse::Spread, key })
    }

    /// Checks whether recordings of this format can be separated.
    pub(super) fn check(&self, format: AudioFormat) -> Result<()> {
        self.split.check(format)
    }

    /// Returns a warning about the stems of a recording of this format and length.
    pub(super) fn warning(&self, format: AudioFormat, frames: u64) -> Option<String> {
        self.split.warning(format, frames)
    }

    /// Returns the device on which recordings with these channels and total seconds will be separated, and why.
    pub(super) fn device(&self, channels: usize, seconds: f64, placement: &Placement) -> Result<DeviceReport> {
        self.split.device(channels, seconds, placement)
    }
}

/// Returns how a network separates into stems, and its key.
fn network(wish: &StemsWish, stems: &[StemKind], model: Arc<Demucs>) -> Result<(Separation, String)> {
    model.check_stems(stems)?;
    let quality = match &wish.quality {
        None => &QUALITIES[0],
        Some(name) => QUALITIES.iter().find(|quality| quality.name == name).ok_or_else(|| {
            Error::invalid("quality", name.as_str(), QUALITIES.map(|quality| quality.name).join(", "))
        })?,
    };
    let offsets = model.offsets(quality.shifts, 0)?;
    let options = Options { overlap: quality.overlap, offsets, ..Options::default() };
    let parts = [
        format!("htdemucs {NETWORK_VERSION}"),
        model.identity().to_owned(),
        format!("{} {} {}", quality.overlap, quality.shifts, model.networks_for(stems)),
    ];
    let key = ContentKey::of_parts(parts.iter().map(String::as_str)).as_str().to_owned();
    Ok((Separation::Network { model, options }, key))
}

/// Returns the models that separate: the quick split, and the networks in the folders of models.
pub(super) fn models(settings: &ModelSettings) -> Vec<StemsModel> {
    let set = |split: QuickSplit| split.stems().to_vec();
    let quick = StemsModel {
        id: QUICK.to_owned(),
        title: "Quick split".to_owned(),
        note:
            "Rough. It needs no weights: it hears what repeats, what lasts and where a sound stands, but not what an \
               instrument is."
                .to_owned(),
        sets: QuickSplit::ALL.into_iter().map(set).collect(),
        qualities: Vec::new(),
    };
    let networks = found(settings).into_iter().map(|network| StemsModel {
        id: network.id,
        title: network.title,
        note: "Demucs, a network with weights that you have. It knows instruments, and takes much longer than the \
               quick split."
            .to_owned(),
        sets: vec![in_order(network.stems)],
        qualities: QUALITIES.map(|quality| quality.name.to_owned()).into(),
    });
    std::iter::once(quick).chain(networks).collect()
}

/// Returns the kinds in the order of their tracks.
fn in_order(mut stems: Vec<StemKind>) -> Vec<StemKind> {
    stems.sort_by_key(|stem| StemKind::ALL.iter().position(|other| other == stem));
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_checked() {
        let wish = |stems: &[StemKind]| StemsWish { stems: stems.to_vec(), ..StemsWish::default() };
        let of = |wish: &StemsWish| Chosen::of(wish, &Networks::default(), &ModelSettings::default());
        let refused = |wish: &StemsWish| of(wish).map(drop).unwrap_err().to_string();
        assert!(matches!(of(&StemsWish::default()).unwrap().split, Separation::Quick(QuickSplit::Voice)));
        let hits = of(&StemsWish { residual: ResidualUse::Own, ..wish(&[StemKind::Hits]) }).unwrap();
        assert!(matches!(hits.split, Separation::Quick(QuickSplit::Tones)));
        assert_eq!(hits.stems, [StemKind::Hits, StemKind::Residual]);
        let spread = StemsWish { residual: ResidualUse::Spread, ..wish(&[StemKind::Hits]) };
        assert!(refused(&spread).contains("tones"), "half of them cannot take all that is left");
        let spread = of(&StemsWish { stems: vec![StemKind::Hits, StemKind::Tones], ..spread }).unwrap();
        assert!(spread.spread && spread.stems.len() == 2 && spread.key != hits.key);
        assert!(refused(&wish(&[])).contains("one or more"));
        assert!(refused(&wish(&[StemKind::Voice, StemKind::Voice])).contains("each once"));
        assert!(refused(&wish(&[StemKind::Voice, StemKind::Hits])).contains("voice,accompaniment"));
        assert!(refused(&StemsWish { model: "kazoo".into(), ..StemsWish::default() }).contains("kazoo"));
        let quality = Some("best".to_owned());
        assert!(refused(&StemsWish { quality, ..StemsWish::default() }).contains("no choice"));
    }
}
