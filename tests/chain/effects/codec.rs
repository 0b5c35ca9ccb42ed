//! The codec effect against the output of `codec resynthesise` for the whole sound, with small models with random
//! weights.

use crate::support::{chain_runs as runs, effects_table as table, streamed};

use std::ops::Range;
use std::path::PathBuf;

use audio::{AudioBuffer, AudioReader};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::ResamplePlan;
use effects::FileDependency;
use effects::chain::Seeking;
use neural::codecs::neural::{Flow, NeuralCodec, describe, share};
use neural::codecs::{self, Codec};
use neural::models::Cutting;
use runs::{Sound, chain, in_blocks, rendered, renderer, run, taken_up};
use streamed::{format_at, process};

/// The models, and the length of a sound in which every kind of piece occurs, in frames at the model's rate.
const MODELS: [(&str, usize); 5] = [
    ("encodec_24khz", 9_077),
    ("encodec_48khz", 9_077),
    ("dac_24khz", 45_077),
    ("dac_44khz", 70_077),
    ("mimi", 30_077),
];

fn path(name: &str) -> PathBuf {
    crate::support::reference("codec_models").join(name)
}

fn text(name: &str, kbps: f64) -> String {
    format!("codec({:?}, {kbps} kbps)", path(name).to_str().unwrap())
}

fn hz(hz: u32) -> SampleRate {
    SampleRate::new(hz).unwrap()
}

/// Tones that come and go, others in every channel, with some noise.
fn sound(rate: u32, channels: usize, frames: usize) -> Sound {
    let mut noise = runs::noise(rate, channels, frames);
    for (channel, samples) in noise.audio.iter_mut().enumerate() {
        for (n, sample) in samples.iter_mut().enumerate() {
            let time = n as f32 / rate as f32;
            let tone = |hz: f32| (std::f32::consts::TAU * hz * time).sin();
            *sample =
                0.1 * *sample + 0.3 * tone(210.0 + 90.0 * channel as f32) * (1.0 + tone(5.0)) + 0.05 * tone(3100.0);
        }
    }
    noise
}

/// The sound through the codec, as the command makes it.
fn resynthesised(name: &str, kbps: f64, sound: &Sound) -> AudioBuffer {
    let opened = share(&path(name)).unwrap();
    let facts = opened.model().facts();
    let codec = NeuralCodec::with_books(&opened, facts.books_near(kbps)).unwrap();
    let progress = Progress::new();
    let given = codecs::Sound::new(hz(sound.rate), sound.audio.clone());
    let coded = codec.resynthesise(&given.converted(facts.rate, u64::MAX, &progress).unwrap(), &progress).unwrap();
    let back = coded.converted(hz(sound.rate), u64::MAX, &progress).unwrap();
    let fitted = back.samples.iter().map(|channel| {
        let mut channel = channel.to_vec();
        channel.resize(sound.audio.frames(), 0.0);
        channel
    });
    AudioBuffer::from_channels(fitted.collect())
}

/// The frames of a sound that depend neither on its end, nor on a beginning that was not complete.
fn known(name: &str, rate: u32, frames: usize) -> Range<usize> {
    let model = describe(&path(name)).unwrap();
    let (hop, own) = (model.facts.hop, model.facts.rate.hz());
    let all = (frames as u64 * u64::from(own) / u64::from(rate)) as usize;
    let (first, end) = match model.cutting {
        Cutting::Stream { first_codes } => ((first_codes - 1) * hop, all / hop * hop),
        Cutting::Context { encoder, decoder } => (0, (all.div_ceil(hop) - encoder - decoder) * hop),
        Cutting::Segments { frames, stride, .. } => (0, ((all - frames) / stride + 1) * stride),
    };
    let filter = if own == rate { 0.0 } else { ResamplePlan::new(hz(own), hz(rate)).lag_s() * f64::from(rate) + 2.0 };
    let at = |frame: usize| frame as f64 * f64::from(rate) / f64::from(own);
    let first = if first == 0 { 0 } else { (at(first) + filter) as usize + 1 };
    first..(at(end) - filter) as usize
}

