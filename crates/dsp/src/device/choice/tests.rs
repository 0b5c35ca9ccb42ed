use std::collections::BTreeMap;

use super::*;
use crate::device::turns::Turns;
use crate::gpu::{Tier, TierRefusal};

fn adapter(name: &str, kind: AdapterKind, tier: Result<Tier, TierRefusal>) -> AdapterInfo {
    AdapterInfo {
        name: name.to_owned(),
        backend: "Vulkan",
        driver: "1".to_owned(),
        kind,
        tier,
        limits: BTreeMap::new(),
        features: Vec::new(),
        pci: crate::gpu::PciId::default(),
        same_as: None,
    }
}

fn adapters() -> Vec<AdapterInfo> {
    vec![
        adapter("GeForce", AdapterKind::Discrete, Ok(Tier::Full)),
        adapter("Iris", AdapterKind::Integrated, Ok(Tier::Basic)),
        adapter("Old", AdapterKind::Integrated, Err(TierRefusal::NoCompute)),
        adapter("llvmpipe", AdapterKind::Software, Ok(Tier::Full)),
    ]
}

/// The rates of a CPU of 600 Msamples/s, of a GPU ten times as fast behind a bus, of a slow GPU, and of a software
/// adapter that claims implausible speed.
fn rates(id: DeviceId) -> Option<Rates> {
    let gpu = |bus: f64, cascade: f64| Rates {
        upload_bytes_s: Some(bus),
        readback_bytes_s: Some(bus),
        streamed_bytes_s: None,
        memory_bytes_s: 4e11,
        cascade_samples_s: cascade,
        spectra_points_s: cascade,
        filter_operations_s: 100.0 * cascade,
        product_operations_s: 100.0 * cascade,
        overhead_s: 200e-6,
        clock_refused: false,
    };
    match id {
        DeviceId::Cpu => Some(Rates {
            upload_bytes_s: None,
            readback_bytes_s: None,
            streamed_bytes_s: None,
            overhead_s: 0.0,
            clock_refused: false,
            memory_bytes_s: 2e10,
            cascade_samples_s: 6e8,
            spectra_points_s: 6e8,
            filter_operations_s: 2e10,
            product_operations_s: 2e11,
        }),
        DeviceId::Gpu(0) => Some(gpu(12e9, 2e10)),
        DeviceId::Gpu(1) => Some(gpu(6e9, 1e9)),
        DeviceId::Gpu(_) => Some(gpu(1e15, 1e15)),
    }
}

fn choose_among(request: &str, work: &Workload, purpose: RunPurpose, adapters: &[AdapterInfo]) -> DeviceChoice {
    let offer = Offer { adapters, cpu_name: "a CPU", rates: &rates, load: None };
    choose(&DeviceRequest::from(request.to_owned()), work, purpose, &offer)
}

fn work(sections: usize) -> Workload {
    Workload { channels: 2, sections, transfers: 1, ..Workload::default() }
}

#[test]
fn auto_takes_the_faster_for_each_purpose() {
    // A single section does not pay for the transfer; a long chain does, but not in the short chunks of a preview.
    let auto = |sections, purpose| choose_among("auto", &work(sections), purpose, &adapters());
    assert_eq!(auto(1, RunPurpose::Export).device, DeviceId::Cpu);
    let gpu = rates(DeviceId::Gpu(0)).unwrap();
    let streamed = Rates { streamed_bytes_s: Some(24e9), ..gpu };
    let bytes = 2.0 * 4.0 * f64::from(1 << 20);
    let saved = gpu.seconds(&work(1), 1 << 20) - streamed.seconds(&work(1), 1 << 20);
    assert!((saved - (2.0 * bytes / 12e9 - 2.0 * bytes / 24e9)).abs() < 1e-12, "{saved}");
    assert_eq!(gpu.seconds(&work(1), 2048), streamed.seconds(&work(1), 2048), "a short chunk has no pieces");
    let export = auto(40, RunPurpose::Export);
    assert_eq!(export.device, DeviceId::Gpu(0));
    assert!(export.report.reason.contains("times as fast as the CPU"), "{}", export.report.reason);
    let preview = auto(40, RunPurpose::Preview);
    assert_eq!(preview.device, DeviceId::Cpu);
    assert!(preview.report.reason.contains("times as fast as the GPU for the short chunks"), "{preview:?}");
    assert!(!export.report.fallback && !preview.report.fallback);
}

