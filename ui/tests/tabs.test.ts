import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import type { Commands } from '../src/bindings';
import { openDemo, settle } from './demo-window';
import { by, eventually } from './mounted';

/** The demo and two more documents that look like it. */
async function three() {
  const app = await openDemo('gain(-3 dB)');
  const first = app.documents.active!;
  const calls: [string, unknown][] = [];
  vi.spyOn(app.backend, 'call').mockImplementation(async (name, args) => {
    calls.push([name, args]);
    return (name === 'workspace.recent' ? [] : name === 'settings.set' ? (args as Commands['settings.set']['args']).settings : null) as never;
  });
  const names = ['second.wav', 'third.wav'];
  for (const [index, name] of names.entries()) {
    const id = 100 + index;
    app.documents.take({ documents: [{ ...first.data, id, name, sources: [{ ...first.data.sources[0]!, name, path: `/music/${name}` }] }], failures: [], last_closed: null });
  }
  await settle();
  return { app, first, calls };
}

const order = () => [...document.querySelectorAll('[role="tab"]')].map((tab) => tab.textContent?.trim());

describe('tabs', () => {
  it('name the only open document, with its whole path', async () => {
    const app = await openDemo('gain(-3 dB)');
    const { data } = app.documents.active!;
    expect(order()).toEqual([data.name]);
    expect(by(`tab-${data.id}`).parentElement?.title).toBe(data.sources[0]?.path);
    expect(data.sources[0]?.path.endsWith(data.name)).toBe(true);
  });

  it('are moved by keys and by the document’s own list, and the core keeps the order', async () => {
    const { app, first, calls } = await three();
    expect(order()).toEqual([first.data.name, 'second.wav', 'third.wav']);
    app.documents.move(101, 0);
    flushSync();
    expect(order()).toEqual(['third.wav', first.data.name, 'second.wav']);
    expect(calls.at(-1)).toEqual(['workspace.reorder_documents', { documents: [101, first.id, 100] }]);
    expect(app.documents.activeId).toBe(101);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }));
    flushSync();
    expect(order()).toEqual([first.data.name, 'third.wav', 'second.wav']);
  });

  it('are closed by the middle button, and all but one at once', async () => {
    const { app, first, calls } = await three();
    by('tab-100').dispatchEvent(new MouseEvent('mouseup', { button: 1, bubbles: true }));
    await settle();
    expect(calls.filter(([name]) => name === 'workspace.close_document').map(([, args]) => args)).toEqual([{ document: 100 }]);
    expect(order()).toEqual([first.data.name, 'third.wav']);
    await app.documents.closeOthers(first.id);
    flushSync();
    expect(order()).toEqual([first.data.name]);
    expect(app.documents.activeId).toBe(first.id);
  });
});

describe('the tab in front', () => {
  it('stays so when another is closed, for the next start too', async () => {
    const { app, first, calls } = await three();
    app.documents.activate(first.id);
    calls.length = 0;
    await app.documents.close(101);
    expect(app.documents.activeId).toBe(first.id);
    expect(calls.filter(([name]) => name === 'workspace.activate_document')).toEqual([]);
    await app.documents.close(first.id);
    expect(app.documents.activeId).toBe(100);
    expect(calls.filter(([name]) => name === 'workspace.activate_document')).toEqual([['workspace.activate_document', { document: 100 }]]);
  });
});

describe('matched loudness', () => {
  it('belongs to a document, and its gain is shown only of the one that was measured', async () => {
    const { app, first } = await three();
    const second = app.documents.find(100)!;
    app.documents.activate(first.id);
    const base = { moment: 0, document: first.id, audition: null, comparison: null, stems: null, documents_side: 'processed', matched_documents: [first.id], playing: false, frame: 0, looping: false, side: 'processed', matched: true, matched_gain_db: -3.5, stale: false, underruns: 0, muted_db: null, problem: null } as const;
    app.player.take({ ...base, matched_documents: [...base.matched_documents] });
    flushSync();
    expect(by('matched').getAttribute('aria-pressed')).toBe('true');
    expect(by('matched').textContent).toContain('−3.5 dB');
    expect(by('matched').querySelector('.stale')).toBeNull();
    app.player.take({ ...base, matched_documents: [first.id], stale: true });
    flushSync();
    expect(by('matched').querySelector('.stale')).not.toBeNull();
    expect(by('matched').getAttribute('aria-label')).toContain('being measured');
    app.documents.activate(second.id);
    flushSync();
    expect(by('matched').getAttribute('aria-pressed')).toBe('false');
    expect(by('matched').textContent).not.toContain('dB');
  });
});

describe('the height of the waveform', () => {
  it('is turned over the level ruler, stepped by keys, and kept with the document', async () => {
    const { app, first, calls } = await three();
    app.documents.activate(first.id);
    app.settings.setDisplay({ blend: 0 });
    flushSync();
    const ruler = by('level-axis');
    expect(ruler.getAttribute('role')).toBe('slider');
    ruler.dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true, cancelable: true }));
    expect(first.levelZoom).toBeGreaterThan(1.3);
    ruler.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true, cancelable: true }));
    expect(first.levelZoom).toBe(1);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp', shiftKey: true, bubbles: true, cancelable: true }));
    flushSync();
    expect(first.levelZoom).toBe(2);
    expect(by('level-axis').getAttribute('aria-valuetext')).toBe('−6 dBFS at the edge');
    expect(by('level-zoomed').textContent).toBe('Waveform +6 dB');
    await eventually(() => expect(calls.filter(([name]) => name === 'editor.set_view').at(-1)?.[1]).toMatchObject({ document: first.id, level_zoom: 2 }));
    first.setLevelZoom(1e9);
    expect(first.levelZoom).toBe(65_536);
  });
});
