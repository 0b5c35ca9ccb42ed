//! Real recording to disk and live sound, from the monitors of a private server's null sinks.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking};
use undertone::playback::capture::{InputWish, inputs};
use undertone::playback::live::{Live, LiveSettings};
use undertone::progress::Progress;
use undertone::recording::{self, InputChoice, Recorder, RecorderState, RecorderStatus, Take, TakeEnd};
use undertone::units::SampleRate;

use super::pulse::{Pulse, start};
use super::signal::{Finder, all, channel, noise, opener, residual_db};

const RATE: u32 = 48_000;
const SOON: Duration = Duration::from_secs(20);

/// The seconds that are recorded: some, or as many minutes as the longer runs ask for.
fn seconds() -> usize {
    let minutes = std::env::var("UNDERTONE_SOAK_MINUTES").ok().and_then(|minutes| minutes.parse::<f64>().ok());
    minutes.map_or(6, |minutes| (60.0 * minutes) as usize)
}

fn written(path: &Path, samples: &AudioBuffer) {
    let settings = EncodeSettings {
        format: FileFormat::Wav,
        sample: SampleFormat::Float32,
        dither: Dither::None,
        ..EncodeSettings::default()
    };
    let format = AudioFormat::new(SampleRate::new(RATE).unwrap(), 2);
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).unwrap();
    encoder.write(samples).unwrap();
    encoder.finish().unwrap();
}

fn read(path: &Path) -> AudioBuffer {
    let file = AudioFile::open(path).unwrap();
    assert_eq!(file.info().warnings, Vec::<String>::new());
    samples(&file)
}

fn samples(file: &AudioFile) -> AudioBuffer {
    let mut audio = AudioBuffer::default();
    file.reader().unwrap().read(&mut audio, usize::MAX).unwrap();
    audio
}

/// Plays a file into a sink.
fn play(path: &Path, sink: &str) -> Child {
    Command::new("paplay").args(["-d", sink]).arg(path).spawn().unwrap()
}

/// The command line, with separate folders.
fn undertone(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_undertone"));
    command.env("UNDERTONE_CONFIG_DIR", folder.join("config")).env("UNDERTONE_DATA_DIR", folder.join("data"));
    command
}

/// Returns where the played sound begins in the recorded one. Every sample of it up to the end of either must be there.
fn aligned(recorded: &AudioBuffer, played: &AudioBuffer) -> Option<usize> {
    const PIECE: usize = 4_800;
    let begin = recorded.channel(0).iter().position(|&sample| sample != 0.0)?;
    let piece = recorded.channel(0).get(begin..begin + PIECE)?;
    let first = Finder::new(&played.channel(0)[..3 * RATE as usize], PIECE).find(piece);
    // The first samples may have been played before the recording began.
    let start = begin.checked_sub(first)?;
    let frames = played.frames().min(recorded.frames() - start) - first;
    let same = (0..2).all(|channel| {
        let got = &recorded.channel(channel)[begin..begin + frames];
        got == &played.channel(channel)[first..first + frames]
    });
    same.then_some(start)
}

#[test]
fn every_sample_that_is_played_is_recorded_by_the_command() {
    let Some(pulse) = start(&[("main", RATE)]) else { return };
    pulse.control(&["set-default-source", "main.monitor"]);
    let folder = tempfile::tempdir().unwrap();
    let played = noise(seconds() * RATE as usize);
    let file = folder.path().join("played.wav");
    written(&file, &played);
    // On a busy machine the server itself skips samples. Ten attempts that are never complete are an error.
    for attempt in 0..10 {
        let recorded = folder.path().join(format!("recorded {attempt}.wav"));
        let child = undertone(folder.path())
            .args(["record", "--json", "--bits", "32f", "--length", &format!("{}", seconds() + 2), "-o"])
            .arg(&recorded)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let mut player = play(&file, "main");
        let output = child.wait_with_output().unwrap();
        player.wait().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(said["frames"], (seconds() + 2) * RATE as usize, "{said}");
        assert_eq!((&said["end"], &said["channels"], &said["rate"]), (&"length".into(), &2.into(), &RATE.into()));
        let shown = String::from_utf8_lossy(&output.stderr).lines().next().map(str::to_owned).unwrap();
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert!(shown["recorded_s"].is_number() && shown["peak_db"].is_array(), "{shown}");
        let back = read(&recorded);
        assert_eq!(back.frames(), (seconds() + 2) * RATE as usize);
        if said["losses"] == 0 && aligned(&back, &played).is_some() {
            return;
        }
    }
    panic!("what was played was never recorded whole");
}

