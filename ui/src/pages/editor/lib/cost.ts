// The cost of an effect, in words.

export type Cost = 'light' | 'moderate' | 'heavy';

/** The multiples of real time above which an effect is light, or moderate: ten of those still leave room to spare. */
const LIGHT = 100;
const MODERATE = 10;

export const costOf = (timesRealTime: number): Cost => (timesRealTime >= LIGHT ? 'light' : timesRealTime >= MODERATE ? 'moderate' : 'heavy');
