// The table's view of the rows: what is scrolled to, which row is the current one, what keys and clicks do to them.

import type { TrackItem } from '../../../bindings';
import { BLOCK } from './track-rows.svelte';
import { pathOf } from '../lib/track-columns';
import { FIRST_OF_STANDARD } from '../lib/track-sort';
import { ROW, scrolledTo, slots } from '../../../lib/virtual-rows';
import type { Library } from './library.svelte';

/** Letters typed closer together than this belong to one word. */
const TYPING_MS = 900;

/** Jumps of more than a page that follow each other this closely are a race, in which nobody reads. */
const RACE_MS = 120;
/** So long after the last of them the rows are filled again. */
const REST_MS = 80;

export interface Held {
  shift: boolean;
  ctrl: boolean;
}

/** The table on the screen. */
export interface TableSeen {
  /** Scrolls what is seen; the table hears of it by `scrolled`. */
  scrollTo(top: number): void;
  scrollSideways(px: number): void;
  /** Opens the menu of the current row. */
  openMenu(): void;
}

export class TrackTable {
  scrollTop = $state(0);
  height = $state(0);
  /** The place of the current track. */
  index: number | null = $state(null);
  /** Whether the list races past. */
  racing = $state(false);
  private farAt = -Infinity;
  private resting: ReturnType<typeof setTimeout> | null = null;
  /** Where a range of rows begins that Shift extends. */
  private anchor = 0;
  private direction: 1 | -1 = 1;
  private typed = '';
  private typedAt = 0;
  /** Grows with every change of the selection; a range whose numbers come later is then no longer wanted. */
  private choice = 0;

  readonly total: number = $derived.by(() => this.library.rows.total ?? 0);
  readonly slots = $derived(slots(this.scrollTop, this.height, this.total));

  constructor(
    private readonly library: Library,
    private readonly seen: TableSeen,
  ) {}

  scrollSideways(px: number): void {
    this.seen.scrollSideways(px);
  }

  openMenu(): void {
    this.seen.openMenu();
  }

  scrolled(top: number, now = performance.now()): void {
    if (top !== this.scrollTop) this.direction = top > this.scrollTop ? 1 : -1;
    if (Math.abs(top - this.scrollTop) > this.height) {
      if (now - this.farAt < RACE_MS) this.race();
      this.farAt = now;
    }
    this.scrollTop = top;
  }

