//! Chooses where a renderer runs.

use std::collections::BTreeMap;

use super::plan::{Op, Plan};
use dsp::device::{DeviceChoice, DeviceId, Fallback, FilterWork, Placement, RunPurpose, Workload};
use dsp::gpu::{AdapterKind, Signal};
use dsp::kernels::signal::fir::FirPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, KERNEL, predicted_f32_error_db};

/// The maximum chunk length in frames when long filters call for larger chunks.
const MAX_CHUNK_FRAMES: usize = 1 << 20;

/// Chooses a device for a plan. Predicts the accuracy only for a GPU. The report names the parts that run on the
/// CPU nevertheless.
pub(super) fn choose(placement: &Placement, plan: &Plan) -> Fallback {
    let mut work = Workload { frames: placement.frames, ..workload(plan) };
    let mut chosen = placement.choose_device(&work);
    if chosen.choice.device != DeviceId::Cpu {
        work.inaccurate = plan.ops.iter().find_map(|op| match op {
            Op::Cascade { sections, .. } => inaccurate(predicted_f32_error_db(&Cascade::new(sections))),
            _ => None,
        });
        if work.inaccurate.is_some() {
            chosen = placement.choose_device(&work);
        }
    }
    let DeviceChoice { device, report } = &mut chosen.choice;
    if *device != DeviceId::Cpu {
        report.reason.extend(on_the_cpu(plan).map(|what| format!("; {what}")));
    }
    let chunk = chunk_frames(placement, plan, placement.devices.kind(*device));
    Fallback::of(chosen, chunk)
}

/// Returns the chunk length in frames. For an export it is large enough that the carried history of long filters is
/// the smaller part of each upload.
fn chunk_frames(placement: &Placement, plan: &Plan, kind: Option<AdapterKind>) -> usize {
    let usual = placement.purpose.chunk_frames(kind, plan.input.channels);
    let carried = |op: &Op| match op {
        Op::Process { process, .. } => process.fir().map(|stream| stream.plan().shape().before()),
        _ => None,
    };
    match placement.purpose {
        RunPurpose::Preview => usual,
        RunPurpose::Export => {
            let longest = plan.ops.iter().filter_map(carried).max().unwrap_or(0);
            (2 * longest).next_power_of_two().clamp(usual, MAX_CHUNK_FRAMES.max(usual))
        }
    }
}

/// Returns which effects of a plan run on the CPU in any case, and why.
fn on_the_cpu(plan: &Plan) -> Option<String> {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (effect, reason) in plan.ops.iter().filter_map(Op::host_only) {
        let effects = reasons.entry(reason).or_default();
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    let told = reasons.into_iter().map(|(reason, effects)| format!("{} ({reason})", effects.join(", ")));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("on the CPU in between: {}", told.join("; ")))
}

/// Returns why filters with this predicted error must not run on a GPU, or `None` if they may.
fn inaccurate(db: f64) -> Option<String> {
    let tolerance = KERNEL.tolerance_db;
    // `NaN` is not within the tolerance.
    let within = db <= tolerance;
    (!within).then(|| format!("in 32-bit floats the filters would be off by {db:.0} dB, allowed are {tolerance:.0} dB"))
}

/// Summarises a plan for the choice of a device.
fn workload(plan: &Plan) -> Workload {
    let mut work = Workload { channels: plan.input.channels, transfers: 1, ..Workload::default() };
    for op in &plan.ops {
        match op {
            Op::Cascade { sections, gain, .. } => {
                work.channels = work.channels.max(gain.len());
                work.sections += sections.len();
            }
            Op::Gain { .. } | Op::Delay { .. } => work.passes += 1,
            Op::Mix { inputs } => work.passes += inputs.len() - 1,
            Op::Process { process, .. } if op.host_only().is_none() => {
                work.filters.extend(process.fir().and_then(|stream| filter_work(stream.plan())));
            }
            Op::Process { .. } => work.transfers += 1,
            Op::Copy { .. } | Op::Crossfade { .. } => {}
        }
    }
    work.impossible = if plan.is_identity() {
        Some("the chain leaves the signal as it is".to_owned())
    } else if !plan.ops.iter().any(Op::has_kernel) {
        Some(why_none(plan))
    } else if Signal::max_frames(work.channels) == 0 {
        Some(format!("{} channels are more than a GPU's buffers hold", work.channels))
    } else {
        None
    };
    work
}

fn filter_work(plan: &FirPlan) -> Option<FilterWork> {
    let layout = plan.on_gpu_layout().ok()?;
    Some(FilterWork {
        operations: plan.operations(),
        device_operations: layout.operations(),
        carried_bytes: layout.carried_bytes(),
    })
}

/// Returns why no part of a plan can run on a GPU.
fn why_none(plan: &Plan) -> String {
    let refused = plan.ops.iter().find_map(|op| match op {
        Op::Process { process, .. } if process.fir().is_some() => op.host_only(),
        _ => None,
    });
    refused.map_or_else(
        || "no effect of the chain has a GPU kernel".to_owned(),
        |(effect, why)| format!("{effect}: {why}"),
    )
}
