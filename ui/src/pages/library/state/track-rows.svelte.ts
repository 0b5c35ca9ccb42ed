// Rows of the table by their place: fetched in blocks as they come into sight, the blocks used last kept.

import type { TrackItem } from '../../../bindings';

/** Rows that are fetched at once. */
export const BLOCK = 128;
/** Blocks that are kept. */
const KEPT = 40;
/** Requests that are under way at once. */
const AT_ONCE = 3;

export type AskRows<T = TrackItem> = (offset: number, limit: number) => Promise<{ total: number; rows: T[] }>;

export class TrackRows<T extends { id: number | null } = TrackItem> {
  /** Rows in all; none before the first answer. */
  total: number | null = $state(null);
  /** Grows with every answer; whoever shows rows depends on it. */
  version = $state(0);

  private blocks = new Map<number, T[]>();
  private generation = 0;
  private readonly pending = new Set<number>();
  private wanted: number[] = [];

  constructor(
    private ask: AskRows<T>,
    private readonly onFailure: (reason: unknown) => void,
  ) {}

  /** The row at a place, if it is here. */
  at(index: number): T | null {
    void this.version;
    return this.blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK] ?? null;
  }

  /** The place of a track among the rows that are here. */
  placeOf(id: number): number | null {
    for (const [block, rows] of this.blocks) {
      const at = rows.findIndex((row) => row.id === id);
      if (at !== -1) return block * BLOCK + at;
    }
    return null;
  }

  /** Rows that are seen now, from one place up to another; those beyond in the direction of scrolling come next. */
  need(from: number, to: number, direction: 1 | -1 = 1): void {
    if (this.total === null || this.total === 0) return;
    const last = Math.floor((this.total - 1) / BLOCK);
    const first = Math.max(0, Math.floor(from / BLOCK));
    const end = Math.min(last, Math.floor(Math.max(from, to - 1) / BLOCK));
    this.wanted = [];
    for (let block = first; block <= end; block++) {
      this.wanted.push(block);
      this.touch(block);
    }
    const ahead = direction > 0 ? end + 1 : first - 1;
    if (ahead >= 0 && ahead <= last) this.wanted.push(ahead);
    this.pump();
  }

  /** Asks something else: the rows stay until the first of the new ones are here. Fails as the question does. */
  async restart(ask: AskRows<T>): Promise<void> {
    const generation = ++this.generation;
    const page = await ask(0, BLOCK);
    if (generation !== this.generation) return;
    this.ask = ask;
    this.take(page.total, new Map([[0, page.rows]]));
  }

  /** Fetches anew what lies from one place to another, and lets go of all else; the rows change at once. */
  async refresh(from: number, to: number): Promise<void> {
    const generation = ++this.generation;
    const first = Math.max(0, Math.floor(from / BLOCK));
    const last = Math.max(first, Math.floor(Math.max(0, to - 1) / BLOCK));
    const pages = await Promise.all(Array.from({ length: last - first + 1 }, (_, at) => this.ask((first + at) * BLOCK, BLOCK)));
    if (generation !== this.generation) return;
    const blocks = new Map(pages.map((page, at) => [first + at, page.rows]));
    this.take(pages.at(-1)?.total ?? 0, blocks);
  }

  /** Lets go of all rows; answers that are under way come to nothing. */
  clear(): void {
    this.generation++;
    this.blocks = new Map();
    this.pending.clear();
    this.wanted = [];
    this.total = null;
    this.version++;
  }

  private take(total: number, blocks: Map<number, T[]>): void {
    this.blocks = blocks;
    this.pending.clear();
    this.total = total;
    this.version++;
    this.pump();
  }

  /** The most recently used block is the last of the map. */
  private touch(block: number): void {
    const rows = this.blocks.get(block);
    if (!rows) return;
    this.blocks.delete(block);
    this.blocks.set(block, rows);
  }

  private pump(): void {
    for (const block of this.wanted) {
      if (this.pending.size >= AT_ONCE) return;
      if (!this.blocks.has(block) && !this.pending.has(block)) void this.fetch(block);
    }
  }

  private async fetch(block: number): Promise<void> {
    const { generation } = this;
    this.pending.add(block);
    try {
      const page = await this.ask(block * BLOCK, BLOCK);
      // An answer to an earlier question says nothing about this one.
      if (generation !== this.generation) return;
      this.blocks.set(block, page.rows);
      for (const oldest of this.blocks.keys()) {
        if (this.blocks.size <= KEPT) break;
        if (!this.wanted.includes(oldest)) this.blocks.delete(oldest);
      }
      this.total = page.total;
      this.version++;
    } catch (reason) {
      if (generation !== this.generation) return;
      this.wanted = this.wanted.filter((each) => each !== block);
      this.onFailure(reason);
    } finally {
      if (generation === this.generation) {
        this.pending.delete(block);
        this.pump();
      }
    }
  }
}
