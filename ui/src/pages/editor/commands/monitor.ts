// Commands of the playback displays: the analyser and loudness.

import type { AnalyserSettings, LaneChannels } from '../../../bindings';
import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { all, when, withDocument } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.commands;

export const ANALYSER_FRAMES = [2048, 4096, 8192, 16_384];
export const TARGETS_LUFS = [-23, -24, -18, -16, -14];
const AVERAGINGS = Object.keys(text.analyser.averagings) as AnalyserSettings['averaging'][];
const HOLDS = Object.keys(text.analyser.holds) as AnalyserSettings['hold'][];
// Listed here because object keys that look like numbers would be reordered.
export const SLOPES: AnalyserSettings['slope'][] = ['0', '3', '4.5'];
const CHANNELS: LaneChannels[] = ['mix', 'each', 'mid_side'];

const next = <T>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length] ?? now;
const open = all(withDocument, when((app) => app.settings.now.analyser.open, text.reasons.noAnalyser));
const holding = all(open, when((app) => app.settings.now.analyser.hold !== 'off', text.reasons.noHold));
const laneOpen = all(withDocument, when((app) => app.settings.now.loudness.lane, text.reasons.noLoudness));

function resize(app: App, step: 1 | -1): void {
  const frames = ANALYSER_FRAMES[ANALYSER_FRAMES.indexOf(app.settings.now.analyser.window_frames) + step];
  if (frames !== undefined) app.settings.setAnalyser({ window_frames: frames });
}

const command = (id: string, title: string, key: string, run: (app: App) => unknown, more: Partial<Command> = {}): Command => ({
  id,
  menu: 'view',
  group: 3,
  title,
  keys: key === '' ? [] : [key],
  enabled: open,
  run,
  ...more,
});

const step: Partial<Command> = { unlisted: true };

export const monitorCommands: Command[] = [
  command('analyser', t.analyser, 'V', (app) => app.settings.setAnalyser({ open: !app.settings.now.analyser.open }), { enabled: withDocument, checked: (app) => app.settings.now.analyser.open }),
  command('analyser-settings', t.analyserSettings, 'Shift+V', (app) => (app.dialogs.analyserSettingsOpen = !app.dialogs.analyserSettingsOpen)),
  command('loudness-lane', t.loudnessLane, 'Shift+L', (app) => app.settings.setLoudness({ lane: !app.settings.now.loudness.lane }), { enabled: withDocument, checked: (app) => app.settings.now.loudness.lane }),
  command('reset-peaks', t.resetPeaks, 'X', (app) => app.monitor.reset('peaks'), { ...step, enabled: holding }),
  command('reset-loudness', t.resetLoudness, 'Shift+X', (app) => app.monitor.reset('loudness'), step),
  command('next-averaging', t.nextAveraging, 'Shift+A', (app) => app.settings.setAnalyser({ averaging: next(AVERAGINGS, app.settings.now.analyser.averaging) }), step),
  command('next-hold', t.nextHold, 'Shift+H', (app) => app.settings.setAnalyser({ hold: next(HOLDS, app.settings.now.analyser.hold) }), step),
  command('next-slope', t.nextSlope, 'Shift+O', (app) => app.settings.setAnalyser({ slope: next(SLOPES, app.settings.now.analyser.slope) }), step),
  command('next-analyser-channels', t.nextAnalyserChannels, 'Shift+C', (app) => app.settings.setAnalyser({ channels: next(CHANNELS, app.settings.now.analyser.channels) }), step),
  command('longer-analyser', t.longerAnalyser, 'J', (app) => resize(app, 1), step),
  command('shorter-analyser', t.shorterAnalyser, 'Shift+J', (app) => resize(app, -1), step),
  command('next-target', t.nextTarget, 'Shift+K', (app) => app.settings.setLoudness({ target_lufs: next(TARGETS_LUFS, app.settings.now.loudness.target_lufs) }), { ...step, enabled: laneOpen }),
];
