//! Filters and equalisers of several sections, and the comb: compared with their definitions and with each other. Their
//! responses are compared with mpmath's in `tests/chain/filter_reference.rs`.

#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::signal;

use audio::{AudioBuffer, AudioFormat};
use base::units::SampleRate;
use effects::chain::response::{ResponseCurve, chain_response};
use effects::chain::{Chain, MeasuredMap, NodeId, Placement, Renderer, edit};
use effects::{self, Arguments, Process, Stage, Value};
use signal::{format, noise, residual_db, wide};

fn rate(hz: u32) -> SampleRate {
    SampleRate::new(hz).unwrap()
}

fn response(text: &str, hz: u32, frequency_hz: &[f64]) -> ResponseCurve {
    chain_response(&text.parse::<Chain>().unwrap_or_else(|e| panic!("{text}: {e}")), rate(hz), frequency_hz).unwrap()
}

fn magnitudes_db(text: &str, hz: u32, frequency_hz: &[f64]) -> Vec<f64> {
    let curve = response(text, hz, frequency_hz);
    curve.magnitude_db.iter().map(|db| db.unwrap_or(-1000.0)).collect()
}

fn db_at(text: &str, hz: u32, frequency_hz: f64) -> f64 {
    magnitudes_db(text, hz, &[frequency_hz])[0]
}

fn spots(low_hz: f64, high_hz: f64, count: usize) -> Vec<f64> {
    effects::chain::response::log_grid(low_hz, high_hz, count)
}

/// Returns the error with which a chain is refused at a sample rate.
fn refusal(text: &str, hz: u32) -> String {
    match text.parse::<Chain>() {
        Err(error) => error.to_string(),
        Ok(chain) => chain_response(&chain, rate(hz), &[1.0]).unwrap_err().to_string(),
    }
}

fn worst(found: &[f64], expected: impl Fn(usize) -> f64) -> f64 {
    found.iter().enumerate().map(|(index, found)| (found - expected(index)).abs()).fold(0.0, f64::max)
}

