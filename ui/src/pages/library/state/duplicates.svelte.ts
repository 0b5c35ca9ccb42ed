// Duplicates: finding them, what the user decides about them, and what goes to the bin.

import type { Backend } from '../../../backend';
import type { Decision, DuplicateItem, DuplicatesView } from '../../../bindings';
import { cleared, planOf, restMarked, ruleMarked, stillMarked, sumOf, toggled, without, type DuplicateGroup, type Marks, type Rule } from '../lib/clean-up';
import { failureMessage } from '../../../state/notices.svelte';
import type { BinEntry } from './bin.svelte';

export class Duplicates {
  private whole: DuplicatesView | null = $state.raw(null);
  /** Tracks that were moved to the bin since. */
  private gone: ReadonlySet<number> = $state.raw(new Set());
  loading = $state(false);
  /** Whether the library has changed since it was last asked whether this is still the answer. */
  doubted = $state(false);
  failure: string | null = $state(null);
  marks: Marks = $state.raw(new Set());

  readonly found: DuplicatesView | null = $derived(this.whole && without(this.whole, this.gone));
  readonly groups: DuplicateGroup[] = $derived(this.found?.groups ?? []);
  readonly sum = $derived(sumOf(this.groups, this.marks));
  /** The marked copies, for the bin. */
  readonly entries: BinEntry[] = $derived(planOf(this.groups, this.marks).map(({ go, stay }) => ({ go: go.map((item) => item.track), stay: stay.map((item) => item.track) })));

  constructor(
    private readonly backend: Backend,
    private readonly attempt: <T>(action: () => Promise<T>) => Promise<T | null>,
  ) {}

  /** Reads what the last search found. */
  async load(): Promise<void> {
    this.loading = this.whole === null;
    try {
      this.whole = await this.backend.call('library.duplicates', {});
      this.doubted = false;
      this.marks = stillMarked(this.groups, this.marks);
      this.failure = null;
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
    this.loading = false;
  }

  /** Asks whether the answer is still true. Neither groups nor marks change under the user's hand: only a new search does that. */
  async check(): Promise<void> {
    this.doubted = false;
    if (!this.whole || this.whole.outdated) return;
    const asked = this.whole;
    const now = await this.backend.call('library.duplicates', {}).catch(() => null);
    // Not known for now: the next change asks again.
    if (now && this.whole === asked) this.whole = { ...asked, outdated: now.outdated };
  }

  find(): Promise<unknown> {
    return this.attempt(() => this.backend.call('library.find_duplicates', {}));
  }

  toggle(group: DuplicateGroup, track: number): void {
    this.marks = toggled(group, this.marks, track);
  }

  keepBest(group: DuplicateGroup): void {
    this.marks = restMarked(group, this.marks);
  }

  unmark(group: DuplicateGroup): void {
    this.marks = cleared(group, this.marks);
  }

  markBy(rule: Rule): void {
    this.marks = ruleMarked(this.groups, this.marks, rule);
  }

  unmarkAll(): void {
    this.marks = new Set();
  }

  /** Keeps a decision about a copy and the best one, or takes it back. What is not the same is marked for nothing. */
  async decide(group: DuplicateGroup, item: DuplicateItem, decision: Decision | null): Promise<void> {
    const best = group[0];
    if (!best || best === item) return;
    const kept = await this.attempt(async () => {
      await this.backend.call('library.decide_duplicates', { first: best.track.id, second: item.track.id, decision });
      return true;
    });
    if (!kept || !this.whole) return;
    const changed = (each: DuplicateItem): DuplicateItem => (each.track.id === item.track.id ? { ...each, decision } : each);
    this.whole = { ...this.whole, groups: this.whole.groups.map((each) => (each.some((member) => member.track.id === item.track.id) ? each.map(changed) : each)) };
    const marks = new Set(this.marks);
    marks.delete(item.track.id);
    this.marks = stillMarked(this.groups, marks);
  }

  /** Tracks that went to the bin are no copies any more. */
  take(gone: readonly number[]): void {
    this.gone = new Set([...this.gone, ...gone]);
    this.marks = stillMarked(this.groups, this.marks);
  }

  putBack(tracks: readonly number[]): void {
    const back = new Set(tracks);
    this.gone = new Set([...this.gone].filter((track) => !back.has(track)));
  }
}
