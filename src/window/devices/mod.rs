//! Devices, and the cost of a chain on them, as a front end shows them.

pub mod types;
pub mod verification;

use std::sync::Arc;

use self::types::{ChainReport, DevicesView, NodeReport, ResponseView};
use super::App;
use super::workspace::Workspace;
use crate::audio::AudioFormat;
use crate::chain::response::{chain_response, log_grid, node_response};
use crate::chain::{Chain, MeasuredMap, NodeKind, Placement, Renderer, cost, node_transfer};
use crate::device::RunPurpose;
use crate::effects;
use crate::error::{Error, Result};
use crate::units::SampleRate;
use crate::window::workspace::types::DocumentId;
use crate::work::devices::DeviceView;

/// The greatest number of points of a response that a window can request.
const MAX_POINTS: usize = 8192;

impl App {
    pub(super) fn devices(&self) -> Result<DevicesView> {
        self.workspace.devices_view()
    }

    pub(super) fn measure_devices(&self) -> Result<DevicesView> {
        for entry in self.workspace.devices.list() {
            if entry.problem.is_none() {
                self.workspace.devices.measure(entry.id)?;
            }
        }
        self.workspace.devices_view()
    }

    pub(super) fn response(
        &self,
        document: DocumentId,
        points: usize,
        from_hz: f64,
        to_hz: f64,
    ) -> Result<ResponseView> {
        if !(2..=MAX_POINTS).contains(&points) {
            return Err(Error::invalid("points of a response", points.to_string(), format!("2 to {MAX_POINTS}")));
        }
        let (chain, format) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.document().chain.clone(), open.format()?)
        };
        let top_hz = to_hz.min(format.rate.nyquist_hz());
        if !(from_hz > 0.0 && from_hz < top_hz) {
            let got = format!("{from_hz} Hz to {to_hz} Hz");
            return Err(Error::invalid(
                "frequencies",
                got,
                format!("above 0 Hz, up to {} Hz", format.rate.nyquist_hz()),
            ));
        }
        let frequency_hz = log_grid(from_hz, top_hz, points);
        let whole = chain_response(&chain, format.rate, &frequency_hz)?;
        let nodes =
            chain.walk_outside_parts().filter(|node| matches!(node.kind, NodeKind::Effect { .. })).filter_map(|node| {
                // An effect without a response, or with an error, has no curve.
                let found = node_response(&chain, node.id, format.rate, &frequency_hz).ok()?;
                Some((node.id, found.magnitude_db))
            });
        Ok(ResponseView { chain_db: whole.magnitude_db, nodes: nodes.collect(), frequency_hz })
    }

    pub(super) fn chain_report(&self, document: DocumentId) -> Result<ChainReport> {
        let (chain, format, request) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.document().chain.clone(), open.format()?, state.settings.device.clone())
        };
        let placement = Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Preview);
        let preview = Renderer::provisional(&chain, format, &placement, &MeasuredMap::default(), effects::find)?;
        Ok(ChainReport {
            preview: preview.report(),
            nodes: cost::of_nodes(&chain, format)
                .into_iter()
                .map(|cost| NodeReport { cost, transfer_db: chain.find(cost.node).and_then(node_transfer) })
                .collect(),
            latency_frames: preview.latency_frames(),
        })
    }
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
