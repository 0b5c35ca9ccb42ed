// Generated from the core's Rust types; `npm run bindings` makes it anew.

/**
 * A test of A against B.
 */
export type AbxReport = {
/**
 * The name of version A.
 */
a: string,
/**
 * The name of version B.
 */
b: string,
/**
 * The passage.
 */
passage: string,
/**
 * Its beginning and end in seconds.
 */
passage_s: [number, number],
/**
 * The rule.
 */
rule: Rule,
/**
 * The probability with which a guesser passes under this rule.
 */
guesser_passes: number,
/**
 * The share of right answers for which the power is given: that of a sequential rule, else 0.75.
 */
ability: number,
/**
 * The probability with which a listener of this ability passes.
 */
power: number,
/**
 * The mean number of trials of such a listener.
 */
expected_trials: number,
/**
 * Trials with an answer.
 */
answered: number,
/**
 * Right ones.
 */
right: number,
/**
 * The result.
 */
standing: Standing,
/**
 * The probability with which guessing ends as convincingly; `None` if the listener gave up.
 */
p_value: number | null,
/**
 * The share of right answers in the long run, at a confidence of 95 %; `None` if the listener gave up.
 */
interval: [number, number] | null,
/**
 * The trials.
 */
trials: Array<AbxTrial>, };

/**
 * A trial of A against B.
 */
export type AbxTrial = {
/**
 * The version that X was: `A` or `B`.
 */
x: string,
/**
 * The version that the listener took X for.
 */
said: string,
/**
 * How long it took, in seconds.
 */
seconds: number,
/**
 * How often the listener switched.
 */
switches: number, };

/**
 * The verification of one device.
 */
export type AdapterCheck = {
/**
 * `cpu` or `gpu:N`.
 */
id: string,
/**
 * The device's name.
 */
name: string,
/**
 * "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
 */
backend: string,
/**
 * The driver and its version.
 */
driver: string,
/**
 * "cpu", "discrete", "integrated", "virtual" or "software".
 */
kind: string,
/**
 * Why the program cannot use this device on any such machine and left it out; `None` if it can.
 */
left_out: string | null,
/**
 * Why it could not be verified, although it can be used.
 */
problem: string | null,
/**
 * Every kernel at every size.
 */
kernels: Array<KernelCheck>,
/**
 * Whole jobs; none for the CPU, with which the others are compared.
 */
jobs: Array<JobCheck>, };

/**
 * How the other lies against the reference.
 */
export type Alignment = {
/**
 * The time in the other of the reference's beginning, in seconds; negative if the other begins later in the
 * recording.
 */
offset_s: number,
/**
 * How much slower the other's clock is, in parts per million: one second of the reference takes
 * `1 + drift_ppm / 10^6` seconds of the other.
 */
drift_ppm: number,
/**
 * 1, or -1 if the other is inverted.
 */
polarity: number,
/**
 * The level of the other relative to the reference, in dB.
 */
gain_db: number,
/**
 * From 0, another alignment would do as well, to 1, none comes near and this one is near enough.
 */
confidence: number, };

/**
 * How spectra are averaged, with the time constants of sound level meters (IEC 61672-1).
 */
export type AnalyserAveraging = "off" | "fast" | "slow";

/**
 * How peaks are held.
 */
export type AnalyserHold = "off" | "decay" | "until_reset";

/**
 * The analyser's settings.
 */
export type AnalyserSettings = {
/**
 * Whether the analyser is open.
 */
open: boolean,
/**
 * The window function.
 */
window: WindowName,
/**
 * The window length in frames: 2048, 4096, 8192 or 16384.
 */
window_frames: number,
/**
 * How spectra are averaged.
 */
averaging: AnalyserAveraging,
/**
 * Whether and how peaks are held.
 */
hold: AnalyserHold,
/**
 * The lanes that have a spectrum.
 */
channels: LaneChannels,
/**
 * The slope added to the spectrum.
 */
slope: AnalyserSlope,
/**
 * The level at the bottom of the plot, in dB.
 */
low_db: number,
/**
 * The level at the top of the plot, in dB.
 */
high_db: number, };

/**
 * The slope that the analyser adds relative to 1 kHz.
 */
export type AnalyserSlope = "0" | "3" | "4.5";

/**
 * The format of a stream: its sample rate, its channels, and the loudspeakers that they are meant for.
 */
export type AudioFormat = {
/**
 * The sample rate, in frames per second.
 */
rate: number,
/**
 * The number of channels.
 */
channels: number,
/**
 * The layout, unless it is mono or stereo. It has no meaning if its number of channels is not that of `channels`.
 */
layout?: string, };

/**
 * One of the tracks of an audition.
 */
export type AuditionTrack = {
/**
 * A track of the library.
 */
track: number,
/**
 * The position in the track at which the common time starts, in seconds of the track; negative if the track starts
 * later.
 */
offset_s: number,
/**
 * The playback speed, which also changes the pitch; 1 is unchanged. A copy that plays 2 % faster than the other
 * track stays aligned with it at `1 / 1.02`.
 */
speed?: number, };

/**
 * The current audition: one track, or two aligned tracks.
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
 * The sample rate of the common time in Hz. The transport's frame and `seek` count in it.
 */
rate: number,
/**
 * The length of the common time in seconds.
 */
duration_s: number,
/**
 * The current position in the common time, in seconds.
 */
at_s: number, };

/**
 * The chain of a batch.
 */
export type BatchChain = { "kind": "rack" } | { "kind": "preset",
/**
 * The preset's name.
 */
name: string, } | { "kind": "none" };

/**
 * An input of a batch.
 */
export type BatchItem = {
/**
 * The handle.
 */
id: number,
/**
 * The file name.
 */
name: string,
/**
 * The folder, for display only.
 */
folder: string,
/**
 * The format, such as "WAV, 48 kHz, stereo"; null before the file was inspected.
 */
kind: string | null,
/**
 * The duration in seconds.
 */
duration_s: number | null,
/**
 * The output path below the output folder; null while it is not known.
 */
target: string | null,
/**
 * Whether the output file already exists.
 */
exists: boolean,
/**
 * The state of this input.
 */
state: BatchItemState,
/**
 * The share that is done, 0..=1.
 */
share: number,
/**
 * Why it failed or would fail.
 */
failure: Failure | null,
/**
 * The result of the export.
 */
result: ExportResult | null,
/**
 * Damage in the input, and parts that were left out.
 */
warnings: Array<string>, };

/**
 * The state of an input.
 */
export type BatchItemState = "waiting" | "running" | "done" | "skipped" | "failed";

/**
 * The phase of a batch.
 */
export type BatchPhase = "idle" | "running" | "paused" | "finished" | "cancelled";

/**
 * The settings of a batch, which are kept between sessions.
 */
export type BatchSettings = {
/**
 * The chain that the files go through.
 */
chain: BatchChain,
/**
 * The export settings. The range is ignored.
 */
export: ExportSettings,
/**
 * Whether each output keeps the sample format of its input, if the output format supports it, instead of one
 * format for all.
 */
own_bits: boolean,
/**
 * The template of the output paths below the output folder.
 */
template: string,
/**
 * Whether existing files may be replaced.
 */
overwrite: boolean,
/**
 * Whether to keep a list of finished files beside the outputs and skip the files in it.
 */
resume: boolean,
/**
 * The number of files to process at once; null for the default.
 */
jobs: number | null, };

/**
 * The status of a batch.
 */
export type BatchStatus = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The phase.
 */
phase: BatchPhase,
/**
 * The job that runs the batch and reports its progress.
 */
job: number | null,
/**
 * The chain that the files go through, as text.
 */
chain: string,
/**
 * The output folder, for display only; null before a folder was chosen.
 */
output: string | null,
/**
 * The number of files processed at once.
 */
jobs: number,
/**
 * The error in the selected chain.
 */
chain_problem: string | null,
/**
 * The error in the template of the output names.
 */
template_problem: string | null,
/**
 * The number of inputs that are still being inspected.
 */
unread: number,
/**
 * Why the last run failed as a whole.
 */
failure: Failure | null, };

/**
 * The contents of the batch page.
 */
export type BatchView = {
/**
 * The inputs in processing order.
 */
items: Array<BatchItem>,
/**
 * The settings for all inputs.
 */
settings: BatchSettings,
/**
 * The status of the batch.
 */
status: BatchStatus, };

/**
 * The result of moving files to the system's bin.
 */
export type BinOutcome = {
/**
 * Tracks whose files were moved.
 */
moved: Array<number>,
/**
 * The total size of these files in bytes.
 */
bytes: number,
/**
 * Files that could not be moved, with the reason.
 */
failures: Array<FileFailure>,
/**
 * Whether `library.restore` can restore them; otherwise only the system's bin can.
 */
restorable: boolean, };

/**
 * A format of exported results.
 */
export type BlindFormat = "markdown" | "csv" | "json";

/**
 * The odds that a rule gives guessers and listeners.
 */
export type BlindOdds = {
/**
 * The probability with which a guesser passes.
 */
guesser_passes: number,
/**
 * The share of right answers for which the power is given.
 */
ability: number,
/**
 * The probability with which a listener of this ability passes.
 */
power: number,
/**
 * The mean number of trials of such a listener.
 */
expected_trials: number,
/**
 * The fewest right answers that pass a test of a fixed number of trials; null for a sequential one.
 */
least_right: number | null, };

/**
 * A session in the list.
 */
export type BlindSession = {
/**
 * Its handle.
 */
id: string,
/**
 * Whether it is a ranking rather than a test of A against B.
 */
ranking: boolean,
/**
 * The names of the tested versions.
 */
names: Array<string>,
/**
 * Who listens; may be empty.
 */
listener: string,
/**
 * When the last answer was given, in milliseconds since 1970.
 */
changed_ms: number,
/**
 * The number of answered trials.
 */
answered: number,
/**
 * The number of trials, or their maximum if the test may end earlier.
 */
most: number,
/**
 * Whether the listener ended it early.
 */
given_up: boolean,
/**
 * Whether it takes no more answers, so that its results can be read.
 */
over: boolean,
/**
 * How a test of A against B ended; null for a ranking, and while it is open.
 */
standing: Standing | null,
/**
 * Why it cannot be read; nothing else is known about it then.
 */
failure: string | null, };

/**
 * A sound of a trial.
 */
export type BlindSound = { "kind": "a" } | { "kind": "b" } | { "kind": "x" } | { "kind": "reference" } | { "kind": "stimulus",
/**
 * Its place in the order presented.
 */
place: number, };

/**
 * The test.
 */
export type BlindTest = { "kind": "abx",
/**
 * The version A, a place among the versions.
 */
a: number,
/**
 * The version B.
 */
b: number,
/**
 * The passage that is heard; the listener may repeat any part of it.
 */
passage: Passage,
/**
 * When the test ends and is passed.
 */
rule: Rule, } | { "kind": "ranking",
/**
 * Whether the reference low-passed at 3.5 kHz is among the stimuli.
 */
low_anchor: boolean,
/**
 * Whether the reference low-passed at 7 kHz is.
 */
mid_anchor: boolean,
/**
 * The passages that are heard.
 */
passages: Array<Passage>, };

/**
 * The trial that waits for an answer.
 */
export type BlindTrial = {
/**
 * The session.
 */
session: string,
/**
 * The names of A and B; null in a ranking.
 */
names: [string, string] | null,
/**
 * The number of stimuli of a ranking; 0 for A against B.
 */
stimuli: number,
/**
 * The number of answered trials.
 */
answered: number,
/**
 * The number of trials, or their maximum if the test may end earlier.
 */
most: number,
/**
 * Whether the test may end earlier.
 */
may_end_early: boolean,
/**
 * The passage.
 */
passage: string,
/**
 * Its beginning and end in frames of the timeline.
 */
passage_frames: [number, number],
/**
 * The sound that is played, or will be when playback starts.
 */
heard: BlindSound, };

/**
 * Blind tests.
 */
export type BlindView = {
/**
 * The running test; null if there is none.
 */
trial: BlindTrial | null,
/**
 * All sessions, last changed first.
 */
sessions: Array<BlindSession>, };

/**
 * A chain of effects. An empty chain passes its input through unchanged.
 */
export type Chain = {
/**
 * The nodes in series.
 */
nodes: Array<Node>, };

/**
 * The cost of each node and the device that the chain runs on.
 */
export type ChainReport = {
/**
 * The device of previews, and why.
 */
preview: DeviceReport,
/**
 * The cost of each node.
 */
nodes: Array<NodeReport>,
/**
 * The latency of the chain in frames. Playback and export compensate for it.
 */
latency_frames: number, };

/**
 * A tag of a recording that would be false of a file made of it.
 */
export type ChangedTag = {
/**
 * The field, named as in Vorbis comments.
 */
tag: string,
/**
 * Its text in the recording; of a long one the beginning.
 */
old: string,
/**
 * Its text in the file; null if it is left out.
 */
new: string | null,
/**
 * The cause of the change.
 */
cause: TagCause, };

/**
 * Adjacent channels of an input.
 */
export type ChannelChoice = {
/**
 * The first channel, counted from 0.
 */
first: number,
/**
 * Their number; null for all from the first on.
 */
count: number | null, };

/**
 * The level of a channel. Levels are linear gains.
 */
export type ChannelLevel = {
/**
 * The largest magnitude of the last interval.
 */
peak: number,
/**
 * The root of the mean square over the last interval.
 */
rms: number,
/**
 * The largest magnitude since the recording began, or since the input was opened.
 */
held: number,
/**
 * The number of samples at full scale since then.
 */
clipped: number, };

/**
 * An edit of one clip.
 */
export type ClipEdit = { "kind": "move",
/**
 * The frame, of the document as it is, before which the clip is put.
 */
to: number, } | { "kind": "start",
/**
 * The frames by which the start moves: positive makes the clip shorter, negative longer.
 */
by: number,
/**
 * Whether all later clips move along. If not, the clip leaves silence behind and covers what it is moved over.
 */
closes: boolean, } | { "kind": "end",
/**
 * The frames by which the end moves: negative makes the clip shorter, positive longer.
 */
by: number,
/**
 * As for the start. At the end of a document the length always changes.
 */
closes: boolean, } | { "kind": "fade_in",
/**
 * The length in frames, at most the part of the clip before the fade-out.
 */
frames: number, } | { "kind": "fade_out",
/**
 * The length in frames, at most the part of the clip after the fade-in.
 */
frames: number, } | { "kind": "no_fades" } | { "kind": "gain",
/**
 * The gain in decibels.
 */
db: number, } | { "kind": "crossfade",
/**
 * The length in frames; 0 joins the plain samples.
 */
frames: number,
/**
 * The shape.
 */
shape: FadeShape, };

/**
 * The source of a clip to identify.
 */
export type ClipSource = { "kind": "file" } | { "kind": "document", document: number, range: FrameRange | null, } | { "kind": "microphone", seconds: number, };

/**
 * A clip of a document as the window shows it.
 */
export type ClipView = {
/**
 * The number of its source; null for silence.
 */
source: number | null,
/**
 * The length in frames.
 */
frames: number,
/**
 * The gain in dB.
 */
gain_db: number,
/**
 * The length of the fade-in in frames.
 */
fade_in: number,
/**
 * The length of the fade-out in frames.
 */
fade_out: number,
/**
 * Whether it is played backwards.
 */
reversed: boolean,
/**
 * The frames of the source before the clip, by which its start can be extended.
 */
before: number,
/**
 * The frames of the source after the clip, by which its end can be extended.
 */
after: number,
/**
 * The cross-fade from the previous clip, as set.
 */
crossfade: {
/**
 * The length in frames, at most; 0 joins the plain samples.
 */
frames: number,
/**
 * The shape of the fades.
 */
shape: FadeShape, },
/**
 * Whether it continues the sound of the previous clip, so that nothing is cross-faded.
 */
continues: boolean,
/**
 * The frames before its start over which it is cross-faded with the previous clip.
 */
fades_before: number,
/**
 * The frames after its start over which it is cross-faded with the previous clip.
 */
fades_after: number, };

/**
 * A codec that can be used.
 */
export type CodecFamily = {
/**
 * The name in the text of the codecs.
 */
name: string,
/**
 * The title that the window shows.
 */
title: string,
/**
 * The meaning of a setting.
 */
settings: string,
/**
 * Why it cannot be used on this system, and what to do.
 */
missing: string | null, };

/**
 * The results of a codec for one recording.
 */
export type CodecsCell = {
/**
 * The codec with its setting.
 */
codec: string,
/**
 * The measured bit rate, in kbit/s; null if the cell failed.
 */
kbps: number | null,
/**
 * The result of each measure; null if there is no number.
 */
values: Array<number | null>,
/**
 * Whether the decoded sound was kept and can be opened.
 */
has_sound: boolean, };

/**
 * A cell that failed.
 */
export type CodecsFailure = {
/**
 * The recording's file name.
 */
recording: string,
/**
 * The codec with its setting.
 */
codec: string,
/**
 * Why.
 */
failure: Failure, };

/**
 * A recording of the grid.
 */
export type CodecsRecording = {
/**
 * The handle.
 */
id: number,
/**
 * The file name.
 */
name: string,
/**
 * The category, which is the folder.
 */
category: string, };

/**
 * The results of a grid.
 */
export type CodecsResults = {
/**
 * The measures, in the order of the values.
 */
measures: Array<Measure>,
/**
 * A row for each codec, over all recordings.
 */
overall: Array<CodecsRow>,
/**
 * The rows of each category by its name, if there are several.
 */
categories: Array<[string, Array<CodecsRow>]>,
/**
 * The number of cells.
 */
cells: number,
/**
 * The cells that failed, at most a thousand.
 */
failures: Array<CodecsFailure>,
/**
 * The number of cells that failed.
 */
failed: number, };

/**
 * The results of a codec over some recordings.
 */
export type CodecsRow = {
/**
 * The codec with its setting.
 */
codec: string,
/**
 * The codec's name.
 */
family: string,
/**
 * The measured bit rate, in kbit/s.
 */
kbps: Spread | null,
/**
 * The algorithmic delay in milliseconds.
 */
latency_ms: number | null,
/**
 * Seconds of sound encoded in a second.
 */
encode_speed: number | null,
/**
 * Seconds of sound decoded in a second.
 */
decode_speed: number | null,
/**
 * The result of each measure; null if no recording has a number.
 */
values: Array<Spread | null>,
/**
 * For each measure, the number of recordings without any difference.
 */
infinite: Array<number>,
/**
 * The number of recordings that failed.
 */
failed: number, };

