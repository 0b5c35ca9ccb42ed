//! The sounds that are played and drawn: versions and differences on the reference's timeline.

use std::sync::{Arc, Mutex};

use super::types::CompareSound;
use super::{ComparePage, State};
use crate::compare::{DifferenceReader, Lay};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::in_channels;
use crate::units::gain_from_db;
use crate::view::peaks::{OnChange, OpenReader, PeakCache, Peaks};
use crate::view::spectrogram::SpectrogramSource;
use crate::window::event::Event;
use crate::window::workspace::open_document::waveform_view;

/// A sound that is drawn.
pub struct Sound {
    pub source: SpectrogramSource,
    open: OpenReader,
    /// Its waveform, once requested.
    peaks: Mutex<Option<Arc<Peaks>>>,
}

/// How a sound is opened, and a key of its content.
pub struct SoundPlan {
    pub key: String,
    pub open: OpenReader,
}

impl State {
    /// Returns how to open a sound. With `level`, a difference is taken at equal levels.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the version cannot be read, is not compared yet, or has no difference.
    pub fn plan(&self, sound: CompareSound, level: bool) -> Result<SoundPlan> {
        let id = sound.version();
        let version = self.opened(id)?.clone();
        let none = || Error::impossible("There is no reference that can be read. Add one.");
        let (reference_id, reference) = self.reference().ok_or_else(none)?;
        let channels = self.timeline().ok_or_else(none)?.channels;
        let reference = reference.clone();
        if id == reference_id {
            return match sound {
                CompareSound::Version { .. } => Ok(SoundPlan {
                    key: format!("compare|{}|{channels}", reference.key),
                    open: Arc::new(move || Ok(in_channels((reference.open)()?, channels))),
                }),
                CompareSound::Difference { .. } => {
                    Err(Error::impossible("The reference does not differ from itself. Choose another version."))
                }
            };
        }
        let compared = match self.aligned(id) {
            Some(Ok(compared)) => Arc::clone(compared),
            Some(Err(failure)) => return Err(Error::impossible(failure.message.clone())),
            None => return Err(Error::impossible("This version is not compared yet. Wait, or start the comparison.")),
        };
        let key = format!("compare|{}|{}|{}|{channels}", reference.key, version.key, compared.lay.key());
        if let CompareSound::Version { .. } = sound {
            let open =
                move || -> Result<_> { Ok(in_channels(Box::new(compared.lay.reader((version.open)()?)), channels)) };
            return Ok(SoundPlan { key, open: Arc::new(open) });
        }
        let Some(alignment) = &compared.comparison.alignment else {
            let why = compared.comparison.notes.last().cloned().unwrap_or_default();
            return Err(Error::impossible(format!("There is no difference, because the two are not aligned. {why}")));
        };
        let gain_db = if level { -alignment.gain_db } else { 0.0 };
        let open = move || -> Result<_> {
            let version = compared.lay.reader((version.open)()?);
            let gain = gain_from_db(gain_db) as f32;
            let common = compared.common.clone();
            Ok(in_channels(Box::new(DifferenceReader::new((reference.open)()?, version, common, gain)), channels))
        };
        Ok(SoundPlan { key: format!("{key}|difference|{gain_db}"), open: Arc::new(open) })
    }

    /// Returns the sound of a version with the alignment in the key; `None` if the key is not of this version,
    /// reference and timeline.
    pub(super) fn plan_as(&self, id: u32, key: &str) -> Option<SoundPlan> {
        let version = self.opened(id).ok()?.clone();
        let (_, reference) = self.reference()?;
        let channels = self.timeline()?.channels;
        let place = key.strip_prefix(&format!("compare|{}|{}|", reference.key, version.key))?;
        let lay = Lay::of_key(place.strip_suffix(&format!("|{channels}"))?)?;
        lay.is_of(reference.format.rate, reference.frames).then_some(())?;
        let open = move || -> Result<_> { Ok(in_channels(Box::new(lay.reader((version.open)()?)), channels)) };
        Some(SoundPlan { key: key.to_owned(), open: Arc::new(open) })
    }
}

impl ComparePage {
    /// Returns a sound to be drawn.
    pub(super) fn sound(&self, of: CompareSound) -> Result<Arc<Sound>> {
        let (plan, revision) = {
            let state = self.locked();
            if let Some(known) = state.sounds.get(&of) {
                return Ok(Arc::clone(known));
            }
            (state.plan(of, state.matched)?, state.revision)
        };
        // Opening reads files, so the lock is not held.
        let source = SpectrogramSource::new(plan.key, Arc::clone(&plan.open))?;
        let sound = Arc::new(Sound { source, open: plan.open, peaks: Mutex::default() });
        let mut state = self.locked();
        if state.revision != revision {
            return Err(Error::Cancelled);
        }
        Ok(Arc::clone(state.sounds.entry(of).or_insert(sound)))
    }

    /// Returns the waveform of a sound, which is computed from the first request on.
    pub(super) fn peaks_of(&self, of: CompareSound) -> Result<Arc<Peaks>> {
        let sound = self.sound(of)?;
        let mut peaks = lock(&sound.peaks);
        if let Some(known) = &*peaks {
            return Ok(Arc::clone(known));
        }
        let limit_bytes = u64::from(self.workspace.state().settings.cache_mib) << 20;
        let cache = PeakCache::new(&self.workspace.directories.data().join("peaks"), limit_bytes);
        let host = Arc::clone(&self.workspace.host);
        let on_change: OnChange = Box::new(move |state| {
            host.emit(Event::ComparePeaks { sound: of, waveform: waveform_view(&state) });
        });
        let key = sound.source.key().to_owned();
        let made = Arc::new(Peaks::start_cached(Arc::clone(&sound.open), cache, key, on_change)?);
        *peaks = Some(Arc::clone(&made));
        Ok(made)
    }
}
