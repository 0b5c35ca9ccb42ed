//! Ranks the copies of one recording, with reasons.
//!
//! The ranking depends on the sound, not on the file format. The first of these criteria in which two copies differ
//! decides:
//! 1. completeness: within 2 s or 2 % of the longest;
//! 2. channels;
//! 3. real bandwidth in steps of 500 Hz, up to 20 kHz, the limit of hearing;
//! 4. generation: lossless without traces of lossy coding, lossless of unknown origin, lossy, and last lossless files
//!    made from lossy ones;
//! 5. bandwidth above 20 kHz, for genuine lossless files; bits per sample; bit rate among lossy files; then the smaller
//!    file.
//!
//! Copies that are equal in all of them keep their order.

use std::cmp::Reverse;

use serde::Serialize;

use super::bandwidth::Bandwidth;
use super::verdict::{Origin, Verdict};

/// The properties of a copy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Copy {
    /// The codec, used in reasons: `FLAC`, `MP3`.
    pub codec: String,
    /// Whether the codec is lossless.
    pub is_lossless: bool,
    /// Duration in seconds.
    pub duration_s: f64,
    /// Number of channels.
    pub channels: u32,
    /// Bits per sample, if the codec has such a value.
    pub bits: Option<u32>,
    /// Mean bit rate in bits per second.
    pub bit_rate: Option<u64>,
    /// Size of the file in bytes.
    pub bytes: Option<u64>,
    /// The bandwidth; `None` for silence.
    pub bandwidth: Option<Bandwidth>,
    /// The origin, for lossless copies.
    pub verdict: Option<Verdict>,
}

/// The rank of a copy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Its index in the input.
    pub copy: usize,
    /// The reasons in words: merits of the first copy, shortcomings of the others.
    pub reasons: Vec<String>,
}

/// Ranks copies, the best first.
pub fn ranked(copies: &[Copy]) -> Vec<Ranked> {
    let longest_s = copies.iter().map(|copy| copy.duration_s).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..copies.len()).collect();
    order.sort_by_key(|&place| key(&copies[place], longest_s));
    let Some(&best) = order.first() else { return Vec::new() };
    order
        .into_iter()
        .map(|place| {
            let copy = &copies[place];
            let reasons = if place == best { merits(copy) } else { lacks(copy, &copies[best], longest_s) };
            Ranked { copy: place, reasons }
        })
        .collect()
}

/// Returns a sort key; a smaller key is better.
fn key(copy: &Copy, longest_s: f64) -> impl Ord + use<> {
    let hz = copy.bandwidth.map_or(0.0, |bandwidth| bandwidth.hz);
    let audible = (hz.min(20_000.0) / 500.0).round() as u64;
    let generation = generation(copy);
    let beyond = if generation == 0 { (hz.max(20_000.0) / 1000.0).round() as u64 } else { 0 };
    let bit_rate = if copy.is_lossless { 0 } else { copy.bit_rate.unwrap_or(0) };
    (
        is_cut(copy, longest_s),
        Reverse(copy.channels),
        Reverse(audible),
        generation,
        Reverse(beyond),
        Reverse(copy.bits.unwrap_or(0)),
        Reverse(bit_rate),
        copy.bytes.unwrap_or(u64::MAX),
    )
}

fn is_cut(copy: &Copy, longest_s: f64) -> bool {
    let lack = longest_s - copy.duration_s;
    lack > 2.0 && lack > 0.02 * longest_s
}

fn generation(copy: &Copy) -> u8 {
    let origin = copy.verdict.as_ref().map_or(Origin::CannotTell, |verdict| verdict.origin);
    match (copy.is_lossless, origin) {
        (true, Origin::Genuine) => 0,
        (true, Origin::CannotTell | Origin::LikelyUpsampled) => 1,
        (false, _) => 2,
        (true, Origin::LikelyTranscoded) => 3,
    }
}

fn merits(copy: &Copy) -> Vec<String> {
    let mut reasons = Vec::new();
    match copy.bandwidth {
        Some(bandwidth) => reasons.push(format!("sound up to {:.1} kHz", bandwidth.hz / 1000.0)),
        None => reasons.push("silent".to_owned()),
    }
    reasons.push(match generation(copy) {
        0 => format!("{} without a trace of lossy coding", copy.codec),
        1 => format!("{}, lossless", copy.codec),
        2 => lossy(copy),
        _ => made_from_lossy(copy),
    });
    reasons
}

fn lacks(copy: &Copy, best: &Copy, longest_s: f64) -> Vec<String> {
    let mut reasons = Vec::new();
    if is_cut(copy, longest_s) {
        reasons.push(format!("{:.0} s shorter than the longest copy", longest_s - copy.duration_s));
    }
    if copy.channels < best.channels {
        reasons.push(format!("{} of {} channels", copy.channels, best.channels));
    }
    let [hz, best_hz] = [copy, best].map(|copy| copy.bandwidth.map_or(0.0, |bandwidth| bandwidth.hz));
    if hz + 250.0 < best_hz {
        reasons.push(format!("sound only up to {:.1} kHz, not {:.1} kHz", hz / 1000.0, best_hz / 1000.0));
    }
    match generation(copy) {
        3 => reasons.push(made_from_lossy(copy)),
        2 if generation(best) < 2 => reasons.push(lossy(copy)),
        2 if copy.bit_rate < best.bit_rate => reasons.push(format!("a lower bit rate: {}", lossy(copy))),
        _ => {}
    }
    if let (true, Some(bits), Some(bests)) = (copy.is_lossless, copy.bits, best.bits)
        && bits < bests
    {
        reasons.push(format!("{bits} of {bests} bits a sample"));
    }
    if reasons.is_empty() {
        let smaller = best.bytes < copy.bytes && best.bytes.is_some();
        reasons.push(if smaller { "sounds as good, in a larger file" } else { "sounds as good" }.to_owned());
    }
    reasons
}

fn lossy(copy: &Copy) -> String {
    match copy.bit_rate {
        Some(rate) => format!("{} at {} kbit/s", copy.codec, (rate as f64 / 1000.0).round()),
        None => format!("{}, lossy", copy.codec),
    }
}

fn made_from_lossy(copy: &Copy) -> String {
    let why = copy.verdict.as_ref().and_then(|verdict| verdict.reasons.first()).map_or("", String::as_str);
    format!("{}, but likely made from a lossy file: {why}", copy.codec)
}
