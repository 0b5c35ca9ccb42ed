// Detects whether later effects change the level that an effect at the end of a chain sets.

import type { Chain, Node } from '../../../bindings';
import { isGroup, walk } from '../../../lib/chain';

/** Effects after which the level or the ceiling should not change. */
const SETS_LEVEL = new Set(['normalize', 'limiter']);
/** Effects that preserve it: they lower single peaks to a ceiling, only end the sound, or keep every magnitude. */
const KEEPS_LEVEL = new Set(['normalize', 'limiter', 'fade_in', 'fade_out', 'trim_silence', 'invert', 'swap']);

const changes = (node: Node): boolean => !node.bypass && (isGroup(node) ? [...walk(node.nodes)].some((each) => !isGroup(each) && changes(each)) : !KEEPS_LEVEL.has(node.effect));

/** Whether effects after a node change the level that it sets. Nodes within groups are not checked. */
export function levelIsChangedLater(chain: Chain, node: Node): boolean {
  if (isGroup(node) || node.bypass || !SETS_LEVEL.has(node.effect)) return false;
  const at = chain.nodes.findIndex((each) => each.id === node.id);
  return at >= 0 && chain.nodes.slice(at + 1).some(changes);
}
