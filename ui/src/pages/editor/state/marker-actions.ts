// Actions on markers and regions: set, go to, select, loop.

import type { MarkerView } from '../../../bindings';
import { markerAt, neighbourOf } from '../../../lib/markers';
import { scrolled, selectionBetween } from '../../../lib/view';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';

/** The play head while playing, otherwise the cursor. */
const placeOf = (app: App, document: DocumentState): number => (app.player.playing ? (app.player.headOf(document) ?? document.cursor) : document.cursor);

/** Shows the lanes at a frame, if they are elsewhere. */
function reveal(document: DocumentState, frame: number): void {
  const { view, data } = document;
  if (frame < view.start || frame > view.end) document.setView(scrolled(view, frame - (view.start + view.end) / 2, data.frames));
}

/** Sets a marker at the cursor, where its name can be typed, or while playing at what is heard. */
export async function addMarker(app: App, document: DocumentState): Promise<void> {
  const { playing } = app.player;
  const id = await document.markers.add(Math.min(document.data.frames, placeOf(app, document)), null);
  if (!playing) beginNaming(document, id);
}

/** Makes a region of the selection, or sets a marker at the cursor if there is none. */
export async function addRegion(app: App, document: DocumentState): Promise<void> {
  const { selection } = document;
  if (!selection) return addMarker(app, document);
  const id = await document.markers.add(selection.start, selection.end);
  if (!app.player.playing) beginNaming(document, id);
}

/** Lets a name be typed where the marker stands. */
export function beginNaming(document: DocumentState, id: number | null): void {
  const marker = document.markers.all.find((each) => each.id === id);
  if (!marker) return;
  reveal(document, marker.start_frame);
  document.markers.chosenId = marker.id;
  document.markers.naming = { id: marker.id, place: 'strip' };
}

/** Brings the cursor to a marker; a region is selected. What plays goes on from there. */
export function goToMarker(app: App, document: DocumentState, marker: MarkerView): void {
  document.markers.chosenId = marker.id;
  document.commitSelection(marker.end_frame === null ? null : selectionBetween(marker.start_frame, marker.end_frame, document.data.frames));
  app.goTo(document, marker.start_frame);
}

/** Goes to the marker after or before what is heard, or the cursor. */
export function stepMarker(app: App, document: DocumentState, step: 1 | -1): void {
  const next = neighbourOf(document.markers.all, placeOf(app, document), step);
  if (next) goToMarker(app, document, next);
}

/** Plays a region again and again. */
export async function loopRegion(app: App, document: DocumentState, marker: MarkerView): Promise<void> {
  goToMarker(app, document, marker);
  if (!app.player.looping) await app.player.setLoop(true);
  await app.player.play(document, marker.start_frame);
}

/** Selects from a marker to the next one, or to the end. */
export function selectToNext(document: DocumentState, marker: MarkerView): void {
  const next = neighbourOf(document.markers.all, marker.start_frame, 1);
  document.markers.chosenId = marker.id;
  document.commitSelection(selectionBetween(marker.start_frame, next?.start_frame ?? document.data.frames, document.data.frames));
}

/** The marker that is acted upon: the chosen one, or the one at the cursor. */
export const currentMarker = (document: DocumentState): MarkerView | null => document.markers.chosen ?? markerAt(document.markers.all, document.cursor);

/** Writes the markers to a file that the user chooses, and says so. */
export async function exportMarkers(app: App, document: DocumentState): Promise<void> {
  const written = await document.markers.export();
  if (written !== null) app.notices.tell('info', text.markers.written(written));
}

export function showMarkers(app: App, shown: boolean): void {
  app.layout.markersOpen = shown;
  app.settings.panesChanged();
}