/// The residual in dB re the expected sound, of the worst channel.
fn residual_db(got: &AudioBuffer, expected: &AudioBuffer, range: Range<usize>) -> f64 {
    assert_eq!((got.channels(), got.frames()), (expected.channels(), expected.frames()));
    let of = |(got, expected): (&[f32], &[f32])| {
        let (got, expected) = (&got[range.clone()], &expected[range.clone()]);
        let square = |x: f64| x * x;
        let error: f64 = got.iter().zip(expected).map(|(a, b)| square(f64::from(*a) - f64::from(*b))).sum();
        let level: f64 = expected.iter().map(|x| square(f64::from(*x))).sum();
        assert!(level > 1e-6, "the codec gives silence");
        if error == 0.0 { f64::NEG_INFINITY } else { 10.0 * (error / level).log10() }
    };
    got.iter().zip(expected.iter()).map(of).fold(f64::NEG_INFINITY, f64::max)
}

/// The cases of a model: at its rate, and at the rates of recordings.
fn cases() -> impl Iterator<Item = (&'static str, Sound)> {
    MODELS.into_iter().flat_map(|(name, frames)| {
        let own = describe(&path(name)).unwrap().facts.rate.hz();
        [own, 44_100, 48_000].into_iter().flat_map(move |rate| {
            let frames = (frames as f64 * f64::from(rate) / f64::from(own)) as usize;
            [1, 2].into_iter().map(move |channels| (name, sound(rate, channels, frames)))
        })
    })
}

#[test]
fn it_sounds_as_the_whole_through_the_codec() {
    let (mut count, mut worst) = (0, f64::NEG_INFINITY);
    for (name, sound) in cases() {
        for kbps in [0.1, 0.6, 96.0] {
            let (got, expected) = (run(&text(name, kbps), &sound), resynthesised(name, kbps, &sound));
            let range = known(name, sound.rate, sound.audio.frames());
            assert!(range.len() > 1000, "{name}: {range:?}");
            let db = residual_db(&got, &expected, range.clone());
            assert!(db <= -130.0, "{name} at {} Hz, {kbps} kbit/s: {db:.1} dB in {range:?}", sound.rate);
            (count, worst) = (count + 1, worst.max(db));
        }
    }
    table::measured("codec", "`codec resynthesise`", count, worst, "dB");
}

#[test]
fn another_bandwidth_another_time_and_another_model_are_told_apart() {
    for (name, sound) in cases().filter(|(_, sound)| sound.audio.channels() == 1) {
        let range = known(name, sound.rate, sound.audio.frames() - 1);
        let expected = resynthesised(name, 96.0, &sound);
        let db = residual_db(&run(&text(name, 0.1), &sound), &expected, range.clone());
        assert!(db > -90.0, "{name}: {db:.1} dB at another bandwidth");
        let mut late = run(&text(name, 96.0), &sound);
        let samples = late.channel_mut(0);
        samples.copy_within(..samples.len() - 1, 1);
        let db = residual_db(&late, &expected, range);
        assert!(db > -90.0, "{name}: {db:.1} dB a frame late");
    }
}

#[test]
fn blocks_and_states_do_not_change_a_bit() {
    for (name, sound) in cases().filter(|(_, sound)| sound.audio.channels() == 2 && sound.rate != 48_000) {
        let text = text(name, 0.6);
        let (whole, frames) = (run(&text, &sound), sound.audio.frames());
        for blocks in [&[1usize][..], &[7], &[480], &[4096], &[1, 300, 2, 9000]] {
            assert!(in_blocks(&text, &sound, blocks, false) == whole, "{name} in blocks of {blocks:?}");
        }
        for at in [1, 500, frames / 2, frames - 1] {
            assert!(taken_up(&text, &sound, at) == whole, "{name} taken up at {at}");
        }
    }
}

#[test]
fn the_latency_is_the_declared_one_and_no_less_would_do() {
    for (name, sound) in cases() {
        let (rate, channels) = (sound.rate, sound.audio.channels());
        let model = describe(&path(name)).unwrap();
        let declared = renderer(&text(name, 0.6), &sound).latency_frames() as usize;
        let own = Flow::latency_frames(&model);
        if rate == model.facts.rate.hz() {
            assert_eq!(declared as u64, own, "{name}");
        } else {
            let codec_s = model.facts.rate.seconds_from_frames(own);
            let filters_s = declared as f64 / f64::from(rate) - codec_s;
            assert!((0.002..0.02).contains(&filters_s), "{name} at {rate}: {filters_s}");
        }
        // The process by itself is late by it.
        let mut late = process(&text(name, 0.6), rate, channels);
        let mut block = sound.audio.clone();
        late.process(&mut block).unwrap();
        let expected = resynthesised(name, 0.6, &sound);
        let range = known(name, rate, sound.audio.frames());
        let range = range.start..range.end.min(sound.audio.frames() - declared);
        assert!(block.channel(0)[..declared].iter().all(|sample| *sample == 0.0), "{name}");
        for (got, expected) in block.iter().zip(expected.iter()) {
            let got = &got[range.start + declared..range.end + declared];
            let worst = got.iter().zip(&expected[range.clone()]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 1e-6, "{name} at {rate}: {worst}");
        }
        // A frame of input more gives the next frame: with one less nothing is ready before the first code is complete.
        if rate == model.facts.rate.hz() {
            let mut early = process(&text(name, 0.6), rate, channels);
            let mut head = AudioBuffer::new(channels, 0);
            head.extend_from(&sound.audio, 0..declared);
            early.process(&mut head).unwrap();
            let mut next = AudioBuffer::new(channels, 0);
            next.extend_from(&sound.audio, declared..declared + 1);
            early.process(&mut next).unwrap();
            assert!(next.channel(0)[0] != 0.0, "{name}: the first frame is out as soon as it can be");
        }
    }
}

