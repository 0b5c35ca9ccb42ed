// What the dialog that separates recordings into stems is about: the recordings, what is wanted, and what is known before.

import type { Failure, StemsModel, StemsOutlook, StemsSource, StemsWish, StemKind } from '../bindings';
import { latestOnly } from '../lib/coalesce';
import type { App } from './app.svelte';
import { failureMessage } from './notices.svelte';

/** The most recordings that are separated at once, as the core allows. */
export const MOST_RECORDINGS = 64;

export class Separation {
  source: StemsSource | null = $state.raw(null);
  models: StemsModel[] = $state.raw([]);
  wish: StemsWish = $state.raw({ model: 'quick', stems: [], residual: false, quality: null });
  outlook: StemsOutlook | null = $state.raw(null);
  /** Why nothing is known before, or why it could not be started. */
  failure: string | null = $state(null);
  busy = $state(false);
  private readonly ask: (wanted: { source: StemsSource; wish: StemsWish }) => void;

  constructor(private readonly app: App) {
    this.ask = latestOnly(
      (wanted) => this.looked(wanted),
      (outlook) => (this.outlook = outlook),
    );
  }

  readonly model: StemsModel | null = $derived(this.models.find((model) => model.id === this.wish.model) ?? null);
  /** The set of stems that is split into. */
  readonly set: StemKind[] = $derived(this.setWith(this.wish.stems[0]));

  /** Opens the dialog about these recordings, with what was wanted last. */
  async open(source: StemsSource): Promise<void> {
    this.source = source;
    this.outlook = null;
    this.failure = null;
    this.wish = this.app.settings.now.stems.wish;
    this.app.dialogs.open = 'separate';
    await this.app.notices.attempt(async () => (this.models = await this.app.backend.call('stems_models', {})));
    // A model that is gone since gives way to the first.
    if (this.model === null && this.models[0]) this.choose(this.models[0].id);
    else this.look();
  }

  choose(model: string): void {
    const set = this.models.find((each) => each.id === model)?.sets[0] ?? [];
    this.want({ model, stems: set, quality: null });
  }

  chooseSet(first: StemKind): void {
    this.want({ stems: this.setWith(first) });
  }

  /** Wants a stem or not; their order stays that of the set. */
  toggle(stem: StemKind, on: boolean): void {
    const { set, wish } = this;
    this.want({ stems: set.filter((each) => (each === stem ? on : wish.stems.includes(each))) });
  }

  want(change: Partial<StemsWish>): void {
    const { set } = this;
    this.wish = { ...this.wish, ...change };
    // Without any stem the set is that of before, so that one can be chosen again.
    if (this.wish.stems.length === 0) this.emptied = set;
    this.look();
  }

  /** Starts, or lets the recordings wait. Returns whether it could. */
  async start(): Promise<boolean> {
    const { source, wish } = this;
    if (!source || this.busy) return false;
    this.busy = true;
    this.failure = null;
    try {
      await this.app.documents.active?.edits.idle();
      await this.app.settings.whileWritten(() => this.app.backend.call('start_stems', { source, wish }));
      return true;
    } catch (reason) {
      if ((reason as Partial<Failure> | null)?.code !== 'cancelled') this.failure = failureMessage(reason);
      return false;
    } finally {
      this.busy = false;
    }
  }

  private emptied: StemKind[] = $state.raw([]);

  private setWith(stem: StemKind | undefined): StemKind[] {
    if (stem === undefined) return this.emptied;
    return this.model?.sets.find((set) => set.includes(stem)) ?? [];
  }

  private look(): void {
    const { source, wish } = this;
    if (source && wish.stems.length > 0) this.ask({ source, wish });
  }

  private async looked(wanted: { source: StemsSource; wish: StemsWish }): Promise<StemsOutlook | null> {
    try {
      const outlook = await this.app.backend.call('stems_outlook', wanted);
      this.failure = null;
      return outlook;
    } catch (reason) {
      this.failure = failureMessage(reason);
      return null;
    }
  }
}
