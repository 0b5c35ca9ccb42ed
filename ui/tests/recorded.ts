// The core's answers as tests/app/answers recorded them. With UNDERTONE_ASK=1 what is not recorded yet is asked of the core
// itself and added to the recording; `UNDERTONE_WRITE_ANSWERS=1 cargo test --test app answers` then writes the answers in
// their final form.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { CommandName } from '../src/backend';
import { Replay, statesOf, type State } from '../src/backend/replay';
import type { Commands, EffectView } from '../src/bindings';
import { liveCore } from './live';

export type Scene = 'empty' | 'demo' | 'missing-device' | 'batch' | 'library' | 'library-empty' | 'library-unreachable' | 'library-broken';

const known = new Map<Scene, State[]>();
const replays: Replay[] = [];
const asks = process.env['UNDERTONE_ASK'] !== undefined;
const file = (scene: Scene): string => join(import.meta.dirname, 'recorded', `${scene}.json`);

function states(scene: Scene): State[] {
  const held = known.get(scene);
  if (held) return held;
  const read = existsSync(file(scene)) ? statesOf(JSON.parse(readFileSync(file(scene), 'utf8'))) : [{ from: null, queries: [] }];
  known.set(scene, read);
  return read;
}

/** A backend at the beginning of a scene. */
export function recorded(scene: Scene, delayMs = 0): Replay {
  const replay = new Replay(states(scene), delayMs, asks ? liveCore(scene) : null);
  replays.push(replay);
  return replay;
}

/** What a query is answered at the beginning of a scene. */
export function answerOf<K extends CommandName>(scene: Scene, call: K): Commands[K]['result'] {
  const answer = states(scene)[0]?.queries.find((each) => each.call === call)?.outcome?.answer;
  if (answer === undefined) throw new Error(`${call} is not recorded in ${scene}`);
  return answer as Commands[K]['result'];
}

/** The core's effects. */
export const EFFECTS: EffectView[] = asks ? [] : answerOf('empty', 'startup').effects;

afterEach(() => {
  const missing = replays.splice(0).flatMap((replay) => replay.missing);
  if (asks) for (const [scene, each] of known) writeFileSync(file(scene), JSON.stringify({ shared: [], states: each }));
  expect(missing, 'asked, but not recorded').toEqual([]);
});
