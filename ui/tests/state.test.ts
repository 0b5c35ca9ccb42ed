import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../src/backend';
import { COMMANDS } from '../src/commands/table';
import { walk } from '../src/lib/chain';
import { betweenSilences } from '../src/lib/silence';
import { positionFromBytes } from '../src/lib/bytes';
import { resolveTheme } from '../src/lib/theme';
import { App } from '../src/state/app.svelte';
import type { DocumentState } from '../src/state/document.svelte';
import { newGesture } from '../src/state/edits';
import { LaneGestures } from '../src/pages/editor/state/gestures';
import { recorded } from './recorded';

async function opened(backend: Backend = recorded('demo')): Promise<{ app: App; document: DocumentState }> {
  const app = new App(backend);
  await app.start();
  await app.documents.open('demo');
  const document = app.documents.active;
  if (!document) throw new Error('nothing was opened');
  return { app, document };
}

const run = (id: string, app: App) => COMMANDS.find((command) => command.id === id)?.run(app);

afterEach(() => vi.useRealTimers());

describe('a document', () => {
  it('shows a drag at once, sends few edits, and makes one step of undo of it', async () => {
    const backend = recorded('demo', 2);
    const call = vi.spyOn(backend, 'call');
    const { document, app } = await opened(backend);
    const before = document.data;
    const gesture = newGesture();
    for (let hz = 100; hz <= 200; hz++) document.edit({ kind: 'set_argument', node: 1, name: 'cutoff', value: hz, gesture });
    expect(document.chain.nodes[0]).toMatchObject({ arguments: { cutoff: 200 } });
    expect(document.data.chain.nodes[0]).toMatchObject({ arguments: { cutoff: 60 } });
    await document.edits.idle();
    expect(document.data.chain.nodes[0]).toMatchObject({ arguments: { cutoff: 200 } });
    expect(call.mock.calls.filter(([name]) => name === 'editor.edit').length).toBe(2);
    await document.undo();
    expect(document.data.chain_text).toBe(before.chain_text);
    expect(document.data.undo).toBe(before.undo);
    await run('redo', app);
    expect(document.data.chain.nodes[0]).toMatchObject({ arguments: { cutoff: 200 } });
  });

  it('names what undo would undo', async () => {
    const { app, document } = await opened();
    document.selectedNode = 1;
    document.edit({ kind: 'set_bypass', node: 1, bypass: true });
    await document.edits.idle();
    const undo = COMMANDS.find((command) => command.id === 'undo');
    expect(undo?.label?.(app)).toBe('Undo: Bypass high-pass');
    expect(undo?.enabled?.(app)).toBe(true);
  });

  it('takes nothing older than what it has', async () => {
    const { document } = await opened();
    document.edit({ kind: 'remove', node: 1 });
    const old = document.data;
    await document.edits.idle();
    const text = document.data.chain_text;
    document.adopt(old);
    expect(document.data.chain_text).toBe(text);
  });

  it('knows how far its waveform is, though the news came before it did', async () => {
    const backend = recorded('demo');
    let tell: Parameters<Backend['listen']>[0] = () => undefined;
    const listen = backend.listen.bind(backend);
    backend.listen = (handler) => listen((tell = handler));
    const app = new App(backend);
    await app.start();
    const opening = app.documents.open('demo');
    for (let id = 1; id < 9; id++) tell({ kind: 'peaks', document: id, side: 'original', waveform: { exact_share: 1, damage: [], failure: null } });
    await opening;
    expect(app.documents.active?.waveform.exact_share).toBe(1);
  });

  it('forgets the selected node with the node', async () => {
    const { document } = await opened();
    document.selectedNode = 1;
    document.edit({ kind: 'remove', node: 1 });
    await document.edits.idle();
    expect(document.selectedNode).toBeNull();
  });

  it('moves the selection’s edges by key and clears it', async () => {
    const { app, document } = await opened();
    document.setCursor(1000);
    run('selection-start', app);
    expect(document.selection).toEqual({ start: 1000, end: document.data.frames });
    document.setCursor(5000);
    run('selection-end', app);
    expect(document.selection).toEqual({ start: 1000, end: 5000 });
    // After the changes of the sound that are under way.
    await run('select-all', app);
    expect(document.selection).toEqual({ start: 0, end: document.data.frames });
    run('select-none', app);
    expect(document.selection).toBeNull();
  });

  it('keeps a cursor that is set while a change is under way, and otherwise takes that of the change', async () => {
    const backend = recorded('demo');
    const { document } = await opened(backend);
    const call = backend.call.bind(backend);
    const made = { ...document.data, revision: document.data.revision + 1, sound: document.data.sound + 1, frames: 40_000, cursor_frame: 300 };
    let answer: () => void = () => undefined;
    backend.call = ((name: 'editor.edit_sound', args: never) => {
      if (name === 'editor.edit_sound') return new Promise((done) => (answer = () => done(made)));
      return (name as string) === 'editor.set_view' ? Promise.resolve(null) : call(name, args);
    }) as Backend['call'];
    const change = async (meanwhile: () => void) => {
      const edited = document.editSound({ kind: 'delete' });
      await new Promise((done) => setTimeout(done, 0));
      meanwhile();
      answer();
      await edited;
    };
    document.setCursor(1000);
    await change(() => undefined);
    expect([document.data.frames, document.cursor]).toEqual([40_000, 300]);
    for (const [set, wanted] of [[2000, 2000], [39_000, 30_000]] as const) {
      Object.assign(made, { revision: made.revision + 1, sound: made.sound + 1, frames: 30_000 });
      await change(() => document.setCursor(set));
      expect([document.data.frames, document.cursor]).toEqual([30_000, wanted]);
    }
  });

  it('selects the sound between two silences', async () => {
    const { document } = await opened();
    // The demo is silent from 10.0 to 10.5 s.
    await document.selectBetweenSilences(8 * 48_000);
    expect((document.selection?.end ?? 0) / 48_000).toBeGreaterThan(9.5);
    expect((document.selection?.end ?? 0) / 48_000).toBeLessThan(10.1);
  });
});

