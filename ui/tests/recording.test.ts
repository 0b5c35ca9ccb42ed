// Recording and live sound: what is asked of the core, and what is seen of its answers. A core that records stands in for
// the real one, which needs an input; tests/window/recording.test.mjs has one.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { Backend, CommandName } from '../src/backend';
import type { LeftRecordingView, LiveStatus, OffsetView, RecorderState, RecorderStatus, RecordingEnd, RecordingView } from '../src/bindings';
import { columnsOf, spanOf } from '../src/draw/recorded';
import { App } from '../src/state/app.svelte';
import { by, settle, show, until } from './mounted';
import { recorded } from './recorded';

const LEVEL = { peak: 0.25, rms: 0.1, held: 0.5, clipped: 0 };
const INPUT = { id: 'mic', name: 'USB microphone', rate: 48_000, channels: 2, is_default: true };
const status = (state: RecorderState, more: Partial<RecorderStatus> = {}): RecorderStatus => ({ state, input: INPUT, channels: [LEVEL, LEVEL], recorded_s: 0, losses: 0, left_s: null, ...more });
const LIVE: LiveStatus = { muted: true, too_loud_db: null, latency_ms: 21.34, input_ms: 6, output_ms: 11, round_trip_ms: null, chain_ms: 5, underruns: 0, overruns: 0, problem: null };

/** A core with an input. */
class RecordingCore {
  readonly asked: [string, unknown][] = [];
  view: RecordingView = { moment: 0, recorder: null, appends_to: null, onto: null, of_live: null, live: null, live_problem: null };
  end: RecordingEnd = { opened: { documents: [], failures: [], last_closed: null }, appended: null, onto: null, recorded_s: 1, problem: null, losses: 0 };
  left: LeftRecordingView[] = [];
  offset: OffsetView = { input: 'USB microphone', output: 'Headphones', rate: 48_000, samples: null, measured: false };

  constructor(readonly backend: Backend) {
    const call = backend.call.bind(backend);
    backend.call = (async (name: CommandName, args: never) => {
      const answer = this.answer(name, args);
      if (answer === undefined) {
        const found = await call(name, args);
        return name === 'workspace.startup' ? { ...(found as object), left_recordings: this.left } : found;
      }
      this.asked.push([name, args]);
      return answer;
    }) as Backend['call'];
  }

  private answer(name: CommandName, args: unknown): unknown {
    const shown = (change: Partial<RecordingView>) => (this.view = { ...this.view, ...change });
    switch (name) {
      case 'recording.inputs':
        return [INPUT, { ...INPUT, id: 'line', name: 'Line in', channels: 8, is_default: false }];
      case 'recording.view':
        return this.view;
      case 'recording.arm':
        return shown({ recorder: status('armed') });
      case 'recording.disarm':
        return shown({ recorder: null });
      case 'recording.start':
        return shown({ recorder: status('recording'), appends_to: (args as { append: number | null }).append });
      case 'recording.start_onto': {
        const { document, track } = args as { document: number; track: 'front' | 'new' };
        return shown({ recorder: status('recording'), onto: { document, track, start: 48_000, end: track === 'front' ? 96_000 : null, plays: true, has_offset: false } });
      }
      case 'recording.offset':
        return this.offset;
      case 'recording.set_offset':
        return (this.offset = { ...this.offset, samples: (args as { samples: number | null }).samples, measured: false });
      case 'recording.measure_offset':
        return (this.offset = { ...this.offset, samples: 123.5, measured: true });
      case 'recording.set_paused':
        return shown({ recorder: status((args as { paused: boolean }).paused ? 'paused' : 'recording') });
      case 'recording.stop':
        shown({ recorder: null, appends_to: null, onto: null });
        return this.end;
      case 'recording.start_live':
        return shown({ live: LIVE });
      case 'recording.set_live_muted':
        return shown({ live: { ...LIVE, muted: (args as { muted: boolean }).muted } });
      case 'recording.measure_round_trip':
        return shown({ live: { ...LIVE, round_trip_ms: 24.5833 } });
      case 'recording.stop_live':
        return shown({ live: null });
      case 'recording.recover':
        return this.end.opened;
      case 'recording.forget':
        return [];
      default:
        return undefined;
    }
  }

  names = (): string[] => this.asked.map(([name]) => name);
}

const has = (id: string) => document.querySelector(`[data-testid="${id}"]`) !== null;
const key = async (name: string, init: KeyboardEventInit = {}) => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init }));
  await settle();
};

/** A letter with Alt. The window of these tests takes Alt for AltGr. */
const altKey = async (name: string, shiftKey: boolean) => {
  const event = new KeyboardEvent('keydown', { key: name, altKey: true, shiftKey, bubbles: true, cancelable: true });
  Object.defineProperty(event, 'getModifierState', { value: () => false });
  document.body.dispatchEvent(event);
  await settle();
};

