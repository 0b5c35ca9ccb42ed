//! Every effect through every way in which its sound leaves the program: the sound written, heard and drawn is the
//! same, and a chain that one face refuses, all refuse.
//!
//! `npm test` takes each effect with each face once; the effect's place in the chain rotates, so that each effect takes
//! every place, and each face has every place. `UNDERTONE_FACES=all` takes every combination.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{Dither, EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, MarkerList, MemoryReader, Tags};
use undertone::chain::{Chain, Placement, Rendered, Seeking, aligned};
use undertone::device::{DeviceRequest, Devices, RunPurpose};
use undertone::document::FrameRange;
use undertone::effects::Permission;
use undertone::files::Protected;
use undertone::measure::resample::{ResamplePlan, ResampledReader};
use undertone::playback::{ChainSource, OpenReader, PlaybackSource, Side};
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::work::export::{ExportInput, ExportJob, ExportSettings, export};
use undertone::work::settings::Settings;

use super::bench::{Bench, start};

const RATE: u32 = 48_000;
const FRAMES: usize = 96_000;
/// The part for faces that process a part, in frames.
const PART: FrameRange = FrameRange { start: 12_000, end: 72_000 };
/// The other sample rate, for faces that convert.
const OTHER_RATE: u32 = 44_100;
/// The largest residual of two renders on the CPU, and of one on a GPU, in dB relative to the larger of input and
/// output.
const CPU_DB: f64 = -120.0;
const GPU_DB: f64 = -95.0;

/// The place of an effect in a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Alone,
    Group,
    Mixed,
    During,
    BeforeNormalize,
    AfterNormalize,
}

impl Place {
    const ALL: [Self; 6] =
        [Self::Alone, Self::Group, Self::Mixed, Self::During, Self::BeforeNormalize, Self::AfterNormalize];

    fn text(self, effect: &str) -> String {
        match self {
            Self::Alone => effect.to_owned(),
            Self::Group => format!("(gain(-1 dB) | {effect})"),
            Self::Mixed => format!("mix(50 %, {effect})"),
            Self::During => format!("during(0.3 s, 1.7 s, {effect})"),
            Self::BeforeNormalize => format!("{effect} | normalize(-3 dB)"),
            Self::AfterNormalize => format!("normalize(-3 dB) | {effect}"),
        }
    }
}

/// A way in which sound leaves the program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Face {
    /// `undertone process`.
    Process,
    /// `process` of a part, which the chain treats as a separate recording.
    ProcessExcerpt,
    /// `process` at another rate.
    ProcessAtRate,
    /// `process` of several files.
    ProcessSeveral,
    /// `process` of a project that has the chain.
    ProcessProject,
    /// `undertone edit` of such a project.
    EditProject,
    /// `undertone spectrogram`.
    Spectrogram,
    /// The window's export.
    Export,
    /// The window's export of the selection: that part of the sound heard.
    ExportSelection,
    /// The sum of two tracks, one of them silent.
    ExportTracks,
    /// Each track as a file.
    ExportStems,
    /// An export on a GPU.
    ExportOnGpu,
    /// The sound from which stems are separated.
    SeparatedSound,
    /// Playback, once it is measured.
    Played,
    /// Samples and pictures of the processed side.
    Drawn,
}

impl Face {
    const ALL: [Self; 15] = [
        Self::Process,
        Self::ProcessExcerpt,
        Self::ProcessAtRate,
        Self::ProcessSeveral,
        Self::ProcessProject,
        Self::EditProject,
        Self::Spectrogram,
        Self::Export,
        Self::ExportSelection,
        Self::ExportTracks,
        Self::ExportStems,
        Self::ExportOnGpu,
        Self::SeparatedSound,
        Self::Played,
        Self::Drawn,
    ];
}

