import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import type { MonitorQuery, Settings } from '../src/bindings';
import { decodeLoudness, decodeMonitor, encodeLoudness, encodeMonitor, type MonitorFrame } from '../src/backend';
import { COMMANDS } from '../src/commands/table';
import { gridDb, hzFromX, laneOf, levelAt, xFromHz, yFromDb, type AnalyserArea } from '../src/pages/editor/draw/analyser';
import { drawGoniometer, spotOf } from '../src/pages/editor/draw/goniometer';
import { drawLoudness, frameOfPoint, gridLufs, pointAt, yFromLufs } from '../src/pages/editor/draw/loudness';
import { App } from '../src/state/app.svelte';
import { LaneGestures } from '../src/pages/editor/state/gestures';
import { eventually, show, until } from './mounted';
import { recorded } from './recorded';

const AREA: AnalyserArea = { fromHz: 20, toHz: 20_000, lowDb: -96, highDb: 0 };
const NUMBERS = { momentary: -20.5, shortTerm: null, integrated: -23, range: 5.25, truePeak: -1.5 };
const frameOf = (more: Partial<MonitorFrame> = {}): MonitorFrame => ({
  sequence: 7,
  sounding: true,
  side: 'processed',
  both: true,
  rate: 48_000,
  channels: 2,
  pair: [0, 1],
  lanes: [{ levels: [Float32Array.of(-1, -2, NaN), Float32Array.of(-3, -4, NaN)], held: null }],
  goniometer: Float32Array.of(0.5, 0.25, -0.5, 0),
  correlation: -0.25,
  loudness: NUMBERS,
  ...more,
});

describe('the answers about what is heard', () => {
  it('are read as they are written', () => {
    const held: [Float32Array, Float32Array] = [Float32Array.of(0, 1, 2), Float32Array.of(3, 4, 5)];
    for (const frame of [frameOf(), frameOf({ sounding: false, side: 'original', both: false, correlation: null }), frameOf({ lanes: [0, 1].map(() => ({ levels: [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)], held })) }), frameOf({ lanes: [], goniometer: new Float32Array(0) })]) {
      expect(decodeMonitor(encodeMonitor(frame))).toEqual(frame);
    }
    const block = { generation: 3, from: 5, finished: false, share: 0.5, integrated: -23, range: null, maxMomentary: -9.5, maxShortTerm: -12, momentary: Float32Array.of(-20, -Infinity), shortTerm: Float32Array.of(-21, -22) };
    expect(decodeLoudness(encodeLoudness(block))).toEqual(block);
  });
});

describe('the analyser’s plot', () => {
  it('has a logarithmic axis of frequencies and one of levels', () => {
    expect(xFromHz(20, AREA, 900)).toBe(0);
    expect(xFromHz(20_000, AREA, 900)).toBeCloseTo(900, 9);
    expect(xFromHz(200, AREA, 900)).toBeCloseTo(300, 9);
    expect(hzFromX(xFromHz(441, AREA, 900), AREA, 900)).toBeCloseTo(441, 9);
    expect([yFromDb(0, AREA, 192), yFromDb(-48, AREA, 192), yFromDb(-96, AREA, 192)]).toEqual([0, 96, 192]);
    expect(gridDb(AREA, 200)).toEqual([0, -12, -24, -36, -48, -60, -72, -84]);
    expect(gridDb(AREA, 60)).toEqual([0, -48]);
    expect([laneOf(0, 2, 101), laneOf(1, 2, 101)]).toEqual([{ top: 0, height: 51 }, { top: 51, height: 50 }]);
  });

  it('reads a level between two points and none where there is none', () => {
    const levels = Float32Array.of(-10, -20, -30, NaN);
    expect(levelAt(levels, 20, AREA)).toBe(-10);
    expect(levelAt(levels, 20 * 10 ** 0.5, AREA)).toBeCloseTo(-15, 4);
    expect(levelAt(levels, 15_000, AREA)).toBeNull();
  });
});

