import type { Settings } from '../src/bindings';
import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import { COMMANDS } from '../src/commands/table';
import { hzFromPosition, positionFromHz, WHOLE_AXIS } from '../src/lib/frequency-scale';
import { periodsOf, resolutionOf, windowFramesAt } from '../src/pages/editor/lib/resolution';
import { App } from '../src/state/app.svelte';
import { LaneGestures } from '../src/pages/editor/state/gestures';
import { laneKey } from '../src/pages/editor/state/lane-keys';
import { RULER_PX } from '../src/pages/editor/state/lane-places';
import { eventually, show } from './mounted';
import { recorded } from './recorded';

const RATE = 48_000;
const PLAIN = { method: 'fourier', bins_per_octave: 36 } as const;
const run = (id: string, app: App) => COMMANDS.find((command) => command.id === id)?.run(app);

async function opened() {
  const backend = recorded('demo');
  const call = vi.spyOn(backend, 'call');
  const app = new App(backend);
  await app.start();
  await app.documents.open('demo');
  const document = app.documents.active;
  if (!document) throw new Error('nothing was opened');
  return { app, document, call };
}

/** Two lanes of 200 px below the ruler, 1000 px wide, on a linear axis. */
async function lanes() {
  const { app, document, call } = await opened();
  app.setAnalysis({ scale: 'linear' });
  const element = globalThis.document.createElement('div');
  element.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1000, height: 401 + RULER_PX }) as DOMRect;
  element.setPointerCapture = () => undefined;
  document.setView({ start: 0, end: 10_000 });
  const gestures = new LaneGestures(element, document, app);
  const at = (clientX: number, clientY: number, init: MouseEventInit = {}) => new MouseEvent('pointer', { clientX, clientY, button: 0, ...init }) as PointerEvent;
  const drag = (from: [number, number], to: [number, number], init: MouseEventInit = {}) => {
    gestures.down(at(...from, init));
    gestures.move(at((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, init));
    gestures.move(at(...to, init));
    gestures.up(at(...to, init));
  };
  return { app, document, gestures, at, drag, call };
}

