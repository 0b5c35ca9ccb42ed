//! The table of commands that a window can call: where each runs, names, arguments and results.
//!
//! The dispatch ([`super::App::call`]), the lanes ([`super::order::lane`]) and the TypeScript declarations (`bindings`)
//! are generated from it, so that they always agree. The first word in brackets is a `LaneChoice` of [`super::order`]. A
//! command that may wait for the disk, the user, a device or long work is `Long`. The second word is the page of
//! [`super::App`] that has the command as a method; without it, the app itself has it.

/// Passes the whole table to another macro.
macro_rules! command_table {
    ($callback:ident) => {
        $callback! {
            /// Returns everything that a window needs at startup.
            [Session] startup() -> Startup;
            /// Ends the program. The session is already on disk.
            [Long] quit() -> ();
            /// Lets the user choose files and opens them; empty if cancelled.
            [Long] open_dialog() -> Opened;
            /// Opens a recently opened file.
            [Long] open_recent(id: u32) -> Opened;
            /// Returns recently opened files, the latest first.
            [Session] recent() -> Vec<RecentFile>;
            /// Clears the list of recent files.
            [Session] clear_recent() -> Vec<RecentFile>;
            /// Opens the demo recording, which the program synthesises.
            [Long] open_demo() -> Opened;
            /// Closes a document; its whole state is kept. Returns the name of the document that `reopen_closed` would
            /// open.
            [Document] close_document(document: DocumentId) -> Option<String>;
            /// Reopens the document that was closed last, with its whole state; empty if there is none.
            [Long] reopen_closed() -> Opened;
            /// Saves a document as a project file. Lets the user choose the file if it has none, or if `choose` is set;
            /// unchanged if cancelled.
            [Long] save_project(document: DocumentId, choose: bool) -> DocumentView;
            /// Activates a document.
            [Tabs] activate_document(document: DocumentId) -> ();
            /// Puts the tabs in this order.
            [Tabs] reorder_documents(documents: Vec<DocumentId>) -> ();
            /// Lets the user locate a missing recording.
            [Long] locate_source(document: DocumentId, source: usize) -> DocumentView;
            /// Shows the recording of a document in the system's file manager.
            [Long] show_document_file(document: DocumentId) -> ();
            /// Tries again to open those recordings of a document that could not be read.
            [Long] retry_document(document: DocumentId) -> DocumentView;
            /// Selects which of a document's two racks is heard and edited. This is not an undo step.
            [Document] set_rack(document: DocumentId, rack: Rack) -> DocumentView;
            /// Lets the user choose the file for a parameter, or the folder if the parameter accepts one. Can be
            /// undone; changes nothing if cancelled.
            [Long] choose_argument(document: DocumentId, node: NodeId, name: String, folder: bool) -> DocumentView;
            /// Allows the chains of a document to read these files from now on, or removes the effects that name them.
            [Long] answer_files(document: DocumentId, files: Vec<String>, allow: bool) -> DocumentView;
            /// Edits a document. Can be undone.
            [Document] edit(document: DocumentId, edit: Edit) -> DocumentView;
            /// Edits the sound of a document at its selection or cursor. Can be undone.
            [Document] edit_sound(document: DocumentId, edit: SoundEdit) -> DocumentView;
            /// Like `edit_sound`, but also for edits that have to be rendered: mixing, edits of some channels, and
            /// pasting a copy of some channels. Rendering is a job.
            [Long] render_sound(document: DocumentId, edit: SoundEdit) -> DocumentView;
            /// Copies the selection. With `cut`, also deletes it, which can be undone.
            [Document] copy_sound(document: DocumentId, cut: bool) -> DocumentView;
            /// Lets the user choose a recording, and inserts it at the cursor or in place of the selection. Can be
            /// undone; unchanged if cancelled.
            [Long] insert_file(document: DocumentId) -> DocumentView;
            /// Edits the tracks of a document. Changes of one gesture are one step. Can be undone.
            [Document] edit_tracks(document: DocumentId, edit: TrackEdit, gesture: Option<u32>) -> DocumentView;
            /// Chooses the track that is edited and shown, or the sum of all. This is not an undo step.
            [Document] choose_track(document: DocumentId, choice: TrackChoice) -> DocumentView;
            /// Lets the user choose a folder and starts to write each track there, with the settings of the last
            /// export; null if cancelled.
            [Long] export_stems(document: DocumentId) -> Option<JobId>;
            /// Returns the models that separate recordings into stems.
            [Long stems] stems_models() -> Vec<StemsModel>;
            /// Returns what is known about a separation before it starts.
            [Long] stems_outlook(source: StemsSource, wish: StemsWish) -> StemsOutlook;
            /// Starts to separate recordings, or queues them after earlier requests. The stems of each recording open
            /// as a document.
            [Long] start_stems(source: StemsSource, wish: StemsWish) -> JobId;
            /// Returns the separations that are running and waiting.
            [Control stems] stems_queue() -> StemsQueue;
            /// Removes a recording from the queue; if it is being separated, it is cancelled and the next one starts.
            [Control stems] drop_stems(task: StemsTask) -> StemsQueue;
            /// Chooses the stems to play of a recording that is being separated, and plays from a frame as far as they
            /// are computed. Without a frame, nothing is played.
            [Transport stems] hear_stems(task: StemsTask, stems: Vec<StemKind>, from_frame: Option<u64>) -> TransportView;
            /// Lets the user choose recordings and adds each as a track. Can be undone; unchanged if cancelled.
            [Long] import_tracks(document: DocumentId) -> DocumentView;
            /// Generates a signal into a new document.
            [Long] generate_document(settings: GeneratorSettings) -> Opened;
            /// Generates a signal and inserts it at the cursor or in place of the selection. Can be undone.
            [Long] insert_generated(document: DocumentId, settings: GeneratorSettings) -> DocumentView;
            /// Cancels the running generation.
            [Control] stop_generating() -> ();
            /// Moves both ends of the selection, or the cursor, to the nearest zero crossings.
            [Document] snap_to_zero(document: DocumentId) -> DocumentView;
            /// Returns the clips of a document, in order.
            [Document] clips(document: DocumentId) -> Vec<ClipView>;
            /// Returns the zero crossing nearest to each of these frames, or the frame itself if there is none within
            /// 20 ms.
            [Document] zero_crossings(document: DocumentId, frames: Vec<u64>) -> Vec<u64>;
            /// Returns whether the sound that was cut or copied last has only some of the channels, so that pasting renders
            /// it first; null if there is none.
            [Control] copied_sound() -> Option<bool>;
            /// Returns the markers and regions of a document, ordered by start.
            [Document] markers(document: DocumentId) -> Vec<MarkerView>;
            /// Changes the markers of a document. Can be undone.
            [Document] edit_markers(document: DocumentId, edit: MarkerEdit) -> DocumentView;
            /// Lets the user choose a file of markers or a recording and adds its markers. Can be undone; changes
            /// nothing if cancelled.
            [Long] import_markers(document: DocumentId) -> DocumentView;
            /// Lets the user choose a file and writes the markers to it, in the format of its extension. Returns the
            /// name of the file; null if cancelled.
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
            /// Selects frames or nothing; optionally also a frequency band of these frames, and the channels that edits
            /// act on, null for all.
            [Document] set_selection(document: DocumentId, selection: Option<FrameRange>, band: Option<Band>, channels: Option<Vec<usize>>) -> DocumentView;
            /// Stores the visible range, the cursor position and the level zoom.
            [Document] set_view(document: DocumentId, view: ViewRange, cursor_frame: u64, level_zoom: f64) -> ();
            /// Measures peak and RMS of a range of one side. Cancels an earlier call for the same document.
            [Long] levels(document: DocumentId, side: Side, range: FrameRange) -> Levels;
            /// Measures the levels of a range of one side, or of a frequency band of it. Cancels an earlier call for
            /// the same document.
            [Long] region_levels(document: DocumentId, side: Side, range: FrameRange, band: Option<Band>) -> Levels;
            /// Describes one side of a document in words and figures. Cancels an earlier call for the same document.
            [Long] describe(document: DocumentId, side: Side) -> Description;
            /// Cancels the description of a document.
            [Control] stop_describing(document: DocumentId) -> ();
            /// Lets the user choose a file and writes the spectrogram to it; null if cancelled.
            [Long] export_picture(document: DocumentId, side: Side, analysis: Analysis, display: SpectrogramDisplay, width: u32, height: u32, axes: bool, format: PictureFormat) -> Option<JobId>;
            /// Returns the spectrum at a point of a spectrogram, and the peak nearest to that point.
            [Long] spectrum_at(document: DocumentId, analysis: Analysis, channels: Lanes, lane: usize, side: Side, frame: u64, hz: f64) -> SpectrumReading;
            /// Cancels requests for tiles that are no longer visible.
            [Control] cancel_tiles(document: DocumentId, requests: Vec<u32>) -> ();
            /// Returns spectrogram presets for particular purposes.
            [Control] spectrogram_presets() -> Vec<SpectrogramPreset>;
            /// Plays from a frame to another frame or to the end.
            [Transport] play(document: DocumentId, from_frame: u64, until_frame: Option<u64>) -> TransportView;
            /// Stops playback.
            [Transport] stop() -> TransportView;
            /// Moves the playhead.
            [Transport] seek(frame: u64) -> TransportView;
            /// Turns looping of the selection on or off.
            [Transport] set_loop(looping: bool) -> TransportView;
            /// Selects whether the original or the processed side is heard.
            [Transport] set_side(side: Side) -> TransportView;
            /// Turns loudness matching of the two sides of a document on or off. It is measured at once, and again when
            /// the chain changes.
            [Transport] set_matched(document: DocumentId, matched: bool) -> TransportView;
            /// Starts or stops monitoring the sound that is heard.
            [Transport] set_monitoring(on: bool) -> ();
            /// Resets the analyser's peak hold, or the loudness of the sound that is heard.
            [Transport] reset_monitor(part: MonitorPart) -> ();
            /// Cancels the loudness measurement of a document.
            [Control] stop_loudness(document: DocumentId) -> ();
            /// Returns the state of recording and live sound.
            [Control] recording() -> RecordingView;
            /// Lists the audio inputs.
            [Long] inputs() -> Vec<InputInfo>;
            /// Opens the input that the settings name, and measures its level.
            [Long] arm_recording() -> RecordingView;
            /// Closes the input.
            [Long] disarm_recording() -> RecordingView;
            /// Starts a recording. When it ends, its sound is appended to a document or becomes a new one.
            [Long] start_recording(append: Option<DocumentId>) -> RecordingView;
            /// Records onto a track of a document, from the cursor or within the selection, while the other tracks
            /// play.
            [Long] record_onto(document: DocumentId, track: TakeTrack) -> RecordingView;
            /// Returns the recording offset of the chosen input and output.
            [Long] recording_offset() -> OffsetView;
            /// Sets or removes this recording offset.
            [Long] set_recording_offset(samples: Option<f64>) -> OffsetView;
            /// Measures this recording offset, which needs a cable from the output to the input.
            [Long] measure_recording_offset() -> OffsetView;
            /// Pauses the recording or continues it.
            [Control] pause_recording(paused: bool) -> RecordingView;
            /// Ends the recording and opens it.
            [Long] stop_recording() -> RecordingEnd;
            /// Lets the user choose the folder of recordings; unchanged if cancelled.
            [Long] choose_recording_folder() -> Settings;
            /// Returns the recordings that a crash left.
            [Long] left_recordings() -> Vec<LeftRecordingView>;
            /// Makes a recording that a crash left readable as far as possible, and opens it.
            [Long] recover_recording(id: String) -> Opened;
            /// Forgets a recording that a crash left. Its file is kept.
            [Long] forget_recording(id: String) -> Vec<LeftRecordingView>;
            /// Sends the input through the chain of a document to the output, muted at first.
            [Long] start_live(document: Option<DocumentId>) -> RecordingView;
            /// Ends live sound.
            [Long] stop_live() -> RecordingView;
            /// Measures the round trip of live sound, which needs a cable from the output to the input.
            [Long] measure_round_trip() -> RecordingView;
            /// Mutes or unmutes live sound.
            [Control] set_live_muted(muted: bool) -> RecordingView;
            /// Lists the audio outputs.
            [Long] outputs() -> Vec<OutputInfo>;
            /// Returns the devices, their measured speeds, and the devices in use.
            [Long] devices() -> DevicesView;
            /// Measures every device again.
            [Long] measure_devices() -> DevicesView;
            /// Starts to verify the devices: every kernel against its CPU twin and f64, whole jobs against the CPU.
            [Control] verify_devices() -> JobId;
            /// Returns the last verification since the program started.
            [Control] verification() -> Option<Vec<AdapterCheck>>;
            /// Lets the user choose a file and writes the last verification to it, as Markdown or JSON; false if
            /// cancelled.
            [Long] save_verification() -> bool;
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
            /// Returns the batch: its inputs, settings and progress.
            [Long batch] batch() -> BatchView;
            /// Lets the user choose files and adds them to the batch.
            [Long batch] add_batch_files() -> BatchView;
            /// Lets the user choose folders and adds the recordings in them to the batch.
            [Long batch] add_batch_folders() -> BatchView;
            /// Removes inputs from the batch.
            [Long batch] remove_batch_items(items: Vec<u32>) -> BatchView;
            /// Removes all inputs from the batch.
            [Long batch] clear_batch() -> BatchView;
            /// Lets the user choose the output folder; unchanged if cancelled.
            [Long batch] choose_batch_output() -> BatchView;
            /// Changes the batch settings and returns the resulting output names.
            [Long batch] set_batch(settings: BatchSettings) -> BatchView;
            /// Sets whether files dropped on the window are added to the batch.
            [Control batch] take_batch_drops(on: bool) -> ();
            /// Starts processing all inputs. Inputs in a list of finished files are skipped.
            [Long batch] start_batch() -> BatchView;
            /// Pauses the batch when the files in progress are finished.
            [Control batch] pause_batch() -> ();
            /// Resumes the batch.
            [Control batch] resume_batch() -> ();
            /// Cancels the batch. Finished outputs stay; unfinished ones are removed.
            [Control batch] cancel_batch() -> ();
            /// Shows an output in the system's file manager.
            [Long batch] show_batch_file(item: u32) -> ();
            /// Lets the user choose a file and writes the result of each input to it; false if cancelled.
            [Long batch] save_batch_report() -> bool;
            /// Returns the versions of the comparison, and their results.
            [Long compare] comparison() -> CompareView;
            /// Lets the user choose files and adds them as versions. The comparison starts at once.
            [Long compare] add_compare_files() -> CompareView;
            /// Adds documents as they sound now, through their racks.
            [Long compare] add_compare_documents(documents: Vec<DocumentId>) -> CompareView;
            /// Removes versions from the comparison.
            [Long compare] remove_compared(versions: Vec<u32>) -> CompareView;
            /// Chooses the version that the others are compared with.
            [Long compare] set_compare_reference(version: u32) -> CompareView;
            /// Starts to compare the waiting versions, and those that failed again.
            [Long compare] start_comparison() -> CompareView;
            /// Cancels the comparison. Finished versions keep their results.
            [Control compare] cancel_comparison() -> ();
            /// Sets whether versions are brought to the level of the reference before they are measured.
            [Long compare] measure_at_equal_level(on: bool) -> CompareView;
            /// Returns a measure over time, for each version that has it.
            [Control compare] compare_curves(measure: String) -> Vec<CompareCurve>;
            /// Lets the user choose a file and starts to write the comparison to it; null if cancelled.
            [Long compare] export_comparison(format: CompareFormat) -> Option<JobId>;
            /// Sets whether files dropped on the window are added to the comparison.
            [Control compare] take_compare_drops(on: bool) -> ();
            /// Plays the chosen version or difference from a frame of the reference's timeline.
            [Transport compare] compare_play(from_frame: u64) -> TransportView;
            /// Chooses the version or difference to play, continuing at the same position.
            [Transport compare] compare_hear(sound: CompareSound) -> CompareView;
            /// Turns loudness matching of the versions on or off.
            [Transport compare] match_compared(matched: bool) -> CompareView;
            /// Sets the gain of differences, -40 to 80 dB.
            [Transport compare] set_difference_gain(db: f64) -> CompareView;
            /// Cancels requests for tiles of versions that are no longer visible.
            [Control compare] cancel_compare_tiles(requests: Vec<u32>) -> ();
            /// Returns the blind tests, and the trial that waits for an answer.
            [Long blind] blind_tests() -> BlindView;
            /// Returns the odds that a rule gives guessers and listeners.
            [Long blind] blind_odds(rule: Rule) -> BlindOdds;
            /// Begins a blind test of versions of the comparison.
            [Long blind] begin_blind(listener: String, note: String, versions: Vec<u32>, test: Test) -> BlindView;
            /// Continues a blind test, whose versions must be in the comparison.
            [Long blind] resume_blind(session: String) -> BlindView;
            /// Plays the passage of the trial, repeated, from a frame of the timeline.
            [Transport blind] blind_play(from_frame: u64) -> TransportView;
            /// Chooses the sound to play in the trial, continuing at the same position.
            [Transport blind] blind_hear(sound: BlindSound) -> BlindView;
            /// Answers the trial.
            [Long blind] answer_blind(said: Said) -> BlindView;
            /// Ends the blind test early. It keeps its answers and has no result.
            [Long blind] give_up_blind() -> BlindView;
            /// Leaves the blind test, which can be resumed.
            [Long blind] leave_blind() -> BlindView;
            /// Returns the results of finished blind tests.
            [Long blind] blind_report(sessions: Vec<String>) -> Report;
            /// Lets the user choose a file and writes the results of blind tests to it; false if cancelled.
            [Long blind] export_blind(sessions: Vec<String>, format: BlindFormat) -> bool;
            /// Removes a blind test.
            [Long blind] remove_blind(session: String) -> BlindView;
            /// Returns the codec grid: recordings, settings, phase and results.
            [Long codecs] codecs() -> CodecsView;
            /// Lets the user choose recordings and adds them to the codec grid.
            [Long codecs] codecs_add_files() -> CodecsView;
            /// Lets the user choose folders and adds the recordings in them to the codec grid.
            [Long codecs] codecs_add_folders() -> CodecsView;
            /// Removes recordings from the codec grid.
            [Long codecs] codecs_remove(recordings: Vec<u32>) -> CodecsView;
            /// Lets the user choose the folder of the results.
            [Long codecs] codecs_choose_output() -> CodecsView;
            /// Changes the codecs, measures and other settings of the grid.
            [Long codecs] codecs_set(settings: CodecsSettings) -> CodecsView;
            /// Starts the codec grid. Finished results in the folder are reused.
            [Long codecs] codecs_start() -> CodecsView;
            /// Cancels the codec grid. Finished cells are kept.
            [Control codecs] codecs_cancel() -> ();
            /// Returns the results of a recording with each codec.
            [Long codecs] codecs_cells(recording: u32) -> Vec<CodecsCell>;
            /// Compares a recording with a codec's output for it: both become versions of the comparison.
            [Long] codecs_compare(recording: u32, codec: String) -> CompareView;
            /// Shows the report of the codecs in the system's file manager.
            [Long codecs] codecs_show_report() -> ();
            /// Returns the folders of models and what is in them. Reads the folders again.
            [Long] models() -> ModelsView;
            /// Lets the user choose folders in which models are looked for.
            [Long] models_add_folders() -> ModelsView;
            /// Stops looking for models in a folder. Its files are kept.
            [Long] models_remove_folder(folder: u32) -> ModelsView;
            /// Confirms the licence of a kind of model, or withdraws the confirmation.
            [Long] models_confirm_licence(kind: ModelKind, confirmed: bool) -> ModelsView;
            /// Cancels a job.
            [Control] cancel_job(job: JobId) -> ();
            /// Returns the jobs since the program started.
            [Control] jobs() -> Vec<JobView>;
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
            /// Returns the state of the library: folders, counts, scan, columns.
            [Long library] library() -> LibraryView;
            /// Lets the user choose folders, adds them and starts to scan them.
            [Long library] add_library_folders() -> LibraryView;
            /// Removes a folder and the data of its tracks from the library. No file is changed.
            [Long library] remove_library_folder(folder: i64) -> LibraryView;
            /// Opens the library on a server with a password, which is kept until the program ends, or if `remember` is
            /// set, in the system's keyring.
            [Long library] give_library_password(password: Password, remember: bool) -> LibraryView;
            /// Deletes the password of the server from the system's keyring and from this program. Returns whether
            /// there was one.
            [Long library] forget_library_password() -> bool;
            /// Lets the user choose where a folder of a library on a server is on this machine. Returns the path; null
            /// if cancelled.
            [Long library] choose_library_place(folder: String) -> Option<String>;
            /// Starts to scan the library or some of its folders.
            [Long library] scan_library(folders: Vec<i64>) -> LibraryView;
            /// Pauses the scan when the tracks in progress are finished.
            [Control library] pause_scan() -> ();
            /// Resumes the scan.
            [Control library] resume_scan() -> ();
            /// Cancels the scan. Results so far are kept.
            [Control library] cancel_scan() -> ();
            /// Turns watching the folders for changes on or off.
            [Long] watch_library(on: bool) -> LibraryView;
            /// Returns rows of the table.
            [Long library] library_tracks(query: TrackListQuery, offset: usize, limit: usize) -> TrackPage;
            /// Returns the row of a track in the table; null if the track does not match the query.
            [Long library] library_position(query: TrackListQuery, track: i64) -> Option<usize>;
            /// Returns the IDs of all matching tracks in table order, for highlighting on the map or for a command on
            /// all of them.
            [Long library] library_numbers(query: TrackListQuery) -> Vec<i64>;
            /// Returns the rows of some tracks in the order given, without those that no longer exist.
            [Long library] library_rows(tracks: Vec<i64>) -> Vec<TrackItem>;
            /// Returns the error in a query, and completions at the cursor, which is counted in UTF-16 code units.
            [Long library] complete_query(text: String, cursor: usize) -> QueryCompletions;
            /// Returns everything known about a track.
            [Long library] library_track(track: i64) -> TrackPageView;
            /// Returns a track's cover.
            [Long library] library_cover(track: i64) -> Option<CoverView>;
            /// Opens tracks in the editor.
            [Long] open_tracks(tracks: Vec<i64>) -> Opened;
            /// Returns the tracks that could not be analysed, with the reason.
            [Long library] library_problems() -> Vec<TrackProblem>;
            /// Starts a scan that retries these tracks, or all tracks that could not be analysed.
            [Long library] retry_tracks(tracks: Option<Vec<i64>>) -> LibraryView;
            /// Returns the tracks most similar to one. Weights are by dimension; an empty map means the default
            /// weights.
            [Long library] similar_tracks(like: LikeWhat, weights: BTreeMap<String, f64>, count: usize) -> Vec<SimilarItem>;
            /// Starts to search for tracks that are the same recording.
            [Long library] find_duplicates() -> JobId;
            /// Returns the result of the last search for duplicates; null before the first.
            [Long library] duplicates() -> Option<DuplicatesView>;
            /// Stores the user's decision about two tracks, or removes it.
            [Long library] decide_duplicates(first: i64, second: i64, decision: Option<Decision>) -> ();
            /// Starts to compute the map.
            [Long library] make_map() -> JobId;
            /// Starts to identify a clip; null if the user chose no file.
            [Long library] identify_clip(clip: ClipSource) -> Option<JobId>;
            /// Returns the result of the last identification; null before the first.
            [Control library] identified() -> Option<IdentifiedView>;
            /// Moves the files of tracks to the system's bin. For each track, `copies` lists tracks of which at least
            /// one must still be on disk; an empty list requires none.
            [Long library] bin_tracks(tracks: Vec<i64>, copies: Option<Vec<Vec<i64>>>) -> BinOutcome;
            /// Restores files that were moved to the bin, on systems where programs can do so.
            [Long library] restore_tracks(tracks: Vec<i64>) -> BinOutcome;
            /// Shows a track's file in the system's file manager.
            [Long library] show_track_file(track: i64) -> ();
            /// Lets the user choose a CSV, JSON or Parquet file and writes the matching tracks to it.
            [Long library] export_tracks(query: TrackListQuery) -> Option<ExportedTracks>;
            /// Starts to choose the tracks of a playlist among those of a query, or some of them, at most `count`. They keep
            /// the order of the table, or with `mixed` are ordered for mixing, by tempo and key; unless all were chosen, the
            /// first one stays first then. A request that is still running is cancelled.
            [Long library] make_playlist(query: TrackListQuery, tracks: Option<Vec<i64>>, choice: PlaylistChoice, count: Option<usize>, mixed: bool) -> JobId;
            /// Returns the playlist of the last completed request.
            [Control library] playlist() -> Option<PlaylistView>;
            /// Lets the user choose a file, and starts to write these tracks to it as a playlist, with paths relative
            /// to its folder if `relative` is set. Returns null if cancelled.
            [Long library] save_playlist(tracks: Vec<i64>, format: PlaylistFormat, relative: bool) -> Option<JobId>;
            /// Starts to find out which tags would be written to the tracks of a query, or some of them; `tag_run` has the
            /// result. With `only_missing`, existing values are kept. No file is changed.
            [Long library] preview_tags(query: TrackListQuery, tracks: Option<Vec<i64>>, fields: Vec<TagField>, only_missing: bool) -> JobId;
            /// Starts to write the changes of the preview with this number to the original files; `tag_run` has the
            /// result. A file for which the changes would now be different is left unchanged.
            [Long library] write_tags(preview: u32) -> JobId;
            /// Starts to restore the originals of a write, the last file first; `tag_run` has the result.
            [Long library] undo_tags(write: i64) -> JobId;
            /// Returns the last preview, write or undo of tags, with a range of its files: those with an outcome, or
            /// all.
            [Long library] tag_run(outcome: Option<TagOutcome>, offset: usize, limit: usize) -> Option<TagRunView>;
            /// Returns the past writes of tags, latest first.
            [Long library] tag_writes() -> Vec<TagWriteView>;
            /// Deletes the data kept for undoing a write. Returns the remaining writes.
            [Long library] forget_tags(write: i64) -> Vec<TagWriteView>;
            /// Plays one track of the library, or two aligned tracks of which one is heard, from a point in their
            /// common time. Track A is the original side. If no side is given, the last one heard in an audition is
            /// kept.
            [Long] audition(a: AuditionTrack, b: Option<AuditionTrack>, from_s: f64, side: Option<Side>) -> TransportView;
            /// Returns the settings.
            [Settings] settings() -> Settings;
            /// Changes the settings.
            [Settings] set_settings(settings: Settings) -> Settings;
            /// Lets the user choose a file and writes keys of commands to it. Returns the name of the file; null if
            /// cancelled.
            [Long] export_keys(keys: KeySettings) -> Option<String>;
            /// Lets the user choose a file and reads keys of commands from it; null if cancelled.
            [Long] import_keys() -> Option<ImportedKeys>;
        }
    };
}

