//! The transform on a GPU: tables in f32, and the recording of tiles and spectra.
//!
//! Transforms of up to 4096 points stay in a workgroup (`short.rs`, `shaders/signal/stft.wgsl`); for a tile, only the levels
//! are written to device memory. Longer transforms of up to 524,288 points take two steps through device memory
//! (`long.rs`, `shaders/signal/stft_long.wgsl`). In both cases levels are converted to codes on the device, and only the codes
//! are read back.
//!
//! Window sizes that are not a power of two are rejected; the CPU supports them.

mod columns;
mod fourier;
mod gather;
mod long;
mod short;

pub use columns::GpuColumns;
pub(super) use fourier::FourierGpu;

use std::ops::Range;

use super::{Complex32, LevelCode, Samples, Spectra, StftPlan, Tile, TileRequest};
use crate::gpu::shaders::stft as shader;
use crate::gpu::{Constant, Engine, Finished, MAX_BINDING_BYTES, Recording, View};
use crate::kernels::signal::roots::transform_roots;
use crate::kernels::signal::{FrameSpan, Plane};
use base::error::{Error, Result};
use base::progress::Progress;
use columns::TileLayout;
use gather::gather;
use short::{pack, unpack};

/// A plan in the form that the shaders use.
#[derive(Clone, Debug)]
pub struct GpuStft {
    plan: StftPlan,
    /// `exp(-2 pi i n / N)` for the first half of the circle, then the window function, with two frames per element.
    tables: Constant,
}

/// The input of one recording: the frames of windows, and the index at which each window begins.
struct Windows<'r> {
    samples: View,
    tables: View,
    /// The words of `places`, beginning with the windows' starts.
    places: Vec<u32>,
    /// The number of columns, and of windows per column. For spectra, each column is one window.
    columns: usize,
    windows: usize,
    transform: &'r GpuStft,
}

/// Device buffers that transforms of the same windows share.
pub(crate) struct SpectraBuffers {
    samples: View,
    starts: View,
    /// Scratch for transforms through device memory.
    scratch: Option<[View; 2]>,
}

impl SpectraBuffers {
    /// Allocates buffers for up to `windows` windows at a time of this transform.
    pub fn new(recording: &mut Recording<'_>, transform: &GpuStft, windows: usize) -> Self {
        Self {
            samples: recording.buffer((windows * transform.plan.spec().size * 4) as u64),
            starts: recording.buffer(windows as u64 * 4),
            scratch: transform.scratch_of(recording, windows),
        }
    }

    /// Uses frames that are already on the device; `starts` are the indices at which the windows begin. `scratch` comes
    /// from [`GpuStft::scratch_of`] for as many windows.
    pub(crate) fn of(recording: &mut Recording<'_>, samples: View, starts: &[u32], scratch: Option<[View; 2]>) -> Self {
        let places = recording.buffer(starts.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(starts).to_vec());
        Self { samples, starts: places, scratch }
    }

    /// Records the upload of windows of `size` frames that begin at `starts`, in ascending order.
    pub(crate) fn upload(
        &self,
        recording: &mut Recording<'_>,
        samples: Samples<'_>,
        starts: impl Iterator<Item = i64>,
        size: usize,
    ) {
        let gathered = gather(samples, starts, size);
        recording.upload(self.samples, bytemuck::cast_slice(&gathered.samples).to_vec());
        recording.upload(self.starts, bytemuck::cast_slice(&gathered.starts).to_vec());
    }
}

impl GpuStft {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the window size is not a power of two. Such windows run on the CPU.
    pub fn new(plan: &StftPlan) -> Result<Self> {
        if !plan.spec().size.is_power_of_two() {
            let what = format!("a window of {} frames on a GPU", plan.spec().size);
            return Err(Error::unsupported(what, "its transforms are of powers of two; the CPU takes any size"));
        }
        let points = plan.fft_length() / 2;
        let pairs = plan.window().chunks_exact(2).map(|pair| [pair[0] as f32, pair[1] as f32]);
        let tables: Vec<[f32; 2]> = transform_roots(points).chain(pairs).collect();
        Ok(Self { plan: plan.clone(), tables: Constant::of(&tables) })
    }

    /// Returns the plan that this was lowered from.
    pub fn plan(&self) -> &StftPlan {
        &self.plan
    }

    /// Returns the number of complex points per transform, half the number of real points.
    pub fn points(&self) -> usize {
        self.plan.fft_length() / 2
    }

    /// Returns whether a transform fits into a workgroup.
    pub fn is_short(&self) -> bool {
        self.points() <= shader::POINTS as usize
    }

