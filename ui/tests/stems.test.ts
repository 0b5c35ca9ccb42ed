// Separating recordings into stems: the dialog, and how stems are heard for a purpose.

import { describe, expect, it, vi } from 'vitest';
import type { Backend } from '../src/backend';
import type { JobView, Settings, StemsModel, StemsOutlook, StemsQueue, StemsRunning, StemsWish, StemKind, TrackView, TransportView } from '../src/bindings';
import { doneOf, paceOf, percentOf, titleOf } from '../src/lib/job-words';
import { canHear, hasStems, heardAs, inOwnWords } from '../src/lib/stems';
import { App } from '../src/state/app.svelte';
import Shown from './SeparateShown.svelte';
import BarShown from './StemsBarShown.svelte';
import { by, find, settle, show } from './mounted';

const track = (id: number, content: StemKind | undefined, change: Partial<TrackView> = {}): TrackView => ({ id, name: `${id}`, colour: 0, gain_db: 0, pan: 0, mute: false, solo: false, frames: 1, channels: 1, effects: 0, sound: '', ...(content ? { content } : {}), ...change });

describe('how stems are heard', () => {
  it('is told from what is muted and how loud it is', () => {
    const stems = [track(1, 'voice'), track(2, 'accompaniment'), track(3, undefined, { mute: true })];
    expect(heardAs(stems)).toBe('all');
    expect(heardAs([track(1, 'voice', { mute: true }), track(2, 'accompaniment')])).toBe('karaoke');
    expect(heardAs([track(1, 'vocals'), track(2, 'drums', { mute: true })])).toBe('a_cappella');
    expect(heardAs([track(1, 'vocals'), track(2, 'drums', { mute: true }), track(3, 'bass')])).toBe('drumless');
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

describe('the names of stems', () => {
  it('are in the language of the window, and one that the user gave stays', async () => {
    const view = { tracks: [track(1, 'drums', { name: 'Drums' }), track(2, 'bass', { name: 'Low' }), track(3, undefined, { name: 'Drums' })] };
    expect(inOwnWords(view)).toBe(view);
    vi.resetModules();
    const { speak } = await import('../src/text/language');
    await speak('de');
    const german = await import('../src/lib/stems');
    expect(german.inOwnWords(view).tracks.map((each) => each.name)).toEqual(['Schlagzeug', 'Low', 'Drums']);
    await speak('en');
    vi.resetModules();
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
function core(outlook: (wish: StemsWish) => StemsOutlook, more: Record<string, (args: never) => unknown> = {}) {
  const asked: [string, unknown][] = [];
  const wish: StemsWish = { model: 'quick', stems: ['voice', 'accompaniment'], residual: 'left_out', quality: null };
  const settings = { panes: {}, stems: { wish, cache_mib: 4096 } } as unknown as Settings;
  const answers: Record<string, (args: never) => unknown> = {
    'stems.models': () => [QUICK],
    'stems.outlook': ({ wish: now }: { wish: StemsWish }) => outlook(now),
    'stems.start': () => 7,
    'settings.view': () => settings,
    ...more,
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
    // The residual of only some stems is not spread over them.
    held.app.separation.want({ residual: 'spread' });
    await settle();
    expect(by('separate-residual').textContent?.trim()).toBe('Spread over the stems');
    await tick('separate-stem-voice');
    expect(by('separate-residual').textContent?.trim()).toBe('Leave out');
    held.app.separation.want({ residual: 'own' });
    await settle();
    const wish = { model: 'quick', stems: ['accompaniment'], residual: 'own', quality: null };
    expect(held.asked.at(-1)).toEqual(['stems.outlook', { source: { kind: 'document', document: 3, track: null }, wish }]);
    // Without a stem nothing can start, and the way back is there.
    await tick('separate-stem-accompaniment');
    expect([start().disabled, start().title]).toEqual([true, 'Choose one stem or more.']);
    await tick('separate-stem-accompaniment');
    expect(start().disabled).toBe(false);
    start().click();
    await settle();
    expect(held.asked.find(([name]) => name === 'stems.start')?.[1]).toEqual({ source: { kind: 'document', document: 3, track: null }, wish });
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
    expect(held.asked.some(([name]) => name === 'stems.start')).toBe(false);
  });
});

describe('the bar of what is separated', () => {
  const RUNNING: StemsRunning = { task: 4, name: 'Song', stems: ['voice', 'accompaniment'], rate: 100, frames: 20_000, settled_frames: 0, problem: null };
  const WAITING = [5, 6].map((task) => ({ task, name: `Waits ${task}`, seconds: 65 }));
  const queue = (change: Partial<StemsRunning> = {}, waiting = WAITING): StemsQueue => ({ moment: 0, running: { ...RUNNING, ...change }, beside: [], waiting });
  const heard = (change: Partial<TransportView>): TransportView => ({ playing: true, frame: 0, stems: { task: 4, stems: ['voice'], held: false }, underruns: 0, ...change }) as TransportView;
  const bar = (more: Record<string, (args: never) => unknown> = {}) => {
    const held = core(() => OUTLOOK, { 'stems.hear': () => heard({}), 'playback.stop': () => heard({ playing: false, frame: 700 }), 'playback.seek': ({ frame }: { frame: number }) => heard({ frame }), ...more });
    held.app.separation.take(queue());
    show(BarShown, { app: held.app });
    return held;
  };
  const listen = () => by('stems-listen') as HTMLButtonElement;
  const slide = async (to: number) => {
    const slider = by('stems-position') as HTMLInputElement;
    slider.value = String(to);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    return slider.valueAsNumber;
  };

  it('lets what is there be heard, and no more', async () => {
    const { app, asked } = bar();
    await settle();
    expect([listen().disabled, listen().title]).toEqual([true, 'No more of the stems is there yet.']);
    app.separation.take(queue({ settled_frames: 1000 }));
    await settle();
    expect(listen().disabled).toBe(false);
    expect(by('stems-there').textContent).toBe('0:10 of 3:20 can be heard');
    // Beyond what is there it goes to the end of that.
    expect(await slide(15_000)).toBe(975);
    await tick('stems-listen');
    expect(asked.at(-1)).toEqual(['stems.hear', { task: 4, stems: ['voice', 'accompaniment'], from_frame: 975 }]);
    expect(by('stems-listen').getAttribute('aria-pressed')).toBe('true');
    await slide(300);
    expect(asked.at(-1)).toEqual(['playback.seek', { frame: 300 }]);
    await tick('stems-hear-voice');
    expect(asked.at(-1)).toEqual(['stems.hear', { task: 4, stems: ['accompaniment'], from_frame: null }]);
    expect(by('stems-hear-voice').getAttribute('aria-pressed')).toBe('false');
    await tick('stems-listen');
    expect(asked.at(-1)?.[0]).toBe('playback.stop');
    // It goes on where it stopped, with what was chosen.
    await tick('stems-listen');
    expect(asked.at(-1)).toEqual(['stems.hear', { task: 4, stems: ['accompaniment'], from_frame: 700 }]);
  });

  it('says that it stopped where the stems end, and why nothing can be heard', async () => {
    const { app } = bar();
    app.player.take(heard({ playing: false, frame: 1000, stems: { task: 4, stems: ['voice'], held: true } }));
    app.separation.take(queue({ settled_frames: 1000 }));
    await settle();
    expect(by('stems-held').textContent).toBe('Stopped where the stems end so far.');
    expect(listen().disabled).toBe(true);
    app.separation.take(queue({ settled_frames: 2000 }));
    await settle();
    expect(listen().disabled).toBe(false);
    app.separation.take(queue({ problem: 'The disk is full.' }));
    await settle();
    expect(listen().title).toBe('It can be heard once all is done: The disk is full.');
    // Another recording begins at its beginning, with all its stems.
    app.separation.take({ moment: 0, running: { ...RUNNING, task: 5, settled_frames: 500 }, beside: [], waiting: [] });
    await settle();
    expect([by('stems-at').textContent, by('stems-held').textContent, find('stems-waiting')]).toEqual(['0:00', '', null]);
  });

  it('leaves out one that waits, and cancels the one that runs alone', async () => {
    let left = WAITING;
    const { asked } = bar({
      'stems.remove': ({ task }: { task: number }) => {
        left = left.filter((each) => each.task !== task);
        return queue({}, left);
      },
    });
    await settle();
    expect(by('stems-waiting').textContent).toBe('2 wait');
    await tick('stems-waiting');
    expect(by('stems-waits-5').textContent).toContain('1:05');
    by('stems-drop-5').focus();
    await tick('stems-drop-5');
    expect(asked.at(-1)).toEqual(['stems.remove', { task: 5 }]);
    expect(document.activeElement).toBe(by('stems-drop-6'));
    await tick('stems-drop-6');
    expect([find('stems-list'), find('stems-waiting')]).toEqual([null, null]);
    await tick('stems-cancel');
    expect(asked.at(-1)).toEqual(['stems.remove', { task: 4 }]);
  });

  it('keeps what it was told last when an answer comes after it', async () => {
    const ended: StemsQueue = { moment: 9, running: null, beside: [], waiting: [] };
    const held = bar({
      'stems.remove': () => {
        held.app.separation.take(ended);
        return { ...queue(), moment: 8 };
      },
    });
    await settle();
    await tick('stems-cancel');
    expect(held.app.separation.queue).toEqual(ended);
  });

  it('lists those that other devices separate, and cancels one of them alone', async () => {
    const beside = [{ ...RUNNING, task: 7, name: 'Beside', settled_frames: RUNNING.rate * 2 }];
    const { app, asked } = bar({ 'stems.remove': () => ({ ...queue(), beside: [] }) });
    app.separation.take({ ...queue(), beside });
    await settle();
    expect(by('stems-running').textContent).toContain(RUNNING.name);
    expect(by('stems-waiting').textContent).toBe('and 1 more · 2 wait');
    await tick('stems-waiting');
    expect(by('stems-beside-7').textContent).toContain('0:02 of');
    by('stems-cancel-7').focus();
    await tick('stems-cancel-7');
    expect(asked.at(-1)).toEqual(['stems.remove', { task: 7 }]);
    expect(document.activeElement).toBe(by('stems-drop-5'));
  });
});
