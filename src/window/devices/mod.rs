//! Devices, as a front end shows them.

pub mod commands;
pub mod types;
mod verification;

use std::sync::Arc;

use self::types::DevicesView;
use super::App;
use super::workspace::Workspace;
use crate::audio::AudioFormat;
use crate::chain::{Chain, MeasuredMap, Placement, Renderer};
use crate::device::RunPurpose;
use crate::effects;
use crate::error::Result;
use crate::units::SampleRate;
use crate::work::devices::DeviceView;

fn view(app: &App) -> Result<DevicesView> {
    app.workspace.devices_view()
}

fn measure(app: &App) -> Result<DevicesView> {
    for entry in app.workspace.devices.list() {
        if entry.problem.is_none() {
            app.workspace.devices.measure(entry.id)?;
        }
    }
    app.workspace.devices_view()
}

impl Workspace {
    /// Returns everything that the device panel shows.
    pub(super) fn devices_view(&self) -> Result<DevicesView> {
        let (request, last_job, spectrogram, front) = {
            let state = self.state();
            let front = state.active.and_then(|id| state.documents.get(&id));
            let front = front.and_then(|open| Some((open.document().chain.clone(), open.format().ok()?)));
            (state.settings.device.clone(), state.last_job.clone(), state.spectrogram_device.clone(), front)
        };
        // If no document is open, an empty chain on a stereo recording is used.
        let stereo = AudioFormat::new(SampleRate::new(48_000)?, 2);
        let (chain, format) = front.unwrap_or((Chain::default(), stereo));
        let placement = Placement::new(request.clone(), Arc::clone(&self.devices), RunPurpose::Preview);
        let renderer =
            |chain: &Chain| Renderer::provisional(chain, format, &placement, &MeasuredMap::default(), effects::find);
        // A chain that cannot run is reported in its document; the devices are shown anyway.
        let preview = renderer(&chain).or_else(|_| renderer(&Chain::default()))?.report();
        let pool = self.devices.pool_counts();
        Ok(DevicesView {
            devices: self.devices.list().into_iter().map(DeviceView::from).collect(),
            preview,
            spectrogram: spectrogram.filter(|report| report.requested == request.to_string()),
            request,
            last_job,
            pool_hits: pool.hits,
            pool_misses: pool.misses,
        })
    }
}
