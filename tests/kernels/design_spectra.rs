//! Windows and mel banks against `SciPy` and `librosa` (`tests/reference/windows.py`).

use dsp::design::{Bank, Bins, FrequencyScale, MelNorm, Window};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    windows: Vec<WindowCase>,
    mel_banks: Vec<MelCase>,
}

#[derive(Deserialize)]
struct WindowCase {
    window: String,
    periodic: bool,
    values: Vec<f64>,
}

#[derive(Deserialize)]
struct MelCase {
    rate: f64,
    fft_length: usize,
    count: usize,
    span: [f64; 2],
    htk: bool,
    area: bool,
    sum: f64,
    rows: Vec<MelRow>,
}

#[derive(Deserialize)]
struct MelRow {
    row: usize,
    first_bin: usize,
    weights: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/windows.json")).unwrap()
}

/// The largest difference of a window from its reference.
fn window_error(case: &WindowCase, window: Window) -> f64 {
    let length = case.values.len();
    let values = if case.periodic { window.periodic(length) } else { window.symmetric(length) };
    assert_eq!(values.len(), length);
    values.iter().zip(&case.values).map(|(got, expected)| (got - expected).abs()).fold(0.0, f64::max)
}

#[test]
fn windows_are_scipys() {
    let reference = reference();
    assert!(reference.made_with.contains("SciPy 1."));
    assert!(reference.windows.len() >= 60);
    for case in &reference.windows {
        let error = window_error(case, case.window.parse().unwrap());
        assert!(error <= 1e-12, "{}, {} values: {error:e}", case.window, case.values.len());
    }
}

#[test]
fn another_window_is_refused() {
    for case in reference().windows.iter().filter(|case| case.window == "hann") {
        assert!(window_error(case, Window::Hamming) > 1e-2);
        let other = WindowCase { window: case.window.clone(), periodic: !case.periodic, values: case.values.clone() };
        assert!(window_error(&other, Window::Hann) > 1e-3, "periodic and symmetric are not the same");
    }
}

#[test]
fn mel_banks_are_librosas() {
    for case in reference().mel_banks {
        let scale = if case.htk { FrequencyScale::MelHtk } else { FrequencyScale::Mel };
        let norm = if case.area { MelNorm::Area } else { MelNorm::Peak };
        let bins = Bins { fft_length: case.fft_length, rate_hz: case.rate };
        let bank = Bank::triangles(bins, scale, case.span, case.count, norm).unwrap();
        assert_eq!(bank.rows().len(), case.count);
        let sum: f64 = bank.rows().iter().flat_map(|row| &row.weights).sum();
        assert!((sum / case.sum - 1.0).abs() < 1e-9, "{sum}, expected {}", case.sum);
        for expected in &case.rows {
            let row = &bank.rows()[expected.row];
            let weight = |bin: usize| bin.checked_sub(row.first_bin).and_then(|at| row.weights.get(at).copied());
            let count = expected.weights.len().max(row.weights.len());
            for (index, bin) in (expected.first_bin..).take(count).enumerate() {
                let (got, expected) = (weight(bin).unwrap_or(0.0), expected.weights.get(index).copied().unwrap_or(0.0));
                assert!((got - expected).abs() <= 1e-6 * expected.max(1e-3), "bin {bin}: {got}, expected {expected}");
            }
        }
    }
}