describe('the pointer on a spectrogram', () => {
  it('selects in time and frequency with Alt, within the lane where it began', async () => {
    const { document, drag, call } = await lanes();
    drag([100, RULER_PX + 50], [300, RULER_PX + 150], { altKey: true });
    expect(document.selection).toEqual({ start: 1000, end: 3000 });
    expect(document.band?.high_hz).toBeCloseTo(18_000, 6);
    expect(document.band?.low_hz).toBeCloseTo(6000, 6);
    await eventually(() => expect(call.mock.calls.filter(([name]) => name === 'editor.set_selection').at(-1)?.[1]).toMatchObject({ selection: { start: 1000, end: 3000 }, band: { low_hz: document.band?.low_hz } }));
    drag([600, RULER_PX + 100], [800, RULER_PX + 390], { altKey: true });
    expect(document.band?.low_hz).toBe(0);
    drag([400, RULER_PX + 100], [500, RULER_PX + 120]);
    expect(document.band).toBeNull();
  });

  it('selects what the tool says, and with Ctrl what the other would', async () => {
    const { app, document, drag } = await lanes();
    const banded = (init: MouseEventInit = {}): boolean => {
      document.commitSelection(null);
      drag([100, RULER_PX + 50], [300, RULER_PX + 150], init);
      return document.band !== null;
    };
    expect([banded(), banded({ ctrlKey: true })]).toEqual([false, true]);
    run('band-tool', app);
    expect([banded(), banded({ ctrlKey: true })]).toEqual([true, false]);
    expect(banded()).toBe(true);
    drag([600, RULER_PX + 50], [600, RULER_PX + 50], { shiftKey: true });
    expect(document.selection, 'Shift extends, whatever the tool').toEqual({ start: 1000, end: 6000 });
    app.settings.setDisplay({ blend: 0 });
    expect(banded(), 'without frequencies there is time alone').toBe(false);
  });

  it('says which menu belongs to a place, and brings the cursor there outside the selection', async () => {
    const { document, gestures, at } = await lanes();
    document.commitSelection({ start: 2000, end: 4000 });
    const menuAt = (x: number, y: number) => gestures.menuAt(Object.defineProperty(at(x, y), 'isTrusted', { value: true }));
    expect(menuAt(300, RULER_PX + 50)).toBe('selection');
    expect(document.cursor).toBe(2000);
    expect(menuAt(600, 5)).toBe('time-ruler');
    expect(menuAt(600, RULER_PX + 50)).toBe('lanes');
    expect(document.cursor).toBe(6000);
    expect(gestures.menuAt(at(600, RULER_PX + 50)), 'the menu key is about the selection').toBe('selection');
  });

  it('adjusts every edge of the rectangle', async () => {
    const { document, drag, gestures, at } = await lanes();
    drag([100, RULER_PX + 50], [300, RULER_PX + 150], { altKey: true });
    expect(gestures.edgeAt(at(200, RULER_PX + 51))).toBe('high');
    expect(gestures.edgeAt(at(200, RULER_PX + 149))).toBe('low');
    expect(gestures.edgeAt(at(101, RULER_PX + 100))).toBe('start');
    expect(gestures.edgeAt(at(101, RULER_PX + 10))).toBeNull();
    drag([200, RULER_PX + 50], [220, RULER_PX + 100]);
    expect(document.band?.high_hz).toBeCloseTo(12_000, 6);
    expect(document.selection).toEqual({ start: 1000, end: 3000 });
    drag([300, RULER_PX + 120], [400, RULER_PX + 120]);
    expect(document.selection).toEqual({ start: 1000, end: 4000 });
    expect(document.band?.high_hz).toBeCloseTo(12_000, 6);
  });

  it('says the frequency under it and marks what is clicked', async () => {
    const { document, gestures, at, drag } = await lanes();
    gestures.move(at(500, RULER_PX + 201 + 100));
    expect(document.spectrogram.hover).toMatchObject({ lane: 1, frame: 5000 });
    expect(document.spectrogram.hover?.hz).toBeCloseTo(12_000, 6);
    drag([500, RULER_PX + 100], [500, RULER_PX + 100]);
    expect(document.spectrogram.mark).toMatchObject({ lane: 0 });
    gestures.leave();
    expect(document.spectrogram.hover).toBeNull();
    gestures.move(at(500, 5));
    expect(document.spectrogram.hover).toBeNull();
  });

  it('zooms frequencies with Ctrl and Shift, the one under it staying', async () => {
    const { app, document, gestures, at } = await lanes();
    const wheel = Object.assign(at(500, RULER_PX + 50, { ctrlKey: true, shiftKey: true }), { deltaX: 0, deltaY: -100, deltaMode: 0 }) as unknown as WheelEvent;
    gestures.wheel(wheel);
    const { axis } = document.spectrogram;
    expect(axis.top - axis.bottom).toBeLessThan(1);
    expect(gestures.places.spot(RULER_PX + 50)?.hz).toBeCloseTo(18_000, 6);
    expect(document.view).toEqual({ start: 0, end: 10_000 });
    run('frequency-all', app);
    expect(document.spectrogram.axis).toEqual(WHOLE_AXIS);
  });
});

