// Walking and patching the graph of a chain.

import type { Chain, Edit, EffectView, Node, Value } from '../bindings';
import { blocksOf } from './parameter-layout';

export type EffectNode = Extract<Node, { kind: 'effect' }>;
export type GroupNode = Extract<Node, { kind: 'series' | 'parallel' | 'during' }>;

export const isGroup = (node: Node): node is GroupNode => node.kind !== 'effect';

/** Yields every node, groups before their contents; the contents of a group only if `enters` allows. */
export function* walk(nodes: Node[], enters: (group: GroupNode) => boolean = () => true): Generator<Node> {
  for (const node of nodes) {
    yield node;
    if (isGroup(node) && enters(node)) yield* walk(node.nodes, enters);
  }
}

export function findNode(chain: Chain, id: number): Node | null {
  for (const node of walk(chain.nodes)) if (node.id === id) return node;
  return null;
}

/** The number of each node as the rack shows it: "3", and "3.1" within a group. */
export function numbering(nodes: Node[], prefix = ''): Map<number, string> {
  const numbers = new Map<number, string>();
  for (const [index, node] of nodes.entries()) {
    const number = `${prefix}${index + 1}`;
    numbers.set(node.id, number);
    if (isGroup(node)) for (const [id, inside] of numbering(node.nodes, `${number}.`)) numbers.set(id, inside);
  }
  return numbers;
}

export interface Place {
  parent: number | null;
  index: number;
  siblings: Node[];
}

/** The place of a node. */
export function placeOf(nodes: Node[], id: number, parent: number | null = null): Place | null {
  for (const [index, node] of nodes.entries()) {
    if (node.id === id) return { parent, index, siblings: nodes };
    if (isGroup(node)) {
      const inside = placeOf(node.nodes, id, node.id);
      if (inside) return inside;
    }
  }
  return null;
}

/** The place one step up or down: past the neighbour, or out of the group at its edge. */
export function stepPlace(chain: Chain, id: number, direction: 1 | -1): { parent: number | null; index: number } | null {
  const place = placeOf(chain.nodes, id);
  if (!place) return null;
  const index = place.index + direction;
  if (index >= 0 && index < place.siblings.length) return { parent: place.parent, index };
  if (place.parent === null) return null;
  const outer = placeOf(chain.nodes, place.parent);
  if (!outer) return null;
  return { parent: outer.parent, index: direction < 0 ? outer.index : outer.index + 1 };
}

/** The place inside a neighbouring group: the end of the one above, or the beginning of the one below. */
export function intoPlace(chain: Chain, id: number): { parent: number | null; index: number } | null {
  const place = placeOf(chain.nodes, id);
  if (!place) return null;
  const above = place.siblings[place.index - 1];
  if (above && isGroup(above)) return { parent: above.id, index: above.nodes.length };
  const below = place.siblings[place.index + 1];
  return below && isGroup(below) ? { parent: below.id, index: 0 } : null;
}

/** The place after the node's group. */
export function outPlace(chain: Chain, id: number): { parent: number | null; index: number } | null {
  const place = placeOf(chain.nodes, id);
  const outer = place?.parent == null ? null : placeOf(chain.nodes, place.parent);
  return outer && { parent: outer.parent, index: outer.index + 1 };
}

/** The chosen nodes of one list, in order: the marked ones, or only the selected one. */
export function chosenOf(chain: Chain, selected: number | null, marked: readonly number[]): number[] {
  const place = selected === null ? null : placeOf(chain.nodes, selected);
  if (selected === null || !place) return [];
  const together = place.siblings.map((node) => node.id).filter((id) => marked.includes(id));
  return together.includes(selected) ? together : [selected];
}

/** The nodes of a list between two nodes, both included; only the second if they are in different lists. */
export function between(chain: Chain, from: number | null, to: number): number[] {
  const place = placeOf(chain.nodes, to);
  const start = place?.siblings.findIndex((node) => node.id === from) ?? -1;
  if (!place || start < 0) return [to];
  return place.siblings.slice(Math.min(start, place.index), Math.max(start, place.index) + 1).map((node) => node.id);
}

