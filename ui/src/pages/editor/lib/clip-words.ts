// Clips in words.

import { text } from '../../../text/catalogue';
import type { ClipDrag, PlacedClip } from '../../../lib/clips';
import { formatQuantity } from '../../../lib/quantity';
import { lengthText, placeText, type Clock } from '../../../lib/time-input';

/** Describes a clip with all its settings. */
export function clipTitle(clip: PlacedClip, name: string, clock: Clock): string {
  const t = text.soundEdits.clips;
  const seconds = (frames: number) => formatQuantity(frames / clock.rate, 'seconds');
  const details = [
    clip.reversed ? t.reversed : null,
    clip.gain_db === 0 ? null : formatQuantity(clip.gain_db, 'dB'),
    clip.fade_in > 0 ? t.fadeIn(seconds(clip.fade_in)) : null,
    clip.fade_out > 0 ? t.fadeOut(seconds(clip.fade_out)) : null,
  ].filter((each) => each !== null);
  return [t.clip(name, placeText(clip.start, clock), placeText(clip.end, clock)), ...details].join(', ');
}

/** Describes the current result of a drag. */
export function clipDragText({ hold, clip }: ClipDrag, clock: Clock): string {
  const t = text.soundEdits.clips;
  const seconds = (frames: number) => formatQuantity(frames / clock.rate, 'seconds');
  switch (hold) {
    case 'move':
      return placeText(clip.start, clock);
    case 'start':
    case 'end':
      return t.length(lengthText(clip.end - clip.start, clock));
    case 'fade_in':
      return t.fadeIn(seconds(clip.fade_in));
    case 'fade_out':
      return t.fadeOut(seconds(clip.fade_out));
    case 'gain':
      return formatQuantity(clip.gain_db, 'dB');
    case 'crossfade':
      return t.crossfade(seconds(clip.crossfade.frames));
  }
}
