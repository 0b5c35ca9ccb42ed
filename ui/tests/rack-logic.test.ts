import { describe, expect, it } from 'vitest';
import type { Chain, Node } from '../src/bindings';
import { between, chosenOf, handlesOf, intoPlace, latencyOf, outPlace } from '../src/lib/chain';
import { blocksOf } from '../src/lib/parameter-layout';
import { stepped } from '../src/lib/scale';
import { EFFECTS } from './recorded';

const effect = (id: number, name = 'gain', more: Partial<Node> = {}): Node => ({ id, bypass: false, mix: 1, kind: 'effect', effect: name, arguments: {}, ...more }) as Node;
const group = (id: number, kind: 'series' | 'parallel', nodes: Node[], more: Partial<Node> = {}): Node => ({ id, bypass: false, mix: 1, kind, nodes, ...more }) as Node;
// 1, 2(3, 4(5, 6)), 7
const chain: Chain = { nodes: [effect(1), group(2, 'parallel', [effect(3), group(4, 'series', [effect(5), effect(6)])]), effect(7)] };
const named = (name: string) => EFFECTS.find((each) => each.name === name)!;

describe('moving between groups', () => {
  it('goes into a neighbouring group: the one above first', () => {
    expect(intoPlace(chain, 7)).toEqual({ parent: 2, index: 2 });
    expect(intoPlace(chain, 1)).toEqual({ parent: 2, index: 0 });
    expect(intoPlace(chain, 3)).toEqual({ parent: 4, index: 0 });
    expect(intoPlace(chain, 5)).toBeNull();
  });

  it('goes out to the place behind the group', () => {
    expect(outPlace(chain, 5)).toEqual({ parent: 2, index: 2 });
    expect(outPlace(chain, 3)).toEqual({ parent: null, index: 2 });
    expect(outPlace(chain, 1)).toBeNull();
  });
});

describe('nodes chosen together', () => {
  it('stand in one list, in its order, and hold the selected one', () => {
    expect(chosenOf(chain, 7, [7, 1])).toEqual([1, 7]);
    expect(chosenOf(chain, 7, [1, 2])).toEqual([7]);
    expect(chosenOf(chain, 3, [3, 7])).toEqual([3]);
    expect(chosenOf(chain, null, [1])).toEqual([]);
    expect(chosenOf(chain, 99, [99])).toEqual([]);
  });

  it('reach from one to another of the same list', () => {
    expect(between(chain, 7, 1)).toEqual([1, 2, 7]);
    expect(between(chain, 3, 7)).toEqual([7]);
    expect(between(chain, null, 3)).toEqual([3]);
  });
});

it('latency adds up in series, of branches the longest counts, what is passed over has none', () => {
  const known = new Map<number, number | null>([[1, 10], [3, 100], [5, 30], [6, 40], [7, null]]);
  const [first, sum, last] = chain.nodes as [Node, Node, Node];
  expect([first, sum, last].map((node) => latencyOf(node, known))).toEqual([10, 100, 0]);
  expect(latencyOf(group(9, 'series', [first, sum]), known)).toBe(110);
  expect(latencyOf(group(9, 'parallel', [effect(1), group(4, 'series', [effect(5), effect(6)])]), known)).toBe(70);
  expect(latencyOf({ ...sum, bypass: true }, known)).toBe(0);
});

describe('many parameters', () => {
  it('of an equaliser are bands, of a graphic one faders, others rows', () => {
    expect(blocksOf(named('graphic_eq_10').parameters).map((block) => block.kind)).toEqual(['faders']);
    const [bands] = blocksOf(named('parametric_eq').parameters);
    expect(bands?.kind === 'bands' && bands.bands.map((band) => band.gain.name)).toEqual(['low_gain', 'gain1', 'gain2', 'gain3', 'gain4', 'gain5', 'gain6', 'high_gain']);
    for (const name of ['compressor', 'peaking', 'low_shelf', 'spectral_gain', 'convolve']) expect(blocksOf(named(name).parameters).map((block) => block.kind), name).toEqual(['rows']);
  });

  it('stay in their order and are all there', () => {
    for (const { name, parameters } of EFFECTS) {
      const all = blocksOf(parameters).flatMap((block) => (block.kind === 'bands' ? block.bands.flatMap((band) => [band.frequency, band.gain, band.width]) : block.parameters));
      expect(all.map((each) => each.name), name).toEqual(parameters.map((each) => each.name));
    }
  });

  it('give a handle of its own to each band of an equaliser, and none to what has no response', () => {
    const node = (id: number, name: string) => effect(id, name) as Node;
    const handles = handlesOf({ nodes: [node(1, 'parametric_eq'), node(2, 'bandpass'), node(3, 'delay')] }, new Map(EFFECTS.map((each) => [each.name, each])));
    expect(handles.map(({ frequency, gain, width }) => [frequency, gain, width])).toEqual([
      ['low_cutoff', 'low_gain', 'low_q'],
      ['center1', 'gain1', 'q1'],
      ['center2', 'gain2', 'q2'],
      ['center3', 'gain3', 'q3'],
      ['center4', 'gain4', 'q4'],
      ['center5', 'gain5', 'q5'],
      ['center6', 'gain6', 'q6'],
      ['high_cutoff', 'high_gain', 'high_q'],
      ['low', null, 'order'],
      ['high', null, 'order'],
    ]);
  });
});

describe('a step with Shift', () => {
  it('is a tenth, and never nothing', () => {
    const db = { min: -24, max: 24, scale: 'linear' as const };
    expect(stepped(0, db, 1, true)).toBeCloseTo(0.24);
    expect(stepped(0, db, 1, true, 0.1)).toBeCloseTo(0.02);
    const hz = { min: 10, max: 20_000, scale: 'log' as const };
    for (const value of [10, 99.9, 1000, 1010, 9990]) {
      expect(stepped(value, hz, 1, true, 0.1)).toBeGreaterThan(value);
      expect(stepped(value * 1.5, hz, -1, true, 0.1)).toBeLessThan(value * 1.5);
    }
    expect(stepped(4, { min: 1, max: 24, scale: 'integer' }, 1, true, 0.1)).toBe(5);
  });
});
