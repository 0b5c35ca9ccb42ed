// The colours of a waveform, by its side, its background and its foreground.

import type { Side } from '../bindings';
import type { Palette } from './palette';

export interface WaveColours {
  peak: string;
  core?: string;
  /** Along the envelope. */
  outline?: string;
  clip?: string;
  /** Where individual samples are drawn: their curve and its dots. */
  curve: string;
  dots?: string;
  /** Draws the outline over the layer in front rather than with the envelope. */
  over?: boolean;
}

/** The colours of the audible side. Over a spectrogram it is a veil, whatever its side. */
export function coloursOf(palette: Palette, side: Side, onSpectrogram: boolean): WaveColours {
  if (onSpectrogram) return { peak: palette['over-peak'], core: palette['over-core'], outline: palette['over-edge'], clip: palette.clip, curve: palette['over-edge'], dots: palette['over-line'] };
  const core = palette[`${side}-core`];
  return { peak: palette[`${side}-peak`], core, clip: palette.clip, curve: core, dots: palette.text };
}

/** The colours of the other side: its envelope behind the audible one, and its outline over it. */
export function coloursBehind(palette: Palette, side: Side, onSpectrogram: boolean): WaveColours {
  const outline = onSpectrogram ? palette[`${side}-over`] : palette[side];
  return { peak: palette[`${side}-behind`], outline, curve: outline, over: true };
}
