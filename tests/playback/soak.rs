//! Hours of use: a document is played into null sinks while its chain is edited, documents are opened and closed, and
//! outputs are plugged and unplugged at random. `UNDERTONE_SOAK_MINUTES` sets the duration; without it, some seconds.
//! Actions and resources are printed 400 times, so that a run can be followed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host, TransportView};
use undertone::work::Directories;

use super::pulse::{Pulse, start};
use super::resources::{Random, ResourceLog};
use super::signal::noise;

/// The maximum number of open documents.
const DOCUMENTS: usize = 4;
/// The maximum number of effects at the top of a chain, so that a debug build keeps up with playback.
const EFFECTS: usize = 5;

/// Chooses the file that the test sets, and counts the events of playback.
struct Desk {
    next: Mutex<PathBuf>,
    told: Mutex<Told>,
    frames: AtomicU64,
}

#[derive(Default)]
struct Told {
    underruns: u64,
    last: Option<(bool, u64, u64)>,
    problems: BTreeMap<String, u64>,
}

impl Desk {
    fn hear(&self, transport: &TransportView) {
        let transport = &transport.player;
        let mut told = self.told.lock().unwrap();
        // Underruns are counted from zero at each start of playback.
        let (playing, frame, before) = told.last.unwrap_or_default();
        let now = transport.underruns;
        told.underruns += if now < before { now } else { now - before };
        if playing && transport.playing && (frame..frame + 96_000).contains(&transport.frame) {
            self.frames.fetch_add(transport.frame - frame, Ordering::Relaxed);
        }
        told.last = Some((transport.playing, transport.frame, now));
        if let Some(problem) = &transport.problem {
            *told.problems.entry(problem.clone()).or_default() += 1;
        }
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        if let Event::Transport { transport, .. } = event {
            self.hear(&transport);
        }
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        vec![self.next.lock().unwrap().clone()]
    }
}

fn write(path: &Path, rate: u32, audio: &AudioBuffer) {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), audio.channels());
    let mut encoder = Encoder::create(path, &EncodeSettings::default(), format, true, &[]).unwrap();
    encoder.write(audio).unwrap();
    encoder.finish().unwrap();
}

/// One user of the app, who performs random actions around playback.
struct User {
    app: App,
    desk: Arc<Desk>,
    files: Vec<PathBuf>,
    effects: Vec<Value>,
    documents: Vec<Value>,
    random: Random,
    spares: Vec<String>,
    plugged: u64,
    done: BTreeMap<&'static str, u64>,
    refused: BTreeMap<&'static str, u64>,
    why: Option<String>,
}

impl User {
    /// Calls a command. Refusals are counted, because random edits are often invalid.
    fn call(&mut self, name: &'static str, args: Value) -> Option<Value> {
        *self.done.entry(name).or_default() += 1;
        let result = self.app.call(name, args);
        if let Err(error) = &result {
            *self.refused.entry(name).or_default() += 1;
            self.why = Some(format!("{name}: {error}"));
        }
        result.ok()
    }

    fn edit(&mut self, document: usize, edit: Value) {
        let id = self.documents[document]["id"].clone();
        if let Some(view) = self.call("editor.edit", json!({ "document": id, "edit": edit })) {
            self.documents[document] = view;
        }
    }

    fn open(&mut self) {
        self.desk.next.lock().unwrap().clone_from(self.random.pick(&self.files));
        if let Some(opened) = self.call("workspace.open_dialog", json!({})) {
            for document in opened["documents"].as_array().unwrap() {
                // A recording that is already open moves to the front.
                self.documents.retain(|known| known["id"] != document["id"]);
                self.documents.push(document.clone());
            }
        }
    }

    fn close(&mut self, document: usize) {
        let view = self.documents.swap_remove(document);
        self.call("workspace.close_document", json!({ "document": view["id"] }));
    }

    fn play(&mut self, document: usize) {
        let from = self.random.below(20 * 44_100);
        let id = self.documents[document]["id"].clone();
        let until = (self.random.below(4) == 0).then(|| from + self.random.below(441_000));
        self.call("playback.play", json!({ "document": id, "from_frame": from, "until_frame": until }));
    }

    fn is_playing(&self) -> bool {
        self.desk.told.lock().unwrap().last.is_some_and(|(playing, ..)| playing)
    }

    fn nodes(&self, document: usize) -> Vec<Value> {
        self.documents[document]["chain"]["nodes"].as_array().cloned().unwrap_or_default()
    }

