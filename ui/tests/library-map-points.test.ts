import { describe, expect, it } from 'vitest';
import { ALL_TRACKS, NO_SHARE } from '../src/backend/map';
import { colourTable } from '../src/draw/colour-maps';
import { discStamp, drawPoints, inkOfShare, mixed, pointInks, type Canvas } from '../src/pages/library/draw/map-points';

const GROUND = 0xff101010 | 0;
const WHITE = -1;
const RED = 0xff0000ff | 0;
const flags = (...values: number[]): Uint8Array => Uint8Array.from(values);
const canvas = (width: number, height: number): Canvas => ({ pixels: new Int32Array(width * height), width, height });
const parts = (ink: number): number[] => [ink & 255, (ink >>> 8) & 255, (ink >>> 16) & 255, ink >>> 24];

describe('discs', () => {
  it('cover what a disc of their radius covers', () => {
    for (const radius of [0.6, 1, 1.25, 2, 3.7, 6]) {
      const { cover, reach } = discStamp(radius);
      const area = cover.reduce((sum, each) => sum + each, 0) / 128;
      expect(area / (Math.PI * radius * radius)).toBeGreaterThan(0.85);
      expect(area / (Math.PI * radius * radius)).toBeLessThan(1.15);
      expect(cover[reach * (2 * reach + 1) + reach]).toBe(128);
    }
  });

  it('mix as colours do, never leaking from one channel to the next', () => {
    for (const [below, ink] of [[GROUND, WHITE], [WHITE, GROUND], [RED, 0xffff0000 | 0], [0xff00ff00 | 0, 0xffff00ff | 0]] as const) {
      for (let share = 0; share <= 128; share += 8) {
        const got = parts(mixed(below, ink, share));
        const want = parts(below).map((value, at) => (value * (128 - share) + (parts(ink)[at] ?? 0) * share) / 128);
        got.forEach((value, at) => expect(Math.abs(value - (want[at] ?? 0))).toBeLessThan(1.01));
        expect(got[3]).toBe(255);
      }
    }
  });

  it('stand where the view puts them, and are cut at the edges', () => {
    const to = canvas(40, 20);
    const points = { x: Float32Array.of(0.5, 0, 1), y: Float32Array.of(0.5, 0.5, 0.5), inks: Int32Array.of(RED, WHITE, WHITE), above: null, shapes: null, order: null };
    drawPoints(to, points, { x: 0.5, y: 0.5, side: 40 }, 2, GROUND);
    expect(to.pixels[9 * 40 + 19]).toBe(RED);
    // At both edges half of a disc is left.
    expect(to.pixels[9 * 40]).toBe(WHITE);
    expect(to.pixels[9 * 40 + 39]).toBe(WHITE);
    expect(to.pixels[0]).toBe(GROUND);
    drawPoints(to, points, { x: 9, y: 9, side: 40 }, 2, GROUND);
    expect(to.pixels.every((pixel) => pixel === GROUND)).toBe(true);
  });

  it('are the same in any order where they do not cover each other', () => {
    const [one, other] = [canvas(60, 20), canvas(60, 20)];
    const points = { x: Float32Array.of(0.2, 0.8), y: Float32Array.of(0.5, 0.5), inks: Int32Array.of(RED, WHITE), above: null, shapes: null };
    drawPoints(one, { ...points, order: null }, { x: 0.5, y: 0.5, side: 40 }, 3, GROUND);
    drawPoints(other, { ...points, order: Int32Array.of(1, 0) }, { x: 0.5, y: 0.5, side: 40 }, 3, GROUND);
    expect(other.pixels).toEqual(one.pixels);
    expect(one.pixels.includes(RED)).toBe(true);
  });

  it('bear places that are no numbers', () => {
    const to = canvas(9, 9);
    drawPoints(to, { x: Float32Array.of(NaN, Infinity), y: Float32Array.of(0, 0), inks: Int32Array.of(RED, RED), above: null, shapes: null, order: null }, { x: 0.5, y: 0.5, side: 9 }, 3, GROUND);
    expect(to.pixels.every((pixel) => pixel === GROUND)).toBe(true);
  });

  it('of what was found lie above the others', () => {
    const to = canvas(9, 9);
    const points = { x: Float32Array.of(0.5, 0.5), y: Float32Array.of(0.5, 0.5), inks: Int32Array.of(RED, WHITE), above: flags(1, 0), shapes: null, order: null };
    drawPoints(to, points, { x: 0.5, y: 0.5, side: 9 }, 2, GROUND);
    expect(to.pixels[4 * 9 + 4]).toBe(RED);
    drawPoints(to, { ...points, above: null, shapes: null, order: null }, { x: 0.5, y: 0.5, side: 9 }, 2, GROUND);
    expect(to.pixels[4 * 9 + 4]).toBe(WHITE);
  });
});

describe('the colours of points', () => {
  const table = colourTable('viridis');
  const slice = { from: 60, to: 250 };
  const inks = { ground: GROUND, plain: WHITE, found: RED };

  it('go along the table, within what stands out', () => {
    const made = pointInks(3, Uint16Array.of(0, ALL_TRACKS, NO_SHARE), table, slice, inks, null);
    expect(made[0]).toBe(inkOfShare(table, slice, 0));
    expect(made[1]).toBe(inkOfShare(table, slice, 1));
    expect(parts(made[1] ?? 0).slice(0, 3)).toEqual([...table.slice(250 * 4, 250 * 4 + 3)]);
    expect(made[2]).toBe(WHITE);
  });

  it('are dimmed where the search does not find them', () => {
    const found = flags(0, 1);
    const made = pointInks(2, null, table, slice, inks, found);
    expect(made[1]).toBe(RED);
    expect(parts(made[0] ?? 0)[0]).toBeLessThan(80);
    const coloured = pointInks(2, Uint16Array.of(ALL_TRACKS / 2, ALL_TRACKS / 2), table, slice, inks, found);
    expect(coloured[1]).toBe(inkOfShare(table, slice, 128 / 255));
    expect(coloured[0]).not.toBe(coloured[1]);
  });
});
