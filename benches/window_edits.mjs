// Measures how long an edit takes until the real window shows it, in three hours of stereo: each edit by its key, then
// ten thousand deletions, or as many as are asked for, in one document. `node benches/window_edits.mjs [APPLICATION [DELETIONS]]`, the release build
// by default. The page's clock has a resolution of a millisecond.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { writeHours } from "./hours.mjs";

const application = resolve(process.argv[2] ?? "target/release/undertone-app");
const DELETIONS = Number(process.argv[3] ?? 10_000);
const HOURS = 3;
const REPEATS = 20;
/** Deletions between two reports. */
const GROUP = 500;

// Presses the keys in the page, so that the time of the driver is not measured, and waits until the document has changed
// and its waveform is drawn exactly. `prepare` is pressed before, and not measured.
const PRESS = `
  const [prepare, keys, count, done] = arguments;
  const lanes = document.querySelector('.stage');
  const waveform = document.querySelector('[data-testid="waveform"]');
  lanes.focus();
  const press = ({ key, code, ctrlKey = false, shiftKey = false }) =>
    lanes.dispatchEvent(new KeyboardEvent("keydown", { key, code, ctrlKey, shiftKey, bubbles: true, cancelable: true }));
  const state = () => waveform.dataset.frames + " " + waveform.dataset.joins;
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  (async () => {
    const times = [];
    for (let n = 0; n < count; n += 1) {
      prepare.forEach(press);
      await frame();
      await frame();
      const before = state();
      const begun = performance.now();
      keys.forEach(press);
      while (state() === before) {
        if (performance.now() - begun > 10_000) return done("nothing changed after " + n + " edits: " + before);
        await new Promise((next) => setTimeout(next, 0));
      }
      do await frame(); while (waveform.dataset.drawn !== "exact");
      times.push(performance.now() - begun);
    }
    done(times);
  })();`;

const key = (name, { ctrl = false, shift = false } = {}) => ({ key: name, ctrlKey: ctrl, shiftKey: shift });
const SELECT = Array(3).fill(key("ArrowRight", { shift: true }));
const UNDO = [key("z", { ctrl: true })];

const desktop = await startDesktop("1920x1080", { pictures: false });
const path = join(desktop.home, "three hours.wav");
await writeHours(path, HOURS);
const window = await openApplication(desktop.env, application, [path]);

/** The memory of the program's process in megabytes, without the web view. */
function memory() {
  const status = readFileSync(`/proc/${window.processes()[0]}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
}

function report(what, times) {
  if (typeof times === "string") throw new Error(`${what}: ${times}`);
  const sorted = [...times].sort((a, b) => a - b);
  const ms = (value) => `${value.toFixed(0)} ms`;
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  console.log(`${what.padEnd(34)} median ${ms(at(0.5))}   95 % ${ms(at(0.95))}   most ${ms(sorted.at(-1))}   ${memory()} MiB`);
}

try {
  await window.resize(1280, 800);
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 300_000, "an exact waveform");
  console.log(`three hours are open: ${memory()} MiB`);
  const measure = async (what, prepare, keys, count = REPEATS) => {
    await window.run("document.activeElement?.blur()");
    report(what, await window.runAsync(PRESS, prepare, keys, count));
  };
  for (const place of ["whole", "near"]) {
    await window.run("document.activeElement?.blur()");
    await window.press("Home");
    if (place === "near") for (let step = 0; step < 12; step += 1) await window.press("Control", "=");
    await measure(`${place}: delete`, SELECT, [key("Delete")]);
    await measure(`${place}: undo`, [], UNDO);
    await measure(`${place}: split`, SELECT, [key("i", { ctrl: true })]);
    await measure(`${place}: undo`, [], UNDO);
    await measure(`${place}: duplicate`, SELECT, [key("d", { ctrl: true })]);
    await measure(`${place}: undo`, [], UNDO);
  }
  for (let done = 0; done < DELETIONS; done += GROUP) {
    await measure(`deletions ${done} to ${done + GROUP}`, SELECT, [key("Delete")], Math.min(GROUP, DELETIONS - done));
  }
} finally {
  await window.close();
  desktop.stop();
}
