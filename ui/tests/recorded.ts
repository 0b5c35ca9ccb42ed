// The core's answers as tests/app/answers recorded them. With UNDERTONE_ASK=1 what is not recorded yet is asked of the core
// itself and added to the recording; `UNDERTONE_WRITE_ANSWERS=1 cargo test --test app answers` then writes the answers in
// their final form.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { Backend, CommandName } from '../src/backend';
import { Replay, statesOf, type AskCore, type State } from '../src/backend/replay';
import type { Commands, EffectView, TrackItem } from '../src/bindings';
import { liveCore } from './live';

export type Scene = 'empty' | 'demo' | 'missing-device' | 'batch' | 'library' | 'library-empty' | 'library-unreachable' | 'library-broken' | 'library-silent-clip' | 'library-tags';

const known = new Map<Scene, State[]>();
const replays: Replay[] = [];
/** Scenes of which something new was asked. */
const grown = new Set<Scene>();
const asks = process.env['UNDERTONE_ASK'] !== undefined;
const file = (scene: Scene | 'shared/effects'): string => join(import.meta.dirname, 'recorded', `${scene}.json`);
const effects: unknown = JSON.parse(readFileSync(file('shared/effects'), 'utf8'));

function states(scene: Scene): State[] {
  const held = known.get(scene);
  if (held) return held;
  const read = existsSync(file(scene)) ? statesOf(JSON.parse(readFileSync(file(scene), 'utf8')), effects) : [{ from: null, queries: [] }];
  known.set(scene, read);
  return read;
}

function asking(scene: Scene): AskCore {
  const ask = liveCore(scene);
  return (path, request) => {
    grown.add(scene);
    return ask(path, request);
  };
}

/** A backend at the beginning of a scene. */
export function recorded(scene: Scene, delayMs = 0): Replay {
  const replay = new Replay(states(scene), delayMs, asks ? asking(scene) : null);
  replays.push(replay);
  return replay;
}

/** The answer to a query at the beginning of a scene. */
export function answerOf<K extends CommandName>(scene: Scene, call: K): Commands[K]['result'] {
  const answer = states(scene)[0]?.queries.find((each) => each.call === call)?.outcome?.answer;
  if (answer === undefined && !asks) throw new Error(`${call} is not recorded in ${scene}`);
  return answer as Commands[K]['result'];
}

/** The core's effects. */
export const EFFECTS: EffectView[] = answerOf('empty', 'workspace.startup')?.effects ?? [];
/** The columns and dimensions of the library. */
export const { columns: COLUMNS, dimensions: DIMENSIONS } = answerOf('library', 'library.view') ?? { columns: [], dimensions: [] };

/** All tracks of the scene's library, in the order of its table. */
export async function tracksOf(backend: Backend): Promise<TrackItem[]> {
  return (await backend.call('library.tracks', { query: { text: '', sort: [] }, offset: 0, limit: 200 })).rows;
}

/** A track of the library. */
export const TRACK = answerOf('library', 'library.tracks')?.rows[0] as TrackItem;

/** Those that were analysed. */
export const analysedOf = async (backend: Backend): Promise<TrackItem[]> => (await tracksOf(backend)).filter((item) => item.state === 'done');

afterEach(() => {
  const missing = replays.splice(0).flatMap((replay) => replay.missing);
  for (const scene of grown) writeFileSync(file(scene), JSON.stringify({ shared: [], states: states(scene) }));
  expect(missing, 'asked, but not recorded').toEqual([]);
});
