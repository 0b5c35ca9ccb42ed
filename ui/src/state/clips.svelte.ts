// The clips of a document: what the core has, and what a drag is making of one.

import type { Backend } from '../backend';
import type { ClipEdit, DocumentView } from '../bindings';
import { placedClips, wholeClip, type ClipDrag, type PlacedClip } from '../lib/clips';
import { chosenTrack } from '../lib/tracks';
import type { DocumentState } from './document.svelte';

/** Whether the clips are asked for: of a recording that was only opened the whole is known. */
const isListed = (data: DocumentView): boolean => data.arranged || (data.tracks.length > 0 && data.chosen !== 'sum');

export class ClipsState {
  private known: PlacedClip[] = $state.raw([]);
  /** Those of the track in front, as the core has them; of a recording that was only opened, the whole. The sum has none. */
  readonly all: PlacedClip[] = $derived.by(() => {
    const { data } = this.document;
    if (data.chosen === 'sum') return [];
    return isListed(data) ? this.known : [wholeClip(chosenTrack(data)?.frames ?? data.frames)];
  });
  /** A clip as it is dragged; the core has it as it was. */
  drag: ClipDrag | null = $state.raw(null);
  private sound = -1;
  /** A document whose clips have not been asked for yet. */
  private wanted: DocumentView | null = null;
  private asked: Promise<void> | null = null;

  constructor(
    private readonly backend: Backend,
    private readonly document: DocumentState,
  ) {}

  /** Takes what the core says of a document. Settles once its clips are known. */
  take(data: DocumentView): Promise<void> {
    if (data.sound !== this.sound) {
      this.sound = data.sound;
      this.wanted = data;
    }
    if (this.wanted) this.asked ??= this.ask();
    return this.asked ?? Promise.resolve();
  }

  /** Asks for the latest clips; of edits that came in the meantime only the last counts. */
  private async ask(): Promise<void> {
    // After the call, which keeps the promise until everything is known.
    await Promise.resolve();
    for (let data = this.wanted; data; data = this.wanted) {
      this.wanted = null;
      // A document that is being closed has none any more.
      const found = isListed(data) ? await this.backend.call('editor.clips', { document: data.id }).catch(() => null) : [];
      if (found !== null) this.known = placedClips(found);
    }
    this.asked = null;
  }

  /** Edits a clip, and settles once the clips are those after it. */
  async edit(clip: number, edit: ClipEdit): Promise<void> {
    try {
      await this.document.editSound({ kind: 'clip', clip, edit });
      await this.asked;
    } finally {
      this.drag = null;
    }
  }
}
