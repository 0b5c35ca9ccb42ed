// Levels of the selection and at the cursor, on the side that is heard.

import type { Backend } from '../backend';
import type { FrameRange, FrequencyBand, Levels, Side } from '../bindings';
import { settled } from '../lib/coalesce';

/** How long things rest before they are measured. */
const REST_MS = 120;

/** The answer to the last question. That to an earlier one is never taken for it. */
class Measured<Args, Found> {
  private key: string | null = $state(null);
  private found: { key: string; value: Found | null } | null = $state.raw(null);
  /** Null while it is measured, and where it cannot be. */
  readonly value: Found | null = $derived(this.found !== null && this.found.key === this.key ? this.found.value : null);
  readonly pending: boolean = $derived(this.key !== null && this.found?.key !== this.key);
  private readonly send: (question: { key: string; args: Args }) => void;

  constructor(call: (args: Args) => Promise<Found>) {
    this.send = settled(REST_MS, ({ key, args }) => {
      // A question that is no longer asked was cancelled by the next one.
      if (key !== this.key) return;
      const take = (value: Found | null): void => {
        if (key === this.key) this.found = { key, value };
      };
      call(args).then(take, () => take(null));
    });
  }

  /** Asks about the sound that `sound` tells from any other; for no arguments there is nothing to know. */
  ask(sound: string, args: Args | null): void {
    const key = args === null ? null : JSON.stringify([sound, args]);
    if (key === this.key) return;
    this.key = key;
    if (key !== null && args !== null) this.send({ key, args });
  }
}

interface Place {
  /** Tells this sound from any other that the document had or will have. */
  sound: string;
  /** Whether the processed side is another sound than the original. */
  chained: boolean;
  selection: FrameRange | null;
  band: FrequencyBand | null;
  cursor: FrameRange | null;
}

export class LevelsState {
  /** The side that is measured. */
  side: Side = $state('original');
  readonly selection: Measured<{ side: Side; range: FrameRange; band: FrequencyBand | null }, Levels>;
  readonly cursor: Measured<{ side: Side; range: FrameRange }, Levels>;
  private place: Place | null = null;

  constructor(backend: Backend, document: number) {
    this.selection = new Measured((args) => backend.call('editor.region_levels', { document, ...args }));
    this.cursor = new Measured((args) => backend.call('editor.levels', { document, ...args }));
  }

  /** Measures the side that is heard from now on. */
  hear(side: Side): void {
    if (side === this.side) return;
    this.side = side;
    if (this.place) this.measure(this.place);
  }

  measure(place: Place): void {
    this.place = place;
    const side = place.chained ? this.side : 'original';
    this.selection.ask(place.sound, place.selection && { side, range: place.selection, band: place.band });
    this.cursor.ask(place.sound, place.cursor && { side, range: place.cursor });
  }
}
