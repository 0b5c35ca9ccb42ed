// Peaks, samples and levels of the synthetic recording.

import type { RangeLevels } from '../../bindings';
import { encodePlanes } from '../binary';
import type { Recording } from './demo';

interface Pyramid {
  min: Float32Array;
  max: Float32Array;
  square: Float32Array;
}

const BLOCK = 64;
const pyramids = new WeakMap<Float32Array, Pyramid>();

function pyramidOf(samples: Float32Array): Pyramid {
  const known = pyramids.get(samples);
  if (known) return known;
  const blocks = Math.ceil(samples.length / BLOCK);
  const made: Pyramid = { min: new Float32Array(blocks), max: new Float32Array(blocks), square: new Float32Array(blocks) };
  for (let block = 0; block < blocks; block++) {
    const from = block * BLOCK;
    const part = samples.subarray(from, Math.min(samples.length, from + BLOCK));
    let low = Infinity;
    let high = -Infinity;
    let square = 0;
    for (const value of part) {
      if (value < low) low = value;
      if (value > high) high = value;
      square += value * value;
    }
    made.min[block] = low;
    made.max[block] = high;
    made.square[block] = square / part.length;
  }
  pyramids.set(samples, made);
  return made;
}

/** Wide columns from whole blocks, so that zooming in a browser is not held up by the synthetic backend. */
function wideColumn(pyramid: Pyramid, from: number, to: number): [number, number, number] {
  let low = Infinity;
  let high = -Infinity;
  let square = 0;
  const first = Math.floor(from / BLOCK);
  const last = Math.max(first + 1, Math.floor(to / BLOCK));
  for (let block = first; block < last; block++) {
    low = Math.min(low, pyramid.min[block] ?? 0);
    high = Math.max(high, pyramid.max[block] ?? 0);
    square += pyramid.square[block] ?? 0;
  }
  return [low, high, Math.sqrt(square / (last - first))];
}

export function peaksOf(recording: Recording, start: number, end: number, columns: number, exact: boolean): ArrayBuffer {
  const planes: Float32Array[] = [];
  // A coarse picture looks at every sixteenth sample.
  const stride = exact ? 1 : 16;
  for (const samples of recording.channels) {
    const min = new Float32Array(columns);
    const max = new Float32Array(columns);
    const rms = new Float32Array(columns);
    for (let column = 0; column < columns; column++) {
      const from = Math.floor(start + ((end - start) * column) / columns);
      const to = Math.min(samples.length, Math.max(from + 1, Math.floor(start + ((end - start) * (column + 1)) / columns)));
      if (exact && to - from >= 2 * BLOCK) {
        const [low, high, mean] = wideColumn(pyramidOf(samples), from, to);
        min[column] = low;
        max[column] = high;
        rms[column] = mean;
        continue;
      }
      let low = Infinity;
      let high = -Infinity;
      let square = 0;
      let count = 0;
      for (let frame = from; frame < to; frame += stride) {
        const value = samples[frame] ?? 0;
        if (value < low) low = value;
        if (value > high) high = value;
        square += value * value;
        count++;
      }
      min[column] = count === 0 ? 0 : low;
      max[column] = count === 0 ? 0 : high;
      rms[column] = count === 0 ? 0 : Math.sqrt(square / count);
    }
    planes.push(min, max, rms);
  }
  return encodePlanes([recording.channels.length, columns, exact ? 1 : 0, 0], planes);
}

export function samplesOf(recording: Recording, start: number, end: number): ArrayBuffer {
  const planes = recording.channels.map((samples) => samples.slice(start, end));
  return encodePlanes([planes.length, end - start, 0, 0], planes);
}

const db = (value: number): number | null => (value > 0 ? 20 * Math.log10(value) : null);

export function channelLevels(recording: Recording, start: number, end: number): { peak: (number | null)[]; rms: (number | null)[] } {
  const peak: (number | null)[] = [];
  const rms: (number | null)[] = [];
  for (const samples of recording.channels) {
    let most = 0;
    let square = 0;
    for (let frame = start; frame < end; frame++) {
      const value = samples[frame] ?? 0;
      most = Math.max(most, Math.abs(value));
      square += value * value;
    }
    peak.push(db(most));
    rms.push(db(Math.sqrt(square / Math.max(1, end - start))));
  }
  return { peak, rms };
}

export function levelsOf(recording: Recording, start: number, end: number): RangeLevels {
  const { peak, rms } = channelLevels(recording, start, end);
  const loudest = (values: (number | null)[]) => values.reduce<number | null>((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
  return { peak_db: loudest(peak), rms_db: loudest(rms) };
}
