// Answers to questions: alike, the same, the map, clips, the bin.

import type { BinOutcome, Decision, DuplicatesView, IdentifiedView, JobPurpose, JobView, TrackItem } from '../../../bindings';
import type { Handlers } from '../handlers';
import { failure } from '../handlers';
import type { World } from '../world';
import { alike } from './alike';
import { identifiedAs } from './clips';
import { duplicatesOf, pairKey } from './copies';

type Questions = Pick<
  Handlers,
  'similar_tracks' | 'find_duplicates' | 'duplicates' | 'decide_duplicates' | 'make_map' | 'identify_clip' | 'identified' | 'bin_tracks' | 'restore_tracks' | 'library_numbers' | 'library_rows'
>;

const STEPS = 20;
const STEP_MS = 50;

export function questions(world: World): Questions {
  const { library } = world;
  const decisions = new Map<string, Decision>();
  const binned = new Map<number, TrackItem>();
  let found: { view: DuplicatesView; content: string } | null = null;
  let heard: IdentifiedView | null = null;

  function job(purpose: JobPurpose, title: string, stepMs: number, finish: () => void): number {
    const id = world.nextJob++;
    const view: JobView = { id, purpose, title, state: 'running', done: 0, total: STEPS, rate: 1000 / stepMs, remaining_s: (STEPS * stepMs) / 1000, result: null, failure: null };
    world.jobs.set(id, view);
    world.emit({ kind: 'job', job: view });
    const timer = setInterval(() => {
      if (view.state !== 'running') return clearInterval(timer);
      view.done++;
      view.remaining_s = ((STEPS - view.done) * stepMs) / 1000;
      if (view.done >= STEPS) {
        finish();
        view.state = 'done';
      }
      world.emit({ kind: 'job', job: view });
    }, stepMs);
    return id;
  }

  return {
    similar_tracks: ({ like, weights, count }) => {
      const asked = like.kind === 'track' ? library.item(like.track) : library.items.find((item) => item.state === 'done');
      if (!asked) return [];
      if (asked.state === 'waiting' || asked.state === 'failed') throw failure('invalid', `${asked.name} has not been analysed`);
      return alike(asked, library.items, weights, count);
    },
    find_duplicates: () => job('duplicates', 'Find duplicates', STEP_MS, () => (found = { view: duplicatesOf(library.items, decisions), content: library.content() })),
    duplicates: () => found && { ...found.view, outdated: found.content !== library.content() },
    decide_duplicates: ({ first, second, decision }) => {
      if (decision === null) decisions.delete(pairKey(first, second));
      else decisions.set(pairKey(first, second), decision);
      const item = found?.view.groups.flatMap((group) => group.members).find((each) => each.track.id === second);
      if (item) item.decision = decision;
      return null;
    },
    make_map: () => job('map', 'Lay out the map', STEP_MS, () => library.layOut()),
    identify_clip: ({ clip }) => job('identify', 'Identify', clip.kind === 'microphone' ? (clip.seconds * 1000) / STEPS : STEP_MS, () => (heard = identifiedAs(clip, library.items))),
    identified: () => heard,
    bin_tracks: ({ tracks }) => {
      const outcome: BinOutcome = { moved: [], bytes: 0, failures: [], restorable: true };
      for (const id of tracks) {
        const item = library.item(id);
        if (id % 17 === 0) {
          outcome.failures.push({ track: id, name: item.name, failure: { code: 'io', message: 'the disk is read-only', notation: null } });
          continue;
        }
        binned.set(id, { ...item });
        item.state = 'vanished';
        outcome.moved.push(id);
        outcome.bytes += item.bytes;
      }
      library.changed();
      return outcome;
    },
    restore_tracks: ({ tracks }) => {
      const outcome: BinOutcome = { moved: [], bytes: 0, failures: [], restorable: true };
      for (const id of tracks) {
        const held = binned.get(id);
        if (!held) continue;
        Object.assign(library.item(id), { state: held.state });
        binned.delete(id);
        outcome.moved.push(id);
        outcome.bytes += held.bytes;
      }
      library.changed();
      return outcome;
    },
    library_numbers: ({ query }) => library.list(query).map((item) => item.id),
    library_rows: ({ tracks }) => {
      const byId = new Map(library.items.map((item) => [item.id, item]));
      return tracks.map((id) => byId.get(id)).filter((item) => item !== undefined);
    },
  };
}
