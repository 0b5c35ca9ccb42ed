import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import type { Replay } from '../src/backend/replay';
import type { ExportSettings, TagCause } from '../src/bindings';
import ExportTagFields from '../src/pages/editor/parts/export/ExportTagFields.svelte';
import { ExportChoice } from '../src/state/export-choice.svelte';
import { ExportTagsState } from '../src/pages/editor/state/export-tags.svelte';
import type { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { by, eventually, show } from './mounted';

const has = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
const says = (id: string, words: string | RegExp) => eventually(() => expect(by(id).textContent).toMatch(words));

async function openDialog(chain: string): Promise<App> {
  const app = await openDemo(chain);
  app.dialogs.open = 'export';
  await settle();
  return app;
}

describe('the export dialog', () => {
  it('shows no level before it is measured, and what mends clipping', async () => {
    const app = await openDemo('gain(12 dB)');
    const backend = app.backend as Replay;
    backend.still = true;
    app.dialogs.open = 'export';
    await says('export-measuring', 'Measuring the level');
    expect(has('export-level')).toBe(false);
    backend.still = false;
    await says('export-level', /^43\u202f868 samples will clip\. The peak is \+\d+(\.\d+)? dB over full scale\.$/);
    expect(document.body.textContent).toMatch(/\d samples do not fit 24 bit and are dithered\. All others stay as they are\./);
    const lower = by('export-lower');
    const gain = /−(\d+(\.\d)?) dB/.exec(lower.textContent ?? '')?.[1];
    lower.click();
    flushSync();
    // The earlier measurement was of another gain.
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
    await eventually(() => expect(title.disabled).toBe(false));
    const was = title.value;
    title.value = 'Changed';
    title.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    const edits = () => (sent.mock.calls.filter(([name]) => name === 'editor.export_plan').at(-1)?.[1] as { tags: unknown } | undefined)?.tags;
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
    vi.spyOn(app.backend, 'call').mockImplementation(((name: string, args: never) => (name === 'editor.encoder_problem' ? Promise.resolve(missing) : call(name as never, args))) as never);
    app.dialogs.open = null;
    await settle();
    await app.settings.save({ export: { ...app.settings.now.export, format: 'mp3' } });
    app.dialogs.open = 'export';
    await settle();
    expect(by('export-problem').textContent).toBe(missing.message);
    expect(by<HTMLButtonElement>('export-start').disabled).toBe(true);
  });
});

describe('the tags of an export', () => {
  it('that would be false of the file are told, with the reason', () => {
    const tag = (tag: string, old: string, now: string | null, cause: TagCause) => ({ tag, old, new: now, cause });
    const changed = [
      tag('BPM', '120', '96', 'tempo'),
      tag('ENCODER', 'LAME', null, 'encoding'),
      tag('REPLAYGAIN_TRACK_GAIN', '-3.00 dB', null, 'level'),
      tag('REPLAYGAIN_TRACK_PEAK', '1.0', null, 'level'),
    ];
    const tags = new ExportTagsState(null as never, null as never, 1);
    show(ExportTagFields, { tags, limits: [], changed });
    const told = [...by('export-changed-tags').querySelectorAll('li')].map((each) => each.textContent);
    expect(told).toEqual([
      'BPM: 96 in place of 120, because the tempo changes.',
      'ENCODER: left out, because it is encoded anew.',
      'REPLAYGAIN_TRACK_GAIN, REPLAYGAIN_TRACK_PEAK: left out, because the level changes.',
    ]);
  });

  it('are not mentioned where all stay true', () => {
    show(ExportTagFields, { tags: new ExportTagsState(null as never, null as never, 1), limits: [], changed: [] });
    expect(has('export-changed-tags')).toBe(false);
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