  /** Leaves the rows empty until the race is over: to fill all of them in every frame would hold up the frames. */
  private race(): void {
    this.racing = true;
    if (this.resting !== null) clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.resting = null;
      this.racing = false;
    }, REST_MS);
  }

  /** The track that a row shows, if it is here. */
  row(index: number): TrackItem | null {
    return this.racing ? null : this.library.rows.at(index);
  }

  /** The rows that stand in the document are wanted. */
  fetch(): void {
    if (this.racing) return;
    const { first, rows } = this.slots;
    this.library.rows.need(first, first + rows.length, this.direction);
  }

  get perPage(): number {
    return Math.max(1, Math.floor(this.height / ROW) - 1);
  }

  /** A click on a row. */
  click(index: number, held: Held): void {
    const row = this.library.rows.at(index);
    if (!row) return;
    this.setCurrent(index, row.id);
    if (held.shift) return void this.range(index, held.ctrl);
    this.anchor = index;
    this.choice++;
    if (held.ctrl) this.library.selection.toggle(row.id);
    else this.library.selection.only([row.id]);
  }

  /** The current row by keys; with Shift a range is selected, with Ctrl nothing. */
  async moveTo(index: number, held: Held): Promise<void> {
    if (this.total === 0) return;
    const to = Math.max(0, Math.min(this.total - 1, index));
    this.index = to;
    this.show(to);
    const row = this.library.rows.at(to) ?? (await this.library.between(to, to + 1))[0];
    if (!row || this.index !== to) return;
    this.library.current = row.id;
    if (held.shift) return this.range(to, held.ctrl);
    this.anchor = to;
    if (held.ctrl) return;
    this.choice++;
    this.library.selection.only([row.id]);
  }

  /** Acts on a key; false for one that the table does not know. */
  key(key: string, held: Held): boolean {
    const at = this.index ?? -1;
    switch (key) {
      case 'ArrowDown':
        void this.moveTo(at + 1, held);
        return true;
      case 'ArrowUp':
        void this.moveTo(Math.max(0, at - 1), held);
        return true;
      case 'PageDown':
        void this.moveTo(at + this.perPage, held);
        return true;
      case 'PageUp':
        void this.moveTo(at - this.perPage, held);
        return true;
      case 'Home':
        void this.moveTo(0, held);
        return true;
      case 'End':
        void this.moveTo(this.total - 1, held);
        return true;
      default:
        return false;
    }
  }

  toggleCurrent(): void {
    if (this.library.current === null) return;
    this.choice++;
    this.anchor = this.index ?? this.anchor;
    this.library.selection.toggle(this.library.current);
  }

  /** Selects what lies from the anchor to a row. */
  private async range(to: number, add: boolean): Promise<void> {
    const choice = ++this.choice;
    const [from, until] = [Math.min(this.anchor, to), Math.max(this.anchor, to) + 1];
    if (from === 0 && until >= this.total) return this.library.selection.everything();
    const here = Array.from({ length: until - from }, (_, at) => this.library.rows.at(from + at));
    const rows = here.every((row) => row !== null) ? here : await this.library.between(from, until);
    if (choice !== this.choice) return;
    const ids = rows.map((row) => row.id);
    if (add) this.library.selection.add(ids);
    else this.library.selection.only(ids);
  }

  /** A letter: to the first row whose column, the one that is sorted by, begins with what was typed. */
  async type(letter: string, now = performance.now()): Promise<void> {
    this.typed = now - this.typedAt < TYPING_MS ? this.typed + letter.toLowerCase() : letter.toLowerCase();
    this.typedAt = now;
    const { typed } = this;
    const { sort } = this.library.settings;
    const column = sort[0]?.column ?? FIRST_OF_STANDARD;
    const descending = sort[0]?.descending ?? false;
    const found = await this.firstThat(column, (value) => (descending ? value < typed || value.startsWith(typed) : value >= typed));
    if (found && typed === this.typed && found.value.startsWith(typed)) await this.moveTo(found.index, { shift: false, ctrl: false });
  }

  /** The first row for which something holds that holds for all after it. Rows without a value come last. */
  private async firstThat(column: string, holds: (value: string) => boolean): Promise<{ index: number; value: string } | null> {
    let [low, high] = [0, this.total];
    let found: { index: number; value: string } | null = null;
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = this.library.rows.at(middle) ?? (await this.library.between(middle, middle + 1))[0];
      if (!row) return null;
      const value = textOf(row, column);
      if (value === null || holds(value)) {
        high = middle;
        found = value === null ? null : { index: middle, value };
      } else low = middle + 1;
    }
    return found;
  }

  /** Brings the current track into sight, if it answers. */
  async reveal(): Promise<void> {
    const { current } = this.library;
    if (current === null) return;
    const index = await this.library.placeOf(current);
    if (current !== this.library.current) return;
    this.index = index;
    if (index !== null) this.show(index);
  }

  private show(index: number): void {
    const to = scrolledTo(index, this.scrollTop, this.height);
    if (to !== this.scrollTop) this.seen.scrollTo(to);
  }

  private setCurrent(index: number, id: number): void {
    this.index = index;
    this.library.current = id;
    this.show(index);
  }

  /**
   * Fetches the rows anew after the list has changed. What is looked at keeps its place: the current row if it is
   * seen, else the first row that is.
   */
  async refresh(): Promise<void> {
    const { rows, current } = this.library;
    const seen = [Math.floor(this.scrollTop / ROW), Math.ceil((this.scrollTop + this.height) / ROW)] as const;
    const held = this.index !== null && this.index >= seen[0] && this.index < seen[1] ? this.index : seen[0];
    const row = rows.at(held);
    const [place, index] = await Promise.all([row ? this.library.placeOf(row.id) : null, current === null ? null : this.library.placeOf(current)]);
    const shift = place === null ? 0 : place - held;
    await rows.refresh(Math.max(0, seen[0] + shift - BLOCK / 4), seen[1] + shift + BLOCK / 4);
    this.index = index;
    if (shift !== 0) this.seen.scrollTo(Math.max(0, this.scrollTop + shift * ROW));
  }
}

function textOf(row: TrackItem, column: string): string | null {
  // Folders are sorted with the files in them.
  const value = column === 'folder' ? pathOf(row) : (row as Record<string, unknown>)[column];
  return value == null ? null : String(value).toLowerCase();
}
