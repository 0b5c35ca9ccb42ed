//! One network, and a segment through it.

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

    /// Runs a segment, and returns the channels of each of the stems `wanted`, places in the model's order.
    ///
    /// # Errors
    /// Those of [`Session::run_on`] and the transforms; [`Error::Cancelled`].
    pub fn run(
        &self,
        job: &mut DeviceJob<()>,
        mix: &[Vec<f32>],
        wanted: &[usize],
        progress: &Progress,
    ) -> Result<Vec<Vec<Vec<f32>>>> {
        let mut spectrum = self.spectrum.of(mix)?;
        let mut sound = mix.concat();
        let [of_spectrum, of_sound] = [&mut spectrum, &mut sound].map(|values| normalized(values));
        progress.check()?;
        let mut state = State::new();
        let mut items = [Item::new(vec![&spectrum, &sound], &mut state)];
        self.session.run_on(job, &mut items, progress)?;
        let [item] = items;
        let [spectra, sounds] = item.outputs.as_slice() else {
            return Err(Error::Internal("a network without its two results".into()));
        };
        let of_channel = spectrum.len() / self.channels;
        let channel = |stem: usize, channel: usize| -> Result<Vec<f32>> {
            progress.check()?;
            let at = stem * self.channels + channel;
            let mut samples = self.spectrum.samples(&spectra[at * of_channel..][..of_channel], of_spectrum)?;
            let [factor, term] = of_sound;
            for (sample, x) in samples.iter_mut().zip(&sounds[at * self.frames..][..self.frames]) {
                *sample += (factor * f64::from(*x) + term) as f32;
            }
            Ok(samples)
        };
        wanted.iter().map(|&stem| (0..self.channels).map(|n| channel(stem, n)).collect()).collect()
    }
}
