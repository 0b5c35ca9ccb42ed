//! Measurements that several modules share: peak, true peak, RMS, percentiles, loudness and the gains made of it,
//! silences, spectra, stereo image; and rate conversion.

pub mod analyser;
pub mod levels;
pub mod loudness;
pub mod magnitudes;
#[cfg(test)]
mod memory;
pub mod replay_gain;
pub mod resample;
pub mod running_spectrum;
pub mod silence;
pub mod spectrum;
pub mod stereo;
pub mod true_peak;