fn run(text: &str, audio: &AudioBuffer, blocks: &[usize]) -> AudioBuffer {
    let chain: Chain = text.parse().unwrap();
    let mut renderer =
        Renderer::new(&chain, format(audio.channels()), &Placement::cpu(), &MeasuredMap::default()).unwrap();
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    let mut at = 0;
    while at < audio.frames() {
        let end = audio.frames().min(at + sizes.next().unwrap());
        let mut block = AudioBuffer::new(audio.channels(), 0);
        block.extend_from(audio, at..end);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
    out
}

fn process(effect: &str, given: &[(&str, Value)], format: AudioFormat) -> Box<dyn Process> {
    let mut arguments = Arguments::default();
    given.iter().for_each(|(name, value)| arguments.set(name, value.clone()));
    match effects::find(effect).unwrap().make(&arguments).unwrap().stage(format, None).unwrap() {
        Stage::Process(process) => process,
        other => panic!("{other:?} is no process"),
    }
}

// Designs

#[test]
fn every_order_of_every_design_keeps_what_it_promises() {
    const CUTOFF: f64 = 1000.0;
    let pass: Vec<f64> = spots(5.0, CUTOFF, 1500);
    let beyond: Vec<f64> = spots(CUTOFF, 23_900.0, 1500);
    for order in 1..=24 {
        let at = |words: &str, frequencies: &[f64]| {
            magnitudes_db(&format!("lowpass({CUTOFF} Hz, order={order}, {words})"), 48_000, frequencies)
        };
        let within = |found: &[f64], low: f64, high: f64, what: &str| {
            let outside = found.iter().find(|db| !(low..=high).contains(*db));
            assert!(outside.is_none(), "{what} of order {order}: {outside:?} is not in {low}..{high}");
        };
        within(&at("design=chebyshev1, ripple=1 dB", &pass), -1.0 - 1e-9, 1e-9, "the pass band of chebyshev1");
        within(&at("design=chebyshev1, ripple=1 dB", &[CUTOFF]), -1.0 - 1e-9, -1.0 + 1e-9, "chebyshev1 at its cutoff");
        let two = at("design=chebyshev2, attenuation=60 dB", &beyond);
        within(&two, -1000.0, -60.0 + 1e-6, "the stop band of chebyshev2");
        within(&two[..1], -60.0 - 1e-6, -60.0 + 1e-6, "chebyshev2 at its cutoff");
        within(&at("design=bessel", &[CUTOFF]), -3.010_299_957, -3.010_299_956, "bessel at its cutoff");
        within(&at("design=elliptic", &pass), -0.1 - 1e-6, 1e-6, "the pass band of elliptic");
        if order % 2 == 0 {
            within(&at("design=linkwitz_riley", &[CUTOFF]), -6.020_599_914, -6.020_599_912, "linkwitz_riley");
        }
        if order > 2 {
            // Beyond the first frequency in the stop band, the response stays below the limit.
            let found = at("design=elliptic", &beyond);
            let down = found.iter().position(|&db| db <= -40.0 + 1e-6).unwrap();
            within(&found[down..], -1000.0, -40.0 + 1e-4, "the stop band of elliptic");
            let earlier = at("design=chebyshev2", &pass).iter().filter(|&&db| db > -3.0).count();
            assert!(earlier < pass.len() && down < beyond.len() / 2, "order {order}: {down}");
        }
    }
}

#[test]
fn a_bessel_filter_delays_all_that_passes_alike() {
    let curve = response("lowpass(100 Hz, order=8, design=bessel)", 192_000, &spots(1.0, 100.0, 50));
    let delays: Vec<f64> = curve.group_delay_frames.iter().map(|delay| delay.unwrap()).collect();
    assert!(worst(&delays, |_| delays[0]) < 0.002 * delays[0], "{delays:?}");
}

#[test]
fn what_a_design_has_no_use_for_is_refused() {
    for (text, said) in [
        (
            "lowpass(1 kHz, ripple=1 dB)",
            "Low-pass: Ripple must be left out, as it is used with design=chebyshev1 or design=elliptic",
        ),
        ("highpass(1 kHz, design=chebyshev2, ripple=1 dB)", "design=chebyshev1 or design=elliptic"),
        ("bandpass(1 kHz, 2 kHz, design=bessel, attenuation=60 dB)", "Band-pass: Attenuation must be left out"),
        ("bandstop(1 kHz, 2 kHz, design=chebyshev1, attenuation=60 dB)", "design=chebyshev2 or design=elliptic"),
        ("lowpass(1 kHz, order=3, design=linkwitz_riley)", "Low-pass: Order must be an even number"),
        ("lowpass(1 kHz, order=24, design=elliptic, ripple=3 dB, attenuation=10 dB)", "narrower than a billionth"),
        ("lowpass(1 kHz, design=chebyshev)", "chebyshev1"),
    ] {
        let message = refusal(text, 48_000);
        assert!(message.contains(said), "{text}: {message}");
    }
    // Default values are not printed.
    let written: Chain = "lowpass(1 kHz, ripple=0.1 dB, attenuation=40 dB)".parse().unwrap();
    assert_eq!(written.to_string(), "lowpass(1 kHz)");
}

#[test]
fn another_design_can_be_chosen_whatever_the_ripple_was() {
    let chain: Chain = "lowpass(1 kHz, order=5, design=elliptic, ripple=1 dB, attenuation=60 dB)".parse().unwrap();
    let chosen = |design: &str| edit::set_argument(&chain, chain.nodes[0].id, "design", design.into());
    for (design, text) in [
        ("bessel", "lowpass(1 kHz, order=5, design=bessel)"),
        ("chebyshev1", "lowpass(1 kHz, order=5, design=chebyshev1, ripple=1 dB)"),
        ("chebyshev2", "lowpass(1 kHz, order=5, design=chebyshev2, attenuation=60 dB)"),
    ] {
        assert_eq!(chosen(design).unwrap().to_string(), text);
    }
    assert!(chosen("thomson").is_err());
    let by_number = edit::set_argument(&chain, chain.nodes[0].id, "order", 2.5.into());
    assert!(by_number.is_err() && edit::set_argument(&chain, NodeId(99), "design", "bessel".into()).is_err());
}

// Equalisers

#[test]
fn a_parametric_equaliser_is_its_bands_one_after_the_other() {
    let one = "parametric_eq(low_cutoff=100 Hz, low_gain=4 dB, low_q=0.9, center2=300 Hz, gain2=-6 dB, q2=3, \
               center6=5 kHz, gain6=2 dB, q6=0.5, high_cutoff=9 kHz, high_gain=-3 dB, high_q=1.5)";
    let many = "low_shelf(100 Hz, gain=4 dB, q=0.9) | peaking(300 Hz, q=3, gain=-6 dB) | peaking(5 kHz, q=0.5, gain=2 dB) \
                | high_shelf(9 kHz, gain=-3 dB, q=1.5)";
    let frequencies = spots(10.0, 23_000.0, 300);
    let expected = magnitudes_db(many, 48_000, &frequencies);
    assert!(worst(&magnitudes_db(one, 48_000, &frequencies), |index| expected[index]) < 1e-9);
    assert!(worst(&magnitudes_db("parametric_eq", 48_000, &frequencies), |_| 0.0) < 1e-12);
    // Each parameter of each band has an effect.
    for parameter in effects::find("parametric_eq").unwrap().parameters {
        let base =
            "low_gain=3 dB, gain1=3 dB, gain2=3 dB, gain3=3 dB, gain4=3 dB, gain5=3 dB, gain6=3 dB, high_gain=3 dB";
        let name = parameter.name;
        let changed = if name.contains("gain") {
            base.replace(&format!("{name}=3 dB"), &format!("{name}=4 dB"))
        } else {
            let value = if name.starts_with('q') || name.ends_with("_q") { "2" } else { "555 Hz" };
            format!("{base}, {name}={value}")
        };
        let before = magnitudes_db(&format!("parametric_eq({base})"), 48_000, &frequencies);
        let after = magnitudes_db(&format!("parametric_eq({changed})"), 48_000, &frequencies);
        assert!(worst(&after, |index| before[index]) > 0.1, "{name} does nothing");
    }
    // At 8 kHz the upper bands are not possible, which matters only if they are used.
    magnitudes_db("parametric_eq(low_gain=3 dB)", 8_000, &[100.0]);
    assert!(refusal("parametric_eq(high_gain=3 dB)", 8_000).contains("High shelf must be below 4 kHz"));
    assert!(refusal("parametric_eq(center6=4 kHz)", 8_000).contains("Peak 6 must be below 4 kHz"));
}

/// Returns the names of an equaliser's bands and their frequencies.
fn graphic_bands(effect: &str) -> Vec<(&'static str, f64)> {
    let (first, step) = if effect.ends_with("31") { (-17, 1) } else { (-15, 3) };
    let names = effects::find(effect).unwrap().parameters.iter().map(|parameter| parameter.name);
    names.enumerate().map(|(i, name)| (name, 1000.0 * 10f64.powf(f64::from(first + step * i as i32) / 10.0))).collect()
}

#[test]
fn a_graphic_equaliser_gives_what_its_sliders_say() {
    let mut state = 12_345u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) * 2.0 - 1.0
    };
    for effect in ["graphic_eq_10", "graphic_eq_31"] {
        for hz in [16_000, 44_100, 48_000, 192_000] {
            let bands: Vec<_> = graphic_bands(effect).into_iter().filter(|band| band.1 < f64::from(hz) / 2.0).collect();
            let frequencies: Vec<f64> = bands.iter().map(|band| band.1).collect();
            for trial in 0..5 {
                let sign = |index: usize| if index.is_multiple_of(2) { 1.0 } else { -1.0 };
                let wanted: Vec<f64> = (0..bands.len())
                    .map(|index| match trial {
                        0 => 12.0,
                        1 => 12.0 * sign(index),
                        2 => 18.0 * sign(index),
                        _ => (180.0 * random()).round() / 10.0,
                    })
                    .collect();
                let words: Vec<String> =
                    bands.iter().zip(&wanted).map(|((name, _), gain)| format!("{name}={gain} dB")).collect();
                let text = format!("{effect}({})", words.join(", "));
                let off = worst(&magnitudes_db(&text, hz, &frequencies), |index| wanted[index]);
                assert!(off < 1e-6, "{off} dB off: {text}");
                if trial == 0 {
                    let between = spots(frequencies[0], frequencies[frequencies.len() - 1], 500);
                    let off = worst(&magnitudes_db(&text, hz, &between), |_| 12.0);
                    assert!(off < 0.9, "{effect} at {hz} Hz between the bands: {off} dB");
                }
            }
        }
        assert!(worst(&magnitudes_db(effect, 44_100, &spots(20.0, 20_000.0, 100)), |_| 0.0) < 1e-12);
        let (top, title) = if effect.ends_with("31") { ("b20k", "20 kHz") } else { ("b16k", "16 kHz") };
        assert!(refusal(&format!("{effect}({top}=1 dB)"), 16_000).contains(&format!("{title} must be 0 dB")));
    }
}

