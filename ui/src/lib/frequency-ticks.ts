// Marks of the frequency ruler, dense at every zoom and on every scale: in hertz, or at notes.

import type { FrequencyRuler, FrequencyScale } from '../bindings';
import { heightFromHz, hzFromPosition, type FrequencyView } from './frequency-scale';
import { hzFromNote, noteName, noteNumber } from './note';
import { compact } from './quantity';

export interface FrequencyTick {
  hz: number;
  /** From the top of the lane, 0..1. */
  height: number;
  /** The label; null for minor ticks. */
  label: string | null;
}

export interface Axis {
  view: FrequencyView;
  scale: FrequencyScale;
  rate: number;
}

/** The least distance between labels, and between small marks, in CSS pixels. */
const LABEL_PX = 17;
const MARK_PX = 4;
const MIN_STEP_HZ = 0.01;

export function frequencyTicks(axis: Axis, heightPx: number, ruler: FrequencyRuler): FrequencyTick[] {
  const found = ruler === 'notes' ? noteTicks(axis, heightPx) : axis.scale === 'linear' ? evenTicks(axis, heightPx) : hertzTicks(axis, heightPx);
  return found.filter((tick) => tick.height >= 0 && tick.height <= 1).sort((a, b) => a.hz - b.hz);
}

/** Ticks in steps of 1, 2 and 5, where hertz are evenly spaced. */
function evenTicks({ view, scale, rate }: Axis, heightPx: number): FrequencyTick[] {
  const [low, high] = [hzFromPosition(view.bottom, scale, rate), hzFromPosition(view.top, scale, rate)];
  const least = ((high - low) / heightPx) * LABEL_PX * 1.4;
  const unit = 10 ** Math.floor(Math.log10(least));
  const [times, parts] = ([[1, 5], [2, 4], [5, 5], [10, 5]] as const).find(([candidate]) => candidate * unit >= least) ?? [10, 5];
  const small = (times * unit) / parts;
  const found: FrequencyTick[] = [];
  for (let index = Math.ceil(low / small); index * small <= high; index++) {
    const hz = Number((index * small).toPrecision(12));
    found.push({ hz, height: heightFromHz(hz, view, scale, rate), label: index % parts === 0 ? hertzLabel(hz) : null });
  }
  return found;
}

/** In a decade from zero, the tenths that are labelled: as many as have room, the first always, so that the next follows. */
const DECADES = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];
/** The subdivisions of a step, in units of its first digit: the most that have room are used. */
const CUTS: Record<number, number[][]> = {
  1: [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], [0.2, 0.4, 0.6, 0.8], [0.5]],
  2: [[0.5, 1, 1.5], [1]],
  3: [[0.5, 1, 1.5, 2, 2.5], [1, 2]],
  4: [[1, 2, 3], [2]],
  5: [[1, 2, 3, 4], [2]],
  7: [[1, 2, 3, 4, 5, 6], [1, 2, 3, 5], [2, 4], [2]],
};

function hertzTicks({ view, scale, rate }: Axis, heightPx: number): FrequencyTick[] {
  const height = (hz: number) => heightFromHz(hz, view, scale, rate);
  const low = Math.max(0, hzFromPosition(view.bottom, scale, rate));
  const high = hzFromPosition(view.top, scale, rate);
  const found = new Map<number, FrequencyTick>();
  const seen = (from: number, to: number) => to >= low && from <= high;
  const mark = (hz: number, labelled: boolean) => {
    const exact = Number(hz.toPrecision(12));
    if (labelled || !found.has(exact)) found.set(exact, { hz: exact, height: height(exact), label: labelled ? hertzLabel(exact) : null });
  };
  /** Whether neighbouring visible marks are far enough apart. */
  const fits = (places: number[], px: number) =>
    places.every((hz, i) => i === 0 || (places[i - 1] ?? 0) <= 0 || !seen(places[i - 1] ?? 0, hz) || (height(places[i - 1] ?? 0) - height(hz)) * heightPx >= px);
  const cut = (from: number, step: number): void => {
    if (step < MIN_STEP_HZ || !seen(from, from + step)) return;
    const digit = Number(Number(step.toPrecision(6)).toExponential()[0]);
    const choices = (CUTS[digit] ?? []).map((cuts) => [from, ...cuts.map((at) => from + (at * step) / digit), from + step]);
    const labelled = choices.find((places) => fits(places, LABEL_PX));
    const places = labelled ?? choices.find((each) => fits(each, MARK_PX));
    for (const hz of places?.slice(1, -1) ?? []) mark(hz, labelled !== undefined);
    if (labelled) for (let i = 1; i < labelled.length; i++) cut(labelled[i - 1] ?? 0, (labelled[i] ?? 0) - (labelled[i - 1] ?? 0));
  };
  const decade = (step: number): void => {
    if (step < MIN_STEP_HZ || step < low) return;
    const tenths = DECADES.find((each) => fits([...each.map((tenth) => (tenth * step) / 10), step], LABEL_PX));
    if (!tenths) return;
    const places = [...tenths.map((tenth) => (tenth * step) / 10), step];
    for (const hz of places) mark(hz, true);
    for (let i = 1; i < places.length; i++) cut(places[i - 1] ?? 0, (places[i] ?? 0) - (places[i - 1] ?? 0));
    decade(step / 10);
  };
  decade(10 ** Math.ceil(Math.log10(high)));
  return [...found.values()];
}

function hertzLabel(hz: number): string {
  return hz >= 1000 ? `${compact(hz / 1000, 6)}k` : compact(hz, 6);
}

const NATURALS = new Set([0, 2, 4, 5, 7, 9, 11]);

/** Octaves, then naturals, then every note, then tens of cents, each where there is room. */
function noteTicks({ view, scale, rate }: Axis, heightPx: number): FrequencyTick[] {
  const height = (hz: number) => heightFromHz(hz, view, scale, rate);
  const low = Math.max(8, hzFromPosition(view.bottom, scale, rate));
  const high = hzFromPosition(view.top, scale, rate);
  const found: FrequencyTick[] = [];
  for (let number = Math.floor(noteNumber(low)); number <= Math.ceil(noteNumber(high)); number++) {
    const hz = hzFromNote(number);
    const semitone = Math.abs(height(hzFromNote(number + 1)) - height(hz)) * heightPx;
    const pitch = ((number % 12) + 12) % 12;
    const octave = Math.abs(height(hz * 2) - height(hz)) * heightPx;
    const labelled = semitone >= LABEL_PX - 3 || (NATURALS.has(pitch) && semitone >= LABEL_PX * 0.7) || (pitch === 0 && octave >= LABEL_PX);
    if (labelled || semitone >= MARK_PX || (pitch === 0 && octave >= MARK_PX)) found.push({ hz, height: height(hz), label: labelled ? noteName(number) : null });
    if (semitone < 10 * MARK_PX) continue;
    for (let cents = 10; cents < 100; cents += 10) {
      const between = hzFromNote(number + cents / 100);
      found.push({ hz: between, height: height(between), label: semitone >= 10 * LABEL_PX ? `+${cents} ct` : null });
    }
  }
  return found;
}
