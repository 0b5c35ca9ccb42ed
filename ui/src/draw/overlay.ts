// What moves above the lanes: selection, cursor, pointer and play head.

import type { Selection, ViewRange } from '../bindings';
import { xFromFrame } from '../lib/view';
import type { Surface } from './canvas';
import type { Palette } from './palette';

export interface Marks {
  view: ViewRange;
  selection: Selection | null;
  /** The selection is a band of frequencies too: drawn elsewhere as a rectangle, here only in the ruler. */
  banded?: boolean;
  /** The lanes show a spectrogram, whose colours do not follow the theme: lines are light beside dark. */
  over?: boolean;
  cursor: number;
  hover: number | null;
  hoverLabel: string;
  head: number | null;
  /** Height of the time ruler in CSS pixels. */
  ruler: number;
}

export function drawOverlay(target: Surface, marks: Marks, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  const x = (frame: number) => xFromFrame(frame, marks.view, width);
  const ruler = marks.ruler * ratio;
  const thin = Math.max(1, Math.round(ratio));
  const ink = (colour: string) => (marks.over ? palette['over-line'] : colour);
  const line = (at: number, top: number, colour: string, thick: number) => {
    if (at < -thick || at > width + thick) return;
    const left = Math.round(at - thick / 2);
    if (marks.over) {
      context.fillStyle = palette['over-ink'];
      context.fillRect(left + thick, ruler, thin, height - ruler);
    }
    context.fillStyle = colour;
    context.fillRect(left, top, thick, height - top);
  };
  if (marks.selection) {
    const from = Math.max(-10, x(marks.selection.start));
    const to = Math.min(width + 10, x(marks.selection.end));
    context.fillStyle = palette.selection;
    context.fillRect(from, 0, to - from, ruler);
    if (!marks.banded) {
      context.fillStyle = marks.over ? palette['over-selection'] : palette.selection;
      context.fillRect(from, ruler, to - from, height - ruler);
    }
    context.fillStyle = palette['selection-edge'];
    context.fillRect(from, ruler - 2 * thin, to - from, 2 * thin);
    if (!marks.banded) {
      line(x(marks.selection.start), ruler, ink(palette['selection-edge']), thin);
      line(x(marks.selection.end), ruler, ink(palette['selection-edge']), thin);
    }
  }
  if (marks.hover !== null) {
    context.globalAlpha = marks.over ? 0.55 : 0.35;
    line(x(marks.hover), ruler, ink(palette.text), thin);
    context.globalAlpha = 1;
    hoverLabel(target, x(marks.hover), marks.hoverLabel, palette);
  }
  const cursor = x(marks.cursor);
  line(cursor, ruler, ink(palette.cursor), thin);
  flag(target, cursor, ruler, palette.cursor, 4);
  if (marks.head !== null) {
    const head = x(marks.head);
    line(head, ruler, palette.playhead, Math.max(thin, Math.round(1.5 * ratio)));
    flag(target, head, ruler, palette.playhead, 5.5);
  }
}

/** A small triangle in the ruler that points at its line. */
function flag(target: Surface, x: number, ruler: number, colour: string, size: number): void {
  const { context, ratio } = target;
  const half = size * ratio;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x - half, ruler - half * 1.3);
  context.lineTo(x + half, ruler - half * 1.3);
  context.lineTo(x, ruler);
  context.fill();
}

function hoverLabel(target: Surface, x: number, label: string, palette: Palette): void {
  const { context, ratio, width } = target;
  context.font = `500 ${11 * ratio}px ${palette.font}`;
  const textWidth = context.measureText(label).width;
  const left = Math.min(width - textWidth - 8 * ratio, Math.max(0, x - textWidth / 2 - 4 * ratio));
  context.fillStyle = palette.hover;
  context.fillRect(left, 2 * ratio, textWidth + 8 * ratio, 16 * ratio);
  context.fillStyle = palette.text;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillText(label, left + 4 * ratio, 10.5 * ratio);
}
