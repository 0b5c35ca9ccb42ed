//! Up to where a recording has sound, and whether it ends there as nature ends or as an encoder cuts.
//!
//! The mean power spectrum is averaged in bands of 100 Hz. The **floor** is the quietest stretch of 500 Hz above 1 kHz
//! (its median band), as long as it lies below [`LOUDEST_FLOOR_DB`]: a recording whose quietest stretch is louder is filled
//! to the top, by hiss for one. The **bandwidth** is the upper edge of the highest band that stands
//! [`ABOVE_FLOOR_DB`] above the floor together with most of its neighbours, so that a lone whistle is not taken for it.
//!
//! A **cliff** is a fall within 600 Hz that nothing below announces. Of a frequency `f`, with medians over bands,
//!
//! ```text
//! below = L(f - 1000 .. f - 300)      above = 80th percentile of L(f + 300 .. f + 1000)
//! drop = below - above                slope = L(f - 2600 .. f - 1900) - below
//! ```
//!
//! it is one where `drop - 1.5 slope` is greatest, at least [`LEAST_DROP_DB`], and what lies further up (its 80th
//! percentile) is within [`EMPTY_DB`] of the quietest stretch: a bird's song falls as steeply, and sound goes on above it.
//! Recordings fall by 6 to 40 dB an octave, 1 to 5 dB over that distance at 16 kHz; the low-pass filters of encoders by all there is.

/// A floor is below this, in dB re a full-scale sine: the dither of 16 bits lies near -128, shaped dither reaches some
/// -110 at its loudest.
const LOUDEST_FLOOR_DB: f64 = -105.0;
/// Sound stands so much above the floor.
const ABOVE_FLOOR_DB: f64 = 10.0;
/// The least fall that is a cliff.
///
/// Below 20.6 kHz what was never coded lossily stayed under 6 (tried: noise, a band, speech, quiet and dark ones); what
/// encoders left had 11 at least wherever it stood 15 dB above the floor.
const LEAST_DROP_DB: f64 = 11.0;
/// How far above the quietest stretch what is empty may lie: transients leave skirts beyond AAC's cut.
const EMPTY_DB: f64 = 20.0;
/// Where cliffs are looked for from on: the narrowest that encoders make of music is 8 kHz.
const LOWEST_CLIFF_HZ: f64 = 7000.0;
/// Below this a spectrum is silence.
const SILENCE_DB: f64 = -120.0;
const BAND_HZ: f64 = 100.0;

/// What a mean spectrum says about a recording's extent.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bandwidth {
    /// Up to where there is sound, in hertz; the cliff's place where there is one.
    pub hz: f64,
    /// The highest frequency that the sample rate allows.
    pub nyquist_hz: f64,
    /// The level above it, in dB re a full-scale sine; none where sound goes up to the top.
    pub floor_db: Option<f64>,
    /// The sudden end, if there is one.
    pub cliff: Option<Cliff>,
}

/// A sudden end of the spectrum.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cliff {
    /// Where it begins: the level is 10 dB below that before.
    pub hz: f64,
    /// By how much it falls.
    pub drop_db: f64,
    /// Over how many hertz nine tenths of the fall go: 100 is as steep as is seen here.
    pub width_hz: f64,
}

/// Measures a mean power spectrum from 0 Hz to half the rate, bins `hz_per_bin` apart, in which a full-scale sine on a bin is 1.
/// None for silence, and for spectra without ten bands of 100 Hz.
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

/// Mean levels in whole bands of 100 Hz, in dB.
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
    // The last place still has 600 Hz of bands above its 300.
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
    if excess < LEAST_DROP_DB {
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
