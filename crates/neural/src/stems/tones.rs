//! Tones and hits, by the masks of [`dsp::kernels::signal::hpss`] for each channel.

use std::ops::Range;

use super::split::Masker;
use audio::AudioReader;
use base::error::Result;
use base::progress::Progress;
use dsp::kernels::signal::hpss;
use dsp::kernels::signal::stft::{Complex32, Spectra};

/// The masks of tones.
pub(super) struct Tones;

impl Masker for Tones {
    fn margin(&self) -> u64 {
        hpss::MARGIN as u64
    }

    fn masked(
        &mut self,
        _: &mut dyn AudioReader,
        spectra: &[Spectra<Complex32>],
        first: u64,
        wanted: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<Spectra<Complex32>>> {
        let wanted = (wanted.start - first) as usize..(wanted.end - first) as usize;
        let masked = |channel: &Spectra<Complex32>| {
            let bins = channel.bins;
            let power = Spectra { bins, values: channel.values.iter().map(Complex32::norm_sqr).collect() };
            let masks = hpss::masks(&power, wanted.clone(), progress)?;
            let taken = &channel.values[wanted.start * bins..wanted.end * bins];
            let values = taken.iter().zip(&masks.harmonic.values).map(|(value, share)| value * share).collect();
            Ok(Spectra { bins, values })
        };
        spectra.iter().map(masked).collect()
    }
}
