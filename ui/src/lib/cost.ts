// The cost of an effect, in words.

export type Cost = 'light' | 'moderate' | 'heavy';

/** Above these multiples of real time an effect is light, and at least moderate: ten of it still leave room to spare. */
const LIGHT = 100;
const MODERATE = 10;

export const costOf = (timesRealTime: number): Cost => (timesRealTime >= LIGHT ? 'light' : timesRealTime >= MODERATE ? 'moderate' : 'heavy');
