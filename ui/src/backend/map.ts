// The map of the library as the core gives it: six words of 32 bits, then a column for each thing that points have,
// little-endian. A hundred thousand points are 6.6 MB; as JSON they would be four times as much.
//
//   whether there is a map (1 or 0), points that follow, dimensions of which they have a value, whether the library has
//   changed since (1 or 0), trustworthiness as f32 (not a number where there is none), a reserved word
//   numbers of the tracks, f64
//   from left to right and from the top down, 0 to 1, f32 each
//   dimension by dimension, in the order of the library's: the share of its tracks with a lower value, u16

export interface MapBlock {
  ids: Float64Array;
  x: Float32Array;
  y: Float32Array;
  /** By dimension, in parts of `ALL_TRACKS`; `NO_SHARE` where a track has no value. */
  shares: Uint16Array[];
  /** Share of the neighbours on the map that are neighbours by sound, 0 to 1. */
  trustworthiness: number | null;
  /** Whether the library has changed since. */
  outdated: boolean;
}

export const ALL_TRACKS = 65_534;
export const NO_SHARE = 65_535;

/** As a number from 0 to 1; none where there is no value. */
export const shareOf = (stored: number | undefined): number | null => (stored === undefined || stored === NO_SHARE ? null : stored / ALL_TRACKS);
export const storedShare = (share: number | null): number => (share === null ? NO_SHARE : Math.round(share * ALL_TRACKS));

const HEADER_BYTES = 24;
const POINT_BYTES = 16;

export function decodeMap(buffer: ArrayBuffer): MapBlock | null {
  const [there = 0, count = 0, dimensions = 0, outdated = 0] = new Uint32Array(buffer, 0, 4);
  if (there === 0) return null;
  const [trustworthiness = NaN] = new Float32Array(buffer, 16, 1);
  const places = HEADER_BYTES + count * 8;
  const shares = HEADER_BYTES + count * POINT_BYTES;
  return {
    ids: new Float64Array(buffer, HEADER_BYTES, count),
    x: new Float32Array(buffer, places, count),
    y: new Float32Array(buffer, places + count * 4, count),
    shares: Array.from({ length: dimensions }, (_, dimension) => new Uint16Array(buffer, shares + dimension * count * 2, count)),
    trustworthiness: Number.isNaN(trustworthiness) ? null : trustworthiness,
    outdated: outdated === 1,
  };
}

/** As the core writes it, for tests; `whole` as the question says. */
export function encodeMap(map: MapBlock | null, whole: boolean): ArrayBuffer {
  if (!map) return new ArrayBuffer(HEADER_BYTES);
  const count = whole ? map.ids.length : 0;
  const dimensions = whole ? map.shares.length : 0;
  const buffer = new ArrayBuffer(HEADER_BYTES + count * (POINT_BYTES + dimensions * 2));
  new Uint32Array(buffer, 0, 4).set([1, count, dimensions, map.outdated ? 1 : 0]);
  new Float32Array(buffer, 16, 1).set([map.trustworthiness ?? NaN]);
  const made = decodeMap(buffer);
  if (!made || !whole) return buffer;
  made.ids.set(map.ids);
  made.x.set(map.x);
  made.y.set(map.y);
  made.shares.forEach((shares, dimension) => shares.set(map.shares[dimension] ?? []));
  return buffer;
}
