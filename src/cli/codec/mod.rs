//! `undertone codec`: recordings to the units of a neural codec, and back.

pub mod arguments;
mod sound;
mod units;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use super::interrupt::cancel_on_interrupt;
use super::options::{devices_and_request, say_fallback};
use super::output::{Output, name};
use crate::audio::AudioBuffer;
use crate::codecs::neural::{NeuralCodec, Opened, mean};
use crate::codecs::{Codec as _, Coded, Payload, Sound};
use crate::device::{DeviceReport, DeviceRequest, Devices};
use crate::error::Result;
use crate::models::rounded_kbps;
use crate::progress::Progress;
use arguments::{Codec, CodecCommand, Decode, Encode, Resynthesise};
use units::Given;

pub fn run(words: &Codec, device: Option<&DeviceRequest>, output: &Output) -> Result<Outcome> {
    let device = devices_and_request(device.cloned())?;
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    match &words.command {
        CodecCommand::Encode(words) => encode(words, device, output, &progress[0]),
        CodecCommand::Decode(words) => decode(words, device, output, &progress[0]),
        CodecCommand::Resynthesise(words) => resynthesise(words, device, output, &progress[0]),
    }?;
    Ok(Outcome::Done)
}

/// The devices, and the requested one.
type Asked = (Arc<Devices>, DeviceRequest);

fn encode(words: &Encode, device: Asked, output: &Output, progress: &Progress) -> Result<()> {
    let inputs = sound::protected(&words.input, &words.model.model)?;
    units::check_targets(&words.output, words.overwrite, &inputs)?;
    let (codec, opening) = open(&words.model.model, words.bandwidth.bandwidth, device)?;
    units::check_model(&words.output, &codec)?;
    let _bar = output.follow(&name(&words.input), progress);
    let read = sound::read(&words.input, &codec, progress)?;
    if units::is_dac(&words.output) {
        return encode_dac(words, &codec, &read, opening, output, progress);
    }
    let sound = match codec.voices(read.converted.samples.channels()) {
        1 => read.converted,
        channels => {
            output.note(&format!(
                "undertone: {}: the mean of {channels} channels is encoded, since the model is mono",
                name(&words.input)
            ));
            let all: Vec<Vec<f32>> = read.converted.samples.iter().map(<[f32]>::to_vec).collect();
            Sound::new(read.converted.rate, AudioBuffer::from_channels(vec![mean(&all)]))
        }
    };
    let begun = Instant::now();
    progress.set_total(sound.frames());
    let (coded, device) = codec.encode_counted(&sound, progress)?;
    let seconds = begun.elapsed();
    let files = units::write(&words.output, words.overwrite, &inputs, codec.facts(), &coded)?;
    let mut report = report(&codec, &coded, device.as_ref(), opening, ("encode_s", seconds));
    report["input"] = json!(words.input.to_string_lossy());
    report["outputs"] = json!(files.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>());
    say(output, &words.output, device.as_ref(), &report)
}

/// Encodes all channels into DAC's container.
fn encode_dac(
    words: &Encode,
    codec: &NeuralCodec,
    read: &sound::Read,
    opening: Duration,
    output: &Output,
    progress: &Progress,
) -> Result<()> {
    let begun = Instant::now();
    progress.set_total(read.converted.frames() * read.converted.samples.channels() as u64);
    let (file, device) = codec.encode_dac(&read.converted, (read.rate, read.frames), progress)?;
    let seconds = begun.elapsed();
    let inputs = sound::protected(&words.input, &words.model.model)?;
    units::write_bytes(&words.output, words.overwrite, &inputs, &file.bytes()?)?;
    let mut report = report(codec, &codec.coded_dac(&file)?, device.as_ref(), opening, ("encode_s", seconds));
    report["input"] = json!(words.input.to_string_lossy());
    report["outputs"] = json!([words.output.to_string_lossy()]);
    say(output, &words.output, device.as_ref(), &report)
}

fn decode(words: &Decode, device: Asked, output: &Output, progress: &Progress) -> Result<()> {
    sound::check_target(&words.written, &words.input, &words.model.model)?;
    let opened = Instant::now();
    let model = Opened::open(&words.model.model)?;
    let given = units::read(&words.input)?;
    let codec = NeuralCodec::with_books(&model, given.books())?.on(device.0, device.1);
    let coded = match &given {
        Given::Units { books, scales, stated } => {
            let mut coded = codec.coded(codec.facts().channels, books.clone(), scales.clone())?;
            units::take_stated(*stated, codec.facts(), &mut coded)?;
            coded
        }
        Given::Dac(file) => codec.coded_dac(file)?,
    };
    let opening = opened.elapsed();
    let _bar = output.follow(&name(&words.input), progress);
    progress.set_total(coded.frames * codec.voices(coded.format.channels) as u64);
    let begun = Instant::now();
    let (sound, device) = match &given {
        Given::Units { .. } => codec.decode_counted(&coded, progress),
        Given::Dac(file) => codec.decode_dac(file, progress),
    }?;
    let seconds = begun.elapsed();
    let protected = sound::protected(&words.input, &words.model.model)?;
    let warnings = sound::write(&words.written, protected, &sound, None, progress)?;
    warnings.iter().for_each(|warning| output.note(&format!("undertone: {}: {warning}", name(&words.written.output))));
    let mut report = report(&codec, &coded, device.as_ref(), opening, ("decode_s", seconds));
    report["input"] = json!(words.input.to_string_lossy());
    report["outputs"] = json!([words.written.output.to_string_lossy()]);
    say(output, &words.written.output, device.as_ref(), &report)
}

