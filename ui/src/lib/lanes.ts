// The lanes to show: those wanted, as far as the recording has them.

import type { FrameRange, LaneChannels, Side, SpectrogramDisplay } from '../bindings';
import { span } from './view';

export interface LaneSet {
  channels: LaneChannels;
  count: number;
}

/** The lanes. A waveform alone is always shown by channel; mid and side need two channels, a mean more than one. */
export function laneSet(display: Pick<SpectrogramDisplay, 'blend' | 'channels'>, channels: number): LaneSet {
  if (display.blend > 0 && display.channels === 'mix' && channels > 1) return { channels: 'mix', count: 1 };
  if (display.blend > 0 && display.channels === 'mid_side' && channels === 2) return { channels: 'mid_side', count: 2 };
  return { channels: 'each', count: channels };
}

/** The opacity of each: in the middle of the blend both are full, towards an end one fades. */
export const waveformOpacity = (blend: number): number => Math.min(1, 2 * (1 - blend));
export const spectrogramOpacity = (blend: number): number => Math.min(1, 2 * blend);

/** The content at a place of a spectrogram: a side, or how the processed one differs from the original. */
export type Content = Side | 'difference';

export function contentAt(compare: SpectrogramDisplay['compare'], side: Side, wipe: number, frame: number, view: FrameRange): Content {
  if (compare === 'difference') return 'difference';
  if (compare === 'off') return side;
  return frame < view.start + wipe * span(view) ? 'original' : 'processed';
}
