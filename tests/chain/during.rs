//! Chains that act on a part of the recording: exact outside it, and the same as by themselves inside, for any block
//! sizes, seeks and devices.

#[allow(dead_code, reason = "shared with the tests of effects")]
use crate::support::{chain_runs as runs, lone_gpu, signal};

use audio::{AudioBuffer, AudioFormat};
use base::Error;
use base::units::SampleRate;
use dsp::device::RunPurpose;
use effects::chain::{Chain, MeasuredMap, Node, NodeId, NodeKind, Placement, Plan, Renderer, TimeSpan, edit};
use effects::{Arguments, find};
use runs::{Sound, assert_one_and_the_same, assert_robust, chain, db, noise, run};

const RATE: u32 = 48_000;

fn equal(got: &AudioBuffer, wanted: &AudioBuffer, range: std::ops::Range<usize>) -> bool {
    got.iter().zip(wanted.iter()).all(|(got, wanted)| got[range.clone()] == wanted[range.clone()])
}

/// Returns the level of the difference within a range, in dB of full scale.
fn difference_db(got: &AudioBuffer, wanted: &AudioBuffer, range: std::ops::Range<usize>) -> f64 {
    let pairs = got.iter().zip(wanted.iter());
    let most = pairs
        .flat_map(|(got, wanted)| range.clone().map(|frame| (f64::from(got[frame]) - f64::from(wanted[frame])).abs()));
    db(most.fold(1e-12, f64::max))
}

#[test]
fn outside_every_sample_stays_and_inside_the_chain_is_heard() {
    let sound = noise(RATE, 2, 96_000);
    for inner in ["gain(-6 dB)", "highpass(80 Hz) | gain(-3 dB)", "lowpass(2 kHz, order=8)", "compressor(-30 dB)"] {
        let text = format!("during(500 ms, 1.5 s, {inner})");
        let (out, whole) = (run(&text, &sound), run(inner, &sound));
        assert_eq!(out.frames(), 96_000);
        assert!(equal(&out, &sound.audio, 0..24_000) && equal(&out, &sound.audio, 72_000..96_000), "{text}");
        // 10 ms of cross-fade at either end.
        let off = difference_db(&out, &whole, 24_480..71_520);
        assert!(off < -100.0, "{text}: {off} dB");
        assert!(difference_db(&out, &whole, 24_000..24_480) > -60.0, "{text} has no fade");
        assert!(difference_db(&out, &sound.audio, 71_000..71_520) > -60.0, "{text} does nothing");
    }
}

#[test]
fn fades_are_linear_and_none_is_at_the_beginning_of_the_recording() {
    let sound = Sound::new(RATE, vec![vec![1.0; 48_000]]);
    let out = run("during(250 ms, 500 ms, fade=100 ms, gain(-120 dB))", &sound);
    let samples = out.channel(0);
    for (frame, wanted) in [(11_999, 1.0), (14_400, 0.5), (16_800, 0.0), (19_199, 0.0), (21_600, 0.5), (24_000, 1.0)] {
        assert!((f64::from(samples[frame]) - wanted).abs() < 2e-4, "{frame}: {}", samples[frame]);
    }
    assert!(samples[12_000..16_800].windows(2).all(|pair| pair[1] < pair[0]));
    // A fade longer than half of the part takes half of it.
    let short = run("during(250 ms, 300 ms, fade=1 s, gain(-120 dB))", &sound);
    assert!((f64::from(short.channel(0)[13_200]) - 0.0).abs() < 1e-3);
    let begins = run("during(0 s, 500 ms, fade=100 ms, gain(-120 dB))", &sound);
    assert!(begins.channel(0)[..19_000].iter().all(|sample| sample.abs() < 1e-5));
    let plain = run("during(250 ms, 500 ms, fade=0 s, gain(-120 dB))", &sound);
    assert_eq!([11_999, 24_000].map(|frame| plain.channel(0)[frame]), [1.0, 1.0]);
    assert!(plain.channel(0)[12_000..24_000].iter().all(|sample| sample.abs() < 1e-5));
}

