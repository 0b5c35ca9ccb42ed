//! Computes masks and energies on the CPU.

use std::ops::Range;

use rayon::prelude::*;

use super::{Energies, Masks};
use crate::kernels::signal::median::{self, Median};
use crate::kernels::signal::stft::Spectra;
use base::error::{Error, Result};
use base::progress::Progress;
use base::simd::{Lanes, Simd, Task};

/// The number of windows that a thread takes at a time.
const BATCH: usize = median::LANES;
/// The number of sums that run in parallel.
const SUMS: usize = 16;

/// Computes the energies of the windows `wanted` of a block, on all threads.
pub fn energies(power: &Spectra<f32>, wanted: Range<usize>, progress: &Progress) -> Result<Vec<Energies>> {
    check(power, &wanted)?;
    let mut all = vec![Energies::default(); wanted.len()];
    all.par_chunks_mut(BATCH).enumerate().try_for_each_init(
        || Medians::new(power.bins),
        |medians, (batch, energies)| -> Result<()> {
            progress.check()?;
            let first = wanted.start + batch * BATCH;
            medians.energies(power, first, energies);
            Ok(())
        },
    )?;
    Ok(all)
}

/// Computes [`energies`] on this thread, in existing scratch memory.
pub fn energies_with(
    power: &Spectra<f32>,
    wanted: Range<usize>,
    memory: &mut Medians,
    progress: &Progress,
) -> Result<Vec<Energies>> {
    check(power, &wanted)?;
    let mut all = vec![Energies::default(); wanted.len()];
    for (batch, energies) in all.chunks_mut(BATCH).enumerate() {
        progress.check()?;
        memory.energies(power, wanted.start + batch * BATCH, energies);
    }
    Ok(all)
}

/// Computes the masks of the windows `wanted` of a block.
pub fn masks(power: &Spectra<f32>, wanted: Range<usize>, progress: &Progress) -> Result<Masks> {
    check(power, &wanted)?;
    let bins = power.bins;
    let mut harmonic = vec![0.0; wanted.len() * bins];
    let mut percussive = harmonic.clone();
    let batches = harmonic.par_chunks_mut(BATCH * bins).zip(percussive.par_chunks_mut(BATCH * bins));
    batches.enumerate().try_for_each_init(
        || Medians::new(bins),
        |medians, (batch, (harmonic, percussive))| -> Result<()> {
            progress.check()?;
            let first = wanted.start + batch * BATCH;
            medians.take(power, first..first + harmonic.len() / bins);
            let medians = medians.harmonic.iter().zip(&medians.percussive);
            for ((h, p), (to_h, to_p)) in medians.zip(harmonic.iter_mut().zip(percussive)) {
                [*to_h, *to_p] = shares(*h, *p);
            }
            Ok(())
        },
    )?;
    Ok(Masks { harmonic: Spectra { bins, values: harmonic }, percussive: Spectra { bins, values: percussive } })
}

/// Checks that the block has the wanted windows.
fn check(power: &Spectra<f32>, wanted: &Range<usize>) -> Result<()> {
    let windows = power.values.len().checked_div(power.bins).unwrap_or(0);
    if wanted.start > wanted.end || wanted.end > windows {
        return Err(Error::invalid("windows", format!("{wanted:?}"), format!("0..{windows}, which the block has")));
    }
    Ok(())
}

/// Returns `M_h` and `M_p` for two medians.
#[inline(always)]
fn shares(harmonic: f32, percussive: f32) -> [f32; 2] {
    let (sum, both_small) = (harmonic + percussive, harmonic.max(percussive) < f32::MIN_POSITIVE);
    if both_small { [0.5, 0.5] } else { [harmonic / sum, percussive / sum] }
}

/// Scratch memory for both medians of some windows.
#[derive(Clone, Debug)]
pub struct Medians {
    median: Median,
    harmonic: Vec<f32>,
    percussive: Vec<f32>,
}

impl Medians {
    /// Creates memory for spectra of `bins` bins.
    pub fn new(bins: usize) -> Self {
        Self { median: Median::new(bins), harmonic: Vec::new(), percussive: Vec::new() }
    }

    fn take(&mut self, power: &Spectra<f32>, windows: Range<usize>) {
        self.harmonic.resize(windows.len() * power.bins, 0.0);
        self.percussive.resize(windows.len() * power.bins, 0.0);
        self.median.along_columns(&power.values, windows.clone(), &mut self.harmonic);
        self.median.along_rows(&power.values, windows, &mut self.percussive);
    }

    /// Computes the energies of the windows from `first` on.
    fn energies(&mut self, power: &Spectra<f32>, first: usize, energies: &mut [Energies]) {
        self.take(power, first..first + energies.len());
        Simd::best().dispatch(Sums { medians: self, power, first, energies });
    }
}

struct Sums<'a> {
    medians: &'a Medians,
    power: &'a Spectra<f32>,
    first: usize,
    energies: &'a mut [Energies],
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let bins = self.power.bins;
        for (index, energies) in self.energies.iter_mut().enumerate() {
            let power = self.power.window(self.first + index);
            let harmonic = &self.medians.harmonic[index * bins..][..bins];
            let percussive = &self.medians.percussive[index * bins..][..bins];
            *energies = sums(power, harmonic, percussive);
        }
    }
}

/// Returns the energies of a window. The order of the sums is the same on every instruction set.
#[inline(always)]
fn sums(power: &[f32], harmonic: &[f32], percussive: &[f32]) -> Energies {
    let mut sums = [[0.0_f32; SUMS]; 3];
    let mut add = |lane: usize, power: f32, h: f32, p: f32| {
        let [share_h, share_p] = shares(h, p);
        sums[0][lane] += power;
        sums[1][lane] += share_h * share_h * power;
        sums[2][lane] += share_p * share_p * power;
    };
    let (whole, rest) = power.as_chunks::<SUMS>();
    let (whole_h, rest_h) = harmonic.as_chunks::<SUMS>();
    let (whole_p, rest_p) = percussive.as_chunks::<SUMS>();
    for ((power, h), p) in whole.iter().zip(whole_h).zip(whole_p) {
        for lane in 0..SUMS {
            add(lane, power[lane], h[lane], p[lane]);
        }
    }
    for (lane, ((power, h), p)) in rest.iter().zip(rest_h).zip(rest_p).enumerate() {
        add(lane, *power, *h, *p);
    }
    let [total, harmonic, percussive] = sums.map(|lanes| lanes.iter().sum());
    Energies { total, harmonic, percussive }
}
