//! Spectrograms as `NumPy` arrays (`.npy`, format 1.0: `NEP` 1).

use std::ops::Range;

use rayon::prelude::*;

use crate::view::spectrogram::{Extent, PlacedAnalysis, SpectrogramSource};
use audio::{AudioBuffer, AudioReader, Lanes};
use base::error::Result;
use base::files::{SafeFile, npy};
use base::progress::Progress;
use dsp::device::Placement;
use dsp::device::{DeviceJob, DeviceReport, SpectraWork, Workload};
use dsp::kernels::signal::stft::gpu::GpuStft;
use dsp::kernels::signal::stft::{
    self, ColumnAnalysis, ColumnGrid, Complex32, FLOOR_DB, Samples, Spacing, StftPlan, cpu,
};

/// The most windows computed at a time.
const PIECE_WINDOWS: u64 = 512;

/// The most numbers computed at a time, which bounds memory for the longest transforms.
const PIECE_NUMBERS: u64 = 4 << 20;

/// Returns how many windows of `rows` numbers per lane are computed at a time.
fn piece_windows(rows: usize, lanes: usize) -> u64 {
    (PIECE_NUMBERS / (rows * lanes).max(1) as u64).clamp(1, PIECE_WINDOWS)
}

/// The kind of number in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Levels in dB re a full-scale sine as f32, at least -200.
    Decibels,
    /// The unscaled complex transform as pairs of f32.
    Complex,
}

impl NumberKind {
    /// The number of f32 values per number.
    fn parts(self) -> usize {
        match self {
            Self::Decibels => 1,
            Self::Complex => 2,
        }
    }
}

/// Writes an array of shape (lanes, bins, windows) in Fortran order. Windows are written as they are computed, so
/// memory use does not depend on the length. Window `k` is centred on frame `k hop`, with silence beyond the ends. The
/// report states the device.
pub fn write_npy(
    source: &SpectrogramSource,
    plan: &StftPlan,
    lanes: Lanes,
    kind: NumberKind,
    placement: &Placement,
    to: &mut SafeFile,
    progress: &Progress,
) -> Result<DeviceReport> {
    let windows = plan.windows(source.frames());
    let count = lanes.count(source.format().channels);
    progress.set_total(windows);
    to.append(&header(kind, [count, plan.bins(), windows as usize]))?;
    let piece = piece_windows(plan.bins(), count);
    let work = spectra_work(source, plan, count);
    let lower = || GpuStft::new(plan);
    let mut job = placement.job(work, lower)?;
    source.read(|reader| {
        let mut first = 0;
        let mut done: Option<Spectra> = None;
        // A piece is computed while the one before it is written.
        while first < windows || done.is_some() {
            let part = first..(first + piece).min(windows);
            first = part.end;
            let before = done.take();
            let (next, written) = rayon::join(
                || spectra(reader, plan, lanes, count, &mut job, part, progress),
                || before.map_or(Ok(()), |before| write(&before, plan, kind, to, progress)),
            );
            written?;
            done = next?;
        }
        Ok(())
    })?;
    Ok(job.report().clone())
}

/// The spectra of some windows, a lane after the other.
struct Spectra {
    windows: Range<u64>,
    lanes: Vec<stft::Spectra<Complex32>>,
}

/// Computes the spectra of windows; `None` if there are none.
fn spectra(
    reader: &mut dyn AudioReader,
    plan: &StftPlan,
    lanes: Lanes,
    count: usize,
    job: &mut DeviceJob<GpuStft>,
    windows: Range<u64>,
    progress: &Progress,
) -> Result<Option<Spectra>> {
    progress.check()?;
    if windows.is_empty() {
        return Ok(None);
    }
    let (audio, start) = read(reader, plan.reach(windows.clone()))?;
    let mut all = Vec::with_capacity(count);
    for lane in 0..count {
        let samples = lanes.samples(&audio, lane);
        let samples = Samples { samples: &samples, first_frame: start };
        all.push(job.run(
            |gpu, batcher| Ok(gpu.spectra(&mut batcher.engine(), samples, windows.clone(), Some(progress))?.0),
            || cpu::spectra(plan, samples, windows.clone()),
        )?);
    }
    Ok(Some(Spectra { windows, lanes: all }))
}

/// Appends the numbers of windows.
fn write(spectra: &Spectra, plan: &StftPlan, kind: NumberKind, to: &mut SafeFile, progress: &Progress) -> Result<()> {
    let count = spectra.windows.end - spectra.windows.start;
    let each = plan.bins() * spectra.lanes.len() * kind.parts();
    let mut numbers = vec![0.0_f32; count as usize * each];
    numbers.par_chunks_mut(each).enumerate().for_each(|(window, to)| {
        let mut places = to.chunks_exact_mut(kind.parts());
        for bin in 0..plan.bins() {
            for (lane, to) in spectra.lanes.iter().zip(&mut places) {
                number(kind, plan, lane.window(window)[bin], to);
            }
        }
    });
    to.append(bytemuck::cast_slice(&numbers))?;
    progress.advance(count)
}

