//! Two versions of a recording, frame by frame.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::align::{Alignment, warp::Interpolator};
use super::material::{Material, mean};
use super::measures::{Pitches, Spectral, pitches};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::units::SampleRate;

/// Two versions of equal length, whose frames correspond.
pub struct Pair {
    /// The rate of both.
    pub rate: SampleRate,
    /// The channels of the reference.
    pub reference: Vec<Vec<f32>>,
    /// The channels of the other.
    pub other: Vec<Vec<f32>>,
    // What several measures share is computed once.
    spectra: OnceLock<Result<Vec<Spectral>>>,
    pitches: OnceLock<Result<std::result::Result<Pitches, String>>>,
}

impl Pair {
    /// Creates a pair.
    pub fn new(rate: SampleRate, reference: Vec<Vec<f32>>, other: Vec<Vec<f32>>) -> Self {
        Self { rate, reference, other, spectra: OnceLock::new(), pitches: OnceLock::new() }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.reference.first().map_or(0, Vec::len)
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.reference.len()
    }

    /// Returns the distances of the spectra of each channel.
    pub(super) fn spectra(&self) -> Result<&[Spectral]> {
        let all = || {
            let channels = self.reference.iter().zip(&self.other);
            channels.map(|(reference, other)| Spectral::new(self.rate, reference, other)).collect()
        };
        self.spectra.get_or_init(all).as_ref().map(Vec::as_slice).map_err(repeated)
    }

    /// Returns the pitches of the mean of the channels, or why there are none.
    pub(super) fn pitches(&self, progress: &Progress) -> Result<std::result::Result<&Pitches, &str>> {
        let both = || pitches(self.rate, &mean(&self.reference), &mean(&self.other), progress);
        let found = self.pitches.get_or_init(both).as_ref().map_err(repeated)?;
        Ok(found.as_ref().map_err(String::as_str))
    }
}

/// An error that is kept, for each measure that meets it.
fn repeated(error: &Error) -> Error {
    match error {
        Error::Cancelled => Error::Cancelled,
        other => Error::Internal(other.to_string()),
    }
}

/// Returns what both have in common, with the other's clock, channel order and polarity made the reference's. Its gain
/// is left as it is: that is for the measures to tell.
pub(super) fn aligned(material: &Material, alignment: &Alignment, notes: &mut Vec<String>) -> Pair {
    let [frames, others] = material.frames();
    let line = alignment.line();
    let common = line.common(frames, others);
    let left_out = frames - common.len();
    if left_out > 0 {
        let seconds = left_out as f64 / material.rate.as_f64();
        notes.push(format!("{seconds:.3} s of the reference are not in the other and were left out."));
    }
    let sign = f32::from(alignment.polarity);
    let one = |&from: &usize| -> Vec<f32> {
        let source = &material.other[from];
        if let Some(offset) = line.whole_offset() {
            let first = (common.start as i64 + offset) as usize;
            return source[first..first + common.len()].iter().map(|sample| sample * sign).collect();
        }
        let mut out = vec![0.0f32; common.len()];
        Interpolator::shared().along(source, &line, common.start, &mut out);
        out.iter_mut().for_each(|sample| *sample *= sign);
        out
    };
    let other = alignment.channel_order.par_iter().map(one).collect();
    let reference = material.reference.iter().map(|channel| channel[common.clone()].to_vec()).collect();
    Pair::new(material.rate, reference, other)
}

/// Returns both from their first frames on, as far as the shorter one reaches.
pub(super) fn as_they_are(material: &Material, notes: &mut Vec<String>) -> Pair {
    let [frames, others] = material.frames();
    let common = frames.min(others);
    if frames != others {
        let longer = if frames > others { "reference" } else { "other" };
        let seconds = frames.abs_diff(others) as f64 / material.rate.as_f64();
        notes.push(format!("The {longer} is {seconds:.3} s longer; its end was left out."));
    }
    let part = |channels: &[Vec<f32>]| channels.iter().map(|channel| channel[..common].to_vec()).collect();
    Pair::new(material.rate, part(&material.reference), part(&material.other))
}

/// Returns both as they are, with their own lengths: for measures that compare no frames.
pub(super) fn unaligned(material: &Material) -> Pair {
    Pair::new(material.rate, material.reference.clone(), material.other.clone())
}
