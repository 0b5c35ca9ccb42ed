//! Waveforms of processed sides: equal to a full render, never outdated, and refused where times do not correspond.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader};
use undertone::chain::{Chain, Placement, Rendered, Seeking, aligned, measure_whole};
use undertone::error::{ErrorCode, Result};
use undertone::playback::Side;
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::view::peaks::{ColumnDivision, Peaks, Pyramid};
use undertone::window::{App, DocumentId, Event, Host};
use undertone::work::Directories;

const FRAMES: usize = 150_001;

/// Keeps the progress of processed waveforms.
#[derive(Default)]
struct Desk {
    events: Mutex<Vec<Value>>,
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        let event = serde_json::to_value(event).expect("JSON");
        if event["kind"] == "peaks" && event["side"] == "processed" {
            self.events.lock().expect("unpoisoned").push(event);
        }
    }
}

struct Bench {
    folder: tempfile::TempDir,
    desk: Arc<Desk>,
    app: App,
    document: DocumentId,
}

/// Returns a quiet swell of noise that differs between the two channels.
fn swell() -> AudioBuffer {
    let mut state = 7u32;
    let mut plane = |level: f32| -> Vec<f32> {
        (0..FRAMES)
            .map(|frame| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let white = (state >> 8) as f32 / (1u32 << 23) as f32 - 1.0;
                white * level * (0.2 + 0.8 * ((frame / 9000) % 4) as f32 / 3.0)
            })
            .collect()
    };
    AudioBuffer::from_channels(vec![plane(0.02), plane(0.015)])
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let desk = Arc::new(Desk::default());
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).expect("folders");
    let app = App::new(desk.clone(), directories).expect("an app");
    let mut settings = app.call("settings.view", json!({})).expect("settings");
    settings["device"] = json!("cpu");
    app.call("settings.set", json!({ "settings": settings })).expect("settings");
    let path = folder.path().join("quiet.wav");
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 2);
    let mut encoder = Encoder::create(&path, &EncodeSettings::default(), format, true, &[]).expect("an encoder");
    encoder.write(&swell()).expect("written");
    encoder.finish().expect("finished");
    app.open_and_tell(&[path]);
    let startup = app.call("workspace.startup", json!({})).expect("a start");
    let document = serde_json::from_value(startup["documents"][0]["id"].clone()).expect("a document");
    Bench { folder, desk, app, document }
}

impl Bench {
    fn write(&self, chain: &str) {
        let edit = json!({ "kind": "set_chain_text", "text": chain });
        self.app.call("editor.edit", json!({ "document": self.document, "edit": edit })).expect("an edit");
    }

    fn peaks(&self, side: Side, start: f64, end: f64, columns: usize) -> Answer {
        let bytes = self.app.peaks(self.document, side, start, end, columns).expect("peaks");
        Answer::of(&bytes)
    }

    /// Asks until everything is exact.
    fn exact(&self, start: f64, end: f64, columns: usize) -> Answer {
        let limit = Instant::now() + Duration::from_mins(2);
        loop {
            let found = self.peaks(Side::Processed, start, end, columns);
            if found.quality == 1 {
                return found;
            }
            assert!(Instant::now() < limit, "not exact in time");
            std::thread::sleep(Duration::from_millis(3));
        }
    }

    /// Renders the whole recording through a chain, as an export does.
    fn render(&self, chain: &str) -> AudioBuffer {
        let chain: Chain = chain.parse().expect("a chain");
        let file = AudioFile::open(&self.folder.path().join("quiet.wav")).expect("a file");
        let mut source = file.reader().expect("a reader");
        let measured =
            measure_whole(&chain, source.as_mut(), "", &Placement::cpu(), &Progress::new()).expect("measurements");
        let (format, frames) = (source.format(), source.frames());
        let rendered = Rendered::new(&chain, source, &Placement::cpu(), &measured, Seeking::Exact).expect("a renderer");
        let mut reader = aligned(rendered, format, frames).expect("an alignment");
        let mut whole = AudioBuffer::new(reader.format().channels, 0);
        let mut block = AudioBuffer::default();
        loop {
            reader.read(&mut block, 50_000).expect("a block");
            if block.is_empty() {
                return whole;
            }
            whole.extend_from(&block, 0..block.frames());
        }
    }
}

