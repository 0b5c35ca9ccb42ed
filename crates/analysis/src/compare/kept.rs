//! The spectra kept of a reference that several versions are compared with, one after another or at once.

use std::sync::OnceLock;

use super::measures::Magnitudes;
use super::pair::Pair;
use base::error::Result;
use base::units::SampleRate;

/// A longer reference (frames times channels) is not kept: its spectra would take 16 bytes a sample.
const MAX_SAMPLES: usize = 1 << 23;

/// The spectra of a reference, made by the first comparison that needs them. Each keeper belongs to one recording.
#[derive(Debug, Default)]
pub struct Kept {
    spectra: OnceLock<Result<(Whole, Magnitudes)>>,
}

/// The signal that the spectra are of: versions with other channels are compared with other sums of channels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Whole {
    rate: SampleRate,
    channels: usize,
    frames: usize,
}

impl Kept {
    /// Returns the spectra of the reference of a pair, which is all of the recording; `None` if they are not kept.
    pub(super) fn spectra(&self, pair: &Pair) -> Option<&Magnitudes> {
        let whole = Whole { rate: pair.rate, channels: pair.channels(), frames: pair.frames() };
        if whole.frames * whole.channels > MAX_SAMPLES {
            return None;
        }
        let made = || Ok((whole, Magnitudes::new(pair.rate, &pair.reference)?));
        // An error shows again where the spectra are made for the pair alone.
        let (of, spectra) = self.spectra.get_or_init(made).as_ref().ok()?;
        (*of == whole).then_some(spectra)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compare::noise::noise;
    use crate::compare::{Comparison, Request, compare, compare_keeping};
    use audio::{AudioBuffer, MemoryReader};
    use base::progress::Progress;

    fn request() -> Request {
        let measures = crate::compare::MEASURES.iter();
        let spectral = ["log_spectral_distance", "stft", "mel", "cepstral_distance"];
        let measures = measures.filter(|measure| spectral.contains(&measure.name)).collect();
        Request { measures, align: false, curves: true, ..Request::default() }
    }

    fn values(comparison: &Comparison) -> Vec<f64> {
        let of_reading = |(_, reading): &(_, crate::compare::Reading)| {
            let curve = reading.curve.as_ref().map(|curve| curve.values.clone()).unwrap_or_default();
            reading.whole.value().into_iter().chain(curve.into_iter().flatten()).collect::<Vec<f64>>()
        };
        comparison.readings.iter().flat_map(of_reading).collect()
    }

    #[test]
    fn kept_spectra_give_the_same_distances() {
        let rate = SampleRate::new(44_100).unwrap();
        let sound = |seed| (0..2_u64).map(|channel| noise(seed + channel, 30_000)).collect::<Vec<_>>();
        let reference = sound(1);
        let shorter = |frames: usize| reference.iter().map(|channel| channel[..frames].to_vec()).collect::<Vec<_>>();
        let reader = |channels: &Vec<Vec<f32>>| MemoryReader::new(rate, AudioBuffer::from_channels(channels.clone()));
        let kept = Arc::new(Kept::default());
        // Others, one that is equal, one of one channel, and one that is shorter than the reference.
        let others = [sound(5), sound(9), reference.clone(), vec![noise(3, 30_000)], shorter(20_000)];
        for (at, other) in others.iter().enumerate() {
            let progress = Progress::new();
            let alone = compare(&mut reader(&reference), &mut reader(other), &request(), &progress).unwrap();
            let (a, b) = (&mut reader(&reference), &mut reader(other));
            let together = compare_keeping(a, b, &request(), &kept, &progress).unwrap();
            let (alone, together) = (values(&alone), values(&together));
            assert!(alone.len() > 100 && alone.len() == together.len());
            let worst = alone.iter().zip(&together).map(|(a, b)| (a - b).abs() / a.abs().max(1.0)).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{at}: {worst}");
            if at == 2 {
                assert!(together.iter().all(|&value| value == 0.0));
            }
        }
    }
}
