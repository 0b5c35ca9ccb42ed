// Measures how soon an hour of stereo is visible in the real window, on a separate virtual display: from the click that
// opens it to the first picture that covers the whole lane, and to the exact picture; and the same after zooming in.
// Nothing of the recording is cached. `node benches/window_opening.mjs [APPLICATION]`, the release build by default.
// The page's clock has a resolution of a millisecond.

import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { writeHours } from "./hours.mjs";

const application = resolve(process.argv[2] ?? "target/release/undertone-app");
const ROUNDS = 3;

// Performs an action, then checks in every frame how complete the lane's picture is.
const WATCH = `
  const [lane, act, zooms, done] = arguments;
  const begun = performance.now();
  let covered = null;
  if (act === "open") document.querySelector('[data-testid^="recent-"]').click();
  else {
    const element = document.querySelector('[data-testid="waveform"]');
    const box = element.getBoundingClientRect();
    for (let turn = 0; turn < zooms; turn += 1)
      element.dispatchEvent(new WheelEvent("wheel", { deltaY: -120, ctrlKey: true, bubbles: true, cancelable: true, clientX: box.x + box.width * 0.4, clientY: box.y + 100 }));
  }
  function frame() {
    const now = performance.now() - begun;
    const drawn = document.querySelector('[data-testid="' + lane + '"]')?.dataset.drawn;
    if (covered === null && (drawn === "coarse" || drawn === "exact")) covered = now;
    // Frames drawn before the view has moved do not count: two frames pass first.
    if ((drawn === "exact" && now > 40) || now > 60000) return done([covered, drawn === "exact" ? now : null]);
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(() => requestAnimationFrame(frame));`;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const report = (what, times) => {
  const [covered, exact] = [0, 1].map((index) => median(times.map((time) => time[index] ?? Number.POSITIVE_INFINITY)));
  console.log(`${what.padEnd(34)} covered after ${covered.toFixed(0)} ms, exact after ${exact.toFixed(0)} ms`);
};

/** Closes the recording, so that the next start is empty, and closes the window. */
async function close(window) {
  await window.press("Control", "w");
  await until(() => window.run('return document.querySelector("[data-testid^=recent-]") !== null'), 10_000, "a closed recording");
  await window.close();
}

const desktop = await startDesktop("1920x1080", { pictures: false });
try {
  const path = join(desktop.home, "hour.wav");
  await writeHours(path);
  for (const [view, lane] of [["1", "waveform"], ["3", "spectrogram"]]) {
    // The first start adds it to the recent files with this view. Cached pictures are deleted between starts.
    const first = await openApplication(desktop.env, application, [path]);
    await until(() => first.has("waveform"), 30_000, "an open recording");
    await first.press(view);
    await close(first);
    const openings = [];
    const zooms = new Map([[4, []], [8, []], [16, []], [30, []]]);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kept of ["peaks", "spectrograms"]) rmSync(join(desktop.env.UNDERTONE_DATA_DIR, kept), { recursive: true, force: true });
      const window = await openApplication(desktop.env, application, []);
      await window.resize(1920, 1080);
      await until(() => window.run('return document.querySelector("[data-testid^=recent-]") !== null'), 30_000, "recent files");
      await pause(1000);
      openings.push(await window.runAsync(WATCH, lane, "open", 0));
      for (const [turns, times] of zooms) {
        await window.press("Control", "f");
        await until(async () => (await window.attribute(lane, "data-drawn")) === "exact", 60_000, "an exact picture");
        times.push(await window.runAsync(WATCH, lane, "zoom", turns));
      }
      await close(window);
    }
    report(`${lane}, opened`, openings);
    for (const [turns, times] of zooms) report(`${lane}, ${turns} turns of the wheel in`, times);
  }
} finally {
  desktop.stop();
}
