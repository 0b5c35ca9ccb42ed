//! Chains as text and JSON: every effect with parameters at and beyond their limits, deep groups, labels with arbitrary
//! characters, and files that are pipes, devices, folders, missing, huge, hostile or of another format. A chain is
//! parsed, printed, planned for several formats, measured at frequencies and run, or refused.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::harness::{Limits, Random, run};
use super::opening_support::Wav;
use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::chain::response::{chain_response, log_grid, node_response};
use undertone::chain::{Chain, Placement, Rendered, Seeking, json, measure_whole, node_transfer};
use undertone::effects::{self, EffectSpec, Parameter, ParameterKind};
use undertone::progress::Progress;
use undertone::units::SampleRate;

/// The number of input frames, and the maximum number of output frames. Effects may lengthen a stream a hundredfold.
const FRAMES: usize = 3000;
const MAX_OUT: u64 = 20_000;

/// Files of every kind, in one permanent folder, so that a stored case can be repeated.
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join("undertone-fuzz-chain-files");
    std::fs::create_dir_all(folder.join("folder.wav")).expect("made");
    let mut files = vec![folder.join("folder.wav"), folder.join("missing.wav"), folder.clone()];
    let mut file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("written");
        files.push(folder.join(name));
    };
    let wave = |_: usize, frame: usize| if frame == 0 { 0.9 } else { (frame % 7) as f64 / 100.0 };
    for (name, channels, frames) in [("mono.wav", 1, 700), ("stereo.wav", 2, 90), ("four.wav", 4, 5), ("one.wav", 1, 1)]
    {
        file(name, &Wav::plain(16, channels).bytes(frames, wave));
    }
    file("silent.wav", &Wav::plain(16, 1).bytes(50, |_, _| 0.0));
    let mut claims = Wav::plain(16, 1).bytes(50, wave);
    // A header that claims more data than the file has.
    claims[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
    file("claims.wav", &claims);
    file("taps.txt", b"1 0.5 -0.25 # a remark\n0.125");
    file("not-numbers.txt", b"1 two NaN inf 1e999");
    file("huge-number.csv", b"1e308,1e308,-1e308");
    file("empty.txt", b"");
    file("many.txt", "0 ".repeat(1_100_000).as_bytes());
    file("short.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }");
    file("self.undertone-chain", br#"{"version":1,"chain":{"nodes":[]}}"#);
    let sparse = folder.join("sparse.wav");
    std::fs::File::create(&sparse).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    files.push(sparse);
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe.txt");
        // It may exist from an earlier run.
        let _ = std::process::Command::new("mkfifo").arg(&pipe).stderr(std::process::Stdio::null()).status();
        files.push(pipe);
        let devices =
            ["/dev/zero", "/dev/null", "/dev/random", "/dev/tty", "/proc/self/mem", "/proc/self/maps", "/proc/kmsg"];
        files.extend(devices.map(PathBuf::from));
    }
    files.extend([r"\\server\share\ir.wav", "CON", "", ".", "/", "\u{0}nul.wav", "a\u{202e}b.wav"].map(PathBuf::from));
    files.push(PathBuf::from("x".repeat(5000)));
    files
});

/// Quotes a string in chain notation.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => write!(quoted, "\\u{{{:x}}}", u32::from(c)).expect("a text"),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn label(random: &mut Random) -> String {
    let pieces = ["low cut", "\u{1b}[31m", "\u{0}", "\n\r\t", "\"\\", "\u{202e}", "ﬁ🔊", "a", ""];
    (0..random.below(4)).map(|_| *random.pick(&pieces)).collect()
}

/// Returns a number between two limits, most often one of them, sometimes beyond them.
fn number(random: &mut Random, min: f64, max: f64) -> f64 {
    match random.below(16) {
        0..=3 => min,
        4..=6 => max,
        7 => 0.0,
        8 => min + (max - min) * 1e-9,
        9 => f64::from(random.extreme(31) as u32),
        10 if random.once_in(8) => *random.pick(&[-1e308, 1e308, 5e-324, -0.0, 1e-300, -1.0]),
        _ => min + (max - min) * (random.below(1001) as f64 / 1000.0),
    }
}

