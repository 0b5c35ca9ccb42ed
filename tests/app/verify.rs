//! Device verification: kernels and whole jobs pass on the available adapter, and failures are reported.

use std::sync::{Arc, OnceLock};

use crate::support::gpu::Turn;
use undertone::Error;
use undertone::device::{DeviceId, Devices, kernel_checks};
use undertone::progress::Progress;
use undertone::work::verify::{Verification, verify};

/// A single size for most kernels is enough to see that all of them run.
const SIZES: [usize; 1] = [4099];

fn verified(id: DeviceId) -> Verification {
    verify(&Arc::new(Devices::new(None)), &[id], &SIZES, &Progress::new()).unwrap()
}

/// Returns the verification of the CPU, which two tests use.
fn of_the_cpu() -> Verification {
    static VERIFIED: OnceLock<Verification> = OnceLock::new();
    VERIFIED.get_or_init(|| verified(DeviceId::Cpu)).clone()
}

#[test]
fn the_cpu_passes_and_has_no_jobs_to_compare() {
    let verification = of_the_cpu();
    assert!(verification.passed(), "{verification:?}");
    let [cpu] = &verification.adapters[..] else { panic!("{verification:?}") };
    assert_eq!((cpu.id.as_str(), cpu.kernels.len(), cpu.jobs.len()), ("cpu", kernel_checks(&SIZES), 0));
    for check in &cpu.kernels {
        assert!(check.ms > 0.0 && check.gb_s > 0.0 && check.share > 0.0 && check.operations > 0.0, "{check:?}");
    }
}

#[test]
fn an_adapter_passes_with_every_kernel_and_job() {
    let _turn = Turn::take();
    let devices = Arc::new(Devices::new(None));
    if !devices.list().iter().any(|entry| entry.id == DeviceId::Gpu(0) && entry.problem.is_none()) {
        let required = std::env::var("UNDERTONE_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(!required, "UNDERTONE_REQUIRE_GPU=1, but there is no usable adapter");
        return;
    }
    let progress = Progress::new();
    let verification = verify(&devices, &[DeviceId::Gpu(0)], &SIZES, &progress).unwrap();
    let reading = progress.snapshot();
    assert_eq!(reading.done, reading.total, "every check is counted");
    assert!(verification.passed(), "{}", verification.to_markdown());
    let [adapter] = &verification.adapters[..] else { panic!("{verification:?}") };
    assert_eq!((adapter.kernels.len(), adapter.jobs.len()), (kernel_checks(&SIZES), 5));
    assert!(adapter.jobs.iter().all(|job| job.cpu_s > 0.0 && job.gpu_s > 0.0), "{:?}", adapter.jobs);
    let report = verification.to_markdown();
    for word in adapter.kernels.iter().map(|check| &check.kernel).chain(adapter.jobs.iter().map(|check| &check.job)) {
        assert!(report.contains(&format!("| {word} |")), "{word} is not in the report");
    }
}

#[test]
fn failures_show_in_the_verdict_and_in_the_report() {
    let mut verification = of_the_cpu();
    let check = &mut verification.adapters[0].kernels[3];
    check.passed = false;
    check.problem = Some("a | b".to_owned());
    assert!(!verification.passed());
    let report = verification.to_markdown();
    assert!(report.contains("not everything passed") && report.contains(r"**failed**: a \| b"), "{report}");
}

#[test]
fn an_adapter_that_is_gone_is_not_verified_and_a_cancel_ends_it() {
    let none = verified(DeviceId::Gpu(99));
    assert!(none.adapters.is_empty());
    let progress = Progress::new();
    progress.cancel();
    let cancelled = verify(&Arc::new(Devices::new(None)), &[DeviceId::Cpu], &SIZES, &progress);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}