/** A context that remembers what was drawn. */
function ink() {
  const drawn: { what: string; at: number[]; style: unknown; alpha: number }[] = [];
  const context = new Proxy({ fillStyle: '', strokeStyle: '', globalAlpha: 1 } as Record<string, unknown>, {
    get: (held, name: string) =>
      name in held
        ? held[name]
        : (...at: number[]) => drawn.push({ what: name, at, style: name === 'stroke' ? held['strokeStyle'] : held['fillStyle'], alpha: Number(held['globalAlpha']) }),
    set: (held, name: string, value) => {
      held[name] = value;
      return true;
    },
  });
  return { drawn, target: { context: context as never, width: 200, height: 100, ratio: 1 } };
}
const palette = new Proxy({}, { get: (_, name) => String(name) }) as never;

describe('the goniometer', () => {
  it('keeps angles, stretches what is soft and never leaves its circle', () => {
    expect(spotOf(0, 1)).toEqual([0, 1]);
    expect(spotOf(0, 0.25)).toEqual([0, 0.5]);
    expect(spotOf(-0.5, 0.5)[0]).toBeCloseTo(-spotOf(-0.5, 0.5)[1], 12);
    expect(Math.hypot(...spotOf(30, 40))).toBeCloseTo(1, 12);
    expect(spotOf(0, 0)).toEqual([0, 0]);
    expect(spotOf(NaN, 1)).toEqual([0, 0]);
  });

  it('draws mono upright and fades what was there, the more the later', () => {
    const { drawn, target } = ink();
    drawGoniometer(target, Float32Array.of(0, 1, 0, -1), 0.033, palette);
    const [fade, ...dots] = drawn.filter(({ what }) => what === 'fillRect');
    expect(fade?.at).toEqual([0, 0, 200, 100]);
    expect(dots.map(({ at }) => at[0])).toEqual([99.4, 99.4]);
    const later = ink();
    drawGoniometer(later.target, new Float32Array(0), 0.2, palette);
    expect(later.drawn[0]?.alpha).toBeGreaterThan(fade?.alpha ?? 1);
  });
});

describe('loudness over time', () => {
  it('stands where a point ends', () => {
    expect(frameOfPoint(0, 48_000)).toBe(4800);
    expect(pointAt(4800, 48_000)).toBe(0);
    expect(pointAt(4801, 48_000)).toBe(1);
    expect([yFromLufs(0, 120), yFromLufs(-30, 120), yFromLufs(-Infinity, 120)]).toEqual([0, 60, 120]);
    expect(gridLufs(200)).toEqual([-6, -12, -18, -24, -30, -36, -42, -48, -54]);
  });

  it('draws each side in its colour, points of one pixel as least and most', () => {
    const { drawn, target } = ink();
    const curves = { momentary: Float32Array.from({ length: 4000 }, (_, i) => (i % 2 ? -10 : -30)), shortTerm: Float32Array.from({ length: 4000 }, () => -20) };
    drawLoudness(target, { original: curves, processed: curves, view: { start: 0, end: 4000 * 4800 }, rate: 48_000, targetLufs: -23, times: [] }, palette);
    expect(drawn.filter(({ what }) => what === 'stroke').map(({ style }) => style)).toEqual(['accent', 'original', 'original', 'processed', 'processed']);
    const lines = drawn.filter(({ what }) => what === 'lineTo');
    // Two sides with two curves of 200 pixels, at most two points a pixel.
    expect(lines.length).toBeLessThan(4 * 2 * 202);
    expect(lines.some(({ at }) => Math.abs((at[1] ?? 0) - yFromLufs(-10, 100)) < 1e-6)).toBe(true);
    expect(lines.some(({ at }) => Math.abs((at[1] ?? 0) - yFromLufs(-30, 100)) < 1e-6)).toBe(true);
  });
});

