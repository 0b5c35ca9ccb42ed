// The kinds of tracks that a map is coloured by, read when they are asked for, and which of them are looked at.

import type { Backend } from '../../../backend';
import { categoriesOf, type Categories, type CategoryColumn } from '../lib/categories';
import { runsOf } from '../lib/sorted-values';
import { failureMessage } from '../../../state/notices.svelte';

/** Rows that are asked for at once. */
const BLOCK = 500;

export class MapCategories {
  found: Categories | null = $state.raw(null);
  loading = $state(false);
  failure: string | null = $state(null);
  /** Those that stand out, as places among the entries; none is all. */
  shown: ReadonlySet<number> = $state.raw(new Set());
  /** Of several questions the last one counts. */
  private asked = 0;

  constructor(private readonly backend: Backend) {}

  /** Finds out which kind each of some tracks is of; none forgets. */
  async load(column: CategoryColumn | null, tracks: ArrayLike<number>): Promise<void> {
    const asked = ++this.asked;
    if (this.found?.column !== column) {
      this.found = null;
      this.shown = new Set();
    }
    this.failure = null;
    this.loading = column !== null;
    if (column === null) return;
    try {
      const values = await this.valuesOf(column, tracks);
      if (asked !== this.asked) return;
      const before = this.found;
      const found = categoriesOf(column, values);
      // Those that stood out do so still, wherever they stand in the list now.
      const kept = [...this.shown].map((at) => found.entries.findIndex((each) => each.kind === before?.entries[at]?.kind && each.value === before.entries[at]?.value));
      this.shown = new Set(kept.filter((at) => at !== -1));
      this.found = found;
    } catch (reason) {
      if (asked !== this.asked) return;
      this.failure = failureMessage(reason);
    }
    this.loading = false;
  }

  toggle(entry: number): void {
    const shown = new Set(this.shown);
    if (!shown.delete(entry)) shown.add(entry);
    this.shown = shown;
  }

  /** Rows are large and tracks many: the list is sorted by the column, and only rows where it changes are read. */
  private async valuesOf(column: CategoryColumn, tracks: ArrayLike<number>): Promise<(string | null)[]> {
    const wanted = new Set(Array.from(tracks));
    const sorted = await this.backend.call('library.numbers', { query: { text: '', sort: [{ column, descending: false }] } });
    const ids = sorted.filter((id) => wanted.has(id));
    const runs = await runsOf(ids.length, async (places) => {
      const asked = places.map((place) => ids[place] ?? -1);
      const values = new Map<number, string | null>();
      for (let from = 0; from < asked.length; from += BLOCK) {
        for (const row of await this.backend.call('library.rows', { tracks: asked.slice(from, from + BLOCK) })) values.set(row.id, row[column]);
      }
      return asked.map((id) => values.get(id));
    });
    const values = new Map<number, string | null>();
    runs.forEach((run, at) => {
      for (let place = run.from; place < (runs[at + 1]?.from ?? ids.length); place++) values.set(ids[place] ?? -1, run.value);
    });
    return Array.from(tracks, (track) => values.get(track) ?? null);
  }
}
