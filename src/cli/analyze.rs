//! `undertone analyze`: measures how recordings sound.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde::ser::SerializeMap;

use super::Outcome;
use super::arguments::Analyze;
use super::options::{devices_and_request, say_fallback};
use super::output::{Output, name};
use super::time::text_from_seconds;
use crate::chain::Placement;
use crate::device::{DeviceReport, DeviceRequest, RunPurpose};
use crate::error::{Failure, Result};
use crate::features::{DIMENSIONS, Features, Figures, Missing, Options, Series};
use crate::library::AnalysisSeconds;
use crate::library::encodings::Bandwidth;
use crate::progress::Progress;
use crate::work::file_analysis::{AnalysisRequest, FileAnalysis, listen};

/// The JSON document. A struct keeps the order of its fields, which `json!` would sort.
#[derive(Serialize)]
struct Files<'a> {
    files: Vec<Report<'a>>,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: &'a Path,
    #[serde(flatten)]
    result: FileResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileResult {
    Heard(Box<AnalysisJson>),
    Failed { error: Failure },
}

#[derive(Serialize)]
struct AnalysisJson {
    rate: u32,
    channels: usize,
    frames: u64,
    duration_s: f64,
    features: Values,
    missing: Vec<Missing>,
    figures: Figures,
    bandwidth: Option<Bandwidth>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    series: Vec<Series>,
    device: DeviceReport,
    seconds: AnalysisSeconds,
    warnings: Vec<String>,
}

/// The dimensions by name, in their defined order.
struct Values(Features);

impl Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(DIMENSIONS.len()))?;
        for (dimension, value) in DIMENSIONS.iter().zip(&self.0.values) {
            map.serialize_entry(dimension.name, value)?;
        }
        map.end()
    }
}

pub fn run(words: &Analyze, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let wanted =
        AnalysisRequest { options: Options { tuning: None, timbre: true, series: words.series }, fingerprints: false };
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Export);
    let mut reports = Vec::new();
    let mut any_failed = false;
    for path in &words.files {
        let progress = Progress::new();
        let heard = {
            let _bar = output.follow(&name(path), &progress);
            listen(path, wanted, &placement, &progress)
        };
        let result = match heard {
            Ok(heard) => {
                say_fallback(&heard.device, output);
                if !output.is_json() {
                    print(path, &heard, output);
                }
                FileResult::Heard(Box::new(facts(heard)))
            }
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", name(path)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        reports.push(Report { path, result });
    }
    if output.is_json() {
        output.json(&Files { files: reports })?;
    }
    Ok(Outcome::of(any_failed))
}

fn facts(heard: FileAnalysis) -> AnalysisJson {
    let FileAnalysis { info, analysis, bandwidth, warnings, seconds, device, .. } = heard;
    let missing = analysis.features.missing.clone();
    AnalysisJson {
        rate: info.audio.rate.hz(),
        channels: info.audio.channels,
        frames: analysis.frames,
        duration_s: info.audio.rate.seconds_from_frames(analysis.frames),
        features: Values(analysis.features),
        missing,
        figures: analysis.figures,
        bandwidth,
        series: analysis.series,
        device,
        seconds,
        warnings: info.warnings.into_iter().chain(warnings).collect(),
    }
}

fn print(path: &Path, heard: &FileAnalysis, output: &Output) {
    let FileAnalysis { info, analysis, bandwidth, warnings, seconds, device, .. } = heard;
    let duration_s = info.audio.rate.seconds_from_frames(analysis.frames);
    output.line(&path.display().to_string());
    let reasons: BTreeMap<&str, &str> =
        analysis.features.missing.iter().map(|missing| (missing.name.as_str(), missing.reason.as_str())).collect();
    for (dimension, value) in DIMENSIONS.iter().zip(&analysis.features.values) {
        let unit = if dimension.unit == "1" { "" } else { dimension.unit };
        let (number, said) = match value {
            Some(value) => (format!("{value:.*}", usize::from(dimension.decimals)), unit),
            None => ("-".to_owned(), reasons.get(dimension.name).copied().unwrap_or_default()),
        };
        output.line(format!("  {:<24}{number:>10} {said}", dimension.name).trim_end());
    }
    if let Some(key) = &analysis.figures.key {
        output.line(&format!("  {:<24}{key:>10}", "key"));
    }
    if let Some(peak_db) = analysis.figures.true_peak_db {
        output.line(&format!("  {:<24}{peak_db:>10.1} dBTP", "true_peak_db"));
    }
    if let Some(range) = analysis.figures.loudness_range_lu {
        output.line(&format!("  {:<24}{range:>10.1} LU", "loudness_range_lu"));
    }
    if let Some(bandwidth) = bandwidth {
        let ends = if bandwidth.cliff.is_some() { ", with a sharp edge" } else { "" };
        output.line(&format!("  {:<24}{:>10.0} Hz{ends}", "bandwidth_hz", bandwidth.hz));
    }
    for warning in info.warnings.iter().chain(warnings) {
        output.note(&format!("  warning   {warning}"));
    }
    let took = seconds.decode + seconds.analysis;
    output.note(&format!(
        "  {} analysed in {took:.2} s, {:.2} s of it decoding; spectra on {}: {}",
        text_from_seconds(duration_s),
        seconds.decode,
        device.used,
        device.reason
    ));
}
