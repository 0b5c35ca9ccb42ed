// Generated from the core's Rust types; `npm run bindings` makes it anew.

/**
 * How spectra are averaged.
 */
export type AnalyserAveraging = "off" | "fast" | "slow";

/**
 * What becomes of peaks.
 */
export type AnalyserHold = "off" | "decay" | "until_reset";

/**
 * The analyser's settings.
 */
export type AnalyserSettings = {
/**
 * Whether it is open.
 */
open: boolean,
/**
 * The window function.
 */
window: WindowName,
/**
 * Frames of a window: 2048, 4096, 8192 or 16384.
 */
window_frames: number,
/**
 * How spectra are averaged.
 */
averaging: AnalyserAveraging,
/**
 * Whether peaks are held.
 */
hold: AnalyserHold,
/**
 * Which mixtures of the channels have a spectrum.
 */
channels: LaneChannels,
/**
 * What is added for every octave.
 */
slope: AnalyserSlope,
/**
 * The level at the foot of the plot.
 */
low_db: number,
/**
 * The level at its top.
 */
high_db: number, };

/**
 * What is added for every octave above 1 kHz.
 */
export type AnalyserSlope = "0" | "3" | "4.5";

/**
 * The arguments of an effect, complete and checked: every parameter that has a default is there.
 */
export type Arguments = Record<string, number | string>;

/**
 * One of the two that an audition lets hear.
 */
export type AuditionTrack = {
/**
 * A track of the library.
 */
track: number,
/**
 * Where in it the common time begins, in the track's own seconds; negative where it comes in later.
 */
offset_s: number,
/**
 * How fast it is played, pitch and all: 1 as it is. A copy that plays 2 % faster than the other track lies over it
 * from beginning to end at `1 / 1.02`.
 */
speed?: number, };

/**
 * What is auditioned: one track, or two that are laid over each other.
 */
export type AuditionView = {
/**
 * The track on side A.
 */
a: number,
/**
 * The track on side B.
 */
b: number | null,
/**
 * Frames of their common time a second, in which the transport's frame and `seek` count.
 */
rate: number,
/**
 * Their common time's length in seconds.
 */
duration_s: number,
/**
 * The common time that is heard now.
 */
at_s: number, };

/**
 * What the files of a batch go through.
 */
export type BatchChain = { "kind": "rack" } | { "kind": "preset",
/**
 * Its name.
 */
name: string, } | { "kind": "none" };

/**
 * One input.
 */
export type BatchItem = {
/**
 * Its handle.
 */
id: number,
/**
 * Its name.
 */
name: string,
/**
 * Its folder, for reading only.
 */
folder: string,
/**
 * What it is: "WAV, 48 kHz, stereo"; none before it was looked at.
 */
kind: string | null,
/**
 * Its length.
 */
duration_s: number | null,
/**
 * Its output, below the output folder; none while the name is not known.
 */
target: string | null,
/**
 * Whether a file stands there.
 */
exists: boolean,
/**
 * How it stands.
 */
state: BatchItemState,
/**
 * How much of it is done, 0 to 1.
 */
share: number,
/**
 * Why it failed, or would.
 */
failure: Failure | null,
/**
 * What was written.
 */
result: ExportResult | null,
/**
 * What is damaged or left out in the input.
 */
warnings: Array<string>, };

/**
 * How an input stands.
 */
export type BatchItemState = "waiting" | "running" | "done" | "skipped" | "failed";

/**
 * Where a batch is in its life.
 */
export type BatchPhase = "idle" | "running" | "paused" | "finished" | "cancelled";

/**
 * What is done to the inputs; kept for the next start.
 */
export type BatchSettings = {
/**
 * What they go through.
 */
chain: BatchChain,
/**
 * How they are written; the range means nothing here.
 */
export: ExportSettings,
/**
 * Whether each has its own sample format, where the output's has it, instead of one for all.
 */
own_bits: boolean,
/**
 * The outputs' names below their folder.
 */
template: string,
/**
 * Whether files that stand there may be replaced.
 */
overwrite: boolean,
/**
 * Whether a list of what is finished is kept beside the outputs, and what it has is skipped.
 */
resume: boolean,
/**
 * Files at once; none is the usual number.
 */
jobs: number | null, };

/**
 * How a batch stands.
 */
export type BatchStatus = {
/**
 * Where it is in its life.
 */
phase: BatchPhase,
/**
 * The job that it runs as, for its progress.
 */
job: JobId | null,
/**
 * The chain that the files go through, as text.
 */
chain: string,
/**
 * Where the outputs go, for reading only; none before a folder was chosen.
 */
output: string | null,
/**
 * How many files are worked on at once.
 */
jobs: number,
/**
 * What is wrong with the chain that was chosen.
 */
chain_problem: string | null,
/**
 * What is wrong with the names.
 */
template_problem: string | null,
/**
 * Inputs of which nothing is known yet: they are being looked at.
 */
unread: number,
/**
 * Why the whole of the last run could not be done.
 */
failure: Failure | null, };

/**
 * What the page shows.
 */
export type BatchView = {
/**
 * The inputs, in the order in which they are worked through.
 */
items: Array<BatchItem>,
/**
 * What is done to them.
 */
settings: BatchSettings,
/**
 * How it all stands.
 */
status: BatchStatus, };

/**
 * A file that could not be moved.
 */
export type BinFailure = {
/**
 * The track.
 */
track: number,
/**
 * Its file's name.
 */
name: string,
/**
 * Why.
 */
failure: Failure, };

/**
 * What came of moving files to the system's bin.
 */
export type BinOutcome = {
/**
 * Tracks whose files were moved.
 */
moved: Array<number>,
/**
 * Bytes of these files.
 */
bytes: number,
/**
 * Files that could not be moved, and why.
 */
failures: Array<BinFailure>,
/**
 * Whether `restore_tracks` can bring them back; otherwise the system's bin can.
 */
restorable: boolean, };

/**
 * A chain: what a document's sound goes through. An empty chain passes everything unchanged.
 */
export type Chain = {
/**
 * The nodes in series.
 */
nodes: Array<Node>, };

/**
 * Whether a text is a chain.
 */
export type ChainCheck = {
/**
 * What is wrong, and where.
 */
problem: NotationError | null, };

/**
 * What each node costs and where it runs.
 */
export type ChainReport = {
/**
 * Where previews run, and why.
 */
preview: DeviceReport,
/**
 * Where an export would run, and why.
 */
export: DeviceReport,
/**
 * Node by node.
 */
nodes: Array<NodeReport>,
/**
 * Frames by which the chain lags; compensated in playback and export.
 */
latency_frames: number, };

/**
 * Where a clip comes from that is to be identified.
 */
export type ClipSource = { "kind": "file" } | { "kind": "document", document: DocumentId, range: Selection | null, } | { "kind": "microphone", seconds: number, };

/**
 * The colours of a spectrogram.
 */
export type ColourMap = "viridis" | "magma" | "inferno" | "cividis" | "grey" | "undertone";

/**
 * What a dimension adds to a distance.
 */
export type ContributionView = {
/**
 * The dimension's name.
 */
dimension: string,
/**
 * The value of the track asked for.
 */
asked: number | null,
/**
 * The value of the track found.
 */
found: number | null,
/**
 * Its share of the squared distance; all shares sum to 1, or are 0 where the distance is.
 */
share: number, };

/**
 * The control of a parameter.
 */
export type ControlView = { "kind": "number", unit: Unit, min: number, max: number, initial: number, scale: Scale, } | { "kind": "number_or_note", unit: Unit, min: number, max: number, initial: number, scale: Scale, } | { "kind": "choice", options: Array<string>, initial: string, } | { "kind": "file" };

/**
 * A cover.
 */
export type CoverView = {
/**
 * `image/jpeg`, `image/png`, `image/gif` or `image/webp`; empty if it is not shown.
 */
mime: string,
/**
 * The picture's bytes in Base64.
 */
data: string,
/**
 * Why it is not shown.
 */
reason: string | null, };

/**
 * What the user decided about two tracks that are alike.
 */
export type Decision = "same" | "different" | "keep_both";

/**
 * A recording in words and figures.
 */
export type Description = {
/**
 * In a few sentences.
 */
text: string,
/**
 * Length in seconds.
 */
duration_s: number,
/**
 * Integrated loudness in LUFS; null for silence.
 */
loudness_lufs: number | null,
/**
 * Sample peak in dBFS; null for silence.
 */
peak_db: number | null,
/**
 * The strongest frequencies of its mean spectrum, the strongest first.
 */
dominant_hz: Array<number>,
/**
 * Ranges of half a second and more below -60 dBFS.
 */
silences: Array<Selection>, };

