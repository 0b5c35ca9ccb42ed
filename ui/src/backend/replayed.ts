// The recorded answers in a plain browser, for the scene in the page's address: `?scene=library`.

import type { Backend } from './backend';
import { Replay, statesOf } from './replay';

const RECORDED = import.meta.glob('../../tests/recorded/**/*.json', { import: 'default' });
const read = async (name: string): Promise<unknown> => RECORDED[`../../tests/recorded/${name}.json`]?.();

export async function replayed(search: string): Promise<Backend> {
  const scene = new URLSearchParams(search).get('scene') ?? 'demo';
  const stored = (await read(scene)) as Parameters<typeof statesOf>[0] | undefined;
  if (!stored) throw new Error(`no scene is called ${scene}`);
  return new Replay(statesOf(stored, await read('shared/effects')));
}
