// The menus of the bars at the top and the bottom: transport, clock, meters, device, status.

import { formatLevel } from '../../lib/quantity';
import { placeText } from '../../lib/time-input';
import type { App } from '../../state/app.svelte';
import { clockOf, setTimeFormat, TIME_FORMATS, type ReadOut } from '../../state/time-formats';
import { text } from '../../text/catalogue';
import { choice, entries, type MenuEntry, type MenuGroups } from './entry';

const t = text.barMenus;

/** An entry that copies text; disabled if there is none. */
const copied = (app: App, id: string, title: string, words: string | null): MenuEntry => ({
  id,
  title,
  reason: words === null ? text.reasons.noValue : null,
  run: () => app.notices.attempt(() => navigator.clipboard.writeText(words ?? '')),
});

/** A position in the active document, in the format of a read-out. */
function place(app: App, frame: number, at: ReadOut): string | null {
  const document = app.documents.active;
  return document && placeText(Math.round(frame), clockOf(app, document, at));
}

/** The time formats of a read-out. */
const formats = (app: App, at: ReadOut): MenuEntry =>
  choice('time-format', text.timeFormats.title, TIME_FORMATS.map((format) => ({ id: `time-format-${format}`, title: text.timeFormats.names[format], checked: app.settings.now.time_formats[at] === format, run: () => setTimeFormat(app, at, format) })));

function position(app: App): string | null {
  const document = app.documents.active;
  return document && place(app, app.player.headOf(document) ?? document.cursor, 'clock');
}

export const transportMenu = (app: App): MenuGroups => [entries(app, 'play', 'pause', 'play-selection', 'loop'), entries(app, 'side-a', 'side-b', 'matched'), entries(app, 'go-to', 'to-start', 'to-end')];

export const clockMenu = (app: App): MenuGroups => [[copied(app, 'copy-position', t.copyPosition, position(app)), ...entries(app, 'go-to')], [formats(app, 'clock')], entries(app, 'to-start', 'to-end')];

export function metersMenu(app: App): MenuGroups {
  const { meters, clipSeen } = app.player;
  const levels = meters.peak_db.length === 0 ? null : meters.peak_db.map((peak, at) => text.meters.channel(text.lanes.names('each', 2)[at] ?? `${at + 1}`, formatLevel(peak), formatLevel(meters.rms_db[at] ?? null))).join('; ');
  return [
    [
      { id: 'reset-clipping', title: t.resetClipping, reason: meters.clipped > clipSeen ? null : text.meters.noClip, run: () => (app.player.clipSeen = meters.clipped) },
      copied(app, 'copy-levels', t.copyLevels, levels),
    ],
    entries(app, 'analyser', 'loudness-lane'),
    entries(app, 'reset-peaks', 'reset-loudness', 'copy-heard-loudness'),
  ];
}

export const deviceMenu = (app: App): MenuGroups => [entries(app, 'devices', 'settings')];

export function statusMenu(app: App): MenuGroups {
  const selection = app.shownDocument?.selection ?? null;
  const times = selection && `${place(app, selection.start, 'selection') ?? ''} – ${place(app, selection.end, 'selection') ?? ''}`;
  return [
    [copied(app, 'copy-position', t.copyPosition, position(app)), copied(app, 'copy-selection', t.copySelection, times), ...entries(app, 'copy-levels', 'copy-spectrum')],
    entries(app, 'go-to', 'zoom-selection', 'select-none'),
    entries(app, 'describe', 'notices'),
  ];
}

/** The menus of the parts of the status bar that show times. */
export const cursorTimeMenu = (app: App): MenuGroups => [[formats(app, 'cursor')], ...statusMenu(app)];
export const selectionTimeMenu = (app: App): MenuGroups => [[formats(app, 'selection')], ...statusMenu(app)];
