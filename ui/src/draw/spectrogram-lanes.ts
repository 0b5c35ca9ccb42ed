// The picture of all lanes: the tiles it needs of each side, and the layout of its regions.

import type { FrameRange, Side, SpectrogramAnalysis, SpectrogramDisplay } from '../bindings';
import type { FrequencyView } from '../lib/frequency-scale';
import type { LaneSet } from '../lib/lanes';
import type { Patch } from './spectrogram-grid';
import { colourTables, type ColourTables, type Picture, type Region } from './spectrogram-picture';
import type { SpectrogramTiles } from './spectrogram-tiles';
import { span } from '../lib/view';
import { laneTop, type Lanes } from './waveform';

export interface LanesPicture {
  view: FrameRange;
  axis: FrequencyView;
  analysis: SpectrogramAnalysis;
  compare: SpectrogramDisplay['compare'];
  /** The side to show while sides are not compared. */
  side: Side;
  /** The chain as text. */
  chain: string;
  /** Where the original ends, 0..1. */
  wipe: number;
  set: LaneSet;
  lanes: Lanes;
  width: number;
  height: number;
  /** The factor by which the picture's resolution grows when the view rests. */
  finer: number;
  tables: ColourTables;
}

/** Makes the picture of the lanes. With `asking`, missing tiles are noted; otherwise only existing ones are drawn. */
export function pictureOfLanes(tiles: SpectrogramTiles, of: LanesPicture, asking: boolean): Picture {
  const { width, height, lanes, set, compare } = of;
  // On whole pixels a scrolling picture can be moved instead of redrawn, with an error of at most half a pixel.
  const perPixel = Number((span(of.view) / width).toPrecision(9));
  const pixel = Math.round(of.view.start / perPixel);
  const view: FrameRange = { start: pixel * perPixel, end: (pixel + width) * perPixel };
  const form = JSON.stringify([perPixel, of.axis, of.analysis, compare, of.side, of.chain, set, lanes, width, height]);
  const picture: Picture = { width, height, original: [], processed: [], regions: [], tables: of.tables, form, pixel };
  const divider = compare === 'wipe' ? Math.round(of.wipe * width) : compare === 'difference' || of.side === 'original' ? width : 0;
  for (let lane = 0; lane < set.count; lane++) {
    const top = Math.round(laneTop(lanes, lane));
    const tall = Math.max(1, Math.round(laneTop(lanes, lane) + lanes.height) - top);
    const window = { view, axis: of.axis, width, height: tall, finer: of.finer };
    const patches = (side: Side): Patch[] => {
      const layer = { analysis: of.analysis, channels: set.channels, lane, side, chain: of.chain };
      const found = asking ? tiles.patches(layer, window) : tiles.patchesHeld(layer, window);
      return found.map((patch) => ({ ...patch, y0: patch.y0 + top, y1: patch.y1 + top }));
    };
    if (divider > 0) picture.original.push(...patches('original'));
    if (compare === 'difference' || divider < width) picture.processed.push(...patches('processed'));
    const region = (x: number, wide: number, show: Region['show']) => {
      if (wide > 0) picture.regions.push({ x, y: top, width: wide, height: Math.min(tall, height - top), show });
    };
    if (compare === 'difference') region(0, width, 'difference');
    else {
      region(0, divider, 'original');
      region(divider, width - divider, 'processed');
    }
  }
  return picture;
}

/** The tables of recently used displays: lanes side by side may differ in gain. */
const held = new Map<string, ColourTables>();
const MOST_HELD = 3;

/** The tables for a display, rebuilt only when colours, gain or range change. */
export function tablesFor(display: Pick<SpectrogramDisplay, 'colours' | 'gain_db' | 'range_db'>): ColourTables {
  const key = `${display.colours} ${display.gain_db} ${display.range_db}`;
  const known = held.get(key);
  if (known) return known;
  if (held.size >= MOST_HELD) held.delete([...held.keys()][0] ?? '');
  const tables = colourTables(display);
  held.set(key, tables);
  return tables;
}
