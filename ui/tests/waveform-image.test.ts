import { describe, expect, it } from 'vitest';
import { ColumnImage } from '../src/draw/column-image';
import { inkFrom } from '../src/draw/ink';
import type { Palette } from '../src/draw/palette';
import { TileCache } from '../src/draw/tiles';
import { drawWaveform, lanesOf, type Lanes } from '../src/draw/waveform';
import { fakeSurface, filled, premultiplied, type Rectangle } from './canvas-reference';
import { envelopeRectangles, traceRectangles, type Shown } from './waveform-rectangles';

const WIDTH = 97;
const later = () => new Promise((done) => setTimeout(done, 0));

// As a canvas says colours: dark, light, and the veil over a spectrogram.
const PALETTES: Record<string, Palette> = {
  dark: { 'original-peak': '#526a82', 'original-core': '#a9bed2', clip: '#ff5a52', text: '#e6e9ec' } as Palette,
  light: { 'original-peak': '#9aacbd', 'original-core': '#3f566c', clip: '#c21f1a', text: '#14191e' } as Palette,
  'over a spectrogram': { 'original-peak': 'rgba(255, 255, 255, 0.14)', 'original-core': 'rgba(255, 255, 255, 0.3)', outline: 'rgba(255, 255, 255, 0.85)', clip: '#ff5a52', text: '#ffffff' } as Palette,
  'over a spectrogram, high contrast': { 'original-peak': 'rgba(0, 0, 0, 0.5)', 'original-core': 'rgba(255, 255, 255, 0.45)', outline: '#ffffff', clip: '#ff7a72', text: '#ffffff' } as Palette,
};

/** Noise that swells beyond full scale; one column is one frame, so that an envelope's columns are given directly. */
function recording(frames: number) {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const plane = (value: (at: number) => number) => Float32Array.from({ length: frames }, (_, at) => value(at));
  const swell = (at: number) => 1.3 * Math.sin((Math.PI * at) / frames) ** 2;
  const channels = [0, 1].map(() => {
    const max = plane((at) => swell(at) * (random() * 1.2 - 0.2));
    const min = plane((at) => (max[at] ?? 0) - swell(at) * random());
    return { max, min, rms: plane((at) => Math.abs(max[at] ?? 0) * random()), data: plane((at) => swell(at) * (random() * 2 - 1)) };
  });
  const part = (name: 'max' | 'min' | 'rms' | 'data', start: number, end: number) => channels.map((channel) => channel[name].slice(start, end));
  const cache = new TileCache(
    {
      peaks: async (start, _end, columns) => ({ channels: 2, columns, exact: true, min: part('min', start, start + columns), max: part('max', start, start + columns), rms: part('rms', start, start + columns) }),
      samples: async (start, end) => ({ channels: 2, frames: end - start, data: part('data', start, end) }),
    },
    frames,
    () => undefined,
  );
  return { cache, channels };
}

function worst(drawn: Float64Array, expected: Float64Array): number {
  expect(drawn.length).toBe(expected.length);
  let most = 0;
  for (let i = 0; i < drawn.length; i++) most = Math.max(most, Math.abs((drawn[i] ?? 0) - (expected[i] ?? 0)));
  return most;
}

/** Draws once to ask for what is needed, then with it. */
async function draw(shown: Shown, cache: TileCache, image = new ColumnImage()) {
  const { width, height, ratio } = shown;
  const { seen, target } = fakeSurface(width, height, ratio);
  const paint = () => drawWaveform('lanes', image, target, cache, shown.view, shown.lanes, shown.palette);
  paint();
  await later();
  await later();
  return { exact: paint(), seen, pixels: premultiplied(seen.data) };
}

const shownAt = (ratio: number, palette: Palette, height: number, lanes: Lanes, span: number): Shown => ({ width: WIDTH, height, ratio, palette, lanes, view: { start: 3.25, end: 3.25 + span } });

