//! Every kernel as a compiler with fast mathematics may compile it. Metal's and DX12's compilers contract, reassociate and
//! factor sums of products, and divide by reciprocals. The shaders are rewritten that way, run on the test adapter, and
//! must stay within the same limits.

mod rewrite;

use crate::filter_accuracy::designs;
use crate::support::cascade::{Filter, oracle, promised, residual_db, signals};
use crate::support::gpu::{TestEngine, engine, noise_buffer};
use audio::AudioBuffer;
use dsp::device::trials::{CHANNELS, TABLE};
use dsp::gpu::Engine;
use dsp::gpu::shaders::{ALL, Shader};
use dsp::kernels::signal::iir_cascade::gpu::GpuPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, predicted_f32_error_db};
use dsp::kernels::signal::resident::Chunk;
use rewrite::{Rearrangement, rewrite};

/// The limit of the cascade.
const LIMIT_DB: f64 = -120.0;

const EVERY: [(Rearrangement, fn(&'static Shader) -> String); 4] = [
    (Rearrangement::Contracted, |shader| rewrite(shader.source, Rearrangement::Contracted).source),
    (Rearrangement::Reciprocal, |shader| rewrite(shader.source, Rearrangement::Reciprocal).source),
    (Rearrangement::Reassociated, |shader| rewrite(shader.source, Rearrangement::Reassociated).source),
    (Rearrangement::Factored, |shader| rewrite(shader.source, Rearrangement::Factored).source),
];

fn rewritten(rewrite: fn(&'static Shader) -> String) -> Option<TestEngine> {
    let mut engine = engine()?;
    engine.rewrite_shaders(rewrite);
    Some(engine)
}

#[test]
fn every_rearrangement_finds_places() {
    for (rearrangement, _) in EVERY {
        let places: Vec<(&str, usize)> =
            ALL.iter().map(|shader| (shader.name, rewrite(shader.source, rearrangement).changes)).collect();
        println!("{rearrangement:?}: {places:?}");
        // Kernels have few sums with a common factor; the last test has one.
        let any = places.iter().any(|(_, changes)| *changes > 0);
        assert!(any || rearrangement == Rearrangement::Factored, "{rearrangement:?} changes nothing");
    }
    let cascade = ALL.iter().find(|shader| shader.name == "iir_cascade").unwrap();
    assert!(rewrite(cascade.source, Rearrangement::Contracted).changes >= 5);
}

#[test]
fn contraction_rounds_once() {
    let Some(mut engine) = rewritten(EVERY[0].1) else { return };
    let (a, b) = (noise_buffer(1, 4096), noise_buffer(2, 4096));
    let b = AudioBuffer::from_channels(vec![b.channel(1).to_vec()]);
    let (gain_a, gain_b) = (0.7, -1.1);
    let mut chunk = Chunk::new();
    let (x, y) = (chunk.upload(&a).unwrap(), chunk.upload(&b).unwrap());
    let mixed = chunk.mix(x, &[gain_a], y, &[gain_b]).unwrap();
    let ticket = chunk.readback(mixed);
    let got = chunk.run(&mut engine, None).unwrap().audio(ticket);
    let pairs = || a.channel(0).iter().zip(b.channel(0)).zip(got.channel(0)).map(|((a, b), got)| (*a, *b, *got));
    let differ = pairs().filter(|&(a, b, got)| got != gain_a.mul_add(a, gain_b * b)).count();
    assert_eq!(differ, 0, "as the processor's own fused multiply-add");
    let rounded_twice = pairs().filter(|&(a, b, got)| got != gain_a * a + gain_b * b).count();
    assert!(rounded_twice > 100, "{rounded_twice} of 4096 show that it was rounded once");
}

/// The worst residual of a filter on its signals, in dB.
fn residual(engine: &mut Engine, filter: &Filter, frames: usize) -> f64 {
    let signals = signals(filter, frames);
    let audio = AudioBuffer::from_channels(signals.iter().map(|(_, samples)| samples.clone()).collect());
    let cascade = Cascade::new(&filter.sections);
    let plan = GpuPlan::new(&cascade);
    let mut chunk = Chunk::new();
    let input = chunk.upload(&audio).unwrap();
    let (filtered, _) = chunk.cascade(&plan, &CascadeState::new(signals.len(), cascade.len()), input).unwrap();
    let ticket = chunk.readback(filtered);
    let mut done = chunk.run(engine, None).unwrap();
    assert!(done.finished.dispatches > 0, "the GPU did not run");
    let got = done.audio(ticket);
    let each = signals.iter().enumerate().map(|(channel, (_, input))| {
        residual_db(input, &oracle(&filter.sections, input), got.channel(channel).iter().map(|&x| x.into())).0
    });
    each.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn every_filter_of_the_accuracy_table_stays_within_its_limit() {
    let on_gpu = |filter: &Filter| predicted_f32_error_db(&Cascade::new(&filter.sections)) <= LIMIT_DB;
    let filters: Vec<Filter> = promised().into_iter().chain(designs()).filter(on_gpu).collect();
    assert!(filters.len() >= 60, "only {} filters", filters.len());
    for (rearrangement, rewrite) in EVERY {
        let Some(mut engine) = rewritten(rewrite) else { return };
        let mut worst = (f64::NEG_INFINITY, String::new());
        for filter in &filters {
            let db = residual(&mut engine, filter, 8193);
            assert!(db <= LIMIT_DB, "{rearrangement:?}, {}: {db:.1} dB", filter.name);
            if db > worst.0 {
                worst = (db, filter.name.clone());
            }
        }
        println!("{rearrangement:?}: worst {worst:?}");
    }
}

#[test]
fn every_kernel_stays_within_its_limits() {
    for (rearrangement, rewrite) in EVERY {
        let Some(mut engine) = rewritten(rewrite) else { return };
        for (kernel, trial) in TABLE {
            let trial = trial(5003, CHANNELS).unwrap();
            let (limits, reference) = (trial.limits(), trial.reference().unwrap());
            let gpu = trial.on_gpu(&mut engine).unwrap().values;
            let of = |group: usize| &gpu[group * trial.group()..][..trial.group()];
            let chosen: Vec<f32> = reference.groups.iter().flat_map(|&group| of(group)).copied().collect();
            let db = trial.error_db(&chosen, &reference.values);
            let twin: Vec<f64> = trial.on_cpu().unwrap().values.iter().map(|&x| f64::from(x)).collect();
            let apart = trial.error_db(&gpu, &twin);
            println!("{rearrangement:?}, {}: {db:.1} dB, twins {apart:.1} dB apart", kernel.name);
            assert!(db <= limits.gpu_db, "{rearrangement:?}, {}: {db} dB", kernel.name);
            assert!(apart <= limits.twin_db, "{rearrangement:?}, {}: twins {apart} dB apart", kernel.name);
        }
    }
}

/// The cascade with a coefficient that is off by 1e-5.
fn spoiled(shader: &'static Shader) -> String {
    let good = "s.y + g2 * v,";
    assert!(shader.name != "iir_cascade" || shader.source.contains(good));
    shader.source.replace(good, "s.y + 1.00001 * g2 * v,")
}

#[test]
fn a_spoiled_shader_is_refused() {
    let Some(mut engine) = rewritten(spoiled) else { return };
    let worst = promised().iter().map(|filter| residual(&mut engine, filter, 8193)).fold(f64::NEG_INFINITY, f64::max);
    println!("off by 1e-5: {worst:.1} dB");
    assert!(worst > LIMIT_DB, "{worst:.1} dB");
}

/// Factoring finds what the cascade avoids by a `select`.
#[test]
fn a_product_in_place_of_the_select_is_factored() {
    let cascade = ALL.iter().find(|shader| shader.name == "iir_cascade").unwrap().source;
    let product = cascade.replace("select(vec2<f32>(0.0), s, kept == 1u) +", "f32(kept) * s +");
    assert_ne!(product, cascade);
    let changes = |source| rewrite(source, Rearrangement::Factored).changes;
    assert!(changes(&product) > changes(cascade), "{} and {}", changes(&product), changes(cascade));
}
