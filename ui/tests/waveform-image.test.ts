import { describe, expect, it } from 'vitest';
import { ColumnImage } from '../src/draw/column-image';
import { inkFrom } from '../src/draw/ink';
import type { WaveColours } from '../src/draw/wave-colours';
import { TileCache } from '../src/draw/tiles';
import { drawWaveform, lanesOf, type Lanes, type WaveLayer } from '../src/draw/waveform';
import { fakeSurface, filled, premultiplied, type Rectangle } from './canvas-reference';
import { envelopeRectangles, traceRectangles, type Shown } from './waveform-rectangles';

const WIDTH = 97;
const later = () => new Promise((done) => setTimeout(done, 0));

// As a canvas says colours: dark, light, and the veil over a spectrogram.
const PALETTES: Record<string, WaveColours> = {
  dark: { peak: '#526a82', core: '#a9bed2', clip: '#ff5a52', curve: '#a9bed2', dots: '#e6e9ec' },
  light: { peak: '#9aacbd', core: '#3f566c', clip: '#c21f1a', curve: '#3f566c', dots: '#14191e' },
  'over a spectrogram': { peak: 'rgba(255, 255, 255, 0.14)', core: 'rgba(255, 255, 255, 0.3)', outline: 'rgba(255, 255, 255, 0.85)', clip: '#ff5a52', curve: 'rgba(255, 255, 255, 0.85)', dots: '#ffffff' },
  'over a spectrogram, high contrast': { peak: 'rgba(0, 0, 0, 0.5)', core: 'rgba(255, 255, 255, 0.45)', outline: '#ffffff', clip: '#ff7a72', curve: '#ffffff', dots: '#ffffff' },
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
      peaks: async (start, _end, columns) => ({ channels: 2, columns, exact: true, ahead: false, min: part('min', start, start + columns), max: part('max', start, start + columns), rms: part('rms', start, start + columns) }),
      samples: async (start, end) => ({ channels: 2, frames: end - start, known: true, data: part('data', start, end) }),
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
  const paint = () => drawWaveform('lanes', image, target, { layers: [{ cache, colours: shown.palette }], view: shown.view, lanes: shown.lanes, zoom: shown.zoom ?? 1 });
  paint();
  await later();
  await later();
  return { ...paint(), seen, pixels: premultiplied(seen.data) };
}

const shownAt = (ratio: number, palette: WaveColours, height: number, lanes: Lanes, span: number): Shown => ({ width: WIDTH, height, ratio, palette, lanes, view: { start: 3.25, end: 3.25 + span } });

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

describe('a waveform drawn taller', () => {
  it('is what rectangles of a louder recording give, within its lane', async () => {
    const { cache, channels } = recording(400);
    const shown = { ...shownAt(1, PALETTES['dark'] as WaveColours, 61, lanesOf(2, 61, 1), 1.7 * WIDTH), zoom: 3 };
    const { pixels } = await draw(shown, cache);
    const louder = channels.map((each) => ({ ...each, data: each.data.map((value) => value * 3) }));
    expect(worst(pixels, filled(WIDTH, 61, traceRectangles(shown, louder, 400)))).toBeLessThanOrEqual(1);
    expect(worst(pixels, filled(WIDTH, 61, traceRectangles(shown, channels, 400)))).toBeGreaterThan(50);
  });
});

/** A side whose every column reaches from -level to level, once `known`; the columns from `until` on are never known. */
function side(level: number, frames: number, known = () => true, until = Infinity) {
  const now = { level };
  const plane = (columns: number, value: number) => Float32Array.from({ length: columns }, (_, at) => (known() && at < until ? value : NaN));
  const source = {
    peaks: async (_start: number, _end: number, columns: number) => {
      const { level: at } = now;
      return { channels: 1, columns, exact: known() && until === Infinity, ahead: false, min: [plane(columns, -at)], max: [plane(columns, at)], rms: [plane(columns, at / 2)] };
    },
    samples: async () => ({ channels: 0, frames: 0, known: false, data: [] }),
  };
  return { now, cache: new TileCache(source, frames, () => undefined) };
}

