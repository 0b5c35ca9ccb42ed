// The sound around a point, bounded by silences: what a double click selects.

import type { FrameRange } from '../bindings';

/** Levels of even parts of a recording, the greatest over its channels. */
export interface Levels {
  startFrame: number;
  framesPerColumn: number;
  peak: Float32Array;
}

const QUIET_RE_LOUDEST_DB = -46;
const MIN_FLOOR = 10 ** (-66 / 20);
const MIN_SILENCE_S = 0.06;

/**
 * From `frame` to the silences before and behind it. A silence is at least 60 ms below -46 dB of the loudest part seen,
 * or below -66 dBFS. Null when `frame` itself lies in silence.
 */
export function betweenSilences(levels: Levels, frame: number, rate: number): FrameRange | null {
  const { peak, framesPerColumn, startFrame } = levels;
  const loudest = peak.reduce((most, value) => Math.max(most, value), 0);
  const floor = Math.max(loudest * 10 ** (QUIET_RE_LOUDEST_DB / 20), MIN_FLOOR);
  const need = Math.max(1, Math.ceil((MIN_SILENCE_S * rate) / framesPerColumn));
  const at = Math.floor((frame - startFrame) / framesPerColumn);
  if (at < 0 || at >= peak.length) return null;
  const edge = (direction: 1 | -1): number => {
    let quiet = 0;
    let last = at;
    for (let column = at; column >= 0 && column < peak.length; column += direction) {
      if ((peak[column] ?? 0) >= floor) {
        quiet = 0;
        last = column;
      } else if (++quiet >= need) break;
    }
    return last;
  };
  const first = edge(-1);
  const end = edge(1);
  if ((peak[first] ?? 0) < floor && (peak[end] ?? 0) < floor && first === end) return null;
  return { start: Math.round(startFrame + first * framesPerColumn), end: Math.round(startFrame + (end + 1) * framesPerColumn) };
}