/**
 * The settings with which the codecs are run.
 */
export type CodecsSettings = {
/**
 * The codecs as text, such as "opus:32,64 vorbis:q4 flac".
 */
codecs: string,
/**
 * The names of the measures.
 */
measures: Array<string>,
/**
 * Whether decoded sound is kept, so that it can be listened to.
 */
keeps_decoded: boolean, };

/**
 * The grid as the window shows it.
 */
export type CodecsView = {
/**
 * The codecs that can be used.
 */
families: Array<CodecFamily>,
/**
 * The available measures.
 */
measures: Array<Measure>,
/**
 * The recordings.
 */
recordings: Array<CodecsRecording>,
/**
 * The settings of a run.
 */
settings: CodecsSettings,
/**
 * The codecs that the settings name, each with its setting; empty while the text has an error.
 */
codecs: Array<string>,
/**
 * The error in the text of the codecs.
 */
problem: string | null,
/**
 * Why a model among the codecs may not run yet: its licence is not confirmed.
 */
licence_problem: string | null,
/**
 * The folder of the results, for display only; null before one was chosen.
 */
output: string | null,
/**
 * The state of the last run; null before the first. A grid that was cancelled continues where it stopped.
 */
phase: JobState | null,
/**
 * The job that runs the grid and reports its progress, in cells.
 */
job: number | null,
/**
 * Why the last run failed as a whole.
 */
failure: Failure | null,
/**
 * The results of the last completed run.
 */
results: CodecsResults | null, };

/**
 * The colour map of a spectrogram.
 */
export type ColourMap = "viridis" | "magma" | "inferno" | "cividis" | "grey" | "undertone";

/**
 * A measure over time.
 */
export type CompareCurve = {
/**
 * The version.
 */
version: number,
/**
 * The time of the first value on the timeline, in seconds.
 */
start_s: number,
/**
 * The time from one value to the next, in seconds.
 */
step_s: number,
/**
 * The values; null where there is none.
 */
values: Array<number | null>, };

/**
 * A format of an exported comparison.
 */
export type CompareFormat = "csv" | "json" | "markdown" | "html";

/**
 * The result of a measure.
 */
export type CompareReading = {
/**
 * The result over the whole length and all channels.
 */
whole: CompareValue,
/**
 * The result for each channel; empty for measures of all channels together.
 */
channels: Array<CompareValue>,
/**
 * Whether there is a curve over time.
 */
curve: boolean, };

/**
 * A sound to hear or draw: a version, or its difference from the reference.
 */
export type CompareSound = { "kind": "version",
/**
 * Its handle.
 */
version: number, } | { "kind": "difference",
/**
 * The handle of the version.
 */
version: number, };

/**
 * The state of a version.
 */
export type CompareState = "reference" | "waiting" | "running" | "compared" | "failed";

/**
 * The timeline of the reference, with which all versions are aligned.
 */
export type CompareTimeline = {
/**
 * Sample rate in Hz.
 */
rate: number,
/**
 * Length in frames.
 */
frames: number,
/**
 * The number of channels of all that is drawn and played.
 */
channels: number,
/**
 * A number that changes whenever one of the sounds changes.
 */
revision: number, };

/**
 * A value, or why there is none.
 */
export type CompareValue = {
/**
 * The value; null if it is missing or infinite.
 */
value: number | null,
/**
 * 1 or -1 for a value that is infinite.
 */
infinite: number | null,
/**
 * Why there is no number.
 */
missing: string | null, };

/**
 * A version of the recording.
 */
export type CompareVersion = {
/**
 * Its handle.
 */
id: number,
/**
 * The name of the file or document.
 */
name: string,
/**
 * The folder of the file; empty for a document.
 */
folder: string,
/**
 * The format in words; null if it cannot be read.
 */
kind: string | null,
/**
 * Sample rate in Hz; null if it cannot be read.
 */
rate: number | null,
/**
 * The number of channels; null if it cannot be read.
 */
channels: number | null,
/**
 * Length in seconds; null if it cannot be read.
 */
duration_s: number | null,
/**
 * The state.
 */
state: CompareState,
/**
 * Why it cannot be read or compared.
 */
failure: Failure | null,
/**
 * The warnings of its reader.
 */
warnings: Array<string>,
/**
 * Its alignment with the reference; null until it is compared, and if the two have nothing in common.
 */
alignment: Alignment | null,
/**
 * The gain at which it is played while loudness is matched, in dB; null if there is none.
 */
gain_db: number | null,
/**
 * Notes on conversions, on what was left out, and on what prevents a comparison.
 */
notes: Array<string>,
/**
 * The cut, inserted, moved, replaced and unchanged parts; empty if one alignment holds throughout.
 */
parts: Array<Part>,
/**
 * The results of the measures, in the table's order; empty until it is compared.
 */
readings: Array<CompareReading>, };

/**
 * The page.
 */
export type CompareView = {
/**
 * The versions in their order.
 */
versions: Array<CompareVersion>,
/**
 * The version that the others are compared with; null if none can be read.
 */
reference: number | null,
/**
 * The measures of the table, in its order.
 */
measures: Array<Measure>,
/**
 * The timeline; null if there is no reference.
 */
timeline: CompareTimeline | null,
/**
 * The job of the running comparison; null if none runs.
 */
job: number | null,
/**
 * Whether versions are waiting to be compared, for instance after a comparison was cancelled.
 */
waiting: boolean,
/**
 * Whether loudness is matched: every version at the loudness of the quietest, and differences of equal levels.
 */
matched: boolean,
/**
 * Whether versions are brought to the level of the reference before they are measured.
 */
match_level: boolean,
/**
 * The gain of differences, in dB.
 */
difference_gain_db: number,
/**
 * The sound that is played, or will be when playback starts; null without a reference.
 */
heard: CompareSound | null, };

/**
 * The comparison that is loaded into the player.
 */
export type ComparisonHeard = {
/**
 * The sound that is heard; null in a blind test, which hides it.
 */
sound: CompareSound | null,
/**
 * Sample rate of the timeline in Hz.
 */
rate: number,
/**
 * Length of the timeline in frames.
 */
frames: number, };

/**
 * The contribution of a dimension to a distance.
 */
export type ContributionView = {
/**
 * The dimension's name.
 */
dimension: string,
/**
 * The value of the given track.
 */
asked: number | null,
/**
 * The value of the neighbour.
 */
found: number | null,
/**
 * Its share of the squared distance. All shares sum to 1, or are 0 if the distance is 0.
 */
share: number, };

/**
 * The values that a parameter accepts. The window draws a control for each kind; what applies to text alone is left out
 * there.
 */
export type ControlView = { "kind": "number",
/**
 * Its unit.
 */
unit: Unit,
/**
 * The minimum.
 */
min: number,
/**
 * The maximum.
 */
max: number,
/**
 * The value of a newly added effect in the window.
 */
initial: number,
/**
 * The control's scale.
 */
scale: Scale, } | { "kind": "number_or_note", unit: Unit, min: number, max: number, initial: number, scale: Scale, } | { "kind": "choice",
/**
 * The words, as in the notation.
 */
options: Array<string>,
/**
 * The word if the argument is omitted.
 */
initial: string, } | { "kind": "file",
/**
 * Whether a folder may be chosen in its place.
 */
folder: boolean, };

/**
 * An edit of the cover.
 */
export type CoverEdit = { "kind": "keep" } | { "kind": "remove" } | { "kind": "replace",
/**
 * The picture.
 */
cover: number, };

/**
 * A cover image.
 */
export type CoverView = {
/**
 * `image/jpeg`, `image/png`, `image/gif` or `image/webp`; empty if the cover is not shown.
 */
mime: string,
/**
 * The image file in Base64.
 */
data: string,
/**
 * Why the cover is not shown.
 */
reason: string | null, };

/**
 * The user's decision about two similar tracks.
 */
export type Decision = "same" | "different" | "keep_both";

/**
 * A description of a recording in words and figures.
 */
export type Description = {
/**
 * The description in a few sentences.
 */
text: string,
/**
 * The duration in seconds.
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
 * The strongest frequencies of the mean spectrum in Hz, strongest first.
 */
dominant_hz: Array<number>,
/**
 * Ranges of at least 0.5 s below -60 dBFS.
 */
silences: Array<FrameRange>, };

/**
 * Where work ran and why. Part of every result.
 */
export type DeviceReport = {
/**
 * The request, as given.
 */
requested: string,
/**
 * `cpu` or `gpu:N`.
 */
used: string,
/**
 * The name of the device that was used.
 */
name: string,
/**
 * The reason for this device in a few words, or what went wrong if it is not the requested one.
 */
reason: string,
/**
 * Whether the request could not be met and another device was used.
 */
fallback: boolean, };

/**
 * A device as the panel shows it. Values that were not measured are null.
 */
export type DeviceView = {
/**
 * `cpu` or `gpu:N`.
 */
id: string,
/**
 * The device's name.
 */
name: string,
/**
 * "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
 */
backend: string,
/**
 * The driver and its version.
 */
driver: string,
/**
 * "cpu", "discrete", "integrated", "virtual" or "software".
 */
kind: string,
/**
 * The capability tier, "full" or "basic"; null for the CPU and for adapters that cannot be used.
 */
tier: string | null,
/**
 * Why it cannot be used.
 */
problem: string | null,
/**
 * Host to device, bytes per second.
 */
upload_bytes_s: number | null,
/**
 * Device to host, bytes per second.
 */
readback_bytes_s: number | null,
/**
 * Device memory read and written by a copy kernel, in bytes per second.
 */
memory_bytes_s: number | null,
/**
 * Throughput of an order-8 cascade, in samples per second.
 */
cascade_samples_s: number | null,
/**
 * Throughput of FIR filters of 1025 taps, in operations per second as the cost model counts them.
 */
filter_operations_s: number | null,
/**
 * Throughput of the products of networks, in operations per second.
 */
product_operations_s: number | null,
/**
 * Throughput of spectra with windows of 2048 frames, in transform points per second.
 */
spectra_points_s: number | null, };

/**
 * The contents of the device panel.
 */
export type DevicesView = {
/**
 * The device that the user requested.
 */
request: string,
/**
 * The CPU and every adapter.
 */
devices: Array<DeviceView>,
/**
 * The device of previews of the active document, and why.
 */
preview: DeviceReport,
/**
 * The device of the last spectrogram tile or picture, and why; null if there was none for this request.
 */
spectrogram: DeviceReport | null,
/**
 * The device and timings of the last job.
 */
last_job: [DeviceReport, StageSeconds] | null,
/**
 * The number of GPU buffers that were reused.
 */
pool_hits: number,
/**
 * The number of GPU buffers that were created.
 */
pool_misses: number, };

/**
 * One of the 25 dimensions.
 */
export type DimensionView = {
/**
 * The name in JSON, in queries and in the database.
 */
name: string,
/**
 * The unit; `1` for a plain number, `share` for a share. The window receives an empty text for both.
 */
unit: string,
/**
 * The lower end of the typical range.
 */
low: number,
/**
 * The upper end of the typical range.
 */
high: number,
/**
 * The number of significant decimal places.
 */
decimals: number,
/**
 * The default weight in the distance between two recordings.
 */
weight: number,
/**
 * How the value is computed.
 */
formula: string,
/**
 * The value's meaning to a listener.
 */
meaning: string, };

/**
 * The distribution of the samples of white noise.
 */
export type Distribution = "uniform" | "gaussian";

/**
 * The dither applied when rounding to integers.
 *
 * Rounding is to the nearest, ties to even. With triangular noise, two steps from end to end, the mean and the power of
 * the error do not depend on the signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither: A Theoretical
 * Survey", JAES 40, 1992). [`shaping`] has the filters of shaped noise.
 */
export type Dither = "none" | "tpdf" | "shaped";

/**
 * A document as the window shows it.
 */
export type DocumentView = {
/**
 * The handle.
 */
id: number,
/**
 * The name: that of its project file, otherwise that of its first recording.
 */
name: string,
/**
 * Whether it was changed since its project file was saved; null if it was not saved as one.
 */
project_changed: boolean | null,
/**
 * The recordings that it is made of.
 */
sources: Array<SourceView>,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The number of channels of the sources.
 */
channels: number,
/**
 * The speaker layout of more than two channels; absent if it is not known.
 */
layout?: string,
/**
 * The length in frames.
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
 * Why the chain cannot run, such as a cutoff above half the sample rate.
 */
chain_problem: Failure | null,
/**
 * Files named by a chain of this document that the user has not allowed yet. None of them is read until then.
 */
asked_files: Array<string>,
/**
 * The length of the chain's output relative to the recording, if effects stretch time; otherwise 1.
 */
length_ratio: number,
/**
 * Which of the two racks holds the chain.
 */
rack: Rack,
/**
 * The chain of the other rack, as text.
 */
resting_text: string,
/**
 * The selected frames.
 */
selection: FrameRange | null,
/**
 * The selected frequencies; null for all.
 */
band: FrequencyBand | null,
/**
 * The channels that edits of the selection act on, by number; null for all.
 */
channels_selected: Array<number> | null,
/**
 * The cursor's frame, from which playback starts.
 */
cursor_frame: number,
/**
 * The visible range of the lanes.
 */
view: FrameRange,
/**
 * The magnification of levels: 1 if full scale fills a lane.
 */
level_zoom: number,
/**
 * The label of the edit that undo would revert.
 */
undo: string | null,
/**
 * The label of the edit that redo would repeat.
 */
redo: string | null,
/**
 * The progress of the waveform, and problems in reading it.
 */
waveform: WaveformView,
/**
 * Counts changes of chain, selection and edit list.
 */
revision: number,
/**
 * Counts changes of the sound before the chain, after which every picture of it is outdated.
 */
sound: number,
/**
 * The frames at which one clip ends and the next begins.
 */
joins: Array<number>,
/**
 * The tracks in order; empty for a document of one plain track.
 */
tracks: Array<TrackView>,
/**
 * The track to which the fields above belong, or the sum; null for a plain document.
 */
chosen: TrackChoice | null,
/**
 * Whether it has more than one clip, or one with gain or fades.
 */
arranged: boolean,
/**
 * A key that changes with the markers; empty if there are none.
 */
markers: string, };

/**
 * A track of a group.
 */
export type DuplicateItem = {
/**
 * The track.
 */
track: TrackItem,
/**
 * Whether its audio is bit-identical to that of another track of the group.
 */
exact: boolean,
/**
 * Whether it is the copy to keep.
 */
best: boolean,
/**
 * The reasons for its rank among the copies.
 */
reasons: Array<string>,
/**
 * The origin that its bandwidth suggests.
 */
origin: OriginView | null,
/**
 * The user's decision about this track and the best copy.
 */
decision: Decision | null,
/**
 * 1 for identical recordings, 0 for two unrelated ones.
 */
score: number,
/**
 * Length in common, in seconds of the reference.
 */
overlap_s: number,
/**
 * How much later the same sound is in the track than in the reference, in seconds; negative if its beginning was
 * cut.
 */
offset_s: number,
/**
 * Speed of the track relative to the reference; 1 for the same speed.
 */
speed: number, };

/**
 * The result of a search for duplicates.
 */
export type DuplicatesView = {
/**
 * Groups of two or more tracks that are the same recording, the best copy first. Those whose other copies take the
 * most space come first.
 */
groups: Array<Array<DuplicateItem>>,
/**
 * The number of tracks that were searched.
 */
tracks: number,
/**
 * The number of pairs that were compared.
 */
compared: number,
/**
 * Whether the library has changed since the search.
 */
outdated: boolean, };

/**
 * An undoable change of a document. Edits with the same `gesture` (one drag of a knob) are one undo step.
 */
export type Edit = { "kind": "add_effect",
/**
 * The effect's name in the notation.
 */
effect: string,
/**
 * The node after which to insert it; null for the end of the chain.
 */
after: number | null, } | { "kind": "use_selection",
/**
 * The node.
 */
node: number,
/**
 * Whether it takes the selection.
 */
on: boolean, } | { "kind": "act_on_selection",
/**
 * The nodes.
 */
nodes: Array<number>, } | { "kind": "set_span",
/**
 * The part.
 */
node: number,
/**
 * Its times.
 */
span: TimeSpan,
/**
 * The drag that the edit belongs to.
 */
gesture: number | null, } | { "kind": "add_repair",
/**
 * The effect's name in the notation: `spectral_gain`, `spectral_isolate` or `spectral_heal`.
 */
effect: string,
/**
 * The frames to repair.
 */
range: FrameRange,
/**
 * The frequencies to repair; null for all.
 */
band: FrequencyBand | null, } | { "kind": "group",
/**
 * The nodes.
 */
nodes: Array<number>,
/**
 * How the group connects them.
 */
group: GroupKind, } | { "kind": "ungroup",
/**
 * The group.
 */
node: number, } | { "kind": "set_group",
/**
 * The group.
 */
node: number,
/**
 * The new connection.
 */
group: GroupKind, } | { "kind": "copy_rack" } | { "kind": "swap_racks" } | { "kind": "remove",
/**
 * The node.
 */
node: number, } | { "kind": "move",
/**
 * The node.
 */
node: number,
/**
 * The group to move it to; null for the top level of the chain.
 */
parent: number | null,
/**
 * The index in the target list after the node was removed from its old place.
 */
index: number, } | { "kind": "duplicate",
/**
 * The node.
 */
node: number, } | { "kind": "set_argument",
/**
 * The node.
 */
node: number,
/**
 * The parameter's name.
 */
name: string,
/**
 * Its new value.
 */
value: Value,
/**
 * The drag that the edit belongs to.
 */
gesture: number | null, } | { "kind": "set_bypass",
/**
 * The node.
 */
node: number,
/**
 * Whether it is bypassed.
 */
bypass: boolean, } | { "kind": "set_mix",
/**
 * The node.
 */
node: number,
/**
 * The share of the node's output, 0..=1.
 */
mix: number,
/**
 * The drag that the edit belongs to.
 */
gesture: number | null, } | { "kind": "set_label",
/**
 * The node.
 */
node: number,
/**
 * The label; null removes it.
 */
label: string | null, } | { "kind": "reset",
/**
 * The node.
 */
node: number, } | { "kind": "set_chain_text",
/**
 * The text in chain notation.
 */
text: string, } | { "kind": "load_preset",
/**
 * The preset's name.
 */
preset: string,
/**
 * The node to replace; null for the whole chain.
 */
node: number | null, };

