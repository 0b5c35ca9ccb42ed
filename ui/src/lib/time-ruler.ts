// Marks of the time ruler in time, samples, or bars and beats.

import type { FrameRange, SpectrogramDisplay } from '../bindings';
import { formatInteger } from './quantity';
import { shortTime, ticks } from './time';
import { span } from './view';

export interface RulerTick {
  frame: number;
  /** The label; null for minor ticks. */
  label: string | null;
}

export type TimeDisplay = Pick<SpectrogramDisplay, 'time_ruler' | 'bpm' | 'beats_per_bar'>;

export function rulerTicks(view: FrameRange, rate: number, widthPx: number, display: TimeDisplay): RulerTick[] {
  if (!(span(view) > 0) || widthPx <= 0) return [];
  if (display.time_ruler === 'samples') return sampleTicks(view, widthPx);
  if (display.time_ruler === 'beats') return beatTicks(view, rate, widthPx, display);
  return ticks(view.start / rate, view.end / rate, widthPx).map(({ seconds, label }) => ({ frame: seconds * rate, label }));
}

/** A place as the ruler counts: "1:23.456", "3 984 128", "12:3". */
export function formatPlace(frame: number, rate: number, display: TimeDisplay, decimals: number): string {
  if (display.time_ruler === 'samples') return formatInteger(frame);
  if (display.time_ruler === 'time') return shortTime(frame / rate, decimals);
  return beatLabel(Math.max(0, frame / framesPerBeat(rate, display)), display, true);
}

const framesPerBeat = (rate: number, { bpm }: TimeDisplay): number => (60 * rate) / bpm;

function sampleTicks(view: FrameRange, widthPx: number): RulerTick[] {
  const least = (span(view) / widthPx) * 96;
  const unit = 10 ** Math.floor(Math.log10(least));
  const [step, parts] = ([[1, 10], [2, 4], [5, 5], [10, 10]] as const).map(([times, cut]) => [Math.max(1, Math.round(unit * times)), cut] as const).find(([candidate]) => candidate >= least) ?? [1, 1];
  const small = Math.max(1, step / (step < parts ? 1 : parts));
  const found: RulerTick[] = [];
  for (let index = Math.max(0, Math.floor(view.start / small)); index * small <= view.end + small; index++) {
    const frame = index * small;
    found.push({ frame, label: Math.abs(frame / step - Math.round(frame / step)) < 1e-9 ? formatInteger(frame) : null });
  }
  return found;
}

/** Bars in powers of two when far away, then bars, beats and parts of a beat. */
function beatTicks(view: FrameRange, rate: number, widthPx: number, display: TimeDisplay): RulerTick[] {
  const beat = framesPerBeat(rate, display);
  const least = ((span(view) / widthPx) * 64) / beat;
  const bar = display.beats_per_bar;
  let step = 2 ** -18;
  while (step < least && step < 1) step *= 2;
  if (step < least) step = bar;
  while (step < least) step *= 2;
  const parts = step === bar ? bar : 4;
  const small = step / parts;
  const found: RulerTick[] = [];
  for (let index = Math.max(0, Math.floor(view.start / beat / small)); index * small * beat <= view.end + small * beat; index++) {
    found.push({ frame: index * small * beat, label: index % parts === 0 ? beatLabel(index * small, display, step < 1) : null });
  }
  return found;
}

/** Bar and beat, both counted from 1; parts of a beat as decimals. */
function beatLabel(beats: number, { beats_per_bar }: TimeDisplay, fraction: boolean): string {
  const whole = Math.floor(beats + 1e-9);
  const place = `${Math.floor(whole / beats_per_bar) + 1}:${(whole % beats_per_bar) + 1}`;
  const rest = Math.max(0, beats - whole);
  return fraction && rest > 1e-6 ? `${place}${rest.toFixed(6).slice(1).replace(/0+$/, '').replace(/\.$/, '')}` : place;
}
