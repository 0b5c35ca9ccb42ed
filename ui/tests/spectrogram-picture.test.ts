import { describe, expect, it } from 'vitest';
import { codeFromDb } from '../src/backend';
import { colourTable } from '../src/draw/colour-maps';
import { CanvasRenderer } from '../src/draw/spectrogram-canvas';
import type { Patch } from '../src/draw/spectrogram-grid';
import { colourTables, differencePlace, NO_DIFFERENCE, resolve, UNKNOWN, type Picture } from '../src/draw/spectrogram-picture';
import { isSoftware } from '../src/draw/webgl-probe';
import { TILE_STRIDE, type CodeTile } from '../src/draw/spectrogram-tile';

function tile(code: (column: number, row: number) => number): CodeTile {
  const codes = new Uint16Array(TILE_STRIDE * TILE_STRIDE);
  for (let row = 0; row < TILE_STRIDE; row++) for (let column = 0; column < TILE_STRIDE; column++) codes[row * TILE_STRIDE + column] = code(column, row);
  return { codes, exact: true, version: 0, used: 0, retryAt: 0, tries: 0 };
}
const patch = (of: CodeTile, change: Partial<Patch> = {}): Patch => ({ tile: of, x0: 0, x1: 8, y0: 0, y1: 4, u0: 65_536, du: 65_536, v0: 10 * 65_536, dv: -65_536, ...change });

describe('the picture’s arithmetic', () => {
  it('gives columns and rows themselves at their centres, rows running up', () => {
    const plane = new Uint16Array(32);
    resolve(plane, 8, patch(tile((column, row) => column * 100 + row)));
    expect([...plane.subarray(0, 3)]).toEqual([110, 210, 310]);
    expect(plane[8]).toBe(109);
  });

  it('lies between them elsewhere, also at the highest codes', () => {
    const plane = new Uint16Array(32);
    resolve(plane, 8, patch(tile((column) => column * 1000), { u0: 65_536 * 1.5, du: 65_536 / 4 }));
    expect([...plane.subarray(0, 4)]).toEqual([1500, 1750, 2000, 2250]);
    resolve(plane, 8, patch(tile(() => 65_534), { u0: 65_536 * 1.37, du: 12_345, v0: 65_536 * 9.7, dv: -54_321 }));
    expect(plane.every((code) => code === 65_534)).toBe(true);
    const slope = tile((column, row) => (column + row) * 120);
    for (let i = 0; i < 40; i++) {
      const [u, v] = [1 + i * 5.93, 1 + i * 6.17];
      resolve(plane, 8, patch(slope, { u0: Math.round(u * 65_536), v0: Math.round(v * 65_536), x1: 1, y1: 1 }));
      expect(Math.abs((plane[0] ?? 0) - (u + v) * 120)).toBeLessThan(2);
    }
  });

  it.each([0.03, 0.4, 0.97, 1.3, 9.7])('is to the bit what four neighbours give, %d columns a pixel', (step) => {
    let state = 1;
    const noise = tile(() => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16);
    const of = patch(noise, { x0: 1, x1: 40, y1: 30, u0: 31_000, du: Math.round(step * 65_536), v0: 255 * 65_536 + 777, dv: -Math.round(step * 91_000) });
    const plane = new Uint16Array(40 * 30);
    resolve(plane, 40, of);
    for (let y = 0; y < 30; y++) {
      for (let x = 1; x < 40; x++) {
        const place = (at: number): [number, number] => [Math.min(TILE_STRIDE - 2, Math.max(0, at >> 16)), (at >> 8) & 255];
        const [column, fx] = place(of.u0 + (x - 1) * of.du);
        const [row, fy] = place(of.v0 + y * of.dv);
        const code = (right: number, up: number) => BigInt(noise.codes[(row + up) * TILE_STRIDE + column + right] ?? 0);
        const [a, b] = [BigInt(fx), BigInt(fy)];
        const sum = (code(0, 0) * (256n - a) + code(1, 0) * a) * (256n - b) + (code(0, 1) * (256n - a) + code(1, 1) * a) * b;
        expect(plane[y * 40 + x]).toBe(Number((sum + 32_768n) >> 16n));
      }
    }
  });

  it('colours by level, gain and range from 256 entries', () => {
    const { levels, floorCode } = colourTables({ colours: 'grey', gain_db: 20, range_db: 80 });
    const grey = (db: number) => levels[codeFromDb(db) * 4];
    expect(grey(-20)).toBe(255);
    expect(grey(10)).toBe(255);
    expect(grey(-100)).toBe(0);
    expect(grey(-60)).toBe(Math.round(255 / 2));
    expect(levels[UNKNOWN * 4 + 3]).toBe(0);
    expect(floorCode).toBe(codeFromDb(-100));
  });

  it('shows a difference as processed minus original, fading towards the foot of the range', () => {
    const floor = codeFromDb(-100);
    expect(differencePlace(codeFromDb(-40), codeFromDb(-37), floor)).toBe(NO_DIFFERENCE + 600);
    expect(differencePlace(codeFromDb(-140), codeFromDb(-110), floor)).toBe(NO_DIFFERENCE);
    expect(differencePlace(65_534, 0, floor)).toBe(0);
    // Half-way up to where it shows in full.
    expect(differencePlace(floor + 2500, floor + 1500, floor)).toBe(NO_DIFFERENCE - 500);
    const { differences } = colourTables({ colours: 'viridis', gain_db: 0, range_db: 80 });
    const louder = NO_DIFFERENCE + 4000;
    expect([...differences.subarray(louder * 4, louder * 4 + 3)]).toEqual([...colourTable('difference').subarray(255 * 4, 255 * 4 + 3)]);
  });
});

