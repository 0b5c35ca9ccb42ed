//! Responses of whole chains, and chains built in Rust.

use base::units::SampleRate;
use base::{Error, Result};
use effects::chain::operators::effect;
use effects::chain::response::{ResponseCurve, chain_response, log_grid, node_response};
use effects::chain::{Chain, NodeId};

fn rate() -> SampleRate {
    SampleRate::new(48_000).unwrap()
}

fn grid() -> Vec<f64> {
    log_grid(10.0, 23_990.0, 300)
}

fn curve(text: &str) -> ResponseCurve {
    chain_response(&text.parse().unwrap(), rate(), &grid()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the real and imaginary part at each frequency.
fn complex(curve: &ResponseCurve) -> Vec<(f64, f64)> {
    let both = curve.magnitude_db.iter().zip(&curve.phase_rad);
    both.map(|(db, phase)| {
        let gain = db.map_or(0.0, |db| 10f64.powf(db / 20.0));
        let phase = phase.unwrap_or(0.0);
        (gain * phase.cos(), gain * phase.sin())
    })
    .collect()
}

fn assert_near(left: &[(f64, f64)], right: &[(f64, f64)]) {
    assert_eq!(left.len(), right.len());
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let distance = (left.0 - right.0).hypot(left.1 - right.1);
        assert!(distance < 1e-10 * right.0.hypot(right.1).max(1.0), "{left:?} is not {right:?} at {index}");
    }
}

#[test]
fn an_empty_chain_passes_everything() {
    let flat = curve("");
    assert!(flat.magnitude_db.iter().all(|db| *db == Some(0.0)) && flat.phase_rad.iter().all(|rad| *rad == Some(0.0)));
    assert_eq!(flat.sections, Some(vec![[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]));
    assert!(flat.notes.is_empty());
}

#[test]
fn series_multiply_branches_add_and_mix_blends() {
    let (a, b) = (complex(&curve("peaking(1 kHz, q=2, gain=6 dB)")), complex(&curve("lowpass(3 kHz, order=5)")));
    let zip = |f: fn((f64, f64), (f64, f64)) -> (f64, f64)| -> Vec<(f64, f64)> {
        a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect()
    };
    let series = curve("peaking(1 kHz, q=2, gain=6 dB) | lowpass(3 kHz, order=5)");
    assert_near(&complex(&series), &zip(|a, b| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)));
    let sum = curve("peaking(1 kHz, q=2, gain=6 dB) + lowpass(3 kHz, order=5)");
    assert_near(&complex(&sum), &zip(|a, b| (a.0 + b.0, a.1 + b.1)));
    let mixed = curve("mix(25 %, lowpass(3 kHz, order=5))");
    assert_near(&complex(&mixed), &zip(|_, b| (0.25 * b.0 + 0.75, 0.25 * b.1)));
    let off = curve("off(lowpass(3 kHz, order=5)) | peaking(1 kHz, q=2, gain=6 dB)");
    assert_near(&complex(&off), &a);
    assert!(series.sections.is_some_and(|sections| sections.len() == 4));
    assert!(sum.sections.is_none() && mixed.sections.is_none());
}

#[test]
fn cancelling_branches_are_silent() {
    let silent = curve("(gain(0 dB) + allpass(1 kHz, q=0.7071)) | lowpass(2 kHz)");
    // At the centre frequency, the all-pass shifts the phase by 180 degrees.
    let at_center =
        chain_response(&"gain(0 dB) + allpass(1 kHz, q=0.7071)".parse().unwrap(), rate(), &[1000.0]).unwrap();
    assert!(at_center.magnitude_db[0].is_none_or(|db| db < -280.0));
    assert!(silent.magnitude_db.iter().all(Option::is_some));
}

#[test]
fn nothing_comes_out_at_a_zero() {
    let chain: Chain = "highpass(100 Hz, order=3)".parse().unwrap();
    let at_dc = chain_response(&chain, rate(), &[0.0, 24_000.0]).unwrap();
    assert_eq!((at_dc.magnitude_db[0], at_dc.phase_rad[0], at_dc.group_delay_frames[0]), (None, None, None));
    assert!(at_dc.magnitude_db[1].unwrap().abs() < 1e-9);
    let written = serde_json::to_value(&at_dc).unwrap();
    assert!(written["magnitude_db"][0].is_null() && written["rate"] == 48_000 && written["sections"][0].is_array());
}

#[test]
fn a_long_cascade_neither_vanishes_nor_overflows() {
    let far = chain_response(&["lowpass(1 Hz, order=24)"; 10].join(" | ").parse().unwrap(), rate(), &[100.0, 20_000.0])
        .unwrap();
    // 24 x 10 x 20 log10 of the ratio of the warped frequencies.
    let warped = |hz: f64| (std::f64::consts::PI * hz / 48_000.0).tan();
    for (index, hz) in [100.0, 20_000.0].into_iter().enumerate() {
        let expected = -4800.0 * (warped(hz) / warped(1.0)).log10();
        assert!((far.magnitude_db[index].unwrap() / expected - 1.0).abs() < 1e-9);
    }
    let loud = curve(&["gain(60 dB)"; 20].join(" | "));
    assert!((loud.magnitude_db[0].unwrap() - 1200.0).abs() < 1e-9);
}

/// Group delay is minus the slope of the phase, computed from differences on a fine grid.
#[test]
fn group_delay_is_the_slope_of_the_phase() {
    for text in [
        "bandpass(300 Hz, 3 kHz, order=8)",
        "highpass(80 Hz, order=7) | gain(-3 dB)",
        "peaking(1 kHz, q=2, gain=6 dB) + mix(30 %, lowpass(3 kHz, order=5))",
    ] {
        let hz: Vec<f64> = (1..40_000).map(|index| f64::from(index) * 0.5).collect();
        let curve = chain_response(&text.parse().unwrap(), rate(), &hz).unwrap();
        let phase: Vec<f64> = curve.phase_rad.iter().map(|phase| phase.unwrap()).collect();
        let step = std::f64::consts::TAU * 0.5 / 48_000.0;
        for index in 1..hz.len() - 1 {
            let slope = -(phase[index + 1] - phase[index - 1]) / (2.0 * step);
            let delay = curve.group_delay_frames[index].unwrap();
            assert!(
                (slope - delay).abs() < 1e-3 * delay.abs().max(30.0),
                "{text} at {} Hz: {slope} {delay}",
                hz[index]
            );
        }
    }
}

/// On a grid too coarse to follow the phase, the unwrapped phase equals that on a fine grid.
#[test]
fn phases_unwrap_on_coarse_grids() {
    for text in [
        "lowpass(1 kHz, order=24)",
        "bandpass(900 Hz, 1100 Hz, order=24)",
        "gain(-20 dB) + bandpass(900 Hz, 1100 Hz, order=12)",
        "mix(80 %, allpass(1 kHz, q=50) | allpass(1.2 kHz, q=50))",
    ] {
        let chain: Chain = text.parse().unwrap();
        let fine = log_grid(20.0, 20_000.0, 100_001);
        let coarse: Vec<f64> = fine.iter().copied().step_by(5000).collect();
        let fine = chain_response(&chain, rate(), &fine).unwrap();
        let coarse = chain_response(&chain, rate(), &coarse).unwrap();
        for (index, phase) in coarse.phase_rad.iter().enumerate() {
            let (found, expected) = (phase.unwrap(), fine.phase_rad[index * 5000].unwrap());
            assert!((found - expected).abs() < 1e-6, "{text}: {found} is not {expected} at {index}");
        }
    }
}

#[test]
fn the_phase_of_thousands_of_branches_unwraps_on_coarse_grids() {
    let branch = |place: u32| format!("peaking({} Hz, q={}, gain=9 dB)", 50 + 6 * place, 1 + place % 40);
    let chain: Chain = (0..3000).map(branch).collect::<Vec<_>>().join(" + ").parse().unwrap();
    let fine: Vec<f64> = (0..1000).map(|step| 20.0 + 20.0 * f64::from(step)).collect();
    let coarse: Vec<f64> = fine.iter().copied().step_by(37).collect();
    let phases = |grid: &[f64]| chain_response(&chain, rate(), grid).unwrap().phase_rad;
    let (fine, coarse) = (phases(&fine), phases(&coarse));
    let worst = fine.iter().step_by(37).zip(&coarse).map(|(a, b)| (a.unwrap() - b.unwrap()).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn sections_with_the_gain_folded_in_make_the_same_response() {
    let curve = curve("gain(-6 dB) | bandpass(300 Hz, 3 kHz, order=3) | gain(1 dB) | low_shelf(200 Hz, gain=3 dB)");
    let sections = curve.sections.as_ref().unwrap();
    assert_eq!(sections.len(), 4);
    let expected = complex(&curve);
    for (index, hz) in curve.frequency_hz.iter().enumerate() {
        let w = std::f64::consts::TAU * hz / 48_000.0;
        let at = |c: &[f64]| (c[0] + c[1] * w.cos() + c[2] * (2.0 * w).cos(), -c[1] * w.sin() - c[2] * (2.0 * w).sin());
        let magnitude = sections.iter().fold(1.0, |product, section| {
            let (b, a) = (at(&section[..3]), at(&section[3..]));
            product * b.0.hypot(b.1) / a.0.hypot(a.1)
        });
        assert!((magnitude - expected[index].0.hypot(expected[index].1)).abs() < 1e-7);
    }
}

#[test]
fn a_normalise_is_left_out_and_noted() {
    let curve = curve("highpass(80 Hz) | label(\"peak\", normalize)");
    assert_eq!(curve.notes.len(), 1);
    assert!(curve.notes[0].contains("peak"));
    assert_near(&complex(&curve), &complex(&self::curve("highpass(80 Hz)")));
}

#[test]
fn a_node_responds_by_itself_even_when_bypassed() {
    let chain: Chain = "gain(3 dB) | off(mix(50 %, lowpass(1 kHz)))".parse().unwrap();
    let alone = node_response(&chain, NodeId(2), rate(), &grid()).unwrap();
    assert_near(&complex(&alone), &complex(&curve("mix(50 %, lowpass(1 kHz))")));
    assert!(matches!(node_response(&chain, NodeId(9), rate(), &grid()), Err(Error::NotFound { .. })));
}

#[test]
fn frequencies_and_cutoffs_out_of_range_are_refused() {
    let ask = |text: &str, hz: &[f64]| chain_response(&text.parse().unwrap(), rate(), hz).map(|_| ());
    let said = |result: Result<()>| result.unwrap_err().to_string();
    assert!(said(ask("", &[24_001.0])).contains("0 Hz to 24 kHz"));
    assert!(said(ask("", &[-1.0])).contains("-1 Hz"));
    assert!(said(ask("", &[f64::NAN])).contains("NaN"));
    assert!(said(ask("", &[2.0, 1.0])).contains("ascending"));
    assert!(
        said(ask("lowpass(30 kHz)", &[1.0]))
            .contains("Low-pass: Cutoff must be below 24 kHz for this 48 kHz recording.")
    );
}

#[test]
fn the_grid_is_even_in_ratio() {
    let grid = log_grid(20.0, 20_000.0, 4);
    for (found, expected) in grid.iter().zip([20.0, 200.0, 2000.0, 20_000.0]) {
        assert!((found / expected - 1.0).abs() < 1e-12);
    }
    assert_eq!(grid[3], 20_000.0);
    assert_eq!(log_grid(20.0, 20_000.0, 1), [20_000.0]);
    assert!(log_grid(20.0, 20_000.0, 0).is_empty());
}

#[test]
fn operators_write_what_the_text_writes() {
    let gain = |db: f64| effect("gain").with("gain", db);
    for (piece, text) in [
        (gain(1.0) | gain(2.0) | gain(3.0), "gain(1) | gain(2) | gain(3)"),
        (gain(1.0) | (gain(2.0) | gain(3.0)), "gain(1) | (gain(2) | gain(3))"),
        ((gain(1.0) | gain(2.0)).group() | gain(3.0), "(gain(1) | gain(2)) | gain(3)"),
        ((gain(1.0) + gain(2.0)) | gain(3.0), "gain(1) + gain(2) | gain(3)"),
        (gain(1.0) + (gain(2.0) + gain(3.0)), "gain(1) + (gain(2) + gain(3))"),
        (gain(1.0) + gain(2.0) + gain(3.0), "gain(1) + gain(2) + gain(3)"),
        ((gain(1.0) | gain(2.0)).off() | gain(3.0), "off(gain(1) | gain(2)) | gain(3)"),
        ((gain(1.0) | gain(2.0)).group(), "(gain(1) | gain(2))"),
        (gain(1.0).off().off(), "off(off(gain(1)))"),
        (gain(1.0).label("low cut").mix(0.4), "label(\"low cut\", mix(40 %, gain(1)))"),
        (gain(1.0).with("gain", 4.0), "gain(4)"),
        (effect("highpass").with("cutoff", 440.0).with("order", 4), "highpass(A4, order=4)"),
    ] {
        assert_eq!(piece.chain().unwrap(), text.parse::<Chain>().unwrap(), "{text}");
    }
    for (piece, said) in [
        (effect("highpass").with("cutoff", 80.0).with("order", 25), "a whole number from 1 to 24"),
        (effect("highpass"), "Cutoff is missing"),
        (effect("hihgpass"), "did you mean `highpass`"),
        (gain(1.0).mix(2.0), "0 % to 100 %"),
        (gain(1.0).with("q", 2.0), "There is no parameter `q`"),
    ] {
        let message = piece.chain().unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn a_chain_is_checked_against_a_format() {
    let format = |hz| audio::AudioFormat::new(SampleRate::new(hz).unwrap(), 2);
    let chain: Chain =
        "gain(1) | off(label(\"air\", high_shelf(12 kHz, gain=3 dB)) + bandpass(300, 3400))".parse().unwrap();
    chain.check(format(48_000)).unwrap();
    let message = chain.check(format(22_050)).unwrap_err().to_string();
    assert!(
        message.contains("\u{201c}air\u{201d}: Cutoff must be below 11.025 kHz for this 22.05 kHz recording."),
        "{message}"
    );
    let message = chain.check(format(6_000)).unwrap_err().to_string();
    assert!(message.contains("below 3 kHz"), "{message}");
    Chain::default().check(format(1)).unwrap();
}