describe('two sides', () => {
  const FRAMES = 512;
  const HEIGHT = 101;
  const front: WaveColours = { peak: '#000000', curve: '#000000' };
  const behind: WaveColours = { peak: '#0000ff', outline: '#ff0000', curve: '#ff0000', over: true };
  const lanes = lanesOf(1, HEIGHT, 1);
  const view = { start: 0, end: FRAMES };

  async function seen(layers: WaveLayer[]) {
    const { seen: canvas, target } = fakeSurface(WIDTH, HEIGHT, 1);
    const paint = () => drawWaveform('lanes', new ColumnImage(), target, { layers, view, lanes, zoom: 1 });
    paint();
    await later();
    await later();
    const drawn = paint();
    const pixels = new Uint32Array(canvas.data.buffer);
    const column = (x: number) => Array.from({ length: HEIGHT }, (_, y) => pixels[y * WIDTH + x] ?? 0);
    return { drawn, column };
  }

  it('lie behind each other: what is louder is seen beyond, what is softer as an outline', async () => {
    const [soft, loud] = [side(0.25, FRAMES), side(0.75, FRAMES)];
    const louderBehind = (await seen([{ cache: loud.cache, colours: behind, behind: true }, { cache: soft.cache, colours: front }])).column(40);
    expect(louderBehind[50]).toBe(0xff000000);
    expect(louderBehind[20]).toBe(0xffff0000);
    const softerBehind = (await seen([{ cache: soft.cache, colours: behind, behind: true }, { cache: loud.cache, colours: front }])).column(40);
    expect(softerBehind[20]).toBe(0xff000000);
    expect(softerBehind.filter((ink) => ink === 0xff0000ff).length).toBe(2);
  });

  it('stand beside each other where a wipe divides them', async () => {
    const [soft, loud] = [side(0.25, FRAMES), side(0.75, FRAMES)];
    const { column } = await seen([{ cache: soft.cache, colours: front, to: 0.5 }, { cache: loud.cache, colours: front, from: 0.5 }]);
    const extent = (x: number) => column(x).filter((ink) => ink !== 0).length;
    expect(extent(10)).toBeLessThan(30);
    expect(extent(90)).toBeGreaterThan(70);
  });

  it('of which one became another sound is drawn dim until it is known, and then as it is', async () => {
    let known = true;
    const processed = side(0.25, FRAMES, () => known);
    const layers = [{ cache: processed.cache, colours: front }];
    expect((await seen(layers)).drawn).toEqual({ exact: true, old: false });
    processed.now.level = 0.75;
    known = false;
    processed.cache.renew();
    const waiting = await seen(layers);
    expect(waiting.drawn).toEqual({ exact: false, old: true });
    // The old one, with an alpha of 0.35.
    expect(waiting.column(40)[50]).toBe(0x59000000);
    expect(waiting.column(40)[20]).toBe(0);
    known = true;
    processed.cache.refresh();
    const now = await seen(layers);
    expect(now.drawn).toEqual({ exact: true, old: false });
    expect(now.column(40)[20]).toBe(0xff000000);
  });

  it('are drawn as far as they are known, the rest as it was', async () => {
    const processed = side(0.75, FRAMES);
    const layers = [{ cache: processed.cache, colours: front }];
    await seen(layers);
    const half = side(0.25, FRAMES, () => true, FRAMES / 2);
    Object.assign(processed.cache, { source: (half.cache as unknown as { source: unknown }).source });
    processed.cache.renew();
    const { drawn, column } = await seen(layers);
    expect(drawn.old).toBe(true);
    expect(column(10)[50]).toBe(0xff000000);
    expect(column(10)[20]).toBe(0);
    expect(column(90)[20]).toBe(0x59000000);
  });

  it('ask no more for what is refused until something has changed', async () => {
    let asked = 0;
    const cache = new TileCache({ peaks: async () => Promise.reject(new Error((asked++, 'refused'))), samples: async () => Promise.reject(new Error('refused')) }, FRAMES, () => undefined);
    for (let i = 0; i < 5; i++) await seen([{ cache, colours: front }]);
    expect(asked).toBe(1);
    cache.renew();
    await seen([{ cache, colours: front }]);
    expect(asked).toBe(2);
  });
});

describe('the comparison', () => {
  it('notices a column that stands elsewhere, a hard end and a colour that is two codes off', async () => {
    const { cache, channels } = recording(400);
    const shown = shownAt(1, PALETTES['dark'] as WaveColours, 61, lanesOf(2, 61, 1), WIDTH);
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
