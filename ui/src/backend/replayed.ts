// The recorded answers in a plain browser, for the scene in the page's address: `?scene=library`.

import type { Backend } from './backend';
import { Replay, statesOf } from './replay';

const SCENES = import.meta.glob<Parameters<typeof statesOf>[0]>('../../tests/recorded/*.json', { import: 'default' });

export async function replayed(search: string): Promise<Backend> {
  const scene = new URLSearchParams(search).get('scene') ?? 'demo';
  const stored = await SCENES[`../../tests/recorded/${scene}.json`]?.();
  if (!stored) throw new Error(`no scene is called ${scene}`);
  return new Replay(statesOf(stored));
}
