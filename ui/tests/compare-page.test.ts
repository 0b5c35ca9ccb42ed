// The page that compares versions, on answers that a core could give: rows, keys, the table, failures.

import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import type { CompareReading, CompareSound, CompareVersion, CompareView, Measure, Part, TransportView } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import { by, find, settle, show, until } from './mounted';
import { recorded } from './recorded';

const key = async (name: string, init: KeyboardEventInit = {}, element: Element = document.body) => {
  element.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init }));
  await settle();
};

const measure = (name: string, direction: Measure['direction']): Measure => ({ name, title: name, unit: 'dB', direction, range: 'any', definition: `what ${name} is`, source: 'a paper', decimals: 1 });
const value = (number: number, channels: number[] = []): CompareReading => ({ whole: { value: number, infinite: null, missing: null }, channels: channels.map((each) => ({ value: each, infinite: null, missing: null })), curve: true });
const MEASURES = [measure('snr', 'higher'), measure('mel', 'lower'), measure('pesq_nb', 'higher')];
const NONE: CompareReading = { whole: { value: null, infinite: null, missing: 'PESQ is not part of this program' }, channels: [], curve: false };
const row = (id: number, name: string, change: Partial<CompareVersion> = {}): CompareVersion => ({ id, name, folder: '/takes', kind: 'WAV', rate: 48_000, channels: 2, duration_s: 10, state: 'compared', failure: null, warnings: [], alignment: { offset_s: -0.0204, drift_ppm: 1.25, polarity: -1, gain_db: -6.02, confidence: 0.97 }, gain_db: -3, notes: [], parts: [], readings: [], ...change });
const PARTS: Part[] = [
  { kind: 'same', reference_s: [0, 4], other_s: [0, 4], speed: 1, confidence: 1 },
  { kind: 'cut', reference_s: [4, 5.5], other_s: null, speed: 1, confidence: 0.9 },
  { kind: 'same', reference_s: [5.5, 7], other_s: [4, 5.5], speed: 1, confidence: 1 },
  { kind: 'inserted', reference_s: null, other_s: [5.5, 6], speed: 1, confidence: 0.8 },
  { kind: 'moved', reference_s: [8, 9], other_s: [6, 7], speed: 1, confidence: 0.8 },
];
const VIEW: CompareView = {
  versions: [
    row(1, 'original.wav', { state: 'reference', alignment: null }),
    row(2, 'coded.opus', { readings: [value(12, [13, 11]), value(0.4), NONE] }),
    row(3, 'noisy.wav', { parts: PARTS, readings: [value(30), value(0.9), NONE] }),
    row(4, 'stranger.wav', { alignment: null, readings: [NONE, NONE, NONE], notes: ['The recordings have nothing in common.'] }),
    row(5, 'letter.wav', { state: 'failed', kind: null, rate: null, channels: null, duration_s: null, alignment: null, gain_db: null, failure: { code: 'malformed', message: 'This file has no audio.', detail: null, notation: null } }),
  ],
  reference: 1,
  measures: MEASURES,
  timeline: { rate: 48_000, frames: 480_000, channels: 2, revision: 1 },
  job: null,
  waiting: false,
  matched: true,
  match_level: false,
  difference_gain_db: 0,
  heard: { kind: 'version', version: 1 },
};
const EMPTY: CompareView = { ...VIEW, versions: [], reference: null, timeline: null, heard: null };

/** The window on the page, with a core that knows `view` and does what it is told. */
async function start(view: CompareView): Promise<{ app: App; asked: (name: string) => unknown; view: () => CompareView }> {
  const backend = recorded('empty');
  const real = backend.call.bind(backend);
  let now = view;
  const change = (next: Partial<CompareView>): CompareView => (now = { ...now, ...next });
  const answers: Record<string, (args: never) => unknown> = {
    'compare.view': () => now,
    'compare.take_drops': () => null,
    'batch.take_drops': () => null,
    'settings.set': (args: { settings: unknown }) => args.settings,
    'compare.add_files': () => change(VIEW),
    'compare.remove': ({ versions }: { versions: number[] }) => change({ versions: now.versions.filter(({ id }) => !versions.includes(id)) }),
    'compare.set_reference': ({ version }: { version: number }) => change({ reference: version }),
    'compare.hear': ({ sound }: { sound: CompareSound }) => change({ heard: sound }),
    'compare.set_matched': ({ matched }: { matched: boolean }) => change({ matched }),
    'compare.measure_at_equal_level': ({ on }: { on: boolean }) => change({ match_level: on }),
    'compare.set_difference_gain': ({ db }: { db: number }) => change({ difference_gain_db: db }),
    'compare.curves': () => [{ version: 2, start_s: 0, step_s: 1, values: [1, 2, 3] }],
    'compare.cancel_tiles': () => null,
    'compare.start': () => now,
  };
  const call = vi.spyOn(backend, 'call').mockImplementation(async (name, args) => (answers[name] ? answers[name](args as never) : real(name, args)) as never);
  for (const bytes of ['comparePeaks', 'compareSamples', 'compareSpectrogram'] as const) vi.spyOn(backend, bytes).mockRejectedValue({ code: 'cancelled', message: 'cancelled', detail: null, notation: null });
  const asked = (name: string) => call.mock.calls.findLast(([each]) => each === name)?.[1];
  const app = new App(backend);
  show(AppView, { app });
  await until(() => app.ready);
  await settle();
  await key('4', { ctrlKey: true });
  return { app, asked, view: () => now };
}

