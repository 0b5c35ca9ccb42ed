//! The CPU twin: computes the signal at each rate, then the products of each octave, with windows in parallel on all
//! threads.
//!
//! Every window is computed independently, and powers are added in the order of windows, so the bits depend neither on
//! the number of threads nor on how a picture is cut.

use rayon::prelude::*;

use super::ConstantQPlan;
use super::half_band::REACH;
use super::plan::{Atom, Octave};
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, Tile};
use base::error::Result;
use base::progress::Progress;
use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// The number of windows between two checks for cancellation.
const BATCH_WINDOWS: usize = 8192;
/// The minimum number of frames that a thread computes when it halves the rate.
const MIN_FRAMES: usize = 4096;
/// Vectors of sums computed in parallel, because each addition waits for the previous one.
const CHAINS: usize = 4;
/// The number of products that are added to them at a time.
const BLOCK: usize = CHAINS * LANES;

/// Returns the power of each bin in the window centred on a frame. 1 is the power of a full-scale sine. Low octaves use
/// the nearest frame at their rate.
pub fn powers(plan: &ConstantQPlan, samples: Samples<'_>, centre: i64) -> Result<Vec<f32>> {
    let spacing = crate::kernels::signal::stft::Spacing::One;
    let grid = ColumnGrid { count: 1, first_centre: centre as f64, frames_each: 1.0, spacing };
    column_powers(plan, &grid, samples, None)
}

/// Returns the levels of the columns in dB re a full-scale sine.
pub fn levels(
    plan: &ConstantQPlan,
    grid: &ColumnGrid,
    samples: Samples<'_>,
    progress: Option<&Progress>,
) -> Result<Tile<f32>> {
    let rows = plan.rows();
    grid.check(rows)?;
    // The powers are kept until all octaves are done.
    grid.check(plan.bins().count)?;
    let powers = column_powers(plan, grid, samples, progress)?;
    let mut tile = Tile { rows, columns: grid.count, values: vec![0.0; rows * grid.count] };
    let (mut levels, mut memory) = (vec![0.0; rows], Vec::new());
    for (column, powers) in powers.chunks_exact(plan.bins().count).enumerate() {
        plan.bank().levels(powers, &mut memory, &mut levels);
        levels.iter().enumerate().for_each(|(row, &level)| tile.values[row * grid.count + column] = level);
    }
    Ok(tile)
}

/// Returns the power of each bin, column after column.
fn column_powers(
    plan: &ConstantQPlan,
    grid: &ColumnGrid,
    samples: Samples<'_>,
    progress: Option<&Progress>,
) -> Result<Vec<f32>> {
    let all = plan.bins().count;
    let mut sums = vec![0.0_f32; grid.count * all];
    let mut rates = rates(plan, grid, samples).into_iter();
    let mut signal = rates.next();
    let mut halvings = 0;
    for octave in plan.octaves() {
        if octave.halvings > halvings {
            halvings = octave.halvings;
            signal = rates.next();
        }
        let Some((first_frame, signal)) = &signal else { continue };
        add(&octave, grid, signal, *first_frame, &mut sums, all, progress)?;
    }
    Ok(sums)
}

/// Adds the mean powers of an octave's bins to those of the columns.
fn add(
    octave: &Octave<'_>,
    grid: &ColumnGrid,
    signal: &[f32],
    first_frame: i64,
    sums: &mut [f32],
    all: usize,
    progress: Option<&Progress>,
) -> Result<()> {
    let columns = octave.columns(grid);
    let share = 1.0 / columns.windows as f32;
    let (bins, total) = (octave.bins.len(), grid.count * columns.windows);
    for first in (0..total).step_by(BATCH_WINDOWS) {
        progress.map_or(Ok(()), Progress::check)?;
        let batch = first..total.min(first + BATCH_WINDOWS);
        let middle = |index: usize| octave.middle(&columns, index / columns.windows, index % columns.windows);
        // Narrow columns share frames of a low rate, which are computed once.
        let mut middles: Vec<i64> = batch.clone().map(middle).collect();
        middles.dedup();
        let mut powers = vec![0.0_f32; middles.len() * bins];
        powers.par_chunks_mut(bins).zip(&middles).for_each(|(powers, &middle)| {
            let middle = (middle - first_frame) as usize;
            Simd::best().dispatch(Powers { atoms: octave.atoms, signal, middle, powers });
        });
        let mut at = 0;
        for index in batch {
            while middles[at] != middle(index) {
                at += 1;
            }
            let to = &mut sums[index / columns.windows * all + octave.bins.start..][..bins];
            to.iter_mut().zip(&powers[at * bins..]).for_each(|(to, power)| *to += share * power);
        }
    }
    Ok(())
}

