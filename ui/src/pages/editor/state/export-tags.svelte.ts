// The tags of an export: those of the recording, and what is changed of them for the exported file.

import type { Backend } from '../../../backend';
import type { CoverView, ExportTags, TagEdits } from '../../../bindings';
import type { Notices } from '../../../state/notices.svelte';

/** The fields that the dialog has, by their names in Vorbis comments. Other fields are kept. */
export const FIELDS = ['TITLE', 'ARTIST', 'ALBUM', 'TRACKNUMBER', 'DATE', 'GENRE', 'COMMENT'] as const;
export type Field = (typeof FIELDS)[number];

export class ExportTagsState {
  private tags: ExportTags | null = $state.raw(null);
  private typed: Partial<Record<Field, string>> = $state({});
  private chosen: [id: number, cover: CoverView] | 'none' | null = $state.raw(null);
  /** Whether the gain of the track is measured anew. */
  replayGain = $state(false);

  constructor(
    private readonly backend: Backend,
    private readonly notices: Notices,
    private readonly document: number,
  ) {}

  async load(): Promise<void> {
    this.tags = await this.notices.attempt(() => this.backend.call('editor.export_tags', { document: this.document }));
  }

  get loaded(): boolean {
    return this.tags !== null;
  }

  // The year stands in either of two fields.
  private key(field: Field): string {
    return field === 'DATE' && this.tags?.items['DATE'] === undefined && this.tags?.items['YEAR'] !== undefined ? 'YEAR' : field;
  }

  text(field: Field): string {
    return this.typed[field] ?? this.tags?.items[this.key(field)] ?? '';
  }

  type(field: Field, text: string): void {
    this.typed[field] = text;
  }

  /** The cover that the exported file will have. */
  readonly cover: CoverView | null = $derived.by(() => {
    if (this.chosen === 'none') return null;
    return this.chosen?.[1] ?? this.tags?.cover ?? null;
  });
  readonly coverChanged: boolean = $derived(this.chosen !== null);

  async chooseCover(): Promise<void> {
    const chosen = await this.notices.attempt(() => this.backend.call('editor.choose_cover', {}));
    if (chosen) this.chosen = chosen;
  }

  removeCover(): void {
    this.chosen = 'none';
  }

  restoreCover(): void {
    this.chosen = null;
  }

  /** The edits that are sent: only those that differ from the recording. */
  readonly edits: TagEdits = $derived.by(() => {
    const changed = FIELDS.filter((field) => this.typed[field] !== undefined && this.typed[field] !== (this.tags?.items[this.key(field)] ?? ''));
    return {
      items: Object.fromEntries(changed.map((field) => [this.key(field), this.typed[field] ?? ''])),
      ...(this.replayGain ? { replay_gain: true } : {}),
      cover: this.chosen === null ? { kind: 'keep' } : this.chosen === 'none' ? { kind: 'remove' } : { kind: 'replace', cover: this.chosen[0] },
    };
  });
}
