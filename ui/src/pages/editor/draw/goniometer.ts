// The stereo image: side across, mid upwards, so that left and right are the diagonals; older points fade.

import type { Surface } from '../../../draw/canvas';
import type { Palette } from '../../../draw/palette';

/** The share of a drawn point that is left after a second. */
const LEFT_AFTER_S = 0.02;
const AIR_PX = 12;

/**
 * The position of a point, -1..1 on both axes. The angle is the sound's; the distance is the square root of the level,
 * since soft passages would otherwise be a speck in the middle.
 */
export function spotOf(side: number, mid: number): [x: number, y: number] {
  const level = Math.hypot(side, mid);
  if (!(level > 0) || !Number.isFinite(level)) return [0, 0];
  const stretched = Math.sqrt(Math.min(1, level)) / level;
  return [side * stretched, mid * stretched];
}

export function drawGoniometerGrid(target: Surface, palette: Palette, names: [left: string, right: string]): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  const [x, y] = [width / 2, height / 2];
  const reach = Math.min(x, y) - AIR_PX * ratio;
  context.strokeStyle = palette['grid-strong'];
  context.lineWidth = Math.max(1, Math.round(ratio));
  context.beginPath();
  context.arc(x, y, reach, 0, 2 * Math.PI);
  const slant = reach * Math.SQRT1_2;
  for (const [dx, dy] of [[0, reach], [reach, 0], [slant, slant], [-slant, slant]] as const) {
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx, y + dy);
  }
  context.stroke();
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.fillStyle = palette['text-dim'];
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const outside = slant + 9 * ratio;
  context.fillText(names[0], x - outside, y - outside);
  context.fillText(names[1], x + outside, y - outside);
}

/** Fades the existing points and adds those of the last `seconds`. */
export function drawGoniometer(target: Surface, points: Float32Array, seconds: number, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.globalCompositeOperation = 'destination-out';
  context.globalAlpha = 1 - LEFT_AFTER_S ** Math.max(0.016, Math.min(0.25, seconds));
  // Only the opacity of this colour matters.
  context.fillStyle = palette.text;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
  context.globalAlpha = 0.7;
  context.fillStyle = palette.accent;
  const [x, y] = [width / 2, height / 2];
  const reach = Math.min(x, y) - AIR_PX * ratio;
  const dot = Math.max(1, 1.2 * ratio);
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [side, mid] = spotOf(points[i] ?? 0, points[i + 1] ?? 0);
    context.fillRect(x + side * reach - dot / 2, y - mid * reach - dot / 2, dot, dot);
  }
  context.globalAlpha = 1;
}
