// The map: its points, which one is looked at, which ones are selected.

import type { Backend } from '../../../backend';
import { decodeMap, type MapBlock } from '../../../backend/map';
import type { DimensionView, TrackItem, TrackListQuery } from '../../../bindings';
import { latestOnly } from '../../../lib/coalesce';
import { PointGrid } from '../lib/point-grid';
import { fitting, held, WHOLE, zoomedAt, type Bounds, type Box, type MapWindow, type Place } from '../lib/map-view';
import type { CategoryColumn } from '../lib/categories';
import { failureMessage } from '../../../state/notices.svelte';
import { MapCategories } from './map-categories.svelte';

/** Rows that are kept for points that were looked at. */
const MAX_ROWS = 4096;

export class LibraryMap {
  data: MapBlock | null = $state.raw(null);
  loading = $state(false);
  /** Whether it is the map of another state of the library. */
  outdated = $state(false);
  /** Whether the library has changed since it was last asked whether the map is still true. */
  doubted = $state(false);
  failure: string | null = $state(null);
  /** The dimension or kind of track that the points are coloured by; none for one colour. */
  colour: string | null = $state('centroid_hz');
  /** Whether the legend stands beside it. */
  legend = $state(true);
  /** Where it is looked at; none for all of it. */
  window: MapWindow | null = $state.raw(null);
  /** How large it is on the screen. */
  box: Box = $state.raw({ width: 1, height: 1 });
  /** Words about the last action by keys, for those who do not see it. */
  spoken = $state('');
  /** The point under the keyboard's cursor. */
  point = $state(-1);
  /** The point under the pointer. */
  hover = $state(-1);
  /** Whether the track under the pointer is heard. Off at first: nobody expects sound from moving a hand. */
  listen = $state(false);
  chosen: ReadonlySet<number> = $state.raw(new Set());
  /** Points of tracks that the table's search finds; none while nothing is searched for. */
  matches: ReadonlySet<number> | null = $state.raw(null);
  /** Rows of points that were looked at, by the track's number. */
  rows: ReadonlyMap<number, TrackItem> = $state.raw(new Map());

  readonly categories: MapCategories;
  /** The kind of track that the points are coloured by, if they are. */
  readonly column: CategoryColumn | null = $derived(this.colour === 'genre' || this.colour === 'key' ? this.colour : null);

  /** Where each point stands by the dimension that colours them, as the map stores it; none without one. */
  readonly shares: Uint16Array | null = $derived.by(() => this.data?.shares[this.dimensions().findIndex((each) => each.name === this.colour)] ?? null);

  readonly grid: PointGrid | null = $derived(this.data && new PointGrid(this.data.x, this.data.y));
  readonly bounds: Bounds = $derived(this.grid?.bounds ?? WHOLE);
  readonly view: MapWindow = $derived(this.window ? held(this.window, this.box, this.bounds) : fitting(this.box, this.bounds));
  readonly places: ReadonlyMap<number, number> = $derived(new Map(Array.from(this.data?.ids ?? [], (id, at) => [id, at])));
  private readonly askRows: (ids: number[]) => void;
  private readonly askMatches: (query: TrackListQuery) => void;

  constructor(
    private readonly backend: Backend,
    private readonly attempt: <T>(action: () => Promise<T>) => Promise<T | null>,
    /** The library's, in whose order the map has them. */
    private readonly dimensions: () => readonly DimensionView[],
  ) {
    this.categories = new MapCategories(backend);
    this.askRows = latestOnly(
      (tracks: number[]) => backend.call('library.rows', { tracks }),
      (rows) => this.keep(rows),
    );
    this.askMatches = latestOnly(
      (query: TrackListQuery) => backend.call('library.numbers', { query }),
      (ids, query) => (this.matches = query.text.trim() === '' ? null : this.pointsOf(ids)),
    );
  }

  async load(): Promise<void> {
    this.loading = this.data === null;
    try {
      const data = decodeMap(await this.backend.map(true));
      const id = this.idOf(this.point);
      const chosen = [...this.chosen].map((at) => this.idOf(at));
      this.data = data;
      this.outdated = data?.outdated ?? false;
      this.doubted = false;
      this.failure = null;
      // The same tracks have other places now.
      this.point = id === null ? -1 : (this.places.get(id) ?? -1);
      this.hover = -1;
      this.chosen = this.pointsOf(chosen.filter((each) => each !== null));
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
    this.loading = false;
  }

  /** Asks whether the map is still true; the points stay where they are until it is laid out anew. */
  async check(): Promise<void> {
    this.doubted = false;
    if (!this.data || this.outdated) return;
    const asked = this.data;
    const now = await this.backend.map(false).then(decodeMap, () => null);
    // Not known for now: the next change asks again.
    if (now?.outdated && this.data === asked) this.outdated = true;
  }

  make(): Promise<unknown> {
    return this.attempt(() => this.backend.call('library.make_map', {}));
  }

  /** Zooms about a place, or the middle. */
  zoomBy(factor: number, at: Place = { x: this.box.width / 2, y: this.box.height / 2 }): void {
    this.window = zoomedAt(this.view, this.box, factor, at, this.bounds);
  }

  idOf(point: number): number | null {
    return this.data?.ids[point] ?? null;
  }

  pointsOf(ids: Iterable<number>): Set<number> {
    const points = new Set<number>();
    for (const id of ids) {
      const at = this.places.get(id);
      if (at !== undefined) points.add(at);
    }
    return points;
  }

  idsOf(points: Iterable<number>): number[] {
    return [...points].map((at) => this.idOf(at)).filter((id) => id !== null);
  }

  /** The row of a point, asked for when it is not known yet. */
  row(point: number): TrackItem | null {
    const id = this.idOf(point);
    return id === null ? null : (this.rows.get(id) ?? null);
  }

  lookAt(point: number): void {
    const id = this.idOf(point);
    if (id !== null && !this.rows.has(id)) this.askRows([id]);
  }

  /** The row of a point, now. */
  async fetch(point: number): Promise<TrackItem | null> {
    const id = this.idOf(point);
    if (id === null) return null;
    const known = this.rows.get(id);
    if (known) return known;
    const rows = await this.attempt(() => this.backend.call('library.rows', { tracks: [id] }));
    this.keep(rows ?? []);
    return rows?.[0] ?? null;
  }

  search(query: TrackListQuery): void {
    if (query.text.trim() === '') this.matches = null;
    else this.askMatches(query);
  }

  private keep(rows: TrackItem[]): void {
    const next = new Map(this.rows.size + rows.length > MAX_ROWS ? [] : this.rows);
    for (const row of rows) next.set(row.id, row);
    this.rows = next;
  }
}
