// The tracks of a document: their waveforms, and what is being renamed.

import { decodePeaks, type Backend } from '../backend';
import type { DocumentView, TrackChoice, TrackEdit, TrackView } from '../bindings';
import { TileCache } from '../draw/tiles';
import { latestOnly } from '../lib/coalesce';
import { chosenTrack, isChosen } from '../lib/tracks';

interface Picture {
  /** The sound that the tiles are of. */
  sound: string;
  cache: TileCache;
}

export class TracksState {
  /** Counts tiles that came, so that pictures are drawn again. */
  pictures = $state(0);
  /** The track whose name is being typed. */
  namingId: number | null = $state(null);
  /** Where a clip that is dragged over another track would come to lie. */
  drop: { track: number; start: number; end: number } | null = $state.raw(null);
  private readonly caches = new Map<number, Picture>();
  private readonly sendDrag: (drag: { edit: TrackEdit; gesture: number }) => void;

  constructor(
    private readonly backend: Backend,
    private readonly document: number,
    private readonly view: () => DocumentView,
    private readonly adopt: (view: DocumentView) => void,
  ) {
    this.sendDrag = latestOnly(
      (drag) => this.backend.call('editor.edit_tracks', { document, ...drag }),
      (view) => this.adopt(view),
    );
  }

  get all(): TrackView[] {
    return this.view().tracks;
  }

  /** The track that is in front; null for a plain document and for the sum. */
  get chosen(): TrackView | null {
    return chosenTrack(this.view());
  }

  get onSum(): boolean {
    return this.view().chosen === 'sum';
  }

  /** The waveform of a track. */
  tilesOf(track: TrackView): TileCache {
    const { frames } = this.view();
    const known = this.caches.get(track.id);
    if (known?.sound === track.sound) return known.cache;
    if (known) {
      known.sound = track.sound;
      known.cache.reset(frames);
      return known.cache;
    }
    const peaks = async (start: number, end: number, columns: number) => decodePeaks(await this.backend.trackPeaks(this.document, track.id, start, end, columns));
    const samples = async (start: number, end: number) => {
      // A column of one frame is its sample.
      const { channels, max } = await peaks(start, end, Math.max(1, end - start));
      return { channels, frames: end - start, known: true, data: max };
    };
    const cache = new TileCache({ peaks, samples }, frames, () => this.pictures++);
    this.caches.set(track.id, { sound: track.sound, cache });
    return cache;
  }

  /** A recording was read further. */
  refresh(whole: boolean): void {
    for (const { cache } of this.caches.values()) cache.refresh(whole);
  }

  async choose(choice: TrackChoice): Promise<void> {
    if (!isChosen(this.view(), choice)) this.adopt(await this.backend.call('editor.choose_track', { document: this.document, choice }));
  }

  async edit(edit: TrackEdit): Promise<void> {
    this.adopt(await this.backend.call('editor.edit_tracks', { document: this.document, edit, gesture: null }));
  }

  /** Changes of one gesture are one step; only the latest is sent. */
  drag(edit: TrackEdit, gesture: number): void {
    this.sendDrag({ edit, gesture });
  }

  /** Lets the user choose recordings, and adds them. */
  async import(): Promise<void> {
    this.adopt(await this.backend.call('editor.import_tracks', { document: this.document }));
  }

  /** Lets the user choose a folder, and writes each track there. */
  async export(): Promise<void> {
    await this.backend.call('editor.export_stems', { document: this.document });
  }

  async rename(track: number, name: string): Promise<void> {
    this.namingId = null;
    if (name !== '' && name !== this.all.find((each) => each.id === track)?.name) await this.edit({ kind: 'rename', track, name });
  }

  close(): void {
    for (const { cache } of this.caches.values()) cache.close();
  }
}
