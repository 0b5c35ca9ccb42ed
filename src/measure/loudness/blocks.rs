//! K-weighted energy in blocks of 20 ms, of which every BS.1770 loudness is a mean.

use ebur128::{EbuR128, Mode};

use super::failed;
use crate::audio::AudioFormat;
use crate::error::{Error, Result};

/// Blocks per second.
pub const BLOCKS_PER_S: usize = 50;
const BLOCK_MS: u32 = 1000 / BLOCKS_PER_S as u32;
/// The lowest rate in Hz. Below it the weighting is undefined and a block has almost no frames.
const LEAST_RATE: u32 = 2000;
/// The offset of BS.1770, in dB.
const OFFSET_DB: f64 = -0.691;

/// Returns the loudness in LUFS of a mean energy; minus infinity for 0.
pub fn lufs_from_energy(energy: f64) -> f64 {
    if energy > 0.0 { OFFSET_DB + 10.0 * energy.log10() } else { f64::NEG_INFINITY }
}

/// Returns the mean energy of a loudness in LUFS.
pub fn energy_from_lufs(lufs: f64) -> f64 {
    10f64.powf((lufs - OFFSET_DB) / 10.0)
}

/// Divides a stream into blocks and measures their weighted energy. Channels are weighted as in BS.1770: surround
/// channels by 1.5 dB more, the LFE by 0.
pub struct Blocks {
    meter: EbuR128,
    rate: u32,
    channels: usize,
    frames: u64,
    blocks: u64,
    clean: Vec<Vec<f32>>,
}

impl Blocks {
    /// Plans the measurement of a stream. With `true_peak` it also measures the true peak, which takes longer.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a rate or a number of channels that BS.1770 measurement does not support.
    pub fn new(format: AudioFormat, true_peak: bool) -> Result<Self> {
        let (rate, channels) = (format.rate.hz(), format.channels);
        if rate < LEAST_RATE {
            return Err(Error::unsupported(
                "measuring the loudness of this stream",
                format!("{rate} Hz is too low a rate"),
            ));
        }
        let mode = if true_peak { Mode::M | Mode::TRUE_PEAK } else { Mode::M };
        let meter = EbuR128::new(channels as u32, rate, mode).map_err(|error| failed(error, channels))?;
        Ok(Self { meter, rate, channels, frames: 0, blocks: 0, clean: vec![Vec::new(); channels] })
    }

    /// Adds any number of samples and passes the energy of every completed block to `each`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for planes that do not fit the stream.
    pub fn add(&mut self, planes: &[&[f32]], mut each: impl FnMut(f64)) -> Result<()> {
        let failed = |error| failed(error, self.channels);
        let count = planes.first().map_or(0, |plane| plane.len());
        let mut from = 0;
        while from < count {
            let end = (self.blocks + 1) * u64::from(self.rate) / BLOCKS_PER_S as u64;
            let to = count.min(from + (end - self.frames) as usize);
            let mut part: Vec<&[f32]> = planes.iter().map(|plane| &plane[from..to]).collect();
            // A non-finite sample would stay in the recursive filter for ever, so it counts as silence.
            if part.iter().any(|plane| plane.iter().any(|sample| !sample.is_finite())) {
                for (clean, plane) in self.clean.iter_mut().zip(&part) {
                    clean.clear();
                    clean.extend(plane.iter().map(|&sample| if sample.is_finite() { sample } else { 0.0 }));
                }
                part = self.clean.iter().map(Vec::as_slice).collect();
            }
            self.meter.add_frames_planar_f32(&part).map_err(failed)?;
            self.frames += (to - from) as u64;
            from = to;
            if self.frames == end {
                self.blocks += 1;
                let energy = self.meter.loudness_window(BLOCK_MS).map(energy_from_lufs).map_err(failed)?;
                each(if energy.is_finite() { energy } else { 0.0 });
            }
        }
        Ok(())
    }

    /// Returns the highest true peak of any channel so far as a linear gain; 0 if it is not measured.
    pub fn true_peak(&self) -> f64 {
        let peaks = (0..self.channels as u32).filter_map(|channel| self.meter.true_peak(channel).ok());
        peaks.filter(|peak| peak.is_finite()).fold(0.0, f64::max)
    }
}
