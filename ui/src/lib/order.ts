// Whether what an effect has set at the end of a chain is changed again by effects behind it.

import type { Chain, Node } from '../bindings';
import { isGroup, walk } from './chain';

/** Effects after which a level, or a ceiling, should be left alone. */
const SETS_LEVEL = new Set(['normalize', 'limiter']);
/** Effects that leave it so: they lower single peaks to a ceiling, only end the sound, or keep every magnitude. */
const KEEPS_LEVEL = new Set(['normalize', 'limiter', 'fade_in', 'fade_out', 'trim_silence', 'invert', 'swap']);

const changes = (node: Node): boolean => !node.bypass && (isGroup(node) ? [...walk(node.nodes)].some((each) => !isGroup(each) && changes(each)) : !KEEPS_LEVEL.has(node.effect));

/** Whether effects behind a node change the level that it sets. Nodes within groups say nothing. */
export function levelIsChangedLater(chain: Chain, node: Node): boolean {
  if (isGroup(node) || node.bypass || !SETS_LEVEL.has(node.effect)) return false;
  const at = chain.nodes.findIndex((each) => each.id === node.id);
  return at >= 0 && chain.nodes.slice(at + 1).some(changes);
}
