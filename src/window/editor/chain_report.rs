//! The response of a document's chain, and its cost on the devices.

use std::sync::Arc;

use super::types::{ChainReport, NodeReport, ResponseView};
use crate::chain::response::{chain_response, log_grid, node_response};
use crate::chain::{MeasuredMap, NodeKind, Placement, Renderer, cost, node_transfer};
use crate::device::RunPurpose;
use crate::effects;
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::workspace::types::DocumentId;

/// The greatest number of points of a response that a window can request.
const MAX_POINTS: usize = 8192;

impl App {
    pub(in crate::window) fn response(
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

    pub(in crate::window) fn chain_report(&self, document: DocumentId) -> Result<ChainReport> {
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
