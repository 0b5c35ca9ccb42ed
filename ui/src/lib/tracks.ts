// The chosen track of a document, and the tracks before and after it.

import type { DocumentView, TrackChoice, TrackView } from '../bindings';

type Chosen = Pick<DocumentView, 'tracks' | 'chosen'>;

/** How far a track's gain and pan go, as the core allows. */
export const TRACK_GAIN = { min: -60, max: 24, scale: 'linear' } as const;
export const TRACK_PAN = { min: -100, max: 100, scale: 'linear' } as const;

export function isChosen({ chosen }: Chosen, choice: TrackChoice): boolean {
  if (chosen === null || chosen === 'sum' || choice === 'sum') return chosen === choice;
  return chosen.track === choice.track;
}

export function chosenTrack(view: Chosen): TrackView | null {
  const { chosen } = view;
  return chosen === null || chosen === 'sum' ? null : (view.tracks.find((track) => track.id === chosen.track) ?? null);
}

/** The tracks before and after the chosen one. Behind the last stands the sum: if it is chosen, all are before it. */
export function around(view: Chosen): { before: TrackView[]; after: TrackView[] } {
  const chosen = chosenTrack(view);
  const at = chosen ? view.tracks.indexOf(chosen) : view.tracks.length;
  return { before: view.tracks.slice(0, at), after: view.tracks.slice(at + 1) };
}

/** The choice that is `step` away in the order of the tracks, with the sum last; null at an end. */
export function stepped(view: Chosen, step: 1 | -1): TrackChoice | null {
  const choices: TrackChoice[] = [...view.tracks.map((track) => ({ track: track.id })), 'sum'];
  const at = choices.findIndex((choice) => isChosen(view, choice));
  return at < 0 ? null : (choices[at + step] ?? null);
}

/** Whether a track is heard in the sum. */
export function isHeard(track: TrackView, tracks: TrackView[]): boolean {
  return !track.mute && (track.solo || !tracks.some((each) => each.solo));
}
