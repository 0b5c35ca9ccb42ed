// Recording and live sound: what the core tells of them, and what the user asks of it.

import type { Backend } from '../backend';
import type { LeftRecordingView, LiveRecords, LiveStatus, OntoEnd, OntoView, RecorderStatus, RecordingEnd, RecordingView, TakeTrack } from '../bindings';
import type { RecordedPeaks } from '../draw/recorded';
import { Newest } from '../lib/newest';
import { compact } from '../lib/quantity';
import { shortTime } from '../lib/time';
import { text } from '../text/catalogue';
import { said } from '../text/core-words';
import type { DocumentState } from './document.svelte';
import type { Documents } from './documents.svelte';
import type { Notices } from './notices.svelte';
import type { SettingsStore } from './settings.svelte';

/** The levels of a recording that are kept for its picture: a minute at 15 a second. */
const MAX_LEVELS = 900;
/** The most reports of a recording that are kept, each as long as all others: half an hour at 15 a second, then half as many. */
const MAX_REPORTS = 32_768;

export class Recording {
  private view: RecordingView | null = $state.raw(null);
  /** Recordings that a crash left. */
  left: LeftRecordingView[] = $state.raw([]);
  settingsOpen = $state(false);
  measuring = $state(false);
  /** The peaks since the recording began, one for each report. */
  levels: number[] = [];
  /** The peaks of all that was recorded. */
  reports: RecordedPeaks[] = [];
  private ending = false;
  private readonly views = new Newest();

