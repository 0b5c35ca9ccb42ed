// Marks above the points of a map: the point under the pointer, the one under the keyboard, those selected, the lasso.

import { toScreen, type Box, type MapWindow, type Place } from '../lib/map-view';
import { surface } from '../../../draw/canvas';
import type { Palette } from '../../../draw/palette';

export interface Marks {
  radius: number;
  /** Points by their number; -1 for none. */
  hover: number;
  point: number;
  chosen: ReadonlySet<number>;
  /** In CSS pixels. */
  lasso: readonly Place[] | null;
}

export function drawMarks(canvas: HTMLCanvasElement, places: { x: Float32Array; y: Float32Array }, view: MapWindow, box: Box, marks: Marks, palette: Palette): void {
  const made = surface(canvas);
  if (!made) return;
  const { context, ratio } = made;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  const at = (point: number): Place => toScreen(view, box, { x: places.x[point] ?? NaN, y: places.y[point] ?? NaN });
  const ring = (point: number, radius: number, width: number, colour: string): void => {
    const { x, y } = at(point);
    if (!(x > -radius && x < box.width + radius && y > -radius && y < box.height + radius)) return;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke();
  };
  for (const point of marks.chosen) ring(point, marks.radius + 1.5, 1.25, palette.text);
  if (marks.hover !== -1) ring(marks.hover, marks.radius + 4, 1.5, palette.text);
  if (marks.point !== -1) {
    // Visible on every colour: a dark ring inside a bright one.
    ring(marks.point, marks.radius + 4, 4, palette.lane);
    ring(marks.point, marks.radius + 4, 2, palette.accent);
    cross(context, at(marks.point), marks.radius + 4, palette.accent);
  }
  if (marks.lasso && marks.lasso.length > 1) outline(context, marks.lasso, palette);
}

/** Draws outward lines, which make the ring easy to find on a crowded map. */
function cross(context: CanvasRenderingContext2D, { x, y }: Place, radius: number, colour: string): void {
  context.beginPath();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
    context.moveTo(x + dx * (radius + 2), y + dy * (radius + 2));
    context.lineTo(x + dx * (radius + 8), y + dy * (radius + 8));
  }
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
}

function outline(context: CanvasRenderingContext2D, corners: readonly Place[], palette: Palette): void {
  context.beginPath();
  for (const { x, y } of corners) context.lineTo(x, y);
  context.closePath();
  context.globalAlpha = 0.12;
  context.fillStyle = palette.accent;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.strokeStyle = palette.accent;
  context.stroke();
  context.setLineDash([]);
}
