//! The figures of Codec-SUPERB as its program computes them, its quirks included.
//!
//! Nothing is aligned: the shorter recording is padded with silence, and recordings above two minutes or at different
//! rates are left out. A measure that fails there gets the figure that the program stores for it, and a note.

mod dtw;
mod f0;
mod praat;
#[cfg(feature = "pesq")]
mod rate;
mod stoi;

use super::Comparison;
use super::material::{Material, mean};
use super::measures::{Direction, Measure, Outcome, Reading, mel, stft};
use super::pair::Pair;
use audio::AudioReader;
use base::error::Result;
use base::progress::Progress;
#[cfg(feature = "pesq")]
pub(super) use rate::at_rate;

/// The longest recording, in seconds.
const MAX_S: f64 = 120.0;

/// The peculiarities of these figures, as a note on the result.
pub const QUIRKS: &str = "As Codec-SUPERB has it: nothing is aligned and the shorter recording is padded with silence; \
                          pesq and pesq-wb are the same wide-band figure; f0corr takes every recording for one of \
                          22,050 Hz and compares pitches less their medians, warped in time; what fails counts as 1 in \
                          pesq, 0 in stoi and f0corr.";

/// The figures, in that program's order and under its names.
pub static FIGURES: [Measure; 7] = [
    Measure { name: "mel", title: "mel", ..figure(mel::DEFINITION, |pair, curves, _| mel::read(pair, curves)) },
    Measure { name: "stft", title: "stft", ..figure(stft::DEFINITION, |pair, curves, _| stft::read(pair, curves)) },
    Measure {
        name: "waveform",
        title: "waveform",
        decimals: 6,
        ..figure("mean |o - r|", |pair, _, _| {
            let sum = |r: &[f32], o: &[f32]| r.iter().zip(o).map(|(r, o)| f64::from((o - r).abs())).sum::<f64>();
            let whole = sum(&pair.reference[0], &pair.other[0]) / pair.frames() as f64;
            Ok(Reading::of_whole(Outcome::Value(whole), None))
        })
    },
    Measure { name: "pesq", title: "pesq", ..PESQ },
    Measure { name: "pesq-wb", title: "pesq-wb", ..PESQ },
    Measure {
        name: "stoi",
        title: "stoi",
        direction: Direction::Higher,
        range: "0 to 1",
        ..figure("STOI by that program's own code, limited to 0..1", |pair, _, _| {
            let value = stoi::stoi(&pair.reference[0], &pair.other[0], pair.rate);
            Ok(Reading::of_whole(Outcome::Value(value.unwrap_or(0.0)), None))
        })
    },
    Measure {
        name: "f0corr",
        title: "f0corr",
        direction: Direction::Higher,
        range: "-1 to 1",
        ..figure("Pearson's correlation of warped pitches in cents less their medians", |pair, _, progress| {
            let value = f0::correlation(&pair.reference[0], &pair.other[0], progress)?;
            Ok(Reading::of_whole(Outcome::Value(value.unwrap_or(0.0)), None))
        })
    },
];

const PESQ: Measure = Measure {
    unit: "MOS",
    direction: Direction::Higher,
    range: "1 to 4.6",
    decimals: 2,
    ..figure("PESQ wide band at 16 kHz", |pair, _, _| Ok(super::measures::pesq::as_codec_superb(pair)))
};

const fn figure(definition: &'static str, compute: fn(&Pair, bool, &Progress) -> Result<Reading>) -> Measure {
    Measure {
        name: "",
        title: "",
        unit: "1",
        direction: Direction::Lower,
        range: "0 and above",
        definition,
        source: "Codec-SUPERB, metrics.py",
        decimals: 4,
        needs_alignment: true,
        over_time: None,
        compute,
    }
}

/// Computes `figures`, of [`FIGURES`]. Progress counts reading and each figure.
pub fn measured(
    reference: &mut dyn AudioReader,
    other: &mut dyn AudioReader,
    figures: &[&'static Measure],
    progress: &Progress,
) -> Result<Comparison> {
    progress.set_total(1 + figures.len() as u64);
    let rates = [reference.format().rate, other.format().rate];
    let material = Material::read(reference, other, progress)?;
    progress.advance(1)?;
    let mut notes = material.notes.clone();
    notes.push(QUIRKS.to_owned());
    let longest = material.frames().into_iter().max().unwrap_or(0);
    let refused = if rates[0] == rates[1] {
        (longest as f64 > MAX_S * material.rate.as_f64())
            .then(|| format!("Codec-SUPERB leaves out recordings of more than {MAX_S} s"))
    } else {
        Some(format!("Codec-SUPERB leaves out recordings of different rates, here {} and {}", rates[0], rates[1]))
    };
    if refused.is_none() && material.channels() > 1 {
        notes.push("Codec-SUPERB measures one channel: the means of the channels were compared.".to_owned());
    }
    let padded = |channels: &[Vec<f32>]| {
        let mut samples = mean(channels);
        samples.resize(longest, 0.0);
        vec![samples]
    };
    let pair = Pair::new(material.rate, padded(&material.reference), padded(&material.other));
    let mut readings = Vec::new();
    for &figure in figures {
        let reading = match &refused {
            Some(reason) => Reading::missing(reason),
            None => figure.read(&pair, progress)?,
        };
        readings.push((figure, reading));
        progress.advance(1)?;
    }
    Ok(Comparison {
        alignment: None,
        parts: Vec::new(),
        readings,
        start_frame: 0,
        frames: longest as u64,
        matched_gain_db: None,
        notes,
    })
}
