// The colour ruler: the level, or the difference, of each colour.

import { codeFromDb } from '../backend';
import type { SpectrogramDisplay } from '../bindings';
import type { Surface } from './canvas';
import type { Palette } from './palette';
import { tablesFor } from './spectrogram-lanes';
import { differenceSpanDb, NO_DIFFERENCE } from './spectrogram-picture';

const STEPS = [1, 2, 5, 10, 20, 30, 40, 60];
const LABEL_PX = 22;
const BAR_PX = 12;

export function drawColourRuler(target: Surface, display: SpectrogramDisplay, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  const difference = display.compare === 'difference';
  const spanDb = differenceSpanDb(display.range_db);
  const top = difference ? spanDb : -display.gain_db;
  const range = difference ? 2 * spanDb : display.range_db;
  const tables = tablesFor(display);
  const left = Math.round(5 * ratio);
  const bar = Math.round(BAR_PX * ratio);
  const strip = context.createImageData(bar, height);
  const from = new Uint32Array((difference ? tables.differences : tables.levels).buffer);
  const pixels = new Uint32Array(strip.data.buffer);
  const perDb = codeFromDb(1) - codeFromDb(0);
  for (let y = 0; y < height; y++) {
    const db = top - ((y + 0.5) / height) * range;
    const entry = difference ? Math.round(db * perDb) + NO_DIFFERENCE : codeFromDb(db);
    pixels.fill(from[entry] ?? 0, y * bar, (y + 1) * bar);
  }
  context.putImageData(strip, left, 0);
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const least = (range / (height / ratio)) * LABEL_PX;
  const step = STEPS.find((each) => each >= least) ?? 60;
  const thin = Math.max(1, Math.round(ratio));
  for (let db = Math.ceil((top - range) / step) * step; db <= top; db += step) {
    const y = ((top - db) / range) * height;
    if (y < 7 * ratio || y > height - 7 * ratio) continue;
    context.fillStyle = palette['line-strong'];
    context.fillRect(left + bar, Math.round(y), 3 * ratio, thin);
    context.fillStyle = palette['text-dim'];
    const sign = db < 0 ? '−' : difference && db > 0 ? '+' : '';
    context.fillText(`${sign}${Math.abs(db)}`, left + bar + 6 * ratio, y);
  }
}
