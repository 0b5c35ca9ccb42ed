//! Tests verdicts on hand-made spectra of converters, encoders, filters and quiet rooms.

use proptest::prelude::*;

use super::*;

const RATE: f64 = 44_100.0;
const BINS: usize = 8193;

/// Generates a spectrum whose level in dB is a function of frequency, with the ripple of averaged noise.
fn drawn(rate: f64, level_db: impl Fn(f64) -> f64) -> (Vec<f64>, f64) {
    let hz_per_bin = rate / 2.0 / (BINS - 1) as f64;
    let mut state = 88_172_645_463_325_252u64;
    let power = (0..BINS).map(|bin| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let ripple = (state >> 40) as f64 / (1u64 << 24) as f64 * 2.0 - 1.0;
        10f64.powf((level_db(bin as f64 * hz_per_bin) + ripple) / 10.0)
    });
    (power.collect(), hz_per_bin)
}

/// A spectrum of music that falls by `per_octave` dB per octave above 100 Hz, over a floor.
fn music(per_octave: f64, floor_db: f64) -> impl Fn(f64) -> f64 {
    move |hz| (-40.0 - per_octave * (hz / 100.0).max(1.0).log2()).max(floor_db)
}

/// Applies a cut at a frequency, with a transition of the given width, down to a floor.
fn cut(level: impl Fn(f64) -> f64, at: f64, width: f64, floor_db: f64) -> impl Fn(f64) -> f64 {
    move |hz| {
        let beyond = ((hz - at) / width).clamp(0.0, 1.0);
        let inside = level(hz);
        inside + beyond * (floor_db - inside).min(0.0)
    }
}

fn measured(rate: f64, level_db: impl Fn(f64) -> f64) -> Option<Bandwidth> {
    let (power, hz_per_bin) = drawn(rate, level_db);
    bandwidth(&power, hz_per_bin)
}

fn judged(rate: f64, level_db: impl Fn(f64) -> f64) -> Verdict {
    verdict(measured(rate, level_db).as_ref())
}

#[test]
fn cuts_are_found_where_they_are() {
    for at in [8_000.0, 11_000.0, 15_000.0, 16_000.0, 17_000.0, 18_600.0, 19_400.0, 20_000.0] {
        for per_octave in [3.0, 6.0, 9.0] {
            let found = measured(RATE, cut(music(per_octave, -112.0), at, 300.0, -128.0)).unwrap();
            let cliff = found.cliff.unwrap_or_else(|| panic!("{at} Hz at {per_octave} dB an octave: {found:?}"));
            assert!((cliff.hz - at).abs() <= 300.0, "{at}: {cliff:?}");
            assert!(cliff.width_hz <= 500.0 && found.hz == cliff.hz);
            let verdict = verdict(Some(&found));
            assert_eq!(verdict.origin, Origin::LikelyTranscoded, "{at}: {verdict:?}");
            assert!(verdict.confidence > 0.4 && !verdict.reasons.is_empty());
        }
    }
    assert!(
        judged(RATE, cut(music(6.0, -120.0), 15_100.0, 300.0, -128.0)).reasons.iter().any(|r| r.contains("FM radio"))
    );
    assert!(judged(RATE, cut(music(6.0, -120.0), 17_000.0, 300.0, -128.0)).reasons.iter().any(|r| r.contains("MP3")));
}

#[test]
fn what_converters_leave_is_genuine() {
    for (rate, end) in
        [(44_100.0, 21_000.0), (44_100.0, 20_700.0), (48_000.0, 22_500.0), (48_000.0, 21_600.0), (96_000.0, 45_000.0)]
    {
        for per_octave in [3.0, 6.0] {
            let verdict = judged(rate, cut(music(per_octave, -110.0), end, 700.0, -128.0));
            assert_eq!(verdict.origin, Origin::Genuine, "{rate} to {end}: {verdict:?}");
        }
    }
    // Hiss up to the top, with no visible floor.
    let found = measured(RATE, |_| -90.0).unwrap();
    assert_eq!((found.hz, found.floor_db, found.cliff), (22_050.0, None, None));
    assert_eq!(judged(RATE, |_| -90.0).origin, Origin::Genuine);
}