/// A binary answer.
#[derive(Debug)]
struct Answer {
    columns: usize,
    quality: u32,
    planes: Vec<f32>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let planes = bytes[16..].chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Self { columns: word(4) as usize, quality: word(8), planes: planes.collect() }
    }

    /// Minima (0), maxima (1) or RMS values (2) of a channel.
    fn plane(&self, channel: usize, which: usize) -> &[f32] {
        &self.planes[(channel * 3 + which) * self.columns..][..self.columns]
    }

    fn extent(&self) -> f32 {
        (0..2).flat_map(|channel| self.plane(channel, 1)).copied().fold(0.0, f32::max)
    }
}

/// A recording in memory.
#[derive(Clone)]
struct Rendering(Arc<AudioBuffer>, u64);

impl AudioReader for Rendering {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(48_000).expect("a rate"), self.0.channels())
    }

    fn frames(&self) -> u64 {
        self.0.frames() as u64
    }

    fn position(&self) -> u64 {
        self.1
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.1 = frame;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let end = (self.1 as usize + frames).min(self.0.frames());
        *out = AudioBuffer::new(self.0.channels(), 0);
        out.extend_from(&self.0, self.1 as usize..end);
        self.1 = end as u64;
        Ok(())
    }
}

const CHAINS: [&str; 6] = [
    "gain(12 dB)",
    "normalize(-1 dB)",
    "highpass(80 Hz, order=4) | compressor(-30 dB, 4) | gain(6 dB)",
    "mono | delay(20 ms)",
    "gain(0 dB) + mix(40 %, lowpass(500 Hz))",
    "trim_silence(-60 dB) | limiter",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn processed_peaks_are_those_of_a_full_render(
        which in 0..CHAINS.len(),
        start in -2_000.0..140_000.0f64,
        // At least 256 frames per column, so that no column is read from samples.
        width in 256.0..3_000.0f64,
        columns in 1usize..120,
    ) {
        static BENCH: Mutex<Option<Bench>> = Mutex::new(None);
        let mut held = BENCH.lock().expect("a lock");
        let bench = held.get_or_insert_with(bench);
        bench.write(CHAINS[which]);
        let end = start + width * columns as f64;
        let found = bench.exact(start, end, columns);
        let whole = Arc::new(bench.render(CHAINS[which]));
        let opened = Rendering(Arc::clone(&whole), 0);
        let mut expected = Peaks::start(Arc::new(move || Ok(Box::new(opened.clone()))), Box::new(|_| ())).expect("peaks");
        expected.wait();
        let expected = expected.query(start, end, columns).expect("a query");
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let shape = Pyramid::new(whole.channels(), FRAMES as u64);
        let cut = ColumnDivision::new(start, end, columns, FRAMES as u64, shape.base(), shape.levels());
        for (channel, wanted) in expected.channels.iter().enumerate() {
            for (which, wanted) in [&wanted.min, &wanted.max, &wanted.rms].into_iter().enumerate() {
                prop_assert_eq!(bits(found.plane(channel, which)), bits(wanted));
            }
            // The samples themselves, not a pyramid's summary of them.
            for column in 0..columns {
                let range = cut.column(column);
                let samples = &whole.channel(channel)[range.start as usize..range.end as usize];
                if samples.is_empty() {
                    continue;
                }
                let greatest = samples.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                prop_assert_eq!(found.plane(channel, 1)[column].to_bits(), greatest.to_bits());
            }
        }
    }
}