/** The latency of a node in frames: the sum in series, the longest of parallel branches. */
export function latencyOf(node: Node, known: ReadonlyMap<number, number | null>): number {
  if (node.bypass) return 0;
  if (!isGroup(node)) return known.get(node.id) ?? 0;
  const inside = node.nodes.map((each) => latencyOf(each, known));
  return node.kind !== 'parallel' ? inside.reduce((sum, each) => sum + each, 0) : Math.max(0, ...inside);
}

function patched(nodes: Node[], id: number, change: (node: Node) => Node): Node[] {
  return nodes.map((node) => {
    if (node.id === id) return change(node);
    return isGroup(node) ? { ...node, nodes: patched(node.nodes, id, change) } : node;
  });
}

/** The chain after a pending edit; edits that the core must check change nothing. */
export function withEdit(chain: Chain, edit: Edit): Chain {
  switch (edit.kind) {
    case 'set_argument':
      return {
        nodes: patched(chain.nodes, edit.node, (node) =>
          isGroup(node) ? node : { ...node, arguments: { ...node.arguments, [edit.name]: edit.value } },
        ),
      };
    case 'set_mix':
      return { nodes: patched(chain.nodes, edit.node, (node) => ({ ...node, mix: edit.mix })) };
    case 'set_span':
      return { nodes: patched(chain.nodes, edit.node, (node) => (node.kind === 'during' ? { ...node, span: edit.span } : node)) };
    case 'set_bypass':
      return { nodes: patched(chain.nodes, edit.node, (node) => ({ ...node, bypass: edit.bypass })) };
    default:
      return chain;
  }
}

/** Whether a later edit replaces an earlier one: the same control in the same drag. */
export function supersedes(later: Edit, earlier: Edit): boolean {
  if (later.kind === 'set_argument' && earlier.kind === 'set_argument') {
    return later.gesture !== null && later.gesture === earlier.gesture && later.node === earlier.node && later.name === earlier.name;
  }
  if (later.kind === 'set_span' && earlier.kind === 'set_span') {
    return later.gesture !== null && later.gesture === earlier.gesture && later.node === earlier.node;
  }
  if (later.kind === 'set_mix' && earlier.kind === 'set_mix') {
    return later.gesture !== null && later.gesture === earlier.gesture && later.node === earlier.node;
  }
  return false;
}

export function numberOf(node: EffectNode, name: string): number | null {
  const value: Value | undefined = node.arguments[name];
  return typeof value === 'number' ? value : null;
}

/** The handles of effects on the response curve, which excludes effects that act on a part. */
export interface HandleSpec {
  node: EffectNode;
  frequency: string;
  gain: string | null;
  /** The argument that the wheel turns: Q, or an order. */
  width: string | null;
}

export function handlesOf(chain: Chain, effects: Map<string, EffectView>): HandleSpec[] {
  const handles: HandleSpec[] = [];
  for (const node of walk(chain.nodes, (group) => group.kind !== 'during')) {
    if (isGroup(node)) continue;
    const effect = effects.get(node.effect);
    // Only these have handles on the response.
    if (!effect || (effect.purpose !== 'filter' && effect.purpose !== 'equaliser')) continue;
    const { parameters } = effect;
    const named = (...names: string[]) => parameters.find((parameter) => names.includes(parameter.name))?.name ?? null;
    const bands = blocksOf(parameters).flatMap((block) => (block.kind === 'bands' ? block.bands : []));
    for (const { name, control } of parameters) {
      if (control.kind !== 'number' || control.unit !== 'hz') continue;
      const band = bands.find((each) => each.frequency.name === name);
      handles.push(band ? { node, frequency: name, gain: band.gain.name, width: band.width.name } : { node, frequency: name, gain: named('gain'), width: named('q', 'order') });
    }
  }
  return handles;
}
