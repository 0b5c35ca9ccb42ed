// The rulers of time, level and frequency.

import type { FrameRange, FrequencyRuler } from '../bindings';
import { frequencyTicks, type Axis } from '../lib/frequency-ticks';
import { rulerTicks, type TimeDisplay } from '../lib/time-ruler';
import { xFromFrame } from '../lib/view';
import type { Surface } from './canvas';
import type { Palette } from './palette';
import { laneTop, type Lanes } from './waveform';

/** Draws the time ruler, whose last `covered` CSS pixels are hidden. */
export function drawTimeRuler(target: Surface, view: FrameRange, rate: number, display: TimeDisplay, palette: Palette, covered = 0): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  context.font = `${11 * ratio}px ${palette.font}`;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  const found = rulerTicks(view, rate, width / ratio, display);
  const thin = Math.max(1, Math.round(ratio));
  const x = (frame: number) => Math.round(xFromFrame(frame, view, width));
  for (const tick of found) {
    const tall = tick.label !== null;
    context.fillStyle = tall ? palette['line-strong'] : palette.line;
    const length = (tall ? 14 : 5) * ratio;
    context.fillRect(x(tick.frame), height - length, thin, length);
  }
  context.fillStyle = palette['text-dim'];
  for (const tick of found) {
    if (tick.label === null) continue;
    const left = x(tick.frame) + 4 * ratio;
    // Omits labels that would be partly covered at the end.
    if (covered === 0 || left + context.measureText(tick.label).width <= width - covered * ratio) context.fillText(tick.label, left, height - 8 * ratio);
  }
}

/**
 * Draws the grid behind the waveform: lines of time and level. The waveform is an image that would erase them, so it is
 * drawn first and the lines are composited below it.
 */
export function drawGrid(target: Surface, view: FrameRange, rate: number, display: TimeDisplay, lanes: Lanes, zoom: number, palette: Palette): void {
  const { context, width, ratio } = target;
  const thin = Math.max(1, Math.round(ratio));
  context.globalCompositeOperation = 'destination-over';
  for (let channel = lanes.channels - 1; channel >= 0; channel--) {
    const top = laneTop(lanes, channel);
    const middle = top + lanes.height / 2;
    if (channel > 0) {
      context.fillStyle = palette.line;
      context.fillRect(0, Math.round(top - lanes.gap), width, Math.max(1, Math.round(lanes.gap)));
    }
    context.fillStyle = palette['grid-strong'];
    context.fillRect(0, Math.round(middle), width, thin);
    context.fillStyle = palette.grid;
    for (const { share } of levels(lanes.height / ratio, zoom)) {
      const offset = share * (lanes.height / 2 - ratio);
      context.fillRect(0, Math.round(middle - offset), width, thin);
      context.fillRect(0, Math.round(middle + offset), width, thin);
    }
  }
  context.fillStyle = palette.grid;
  for (const tick of rulerTicks(view, rate, width / ratio, display)) {
    if (tick.label !== null) context.fillRect(Math.round(xFromFrame(tick.frame, view, width)), 0, thin, target.height);
  }
  context.globalCompositeOperation = 'source-over';
}

/** Candidate levels, in dB below the edge of a lane. */
const STEPS_DB = [1, 3, 6, 9, 12, 18, 24, 36];

export interface LevelMark {
  db: number;
  /** The distance from the middle of a lane, as a share of half its height. */
  share: number;
}

/** The marked levels of a lane, at least 18 px apart, without the edge itself. */
export function levels(height: number, zoom: number): LevelMark[] {
  const edgeDb = -20 * Math.log10(zoom);
  // Whole numbers of dB, or every mark would inherit the edge's fraction; full scale is marked wherever it is.
  const top = Math.round(edgeDb);
  const wanted = [...(edgeDb > 0.5 ? [0] : []), ...STEPS_DB.map((step) => top - step)];
  const found: LevelMark[] = [];
  for (const db of [...new Set(wanted)]) {
    const share = 10 ** ((db - edgeDb) / 20);
    const at = share * (height / 2);
    const crowded = found.some((each) => Math.abs(each.share - share) * (height / 2) < 18);
    if (!crowded && at >= 16 && height / 2 - at >= 20) found.push({ db, share });
  }
  return found;
}

