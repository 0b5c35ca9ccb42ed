// Which part of a map is seen: the place in the middle, and how many pixels its side of 1 is long.

import { clamp } from '../../../lib/scale';

export interface MapWindow {
  x: number;
  y: number;
  /** Pixels that the map's side is long. */
  side: number;
}

export interface Place {
  x: number;
  y: number;
}

export interface Box {
  width: number;
  height: number;
}

/** Where points lie. */
export interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const WHOLE: Bounds = { left: 0, right: 1, top: 0, bottom: 1 };

/** Around the outermost points there is room for their discs. */
const MARGIN = 0.92;
/** A map of one point is not looked at through a microscope. */
const MIN_SPAN = 0.05;
const MAX_ZOOM = 400;

/** Shows all points as large as the box lets it; both axes have the same scale, since distances say something. */
export function fitting(box: Box, bounds: Bounds = WHOLE): MapWindow {
  const across = Math.max(MIN_SPAN, bounds.right - bounds.left);
  const down = Math.max(MIN_SPAN, bounds.bottom - bounds.top);
  const side = Math.max(1, Math.min(box.width / across, box.height / down) * MARGIN);
  return { x: (bounds.left + bounds.right) / 2, y: (bounds.top + bounds.bottom) / 2, side };
}

export const toScreen = (view: MapWindow, box: Box, place: Place): Place => ({ x: box.width / 2 + (place.x - view.x) * view.side, y: box.height / 2 + (place.y - view.y) * view.side });
export const toMap = (view: MapWindow, box: Box, at: Place): Place => ({ x: view.x + (at.x - box.width / 2) / view.side, y: view.y + (at.y - box.height / 2) / view.side });

/** Holds the middle over the map and the zoom within reason, so that the map is never lost. */
export function held(view: MapWindow, box: Box, bounds: Bounds = WHOLE): MapWindow {
  const least = fitting(box, bounds).side;
  return { x: clamp(view.x, bounds.left, bounds.right), y: clamp(view.y, bounds.top, bounds.bottom), side: clamp(view.side, least, least * MAX_ZOOM) };
}

/** Zooms so that what is under the pointer stays there. */
export function zoomedAt(view: MapWindow, box: Box, factor: number, at: Place, bounds: Bounds = WHOLE): MapWindow {
  const under = toMap(view, box, at);
  const side = held({ ...view, side: view.side * factor }, box, bounds).side;
  return held({ x: under.x - (at.x - box.width / 2) / side, y: under.y - (at.y - box.height / 2) / side, side }, box, bounds);
}

export const panned = (view: MapWindow, box: Box, dx: number, dy: number, bounds: Bounds = WHOLE): MapWindow => held({ ...view, x: view.x - dx / view.side, y: view.y - dy / view.side }, box, bounds);

/** Brings a place into view when it is not, or too near to the edge. */
export function showing(view: MapWindow, box: Box, place: Place, bounds: Bounds = WHOLE, edge = 48): MapWindow {
  const at = toScreen(view, box, place);
  const room = Math.min(edge, box.width / 4, box.height / 4);
  const dx = at.x < room ? room - at.x : at.x > box.width - room ? box.width - room - at.x : 0;
  const dy = at.y < room ? room - at.y : at.y > box.height - room ? box.height - room - at.y : 0;
  return dx === 0 && dy === 0 ? view : panned(view, box, dx, dy, bounds);
}

/** How much it is zoomed in; 1 shows all. */
export const zoomOf = (view: MapWindow, box: Box, bounds: Bounds = WHOLE): number => view.side / fitting(box, bounds).side;

/** Radius of a point's disc in CSS pixels: small where many share the picture, larger the nearer one looks. */
export function discRadius(count: number, box: Box, zoom: number): number {
  const room = Math.sqrt((box.width * box.height) / Math.max(1, count));
  return clamp(room * 0.18 * Math.sqrt(zoom), 1.25, 6);
}
