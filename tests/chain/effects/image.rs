//! Channel effects and fades, compared with their formulas.

use crate::support::{chain_runs as runs, effects_table as table};

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use audio::AudioFormat;
use base::units::SampleRate;
use runs::{Sound, assert_one_and_the_same, assert_robust, chain, in_blocks, noise, run};

fn constants(levels: &[f32]) -> Sound {
    Sound::new(48_000, levels.iter().map(|level| vec![*level; 10]).collect())
}

/// Returns the output levels for constant channels.
fn levels(text: &str, input: &[f32]) -> Vec<f64> {
    run(text, &constants(input)).iter().map(|samples| f64::from(samples[5])).collect()
}

/// The worst error per effect.
#[derive(Default)]
struct Seen(BTreeMap<String, (usize, f64)>);

impl Seen {
    fn add(&mut self, text: &str, error: f64) {
        // Only chains of a single effect are counted.
        if !text.contains('|') {
            let entry = self.0.entry(text.split('(').next().unwrap().to_owned()).or_insert((0, 0.0));
            *entry = (entry.0 + 1, entry.1.max(error));
        }
    }

    fn told(self) {
        for (effect, (cases, worst)) in self.0 {
            table::measured(&effect, "its formula", cases, worst, "FS");
        }
    }
}

fn assert_levels(seen: &mut Seen, text: &str, input: &[f32], expected: &[f64]) {
    let got = levels(text, input);
    assert_eq!(got.len(), expected.len(), "{text}");
    for (got, expected) in got.iter().zip(expected) {
        seen.add(text, (got - expected).abs());
        assert!((got - expected).abs() < 6e-8, "{text} of {input:?}: {got} for {expected}");
    }
}

fn refusal(text: &str, channels: usize) -> String {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), channels);
    chain(text).check(format).unwrap_err().to_string()
}

#[test]
fn pan_laws_are_exact() {
    let mut seen = Seen::default();
    for step in -20..=20 {
        let position = f64::from(step) / 20.0;
        let u = 0.5 + 0.5 * position;
        let sine = |u: f64| (u * FRAC_PI_2).sin();
        let laws: [(&str, &dyn Fn(f64) -> f64); 4] = [
            ("power", &sine),
            ("compromise", &|u: f64| (u * sine(u)).sqrt()),
            ("linear", &|u: f64| u),
            ("balance", &|u: f64| (2.0 * u).min(1.0)),
        ];
        for (law, g) in laws {
            let text = format!("pan({} %, law={law})", position * 100.0);
            assert_levels(&mut seen, &text, &[1.0], &[g(1.0 - u), g(u)]);
            let far = 1.0 - position.abs();
            let (stays, moves) = (g(far), g(1.0 - far));
            let expected =
                if position <= 0.0 { [0.5 + 0.25 * moves, 0.25 * stays] } else { [0.5 * stays, 0.25 + 0.5 * moves] };
            assert_levels(&mut seen, &text, &[0.5, 0.25], &expected);
        }
    }
    // The levels at the centre that the law is named after, and silence on the opposite side.
    for (law, db) in [("power", -3.0103), ("compromise", -4.5154), ("linear", -6.0206), ("balance", 0.0)] {
        let centre = levels(&format!("pan(0 %, law={law})"), &[1.0]);
        assert!((20.0 * centre[0].log10() - db).abs() < 1e-4 && centre[0] == centre[1], "{law}");
        assert_eq!(levels(&format!("pan(-100 %, law={law})"), &[1.0]), [1.0, 0.0]);
        assert_eq!(levels(&format!("pan(100 %, law={law})"), &[1.0]), [0.0, 1.0]);
        assert_eq!(levels(&format!("pan(0 %, law={law})"), &[0.5, 0.25]), [0.5, 0.25]);
    }
    assert_levels(&mut seen, "pan(-100 %)", &[0.5, 0.25, 0.125], &[0.75, 0.0, 0.125]);
    seen.told();
}

