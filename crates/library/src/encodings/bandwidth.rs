//! Measures the bandwidth of a recording, and whether its spectrum ends gradually or with the cut of an encoder.
//!
//! The mean power spectrum is averaged in bands of 100 Hz. The **floor** is the quietest stretch of 500 Hz above 1 kHz
//! (its median band), if it is below [`LOUDEST_FLOOR_DB`]. A recording whose quietest stretch is louder has signal up
//! to the top, for instance hiss. The **bandwidth** is the upper edge of the highest band that exceeds the floor by
//! [`ABOVE_FLOOR_DB`] together with most of its neighbours, so that a single tone does not count.
//!
//! A **cliff** is a steep fall over 600 Hz without a similar slope below it. For a frequency `f`, with medians over
//! bands,
//!
//! ```text
//! below = L(f - 1000 .. f - 300)      above = 80th percentile of L(f + 300 .. f + 1000)
//! drop = below - above                slope = L(f - 2600 .. f - 1900) - below
//! ```
//!
//! the cliff is where `drop - 1.5 slope` is greatest. This value must be at least [`MIN_DROP_DB`], and the level
//! further up (its 80th percentile) must be within [`EMPTY_DB`] of the quietest stretch: birdsong falls as steeply, but
//! other sound continues above it. Recordings fall by 6 to 40 dB per octave, which is 1 to 5 dB over that distance at
//! 16 kHz. The low-pass filters of encoders fall by the whole remaining level.

/// A floor is below this, in dB re a full-scale sine. The dither of 16 bits is near -128; shaped dither reaches about
/// -110 at its loudest.
const LOUDEST_FLOOR_DB: f64 = -105.0;
/// Minimum level of signal above the floor.
const ABOVE_FLOOR_DB: f64 = 10.0;
/// Minimum fall of a cliff, in dB.
///
/// Below 20.6 kHz, signals that were never coded lossily stayed under 6 (tested: noise, a band, speech, quiet and dark
/// recordings). The cuts of encoders had at least 11 wherever the signal was 15 dB above the floor.
const MIN_DROP_DB: f64 = 11.0;
/// Maximum level of an empty range above the quietest stretch: transients leave residues above the cut of AAC.
const EMPTY_DB: f64 = 20.0;
/// Lowest frequency at which cliffs are searched for: the narrowest bandwidth that encoders leave of music is 8 kHz.
const LOWEST_CLIFF_HZ: f64 = 7000.0;
/// A spectrum whose loudest band is at or below this is silence.
const SILENCE_DB: f64 = -120.0;
const BAND_HZ: f64 = 100.0;

/// The bandwidth of a recording, from its mean spectrum.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bandwidth {
    /// The upper limit of the signal in Hz; the frequency of the cliff if there is one.
    pub hz: f64,
    /// The highest frequency at this sample rate, in Hz.
    pub nyquist_hz: f64,
    /// The level above the bandwidth, in dB re a full-scale sine; `None` if there is signal up to the top.
    pub floor_db: Option<f64>,
    /// The cliff, if there is one.
    pub cliff: Option<Cliff>,
}

/// An abrupt end of the spectrum.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cliff {
    /// Where it begins, in Hz: the level is 10 dB lower than before.
    pub hz: f64,
    /// The size of the fall in dB.
    pub drop_db: f64,
    /// The width of the fall in Hz, up to nine tenths of the drop; 100 is the resolution.
    pub width_hz: f64,
}

