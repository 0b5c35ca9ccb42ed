//! Our FLAC encoder against the kept crates and libFLAC: time, size, and whether the decoded samples equal the input.
//!
//! Arguments: WAV files of 16 or 24 bits. `flac` is measured if it is installed; it decodes all that is written.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use flacenc::component::BitRepr;
use flacenc::error::Verify;
use undertone::audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile};

const ROUNDS: usize = 3;

fn main() {
    println!("| signal | encoder | seconds | MB | decoded |");
    println!("|---|---|---|---|---|");
    let folder = tempfile::tempdir().unwrap();
    for path in std::env::args().skip(1) {
        let path = Path::new(&path);
        let file = AudioFile::open(path).unwrap();
        let bits = file.info().bits.unwrap();
        let format = file.info().audio;
        let mut samples = AudioBuffer::default();
        file.reader().unwrap().read(&mut samples, file.info().frames as usize).unwrap();
        let scale = f64::from(1u32 << (bits - 1));
        let integers: Vec<i32> = (0..samples.frames())
            .flat_map(|n| (0..format.channels).map(move |c| (n, c)))
            .map(|(n, c)| (f64::from(samples.channel(c)[n]) * scale).round() as i32)
            .collect();
        let out = folder.path().join("out.flac");
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let report = |encoder: &str, run: &mut dyn FnMut() -> Result<(), String>| {
            let mut best = f64::INFINITY;
            for _ in 0..ROUNDS {
                let started = Instant::now();
                if let Err(error) = run() {
                    println!("| {name} | {encoder} | - | - | {error} |");
                    return;
                }
                best = best.min(started.elapsed().as_secs_f64());
            }
            let bytes = out.metadata().unwrap().len();
            println!(
                "| {name} | {encoder} | {best:.2} | {:.2} | {} |",
                bytes as f64 / 1e6,
                verdict(&out, &integers, scale)
            );
        };

        let sample = if bits == 16 { SampleFormat::Int16 } else { SampleFormat::Int24 };
        let dither = undertone::audio::encode::Dither::None;
        let settings = EncodeSettings { format: FileFormat::Flac, sample, dither, ..EncodeSettings::default() };
        report("Undertone", &mut || {
            let mut encoder = Encoder::create(&out, &settings, format, true, &[]).map_err(|error| error.to_string())?;
            encoder.write(&samples).map_err(|error| error.to_string())?;
            encoder.finish().map(drop).map_err(|error| error.to_string())
        });
        report("flac-codec 1.3", &mut || {
            let options = flac_codec::encode::Options::default().overwrite();
            let (rate, channels) = (format.rate.hz(), format.channels as u8);
            let mut writer = flac_codec::encode::FlacSampleWriter::create(
                &out,
                options,
                rate,
                bits,
                channels,
                Some(integers.len() as u64),
            )
            .map_err(|error| error.to_string())?;
            writer.write(&integers).map_err(|error| error.to_string())?;
            writer.finalize().map_err(|error| error.to_string())
        });
        report("flacenc 0.5", &mut || {
            std::panic::catch_unwind(|| {
                let config = flacenc::config::Encoder::default().into_verified().unwrap();
                let source = flacenc::source::MemSource::from_samples(
                    &integers,
                    format.channels,
                    bits as usize,
                    format.rate.hz() as usize,
                );
                let stream = flacenc::encode_with_fixed_block_size(&config, source, config.block_size)
                    .map_err(|error| format!("{error:?}"))?;
                let mut sink = flacenc::bitsink::ByteSink::new();
                stream.write(&mut sink).map_err(|error| format!("{error:?}"))?;
                std::fs::write(&out, sink.as_slice()).map_err(|error| error.to_string())
            })
            .unwrap_or_else(|_| Err("panics".to_owned()))
        });
        for level in ["-5", "-8"] {
            if Command::new("flac").arg("--version").output().is_ok() {
                report(&format!("flac {level} (libFLAC)"), &mut || {
                    let status = Command::new("flac").args(["-s", "-f", level, "-o"]).arg(&out).arg(path).status();
                    status.map_err(|error| error.to_string())?.success().then_some(()).ok_or("failed".to_owned())
                });
            }
        }
    }
}

fn verdict(path: &Path, expected: &[i32], scale: f64) -> &'static str {
    let tested = Command::new("flac").args(["-s", "-t"]).arg(path).status();
    if tested.is_ok_and(|status| !status.success()) {
        return "refused by flac -t";
    }
    let file = match AudioFile::open(path) {
        Ok(file) => file,
        Err(_) => return "cannot be opened",
    };
    let mut samples = AudioBuffer::default();
    file.reader().unwrap().read(&mut samples, file.info().frames as usize).unwrap();
    let channels = file.info().audio.channels;
    let equal = expected.len() == samples.frames() * channels
        && expected.iter().enumerate().all(|(i, value)| {
            (f64::from(samples.channel(i % channels)[i / channels]) * scale).round() as i32 == *value
        });
    if equal { "exact" } else { "differs" }
}
