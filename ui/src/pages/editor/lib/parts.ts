// Parts of the recording on which effects of the chain act.

import type { Chain, Node, TimeSpan } from '../../../bindings';
import { isGroup, walk } from '../../../lib/chain';

export type PartNode = Extract<Node, { kind: 'during' }>;

export const isPart = (node: Node): node is PartNode => node.kind === 'during';

export const partsOf = (chain: Chain): PartNode[] => [...walk(chain.nodes)].filter(isPart);

/** The part in which a node stands; null for none. */
export const partAround = (chain: Chain, id: number): PartNode | null => partsOf(chain).find((part) => [...walk(part.nodes)].some((node) => node.id === id)) ?? null;

/** The effects of a part, for its name. */
export const effectsOf = (part: PartNode): Node[] => [...walk(part.nodes)].filter((node) => !isGroup(node));

/** The shortest part, in seconds. */
const LEAST_S = 0.001;
const rounded = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

/** How a part is dragged: all of it, or by one end. */
export type Hold = 'all' | 'from' | 'to';

/** The times of a part, or of one end of it, moved by some seconds. It begins within the recording of this length. */
export function movedSpan(span: TimeSpan, hold: Hold, by: number, length: number): TimeSpan {
  if (hold === 'from') return { ...span, from_s: rounded(Math.min(span.to_s - LEAST_S, Math.max(0, span.from_s + by))) };
  if (hold === 'to') return { ...span, to_s: rounded(Math.min(Math.max(length, span.to_s), Math.max(span.from_s + LEAST_S, span.to_s + by))) };
  const least = -span.from_s;
  const most = Math.max(0, length - span.to_s);
  const moved = Math.min(most, Math.max(least, by));
  return { ...span, from_s: rounded(span.from_s + moved), to_s: rounded(span.to_s + moved) };
}
