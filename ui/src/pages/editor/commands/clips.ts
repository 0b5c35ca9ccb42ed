// Commands of the clip at the cursor, and of snapping.

import type { ClipEdit, SnapSettings } from '../../../bindings';
import { LEAST_GAIN_DB, MOST_GAIN_DB, clipAt, isSound, nearestJoin, nextEdge, selectionOf, turnedClip, type PlacedClip } from '../../../lib/clips';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { toggleSnap } from '../../../state/snapping.svelte';
import { text } from '../../../text/catalogue';
import { all, when, withDocument, type Condition } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.soundEdits.clips.commands;
const r = text.soundEdits.clips.reasons;

interface Here {
  document: DocumentState;
  clip: PlacedClip;
  /** The cursor, counted from the start of the clip. */
  at: number;
}

/** Returns the clip of sound at the cursor. */
function here(app: App): Here | null {
  const document = app.documents.active;
  const clip = document && clipAt(document.clips.all, document.cursor);
  return document && clip && isSound(clip) ? { document, clip, at: document.cursor - clip.start } : null;
}

const withClip = all(withDocument, when((app) => here(app) !== null, r.silence));
const whose = (test: (here: Here) => boolean, reason: string): Condition =>
  all(
    withClip,
    when((app) => {
      const found = here(app);
      return found !== null && test(found);
    }, reason),
  );
const inside = whose(({ clip, at }) => at > 0 && at < clip.frames, r.edge);

/** The sounding clip before or after one, which may be silence away. */
const neighbour = ({ document, clip }: Here, step: 1 | -1): PlacedClip | undefined => (step > 0 ? document.clips.all.find((each) => each.index > clip.index && isSound(each)) : document.clips.all.findLast((each) => each.index < clip.index && isSound(each)));

const edited = (edit: (here: Here) => ClipEdit | null) => (app: App): unknown => {
  const found = here(app);
  const change = found && edit(found);
  return found && change && app.notices.attempt(() => found.document.clips.edit(found.clip.index, change));
};

const command = (id: string, title: string, keys: string[], enabled: Condition, run: Command['run']): Command => ({ id: `clip-${id}`, menu: 'edit', group: 2, sub: { menu: 'clip' }, title, keys, enabled, run });

const move = (step: 1 | -1) =>
  edited((found) => {
    const next = neighbour(found, step);
    return next ? { kind: 'move', to: step > 0 ? next.end : next.start } : null;
  });

const beyond = (step: 1 | -1): Condition =>
  all(
    withDocument,
    when((app) => {
      const document = app.documents.active;
      return document !== null && nextEdge(document.clips.all, document.cursor, step) !== null;
    }, r.noEdge),
  );

const go = (step: 1 | -1) => (app: App): unknown => {
  const document = app.documents.active;
  const edge = document && nextEdge(document.clips.all, document.cursor, step);
  if (!document || edge === null) return null;
  const head = app.player.headOf(document);
  document.setCursor(edge);
  return head === null ? null : app.player.seek(document, edge);
};

const turn = (by: number) => edited(({ clip }) => turnedClip(clip, by).edit);

export const clipCommands: Command[] = [
  command('previous-edge', t.previousEdge, ['Alt+,'], beyond(-1), go(-1)),
  command('next-edge', t.nextEdge, ['Alt+.'], beyond(1), go(1)),
  command('select', t.select, ['Shift+D'], withClip, (app) => {
    const found = here(app);
    return found?.document.commitSelection(selectionOf(found.clip));
  }),
  command('move-left', t.moveLeft, ['Alt+Shift+Left'], whose((found) => neighbour(found, -1) !== undefined, r.first), move(-1)),
  command('move-right', t.moveRight, ['Alt+Shift+Right'], whose((found) => neighbour(found, 1) !== undefined, r.last), move(1)),
  command('trim-start', t.trimStart, ['Alt+['], inside, edited(({ at }) => ({ kind: 'start', by: at, closes: false }))),
  command('trim-end', t.trimEnd, ['Alt+]'], inside, edited(({ clip, at }) => ({ kind: 'end', by: at - clip.frames, closes: false }))),
  command('fade-in', t.fadeIn, ['Alt+Shift+I'], inside, edited(({ at }) => ({ kind: 'fade_in', frames: at }))),
  command('fade-out', t.fadeOut, ['Alt+Shift+O'], inside, edited(({ clip, at }) => ({ kind: 'fade_out', frames: clip.frames - at }))),
  command('no-fades', t.noFades, [], whose(({ clip }) => clip.fade_in + clip.fade_out > 0, r.noFades), edited(() => ({ kind: 'no_fades' }))),
  command('louder', t.louder, ['Alt+Shift+Up'], whose(({ clip }) => clip.gain_db < MOST_GAIN_DB, r.loudest), turn(1)),
  command('softer', t.softer, ['Alt+Shift+Down'], whose(({ clip }) => clip.gain_db > LEAST_GAIN_DB, r.softest), turn(-1)),
  command('level', t.level, [], whose(({ clip }) => clip.gain_db !== 0, r.noGain), edited(() => ({ kind: 'gain', db: 0 }))),
  command('crossfade', t.crossfade, ['Alt+Shift+X'], all(withDocument, when((app) => (app.documents.active ? nearestJoin(app.documents.active.clips.all, app.documents.active.cursor) : null) !== null, r.noJoin)), (app) => (app.dialogs.open = 'crossfade')),
];

const TARGETS = ['clips', 'markers', 'ruler', 'beats', 'zero_crossings'] as const;
const snap = (what: keyof SnapSettings, title: string, short: string, keys: string[]): Command => ({
  id: `snap-${what.replace('_', '-')}`,
  menu: 'edit',
  group: 3,
  sub: { menu: 'snap', title: short },
  title,
  keys,
  checked: (app) => app.settings.now.snap[what],
  run: (app) => toggleSnap(app, what),
});

const s = text.soundEdits.snap;
export const snapCommands: Command[] = [snap('on', s.on, s.on, ['Shift+N']), ...TARGETS.map((target) => snap(target, s.to(s.name[target]), s.name[target], []))];
