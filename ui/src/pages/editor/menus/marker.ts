// The menu of a marker or region.

import type { MarkerView } from '../../../bindings';
import { isRegion } from '../../../lib/markers';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { beginNaming, goToMarker, loopRegion, selectToNext, showMarkers } from '../state/marker-actions';
import { shownCombo } from '../../../lib/keys';
import { text } from '../../../text/catalogue';
import { shortcutOf } from '../../../commands/keymap';
import type { MenuEntry, MenuGroups } from '../../../commands/context/entry';

const t = text.markers.menu;

export function markerMenu(app: App, document: DocumentState, marker: MarkerView): MenuGroups {
  const item = (id: string, title: string, run: () => unknown, keys = ''): MenuEntry => ({ id: `marker-${id}`, title, run, ...(keys === '' ? {} : { keys }) });
  return [
    [
      item('jump', t.jump, () => goToMarker(app, document, marker), shownCombo('Enter')),
      ...(isRegion(marker)
        ? [item('select', t.select, () => goToMarker(app, document, marker)), item('loop-region', t.loop, () => app.notices.attempt(() => loopRegion(app, document, marker)))]
        : [item('select', t.selectToNext, () => selectToNext(document, marker))]),
    ],
    [item('rename-this', t.rename, () => beginNaming(document, marker.id), shortcutOf(app, 'marker-rename')), item('remove', t.remove, () => app.notices.attempt(() => document.markers.remove([marker.id])), shortcutOf(app, 'marker-delete'))],
    [
      item('list', t.panel, () => {
        document.markers.chosenId = marker.id;
        showMarkers(app, true);
      }),
    ],
  ];
}
