// Measurements as text to copy.

import type { Description, Side } from '../../../bindings';
import { changeOf, peakOf, sidesOf } from '../../../lib/reading';
import { formatNote } from '../../../lib/note';
import { tableText, type Measured } from '../lib/table-text';
import { text } from '../../../text/catalogue';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import type { LoudnessTrack } from '../../../state/loudness.svelte';

const t = text.measurements;
const time = (name: string, frame: number, rate: number): Measured => ({ name, value: frame / rate, unit: 's', decimals: 6 });
const hertz = (name: string, hz: number): Measured => ({ name, value: hz, unit: 'Hz' });
const title = (document: DocumentState, what: string): string => `${document.data.name}: ${what}`;

/** The levels of the selection; null while there are none. */
export function levelsText(document: DocumentState | null): string | null {
  const levels = document?.levels.selection.value ?? null;
  if (!document?.selection || !levels) return null;
  const { selection, band, data } = document;
  const rows: Measured[] = [
    time(t.from, selection.start, data.rate),
    time(t.to, selection.end, data.rate),
    time(t.length, selection.end - selection.start, data.rate),
    { name: t.length, value: selection.end - selection.start, unit: t.samples, decimals: 0 },
    ...(band ? [hertz(t.low, band.low_hz), hertz(t.high, band.high_hz)] : []),
    { name: t.rms, value: levels.rms_db, unit: 'dBFS' },
    { name: t.peak, value: levels.peak_db, unit: 'dBFS' },
    ...(levels.lufs === null ? [] : [{ name: t.loudness, value: levels.lufs, unit: 'LUFS' }]),
    ...(levels.centre_hz === null ? [] : [hertz(t.centre, levels.centre_hz)]),
  ];
  return tableText([{ title: title(document, `${t.selection}, ${text.spectrogram.sides[document.levels.side]}`), rows }]);
}

/** The spectrum at the pointer, or at the cursor's frequency; null while it is not read. */
export function spectrumText(document: DocumentState | null): string | null {
  const reading = document?.spectrogram.reading;
  if (!document || !reading) return null;
  const { hover, mark } = document.spectrogram;
  const hz = hover?.hz ?? mark?.hz;
  if (hz === undefined) return null;
  const change = reading.content === 'difference' ? changeOf(reading) : null;
  const peak = peakOf(reading);
  const rows: Measured[] = [
    time(t.time, Math.round(hover?.frame ?? document.cursor), document.data.rate),
    hertz(t.frequency, hz),
    { name: t.note, value: formatNote(hz) },
    ...sidesOf(reading).map(({ side, at }): Measured => ({ name: t.level(text.spectrogram.sides[side]), value: at.db, unit: 'dB' })),
    ...(change === null ? [] : [{ name: t.change, value: change, unit: 'dB' }]),
    ...(peak ? [hertz(t.nearestPeak, peak.peak_hz), { name: t.peakLevel, value: peak.peak_db, unit: 'dB' }] : []),
    ...(peak?.phase_rad == null ? [] : [{ name: t.phase, value: (peak.phase_rad * 180) / Math.PI, unit: '°', decimals: 1 }]),
  ];
  return tableText([{ title: title(document, t.spectrumTitle), rows }]);
}

const ofTrack = (track: LoudnessTrack): Measured[] => [
  { name: text.loudness.long.integrated, value: track.integrated, unit: 'LUFS' },
  { name: text.loudness.long.range, value: track.range, unit: 'LU' },
  { name: t.maxMomentary, value: track.maxMomentary, unit: 'LUFS' },
  { name: t.maxShortTerm, value: track.maxShortTerm, unit: 'LUFS' },
];

/** The loudness of both sides along the recording, as far as it was measured to the end; null if it was not. */
export function curvesText(document: DocumentState | null): string | null {
  if (!document) return null;
  const sides: Side[] = ['original', 'processed'];
  const blocks = sides.flatMap((side) => {
    const track = document.loudness[side];
    return track?.finished && track.failure === null ? [{ title: title(document, text.loudness.sides[side]), rows: ofTrack(track) }] : [];
  });
  return blocks.length === 0 ? null : tableText(blocks);
}

/** The loudness of what was heard since it was reset; null before anything was. */
export function heardText(app: App): string | null {
  const numbers = app.monitor.heard?.frame.loudness;
  if (!numbers) return null;
  const names = ['momentary', 'shortTerm', 'integrated', 'range', 'truePeak'] as const;
  return tableText([{ title: text.loudness.heard, rows: names.map((name) => ({ name: text.loudness.long[name], value: numbers[name], unit: text.loudness.units[name] })) }]);
}

export function descriptionText(document: DocumentState, side: Side, description: Description): string {
  const rows: Measured[] = [
    { name: t.length, value: description.duration_s, unit: 's', decimals: 3 },
    { name: t.loudness, value: description.loudness_lufs, unit: 'LUFS' },
    { name: t.peak, value: description.peak_db, unit: 'dBFS' },
    ...description.dominant_hz.map((hz, at) => hertz(t.strongest(at + 1), hz)),
    ...description.silences.flatMap((silence, at) => [time(t.silenceFrom(at + 1), silence.start, document.data.rate), time(t.silenceTo(at + 1), silence.end, document.data.rate)]),
  ];
  return tableText([{ title: title(document, `${text.describing.title}, ${text.spectrogram.sides[side]}`), rows }]);
}

/** Copies the description of the side that is heard, which is made if it was not. */
export async function copyDescription(app: App, document: DocumentState): Promise<void> {
  const side: Side = document.chained && document.data.chain_problem === null ? app.player.documentsSide : 'original';
  const description = await app.notices.attempt(() => app.backend.call('editor.describe', { document: document.id, side }));
  if (description) await copyText(app, descriptionText(document, side, description));
}

export async function copyText(app: App, words: string | null): Promise<void> {
  if (words === null) return;
  await app.notices.attempt(async () => {
    await navigator.clipboard.writeText(words);
    app.notices.tell('info', t.copied);
  });
}
