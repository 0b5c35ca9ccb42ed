import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import type { BatchItem, BatchItemState } from '../src/bindings';
import type { Replay } from '../src/backend/replay';
import { App } from '../src/state/app.svelte';
import { by, elementsAreHigh, eventually, find, key, settle, show, until } from './mounted';
import { recorded } from './recorded';

elementsAreHigh(588);

const states = () => [...document.querySelectorAll<HTMLElement>('[data-state][id^="input-"]')].map((row) => row.dataset['state']);
const targets = () => [...document.querySelectorAll('.target')].map((cell) => cell.textContent);
const phase = () => by('batch-foot').dataset['phase'];
const reached = (wanted: string) =>
  eventually(() => {
    flushSync();
    expect(phase()).toBe(wanted);
  });

async function start(filled = true): Promise<{ app: App; backend: Replay; asked: (name: string) => unknown }> {
  const backend = recorded('batch');
  const call = vi.spyOn(backend, 'call');
  const asked = (name: string) => call.mock.calls.findLast(([each]) => each === name)?.[1];
  const app = new App(backend);
  show(AppView, { app });
  await until(() => app.ready);
  await settle();
  key(document.body, 'B', { ctrlKey: true, shiftKey: true });
  await settle();
  if (filled) {
    await app.batch.addFolders();
    await app.batch.chooseOutput();
    await settle();
  }
  return { app, backend, asked };
}

describe('the page for many files', () => {
  it('is reached by key and by tab, says what to do while it is empty, and takes drops while it is seen', async () => {
    const { app, asked } = await start(false);
    expect(by('page-batch').getAttribute('aria-current')).toBe('page');
    expect(find('batch-empty')).not.toBeNull();
    expect(asked('batch.take_drops')).toEqual({ on: true });
    expect(by('batch-note').textContent).toContain('Add files first');
    expect(by<HTMLButtonElement>('batch-start').disabled).toBe(true);
    by('batch-empty-files').click();
    await settle();
    expect(states()).toEqual(['waiting', 'waiting', 'waiting']);
    expect(by('batch-note').textContent).toContain('folder');
    by('batch-choose').click();
    await settle();
    expect(by<HTMLButtonElement>('batch-start').disabled).toBe(false);
    app.showPage('editor');
    await settle();
    expect(asked('batch.take_drops')).toEqual({ on: false });
  });

  it('takes over what was dropped', async () => {
    const { backend } = await start(false);
    backend.emit({ kind: 'batch', batch: await backend.call('batch.add_files', {}) });
    await settle();
    expect(by('input-0').textContent).toContain('interview 1.wav');
  });

  it('asks again for a list that came after what has changed of it', async () => {
    const { app, backend } = await start();
    const { items, status, settings } = app.batch;
    const view = { items, status: status!, settings: settings! };
    const at = (moment: number) => ({ ...view.status, moment });
    const first = (state: BatchItemState): BatchItem[] => [{ ...view.items[0]!, state }];
    backend.emit({ kind: 'batch_items', items: first('done'), status: at(7) });
    const call = vi.spyOn(backend, 'call').mockResolvedValueOnce({ ...view, status: at(8), items: first('skipped') });
    backend.emit({ kind: 'batch', batch: { ...view, status: at(6) } });
    expect(app.batch.items[0]?.state).toBe('done');
    expect(call).toHaveBeenLastCalledWith('batch.view', {});
    await settle();
    expect(app.batch.items.map((item) => item.state)).toEqual(['skipped']);
    // Items of before are no news either.
    backend.emit({ kind: 'batch_items', items: first('running'), status: at(7) });
    expect(app.batch.items.map((item) => item.state)).toEqual(['skipped']);
  });

  it('shows names while the template is typed, and what is wrong with it', async () => {
    await start();
    expect(targets()).toContain('notes/intro.wav');
    const template = by<HTMLInputElement>('batch-template');
    const type = async (value: string) => {
      template.value = value;
      template.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((done) => setTimeout(done, 180));
      await settle();
    };
    await type('{number:3} {name}.{ext}');
    expect(targets()[0]).toBe('001 interview 1.wav');
    await type('{number:3} {name');
    expect(by('batch-template-problem').textContent).toContain('A brace is not closed');
    expect(template.getAttribute('aria-invalid')).toBe('true');
    expect(by<HTMLButtonElement>('batch-start').disabled).toBe(true);
    await type('{artist} - {title}.{ext}');
    expect(targets()[0]).toBe('Ada - interview 1.wav');
  });

  it('runs, tells how each file stands, and skips what is finished when it runs again', async () => {
    const { app } = await start();
    expect(by('batch-chain-text').textContent).toBe('gain(-3 dB)');
    key(document.body, 'Enter', { ctrlKey: true });
    await settle();
    expect(phase()).toBe('running');
    expect(find('batch-progress')).not.toBeNull();
    expect(by<HTMLFieldSetElement>('batch-settings').disabled).toBe(true);
    await reached('finished');
    expect(states()).toEqual(['done', 'done', 'failed', 'done', 'done']);
    expect(by('batch-summary').textContent).toBe('4 done · 1 failed');
    by('input-2').dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));
    flushSync();
    expect(by('batch-reason').textContent).toContain('not audio');
    const written = vi.fn();
    vi.stubGlobal('navigator', { ...navigator, platform: 'Linux', clipboard: { writeText: async (text: string) => written(text) } });
    by('batch-copy').click();
    await settle();
    expect(written).toHaveBeenCalledWith(expect.stringContaining('broken.wav\tThis is not audio'));
    vi.unstubAllGlobals();
    await app.batch.start();
    await settle();
    await reached('finished');
    expect(states()).toEqual(['skipped', 'skipped', 'failed', 'skipped', 'skipped']);
  });

  it('pauses, goes on, and is cancelled', async () => {
    await start();
    by('batch-start').click();
    await settle();
    key(document.body, 'Enter', { ctrlKey: true, shiftKey: true });
    await reached('paused');
    expect(by('batch-pause').textContent).toBe('Resume');
    by('batch-pause').click();
    await reached('running');
    by('batch-cancel').click();
    await reached('cancelled');
    expect(states()).toContain('waiting');
    expect(states()).not.toContain('running');
    expect(by('batch-note').textContent).toContain('continues with the rest');
  });

  it('is gone through and emptied by keyboard', async () => {
    const { app } = await start();
    const list = by('batch-list');
    list.focus();
    key(list, 'Home');
    key(list, 'ArrowDown', { shiftKey: true });
    expect(app.batch.chosen.map((item) => item.name)).toEqual(['interview 1.wav', 'interview 2.wav']);
    expect(list.getAttribute('aria-activedescendant')).toBe('input-1');
    key(list, 'Delete');
    await settle();
    expect(states().length).toBe(3);
    key(list, 'a', { ctrlKey: true });
    key(list, 'Delete');
    await settle();
    expect(find('batch-empty')).not.toBeNull();
  });

  it('tells of its end on another page', async () => {
    const { app } = await start();
    by('batch-start').click();
    await settle();
    app.showPage('editor');
    await eventually(() => expect(app.notices.toasts.at(-1)?.message).toContain('4 files processed, 1 failed'));
  });

  it('offers each file its own sample format, and sends what is chosen of the format', async () => {
    const { app, asked } = await start();
    expect(by('export-bits').textContent).toContain('Same as each file');
    app.batch.choice!.format = 'flac';
    flushSync();
    await new Promise((done) => setTimeout(done, 180));
    await settle();
    expect(asked('batch.set')).toMatchObject({ settings: { export: { format: 'flac' } } });
    expect(targets()[0]).toBe('interview 1.flac');
  });
});
