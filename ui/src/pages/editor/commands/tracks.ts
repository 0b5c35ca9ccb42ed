// Commands of the tracks of the active document.

import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { stepped } from '../../../lib/tracks';
import { text } from '../../../text/catalogue';
import { all, when, withAllChannels, withDocument, withSelection, type Condition } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.tracks.commands;
const r = text.tracks.reasons;

const active = (app: App): DocumentState | null => app.documents.active;
const has = (test: (document: DocumentState) => boolean, reason: string): Condition => all(withDocument, when((app) => active(app) !== null && test(active(app)!), reason));
const withTracks = has(({ tracks }) => tracks.all.length > 0, r.noTracks);
const withTrack = all(withTracks, has(({ tracks }) => tracks.chosen !== null, r.noTrack));
const step = (by: 1 | -1): Condition => all(withTracks, has(({ data }) => stepped(data, by) !== null, by < 0 ? r.first : r.last));
const neighbour = ({ tracks }: DocumentState, by: 1 | -1) => (tracks.chosen ? tracks.all[tracks.all.indexOf(tracks.chosen) + by] : undefined);
const beside = (by: 1 | -1): Condition => all(withTrack, has((document) => neighbour(document, by) !== undefined, by < 0 ? r.first : r.last));

const attempt = (action: (document: DocumentState) => Promise<unknown> | undefined) => (app: App): unknown => {
  const document = active(app);
  return document && app.notices.attempt(async () => action(document));
};

const track = (id: string, title: string, keys: string[], enabled: Condition, run: Command['run'], more: Partial<Command> = {}): Command => ({ id: `track-${id}`, menu: 'edit', group: 7, sub: { menu: 'tracks' }, title, keys, enabled, run, ...more });

const go = (by: 1 | -1) =>
  attempt((document) => {
    const choice = stepped(document.data, by);
    return choice === null ? undefined : document.tracks.choose(choice);
  });

/** Runs an action on the chosen track. */
const on = (action: (document: DocumentState, id: number) => Promise<unknown>) => attempt((document) => (document.tracks.chosen ? action(document, document.tracks.chosen.id) : undefined));

const move = (by: 1 | -1) =>
  on(({ tracks }, id) => tracks.edit({ kind: 'move', track: id, to: tracks.all.findIndex((each) => each.id === id) + by }));

const send = (by: 1 | -1) =>
  attempt((document) => {
    const to = neighbour(document, by);
    const { selection } = document;
    return to && selection ? document.edits.idle().then(() => document.tracks.edit({ kind: 'send', track: to.id, at: selection.start, range: null })) : undefined;
  });

export const trackExport: Command[] = [{ id: 'export-tracks', menu: 'file', group: 1, title: t.export, label: (app) => t.exportAs(text.exporting.formats[app.settings.now.export.format]), keys: [], enabled: withTracks, run: (app) => active(app) && app.notices.attempt(() => active(app)!.tracks.export()) }];

export const trackCommands: Command[] = [
  track('add', t.add, ['Ctrl+Shift+N'], withDocument, attempt(({ tracks }) => tracks.edit({ kind: 'add' }))),
  track('import', t.import, [], withDocument, attempt(({ tracks }) => tracks.import())),
  track('duplicate', t.duplicate, [], withTrack, on(({ tracks }, id) => tracks.edit({ kind: 'duplicate', track: id }))),
  track('remove', t.remove, [], withTrack, on(({ tracks }, id) => tracks.edit({ kind: 'delete', track: id }))),
  track('rename', t.rename, [], withTrack, on(async ({ tracks }, id) => (tracks.namingId = id))),
  track('mute', t.mute, ['Alt+M'], withTrack, on(({ tracks }, id) => tracks.edit({ kind: 'mute', track: id, on: !tracks.chosen?.mute })), { checked: (app) => active(app)?.tracks.chosen?.mute ?? false }),
  track('solo', t.solo, ['Alt+S'], withTrack, on(({ tracks }, id) => tracks.edit({ kind: 'solo', track: id, on: !tracks.chosen?.solo })), { checked: (app) => active(app)?.tracks.chosen?.solo ?? false }),
  track('previous', t.previous, ['Ctrl+Alt+Up'], step(-1), go(-1)),
  track('next', t.next, ['Ctrl+Alt+Down'], step(1), go(1)),
  track('sum', t.sum, [], withTracks, attempt(({ tracks }) => tracks.choose('sum'))),
  track('up', t.up, [], beside(-1), move(-1)),
  track('down', t.down, [], beside(1), move(1)),
  track('send-up', t.sendUp, ['Ctrl+Alt+Shift+Up'], all(withSelection, withAllChannels, beside(-1)), send(-1)),
  track('send-down', t.sendDown, ['Ctrl+Alt+Shift+Down'], all(withSelection, withAllChannels, beside(1)), send(1)),
];