#[test]
fn a_part_is_a_recording_of_its_own() {
    // A full-scale click outside the part, which a normaliser of the whole would follow.
    let mut samples = runs::tone(RATE, 440.0, 0.1, 96_000);
    samples[90_000] = 1.0;
    let sound = Sound::new(RATE, vec![samples.clone()]);
    let out = run("during(500 ms, 1.5 s, fade=0 s, normalize(-6 dB))", &sound);
    let part = &out.channel(0)[24_000..72_000];
    let peak = part.iter().fold(0.0f32, |most, sample| most.max(sample.abs()));
    assert!((db(f64::from(peak)) + 6.0).abs() < 0.01, "{peak}");

    // Fades count from the beginning and the end of the part.
    let one = Sound::new(RATE, vec![vec![1.0; 96_000]]);
    let alone = Sound::new(RATE, vec![vec![1.0; 48_000]]);
    for fade in ["fade_in(800 ms)", "fade_out(800 ms)"] {
        let within = run(&format!("during(500 ms, 1.5 s, fade=0 s, {fade})"), &one);
        let wanted = run(fade, &alone);
        assert_eq!(&within.channel(0)[24_000..72_000], wanted.channel(0), "{fade}");
    }
    // A measurement after another effect of the part is of that effect's output.
    let both = run("during(500 ms, 1.5 s, fade=0 s, gain(20 dB) | normalize(-6 dB))", &sound);
    assert!(difference_db(&both, &out, 24_000..72_000) < -110.0);
}

#[test]
fn latency_is_made_up_for_inside_and_outside() {
    let sound = noise(RATE, 2, 60_000);
    for text in [
        "during(500 ms, 1 s, fade=0 s, fir(lowpass, 5 kHz, taps=301))",
        "fir(lowpass, 20 kHz, taps=101) | during(500 ms, 1 s, fade=0 s, fir(lowpass, 5 kHz, taps=301) | gain(-1 dB))",
        "mix(50 %, during(500 ms, 1 s, fade=0 s, fir(lowpass, 5 kHz, taps=301)))",
    ] {
        let plain = text.replace("during(500 ms, 1 s, fade=0 s, ", "(");
        let dry = text.split_once("during").map_or("", |(before, _)| before.trim_end_matches(['|', ' ']));
        let outside = if dry.starts_with("fir(") { run(dry, &sound) } else { sound.audio.clone() };
        let (out, whole) = (run(text, &sound), run(&plain, &sound));
        assert!(difference_db(&out, &outside, 1000..23_000) < -130.0, "{text}: before");
        assert!(difference_db(&out, &outside, 48_000..58_000) < -130.0, "{text}: after");
        let off = difference_db(&out, &whole, 24_000..48_000);
        assert!(off < -100.0, "{text}: {off} dB");
    }
}

#[test]
fn blocks_states_and_seeks_do_not_matter() {
    let sound = noise(RATE, 2, 20_000);
    for text in [
        "during(100 ms, 250 ms, highpass(80 Hz) | gain(-3 dB))",
        "during(0 s, 200 ms, fade=5 ms, limiter(-20 dB) | fir(lowpass, 3 kHz, taps=101))",
        "gain(-1 dB) | during(100 ms, 200 ms, lowpass(1 kHz)) | during(150 ms, 300 ms, tremolo) | limiter(-12 dB)",
        "mix(30 %, during(100 ms, 350 ms, (lowpass(1 kHz) + highpass(3 kHz)))) + during(50 ms, 9 s, gain(-20 dB))",
        "during(100 ms, 300 ms, normalize(-1 dB) | fade_out(50 ms))",
    ] {
        assert_one_and_the_same(text, &sound);
    }
    assert_robust("during(5 ms, 15 ms, limiter(-6 dB) | highpass(100 Hz))", &[1, 2, 6]);
}

#[test]
fn a_part_costs_nothing_elsewhere() {
    let format = AudioFormat::new(SampleRate::new(RATE).unwrap(), 1);
    let plan = Plan::new(&chain("during(100 s, 101 s, lowpass(1 kHz))"), format, &MeasuredMap::default()).unwrap();
    let running = |seconds: u64| (0..plan.ops.len()).filter(|&op| plan.schedule.runs(op, seconds * 48_000)).count();
    assert_eq!((running(50), running(102)), (0, 0));
    assert!(running(100) > 0);
}