/**
 * Where work ran, and why: part of every result.
 */
export type DeviceReport = {
/**
 * What was asked for, as given.
 */
requested: string,
/**
 * `cpu` or `gpu:N`.
 */
used: string,
/**
 * The name of what was used.
 */
name: string,
/**
 * Why this one, in a few words; what went wrong when it is not what was asked for.
 */
reason: string,
/**
 * Whether something else was asked for.
 */
fallback: boolean, };

/**
 * Where the user wants work to run: `auto`, `cpu`, `gpu`, `gpu:N` or part of an adapter's name.
 */
export type DeviceRequest = string;

/**
 * A device as the panel shows it. Numbers that were not measured are null.
 */
export type DeviceView = {
/**
 * `cpu` or `gpu:N`.
 */
id: string,
/**
 * Its name.
 */
name: string,
/**
 * "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
 */
backend: string,
/**
 * Driver and version.
 */
driver: string,
/**
 * "cpu", "discrete", "integrated", "virtual" or "software".
 */
kind: string,
/**
 * Capability tier, "full" or "basic"; none for the CPU and for adapters that cannot be used.
 */
tier: string | null,
/**
 * Why it cannot be used.
 */
problem: string | null,
/**
 * Why `auto` does not consider it, though it can be named.
 */
passed_over: string | null,
/**
 * Whether its own clock gave times that cannot be true, so that it was measured from outside.
 */
clock_refused: boolean,
/**
 * Host to device, bytes per second.
 */
upload_bytes_s: number | null,
/**
 * Device to host, bytes per second.
 */
readback_bytes_s: number | null,
/**
 * Device memory read and written by a copy kernel, bytes per second.
 */
memory_bytes_s: number | null,
/**
 * Order-8 cascade, samples per second.
 */
cascade_samples_s: number | null,
/**
 * FIR filters of 1025 taps, operations per second as the choice of a device counts them.
 */
filter_operations_s: number | null,
/**
 * Spectra of windows of 2048 frames, points of their transforms per second.
 */
spectra_points_s: number | null,
/**
 * Limits by name, for reading.
 */
limits: { [key in string]: string }, };

/**
 * All that the device panel shows.
 */
export type DevicesView = {
/**
 * What the user asks for.
 */
request: DeviceRequest,
/**
 * The CPU and every adapter.
 */
devices: Array<DeviceView>,
/**
 * What previews of the active document run on, and why.
 */
preview: DeviceReport,
/**
 * What the last spectrogram tile or picture was made on, and why; none before there was one for this request.
 */
spectrogram: DeviceReport | null,
/**
 * What the last job ran on, and why.
 */
last_job: LastJob | null,
/**
 * Buffers taken from the pool again.
 */
pool_hits: number,
/**
 * Buffers that had to be made.
 */
pool_misses: number, };

/**
 * One of the 25 dimensions.
 */
export type DimensionView = {
/**
 * Its name.
 */
name: string,
/**
 * Its unit; empty for a share or a ratio.
 */
unit: string,
/**
 * The least value of a chart's axis.
 */
low: number,
/**
 * The largest.
 */
high: number,
/**
 * Digits behind the point worth showing.
 */
decimals: number,
/**
 * Its weight in likeness unless changed.
 */
weight: number,
/**
 * How it is computed.
 */
formula: string,
/**
 * What it says.
 */
meaning: string, };

/**
 * What is done against the distortion of rounding to integers.
 */
export type Dither = "none" | "tpdf" | "shaped";

/**
 * The handle of an open document.
 */
export type DocumentId = number;

/**
 * A document as the window shows it.
 */
export type DocumentView = {
/**
 * Its handle.
 */
id: DocumentId,
/**
 * Its name, of its first source.
 */
name: string,
/**
 * The recordings it is made of.
 */
sources: Array<SourceView>,
/**
 * Frames per second.
 */
rate: number,
/**
 * Channels of its sources.
 */
channels: number,
/**
 * Length in frames.
 */
frames: number,
/**
 * The chain.
 */
chain: Chain,
/**
 * The chain as text.
 */
chain_text: string,
/**
 * Why the chain cannot run as it is, such as a cutoff above half the rate.
 */
chain_problem: Failure | null,
/**
 * Files that a chain of this document reads and the user has not allowed yet. Until then none of them is read.
 */
asked_files: Array<string>,
/**
 * The length of what comes out of the chain over that of the recording, where effects stretch time; else 1.
 */
length_ratio: number,
/**
 * Which of the two racks the chain is.
 */
rack: Rack,
/**
 * The chain of the other rack, as text.
 */
resting_text: string,
/**
 * Selected frames.
 */
selection: Selection | null,
/**
 * The frequencies that are selected with them; none is all.
 */
band: FrequencyBand | null,
/**
 * The cursor's frame, from which playback begins.
 */
cursor_frame: number,
/**
 * What the lanes show.
 */
view: ViewRange,
/**
 * What undo would undo.
 */
undo: string | null,
/**
 * What redo would redo.
 */
redo: string | null,
/**
 * How far its waveform is, and what its reading met.
 */
waveform: WaveformView,
/**
 * Counts every change of chain, selection or edit list.
 */
revision: number, };

/**
 * Tracks that are one recording.
 */
export type DuplicateGroup = {
/**
 * The tracks, the best copy first.
 */
members: Array<DuplicateItem>,
/**
 * Bytes of all but the best copy.
 */
spare_bytes: number, };

/**
 * A track of a group.
 */
export type DuplicateItem = {
/**
 * The track.
 */
track: TrackItem,
/**
 * How alike it is to the group's reference, 0 to 1.
 */
score: number,
/**
 * Seconds of both that lie over each other.
 */
overlap_s: number,
/**
 * Where in this track the best copy's beginning lies, in seconds; negative where this track begins later.
 */
offset_s: number,
/**
 * How much faster this track plays than the best copy.
 */
speed: number,
/**
 * Whether its audio is that of another of the group to the last bit.
 */
exact: boolean,
/**
 * Whether it is the copy to keep.
 */
best: boolean,
/**
 * Why it stands where it stands among the copies.
 */
reasons: Array<string>,
/**
 * What its bandwidth says of where it comes from.
 */
origin: OriginView | null,
/**
 * What the user decided about it and the best copy.
 */
decision: Decision | null, };

/**
 * Tracks that are the same recording.
 */
export type DuplicatesView = {
/**
 * Groups of two tracks and more.
 */
groups: Array<DuplicateGroup>,
/**
 * Tracks that were looked at.
 */
tracks: number,
/**
 * Pairs that were compared.
 */
compared: number,
/**
 * Whether the library has changed since.
 */
outdated: boolean, };

/**
 * One undoable change of a document. Edits of one `gesture` (one drag of a knob) are one step of undo.
 */
export type Edit = { "kind": "add_effect",
/**
 * Its name in the notation.
 */
effect: string,
/**
 * The node after which it comes.
 */
after: NodeId | null, } | { "kind": "add_repair",
/**
 * Its name in the notation: `spectral_gain`, `spectral_isolate` or `spectral_heal`.
 */
effect: string,
/**
 * When.
 */
range: Selection,
/**
 * Within which frequencies; none is all of them.
 */
band: FrequencyBand | null, } | { "kind": "group",
/**
 * Which.
 */
nodes: Array<NodeId>,
/**
 * How they are put together.
 */
group: GroupKind, } | { "kind": "ungroup",
/**
 * The group.
 */
node: NodeId, } | { "kind": "set_group",
/**
 * The group.
 */
node: NodeId,
/**
 * How.
 */
group: GroupKind, } | { "kind": "copy_rack" } | { "kind": "swap_racks" } | { "kind": "remove",
/**
 * Which.
 */
node: NodeId, } | { "kind": "move",
/**
 * Which.
 */
node: NodeId,
/**
 * The group it goes to; none is the chain itself.
 */
parent: NodeId | null,
/**
 * Its place there once it is gone from its old one.
 */
index: number, } | { "kind": "duplicate",
/**
 * Which.
 */
node: NodeId, } | { "kind": "set_argument",
/**
 * Of which node.
 */
node: NodeId,
/**
 * The parameter's name.
 */
name: string,
/**
 * Its new value.
 */
value: Value,
/**
 * The drag it belongs to.
 */
gesture: number | null, } | { "kind": "set_bypass",
/**
 * Which.
 */
node: NodeId,
/**
 * Whether it is passed over.
 */
bypass: boolean, } | { "kind": "set_mix",
/**
 * Of which node.
 */
node: NodeId,
/**
 * The share of the node's output, 0..1.
 */
mix: number,
/**
 * The drag it belongs to.
 */
gesture: number | null, } | { "kind": "set_label",
/**
 * Which.
 */
node: NodeId,
/**
 * Its name.
 */
label: string | null, } | { "kind": "reset",
/**
 * Which.
 */
node: NodeId, } | { "kind": "set_chain_text",
/**
 * The notation.
 */
text: string, } | { "kind": "load_preset",
/**
 * The preset.
 */
preset: string,
/**
 * The node to replace.
 */
node: NodeId | null, };