pub(crate) use command_table;

/// The types that the table names.
#[allow(unused_imports, reason = "one of the users needs results only")]
pub(super) mod types {
    pub use std::collections::BTreeMap;

    pub use super::super::batch::types::*;
    pub use super::super::blind::types::*;
    pub use super::super::codecs::types::*;
    pub use super::super::compare::types::*;
    pub use super::super::devices::types::*;
    pub use super::super::editor::loudness::LoudnessView;
    pub use super::super::editor::measurements::{Description, Levels};
    pub use super::super::editor::monitor::MonitorQuery;
    pub use super::super::editor::picture_files::PictureFormat;
    pub use super::super::editor::presets::PresetView;
    pub use super::super::editor::spectrogram_presets::SpectrogramPreset;
    pub use super::super::editor::spectrograms::SpectrogramTile;
    pub use super::super::editor::types::*;
    pub use super::super::event::*;
    pub use super::super::jobs::{JobId, JobPurpose, JobState, JobView};
    pub use super::super::library::types::*;
    pub use super::super::models::{ModelKindView, ModelsView};
    pub use super::super::moment::Moment;
    pub use super::super::playback::types::*;
    pub use super::super::recording::types::*;
    pub use super::super::settings::keys::ImportedKeys;
    pub use super::super::stems::types::*;
    pub use super::super::workspace::types::*;
    pub use crate::audio::Lanes;
    pub use crate::audio::encode::FileFormat;
    pub use crate::blind::{Report, Rule, Said, Test};
    pub use crate::chain::NodeId;
    pub use crate::document::{Band, FrameRange, MarkerEdit, Rack, SoundEdit, TakeTrack, TrackChoice, TrackEdit};
    pub use crate::error::{Failure, NotationError};
    pub use crate::generate::GeneratorSettings;
    pub use crate::library::answers::{PlaylistChoice, TagOutcome};
    pub use crate::library::questions::playlists::Format as PlaylistFormat;
    pub use crate::library::tags::TagField;
    pub use crate::library::{Decision, Password};
    pub use crate::models::ModelKind;
    pub use crate::playback::capture::InputInfo;
    pub use crate::playback::{MonitorPart, OutputInfo, Side};
    pub use crate::stems::StemKind;
    pub use crate::view::spectrogram::{Analysis, SpectrumReading};
    pub use crate::work::cover::CoverView;
    pub use crate::work::devices::DeviceView;
    pub use crate::work::effects::EffectView;
    pub use crate::work::export::*;
    pub use crate::work::settings::*;
    pub use crate::work::verify::AdapterCheck;
}
