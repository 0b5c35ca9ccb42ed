//! Signals from spectra: round trips on the CPU and on a GPU, and the inverse transform against f64.

use crate::support;

use base::Error;
use dsp::design::Window;
use dsp::gpu::Engine;
use dsp::kernels::signal::istft::gpu::GpuIstft;
use dsp::kernels::signal::istft::{IstftPlan, KERNEL, cpu};
use dsp::kernels::signal::stft::{self, Complex32, Samples, Spectra, StftPlan, StftSpec};
use proptest::prelude::*;
use support::dft::{music, roots};
use support::gpu::{engine, noise};

fn plan(window: Window, size: usize, padding: usize, hop: usize) -> IstftPlan {
    IstftPlan::new(&StftPlan::new(StftSpec { window, size, padding, hop }).unwrap()).unwrap()
}

fn spectra(plan: &IstftPlan, x: &[f32]) -> Spectra<Complex32> {
    let windows = plan.forward().windows_to_invert(x.len() as u64);
    stft::cpu::spectra(plan.forward(), Samples::whole(x), 0..windows).unwrap()
}

fn gpu_samples(engine: &mut Engine, plan: &IstftPlan, spectra: &Spectra<Complex32>, frames: usize) -> Vec<f32> {
    let (samples, finished) = GpuIstft::new(plan).unwrap().samples(engine, spectra, frames, None).unwrap();
    assert!(frames == 0 || finished.dispatches > 0, "the GPU did not run");
    samples
}

/// The residual's RMS in dB re the expected signal's.
fn residual_db(got: &[f32], expected: impl Iterator<Item = f64>) -> f64 {
    let (mut error, mut level) = (0.0, 0.0);
    for (&got, expected) in got.iter().zip(expected) {
        error += (f64::from(got) - expected).powi(2);
        level += expected * expected;
    }
    10.0 * (error / level).log10()
}

fn exact(x: &[f32]) -> impl Iterator<Item = f64> {
    x.iter().map(|&x| f64::from(x))
}

/// Transforms that both twins take.
fn plans() -> Vec<IstftPlan> {
    vec![
        plan(Window::Hann, 2048, 1, 512),
        plan(Window::Hann, 1024, 4, 512),
        plan(Window::Hann, 64, 1, 31),
        plan(Window::Hamming, 256, 2, 200),
        plan(Window::Rectangular, 128, 1, 128),
        plan(Window::BlackmanHarris, 512, 1, 1),
        plan(Window::Kaiser { beta: 8.0 }, 4096, 1, 1000),
        plan(Window::Hann, 8192, 1, 2048),
        plan(Window::Hann, 4096, 8, 1024),
        plan(Window::Hamming, 65_536, 1, 16_384),
    ]
}

#[test]
fn the_cpu_gives_the_signal_back() {
    let tolerance = KERNEL.tolerance_db;
    let others = [
        plan(Window::Hann, 1000, 1, 300),
        plan(Window::Hann, 1021, 1, 500),
        plan(Window::Hann, 101, 8, 37),
        plan(Window::Hann, 65_536, 1, 16_384),
        plan(Window::Bartlett, 333, 1, 166),
    ];
    for plan in plans().iter().chain(&others) {
        let hop = plan.forward().spec().hop;
        for frames in [1, hop - 1, hop, hop + 1, 3 * hop - 1, 3001] {
            let x = noise(frames as u32, frames);
            let got = cpu::samples(plan, &spectra(plan, &x), frames).unwrap();
            assert_eq!(got.len(), frames);
            if frames > 0 {
                let db = residual_db(&got, exact(&x));
                assert!(db <= tolerance, "{plan:?}, {frames} frames: {db:.1} dB");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A plan inverts every hop that it accepts.
    #[test]
    fn any_plan_that_is_not_refused_gives_the_signal_back(
        size in 64..600_usize,
        padding in prop::sample::select(&StftSpec::PADDINGS[..]),
        part in 0.01..1.0_f64,
        name in prop::sample::select(vec!["hann", "hamming", "rectangular", "flattop", "bohman", "kaiser(14)"]),
    ) {
        let hop = (part * size as f64).ceil() as usize;
        let forward = StftPlan::new(StftSpec { window: name.parse().unwrap(), size, padding, hop }).unwrap();
        let Ok(plan) = IstftPlan::new(&forward) else {
            // Half a window is enough for all but those that are narrow in their middle.
            prop_assert!(hop > size / 3, "{:?} was refused", forward);
            return Ok(());
        };
        let x = noise(size as u32, 10 * size);
        let got = cpu::samples(&plan, &spectra(&plan, &x), x.len()).unwrap();
        let db = residual_db(&got, exact(&x));
        prop_assert!(db <= KERNEL.tolerance_db, "{:?}: {:.1} dB", plan, db);
    }
}

#[test]
fn a_gpu_gives_the_signal_back_as_its_twin_does() {
    let Some(mut engine) = engine() else { return };
    let tolerance = KERNEL.tolerance_db;
    let mut worst = f64::NEG_INFINITY;
    for plan in plans() {
        for frames in [1, 255, 256, 257, 5003] {
            let x = music(frames);
            let spectra = spectra(&plan, &x);
            let got = gpu_samples(&mut engine, &plan, &spectra, frames);
            let twin = cpu::samples(&plan, &spectra, frames).unwrap();
            let db = residual_db(&got, exact(&x)).max(residual_db(&got, exact(&twin)));
            println!("{plan:?}, {frames} frames: {db:.1} dB");
            assert!(db <= tolerance, "{plan:?}, {frames} frames: {db:.1} dB");
            worst = worst.max(db);
        }
    }
    println!("worst: {worst:.1} dB");
}

/// Spectra that no signal has, so that overlapping windows differ: by the definition, in f64.
#[test]
fn changed_spectra_are_added_up_as_defined() {
    let plan = plan(Window::Hann, 64, 2, 20);
    let (frames, windows) = (200, 11);
    let values = noise(5, 2 * 65 * windows);
    let values: Vec<Complex32> = values.chunks_exact(2).map(|pair| Complex32::new(pair[0], pair[1])).collect();
    let spectra = Spectra { bins: 65, values };
    let roots = roots(128);
    let window = plan.forward().window();
    let mut sums = vec![[0.0; 2]; frames];
    for k in 0..windows {
        let x = spectra.window(k);
        for (n, w) in window.iter().enumerate() {
            let Ok(at) = usize::try_from(plan.forward().start_frame(k as u64) + n as i64) else { continue };
            let Some(sum) = sums.get_mut(at) else { continue };
            let inner = (1..64).map(|bin| {
                let [c, s] = roots[bin * n % 128];
                2.0 * (f64::from(x[bin].re) * c + f64::from(x[bin].im) * s)
            });
            let ends = f64::from(x[0].re) + f64::from(x[64].re) * if n % 2 == 0 { 1.0 } else { -1.0 };
            sum[0] += w * (inner.sum::<f64>() + ends) / 128.0;
            sum[1] += w * w;
        }
    }
    let expected = || sums.iter().map(|[sum, weight]| sum / weight);
    let got = cpu::samples(&plan, &spectra, frames).unwrap();
    assert!(residual_db(&got, expected()) <= -130.0, "{:.1} dB", residual_db(&got, expected()));
    let Some(mut engine) = engine() else { return };
    let got = gpu_samples(&mut engine, &plan, &spectra, frames);
    assert!(residual_db(&got, expected()) <= -125.0, "{:.1} dB on the GPU", residual_db(&got, expected()));
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let plan = plan(Window::Hann, 256, 1, 64);
    let x = noise(4, 30_000);
    let spectra = spectra(&plan, &x);
    let whole = cpu::samples(&plan, &spectra, x.len()).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| cpu::samples(&plan, &spectra, x.len())).unwrap(), whole);
    }
    assert_eq!(cpu::samples(&plan, &spectra, 10_001).unwrap(), whole[..10_001]);
}