#[test]
fn the_gpu_gives_what_the_cpu_gives() {
    let Some(gpu) = lone_gpu::gpu() else { return };
    let input = signal::noise(2, 60_000);
    for text in [
        "during(300 ms, 900 ms, highpass(80 Hz) | gain(-3 dB))",
        "lowpass(15 kHz) | during(0 s, 500 ms, lowpass(1 kHz) + fir(lowpass, 3 kHz, taps=301)) | gain(-1 dB)",
        "during(100 ms, 700 ms, limiter(-12 dB) | lowpass(4 kHz))",
    ] {
        let chain: Chain = text.parse().unwrap();
        let render = |placement: &Placement| {
            let format = signal::format(2);
            let mut renderer = Renderer::new(&chain, format, placement, &MeasuredMap::default()).unwrap();
            let mut out = AudioBuffer::new(2, 0);
            for at in (0..60_000).step_by(15_000) {
                let mut block = AudioBuffer::new(2, 0);
                block.extend_from(&input, at..at + 15_000);
                renderer.process(&mut block).unwrap();
                out.extend_from(&block, 0..block.frames());
            }
            let rest = renderer.finish(false).unwrap();
            out.extend_from(&rest, 0..rest.frames());
            (out, renderer.report().used)
        };
        let (on_gpu, used) = render(&gpu.placement("gpu", RunPurpose::Export));
        assert_eq!(used, "gpu:0", "{text}");
        let (on_cpu, _) = render(&Placement::cpu());
        let off = difference_db(&on_gpu, &on_cpu, 0..60_000);
        assert!(off < -110.0, "{text}: {off} dB");
    }
}

#[test]
fn what_does_not_fit_a_part_is_refused_with_the_reason() {
    let format = AudioFormat::new(SampleRate::new(RATE).unwrap(), 2);
    for (text, reason) in [
        ("during(1 s, 2 s, time_stretch(150 %))", "cannot act on a part"),
        ("during(1 s, 2 s, resample(96 kHz))", "cannot act on a part"),
        ("during(1 s, 2 s, mono)", "cannot act on a part"),
        ("time_stretch(150 %) | during(1 s, 2 s, gain(1 dB))", "cannot stand behind"),
        ("during(1 s, 5 s, gain(1 dB) | during(2 s, 3 s, gain(1 dB)))", "another part"),
    ] {
        let chain: Chain = text.parse().unwrap();
        let refused = Plan::new(&chain, format, &MeasuredMap::default()).unwrap_err().to_string();
        assert!(refused.contains(reason), "{text}: {refused}");
    }
    for (text, reason) in [
        ("during(2 s, 1 s, gain(1 dB))", "before its end"),
        ("during(-1 s, 1 s, gain(1 dB))", "before its end"),
        ("during(1 s, 2 s, fade=11 s, gain(1 dB))", "10 s"),
        ("during(1 s, gain(1 dB))", "needs a time"),
        ("during(1 kg, 2 s, gain(1 dB))", "unit of time"),
        ("during(1 s, 2 s)", "Expected an effect"),
        ("during", "needs two times"),
    ] {
        let refused = text.parse::<Chain>().unwrap_err().to_string();
        assert!(refused.contains(reason), "{text}: {refused}");
    }
}

fn text_of(edited: Result<(Chain, NodeId), Error>) -> String {
    edited.unwrap().0.to_string()
}