#[test]
fn balance_takes_one_side_back() {
    let mut seen = Seen::default();
    assert_levels(&mut seen, "balance(25 %)", &[1.0, 1.0], &[0.75, 1.0]);
    assert_levels(&mut seen, "balance(-25 %)", &[1.0, 1.0, 1.0], &[1.0, 0.75, 1.0]);
    assert_levels(&mut seen, "balance(25 %, curve=sine)", &[1.0, 1.0], &[(PI / 8.0).cos(), 1.0]);
    assert_levels(&mut seen, "balance(100 %, curve=sine)", &[1.0, 1.0], &[0.0, 1.0]);
    assert_levels(&mut seen, "balance(0 %)", &[1.0, 1.0], &[1.0, 1.0]);
    assert_levels(&mut seen, "balance(70 %)", &[1.0], &[1.0]);
    seen.told();
}

#[test]
fn width_and_mid_side() {
    let mut seen = Seen::default();
    assert_levels(&mut seen, "width(0 %)", &[0.5, 0.25], &[0.375, 0.375]);
    assert_levels(&mut seen, "width(200 %)", &[0.5, 0.25, 0.3], &[0.625, 0.125, f64::from(0.3f32)]);
    assert_levels(&mut seen, "width(100 %)", &[0.5, 0.25], &[0.5, 0.25]);
    assert_levels(&mut seen, "width(300 %)", &[0.5], &[0.5]);
    assert_levels(&mut seen, "mid_side(encode)", &[0.5, 0.25, 1.0], &[0.375, 0.125, 1.0]);
    assert_levels(&mut seen, "mid_side(decode)", &[0.375, 0.125], &[0.5, 0.25]);
    let root = 0.5f64.sqrt();
    assert_levels(&mut seen, "mid_side(encode, scale=power)", &[0.5, 0.25], &[0.75 * root, 0.25 * root]);
    assert!(refusal("mid_side", 1).contains("two channels or more"));
    let sound = noise(48_000, 2, 5000);
    for text in ["mid_side | mid_side(decode)", "mid_side(encode, scale=power) | mid_side(decode, scale=power)"] {
        let out = run(text, &sound);
        for (got, was) in out.iter().flatten().zip(sound.audio.iter().flatten()) {
            assert!((got - was).abs() < 1.3e-7, "{text}");
        }
    }
    // Width scales mid and side separately.
    let (a, b) =
        (run("width(150 %)", &sound), run("mid_side | invert(2) | mid_side(decode) | width(150 %) | swap", &sound));
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() < 3e-7);
    }
    seen.told();
}

#[test]
fn mono_channel_swap_and_invert() {
    let mut seen = Seen::default();
    assert_levels(&mut seen, "mono", &[0.5, 0.25, 0.75], &[0.5]);
    assert_levels(&mut seen, "mono(power)", &[0.5, 0.25], &[0.75 * 0.5f64.sqrt()]);
    assert_levels(&mut seen, "mono(sum, out=all)", &[0.5, 0.25], &[0.75, 0.75]);
    assert_levels(&mut seen, "mono", &[0.5], &[0.5]);
    assert_levels(&mut seen, "channel(2)", &[0.5, 0.25, 0.75], &[0.25]);
    assert_levels(&mut seen, "channel(3, out=all)", &[0.5, 0.25, 0.75], &[0.75, 0.75, 0.75]);
    assert_levels(&mut seen, "swap", &[0.5, 0.25, 0.75], &[0.25, 0.5, 0.75]);
    assert_levels(&mut seen, "swap(3, 1)", &[0.5, 0.25, 0.75], &[0.75, 0.25, 0.5]);
    assert_levels(&mut seen, "swap(2, 2)", &[0.5, 0.25], &[0.5, 0.25]);
    assert_levels(&mut seen, "invert", &[0.5, 0.25], &[-0.5, -0.25]);
    assert_levels(&mut seen, "invert(2)", &[0.5, 0.25], &[0.5, -0.25]);
    for (text, said) in [("channel(3)", "1 to 2"), ("swap(1, 5)", "1 to 2"), ("invert(3)", "1 to 2")] {
        assert!(refusal(text, 2).contains(said), "{}", refusal(text, 2));
    }
    assert!(refusal("swap", 1).contains("the only channel"));
    // Formats follow the effects: one channel becomes two again.
    assert_levels(&mut seen, "mono | pan(0 %, law=balance)", &[0.5, 0.25], &[0.375, 0.375]);
    assert_levels(&mut seen, "channel(1) | highpass(20 Hz) | pan(-100 %)", &[0.0, 0.25], &[0.0, 0.0]);
    seen.told();
}

