// Colours as pixels of an image: red, green, blue and alpha in the four bytes of a number, red in the lowest, as in the
// memory of every machine the window runs on.

const known = new Map<string, number>();

/** The ink of a CSS colour, however it is written: the context serialises it in one of two forms. */
export function inkOf(context: Pick<CanvasRenderingContext2D, 'fillStyle'>, colour: string): number {
  let ink = known.get(colour);
  if (ink === undefined) {
    context.fillStyle = colour;
    ink = inkFrom(String(context.fillStyle));
    known.set(colour, ink);
  }
  return ink;
}

/** Parses six digits after a hash, or four numbers in parentheses; anything else is transparent. */
export function inkFrom(serialised: string): number {
  const hex = /^#(..)(..)(..)$/.exec(serialised);
  const [red, green, blue] = hex ? hex.slice(1).map((part) => parseInt(part, 16)) : (serialised.match(/[\d.]+/g) ?? []).map(Number);
  const alpha = hex ? 1 : Number(/, ([\d.]+)\)$/.exec(serialised)?.[1] ?? 0);
  return inkOfParts(red ?? 0, green ?? 0, blue ?? 0, Math.round(alpha * 255));
}

const inkOfParts = (red: number, green: number, blue: number, alpha: number): number => (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0;

/** A more transparent ink. */
export const faded = (ink: number): number => ((ink & 0xffffff) | (Math.round((ink >>> 24) * 0.35) << 24)) >>> 0;

/** Composites an ink over another, covering a share of the pixel, as `fillRect` does. */
export function over(below: number, ink: number, share: number): number {
  const alpha = ((ink >>> 24) / 255) * share;
  if (alpha >= 1) return ink;
  const left = ((below >>> 24) / 255) * (1 - alpha);
  const all = alpha + left;
  if (all === 0) return 0;
  const mixed = (shift: number): number => Math.round((((ink >>> shift) & 255) * alpha + ((below >>> shift) & 255) * left) / all);
  return inkOfParts(mixed(0), mixed(8), mixed(16), Math.round(all * 255));
}

/** An opaque ink as CSS reads it. */
export const cssOf = (ink: number): string => `#${[0, 8, 16].map((shift) => ((ink >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
