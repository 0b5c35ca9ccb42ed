import { describe, expect, it } from 'vitest';
import type { ParameterView } from '../src/bindings';
import { hzFromName } from '../src/lib/note';
import { parseQuantity } from '../src/lib/quantity';
import { stepped } from '../src/lib/scale';
import { usedParameters } from '../src/lib/parameter-layout';
import { restingSide, shownUnit, travelRange, type NumericParameter } from '../src/lib/travel';
import { EffectSearch } from '../src/state/effect-search.svelte';
import { openDemo, settle } from './demo-window';
import { by } from './mounted';

const EXTENT = { rate: 16_000, seconds: 12, selected: 0.5 };

async function parameters(effect: string) {
  const app = await openDemo(effect);
  const view = app.effectByName.get(effect.split('(')[0]!)!;
  const of = (name: string): ParameterView => view.parameters.find((each) => each.name === name)!;
  return { app, view, of };
}

describe('the travel of a control', () => {
  it('ends at half the sample rate for frequencies', async () => {
    const { of } = await parameters('highpass(80 Hz)');
    expect(travelRange(of('cutoff') as NumericParameter, EXTENT)).toEqual({ min: 20, max: 8000, scale: 'log' });
  });

  it('ends at the selection for fades, at the recording for places', async () => {
    const { of } = await parameters('fade_in(1 s)');
    expect(travelRange(of('duration') as NumericParameter, EXTENT).max).toBe(0.5);
    expect(travelRange(of('duration') as NumericParameter, { ...EXTENT, selected: null }).max).toBe(12);
    expect(travelRange(of('start') as NumericParameter, EXTENT).max).toBe(12);
  });

  it('leaves the resting value beside it', async () => {
    const { of } = await parameters('compressor(-20 dB, 4)');
    const range = of('range') as NumericParameter;
    const travel = travelRange(range, EXTENT);
    expect(restingSide(range, 120, travel)).toBe('high');
    expect(restingSide(range, 60, travel)).toBeNull();
    expect(restingSide(of('lookahead') as NumericParameter, 0, travelRange(of('lookahead') as NumericParameter, EXTENT))).toBe('low');
  });

  it('keeps a typed value that lies beyond it', () => {
    expect(stepped(100, { min: 0, max: 20, scale: 'linear' }, 1, true)).toBe(100);
    expect(stepped(100, { min: 0, max: 20, scale: 'linear' }, -1, true)).toBe(20);
  });
});

describe('a number that is typed', () => {
  it('may be a note, an amplitude or a loudness', () => {
    expect(hzFromName('A4')).toBe(440);
    expect(hzFromName('C#3')).toBe(138.5913);
    expect(hzFromName('Bb3')).toBe(233.0819);
    expect(hzFromName('H3')).toBeNull();
    expect(parseQuantity('A4', 'hz')).toBe(440);
    expect(parseQuantity('50 %', 'dB')).toBe(-6.0206);
    expect(parseQuantity('2x', 'dB')).toBe(6.0206);
  });

  it('rests at the word that is typed', async () => {
    const { app } = await parameters('compressor(-20 dB, 4, range=20 dB)');
    by('more-parameters').click();
    await settle();
    const field = by<HTMLInputElement>('param-range');
    expect(field.value).toBe('20 dB');
    field.value = 'no limit';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    await settle();
    expect(app.documents.active?.data.chain_text).toBe('compressor');
    expect(by<HTMLInputElement>('param-range').value).toBe('No limit');
    expect(by('slider-range').getAttribute('aria-valuetext')).toBe('No limit');
  });

  it('sets the choice that its unit means, in one step of undo', async () => {
    const { app, of } = await parameters('normalize');
    const field = by<HTMLInputElement>('param-target');
    field.value = '-16 LUFS';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    await settle();
    expect(app.documents.active?.data.chain_text).toBe('normalize(-16 dB, to=lufs)');
    expect(shownUnit(of('target') as NumericParameter, { to: 'lufs' })).toBe('LUFS');
    expect(by<HTMLInputElement>('param-target').value).toContain('LUFS');
  });
});

it('what a choice, a number or a note makes meaningless is not shown', async () => {
  const { app, view } = await parameters('normalize');
  const names = (given: Record<string, string | number>) => usedParameters(view.parameters, given).map((each) => each.name);
  expect(names({})).not.toContain('ceiling');
  expect(names({})).not.toContain('percentile');
  expect(names({ to: 'lufs' })).toContain('ceiling');
  const delay = app.effectByName.get('delay')!;
  expect(usedParameters(delay.parameters, { time: 0.25 }).map((each) => each.name)).not.toContain('bpm');
  expect(usedParameters(delay.parameters, { time: '1/8' }).map((each) => each.name)).toContain('bpm');
  const crossover = app.effectByName.get('crossover')!;
  expect(usedParameters(crossover.parameters, { ways: 2 }).map((each) => each.name)).not.toContain('second');
});

it('a number of one of several is counted, not slid', async () => {
  const { app } = await parameters('channel(2)');
  expect(document.querySelector('[data-testid="slider-channel"]')).toBeNull();
  by('stepper-channel').querySelector('button')!.click();
  await settle();
  expect(app.documents.active?.data.chain_text).toBe('channel');
});

it('effects are found in the core’s order, and a late answer replaces nothing newer', async () => {
  const { app } = await parameters('gain(0 dB)');
  const search = new EffectSearch(app);
  const first = search.type('echo');
  await search.type('amplify');
  await first;
  expect(search.effects[0]?.name).toBe('gain');
  await search.type('');
  expect(search.effects.length).toBe(app.effects.length);
});