/// The powers of all bins of a window around a frame of the signal: one task, as a bin alone takes little longer than a
/// call.
struct Powers<'a> {
    atoms: &'a [Atom],
    signal: &'a [f32],
    middle: usize,
    powers: &'a mut [f32],
}

impl Task for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (power, atom) in self.powers.iter_mut().zip(self.atoms) {
            let x = &self.signal[self.middle - atom.half..][..atom.re.len()];
            let [re, im] = products::<L>(atom, x);
            *power = re * re + im * im;
        }
    }
}

/// Returns the products of an atom's real and imaginary parts with the signal, summed.
#[inline(always)]
fn products<L: Lanes>(atom: &Atom, x: &[f32]) -> [f32; 2] {
    let (re, last_re) = atom.re.as_chunks::<BLOCK>();
    let (im, last_im) = atom.im.as_chunks::<BLOCK>();
    let (x, last_x) = x.as_chunks::<BLOCK>();
    // Not `array::map`: a closure is not compiled for the instruction set of its caller.
    let zero = L::Singles::splat(0.0);
    let (mut re_sums, mut im_sums) = ([zero; CHAINS], [zero; CHAINS]);
    for ((re, im), x) in re.iter().zip(im).zip(x) {
        let (re, im, x) = (lanes(re), lanes(im), lanes(x));
        for chain in 0..CHAINS {
            let x = L::Singles::load(&x[chain]);
            re_sums[chain] = re_sums[chain].add(L::Singles::load(&re[chain]).mul(x));
            im_sums[chain] = im_sums[chain].add(L::Singles::load(&im[chain]).mul(x));
        }
    }
    let rest = |taps: &[f32]| taps.iter().zip(last_x).map(|(tap, x)| tap * x).sum::<f32>();
    [total(re_sums) + rest(last_re), total(im_sums) + rest(last_im)]
}

#[inline(always)]
fn total<S: Singles>(sums: [S; CHAINS]) -> f32 {
    let mut lanes = [0.0; LANES];
    let [a, b, c, d] = sums;
    a.add(b).add(c.add(d)).store(&mut lanes);
    lanes.iter().sum()
}

#[inline(always)]
fn lanes(block: &[f32; BLOCK]) -> &[[f32; LANES]] {
    block.as_chunks().0
}

/// Returns the signal at each rate that is needed, with the position of its first frame.
fn rates(plan: &ConstantQPlan, grid: &ColumnGrid, samples: Samples<'_>) -> Vec<(i64, Vec<f32>)> {
    let mut rates: Vec<(i64, Vec<f32>)> = Vec::new();
    for need in plan.needs(grid, 0..grid.count) {
        let signal = match rates.last() {
            None => {
                let mut signal = Vec::new();
                samples.extract(need.clone(), &mut signal);
                signal
            }
            Some((first, above)) => {
                halved(plan.half_band(), above, (2 * need.start - first) as usize, need.clone().count())
            }
        };
        rates.push((need.start, signal));
    }
    rates
}

/// Returns `count` frames at half the rate. The first is the half-band filter's output at index `middle` of `signal`.
fn halved(half_band: &[f32], signal: &[f32], middle: usize, count: usize) -> Vec<f32> {
    let frame = |index: usize| {
        let middle = middle + 2 * index;
        let around = &signal[middle - REACH..=middle + REACH];
        let mut sum = 0.5 * around[REACH];
        for (n, tap) in half_band.iter().enumerate() {
            sum += tap * (around[REACH - 1 - 2 * n] + around[REACH + 1 + 2 * n]);
        }
        sum
    };
    (0..count).into_par_iter().with_min_len(MIN_FRAMES).map(frame).collect()
}
