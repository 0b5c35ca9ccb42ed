// Actions on the map, by keys as by the pointer.

import { showing } from '../lib/map-view';
import type { Direction } from '../lib/point-grid';
import { text } from '../../../text/catalogue';
import type { App } from '../../../state/app.svelte';

const DIRECTIONS: Record<string, Direction> = { Left: 'left', Right: 'right', Up: 'up', Down: 'down' };

/** The track of a point becomes the current one. */
export function pickPoint(app: App, point: number): void {
  const { map } = app.library.questions;
  map.point = point;
  app.library.current = map.idOf(point);
}

/** To the nearest track in a direction, or to the one in the middle; `combo` ends with an arrow. */
export function stepTo(app: App, combo: string, extend: boolean): void {
  const { map } = app.library.questions;
  const { grid, view, box, bounds } = map;
  const direction = DIRECTIONS[combo.split('+').at(-1) ?? ''];
  if (!grid || !direction) return;
  const to = map.point === -1 ? grid.nearest(view.x, view.y) : grid.towards(map.point, direction);
  if (to === -1) {
    map.spoken = text.questions.map.noneNear;
    return;
  }
  if (extend) map.chosen = new Set([...map.chosen, map.point, to].filter((point) => point !== -1));
  const place = { x: grid.x[to] ?? 0.5, y: grid.y[to] ?? 0.5 };
  const next = showing(view, box, place, bounds);
  if (next !== view) map.window = next;
  map.lookAt(to);
  pickPoint(app, to);
}

export async function hearPoint(app: App, point: number): Promise<void> {
  const { map, audition } = app.library.questions;
  const track = await map.fetch(point);
  if (track) await audition.toggleTrack(track);
}

export function openPoint(app: App, point: number): void {
  const id = app.library.questions.map.idOf(point);
  if (id !== null) void app.library.open([id]);
}

export function toggleListening(app: App): void {
  const { map } = app.library.questions;
  map.listen = !map.listen;
}

export function clearChosen(app: App): void {
  app.library.questions.map.chosen = new Set();
}
