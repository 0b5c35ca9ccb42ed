// Pictures of two sounds of a comparison that lie over each other: waveforms and spectrograms.

import { decodeCodes, decodePeaks, decodeSamples, type Backend } from '../../backend';
import type { CompareSound, CompareTimeline, Side, WaveformView } from '../../bindings';
import { TileCache } from '../../draw/tiles';
import { settled } from '../../lib/coalesce';
import { sameSound } from './measures';
import { SpectrogramState } from '../../state/spectrogram.svelte';

export class ComparePictures {
  /** Counts waveform tiles that came, so that pictures are drawn again. */
  pictures = $state(0);
  readonly tiles: Record<Side, TileCache>;
  /** The spectrogram of each, and of both over each other: a picture asks for its tiles by itself. */
  readonly spectrograms: Record<Side | 'both', SpectrogramState>;
  private readonly refresh: Record<Side, (whole: boolean) => void>;

  constructor(
    backend: Backend,
    readonly sounds: Record<Side, CompareSound>,
    readonly timeline: CompareTimeline,
  ) {
    const { frames, rate } = timeline;
    const tilesOf = (sound: CompareSound) =>
      new TileCache(
        {
          peaks: async (start, end, columns) => decodePeaks(await backend.comparePeaks(sound, start, end, columns)),
          samples: async (start, end) => decodeSamples(await backend.compareSamples(sound, start, end)),
        },
        frames,
        () => this.pictures++,
      );
    this.tiles = { original: tilesOf(sounds.original), processed: tilesOf(sounds.processed) };
    const spectrogram = () =>
      new SpectrogramState(
        async (tile) => decodeCodes(await backend.compareSpectrogram(sounds.original, sounds.processed, tile)),
        (requests) => void backend.call('compare.cancel_tiles', { requests }).catch(() => undefined),
        null,
        frames,
        rate,
      );
    this.spectrograms = { original: spectrogram(), processed: spectrogram(), both: spectrogram() };
    const refresh = (side: Side) => settled(200, (whole: boolean) => this.tiles[side].refresh(whole));
    this.refresh = { original: refresh('original'), processed: refresh('processed') };
  }

  /** A waveform was refined. */
  takePeaks(sound: CompareSound, waveform: WaveformView): void {
    for (const side of ['original', 'processed'] as const) if (sameSound(this.sounds[side], sound)) this.refresh[side](waveform.exact_share >= 1);
  }

  close(): void {
    for (const each of Object.values(this.spectrograms)) each.close();
    this.tiles.original.close();
    this.tiles.processed.close();
  }
}
