// A reference for a canvas: rectangles filled one over the other, in double precision. And a surface that keeps its image.

import type { Surface } from '../src/draw/canvas';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Red, green, blue 0..255 and alpha 0..1. */
  colour: readonly [number, number, number, number];
}

/** Premultiplied red, green, blue and alpha of every pixel, 0..255. */
export function filled(width: number, height: number, rectangles: readonly Rectangle[]): Float64Array {
  const pixels = new Float64Array(width * height * 4);
  for (const { x, y, width: wide, height: tall, colour } of rectangles) {
    const [red, green, blue, alpha] = colour;
    for (let row = Math.max(0, Math.floor(y)); row < Math.min(height, Math.ceil(y + tall)); row++) {
      for (let column = Math.max(0, Math.floor(x)); column < Math.min(width, Math.ceil(x + wide)); column++) {
        const across = Math.min(column + 1, x + wide) - Math.max(column, x);
        const down = Math.min(row + 1, y + tall) - Math.max(row, y);
        const covered = alpha * Math.max(0, across) * Math.max(0, down);
        const at = (row * width + column) * 4;
        [red, green, blue, 255].forEach((part, i) => (pixels[at + i] = part * covered + (pixels[at + i] ?? 0) * (1 - covered)));
      }
    }
  }
  return pixels;
}

/** An image as a canvas keeps it: premultiplied. */
export function premultiplied(data: Uint8ClampedArray): Float64Array {
  return Float64Array.from(data, (part, i) => (i % 4 === 3 ? part : (part * (data[i - (i % 4) + 3] ?? 0)) / 255));
}

/** A surface that keeps the image put on it, its dots and how many rectangles it was asked for. */
export function fakeSurface(width: number, height: number, ratio: number) {
  const seen = { data: new Uint8ClampedArray(0), images: 0, dots: [] as { x: number; y: number; radius: number }[] };
  const context = {
    fillStyle: '',
    createImageData: () => (seen.images++, { width, height, data: new Uint8ClampedArray(width * height * 4) }),
    putImageData: (image: ImageData) => (seen.data = image.data.slice()),
    clearRect: () => seen.data.fill(0),
    beginPath: () => undefined,
    arc: (x: number, y: number, radius: number) => seen.dots.push({ x, y, radius }),
    fill: () => undefined,
  };
  return { seen, target: { context, width, height, ratio } as unknown as Surface };
}
