// What lies above a spectrogram: the selection's frequencies, harmonics, the pointer's frequency, and where sides meet.

import type { FrequencyBand, Selection, ViewRange } from '../bindings';
import { heightFromHz } from '../lib/frequency-scale';
import type { Axis } from '../lib/frequency-ticks';
import { xFromFrame } from '../lib/view';
import type { Surface } from './canvas';
import type { Palette } from './palette';
import { laneTop, type Lanes } from './waveform';

const MOST_HARMONICS = 64;
/** Closer than this harmonics are a hatching that hides the picture. */
const LEAST_GAP_PX = 9;
const LABEL_GAP_PX = 13;

export interface FrequencyMarks {
  axis: Axis;
  lanes: Lanes;
  view: ViewRange;
  selection: Selection | null;
  band: FrequencyBand | null;
  /** The pointer's frequency, or the one that was clicked. */
  hz: number | null;
  lane: number;
  harmonics: boolean;
}

/** The context's origin is the lanes' top left. */
export function drawFrequencyMarks(target: Surface, marks: FrequencyMarks, palette: Palette): void {
  const { context, width, ratio } = target;
  const { axis, lanes } = marks;
  const thin = Math.max(1, Math.round(ratio));
  const y = (hz: number, lane: number) => laneTop(lanes, lane) + heightFromHz(hz, axis.view, axis.scale, axis.rate) * lanes.height;
  const inside = (at: number, lane: number) => at >= laneTop(lanes, lane) && at <= laneTop(lanes, lane) + lanes.height;
  if (marks.selection && marks.band) {
    const from = Math.max(-10, xFromFrame(marks.selection.start, marks.view, width));
    const to = Math.min(width + 10, xFromFrame(marks.selection.end, marks.view, width));
    for (let lane = 0; lane < lanes.channels; lane++) {
      const floor = laneTop(lanes, lane);
      const top = Math.max(floor, y(marks.band.high_hz, lane));
      const bottom = Math.min(floor + lanes.height, y(marks.band.low_hz, lane));
      if (bottom <= top) continue;
      context.fillStyle = palette['over-selection'];
      context.fillRect(from, top, to - from, bottom - top);
      context.lineWidth = thin;
      // A dark line beside the light one: it is seen on every colour of the picture.
      context.strokeStyle = palette['over-ink'];
      context.strokeRect(Math.round(from) - 0.5 * thin, Math.round(top) - 0.5 * thin, Math.round(to - from) + thin, Math.round(bottom - top) + thin);
      context.strokeStyle = palette['over-line'];
      context.strokeRect(Math.round(from) + 0.5 * thin, Math.round(top) + 0.5 * thin, Math.round(to - from) - thin, Math.round(bottom - top) - thin);
    }
  }
  if (marks.hz === null || marks.hz <= 0) return;
  const line = (hz: number, lane: number, strength: number) => {
    const at = Math.round(y(hz, lane));
    if (!inside(at, lane)) return;
    context.globalAlpha = strength;
    context.fillStyle = palette['over-ink'];
    context.fillRect(0, at + thin, width, thin);
    context.fillStyle = palette['over-line'];
    context.fillRect(0, at, width, thin);
    context.globalAlpha = 1;
  };
  for (let lane = 0; lane < lanes.channels; lane++) {
    if (marks.harmonics) {
      let last = Infinity;
      let lastLabel = Infinity;
      for (let number = 1; number <= MOST_HARMONICS && number * marks.hz < axis.rate / 2; number++) {
        const at = y(number * marks.hz, lane);
        if (last - at < LEAST_GAP_PX * ratio) continue;
        line(number * marks.hz, lane, number === 1 ? 0.85 : 0.45);
        if (lane === marks.lane && inside(at, lane) && lastLabel - at >= LABEL_GAP_PX * ratio) {
          numberLabel(target, `${number}`, at, palette);
          lastLabel = at;
        }
        last = at;
      }
    } else if (lane === marks.lane) line(marks.hz, lane, 0.35);
  }
}

function numberLabel(target: Surface, label: string, y: number, palette: Palette): void {
  const { context, ratio } = target;
  context.font = `600 ${10 * ratio}px ${palette.font}`;
  context.textBaseline = 'bottom';
  context.textAlign = 'left';
  context.lineWidth = 2.5 * ratio;
  context.strokeStyle = palette['over-ink'];
  context.strokeText(label, 4 * ratio, y);
  context.fillStyle = palette['over-line'];
  context.fillText(label, 4 * ratio, y);
}
