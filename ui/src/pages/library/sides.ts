// A and B on the library's page: the two tracks that are compared, unless something else plays.

import { titleOf } from './lib/track-words';
import type { App } from '../../state/app.svelte';
import { text } from '../../text/catalogue';
import type { Sides } from '../page';

export function auditionSides(app: App): Sides | null {
  const { audition } = app.library.questions;
  const { pair } = audition;
  if (pair?.b == null || (app.player.playing && !audition.playing)) return null;
  const { transport } = app.player;
  const { hear } = text.questions.audition;
  const t = text.transport;
  return {
    side: audition.side === 'a' ? 'original' : 'processed',
    hear: (side) => audition.hear(side === 'original' ? 'a' : 'b'),
    words: { original: { name: t.tracks.original, label: hear.a(titleOf(pair.a)) }, processed: { name: t.tracks.processed, label: hear.b(titleOf(pair.b)) } },
    canMatch: true,
    matched: app.settings.now.library.matched,
    setMatched: (matched) => app.library.matchAuditions(matched),
    gain: transport?.audition && transport.matched_gain_db !== null ? { db: transport.matched_gain_db, stale: transport.stale } : null,
    matchWords: { plain: t.matchedTracks, withGain: t.matchedTracksGain },
  };
}
