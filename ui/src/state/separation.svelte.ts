// The dialog that separates recordings into stems: the recordings, the choices and the forecast. Then the separation
// itself: the running and waiting recordings, and playback of the stems finished so far.

import type { Failure, StemsModel, StemsOutlook, StemsQueue, StemsRunning, StemsSource, StemsWish, StemKind } from '../bindings';
import { latestOnly } from '../lib/coalesce';
import { Newest } from '../lib/newest';
import type { App } from './app.svelte';
import { failureMessage } from './notices.svelte';

/** The most recordings that are separated at once, as the core allows. */
export const MOST_RECORDINGS = 64;

/** So much of the stems must be there behind the position to play from it, in seconds; a little more than the core asks for. */
const LEAST_S = 0.25;

export class Separation {
  queue: StemsQueue = $state.raw({ moment: 0, running: null, beside: [], waiting: [] });
  /** The stems that are not heard of the recording that is being separated. */
  private silenced: { task: number; stems: StemKind[] } = $state.raw({ task: 0, stems: [] });
  /** The frame to listen from, once one was chosen. */
  private chosenFrame: { task: number; frame: number } | null = $state.raw(null);
  source: StemsSource | null = $state.raw(null);
  models: StemsModel[] = $state.raw([]);
  wish: StemsWish = $state.raw({ model: 'quick', stems: [], residual: 'left_out', quality: null });
  outlook: StemsOutlook | null = $state.raw(null);
  /** The reason why there is no forecast, or why the separation could not start. */
  failure: string | null = $state(null);
  busy = $state(false);
  private readonly queues = new Newest();
  private readonly ask: (wanted: { source: StemsSource; wish: StemsWish }) => void;

  constructor(private readonly app: App) {
    this.ask = latestOnly(
      (wanted) => this.looked(wanted),
      (outlook) => (this.outlook = outlook),
    );
  }

  /** The transport, while it has the recording that is being separated. */
  private readonly loaded = $derived.by(() => {
    const { transport } = this.app.player;
    return transport?.stems && transport.stems.task === this.queue.running?.task ? transport : null;
  });
  /** Whether it plays. */
  readonly plays: boolean = $derived(this.loaded?.playing ?? false);
  /** Whether it stopped where the stems end so far. */
  readonly held: boolean = $derived(this.loaded?.stems?.held ?? false);
  /** The frame that is heard, or that would be. */
  readonly position: number = $derived.by(() => {
    if (this.plays) return this.loaded!.frame;
    if (this.chosenFrame?.task === this.queue.running?.task) return this.chosenFrame?.frame ?? 0;
    return this.loaded?.frame ?? 0;
  });
  /** Whether enough is there to listen from the position. */
  readonly canListen: boolean = $derived.by(() => {
    const { running } = this.queue;
    return running !== null && (running.settled_frames === running.frames || running.settled_frames >= this.position + LEAST_S * running.rate);
  });

  readonly model: StemsModel | null = $derived(this.models.find((model) => model.id === this.wish.model) ?? null);
  /** The set of stems that is split into. */
  readonly set: StemKind[] = $derived(this.setWith(this.wish.stems[0]));

  /** Whether all stems of the set are wanted. */
  readonly wantsAll: boolean = $derived(this.wish.stems.length === this.set.length);

  /** Opens the dialog about these recordings, with what was wanted last. */
  async open(source: StemsSource): Promise<void> {
    this.source = source;
    this.outlook = null;
    this.failure = null;
    this.wish = this.app.settings.now.stems.wish;
    this.app.dialogs.open = 'separate';
    await this.app.notices.attempt(async () => (this.models = await this.app.backend.call('stems.models', {})));
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
    const stems = set.filter((each) => (each === stem ? on : wish.stems.includes(each)));
    // The residual of only some stems cannot be spread.
    const residual = wish.residual === 'spread' && stems.length < set.length ? 'left_out' : wish.residual;
    this.want({ stems, residual });
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
      await this.app.settings.whileWritten(() => this.app.backend.call('stems.start', { source, wish }));
      return true;
    } catch (reason) {
      if ((reason as Partial<Failure> | null)?.code !== 'cancelled') this.failure = failureMessage(reason);
      return false;
    } finally {
      this.busy = false;
    }
  }

  take(queue: StemsQueue): void {
    if (this.queues.isNews(queue.moment)) this.queue = queue;
  }

  /** Whether a stem of the recording that is being separated is heard. */
  hears(stem: StemKind): boolean {
    return this.silenced.task !== this.queue.running?.task || !this.silenced.stems.includes(stem);
  }

  /** Hears a stem or not, at the same moment. */
  async hear(stem: StemKind, on: boolean): Promise<void> {
    const { running } = this.queue;
    if (!running) return;
    const stems = running.stems.filter((each) => (each === stem ? !on : !this.hears(each)));
    this.silenced = { task: running.task, stems };
    await this.app.player.hearStems(running.task, this.heardOf(running), null);
  }

  /** Plays what is there from the position, or stops. */
  async listen(): Promise<void> {
    const { running, position } = this;
    if (!running) return;
    if (this.plays) return this.app.player.stop();
    await this.app.player.hearStems(running.task, this.heardOf(running), Math.round(position));
    this.chosenFrame = null;
  }

  /** Goes to a frame, as far as the stems are there, and says to which. */
  async go(frame: number, went: (frame: number) => void): Promise<void> {
    const { running } = this;
    if (!running) return;
    const end = running.settled_frames === running.frames ? running.frames : Math.max(0, running.settled_frames - LEAST_S * running.rate);
    const to = Math.round(Math.min(frame, end));
    went(to);
    if (this.plays) return this.app.player.seekLoaded(to);
    this.chosenFrame = { task: running.task, frame: to };
  }

  /** Leaves one that waits out; the one that is being separated is cancelled, and the next one begins. */
  async drop(task: number): Promise<void> {
    await this.app.notices.attempt(async () => this.take(await this.app.backend.call('stems.remove', { task })));
  }

  private get running(): StemsRunning | null {
    return this.queue.running;
  }

  private heardOf(running: StemsRunning): StemKind[] {
    return running.stems.filter((stem) => this.hears(stem));
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
      const outlook = await this.app.backend.call('stems.outlook', wanted);
      this.failure = null;
      return outlook;
    } catch (reason) {
      this.failure = failureMessage(reason);
      return null;
    }
  }
}