/// Measures a mean power spectrum from 0 Hz to half the rate. Bins are `hz_per_bin` apart, and a full-scale sine on a
/// bin is 1. Returns `None` for silence, for invalid values, for bins wider than 100 Hz, and for spectra with fewer
/// than 16 bands of 100 Hz.
pub fn bandwidth(power: &[f64], hz_per_bin: f64) -> Option<Bandwidth> {
    let nyquist_hz = hz_per_bin * power.len().saturating_sub(1) as f64;
    let levels = band_levels(power, hz_per_bin)?;
    let loudest = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if loudest <= SILENCE_DB {
        return None;
    }
    let quietest = levels.windows(5).skip(10).map(median).fold(f64::INFINITY, f64::min);
    let floor_db = (quietest < LOUDEST_FLOOR_DB).then_some(quietest);
    let cliff = cliff(&levels, quietest);
    let edge = |band: usize| ((band + 1) as f64 * BAND_HZ).min(nyquist_hz);
    let hz = match (cliff, floor_db) {
        (Some(cliff), _) => cliff.hz,
        (None, None) => nyquist_hz,
        (None, Some(floor)) => {
            let is_sound = |band: usize| levels[band] >= floor + ABOVE_FLOOR_DB;
            let sounds =
                |&band: &usize| is_sound(band) && (band.saturating_sub(5)..=band).filter(|&b| is_sound(b)).count() >= 3;
            (0..levels.len()).rev().find(sounds).map_or(edge(loudest_band(&levels)), edge)
        }
    };
    Some(Bandwidth { hz, nyquist_hz, floor_db, cliff })
}

fn loudest_band(levels: &[f64]) -> usize {
    (0..levels.len()).max_by(|&a, &b| levels[a].total_cmp(&levels[b])).unwrap_or(0)
}

/// Returns the mean level of each whole band of 100 Hz, in dB.
fn band_levels(power: &[f64], hz_per_bin: f64) -> Option<Vec<f64>> {
    if !(hz_per_bin > 0.0 && hz_per_bin <= BAND_HZ) || power.iter().any(|p| !(*p >= 0.0 && p.is_finite())) {
        return None;
    }
    let bands = (hz_per_bin * power.len().saturating_sub(1) as f64 / BAND_HZ) as usize;
    let bin = |band: usize| (band as f64 * BAND_HZ / hz_per_bin).ceil() as usize;
    let level = |band: usize| {
        let bins = &power[bin(band)..bin(band + 1).min(power.len())];
        10.0 * (bins.iter().sum::<f64>() / bins.len().max(1) as f64).max(1e-20).log10()
    };
    (bands >= 16).then(|| (0..bands).map(level).collect())
}

fn cliff(levels: &[f64], quietest: f64) -> Option<Cliff> {
    let first = (LOWEST_CLIFF_HZ / BAND_HZ) as usize;
    // The last position still has 600 Hz of bands, starting 300 Hz above it.
    let places = first..levels.len().saturating_sub(8);
    let (excess, drop, at) = places
        .filter_map(|f| {
            let below = median(&levels[f - 10..f - 3]);
            let above = percentile_80(&levels[f + 3..(f + 10).min(levels.len())]);
            let slope = (median(&levels[f - 26..f - 19]) - below).max(0.0);
            let rest = levels.get(f + 10..).filter(|rest| !rest.is_empty()).map_or(above, percentile_80);
            let drop = below - above.max(rest);
            (rest <= quietest + EMPTY_DB).then_some((drop - 1.5 * slope, drop, f))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.2.cmp(&a.2)))?;
    if excess < MIN_DROP_DB {
        return None;
    }
    let below = median(&levels[at - 10..at - 3]);
    let last_above = |level: f64| (at - 10..(at + 10).min(levels.len())).rev().find(|&band| levels[band] >= level);
    let begins = last_above(below - 10.0)?;
    let ends = last_above(below - 0.9 * drop)?;
    let band_edge = |band: usize| (band + 1) as f64 * BAND_HZ;
    Some(Cliff { hz: band_edge(begins), drop_db: drop, width_hz: (ends.saturating_sub(begins) + 1) as f64 * BAND_HZ })
}

fn median(levels: &[f64]) -> f64 {
    ranked(levels, levels.len() / 2)
}

fn percentile_80(levels: &[f64]) -> f64 {
    ranked(levels, (levels.len() * 4).div_ceil(5).saturating_sub(1))
}

fn ranked(levels: &[f64], rank: usize) -> f64 {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[rank]
}
