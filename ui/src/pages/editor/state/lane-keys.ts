// Keys on the lanes: the cursor's frequency, and the selection in time and frequency.

import { clamp } from '../../../lib/scale';
import { hzFromPosition, positionFromHz, scrolledAxis } from '../../../lib/frequency-scale';
import { steppedChannels } from '../../../lib/channels';
import { scrolled, span } from '../../../lib/view';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';

/** A step of the frequency cursor, as a part of what is visible. */
const FREQUENCY_STEP = 1 / 100;

/** Whether the key meant something here. */
export function laneKey(event: KeyboardEvent, document: DocumentState, app: App): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { view, data, selection, cursor } = document;
  const sideways = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
  const upwards = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
  if (sideways !== 0 && event.shiftKey) {
    // Shift extends the selection by a pixel or so.
    const step = sideways * Math.max(1, span(view) / 200);
    const end = selection && cursor === selection.start ? selection.end : cursor;
    document.commitSelection(end + step > cursor ? { start: cursor, end: Math.min(data.frames, Math.round(end + step)) } : null, document.band);
  } else if (upwards !== 0 && app.settings.now.spectrogram.display.blend > 0) {
    moveFrequency(document, app, upwards, event.shiftKey);
  } else if (upwards !== 0 && !event.shiftKey && data.channels > 1 && data.chosen !== 'sum') {
    document.setChannels(steppedChannels(document.channels, data.channels, upwards > 0 ? -1 : 1));
  } else if (!event.shiftKey && (event.key === 'PageUp' || event.key === 'PageDown')) {
    document.setView(scrolled(view, (event.key === 'PageUp' ? -0.9 : 0.9) * span(view), data.frames));
  } else return false;
  return true;
}

/** Moves the cursor's frequency; with Shift the band reaches from it to where the keys lead. */
function moveFrequency(document: DocumentState, app: App, direction: number, extend: boolean): void {
  const { spectrogram, data, band, selection } = document;
  const { scale } = app.settings.now.spectrogram.analysis;
  const { axis, mark } = spectrogram;
  const step = direction * FREQUENCY_STEP * (axis.top - axis.bottom);
  const moved = (hz: number) => hzFromPosition(clamp(positionFromHz(hz, scale, data.rate) + step, 0, 1), scale, data.rate);
  const lane = mark?.lane ?? 0;
  const from = mark?.hz ?? hzFromPosition((axis.bottom + axis.top) / 2, scale, data.rate);
  if (extend && selection) {
    const far = band ? (Math.abs(band.low_hz - from) < Math.abs(band.high_hz - from) ? band.high_hz : band.low_hz) : from;
    const next = moved(far);
    spectrogram.mark = { hz: from, lane };
    document.commitSelection(selection, next === from ? null : { low_hz: Math.min(from, next), high_hz: Math.max(from, next) });
    return;
  }
  const hz = moved(from);
  spectrogram.mark = { hz, lane };
  const position = positionFromHz(hz, scale, data.rate);
  if (position > axis.top) spectrogram.axis = scrolledAxis(axis, position - axis.top);
  if (position < axis.bottom) spectrogram.axis = scrolledAxis(axis, position - axis.bottom);
}