#[test]
fn samples_of_the_processed_side_are_those_of_a_full_render() {
    let bench = bench();
    for chain in CHAINS {
        bench.write(chain);
        bench.exact(0.0, FRAMES as f64, 100);
        let whole = bench.render(chain);
        for from in [0u64, 31_000, 140_000] {
            let bytes = bench.app.samples(bench.document, Side::Processed, from, from + 500).expect("samples");
            let found = Answer::of(&bytes);
            assert_eq!((found.columns, found.quality), (500, 1), "{chain}");
            for channel in 0..whole.channels() {
                let wanted = &whole.channel(channel)[from as usize..from as usize + 500];
                let got = &found.planes[channel * 500..][..500];
                let worst = wanted.iter().zip(got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                // A seek far into a recording starts with a pre-roll, accurate to -120 dB.
                assert!(worst <= 1e-6, "{chain} at {from}: {worst}");
            }
        }
    }
}

#[test]
fn what_was_measured_for_an_effect_is_not_lost_when_it_is_added_again() {
    let bench = bench();
    let most = || {
        let chain = json!({ "document": bench.document, "range": { "start": 0, "end": FRAMES }, "side": "processed" });
        bench.app.call("editor.levels", chain).expect("levels")["peak_db"].as_f64().expect("a level")
    };
    bench.write("normalize(-1 dB)");
    assert!((most() + 1.0).abs() < 0.01, "{}", most());
    // Another effect takes its place, and it returns with another ID.
    bench.write("gain(3 dB)");
    assert!(most() < -20.0);
    bench.write("normalize(-1 dB)");
    assert!((most() + 1.0).abs() < 0.01, "{}", most());
}

#[test]
fn a_quiet_recording_that_is_normalised_looks_loud_and_is_never_mixed_up() {
    let bench = bench();
    bench.write("gain(0 dB)");
    let quiet = bench.exact(0.0, FRAMES as f64, 200).extent();
    bench.write("normalize(-1 dB)");
    let loud = bench.exact(0.0, FRAMES as f64, 200).extent();
    assert!(quiet < 0.03 && (loud - 0.891).abs() < 0.002, "{quiet}, {loud}");
    // The original is unchanged.
    assert!(bench.peaks(Side::Original, 0.0, FRAMES as f64, 200).extent() < 0.03);
    // After a change of the chain, no part of the old waveform counts as exact.
    for gain in 0..12 {
        bench.write(&format!("gain({gain} dB)"));
        let found = bench.exact(0.0, FRAMES as f64, 200).extent();
        let wanted = quiet * 10f32.powf(gain as f32 / 20.0);
        assert!((found - wanted).abs() < 1e-5, "{gain} dB: {found}");
    }
    assert!(!bench.desk.events.lock().expect("unpoisoned").is_empty(), "the window is told");
    // An empty chain shows the picture of the original.
    bench
        .app
        .call("editor.edit", json!({ "document": bench.document, "edit": { "kind": "set_chain_text", "text": "" } }))
        .expect("an edit");
    let plain = bench.peaks(Side::Processed, 0.0, FRAMES as f64, 200);
    assert_eq!((plain.quality, plain.extent()), (1, quiet));
}

#[test]
fn a_chain_that_stretches_time_has_no_waveform_beside_the_recording() {
    let bench = bench();
    bench.write("time_stretch(150 %)");
    let refused = bench.app.peaks(bench.document, Side::Processed, 0.0, 1000.0, 10).expect_err("a refusal");
    assert_eq!(refused.code(), ErrorCode::Unsupported, "{refused}");
    assert!(refused.to_string().contains("150 %"), "{refused}");
    // No file is left when a document is closed while its waveform is rendered.
    bench.write("denoise | normalize");
    let _ = bench.peaks(Side::Processed, 0.0, FRAMES as f64, 10);
    bench.app.call("workspace.close_document", json!({ "document": bench.document })).expect("closed");
    assert!(bench.app.peaks(bench.document, Side::Processed, 0.0, 1000.0, 10).is_err());
}

#[test]
fn tabs_are_put_in_order_and_stay_so() {
    let bench = bench();
    bench.app.call("workspace.open_demo", json!({})).expect("the demo");
    let order = |app: &App| -> Vec<Value> {
        let startup = app.call("workspace.startup", json!({})).expect("a start");
        startup["documents"].as_array().expect("documents").iter().map(|each| each["name"].clone()).collect()
    };
    let before = order(&bench.app);
    let ids = |app: &App| -> Vec<Value> {
        let startup = app.call("workspace.startup", json!({})).expect("a start");
        startup["documents"].as_array().expect("documents").iter().map(|each| each["id"].clone()).collect()
    };
    let mut wanted = ids(&bench.app);
    wanted.reverse();
    bench.app.call("workspace.reorder_documents", json!({ "documents": wanted })).expect("an order");
    let after: Vec<Value> = before.iter().rev().cloned().collect();
    assert_eq!(order(&bench.app), after);
    let Bench { folder, app, .. } = bench;
    drop(app);
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).expect("folders");
    let app = App::new(Arc::new(Desk::default()), directories).expect("an app");
    assert_eq!(order(&app), after, "after a start");
}
