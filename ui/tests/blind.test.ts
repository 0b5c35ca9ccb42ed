import { describe, expect, it } from 'vitest';
import type { BlindView } from '../src/bindings';
import { Blind, sameBlindSound } from '../src/pages/blind/state.svelte';
import { blindPage } from '../src/pages/blind/page';
import type { App } from '../src/state/app.svelte';
import { blindOdds } from '../src/pages/blind/odds';

const trial = (answered: number): NonNullable<BlindView['trial']> => ({ session: '1', names: null, stimuli: 3, answered, most: 2, may_end_early: false, passage: 'one', passage_frames: [1000, 2000], heard: { kind: 'stimulus', place: 1 } });

/** A test over a core that answers each trial with the next one. */
function running(head: () => number | null = () => null) {
  const calls: [string, unknown][] = [];
  let answered = 0;
  const backend = {
    call: async (name: string, args: unknown) => {
      calls.push([name, args]);
      if (name === 'blind.answer') answered += 1;
      return { trial: answered < 2 ? trial(answered) : null, sessions: [], report: true };
    },
  };
  const app = {
    backend,
    notices: { attempt: async <T>(action: () => Promise<T>) => action(), tell: () => undefined },
    compare: { versions: [], others: [], view: null, timeline: null, range: { start: 0, end: 1 } },
    player: { playing: false, transport: null as unknown, comparedAt: head, playBlind: async (from: number) => void calls.push(['play', from]), stop: async () => void calls.push(['stop', null]) },
  };
  const blind = new Blind(app as unknown as App);
  return { blind, calls, app: Object.assign(app, { blind }) };
}

describe('a ranking', () => {
  it('takes scores by steps of what is heard, and goes on once all are there', async () => {
    const { blind, calls } = running();
    await blind.resume({ id: '1' } as never);
    expect(blind.scores).toEqual([null, null, null]);
    blind.step(10);
    expect(blind.scores).toEqual([null, 50, null]);
    blind.step(60);
    blind.step(-1);
    expect(blind.scores[1]).toBe(99);
    await blind.next();
    expect(blind.urged).toBe(true);
    blind.score(0, 0);
    blind.score(2, 100);
    expect(blind.urged).toBe(false);
    await blind.next();
    expect(calls).toContainEqual(['blind.answer', { said: { scores: [0, 99, 100] } }]);
    expect(blind.scores).toEqual([null, null, null]);
    expect(calls.at(-1)).toEqual(['play', 1000]);
  });

  it('shows its results after the last passage', async () => {
    const { blind, calls } = running();
    await blind.resume({ id: '1' } as never);
    for (let passage = 0; passage < 2; passage++) {
      [0, 1, 2].forEach((place) => blind.score(place, 50));
      await blind.next();
    }
    expect(blind.trial).toBeNull();
    expect(calls.at(-1)).toEqual(['blind.report', { sessions: ['1'] }]);
  });
});

describe('the passage', () => {
  it('begins again where it ends', async () => {
    let head: number | null = 1250;
    const { blind } = running(() => head);
    await blind.resume({ id: '1' } as never);
    expect(blind.share()).toBeCloseTo(0.25);
    head = 2250;
    expect(blind.share()).toBeCloseTo(0.25);
    head = null;
    expect(blind.share()).toBeNull();
  });
});

describe('another page', () => {
  it('silences a trial, which goes on from there later', async () => {
    const { blind, calls, app } = running(() => 1250);
    const leave = () => blindPage.turned?.(app as unknown as App, 'editor', 'blind');
    Object.assign(app.player, { playing: true, transport: { comparison: {} } });
    await leave();
    expect(calls, 'versions that play without a test go on').toEqual([]);
    await blind.resume({ id: '1' } as never);
    await leave();
    expect(calls.at(-1)).toEqual(['stop', null]);
    app.player.playing = false;
    await blind.play();
    expect(calls.at(-1)).toEqual(['play', 1250]);
  });
});

describe('words and sounds', () => {
  it('tell stimuli apart by their place', () => {
    expect(sameBlindSound({ kind: 'stimulus', place: 1 }, { kind: 'stimulus', place: 1 })).toBe(true);
    expect(sameBlindSound({ kind: 'stimulus', place: 1 }, { kind: 'stimulus', place: 2 })).toBe(false);
    expect(sameBlindSound({ kind: 'a' }, { kind: 'x' })).toBe(false);
  });

  it('say what a rule means, and the mean number of trials where it differs', () => {
    const odds = { guesser_passes: 0.0384, ability: 0.75, power: 0.63, expected_trials: 16 };
    expect(blindOdds(odds, 'fixed')).toContain('3.8 %');
    expect(blindOdds(odds, 'fixed')).not.toContain('16.0');
    expect(blindOdds({ ...odds, expected_trials: 21.25 }, 'sequential')).toContain('21.3 trials');
  });
});