    fn edit_chain(&mut self, document: usize) {
        let nodes = self.nodes(document);
        if nodes.is_empty() || (nodes.len() < EFFECTS && self.random.below(4) == 0) {
            let effect = self.random.pick(&self.effects)["name"].clone();
            return self.edit(document, json!({ "kind": "add_effect", "effect": effect, "after": null }));
        }
        let node = self.random.pick(&nodes).clone();
        let id = node["id"].clone();
        let edit = match self.random.below(12) {
            0..6 => {
                let name = node["effect"].as_str().or(node["name"].as_str()).unwrap_or_default();
                let Some(effect) = self.effects.iter().find(|effect| effect["name"] == name) else { return };
                let parameters = effect["parameters"].as_array().unwrap().clone();
                if parameters.is_empty() {
                    return;
                }
                let parameter = self.random.pick(&parameters);
                let control = &parameter["control"];
                let value = match (control["min"].as_f64(), control["max"].as_f64()) {
                    // Mostly plausible values, sometimes any allowed value.
                    (Some(min), Some(max)) if self.random.below(4) > 0 => {
                        let initial = control["initial"].as_f64().unwrap_or(min);
                        let near = initial * 4f64.powf(self.random.share() - 0.5) + self.random.share() - 0.5;
                        json!(near.clamp(min, max))
                    }
                    (Some(min), Some(max)) => json!(min + (max - min) * self.random.share().powi(4)),
                    _ => match control["options"].as_array() {
                        Some(options) => self.random.pick(options).clone(),
                        None => return,
                    },
                };
                let gesture = self.random.below(3);
                json!({ "kind": "set_argument", "node": id, "name": parameter["name"], "value": value, "gesture": gesture })
            }
            6 => json!({ "kind": "set_bypass", "node": id, "bypass": self.random.below(2) == 0 }),
            7 => json!({ "kind": "set_mix", "node": id, "mix": self.random.share(), "gesture": null }),
            8 => json!({ "kind": "move", "node": id, "parent": null, "index": self.random.below(4) }),
            9 => json!({ "kind": "swap_racks" }),
            10 => {
                let texts = [
                    "",
                    "gain(-6 dB)",
                    "time_stretch(130 %)",
                    "resample(8000 Hz) | gain(-3 dB)",
                    "normalize(-1 dB)",
                    "lowpass(1 kHz) + highpass(1 kHz)",
                    "trim_silence()",
                ];
                json!({ "kind": "set_chain_text", "text": *self.random.pick(&texts) })
            }
            _ => json!({ "kind": "remove", "node": id }),
        };
        self.edit(document, edit);
    }

    fn change_output(&mut self, pulse: &Pulse) {
        *self.done.entry("output changed").or_default() += 1;
        match self.random.below(4) {
            // Unplugs an output that may be playing.
            0 if !self.spares.is_empty() => {
                let sink = self.spares.swap_remove(self.random.below(self.spares.len() as u64) as usize);
                pulse.unplug(&sink);
            }
            0 | 1 if self.spares.len() < 3 => {
                self.plugged += 1;
                let sink = format!("spare{}", self.plugged);
                pulse.plug(&sink, *self.random.pick(&[44_100, 48_000, 96_000]));
                self.spares.push(sink);
            }
            2 => {
                let outputs = self.call("playback.outputs", json!({})).unwrap_or_default();
                let outputs: Vec<Value> = outputs.as_array().cloned().unwrap_or_default();
                let Some(mut settings) = self.call("settings.view", json!({})) else { return };
                let chosen = self.random.below(2) == 0 && !outputs.is_empty();
                settings["output"] = if chosen { self.random.pick(&outputs)["id"].clone() } else { Value::Null };
                self.call("settings.set", json!({ "settings": settings }));
            }
            _ => {
                let mut sinks = self.spares.clone();
                sinks.push("main".to_owned());
                let sink = self.random.pick(&sinks);
                pulse.control(&["set-default-sink", sink.as_str()]);
            }
        }
    }

