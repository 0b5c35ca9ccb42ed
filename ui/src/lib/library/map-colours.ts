// Which part of the perceptual colours stands out from a theme's ground: the dark end is lost on black, the bright on white.

import type { Colours } from '../theme';

export const MAP_SLICES: Record<Colours, { from: number; to: number }> = {
  dark: { from: 56, to: 255 },
  light: { from: 0, to: 182 },
  contrast: { from: 84, to: 255 },
};
