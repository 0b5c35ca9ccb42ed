// The menu of a track.

import type { TrackView } from '../../../bindings';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { STEM_PRESETS } from '../../../lib/stems';
import { text } from '../../../text/catalogue';
import { choice, entries, type MenuEntry, type MenuGroups } from '../../../commands/context/entry';

const t = text.tracks;

/** Chooses a track and records onto it. */
const onto = (app: App, document: DocumentState, id: number) => async (): Promise<void> => {
  await document.tracks.choose({ track: id });
  await app.recording.startOnto(document, 'front');
};

export function trackMenu(app: App, document: DocumentState, track: TrackView): MenuGroups {
  const { tracks } = document;
  const at = tracks.all.findIndex((each) => each.id === track.id);
  const item = (id: string, title: string, run: () => Promise<unknown>, more: Partial<MenuEntry> = {}): MenuEntry => ({ id: `track-${id}`, title, run: () => app.notices.attempt(run), ...more });
  const { id } = track;
  return [
    [item('rename-this', t.menu.rename, async () => (tracks.namingId = id)), item('duplicate-this', t.menu.duplicate, () => tracks.edit({ kind: 'duplicate', track: id })), item('delete-this', t.menu.remove, () => tracks.edit({ kind: 'delete', track: id }))],
    [
      ...(at > 0 ? [item('up-this', t.menu.up, () => tracks.edit({ kind: 'move', track: id, to: at - 1 }))] : []),
      ...(at < tracks.all.length - 1 ? [item('down-this', t.menu.down, () => tracks.edit({ kind: 'move', track: id, to: at + 1 }))] : []),
    ],
    [
      ...(track.gain_db !== 0 ? [item('gain-this', t.menu.resetGain, () => tracks.edit({ kind: 'gain', track: id, db: 0 }))] : []),
      ...(track.pan !== 0 ? [item('pan-this', t.menu.resetPan, () => tracks.edit({ kind: 'pan', track: id, pan: 0 }))] : []),
    ],
    [
      item('separate-this', text.stems.command, () => app.separation.open({ kind: 'document', document: document.id, track: id })),
      ...(track.content === undefined ? [] : [choice('stems', text.stems.hear, entries(app, ...STEM_PRESETS.map((name) => `stems-${name.replaceAll('_', '-')}`)))]),
    ],
    app.recording.records ? [] : [item('record-this', text.recording.onto, onto(app, document, id))],
    t.colours.map((name, colour) => item(`colour-${colour}`, name, () => tracks.edit({ kind: 'colour', track: id, colour }), { checked: track.colour === colour })),
  ].filter((group) => group.length > 0);
}
