// Commands of markers and regions.

import { isRegion, neighbourOf, within } from '../../../lib/markers';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { addMarker, addRegion, beginNaming, currentMarker, exportMarkers, loopRegion, showMarkers, stepMarker } from '../state/marker-actions';
import { text } from '../../../text/catalogue';
import { all, when, withDocument, type Condition } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.markers.commands;
const r = text.markers.reasons;

const active = (app: App): DocumentState | null => app.documents.active;
const has = (test: (document: DocumentState) => boolean, reason: string): Condition => all(withDocument, when((app) => active(app) !== null && test(active(app)!), reason));
const withMarkers = has((document) => document.markers.known.length > 0, r.noMarkers);
const withMarker = has((document) => currentMarker(document) !== null, r.noMarker);
const withRegion = has((document) => {
  const marker = currentMarker(document);
  return marker !== null && isRegion(marker);
}, r.noRegion);
const withMarkersSelected = has((document) => within(document.markers.known, document.selection).length > 0, r.noneSelected);
const beyond = (step: 1 | -1) => all(withMarkers, when((app) => {
  const document = active(app);
  // During playback the answer changes with the play head.
  return document !== null && (app.player.playing || neighbourOf(document.markers.known, document.cursor, step) !== null);
}, step > 0 ? r.noneAfter : r.noneBefore));

const attempt = (action: (document: DocumentState, app: App) => Promise<unknown>) => (app: App): unknown => {
  const document = active(app);
  return document && app.notices.attempt(() => action(document, app));
};

const edit = (id: string, title: string, keys: string[], enabled: Condition, run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'edit', group: 6, sub: { menu: 'markers' }, title, keys, enabled, run, ...more });

export const markerCommands: Command[] = [
  edit('marker-add', t.add, ['M', 'Ctrl+M'], withDocument, attempt((document, app) => addMarker(app, document))),
  edit('region-add', t.addRegion, ['Ctrl+B'], withDocument, attempt((document, app) => addRegion(app, document)), { label: (app) => (active(app)?.selection ? t.addRegion : t.addAtCursor) }),
  edit('marker-rename', t.rename, ['F2'], withMarker, (app) => {
    const document = active(app);
    if (document) beginNaming(document, currentMarker(document)?.id ?? null);
  }),
  edit('marker-delete', t.remove, ['Delete', 'Backspace'], withMarker, attempt(async (document) => {
    const marker = currentMarker(document);
    if (marker) await document.markers.remove([marker.id]);
  }), { scope: 'markers' }),
  edit('markers-delete-selected', t.removeSelected, [], withMarkersSelected, attempt((document) => document.markers.removeWithin(document.selection))),
  edit('markers-import', t.import, [], withDocument, attempt((document) => document.markers.import())),
  edit('markers-export', t.export, [], withMarkers, attempt((document, app) => exportMarkers(app, document))),
];

export const markerTransport: Command[] = [
  { id: 'marker-next', menu: 'transport', group: 1, title: t.next, keys: ['Alt+Right'], enabled: beyond(1), run: (app) => active(app) && stepMarker(app, active(app)!, 1) },
  { id: 'marker-previous', menu: 'transport', group: 1, title: t.previous, keys: ['Alt+Left'], enabled: beyond(-1), run: (app) => active(app) && stepMarker(app, active(app)!, -1) },
  { id: 'marker-loop', menu: 'transport', group: 0, unlisted: true, title: t.loop, keys: [], enabled: withRegion, run: attempt(async (document, app) => {
    const marker = currentMarker(document);
    if (marker) await loopRegion(app, document, marker);
  }) },
];

export const markerView: Command[] = [{ id: 'markers', menu: 'view', group: 1, title: t.panel, keys: ['Ctrl+Shift+M'], checked: (app) => app.layout.markersOpen, run: (app) => showMarkers(app, !app.layout.markersOpen) }];
