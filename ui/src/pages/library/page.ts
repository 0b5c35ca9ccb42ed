// The page of the recordings in the library.

import LibraryBig from '@lucide/svelte/icons/library-big';
import { libraryCommands } from './commands/page';
import { Library } from './state/library.svelte';
import { text } from '../../text/catalogue';
import type { Page } from '../page';
import { auditionSides } from './sides';

declare module '../../state/app.svelte' {
  interface App {
    readonly library: Library;
  }
}

export const libraryPage: Page<'library'> = {
  name: 'library',
  menu: 'library',
  tab: { icon: LibraryBig, command: 'page-library' },
  drop: text.library.drop,
  commands: libraryCommands,
  menus: {
    map: [
      ['map-play', 'map-open', 'track-similar', 'track-file'],
      ['map-zoom-in', 'map-zoom-out', 'map-fit'],
      ['map-listen', 'map-clear'],
    ],
  },
  state: (app) => ({ library: new Library(app) }),
  load: (app) => app.library.load(),
  events: {
    scan: (app, { scan, counts }) => app.library.takeScan(scan, counts),
    library_changed: (app, { library }) => app.library.takeChange(library),
  },
  takeJob: (app, job) => app.library.questions.takeJob(job),
  panes: (app) => ({ ...app.library.panes(), library: app.page === 'library' ? 1 : 0 }),
  takePanes: (app, panes) => app.library.takePanes(panes),
  isFirst: (panes) => panes['library'] === 1,
  play: {
    can: (app) => app.library.current !== null || app.library.questions.audition.pair !== null,
    toggle: (app) => app.library.toggle(),
  },
  asks: ({ library: { questions } }) => questions.bin.phase !== null || questions.tags.view !== null,
  sides: auditionSides,
};