#[test]
fn effects_are_put_on_a_part_and_taken_off_it() {
    let start = chain("gain(1 dB) | gain(2 dB) | gain(3 dB)");
    let span = TimeSpan::new(1.5, 3.0);
    let one = edit::act_during(&start, &[NodeId(2)], span).unwrap();
    assert_eq!(one.0.to_string(), "gain(1 dB) | during(1.5 s, 3 s, gain(2 dB)) | gain(3 dB)");
    assert_eq!(edit::part_around(&one.0, NodeId(2)).map(|part| part.id), Some(one.1));
    let two = edit::act_during(&start, &[NodeId(3), NodeId(1)], TimeSpan { fade_s: 0.0, ..span });
    assert_eq!(text_of(two), "during(1.5 s, 3 s, fade=0 s, gain(1 dB) | gain(3 dB)) | gain(2 dB)");
    // Acting on a part alone gives it the new times; among several nodes, the part is dissolved.
    let moved = edit::act_during(&one.0, &[one.1], TimeSpan::new(4.0, 5.0));
    assert_eq!(text_of(moved), "gain(1 dB) | during(4 s, 5 s, gain(2 dB)) | gain(3 dB)");
    let among = edit::act_during(&one.0, &[NodeId(1), one.1], TimeSpan::new(4.0, 5.0));
    assert_eq!(text_of(among), "during(4 s, 5 s, gain(1 dB) | gain(2 dB)) | gain(3 dB)");
    let off = edit::ungroup(&one.0, one.1).unwrap();
    assert!(off.is_like(&start));
    for (nodes, span, reason) in [
        (vec![NodeId(2)], span, "already"),
        (vec![], span, "at least one"),
        (vec![NodeId(9)], span, "no longer exists"),
        (vec![NodeId(1)], TimeSpan::new(2.0, 2.0), "before its end"),
    ] {
        let refused = edit::act_during(&one.0, &nodes, span).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let repair = chain("spectral_heal(1 s, 1.5 s, 100 Hz, 1 kHz)");
    assert!(edit::act_during(&repair, &[NodeId(1)], span).unwrap_err().to_string().contains("times of its own"));
    // Emptied, a part goes.
    assert_eq!(edit::remove(&one.0, NodeId(2)).unwrap().to_string(), "gain(1 dB) | gain(3 dB)");
}

#[test]
fn times_of_effects_count_from_the_part_that_they_move_into() {
    let start = chain("denoise(from=2 s, to=2.5 s) | fade_in(4 s) | normalize(-3 dB, from=500 ms, until=1 s)");
    let ids: Vec<NodeId> = start.walk().map(|node| node.id).collect();
    let (inside, part) = edit::act_during(&start, &ids, TimeSpan::new(1.5, 3.0)).unwrap();
    let find_in = |chain: &Chain, effect: &str| -> Arguments {
        let is = |node: &&Node| matches!(&node.kind, NodeKind::Effect { effect: own, .. } if own == effect);
        let NodeKind::Effect { arguments, .. } = chain.walk().find(is).unwrap().kind.clone() else { unreachable!() };
        arguments
    };
    let noise = find_in(&inside, "denoise");
    assert_eq!((noise.number("from"), noise.number("to")), (Some(0.5), Some(1.0)));
    assert_eq!(find_in(&inside, "fade_in").number("duration"), Some(1.5));
    // The span that it was set to is outside the part.
    let initial = |name: &str| find("normalize").unwrap().parameter(name).unwrap().initial_value();
    let level = find_in(&inside, "normalize");
    assert_eq!(level.get("from").cloned(), initial("from"));
    assert_eq!(level.get("until").cloned(), initial("until"));
    // The same for a node that is moved out and in again.
    let denoise = ids[0];
    let alone = edit::move_node(&inside, denoise, None, 0).unwrap();
    assert_eq!(find_in(&alone, "denoise").number("from"), Some(2.0));
    let back = edit::move_node(&alone, denoise, Some(part), 0).unwrap();
    assert!(back.is_like(&inside), "{back}");
    let outside = edit::ungroup(&inside, part).unwrap();
    let noise = find_in(&outside, "denoise");
    assert_eq!((noise.number("from"), noise.number("to")), (Some(2.0), Some(2.5)));
}

#[test]
fn parts_move_with_the_sound_they_belong_to() {
    let rate = SampleRate::new(RATE).unwrap();
    let start = chain("during(2 s, 3 s, gain(1 dB)) | during(4 s, 5.01 s, normalize(-3 dB, from=500 ms, until=1 s))");
    let seconds = |seconds: u64| seconds * 48_000;
    // One second is deleted at the start.
    let cut = |range: std::ops::Range<u64>| Some(range.start - seconds(1)..range.end - seconds(1));
    let moved = edit::moved(&start, rate, (seconds(5), seconds(4)), cut).unwrap();
    // The second reaches beyond the end, so that it does not fade there, and keeps doing so.
    let wanted = "during(1 s, 2 s, gain(1 dB)) | during(3 s, 4.01 s, normalize(-3 dB, from=500 ms, until=1 s))";
    assert_eq!(moved.to_string(), wanted);
    let gone = edit::moved(&start, rate, (seconds(5), seconds(4)), |range| (range.start > seconds(3)).then_some(range));
    assert!(!gone.unwrap().to_string().contains("gain"));
}
