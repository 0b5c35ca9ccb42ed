// A and B on the page that compares versions: the reference, and the version that was played last.

import type { App } from '../../state/app.svelte';
import { text } from '../../text/catalogue';
import type { Sides } from '../page';

export function versionSides(app: App): Sides | null {
  const { compare } = app;
  if (compare.timeline === null) return null;
  const t = text.compare.sides;
  return {
    side: compare.view?.heard?.version === compare.view?.reference ? 'original' : 'processed',
    hear: (side) => compare.hearSide(side),
    words: { original: { name: t.original, label: t.hearOriginal }, processed: { name: t.processed, label: t.hearProcessed } },
    canMatch: true,
    matched: compare.view?.matched === true,
    setMatched: (matched) => compare.setMatched(matched),
    gain: compare.heardGain,
    matchWords: { plain: text.transport.matched, withGain: text.transport.matchedGain },
  };
}
