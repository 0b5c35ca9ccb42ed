// Spectrogram tiles of the synthetic recording: slow enough to show coarse to fine, and dropped when nobody looks any more.
// Methods differ by the length of window that shows a row; none moves energy.

import type { Commands, LaneChannels, SpectrogramAnalysis, SpectrogramPreset, SpectrogramTile, SpectrumAt } from '../../bindings';
import { walk } from '../../lib/chain';
import { hzFromPosition } from '../../lib/frequency-scale';
import { windowFramesAt } from '../../lib/resolution';
import { clamp } from '../../lib/scale';
import { codeFromDb, encodeCodes, TILE_SIDE } from '../binary';
import { power } from './effects';
import { transform } from './fft';
import type { MockDocument } from './world';

/** Windows averaged in one wide column: one while coarse. */
const MOST_WINDOWS = 2;
const COLUMNS_AT_ONCE = 24;

/** The frames of a lane: a channel, or mid or side. */
function laneReader(document: MockDocument, channels: LaneChannels, lane: number): (frame: number) => number {
  const { channels: held } = document.recording;
  const [left, right] = [held[0], held[1] ?? held[0]];
  if (!left || !right) return () => 0;
  if (channels === 'each') return (frame) => held[lane]?.[frame] ?? 0;
  const sign = channels === 'mid_side' && lane === 1 ? -1 : 1;
  return (frame) => ((left[frame] ?? 0) + sign * (right[frame] ?? 0)) / 2;
}

/** The chain's power gain at each bin; the mock's effects are all linear. */
function gains(document: MockDocument, bins: number, size: number): Float64Array {
  const { rate, chain } = document.view;
  const found = new Float64Array(bins).fill(1);
  for (const node of walk(chain.nodes)) {
    if (node.kind !== 'effect' || node.bypass) continue;
    for (let bin = 0; bin < bins; bin++) {
      const squared = power(node.effect, node.arguments, Math.max(1, (bin * rate) / size), rate);
      if (squared !== null) found[bin] = (found[bin] ?? 1) * squared;
    }
  }
  return found;
}

/** Power around a frame, a full-scale sine being 1. */
function spectrum(read: (frame: number) => number, centre: number, analysis: SpectrogramAnalysis): { power: Float64Array; size: number; re: Float64Array; im: Float64Array } {
  const length = Math.min(analysis.window_frames, 8192);
  const size = length * analysis.padding;
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  const first = Math.round(centre - length / 2);
  for (let i = 0; i < length; i++) re[i] = read(first + i) * (analysis.window === 'rectangular' ? 1 : 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length));
  transform(re, im);
  const scale = 2 / (length * (analysis.window === 'rectangular' ? 1 : 0.5));
  const found = new Float64Array(size / 2 + 1);
  for (let bin = 0; bin < found.length; bin++) found[bin] = ((re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2) * scale * scale;
  return { power: found, size, re, im };
}

/** The window that shows a frequency, to the nearest power of two. */
const lengthAt = (analysis: SpectrogramAnalysis, rate: number, hz: number): number => 2 ** clamp(Math.round(Math.log2(windowFramesAt(analysis, rate, Math.max(hz, 1)))), 6, 13);

const decibels = (squared: number): number => (squared > 1e-20 ? 10 * Math.log10(squared) : -Infinity);

export class TileMaker {
  private queue: Promise<unknown> = Promise.resolve();
  private readonly coarse = new Set<string>();
  private readonly cancelled = new Set<number>();

  constructor(private readonly delayMs: number) {}

  /** Drops requests when their turn comes. */
  cancel(requests: number[]): void {
    for (const request of requests) this.cancelled.add(request);
  }

