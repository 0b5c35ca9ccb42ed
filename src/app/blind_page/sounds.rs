//! What a trial plays: versions on the reference's timeline, and anchors made of it.

use std::sync::Arc;

use crate::app::api::BlindSound;
use crate::app::compare_page::BlindVersion;
use crate::blind::{Plan, Role, Stimulus, Test, Trial};
use crate::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking};
use crate::error::Result;
use crate::units::gain_from_db;
use crate::view::peaks::OpenReader;

/// The anchors: flat to 3.5 and 7 kHz, and 60 dB down half a kilohertz above. BS.1534-3 asks of the first one for 25 dB at
/// 4 kHz and 50 dB at 4.5 kHz.
const LOW_ANCHOR: &str = "fir(lowpass, 3750 Hz, taps=0, window=kaiser, attenuation=60 dB, transition=500 Hz)";
const MID_ANCHOR: &str = "fir(lowpass, 7250 Hz, taps=0, window=kaiser, attenuation=60 dB, transition=500 Hz)";

/// A sound of a trial.
pub struct Played {
    pub sound: BlindSound,
    pub open: OpenReader,
    /// Linear.
    pub gain: f32,
}

/// Returns all sounds of a trial.
///
/// # Errors
/// Errors of an anchor's chain, as for a reference of a rate that has nothing to cut.
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
        // A trial of another kind than its plan is never made.
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