/**
 * An effect as the window lists it.
 */
export type EffectView = {
/**
 * The name in the notation.
 */
name: string,
/**
 * The name for people.
 */
title: string,
/**
 * Where it stands in the list.
 */
purpose: Purpose,
/**
 * One line of help.
 */
summary: string,
/**
 * Full documentation in Markdown.
 */
documentation: string,
/**
 * Its parameters.
 */
parameters: Array<ParameterView>, };

/**
 * The kinds of error that a caller may branch on, as they appear in JSON.
 */
export type ErrorCode = "invalid" | "notation" | "unsupported" | "malformed" | "limit" | "refused" | "gpu" | "sound" | "cancelled" | "io" | "stored" | "internal";

/**
 * What the core says of its own accord.
 */
export type Event = { "kind": "opened", opened: Opened, } | { "kind": "document", document: DocumentView, } | { "kind": "peaks", document: DocumentId, waveform: WaveformView, } | { "kind": "transport", transport: TransportView, meters: Meters, } | { "kind": "job", job: JobView, } | { "kind": "batch", batch: BatchView, } | { "kind": "batch_items", items: Array<BatchItem>, status: BatchStatus, } | { "kind": "loudness", document: DocumentId, side: Side, loudness: LoudnessView, } | { "kind": "scan", scan: ScanView, counts: LibraryCounts, } | { "kind": "library_changed", library: LibraryView, } | { "kind": "devices", devices: DevicesView, } | { "kind": "spectrogram_device", device: DeviceReport, } | { "kind": "notice", notice: Notice, };

/**
 * A sample format that can be written.
 */
export type ExportBits = "16" | "24" | "32" | "f32";

/**
 * A file format that can be written.
 */
export type ExportFormat = "wav" | "flac" | "vorbis" | "opus" | "mp3";

/**
 * What an export did.
 */
export type ExportResult = {
/**
 * The file's name.
 */
name: string,
/**
 * Its folder, for reading only.
 */
folder: string,
/**
 * Frames written.
 */
frames: number,
/**
 * Size in bytes.
 */
bytes: number,
/**
 * Samples beyond full scale, which were cut to it.
 */
clipped: number,
/**
 * Sample peak in dBFS before cutting; null for silence.
 */
peak_db: number | null,
/**
 * Where it ran, and why.
 */
device: DeviceReport,
/**
 * Where the time went.
 */
seconds: StageSeconds,
/**
 * The gain in dB that brought it to the loudness asked for; null when none was asked for.
 */
loudness_gain_db: number | null,
/**
 * What was not as wished: tags that could not be kept, damaged parts.
 */
warnings: Array<string>, };

/**
 * How to write an export.
 */
export type ExportSettings = {
/**
 * The file format.
 */
format: ExportFormat,
/**
 * The sample format.
 */
bits: ExportBits,
/**
 * What is done against the distortion of rounding.
 */
dither: Dither,
/**
 * Frames to export; none is the whole.
 */
range: Selection | null,
/**
 * The rate to convert to; none is the document's own.
 */
rate: number | null,
/**
 * Whether declared tails (reverb, delay) are appended.
 */
tail: boolean,
/**
 * How the lossy formats are written.
 */
lossy: LossySettings,
/**
 * The loudness to reach; none leaves the level as the chain gives it.
 */
loudness: LoudnessTarget | null, };

/**
 * A file that the user chose to write to.
 */
export type ExportTarget = {
/**
 * Its handle.
 */
id: TargetId,
/**
 * Its name.
 */
name: string,
/**
 * Its folder, for reading only.
 */
folder: string, };

/**
 * Tracks that were written to a file.
 */
export type ExportedTracks = {
/**
 * The file's name.
 */
name: string,
/**
 * Tracks in it.
 */
tracks: number,
/**
 * Its size.
 */
bytes: number, };

/**
 * An error as it leaves the core over IPC or in JSON.
 */
export type Failure = {
/**
 * The kind.
 */
code: ErrorCode,
/**
 * What failed, what was expected, what to do.
 */
message: string,
/**
 * The place in a chain's text, for [`ErrorCode::Notation`].
 */
notation: NotationError | null, };

/**
 * A folder of the library.
 */
export type FolderView = {
/**
 * Its number.
 */
id: number,
/**
 * Where it is.
 */
path: string,
/**
 * Tracks in it.
 */
tracks: number,
/**
 * When it was last looked through, in milliseconds since 1970.
 */
scanned_at: number | null,
/**
 * Why it could not be reached then.
 */
unreachable: string | null, };

/**
 * A band of frequencies, `low_hz < high_hz`.
 */
export type FrequencyBand = {
/**
 * Its lower edge in hertz.
 */
low_hz: number,
/**
 * Its upper edge.
 */
high_hz: number, };

/**
 * What the frequency ruler says.
 */
export type FrequencyRuler = "hz" | "notes";

/**
 * A frequency axis.
 */
export type FrequencyScale = "linear" | "log" | "mel" | "bark" | "erb";

/**
 * How a group puts its nodes together.
 */
export type GroupKind = "series" | "parallel";

/**
 * What a clip is of.
 */
export type IdentifiedView = {
/**
 * What the clip was.
 */
clip: string,
/**
 * Its length in seconds.
 */
duration_s: number,
/**
 * Its level: a microphone that hears nothing says so.
 */
peak_db: number | null,
/**
 * Tracks that it is of, the best first.
 */
tracks: Array<IdentityView>,
/**
 * Tracks that were asked.
 */
asked: number,
/**
 * Tracks that an earlier version of this program analysed and that were not asked.
 */
outdated: number, };

/**
 * A track that a clip is of.
 */
export type IdentityView = {
/**
 * The track.
 */
track: TrackItem,
/**
 * 1 for the same, 0 for no more alike than any two.
 */
score: number,
/**
 * Where in the track the clip begins, in seconds.
 */
offset_s: number,
/**
 * How much of the clip is in the track, in seconds.
 */
overlap_s: number,
/**
 * How much faster the clip plays than the track.
 */
speed: number,
/**
 * How much higher it sounds, in semitones.
 */
pitch_semitones: number, };

/**
 * A track in hand of a scan.
 */
export type InHandView = {
/**
 * Its number.
 */
id: number,
/**
 * Its file's name.
 */
name: string,
/**
 * The share that is done; none while its length is not known.
 */
done: number | null,
/**
 * Seconds since it was begun.
 */
elapsed_s: number, };

/**
 * The handle of a job.
 */
export type JobId = number;

/**
 * What a job is for: where its outcome is asked for when it is done.
 */
export type JobPurpose = "export" | "batch" | "duplicates" | "map" | "identify";

/**
 * How a job stands.
 */
export type JobState = "running" | "done" | "failed" | "cancelled";

/**
 * A job as the window shows it.
 */
export type JobView = {
/**
 * Its handle.
 */
id: JobId,
/**
 * What for.
 */
purpose: JobPurpose,
/**
 * What it does: "Export speech.wav".
 */
title: string,
/**
 * How it stands.
 */
state: JobState,
/**
 * Done so far, in frames; in steps of its own for what is no export.
 */
done: number,
/**
 * To do; 0 while not known.
 */
total: number,
/**
 * Frames per second.
 */
rate: number,
/**
 * Seconds left.
 */
remaining_s: number | null,
/**
 * What came of it.
 */
result: ExportResult | null,
/**
 * Why it failed.
 */
failure: Failure | null, };

/**
 * Which mixtures of the channels are shown, one lane each.
 */
export type LaneChannels = "each" | "mix" | "mid_side";

/**
 * What the last job ran on.
 */
export type LastJob = {
/**
 * Where, and why.
 */
device: DeviceReport,
/**
 * Where the time went.
 */
seconds: StageSeconds, };

/**
 * A column of the table.
 */
export type LibraryColumn = {
/**
 * Its name in queries and for sorting; a field of [`TrackItem`], or a dimension.
 */
name: string,
/**
 * The unit of its values; empty for none.
 */
unit: string,
/**
 * What it is.
 */
meaning: string,
/**
 * Whether larger values are what people look for first.
 */
numeric: boolean, };

/**
 * How the tracks of the library stand.
 */
