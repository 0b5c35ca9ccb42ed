import { describe, expect, it } from 'vitest';
import type { Chain, Edit, Node } from '../src/bindings';
import { handlesOf, numbering, placeOf, stepPlace, supersedes, walk, withEdit } from '../src/lib/chain';
import { EFFECTS } from './recorded';

const effect = (id: number, name: string, args: Record<string, number> = {}): Node => ({ id, bypass: false, mix: 1, kind: 'effect', effect: name, arguments: args });
const chain: Chain = {
  nodes: [
    effect(1, 'highpass', { cutoff: 80, order: 2 }),
    { id: 2, bypass: false, mix: 1, kind: 'parallel', nodes: [effect(3, 'peaking', { center: 1000, q: 1, gain: 3 }), effect(4, 'gain', { gain: -6 })] },
    effect(5, 'bandpass', { low: 300, high: 3400, order: 2 }),
  ],
};
const effects = new Map(EFFECTS.map((each) => [each.name, each]));
const argument = (node: number, value: number, gesture: number | null, name = 'cutoff'): Edit => ({ kind: 'set_argument', node, name, value, gesture });

describe('the graph', () => {
  it('is walked in reading order and numbered as it is nested', () => {
    expect([...walk(chain.nodes)].map((node) => node.id)).toEqual([1, 2, 3, 4, 5]);
    expect([...numbering(chain.nodes)]).toEqual([[1, '1'], [2, '2'], [3, '2.1'], [4, '2.2'], [5, '3']]);
    expect(placeOf(chain.nodes, 4)).toMatchObject({ parent: 2, index: 1 });
    expect(placeOf(chain.nodes, 99)).toBeNull();
  });

  it('lets a node step past its neighbour, and out of its group at the edge', () => {
    expect(stepPlace(chain, 1, 1)).toEqual({ parent: null, index: 1 });
    expect(stepPlace(chain, 1, -1)).toBeNull();
    expect(stepPlace(chain, 3, 1)).toEqual({ parent: 2, index: 1 });
    expect(stepPlace(chain, 3, -1)).toEqual({ parent: null, index: 1 });
    expect(stepPlace(chain, 4, 1)).toEqual({ parent: null, index: 2 });
    expect(stepPlace(chain, 5, 1)).toBeNull();
  });
});

describe('edits under way', () => {
  it('are shown at once, without touching the core’s own chain', () => {
    const next = withEdit(chain, argument(3, 500, 1, 'center'));
    expect([...walk(next.nodes)].find((node) => node.id === 3)).toMatchObject({ arguments: { center: 500, q: 1 } });
    expect([...walk(chain.nodes)].find((node) => node.id === 3)).toMatchObject({ arguments: { center: 1000 } });
    expect(withEdit(chain, { kind: 'set_bypass', node: 2, bypass: true }).nodes[1]?.bypass).toBe(true);
    expect(withEdit(chain, { kind: 'set_mix', node: 1, mix: 0.4, gesture: 1 }).nodes[0]?.mix).toBe(0.4);
    expect(withEdit(chain, { kind: 'remove', node: 1 })).toBe(chain);
  });

  it('replace each other only within one drag of one control', () => {
    expect(supersedes(argument(1, 90, 7), argument(1, 80, 7))).toBe(true);
    expect(supersedes(argument(1, 90, 8), argument(1, 80, 7))).toBe(false);
    expect(supersedes(argument(1, 90, null), argument(1, 80, null))).toBe(false);
    expect(supersedes(argument(1, 90, 7), argument(5, 80, 7))).toBe(false);
    expect(supersedes(argument(1, 4, 7, 'order'), argument(1, 80, 7))).toBe(false);
    expect(supersedes({ kind: 'set_mix', node: 1, mix: 0, gesture: 7 }, { kind: 'set_mix', node: 1, mix: 1, gesture: 7 })).toBe(true);
  });
});

it('gives a handle to every frequency, with the gain and the width that go with it', () => {
  const handles = handlesOf(chain, effects).map(({ node, frequency, gain, width }) => [node.id, frequency, gain, width]);
  expect(handles).toEqual([
    [1, 'cutoff', null, 'order'],
    [3, 'center', 'gain', 'q'],
    [5, 'low', null, 'order'],
    [5, 'high', null, 'order'],
  ]);
});
