//! Harmonic and percussive parts of a sound: how much of every spectrum stands still, and how much strikes.
//!
//! Of the power `P(k, b)` of window `k` and bin `b`, with medians of 31 neighbours that are reflected at the ends
//! ([`crate::kernels::median`]),
//!
//! ```text
//! H(k, b) = median over time of P(k-15..=k+15, b)        what lasts: a level line in a spectrogram
//! R(k, b) = median over frequency of P(k, b-15..=b+15)   what strikes: an upright one
//! M_h = H / (H + R),   M_p = R / (H + R),   both 1/2 where neither H nor R is a normal number
//! ```
//!
//! (D. `FitzGerald`, "Harmonic/percussive separation using median filtering", `DAFx` 2010.) A median of powers is the
//! square of the median of magnitudes, so that these are the soft masks of `librosa.decompose.hpss` with its defaults
//! (kernel of 31, power 2, margin 1); a component's spectrum is the spectrum times its mask.
//!
//! A block is made of windows in order with [`MARGIN`] more on either side of those that are wanted, fewer only where
//! the recording itself ends there: there the block is reflected. Non-finite input: a median takes a broken window for
//! an outlier, so that its neighbours stay whole; its own masks and energies are not finite.
//!
//! On a GPU ([`gpu`]) the medians stay where they are made, and three sums a window come back.

pub mod gpu;
mod trial;

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::kernels::median::{self, Median};
use crate::kernels::stft::Spectra;
use crate::progress::Progress;
use crate::simd::{Lanes, Simd, Task};
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "hpss",
    title: "Harmonic and percussive energies",
    shaders: &["hpss.wgsl"],
    tolerance_db: -100.0,
    // Same as `median`, plus reading spectra and medians.
    bytes_per_sample: 56.0,
    trial: trial::trial,
};

/// Windows that are needed before and behind those that are wanted.
pub const MARGIN: usize = median::REACH;

/// Windows that a thread takes at a time.
const BATCH: usize = median::LANES;
/// Sums that run side by side.
const SUMS: usize = 16;

/// What a window's power is made of: sums over its bins, on the scale of the powers put in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of `P`.
    pub total: f32,
    /// Of `M_h^2 P`: the power of the harmonic component.
    pub harmonic: f32,
    /// Of `M_p^2 P`: the power of the percussive component. Where both have a share, the two components' powers sum to
    /// less than the total; their spectra do not.
    pub percussive: f32,
}

/// The share of each component in every bin, from 0 to 1; both sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Masks {
    /// `M_h`.
    pub harmonic: Spectra<f32>,
    /// `M_p`.
    pub percussive: Spectra<f32>,
}

/// The energies of the windows `wanted` of a block.
///
/// # Errors
/// [`Error::Invalid`] for windows that the block does not have; [`Error::Cancelled`].
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

/// As [`energies`], on this thread and in memory that is there already.
///
/// # Errors
/// As [`energies`].
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

/// The masks of the windows `wanted` of a block.
///
/// # Errors
/// As [`energies`].
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

fn check(power: &Spectra<f32>, wanted: &Range<usize>) -> Result<()> {
    let windows = power.values.len().checked_div(power.bins).unwrap_or(0);
    if wanted.start > wanted.end || wanted.end > windows {
        return Err(Error::invalid("windows", format!("{wanted:?}"), format!("0..{windows}, which the block has")));
    }
    Ok(())
}

/// `M_h` and `M_p` of the two medians.
#[inline(always)]
fn shares(harmonic: f32, percussive: f32) -> [f32; 2] {
    let (sum, both_small) = (harmonic + percussive, harmonic.max(percussive) < f32::MIN_POSITIVE);
    if both_small { [0.5, 0.5] } else { [harmonic / sum, percussive / sum] }
}

/// Both medians of some windows, and the memory for them.
#[derive(Clone, Debug)]
pub struct Medians {
    median: Median,
    harmonic: Vec<f32>,
    percussive: Vec<f32>,
}

impl Medians {
    /// For spectra of so many bins.
    pub fn new(bins: usize) -> Self {
        Self { median: Median::new(bins), harmonic: Vec::new(), percussive: Vec::new() }
    }

    fn take(&mut self, power: &Spectra<f32>, windows: Range<usize>) {
        self.harmonic.resize(windows.len() * power.bins, 0.0);
        self.percussive.resize(windows.len() * power.bins, 0.0);
        self.median.along_columns(&power.values, windows.clone(), &mut self.harmonic);
        self.median.along_rows(&power.values, windows, &mut self.percussive);
    }

    /// The energies of the windows from `first` on.
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

/// The same sums in the same order on any instruction set.
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