export type LibraryCounts = {
/**
 * Tracks that wait to be analysed, those in hand included.
 */
waiting: number,
/**
 * Tracks that are analysed.
 */
done: number,
/**
 * Tracks that could not be analysed.
 */
failed: number,
/**
 * Tracks whose files are gone.
 */
vanished: number,
/**
 * Bytes of the files of all but the vanished.
 */
bytes: number,
/**
 * Seconds of audio in the analysed.
 */
duration_s: number, };

/**
 * The library's settings.
 */
export type LibrarySettings = {
/**
 * Whether the folders are watched, and changes in them scanned, while the window is open.
 */
watch: boolean,
/**
 * Columns of the table, by name, in their order; empty for the standard ones.
 */
columns: Array<string>,
/**
 * What the table is sorted by.
 */
sort: Array<SortBy>,
/**
 * Weights of the dimensions in likeness that differ from the standard ones.
 */
weights: { [key in string]: number },
/**
 * Answers to a question of likeness.
 */
similar_count: number,
/**
 * Whether auditions are brought to the same loudness.
 */
matched: boolean, };

/**
 * Where a track stands.
 */
export type LibraryTrackState = "waiting" | "analysing" | "done" | "failed" | "vanished";

/**
 * The library as its page shows it.
 */
export type LibraryView = {
/**
 * The folders (or single files) that belong to it, by path.
 */
folders: Array<FolderView>,
/**
 * How its tracks stand.
 */
counts: LibraryCounts,
/**
 * The scan that runs in this process, or the last one that did.
 */
scan: ScanView | null,
/**
 * The process, another one, that scans it now.
 */
scanned_elsewhere: string | null,
/**
 * Whether the folders are watched now; why not, where they should be.
 */
watch: WatchView,
/**
 * Columns that the table can show and be sorted by.
 */
columns: Array<LibraryColumn>,
/**
 * The 25 dimensions.
 */
dimensions: Array<DimensionView>,
/**
 * The library's file.
 */
path: string, };

/**
 * What others are to be like.
 */
export type LikeWhat = { "kind": "track", track: number, } | { "kind": "document", document: DocumentId, };

/**
 * How lossy formats are written; each reads its own part.
 */
export type LossySettings = {
/**
 * Vorbis: quality from -1 (about 45 kbit/s for stereo at 44.1 kHz) to 10 (about 500 kbit/s).
 */
vorbis_quality: number,
/**
 * Opus: kbit/s of all channels, 6 to 256 a channel; none is 64 a channel.
 */
opus_kbps: number | null,
/**
 * Opus: whether each second keeps near the bit rate, for streaming; else quality is what is kept.
 */
opus_constrained: boolean,
/**
 * Opus: effort from 0 to 10.
 */
opus_complexity: number,
/**
 * Opus: what the sound is.
 */
opus_application: OpusApplication,
/**
 * MP3: quality of a variable bit rate from 0 (V0, the best) to 9 (V9).
 */
mp3_quality: number,
/**
 * MP3: a constant bit rate in kbit/s instead.
 */
mp3_kbps: number | null, };

/**
 * Which part of a curve is asked for.
 */
export type LoudnessQuery = {
/**
 * Which side of the document.
 */
side: Side,
/**
 * The curve that is known to the asker; 0 for none.
 */
generation: number,
/**
 * The first point that is not known yet.
 */
from: number, };

/**
 * How loudness over time is shown.
 */
export type LoudnessSettings = {
/**
 * Whether its lane is shown.
 */
lane: boolean,
/**
 * The loudness aimed at, in LUFS.
 */
target_lufs: number, };

/**
 * The loudness that an export is brought to, by one gain for the whole.
 */
export type LoudnessTarget = {
/**
 * Integrated loudness in LUFS, -70 to 0 (ITU-R BS.1770).
 */
lufs: number,
/**
 * The highest true peak in dBTP that may come of it, -20 to 0: the gain is kept below where it would be passed.
 */
true_peak_db: number, };

/**
 * How far a curve is.
 */
export type LoudnessView = {
/**
 * Another number is another curve.
 */
generation: number,
/**
 * The share of the work that is done, 0..1; what effects ask of the whole signal is part of it.
 */
share: number,
/**
 * Points there are, ten a second.
 */
points: number,
/**
 * Whether that is all.
 */
finished: boolean,
/**
 * Why it could not be measured.
 */
failure: string | null, };

/**
 * Levels of what is heard, over the last 50 ms or so.
 */
export type Meters = {
/**
 * Sample peak of each channel in dBFS; null for silence.
 */
peak_db: Array<number | null>,
/**
 * RMS of each channel in dBFS; null for silence.
 */
rms_db: Array<number | null>,
/**
 * Samples beyond full scale since playback began.
 */
clipped: number,
/**
 * Samples that were not a number or infinite since playback began, put out as silence.
 */
not_finite: number,
/**
 * By how much the chain's nodes turn down what is heard now.
 */
reductions: Array<NodeReduction>, };

/**
 * What of the monitor begins anew.
 */
export type MonitorPart = "peaks" | "loudness";

/**
 * What is asked of the monitor, every time it is drawn.
 */
export type MonitorQuery = {
/**
 * The window function.
 */
window: WindowName,
/**
 * Frames of a window.
 */
window_frames: number,
/**
 * How spectra are averaged.
 */
averaging: AnalyserAveraging,
/**
 * Whether peaks are held.
 */
hold: AnalyserHold,
/**
 * Which mixtures of the channels have a spectrum.
 */
channels: LaneChannels,
/**
 * What is added for every octave.
 */
slope: AnalyserSlope,
/**
 * Which pair of the output's channels is looked at, from 0.
 */
pair: number,
/**
 * The frequency of the first point.
 */
from_hz: number,
/**
 * The frequency of the last point.
 */
to_hz: number,
/**
 * Points along the frequency axis.
 */
points: number, };

/**
 * An effect or a group, with what every node has.
 */
export type Node = {
/**
 * Its identity.
 */
id: NodeId,
/**
 * Whether it is passed over: `off(...)`.
 */
bypass: boolean,
/**
 * How much of its output is heard, 0..1, the rest being its input: `mix(40 %, ...)`.
 */
mix: number,
/**
 * The user's own name for it: `label("low cut", ...)`.
 */
label?: string, } & ({ "kind": "effect",
/**
 * Its name in the notation.
 */
effect: string,
/**
 * Its arguments, complete.
 */
arguments: Arguments, } | { "kind": "series",
/**
 * The nodes.
 */
nodes: Array<Node>, } | { "kind": "parallel",
/**
 * The branches.
 */
nodes: Array<Node>, });

/**
 * The identity of a node: unique in its chain, kept through edits, so that state, undo and controls survive them.
 */
export type NodeId = number;

/**
 * By how much a node turns the sound down by its level.
 */
export type NodeReduction = {
/**
 * Which.
 */
node: NodeId,
/**
 * In dB, 0 or more.
 */
db: number, };

/**
 * What one node costs.
 */
export type NodeReport = {
/**
 * Which.
 */
node: NodeId,
/**
 * Measured speed as a multiple of real time on the preview's device; none while not measured.
 */
times_real_time: number | null,
/**
 * What comes out for each steady level that goes in, as pairs in dB, of what acts on the level by the level.
 */
transfer_db: Array<[number, number]> | null,
/**
 * Frames by which its output lags, where it runs in this format.
 */
latency_frames: number | null, };

/**
 * The magnitude response of one node.
 */
export type NodeResponse = {
/**
 * Which.
 */
node: NodeId,
/**
 * In decibels.
 */
db: Array<number | null>, };

/**
 * An error in a chain's text. Positions are byte offsets into that text.
 */
export type NotationError = {
/**
 * What is wrong, without position.
 */
message: string,
/**
 * Where the offending text begins, in bytes.
 */
start: number,
/**
 * Where it ends, in bytes.
 */
end: number,
/**
 * The text that was found there.
 */
got: string,
/**
 * What may stand there.
 */
allowed: Array<string>,
/**
 * The nearest valid name, if one is near.
 */
nearest: string | null, };

/**
 * Something to tell the user.
 */
export type Notice = {
/**
 * How grave.
 */
level: NoticeLevel,
/**
 * What happened, why, what to do.
 */
message: string,
/**
 * The document it is about.
 */
document: DocumentId | null, };

/**
 * How grave a notice is.
 */
export type NoticeLevel = "info" | "warning" | "error";

/**
 * Why a file could not be opened.
 */
export type OpenFailure = {
/**
 * The file's name.
 */
name: string,
/**
 * Why.
 */
failure: Failure, };

/**
 * What opening several files gave.
 */
export type Opened = {
/**
 * Documents opened, or found open already.
 */
documents: Array<DocumentView>,
/**
 * Files that could not be opened.
 */
failures: Array<OpenFailure>, };

/**
 * What Opus is to take care of.
 */
