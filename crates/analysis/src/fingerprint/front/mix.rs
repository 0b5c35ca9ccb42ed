//! Mixes any number of channels down to one.
//!
//! The weights are those that `FFmpeg`'s `swresample` uses for a centre channel: front left and right and front left
//! and right of centre `sqrt(1/2)`, centre 1, low frequencies 0, back and side `1/2` each. They are divided by their
//! sum if it exceeds 1, so that the mix does not clip. Channels with an unknown layout get the one that `FFmpeg`
//! assumes for their number, which for three and four channels differs from that of FLAC and Vorbis. More than eight
//! are averaged.

use std::ops::Range;

use audio::{Layout, Speaker};

const CENTRE: f64 = 1.0;
const FRONT: f64 = std::f64::consts::FRAC_1_SQRT_2;
const BACK: f64 = 0.5;
const LOW: f64 = 0.0;

/// The mixing weight of each channel.
pub(super) struct Mix {
    weights: Vec<f32>,
}

impl Mix {
    pub fn new(channels: usize, layout: Option<Layout>) -> Self {
        let assumed = || match channels {
            3 => Layout::from_mask(0xb),
            4 => Layout::from_mask(0x107),
            _ => Layout::usual(channels),
        };
        let layout = layout.filter(|layout| layout.channels() == channels).or_else(assumed);
        let weights = match layout {
            Some(layout) => {
                let places: Vec<f64> = layout.speakers().map(weight).collect();
                let sum: f64 = places.iter().sum();
                places.iter().map(|weight| (weight / sum.max(1.0)) as f32).collect()
            }
            None => vec![(1.0 / channels as f64) as f32; channels],
        };
        Self { weights }
    }

    pub fn channels(&self) -> usize {
        self.weights.len()
    }

    /// Replaces the content of `to` with the mix of the given frames.
    pub fn planar(&self, planes: &[&[f32]], frames: Range<usize>, to: &mut Vec<f32>) {
        to.clear();
        match (planes, self.weights.as_slice()) {
            ([plane], _) => to.extend_from_slice(&plane[frames]),
            ([left, right], _) => {
                to.extend(left[frames.clone()].iter().zip(&right[frames]).map(|(l, r)| 0.5 * (l + r)));
            }
            (planes, weights) => {
                to.resize(frames.len(), 0.0);
                for (plane, &weight) in planes.iter().zip(weights) {
                    if weight != LOW as f32 {
                        for (to, x) in to.iter_mut().zip(&plane[frames.clone()]) {
                            *to += weight * x;
                        }
                    }
                }
            }
        }
        without_nan(to);
    }

    /// Replaces the content of `to` with the mix of the given interleaved samples.
    pub fn interleaved(&self, samples: &[f32], to: &mut Vec<f32>) {
        to.clear();
        match self.weights.as_slice() {
            [_] => to.extend_from_slice(samples),
            [_, _] => to.extend(samples.as_chunks::<2>().0.iter().map(|[l, r]| 0.5 * (l + r))),
            weights => to.extend(samples.chunks_exact(weights.len()).map(|frame| {
                let of =
                    |sum: f32, (x, &weight): (&f32, &f32)| if weight == LOW as f32 { sum } else { sum + weight * x };
                frame.iter().zip(weights).fold(0.0, of)
            })),
        }
        without_nan(to);
    }
}

/// Returns the weight of a loudspeaker before the division by the sum.
fn weight(speaker: Speaker) -> f64 {
    match speaker {
        Speaker::FrontCentre => CENTRE,
        Speaker::FrontLeft | Speaker::FrontRight | Speaker::FrontLeftOfCentre | Speaker::FrontRightOfCentre => FRONT,
        Speaker::BackLeft | Speaker::BackRight | Speaker::BackCentre | Speaker::SideLeft | Speaker::SideRight => BACK,
        // `swresample` also leaves out height channels.
        _ => LOW,
    }
}

/// Replaces `NaN` with silence and clamps infinities and huge values to ±1e4, so that one bad sample does not affect
/// the samples after it.
fn without_nan(samples: &mut [f32]) {
    for x in samples {
        *x = if x.is_nan() { 0.0 } else { x.clamp(-1e4, 1e4) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planar_and_interleaved_are_one_mix() {
        for channels in 1..=10 {
            let mix = Mix::new(channels, None);
            let planes: Vec<Vec<f32>> =
                (0..channels).map(|c| (0..5).map(|n| ((c * 7 + n * 3) % 11) as f32 / 11.0).collect()).collect();
            let slices: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
            let interleaved: Vec<f32> = (0..5).flat_map(|n| planes.iter().map(move |plane| plane[n])).collect();
            let (mut a, mut b) = (Vec::new(), Vec::new());
            mix.planar(&slices, 0..5, &mut a);
            mix.interleaved(&interleaved, &mut b);
            assert_eq!(a, b, "{channels} channels");
            assert!((mix.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn broken_samples_are_silence() {
        let mut to = Vec::new();
        Mix::new(1, None).interleaved(&[f32::NAN, f32::INFINITY, 0.5], &mut to);
        assert_eq!(to, [0.0, 1e4, 0.5]);
    }
}
