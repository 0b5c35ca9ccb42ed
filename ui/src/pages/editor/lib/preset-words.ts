// A chain in a few words: its effects by their titles, with the frequency at which each works.

import type { Chain, EffectView } from '../../../bindings';
import { isGroup, walk } from '../../../lib/chain';
import { formatQuantity } from '../../../lib/quantity';

export function chainInWords(chain: Chain, effects: Map<string, EffectView>): string {
  const words = [...walk(chain.nodes)].flatMap((node) => {
    if (isGroup(node)) return [];
    const effect = effects.get(node.effect);
    if (node.label !== undefined) return [node.label];
    // The first parameter is what an effect is mostly about.
    const first = effect?.parameters[0];
    const value = first && node.arguments[first.name];
    const at = first?.control.kind === 'number' && first.control.unit === 'hz' && typeof value === 'number' ? ` ${formatQuantity(value, 'hz')}` : '';
    return [`${effect?.title ?? node.effect}${at}`];
  });
  return words.join(', ');
}