const has = (testid: string): boolean => document.querySelector(`[data-testid="${testid}"]`) !== null;
const columns = () => [...document.querySelectorAll('[data-testid^="column-"]')].map((head) => head.textContent);

describe('the empty page', () => {
  it('says what to do, and why the other way is off', async () => {
    const { asked } = await start(EMPTY);
    expect(by('compare-empty').textContent).toContain('versions of a recording');
    expect(by<HTMLButtonElement>('compare-empty-document').disabled).toBe(true);
    expect(by('compare-empty-document').title).toContain('Open a recording first');
    expect(asked('compare.take_drops')).toEqual({ on: true });
    by('compare-empty-files').click();
    await settle();
    expect(document.querySelectorAll('[data-testid^="version-"]').length).toBe(5);
  });
});

describe('the time at the top', () => {
  it('is that of the version that is heard, on other pages too', async () => {
    const { app } = await start(VIEW);
    const stopped = await app.backend.call('playback.stop', {});
    app.player.take({ ...stopped, playing: true, frame: 96_000, comparison: { rate: 48_000, frames: 480_000 } as NonNullable<TransportView['comparison']> });
    for (const page of ['compare', 'editor'] as const) {
      app.showPage(page);
      await settle();
      expect(by('time-code').textContent, page).toMatch(/^00:00:02\./);
    }
    app.player.take({ ...stopped, moment: stopped.moment + 1 });
    app.compare.cursor = 144_000;
    app.showPage('compare');
    await settle();
    expect(by('time-code').textContent).toBe('00:00:03.000');
  });
});

describe('the parts of a version', () => {
  it('are listed with their times, and lead to their places in the reference', async () => {
    const { app } = await start(VIEW);
    expect(has('compare-parts')).toBe(false);
    app.compare.choose(VIEW.versions[2]!);
    await settle();
    const said = PARTS.map((_, at) => by(`part-${at}`).textContent?.trim());
    expect(said).toEqual(['Same0:00.000 to 0:04.000', 'Cut0:04.000 to 0:05.500', 'Same0:05.500 to 0:07.000', 'Inserted0:05.500 to 0:06.000', 'Moved0:06.000 to 0:07.000 from 0:08.000 to 0:09.000']);
    expect(by('part-1').title).toBe('90 % certain');
    by('part-1').click();
    await settle();
    expect(app.compare.cursor).toBe(4 * 48_000);
    // An inserted part has no time in the reference but the one before it.
    by('part-3').click();
    await settle();
    expect(app.compare.cursor).toBe(7 * 48_000);
  });
});

describe('the channels of a measure', () => {
  it('stand below the chosen one', async () => {
    const { app } = await start(VIEW);
    expect(has('channel-snr-0')).toBe(false);
    app.compare.showMeasure('snr');
    await settle();
    const cells = (at: number) => [...by(`channel-snr-${at}`).children].map((cell) => cell.textContent);
    expect([cells(0), cells(1)]).toEqual([['L', '13.0', '—', '—', '—'], ['R', '11.0', '—', '—', '—']]);
    app.compare.showMeasure('mel');
    await settle();
    expect(has('channel-mel-0')).toBe(false);
  });
});

