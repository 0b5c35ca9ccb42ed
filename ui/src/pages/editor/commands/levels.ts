// How the waveform is drawn: its height, and whether both sides show.

import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { all, when, withDocument } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.commands;
/** A step is 6 dB. */
const STEP = 2;

const command = (id: string, title: string, key: string, run: (app: App) => unknown, more: Partial<Command> = {}): Command => ({
  id,
  menu: 'view',
  group: 1,
  title,
  keys: [key],
  sub: { menu: 'zoom' },
  enabled: withDocument,
  run,
  ...more,
});

const zoom = (factor: number) => (app: App) => app.documents.active?.setLevelZoom(app.documents.active.levelZoom * factor);

export const levelCommands: Command[] = [
  command('levels-taller', t.levelsTaller, 'Shift+PageUp', zoom(STEP)),
  command('levels-lower', t.levelsLower, 'Shift+PageDown', zoom(1 / STEP)),
  command('levels-fit', t.levelsFit, 'Shift+Z', (app) => {
    const document = app.documents.active;
    if (document) void app.notices.attempt(() => document.fitLevels(app.player.pictureOf(document)));
  }),
  command('levels-full', t.levelsFull, 'Alt+Z', (app) => app.documents.active?.setLevelZoom(1), { enabled: all(withDocument, when((app) => app.documents.active?.levelZoom !== 1, text.reasons.fullScale)) }),
  {
    id: 'both-sides',
    menu: 'view',
    group: 1,
    title: t.bothSides,
    keys: ['Shift+B'],
    enabled: withDocument,
    checked: (app) => app.layout.bothSides,
    run: (app) => {
      app.layout.bothSides = !app.layout.bothSides;
      app.settings.panesChanged();
    },
  },
];
