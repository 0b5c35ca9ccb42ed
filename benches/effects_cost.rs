//! Measures the cost of each effect: the seconds of stereo at 44.1 kHz that one thread renders per second.
//!
//! `cargo bench --bench effects_cost`. With `UPDATE_EFFECTS_TABLE` set, the figures are written to
//! `docs/measured/effects.md`; `HARDWARE="name"` adds the name of the processor.

#[path = "../tests/support/files.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod files;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/chain/effects/all/settings.rs"]
mod settings;
/// The path by which the settings, shared with the tests, find reference files.
mod support {
    pub use super::files::reference;
}
#[path = "../tests/support/effects_table.rs"]
mod table;

use std::time::Instant;

use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::chain::{Chain, MeasuredMap, Placement, Renderer, measure_whole};
use undertone::progress::Progress;
use undertone::units::SampleRate;

const RATE: u32 = 44_100;
const SECONDS: usize = 20;
const BLOCK: usize = 16_384;
/// The number of passes over the whole input; the best counts.
const PASSES: usize = 3;

/// Noise that alternates between loud and soft, as a reader.
struct Noise {
    audio: AudioBuffer,
    position: usize,
}

impl Noise {
    fn new() -> Self {
        let mut state = 1u32;
        let mut sample = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let level = if (n / 22_050).is_multiple_of(2) { 0.5 } else { 0.03 };
            level * ((state >> 8) as f32 / 8_388_608.0 - 1.0)
        };
        let channels = (0..2).map(|_| (0..SECONDS * RATE as usize).map(&mut sample).collect()).collect();
        Self { audio: AudioBuffer::from_channels(channels), position: 0 }
    }
}

impl AudioReader for Noise {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).expect("a rate"), 2)
    }

    fn frames(&self) -> u64 {
        self.audio.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> undertone::Result<()> {
        self.position = (frame as usize).min(self.audio.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> undertone::Result<()> {
        out.clear();
        out.resize(2, 0);
        let end = (self.position + frames).min(self.audio.frames());
        out.extend_from(&self.audio, self.position..end);
        self.position = end;
        Ok(())
    }
}

/// Returns the duration of a pass over the blocks in seconds.
fn pass(chain: &Chain, format: AudioFormat, measured: &MeasuredMap, blocks: &[AudioBuffer]) -> f64 {
    let mut renderer = Renderer::new(chain, format, &Placement::cpu(), measured).expect("a chain that runs");
    let mut blocks = blocks.to_vec();
    let start = Instant::now();
    for block in &mut blocks {
        renderer.process(block).expect("a block");
    }
    renderer.finish(false).expect("the rest");
    start.elapsed().as_secs_f64()
}

/// Adapts the range of a repair effect: the whole input, or one second to heal. Returns the text and the processed
/// seconds.
fn worded(text: &str) -> (String, f64) {
    let whole = text.replace("(20 ms, 80 ms", &format!("(0 s, {SECONDS} s"));
    let one = whole.replace("(40 ms, 60 ms", "(4 s, 5 s");
    let seconds = if one == whole { SECONDS as f64 } else { 1.0 };
    (one, seconds)
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        let mut source = Noise::new();
        let format = source.format();
        let mut blocks = Vec::new();
        loop {
            let mut block = AudioBuffer::default();
            source.read(&mut block, BLOCK).expect("noise");
            if block.is_empty() {
                break;
            }
            blocks.push(block);
        }
        // A codec costs as much as its model; the tests' model is small.
        for setting in settings::all().into_iter().filter(|setting| setting.name != "codec") {
            let (text, seconds) = worded(&setting.text);
            let chain: Chain = text.parse().expect("a chain");
            let measured =
                measure_whole(&chain, &mut source, "", &Placement::cpu(), &Progress::new()).expect("what was measured");
            let best = (0..PASSES).map(|_| pass(&chain, format, &measured, &blocks)).fold(f64::INFINITY, f64::min);
            let times = seconds / best;
            println!("{times:>10.0} x real time  {text}");
            if table::updating() {
                table::change(|page| page.set(setting.name, table::COST, &format!("{}", rounded(times))));
            }
        }
        if let (true, Ok(name)) = (table::updating(), std::env::var("HARDWARE")) {
            table::change(|page| page.name_hardware(&name));
        }
    });
}

/// Rounds to two significant digits. Further digits differ between runs.
fn rounded(times: f64) -> f64 {
    let unit = 10f64.powf(times.log10().floor() - 1.0);
    let digits = (times / unit).round() * unit;
    if unit >= 1.0 { digits.round() } else { (digits * 100.0).round() / 100.0 }
}