/**
 * An effect as the window lists it.
 */
export type EffectView = {
/**
 * The name in the notation.
 */
name: string,
/**
 * The displayed name.
 */
title: string,
/**
 * The group in the list of effects.
 */
purpose: Purpose,
/**
 * One line of help.
 */
summary: string,
/**
 * The full documentation in Markdown.
 */
documentation: string,
/**
 * The parameters.
 */
parameters: Array<ParameterView>,
/**
 * How it uses a selected part of the recording.
 */
selection: SelectionUse | null, };

/**
 * The kinds of error that a caller may branch on, as they appear in JSON.
 */
export type ErrorCode = "invalid" | "notation" | "unsupported" | "malformed" | "limit" | "refused" | "gpu" | "sound" | "cancelled" | "io" | "password" | "stored" | "internal";

/**
 * An event that the core sends to the window.
 */
export type Event = { "kind": "opened", opened: Opened, } | { "kind": "document", document: DocumentView, } | { "kind": "peaks", document: number, side: Side, waveform: WaveformView, } | { "kind": "transport", transport: TransportView, meters: Meters, } | { "kind": "recording", recording: RecordingView, } | { "kind": "job", job: JobView, } | { "kind": "compare", compare: CompareView, } | { "kind": "compare_peaks", sound: CompareSound, waveform: WaveformView, } | { "kind": "batch", batch: BatchView, } | { "kind": "batch_items", items: Array<BatchItem>, status: BatchStatus, } | { "kind": "loudness", document: number, side: Side, generation: number, } | { "kind": "scan", scan: ScanView, counts: LibraryCounts, } | { "kind": "library_changed", library: LibraryView, } | { "kind": "devices", devices: DevicesView, } | { "kind": "spectrogram_device", device: DeviceReport, } | { "kind": "stems", queue: StemsQueue, } | { "kind": "notice", notice: Notice, };

/**
 * A listener whose scores do not count.
 */
export type Excluded = {
/**
 * The listener.
 */
listener: string,
/**
 * Passages in which the hidden reference had less than 90.
 */
reference_missed: number,
/**
 * Passages in which the mid-range anchor had more than 90.
 */
anchor_missed: number,
/**
 * The passages that the listener scored.
 */
passages: number, };

/**
 * A sample format that can be written. FLAC supports the first two; the lossy formats ignore it.
 */
export type ExportBits = "16" | "24" | "32" | "f32";

/**
 * Measurements of an export before it is made, with its chain, range and settings.
 */
export type ExportForecast = {
/**
 * The number of frames.
 */
frames: number,
/**
 * The number of samples that will be clipped: those beyond full scale, in integer formats.
 */
clipped: number,
/**
 * The number of samples that integers of 16 and of 24 bits cannot represent, which are dithered and rounded. All
 * others keep their bits. Empty for the lossy formats.
 */
rounded: { [key in ExportBits]?: number },
/**
 * The sample peak in dBFS; null for silence.
 */
peak_db: number | null,
/**
 * The true peak in dBTP, at least the sample peak; null for silence.
 */
true_peak_db: number | null,
/**
 * The gain in dB that reaches the target loudness; null if there is no target.
 */
loudness_gain_db: number | null,
/**
 * The output gain in dB with which the true peak stays below full scale; null if it already does.
 */
remedy_gain_db: number | null, };

/**
 * A file format that can be written.
 */
export type ExportFormat = "wav" | "flac" | "vorbis" | "opus" | "mp3";

/**
 * The properties of the file that an export will write, so far as they are known without rendering.
 */
export type ExportPlan = {
/**
 * The number of frames; null if it depends on the sound, as for a chain that trims silence.
 */
frames: number | null,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The file size in bytes; null if the number of frames is not known.
 */
bytes: number | null,
/**
 * Whether the size is exact. Otherwise it is an estimate, because it depends on the sound.
 */
bytes_exact: boolean,
/**
 * Tags that the format cannot hold, or holds in a place that not every program reads.
 */
tag_limits: Array<string>,
/**
 * The tags that the file will not have as they are in the recording, and why.
 */
changed_tags: Array<ChangedTag>,
/**
 * The number of markers in the exported range, before effects trim it.
 */
markers: number,
/**
 * The properties of these markers that the format cannot hold.
 */
marker_limits: Array<string>,
/**
 * The effect of the export on the speaker layout, in words; absent if mono or stereo is kept.
 */
layout?: string, };

/**
 * The result of an export.
 */
export type ExportResult = {
/**
 * The file name.
 */
name: string,
/**
 * The folder, for display only.
 */
folder: string,
/**
 * The number of frames written.
 */
frames: number,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The file size in bytes.
 */
bytes: number,
/**
 * The number of samples that were clipped: those beyond full scale, in integer formats.
 */
clipped: number,
/**
 * The sample peak in dBFS before clipping; null for silence.
 */
peak_db: number | null,
/**
 * The device that it ran on, and why.
 */
device: DeviceReport,
/**
 * The time of each stage.
 */
seconds: StageSeconds,
/**
 * The gain in dB that was applied to reach the target loudness; null if there was no target.
 */
loudness_gain_db: number | null,
/**
 * Problems: tags that could not be kept, damaged parts.
 */
warnings: Array<string>, };

/**
 * The settings of an export.
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
 * The dither for integer formats.
 */
dither: Dither,
/**
 * The frames to export; null for all.
 */
range: FrameRange | null,
/**
 * The sample rate to convert to, in Hz; null for the document's.
 */
rate: number | null,
/**
 * Whether to append the tails that effects declare (reverb, delay).
 */
tail: boolean,
/**
 * The settings of the lossy formats.
 */
lossy: LossySettings,
/**
 * The loudness to reach; null leaves the level unchanged.
 */
loudness: {
/**
 * The integrated loudness in LUFS, -70..=0 (ITU-R BS.1770).
 */
lufs: number,
/**
 * The highest allowed true peak in dBTP, -20..=0. The gain is reduced if the peak would exceed it.
 */
true_peak_db: number, } | null,
/**
 * The output gain of this export in dB, -96..=48, applied after the chain and the loudness.
 */
gain_db: number,
/**
 * Whether the markers are written, as far as the format supports them.
 */
markers: boolean, };

/**
 * The tags of a recording before an export.
 */
export type ExportTags = {
/**
 * Text by field, named as in Vorbis comments.
 */
items: { [key in string]: string },
/**
 * The cover; null if there is none.
 */
cover: CoverView | null, };

/**
 * The result of exporting tracks to a file.
 */
export type ExportedTracks = {
/**
 * The file name.
 */
name: string,
/**
 * The number of tracks in the file.
 */
tracks: number,
/**
 * The file size in bytes.
 */
bytes: number, };

/**
 * The shape of the two fades of a cross-fade.
 */
export type FadeShape = "equal_power" | "linear";

/**
 * An error as sent over IPC and printed as JSON.
 */
export type Failure = {
/**
 * The kind of error.
 */
code: ErrorCode,
/**
 * The failure and what to do about it, in sentences.
 */
message: string,
/**
 * The path of the file that it is about, and what the system said.
 */
detail: string | null,
/**
 * The position in the chain's text, for [`ErrorCode::Notation`].
 */
notation: NotationError | null, };

/**
 * Why a file could not be opened or moved.
 */
export type FileFailure = {
/**
 * The file's name.
 */
name: string,
/**
 * The reason.
 */
failure: Failure, };

/**
 * A folder of the library.
 */
export type FolderView = {
/**
 * The ID.
 */
id: number,
/**
 * The path on this machine.
 */
path: string,
/**
 * The path as the library has it, which is another one if the folder is elsewhere on this machine.
 */
stored: string,
/**
 * When it was last walked completely, in milliseconds since 1970.
 */
scanned_at: number | null,
/**
 * Why it was unreachable when last checked; its tracks are kept as they were.
 */
unreachable: string | null,
/**
 * The number of tracks in it, in any state.
 */
tracks: number, };

/**
 * A half-open range of frames, `start < end`.
 */
export type FrameRange = {
/**
 * The first frame.
 */
start: number,
/**
 * The frame after the last frame.
 */
end: number, };

/**
 * A frequency band, `low_hz < high_hz`.
 */
export type FrequencyBand = {
/**
 * The lower edge in Hz.
 */
low_hz: number,
/**
 * The upper edge in Hz.
 */
high_hz: number, };

/**
 * The unit of the frequency ruler.
 */
export type FrequencyRuler = "hz" | "notes";

/**
 * A frequency axis. Positions increase with frequency; their unit depends on the scale.
 *
 * The window offers one mel scale, that of the HTK book, as `mel`.
 */
export type FrequencyScale = "linear" | "log" | "mel" | "bark" | "erb";

/**
 * A stream to generate.
 */
export type GeneratorSettings = {
/**
 * The signal.
 */
signal: Signal,
/**
 * The sample rate and the number of channels. Noise differs by channel; other signals are the same in all.
 */
format: AudioFormat,
/**
 * The length in frames.
 */
frames: number,
/**
 * The level in dBFS: of the expected RMS for noise, of the peak for other signals.
 */
level_db: number,
/**
 * The seed of noise. The same seed gives the same noise.
 */
seed: number, };

/**
 * How a group combines its nodes.
 */
export type GroupKind = "series" | "parallel";

/**
 * The result of identifying a clip.
 */
export type IdentifiedView = {
/**
 * The description of the clip.
 */
clip: string,
/**
 * The duration in seconds.
 */
duration_s: number,
/**
 * The peak level in dBFS. A very low level means that the microphone picked up nothing.
 */
peak_db: number | null,
/**
 * Matching tracks, best first.
 */
tracks: Array<IdentityView>,
/**
 * The number of tracks that were searched.
 */
asked: number,
/**
 * The number of tracks whose landmarks could not be searched, because another version of this program analysed
 * them. Their Chromaprint items are searched.
 */
outdated: number, };

/**
 * A track that matches a clip.
 */
export type IdentityView = {
/**
 * The track.
 */
track: TrackItem,
/**
 * The similarity: 1 for identical, 0 for no more similar than two unrelated recordings.
 */
score: number,
/**
 * The position in the track at which the clip begins, in seconds.
 */
offset_s: number,
/**
 * The duration of the clip's part that is in the track, in seconds.
 */
overlap_s: number,
/**
 * The speed of the clip relative to the track.
 */
speed: number,
/**
 * The pitch of the clip relative to the track, in semitones.
 */
pitch_semitones: number, };

/**
 * Keys that were read from a file.
 */
export type ImportedKeys = {
/**
 * The name of the file.
 */
name: string,
/**
 * The keys.
 */
keys: KeySettings,
/**
 * The entries that were left out, and why.
 */
problems: Array<string>, };

/**
 * A track that a scan is processing.
 */
export type InHandView = {
/**
 * The track's ID.
 */
id: number,
/**
 * The file name.
 */
name: string,
/**
 * The share that is done, 0..=1; null if the length is not known yet.
 */
done: number | null,
/**
 * Seconds since its analysis started.
 */
elapsed_s: number, };

/**
 * A sound input.
 */
export type InputView = {
/**
 * The handle, as used in the settings.
 */
id: string,
/**
 * The display name.
 */
name: string,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The number of channels.
 */
channels: number,
/**
 * Whether it is the system's default.
 */
is_default: boolean, };

/**
 * The check of one whole job on a GPU.
 */
export type JobCheck = {
/**
 * The job's name.
 */
job: string,
/**
 * Whether the GPU ran it and its result equals the CPU's within the limit.
 */
passed: boolean,
/**
 * Why it failed.
 */
problem: string | null,
/**
 * The largest difference from the CPU's result, in the unit of the limit.
 */
difference: number,
/**
 * The limit of the difference.
 */
limit: number,
/**
 * The unit of both: "dB" of the residual relative to the signal, "dB" of levels, or "of the value".
 */
unit: string,
/**
 * Wall time on the CPU in seconds.
 */
cpu_s: number,
/**
 * Wall time on the GPU in seconds, transfers included.
 */
gpu_s: number, };

/**
 * The purpose of a job. It determines which command returns the result when the job is done.
 */
export type JobPurpose = "export" | "picture" | "stems" | "separate" | "sound" | "forecast" | "compare" | "report" | "batch" | "codecs" | "duplicates" | "map" | "identify" | "playlist" | "playlist_file" | "tags" | "verify";

/**
 * The state of a job.
 */
export type JobState = "running" | "done" | "failed" | "cancelled";

/**
 * A job as the window shows it.
 */
export type JobView = {
/**
 * The handle.
 */
id: number,
/**
 * The purpose.
 */
purpose: JobPurpose,
/**
 * The title, such as "Export speech.wav".
 */
title: string,
/**
 * The current step, if the job names it.
 */
step: string | null,
/**
 * The state.
 */
state: JobState,
/**
 * The amount done: frames for an export, other units for other jobs.
 */
done: number,
/**
 * The total amount; 0 if unknown.
 */
total: number,
/**
 * The amount done per second.
 */
rate: number,
/**
 * The remaining time in seconds.
 */
remaining_s: number | null,
/**
 * The result of an export.
 */
result: ExportResult | null,
/**
 * Why it failed.
 */
failure: Failure | null, };

/**
 * The check of one kernel on a test signal of one length.
 */
export type KernelCheck = {
/**
 * The kernel's name in [`TABLE`].
 */
kernel: string,
/**
 * The length of the test signal in frames.
 */
size: number,
/**
 * The error in dB: of the device's values relative to the definition in f64, or relative to the CPU twin if that
 * comes closer to its limit. `None` if the values are equal, or if there are none.
 */
error_db: number | null,
/**
 * The limit of that error in dB. `None` if the values must be equal.
 */
limit_db: number | null,
/**
 * Whether all errors are within their limits.
 */
passed: boolean,
/**
 * Why it failed, if it did not run to its end.
 */
problem: string | null,
/**
 * The median time in milliseconds, without transfers.
 */
ms: number,
/**
 * The least memory traffic that the kernel needs, in bytes.
 */
bytes: number,
/**
 * The approximate number of floating-point operations.
 */
operations: number,
/**
 * The least memory traffic in GB/s.
 */
gb_s: number,
/**
 * The share of the measured throughput of a memory copy; 1 is all of it.
 */
share: number, };

/**
 * The keys of the window's commands that differ from the defaults. Key files have the same form.
 */
export type KeySettings = {
/**
 * The version of this form.
 */
version: number,
/**
 * The keys of commands, by the command's name; an empty list removes all keys. Commands that this version does not
 * know are kept.
 */
commands: { [key in string]: Array<string> }, };

/**
 * Which lanes are shown.
 */
export type LaneChannels = "each" | "mix" | "mid_side";

/**
 * The language of the window.
 */
export type Language = "system" | "en" | "de";

/**
 * A recording that a crash left.
 */
export type LeftRecordingView = {
/**
 * The handle.
 */
id: string,
/**
 * The name of the file.
 */
name: string,
/**
 * The input.
 */
input: string,
/**
 * The length in seconds; null if the file cannot be read.
 */
seconds: number | null,
/**
 * The document onto which it was recorded; null for a separate recording.
 */
belongs: {
/**
 * The name of the document.
 */
document: string,
/**
 * The time in it from which on it was recorded, in seconds.
 */
at_s: number, } | null, };

/**
 * The levels of a part of a recording.
 */
export type Levels = {
/**
 * Sample peak in dBFS; null for silence.
 */
peak_db: number | null,
/**
 * RMS in dBFS (a full-scale square wave is 0); null for silence.
 */
rms_db: number | null,
/**
 * Integrated loudness in LUFS (ITU-R BS.1770, gated); null if the part is too short or too quiet, and at the cursor.
 */
lufs: number | null,
/**
 * The centroid of the power spectrum in Hz; null for silence, and at the cursor.
 */
centre_hz: number | null, };

/**
 * A column of the window's table.
 */
export type LibraryColumn = {
/**
 * The name in queries and for sorting; a field of the row or a dimension.
 */
name: string,
/**
 * The unit of the values; empty if they have none.
 */
unit: string,
/**
 * The meaning of the values.
 */
meaning: string,
/**
 * Whether the values are numbers, usually sorted with the largest first.
 */
numeric: boolean, };

/**
 * The numbers of tracks in each state.
 */
export type LibraryCounts = {
/**
 * Tracks waiting for analysis, including those in progress.
 */
waiting: number,
/**
 * Tracks that have been analysed.
 */
done: number,
/**
 * Tracks that could not be analysed.
 */
failed: number,
/**
 * Tracks whose files no longer exist.
 */
vanished: number,
/**
 * The total size of all files except vanished ones, in bytes.
 */
bytes: number,
/**
 * The total duration of the analysed tracks, in seconds.
 */
duration_s: number, };

/**
 * The path on this machine of a folder of a library on a server, if it differs from the path in the library.
 */
export type LibraryFolderPlace = {
/**
 * The address of the server.
 */
server: string,
/**
 * The folder's path in the library.
 */
folder: string,
/**
 * Its path on this machine.
 */
path: string, };

/**
 * The library's settings.
 */
export type LibrarySettings = {
/**
 * The address of a library on a server, without a password; `None` for the library in the data folder.
 */
server: string | null,
/**
 * Whether a library on a server is opened read-only. The library in the data folder never is.
 */
read_only: boolean,
/**
 * The paths on this machine of folders of libraries on servers.
 */
places: Array<LibraryFolderPlace>,
/**
 * Whether the folders are watched and changes in them scanned while the window is open.
 */
watch: boolean,
/**
 * The names of the table's columns in order; empty for the default columns.
 */
columns: Array<string>,
/**
 * The columns by which the table is sorted.
 */
sort: Array<SortBy>,
/**
 * The weights of the dimensions in similarity searches that differ from the defaults.
 */
weights: { [key in string]: number },
/**
 * The number of results of a similarity search.
 */
similar_count: number,
/**
 * Whether loudness is matched in auditions.
 */
matched: boolean, };

