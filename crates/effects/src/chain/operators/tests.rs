//! Waves run through chains.

use super::*;

fn gain(db: f64) -> ChainBuilder {
    effect("gain").with("gain", db)
}

#[test]
fn pieces_are_what_their_texts_say() {
    let of = |name: &str, arguments: &[(&str, Value)]| {
        arguments.iter().fold(effect(name), |piece, (name, value)| piece.with(name, value.clone()))
    };
    for (piece, text) in [
        (
            of("highpass", &[("cutoff", 80.0.into()), ("order", 4.into())])
                | of("lowpass", &[("cutoff", 12_000.0.into()), ("design", "bessel".into())]),
            "highpass(80 Hz, order=4) | lowpass(12 kHz, design=bessel)",
        ),
        (
            of("peaking", &[("center", 1000.0.into()), ("q", 2.0.into()), ("gain", 3.0.into())])
                + of("gain", &[("gain", (-6.0).into())]).mix(0.4),
            "peaking(1 kHz, q=2, gain=3 dB) + mix(40 %, gain(-6 dB))",
        ),
        (
            of("delay", &[("time", "1/8d".into()), ("bpm", 96.0.into()), ("mode", "ping_pong".into())]),
            "delay(1/8d, bpm=96, mode=ping_pong)",
        ),
        (of("reverb", &[("room", 0.7.into()), ("mix", 0.25.into())]), "reverb(70 %, mix=25 %)"),
        (of("limiter", &[("ceiling", (-1.0).into()), ("lookahead", 0.003.into())]), "limiter(-1 dB, lookahead=3 ms)"),
        (of("trim_silence", &[("where", "end".into())]), "trim_silence(where=end)"),
    ] {
        assert_eq!(piece.chain().unwrap(), text.parse::<Chain>().unwrap(), "{text}");
    }
}

#[test]
fn a_wave_through_a_chain_is_what_the_chain_makes_of_it() {
    let wave = Wave::from_channels(48_000, vec![vec![0.25; 3000], vec![-0.5; 3000]]).unwrap();
    let out = (wave.clone() | (gain(6.0) + gain(0.0)) | effect("normalize").with("target", 0.0)).render().unwrap();
    assert_eq!(out.format(), wave.format());
    for (got, want) in out.audio.iter().zip([0.5, -1.0]) {
        assert!(got.iter().all(|sample| (sample - want).abs() < 1e-6), "{}", got[5]);
    }
    let slower = (wave.clone() | effect("resample").with("rate", 24_000.0)).render().unwrap();
    assert_eq!((slower.rate.hz(), slower.audio.frames()), (24_000, 1500));
    let message = (wave | gain(999.0)).render().unwrap_err().to_string();
    assert!(message.starts_with("Gain: Gain must be"), "{message}");
}

#[test]
fn a_wave_is_saved_and_opened_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.wav");
    let wave = Wave::from_channels(44_100, vec![(0..999).map(|n| (n as f32 * 0.01).sin()).collect()]).unwrap();
    wave.save(&path).unwrap();
    assert_eq!(Wave::open(&path).unwrap(), wave);
    assert!(wave.save(&path).is_err(), "what stands there is left alone");
}
