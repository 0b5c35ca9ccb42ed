//! Records constant-Q spectrograms on a GPU (`shaders/signal/constant_q.wgsl`). Halved signals and powers stay on the device.
//! Only levels, or their codes, are read back.

use std::ops::Range;

use super::ConstantQPlan;
use super::plan::{Atom, Octave};
use crate::gpu::shaders::constant_q as shader;
use crate::gpu::{MAX_BINDING_BYTES, Recording, View};
use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples};
use base::error::{Error, Result};

/// A plan in the form that the shader uses.
#[derive(Clone, Debug)]
pub struct GpuConstantQ {
    plan: ConstantQPlan,
    /// The half-band filter's taps as real parts, then the atoms of the highest octave, then those of the others.
    taps: Vec<[f32; 2]>,
    /// For each atom of either set: the index of its first tap, and the number of taps on either side of its middle.
    places: [Vec<[u32; 2]>; 2],
}

impl GpuConstantQ {
    /// Lowers a plan.
    pub fn new(plan: &ConstantQPlan) -> Self {
        let mut taps: Vec<[f32; 2]> = plan.half_band().iter().map(|&tap| [tap, 0.0]).collect();
        let mut place = |atom: &Atom| {
            let place = [taps.len() as u32, atom.half as u32];
            taps.extend(atom.re.iter().zip(&atom.im).map(|(&re, &im)| [re, im]));
            place
        };
        let places = plan.atoms().each_ref().map(|atoms| atoms.iter().map(&mut place).collect());
        Self { plan: plan.clone(), taps, places }
    }
}

impl GpuColumns for GpuConstantQ {
    fn rows(&self) -> usize {
        self.plan.rows()
    }

    /// The columns' signal, the places of their windows, their powers and their levels must each fit into a buffer.
    fn max_columns(&self, grid: &ColumnGrid) -> Result<usize> {
        let words = MAX_BINDING_BYTES as usize / 4;
        let one = self.plan.reach(&ColumnGrid { count: 1, ..*grid });
        let around = (one.end - one.start) as f64 - grid.frames_each;
        let in_signal = ((words as f64 - around) / grid.frames_each).max(0.0) as usize;
        let windows = self.plan.octaves().map(|octave| octave.columns(grid).windows).max().unwrap_or(1);
        let most = in_signal.min(words / 2 / windows.max(self.plan.bins().count).max(self.plan.rows()));
        if most == 0 {
            return Err(Error::Limit {
                what: "a column of a constant-Q spectrogram on a GPU".to_owned(),
                got: format!("{} frames", one.end - one.start),
                limit: format!("{words} frames"),
            });
        }
        Ok(most)
    }

    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        chunk: Range<usize>,
    ) -> View {
        let all = self.plan.bins().count;
        let taps = recording.buffer(self.taps.len() as u64 * 8);
        let bytes: &'r [u8] = bytemuck::cast_slice(&self.taps);
        recording.upload(taps, bytes);
        let power = recording.buffer((chunk.len() * all * 4) as u64);
        let needs = self.plan.needs(grid, chunk.clone());
        let mut signal = recording.buffer(0);
        let mut made = None;
        for octave in self.plan.octaves() {
            let level = octave.halvings as usize;
            let need = &needs[level];
            if made != Some(level) {
                signal = match made {
                    None => {
                        let mut frames = Vec::new();
                        samples.extract(need.clone(), &mut frames);
                        let signal = recording.buffer(frames.len() as u64 * 4);
                        recording.upload(signal, bytemuck::cast_slice(&frames).to_vec());
                        signal
                    }
                    Some(above) => halve(recording, signal, taps, &needs[above], need),
                };
                made = Some(level);
            }
            self.products(recording, &octave, grid, chunk.clone(), (signal, need.start), (taps, power));
        }
        self.levels_of(recording, power, chunk.len())
    }
}

impl GpuConstantQ {
    /// Records the powers of an octave's bins.
    fn products(
        &self,
        recording: &mut Recording<'_>,
        octave: &Octave<'_>,
        grid: &ColumnGrid,
        chunk: Range<usize>,
        (samples, first_frame): (View, i64),
        (taps, power): (View, View),
    ) {
        let columns = octave.columns(grid);
        let bins = octave.bins.len();
        let set = &self.places[usize::from(octave.bins.end != self.plan.bins().count)];
        let mut words: Vec<u32> = bytemuck::cast_slice(&set[set.len() - bins..]).to_vec();
        let first_middle = words.len() as u32;
        for column in chunk.clone() {
            let middle = |window| (octave.middle(&columns, column, window) - first_frame) as u32;
            words.extend((0..columns.windows).map(middle));
        }
        let places = recording.buffer(words.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(&words).to_vec());
        let params = shader::Params {
            columns: chunk.len() as u32,
            windows: columns.windows as u32,
            bins: bins as u32,
            first_bin: octave.bins.start as u32,
            all: self.plan.bins().count as u32,
            first_middle,
            share: 1.0 / columns.windows as f32,
            ..bytemuck::Zeroable::zeroed()
        };
        let count = chunk.len() * bins;
        let taps_each: usize = octave.atoms.iter().map(|atom| atom.re.len()).sum();
        let work = (chunk.len() * columns.windows * taps_each) as u64;
        let kernel = shader::Products { samples, taps, places, power };
        recording.dispatch(kernel.dispatch(&params, groups(count, shader::AT_ONCE), work));
    }

    fn levels_of(&self, recording: &mut Recording<'_>, power: View, columns: usize) -> View {
        let rows = self.plan.bank();
        let mut words: Vec<u32> = bytemuck::cast_slice(rows.places()).to_vec();
        let first_weight = words.len() as u32;
        words.extend(rows.weights().iter().map(|weight| weight.to_bits()));
        let places = recording.buffer(words.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(&words).to_vec());
        let levels = recording.buffer((columns * rows.len() * 4) as u64);
        let params = shader::Params {
            columns: columns as u32,
            all: self.plan.bins().count as u32,
            rows: rows.len() as u32,
            first_weight,
            ..bytemuck::Zeroable::zeroed()
        };
        let count = columns * rows.len();
        let kernel = shader::LevelsOf { places, power, levels };
        let groups = groups(count, shader::WORKGROUP);
        recording.dispatch(kernel.dispatch(&params, groups, (columns * self.plan.bins().count) as u64));
        levels
    }
}

/// Records the decimation by two of a signal, and returns its frames `need` at half the rate. `samples` holds the
/// frames `above` at the full rate. The half-band filter's taps are the real parts of `taps`.
pub(crate) fn halve(
    recording: &mut Recording<'_>,
    samples: View,
    taps: View,
    above: &Range<i64>,
    need: &Range<i64>,
) -> View {
    let frames = (need.end - need.start) as usize;
    let halved = recording.buffer(frames as u64 * 4);
    let params = shader::Params {
        frames: frames as u32,
        middle: (2 * need.start - above.start) as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let kernel = shader::Halve { samples, taps, halved };
    recording.dispatch(kernel.dispatch(&params, groups(frames, shader::WORKGROUP), frames as u64));
    halved
}

/// Returns the grid for `count` results, of which a workgroup computes `each`.
fn groups(count: usize, each: u32) -> [u32; 3] {
    [count.div_ceil(each as usize) as u32, 1, 1]
}
