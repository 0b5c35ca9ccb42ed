// Edits of a chain, as the core makes them.

import type { Chain, Edit, Node } from '../../bindings';
import { findNode, isGroup, placeOf, walk, withEdit } from '../../lib/chain';
import { EFFECTS, initialArguments } from './effects';
import { read } from './notation';

export function edited(chain: Chain, edit: Edit, presets: Map<string, string>, rate: number): { chain: Chain; name: string } {
  const copy = structuredClone(chain);
  let last = Math.max(0, ...[...walk(copy.nodes)].map((node) => node.id));
  const nextId = () => ++last;
  const title = (id: number) => {
    const node = findNode(copy, id);
    return node?.label ?? (node?.kind === 'effect' ? EFFECTS.find((view) => view.name === node.effect)?.title : undefined) ?? 'group';
  };
  const take = (id: number): Node | null => {
    const place = placeOf(copy.nodes, id);
    return place ? (place.siblings.splice(place.index, 1)[0] ?? null) : null;
  };
  switch (edit.kind) {
    case 'add_effect': {
      const view = EFFECTS.find((candidate) => candidate.name === edit.effect);
      if (!view) throw new Error(edit.effect);
      const node: Node = { id: nextId(), bypass: false, mix: 1, kind: 'effect', effect: view.name, arguments: initialArguments(view) };
      const place = edit.after === null ? null : placeOf(copy.nodes, edit.after);
      if (place) place.siblings.splice(place.index + 1, 0, node);
      else copy.nodes.push(node);
      return { chain: copy, name: `Add ${view.title}` };
    }
    case 'add_repair': {
      const view = EFFECTS.find((candidate) => candidate.name === edit.effect);
      if (view?.purpose !== 'repair') throw new Error(edit.effect);
      const place = { from: edit.range.start / rate, to: edit.range.end / rate, low: edit.band?.low_hz ?? 0, high: edit.band?.high_hz ?? rate / 2 };
      const node: Node = { id: nextId(), bypass: false, mix: 1, kind: 'effect', effect: view.name, arguments: { ...initialArguments(view), ...place } };
      const repairs = copy.nodes.findIndex((other) => other.kind !== 'effect' || EFFECTS.find((each) => each.name === other.effect)?.purpose !== 'repair');
      copy.nodes.splice(repairs === -1 ? copy.nodes.length : repairs, 0, node);
      return { chain: copy, name: view.title };
    }
    case 'remove': {
      const name = `Remove ${title(edit.node)}`;
      take(edit.node);
      return { chain: copy, name };
    }
    case 'move': {
      const node = take(edit.node);
      const parent = edit.parent === null ? null : findNode(copy, edit.parent);
      if (node) (parent && isGroup(parent) ? parent.nodes : copy.nodes).splice(edit.index, 0, node);
      return { chain: copy, name: `Move ${title(edit.node)}` };
    }
    case 'duplicate': {
      const place = placeOf(copy.nodes, edit.node);
      const node = structuredClone(findNode(copy, edit.node));
      if (place && node) {
        for (const each of walk([node])) each.id = nextId();
        place.siblings.splice(place.index + 1, 0, node);
      }
      return { chain: copy, name: `Duplicate ${title(edit.node)}` };
    }
    case 'group': {
      const place = placeOf(copy.nodes, edit.nodes[0] ?? 0);
      if (!place) throw new Error('group');
      const first = place.siblings.findIndex((node) => edit.nodes.includes(node.id));
      const held = place.siblings.filter((node) => edit.nodes.includes(node.id));
      const left = place.siblings.filter((node) => !edit.nodes.includes(node.id));
      const plain = EFFECTS.find((view) => view.name === 'gain');
      if (held.length === 1 && plain) held.push({ id: nextId(), bypass: false, mix: 1, kind: 'effect', effect: 'gain', arguments: initialArguments(plain) });
      left.splice(first, 0, { id: nextId(), bypass: false, mix: 1, kind: edit.group, nodes: held });
      place.siblings.splice(0, place.siblings.length, ...left);
      return { chain: copy, name: `Group in ${edit.group}` };
    }
    case 'ungroup': {
      const place = placeOf(copy.nodes, edit.node);
      const node = findNode(copy, edit.node);
      if (place && node && isGroup(node)) place.siblings.splice(place.index, 1, ...node.nodes);
      return { chain: copy, name: 'Dissolve group' };
    }
    case 'set_group': {
      const node = findNode(copy, edit.node);
      if (node && isGroup(node)) node.kind = edit.group;
      return { chain: copy, name: `Put group in ${edit.group}` };
    }
    case 'copy_rack':
    case 'swap_racks':
      throw new Error('racks are edited as a whole');
    case 'set_label': {
      const node = findNode(copy, edit.node);
      if (node) node.label = edit.label ?? undefined;
      return { chain: copy, name: 'Rename' };
    }
    case 'reset': {
      const node = findNode(copy, edit.node);
      if (node?.kind === 'effect') {
        const view = EFFECTS.find((candidate) => candidate.name === node.effect);
        if (view) node.arguments = initialArguments(view);
      }
      return { chain: copy, name: `Reset ${title(edit.node)}` };
    }
    case 'set_chain_text':
      return { chain: read(edit.text, nextId), name: 'Edit the chain’s text' };
    case 'load_preset':
      return { chain: read(presets.get(edit.preset) ?? '', nextId), name: `Load ${edit.preset}` };
    case 'set_argument':
      return { chain: withEdit(copy, edit), name: `${title(edit.node)}: ${edit.name}` };
    case 'set_mix':
      return { chain: withEdit(copy, edit), name: `${title(edit.node)}: wet/dry` };
    case 'set_bypass':
      return { chain: withEdit(copy, edit), name: `${edit.bypass ? 'Bypass' : 'Turn on'} ${title(edit.node)}` };
  }
}
