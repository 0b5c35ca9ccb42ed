// Takes the documentation's pictures of the library from the real window, with generated songs: `node
// scripts/pictures-library.mjs` after `npm test` has built the program.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { answerFileDialog, pause, startDesktop, until } from "../tests/window/desktop.mjs";
import { openApplication } from "../tests/window/driver.mjs";
import { writeSong } from "../tests/window/songs.mjs";

const SONGS = 24;
const folder = resolve("docs/pictures");
const desktop = await startDesktop("1920x1080");
const music = join(desktop.home, "music");
mkdirSync(music);
for (let song = 1; song <= SONGS; song += 1) writeSong(join(music, `song-${song}.wav`), song);
const copies = [["song-3.wav", "song-3 quiet.flac", "gain(-3 dB)"], ["song-5.wav", "song-5 dark.ogg", "lowpass(4 kHz)"], ["song-9.wav", "song-9 thin.opus", "highpass(200 Hz)"]];
for (const [from, to, chain] of copies) spawnSync(resolve("target/debug/undertone"), ["process", join(music, from), "-o", join(music, to), "-c", chain], { stdio: "inherit" });
copyFileSync(join(music, "song-2.wav"), join(music, "song-2 again.wav"));

const window = await openApplication(desktop.env, resolve("target/debug/undertone-app"));
const picture = async (name) => {
  await window.run("document.activeElement?.blur()");
  await pause(600);
  await window.picture(join(folder, `${name}.png`), true);
};
const rows = () => window.run(`return document.querySelectorAll('[data-testid="track-table"] [aria-selected]').length`);

try {
  await window.resize(1280, 800);
  await window.find("empty-state");
  await window.press("Control", "2");
  await window.find("library-empty");
  const clicked = window.click("library-empty-add");
  await answerFileDialog(desktop.env, "Add folders to the library", music);
  await clicked;
  await until(() => window.has("scan-summary"), 240_000, "the end of the scan");
  await until(async () => (await rows()) >= SONGS, 10_000, "all tracks");
  await window.run(`const row = [...document.querySelectorAll('[data-testid="track-table"] [role="row"]')].find((row) => row.textContent.includes("song-5"));
    const cell = row.querySelector('[role="gridcell"]:nth-child(2)') ?? row;
    const { x, y } = cell.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, button: 0, clientX: x + 20, clientY: y + 8, pointerId: 1 };
    for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) cell.dispatchEvent(new (name.startsWith("pointer") ? PointerEvent : MouseEvent)(name, at));`);
  await window.find("dimensions");
  await until(() => window.has("series-chroma"), 10_000, "pictures over time");
  await picture("library");
  await window.click("library-tab-duplicates");
  await window.click("duplicates-find");
  await until(() => window.run(`return document.querySelectorAll('[data-testid^="keep-best-"]').length >= 3`), 60_000, "groups");
  await picture("duplicates");
  await window.click("library-tab-map");
  await window.click("map-make");
  await until(() => window.has("map-axes"), 60_000, "the map");
  await picture("map");

  await window.click("page-batch");
  const added = window.click("batch-empty-folders");
  await answerFileDialog(desktop.env, "Folders to process", music);
  await added;
  await until(() => window.run(`return document.querySelectorAll('[data-testid^="input-"]').length >= ${SONGS}`), 30_000, "the files of the batch");
  await picture("batch");
} finally {
  await window.close();
  desktop.stop();
}
