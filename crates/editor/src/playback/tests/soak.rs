//! A hundred hours of sound as fast as a virtual output takes it, with random edits, seeks, loops, recordings and
//! outputs: every frame of the original side is the right one, positions are exact to the frame far beyond 32 bits,
//! nothing runs dry, and the process does not grow. `UNDERTONE_SOAK_HOURS` sets the duration; two minutes without it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::engine::Engine;
use super::super::preview::{ChainSource, OpenReader};
use super::super::source::Side;
use super::super::virtual_output::{Ramp, VirtualSound};
use super::resources::{Random, ResourceLog, Resources};
use effects::chain::{Chain, Placement};

/// Frames of an hour at [`super::RATE`].
const HOUR: u64 = 3600 * super::RATE as u64;
/// The length of each call of the output: whole milliseconds at every rate that is used, so that places are exact.
const CALLS_MS: [u64; 3] = [10, 20, 40];

const CHAINS: [&str; 12] = [
    "",
    "gain(-6 dB)",
    "highpass(300 Hz, order=4) | peaking(2 kHz, q=2, gain=6 dB)",
    "lowpass(5 kHz) + highpass(5 kHz)",
    "off(gain(20 dB)) | mix(40 %, high_shelf(8 kHz, gain=4 dB))",
    "delay(1/8, bpm=120, mix=20 %)",
    "compressor(-20 dB) | gain(3 dB)",
    "tremolo()",
    "pan(30 %)",
    "gain(60 dB) | gain(8 dB)",
    "time_stretch(130 %)",
    "resample(22050 Hz)",
];

/// An engine and the state of a test run.
struct Run {
    sound: VirtualSound,
    engine: Engine,
    random: Random,
    frames: u64,
    rate: u32,
    side: Side,
    looping: bool,
    plugged: u64,
    /// Frames put out, and of these those that were compared one by one.
    taken: u64,
    compared: u64,
    underruns: u64,
}

fn recording(rate: u32, channels: usize, frames: u64) -> Arc<ChainSource> {
    let open: OpenReader = Arc::new(move || Ok(Box::new(Ramp::new(rate, channels, frames))));
    Arc::new(ChainSource::new(open, Placement::cpu()).unwrap())
}

impl Run {
    fn new(seed: u64) -> Self {
        let sound = VirtualSound::new(super::RATE, 2);
        let engine = Engine::new(Box::new(sound.clone()), None);
        let mut run = Self {
            sound,
            engine,
            random: Random(seed),
            frames: 0,
            rate: 0,
            side: Side::Processed,
            looping: false,
            plugged: 0,
            taken: 0,
            compared: 0,
            underruns: 0,
        };
        run.load(100 * HOUR, super::RATE);
        run
    }

    fn load(&mut self, frames: u64, rate: u32) {
        (self.frames, self.rate, self.looping) = (frames, rate, false);
        let now_ns = self.sound.now_ns();
        self.underruns += self.engine.transport(now_ns).underruns;
        let chain = self.chain();
        self.engine.load(Some(recording(rate, 2, frames)), chain, 0, now_ns);
        self.engine.play(self.random.below(frames), None, now_ns);
    }

    /// Mostly quick ones: what stretches time costs ten times as much as all else.
    fn chain(&mut self) -> Chain {
        let count = if self.random.below(50) == 0 { CHAINS.len() } else { CHAINS.len() - 2 };
        CHAINS[self.random.below(count as u64) as usize].parse().unwrap()
    }

    fn act(&mut self, outputs: bool) {
        let now_ns = self.sound.now_ns();
        match self.random.below(24) {
            0..6 => {
                let chain = self.chain();
                self.engine.set_chain(chain, now_ns);
            }
            6..11 => {
                self.side = if self.random.below(4) == 0 { Side::Processed } else { Side::Original };
                self.engine.set_side(self.side, now_ns);
            }
            11..16 => self.engine.seek(self.random.below(self.frames)),
            16..18 => {
                let start = self.random.below(self.frames);
                self.looping = self.random.below(2) == 0;
                let end = start + 1 + self.random.below(10 * u64::from(self.rate));
                self.engine.set_repeat(self.looping.then_some(start..end));
            }
            18 => {
                self.engine.stop(now_ns);
                self.underruns += self.engine.transport(now_ns).underruns;
            }
            19 => {
                let long = self.random.below(3) > 0;
                let frames = if long { 100 * HOUR } else { 1 + self.random.below(60 * 96_000) };
                let rate = *self.random.pick(&[super::RATE, super::RATE, 44_100, 96_000]);
                self.load(frames, rate);
            }
            20 if outputs => {
                self.plugged += 1;
                let rate = *self.random.pick(&[super::RATE, super::RATE, 44_100]);
                let channels = *self.random.pick(&[1, 2, 2, 6]);
                self.sound.plug(&format!("output{}", self.plugged), rate, channels);
                let mut host = self.sound.clone();
                let default = super::super::output::SoundHost::find(&mut host, None).ok();
                self.engine.note_default(default, now_ns);
            }
            21 if outputs && self.plugged > 0 => {
                if let Some(id) = self.sound.open_id().filter(|id| id != "main") {
                    self.sound.unplug(&id);
                }
            }
            _ => {}
        }
        while self.engine.step(now_ns) {}
        if !self.engine.transport(now_ns).playing {
            self.engine.play(self.random.below(self.frames), None, now_ns);
        }
    }