/**
 * The state of a track.
 */
export type LibraryTrackState = "waiting" | "analysing" | "done" | "failed" | "vanished";

/**
 * The library as its page shows it.
 */
export type LibraryView = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The folders (or single files) of the library, sorted by path.
 */
folders: Array<FolderView>,
/**
 * The IDs of folders of a library on a server that are not on this machine.
 */
away: Array<number>,
/**
 * The numbers of tracks in each state.
 */
counts: LibraryCounts,
/**
 * The scan running in this process, or the last one that did.
 */
scan: ScanView | null,
/**
 * The other process that is scanning the library now; null if there is none.
 */
scanned_elsewhere: string | null,
/**
 * Whether the folders are watched for changes.
 */
watched: boolean,
/**
 * Why a folder is not watched.
 */
watch_problem: string | null,
/**
 * Why the library is read-only, so that changes are refused; null if it may be changed.
 */
read_only: ReadOnly | null,
/**
 * The columns that the table can show and sort by.
 */
columns: Array<LibraryColumn>,
/**
 * The 25 dimensions.
 */
dimensions: Array<DimensionView>,
/**
 * The path of the library's database, for display.
 */
path: string, };

/**
 * The reference of a similarity search.
 */
export type LikeWhat = { "kind": "track", track: number, } | { "kind": "document", document: number, };

/**
 * The signals that are recorded while live sound runs.
 */
export type LiveRecords = "dry" | "wet" | "both";

/**
 * The state of live sound. Peaks are linear gains since the last reading. The window does not show all of it.
 */
export type LiveStatus = {
/**
 * Whether the output is muted.
 */
muted: boolean,
/**
 * How far the level was above full scale in dB when it muted the output; null if it did not.
 */
too_loud_db: number | null,
/**
 * From the input to the output in milliseconds, without the chain: the latency that the devices report, and the
 * frames waiting between them. Null before sound has passed.
 */
latency_ms: number | null,
/**
 * The part before the chain.
 */
input_ms: number,
/**
 * The part of it that the output reports.
 */
output_ms: number,
/**
 * The round trip from the output to the input in milliseconds, as it was measured last; null before that.
 */
round_trip_ms: number | null,
/**
 * The latency of the chain in milliseconds.
 */
chain_ms: number,
/**
 * How often the output ran dry.
 */
underruns: number,
/**
 * How often sound was dropped because too much had come.
 */
overruns: number,
/**
 * Why it has ended; null while it runs.
 */
problem: string | null, };

/**
 * How lossy formats are written. Each format reads its own fields.
 */
export type LossySettings = {
/**
 * Vorbis: quality from -1 (about 45 kbit/s for stereo at 44.1 kHz) to 10 (about 500 kbit/s).
 */
vorbis_quality: number,
/**
 * Opus: bit rate of all channels in kbit/s, 6 to 256 per channel; `None` means 64 per channel.
 */
opus_kbps: number | null,
/**
 * Opus: whether the bit rate is kept nearly constant for streaming. Otherwise, the quality is kept constant.
 */
opus_constrained: boolean,
/**
 * Opus: encoder complexity, 0 to 10.
 */
opus_complexity: number,
/**
 * Opus: the kind of signal.
 */
opus_application: OpusApplication,
/**
 * MP3: quality of a variable bit rate, from 0 (V0, the best) to 9 (V9).
 */
mp3_quality: number,
/**
 * MP3: a constant bit rate in kbit/s, instead of a variable one.
 */
mp3_kbps: number | null, };

/**
 * The settings of the loudness lane.
 */
export type LoudnessSettings = {
/**
 * Whether the lane is shown.
 */
lane: boolean,
/**
 * The target loudness in LUFS.
 */
target_lufs: number, };

/**
 * An undoable change of the markers.
 */
export type MarkerEdit = { "kind": "add",
/**
 * The frame at which it is, or begins.
 */
start_frame: number,
/**
 * The frame after the region; null for a place.
 */
end_frame: number | null,
/**
 * The name.
 */
name: string, } | { "kind": "rename",
/**
 * The marker.
 */
id: number,
/**
 * The name.
 */
name: string, } | { "kind": "place",
/**
 * The marker.
 */
id: number,
/**
 * The frame at which it is, or begins.
 */
start_frame: number,
/**
 * The frame after the region; null for a place.
 */
end_frame: number | null, } | { "kind": "delete",
/**
 * The markers. Those that do not exist are ignored.
 */
ids: Array<number>, };

/**
 * A marker or region as the window shows it.
 */
export type MarkerView = {
/**
 * The number.
 */
id: number,
/**
 * The frame of the marker, or the first one of the region.
 */
start_frame: number,
/**
 * The frame after the region; null for a marker without an end.
 */
end_frame: number | null,
/**
 * The name; may be empty.
 */
name: string,
/**
 * A comment, which some file formats store; may be empty.
 */
note: string, };

/**
 * A measure of the difference between two versions of a recording.
 */
export type Measure = {
/**
 * The name, in commands and JSON.
 */
name: string,
/**
 * The name that people read.
 */
title: string,
/**
 * The unit; "1" for a plain number, which the window shows without a unit.
 */
unit: string,
/**
 * The direction in which it is better.
 */
direction: MeasureDirection,
/**
 * The range of values, as text.
 */
range: string,
/**
 * The definition, as text with its formula.
 */
definition: string,
/**
 * Where the definition comes from.
 */
source: string,
/**
 * Digits after the point that are worth printing.
 */
decimals: number, };

/**
 * The direction in which a measure is better.
 */
export type MeasureDirection = "higher" | "lower" | "near_zero";

/**
 * The levels of the sound that is heard, over about the last 50 ms.
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
 * The number of samples beyond full scale since playback started.
 */
clipped: number,
/**
 * The current gain reduction of the chain's nodes in dB, 0 or more.
 */
reductions: { [key in number]: number },
/**
 * Sample peak in dBFS of each track that is heard, as it enters the sum; null for silence. Empty without several
 * tracks.
 */
tracks: { [key in number]: number | null }, };

/**
 * A folder that the user chose.
 */
export type ModelFolder = {
/**
 * The handle.
 */
id: number,
/**
 * The path, for display only.
 */
name: string,
/**
 * Why nothing was found in it; null if something was.
 */
problem: string | null, };

/**
 * A kind of model: its layers, and the rate that it was trained for.
 */
export type ModelKind = "encodec_24khz" | "encodec_48khz" | "dac_16khz" | "dac_24khz" | "dac_44khz" | "mimi" | "htdemucs";

/**
 * A kind of model.
 */
export type ModelKindView = {
/**
 * The kind.
 */
kind: ModelKind,
/**
 * The name as its authors write it.
 */
title: string,
/**
 * Its purpose.
 */
purpose: string,
/**
 * The licence as its authors state it.
 */
licence: string,
/**
 * Where its authors offer the weights.
 */
source: string,
/**
 * Whether the user has confirmed the licence.
 */
is_confirmed: boolean, };

/**
 * A weight file without a known model.
 */
export type ModelProblem = {
/**
 * The file or folder, below the folder that the user chose; for display only.
 */
file: string,
/**
 * The handle of the folder that the user chose.
 */
folder: number,
/**
 * Why, in sentences.
 */
reason: string, };

/**
 * A model that was recognised.
 */
export type ModelRow = {
/**
 * The kind.
 */
kind: ModelKind,
/**
 * The file or folder, below the folder that the user chose; for display only.
 */
file: string,
/**
 * The handle of the folder that the user chose.
 */
folder: number,
/**
 * The number of parameters that a run of the model reads.
 */
parameters: number,
/**
 * The size in bytes.
 */
bytes: number, };

/**
 * The folders of models, and what is in them.
 */
export type ModelsView = {
/**
 * The folders that the user chose.
 */
folders: Array<ModelFolder>,
/**
 * The models that were recognised.
 */
models: Array<ModelRow>,
/**
 * The weight files without a model that this program knows.
 */
rejected: Array<ModelProblem>,
/**
 * The kinds of models that this program knows.
 */
kinds: Array<ModelKindView>, };

/**
 * The part of the monitor to reset.
 */
export type MonitorPart = "peaks" | "loudness";

/**
 * A query to the monitor, made for every frame drawn.
 */
export type MonitorQuery = {
/**
 * The window function.
 */
window: WindowName,
/**
 * The window length in frames.
 */
window_frames: number,
/**
 * How spectra are averaged.
 */
averaging: AnalyserAveraging,
/**
 * Whether and how peaks are held.
 */
hold: AnalyserHold,
/**
 * The lanes that have a spectrum.
 */
channels: LaneChannels,
/**
 * The slope added to the spectrum.
 */
slope: AnalyserSlope,
/**
 * The channel pair of the output to show, counted from 0.
 */
pair: number,
/**
 * The frequency of the first point, in Hz.
 */
from_hz: number,
/**
 * The frequency of the last point, in Hz.
 */
to_hz: number,
/**
 * The number of points along the frequency axis.
 */
points: number, };

/**
 * An effect or a group, with the attributes that every node has.
 */
export type Node = {
/**
 * Its identity.
 */
id: number,
/**
 * Whether it is bypassed: `off(...)`.
 */
bypass: boolean,
/**
 * The share of its output in the mix, 0..=1; the rest is its input: `mix(40 %, ...)`.
 */
mix: number,
/**
 * The user's name for it: `label("low cut", ...)`.
 */
label?: string, } & ({ "kind": "effect",
/**
 * Its name in the notation.
 */
effect: string,
/**
 * Its complete arguments.
 */
arguments: { [key in string]: Value }, } | { "kind": "series",
/**
 * The nodes.
 */
nodes: Array<Node>, } | { "kind": "parallel",
/**
 * The branches.
 */
nodes: Array<Node>, } | { "kind": "during",
/**
 * The part.
 */
span: TimeSpan,
/**
 * The nodes.
 */
nodes: Array<Node>, });

/**
 * The cost of a node.
 */
export type NodeReport = {
/**
 * For effects whose gain depends on the level: the static curve, as pairs of input and output level in dB.
 */
transfer_db: Array<[number, number]> | null,
/**
 * The node.
 */
node: number,
/**
 * Its speed as a multiple of real time, measured on the CPU with noise as input.
 */
times_real_time: number | null,
/**
 * Its latency in frames.
 */
latency_frames: number | null, };

/**
 * An error in a chain's text. Positions are byte offsets into that text.
 */
export type NotationError = {
/**
 * The problem, without the position.
 */
message: string,
/**
 * The start of the offending text, as a byte offset.
 */
start: number,
/**
 * The end of the offending text, as a byte offset.
 */
end: number,
/**
 * The text found there.
 */
got: string,
/**
 * The alternatives that are allowed there.
 */
allowed: Array<string>,
/**
 * The closest valid name, if one is close enough.
 */
nearest: string | null, };

/**
 * A message to the user.
 */
export type Notice = {
/**
 * The severity.
 */
level: NoticeLevel,
/**
 * The text: what happened, why, and what to do.
 */
message: string, };

/**
 * The severity of a notice.
 */
export type NoticeLevel = "info" | "warning" | "error";

/**
 * The recording offset of the input and the output that are chosen.
 */
export type OffsetView = {
/**
 * The name of the input.
 */
input: string,
/**
 * The name of the output.
 */
output: string,
/**
 * The rate of the input in Hz.
 */
rate: number,
/**
 * The offset in samples; null if it was neither measured nor typed.
 */
samples: number | null,
/**
 * Whether it was measured.
 */
measured: boolean, };

/**
 * The result of a recording onto a track.
 */
export type OntoEnd = {
/**
 * The length that was placed on the track, in seconds; 0 if nothing was.
 */
placed_s: number,
/**
 * The number of output underruns meanwhile.
 */
underruns: number,
/**
 * Whether the devices reported the times by which the take is aligned.
 */
is_aligned: boolean,
/**
 * The drift between the clocks of the devices from start to end, in milliseconds, for which the take is corrected;
 * 0 if no correction was needed.
 */
drift_ms: number,
/**
 * The name of the file.
 */
file: string,
/**
 * Why the take could not be placed on the track and became a document instead; null if it could.
 */
problem: string | null, };

/**
 * A track that is recorded onto.
 */
export type OntoView = {
/**
 * Its document.
 */
document: number,
/**
 * The track in front, or a new one.
 */
track: TakeTrack,
/**
 * The frame of the document at which recording starts.
 */
start: number,
/**
 * The frame at which recording ends by itself; null if it does not.
 */
end: number | null,
/**
 * Whether the existing sound is played meanwhile.
 */
plays: boolean,
/**
 * Whether the recording offset of the devices is known. If not, what they report is trusted.
 */
has_offset: boolean, };

/**
 * The result of opening several files.
 */
export type Opened = {
/**
 * Documents that were opened or already open.
 */
documents: Array<DocumentView>,
/**
 * Files that could not be opened.
 */
failures: Array<FileFailure>,
/**
 * The name of the last closed document, which can be reopened.
 */
last_closed: string | null, };

/**
 * The goal that Opus optimises for.
 */
export type OpusApplication = "audio" | "speech";

/**
 * The likely origin of a lossless file.
 */
export type OriginKind = "genuine" | "likely_transcoded" | "likely_upsampled" | "cannot_tell";

/**
 * Whether a recording appears to have gone through a lossy codec or upsampling, judged by its bandwidth.
 */
export type OriginView = {
/**
 * The likely origin.
 */
origin: OriginKind,
/**
 * The confidence, 0..=1; 0 for [`Origin::CannotTell`].
 */
confidence: number,
/**
 * The reasons, in words.
 */
reasons: Array<string>, };

/**
 * An audio output.
 */
export type OutputView = {
/**
 * The handle, as used in the settings.
 */
id: string,
/**
 * The name.
 */
name: string,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The number of channels.
 */
channels: number, };

/**
 * One parameter of an effect.
 */
export type ParameterView = {
/**
 * The name in the notation: `cutoff`.
 */
name: string,
/**
 * The display name: "Cutoff".
 */
title: string,
/**
 * One line of help.
 */
help: string,
/**
 * The values of other parameters with which it has an effect, any of them; empty if it always has.
 */
used_with: Array<{
/**
 * The other parameter: a choice, a number, or a time or rate that can be a note.
 */
choice: string,
/**
 * The words or numbers, any of which meets the condition; `note` for any note.
 */
words: Array<string>, }>,
/**
 * The everyday values of a number; `None` for all that it accepts.
 */
travel: {
/**
 * The first value.
 */
from: number,
/**
 * The last value.
 */
to: TravelEnd, } | null,
/**
 * The value at which a number does nothing or is chosen automatically, if it has one.
 */
rest: Rest | null,
/**
 * The units that also set a choice.
 */
units: Array<UnitChoice>,
/**
 * The values it accepts.
 */
control: ControlView, };

/**
 * A part of two recordings.
 */
export type Part = {
/**
 * Whether it was kept, moved, cut, inserted or replaced.
 */
kind: PartKind,
/**
 * Where it begins and ends in the reference, in seconds; `None` if it was inserted.
 */
reference_s: [number, number] | null,
/**
 * Where it begins and ends in the other, in seconds; `None` if it was cut.
 */
other_s: [number, number] | null,
/**
 * The speed of the other relative to the reference; 1 for what only one has.
 */
speed: number,
/**
 * From 0, it may be another part, to 1, nothing else comes near. What was cut, inserted or replaced has the lower
 * confidence of its neighbours.
 */
confidence: number, };

/**
 * The kind of a part.
 */
export type PartKind = "same" | "moved" | "cut" | "inserted" | "replaced";

/**
 * A part of the recording that is heard.
 */
export type Passage = {
/**
 * Its name in the results.
 */
name: string,
/**
 * Its beginning, in seconds of the reference.
 */
start_s: number,
/**
 * Its end.
 */
end_s: number, };

/**
 * A file format for spectrogram images or values.
 */
export type PictureFormat = "png" | "npy";

/**
 * How the tracks of a playlist are chosen from its scope.
 */
export type PlaylistChoice = { "kind": "all" } | { "kind": "like", track: number, } | { "kind": "between", from: number, to: number, };

/**
 * The formats of playlists.
 */
export type PlaylistFormat = "m3u8" | "xspf";

/**
 * The tracks of a playlist.
 */
export type PlaylistView = {
/**
 * The IDs of its tracks in their order.
 */
tracks: Array<number>,
/**
 * The length of all tracks whose length is known, in seconds.
 */
duration_s: number,
/**
 * The number of chosen tracks that are left out, because they could not be analysed.
 */
left_out: number,
/**
 * The cost of the change from each track to the next in a mix; empty for another order. 0.5 is a fifth, the
 * relative key, or 3 % of tempo; an unknown key or tempo costs 1.
 */
changes: Array<number>, };

/**
 * How two stimuli were scored against each other.
 */
export type Preference = {
/**
 * The first of both.
 */
first: number,
/**
 * The second.
 */
second: number,
/**
 * The mean of the first's scores less the second's.
 */
difference: number,
/**
 * The probability of such differences if both sounded alike, by the signed-rank test; `None` if all scores are equal.
 */
p_value: number | null,
/**
 * The p-value, corrected for the number of pairs (S. Holm, Scandinavian Journal of Statistics 6, 1979).
 */
corrected: number | null, };

/**
 * A stored chain.
 */
export type PresetView = {
/**
 * The unique name.
 */
name: string,
/**
 * The chain as text.
 */
text: string,
/**
 * The chain; empty if it cannot be used.
 */
chain: Chain,
/**
 * Whether it is a factory preset, which cannot be changed or deleted.
 */
factory: boolean,
/**
 * The task under which a factory preset is listed.
 */
task: string | null,
/**
 * Why it cannot be used.
 */
problem: string | null, };

/**
 * The category under which a user looks for an effect.
 */
export type Purpose = "filter" | "equaliser" | "dynamics" | "space" | "modulation" | "level" | "image" | "tone" | "repair";

