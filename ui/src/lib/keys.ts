// Key combinations as text ("Ctrl+Shift+E") and as events.

import { text } from '../text/catalogue';

/** The combination of an event, as written in the command table. Ctrl is the platform's command key. */
export function comboFromEvent(event: KeyboardEvent, mac = isMac()): string {
  const parts: string[] = [];
  // AltGr, which types brackets on many keyboards, may be reported as Ctrl and Alt.
  const sign = event.key.length === 1 && event.getModifierState('AltGraph');
  if ((mac ? event.metaKey : event.ctrlKey) && !sign) parts.push('Ctrl');
  if (event.altKey && !sign) parts.push('Alt');
  // For characters such as "?" or "+", Shift is implied; letters and named keys include it.
  const named = event.key.length > 1 || event.key === ' ' || /[a-z]/i.test(event.key);
  if (event.shiftKey && named) parts.push('Shift');
  parts.push(keyName(event.key));
  return parts.join('+');
}

function keyName(key: string): string {
  if (key === ' ') return 'Space';
  if (key === '+') return '=';
  if (key.startsWith('Arrow')) return key.slice(5);
  return key.length === 1 ? key.toUpperCase() : key;
}

const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph']);

/** Whether a key is a modifier. */
export const isModifier = (key: string): boolean => MODIFIERS.has(key);

export function isMac(): boolean {
  return typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);
}

const SIGNS: Record<string, string> = { Left: '←', Right: '→', Up: '↑', Down: '↓', '-': '−', '=': '+' };
const MAC: Record<string, string> = { Ctrl: '⌘', Shift: '⇧', Alt: '⌥' };

const named = (part: string): string => SIGNS[part] ?? text.keys[part] ?? part;

/** The combination as displayed. */
export function shownCombo(combo: string, mac = isMac()): string {
  const parts = combo.split('+').map((part) => (mac ? (MAC[part] ?? named(part)) : named(part)));
  return parts.join(mac ? '' : '+');
}
