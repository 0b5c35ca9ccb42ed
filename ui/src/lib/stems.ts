// The stems among the tracks of a document, and how they are heard for a purpose.

import type { DocumentView, StemPreset, StemKind, TrackView } from '../bindings';
import { text } from '../text/catalogue';
import { stems as english } from '../text/stems';

export const STEM_PRESETS: StemPreset[] = ['all', 'karaoke', 'a_cappella', 'drumless', 'practice_voice', 'practice_drums', 'practice_bass'];

/** The gain of what is practised in dB, as the core sets it. */
const PRACTICE_DB = -12;

const isVoice = (content: StemKind): boolean => content === 'voice' || content === 'vocals';

/** Whether a preset is about a stem of this content. */
function isAbout(preset: StemPreset, content: StemKind): boolean {
  if (preset === 'all') return true;
  if (preset === 'practice_drums' || preset === 'drumless') return content === 'drums';
  return preset === 'practice_bass' ? content === 'bass' : isVoice(content);
}

const stemsOf = (tracks: TrackView[]): TrackView[] => tracks.filter((track) => track.content !== undefined);

/** The document with the names that the core gave to stems in the language of the window. A name that the user gave stays. */
export function inOwnWords<V extends Pick<DocumentView, 'tracks'>>(view: V): V {
  const named = (track: TrackView): TrackView => {
    const { content } = track;
    return content !== undefined && track.name === english.names[content] && text.stems.names[content] !== track.name ? { ...track, name: text.stems.names[content] } : track;
  };
  const tracks = view.tracks.map(named);
  return tracks.some((track, at) => track !== view.tracks[at]) ? { ...view, tracks } : view;
}

export const hasStems = (tracks: TrackView[]): boolean => stemsOf(tracks).length > 0;

/** Whether a document has what the preset is about. */
export const canHear = (preset: StemPreset, tracks: TrackView[]): boolean => stemsOf(tracks).some((track) => isAbout(preset, track.content!));

function isAsIn(preset: StemPreset, track: TrackView): boolean {
  const about = isAbout(preset, track.content!);
  const mute = preset === 'karaoke' || preset === 'drumless' ? about : preset === 'a_cappella' && !about;
  const gain = preset.startsWith('practice') && about ? PRACTICE_DB : 0;
  return track.mute === mute && !track.solo && track.gain_db === gain && track.pan === 0;
}

/** The preset that the stems are heard as; null if as none. */
export function heardAs(tracks: TrackView[]): StemPreset | null {
  const stems = stemsOf(tracks);
  return STEM_PRESETS.find((preset) => canHear(preset, tracks) && stems.every((track) => isAsIn(preset, track))) ?? null;
}