/// Returns the workload, for the choice of a device.
fn spectra_work(source: &SpectrogramSource, plan: &StftPlan, lanes: usize) -> Workload {
    let windows = plan.windows(source.frames()).min(piece_windows(plan.bins(), lanes)) as usize;
    let reach = plan.reach(0..windows as u64);
    let taken = (windows * plan.spec().size).min((reach.end - reach.start).max(0) as usize);
    Workload {
        channels: lanes,
        frames: Some(source.frames()),
        spectra: Some(SpectraWork {
            frames: (windows * plan.spec().hop) as f64,
            points: plan.work(windows),
            upload_bytes: 4.0 * taken as f64,
            readback_bytes: (8 * windows * plan.bins()) as f64,
        }),
        ..Workload::default()
    }
}

/// Writes the levels of an analyser's rows in dB re a full-scale sine as f32: an array of shape (lanes, rows, columns)
/// in Fortran order. Column `k` is centred on frame `k hop`. The rows divide the analyser's span evenly, from the
/// lowest frequency up.
pub fn write_row_npy(
    source: &SpectrogramSource,
    analyser: &dyn ColumnAnalysis,
    lanes: Lanes,
    hop: usize,
    placement: &Placement,
    to: &mut SafeFile,
    progress: &Progress,
) -> Result<DeviceReport> {
    let columns = if source.frames() == 0 { 0 } else { 1 + source.frames() / hop as u64 };
    let count = lanes.count(source.format().channels);
    progress.set_total(columns);
    to.append(&header(NumberKind::Decibels, [count, analyser.rows(), columns as usize]))?;
    let grid = |first: u64, count: u64| {
        let (first_centre, frames_each) = (first as f64 * hop as f64, hop as f64);
        ColumnGrid { count: count as usize, first_centre, frames_each, spacing: Spacing::One }
    };
    let most = piece_windows(analyser.rows(), count);
    let extent = Extent { piece: grid(0, columns.min(most)), columns: columns as usize, lanes: count, level_bytes: 4 };
    let mut placed = PlacedAnalysis::new(analyser, placement, &extent)?;
    source.read(|reader| {
        let mut first = 0;
        while first < columns {
            progress.check()?;
            let piece = (columns - first).min(most);
            let grid = grid(first, piece);
            let (audio, start) = read(reader, analyser.reach(&grid))?;
            let mut tiles = Vec::with_capacity(count);
            for lane in 0..count {
                let samples = lanes.samples(&audio, lane);
                tiles.push(placed.levels(&grid, Samples { samples: &samples, first_frame: start }, progress)?);
            }
            let mut bytes = Vec::new();
            for column in 0..piece as usize {
                for row in 0..analyser.rows() {
                    tiles.iter().for_each(|tile| bytes.extend_from_slice(&tile.row(row)[column].to_le_bytes()));
                }
            }
            to.append(&bytes)?;
            progress.advance(piece)?;
            first += piece;
        }
        Ok(())
    })?;
    Ok(placed.report().clone())
}

/// Reads the part of a range that exists. Returns it with its first frame.
fn read(reader: &mut dyn AudioReader, range: Range<i64>) -> Result<(AudioBuffer, i64)> {
    let frames = reader.frames() as i64;
    let start = range.start.clamp(0, frames);
    let mut audio = AudioBuffer::default();
    reader.seek(start as u64)?;
    reader.read(&mut audio, (range.end.min(frames) - start).max(0) as usize)?;
    Ok((audio, start))
}

/// Converts a value, or its two parts, to the little-endian byte order of the file.
fn number(kind: NumberKind, plan: &StftPlan, x: Complex32, to: &mut [f32]) {
    let little_endian = |value: f32| f32::from_bits(value.to_bits().to_le());
    match kind {
        NumberKind::Decibels => {
            let db = 10.0 * (plan.power_scale() * f64::from(x.norm_sqr())).log10();
            // `NaN` is kept: it shows that the recording is damaged there.
            to[0] = little_endian(if db < f64::from(FLOOR_DB) { FLOOR_DB } else { db as f32 });
        }
        NumberKind::Complex => to.copy_from_slice(&[x.re, x.im].map(little_endian)),
    }
}

/// Returns the header of the file.
fn header(kind: NumberKind, [lanes, bins, windows]: [usize; 3]) -> Vec<u8> {
    let descr = match kind {
        NumberKind::Decibels => "<f4",
        NumberKind::Complex => "<c8",
    };
    npy::header(descr, true, &[lanes, bins, windows])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_aligned_and_says_what_follows() {
        for shape in [[1, 513, 7], [2, 32_769, 123_456_789], [2, 1025, 0]] {
            let bytes = header(NumberKind::Decibels, shape);
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])) + 10, bytes.len());
            let words = String::from_utf8_lossy(&bytes[10..]).into_owned();
            assert!(words.contains(&format!("'shape': ({}, {}, {})", shape[0], shape[1], shape[2])), "{words}");
            assert!(words.contains("'<f4'") && words.ends_with('\n'));
        }
    }
}
