// Converts frames to text: time codes, durations, ticks of the time ruler.

const two = (value: number): string => value.toString().padStart(2, '0');

/** "00:01:23.456"; rounded down, so that a clock is never ahead. */
export function timeCode(frame: number, rate: number): string {
  const ms = Math.floor((Math.max(0, frame) * 1000) / rate + 1e-6);
  const s = Math.floor(ms / 1000);
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}.${(ms % 1000).toString().padStart(3, '0')}`;
}

/** A duration without needless parts: "1:23.456", "2.5 s". */
export function shortTime(seconds: number, decimals = 3): string {
  const unit = 10 ** decimals;
  const total = Math.round(Math.max(0, seconds) * unit);
  const whole = Math.floor(total / unit);
  const fraction = decimals > 0 ? `.${(total % unit).toString().padStart(decimals, '0')}` : '';
  const s = whole % 60;
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  if (h > 0) return `${h}:${two(m)}:${two(s)}${fraction}`;
  return `${m}:${two(s)}${fraction}`;
}

/** Time that is left, as a person says it: "12 s", "3 min 20 s". */
export function remaining(seconds: number): string {
  const s = Math.max(0, Math.ceil(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

export interface Tick {
  seconds: number;
  /** The label; null for minor ticks. */
  label: string | null;
}

// Steps between labels in seconds, each with its number of subdivisions.
const STEPS: [number, number][] = [
  ...[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1].flatMap((unit): [number, number][] => [
    [unit, 10],
    [2 * unit, 4],
    [5 * unit, 5],
  ]),
  [1, 10],
  [2, 4],
  [5, 5],
  [10, 10],
  [15, 3],
  [30, 6],
  [60, 6],
  [120, 4],
  [300, 5],
  [600, 10],
  [900, 3],
  [1800, 6],
  [3600, 6],
  [7200, 4],
  [18000, 5],
  [36000, 10],
  [86400, 4],
];

/** The smallest labelled step whose labels are at least `labelPx` apart. */
export function tickStep(secondsPerPx: number, labelPx = 80): { step: number; parts: number; decimals: number } {
  const least = secondsPerPx * labelPx;
  const [step, parts] = STEPS.find(([candidate]) => candidate >= least) ?? STEPS[STEPS.length - 1] ?? [86400, 4];
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  return { step, parts, decimals };
}

/** Ticks from `from` to `to` seconds, dense at every zoom. */
export function ticks(from: number, to: number, widthPx: number, labelPx = 80): Tick[] {
  if (!(to > from) || widthPx <= 0) return [];
  const { step, parts, decimals } = tickStep((to - from) / widthPx, labelPx);
  const small = step / parts;
  const found: Tick[] = [];
  const last = Math.ceil(to / small);
  for (let index = Math.max(0, Math.floor(from / small)); index <= last; index++) {
    const seconds = index * small;
    found.push({ seconds, label: index % parts === 0 ? shortTime(seconds, decimals) : null });
  }
  return found;
}