/**
 * A completion of a query.
 */
export type QueryCompletion = {
/**
 * The text to insert.
 */
text: string,
/**
 * An example with its unit.
 */
example: string,
/**
 * The meaning.
 */
help: string, };

/**
 * Completions of a query at the cursor.
 */
export type QueryCompletions = {
/**
 * The start of the text to replace, in UTF-16 code units.
 */
start: number,
/**
 * The end of the text to replace, in UTF-16 code units.
 */
end: number,
/**
 * The completions, best first.
 */
items: Array<QueryCompletion>, };

/**
 * One of the two racks.
 */
export type Rack = "a" | "b";

/**
 * The result of a ranking over all listeners.
 */
export type Ranking = {
/**
 * Each stimulus, in the order of the stimuli.
 */
stimuli: Array<Scored>,
/**
 * Each pair of stimuli that are not anchors.
 */
pairs: Array<Preference>,
/**
 * Listeners whose scores do not count, with the reason: they did not recognise the hidden reference, or not the anchor.
 */
excluded: Array<Excluded>,
/**
 * Listeners whose scores count.
 */
listeners: number, };

/**
 * Why a library is only read.
 */
export type ReadOnly = "asked" | "user" | "server";

/**
 * A recently opened file.
 */
export type RecentFile = {
/**
 * The handle.
 */
id: number,
/**
 * The file name.
 */
name: string,
/**
 * The folder, for display only.
 */
folder: string, };

/**
 * The state of a recorder.
 */
export type RecorderState = "armed" | "waiting" | "recording" | "paused" | "ended";

/**
 * The state of a recorder and its measurements. The window does not show all of it.
 */
export type RecorderStatus = {
/**
 * The state.
 */
state: RecorderState,
/**
 * The input.
 */
input: InputView,
/**
 * The level of each recorded channel.
 */
channels: Array<ChannelLevel>,
/**
 * The length of the recording in seconds.
 */
recorded_s: number,
/**
 * How often samples were lost.
 */
losses: number,
/**
 * The seconds for which the disk has space; null if that is not known.
 */
left_s: number | null, };

/**
 * The result of a recording.
 */
export type RecordingEnd = {
/**
 * The documents that were opened; empty if the recording was added to an open one.
 */
opened: Opened,
/**
 * The document to which it was added; null if it became a new one.
 */
appended: DocumentView | null,
/**
 * The result of recording onto a track; null for another recording.
 */
onto: OntoEnd | null,
/**
 * Its length in seconds; 0 if nothing was recorded.
 */
recorded_s: number,
/**
 * The problem, in words; null if there was none.
 */
problem: string | null,
/**
 * How often samples were lost.
 */
losses: number, };

/**
 * The sample format of a recording.
 */
export type RecordingSample = "24" | "f32";

/**
 * The settings of recording and live sound.
 */
export type RecordingSettings = {
/**
 * The input's handle; null for the system's default.
 */
input: string | null,
/**
 * The channels of the input.
 */
channels: ChannelChoice,
/**
 * The sample format of the files.
 */
sample: RecordingSample,
/**
 * The folder of the files; null for the user's music folder. Only the command `recording.choose_folder` changes
 * it.
 */
folder: string | null,
/**
 * The level in dBFS at which a recording begins; null to begin at once.
 */
start_at_db: number | null,
/**
 * The length in seconds after which a recording ends; null to record until it is stopped.
 */
length_s: number | null,
/**
 * The frames per call of live sound.
 */
live_frames: number,
/**
 * The signals that are recorded while live sound runs.
 */
live_records: LiveRecords,
/**
 * Whether live sound is limited to -1 dBFS, and muted if it rises far above full scale.
 */
live_limiter: boolean,
/**
 * Whether the existing sound is played while a track is recorded.
 */
overdub: boolean,
/**
 * The pre-roll in seconds when a track is recorded from the cursor.
 */
preroll_s: number,
/**
 * The pre-roll in seconds when a track is recorded within the selection.
 */
punch_preroll_s: number, };

/**
 * The state of recording and live sound.
 */
export type RecordingView = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The recorder; null while no input is open.
 */
recorder: RecorderStatus | null,
/**
 * The document to which the recording will be appended; null for a new document.
 */
appends_to: number | null,
/**
 * The track that is recorded onto; null for another recording.
 */
onto: OntoView | null,
/**
 * The recorded signals of live sound; null for a recording of the input alone.
 */
of_live: LiveRecords | null,
/**
 * Live sound; null while it is off.
 */
live: LiveStatus | null,
/**
 * Why the previous chain of the document is heard live instead of the current one; null if the current one is.
 */
live_problem: string | null, };

/**
 * Results.
 */
export type Report = {
/**
 * The sessions, in the order given.
 */
sessions: Array<SessionReport>,
/**
 * The joint result of the rankings among them; `None` if there are none.
 */
ranking: {
/**
 * The names of the stimuli.
 */
names: Array<string>,
/**
 * Their scores, pair by pair and over all listeners.
 */
result: Ranking, } | null, };

/**
 * The use of the residual: the sound that the wanted stems leave of the recording.
 */
export type ResidualUse = "left_out" | "own" | "spread";

/**
 * Magnitude responses for the plot.
 */
export type ResponseView = {
/**
 * The frequencies in hertz, logarithmically spaced.
 */
frequency_hz: Array<number>,
/**
 * The response of the whole chain in dB; null where it is minus infinity.
 */
chain_db: Array<number | null>,
/**
 * The responses of the linear effects in dB.
 */
nodes: Array<[number, Array<number | null>]>, };

/**
 * A value at which a parameter does nothing or is chosen automatically. Front ends show its word; text accepts the word
 * in lower case.
 */
export type Rest = {
/**
 * The value.
 */
value: number,
/**
 * The word: "Off".
 */
word: string, };

/**
 * The rule by which a test of trials with two answers ends. Its level is the probability with which somebody who only
 * guesses may pass at most.
 */
export type Rule = { "kind": "fixed",
/**
 * The number of trials.
 */
trials: number,
/**
 * The level, 0.0001 to 0.5.
 */
level: number, } | { "kind": "sequential",
/**
 * The level, 0.0001 to 0.5.
 */
level: number,
/**
 * The probability with which a listener of this ability may fail at most, apart from the limit of trials: 0.0001
 * to 0.5.
 */
miss: number,
/**
 * The share of right answers that is looked for: 0.55 to 0.99.
 */
ability: number,
/**
 * The most trials.
 */
most: number, };

/**
 * The choice of a listener between A and B, or the scores in a ranking.
 */
export type Said = "x_is_a" | "x_is_b" | { "scores": Array<number> };

/**
 * How the travel of a control maps to values.
 */
export type Scale = "linear" | "log" | "integer" | "index";

/**
 * The phase of a scan.
 */
export type ScanPhase = "walking" | "analysing" | "pausing" | "paused" | "held" | "stopping" | "done" | "cancelled" | "failed";

/**
 * The time of a scan's workers by activity, in seconds.
 */
export type ScanTime = {
/**
 * Reading and decoding.
 */
decode: number,
/**
 * Analysing on the CPU.
 */
analysis: number,
/**
 * Analysing on a GPU.
 */
gpu: number,
/**
 * Checking whether the audio is already known.
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
 * The state of a scan.
 */
export type ScanView = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The current phase, or how the scan ended.
 */
phase: ScanPhase,
/**
 * The number of finished tracks.
 */
tracks_done: number,
/**
 * The number of tracks to process found so far; final once the folders have been walked.
 */
tracks_total: number,
/**
 * The size of the finished files in bytes, including the finished share of those in progress.
 */
bytes_done: number,
/**
 * The size of all files in bytes.
 */
bytes_total: number,
/**
 * The number of recordings that the walk found.
 */
found: number,
/**
 * The number of tracks that were analysed.
 */
analysed: number,
/**
 * The number of tracks whose audio was already known: copies, moved files, files with new tags.
 */
recognised: number,
/**
 * The number of tracks that an earlier version had read, and that were read again and not analysed again.
 */
reread: number,
/**
 * The number of those that have other tags now.
 */
corrected: number,
/**
 * The number of tracks that could not be analysed.
 */
failed: number,
/**
 * The number of tracks whose files no longer exist.
 */
vanished: number,
/**
 * Seconds since the start, without pauses.
 */
elapsed_s: number,
/**
 * Recent speed, in tracks per second.
 */
tracks_per_s: number,
/**
 * Speed as a multiple of real time: seconds of audio per second.
 */
realtime_factor: number,
/**
 * The remaining time in seconds; null if unknown.
 */
remaining_s: number | null,
/**
 * The time of all workers by activity, in seconds.
 */
time: ScanTime,
/**
 * The tracks in progress.
 */
in_hand: Array<InHandView>,
/**
 * The estimated memory of the tracks in progress, in bytes.
 */
memory_bytes: number,
/**
 * The device that analysed the last track, and why; null before the first.
 */
device: DeviceReport | null,
/**
 * Why the scan cannot continue.
 */
fault: string | null,
/**
 * Folders that could not be reached and paths that could not be read; if the scan failed, why.
 */
notices: Array<string>, };

/**
 * The scores of a stimulus.
 */
export type Scored = {
/**
 * The number of scores.
 */
count: number,
/**
 * Their mean.
 */
mean: number,
/**
 * The limits of the mean at a confidence of 95 %, by Student's distribution, not limited to 0..100; `None` for one
 * score.
 */
interval: [number, number] | null,
/**
 * The least score, the quartile, the median, the upper quartile and the highest score. Quartiles lie between scores by
 * linear interpolation.
 */
quantiles: [number, number, number, number, number], };

/**
 * The way in which an effect uses the selected part of a recording.
 */
export type SelectionUse = "region" | "noise" | "level" | "fade_in" | "fade_out";

/**
 * A curve (width 1) or an image (rows of `width` values) over a track's time.
 */
export type SeriesView = {
/**
 * `chroma`, `tempogram`, `loudness`, ...
 */
name: string,
/**
 * The unit of the values, such as "LUFS"; empty if they have none.
 */
unit: string,
/**
 * The time of the first row, in seconds.
 */
start_s: number,
/**
 * The time from one row to the next, in seconds.
 */
step_s: number,
/**
 * The number of values in a row.
 */
width: number,
/**
 * The values, row after row; not finite, and null in JSON, where there is no value.
 */
values: Array<number | null>, };

/**
 * One session.
 */
export type SessionReport = {
/**
 * Who listened; may be empty.
 */
listener: string,
/**
 * The note in the plan; may be empty.
 */
note: string,
/**
 * When it was begun, as in RFC 3339, in UTC.
 */
begun: string,
/**
 * When the last answer was given.
 */
ended: string,
/**
 * The seed of all orders, as a decimal number.
 */
seed: string,
/**
 * Whether the versions were played at equal loudness.
 */
matched: boolean,
/**
 * Whether the listener gave up before the end.
 */
given_up: boolean,
/**
 * The result of a test of A against B; `None` for a ranking.
 */
abx: AbxReport | null, };

/**
 * The settings, shared by the window and the command line.
 */
export type Settings = {
/**
 * The colour theme of the window.
 */
theme: Theme,
/**
 * The language of the window. The command line and the core's own messages are English.
 */
language: Language,
/**
 * The device on which work runs.
 */
device: string,
/**
 * The audio output's handle; null follows the system's default.
 */
output: string | null,
/**
 * Whether to mute the output and stop playback when the signal is far beyond full scale: a sample above +20 dB, or
 * an RMS above +6 dB over 100 ms. Independently of this setting, `NaN` and infinite samples become silence, and
 * the output never exceeds full scale.
 */
mute_when_too_loud: boolean,
/**
 * Whether Space pauses, so that playback resumes where it was, instead of stopping, after which it starts at the
 * cursor.
 */
space_pauses: boolean,
/**
 * The limit of the disk cache for waveforms, and separately of the one for spectrogram tiles, in MiB.
 */
cache_mib: number,
/**
 * Whether a project is saved with the history of its document.
 */
project_history: boolean,
/**
 * How clips are joined by edits.
 */
joins: {
/**
 * The length of the cross-fade in milliseconds; 0 joins the plain samples.
 */
crossfade_ms: number,
/**
 * The shape of the cross-fade.
 */
shape: FadeShape, },
/**
 * The keys of the window's commands.
 */
keys: KeySettings,
/**
 * The formats in which times are shown.
 */
time_formats: TimeFormats,
/**
 * The actions of the wheel over the lanes.
 */
wheel: WheelSettings,
/**
 * The snapping of what is dragged along the time axis.
 */
snap: SnapSettings,
/**
 * The settings of the last export.
 */
export: ExportSettings,
/**
 * The settings of spectrograms.
 */
spectrogram: {
/**
 * The analysis settings.
 */
analysis: SpectrogramAnalysis,
/**
 * The display settings.
 */
display: SpectrogramDisplay, },
/**
 * The settings of the analyser.
 */
analyser: AnalyserSettings,
/**
 * The settings of loudness over time.
 */
loudness: LoudnessSettings,
/**
 * The settings of recording and live sound.
 */
recording: RecordingSettings,
/**
 * The settings of the library.
 */
library: LibrarySettings,
/**
 * The settings of separating into stems.
 */
stems: {
/**
 * The settings of the last separation.
 */
wish: StemsWish,
/**
 * The limit of the disk cache for separated recordings in MiB; 0 keeps none.
 */
cache_mib: number, },
/**
 * How often each effect was added, by its name in the notation. The window lists the most used first.
 */
effect_uses: { [key in string]: number },
/**
 * The sizes of panes in pixels, by name; used only by the window.
 */
panes: { [key in string]: number }, };

/**
 * The side that is heard.
 */
export type Side = "original" | "processed";

/**
 * A kind of signal with its parameters.
 */
export type Signal = { "kind": "sine",
/**
 * The frequency in Hz.
 */
frequency_hz: number, } | { "kind": "square",
/**
 * The frequency in Hz.
 */
frequency_hz: number, } | { "kind": "saw",
/**
 * The frequency in Hz.
 */
frequency_hz: number, } | { "kind": "triangle",
/**
 * The frequency in Hz.
 */
frequency_hz: number, } | { "kind": "sweep",
/**
 * The frequency in Hz at the first frame.
 */
from_hz: number,
/**
 * The frequency in Hz at the end.
 */
to_hz: number,
/**
 * How the frequency changes.
 */
scale: SweepScale, } | { "kind": "white",
/**
 * The distribution of its samples.
 */
distribution: Distribution, } | { "kind": "pink" } | { "kind": "brown" } | { "kind": "impulses",
/**
 * The distance in frames, at least 1; it need not be whole.
 */
interval_frames: number, } | { "kind": "silence" } | { "kind": "dtmf",
/**
 * The digits: `0` to `9`, `*`, `#`, `A` to `D`.
 */
digits: string,
/**
 * The length of a tone in frames.
 */
tone_frames: number,
/**
 * The length of the pause between tones in frames.
 */
pause_frames: number, } | { "kind": "clicks",
/**
 * The tempo in beats per minute.
 */
bpm: number,
/**
 * The number of beats of a bar, whose first has an accent; 1 for clicks without accents.
 */
beats: number, };

/**
 * A track that is similar to the reference.
 */
export type SimilarItem = {
/**
 * The track.
 */
track: TrackItem,
/**
 * The similarity: 1 for equal features, 0 for a distance at least as large as the library's spread.
 */
score: number,
/**
 * Every dimension that was compared, the largest share of the distance first.
 */
contributions: Array<ContributionView>, };

/**
 * The places to which dragged selections, clips and markers snap.
 */
export type SnapSettings = {
/**
 * Whether snapping is on.
 */
on: boolean,
/**
 * To the edges of clips.
 */
clips: boolean,
/**
 * To markers and the ends of regions.
 */
markers: boolean,
/**
 * To the marks of the time ruler.
 */
ruler: boolean,
/**
 * To beats at the tempo of the time ruler.
 */
beats: boolean,
/**
 * To zero crossings, where nothing else is near.
 */
zero_crossings: boolean, };

/**
 * A column to sort by.
 */
export type SortBy = {
/**
 * The name of the column, one of [`columns::names`]. The window has different names for some.
 */
column: string,
/**
 * Whether to sort from the largest to the smallest. Missing values come last in either order.
 */
descending: boolean, };

/**
 * An undoable edit of a document's sound. It acts on the selection, or at the cursor.
 */
export type SoundEdit = { "kind": "delete" } | { "kind": "silence" } | { "kind": "trim" } | { "kind": "reverse" } | { "kind": "duplicate" } | { "kind": "split" } | { "kind": "join" } | { "kind": "insert_silence",
/**
 * The length in frames.
 */
frames: number, } | { "kind": "paste" } | { "kind": "paste_over" } | { "kind": "paste_mix" } | { "kind": "move",
/**
 * The frame, of the document as it is, before which the selection is put.
 */
to: number, } | { "kind": "gain",
/**
 * The change in decibels.
 */
db: number, } | { "kind": "clip",
/**
 * Its number, from 0.
 */
clip: number,
/**
 * The edit of the clip.
 */
edit: ClipEdit, };

/**
 * A recording that a document is made of.
 */
export type SourceView = {
/**
 * The file name without its folder.
 */
name: string,
/**
 * The whole path, for display only.
 */
path: string,
/**
 * Problems in the file that do not prevent its use.
 */
warnings: Array<string>,
/**
 * Why it cannot be read now (moved, changed); its document keeps its place.
 */
missing: string | null, };

/**
 * The analysis settings of a spectrogram. A change to any of them requires new tiles.
 */
export type SpectrogramAnalysis = {
/**
 * The analysis method.
 */
method: SpectrogramMethod,
/**
 * The bins per octave of the constant-Q transform, 12..=96; ignored by the other methods.
 */
bins_per_octave: number,
/**
 * The window function.
 */
window: WindowName,
/**
 * The window length in frames, a power of two from 64 to 65536.
 */
window_frames: number,
/**
 * The zero-padding factor of the transform: 1, 2, 4 or 8.
 */
padding: number,
/**
 * The frequency axis.
 */
scale: FrequencyScale, };

/**
 * How the processed side is compared with the original.
 */
export type SpectrogramCompare = "off" | "wipe" | "difference";

