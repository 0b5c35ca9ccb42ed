// The response plot: hertz on a log scale, decibels, and the paths of curves.

export interface PlotArea {
  width: number;
  height: number;
  fromHz: number;
  toHz: number;
  /** Shown from -range to +range. */
  rangeDb: number;
}

export const xFromHz = (hz: number, area: PlotArea): number =>
  (Math.log(hz / area.fromHz) / Math.log(area.toHz / area.fromHz)) * area.width;
export const hzFromX = (x: number, area: PlotArea): number => area.fromHz * (area.toHz / area.fromHz) ** (x / area.width);
export const yFromDb = (db: number, area: PlotArea): number => ((area.rangeDb - db) / (2 * area.rangeDb)) * area.height;
export const dbFromY = (y: number, area: PlotArea): number => area.rangeDb - (y / area.height) * 2 * area.rangeDb;

/** Returns an SVG path; silence lies below the plot's bottom edge. */
export function curvePath(hz: number[], db: (number | null)[], area: PlotArea): string {
  let path = '';
  for (let i = 0; i < hz.length; i++) {
    const level = Math.max(-area.rangeDb * 1.2, Math.min(area.rangeDb * 1.2, db[i] ?? -Infinity));
    path += `${i === 0 ? 'M' : 'L'}${xFromHz(hz[i] ?? area.fromHz, area).toFixed(1)} ${yFromDb(level, area).toFixed(2)}`;
  }
  return path;
}

/** The interpolated level of a curve at a frequency. */
export function levelAt(hz: number[], db: (number | null)[], at: number): number | null {
  const first = hz[0];
  const last = hz[hz.length - 1];
  if (first === undefined || last === undefined || hz.length < 2) return null;
  const place = (Math.log(at / first) / Math.log(last / first)) * (hz.length - 1);
  const index = Math.max(0, Math.min(hz.length - 2, Math.floor(place)));
  const a = db[index];
  const b = db[index + 1];
  if (a == null || b == null) return null;
  return a + (b - a) * Math.max(0, Math.min(1, place - index));
}

/** The frequencies of the grid; labelled at 1, 2 and 5 of each decade. */
export function gridHz(fromHz: number, toHz: number): { hz: number; label: string | null }[] {
  const found: { hz: number; label: string | null }[] = [];
  for (let decade = 10; decade < toHz; decade *= 10) {
    for (let digit = 1; digit < 10; digit++) {
      const hz = decade * digit;
      if (hz <= fromHz * 1.01 || hz >= toHz) continue;
      const labelled = digit === 1 || digit === 2 || digit === 5;
      found.push({ hz, label: labelled ? (hz >= 1000 ? `${hz / 1000}k` : `${hz}`) : null });
    }
  }
  return found;
}
