// The menu of a rack slot.

import type { Node } from '../../../bindings';
import { intoPlace, isGroup, outPlace, stepPlace, type Place } from '../../../lib/chain';
import { partAround } from '../lib/parts';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';
import { selectPart } from '../commands/parts';
import { shortcutOf } from '../../../commands/keymap';
import type { MenuEntry, MenuGroups } from '../../../commands/context/entry';

const t = text.rack;

export function slotMenu(app: App, document: DocumentState, node: Node): MenuGroups {
  const chosen = document.chosen.includes(node.id) ? document.chosen : [node.id];
  const tasks = [...new Set(app.presets.map((preset) => preset.task))];
  const item = (id: string, title: string, run: () => unknown, command?: string, reason: string | null = null): MenuEntry => {
    // The key of the command that does the same with the selected slot.
    const keys = command === undefined ? '' : shortcutOf(app, command);
    return { id: `slot-${id}`, title, run, reason, ...(keys === '' ? {} : { keys }) };
  };
  const move = (place: Pick<Place, 'parent' | 'index'> | null): unknown => place && document.edit({ kind: 'move', node: node.id, parent: place.parent, index: place.index });
  const up = stepPlace(document.chain, node.id, -1);
  const down = stepPlace(document.chain, node.id, 1);
  const into = intoPlace(document.chain, node.id);
  const out = outPlace(document.chain, node.id);
  return [
    [
      item('rename', t.rename, () => (document.renameNode = node.id)),
      item('bypass', node.bypass ? t.turnOnShort : t.bypassShort, () => document.edit({ kind: 'set_bypass', node: node.id, bypass: !node.bypass }), 'bypass'),
      item('reset', t.reset, () => document.edit({ kind: 'reset', node: node.id }), undefined, isGroup(node) ? text.reasons.group : null),
      item('duplicate', t.duplicate, () => document.edit({ kind: 'duplicate', node: node.id }), 'duplicate'),
    ],
    [
      item('up', t.moveUp, () => move(up), 'move-up', up === null ? text.reasons.topmost : null),
      item('down', t.moveDown, () => move(down), 'move-down', down === null ? text.reasons.lowest : null),
      ...(into ? [item('into', t.moveInto, () => move(into), 'move-into')] : []),
      ...(out ? [item('out', t.moveOut, () => move(out), 'move-out')] : []),
    ],
    [
      item('group-series', t.groupSeries, () => document.edit({ kind: 'group', nodes: chosen, group: 'series' }), 'group-series', chosen.length < 2 ? text.reasons.oneSlot : null),
      item('group-parallel', t.groupParallel, () => document.edit({ kind: 'group', nodes: chosen, group: 'parallel' }), 'group-parallel'),
      ...(node.kind === 'during'
        ? [
            item('select-part', text.parts.select, () => selectPart(document, node)),
            item('move-part', text.parts.move, () => document.edit({ kind: 'act_on_selection', nodes: [node.id] }), undefined, document.selection === null ? text.reasons.noSelection : null),
            item('whole', text.parts.toAll, () => document.edit({ kind: 'ungroup', node: node.id }), 'ungroup'),
          ]
        : [item('act-on-selection', text.parts.toSelection, () => document.edit({ kind: 'act_on_selection', nodes: chosen }), 'act-on-selection', document.selection === null ? text.reasons.noSelection : partAround(document.chain, node.id) ? text.parts.inAnother : null)]),
      ...(isGroup(node) && node.kind !== 'during'
        ? [
            item('turn-group', node.kind === 'series' ? t.toParallel : t.toSeries, () => document.edit({ kind: 'set_group', node: node.id, group: node.kind === 'series' ? 'parallel' : 'series' })),
            item('ungroup', t.ungroup, () => document.edit({ kind: 'ungroup', node: node.id }), 'ungroup'),
          ]
        : []),
    ],
    [
      {
        id: 'slot-load-preset',
        title: t.loadPreset,
        reason: app.presets.length === 0 ? text.reasons.noPresets : null,
        groups: tasks.map((task) => [
          { id: `task-${task ?? ''}`, title: task ?? text.presets.yours },
          ...app.presets.filter((preset) => preset.task === task).map((preset) => ({ id: `preset-${preset.name}`, title: preset.name, reason: preset.problem, run: () => document.edit({ kind: 'load_preset', preset: preset.name, node: node.id }) })),
        ]),
      },
      item('save-preset', t.savePreset, () => {
        app.dialogs.presetNode = node.id;
        app.dialogs.open = 'presets';
      }),
      ...(isGroup(node) ? [] : [item('about', t.about(app.effectByName.get(node.effect)?.title ?? node.effect), () => app.dialogs.showEffect(node.effect), 'effects-reference')]),
    ],
    [item('remove', t.remove, () => document.edit({ kind: 'remove', node: node.id }), 'remove')],
  ];
}
