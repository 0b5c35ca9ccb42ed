//! The windows of a tempogram: transform, energy with and without the mean, and sums over windows.

use transforms::num_complex::Complex64;

use super::Tempogram;
use base::error::Result;

/// The lowest energy of a window that is not silent: the smallest normal f32, as in librosa.
pub(super) const MIN_ENERGY: f64 = f32::MIN_POSITIVE as f64;

/// Sums over windows.
pub(super) struct Sums {
    pub all: Vec<f64>,
    pub change: Vec<f64>,
    pub changing: f64,
}

impl Sums {
    pub fn new(bins: usize) -> Self {
        Self { all: vec![0.0; bins], change: vec![0.0; bins], changing: 0.0 }
    }

    pub fn add_all(&mut self, worker: &Worker<'_>) {
        let scale = 1.0 / if worker.energy < MIN_ENERGY { 1.0 } else { worker.energy };
        for (sum, x) in self.all.iter_mut().zip(&worker.spectrum) {
            *sum += scale * x.norm_sqr();
        }
    }

    pub fn add_change(&mut self, plan: &Tempogram, worker: &Worker<'_>) {
        // Changes this small are rounding errors.
        if worker.change_energy > 1e-9 * worker.energy && worker.change_energy >= MIN_ENERGY {
            self.changing += 1.0;
            let scale = 1.0 / worker.change_energy;
            for ((sum, x), w) in self.change.iter_mut().zip(&worker.spectrum).zip(&plan.window_spectrum) {
                *sum += scale * (x - w * worker.mean).norm_sqr();
            }
        }
    }

    pub fn join(&mut self, other: &Self) {
        self.all.iter_mut().zip(&other.all).for_each(|(a, b)| *a += b);
        self.change.iter_mut().zip(&other.change).for_each(|(a, b)| *a += b);
        self.changing += other.changing;
    }
}

/// Processes one window after another on one thread.
pub(super) struct Worker<'a> {
    plan: &'a Tempogram,
    frames: Vec<f64>,
    pub spectrum: Vec<Complex64>,
    pub power: Vec<Complex64>,
    lags: Vec<f64>,
    /// The energy of the weighted window, mean included; `change_energy` is the energy without the mean.
    pub energy: f64,
    mean: f64,
    change_energy: f64,
}

impl<'a> Worker<'a> {
    pub fn new(plan: &'a Tempogram) -> Self {
        Self {
            plan,
            frames: plan.forward.make_input_vec(),
            spectrum: plan.forward.make_output_vec(),
            power: plan.inverse.make_input_vec(),
            lags: plan.inverse.make_output_vec(),
            energy: 0.0,
            mean: 0.0,
            change_energy: 0.0,
        }
    }

    /// Transforms the window at the start of `strength`.
    pub fn take(&mut self, strength: &[f64]) -> Result<()> {
        let window = &self.plan.window;
        self.frames.fill(0.0);
        let (mut sum, mut weights) = (0.0, 0.0);
        self.energy = 0.0;
        for ((to, &s), &w) in self.frames.iter_mut().zip(strength).zip(window) {
            *to = w * s;
            self.energy += *to * *to;
            sum += w * *to;
            weights += w * w;
        }
        // The constant whose subtraction leaves the least energy.
        self.mean = if weights > 0.0 { sum / weights } else { 0.0 };
        self.change_energy = self.energy - self.mean * sum;
        Ok(self.plan.forward.process(&mut self.frames, &mut self.spectrum)?)
    }

    /// Returns the autocorrelation that belongs to a power spectrum.
    pub fn of_powers(&mut self, powers: impl Iterator<Item = f64>) -> Result<&[f64]> {
        self.power.iter_mut().zip(powers).for_each(|(to, x)| *to = Complex64::new(x, 0.0));
        self.autocorrelation()
    }

    /// Returns the autocorrelation whose transform is in `power`.
    pub fn autocorrelation(&mut self) -> Result<&[f64]> {
        self.plan.inverse.process(&mut self.power, &mut self.lags)?;
        let scale = 1.0 / self.lags.len() as f64;
        self.lags.iter_mut().for_each(|x| *x *= scale);
        Ok(&self.lags[..self.plan.length])
    }
}