/// Returns two seconds in which every example changes something: noise first, then a voice-like buzz with hum and an
/// offset, clicks, clipping, silence in the middle, and sound up to the end. The channels differ.
fn signal() -> AudioBuffer {
    let mut seed = 1u32;
    let mut noise = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 23) - 1.0
    };
    let rate = f64::from(RATE);
    let mut channel = |pitch: f64, tone: f64| -> Vec<f32> {
        let mut formant = [0.0; 2];
        (0..FRAMES)
            .map(|n| {
                let t = n as f64 / rate;
                let turn = |hz: f64| (std::f64::consts::TAU * hz * t).sin();
                let hiss = 0.01 * noise();
                // A pulse train through a resonance at 800 Hz.
                let pulse = if (t * pitch).fract() < pitch / rate { 1.0 } else { 0.0 };
                let (radius, angle) = (0.99f64, std::f64::consts::TAU * 800.0 / rate);
                let buzz = pulse + 2.0 * radius * angle.cos() * formant[0] - radius * radius * formant[1];
                formant = [buzz, formant[0]];
                let hum = 0.03 * turn(50.0) + 0.02 * turn(100.0) + 0.01 * turn(150.0);
                let click = if n % 9_600 == 5_000 { 0.6 } else { 0.0 };
                let sound = match t {
                    ..0.12 => hiss,
                    ..0.6 => hiss + hum + 0.02 + 0.12 * buzz * (0.6 + 0.4 * turn(4.0)),
                    ..0.8 => (1.6 * turn(tone)).clamp(-0.9, 0.9),
                    ..0.95 => 0.0,
                    _ => hiss + hum + 0.25 * turn(tone) + 0.08 * turn(8.1 * tone) + 0.1 * buzz,
                };
                if (0.8..0.95).contains(&t) { 0.0 } else { (sound + click).clamp(-0.95, 0.95) as f32 }
            })
            .collect()
    };
    AudioBuffer::from_channels(vec![channel(110.0, 440.0), channel(146.0, 587.0)])
}

fn rate(hz: u32) -> SampleRate {
    SampleRate::new(hz).expect("a rate")
}

fn written(path: &Path, audio: &AudioBuffer) {
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let format = AudioFormat::new(rate(RATE), audio.channels());
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).expect("an encoder");
    encoder.write(audio).expect("written");
    encoder.finish().expect("finished");
}

fn read_all(reader: &mut dyn AudioReader) -> Result<AudioBuffer, String> {
    let (mut whole, mut block) = (AudioBuffer::new(reader.format().channels, 0), AudioBuffer::default());
    loop {
        // Blocks of an arbitrary length.
        reader.read(&mut block, 7_919).map_err(|error| error.to_string())?;
        if block.is_empty() {
            return Ok(whole);
        }
        whole.extend_from(&block, 0..block.frames());
    }
}

fn read_file(path: &Path) -> AudioBuffer {
    read_all(AudioFile::open(path).expect("a file").reader().expect("a reader").as_mut()).expect("readable")
}

/// The examples of all effects.
struct Examples {
    /// The files that they name.
    files: [PathBuf; 2],
    texts: Vec<(&'static str, String)>,
    _folder: tempfile::TempDir,
}

static EXAMPLES: LazyLock<Examples> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let room = folder.path().join("room.wav");
    let decay = |n: u32| ((-f64::from(n) / 900.0).exp() * (f64::from(n * n % 31) - 15.0) / 60.0) as f32;
    written(&room, &AudioBuffer::from_channels(vec![(0..4000).map(decay).collect()]));
    let model = crate::support::reference("codec_models/dac_24khz");
    let text = |example: &str| {
        example
            .replace("\"room.wav\"", &format!("{:?}", room.to_string_lossy()))
            .replace("\"model\"", &format!("{:?}", model.to_string_lossy()))
    };
    let texts = undertone::effects::all().iter().map(|spec| (spec.name, text(spec.example))).collect();
    Examples { files: [room, model], texts, _folder: folder }
});

/// Renders a chain with the core. The faces are compared with the result.
fn rendered(chain: &Chain, audio: AudioBuffer) -> Result<Rendered, String> {
    let source = Box::new(MemoryReader::new(rate(RATE), audio));
    Rendered::measured(chain, source, &Placement::cpu(), Seeking::Exact, &Progress::new())
        .map_err(|error| error.to_string())
}

