//! `undertone response`: computes the frequency response of a chain.

use super::Outcome;
use super::arguments::Response as Words;
use super::options::chain_from_text;
use super::output::Output;
use crate::chain::response::{chain_response, log_grid};
use crate::error::{Error, Result};
use crate::units::SampleRate;

pub fn run(words: &Words, output: &Output) -> Result<Outcome> {
    let rate = SampleRate::new(words.rate)?;
    let chain = chain_from_text(&words.chain, output)?;
    let to = words.to.unwrap_or_else(|| rate.nyquist_hz());
    if !(words.from > 0.0 && words.from < to && to <= rate.nyquist_hz()) {
        let got = format!("{} Hz to {to} Hz", words.from);
        return Err(Error::invalid("frequencies", got, format!("above 0 Hz, up to {} Hz", rate.nyquist_hz())));
    }
    let curve = chain_response(&chain, rate, &log_grid(words.from, to, words.points as usize))?;
    for note in &curve.notes {
        output.note(&format!("undertone: {note}"));
    }
    if output.is_json() {
        output.json(&curve)?;
        return Ok(Outcome::Done);
    }
    output.line("frequency_hz  magnitude_db  phase_rad  group_delay_frames");
    let number = |value: Option<f64>, width: usize, digits: usize| {
        value.map_or_else(|| format!("{:>width$}", "-"), |value| format!("{value:>width$.digits$}"))
    };
    for (index, hz) in curve.frequency_hz.iter().enumerate() {
        output.line(&format!(
            "{hz:>12.3}  {}  {}  {}",
            number(curve.magnitude_db[index], 12, 6),
            number(curve.phase_rad[index], 9, 6),
            number(curve.group_delay_frames[index], 18, 6),
        ));
    }
    Ok(Outcome::Done)
}
