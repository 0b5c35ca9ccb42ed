// Times the frames of the window while its lanes are moved, and summarises them.

// Sends a wheel event between any two frames, like a real wheel, so that every frame draws. Records the duration of
// each frame. `kind` is the action of the wheel.
export const DRIVE = `
  const [kind, ms, done] = arguments;
  const lane = document.querySelector('[data-testid="waveform"]');
  const box = lane.getBoundingClientRect();
  const turn = (deltaX, deltaY, ctrlKey) =>
    lane.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, ctrlKey, bubbles: true, cancelable: true, clientX: box.x + box.width * 0.4, clientY: box.y + 100 }));
  const times = [];
  const begun = performance.now();
  let last = begun;
  const between = new MessageChannel();
  between.port1.onmessage = () => {
    const half = last - begun < ms / 2 ? 1 : -1;
    if (kind === "pan") turn(0, 30 * half, false);
    if (kind === "zoom") turn(0, -12 * half, true);
  };
  function frame() {
    const now = performance.now();
    times.push(now - last);
    last = now;
    if (now - begun > ms) return done(times.slice(2));
    between.port2.postMessage(null);
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);`;

/** Returns a line of text about the frame `times`, in milliseconds, during the action `what`. */
export function frameTimes(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const rate = (1000 * times.length) / times.reduce((sum, each) => sum + each, 0);
  const late = times.filter((each) => each > 50).length;
  const ms = (value) => `${value.toFixed(0)} ms`;
  return `${what.padEnd(34)} ${rate.toFixed(1).padStart(5)} fps   median ${ms(at(0.5))}   99 % ${ms(at(0.99))}   most ${ms(sorted.at(-1))}   over 50 ms: ${late} of ${times.length}`;
}