fn part_of(audio: &AudioBuffer, range: std::ops::Range<u64>) -> AudioBuffer {
    let mut part = AudioBuffer::new(audio.channels(), 0);
    part.extend_from(audio, range.start as usize..range.end as usize);
    part
}

/// Returns the expected output of a face, or `None` if it must refuse the chain.
fn expected(face: Face, chain: &Chain, audio: &AudioBuffer) -> Option<Result<AudioBuffer, String>> {
    let source = if face == Face::ProcessExcerpt { part_of(audio, PART.start..PART.end) } else { audio.clone() };
    let mut rendered = match rendered(chain, source) {
        Ok(rendered) => rendered,
        Err(error) => return Some(Err(error)),
    };
    let (format, plan) = (rendered.format(), rendered.renderer().plan());
    let converted = |rendered: Rendered, hz: u32| {
        if format.rate.hz() == hz {
            return read_all(&mut { rendered });
        }
        let plan = ResamplePlan::new(format.rate, rate(hz));
        read_all(&mut ResampledReader::new(rendered, &plan))
    };
    let is_plain = plan.keeps_time && plan.length.is_none() && format.rate.hz() == RATE && format.channels == 2;
    Some(match face {
        Face::ProcessAtRate => converted(rendered, OTHER_RATE),
        Face::ExportSelection => {
            let heard = plan.frame_out(PART.start)..plan.frame_out(PART.end).min(rendered.frames());
            read_all(&mut rendered).map(|audio| part_of(&audio, heard))
        }
        // The sum has a different rate and length.
        Face::ExportTracks | Face::ExportStems if !is_plain => return None,
        Face::Played => converted(rendered, RATE),
        Face::Drawn => {
            let lane = AudioFormat::new(rate(RATE), 2);
            let mut reader = aligned(rendered, lane, FRAMES as u64).ok()?;
            read_all(reader.as_mut())
        }
        _ => read_all(&mut rendered),
    })
}

/// Returns the residual of `got` in dB relative to the larger of the RMS values of the input and of `wanted`.
fn residual_db(got: &AudioBuffer, wanted: &AudioBuffer, input: &AudioBuffer) -> f64 {
    let power = |audio: &AudioBuffer| {
        audio.iter().flatten().map(|&x| f64::from(x).powi(2)).sum::<f64>()
            / audio.iter().flatten().count().max(1) as f64
    };
    let differences: Vec<Vec<f32>> =
        got.iter().zip(wanted.iter()).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect()).collect();
    let difference = power(&AudioBuffer::from_channels(differences));
    10.0 * (difference / power(input).max(power(wanted))).log10()
}

struct Faces {
    bench: Bench,
    audio: AudioBuffer,
    recording: PathBuf,
    document: Value,
    /// A document of two tracks.
    tracks: Value,
    devices: Arc<Devices>,
    request: DeviceRequest,
}

impl Faces {
    fn new() -> Self {
        let bench = start();
        let mut settings = bench.call("settings.view", json!({}));
        settings["device"] = json!("cpu");
        bench.call("settings.set", json!({ "settings": settings }));
        let audio = signal();
        let path = |name: &str| bench.folder.path().join(name);
        let recording = path("signal.wav");
        written(&recording, &audio);
        written(&path("again.wav"), &audio);
        written(&path("silent.wav"), &AudioBuffer::new(2, FRAMES));
        std::fs::create_dir(path("several")).expect("a folder");
        let document = bench.open(&recording);
        // Like a user who has chosen the files.
        let files = json!({ "document": document["id"], "files": EXAMPLES.files, "allow": true });
        bench.call("workspace.answer_files", files);
        bench.call("models.confirm_licence", json!({ "kind": "dac_24khz", "confirmed": true }));
        let tracks = bench.open(&path("again.wav"));
        bench.desk.will_choose(&path("silent.wav"));
        bench.call("editor.import_tracks", json!({ "document": tracks["id"] }));
        bench.call("editor.choose_track", json!({ "document": tracks["id"], "choice": { "track": 1 } }));
        let request = DeviceRequest::Gpu;
        Self { bench, audio, recording, document, tracks, devices: Arc::new(Devices::new(None)), request }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.bench.folder.path().join(name)
    }

