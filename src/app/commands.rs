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
            /// Tries again to open the recordings of a document that could not be read.
            retry_document(document: DocumentId) -> DocumentView;
            /// Lets one of a document's two racks be heard and edited; what undo would undo stays.
            set_rack(document: DocumentId, rack: Rack) -> DocumentView;
            /// Lets the user choose the file of a parameter; can be undone, changes nothing when cancelled.
            choose_argument(document: DocumentId, node: NodeId, name: String) -> DocumentView;
            /// Lets the chains of a document read these files from now on, or takes the effects out that name them.
            answer_files(document: DocumentId, files: Vec<String>, allow: bool) -> DocumentView;
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
            /// Many files through one chain: the list, what is done to it, how it stands.
            batch() -> BatchView;
            /// Lets the user choose files and adds them to the batch.
            add_batch_files() -> BatchView;
            /// Lets the user choose folders and adds the recordings in them to the batch.
            add_batch_folders() -> BatchView;
            /// Takes inputs off the list.
            remove_batch_items(items: Vec<u32>) -> BatchView;
            /// Takes them all off.
            clear_batch() -> BatchView;
            /// Lets the user choose the folder of the outputs; as it was when cancelled.
            choose_batch_output() -> BatchView;
            /// Changes what is done to the inputs, and gives the names that come of it.
            set_batch(settings: BatchSettings) -> BatchView;
            /// Whether files dropped on the window are inputs of the batch from now on.
            take_batch_drops(on: bool) -> ();
            /// Begins to work on the inputs, all of them anew; what a list of finished files has is skipped.
            start_batch() -> BatchView;
            /// Lets it pause when the files in hand are through.
            pause_batch() -> ();
            /// Lets it go on.
            resume_batch() -> ();
            /// Ends it; what is finished stays, of what is not nothing is left.
            cancel_batch() -> ();
            /// Shows an output in the system's file manager.
            show_batch_file(item: u32) -> ();
            /// Lets the user choose a file and writes what became of each input to it; false when cancelled.
            save_batch_report() -> bool;
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
            /// The library: folders, counts, scan, columns.
            library() -> LibraryView;
            /// Lets the user choose folders, adds them and begins to scan them.
            add_library_folders() -> LibraryView;
            /// Takes a folder out of the library, and what is known of its tracks; no file is touched.
            remove_library_folder(folder: i64) -> LibraryView;
            /// Begins to scan the library, or some folders of it.
            scan_library(folders: Vec<i64>) -> LibraryView;
            /// Lets the scan pause when the tracks in hand are through.
            pause_scan() -> ();
            /// Lets it go on.
            resume_scan() -> ();
            /// Ends it; what was found out is kept.
            cancel_scan() -> ();
            /// Watches the folders for changes, or not.
            watch_library(on: bool) -> LibraryView;
            /// Rows of the table.
            library_tracks(query: TrackListQuery, offset: usize, limit: usize) -> TrackPage;
            /// The row that a track has in the table; none where it does not answer.
            library_position(query: TrackListQuery, track: i64) -> Option<usize>;
            /// Numbers of all tracks that answer, in the order of the table: what a map highlights, or a command is to be done to.
            library_numbers(query: TrackListQuery) -> Vec<i64>;
            /// Rows of some tracks, in the order asked for, without those that are no longer there.
            library_rows(tracks: Vec<i64>) -> Vec<TrackItem>;
            /// What is wrong with a query, and what could be typed at the cursor, a place in UTF-16 units.
            complete_query(text: String, cursor: usize) -> QueryCompletions;
            /// All that is known of a track.
            library_track(track: i64) -> TrackPageView;
            /// A track's cover.
            library_cover(track: i64) -> Option<CoverView>;
            /// Opens tracks in the editor.
            open_tracks(tracks: Vec<i64>) -> Opened;
            /// What could not be analysed, and why.
            library_problems() -> Vec<TrackProblem>;
            /// Lets the next scan try tracks again that could not be analysed - these, or all -, and begins it.
            retry_tracks(tracks: Option<Vec<i64>>) -> LibraryView;
            /// The tracks that are most like one; weights by dimension, the standard ones where none is given.
            similar_tracks(like: LikeWhat, weights: BTreeMap<String, f64>, count: usize) -> Vec<SimilarItem>;
            /// Begins to find tracks that are the same recording.
            find_duplicates() -> JobId;
            /// What the last search for duplicates found; none before the first.
            duplicates() -> Option<DuplicatesView>;
            /// Keeps what the user decided about two tracks, or takes it back.
            decide_duplicates(first: i64, second: i64, decision: Option<Decision>) -> ();
            /// Begins to lay out the map.
            make_map() -> JobId;
            /// Begins to identify a clip; none when the user chose no file.
            identify_clip(clip: ClipSource) -> Option<JobId>;
            /// What the last clip is of; none before the first.
            identified() -> Option<IdentifiedView>;
            /// Moves the files of tracks to the system's bin; nothing is deleted. For each track `copies` names those of
            /// which one must be on the disk still; where it names none, none has to be.
            bin_tracks(tracks: Vec<i64>, copies: Option<Vec<Vec<i64>>>) -> BinOutcome;
            /// Brings files back from the bin that were moved there, where the system lets programs do so.
            restore_tracks(tracks: Vec<i64>) -> BinOutcome;
            /// Shows a track's file in the system's file manager.
            show_track_file(track: i64) -> ();
            /// Lets the user choose a CSV, JSON or Parquet file and writes the tracks that answer to it.
            export_tracks(query: TrackListQuery) -> Option<ExportedTracks>;
            /// Plays a track of the library, or two over each other of which one is heard, from a moment of their common time.
            /// A is the original side; where none is asked for, what was heard last of an audition is heard on.
            audition(a: AuditionTrack, b: Option<AuditionTrack>, from_s: f64, side: Option<Side>) -> TransportView;
            /// The settings.
            settings() -> Settings;
            /// Changes the settings.
            set_settings(settings: Settings) -> Settings;
        }
    };
}

pub(crate) use command_table;
