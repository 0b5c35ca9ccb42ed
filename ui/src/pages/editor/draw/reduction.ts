// The ballistics of a gain-reduction meter: instant attack, release of 40 dB a second, the mark held for a second.

/** The reduction at the end of the meter. */
export const MAX_DB = 24;
const BACK_DB_S = 40;
const HOLD_S = 1;

export interface Needle {
  db: number;
  held: number;
  heldFor: number;
}

export const restingNeedle = (): Needle => ({ db: 0, held: 0, heldFor: 0 });

/** Advances the needle by `seconds`; `reductionDb` is 0 or more, null if unknown. */
export function advanceNeedle(needle: Needle, reductionDb: number | null, seconds: number): void {
  const db = reductionDb ?? 0;
  needle.db = Math.max(db, needle.db - BACK_DB_S * seconds, 0);
  needle.heldFor += seconds;
  if (db >= needle.held) {
    needle.held = db;
    needle.heldFor = 0;
  } else if (needle.heldFor > HOLD_S) needle.held = Math.max(needle.db, needle.held - BACK_DB_S * seconds);
}

export const needleAtRest = (needle: Needle): boolean => needle.db <= 0 && needle.held <= 0;

/** The share of the meter for a reduction: its square root, so that a single decibel is visible. */
export const reductionTravel = (db: number): number => Math.sqrt(Math.min(1, Math.max(0, db / MAX_DB)));
