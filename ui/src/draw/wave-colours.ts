// The colours of a waveform: by its side, by what it lies on, and by what lies on it.

import type { Side } from '../bindings';
import type { Palette } from './palette';

export interface WaveColours {
  peak: string;
  core?: string;
  /** Along the envelope. */
  outline?: string;
  clip?: string;
  /** Where single samples are drawn: their curve, and the dots on it. */
  curve: string;
  dots?: string;
  /** The outline is not drawn with the envelope, but over what is in front of it. */
  over?: boolean;
}

/** Of a side that is heard. Over a spectrogram it is a veil, whatever its side. */
export function coloursOf(palette: Palette, side: Side, onSpectrogram: boolean): WaveColours {
  if (onSpectrogram) return { peak: palette['over-peak'], core: palette['over-core'], outline: palette['over-edge'], clip: palette.clip, curve: palette['over-edge'], dots: palette['over-line'] };
  const core = palette[`${side}-core`];
  return { peak: palette[`${side}-peak`], core, clip: palette.clip, curve: core, dots: palette.text };
}

/** Of the side that is not heard: its envelope behind the other one, and its outline over it. */
export function coloursBehind(palette: Palette, side: Side, onSpectrogram: boolean): WaveColours {
  const outline = onSpectrogram ? palette[`${side}-over`] : palette[side];
  return { peak: palette[`${side}-behind`], outline, curve: outline, over: true };
}