describe.each([1, 1.5, 2])('the waveform’s image at %d device pixels', (ratio) => {
  // Odd heights put the second lane between two rows.
  const height = Math.round(61 * ratio) + (ratio === 1 ? 1 : 0);
  const separate = lanesOf(2, height, Math.max(1, Math.round(ratio)));
  const cases = Object.entries(PALETTES).flatMap(([name, palette]) => [
    { name, palette, lanes: separate, most: 1 },
    // Up to eight veils over each other, rounded after each as a canvas rounds them.
    { name: `${name}, channels over each other`, palette, lanes: { ...lanesOf(1, height, 1), channels: 2, shared: true }, most: 1.5 },
  ]);

  it.each(cases)('is what rectangles give, envelope, $name', async ({ palette, lanes, most }) => {
    const frames = 6 * WIDTH;
    const { cache, channels } = recording(frames);
    // More than three frames in a CSS pixel, so that peaks are shown.
    const shown = { ...shownAt(ratio, palette, height, lanes, 0), view: { start: -20, end: -20 + 4 * WIDTH * ratio } };
    const { pixels } = await draw(shown, cache);
    const rectangles = envelopeRectangles(shown, channels, frames);
    expect(rectangles.length).toBeGreaterThan(WIDTH);
    expect(worst(pixels, filled(WIDTH, height, rectangles))).toBeLessThanOrEqual(most);
  });

  it.each(cases)('is what rectangles give, samples, $name', async ({ palette, lanes, most }) => {
    const { cache, channels } = recording(400);
    for (const framesPerPx of [1.7, 0.3, 0.11]) {
      const shown = shownAt(ratio, palette, height, lanes, (framesPerPx * WIDTH) / ratio);
      const { pixels, exact, seen } = await draw(shown, cache);
      expect(exact).toBe(true);
      expect(worst(pixels, filled(WIDTH, height, traceRectangles(shown, channels, 400)))).toBeLessThanOrEqual(most);
      expect(seen.dots.length > 0).toBe(framesPerPx < 0.2);
    }
  });
});

describe('the comparison', () => {
  it('notices a column that stands elsewhere, a hard end and a colour that is two codes off', async () => {
    const { cache, channels } = recording(400);
    const shown = shownAt(1, PALETTES['dark'] as Palette, 61, lanesOf(2, 61, 1), WIDTH);
    const { pixels } = await draw(shown, cache);
    const right = traceRectangles(shown, channels, 400);
    const compared = (change: (each: Rectangle) => Rectangle) => worst(pixels, filled(WIDTH, 61, right.map(change)));
    expect(compared((each) => each)).toBeLessThanOrEqual(1);
    expect(compared((each) => ({ ...each, x: each.x + 1 }))).toBeGreaterThan(50);
    expect(compared((each) => ({ ...each, y: Math.round(each.y), height: Math.round(each.height) }))).toBeGreaterThan(20);
    expect(compared(({ colour: [red, green, blue, alpha], ...each }) => ({ ...each, colour: [red + 2, green, blue, alpha] }))).toBeGreaterThan(1);
  });
});

describe('the image', () => {
  it('is made anew only when the size changes, and leaves nothing of the picture before', async () => {
    const image = new ColumnImage();
    const { seen, target } = fakeSurface(8, 6, 1);
    image.draw(target, [(_x, runs) => runs.fill(1, 5, 0xff0000ff)]);
    image.draw(target, [(x, runs) => runs.fill(2, 4, x === 3 ? 0xff00ff00 : 0)]);
    expect(seen.images).toBe(1);
    const pixels = [...new Uint32Array(seen.data.buffer)];
    expect(pixels.flatMap((ink, at) => (ink === 0 ? [] : [[at % 8, Math.floor(at / 8), ink]]))).toEqual([[3, 2, 0xff00ff00], [3, 3, 0xff00ff00]]);
    const wider = fakeSurface(9, 6, 1);
    image.draw(wider.target, []);
    expect(wider.seen.images).toBe(1);
    expect(wider.seen.data.length).toBe(9 * 6 * 4);
  });

  it('takes rectangles beyond every edge, within a pixel and without height', () => {
    const { seen, target } = fakeSurface(1, 4, 1);
    const image = new ColumnImage();
    const column = (...fills: [number, number][]) => {
      image.draw(target, [(_x, runs) => fills.forEach(([upper, lower]) => runs.fill(upper, lower, 0xff000000))]);
      return [...seen.data].filter((_, i) => i % 4 === 3);
    };
    expect(column([-5, 50])).toEqual([255, 255, 255, 255]);
    expect(column([1.25, 1.75])).toEqual([0, 128, 0, 0]);
    expect(column([3.5, 9])).toEqual([0, 0, 0, 128]);
    expect(column([2, 2], [3, 1], [Number.NaN, 3])).toEqual([0, 0, 0, 0]);
    expect(column([0, 1], [3, 4], [0.5, 3.5])).toEqual([255, 255, 255, 255]);
  });
});

describe('inks', () => {
  it('are read as a canvas says colours', () => {
    expect(inkFrom('#01a2ff')).toBe(0xffffa201);
    expect(inkFrom('rgba(255, 128, 0, 0.14)')).toBe(0x240080ff);
    expect(inkFrom('')).toBe(0);
  });
});
