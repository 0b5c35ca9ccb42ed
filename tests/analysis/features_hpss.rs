//! Harmonic and percussive parts: against librosa, the right sides, blocks against a whole, and signals that break.

use crate::support::features;

use analysis::features::hpss::{self, Energies, MARGIN};
use base::error::Error;
use base::progress::Progress;
use dsp::design::Window;
use dsp::kernels::signal::stft::{Samples, Spectra, StftPlan, StftSpec, cpu};
use features::{numbers, plane, reference, worst};

fn energies(power: &Spectra<f32>, wanted: std::ops::Range<usize>) -> Vec<Energies> {
    hpss::energies(power, wanted, &Progress::new()).unwrap()
}

fn power_of(x: &[f32]) -> Spectra<f32> {
    let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 512, padding: 1, hop: 128 }).unwrap();
    cpu::power(&plan, Samples::whole(x), 0..plan.windows(x.len() as u64)).unwrap()
}

#[test]
fn masks_are_librosa_s_and_swapped_ones_are_not() {
    let reference = &reference()["hpss"];
    let power = Spectra { bins: 33, values: plane(40, 33) };
    let masks = hpss::masks(&power, 0..40, &Progress::new()).unwrap();
    let got = |mask: &Spectra<f32>| mask.values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
    let (difference, at) = worst(&got(&masks.harmonic), &numbers(&reference["harmonic"]));
    assert!(difference <= 1e-6, "{difference} at {at}");
    let sums: Vec<f64> = got(&masks.harmonic).iter().zip(got(&masks.percussive)).map(|(h, p)| h + p).collect();
    assert!(worst(&sums, &vec![1.0; sums.len()]).0 < 1e-6);
    assert!(worst(&got(&masks.percussive), &numbers(&reference["harmonic"])).0 > 0.5);
}

#[test]
fn energies_are_those_of_the_masked_spectra() {
    let power = Spectra { bins: 33, values: plane(40, 33) };
    let masks = hpss::masks(&power, 0..40, &Progress::new()).unwrap();
    for (index, energies) in energies(&power, 0..40).iter().enumerate() {
        let sum = |mask: &Spectra<f32>| -> f64 {
            let each = power.window(index).iter().zip(mask.window(index));
            each.map(|(&p, &m)| f64::from(p) * f64::from(m).powi(2)).sum()
        };
        let total: f64 = power.window(index).iter().map(|&p| f64::from(p)).sum();
        for (got, expected) in [
            (energies.total, total),
            (energies.harmonic, sum(&masks.harmonic)),
            (energies.percussive, sum(&masks.percussive)),
        ] {
            assert!((f64::from(got) - expected).abs() <= 1e-5 * total, "window {index}: {got}, {expected}");
        }
    }
}

#[test]
fn a_tone_is_harmonic_and_a_click_percussive() {
    let mut x: Vec<f32> = (0..40_000).map(|n| (n as f32 * 0.2).sin() * 0.1).collect();
    x[20_000] = 1.0;
    let found = energies(&power_of(&x), 0..313);
    let tone = found[60];
    assert!(tone.harmonic > 0.99 * tone.total && tone.percussive < 0.01 * tone.total, "{tone:?}");
    let click = found[20_000 / 128];
    let quiet = found[20_000 / 128 - 8];
    assert!(click.percussive > 100.0 * quiet.percussive, "{click:?}, {quiet:?}");
}

#[test]
fn blocks_give_the_bits_of_a_whole_with_any_number_of_threads() {
    let power = Spectra { bins: 65, values: plane(300, 65) };
    let whole = energies(&power, 0..300);
    let mut joined = Vec::new();
    for cut in [0_usize..1, 1..7, 7..100, 100..101, 101..290, 290..300] {
        let block = cut.start.saturating_sub(MARGIN)..300.min(cut.end + MARGIN);
        let values = power.values[block.start * 65..block.end * 65].to_vec();
        joined.extend(energies(&Spectra { bins: 65, values }, cut.start - block.start..cut.end - block.start));
    }
    assert_eq!(joined, whole);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| energies(&power, 0..300)), whole);
}

#[test]
fn silence_is_neither_and_a_broken_window_breaks_no_other() {
    let silent = Spectra { bins: 33, values: vec![0.0; 33 * 5] };
    assert_eq!(energies(&silent, 0..5), vec![Energies::default(); 5]);
    assert_eq!(hpss::masks(&silent, 0..5, &Progress::new()).unwrap().harmonic.values, vec![0.5; 33 * 5]);
    let mut broken = Spectra { bins: 33, values: plane(40, 33) };
    broken.values[20 * 33..21 * 33].fill(f32::NAN);
    for (index, found) in energies(&broken, 0..40).iter().enumerate() {
        let finite = found.total.is_finite() && found.harmonic.is_finite() && found.percussive.is_finite();
        assert_eq!(finite, index != 20, "window {index}: {found:?}");
    }
    assert!(energies(&power_of(&[1.0]), 0..1)[0].total > 0.0, "one sample");
    assert!(energies(&Spectra { bins: 33, values: Vec::new() }, 0..0).is_empty());
}

#[test]
fn windows_that_are_not_there_are_refused_and_a_cancel_is_heard() {
    let power = Spectra { bins: 33, values: plane(40, 33) };
    assert!(matches!(hpss::energies(&power, 30..41, &Progress::new()), Err(Error::Invalid { .. })));
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(hpss::energies(&power, 0..40, &progress), Err(Error::Cancelled)));
    assert!(matches!(hpss::masks(&power, 0..40, &progress), Err(Error::Cancelled)));
}