export type OpusApplication = "audio" | "speech";

/**
 * What a recording seems to be.
 */
export type OriginKind = "genuine" | "likely_transcoded" | "likely_upsampled" | "cannot_tell";

/**
 * Whether a recording went through a lossy codec, told from its bandwidth.
 */
export type OriginView = {
/**
 * What it seems to be.
 */
origin: OriginKind,
/**
 * How sure, 0 to 1.
 */
confidence: number,
/**
 * Why.
 */
reasons: Array<string>, };

/**
 * A sound output.
 */
export type OutputView = {
/**
 * Its handle, for the settings.
 */
id: string,
/**
 * Its name.
 */
name: string,
/**
 * Its rate.
 */
rate: number,
/**
 * Its channels.
 */
channels: number, };

/**
 * A parameter as the window shows it.
 */
export type ParameterView = {
/**
 * The name in the notation.
 */
name: string,
/**
 * The name for people.
 */
title: string,
/**
 * One line of help.
 */
help: string,
/**
 * What values it takes.
 */
control: ControlView,
/**
 * It counts only where one of these holds; none for one that always counts.
 */
used_with: Array<UsedWith>, };

/**
 * A file format of pictures and their numbers.
 */
export type PictureFormat = "png" | "npy";

/**
 * A stored chain.
 */
export type PresetView = {
/**
 * Its name, unique.
 */
name: string,
/**
 * The chain as text.
 */
text: string,
/**
 * Whether it came with the program; such a one can neither be changed nor deleted.
 */
factory: boolean,
/**
 * The task under which one that came with the program stands.
 */
task: string | null,
/**
 * Why it cannot be used.
 */
problem: string | null, };

/**
 * What a user looks for when adding an effect.
 */
export type Purpose = "filter" | "equaliser" | "dynamics" | "space" | "modulation" | "level" | "image" | "tone" | "repair";

/**
 * One of them.
 */
export type QueryCompletion = {
/**
 * What to put there.
 */
text: string,
/**
 * An example, with the unit.
 */
example: string,
/**
 * What it is.
 */
help: string, };

/**
 * What could be typed next in a query.
 */
export type QueryCompletions = {
/**
 * What is wrong with the whole text, and where.
 */
failure: Failure | null,
/**
 * Where the part to replace begins, in UTF-16 units.
 */
start: number,
/**
 * Where it ends.
 */
end: number,
/**
 * What fits, the best first.
 */
items: Array<QueryCompletion>, };

/**
 * One of the two racks.
 */
export type Rack = "a" | "b";

/**
 * Level of a range, measured.
 */
export type RangeLevels = {
/**
 * Sample peak in dBFS; null for silence.
 */
peak_db: number | null,
/**
 * RMS in dBFS (a full-scale square wave is 0); null for silence.
 */
rms_db: number | null, };

/**
 * A file opened before.
 */
export type RecentFile = {
/**
 * Its handle.
 */
id: number,
/**
 * Its name.
 */
name: string,
/**
 * Its folder, for reading only.
 */
folder: string, };

/**
 * Levels of a part of a recording.
 */
export type RegionLevels = {
/**
 * Sample peak in dBFS; null for silence.
 */
peak_db: number | null,
/**
 * RMS in dBFS (a full-scale square wave is 0); null for silence.
 */
rms_db: number | null,
/**
 * Loudness in LUFS (ITU-R BS.1770, gated); null where it is too short or too quiet.
 */
lufs: number | null,
/**
 * The centre of gravity of its power spectrum; null for silence.
 */
centre_hz: number | null, };

/**
 * Magnitude responses for the plot.
 */
export type ResponseView = {
/**
 * Frequencies in hertz, evenly spaced in ratio.
 */
frequency_hz: Array<number>,
/**
 * The whole chain in decibels; null where it is silent (minus infinity).
 */
chain_db: Array<number | null>,
/**
 * Each linear effect in decibels.
 */
nodes: Array<NodeResponse>, };

/**
 * How a control maps its travel to values.
 */
export type Scale = "linear" | "log" | "integer";

/**
 * What a scan is doing.
 */
export type ScanPhase = "walking" | "analysing" | "pausing" | "paused" | "held" | "stopping" | "done" | "cancelled" | "failed";

/**
 * Where the time of a scan's workers went, in seconds.
 */
export type ScanTime = {
/**
 * Reading and decoding.
 */
decode: number,
/**
 * Analysing on the processor.
 */
analysis: number,
/**
 * Analysing on a GPU.
 */
gpu: number,
/**
 * Finding out whether the audio is known.
 */
recognising: number,
/**
 * Waiting for the database.
 */
database: number,
/**
 * Waiting for memory.
 */
memory: number, };

/**
 * A scan.
 */
export type ScanView = {
/**
 * What it is doing, or how it ended.
 */
phase: ScanPhase,
/**
 * Tracks that are through.
 */
tracks_done: number,
/**
 * Tracks that were found to do so far; all of them once the folders are walked.
 */
tracks_total: number,
/**
 * Bytes of the files that are through; of those in hand the share that is done.
 */
bytes_done: number,
/**
 * Bytes of all.
 */
bytes_total: number,
/**
 * Recordings that the walk found.
 */
found: number,
/**
 * Tracks that were analysed.
 */
analysed: number,
/**
 * Tracks whose audio was known already: copies, moved or tagged anew.
 */
recognised: number,
/**
 * Tracks that could not be analysed.
 */
failed: number,
/**
 * Tracks whose files are gone.
 */
vanished: number,
/**
 * Seconds since it began, without pauses.
 */
elapsed_s: number,
/**
 * Tracks a second, lately.
 */
tracks_per_s: number,
/**
 * Seconds of audio a second of time.
 */
realtime_factor: number,
/**
 * Seconds left; none while that is not known.
 */
remaining_s: number | null,
/**
 * Where the time of all workers went, in seconds.
 */
time: ScanTime,
/**
 * Tracks in hand.
 */
in_hand: Array<InHandView>,
/**
 * Memory that tracks in hand are reckoned to take.
 */
memory_bytes: number,
/**
 * Where the track that was analysed last was, and why there; none before the first.
 */
device: DeviceReport | null,
/**
 * What keeps it from going on.
 */
fault: string | null,
/**
 * Folders that could not be reached, places that could not be looked at; why it failed.
 */
notices: Array<string>, };

/**
 * A range of frames, the end excluded; `start < end`.
 */
export type Selection = {
/**
 * First frame.
 */
start: number,
/**
 * One past the last frame.
 */
end: number, };

/**
 * A curve (width 1) or a picture (rows of `width`) over a track's time.
 */
export type SeriesView = {
/**
 * `chroma`, `tempogram`, `loudness`, ...
 */
name: string,
/**
 * The unit of the values; empty for none.
 */
unit: string,
/**
 * The time of the first row, in seconds.
 */
start_s: number,
/**
 * From one row to the next.
 */
step_s: number,
/**
 * Values in a row.
 */
width: number,
/**
 * The values, row after row; none where there is none.
 */
values: Array<number | null>, };

/**
 * Settings shared by window and command line.
 */
export type Settings = {
/**
 * The window's colours.
 */
theme: Theme,
/**
 * Where work runs.
 */
device: DeviceRequest,
/**
 * The sound output's handle; none follows the system's default.
 */
output: string | null,
/**
 * Mutes the sound output and stops playback when the sound rises far beyond full scale: a sample above +20 dB, or an
 * RMS above +6 dB over 100 ms. Without it, too, samples that are not a number are silence, and none goes out beyond
 * full scale.
 */
mute_when_too_loud: boolean,
/**
 * Disk space for the waveforms of recordings opened before, in MiB.
 */
cache_mib: number,
/**
 * The last export's settings.
 */
export: ExportSettings,
/**
 * Spectrograms.
 */
spectrogram: SpectrogramSettings,
/**
 * The analyser of what is heard.
 */
analyser: AnalyserSettings,
/**
 * Loudness over time.
 */
loudness: LoudnessSettings,
/**
 * The library.
 */
library: LibrarySettings,
/**
 * How often each effect was added, by its name in the notation; the window lists the most used first.
 */
effect_uses: { [key in string]: number },
/**
 * Sizes of panes in pixels, by name; kept for the window.
 */
panes: { [key in string]: number }, };

/**
 * Which of the two is heard.
 */
export type Side = "original" | "processed";

/**
 * A track that is like the one asked for.
 */
export type SimilarItem = {
/**
 * The track.
 */
track: TrackItem,
/**
 * 1 for equal, 0 for as far as the library is wide or farther.
 */
score: number,
/**
 * Every dimension that counted, the largest share of the distance first.
 */
contributions: Array<ContributionView>, };

