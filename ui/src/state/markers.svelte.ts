// The markers and regions of a document: what the core has, which is chosen, and what is being dragged or named.

import type { Backend } from '../backend';
import type { DocumentView, FrameRange, MarkerEdit, MarkerView } from '../bindings';
import { freshName, inOrder, rowsOf, within } from '../lib/markers';
import { text } from '../text/catalogue';

/** Where a name is being typed. */
export type NamingPlace = 'strip' | 'panel';

export class MarkersState {
  /** As the core has them, by their starts. */
  known: MarkerView[] = $state.raw([]);
  /** The marker that is acted upon. */
  chosenId: number | null = $state(null);
  naming: { id: number; place: NamingPlace } | null = $state.raw(null);
  /** A marker as it is dragged; the core has it where it was. */
  moving: MarkerView | null = $state.raw(null);
  /** As they are seen. */
  readonly all: MarkerView[] = $derived.by(() => {
    const { moving } = this;
    return moving === null ? this.known : inOrder(this.known.map((marker) => (marker.id === moving.id ? moving : marker)));
  });
  readonly chosen: MarkerView | null = $derived(this.all.find((marker) => marker.id === this.chosenId) ?? null);
  /** Rows do not change while a marker is dragged. */
  readonly rows = $derived(rowsOf(this.known));
  private key = '';
  private asked: Promise<void> = Promise.resolve();

  constructor(
    private readonly backend: Backend,
    private readonly document: number,
    private readonly adopt: (view: DocumentView) => void,
  ) {}

  /** Takes the key of the markers that the core has. Settles once those are known. */
  take(key: string): Promise<void> {
    if (key !== this.key) {
      this.key = key;
      this.asked = this.ask(key);
    }
    return this.asked;
  }

  private async ask(key: string): Promise<void> {
    // A document that is being closed has none any more.
    const found = key === '' ? [] : await this.backend.call('editor.markers', { document: this.document }).catch(() => null);
    if (found === null || key !== this.key) return;
    this.known = found;
    const exists = (id: number | undefined) => found.some((marker) => marker.id === id);
    if (!exists(this.chosenId ?? undefined)) this.chosenId = null;
    if (!exists(this.naming?.id)) this.naming = null;
  }

  /** Takes a document that a command returned, and settles once its markers are known. */
  private async took(view: DocumentView): Promise<void> {
    this.adopt(view);
    await this.asked;
  }

  private async edit(edit: MarkerEdit): Promise<void> {
    await this.took(await this.backend.call('editor.edit_markers', { document: this.document, edit }));
  }

  /** Adds a marker or region with an unused name, and chooses it. Returns its number. */
  async add(startFrame: number, endFrame: number | null): Promise<number | null> {
    const before = new Set(this.known.map((marker) => marker.id));
    const name = freshName(this.known, endFrame !== null, endFrame === null ? text.markers.numbered : text.markers.numberedRegion);
    await this.edit({ kind: 'add', start_frame: Math.round(startFrame), end_frame: endFrame === null ? null : Math.round(endFrame), name });
    const added = this.known.find((marker) => !before.has(marker.id))?.id ?? null;
    this.chosenId = added;
    return added;
  }

  rename(id: number, name: string): Promise<void> {
    return this.edit({ kind: 'rename', id, name });
  }

  /** Puts a marker where it is seen. */
  async place({ id, start_frame, end_frame }: MarkerView): Promise<void> {
    try {
      await this.edit({ kind: 'place', id, start_frame, end_frame });
    } finally {
      this.moving = null;
    }
  }

  remove(ids: number[]): Promise<void> {
    return this.edit({ kind: 'delete', ids });
  }

  removeWithin(selection: FrameRange | null): Promise<void> {
    return this.remove(within(this.known, selection).map((marker) => marker.id));
  }

  /** Lets the user choose a file of markers, and adds them. */
  async import(): Promise<void> {
    await this.took(await this.backend.call('editor.import_markers', { document: this.document }));
  }

  /** Lets the user choose a file for the markers. Returns its name; null if nothing was written. */
  export(): Promise<string | null> {
    return this.backend.call('editor.export_markers', { document: this.document });
  }
}