#[test]
fn a_high_rate_that_is_filled_to_half_a_lower_one_is_upsampled() {
    for (rate, end, said) in
        [(96_000.0, 21_300.0, "44.1 kHz"), (192_000.0, 21_500.0, "44.1 kHz"), (96_000.0, 23_400.0, "48 kHz")]
    {
        let verdict = judged(rate, cut(music(6.0, -112.0), end, 500.0, -140.0));
        assert_eq!(verdict.origin, Origin::LikelyUpsampled, "{verdict:?}");
        assert!(verdict.reasons[0].contains(said), "{verdict:?}");
    }
    // For a file made from a lossy file at 44.1 kHz, the verdict is lossy coding, not upsampling.
    assert_eq!(judged(96_000.0, cut(music(6.0, -112.0), 16_000.0, 300.0, -140.0)).origin, Origin::LikelyTranscoded);
}

#[test]
fn what_is_dark_quiet_silent_or_of_a_low_rate_cannot_be_told() {
    let cases: [(&str, f64, Box<dyn Fn(f64) -> f64>); 5] = [
        ("dark", RATE, Box::new(music(14.0, -128.0))),
        ("very dark", RATE, Box::new(|hz: f64| (-30.0 - 40.0 * (hz / 2000.0).max(1.0).log2()).max(-128.0))),
        ("quiet", RATE, Box::new(|hz: f64| (-100.0 - 5.0 * (hz / 100.0).max(1.0).log2()).max(-128.0))),
        ("low rate", 22_050.0, Box::new(music(3.0, -128.0))),
        ("telephone", 8_000.0, Box::new(music(3.0, -128.0))),
    ];
    for (name, rate, level) in cases {
        let verdict = judged(rate, level);
        assert_eq!((verdict.origin, verdict.confidence), (Origin::CannotTell, 0.0), "{name}: {verdict:?}");
        assert_eq!(verdict.reasons.len(), 1);
    }
    assert_eq!(measured(RATE, |_| -150.0), None);
    assert_eq!(verdict(None).origin, Origin::CannotTell);
}

#[test]
fn natural_falls_whistles_and_hollows_are_no_cliffs() {
    for per_octave in [0.0, 6.0, 12.0, 24.0, 36.0] {
        let found = measured(RATE, music(per_octave, -128.0)).unwrap();
        assert_eq!(found.cliff, None, "{per_octave}: {found:?}");
    }
    // A television's line whistle does not extend dark music.
    let whistle = |hz: f64| if (15_600.0..15_660.0).contains(&hz) { -60.0 } else { music(14.0, -128.0)(hz) };
    assert!(measured(RATE, whistle).unwrap().hz < 12_000.0);
    // Birdsong ends steeply, but other sound continues above it.
    let song = |hz: f64| {
        if hz < 7800.0 {
            -45.0
        } else if hz < 10_000.0 {
            -75.0
        } else {
            -75.0 - (hz - 10_000.0) / 150.0
        }
    };
    assert_eq!(measured(RATE, |hz| song(hz).max(-128.0)).unwrap().cliff, None);
    // A gap with sound above it comes from an equaliser.
    let hollow = |hz: f64| if (12_000.0..14_000.0).contains(&hz) { -120.0 } else { music(4.0, -128.0)(hz) };
    assert_eq!(measured(RATE, hollow).unwrap().cliff, None);
}

#[test]
fn bandwidth_is_where_sound_meets_the_floor() {
    // 12 dB per octave from -40 dB at 100 Hz reaches -118 dB, 10 dB above the floor, after 6.5 octaves.
    let found = measured(RATE, music(12.0, -128.0)).unwrap();
    assert!((found.hz - 100.0 * 2f64.powf(6.5)).abs() < 700.0, "{found:?}");
    assert!((found.floor_db.unwrap() + 128.0).abs() < 1.0);
}

