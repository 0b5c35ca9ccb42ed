// Finds the menu for the pointer or the focus: the one named by the innermost element.

import { findNode } from '../../lib/chain';
import { PAGES } from '../../pages/pages';
import type { App } from '../../state/app.svelte';
import { clockMenu, cursorTimeMenu, deviceMenu, metersMenu, selectionTimeMenu, statusMenu, transportMenu } from './bars';
import { entries, type MenuGroups } from './entry';
import { analyserMenu, clipMenu, colourRulerMenu, frequencyRulerMenu, lanesMenu, levelRulerMenu, loudnessMenu, overviewMenu, rackMenu, selectionMenu, snapMenu, timeRulerMenu } from '../../pages/editor/menus/lanes';
import { seriesMenu } from '../../pages/library/series-menu';
import { markerMenu } from '../../pages/editor/menus/marker';
import { parameterMenu } from '../../pages/editor/menus/parameter';
import { slotMenu } from '../../pages/editor/menus/slot';
import { tabMenu } from '../../pages/editor/menus/tab';
import { trackMenu } from '../../pages/editor/menus/track';
import { isTextField, textFieldMenu } from './text-field';

const PLAIN = {
  lanes: lanesMenu,
  selection: selectionMenu,
  clip: clipMenu,
  snap: snapMenu,
  'time-ruler': timeRulerMenu,
  'frequency-ruler': frequencyRulerMenu,
  'level-ruler': levelRulerMenu,
  'colour-ruler': colourRulerMenu,
  overview: overviewMenu,
  analyser: analyserMenu,
  loudness: loudnessMenu,
  rack: rackMenu,
  transport: transportMenu,
  clock: clockMenu,
  meters: metersMenu,
  device: deviceMenu,
  status: statusMenu,
  'cursor-time': cursorTimeMenu,
  'selection-time': selectionTimeMenu,
} satisfies Record<string, (app: App) => MenuGroups>;

/** The menus that an element of all pages or of the editor can name in `data-menu`; `data-about` and `data-parameter` name its subject. */
export type ContextName = keyof typeof PLAIN | 'tab' | 'slot' | 'parameter' | 'marker' | 'track' | 'series';

/** The menus of values edited in place. */
const TYPED = new Set(['parameter', 'selection-time']);

const isPlain = (name: string): name is keyof typeof PLAIN => name in PLAIN;

function menuOf(app: App, element: HTMLElement): MenuGroups {
  const { menu: name = '', about = '', parameter = '' } = element.dataset;
  if (isPlain(name)) return PLAIN[name](app);
  const ofPage = PAGES.find(({ menus }) => menus?.[name])?.menus?.[name];
  if (ofPage) return ofPage.map((group) => entries(app, ...group));
  const { active } = app.documents;
  const id = Number(about);
  if (name === 'series') return seriesMenu(app, element);
  if (name === 'tab') {
    const tab = app.documents.find(id);
    return tab ? tabMenu(app, tab) : [];
  }
  if (name === 'marker') {
    const marker = active?.markers.all.find((each) => each.id === id);
    return active && marker ? markerMenu(app, active, marker) : [];
  }
  if (name === 'track') {
    const track = active?.tracks.all.find((each) => each.id === id);
    return active && track ? trackMenu(app, active, track) : [];
  }
  const node = active && findNode(active.chain, id);
  if (!active || !node) return [];
  return name === 'parameter' ? parameterMenu(app, active, node, parameter, element) : slotMenu(app, active, node);
}

/** Returns the groups of an element’s menu; empty if it has no menu. */
export function contextMenuFor(app: App, target: Element): MenuGroups {
  const element = target.closest<HTMLElement>('[data-menu]');
  const menu = element ? menuOf(app, element) : [];
  // A field edited in place is text as well as a parameter or a time.
  const groups = isTextField(target) ? [...textFieldMenu(app, target), ...(TYPED.has(element?.dataset['menu'] ?? '') ? menu : [])] : menu;
  return groups.filter((group) => group.length > 0);
}
