//! Two versions of a recording, frame by frame.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::align::line::Line;
use super::align::{Alignment, warp::Interpolator};
use super::kept::Kept;
use super::material::{Material, mean};
use super::measures::{FoundEdges, Loudness, Pitches, Spectral, edges, loudness, pitches};
use super::parts::Piece;
use audio::Layout;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::{SampleRate, db_from_gain};

/// Two versions of equal length, whose frames correspond.
pub struct Pair {
    /// The rate of both.
    pub rate: SampleRate,
    /// The channels of the reference.
    pub reference: Vec<Vec<f32>>,
    /// The channels of the other.
    pub other: Vec<Vec<f32>>,
    /// The loudspeakers of the channels of both; `None` if they are not known.
    pub layout: Option<Layout>,
    /// The ranges of the whole reference that the frames of this pair come from, in the order of the frames.
    pub stretches: Vec<Range<usize>>,
    /// The kept spectra of the reference, if it is all of a recording.
    pub(super) kept: Option<Arc<Kept>>,
    // Results that several measures share are computed once.
    spectra: OnceLock<Result<Vec<Spectral>>>,
    pitches: OnceLock<Result<std::result::Result<Pitches, String>>>,
    loudness: OnceLock<Result<std::result::Result<Loudness, String>>>,
    edges: OnceLock<Result<Vec<FoundEdges>>>,
}

impl Pair {
    /// Creates a pair.
    pub fn new(rate: SampleRate, reference: Vec<Vec<f32>>, other: Vec<Vec<f32>>) -> Self {
        let frames = reference.first().map_or(0, Vec::len);
        Self {
            rate,
            reference,
            other,
            layout: None,
            stretches: std::iter::once(0..frames).collect(),
            kept: None,
            spectra: OnceLock::new(),
            pitches: OnceLock::new(),
            loudness: OnceLock::new(),
            edges: OnceLock::new(),
        }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.reference.first().map_or(0, Vec::len)
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.reference.len()
    }

    /// Returns the frame of the whole reference where this pair begins.
    pub fn start_frame(&self) -> usize {
        self.stretches.first().map_or(0, |stretch| stretch.start)
    }

    /// Brings the other to the level of the reference: divides it by the gain with which the reference explains most of
    /// it, the same for all channels. Returns the change in dB; `None` if the two have nothing in common.
    pub(super) fn match_level(&mut self, notes: &mut Vec<String>) -> Option<f64> {
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let sum = |sums: Vec<f64>| sums.into_iter().sum::<f64>();
        let channels = self.reference.par_iter().zip(&self.other);
        // A channel that is inverted against the rest counts with its level.
        let cross = sum(channels.map(|(r, o)| product(r, o).abs()).collect());
        let energy = sum(self.reference.par_iter().map(|r| product(r, r)).collect());
        let scale = energy / cross;
        if !(scale > 0.0 && (scale as f32).is_normal()) {
            notes.push("The levels were not matched: the two have nothing in common.".to_owned());
            return None;
        }
        self.other.par_iter_mut().flatten().for_each(|sample| *sample = (f64::from(*sample) * scale) as f32);
        let gain_db = db_from_gain(scale);
        notes.push(format!(
            "The other was changed by {gain_db:+.2} dB, to the level of the reference, and then measured."
        ));
        Some(gain_db)
    }

    /// Returns the distances of the spectra of each channel.
    pub(super) fn spectra(&self) -> Result<&[Spectral]> {
        let all = || {
            if let Some(kept) = self.kept.as_ref().and_then(|kept| kept.spectra(self)) {
                return kept.distances(self.rate, &self.other);
            }
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

    /// Returns the loudness of both over time, or why there is none.
    pub(super) fn loudness(&self) -> Result<std::result::Result<&Loudness, &str>> {
        let found = self.loudness.get_or_init(|| loudness(self)).as_ref().map_err(repeated)?;
        Ok(found.as_ref().map_err(String::as_str))
    }

    /// Returns up to which frequencies each channel of both sounds.
    pub(super) fn edges(&self, progress: &Progress) -> Result<&[FoundEdges]> {
        self.edges.get_or_init(|| edges(self, progress)).as_ref().map(Vec::as_slice).map_err(repeated)
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
/// is left as it is, for the measures to report.
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
        let mut out = vec![0.0f32; common.len()];
        read_along(&material.other[from], &line, common.start, sign, &mut out);
        out
    };
    let other = alignment.channel_order.par_iter().map(one).collect();
    let reference = material.reference.iter().map(|channel| channel[common.clone()].to_vec()).collect();
    Pair { stretches: Vec::from([common]), ..of(material, reference, other) }
}

/// Returns the pieces that both have, one after the other, each along its line, with the channels as in `alignment`.
pub(super) fn of_pieces(material: &Material, pieces: &[Piece], alignment: &Alignment, notes: &mut Vec<String>) -> Pair {
    let [frames, others] = material.frames();
    let within = |piece: &Piece| {
        let common = piece.line.common(frames, others);
        let start = piece.start.max(common.start);
        start..piece.end.min(common.end).max(start)
    };
    let stretches: Vec<Range<usize>> = pieces.iter().map(within).collect();
    let one = |&from: &usize| -> Vec<f32> {
        let mut out = Vec::new();
        for (piece, stretch) in pieces.iter().zip(&stretches) {
            let before = out.len();
            out.resize(before + stretch.len(), 0.0);
            read_along(&material.other[from], &piece.line, stretch.start, piece.sign as f32, &mut out[before..]);
        }
        out
    };
    let other: Vec<Vec<f32>> = alignment.channel_order.par_iter().map(one).collect();
    let joined =
        |channel: &Vec<f32>| stretches.iter().flat_map(|stretch| channel[stretch.clone()].iter().copied()).collect();
    let reference: Vec<Vec<f32>> = material.reference.iter().map(joined).collect();
    let compared: usize = stretches.iter().map(Range::len).sum();
    notes.push(format!(
        "{}, {:.3} s in all, found in both recordings and compared; see the parts.",
        if pieces.len() == 1 { "1 piece".to_owned() } else { format!("{} pieces", pieces.len()) },
        compared as f64 / material.rate.as_f64()
    ));
    Pair { stretches, ..of(material, reference, other) }
}

/// Returns a pair of sound from `material`.
fn of(material: &Material, reference: Vec<Vec<f32>>, other: Vec<Vec<f32>>) -> Pair {
    Pair { layout: material.layout, ..Pair::new(material.rate, reference, other) }
}

/// Reads a channel along a line from a frame of the reference on.
fn read_along(source: &[f32], line: &Line, start: usize, sign: f32, out: &mut [f32]) {
    if let Some(offset) = line.whole_offset() {
        let first = (start as i64 + offset) as usize;
        let count = out.len();
        out.copy_from_slice(&source[first..first + count]);
    } else {
        Interpolator::shared().along(source, line, start, out);
    }
    out.iter_mut().for_each(|sample| *sample *= sign);
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
    of(material, part(&material.reference), part(&material.other))
}

/// Returns both unaligned and at full length, for measures that compare no frames.
pub(super) fn unaligned(material: &Material) -> Pair {
    of(material, material.reference.clone(), material.other.clone())
}
