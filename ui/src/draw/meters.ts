// The ballistics of a peak meter: instant rise, decay of 24 dB a second, the peak mark held for 1.5 seconds.

export const FLOOR_DB = -60;
export const TOP_DB = 3;
const FALL_DB_S = 24;
const HOLD_S = 1.5;

export interface Bar {
  peak: number;
  rms: number;
  hold: number;
  heldFor: number;
}

export const restingBar = (): Bar => ({ peak: FLOOR_DB, rms: FLOOR_DB, hold: FLOOR_DB, heldFor: 0 });

export function advance(bar: Bar, peakDb: number | null, rmsDb: number | null, seconds: number): void {
  const peak = Math.max(FLOOR_DB, peakDb ?? FLOOR_DB);
  const rms = Math.max(FLOOR_DB, rmsDb ?? FLOOR_DB);
  const fall = FALL_DB_S * seconds;
  bar.peak = Math.max(peak, bar.peak - fall, FLOOR_DB);
  bar.rms = rms >= bar.rms ? rms : Math.max(rms, bar.rms - fall);
  bar.heldFor += seconds;
  if (peak >= bar.hold) {
    bar.hold = peak;
    bar.heldFor = 0;
  } else if (bar.heldFor > HOLD_S) bar.hold = Math.max(bar.peak, bar.hold - fall);
}

export const atRest = (bar: Bar): boolean => bar.peak <= FLOOR_DB && bar.hold <= FLOOR_DB;

/** The position of a level on the scale, 0..1. */
export const meterTravel = (db: number): number => Math.min(1, Math.max(0, (db - FLOOR_DB) / (TOP_DB - FLOOR_DB)));
