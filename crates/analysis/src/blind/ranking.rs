//! Scores of several stimuli beside each other, in the manner of ITU-R BS.1534-3 (MUSHRA): a hidden reference and anchors
//! among the versions, each scored from 0 to 100, and what listeners gave on several passages.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::outcomes::CONFIDENCE;
use super::signed_ranks;
use base::declared::TS;
use base::error::{Error, Result};

/// A lower score means that the hidden reference was not recognised; a higher one, that the mid-range anchor was taken
/// for the reference.
const RECOGNISED: f64 = 90.0;
/// The share of passages in which that may happen to a listener.
const MAX_MISTAKEN: f64 = 0.15;

/// The role of a stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The reference itself, hidden among the versions.
    Reference,
    /// A version.
    Version,
    /// The reference without what lies above 3.5 kHz.
    LowAnchor,
    /// The reference without what lies above 7 kHz.
    MidAnchor,
}

/// The scores of one listener: for each passage one of each stimulus, 0 to 100.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The listener.
    pub listener: String,
    /// Passages of stimuli.
    pub passages: Vec<Vec<f64>>,
}

/// The result of a ranking over all listeners.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Ranking {
    /// Each stimulus, in the order of the stimuli.
    pub stimuli: Vec<Scored>,
    /// Each pair of stimuli that are not anchors.
    pub pairs: Vec<Preference>,
    /// Listeners whose scores do not count, with the reason: they did not recognise the hidden reference, or not the anchor.
    pub excluded: Vec<Excluded>,
    /// Listeners whose scores count.
    pub listeners: usize,
}

/// The scores of a stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Scored {
    /// The number of scores.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The limits of the mean at a confidence of 95 %, by Student's distribution, not limited to 0..100; `None` for one
    /// score.
    pub interval: Option<(f64, f64)>,
    /// The least score, the quartile, the median, the upper quartile and the highest score. Quartiles lie between scores by
    /// linear interpolation.
    pub quantiles: [f64; 5],
}

/// How two stimuli were scored against each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Preference {
    /// The first of both.
    pub first: usize,
    /// The second.
    pub second: usize,
    /// The mean of the first's scores less the second's.
    pub difference: f64,
    /// The probability of such differences if both sounded alike, by the signed-rank test; `None` if all scores are equal.
    pub p_value: Option<f64>,
    /// The p-value, corrected for the number of pairs (S. Holm, Scandinavian Journal of Statistics 6, 1979).
    pub corrected: Option<f64>,
}

/// A listener whose scores do not count.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct Excluded {
    /// The listener.
    pub listener: String,
    /// Passages in which the hidden reference had less than 90.
    pub reference_missed: usize,
    /// Passages in which the mid-range anchor had more than 90.
    pub anchor_missed: usize,
    /// The passages that the listener scored.
    pub passages: usize,
}

/// Returns what listeners gave. If `screened`, listeners who took the hidden reference for less, or the mid-range anchor for
/// the reference, in more than 15 % of the passages do not count (BS.1534-3, 4.1.2).
///
/// # Errors
/// [`Error::Impossible`] if no listener counts; [`Error::Limit`] for more than [`signed_ranks::MAX_PAIRS`] scores of a
/// stimulus.
pub fn rank(roles: &[Role], listeners: &[Scores], screened: bool) -> Result<Ranking> {
    let failures: Vec<Option<Excluded>> =
        listeners.iter().map(|scores| screened.then(|| failed(roles, scores)).flatten()).collect();
    let counted = listeners.iter().zip(&failures).filter(|(_, failure)| failure.is_none());
    let rows: Vec<&Vec<f64>> = counted.flat_map(|(scores, _)| &scores.passages).collect();
    if rows.is_empty() {
        return Err(Error::Impossible(
            "No scores count: every listener mistook the hidden reference or the anchor.".into(),
        ));
    }
    if rows.len() > signed_ranks::MAX_PAIRS {
        return Err(Error::Limit {
            what: "the scores of a version".into(),
            got: rows.len().to_string(),
            limit: signed_ranks::MAX_PAIRS.to_string(),
        });
    }
    let stimuli = (0..roles.len()).map(|stimulus| scored(rows.iter().map(|row| row[stimulus]).collect())).collect();
    let compared: Vec<usize> =
        (0..roles.len()).filter(|&stimulus| matches!(roles[stimulus], Role::Reference | Role::Version)).collect();
    let mut pairs = Vec::new();
    for (place, &first) in compared.iter().enumerate() {
        for &second in &compared[place + 1..] {
            let differences: Vec<f64> = rows.iter().map(|row| row[first] - row[second]).collect();
            let difference = differences.iter().sum::<f64>() / differences.len() as f64;
            pairs.push(Preference {
                first,
                second,
                difference,
                p_value: signed_ranks::p_value(&differences),
                corrected: None,
            });
        }
    }
    correct(&mut pairs);
    let excluded: Vec<Excluded> = failures.into_iter().flatten().collect();
    Ok(Ranking { stimuli, pairs, listeners: listeners.len() - excluded.len(), excluded })
}

/// Why a listener does not count.
fn failed(roles: &[Role], scores: &Scores) -> Option<Excluded> {
    let missed = |role: Role, wrong: fn(f64) -> bool| {
        let stimulus = roles.iter().position(|&candidate| candidate == role);
        stimulus.map_or(0, |stimulus| scores.passages.iter().filter(|row| wrong(row[stimulus])).count())
    };
    let found = Excluded {
        listener: scores.listener.clone(),
        reference_missed: missed(Role::Reference, |score| score < RECOGNISED),
        anchor_missed: missed(Role::MidAnchor, |score| score > RECOGNISED),
        passages: scores.passages.len(),
    };
    let most = MAX_MISTAKEN * scores.passages.len() as f64;
    (found.reference_missed as f64 > most || found.anchor_missed as f64 > most).then_some(found)
}

fn scored(mut scores: Vec<f64>) -> Scored {
    scores.sort_by(f64::total_cmp);
    let count = scores.len();
    let mean = scores.iter().sum::<f64>() / count as f64;
    let freedom = count as f64 - 1.0;
    let interval = StudentsT::new(0.0, 1.0, freedom).ok().map(|distribution| {
        let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / freedom).sqrt();
        let half = distribution.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)) * deviation / (count as f64).sqrt();
        (mean - half, mean + half)
    });
    let quantile = |share: f64| {
        let place = share * freedom;
        let (below, above) = (scores[place.floor() as usize], scores[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    Scored { count, mean, interval, quantiles: [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile) }
}

/// Multiplies the smallest p-value by the number of tests, the next by one less, and so on, and never lets one fall below
/// the one before.
fn correct(pairs: &mut [Preference]) {
    let mut order: Vec<usize> = (0..pairs.len()).filter(|&pair| pairs[pair].p_value.is_some()).collect();
    order.sort_by(|&a, &b| pairs[a].p_value.unwrap_or(1.0).total_cmp(&pairs[b].p_value.unwrap_or(1.0)));
    let mut least: f64 = 0.0;
    for (place, &pair) in order.iter().enumerate() {
        let p = pairs[pair].p_value.unwrap_or(1.0);
        least = least.max((p * (order.len() - place) as f64).min(1.0));
        pairs[pair].corrected = Some(least);
    }
}

#[cfg(test)]
mod tests;
