//! PESQ, in builds with the feature `pesq`.

use super::{Direction, Measure, Reading};
use crate::compare::pair::Pair;
use base::error::Result;
use base::progress::Progress;

pub(super) const NARROW: Measure = Measure {
    name: "pesq_nb",
    title: "PESQ, narrow band",
    definition: "MOS-LQO of P.862 at 8 kHz, after P.862.1; for speech",
    source: "ITU-T P.862, P.862.1; the crate `pesq` 0.2",
    compute: |pair, _, _| computed::measured(pair, computed::Band::Narrow),
    ..ANY
};
pub(super) const WIDE: Measure = Measure {
    name: "pesq_wb",
    title: "PESQ, wide band",
    definition: "MOS-LQO of P.862.2 at 16 kHz; for speech",
    source: "ITU-T P.862.2; the crate `pesq` 0.2",
    compute: |pair, _, _| computed::measured(pair, computed::Band::Wide),
    ..ANY
};

const ANY: Measure = Measure {
    name: "",
    title: "",
    unit: "MOS",
    direction: Direction::Higher,
    range: "1 to 4.6",
    definition: "",
    source: "",
    decimals: 2,
    needs_alignment: true,
    over_time: None,
    compute: nothing,
};

fn nothing(_: &Pair, _: bool, _: &Progress) -> Result<Reading> {
    Ok(Reading::missing(""))
}

/// Measures as Codec-SUPERB does: the mean of the channels is given, its rate is converted as there, and a failure
/// counts as 1.
pub(in crate::compare) fn as_codec_superb(pair: &Pair) -> Reading {
    computed::as_codec_superb(pair)
}

#[cfg(not(feature = "pesq"))]
mod computed {
    use super::{Pair, Reading, Result};

    /// Why there is no value.
    const REASON: &str = "PESQ is not part of this build: build with `--features pesq`, after reading the note on patents \
                          in docs/compare.md";

    pub enum Band {
        Narrow,
        Wide,
    }

    pub fn measured(_: &Pair, _: Band) -> Result<Reading> {
        Ok(Reading::missing(REASON))
    }

    pub fn as_codec_superb(_: &Pair) -> Reading {
        Reading::missing(REASON)
    }
}

#[cfg(feature = "pesq")]
mod computed {
    use super::{Pair, Reading, Result};
    use crate::compare::measures::Outcome;
    use crate::compare::measures::rate::at_rate;
    use audio::guarded;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Band {
        Narrow,
        Wide,
    }

    impl Band {
        fn rate_hz(self) -> u32 {
            match self {
                Self::Narrow => 8000,
                Self::Wide => 16_000,
            }
        }
    }

    pub fn measured(pair: &Pair, band: Band) -> Result<Reading> {
        let rate_hz = band.rate_hz();
        if pair.rate.hz() < rate_hz {
            return Ok(Reading::missing(&format!("needs a rate of {rate_hz} Hz or more")));
        }
        Reading::of_channels(pair, |reference, other| {
            let [r, o] = [at_rate(pair.rate, rate_hz, reference)?, at_rate(pair.rate, rate_hz, other)?];
            Ok((score(&r, &o, band), None))
        })
    }

    pub fn as_codec_superb(pair: &Pair) -> Reading {
        let at_16k = |samples: &[f32]| crate::compare::codec_superb::at_rate(samples, pair.rate, 16_000);
        let [r, o] = [at_16k(&pair.reference[0]), at_16k(&pair.other[0])];
        let whole = match score(&r, &o, Band::Wide) {
            Outcome::Missing(_) => Outcome::Value(1.0),
            value @ Outcome::Value(_) => value,
        };
        Reading::of_whole(whole, None)
    }

    /// Scores samples at the band's rate, which are brought to full scale together.
    fn score(reference: &[f64], other: &[f64], band: Band) -> Outcome {
        let missing = |reason: &str| Outcome::Missing(reason.to_owned());
        let peak = reference.iter().chain(other).fold(0.0f64, |peak, x| peak.max(x.abs()));
        for (samples, silent) in [
            (reference, super::super::frame_ratios::SILENT_REFERENCE),
            (other, super::super::frame_ratios::SILENT_OTHER),
        ] {
            if samples.iter().all(|&x| x == 0.0) {
                return missing(silent);
            }
        }
        let words = |samples: &[f64]| -> Vec<i16> {
            samples.iter().map(|x| (x / peak * f64::from(i16::MAX)).round() as i16).collect()
        };
        let (r, o) = (words(reference), words(other));
        let scored = guarded(|| match band {
            Band::Narrow => pesq::pesq_8k(&r, &o).map(|raw| f64::from(pesq::score::mos_lqo(f64::from(raw)))),
            Band::Wide => pesq::pesq_wb(&r, &o).map(f64::from),
        });
        match scored {
            Some(Ok(value)) => Outcome::or_missing(value, "PESQ gives no number for these"),
            Some(Err(error)) => Outcome::Missing(format!("PESQ: {error}")),
            None => missing("PESQ fails on these"),
        }
    }
}