describe('the versions', () => {
  it('show how they lie, and a failure with its reason', async () => {
    await start(VIEW);
    const words = by('version-1').textContent;
    for (const part of ['coded.opus', '48', '−0.0204 s', '1.3 ppm', 'inverted', '97 %', 'Compared']) expect(words).toContain(part);
    expect(by('version-3').textContent).toContain('not aligned');
    expect(by('version-4').dataset['state']).toBe('failed');
    expect(by('version-4').textContent).toContain('This file has no audio.');
    expect(by('compare-note').textContent).toBe('1 version failed');
  });

  it('are heard by keys, and what cannot be heard says why', async () => {
    const { asked, view } = await start(VIEW);
    await key('3');
    expect(asked('compare.hear')).toEqual({ sound: { kind: 'version', version: 3 } });
    await key('n');
    expect(view().heard).toEqual({ kind: 'difference', version: 3 });
    expect(by('compare-null').getAttribute('aria-pressed')).toBe('true');
    await key('n');
    expect(view().heard).toEqual({ kind: 'version', version: 3 });
    await key('5');
    expect(view().heard, 'a file that cannot be read is not heard').toEqual({ kind: 'version', version: 3 });
    expect(document.querySelector('.toasts, [data-testid^="toast"]')?.textContent ?? document.body.textContent).toContain('This file has no audio.');
    await key('9');
    expect(view().heard).toEqual({ kind: 'version', version: 3 });
    await key('4');
    expect(view().heard).toEqual({ kind: 'version', version: 4 });
    expect(by<HTMLButtonElement>('compare-null').disabled, 'strangers have no difference').toBe(true);
    expect(by('compare-null').title).toContain('not aligned');
    // A is the reference, B what was heard last.
    await key('a');
    expect(view().heard).toEqual({ kind: 'version', version: 1 });
    await key('b');
    expect(view().heard).toEqual({ kind: 'version', version: 4 });
    await key('M', { shiftKey: true });
    expect(asked('compare.set_matched')).toEqual({ matched: false });
  });

  it('are moved through, made the reference and removed by the keyboard', async () => {
    const { asked } = await start(VIEW);
    const grid = by('versions');
    await key('ArrowDown', {}, grid);
    await key('Enter', {}, grid);
    expect(asked('compare.hear')).toEqual({ sound: { kind: 'version', version: 2 } });
    await key('Enter', { shiftKey: true }, grid);
    expect(asked('compare.set_reference')).toEqual({ version: 2 });
    await key('End', {}, grid);
    await key('Enter', { shiftKey: true }, grid);
    expect(asked('compare.set_reference'), 'a failed one cannot be the reference').toEqual({ version: 2 });
    await key('Delete', {}, grid);
    expect(asked('compare.remove')).toEqual({ versions: [5] });
    expect(document.querySelectorAll('[data-testid^="version-"]').length).toBe(4);
  });
});

describe('the table', () => {
  it('marks the best, draws bars, and says why something is missing', async () => {
    await start(VIEW);
    expect(by('value-snr-3').className).toContain('best');
    expect(by('value-mel-2').className).toContain('best');
    expect(by('value-snr-2').querySelector('.bar')?.getAttribute('style')).toContain('40%');
    expect(by('value-pesq_nb-2').textContent).toContain('PESQ is not part of this program');
    by('measure-pesq_nb').click();
    await settle();
    expect(by('measure-why').textContent).toContain('PESQ is not part of this program');
    expect(by('measure-snr').querySelector('.measure')?.getAttribute('title')).toBe('what snr is. any. a paper');
  });

  it('is sorted by Enter and chooses the curve by arrows', async () => {
    const { asked } = await start(VIEW);
    expect(columns()).toEqual(['coded.opus', 'noisy.wav', 'stranger.wav', 'letter.wav']);
    const table = by('measures');
    await key('Home', {}, table);
    expect(asked('compare.curves')).toEqual({ measure: 'snr' });
    await key('Enter', {}, table);
    expect(columns()).toEqual(['noisy.wav', 'coded.opus', 'stranger.wav', 'letter.wav']);
    expect(by('table-order').textContent).toContain('snr, best first');
    await key('Enter', {}, table);
    expect(columns().slice(0, 2)).toEqual(['coded.opus', 'noisy.wav']);
    await key('ArrowDown', {}, table);
    await key('Enter', {}, table);
    expect(by('table-order').textContent).toContain('mel, best first');
  });

  it('is measured at equal levels on request', async () => {
    const { asked } = await start(VIEW);
    expect(by('compare-equal').getAttribute('aria-pressed')).toBe('false');
    by('compare-equal').click();
    await settle();
    expect(asked('compare.measure_at_equal_level')).toEqual({ on: true });
    expect(by('compare-equal').getAttribute('aria-pressed')).toBe('true');
  });

  it('is copied as text in its order', async () => {
    const { app } = await start(VIEW);
    expect(app.compare.tableText.split('\n')[0]).toBe('Measure\tcoded.opus\tnoisy.wav\tstranger.wav\tletter.wav');
    expect(app.compare.tableText).toContain('snr (dB)\t12.0\t30.0\tnone\tnone');
  });
});

it('a comparison that runs can be cancelled, and one that waits started', async () => {
  const { app } = await start({ ...VIEW, job: 7 });
  expect(by('compare-foot').dataset['running']).toBe('true');
  expect(find('compare-cancel')).not.toBeNull();
  app.compare.take({ ...VIEW, waiting: true });
  flushSync();
  expect(find('compare-start')).not.toBeNull();
  app.compare.take({ ...VIEW, versions: VIEW.versions.slice(0, 4) });
  flushSync();
  expect(find('compare-start'), 'there is nothing to do').toBeNull();
});