#[test]
fn filters_are_weighed_by_their_operations_and_by_what_they_carry_on() {
    let filtered = |operations: f64, carried_bytes: f64| Workload {
        filters: vec![FilterWork { operations, device_operations: operations, carried_bytes }],
        ..work(0)
    };
    let auto = |work: &Workload, purpose| choose_among("auto", work, purpose, &adapters()).device;
    assert_eq!(auto(&filtered(20.0, 1e3), RunPurpose::Export), DeviceId::Cpu, "a few taps do not pay for the bus");
    assert_eq!(auto(&filtered(400.0, 1e5), RunPurpose::Export), DeviceId::Gpu(0));
    assert_eq!(auto(&filtered(400.0, 1e9), RunPurpose::Export), DeviceId::Cpu, "what goes to and fro decides");
    assert_eq!(auto(&filtered(100.0, 1e5), RunPurpose::Preview), DeviceId::Cpu);
    let cpu = rates(DeviceId::Cpu);
    assert!(too_short_for_a_gpu(&Workload { frames: Some(48_000), ..filtered(400.0, 0.0) }, None));
    assert!(too_short_for_a_gpu(&Workload { frames: Some(48_000), ..filtered(400.0, 0.0) }, cpu));
    assert!(!too_short_for_a_gpu(&Workload { frames: Some(1 << 28), ..filtered(400.0, 0.0) }, cpu));
}

#[test]
fn spectra_are_weighed_by_what_goes_up_is_transformed_and_comes_back() {
    // A million frames with windows of 2048 and a hop of 512, and a picture with few or with many columns.
    let spectra = |frames: f64, readback_bytes| Workload {
        channels: 2,
        spectra: Some(SpectraWork { frames, points: 4.0 * frames, upload_bytes: 4.0 * frames, readback_bytes }),
        ..Workload::default()
    };
    let auto = |work: &Workload| choose_among("auto", work, RunPurpose::Export, &adapters());
    let few = auto(&spectra(1e6, 1e5));
    assert_eq!(few.device, DeviceId::Gpu(0));
    assert!(few.report.reason.ends_with("times as fast as the CPU for these spectra"), "{few:?}");
    assert_eq!(auto(&spectra(1e6, 1e9)).device, DeviceId::Cpu, "the bus takes longer than the transforms");
    assert_eq!(auto(&spectra(1e4, 1e4)).device, DeviceId::Cpu, "a piece so short does not pay");
    assert_eq!(auto(&spectra(1e4, 1e4)).report.reason.matches("these spectra").count(), 1);
    let cpu = rates(DeviceId::Cpu);
    for rates in [cpu, None] {
        assert!(too_short_for_a_gpu(&Workload { frames: Some(1 << 20), ..spectra(1e6, 1e5) }, rates));
        assert!(!too_short_for_a_gpu(&Workload { frames: Some(1 << 30), ..spectra(1e6, 1e5) }, rates));
    }
}

#[test]
fn auto_never_takes_software_or_what_is_unknown_or_inaccurate() {
    let auto = |adapters: &[AdapterInfo], work: &Workload| choose_among("auto", work, RunPurpose::Export, adapters);
    assert_eq!(auto(&adapters()[2..], &work(40)).report.reason, "no hardware GPU can be used");
    assert_eq!(auto(&adapters()[3..], &work(40)).report.reason, "no hardware GPU was found");
    assert_eq!(auto(&[], &work(40)).report.reason, "no GPU adapter was found");
    let inaccurate = Workload { inaccurate: Some("too narrow".to_owned()), ..work(40) };
    assert_eq!(auto(&adapters(), &inaccurate).report.reason, "accuracy: too narrow");
    let offer = Offer { adapters: &adapters(), cpu_name: "a CPU", rates: &|_| None, load: None };
    let choice = choose(&DeviceRequest::Auto, &work(40), RunPurpose::Export, &offer);
    assert_eq!(choice.device, DeviceId::Cpu);
}

