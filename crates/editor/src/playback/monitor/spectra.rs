//! The spectra of both sides.

use super::history::History;
use super::{MonitorLane, MonitorRequest};
use audio::Lanes;
use base::error::Result;
use dsp::measure::analyser::{AnalyserSpec, LiveSpectrum, WindowTransform};

/// Spectra of each mixture, of the original and of the processed side.
pub(super) struct Spectra {
    spec: AnalyserSpec,
    lanes: Lanes,
    pair: usize,
    transform: WindowTransform,
    spectra: Vec<[LiveSpectrum; 2]>,
    window: Vec<f32>,
    other: Vec<f32>,
}

impl Spectra {
    pub fn new(request: &MonitorRequest) -> Result<Self> {
        let transform = WindowTransform::new(&request.spec)?;
        let frames = transform.frames();
        Ok(Self {
            spec: request.spec,
            lanes: request.lanes,
            pair: request.pair,
            transform,
            spectra: Vec::new(),
            window: vec![0.0; frames],
            other: vec![0.0; frames],
        })
    }

    /// Returns whether a request needs the same spectra. The axis may differ.
    pub fn fits(&self, request: &MonitorRequest) -> bool {
        self.spec == request.spec && self.lanes == request.lanes && self.pair == request.pair
    }

    pub fn forget_peaks(&mut self) {
        for spectrum in self.spectra.iter_mut().flatten() {
            spectrum.forget_peaks(&self.spec);
        }
    }

    /// Analyses the windows that end before `until`, `seconds` after the previous ones.
    pub fn look(
        &mut self,
        request: &MonitorRequest,
        sides: &[History; 2],
        pair: [usize; 2],
        until: u64,
        rate: u32,
        seconds: f64,
    ) -> Result<Vec<MonitorLane>> {
        let count = if self.lanes == Lanes::Mix || pair[0] == pair[1] { 1 } else { 2 };
        self.spectra.resize_with(count, || [0, 1].map(|_| LiveSpectrum::new(&request.spec)));
        let bins = self.transform.bins(f64::from(rate));
        let mut lanes = vec![MonitorLane::default(); count];
        for (place, history) in sides.iter().enumerate() {
            for (lane, told) in lanes.iter_mut().enumerate() {
                self.mix(history, pair, lane, until);
                let spectrum = &mut self.spectra[lane][place];
                spectrum.add(self.transform.power(&self.window)?, seconds);
                told.levels[place] = spectrum.levels(bins, &request.axis);
                if let Some(held) = spectrum.held(bins, &request.axis) {
                    told.held.get_or_insert_default()[place] = held;
                }
            }
        }
        Ok(lanes)
    }

    /// Fills the window with one mixture of the channels.
    fn mix(&mut self, history: &History, pair: [usize; 2], lane: usize, until: u64) {
        match self.lanes {
            Lanes::Each => history.window(pair[lane], until, &mut self.window),
            Lanes::Mix => {
                let channels = history.channels().max(1);
                history.window(0, until, &mut self.window);
                for channel in 1..channels {
                    history.window(channel, until, &mut self.other);
                    self.window.iter_mut().zip(&self.other).for_each(|(sum, sample)| *sum += sample);
                }
                self.window.iter_mut().for_each(|sample| *sample /= channels as f32);
            }
            Lanes::MidSide => {
                history.window(pair[0], until, &mut self.window);
                history.window(pair[1], until, &mut self.other);
                let sign = if lane == 0 { 0.5 } else { -0.5 };
                for (sample, other) in self.window.iter_mut().zip(&self.other) {
                    *sample = 0.5 * *sample + sign * other;
                }
            }
        }
    }
}
