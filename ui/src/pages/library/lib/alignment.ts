// Two copies of one recording on a common timeline, so that both can be played and drawn over each other.
//
// The second plays at `offset_s + t / speed` what the first plays at `t` seconds. The common time runs at the first's
// speed and begins with the earlier of the two.

/** The placement of a copy relative to the first. */
export interface Placement {
  offset_s: number;
  /** How much faster it plays than the first. */
  speed: number;
}

/** A stretch of the common time, in seconds. */
export interface Stretch {
  start_s: number;
  end_s: number;
}

export interface Alignment {
  a: Stretch;
  b: Stretch;
  /** The stretch where both play; null if they do not overlap. */
  both: Stretch | null;
  duration_s: number;
  /** The start of the common time in each one's seconds; negative if that one begins later. */
  offsets_s: { a: number; b: number };
  /** How much faster the second plays than the common time. */
  speed: number;
}

export const SAME_PLACE: Placement = { offset_s: 0, speed: 1 };

/** The speed of a placement; an impossible one is ignored. */
const speedOf = (placement: Placement): number => (placement.speed > 0 && Number.isFinite(placement.speed) ? placement.speed : 1);
const offsetOf = (placement: Placement): number => (Number.isFinite(placement.offset_s) ? placement.offset_s : 0);
const lengthOf = (seconds: number | null): number => (seconds !== null && seconds > 0 && Number.isFinite(seconds) ? seconds : 0);
// Avoids negative zero.
const negated = (value: number): number => (value === 0 ? 0 : -value);

export function aligned(firstS: number | null, secondS: number | null, placement: Placement): Alignment {
  const speed = speedOf(placement);
  // The beginning of the second on the first's time.
  const begins = negated(offsetOf(placement) * speed);
  const start = { a: Math.max(0, -begins), b: Math.max(0, begins) };
  const a = { start_s: start.a, end_s: start.a + lengthOf(firstS) };
  const b = { start_s: start.b, end_s: start.b + lengthOf(secondS) * speed };
  const from = Math.max(a.start_s, b.start_s);
  const to = Math.min(a.end_s, b.end_s);
  return {
    a,
    b,
    both: to > from ? { start_s: from, end_s: to } : null,
    duration_s: Math.max(a.end_s, b.end_s),
    offsets_s: { a: negated(start.a), b: negated(start.b / speed) },
    speed,
  };
}

/** The placement of `other` relative to `one`, given both relative to a third. */
export function relative(one: Placement, other: Placement): Placement {
  const speed = speedOf(other) / speedOf(one);
  return { offset_s: offsetOf(other) - offsetOf(one) / speed, speed };
}

/** Converts a common time to the time in each of the two, in seconds. */
export function ownTimes(alignment: Alignment, at: number): { a: number; b: number } {
  return { a: at - alignment.a.start_s, b: (at - alignment.b.start_s) / alignment.speed };
}

/** Where to start listening: where both have begun, or at the start of the first. */
export const firstBoth = (alignment: Alignment): number => alignment.both?.start_s ?? alignment.a.start_s;

/** Aligns two different recordings a third into each, where most have got going. */
export function sideBySide(firstS: number | null, secondS: number | null): Alignment {
  return aligned(firstS, secondS, { offset_s: lengthOf(secondS) / 3 - lengthOf(firstS) / 3, speed: 1 });
}

/** A third into a recording. */
export const third = (seconds: number | null): number => lengthOf(seconds) / 3;