#[test]
fn auto_takes_no_second_way_to_a_card_and_no_opengl() {
    // Each back end claims to be faster than the one before it.
    let rates = |id| match id {
        DeviceId::Gpu(index) => {
            rates(DeviceId::Gpu(0)).map(|rates| Rates { overhead_s: 1e-4 / (index + 1) as f64, ..rates })
        }
        DeviceId::Cpu => rates(id),
    };
    let card = |backend, same_as| AdapterInfo {
        backend,
        same_as,
        ..adapter("GeForce", AdapterKind::Discrete, Ok(Tier::Full))
    };
    let adapters = [card("Vulkan", None), card("DX12", Some(0)), card("OpenGL", Some(0))];
    let choose = |request: &str, adapters: &[AdapterInfo]| {
        let offer = Offer { adapters, cpu_name: "a CPU", rates: &rates, load: None };
        choose(&DeviceRequest::from(request.to_owned()), &work(40), RunPurpose::Export, &offer)
    };
    assert_eq!(choose("auto", &adapters).device, DeviceId::Gpu(0));
    assert_eq!(choose("auto", &[card("OpenGL", None)]).device, DeviceId::Cpu);
    for (request, index) in [("geforce", 0), ("dx12", 1), ("GeForce OpenGL", 2), ("gpu:2", 2), ("gpu", 0)] {
        assert_eq!(choose(request, &adapters).device, DeviceId::Gpu(index), "{request}");
    }
    assert_eq!(adapters[0].passed_over(), None);
    assert_eq!(adapters[1].passed_over().as_deref(), Some("the same device as gpu:0, through another driver"));
    // The reason says when the device's timestamps were refused.
    let refused = |id| rates(id).map(|rates| Rates { clock_refused: true, ..rates });
    let offer = Offer { adapters: &adapters, cpu_name: "a CPU", rates: &refused, load: None };
    let reason = super::choose(&DeviceRequest::Auto, &work(40), RunPurpose::Export, &offer).report.reason;
    assert!(reason.ends_with("timed from outside, as its own clock is wrong"), "{reason}");
}

#[test]
fn jobs_that_run_at_once_are_shared_among_devices() {
    let turns = Turns::default();
    let (work, purpose, adapters) = (work(40), RunPurpose::Export, adapters());
    let choose_next = |request: &str| {
        let mut load = turns.load();
        let offer = Offer { adapters: &adapters, cpu_name: "a CPU", rates: &rates, load: Some(&load) };
        let choice = choose(&DeviceRequest::from(request.to_owned()), &work, purpose, &offer);
        let turn = turns.take(&mut load, choice.device);
        (choice, turn)
    };
    // The first jobs go to the faster device, until the other would have done one more before it.
    let jobs: Vec<_> = (0..40).map(|_| choose_next("auto")).collect();
    let on = |id| jobs.iter().filter(|(choice, _)| choice.device == id).count();
    assert_eq!(jobs[0].0.device, DeviceId::Gpu(0));
    assert!(on(DeviceId::Gpu(0)) > on(DeviceId::Cpu) && on(DeviceId::Cpu) > 0, "{} on the CPU", on(DeviceId::Cpu));
    // A device that failed is left out.
    jobs[0].1.device_failed();
    drop(jobs);
    assert_eq!(choose_next("gpu:0,cpu").0.device, DeviceId::Cpu);
    assert_ne!(choose_next("auto").0.device, DeviceId::Gpu(0));
    let (choice, _turn) = choose_next("gpu:9,cpu");
    assert_eq!((choice.device, choice.report.fallback), (DeviceId::Cpu, false));
    assert_eq!(choice.report.reason, "selected, one of gpu:9,cpu");
    let (choice, _turn) = choose_next("gpu:9,gpu:8");
    assert_eq!((choice.device, choice.report.fallback), (DeviceId::Cpu, true), "{:?}", choice.report);
}

