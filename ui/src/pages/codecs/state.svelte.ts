// Recordings through codecs: the grid, its settings, progress and results.

import type { CodecsCell, CodecsRow, CodecsSettings, CodecsView, JobView, Measure } from '../../bindings';
import { Ahead } from '../../lib/ahead';
import { text } from '../../text/catalogue';
import { said } from '../../text/core-words';
import type { App } from '../../state/app.svelte';
import { failureOf } from '../../state/notices.svelte';

export class Codecs {
  view: CodecsView | null = $state.raw(null);
  /** The settings as they are on the screen, ahead of the core's. */
  settings: CodecsSettings | null = $state.raw(null);
  /** The reason why there is no grid. */
  failure: string | null = $state(null);
  /** The measure of the plot, and whose figures the table has: all, a category, or a recording. */
  measure: string | null = $state(null);
  /** The category whose figures are shown; all if null. */
  category: string | null = $state(null);
  /** The recording whose cells are shown; none if null. */
  recording: number | null = $state(null);
  cells: CodecsCell[] = $state.raw([]);

  private readonly ahead = new Ahead((isLast) => this.send(isLast));

  readonly running = $derived(this.view?.phase === 'running');
  readonly job: JobView | null = $derived.by(() => (this.running ? (this.app.jobs.all.find((job) => job.id === this.view?.job) ?? null) : null));
  readonly measures: Measure[] = $derived(this.view?.results?.measures ?? []);
  /** Where the plot's measure stands among those of the results. */
  readonly place: number = $derived(Math.max(0, this.measures.findIndex((measure) => measure.name === this.measure)));
  readonly rows: CodecsRow[] = $derived.by(() => {
    const results = this.view?.results;
    if (!results) return [];
    return results.categories.find(([name]) => name === this.category)?.[1] ?? results.overall;
  });
  /** The reason why it cannot start; null if it can. */
  readonly obstacle: string | null = $derived.by(() => {
    const t = text.codecs.obstacles;
    const { view } = this;
    if (view === null || view.recordings.length === 0) return t.noRecordings;
    if (view.problem !== null || view.codecs.length === 0) return t.codecs;
    if (view.licence_problem !== null) return said(view.licence_problem);
    if (view.settings.measures.length === 0) return t.noMeasures;
    return view.output === null ? t.noOutput : null;
  });

  constructor(private readonly app: App) {}

  async load(): Promise<void> {
    this.failure = await failureOf(async () => this.take(await this.app.backend.call('codecs.view', {})));
  }

  private take(view: CodecsView): void {
    this.view = view;
    this.settings = view.settings;
    if (this.recording !== null && !view.results) this.showRecording(null);
  }

  /** Takes the news that a run has ended. */
  takeJob(job: JobView): void {
    if (job.purpose === 'codecs' && job.state !== 'running' && job.id === this.view?.job) void this.load();
  }

  /** Changes the settings; the core gets them once they have settled. */
  set(change: Partial<CodecsSettings>): void {
    if (this.settings === null || this.running) return;
    this.settings = { ...this.settings, ...change };
    this.ahead.changed();
  }

  private async send(isLast: () => boolean): Promise<void> {
    const { settings } = this;
    if (settings === null) return;
    await this.app.notices.attempt(async () => {
      const view = await this.app.backend.call('codecs.set', { settings });
      if (isLast()) this.take({ ...view, settings: this.settings ?? view.settings });
    });
  }

  private async change(call: () => Promise<CodecsView>): Promise<void> {
    await this.ahead.flush();
    await this.app.notices.attempt(async () => this.take(await call()));
  }

  addFiles = (): Promise<void> => this.change(() => this.app.backend.call('codecs.add_files', {}));
  addFolders = (): Promise<void> => this.change(() => this.app.backend.call('codecs.add_folders', {}));
  chooseOutput = (): Promise<void> => this.change(() => this.app.backend.call('codecs.choose_output', {}));
  start = (): Promise<void> => this.change(() => this.app.backend.call('codecs.start', {}));

  remove(recordings: number[]): Promise<void> {
    return this.change(() => this.app.backend.call('codecs.remove', { recordings }));
  }

  cancel(): Promise<unknown> {
    return this.app.notices.attempt(() => this.app.backend.call('codecs.cancel', {}));
  }

  showReport(): Promise<unknown> {
    return this.app.notices.attempt(() => this.app.backend.call('codecs.show_report', {}));
  }

  /** Shows the cells of a recording, or no longer. */
  showRecording(recording: number | null): void {
    this.recording = recording;
    this.cells = [];
    if (recording === null) return;
    void this.app.notices.attempt(async () => {
      const cells = await this.app.backend.call('codecs.cells', { recording });
      if (this.recording === recording) this.cells = cells;
    });
  }

  open(recording: number, codec: string): Promise<unknown> {
    return this.app.notices.attempt(async () => {
      this.app.compare.take(await this.app.backend.call('codecs.compare', { recording, codec }));
      this.app.showPage('compare');
    });
  }
}