/** The ruler's label of a level in dBFS. */
export const levelLabel = (db: number): string => (Math.round(db * 10) === 0 ? '0' : `${db < 0 ? '−' : '+'}${Math.abs(Math.round(db * 10) / 10)}`);

export function drawLevelRuler(target: Surface, lanes: Lanes, names: string[], zoom: number, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const thin = Math.max(1, Math.round(ratio));
  for (let channel = 0; channel < lanes.channels; channel++) {
    const top = laneTop(lanes, channel);
    const middle = top + lanes.height / 2;
    const half = lanes.height / 2 - ratio;
    const mark = (y: number, label: string) => {
      context.fillStyle = palette['line-strong'];
      context.fillRect(width - 5 * ratio, Math.round(y), 5 * ratio, thin);
      context.fillStyle = palette['text-dim'];
      context.fillText(label, width - 9 * ratio, Math.min(top + lanes.height - 7 * ratio, Math.max(top + 8 * ratio, y)));
    };
    const edge = levelLabel(-20 * Math.log10(zoom));
    mark(middle - half, edge);
    for (const { db, share } of levels(lanes.height / ratio, zoom)) {
      mark(middle - share * half, levelLabel(db));
      mark(middle + share * half, levelLabel(db));
    }
    mark(middle, '−∞');
    mark(middle + half, edge);
    context.fillStyle = palette.text;
    context.textAlign = 'left';
    context.font = `600 ${11 * ratio}px ${palette.font}`;
    context.fillText(names[channel] ?? '', width - 38 * ratio, middle);
    context.font = `${10.5 * ratio}px ${palette.font}`;
    context.textAlign = 'right';
    if (channel > 0) {
      context.fillStyle = palette.line;
      context.fillRect(0, Math.round(top - lanes.gap), width, Math.max(1, Math.round(lanes.gap)));
    }
  }
}

/** Draws the frequency ruler of each lane: marks, numbers or notes, and the lane's name at the top. */
export function drawFrequencyRuler(target: Surface, lanes: Lanes, names: string[], axis: Axis, ruler: FrequencyRuler, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  context.textBaseline = 'middle';
  const thin = Math.max(1, Math.round(ratio));
  const ticks = frequencyTicks(axis, lanes.height / ratio, ruler);
  for (let lane = 0; lane < lanes.channels; lane++) {
    const top = laneTop(lanes, lane);
    const name = names[lane] ?? '';
    context.font = `${10.5 * ratio}px ${palette.font}`;
    context.textAlign = 'right';
    for (const tick of ticks) {
      const y = top + tick.height * lanes.height;
      context.fillStyle = tick.label === null ? palette.line : palette['line-strong'];
      const length = (tick.label === null ? 3 : 5) * ratio;
      context.fillRect(width - length, Math.round(y), length, thin);
      // The upper left corner is reserved for the lane's name.
      const crowded = name !== '' && tick.height * lanes.height < 20 * ratio;
      if (tick.label === null || crowded || tick.height * lanes.height > lanes.height - 6 * ratio) continue;
      context.fillStyle = palette['text-dim'];
      context.fillText(tick.label, width - 8 * ratio, Math.max(top + 7 * ratio, y));
    }
    context.fillStyle = palette.text;
    context.textAlign = 'left';
    context.font = `600 ${11 * ratio}px ${palette.font}`;
    context.fillText(name, width - 38 * ratio, top + 10 * ratio);
    if (lane > 0) {
      context.fillStyle = palette.line;
      context.fillRect(0, Math.round(top - lanes.gap), width, Math.max(1, Math.round(lanes.gap)));
    }
  }
}