    /// Lets the output call once; interleaved samples, and its rate and channels.
    fn take(&mut self, ms: u64) -> (Vec<f32>, u32, usize) {
        while self.engine.step(self.sound.now_ns()) {}
        let (rate, channels) = self.sound.open_format().unwrap_or((super::RATE, 1));
        let frames = u64::from(rate) * ms / 1000;
        let heard = self.sound.take(frames as usize);
        self.taken += frames;
        while self.engine.step(self.sound.now_ns()) {}
        (heard, rate, channels)
    }

    /// Listens for `calls` calls, and compares once the last change has faded in.
    fn listen(&mut self, calls: u64) {
        let ms = *self.random.pick(&CALLS_MS);
        for call in 0..calls {
            let before = self.engine.transport(self.sound.now_ns());
            let (heard, rate, channels) = self.take(ms);
            let after = self.engine.transport(self.sound.now_ns());
            assert!(heard.iter().all(|sample| sample.abs() <= 1.0), "beyond full scale after {} frames", self.taken);
            let straight = call > 0 && before.playing && after.playing && before.output == after.output;
            if !straight || rate != self.rate || self.looping || self.side == Side::Processed {
                continue;
            }
            let frames = (heard.len() / channels) as u64;
            assert_eq!(after.frame, before.frame + frames, "place after {} frames", self.taken);
            if channels == 2 {
                for (n, frame) in heard.chunks_exact(2).enumerate() {
                    let at = before.frame + n as u64;
                    assert_eq!(frame, [Ramp::value(at, 0), Ramp::value(at, 1)], "frame {at} after {}", self.taken);
                }
                self.compared += frames;
            }
        }
    }
}

#[test]
fn a_hundred_hours_stay_exact_and_leave_nothing_behind() {
    let hours = std::env::var("UNDERTONE_SOAK_HOURS").ok().and_then(|hours| hours.parse::<f64>().ok());
    let total = (hours.unwrap_or(2.0 / 60.0) * HOUR as f64) as u64;
    let mut run = Run::new(0xD1B5_4A32_D192_ED03);
    let (begun, mut told, mut log) = (Instant::now(), Instant::now(), ResourceLog::default());
    let mut actions = 0u64;
    let mut looked = 0;
    while run.taken < total {
        // Outputs come and go in the first half. In the second half the main one stays, so that its clock runs beyond
        // 32 bits and its samples can be compared.
        let outputs = run.taken < total / 2;
        if let Some(id) = run.sound.open_id().filter(|id| !outputs && id != "main") {
            run.sound.unplug(&id);
        }
        run.act(outputs);
        actions += 1;
        let calls = 2 + run.random.below(if hours.is_some() { 600 } else { 60 });
        run.listen(calls);
        if run.taken >= looked {
            looked += total / 400;
            log.look();
        }
        if told.elapsed() > Duration::from_secs(30) {
            told = Instant::now();
            report(&run, actions, begun);
        }
    }
    report(&run, actions, begun);
    assert!(run.compared > total / 16, "{} of {} frames compared", run.compared, run.taken);
    run.underruns += run.engine.transport(run.sound.now_ns()).underruns;
    assert_eq!(run.underruns, 0, "in lockstep nothing runs dry");
    // A short run shares its process with other tests.
    if hours.is_some() {
        log.assert_level();
    }
}

fn report(run: &Run, actions: u64, begun: Instant) {
    println!(
        "after {:.1} min: {:.2} h put out, {:.2} h compared frame by frame, {actions} actions, {}",
        begun.elapsed().as_secs_f64() / 60.0,
        run.taken as f64 / HOUR as f64,
        run.compared as f64 / HOUR as f64,
        Resources::now().unwrap_or_default(),
    );
}
