//! Where a renderer is to run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::plan::{Op, Plan};
use crate::device::{DeviceId, DeviceRequest, Devices, Fallback, FilterWork, RunPurpose, Workload};
use crate::gpu::Signal;
use crate::kernels;
use crate::kernels::fir::FirPlan;
use crate::kernels::iir_cascade::{Cascade, predicted_f32_error_db};

/// A chunk is made no longer than this for what its filters carry on.
const MOST_CHUNK_FRAMES: usize = 1 << 20;

/// The device that is asked for, what for, and what there is to choose from.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The devices of this machine.
    pub devices: Arc<Devices>,
    /// What was asked for.
    pub request: DeviceRequest,
    /// What the renderer is made for.
    pub purpose: RunPurpose,
    /// Frames of the whole stream, where that is known and ends: what is short is not worth waking a GPU for.
    pub frames: Option<u64>,
}

impl Placement {
    /// One of `devices`, as `request` says.
    pub fn new(request: DeviceRequest, devices: Arc<Devices>, purpose: RunPurpose) -> Self {
        Self { devices, request, purpose, frames: None }
    }

    /// The same for a stream of so many frames.
    #[must_use]
    pub fn for_frames(mut self, frames: u64) -> Self {
        self.frames = Some(frames);
        self
    }

    /// On the CPU; no GPU driver is touched.
    pub fn cpu() -> Self {
        Self::new(DeviceRequest::Cpu, Arc::default(), RunPurpose::Export)
    }

    /// Chooses a device for a plan. Only where that is a GPU its accuracy is predicted. The report tells what of it runs
    /// on the CPU nevertheless.
    pub(super) fn choose(&self, plan: &Plan) -> Fallback {
        let mut work = Workload { frames: self.frames, ..workload(plan) };
        let mut choice = self.devices.choose(&self.request, &work, self.purpose);
        if choice.device != DeviceId::Cpu {
            work.inaccurate = plan.ops.iter().find_map(|op| match op {
                Op::Cascade { sections, .. } => inaccurate(predicted_f32_error_db(&Cascade::new(sections))),
                _ => None,
            });
            if work.inaccurate.is_some() {
                choice = self.devices.choose(&self.request, &work, self.purpose);
            }
        }
        if choice.device != DeviceId::Cpu {
            choice.report.reason.extend(on_the_cpu(plan).map(|what| format!("; {what}")));
        }
        Fallback::new(choice, self.chunk_frames(plan))
    }
}

impl Placement {
    /// Frames of a chunk: of an export so many that what long filters carry on is the smaller part of what goes up.
    fn chunk_frames(&self, plan: &Plan) -> usize {
        let usual = self.purpose.chunk_frames();
        let carried = |op: &Op| match op {
            Op::Process { process, .. } => process.fir().map(|stream| stream.plan().shape().before()),
            _ => None,
        };
        match self.purpose {
            RunPurpose::Preview => usual,
            RunPurpose::Export => {
                let longest = plan.ops.iter().filter_map(carried).max().unwrap_or(0);
                (2 * longest).next_power_of_two().clamp(usual, MOST_CHUNK_FRAMES)
            }
        }
    }
}

/// What of a plan runs on the CPU wherever the rest does, and why.
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

/// Why filters with this predicted error may not run on a GPU.
fn inaccurate(db: f64) -> Option<String> {
    let tolerance = kernels::find("iir_cascade")?.tolerance_db;
    // A NaN is not within it.
    let within = db <= tolerance;
    (!within).then(|| format!("in 32-bit floats the filters would be off by {db:.0} dB, allowed are {tolerance:.0} dB"))
}

/// A plan as far as the choice of a device depends on it.
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
            Op::Copy { .. } => {}
        }
    }
    work.impossible = if plan.is_identity() {
        Some("the chain leaves the signal as it is".to_owned())
    } else if !plan.ops.iter().any(Op::has_kernel) {
        Some(why_none(plan))
    } else if Signal::most_frames(work.channels) == 0 {
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

/// Why nothing of a plan can run on a GPU.
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
