// The dialog that generates signals: into a new document, and into the one in front.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { App } from '../src/state/app.svelte';
import { SIGNALS, type SignalKind } from '../src/state/generating.svelte';
import { openDemo, settle } from './demo-window';
import { by } from './mounted';

const has = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
function type(id: string, words: string): void {
  const field = by<HTMLInputElement>(id);
  field.focus();
  field.value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  flushSync();
}
const go = async (): Promise<void> => {
  by('generate-go').click();
  for (let tries = 0; tries < 20 && has('generate-go'); tries++) await settle();
};

async function opened(kind: SignalKind): Promise<App> {
  const app = await openDemo('gain(-1 dB)');
  app.generating.kind = kind;
  app.dialogs.open = 'generate';
  await settle();
  return app;
}

describe('the dialog that generates signals', () => {
  it('has the parameters of each signal, and no others', async () => {
    const app = await opened('sine');
    const all = ['frequency', 'from', 'to', 'scale', 'distribution', 'interval', 'digits', 'tone', 'pause', 'bpm', 'beats', 'rms', 'seed', 'peak'];
    const wanted: Partial<Record<SignalKind, string[]>> = {
      sweep: ['from', 'to', 'scale', 'peak'],
      white: ['distribution', 'rms', 'seed'],
      pink: ['rms', 'seed'],
      brown: ['rms', 'seed'],
      impulses: ['interval', 'peak'],
      silence: [],
      dtmf: ['digits', 'tone', 'pause', 'peak'],
      clicks: ['bpm', 'beats', 'peak'],
    };
    for (const kind of SIGNALS) {
      app.generating.kind = kind;
      flushSync();
      expect(all.filter((name) => has(`generate-${name}`)), kind).toEqual(wanted[kind] ?? ['frequency', 'peak']);
    }
  });

  it('makes a document, with what was typed', async () => {
    const app = await opened('sweep');
    type('generate-to', '30 kHz');
    expect(by('generate-to').getAttribute('aria-invalid'), 'above half the sample rate').toBe('true');
    type('generate-to', '12 kHz');
    type('generate-length', '1.5 s');
    type('generate-peak', '-3 dB');
    await go();
    expect(app.documents.active?.data.name).toBe('Sweep.wav');
    expect(app.documents.active?.data.frames).toBe(72_000);
    expect(app.dialogs.open).toBeNull();
  });

  it('inserts at the cursor in the format of the document, as one step', async () => {
    const app = await opened('dtmf');
    const { active } = app.documents;
    active?.setCursor(48_000);
    const frames = active?.data.frames ?? 0;
    app.generating.target = 'here';
    flushSync();
    expect(has('generate-rate')).toBe(false);
    type('generate-digits', '12x');
    expect(by<HTMLButtonElement>('generate-go').disabled).toBe(true);
    type('generate-digits', '12#');
    // Three tones and two pauses of 100 ms.
    expect(by('generate-length').textContent).toBe('0:00.500');
    await go();
    expect(active?.data.frames).toBe(frames + 24_000);
    expect(active?.data.undo).toBe('Generate');
    expect(active?.cursor).toBe(active?.data.cursor_frame);
    // Keys pressed faster than the core answers: all is what is there after the step back.
    const undone = active?.undo();
    await active?.selectAll();
    expect(active?.selection).toEqual({ start: 0, end: frames });
    await undone;
    expect(active?.data.frames).toBe(frames);
  });

  it('takes the length of a selection that it replaces', async () => {
    const app = await openDemo('gain(-1 dB)');
    app.documents.active?.commitSelection({ start: 48_000, end: 60_000 });
    app.generating.kind = 'silence';
    app.generating.target = 'here';
    app.dialogs.open = 'generate';
    await settle();
    expect(by<HTMLInputElement>('generate-length').value).toBe('250 ms');
    expect(by('generate-target').textContent).toContain('selection');
  });
});