#[test]
fn rates_that_no_device_has_are_told_from_those_that_one_may_have() {
    let good = rates(DeviceId::Gpu(0)).unwrap();
    assert!(good.are_plausible() && rates(DeviceId::Cpu).is_some_and(|rates| rates.are_plausible()));
    let spoiled: [fn(&mut Rates, f64); 7] = [
        |rates, value| rates.upload_bytes_s = Some(value),
        |rates, value| rates.readback_bytes_s = Some(value),
        |rates, value| rates.streamed_bytes_s = Some(value),
        |rates, value| rates.memory_bytes_s = value,
        |rates, value| rates.cascade_samples_s = value,
        |rates, value| rates.spectra_points_s = value,
        |rates, value| rates.filter_operations_s = value,
    ];
    for (n, spoil) in spoiled.iter().enumerate() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 8e15 * 1e9] {
            let mut rates = good;
            spoil(&mut rates, value);
            assert!(!rates.are_plausible(), "rate {n} at {value}");
        }
    }
    assert!(!Rates { overhead_s: f64::NAN, ..good }.are_plausible());
    // 8 MiB in 1 ns, as with a clock that stands still.
    assert!(!Rates { memory_bytes_s: 16_777_216.0 / 1e-9, ..good }.are_plausible());
}

#[test]
fn work_done_before_a_gpu_stands_ready_opens_no_driver() {
    let cpu = rates(DeviceId::Cpu);
    let lasting = |frames: Option<u64>, sections: usize| Workload { frames, ..work(sections) };
    // Three sections over a minute of stereo take this CPU about 30 ms; over an hour, 1.8 s.
    assert!(too_short_for_a_gpu(&lasting(Some(60 * 48_000), 3), cpu));
    assert!(!too_short_for_a_gpu(&lasting(Some(3600 * 48_000), 3), cpu));
    assert!(!too_short_for_a_gpu(&lasting(Some(60 * 48_000), 300), cpu));
    // A stream of unknown length may be long. A CPU that was not measured is assumed to be slow.
    assert!(!too_short_for_a_gpu(&lasting(None, 3), cpu));
    assert!(too_short_for_a_gpu(&lasting(Some(60 * 48_000), 3), None));
    assert!(!too_short_for_a_gpu(&lasting(Some(3600 * 48_000), 3), None));
}

#[test]
fn what_is_asked_for_is_used_or_the_reason_is_told() {
    let ask = |request: &str| choose_among(request, &work(1), RunPurpose::Preview, &adapters());
    for (request, device) in [("gpu", 0), ("gpu:1", 1), ("force", 0), ("LLVM", 3), ("gpu:3", 3)] {
        let choice = ask(request);
        assert_eq!((choice.device, choice.report.fallback), (DeviceId::Gpu(device), false), "{request}");
        assert_eq!((choice.report.requested, choice.report.used), (request.to_owned(), format!("gpu:{device}")));
    }
    for (request, reason) in [
        ("gpu:2", "Old cannot be used: it has no compute shaders"),
        ("gpu:7", "there is no gpu:7, found: gpu:0 GeForce"),
        ("Voodoo", "no adapter's name contains `Voodoo`, found: gpu:0 GeForce"),
    ] {
        let report = ask(request).report;
        assert!(report.fallback && report.used == "cpu" && report.reason.starts_with(reason), "{report:?}");
    }
    // The best usable adapter; a software one if there is no other.
    let choice = choose_among("gpu", &work(1), RunPurpose::Export, &adapters()[2..]);
    assert_eq!(choice.device, DeviceId::Gpu(1));
    assert!(choice.report.reason.contains("software"));
}
