//! Test data for the cascade: filters that are difficult for various reasons, signals, and an oracle in double-double
//! arithmetic.

use dsp::design::{
    Band, Section, Svf, Warped, butterworth_bandpass, butterworth_bandstop, butterworth_highpass, butterworth_lowpass,
    cookbook_peaking,
};

use super::double_double::DoubleDouble;

/// A filter whose result must be within the tolerance.
pub struct Filter {
    pub name: String,
    pub rate_hz: f64,
    /// A frequency at which the filter is most demanding.
    pub near_hz: f64,
    pub sections: Vec<Section>,
}

fn filter(name: &str, rate_hz: f64, near_hz: f64, sections: Vec<Section>) -> Filter {
    Filter { name: name.to_owned(), rate_hz, near_hz, sections }
}

fn warped(hz: f64, rate_hz: f64) -> Warped {
    Warped::new(hz, rate_hz).unwrap()
}

fn band(low_hz: f64, high_hz: f64, rate_hz: f64) -> Band {
    Band::new(low_hz, high_hz, rate_hz).unwrap()
}

/// The filters for which the tolerance is guaranteed, on the CPU and on a GPU.
pub fn promised() -> Vec<Filter> {
    vec![
        filter("Butterworth 8 low-pass 1 kHz", 48e3, 1000.0, butterworth_lowpass(8, warped(1000.0, 48e3))),
        filter("Butterworth 8 low-pass 20 Hz", 48e3, 20.0, butterworth_lowpass(8, warped(20.0, 48e3))),
        filter("Butterworth 8 low-pass 20 Hz at 192 kHz", 192e3, 20.0, butterworth_lowpass(8, warped(20.0, 192e3))),
        filter("Butterworth 4 high-pass 5 Hz at 192 kHz", 192e3, 5.0, butterworth_highpass(4, warped(5.0, 192e3))),
        filter("Butterworth 2 high-pass 0.5 Hz", 48e3, 0.5, butterworth_highpass(2, warped(0.5, 48e3))),
        filter("elliptic band-pass 50-60 Hz", 48e3, 55.0, elliptic_bandpass()),
        filter("peaking 1 kHz Q 100", 48e3, 1000.0, vec![cookbook_peaking(warped(1000.0, 48e3), 100.0, 12.0)]),
        filter("K-weighting", 48e3, 40.0, k_weighting()),
    ]
}

/// Low-passes, high-passes, band-passes and band-stops of orders 1, 2, 3, 12 and 24.
pub fn orders() -> Vec<Filter> {
    let rate = 48e3;
    let mut filters = Vec::new();
    for order in [1, 2, 3, 12, 24] {
        let mut add = |kind: &str, near_hz, sections| {
            filters.push(filter(&format!("Butterworth {order} {kind}"), rate, near_hz, sections));
        };
        add("low-pass 300 Hz", 300.0, butterworth_lowpass(order, warped(300.0, rate)));
        add("high-pass 300 Hz", 300.0, butterworth_highpass(order, warped(300.0, rate)));
        add("low-pass 20 kHz", 20e3, butterworth_lowpass(order, warped(20e3, rate)));
        add("band-pass 200-5000 Hz", 5000.0, butterworth_bandpass(order, band(200.0, 5000.0, rate)));
        add("band-pass 900-1100 Hz", 1000.0, butterworth_bandpass(order, band(900.0, 1100.0, rate)));
        add("band-pass 500-2000 Hz", 1000.0, butterworth_bandpass(order, band(500.0, 2000.0, rate)));
        add("band-stop 200-5000 Hz", 5000.0, butterworth_bandstop(order, band(200.0, 5000.0, rate)));
    }
    filters
}

/// Cascades that f32 cannot represent accurately: resonances at the end, where earlier sections have made the signal
/// small.
pub fn refused() -> Vec<Filter> {
    let piled = |low_hz, high_hz| {
        let mut sections = butterworth_bandpass(24, band(low_hz, high_hz, 48e3));
        sections.sort_by(|a, b| b.svf.k.total_cmp(&a.svf.k));
        sections
    };
    vec![
        filter("Butterworth 24 band-pass 900-1100 Hz, piled up", 48e3, 1000.0, piled(900.0, 1100.0)),
        filter("Butterworth 24 band-pass 500-2000 Hz, piled up", 48e3, 1000.0, piled(500.0, 2000.0)),
    ]
}

