//! Shapes of spectra on a GPU: against f64, against the CPU twin, and against themselves.

use crate::support;

use base::Error;
use dsp::design::Bins;
use dsp::device::trials::spectral_shape::shapes_on_gpu;
use dsp::gpu::Engine;
use dsp::kernels::signal::spectral_shape::{BAND_EDGES_HZ, BANDS, KERNEL, ShapePlan, SpectralShape};
use dsp::kernels::signal::stft::Spectra;
use support::gpu::{engine, noise};

const SCALE: f64 = 3.8e-6;

fn plan(bins: usize, rate_hz: f64) -> ShapePlan {
    ShapePlan::new(of(bins, rate_hz), SCALE)
}

fn of(bins: usize, rate_hz: f64) -> Bins {
    Bins { fft_length: 2 * (bins - 1), rate_hz }
}

/// Spectra that fall by `slope` from bin to bin, with a line here and there, over several orders of magnitude.
fn spectra(windows: usize, bins: usize, slope: f64) -> Spectra<f32> {
    let hiss = noise(bins as u32, windows * bins);
    let value = |(index, hiss): (usize, &f32)| {
        let (window, bin) = (index / bins, index % bins);
        let line = if (bin + 3 * window) % 37 == 5 { 1.0 } else { 0.0 };
        ((f64::from(*hiss).powi(2) + line) * slope.powf(bin as f64) * 0.9f64.powi((window % 50) as i32)) as f32
    };
    Spectra { bins, values: hiss.iter().enumerate().map(value).collect() }
}

fn on_gpu(engine: &mut Engine, plan: &ShapePlan, spectra: &Spectra<f32>, first: usize) -> Vec<Option<SpectralShape>> {
    let (shapes, finished) = shapes_on_gpu(engine, plan, spectra, first).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    shapes
}

/// The definitions, in f64. Rolloff is the place that the sums reach, in bins.
fn exact(spectra: &Spectra<f32>, window: usize, bins: Bins) -> SpectralShape {
    let power = spectra.window(window);
    let magnitude = |p: &f32| f64::from(*p).sqrt();
    let hz = |bin: usize| bins.hz_from_bin(bin);
    let m: Vec<f64> = power.iter().map(magnitude).collect();
    let all: f64 = m.iter().sum();
    let moment = |of: &dyn Fn(usize) -> f64| {
        if all > 0.0 { m.iter().enumerate().map(|(bin, m)| of(bin) * m).sum::<f64>() / all } else { 0.0 }
    };
    let centroid = moment(&hz);
    let variance = moment(&|bin| (hz(bin) - centroid).powi(2));
    let mut reached = 0.0;
    let rolloff = m.iter().position(|m| {
        reached += m;
        reached >= 0.85 * all
    });
    let floored = || power.iter().map(|&p| (f64::from(p) / SCALE).max(1e-10));
    let count = power.len() as f64;
    let before = window.checked_sub(1).map(|before| spectra.window(before));
    let rise = |before: &[f32]| m.iter().zip(before).map(|(m, b)| (m - magnitude(b)).max(0.0)).sum::<f64>();
    let band = |band: usize| {
        let most = hz(power.len() - 1);
        let edges = [BAND_EDGES_HZ[band].min(most), BAND_EDGES_HZ[band + 1].min(most)];
        let half = hz(1) / 2.0;
        let share = |bin: usize| ((hz(bin) + half).min(edges[1]) - (hz(bin) - half).max(edges[0])).max(0.0) / hz(1);
        power.iter().enumerate().map(|(bin, &p)| f64::from(p) * share(bin)).sum::<f64>() as f32
    };
    SpectralShape {
        centroid_hz: centroid as f32,
        bandwidth_hz: variance.sqrt() as f32,
        rolloff_hz: rolloff.filter(|_| all > 0.0).map_or(0.0, hz) as f32,
        flatness: ((floored().map(f64::ln).sum::<f64>() / count).exp() / (floored().sum::<f64>() / count)) as f32,
        flux: before.map_or(0.0, rise) as f32,
        bands: std::array::from_fn(band),
    }
}

/// Every number within tolerance: one bin for rolloff, relative to the whole spectrum for flux, relative to themselves
/// for the others.
fn check(got: &SpectralShape, wanted: &SpectralShape, bins: Bins, power: &[f32]) -> Result<(), String> {
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    let all: f64 = power.iter().map(|&p| f64::from(p).sqrt()).sum();
    let total: f64 = power.iter().map(|&p| f64::from(p)).sum();
    let mut pairs = vec![
        ("centroid", got.centroid_hz, wanted.centroid_hz, f64::from(wanted.centroid_hz)),
        ("bandwidth", got.bandwidth_hz, wanted.bandwidth_hz, f64::from(wanted.bandwidth_hz) + 1e-6 * bins.rate_hz),
        ("flatness", got.flatness, wanted.flatness, f64::from(wanted.flatness)),
        ("flux", got.flux, wanted.flux, all),
    ];
    pairs.extend(
        (0..BANDS)
            .map(|band| ("band", got.bands[band], wanted.bands[band], f64::from(wanted.bands[band]) + 1e-7 * total)),
    );
    for (name, value, expected, scale) in pairs {
        if !((f64::from(value) - f64::from(expected)).abs() <= most * scale) {
            return Err(format!("{name}: {value}, not {expected}: {got:?}, not {wanted:?}"));
        }
    }
    let apart = f64::from(got.rolloff_hz - wanted.rolloff_hz).abs();
    if apart > 1.001 * bins.hz_from_bin(1) {
        return Err(format!("rolloff: {}, not {}", got.rolloff_hz, wanted.rolloff_hz));
    }
    Ok(())
}

