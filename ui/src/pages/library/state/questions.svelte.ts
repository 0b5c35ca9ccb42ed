// Questions to the library beside its table: what is alike, what is the same, how it lies on the map, what a clip is of,
// which tracks a playlist has.

import type { JobPurpose, JobView, LikeWhat } from '../../../bindings';
import type { App } from '../../../state/app.svelte';
import { Audition } from './audition.svelte';
import { Bin } from './bin.svelte';
import { CopyList } from './copy-list.svelte';
import { Duplicates } from './duplicates.svelte';
import { Identify } from './identify.svelte';
import { LibraryMap } from './map.svelte';
import { Playlist } from './playlist.svelte';
import { Similar } from './similar.svelte';
import { TagWriting } from './tag-writing.svelte';
import { text } from '../../../text/catalogue';

export class Questions {
  /** The subject of the list of similar tracks; none is the current track. */
  like: LikeWhat | null = $state.raw(null);

  readonly audition: Audition;
  readonly similar: Similar;
  readonly duplicates: Duplicates;
  readonly copies: CopyList;
  readonly map: LibraryMap;
  readonly identify: Identify;
  readonly bin: Bin;
  readonly playlist: Playlist;
  readonly tags: TagWriting;

  constructor(readonly app: App) {
    const { backend } = app;
    const attempt = <T>(action: () => Promise<T>): Promise<T | null> => app.notices.attempt(action);
    this.audition = new Audition(app.player);
    this.similar = new Similar(backend);
    this.duplicates = new Duplicates(backend, attempt);
    this.copies = new CopyList(this.duplicates, this.audition);
    this.map = new LibraryMap(backend, attempt, () => app.library.view?.dimensions ?? []);
    this.identify = new Identify(backend, attempt);
    this.playlist = new Playlist(backend, attempt, () => app.jobs.all, () => ({ query: app.library.query, total: app.library.rows.total ?? 0 }));
    this.tags = new TagWriting(
      backend,
      () => app.jobs.all,
      () => app.library.query,
      (run, failure) => {
        const t = text.tagWriting;
        if (failure !== null) app.notices.tell('error', failure);
        else if (run && run.action !== 'preview') app.notices.tell(run.counts.failed > 0 ? 'warning' : 'info', run.action === 'write' ? t.written(run.counts.written) : t.restored(run.counts.restored));
      },
      () => this.audition.close(),
    );
    this.bin = new Bin(backend, attempt, {
      going: (tracks) => this.audition.forget(tracks),
      gone: (tracks) => this.duplicates.take(tracks),
      back: (tracks) => this.duplicates.putBack(tracks),
    });
  }

  /** The last job that was begun for a question; none before the first. */
  job(purpose: JobPurpose): JobView | null {
    return this.app.jobs.last(purpose);
  }

  /** Reads the answer when the job that found it is done. */
  takeJob(job: JobView): void {
    this.playlist.takeJob(job);
    this.tags.takeJob(job);
    if (job.state !== 'done') return;
    if (job.purpose === 'duplicates') void this.duplicates.load();
    if (job.purpose === 'map') void this.map.load();
    if (job.purpose === 'identify') void this.identify.load();
  }

  /** The library has changed: what was answered before may be answered otherwise now. */
  doubt(): void {
    this.duplicates.doubted = true;
    this.map.doubted = true;
  }
}