/// Returns a value as text, mostly valid for this parameter.
fn value(random: &mut Random, parameter: &Parameter) -> String {
    if random.once_in(60) {
        let junk = [
            "",
            "1e400",
            "-",
            "1/0",
            "0/0",
            "nan",
            "inf",
            "1 kHz dB",
            "\"x\"",
            "1e",
            "99999999999999999999",
            "\u{2212}5 dB",
        ];
        return (*random.pick(&junk)).to_owned();
    }
    match parameter.kind {
        ParameterKind::Number { min, max, scale, .. } => {
            let value = number(random, min, max);
            let whole = scale == effects::Scale::Integer;
            if whole { format!("{}", value.round()) } else { format!("{value}") }
        }
        ParameterKind::NumberOrNote { min, max, .. } => {
            if random.once_in(3) {
                format!("{}/{}{}", random.extreme(20), random.extreme(20), random.pick(&["", "d", "t"]))
            } else {
                format!("{}", number(random, min, max))
            }
        }
        ParameterKind::Choice { options, .. } => (*random.pick(options)).to_owned(),
        ParameterKind::File { .. } => quoted(&random.pick(&FILES).to_string_lossy()),
    }
}

fn effect(random: &mut Random, spec: &EffectSpec) -> String {
    let mut written = Vec::new();
    for parameter in spec.parameters {
        // Required parameters are mostly given.
        if parameter.default_value().is_none() || random.once_in(3) {
            written.push(format!("{}={}", parameter.name, value(random, parameter)));
        }
    }
    format!("{}({})", spec.name, written.join(", "))
}

fn node(random: &mut Random, depth: u64) -> String {
    let count = if depth == 0 { 0 } else { random.below(10) };
    match count {
        0..=4 => {
            let spec = *random.pick(effects::all());
            effect(random, spec)
        }
        5 => format!("({})", series(random, depth - 1)),
        6 => format!("({} + {})", node(random, depth - 1), node(random, depth - 1)),
        7 => format!("off({})", series(random, depth - 1)),
        8 => {
            let share = random.extreme(8) % 130;
            format!("mix({share} %, {})", series(random, depth - 1))
        }
        _ => format!("label({}, {})", quoted(&label(random)), node(random, depth - 1)),
    }
}

fn series(random: &mut Random, depth: u64) -> String {
    let count = 1 + random.below(3);
    (0..count).map(|_| node(random, depth)).collect::<Vec<_>>().join(" | ")
}

/// Short texts with large meaning: nesting, lengths.
fn blown_up(random: &mut Random) -> String {
    let times = (random.extreme(16) as usize).min(50_000);
    match random.below(8) {
        0 => "(".repeat(times),
        1 => format!("{}gain(1 dB){}", "(".repeat(times), ")".repeat(times)),
        2 => format!("{}gain(1 dB){}", "off(".repeat(times), ")".repeat(times)),
        3 => vec!["gain(1 dB)"; times.min(3000)].join(" | "),
        4 => vec!["gain(1 dB)"; times.min(3000)].join(" + "),
        5 => format!("label(\"{}\", gain(1 dB))", "\\u{1F50A}".repeat(times)),
        6 => format!("gain({})", "9".repeat(times)),
        _ => format!("{}(", "x".repeat(times)),
    }
}

/// Preset JSON, valid or with an error in it.
fn preset(random: &mut Random) -> String {
    let text = series(random, 3);
    let Ok(chain) = text.parse::<Chain>() else { return nested(random) };
    let mut json = json::to_json(&chain).expect("a chain is JSON");
    match random.below(6) {
        0 => json = json.replace("\"id\":1", &format!("\"id\":{}", random.extreme(33))),
        1 => {
            json = json.replace(
                "\"mix\":1.0",
                ["\"mix\":1e999", "\"mix\":-1", "\"mix\":null", "\"mix\":0.5"][random.below(4) as usize],
            );
        }
        2 => json = json.replacen("\"version\":1", &format!("\"version\":{}", random.extreme(33)), 1),
        3 => {
            let number = format!(":{},", random.pick(&["1e308", "-1e308", "1e-320", "0.5", "-0", "\"x\"", "[]", "{}"]));
            let at = random.below(json.len() as u64) as usize;
            if let Some(comma) = json[at..].find(',').map(|comma| at + comma)
                && let Some(colon) = json[..comma].rfind(':')
            {
                json.replace_range(colon..=comma, &number);
            }
        }
        4 => return nested(random),
        _ => {}
    }
    json
}

