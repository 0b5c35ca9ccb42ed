//! Times opening three hours of 96 kHz stereo: until the file is probed, until a first coarse waveform is available,
//! and until every frame has been read, against a plain read of the same bytes in the same run.
//!
//! `cargo bench --bench opening` writes 4.1 GB of RF64 (16 bits) to the temporary folder; `UNDERTONE_BENCH_SECONDS`
//! makes it shorter. The file has just been written, so it is read from memory as far as it fits there.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use undertone::audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::units::SampleRate;
use undertone::view::peaks::{OpenReader, Peaks, PeaksState};

fn main() {
    let seconds = std::env::var("UNDERTONE_BENCH_SECONDS").ok().map_or(3 * 3600, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.wav");
    write(&path, seconds);
    println!("{seconds} s of stereo at 96 kHz, 16 bits, {:.2} GB", path.metadata().unwrap().len() as f64 / 1e9);

    let started = Instant::now();
    let file = AudioFile::open(&path).unwrap();
    println!("known what it is          {:8.1} ms", ms(started));

    let readers: OpenReader = {
        let file = file.clone();
        Arc::new(move || file.reader())
    };
    let (told, news) = channel();
    let on_change = Box::new(move |state: PeaksState| {
        // The receiver is gone once everything has been read.
        let _ = told.send(state.exact_share);
    });
    let peaks = Peaks::start(readers, on_change).unwrap();
    news.recv().unwrap();
    peaks.query(0.0, file.info().frames as f64, 1280).unwrap();
    println!("first coarse waveform     {:8.1} ms", ms(started));
    while news.recv().unwrap() < 1.0 {}
    let exact = ms(started);
    println!("every frame read          {exact:8.1} ms");

    let started = Instant::now();
    let mut plain = File::open(&path).unwrap();
    let mut block = vec![0; 1 << 20];
    while plain.read(&mut block).unwrap() > 0 {}
    println!(
        "a plain read of the file  {:8.1} ms; the exact waveform takes {:.2} times that",
        ms(started),
        exact / ms(started)
    );
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn write(path: &Path, seconds: usize) {
    let format = AudioFormat::new(SampleRate::new(96_000).unwrap(), 2);
    let settings = EncodeSettings { format: FileFormat::Wav, sample: SampleFormat::Int16, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).unwrap();
    let plane: Vec<f32> = (0..96_000u32).map(|n| ((n * 7919) % 65_536) as f32 / 131_072.0 - 0.25).collect();
    let second = AudioBuffer::from_channels(vec![plane.clone(), plane]);
    for _ in 0..seconds {
        encoder.write(&second).unwrap();
    }
    encoder.finish().unwrap();
}
