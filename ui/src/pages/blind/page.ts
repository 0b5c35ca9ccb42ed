// The page of blind tests, which the Compare page opens.

import { blindCommands } from './commands';
import { Blind } from './state.svelte';
import { documentSides } from '../../state/sides';
import type { Page } from '../page';

declare module '../../state/app.svelte' {
  interface App {
    readonly blind: Blind;
  }
}

export const blindPage: Page<'blind'> = {
  name: 'blind',
  menu: 'compare',
  within: 'compare',
  hidesSound: true,
  commands: blindCommands,
  state: (app) => ({ blind: new Blind(app) }),
  load: (app) => app.blind.load(),
  // Elsewhere the bar at the top says how loud it is, and the lanes where in the recordings.
  turned: (app, _, from) => from === 'blind' && app.blind.pause(),
  play: { can: (app) => app.blind.trial !== null, toggle: (app) => app.blind.toggle() },
  // A ranking has no A and B.
  sides: (app) => ({ ...documentSides(app), hear: async (side) => app.blind.trial?.names && app.blind.hear({ kind: side === 'original' ? 'a' : 'b' }) }),
};
