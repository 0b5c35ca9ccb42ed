//! Spectrograms as image files and as arrays of numbers.

mod axes;
mod image;
mod numbers;
mod text;

pub use image::Image;
pub use numbers::{NumberKind, write_npy, write_row_npy};

use super::colours::ColourTable;
use super::spectrogram::{Analysis, Extent, PlacedAnalysis, SpectrogramSource};
use audio::{AudioBuffer, Lanes};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::device::DeviceReport;
use dsp::device::Placement;
use dsp::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, LevelCode, Samples, Spacing};

/// Frames read and analysed at a time.
const PIECE_FRAMES: f64 = (1 << 20) as f64;
/// Pixels computed at a time.
const PIECE_VALUES: usize = 1 << 22;
/// The largest width and height of a picture, in pixels.
pub const MAX_PIXELS: u32 = 16_384;

/// The settings of a picture.
#[derive(Clone, Debug)]
pub struct PictureSpec {
    /// The analysis settings.
    pub analysis: Analysis,
    /// The lanes, one panel each, from top to bottom.
    pub lanes: Lanes,
    /// The width of the spectrogram (time) in pixels.
    pub width: u32,
    /// The height of each panel (frequency) in pixels.
    pub height: u32,
    /// The largest distance between windows of the configured size within a pixel, in frames. For longer and shorter
    /// windows it scales with their length.
    pub hop: usize,
    /// The level of the brightest colour, in dB re a full-scale sine.
    pub top_db: f64,
    /// The range from the darkest to the brightest colour, in dB.
    pub range_db: f64,
    /// The colours.
    pub colours: ColourTable,
    /// Whether axes and a legend are drawn around the panels.
    pub axes: bool,
    /// The title above the panels, drawn together with the axes.
    pub title: String,
}

impl PictureSpec {
    fn check(&self) -> Result<()> {
        let side = |what: &str, pixels: u32| {
            if (16..=MAX_PIXELS).contains(&pixels) {
                return Ok(());
            }
            Err(Error::invalid(what, format!("{pixels} pixels"), format!("16 to {MAX_PIXELS} pixels")))
        };
        side("width of a picture", self.width)?;
        side("height of a picture", self.height)?;
        if self.hop == 0 {
            return Err(Error::invalid("hop", "0 frames", "1 frame or more"));
        }
        if !(self.range_db > 0.0 && self.range_db <= 300.0 && self.top_db.abs() <= 300.0) {
            let got = format!("{} dB below {} dB", self.range_db, self.top_db);
            return Err(Error::invalid("range of a picture", got, "up to 300 dB, its top within 300 dB of 0"));
        }
        Ok(())
    }
}

/// Draws the spectrogram of all of `source`. Every frame is covered: a pixel is the mean power of windows no further
/// apart than the hop. Progress counts frames. The report states the device.
///
/// # Errors
/// [`Error::Invalid`] for an empty recording, and for sizes and ranges out of bounds.
pub fn draw(
    source: &SpectrogramSource,
    spec: &PictureSpec,
    placement: &Placement,
    progress: &Progress,
) -> Result<(Image, DeviceReport)> {
    spec.check()?;
    if source.frames() == 0 {
        return Err(Error::invalid("recording to draw", "no frame", "one frame or more"));
    }
    progress.set_total(source.frames());
    let rate = source.format().rate;
    let axis = spec.analysis.axis(rate);
    let analyser = spec.analysis.columns(rate, axis.span(spec.height as usize))?;
    let (panels, report) = levels(source, spec, analyser.as_ref(), placement, progress)?;
    let mut image = axes::frame(spec, panels.len() as u32, &axis, source);
    let colour = |code: u16| {
        let share = (f64::from(LevelCode::FINE.db(u32::from(code))) - spec.top_db + spec.range_db) / spec.range_db;
        spec.colours[(share * 255.0).round().clamp(0.0, 255.0) as usize]
    };
    for (panel, codes) in panels.iter().enumerate() {
        let (left, top) = axes::origin(spec, panel as u32);
        for y in 0..spec.height {
            // The lowest row is at the bottom.
            let row = &codes[((spec.height - 1 - y) * spec.width) as usize..][..spec.width as usize];
            for (x, &code) in row.iter().enumerate() {
                image.set(left + x as u32, top + y, colour(code));
            }
        }
    }
    Ok((image, report))
}

/// Returns the codes of every panel, row by row from the lowest frequency up, and the device that computed them.
fn levels(
    source: &SpectrogramSource,
    spec: &PictureSpec,
    analyser: &dyn ColumnAnalysis,
    placement: &Placement,
    progress: &Progress,
) -> Result<(Vec<Vec<u16>>, DeviceReport)> {
    let (width, frames) = (spec.width as usize, source.frames());
    let each = frames as f64 / width as f64;
    let spacing = Spacing::Within(spec.hop as f64 / spec.analysis.size as f64);
    let piece = ((PIECE_FRAMES / each) as usize).min(PIECE_VALUES / analyser.rows()).clamp(1, width);
    let lanes = spec.lanes.count(source.format().channels);
    let mut panels = vec![vec![0; analyser.rows() * width]; lanes];
    let columns = |first: usize, count: usize| {
        let first_centre = (first as f64 + 0.5) * each;
        ColumnGrid { count, first_centre, frames_each: each, spacing }
    };
    let extent = Extent { piece: columns(0, piece), columns: width, lanes, level_bytes: 2 };
    let mut placed = PlacedAnalysis::new(analyser, placement, &extent)?;
    source.read(|reader| {
        let mut audio = AudioBuffer::default();
        for first in (0..width).step_by(piece) {
            progress.check()?;
            let count = piece.min(width - first);
            let grid = columns(first, count);
            let reach = analyser.reach(&grid);
            let start = reach.start.clamp(0, frames as i64);
            reader.seek(start as u64)?;
            reader.read(&mut audio, (reach.end.min(frames as i64) - start).max(0) as usize)?;
            for (lane, panel) in panels.iter_mut().enumerate() {
                let samples = spec.lanes.samples(&audio, lane);
                let tile = placed.fine(&grid, Samples { samples: &samples, first_frame: start }, progress)?;
                for row in 0..tile.rows {
                    panel[row * width + first..][..count].copy_from_slice(tile.row(row));
                }
            }
            progress.advance((((first + count) as f64 * each) as u64).saturating_sub((first as f64 * each) as u64))?;
        }
        Ok(())
    })?;
    Ok((panels, placed.report().clone()))
}

/// Encodes an image as PNG.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(image.bytes())?;
        writer.finish()
    });
    written.map_err(|error| Error::Internal(format!("the picture could not be encoded: {error}")))?;
    Ok(bytes)
}
