// What a clip is of: a file is found in two tracks, the open recording in one, a microphone hears nothing.

import type { ClipSource, IdentifiedView, TrackItem } from '../../../bindings';

export function identifiedAs(clip: ClipSource, items: readonly TrackItem[]): IdentifiedView {
  const there = items.filter((item) => item.state === 'done');
  const outdated = 3;
  const asked = there.length - outdated;
  const at = (index: number, score: number, speed: number, pitch: number) => {
    const track = there[index];
    return track ? [{ track, score, offset_s: (track.duration_s ?? 60) / 2.7, overlap_s: 11.2, speed, pitch_semitones: pitch }] : [];
  };
  switch (clip.kind) {
    case 'file':
      return { clip: 'from the radio.m4a', duration_s: 12.4, peak_db: -7.2, tracks: [...at(21, 0.83, 1.021, 0.36), ...at(22, 0.41, 1, 0)], asked, outdated };
    case 'document':
      return { clip: clip.range ? 'Selection of the open recording' : 'The open recording', duration_s: 31.4, peak_db: -1.2, tracks: at(42, 0.98, 1, 0), asked, outdated: 0 };
    case 'microphone':
      return { clip: 'Microphone', duration_s: clip.seconds, peak_db: -71.3, tracks: [], asked, outdated: 0 };
  }
}