/**
 * The display settings of a spectrogram. They only change a lookup in the view and never recompute the spectrogram.
 */
export type SpectrogramDisplay = {
/**
 * The colour map.
 */
colours: ColourMap,
/**
 * The gain added to every level, in dB.
 */
gain_db: number,
/**
 * The range from the darkest to the brightest colour, in dB. The brightest is 0 dB.
 */
range_db: number,
/**
 * The blend of waveform and spectrogram: 0 shows only the waveform, 1 only the spectrogram.
 */
blend: number,
/**
 * The lanes that are shown.
 */
channels: LaneChannels,
/**
 * How the processed side is compared with the original.
 */
compare: SpectrogramCompare,
/**
 * The unit of the time ruler.
 */
time_ruler: TimeRuler,
/**
 * The unit of the frequency ruler.
 */
frequency_ruler: FrequencyRuler,
/**
 * The tempo of the bars-and-beats ruler, in beats per minute.
 */
bpm: number,
/**
 * The number of beats per bar.
 */
beats_per_bar: number, };

/**
 * How energy is resolved in time and frequency.
 */
export type SpectrogramMethod = "fourier" | "multi_resolution" | "reassigned" | "constant_q";

/**
 * A spectrogram preset for a particular purpose.
 */
export type SpectrogramPreset = {
/**
 * The name.
 */
name: string,
/**
 * The displayed name.
 */
title: string,
/**
 * One line of help.
 */
help: string,
/**
 * The analysis settings.
 */
analysis: SpectrogramAnalysis,
/**
 * The matching display gain, in dB.
 */
gain_db: number,
/**
 * The matching display range, in dB.
 */
range_db: number, };

/**
 * A run of spectrogram tiles of one side of a document.
 */
export type SpectrogramTile = {
/**
 * The side: original or processed.
 */
side: Side,
/**
 * A request number chosen by the window, with which `editor.cancel_tiles` can cancel it.
 */
request: number,
/**
 * The analysis settings.
 */
analysis: SpectrogramAnalysis,
/**
 * The lanes of the picture.
 */
channels: LaneChannels,
/**
 * The index of the requested lane.
 */
lane: number,
/**
 * A column is 2 to this power frames wide.
 */
level: number,
/**
 * The index of the tile along time.
 */
column_tile: number,
/**
 * The axis has 256 times 2 to this power rows.
 */
row_level: number,
/**
 * The lowest requested row tile.
 */
row_tile: number,
/**
 * The number of row tiles.
 */
row_tiles: number, };

/**
 * The spectrum at a position. For silence, levels are minus infinity and the phase is `NaN`; in JSON these are null.
 */
export type SpectrumAt = {
/**
 * The level at the requested frequency in dB re a full-scale sine, linearly interpolated between bins.
 */
db: number | null,
/**
 * The frequency in Hz of the nearest spectral peak: the vertex of the parabola through the three highest levels in
 * dB (J. O. Smith, Spectral Audio Signal Processing, "Quadratic Interpolation of Spectral Peaks").
 */
peak_hz: number,
/**
 * The level at that vertex, in dB.
 */
peak_db: number | null,
/**
 * The phase of the peak at the requested frame, in radians; 0 is a cosine's maximum.
 */
phase_rad: number | null, };

/**
 * The mean of some numbers, and how they spread.
 */
export type Spread = {
/**
 * The mean.
 */
mean: number,
/**
 * The standard deviation of a sample (divided by n - 1); `None` for a single number.
 */
sd: number | null, };

/**
 * The wall time in which each stage was busy, in seconds. Stages overlap, so that their sum may exceed the total.
 */
export type StageSeconds = { decode: number, upload: number, kernels: number, readback: number, encode: number, total: number, };

/**
 * Where a test stands.
 */
export type Standing = "open" | "passed" | "not_passed";

/**
 * The data that the window needs at startup.
 */
export type Startup = {
/**
 * The program's version.
 */
version: string,
/**
 * The settings.
 */
settings: Settings,
/**
 * The documents of the last session in tab order.
 */
documents: Array<DocumentView>,
/**
 * The active document.
 */
active: number | null,
/**
 * Every effect with its parameters.
 */
effects: Array<EffectView>,
/**
 * Recent files, the latest first.
 */
recent: Array<RecentFile>,
/**
 * The name of the last closed document, which can be reopened.
 */
last_closed: string | null,
/**
 * The formats to export to. The command `editor.encoder_problem` says whether this system has the encoder.
 */
export_formats: Array<ExportFormat>,
/**
 * Recordings that a crash left.
 */
left_recordings: Array<LeftRecordingView>,
/**
 * Notices to show at startup: a session that could not be read, a missing file.
 */
notices: Array<Notice>, };

/**
 * The contents of a track that is a stem of a recording.
 */
export type StemKind = "voice" | "vocals" | "drums" | "bass" | "guitar" | "piano" | "other" | "accompaniment" | "tones" | "hits" | "centre" | "sides" | "residual";

/**
 * A purpose for which the stems of a recording are heard. Tracks that are not stems are left alone.
 */
export type StemPreset = "karaoke" | "a_cappella" | "drumless" | "practice_voice" | "practice_drums" | "practice_bass" | "all";

/**
 * A recording that is heard while it is being separated.
 */
export type StemsHeard = {
/**
 * The recording.
 */
task: number,
/**
 * The stems that are heard.
 */
stems: Array<StemKind>,
/**
 * Whether playback stopped where the stems are not computed yet.
 */
held: boolean, };

/**
 * A model that separates.
 */
export type StemsModel = {
/**
 * The handle.
 */
id: string,
/**
 * The name.
 */
title: string,
/**
 * A sentence on the results to expect.
 */
note: string,
/**
 * The sets of stems that it produces. Only stems of one set can be requested together.
 */
sets: Array<Array<StemKind>>,
/**
 * The available qualities, the default first; empty if there is no choice.
 */
qualities: Array<string>, };

/**
 * The details of a separation that are known before it begins.
 */
export type StemsOutlook = {
/**
 * The number of recordings.
 */
recordings: number,
/**
 * The name of the first recording.
 */
name: string,
/**
 * The length of all recordings in seconds.
 */
seconds: number,
/**
 * The number of recordings whose stems are in the cache.
 */
cached: number,
/**
 * The device that it will run on, and why.
 */
device: DeviceReport,
/**
 * The expected time in seconds at the speed of the last runs; null if none was measured.
 */
expected_s: number | null,
/**
 * Why it cannot begin; null if it can.
 */
problem: string | null,
/**
 * Warnings: files that cannot be read, a recording that is too short.
 */
warnings: Array<string>, };

/**
 * The recordings to separate, one after the other, or one on each of several devices.
 */
export type StemsQueue = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The separation in progress; of several, the one that started first. It can be played.
 */
running: StemsRunning | null,
/**
 * The others in progress.
 */
beside: Array<StemsRunning>,
/**
 * The waiting recordings, in order.
 */
waiting: Array<StemsWaiting>, };

/**
 * The recording that is being separated.
 */
export type StemsRunning = {
/**
 * The handle.
 */
task: number,
/**
 * The name.
 */
name: string,
/**
 * The resulting stems, in the order of its parts.
 */
stems: Array<StemKind>,
/**
 * The sample rate in Hz.
 */
rate: number,
/**
 * The length in frames.
 */
frames: number,
/**
 * The number of frames whose stems are computed and can be played.
 */
settled_frames: number,
/**
 * Why it cannot be played before it is done; null if it can.
 */
problem: string | null, };

/**
 * The recordings to separate.
 */
export type StemsSource = { "kind": "document",
/**
 * The document.
 */
document: number,
/**
 * The track.
 */
track: number | null, } | { "kind": "tracks",
/**
 * Their IDs.
 */
tracks: Array<number>, };

/**
 * A recording that waits to be separated.
 */
export type StemsWaiting = {
/**
 * The handle.
 */
task: number,
/**
 * The name.
 */
name: string,
/**
 * The length in seconds.
 */
seconds: number, };

/**
 * How recordings are separated.
 */
export type StemsWish = {
/**
 * The handle of the model.
 */
model: string,
/**
 * The requested stems, all from one of the model's sets.
 */
stems: Array<StemKind>,
/**
 * How to use the residual, which is the recording without the requested stems.
 */
residual: ResidualUse,
/**
 * One of the model's qualities; null for its default, and for a model without a choice.
 */
quality: string | null, };

/**
 * How the frequency of a sweep changes over time.
 */
export type SweepScale = "linear" | "log";

/**
 * An action on tags.
 */
export type TagAction = "preview" | "write" | "undo";

/**
 * A change to a recording that can make one of its tags false.
 */
export type TagCause = "level" | "cut" | "mixed" | "tempo" | "pitch" | "channels" | "encoding";

/**
 * A change of one tag.
 */
export type TagChange = {
/**
 * The field, named as in Vorbis comments.
 */
tag: string,
/**
 * The value before; `None` if there was none.
 */
old: string | null,
/**
 * The value after; `None` if there is none.
 */
new: string | null, };

/**
 * The tags that an exported file has instead of the recording's.
 */
export type TagEdits = {
/**
 * Text by field, named as in Vorbis comments. An empty text removes the field. Other fields are kept.
 */
items: { [key in string]: string },
/**
 * The edit of the cover.
 */
cover: CoverEdit,
/**
 * Whether the gain of the track is measured again on the written file; false if absent.
 */
replay_gain?: boolean, };

/**
 * A kind of value that can be written to tags.
 */
export type TagField = "key" | "tempo" | "loudness" | "album";

/**
 * A file, and its tags.
 */
export type TagFileView = {
/**
 * The track; `None` for a file that is restored.
 */
id: number | null,
/**
 * The file name.
 */
name: string,
/**
 * The folder of the file.
 */
folder: string,
/**
 * The outcome; in a preview, the expected one.
 */
outcome: TagOutcome,
/**
 * The changes; in a preview, the expected ones.
 */
changes: Array<TagChange>,
/**
 * The tags of the chosen fields that stay unchanged, named as in Vorbis comments, with their values.
 */
kept: Array<[string, string]>,
/**
 * Why the file was skipped, or its album tags were left out.
 */
reason: string | null,
/**
 * Why it failed.
 */
failure: Failure | null, };

/**
 * The outcome for a file; in a preview, the expected one.
 */
export type TagOutcome = "changes" | "unchanged" | "written" | "skipped" | "failed" | "restored";

/**
 * The result of a preview, write or undo of tags, with a range of its files.
 */
export type TagRunView = {
/**
 * Its number, with which a preview can be written.
 */
id: number,
/**
 * The action.
 */
action: TagAction,
/**
 * The fields.
 */
fields: Array<TagField>,
/**
 * The number of the write that it made or undid.
 */
write: number | null,
/**
 * The numbers of files.
 */
counts: Record<TagOutcome, number>,
/**
 * The number of files that a killed process had left unfinished and that are in order now.
 */
recovered: number,
/**
 * Whether it was cancelled, after the files that are counted.
 */
cancelled: boolean,
/**
 * The number of files with the requested outcome.
 */
total: number,
/**
 * A range of these files.
 */
files: Array<TagFileView>, };

/**
 * A past write of tags.
 */
export type TagWriteView = {
/**
 * Its number.
 */
id: number,
/**
 * When it began, in milliseconds since 1970.
 */
begun_at: number,
/**
 * The fields that were written.
 */
fields: Array<TagField>,
/**
 * The number of its files.
 */
files: number,
/**
 * The number of files whose originals can be restored.
 */
undoable: number,
/**
 * The number of files that were restored.
 */
undone: number,
/**
 * The size of what is kept for undo, in bytes.
 */
kept_bytes: number, };

/**
 * The track that a take is put onto.
 */
export type TakeTrack = "front" | "new";

/**
 * The colour theme of the window.
 */
export type Theme = "system" | "dark" | "light" | "contrast";

/**
 * How a time is written, and how a bare number typed in its place is read.
 */
export type TimeFormat = "ruler" | "clock" | "seconds" | "samples" | "beats" | "film_24" | "film_25" | "film_29_97" | "film_29_97_drop" | "film_30";

/**
 * The time formats of the read-outs.
 */
export type TimeFormats = {
/**
 * The clock of the transport.
 */
clock: TimeFormat,
/**
 * Start, end and length of the selection.
 */
selection: TimeFormat,
/**
 * The positions of the cursor and the pointer.
 */
cursor: TimeFormat, };

/**
 * The unit of the time ruler.
 */
export type TimeRuler = "time" | "samples" | "beats";

/**
 * A part of a recording on which nodes act.
 */
export type TimeSpan = {
/**
 * Where it begins, in seconds of the recording, 0 or more.
 */
from_s: number,
/**
 * Where it ends, in seconds; after its beginning.
 */
to_s: number,
/**
 * The length of the cross-fade at either end, within the part, in seconds; at most half of the part is used. There
 * is none at the beginning of the recording.
 */
fade_s: number, };

/**
 * A choice: a track, or the sum of all.
 */
export type TrackChoice = { "track": number } | "sum";

/**
 * An edit of the tracks of a document.
 */
export type TrackEdit = { "kind": "add" } | { "kind": "duplicate",
/**
 * The track.
 */
track: number, } | { "kind": "delete",
/**
 * The track.
 */
track: number, } | { "kind": "rename",
/**
 * The track.
 */
track: number,
/**
 * The new name.
 */
name: string, } | { "kind": "colour",
/**
 * The track.
 */
track: number,
/**
 * The number of the colour.
 */
colour: number, } | { "kind": "gain",
/**
 * The track.
 */
track: number,
/**
 * The gain in dB.
 */
db: number, } | { "kind": "pan",
/**
 * The track.
 */
track: number,
/**
 * -1 (left) to 1 (right).
 */
pan: number, } | { "kind": "mute",
/**
 * The track.
 */
track: number,
/**
 * Whether it is silent.
 */
on: boolean, } | { "kind": "solo",
/**
 * The track.
 */
track: number,
/**
 * Whether it is heard alone.
 */
on: boolean, } | { "kind": "stems",
/**
 * The purpose.
 */
preset: StemPreset, } | { "kind": "move",
/**
 * The track.
 */
track: number,
/**
 * The new index.
 */
to: number, } | { "kind": "send",
/**
 * The other track.
 */
track: number,
/**
 * The frame at which it begins there.
 */
at: number,
/**
 * The part; null for the selection.
 */
range: FrameRange | null, };

/**
 * A row of the table.
 */
export type TrackItem = {
/**
 * The file name.
 */
name: string,
/**
 * The folder of the file.
 */
folder: string, id: number, state: LibraryTrackState,
/**
 * Why it could not be analysed.
 */
reason: string | null, title: string | null, artist: string | null, album: string | null, album_artist: string | null, genre: string | null, year: number | null, track_no: number | null, disc_no: number | null, duration_s: number | null, rate_hz: number | null, channels: number | null, format: string | null, codec: string | null,
/**
 * Bit rate of the audio itself in bits per second, without tags and pictures.
 */
bit_rate: number | null, bits: number | null, bandwidth_hz: number | null, key: string | null, bytes: number,
/**
 * Milliseconds since 1970.
 */
added_at: number,
/**
 * Whether it has a cover.
 */
cover: boolean,
/**
 * The dimensions in order; `None` for a missing value.
 */
features: Array<number | null>, };

/**
 * The query and sort order of the table.
 */
export type TrackListQuery = {
/**
 * The query text; empty for all tracks.
 */
text: string,
/**
 * The columns to sort by; empty for artist, album, track number.
 */
sort: Array<SortBy>, };

/**
 * A page of rows of the table.
 */
export type TrackPage = {
/**
 * The total number of matching tracks.
 */
total: number,
/**
 * The index of the first row of this page.
 */
offset: number,
/**
 * The rows.
 */
rows: Array<TrackItem>, };

/**
 * Everything known about a track.
 */
export type TrackPageView = {
/**
 * The track's row of the table.
 */
item: TrackItem,
/**
 * The file's path as text.
 */
path: string,
/**
 * Whether the file exists now.
 */
reachable: boolean,
/**
 * The library folder that has the file, if the folder is not on this machine; null otherwise.
 */
folder_away: string | null,
/**
 * All tags.
 */
tags: { [key in string]: string },
/**
 * Problems found in the file.
 */
warnings: Array<string>,
/**
 * Why dimensions have no value, by dimension name.
 */
missing: { [key in string]: string },
/**
 * For each dimension, the share of the library's tracks with a lower value, 0..=1.
 */
percentiles: Array<number | null>,
/**
 * Curves and images over time.
 */
series: Array<SeriesView>,
/**
 * The origin that the bandwidth suggests; null if unknown.
 */
origin: OriginView | null,
/**
 * The time of the analysis, in milliseconds since 1970.
 */
analysed_at: number | null,
/**
 * Whether the analysis was made by an earlier version of this program.
 */
outdated: boolean,
/**
 * When the file was found missing, in milliseconds since 1970.
 */
vanished_at: number | null,
/**
 * When this program moved the file to the system's bin, in milliseconds since 1970.
 */
binned_at: number | null, };

/**
 * A track that could not be analysed.
 */
export type TrackProblem = {
/**
 * The track's ID.
 */
id: number,
/**
 * The file name.
 */
name: string,
/**
 * The folder of the file.
 */
folder: string,
/**
 * The reason.
 */
reason: string,
/**
 * The number of attempts.
 */
attempts: number, };

/**
 * A track as the window shows it.
 */
export type TrackView = {
/**
 * The length in frames; the document is as long as its longest track.
 */
frames: number,
/**
 * The number of channels of its recordings.
 */
channels: number,
/**
 * The number of effects in its rack that are on.
 */
effects: number,
/**
 * A key that changes with its sound before its rack.
 */
sound: string,
/**
 * The handle.
 */
id: number,
/**
 * The name.
 */
name: string,
/**
 * The number of its colour, below [`COLOURS`].
 */
colour: number,
/**
 * The gain in dB, after its rack.
 */
gain_db: number,
/**
 * The balance between the first two channels: -1 is left, 0 centre, 1 right.
 */
pan: number,
/**
 * Whether it is silent in the sum.
 */
mute: boolean,
/**
 * Whether only tracks with this set are heard in the sum.
 */
solo: boolean,
/**
 * The content, if it is a stem of a recording.
 */
content?: StemKind, };