#[test]
fn nonsense_is_refused() {
    for (power, hz_per_bin) in [
        (vec![], 10.0),
        (vec![1.0], 10.0),
        (vec![1.0; 8], 10.0),
        (vec![f64::NAN; 8193], 3.0),
        (vec![-1.0; 8193], 3.0),
        (vec![1.0; 8193], 0.0),
        (vec![1.0; 8193], f64::NAN),
        (vec![1.0; 8193], 1000.0),
    ] {
        assert_eq!(bandwidth(&power, hz_per_bin), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_spectrum_has_a_bounded_answer(
        levels in proptest::collection::vec(-220.0..20.0f64, 16..400),
        rate in 8_000.0..200_000.0f64,
    ) {
        let hz_per_bin = rate / 2.0 / 8192.0;
        let power: Vec<f64> = (0..8193).map(|bin| 10f64.powf(levels[bin * (levels.len() - 1) / 8192] / 10.0)).collect();
        let found = bandwidth(&power, hz_per_bin);
        if let Some(found) = found {
            prop_assert!(found.hz > 0.0 && found.hz <= found.nyquist_hz * 1.000_001);
        }
        let verdict = verdict(found.as_ref());
        prop_assert!((0.0..=1.0).contains(&verdict.confidence) && !verdict.reasons.is_empty());
    }
}

fn copy(codec: &str, is_lossless: bool, end_hz: f64, bit_rate: u64) -> Copy {
    let bandwidth = measured(RATE, cut(music(6.0, -112.0), end_hz, 300.0, -128.0));
    Copy {
        codec: codec.to_owned(),
        is_lossless,
        duration_s: 200.0,
        channels: 2,
        bits: is_lossless.then_some(16),
        bit_rate: Some(bit_rate),
        bytes: Some(bit_rate * 25),
        bandwidth,
        verdict: is_lossless.then(|| verdict(bandwidth.as_ref())),
    }
}

fn order(copies: &[Copy]) -> Vec<usize> {
    ranked(copies).iter().map(|ranked| ranked.copy).collect()
}

#[test]
fn the_best_copy_goes_by_sound_not_by_name() {
    let fake = copy("FLAC", true, 16_000.0, 800_000);
    let mp3_128 = copy("MP3", false, 16_000.0, 128_000);
    let mp3_320 = copy("MP3", false, 20_100.0, 320_000);
    let genuine = copy("FLAC", true, 21_200.0, 900_000);
    let copies = [fake.clone(), mp3_128.clone(), mp3_320.clone(), genuine.clone()];
    let found = ranked(&copies);
    assert_eq!(found.iter().map(|ranked| ranked.copy).collect::<Vec<_>>(), [3, 2, 1, 0], "{found:#?}");
    assert!(found[0].reasons.iter().any(|reason| reason.contains("without a trace")));
    assert!(found[3].reasons.iter().any(|reason| reason.contains("likely made from a lossy file")), "{found:#?}");
    assert!(found[3].reasons.iter().any(|reason| reason.contains("only up to 16.")), "{found:#?}");
    // An incomplete copy ranks below a complete lossy one, mono below stereo, 16 bits below 24.
    let short = Copy { duration_s: 150.0, ..genuine.clone() };
    assert_eq!(order(&[short.clone(), mp3_128.clone()]), [1, 0]);
    assert!(ranked(&[short, mp3_128])[1].reasons[0].contains("50 s shorter"));
    let mono = Copy { channels: 1, ..genuine.clone() };
    assert_eq!(order(&[mono, mp3_320]), [1, 0]);
    let deep = Copy { bits: Some(24), ..genuine.clone() };
    assert_eq!(order(&[genuine.clone(), deep]), [1, 0]);
    let small = Copy { bytes: Some(1), ..genuine.clone() };
    let same = ranked(&[genuine.clone(), small]);
    assert_eq!((same[0].copy, same[1].reasons[0].as_str()), (1, "sounds as good, in a larger file"));
    assert!(ranked(&[]).is_empty());
    assert_eq!(order(&[genuine.clone(), genuine]), [0, 1]);
}