fn resynthesise(words: &Resynthesise, device: Asked, output: &Output, progress: &Progress) -> Result<()> {
    sound::check_target(&words.written, &words.input, &words.model.model)?;
    let (codec, opening) = open(&words.model.model, words.bandwidth.bandwidth, device)?;
    let _bar = output.follow(&name(&words.input), progress);
    let read = sound::read(&words.input, &codec, progress)?;
    let voices = codec.voices(read.converted.samples.channels()) as u64;
    progress.set_total(2 * voices * read.converted.frames());
    let begun = Instant::now();
    let (coded, encoder) = codec.encode_counted(&read.converted, progress)?;
    let encoded = begun.elapsed();
    let (sound, decoder) = codec.decode_counted(&coded, progress)?;
    let decoded = begun.elapsed().saturating_sub(encoded);
    let sound = sound::at(&sound, read.rate, read.frames, progress)?;
    let protected = sound::protected(&words.input, &words.model.model)?;
    let warnings = sound::write(&words.written, protected, &sound, Some(&words.input), progress)?;
    warnings.iter().for_each(|warning| output.note(&format!("undertone: {}: {warning}", name(&words.written.output))));
    // Reports the encoder's device if it fell back, otherwise the decoder's.
    let device = encoder.filter(|report| report.fallback).or(decoder);
    let mut report = report(&codec, &coded, device.as_ref(), opening, ("encode_s", encoded));
    report["seconds"]["decode_s"] = json!(decoded.as_secs_f64());
    report["realtime_factor"] = factor(&coded, encoded + decoded);
    report["input"] = json!(words.input.to_string_lossy());
    report["outputs"] = json!([words.written.output.to_string_lossy()]);
    say(output, &words.written.output, device.as_ref(), &report)
}

fn open(path: &Path, kbps: Option<f64>, (devices, request): Asked) -> Result<(NeuralCodec, Duration)> {
    let begun = Instant::now();
    let codec = NeuralCodec::new(&Opened::open(path)?, kbps)?.on(devices, request);
    Ok((codec, begun.elapsed()))
}

/// Seconds of sound for each second of work; `null` without sound or measurable time.
fn factor(coded: &Coded, seconds: Duration) -> Value {
    let sounding = coded.format.rate.seconds_from_frames(coded.frames);
    let factor = sounding / seconds.as_secs_f64();
    if factor.is_finite() && coded.frames > 0 { json!(factor) } else { Value::Null }
}

fn report(
    codec: &NeuralCodec,
    coded: &Coded,
    device: Option<&DeviceReport>,
    opening: Duration,
    (step, seconds): (&str, Duration),
) -> Value {
    let facts = codec.facts();
    let codes = match &coded.payload {
        Payload::Units(units) => units.books().first().map_or(0, Vec::len),
        Payload::File(_) => 0,
    };
    let mut report = json!({
        "model": {
            "kind": facts.kind.name(),
            "title": facts.kind.title(),
            "rate": facts.rate.hz(),
            "channels": facts.channels,
            "books": facts.books,
            "book_size": facts.book_size,
            "hop": facts.hop,
        },
        "device": device,
        "books": codec.books(),
        "codes": codes,
        "frames": coded.frames,
        "channels": coded.format.channels,
        "rate": coded.format.rate.hz(),
        "bits": coded.bits(),
        "kbps": coded.kbps(),
        "nominal_kbps": codec.nominal_kbps(coded.format),
        "latency_frames": codec.latency_frames(coded.format).unwrap_or(0),
        "realtime_factor": factor(coded, seconds),
        "seconds": { "open_s": opening.as_secs_f64() },
    });
    report["seconds"][step] = json!(seconds.as_secs_f64());
    report
}

fn say(output: &Output, target: &Path, device: Option<&DeviceReport>, report: &Value) -> Result<()> {
    device.iter().for_each(|device| say_fallback(device, output));
    if output.is_json() {
        return output.json(report);
    }
    let number = |key: &str| report[key].as_f64().unwrap_or(0.0);
    let speed = report["realtime_factor"].as_f64().map(|factor| format!(", {factor:.2} x real time"));
    output.line(&format!(
        "{}  {}, {} books, {} codes, {} kbit/s, on {}{}",
        target.display(),
        report["model"]["title"].as_str().unwrap_or_default(),
        report["books"],
        report["codes"],
        rounded_kbps(number("nominal_kbps")),
        device.map_or("nothing", |device| device.name.as_str()),
        speed.unwrap_or_default(),
    ));
    Ok(())
}
