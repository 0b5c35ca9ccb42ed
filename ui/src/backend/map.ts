// The map of the library as the core sends it: 14 words of 32 bits, then a column for each property of the points,
// little-endian. A hundred thousand points are 6.6 MB; JSON would be four times as large.
//
//   whether there is a map (1 or 0), number of points, number of dimensions, whether the library has changed since
//   (1 or 0)
//   number of neighbours used to measure the map (0 if not measured); as f32, NaN if not measured: share of each
//   track's nearest that is kept, trustworthiness, continuity
//   pairs of tracks that are 99 % alike; as f32, the distance of the farthest pair as a share of the map's larger side
//   from left to right: the dimension (the largest number if none) and its correlation as f32; the same from the top down
//   numbers of the tracks, f64
//   positions from left to right and from the top down, 0 to 1, f32 each
//   for each dimension, in the library's order: the share of its tracks with a lower value, u16

/** How well a map keeps neighbours; all shares from 0 to 1. */
export interface MapQuality {
  /** The number of neighbours considered for each track. */
  neighbours: number;
  /** The share of each track's nearest neighbours that are also its nearest on the map. */
  kept: number;
  trustworthiness: number;
  continuity: number;
}

/** The dimension that best follows a direction of the map, with the rank correlation, -1 to 1. */
export interface MapAxis {
  dimension: number;
  correlation: number;
}

export interface MapBlock {
  ids: Float64Array;
  x: Float32Array;
  y: Float32Array;
  /** By dimension, in parts of `ALL_TRACKS`; `NO_SHARE` where a track has no value. */
  shares: Uint16Array[];
  /** Null if it could not be measured, or an earlier version made the map. */
  quality: MapQuality | null;
  /** Pairs of tracks that are 99 % alike, and the distance of the farthest pair as a share of the map's larger side. */
  alike: { pairs: number; farthest: number };
  /** From left to right. */
  across: MapAxis | null;
  /** From the top down. */
  down: MapAxis | null;
  /** Whether the library has changed since. */
  outdated: boolean;
}

export const ALL_TRACKS = 65_534;
export const NO_SHARE = 65_535;

/** Returns a stored share as a number from 0 to 1; null if there is no value. */
export const shareOf = (stored: number | undefined): number | null => (stored === undefined || stored === NO_SHARE ? null : stored / ALL_TRACKS);
export const storedShare = (share: number | null): number => (share === null ? NO_SHARE : Math.round(share * ALL_TRACKS));

const HEADER_BYTES = 56;
const POINT_BYTES = 16;
const NO_DIMENSION = 0xffff_ffff;

export function decodeMap(buffer: ArrayBuffer): MapBlock | null {
  const words = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
  const numbers = new Float32Array(buffer, 0, HEADER_BYTES / 4);
  const [there = 0, count = 0, dimensions = 0, outdated = 0, neighbours = 0] = words;
  if (there === 0) return null;
  const number = (at: number): number => numbers[at] ?? NaN;
  const axis = (at: number): MapAxis | null => (words[at] === NO_DIMENSION ? null : { dimension: words[at] ?? 0, correlation: number(at + 1) });
  const places = HEADER_BYTES + count * 8;
  const shares = HEADER_BYTES + count * POINT_BYTES;
  return {
    ids: new Float64Array(buffer, HEADER_BYTES, count),
    x: new Float32Array(buffer, places, count),
    y: new Float32Array(buffer, places + count * 4, count),
    shares: Array.from({ length: dimensions }, (_, dimension) => new Uint16Array(buffer, shares + dimension * count * 2, count)),
    quality: neighbours === 0 ? null : { neighbours, kept: number(5), trustworthiness: number(6), continuity: number(7) },
    alike: { pairs: words[8] ?? 0, farthest: number(9) },
    across: axis(10),
    down: axis(12),
    outdated: outdated === 1,
  };
}

/** Encodes a map as the core does, for tests; includes the points only if `whole`. */
export function encodeMap(map: MapBlock | null, whole: boolean): ArrayBuffer {
  if (!map) return new ArrayBuffer(HEADER_BYTES);
  const count = whole ? map.ids.length : 0;
  const dimensions = whole ? map.shares.length : 0;
  const buffer = new ArrayBuffer(HEADER_BYTES + count * (POINT_BYTES + dimensions * 2));
  const words = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
  const numbers = new Float32Array(buffer, 0, HEADER_BYTES / 4);
  words.set([1, count, dimensions, map.outdated ? 1 : 0, map.quality?.neighbours ?? 0]);
  numbers.set([map.quality?.kept ?? NaN, map.quality?.trustworthiness ?? NaN, map.quality?.continuity ?? NaN], 5);
  words[8] = map.alike.pairs;
  numbers[9] = map.alike.farthest;
  for (const [at, axis] of [[10, map.across], [12, map.down]] as const) {
    words[at] = axis && whole ? axis.dimension : NO_DIMENSION;
    numbers[at + 1] = axis && whole ? axis.correlation : NaN;
  }
  const made = decodeMap(buffer);
  if (!made || !whole) return buffer;
  made.ids.set(map.ids);
  made.x.set(map.x);
  made.y.set(map.y);
  made.shares.forEach((shares, dimension) => shares.set(map.shares[dimension] ?? []));
  return buffer;
}
