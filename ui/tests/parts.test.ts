// Parts of the recording on which effects act: what is in them, and how dragging changes their times.

import { describe, expect, it } from 'vitest';
import type { Chain } from '../src/bindings';
import { handlesOf, latencyOf, supersedes, withEdit } from '../src/lib/chain';
import { movedSpan, partAround, partsOf } from '../src/pages/editor/lib/parts';

const span = { from_s: 2, to_s: 3, fade_s: 0.01 };
const effect = (id: number, name = 'gain') => ({ id, bypass: false, mix: 1, kind: 'effect' as const, effect: name, arguments: {} });
const chain: Chain = { nodes: [effect(1), { id: 2, bypass: false, mix: 1, kind: 'during', span, nodes: [effect(3), effect(4)] }] };

describe('parts', () => {
  it('are found, and the nodes in them', () => {
    expect(partsOf(chain).map((part) => part.id)).toEqual([2]);
    expect(partAround(chain, 4)?.id).toBe(2);
    expect([1, 2, 9].map((id) => partAround(chain, id))).toEqual([null, null, null]);
    expect(latencyOf(chain.nodes[1]!, new Map([[3, 5], [4, 7]]))).toBe(12);
  });

  it('have no handle on the curve, which leaves them out', () => {
    const parameter = { name: 'cutoff', control: { kind: 'number', unit: 'hz' } };
    const effects = new Map([['gain', { purpose: 'filter', parameters: [parameter] }]]) as never;
    expect(handlesOf(chain, effects).map((handle) => handle.node.id)).toEqual([1]);
  });

  it('move within the recording, and keep a length', () => {
    expect(movedSpan(span, 'all', 1.5, 10)).toEqual({ ...span, from_s: 3.5, to_s: 4.5 });
    expect(movedSpan(span, 'all', -9, 10)).toEqual({ ...span, from_s: 0, to_s: 1 });
    expect(movedSpan(span, 'all', 99, 10)).toEqual({ ...span, from_s: 9, to_s: 10 });
    expect(movedSpan(span, 'from', 9, 10).from_s).toBe(2.999);
    expect(movedSpan(span, 'from', -9, 10).from_s).toBe(0);
    expect(movedSpan(span, 'to', -9, 10).to_s).toBe(2.001);
    expect(movedSpan(span, 'to', 99, 10).to_s).toBe(10);
    // One that reaches beyond the end, so that it does not fade there.
    expect(movedSpan({ ...span, to_s: 10.01 }, 'all', 1, 10)).toEqual({ ...span, to_s: 10.01 });
  });

  it('are shown where a drag has them before the core has answered', () => {
    const edit = (from_s: number, gesture: number | null) => ({ kind: 'set_span' as const, node: 2, span: { ...span, from_s }, gesture });
    expect(partsOf(withEdit(chain, edit(1, 5)))[0]?.span.from_s).toBe(1);
    expect(supersedes(edit(1.1, 5), edit(1, 5))).toBe(true);
    expect(supersedes(edit(1.1, 6), edit(1, 5))).toBe(false);
    expect(supersedes(edit(1.1, null), edit(1, null))).toBe(false);
  });
});