describe('the application', () => {
  it('puts a new effect behind the selected one and brings it to hand', async () => {
    const { app, document } = await opened();
    document.selectedNode = 1;
    await app.addEffect('notch');
    const ids = document.chain.nodes.map((node) => (node.kind === 'effect' ? node.effect : node.kind));
    expect(ids.slice(0, 2)).toEqual(['highpass', 'notch']);
    expect(document.selectedNode).toBe(document.chain.nodes[1]?.id);
    expect(document.focusNode).toBe(document.selectedNode);
  });

  it('tells a refused edit and goes on', async () => {
    const backend = recorded('demo');
    const { app, document } = await opened(backend);
    const call = backend.call.bind(backend);
    backend.call = ((name: 'editor.edit', args: never) => (name === 'editor.edit' ? Promise.reject({ code: 'invalid', message: 'cutoff: got 0 Hz', detail: null, notation: null }) : call(name, args))) as Backend['call'];
    document.edit({ kind: 'set_argument', node: 1, name: 'cutoff', value: 0, gesture: null });
    await document.edits.idle();
    expect(app.notices.toasts.map((toast) => toast.message)).toEqual(['cutoff: got 0 Hz']);
    expect(document.chain.nodes[0]).toMatchObject({ arguments: { cutoff: 60 } });
  });

  it('says nothing when the user cancelled', async () => {
    const app = new App(recorded('demo'));
    app.notices.fail({ code: 'cancelled', message: 'cancelled' });
    expect(app.notices.toasts).toEqual([]);
  });

  it('opens files that come by themselves, and tells those that cannot be opened', async () => {
    const backend = recorded('demo');
    const { app } = await opened(backend);
    const { documents } = await backend.call('workspace.open_dialog', {});
    backend.emit({ kind: 'opened', opened: { documents, failures: [{ name: 'notes.txt', failure: { code: 'malformed', message: 'not audio', detail: null, notation: null } }], last_closed: null } });
    expect(app.documents.all).toHaveLength(2);
    expect(app.documents.active?.data.name).toBe('second.wav');
    expect(app.notices.toasts[0]?.message).toContain('notes.txt');
    await app.documents.close(app.documents.activeId ?? 0);
    expect(app.documents.all).toHaveLength(1);
    expect(app.documents.active?.data.name).toBe('Undertone demo.wav');
  });

  it('tells once that work fell back to another device', async () => {
    const backend = recorded('demo');
    const { app } = await opened(backend);
    const devices = await recorded('missing-device').call('devices.view', {});
    backend.emit({ kind: 'devices', devices });
    backend.emit({ kind: 'devices', devices });
    expect(app.devices?.preview.fallback).toBe(true);
    expect(app.notices.toasts.filter((toast) => toast.level === 'warning')).toHaveLength(1);
    // Back on the device that was asked for, there is nothing to warn of any more.
    backend.emit({ kind: 'devices', devices: await recorded('demo').call('devices.view', {}) });
    expect(app.notices.toasts).toEqual([]);
    expect(app.notices.all).toMatchObject([{ level: 'warning', over: true }]);
  });

  it('does not start without a core, and says why', async () => {
    const backend = recorded('demo');
    backend.call = () => Promise.reject({ code: 'stored', message: 'The session could not be read.', detail: null, notation: null });
    const app = new App(backend);
    await app.start();
    expect(app.ready).toBe(false);
    expect(app.startFailure).toBe('The session could not be read.');
  });
});

describe('the play head', () => {
  it('moves on between reports, waits when none come, and loops', async () => {
    const { app, document } = await opened();
    const transport = { ...(await app.backend.call('playback.stop', {})), document: document.id, playing: true, frame: 48_000, looping: false };
    app.player.take(transport);
    const now = performance.now();
    expect(app.player.headOf(document, now + 100)).toBeGreaterThan(48_000 + 4000);
    expect(app.player.headOf(document, now + 10_000)).toBeLessThan(48_000 * 1.2);
    document.selection = { start: 40_000, end: 49_000 };
    app.player.take({ ...transport, looping: true });
    expect(app.player.headOf(document, performance.now() + 100)).toBeLessThan(48_000);
    app.player.take({ ...transport, playing: false });
    expect(app.player.headOf(document)).toBeNull();
  });
});

