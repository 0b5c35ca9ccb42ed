import { describe, expect, it } from 'vitest';
import { usedParameters } from '../src/lib/parameter-layout';
import { openDemo, settle } from './demo-window';

describe('parameters that a design does not use', () => {
  it('are not shown', async () => {
    const app = await openDemo('bandstop(300 Hz, 3 kHz)');
    const view = app.effectByName.get('bandstop')!;
    const names = (given: Record<string, string | number>) => usedParameters(view.parameters, given).map((each) => each.name);
    expect(names({})).toEqual(['low', 'high', 'order', 'design']);
    expect(names({ design: 'chebyshev1' })).toEqual(['low', 'high', 'order', 'design', 'ripple']);
    expect(names({ design: 'butterworth', ripple: 0.5 })).not.toContain('ripple');
    const labels = () => [...document.querySelectorAll('[data-region="rack"] [role="slider"]')].map((slider) => slider.getAttribute('aria-label') ?? '');
    expect(labels().some((label) => label.includes('Ripple'))).toBe(false);
    const node = app.documents.active!.chain.nodes[0]!;
    app.documents.active!.edit({ kind: 'set_argument', node: node.id, name: 'design', value: 'chebyshev1', gesture: null });
    await settle();
    expect(labels().some((label) => label.includes('Ripple'))).toBe(true);
  });
});