describe('the window', () => {
  const by = (id: string): HTMLElement => {
    const found = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
    if (!found) throw new Error(`nothing is called ${id}`);
    return found;
  };
  const settle = async (times = 10) => {
    for (let i = 0; i < times; i++) await new Promise((done) => setTimeout(done, 4));
    flushSync();
  };
  const key = async (name: string, init: KeyboardEventInit = {}, element: Element = document.body) => {
    element.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init }));
    await settle();
  };
  let sequence = 0;
  /** A frame that is heard, in the shape that a query asks for: a recorded core has no output. */
  const heardNow = ({ channels, hold, points, pair }: MonitorQuery): MonitorFrame => {
    const level = (db: number) => new Float32Array(points).fill(db);
    const both = (db: number): [Float32Array, Float32Array] => [level(db), level(db - 3)];
    const lanes = Array.from({ length: channels === 'mix' ? 1 : 2 }, () => ({ levels: both(-40), held: hold === 'off' ? null : both(-30) }));
    return frameOf({ sequence: ++sequence, pair: [pair, pair + 1], lanes, loudness: { ...NUMBERS, shortTerm: -21 } });
  };
  async function start() {
    const backend = recorded('demo');
    const silent = backend.monitor.bind(backend);
    backend.monitor = async (query) => (backend.clock.transport.playing ? encodeMonitor(heardNow(query)) : silent(query));
    const call = vi.spyOn(backend, 'call');
    const monitor = vi.spyOn(backend, 'monitor');
    const app = new App(backend);
    show(AppView, { app });
    await until(() => app.ready);
    await settle();
    await app.documents.open('demo');
    await settle();
    const asked = (name: string) => call.mock.calls.filter(([each]) => each === name).map(([, args]) => args);
    return { app, monitor, asked };
  }

  it('says what to do before anything was played, shows what is heard, and keeps the last of it', async () => {
    const { app, monitor, asked } = await start();
    expect(document.querySelector('[data-testid="analyser"]')).toBeNull();
    await key('v');
    expect(by('analyser-empty').textContent).toContain('Play (Space)');
    expect(asked('editor.set_monitoring')).toEqual([{ on: true }]);
    expect(monitor).not.toHaveBeenCalled();
    if (app.documents.active) await app.player.play(app.documents.active, 5 * 48_000);
    await eventually(() => expect(app.monitor.heard?.frame.sounding).toBe(true));
    flushSync();
    expect(document.querySelector('[data-testid="analyser-empty"]')).toBeNull();
    expect(by('correlation').getAttribute('aria-valuetext')).toMatch(/^Correlation [+−]\d\.\d\d$/);
    await eventually(() => expect(by('heard-momentary').textContent).toMatch(/^−\d+\.\d$/));
    await app.player.stop();
    await settle(40);
    const calls = monitor.mock.calls.length;
    await settle(40);
    expect(monitor.mock.calls.length).toBe(calls);
    expect(app.monitor.heard?.frame.sounding).toBe(true);
    expect(by('analyser').textContent).toContain('Stopped');
    await key('v');
    expect(document.querySelector('[data-testid="analyser"]')).toBeNull();
    expect(asked('editor.set_monitoring').at(-1)).toEqual({ on: false });
  });

  it('reads frequency, note and both levels by keyboard', async () => {
    const { app } = await start();
    await key('v');
    if (app.documents.active) await app.player.play(app.documents.active, 5 * 48_000);
    await eventually(() => expect(app.monitor.heard).not.toBeNull());
    const plot = by('analyser-plot');
    await key('ArrowRight', {}, plot);
    expect(by('analyser-readout').textContent).toMatch(/^1\s?000\.0 Hz, B5 \+21 ct: A [−\d.]+ dB, B [−\d.]+ dB$/);
    await key('PageUp', {}, plot);
    expect(plot.getAttribute('aria-valuenow')).toBe('2000');
    await app.player.stop();
    await settle(30);
    expect(plot.getAttribute('aria-valuetext')).toContain('dB');
    await key('Escape', {}, plot);
    expect(document.querySelector('[data-testid="analyser-readout"]')).toBeNull();
  });

  it('changes settings by key, asks by them, and stores them', async () => {
    const { app, monitor, asked } = await start();
    const run = (id: string) => COMMANDS.find((command) => command.id === id)?.run(app);
    expect(COMMANDS.find((command) => command.id === 'next-slope')?.enabled?.(app)).toBe(false);
    await key('v');
    await key('A', { shiftKey: true });
    await key('H', { shiftKey: true });
    await key('O', { shiftKey: true });
    await key('C', { shiftKey: true });
    run('longer-analyser');
    expect(app.settings.now.analyser).toMatchObject({ averaging: 'slow', hold: 'decay', slope: '3', channels: 'each', window_frames: 8192 });
    for (let i = 0; i < 5; i++) run('longer-analyser');
    expect(app.settings.now.analyser.window_frames).toBe(16_384);
    if (app.documents.active) await app.player.play(app.documents.active, 5 * 48_000);
    await eventually(() => expect(app.monitor.heard?.frame.lanes).toHaveLength(2));
    expect(monitor.mock.calls.at(-1)?.[0]).toMatchObject({ averaging: 'slow', slope: '3', window_frames: 16_384, from_hz: 20, to_hz: 20_000 });
    expect(app.monitor.heard?.frame.lanes[0]?.held).not.toBeNull();
    await key('x');
    expect(asked('editor.reset_monitor')).toEqual([{ part: 'peaks' }]);
    await new Promise((done) => setTimeout(done, 450));
    expect((asked('settings.set').at(-1) as { settings: Settings }).settings.analyser).toMatchObject({ open: true, slope: '3' });
    await key('V', { shiftKey: true });
    const nameless = [...by('analyser-panel').querySelectorAll('button, input')].filter((element) => !element.getAttribute('aria-label') && !element.textContent?.trim());
    expect(nameless.map((element) => element.outerHTML.slice(0, 100))).toEqual([]);
  });

  it('shows loudness over time as it grows, of both sides, anew for another chain', async () => {
    const { app } = await start();
    await key('L', { shiftKey: true });
    await eventually(() => expect(app.documents.active?.loudness.original?.finished).toBe(true));
    await eventually(() => expect(app.documents.active?.loudness.processed?.finished).toBe(true));
    expect(app.documents.active?.loudness.original?.momentary).toHaveLength(200);
    flushSync();
    expect(by('loudness-original').textContent).toMatch(/I −\d+\.\d/);
    app.documents.active?.setCursor(10 * 48_000 - 24_000);
    flushSync();
    expect(by('loudness-readout').textContent).toMatch(/^Original: M −\d+\.\d, S −\d+\.\d {3}Processed: M /);
    const before = app.documents.active?.loudness.processed?.generation ?? 0;
    app.documents.active?.edit({ kind: 'set_chain_text', text: 'gain(-6 dB)' });
    await eventually(() => expect(app.documents.active?.loudness.processed?.generation).toBeGreaterThan(before));
    app.documents.active?.edit({ kind: 'set_chain_text', text: '' });
    await eventually(() => expect(document.querySelector('[data-testid="loudness-processed"]')).toBeNull());
    await key('K', { shiftKey: true });
    expect(app.settings.now.loudness.target_lufs).toBe(-24);
    await key('L', { shiftKey: true });
    expect(document.querySelector('[data-testid="loudness-lane"]')).toBeNull();
  });

  it('moves with the other lanes and means no frequencies', async () => {
    const { app } = await start();
    const active = app.documents.active;
    if (!active) throw new Error('nothing is open');
    const element = document.createElement('div');
    element.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1000, height: 100 }) as DOMRect;
    element.setPointerCapture = () => undefined;
    active.setView({ start: 0, end: 100_000 });
    const gestures = new LaneGestures(element, active, app, false);
    const at = (clientX: number) => new MouseEvent('pointer', { clientX, clientY: 50, button: 0, altKey: true }) as PointerEvent;
    gestures.down(at(100));
    gestures.move(at(300));
    gestures.up(at(300));
    expect(active.selection).toEqual({ start: 10_000, end: 30_000 });
    expect([active.band, active.spectrogram.hover]).toEqual([null, null]);
  });
});