#[test]
fn downmix_has_the_coefficients_of_bs_775() {
    let mut seen = Seen::default();
    let h = 0.5f64.sqrt();
    // Left, right, centre, low frequencies, left and right surround.
    let five = [0.25, 0.125, 0.0625, 0.5, 0.3125, 0.4375].map(|level: f32| level);
    let [l, r, c, low, ls, rs] = five.map(f64::from);
    let stereo = [l + h * c + h * ls, r + h * c + h * rs];
    assert_levels(&mut seen, "downmix", &five, &stereo);
    assert_levels(&mut seen, "downmix(stereo, lfe=on)", &five, &[stereo[0] + h * low, stereo[1] + h * low]);
    assert_levels(&mut seen, "downmix(mono)", &five, &[h * l + h * r + c + 0.5 * ls + 0.5 * rs]);
    assert_levels(&mut seen, "downmix(quad)", &five, &[l + h * c, r + h * c, ls, rs]);
    assert_levels(&mut seen, "downmix(front)", &five, &[l + h * ls, r + h * rs, c]);
    assert_levels(&mut seen, "downmix(five)", &five, &[l, r, c, ls, rs]);
    // The rear and the side channels of 7.1 are surrounds alike.
    let seven = [&five[..], &[0.0625, 0.03125]].concat();
    assert_levels(&mut seen, "downmix(five_one)", &seven, &[l, r, c, low, ls + 0.0625, rs + 0.03125]);
    for few in [&[0.5][..], &[0.5, 0.25]] {
        assert_levels(&mut seen, "downmix", few, &few.iter().map(|level| f64::from(*level)).collect::<Vec<_>>());
    }
    // A mix of a mix: the layout of the first is known to the second.
    assert_levels(&mut seen, "downmix(quad) | downmix", &five, &stereo);
    assert!(refusal("downmix", 9).contains("not known what loudspeakers"), "{}", refusal("downmix", 9));
    seen.told();
}

fn curve(name: &str, x: f64) -> f64 {
    let floor = 1e-3f64;
    let exponential = |x: f64| (floor.powf(1.0 - x) - floor) / (1.0 - floor);
    match name {
        "linear" => x,
        "equal_power" => (x * FRAC_PI_2).sin(),
        "exponential" => exponential(x),
        "s_curve" => 0.5 - 0.5 * (PI * x).cos(),
        _ => 1.0 - exponential(1.0 - x),
    }
}

const CURVES: [&str; 5] = ["linear", "equal_power", "exponential", "s_curve", "logarithmic"];

