// Commands that separate recordings into stems and choose how the stems are heard.

import type { StemPreset, StemsSource } from '../bindings';
import { canHear, hasStems, heardAs, STEM_PRESETS } from '../lib/stems';
import type { App } from '../state/app.svelte';
import { MOST_RECORDINGS } from '../state/separation.svelte';
import { text } from '../text/catalogue';
import { all, when, withDocument } from './conditions';
import type { Command } from './table';

const t = text.stems;

const tracksOf = (app: App) => app.documents.active?.tracks.all ?? [];
const ofTrack = all(withDocument, when((app) => app.documents.active?.tracks.onSum !== true, t.reasons.onSum));
const withStems = all(withDocument, when((app) => hasStems(tracksOf(app)), t.reasons.noStems));

/** Opens the dialog for the active recording. */
const separate = (app: App): unknown => {
  const document = app.documents.active;
  return document && app.separation.open({ kind: 'document', document: document.id, track: null });
};

/** Opens the dialog for tracks of the library. */
export async function separateTracks(app: App): Promise<void> {
  const tracks = await app.library.chosen();
  const source: StemsSource = { kind: 'tracks', tracks };
  if (tracks.length > MOST_RECORDINGS) app.notices.tell('warning', t.reasons.tooMany(MOST_RECORDINGS));
  else if (tracks.length > 0) await app.separation.open(source);
}

const preset = (name: StemPreset): Command => ({
  id: `stems-${name.replaceAll('_', '-')}`,
  menu: 'edit',
  group: 7,
  sub: { menu: 'stems' },
  title: t.presets[name],
  keys: [],
  enabled: all(withStems, when((app) => canHear(name, tracksOf(app)), t.reasons.noPart)),
  checked: (app) => heardAs(tracksOf(app)) === name,
  run: (app) => app.documents.active && app.notices.attempt(() => app.documents.active!.tracks.edit({ kind: 'stems', preset: name })),
});

export const stemCommands: Command[] = [{ id: 'separate', menu: 'edit', group: 7, sub: { menu: 'stems' }, title: t.command, keys: ['Ctrl+Alt+S'], enabled: ofTrack, run: separate }, ...STEM_PRESETS.map(preset)];
