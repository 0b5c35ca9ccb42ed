// The colours of a map's points. Of the perceptual ones the part that stands out from a theme's ground: the dark end is lost
// on black, the bright on white.

import { CATEGORY_NAMES, type Palette } from '../../../draw/palette';
import type { Colours } from '../../../lib/theme';
import type { Category } from './categories';

export const MAP_SLICES: Record<Colours, { from: number; to: number }> = {
  dark: { from: 56, to: 255 },
  light: { from: 0, to: 182 },
  contrast: { from: 84, to: 255 },
};

/** The colour of a category's points, and of its sign in the legend. */
export function colourOf(palette: Palette, { colour }: Pick<Category, 'colour'>): string {
  const name = colour === null ? undefined : CATEGORY_NAMES[colour];
  return palette[name ?? 'line-strong'];
}
