// The synthetic recording in words and numbers, and the levels of a region.

import type { Description, FrequencyBand, RegionLevels, Selection } from '../../bindings';
import { levelsOf } from './signal';
import type { MockDocument } from './world';

const LUFS_RE_RMS = -0.7;

export function describe(document: MockDocument): Description {
  const { frames, rate, name } = document.view;
  const levels = levelsOf(document.recording, 0, frames);
  const loudness = levels.rms_db === null ? null : levels.rms_db + LUFS_RE_RMS;
  return {
    text: `${name} is a stereo recording of ${(frames / rate).toFixed(1)} seconds at ${rate / 1000} kHz. Its level varies little; it is quiet once, for half a second near the middle. Most of its energy lies below 300 Hz.`,
    duration_s: frames / rate,
    loudness_lufs: loudness,
    peak_db: levels.peak_db,
    dominant_hz: [48, 220, 261.6, 329.6, 440],
    silences: [{ start: 10 * rate, end: 10.5 * rate }],
  };
}

export function regionLevels(document: MockDocument, range: Selection, band: FrequencyBand | null): RegionLevels {
  const levels = levelsOf(document.recording, range.start, range.end);
  // A band holds less than the whole: a guess that a person can see change.
  const share = band === null ? 0 : 10 * Math.log10(Math.max(1e-3, (band.high_hz - band.low_hz) / (document.view.rate / 2)));
  const less = (db: number | null) => (db === null ? null : db + share);
  const long = range.end - range.start > document.view.rate * 0.4;
  return {
    peak_db: less(levels.peak_db),
    rms_db: less(levels.rms_db),
    lufs: long && levels.rms_db !== null ? levels.rms_db + LUFS_RE_RMS + share : null,
    centre_hz: band === null ? 412.7 : Math.sqrt(Math.max(1, band.low_hz) * band.high_hz),
  };
}
