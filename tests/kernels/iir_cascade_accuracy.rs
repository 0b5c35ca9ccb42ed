//! The predicted error of the cascade in f32 against the error of an emulated GPU.

use crate::support;

use dsp::kernels::signal::iir_cascade::{Cascade, PredictedError, predicted_f32_error, predicted_f32_error_db};
use support::cascade::{Filter, oracle, orders, promised, refused, residual_db, signals};
use support::cascade_f32::emulate_f32;

/// Above this a cascade is to run on the CPU.
const LIMIT_DB: f64 = -120.0;

const FRAMES: usize = 1 << 14;

/// The emulated error on noise, a sine where the filter works hardest, a step, and the sine predicted to be the worst.
fn emulated_db(filter: &Filter, worst_w: f64) -> Vec<(&'static str, f64)> {
    let cascade = Cascade::new(&filter.sections);
    let worst = (0..FRAMES).map(|n| (0.5 * (worst_w * n as f64).sin()) as f32).collect();
    let mut signals = signals(filter, FRAMES).to_vec();
    signals.push(("worst sine", worst));
    let error = |input: &[f32]| {
        let got = emulate_f32(&cascade, input);
        residual_db(input, &oracle(&filter.sections, input), got.iter().map(|&x| x.into())).0
    };
    signals.iter().map(|(name, input)| (*name, error(input))).collect()
}

#[test]
fn the_prediction_is_that_of_an_emulated_gpu() {
    for filter in promised().into_iter().chain(refused()).chain(orders()) {
        let PredictedError { sine_db, noise_db, worst_w } = predicted_f32_error(&Cascade::new(&filter.sections));
        let predicted = sine_db.max(noise_db);
        let emulated = emulated_db(&filter, worst_w);
        let most = emulated.iter().map(|one| one.1).fold(f64::NEG_INFINITY, f64::max);
        println!("{:40} predicted {predicted:.1}, emulated {most:.1}: {emulated:.1?}", filter.name);
        assert!(most <= predicted + 6.0, "{}: predicted {predicted:.1} dB, emulated {emulated:.1?}", filter.name);
        assert!(most >= predicted - 12.0, "{}: predicted {predicted:.1} dB, emulated {emulated:.1?}", filter.name);
        let noise = emulated[0].1;
        assert!((-15.0..=3.0).contains(&(noise - noise_db)), "{}: noise {noise:.1}, {noise_db:.1}", filter.name);
        if predicted <= LIMIT_DB {
            assert!(most <= LIMIT_DB, "{}: let through at {predicted:.1} dB, is {emulated:.1?}", filter.name);
        }
    }
}

#[test]
fn what_is_promised_is_let_through_and_what_f32_cannot_keep_is_refused() {
    for filter in promised() {
        let predicted = predicted_f32_error_db(&Cascade::new(&filter.sections));
        assert!(predicted <= LIMIT_DB, "{}: {predicted:.1} dB", filter.name);
    }
    for filter in refused() {
        let predicted = predicted_f32_error_db(&Cascade::new(&filter.sections));
        assert!(predicted > LIMIT_DB, "{}: {predicted:.1} dB", filter.name);
    }
}

#[test]
fn no_sections_make_no_error_and_a_broken_plan_is_refused() {
    assert_eq!(predicted_f32_error_db(&Cascade::new(&[])), f64::NEG_INFINITY);
    let mut broken = promised()[0].sections.clone();
    broken[1].svf.k = f64::NAN;
    assert!(!(predicted_f32_error_db(&Cascade::new(&broken)) <= LIMIT_DB));
}