/**
 * The state of playback.
 */
export type TransportView = {
/**
 * When this view was taken.
 */
moment: number,
/**
 * The document that is loaded.
 */
document: number | null,
/**
 * The library audition that is loaded. No document is loaded then, and frames count in the audition's common time.
 */
audition: AuditionView | null,
/**
 * The versions that are loaded. No document is loaded then, and frames count on their timeline.
 */
comparison: ComparisonHeard | null,
/**
 * The recording that is heard while it is being separated. No document is loaded then, and frames count in the
 * recording.
 */
stems: StemsHeard | null,
/**
 * The side of documents that is heard, now or when one is played next. While an audition is heard, its side
 * differs.
 */
documents_side: Side,
/**
 * The documents whose loudness is matched.
 */
matched_documents: Array<number>,
/**
 * Whether sound is going out.
 */
playing: boolean,
/**
 * The frame of the recording that is heard now, or at which playback stopped.
 */
frame: number,
/**
 * Whether a range is looped.
 */
looping: boolean,
/**
 * Which side is heard.
 */
side: Side,
/**
 * Whether loudness matching of the two sides is on.
 */
matched: boolean,
/**
 * The gain of the processed side that matches the loudness, in dB, once it is known.
 */
matched_gain_db: number | null,
/**
 * Whether a measurement of the whole signal is out of date and being renewed.
 */
stale: boolean,
/**
 * How often the output ran dry since playback began.
 */
underruns: number,
/**
 * The level in dB above full scale that muted the output and stopped playback; cleared when playback begins again.
 */
muted_db: number | null,
/**
 * The reason why nothing, or something other than requested, is heard.
 */
problem: string | null, };

/**
 * The last value of a [`Travel`].
 */
export type TravelEnd = { "kind": "value", "value": number } | { "kind": "nyquist" } | { "kind": "length" } | { "kind": "selection" };

/**
 * The unit of a number.
 */
export type Unit = "none" | "hz" | "dB" | "seconds" | "percent" | "kbps";

/**
 * A unit that also sets a choice: a target in LUFS is a loudness.
 */
export type UnitChoice = {
/**
 * The unit.
 */
unit: string,
/**
 * The parameter that is the choice.
 */
choice: string,
/**
 * The word that the unit sets it to.
 */
word: string, };

/**
 * A value of a parameter.
 */
export type Value = number | string;

/**
 * The progress of a waveform, and problems in reading it.
 */
export type WaveformView = {
/**
 * The share of the document that is drawn exactly, 0..=1.
 */
exact_share: number,
/**
 * Ranges that could not be decoded and are silent; the list is complete once everything is exact.
 */
damage: Array<FrameRange>,
/**
 * Why reading stopped early.
 */
failure: string | null, };

/**
 * An action of the wheel.
 */
export type WheelAction = "scroll" | "zoom";

/**
 * The actions of the wheel over the lanes, by the key that is held.
 */
export type WheelSettings = {
/**
 * Without a key.
 */
plain: WheelAction,
/**
 * With Ctrl, or Command on a Mac.
 */
ctrl: WheelAction,
/**
 * With Shift.
 */
shift: WheelAction, };

/**
 * A window function. Kaiser and Gaussian windows have fixed parameters.
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

/** How much taller or smaller than full scale levels may be drawn. */
export const LEVEL_ZOOM = { least: 0.25, most: 65536 } as const;

/** Columns and rows of a spectrogram tile. */
export const TILE_SIDE = 256;

/** Codes of levels: the level of code 0 in dB, codes per dB, and the largest code. */
export const LEVEL_CODES = { low_db: -200, per_db: 200, largest: 65535 } as const;

/** The foot of the logarithmic frequency axis, in Hz. */
export const LOG_FOOT_HZ = 20;

/** Gain and range of the colours where nothing was set, in dB. */
export const DISPLAY_DB = { gain: 20, range: 90 } as const;

/** Frames of a window, the fewest and the most; bins of an octave likewise. */
export const WINDOW_FRAMES_SPAN = [64, 65536] as const;
export const BINS_PER_OCTAVE_SPAN = [12, 96] as const;

/** Where the length that is set serves in a multi-resolution spectrogram, how many octaves each length serves, and the most doublings either way. */
export const MULTI_RESOLUTION = { centre_hz: 1000, octaves_each: 2, doublings: 2 } as const;

/** Width of a window's main lobe 6 dB down, in bins without padding: two tones that far apart are just two. */
export const LOBE_BINS: Record<WindowName, number> = {
  hann: 2.0000,
  hamming: 1.8152,
  blackman: 2.2988,
  blackman_harris: 2.6664,
  nuttall: 2.6287,
  flattop: 4.5829,
  kaiser: 2.3345,
  gaussian: 2.6780,
  bartlett: 1.7718,
  parzen: 2.5513,
  bohman: 2.3779,
  barthann: 1.9407,
  rectangular: 1.2067,
};

/** The longest part that heal replaces, in seconds. */
export const HEAL_LONGEST_S = 4;

/** The limits of generated signals: levels in dBFS, tempi in beats per minute, the longest in seconds. A tone of harmonics has no more of them than `harmonics` below half the sample rate. */
export const GENERATE = { level_db: [-200, 0], bpm: [1, 1000], beats: 64, channels: 64, digits: 4096, harmonics: 131072, seconds: 86400 } as const;