    /// Runs the command line. Returns its message if it fails.
    fn undertone(&self, words: &[&str]) -> Result<(), String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_undertone"));
        command.args(words).args(["--device", "cpu"]).current_dir(self.bench.folder.path());
        command.env("UNDERTONE_CONFIG_DIR", self.path("config")).env("UNDERTONE_DATA_DIR", self.path("data"));
        let output = command.output().expect("the command line");
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }

    fn process(&self, text: &str, more: &[&str]) -> Result<AudioBuffer, String> {
        let words = ["process", "signal.wav", "-o", "out.wav", "--bits", "f32", "--overwrite", "-c", text];
        self.undertone(&[&words[..], more].concat())?;
        Ok(read_file(&self.path("out.wav")))
    }

    fn settings(range: Option<FrameRange>) -> ExportSettings {
        let bits = SampleFormat::Float32;
        ExportSettings { bits, dither: Dither::None, range, ..Settings::default().export }
    }

    /// Writes the chain to a document. Returns the problem if the window refuses it.
    fn edit(&self, document: &Value, text: &str) -> Result<(), String> {
        let edit = json!({ "kind": "set_chain_text", "text": text });
        let edited = self.bench.app.call("editor.edit", json!({ "document": document["id"], "edit": edit }));
        edited.map(drop).map_err(|error| error.to_string())
    }

    fn exported(&self, document: &Value, text: &str, range: Option<FrameRange>) -> Result<AudioBuffer, String> {
        self.edit(document, text)?;
        let target = self.path("window.wav");
        let settings = Self::settings(range);
        self.bench.desk.will_choose(&target);
        let chosen =
            self.bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
        let asked = json!({ "document": document["id"], "target": chosen, "settings": settings, "tags": null });
        self.bench.app.call("editor.export", asked).map_err(|error| error.to_string())?;
        let job = self.bench.wait_for_job();
        if job["state"] == "done" { Ok(read_file(&target)) } else { Err(job["failure"].to_string()) }
    }

    fn project(&self, text: &str) -> Result<(), String> {
        self.edit(&self.document, text)?;
        self.bench.desk.will_choose(&self.path("case.undertone"));
        self.bench.call("workspace.save_project", json!({ "document": self.document["id"], "choose": true }));
        Ok(())
    }

    fn export_on_gpu(&self, chain: &Chain) -> Result<AudioBuffer, String> {
        let target = self.path("gpu.wav");
        let job = ExportJob {
            source: Box::new(MemoryReader::new(rate(RATE), self.audio.clone())),
            chain: chain.clone(),
            placement: Placement::new(self.request.clone(), Arc::clone(&self.devices), RunPurpose::Export),
            settings: Self::settings(None),
            target: target.clone(),
            overwrite: true,
            inputs: Protected::default(),
            tags: Tags::default().into(),
            markers: MarkerList::default(),
        };
        export(job, &Progress::new()).map_err(|error| error.to_string())?;
        Ok(read_file(&target))
    }

    fn played(&self, chain: &Chain) -> Result<AudioBuffer, String> {
        let file = AudioFile::open(&self.recording).expect("a file");
        let open: OpenReader = Arc::new(move || file.reader());
        let said = |error: undertone::Error| error.to_string();
        let source = ChainSource::new(open, Placement::cpu()).map_err(said)?;
        let measured = source.measure(chain, &Progress::new()).map_err(said)?;
        read_all(source.processed(chain, &measured).map_err(said)?.as_mut())
    }

    fn drawn(&self, text: &str) -> Result<AudioBuffer, String> {
        let told = self.bench.desk.events("peaks").len();
        self.edit(&self.document, text)?;
        let id = serde_json::from_value(self.document["id"].clone()).expect("a handle");
        let mut whole: Option<AudioBuffer> = None;
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let at = whole.as_ref().map_or(0, AudioBuffer::frames) as u64;
            if at == FRAMES as u64 {
                return whole.ok_or_else(|| "nothing".to_owned());
            }
            let next = (at + 24_000).min(FRAMES as u64);
            let bytes = self.bench.app.samples(id, Side::Processed, at, next).map_err(|error| error.to_string())?;
            let word =
                |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
            let (channels, frames) = (word(0), word(4));
            if word(8) == 0 {
                // It is still being measured, unless the window was told why it cannot be.
                let events = self.bench.desk.events("peaks").into_iter().skip(told);
                if let Some(failed) = events.map(|event| event["waveform"]["failure"].clone()).find(Value::is_string) {
                    return Err(failed.to_string());
                }
                assert!(Instant::now() < end, "{text} is not measured");
                std::thread::sleep(Duration::from_millis(3));
                continue;
            }
            let samples: Vec<f32> = bytes[16..]
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect();
            let planes = samples.chunks(frames.max(1)).take(channels).map(<[f32]>::to_vec).collect();
            let block = AudioBuffer::from_channels(planes);
            whole.get_or_insert_with(|| AudioBuffer::new(channels, 0)).extend_from(&block, 0..frames);
        }
    }

    /// Compares the chain's spectrogram with that of the expected sound.
    fn spectrogram(&self, text: &str, wanted: &Result<AudioBuffer, String>, format: SampleRate) -> Result<(), String> {
        let drawn = |words: &[&str], name: &str| -> Result<Vec<f32>, String> {
            self.undertone(
                &[&["spectrogram"], words, &["-o", name, "--overwrite", "--size", "1024", "--hop", "512"]].concat(),
            )?;
            let bytes = std::fs::read(self.path(name)).expect("numbers");
            Ok(bytes[128..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
        };
        let got = drawn(&["signal.wav", "-c", text], "chain.npy")?;
        let Ok(wanted) = wanted else { return Ok(()) };
        let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
        let of = AudioFormat::new(format, wanted.channels());
        let mut encoder = Encoder::create(&self.path("wanted.wav"), &settings, of, true, &[]).expect("an encoder");
        encoder.write(wanted).expect("written");
        encoder.finish().expect("finished");
        let wanted = drawn(&["wanted.wav"], "wanted.npy")?;
        assert_eq!(got.len(), wanted.len(), "{text}");
        let worst = got.iter().zip(&wanted).filter(|(_, wanted)| **wanted > -90.0).map(|(a, b)| (a - b).abs());
        let worst = worst.fold(0.0, f32::max);
        assert!(worst < 0.02, "{text}: {worst} dB");
        Ok(())
    }

    /// Returns the output of a face for a chain.
    fn given(&self, face: Face, text: &str, chain: &Chain) -> Result<AudioBuffer, String> {
        match face {
            Face::Process => self.process(text, &[]),
            Face::ProcessExcerpt => {
                self.process(text, &["--start", &format!("{}f", PART.start), "--end", &format!("{}f", PART.end)])
            }
            Face::ProcessAtRate => self.process(text, &["--rate", &OTHER_RATE.to_string()]),
            Face::ProcessSeveral => {
                let words =
                    ["process", "again.wav", "signal.wav", "-o", "several", "--bits", "f32", "--overwrite", "-c"];
                self.undertone(&[&words[..], &[text]].concat())?;
                Ok(read_file(&self.path("several").join("signal.wav")))
            }
            Face::ProcessProject => {
                self.project(text)?;
                self.undertone(&[
                    "process",
                    "case.undertone",
                    "-o",
                    "project.wav",
                    "--bits",
                    "f32",
                    "--overwrite",
                    "--allow-files",
                ])?;
                Ok(read_file(&self.path("project.wav")))
            }
            Face::EditProject => {
                self.project(text)?;
                self.undertone(&[
                    "edit",
                    "case.undertone",
                    "-o",
                    "edit.wav",
                    "--bits",
                    "f32",
                    "--overwrite",
                    "--trim",
                    "0..2",
                ])?;
                Ok(read_file(&self.path("edit.wav")))
            }
            Face::Export => self.exported(&self.document, text, None),
            Face::ExportSelection => self.exported(&self.document, text, Some(PART)),
            Face::ExportTracks => self.exported(&self.tracks, text, None),
            Face::ExportStems => {
                self.edit(&self.tracks, text)?;
                let folder = tempfile::tempdir().expect("a folder");
                let mut settings = self.bench.call("settings.view", json!({}));
                settings["export"]["bits"] = json!("f32");
                self.bench.call("settings.set", json!({ "settings": settings }));
                self.bench.desk.will_choose(folder.path());
                let started = self.bench.app.call("editor.export_stems", json!({ "document": self.tracks["id"] }));
                started.map_err(|error| error.to_string())?;
                let job = self.bench.wait_for_job();
                if job["state"] == "done" {
                    Ok(read_file(&folder.path().join("01 again.wav")))
                } else {
                    Err(job["failure"].to_string())
                }
            }
            Face::ExportOnGpu => self.export_on_gpu(chain),
            Face::SeparatedSound => {
                self.project(text)?;
                let input = ExportInput::open(&self.path("case.undertone"), &Permission::ANY)
                    .map_err(|error| error.to_string())?;
                let sound = input.sound(&Placement::cpu(), &Progress::new()).map_err(|error| error.to_string())?;
                read_all(&mut { sound })
            }
            Face::Played => self.played(chain),
            Face::Drawn => self.drawn(text),
            Face::Spectrogram => unreachable!("compared as numbers"),
        }
    }

    /// Compares a face's sound with the expected one. Returns whether it accepted the chain.
    fn check(&self, face: Face, text: &str) -> bool {
        let chain: Chain = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let Some(wanted) = expected(face, &chain, &self.audio) else { return false };
        if face == Face::Spectrogram {
            let format = rendered(&chain, self.audio.clone()).map_or(rate(RATE), |rendered| rendered.format().rate);
            let drawn = self.spectrogram(text, &wanted, format);
            assert_eq!(drawn.is_ok(), wanted.is_ok(), "{face:?}, {text}: {drawn:?}");
            return wanted.is_ok();
        }
        let given = self.given(face, text, &chain);
        let (Ok(given), Ok(wanted)) = (&given, &wanted) else {
            assert_eq!(given.is_ok(), wanted.is_ok(), "{face:?}, {text}: {:?}, {:?}", given.err(), wanted.err());
            return false;
        };
        let shape = |audio: &AudioBuffer| (audio.channels(), audio.frames());
        assert_eq!(shape(given), shape(wanted), "{face:?}, {text}");
        let limit = if face == Face::ExportOnGpu { GPU_DB } else { CPU_DB };
        let db = residual_db(given, wanted, &self.audio);
        assert!(db < limit || db.is_nan(), "{face:?}, {text}: {db:.1} dB");
        true
    }
}

#[test]
fn every_example_changes_something() {
    let audio = signal();
    for (name, text) in &EXAMPLES.texts {
        let chain: Chain = text.parse().expect("a chain");
        let out = read_all(&mut rendered(&chain, audio.clone()).expect("a render")).expect("a render");
        let is_other = (out.channels(), out.frames()) != (audio.channels(), audio.frames());
        assert!(is_other || residual_db(&out, &audio, &audio) > -90.0, "{name} changes nothing");
    }
}

#[test]
fn every_effect_is_the_same_through_every_face() {
    let all = std::env::var("UNDERTONE_FACES").is_ok_and(|which| which == "all");
    let faces = Faces::new();
    let mut taken = [0usize; Face::ALL.len()];
    for (effect, (_, text)) in EXAMPLES.texts.iter().enumerate() {
        for (index, face) in Face::ALL.into_iter().enumerate() {
            let places: &[Place] =
                if all { &Place::ALL } else { &Place::ALL[(effect + index) % Place::ALL.len()..][..1] };
            for place in places {
                taken[index] += usize::from(faces.check(face, &place.text(text)));
            }
        }
    }
    // Every face accepts most effects in most places.
    for (face, taken) in Face::ALL.iter().zip(taken) {
        let least = EXAMPLES.texts.len() * if all { Place::ALL.len() } else { 1 } * 3 / 4;
        assert!(taken >= least, "{face:?} took {taken}");
    }
}
