// A track's page: pictures, percentiles, tags, what its bandwidth tells.

import type { CoverView, OriginView, SeriesView, TrackItem, TrackPageView } from '../../../bindings';
import { DIMENSIONS } from './dimensions';
import { share } from './noise';
import type { MockLibrary } from './world';

const STEP_S = 1.5;

function series(item: TrackItem): SeriesView[] {
  const seconds = item.duration_s ?? 0;
  const rows = Math.floor(seconds / STEP_S);
  if (rows < 4) return [];
  const chord = (at: number) => Math.floor(share(item.id, 500 + (Math.floor(at / 8) % 4)) * 12);
  const chroma: SeriesView = { name: 'chroma', unit: '', start_s: 0, step_s: STEP_S, width: 12, values: [] };
  for (let at = 0; at < rows; at++) {
    const root = chord(at);
    for (let note = 0; note < 12; note++) chroma.values.push([0, 4, 7].includes((note - root + 12) % 12) ? 0.75 + 0.25 * share(item.id + at, note) : 0.35 * share(item.id + at, note + 40) ** 2);
  }
  const tempogram: SeriesView = { name: 'tempogram', unit: '', start_s: 0, step_s: STEP_S * 2, width: 64, values: [] };
  const bpm = item.features[10] ?? 96;
  for (let at = 0; at < rows / 2; at++) {
    for (let row = 0; row < 64; row++) {
      const beat = 30 * 10 ** (row / 63);
      const nearness = [bpm / 2, bpm, bpm * 2].reduce((sum, each, part) => sum + [0.5, 1, 0.4][part]! * Math.exp(-((Math.log2(beat / each) * 14) ** 2)), 0);
      tempogram.values.push(Math.min(1, nearness * (0.8 + 0.2 * Math.sin(at / 3)) + 0.08 * share(item.id + at, row)));
    }
  }
  const loudness: SeriesView = { name: 'loudness', unit: 'LUFS', start_s: 0, step_s: 0.5, width: 1, values: [] };
  const level = item.features[7] ?? -18;
  for (let at = 0; at < seconds * 2; at++) {
    const edge = Math.min(1, at / 16, (seconds * 2 - at) / 24);
    loudness.values.push(at < 5 ? null : level + 3 * Math.sin(at / 21 + item.id) + 2 * share(item.id, 900 + Math.floor(at / 4)) - 14 * (1 - edge));
  }
  return [chroma, tempogram, loudness];
}

function origin(item: TrackItem): OriginView | null {
  const { bandwidth_hz: bandwidth, rate_hz: rate } = item;
  if (bandwidth === null || rate === null) return null;
  if (item.bits === null) return { origin: 'cannot_tell', confidence: 1, reasons: [`${item.codec} is lossy itself: there is nothing to find out`] };
  if (bandwidth < 16_500) return { origin: 'likely_transcoded', confidence: 0.93, reasons: ['sound ends in a steep edge at 16.0 kHz, as the output of an MP3 encoder at 128 kbit/s does', 'above it lies nothing but dither at −118 dB'] };
  if (rate > 50_000 && bandwidth < 24_500) return { origin: 'likely_upsampled', confidence: 0.81, reasons: ['nothing lies above 22.05 kHz though the rate would hold it'] };
  return { origin: 'genuine', confidence: 0.88, reasons: ['sound fades into the noise floor without an edge'] };
}

/** Shares of the tracks with a lower value, told from a sample of them. */
function percentiles(library: MockLibrary, item: TrackItem): (number | null)[] {
  const others = library.items.filter((each) => each.state === 'done').slice(0, 2000);
  return DIMENSIONS.map((_, at) => {
    const own = item.features[at];
    const values = others.map((each) => each.features[at]).filter((value) => value != null);
    return own == null || values.length === 0 ? null : values.filter((value) => value < own).length / values.length;
  });
}

export function trackPage(library: MockLibrary, id: number): TrackPageView {
  const item = library.item(id);
  const analysed = item.state === 'done' || item.state === 'vanished';
  const tags: Record<string, string> = {};
  for (const [name, value] of Object.entries({ title: item.title, artist: item.artist, album: item.album, genre: item.genre, date: item.year, tracknumber: item.track_no })) if (value !== null) tags[name] = String(value);
  if (item.title !== null) Object.assign(tags, { encoder: 'reference encoder 1.4', comment: 'Transferred from tape in one pass; level not changed.' });
  return {
    item,
    path: `${item.folder}/${item.name}`,
    reachable: item.state !== 'vanished',
    tags,
    warnings: id % 17 === 0 ? ['the file says it lasts 4:12, its audio lasts 4:09'] : [],
    missing: analysed ? Object.fromEntries(DIMENSIONS.filter((_, at) => item.features[at] == null).map((each) => [each.name, 'no beat can be made out'])) : {},
    percentiles: percentiles(library, item),
    series: analysed ? series(item) : [],
    origin: analysed ? origin(item) : null,
    analysed_at: analysed ? Date.UTC(2026, 10, 20, 18, 30) : null,
    outdated: id % 23 === 0,
    vanished_at: item.state === 'vanished' ? Date.UTC(2026, 10, 21, 9, 5) : null,
    binned_at: null,
  };
}

/** A picture of stripes. */
export function cover(id: number): CoverView {
  const bars = Array.from({ length: 6 }, (_, at) => `<rect x="${at * 20}" y="${Math.round(120 - share(id, at) * 110)}" width="16" height="120" fill="steelblue" fill-opacity="${0.3 + at * 0.12}"/>`).join('');
  return { mime: 'image/svg+xml', data: btoa(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120"><rect width="120" height="120" fill="black"/>${bars}</svg>`), reason: null };
}
