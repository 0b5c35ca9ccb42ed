//! Times rate conversion of a minute of stereo against `sox` at its very high quality (`rate -v`), if it is installed.
//!
//! The converter works in memory. sox also reads and writes a WAV file, in a memory file system if there is one.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use undertone::audio::AudioBuffer;
use undertone::measure::resample::{ResamplePlan, Resampler};
use undertone::units::SampleRate;

const SECONDS: u32 = 60;

fn main() {
    for (from, to) in [(44_100, 48_000), (48_000, 44_100), (96_000, 44_100), (44_101, 47_981)] {
        let ours = best_of(3, || convert(from, to));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        print!("{from} -> {to}: {ours:.3} s on {threads} threads, {:.0} times real time", f64::from(SECONDS) / ours);
        match sox(from, to) {
            Some(theirs) => println!("; sox rate -v {theirs:.3} s"),
            None => println!("; sox is not installed"),
        }
    }
}

fn convert(from: u32, to: u32) {
    let plan = ResamplePlan::new(SampleRate::new(from).unwrap(), SampleRate::new(to).unwrap());
    let mut resampler = Resampler::new(&plan, 2);
    let plane: Vec<f32> = (0..from).map(|n| ((n * 7919) % 65_536) as f32 / 65_536.0 - 0.5).collect();
    let second = AudioBuffer::from_channels(vec![plane.clone(), plane]);
    let mut out = AudioBuffer::default();
    for _ in 0..SECONDS {
        resampler.push(&second, &mut out).unwrap();
        out.clear();
    }
    resampler.finish(&mut out).unwrap();
}

fn sox(from: u32, to: u32) -> Option<f64> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.ok()?;
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
    let made = Command::new("sox")
        .args(["-n", "-r", &from.to_string(), "-c", "2", "-b", "24"])
        .arg(&input)
        .args(["synth", &SECONDS.to_string(), "pinknoise"])
        .status();
    made.ok().filter(std::process::ExitStatus::success)?;
    Some(best_of(3, || {
        let done = Command::new("sox").arg(&input).arg(&output).args(["rate", "-v", &to.to_string()]).status();
        assert!(done.unwrap().success());
    }))
}

fn best_of(times: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..times).map(time).fold(f64::INFINITY, f64::min)
}