/// Nested groups as JSON.
fn nested(random: &mut Random) -> String {
    let depth = (random.extreme(14) as usize).min(10_000);
    let open: String = (0..depth).map(|id| format!(r#"{{"id":{id},"kind":"series","nodes":["#)).collect();
    let inner = format!(r#"{{"id":{depth},"kind":"effect","effect":"gain","arguments":{{"gain":1}}}}"#);
    format!(r#"{{"version":1,"chain":{{"nodes":[{open}{inner}{}]}}}}"#, "]}".repeat(depth))
}

fn case(random: &mut Random) -> Vec<u8> {
    let text = match random.below(12) {
        0 => blown_up(random),
        1..=2 => preset(random),
        _ => series(random, 4),
    };
    text.into_bytes()
}

fn exercise(path: &Path, random: &mut Random) {
    let text = std::fs::read_to_string(path).expect("the case");
    let chain = if text.starts_with('{') {
        let Ok(chain) = json::from_json(&text) else { return };
        let again = json::from_json(&json::to_json(&chain).expect("JSON")).expect("it comes back");
        assert_eq!(again, chain);
        chain
    } else {
        match text.parse::<Chain>() {
            Ok(chain) => chain,
            Err(error) => {
                assert_eq!(text.get(error.start..error.end), Some(error.got.as_str()), "{error:?}");
                return;
            }
        }
    };
    let printed = chain.to_string();
    let again: Chain = printed.parse().unwrap_or_else(|error| panic!("{printed}: {error}"));
    assert!(again.is_like(&chain) && again.to_string() == printed, "{printed}");
    chain.sound_key();
    for node in chain.walk().take(20) {
        node_transfer(node);
    }
    let formats = [(48_000, 2), (8000, 1), (192_000, 6), (1, 1), (768_000, 2)];
    let format = |(hz, channels)| SampleRate::new(hz).ok().map(|rate| AudioFormat::new(rate, channels));
    let formats: Vec<AudioFormat> = formats.into_iter().filter_map(format).collect();
    let runs = random.below(formats.len() as u64) as usize;
    for (index, format) in formats.into_iter().enumerate() {
        let fits = chain.check(format).is_ok();
        if index != runs || !fits {
            continue;
        }
        let grid = log_grid(20.0_f64.min(format.rate.nyquist_hz() / 4.0), format.rate.nyquist_hz(), 32);
        let _ = chain_response(&chain, format.rate, &grid);
        if let Some(node) = chain.walk().next() {
            let _ = node_response(&chain, node.id, format.rate, &grid);
        }
        let _ = render(&chain, format);
    }
}

fn render(chain: &Chain, format: AudioFormat) -> undertone::Result<()> {
    let placement = Placement::cpu();
    let mut source = Noise { format, position: 0 };
    let measured = measure_whole(chain, &mut source, "", &placement, &Progress::new())?;
    let mut rendered = Rendered::new(chain, Box::new(source), &placement, &measured, Seeking::Exact)?;
    let (mut block, mut taken) = (AudioBuffer::default(), 0);
    while taken < MAX_OUT {
        rendered.read(&mut block, 1000)?;
        if block.is_empty() {
            break;
        }
        taken += block.frames() as u64;
    }
    rendered.seek(rendered.frames() / 2)?;
    rendered.read(&mut block, 100)
}

/// A short, irregular stream.
struct Noise {
    format: AudioFormat,
    position: usize,
}

impl AudioReader for Noise {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        FRAMES as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> undertone::Result<()> {
        self.position = (frame as usize).min(FRAMES);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> undertone::Result<()> {
        let end = FRAMES.min(self.position.saturating_add(frames));
        let sample = |n: usize| ((n * 2_654_435_761) % 65_536) as f32 / 32_768.0 - 1.0;
        let channel: Vec<f32> = (self.position..end).map(sample).collect();
        *out = AudioBuffer::from_channels(vec![channel; self.format.channels]);
        self.position = end;
        Ok(())
    }
}

#[test]
fn chains_and_presets_with_files() {
    // Two delays with lines of 256 MiB each may follow one another, and exist twice during a measurement.
    run("chain", Limits { bytes: 1 << 30, ..Limits::default() }, case, exercise);
}
