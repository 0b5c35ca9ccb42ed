import { describe, expect, it } from 'vitest';
import { ColumnImage } from '../src/draw/column-image';
import { laneValue, showsSamples } from '../src/draw/samples';
import { TileCache } from '../src/draw/tiles';
import { drawWaveform, lanesOf } from '../src/draw/waveform';
import { fakeSurface } from './canvas-reference';

const FRAMES = 4000;
const WIDTH = 200;
const colours = { core: '#0000ff', peak: '#0000ff', clip: '#ff0000', curve: '#0000ff', dots: '#ffffff' };
const later = () => new Promise((done) => setTimeout(done, 0));

/** Left and right are constants. */
function world(left: number, right: number) {
  const asked: string[] = [];
  const planes = (length: number) => [left, right].map((value) => new Float32Array(length).fill(value));
  const cache = new TileCache(
    {
      peaks: async (_start, _end, columns) => (asked.push('peaks'), { channels: 2, columns, exact: true, ahead: false, min: planes(columns), max: planes(columns), rms: planes(columns) }),
      samples: async (start, end) => (asked.push('samples'), { channels: 2, frames: end - start, known: true, data: planes(end - start) }),
    },
    FRAMES,
    () => undefined,
  );
  const { seen, target } = fakeSurface(WIDTH, 201, 1);
  const image = new ColumnImage();
  const draw = (end: number, channels: 'each' | 'mid_side') => drawWaveform('lanes', image, target, { layers: [{ cache, colours }], view: { start: 0, end }, lanes: lanesOf(2, 201, 1), zoom: 1, channels }).exact;
  /** How much is drawn in each row of a lane. */
  const rows = (lane: number): number[] =>
    Array.from({ length: 100 }, (_, row) => seen.data.subarray((lane * 101 + row) * WIDTH * 4, (lane * 101 + row + 1) * WIDTH * 4).reduce((sum, part, i) => sum + (i % 4 === 3 ? part : 0), 0));
  /** The middle of what is drawn in a lane, as a level. */
  const level = (lane: number): number => {
    const drawn = rows(lane);
    const middle = drawn.reduce((sum, amount, row) => sum + amount * (row + 0.5), 0) / drawn.reduce((sum, amount) => sum + amount, 0);
    return (50 - middle) / 49;
  };
  const empty = (): boolean => seen.data.every((part) => part === 0);
  return { draw, empty, asked, level };
}

describe('waveforms of mid and side', () => {
  it('are half the sum and half the difference of the samples', async () => {
    const block = { channels: 2, frames: 1, known: true, data: [Float32Array.of(0.75), Float32Array.of(-0.25)] };
    expect([0, 1].map((lane) => laneValue('mid_side', lane)(block, 0))).toEqual([0.25, 0.5]);
    expect([0, 1].map((lane) => laneValue('each', lane)(block, 0))).toEqual([0.75, -0.25]);
    const { draw, level } = world(0.75, -0.25);
    expect(draw(WIDTH, 'mid_side')).toBe(false);
    await later();
    expect(draw(WIDTH, 'mid_side')).toBe(true);
    expect([level(0), level(1)].map((value) => Number(value.toFixed(2)))).toEqual([0.25, 0.5]);
    draw(WIDTH, 'each');
    expect([level(0), level(1)].map((value) => Number(value.toFixed(2)))).toEqual([0.75, -0.25]);
  });

  it('have no side where both channels are the same', async () => {
    const { draw, level } = world(0.6, 0.6);
    draw(WIDTH, 'mid_side');
    await later();
    draw(WIDTH, 'mid_side');
    expect(level(0)).toBeCloseTo(0.6, 2);
    expect(level(1)).toBeCloseTo(0, 2);
  });

  it('are not guessed from peaks', async () => {
    const { draw, empty, asked } = world(0.6, 0.6);
    expect(showsSamples({ start: 0, end: FRAMES }, WIDTH)).toBe(false);
    draw(FRAMES, 'mid_side');
    await later();
    // Nothing is drawn, and nothing more will come.
    expect(draw(FRAMES, 'mid_side')).toBe(true);
    expect(empty()).toBe(true);
    expect(asked).toEqual([]);
    draw(FRAMES, 'each');
    await later();
    draw(FRAMES, 'each');
    expect(empty()).toBe(false);
  });
});