#[test]
fn shapes_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    for (windows, bins, rate_hz) in [
        (3, 33, 8000.0),
        (5, 65, 1000.0),
        (9, 129, 4000.0),
        (40, 1025, 44_100.0),
        (9, 2049, 96_000.0),
        (5, 4097, 192_000.0),
        (2, 32_769, 768_000.0),
        (3, 257, 48_000.0),
        (3, 33, 1.0),
    ] {
        let (plan, bins_at) = (plan(bins, rate_hz), of(bins, rate_hz));
        for slope in [1.0, 1.0 - 8.0 / bins as f64] {
            let spectra = spectra(windows, bins, slope);
            let twin = plan.shapes(&spectra, 0);
            for (window, got) in on_gpu(&mut engine, &plan, &spectra, 0).into_iter().enumerate() {
                let case = format!("window {window} of {bins} bins at {rate_hz} Hz, slope {slope}");
                let (got, power) = (got.unwrap_or_else(|| panic!("{case}: no shape")), spectra.window(window));
                check(&got, &exact(&spectra, window, bins_at), bins_at, power)
                    .unwrap_or_else(|why| panic!("{case}: {why}"));
                check(&got, &twin[window], bins_at, power).unwrap_or_else(|why| panic!("{case}, twin: {why}"));
            }
        }
    }
}

#[test]
fn a_line_far_up_has_the_width_of_a_line() {
    let Some(mut engine) = engine() else { return };
    // Large moments that nearly cancel: three bins of 32,769.
    let (plan, bins_at) = (plan(32_769, 768_000.0), of(32_769, 768_000.0));
    let mut spectra = Spectra { bins: 32_769, values: vec![0.0; 32_769] };
    spectra.values[30_000..30_003].copy_from_slice(&[0.25, 1.0, 0.25]);
    let got = on_gpu(&mut engine, &plan, &spectra, 0)[0].unwrap();
    check(&got, &exact(&spectra, 0, bins_at), bins_at, spectra.window(0)).unwrap();
    assert!((f64::from(got.bandwidth_hz) - 0.5f64.sqrt() * bins_at.hz_from_bin(1)).abs() < 1e-3, "{got:?}");
}

#[test]
fn the_window_before_counts_for_flux_and_nothing_else_does() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(129, 44_100.0);
    let spectra = spectra(60, 129, 0.98);
    let whole = on_gpu(&mut engine, &plan, &spectra, 0);
    assert_eq!(whole[0].unwrap().flux, 0.0);
    assert!(whole[1].unwrap().flux > 0.0);
    assert_eq!(on_gpu(&mut engine, &plan, &spectra, 23), whole[23..]);
    let part = Spectra { bins: 129, values: spectra.values[22 * 129..].to_vec() };
    assert_eq!(on_gpu(&mut engine, &plan, &part, 1), whole[23..]);
}

#[test]
fn a_spoiled_spectrum_is_refused() {
    let Some(mut engine) = engine() else { return };
    let (plan, bins_at) = (plan(257, 44_100.0), of(257, 44_100.0));
    let right = spectra(1, 257, 0.99);
    let wanted = exact(&right, 0, bins_at);
    let mut spoiled = right.clone();
    spoiled.values[100] += 0.1;
    let got = on_gpu(&mut engine, &plan, &spoiled, 0)[0].unwrap();
    assert!(check(&got, &wanted, bins_at, right.window(0)).is_err());
    let other = on_gpu(&mut engine, &self::plan(257, 48_000.0), &right, 0)[0].unwrap();
    assert!(check(&other, &wanted, bins_at, right.window(0)).is_err(), "at another rate");
}

#[test]
fn silence_has_no_centre_and_what_is_no_number_has_no_shape() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(129, 44_100.0);
    let silent = Spectra { bins: 129, values: vec![0.0; 3 * 129] };
    for shape in on_gpu(&mut engine, &plan, &silent, 0) {
        let shape = shape.unwrap();
        assert_eq!((shape.centroid_hz, shape.bandwidth_hz, shape.rolloff_hz, shape.flux), (0.0, 0.0, 0.0, 0.0));
        assert!((shape.flatness - 1.0).abs() < 1e-5 && shape.bands == [0.0; BANDS], "{shape:?}");
    }
    for value in [f32::NAN, f32::INFINITY] {
        for bin in [0, 64, 128] {
            let mut broken = spectra(5, 129, 0.99);
            broken.values[2 * 129 + bin] = value;
            let shapes = on_gpu(&mut engine, &plan, &broken, 0);
            let known: Vec<bool> = shapes.iter().map(Option::is_some).collect();
            assert_eq!(known, [true, true, false, true, true], "{value} in bin {bin}");
            let (after, twin) = (shapes[3].unwrap(), plan.shapes(&broken, 0)[3]);
            assert!((after.flux - twin.flux).abs() <= 1e-5 * twin.flux, "{after:?}, not {twin:?}");
        }
    }
    assert!(shapes_on_gpu(&mut engine, &plan, &Spectra { bins: 129, values: Vec::new() }, 0).unwrap().0.is_empty());
    let refused = shapes_on_gpu(&mut engine, &plan, &Spectra { bins: 33, values: vec![0.0; 33] }, 0);
    assert!(matches!(refused, Err(Error::Invalid { .. })));
    assert!(matches!(shapes_on_gpu(&mut engine, &plan, &silent, 4), Err(Error::Invalid { .. })));
}