/**
 * A column to sort by.
 */
export type SortBy = {
/**
 * The column's name.
 */
column: string,
/**
 * From the largest to the smallest. What has no value comes last either way.
 */
descending: boolean, };

/**
 * A recording that a document is made of.
 */
export type SourceView = {
/**
 * The file's name, without its folder.
 */
name: string,
/**
 * The folder, to tell files of one name apart; for reading only.
 */
folder: string,
/**
 * Container: "WAV".
 */
format: string,
/**
 * Codec: "PCM 16 bit".
 */
codec: string,
/**
 * Seconds.
 */
duration_s: number,
/**
 * Tags by name.
 */
tags: { [key in string]: string },
/**
 * What is wrong with the file though it can be used.
 */
warnings: Array<string>,
/**
 * Why it cannot be read now (moved, changed); its document keeps its place.
 */
missing: string | null, };

/**
 * How a spectrogram is analysed; a change makes its picture anew.
 */
export type SpectrogramAnalysis = {
/**
 * How energy is told apart in time and frequency.
 */
method: SpectrogramMethod,
/**
 * Bins of an octave, of the constant-Q transform alone: 12 to 96.
 */
bins_per_octave: number,
/**
 * The window function.
 */
window: WindowName,
/**
 * Frames of a window, a power of two from 64 to 65536.
 */
window_frames: number,
/**
 * How many times longer the transform is: 1, 2, 4 or 8.
 */
padding: number,
/**
 * The frequency axis.
 */
scale: FrequencyScale, };

/**
 * How the processed side is shown beside the original.
 */
export type SpectrogramCompare = "off" | "wipe" | "difference";

/**
 * How a spectrogram is shown: a lookup in the view, never a recomputation.
 */
export type SpectrogramDisplay = {
/**
 * Its colours.
 */
colours: ColourMap,
/**
 * Added to every level, in dB.
 */
gain_db: number,
/**
 * From the darkest to the brightest colour, which is 0 dB, in dB.
 */
range_db: number,
/**
 * 0 shows the waveform alone, 1 the spectrogram alone.
 */
blend: number,
/**
 * The lanes.
 */
channels: LaneChannels,
/**
 * The processed side beside the original.
 */
compare: SpectrogramCompare,
/**
 * What the time ruler counts.
 */
time_ruler: TimeRuler,
/**
 * What the frequency ruler says.
 */
frequency_ruler: FrequencyRuler,
/**
 * Beats per minute, for the ruler of bars and beats.
 */
bpm: number,
/**
 * Beats in a bar.
 */
beats_per_bar: number, };

/**
 * How energy is told apart in time and frequency.
 */
export type SpectrogramMethod = "fourier" | "multi_resolution" | "reassigned" | "constant_q";

/**
 * An analysis for a purpose.
 */
export type SpectrogramPreset = {
/**
 * Its name.
 */
name: string,
/**
 * Its name for people.
 */
title: string,
/**
 * One line of help.
 */
help: string,
/**
 * How it analyses.
 */
analysis: SpectrogramAnalysis,
/**
 * The gain that goes with it, in dB.
 */
gain_db: number,
/**
 * The range that goes with it, in dB.
 */
range_db: number, };

/**
 * Spectrograms in the settings.
 */
export type SpectrogramSettings = {
/**
 * How they are analysed.
 */
analysis: SpectrogramAnalysis,
/**
 * How they are shown.
 */
display: SpectrogramDisplay, };

/**
 * Which part of a spectrogram: see `view::spectrogram` for what the numbers mean.
 */
export type SpectrogramTile = {
/**
 * How it is analysed.
 */
analysis: SpectrogramAnalysis,
/**
 * The lanes of the picture.
 */
channels: LaneChannels,
/**
 * Which of them.
 */
lane: number,
/**
 * The recording as it is, or through the chain.
 */
side: Side,
/**
 * A column is 2 to this power frames wide.
 */
level: number,
/**
 * Which tile along time.
 */
column_tile: number,
/**
 * The frequency axis has 256 times 2 to this power rows.
 */
row_level: number,
/**
 * The lowest of the row tiles asked for.
 */
row_tile: number,
/**
 * How many of them.
 */
row_tiles: number,
/**
 * A number of the window's own, by which `cancel_tiles` names it.
 */
request: number, };

/**
 * What the spectrum is at a place.
 */
export type SpectrumAt = {
/**
 * The level there in dB re a full-scale sine; null for silence.
 */
db: number | null,
/**
 * The frequency of the spectral peak nearest to it.
 */
peak_hz: number,
/**
 * The level of that peak; null for silence.
 */
peak_db: number | null,
/**
 * The phase of that peak at the frame, in radians; 0 is a cosine's crest.
 */
phase_rad: number | null, };

/**
 * Wall time in which each stage was busy, in seconds. Stages overlap, so that they may add up to more than the total.
 */
export type StageSeconds = { decode: number, upload: number, kernels: number, readback: number, encode: number, total: number, };

/**
 * What the window needs to begin.
 */
export type Startup = {
/**
 * This program's version.
 */
version: string,
/**
 * The settings.
 */
settings: Settings,
/**
 * Documents of the last session, in the order of their tabs.
 */
documents: Array<DocumentView>,
/**
 * The one in front.
 */
active: DocumentId | null,
/**
 * Every effect with its parameters.
 */
effects: Array<EffectView>,
/**
 * Recent files, the latest first.
 */
recent: Array<RecentFile>,
/**
 * The formats that this build exports to.
 */
export_formats: Array<ExportFormat>,
/**
 * What to tell the user at once: a session that could not be read, a missing file.
 */
notices: Array<Notice>, };

/**
 * The handle of a file that the user chose to write to.
 */
export type TargetId = number;

/**
 * The window's colours.
 */
export type Theme = "system" | "dark" | "light" | "contrast";

/**
 * What the time ruler counts.
 */
export type TimeRuler = "time" | "samples" | "beats";

/**
 * A row of the table.
 */
export type TrackItem = { id: number,
/**
 * The file's name.
 */
name: string,
/**
 * The folder it lies in.
 */
folder: string, state: LibraryTrackState,
/**
 * Why it could not be analysed.
 */
reason: string | null, title: string | null, artist: string | null, album: string | null, album_artist: string | null, genre: string | null, year: number | null, track_no: number | null, disc_no: number | null, duration_s: number | null, rate_hz: number | null, channels: number | null, format: string | null, codec: string | null,
/**
 * Bits a second.
 */
bit_rate: number | null, bits: number | null, bandwidth_hz: number | null, key: string | null, bytes: number,
/**
 * Milliseconds since 1970.
 */
added_at: number,
/**
 * Whether there is a cover.
 */
cover: boolean,
/**
 * The dimensions in their order; none where one has no value.
 */
features: Array<number | null>, };

/**
 * Which tracks the table shows, and how.
 */
export type TrackListQuery = {
/**
 * A query's text; empty for all.
 */
text: string,
/**
 * What they are sorted by; empty for artist, album, number.
 */
sort: Array<SortBy>, };

/**
 * Rows of the table.
 */
export type TrackPage = {
/**
 * Tracks that answer in all.
 */
total: number,
/**
 * The number of the first row that is here.
 */
offset: number,
/**
 * The rows.
 */
rows: Array<TrackItem>, };

/**
 * All that is known of a track.
 */
export type TrackPageView = {
/**
 * Its row.
 */
item: TrackItem,
/**
 * Its file, as text.
 */
path: string,
/**
 * Whether the file is there now.
 */
reachable: boolean,
/**
 * All its tags.
 */
tags: { [key in string]: string },
/**
 * What was not as it should be in its file.
 */
warnings: Array<string>,
/**
 * Why dimensions have no value, by name.
 */
missing: { [key in string]: string },
/**
 * For each dimension the share of the library's tracks with a lower value, 0 to 1.
 */
percentiles: Array<number | null>,
/**
 * Curves and pictures.
 */
series: Array<SeriesView>,
/**
 * What its bandwidth says of where it comes from; none while it is not known.
 */
origin: OriginView | null,
/**
 * When it was analysed, in milliseconds since 1970.
 */
analysed_at: number | null,
/**
 * Whether an earlier version of this program analysed it.
 */
outdated: boolean,
/**
 * When its file was found gone.
 */
vanished_at: number | null,
/**
 * When its file was moved to the system's bin by this program.
 */
binned_at: number | null, };

/**
 * A track that could not be analysed.
 */
export type TrackProblem = {
/**
 * Its number.
 */
id: number,
/**
 * Its file's name.
 */
name: string,
/**
 * The folder it lies in.
 */
folder: string,
/**
 * Why.
 */
reason: string,
/**
 * How often it was tried.
 */
attempts: number, };

