// Many files through one chain: the list, the settings and the progress.

import type { BatchItem, BatchItemState, BatchSettings, BatchStatus, BatchView } from '../../bindings';
import { Ahead } from '../../lib/ahead';
import { Newest } from '../../lib/newest';
import { text } from '../../text/catalogue';
import type { App } from '../../state/app.svelte';
import { failureOf } from '../../state/notices.svelte';
import { ExportChoice } from '../../state/export-choice.svelte';

export type BatchCounts = Record<BatchItemState, number>;

export class Batch {
  items: BatchItem[] = $state.raw([]);
  status: BatchStatus | null = $state.raw(null);
  settings: BatchSettings | null = $state.raw(null);
  /** The format that is being chosen. */
  choice: ExportChoice | null = $state.raw(null);
  /** The reason why there is no list. */
  failure: string | null = $state(null);
  /** The current row, and where a range begins that Shift extends. */
  index: number | null = $state(null);
  private anchor: number | null = $state(null);
  /** Where each input stands in the list. */
  private places = new Map<number, number>();
  private readonly states = new Newest();
  private readonly ahead = new Ahead((isLast) => this.send(isLast));

  readonly running = $derived(this.status?.phase === 'running' || this.status?.phase === 'paused');
  readonly counts: BatchCounts = $derived.by(() => {
    const counts: BatchCounts = { waiting: 0, running: 0, done: 0, skipped: 0, failed: 0 };
    for (const item of this.items) counts[item.state]++;
    return counts;
  });
  readonly existing = $derived(this.items.filter((item) => item.exists && item.state === 'waiting').length);
  readonly failed: BatchItem[] = $derived(this.items.filter((item) => item.state === 'failed'));
  readonly current: BatchItem | null = $derived.by(() => (this.index === null ? null : (this.items[this.index] ?? null)));
  readonly job = $derived.by(() => (this.running ? (this.app.jobs.all.find((job) => job.id === this.status?.job) ?? null) : null));
  /** The chain that the files go through, as text. */
  readonly chain: string = $derived.by(() => (this.settings?.chain.kind === 'rack' && !this.running ? (this.app.documents.active?.data.chain_text ?? '') : (this.status?.chain ?? '')));
  /** The reason why it cannot start; null if it can. */
  readonly obstacle: string | null = $derived.by(() => {
    const t = text.batch.obstacles;
    if (this.items.length === 0) return t.noInputs;
    if (this.status?.output == null) return t.noOutput;
    if (this.status.template_problem !== null) return t.template;
    if (this.settings?.chain.kind === 'rack') return this.app.documents.active === null ? t.noRack : null;
    return this.status.chain_problem;
  });

  constructor(private readonly app: App) {}

  async load(): Promise<void> {
    this.failure = await failureOf(async () => this.take(await this.app.backend.call('batch.view', {})));
  }

  /** Takes a full view, unless items have changed since: then requests it again. */
  take(view: BatchView): void {
    if (!this.states.isNews(view.status.moment)) return void this.load();
    this.items = view.items;
    this.status = view.status;
    this.settings = view.settings;
    this.choice ??= new ExportChoice(view.settings.export, () => this.app.exportFormats, view.settings.own_bits);
    this.places = new Map(view.items.map((item, at) => [item.id, at]));
    if (this.index !== null) this.index = view.items.length === 0 ? null : Math.min(this.index, view.items.length - 1);
    if (this.anchor !== null && this.anchor >= view.items.length) this.anchor = this.index;
  }

  /** Takes over what changed. */
  takeItems(items: BatchItem[], status: BatchStatus): void {
    const before = this.status?.phase;
    if (this.settings === null || !this.states.isNews(status.moment)) return;
    const next = [...this.items];
    for (const item of items) {
      const at = this.places.get(item.id);
      if (at !== undefined) next[at] = item;
    }
    this.items = next;
    this.status = status;
    const ended = (before === 'running' || before === 'paused') && (status.phase === 'finished' || status.phase === 'cancelled');
    if (ended && this.app.page !== 'batch') this.tellEnd();
  }