#[test]
fn a_tilt_turns_about_its_centre() {
    for gain in [-12.0, 6.0] {
        let shelf = format!("tilt({gain} dB, 1 kHz)");
        for (hz, expected) in [(1.0, -gain), (1000.0, 0.0), (95_000.0, gain)] {
            assert!((db_at(&shelf, 192_000, hz) - expected).abs() < 0.02, "{shelf} at {hz} Hz");
        }
        for (rate, center) in [(44_100, 1000.0), (48_000, 300.0), (96_000, 2000.0), (192_000, 1000.0)] {
            let line = format!("tilt({gain} dB, {center} Hz, shape=line)");
            let frequencies = spots(20.0, 20_000f64.min(0.45 * f64::from(rate)), 300);
            let off = worst(&magnitudes_db(&line, rate, &frequencies), |index| {
                gain / 5.0 * (frequencies[index] / center).log2()
            });
            assert!(off < 0.05 * gain.abs(), "{line} at {rate} Hz is {off} dB off");
        }
    }
    assert!(worst(&magnitudes_db("tilt(0 dB, shape=line)", 48_000, &spots(20.0, 20_000.0, 50)), |_| 0.0) < 1e-9);
    for low_rate in [1, 100, 8000] {
        let curve = response("tilt(6 dB, 0.2 Hz, shape=line)", low_rate, &[0.3]);
        assert!(curve.magnitude_db[0].unwrap().is_finite());
    }
}

