// Summarises frame times.

/** Returns a line of text about the frame `times`, in milliseconds, during the action `what`. */
export function frameTimes(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const rate = (1000 * times.length) / times.reduce((sum, each) => sum + each, 0);
  const late = times.filter((each) => each > 50).length;
  const ms = (value) => `${value.toFixed(0)} ms`;
  return `${what.padEnd(34)} ${rate.toFixed(1).padStart(5)} fps   median ${ms(at(0.5))}   99 % ${ms(at(0.99))}   most ${ms(sorted.at(-1))}   over 50 ms: ${late} of ${times.length}`;
}