describe('keys on a spectrogram', () => {
  it('move the cursor’s frequency and reach a band from it', async () => {
    const { app, document } = await lanes();
    const press = (key: string, shiftKey = false) => laneKey(new KeyboardEvent('keydown', { key, shiftKey }), document, app);
    expect(press('ArrowUp')).toBe(true);
    expect(document.spectrogram.mark?.hz).toBeCloseTo(12_240, 6);
    document.commitSelection({ start: 0, end: 1000 });
    press('ArrowUp', true);
    press('ArrowUp', true);
    expect(document.band?.low_hz).toBeCloseTo(12_240, 6);
    expect(document.band?.high_hz).toBeCloseTo(12_720, 6);
    app.settings.setDisplay({ blend: 0 });
    // Without a spectrogram they choose a channel to edit.
    expect(press('ArrowUp')).toBe(true);
    expect(document.channels).toEqual([1]);
    expect(press('ArrowDown')).toBe(true);
    expect(document.channels).toBe(null);
  });

  it('change what is shown, and the same frequencies stay in sight', async () => {
    const { app, document } = await opened();
    const { analysis } = app.settings.now.spectrogram;
    run('longer-window', app);
    expect(app.settings.now.spectrogram.analysis.window_frames).toBe(analysis.window_frames * 2);
    run('frequency-in', app);
    const low = hzFromPosition(document.spectrogram.axis.bottom, 'mel', RATE);
    run('next-scale', app);
    expect(app.settings.now.spectrogram.analysis.scale).toBe('bark');
    expect(document.spectrogram.axis.bottom).toBeCloseTo(positionFromHz(low, 'bark', RATE), 9);
    run('show-waveform', app);
    expect(app.settings.now.spectrogram.display.blend).toBe(0);
    expect(COMMANDS.find((command) => command.id === 'next-scale')?.enabled?.(app)).toBe(false);
  });

  it('store what was changed once it has come to rest, and lose nothing meanwhile', async () => {
    vi.useFakeTimers();
    const { app, call } = await (async () => {
      const pending = opened();
      await vi.advanceTimersByTimeAsync(200);
      return pending;
    })();
    for (let gain = 0; gain < 30; gain++) app.settings.setDisplay({ gain_db: gain });
    await vi.advanceTimersByTimeAsync(401);
    app.settings.setDisplay({ gain_db: 77 });
    await vi.advanceTimersByTimeAsync(50);
    expect(app.settings.now.spectrogram.display.gain_db).toBe(77);
    await vi.advanceTimersByTimeAsync(1000);
    const stored = call.mock.calls.filter(([name]) => name === 'settings.set').map(([, args]) => (args as { settings: Settings }).settings.spectrogram.display.gain_db);
    expect(stored).toEqual([29, 77]);
    vi.useRealTimers();
  });
});

describe('resolution', () => {
  it('is that of the window', () => {
    const found = resolutionOf({ ...PLAIN, window: 'hann', window_frames: 2048, padding: 1, scale: 'mel' }, 44_100);
    expect(found.window_s * 1000).toBeCloseTo(46.4, 1);
    expect(found.bin_hz).toBeCloseTo(21.5, 1);
    expect(found.tones_hz).toBeCloseTo(43.1, 1);
    expect(resolutionOf({ ...PLAIN, window: 'kaiser', window_frames: 2048, padding: 4, scale: 'mel' }, 44_100)).toMatchObject({ bin_hz: 44_100 / 8192 });
  });

  it('is that of the window which shows a frequency', () => {
    const analysis = { ...PLAIN, window: 'hann', window_frames: 2048, padding: 1, scale: 'log' } as const;
    const frames = (hz: number) => windowFramesAt({ ...analysis, method: 'multi_resolution' }, 48_000, hz);
    expect([30, 60, 250, 1000, 4000, 20_000].map(frames)).toEqual([8192, 8192, 4096, 2048, 1024, 512]);
    expect(windowFramesAt({ ...analysis, method: 'multi_resolution', window_frames: 65_536 }, 48_000, 50)).toBe(65_536);
    expect(windowFramesAt({ ...analysis, method: 'reassigned' }, 48_000, 50)).toBe(2048);
    expect(periodsOf(36)).toBeCloseTo(51.94, 2);
    const octaves = { ...analysis, method: 'constant_q' } as const;
    expect(resolutionOf(octaves, 48_000, 1000).window_s).toBeCloseTo(0.05194, 5);
    expect(resolutionOf(octaves, 48_000, 1000).bin_hz).toBeCloseTo(19.44, 2);
    expect(resolutionOf(octaves, 96_000, 100).tones_hz).toBeCloseTo(3.85, 2);
  });
});

