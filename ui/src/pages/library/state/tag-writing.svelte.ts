// Writing tags to originals: what is to be written, the preview, the confirmation, how it went, and undo.

import type { Backend } from '../../../backend';
import type { Commands, JobView, TagAction, TagField, TagFileView, TagOutcome, TagRunView, TagWriteView, TrackListQuery } from '../../../bindings';
import { failureMessage } from '../../../state/notices.svelte';
import { TrackRows } from './track-rows.svelte';

export const TAG_FIELDS: TagField[] = ['key', 'tempo', 'loudness', 'album'];
/** The fields that are written unless others are chosen: those of an album decode more than what is chosen. */
const USUAL_FIELDS: TagField[] = ['key', 'tempo', 'loudness'];

/** The views of the dialog: choices with their preview, or earlier writes. */
export type TagView = 'write' | 'history';

export class TagWriting {
  view: TagView | null = $state(null);
  /** The tracks that were selected; none for all that the table shows. */
  some: number[] | null = $state.raw(null);
  /** Those that were selected when the dialog was opened. */
  selected: number[] = $state.raw([]);
  fields: TagField[] = $state.raw(USUAL_FIELDS);
  onlyMissing = $state(false);

  /** The last preview, write or undo; without files. */
  run: TagRunView | null = $state.raw(null);
  /** The request that the preview answers. */
  private previewed: string | null = $state(null);
  /** Which files are shown; none is all. */
  filter: TagOutcome | null = $state(null);
  readonly files: TrackRows<TagFileView>;
  /** Whether the user has confirmed that originals are written. */
  agreed = $state(false);
  failure: string | null = $state(null);
  writes: TagWriteView[] | null = $state.raw(null);
  /** The action that is under way, or was last. */
  action: TagAction = $state('preview');
  private asked: number | null = $state(null);
  private starting = $state(false);

  readonly request: Commands['library.preview_tags']['args'] = $derived.by(() => {
    const query = this.some ? { text: '', sort: [] } : { text: this.query().text, sort: [] };
    return { query, tracks: this.some, fields: this.fields, only_missing: this.onlyMissing };
  });
  readonly job: JobView | null = $derived.by(() => this.jobs().find((job) => job.purpose === 'tags' && job.state === 'running') ?? null);
  readonly busy: boolean = $derived.by(() => this.starting || this.asked !== null || this.job !== null);
  /** Whether the preview is one of what is chosen now. */
  readonly current: boolean = $derived.by(() => this.run?.action === 'preview' && this.previewed === JSON.stringify(this.request));

  constructor(
    private readonly backend: Backend,
    private readonly jobs: () => JobView[],
    private readonly query: () => TrackListQuery,
    /** Tells the outcome while the dialog is closed. */
    private readonly tell: (run: TagRunView | null, failure: string | null) => void,
    /** Before a file is replaced: what sounds is let go of. */
    private readonly going: () => Promise<void>,
  ) {
    this.files = new TrackRows<TagFileView>(() => Promise.resolve({ total: 0, rows: [] }), (reason) => (this.failure = failureMessage(reason)));
  }

  /** Opens the dialog. What is under way stays. */
  open(view: TagView, selected: number[] = []): void {
    this.view = view;
    if (this.busy) return;
    this.selected = selected;
    this.some = selected.length > 0 ? selected : null;
    this.clear();
    void this.loadWrites();
  }

  close(): void {
    this.view = null;
  }

  toggle(field: TagField, on: boolean): void {
    this.fields = TAG_FIELDS.filter((each) => (each === field ? on : this.fields.includes(each)));
    this.agreed = false;
  }

  clear(): void {
    this.run = null;
    this.previewed = null;
    this.agreed = false;
    this.failure = null;
    this.filter = null;
    this.files.clear();
  }

  preview(): Promise<void> {
    const { request } = this;
    return this.start('preview', JSON.stringify(request), () => this.backend.call('library.preview_tags', request));
  }

  async write(): Promise<void> {
    const { run } = this;
    if (!run || !this.current || !this.agreed) return;
    await this.going();
    await this.start('write', null, () => this.backend.call('library.write_tags', { preview: run.id }));
  }

  async undo(write: number): Promise<void> {
    await this.going();
    await this.start('undo', null, () => this.backend.call('library.undo_tags', { write }));
  }

  private async start(action: TagAction, previewed: string | null, call: () => Promise<number>): Promise<void> {
    if (this.busy) return;
    this.starting = true;
    this.clear();
    this.action = action;
    try {
      this.previewed = previewed;
      const id = await call();
      this.asked = id;
      // It may have ended before its number was known.
      const known = this.jobs().find((job) => job.id === id);
      if (known) this.takeJob(known);
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
    this.starting = false;
  }

  takeJob(job: JobView): void {
    if (job.id !== this.asked || job.state === 'running') return;
    void this.end(job);
  }

  private async end(job: JobView): Promise<void> {
    try {
      if (job.state === 'failed' && job.failure) throw job.failure;
      if (job.state === 'done') await this.show(null);
      await this.loadWrites();
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
    this.asked = null;
    if (this.view === null) this.tell(this.run, this.failure);
  }

  /** Shows the files with an outcome, or all. */
  async show(filter: TagOutcome | null): Promise<void> {
    this.filter = filter;
    let run: TagRunView | null = null;
    await this.files.restart(async (offset, limit) => {
      run = await this.backend.call('library.tag_run', { outcome: filter, offset, limit });
      return { total: run?.total ?? 0, rows: run?.files ?? [] };
    });
    this.run = run;
  }

  private async loadWrites(): Promise<void> {
    try {
      this.writes = await this.backend.call('library.tag_writes', {});
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
  }

  async forget(write: number): Promise<void> {
    try {
      this.writes = await this.backend.call('library.forget_tags', { write });
      this.failure = null;
    } catch (reason) {
      this.failure = failureMessage(reason);
    }
  }
}
