// The page that compares versions of a recording.

import GitCompare from '@lucide/svelte/icons/git-compare-arrows';
import { compareCommands } from './commands';
import { timeCode } from '../../lib/time';
import { Compare } from './state.svelte';
import { text } from '../../text/catalogue';
import type { Page } from '../page';
import { versionSides } from './sides';

declare module '../../state/app.svelte' {
  interface App {
    readonly compare: Compare;
  }
}

export const comparePage: Page<'compare'> = {
  name: 'compare',
  menu: 'compare',
  tab: { icon: GitCompare, command: 'page-compare' },
  drop: text.compare.drop,
  commands: compareCommands,
  menus: {
    versions: [
      ['compare-hear', 'compare-difference'],
      ['compare-reference', 'compare-remove'],
      ['compare-files', 'compare-document'],
    ],
    'compare-lanes': [
      ['play', 'compare-difference'],
      ['compare-beside', 'compare-over', 'compare-levels'],
    ],
    measures: [['compare-copy'], ['compare-csv', 'compare-json', 'compare-markdown', 'compare-html']],
  },
  state: (app) => ({ compare: new Compare(app) }),
  load: (app) => app.compare.load(),
  turned: (app, to, from) => (to === 'compare' || from === 'compare') && app.notices.attempt(() => app.backend.call('compare.take_drops', { on: to === 'compare' })),
  events: {
    compare: (app, event) => app.compare.take(event.compare),
    compare_peaks: (app, event) => app.compare.takePeaks(event.sound, event.waveform),
  },
  play: { can: (app) => app.compare.timeline !== null, toggle: (app) => app.compare.toggle() },
  clock: ({ compare }) => compare.timeline && timeCode(compare.cursor, compare.timeline.rate),
  sides: versionSides,
};
