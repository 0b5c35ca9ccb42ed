//! The sounds of a trial: versions on the timeline of the reference, and anchors made from the reference.

use std::sync::Arc;

use super::types::BlindSound;
use crate::blind::{Plan, Role, Stimulus, Test, Trial};
use crate::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking};
use crate::error::{Error, Result};
use crate::units::gain_from_db;
use crate::view::peaks::OpenReader;
use crate::window::compare::BlindVersion;

/// The anchors: flat to 3.5 and 7 kHz, and 60 dB down 0.5 kHz higher. BS.1534-3 requires 25 dB at 4 kHz and 50 dB at
/// 4.5 kHz from the first one.
const LOW_ANCHOR: &str = "fir(lowpass, 3750 Hz, taps=0, window=kaiser, attenuation=60 dB, transition=500 Hz)";
const MID_ANCHOR: &str = "fir(lowpass, 7250 Hz, taps=0, window=kaiser, attenuation=60 dB, transition=500 Hz)";

/// The lowest sample rates, in Hz, at which the anchors remove anything.
const LOW_ANCHOR_RATE: u32 = 11_025;
const MID_ANCHOR_RATE: u32 = 16_000;

/// Checks that the anchors of a plan can be made from a reference.
///
/// # Errors
/// [`Error::Impossible`] for a reference below 11,025 Hz with the low anchor, or below 16,000 Hz with the middle one.
pub fn check_anchors(plan: &Plan, rate_hz: u32) -> Result<()> {
    let Test::Ranking { low_anchor, mid_anchor, .. } = plan.test else { return Ok(()) };
    for (wanted, name, least) in [(low_anchor, "3.5 kHz", LOW_ANCHOR_RATE), (mid_anchor, "7 kHz", MID_ANCHOR_RATE)] {
        if wanted && rate_hz < least {
            return Err(Error::impossible(format!(
                "The {name} anchor needs a sample rate of {least} Hz or more, and the reference has {rate_hz} Hz. Leave it out."
            )));
        }
    }
    Ok(())
}

/// A sound of a trial.
pub struct Played {
    pub sound: BlindSound,
    pub open: OpenReader,
    /// Linear.
    pub gain: f32,
}

/// Returns all sounds of a trial.
pub fn presented(plan: &Plan, trial: &Trial, versions: &[BlindVersion]) -> Result<Vec<Played>> {
    let gain = |version: usize| if plan.matched { gain_from_db(plan.versions[version].gain_db) as f32 } else { 1.0 };
    let version =
        |sound, version: usize| Played { sound, open: Arc::clone(&versions[version].open), gain: gain(version) };
    match (trial, &plan.test) {
        (Trial::Abx { x_is_a, .. }, Test::Abx { a, b, .. }) => Ok(vec![
            version(BlindSound::A, *a),
            version(BlindSound::B, *b),
            version(BlindSound::X, if *x_is_a { *a } else { *b }),
        ]),
        (Trial::Ranking { stimuli, .. }, _) => {
            let mut sounds = vec![version(BlindSound::Reference, plan.reference)];
            for (place, &Stimulus { role, version: of }) in stimuli.iter().enumerate() {
                let open = match role {
                    Role::Reference | Role::Version => Arc::clone(&versions[of].open),
                    Role::LowAnchor => anchor(LOW_ANCHOR, Arc::clone(&versions[of].open))?,
                    Role::MidAnchor => anchor(MID_ANCHOR, Arc::clone(&versions[of].open))?,
                };
                sounds.push(Played { sound: BlindSound::Stimulus { place }, open, gain: gain(of) });
            }
            Ok(sounds)
        }
        // A plan never has a trial of another kind.
        (Trial::Abx { .. }, Test::Ranking { .. }) => Ok(Vec::new()),
    }
}

fn anchor(chain: &str, open: OpenReader) -> Result<OpenReader> {
    let chain: Chain = chain.parse()?;
    Ok(Arc::new(move || {
        let rendered = Rendered::new(&chain, open()?, &Placement::cpu(), &MeasuredMap::default(), Seeking::Exact)?;
        Ok(Box::new(rendered) as _)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::{AudioBuffer, AudioReader, MemoryReader};
    use crate::units::SampleRate;

    /// Returns the gain of an anchor for a tone, in decibels.
    fn gain_db(chain: &str, hz: f64) -> f64 {
        let (rate, frames) = (48_000u32, 48_000u32);
        let tone: Vec<f32> =
            (0..frames).map(|n| (std::f64::consts::TAU * hz * f64::from(n) / f64::from(rate)).sin() as f32).collect();
        let samples = AudioBuffer::from_channels(vec![tone]);
        let open: OpenReader =
            Arc::new(move || Ok(Box::new(MemoryReader::new(SampleRate::new(rate).unwrap(), samples.clone())) as _));
        let mut reader = anchor(chain, open).unwrap()().unwrap();
        assert_eq!(reader.frames(), u64::from(frames), "anchors lie on the reference's timeline");
        reader.seek(12_000).unwrap();
        let mut out = AudioBuffer::default();
        reader.read(&mut out, 24_000).unwrap();
        let power: f64 = out.channel(0).iter().map(|&sample| f64::from(sample).powi(2)).sum();
        10.0 * (2.0 * power / 24_000.0).log10()
    }

    #[test]
    fn anchors_pass_and_stop_what_the_recommendation_says() {
        for (chain, edge) in [(LOW_ANCHOR, 3500.0), (MID_ANCHOR, 7000.0)] {
            for hz in [100.0, 1000.0, edge - 100.0, edge] {
                let got = gain_db(chain, hz);
                assert!(got.abs() < 0.1, "{chain} at {hz} Hz: {got} dB");
            }
            assert!(gain_db(chain, edge + 500.0) < -25.0, "{chain}");
            assert!(gain_db(chain, edge + 1000.0) < -50.0, "{chain}");
        }
    }
}