#[test]
fn fades_follow_their_curves_to_the_frame() {
    let ones = Sound::new(1000, vec![vec![1.0; 1000]]);
    let mut worst = 0.0f64;
    for name in CURVES {
        let up = run(&format!("fade_in(200 ms, curve={name}, start=100 ms)"), &ones);
        let down = run(&format!("fade_out(200 ms, curve={name}, before=100 ms)"), &ones);
        for n in 0..1000 {
            let x = ((n as f64 - 100.0) / 200.0).clamp(0.0, 1.0);
            let expected = curve(name, x);
            let error = (f64::from(up.channel(0)[n]) - expected).abs();
            worst = worst.max(error);
            assert!(error < 1e-7, "{name} in at {n}");
            assert_eq!(down.channel(0)[999 - n], up.channel(0)[n], "{name} is the same backwards");
        }
        assert_eq!(up.channel(0)[300], 1.0);
    }
    for effect in ["fade_in", "fade_out"] {
        table::measured(effect, "its formula", CURVES.len(), worst, "FS");
    }
    // In a crossfade, linear fades keep the sum and equal-power fades keep the power.
    let cross = |name: &str| {
        let [up, down] = ["in", "out"].map(|way| run(&format!("fade_{way}(999 ms, curve={name})"), &ones));
        up.channel(0).iter().zip(down.channel(0)).map(|(a, b)| (f64::from(*a), f64::from(*b))).collect::<Vec<_>>()
    };
    assert!(cross("linear").iter().all(|(a, b)| (a + b - 1.0).abs() < 1e-6));
    assert!(cross("equal_power").iter().all(|(a, b)| (a * a + b * b - 1.0).abs() < 1e-6));
    // A fade of length 0, and one longer than the signal.
    assert_eq!(run("fade_in(0 s) | fade_out(0 s)", &ones), ones.audio);
    let long = run("fade_out(2 s)", &ones);
    assert!((long.channel(0)[0] - 0.4995).abs() < 1e-6 && long.channel(0)[999] == 0.0);
}

#[test]
fn a_fade_knows_where_the_end_is_whatever_stands_before_it() {
    let ones = Sound::new(48_000, vec![vec![0.5; 48_000]; 2]);
    // After an effect with latency, at another rate, and after a shortened signal.
    let mut quiet = ones.clone();
    for channel in quiet.audio.iter_mut() {
        channel[..1000].fill(0.0);
        channel[40_001..].fill(0.0);
    }
    for (text, sound, frames) in [
        ("fade_out(100 ms)", &ones, 48_000),
        ("saturate(0 dB) | fade_out(100 ms)", &ones, 48_000),
        ("resample(44.1 kHz) | fade_out(100 ms)", &ones, 44_100),
        ("trim_silence | fade_out(100 ms)", &quiet, 39_001),
        ("saturate(0 dB) | resample(44.1 kHz) | saturate(0 dB) | fade_out(100 ms)", &ones, 44_100),
        ("resample(16 kHz) | trim_silence(padding=10 ms) | resample(48 kHz) | fade_out(100 ms)", &quiet, 0),
    ] {
        let out = run(text, sound);
        if frames > 0 {
            assert_eq!(out.frames(), frames, "{text}");
        }
        let samples = out.channel(1);
        let last = samples.len() - 1;
        let rate = if text.contains("44.1") { 44_100.0 } else { 48_000.0 };
        let without = run(&text.replace(" | fade_out(100 ms)", "").replace("fade_out(100 ms)", "gain(0 dB)"), sound);
        for back in [0usize, 1, 100, 2000, 4000, 5000, 9000] {
            let x = (back as f64 / (0.1 * rate)).min(1.0);
            let expected = f64::from(without.channel(1)[last - back]) * x;
            assert!((f64::from(samples[last - back]) - expected).abs() < 1e-6, "{text}: {back} before the end");
        }
    }
    // The tail comes after the end of the fade and is silent.
    let out = in_blocks("fade_out(100 ms)", &ones, &[4096], true);
    assert_eq!(out.frames(), 48_000);
}

#[test]
fn cuts_and_strange_signals_do_not_matter() {
    let sound = noise(48_000, 2, 20_000);
    for text in ["pan(-30 %)", "width(150 %)", "mono", "downmix", "swap", "mid_side", "invert(2) | balance(20 %)"] {
        assert_one_and_the_same(text, &sound);
        assert_robust(text, &[2, 6]);
    }
    for text in
        ["fade_in(100 ms, s_curve, start=20 ms)", "fade_out(100 ms, exponential, before=50 ms)", "mono(power, out=all)"]
    {
        assert_one_and_the_same(text, &sound);
        assert_robust(text, &[1, 2, 6]);
    }
    assert_one_and_the_same("saturate | fade_in(200 ms) | fade_out(200 ms)", &sound);
}
