//! The stereo image of a whole recording, from sums over its first two channels.
//!
//! | | unit | range | formula |
//! |---|---|---|---|
//! | width | share | 0..1 | `S / (M + S)`, `M` and `S` the energies of `(l + r)/2` and `(l - r)/2` |
//! | correlation | 1 | -1..1 | `sum l r / sqrt(sum l^2 sum r^2)` |
//!
//! A single channel has width 0 and correlation 1 by definition. The width is 1/2 if the channels have nothing in
//! common or one of them is silent, and 1 for channels of opposite polarity. [`dsp::measure::stereo::Correlation`]
//! measures the same over the last moments.

use super::waveform::Hop;

/// The mean power of a channel below which there is nothing to compare (-90 dB).
const MIN_POWER: f64 = 1e-9;

/// The stereo image of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stereo {
    /// The side's share of the energy, 0..=1; `None` for silence.
    pub width: Option<f64>,
    /// The correlation of the two channels, -1..=1; `None` if one is silent.
    pub correlation: Option<f64>,
}

impl Stereo {
    /// Computes the stereo image from all hops of a recording.
    pub fn new(hops: &[Hop], frames: u64, channels: usize) -> Self {
        let sum = |of: usize| hops.iter().map(|hop| hop.stereo[of]).sum::<f64>();
        let least = MIN_POWER * frames as f64;
        if channels < 2 {
            let heard = frames > 0 && hops.iter().map(|hop| hop.energy).sum::<f64>() > least;
            return Self { width: heard.then_some(0.0), correlation: heard.then_some(1.0) };
        }
        let [left, right, both] = [sum(0), sum(1), sum(2)];
        // (l +- r)^2 / 4 summed. Rounding must not make the side of equal channels negative.
        let total = left + right;
        let side = ((total - 2.0 * both) / total / 2.0).clamp(0.0, 1.0);
        let heard = left > least && right > least;
        Self {
            width: (total > least).then_some(side),
            correlation: heard.then(|| (both / (left * right).sqrt()).clamp(-1.0, 1.0)),
        }
    }
}