/**
 * What playback is doing.
 */
export type TransportView = {
/**
 * The document that is played.
 */
document: DocumentId | null,
/**
 * What of the library is auditioned; no document is played then, and frames are its common time's.
 */
audition: AuditionView | null,
/**
 * Whether sound is going out.
 */
playing: boolean,
/**
 * The frame that is heard now, in the document's own frames.
 */
frame: number,
/**
 * Whether the selection is repeated.
 */
looping: boolean,
/**
 * Which side is heard.
 */
side: Side,
/**
 * Whether both sides are brought to the same loudness.
 */
matched: boolean,
/**
 * The gain on the processed side that matches them, once measured.
 */
matched_gain_db: number | null,
/**
 * Whether what is known of the whole signal (matched loudness, normalise) is out of date and being measured.
 */
stale: boolean,
/**
 * Times the output ran dry since playback began.
 */
underruns: number,
/**
 * The level in dB over full scale at which the output was muted and playback stopped, until it begins again.
 */
muted_db: number | null,
/**
 * The output that is used.
 */
output: OutputView | null,
/**
 * Why nothing is heard.
 */
problem: string | null,
/**
 * Milliseconds from the last change of the chain until it was heard.
 */
heard_after_ms: number | null, };

/**
 * The unit of a number.
 */
export type Unit = "none" | "hz" | "dB" | "seconds" | "percent";

/**
 * A choice that stands at one of some words.
 */
export type UsedWith = {
/**
 * The parameter that is the choice.
 */
choice: string,
/**
 * The words.
 */
words: Array<string>, };

/**
 * A value of a parameter.
 */
export type Value = number | string;

/**
 * The visible part of a document, in frames; fractions matter at high zoom.
 */
export type ViewRange = {
/**
 * Left edge.
 */
start: number,
/**
 * Right edge.
 */
end: number, };

/**
 * Watching the folders.
 */
export type WatchView = {
/**
 * Whether it is on.
 */
on: boolean,
/**
 * Why some folder is not watched.
 */
problem: string | null, };

/**
 * How far a waveform is, and what its reading met.
 */
export type WaveformView = {
/**
 * The share of the document that is drawn exactly, 0..1.
 */
exact_share: number,
/**
 * What could not be decoded and is silent; known in whole when everything is exact.
 */
damage: Array<Selection>,
/**
 * What ended the reading before its time.
 */
failure: string | null, };

/**
 * A window function.
 */
export type WindowName = "hann" | "hamming" | "blackman" | "blackman_harris" | "nuttall" | "flattop" | "kaiser" | "gaussian" | "bartlett" | "parzen" | "bohman" | "barthann" | "rectangular";

/** Points of colour maps from silence to loud, six hexadecimal digits each: red, green, blue. */
export const COLOUR_POINTS = {
  viridis: '440154470d6048186a482374472d7b4536814240863f49893b528b375a8d33638d2f6a8e2c728e297a8e26818e23898e21908c1f988b1f9f8821a68528ae8031b57b3ebc744cc26c5dc9636ece5882d34c96d83fabdc32c0df24d5e21aeae51afde725',
  magma: '0000040303110a0822130d331d114628115a36106a430f7650127c5d177f691c817621818226818f2a819c2e7fa9327db63779c33b75cf4170db486ae65163ee5c5ef5695cf9785dfb8761fd9668fea571feb47bfec387fed194fde0a2fceeb0fcfdbf',
  inferno: '0000040403120b0724150b37210c4a2e0a5a3c09654a0c6b57106d63146e70196e7d1e6d89226a962766a32b61af315cbb3755c63e4dd14644db4f3be35932eb6528f1711ef67f14f98d0afb9c06fcab0ffbba1ff9ca32f5d949f2e865f3f586fcffa4',
  cividis: '00224e00285b002e6a0433711a386f273e6e32436d3b496c434e6c4b546c52596d5a5f6e61656f686a716f70737576767c7b788481798b8778938d789b9376a39a75aba072b3a670bbad6cc3b469ccba64d4c15fddc958e6d051efd748f8df3cfee838',
  grey: '000000ffffff',
  undertone: '0a0d100c131b0e18270f1e3211243f122a4b13315215395915416116496817517017597717617e186a831973871a7c8b1b858f1c8e931d97961fa19a32a99946b29556ba9266c28d74cb888ad182b3d276d7d269f3d363f6dc85f9e5a4fcedc0fff6dc',
  difference: 'bfe3ffabd8fd97cdfa83c2f76eb7f457acf1499fe54091d63783c62e75b72568a81f5a95204d7b1f3f621d324a1a253316191d2b231f412c2057351f6f3e1c8747169b5315ac6119be6f1ed17d22e38b27f19a37f5a954f8b76dfbc684fdd49affe2b0',
} as const;