    fn act(&mut self, pulse: &Pulse) {
        if self.documents.is_empty() {
            self.open();
            return;
        }
        let document = self.random.below(self.documents.len() as u64) as usize;
        let id = self.documents[document]["id"].clone();
        if !self.is_playing() && self.random.below(3) == 0 {
            return self.play(document);
        }
        match self.random.below(100) {
            0..4 if self.documents.len() < DOCUMENTS => self.open(),
            4..7 => self.close(document),
            7..15 => self.play(document),
            15..17 => drop(self.call("playback.stop", json!({}))),
            17..27 => {
                let frame = self.random.below(30 * 44_100);
                self.call("playback.seek", json!({ "frame": frame }));
            }
            27..31 => {
                let looping = self.random.below(2) == 0;
                self.call("playback.set_loop", json!({ "looping": looping }));
            }
            31..35 => {
                let start = self.random.below(20 * 44_100);
                let selection = json!({ "start": start, "end": start + 4_410 + self.random.below(88_200) });
                self.call("editor.set_selection", json!({ "document": id, "selection": selection, "band": null }));
            }
            35..43 => {
                let side = *self.random.pick(&["original", "processed"]);
                self.call("playback.set_side", json!({ "side": side }));
            }
            43..46 => {
                let matched = self.random.below(2) == 0;
                self.call("playback.set_matched", json!({ "document": id, "matched": matched }));
            }
            46..48 => {
                let on = self.random.below(2) == 0;
                self.call("editor.set_monitoring", json!({ "on": on }));
            }
            48..52 => {
                let command = *self.random.pick(&["editor.undo", "editor.redo"]);
                if let Some(view) = self.call(command, json!({ "document": id })) {
                    self.documents[document] = view;
                }
            }
            52..55 => self.change_output(pulse),
            _ => self.edit_chain(document),
        }
    }
}

#[test]
fn hours_of_edits_and_changing_outputs_leave_nothing_behind() {
    let minutes = std::env::var("UNDERTONE_SOAK_MINUTES").ok().and_then(|minutes| minutes.parse::<f64>().ok());
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, rate, seconds) in [("a.wav", 44_100, 40), ("b.wav", 48_000, 25), ("c.wav", 96_000, 15)] {
        files.push(folder.path().join(name));
        write(files.last().unwrap(), rate, &noise(rate as usize * seconds));
    }
    let desk = Arc::new(Desk { next: Mutex::default(), told: Mutex::default(), frames: AtomicU64::new(0) });
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let app = App::new(desk.clone(), directories).unwrap();
    let effects = app.call("workspace.startup", json!({})).unwrap()["effects"].as_array().unwrap().clone();
    let mut settings = app.call("settings.view", json!({})).unwrap();
    settings["device"] = json!("cpu");
    app.call("settings.set", json!({ "settings": settings })).unwrap();
    let seed = std::env::var("UNDERTONE_SOAK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut user = User {
        app,
        desk: Arc::clone(&desk),
        files,
        effects,
        documents: Vec::new(),
        random: Random(0x9E37_79B9_7F4A_7C15 ^ seed),
        spares: Vec::new(),
        plugged: 0,
        done: BTreeMap::new(),
        refused: BTreeMap::new(),
        why: None,
    };
    let lasts = Duration::from_secs_f64(60.0 * minutes.unwrap_or(0.15));
    let begun = Instant::now();
    let (mut looked, mut log) = (begun, ResourceLog::default());
    let report = |user: &User, what: &str| {
        let told = desk.told.lock().unwrap();
        println!(
            "{what} {:.1} min: {:.1} min played, {} under-runs, {} commands ({} refused, last {:?}), {}",
            begun.elapsed().as_secs_f64() / 60.0,
            desk.frames.load(Ordering::Relaxed) as f64 / 60.0 / 48_000.0,
            told.underruns,
            user.done.values().sum::<u64>(),
            user.refused.values().sum::<u64>(),
            user.why,
            super::resources::Resources::now().unwrap_or_default(),
        );
    };
    while begun.elapsed() < lasts {
        user.act(&pulse);
        let pause = 1 + user.random.below(200);
        std::thread::sleep(Duration::from_millis(pause));
        if looked.elapsed() > lasts.div_f64(400.0) {
            looked = Instant::now();
            log.look();
            if minutes.is_some() {
                report(&user, "at");
            }
        }
    }
    report(&user, "after");
    println!("done: {:?}\nrefused: {:?}", user.done, user.refused);
    println!("{:?}", desk.told.lock().unwrap().problems);
    assert!(desk.frames.load(Ordering::Relaxed) > 0, "nothing was played");
    // A short run shares its process with other tests and is still filling its caches.
    if minutes.is_some() {
        log.assert_level();
    }
    while !user.documents.is_empty() {
        user.close(0);
    }
    user.app.shut_down();
}
