//! `undertone generate`: writes test signals to files.

pub mod arguments;

use std::sync::Arc;

use super::Outcome;
use super::interrupt::cancel_on_interrupt;
use super::options::{dither_for, file_format, lossy_settings};
use super::output::{Output, name};
use super::time::frame_from_text;
use crate::audio::{AudioFormat, AudioReader, MarkerList};
use crate::chain::{Chain, Placement};
use crate::error::{Error, Result};
use crate::generate::{Generator, GeneratorSettings, Signal, dtmf_frames};
use crate::library::answers::only_copies;
use crate::progress::Progress;
use crate::units::SampleRate;
use crate::work::Directories;
use crate::work::export::{self, ExportJob, ExportOutcome, ExportSettings, Tagging};
use arguments::{File, Generate, SignalWords};

pub fn run(words: &Generate, output: &Output) -> Result<Outcome> {
    let (settings, file) = settings(&words.signal)?;
    let generator = Generator::new(&settings)?;
    let export_settings = export_settings(file, generator.format())?;
    let directories = Directories::of_this_user()?;
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    let _bar = output.follow(&name(&file.output), &progress[0]);
    let job = ExportJob {
        source: Box::new(generator),
        chain: Chain::default(),
        placement: Placement::cpu(),
        settings: export_settings,
        target: file.output.clone(),
        overwrite: file.overwrite,
        // An existing file may be the library's only copy of a track.
        inputs: export::protected(&[]).guarded(only_copies(directories.data())),
        tags: Tagging::default(),
        markers: MarkerList::default(),
    };
    let outcome = export::export(job, &progress[0])?;
    say(&settings, &outcome, output)?;
    Ok(Outcome::Done)
}

/// Returns the requested signal, and the file to write it to.
fn settings(words: &SignalWords) -> Result<(GeneratorSettings, &File)> {
    // Noise alone has a seed; the others do not use it.
    let plain = |file, signal, level, length| made(file, signal, level, length, 0);
    match words {
        SignalWords::Sine(words) => {
            plain(&words.file, Signal::Sine { frequency_hz: words.frequency }, words.peak.level, &words.length.length)
        }
        SignalWords::Square(words) => {
            plain(&words.file, Signal::Square { frequency_hz: words.frequency }, words.peak.level, &words.length.length)
        }
        SignalWords::Saw(words) => {
            plain(&words.file, Signal::Saw { frequency_hz: words.frequency }, words.peak.level, &words.length.length)
        }
        SignalWords::Triangle(words) => {
            let signal = Signal::Triangle { frequency_hz: words.frequency };
            plain(&words.file, signal, words.peak.level, &words.length.length)
        }
        SignalWords::Sweep(words) => {
            let signal = Signal::Sweep { from_hz: words.frequency, to_hz: words.to, scale: words.sweep };
            plain(&words.file, signal, words.peak.level, &words.length.length)
        }
        SignalWords::White(words) => {
            let noise = &words.noise;
            let signal = Signal::White { distribution: words.distribution };
            made(&noise.file, signal, noise.level, &noise.length.length, noise.seed)
        }
        SignalWords::Pink(words) => made(&words.file, Signal::Pink, words.level, &words.length.length, words.seed),
        SignalWords::Brown(words) => made(&words.file, Signal::Brown, words.level, &words.length.length, words.seed),
        SignalWords::Impulses(words) => {
            let rate = SampleRate::new(words.file.rate)?;
            let interval_frames = match words.frequency {
                Some(hz) if hz > 0.0 && hz <= rate.as_f64() => rate.as_f64() / hz,
                Some(hz) => {
                    let allowed = format!("above 0 Hz and at most {rate}, one impulse per sample");
                    return Err(Error::invalid("frequency of impulses", format!("{hz} Hz"), allowed));
                }
                None => frame_from_text("--interval", &words.interval, rate)? as f64,
            };
            plain(&words.file, Signal::Impulses { interval_frames }, words.level, &words.length.length)
        }
        SignalWords::Silence(words) => plain(&words.file, Signal::Silence, 0.0, &words.length.length),
        SignalWords::Dtmf(words) => {
            let rate = SampleRate::new(words.file.rate)?;
            let tone_frames = frame_from_text("--tone", &words.tone, rate)?;
            let pause_frames = frame_from_text("--pause", &words.pause, rate)?;
            let digits = words.digits.clone();
            let length = match &words.length {
                Some(length) => length.clone(),
                None => format!("{}f", dtmf_frames(digits.chars().count(), tone_frames, pause_frames)),
            };
            plain(&words.file, Signal::Dtmf { digits, tone_frames, pause_frames }, words.peak.level, &length)
        }
        SignalWords::Clicks(words) => {
            let signal = Signal::Clicks { bpm: words.bpm, beats: words.beats };
            plain(&words.file, signal, words.peak.level, &words.length.length)
        }
    }
}

fn made<'a>(
    file: &'a File,
    signal: Signal,
    level_db: f64,
    length: &str,
    seed: u64,
) -> Result<(GeneratorSettings, &'a File)> {
    let format = AudioFormat::new(SampleRate::new(file.rate)?, file.channels);
    let frames = frame_from_text("--length", length, format.rate)?;
    Ok((GeneratorSettings { signal, format, frames, level_db, seed }, file))
}

fn export_settings(file: &File, made: AudioFormat) -> Result<ExportSettings> {
    let format = file_format(file.format, &file.output)?;
    let dither = dither_for(file.dither, format, file.bits);
    format.check_layout(made)?;
    Ok(ExportSettings::plain(format, file.bits, dither, lossy_settings(&file.lossy, format)?))
}

fn say(settings: &GeneratorSettings, outcome: &ExportOutcome, output: &Output) -> Result<()> {
    for warning in &outcome.warnings {
        output.note(&format!("undertone: {}: {warning}", name(&outcome.target)));
    }
    if outcome.format.rate != settings.format.rate {
        let (from, to) = (settings.format.rate, outcome.format.rate);
        output.note(&format!(
            "undertone: {}: converted from {from} to {to}, which the format needs",
            name(&outcome.target)
        ));
    }
    if outcome.clipped > 0 {
        let over = crate::units::db_from_gain(outcome.peak);
        let target = name(&outcome.target);
        output.note(&format!("undertone: {target}: {} samples clipped, by up to {over:.2} dB", outcome.clipped));
    }
    if output.is_json() {
        let mut json = serde_json::to_value(outcome).map_err(|error| Error::Internal(error.to_string()))?;
        if let Some(fields) = json.as_object_mut() {
            let made = serde_json::to_value(settings).map_err(|error| Error::Internal(error.to_string()))?;
            fields.insert("generated".to_owned(), made);
        }
        return output.json(&json);
    }
    output.line(&format!(
        "{}  {} frames, {}, {} channels, {:.2} s",
        outcome.target.display(),
        outcome.frames,
        outcome.format.rate,
        outcome.format.channels,
        outcome.seconds.total,
    ));
    Ok(())
}
