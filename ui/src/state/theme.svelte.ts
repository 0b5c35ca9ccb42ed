// The theme in force, for canvases: a new palette object is what they redraw on.

import type { Theme } from '../bindings';
import { readPalette, type Palette } from '../draw/palette';
import { resolveTheme } from '../lib/theme';

class ThemeState {
  palette: Palette = $state.raw()!;

  apply(theme: Theme): void {
    document.documentElement.dataset['theme'] = resolveTheme(theme);
    this.palette = readPalette();
  }
}

export const theme = new ThemeState();
