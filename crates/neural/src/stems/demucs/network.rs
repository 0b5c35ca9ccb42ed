//! One network, and a segment through it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::segments::SegmentSize;
use super::spectrum::{Spectrum, normalized};
use crate::models::demucs::{Configuration, HybridDemucs};
use crate::network::{Constants, Item, Session, State};
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use dsp::device::DeviceJob;
use dsp::device::Placement;

/// The most plans kept for shorter segments: the ends of recordings, one for each shift.
const SHORTER: usize = 4;

/// A network with its plan.
#[derive(Debug)]
pub struct Network {
    model: HybridDemucs,
    constants: Arc<Constants>,
    /// The plan for full segments.
    session: Arc<Session>,
    /// Those for shorter ones, by their frames.
    shorter: Mutex<BTreeMap<usize, Arc<Session>>>,
    spectrum: Spectrum,
}

/// A segment as networks of one size take it, with the factors and terms that undo the normalisation.
#[derive(Debug)]
pub struct Given {
    frames: usize,
    spectrum: Vec<f32>,
    sound: Vec<f32>,
    of_spectrum: [f64; 2],
    of_sound: [f64; 2],
}

/// The result of a network for a segment: spectra and samples of all stems, to be added.
#[derive(Debug)]
pub struct Made {
    spectra: Vec<f32>,
    sounds: Vec<f32>,
}

/// Returns the segments of a model: a transformer has numbers for each of its places.
pub fn segments(of: &Configuration) -> SegmentSize {
    SegmentSize { frames: of.segment_frames, is_fixed: of.transformer.is_some() }
}

impl Network {
    /// Plans a model. `other` is a network of the same size, with which it shares the memory for its values.
    pub fn new(model: HybridDemucs, other: Option<&Self>) -> Result<Self> {
        let of = model.configuration();
        let (graph, constants) = (model.graph(of.segment_frames)?, Constants::new(model.parameters()));
        let mut session = Session::new(&graph, &constants)?;
        if let Some(other) = other {
            session.share_memory(&other.session);
        }
        let spectrum = Spectrum::new(of)?;
        Ok(Self { constants, session: Arc::new(session), shorter: Mutex::default(), spectrum, model })
    }

    /// Chooses a device for `runs` runs.
    pub fn job(&self, placement: &Placement, runs: Option<u64>) -> Result<DeviceJob<()>> {
        self.session.job(&placement.request, &placement.devices, placement.purpose, runs)
    }

    /// Prepares the channels of a segment.
    pub fn given(&self, mix: &[Vec<f32>]) -> Result<Given> {
        let mut spectrum = self.spectrum.of(mix)?;
        let mut sound = mix.concat();
        let [of_spectrum, of_sound] = [&mut spectrum, &mut sound].map(|values| normalized(values));
        Ok(Given { frames: mix.first().map_or(0, Vec::len), spectrum, sound, of_spectrum, of_sound })
    }

    /// Runs a segment.
    pub fn run(&self, job: &mut DeviceJob<()>, given: &Given, progress: &Progress) -> Result<Made> {
        let mut state = State::new();
        let mut items = [Item::new(vec![&given.spectrum, &given.sound], &mut state)];
        let session = self.session_for(given.frames)?;
        session.run_on(job, &mut items, progress)?;
        let [item] = items;
        let [spectra, sounds] = <[Vec<f32>; 2]>::try_from(item.outputs)
            .map_err(|_| Error::Internal("a network without its two results".into()))?;
        Ok(Made { spectra, sounds })
    }

    /// Returns the plan for `frames` frames.
    fn session_for(&self, frames: usize) -> Result<Arc<Session>> {
        if frames == self.model.configuration().segment_frames {
            return Ok(Arc::clone(&self.session));
        }
        let mut shorter = lock(&self.shorter);
        if let Some(session) = shorter.get(&frames) {
            return Ok(Arc::clone(session));
        }
        let mut session = Session::new(&self.model.graph(frames)?, &self.constants)?;
        session.share_memory(&self.session);
        let session = Arc::new(session);
        if shorter.len() >= SHORTER {
            shorter.clear();
        }
        shorter.insert(frames, Arc::clone(&session));
        Ok(session)
    }

    /// Recycles results that are no longer needed; see [`Session::recycle`].
    pub fn recycle(&self, made: Made) {
        self.session.recycle(vec![made.spectra, made.sounds]);
    }

    /// Returns the channels of each of the stems `wanted`, places in the model's order.
    pub fn stems(
        &self,
        given: &Given,
        made: &Made,
        wanted: &[usize],
        progress: &Progress,
    ) -> Result<Vec<Vec<Vec<f32>>>> {
        let channels = self.model.configuration().audio_channels;
        let of_channel = given.spectrum.len() / channels;
        let channel = |at: usize| -> Result<Vec<f32>> {
            progress.check()?;
            let spectrum = &made.spectra[at * of_channel..][..of_channel];
            let mut samples = self.spectrum.samples(spectrum, given.of_spectrum, given.frames)?;
            let [factor, term] = given.of_sound;
            for (sample, x) in samples.iter_mut().zip(&made.sounds[at * given.frames..][..given.frames]) {
                *sample += (factor * f64::from(*x) + term) as f32;
            }
            Ok(samples)
        };
        let stem = |&stem: &usize| (0..channels).map(|n| channel(stem * channels + n)).collect();
        wanted.par_iter().map(stem).collect()
    }
}