// Splits

#[test]
fn the_bands_of_a_crossover_sum_to_an_all_pass() {
    let frequencies = spots(5.0, 23_900.0, 400);
    for order in [2, 4, 6, 8, 12, 24] {
        for ways in 2..=4 {
            let splits = ["first=150 Hz", "second=1.2 kHz", "third=6 kHz"][..ways - 1].join(", ");
            let band = |band: usize| format!("crossover({band}, {splits}, ways={ways}, order={order})");
            let sum: Vec<String> = (1..=ways).map(band).collect();
            let off = worst(&magnitudes_db(&sum.join(" + "), 48_000, &frequencies), |_| 0.0);
            assert!(off < 1e-8, "{ways} ways of order {order}: {off} dB");
            // Adjacent bands cross at -6 dB.
            for (place, hz) in [150.0, 1200.0, 6000.0][..ways - 1].iter().enumerate() {
                for side in [place + 1, place + 2] {
                    let off = db_at(&band(side), 48_000, *hz) + 6.0206;
                    assert!(
                        off.abs() < if order == 2 { 0.7 } else { 0.1 },
                        "band {side} of {ways}, order {order}: {off}"
                    );
                }
            }
        }
    }
    for (text, said) in [
        ("crossover(3, 200 Hz)", "Crossover: Band must be 1 to 2"),
        ("crossover(1, 200 Hz, order=3)", "Crossover: Order must be an even number"),
        ("crossover(1, 200 Hz, second=1 kHz)", "Crossover: Second must be left out with 2 ways"),
        ("crossover(1, 2 kHz, second=1 kHz, ways=3)", "Crossover: Second must be above First (2 kHz)"),
        ("crossover(1, 200 Hz, ways=4, third=30 kHz)", "Crossover: Third must be below 24 kHz"),
    ] {
        let message = refusal(text, 48_000);
        assert!(message.contains(said), "{text}: {message}");
    }
}

