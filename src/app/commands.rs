//! The one table of commands that a window may give: names, arguments, results.
//!
//! Both the dispatch ([`super::App::call`]) and the TypeScript declarations ([`super::bindings`]) are made from it, so
//! that neither can differ from the other.

/// Hands the whole table to another macro.
macro_rules! command_table {
    ($callback:ident) => {
        $callback! {
            /// All that a window needs to begin.
            startup() -> Startup;
            /// Lets the user choose files and opens them; empty when cancelled.
            open_dialog() -> Opened;
            /// Opens a file that was opened before.
            open_recent(id: u32) -> Opened;
            /// Files opened before, the latest first.
            recent() -> Vec<RecentFile>;
            /// Forgets them all.
            clear_recent() -> Vec<RecentFile>;
            /// Opens the recording that the program synthesises itself.
            open_demo() -> Opened;
            /// Closes a document; its recording is not touched.
            close_document(document: DocumentId) -> ();
            /// Brings a document to the front.
            activate_document(document: DocumentId) -> ();
            /// Lets the user say where a missing recording is now.
            locate_source(document: DocumentId, source: usize) -> DocumentView;
            /// Changes a document; can be undone.
            edit(document: DocumentId, edit: Edit) -> DocumentView;
            /// Takes the last edit back.
            undo(document: DocumentId) -> DocumentView;
            /// Does it again.
            redo(document: DocumentId) -> DocumentView;
            /// Whether a text is a chain, and what is wrong with it where.
            check_chain(text: String) -> ChainCheck;
            /// Magnitude responses of the chain and its nodes.
            response(document: DocumentId, points: usize, from_hz: f64, to_hz: f64) -> ResponseView;
            /// What each node costs and where work runs.
            chain_report(document: DocumentId) -> ChainReport;
            /// Selects frames, or nothing; and of these a band of frequencies, or all.
            set_selection(document: DocumentId, selection: Option<Selection>, band: Option<FrequencyBand>) -> DocumentView;
            /// Remembers what is shown and where the cursor stands.
            set_view(document: DocumentId, view: ViewRange, cursor_frame: u64) -> ();
            /// Measures a range of the recording.
            levels(document: DocumentId, range: Selection) -> RangeLevels;
            /// Measures a range of the recording, or a band of frequencies of it.
            region_levels(document: DocumentId, range: Selection, band: Option<FrequencyBand>) -> RegionLevels;
            /// Says in words and figures what a recording is.
            describe(document: DocumentId) -> Description;
            /// Lets the user choose a file and writes the spectrogram to it; none when cancelled.
            export_picture(document: DocumentId, side: Side, analysis: SpectrogramAnalysis, display: SpectrogramDisplay, width: u32, height: u32, axes: bool, format: PictureFormat) -> Option<ExportTarget>;
            /// The spectrum at a place of a spectrogram, and the peak nearest to it.
            spectrum_at(document: DocumentId, analysis: SpectrogramAnalysis, channels: LaneChannels, lane: usize, side: Side, frame: u64, hz: f64) -> SpectrumAt;
            /// Gives up tiles that are no longer to be seen.
            cancel_tiles(document: DocumentId, requests: Vec<u32>) -> ();
            /// Spectrogram settings for a purpose.
            spectrogram_presets() -> Vec<SpectrogramPreset>;
            /// Plays from a frame, to another or to the end.
            play(document: DocumentId, from_frame: u64, until_frame: Option<u64>) -> TransportView;
            /// Stops.
            stop() -> TransportView;
            /// Moves the play head.
            seek(frame: u64) -> TransportView;
            /// Repeats the selection, or not.
            set_loop(looping: bool) -> TransportView;
            /// Lets the original or the processed side be heard.
            set_side(side: Side) -> TransportView;
            /// Brings both sides to the same loudness, or not.
            set_matched(matched: bool) -> TransportView;
            /// Begins to look at what is heard, or ends.
            set_monitoring(on: bool) -> ();
            /// Lets the analyser's held peaks, or the loudness of what is heard, begin anew.
            reset_monitor(part: MonitorPart) -> ();
            /// Gives up the loudness over time of a document that is being measured.
            stop_loudness(document: DocumentId) -> ();
            /// Sound outputs there are.
            outputs() -> Vec<OutputView>;
            /// Devices, what they measured, and what is used.
            devices() -> DevicesView;
            /// Measures every device anew.
            measure_devices() -> DevicesView;
            /// Lets the user choose the file of an export; none when cancelled.
            choose_export(document: DocumentId, settings: ExportSettings) -> Option<ExportTarget>;
            /// Begins an export to a file chosen before.
            export(document: DocumentId, target: TargetId, settings: ExportSettings) -> JobId;
            /// Stops a job.
            cancel_job(job: JobId) -> ();
            /// Jobs since the start.
            jobs() -> Vec<JobView>;
            /// Stored chains.
            presets() -> Vec<PresetView>;
            /// Stores the chain of a document, or one node of it.
            save_preset(document: DocumentId, node: Option<NodeId>, name: String, replace: bool) -> Vec<PresetView>;
            /// Deletes a stored chain of the user's.
            delete_preset(name: String) -> Vec<PresetView>;
            /// Lets the user choose a preset file and stores it.
            import_preset() -> Vec<PresetView>;
            /// Lets the user choose where to write a preset; false when cancelled.
            export_preset(name: String) -> bool;
            /// The settings.
            settings() -> Settings;
            /// Changes the settings.
            set_settings(settings: Settings) -> Settings;
        }
    };
}

pub(crate) use command_table;
