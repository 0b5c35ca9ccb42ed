// A playlist: which tracks are wanted, which there are, and the file they are written to.

import type { Commands, JobView, PlaylistChoice, PlaylistFormat, PlaylistView, TrackItem, TrackListQuery } from '../../../bindings';
import type { Backend } from '../../../backend';
import { latestOnly } from '../../../lib/coalesce';
import { failureMessage } from '../../../state/notices.svelte';
import { TrackRows } from './track-rows.svelte';

export type PlaylistKind = PlaylistChoice['kind'];
export type PlaylistRequest = Commands['library.make_playlist']['args'];
export type PlaylistEnd = 'like' | 'first' | 'last';

/** The tracks of a path or of what is like a track, unless another number is set. */
const USUAL = 20;
export const FEWEST = 2;
/** The core makes no longer paths. */
export const MOST_OF_PATH = 1000;
/** The core orders no more tracks for mixing. */
export const MOST_MIXED = 5000;

/** The table's query, with the number of its tracks. */
export interface TableQuestion {
  query: TrackListQuery;
  /** How many tracks answer. */
  total: number;
}

export class Playlist {
  kind: PlaylistKind = $state('all');
  /** The tracks that were selected when they were taken; none for all that the table shows. */
  some: number[] | null = $state.raw(null);
  like: TrackItem | null = $state.raw(null);
  first: TrackItem | null = $state.raw(null);
  last: TrackItem | null = $state.raw(null);
  /** Numbers of tracks; none for all. */
  counts: Record<PlaylistKind, number | null> = $state({ all: null, like: USUAL, between: USUAL });
  /** Whether what is alike is looked for only among what the search finds. */
  inSearch = $state(false);
  mixed = $state(false);
  format: PlaylistFormat = $state('m3u8');
  relative = $state(false);

  view: PlaylistView | null = $state.raw(null);
  failure: string | null = $state(null);
  /** Whether the last request was cancelled. */
  cancelled = $state(false);
  /** The row that keys are about. */
  at = $state(0);
  /** Rows that are seen at once, as the list says. */
  page = 8;
  /** The changes of the library that were there when tracks were last chosen because of one. */
  asOf = 0;
  readonly rows: TrackRows;

  /** The job that chooses the tracks, and the one that writes them. */
  private asked: number | null = $state(null);
  private asking = $state(false);
  saving: number | null = $state(null);
  /** The request that is answered, or on its way. */
  private request = '';

  readonly query: TrackListQuery = $derived.by(() => this.table().query);
  /** The present request; none while a track is missing. */
  readonly wanted: PlaylistRequest | null = $derived.by(() => this.requestNow());
  readonly missing: PlaylistEnd | null = $derived.by(() => this.missingEnd());
  /** The number of tracks that were asked for, if more were than there are. */
  readonly short: number | null = $derived.by(() => {
    const asked = this.counts[this.kind];
    return asked !== null && this.view !== null && this.view.tracks.length < asked ? asked : null;
  });

  private readonly send: (request: PlaylistRequest) => void;

  constructor(
    private readonly backend: Backend,
    private readonly attempt: <T>(action: () => Promise<T>) => Promise<T | null>,
    private readonly jobs: () => JobView[],
    private readonly table: () => TableQuestion,
  ) {
    this.rows = new TrackRows(() => Promise.resolve({ total: 0, rows: [] }), (reason) => (this.failure = failureMessage(reason)));
    this.send = latestOnly<PlaylistRequest, number | { failure: string }>(
      async (request) => {
        try {
          return await this.backend.call('library.make_playlist', request);
        } catch (reason) {
          return { failure: failureMessage(reason) };
        }
      },
      (job, request) => {
        if (JSON.stringify(request) !== this.request) return;
        this.asking = false;
        if (typeof job === 'object') return this.fail(job.failure);
        this.asked = job;
        // It may have ended before its number was known.
        const known = this.jobs().find((each) => each.id === job);
        if (known) this.takeJob(known);
      },
    );
  }

  /** The job under way; none while nothing is. */
  readonly job: JobView | null = $derived.by(() => this.jobs().find((job) => job.id === this.asked && job.state === 'running') ?? null);
  readonly savingJob: JobView | null = $derived.by(() => this.jobs().find((job) => job.id === this.saving && job.state === 'running') ?? null);
  readonly working: boolean = $derived.by(() => this.asking || this.asked !== null);

