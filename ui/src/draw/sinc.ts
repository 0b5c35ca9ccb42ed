// The reconstructed curve through the samples, as a converter would output it.

const REACH = 12;

/**
 * The value at a fractional position: a sinc over 24 neighbours under a Kaiser-like (raised cosine) window.
 * `at` gives the sample of an index, zero beyond the ends.
 */
export function interpolate(at: (index: number) => number, position: number): number {
  const centre = Math.floor(position);
  const fraction = position - centre;
  if (fraction < 1e-9) return at(centre);
  let sum = 0;
  let weight = 0;
  // sin(pi (x - n)) alternates its sign with n: one sine serves all taps.
  const sine = Math.sin(Math.PI * fraction) / Math.PI;
  for (let tap = 1 - REACH; tap <= REACH; tap++) {
    const distance = fraction - tap;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (REACH + 1));
    const value = ((tap & 1) === 0 ? sine : -sine) / distance * window;
    sum += value * at(centre + tap);
    weight += value;
  }
  return sum / weight;
}
