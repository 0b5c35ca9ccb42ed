//! The plan: the three transforms, and the edges of the picture's rows.

use std::f64::consts::TAU;

use crate::design::{Bank, FrequencyScale, Window};
use crate::kernels::signal::stft::{StftPlan, StftSpec};
use base::error::Result;

/// The level below which cells are not moved, in dB re a full-scale sine.
pub const STILL_DB: f64 = -120.0;

/// The parameters of a reassigned spectrogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReassignedSpec {
    /// The window function.
    pub window: Window,
    /// Frames per window, in [`StftSpec::SIZES`].
    pub size: usize,
    /// The zero-padding factor: the transform length divided by the window length. One of [`StftSpec::PADDINGS`].
    pub padding: usize,
}

/// A planned reassigned spectrogram. Cheap to clone, except for the rows.
#[derive(Clone, Debug)]
pub struct ReassignedPlan {
    plain: StftPlan,
    slope: StftPlan,
    ramp: StftPlan,
    /// The edges of the rows in bins, one more than there are rows.
    edges: Vec<f32>,
}

impl ReassignedPlan {
    /// Plans `count` rows that divide the range from `low_hz` to `high_hz` evenly on `scale`.
    pub fn new(
        spec: ReassignedSpec,
        rate_hz: f64,
        scale: FrequencyScale,
        [low_hz, high_hz]: [f64; 2],
        count: usize,
    ) -> Result<Self> {
        let ReassignedSpec { window, size, padding } = spec;
        let plain = StftPlan::new(StftSpec { window, size, padding, hop: size })?;
        let bins = plain.bins_at(rate_hz);
        // Only for its checks.
        Bank::display(bins, scale, [low_hz, high_hz], count)?;
        let mut hz = scale.spaced(low_hz, high_hz, count + 1);
        // Adjacent pictures must share their edge exactly.
        (hz[0], hz[count]) = (low_hz, high_hz);
        let mut edges: Vec<f32> = hz.into_iter().map(|hz| bins.bin_from_hz(hz) as f32).collect();
        // The Nyquist frequency belongs to the row that ends on it.
        if edges[count] >= (bins.count() - 1) as f32 {
            edges[count] = edges[count].next_up();
        }
        let taps = plain.window();
        let at = |n: usize| taps[n % size];
        let slope = (0..size).map(|n| (at(n + 1) - at(n + size - 1)) / 2.0).collect();
        let ramp = taps.iter().enumerate().map(|(n, w)| w * (n as f64 - (size / 2) as f64)).collect();
        Ok(Self { slope: plain.weighted_by(slope), ramp: plain.weighted_by(ramp), plain, edges })
    }

    /// Returns the transform whose cells are moved.
    pub fn transform(&self) -> &StftPlan {
        &self.plain
    }

    /// Returns the transforms with the window function, with its slope, and with the window function times the distance
    /// from its middle.
    pub(super) fn transforms(&self) -> [&StftPlan; 3] {
        [&self.plain, &self.slope, &self.ramp]
    }

    /// Returns the edges of the rows, in bins.
    pub(super) fn edges(&self) -> &[f32] {
        &self.edges
    }

    /// Returns the factor that scales `|X|^2` to a cell's power: `4 / (N sum w^2)`.
    pub fn power_scale(&self) -> f64 {
        4.0 / (self.plain.fft_length() as f64 * self.plain.window().iter().map(|w| w * w).sum::<f64>())
    }

    /// Returns the factor that converts the slope's quotient from radians per frame to bins.
    pub(super) fn bins_per_radian(&self) -> f64 {
        self.plain.fft_length() as f64 / TAU
    }
}