    /// Returns the points of the two steps of a long transform: powers of two, as close to each other as possible.
    pub(crate) fn steps(&self) -> [usize; 2] {
        let second = 1 << (self.points().ilog2() / 2);
        [self.points() / second, second]
    }

    /// Allocates the scratch memory for `windows` simultaneous transforms, or returns `None` if they fit into a
    /// workgroup.
    pub(crate) fn scratch_of(&self, recording: &mut Recording<'_>, windows: usize) -> Option<[View; 2]> {
        (!self.is_short()).then(|| self.scratch(recording, windows))
    }

    /// Returns the complex spectra of the given windows, equivalent to the CPU twin.
    pub fn spectra(
        &self,
        engine: &mut Engine,
        samples: Samples<'_>,
        windows: Range<u64>,
        progress: Option<&Progress>,
    ) -> Result<(Spectra<Complex32>, Finished)> {
        let bins = self.plan.bins();
        let total = windows.end.saturating_sub(windows.start) as usize;
        let mut values = Vec::with_capacity(total * bins);
        let finished = in_chunks(total, self.max_columns(1, 2 * bins)?, |chunk| {
            let starts = chunk.clone().map(|index| self.plan.start_frame(windows.start + index as u64));
            let mut recording = Recording::new();
            let spectra = recording.buffer((chunk.len() * bins * 8) as u64);
            let buffers = SpectraBuffers::new(&mut recording, self, chunk.len());
            buffers.upload(&mut recording, samples, starts, self.plan.spec().size);
            let tables = self.tables(&mut recording);
            self.record_spectra(&mut recording, &buffers, tables, chunk.len(), (spectra, 0));
            let ticket = recording.readback(spectra);
            engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    let pairs: Vec<[f32; 2]> = bytemuck::pod_collect_to_vec(bytes);
                    values.extend(pairs.iter().map(|&[re, im]| Complex32 { re, im }));
                }
            })
        })?;
        Ok((Spectra { bins, values }, finished))
    }

    /// Records the spectra of uploaded windows into a buffer, after the `first` spectra that it already holds.
    pub(crate) fn record_spectra(
        &self,
        recording: &mut Recording<'_>,
        buffers: &SpectraBuffers,
        tables: View,
        windows: usize,
        (to, first): (View, usize),
    ) {
        let (samples, places) = (buffers.samples, Vec::new());
        let asked = Windows { samples, tables, places, columns: windows, windows: 1, transform: self };
        match buffers.scratch {
            None => asked.short_spectra(recording, buffers.starts, (to, first)),
            Some(scratch) => asked.long_spectra(recording, buffers.starts, scratch, (to, first)),
        }
    }

    /// Records the power spectra of at most [`GpuStft::max_windows`] windows, as rows that stay on the device. 1 is the
    /// power of a full-scale sine. `signal` must hold the frames from the first of the first window to the last of the
    /// last.
    pub fn record_power<'r>(&'r self, recording: &mut Recording<'r>, signal: FrameSpan, windows: Range<u64>) -> Plane {
        let rows = windows.end.saturating_sub(windows.start) as usize;
        if rows == 0 {
            return Plane::new(recording, self.plan.bins(), 0);
        }
        let places = windows.map(|window| (self.plan.start_frame(window) - signal.first_frame) as u32).collect();
        let tables = self.tables(recording);
        let asked = Windows { samples: signal.view, tables, places, columns: rows, windows: 1, transform: self };
        self.power_of(recording, asked, rows)
    }

    fn power_of<'r>(&'r self, recording: &mut Recording<'r>, mut asked: Windows<'r>, rows: usize) -> Plane {
        let view = if self.is_short() {
            asked.short_power(recording)
        } else {
            let places = asked.upload_places(recording);
            asked.long_power(recording, places)
        };
        Plane { view, columns: self.plan.bins(), rows }
    }

    /// Returns the maximum number of windows per recording of power spectra.
    pub fn max_windows(&self) -> usize {
        self.max_columns(1, self.plan.bins()).unwrap_or(1)
    }

    /// Returns the tile's levels in dB re a full-scale sine, equivalent to the CPU twin.
    pub fn levels(
        &self,
        engine: &mut Engine,
        request: &TileRequest<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<f32>, Finished)> {
        self.tile(engine, request, progress, None)
    }

    /// Returns the tile's levels in steps of 0.005 dB, coded as [`LevelCode::FINE`].
    pub fn fine(
        &self,
        engine: &mut Engine,
        request: &TileRequest<'_>,
        progress: Option<&Progress>,
    ) -> Result<(Tile<u16>, Finished)> {
        self.tile(engine, request, progress, Some((LevelCode::FINE, 2)))
    }

    /// Returns the tile's levels in 256 steps over `range_db` from `low_db` up, coded as [`LevelCode::coarse`].
    pub fn coarse(
        &self,
        engine: &mut Engine,
        request: &TileRequest<'_>,
        [low_db, range_db]: [f32; 2],
        progress: Option<&Progress>,
    ) -> Result<(Tile<u8>, Finished)> {
        self.tile(engine, request, progress, Some((LevelCode::coarse(low_db, range_db), 4)))
    }

    /// Returns a tile of levels, or of codes with the given number of codes per word.
    fn tile<T: bytemuck::Pod>(
        &self,
        engine: &mut Engine,
        request: &TileRequest<'_>,
        progress: Option<&Progress>,
        code: Option<(LevelCode, usize)>,
    ) -> Result<(Tile<T>, Finished)> {
        request.check()?;
        if request.plan.spec() != self.plan.spec() {
            return Err(Error::Internal(format!("a tile of {:?} asked of {:?}", request.plan, self.plan)));
        }
        let (rows, columns) = (request.rows.len(), request.columns.count);
        if rows * columns == 0 {
            return Ok((Tile { rows, columns, values: Vec::new() }, Finished::default()));
        }
        let shape = TileLayout { rows, columns, most: self.max_columns(request.columns.windows, rows)?, code };
        columns::tile(engine, shape, progress, |recording, chunk| self.record_levels(recording, request, chunk))
    }

    /// Records the levels of some columns of a checked tile, column after column.
    pub(crate) fn record_levels<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        request: &TileRequest<'_>,
        chunk: Range<usize>,
    ) -> View {
        let windows = request.columns.windows;
        let centres = chunk.clone().flat_map(|column| (0..windows).map(move |window| (column, window)));
        let starts = centres.map(|(column, window)| self.plan.start_of_centre(request.columns.centre(column, window)));
        let gathered = gather(request.samples, starts, self.plan.spec().size);
        let asked = self.windows(recording, &gathered.samples, gathered.starts, chunk.len(), windows);
        if self.is_short() {
            asked.short_levels(recording, request.rows)
        } else {
            asked.long_levels(recording, request.rows)
        }
    }

    /// Returns the maximum number of columns per recording, each with `windows` windows and `results` f32 results.
    pub(crate) fn max_columns(&self, windows: usize, results: usize) -> Result<usize> {
        let words = (MAX_BINDING_BYTES / 4) as usize;
        // A window takes its frames, as if windows did not overlap, or the complex points of a long transform.
        let transform = if self.is_short() { 0 } else { 2 * self.points() };
        let each = (windows * self.plan.spec().size.max(transform)).max(results);
        // Starts and rows share a buffer, but there are few rows.
        match words / each {
            0 => Err(Error::Limit {
                what: "windows of a column on a GPU".to_owned(),
                got: windows.to_string(),
                limit: (words / self.plan.spec().size.max(transform)).to_string(),
            }),
            most => Ok(most),
        }
    }

    /// Returns the view of twiddle factors and window function, which stay on the device between recordings.
    pub(crate) fn tables(&self, recording: &mut Recording<'_>) -> View {
        recording.constant(&self.tables)
    }

    fn windows<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        samples: &[f32],
        starts: Vec<u32>,
        columns: usize,
        windows: usize,
    ) -> Windows<'r> {
        let buffer = recording.buffer(samples.len() as u64 * 4);
        recording.upload(buffer, bytemuck::cast_slice(samples).to_vec());
        let tables = self.tables(recording);
        Windows { samples: buffer, tables, places: starts, columns, windows, transform: self }
    }
}

/// Runs `one` for consecutive ranges of `0..total`, each of at most `most`. Halves `most` if the device runs out of
/// memory.
pub(crate) fn in_chunks(
    total: usize,
    most: usize,
    mut one: impl FnMut(Range<usize>) -> Result<Finished>,
) -> Result<Finished> {
    let mut all = Finished { device_clock: true, ..Finished::default() };
    let (mut first, mut most) = (0, most);
    while first < total {
        // Of equal size: a last chunk of a few would take about as long as a whole one.
        let left = total - first;
        let chunk = first..first + left.div_ceil(left.div_ceil(most.max(1)));
        match one(chunk.clone()) {
            Err(Error::GpuOutOfMemory(_)) if chunk.len() > 1 => most = chunk.len() / 2,
            Err(error) => return Err(error),
            Ok(finished) => {
                all += finished;
                first = chunk.end;
            }
        }
    }
    Ok(all)
}