  private tellEnd(): void {
    const { done, skipped, failed } = this.counts;
    const failure = this.status?.failure?.message;
    this.app.notices.tell(failed > 0 || failure != null ? 'warning' : 'info', failure ?? text.batch.ended(done, skipped, failed), 'batch');
  }

  /** Changes the settings; the core gets them once they have settled, and answers with the resulting names. */
  set(change: Partial<BatchSettings>): void {
    if (this.settings === null || this.running) return;
    this.settings = { ...this.settings, ...change };
    this.ahead.changed();
  }

  private async send(isLast: () => boolean): Promise<void> {
    const { settings } = this;
    if (settings === null) return;
    await this.app.notices.attempt(async () => {
      const view = await this.app.backend.call('batch.set', { settings });
      if (isLast()) this.take({ ...view, settings: this.settings ?? view.settings });
    });
  }

  private async change(name: 'batch.add_files' | 'batch.add_folders' | 'batch.clear' | 'batch.choose_output' | 'batch.start'): Promise<void> {
    await this.ahead.flush();
    await this.app.notices.attempt(async () => this.take(await this.app.backend.call(name, {})));
  }

  addFiles = (): Promise<void> => this.change('batch.add_files');
  addFolders = (): Promise<void> => this.change('batch.add_folders');
  chooseOutput = (): Promise<void> => this.change('batch.choose_output');
  clear = (): Promise<void> => this.change('batch.clear');

  async start(): Promise<void> {
    if (this.obstacle !== null || this.running) return;
    // The rack is what the core has of it.
    await this.app.documents.active?.edits.idle();
    this.app.notices.end('batch');
    await this.change('batch.start');
  }

  async remove(): Promise<void> {
    const items = this.chosen.map((item) => item.id);
    if (items.length === 0 || this.running) return;
    const first = this.range?.[0] ?? 0;
    await this.app.notices.attempt(async () => this.take(await this.app.backend.call('batch.remove', { items })));
    this.index = this.anchor = this.items.length === 0 ? null : Math.min(first, this.items.length - 1);
  }

  async steer(name: 'batch.pause' | 'batch.resume' | 'batch.cancel'): Promise<void> {
    await this.app.notices.attempt(() => this.app.backend.call(name, {}));
  }

  async show(item: BatchItem): Promise<void> {
    await this.app.notices.attempt(() => this.app.backend.call('batch.show_file', { item: item.id }));
  }

  async saveReport(): Promise<void> {
    await this.app.notices.attempt(() => this.app.backend.call('batch.save_report', {}));
  }

  async copyFailures(): Promise<void> {
    const lines = this.failed.map((item) => `${item.folder}/${item.name}\t${item.failure?.message ?? ''}`);
    try {
      await navigator.clipboard.writeText(lines.join('\n'));
      this.app.notices.tell('info', text.batch.copied(lines.length));
    } catch {
      this.app.notices.tell('error', text.library.table.notCopied);
    }
  }

  /** The first and last chosen row. */
  get range(): [number, number] | null {
    if (this.index === null) return null;
    const anchor = this.anchor ?? this.index;
    return [Math.min(anchor, this.index), Math.max(anchor, this.index)];
  }

  get chosen(): BatchItem[] {
    const { range } = this;
    return range === null ? [] : this.items.slice(range[0], range[1] + 1);
  }

  isChosen(index: number): boolean {
    const { range } = this;
    return range !== null && index >= range[0] && index <= range[1];
  }

  /** Makes a row the current one; with `extend` those from the last one to it are chosen too. */
  moveTo(index: number, extend: boolean): void {
    if (this.items.length === 0) return;
    this.index = Math.max(0, Math.min(this.items.length - 1, index));
    if (!extend || this.anchor === null) this.anchor = this.index;
  }

  chooseAll(): void {
    this.anchor = 0;
    this.index = this.items.length - 1;
  }
}
