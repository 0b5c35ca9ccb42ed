// Positions of frequency marks in a spectrogram's lanes: the selected band, the pointer's frequency, its harmonics.

import type { FrequencyBand } from '../../../bindings';
import { laneTop, type Lanes } from '../../../draw/waveform';
import { heightFromHz } from '../../../lib/frequency-scale';
import type { Axis } from '../../../lib/frequency-ticks';

const MAX_HARMONICS = 64;
/** Harmonics closer than this would hatch over the picture. */
const MIN_GAP_PX = 9;
const LABEL_GAP_PX = 13;

/** The geometry of the lanes, in CSS pixels. */
export interface FrequencyPlaces {
  axis: Axis;
  lanes: Lanes;
}

export interface FrequencyLine {
  y: number;
  opacity: number;
  /** The harmonic's number, where there is room for it. */
  label: string | null;
}

const yFromHz = ({ axis, lanes }: FrequencyPlaces, hz: number, lane: number): number => laneTop(lanes, lane) + heightFromHz(hz, axis.view, axis.scale, axis.rate) * lanes.height;

/** The visible part of a band in each lane. */
export function bandBoxes(places: FrequencyPlaces, band: FrequencyBand): { top: number; height: number }[] {
  return Array.from({ length: places.lanes.channels }, (_, lane) => {
    const floor = laneTop(places.lanes, lane);
    const top = Math.max(floor, yFromHz(places, band.high_hz, lane));
    return { top, height: Math.min(floor + places.lanes.height, yFromHz(places, band.low_hz, lane)) - top };
  }).filter(({ height }) => height > 0);
}

/** The line of a frequency in its lane, and its harmonics in every lane, labelled only in this one. */
export function frequencyLines(places: FrequencyPlaces, spot: { hz: number; lane: number }, harmonics: boolean): FrequencyLine[] {
  const { lanes, axis } = places;
  const lines: FrequencyLine[] = [];
  if (spot.hz <= 0) return lines;
  const add = (y: number, lane: number, opacity: number, label: string | null) => {
    const top = laneTop(lanes, lane);
    const inside = y >= top && y <= top + lanes.height;
    if (inside) lines.push({ y, opacity, label });
    return inside;
  };
  if (!harmonics) {
    add(yFromHz(places, spot.hz, spot.lane), spot.lane, 0.35, null);
    return lines;
  }
  for (let lane = 0; lane < lanes.channels; lane++) {
    let last = Infinity;
    let lastLabel = Infinity;
    for (let number = 1; number <= MAX_HARMONICS && number * spot.hz < axis.rate / 2; number++) {
      const y = yFromHz(places, number * spot.hz, lane);
      if (last - y < MIN_GAP_PX) continue;
      last = y;
      const named = lane === spot.lane && lastLabel - y >= LABEL_GAP_PX;
      if (add(y, lane, number === 1 ? 0.85 : 0.45, named ? `${number}` : null) && named) lastLabel = y;
    }
  }
  return lines;
}
