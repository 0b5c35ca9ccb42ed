//! `undertone library similar`: finds tracks that sound similar, and says why.

use std::path::Path;

use serde_json::json;

use super::arguments::Similar;
use crate::chain::Placement;
use crate::cli::Outcome;
use crate::cli::options::devices_and_request;
use crate::cli::output::Output;
use crate::device::{DeviceRequest, RunPurpose};
use crate::error::{Error, Result};
use crate::features::Options;
use crate::library::Library;
use crate::library::answers::{SimilarTrack, SimilarityReference, similar};
use crate::library::questions::similar::{Contribution, Weights};
use crate::progress::Progress;
use crate::work::file_analysis::{AnalysisRequest, listen};

/// Number of contributions printed per track.
const SHOWN: usize = 3;

pub fn run(words: &Similar, library: &Library, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let weights = weights(&words.weight)?;
    let asked = SimilarityReference::from_text(library, &words.track)?;
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Export);
    let progress = Progress::new();
    let tracks = {
        let _bar = output.follow(&words.track, &progress);
        let analyse = |file: &Path| {
            let options = Options { tuning: None, timbre: false, series: false };
            let wanted = AnalysisRequest { options, fingerprints: false };
            Ok(listen(file, wanted, &placement, &progress)?.analysis.features)
        };
        similar(library, &asked, &weights, words.count, analyse)?
    };
    if output.is_json() {
        output.json(&json!({ "asked": asked, "weights": weights, "tracks": tracks }))?;
        return Ok(Outcome::Done);
    }
    for track in &tracks {
        print(track, output);
    }
    Ok(Outcome::Done)
}

fn weights(words: &[String]) -> Result<Weights> {
    let pairs: Vec<(&str, f64)> = words
        .iter()
        .map(|word| {
            let pair = word.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
            pair.ok_or_else(|| Error::invalid("--weight", word, "a dimension and a number, such as tempo_bpm=0.5"))
        })
        .collect::<Result<_>>()?;
    Weights::with(pairs)
}

fn print(track: &SimilarTrack, output: &Output) {
    let neighbour = &track.neighbour;
    output.line(&format!("{:>6} {:.3}  {}", neighbour.id, neighbour.score, track.path));
    let reasons: Vec<String> =
        neighbour.contributions.iter().filter(|part| part.share > 0.0).take(SHOWN).map(reason).collect();
    if !reasons.is_empty() {
        output.line(&format!("              differs by {}", reasons.join(", ")));
    }
}

fn reason(part: &Contribution) -> String {
    let share = 100.0 * part.share;
    let unit = if part.unit == "1" { String::new() } else { format!(" {}", part.unit) };
    match part.difference {
        Some(difference) => format!("{} {difference:+.3}{unit} ({share:.0} %)", part.dimension),
        None => format!("{}, missing in one of them ({share:.0} %)", part.dimension),
    }
}
