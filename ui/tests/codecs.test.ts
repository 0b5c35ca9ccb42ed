import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../src/backend';
import type { CodecsRow, CodecsView, JobView } from '../src/bindings';
import { ratePlot, ticks } from '../src/pages/codecs/rate-quality';
import { App } from '../src/state/app.svelte';
import Shown from './CodecsShown.svelte';
import { by, settle, show } from './mounted';

const row = (codec: string, kbps: number, mean: number, sd: number | null = 1): CodecsRow => ({
  codec,
  family: codec.split(':')[0] ?? codec,
  kbps: { mean: kbps, sd: null },
  latency_ms: 26.5,
  encode_speed: 80,
  decode_speed: 300.4,
  values: [{ mean, sd }],
  infinite: [0],
  failed: 0,
});

const control: CodecsRow = { ...row('flac', 700, 0), values: [null], infinite: [2], failed: 1 };

describe('a rate-quality plot', () => {
  it('has a line for each codec, from low rates to high ones, within its field', () => {
    const plot = ratePlot([row('opus:96', 96, 20), row('opus:32', 32, 10), row('vorbis:q4', 120, 22, null), control], 0, 400, 200);
    expect(plot?.series.map(({ family, points }) => [family, points.map((point) => point.codec)])).toEqual([
      ['opus', ['opus:32', 'opus:96']],
      ['vorbis', ['vorbis:q4']],
    ]);
    const points = plot?.series.flatMap((series) => series.points) ?? [];
    for (const point of points) {
      expect(point.x).toBeGreaterThan(0);
      expect(point.x).toBeLessThan(400);
      expect(Math.min(point.low, point.high)).toBeGreaterThan(0);
      expect(Math.max(point.low, point.high)).toBeLessThan(200);
    }
    expect(points[0]?.y).toBeGreaterThan(points[1]?.y ?? Infinity);
    expect(plot?.xTicks.map((tick) => tick.label)).toEqual(['50', '100']);
  });

  it('is none without numbers, and has ticks of 1, 2 or 5', () => {
    expect(ratePlot([control], 0, 400, 200)).toBeNull();
    expect(ticks(0.3, 1.1, 4)).toEqual([0.4, 0.6000000000000001, 0.8, 1]);
    expect(ticks(3, 3, 4)).toEqual([]);
  });
});

const EMPTY: CodecsView = {
  families: [{ name: 'opus', title: 'Opus', settings: 'kbit/s', missing: null }, { name: 'mp3', title: 'MP3', settings: 'kbit/s', missing: 'LAME is missing.' }],
  measures: [{ name: 'snr', title: 'SNR', unit: 'dB', direction: 'higher', range: 'any', definition: '', source: '', decimals: 2 }, { name: 'mel', title: 'Mel distance', unit: '', direction: 'lower', range: '0 to ∞', definition: '', source: '', decimals: 3 }],
  recordings: [],
  settings: { codecs: 'opus:64', measures: ['snr'], keeps_decoded: true },
  codecs: ['opus:64'],
  problem: null,
  licence_problem: null,
  output: null,
  phase: null,
  job: null,
  failure: null,
  results: null,
};

/** A core that knows the grid alone. */
function core(): { backend: Backend; asked: [string, unknown][]; view: CodecsView } {
  const held = { view: EMPTY, asked: [] as [string, unknown][] };
  const answers: Record<string, (args: never) => unknown> = {
    'codecs.add_folders': () => (held.view = { ...held.view, recordings: [{ id: 1, name: 'a.wav', category: 'low' }, { id: 2, name: 'b.wav', category: 'high' }] }),
    'codecs.choose_output': () => (held.view = { ...held.view, output: '/tmp/out' }),
    'codecs.set': ({ settings }: { settings: CodecsView['settings'] }) => (held.view = { ...held.view, settings, problem: settings.codecs.includes('acc') ? 'codec must be one of opus.' : null, licence_problem: settings.codecs.includes('mimi') ? 'The licence of Mimi is not confirmed.' : null }),
    'codecs.start': () => (held.view = { ...held.view, phase: 'running', job: 7 }),
    'codecs.cancel': () => null,
    'codecs.remove': ({ recordings }: { recordings: number[] }) => (held.view = { ...held.view, recordings: held.view.recordings.filter((own) => !recordings.includes(own.id)) }),
    'codecs.cells': () => [{ codec: 'opus:64', kbps: 66.1, values: [17.25], has_sound: true }, { codec: 'flac', kbps: null, values: [null], has_sound: false }],
    'codecs.compare': () => ({ versions: [], reference: null, measures: [], timeline: null, job: null, waiting: false, matched: true, difference_gain_db: 0, heard: null }),
    'codecs.view': () => held.view,
  };
  const call = async (name: string, args: never) => {
    held.asked.push([name, args]);
    const answer = answers[name];
    if (!answer) throw new Error(`${name} was asked`);
    return answer(args);
  };
  return Object.assign(held, { backend: { call } as unknown as Backend });
}

