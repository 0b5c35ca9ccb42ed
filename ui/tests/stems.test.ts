// Separating recordings into stems: the dialog, and how stems are heard for a purpose.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../src/backend';
import type { JobView, Settings, StemsModel, StemsOutlook, StemsWish, StemKind, TrackView } from '../src/bindings';
import { doneOf, paceOf, percentOf, titleOf } from '../src/lib/job-words';
import { canHear, hasStems, heardAs } from '../src/lib/stems';
import { App } from '../src/state/app.svelte';
import { show } from './mounted';
import Shown from './SeparateShown.svelte';

const track = (id: number, content: StemKind | undefined, change: Partial<TrackView> = {}): TrackView => ({ id, name: `${id}`, colour: 0, gain_db: 0, pan: 0, mute: false, solo: false, frames: 1, channels: 1, effects: 0, sound: '', ...(content ? { content } : {}), ...change });

describe('how stems are heard', () => {
  it('is told from what is muted and how loud it is', () => {
    const stems = [track(1, 'voice'), track(2, 'accompaniment'), track(3, undefined, { mute: true })];
    expect(heardAs(stems)).toBe('all');
    expect(heardAs([track(1, 'voice', { mute: true }), track(2, 'accompaniment')])).toBe('karaoke');
    expect(heardAs([track(1, 'vocals'), track(2, 'drums', { mute: true })])).toBe('a_cappella');
    expect(heardAs([track(1, 'vocals', { gain_db: -12 }), track(2, 'drums')])).toBe('practice_voice');
    expect(heardAs([track(1, 'vocals'), track(2, 'drums', { gain_db: -12 })])).toBe('practice_drums');
    expect(heardAs([track(1, 'vocals', { gain_db: -11 })])).toBeNull();
    expect(heardAs([track(1, 'vocals', { pan: 0.1 })])).toBeNull();
    expect(heardAs([track(1, undefined)])).toBeNull();
  });

  it('needs what it is about', () => {
    const stems = [track(1, 'tones'), track(2, 'hits')];
    expect(hasStems(stems)).toBe(true);
    expect(hasStems([track(1, undefined)])).toBe(false);
    expect(canHear('all', stems)).toBe(true);
    expect(canHear('karaoke', stems)).toBe(false);
    expect(canHear('practice_bass', [track(1, 'bass')])).toBe(true);
  });
});

describe('a job that separates', () => {
  const job: JobView = { id: 1, purpose: 'separate', title: 'Separate stems', step: '2 of 3: Song', state: 'running', done: 84_000, total: 200_000, rate: 2345, remaining_s: 50, result: null, failure: null };
  it('counts seconds of sound', () => {
    expect([doneOf(job), paceOf(job), titleOf(job)]).toEqual(['1:24 of 3:20', '2.3 × real time', 'Separate stems: 2 of 3: Song']);
    expect([doneOf({ ...job, total: 0 }), paceOf({ ...job, done: 0 }), titleOf({ ...job, step: null })]).toEqual(['', '', 'Separate stems']);
    expect([doneOf({ ...job, purpose: 'export' }), paceOf({ ...job, purpose: 'export' }), percentOf(job)]).toEqual(['42 %', '', 42]);
  });
});

const QUICK: StemsModel = { id: 'quick', title: 'Quick split', note: 'Rough.', sets: [['voice', 'accompaniment'], ['centre', 'sides']], qualities: [] };
const OUTLOOK: StemsOutlook = { recordings: 1, name: 'Song', seconds: 200, cached: 0, device: { requested: 'auto', used: 'cpu', name: 'A processor', reason: 'no GPU kernels', fallback: false }, expected_s: null, problem: null, warnings: [] };

/** A core that knows separating alone. */
function core(outlook: (wish: StemsWish) => StemsOutlook) {
  const asked: [string, unknown][] = [];
  const wish: StemsWish = { model: 'quick', stems: ['voice', 'accompaniment'], residual: false, quality: null };
  const settings = { panes: {}, stems: { wish, cache_mib: 4096 } } as unknown as Settings;
  const answers: Record<string, (args: never) => unknown> = {
    stems_models: () => [QUICK],
    stems_outlook: ({ wish: now }: { wish: StemsWish }) => outlook(now),
    start_stems: () => 7,
    settings: () => settings,
  };
  const call = async (name: string, args: never) => {
    asked.push([name, args]);
    const answer = answers[name];
    if (!answer) throw new Error(`${name} was asked`);
    return answer(args);
  };
  const app = new App({ call } as unknown as Backend);
  app.settings.take(settings);
  return { app, asked };
}

const find = (id: string): HTMLElement | null => document.querySelector(`[data-testid="${id}"]`);
const by = (id: string): HTMLElement => {
  const found = find(id);
  if (!found) throw new Error(`nothing is called ${id}`);
  return found;
};
const settle = async () => {
  for (let i = 0; i < 6; i++) await new Promise((done) => setTimeout(done, 4));
  flushSync();
};
const start = () => by('separate-start') as HTMLButtonElement;
const tick = async (id: string) => {
  by(id).click();
  await settle();
};

describe('the dialog that separates', () => {
  it('says what is known before, and starts what is wanted', async () => {
    const held = core(() => OUTLOOK);
    show(Shown, { app: held.app });
    await held.app.separation.open({ kind: 'document', document: 3, track: null });
    await settle();
    expect(by('separate-what').textContent).toBe('Song, 3:20');
    expect(by('separate-device').textContent).toBe('A processor: no GPU kernels');
    expect(by('separate-time').textContent).toBe('Not measured on this computer yet');
    await tick('separate-residual');
    await tick('separate-stem-voice');
    const wish = { model: 'quick', stems: ['accompaniment'], residual: true, quality: null };
    expect(held.asked.at(-1)).toEqual(['stems_outlook', { source: { kind: 'document', document: 3, track: null }, wish }]);
    // Without a stem nothing can start, and the way back is there.
    await tick('separate-stem-accompaniment');
    expect([start().disabled, start().title]).toEqual([true, 'Choose one stem or more.']);
    await tick('separate-stem-accompaniment');
    expect(start().disabled).toBe(false);
    start().click();
    await settle();
    expect(held.asked.find(([name]) => name === 'start_stems')?.[1]).toEqual({ source: { kind: 'document', document: 3, track: null }, wish });
    expect(find('separate-start')).toBeNull();
  });

  it('gives the reason why a recording cannot be separated, and what is there at once', async () => {
    const held = core((wish) => (wish.stems.includes('centre') ? { ...OUTLOOK, problem: 'The recording is mono.' } : { ...OUTLOOK, recordings: 3, cached: 2, expected_s: 75, warnings: ['b: too short'] }));
    show(Shown, { app: held.app });
    await held.app.separation.open({ kind: 'tracks', tracks: [1, 2, 3] });
    await settle();
    expect(by('separate-what').textContent).toBe('3 recordings, 3:20');
    expect(by('separate-time').textContent).toBe('About 1 min 15 s; 2 of them are there at once');
    expect(by('separate-warning').textContent).toBe('b: too short');
    held.app.separation.chooseSet('centre');
    await settle();
    expect(by('separate-problem').textContent).toBe('The recording is mono.');
    expect([start().disabled, start().title]).toEqual([true, 'The recording is mono.']);
    expect(find('separate-stem-sides')).not.toBeNull();
    expect(held.asked.some(([name]) => name === 'start_stems')).toBe(false);
  });
});
