// The library behind the synthetic backend: its tracks, its folders, and a scan that takes its time.

import type { Event, FolderView, LibraryCounts, LibraryView, ScanView, TrackItem, TrackListQuery } from '../../../bindings';
import type { MapBlock } from '../../map';
import { failure } from '../handlers';
import { COLUMNS, DIMENSIONS } from './dimensions';
import { layoutOf } from './layout';
import { parsed, sorted } from './query';
import { newScan, step } from './scan';
import { ROOTS, track } from './tracks';

/** What the library looks like that the page finds. */
export type LibraryKind = 'usual' | 'empty' | 'unreachable' | 'broken';

export class MockLibrary {
  readonly items: TrackItem[];
  private readonly byId: Map<number, TrackItem>;
  folders: FolderView[];
  scan: ScanView | null = null;
  watching = false;
  private laidOut: { map: MapBlock; content: string } | null = null;
  private listed: { key: string; rows: TrackItem[] } | null = null;
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    count: number,
    private readonly kind: LibraryKind,
    private readonly emit: (event: Event) => void,
  ) {
    this.items = kind === 'empty' ? [] : Array.from({ length: count }, (_, at) => track(at + 1));
    this.byId = new Map(this.items.map((item) => [item.id, item]));
    this.folders = kind === 'empty' ? [] : ROOTS.map((path, at) => ({ id: at + 1, path, tracks: this.items.filter((item) => item.folder.startsWith(path)).length, scanned_at: Date.UTC(2026, 10, 20, 18, 30), unreachable: kind === 'unreachable' && at === 1 ? 'the folder is not there: is the disk plugged in?' : null }));
  }

  item(id: number): TrackItem {
    const found = this.byId.get(id);
    if (!found) throw failure('invalid', `no track has the number ${id}`);
    return found;
  }

  /** The table's rows; the last answer is kept, as the core keeps it. */
  list({ text, sort }: TrackListQuery): TrackItem[] {
    const key = JSON.stringify([text, sort]);
    if (this.listed?.key !== key) this.listed = { key, rows: sorted(this.items.filter(parsed(text)), sort) };
    return this.listed.rows;
  }

  changed(): void {
    this.listed = null;
    this.emit({ kind: 'library_changed', library: this.view() });
  }

  /** What answers were made from: the same as long as the same tracks are there. */
  content(): string {
    const done = this.items.filter((item) => item.state === 'done');
    return `${done.length} ${done.reduce((sum, item) => sum + item.id, 0)}`;
  }

  layOut(): void {
    this.laidOut = { map: layoutOf(this.items), content: this.content() };
  }

  map(): MapBlock | null {
    return this.laidOut && { ...this.laidOut.map, outdated: this.laidOut.content !== this.content() };
  }

  counts(): LibraryCounts {
    const counts = { waiting: 0, done: 0, failed: 0, vanished: 0, bytes: 0, duration_s: 0 };
    for (const { state, bytes, duration_s } of this.items) {
      counts[state === 'analysing' ? 'waiting' : state]++;
      if (state !== 'vanished') counts.bytes += bytes;
      if (state === 'done') counts.duration_s += duration_s ?? 0;
    }
    return counts;
  }

  view(): LibraryView {
    if (this.kind === 'broken') throw failure('stored', 'the library cannot be opened: the database is damaged (page 412). Move library.sqlite away to begin a new one');
    return {
      folders: this.folders,
      counts: this.counts(),
      scan: this.scan,
      scanned_elsewhere: null,
      watch: { on: this.watching, problem: this.watching && this.kind === 'unreachable' ? 'Vinyl transfers is not watched: it is not there' : null },
      columns: COLUMNS,
      dimensions: DIMENSIONS,
      path: '/home/user/.local/share/undertone/library.sqlite',
    };
  }

  addFolder(): LibraryView {
    const path = '/home/user/New recordings';
    const id = Math.max(0, ...this.folders.map((each) => each.id)) + 1;
    this.folders = [...this.folders, { id, path, tracks: 24, scanned_at: null, unreachable: null }];
    for (let at = 0; at < 24; at++) {
      const made = { ...track(1_000_000 + id * 1000 + at), folder: path, state: 'waiting' as const, features: DIMENSIONS.map(() => null) };
      this.items.push(made);
      this.byId.set(made.id, made);
    }
    this.listed = null;
    return this.begin();
  }

  removeFolder(id: number): LibraryView {
    const gone = this.folders.find((each) => each.id === id);
    this.folders = this.folders.filter((each) => each.id !== id);
    if (gone) this.remove((item) => item.folder.startsWith(gone.path));
    this.changed();
    return this.view();
  }

  remove(which: (item: TrackItem) => boolean): void {
    const kept = this.items.filter((item) => !which(item));
    this.items.splice(0, this.items.length, ...kept);
    this.listed = null;
  }

  /** Lets failed tracks wait again. */
  retry(ids: number[] | null): LibraryView {
    for (const item of this.items) if (item.state === 'failed' && (ids === null || ids.includes(item.id))) Object.assign(item, { state: 'waiting', reason: null });
    this.listed = null;
    return this.begin();
  }

  begin(): LibraryView {
    this.scan = newScan(this.items);
    if (this.timer === null) this.timer = setInterval(() => this.tick(), 250);
    return this.view();
  }

  set(phase: ScanView['phase']): void {
    if (this.scan) this.scan = { ...this.scan, phase };
    this.tell();
  }

  private tick(): void {
    if (this.scan) this.scan = step(this.scan, this.items);
    this.listed = null;
    this.tell();
    if (this.scan && !['done', 'cancelled', 'failed'].includes(this.scan.phase)) return;
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.changed();
  }

  private tell(): void {
    if (this.scan) this.emit({ kind: 'scan', scan: this.scan, counts: this.counts() });
  }
}