fn elliptic_bandpass() -> Vec<Section> {
    let text = include_str!("../reference/elliptic_sections.json");
    let reference: serde_json::Value = serde_json::from_str(text).unwrap();
    let sections = reference["sections"].as_array().unwrap();
    sections.iter().map(|section| of_svf(serde_json::from_value(section.clone()).unwrap())).collect()
}

/// ITU-R BS.1770-5, annex 1, tables 1 and 2: the coefficients for 48 kHz.
fn k_weighting() -> Vec<Section> {
    let shelf = (
        [1.535_124_859_586_97, -2.691_696_189_406_38, 1.198_392_810_852_85],
        [-1.690_659_293_182_41, 0.732_480_774_215_85],
    );
    let high_pass = ([1.0, -2.0, 1.0], [-1.990_047_454_833_98, 0.990_072_250_366_21]);
    [shelf, high_pass].map(|(b, [a1, a2])| Section::from_coefficients(b, [1.0, a1, a2]).unwrap()).into()
}

/// Creates a section for use in state-variable form only.
pub fn of_svf(svf: Svf) -> Section {
    Section { b: [0.0; 3], a: [1.0, 0.0, 0.0], svf }
}

/// White noise in -1..1.
pub fn noise(seed: u32, frames: usize) -> Vec<f32> {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..frames)
        .map(|_| {
            // xorshift64 (Marsaglia, 2003)
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// Noise, a sine at the filter's most demanding frequency, and a step.
pub fn signals(filter: &Filter, frames: usize) -> [(&'static str, Vec<f32>); 3] {
    let w = std::f64::consts::TAU * filter.near_hz / filter.rate_hz;
    let sine = (0..frames).map(|n| (0.5 * (w * n as f64).sin()) as f32).collect();
    [("noise", noise(7, frames)), ("sine", sine), ("step", vec![0.75; frames])]
}

/// Returns the cascade's output with about 106 bits, from the definition of [`Svf`].
pub fn oracle(sections: &[Section], input: &[f32]) -> Vec<DoubleDouble> {
    let mut output: Vec<DoubleDouble> = input.iter().map(|&x| f64::from(x).into()).collect();
    for section in sections {
        let g = DoubleDouble::from(section.svf.g);
        let a1 = DoubleDouble::from(1.0) / (DoubleDouble::from(1.0) + g * (g + section.svf.k.into()));
        let m = section.svf.m.map(DoubleDouble::from);
        let (mut s1, mut s2) = (DoubleDouble::from(0.0), DoubleDouble::from(0.0));
        for x in &mut output {
            let v1 = a1 * (s1 + g * (*x - s2));
            let v2 = s2 + g * v1;
            s1 = v1 + v1 - s1;
            s2 = v2 + v2 - s2;
            *x = m[0] * *x + m[1] * v1 + m[2] * v2;
        }
    }
    output
}

/// Returns the residual's RMS in dB relative to max(rms in, rms out), and the worst index. `NaN` counts as the worst.
pub fn residual_db(input: &[f32], expected: &[DoubleDouble], got: impl IntoIterator<Item = f64>) -> (f64, usize) {
    let (mut residual, mut output, mut count) = (0.0, 0.0, 0);
    let mut worst = (0.0, 0);
    for (n, (&expected, got)) in expected.iter().zip(got).enumerate() {
        let error = (DoubleDouble::from(got) - expected).value();
        if error.is_nan() {
            return (f64::INFINITY, n);
        }
        residual += error * error;
        output += expected.value().powi(2);
        if error.abs() > worst.0 {
            worst = (error.abs(), n);
        }
        count += 1;
    }
    assert_eq!(count, input.len(), "every sample is compared");
    let input: f64 = input.iter().map(|&x| f64::from(x).powi(2)).sum();
    (10.0 * (residual / output.max(input)).log10(), worst.1)
}
