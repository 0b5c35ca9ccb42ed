// Commands of the spectrogram; the letters are Spek's where they are free.

import type { FrequencyScale, LaneChannels, SpectrogramDisplay, WindowName } from '../../../bindings';
import { COLOUR_MAPS } from '../../../draw/colour-maps';
import { scrolledAxis, WHOLE_AXIS, zoomedAxis } from '../../../lib/frequency-scale';
import { BLENDS, GAIN_DB, RANGE_DB, stepGain, WINDOW_FRAMES } from '../../../lib/spectrogram-limits';
import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { inSentence } from '../../../text/language';
import { withDocument, withSpectrogram } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.commands;

const CHANNELS: LaneChannels[] = ['each', 'mix', 'mid_side'];
export const SCALES: FrequencyScale[] = ['linear', 'log', 'mel', 'bark', 'erb'];
const WINDOWS = Object.keys(text.spectrogram.windows) as WindowName[];
const COMPARES: SpectrogramDisplay['compare'][] = ['off', 'wipe', 'difference'];
export const TIME_RULERS: SpectrogramDisplay['time_ruler'][] = ['time', 'samples', 'beats'];
export const FREQUENCY_RULERS: SpectrogramDisplay['frequency_ruler'][] = ['hz', 'notes'];

const next = <T>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length] ?? now;
const display = (app: App): SpectrogramDisplay => app.settings.now.spectrogram.display;

function resize(app: App, step: 1 | -1): void {
  const size = WINDOW_FRAMES[WINDOW_FRAMES.indexOf(app.settings.now.spectrogram.analysis.window_frames) + step];
  if (size !== undefined) app.setAnalysis({ window_frames: size });
}

function axis(app: App, change: (view: typeof WHOLE_AXIS) => typeof WHOLE_AXIS): void {
  const spectrogram = app.documents.active?.spectrogram;
  if (spectrogram) spectrogram.axis = change(spectrogram.axis);
}

/** A step through settings, unlisted since the panel shows all of them at once. */
const step: Partial<Command> = { unlisted: true };
const zooming: Partial<Command> = { sub: { menu: 'zoom' } };

const command = (id: string, group: number, title: string, key: string | null, run: (app: App) => unknown, more: Partial<Command> = {}): Command => ({
  id,
  menu: 'view',
  group,
  title,
  keys: key === null ? [] : [key],
  enabled: withSpectrogram,
  run,
  ...more,
});

export const spectrogramCommands: Command[] = [
  ...(['waveform', 'both', 'spectrogram'] as const).map((name, index) =>
    command(`show-${name}`, 0, t.lanesShown(inSentence(text.spectrogram.blends[name])), `${index + 1}`, (app) => app.settings.setDisplay({ blend: BLENDS[name] }), {
      enabled: withDocument,
      checked: (app) => (name === 'both' ? display(app).blend > 0 && display(app).blend < 1 : display(app).blend === BLENDS[name]),
    }),
  ),
  command('spectrogram', 2, t.spectrogram, 'G', (app) => (app.dialogs.spectrogramOpen = !app.dialogs.spectrogramOpen), { enabled: withDocument }),
  command('harmonics', 2, t.harmonics, 'H', (app) => (app.harmonics = !app.harmonics), { checked: (app) => app.harmonics }),
  command('next-compare', 2, t.nextCompare, 'K', (app) => app.settings.setDisplay({ compare: next(COMPARES, display(app).compare) })),
  command('next-channels', 2, t.nextChannels, 'C', (app) => app.settings.setDisplay({ channels: next(CHANNELS, display(app).channels) }), step),
  command('next-colours', 2, t.nextColours, 'Shift+P', (app) => app.settings.setDisplay({ colours: next(COLOUR_MAPS, display(app).colours) }), step),
  command('next-scale', 2, t.nextScale, 'Shift+S', (app) => app.setAnalysis({ scale: next(SCALES, app.settings.now.spectrogram.analysis.scale) }), step),
  command('next-window', 2, t.nextWindow, 'Shift+F', (app) => app.setAnalysis({ window: next(WINDOWS, app.settings.now.spectrogram.analysis.window) }), step),
  command('longer-window', 2, t.longerWindow, 'W', (app) => resize(app, 1), step),
  command('shorter-window', 2, t.shorterWindow, 'Shift+W', (app) => resize(app, -1), step),
  command('brighter', 2, t.brighter, 'U', (app) => app.settings.setDisplay({ gain_db: stepGain(display(app).gain_db + 2) }), step),
  command('darker', 2, t.darker, 'Shift+U', (app) => app.settings.setDisplay({ gain_db: stepGain(display(app).gain_db - 2) }), step),
  command('next-time-ruler', 2, t.nextTimeRuler, 'Shift+T', (app) => app.settings.setDisplay({ time_ruler: next(TIME_RULERS, display(app).time_ruler) }), { ...step, enabled: withDocument }),
  command('next-frequency-ruler', 2, t.nextFrequencyRuler, 'N', (app) => app.settings.setDisplay({ frequency_ruler: display(app).frequency_ruler === 'hz' ? 'notes' : 'hz' }), step),
  ...TIME_RULERS.map((name) => command(`time-ruler-${name}`, 2, t.timeRuler(text.spectrogram.timeRulers[name]), null, (app) => app.settings.setDisplay({ time_ruler: name }), { ...step, enabled: withDocument, checked: (app) => display(app).time_ruler === name })),
  ...FREQUENCY_RULERS.map((name) => command(`frequency-ruler-${name}`, 2, t.frequencyRuler(text.spectrogram.frequencyRulers[name]), null, (app) => app.settings.setDisplay({ frequency_ruler: name }), { ...step, checked: (app) => display(app).frequency_ruler === name })),
  ...SCALES.map((name) => command(`scale-${name}`, 2, t.scale(text.spectrogram.scales[name]), null, (app) => app.setAnalysis({ scale: name }), { ...step, checked: (app) => app.settings.now.spectrogram.analysis.scale === name })),
  ...COLOUR_MAPS.map((name) => command(`colours-${name}`, 2, t.colours(text.spectrogram.colourNames[name]), null, (app) => app.settings.setDisplay({ colours: name }), { ...step, checked: (app) => display(app).colours === name })),
  command('reset-colours', 2, t.resetColours, null, (app) => app.settings.setDisplay({ gain_db: GAIN_DB.initial, range_db: RANGE_DB.initial }), step),
  command('frequency-in', 1, t.frequencyIn, 'Ctrl+Shift+Up', (app) => axis(app, (view) => zoomedAxis(view, 0.5, 0.5)), zooming),
  command('frequency-out', 1, t.frequencyOut, 'Ctrl+Shift+Down', (app) => axis(app, (view) => zoomedAxis(view, 2, 0.5)), zooming),
  command('frequency-up', 1, t.frequencyUp, 'Ctrl+Up', (app) => axis(app, (view) => scrolledAxis(view, 0.1 * (view.top - view.bottom))), step),
  command('frequency-down', 1, t.frequencyDown, 'Ctrl+Down', (app) => axis(app, (view) => scrolledAxis(view, -0.1 * (view.top - view.bottom))), step),
  command('frequency-all', 1, t.frequencyAll, 'Ctrl+Shift+F', (app) => axis(app, () => WHOLE_AXIS), zooming),
];