#[test]
fn what_a_crossover_takes_apart_comes_together_in_sound() {
    let audio = noise(2, 20_000);
    let split = run(
        "crossover(1, 300 Hz, second=3 kHz, ways=3) + crossover(2, 300 Hz, second=3 kHz, ways=3) + \
                     crossover(3, 300 Hz, second=3 kHz, ways=3)",
        &audio,
        &[4096],
    );
    // A fourth-order Linkwitz-Riley crossover sums to the all-pass of a second-order Butterworth filter.
    let allpass =
        run("allpass(300 Hz, q=0.70710678118654752) | allpass(3 kHz, q=0.70710678118654752)", &audio, &[4096]);
    for channel in 0..2 {
        let (db, _) = residual_db(split.channel(channel), &wide(allpass.channel(channel)), audio.channel(channel));
        assert!(db < -140.0, "{db:.1} dB");
    }
}

#[test]
fn the_bands_of_a_filter_bank_lie_side_by_side() {
    for (bands, order) in [(10, 4), (31, 3), (5, 8)] {
        let edge = |index: usize| 20.0 * 1000f64.powf(index as f64 / f64::from(bands));
        let band = |band: usize| format!("filter_bank({band}, bands={bands}, order={order})");
        for index in 0..bands as usize {
            for hz in [edge(index), edge(index + 1)] {
                assert!((db_at(&band(index + 1), 48_000, hz) + 3.0103).abs() < 1e-6, "{} at {hz}", band(index + 1));
            }
        }
        let frequencies = spots(25.0, 16_000.0, 200);
        let mut power = vec![0.0; frequencies.len()];
        for index in 1..=bands as usize {
            let found = magnitudes_db(&band(index), 48_000, &frequencies);
            power.iter_mut().zip(found).for_each(|(sum, db)| *sum += 10f64.powf(db / 10.0));
        }
        let off = power.iter().map(|power| (10.0 * power.log10()).abs()).fold(0.0, f64::max);
        println!("{bands} bands of order {order}: powers within {off:.3} dB");
        assert!(off < 0.7, "{bands} bands of order {order}: {off}");
    }
    assert!(refusal("filter_bank(11)", 48_000).contains("Filter bank: Band must be 1 to 10"));
    assert!(refusal("filter_bank(1)", 32_000).contains("Filter bank: High must be below 16 kHz"));
    assert!(refusal("filter_bank(1, low=2 kHz, high=1 kHz)", 48_000).contains("Low must be below High"));
}

#[test]
fn a_dc_blocker_takes_the_offset_and_leaves_the_rest() {
    let seconds = 2;
    let tone = |n: usize| (std::f64::consts::TAU * 440.0 * n as f64 / 48_000.0).sin() * 0.5;
    let audio = AudioBuffer::from_channels(vec![(0..seconds * 48_000).map(|n| (0.25 + tone(n)) as f32).collect()]);
    let out = run("dc_block", &audio, &[4096]);
    let last = &out.channel(0)[48_000..];
    let mean: f64 = last.iter().map(|&x| f64::from(x)).sum::<f64>() / last.len() as f64;
    assert!(mean.abs() < 1e-4, "{mean}");
    assert!(db_at("dc_block", 48_000, 440.0).abs() < 0.001 && db_at("dc_block", 48_000, 0.0) < -200.0);
    assert!((db_at("dc_block(20 Hz)", 48_000, 20.0) + 3.0103).abs() < 1e-4);
}

