//! Converts the state of a scan to the form that the window shows.

use super::types::{InHandView, ScanPhase, ScanTime, ScanView};
use crate::error::Error;
use crate::library::{Phase, ScanOutcome, ScanStatus, ScanSummary};
use crate::window::moment::Moment;
use crate::window::workspace::open_document::file_name;

/// Returns the view of a running scan.
pub fn running(status: &ScanStatus) -> ScanView {
    let phase = match status.phase {
        Phase::Walking => ScanPhase::Walking,
        Phase::Analysing => ScanPhase::Analysing,
        Phase::Pausing => ScanPhase::Pausing,
        Phase::Paused => ScanPhase::Paused,
        Phase::Held => ScanPhase::Held,
        // The scan has ended, but its outcome was not collected yet.
        Phase::Stopping | Phase::Ended => ScanPhase::Stopping,
    };
    view(status, phase)
}

/// Returns the view of a scan that has ended.
pub fn ended(status: &ScanStatus, summary: &ScanSummary) -> ScanView {
    let phase = match summary.outcome {
        ScanOutcome::Done => ScanPhase::Done,
        ScanOutcome::Cancelled => ScanPhase::Cancelled,
    };
    ScanView { notices: summary.notices.clone(), ..view(status, phase) }
}

/// Returns the view of a scan that has failed.
pub fn failed(status: &ScanStatus, error: &Error) -> ScanView {
    let mut view = view(status, ScanPhase::Failed);
    view.notices.insert(0, error.to_string());
    view
}

fn view(status: &ScanStatus, phase: ScanPhase) -> ScanView {
    let counts = &status.counts;
    let (stages, time) = (status.time.stages, status.time);
    let in_hand = status.in_hand.iter().map(|track| InHandView {
        id: track.id,
        name: file_name(&track.path),
        done: track.done,
        elapsed_s: track.elapsed_s,
    });
    ScanView {
        moment: Moment::default(),
        phase,
        tracks_done: status.tracks_done,
        tracks_total: status.tracks_total,
        bytes_done: status.bytes_done,
        bytes_total: status.bytes_total as f64,
        found: counts.found,
        analysed: counts.analysed,
        recognised: counts.copied + counts.moved + counts.retagged,
        reread: counts.reread,
        corrected: counts.corrected,
        failed: counts.failed,
        vanished: counts.vanished,
        elapsed_s: status.elapsed_s,
        tracks_per_s: status.tracks_per_s,
        realtime_factor: if status.elapsed_s > 0.0 { status.audio_s / status.elapsed_s } else { 0.0 },
        remaining_s: status.remaining_s,
        time: ScanTime {
            decode: stages.decode,
            analysis: stages.analysis,
            gpu: stages.gpu,
            recognising: time.recognising,
            database: time.database,
            memory: time.memory,
        },
        in_hand: in_hand.collect(),
        memory_bytes: status.memory_bytes,
        device: None,
        fault: status.fault.clone(),
        notices: status.notices.clone(),
    }
}
