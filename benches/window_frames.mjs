// Measures how smoothly the real window draws: frame times while an hour of stereo is panned, zoomed and played, on a
// separate virtual display. `node benches/window_frames.mjs [APPLICATION]`, the release build by default. The page's
// clock has a resolution of a millisecond.

import { join, resolve } from "node:path";
import { pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { DRIVE, frameTimes } from "./frame_times.mjs";
import { writeHours } from "./hours.mjs";

const application = resolve(process.argv[2] ?? "target/release/undertone-app");
const STEP_MS = 4000;

const desktop = await startDesktop("1920x1080", { pictures: false });
const path = join(desktop.home, "hour.wav");
await writeHours(path);
const window = await openApplication(desktop.env, application, [path]);
try {
  const drive = async (what, kind) => {
    const times = await window.runAsync(DRIVE, kind, STEP_MS);
    console.log(frameTimes(what, times));
  };
  await window.resize(1280, 800);
  await until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 120_000, "an exact waveform");
  for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    await window.resize(width, height);
    await pause(800);
    const size = `${width}x${height}`;
    await drive(`${size} at rest`, "rest");
    await drive(`${size} zoom in and out`, "zoom");
    await window.run("document.activeElement?.blur()");
    for (let step = 0; step < 7; step += 1) await window.press("Control", "=");
    await drive(`${size} pan at 28 s`, "pan");
    for (let step = 0; step < 9; step += 1) await window.press("Control", "=");
    await drive(`${size} pan at 55 ms`, "pan");
    await window.press("Control", "f");
    await window.press("Space");
    await pause(500);
    await drive(`${size} playing`, "rest");
    await drive(`${size} playing, zoom`, "zoom");
    await window.click("stop");
  }
  // The spectrogram alone: the visible part becomes exact while nothing else is requested, then it is moved while it is
  // drawn.
  await window.press("3");
  for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    await window.resize(width, height);
    await window.press("Control", "f");
    const begun = Date.now();
    await until(async () => (await window.attribute("spectrogram", "data-drawn")) === "exact", 120_000, "an exact spectrogram");
    const size = `${width}x${height}`;
    console.log(`${size} whole hour exact after ${Date.now() - begun} ms, drawn by ${await window.attribute("spectrogram", "data-renderer")}`);
    await drive(`${size} spectrogram, zoom`, "zoom");
    for (let step = 0; step < 7; step += 1) await window.press("Control", "=");
    await drive(`${size} spectrogram, pan at 28 s`, "pan");
  }
} finally {
  await window.close();
  desktop.stop();
}
