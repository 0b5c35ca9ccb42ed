// Plays and scrolls sixteen tracks of an hour in the real window, and reports the frame times, the drop-outs, the
// processor time and the memory. `node benches/window_tracks.mjs [APPLICATION [SECONDS]]`, the release build by
// default.

import { linkSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { answerFileDialog, pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { Keys, openApplication } from "../tests/window/driver.mjs";
import { DRIVE, frameTimes } from "./frame_times.mjs";
import { writeHours } from "./hours.mjs";

const application = resolve(process.argv[2] ?? "target/release/undertone-app");
const SECONDS = Number(process.argv[3] ?? 60);
const TRACKS = 16;
const STEP_MS = 4000;
/** Clock ticks of a second, as /proc counts processor time. */
const TICKS = 100;

const desktop = await startDesktop("1920x1080", { pictures: false });
const track = (number) => join(desktop.home, `track ${number}.wav`);
await writeHours(track(1));
for (let number = 2; number <= TRACKS; number += 1) linkSync(track(1), track(number));
const window = await openApplication(desktop.env, application, [track(1)]);

const proc = (file) => readFileSync(`/proc/${window.processes()[0]}/${file}`, "utf8");
const memory = () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(proc("status"))[1]) / 1024);
const processorTime = () => {
  const fields = proc("stat").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
};
const drawn = () => until(async () => (await window.attribute("waveform", "data-drawn")) === "exact", 300_000, "an exact waveform");
const drive = async (what, kind) => console.log(frameTimes(what, await window.runAsync(DRIVE, kind, STEP_MS)));

try {
  await window.resize(1280, 800);
  await drawn();
  for (let number = 2; number <= TRACKS; number += 1) {
    await window.run("document.activeElement?.blur()");
    await window.press(Keys.Control, "k");
    await window.find("palette-search");
    await window.type("palette-search", "Import tracks");
    await window.press(Keys.Enter);
    await answerFileDialog(desktop.env, "Import as tracks", track(number));
    await window.find(number === 2 ? "track-row-2" : `track-${number}`, 60_000);
  }
  await drawn();
  await pause(3_000);
  console.log(`${TRACKS} tracks of an hour: ${memory()} MiB`);
  for (const [width, height] of [[1280, 800], [1920, 1080]]) {
    await window.resize(width, height);
    await window.run("document.activeElement?.blur()");
    await window.press("Control", "f");
    await pause(800);
    const size = `${width}x${height}`;
    await drive(`${size} zoom in and out`, "zoom");
    for (let step = 0; step < 7; step += 1) await window.press("Control", "=");
    await drive(`${size} pan at 28 s`, "pan");
  }
  await window.press("Control", "f");
  await window.press("Space");
  await pause(1_000);
  const begun = processorTime();
  const from = Date.now();
  await drive("playing, zoom", "zoom");
  await pause(Math.max(0, SECONDS * 1000 - (Date.now() - from)));
  const share = (processorTime() - begun) / ((Date.now() - from) / 1000);
  const dropOuts = (await window.has("drop-outs")) ? await window.text("drop-outs") : "no drop-outs";
  console.log(`played ${SECONDS} s: ${dropOuts}, ${(100 * share).toFixed(0)} % of a core, ${memory()} MiB`);
} finally {
  await window.close();
  desktop.stop();
}
