// The menu of a parameter: its value, its default, its help.

import type { Node, ParameterView } from '../../../bindings';
import { isGroup } from '../../../lib/chain';
import { formatQuantity } from '../../../lib/quantity';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';
import { said } from '../../../text/core-words';
import { capitalised } from '../../../text/language';
import type { MenuEntry, MenuGroups } from '../../../commands/context/entry';

const t = text.rack;

/** The name of a node's mix, which is not a parameter of its effect. */
export const MIX = 'mix';

interface Choice {
  /** The value as text. */
  value: string;
  initial: string | null;
  reset(): void;
}

function choiceOf(document: DocumentState, node: Node, parameter: ParameterView | null): Choice {
  if (!parameter || isGroup(node)) return { value: formatQuantity(node.mix, 'percent'), initial: formatQuantity(1, 'percent'), reset: () => document.edit({ kind: 'set_mix', node: node.id, mix: 1, gesture: null }) };
  const { name, control } = parameter;
  const unit = control.kind === 'number' || control.kind === 'number_or_note' ? control.unit : 'none';
  const shown = (value: unknown): string => (typeof value === 'number' ? formatQuantity(value, unit) : capitalised(said(String(value).replaceAll('_', ' '))));
  const initial = control.kind === 'file' ? null : control.initial;
  return {
    value: shown(node.arguments[name] ?? initial ?? ''),
    initial: initial === null ? null : shown(initial),
    reset: () => initial !== null && document.edit({ kind: 'set_argument', node: node.id, name, value: initial, gesture: null }),
  };
}

export function parameterMenu(app: App, document: DocumentState, node: Node, name: string, row: Element): MenuGroups {
  const effect = isGroup(node) ? null : (app.effectByName.get(node.effect) ?? null);
  const parameter = name === MIX ? null : (effect?.parameters.find((each) => each.name === name) ?? null);
  const { value, initial, reset } = choiceOf(document, node, parameter);
  const field = row.querySelector<HTMLInputElement>(`input[data-testid="param-${name}"]`);
  const items: MenuEntry[] = [];
  if (initial !== null) items.push({ id: 'parameter-reset', title: t.resetTo(initial), reason: value === initial ? text.reasons.atDefault : null, run: reset });
  if (field) items.push({ id: 'parameter-type', title: t.typeValue, run: () => field.focus() });
  items.push({ id: 'parameter-copy', title: t.copyValue(value), reason: value === '' ? text.reasons.noValue : null, run: () => app.notices.attempt(() => navigator.clipboard.writeText(value)) });
  return effect ? [items, [{ id: 'parameter-help', title: t.about(effect.title), run: () => app.dialogs.showEffect(effect.name) }]] : [items];
}
