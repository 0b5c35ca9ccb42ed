// Dates and times in the reader's time zone.

const two = (value: number): string => value.toString().padStart(2, '0');

/** "2026-03-01". */
export function day(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "2026-03-01 14:05". */
export function moment(ms: number): string {
  const date = new Date(ms);
  return `${day(ms)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/**
 * Isolates a path as left-to-right text within right-to-left lines. Uses Unicode marks rather than `<bdi>`, over which
 * WebKit draws the ellipsis of truncated text.
 */
export const leftToRight = (path: string): string => `\u2066${path}\u2069`;

/** The last part of a path, and what is before it. */
export function pathParts(path: string): { name: string; before: string } {
  const clean = path.replace(/[/\\]+$/, '');
  const at = Math.max(clean.lastIndexOf('/'), clean.lastIndexOf('\\'));
  return at === -1 || clean === '' ? { name: path, before: '' } : { name: clean.slice(at + 1), before: clean.slice(0, at) || path.slice(0, 1) };
}
