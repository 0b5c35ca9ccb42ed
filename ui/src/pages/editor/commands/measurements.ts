// Measurements copied as text.

import type { App } from '../../../state/app.svelte';
import { copyDescription, copyText, curvesText, heardText, levelsText, spectrumText } from '../state/measurements';
import { text } from '../../../text/catalogue';
import { all, when, withDocument } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.measurements;

const copies = (id: string, title: string, words: (app: App) => string | null, reason: string, more: Partial<Command> = {}): Command => ({
  id: `copy-${id}`,
  menu: 'edit',
  group: 7,
  sub: { menu: 'measurements' },
  page: 'editor',
  title,
  keys: [],
  enabled: all(withDocument, when((app) => words(app) !== null, reason)),
  run: (app) => copyText(app, words(app)),
  ...more,
});

export const measurementCommands: Command[] = [
  copies('levels', t.levels, (app) => levelsText(app.documents.active), t.noLevels),
  copies('spectrum', t.spectrum, (app) => spectrumText(app.documents.active), t.noSpectrum),
  copies('loudness', t.curves, (app) => curvesText(app.documents.active), t.noCurves),
  copies('heard-loudness', t.heard, heardText, t.noneHeard),
  copies('description', t.description, () => '', '', { enabled: withDocument, run: (app) => app.documents.active && copyDescription(app, app.documents.active) }),
];
