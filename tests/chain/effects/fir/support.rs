use std::path::Path;

use audio::{AudioBuffer, AudioFormat};
use base::units::SampleRate;
use effects::{self, Arguments, Effect, Process, Stage, Value};

pub fn format(hz: u32, channels: usize) -> AudioFormat {
    AudioFormat::new(SampleRate::new(hz).unwrap(), channels)
}

pub fn given(values: &[(&str, Value)]) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in values {
        arguments.set(name, value.clone());
    }
    arguments
}

pub fn make(name: &str, values: &[(&str, Value)]) -> Box<dyn Effect> {
    effects::find(name).unwrap().make(&given(values)).unwrap()
}

pub fn process(effect: &dyn Effect, format: AudioFormat) -> Box<dyn Process> {
    match effect.stage(format, None).unwrap() {
        Stage::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

/// Returns the taps of an effect at a sample rate, and their lag.
pub fn taps(effect: &dyn Effect, hz: u32) -> (Vec<f64>, u64) {
    let process = process(effect, format(hz, 1));
    let (taps, lag) = process.taps().unwrap();
    (taps.to_vec(), lag)
}

pub fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// Returns the output of an effect without its latency, processed in blocks of these sizes, cyclically.
pub fn run(effect: &dyn Effect, hz: u32, input: &AudioBuffer, sizes: &[usize]) -> AudioBuffer {
    let format = format(hz, input.channels());
    let mut process = process(effect, format);
    let latency = effect.latency_frames(format) as usize;
    let mut padded = input.clone();
    padded.resize(input.channels(), input.frames() + latency);
    let mut out = AudioBuffer::new(input.channels(), 0);
    let (mut at, mut turn) = (0, 0);
    while at < padded.frames() {
        let end = (at + sizes[turn % sizes.len()]).min(padded.frames());
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(&padded, at..end);
        process.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        (at, turn) = (end, turn + 1);
    }
    out.drop_front(latency);
    out
}

/// Returns the f64 sum over taps that are advanced by `lag` frames.
pub fn exact(taps: &[f64], lag: u64, input: &[f32], n: usize) -> f64 {
    let sample = |at: i64| usize::try_from(at).ok().and_then(|at| input.get(at)).map_or(0.0, |x| f64::from(*x));
    taps.iter().enumerate().map(|(k, tap)| tap * sample(n as i64 + lag as i64 - k as i64)).sum()
}

/// Returns the RMS of the residual in dB relative to the louder signal, at a subset of the frames.
pub fn residual_db(output: &[f32], taps: &[f64], lag: u64, input: &[f32]) -> f64 {
    let step = (taps.len() * input.len() / 4_000_000).max(1);
    let places: Vec<usize> = (0..input.len()).step_by(step).collect();
    let rms = |values: &[f64]| (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt();
    let wanted: Vec<f64> = places.iter().map(|n| exact(taps, lag, input, *n)).collect();
    let error: Vec<f64> = places.iter().zip(&wanted).map(|(n, wanted)| f64::from(output[*n]) - wanted).collect();
    let heard: Vec<f64> = input.iter().map(|x| f64::from(*x)).collect();
    20.0 * (rms(&error) / rms(&wanted).max(rms(&heard))).log10()
}

/// Writes a WAV file of 32-bit floats.
pub fn write_wav(path: &Path, hz: u32, channels: &[Vec<f32>]) {
    let (count, frames) = (channels.len() as u32, channels[0].len() as u32);
    let bytes = frames * count * 4;
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend(3u16.to_le_bytes());
    file.extend((count as u16).to_le_bytes());
    file.extend(hz.to_le_bytes());
    file.extend((hz * count * 4).to_le_bytes());
    file.extend((count as u16 * 4).to_le_bytes());
    file.extend(32u16.to_le_bytes());
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    for frame in 0..frames as usize {
        channels.iter().for_each(|channel| file.extend(channel[frame].to_le_bytes()));
    }
    std::fs::write(path, file).unwrap();
}