#[test]
fn a_jump_gives_what_the_whole_gives_where_a_model_forgets() {
    for (name, frames) in [("encodec_48khz", 200_000), ("dac_24khz", 260_000)] {
        let own = describe(&path(name)).unwrap().facts.rate.hz();
        for rate in [own, 44_100] {
            let (text, sound) = (text(name, 0.6), sound(rate, 1, frames));
            let whole = run(&text, &sound);
            for seeking in [Seeking::Exact, Seeking::Preroll] {
                let mut reader = rendered(&text, &sound, seeking);
                let mut part = AudioBuffer::default();
                for from in [frames - 20_000, 1000, frames / 2 + 77] {
                    reader.seek(from as u64).unwrap();
                    reader.read(&mut part, 5000).unwrap();
                    assert!(part.channel(0) == &whole.channel(0)[from..from + 5000], "{name} from {from}, {seeking:?}");
                }
            }
        }
    }
}

#[test]
fn a_causal_model_goes_on_from_a_jump_on_the_same_codes_grid() {
    // It never forgets altogether: what it gives after a jump is near to the whole, and exact after an exact one.
    let (text, sound) = (text("encodec_24khz", 0.6), sound(24_000, 1, 200_000));
    let whole = run(&text, &sound);
    let read = |seeking| {
        let mut reader = rendered(&text, &sound, seeking);
        let mut part = AudioBuffer::default();
        reader.seek(150_000).unwrap();
        reader.read(&mut part, 20_000).unwrap();
        part
    };
    let mut expected = AudioBuffer::new(1, 0);
    expected.extend_from(&whole, 150_000..170_000);
    assert!(read(Seeking::Exact) == expected);
    let db = residual_db(&read(Seeking::Preroll), &expected, 0..20_000);
    assert!(db < -20.0, "{db:.1} dB");
}

#[test]
fn the_bandwidth_turns_while_it_plays() {
    for (name, frames) in MODELS {
        let rate = describe(&path(name)).unwrap().facts.rate.hz();
        let sound = sound(rate, 2, frames);
        let [before, after] = [96.0, 0.1].map(|kbps| text(name, kbps));
        let at = frames / 2;
        let mut first = renderer(&before, &sound);
        let mut head = AudioBuffer::new(2, 0);
        head.extend_from(&sound.audio, 0..at);
        first.process(&mut head).unwrap();
        let mut second = renderer(&after, &sound);
        second.restore(&first.state()).unwrap_or_else(|error| panic!("{name} goes on: {error}"));
        let mut tail = AudioBuffer::new(2, 0);
        tail.extend_from(&sound.audio, at..frames);
        second.process(&mut tail).unwrap();
        let all = run(&after, &sound);
        let from = at.saturating_sub(second.latency_frames() as usize);
        if matches!(describe(&path(name)).unwrap().cutting, Cutting::Context { .. }) {
            // All that has not sounded is coded again at the new bandwidth.
            let late = tail.frames() - 100;
            assert!(tail.channel(0)[late..] == all.channel(0)[from + late..from + tail.frames()], "{name}");
        }
        let former = run(&before, &sound);
        assert!(former.channel(0)[frames - 2000..] != all.channel(0)[frames - 2000..], "{name}");
        let heard = |audio: &AudioBuffer| audio.channel(0)[from..][..tail.frames()].to_vec();
        assert!(tail.channel(0) != heard(&former), "{name}: the bandwidth was turned");
        let other = MODELS[(MODELS.iter().position(|(own, _)| *own == name).unwrap() + 1) % MODELS.len()].0;
        assert!(!renderer(&text(other, 0.6), &sound).adopt_state(&first.state()), "the state of another model");
    }
    let [one, other] = [share(&path("mimi")).unwrap(), share(&path("mimi")).unwrap()];
    assert!(std::ptr::addr_eq(one.model(), other.model()), "a model is in memory once");
}

