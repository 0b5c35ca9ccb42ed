import { describe, expect, it } from 'vitest';
import type { Surface } from '../src/draw/canvas';
import type { Palette } from '../src/draw/palette';
import { laneValue, showsSamples } from '../src/draw/samples';
import { TileCache } from '../src/draw/tiles';
import { drawWaveform, lanesOf } from '../src/draw/waveform';

const FRAMES = 4000;
const WIDTH = 200;
const palette = { 'original-core': 'core', 'original-peak': 'peak', text: 'dot', clip: 'clip' } as unknown as Palette;
const later = () => new Promise((done) => setTimeout(done, 0));

/** Left and right are constants; what is drawn is kept as rectangles. */
function world(left: number, right: number) {
  const rects: { x: number; y: number; height: number }[] = [];
  const asked: string[] = [];
  const planes = (length: number) => [left, right].map((value) => new Float32Array(length).fill(value));
  const cache = new TileCache(
    {
      peaks: async (_start, _end, columns) => (asked.push('peaks'), { channels: 2, columns, exact: true, min: planes(columns), max: planes(columns), rms: planes(columns) }),
      samples: async (start, end) => (asked.push('samples'), { channels: 2, frames: end - start, data: planes(end - start) }),
    },
    FRAMES,
    () => undefined,
  );
  const context = { fillStyle: '', fillRect: (x: number, y: number, _width: number, height: number) => rects.push({ x, y, height }), beginPath: () => undefined, arc: () => undefined, fill: () => undefined };
  const target = { context, width: WIDTH, height: 201, ratio: 1 } as unknown as Surface;
  const draw = (end: number, channels: 'each' | 'mid_side') => {
    rects.length = 0;
    return drawWaveform('lanes', target, cache, { start: 0, end }, lanesOf(2, 201, 1), palette, channels);
  };
  /** The middle of what is drawn in a lane, as a level. */
  const level = (lane: number): number => {
    const own = rects.filter(({ y }) => Math.floor(y / 101) === lane && y > 0);
    const middle = own.reduce((sum, { y, height }) => sum + y + height / 2, 0) / own.length;
    return (lane * 101 + 50 - middle) / 49;
  };
  return { draw, rects, asked, level };
}

describe('waveforms of mid and side', () => {
  it('are half the sum and half the difference of the samples', async () => {
    const block = { channels: 2, frames: 1, data: [Float32Array.of(0.75), Float32Array.of(-0.25)] };
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
    const { draw, rects, asked } = world(0.6, 0.6);
    expect(showsSamples({ start: 0, end: FRAMES }, WIDTH)).toBe(false);
    draw(FRAMES, 'mid_side');
    await later();
    // Nothing is drawn, and nothing more will come.
    expect(draw(FRAMES, 'mid_side')).toBe(true);
    expect(rects).toEqual([]);
    expect(asked).toEqual([]);
    draw(FRAMES, 'each');
    await later();
    draw(FRAMES, 'each');
    expect(rects.length).toBeGreaterThan(0);
  });
});
