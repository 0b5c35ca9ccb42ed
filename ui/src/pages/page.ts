// A page, as the window's bars, keys and menus see it. Its component is `Page.svelte` in its folder; `Status.svelte` there
// is its part of the status bar, and `Dialogs.svelte` has its dialogs.

import type Icon from '@lucide/svelte/icons/files';
import type { Event, JobView, Side, Startup } from '../bindings';
import type { Command, MenuName } from '../commands/table';
import type { App } from '../state/app.svelte';
import type { PageName } from './pages';

/** The sounds that A, B and matched loudness refer to. */
export interface Sides {
  /** The side that is heard, or would be. */
  side: Side;
  hear(side: Side): Promise<unknown>;
  words: Record<Side, { name: string; label: string }>;
  /** Whether there is something whose loudness could be matched. */
  canMatch: boolean;
  matched: boolean;
  setMatched(matched: boolean): Promise<unknown>;
  /** The gain that matches, once it is known. */
  gain: { db: number; stale: boolean } | null;
  matchWords: { plain: string; withGain(gain: string): string };
}

type Panes = Startup['settings']['panes'];

export interface Page<Name extends string = PageName> {
  name: Name;
  /** Its menu at the top; null if it has none. */
  menu: MenuName | null;
  /** Its button of the page switch, and the command that does the same. */
  tab?: { icon: typeof Icon; command: string };
  /** The page whose button is pressed while this one is in front. */
  within?: PageName;
  /** Whether it shows the document in front. */
  documents?: boolean;
  /** Whether the bar at the top says nothing about the sound that is heard. */
  hidesSound?: boolean;
  /** The words over the window while files are dragged: how it takes them; absent if they are opened. */
  drop?: string;
  /** Its commands, in the order of menus and palette. Those of the editor stand in the table among those of all pages. */
  commands?: Command[];
  /** Context menus, by the name in `data-menu`: groups of commands. */
  menus?: Record<string, string[][]>;
  /** Makes its state, which becomes part of the app's: `page.ts` declares it there. */
  state?(app: App): Partial<App>;
  /** Runs whenever the page is shown. */
  load?(app: App): unknown;
  /** Runs for every page when another comes to the front. */
  turned?(app: App, to: PageName, from: PageName): unknown;
  /** Takes the core's events. */
  events?: { [Kind in Event['kind']]?: (app: App, event: Extract<Event, { kind: Kind }>) => unknown };
  takeJob?(app: App, job: JobView): void;
  /** The widths and switches that are kept for the next start, and takes them then. */
  panes?(app: App): Panes;
  takePanes?(app: App, panes: Panes): void;
  /** Whether the program begins on it. */
  isFirst?(panes: Panes): boolean;
  /** The action of the play button and of Space; absent if they play the document. */
  play?: { can(app: App): boolean; toggle(app: App): unknown };
  /** Whether a dialog of its own is open, which keeps the keys. */
  asks?(app: App): boolean;
  /** The time shown at the top while nothing is heard; absent or null if it is the document's. */
  clock?(app: App): string | null;
  /** Its A and B; absent or null if these are the document's. */
  sides?(app: App): Sides | null;
}
