// Values that are typed where they stand: selection, cursor, Go to; and playing that pauses.

import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import type { TransportView } from '../src/bindings';
import { COMMANDS } from '../src/commands/table';
import type { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { by, eventually, find, key } from './mounted';

const type = (id: string, text: string) => {
  const input = by<HTMLInputElement>(id);
  input.focus();
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  key(input, 'Enter');
};
const transport = (change: Partial<TransportView>): TransportView => ({ matched_documents: [], comparison: null, looping: false, side: 'processed', audition: null, problem: null, underruns: 0, ...change }) as unknown as TransportView;
const run = (id: string, app: App) => COMMANDS.find((command) => command.id === id)?.run(app);
const opened = async () => {
  const app = await openDemo('gain(-3 dB)');
  const document = app.documents.active!;
  // The core's answers are not what is asked here; only playing waits for them.
  vi.spyOn(app.backend, 'call').mockImplementation(((name: string) => (name === 'playback.play' || name === 'playback.stop' || name === 'playback.seek' ? Promise.resolve(transport({ playing: false })) : new Promise(() => undefined))) as never);
  return { app, document };
};

describe('the selection', () => {
  it('is typed: start, end and length', async () => {
    const { document } = await opened();
    document.commitSelection({ start: 48_000, end: 96_000 });
    flushSync();
    expect(by<HTMLInputElement>('selection-start').value).toBe('0:01.000');
    type('selection-start', '0:01.5');
    expect(document.selection).toEqual({ start: 72_000, end: 96_000 });
    type('selection-end', '144000f');
    expect(document.selection).toEqual({ start: 72_000, end: 144_000 });
    type('selection-length', '2 s');
    expect(document.selection).toEqual({ start: 72_000, end: 168_000 });
    expect(by<HTMLInputElement>('selection-end').value).toBe('0:03.500');
  });

  it('says why it cannot be so, and Escape brings back what was', async () => {
    const { document } = await opened();
    document.commitSelection({ start: 48_000, end: 96_000 });
    flushSync();
    type('selection-start', '0:03');
    expect(by('selection-start-problem').textContent).toBe('The start must be before the end, 0:02.000.');
    expect(by('selection-start').getAttribute('aria-invalid')).toBe('true');
    expect(document.selection).toEqual({ start: 48_000, end: 96_000 });
    key(by('selection-start'), 'Escape');
    expect(find('selection-start-problem')).toBeNull();
    expect(by<HTMLInputElement>('selection-start').value).toBe('0:01.000');
    expect(document.selection, 'Escape took back what was typed and no more').not.toBeNull();
    type('selection-length', '9:00');
    expect(by('selection-length-problem').textContent).toContain('The recording ends at');
  });

  it('has its frequencies typed, as notes too', async () => {
    const { document } = await opened();
    document.commitSelection({ start: 48_000, end: 96_000 }, { low_hz: 1000, high_hz: 2000 });
    flushSync();
    type('selection-low', 'A4');
    expect(document.band).toEqual({ low_hz: 440, high_hz: 2000 });
    type('selection-high', '300');
    expect(by('selection-high-problem').textContent).toBe('Must be above 440.0 Hz.');
    type('selection-high', '90 kHz');
    expect(by('selection-high-problem').textContent).toContain('Allowed');
  });
});

describe('the cursor', () => {
  it('goes to a typed time, by dialog', async () => {
    const { app, document } = await opened();
    document.setView({ start: 0, end: 10_000 });
    key(globalThis.document.body, 'g', { ctrlKey: true });
    await settle();
    const field = by<HTMLInputElement>('go-to-place');
    expect(field.value).toBe('0:00.000');
    field.value = 'soon';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    by('go-to-go').click();
    flushSync();
    expect(by('go-to-help').textContent).toContain('Not a time');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    field.value = '0:02.5';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    by('go-to-go').click();
    flushSync();
    expect(app.dialogs.open).toBeNull();
    expect(document.cursor).toBe(120_000);
    expect(document.view.start).toBeLessThan(120_000);
    expect(document.view.end).toBeGreaterThan(120_000);
  });

  it('and by the time code', async () => {
    const { document } = await opened();
    by('time-code').click();
    flushSync();
    type('time-field', '3 s');
    expect(document.cursor).toBe(144_000);
    expect(find('time-field')).toBeNull();
    by('time-code').click();
    flushSync();
    key(by('time-field'), 'Escape');
    expect(find('time-field')).toBeNull();
    expect(document.cursor).toBe(144_000);
  });
});

describe('playing a selection', () => {
  const asked = (app: App) => vi.mocked(app.backend.call).mock.calls.filter(([name]) => ['playback.play', 'playback.seek'].includes(name));

  it('ends with it, and from outside goes on', async () => {
    const { app, document } = await opened();
    document.commitSelection({ start: 48_000, end: 96_000 });
    await run('play', app);
    expect(asked(app).at(-1)?.[1]).toEqual({ document: document.id, from_frame: 48_000, until_frame: 96_000 });
    document.setCursor(100_000);
    await run('play', app);
    expect(asked(app).at(-1)?.[1]).toEqual({ document: document.id, from_frame: 100_000, until_frame: null });
    document.commitSelection(null);
    await run('play', app);
    expect(asked(app).at(-1)?.[1]).toMatchObject({ until_frame: null });
  });

  it('goes on without end when the play head is brought elsewhere', async () => {
    const { app, document } = await opened();
    document.commitSelection({ start: 48_000, end: 96_000 });
    await run('play', app);
    const playing = () => app.player.take(transport({ playing: true, document: document.id, frame: 50_000 }));
    playing();
    await app.player.seek(document, 60_000);
    expect(asked(app).at(-1)).toEqual(['playback.seek', { frame: 60_000 }]);
    playing();
    await app.player.seek(document, 120_000);
    expect(asked(app).at(-1)).toEqual(['playback.play', { document: document.id, from_frame: 120_000, until_frame: null }]);
  });

  it('is paused by the button that began it, and goes on from there', async () => {
    const { app, document } = await opened();
    expect(by('play').getAttribute('aria-label')).toBe('Play');
    app.player.take(transport({ playing: true, document: document.id, frame: 50_000 }));
    flushSync();
    expect(by('play').getAttribute('aria-label')).toBe('Pause');
    by('play').click();
    await eventually(() => expect(app.player.paused?.document).toBe(document.id));
    flushSync();
    expect(by('play').getAttribute('aria-label')).toBe('Play');
  });
});

describe('drop-outs', () => {
  const shown = () => globalThis.document.querySelector<HTMLElement>('[data-testid="drop-outs"]');
  it('are explained, put away by a click, and gone with the next clean playback', async () => {
    const { app, document } = await opened();
    const playback = (underruns: number) => {
      app.player.take(transport({ playing: true, document: document.id, frame: 0, underruns }));
      flushSync();
    };
    playback(30);
    expect(shown()?.textContent).toBe('30 drop-outs');
    expect(shown()?.title).toContain('too busy');
    shown()?.click();
    flushSync();
    expect(shown()).toBeNull();
    playback(31);
    expect(shown()?.textContent).toBe('1 drop-out');
    playback(0);
    expect(shown()).toBeNull();
    playback(2);
    expect(shown()?.textContent).toBe('2 drop-outs');
  });
});

describe('pausing', () => {
  it('keeps the place, from which playing goes on', async () => {
    const { app, document } = await opened();
    const play = vi.spyOn(app.player, 'play');
    const playing = (frame: number) => app.player.take(transport({ playing: true, document: document.id, frame }));
    document.setCursor(1000);
    playing(50_000);
    vi.spyOn(app.player, 'headOf').mockReturnValueOnce(50_000);
    const stopped = transport({ playing: false });
    vi.mocked(app.backend.call).mockResolvedValue(stopped as never);
    await run('pause', app);
    expect(app.player.playing).toBe(false);
    expect(app.player.headOf(document)).toBe(50_000);
    expect(document.cursor).toBe(1000);
    await run('pause', app);
    expect(play).toHaveBeenLastCalledWith(document, 50_000, null);
    // Space goes on from there too, and stopping returns to the cursor.
    app.player.paused = { document: document.id, frame: 60_000, until: null };
    await run('play', app);
    expect(play).toHaveBeenLastCalledWith(document, 60_000, null);
    await app.player.stop();
    expect(app.player.headOf(document)).toBeNull();
    await run('play', app);
    expect(play).toHaveBeenLastCalledWith(document, 1000, null);
  });

  it('is what Space does where the settings say so', async () => {
    const { app, document } = await opened();
    const pause = vi.spyOn(app.player, 'pause').mockResolvedValue();
    const stop = vi.spyOn(app.player, 'stop').mockResolvedValue();
    app.player.take(transport({ playing: true, document: document.id }));
    await run('play', app);
    expect([pause.mock.calls.length, stop.mock.calls.length]).toEqual([0, 1]);
    app.settings.now = { ...app.settings.now, space_pauses: true };
    await run('play', app);
    expect([pause.mock.calls.length, stop.mock.calls.length]).toEqual([1, 1]);
    await run('pause', app);
    expect([pause.mock.calls.length, stop.mock.calls.length]).toEqual([1, 2]);
  });
});