describe('the pointer on the lanes', () => {
  async function lanes() {
    const { app, document } = await opened();
    const element = globalThis.document.createElement('div');
    element.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1000, height: 400 }) as DOMRect;
    element.setPointerCapture = () => undefined;
    document.setView({ start: 0, end: 10_000 });
    const gestures = new LaneGestures(element, document, app);
    const at = (clientX: number, init: MouseEventInit = {}) => new MouseEvent('pointer', { clientX, button: 0, ...init }) as PointerEvent;
    const drag = (from: number, to: number, init: MouseEventInit = {}) => {
      gestures.down(at(from, init));
      gestures.move(at((from + to) / 2, init));
      gestures.move(at(to, init));
      gestures.up(at(to, init));
    };
    return { document, gestures, at, drag, app };
  }

  it('selects by dragging, either way round', async () => {
    const { document, drag } = await lanes();
    drag(100, 300);
    expect(document.selection).toEqual({ start: 1000, end: 3000 });
    expect(document.cursor).toBe(1000);
    drag(800, 600);
    expect(document.selection).toEqual({ start: 6000, end: 8000 });
  });

  it('sets the cursor by a click and lets the selection go', async () => {
    const { document, drag, gestures, at } = await lanes();
    drag(100, 300);
    gestures.down(at(500));
    gestures.move(at(501));
    gestures.up(at(501));
    expect(document.cursor).toBe(5010);
    expect(document.selection).toBeNull();
  });

  it('leaves an edge that is pressed but not moved', async () => {
    const { document, drag, gestures, at } = await lanes();
    drag(100, 300);
    gestures.down(at(302));
    gestures.move(at(304));
    gestures.up(at(304));
    expect(document.selection).toEqual({ start: 1000, end: 3000 });
    drag(302, 306);
    expect(document.selection).toEqual({ start: 1000, end: 3060 });
  });

  it('adjusts an edge and extends with Shift', async () => {
    const { document, drag, gestures, at } = await lanes();
    drag(100, 300);
    expect(gestures.edgeAt(at(302))).toBe('end');
    expect(gestures.edgeAt(at(200))).toBeNull();
    drag(301, 400);
    expect(document.selection).toEqual({ start: 1000, end: 4000 });
    gestures.down(at(50, { shiftKey: true }));
    gestures.up(at(50, { shiftKey: true }));
    expect(document.selection).toEqual({ start: 500, end: 4000 });
  });

  it('scrolls with the wheel and zooms at the pointer with Ctrl', async () => {
    const { document, gestures, at } = await lanes();
    document.setView({ start: 10_000, end: 20_000 });
    // happy-dom's wheel events have neither a place nor modifiers: a mouse event is given the turn of a wheel.
    const turn = (deltaY: number, init: MouseEventInit) => Object.assign(at(init.clientX ?? 0, init), { deltaX: 0, deltaY, deltaMode: 0 }) as unknown as WheelEvent;
    gestures.wheel(turn(100, { clientX: 500 }));
    expect(document.view).toEqual({ start: 11_000, end: 21_000 });
    gestures.wheel(turn(-100, { clientX: 250, ctrlKey: true }));
    const under = document.view.start + 0.25 * (document.view.end - document.view.start);
    expect(under).toBeCloseTo(13_500, 6);
    expect(document.view.end - document.view.start).toBeLessThan(10_000);
  });
});

describe('small things', () => {
  it('finds silences, and nothing within one', () => {
    const peak = new Float32Array(200);
    peak.fill(0.5, 50, 120);
    peak.fill(0, 80, 83);
    const levels = { startFrame: 1000, framesPerColumn: 480, peak };
    // Thirty milliseconds of quiet are no silence.
    expect(betweenSilences(levels, 1000 + 60 * 480, 48_000)).toEqual({ start: 1000 + 50 * 480, end: 1000 + 120 * 480 });
    expect(betweenSilences(levels, 1000 + 10 * 480, 48_000)).toBeNull();
    expect(betweenSilences(levels, 0, 48_000)).toBeNull();
  });

  it('turns bytes into positions, also behind signs of several bytes', () => {
    expect(positionFromBytes('gain(−3)', 5)).toBe(5);
    expect(positionFromBytes('gain(−3)', 8)).toBe(6);
    expect(positionFromBytes('🎵x', 4)).toBe(2);
    expect(positionFromBytes('abc', 99)).toBe(3);
  });

  it('follows the system’s colours unless told otherwise', () => {
    expect(resolveTheme('light', () => false)).toBe('light');
    expect(resolveTheme('system', () => false)).toBe('dark');
    expect(resolveTheme('system', (query) => query.includes('light'))).toBe('light');
    expect(resolveTheme('system', (query) => query.includes('contrast'))).toBe('contrast');
  });

  it('numbers every node of the demo', async () => {
    const { document } = await opened();
    expect([...walk(document.chain.nodes)].length).toBe(6);
  });
});
