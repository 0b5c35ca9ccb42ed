//! Every kernel is complete: shader, folder, parity test and trial.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::gpu::engine;
use crate::support::repository;
use dsp::device::trials::{CHANNELS, Limits, Reference, TABLE, Trial};

/// The files of a folder with this extension, not of its subfolders.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let wanted = paths.filter(|path| path.extension().is_some_and(|own| own == extension));
    wanted.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_shader_belongs_to_one_kernel_and_every_kernel_has_its_shaders() {
    let of = |wing: &str| names(&repository().join("shaders").join(wing), "wgsl");
    let found: BTreeSet<String> = of("network").into_iter().chain(of("signal")).collect();
    assert!(!found.is_empty(), "no shader was found");
    let listed: Vec<&str> = TABLE.iter().flat_map(|(kernel, _)| kernel.shaders).copied().collect();
    let unique: BTreeSet<String> = listed.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(unique.len(), listed.len(), "a shader of two kernels");
    assert_eq!(found, unique, "shaders in the folder and in the table");
    assert!(TABLE.iter().all(|(kernel, _)| !kernel.shaders.is_empty()));
}

#[test]
fn every_kernel_has_its_folder_and_a_parity_test_with_a_negative_control() {
    assert!(!TABLE.is_empty(), "no kernel was found");
    for (kernel, _) in TABLE {
        let source = repository().join("crates/dsp/src");
        let is_network = source.join("kernels/network").join(kernel.name).is_dir();
        // Kernels of networks are tested as nodes of one.
        let (wing, tests) = if is_network { ("network", "neural") } else { ("signal", "kernels") };
        let module = source.join("kernels").join(wing).join(kernel.name);
        let parts = ["mod", "cpu", "gpu"].map(|part| module.join(part));
        for part in parts.into_iter().chain([source.join("device/trials").join(kernel.name)]) {
            let found = part.with_extension("rs").is_file() || part.join("mod.rs").is_file();
            assert!(found, "{}: no {}", kernel.name, part.display());
        }
        let test = repository().join("tests").join(tests).join(kernel.name).with_extension("rs");
        let text = std::fs::read_to_string(test).unwrap_or_else(|_| panic!("{}: no parity test", kernel.name));
        assert!(text.contains("#[test]"), "{}: its parity test tests nothing", kernel.name);
        assert!(text.contains("spoiled"), "{}: its parity test has no negative control", kernel.name);
    }
}

#[test]
fn every_row_says_something() {
    let unique: BTreeSet<&str> = TABLE.iter().map(|(kernel, _)| kernel.name).collect();
    assert_eq!(unique.len(), TABLE.len(), "names are unique");
    for (kernel, _) in TABLE {
        assert!(!kernel.title.is_empty());
        assert!(kernel.tolerance_db < 0.0, "{}: a tolerance of {} dB", kernel.name, kernel.tolerance_db);
        assert!(kernel.bytes_per_sample > 0.0);
    }
}

/// The values of the groups that have a reference.
fn chosen(trial: &dyn Trial, reference: &Reference, values: &[f32]) -> Vec<f32> {
    reference.groups.iter().flat_map(|&group| &values[group * trial.group()..][..trial.group()]).copied().collect()
}

/// The values, each off by twice the limit, or by one step of its precision.
fn spoiled(values: &[f32], Limits { gpu_db, cpu_db, twin_db }: Limits) -> Vec<f32> {
    let most = gpu_db.max(cpu_db).max(twin_db);
    let by = 1.0 + 2.0 * 10_f64.powf(most / 20.0);
    let spoil = |x: f32| if most.is_finite() { (f64::from(x) * by) as f32 } else { x.next_up() };
    values.iter().map(|&x| spoil(x)).collect()
}

#[test]
fn every_trial_keeps_its_limits_and_refuses_spoiled_values() {
    let mut engine = engine();
    for (kernel, trial) in TABLE {
        for frames in [5003, 40_001] {
            let trial = trial(frames, CHANNELS).unwrap();
            let (name, limits) = (kernel.name, trial.limits());
            assert!(trial.samples() >= frames as u64 && trial.operations() > 0.0, "{name}");
            let cpu = trial.on_cpu().unwrap();
            assert!(cpu.seconds > 0.0 && cpu.values.len().is_multiple_of(trial.group()), "{name}");
            let reference = trial.reference().unwrap();
            let expected = &reference.values;
            assert!(!expected.is_empty(), "{name}: nothing to compare with");
            let own = chosen(trial.as_ref(), &reference, &cpu.values);
            let db = trial.error_db(&own, expected);
            println!("{name}, {frames} frames: CPU {db:.1} dB, limit {:.1} dB", limits.cpu_db);
            assert!(db <= limits.cpu_db, "{name}, {frames} frames: {db} dB");
            let db = trial.error_db(&spoiled(&own, limits), expected);
            assert!(db > limits.cpu_db, "{name}: spoiled values pass with {db} dB");
            let Some(engine) = &mut engine else { continue };
            let gpu = trial.on_gpu(engine).unwrap();
            let shaders: Vec<&str> = kernel.shaders.iter().filter_map(|name| name.strip_suffix(".wgsl")).collect();
            assert!(
                gpu.finished.shaders.iter().any(|name| shaders.contains(name)),
                "{name} ran {:?}",
                gpu.finished.shaders
            );
            assert!(gpu.seconds > 0.0 && gpu.values.len() == cpu.values.len(), "{name}");
            let db = trial.error_db(&chosen(trial.as_ref(), &reference, &gpu.values), expected);
            assert!(db <= limits.gpu_db, "{name}, {frames} frames: {db} dB on the GPU");
            let twin: Vec<f64> = cpu.values.iter().map(|&x| f64::from(x)).collect();
            let apart = trial.error_db(&gpu.values, &twin);
            println!("{name}, {frames} frames: GPU {db:.1} dB, twins {apart:.1} dB apart");
            assert!(apart <= limits.twin_db, "{name}, {frames} frames: twins {apart} dB apart");
            let apart = trial.error_db(&spoiled(&gpu.values, limits), &twin);
            assert!(apart > limits.twin_db, "{name}: spoiled values pass with {apart} dB");
        }
    }
}
