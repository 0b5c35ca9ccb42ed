//! The commands of the editor.

use super::measurements::{Description, Levels};
use super::picture_files::PictureFormat;
use super::presets::PresetView;
use super::spectrogram_presets::SpectrogramPreset;
use super::types::{ChainReport, Edit, ExportTags, ResponseView, TagEdits};
use crate::audio::Lanes;
use crate::audio::encode::FileFormat;
use crate::chain::NodeId;
use crate::document::{Band, FrameRange, MarkerEdit, Rack, SoundEdit, TrackChoice, TrackEdit};
use crate::error::{Failure, NotationError};
use crate::generate::GeneratorSettings;
use crate::playback::{MonitorPart, Side};
use crate::view::spectrogram::{Analysis, SpectrumReading};
use crate::window::App;
use crate::window::commands::commands;
use crate::window::jobs::JobId;
use crate::window::workspace::types::{
    ClipView, CoverId, DocumentId, DocumentView, MarkerView, Opened, TargetId, ViewRange,
};
use crate::work::cover::CoverView;
use crate::work::export::{ExportForecast, ExportPlan, ExportSettings};
use crate::work::settings::SpectrogramDisplay;

commands! {
    editor(app);

    App(app) {
        /// Selects which of a document's two racks is heard and edited. This is not an undo step.
        [Document] set_rack(document: DocumentId, rack: Rack) -> DocumentView;
        /// Lets the user choose the file for a parameter, or the folder if the parameter accepts one. Can be undone;
        /// changes nothing if cancelled.
        [Long] choose_argument(document: DocumentId, node: NodeId, name: String, folder: bool) -> DocumentView;
        /// Edits a document. Can be undone.
        [Document] edit(document: DocumentId, edit: Edit) -> DocumentView;
        /// Edits the sound of a document at its selection or cursor. Can be undone.
        [Document] edit_sound(document: DocumentId, edit: SoundEdit) -> DocumentView;
        /// Like `edit_sound`, but also for edits that have to be rendered: mixing, edits of some channels, and pasting
        /// a copy of some channels. Rendering is a job.
        [Long] render_sound(document: DocumentId, edit: SoundEdit) -> DocumentView;
        /// Copies the selection. With `cut`, also deletes it, which can be undone.
        [Document] copy_sound(document: DocumentId, cut: bool) -> DocumentView;
        /// Lets the user choose a recording, and inserts it at the cursor or in place of the selection. Can be undone;
        /// unchanged if cancelled.
        [Long] insert_file(document: DocumentId) -> DocumentView;
        /// Edits the tracks of a document. Changes of one gesture are one step. Can be undone.
        [Document] edit_tracks(document: DocumentId, edit: TrackEdit, gesture: Option<u32>) -> DocumentView;
        /// Chooses the track that is edited and shown, or the sum of all. This is not an undo step.
        [Document] choose_track(document: DocumentId, choice: TrackChoice) -> DocumentView;
        /// Lets the user choose a folder and starts to write each track there, with the settings of the last export;
        /// null if cancelled.
        [Long] export_stems(document: DocumentId) -> Option<JobId>;
        /// Lets the user choose recordings and adds each as a track. Can be undone; unchanged if cancelled.
        [Long] import_tracks(document: DocumentId) -> DocumentView;
        /// Generates a signal into a new document.
        [Long] generate(settings: GeneratorSettings) -> Opened;
        /// Generates a signal and inserts it at the cursor or in place of the selection. Can be undone.
        [Long] insert_generated(document: DocumentId, settings: GeneratorSettings) -> DocumentView;
        /// Cancels the running generation.
        [Control] cancel_generating() -> ();
        /// Moves both ends of the selection, or the cursor, to the nearest zero crossings.
        [Document] snap_to_zero(document: DocumentId) -> DocumentView;
        /// Returns the clips of a document, in order.
        [Document] clips(document: DocumentId) -> Vec<ClipView>;
        /// Returns the zero crossing nearest to each of these frames, or the frame itself if there is none within 20
        /// ms.
        [Document] zero_crossings(document: DocumentId, frames: Vec<u64>) -> Vec<u64>;
        /// Returns whether the sound that was cut or copied last has only some of the channels, so that pasting renders
        /// it first; null if there is none.
        [Control] copied_sound() -> Option<bool>;
        /// Returns the markers and regions of a document, ordered by start.
        [Document] markers(document: DocumentId) -> Vec<MarkerView>;
        /// Changes the markers of a document. Can be undone.
        [Document] edit_markers(document: DocumentId, edit: MarkerEdit) -> DocumentView;
        /// Lets the user choose a file of markers or a recording and adds its markers. Can be undone; changes nothing
        /// if cancelled.
        [Long] import_markers(document: DocumentId) -> DocumentView;
        /// Lets the user choose a file and writes the markers to it, in the format of its extension. Returns the name
        /// of the file; null if cancelled.
        [Long] export_markers(document: DocumentId) -> Option<String>;
        /// Undoes the last edit.
        [Document] undo(document: DocumentId) -> DocumentView;
        /// Redoes the last undone edit.
        [Document] redo(document: DocumentId) -> DocumentView;
        /// Returns the names of the effects that match the words, best first; all effects if there are no words.
        [Control] search_effects(words: String) -> Vec<String>;
        /// Checks whether a text is a valid chain; if not, returns the error and its position.
        [Control] check_chain(text: String) -> Option<NotationError>;
        /// Returns the magnitude responses of the chain and its nodes.
        [Document] response(document: DocumentId, points: usize, from_hz: f64, to_hz: f64) -> ResponseView;
        /// Returns the cost of each node and the device on which work runs.
        [Long] chain_report(document: DocumentId) -> ChainReport;
        /// Selects frames or nothing; optionally also a frequency band of these frames, and the channels that edits act
        /// on, null for all.
        [Document] set_selection(document: DocumentId, selection: Option<FrameRange>, band: Option<Band>, channels: Option<Vec<usize>>) -> DocumentView;
        /// Stores the visible range, the cursor position and the level zoom.
        [Document] set_view(document: DocumentId, view: ViewRange, cursor_frame: u64, level_zoom: f64) -> ();
        /// Measures peak and RMS of a range of one side. Cancels an earlier call for the same document.
        [Long] levels(document: DocumentId, side: Side, range: FrameRange) -> Levels;
        /// Measures the levels of a range of one side, or of a frequency band of it. Cancels an earlier call for the
        /// same document.
        [Long] region_levels(document: DocumentId, side: Side, range: FrameRange, band: Option<Band>) -> Levels;
        /// Describes one side of a document in words and figures. Cancels an earlier call for the same document.
        [Long] describe(document: DocumentId, side: Side) -> Description;
        /// Cancels the description of a document.
        [Control] cancel_describing(document: DocumentId) -> ();
        /// Lets the user choose a file and writes the spectrogram to it; null if cancelled.
        [Long] export_picture(document: DocumentId, side: Side, analysis: Analysis, display: SpectrogramDisplay, width: u32, height: u32, axes: bool, format: PictureFormat) -> Option<JobId>;
        /// Returns the spectrum at a point of a spectrogram, and the peak nearest to that point.
        [Long] spectrum_at(document: DocumentId, analysis: Analysis, channels: Lanes, lane: usize, side: Side, frame: u64, hz: f64) -> SpectrumReading;
        /// Cancels requests for tiles that are no longer visible.
        [Control] cancel_tiles(document: DocumentId, requests: Vec<u32>) -> ();
        /// Returns spectrogram presets for particular purposes.
        [Control] spectrogram_presets() -> Vec<SpectrogramPreset>;
        /// Starts or stops monitoring the sound that is heard.
        [Transport] set_monitoring(on: bool) -> ();
        /// Resets the analyser's peak hold, or the loudness of the sound that is heard.
        [Transport] reset_monitor(part: MonitorPart) -> ();
        /// Cancels the loudness measurement of a document.
        [Control] cancel_loudness(document: DocumentId) -> ();
        /// Lets the user choose the file of an export; null if cancelled.
        [Long] choose_export(document: DocumentId, settings: ExportSettings) -> Option<TargetId>;
        /// Starts an export to a previously chosen file, with changes of the recording's tags.
        [Document] export(document: DocumentId, target: TargetId, settings: ExportSettings, tags: Option<TagEdits>) -> JobId;
        /// Returns the length and size of the file that an export would write, and the tags that it could not hold.
        [Long] export_plan(document: DocumentId, settings: ExportSettings, tags: TagEdits) -> ExportPlan;
        /// Starts to measure what an export would write, and cancels an earlier measurement.
        [Document] forecast_export(document: DocumentId, settings: ExportSettings) -> JobId;
        /// Returns the result of the last measurement; null before it is done.
        [Control] export_forecast(job: JobId) -> Option<ExportForecast>;
        /// Returns why this system cannot write a format, and what to do; null if it can.
        [Long] encoder_problem(format: FileFormat) -> Option<Failure>;
        /// Returns the tags that an export carries over.
        [Long] export_tags(document: DocumentId) -> ExportTags;
        /// Lets the user choose a picture as the cover of an export. Returns its handle and the picture; null if
        /// cancelled.
        [Long] choose_cover() -> Option<(CoverId, CoverView)>;
        /// Shows an exported file in the system's file manager.
        [Long] show_exported(job: JobId) -> ();
        /// Opens an exported file.
        [Long] open_exported(job: JobId) -> Opened;
        /// Returns the stored chains.
        [Session] presets() -> Vec<PresetView>;
        /// Stores the chain of a document, or one node of it.
        [Document] save_preset(document: DocumentId, node: Option<NodeId>, name: String, replace: bool) -> Vec<PresetView>;
        /// Deletes one of the user's stored chains.
        [Session] delete_preset(name: String) -> Vec<PresetView>;
        /// Lets the user choose a preset file and stores the preset.
        [Long] import_preset() -> Vec<PresetView>;
        /// Lets the user choose where to write a preset; false if cancelled.
        [Long] export_preset(name: String) -> bool;
    }
}
