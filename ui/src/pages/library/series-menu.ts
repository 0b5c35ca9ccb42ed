// The menu of a track's pictures.

import type { App } from '../../state/app.svelte';
import { text } from '../../text/catalogue';
import { COLOUR_MAPS } from '../../draw/colour-maps';
import { choice, type MenuGroups } from '../../commands/context/entry';

const t = text.barMenus;

/** The menu of a picture. `at` is the second under the pointer, `value` the picture's value there. */
export function seriesMenu(app: App, element: HTMLElement): MenuGroups {
  const { about = '', at = '', value = '', playable } = element.dataset;
  const { display } = app.settings.now.spectrogram;
  const colours = COLOUR_MAPS.map((name) => ({ id: `series-${name}`, title: text.spectrogram.colourNames[name], checked: display.colours === name, run: () => app.settings.setDisplay({ colours: name }) }));
  return [
    [
      { id: 'series-play', title: t.playFromHere, reason: playable === undefined || at === '' ? text.library.page.unreachable : null, run: () => app.library.play(Number(about), Number(at)) },
      { id: 'series-copy', title: t.copyValue, reason: value === '' ? text.reasons.noValue : null, run: () => app.notices.attempt(() => navigator.clipboard.writeText(value)) },
    ],
    [choice('series-colours', text.spectrogram.colours, colours)],
  ];
}
