// The list of duplicates as it is gone through: heads and copies below each other, which copy is the current one.

import { tick } from 'svelte';
import type { DuplicateItem } from '../../../bindings';
import type { DuplicateGroup } from '../lib/clean-up';
import { scrolledTo, seen, stacked } from '../lib/stack';
import type { Audition } from './audition.svelte';
import type { Duplicates } from './duplicates.svelte';

export interface CopyRow {
  group: DuplicateGroup;
  /** The group's number. */
  number: number;
  /** None for the group's head. */
  item: DuplicateItem | null;
}

export const HEAD_PX = 36;
export const COPY_PX = 72;

export class CopyList {
  /** The element that scrolls; none while the list is not shown. */
  element: HTMLElement | null = null;
  top = $state(0);
  height = $state(600);
  private at = $state(1);

  readonly rows: CopyRow[] = $derived.by(() => this.duplicates.groups.flatMap((group, number) => [{ group, number, item: null }, ...group.map((item) => ({ group, number, item }))]));
  readonly stack = $derived.by(() => stacked(this.rows.map((row) => (row.item ? COPY_PX : HEAD_PX)), this.rows.length));
  readonly visible = $derived.by(() => seen(this.stack, this.top, this.height));
  /** The row that the Tab key comes to. */
  readonly current: number = $derived.by(() => Math.min(Math.max(1, this.at), this.rows.length - 1));
  readonly here: { group: DuplicateGroup; item: DuplicateItem } | null = $derived.by(() => {
    const row = this.rows[this.current];
    return row?.item ? { group: row.group, item: row.item } : null;
  });

  constructor(
    private readonly duplicates: Duplicates,
    private readonly audition: Audition,
  ) {}

  get tracksHere(): number[] {
    return this.here ? [this.here.item.track.id] : [];
  }

  /** The copy that has the focus. */
  came(index: number): void {
    this.at = index;
  }

  async move(key: string): Promise<void> {
    const page = Math.max(2, Math.floor(this.height / COPY_PX));
    const step = { Down: 1, Up: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[key] ?? 0;
    const to = this.next(this.current, step);
    this.at = to;
    if (this.element) this.element.scrollTop = scrolledTo(this.stack, this.rows[to - 1]?.item === null ? to - 1 : to, this.element.scrollTop, this.height);
    await tick();
    // A row that has just come into sight is made in the next frame.
    requestAnimationFrame(() => this.element?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus());
  }

  /** The next copy in a direction, over heads. */
  private next(from: number, step: number): number {
    const { rows } = this;
    let to = Math.min(rows.length - 1, Math.max(1, from + step));
    while (rows[to]?.item === null && to > 1 && to < rows.length - 1) to += step < 0 ? -1 : 1;
    return rows[to]?.item ? to : from;
  }

  /** A copy, laid over the best one; the best, with the next laid over it. Stops when it is what sounds. */
  hear(group: DuplicateGroup, item: DuplicateItem): Promise<void> | undefined {
    const [best] = group;
    const other = item === best ? group[1] : item;
    if (!best || !other) return undefined;
    const { pair, playing } = this.audition;
    if (playing && pair?.a.id === best.track.id && pair.b?.id === other.track.id) return this.audition.stop();
    return this.audition.compareCopies(best.track, other.track, other, item === best ? 'a' : 'b');
  }

  hearHere(): Promise<void> | undefined {
    return this.here ? this.hear(this.here.group, this.here.item) : undefined;
  }

  markHere(): void {
    if (this.here) this.duplicates.toggle(this.here.group, this.here.item.track.id);
  }

  keepBestHere(): void {
    if (this.here) this.duplicates.keepBest(this.here.group);
  }
}
