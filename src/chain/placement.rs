//! Where a renderer is to run.

use std::sync::Arc;

use super::plan::{Op, Plan};
use crate::device::{DeviceId, DeviceRequest, Devices, Fallback, RunPurpose, Workload};
use crate::gpu::Signal;
use crate::kernels;
use crate::kernels::iir_cascade::{Cascade, predicted_f32_error_db};

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

    /// Chooses a device for a plan. Only where that is a GPU its accuracy is predicted.
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
        Fallback::new(choice, self.purpose.chunk_frames())
    }
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
    let mut on_host = 0;
    for op in &plan.ops {
        match op {
            Op::Cascade { sections, gain, .. } => {
                work.channels = work.channels.max(gain.len());
                work.sections += sections.len();
            }
            Op::Gain { .. } => work.passes += 1,
            Op::Mix { inputs } => work.passes += inputs.len() - 1,
            Op::Process { .. } | Op::Delay { .. } => on_host += 1,
            Op::Copy { .. } => {}
        }
    }
    work.transfers += on_host;
    work.impossible = if plan.is_identity() {
        Some("the chain leaves the signal as it is".to_owned())
    } else if work.sections == 0 && work.passes == 0 {
        Some("no effect of the chain has a GPU kernel".to_owned())
    } else if Signal::most_frames(work.channels) == 0 {
        Some(format!("{} channels are more than a GPU's buffers hold", work.channels))
    } else {
        None
    };
    work
}