#[test]
fn a_kill_loses_at_most_a_second_and_the_rest_is_recovered() {
    let Some(pulse) = start(&[("main", RATE)]) else { return };
    pulse.control(&["set-default-source", "main.monitor"]);
    let folder = tempfile::tempdir().unwrap();
    let played = noise(30 * RATE as usize);
    let file = folder.path().join("played.wav");
    written(&file, &played);
    for attempt in 0..10 {
        let recorded = folder.path().join(format!("killed {attempt}.wav"));
        let mut child = undertone(folder.path())
            .args(["record", "--json", "--bits", "32f", "-o"])
            .arg(&recorded)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut player = None;
        let mut last_s = 0.0;
        for line in lines.map_while(Result::ok) {
            let shown: serde_json::Value = serde_json::from_str(&line).unwrap();
            last_s = shown["recorded_s"].as_f64().unwrap();
            player.get_or_insert_with(|| play(&file, "main"));
            if last_s >= 4.0 {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut player = player.unwrap();
        let _ = player.kill();
        player.wait().unwrap();

        // It can be read at once, without changes.
        let unfinished = AudioFile::open(&recorded).unwrap();
        // Sound written since the last renewal of the header gives a warning.
        assert!(unfinished.info().warnings.iter().all(|warning| warning.contains("are not read")));
        let before = samples(&unfinished);
        let seconds = before.frames() as f64 / f64::from(RATE);
        assert!(seconds >= last_s - 1.0, "{seconds} s of at least {last_s} s");
        // The next start finds it, and everything that had reached the disk.
        let output = undertone(folder.path()).args(["record", "--recover", "--json"]).output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(said["recovered"][0]["path"], recorded.to_str().unwrap(), "{said}");
        let after = read(&recorded);
        assert_eq!(said["recovered"][0]["frames"], after.frames());
        assert!(after.frames() >= before.frames());
        assert!(recording::left(&folder.path().join("data")).is_empty());
        if aligned(&after, &played).is_some() {
            return;
        }
    }
    panic!("what was played was never recorded whole");
}

fn until(recorder: &Recorder, done: impl Fn(&RecorderStatus) -> bool) -> RecorderStatus {
    let begun = Instant::now();
    loop {
        let status = recorder.status();
        if done(&status) {
            return status;
        }
        assert!(begun.elapsed() < SOON, "{status:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// If another input remains, the sound server itself moves the recording there silently.
#[test]
fn an_unplugged_input_leaves_what_was_recorded() {
    let Some(pulse) = start(&[("main", RATE)]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::arm(&InputChoice::default(), &Progress::new()).unwrap();
    assert_eq!((recorder.format().rate.hz(), recorder.format().channels), (RATE, 2));
    let path = folder.path().join("take.wav");
    let take = Take {
        path: path.clone(),
        sample: SampleFormat::Int24,
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: None,
    };
    recorder.begin(&take, Some(folder.path())).unwrap();
    until(&recorder, |status| status.recorded_s > 0.5);
    pulse.unplug("main");
    let status = until(&recorder, |status| status.state == RecorderState::Ended);
    assert!(matches!(status.end, Some(TakeEnd::Problem(_))), "{status:?}");
    assert_eq!(read(&path).frames() as u64, status.frames);
    assert!(status.recorded_s > 0.5);
}

#[test]
fn inputs_are_listed_and_found_by_name_and_rate() {
    let Some(_pulse) = start(&[("first", 44_100), ("second", 96_000)]) else { return };
    let found = inputs().unwrap();
    let of = |name: &str| found.iter().find(|input| input.id.contains(name)).unwrap();
    assert_eq!((of("first").rate, of("second").rate, of("second").channels), (44_100, 96_000, 2));
    let wish = InputWish { input: Some(of("second").id.clone()), ..InputWish::default() };
    let choice = InputChoice { input: wish.clone(), ..InputChoice::default() };
    assert_eq!(Recorder::arm(&choice, &Progress::new()).unwrap().format().rate.hz(), 96_000, "its own rate");
    let choice = InputChoice { input: InputWish { rate: Some(32_000), ..wish }, ..InputChoice::default() };
    assert_eq!(Recorder::arm(&choice, &Progress::new()).unwrap().format().rate.hz(), 32_000);
    let wish = InputWish { input: Some("no such input".into()), ..InputWish::default() };
    let refused = Recorder::arm(&InputChoice { input: wish, ..InputChoice::default() }, &Progress::new());
    let told = refused.err().unwrap().to_string();
    assert!(told.starts_with("Input must be") && told.contains("no such input"), "{told}");
}

/// The length of a piece that is searched for, in frames.
const PIECE: usize = 2_400;

fn heard_live(pulse: &Pulse, file: &Path, chain: &Chain, wanted: &AudioBuffer, heard: &mut [bool]) {
    let id = |found: &str, all: &[String]| all.iter().find(|id| id.contains(found)).unwrap().clone();
    let ins: Vec<String> = inputs().unwrap().into_iter().map(|input| input.id).collect();
    let outs: Vec<String> = undertone::playback::outputs().unwrap().into_iter().map(|output| output.id).collect();
    let settings = LiveSettings {
        input: Some(id("near.monitor", &ins)),
        output: Some(id("far", &outs)),
        frames: 512,
        ..LiveSettings::default()
    };
    let recorded = pulse.record("far", RATE);
    let live = Live::start(&settings, chain, &Progress::new()).unwrap();
    let begun = Instant::now();
    while live.status().played_s < 0.2 {
        assert!(begun.elapsed() < SOON, "{:?}", live.status());
        std::thread::sleep(Duration::from_millis(5));
    }
    play(file, "near").wait().unwrap();
    recorded.wait_for(RATE as usize);
    let status = live.status();
    println!("{status:?}");
    assert!(status.latency_ms.is_some_and(|latency| latency > 0.0) && status.problem.is_none());
    assert!((status.chain_ms - 0.0).abs() < 1e-9, "this chain has no latency");
    drop(live);
    let samples = recorded.end();
    let left = channel(&samples, 0);
    let finder = Finder::new(&left, PIECE);
    for (number, heard) in heard.iter_mut().enumerate().filter(|(_, heard)| !**heard) {
        let piece = &wanted.channel(0)[number * PIECE..(number + 1) * PIECE];
        let place = finder.find(piece);
        *heard = left.get(place..place + PIECE).is_some_and(|got| residual_db(got, piece) < -90.0);
    }
}

/// On a busy machine there are drop-outs. A piece that is never right in ten runs is an error of the chain.
#[test]
fn live_sound_is_the_render() {
    let Some(pulse) = start(&[("near", RATE), ("far", RATE)]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let played = noise(3 * RATE as usize);
    let file = folder.path().join("played.wav");
    written(&file, &played);
    let chain: Chain = "highpass(300 Hz, order=4) | gain(-6 dB)".parse().unwrap();
    let reader = opener(RATE, played.clone())().unwrap();
    let rendered = Rendered::new(&chain, reader, &Placement::cpu(), &MeasuredMap::default(), Seeking::Exact).unwrap();
    let wanted = all(rendered);
    let mut heard = vec![false; wanted.frames() / PIECE];
    for _ in 0..10 {
        heard_live(&pulse, &file, &chain, &wanted, &mut heard);
        if heard.iter().all(|&heard| heard) {
            return;
        }
    }
    panic!("{} of {} pieces were never right", heard.iter().filter(|heard| !**heard).count(), heard.len());
}

#[test]
fn the_live_command_records_dry_and_wet() {
    let Some(pulse) = start(&[("near", RATE), ("far", RATE)]) else { return };
    pulse.control(&["set-default-source", "near.monitor"]);
    pulse.control(&["set-default-sink", "far"]);
    let folder = tempfile::tempdir().unwrap();
    let (dry, wet) = (folder.path().join("dry.wav"), folder.path().join("wet.wav"));
    let samples = Arc::new(noise(4 * RATE as usize));
    let file = folder.path().join("played.wav");
    written(&file, &samples);
    let mut player = play(&file, "near");
    let output = undertone(folder.path())
        .args(["live", "-c", "gain(-6.0206 dB)", "--length", "2", "--json", "--bits", "32f", "--record-dry"])
        .arg(&dry)
        .arg("--record-wet")
        .arg(&wet)
        .output()
        .unwrap();
    let _ = player.kill();
    player.wait().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(said["latency_ms"].is_number() && said["underruns"].is_number(), "{said}");
    assert_eq!(said["dry"]["output"], dry.to_str().unwrap());
    let (dry, wet) = (read(&dry), read(&wet));
    assert!(dry.frames() > RATE as usize && wet.frames() == dry.frames(), "{} {}", dry.frames(), wet.frames());
    let halves = dry.channel(0).iter().zip(wet.channel(0)).all(|(dry, wet)| (dry * 0.5 - wet).abs() < 1e-6);
    assert!(halves, "the wet file is the dry one through the chain, from the same frame on");
    assert!(dry.channel(0).iter().any(|&sample| sample != 0.0));

    let refused = undertone(folder.path()).args(["live", "-c", "normalize(-1 dB)", "--length", "1"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("cannot run live"), "{told}");
}

#[test]
fn a_recording_is_converted_through_a_chain_and_replaces_only_what_it_may() {
    let Some(pulse) = start(&[("main", RATE)]) else { return };
    pulse.control(&["set-default-source", "main.monitor"]);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("take.flac");
    let record = |words: &[&str]| {
        let mut command = undertone(folder.path());
        command.args(["record", "--length", "0.5", "-o"]).arg(&target).args(words).output().unwrap()
    };
    let output = record(&["-c", "gain(-6 dB)"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let file = AudioFile::open(&target).unwrap();
    assert_eq!((&file.info().format[..], file.info().frames), ("FLAC", u64::from(RATE) / 2));
    let files = |extension: &str| {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|found| found == extension)).count()
    };
    assert_eq!((files("flac"), files("wav")), (1, 0), "the dry file is gone");
    let refused = record(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("The file exists"));
    assert!(record(&["--overwrite"]).status.success());
    // A chain that cannot be run is refused before anything is recorded.
    let wrong = record(&["--overwrite", "-c", "highpass(90 kHz)"]);
    assert_ne!(wrong.status.code(), Some(0));
    assert_eq!((files("flac"), files("wav")), (1, 0));
}
