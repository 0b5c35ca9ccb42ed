// The binary answers of the core: a header of four 32-bit integers, then planes of 32-bit floats, little-endian.

import { LEVEL_CODES, TILE_SIDE } from '../bindings';

export interface PeakBlock {
  channels: number;
  columns: number;
  /** Whether every sample was read; otherwise the picture is still coarse. */
  exact: boolean;
  /** Whether an inexact block was rendered ahead of the rest: right to the eye, and exact once everything is. */
  ahead: boolean;
  min: Float32Array[];
  max: Float32Array[];
  rms: Float32Array[];
}

export interface SampleBlock {
  channels: number;
  frames: number;
  /** Whether the values are known; they are not while a chain is still being measured. */
  known: boolean;
  data: Float32Array[];
}

const HEADER_BYTES = 16;

export function decodePeaks(buffer: ArrayBuffer): PeakBlock {
  const [channels = 0, columns = 0, exact = 0] = new Uint32Array(buffer, 0, 4);
  const block: PeakBlock = { channels, columns, exact: exact === 1, ahead: exact === 2, min: [], max: [], rms: [] };
  for (let channel = 0; channel < channels; channel++) {
    const at = HEADER_BYTES + channel * columns * 12;
    block.min.push(new Float32Array(buffer, at, columns));
    block.max.push(new Float32Array(buffer, at + columns * 4, columns));
    block.rms.push(new Float32Array(buffer, at + columns * 8, columns));
  }
  return block;
}

export function decodeSamples(buffer: ArrayBuffer): SampleBlock {
  const [channels = 0, frames = 0, known = 0] = new Uint32Array(buffer, 0, 4);
  const data: Float32Array[] = [];
  for (let channel = 0; channel < channels; channel++) {
    data.push(new Float32Array(buffer, HEADER_BYTES + channel * frames * 4, frames));
  }
  return { channels, frames, known: known === 1, data };
}

export function encodePlanes(header: [number, number, number, number], planes: Float32Array[]): ArrayBuffer {
  const floats = planes.reduce((sum, plane) => sum + plane.length, 0);
  const buffer = new ArrayBuffer(HEADER_BYTES + floats * 4);
  new Uint32Array(buffer, 0, 4).set(header);
  let at = HEADER_BYTES;
  for (const plane of planes) {
    new Float32Array(buffer, at, plane.length).set(plane);
    at += plane.length * 4;
  }
  return buffer;
}

export { TILE_SIDE };

/** Levels as 16-bit codes, row by row, the lowest row first. */
export interface CodeBlock {
  columns: number;
  rows: number;
  /** Whether this is the final answer; otherwise it is a first guess. */
  exact: boolean;
  codes: Uint16Array;
}

const { per_db: CODES_PER_DB, low_db: FLOOR_DB } = LEVEL_CODES;
/** The highest code of a level; higher codes mean "not known" in a picture. */
const MAX_CODE = LEVEL_CODES.largest - 1;

export const dbFromCode = (code: number): number => code / CODES_PER_DB + FLOOR_DB;
export const codeFromDb = (db: number): number => Math.max(0, Math.min(MAX_CODE, Math.round((db - FLOOR_DB) * CODES_PER_DB)));

export function decodeCodes(buffer: ArrayBuffer): CodeBlock {
  const [columns = 0, rows = 0, exact = 0] = new Uint32Array(buffer, 0, 4);
  return { columns, rows, exact: exact === 1, codes: new Uint16Array(buffer, HEADER_BYTES, columns * rows) };
}

export function encodeCodes(columns: number, rows: number, exact: boolean, codes: Uint16Array): ArrayBuffer {
  const buffer = new ArrayBuffer(HEADER_BYTES + codes.byteLength);
  new Uint32Array(buffer, 0, 4).set([columns, rows, exact ? 1 : 0, 0]);
  new Uint16Array(buffer, HEADER_BYTES).set(codes);
  return buffer;
}
