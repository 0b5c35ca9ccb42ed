// Commands of blind tests.

import { text } from '../../text/catalogue';
import { all, when, type Condition } from '../../commands/conditions';
import type { Command } from '../../commands/table';

const t = text.commands;
const { reasons } = text;

const command = (id: string, group: number, title: string, keys: string[], run: Command['run'], more: Partial<Command> = {}): Command => ({ id, menu: 'compare', group, title, keys, run, page: 'blind', ...more });

const running = when((app) => app.blind.trial !== null, reasons.noBlindTest);
const isAbx: Condition = all(running, when((app) => app.blind.trial?.names != null, reasons.noAbx));
const isRanking: Condition = all(running, when((app) => app.blind.trial?.names == null, reasons.noRanking));
const PLACES = [0, 1, 2, 3, 4, 5, 6, 7, 8];

export const blindCommands: Command[] = [
  command('blind-x', 0, t.blindX, ['X'], (app) => app.blind.hear({ kind: 'x' }), { enabled: isAbx }),
  command('blind-reference', 0, t.blindReference, ['0'], (app) => app.blind.hear({ kind: 'reference' }), { enabled: isRanking }),
  ...PLACES.map((place) =>
    command(
      `blind-${place + 1}`,
      1,
      t.blindPlace(place + 1),
      [`${place + 1}`],
      (app) => (app.blind.trial?.names ? app.blind.answer(place === 0 ? 'x_is_a' : 'x_is_b') : app.blind.hear({ kind: 'stimulus', place })),
      { unlisted: true, once: true, enabled: all(running, when((app) => place < (app.blind.trial?.stimuli || 2), reasons.noSuchVersion(place + 1))) },
    ),
  ),
  command('blind-up', 2, t.blindUp, ['Up'], (app) => app.blind.step(1), { unlisted: true, enabled: isRanking }),
  command('blind-down', 2, t.blindDown, ['Down'], (app) => app.blind.step(-1), { unlisted: true, enabled: isRanking }),
  command('blind-up-far', 2, t.blindUpFar, ['PageUp'], (app) => app.blind.step(10), { unlisted: true, enabled: isRanking }),
  command('blind-down-far', 2, t.blindDownFar, ['PageDown'], (app) => app.blind.step(-10), { unlisted: true, enabled: isRanking }),
  command('blind-next', 2, t.blindNext, ['Enter'], (app) => app.blind.next(), { once: true, enabled: isRanking }),
  command('blind-leave', 3, t.blindLeave, ['Escape'], (app) => (app.blind.trial ? app.blind.leave() : app.blind.report ? app.blind.hideReport() : app.showPage('compare'))),
  command('blind-give-up', 3, t.blindGiveUp, [], (app) => (app.blind.asking = true), { enabled: running }),
];
