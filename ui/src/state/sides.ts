// A and B of the document in front: its original and its processed sound.

import type { Sides } from '../pages/page';
import { text } from '../text/catalogue';
import type { App } from './app.svelte';

export function documentSides(app: App): Sides {
  const { player } = app;
  const { active } = app.documents;
  const t = text.transport;
  return {
    side: player.documentsSide,
    hear: (side) => player.setSide(side),
    words: { original: { name: t.original, label: t.hearOriginal }, processed: { name: t.processed, label: t.hearProcessed } },
    canMatch: active !== null,
    matched: active !== null && player.matches(active),
    setMatched: async (matched) => active && player.setMatched(active, matched),
    gain: active && player.matchedGain(active),
    matchWords: { plain: t.matched, withGain: t.matchedGain },
  };
}