// The comb

const COMBS: [&str; 5] = [
    "comb(100 Hz)",
    "comb(441.7 Hz, -100 %)",
    "comb(50 Hz, 90 %, kind=feedback)",
    "comb(7013 Hz, -60 %, kind=feedback)",
    "comb(23.9 kHz, 50 %, kind=feedback)",
];

/// Returns the level of an impulse response at a frequency in dB.
fn measured(impulse: &[f32], hz: f64, rate: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (n, &x) in impulse.iter().enumerate() {
        let angle = std::f64::consts::TAU * hz * n as f64 / rate;
        re += f64::from(x) * angle.cos();
        im -= f64::from(x) * angle.sin();
    }
    10.0 * (re * re + im * im).log10()
}

#[test]
fn a_comb_sounds_as_its_response_says() {
    let mut impulse = AudioBuffer::new(1, 192_000);
    impulse.channel_mut(0)[0] = 1.0;
    let frequencies = [17.0, 100.0, 150.0, 441.7, 1000.0, 3333.3, 7013.0, 12_345.0, 23_000.0];
    for text in COMBS {
        let out = run(text, &impulse, &[4096]);
        let expected = magnitudes_db(text, 48_000, &frequencies);
        for (&hz, expected) in frequencies.iter().zip(expected) {
            let found = measured(out.channel(0), hz, 48_000.0);
            // Zeros are exact only within the precision of f32, so amplitudes are compared.
            let off = (10f64.powf(found / 20.0) - 10f64.powf(expected / 20.0)).abs();
            assert!(off < 1e-5, "{text} at {hz} Hz: {found} dB, not {expected}");
        }
    }
}

#[test]
fn teeth_stand_where_they_are_asked_for() {
    // The delay is 108.67 frames; whole frames would leave -36 dB at the tenth harmonic of 441.7 Hz.
    for harmonic in [1.0, 2.0, 5.0, 10.0] {
        assert!(db_at("comb(441.7 Hz, -100 %)", 48_000, 441.7 * harmonic) < -100.0, "harmonic {harmonic}");
    }
    assert!((db_at("comb(441.7 Hz, -100 %)", 48_000, 441.7 * 1.5) - 6.0206).abs() < 1e-3);
    assert!((db_at("comb(50 Hz, 90 %, kind=feedback)", 44_100, 1000.0) - 20.0).abs() < 1e-6);
    assert!(
        refusal("comb(100 Hz, 100 %, kind=feedback)", 48_000)
            .contains("Comb: Gain must be -99.9 % to 99.9 % with feedback")
    );
    assert!(refusal("comb(24 kHz)", 48_000).contains("Comb: Frequency must be below 24 kHz"));
}

#[test]
fn a_comb_is_the_same_however_the_stream_is_cut() {
    for channels in [1, 2, 6] {
        let audio = noise(channels, 9001);
        for text in COMBS {
            let whole = run(text, &audio, &[9001]);
            for blocks in [[1, 7, 64, 1000], [333, 2, 4096, 15]] {
                assert_eq!(run(text, &audio, &blocks), whole, "{text}");
            }
            let alone = AudioBuffer::from_channels(vec![audio.channel(channels - 1).to_vec()]);
            assert_eq!(run(text, &alone, &[4096]).channel(0), whole.channel(channels - 1), "{text}");
        }
    }
}