const start = () => by('codecs-start') as HTMLButtonElement;

describe('the panel of codecs', () => {
  it('says what is missing, runs, is cancelled, and shows what came of it', async () => {
    const held = core();
    const app = new App(held.backend);
    show(Shown, { app });
    await settle();
    expect(start().disabled).toBe(true);
    expect(start().title).toContain('Add recordings');
    by('codecs-folders').click();
    await settle();
    expect(by('codecs-count').textContent).toBe('2 recordings');
    expect(start().title).toContain('folder');
    by('codecs-choose').click();
    await settle();
    expect(start().disabled).toBe(false);

    const words = by('codecs-words') as HTMLTextAreaElement;
    words.value = 'acc:3';
    words.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(24);
    expect(by('codecs-problem').textContent).toContain('must be one of');
    expect(start().disabled).toBe(true);
    words.value = 'mimi:m.safetensors';
    words.dispatchEvent(new Event('input', { bubbles: true }));
    await settle(24);
    expect(by('codecs-problem').textContent).toContain('licence of Mimi');
    expect(start().title).toContain('licence of Mimi');
    words.value = 'opus:64';
    words.dispatchEvent(new Event('input', { bubbles: true }));
    by('codecs-add-opus').click();
    await settle(24);
    expect(held.asked.findLast(([name]) => name === 'codecs.set')?.[1]).toEqual({ settings: { codecs: 'opus:64 opus', measures: ['snr'], keeps_decoded: true } });
    expect((by('codecs-add-mp3') as HTMLButtonElement).disabled).toBe(true);
    by('codecs-measure-mel').click();
    await settle(24);
    expect(held.view.settings.measures).toEqual(['snr', 'mel']);

    start().click();
    await settle();
    expect(by('codecs-foot').dataset['phase']).toBe('running');
    const job: JobView = { id: 7, purpose: 'codecs', title: '', step: null, state: 'running', done: 1, total: 4, rate: 1, remaining_s: 3, result: null, failure: null };
    app.jobs.take(job);
    flushSync();
    expect(by('codecs-foot').textContent).toContain('25 %');
    expect((by('codecs-clear') as HTMLButtonElement).disabled).toBe(true);
    by('codecs-cancel').click();
    await settle();
    expect(held.asked.at(-1)?.[0]).toBe('codecs.cancel');

    const failure = { code: 'malformed' as const, message: 'The file is broken.', detail: null, notation: null };
    const rows = [row('opus:64', 66.4, 17.5), control];
    held.view = {
      ...held.view,
      phase: 'done',
      results: { measures: [EMPTY.measures[0]!], overall: rows, categories: [['low', [row('opus:64', 60, 12)]]], cells: 4, failures: [{ recording: 'b.wav', codec: 'flac', failure }], failed: 1 },
    };
    app.codecs.takeJob({ ...job, state: 'done' });
    await settle();
    expect(by('codecs-row-opus:64').textContent).toContain('17.50 ± 1.00');
    expect(by('codecs-row-flac').textContent).toContain('∞');
    expect(by('codecs-note').textContent).toContain('1 of 4 failed');
    expect(by('codecs-failures').textContent).toContain('b.wav, flac: The file is broken.');
    app.codecs.category = 'low';
    flushSync();
    expect(by('codecs-row-opus:64').textContent).toContain('12.00');
    app.codecs.showRecording(1);
    await settle();
    expect((by('codecs-open-flac') as HTMLButtonElement).disabled).toBe(true);
    by('codecs-open-opus:64').click();
    await settle();
    expect(held.asked.findLast(([name]) => name === 'codecs.compare')).toEqual(['codecs.compare', { recording: 1, codec: 'opus:64' }]);
  });
});
