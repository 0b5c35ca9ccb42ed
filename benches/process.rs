//! Times a whole export (decode, three filters, encode) against the same work in `sox` and `ffmpeg`.
//!
//! `cargo bench --bench process` synthesises seven minutes of stereo at 44.1 kHz and 16 bits on a memory file system.
//! Each program in turn then writes it through an 80 Hz high-pass, a 12 kHz low-pass and a 1 kHz peaking filter to
//! another file there, several times. Prints medians. `UNDERTONE_BENCH_SECONDS` and `UNDERTONE_BENCH_ROUNDS` change
//! length and repetitions. Programs that are not installed are reported and skipped.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::chain::{Chain, Placement};
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::work::export::{ExportJob, ExportSettings, StageSeconds, Tagging, export};

const CHAIN: &str = "rbj_highpass(80 Hz) | rbj_lowpass(12 kHz) | peaking(1 kHz, q=2, gain=3 dB)";
/// The same filters: sox's high-pass, low-pass and equaliser are from the same cookbook, with the same Q.
const SOX: [&str; 10] = ["highpass", "-2", "80", "lowpass", "-2", "12000", "equalizer", "1000", "2q", "3"];
const FFMPEG: &str = "highpass=f=80,lowpass=f=12000,equalizer=f=1000:t=q:w=2:g=3";

fn main() {
    let number =
        |name: &str, default: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seconds = number("UNDERTONE_BENCH_SECONDS", 420);
    let rounds = number("UNDERTONE_BENCH_ROUNDS", 7);
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let folder = folder.expect("a folder for the bench");
    let input = folder.path().join("input.wav");
    synthesise(&input, seconds);

    println!("{}", hardware());
    println!("{seconds} s of stereo at 44.1 kHz, 16 bits; {CHAIN}; median of {rounds}, in {}", folder.path().display());
    let mut ours = Vec::new();
    let mut plain = Vec::new();
    let mut sox = Vec::new();
    let mut ffmpeg = Vec::new();
    let mut stages = StageSeconds::default();
    for _ in 0..rounds {
        let (time, seconds) = undertone(&input, &folder.path().join("undertone.wav"), Dither::Tpdf);
        ours.push(time);
        stages = seconds;
        plain.push(undertone(&input, &folder.path().join("plain.wav"), Dither::None).0);
        let out = folder.path().join("sox.wav");
        sox.extend(other("sox", &[&["-V1", text(&input), text(&out)][..], &SOX].concat()));
        let out = folder.path().join("ffmpeg.wav");
        let arguments = ["-v", "error", "-y", "-i", text(&input), "-af", FFMPEG, "-c:a", "pcm_s16le", text(&out)];
        ffmpeg.extend(other("ffmpeg", &arguments));
    }
    let own = median(&mut ours).unwrap_or(f64::NAN);
    println!("undertone, triangular dither   {own:.3} s");
    println!("  busy: decode {:.3}, kernels {:.3}, encode {:.3} s", stages.decode, stages.kernels, stages.encode);
    println!("undertone, no dither           {:.3} s", median(&mut plain).unwrap_or(f64::NAN));
    for (name, times) in [("sox", &mut sox), ("ffmpeg", &mut ffmpeg)] {
        match median(times) {
            Some(time) => println!("{name:<30} {time:.3} s, {:.1} times undertone's", time / own),
            None => println!("{name:<30} not installed"),
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Noise with a slow swell that is never silent and never clips.
fn synthesise(path: &Path, seconds: usize) {
    let format = AudioFormat::new(SampleRate::new(44_100).expect("a rate"), 2);
    let settings = EncodeSettings { format: FileFormat::Wav, sample: SampleFormat::Int16, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).expect("an encoder");
    let mut state = 1u32;
    let mut block = AudioBuffer::new(2, 44_100);
    for second in 0..seconds {
        let level = 0.2 + 0.1 * (second as f32 * 0.3).sin();
        for channel in block.iter_mut() {
            for sample in channel {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *sample = level * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0);
            }
        }
        encoder.write(&block).expect("room for the input");
    }
    encoder.finish().expect("a complete input");
}

fn undertone(input: &Path, target: &Path, dither: Dither) -> (f64, StageSeconds) {
    let started = Instant::now();
    let file = AudioFile::open(input).expect("the input");
    let job = ExportJob {
        source: file.reader().expect("a reader"),
        chain: CHAIN.parse::<Chain>().expect("a chain"),
        placement: Placement::cpu(),
        settings: ExportSettings {
            format: FileFormat::Wav,
            bits: SampleFormat::Int16,
            dither,
            range: None,
            rate: None,
            tail: false,
            lossy: undertone::audio::encode::LossySettings::default(),
            loudness: None,
            gain_db: 0.0,
            markers: true,
        },
        target: target.to_path_buf(),
        overwrite: true,
        inputs: vec![input.to_path_buf()].into(),
        tags: Tagging::default(),
        markers: undertone::audio::MarkerList::default(),
    };
    let outcome = export(job, &Progress::new()).expect("an export");
    assert_eq!(outcome.frames, file.info().frames);
    (started.elapsed().as_secs_f64(), outcome.seconds)
}

/// Returns the run time of a program in seconds; `None` if it is not installed.
fn other(program: &str, arguments: &[&str]) -> Option<f64> {
    let started = Instant::now();
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).status().ok()?;
    assert!(status.success(), "{program} failed");
    Some(started.elapsed().as_secs_f64())
}

fn median(times: &mut [f64]) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

fn hardware() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", name.unwrap_or(std::env::consts::ARCH))
}
