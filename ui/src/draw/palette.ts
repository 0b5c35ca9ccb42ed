// The design tokens for canvases, read once per theme.

const NAMES = [
  'lane',
  'line',
  'line-strong',
  'grid',
  'grid-strong',
  'text',
  'text-dim',
  'original',
  'original-peak',
  'original-core',
  'original-behind',
  'original-over',
  'processed',
  'processed-peak',
  'processed-core',
  'processed-behind',
  'processed-over',
  'clip',
  'accent',
  'over-peak',
  'over-core',
  'over-edge',
  'over-line',
  'processed-strong',
  'category-1',
  'category-2',
  'category-3',
  'category-4',
  'category-5',
  'category-6',
  'category-7',
  'category-8',
  'category-9',
  'category-10',
  'category-11',
  'category-12',
] as const;

/** The colours of categories, of neighbouring hues. */
export const CATEGORY_NAMES = NAMES.filter((name) => name.startsWith('category-'));

export type Palette = Record<(typeof NAMES)[number], string> & { font: string };

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const palette = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...palette, font: style.getPropertyValue('--font').trim() } as Palette;
}