  /** One after the other. */
  tile(document: MockDocument, tile: SpectrogramTile): Promise<ArrayBuffer> {
    const turn = this.queue.then(async () => {
      await new Promise((done) => setTimeout(done, this.delayMs));
      if (this.cancelled.delete(tile.request)) throw { code: 'cancelled', message: 'cancelled', notation: null };
      // Wide columns are guessed from one window first.
      const key = JSON.stringify({ ...tile, request: 0, row_tile: 0, row_tiles: 0 });
      const wide = 2 ** tile.level > tile.analysis.window_frames * 2;
      const exact = !wide || this.coarse.has(key);
      this.coarse.add(key);
      return this.make(document, tile, exact);
    });
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async make(document: MockDocument, tile: SpectrogramTile, exact: boolean): Promise<ArrayBuffer> {
    const { rate, frames } = document.view;
    const { analysis } = tile;
    const rows = tile.row_tiles * TILE_SIDE;
    const axis = TILE_SIDE * 2 ** tile.row_level;
    const hz = Float64Array.from({ length: rows + 1 }, (_, row) => hzFromPosition((tile.row_tile * TILE_SIDE + row) / axis, analysis.scale, rate));
    const width = 2 ** tile.level;
    const first = tile.column_tile * TILE_SIDE;
    const columns = Math.max(0, Math.min(TILE_SIDE, Math.ceil(frames / width) - first));
    const codes = new Uint16Array(columns * rows);
    const read = laneReader(document, tile.channels, tile.lane);
    const lengths = new Map<number, number[]>();
    for (let row = 0; row < rows; row++) {
      const length = lengthAt(analysis, rate, ((hz[row] ?? 0) + (hz[row + 1] ?? 0)) / 2);
      lengths.set(length, [...(lengths.get(length) ?? []), row]);
    }
    for (let column = 0; column < columns; column++) {
      if (column % COLUMNS_AT_ONCE === 0) await new Promise((done) => setTimeout(done, 0));
      for (const [length, served] of lengths) {
        const windows = exact ? Math.max(1, Math.min(MOST_WINDOWS, Math.floor(width / length))) : 1;
        let mean: Float64Array | null = null;
        let size = 2;
        for (let k = 0; k < windows; k++) {
          const found = spectrum(read, (first + column + (k + 0.5) / windows) * width, { ...analysis, window_frames: length });
          size = found.size;
          if (!mean) mean = found.power;
          else for (let bin = 0; bin < mean.length; bin++) mean[bin] = (mean[bin] ?? 0) + (found.power[bin] ?? 0);
        }
        if (!mean) continue;
        if (tile.side === 'processed') {
          const gain = gains(document, mean.length, size);
          for (let bin = 0; bin < mean.length; bin++) mean[bin] = (mean[bin] ?? 0) * (gain[bin] ?? 1);
        }
        for (const row of served) codes[row * columns + column] = codeFromDb(decibels(level(mean, hz[row] ?? 0, hz[row + 1] ?? 0, size / rate) / windows));
      }
    }
    return encodeCodes(columns, rows, exact, codes);
  }
}

/** The strongest bin of a row, or what lies between two bins where rows are narrower. */
function level(spectrum: Float64Array, lowHz: number, highHz: number, binsPerHz: number): number {
  const from = Math.ceil(lowHz * binsPerHz);
  const to = Math.floor(highHz * binsPerHz);
  if (to > from) {
    let most = 0;
    for (let bin = from; bin <= to; bin++) most = Math.max(most, spectrum[bin] ?? 0);
    return most;
  }
  const place = ((lowHz + highHz) / 2) * binsPerHz;
  const bin = Math.floor(place);
  const share = place - bin;
  return (spectrum[bin] ?? 0) ** (1 - share) * (spectrum[bin + 1] ?? 0) ** share;
}

export function spectrumAt(document: MockDocument, at: Commands['spectrum_at']['args']): SpectrumAt {
  const { rate } = document.view;
  const found = spectrum(laneReader(document, at.channels, at.lane), at.frame, at.analysis);
  if (at.side === 'processed') {
    const gain = gains(document, found.power.length, found.size);
    for (let bin = 0; bin < found.power.length; bin++) found.power[bin] = (found.power[bin] ?? 0) * (gain[bin] ?? 1);
  }
  const bins = found.size / rate;
  const near = Math.round(at.hz * bins);
  const reach = 4 * at.analysis.padding;
  let peak = near;
  for (let bin = Math.max(1, near - reach); bin <= Math.min(found.power.length - 2, near + reach); bin++) if ((found.power[bin] ?? 0) > (found.power[peak] ?? 0)) peak = bin;
  const [a, b, c] = [peak - 1, peak, peak + 1].map((bin) => decibels(found.power[bin] ?? 0));
  const finite = (value: number | undefined): number | null => (value !== undefined && Number.isFinite(value) ? value : null);
  const bend = (a ?? 0) - 2 * (b ?? 0) + (c ?? 0);
  const shift = Number.isFinite(bend) && bend < 0 ? ((a ?? 0) - (c ?? 0)) / (2 * bend) : 0;
  return {
    db: finite(decibels(level(found.power, at.hz, at.hz, bins))),
    peak_hz: (peak + shift) / bins,
    peak_db: finite((b ?? 0) - (((a ?? 0) - (c ?? 0)) * shift) / 4),
    phase_rad: Math.atan2(found.im[peak] ?? 0, found.re[peak] ?? 0),
  };
}

const preset = (name: string, title: string, help: string, window_frames: number, scale: SpectrogramAnalysis['scale'], gain_db: number, range_db: number): SpectrogramPreset => ({
  name,
  title,
  help,
  analysis: { method: name === 'music' ? 'multi_resolution' : 'fourier', bins_per_octave: 36, window: 'hann', window_frames, padding: 2, scale },
  gain_db,
  range_db,
});

export const SPECTROGRAM_PRESETS: SpectrogramPreset[] = [
  preset('speech', 'Speech', 'Formants and syllables, up to where consonants end.', 1024, 'mel', 20, 70),
  preset('music', 'Music', 'Notes apart from each other, octaves evenly spread.', 4096, 'log', 20, 80),
  preset('birds', 'Birds', 'Fast calls at high frequencies.', 512, 'linear', 30, 70),
  preset('mains', 'Mains hum', 'Single hertz apart, at the foot of the scale.', 32_768, 'log', 30, 90),
];
