//! Runs chains over signals in memory: in one pass, in arbitrary blocks, with a state restored in the middle. Includes
//! common assertions.

#![allow(dead_code, reason = "each test uses its part")]

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::Result;
use base::progress::Progress;
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Rendered, Renderer, Seeking, measure_whole};

/// A signal with a sample rate.
#[derive(Clone, Debug)]
pub struct Sound {
    pub audio: AudioBuffer,
    pub rate: u32,
    position: usize,
}

impl Sound {
    pub fn new(rate: u32, channels: Vec<Vec<f32>>) -> Self {
        Self { audio: AudioBuffer::from_channels(channels), rate, position: 0 }
    }
}

impl AudioReader for Sound {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(self.rate).unwrap(), self.audio.channels())
    }

    fn frames(&self) -> u64 {
        self.audio.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = (frame as usize).min(self.audio.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.clear();
        out.resize(self.audio.channels(), 0);
        let end = (self.position + frames).min(self.audio.frames());
        out.extend_from(&self.audio, self.position..end);
        self.position = end;
        Ok(())
    }
}

pub fn chain(text: &str) -> Chain {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Measures the whole signal as the chain requires.
pub fn measured(text: &str, sound: &Sound) -> MeasuredMap {
    measure_whole(&chain(text), &mut sound.clone(), "", &Placement::cpu(), &Progress::new()).unwrap()
}

pub fn renderer(text: &str, sound: &Sound) -> Renderer {
    Renderer::new(&chain(text), sound.format(), &Placement::cpu(), &measured(text, sound)).unwrap()
}

/// Returns the whole output, rendered in one block.
pub fn run(text: &str, sound: &Sound) -> AudioBuffer {
    in_blocks(text, sound, &[sound.audio.frames().max(1)], false)
}

/// Returns the whole output, rendered in blocks of these sizes, cyclically.
pub fn in_blocks(text: &str, sound: &Sound, blocks: &[usize], tail: bool) -> AudioBuffer {
    let mut renderer = renderer(text, sound);
    let mut out = AudioBuffer::new(renderer.output_format().channels, 0);
    feed(&mut renderer, sound, 0, blocks, &mut out);
    let rest = renderer.finish(tail).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}

fn feed(renderer: &mut Renderer, sound: &Sound, from: usize, blocks: &[usize], out: &mut AudioBuffer) {
    let mut sizes = blocks.iter().cycle();
    let mut at = from;
    while at < sound.audio.frames() {
        let end = sound.audio.frames().min(at + sizes.next().unwrap());
        let mut block = AudioBuffer::new(sound.audio.channels(), 0);
        block.extend_from(&sound.audio, at..end);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
}

/// Returns the whole output if another renderer restores the state, serialised as text, at frame `at`.
pub fn taken_up(text: &str, sound: &Sound, at: usize) -> AudioBuffer {
    let mut first = renderer(text, sound);
    let mut out = AudioBuffer::new(first.output_format().channels, 0);
    let mut head = AudioBuffer::new(sound.audio.channels(), 0);
    head.extend_from(&sound.audio, 0..at);
    first.process(&mut head).unwrap();
    out.extend_from(&head, 0..head.frames());
    let json = serde_json::to_string(&first.state()).unwrap();
    let state: RenderState = serde_json::from_str(&json).unwrap();
    let mut second = renderer(text, sound);
    second.restore(&state).unwrap();
    feed(&mut second, sound, at, &[977], &mut out);
    let rest = second.finish(false).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}

/// Returns the chain as a reader.
pub fn rendered(text: &str, sound: &Sound, seeking: Seeking) -> Rendered {
    let source = Box::new(sound.clone());
    Rendered::new(&chain(text), source, &Placement::cpu(), &measured(text, sound), seeking).unwrap()
}

/// Asserts that block sizes, restored states and seeks give identical samples.
pub fn assert_one_and_the_same(text: &str, sound: &Sound) {
    let whole = run(text, sound);
    let frames = sound.audio.frames();
    for blocks in [&[1usize, 17, 300, 4096][..], &[64], &[1023, 1025, 3]] {
        assert!(in_blocks(text, sound, blocks, false) == whole, "{text} in blocks of {blocks:?}");
    }
    for at in [1, frames / 3, frames - 1] {
        assert!(taken_up(text, sound, at) == whole, "{text} taken up at {at}");
    }
    for seeking in [Seeking::Exact, Seeking::Preroll] {
        let mut reader = rendered(text, sound, seeking);
        assert_eq!(reader.frames(), whole.frames() as u64, "{text}");
        let mut part = AudioBuffer::default();
        for from in [whole.frames() / 2, 0, whole.frames() / 5, whole.frames().saturating_sub(10)] {
            reader.seek(from as u64).unwrap();
            reader.read(&mut part, 1000).unwrap();
            for (got, whole) in part.iter().zip(whole.iter()) {
                let expected = &whole[from..whole.len().min(from + 1000)];
                assert!(got == expected, "{text} read from {from}, {seeking:?}");
            }
        }
    }
}

/// Asserts that unusual signals give finite output of the right length, separately for each channel.
pub fn assert_robust(text: &str, channels: &[usize]) {
    let frames = 1500;
    let signals: [(&str, fn(usize) -> f32); 6] = [
        ("silence", |_| 0.0),
        ("an offset", |_| 0.7),
        ("a full-scale square", |n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }),
        ("denormals", |n| if n % 3 == 0 { 1e-41 } else { -1e-42 }),
        ("a huge signal", |n| (n as f32 * 0.3).sin() * 1e6),
        ("no number", |n| if n == 7 { f32::NAN } else { (n as f32 * 0.1).sin() }),
    ];
    for (name, signal) in signals {
        for &count in channels {
            for rate in [8000, 44_100, 192_000] {
                let sound = Sound::new(rate, vec![(0..frames).map(signal).collect(); count]);
                let out = run(text, &sound);
                assert_eq!(out.frames() as u64, renderer(text, &sound).plan().frames_out(frames as u64), "{text}");
                // A gain may pass on a non-finite sample in its place; no effect keeps it.
                let from = if name == "no number" { out.frames() / 2 } else { 0 };
                let finite = |channel: &[f32]| channel.iter().skip(from).all(|sample| sample.is_finite());
                assert!(out.iter().all(finite), "{text}: {name}, {count} at {rate}");
            }
        }
    }
    for &count in channels {
        for frames in [0, 1, 2] {
            let out = run(text, &Sound::new(48_000, vec![vec![0.5; frames]; count]));
            assert_eq!(
                out.frames() as u64,
                renderer(text, &Sound::new(48_000, vec![vec![0.5; frames]; count])).plan().frames_out(frames as u64),
                "{text}"
            );
        }
    }
}

/// Reproducible white noise in -0.5..0.5, different in every channel.
pub fn noise(rate: u32, channels: usize, frames: usize) -> Sound {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut sample = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    };
    Sound::new(rate, (0..channels).map(|_| (0..frames).map(|_| sample()).collect()).collect())
}

/// A sine.
pub fn tone(rate: u32, hz: f64, gain: f64, frames: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * hz / f64::from(rate);
    (0..frames).map(|n| (gain * (step * n as f64).sin()) as f32).collect()
}

/// Returns the amplitude of a tone in samples that span whole periods.
pub fn amplitude(samples: &[f32], cycles_per_frame: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in samples.iter().enumerate() {
        let angle = std::f64::consts::TAU * (cycles_per_frame * n as f64).fract();
        re += f64::from(*sample) * angle.cos();
        im += f64::from(*sample) * angle.sin();
    }
    2.0 * re.hypot(im) / samples.len() as f64
}

pub fn db(gain: f64) -> f64 {
    20.0 * gain.max(1e-30).log10()
}