describe('the processor’s renderer', () => {
  it('draws regions from either side and leaves what is unknown transparent', () => {
    let shown: ImageData | null = null;
    const canvas = { width: 0, height: 0 };
    const context = {
      canvas,
      createImageData: (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) }),
      putImageData: (image: ImageData) => (shown = image),
    } as unknown as CanvasRenderingContext2D;
    const picture: Picture = {
      width: 12,
      height: 4,
      original: [patch(tile(() => codeFromDb(-50)))],
      processed: [patch(tile(() => codeFromDb(-30)))],
      regions: [
        { x: 0, y: 0, width: 3, height: 4, show: 'original' },
        { x: 3, y: 0, width: 3, height: 4, show: 'processed' },
        { x: 6, y: 0, width: 6, height: 4, show: 'difference' },
      ],
      tables: colourTables({ colours: 'grey', gain_db: 0, range_db: 100 }),
      form: '',
      pixel: 0,
    };
    new CanvasRenderer(context).draw(picture);
    const data = (shown as unknown as ImageData).data;
    const at = (x: number) => [...data.subarray((12 + x) * 4, (12 + x) * 4 + 4)];
    expect(at(0)).toEqual([128, 128, 128, 255]);
    expect(at(4)).toEqual([179, 179, 179, 255]);
    const difference = NO_DIFFERENCE + 4000;
    expect(at(7)).toEqual([...picture.tables.differences.subarray(difference * 4, difference * 4 + 4)]);
    expect(at(9)[3]).toBe(0);
    expect(canvas.width).toBe(12);
  });

  it('moves what it has when a picture only scrolls', () => {
    const images: Uint8ClampedArray[] = [];
    const context = () =>
      ({
        canvas: { width: 0, height: 0 },
        createImageData: (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) }),
        putImageData: (image: ImageData) => images.push(image.data.slice()),
      }) as unknown as CanvasRenderingContext2D;
    const source = tile((column, row) => 20_000 + column * 50 + row * 30);
    const tables = colourTables({ colours: 'viridis', gain_db: 0, range_db: 120 });
    const at = (pixel: number): Picture => ({
      width: 40,
      height: 4,
      original: [patch(source, { x1: 40, u0: 65_536 + pixel * 32_768, du: 32_768 })],
      processed: [],
      regions: [{ x: 0, y: 0, width: 40, height: 4, show: 'original' }],
      tables,
      form: 'one',
      pixel,
    });
    const renderer = new CanvasRenderer(context());
    for (const pixel of [0, 7, 3, 90, 50]) {
      renderer.draw(at(pixel));
      new CanvasRenderer(context()).draw(at(pixel));
      const [moved, fresh] = images.splice(0);
      expect([...(moved ?? [])], `${pixel}`).toEqual([...(fresh ?? [])]);
    }
    expect(renderer.moved).toBe(false);
    renderer.draw(at(55));
    expect(renderer.moved).toBe(true);
    renderer.draw(at(55), true);
    expect(renderer.moved).toBe(false);
  });

  it('draws what changed alone, and is to the bit what all of it would be', () => {
    let state = 7;
    const random = (below: number) => ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 8) % below;
    const noise = () => tile(() => random(60_000));
    const put: { image: Uint8ClampedArray; area: number }[] = [];
    const shown = new Uint8ClampedArray(96 * 40 * 4);
    const context = (into: Uint8ClampedArray) =>
      ({
        canvas: { width: 0, height: 0 },
        createImageData: (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) }),
        putImageData: ({ data, width }: ImageData, _x: number, _y: number, x: number, y: number, wide: number, tall: number) => {
          for (let row = y; row < y + tall; row++) into.set(data.subarray((row * width + x) * 4, (row * width + x + wide) * 4), (row * width + x) * 4);
          put.push({ image: data, area: wide * tall });
        },
      }) as unknown as CanvasRenderingContext2D;
    const tables = colourTables({ colours: 'viridis', gain_db: 0, range_db: 120 });
    // Cells of 32 by 20 pixels, eight columns of a tile a pixel, so that borders are seen; three in sight and two rows.
    const cells = new Map<string, CodeTile>();
    const picture = (pixel: number, show: 'original' | 'processed' | 'difference'): Picture => {
      const patches: Patch[] = [];
      for (let column = Math.floor(pixel / 32); column * 32 < pixel + 96; column++) {
        for (let row = 0; row < 2; row++) {
          const of = cells.get(`${column}:${row}`);
          const x0 = Math.max(0, column * 32 - pixel);
          const x1 = Math.min(96, (column + 1) * 32 - pixel);
          if (of) patches.push({ tile: of, x0, x1, y0: row * 20, y1: row * 20 + 20, u0: (x0 + pixel - column * 32) * 8 * 65_536 + 4 * 65_536, du: 8 * 65_536, v0: 256 * 65_536, dv: -13 * 65_536 });
        }
      }
      return { width: 96, height: 40, original: patches, processed: patches.slice(1), regions: [{ x: 0, y: 0, width: 96, height: 40, show }], tables, form: show, pixel };
    };
    const renderer = new CanvasRenderer(context(shown));
    let pixel = 0;
    let small = 0;
    for (let step = 0; step < 400; step++) {
      const key = `${Math.floor(pixel / 32) + random(4)}:${random(2)}`;
      const what = random(5);
      const there = cells.get(key);
      if (what === 0) cells.set(key, noise());
      else if (what === 1) cells.delete(key);
      else if (what === 2 && there) {
        for (let row = 0; row < TILE_STRIDE; row++) there.codes[row * TILE_STRIDE + (random(2) === 0 ? 0 : TILE_STRIDE - 1)] = random(60_000);
        for (let column = 0; column < TILE_STRIDE; column++) there.codes[(random(2) === 0 ? 0 : TILE_STRIDE - 1) * TILE_STRIDE + column] = random(60_000);
        there.version++;
      } else pixel = Math.max(0, pixel + random(41) - 20);
      const show = (['original', 'processed', 'difference'] as const)[Math.floor(step / 50) % 3] ?? 'original';
      renderer.draw(picture(pixel, show));
      if ((put.at(-1)?.area ?? 0) < 96 * 40 / 2) small++;
      const fresh = new Uint8ClampedArray(shown.length);
      new CanvasRenderer(context(fresh)).draw(picture(pixel, show));
      expect(shown.every((value, at) => value === fresh[at]), `step ${step}`).toBe(true);
    }
    expect(small).toBeGreaterThan(50);
  });

  it.each([
    ['ANGLE (Mesa, llvmpipe (LLVM 15.0.6), OpenGL 4.5)', true],
    ['Google SwiftShader', true],
    ['softpipe', true],
    ['ANGLE (AMD, AMD Radeon RX 6600)', false],
    ['Apple GPU', false],
  ])('stands in for %s: %s', (name, software) => {
    expect(isSoftware(name)).toBe(software);
  });
});
