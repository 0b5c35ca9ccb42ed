//! `undertone spectrogram`: writes a spectrogram as a picture or as an array.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::Outcome;
use super::arguments::Spectrogram as Words;
use super::options::{chain, check_own_chain, devices_and_request, say_fallback};
use super::output::{Output, name};
use crate::audio::Lanes;
use crate::chain::{Chain, Placement, Rendered, Seeking, measure_whole};
use crate::design::{FrequencyScale, Window};
use crate::device::{DeviceReport, DeviceRequest, RunPurpose};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::SafeFile;
use crate::kernels::signal::constant_q::BINS_PER_OCTAVE;
use crate::kernels::signal::stft::{StftPlan, StftSpec};
use crate::progress::Progress;
use crate::view::colours;
use crate::view::peaks::OpenReader;
use crate::view::picture::{NumberKind, PictureSpec, draw, png, write_npy, write_row_npy};
use crate::view::spectrogram::{Analysis, Method, SpectrogramSource};
use crate::work::export::{ExportInput, protected};

#[derive(Serialize)]
struct SpectrogramReport<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_input")]
    input: &'a Path,
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: &'a Path,
    frames: u64,
    rate: u32,
    shape: Vec<u64>,
    bytes: u64,
    device: DeviceReport,
}

enum Kind {
    Picture,
    Numbers(NumberKind),
}

pub fn run(words: &Words, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let kind = kind(words)?;
    let window: Window = words.window.parse()?;
    let hop = words.hop.unwrap_or(words.size / 4).max(u32::from(words.hop.is_none()));
    let spec = StftSpec { window, size: words.size as usize, padding: words.padding as usize, hop: hop as usize };
    let plan = StftPlan::new(spec)?;
    let method: Method = words.method.parse()?;
    if let Some(bins) = words.bins_per_octave {
        check_bins(method, bins)?;
    }
    let scale: FrequencyScale = match &words.scale {
        Some(scale) => scale.parse()?,
        None if method == Method::ConstantQ => FrequencyScale::Log,
        None => FrequencyScale::Linear,
    };
    if matches!(kind, Kind::Numbers(NumberKind::Complex)) && method != Method::Fourier {
        return Err(Error::impossible(format!("--complex needs --method fourier, not {method}.")));
    }
    let bins_per_octave = words.bins_per_octave.unwrap_or(36);
    let analysis = Analysis { method, bins_per_octave, window, size: spec.size, padding: spec.padding, scale };
    let colours = colours::table(&words.colormap)?;
    let chain = chain(&words.chain, output)?;

    let input = ExportInput::open(&words.input, &Permission::ANY)?;
    check_own_chain(&words.chain, &input)?;
    let chain = input.chain(&chain);
    for warning in input.warnings() {
        output.note(&format!("undertone: {}: {warning}", name(&words.input)));
    }
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Export).for_frames(input.frames());
    let inputs = protected(std::slice::from_ref(&words.input)).with(chain.named_files());
    let rate = input.format().rate;
    let source = source(input, chain, &placement)?;
    let lanes = if words.mono { Lanes::Mix } else { Lanes::Each };
    let mut target = SafeFile::create(&words.output, words.overwrite, inputs)?;
    let progress = Progress::new();
    let follower = output.follow(&name(&words.input), &progress);
    let (shape, device) = match kind {
        Kind::Picture => {
            let picture = PictureSpec {
                analysis,
                lanes,
                width: words.width,
                height: words.height,
                hop: spec.hop,
                top_db: words.db_top,
                range_db: words.db_range,
                colours,
                axes: !words.bare,
                title: format!("{}   {}, {}, {scale} axis", name(&words.input), rate, analysis.in_words()),
            };
            let (image, device) = draw(&source, &picture, &placement, &progress)?;
            target.append(&png(&image)?)?;
            (vec![u64::from(image.width()), u64::from(image.height())], device)
        }
        Kind::Numbers(_) if method != Method::Fourier => {
            let span = analysis.axis(source.format().rate).span(words.height as usize);
            let analyser = analysis.columns(source.format().rate, span)?;
            let device =
                write_row_npy(&source, analyser.as_ref(), lanes, spec.hop, &placement, &mut target, &progress)?;
            let lanes = lanes.count(source.format().channels) as u64;
            (vec![lanes, analyser.rows() as u64, plan.windows(source.frames())], device)
        }
        Kind::Numbers(kind) => {
            let device = write_npy(&source, &plan, lanes, kind, &placement, &mut target, &progress)?;
            let lanes = lanes.count(source.format().channels) as u64;
            (vec![lanes, plan.bins() as u64, plan.windows(source.frames())], device)
        }
    };
    let bytes = target.commit()?;
    drop(follower);
    say_fallback(&device, output);
    let shown: Vec<String> = shape.iter().map(u64::to_string).collect();
    if output.is_json() {
        let (frames, rate) = (source.frames(), source.format().rate.hz());
        output.json(&SpectrogramReport {
            input: &words.input,
            output: &words.output,
            frames,
            rate,
            shape,
            bytes,
            device,
        })?;
    } else {
        let (path, shown) = (words.output.display(), shown.join(" x "));
        output.line(&format!("{path}: {shown}, {bytes} bytes, on {}", device.used));
    }
    Ok(Outcome::Done)
}

/// Checks `--bins-per-octave` before anything is written.
fn check_bins(method: Method, bins: u32) -> Result<()> {
    if method != Method::ConstantQ {
        return Err(Error::impossible(format!("--bins-per-octave needs --method constant_q, not {method}.")));
    }
    if !BINS_PER_OCTAVE.contains(&bins) {
        let allowed = format!("{} to {}", BINS_PER_OCTAVE.start(), BINS_PER_OCTAVE.end());
        return Err(Error::invalid("--bins-per-octave", bins.to_string(), allowed));
    }
    Ok(())
}

fn kind(words: &Words) -> Result<Kind> {
    let ending = words.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match (ending.as_deref(), words.complex) {
        (Some("png"), false) => Ok(Kind::Picture),
        (Some("npy"), false) => Ok(Kind::Numbers(NumberKind::Decibels)),
        (Some("npy"), true) => Ok(Kind::Numbers(NumberKind::Complex)),
        (Some("png"), true) => Err(Error::impossible("--complex needs an output that ends in .npy.")),
        _ => Err(Error::invalid("output", words.output.display().to_string(), "a name that ends in .png or .npy")),
    }
}

fn source(input: ExportInput, chain: Chain, placement: &Placement) -> Result<SpectrogramSource> {
    if chain.nodes.is_empty() {
        let placement = placement.clone();
        let open: OpenReader = Arc::new(move || input.reader(&placement, &Progress::new()));
        return SpectrogramSource::new(String::new(), open);
    }
    let placement = placement.clone();
    let mut whole = input.reader(&placement, &Progress::new())?;
    let measured = measure_whole(&chain, whole.as_mut(), "", &placement, &Progress::new())?;
    let open: OpenReader = Arc::new(move || {
        let rendered =
            Rendered::new(&chain, input.reader(&placement, &Progress::new())?, &placement, &measured, Seeking::Exact)?;
        Ok(Box::new(rendered) as _)
    });
    SpectrogramSource::new(String::new(), open)
}
