// The spectrogram of one document: its tiles, which frequencies are visible, and what the pointer and the cursor meet.

import type { FrequencyScale, LaneChannels, Side, SpectrogramAnalysis, SpectrumAt } from '../bindings';
import { ShownPicture } from '../draw/spectrogram-shown';
import { SpectrogramTiles, type AskTile } from '../draw/spectrogram-tiles';
import { latestOnly } from '../lib/coalesce';
import { axisOnScale, WHOLE_AXIS, type FrequencyView } from '../lib/frequency-scale';
import type { Content } from '../lib/lanes';
import type { Reading } from '../lib/reading';

/** A place in a lane. */
export interface Spot {
  frame: number;
  hz: number;
  lane: number;
}

export interface SpectrumQuestion extends Spot {
  analysis: SpectrogramAnalysis;
  channels: LaneChannels;
}

export type AskSpectrum = (question: SpectrumQuestion & { side: Side }) => Promise<SpectrumAt>;

export class SpectrogramState {
  readonly tiles: SpectrogramTiles;
  readonly shown: ShownPicture;
  /** Counts tiles that came, so that pictures are drawn again. */
  pictures = $state(0);
  axis: FrequencyView = $state.raw(WHOLE_AXIS);
  /** Where the original ends and the processed side begins, 0..1 of the width. */
  wipe = $state(0.5);
  /** The side whose picture is on the screen; null while none is, and where sides are compared. */
  drawnSide: Side | null = $state(null);
  hover: Spot | null = $state.raw(null);
  /** The frequency that a click chose, in its lane. */
  mark: { hz: number; lane: number } | null = $state.raw(null);
  /** The spectrum at the pointer, or at the cursor when the pointer is away. */
  reading: Reading | null = $state.raw(null);
  readonly look: (question: SpectrumQuestion & { content: Content }) => void;

  constructor(ask: AskTile, cancel: (requests: number[]) => void, spectrumAt: AskSpectrum | null, frames: number, rate: number) {
    this.tiles = new SpectrogramTiles(ask, frames, () => this.pictures++, cancel);
    this.shown = new ShownPicture(this.tiles, rate);
    this.look = latestOnly(
      async ({ content, ...question }): Promise<Reading> => {
        const of = (side: Side) => (spectrumAt && (content === side || content === 'difference') ? spectrumAt({ ...question, side }) : null);
        const [original, processed] = await Promise.all([of('original'), of('processed')]);
        return { content, original, processed };
      },
      (reading) => (this.reading = reading),
    );
  }

  /** Keeps the same frequencies in sight on another scale. */
  rescale(from: FrequencyScale, to: FrequencyScale, rate: number): void {
    this.axis = axisOnScale(this.axis, from, to, rate);
  }

  close(): void {
    this.tiles.close();
  }
}
