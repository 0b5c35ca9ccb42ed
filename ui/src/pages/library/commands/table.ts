// Commands of the library's table, while it has the focus.

import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { all, when } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.commands;
const WAYS = ['Up', 'Down', 'PageUp', 'PageDown', 'Home', 'End'];
const held = (modifiers: string): string[] => WAYS.map((key) => `${modifiers}${key}`);

const shown = when((app) => app.library.tab === 'tracks' && app.library.table !== null, text.reasons.tracksView);
const tracks = (id: string, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'library', group: 9, page: 'library', unlisted: true, byKey: true, scope: 'tracks', title, keys, enabled: shown, run, ...more });

function move(app: App, combo = ''): void {
  const parts = combo.split('+');
  const key = parts.at(-1) ?? '';
  app.library.table?.key(key === 'Up' || key === 'Down' ? `Arrow${key}` : key, { shift: parts.includes('Shift'), ctrl: parts.includes('Ctrl') });
}

const SIDEWAYS_PX = 60;

export const tableCommands: Command[] = [
  tracks('tracks-move', t.tracksMove, held(''), move),
  tracks('tracks-extend', t.tracksExtend, held('Shift+'), move),
  tracks('tracks-step', t.tracksStep, held('Ctrl+'), move),
  tracks('tracks-add', t.tracksAdd, held('Ctrl+Shift+'), move),
  tracks('tracks-toggle', t.tracksToggle, ['Ctrl+Space'], (app) => app.library.table?.toggleCurrent()),
  // While the audition bar has a track, the plain arrows seek in it.
  tracks('tracks-sideways', t.tracksSideways, ['Ctrl+Left', 'Ctrl+Right', 'Left', 'Right'], (app, combo = '') => app.library.table?.scrollSideways(combo.endsWith('Left') ? -SIDEWAYS_PX : SIDEWAYS_PX), {
    enabled: all(shown, when((app, combo) => combo?.startsWith('Ctrl+') !== false || app.library.questions.audition.pair === null, text.reasons.tracksView)),
  }),
  tracks('tracks-menu', t.tracksMenu, ['ContextMenu', 'Shift+F10'], (app) => app.library.table?.openMenu()),
];
