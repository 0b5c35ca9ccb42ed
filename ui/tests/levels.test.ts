import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../src/backend';
import type { Levels } from '../src/bindings';
import { LevelsState } from '../src/state/levels.svelte';
import { openDemo, settle } from './demo-window';
import { eventually } from './mounted';

type Asked = { side: string; range: { start: number; end: number } };
const REST = 200;
const levels = (peak_db: number): Levels => ({ peak_db, rms_db: peak_db - 3, lufs: null, centre_hz: null });

/** Levels over a core that answers when the test says so. */
function slow() {
  const asked: { args: Asked; answer: (found: Levels) => void; fail: () => void }[] = [];
  const call = (name: string, args: Asked): Promise<unknown> =>
    new Promise((answer, fail) => {
      if (name === 'editor.region_levels') asked.push({ args, answer, fail: () => fail({ code: 'unsupported', message: '' }) });
    });
  const state = new LevelsState({ call } as unknown as Backend, 1);
  const place = { sound: 'a', chained: true, selection: { start: 0, end: 10 }, band: null, cursor: null };
  return { state, asked, place };
}

describe('levels of a selection', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are those of the side that is heard, and unknown while they are measured', async () => {
    const { state, asked, place } = slow();
    state.hear('processed');
    state.measure(place);
    expect([state.selection.pending, state.selection.value]).toEqual([true, null]);
    await vi.advanceTimersByTimeAsync(REST);
    expect(asked[0]?.args).toMatchObject({ side: 'processed', range: place.selection });
    asked[0]?.answer(levels(6));
    await vi.advanceTimersByTimeAsync(0);
    expect([state.selection.pending, state.selection.value?.peak_db]).toEqual([false, 6]);
    state.hear('original');
    expect([state.selection.pending, state.selection.value]).toEqual([true, null]);
    await vi.advanceTimersByTimeAsync(REST);
    expect(asked[1]?.args.side).toBe('original');
  });

  it('are never those of another chain or selection, however late the answer comes', async () => {
    const { state, asked, place } = slow();
    state.hear('processed');
    state.measure(place);
    await vi.advanceTimersByTimeAsync(REST);
    state.measure({ ...place, sound: 'b' });
    asked[0]?.answer(levels(6));
    await vi.advanceTimersByTimeAsync(REST);
    expect([state.selection.pending, state.selection.value]).toEqual([true, null]);
    asked[1]?.answer(levels(-6));
    await vi.advanceTimersByTimeAsync(0);
    expect(state.selection.value?.peak_db).toBe(-6);
    state.measure({ ...place, sound: 'b', selection: { start: 0, end: 11 } });
    expect(state.selection.value).toBeNull();
    state.measure({ ...place, sound: 'b', selection: null });
    expect([state.selection.pending, state.selection.value]).toEqual([false, null]);
  });

  it('are asked for once, and of the original where no chain changes anything', async () => {
    const { state, asked, place } = slow();
    state.hear('processed');
    state.measure({ ...place, chained: false });
    state.measure({ ...place, chained: false });
    await vi.advanceTimersByTimeAsync(REST);
    expect(asked.map(({ args }) => args.side)).toEqual(['original']);
    asked[0]?.fail();
    await vi.advanceTimersByTimeAsync(0);
    expect([state.selection.pending, state.selection.value]).toEqual([false, null]);
  });
});

describe('the window', () => {
  const by = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  const peakOf = (words: string | null | undefined): number => Number(/peak\s*([+−]?[\d.]+)/.exec(words ?? '')?.[1]?.replace('−', '-'));
  const shown = async (): Promise<number> => {
    await eventually(() => expect(by('status-selection')?.textContent).toMatch(/peak/));
    return peakOf(by('status-selection')?.textContent);
  };

  it('shows the levels of the side that is heard, and does not name it', async () => {
    const app = await openDemo('gain(-12 dB)');
    app.documents.active?.commitSelection({ start: 48_000, end: 96_000 });
    flushSync();
    expect(by('status-measuring')?.textContent).toBe('measuring…');
    const processed = await shown();
    await app.sides.hear('original');
    await settle();
    const original = await shown();
    expect(original - processed).toBeCloseTo(12, 0);
    expect(by('status-of-original')).toBeNull();
    await app.sides.hear('processed');
  });

  it('says that levels are of the original where the chain changes the length', async () => {
    const app = await openDemo('time_stretch(200 %)');
    app.documents.active?.commitSelection({ start: 48_000, end: 96_000 });
    await shown();
    expect(by('status-of-original')?.textContent).toBe('original:');
  });

  it('describes either side', async () => {
    const app = await openDemo('gain(-12 dB)');
    app.dialogs.open = 'describe';
    const peak = async (): Promise<number> => {
      await eventually(() => expect(by('description')).not.toBeNull());
      return Number(/peak (-?[\d.]+) dBFS/.exec(by('description')?.textContent ?? '')?.[1]);
    };
    const processed = await peak();
    by('describe-side')?.querySelector<HTMLElement>('[data-option="original"]')?.click();
    flushSync();
    expect(by('description'), 'nothing of the other side').toBeNull();
    expect((await peak()) - processed).toBeCloseTo(12, 0);
  });
});