/** The commands of the window: arguments and result by name, `page.verb`. */
export interface Commands {
  /** Returns everything that a window needs at startup. */
  'workspace.startup': { args: Record<string, never>; result: Startup };
  /** Ends the program. The session is already on disk. */
  'workspace.quit': { args: Record<string, never>; result: null };
  /** Lets the user choose files and opens them; empty if cancelled. */
  'workspace.open_dialog': { args: Record<string, never>; result: Opened };
  /** Opens a recently opened file. */
  'workspace.open_recent': { args: { id: number }; result: Opened };
  /** Returns recently opened files, the latest first. */
  'workspace.recent': { args: Record<string, never>; result: Array<RecentFile> };
  /** Clears the list of recent files. */
  'workspace.clear_recent': { args: Record<string, never>; result: Array<RecentFile> };
  /** Opens the demo recording, which the program synthesises. */
  'workspace.open_demo': { args: Record<string, never>; result: Opened };
  /** Closes a document; its whole state is kept. Returns the name of the document that `reopen_closed` would open. */
  'workspace.close_document': { args: { document: number }; result: string | null };
  /** Reopens the document that was closed last, with its whole state; empty if there is none. */
  'workspace.reopen_closed': { args: Record<string, never>; result: Opened };
  /** Saves a document as a project file. Lets the user choose the file if it has none, or if `choose` is set; unchanged if cancelled. */
  'workspace.save_project': { args: { document: number; choose: boolean }; result: DocumentView };
  /** Activates a document. */
  'workspace.activate_document': { args: { document: number }; result: null };
  /** Puts the tabs in this order. */
  'workspace.reorder_documents': { args: { documents: Array<number> }; result: null };
  /** Lets the user locate a missing recording. */
  'workspace.locate_source': { args: { document: number; source: number }; result: DocumentView };
  /** Shows the recording of a document in the system's file manager. */
  'workspace.show_file': { args: { document: number }; result: null };
  /** Tries again to open those recordings of a document that could not be read. */
  'workspace.retry_document': { args: { document: number }; result: DocumentView };
  /** Allows the chains of a document to read these files from now on, or removes the effects that name them. */
  'workspace.answer_files': { args: { document: number; files: Array<string>; allow: boolean }; result: DocumentView };
  /** Selects which of a document's two racks is heard and edited. This is not an undo step. */
  'editor.set_rack': { args: { document: number; rack: Rack }; result: DocumentView };
  /** Lets the user choose the file for a parameter, or the folder if the parameter accepts one. Can be undone; changes nothing if cancelled. */
  'editor.choose_argument': { args: { document: number; node: number; name: string; folder: boolean }; result: DocumentView };
  /** Edits a document. Can be undone. */
  'editor.edit': { args: { document: number; edit: Edit }; result: DocumentView };
  /** Edits the sound of a document at its selection or cursor. Can be undone. */
  'editor.edit_sound': { args: { document: number; edit: SoundEdit }; result: DocumentView };
  /** Like `edit_sound`, but also for edits that have to be rendered: mixing, edits of some channels, and pasting a copy of some channels. Rendering is a job. */
  'editor.render_sound': { args: { document: number; edit: SoundEdit }; result: DocumentView };
  /** Copies the selection. With `cut`, also deletes it, which can be undone. */
  'editor.copy_sound': { args: { document: number; cut: boolean }; result: DocumentView };
  /** Lets the user choose a recording, and inserts it at the cursor or in place of the selection. Can be undone; unchanged if cancelled. */
  'editor.insert_file': { args: { document: number }; result: DocumentView };
  /** Edits the tracks of a document. Changes of one gesture are one step. Can be undone. */
  'editor.edit_tracks': { args: { document: number; edit: TrackEdit; gesture: number | null }; result: DocumentView };
  /** Chooses the track that is edited and shown, or the sum of all. This is not an undo step. */
  'editor.choose_track': { args: { document: number; choice: TrackChoice }; result: DocumentView };
  /** Lets the user choose a folder and starts to write each track there, with the settings of the last export; null if cancelled. */
  'editor.export_stems': { args: { document: number }; result: number | null };
  /** Lets the user choose recordings and adds each as a track. Can be undone; unchanged if cancelled. */
  'editor.import_tracks': { args: { document: number }; result: DocumentView };
  /** Generates a signal into a new document. */
  'editor.generate': { args: { settings: GeneratorSettings }; result: Opened };
  /** Generates a signal and inserts it at the cursor or in place of the selection. Can be undone. */
  'editor.insert_generated': { args: { document: number; settings: GeneratorSettings }; result: DocumentView };
  /** Cancels the running generation. */
  'editor.cancel_generating': { args: Record<string, never>; result: null };
  /** Moves both ends of the selection, or the cursor, to the nearest zero crossings. */
  'editor.snap_to_zero': { args: { document: number }; result: DocumentView };
  /** Returns the clips of a document, in order. */
  'editor.clips': { args: { document: number }; result: Array<ClipView> };
  /** Returns the zero crossing nearest to each of these frames, or the frame itself if there is none within 20 ms. */
  'editor.zero_crossings': { args: { document: number; frames: Array<number> }; result: Array<number> };
  /** Returns whether the sound that was cut or copied last has only some of the channels, so that pasting renders it first; null if there is none. */
  'editor.copied_sound': { args: Record<string, never>; result: boolean | null };
  /** Returns the markers and regions of a document, ordered by start. */
  'editor.markers': { args: { document: number }; result: Array<MarkerView> };
  /** Changes the markers of a document. Can be undone. */
  'editor.edit_markers': { args: { document: number; edit: MarkerEdit }; result: DocumentView };
  /** Lets the user choose a file of markers or a recording and adds its markers. Can be undone; changes nothing if cancelled. */
  'editor.import_markers': { args: { document: number }; result: DocumentView };
  /** Lets the user choose a file and writes the markers to it, in the format of its extension. Returns the name of the file; null if cancelled. */
  'editor.export_markers': { args: { document: number }; result: string | null };
  /** Undoes the last edit. */
  'editor.undo': { args: { document: number }; result: DocumentView };
  /** Redoes the last undone edit. */
  'editor.redo': { args: { document: number }; result: DocumentView };
  /** Returns the names of the effects that match the words, best first; all effects if there are no words. */
  'editor.search_effects': { args: { words: string }; result: Array<string> };
  /** Checks whether a text is a valid chain; if not, returns the error and its position. */
  'editor.check_chain': { args: { text: string }; result: NotationError | null };
  /** Returns the magnitude responses of the chain and its nodes. */
  'editor.response': { args: { document: number; points: number; from_hz: number; to_hz: number }; result: ResponseView };
  /** Returns the cost of each node and the device on which work runs. */
  'editor.chain_report': { args: { document: number }; result: ChainReport };
  /** Selects frames or nothing; optionally also a frequency band of these frames, and the channels that edits act on, null for all. */
  'editor.set_selection': { args: { document: number; selection: FrameRange | null; band: FrequencyBand | null; channels: Array<number> | null }; result: DocumentView };
  /** Stores the visible range, the cursor position and the level zoom. */
  'editor.set_view': { args: { document: number; view: FrameRange; cursor_frame: number; level_zoom: number }; result: null };
  /** Measures peak and RMS of a range of one side. Cancels an earlier call for the same document. */
  'editor.levels': { args: { document: number; side: Side; range: FrameRange }; result: Levels };
  /** Measures the levels of a range of one side, or of a frequency band of it. Cancels an earlier call for the same document. */
  'editor.region_levels': { args: { document: number; side: Side; range: FrameRange; band: FrequencyBand | null }; result: Levels };
  /** Describes one side of a document in words and figures. Cancels an earlier call for the same document. */
  'editor.describe': { args: { document: number; side: Side }; result: Description };
  /** Cancels the description of a document. */
  'editor.cancel_describing': { args: { document: number }; result: null };
  /** Lets the user choose a file and writes the spectrogram to it; null if cancelled. */
  'editor.export_picture': { args: { document: number; side: Side; analysis: SpectrogramAnalysis; display: SpectrogramDisplay; width: number; height: number; axes: boolean; format: PictureFormat }; result: number | null };
  /** Returns the spectrum at a point of a spectrogram, and the peak nearest to that point. */
  'editor.spectrum_at': { args: { document: number; analysis: SpectrogramAnalysis; channels: LaneChannels; lane: number; side: Side; frame: number; hz: number }; result: SpectrumAt };
  /** Cancels requests for tiles that are no longer visible. */
  'editor.cancel_tiles': { args: { document: number; requests: Array<number> }; result: null };
  /** Returns spectrogram presets for particular purposes. */
  'editor.spectrogram_presets': { args: Record<string, never>; result: Array<SpectrogramPreset> };
  /** Starts or stops monitoring the sound that is heard. */
  'editor.set_monitoring': { args: { on: boolean }; result: null };
  /** Resets the analyser's peak hold, or the loudness of the sound that is heard. */
  'editor.reset_monitor': { args: { part: MonitorPart }; result: null };
  /** Cancels the loudness measurement of a document. */
  'editor.cancel_loudness': { args: { document: number }; result: null };
  /** Lets the user choose the file of an export; null if cancelled. */
  'editor.choose_export': { args: { document: number; settings: ExportSettings }; result: number | null };
  /** Starts an export to a previously chosen file, with changes of the recording's tags. */
  'editor.export': { args: { document: number; target: number; settings: ExportSettings; tags: TagEdits | null }; result: number };
  /** Returns the length and size of the file that an export would write, and the tags that it could not hold. */
  'editor.export_plan': { args: { document: number; settings: ExportSettings; tags: TagEdits }; result: ExportPlan };
  /** Starts to measure what an export would write, and cancels an earlier measurement. */
  'editor.forecast_export': { args: { document: number; settings: ExportSettings }; result: number };
  /** Returns the result of the last measurement; null before it is done. */
  'editor.export_forecast': { args: { job: number }; result: ExportForecast | null };
  /** Returns why this system cannot write a format, and what to do; null if it can. */
  'editor.encoder_problem': { args: { format: ExportFormat }; result: Failure | null };
  /** Returns the tags that an export carries over. */
  'editor.export_tags': { args: { document: number }; result: ExportTags };
  /** Lets the user choose a picture as the cover of an export. Returns its handle and the picture; null if cancelled. */
  'editor.choose_cover': { args: Record<string, never>; result: [number, CoverView] | null };
  /** Shows an exported file in the system's file manager. */
  'editor.show_exported': { args: { job: number }; result: null };
  /** Opens an exported file. */
  'editor.open_exported': { args: { job: number }; result: Opened };
  /** Returns the stored chains. */
  'editor.presets': { args: Record<string, never>; result: Array<PresetView> };
  /** Stores the chain of a document, or one node of it. */
  'editor.save_preset': { args: { document: number; node: number | null; name: string; replace: boolean }; result: Array<PresetView> };
  /** Deletes one of the user's stored chains. */
  'editor.delete_preset': { args: { name: string }; result: Array<PresetView> };
  /** Lets the user choose a preset file and stores the preset. */
  'editor.import_preset': { args: Record<string, never>; result: Array<PresetView> };
  /** Lets the user choose where to write a preset; false if cancelled. */
  'editor.export_preset': { args: { name: string }; result: boolean };
  /** Plays from a frame to another frame or to the end. */
  'playback.play': { args: { document: number; from_frame: number; until_frame: number | null }; result: TransportView };
  /** Stops playback. */
  'playback.stop': { args: Record<string, never>; result: TransportView };
  /** Moves the playhead. */
  'playback.seek': { args: { frame: number }; result: TransportView };
  /** Turns looping of the selection on or off. */
  'playback.set_loop': { args: { looping: boolean }; result: TransportView };
  /** Selects whether the original or the processed side is heard. */
  'playback.set_side': { args: { side: Side }; result: TransportView };
  /** Turns loudness matching of the two sides of a document on or off. It is measured at once, and again when the chain changes. */
  'playback.set_matched': { args: { document: number; matched: boolean }; result: TransportView };
  /** Lists the audio outputs. */
  'playback.outputs': { args: Record<string, never>; result: Array<OutputView> };
  /** Returns the state of recording and live sound. */
  'recording.view': { args: Record<string, never>; result: RecordingView };
  /** Lists the audio inputs. */
  'recording.inputs': { args: Record<string, never>; result: Array<InputView> };
  /** Opens the input that the settings name, and measures its level. */
  'recording.arm': { args: Record<string, never>; result: RecordingView };
  /** Closes the input. */
  'recording.disarm': { args: Record<string, never>; result: RecordingView };
  /** Starts a recording. When it ends, its sound is appended to a document or becomes a new one. */
  'recording.start': { args: { append: number | null }; result: RecordingView };
  /** Pauses the recording or continues it. */
  'recording.set_paused': { args: { paused: boolean }; result: RecordingView };
  /** Ends the recording and opens it. */
  'recording.stop': { args: Record<string, never>; result: RecordingEnd };
  /** Lets the user choose the folder of recordings; unchanged if cancelled. */
  'recording.choose_folder': { args: Record<string, never>; result: Settings };
  /** Makes a recording that a crash left readable as far as possible, and opens it. */
  'recording.recover': { args: { id: string }; result: Opened };
  /** Sends the input through the chain of a document to the output, muted at first. */
  'recording.start_live': { args: { document: number | null }; result: RecordingView };
  /** Ends live sound. */
  'recording.stop_live': { args: Record<string, never>; result: RecordingView };
  /** Measures the round trip of live sound, which needs a cable from the output to the input. */
  'recording.measure_round_trip': { args: Record<string, never>; result: RecordingView };
  /** Mutes or unmutes live sound. */
  'recording.set_live_muted': { args: { muted: boolean }; result: RecordingView };
  /** Returns the recordings that a crash left. */
  'recording.left': { args: Record<string, never>; result: Array<LeftRecordingView> };
  /** Forgets a recording that a crash left. Its file is kept. */
  'recording.forget': { args: { id: string }; result: Array<LeftRecordingView> };
  /** Records onto a track of a document, from the cursor or within the selection, while the other tracks play. */
  'recording.start_onto': { args: { document: number; track: TakeTrack }; result: RecordingView };
  /** Returns the recording offset of the chosen input and output. */
  'recording.offset': { args: Record<string, never>; result: OffsetView };
  /** Sets or removes this recording offset. */
  'recording.set_offset': { args: { samples: number | null }; result: OffsetView };
  /** Measures this recording offset, which needs a cable from the output to the input. */
  'recording.measure_offset': { args: Record<string, never>; result: OffsetView };
  /** Returns the batch: its inputs, settings and progress. */
  'batch.view': { args: Record<string, never>; result: BatchView };
  /** Lets the user choose files and adds them to the batch. */
  'batch.add_files': { args: Record<string, never>; result: BatchView };
  /** Lets the user choose folders and adds the recordings in them to the batch. */
  'batch.add_folders': { args: Record<string, never>; result: BatchView };
  /** Removes inputs from the batch. */
  'batch.remove': { args: { items: Array<number> }; result: BatchView };
  /** Removes all inputs from the batch. */
  'batch.clear': { args: Record<string, never>; result: BatchView };
  /** Lets the user choose the output folder; unchanged if cancelled. */
  'batch.choose_output': { args: Record<string, never>; result: BatchView };
  /** Changes the batch settings and returns the resulting output names. */
  'batch.set': { args: { settings: BatchSettings }; result: BatchView };
  /** Sets whether files dropped on the window are added to the batch. */
  'batch.take_drops': { args: { on: boolean }; result: null };
  /** Starts processing all inputs. Inputs in a list of finished files are skipped. */
  'batch.start': { args: Record<string, never>; result: BatchView };
  /** Pauses the batch when the files in progress are finished. */
  'batch.pause': { args: Record<string, never>; result: null };
  /** Resumes the batch. */
  'batch.resume': { args: Record<string, never>; result: null };
  /** Cancels the batch. Finished outputs stay; unfinished ones are removed. */
  'batch.cancel': { args: Record<string, never>; result: null };
  /** Shows an output in the system's file manager. */
  'batch.show_file': { args: { item: number }; result: null };
  /** Lets the user choose a file and writes the result of each input to it; false if cancelled. */
  'batch.save_report': { args: Record<string, never>; result: boolean };
  /** Returns the versions of the comparison, and their results. */
  'compare.view': { args: Record<string, never>; result: CompareView };
  /** Lets the user choose files and adds them as versions. The comparison starts at once. */
  'compare.add_files': { args: Record<string, never>; result: CompareView };
  /** Adds documents as they sound now, through their racks. */
  'compare.add_documents': { args: { documents: Array<number> }; result: CompareView };
  /** Removes versions from the comparison. */
  'compare.remove': { args: { versions: Array<number> }; result: CompareView };
  /** Chooses the version that the others are compared with. */
  'compare.set_reference': { args: { version: number }; result: CompareView };
  /** Starts to compare the waiting versions, and those that failed again. */
  'compare.start': { args: Record<string, never>; result: CompareView };
  /** Cancels the comparison. Finished versions keep their results. */
  'compare.cancel': { args: Record<string, never>; result: null };
  /** Sets whether versions are brought to the level of the reference before they are measured. */
  'compare.measure_at_equal_level': { args: { on: boolean }; result: CompareView };
  /** Returns a measure over time, for each version that has it. */
  'compare.curves': { args: { measure: string }; result: Array<CompareCurve> };
  /** Lets the user choose a file and starts to write the comparison to it; null if cancelled. */
  'compare.export': { args: { format: CompareFormat }; result: number | null };
  /** Sets whether files dropped on the window are added to the comparison. */
  'compare.take_drops': { args: { on: boolean }; result: null };
  /** Plays the chosen version or difference from a frame of the reference's timeline. */
  'compare.play': { args: { from_frame: number }; result: TransportView };
  /** Chooses the version or difference to play, continuing at the same position. */
  'compare.hear': { args: { sound: CompareSound }; result: CompareView };
  /** Turns loudness matching of the versions on or off. */
  'compare.set_matched': { args: { matched: boolean }; result: CompareView };
  /** Sets the gain of differences, -40 to 80 dB. */
  'compare.set_difference_gain': { args: { db: number }; result: CompareView };
  /** Cancels requests for tiles of versions that are no longer visible. */
  'compare.cancel_tiles': { args: { requests: Array<number> }; result: null };
  /** Returns the blind tests, and the trial that waits for an answer. */
  'blind.view': { args: Record<string, never>; result: BlindView };
  /** Returns the odds that a rule gives guessers and listeners. */
  'blind.odds': { args: { rule: Rule }; result: BlindOdds };
  /** Begins a blind test of versions of the comparison. */
  'blind.start': { args: { listener: string; note: string; versions: Array<number>; test: BlindTest }; result: BlindView };
  /** Continues a blind test, whose versions must be in the comparison. */
  'blind.resume': { args: { session: string }; result: BlindView };
  /** Plays the passage of the trial, repeated, from a frame of the timeline. */
  'blind.play': { args: { from_frame: number }; result: TransportView };
  /** Chooses the sound to play in the trial, continuing at the same position. */
  'blind.hear': { args: { sound: BlindSound }; result: BlindView };
  /** Answers the trial. */
  'blind.answer': { args: { said: Said }; result: BlindView };
  /** Ends the blind test early. It keeps its answers and has no result. */
  'blind.give_up': { args: Record<string, never>; result: BlindView };
  /** Leaves the blind test, which can be resumed. */
  'blind.leave': { args: Record<string, never>; result: BlindView };
  /** Returns the results of finished blind tests. */
  'blind.report': { args: { sessions: Array<string> }; result: Report };
  /** Lets the user choose a file and writes the results of blind tests to it; false if cancelled. */
  'blind.export': { args: { sessions: Array<string>; format: BlindFormat }; result: boolean };
  /** Removes a blind test. */
  'blind.remove': { args: { session: string }; result: BlindView };
  /** Returns the codec grid: recordings, settings, phase and results. */
  'codecs.view': { args: Record<string, never>; result: CodecsView };
  /** Lets the user choose recordings and adds them to the codec grid. */
  'codecs.add_files': { args: Record<string, never>; result: CodecsView };
  /** Lets the user choose folders and adds the recordings in them to the codec grid. */
  'codecs.add_folders': { args: Record<string, never>; result: CodecsView };
  /** Removes recordings from the codec grid. */
  'codecs.remove': { args: { recordings: Array<number> }; result: CodecsView };
  /** Lets the user choose the folder of the results. */
  'codecs.choose_output': { args: Record<string, never>; result: CodecsView };
  /** Changes the codecs, measures and other settings of the grid. */
  'codecs.set': { args: { settings: CodecsSettings }; result: CodecsView };
  /** Starts the codec grid. Finished results in the folder are reused. */
  'codecs.start': { args: Record<string, never>; result: CodecsView };
  /** Cancels the codec grid. Finished cells are kept. */
  'codecs.cancel': { args: Record<string, never>; result: null };
  /** Returns the results of a recording with each codec. */
  'codecs.cells': { args: { recording: number }; result: Array<CodecsCell> };
  /** Compares a recording with a codec's output for it: both become versions of the comparison. */
  'codecs.compare': { args: { recording: number; codec: string }; result: CompareView };
  /** Shows the report of the codecs in the system's file manager. */
  'codecs.show_report': { args: Record<string, never>; result: null };
  /** Returns the models that separate recordings into stems. */
  'stems.models': { args: Record<string, never>; result: Array<StemsModel> };
  /** Returns the separations that are running and waiting. */
  'stems.view': { args: Record<string, never>; result: StemsQueue };
  /** Removes a recording from the queue; if it is being separated, it is cancelled and the next one starts. */
  'stems.remove': { args: { task: number }; result: StemsQueue };
  /** Chooses the stems to play of a recording that is being separated, and plays from a frame as far as they are computed. Without a frame, nothing is played. */
  'stems.hear': { args: { task: number; stems: Array<StemKind>; from_frame: number | null }; result: TransportView };
  /** Returns what is known about a separation before it starts. */
  'stems.outlook': { args: { source: StemsSource; wish: StemsWish }; result: StemsOutlook };
  /** Starts to separate recordings, or queues them after earlier requests. The stems of each recording open as a document. */
  'stems.start': { args: { source: StemsSource; wish: StemsWish }; result: number };
  /** Returns the state of the library: folders, counts, scan, columns. */
  'library.view': { args: Record<string, never>; result: LibraryView };
  /** Lets the user choose folders, adds them and starts to scan them. */
  'library.add_folders': { args: Record<string, never>; result: LibraryView };
  /** Removes a folder and the data of its tracks from the library. No file is changed. */
  'library.remove_folder': { args: { folder: number }; result: LibraryView };
  /** Opens the library on a server with a password, which is kept until the program ends, or if `remember` is set, in the system's keyring. */
  'library.give_password': { args: { password: string; remember: boolean }; result: LibraryView };
  /** Deletes the password of the server from the system's keyring and from this program. Returns whether there was one. */
  'library.forget_password': { args: Record<string, never>; result: boolean };
  /** Lets the user choose where a folder of a library on a server is on this machine. Returns the path; null if cancelled. */
  'library.choose_place': { args: { folder: string }; result: string | null };
  /** Starts to scan the library or some of its folders. */
  'library.scan': { args: { folders: Array<number> }; result: LibraryView };
  /** Pauses the scan when the tracks in progress are finished. */
  'library.pause_scan': { args: Record<string, never>; result: null };
  /** Resumes the scan. */
  'library.resume_scan': { args: Record<string, never>; result: null };
  /** Cancels the scan. Results so far are kept. */
  'library.cancel_scan': { args: Record<string, never>; result: null };
  /** Returns rows of the table. */
  'library.tracks': { args: { query: TrackListQuery; offset: number; limit: number }; result: TrackPage };
  /** Returns the row of a track in the table; null if the track does not match the query. */
  'library.position': { args: { query: TrackListQuery; track: number }; result: number | null };
  /** Returns the IDs of all matching tracks in table order, for highlighting on the map or for a command on all of them. */
  'library.numbers': { args: { query: TrackListQuery }; result: Array<number> };
  /** Returns the rows of some tracks in the order given, without those that no longer exist. */
  'library.rows': { args: { tracks: Array<number> }; result: Array<TrackItem> };
  /** Returns completions of a query at the cursor, which is counted in UTF-16 code units. */
  'library.complete_query': { args: { text: string; cursor: number }; result: QueryCompletions };
  /** Returns everything known about a track. */
  'library.track': { args: { track: number }; result: TrackPageView };
  /** Returns a track's cover. */
  'library.cover': { args: { track: number }; result: CoverView | null };
  /** Returns the tracks that could not be analysed, with the reason. */
  'library.problems': { args: Record<string, never>; result: Array<TrackProblem> };
  /** Starts a scan that retries these tracks, or all tracks that could not be analysed. */
  'library.retry': { args: { tracks: Array<number> | null }; result: LibraryView };
  /** Returns the tracks most similar to one. Weights are by dimension; an empty map means the default weights. */
  'library.similar': { args: { like: LikeWhat; weights: { [key in string]: number }; count: number }; result: Array<SimilarItem> };
  /** Starts to search for tracks that are the same recording. */
  'library.find_duplicates': { args: Record<string, never>; result: number };
  /** Returns the result of the last search for duplicates; null before the first. */
  'library.duplicates': { args: Record<string, never>; result: DuplicatesView | null };
  /** Stores the user's decision about two tracks, or removes it. */
  'library.decide_duplicates': { args: { first: number; second: number; decision: Decision | null }; result: null };
  /** Starts to compute the map. */
  'library.make_map': { args: Record<string, never>; result: number };
  /** Starts to identify a clip; null if the user chose no file. */
  'library.identify': { args: { clip: ClipSource }; result: number | null };
  /** Returns the result of the last identification; null before the first. */
  'library.identified': { args: Record<string, never>; result: IdentifiedView | null };
  /** Moves the files of tracks to the system's bin. For each track, `copies` lists tracks of which at least one must still be on disk; an empty list requires none. */
  'library.bin': { args: { tracks: Array<number>; copies: Array<Array<number>> | null }; result: BinOutcome };
  /** Restores files that were moved to the bin, on systems where programs can do so. */
  'library.restore': { args: { tracks: Array<number> }; result: BinOutcome };
  /** Shows a track's file in the system's file manager. */
  'library.show_file': { args: { track: number }; result: null };
  /** Lets the user choose a CSV, JSON or Parquet file and writes the matching tracks to it. */
  'library.export': { args: { query: TrackListQuery }; result: ExportedTracks | null };
  /** Starts to choose the tracks of a playlist among those of a query, or some of them, at most `count`. They keep the order of the table, or with `mixed` are ordered for mixing, by tempo and key; unless all were chosen, the first one stays first then. A request that is still running is cancelled. */
  'library.make_playlist': { args: { query: TrackListQuery; tracks: Array<number> | null; choice: PlaylistChoice; count: number | null; mixed: boolean }; result: number };
  /** Returns the playlist of the last completed request. */
  'library.playlist': { args: Record<string, never>; result: PlaylistView | null };
  /** Lets the user choose a file, and starts to write these tracks to it as a playlist, with paths relative to its folder if `relative` is set. Returns null if cancelled. */
  'library.save_playlist': { args: { tracks: Array<number>; format: PlaylistFormat; relative: boolean }; result: number | null };
  /** Starts to find out which tags would be written to the tracks of a query, or some of them; `tag_run` has the result. With `only_missing`, existing values are kept. No file is changed. */
  'library.preview_tags': { args: { query: TrackListQuery; tracks: Array<number> | null; fields: Array<TagField>; only_missing: boolean }; result: number };
  /** Starts to write the changes of the preview with this number to the original files; `tag_run` has the result. A file for which the changes would now be different is left unchanged. */
  'library.write_tags': { args: { preview: number }; result: number };
  /** Starts to restore the originals of a write, the last file first; `tag_run` has the result. */
  'library.undo_tags': { args: { write: number }; result: number };
  /** Returns the last preview, write or undo of tags, with a range of its files: those with an outcome, or all. */
  'library.tag_run': { args: { outcome: TagOutcome | null; offset: number; limit: number }; result: TagRunView | null };
  /** Returns the past writes of tags, latest first. */
  'library.tag_writes': { args: Record<string, never>; result: Array<TagWriteView> };
  /** Deletes the data kept for undoing a write. Returns the remaining writes. */
  'library.forget_tags': { args: { write: number }; result: Array<TagWriteView> };
  /** Opens tracks in the editor. */
  'library.open': { args: { tracks: Array<number> }; result: Opened };
  /** Turns watching the folders for changes on or off. */
  'library.watch': { args: { on: boolean }; result: LibraryView };
  /** Plays one track of the library, or two aligned tracks of which one is heard, from a point in their common time. Track A is the original side. If no side is given, the last one heard in an audition is kept. */
  'library.audition': { args: { a: AuditionTrack; b: AuditionTrack | null; from_s: number; side: Side | null }; result: TransportView };
  /** Returns the devices, their measured speeds, and the devices in use. */
  'devices.view': { args: Record<string, never>; result: DevicesView };
  /** Measures every device again. */
  'devices.measure': { args: Record<string, never>; result: DevicesView };
  /** Starts to verify the devices: every kernel against its CPU twin and f64, whole jobs against the CPU. */
  'devices.verify': { args: Record<string, never>; result: number };
  /** Returns the last verification since the program started. */
  'devices.verification': { args: Record<string, never>; result: Array<AdapterCheck> | null };
  /** Lets the user choose a file and writes the last verification to it, as Markdown or JSON; false if cancelled. */
  'devices.save_verification': { args: Record<string, never>; result: boolean };
  /** Returns the folders of models and what is in them. Reads the folders again. */
  'models.view': { args: Record<string, never>; result: ModelsView };
  /** Lets the user choose folders in which models are looked for. */
  'models.add_folders': { args: Record<string, never>; result: ModelsView };
  /** Stops looking for models in a folder. Its files are kept. */
  'models.remove_folder': { args: { folder: number }; result: ModelsView };
  /** Confirms the licence of a kind of model, or withdraws the confirmation. */
  'models.confirm_licence': { args: { kind: ModelKind; confirmed: boolean }; result: ModelsView };
  /** Cancels a job. */
  'jobs.cancel': { args: { job: number }; result: null };
  /** Returns the jobs since the program started. */
  'jobs.view': { args: Record<string, never>; result: Array<JobView> };
  /** Returns the settings. */
  'settings.view': { args: Record<string, never>; result: Settings };
  /** Changes the settings. */
  'settings.set': { args: { settings: Settings }; result: Settings };
  /** Lets the user choose a file and writes keys of commands to it. Returns the name of the file; null if cancelled. */
  'settings.export_keys': { args: { keys: KeySettings }; result: string | null };
  /** Lets the user choose a file and reads keys of commands from it; null if cancelled. */
  'settings.import_keys': { args: Record<string, never>; result: ImportedKeys | null };
}
