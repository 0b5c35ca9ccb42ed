import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import type { ExportSettings } from '../src/bindings';
import { ExportChoice } from '../src/state/export-choice.svelte';
import type { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { by } from './mounted';

const has = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
const says = (id: string, words: string | RegExp) => vi.waitFor(() => expect(by(id).textContent).toMatch(words), { timeout: 20_000, interval: 20 });

async function openDialog(chain: string): Promise<App> {
  const app = await openDemo(chain);
  app.dialogs.open = 'export';
  await settle();
  return app;
}

describe('the export dialog', () => {
  it('shows no level before it is measured, and what mends clipping', async () => {
    await openDialog('gain(12 dB)');
    expect(has('export-level')).toBe(false);
    expect(by('export-measuring').textContent).toBe('Measuring the level');
    await says('export-level', /^43\u202f868 samples will clip\. The peak is \+\d+(\.\d+)? dB over full scale\.$/);
    const lower = by('export-lower');
    const gain = /−(\d+(\.\d)?) dB/.exec(lower.textContent ?? '')?.[1];
    lower.click();
    flushSync();
    // What was measured is of another gain.
    expect(has('export-level')).toBe(false);
    expect(by<HTMLInputElement>('export-output-gain').value).toBe(`−${gain} dB`);
    await says('export-level', /^Nothing clips\. The true peak is (0\.0|−0\.[1-9]) dBTP\.$/);
    expect(has('export-lower')).toBe(false);
  });

  it('shows the length and the size, and the whole recording whatever is selected', async () => {
    const app = await openDemo('gain(-1 dB)');
    app.documents.active!.commitSelection({ start: 48_000, end: 96_000 });
    await settle();
    app.dialogs.open = 'export';
    await settle();
    await says('export-length', '0:20.000');
    expect(by('export-from').textContent).toBe('0:00.000');
    expect(by('export-size').textContent).toMatch(/^5\.\d+ MB$/);
    expect(by('export-range').textContent).toContain('Whole recording');
  });

  it('sends only the tags that were changed', async () => {
    const app = await openDialog('gain(-1 dB)');
    const sent = vi.spyOn(app.backend, 'call');
    const title = by<HTMLInputElement>('export-tag-title');
    await vi.waitFor(() => expect(title.disabled).toBe(false));
    const was = title.value;
    title.value = 'Changed';
    title.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    const edits = () => (sent.mock.calls.filter(([name]) => name === 'export_plan').at(-1)?.[1] as { tags: unknown } | undefined)?.tags;
    expect(edits()).toEqual({ items: { TITLE: 'Changed' }, cover: { kind: 'keep' } });
    title.value = was;
    title.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    expect(edits()).toEqual({ items: {}, cover: { kind: 'keep' } });
  });

  it('says what stands in the way of a format', async () => {
    const app = await openDialog('gain(-1 dB)');
    const call = app.backend.call.bind(app.backend);
    const missing = { code: 'unsupported', message: 'MP3 without the LAME library is not supported. Install it.', detail: null, notation: null };
    vi.spyOn(app.backend, 'call').mockImplementation(((name: string, args: never) => (name === 'encoder_problem' ? Promise.resolve(missing) : call(name as never, args))) as never);
    app.dialogs.open = null;
    await settle();
    await app.settings.save({ export: { ...app.settings.now.export, format: 'mp3' } });
    app.dialogs.open = 'export';
    await settle();
    expect(by('export-problem').textContent).toBe(missing.message);
    expect(by<HTMLButtonElement>('export-start').disabled).toBe(true);
  });
});

describe('what is chosen of an export', () => {
  it('has an output gain of its own', () => {
    const settings: ExportSettings = { format: 'wav', bits: '16', dither: 'none', range: null, rate: null, tail: false, lossy: {} as ExportSettings['lossy'], loudness: null, gain_db: 0, markers: true };
    const choice = new ExportChoice(settings, () => ['wav']);
    choice.gainDb = -2.4;
    expect(choice.settings().gain_db).toBe(-2.4);
  });
});
