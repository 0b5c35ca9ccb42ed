//! Waves run through chains.

use super::*;

#[test]
fn pieces_are_what_their_texts_say() {
    for (piece, text) in [
        (
            (highpass(80.0).order(4) | lowpass(12_000.0).design("bessel")),
            "highpass(80 Hz, order=4) | lowpass(12 kHz, design=bessel)",
        ),
        ((peaking(1000.0, 2.0, 3.0) + gain(-6.0).mix(0.4)), "peaking(1 kHz, q=2, gain=3 dB) + mix(40 %, gain(-6 dB))"),
        (normalize().to("lufs").target(-16.0), "normalize(-16 dB, to=lufs)"),
        (
            parametric_eq().low_gain(3.0).center2(400.0).gain2(-4.5),
            "parametric_eq(low_gain=3 dB, center2=400 Hz, gain2=-4.5 dB)",
        ),
        (compressor().threshold(-24.0).ratio(3.0).release(0.2), "compressor(-24 dB, 3, release=200 ms)"),
        (limiter().ceiling(-1.0).lookahead(0.003), "limiter(-1 dB, lookahead=3 ms)"),
        (delay("1/8d").bpm(96.0).feedback(0.5).mode("ping_pong"), "delay(1/8d, bpm=96, feedback=50 %, mode=ping_pong)"),
        (reverb().room(0.7).damping(0.2).effect_mix(0.25), "reverb(70 %, damping=20 %, mix=25 %)"),
        (fdn_reverb().decay(1.8).predelay(0.02), "fdn_reverb(1.8 s, predelay=20 ms)"),
        (tremolo().rate(6.0).shape("triangle"), "tremolo(6 Hz, shape=triangle)"),
        (saturate().drive(9.0).shape("tube"), "saturate(9 dB, tube)"),
        (trim_silence().threshold(-50.0).where_("end"), "trim_silence(-50 dB, where=end)"),
        (pitch_shift(-3.0).formants("keep"), "pitch_shift(-3, formants=keep)"),
        (denoise().from(0.5).to(1.5).reduction(12.0), "denoise(0.5 s, 1.5 s, reduction=12 dB)"),
    ] {
        assert_eq!(piece.chain().unwrap(), text.parse::<Chain>().unwrap(), "{text}");
    }
}

#[test]
fn a_wave_through_a_chain_is_what_the_chain_makes_of_it() {
    let wave = Wave::from_channels(48_000, vec![vec![0.25; 3000], vec![-0.5; 3000]]).unwrap();
    let out = (wave.clone() | (gain(6.0) + gain(0.0)) | normalize().target(0.0)).render().unwrap();
    assert_eq!(out.format(), wave.format());
    for (got, want) in out.audio.iter().zip([0.5, -1.0]) {
        assert!(got.iter().all(|sample| (sample - want).abs() < 1e-6), "{}", got[5]);
    }
    let slower = (wave.clone() | resample(24_000)).render().unwrap();
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