async function start(left: LeftRecordingView[] = []): Promise<{ app: App; core: RecordingCore }> {
  const core = new RecordingCore(recorded('demo'));
  core.left = left;
  const app = new App(core.backend);
  show(AppView, { app });
  await until(() => app.ready);
  await settle();
  return { app, core };
}

describe('recording', () => {
  it('opens no input before it is asked to, then shows its name and level', async () => {
    const { app, core } = await start();
    expect(has('recording-bar')).toBe(false);
    expect(core.names()).toEqual([]);
    await app.recording.arm();
    await settle();
    expect(by('recording-input').textContent).toBe('USB microphone');
    expect(by('input-meter').getAttribute('aria-label')).toBe('L: peak −6.0 dBFS; R: peak −6.0 dBFS');
    expect(by('recording-state').textContent?.trim()).toBe('Ready');
    by('recording-disarm').click();
    await settle();
    expect(has('recording-bar')).toBe(false);
  });

  it('records by R, and R stops it; the bar has time, clipping and the space that is left', async () => {
    const { app, core } = await start();
    await key('r');
    expect(core.asked).toEqual([['recording.start', { append: null }]]);
    expect(by('record').getAttribute('aria-pressed')).toBe('true');
    app.recording.take({ ...core.view, recorder: status('recording', { recorded_s: 12.34, left_s: 7260, channels: [{ ...LEVEL, clipped: 3 }], losses: 1 }) });
    flushSync();
    expect(by('recording-time').textContent).toBe('0:12.3');
    expect(by('recording-clips').textContent).toBe('3 samples clipped');
    expect(by('recording-disk').textContent).toBe('2 h 1 min left on disk');
    expect(by('recording-losses').textContent).toBe('Samples were lost once');
    by('recording-pause').click();
    await settle();
    expect(by('recording-state').textContent?.trim()).toBe('Paused');
    by('recording-pause').click();
    await settle();
    await key('r');
    expect(core.names()).toEqual(['recording.start', 'recording.set_paused', 'recording.set_paused', 'recording.stop', 'recording.view']);
    expect(has('recording-bar')).toBe(false);
  });

  it('grows in a lane that shows all of it', () => {
    const reports = Array.from({ length: 40 }, (_, at) => ({ until_s: (at + 1) / 4, peaks: [at === 17 ? 0.9 : 0.1, 0.2] }));
    const columns = columnsOf(reports, 0, 200, spanOf(10));
    // Ten seconds of the twenty that are seen: half of the columns, without a gap, and nothing beyond.
    expect(columns.filter((peak) => peak !== null)).toHaveLength(100);
    expect(columns.slice(100).every((peak) => peak === null)).toBe(true);
    expect(columns.indexOf(0.9)).toBeGreaterThanOrEqual(42);
    expect(columns.lastIndexOf(0.9)).toBeLessThanOrEqual(45);
    expect(columnsOf(reports, 1, 200, 20)[0]).toBe(0.2);
    // More reports than columns: the highest of each stays.
    expect(Math.max(...columnsOf(reports, 0, 7, 10).map((peak) => peak ?? 0))).toBe(0.9);
    expect([spanOf(0), spanOf(20), spanOf(20.1), spanOf(81)]).toEqual([20, 20, 40, 160]);
  });

  it('keeps a bounded number of peaks, and the highest of them', async () => {
    const { app, core } = await start();
    await app.recording.start(null);
    for (let at = 1; at <= 70_000; at++) {
      app.recording.take({ ...core.view, recorder: status('recording', { recorded_s: at / 15, channels: [{ ...LEVEL, peak: at === 12_345 ? 0.99 : 0.1 }] }) });
    }
    const { reports } = app.recording;
    expect(reports.length).toBeLessThan(32_768);
    expect(reports.at(-1)?.until_s).toBeCloseTo(70_000 / 15, 0);
    expect(Math.max(...reports.map(({ peaks }) => peaks[0] ?? 0))).toBe(0.99);
    flushSync();
    expect(has('recording-lane')).toBe(true);
    app.showPage('library');
    flushSync();
    expect(has('recording-lane'), 'other pages have the short picture in the bar').toBe(false);
  });

  it('says what of live sound it records, and ends with live sound that fails', async () => {
    const { app, core } = await start();
    await app.recording.startLive(null);
    core.view = { ...core.view, recorder: status('recording'), of_live: 'both' };
    app.recording.take(core.view);
    flushSync();
    expect(by('recording-state').textContent).toContain('live input, and with effects');
    app.recording.take({ ...core.view, live: { ...LIVE, problem: 'Headphones failed.' } });
    await settle();
    const asked = core.names().filter((name) => name === 'recording.stop' || name === 'recording.stop_live');
    expect(asked.slice(0, 2)).toEqual(['recording.stop', 'recording.stop_live']);
  });

  it('warns while the limiter is off', async () => {
    const { app } = await start();
    await app.recording.startLive(null);
    await settle();
    expect(has('live-no-limiter')).toBe(false);
    app.recording.settingsOpen = true;
    await settle();
    by('live-limiter').click();
    await settle();
    expect(app.settings.now.recording.live_limiter).toBe(false);
    expect(by('live-no-limiter').title).toMatch(/feedback/);
    expect(by('live-limiter').parentElement?.textContent).toMatch(/^Off: feedback/);
  });

  it('records at the end of the document in front by Shift+R', async () => {
    const { app, core } = await start();
    await app.documents.open('demo');
    await settle();
    const document = app.documents.active!;
    await key('R', { shiftKey: true });
    expect(core.asked).toEqual([['recording.start', { append: document.id }]]);
    expect(by('recording-state').textContent).toContain(`at the end of ${document.data.name}`);
    core.end = { ...core.end, appended: { ...document.data, name: 'longer' } };
    await app.recording.stop();
    expect(app.documents.active?.data.name).toBe('longer');
  });

  it.each([
    [false, 'front', 'onto a track of'],
    [true, 'new', 'onto a new track of'],
  ] as const)('records onto a track by Alt+R, with Shift (%s) onto a %s one, and Space stops it', async (shiftKey, track, words) => {
    const { app, core } = await start();
    await app.documents.open('demo');
    await settle();
    const document = app.documents.active!;
    await altKey(shiftKey ? 'R' : 'r', shiftKey);
    await settle();
    expect(core.asked.at(-1)).toEqual(['recording.start_onto', { document: document.id, track }]);
    expect(by('recording-state').textContent).toContain(words);
    // It cannot pause, and the offset is not known.
    expect(has('recording-pause')).toBe(false);
    expect(by('recording-no-offset').title).toContain('trusted');
    const onto = { placed_s: 1, underruns: 0, is_aligned: true, drift_ms: 0, file: 'Recording.wav', problem: null };
    core.end = { ...core.end, appended: { ...document.data, revision: document.data.revision + 1, name: 'with take' }, onto };
    await key(' ');
    expect(core.names().slice(-2)).toEqual(['recording.stop', 'recording.view']);
    expect(app.documents.active?.data.name).toBe('with take');
    expect(has('recording-bar')).toBe(false);
    expect(app.notices.toasts).toEqual([]);
  });

  it('says what became of a take that is not where it was meant to be', async () => {
    const { app, core } = await start();
    const onto = { placed_s: 2, underruns: 0, is_aligned: true, drift_ms: 0, file: 'Recording 3.wav', problem: null };
    for (const [change, said] of [
      [{ placed_s: 0 }, /ended before the place where it was to begin\. What came before is in Recording 3\.wav/],
      [{ underruns: 2 }, /Playback ran dry 2 times/],
      [{ is_aligned: false }, /did not say when they play and record/],
      [{ drift_ms: -4.26 }, /came apart by 4\.3 ms\. The take is read by its own clock/],
      [{ placed_s: 0, problem: 'There is no such document.' }, /has a document of its own\. There is no such document/],
    ] as const) {
      core.end = { ...core.end, recorded_s: 3, onto: { ...onto, ...change } };
      await app.recording.stop();
      expect(app.notices.toasts.at(-1)?.message).toMatch(said);
    }
    const before = app.notices.toasts.length;
    core.end = { ...core.end, onto };
    await app.recording.stop();
    expect(app.notices.toasts).toHaveLength(before);
  });

  it('measures, types and forgets the recording offset of the chosen devices', async () => {
    const { app, core } = await start();
    app.recording.settingsOpen = true;
    await settle();
    expect(by('recording-offset-said').textContent).toBe('USB microphone with Headphones: not measured. What the devices report of their latency is trusted.');
    expect(has('recording-offset-forget')).toBe(false);
    by('recording-offset-measure').click();
    await settle();
    expect(by('recording-offset-said').textContent).toBe('USB microphone with Headphones: measured, 2.57 ms besides what the devices report.');
    expect(by<HTMLInputElement>('recording-offset').value).toBe('123.5');
    const field = by<HTMLInputElement>('recording-offset');
    field.focus();
    field.value = '-48';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await settle();
    expect(core.asked).toContainEqual(['recording.set_offset', { samples: -48 }]);
    expect(by('recording-offset-said').textContent).toMatch(/−1 ms besides/);
    by('recording-offset-forget').click();
    await settle();
    expect(core.asked).toContainEqual(['recording.set_offset', { samples: null }]);
    expect(by('recording-offset-said').textContent).toMatch(/not measured/);
  });

  it('opens what has ended by itself once, and says why it ended', async () => {
    const { app, core } = await start();
    await app.recording.start(null);
    core.end = { ...core.end, recorded_s: 75.2, problem: 'The disk is full. Free space, or choose another disk.' };
    const ended = { ...core.view, recorder: status('ended') };
    app.recording.take(ended);
    app.recording.take(ended);
    await settle();
    expect(core.names().filter((name) => name === 'recording.stop')).toHaveLength(1);
    expect(app.notices.toasts.map((toast) => toast.message)).toEqual(['The recording has ended after 1:15.2. The disk is full. Free space, or choose another disk.']);
  });

  it('says when nothing was recorded or something was lost', async () => {
    const { app, core } = await start();
    for (const [end, said] of [
      [{ recorded_s: 0 }, /^Nothing was recorded/],
      [{ recorded_s: 3, losses: 2 }, /^Samples were lost 2 times/],
    ] as const) {
      core.end = { ...core.end, losses: 0, ...end };
      await app.recording.stop();
      expect(app.notices.toasts.at(-1)?.message).toMatch(said);
    }
  });

  it('offers what a crash left, until it is answered', async () => {
    const { app, core } = await start([
      { id: '1', name: 'Recording.wav', input: 'USB microphone', seconds: 61.5, belongs: null },
      { id: '2', name: 'Recording 2.wav', input: 'USB microphone', seconds: null, belongs: { document: 'song.wav', at_s: 12.5 } },
    ]);
    expect(by('left-recording').textContent).toContain('Recording.wav was not finished when Undertone ended: 1:01.5 from USB microphone.');
    by('left-recover').click();
    await settle();
    expect(core.asked).toEqual([['recording.recover', { id: '1' }]]);
    expect(app.recording.left.map((left) => left.id)).toEqual(['2']);
    expect(by('left-recording').textContent).toContain('It was recorded onto song.wav, from 0:12.5 on.');
    by('left-forget').click();
    await settle();
    expect(has('left-recording')).toBe(false);
  });

  it('chooses the input and its channels, and opens it again', async () => {
    const { app, core } = await start();
    await app.recording.arm();
    app.recording.settingsOpen = true;
    await settle();
    expect(by('recording-input-choice').textContent).toContain('System default');
    await app.settings.save({ recording: { ...app.settings.now.recording, input: 'line' } });
    await app.recording.rearm();
    await settle();
    expect(by('recording-input-choice').textContent).toContain('Line in, 8 channels, 48 kHz');
    expect(core.names().filter((name) => name === 'recording.arm')).toHaveLength(2);
    await app.recording.start(null);
    await app.recording.rearm();
    expect(core.names().filter((name) => name === 'recording.arm'), 'not while it records').toHaveLength(2);
  });
});

