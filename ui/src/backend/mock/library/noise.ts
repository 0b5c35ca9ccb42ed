// Numbers that look random and are the same in every run.

/** A whole number of 32 bits from two. */
export function mixed(a: number, b = 0): number {
  let h = (Math.imul(a ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(b + 0x7f4a_7c15, 0xc2b2_ae35)) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b_3c6d) >>> 0;
  h = Math.imul(h ^ (h >>> 12), 0x297a_2d39) >>> 0;
  return (h ^ (h >>> 15)) >>> 0;
}

/** From 0 to 1. */
export const share = (a: number, b = 0): number => mixed(a, b) / 0xffff_ffff;

/** Bell-shaped about 0, from -1 to 1. */
export const bell = (a: number, b = 0): number => (share(a, b) + share(a, b + 101) + share(a, b + 202)) / 1.5 - 1;

export function pick<T>(from: readonly T[], a: number, b = 0): T {
  const found = from[mixed(a, b) % from.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}