  private requestNow(): PlaylistRequest | null {
    const { kind, some, like, first, last } = this;
    const { query, total } = this.table();
    const count = this.counts[kind];
    if (kind === 'all') {
      const asked = some ? some.length : total;
      const mixed = this.mixed && Math.min(asked, count ?? asked) <= MOST_MIXED;
      // A later search does not take selected tracks away.
      return { query: some ? { text: '', sort: query.sort } : query, tracks: some, choice: { kind }, count, mixed };
    }
    const among = { query: { text: this.inSearch ? query.text : '', sort: [] }, tracks: null, count };
    if (kind === 'like') return like && { ...among, choice: { kind, track: like.id }, mixed: this.mixed };
    if (!first || !last || first.id === last.id) return null;
    return { ...among, choice: { kind, from: first.id, to: last.id }, mixed: false };
  }

  private missingEnd(): PlaylistEnd | null {
    if (this.kind === 'like') return this.like ? null : 'like';
    if (this.kind === 'between') return this.first ? (this.last ? null : 'last') : 'first';
    return null;
  }

  /** Asks for the tracks that are wanted now, unless they are there or on their way. */
  ask(again = false): void {
    const { wanted } = this;
    const key = wanted ? JSON.stringify(wanted) : '';
    if (key === this.request && !again) return;
    this.request = key;
    this.asked = null;
    this.failure = null;
    this.cancelled = false;
    if (!wanted) {
      this.asking = false;
      this.show(null);
      return;
    }
    this.asking = true;
    this.send(wanted);
  }

  /** The library has changed: what is shown stays until the new answer is there. */
  askAgain(): void {
    if (this.wanted && !this.working) this.ask(true);
  }

  takeJob(job: JobView): void {
    if (job.id === this.saving && job.state !== 'running') this.saving = null;
    if (job.id !== this.asked || job.state === 'running') return;
    if (job.state === 'done') return void this.load(job.id);
    this.asked = null;
    if (job.state === 'failed') this.fail(job.failure ? failureMessage(job.failure) : job.title);
    else this.cancelled = true;
  }

  private async load(job: number): Promise<void> {
    try {
      const view = await this.backend.call('library.playlist', {});
      if (this.asked !== job || !view) return;
      await this.rows.restart(async (offset, limit) => {
        const rows = await this.backend.call('library.rows', { tracks: view.tracks.slice(offset, offset + limit) });
        return { total: view.tracks.length, rows };
      });
      if (this.asked !== job) return;
      this.view = view;
      this.at = Math.min(this.at, Math.max(0, view.tracks.length - 1));
      this.asked = null;
    } catch (reason) {
      if (this.asked === job) this.fail(failureMessage(reason));
    }
  }

  private fail(message: string): void {
    this.asked = null;
    this.show(null);
    this.failure = message;
  }

  private show(view: PlaylistView | null): void {
    this.view = view;
    if (view === null) this.rows.clear();
    this.at = 0;
  }

  /** Takes a track as the one that others are to be like, or as an end of the path. */
  async take(end: PlaylistEnd, track: number): Promise<void> {
    const rows = await this.attempt(() => this.backend.call('library.rows', { tracks: [track] }));
    const row = rows?.[0];
    if (row) this[end] = row;
  }

  /** The row that keys are about, if it is here. */
  get here(): TrackItem | null {
    return this.view === null ? null : this.rows.at(this.at);
  }

  /** By keys, from row to row. */
  move(key: string): void {
    const step = { Down: 1, Up: -1, PageDown: this.page, PageUp: -this.page, Home: -Infinity, End: Infinity }[key] ?? 0;
    this.at = Math.max(0, Math.min((this.view?.tracks.length ?? 1) - 1, this.at + step));
  }

  /** Lets the user choose a file, and writes what is shown. */
  async save(): Promise<void> {
    const { view, format, relative } = this;
    if (!view || this.saving !== null) return;
    const job = await this.attempt(() => this.backend.call('library.save_playlist', { tracks: view.tracks, format, relative }));
    const ended = this.jobs().find((each) => each.id === job && each.state !== 'running');
    if (!ended) this.saving = job;
  }
}