describe('live sound', () => {
  it('is muted at first with a warning, and says its latency and that of the effects', async () => {
    const { app, core } = await start();
    await app.recording.startLive(null);
    flushSync();
    expect(by('live-state').textContent).toMatch(/^Muted\. Use headphones/);
    expect(by('live-latency').textContent).toBe('Latency 21.3 ms');
    expect(by('live-chain').textContent).toBe('effects 5.0 ms');
    by('live-mute').click();
    await settle();
    expect(core.asked.at(-1)).toEqual(['recording.set_live_muted', { muted: false }]);
    expect(by('live-state').textContent).toBe('What you hear comes from the input.');
    app.recording.take({ ...core.view, live: { ...LIVE, muted: false, too_loud_db: 23.6 }, live_problem: 'Normalise cannot run live.' });
    flushSync();
    expect(by('live-state').textContent).toContain('+24 dB above full scale');
    expect(by('live-problem').textContent).toBe('Normalise cannot run live.');
    expect(has('live-round-trip')).toBe(false);
    by('live-measure').click();
    await settle();
    expect(by('live-round-trip').textContent).toBe('Round trip 24.58 ms');
    by('live-stop').click();
    await settle();
    expect(has('live-bar')).toBe(false);
  });

  it('ends with its device, in words', async () => {
    const { app, core } = await start();
    await app.recording.startLive(null);
    app.recording.take({ ...core.view, live: { ...LIVE, problem: 'USB microphone failed. It was disconnected' } });
    await settle();
    expect(core.names()).toContain('recording.stop_live');
    expect(app.notices.toasts.map((toast) => toast.message)).toEqual(['USB microphone failed. It was disconnected']);
  });
});
