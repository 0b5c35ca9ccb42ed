//! The commands of the stems page.

use super::types::{StemsModel, StemsOutlook, StemsQueue, StemsSource, StemsTask};
use super::{StemsPage, requests};
use crate::stems::StemKind;
use crate::window::commands::commands;
use crate::window::jobs::JobId;
use crate::window::playback::types::TransportView;
use crate::work::settings::StemsWish;

commands! {
    stems(app);

    StemsPage(&app.stems) {
        /// Returns the models that separate recordings into stems.
        [Long] models() -> Vec<StemsModel>;
        /// Returns the separations that are running and waiting.
        [Control] view() -> StemsQueue;
        /// Removes a recording from the queue; if it is being separated, it is cancelled and the next one starts.
        [Control] remove(task: StemsTask) -> StemsQueue;
        /// Chooses the stems to play of a recording that is being separated, and plays from a frame as far as they are
        /// computed. Without a frame, nothing is played.
        [Transport] hear(task: StemsTask, stems: Vec<StemKind>, from_frame: Option<u64>) -> TransportView;
    }

    requests(app) {
        /// Returns what is known about a separation before it starts.
        [Long] outlook(source: StemsSource, wish: StemsWish) -> StemsOutlook;
        /// Starts to separate recordings, or queues them after earlier requests. The stems of each recording open as a
        /// document.
        [Long] start(source: StemsSource, wish: StemsWish) -> JobId;
    }
}
