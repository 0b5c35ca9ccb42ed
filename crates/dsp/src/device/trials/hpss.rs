//! Harmonic and percussive energies of power spectra.

use std::ops::Range;

use super::on_gpu::Rows;
use super::trial::{Limits, Reference, Run, Trial, powers, spread, transform, worst_error_db};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::hpss::{Energies, KERNEL, MARGIN, energies, gpu};
use crate::kernels::signal::median::Median;
use crate::kernels::signal::stft::Spectra;
use base::error::Result;
use base::progress::Progress;

/// Operations per value: two medians by shared networks, of about 100 comparisons each, and the sums.
const OPERATIONS: f64 = 210.0;

struct Separation {
    power: Spectra<f32>,
    samples: u64,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    Ok(Box::new(Separation { power: powers(&transform()?, frames)?, samples: frames as u64 }))
}

fn values(energies: &[Energies]) -> Vec<f32> {
    energies.iter().flat_map(|energies| [energies.total, energies.harmonic, energies.percussive]).collect()
}

impl Trial for Separation {
    fn samples(&self) -> u64 {
        self.samples
    }

    fn operations(&self) -> f64 {
        OPERATIONS * self.power.values.len() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        3
    }

    fn on_cpu(&self) -> Result<Run> {
        let all = 0..self.power.windows();
        Run::timed(|| energies(&self.power, all, &Progress::new()), |energies| values(&energies))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let (energies, finished) = energies_on_gpu(engine, &self.power, 0..self.power.windows())?;
        Ok(Run::finished(values(&energies), finished))
    }

    fn reference(&self) -> Result<Reference> {
        let mut medians = Median::new(self.power.bins);
        Ok(Reference::of(spread(self.power.windows(), 64), |window| exact(&mut medians, &self.power, window).to_vec()))
    }

    /// Errors are relative to the total of the window.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        worst_error_db(got.chunks(3).zip(expected.chunks(3)).flat_map(|(got, expected)| {
            got.iter().zip(expected).map(|(&got, wanted)| ((f64::from(got) - wanted).abs(), expected[0]))
        }))
    }
}

/// Computes the total, harmonic and percussive energy of a window in f64. The medians are exact.
pub fn exact(medians: &mut Median, power: &Spectra<f32>, window: usize) -> [f64; 3] {
    let mut harmonic = vec![0.0; power.bins];
    let mut percussive = harmonic.clone();
    medians.along_columns(&power.values, window..window + 1, &mut harmonic);
    medians.along_rows(&power.values, window..window + 1, &mut percussive);
    let mut sums = [0.0; 3];
    for ((&power, &harmonic), &percussive) in power.window(window).iter().zip(&harmonic).zip(&percussive) {
        let (power, harmonic, percussive) = (f64::from(power), f64::from(harmonic), f64::from(percussive));
        let silent = harmonic.max(percussive) < f64::from(f32::MIN_POSITIVE);
        let share = if silent { 0.5 } else { harmonic / (harmonic + percussive) };
        sums[0] += power;
        sums[1] += share * share * power;
        sums[2] += (1.0 - share) * (1.0 - share) * power;
    }
    sums
}

/// Returns the energies of the windows `wanted` of a block, like [`energies`].
pub fn energies_on_gpu(
    engine: &mut Engine,
    power: &Spectra<f32>,
    wanted: Range<usize>,
) -> Result<(Vec<Energies>, Finished)> {
    let (values, columns) = (&power.values, power.bins);
    let read = |bytes: &[u8], windows| gpu::read(bytes, windows).collect();
    Rows { values, columns, wanted, margins: [MARGIN; 2], results: 0 }.run(engine, None, gpu::record, read)
}