describe('the window', () => {
  const by = (id: string): HTMLElement => {
    const found = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
    if (!found) throw new Error(`nothing is called ${id}`);
    return found;
  };
  const settle = async () => {
    for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, 4));
    flushSync();
  };
  const key = async (element: Element, name: string, init: KeyboardEventInit = {}) => {
    element.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init }));
    await settle();
  };
  async function start(backend = recorded('demo')): Promise<App> {
    const app = new App(backend);
    show(AppView, { app });
    await settle();
    await app.documents.open('demo');
    await settle();
    return app;
  }

  it('has rulers that say what they hold, and change it by key', async () => {
    const app = await start();
    const gain = by('colour-gain');
    expect(gain.getAttribute('aria-valuetext')).toBe('+20 dB');
    await key(gain, 'ArrowUp');
    expect(app.settings.now.spectrogram.display.gain_db).toBe(21);
    await key(gain, 'ArrowDown', { shiftKey: true });
    expect(app.settings.now.spectrogram.display.range_db).toBe(79);
    gain.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    flushSync();
    expect(app.settings.now.spectrogram.display).toMatchObject({ gain_db: 20, range_db: 90 });
    expect(by('colour-range').getAttribute('aria-valuetext')).toBe('90 dB');
    expect(by('frequency-axis').getAttribute('aria-valuetext')).toBe('0 Hz to 24 kHz');
    await key(by('frequency-axis'), 'ArrowRight');
    const axis = app.documents.active?.spectrogram.axis;
    expect((axis?.top ?? 1) - (axis?.bottom ?? 0)).toBeCloseTo(0.8, 9);
  });

  it('opens the settings by key, every control named, and says the resolution', async () => {
    const app = await start();
    await key(document.body, 'g');
    const panel = by('spectrogram-panel');
    expect(by('resolution').textContent).toContain('42.7 ms');
    const nameless = [...panel.querySelectorAll('button, input, [role="slider"]')].filter((element) => !element.getAttribute('aria-label') && !element.textContent?.trim());
    expect(nameless.map((element) => element.outerHTML.slice(0, 100))).toEqual([]);
    app.setAnalysis({ window_frames: 4096 });
    await settle();
    expect(by('resolution').textContent).toContain('85.3 ms');
    app.setAnalysis({ window: 'gaussian' });
    await settle();
    expect(by('resolution').textContent).toContain('Tones closer than 31.4 Hz merge');
  });

  it('has captions and values that read as one', async () => {
    const app = await start();
    app.settings.setDisplay({ time_ruler: 'beats' });
    app.settings.setAnalyser({ open: true });
    app.settings.setLoudness({ lane: true });
    await key(document.body, 'g');
    await settle();
    const reads = (id: string): string => {
      const control = by(id);
      const caption = control.closest('.row, .field-pair, .target')?.querySelector('.label, .field-label, .dim')?.textContent;
      return `${caption} ${control instanceof HTMLInputElement ? control.value : control.textContent?.trim()}`;
    };
    expect(['gain', 'range', 'window-frames', 'bpm', 'beats-per-bar', 'loudness-target'].map(reads)).toEqual([
      'Gain +20 dB',
      'Range 80 dB',
      'Size 42.7 ms (2\u202f048)',
      'Beats per minute 120',
      'Beats per bar 4',
      'Target −23 LUFS',
    ]);
    expect(by('range-slider').getAttribute('aria-valuetext')).toBe('80 dB');
    app.dialogs.spectrogramOpen = false;
    app.dialogs.analyserSettingsOpen = true;
    await settle();
    expect(['analyser-size', 'analyser-high', 'analyser-low'].map(reads)).toEqual(['Size 85.3 ms (4\u202f096)', 'Top 0 dB', 'Bottom −96 dB']);
  });

  it('explains every method and keeps settings that have no part in it from being changed', async () => {
    const app = await start();
    await key(document.body, 'g');
    const off = (id: string) => (by(id) as HTMLButtonElement).disabled;
    expect(by('method').textContent).toContain('Fourier');
    expect([off('window-frames'), off('padding'), off('bins-per-octave')]).toEqual([false, false, true]);
    const said = new Set<string>();
    for (const method of ['fourier', 'multi_resolution', 'reassigned', 'constant_q'] as const) {
      app.setAnalysis({ method });
      await settle();
      said.add(by('resolution').textContent ?? '');
    }
    expect(said.size).toBe(4);
    expect(by('resolution').textContent).toContain('51.9 periods');
    expect([off('window-frames'), off('padding'), off('bins-per-octave')]).toEqual([true, true, false]);
    app.setAnalysis({ method: 'multi_resolution' });
    await settle();
    expect(by('resolution').textContent).toContain('171 ms wide at 60 Hz');
    app.setAnalysis({ method: 'reassigned' });
    await settle();
    expect(by('resolution').textContent).toContain('thin lines');
  });

  it('compares by wipe and by difference, and states the sign', async () => {
    const app = await start();
    await key(document.body, 'k');
    const wipe = by('wipe');
    await key(wipe, 'ArrowRight');
    expect(app.documents.active?.spectrogram.wipe).toBeCloseTo(0.51, 9);
    expect(wipe.getAttribute('aria-valuetext')).toBe('51 % original');
    await key(document.body, 'k');
    expect(document.querySelector('.legend')?.textContent).toContain('Processed − original');
  });

  it('reads frequency, note and level at the mark, and speaks them', async () => {
    const app = await start();
    const active = app.documents.active;
    if (!active) throw new Error('nothing is open');
    active.setCursor(4.1 * RATE);
    active.spectrogram.mark = { hz: 440, lane: 0 };
    flushSync();
    await eventually(() => by('status-peak'));
    expect(by('status-hz').textContent).toBe('440.0 Hz');
    expect(by('status-cursor').textContent).toContain('A4 +0 ct');
    await eventually(() => expect(by('live').textContent).toContain('Frequency 440.0 Hz, A4 +0 ct'));
    const phase = by('status-phase').textContent ?? '';
    expect(phase).toMatch(/^−?\d+\.\d°$/);
    await eventually(() => expect(by('live').textContent).toMatch(new RegExp(`(Original|Processed) −\\d+\\.\\d dB\\. Nearest peak .* Hz, .* dB, phase ${phase}\\.$`)));
  });

  it('names the side that is heard in the corner and reads that one', async () => {
    const app = await start();
    const active = app.documents.active;
    if (!active) throw new Error('nothing is open');
    active.setCursor(4.1 * RATE);
    active.spectrogram.mark = { hz: 440, lane: 0 };
    for (const [letter, side, name] of [['a', 'original', 'Original'], ['b', 'processed', 'Processed']] as const) {
      await key(document.body, letter);
      await eventually(() => by(`status-level-${side}`));
      expect(by('lanes-side').textContent).toBe(name);
      expect(document.querySelectorAll('[data-testid^="status-level"]')).toHaveLength(1);
    }
    // The side on the screen counts while the other one is still on its way there.
    active.spectrogram.drawnSide = 'original';
    await eventually(() => by('status-level-original'));
    expect(by('lanes-side').textContent).toBe('Original');
    active.spectrogram.drawnSide = null;
    active.adopt({ ...active.data, chain_problem: { code: 'invalid', message: 'no', detail: null, notation: null } });
    flushSync();
    expect(by('lanes-side').textContent).toBe('Original');
    app.settings.setDisplay({ compare: 'wipe' });
    flushSync();
    expect(document.querySelector('.legend')).toBeNull();
  });

  it('reads both levels and the difference where that is shown, and one side of a wipe', async () => {
    const app = await start();
    const active = app.documents.active;
    if (!active) throw new Error('nothing is open');
    active.edit({ kind: 'set_chain_text', text: 'gain(6 dB)' });
    await eventually(() => expect(active.data.chain_text).toContain('gain'));
    app.settings.setDisplay({ compare: 'difference' });
    active.setCursor(4.1 * RATE);
    active.spectrogram.mark = { hz: 440, lane: 0 };
    flushSync();
    await eventually(() => expect(by('status-change').textContent).toBe('Processed − original +6.0 dB'));
    const level = (side: string) => Number(/(−?[\d.]+) dB/.exec(by(`status-level-${side}`).textContent ?? '')?.[1]?.replace('−', '-'));
    expect(level('processed') - level('original')).toBeCloseTo(6, 0);
    await eventually(() => expect(by('live').textContent).toMatch(/Original .* dB\. Processed .* dB\. Difference \+6\.0 dB\.$/));
    app.settings.setDisplay({ compare: 'wipe' });
    active.spectrogram.wipe = 0;
    await eventually(() => expect(document.querySelector('[data-testid="status-level-original"]')).toBeNull());
    by('status-level-processed');
    active.spectrogram.wipe = 1;
    await eventually(() => by('status-level-original'));
    expect(document.querySelector('[data-testid="status-level-processed"]')).toBeNull();
  });

  it('edits the selected part by its bar and by key, before all other effects, and undoes it', async () => {
    const app = await start();
    const active = app.documents.active;
    if (!active) throw new Error('nothing is open');
    expect(document.querySelector('[data-testid="repair-bar"]')).toBeNull();
    active.commitSelection({ start: RATE, end: 2 * RATE }, { low_hz: 1000, high_hz: 2500 });
    await settle();
    const before = active.chain.nodes.length;
    by('repair-spectral_heal').click();
    await eventually(() => expect(active.chain.nodes).toHaveLength(before + 1));
    expect(active.chain.nodes[0]).toMatchObject({ effect: 'spectral_heal', arguments: { from: 1, to: 2, low: 1000, high: 2500 } });
    await eventually(() => expect(active.selectedNode).toBe(active.chain.nodes[0]?.id));
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'D', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }));
    await eventually(() => expect(active.chain.nodes).toHaveLength(before + 2));
    // Repairs stand in the order in which they were made.
    expect(active.chain.nodes[1]).toMatchObject({ effect: 'spectral_gain', arguments: { gain: -24 } });
    await active.undo();
    expect(active.chain.nodes).toHaveLength(before + 1);
    // A part without a band is edited by menu and key; the bar belongs to a rectangle.
    active.commitSelection({ start: 0, end: RATE });
    await settle();
    expect(document.querySelector('[data-testid="repair-bar"]')).toBeNull();
    await run('spectral_isolate', app);
    expect(active.chain.nodes[1]).toMatchObject({ effect: 'spectral_isolate', arguments: { low: 0, high: active.data.rate / 2 } });
  });

  it('says why mid and side have no waveform from afar', async () => {
    const app = await start();
    const said = () => document.querySelector('[data-testid="status-waveless"]');
    const show = (channels: 'each' | 'mid_side', blend: number) => {
      app.settings.setDisplay({ channels, blend });
      flushSync();
    };
    if (app.documents.active) app.documents.active.laneWidth = 1000;
    show('each', 0.6);
    expect(said()).toBeNull();
    show('mid_side', 0.6);
    expect(said()?.textContent).toContain('Zoom in');
    app.documents.active?.setView({ start: 0, end: 3000 });
    flushSync();
    expect(said()).toBeNull();
    app.documents.active?.setView({ start: 0, end: 3100 });
    show('mid_side', 1);
    expect(said()).toBeNull();
  });

  it('describes a recording and exports its picture', async () => {
    const backend = recorded('demo');
    const app = await start(backend);
    await key(document.body, 'i');
    await eventually(() => expect(by('description').textContent).toContain('20.0 s long'));
    app.dialogs.open = 'picture';
    await settle();
    by('picture-start').click();
    await settle();
    expect(app.dialogs.open).toBeNull();
    const job = { id: 1, purpose: 'picture', title: 'Export Undertone demo spectrogram.png', step: null, done: 1, total: 2, rate: 1, remaining_s: 1, result: null, failure: null } as const;
    backend.emit({ kind: 'job', job: { ...job, state: 'running' } });
    await eventually(() => expect(by('job').textContent).toContain('Export Undertone demo spectrogram.png'));
    backend.emit({ kind: 'job', job: { ...job, state: 'done' } });
    expect(app.notices.toasts.at(-1)?.message).toBe('Export Undertone demo spectrogram.png: done');
  });
});
