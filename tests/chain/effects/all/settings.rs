//! A setting of each effect in which it does what it is there for, and how loud it may become.

use std::sync::LazyLock;

use tempfile::TempDir;

/// A chain of one effect; and the largest sample that may come out of signals within full scale, whatever its parameters
/// are and were before: what resonances, make-ups and gains at their most can give.
const SETTINGS: [(&str, f32); 60] = [
    ("lowpass(1 kHz, order=7, design=elliptic, ripple=0.5 dB, attenuation=60 dB)", 1e4),
    ("highpass(80 Hz, order=5, design=chebyshev1, ripple=1 dB)", 1e4),
    ("bandpass(300 Hz, 3 kHz, order=4)", 1e4),
    ("bandstop(900 Hz, 1100 Hz, order=3, design=bessel)", 1e4),
    ("rbj_lowpass(2 kHz, q=4)", 5e3),
    ("rbj_highpass(50 Hz, q=1)", 5e3),
    ("rbj_bandpass(1 kHz, q=5, peak=unity)", 5e3),
    ("notch(50 Hz, q=30)", 1e2),
    ("allpass(700 Hz, q=0.7)", 1e2),
    ("peaking(1 kHz, q=2, gain=6 dB)", 1e6),
    ("low_shelf(200 Hz, gain=-9 dB)", 1e6),
    ("high_shelf(3 kHz, gain=9 dB)", 1e6),
    ("gain(-6 dB)", 1001.0),
    ("normalize(-16 dB, to=lufs)", 1001.0),
    ("parametric_eq(low_gain=4 dB, gain2=-6 dB, gain4=5 dB, high_cutoff=3 kHz, high_gain=-3 dB)", 1e9),
    ("graphic_eq_10(b63=6 dB, b1k=-6 dB, b2k=3 dB)", 1e3),
    ("graphic_eq_31(b100=6 dB, b1k=-6 dB, b3_15k=4 dB)", 1e3),
    ("tilt(6 dB)", 1e3),
    ("comb(100 Hz, kind=feedback)", 1e3),
    ("dc_block(20 Hz)", 10.0),
    ("crossover(2, first=200 Hz, second=2 kHz, ways=3)", 1e3),
    ("filter_bank(3, bands=8, high=3.5 kHz)", 1e4),
    ("fir(lowpass, 1 kHz, taps=101)", 1e2),
    ("convolve({room})", 2e3),
    ("compressor(-30 dB, 4, makeup=6 dB, knee=6 dB)", 1e9),
    ("expander(-20 dB, 3)", 1.001),
    ("gate(-20 dB)", 1.001),
    ("limiter(-12 dB)", 1.0),
    ("de_esser(3 kHz, threshold=-40 dB)", 3.0),
    ("delay(20 ms, feedback=60 %)", 2e2),
    ("reverb(60 %)", 2e2),
    ("fdn_reverb(0.5 s)", 1e3),
    ("chorus(3 Hz)", 40.0),
    ("flanger(2 Hz, depth=4 ms, feedback=-60 %)", 2.0),
    ("phaser(4 Hz, high=3.5 kHz)", 8.0),
    ("swept_comb(2 Hz)", 1.001),
    ("tremolo(7 Hz)", 1.0),
    ("vibrato(4 Hz, 120)", 1.6),
    ("pan(-30 %)", 2.0),
    ("balance(25 %)", 1.0),
    ("width(150 %)", 4.001),
    ("mid_side", 2.001),
    ("mono(power, out=all)", 6.001),
    ("channel(2, out=all)", 1.0),
    ("swap", 1.0),
    ("invert", 1.0),
    ("fade_in(30 ms, s_curve)", 1.0),
    ("fade_out(30 ms, exponential)", 1.0),
    ("saturate(12 dB)", 40.0),
    ("bit_crush(6, rate=5 kHz, antialias=on)", 2.0),
    ("resample(32 kHz)", 2.0),
    ("trim_silence(-20 dB)", 1.0),
    ("time_stretch(140 %)", 4.0),
    ("pitch_shift(5)", 8.0),
    ("spectral_gain(20 ms, 80 ms, 500 Hz, 3 kHz, gain=-12 dB)", 40.0),
    ("spectral_isolate(20 ms, 80 ms, 500 Hz, 3 kHz)", 4.0),
    ("spectral_heal(40 ms, 60 ms, 500 Hz, 3 kHz)", 8.0),
    ("denoise(0 s, 100 ms)", 8.0),
    ("declick(12 dB)", 8.0),
    ("dehum(50 Hz)", 1e3),
];

/// One effect as these tests run it.
pub struct Setting {
    pub name: &'static str,
    pub text: String,
    pub bound: f32,
}

/// A decaying room in a file that stands as long as the program runs, and its path as the notation writes it.
static ROOM: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a setting");
    let path = folder.path().join("room.wav");
    let samples = (0..4000u32).map(|n| (-f64::from(n) / 900.0).exp() * (f64::from(n * n % 31) - 15.0) / 60.0);
    let data: Vec<u8> = samples.flat_map(|sample| (sample as f32).to_le_bytes()).collect();
    let mut file = Vec::new();
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + data.len() as u32).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    // Sixteen bytes: floating point, one channel, 48 kHz, 192000 bytes a second, four a frame, 32 bits.
    for word in [16, 3 | 1 << 16, 48_000, 192_000, 4 | 32 << 16] {
        file.extend_from_slice(&u32::to_le_bytes(word));
    }
    file.extend_from_slice(b"data");
    file.extend_from_slice(&(data.len() as u32).to_le_bytes());
    file.extend_from_slice(&data);
    std::fs::write(&path, file).expect("a setting");
    let words = format!("\"{}\"", path.to_str().expect("a setting"));
    (folder, words)
});

pub fn all() -> Vec<Setting> {
    let settings = SETTINGS.iter().map(|(text, bound)| {
        let name = text.split('(').next().expect("a setting");
        Setting { name, text: text.replace("{room}", &ROOM.1), bound: *bound }
    });
    settings.collect()
}

#[cfg(test)]
#[test]
fn every_effect_has_a_setting_and_none_is_left_over() {
    let names: Vec<&str> = all().iter().map(|setting| setting.name).collect();
    let known: Vec<&str> = undertone::effects::all().iter().map(|spec| spec.name).collect();
    assert_eq!(names, known);
}