  readonly recorder: RecorderStatus | null = $derived(this.view?.recorder ?? null);
  readonly live: LiveStatus | null = $derived(this.view?.live ?? null);
  readonly liveProblem: string | null = $derived(this.view?.live_problem ?? null);
  /** Which live sound is recorded; null for the input alone. */
  readonly ofLive: LiveRecords | null = $derived(this.view?.of_live ?? null);
  /** The track that is recorded onto; null for another recording. */
  readonly onto: OntoView | null = $derived(this.view?.onto ?? null);
  readonly appendsTo: number | null = $derived(this.view?.appends_to ?? null);
  /** Whether a recording has begun and not ended. */
  readonly records: boolean = $derived(this.recorder !== null && this.recorder.state !== 'armed');

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
    private readonly documents: Documents,
    private readonly settings: SettingsStore,
  ) {}

  take(view: RecordingView): void {
    if (!this.views.isNews(view.moment)) return;
    const state = view.recorder?.state;
    if (state === 'recording') {
      const peaks = view.recorder?.channels.map((channel) => channel.peak) ?? [];
      this.levels.push(Math.max(0, ...peaks));
      if (this.levels.length > MAX_LEVELS) this.levels.splice(0, this.levels.length - MAX_LEVELS);
      this.grow({ until_s: view.recorder?.recorded_s ?? 0, peaks });
    }
    this.view = view;
    const problem = view.live?.problem;
    if (problem) {
      this.notices.tell('error', said(problem), 'live');
      void this.endLive();
    }
    // It has its length, or something has ended it.
    if (state === 'ended') void this.stop();
  }

  async arm(): Promise<void> {
    await this.ask(() => this.backend.call('recording.arm', {}));
  }

  async disarm(): Promise<void> {
    await this.ask(() => this.backend.call('recording.disarm', {}));
  }

  /** Opens the input again after a choice, if it is open and records nothing. */
  async rearm(): Promise<void> {
    if (this.recorder?.state === 'armed') await this.arm();
  }

  /** Records into a new document, or at the end of an open one. */
  async start(append: number | null): Promise<void> {
    this.levels = [];
    this.reports = [];
    await this.ask(() => this.backend.call('recording.start', { append }));
  }

  /** Records onto a track of a document while the others play. */
  async startOnto(document: DocumentState, track: TakeTrack): Promise<void> {
    this.levels = [];
    this.reports = [];
    // The core goes by the cursor and the selection that it knows of.
    await document.placed();
    await this.ask(() => this.backend.call('recording.start_onto', { document: document.id, track }));
  }

  async pause(paused: boolean): Promise<void> {
    await this.ask(() => this.backend.call('recording.set_paused', { paused }));
  }

  async stop(): Promise<void> {
    if (this.ending) return;
    this.ending = true;
    const end = await this.notices.attempt(() => this.backend.call('recording.stop', {}));
    this.ending = false;
    this.view = await this.backend.call('recording.view', {});
    if (end) this.takeEnd(end);
  }

  private takeEnd(end: RecordingEnd): void {
    this.documents.take(end.opened);
    if (end.appended) {
      this.documents.find(end.appended.id)?.adopt(end.appended);
      this.documents.activate(end.appended.id);
    }
    if (end.onto) this.tellOnto(end.onto);
    if (end.problem !== null) {
      const problem = said(end.problem);
      this.notices.tell('error', end.recorded_s > 0 ? text.recording.ended(shortTime(end.recorded_s, 1), problem) : problem);
    } else if (end.losses > 0) this.notices.tell('warning', text.recording.lost(end.losses));
    else if (end.recorded_s === 0 && !end.onto) this.notices.tell('info', text.recording.nothing);
  }

  private tellOnto(end: OntoEnd): void {
    const t = text.recording.overdub;
    if (end.problem !== null) this.notices.tell('error', t.alone(said(end.problem)));
    else if (end.placed_s === 0) this.notices.tell('info', t.nothing(end.file));
    else if (!end.is_aligned) this.notices.tell('warning', t.unaligned);
    else if (end.underruns > 0) this.notices.tell('warning', t.underruns(end.underruns));
    else if (end.drift_ms !== 0) this.notices.tell('info', t.drift(compact(Math.abs(end.drift_ms), 2)));
  }

  async startLive(document: number | null): Promise<void> {
    await this.ask(() => this.backend.call('recording.start_live', { document }), 'live');
  }

  /** Ends live sound that has failed; what is recorded of it ends before it. */
  private async endLive(): Promise<void> {
    if (this.ofLive !== null) await this.stop();
    await this.stopLive();
  }

  /** Keeps the peaks of a report. Of a long recording two become one, so that their number stays bounded. */
  private grow(report: RecordedPeaks): void {
    this.reports.push(report);
    if (this.reports.length < MAX_REPORTS) return;
    this.reports = this.reports.filter((_, at) => at % 2 === 1).map((later, at) => ({ ...later, peaks: later.peaks.map((peak, channel) => Math.max(peak, this.reports[2 * at]?.peaks[channel] ?? 0)) }));
  }

  async stopLive(): Promise<void> {
    await this.ask(() => this.backend.call('recording.stop_live', {}));
  }

  /** Measures the round trip, which needs a cable. */
  async measure(): Promise<void> {
    this.measuring = true;
    await this.ask(() => this.backend.call('recording.measure_round_trip', {}), 'round trip');
    this.measuring = false;
  }

  async muteLive(muted: boolean): Promise<void> {
    await this.ask(() => this.backend.call('recording.set_live_muted', { muted }));
  }

  async chooseFolder(): Promise<void> {
    await this.notices.attempt(async () => this.settings.take(await this.backend.call('recording.choose_folder', {})));
  }

  /** Opens what a crash left. */
  async recover(id: string): Promise<void> {
    const opened = await this.notices.attempt(() => this.backend.call('recording.recover', { id }));
    if (!opened) return;
    this.left = this.left.filter((each) => each.id !== id);
    this.documents.take(opened);
  }

  async forget(id: string): Promise<void> {
    const left = await this.notices.attempt(() => this.backend.call('recording.forget', { id }));
    if (left) this.left = left;
  }

  private async ask(call: () => Promise<RecordingView>, about: string | null = null): Promise<void> {
    const view = await this.notices.attempt(call, about);
    if (view) this.take(view);
  }
}