/** What a window may ask: arguments and result by name. */
export interface Commands {
  /** All that a window needs to begin. */
  startup: { args: Record<string, never>; result: Startup };
  /** Lets the user choose files and opens them; empty when cancelled. */
  open_dialog: { args: Record<string, never>; result: Opened };
  /** Opens a file that was opened before. */
  open_recent: { args: { id: number }; result: Opened };
  /** Files opened before, the latest first. */
  recent: { args: Record<string, never>; result: Array<RecentFile> };
  /** Forgets them all. */
  clear_recent: { args: Record<string, never>; result: Array<RecentFile> };
  /** Opens the recording that the program synthesises itself. */
  open_demo: { args: Record<string, never>; result: Opened };
  /** Closes a document; its recording is not touched. */
  close_document: { args: { document: DocumentId }; result: null };
  /** Brings a document to the front. */
  activate_document: { args: { document: DocumentId }; result: null };
  /** Lets the user say where a missing recording is now. */
  locate_source: { args: { document: DocumentId; source: number }; result: DocumentView };
  /** Tries again to open the recordings of a document that could not be read. */
  retry_document: { args: { document: DocumentId }; result: DocumentView };
  /** Lets one of a document's two racks be heard and edited; what undo would undo stays. */
  set_rack: { args: { document: DocumentId; rack: Rack }; result: DocumentView };
  /** Lets the user choose the file of a parameter; can be undone, changes nothing when cancelled. */
  choose_argument: { args: { document: DocumentId; node: NodeId; name: string }; result: DocumentView };
  /** Lets the chains of a document read these files from now on, or takes the effects out that name them. */
  answer_files: { args: { document: DocumentId; files: Array<string>; allow: boolean }; result: DocumentView };
  /** Changes a document; can be undone. */
  edit: { args: { document: DocumentId; edit: Edit }; result: DocumentView };
  /** Takes the last edit back. */
  undo: { args: { document: DocumentId }; result: DocumentView };
  /** Does it again. */
  redo: { args: { document: DocumentId }; result: DocumentView };
  /** Whether a text is a chain, and what is wrong with it where. */
  check_chain: { args: { text: string }; result: ChainCheck };
  /** Magnitude responses of the chain and its nodes. */
  response: { args: { document: DocumentId; points: number; from_hz: number; to_hz: number }; result: ResponseView };
  /** What each node costs and where work runs. */
  chain_report: { args: { document: DocumentId }; result: ChainReport };
  /** Selects frames, or nothing; and of these a band of frequencies, or all. */
  set_selection: { args: { document: DocumentId; selection: Selection | null; band: FrequencyBand | null }; result: DocumentView };
  /** Remembers what is shown and where the cursor stands. */
  set_view: { args: { document: DocumentId; view: ViewRange; cursor_frame: number }; result: null };
  /** Measures a range of the recording. */
  levels: { args: { document: DocumentId; range: Selection }; result: RangeLevels };
  /** Measures a range of the recording, or a band of frequencies of it. */
  region_levels: { args: { document: DocumentId; range: Selection; band: FrequencyBand | null }; result: RegionLevels };
  /** Says in words and figures what a recording is. */
  describe: { args: { document: DocumentId }; result: Description };
  /** Lets the user choose a file and writes the spectrogram to it; none when cancelled. */
  export_picture: { args: { document: DocumentId; side: Side; analysis: SpectrogramAnalysis; display: SpectrogramDisplay; width: number; height: number; axes: boolean; format: PictureFormat }; result: ExportTarget | null };
  /** The spectrum at a place of a spectrogram, and the peak nearest to it. */
  spectrum_at: { args: { document: DocumentId; analysis: SpectrogramAnalysis; channels: LaneChannels; lane: number; side: Side; frame: number; hz: number }; result: SpectrumAt };
  /** Gives up tiles that are no longer to be seen. */
  cancel_tiles: { args: { document: DocumentId; requests: Array<number> }; result: null };
  /** Spectrogram settings for a purpose. */
  spectrogram_presets: { args: Record<string, never>; result: Array<SpectrogramPreset> };
  /** Plays from a frame, to another or to the end. */
  play: { args: { document: DocumentId; from_frame: number; until_frame: number | null }; result: TransportView };
  /** Stops. */
  stop: { args: Record<string, never>; result: TransportView };
  /** Moves the play head. */
  seek: { args: { frame: number }; result: TransportView };
  /** Repeats the selection, or not. */
  set_loop: { args: { looping: boolean }; result: TransportView };
  /** Lets the original or the processed side be heard. */
  set_side: { args: { side: Side }; result: TransportView };
  /** Brings both sides to the same loudness, or not. */
  set_matched: { args: { matched: boolean }; result: TransportView };
  /** Begins to look at what is heard, or ends. */
  set_monitoring: { args: { on: boolean }; result: null };
  /** Lets the analyser's held peaks, or the loudness of what is heard, begin anew. */
  reset_monitor: { args: { part: MonitorPart }; result: null };
  /** Gives up the loudness over time of a document that is being measured. */
  stop_loudness: { args: { document: DocumentId }; result: null };
  /** Sound outputs there are. */
  outputs: { args: Record<string, never>; result: Array<OutputView> };
  /** Devices, what they measured, and what is used. */
  devices: { args: Record<string, never>; result: DevicesView };
  /** Measures every device anew. */
  measure_devices: { args: Record<string, never>; result: DevicesView };
  /** Lets the user choose the file of an export; none when cancelled. */
  choose_export: { args: { document: DocumentId; settings: ExportSettings }; result: ExportTarget | null };
  /** Begins an export to a file chosen before. */
  export: { args: { document: DocumentId; target: TargetId; settings: ExportSettings }; result: JobId };
  /** Many files through one chain: the list, what is done to it, how it stands. */
  batch: { args: Record<string, never>; result: BatchView };
  /** Lets the user choose files and adds them to the batch. */
  add_batch_files: { args: Record<string, never>; result: BatchView };
  /** Lets the user choose folders and adds the recordings in them to the batch. */
  add_batch_folders: { args: Record<string, never>; result: BatchView };
  /** Takes inputs off the list. */
  remove_batch_items: { args: { items: Array<number> }; result: BatchView };
  /** Takes them all off. */
  clear_batch: { args: Record<string, never>; result: BatchView };
  /** Lets the user choose the folder of the outputs; as it was when cancelled. */
  choose_batch_output: { args: Record<string, never>; result: BatchView };
  /** Changes what is done to the inputs, and gives the names that come of it. */
  set_batch: { args: { settings: BatchSettings }; result: BatchView };
  /** Whether files dropped on the window are inputs of the batch from now on. */
  take_batch_drops: { args: { on: boolean }; result: null };
  /** Begins to work on the inputs, all of them anew; what a list of finished files has is skipped. */
  start_batch: { args: Record<string, never>; result: BatchView };
  /** Lets it pause when the files in hand are through. */
  pause_batch: { args: Record<string, never>; result: null };
  /** Lets it go on. */
  resume_batch: { args: Record<string, never>; result: null };
  /** Ends it; what is finished stays, of what is not nothing is left. */
  cancel_batch: { args: Record<string, never>; result: null };
  /** Shows an output in the system's file manager. */
  show_batch_file: { args: { item: number }; result: null };
  /** Lets the user choose a file and writes what became of each input to it; false when cancelled. */
  save_batch_report: { args: Record<string, never>; result: boolean };
  /** Stops a job. */
  cancel_job: { args: { job: JobId }; result: null };
  /** Jobs since the start. */
  jobs: { args: Record<string, never>; result: Array<JobView> };
  /** Stored chains. */
  presets: { args: Record<string, never>; result: Array<PresetView> };
  /** Stores the chain of a document, or one node of it. */
  save_preset: { args: { document: DocumentId; node: NodeId | null; name: string; replace: boolean }; result: Array<PresetView> };
  /** Deletes a stored chain of the user's. */
  delete_preset: { args: { name: string }; result: Array<PresetView> };
  /** Lets the user choose a preset file and stores it. */
  import_preset: { args: Record<string, never>; result: Array<PresetView> };
  /** Lets the user choose where to write a preset; false when cancelled. */
  export_preset: { args: { name: string }; result: boolean };
  /** The library: folders, counts, scan, columns. */
  library: { args: Record<string, never>; result: LibraryView };
  /** Lets the user choose folders, adds them and begins to scan them. */
  add_library_folders: { args: Record<string, never>; result: LibraryView };
  /** Takes a folder out of the library, and what is known of its tracks; no file is touched. */
  remove_library_folder: { args: { folder: number }; result: LibraryView };
  /** Begins to scan the library, or some folders of it. */
  scan_library: { args: { folders: Array<number> }; result: LibraryView };
  /** Lets the scan pause when the tracks in hand are through. */
  pause_scan: { args: Record<string, never>; result: null };
  /** Lets it go on. */
  resume_scan: { args: Record<string, never>; result: null };
  /** Ends it; what was found out is kept. */
  cancel_scan: { args: Record<string, never>; result: null };
  /** Watches the folders for changes, or not. */
  watch_library: { args: { on: boolean }; result: LibraryView };
  /** Rows of the table. */
  library_tracks: { args: { query: TrackListQuery; offset: number; limit: number }; result: TrackPage };
  /** The row that a track has in the table; none where it does not answer. */
  library_position: { args: { query: TrackListQuery; track: number }; result: number | null };
  /** Numbers of all tracks that answer, in the order of the table: what a map highlights, or a command is to be done to. */
  library_numbers: { args: { query: TrackListQuery }; result: Array<number> };
  /** Rows of some tracks, in the order asked for, without those that are no longer there. */
  library_rows: { args: { tracks: Array<number> }; result: Array<TrackItem> };
  /** What is wrong with a query, and what could be typed at the cursor, a place in UTF-16 units. */
  complete_query: { args: { text: string; cursor: number }; result: QueryCompletions };
  /** All that is known of a track. */
  library_track: { args: { track: number }; result: TrackPageView };
  /** A track's cover. */
  library_cover: { args: { track: number }; result: CoverView | null };
  /** Opens tracks in the editor. */
  open_tracks: { args: { tracks: Array<number> }; result: Opened };
  /** What could not be analysed, and why. */
  library_problems: { args: Record<string, never>; result: Array<TrackProblem> };
  /** Lets the next scan try tracks again that could not be analysed - these, or all -, and begins it. */
  retry_tracks: { args: { tracks: Array<number> | null }; result: LibraryView };
  /** The tracks that are most like one; weights by dimension, the standard ones where none is given. */
  similar_tracks: { args: { like: LikeWhat; weights: { [key in string]: number }; count: number }; result: Array<SimilarItem> };
  /** Begins to find tracks that are the same recording. */
  find_duplicates: { args: Record<string, never>; result: JobId };
  /** What the last search for duplicates found; none before the first. */
  duplicates: { args: Record<string, never>; result: DuplicatesView | null };
  /** Keeps what the user decided about two tracks, or takes it back. */
  decide_duplicates: { args: { first: number; second: number; decision: Decision | null }; result: null };
  /** Begins to lay out the map. */
  make_map: { args: Record<string, never>; result: JobId };
  /** Begins to identify a clip; none when the user chose no file. */
  identify_clip: { args: { clip: ClipSource }; result: JobId | null };
  /** What the last clip is of; none before the first. */
  identified: { args: Record<string, never>; result: IdentifiedView | null };
  /** Moves the files of tracks to the system's bin; nothing is deleted. For each track `copies` names those of */
  /** which one must be on the disk still; where it names none, none has to be. */
  bin_tracks: { args: { tracks: Array<number>; copies: Array<Array<number>> | null }; result: BinOutcome };
  /** Brings files back from the bin that were moved there, where the system lets programs do so. */
  restore_tracks: { args: { tracks: Array<number> }; result: BinOutcome };
  /** Shows a track's file in the system's file manager. */
  show_track_file: { args: { track: number }; result: null };
  /** Lets the user choose a CSV, JSON or Parquet file and writes the tracks that answer to it. */
  export_tracks: { args: { query: TrackListQuery }; result: ExportedTracks | null };
  /** Plays a track of the library, or two over each other of which one is heard, from a moment of their common time. */
  /** A is the original side; where none is asked for, what was heard last of an audition is heard on. */
  audition: { args: { a: AuditionTrack; b: AuditionTrack | null; from_s: number; side: Side | null }; result: TransportView };
  /** The settings. */
  settings: { args: Record<string, never>; result: Settings };
  /** Changes the settings. */
  set_settings: { args: { settings: Settings }; result: Settings };
}
