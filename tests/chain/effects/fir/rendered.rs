//! FIR effects in chains: notation, latency compensation in branches, responses.

use audio::AudioBuffer;
use base::units::SampleRate;
use effects::chain::response::{chain_response, log_grid};
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};

use super::support::{format, noise, write_wav};

fn rendered(text: &str, input: &AudioBuffer, size: usize, tail: bool) -> AudioBuffer {
    let chain: Chain = text.parse().unwrap();
    let format = format(48_000, input.channels());
    let mut renderer = Renderer::new(&chain, format, &Placement::cpu(), &MeasuredMap::default()).unwrap();
    let mut out = AudioBuffer::new(input.channels(), 0);
    for start in (0..input.frames()).step_by(size) {
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(input, start..(start + size).min(input.frames()));
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
    }
    let rest = renderer.finish(tail).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}

#[test]
fn text_is_stable() {
    for (text, again) in [
        ("fir(lowpass, 2 kHz, 255)", "fir(cutoff=2 kHz, taps=255)"),
        ("fir(highpass, 2 kHz, 255, hann)", "fir(highpass, 2 kHz, 255, window=hann)"),
        ("fir(bandpass, low=300 Hz, high=3 kHz, taps=255)", "fir(bandpass, taps=255)"),
        ("fir(file=\"my taps.txt\")", "fir(file=\"my taps.txt\")"),
        (
            "convolve(\"room.wav\", normalize=energy, predelay=20 ms)",
            "convolve(\"room.wav\", normalize=energy, predelay=20 ms)",
        ),
        ("mix(30 %, convolve(\"\"))", "mix(30 %, convolve(\"\"))"),
    ] {
        let chain: Chain = text.parse().unwrap();
        assert_eq!(chain.to_string(), again);
        assert_eq!(again.parse::<Chain>().unwrap().to_string(), again);
    }
    let message = "convolve()".parse::<Chain>().unwrap_err().to_string();
    assert!(message.contains("needs a value for `file`"), "{message}");
}

#[test]
fn branches_meet_in_time() {
    let input = AudioBuffer::from_channels(vec![noise(1, 30_000), noise(2, 30_000)]);
    // A low-pass and its complementary high-pass sum to the input.
    let both = rendered("fir(lowpass, 2 kHz, 255) + fir(highpass, 2 kHz, 255)", &input, 4096, false);
    assert_eq!(both.frames(), input.frames());
    for (got, wanted) in both.channel(0).iter().zip(input.channel(0)) {
        // The windowed pair is normalised to 1 at 0 Hz and Nyquist, so the sum is only approximate.
        assert!((got - wanted).abs() < 3e-3, "{got} {wanted}");
    }
    let whole = rendered("mix(50 %, fir(lowpass, 2 kHz, 255))", &input, 30_000, false);
    let pieces = rendered("mix(50 %, fir(lowpass, 2 kHz, 255))", &input, 701, false);
    assert_eq!(whole, pieces);
}

#[test]
fn a_room_rings_on_where_its_tail_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    write_wav(&path, 48_000, &[vec![0.5; 5000]]);
    let text = format!("convolve({:?})", path.to_str().unwrap());
    let input = AudioBuffer::from_channels(vec![vec![1.0; 100]]);
    assert_eq!(rendered(&text, &input, 100, false).frames(), 100);
    let long = rendered(&text, &input, 100, true);
    assert_eq!(long.frames(), 100 + 4999);
    assert!((long.channel(0)[2000] - 50.0).abs() < 1e-3 && (long.channel(0)[5098] - 0.5).abs() < 1e-3);
}

#[test]
fn a_curve_is_that_of_the_taps() {
    let rate = SampleRate::new(48_000).unwrap();
    let curve = |text: &str| chain_response(&text.parse().unwrap(), rate, &log_grid(20.0, 24_000.0, 200)).unwrap();
    let fir = curve("fir(lowpass, 2 kHz, 255) | gain(6 dB)");
    let taps = fir.taps.as_ref().unwrap();
    assert_eq!((taps.len(), fir.taps_lag_frames, fir.sections.is_some()), (255, 127, false));
    let gain = 10f64.powf(0.3);
    assert!((taps.iter().sum::<f64>() - gain).abs() < 1e-9 && (fir.magnitude_db[0].unwrap() - 6.0).abs() < 0.01);
    assert!(fir.group_delay_frames.iter().flatten().all(|delay| delay.abs() < 1e-9) && fir.notes.is_empty());
    for (hz, db) in fir.frequency_hz.iter().zip(&fir.magnitude_db) {
        let w = 2.0 * std::f64::consts::PI * hz / 48_000.0;
        let sum = |turn: fn(f64) -> f64| taps.iter().enumerate().map(|(n, tap)| tap * turn(w * n as f64)).sum::<f64>();
        let wanted = sum(f64::cos).hypot(sum(f64::sin));
        assert!((10f64.powf(db.unwrap_or(-400.0) / 20.0) - wanted).abs() < 1e-9, "{hz} Hz");
    }
    // Two filters in series have the sum of their taps less one. A chain with a recursion has no taps.
    assert_eq!(curve("fir(taps=101) | fir(taps=51)").taps.unwrap().len(), 151);
    assert_eq!(curve("fir(taps=101) | highpass(80 Hz)").taps, None);
    assert_eq!(curve("highpass(80 Hz)").taps, None);
    // A filter and the dry signal add in phase, because the latency is compensated.
    let sum = curve("mix(50 %, fir(lowpass, 2 kHz, 255))");
    assert!((sum.magnitude_db[0].unwrap()).abs() < 0.01 && (sum.magnitude_db[199].unwrap() + 6.02).abs() < 0.05);
}
