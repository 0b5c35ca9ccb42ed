// The colours of spectrograms as tables of 256 entries, from silent to loud, interpolated from the core's points.

import { COLOUR_POINTS as POINTS, type ColourMap } from '../bindings';

export const COLOUR_MAPS: readonly ColourMap[] = ['undertone', 'viridis', 'magma', 'inferno', 'cividis', 'grey'];
export const MAP_ENTRIES = 256;

const made = new Map<string, Uint8ClampedArray>();

/** 256 entries of red, green, blue and alpha. */
export function colourTable(name: ColourMap | 'difference'): Uint8ClampedArray {
  const known = made.get(name);
  if (known) return known;
  const hex = POINTS[name];
  const points = hex.length / 6;
  const part = (point: number, channel: number): number => parseInt(hex.slice(point * 6 + channel * 2, point * 6 + channel * 2 + 2), 16);
  const table = new Uint8ClampedArray(MAP_ENTRIES * 4);
  for (let entry = 0; entry < MAP_ENTRIES; entry++) {
    const place = (entry / (MAP_ENTRIES - 1)) * (points - 1);
    const point = Math.min(points - 2, Math.floor(place));
    const share = place - point;
    for (let channel = 0; channel < 3; channel++) {
      table[entry * 4 + channel] = Math.round(part(point, channel) * (1 - share) + part(point + 1, channel) * share);
    }
    table[entry * 4 + 3] = 255;
  }
  made.set(name, table);
  return table;
}
