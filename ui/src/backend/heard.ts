// The binary answers about the sound being played: sixteen 32-bit words, then 32-bit floats, little-endian.

import type { Side } from '../bindings';

const WORDS = 16;
const SOUNDING = 1;
const PROCESSED = 2;
const BOTH = 4;
const HELD = 8;

/** Both sides of something: the original, the processed. */
export type Pair<T> = [original: T, processed: T];

export interface LoudnessNumbers {
  momentary: number | null;
  shortTerm: number | null;
  integrated: number | null;
  range: number | null;
  truePeak: number | null;
}

export interface MonitorLane {
  levels: Pair<Float32Array>;
  held: Pair<Float32Array> | null;
}

export interface MonitorFrame {
  /** Equal numbers mean the same frame. */
  sequence: number;
  /** Whether this is sound; otherwise it is the silence after it. */
  sounding: boolean;
  side: Side;
  /** Whether the other side could also be read. */
  both: boolean;
  /** 0 before anything was played. */
  rate: number;
  channels: number;
  pair: [number, number];
  lanes: MonitorLane[];
  /** Side and mid in turn. */
  goniometer: Float32Array;
  correlation: number | null;
  loudness: LoudnessNumbers;
}

export interface LoudnessBlock {
  generation: number;
  /** The index of the first point in this block. */
  from: number;
  finished: boolean;
  share: number;
  integrated: number | null;
  range: number | null;
  maxMomentary: number | null;
  maxShortTerm: number | null;
  momentary: Float32Array;
  shortTerm: Float32Array;
}

const numberOf = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value);

export function decodeMonitor(buffer: ArrayBuffer): MonitorFrame {
  const words = new Uint32Array(buffer, 0, WORDS);
  const numbers = new Float32Array(buffer, 0, WORDS);
  const [sequence = 0, flags = 0, rate = 0, channels = 0, left = 0, right = 0, lanes = 0, points = 0, dots = 0] = words;
  const held = (flags & HELD) !== 0;
  let at = WORDS * 4;
  const take = (length: number): Float32Array => {
    const found = new Float32Array(buffer, at, length);
    at += length * 4;
    return found;
  };
  const both = (): Pair<Float32Array> => [take(points), take(points)];
  return {
    sequence,
    sounding: (flags & SOUNDING) !== 0,
    side: (flags & PROCESSED) !== 0 ? 'processed' : 'original',
    both: (flags & BOTH) !== 0,
    rate,
    channels,
    pair: [left, right],
    lanes: Array.from({ length: lanes }, () => ({ levels: both(), held: held ? both() : null })),
    goniometer: take(dots * 2),
    correlation: numberOf(numbers[9]),
    loudness: { momentary: numberOf(numbers[10]), shortTerm: numberOf(numbers[11]), integrated: numberOf(numbers[12]), range: numberOf(numbers[13]), truePeak: numberOf(numbers[14]) },
  };
}

export function encodeMonitor(frame: MonitorFrame): ArrayBuffer {
  const held = frame.lanes.length > 0 && frame.lanes.every((lane) => lane.held !== null);
  const planes = [...frame.lanes.flatMap((lane) => [...lane.levels, ...(held ? (lane.held ?? []) : [])]), frame.goniometer];
  const flags = (frame.sounding ? SOUNDING : 0) | (frame.side === 'processed' ? PROCESSED : 0) | (frame.both ? BOTH : 0) | (held ? HELD : 0);
  const { momentary, shortTerm, integrated, range, truePeak } = frame.loudness;
  const words = [frame.sequence, flags, frame.rate, frame.channels, ...frame.pair, frame.lanes.length, frame.lanes[0]?.levels[0].length ?? 0, frame.goniometer.length / 2];
  return encode(words, [frame.correlation, momentary, shortTerm, integrated, range, truePeak], planes);
}

export function decodeLoudness(buffer: ArrayBuffer): LoudnessBlock {
  const [generation = 0, from = 0, points = 0, finished = 0] = new Uint32Array(buffer, 0, WORDS);
  const numbers = new Float32Array(buffer, 0, WORDS);
  return {
    generation,
    from,
    finished: finished === 1,
    share: numbers[4] ?? 0,
    integrated: numberOf(numbers[5]),
    range: numberOf(numbers[6]),
    maxMomentary: numberOf(numbers[7]),
    maxShortTerm: numberOf(numbers[8]),
    momentary: new Float32Array(buffer, WORDS * 4, points),
    shortTerm: new Float32Array(buffer, WORDS * 4 + points * 4, points),
  };
}

export function encodeLoudness(block: LoudnessBlock): ArrayBuffer {
  const words = [block.generation, block.from, block.momentary.length, block.finished ? 1 : 0];
  const numbers = [block.share, block.integrated, block.range, block.maxMomentary, block.maxShortTerm];
  return encode(words, numbers, [block.momentary, block.shortTerm]);
}

function encode(words: number[], numbers: (number | null)[], planes: Float32Array[]): ArrayBuffer {
  const buffer = new ArrayBuffer((WORDS + planes.reduce((sum, plane) => sum + plane.length, 0)) * 4);
  new Uint32Array(buffer, 0, words.length).set(words);
  new Float32Array(buffer, words.length * 4, numbers.length).set(numbers.map((value) => value ?? NaN));
  let at = WORDS;
  for (const plane of planes) {
    new Float32Array(buffer, at * 4, plane.length).set(plane);
    at += plane.length;
  }
  return buffer;
}
