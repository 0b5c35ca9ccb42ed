//! One network, and a segment through it.

use rayon::prelude::*;

use super::spectrum::{Spectrum, normalized};
use crate::chain::Placement;
use crate::device::DeviceJob;
use crate::error::{Error, Result};
use crate::models::htdemucs::Htdemucs;
use crate::network::{Constants, Item, Session, State};
use crate::progress::Progress;

/// A network with its plan.
#[derive(Debug)]
pub struct Network {
    session: Session,
    spectrum: Spectrum,
    channels: usize,
    frames: usize,
}

/// A segment as networks of one size take it, with factors and terms that bring what they make back.
#[derive(Debug)]
pub struct Given {
    spectrum: Vec<f32>,
    sound: Vec<f32>,
    of_spectrum: [f64; 2],
    of_sound: [f64; 2],
}

/// What a network made of a segment: spectra and samples of all stems, to be added.
#[derive(Debug)]
pub struct Made {
    spectra: Vec<f32>,
    sounds: Vec<f32>,
}

impl Network {
    /// Plans a model. `other` is a network of the same size, with which it shares the memory for its values.
    ///
    /// # Errors
    /// Those of [`Htdemucs::graph`] and [`Session::new`].
    pub fn new(model: &Htdemucs, other: Option<&Self>) -> Result<Self> {
        let (graph, constants) = (model.graph()?, Constants::new(model.parameters()));
        let mut session = Session::new(&graph, &constants)?;
        if let Some(other) = other {
            session.share_memory(&other.session);
        }
        let of = model.configuration();
        Ok(Self { session, spectrum: Spectrum::new(of)?, channels: of.audio_channels, frames: of.segment_frames })
    }

    /// Chooses a device for so many runs.
    ///
    /// # Errors
    /// Those of [`Session::job`].
    pub fn job(&self, placement: &Placement, runs: Option<u64>) -> Result<DeviceJob<()>> {
        self.session.job(&placement.request, &placement.devices, placement.purpose, runs)
    }

    /// Prepares the channels of a segment.
    ///
    /// # Errors
    /// Those of the transform.
    pub fn given(&self, mix: &[Vec<f32>]) -> Result<Given> {
        let mut spectrum = self.spectrum.of(mix)?;
        let mut sound = mix.concat();
        let [of_spectrum, of_sound] = [&mut spectrum, &mut sound].map(|values| normalized(values));
        Ok(Given { spectrum, sound, of_spectrum, of_sound })
    }

    /// Runs a segment.
    ///
    /// # Errors
    /// Those of [`Session::run_on`].
    pub fn run(&self, job: &mut DeviceJob<()>, given: &Given, progress: &Progress) -> Result<Made> {
        let mut state = State::new();
        let mut items = [Item::new(vec![&given.spectrum, &given.sound], &mut state)];
        self.session.run_on(job, &mut items, progress)?;
        let [item] = items;
        let [spectra, sounds] = <[Vec<f32>; 2]>::try_from(item.outputs)
            .map_err(|_| Error::Internal("a network without its two results".into()))?;
        Ok(Made { spectra, sounds })
    }

    /// Takes what is not needed any more; see [`Session::recycle`].
    pub fn recycle(&self, made: Made) {
        self.session.recycle(vec![made.spectra, made.sounds]);
    }

    /// Returns the channels of each of the stems `wanted`, places in the model's order.
    ///
    /// # Errors
    /// Those of the transform; [`Error::Cancelled`].
    pub fn stems(
        &self,
        given: &Given,
        made: &Made,
        wanted: &[usize],
        progress: &Progress,
    ) -> Result<Vec<Vec<Vec<f32>>>> {
        let of_channel = given.spectrum.len() / self.channels;
        let channel = |at: usize| -> Result<Vec<f32>> {
            progress.check()?;
            let spectrum = &made.spectra[at * of_channel..][..of_channel];
            let mut samples = self.spectrum.samples(spectrum, given.of_spectrum)?;
            let [factor, term] = given.of_sound;
            for (sample, x) in samples.iter_mut().zip(&made.sounds[at * self.frames..][..self.frames]) {
                *sample += (factor * f64::from(*x) + term) as f32;
            }
            Ok(samples)
        };
        let stem = |&stem: &usize| (0..self.channels).map(|n| channel(stem * self.channels + n)).collect();
        wanted.par_iter().map(stem).collect()
    }
}
