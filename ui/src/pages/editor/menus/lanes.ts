// The menus of the lanes and their rulers, of the overview, the analyser and the loudness.

import { COLOUR_MAPS } from '../../../draw/colour-maps';
import type { App } from '../../../state/app.svelte';
import { text } from '../../../text/catalogue';
import { FREQUENCY_RULERS, SCALES, TIME_RULERS } from '../commands/spectrogram';
import { choice, entries, entry, type MenuEntry, type MenuGroups } from '../../../commands/context/entry';

const t = text.menus;
const shown = (app: App): boolean => app.settings.now.spectrogram.display.blend > 0;
const colours = (app: App): MenuEntry => choice('colours', text.spectrogram.colours, COLOUR_MAPS.flatMap((name) => entry(app, `colours-${name}`, { title: text.spectrogram.colourNames[name] })));
const lanes = (app: App): MenuEntry => choice('lanes', t.lanes, entries(app, 'show-waveform', 'show-both', 'show-spectrogram'));
const pictures = (app: App): MenuEntry[] => [...(shown(app) ? [...entries(app, 'spectrogram'), colours(app)] : []), lanes(app), ...entries(app, 'picture')];

const CLIP = ['clip-select', 'clip-trim-start', 'clip-trim-end', 'clip-fade-in', 'clip-fade-out', 'clip-no-fades', 'clip-louder', 'clip-softer', 'clip-level', 'clip-move-left', 'clip-move-right', 'clip-crossfade'];
const clip = (app: App): MenuEntry => choice('clip', text.menus.subs.clip, entries(app, ...CLIP));

/** The menu of a clip's bar, which selects the clip. */
export const clipMenu = (app: App): MenuGroups => [
  entries(app, 'sound-cut', 'sound-copy', 'sound-paste', 'sound-delete', 'sound-duplicate', 'sound-reverse', 'sound-split', 'sound-join'),
  entries(app, 'clip-trim-start', 'clip-trim-end', 'clip-move-left', 'clip-move-right'),
  entries(app, 'clip-fade-in', 'clip-fade-out', 'clip-no-fades', 'clip-crossfade'),
  entries(app, 'clip-louder', 'clip-softer', 'clip-level'),
  entries(app, 'zoom-selection', 'region-add'),
];

export const snapMenu = (app: App): MenuGroups => [entries(app, 'snap-on'), entries(app, 'snap-clips', 'snap-markers', 'snap-ruler', 'snap-beats', 'snap-zero-crossings')];

export function lanesMenu(app: App): MenuGroups {
  return [
    entries(app, 'play', 'pause', 'loop'),
    [...entries(app, 'marker-add', 'sound-paste', 'sound-paste-mix', 'sound-insert-silence', 'sound-split'), clip(app)],
    entries(app, 'select-all', 'select-sound', 'selection-start', 'selection-end', ...(shown(app) ? ['band-tool'] : [])),
    entries(app, 'zoom-in', 'zoom-out', 'zoom-fit', 'go-to'),
    pictures(app),
    entries(app, 'add-effect', 'separate', 'export'),
  ];
}

export function selectionMenu(app: App): MenuGroups {
  return [
    entries(app, 'play-selection', 'loop'),
    entries(app, 'sound-cut', 'sound-copy', 'sound-paste', 'sound-paste-mix', 'sound-delete'),
    [...entries(app, 'sound-trim', 'sound-silence', 'sound-duplicate', 'sound-reverse', 'sound-split'), clip(app)],
    entries(app, 'region-add', 'markers-delete-selected'),
    entries(app, 'spectral_gain', 'spectral_isolate', 'spectral_heal'),
    entries(app, 'select-none', 'zoom-selection', ...(shown(app) ? ['band-tool'] : [])),
    pictures(app),
    entries(app, 'add-effect', 'export'),
  ];
}

export const timeRulerMenu = (app: App): MenuGroups => [entries(app, ...TIME_RULERS.map((name) => `time-ruler-${name}`)), entries(app, 'marker-add', 'marker-previous', 'marker-next', 'markers'), entries(app, 'go-to', 'to-start', 'to-end'), entries(app, 'zoom-in', 'zoom-out', 'zoom-selection', 'zoom-fit', 'follow')];

export const frequencyRulerMenu = (app: App): MenuGroups => [
  entries(app, ...FREQUENCY_RULERS.map((name) => `frequency-ruler-${name}`)),
  [choice('scale', text.spectrogram.scale, SCALES.flatMap((name) => entry(app, `scale-${name}`, { title: text.spectrogram.scales[name] })))],
  entries(app, 'frequency-in', 'frequency-out', 'frequency-all', 'harmonics'),
];

export const levelRulerMenu = (app: App): MenuGroups => [entries(app, 'levels-taller', 'levels-lower', 'levels-fit', 'levels-full'), entries(app, 'both-sides', 'show-waveform', 'show-both', 'show-spectrogram'), entries(app, 'next-channels', 'spectrogram')];

export const colourRulerMenu = (app: App): MenuGroups => [[colours(app), ...entries(app, 'brighter', 'darker', 'reset-colours')], entries(app, 'spectrogram', 'picture')];

export const overviewMenu = (app: App): MenuGroups => [entries(app, 'zoom-fit', 'zoom-selection'), entries(app, 'go-to', 'to-start', 'to-end'), entries(app, 'picture')];

export const analyserMenu = (app: App): MenuGroups => [entries(app, 'analyser-settings', 'reset-peaks'), entries(app, 'next-averaging', 'next-hold', 'next-slope', 'next-analyser-channels'), entries(app, 'analyser')];

export const loudnessMenu = (app: App): MenuGroups => [entries(app, 'copy-loudness', 'copy-heard-loudness'), entries(app, 'reset-loudness', 'next-target'), entries(app, 'loudness-lane')];

export const rackMenu = (app: App): MenuGroups => [entries(app, 'add-effect', 'presets', 'chain-text'), entries(app, 'other-rack', 'copy-rack', 'swap-racks'), entries(app, 'rack')];
