// The theme in force, for canvases: a new palette object is what they redraw on.

import type { Theme } from '../bindings';
import { readPalette, type Palette } from '../draw/palette';
import { resolveTheme, type Colours } from '../lib/theme';

class ThemeState {
  palette: Palette = $state.raw()!;
  colours: Colours = $state('dark');

  apply(theme: Theme): void {
    this.colours = resolveTheme(theme);
    document.documentElement.dataset['theme'] = this.colours;
    this.palette = readPalette();
  }
}

export const theme = new ThemeState();