#[test]
fn it_stands_behind_latency_within_parts_and_beside_the_dry_sound() {
    let codec = text("encodec_24khz", 0.6);
    let sound = sound(24_000, 1, 20_000);
    let alone = run(&codec, &sound);
    // Frames before the first one of the sound are not coded.
    let behind = run(&format!("limiter(-6 dB) | {codec}"), &sound);
    let limited = Sound::new(24_000, vec![run("limiter(-6 dB)", &sound).channel(0).to_vec()]);
    assert!(behind.channel(0)[..19_000] == run(&codec, &limited).channel(0)[..19_000]);
    let mixed = run(&format!("mix(50 %, {codec})"), &sound);
    for ((mixed, wet), dry) in mixed.channel(0).iter().zip(alone.channel(0)).zip(sound.audio.channel(0)) {
        assert!((mixed - 0.5 * (wet + dry)).abs() < 1e-6);
    }
    assert!(run(&format!("off({codec})"), &sound) == sound.audio);
    let part = run(&format!("during(200 ms, 500 ms, fade=0 s, {codec})"), &sound);
    assert!(part.channel(0)[..4800] == sound.audio.channel(0)[..4800]);
    assert!(part.channel(0)[12_000..] == sound.audio.channel(0)[12_000..]);
    // The codec begins with the part.
    let inner = Sound::new(24_000, vec![sound.audio.channel(0)[4800..].to_vec()]);
    assert!(part.channel(0)[4800..12_000] == run(&codec, &inner).channel(0)[..7200]);
}

#[test]
fn what_cannot_run_says_why_and_stays_in_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let weights = std::fs::read(path("mimi").join("model.safetensors")).unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for (model, said) in [
        (folder.path().join("none.safetensors"), "does not exist"),
        (folder.path().join("empty"), "config.json"),
        (file("text.pt", b"no weights"), "not a weight file"),
        (file("cut.safetensors", &weights[..weights.len() / 2]), "cut.safetensors"),
        (file("lies.safetensors", &[&u64::MAX.to_le_bytes()[..], &weights[8..]].concat()), "lies.safetensors"),
        (path("mimi").join("reference.safetensors"), "not those of EnCodec, DAC or Mimi"),
    ] {
        let text = format!("gain(-3 dB) | codec({:?}, 6 kbps)", model.to_str().unwrap());
        let chain = chain(&text);
        let message = chain.check(format_at(48_000, 2)).unwrap_err().to_string();
        assert!(message.contains(said), "{}: {message}", model.display());
        assert_eq!(chain.to_string(), text);
        assert_eq!(chain.files(), [FileDependency { path: model, content: None }]);
    }
    for (name, channels, said) in [("encodec_48khz", 3, "EnCodec"), ("dac_44khz", 9, "DAC")] {
        let message = chain(&text(name, 6.0)).check(format_at(48_000, channels)).unwrap_err().to_string();
        assert!(message.contains(said) && message.contains(&channels.to_string()), "{message}");
    }
    for wrong in ["codec()", "codec(\"m\", 0 kbps)", "codec(\"m\", 97 kbps)", "codec(\"m\", 6 dB)"] {
        assert!(wrong.parse::<effects::chain::Chain>().is_err(), "{wrong}");
    }
    // Without a file it changes nothing.
    let sound = sound(48_000, 2, 500);
    assert!(run("codec(\"\")", &sound) == sound.audio);
    assert!(chain(&text("mimi", 6.0)).files()[0].content.is_some());
}

#[test]
fn a_file_and_a_folder_are_the_same_model_and_a_changed_one_is_another() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("model.pth");
    std::fs::copy(path("dac_own.pth"), &copy).unwrap();
    let before = describe(&copy).unwrap();
    assert_eq!(before.identity, describe(&path("dac_own.pth")).unwrap().identity);
    std::fs::copy(path("encodec_24khz_own.th"), &copy).unwrap();
    let after = describe(&copy).unwrap();
    assert!(after.identity != before.identity && after.facts.kind != before.facts.kind);
    std::fs::remove_file(&copy).unwrap();
    assert!(describe(&copy).is_err() && share(&copy).is_err());
}