#[test]
fn nothing_silence_and_broken_spectra() {
    let plan = plan(Window::Hann, 64, 1, 16);
    let nothing = spectra(&plan, &[]);
    assert!(cpu::samples(&plan, &nothing, 0).unwrap().is_empty());
    let silence = spectra(&plan, &[0.0; 500]);
    assert!(cpu::samples(&plan, &silence, 500).unwrap().iter().all(|&x| x == 0.0));
    let mut broken = silence.clone();
    broken.values[10 * 33 + 4] = Complex32::new(f32::NAN, 0.0);
    let spoiled = |samples: &[f32]| {
        // Window 10 takes in the frames 128 to 191, its first with no weight: 0 NaN is NaN all the same.
        samples.iter().enumerate().all(|(n, x)| x.is_nan() == (128..192).contains(&n))
    };
    assert!(spoiled(&cpu::samples(&plan, &broken, 500).unwrap()));
    let Some(mut engine) = engine() else { return };
    assert!(gpu_samples(&mut engine, &plan, &nothing, 0).is_empty());
    assert!(gpu_samples(&mut engine, &plan, &silence, 500).iter().all(|&x| x == 0.0));
    assert!(spoiled(&gpu_samples(&mut engine, &plan, &broken, 500)));
}

#[test]
fn what_cannot_be_inverted_is_refused_with_a_reason() {
    let plan = plan(Window::Hann, 64, 1, 16);
    let few = stft::cpu::spectra(plan.forward(), Samples::whole(&[]), 0..5).unwrap();
    assert!(cpu::samples(&plan, &few, 64).is_ok());
    assert!(cpu::samples(&plan, &few, 65).unwrap_err().to_string().contains("6 windows"));
    let others = Spectra { bins: 65, values: few.values };
    assert!(cpu::samples(&plan, &others, 1).unwrap_err().to_string().contains("33"));
    let refused = GpuIstft::new(&self::plan(Window::Hann, 100, 1, 16)).unwrap_err();
    assert!(matches!(&refused, Error::Unsupported { reason, .. } if reason.contains("powers of two")), "{refused}");
}

#[test]
fn a_spoiled_result_is_refused() {
    let tolerance = KERNEL.tolerance_db;
    let plan = plan(Window::Hann, 256, 1, 64);
    let x = noise(6, 4000);
    let good = cpu::samples(&plan, &spectra(&plan, &x), x.len()).unwrap();
    assert!(residual_db(&good, exact(&x)) <= tolerance);
    let mut late = good.clone();
    late.rotate_left(1);
    assert!(residual_db(&late, exact(&x)) > tolerance);
    let mut spectra = spectra(&plan, &x);
    spectra.values[20 * 129 + 7].re += 0.1;
    let changed = cpu::samples(&plan, &spectra, x.len()).unwrap();
    assert!(residual_db(&changed, exact(&x)) > tolerance);
}