#[test]
fn a_comb_goes_on_from_its_state_and_from_no_other() {
    let audio = noise(2, 5000);
    let given: [(&str, Value); 3] = [("frequency", 441.7.into()), ("gain", 0.9.into()), ("kind", "feedback".into())];
    let mut first = process("comb", &given, format(2));
    let mut whole = audio.clone();
    first.process(&mut whole).unwrap();
    let mut first = process("comb", &given, format(2));
    let (mut before, mut after) = (AudioBuffer::new(2, 0), AudioBuffer::new(2, 0));
    before.extend_from(&audio, 0..1777);
    after.extend_from(&audio, 1777..5000);
    first.process(&mut before).unwrap();
    let mut second = process("comb", &given, format(2));
    second.restore(&first.state()).unwrap();
    assert!(second.seek(1777));
    second.process(&mut after).unwrap();
    assert_eq!(after.channel(1), &whole.channel(1)[1777..]);
    // A seek clears the state.
    assert!(!second.seek(0) && second.seek(0));
    let mut again = audio.clone();
    second.process(&mut again).unwrap();
    assert_eq!(again, whole);
    let mut other = process("comb", &[("frequency", 100.0.into())], format(2));
    assert!(other.restore(&first.state()).is_err() && other.restore(&[]).is_err());
}

#[test]
fn a_comb_survives_whatever_comes() {
    for text in COMBS {
        let silence = AudioBuffer::new(2, 3000);
        assert_eq!(run(text, &silence, &[4096]), silence, "{text}");
        let square = (0..48_000).map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let loud = run(text, &AudioBuffer::from_channels(vec![square]), &[4096]);
        assert!(loud.channel(0).iter().all(|x| x.abs() <= 10.001), "{text}");
        let denormal = AudioBuffer::from_channels(vec![vec![1e-40; 3000]]);
        assert!(run(text, &denormal, &[4096]).channel(0).iter().all(|x| x.abs() < 1e-38), "{text}");
        let one = run(text, &AudioBuffer::from_channels(vec![vec![0.5]]), &[1]);
        assert_eq!(one.channel(0), [0.5]);
    }
    // A `NaN` appears only in its place and channel.
    for kind in ["feedforward", "feedback"] {
        let given: [(&str, Value); 3] = [("frequency", 3000.7.into()), ("gain", 0.5.into()), ("kind", kind.into())];
        let mut audio = noise(2, 2000);
        let mut clean = audio.clone();
        process("comb", &given, format(2)).process(&mut clean).unwrap();
        audio.channel_mut(0)[1000] = f32::NAN;
        process("comb", &given, format(2)).process(&mut audio).unwrap();
        assert_eq!(audio.channel(1), clean.channel(1));
        assert_eq!(audio.channel(0)[..1000], clean.channel(0)[..1000]);
        assert!(audio.channel(0)[1000].is_nan() && audio.channel(0)[1001..].iter().all(|x| x.is_finite()), "{kind}");
    }
}

#[test]
fn a_comb_has_a_tail_and_a_memory() {
    let comb = |words: &str| {
        let chain: Chain = format!("comb({words})").parse().unwrap();
        effects::chain::Plan::new(&chain, format(1), &MeasuredMap::default()).unwrap()
    };
    let once = comb("100 Hz");
    assert!((480..600).contains(&once.tail_frames) && once.latency_frames == 0);
    let ringing = comb("100 Hz, 90 %, kind=feedback");
    // Decay to -80 dB: 88 rounds of 480 frames.
    assert!((41_900..42_100).contains(&ringing.memory_frames), "{}", ringing.memory_frames);
}

#[test]
fn a_comb_has_a_response_in_any_chain() {
    let alone = response("comb(1 kHz, 50 %)", 48_000, &[500.0, 1000.0]);
    assert!(alone.sections.is_none() && alone.notes.is_empty());
    // In a mix of 50 %, half of the delayed signal remains.
    let mixed = magnitudes_db("mix(50 %, comb(1 kHz, 50 %)) | gain(-6 dB)", 48_000, &[500.0, 1000.0]);
    assert!((mixed[0] - (20.0 * 0.75f64.log10() - 6.0)).abs() < 1e-9, "{mixed:?}");
    assert!((mixed[1] - (20.0 * 1.25f64.log10() - 6.0)).abs() < 1e-9, "{mixed:?}");
}
