// Closed documents come back, a step back after a close means the closed one, and projects tell whether they were changed.

import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import { handleKey } from '../src/commands/keyboard';
import { COMMANDS, isEnabled, labelOf } from '../src/commands/table';
import { App } from '../src/state/app.svelte';
import { settle } from './demo-window';
import { show } from './mounted';
import { recorded } from './recorded';

const command = (id: string) => {
  const found = COMMANDS.find((each) => each.id === id);
  if (!found) throw new Error(id);
  return found;
};
const key = (key: string, held: { ctrlKey?: boolean; shiftKey?: boolean } = {}) => new KeyboardEvent('keydown', { key, cancelable: true, ...held });

/** The demo, which has steps of undo, and a second recording in front of it. */
async function two(): Promise<App> {
  const app = new App(recorded('demo'));
  await app.start();
  await app.documents.open('dialog');
  expect(app.documents.all.length).toBe(2);
  return app;
}

describe('a closed document', () => {
  it('comes back with its chain', async () => {
    const app = new App(recorded('demo'));
    await app.start();
    const chain = app.documents.active?.data.chain_text;
    expect(chain).toMatch(/highpass/);
    expect(isEnabled(command('reopen-closed'), app)).toBe(false);
    await app.documents.close(app.documents.activeId ?? 0);
    expect(app.documents.all).toEqual([]);
    expect(isEnabled(command('reopen-closed'), app)).toBe(true);
    expect(labelOf(command('reopen-closed'), app)).toBe('Reopen Undertone demo.wav');
    await app.documents.reopen();
    expect(app.documents.active?.data.chain_text).toBe(chain);
    expect(isEnabled(command('reopen-closed'), app)).toBe(false);
  });

  it('is what a step back means, until the document in front is touched', async () => {
    const app = await two();
    const call = vi.spyOn(app.backend, 'call');
    const steps = () => call.mock.calls.filter(([name]) => name === 'editor.undo').length;
    await app.documents.close(app.documents.activeId ?? 0);
    expect(app.documents.active?.data.undo).not.toBeNull();
    handleKey(key('Control', { ctrlKey: true }), app);
    handleKey(key('z', { ctrlKey: true }), app);
    handleKey(key('y', { ctrlKey: true }), app);
    await settle();
    expect(steps()).toBe(0);
    expect(app.notices.toasts.map((toast) => toast.message).join()).toMatch(/was closed; Reopen closed in the File menu/);
    handleKey(key('Tab'), app);
    expect(app.notices.toasts).toEqual([]);
    handleKey(key('z', { ctrlKey: true }), app);
    await settle();
    expect(steps()).toBe(1);
  });

  it('is offered by an empty window', async () => {
    const app = new App(recorded('demo'));
    show(AppView, { app });
    await settle();
    await app.documents.close(app.documents.activeId ?? 0);
    await settle();
    const button = document.querySelector<HTMLButtonElement>('[data-testid="reopen"]');
    expect(button?.textContent).toBe('Reopen Undertone demo.wav');
    button?.click();
    await settle();
    expect(app.documents.all.length).toBe(1);
  });
});

describe('a project', () => {
  it('names the window and tells whether it was changed', async () => {
    const app = new App(recorded('demo'));
    show(AppView, { app });
    await settle();
    expect(document.title).toBe('Undertone demo.wav — Undertone');
    await command('save').run(app);
    await settle();
    expect(document.title).toBe('Undertone demo.undertone — Undertone');
    expect(app.documents.recent[0]?.name).toBe('Undertone demo.undertone');
    app.documents.active?.edit({ kind: 'remove', node: 1 });
    await settle();
    expect(document.title).toBe('• Undertone demo.undertone — Undertone');
    await command('undo').run(app);
    await settle();
    expect(document.title).toBe('Undertone demo.undertone — Undertone');
  });
});
